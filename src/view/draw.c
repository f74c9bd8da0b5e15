/* A moment of the scene as lines, areas, discs and words in pixels: what the SVG and the GIF show.
 * The page has the same drawings in view.js, where the viewer may turn them. */
#include <stdlib.h>
#include "view_impl.h"

static const double FULL_TURN = 6.283185307179586;

/* ---- moments ---- */

double ritti_view_value(const ritti_view *v, size_t column, size_t row, double part) {
  size_t n = v->column.count;
  double a = v->rows.at[row * n + column];
  if (part == 0 || row + 1 >= ritti_view_rows(v)) return a;
  return a + (v->rows.at[(row + 1) * n + column] - a) * part;
}

void ritti_view_moment(const ritti_view *v, double at, size_t *row, double *part) {
  size_t n = v->column.count, rows = ritti_view_rows(v), low = 0, high = rows - 1;
  double first = v->rows.at[0], last = v->rows.at[high * n], x = first + at * (last - first);
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    double here = v->rows.at[middle * n];
    bool before = last >= first ? here <= x : here >= x;
    if (before) low = middle;
    else high = middle;
  }
  double a = v->rows.at[low * n], b = v->rows.at[high * n];
  *row = low;
  *part = b != a ? fmin(1, fmax(0, (x - a) / (b - a))) : 0;
}

void ritti_view_place(const ritti_view *v, const ritti_view_look *look, size_t row, double part,
                      double place[3]) {
  for (size_t i = 0; i < 3; i++)
    place[i] = i < look->columns ? ritti_view_value(v, look->column[i], row, part) : 0;
}

const ritti_view_look *ritti_find_look(const ritti_view_figure *f, const char *word) {
  for (size_t i = 0; i < f->looks; i++)
    if (!strcmp(f->look[i].word, word)) return &f->look[i];
  return NULL;
}

/* A number that a look gives, or another one if the shape has no such look. */
static double number_of(const ritti_view *v, const ritti_view_figure *f, const char *word,
                        size_t row, double part, double otherwise) {
  const ritti_view_look *look = ritti_find_look(f, word);
  return look ? ritti_view_value(v, look->column[0], row, part) : otherwise;
}

double ritti_view_seconds(const ritti_view *v) {
  size_t n = v->column.count, rows = ritti_view_rows(v);
  double length = rows ? fabs(v->rows.at[(rows - 1) * n] - v->rows.at[0]) : 0;
  return length >= 2 && length <= 12 ? length : 8;
}

/* ---- colours ---- */

ritti_colour ritti_view_colour(const ritti_view_figure *f) {
  static const struct {
    const char *word;
    ritti_colour colour;
  } names[] = {{"blue", {0x00, 0x72, 0xb2}},    {"orange", {0xd5, 0x5e, 0x00}},
               {"green", {0x00, 0x9e, 0x73}},   {"pink", {0xcc, 0x79, 0xa7}},
               {"sky", {0x56, 0xb4, 0xe9}},     {"yellow", {0xe6, 0x9f, 0x00}},
               {"grey", {0x7d, 0x86, 0x94}},    {"red", {0xc8, 0x10, 0x2e}},
               {"black", {0x1d, 0x23, 0x30}},   {"white", {0xff, 0xff, 0xff}},
               {"point", {0xd5, 0x5e, 0x00}},   {"bar", {0x1d, 0x23, 0x30}},
               {"polygon", {0x56, 0xb4, 0xe9}}, {"circle", {0x00, 0x72, 0xb2}},
               {"spring", {0x7d, 0x86, 0x94}},  {"trace", {0x00, 0x72, 0xb2}},
               {"arrow", {0xc8, 0x10, 0x2e}},   {"sphere", {0xd5, 0x5e, 0x00}},
               {"box", {0x56, 0xb4, 0xe9}},     {"label", {0x1d, 0x23, 0x30}}};
  const ritti_view_look *look = ritti_find_look(f, "colour");
  const char *word = look ? look->text : f->word;
  if (word[0] == '#') {
    unsigned long rgb = strtoul(word + 1, NULL, 16);
    return (ritti_colour){(uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8), (uint8_t)rgb};
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i].word, word)) return names[i].colour;
  return names[0].colour;
}

