/* Unknowns that are taken out before the completion are known to everything else by name: outputs
 * and their derivatives, events, invariants, other parameters. Runs against closed forms, and
 * against the same model with the unknown as a `let`. */
#include "run.h"

/* x = exp(-t), v = x^2, w = -v + 1: v falls through 1/4 at t = log 2. */
static void check_outputs_and_event(void) {
  run *r = run_text("model m\nvariable x, v, w\nequation\n  v = x^2\n  x' = -x\n  w + v = 1\n"
                    "start x = 1\nsolve t = 0 .. 5\n  tolerance 1e-10\n"
                    "event quarter: v = 0.25 falling -> stop\noutput x, v, v', w''\n");
  CHECK(run_go(r, NULL));
  for (size_t i = 0; i < r->rows; i++) {
    double t = run_get(r, i, "t");
    CHECK_NEAR(run_get(r, i, "v"), exp(-2 * t), 1e-9);
    CHECK_NEAR(run_get(r, i, "v'"), -2 * exp(-2 * t), 1e-9);
    CHECK_NEAR(run_get(r, i, "w''"), -4 * exp(-2 * t), 1e-9);
  }
  CHECK_NEAR(run_last(r, "t"), log(2), 1e-9);
  run_free(r);

  /* without an output list every unknown has a column, in the order of the file */
  r = run_text("model m\nvariable v, x\nequation\n  v = 3*x\n  x' = -x\nstart x = 1\n"
               "solve t = 0 .. 1\n");
  CHECK(run_go(r, NULL));
  CHECK(r->names == 3 && !strcmp(r->name[1], "v") && !strcmp(r->name[2], "x"));
  for (size_t i = 0; i < r->rows; i++)
    CHECK_NEAR(run_get(r, i, "v"), 3 * run_get(r, i, "x"), 1e-15);
  run_free(r);
}

/* An energy that is an unknown may be an invariant; the run keeps it. */
static void check_invariant(void) {
  run *r = run_text("model m\nvariable E, x, v\nequation\n  x' = v\n  v' = -x\n"
                    "  E = (v^2 + x^2)/2\nstart x = 0.6, v = 0.8\nsolve t = 0 .. 50\n"
                    "invariant E\n");
  CHECK(run_go(r, NULL));
  for (size_t i = 0; i < r->rows; i++) CHECK_NEAR(run_get(r, i, "E"), 0.5, 1e-14);
  run_free(r);
}

/* The heat equation with a boundary value that is an unknown, and with the same value put in. */
static void check_boundary(void) {
  static const char *const HEAD =
      "model heat\nparameter n = 20, dx = 1/n\nfunction k(u) = 1 + 2*u\n";
  static const char *const TAIL =
      "start for i in 1..n-1: T[i] = 1\nsolve t = 0 .. 1\n  method radau5\n  tolerance 1e-6\n"
      "output T[10]\n";
  char unknown[1024], put_in[1024];
  snprintf(unknown, sizeof unknown,
           "%svariable T[0..n-1]\n"
           "let q[i in 1..n] = if i = n then 0 else k((T[i] + T[i-1])/2)*(T[i] - T[i-1])/dx\n"
           "equation\n  T[0] = 1 + 0.5*sin(10*t)\n"
           "  for i in 1..n-1: T[i]' = (q[i+1] - q[i])/dx\n%s",
           HEAD, TAIL);
  snprintf(put_in, sizeof put_in,
           "%svariable T[1..n-1]\nlet B = 1 + 0.5*sin(10*t)\n"
           "let q[i in 2..n] = if i = n then 0 else k((T[i] + T[i-1])/2)*(T[i] - T[i-1])/dx\n"
           "equation\n  T[1]' = (q[2] - k((T[1] + B)/2)*(T[1] - B)/dx)/dx\n"
           "  for i in 2..n-1: T[i]' = (q[i+1] - q[i])/dx\n%s",
           HEAD, TAIL);
  run *a = run_text(unknown), *b = run_text(put_in);
  CHECK(run_go(a, NULL) && run_go(b, NULL));
  CHECK(a->statistics.accepted == b->statistics.accepted);
  CHECK_NEAR(run_last(a, "T[10]"), run_last(b, "T[10]"), 1e-10);
  run_free(a);
  run_free(b);
}

