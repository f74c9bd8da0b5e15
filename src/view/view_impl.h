/* Private to src/view: the points of a run, and the drawing of a moment. */
#ifndef RITTI_VIEW_IMPL_H
#define RITTI_VIEW_IMPL_H

#include "view/view.h"

/* A place or a look of a shape; the numbers are kept columns. */
typedef struct ritti_view_look {
  const char *word, *text;
  size_t *column;
  size_t columns;
} ritti_view_look;

typedef struct ritti_view_figure {
  const char *word;
  ritti_view_look *look;
  size_t looks;
} ritti_view_figure;

typedef struct ritti_view_curve {
  int panel;
  int dimensions;
  size_t column[3]; /* kept columns */
  const char *name[3], *unit[3];
  ritt_axis axis[2];
  const char *event;          /* NULL: the solution */
  RITTI_ARRAY(double) points; /* of the event: x, y, ... */
} ritti_view_curve;

struct ritti_view {
  ritti_arena *arena;
  const char *name, *title, *variable, *unit;
  ritti_view_figure *figure;
  size_t figures;
  ritti_view_curve *curve;
  size_t curves;
  RITTI_ARRAY(size_t) column; /* for each kept column: its column of the rows */
  RITTI_ARRAY(double) rows;   /* the kept columns, row by row */
  double *last;               /* the last point that came */
  bool pending;               /* it is not among the rows */
  size_t stride, skipped;     /* every stride-th point is kept */
  size_t most;                /* the largest number of rows */
};

static inline size_t ritti_view_rows(const ritti_view *v) {
  return v->column.count ? v->rows.count / v->column.count : 0;
}
/* Makes the last point a row. */
ritt_status ritti_view_finish(ritti_view *view) RITT_USE;

/* ---- the drawing of one moment: simple things in pixels ---- */

typedef struct ritti_colour {
  uint8_t red, green, blue;
} ritti_colour;

/* A thing to draw. Lines and areas have points, discs a centre, texts a place. */
typedef struct ritti_mark_drawn {
  enum { RITTI_LINE, RITTI_AREA, RITTI_DISC, RITTI_WORDS } kind;
  size_t first, points; /* its points in `at`: x, y pairs */
  double width;         /* of a line; the radius of a disc */
  ritti_colour colour;
  double opacity;
  double depth;  /* larger: further away */
  size_t figure; /* the shape that it belongs to */
  const char *text;
} ritti_mark_drawn;

typedef struct ritti_drawing {
  RITTI_ARRAY(ritti_mark_drawn) mark;
  RITTI_ARRAY(double) at;
} ritti_drawing;

/* The camera: how places become pixels. */
typedef struct ritti_camera {
  bool space;       /* three dimensions */
  double centre[3]; /* the middle of the picture */
  double scale;     /* pixels per unit of length */
  double azimuth, elevation;
  int width, height;
} ritti_camera;

/* Chooses a camera that shows the whole run in a picture of this width. */
ritti_camera ritti_camera_make(const ritti_view *view, int width);
/* Draws the moment between two rows: row + part, 0 <= part < 1. The marks of a shape are the same in
 * all moments, in number and kind, except for traces. */
ritt_status ritti_view_draw(const ritti_view *view, const ritti_camera *camera, size_t row,
                            double part, bool traces, ritti_drawing *out) RITT_USE;
/* The row before the fraction `at` of the run, and the part after it. */
void ritti_view_moment(const ritti_view *view, double at, size_t *row, double *part);
/* The value of a kept column between two rows. */
double ritti_view_value(const ritti_view *view, size_t column, size_t row, double part);
/* Places to pixels. */
void ritti_camera_project(const ritti_camera *camera, const double place[3], double pixel[2],
                          double *depth);
/* The place that a look gives at a moment; missing coordinates are 0. */
void ritti_view_place(const ritti_view *view, const ritti_view_look *look, size_t row, double part,
                      double place[3]);
/* A look of a shape by its word; NULL: none. */
const ritti_view_look *ritti_find_look(const ritti_view_figure *figure, const char *word);
ritti_colour ritti_view_colour(const ritti_view_figure *figure);
void ritti_drawing_free(ritti_drawing *drawing);

/* The length of the animation in seconds. */
double ritti_view_seconds(const ritti_view *view);

ritt_status ritti_view_write_svg(const ritti_view *view, ritti_text *out) RITT_USE;
ritt_status ritti_view_write_gif(const ritti_view *view, ritti_text *out) RITT_USE;

/* ---- letters as strokes ---- */

/* Gets the strokes of a character: points (x, y) with x from 0 to 4 and y from 0 (base line) to 6
 * (capitals), as digits; a blank begins a new stroke. */
const char *ritti_letter_strokes(char c);

/* The texts of the page of a run, and of the page of `ritt serve` (web/). */
extern const char *const ritti_view_script[];
extern const char *const ritti_view_style[];
extern const char *const ritti_page_text[];
extern const char *const ritti_page_script[];
extern const char *const ritti_page_style[];

#endif
