/* Singular points of single equations: found from points beside them, with the kind and the
 * eigenvalues that the closed form of the linearisation gives. */
#include "geometry/singular.h"
#include "api/pipeline.h"
#include "run.h"

static const ritt_real size[] = {1, 1, 1, 1};

/* Newton's method from the point `from` leads to the singular point z; trace and determinant of the
 * lifted field there. */
static void check_point(const char *text, const double *from, const double *z, const char *kind,
                        double trace, double det) {
  run *r = run_text(text);
  const ritt_check *check;
  ritti_arena *arena = ritti_arena_new();
  ritti_singular X;
  CHECK(ritt_model_check(r->model, r->error, &check) == RITT_OK);
  const ritti_problem *p = r->model->problem;
  ritt_real *work = ritti_arena_alloc(arena, p->work_size + 1, sizeof *work);
  p->work_init(p->data, work);
  CHECK(ritti_singular_init(&X, p, work, arena) == RITT_OK);
  if (!ritti_singular_locate(&X, from, size, NULL)) {
    CHECK(!"found");
  } else {
    for (int i = 0; i < p->m; i++) CHECK_NEAR(X.z[i], z[i], 1e-13);
    CHECK_TEXT(ritti_singular_word(X.kind), kind);
    ritt_real(*e)[2] = X.eigenvalue, square = trace * trace / 4 - det, root = sqrt(fabs(square));
    if (isnan(trace)) {
      CHECK(isnan(e[0][0]));
    } else {
      CHECK_NEAR(e[0][0], trace / 2 + (square > 0 ? root : 0), 1e-7);
      CHECK_NEAR(e[1][0], trace / 2 - (square > 0 ? root : 0), 1e-7);
      CHECK_NEAR(e[0][1], square > 0 ? 0 : root, 1e-7);
      CHECK_NEAR(e[1][1], square > 0 ? 0 : -root, 1e-7);
    }
    CHECK(X.sigmas > 0 && X.sigma[X.sigmas - 1] < 1e-12);
    CHECK(X.sigmas < 2 || X.sigma[X.sigmas - 2] > 0.01);
  }
  ritti_arena_free(arena);
  run_free(r);
}

/* The exceptional points of the jet paper, section 2.3. */
static void check_papers(void) {
  /* y'^2 + y^2 + x^2 = 1 at (0, +-1, 0): in (x, p) the lifted field is (2p, -2x - 2yp), trace -2y,
   * determinant 4 */
  static const char *const sphere =
      "model s\nindependent x\nvariable y\nequation y'^2 + y^2 + x^2 = 1\n"
      "start x = 0.6\n  y = 0, y' ~ 0.8\nsolve arc = 0 .. 1\n";
  check_point(sphere, (double[]){0.3, 0.8, 0.2}, (double[]){0, 1, 0}, "folded focus", -2, 4);
  check_point(sphere, (double[]){-0.2, -0.9, 0.3}, (double[]){0, -1, 0}, "folded focus", 2, 4);
  /* y^2 y'^2 - 2y' + x^2 = 0 at (1, -1, 1): the tangent plane is dx = dy; in (dx, dp) the linear
   * part is
   * (-4 2; -4 6), trace 2, determinant -16; at (-1, 1, 1) it is (4 2; -4 -6) */
  static const char *const asymptotic =
      "model a\nindependent x\nvariable y\nequation y^2*y'^2 - 2*y' + x^2 = 0\n"
      "start x = 0.5\n  y = 1, y' ~ 0.134\nsolve arc = 0 .. 1\n";
  check_point(asymptotic, (double[]){0.9, -0.9, 1.2}, (double[]){1, -1, 1}, "folded saddle", 2,
              -16);
  check_point(asymptotic, (double[]){-0.8, 1.1, 0.9}, (double[]){-1, 1, 1}, "folded saddle", -2,
              -16);
}

/* (y' + k x)^2 = y, the normal form of Davydov: at the origin, in (x, u = y' + k x), the lifted
 * field is (2u, u - k x) */
