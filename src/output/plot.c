/* Plots: writes a gnuplot script with the curves' points inside, and turns gnuplot's answer into a
 * file. Names and titles are in single quotes with `noenhanced`, so that gnuplot does not interpret
 * them. Curves in space have a shadow on the floor. Colour-blind people can distinguish the colours
 * (M. Okabe and K. Ito, 2008); when the colours repeat, the lines are dashed. */
#include <ctype.h>
#include "page.h"

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#e69f00", "#4d4d4d"};
enum { COLOURS = sizeof colours / sizeof *colours, MOST_NAMES = 20 };

/* The formats: the ending of the file's name, the first bytes of such a picture, gnuplot's
 * terminals in order of preference, and the rest of their command. */
static const struct format {
  const char *ending, *magic, *terminal[2];
  const char *size; /* format string with width and height in pixels */
  double lift; /* lines by which texts below a field are raised: this terminal puts them too low */
} formats[] = {
    {".svg",
     "<?xml",
     {"svg", "svg"},
     "size %d,%d font 'sans-serif,13' background rgb 'white'",
     0.6},
    {".png",
     "\x89PNG",
     {"pngcairo", "png"},
     "size 2*%d,2*%d font 'sans-serif,9.5' fontscale 2 linewidth 2 pointscale 2",
     0},
    {".pdf", "%PDF", {"pdfcairo", "pdf"}, "size %d/100.0,%d/100.0 font 'sans-serif,9.5'", 0},
};

/* Finds the format by the ending of the name; NULL if it is unknown. */
static const struct format *find_format(const char *path) {
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (length > 4 && path[length - 5] != '/' && !strcmp(path + length - 4, formats[i].ending))
      return &formats[i];
  return NULL;
}

bool ritti_plot_known(const char *path) { return find_format(path) != NULL; }

/* ---- words ---- */

/* Adds a text in single quotes, within which gnuplot expands nothing. A quote is doubled; control
 * characters become spaces. */
static void add_quoted(ritti_text *s, const char *string) {
  ritti_text_add(s, "'");
  for (const char *c = string; *c; c++) {
    bool control = (unsigned char)*c < 0x20 || *c == 0x7f;
    if (*c == '\'') ritti_text_add_bytes(s, "''", 2);
    else ritti_text_add_bytes(s, control ? " " : c, 1);
  }
  ritti_text_add(s, "'");
}

/* Adds a command with a text as its argument. */
static void add_label(ritti_text *s, const char *command, const char *string, const char *more) {
  ritti_text_add(s, "%s ", command);
  add_quoted(s, string);
  ritti_text_add(s, " noenhanced%s\n", more);
}

/* Adds the name of an axis with its unit, "x (m)". */
static void add_name(ritti_text *name, const ritti_plot_curve *c, int axis) {
  ritti_text_add(name, "%s", c->name[axis]);
  if (c->unit[axis] && *c->unit[axis]) ritti_text_add(name, " (%s)", c->unit[axis]);
}

/* Do all curves of the panel have the same name on this axis? */
static bool is_common(const ritti_panel *p, int axis) {
  for (size_t k = 1; k < p->curves; k++)
    if (strcmp(p->curve[0]->name[axis], p->curve[k]->name[axis])) return false;
  return true;
}

/* Adds the name, range and marks of an axis. */
static void add_axis(ritti_text *s, const ritti_panel *p, int i) {
  const char letter = "xyz"[i];
  const ritti_axis *axis = &p->axis[i];
  ritti_text name = {0};
  char command[] = "set xlabel";
  command[4] = letter;

  /* the name, if the curves agree on it; a long name of the y axis runs upwards */
  if (axis->label) ritti_text_add(&name, "%s", axis->label);
  else if (is_common(p, i)) add_name(&name, p->curve[0], i);
  const char *turn = "";
  if (i > 0 && p->dimensions == 2) turn = name.count > 3 ? " rotate by 90" : " norotate";
  if (name.status != RITT_OK) s->status = name.status;
  add_label(s, command, name.at ? name.at : "", turn);
  ritti_text_free(&name);

  /* the range and the marks */
  ritti_text_add(s, "set %crange [%.17g:%.17g]\n", letter, axis->range.low, axis->range.high);
  if (axis->logarithmic) {
    ritti_text_add(s, "set logscale %c\nset format %c '%%g'\n", letter, letter);
    return;
  }
  ritti_text_add(s, "set %ctics %.17g\nset format %c '%%.%dg'\n", letter, axis->step, letter,
                 axis->digits);
}

