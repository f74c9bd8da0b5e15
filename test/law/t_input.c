/* Inputs that the caller sets during a run: piecewise solutions in closed form, forces that follow from
 * derivatives of an input, events, states, and the calls that are refused. */
#include "run.h"

/* A model with a solver at its start. */
typedef struct trial {
  run *r;
  ritt_solver *solver;
} trial;

static trial begin(const char *text, const char *native, const char *precision) {
  trial t = {.r = run_text(text)};
  ritt_options o = ritt_options_default();
  o.tolerance = 1e-10;
  if (native) o.native = native;
  if (precision) o.precision = precision;
  if (t.r->status == RITT_OK)
    t.r->status = ritt_solver_from_model(t.r->model, &o, t.r->error, &t.solver);
  if (t.r->status != RITT_OK) run_complain(t.r, "begin");
  return t;
}

static void end(trial *t) {
  ritt_solver_free(t->solver);
  run_free(t->r);
}

static ritt_status set(trial *t, const char *name, double u) {
  ritt_error_clear(t->r->error);
  t->r->status = ritt_solver_input(t->solver, name, &u, 1, t->r->error);
  return t->r->status;
}

static void go_to(trial *t, double x) {
  t->r->status = ritt_solver_run_to(t->solver, x, t->r->error);
  if (t->r->status != RITT_OK) run_complain(t->r, "run");
}

static double value(trial *t, const char *name) {
  double v = NAN;
  if (ritt_solver_value(t->solver, name, &v, t->r->error) != RITT_OK) run_complain(t->r, name);
  return v;
}

static const char *message(const trial *t) {
  return ritt_error_count(t->r->error) ? ritt_error_get(t->r->error, 0)->text : "(none)";
}

static const char lag[] = "model lag\n"
                          "input u = 3\n"
                          "variable x\n"
                          "equation x' = u - x\n"
                          "start x = 0\n"
                          "solve t = 0 .. 4\n"
                          "output x, u, r = u'\n";

/* x' = u - x with u = 3, then 1, then 1 + 2 s + s^2/2 from t = 2 on: there
 * x = 1 + s^2/2 + s - 1 + (x(2) - 0) e^-s + ... from the method of undetermined coefficients. */
static void test_lag(const char *precision) {
  trial t = begin(lag, NULL, precision);
  go_to(&t, 1);
  double x1 = 3 * (1 - exp(-1.0));
  CHECK_NEAR(value(&t, "x"), x1, 1e-9);
  CHECK(set(&t, "u", 1) == RITT_OK);
  CHECK_NEAR(value(&t, "u"), 1, 0);
  go_to(&t, 2);
  double x2 = 1 + (x1 - 1) * exp(-1.0);
  CHECK_NEAR(value(&t, "x"), x2, 1e-9);

  /* the particular solution is s + s^2/2: its derivative 1 + s and itself add up to u */
  const double u[3] = {1, 2, 1};
  CHECK(ritt_solver_input(t.solver, "u", u, 3, t.r->error) == RITT_OK);
  go_to(&t, 3.5);
  double s = 1.5;
  CHECK_NEAR(value(&t, "x"), s + s * s / 2 + x2 * exp(-s), 1e-9);
  CHECK_NEAR(value(&t, "u"), 1 + 2 * s + s * s / 2, 1e-12);
  CHECK_NEAR(value(&t, "r"), 2 + s, 1e-12);
  end(&t);
}

/* An input that was not set again goes on as it was when another one is set. */
static void test_two_inputs(void) {
  trial t = begin("model two\ninput a, b\nvariable x\nequation x' = a + b\nstart x = 0\n"
                  "solve t = 0 .. 4\noutput x, a\n",
                  NULL, NULL);
  const double a[3] = {0, 1, 1};
  CHECK(ritt_solver_input(t.solver, "a", a, 3, t.r->error) == RITT_OK);
  go_to(&t, 1);
  CHECK(set(&t, "b", 5) == RITT_OK);
  CHECK_NEAR(value(&t, "a"), 1.5, 1e-14);
  go_to(&t, 2);
  /* the integral of s + s^2/2 from 0 to 2, and 5 */
  CHECK_NEAR(value(&t, "x"), 2 + 8.0 / 6 + 5, 1e-9);
  CHECK_NEAR(value(&t, "a"), 4, 1e-13);
  end(&t);
}

