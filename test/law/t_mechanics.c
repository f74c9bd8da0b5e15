/* Mechanics without equations: what lagrangian, constraint, nonholonomic, force, dissipation,
 * stiff, hamiltonian and canonical are turned into solves the problem that was meant. Against
 * equations written by hand, closed forms, references in quadruple precision, and Newton's and
 * Euler's equations integrated here.
 */
#include "run.h"
#include "exact.h"

/* Texts are put together line by line. */
typedef struct text {
  char at[65536];
  size_t length;
} text;
#define ADD(t, ...)                                                                                \
  ((t)->length += (size_t)snprintf((t)->at + (t)->length, sizeof(t)->at - (t)->length, __VA_ARGS__))

/* ---- pendula of n masses on n rods ---- */

/* Where mass i hangs: angles of the rods against the vertical small enough for the motion not to be
 * chaotic. */
static void pendulum_place(int i, int n, double *x, double *y) {
  *x = *y = 0;
  for (int k = 1; k <= i; k++) {
    double angle = 0.3 + 0.2 * sin(1.7 * k) / n;
    *x += sin(angle) / n;
    *y -= cos(angle) / n;
  }
}

/* One file for all n, with arrays and a family. */
static void pendulum_lagrange(text *t, int n) {
  *t = (text){0};
  ADD(t, "model chain\nparameter g = 1, n = %d, L = 1/n\nvariable x[1..n], y[1..n]\n", n);
  ADD(t, "let u[i in 1..n] = if i = 1 then x[1] else x[i] - x[i-1]\n"
         "let v[i in 1..n] = if i = 1 then y[1] else y[i] - y[i-1]\n"
         "lagrangian sum(i in 1..n, (x[i]'^2 + y[i]'^2)/2 - g*y[i])\n"
         "constraint for i in 1..n: l: u[i]^2 + v[i]^2 = L^2\nstart x' ~ 0, y' ~ 0\n");
  for (int i = 1; i <= n; i++) {
    double x, y;
    pendulum_place(i, n, &x, &y);
    ADD(t, "  x[%d] ~ %.17g, y[%d] ~ %.17g\n", i, x, i, y);
  }
  ADD(t, "output for i in 1..n: x[i], y[i], x[i]', y[i]', l[i]\n");
}

/* x_i'' = 2 l_i (x_i - x_(i-1)) - 2 l_(i+1) (x_(i+1) - x_i), and the same in y with the weight */
static void pendulum_hand(text *t, int n) {
  *t = (text){0};
  ADD(t, "model chain\nparameter g = 1, L = 1/%d\nlet x0 = 0, y0 = 0\n", n);
  for (int i = 1; i <= n; i++) ADD(t, "variable x%d, y%d\n", i, i);
  for (int i = 1; i <= n; i++) ADD(t, "variable l%d\n", i);
  ADD(t, "equation\n");
  for (int i = 1; i <= n; i++)
    for (int k = 0; k < 2; k++) {
      char c = k ? 'y' : 'x';
      ADD(t, "  %c%d'' = 2*l%d*(%c%d - %c%d)", c, i, i, c, i, c, i - 1);
      if (i < n) ADD(t, " - 2*l%d*(%c%d - %c%d)", i + 1, c, i + 1, c, i);
      ADD(t, "%s\n", k ? " - g" : "");
    }
  for (int i = 1; i <= n; i++)
    ADD(t, "  (x%d - x%d)^2 + (y%d - y%d)^2 = L^2\n", i, i - 1, i, i - 1);
  ADD(t, "start t = 0\n");
  for (int i = 1; i <= n; i++) {
    double x, y;
    pendulum_place(i, n, &x, &y);
    ADD(t, "  x%d ~ %.17g, y%d ~ %.17g, x%d' ~ 0, y%d' ~ 0\n", i, x, i, y, i, i);
  }
  ADD(t, "output ");
  for (int i = 1; i <= n; i++)
    ADD(t, "%sx%d, y%d, x%d', y%d', l%d", i > 1 ? ", " : "", i, i, i, i, i);
  ADD(t, "\n");
}

/* Both texts are one system, so that both runs are the same up to rounding. */
static void test_pendula(void) {
  static const int count[] = {2, 3, 50};
  static text lagrange, hand;
  for (int k = 0; k < 3; k++) {
    int n = count[k];
    pendulum_lagrange(&lagrange, n);
    pendulum_hand(&hand, n);
    run *a = run_text(lagrange.at), *b = run_text(hand.at);
    ritt_options o = run_options("dop853", n > 3 ? 1e-8 : 1e-12, 5);
    if (run_go(a, &o) && run_go(b, &o)) {
      double worst = 0;
      CHECK_TEXT(a->statistics.kind, "holonomic");
      CHECK(a->rows == b->rows && a->width == b->width);
      for (size_t i = 0; i < a->width; i++) {
        double u = a->row[(a->rows - 1) * a->width + i], v = b->row[(b->rows - 1) * b->width + i];
        worst = fmax(worst, fabs(u - v) / fmax(1, fabs(v)));
      }
      CHECK_NEAR(worst, 0, n > 3 ? 1e-11 : 1e-13);
    }
    run_free(a);
    run_free(b);
  }
}