/* ---- the camera ---- */

/* Widens the box by a place with a radius. */
static void extend_box(double low[3], double high[3], const double place[3], double radius) {
  for (int k = 0; k < 3; k++) {
    if (!isfinite(place[k])) continue;
    low[k] = fmin(low[k], place[k] - radius);
    high[k] = fmax(high[k], place[k] + radius);
  }
}

/* The box that contains all shapes at all times. */
static void find_box(const ritti_view *v, double low[3], double high[3]) {
  for (int k = 0; k < 3; k++) {
    low[k] = INFINITY;
    high[k] = -INFINITY;
  }
  for (size_t row = 0; row < ritti_view_rows(v); row++)
    for (size_t i = 0; i < v->figures; i++) {
      const ritti_view_figure *f = &v->figure[i];
      const ritti_view_look *size = ritti_find_look(f, "size"),
                            *along = ritti_find_look(f, "along");
      bool spring = !strcmp(f->word, "spring");
      double radius = spring ? 0 : number_of(v, f, "radius", row, 0, 0), place[3], more[3];
      if (size) {
        ritti_view_place(v, size, row, 0, more);
        radius = sqrt(more[0] * more[0] + more[1] * more[1] + more[2] * more[2]) / 2;
      }
      for (size_t k = 0; k < f->looks; k++) {
        if (strcmp(f->look[k].word, "at")) continue;
        ritti_view_place(v, &f->look[k], row, 0, place);
        extend_box(low, high, place, radius);
      }
      if (strcmp(f->word, "arrow")) continue;
      ritti_view_place(v, along, row, 0, more);
      for (int k = 0; k < 3; k++) place[k] += more[k];
      extend_box(low, high, place, 0);
    }
  for (int k = 0; k < 3; k++)
    if (!(low[k] <= high[k])) low[k] = high[k] = 0;
}

ritti_camera ritti_camera_make(const ritti_view *v, int width) {
  double margin = 24;
  ritti_camera c = {.width = width, .azimuth = -0.9, .elevation = 0.35};
  double low[3], high[3], size[3];
  find_box(v, low, high);
  for (size_t i = 0; i < v->figures; i++) {
    const ritti_view_look *text = ritti_find_look(&v->figure[i], "text");
    if (text) margin = fmax(margin, fmin(24 + 9 * (double)strlen(text->text), 120));
    c.space |= v->figure[i].look[0].columns == 3;
  }
  for (int k = 0; k < 3; k++) {
    c.centre[k] = (low[k] + high[k]) / 2;
    size[k] = high[k] - low[k];
  }

  /* in space a square picture shows a ball round everything */
  double inner = width - 2 * margin;
  double ball = sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
  if (c.space || ball == 0) {
    c.height = width;
    c.scale = inner / (ball > 0 ? ball : 4);
    return c;
  }

  /* in the plane the picture has the shape of the scene, within limits */
  double ratio = fmin(1.3, fmax(0.4, size[1] / fmax(size[0], 1e-300)));
  c.height = (int)lround(inner * ratio + 2 * margin);
  c.height += c.height % 2;
  double up = size[1] > 0 ? (c.height - 2 * margin) / size[1] : INFINITY;
  double across = size[0] > 0 ? inner / size[0] : INFINITY;
  c.scale = fmin(up, across);
  return c;
}

void ritti_camera_project(const ritti_camera *c, const double place[3], double pixel[2],
                          double *depth) {
  double a = place[0] - c->centre[0], b = place[1] - c->centre[1], h = place[2] - c->centre[2];
  if (!c->space) {
    pixel[0] = c->width / 2.0 + c->scale * a;
    pixel[1] = c->height / 2.0 - c->scale * b;
    *depth = 0;
    return;
  }
  double near = cos(c->azimuth) * a + sin(c->azimuth) * b;
  double right = cos(c->azimuth) * b - sin(c->azimuth) * a;
  pixel[0] = c->width / 2.0 + c->scale * right;
  pixel[1] = c->height / 2.0 - c->scale * (cos(c->elevation) * h - sin(c->elevation) * near);
  *depth = -(cos(c->elevation) * near + sin(c->elevation) * h);
}

