/* Views: the points of a run as data, and animations. A dot moves once from the left to the right of a
 * square frame; its place in every frame follows from that. The GIF is unpacked here by a decoder of
 * its own. */
#include <stdlib.h>
#include "check.h"
#include "view/view.h"

static const char square[] = "model square \"A <dot> & a frame\"\n"
                             "variable x\n"
                             "equation x' = 1\n"
                             "start x = -1\n"
                             "solve t = 0 .. 2\n"
                             "scene\n"
                             "  bar (-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1) width 1\n"
                             "  point (x, 0) colour \"#ff0000\"\n"
                             "plot t: x\n";

static ritt_status take_point(void *user, const double *values, size_t count) {
  (void)count;
  return ritti_view_add(user, values);
}

static ritt_status take_row(void *user, const double *values, size_t count) {
  (void)user, (void)values, (void)count;
  return RITT_OK;
}

/* The view of a model's run; NULL: it failed. */
static ritti_view *view_of(const char *text) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  ritti_view *view = NULL;
  CHECK(ritt_model_read_text(text, strlen(text), "test.ritt", error, &model) == RITT_OK);
  if (model) CHECK(ritti_view_new(model, error, &view) == RITT_OK);
  if (view) {
    ritt_options options = ritt_options_default();
    options.fine = take_point;
    options.fine_user = view;
    options.fine_points = ritti_view_fine_points(view);
    CHECK(ritt_model_run(model, &options, take_row, NULL, NULL, error) == RITT_OK);
  }
  ritt_model_free(model);
  ritt_error_free(error);
  return view;
}

static void check_data(void) {
  ritti_view *view = view_of(square);
  ritti_text out = {0};
  if (!view) return;
  CHECK(ritti_view_has_scene(view));
  CHECK(ritti_view_write_data(view, "line </script>\n", &out) == RITT_OK);

  /* nothing in the data ends a script of a page */
  CHECK(out.at && !strchr(out.at, '<'));
  CHECK(out.at && strstr(out.at, "\"title\":\"A \\u003cdot> & a frame\""));
  CHECK(out.at && strstr(out.at, "\"summary\":\"line \\u003c/script>"));
  CHECK(out.at && strstr(out.at, "\"word\":\"bar\",\"at\":[["));
  CHECK(out.at && strstr(out.at, "\"colour\":\"#ff0000\""));
  CHECK(out.at && strstr(out.at, "\"name\":[\"t\",\"x\"]"));
  ritti_text_free(&out);

  /* a page asks nobody for anything */
  CHECK(ritti_view_write_page(view, "", &out) == RITT_OK);
  CHECK(out.at && !strncmp(out.at, "<!DOCTYPE html>", 15));
  CHECK(out.at && strstr(out.at, "<title>A &lt;dot> &amp; a frame</title>"));
  CHECK(out.at && !strstr(out.at, "http:") && !strstr(out.at, "https:") && !strstr(out.at, "src="));
  ritti_text_free(&out);
  ritti_view_free(view);
}

/* ---- SVG ---- */

static void check_svg(void) {
  ritti_view *view = view_of(square);
  ritti_text out = {0};
  if (!view) return;
  CHECK(ritti_view_animate(view, RITTI_SVG, &out, NULL) == RITT_OK);

  /* the dot moves from margin to margin of 640 pixels, at half the height, in equal steps */
  const char *dot = out.at ? strstr(out.at, "<circle") : NULL;
  const char *values = dot ? strstr(dot, "attributeName=\"cx\"") : NULL;
  values = values ? strstr(values, "values=\"") : NULL;
  CHECK(values != NULL);
  double first = 0, last = 0, before = 0, before_last = 0;
  int count = 0;
  for (const char *at = values ? values + 8 : "\""; *at != '"'; at += *at == ';') {
    char *end;
    before_last = before;
    before = last;
    last = strtod(at, &end);
    if (count++ == 0) first = last;
    CHECK(end > at);
    if (end == at) break;
    at = end;
  }
  (void)before_last;
  CHECK(count == 41); /* 2 seconds, 20 frames each */
  CHECK_NEAR(first, 24, 0.11);
  CHECK_NEAR(last, 640 - 24, 0.11);
  CHECK_NEAR(last - before, (640 - 48) / 40.0, 0.11);
  CHECK(dot && strstr(dot, "cy=\"320\""));
  ritti_text_free(&out);
  ritti_view_free(view);
}

/* ---- GIF ---- */

/* Unpacks the codes of one image. Returns the number of its pixels. */
static size_t unpack(const unsigned char *bytes, size_t count, unsigned char *out, size_t room) {
  enum { CLEAR = 256, END = 257 };
  static int prefix[4096];
  static unsigned char suffix[4096], stack[4097];
  int size = 9, next = END + 1, old = -1;
  size_t written = 0, bit = 0;
  unsigned char first = 0;
  while (bit + (size_t)size <= 8 * count) {
    int code = 0;
    for (int i = 0; i < size; i++, bit++) code |= (bytes[bit / 8] >> bit % 8 & 1) << i;
    if (code == END) return written;
    if (code == CLEAR) {
      size = 9;
      next = END + 1;
      old = -1;
      continue;
    }

    /* the sequence of the code, from its end */
    int at = code, depth = 0;
    if (at > next || (at == next && old < 0)) return 0;
    if (at == next) {
      stack[depth++] = first;
      at = old;
    }
    for (; at >= 256; at = prefix[at]) stack[depth++] = suffix[at];
    first = stack[depth++] = (unsigned char)at;
    while (depth > 0) {
      if (written == room) return 0;
      out[written++] = stack[--depth];
    }
    if (old >= 0 && next < 4096) {
      prefix[next] = old;
      suffix[next++] = first;
      if (next == 1 << size && size < 12) size++;
    }
    old = code;
  }
  return 0;
}

