/* Reduces curves of any number of rows to the points that the eye can distinguish. Two passes read
 * the rows: one for the ranges, one for the points. A graph (x never turns back) is divided into
 * many narrow strips, of which the first, lowest, highest and last points are kept: a line through
 * them covers the same pixels as the line through all points. Of other curves, a point is dropped
 * if the eye cannot distinguish it from the last point kept; when many points have been kept, a
 * piece of the curve is dropped if it only runs through cells that the curve has already visited.
 * So the number of strips or cells bounds the number of points. Values that are not finite leave a
 * gap. */
#include "output_impl.h"

enum {
  STRIPS = 2000, /* strips of a graph */
  SIGHT = 2000,  /* distances that the eye can distinguish on an axis */
  CELLS = 800,   /* cells along each axis of the picture */
  MANY = 20000   /* points that are kept before cells are checked */
};

/* The state of one curve during a pass. */
typedef struct reducer {
  const ritti_plot_curve *curve;
  ritti_points *out;
  double sense;   /* direction of x in a graph: 1 or -1; 0: not known yet */
  double last[3]; /* the last finite row */
  bool has_last;
  double kept[3]; /* the last point kept */
  bool has_kept;
  bool lifted; /* the piece up to `kept` was dropped: the next piece starts a new line */
  /* the current strip of a graph: its first, lowest, highest and last points and their order */
  double strip[4][3];
  long when[4], strip_number, count;
  /* CELLS x CELLS: 1 if the curve has visited the cell; twice in space: as it is seen, and its shadow
   * on the floor */
  unsigned char *cell;
} reducer;

/* Widens a range so that it includes a value. */
static void widen_range(ritti_range *r, double value) {
  if (value < r->low) r->low = value;
  if (value > r->high) r->high = value;
}

/* Takes the curve's values from the row; false if one of them is not finite. */
static bool take_values(const ritti_plot_curve *c, const double *row, double *p) {
  bool finite = true;
  for (int i = 0; i < c->dimensions; i++) finite &= isfinite(p[i] = row[c->column[i]]) != 0;
  return finite;
}

/* ---- ranges ---- */

/* First pass: widens the ranges and finds out whether the curve is a graph. */
static void measure_row(reducer *r, const double *row) {
  ritti_points *out = r->out;
  double p[3] = {0};
  if (!take_values(r->curve, row, p)) return;
  for (int i = 0; i < out->dimensions; i++) widen_range(&out->range[i], p[i]);
  if (out->rows++ == 0) memcpy(out->first, p, sizeof p);
  memcpy(out->last, p, sizeof p);
  if (p[0] > 0) out->positive = fmin(out->positive, p[0]);

  /* x turns back if its direction changes */
  if (r->has_last && p[0] != r->last[0]) {
    double sense = p[0] > r->last[0] ? 1 : -1;
    if (r->sense == -sense) out->graph = false;
    r->sense = sense;
  }
  memcpy(r->last, p, sizeof p);
  r->has_last = true;
}

/* ---- points ---- */

/* Adds a point to the result. */
static ritt_status push_point(reducer *r, const double *p) {
  for (int i = 0; i < r->out->dimensions; i++) RITT_TRY(RITTI_PUSH(r->out->at, p[i]));
  return RITT_OK;
}

/* Ends the line in the result. */
static ritt_status push_gap(reducer *r) { return push_point(r, (double[]){NAN, NAN, NAN}); }

/* Adds the points of the strip in their original order, each of them once. */
static ritt_status end_strip(reducer *r) {
  for (long last = -1; r->count > 0;) {
    int next = -1;
    for (int i = 0; i < 4; i++)
      if (r->when[i] > last && (next < 0 || r->when[i] < r->when[next])) next = i;
    if (next < 0) break;
    RITT_TRY(push_point(r, r->strip[next]));
    last = r->when[next];
  }
  r->count = 0;
  return RITT_OK;
}

/* Sets one of the four points of the strip. */
static void set_strip(reducer *r, int i, const double *p) {
  memcpy(r->strip[i], p, sizeof r->strip[i]);
  r->when[i] = r->count;
}