/* The double pendulum in its two angles, a hand-written text; and a lagrangian in these angles. */
static void test_double_pendulum(void) {
  static const char *const texts[] = {
      "model cartesian\nvariable x1, y1, x2, y2\n"
      "lagrangian (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 - 9.81*(y1 + y2)\n"
      "constraint\n  x1^2 + y1^2 = 1\n  (x2 - x1)^2 + (y2 - y1)^2 = 1\n"
      "start x1 = 3/5, y1 = -4/5, x2 = 8/5, y2 = -4/5, x1' ~ 0, y1' ~ 0, x2' ~ 0, y2' ~ 0\n",
      "model by_hand\nparameter g = 9.81\nvariable a, b\nequation\n"
      "  2*a'' + b''*cos(a - b) + b'^2*sin(a - b) + 2*g*sin(a) = 0\n"
      "  a''*cos(a - b) + b'' - a'^2*sin(a - b) + g*sin(b) = 0\n"
      "start a = asin(3/5), b = pi/2, a' = 0, b' = 0\n"
      "output x1 = sin(a), y1 = -cos(a), x2 = sin(a) + sin(b), y2 = -cos(a) - cos(b)\n",
      "model angles\nparameter g = 9.81\nvariable a, b\n"
      "let x1 = sin(a), y1 = -cos(a), x2 = x1 + sin(b), y2 = y1 - cos(b)\n"
      "lagrangian (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 - g*(y1 + y2)\n"
      "start a = asin(3/5), b = pi/2, a' = 0, b' = 0\noutput x1, y1, x2, y2\n"};
  double end[3][4];
  for (int k = 0; k < 3; k++) {
    run *r = run_text(texts[k]);
    ritt_options o = run_options("dop853", 1e-13, 5);
    if (run_go(r, &o)) run_list(r, r->rows - 1, "x1 y1 x2 y2", end[k]);
    run_free(r);
  }
  CHECK_NEAR(run_error(end[0], end[1], 4), 0, 1e-11);
  CHECK_NEAR(run_error(end[2], end[1], 4), 0, 1e-11);
}

/* ---- nonholonomic ---- */

/* A knife edge on an incline, started at rest with th' = w: th = w t, x = s/(2 w^2) sin^2(w t), y =
 * s/(2 w^2) (w t - sin(2 w t)/2) with s = g sin(alpha): a cycloid. The edge pushes with 2 s sin(w
 * t). */
static void test_knife_edge(void) {
  run *r =
      run_text("model knife\nparameter s = 2.9, w = 1.5\nvariable x, y, th\n"
               "lagrangian (x'^2 + y'^2)/2 + th'^2/6 + s*x\n"
               "nonholonomic edge: x'*sin(th) - y'*cos(th) = 0\n"
               "start x = 0, y = 0, th = 0, x' = 0, y' = 0, th' = w\n"
               "output x, y, th, edge, fx = reaction(x), fy = reaction(y), spin = momentum(th)\n");
  ritt_options o = run_options("dop853", 1e-12, 10);
  o.points = 41;
  double s = 2.9, w = 1.5, worst = 0;
  if (run_go(r, &o))
    for (size_t i = 0; i < r->rows; i++) {
      double z[7], t = run_get(r, i, "t"), push = -2 * s * sin(w * t);
      double exact[7] = {s / (2 * w * w) * sin(w * t) * sin(w * t),
                         s / (2 * w * w) * (w * t - sin(2 * w * t) / 2),
                         w * t,
                         push,
                         push * sin(w * t),
                         -push * cos(w * t),
                         w / 3};
      run_list(r, i, "x y th edge fx fy spin", z);
      worst = fmax(worst, run_error(z, exact, 7));
    }
  CHECK_NEAR(worst, 0, 1e-9);
  run_free(r);
}

/* Chaplygin's sleigh: v' = a w^2, (J + m a^2) w' = -m a v w for the speed v along the skate and w =
 * th', so that v = V tanh(k t + c), w = W / cosh(k t + c), V^2 = v^2 + w^2 (J + m a^2)/m at the
 * start, W = V sqrt(m/(J + m a^2)), k = m a V/(J + m a^2). */