/* Algebraic unknowns follow a jump at once, states stay: y^3 + y = u, as an unknown of the direction
 * and as one of the manifold, which holds the derivative of the equation too. */
static void test_algebraic(const char *kind) {
  char text[300];
  snprintf(text, sizeof text,
           "model step\ninput u = 2\nvariable x, y\nequation\n  x' = y - x\n  y^3 + y = u\n"
           "start x = 0\nsolve t = 0 .. 4\n  kind %s\noutput x, y\n",
           kind);
  trial t = begin(text, NULL, NULL);
  go_to(&t, 1);
  double x = 1 - exp(-1.0); /* y = 1 */
  CHECK_NEAR(value(&t, "x"), x, 1e-9);
  CHECK_NEAR(value(&t, "y"), 1, 1e-12);
  const double u[2] = {10, 0};
  size_t count = strcmp(kind, "general") ? 1 : 2;
  CHECK(ritt_solver_input(t.solver, "u", u, count, t.r->error) == RITT_OK);
  CHECK_NEAR(value(&t, "y"), 2, 1e-12);
  CHECK_NEAR(value(&t, "x"), x, 1e-9);
  go_to(&t, 2);
  CHECK_NEAR(value(&t, "x"), 2 + (x - 2) * exp(-1.0), 1e-9);
  end(&t);
}

static const char guided[] = "model guided\n"
                             "parameter m = 2\n"
                             "input u\n"
                             "variable x, F\n"
                             "equation\n"
                             "  m*x'' = F\n"
                             "  guide: x = u\n"
                             "solve t = 0 .. 4\n"
                             "output x, v = x', F\n";

/* A mass on a guide: F = m u''. Without derivatives the call is refused, and names the equation. */
static void test_guided(void) {
  trial t = begin(guided, NULL, NULL);
  int derivatives = 7;
  CHECK_TEXT(ritt_model_input(t.r->model, 0, &derivatives), "u");
  CHECK(derivatives == 2);
  CHECK(!ritt_model_input(t.r->model, 1, NULL));
  CHECK(set(&t, "u", 1) == RITT_WRONG_CALL);
  CHECK_TEXT(message(&t), "the input u = 'u' is differentiated, because equation 'guide' (line 7) "
                          "has to be: u' and u'' must be given");
  const double u[3] = {0, 3, 4};
  CHECK(ritt_solver_input(t.solver, "u", u, 3, t.r->error) == RITT_OK);
  CHECK_NEAR(value(&t, "F"), 8, 1e-12);
  CHECK_NEAR(value(&t, "v"), 3, 1e-12);
  go_to(&t, 0.5);
  CHECK_NEAR(value(&t, "x"), 2, 1e-12);
  CHECK_NEAR(value(&t, "v"), 5, 1e-12);
  CHECK_NEAR(value(&t, "F"), 8, 1e-12);
  const double next[3] = {2, 5, -1};
  CHECK(ritt_solver_input(t.solver, "u", next, 3, t.r->error) == RITT_OK);
  go_to(&t, 1.5);
  CHECK_NEAR(value(&t, "x"), 6.5, 1e-12);
  CHECK_NEAR(value(&t, "F"), -2, 1e-12);
  end(&t);
}

/* An event whose function changes sign with an input happens at once. */
static void test_event(void) {
  trial t = begin("model latch\ninput u\nvariable x, n\nequation\n  x' = u\n  n' = 0\n"
                  "start x = 1, n = 0\nevent on: u = 1 rising -> n := n + 1, x := 10\n"
                  "solve t = 0 .. 4\noutput x, n\n",
                  NULL, NULL);
  go_to(&t, 1);
  CHECK(set(&t, "u", 0.5) == RITT_OK);
  CHECK_NEAR(value(&t, "n"), 0, 0);
  go_to(&t, 2);
  CHECK_NEAR(value(&t, "x"), 1.5, 1e-12);
  CHECK(set(&t, "u", 2) == RITT_OK);
  CHECK_NEAR(value(&t, "n"), 1, 0);
  CHECK_NEAR(value(&t, "x"), 10, 0);
  go_to(&t, 3);
  CHECK_NEAR(value(&t, "x"), 12, 1e-12);
  CHECK_NEAR(value(&t, "n"), 1, 0);
  end(&t);
}