static void check_normal_form(void) {
  static const struct {
    const char *k, *kind;
    double value;
  } forms[] = {{"-1", "folded saddle", -1}, {"1/10", "folded node", 0.1}, {"1", "folded focus", 1}};
  for (int i = 0; i < 3; i++) {
    char text[256];
    snprintf(
        text, sizeof text,
        "model d\nindependent x\nvariable y\nequation (y' + (%s)*x)^2 = y\nstart x = 1\n  y = 1, y' ~ %g\n",
        forms[i].k, 1 - forms[i].value);
    /* the trace in the orthonormal frame is that in (x, u): both span the same plane */
    check_point(text, (double[]){0.1, 0.05, -0.1}, (double[]){0, 0, 0}, forms[i].kind, 1,
                2 * forms[i].value);
  }
}

/* Equations that are linear in y': the field (A, -b) of the plane. */
static void check_plane(void) {
  static const char *const saddle =
      "model p\nindependent x\nvariable y\nequation x*y' = -2*y\nstart x = 1\n  y = 1\n";
  check_point(saddle, (double[]){0.2, 0.3}, (double[]){0, 0}, "saddle", -1, -2);
  static const char *const focus =
      "model p\nindependent x\nvariable y\nequation (x - y)*y' = x + y\nstart x = 1\n  y = 0\n";
  check_point(focus, (double[]){0.2, 0.3}, (double[]){0, 0}, "focus", 2, 2);
  static const char *const centre =
      "model p\nindependent x\nvariable y\nequation y*y' = -x\nstart x = 0\n  y = 1\n";
  check_point(centre, (double[]){0.2, 0.3}, (double[]){0, 0}, "centre", 0, 1);
}

/* Legendre's equation at t = 1, 2y' = 6y: a line of singular points in three dimensions; the
 * nearest one is found */
static void check_legendre(void) {
  static const char *const text = "model l\nvariable y\nequation (1 - t^2)*y'' - 2*t*y' + 6*y = 0\n"
                                  "start t = 0\n  y = -1/2, y' = 0\n";
  /* nearest point to (y, y') = (1, 2.9) on y' = 3y: (y + 3y')/10 (1, 3) */
  check_point(text, (double[]){1, 1, 2.9}, (double[]){1, 0.97, 2.91}, "singular point", NAN, NAN);
}

/* ---- in runs ---- */

static bool stops_with(run *r, const ritt_options *o, const char *words) {
  run_try(r, o);
  if (r->status == RITT_STOPPED && strstr(ritt_error_get(r->error, 0)->text, words)) return true;
  printf("status %d: %s\n", (int)r->status,
         ritt_error_count(r->error) ? ritt_error_get(r->error, 0)->text : "no message");
  return false;
}

/* the only special point of a run */
static const ritt_special *only_special(const run *r, const char *kind, bool passed) {
  static const ritt_special none;
  CHECK(r->statistics.specials == 1);
  if (r->statistics.specials != 1) return &none;
  const ritt_special *p = &r->statistics.special[0];
  CHECK_TEXT(p->kind, kind);
  CHECK(p->passed == passed);
  CHECK(r->statistics.singular_points == (passed ? 1 : 0));
  return p;
}

/* (y' + k x)^2 = y has the solutions y = c x^2, c = (2c + k)^2, through its singular point. */
static run *open_normal_form(double k, int root, bool arc, double *c) {
  char text[512];
  *c = (1 - 4 * k + root * sqrt(1 - 8 * k)) / 8;
  double length = 2 * sqrt(1 + 4 * *c * *c * 2); /* more than enough */
  snprintf(text, sizeof text,
           "model d\nindependent x\nparameter k = %.17g\nvariable y\nequation (y' + k*x)^2 = y\n"
           "start x = -1\n  y ~ %.17g, y' ~ %.17g\nsolve %s%.17g\noutput y, y', y''\n",
           k, *c, -2 * *c, arc ? "arc = 0 .. " : "x = -1 .. ", arc ? length : 1);
  return run_text(text);
}

static void check_passed(run *r, const ritt_options *o, const char *kind, double c, double error) {
  if (!run_go(r, o)) return;
  const ritt_special *p = only_special(r, kind, true);
  CHECK_NEAR(p->x, 0, 1e-9);
  for (size_t i = 0, every = 1 + r->rows / 200; i < r->rows; i += every) {
    double x = run_get(r, i, "x");
    CHECK_NEAR(run_get(r, i, "y"), c * x * x, error);
    CHECK_NEAR(run_get(r, i, "y'"), 2 * c * x, 3 * error);
    CHECK(i == 0 || x > run_get(r, i - every, "x"));
  }
}

/* Arc length of (x, c x^2, 2 c x) from 0 to 1: the integral of sqrt(a^2 + (2 c x)^2), a^2 = 1 + 4
 * c^2. */
