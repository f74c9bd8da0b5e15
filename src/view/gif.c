/* The scene as a GIF that repeats. All frames share one table of 256 colours: white, and the most
 * frequent others. Each frame contains only the rectangle that has changed. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include "raster.h"

enum {
  WIDTH = 480,
  DELAY = 4,       /* hundredths of a second between frames */
  CELLS = 1 << 15, /* colours are counted by the 5 highest bits of each part */
  COLOURS = 256
};

/* ---- colours ---- */

typedef struct palette {
  uint32_t count[CELLS];
  uint64_t sum[CELLS][3];
  uint8_t index[CELLS]; /* the colour of each cell */
  ritti_colour colour[COLOURS];
} palette;

static size_t cell_of(ritti_colour c) {
  return (size_t)(c.red >> 3) << 10 | (size_t)(c.green >> 3) << 5 | (size_t)(c.blue >> 3);
}

static bool is_white(ritti_colour c) { return c.red == 255 && c.green == 255 && c.blue == 255; }

static void count_colours(palette *p, const ritti_raster *r) {
  for (size_t i = 0; i < (size_t)r->width * (size_t)r->height; i++) {
    ritti_colour c = r->pixel[i];
    if (is_white(c)) continue;
    size_t cell = cell_of(c);
    p->count[cell]++;
    p->sum[cell][0] += c.red;
    p->sum[cell][1] += c.green;
    p->sum[cell][2] += c.blue;
  }
}

/* The colour of a table that is nearest to a colour. */
static uint8_t nearest_colour(const palette *p, ritti_colour c, int colours) {
  int best = 0;
  long least = LONG_MAX;
  for (int i = 0; i < colours; i++) {
    long red = p->colour[i].red - c.red, green = p->colour[i].green - c.green;
    long blue = p->colour[i].blue - c.blue, square = red * red + green * green + blue * blue;
    if (square < least) {
      least = square;
      best = i;
    }
  }
  return (uint8_t)best;
}

/* Chooses the table: white and the most frequent cells. */
static void choose_colours(palette *p) {
  int colours = 1;
  p->colour[0] = (ritti_colour){255, 255, 255};
  for (; colours < COLOURS; colours++) {
    size_t best = 0;
    for (size_t i = 1; i < CELLS; i++)
      if (p->count[i] > p->count[best]) best = i;
    if (p->count[best] == 0) break;
    uint64_t n = p->count[best];
    p->colour[colours] =
        (ritti_colour){(uint8_t)(p->sum[best][0] / n), (uint8_t)(p->sum[best][1] / n),
                       (uint8_t)(p->sum[best][2] / n)};
    p->count[best] = 0;
  }
  for (size_t i = 0; i < CELLS; i++) {
    ritti_colour c = {(uint8_t)((i >> 10) << 3 | 4), (uint8_t)((i >> 5 & 31) << 3 | 4),
                      (uint8_t)((i & 31) << 3 | 4)};
    p->index[i] = nearest_colour(p, c, colours);
  }
}

/* ---- compression ---- */

/* Codes of 9 to 12 bits, in blocks of up to 255 bytes. */
typedef struct coder {
  ritti_text *out;
  uint8_t block[256];
  int bytes;
  uint32_t bits;
  int held;
} coder;

static void put_byte(coder *c, uint8_t byte) {
  c->block[++c->bytes] = byte;
  if (c->bytes < 255) return;
  c->block[0] = 255;
  ritti_text_add_bytes(c->out, (const char *)c->block, 256);
  c->bytes = 0;
}

static void put_code(coder *c, uint32_t code, int size) {
  c->bits |= code << c->held;
  for (c->held += size; c->held >= 8; c->held -= 8) {
    put_byte(c, (uint8_t)c->bits);
    c->bits >>= 8;
  }
}

static void end_codes(coder *c) {
  if (c->held > 0) put_byte(c, (uint8_t)c->bits);
  if (c->bytes > 0) {
    c->block[0] = (uint8_t)c->bytes;
    ritti_text_add_bytes(c->out, (const char *)c->block, (size_t)c->bytes + 1);
  }
  ritti_text_add_bytes(c->out, "", 1);
}

/* Writes indices by the method of Lempel, Ziv and Welch. */
static void compress_frame(ritti_text *out, const uint8_t *index, size_t count) {
  enum { CLEAR = 256, END = 257, SLOTS = 8192, MOST = 4096 };
  static const uint32_t NONE = 0;
  uint32_t key[SLOTS] = {0}; /* 1 + (prefix, byte); 0: free */
  uint16_t value[SLOTS];
  coder c = {.out = out};
  int size = 9;
  uint32_t next = END + 1, prefix = index[0];
  ritti_text_add_bytes(out, "\x08", 1);
  put_code(&c, CLEAR, size);
  for (size_t i = 1; i < count; i++) {
    uint32_t wanted = 1 + (prefix << 8 | index[i]), slot = (wanted * 2654435761u) >> 19;
    while (key[slot] != NONE && key[slot] != wanted) slot = (slot + 1) % SLOTS;
    if (key[slot] == wanted) {
      prefix = value[slot];
      continue;
    }

    /* a new sequence */
    put_code(&c, prefix, size);
    prefix = index[i];
    if (next < MOST) {
      key[slot] = wanted;
      value[slot] = (uint16_t)next;
      if (next == 1u << size) size++;
      next++;
      continue;
    }
    put_code(&c, CLEAR, size);
    memset(key, 0, sizeof key);
    next = END + 1;
    size = 9;
  }
  put_code(&c, prefix, size);
  if (next == 1u << size && size < 12) size++;
  put_code(&c, END, size);
  end_codes(&c);
}

