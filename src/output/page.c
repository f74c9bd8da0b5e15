/* The layout of a plot: axes with round marks, the shape of each panel, and its place on the page.
 * Graphs over the first axis are wide and stand below each other. A phase curve, whose x turns
 * back, is drawn with equal axes if their ranges are of similar size and neither axis is the
 * derivative of the other: a circle looks like a circle, and the panel takes the shape of the
 * curve. Everything is computed here in pixels, including the room for numbers and names beside the
 * fields, so that nothing overlaps and fields below each other are aligned. */
#include "page.h"

static const double TALLEST = 1.1; /* the largest ratio of a field's height to its width */

enum {
  LETTER = 8,     /* the approximate width of a letter */
  LINE = 20,      /* the height of a line of text */
  TITLE = 40,     /* the height of the title */
  KEY = 26,       /* the height of the names of curves above a field */
  BESIDE = 14,    /* the margin where nothing stands, and between things */
  GRAPH = 640,    /* the width of a field with graphs */
  FIELD = 440,    /* the width of other fields */
  MOST_NAMES = 20 /* the largest number of names of curves that are shown */
};

/* ---- axes ---- */

/* Widens a range by the fraction `air` at both ends. A range that is constant up to rounding is
 * widened in proportion to its values. */
static ritti_range pad_range(ritti_range r, double air) {
  double size = fmax(fabs(r.low), fabs(r.high)), width = r.high - r.low;
  if (!(r.low <= r.high)) return (ritti_range){-1, 1};
  if (!(width > 1e-12 * size))
    return (ritti_range){r.low - (size > 0 ? size / 10 : 1), r.high + (size > 0 ? size / 10 : 1)};
  return (ritti_range){r.low - air * width, r.high + air * width};
}

/* The smallest of 1, 2, 5 times a power of ten that divides the width into at most `steps` steps.
 */
static double round_step(double width, double steps) {
  double power = pow(10, floor(log10(width / steps)));
  static const double factors[] = {1, 2, 5, 10};
  for (int i = 0; i < 3; i++)
    if (width / (factors[i] * power) <= steps) return factors[i] * power;
  return 10 * power;
}

/* The number of marks in the range. */
static double count_marks(const ritti_axis *axis, double step) {
  return floor(axis->range.high / step + 1e-9) - ceil(axis->range.low / step - 1e-9) + 1;
}

/* Places marks about `distance` pixels apart on an axis of this length, with enough digits to
 * distinguish them. A short axis has three marks if they fit. */
static void set_marks(ritti_axis *axis, double length, double distance) {
  double width = axis->range.high - axis->range.low,
         size = fmax(fabs(axis->range.low), fabs(axis->range.high));
  axis->step = round_step(width, fmax(2, length / distance));
  for (double steps = 3; steps <= 6 && count_marks(axis, axis->step) < 3; steps++) {
    double closer = round_step(width, steps);
    if (length * closer / width >= 0.42 * distance) axis->step = closer;
  }
  int digits = (int)floor(log10(size)) - (int)floor(log10(axis->step) + 1e-9) + 1;
  if (digits < 6) digits = 6;
  if (digits > 16) digits = 16;
  axis->digits = digits;
}

/* The length of the longest number at the marks, in letters. */
static int longest_number(const ritti_axis *axis) {
  int longest = 1;
  if (axis->logarithmic) return 6;
  double first = ceil(axis->range.low / axis->step), last = floor(axis->range.high / axis->step);
  for (double i = first; i <= last && i < first + 100; i++) {
    char text[40];
    double value = fabs(i * axis->step) < 1e-9 * axis->step ? 0 : i * axis->step;
    int n = snprintf(text, sizeof text, "%.*g", axis->digits, value);
    if (n > longest) longest = n;
  }
  return longest;
}

/* ---- panels ---- */

/* Widens a range so that it includes another. */
static void join_ranges(ritti_range *r, const ritti_range *other) {
  if (other->low < r->low) r->low = other->low;
  if (other->high > r->high) r->high = other->high;
}

/* Is b the name a with primes after it? */
static bool is_derivative(const char *a, const char *b) {
  size_t length = strlen(a);
  return !strncmp(a, b, length) && b[length] == '\'' && !b[length + strspn(b + length, "'")];
}

/* Do the axes measure the same kind of quantity, judging by names and units? */
static bool one_kind(const ritti_plot_curve *c) {
  for (int i = 1; i < c->dimensions; i++) {
    const char *a = c->unit[0] ? c->unit[0] : "", *b = c->unit[i] ? c->unit[i] : "";
    if (strcmp(a, b) || is_derivative(c->name[0], c->name[i]) ||
        is_derivative(c->name[i], c->name[0]))
      return false;
  }
  return true;
}

/* The number of letters that the key needs for curve k. */
static size_t name_length(const ritti_panel *p, size_t k) {
  const ritti_plot_curve *c = p->curve[k];
  bool over_one = p->dimensions == 2;
  for (size_t i = 1; i < p->curves; i++)
    over_one &= !strcmp(p->curve[0]->name[0], p->curve[i]->name[0]);
  size_t length = strlen(c->name[1]) + (c->unit[1] ? strlen(c->unit[1]) + 3 : 0);
  if (!over_one)
    length += strlen(c->name[0]) + 4 + (p->dimensions == 3 ? strlen(c->name[2]) + 2 : 0);
  return length;
}