/* The middle of the red pixels of a frame. */
static double red_middle(const unsigned char *pixel, int width, int height,
                         const unsigned char *table) {
  double sum = 0, count = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const unsigned char *c = table + 3 * pixel[y * width + x];
      if (c[0] < 200 || c[1] > 60 || c[2] > 60) continue;
      sum += x + 0.5;
      count++;
    }
  return count > 10 ? sum / count : -1;
}

static void check_gif(void) {
  ritti_view *view = view_of(square);
  ritti_text out = {0};
  if (!view) return;
  CHECK(ritti_view_animate(view, RITTI_GIF, &out, NULL) == RITT_OK);
  const unsigned char *g = (const unsigned char *)out.at;
  size_t end = out.count, at = 13 + 768;
  CHECK(g && end > at && !memcmp(g, "GIF89a", 6) && g[end - 1] == 0x3b);
  if (!g || end <= at) return;
  int width = g[6] | g[7] << 8, height = g[8] | g[9] << 8, frames = 0;
  unsigned char *screen = calloc((size_t)width, (size_t)height);
  unsigned char *part = calloc((size_t)width, (size_t)height), *packed = malloc(end);
  CHECK(width == 480 && height == 480);

  while (at < end && g[at] != 0x3b) {
    if (g[at] == 0x21) { /* an extension: its blocks */
      for (at += 2; at < end && g[at]; at += g[at] + 1u) continue;
      at++;
      continue;
    }
    CHECK(g[at] == 0x2c);
    if (g[at] != 0x2c) break;
    int left = g[at + 1] | g[at + 2] << 8, top = g[at + 3] | g[at + 4] << 8;
    int w = g[at + 5] | g[at + 6] << 8, h = g[at + 7] | g[at + 8] << 8;
    size_t bytes = 0;
    CHECK(g[at + 10] == 8 && left + w <= width && top + h <= height);
    for (at += 11; at < end && g[at]; at += g[at] + 1u) {
      memcpy(packed + bytes, g + at + 1, g[at]);
      bytes += g[at];
    }
    at++;
    CHECK(unpack(packed, bytes, part, (size_t)width * (size_t)height) == (size_t)w * (size_t)h);
    for (int y = 0; y < h; y++) memcpy(screen + (top + y) * width + left, part + y * w, (size_t)w);

    /* 2 seconds, 25 frames each: the dot is where the time says */
    double place = 24 + frames / 50.0 * (480 - 48);
    CHECK_NEAR(red_middle(screen, width, height, g + 13), place, 0.6);
    frames++;
  }
  CHECK(frames == 51);
  free(screen);
  free(part);
  free(packed);
  ritti_text_free(&out);
  ritti_view_free(view);
}

static void check_refused(void) {
  ritti_view *view =
      view_of("model m\nvariable x\nequation x' = 1\nstart x = 0\nsolve t = 0 .. 1\n");
  ritt_error *error = ritt_error_new();
  ritti_text out = {0};
  if (view) {
    CHECK(!ritti_view_has_scene(view));
    CHECK(ritti_view_animate(view, RITTI_GIF, &out, error) == RITT_WRONG_CALL);
    CHECK(ritt_error_count(error) == 1 && strstr(ritt_error_get(error, 0)->text, "no scene"));
    /* its columns are drawn over t */
    CHECK(ritti_view_write_data(view, NULL, &out) == RITT_OK);
    CHECK(out.at && strstr(out.at, "\"name\":[\"t\",\"x\"]") && strstr(out.at, "\"figures\":[]"));
  }
  ritti_text_free(&out);
  ritt_error_free(error);
  ritti_view_free(view);
  CHECK(ritti_animation_of_path("a.svg") == RITTI_SVG);
  CHECK(ritti_animation_of_path("b/a.gif") == RITTI_GIF);
  CHECK(ritti_animation_of_path("a.mp4") == RITTI_MP4);
  CHECK(ritti_animation_of_path("b/.gif") == RITTI_NO_ANIMATION);
  CHECK(ritti_animation_of_path("a.png") == RITTI_NO_ANIMATION);
}

/* The rows of the table are the same with and without the scene. */
static double ends[2];
static ritt_status keep_last(void *user, const double *values, size_t count) {
  (void)count;
  *(double *)user = values[1];
  return RITT_OK;
}

static void check_same(void) {
  ritt_error *error = ritt_error_new();
  for (int shown = 0; shown < 2; shown++) {
    ritt_model *model = NULL;
    const ritt_figure *figure;
    size_t count;
    CHECK(ritt_model_read_text(square, strlen(square), "test.ritt", error, &model) == RITT_OK);
    if (shown) CHECK(ritt_model_scene(model, error, &figure, &count) == RITT_OK && count == 2);
    if (model) CHECK(ritt_model_run(model, NULL, keep_last, &ends[shown], NULL, error) == RITT_OK);
    if (shown) CHECK(ritt_model_scene(model, error, &figure, &count) == RITT_OK && count == 2);
    ritt_model_free(model);
  }
  CHECK(ends[0] == ends[1] && fabs(ends[0] - 1) < 1e-12);
  ritt_error_free(error);
}

int main(void) {
  check_data();
  check_svg();
  check_gif();
  check_refused();
  check_same();
  return CHECKS_DONE();
}