/* ---- frames ---- */

static void add_short(ritti_text *out, int value) {
  char bytes[2] = {(char)(value & 255), (char)(value >> 8 & 255)};
  ritti_text_add_bytes(out, bytes, 2);
}

static void add_head(ritti_text *out, const ritti_raster *r, const palette *p) {
  ritti_text_add_bytes(out, "GIF89a", 6);
  add_short(out, r->width);
  add_short(out, r->height);
  ritti_text_add_bytes(out, "\xf7\0\0", 3);
  for (int i = 0; i < COLOURS; i++) {
    char rgb[3] = {(char)p->colour[i].red, (char)p->colour[i].green, (char)p->colour[i].blue};
    ritti_text_add_bytes(out, rgb, 3);
  }
  ritti_text_add_bytes(out, "\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19);
}

/* Writes the part of a frame that differs from the one before; `old` NULL: all of it. */
static ritt_status add_frame(ritti_text *out, const uint8_t *now, const uint8_t *old, int width,
                             int height, int delay) {
  int x0 = width, x1 = 0, y0 = height, y1 = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      size_t i = (size_t)y * (size_t)width + (size_t)x;
      if (old && now[i] == old[i]) continue;
      if (x < x0) x0 = x;
      if (x >= x1) x1 = x + 1;
      if (y < y0) y0 = y;
      if (y >= y1) y1 = y + 1;
    }
  if (x1 <= x0) {
    x0 = y0 = 0;
    x1 = y1 = 1;
  }

  size_t count = 0;
  uint8_t *part = ritti_malloc((size_t)(x1 - x0) * (size_t)(y1 - y0));
  if (!part) return RITT_NO_MEMORY;
  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++) part[count++] = now[(size_t)y * (size_t)width + (size_t)x];

  /* the delay, the rectangle and its pixels */
  ritti_text_add_bytes(out, "\x21\xf9\x04\x04", 4);
  add_short(out, delay);
  ritti_text_add_bytes(out, "\0\0\x2c", 3);
  add_short(out, x0);
  add_short(out, y0);
  add_short(out, x1 - x0);
  add_short(out, y1 - y0);
  ritti_text_add_bytes(out, "", 1);
  compress_frame(out, part, count);
  ritti_free(part);
  return RITT_OK;
}

/* Everything that the frames need. */
typedef struct film {
  const ritti_view *view;
  ritti_camera camera;
  ritti_raster raster;
  ritti_drawing drawing;
  palette *palette;
  uint8_t *now, *old;
  size_t frames;
  int delay;
} film;

static ritt_status draw_frame(film *f, size_t frame) {
  size_t row;
  double part;
  char words[80];
  ritti_view_moment(f->view, (double)frame / (double)(f->frames - 1), &row, &part);
  RITT_TRY(ritti_view_draw(f->view, &f->camera, row, part, true, &f->drawing));
  RITT_TRY(ritti_raster_draw(&f->raster, &f->drawing, f->camera.space));
  snprintf(words, sizeof words, "%.20s = %.2f %.20s", f->view->variable,
           ritti_view_value(f->view, 0, row, part), f->view->unit);
  ritti_raster_words(&f->raster, 10, f->raster.height - 8, 8, words,
                     (ritti_colour){0x66, 0x70, 0x85});
  return RITT_OK;
}

/* Draws all frames twice: for their colours, and to write them. */
static ritt_status write_film(film *f, ritti_text *out) {
  size_t pixels = (size_t)f->raster.width * (size_t)f->raster.height;
  for (size_t k = 0; k < f->frames; k++) {
    RITT_TRY(draw_frame(f, k));
    count_colours(f->palette, &f->raster);
  }
  choose_colours(f->palette);
  add_head(out, &f->raster, f->palette);
  for (size_t k = 0; k < f->frames; k++) {
    RITT_TRY(draw_frame(f, k));
    for (size_t i = 0; i < pixels; i++) {
      ritti_colour c = f->raster.pixel[i];
      f->now[i] = is_white(c) ? 0 : f->palette->index[cell_of(c)];
    }
    RITT_TRY(
        add_frame(out, f->now, k ? f->old : NULL, f->raster.width, f->raster.height, f->delay));
    memcpy(f->old, f->now, pixels);
  }
  ritti_text_add_bytes(out, "\x3b", 1);
  return out->status;
}

ritt_status ritti_view_write_gif(const ritti_view *v, ritti_text *out) {
  film f = {.view = v, .camera = ritti_camera_make(v, WIDTH), .delay = DELAY};
  f.frames = (size_t)(ritti_view_seconds(v) * 100 / DELAY) + 1;
  ritt_status status = ritti_raster_init(&f.raster, f.camera.width, f.camera.height);
  size_t pixels = (size_t)f.camera.width * (size_t)f.camera.height;
  f.palette = ritti_malloc(sizeof *f.palette);
  f.now = ritti_malloc(pixels);
  f.old = ritti_malloc(pixels);
  if (!f.palette || !f.now || !f.old) status = RITT_NO_MEMORY;
  if (f.palette) memset(f.palette, 0, sizeof *f.palette);
  if (status == RITT_OK) status = write_film(&f, out);
  ritti_free(f.palette);
  ritti_free(f.now);
  ritti_free(f.old);
  ritti_drawing_free(&f.drawing);
  ritti_raster_free(&f.raster);
  return status;
}