/* ---- marks ---- */

/* A shape at a moment, while it is drawn. */
typedef struct pencil {
  const ritti_view *view;
  const ritti_camera *camera;
  const ritti_view_figure *figure;
  size_t row;
  double part;
  ritti_drawing *out;
  size_t number; /* of the shape */
  ritt_status status;
} pencil;

/* Begins a mark; its points follow. */
static ritti_mark_drawn *begin_mark(pencil *p, int kind, double width, double opacity) {
  static ritti_mark_drawn none;
  ritti_mark_drawn m = {.first = p->out->at.count,
                        .width = width,
                        .opacity = opacity,
                        .colour = ritti_view_colour(p->figure),
                        .figure = p->number};
  m.kind = kind;
  if (p->status == RITT_OK) p->status = RITTI_PUSH(p->out->mark, m);
  return p->status == RITT_OK ? &p->out->mark.at[p->out->mark.count - 1] : &none;
}

/* Adds a point in pixels to the last mark. */
static void add_pixel(pencil *p, double x, double y) {
  if (p->status == RITT_OK) p->status = RITTI_PUSH(p->out->at, isfinite(x) ? x : -1e4);
  if (p->status == RITT_OK) p->status = RITTI_PUSH(p->out->at, isfinite(y) ? y : -1e4);
  if (p->status == RITT_OK) p->out->mark.at[p->out->mark.count - 1].points++;
}

/* Adds a place to the last mark. */
static void add_place(pencil *p, const double place[3]) {
  double pixel[2], depth;
  ritti_camera_project(p->camera, place, pixel, &depth);
  add_pixel(p, pixel[0], pixel[1]);
  if (p->status == RITT_OK) p->out->mark.at[p->out->mark.count - 1].depth = depth;
}

/* The first look `word` of the shape as a vector. */
static void get_vector(const pencil *p, const char *word, double out[3]) {
  ritti_view_place(p->view, ritti_find_look(p->figure, word), p->row, p->part, out);
}

static double get_number(const pencil *p, const char *word, double otherwise) {
  return number_of(p->view, p->figure, word, p->row, p->part, otherwise);
}

/* Turns a vector by the look `turned`, if the shape has one. */
static void turn_vector(const pencil *p, double v[3]) {
  const ritti_view_look *look = ritti_find_look(p->figure, "turned");
  if (!look) return;
  double m[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, value[9], old[3] = {v[0], v[1], v[2]};
  for (size_t i = 0; i < look->columns && i < 9; i++)
    value[i] = ritti_view_value(p->view, look->column[i], p->row, p->part);
  if (look->columns == 1) {
    m[0] = m[4] = cos(value[0]);
    m[3] = sin(value[0]);
    m[1] = -m[3];
  } else if (look->columns == 4) {
    m[0] = value[0], m[1] = value[1];
    m[3] = value[2], m[4] = value[3];
  } else memcpy(m, value, sizeof m);
  for (int i = 0; i < 3; i++)
    v[i] = m[3 * i] * old[0] + m[3 * i + 1] * old[1] + m[3 * i + 2] * old[2];
}

/* Adds all places of the shape to the last mark. */
static void add_places(pencil *p, bool closed) {
  double place[3], first[3];
  get_vector(p, "at", first);
  for (size_t k = 0; k < p->figure->looks; k++) {
    if (strcmp(p->figure->look[k].word, "at")) continue;
    ritti_view_place(p->view, &p->figure->look[k], p->row, p->part, place);
    add_place(p, place);
  }
  if (closed) add_place(p, first);
}

/* The point at an angle of a circle round `centre`, in the plane of e and h. */
static void add_round(pencil *p, const double centre[3], double radius, const double e[3],
                      const double h[3], double angle) {
  double place[3];
  for (int k = 0; k < 3; k++)
    place[k] = centre[k] + radius * (cos(angle) * e[k] + sin(angle) * h[k]);
  add_place(p, place);
}

static void draw_circle(pencil *p) {
  enum { CORNERS = 48 };
  double centre[3], e[3] = {1, 0, 0}, h[3] = {0, 1, 0}, radius = get_number(p, "radius", 0);
  get_vector(p, "at", centre);

  /* two directions across the axis */
  if (ritti_find_look(p->figure, "along")) {
    double n[3], size;
    get_vector(p, "along", n);
    size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) n[k] /= size > 0 ? size : 1;
    bool steep = fabs(n[2]) >= 0.9;
    e[0] = steep ? 0 : -n[1];
    e[1] = steep ? -n[2] : n[0];
    e[2] = steep ? n[1] : 0;
    size = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    for (int k = 0; k < 3; k++) e[k] /= size > 0 ? size : 1;
    h[0] = n[1] * e[2] - n[2] * e[1];
    h[1] = n[2] * e[0] - n[0] * e[2];
    h[2] = n[0] * e[1] - n[1] * e[0];
  }
  turn_vector(p, e);
  turn_vector(p, h);

  /* the disc, its edge and a spoke */
  for (int edge = 0; edge < 2; edge++) {
    begin_mark(p, edge ? RITTI_LINE : RITTI_AREA, 2, edge ? 1 : 0.22);
    for (int k = 0; k <= CORNERS; k++) add_round(p, centre, radius, e, h, k * FULL_TURN / CORNERS);
  }
  if (!ritti_find_look(p->figure, "turned")) return;
  begin_mark(p, RITTI_LINE, 2, 1);
  add_place(p, centre);
  add_round(p, centre, radius, e, h, 0);
}

