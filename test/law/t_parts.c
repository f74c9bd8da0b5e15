/* Models made of parts have the solutions of the systems that they stand for: values of the
 * literature, and the same motion from equations that are written by hand. */
#include "run.h"

static bool is_near(double a, double b, double tolerance) {
  return fabs(a - b) <= tolerance * fmax(fabs(b), 1e-3);
}

/* The transistor amplifier of the test set for initial value problems, which has two stages:
 * voltages at t = 0.2 of its reference solution. */
static void test_amplifier(void) {
  static const struct {
    const char *name;
    double value;
  } node[] = {{"s[1].left.v", -0.005562145012262709}, {"s[1].Q.b.v", 3.006522471903042},
              {"s[1].Q.e.v", 2.849958788608128},      {"s[1].Q.c.v", 2.926422536206241},
              {"s[2].Q.b.v", 2.704617865010554},      {"s[2].Q.e.v", 2.761837778393145},
              {"s[2].Q.c.v", 4.770927631616772},      {"load.p.v", 1.236995868091548}};
  run *r = run_file("parts/amplifier", "output s[1].left.v, s[1].Q.b.v, s[1].Q.e.v, s[1].Q.c.v\n"
                                       "  s[2].Q.b.v, s[2].Q.e.v, s[2].Q.c.v, load.p.v\n");
  ritt_options o = ritt_options_default();
  o.tolerance = 1e-11;
  run_set(r, "n", "2");
  run_go(r, &o);
  for (size_t i = 0; i < sizeof node / sizeof *node; i++) {
    bool near = is_near(run_last(r, node[i].name), node[i].value, 1e-8);
    if (!near)
      printf("%s = %.16g, not %.16g\n", node[i].name, run_last(r, node[i].name), node[i].value);
    CHECK(near);
  }
  run_free(r);
}

/* Five rockers of mass 1 and a beam of mass 4 move like one pendulum:
 * (5/3 + 4) phi'' = -(5/2 + 4) g cos(phi). At phi = 0 the mechanism is singular. */
static void test_redundant(void) {
  run *parts = run_file("parts/redundant", NULL);
  run *one = run_text("model pendulum\n"
                      "variable phi\n"
                      "equation (5/3 + 4)*phi'' = -(5/2 + 4)*9.81*cos(phi)\n"
                      "start phi = 1.2, phi' = 0\n"
                      "solve t = 0 .. 3\n  tolerance 1e-9\n");
  ritt_options o = ritt_options_default();
  o.tolerance = 1e-12;
  o.to = 0.6;
  run_go(parts, &o);
  run_go(one, &o);
  CHECK(is_near(run_last(parts, "rocker[1].phi"), run_last(one, "phi"), 1e-7));
  CHECK(is_near(run_last(parts, "rocker[5].phi"), run_last(one, "phi"), 1e-7));
  CHECK(fabs(run_last(parts, "plate.phi")) < 1e-9);
  run_free(parts);
  run_free(one);
}

/* The four-bar linkage with the angles as coordinates and the loop closed by hand. */
static void test_fourbar(void) {
  run *parts = run_file("parts/fourbar", NULL);
  run *flat = run_text("model fourbar\n"
                       "parameter g = 9.81, c = 0.02\n"
                       "variable a, b, d\n"
                       "let x = cos(a) + 3/2*cos(b), y = sin(a) + 3/2*sin(b)\n"
                       "lagrangian a'^2/6 + 3/2*(x'^2 + y'^2) + 27/24*b'^2 + 2.5^3/6*d'^2"
                       " - g*(sin(a)/2 + 3*y + 2.5^2/2*sin(d))\n"
                       "constraint\n"
                       "  cos(a) + 3*cos(b) = 3 + 2.5*cos(d)\n"
                       "  sin(a) + 3*sin(b) = 2.5*sin(d)\n"
                       "dissipation c/2*(a'^2 + (a' - b')^2 + (b' - d')^2 + d'^2)\n"
                       "start a = pi/2, a' = 0, b ~ 0.4, d ~ 1.6\n"
                       "solve t = 0 .. 10\n  tolerance 1e-9\n");
  run_go(parts, NULL);
  run_go(flat, NULL);
  CHECK(is_near(run_last(parts, "crank.phi"), run_last(flat, "a"), 1e-5));
  CHECK(is_near(run_last(parts, "coupler.phi"), run_last(flat, "b"), 1e-5));
  CHECK(is_near(run_last(parts, "rocker.phi"), run_last(flat, "d"), 1e-5));
  run_free(parts);
  run_free(flat);
}