static void test_sleigh(void) {
  run *r = run_file("classics/chaplygin_sleigh", NULL);
  ritt_options o = run_options("dop853", 1e-12, 20);
  o.points = 101;
  double m = 1, J = 0.5, a = 0.4, K = J + m * a * a, v0 = -1, w0 = 0.3;
  double V = sqrt(v0 * v0 + K / m * w0 * w0), W = V * sqrt(m / K), k = m * a * V / K,
         c = atanh(v0 / V);
  double worst = 0;
  if (run_go(r, &o))
    for (size_t i = 0; i < r->rows; i++) {
      double z[2], u = k * run_get(r, i, "t") + c, exact[2] = {V * tanh(u), W / cosh(u)};
      run_list(r, i, "speed th'", z);
      worst = fmax(worst, run_error(z, exact, 2));
    }
  CHECK_NEAR(worst, 0, 1e-10);
  run_free(r);
}

/* ---- the rolling disk by Newton and Euler ---- */

typedef struct vector {
  double x, y, z;
} vector;
static vector plus(vector a, double f, vector b) {
  return (vector){a.x + f * b.x, a.y + f * b.y, a.z + f * b.z};
}
static double dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vector cross(vector a, vector b) {
  return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Its centre, its axis n, its angular velocity w. */
typedef struct disk {
  vector centre, n, w;
} disk;
static const double disk_m = 1, disk_R = 1, disk_g = 9.81, disk_A = 0.25, disk_C = 0.5;

/* From the contact to the centre: R u, u the direction in the disk that points up most; and its
 * derivative. */
static vector radius(vector n, vector nd, vector *rd) {
  vector k = {0, 0, 1}, p = plus(k, -n.z, n), pd = plus(plus((vector){0}, -nd.z, n), -n.z, nd);
  double size = sqrt(dot(p, p)), rate = dot(p, pd) / size;
  *rd = plus(plus((vector){0}, disk_R / size, pd), -disk_R * rate / (size * size), p);
  return plus((vector){0}, disk_R / size, p);
}

/* H' = -r x F for the spin H = A w + (C - A)(w.n) n about the centre, F = m (v' + g k) the force at
 * the contact, v = w x r: a linear system for w'. */
static disk disk_rate(const disk *d) {
  vector k = {0, 0, 1}, nd = cross(d->w, d->n), rd, r = radius(d->n, nd, &rd);
  double spin = dot(d->w, d->n), M[3][4];
  vector rest = plus(plus((vector){0}, -(disk_C - disk_A) * spin, nd), -disk_m,
                     cross(r, plus(cross(d->w, rd), disk_g, k)));
  for (int j = 0; j < 3; j++) {
    vector e = {j == 0, j == 1, j == 2};
    vector c = plus(plus(plus((vector){0}, disk_A, e), (disk_C - disk_A) * dot(e, d->n), d->n),
                    disk_m, cross(r, cross(e, r)));
    M[0][j] = c.x, M[1][j] = c.y, M[2][j] = c.z;
  }
  M[0][3] = rest.x, M[1][3] = rest.y, M[2][3] = rest.z;
  for (int i = 0; i < 3; i++) /* positive definite: no pivoting */
    for (int row = 0; row < 3; row++) {
      double f = row == i ? 0 : M[row][i] / M[i][i];
      for (int j = i; j < 4 && row != i; j++) M[row][j] -= f * M[i][j];
    }
  return (disk){cross(d->w, r), nd, {M[0][3] / M[0][0], M[1][3] / M[1][1], M[2][3] / M[2][2]}};
}

static disk disk_plus(disk d, double f, disk e) {
  return (disk){plus(d.centre, f, e.centre), plus(d.n, f, e.n), plus(d.w, f, e.w)};
}

/* The classical method of order 4. */
static disk disk_run(disk d, double to, int steps) {
  double h = to / steps;
  for (int i = 0; i < steps; i++) {
    disk k1 = disk_rate(&d), at = disk_plus(d, h / 2, k1), k2 = disk_rate(&at);
    at = disk_plus(d, h / 2, k2);
    disk k3 = disk_rate(&at);
    at = disk_plus(d, h, k3);
    disk k4 = disk_rate(&at);
    d = disk_plus(disk_plus(disk_plus(disk_plus(d, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
  }
  return d;
}

/* The axis and the angular velocity from heading ph, lean th and roll ps. */
static void disk_frame(double ph, double th, double phd, double thd, double psd, vector *n,
                       vector *w) {
  vector along = {cos(ph), sin(ph), 0}, across = {-sin(ph), cos(ph), 0}, up = {0, 0, 1};
  *n = plus(plus((vector){0}, -cos(th), across), sin(th), up);
  *w = plus(plus(plus((vector){0}, phd, up), -thd, along), psd, *n);
}

static void test_disk(void) {
  run *r = run_file("classics/rolling_disk", NULL);
  ritt_options o = run_options("dop853", 1e-12, 10);
  disk d = {.centre = {0, 0, cos(0.2)}};
  disk_frame(0, 0.2, 0.5, 0, -4, &d.n, &d.w);
  d = disk_run(d, 10, 40000);
  if (run_go(r, &o)) {
    double z[9];
    vector n, w;
    run_list(r, r->rows - 1, "x y height ph th ph' th' ps'", z);
    disk_frame(z[3], z[4], z[5], z[6], z[7], &n, &w);
    double value[9] = {z[0], z[1], z[2], n.x, n.y, n.z, w.x, w.y, w.z};
    double exact[9] = {d.centre.x, d.centre.y, d.centre.z, d.n.x, d.n.y,
                       d.n.z,      d.w.x,      d.w.y,      d.w.z};
    CHECK_NEAR(run_error(value, exact, 9), 0, 1e-10);
    CHECK_NEAR(run_last(r, "energy"), run_get(r, 0, "energy"), 1e-12 * 21);
  }
  run_free(r);
}

/* ---- constraints and lagrangians that depend on t ---- */

/* The pivot of a pendulum goes to and fro, X = b sin(w t): th'' = -(g sin(th) + X'' cos(th))/l. */
static void test_moving_pivot(void) {
  run *a = run_text("model pivot\nparameter g = 9.81, l = 0.7, b = 0.2, w = 3\nvariable x, y\n"
                    "lagrangian (x'^2 + y'^2)/2 - g*y\n"
                    "constraint (x - b*sin(w*t))^2 + y^2 = l^2\n"
                    "start x = 0, y = -l, x' = 0\noutput x, y, x', y'\n");
  run *b =
      run_text("model angle\nparameter g = 9.81, l = 0.7, b = 0.2, w = 3\nvariable th\n"
               "equation th'' = -(g*sin(th) - b*w^2*sin(w*t)*cos(th))/l\n"
               "start th = 0, th' = -b*w/l\n"
               "let x = b*sin(w*t) + l*sin(th), y = -l*cos(th)\noutput x, y, u = x', v = y'\n");
  ritt_options o = run_options("dop853", 1e-12, 10);
  o.points = 21;
  double worst = 0;
  if (run_go(a, &o) && run_go(b, &o))
    for (size_t i = 0; i < a->rows; i++) {
      double u[4], v[4];
      run_list(a, i, "x y x' y'", u);
      run_list(b, i, "x y u v", v);
      worst = fmax(worst, run_error(u, v, 4));
    }
  CHECK_NEAR(worst, 0, 1e-9);
  run_free(a);
  run_free(b);
}

/* ---- forces and dissipation ---- */

/* m x'' = -k x - c x' + F cos(w t) by its amplitude and phase; c half from a force, half from
 * dissipation. */
static void test_oscillator(void) {
  run *r =
      run_text("model oscillator\nparameter m = 2, k = 8, c = 0.6, F = 1.5, w = 1.3\nvariable x\n"
               "lagrangian m*x'^2/2 - k*x^2/2\n"
               "force\n  x: -c/2*x'\n  x: F*cos(w*t)\ndissipation\n  c*x'^2/8\n  c*x'^2/8\n"
               "start x = 1, x' = 0\noutput x, x', energy\n");
  double m = 2, k = 8, c = 0.6, F = 1.5, w = 1.3, worst = 0;
  double p = k - m * w * w, q = c * w, A = F * p / (p * p + q * q), B = F * q / (p * p + q * q);
  double d = c / (2 * m), W = sqrt(k / m - d * d), C = 1 - A, D = (d * C - B * w) / W;
  ritt_options o = run_options("dop853", 1e-12, 15);
  o.points = 31;
  if (run_go(r, &o))
    for (size_t i = 0; i < r->rows; i++) {
      double z[3], t = run_get(r, i, "t"), e = exp(-d * t), co = cos(W * t), si = sin(W * t);
      double x = A * cos(w * t) + B * sin(w * t) + e * (C * co + D * si);
      double v =
          w * (B * cos(w * t) - A * sin(w * t)) + e * ((D * W - d * C) * co - (C * W + d * D) * si);
      double exact[3] = {x, v, (m * v * v + k * x * x) / 2};
      run_list(r, i, "x x' energy", z);
      worst = fmax(worst, run_error(z, exact, 3));
    }
  CHECK_NEAR(worst, 0, 1e-10);
  run_free(r);
}

/* A block slides down an incline with Coulomb friction mu N, N the multiplier of the incline. */
static void test_friction(void) {
  run *r = run_text("model incline\nparameter g = 9.81, a = 0.5, mu = 0.3, m = 2\nvariable x, y\n"
                    "lagrangian m*(x'^2 + y'^2)/2 + m*g*(sin(a)*x - cos(a)*y)\n"
                    "constraint N: y = 0\nforce x: -mu*N\nstart x = 0, x' = 0, y = 0, y' = 0\n"
                    "output x, N, reaction(y)\n");
  ritt_options o = run_options("dopri54", 1e-10, 3);
  double g = 9.81, a = 0.5;
  if (run_go(r, &o)) {
    CHECK_NEAR(run_last(r, "x"), (g * sin(a) - 0.3 * g * cos(a)) * 4.5, 1e-10);
    CHECK_NEAR(run_last(r, "N"), 2 * g * cos(a), 1e-12);
    CHECK_NEAR(run_last(r, "reaction(y)"), 2 * g * cos(a), 1e-12);
  }
  run_free(r);
}

/* Forces may use the energy, momenta and reactions: a pendulum is swung up by th' (E - energy), by
 * which energy' = th'^2 (E - energy), until it swings with the energy E; friction by the reaction
 * of the plane, not its multiplier. */
static void test_feedback(void) {
  run *r = run_text("model swing\nparameter E = 1\nvariable th\nlagrangian th'^2/2 + cos(th)\n"
                    "let push = th'*(E - energy)\nforce th: push\n"
                    "start th = 0.1, th' = 0\noutput energy, momentum(th), th'\n");
  ritt_options o = run_options("dop853", 1e-10, 200);
  if (run_go(r, &o)) {
    CHECK_NEAR(run_last(r, "energy"), 1, 1e-6);
    CHECK_NEAR(run_last(r, "momentum(th)"), run_last(r, "th'"), 0);
  }
  run_free(r);
  r = run_text("model incline\nparameter g = 9.81, a = 0.5, mu = 0.3\nvariable x, y\n"
               "lagrangian (x'^2 + y'^2)/2 + g*(sin(a)*x - cos(a)*y)\n"
               "constraint plane: 5*y = 0\nforce x: -mu*reaction(y)\nstart x = 0, x' = 0\n");
  o = run_options("dopri54", 1e-10, 3);
  if (run_go(r, &o))
    CHECK_NEAR(run_last(r, "x"), (9.81 * sin(0.5) - 0.3 * 9.81 * cos(0.5)) * 4.5, 1e-10);
  run_free(r);
}

/* ---- the strong potential, by brute force ---- */

/* stiffpend_eps0.1_x1.7 and _x20 of the collection of references: a pendulum on a spring of
 * constant 1/eps^2 */
static void test_stiff(void) {
  static const double at[2][4] = {
      {0.264636067202517293, -1.00636928374033947, -1.69413367459934194, 1.10842022433303223},
      {-0.542146508796448493, -0.875318151655516044, 0.254507014643808337, -1.96183635911813732}};
  run *r = run_text("model spring\nvariable x, y\nlagrangian (x'^2 + y'^2)/2 - y\n"
                    "stiff (sqrt(x^2 + y^2) - 1)^2/2, eps = 0.1\n"
                    "start x = 0.849978751640303469, y = 0, x' = 0, y' = 0\n"
                    "invariant energy\noutput x, y, x', y'\n");
  for (int k = 0; k < 2; k++) {
    ritt_options o = run_options("dop853", 1e-12, k ? 20 : 1.7);
    run_go(r, &o);
    run_digits(r, "x y x' y'", at[k], 4, 9, "stiff");
  }
  run_set(r, "eps", "0.5");
  ritt_options o = run_options("dop853", 1e-12, 1);
  CHECK(run_go(r, &o));
  run_free(r);
}

/* ---- hamiltonians ---- */

/* henon_heiles_x110, kepler_x10 and kepler_x100 of the collection of references */
static void test_hamilton(void) {
  static const struct {
    const char *text, *columns;
    double to, at[4];
  } problem[] = {
      {"model hh\nvariable x, y, px, py\n"
       "hamiltonian (px^2 + py^2)/2 + (x^2 + y^2)/2 + x^2*y - y^3/3\ncanonical (x, px), (y, py)\n"
       "invariant energy\nstart x = 0.12, y = 0.12, px = 0.12, py = 0.12\n",
       "x y px py",
       110,
       {0.0650144328072613162, 0.246590712315162329, 0.00101554694888429160,
        0.0527331654612889667}},
      {"model kepler\nvariable x, y, px, py\nhamiltonian (px^2 + py^2)/2 - 1/sqrt(x^2 + y^2)\n"
       "canonical\n  (x, px)\n  (y, py)\nstart x = 0.5, y = 0, px = 0, py = 1.73\n",
       "x y px py",
       10,
       {-1.38222335041362129, -0.383467612657720553, 0.309053231192036523, -0.540063293697978334}},
      {"model kepler\nvariable x, y, px, py\nhamiltonian (px^2 + py^2)/2 - 1/sqrt(x^2 + y^2)\n"
       "canonical (x, px), (y, py)\ninvariant energy\ninvariant momentum: x*py - y*px\n"
       "start x = 0.5, y = 0, px = 0, py = 1.73\n",
       "x y px py",
       100,
       {0.0962668206925572351, 0.693786392651686011, -1.14509854343079344, 0.732819592616960885}}};
  for (size_t i = 0; i < sizeof problem / sizeof *problem; i++) {
    run *r = run_text(problem[i].text);
    ritt_options o = run_options("dop853", 1e-12, problem[i].to);
    run_go(r, &o);
    run_digits(r, problem[i].columns, problem[i].at, 4, 9, "hamiltonian");
    run_free(r);
  }
}

/* A spinning body by its bracket: B = S + alpha S^2 with S z = y x z; rigid_x10 and rigid_x3600 of
 * the collection of references, and for alpha = 0 energy and length as they are. */
static void test_bracket(void) {
  static const char *const body =
      "model body\nparameter alpha = 0.01, I[1..3] = [5/8, 5/8, 1/4]\nvariable y[1..3]\n"
      "let S = [[0, -y[3], y[2]], [y[3], 0, -y[1]], [-y[2], y[1], 0]]\n"
      "hamiltonian sum(i in 1..3, y[i]^2/(2*I[i]))\ncanonical y\nbracket S + alpha*(S*S)\n"
      "start y = [0.120397446999204286, 0.963079578114066841, 0.240794893998408572]\n"
      "output y, E = energy, size = norm(y)\n";
  static const double at[2][3] = {
      {-0.821119488120399497, 0.537655467650222106, 0.191544731941951566},
      {-0.431899030399428511, 0.901921963109909818, 7.44002642719815657e-39}};
  run *r = run_text(body);
  for (int k = 0; k < 2; k++) {
    ritt_options o = run_options("dop853", 1e-12, k ? 3600 : 10);
    run_go(r, &o);
    run_digits(r, "y[1] y[2] y[3]", at[k], 3, 9, "rigid body");
  }
  run_set(r, "alpha", "0");
  ritt_options o = run_options("dop853", 1e-13, 10);
  if (run_go(r, &o)) {
    CHECK_NEAR(run_last(r, "E"), run_get(r, 0, "E"), 1e-11);
    CHECK_NEAR(run_last(r, "size"), 1, 1e-11);
  }
  run_free(r);
}

/* The pairs of arrays, of single elements and of a family, and the bracket that stands for them,
 * are one system. */
static void test_canonical_forms(void) {
  static const char *const forms[] = {
      "canonical (q, p)\n", "canonical q, p\n",
      "canonical (q[1], p[1]), (q[2], p[2]), (q[3], p[3])\n",
      "canonical for i in 1..3: (q[i], p[i])\n",
      ("canonical q, p\nbracket [[0,0,0,1,0,0], [0,0,0,0,1,0], [0,0,0,0,0,1],\n"
       "  [-1,0,0,0,0,0], [0,-1,0,0,0,0], [0,0,-1,0,0,0]]\n")};
  double end[6], z[6];
  for (int k = 0; k < 5; k++) {
    static text t;
    t = (text){0};
    ADD(&t, "model m\nvariable q[1..3], p[1..3]\nhamiltonian dot(p, p)/2 + q[1]^2*q[2] + q[2]^4 + "
            "q[3]^2*q[1]^2\n");
    ADD(&t, "%sstart q = [0.5, 0.4, 0.3], p = [1, 2, 3]\n", forms[k]);
    run *r = run_text(t.at);
    ritt_options o = run_options("dop853", 1e-10, 1);
    if (run_go(r, &o)) run_list(r, r->rows - 1, "q[1] q[2] q[3] p[1] p[2] p[3]", k ? z : end);
    if (k) CHECK_NEAR(run_error(z, end, 6), 0, 1e-13);
    run_free(r);
  }
}

/* ---- multipliers of families and arrays ---- */

/* Masses at rest on springs that hold them away from where constraints keep them: the reactions are
 * the springs' forces k (x - place), whatever way the constraints are written and the multipliers
 * named. */
static void test_multipliers(void) {
  static const char *const forms[] = {
      "constraint for i in 1..3: x[i] = i\noutput lambda, R = reaction(x)\n",
      "constraint for i in 1..3: lambda: x[i] = i\noutput lambda, R = reaction(x)\n",
      "constraint lambda: x = [1, 2, 3]\noutput lambda, R = reaction(x)\n",
      "constraint x = [1, 2, 3]\noutput lambda, R = reaction(x)\n",
      "constraint x[1] = 1\nnonholonomic x[2]' = 0\nconstraint x[3] = 3\noutput lambda, R = reaction(x)\n",
      ("constraint x[1] = 1\n  last: x[3] = 3\nnonholonomic middle: x[2]' = 0\n"
       "let l = [lambda[1], middle, last]\noutput l = l, R = reaction(x)\n")};
  for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
    static text t;
    t = (text){0};
    ADD(&t,
        "model m\nvariable x[1..3]\nlagrangian dot(x', x')/2 - 5*sum(i in 1..3, (x[i] - i/2)^2)/2\n");
    ADD(&t, "%sstart x = [1, 2, 3], x' = 0\n", forms[k]);
    run *r = run_text(t.at);
    ritt_options o = run_options("dopri54", 1e-8, 1);
    if (run_go(r, &o))
      for (int i = 1; i <= 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s[%d]", k == 5 ? "l" : "lambda", i);
        CHECK_NEAR(run_last(r, name), 2.5 * i, 1e-13);
        snprintf(name, sizeof name, "R[%d]", i);
        CHECK_NEAR(run_last(r, name), 2.5 * i, 1e-13);
      }
    run_free(r);
  }
}

/* The models go to their ends, and keep their energy without being told to: T + V of the n-pendulum
 * is 0. */
static void test_models(void) {
  run *r = run_file("classics/n_pendulum", NULL);
  ritt_options o = run_options("dop853", 1e-11, 2);
  if (run_go(r, &o)) {
    CHECK_TEXT(r->statistics.kind, "holonomic");
    CHECK_NEAR(run_last(r, "energy"), 0, 1e-8);
    CHECK(r->names == 1 + 10 + 2);
  }
  run_set(
      r, "n",
      "1"); /* a single pendulum released at the height of its pivot pulls with 3 m g sin(angle) */
  if (run_go(r, &o)) CHECK_NEAR(run_last(r, "tension"), -3 * 9.81 * run_last(r, "y[1]"), 1e-8);
  run_free(r);
  r = run_file("classics/spinning_body", NULL);
  o = run_options(NULL, 0, NAN);
  CHECK(run_go(r, &o));
  run_free(r);
}

/* The characteristic polynomial of Lax's matrix at x. */
static double lax(const double z[6], double x) {
  double a = exp(z[0] - z[1]), b = exp(z[1] - z[2]);
  return (z[3] - x) * ((z[4] - x) * (z[5] - x) - b) - a * (z[5] - x);
}

/* Toda's chain keeps the eigenvalues of Lax's matrix, and the momenta tend to them, in rising
 * order. Without invariants, so that nothing but the equations keeps them. */
static void test_toda(void) {
  run *r = run_text("model toda\nvariable q1, q2, q3, p1, p2, p3\n"
                    "hamiltonian (p1^2 + p2^2 + p3^2)/2 + exp(q1 - q2) + exp(q2 - q3)\n"
                    "canonical (q1, p1), (q2, p2), (q3, p3)\n"
                    "start q1 = 0, q2 = 0, q3 = 0, p1 = 1, p2 = 0, p3 = -0.5\n");
  ritt_options o = run_options("dop853", 1e-13, 40);
  if (run_go(r, &o)) {
    double first[6], z[6];
    run_list(r, 0, "q1 q2 q3 p1 p2 p3", first);
    for (size_t i = 0; i < r->rows; i++) {
      run_list(r, i, "q1 q2 q3 p1 p2 p3", z);
      for (int x = -1; x <= 1; x++) CHECK_NEAR(lax(z, x), lax(first, x), 1e-10);
    }
    CHECK(z[3] < z[4] && z[4] < z[5]);
    for (int i = 3; i < 6; i++) CHECK_NEAR(lax(first, z[i]), 0, 1e-10);
  }
  run_free(r);
}

/* ---- what is offered ---- */

static void check_note(const char *model, const char *expected) {
  run *r = run_text(model);
  const ritt_check *c = NULL;
  if (r->model) r->status = ritt_model_check(r->model, r->error, &c);
  bool found = false;
  for (size_t i = 0; r->status == RITT_OK && i < c->note_count; i++)
    found = found || !strcmp(c->notes[i], expected);
  if (found) checks_passed++;
  else {
    run_complain(r, expected);
    for (size_t i = 0; r->status == RITT_OK && i < c->note_count; i++)
      printf("  note: %s\n", c->notes[i]);
  }
  run_free(r);
}

#define PLANE "model m\nvariable x, y\n"
#define BEGIN "start x = 1, y = 0, x' ~ 0, y' ~ 0\n"

static void test_offers(void) {
  static const char *const conserved = "energy is conserved; 'invariant energy' keeps it";
  check_note(PLANE "lagrangian (x'^2 + y'^2)/2 - y\nconstraint x^2 + y^2 = 1\n" BEGIN, conserved);
  check_note(PLANE "lagrangian (x'^2 + y'^2)/2 - y\nconstraint x^2 + y^2 = 1 + t\n" BEGIN,
             "energy is not conserved: constraint 1 (line 4) depends on t");
  check_note(PLANE "lagrangian (x'^2 + y'^2)/2 - y*cos(t)\n" BEGIN,
             "energy is not conserved: the lagrangian (line 3) depends on t");
  check_note(PLANE "lagrangian (x'^2 + y'^2)/2 - y\nforce y: -y'\n" BEGIN,
             "energy is not conserved: there is a force on y (line 4)");
  check_note(PLANE
             "lagrangian (x'^2 + y'^2)/2 - y\nevent floor: y = -1 falling -> y' := -y'/2\n" BEGIN,
             "energy is conserved between jumps; 'invariant energy' keeps it");
  /* a magnetic force does no work */
  check_note(PLANE "lagrangian (x'^2 + y'^2)/2 - y\nforce x: 2*y'\nforce y: -2*x'\n" BEGIN,
             conserved);
  check_note(PLANE "lagrangian (x'^2 + y'^2)/2\ndissipation y'^2/2\n" BEGIN,
             "energy is not conserved: there is dissipation (line 4)");
  /* a dissipation that is 0 with the value of its parameter takes nothing */
  check_note(PLANE "parameter d = 0\nlagrangian (x'^2 + y'^2)/2 - y\ndissipation d*y'^2/2\n" BEGIN,
             conserved);
  check_note(PLANE "lagrangian (x'^2 + y'^2)/2 - y\nnonholonomic x' = y'*x\n" BEGIN, conserved);
  check_note(
      PLANE "lagrangian (x'^2 + y'^2)/2 - y\nnonholonomic belt: x' = 1\n" BEGIN,
      "energy is not conserved: nonholonomic constraint belt (line 4) does not hold at rest");
  check_note(PLANE "lagrangian (x'^2 + y'^2)/2 - y\n" BEGIN,
             "momentum(x) is conserved; 'invariant momentum(x)' keeps it");
  check_note(
      "model m\nvariable q, p\nhamiltonian p^2/2 + q^2/2\ncanonical (q, p)\nstart q = 1, p = 0\n",
      conserved);
  check_note(
      "model m\nvariable q, p\nhamiltonian p^2/2 + t*q^2/2\ncanonical q, p\nstart q = 1, p = 0\n",
      "energy is not conserved: the hamiltonian (line 3) depends on t");
  check_note(
      "model m\nvariable q, p, u\nhamiltonian p^2/2 + u*q^2/2\ncanonical (q, p)\n"
      "equation u' = -u\nstart q = 1, p = 0, u = 1\n",
      "energy is not conserved: the hamiltonian (line 3) depends on u, which is not canonical");
  check_note(
      "model m\nvariable q, p\nhamiltonian p^2/2 + q^2\ncanonical q, p\nbracket [[0, 1], [-1, -0.1]]\n"
      "start q = 1, p = 0\n",
      "energy is not conserved: the bracket (line 5) is not antisymmetric: look at [2, 2]");
  check_note(
      "model m\nvariable q, p\nhamiltonian p^2/2 + q^2\ncanonical q, p\nbracket [[0, q], [-q, 0]]\n"
      "start q = 1, p = 0\n",
      conserved);
  check_note(
      "model m\nvariable x[1..3]\nlagrangian dot(x', x')/2\nforce for i in 1..3: x[i]: if i = 1 then "
      "0 else -x[i]\n"
      "start x = 1, x' = 0\n",
      "energy is not conserved: there is a force on x[2] (line 4)");
  check_note("model m\nvariable q, p\nhamiltonian p^2/2\ncanonical (q, p)\nstart q = 1, p = 0\n",
             "p is conserved; 'invariant p' keeps it");
  /* names of the model's own are not offered in their place */
  check_note(
      "model m\nvariable x, energy\nequation energy = x'^2/2\nlagrangian x'^2/2 - x^2/2\nstart x = 1, "
      "x' = 0\n",
      "energy is conserved; to keep it, give what the model calls 'energy' another name");
  check_note(
      PLANE "function momentum(a) = a\nlagrangian (x'^2 + y'^2)/2 - y\n" BEGIN,
      "momentum(x) is conserved; to keep it, give what the model calls 'momentum' another name");
}

/* What is offered is accepted when the model makes it an invariant; the energy function of
 * lagrangians that are no T - V too: with terms linear in the velocities, with moving axes,
 * relativistic. */
static void test_invariants(void) {
  static const char *const texts[] = {
      PLANE "lagrangian (x'^2 + y'^2)/2 + x*y' - y*x' - (x^2 + 2*y^2)/2\ninvariant energy\n" BEGIN,
      PLANE
      "lagrangian -sqrt(4 - x'^2 - y'^2) - x^2\ninvariant energy\ninvariant momentum(y)\n" BEGIN,
      PLANE
      "lagrangian (x'^2 + x^2*y'^2)/2 - x\ninvariant h: energy\ninvariant momentum(y)\n" BEGIN,
      PLANE "lagrangian ((x' - y)^2 + (y' + x)^2)/2 - x\ninvariant energy\n" BEGIN,
      PLANE
      "let H = energy\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint x^2 + y^2 = 1\ninvariant H\n" BEGIN};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    run *r = run_text(texts[i]);
    ritt_options o = run_options("dopri54", 1e-8, 1);
    CHECK(run_go(r, &o));
    run_free(r);
  }
}

int main(void) {
  test_pendula();
  test_double_pendulum();
  test_knife_edge();
  test_sleigh();
  test_disk();
  test_moving_pivot();
  test_oscillator();
  test_friction();
  test_feedback();
  test_stiff();
  test_hamilton();
  test_toda();
  test_bracket();
  test_canonical_forms();
  test_multipliers();
  test_models();
  test_offers();
  test_invariants();
  return CHECKS_DONE();
}