static void draw_spring(pencil *p) {
  enum { TURNS = 10 };
  static const double END = 0.12;
  const ritti_view_look *at[2];
  size_t found = 0;
  for (size_t k = 0; k < p->figure->looks && found < 2; k++)
    if (!strcmp(p->figure->look[k].word, "at")) at[found++] = &p->figure->look[k];

  double a[3], b[3], s[2], e[2], depth;
  ritti_view_place(p->view, at[0], p->row, p->part, a);
  ritti_view_place(p->view, at[1], p->row, p->part, b);
  ritti_camera_project(p->camera, a, s, &depth);
  ritti_camera_project(p->camera, b, e, &depth);
  double dx = e[0] - s[0], dy = e[1] - s[1], length = sqrt(dx * dx + dy * dy);
  double wide =
      ritti_find_look(p->figure, "radius") ? get_number(p, "radius", 0) * p->camera->scale : 6;
  if (!(length > 0)) length = 1;

  /* a straight end, the turns, a straight end */
  begin_mark(p, RITTI_LINE, 1.8, 1)->depth = depth;
  add_pixel(p, s[0], s[1]);
  add_pixel(p, s[0] + END * dx, s[1] + END * dy);
  for (int k = 0; k < 2 * TURNS; k++) {
    double part = END + (1 - 2 * END) * (k + 0.5) / (2 * TURNS), side = k % 2 ? -wide : wide;
    add_pixel(p, s[0] + part * dx - side * dy / length, s[1] + part * dy + side * dx / length);
  }
  add_pixel(p, s[0] + (1 - END) * dx, s[1] + (1 - END) * dy);
  add_pixel(p, e[0], e[1]);
}

static void draw_arrow(pencil *p) {
  double a[3], v[3], s[2], e[2], depth, width = get_number(p, "width", 2.5);
  get_vector(p, "at", a);
  get_vector(p, "along", v);
  ritti_camera_project(p->camera, a, s, &depth);
  for (int k = 0; k < 3; k++) a[k] += v[k];
  ritti_camera_project(p->camera, a, e, &depth);
  double dx = e[0] - s[0], dy = e[1] - s[1], length = sqrt(dx * dx + dy * dy);
  double ux = length > 0 ? dx / length : 1, uy = length > 0 ? dy / length : 0;
  double tip = fmin(length, 4 * width + 4);

  begin_mark(p, RITTI_LINE, width, 1)->depth = depth;
  add_pixel(p, s[0], s[1]);
  add_pixel(p, e[0] - 0.8 * tip * ux, e[1] - 0.8 * tip * uy);
  begin_mark(p, RITTI_AREA, 0, 1)->depth = depth;
  add_pixel(p, e[0], e[1]);
  add_pixel(p, e[0] - tip * (ux + uy / 2.4), e[1] - tip * (uy - ux / 2.4));
  add_pixel(p, e[0] - tip * (ux - uy / 2.4), e[1] - tip * (uy + ux / 2.4));
}

