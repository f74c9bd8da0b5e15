/* What holds for every run: rows lie on the manifold, between the steps too; a run back returns; a
 * second run gives the same bits; runs over arc length measure it; rows stand where they were asked
 * for. */
#include "run.h"
#include "exact.h"

/* ---- distance to the manifold ---- */

/* Constraints and hidden constraints, each divided by the size of its terms. z: columns as listed,
 * t: first column. */
typedef int (*constraints)(double t, const double *z, double *out);

static int pendulum(double t, const double *z, double *out) {
  (void)t;
  out[0] = z[0] * z[0] + z[1] * z[1] - 1;
  out[1] = z[0] * z[2] + z[1] * z[3];
  return 2;
}
static int pendulum_energy(double t, const double *z, double *out) {
  out[2] = (z[2] * z[2] + z[3] * z[3]) / 2 + z[1];
  return pendulum(t, z, out) + 1;
}
static int double_pendulum(double t, const double *z, double *out) {
  (void)t;
  double dx = z[2] - z[0], dy = z[3] - z[1], du = z[6] - z[4], dv = z[7] - z[5];
  double speed = 1 + hypot(z[4], z[5]) + hypot(z[6], z[7]);
  out[0] = z[0] * z[0] + z[1] * z[1] - 1;
  out[1] = dx * dx + dy * dy - 1;
  out[2] = (z[0] * z[4] + z[1] * z[5]) / speed;
  out[3] = (dx * du + dy * dv) / speed;
  return 4;
}
static int spherical_pendulum(double t, const double *z, double *out) {
  (void)t;
  out[0] = z[0] * z[0] + z[1] * z[1] + z[2] * z[2] - 1;
  out[1] = z[0] * z[3] + z[1] * z[4] + z[2] * z[5];
  return 2;
}
static int slider_crank(double t, const double *z, double *out) {
  (void)t;
  double size = 3 + fabs(z[0]); /* an angle that grows is known to its own last digit */
  out[0] = (cos(z[0]) + 2 * cos(z[1]) - z[2]) / size;
  out[1] = (sin(z[0]) + 2 * sin(z[1])) / size;
  out[2] = (-sin(z[0]) * z[3] - 2 * sin(z[1]) * z[4] - z[5]) / size;
  out[3] = (cos(z[0]) * z[3] + 2 * cos(z[1]) * z[4]) / size;
  return 4;
}
static int knife_edge(double t, const double *z, double *out) {
  (void)t;
  out[0] = (z[1] * sin(z[0]) - z[2] * cos(z[0])) / (1 + fabs(z[0]) + hypot(z[1], z[2]));
  return 1;
}
static int kepler(double t, const double *z, double *out) {
  (void)t;
  out[0] = (z[2] * z[2] + z[3] * z[3]) / 2 - 1 / hypot(z[0], z[1]) - (1.73 * 1.73 / 2 - 2);
  out[1] = z[0] * z[3] - z[1] * z[2] - 0.865;
  return 2;
}
static int henon_heiles(double t, const double *z, double *out) {
  (void)t;
  out[0] = (z[2] * z[2] + z[3] * z[3] + z[0] * z[0] + z[1] * z[1]) / 2 + z[0] * z[0] * z[1] -
           z[1] * z[1] * z[1] / 3 - 0.029952;
  return 1;
}
static int rigid_body(double t, const double *z, double *out) {
  (void)t;
  out[0] = z[0] * z[0] + z[1] * z[1] + z[2] * z[2] - 1;
  return 1;
}
static int magnetic_particle(double t, const double *z, double *out) {
  (void)t;
  double r = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
  out[0] = z[0] * z[4] - z[1] * z[3] - (z[0] * z[0] + z[1] * z[1]) / 2 + 1;
  out[1] = (z[3] * z[3] + z[4] * z[4] + z[5] * z[5]) / 2 - 1 / r + 1 / sqrt(3);
  return 2;
}
static int discharge_pressure(double t, const double *z, double *out) {
  double f = 5 * tanh(t - 10) + 15, f1 = 5 / (cosh(t - 10) * cosh(t - 10)), c5 = 2458.18,
         c6 = 1 / 1.44;
  double y1 = z[0], y2 = z[1], y3 = z[2], y4 = z[3], y5 = z[4];
  out[0] = (0.001 * y4 * y5 * y5 - 0.075 * y4 * y5 + 3.35 * y4 - y3) / 200;
  out[1] = (y1 * y1 * y4 * y4 - c5 * y1 * y1 + c6 * f * f) / (c5 * y1 * y1);
  /* the second and ten times its derivative */
  out[2] = (y1 * y2 * y4 * y4 - y1 * y1 * y4 * y5 + f * y1 * y1 * y4 - c5 * y1 * y2 +
            c6 * (f * f + 20 * f * f1)) /
           (c5 * y1 * (y1 + y2));
  return 3;
}
static int fourbar(double t, const double *z, double *out) {
  (void)t;
  double dx = z[2] - z[0], dy = z[3] - z[1], du = z[6] - z[4], dv = z[7] - z[5];
  double speed = 1 + hypot(z[4], z[5]) + hypot(z[6], z[7]);
  out[0] = z[0] * z[0] + z[1] * z[1] - 1;
  out[1] = (dx * dx + dy * dy - 4) / 4;
  out[2] = ((2 - z[2]) * (2 - z[2]) + z[3] * z[3] - 2.25) / 2.25;
  out[3] = (z[0] * z[4] + z[1] * z[5]) / speed;
  out[4] = (dx * du + dy * dv) / (2 * speed);
  out[5] = ((z[2] - 2) * z[6] + z[3] * z[7]) / (2 * speed);
  return 6;
}
static int car_axis(double t, const double *z, double *out) {
  double yb = 0.1 * sin(10 * t), xb = sqrt(1 - yb * yb), yb1 = cos(10 * t), xb1 = -yb * yb1 / xb;
  double dx = z[0] - z[2], dy = z[1] - z[3], du = z[4] - z[6], dv = z[5] - z[7];
  double speed = 1 + hypot(z[4], z[5]) + hypot(z[6], z[7]);
  out[0] = z[0] * xb + z[1] * yb;
  out[1] = dx * dx + dy * dy - 1;
  out[2] = (z[4] * xb + z[5] * yb + z[0] * xb1 + z[1] * yb1) / speed;
  out[3] = (dx * du + dy * dv) / speed;
  return 4;
}
/* the five rods of the chain, positions and velocities */
static int chain(double t, const double *z, double *out) {
  (void)t;
  const double *v = z + 12;
  for (int i = 0; i < 5; i++) {
    double dx = z[2 * i] - z[2 * i + 2], dy = z[2 * i + 1] - z[2 * i + 3];
    double du = v[2 * i] - v[2 * i + 2], dv = v[2 * i + 1] - v[2 * i + 3];
    double place = 1 + hypot(z[2 * i], z[2 * i + 1]), speed = 1 + hypot(v[2 * i], v[2 * i + 1]);
    out[2 * i] = (dx * dx + dy * dy - 1) / place;
    out[2 * i + 1] = (dx * du + dy * dv) / (place * speed);
  }
  return 10;
}

