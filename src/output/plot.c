/* Plots: curves over stored columns become a gnuplot script with the data inside, and gnuplot's answer a
 * file.
 *
 * Names and titles stand in single quotes with `noenhanced`, so that gnuplot reads nothing into them. A curve
 * whose x turns back is a phase curve: where both its axes have sizes that compare, a circle is drawn as a
 * circle. Points nearer to the last one drawn than the eye can see are left out; values that are not finite
 * leave a gap. */
#include "output_impl.h"

enum {
  PANEL_WIDTH = 640,
  PANEL_HEIGHT = 480,
  SIGHT = 2000
}; /* pixels; points that the eye tells apart per axis */

static const char *const colours[] = {"#1b3a6b", "#b3472e", "#3b7a4b", "#8f6f1d",
                                      "#6b4a8f", "#2a8191", "#555555"};

/* X(ending, first bytes of such a picture, the terminals in order of preference, each with its size) */
static const struct format {
  const char *ending, *magic, *terminal[2];
  const char *size; /* of width and height in pixels */
} formats[] = {
    {".svg", "<?xml", {"svg", "svg"}, "size %d,%d font 'sans-serif,13' background rgb 'white'"},
    {".png", "\x89PNG", {"pngcairo", "png"}, "size %d,%d font 'sans-serif,11'"},
    {".pdf", "%PDF", {"pdfcairo", "pdf"}, "size %d/100.0,%d/100.0 font 'sans-serif,11'"},
};

static const struct format *find_format(const char *path) {
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (length > 4 && !strcmp(path + length - 4, formats[i].ending)) return &formats[i];
  return NULL;
}

bool ritti_plot_known(const char *path) { return find_format(path) != NULL; }

/* ---- ranges ------------------------------------------------------------------------------------------ */

typedef struct range {
  double low, high;
} range;

static void widen(range *r, double value) {
  if (value < r->low) r->low = value;
  if (value > r->high) r->high = value;
}

static bool drawn(const ritti_plot_curve *c, size_t i) { return isfinite(c->x[i]) && isfinite(c->y[i]); }

/* The ranges of a panel's curves; low > high where nothing can be drawn. */
static void measure(const ritti_plot_curve *curve, size_t curves, int panel, range *x, range *y) {
  *x = *y = (range){INFINITY, -INFINITY};
  for (size_t k = 0; k < curves; k++)
    for (size_t i = 0; i < curve[k].count && curve[k].panel == panel; i++)
      if (drawn(&curve[k], i)) widen(x, curve[k].x[i]), widen(y, curve[k].y[i]);
}

/* A little air at both ends; a constant, or what rounding makes of one, gets a range of its own size. */
static range pad(range r, double air) {
  double size = fmax(fabs(r.low), fabs(r.high)), width = r.high - r.low;
  if (!(r.low <= r.high)) return (range){-1, 1};
  if (!(width > 1e-12 * size))
    return (range){r.low - (size > 0 ? size / 10 : 1), r.high + (size > 0 ? size / 10 : 1)};
  return (range){r.low - air * width, r.high + air * width};
}

/* Does x turn back somewhere? */
static bool turns(const ritti_plot_curve *c) {
  bool up = false, down = false;
  for (size_t i = 1; i < c->count; i++) up |= c->x[i] > c->x[i - 1], down |= c->x[i] < c->x[i - 1];
  return up && down;
}

static bool wants_equal_axes(const ritti_plot_curve *curve, size_t curves, int panel, range x, range y) {
  double a = x.high - x.low, b = y.high - y.low;
  bool phase = false;
  for (size_t k = 0; k < curves; k++) phase |= curve[k].panel == panel && turns(&curve[k]);
  return phase && a <= 3 * b && b <= 3 * a;
}

/* ---- the script --------------------------------------------------------------------------------------- */

