/* The sections of a model: start values, runs, columns, plots, scales, invariants. */
#include "lang_test.h"

#define HEAD                                                                                       \
  "model m\nvariable x, y\nparameter a = 2\nlet r = x + y, k = 2*a\nequation\n  x' = y\n  y' = -x\n"

static void check_start(void) {
  ritti_model *m = read_text(
      HEAD
      "start t = a/4, x=1.2345\n  x' ~ -  0.50000 # a guess\n  y = a  *\n   2, der(y, 3)  ~ k\n",
      true);
  CHECK(m && m->starts == 4);
  if (!m) return;
  CHECK(m->start_x == 0.5 && m->start_place.line == 8 && m->start_place.column == 7);
  CHECK(m->start[0].variable == 0 && m->start[0].order == 0 && m->start[0].fixed &&
        m->start[0].number == 1.2345);
  CHECK_NEAR(m->start[0].half_unit, 0.5e-4, 1e-19);
  CHECK_TEXT(m->start[0].text, "x = 1.2345");
  CHECK(m->start[1].order == 1 && !m->start[1].fixed && m->start[1].number == -0.5);
  CHECK_NEAR(m->start[1].half_unit, 0.5e-5, 1e-20);
  CHECK_TEXT(m->start[1].text, "x' ~ - 0.50000");
  CHECK(m->start[2].number == 4 && m->start[2].half_unit == 0 && m->start[2].variable == 1);
  CHECK_TEXT(m->start[2].text, "y = a * 2");
  CHECK(m->start[3].order == 3 && m->start[3].number == 4);
  CHECK_TEXT(m->start[3].text, "der(y,3) ~ k");
  ritti_model_free(m);
}

static void check_no_start(void) {
  ritti_model *m = read_text(HEAD, true);
  CHECK(m && m->starts == 0 && m->start_x == 0 && m->start_place.line == 0 &&
        m->run == RITTI_RUN_NONE);
  ritti_model_free(m);
}

static void check_run(const char *solve, ritti_run_kind kind, double start, double end) {
  char text[512];
  snprintf(text, sizeof text, "%s%s", HEAD, solve);
  ritti_model *m = read_text(text, true);
  CHECK(m && m->run == kind && m->start_x == start && m->run_end == end);
  ritti_model_free(m);
}

static void check_runs(void) {
  check_run("solve t = 0 .. 50\n", RITTI_RUN_X, 0, 50);
  check_run("solve t = 0..50\n", RITTI_RUN_X, 0, 50);
  check_run("solve t = .. 50\n", RITTI_RUN_X, 0, 50);
  check_run("start t = 1\nsolve t = .. -a\n", RITTI_RUN_X, 1, -2);
  check_run("start t = a/2\nsolve t = 1 .. 3\n", RITTI_RUN_X, 1, 3);
  check_run("solve arc = 0 .. 3\n", RITTI_RUN_ARC, 0, 3);
  check_run("solve arc = .. -3\nstart t = 2\n", RITTI_RUN_ARC, 2, -3);
}

static void check_columns(void) {
  char b[512];
  ritti_model *m =
      read_text(HEAD "output t, x, E = (x'^2 + y'^2)/2, x' + y,\n  r * 2\n"
                     "plot (x, y), (x', r)\n  (x, x)\nplot t: x, E, 2 * x\nplot (x + 1)*2: (x)\n",
                true);
  CHECK(m && m->outputs == 4 && m->panels == 3);
  if (!m) return;
  CHECK_TEXT(m->output[0].name, "x");
  CHECK_TEXT(m->output[1].name, "E");
  CHECK_TEXT(m->output[2].name, "x'+y");
  CHECK_TEXT(m->output[3].name, "r*2");
  CHECK_TEXT(printed(m, m->output[3].expr, b), "2*(x + y)");
  CHECK(m->output[3].place.line == 9 && m->output[3].place.column == 3);
  /* x, y, x', r, t, E, 2*x, (x+1)*2: every expression once */
  CHECK(m->plot_columns == 8);
  CHECK(m->panel[0].curves == 3 && m->panel[1].curves == 3 && m->panel[2].curves == 1);
  CHECK(m->panel[0].curve[2].x == 0 && m->panel[0].curve[2].y == 0);
  CHECK_TEXT(m->plot_column[m->panel[1].curve[0].x].name, "t");
  CHECK_TEXT(m->plot_column[m->panel[1].curve[1].y].name, "E");
  CHECK(m->plot_column[m->panel[1].curve[1].y].expr == m->output[1].expr);
  CHECK_TEXT(m->plot_column[m->panel[2].curve[0].x].name, "(x+1)*2");
  CHECK(m->panel[2].curve[0].y == 0);
  ritti_model_free(m);
}

static void check_rest(void) {
  char b[512];
  ritti_model *m = read_text(
      HEAD "scale x = a/1000\nindependent t\ninvariant x^2 + y^2 = a^2\n  x = y\n  x*t\n", true);
  CHECK(m && m->invariants == 3);
  if (!m) return;
  CHECK(m->variable[0].scale == 0.002 && m->variable[1].scale == 0);
  CHECK_TEXT(printed(m, m->invariant[0].value, b), "a^2");
  /* a right side that moves goes to the left */
  CHECK(ritti_is_zero(m->dag, m->invariant[1].value));
  CHECK_TEXT(printed(m, m->invariant[1].expr, b), "x - y");
  CHECK(m->invariant[2].value == RITTI_NIL);
  CHECK(m->equation[1].residual ==
        ritti_subtract(m->dag, m->equation[1].left, m->equation[1].right));
  ritti_model_free(m);
}

static void check_independent(void) {
  ritti_model *m = read_text(
      "model m\nindependent s\nvariable t\nequation t' = s*t\nstart s = 1, t = 2\nsolve s = 1 .. 2\n",
      true);
  CHECK(m && m->start_x == 1 && m->starts == 1 && m->run == RITTI_RUN_X && m->run_end == 2);
  if (m) CHECK_TEXT(m->independent, "s");
  if (m) CHECK_TEXT(m->names.variable[0], "t");
  ritti_model_free(m);
}

int main(void) {
  check_start();
  check_no_start();
  check_runs();
  check_columns();
  check_rest();
  check_independent();
  return CHECKS_DONE();
}