static const struct {
  const char *file, *extra, *columns;
  double to;
  bool mechanics; /* positions and velocities can be projected one after the other */
  constraints f;
} surfaces[] = {
    {"classics/pendulum/pendulum", "output x', y'", "x y x' y'", 20, true, pendulum},
    {"papers/pendulum_energy", NULL, "y1 y2 y1' y2'", 20, false, pendulum_energy},
    {"classics/double_pendulum", NULL, "x1 y1 x2 y2 x1' y1' x2' y2'", 5, true, double_pendulum},
    {"classics/spherical_pendulum", NULL, "x y z x' y' z'", 20, true, spherical_pendulum},
    {"classics/slider_crank", NULL, "p q x p' q' x'", 20, true, slider_crank},
    {"classics/knife_edge", NULL, "th x' y'", 20, false, knife_edge},
    {"papers/kepler", NULL, "y1 y2 y1' y2'", 50, false, kepler},
    {"papers/henon_heiles", NULL, "y1 y2 y1' y2'", 100, false, henon_heiles},
    {"papers/rigid_body", NULL, "y1 y2 y3", 100, false, rigid_body},
    {"papers/magnetic_particle", NULL, "y1 y2 y3 y1' y2' y3'", 20, false, magnetic_particle},
    {"papers/discharge_pressure", NULL, "y1 y2 y3 y4 y5", 40, false, discharge_pressure},
    {"papers/fourbar", NULL, "y1 y2 y3 y4 y1' y2' y3' y4'", 10, true, fourbar},
    {"papers/mech6", NULL,
     "y1 y2 y3 y4 y5 y6 y7 y8 y9 y10 y11 y12 y1' y2' y3' y4' y5' y6' y7' y8' y9' y10' y11' y12'", 2,
     true, chain},
    {"ivp/car_axis", NULL, "xl yl xr yr xl' yl' xr' yr'", 3, true, car_axis},
};
enum { SURFACES = sizeof surfaces / sizeof *surfaces };