/* In single quotes, where gnuplot expands nothing; a quote is doubled, control characters become spaces. */
static void add_quoted(ritti_text *s, const char *string) {
  ritti_text_add(s, "'");
  for (const char *c = string; *c; c++) {
    bool control = (unsigned char)*c < 0x20 || *c == 0x7f;
    ritti_text_add_bytes(s, *c == '\'' ? "''" : control ? " " : c, *c == '\'' ? 2 : 1);
  }
  ritti_text_add(s, "'");
}

static void add_label(ritti_text *s, const char *command, const char *string) {
  ritti_text_add(s, "%s ", command);
  add_quoted(s, string);
  ritti_text_add(s, " noenhanced\n");
}

/* One curve as the here-document $D<number>. */
static void add_data(ritti_text *s, size_t number, const ritti_plot_curve *c, range x, range y) {
  double dx = (x.high - x.low) / SIGHT, dy = (y.high - y.low) / SIGHT, last_x = NAN, last_y = NAN;
  ritti_text_add(s, "$D%zu << EOD\n", number);
  for (size_t i = 0; i < c->count; i++) {
    if (!drawn(c, i)) {
      ritti_text_add(s, "\n");
      last_x = last_y = NAN;
      continue;
    }
    bool near = fabs(c->x[i] - last_x) < dx && fabs(c->y[i] - last_y) < dy;
    if (near && i + 1 < c->count && drawn(c, i + 1)) continue;
    ritti_text_add(s, "%.9g %.9g\n", last_x = c->x[i], last_y = c->y[i]);
  }
  ritti_text_add(s, "EOD\n");
}

/* The name that all curves of the panel share on an axis, or NULL. */
static const char *common(const ritti_plot_curve *curve, size_t curves, int panel, bool is_x) {
  const char *name = NULL;
  for (size_t k = 0; k < curves; k++) {
    if (curve[k].panel != panel) continue;
    const char *its = is_x ? curve[k].x_name : curve[k].y_name;
    if (name && strcmp(name, its)) return NULL;
    name = its;
  }
  return name;
}

static void add_curve(ritti_text *s, const ritti_plot_curve *c, size_t number, size_t colour, bool same_x) {
  ritti_text_add(s, "%s $D%zu using 1:2 %s linecolor rgb '%s' title ", colour ? "," : "plot", number,
                 c->count == 1 ? "with points pointtype 7" : "with lines linewidth 1.2",
                 colours[colour % (sizeof colours / sizeof *colours)]);
  ritti_text name = {0};
  if (same_x) ritti_text_add(&name, "%s", c->y_name);
  else ritti_text_add(&name, "(%s, %s)", c->x_name, c->y_name);
  if (name.status != RITT_OK) s->status = name.status;
  else add_quoted(s, name.at);
  ritti_text_free(&name);
}

static void add_panel(ritti_text *s, const ritti_plot_curve *curve, size_t curves, int panel) {
  range x, y;
  size_t number = 0;
  measure(curve, curves, panel, &x, &y);
  bool equal = wants_equal_axes(curve, curves, panel, x, y);
  x = pad(x, equal ? 0.05 : 0), y = pad(y, 0.05);
  // the data, then the axes, then one plot command for all
  for (size_t k = 0; k < curves; k++)
    if (curve[k].panel == panel) add_data(s, k, &curve[k], x, y), number++;
  const char *x_name = common(curve, curves, panel, true), *y_name = common(curve, curves, panel, false);
  add_label(s, "set xlabel", x_name ? x_name : "");
  add_label(s, "set ylabel", y_name ? y_name : "");
  ritti_text_add(s, "set ylabel %s\n", y_name && strlen(y_name) <= 3 ? "norotate" : "rotate by 90");
  ritti_text_add(s, "set size %s\n%s\n", equal ? "ratio -1" : "noratio",
                 number > 1 ? "set key above horizontal samplen 2" : "unset key");
  ritti_text_add(s, "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n", x.low, x.high, y.low, y.high);
  number = 0;
  for (size_t k = 0; k < curves; k++)
    if (curve[k].panel == panel) add_curve(s, &curve[k], k, number++, x_name != NULL);
  ritti_text_add(s, "\n");
}