/* The ring main with its flows written by hand: r[k] in pipe k, s in the supply. */
static void test_ring(void) {
  run *parts = run_file("parts/ring", NULL);
  run *flat = run_text("model ring\n"
                       "variable r[1..6], p[1..6], s, h, k\n"
                       "parameter rho = 1000, A = pi*0.2^2/4, B = pi*0.3^2/4\n"
                       "function loss(q, L, d, S) = 0.02*L/d*rho/2*q*abs(q)/S^2\n"
                       "function tap(u) = 1e-6*u*(1 + sin(t/10)/2)\n"
                       "equation\n"
                       "  for i in 1..6:\n"
                       "    rho*(50 + 10*i)/A*r[i]' = p[i] - p[if i = 6 then 1 else i + 1]"
                       " - loss(r[i], 50 + 10*i, 0.2, A)\n"
                       "  rho*200/B*s' = rho*9.81*h - p[1] - loss(s, 200, 0.3, B)\n"
                       "  10*h' = -s\n"
                       "  p[4] = rho*9.81*k\n"
                       "  4*k' = r[3] - r[4]\n"
                       "  s + r[6] = r[1]\n"
                       "  r[1] = r[2]\n"
                       "  r[2] = r[3] + tap(p[3])\n"
                       "  r[4] = r[5]\n"
                       "  r[5] = r[6] + tap(p[6])\n"
                       "start h = 30, k = 28, r[3] = 0, r[5] = 0, r[6] = 0, s = 0\n"
                       "solve t = 0 .. 600\n  tolerance 1e-7\n");
  run_go(parts, NULL);
  run_go(flat, NULL);
  CHECK(is_near(run_last(parts, "spring.h"), run_last(flat, "h"), 1e-5));
  CHECK(is_near(run_last(parts, "tower.h"), run_last(flat, "k"), 1e-5));
  run_free(parts);
  run_free(flat);
}

/* Andrews' mechanism from bodies and pins: the angles of the test set at its end, in quadruple
 * precision by an explicit method on the index-reduced system. */
static void test_andrews(void) {
  static const double reference[] = {15.810771195153707,  -15.756371058411839, 0.040822240119645805,
                                     -0.5347301163420796, 0.5244099658799541,  0.5347301163420796,
                                     1.0480807410419379};
  run *r = run_file("parts/andrews", NULL);
  ritt_options o = ritt_options_default();
  o.tolerance = 1e-12;
  run_go(r, &o);
  run_digits(r, "beta Theta gamma Phi delta Omega epsilon", reference, 7, 10, "andrews");
  run_free(r);
}

/* The low-pass filter, the drive, Chua's circuit and the four-bar linkage of the Modelica Standard Library: rows of
 * its reference results (modelica/MAP-LIB_ReferenceResults), which were computed with tolerances of about 1e-6. */
static void test_modelica(void) {
  static const double cauer[] = {0.49970810, 0.50109993, 0.49970790, 0.49936892, 0.50095869};
  static const double drive[] = {0.16232818, 0.16286001};
  /* Chua's circuit at t = 200; after some thousand seconds all digits are lost to chance */
  static const double chua[] = {1.8529558404105639, -0.81418611706135635, 2.3706453671386134};
  /* the linkage at t = 1; the angle modulo a turn */
  static const double linkage[] = {7.8021338306942392 - 6.283185307179586, 9.3615884175905322};
  run *r = run_file("parts/cauer", NULL);
  run_go(r, NULL);
  run_digits(r, "C1.v C3.v C5.v L1.i L2.i", cauer, 5, 4.6, "cauer");
  run_free(r);
  r = run_file("parts/drive", NULL);
  run_go(r, NULL);
  run_digits(r, "shaft.phi load.phi", drive, 2, 4.6, "drive");
  run_free(r);

  ritt_options o = ritt_options_default();
  o.to = 200;
  r = run_file("parts/msl_chua", NULL);
  run_go(r, &o);
  run_digits(r, "C1.v C2.v L.i", chua, 3, 4.6, "chua");
  run_free(r);
  o.to = 1;
  r = run_file("parts/msl_fourbar", NULL);
  run_go(r, &o);
  run_digits(r, "phi w", linkage, 2, 4.6, "fourbar");
  run_free(r);
}