/* Should the axes have the same scale? They should if their ranges and kinds are similar. */
static bool wants_equal_axes(const ritti_panel *p, const ritti_range *range) {
  /* the widths may differ by a factor of three */
  double least = INFINITY, most = 0;
  for (int i = 0; i < p->dimensions; i++) {
    double width = range[i].high - range[i].low;
    least = fmin(least, width);
    most = fmax(most, width);
  }

  /* graphs keep their own scale on each axis */
  bool equal = !p->graph && most <= 3 * least;
  equal &= !p->axis[0].logarithmic && !p->axis[1].logarithmic;
  for (size_t k = 0; k < p->curves; k++) equal &= one_kind(p->curve[k]);
  return equal;
}

/* Places the names of the curves above the field if they fit into one line, otherwise to its right.
 */
static void place_key(ritti_panel *p) {
  /* the width of the field */
  double x = p->axis[0].range.high - p->axis[0].range.low,
         y = p->axis[1].range.high - p->axis[1].range.low;
  double room = p->equal && p->dimensions == 2 ? FIELD * fmin(1, TALLEST * x / y) : FIELD;

  /* the width of the names */
  size_t letters = 0;
  for (size_t k = 0; k < p->curves; k++) letters += name_length(p, k) + 6;
  if (p->curves == 1) p->key = RITTI_NO_KEY;
  else if ((double)letters * LETTER <= room) p->key = RITTI_KEY_ABOVE;
  else p->key = RITTI_KEY_RIGHT;
}

/* The range of a logarithmic axis: of the values that are greater than 0. */
static ritti_range log_range(const ritti_panel *p, int axis) {
  ritti_range r = {INFINITY, 0};
  for (size_t k = 0; k < p->curves; k++) {
    const ritti_points *points = p->points[k];
    for (size_t i = 0; i < points->at.count; i += (size_t)points->dimensions) {
      double value = points->at.at[i + (size_t)axis];
      if (isnan(points->at.at[i]) || !(value > 0)) continue;
      r.low = fmin(r.low, value);
      r.high = fmax(r.high, value);
    }
  }
  if (!(r.low <= r.high)) return (ritti_range){0.1, 10};
  double air = pow(r.high / r.low, 0.04);
  if (!(air > 1.001)) air = 2;
  return (ritti_range){r.low / air, r.high * air};
}

/* Collects the curves of the panel with this number and chooses its axes. */
static ritt_status fill_panel(ritti_panel *p, int number, const ritti_plot *plot,
                              const ritti_points *points, ritti_arena *arena) {
  ritti_range range[3];
  *p = (ritti_panel){.graph = true};
  RITTI_NEW(p->curve, arena, plot->curves);
  RITTI_NEW(p->points, arena, plot->curves);
  RITTI_NEW(p->number, arena, plot->curves);

  /* collect the curves and their ranges */
  for (int i = 0; i < 3; i++) range[i] = (ritti_range){INFINITY, -INFINITY};
  for (size_t k = 0; k < plot->curves; k++) {
    if (plot->curve[k].panel != number) continue;
    p->dimensions = plot->curve[k].dimensions;
    p->graph &= points[k].graph && !plot->curve[k].points;
    for (int i = 0; i < p->dimensions; i++) join_ranges(&range[i], &points[k].range[i]);
    p->curve[p->curves] = &plot->curve[k];
    p->points[p->curves] = &points[k];
    p->number[p->curves++] = k;
  }

  /* choose the axes */
  if (p->curves == 0) return RITT_OK;
  const ritt_axis *given = p->curve[0]->axis;
  for (int i = 0; i < 2 && p->dimensions == 2; i++) {
    p->axis[i].logarithmic = given[i].logarithmic;
    p->axis[i].label = given[i].label;
    if (given[i].ranged) range[i] = (ritti_range){given[i].low, given[i].high};
  }
  p->equal = wants_equal_axes(p, range);
  for (int i = 0; i < p->dimensions; i++) {
    ritti_axis *axis = &p->axis[i];
    axis->range = pad_range(range[i], i == 0 && p->graph ? 0 : 0.05);
    if (axis->logarithmic) axis->range = log_range(p, i);
    if (i < 2 && p->dimensions == 2 && given[i].ranged) axis->range = range[i];
  }
  place_key(p);
  return RITT_OK;
}

/* ---- the page ---- */

/* The height of a field of this width, depending on what it shows. */
static double field_height(const ritti_page *g, const ritti_panel *p, double width) {
  const ritti_range *x = &p->axis[0].range, *y = &p->axis[1].range;
  if (p->dimensions == 3) return 0.95 * width;
  if (p->graph && width == GRAPH) {
    if (g->rows == 1) return 340;
    return g->rows == 2 ? 240 : 190;
  }
  if (!p->equal) return 0.78 * width;

  /* with equal axes the field has the shape of the curve, within limits */
  return width * fmin(fmax((y->high - y->low) / (x->high - x->low), 0.3), TALLEST);
}