/* ---- curves ---- */

/* Are the ends of the curve marked? Those of graphs are clear without a mark. */
static bool has_ends(const ritti_panel *p, size_t k) {
  return !p->graph && !p->curve[k]->points && p->points[k]->rows > 1;
}

/* Adds the ends of a curve as the here-documents $A<number> and $B<number>. */
static void add_ends(ritti_text *s, size_t number, const ritti_points *points) {
  for (int end = 0; end < 2; end++) {
    const double *p = end ? points->last : points->first;
    ritti_text_add(s, "$%c%zu << EOD\n", "AB"[end], number);
    for (int k = 0; k < points->dimensions; k++)
      ritti_text_add(s, "%.9g%s", p[k], k + 1 < points->dimensions ? " " : "\n");
    ritti_text_add(s, "EOD\n");
  }
}

/* Adds the points of a curve as the here-document $D<number>. */
static void add_data(ritti_text *s, size_t number, const ritti_points *points) {
  size_t n = (size_t)points->dimensions;
  bool gap = true;
  ritti_text_add(s, "$D%zu << EOD\n", number);
  for (size_t i = 0; i < points->at.count; i += n) {
    const double *p = points->at.at + i;
    if (isnan(p[0]) && !gap) ritti_text_add(s, "\n");
    gap = isnan(p[0]);
    for (size_t k = 0; k < n && !gap; k++)
      ritti_text_add(s, "%.9g%s", p[k], k + 1 < n ? " " : "\n");
  }
  ritti_text_add(s, "EOD\n");
}

/* Adds the name of a curve in the key: those of its axes that differ among the curves. */
static void add_title(ritti_text *s, const ritti_panel *p, size_t k) {
  const ritti_plot_curve *c = p->curve[k];
  ritti_text name = {0};
  if (p->dimensions == 2 && is_common(p, 0)) add_name(&name, c, 1);
  else {
    ritti_text_add(&name, "(%s, %s", c->name[0], c->name[1]);
    if (p->dimensions == 3) ritti_text_add(&name, ", %s", c->name[2]);
    ritti_text_add(&name, ")");
  }
  if (name.status != RITT_OK) s->status = name.status;
  else add_quoted(s, name.at);
  ritti_text_free(&name);
}

/* Adds the command that draws curve k. */
static void add_curve(ritti_text *s, const ritti_panel *p, size_t k) {
  const ritti_points *points = p->points[k];
  bool dots = p->curve[k]->points || points->at.count == (size_t)p->dimensions;

  /* the shadow of a curve in space */
  if (p->dimensions == 3 && !dots)
    ritti_text_add(
        s, "$D%zu using 1:2:(floor_z) with lines linewidth 0.8 linecolor rgb '#c4c4c4' notitle, ",
        p->number[k]);

  /* the curve, as a line or as points */
  ritti_text_add(s, "$D%zu using %s ", p->number[k], p->dimensions == 3 ? "1:2:3" : "1:2");
  if (dots)
    ritti_text_add(s, "with points pointtype 7 pointsize %s", points->rows > 200 ? "0.25" : "0.5");
  else ritti_text_add(s, "with lines linewidth 1.4 dashtype %d", (int)(k / COLOURS) + 1);
  ritti_text_add(s, " linecolor rgb '%s' ", colours[k % COLOURS]);

  /* its name in the key */
  if (p->curves == 1 || k >= MOST_NAMES) ritti_text_add(s, "notitle");
  else {
    ritti_text_add(s, "title ");
    add_title(s, p, k);
  }

  /* a ring at its start, a disc at its end */
  for (int end = 0; end < 2 && has_ends(p, k); end++)
    ritti_text_add(
        s, ", $%c%zu using %s with points pointtype %d pointsize %s linecolor rgb '%s' notitle",
        "AB"[end], p -> number[k], p -> dimensions == 3 ? "1:2:3" : "1:2", end ? 7 : 6,
        end ? "0.7" : "1", colours[k % COLOURS]);
}