/* Two bodies in space, their orientations unit quaternions, welded together: the connection has six
 * conditions, and the bodies turn with a constant angular velocity. */
static void test_orientation(void) {
  static const char weld[] = "model weld\n"
                             "port frame position r[1..3], orientation q\n"
                             "component body\n"
                             "  variable r[1..3], q[1..4]\n"
                             "  let w = [q[1]*q[2]' - q[2]*q[1]' - q[3]*q[4]' + q[4]*q[3]',\n"
                             "    q[1]*q[3]' - q[3]*q[1]' - q[4]*q[2]' + q[2]*q[4]',\n"
                             "    q[1]*q[4]' - q[4]*q[1]' - q[2]*q[3]' + q[3]*q[2]']\n"
                             "  constraint dot(q, q) = 1\n"
                             "  lagrangian dot(r', r')/2 + 2*dot(w, w)\n"
                             "  port f: frame = [r, q]\n"
                             "component wall\n"
                             "  port f: frame = [[0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]]\n"
                             "part a: body, b: body%s\n"
                             "connect a.f, b.f%s\n"
                             "start a.r = 0, a.q = [1, 0, 0, 0], b.r ~ 0, b.q ~ [1, 0, 0, 0]%s\n"
                             "solve t = 0 .. 1\n  tolerance 1e-11\n";
  char text[2000];
  const ritt_check *check = NULL;
  snprintf(text, sizeof text, weld, "", "", ", a.r' = 0, a.q' = [0, 0.5, 0.25, 0.125]");
  run *r = run_text(text);
  CHECK(r->model && ritt_model_check(r->model, r->error, &check) == RITT_OK);
  CHECK(check && check->degrees_of_freedom == 12 && check->dependent_count == 0);
  CHECK(check && check->non_unique_count == 0);
  run_go(r, NULL);
  CHECK(is_near(run_last(r, "a.q[1]"), cos(sqrt(21.0) / 8), 1e-9));
  CHECK(is_near(run_last(r, "b.q[1]"), cos(sqrt(21.0) / 8), 1e-9));
  run_free(r);

  /* a wall whose orientation is a matrix holds both */
  snprintf(text, sizeof text, weld, ", c: wall", ", c.f", "");
  r = run_text(text);
  CHECK(r->model && ritt_model_check(r->model, r->error, &check) == RITT_OK);
  CHECK(check && check->degrees_of_freedom == 0 && check->dependent_count == 0);
  run_free(r);
}

/* A force along a height is a force on the angle; inputs are functions of time. */
static void test_force_and_input(void) {
  run *a = run_text("model a\nvariable u\nlagrangian u'^2/2\nforce -cos(u): -2\n"
                    "start u = 1, u' = 0\nsolve t = 0 .. 3\n  tolerance 1e-11\n");
  run *b = run_text("model b\nvariable u\nlagrangian u'^2/2 + 2*cos(u)\n"
                    "start u = 1, u' = 0\nsolve t = 0 .. 3\n  tolerance 1e-11\n");
  run_go(a, NULL);
  run_go(b, NULL);
  CHECK(is_near(run_last(a, "u"), run_last(b, "u"), 1e-9));
  run_free(a);
  run_free(b);

  run *r = run_text("model inputs\ninput u = 2*t\n"
                    "component drive\n  input f\n  variable x\n  equation x' = f\n"
                    "part d: drive(f = u + 1), e: drive(f = cos(t))\n"
                    "start d.x = 0, e.x = 0\nsolve t = 0 .. 2\n  tolerance 1e-11\n"
                    "output d.x, e.x\n");
  run_go(r, NULL);
  CHECK(is_near(run_last(r, "d.x"), 6, 1e-9));
  CHECK(is_near(run_last(r, "e.x"), sin(2.0), 1e-9));
  run_set(r, "u", "sin(t)");
  run_set(r, "e.f", "3");
  run_go(r, NULL);
  CHECK(is_near(run_last(r, "d.x"), 3 - cos(2.0), 1e-9));
  CHECK(is_near(run_last(r, "e.x"), 6, 1e-9));
  run_free(r);
}