static void check_distance(const run *r, size_t i, const ritt_options *o) {
  double worst = 0;
  for (size_t q = 0; q < r->rows; q++) {
    double z[32], f[16];
    run_list(r, q, surfaces[i].columns, z);
    int n = surfaces[i].f(run_get(r, q, r->name[0]), z, f);
    for (int c = 0; c < n; c++)
      if (!(fabs(f[c]) <= worst)) worst = isnan(f[c]) ? INFINITY : fabs(f[c]);
  }
  if (worst <= 1e-13) checks_passed++;
  else
    checks_failed++,
        printf("failed: %s, %s, %ld points, project %s, projection %s, metric %s: a row is %g "
               "off the manifold\n",
               surfaces[i].file, o->method, o->points, o->project ? o->project : "",
               o->projection ? o->projection : "", o->metric ? o->metric : "", worst);
}

/* A loose tolerance, so that it is the projection that puts the rows there, with every method that
 * controls its steps. */
static void test_distance(void) {
  static const char *const method[] = {"dopri54", "dop853"};
  for (size_t i = 0; i < SURFACES; i++) {
    run *r = run_file(surfaces[i].file, surfaces[i].extra);
    for (int k = 0; k < 4; k++) {
      ritt_options o = run_options(method[k / 2], 1e-5, surfaces[i].to);
      o.points = k % 2 ? 997 : 0;
      if (!run_go(r, &o)) continue;
      CHECK(k % 2 == 0 || r->rows == 997);
      check_distance(r, i, &o);
    }
    run_free(r);
  }
}

/* Whatever is projected, and however: on the manifold, and the same solution within the tolerance.
 */
static void test_variants(void) {
  static const char *const project[] = {"stages", "end"},
                           *const projection[] = {"gauss", "sequential"},
                           *const metric[] = {"euclidean", "weighted"};
  for (size_t i = 0; i < SURFACES; i++) {
    run *r = run_file(surfaces[i].file, surfaces[i].extra);
    ritt_options o = run_options("dop853", 1e-12, surfaces[i].to / 5);
    double best[32], z[32];
    int n = 0, used = 0;
    char name[64];
    for (const char *s = surfaces[i].columns; sscanf(s, "%63s%n", name, &used) == 1; s += used) n++;
    if (run_go(r, &o)) run_list(r, r->rows - 1, surfaces[i].columns, best);
    for (int k = 0; k < 8 && r->rows; k++) {
      if (!surfaces[i].mechanics && (k & 2)) continue;
      o = run_options("dopri54", 1e-9, surfaces[i].to / 5);
      o.project = project[k & 1];
      o.projection = projection[k >> 1 & 1];
      o.metric = metric[k >> 2];
      if (!run_go(r, &o)) continue;
      check_distance(r, i, &o);
      run_list(r, r->rows - 1, surfaces[i].columns, z);
      CHECK_NEAR(run_error(z, best, n), 0, 1e-6);
    }
    run_free(r);
  }
}

/* ---- every model runs to its end ---- */

static const char *const models[] = {
    "classics/pendulum/pendulum",
    "classics/kepler",
    "classics/henon_heiles",
    "classics/double_pendulum",
    "classics/slider_crank",
    "classics/van_der_pol",
    "classics/lorenz",
    "classics/knife_edge",
    "classics/spherical_pendulum",
    "classics/crane",
    "classics/nilpotent_chain",
    "classics/robertson",
    "papers/simple",
    "papers/henon_heiles",
    "papers/kepler",
    "papers/discharge_pressure",
    "papers/magnetic_particle",
    "papers/rigid_body",
    "papers/stiff_pendulum",
    "papers/mhd",
    "papers/fourbar",
    "papers/fourbar_folding",
    "papers/pendulum_energy",
    "papers/mech6",
    "ivp/car_axis",
    "ivp/andrews",
};

static void test_models(void) {
  ritt_options o = ritt_options_default();
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    run *r = run_file(models[i], NULL);
    if (run_go(r, &o)) {
      CHECK(r->statistics.x == r->statistics.end);
      CHECK(run_get(r, r->rows - 1, r->name[0]) == r->statistics.end);
      CHECK(r->statistics.rows == (long)r->rows);
      CHECK((long)r->rows == r->statistics.accepted + 1);
      for (size_t k = 1; k < r->rows; k++)
        if (!(run_get(r, k, r->name[0]) > run_get(r, k - 1, r->name[0]))) {
          checks_failed++;
          printf("failed: %s: row %zu does not move on\n", models[i], k);
        }
    }
    run_free(r);
  }
}