static void add_look(ritti_text *s, const struct format *f, int columns, int rows) {
  ritti_text_add(s, "set encoding utf8\nif (strstrt(GPVAL_TERMINALS, ' %s ')) { set terminal %s noenhanced ",
                 f->terminal[0], f->terminal[0]);
  ritti_text_add(s, f->size, columns * PANEL_WIDTH, rows * PANEL_HEIGHT);
  ritti_text_add(s, " } else { set terminal %s noenhanced ", f->terminal[1]);
  ritti_text_add(s, f->size, columns * PANEL_WIDTH, rows * PANEL_HEIGHT);
  ritti_text_add(s, " }\nset border 3 linecolor rgb '#555555'\nset tics nomirror out scale 0.6\n"
                    "set grid linetype 1 linewidth 0.6 linecolor rgb '#e2e2e2'\n");
}

static bool holds(const ritti_plot_curve *curve, size_t curves, int panel) {
  for (size_t k = 0; k < curves; k++)
    if (curve[k].panel == panel) return true;
  return false;
}

static void add_script(ritti_text *s, const struct format *f, const char *title,
                       const ritti_plot_curve *curve, size_t curves) {
  int last = 0, panels = 0, columns = 1;
  for (size_t k = 0; k < curves; k++) last = curve[k].panel > last ? curve[k].panel : last;
  for (int p = 0; p <= last; p++) panels += holds(curve, curves, p);
  while (columns * columns < panels) columns++;
  int rows = (panels + columns - 1) / columns;
  add_look(s, f, columns, rows);
  // one title: the page's
  if (panels > 1) ritti_text_add(s, "set multiplot layout %d,%d ", rows, columns);
  add_label(s, panels > 1 ? "title" : "set title", title ? title : "");
  for (int p = 0; p <= last; p++)
    if (holds(curve, curves, p)) add_panel(s, curve, curves, p);
  ritti_text_add(s, panels > 1 ? "unset multiplot\nexit\n" : "exit\n");
}

/* ---- the picture ------------------------------------------------------------------------------------- */

static bool anything(const ritti_plot_curve *curve, size_t curves) {
  for (size_t k = 0; k < curves; k++)
    for (size_t i = 0; i < curve[k].count; i++)
      if (drawn(&curve[k], i)) return true;
  return false;
}

static ritt_status save(const char *path, const ritti_text *picture, ritt_error *error) {
  int file;
  size_t written;
  int reason = ritti_file_open(path, &file);
  if (reason) return ritti_file_failed(error, path, reason);
  reason = ritti_file_write(file, picture->at, picture->count, &written);
  int closing = ritti_file_close(file);
  if (!reason) reason = closing;
  return reason ? ritti_file_failed(error, path, reason) : RITT_OK;
}

static ritt_status draw(const struct format *f, const ritti_text *script, ritti_text *picture,
                        ritt_error *error) {
  if (script->status != RITT_OK) return ritti_no_memory(error);
  RITT_TRY(ritti_gnuplot(script, picture, error));
  if (picture->count < strlen(f->magic) || memcmp(picture->at, f->magic, strlen(f->magic)))
    return ritti_fail(error, RITT_SYSTEM, NULL, "is the program 'gnuplot' on the PATH really gnuplot?",
                      "gnuplot ended well, but what it gave is no %s picture", f->ending);
  return RITT_OK;
}

ritt_status ritti_plot_write(const char *path, const char *title, const ritti_plot_curve *curve,
                             size_t curves, ritt_error *error) {
  const struct format *f = find_format(path);
  if (!f)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "let the name end in .svg, .png or .pdf",
                      "no plot can be written as '%s'", path);
  if (!anything(curve, curves))
    return ritti_fail(error, RITT_STOPPED, NULL, NULL, "there is nothing to plot: no row has finite values");
  ritti_text script = {0}, picture = {0};
  add_script(&script, f, title, curve, curves);
  ritt_status status = draw(f, &script, &picture, error);
  if (status == RITT_OK) status = save(path, &picture, error);
  ritti_text_free(&script);
  ritti_text_free(&picture);
  return status;
}