/* The room that a panel needs to the left of its field for the numbers and the name of the axis. */
static double room_left(const ritti_panel *p) {
  if (p->dimensions == 3) return 5 * BESIDE;
  bool named = true;
  for (size_t k = 1; k < p->curves; k++)
    named &= !strcmp(p->curve[0]->name[1], p->curve[k]->name[1]);
  named |= p->axis[1].label != NULL;
  return LETTER * longest_number(&p->axis[1]) + 2 * BESIDE + (named ? LINE : 0);
}

/* The room that a panel needs to the right of its field, where the names of curves may stand. */
static double room_right(const ritti_panel *p) {
  size_t longest = 0;
  for (size_t k = 0; k < p->curves && k < MOST_NAMES; k++)
    if (name_length(p, k) > longest) longest = name_length(p, k);
  return p->key == RITTI_KEY_RIGHT ? (double)(LETTER * longest + 60) : 2 * BESIDE;
}

/* Shrinks the field of a panel so that both axes have the same scale. */
static void make_equal(ritti_panel *p) {
  double x = p->axis[0].range.high - p->axis[0].range.low,
         y = p->axis[1].range.high - p->axis[1].range.low;
  double scale = fmin((p->right - p->left) / x, (p->top - p->bottom) / y);
  double dx = (p->right - p->left - scale * x) / 2, dy = (p->top - p->bottom - scale * y) / 2;
  p->left += dx;
  p->right -= dx;
  p->bottom += dy;
  p->top -= dy;
}

/* Places the marks on all axes; in space lengths are relative to the size of the panel. */
static void place_marks(ritti_panel *p, double width, double height) {
  if (p->dimensions == 3) {
    for (int i = 0; i < 3; i++) set_marks(&p->axis[i], 1, i < 2 ? 0.2 : 0.17);
    return;
  }
  set_marks(&p->axis[0], width, 90);
  set_marks(&p->axis[1], height, 48);
}

/* Places the panels from left to right, row by row from the top. */
static void place_panels(ritti_page *g, double width) {
  double y = g->title && *g->title ? TITLE : BESIDE, widest = 0, left = 0, right = 0;

  /* all panels get the same margins, so that they are aligned */
  for (int i = 0; i < g->panels; i++) {
    ritti_panel *p = &g->panel[i];
    place_marks(p, width, field_height(g, p, width));
    left = fmax(left, room_left(p));
    right = fmax(right, room_right(p));
  }

  /* the rows from the top; y is the distance from the upper edge */
  for (int row = 0; row < g->rows; row++) {
    double height = 0, above = 0, below = 0;
    int first = row * g->columns,
        last = first + g->columns < g->panels ? first + g->columns : g->panels;

    /* the panels of a row share the largest height */
    for (int i = first; i < last; i++) {
      const ritti_panel *p = &g->panel[i];
      height = fmax(height, field_height(g, p, width));
      above = fmax(above, p->key == RITTI_KEY_ABOVE ? KEY : BESIDE);
      below = fmax(below, 2 * LINE + (p->dimensions == 3 ? 0 : BESIDE));
    }

    /* place them; top and bottom are distances from the upper edge, with a minus sign */
    for (int i = first; i < last; i++) {
      ritti_panel *p = &g->panel[i];
      p->left = (i - first) * (left + width + right) + left;
      p->right = p->left + width;
      p->top = -(y + above);
      p->bottom = -(y + above + height);
      widest = fmax(widest, p->right + right);
    }
    y += above + height + below;
  }

  /* with the height of the page known, measure from its lower edge */
  g->width = (int)ceil(widest);
  g->height = (int)ceil(y);
  for (int i = 0; i < g->panels; i++) {
    ritti_panel *p = &g->panel[i];
    p->top += g->height;
    p->bottom += g->height;
    if (p->equal && p->dimensions == 2) make_equal(p);
  }
}

/* Chooses the number of columns: four graphs below each other, other panels in a square. */
static void lay_out(ritti_page *g) {
  bool graphs = true;
  for (int i = 0; i < g->panels; i++) graphs &= g->panel[i].graph;
  g->columns = 1;
  while (graphs ? g->columns * 4 < g->panels : g->columns * g->columns < g->panels) g->columns++;
  g->rows = (g->panels + g->columns - 1) / g->columns;
  place_panels(g, graphs ? GRAPH : FIELD);
}

ritt_status ritti_page_make(const ritti_plot *plot, const ritti_points *points, ritti_arena *arena,
                            ritti_page *g) {
  int last = -1;
  /* the largest number of a panel */
  for (size_t k = 0; k < plot->curves; k++)
    last = plot->curve[k].panel > last ? plot->curve[k].panel : last;

  /* collect the panels that have curves */
  *g = (ritti_page){.title = plot->title};
  RITTI_NEW(g->panel, arena, last + 1);
  for (int p = 0; p <= last; p++) {
    RITT_TRY(fill_panel(&g->panel[g->panels], p, plot, points, arena));
    if (g->panel[g->panels].curves > 0) g->panels++;
  }
  lay_out(g);
  return RITT_OK;
}