static double half_length(double c) {
  double a = sqrt(1 + 4 * c * c), b = 2 * fabs(c);
  return (sqrt(a * a + b * b) + a * a / b * asinh(b / a)) / 2;
}

static void check_normal_form_run(double k, int root, const char *kind) {
  double c;
  for (int arc = 0; arc < 2; arc++) {
    run *r = open_normal_form(k, root, arc, &c);
    /* steps of the control, and short ones that come near the point: the two ways to see it */
    for (int way = 0; way < 4; way++) {
      ritt_options o = ritt_options_default();
      o.tolerance = 1e-10;
      o.points = way % 2 ? 41 : 0;
      if (way >= 2) o.constant_step = 1e-4 * 1.2345;
      CHECK(stops_with(r, &o, kind));
      const ritt_special *p = only_special(r, kind, false);
      CHECK_NEAR(p->x, 0, 1e-9);
      CHECK_NEAR(p->arc, half_length(c), 1e-6);
      CHECK_NEAR(p->eigenvalue[0][0] + p->eigenvalue[1][0], 1, 1e-6);
      CHECK_NEAR(p->eigenvalue[0][0] * p->eigenvalue[1][0], 2 * k, 1e-6);
      CHECK(r->rows > 1 && fabs(run_last(r, "x")) <= 1);
      o.singular = "through";
      check_passed(r, &o, kind, c, 1e-7);
      CHECK(arc || run_last(r, "x") == 1);
    }
    run_free(r);
  }
}

static void check_runs(void) {
  check_normal_form_run(-1, 1, "folded saddle");
  check_normal_form_run(-1, -1, "folded saddle");
  check_normal_form_run(-0.2, 1, "folded saddle");
  check_normal_form_run(0.1, -1, "folded node");
  /* named ways to the direction see it too */
  static const char *const ways[] = {"svd", "qr", "submatrix", "cg", "lu"};
  double c;
  run *r = open_normal_form(-1, 1, false, &c);
  for (int i = 0; i < 5; i++) {
    ritt_options o = ritt_options_default();
    o.direction = ways[i];
    CHECK(stops_with(r, &o, "folded saddle"));
    o.singular = "through";
    check_passed(r, &o, "folded saddle", c, 1e-7);
  }
  /* a run that ends before it, or within the gap, or starts just beyond, does not stop */
  ritt_options o = ritt_options_default();
  o.to = -0.01;
  CHECK(run_go(r, &o) && r->statistics.specials == 0);
  o.constant_step = 1e-4;
  o.singular = "through";
  o.to = 1e-5;
  CHECK(run_go(r, &o) && run_last(r, "x") == 1e-5);
  CHECK_NEAR(run_last(r, "y"), c * 1e-10, 1e-12);
  run_free(r);
}

/* The separatrices of the folded saddle (1, -1, 1) as power series in x - 1, summed with 150
 * digits. */
static void check_saddle_run(void) {
  run *r = run_file("papers/asymptotic_saddle", NULL);
  ritt_options o = ritt_options_default();
  CHECK(run_go(r, &o));
  CHECK_NEAR(run_last(r, "y"), -0.73539712065632829969, 1e-9);
  CHECK_NEAR(run_last(r, "y'"), 1.121130383198595895, 1e-8);
  const ritt_special *p = only_special(r, "folded saddle", true);
  CHECK_TEXT(p->point, "x = 1, y = -1, y' = 1");
  CHECK_NEAR(p->eigenvalue[0][0], 1 + sqrt(17), 1e-7);
  CHECK_NEAR(p->eigenvalue[1][0], 1 - sqrt(17), 1e-7);
  o.singular = "stop";
  CHECK(stops_with(
      r, &o,
      "a folded saddle: the equations do not determine the direction at x = 1, y = -1, y' = 1"));
  CHECK(strstr(ritt_error_get(r->error, 0)->text, "; eigenvalues 5.12311, -3.12311)"));
  run_free(r);
  /* the other one */
  r = run_text(
      "model a\nindependent x\nvariable y\nequation y^2*y'^2 - 2*y' + x^2 = 0\nstart x = 0.85\n"
      "  y = -1.1112466518574932486, y' ~ 0.544\nsolve x = 0.85 .. 1.15\n  singular through\n");
  o = run_options("dop853", 1e-12, NAN);
  CHECK(run_go(r, &o));
  CHECK_NEAR(run_last(r, "y"), -0.76722263059539178661, 1e-8);
  CHECK_NEAR(run_last(r, "y'"), 2.4984706536189143419, 1e-7);
  run_free(r);
}

