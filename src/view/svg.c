/* The scene as an animated SVG. Each mark is one element whose points change from frame to frame. A
 * trace is its whole curve, of which the part up to the present is shown by its dashes. */
#include <stdio.h>
#include "view_impl.h"

enum { WIDTH = 640, FRAMES_PER_SECOND = 20, MOST_NUMBERS = 2000000 };

/* Adds a text of the picture. */
static void add_words(ritti_text *out, const char *text) {
  for (const char *c = text; *c; c++) {
    if (*c == '<') ritti_text_add(out, "&lt;");
    else if (*c == '&') ritti_text_add(out, "&amp;");
    else ritti_text_add_bytes(out, c, 1);
  }
}

/* Adds a number of pixels with one digit after the point. */
static void add_pixels(ritti_text *out, double value) {
  double tenths = round(10 * value);
  if (tenths == 10 * round(value)) ritti_text_add(out, "%.0f", tenths / 10 + 0.0);
  else ritti_text_add(out, "%.1f", tenths / 10);
}

/* The points of a mark, "x,y x,y". */
static void add_points(ritti_text *out, const ritti_drawing *d, const ritti_mark_drawn *m) {
  for (size_t i = 0; i < m->points; i++) {
    if (i) ritti_text_add(out, " ");
    add_pixels(out, d->at.at[m->first + 2 * i]);
    ritti_text_add(out, ",");
    add_pixels(out, d->at.at[m->first + 2 * i + 1]);
  }
}

/* Adds one attribute that changes: its name and its value in each frame. What: 0 x, 1 y, 2 all
 * points, 3 the radius. */
static void add_animate(ritti_text *out, const ritti_drawing *frame, size_t frames, size_t mark,
                        const char *attribute, int what, double seconds) {
  ritti_text_add(out,
                 "<animate attributeName=\"%s\" dur=\"%.3gs\" repeatCount=\"indefinite\" values=\"",
                 attribute, seconds);
  for (size_t k = 0; k < frames; k++) {
    const ritti_mark_drawn *m = &frame[k].mark.at[mark];
    if (k) ritti_text_add(out, ";");
    if (what == 2) add_points(out, &frame[k], m);
    else if (what == 3) add_pixels(out, m->width);
    else add_pixels(out, frame[k].at.at[m->first + (size_t)what]);
  }
  ritti_text_add(out, "\"/>");
}

/* Are all numbers of a mark the same in all frames? */
static bool is_still(const ritti_drawing *frame, size_t frames, size_t mark) {
  const ritti_mark_drawn *a = &frame[0].mark.at[mark];
  for (size_t k = 1; k < frames; k++) {
    const ritti_mark_drawn *b = &frame[k].mark.at[mark];
    if (a->width != b->width) return false;
    for (size_t i = 0; i < 2 * a->points; i++)
      if (fabs(frame[0].at.at[a->first + i] - frame[k].at.at[b->first + i]) > 0.05) return false;
  }
  return true;
}

/* Adds an element with its animations. */
static void add_mark(ritti_text *out, const ritti_drawing *frame, size_t frames, size_t mark,
                     double seconds) {
  const ritti_drawing *d = &frame[0];
  const ritti_mark_drawn *m = &d->mark.at[mark];
  const double *at = d->at.at + m->first;
  bool still = is_still(frame, frames, mark);
  char colour[8];
  snprintf(colour, sizeof colour, "#%02x%02x%02x", m->colour.red, m->colour.green, m->colour.blue);

  if (m->kind == RITTI_DISC || m->kind == RITTI_WORDS) {
    bool disc = m->kind == RITTI_DISC;
    double shift = disc ? 0 : 8;
    if (disc) ritti_text_add(out, "<circle r=\"%.3g\" cx=\"", m->width);
    else ritti_text_add(out, "<text transform=\"translate(%g,%g)\" x=\"", shift, -shift);
    add_pixels(out, at[0]);
    ritti_text_add(out, disc ? "\" cy=\"" : "\" y=\"");
    add_pixels(out, at[1]);
    ritti_text_add(out, "\" fill=\"%s\">", colour);
    if (!disc) add_words(out, m->text);
    if (!still) {
      add_animate(out, frame, frames, mark, disc ? "cx" : "x", 0, seconds);
      add_animate(out, frame, frames, mark, disc ? "cy" : "y", 1, seconds);
    }
    ritti_text_add(out, disc ? "</circle>\n" : "</text>\n");
    return;
  }

  bool line = m->kind == RITTI_LINE;
  ritti_text_add(out, line ? "<polyline points=\"" : "<polygon points=\"");
  add_points(out, d, m);
  if (line)
    ritti_text_add(out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.3g\">", colour, m->width);
  else ritti_text_add(out, "\" fill=\"%s\" fill-opacity=\"%.3g\">", colour, m->opacity);
  if (!still) add_animate(out, frame, frames, mark, "points", 2, seconds);
  ritti_text_add(out, line ? "</polyline>\n" : "</polygon>\n");
}