/* The strip of a value of x: strips divide the part of the axis that is drawn. */
static long find_strip(const reducer *r, double x) {
  const ritti_range *range = &r->out->range[0];
  double low = range->low, high = range->high;
  const ritt_axis *axis = &r->curve->axis[0];
  if (axis->ranged) {
    low = axis->low;
    high = axis->high;
  }
  if (axis->logarithmic) {
    if (!(low > 0)) low = fmin(r->out->positive, high);
    if (!(x > 0)) return -1;
    x = log(x);
    low = log(low);
    high = log(high);
  }
  if (!(high > low)) return 0;
  return (long)fmin(fmax((x - low) / (high - low) * STRIPS, -1), STRIPS + 1);
}

/* Second pass, for graphs. */
static ritt_status add_to_graph(reducer *r, const double *p) {
  long strip = find_strip(r, p[0]);
  if (strip != r->strip_number) RITT_TRY(end_strip(r));
  r->strip_number = strip;
  if (r->count == 0)
    for (int i = 0; i < 3; i++) set_strip(r, i, p);
  if (p[1] < r->strip[1][1]) set_strip(r, 1, p);
  if (p[1] > r->strip[2][1]) set_strip(r, 2, p);
  set_strip(r, 3, p);
  r->count++;
  return RITT_OK;
}

/* Computes where a point is seen, or its shadow: its cell in the picture, as real numbers. */
static void locate_point(const reducer *r, const double *p, bool shadow, double *u, double *v) {
  /* scale each axis to 0 .. 1 */
  double q[3] = {0};
  for (int i = 0; i < r->out->dimensions; i++) {
    const ritti_range *range = &r->out->range[i];
    q[i] = range->high > range->low ? (p[i] - range->low) / (range->high - range->low) : 0.5;
  }
  *u = q[0];
  *v = q[1];

  /* in space, project along the direction of the view */
  if (r->out->dimensions == 3 && !shadow) {
    double turn = RITTI_VIEW_Z * M_PI / 180, tilt = RITTI_VIEW_X * M_PI / 180, x = q[0] - 0.5,
           y = q[1] - 0.5;
    *u = 0.5 + (x * cos(turn) - y * sin(turn)) / 1.8;
    *v = 0.5 + ((x * sin(turn) + y * cos(turn)) * cos(tilt) + (q[2] - 0.5) * sin(tilt)) / 1.8;
  }

  /* scale to cells */
  *u = fmin(fmax(*u * CELLS, 0), CELLS - 1);
  *v = fmin(fmax(*v * CELLS, 0), CELLS - 1);
}

/* Marks the cells between two points, or of its shadow, as visited; returns true if one of them is
 * new. */
static bool mark_layer(reducer *r, const double *p, const double *q, bool shadow) {
  unsigned char *layer = r->cell + (shadow ? CELLS * CELLS : 0);
  double u0, v0, u1, v1;
  bool found = false;
  locate_point(r, p, shadow, &u0, &v0);
  locate_point(r, q, shadow, &u1, &v1);
  int steps = (int)ceil(fmax(fabs(u1 - u0), fabs(v1 - v0)));
  for (int i = 0; i <= steps; i++) {
    double t = steps ? (double)i / steps : 0;
    unsigned char *cell =
        &layer[(size_t)(v0 + t * (v1 - v0)) * CELLS + (size_t)(u0 + t * (u1 - u0))];
    found |= !*cell;
    *cell = 1;
  }
  return found;
}

static bool mark_cells(reducer *r, const double *p, const double *q) {
  bool found = mark_layer(r, p, q, false);
  if (r->out->dimensions == 3 && !r->curve->points) found |= mark_layer(r, p, q, true);
  return found;
}

/* Is p too close to the last point kept to be distinguished from it? */
static bool is_near_last(const reducer *r, const double *p) {
  for (int i = 0; i < r->out->dimensions; i++) {
    const ritti_range *range = &r->out->range[i];
    if (fabs(p[i] - r->kept[i]) > (range->high - range->low) / SIGHT) return false;
  }
  return true;
}

/* Adds the piece from the last point kept to p if it shows something new. */
static ritt_status add_piece(reducer *r, const double *p) {
  bool many = r->out->at.count > (size_t)MANY * (size_t)r->out->dimensions;
  bool shows = mark_cells(r, r->kept, p) || !many;
  if (shows && r->lifted) {
    RITT_TRY(push_gap(r));
    RITT_TRY(push_point(r, r->kept));
  }
  if (shows) RITT_TRY(push_point(r, p));
  r->lifted = !shows;
  memcpy(r->kept, p, sizeof r->kept);
  return RITT_OK;
}