/* Solutions on the sphere wind into (0, 1, 0) one way and into (0, -1, 0) the other, after a finite
 * length. */
static void check_focus_run(void) {
  run *r = run_file("papers/sphere_focus", NULL);
  for (int way = 1; way >= -1; way -= 2)
    for (int through = 0; through < 2; through++) {
      ritt_options o = ritt_options_default();
      o.to = 5 * way;
      o.singular = through ? "through" : "stop";
      CHECK(stops_with(r, &o, "a folded focus"));
      const ritt_special *p = only_special(r, "folded focus", false);
      CHECK_TEXT(p->point, way > 0 ? "x = 0, y = 1, y' = 0" : "x = 0, y = -1, y' = 0");
      CHECK_NEAR(p->eigenvalue[0][0], -way, 1e-6);
      CHECK_NEAR(p->eigenvalue[0][1], sqrt(3), 1e-6);
      CHECK_NEAR(run_last(r, "y"), way, 1e-12);
      CHECK_NEAR(p->arc, fabs(run_last(r, "arc")), 1e-6);
    }
  run_free(r);
}

/* A step that has gone over a focus is not taken for a way through it, whatever the tolerance. */
static void check_focus_steps(void) {
  for (double tolerance = 1e-3; tolerance > 1e-10; tolerance /= 10) {
    run *r =
        run_text("model d\nindependent x\nvariable y\nequation (y' + 0.3*x)^2 = y\nstart x = -0.5\n"
                 "  y = 0.3, y' ~ -0.4\nsolve arc = 0 .. 10\n");
    ritt_options o = ritt_options_default();
    o.tolerance = tolerance;
    o.singular = "through";
    CHECK(stops_with(r, &o, "a folded focus"));
    only_special(r, "folded focus", false);
    run_free(r);
  }
}

/* Legendre's equation: t = 1 is a singular point on the way of P_2, and infinitely far for all
 * others. */
static void check_legendre_run(void) {
  static const char *const text =
      "model l\nvariable y\nequation (1 - t^2)*y'' - 2*t*y' + 6*y = 0\nstart t = 0\n"
      "  y = -1/2, y' = %s\nsolve t = 0 .. 1.5\n  tolerance 1e-11\n";
  char model[512];
  snprintf(model, sizeof model, text, "0");
  run *r = run_text(model);
  ritt_options o = ritt_options_default();
  CHECK(
      stops_with(r, &o, "a singular point: the equations do not determine the direction at t = 1"));
  CHECK_NEAR(only_special(r, "singular point", false)->x, 1, 1e-9);
  o.singular = "through";
  o.points = 31;
  CHECK(run_go(r, &o));
  only_special(r, "singular point", true);
  for (size_t i = 0; i < r->rows; i++) {
    double t = run_get(r, i, "t");
    CHECK_NEAR(run_get(r, i, "y"), (3 * t * t - 1) / 2, 1e-5);
  }
  run_free(r);
  snprintf(model, sizeof model, text, "1/10");
  r = run_text(model);
  CHECK(stops_with(r, &o, "grows without bound"));
  CHECK(r->statistics.specials == 0);
  run_free(r);
}

/* y' = z, y^2 + z^2 = 1: at y = 1 the sine and the constant 1 meet */
static void check_meeting_run(void) {
  run *r = run_text(
      "model meeting\nvariable y, z\nequation\n  y' = z\n  y^2 + z^2 = 1\nstart y = 0, z ~ 1\n"
      "solve t = 0 .. 4\n  singular through\n");
  ritt_options o = ritt_options_default();
  CHECK(run_go(r, &o));
  CHECK_NEAR(only_special(r, "singular point", true)->x, acos(0), 1e-6);
  for (size_t i = 0; i < r->rows; i++)
    CHECK_NEAR(run_get(r, i, "y"), sin(run_get(r, i, "t")), 1e-6);
  run_free(r);
}

/* The slow flow of van der Pol's equation at the value of its parameter where the equilibrium lies
 * on the fold (a canard): y = x - x^3/3, y' = x - 1, so (1 - x^2) x' = x - 1 and (1 + x)^2/2 = 9/2
 * - t. Through x = 1 at t = 5/2, and to the fold x = -1 at t = 9/2. */