/* A product of an unknown that jumps with its source: p = u*x with u = sign(sin(t)), x' = u. */
static void check_jump(void) {
  run *r = run_text("model m\nvariable x, u, p\nequation\n  u = sign(sin(t))\n  x' = u\n  p = u*x\n"
                    "start x = 0\nsolve t = 0 .. 6\noutput x, p\n");
  CHECK(run_go(r, NULL));
  CHECK_NEAR(run_last(r, "x"), 2 * acos(-1) - 6, 1e-7);
  CHECK_NEAR(run_last(r, "p"), 6 - 2 * acos(-1), 1e-7);
  run_free(r);
}

/* p*v = x determines v while p is not 0; then x = cos(t), and v is its derivative. */
static void check_parameter(void) {
  static const int free_values[] = {1, 0}, index[] = {1, 2};
  run *r = run_text("model m\nparameter p = 2\nvariable v, x\nequation\n  p*v = x - cos(t)\n"
                    "  x' = -v\nstart t = 0\nsolve t = 0 .. 1\n");
  for (int zero = 0; zero < 2; zero++) {
    const ritt_check *check = NULL;
    if (zero) run_set(r, "p", "0");
    CHECK(ritt_model_check(r->model, r->error, &check) == RITT_OK);
    CHECK(check && check->degrees_of_freedom == free_values[zero]);
    CHECK(check && check->index == index[zero]);
  }
  CHECK(run_go(r, NULL));
  CHECK_NEAR(run_last(r, "v"), sin(1), 1e-7);
  run_free(r);
}

/* A chain of 600 unknowns, each half its predecessor and 1: errors shrink from member to member. A
 * member that is found from its successor has errors that double. */
static void check_chain(void) {
  run *r = run_text("model m\nvariable x[0..600]\nequation\n  x[0]' = -x[0]\n"
                    "  for i in 1..600: x[i] = 0.5*x[i-1] + 1\nstart x[0] = 1\nsolve t = 0 .. 1\n"
                    "output x[0], x[1], x[199], x[200], x[400], x[600]\n");
  CHECK(run_go(r, NULL));
  for (size_t i = 0; i < r->rows; i++) {
    CHECK_NEAR(run_get(r, i, "x[1]"), 0.5 * run_get(r, i, "x[0]") + 1, 1e-14);
    CHECK_NEAR(run_get(r, i, "x[199]"), 2, 1e-14);
    CHECK_NEAR(run_get(r, i, "x[200]"), 2, 1e-14);
    CHECK_NEAR(run_get(r, i, "x[400]"), 2, 1e-14);
    CHECK_NEAR(run_get(r, i, "x[600]"), 2, 1e-14);
  }
  run_free(r);
}

/* Multiples in a row are taken out together: a = -2b, b = 3c, ..., with factors that are multiplied. If one of
 * them would take a highest derivative out of an equation, they are tried one by one. */
static void check_multiples(void) {
  run *r = run_text(
      "model m\nvariable a, b, c, d, x\nequation\n  a + 2*b = 0\n  b = 3*c\n  5*d - c = 0\n"
      "  d = x\n  x' = -x + a + 30*d\nstart x = 1\nsolve t = 0 .. 1\noutput a, b, c, d\n");
  CHECK(run_go(r, NULL));
  double x = exp(-1);
  CHECK_NEAR(run_last(r, "a"), -30 * x, 1e-5);
  CHECK_NEAR(run_last(r, "b"), 15 * x, 1e-5);
  CHECK_NEAR(run_last(r, "c"), 5 * x, 1e-5);
  CHECK_NEAR(run_last(r, "d"), x, 1e-6);
  run_free(r);

  r = run_text(
      "model m\nvariable v, w, x, y, z\nequation\n  v - w = 0\n  (v - w)*x'' + x' + x = 0\n"
      "  w = 2 + sin(t)\n  y + z = 0\n  z = v + x\nstart x = 1\nsolve t = 0 .. 1\noutput x, y\n");
  CHECK(run_go(r, NULL));
  CHECK_NEAR(run_last(r, "x"), x, 1e-6);
  CHECK_NEAR(run_last(r, "y"), -(2 + sin(1) + x), 1e-6);
  run_free(r);
}

int main(void) {
  check_multiples();
  check_chain();
  check_outputs_and_event();
  check_invariant();
  check_boundary();
  check_jump();
  check_parameter();
  return CHECKS_DONE();
}