/* Second pass, for curves that are not graphs. */
static ritt_status add_to_curve(reducer *r, const double *p) {
  if (!r->has_kept) {
    r->has_kept = true;
    r->lifted = false;
    memcpy(r->kept, p, sizeof r->kept);
    return push_point(r, p);
  }
  return is_near_last(r, p) ? RITT_OK : add_piece(r, p);
}

/* Second pass, for points instead of lines: one point for each cell. */
static ritt_status add_dot(reducer *r, const double *p) {
  return mark_cells(r, p, p) ? push_point(r, p) : RITT_OK;
}

/* Ends the line with its last point, even if that is close to the one before. */
static ritt_status end_line(reducer *r) {
  RITT_TRY(end_strip(r));
  if (r->has_kept && r->has_last && memcmp(r->kept, r->last, sizeof r->last))
    RITT_TRY(add_piece(r, r->last));
  r->has_kept = r->has_last = false;
  return RITT_OK;
}

/* Second pass: handles one row; a row that is not finite makes a gap. */
static ritt_status add_row(reducer *r, const double *row) {
  double p[3] = {0};
  if (!take_values(r->curve, row, p)) {
    bool open = r->has_last;
    RITT_TRY(end_line(r));
    return open && !r->curve->points ? push_gap(r) : RITT_OK;
  }
  memcpy(r->last, p, sizeof p);
  r->has_last = true;
  if (r->curve->points) return add_dot(r, p);
  return r->out->graph ? add_to_graph(r, p) : add_to_curve(r, p);
}

/* ---- both passes ---- */

/* Reads all rows of a source for the curves that use it, in the first or the second pass. */
static ritt_status pass_source(reducer *r, size_t curves, ritti_reader *rows, int source,
                               bool first, ritt_error *error) {
  RITT_TRY(ritti_reader_rewind(rows, error));

  /* every row goes to every curve of this source */
  for (;;) {
    const double *row;
    RITT_TRY(ritti_reader_row(rows, &row, error));
    if (!row) break;
    for (size_t k = 0; k < curves; k++) {
      if (r[k].curve->source != source) continue;
      if (first) measure_row(&r[k], row);
      else if (add_row(&r[k], row) != RITT_OK) return ritti_no_memory(error);
    }
  }

  /* the second pass ends the lines */
  for (size_t k = 0; k < curves && !first; k++) {
    if (r[k].curve->source != source) continue;
    if (r[k].curve->points) r[k].has_last = false;
    if (end_line(&r[k]) != RITT_OK) return ritti_no_memory(error);
  }
  return RITT_OK;
}

/* Makes both passes over all sources. */
static ritt_status reduce_curves(const ritti_plot_curve *curve, size_t curves,
                                 ritti_reader *const *source, size_t sources, ritti_points *out,
                                 ritti_arena *arena, ritt_error *error) {
  reducer *r;
  RITTI_NEW(r, arena, curves);

  /* start with empty ranges */
  for (size_t k = 0; k < curves; k++) {
    out[k] = (ritti_points){.dimensions = curve[k].dimensions, .graph = curve[k].dimensions == 2};
    for (int i = 0; i < 3; i++) out[k].range[i] = (ritti_range){INFINITY, -INFINITY};
    out[k].positive = INFINITY;
    r[k] = (reducer){.curve = &curve[k], .out = &out[k]};
  }

  /* the first pass: ranges */
  for (size_t i = 0; i < sources; i++)
    RITT_TRY(pass_source(r, curves, source[i], (int)i, true, error));

  /* the second pass: points; only curves that are not graphs need cells */
  for (size_t k = 0; k < curves; k++) {
    r[k].has_last = false;
    if (!out[k].graph || curve[k].points) RITTI_NEW(r[k].cell, arena, 2 * CELLS * CELLS);
  }
  for (size_t i = 0; i < sources; i++)
    RITT_TRY(pass_source(r, curves, source[i], (int)i, false, error));
  return RITT_OK;
}

ritt_status ritti_thin_out(const ritti_plot_curve *curve, size_t curves,
                           ritti_reader *const *source, size_t sources, ritti_points *out,
                           ritt_error *error) {
  ritti_arena *arena = ritti_arena_new();
  for (size_t k = 0; k < curves; k++) out[k] = (ritti_points){0};
  if (!arena) return ritti_no_memory(error);
  ritt_status status = reduce_curves(curve, curves, source, sources, out, arena, error);
  ritti_arena_free(arena);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}