/* ---- back and forth ---- */

/* Runs there, starts again from the last row, runs back to the first. */
static void test_return(void) {
  static const struct {
    const char *head, *start, *variables;
    int n;
    double to, error;
  } way[] = {
      {"model pendulum\nvariable x, y, lambda\nequation\n  x'' + lambda*x = 0\n  y'' + lambda*y + 1 = 0\n"
       "  x^2 + y^2 = 1\noutput x, y, x', y'\n",
       "start t = 0\n  x = 3/5, y = -4/5, x' = 4/5, y' = 3/5\n", "x y x' y'", 4, 6, 1e-8},
      {"model balloon\nvariable x, y, lambda\nequation\n  x'' + lambda*x = sin(t)\n  y'' + lambda*y + 1 = 0\n"
       "  x^2 + y^2 = (2 + sin(t))^2\noutput x, y, x', y'\n",
       "start t = 0\n  x = 0, y = -2, x' = 1/2, y' = -1\n", "x y x' y'", 4, 6, 1e-8},
      {"model lotka\nvariable x, y\nequation\n  x' = x*(1 - y)\n  y' = y*(x - 1)\n"
       "invariant x - log(x) + y - log(y)\noutput x, y\n",
       "start t = 0\n  x = 2, y = 1\n", "x y", 2, 20, 1e-8},
  };
  for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
    char text[2048], name[64];
    snprintf(text, sizeof text, "%s%s", way[i].head, way[i].start);
    run *there = run_text(text);
    ritt_options o = run_options("dop853", 1e-11, way[i].to);
    if (!run_go(there, &o)) {
      run_free(there);
      continue;
    }
    double first[8], z[8];
    run_list(there, 0, way[i].variables, first);
    run_list(there, there->rows - 1, way[i].variables, z);
    int used = snprintf(text, sizeof text, "%sstart t = %g\n", way[i].head, way[i].to), step = 0,
        k = 0;
    for (const char *s = way[i].variables; sscanf(s, "%63s%n", name, &step) == 1; s += step)
      used += snprintf(text + used, sizeof text - (size_t)used, "  %s ~ %.17g\n", name, z[k++]);
    run *back = run_text(text);
    o.to = 0;
    if (run_go(back, &o)) {
      CHECK(run_last(back, "t") == 0);
      for (size_t q = 1; q < back->rows; q++)
        CHECK(run_get(back, q, "t") < run_get(back, q - 1, "t"));
      run_list(back, back->rows - 1, way[i].variables, z);
      CHECK_NEAR(run_error(z, first, way[i].n), 0, way[i].error);
    }
    run_free(back);
    run_free(there);
  }
}

/* From rest, left and right are mirror images. */
static void test_mirror(void) {
  run *r = run_file("classics/pendulum/pendulum", "output x', y'");
  ritt_options o = run_options("dopri54", 1e-10, 7);
  double right[5], left[5], mirror[5] = {1, 1, 1, -1, -1};
  o.points = 8;
  if (run_go(r, &o)) {
    double rows[8][5];
    for (size_t i = 0; i < 8; i++) run_list(r, i, "lambda x y x' y'", rows[i]);
    o.to = -7;
    if (run_go(r, &o))
      for (size_t i = 0; i < 8; i++) {
        CHECK(run_get(r, i, "t") == -(double)i);
        run_list(r, i, "lambda x y x' y'", left);
        memcpy(right, rows[i], sizeof right);
        for (int k = 0; k < 5; k++) CHECK_NEAR(left[k], mirror[k] * right[k], 1e-12);
      }
  }
  run_free(r);
}

/* ---- the same bits ---- */

static void test_same(void) {
  static const char *const same[] = {"classics/double_pendulum", "papers/kepler",
                                     "papers/discharge_pressure", "papers/mech6", "ivp/car_axis"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    run *a = run_file(same[i], NULL), *b = run_file(same[i], NULL);
    ritt_options o = run_options(NULL, 0, 1);
    o.points = 200;
    if (run_go(a, &o) && run_go(b, &o)) {
      CHECK(a->rows == b->rows && a->width == b->width);
      CHECK(!memcmp(a->row, b->row, a->rows * a->width * sizeof *a->row));
      /* the same model again, after a run to another end */
      o.to = 0.5;
      run_go(b, &o);
      o.to = 1;
      run_go(b, &o);
      CHECK(a->rows == b->rows && !memcmp(a->row, b->row, a->rows * a->width * sizeof *a->row));
    }
    run_free(a);
    run_free(b);
  }
}