/* A box: in the plane one side, in space its six sides. */
static void draw_box(pencil *p) {
  static const int sides[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                  {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
  double centre[3], size[3], corner[8][3];
  get_vector(p, "at", centre);
  get_vector(p, "size", size);
  for (int i = 0; i < 8; i++) {
    for (int k = 0; k < 3; k++) corner[i][k] = (i >> k & 1 ? 1 : -1) * size[k] / 2;
    turn_vector(p, corner[i]);
    for (int k = 0; k < 3; k++) corner[i][k] += centre[k];
  }
  int count = p->camera->space ? 6 : 1;
  for (int i = 0; i < count; i++)
    for (int edge = 0; edge < 2; edge++) {
      begin_mark(p, edge ? RITTI_LINE : RITTI_AREA, 1.5, edge ? 1 : 0.35);
      for (int k = 0; k < 4 + edge; k++) add_place(p, corner[sides[i][k % 4]]);
    }
}

static void draw_trace(pencil *p) {
  enum { MOST = 3000 };
  const ritti_view *v = p->view;
  size_t n = v->column.count, from = 0;
  double length = get_number(p, "length", INFINITY), place[3];
  double now = ritti_view_value(v, 0, p->row, p->part);
  while (from < p->row && fabs(now - v->rows.at[from * n]) > length) from++;
  size_t step = (p->row - from) / MOST + 1;
  begin_mark(p, RITTI_LINE, get_number(p, "width", 1.5), 0.6);
  for (size_t row = from; row <= p->row; row += step) {
    ritti_view_place(v, ritti_find_look(p->figure, "at"), row, 0, place);
    add_place(p, place);
  }
  add_places(p, false);
}

static void draw_figure(pencil *p) {
  const char *word = p->figure->word;
  double small = p->view->figures > 400 ? 0.5 : 1, place[3];
  if (!strcmp(word, "point") || !strcmp(word, "sphere")) {
    double radius = get_number(p, "radius", -1) * p->camera->scale;
    get_vector(p, "at", place);
    begin_mark(p, RITTI_DISC, radius < 0 ? 5 * small : radius, 1);
    add_place(p, place);
  } else if (!strcmp(word, "bar")) {
    begin_mark(p, RITTI_LINE, get_number(p, "width", 4 * small), 1);
    add_places(p, false);
  } else if (!strcmp(word, "polygon")) {
    begin_mark(p, RITTI_AREA, 0, 0.4);
    add_places(p, false);
    begin_mark(p, RITTI_LINE, 1.8, 1);
    add_places(p, true);
  } else if (!strcmp(word, "label")) {
    get_vector(p, "at", place);
    begin_mark(p, RITTI_WORDS, 0, 1)->text = ritti_find_look(p->figure, "text")->text;
    add_place(p, place);
  } else if (!strcmp(word, "circle")) draw_circle(p);
  else if (!strcmp(word, "spring")) draw_spring(p);
  else if (!strcmp(word, "arrow")) draw_arrow(p);
  else if (!strcmp(word, "box")) draw_box(p);
  else if (!strcmp(word, "trace")) draw_trace(p);
}

ritt_status ritti_view_draw(const ritti_view *v, const ritti_camera *camera, size_t row,
                            double part, bool traces, ritti_drawing *out) {
  out->mark.count = out->at.count = 0;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < v->figures; i++) {
      bool trace = !strcmp(v->figure[i].word, "trace");
      if (trace != (pass == 0) || (trace && !traces)) continue;
      pencil p = {.view = v,
                  .camera = camera,
                  .figure = &v->figure[i],
                  .row = row,
                  .part = part,
                  .out = out,
                  .number = i};
      draw_figure(&p);
      RITT_TRY(p.status);
    }
  return RITT_OK;
}

void ritti_drawing_free(ritti_drawing *drawing) {
  RITTI_ARRAY_FREE(drawing->mark);
  RITTI_ARRAY_FREE(drawing->at);
}
