/* Plots, with a gnuplot that is missing, fails, is killed, answers rubbish or shows what it was
 * given; and with the true one where it is installed. */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "output/output.h"
#include "check.h"

static char folder[] = "/tmp/ritt-t_plot-XXXXXX", picture[64], fake[64], seen[64], log_file[64];
static ritt_error *error;

enum { N = 30000 };
static double t[N], x[N], y[N];
static const ritti_plot_curve circle = {
    .dimensions = 2, .column = {1, 2}, .name = {"x_1'", "y^{2}"}};

/* Rows of three columns as a result. */
static ritti_reader *rows_of(const double *a, const double *b, const double *c, size_t count) {
  static const char *const names[] = {"t", "x", "y"};
  ritti_about about = {.columns = 3, .name = names};
  ritti_writer *writer;
  ritti_reader *reader = NULL;
  CHECK(ritti_writer_open(log_file, RITTI_LOG, &about, error, &writer) == RITT_OK);
  for (size_t i = 0; i < count; i++)
    if (ritti_writer_row(writer, (double[]){a[i], b[i], c[i]}) != RITT_OK) CHECK(!"row");
  CHECK(ritti_writer_close(writer, error) == RITT_OK);
  CHECK(ritti_reader_open(log_file, error, &reader) == RITT_OK);
  return reader;
}

static ritt_status plot(const char *path, const char *title, const ritti_plot_curve *curve,
                        size_t curves, ritti_reader *rows) {
  ritti_plot p = {.path = path, .title = title, .curve = curve, .curves = curves};
  ritt_error_clear(error);
  ritt_status status = ritti_plot_write(&p, &rows, 1, error);
  ritti_reader_close(rows);
  return status;
}

static const char *contents(const char *path) {
  static char text[1 << 21];
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  if (f) fclose(f);
  text[n] = '\0';
  return text;
}

/* Puts a shell script in the place of gnuplot; NULL: none is there. */
static void install(const char *script) {
  unlink(fake);
  FILE *f = script ? fopen(fake, "w") : NULL;
  if (!f) return;
  fprintf(f, "#!/bin/sh\n%s\n", script);
  fclose(f);
  chmod(fake, 0755);
}

static ritt_status draw(const char *script, const char *path) {
  install(script);
  return plot(path, "it's a {title}\n`x`", &circle, 1, rows_of(t, x, y, N));
}

static void check_names(void) {
  CHECK(ritti_plot_known("a.svg") && ritti_plot_known("d/a.png") && ritti_plot_known("a.b.pdf"));
  CHECK(!ritti_plot_known("a.gif") && !ritti_plot_known("svg") && !ritti_plot_known(".svg") &&
        !ritti_plot_known(""));
  CHECK(draw(NULL, "a.gif") == RITT_WRONG_CALL);
  CHECK_TEXT(ritt_error_get(error, 0)->text, "a plot cannot be written as 'a.gif'");
}