/* ---- arc length ---- */

static double chord(const run *r, size_t i, const char *names, int n) {
  double a[16], b[16], sum = 0;
  run_list(r, i - 1, names, a);
  run_list(r, i, names, b);
  for (int k = 0; k < n; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sqrt(sum);
}

/* y'' = -y from (1, 0): a helix in the space of (t, y, y'), its arc length is sqrt(2) t. */
static void test_helix(void) {
  static const char *const invariant[] = {"", "invariant y^2 + y'^2\n"};
  for (int k = 0; k < 4; k++) {
    char text[512];
    double L = k % 2 ? -10 : 10;
    snprintf(
        text, sizeof text,
        "model helix\nvariable y\nequation y'' = -y\n%sstart y = 1, y' = 0\nsolve arc = 0 .. %g\n"
        "  method dop853\n  tolerance 1e-11\noutput y, y'\n",
        invariant[k / 2], L);
    run *r = run_text(text);
    ritt_options o = ritt_options_default();
    if (run_go(r, &o)) {
      CHECK_TEXT(r->name[0], "arc");
      CHECK_TEXT(r->name[1], "t");
      CHECK(run_get(r, 0, "arc") == 0 && run_get(r, 0, "t") == 0);
      CHECK(run_get(r, 0, "y") == 1 && run_get(r, 0, "y'") == 0);
      CHECK(run_last(r, "arc") == L);
      for (size_t i = 0; i < r->rows; i++) {
        double t = run_get(r, i, "arc") / sqrt(2);
        CHECK_NEAR(run_get(r, i, "t"), t, 1e-9);
        CHECK_NEAR(run_get(r, i, "y"), cos(t), 1e-9);
        CHECK_NEAR(run_get(r, i, "y'"), -sin(t), 1e-9);
      }
      o.points = 101;
      run_go(r, &o);
      CHECK(r->rows == 101);
      for (size_t i = 0; i < r->rows; i++)
        CHECK_NEAR(run_get(r, i, "arc"), L * (double)i / 100, 1e-15 * fabs(L));
    }
    run_free(r);
  }
}

/* The pendulum over arc length: rows at equal distances, chords a little shorter than arcs; x
 * agrees with the run over t. */
static void test_arc(void) {
  static const char head[] =
      "model pendulum\nvariable x, y, lambda\nequation\n  x'' + lambda*x = 0\n"
      "  y'' + lambda*y + 1 = 0\n  x^2 + y^2 = 1\nstart x = 1, y = 0, x' = 0, y' = 0\n"
      "output x, y, x', y'\n";
  char text[1024];
  snprintf(text, sizeof text, "%ssolve arc = 0 .. 12\n  method dopri54\n  tolerance 1e-10\n", head);
  run *r = run_text(text);
  ritt_options o = ritt_options_default();
  o.points = 1201;
  if (run_go(r, &o)) {
    double sum = 0;
    CHECK(run_last(r, "arc") == 12);
    for (size_t i = 1; i < r->rows; i++) {
      double c = chord(r, i, "t x y x' y'", 5),
             arc = run_get(r, i, "arc") - run_get(r, i - 1, "arc");
      /* curvature kappa: the chord is short by arc^3 kappa^2 / 24, kappa below 3 here */
      CHECK(c <= arc + 1e-9 && c >= arc - arc * arc * arc * 9 / 24 - 1e-9);
      sum += c;
    }
    CHECK_NEAR(sum, 12, 1e-3);
    double z[4], exact[4];
    run_list(r, r->rows - 1, "x y x' y'", z);
    exact_pendulum(run_last(r, "t"), exact);
    CHECK_NEAR(run_error(z, exact, 4), 0, 1e-8);
  }
  run_free(r);

  /* the arc length of the magnetohydrodynamics example to x = 1, mhd_a4.388_x1 of the references */
  r = run_text(
      "model mhd\nindependent x\nvariable y1, y2, y3\nequation\n  y1'' = y1*y3/3 - y1/3\n"
      "  y2'' = y2*y3/3 + y2/3 - y1/3\n  y3'' = y3^2 + 8*y2' - 1\n"
      "invariant 4*y2^2 + 3*y3*y2' + y3^3/12 - y2*y3' - y3'^2/8 - 3*y2' - y3/4 + 3*y1'\n"
      "start y1 = 1, y2 = 1, y3 = 1, y1' = 0.4, y2' = 0.5, y3' = 0.6\n"
      "solve arc = 0 .. 13.8903839536574594\n  method dop853\n  tolerance 1e-12\noutput y1, y2, y3\n");
  o = ritt_options_default();
  if (run_go(r, &o)) {
    static const double at[] = {1, 1.53894446345907659, 1.86650859916718551, 5.53017122176894238};
    run_digits(r, "x y1 y2 y3", at, 4, 9, "mhd_a4.388_x1 over arc length");
  }
  run_free(r);
}

/* ---- rows
 * ----------------------------------------------------------------------------------------------------------
 */

static bool close_to(double a, double b) { return fabs(a - b) <= 4e-16 * fabs(b); }

static void test_rows(void) {
  run *r = run_file("classics/pendulum/pendulum", NULL);
  ritt_options o = run_options(NULL, 1e-6, 10);
  static const long points[] = {2, 3, 11, 100, 1000};
  for (int k = 0; k < 5; k++) {
    o.points = points[k];
    if (!run_go(r, &o)) continue;
    CHECK((long)r->rows == points[k]);
    CHECK(run_get(r, 0, "t") == 0 && run_last(r, "t") == 10);
    CHECK(run_get(r, 0, "x") == 1 && run_get(r, 0, "y") == 0);
    for (size_t i = 0; i < r->rows; i++)
      CHECK(close_to(run_get(r, i, "t"), 10 * (double)i / (double)(points[k] - 1)));
  }
  o.points = 0;
  static const double step[] = {0.25, 0.1, 3, 20};
  static const size_t rows[] = {41, 101, 5, 2}; /* 3: 0, 3, 6, 9 and the end; 20: both ends */
  for (int k = 0; k < 4; k++) {
    o.row_step = step[k];
    if (!run_go(r, &o)) continue;
    CHECK(r->rows == rows[k]);
    for (size_t i = 0; i + 1 < r->rows; i++)
      CHECK(close_to(run_get(r, i, "t"), (double)i * step[k]));
    CHECK(run_last(r, "t") == 10);
  }
  o = run_options(NULL, 0, 10);
  o.constant_step = 0.125; /* steps of equal size, the last one ends there */
  if (run_go(r, &o)) {
    CHECK(r->rows == 81);
    for (size_t i = 0; i < r->rows; i++) CHECK(close_to(run_get(r, i, "t"), (double)i * 0.125));
  }
  run_free(r);
}

/* z = (sin(2t), sin(t)) passes through 0, where the terms of the mixed equations are differences of
 * larger ones: what counts as round-off must not shrink with z. And a sheet that a step could jump
 * over is not left. */
static void test_small(void) {
  run *r = run_text(
      "model mixed\nvariable u, v\nequation\n"
      "  -33*(u' - 2*cos(2*t)) - 77*(v' - cos(t)) + 7*(u - sin(2*t)) + 20*(v - sin(t)) = 0\n"
      "  -6*(u' - 2*cos(2*t)) - 14*(v' - cos(t)) + u - sin(2*t) + 3*(v - sin(t)) = 0\n"
      "start u ~ -0.1, v ~ 0.05\nsolve t = 0 .. 7\n");
  ritt_options o = run_options("dopri54", 1e-9, 7);
  CHECK(run_go(r, &o));
  for (size_t i = 0; i < r->rows; i++) {
    CHECK_NEAR(run_get(r, i, "u"), sin(2 * run_get(r, i, "t")), 1e-7);
    CHECK_NEAR(run_get(r, i, "v"), sin(run_get(r, i, "t")), 1e-7);
  }
  run_free(r);
  r = run_text("model sheets\nvariable x, y\nequation\n  x' = 1\n  (y - x)*(y + x) = 1e-8\n"
               "start x = -1, y ~ 1\nsolve t = 0 .. 2\n");
  o = run_options("dopri54", 1e-8, 2);
  run_try(r, &o);
  CHECK(r->rows > 1);
  /* y = sqrt(x^2 + 1e-8) > 0: the end is right, or the run has stopped */
  for (size_t i = 0; i < r->rows; i++) CHECK(run_get(r, i, "y") > 0);
  run_free(r);
}

int main(void) {
  test_distance();
  test_variants();
  test_models();
  test_return();
  test_mirror();
  test_same();
  test_helix();
  test_arc();
  test_rows();
  test_small();
  return CHECKS_DONE();
}
