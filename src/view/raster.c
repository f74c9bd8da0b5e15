/* Drawings as pixels. A mark is first drawn into a mask, as the part of each pixel that it covers, and
 * then laid over the picture once, so that lines may cross themselves. */
#include <stdlib.h>
#include "raster.h"

ritt_status ritti_raster_init(ritti_raster *r, int width, int height) {
  *r = (ritti_raster){.width = width, .height = height};
  r->pixel = ritti_malloc((size_t)width * (size_t)height * sizeof *r->pixel);
  r->mask = ritti_malloc((size_t)width * (size_t)height);
  if (!r->pixel || !r->mask) return RITT_NO_MEMORY;
  memset(r->mask, 0, (size_t)width * (size_t)height);
  return RITT_OK;
}

void ritti_raster_free(ritti_raster *r) {
  ritti_free(r->pixel);
  ritti_free(r->mask);
  RITTI_ARRAY_FREE(r->crossing);
}

static int clamp_number(double value, int low, int high) {
  if (!(value > low)) return low;
  return value < high ? (int)value : high;
}

/* Makes a pixel of the mask at least this full. */
static void cover_pixel(ritti_raster *r, int x, int y, double part) {
  uint8_t full = (uint8_t)clamp_number(part * 255 + 0.5, 0, 255);
  uint8_t *at = &r->mask[(size_t)y * (size_t)r->width + (size_t)x];
  if (full > *at) *at = full;
}

/* A piece of a line with round ends; a disc is one without length. */
static void cover_line(ritti_raster *r, double ax, double ay, double bx, double by, double width) {
  double half = width / 2, dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy;
  int x0 = clamp_number(fmin(ax, bx) - half - 1, 0, r->width),
      x1 = clamp_number(fmax(ax, bx) + half + 2, 0, r->width);
  int y0 = clamp_number(fmin(ay, by) - half - 1, 0, r->height);
  int y1 = clamp_number(fmax(ay, by) + half + 2, 0, r->height);
  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++) {
      double px = x + 0.5 - ax, py = y + 0.5 - ay;
      double s = square > 0 ? fmin(1, fmax(0, (px * dx + py * dy) / square)) : 0;
      double distance = hypot(px - s * dx, py - s * dy);
      if (distance < half + 0.5)
        cover_pixel(r, x, y, fmin(1, half + 0.5 - distance) * fmin(1, width));
    }
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The inside of a polygon, in four lines for each row of pixels. */
static ritt_status cover_area(ritti_raster *r, const double *at, size_t points) {
  enum { LINES = 4 };
  for (int line = 0; line < r->height * LINES; line++) {
    double y = (line + 0.5) / LINES;
    r->crossing.count = 0;
    for (size_t i = 0; i < points; i++) {
      const double *a = at + 2 * i, *b = at + 2 * ((i + 1) % points);
      if ((a[1] <= y) == (b[1] <= y)) continue;
      RITT_TRY(RITTI_PUSH(r->crossing, a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])));
    }
    if (r->crossing.count < 2) continue;
    qsort(r->crossing.at, r->crossing.count, sizeof(double), compare_numbers);
    for (size_t i = 0; i + 1 < r->crossing.count; i += 2) {
      double from = r->crossing.at[i], to = r->crossing.at[i + 1];
      int x0 = clamp_number(floor(from), 0, r->width), x1 = clamp_number(ceil(to), 0, r->width);
      for (int x = x0; x < x1; x++) {
        double part = fmin(to, x + 1) - fmax(from, x);
        uint8_t *pixel = &r->mask[(size_t)(line / LINES) * (size_t)r->width + (size_t)x];
        *pixel = (uint8_t)clamp_number(*pixel + fmax(0, part) * 255 / LINES + 0.5, 0, 255);
      }
    }
  }
  return RITT_OK;
}

/* Lays the mask over the picture and empties it. */
static void lay_mask(ritti_raster *r, ritti_colour c, double opacity) {
  size_t count = (size_t)r->width * (size_t)r->height;
  for (size_t i = 0; i < count; i++) {
    if (!r->mask[i]) continue;
    double part = r->mask[i] / 255.0 * opacity;
    ritti_colour *p = &r->pixel[i];
    p->red = (uint8_t)lround(p->red + part * (c.red - p->red));
    p->green = (uint8_t)lround(p->green + part * (c.green - p->green));
    p->blue = (uint8_t)lround(p->blue + part * (c.blue - p->blue));
    r->mask[i] = 0;
  }
}

void ritti_raster_words(ritti_raster *r, double x, double y, double size, const char *text,
                        ritti_colour colour) {
  double unit = size / 6;
  for (; *text; text++, x += 6 * unit) {
    const char *s = ritti_letter_strokes(*text);
    bool down = false;
    double ax = 0, ay = 0;
    for (; *s; s++) {
      if (*s == ' ') {
        down = false;
        continue;
      }
      double bx = x + (s[0] - '0') * unit, by = y - (s[1] - '0' - 2) * unit;
      if (down) cover_line(r, ax, ay, bx, by, 1.4);
      ax = bx;
      ay = by;
      down = true;
      s++;
    }
  }
  lay_mask(r, colour, 1);
}

/* Draws one mark. */
static ritt_status draw_mark(ritti_raster *r, const ritti_drawing *d, const ritti_mark_drawn *m) {
  const double *at = d->at.at + m->first;
  switch (m->kind) {
  case RITTI_LINE:
    for (size_t i = 0; i + 1 < m->points; i++)
      cover_line(r, at[2 * i], at[2 * i + 1], at[2 * i + 2], at[2 * i + 3], m->width);
    break;
  case RITTI_DISC: cover_line(r, at[0], at[1], at[0], at[1], 2 * m->width); break;
  case RITTI_AREA: RITT_TRY(cover_area(r, at, m->points)); break;
  case RITTI_WORDS:
    ritti_raster_words(r, at[0] + 8, at[1] - 8, 9, m->text, m->colour);
    return RITT_OK;
  }
  lay_mask(r, m->colour, m->opacity);
  return RITT_OK;
}

static int compare_depths(const void *a, const void *b) {
  const ritti_mark_drawn *x = a, *y = b;
  if (x->depth != y->depth) return x->depth < y->depth ? 1 : -1;
  return (x->first > y->first) - (x->first < y->first);
}

ritt_status ritti_raster_draw(ritti_raster *r, ritti_drawing *d, bool space) {
  memset(r->pixel, 255, (size_t)r->width * (size_t)r->height * sizeof *r->pixel);
  if (space) qsort(d->mark.at, d->mark.count, sizeof *d->mark.at, compare_depths);
  for (size_t i = 0; i < d->mark.count; i++) RITT_TRY(draw_mark(r, d, &d->mark.at[i]));
  return RITT_OK;
}