/* Adds the position of the key: above the middle of the field, or to its right. */
static void add_key(ritti_text *s, const ritti_page *g, const ritti_panel *p) {
  bool above = p->key == RITTI_KEY_ABOVE;
  double x = above ? (p->left + p->right) / 2 : p->right + 10, y = above ? p->top + 12 : p->top;
  if (p->key == RITTI_NO_KEY) {
    ritti_text_add(s, "unset key\n");
    return;
  }
  ritti_text_add(s, "set key at screen %.6f, screen %.6f %s reverse Left samplen 1.5 noenhanced\n",
                 x / g->width, y / g->height,
                 above ? "center center horizontal" : "left top vertical");
  if (p->curves > MOST_NAMES)
    ritti_text_add(s, "set key title 'and %zu more' noenhanced\n", p->curves - MOST_NAMES);
}

/* The factor by which equal axes in space are enlarged: that of a cube, or less if the box looks
 * taller than a cube. */
static double zoom_factor(const ritti_panel *p) {
  const double cube = 1.35, degree = 3.14159265358979 / 180;

  /* the directions of the view */
  double u = sin(RITTI_VIEW_X * degree), v = cos(RITTI_VIEW_X * degree);
  double across = sin(RITTI_VIEW_Z * degree), along = cos(RITTI_VIEW_Z * degree), length[3];

  /* the height of the box as seen, compared with that of a cube */
  for (int i = 0; i < 3; i++) length[i] = p->axis[i].range.high - p->axis[i].range.low;
  double wide = fmax(length[0], length[1]);
  double height = (length[2] * u + (length[0] * across + length[1] * along) * v) / wide;
  return cube * fmin(1, (u + (across + along) * v) / height);
}

/* Adds the position of the panel: the edges of its field, or in space the rectangle that it may
 * fill. */
static void add_place(ritti_text *s, const ritti_page *g, const ritti_panel *p) {
  double w = g->width, h = g->height;

  /* in the plane */
  if (p->dimensions == 2) {
    ritti_text_add(s, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n", p->left / w,
                   p->right / w);
    ritti_text_add(s, "set bmargin at screen %.6f\nset tmargin at screen %.6f\n", p->bottom / h,
                   p->top / h);
    ritti_text_add(s, "set xlabel offset 0,lift\nset xtics offset 0,lift/2\n");
    return;
  }

  /* in space, with the shadows on the floor */
  ritti_text_add(s, "set origin %.6f, %.6f\nset size %.6f, %.6f\n", p->left / w, p->bottom / h,
                 (p->right - p->left) / w, (p->top - p->bottom) / h);
  ritti_text_add(s, "set lmargin 0\nset rmargin 0\nset tmargin 0\nset bmargin 0\n");
  ritti_text_add(s, "floor_z = %.17g\nset xyplane at floor_z\nset view %d, %d, ",
                 p->axis[2].range.low, RITTI_VIEW_X, RITTI_VIEW_Z);
  if (p->equal) ritti_text_add(s, "%.3g\nset view equal xyz\n", zoom_factor(p));
  else ritti_text_add(s, "1.05, 1.05\n");
  ritti_text_add(s, "set xtics offset 0,-0.3\nset ytics offset 0,-0.3\nset grid ztics\n");
}

/* Adds the data and the commands of a panel. */
static void add_panel(ritti_text *s, const ritti_page *g, const ritti_panel *p) {
  bool space = p->dimensions == 3;

  /* the data, the frame and the grid */
  for (size_t k = 0; k < p->curves; k++) {
    add_data(s, p->number[k], p->points[k]);
    if (has_ends(p, k)) add_ends(s, p->number[k], p->points[k]);
  }
  ritti_text_add(s, "reset\nset border %d linecolor rgb '#555555' linewidth 0.8\n", space ? 31 : 3);
  ritti_text_add(s, "set tics nomirror out scale 0.5\n"
                    "set grid linetype 1 linewidth 0.5 linecolor rgb '#e2e2e2'\n");

  /* axes, key and place */
  for (int i = 0; i < p->dimensions; i++) add_axis(s, p, i);
  add_key(s, g, p);
  add_place(s, g, p);

  /* the curves */
  ritti_text_add(s, space ? "splot " : "plot ");
  for (size_t k = 0; k < p->curves; k++) {
    if (k > 0) ritti_text_add(s, ", \\\n  ");
    add_curve(s, p, k);
  }
  ritti_text_add(s, "\n");
}

/* ---- the script ---- */