/* Adds a trace: its whole curve, shown up to the present. */
static ritt_status add_trace(ritti_text *out, const ritti_view *v, const ritti_camera *camera,
                             const ritti_view_figure *f, size_t frames, double seconds) {
  enum { MOST_POINTS = 2000 };
  size_t rows = ritti_view_rows(v), step = rows / MOST_POINTS + 1;
  const ritti_view_look *at = ritti_find_look(f, "at"), *length = ritti_find_look(f, "length");
  RITTI_ARRAY(double) along = {0}; /* the length of the curve up to each of its points */
  double place[3], pixel[2], last[2] = {0, 0}, depth, total = 0;
  ritti_colour c = ritti_view_colour(f);

  /* the curve */
  ritti_text_add(out,
                 "<polyline fill=\"none\" stroke=\"#%02x%02x%02x\" stroke-opacity=\"0.6\" "
                 "stroke-width=\"1.5\" points=\"",
                 c.red, c.green, c.blue);
  for (size_t row = 0; row < rows; row += step) {
    ritti_view_place(v, at, row, 0, place);
    ritti_camera_project(camera, place, pixel, &depth);
    for (int k = 0; k < 2; k++) pixel[k] = round(10 * pixel[k]) / 10;
    if (row) total += hypot(pixel[0] - last[0], pixel[1] - last[1]);
    ritt_status status = RITTI_PUSH(along, total);
    if (status != RITT_OK) {
      RITTI_ARRAY_FREE(along);
      return status;
    }
    if (row) ritti_text_add(out, " ");
    add_pixels(out, pixel[0]);
    ritti_text_add(out, ",");
    add_pixels(out, pixel[1]);
    last[0] = pixel[0];
    last[1] = pixel[1];
  }

  /* the dashes: nothing, a gap up to its beginning, the part that is seen, a gap */
  ritti_text_add(out,
                 "\"><animate attributeName=\"stroke-dasharray\" dur=\"%.3gs\" "
                 "repeatCount=\"indefinite\" values=\"",
                 seconds);
  double first = v->rows.at[0], end = v->rows.at[(rows - 1) * v->column.count];
  double shown = length ? ritti_view_value(v, length->column[0], 0, 0) / fabs(end - first) : 2;
  for (size_t k = 0; k < frames; k++) {
    double now = (double)k / (double)(frames - 1), edge[2] = {fmax(0, now - shown), now};
    for (int i = 0; i < 2; i++) {
      size_t row;
      double part;
      ritti_view_moment(v, edge[i], &row, &part);
      size_t point = row / step;
      double rest = ((double)(row % step) + part) / (double)step;
      double next = point + 1 < along.count ? along.at[point + 1] : along.at[point];
      edge[i] = along.at[point] + rest * (next - along.at[point]);
    }
    ritti_text_add(out, "%s0 %.1f %.1f %.1f", k ? ";" : "", edge[0], edge[1] - edge[0], total + 1);
  }
  ritti_text_add(out, "\"/></polyline>\n");
  RITTI_ARRAY_FREE(along);
  return RITT_OK;
}

/* Writes the picture from its frames. */
static ritt_status write_frames(const ritti_view *v, const ritti_camera *c,
                                const ritti_drawing *frame, size_t frames, double seconds,
                                ritti_text *out) {
  ritti_text_add(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                 "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"15\" "
                 "stroke-linejoin=\"round\" stroke-linecap=\"round\">\n<title>",
                 c->width, c->height, c->width, c->height);
  add_words(out, v->title);
  ritti_text_add(out, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
  for (size_t i = 0; i < v->figures; i++)
    if (!strcmp(v->figure[i].word, "trace"))
      RITT_TRY(add_trace(out, v, c, &v->figure[i], frames, seconds));
  for (size_t i = 0; i < frame[0].mark.count; i++) add_mark(out, frame, frames, i, seconds);
  ritti_text_add(out, "</svg>\n");
  return out->status;
}

ritt_status ritti_view_write_svg(const ritti_view *v, ritti_text *out) {
  ritti_camera camera = ritti_camera_make(v, WIDTH);
  double seconds = ritti_view_seconds(v);
  size_t frames = (size_t)(seconds * FRAMES_PER_SECOND) + 1;

  /* fewer frames if there are many shapes */
  ritti_drawing one = {0};
  ritt_status status = ritti_view_draw(v, &camera, 0, 0, false, &one);
  while (frames > 40 && frames * (one.at.count + 1) > MOST_NUMBERS) frames = frames * 3 / 4;
  ritti_drawing_free(&one);
  RITT_TRY(status);

  ritti_drawing *frame = ritti_malloc(frames * sizeof *frame);
  if (!frame) return RITT_NO_MEMORY;
  memset(frame, 0, frames * sizeof *frame);
  for (size_t k = 0; k < frames && status == RITT_OK; k++) {
    size_t row;
    double part;
    ritti_view_moment(v, (double)k / (double)(frames - 1), &row, &part);
    status = ritti_view_draw(v, &camera, row, part, false, &frame[k]);
  }
  if (status == RITT_OK) status = write_frames(v, &camera, frame, frames, seconds, out);
  for (size_t k = 0; k < frames; k++) ritti_drawing_free(&frame[k]);
  ritti_free(frame);
  return status;
}