/* Local names of functions and components: Heron's formula for the triangle 3, 4, 5, whose area is 6. */
static void test_local_names(void) {
  run *r = run_text("model locals\nparameter k = 2, s = 100\nfunction\n"
                    "  area(a, b, c) = sqrt(s*(s - a)*(s - b)*(s - c)) let s = (a + b + c)/2\n"
                    "  both(v) = d^2 + e let d = k*v[1] + v[2], e = d/2\n"
                    "component grow\n  parameter a\n  variable x\n  let rate = area(a, 4, 5)\n"
                    "  equation x' = rate\n"
                    "part p: grow(a = 3)\nstart p.x = 0\nsolve t = 0 .. 1\n"
                    "output p.x, y = both([3, 2])\n");
  run_go(r, NULL);
  CHECK(is_near(run_last(r, "p.x"), 6, 1e-12));
  CHECK(run_last(r, "y") == 68);
  run_free(r);
}

/* Benchmarks of the IFToMM library from parts. A01 is at the bottom after K(1/2)/sqrt(g), K the complete
 * elliptic integral of the first kind, and at t = 10 where the reference of the benchmark has it (1MBS_resultsPlot.pdf,
 * see test_bricard). A02 passes singular positions, at which two more freedoms appear, and
 * moves like one pendulum: three links turn, two more only shift. Both conserve their energies. */
static void test_iftomm(void) {
  run *r = run_file("parts/iftomm_pendulum", NULL);
  ritt_options o = ritt_options_default();
  run_go(r, NULL);
  CHECK(fabs(run_last(r, "energy")) < 1e-7);
  CHECK_NEAR(run_last(r, "mass.x"), -0.275087, 1e-6);
  CHECK_NEAR(run_last(r, "mass.y"), -0.961419, 1e-6);
  o.to = 1.8540746773013719 / sqrt(9.81);
  run_go(r, &o);
  CHECK_NEAR(run_last(r, "mass.x"), 0, 1e-8);
  CHECK_NEAR(run_last(r, "mass.y"), -1, 1e-12);
  run_free(r);

  r = run_file("parts/iftomm_fourbars", NULL);
  run *one = run_text("model one\nvariable phi\nequation 3*phi'' = -3.5*9.81*cos(phi)\n"
                      "start phi = pi/2, phi' = -1\nsolve t = 0 .. 10\n  tolerance 1e-11\n"
                      "output x = cos(phi), y = sin(phi)\n");
  run_go(r, NULL);
  run_go(one, NULL);
  CHECK_NEAR(run_last(r, "up[0].b.x"), run_last(one, "x"), 1e-6);
  CHECK_NEAR(run_last(r, "up[0].b.y"), run_last(one, "y"), 1e-6);
  CHECK_NEAR(run_last(r, "energy"), 3.5 * 9.81 + 1.5, 1e-7);
  run_free(r);
  run_free(one);

  /* 40 four-bars, as in the benchmark; its reference is in 2MBS_PlotResults.pdf */
  r = run_file("parts/iftomm_fourbars", NULL);
  run_set(r, "n", "40");
  ritt_options loose = ritt_options_default();
  loose.tolerance = 1e-8;
  run_go(r, &loose);
  CHECK_NEAR(run_last(r, "up[0].b.x"), 0.180513, 1e-6);
  CHECK_NEAR(run_last(r, "up[0].b.y"), 0.983573, 1e-6);
  run_free(r);
}

/* Bricard's mechanism has one freedom in every position, although one condition of its hinges is too many.
 * At the flat positions, of which it passes one, some conditions do not follow from the others, so that the
 * rows of the start are not those of the end. Energy is conserved, and all hinges hold. The point P is where the
 * reference of the benchmark A04 has it at t = 2, with its six digits; its y and z are our z and y. The reference is
 * drawn in help/images/4MBS_PlotResults.pdf of github.com/RehabEngGroup/MBSbenchmarksInOpenSim. */