/* Adds the whole script. `output` is the file that it writes; NULL: stdout. */
static void add_script(ritti_text *s, const struct format *f, const ritti_page *g,
                       const char *output) {
  /* the terminal, with a substitute for installations that lack it */
  ritti_text_add(
      s, "set encoding utf8\nif (strstrt(GPVAL_TERMINALS, ' %s ')) { set terminal %s noenhanced ",
      f->terminal[0], f->terminal[0]);
  ritti_text_add(s, f->size, g->width, g->height);
  ritti_text_add(s, " } else { set terminal %s noenhanced size %d,%d }\n", f->terminal[1], g->width,
                 g->height);
  ritti_text_add(s, "lift = %g\n", f->lift);

  /* the file */
  if (output) {
    ritti_text_add(s, "set output ");
    add_quoted(s, output);
    ritti_text_add(s, "\n");
  }

  /* the title */
  ritti_text_add(s, "set multiplot\n");
  if (g->title && *g->title) {
    char place[80];
    snprintf(place, sizeof place, " at screen 0.5, screen %.6f center font ',%s'",
             1 - 20.0 / g->height, f == formats ? "15" : "11");
    add_label(s, "set label 1", g->title, place);
    /* a plot that shows only the title */
    ritti_text_add(
        s, "unset border\nunset tics\nunset key\nset xrange [0:1]\nset yrange [0:1]\nplot NaN\n");
  }

  /* the panels */
  for (int i = 0; i < g->panels; i++) add_panel(s, g, &g->panel[i]);
  ritti_text_add(s, "unset multiplot\nexit\n");
}

/* Runs gnuplot and checks that the result is a picture of the right format. */
static ritt_status draw_picture(const struct format *f, const ritti_text *script,
                                ritti_text *picture, ritt_error *error) {
  RITT_TRY(ritti_gnuplot(script, picture, error));
  if (picture->count < strlen(f->magic) || memcmp(picture->at, f->magic, strlen(f->magic)))
    return ritti_fail(error, RITT_SYSTEM, NULL,
                      "is the program 'gnuplot' on the PATH really gnuplot?",
                      "gnuplot succeeded, but its output is not a %s picture", f->ending);
  return RITT_OK;
}

/* Writes the script, if it is to be kept, and the picture. */
static ritt_status write_page(const ritti_plot *plot, const ritti_page *g, ritt_error *error) {
  const struct format *f = find_format(plot->path);
  ritti_text script = {0}, picture = {0};
  ritt_status status = RITT_OK;

  /* the script for the user writes to the file itself */
  if (plot->script) {
    add_script(&script, f, g, plot->path);
    status = script.status == RITT_OK
                 ? ritti_file_replace(plot->script, script.at, script.count, error)
                 : ritti_no_memory(error);
    script.count = 0;
  }

  /* the script for the picture writes to stdout */
  if (status == RITT_OK) {
    add_script(&script, f, g, NULL);
    status = script.status == RITT_OK ? draw_picture(f, &script, &picture, error)
                                      : ritti_no_memory(error);
  }
  if (status == RITT_OK) status = ritti_file_replace(plot->path, picture.at, picture.count, error);
  ritti_text_free(&script);
  ritti_text_free(&picture);
  return status;
}

/* ---- the plot ---- */

/* Thins out the curves, lays out the page and writes it. */
static ritt_status plot_rows(const ritti_plot *plot, ritti_reader *const *source, size_t sources,
                             ritti_points *points, ritti_arena *arena, ritt_error *error) {
  size_t drawn = 0;
  ritti_page page;
  RITT_TRY(ritti_thin_out(plot->curve, plot->curves, source, sources, points, error));
  for (size_t k = 0; k < plot->curves; k++) drawn += points[k].rows;
  if (drawn == 0)
    return ritti_fail(error, RITT_STOPPED, NULL, NULL,
                      "there is nothing to plot: no row has finite values");
  if (ritti_page_make(plot, points, arena, &page) != RITT_OK) return ritti_no_memory(error);
  return write_page(plot, &page, error);
}

ritt_status ritti_plot_write(const ritti_plot *plot, ritti_reader *const *source, size_t sources,
                             ritt_error *error) {
  if (!find_format(plot->path))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "use a name that ends in .svg, .png or .pdf",
                      "a plot cannot be written as '%s'", plot->path);

  /* the arrays of points are outside the arena and must be freed one by one */
  ritti_arena *arena = ritti_arena_new();
  ritti_points *points = arena ? ritti_arena_alloc(arena, plot->curves + 1, sizeof *points) : NULL;
  ritt_status status =
      points ? plot_rows(plot, source, sources, points, arena, error) : ritti_no_memory(error);
  for (size_t k = 0; points && k < plot->curves; k++) RITTI_ARRAY_FREE(points[k].at);
  ritti_arena_free(arena);
  return status;
}