/* Follows a plan of inputs with native code or without; a solver that takes over the state in the
 * middle ends with the same bits. */
static double follow_plan(const char *native, bool hand_over) {
  trial t = begin(lag, native, NULL);
  for (int k = 0; k < 6; k++) {
    double u = k % 2 ? 1.5 : -0.25;
    CHECK(set(&t, "u", u) == RITT_OK);
    go_to(&t, 0.3 * (k + 1));
    if (k == 3 && hand_over) {
      static unsigned char state[1 << 16];
      size_t size = 0;
      CHECK(ritt_solver_save(t.solver, state, sizeof state, &size, t.r->error) == RITT_OK);
      trial other = begin(lag, native, NULL);
      CHECK(ritt_solver_load(other.solver, state, size, other.r->error) == RITT_OK);
      end(&t);
      t = other;
    }
  }
  double x = value(&t, "x");
  end(&t);
  return x;
}

static void test_bits(void) {
  double x = follow_plan("never", false);
  CHECK(follow_plan("never", true) == x);
  CHECK(follow_plan("always", false) == x);
}

static void test_refusals(void) {
  trial t = begin(lag, NULL, NULL);
  const double four[4] = {0}, none = NAN;
  CHECK(set(&t, "v", 1) == RITT_WRONG_CALL);
  CHECK_TEXT(message(&t), "the model has no input 'v' that can be set during a run");
  CHECK(ritt_solver_input(t.solver, "u", four, 4, t.r->error) == RITT_WRONG_CALL);
  CHECK(set(&t, "u", none) == RITT_WRONG_CALL);
  CHECK_TEXT(message(&t), "a value of the input 'u' is not a finite number");
  end(&t);

  /* a formula of the model cannot be set */
  t = begin("model f\ninput u = sin(t)\nvariable x\nequation x' = u\nstart x = 0\n"
            "solve t = 0 .. 1\n",
            NULL, NULL);
  CHECK(set(&t, "u", 1) == RITT_WRONG_CALL);
  CHECK(!ritt_model_input(t.r->model, 0, NULL));
  end(&t);
}

/* (p, q) with p + 2 sin(p) = -3.7 + u and q + 2 sin(q) = 3.7 - u/2 in mixed coordinates: if u steps from 0 to 7 both
 * keep their branches between the folds at +-2 pi / 3 (t_switches.c has the same for switches and events). */
static void test_branch(void) {
  trial t = begin("model way\ninput u = 0\nvariable x, v, w\n"
                  "let p = 0.6*v - 0.8*w, q = 0.8*v + 0.6*w\n"
                  "let F = p + 2*sin(p) - x - u, G = q + 2*sin(q) + x + u/2\nequation\n  x' = 0\n"
                  "  3*F + G = 0\n  F - 2*G = 0\nstart x = -3.7, v ~ 0.4, w ~ 2.7\n"
                  "output p, q\nsolve t = 0 .. 2\n",
                  NULL, NULL);
  go_to(&t, 1);
  CHECK(set(&t, "u", 7) == RITT_OK);
  go_to(&t, 2);
  double p = value(&t, "p"), q = value(&t, "q");
  CHECK(fabs(p) < 2.0944 && fabs(q) < 2.0944);
  CHECK_NEAR(p + 2 * sin(p), 3.3, 1e-12);
  CHECK_NEAR(q + 2 * sin(q), 0.2, 1e-12);
  end(&t);
}

int main(void) {
  test_branch();
  test_lag(NULL);
  test_lag("quad");
  test_two_inputs();
  test_algebraic("auto");
  test_algebraic("general");
  test_guided();
  test_event();
  test_bits();
  test_refusals();
  return CHECKS_DONE();
}