static void test_bricard(void) {
  run *r = run_file(
      "parts/bricard",
      "let A1 = rotation(r1.q), A2 = rotation(r2.q), A3 = rotation(r3.q)\n"
      "  A4 = rotation(r4.q), A5 = rotation(r5.q)\n"
      "  H1 = norm(A1*[1, 0, 0] - [1, 0, 0]) + norm((A1 - A2)*[0, 1, 0]) + norm((A2 - A3)*[0, 0, 1])\n"
      "  H2 = norm((A3 - A4)*[1, 0, 0]) + norm((A4 - A5)*[0, 1, 0]) + norm(A5*[0, 0, 1] - [0, 0, 1])\n"
      "output H1, H2\n");
  ritt_options o = ritt_options_default();
  o.tolerance = 1e-10;
  run_go(r, &o);
  CHECK_NEAR(run_last(r, "P[1]"), -0.779947, 1e-6);
  CHECK_NEAR(run_last(r, "P[2]"), -0.195841, 1e-6);
  CHECK_NEAR(run_last(r, "P[3]"), -0.980636, 1e-6);
  CHECK(fabs(run_last(r, "energy") + 3 * 9.81) < 1e-7);
  CHECK(run_last(r, "H1") + run_last(r, "H2") < 1e-8);
  run_free(r);
}

/* The governor A05 with the symmetry used: the angle of the rods, the height of the slider, and the momentum about
 * the shaft, integrated by another program to 12 digits. */
static void test_governor(void) {
  run *r = run_file("parts/iftomm_governor", NULL);
  ritt_options o = ritt_options_default();
  o.to = 1;
  run_go(r, &o);
  CHECK_NEAR(run_last(r, "s"), 0.50142092238, 1e-8);
  CHECK_NEAR(run_last(r, "w"), 6.27112574188, 1e-6);
  double c = 5.15 / 5.3,
         J = 0.3 * 1.0001 / 12 + 0.3 * (c - 0.5) * (c - 0.5) + 5 * (1 - c) * (1 - c);
  double reach = 0.05 + c * sqrt(0.75);
  double inertia = 0.005 + 5e-6 + 2 * (5.3 * reach * reach + 0.75 * J + 0.25 * 5e-6);
  CHECK_NEAR(run_last(r, "momentum"), inertia * 6.283185307179586, 1e-6);

  /* the reference of the benchmark, in 5MBS_PlotResults.pdf (see test_bricard), ends at t = 3 */
  run *late = run_file("parts/iftomm_governor", NULL);
  o.to = 3;
  run_go(late, &o);
  CHECK_NEAR(run_last(late, "s"), 0.513246, 1e-6);
  run_free(late);
  run_free(r);
}

/* Values of parts that are not constant: a voltage of an input and of time, a resistance of an unknown, also
 * through a component around them. A component of the model's own file hides that of a library. */
static void test_varying_values(void) {
  run *r = run_text(
      "model m\ninclude <electric>\ninclude <planar>\ninput u = 2*t\nfunction f(x) = 1 + x^2\n"
      "variable T\nequation T' = 1\n"
      "component conductor\n  extend electric.twopin\n  parameter G\n  equation i = 3*G*v\n"
      "component box\n  parameter U0, R0 = 2, T0\n"
      "  part S: voltage_source(U = U0), R: resistor(R = R0*f(T0)), Z: electric.ground, K: conductor(G = 1)\n"
      "  connect\n    S.p, R.p, K.p\n    S.n, R.n, Z.p, K.n\n"
      "part A: box(U0 = u + sin(t), T0 = T), B: box(U0 = 3, T0 = 0)\n"
      "  C[k in 1..2]: box(U0 = k*T, T0 = k)\n"
      "start T = 0\nsolve t = 0 .. 2\noutput A.R.i, B.R.i, C[2].R.i, B.K.i\n");
  run_go(r, NULL);
  CHECK_NEAR(run_last(r, "A.R.i"), (4 + sin(2)) / 10, 1e-9);
  CHECK_NEAR(run_last(r, "B.R.i"), 1.5, 1e-12);
  CHECK_NEAR(run_last(r, "C[2].R.i"), 0.4, 1e-9);
  CHECK_NEAR(run_last(r, "B.K.i"), 9, 1e-12);
  run_free(r);
}