static void check_bad_gnuplots(void) {
  const struct {
    const char *script, *message;
  } cases[] = {
      {NULL, "gnuplot is not installed, so no plot was drawn"},
      {"exit 3", "gnuplot failed with exit code 3: it gave no reason"},
      {"while read -r l; do :; done; echo first >&2; printf '\\n   line 7: no\\n\\n' >&2; exit 1",
       "gnuplot failed with exit code 1: line 7: no"},
      {"echo dying >&2; kill -9 $$", "gnuplot was killed by signal 9: dying"},
      {"while read -r l; do :; done; echo rubbish",
       "gnuplot succeeded, but its output is not a .svg picture"},
      {"exit 0", "gnuplot succeeded, but its output is not a .svg picture"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    FILE *old = fopen(picture, "w");
    fputs("old", old), fclose(old);
    CHECK(draw(cases[i].script, picture) == RITT_SYSTEM);
    CHECK(ritt_error_count(error) == 1);
    CHECK_TEXT(ritt_error_get(error, 0)->text, cases[i].message);
    CHECK_TEXT(contents(picture), "old"); /* what was there stays */
  }
  CHECK(draw(NULL, picture) == RITT_SYSTEM);
  CHECK(ritt_error_get(error, 0)->hint != NULL);
}

/* The shape of the first panel that gnuplot was told: its field in pixels, and its ranges. */
typedef struct shape {
  double width, height, x, y;
} shape;

static shape get_shape(const char *told) {
  double w, h, left, right, bottom, top, x0, x1, y0, y1;
  const char *size = strstr(told, "size "), *xr = strstr(told, "set xrange [-"),
             *yr = strstr(told, "set yrange [-");
  const char *l = strstr(told, "set lmargin"), *b = strstr(told, "set bmargin");
  bool found = size && xr && yr && l && b;
  found = found && sscanf(size, "size %lf,%lf", &w, &h) == 2;
  found = found && sscanf(xr, "set xrange [%lf:%lf]", &x0, &x1) == 2;
  found = found && sscanf(yr, "set yrange [%lf:%lf]", &y0, &y1) == 2;
  found =
      found && sscanf(l, "set lmargin at screen %lf set rmargin at screen %lf", &left, &right) == 2;
  found =
      found && sscanf(b, "set bmargin at screen %lf set tmargin at screen %lf", &bottom, &top) == 2;
  CHECK(found);
  return found ? (shape){(right - left) * w, (top - bottom) * h, x1 - x0, y1 - y0} : (shape){0};
}

/* the commands for gnuplot, recorded by a program in its place */
static void check_script(void) {
  char script[256];
  snprintf(script, sizeof script,
           "while IFS= read -r l; do printf '%%s\\n' \"$l\"; done > %s; printf '<?xml fine'", seen);
  CHECK(draw(script, picture) == RITT_OK);
  CHECK_TEXT(contents(picture), "<?xml fine");
  const char *told = contents(seen);
  CHECK(strstr(told, "set label 1 'it''s a {title} `x`' noenhanced at screen"));
  CHECK(strstr(told, "set xlabel 'x_1''' noenhanced\n") &&
        strstr(told, "set ylabel 'y^{2}' noenhanced"));
  CHECK(strlen(told) < 500000); /* not every point of a long run */
  CHECK(strstr(told, "exit\n"));
  /* a phase curve: one unit is as long on both axes */
  shape s = get_shape(told);
  CHECK_NEAR(s.width / s.x, s.height / s.y, 0.1);
  // curves over time keep their shape; two curves get a key; an empty panel is not drawn
  ritti_plot_curve three[] = {
      {.dimensions = 2, .column = {0, 1}, .name = {"t", "x"}, .unit = {"s", "m"}},
      {.dimensions = 2, .column = {0, 2}, .name = {"t", "y"}},
      {.panel = 2, .dimensions = 3, .column = {0, 1, 2}, .name = {"t", "x", "y"}}};
  CHECK(plot(picture, NULL, three, 3, rows_of(t, x, y, N)) == RITT_OK);
  told = contents(seen);
  CHECK(!strstr(told, "set label"));
  CHECK(strstr(told, "set key at screen") && strstr(told, "title 'x (m)', \\\n  $D1 ") &&
        strstr(told, "'y'\n"));
  CHECK(strstr(told, "set xlabel 't (s)' noenhanced\n"));
  CHECK(strstr(told, "unset key\nset origin") && strstr(told, "splot $D2 using 1:2:(floor_z)"));
  int panels = 0;
  for (const char *at = told; (at = strstr(at, "reset\n")); at++) panels++;
  CHECK(panels == 2);
}

/* The script that is kept draws the picture again. */
static void check_kept_script(void) {
  char script[64], line[128];
  snprintf(script, sizeof script, "%s/a.gp", folder);
  ritti_plot p = {.path = picture, .script = script, .curve = &circle, .curves = 1};
  ritti_reader *rows = rows_of(t, x, y, N);
  CHECK(ritti_plot_write(&p, &rows, 1, error) == RITT_OK);
  ritti_reader_close(rows);
  snprintf(line, sizeof line, "\nset output '%s'\nset multiplot\n", picture);
  CHECK(strstr(contents(script), line) && strstr(contents(script), "\n$D0 << EOD\n"));
  unlink(script);
}

/* Is an ellipse, y stretched, drawn as it is? */
static bool is_equal(const char *first, const char *second, double stretch) {
  static double z[N];
  for (int i = 0; i < N; i++) z[i] = stretch * y[i];
  ritti_plot_curve c = {.dimensions = 2, .column = {1, 2}, .name = {first, second}};
  CHECK(plot(picture, NULL, &c, 1, rows_of(t, x, z, N)) == RITT_OK);
  shape s = get_shape(contents(seen));
  return fabs(s.width / s.x / (s.height / s.y) - 1) < 0.01;
}

static void check_aspect(void) {
  CHECK(is_equal("x", "y", 1) && is_equal("x", "y", 0.5) && is_equal("x", "y", 2) &&
        !is_equal("x", "y", 0.1));
  /* a derivative is of another kind */
  CHECK(!is_equal("x", "x'", 1) && !is_equal("x''", "x'", 0.5) && is_equal("x", "xy'", 1));
}

/* Long runs make pictures of bounded size that show the same. */
static void check_long(void) {
  enum { LONG = 3000000 };
  static const char *const names[] = {"t", "x", "y"};
  ritti_about about = {.columns = 3, .name = names};
  ritti_writer *writer;
  ritti_reader *rows;
  CHECK(ritti_writer_open(log_file, RITTI_LOG, &about, error, &writer) == RITT_OK);
  for (int i = 0; i < LONG; i++) {
    /* a curve that fills the ring between the radii 1 and 2, and one very high point */
    double a = 0.1 * i, r = 1.5 + 0.5 * sin(0.37e-3 * i), high = i == 1234567 ? 50 : r * sin(a);
    if (ritti_writer_row(writer, (double[]){a, r * cos(a), high}) != RITT_OK) CHECK(!"row");
  }
  CHECK(ritti_writer_close(writer, error) == RITT_OK);
  CHECK(ritti_reader_open(log_file, error, &rows) == RITT_OK);
  ritti_plot_curve two[] = {{.dimensions = 2, .column = {0, 2}, .name = {"t", "y"}},
                            {.panel = 1, .dimensions = 2, .column = {1, 2}, .name = {"x", "y"}}};
  CHECK(plot(picture, NULL, two, 2, rows) == RITT_OK);
  const char *told = contents(seen), *first = strstr(told, "$D0"), *second = strstr(told, "$D1");
  CHECK(first && second && strlen(told) < (1 << 21) - 1);
  int lines = 0, peaks = 0;
  double low = 0, high = 0, value;
  for (const char *at = first; at && at < second;
       at = strchr(at, '\n'), at = at ? at + 1 : NULL, lines++) {
    if (sscanf(at, "%*f %lf", &value) != 1) continue;
    if (value > 10) peaks++;
    else low = fmin(low, value), high = fmax(high, value);
  }
  CHECK(lines < 9000 && peaks == 1);
  CHECK_NEAR(low, -2, 0.01);
  CHECK_NEAR(high, 2, 0.01);
}

static void check_values(void) {
  double bad[3] = {NAN, INFINITY, NAN}, one[1] = {2}, gap_x[5] = {0, 1, 2, 3, 4},
         gap_y[5] = {0, 1, NAN, 1, 0};
  ritti_plot_curve c = {.dimensions = 2, .column = {0, 1}, .name = {"t", "x"}};
  CHECK(plot(picture, "m", &c, 1, rows_of(bad, bad, bad, 3)) == RITT_STOPPED);
  CHECK_TEXT(ritt_error_get(error, 0)->text, "there is nothing to plot: no row has finite values");
  CHECK(plot(picture, "m", &c, 1, rows_of(gap_x, gap_y, gap_x, 5)) == RITT_OK);
  CHECK(strstr(contents(seen), "$D0 << EOD\n0 0\n1 1\n\n3 1\n4 0\nEOD\n"));
  CHECK(plot(picture, "m", &c, 1, rows_of(one, one, one, 1)) == RITT_OK);
  CHECK(strstr(contents(seen), "with points"));
  c.points = true;
  CHECK(plot(picture, "m", &c, 1, rows_of(gap_x, gap_y, gap_x, 5)) == RITT_OK);
  CHECK(strstr(contents(seen), "$D0 << EOD\n0 0\n1 1\n3 1\n4 0\nEOD\n") &&
        strstr(contents(seen), "with points"));
  // numbers that differ late have the digits that tell them apart
  double big[5] = {1e6 + 1e-3, 1e6 + 2e-3, 1e6, 1e6 + 4e-3, 1e6 + 3e-3};
  c.points = false;
  CHECK(plot(picture, "m", &c, 1, rows_of(gap_x, big, gap_x, 5)) == RITT_OK);
  CHECK(strstr(contents(seen), "set format y '%.10g'") &&
        strstr(contents(seen), "set ytics 0.001\n"));
}

static void check_true_gnuplot(void) {
  if (system("command -v gnuplot > /dev/null") != 0) {
    printf("no gnuplot here: not drawn with it\n");
    return;
  }
  const struct {
    const char *ending, *first;
  } kinds[] = {{"svg", "<?xml"}, {"png", "\x89PNG"}, {"pdf", "%PDF"}};
  for (int i = 0; i < 3; i++) {
    snprintf(picture, sizeof picture, "%s/a.%s", folder, kinds[i].ending);
    ritti_plot_curve all[] = {
        circle,
        {.panel = 1, .dimensions = 2, .column = {0, 1}, .name = {"t", "x"}},
        {.panel = 1, .dimensions = 2, .column = {0, 2}, .name = {"t", "y"}},
        {.panel = 2, .dimensions = 3, .column = {0, 1, 2}, .name = {"t", "x", "y"}},
        {.panel = 3, .dimensions = 2, .points = true, .column = {1, 2}, .name = {"x", "y"}}};
    CHECK(plot(picture, "a_b", all, 5, rows_of(t, x, y, N)) == RITT_OK);
    CHECK(!strncmp(contents(picture), kinds[i].first, strlen(kinds[i].first)));
    if (ritt_error_count(error)) printf("%s\n", ritt_error_get(error, 0)->text);
    // names are drawn as they are
    if (i == 0) CHECK(strstr(contents(picture), "a_b") && strstr(contents(picture), "y^{2}"));
    unlink(picture);
  }
  CHECK(plot("/no/such/folder/a.svg", "a", &circle, 1, rows_of(t, x, y, N)) == RITT_SYSTEM);
  CHECK_TEXT(ritt_error_get(error, 0)->text,
             "cannot write '/no/such/folder/a.svg': no such file or directory");
}

int main(void) {
  if (!mkdtemp(folder)) return 1;
  snprintf(picture, sizeof picture, "%s/a.svg", folder);
  snprintf(fake, sizeof fake, "%s/gnuplot", folder);
  snprintf(seen, sizeof seen, "%s/seen", folder);
  snprintf(log_file, sizeof log_file, "%s/log", folder);
  for (int i = 0; i < N; i++) t[i] = 1e-3 * i, x[i] = cos(t[i]), y[i] = sin(t[i]);
  signal(SIGPIPE, SIG_IGN);
  error = ritt_error_new();
  // the true one first, while it can be found
  check_true_gnuplot();
  setenv("PATH", folder, 1);
  snprintf(picture, sizeof picture, "%s/a.svg", folder);
  check_names();
  check_bad_gnuplots();
  check_script();
  check_values();
  check_kept_script();
  check_aspect();
  check_long();
  ritt_error_free(error);
  unlink(picture), unlink(fake), unlink(seen), unlink(log_file), rmdir(folder);
  return CHECKS_DONE();
}