static void check_canard_run(void) {
  run *r = run_text(
      "model canard\nvariable x, y\nequation\n  x - x^3/3 - y = 0\n  y' = x - 1\nstart x ~ 2, y ~ -2/3\n"
      "solve t = 0 .. 4\n  singular through\n");
  ritt_options o = ritt_options_default();
  CHECK(run_go(r, &o));
  CHECK_NEAR(only_special(r, "singular point", true)->x, 2.5, 1e-6);
  for (size_t i = 0; i < r->rows; i++)
    CHECK_NEAR(run_get(r, i, "x"), sqrt(9 - 2 * run_get(r, i, "t")) - 1, 1e-6);
  o.to = 5;
  CHECK(stops_with(r, &o, "fold"));
  CHECK_NEAR(r->statistics.x, 4.5, 1e-6);
  o.singular = "stop";
  CHECK(stops_with(r, &o, "singular point"));
  CHECK_NEAR(r->statistics.x, 2.5, 1e-6);
  run_free(r);
}

/* `ritt check` names those near the start. */
static void check_listed(void) {
  const ritt_check *check;
  run *r = run_file("papers/sphere", NULL);
  CHECK(ritt_model_check(r->model, r->error, &check) == RITT_OK && check->singular_count == 2);
  for (size_t i = 0; i < check->singular_count; i++) {
    bool up = strstr(check->singular_points[i], "y = 1,");
    CHECK_TEXT(check->singular_points[i],
               up ? "folded focus at x = 0, y = 1, y' = 0 (eigenvalues -1 +- 1.73205 i)"
                  : "folded focus at x = 0, y = -1, y' = 0 (eigenvalues 1 +- 1.73205 i)");
  }
  run_free(r);
  r = run_file("papers/asymptotic_curves", NULL);
  CHECK(ritt_model_check(r->model, r->error, &check) == RITT_OK && check->singular_count == 2);
  CHECK_TEXT(check->singular_points[0],
             "folded saddle at x = -1, y = 1, y' = 1 (eigenvalues 3.12311, -5.12311)");
  CHECK_TEXT(check->singular_points[1],
             "folded saddle at x = 1, y = -1, y' = 1 (eigenvalues 5.12311, -3.12311)");
  run_free(r);
  r = run_file("papers/parabolas", NULL);
  CHECK(ritt_model_check(r->model, r->error, &check) == RITT_OK && check->singular_count == 0);
  run_free(r);
}

/* x y' = 2 y: over the singular point of the plane the general kind has a line of points (0, 0,
 * y'), and its direction there leads along that line: it leads nowhere that the graph kind does
 * not. (docs/singular_points.md) */
static void check_fibre(void) {
  run *r = run_text(
      "model f\nindependent x\nvariable y\nequation x*y' = 2*y\nstart x = 1\n  y = 1\nsolve arc = 0 .. 1\n"
      "  kind general\n");
  const ritt_check *check;
  ritti_arena *arena = ritti_arena_new();
  ritti_direction D;
  CHECK(ritt_model_check(r->model, r->error, &check) == RITT_OK);
  const ritti_problem *p = r->model->problem;
  ritt_real *work = ritti_arena_alloc(arena, p->work_size + 1, sizeof *work), V[3],
            arc[] = {1, 1, 1};
  p->work_init(p->data, work);
  CHECK(p->m == 3 && p->own_line && ritti_direction_init(&D, p, work, arena) == RITT_OK);
  CHECK(ritti_direction_take(&D, RITTI_DIRECT_SVD, arena) == RITT_OK);
  D.arc = arc;
  CHECK(ritti_direction_at(&D, (ritt_real[]){0, 0, 0.7}, V) == RITT_OK);
  CHECK(V[0] == 0 && V[1] == 0 && fabs(V[2]) == 1);
  CHECK(ritti_direction_at(&D, (ritt_real[]){0, 0, 0}, V) == RITT_RETRY &&
        D.trouble == RITTI_SINGULAR_TOP);
  ritti_arena_free(arena);
  run_free(r);
}

int main(void) {
  check_papers();
  check_normal_form();
  check_plane();
  check_legendre();
  check_runs();
  check_saddle_run();
  check_focus_run();
  check_focus_steps();
  check_legendre_run();
  check_meeting_run();
  check_canard_run();
  check_listed();
  check_fibre();
  return CHECKS_DONE();
}