/* A path through an array of parts without an index, or with a range, stands for all values: columns, start values,
 * units, derivatives, arithmetic. Two tanks that are joined keep their volume, and tank 3 is on its own. */
static void test_arrays_of_parts(void) {
  run *r = run_text(
      "model m\ninclude <hydraulic>\npart T[k in 1..3]: tank(S = k), V: valve(k = 1e-5)\n"
      "connect\n  T[1].a, V.a\n  V.b, T[2].a\nstart T.h = [4, 1, 2]\nsolve t = 0 .. 10\n"
      "unit T[1..2].h \"cm\"\noutput T.h, T[2..3].h', p = T.a.p, volume = dot(T.S, T.h)\n");
  run_go(r, NULL);
  double rate = 1e-5 * 9810 * (1 + 0.5), apart = 3 * exp(-10 * rate);
  CHECK_NEAR(run_last(r, "T[1].h"), 2 + 2 * apart / 3, 1e-6);
  CHECK_NEAR(run_last(r, "T[2].h"), 2 - apart / 3, 1e-6);
  CHECK_NEAR(run_last(r, "T[2].h'"), rate * apart / 3, 1e-6);
  CHECK_NEAR(run_last(r, "T[3].h'"), 0, 1e-12);
  CHECK_NEAR(run_last(r, "p[3]"), 9810 * 2, 1e-9);
  CHECK_NEAR(run_last(r, "volume"), 4 + 2 + 6, 1e-6);
  run_free(r);
}

/* Start values of names that stand for expressions: the angular velocity of a body, a point of a
 * bar, a name in a family. A free symmetric top: its axis components keep their rates, and
 * w[1] + i w[2] turns with the rate (J3 - J1)/J1 w[3]. */
static void test_start_of_expressions(void) {
  run *top = run_text("model top\ninclude <spatial>\n"
                      "part b: spatial.body(m = 1, J = [2, 2, 3])\n"
                      "start b.r = [0, 0, 0], b.r' = [0, 0, 0], b.q = [0.6, 0, 0.8, 0]\n"
                      "  b.w = [0.5, 0, 4]\n"
                      "solve t = 0 .. 1\n  tolerance 1e-11\noutput b.w\n");
  run_go(top, NULL);
  CHECK_NEAR(run_last(top, "b.w[1]"), 0.5 * cos(2), 1e-9);
  CHECK_NEAR(run_last(top, "b.w[2]"), 0.5 * sin(2), 1e-9);
  CHECK_NEAR(run_last(top, "b.w[3]"), 4, 1e-9);
  run_free(top);

  /* bars of length 2 whose ends are 1 and 1.5 to the right of the pins */
  run *bar = run_text("model bars\ninclude <planar>\n"
                      "part w: ground, p[k in 1..2]: revolute, s[k in 1..2]: bar(L = 2, m = 1)\n"
                      "connect\n  for k in 1..2: w.f, p[k].a\n  for k in 1..2: p[k].b, s[k].a\n"
                      "start for k in 1..2: s[k].b.x = (k + 1)/2, s[k].phi' = 0, s[k].phi ~ 1\n"
                      "solve t = 0 .. 1e-3\noutput for k in 1..2: s[k].phi\n");
  run_go(bar, NULL);
  CHECK_NEAR(run_get(bar, 0, "s[1].phi"), acos(0.5), 1e-12);
  CHECK_NEAR(run_get(bar, 0, "s[2].phi"), acos(0.75), 1e-12);
  run_free(bar);
}

int main(void) {
  test_start_of_expressions();
  test_varying_values();
  test_bricard();
  test_arrays_of_parts();
  test_amplifier();
  test_redundant();
  test_fourbar();
  test_ring();
  test_andrews();
  test_modelica();
  test_orientation();
  test_force_and_input();
  test_local_names();
  test_iftomm();
  test_governor();
  return CHECKS_DONE();
}
