/* Plots, with a gnuplot that is missing, fails, is killed, answers rubbish or shows what it was given; and
 * with the true one where it is installed. */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "output/output.h"
#include "check.h"

static char folder[] = "/tmp/ritt-t_plot-XXXXXX", picture[64], fake[64], seen[64];
static ritt_error *error;

enum { N = 30000 };
static double t[N], x[N], y[N];
static const ritti_plot_curve circle = {0, x, y, N, "x_1'", "y^{2}"};

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
  ritt_error_clear(error);
  return ritti_plot_write(path, "it's a {title}\n`x`", &circle, 1, error);
}

static void check_names(void) {
  CHECK(ritti_plot_known("a.svg") && ritti_plot_known("d/a.png") && ritti_plot_known("a.b.pdf"));
  CHECK(!ritti_plot_known("a.gif") && !ritti_plot_known("svg") && !ritti_plot_known(".svg") &&
        !ritti_plot_known(""));
  CHECK(draw(NULL, "a.gif") == RITT_WRONG_CALL);
  CHECK_TEXT(ritt_error_get(error, 0)->text, "no plot can be written as 'a.gif'");
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
       "gnuplot ended well, but what it gave is no .svg picture"},
      {"exit 0", "gnuplot ended well, but what it gave is no .svg picture"},
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

/* what gnuplot is told, seen by a gnuplot that writes it down */
static void check_script(void) {
  char script[256];
  snprintf(script, sizeof script,
           "while IFS= read -r l; do printf '%%s\\n' \"$l\"; done > %s; printf '<?xml fine'", seen);
  CHECK(draw(script, picture) == RITT_OK);
  CHECK_TEXT(contents(picture), "<?xml fine");
  const char *told = contents(seen);
  CHECK(strstr(told, "set title 'it''s a {title} `x`' noenhanced\n"));
  CHECK(strstr(told, "set xlabel 'x_1''' noenhanced\n") && strstr(told, "set ylabel 'y^{2}' noenhanced\n"));
  CHECK(strstr(told, "set size ratio -1\n")); /* a phase curve */
  CHECK(strlen(told) < 500000);               /* not every point of a long run */
  CHECK(strstr(told, "exit\n"));
  // curves over time keep their shape; two curves get a key; an empty panel is not drawn
  ritti_plot_curve three[] = {{0, t, x, N, "t", "x"}, {0, t, y, N, "t", "y"}, {2, x, y, N, "x", "y"}};
  ritt_error_clear(error);
  CHECK(ritti_plot_write(picture, NULL, three, 3, error) == RITT_OK);
  told = contents(seen);
  CHECK(strstr(told, "set multiplot layout 1,2 title '' noenhanced\n"));
  CHECK(strstr(told, "set size noratio\nset key") && strstr(told, "title 'x', $D1"));
  CHECK(strstr(told, "set size ratio -1\nunset key"));
}

static void check_values(void) {
  double bad[3] = {NAN, INFINITY, NAN}, one[1] = {2}, gap_x[5] = {0, 1, 2, 3, 4},
         gap_y[5] = {0, 1, NAN, 1, 0};
  ritti_plot_curve nothing = {0, bad, bad, 3, "t", "x"}, point = {0, one, one, 1, "t", "x"};
  ritti_plot_curve gap = {0, gap_x, gap_y, 5, "t", "x"};
  ritt_error_clear(error);
  CHECK(ritti_plot_write(picture, "m", &nothing, 1, error) == RITT_STOPPED);
  CHECK_TEXT(ritt_error_get(error, 0)->text, "there is nothing to plot: no row has finite values");
  CHECK(ritti_plot_write(picture, "m", &gap, 1, error) == RITT_OK);
  CHECK(strstr(contents(seen), "$D0 << EOD\n0 0\n1 1\n\n3 1\n4 0\nEOD\n"));
  CHECK(ritti_plot_write(picture, "m", &point, 1, error) == RITT_OK);
  CHECK(strstr(contents(seen), "with points"));
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
    ritti_plot_curve all[] = {circle, {1, t, x, N, "t", "x"}, {1, t, y, N, "t", "y"}, {2, t, t, 1, "t", "t"}};
    ritt_error_clear(error);
    CHECK(ritti_plot_write(picture, "a_b", all, 4, error) == RITT_OK);
    CHECK(!strncmp(contents(picture), kinds[i].first, strlen(kinds[i].first)));
    if (ritt_error_count(error)) printf("%s\n", ritt_error_get(error, 0)->text);
    // names are drawn as they are
    if (i == 0) CHECK(strstr(contents(picture), "a_b") && strstr(contents(picture), "y^{2}"));
    unlink(picture);
  }
  CHECK(ritti_plot_write("/no/such/folder/a.svg", "a", &circle, 1, error) == RITT_SYSTEM);
  CHECK_TEXT(ritt_error_get(error, 0)->text,
             "cannot write '/no/such/folder/a.svg': no such file or directory");
}

int main(void) {
  if (!mkdtemp(folder)) return 1;
  snprintf(picture, sizeof picture, "%s/a.svg", folder);
  snprintf(fake, sizeof fake, "%s/gnuplot", folder);
  snprintf(seen, sizeof seen, "%s/seen", folder);
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
  ritt_error_free(error);
  unlink(picture), unlink(fake), unlink(seen), rmdir(folder);
  return CHECKS_DONE();
}
