/* The stiff problems of the test set for IVP solvers (Mazzia, Magherini; the equations are those of
 * models/ivp), with Jacobians by hand, and the slider crank, which has no functions here and is for
 * Ritt alone. */
#include <math.h>
#include <string.h>
#include "problem.h"

#define UNUSED(t) (void)(t)

/* y' = rhs: F = y' - rhs for IDA, too */
#define DAE_OF(NAME, N)                                                                            \
  static void NAME##_residual(double t, const double *w, const double *d, double *out) {           \
    NAME##_rhs(t, w, out);                                                                         \
    for (int i = 0; i < N; i++) out[i] = d[i] - out[i];                                            \
  }                                                                                                \
  static void NAME##_dae_jacobian(double t, double c, const double *w, const double *d,            \
                                  double *out) {                                                   \
    UNUSED(d), NAME##_jacobian(t, w, out);                                                         \
    for (int i = 0; i < N * N; i++) out[i] = (i % (N + 1) == 0 ? c : 0) - out[i];                  \
  }                                                                                                \
  static void NAME##_dae_start(double *w, double *d) {                                             \
    memcpy(w, NAME##_start, sizeof NAME##_start), NAME##_rhs(0, w, d);                             \
  }
#define ORDINARY(NAME, N)                                                                          \
  .n = N, .start = NAME##_start, .rhs = NAME##_rhs, .jacobian = NAME##_jacobian, .dae = N,         \
  .differential = N, .dae_start = NAME##_dae_start, .residual = NAME##_residual,                   \
  .dae_jacobian = NAME##_dae_jacobian

/* ---- high irradiance response ---- */

enum { HIRES = 8 };
static const double hires_start[HIRES] = {1, 0, 0, 0, 0, 0, 0, 0.0057};
static const double hires_exact[HIRES] = {
    0.0007371312573325668, 0.0001442485726316185, 5.888729740967575e-05, 0.001175651343283149,
    0.002386356198831331,  0.006238968252742796,  0.002849998395185769,  0.002850001604814231};
static void hires_rhs(double t, const double *y, double *out) {
  UNUSED(t);
  double bound = 280 * y[5] * y[7];
  out[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
  out[1] = 1.71 * y[0] - 8.75 * y[1];
  out[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
  out[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
  out[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
  out[5] = -bound + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
  out[6] = bound - 1.81 * y[6];
  out[7] = -bound + 1.81 * y[6];
}
static void hires_jacobian(double t, const double *y, double *out) {
  UNUSED(t);
  double a = 280 * y[7], b = 280 * y[5];
  double J[HIRES][HIRES] = {/* columns */
                            {-1.71, 1.71},
                            {0.43, -8.75, 0, 8.32},
                            {8.32, 0, -10.03, 1.71},
                            {0, 0, 0.43, -1.12, 0, 0.69},
                            {0, 0, 0.035, 0, -1.745, 1.71},
                            {0, 0, 0, 0, 0.43, -a - 0.43, a, -a},
                            {0, 0, 0, 0, 0.43, 0.69, -1.81, 1.81},
                            {0, 0, 0, 0, 0, -b, b, -b}};
  memcpy(out, J, sizeof J);
}
DAE_OF(hires, HIRES)
const peer_problem peer_hires = {.name = "hires",
                                 .model = "models/ivp/hires.ritt",
                                 .end = 321.8122,
                                 .compared = HIRES,
                                 .exact = hires_exact,
                                 .relative = 1,
                                 .absolute = 1e-4,
                                 ORDINARY(hires, HIRES)};

/* ---- van der Pol ---- */

static const double van_der_pol_start[] = {2, 0};
static const double van_der_pol_exact[] = {1.706167732170483, -0.8928097010247975};
static const double mu = 1e6;
static void van_der_pol_rhs(double t, const double *y, double *out) {
  UNUSED(t);
  out[0] = y[1], out[1] = mu * ((1 - y[0] * y[0]) * y[1] - y[0]);
}
static void van_der_pol_jacobian(double t, const double *y, double *out) {
  UNUSED(t);
  out[0] = 0, out[1] = mu * (-2 * y[0] * y[1] - 1), out[2] = 1, out[3] = mu * (1 - y[0] * y[0]);
}
DAE_OF(van_der_pol, 2)
const peer_problem peer_van_der_pol = {.name = "van der Pol",
                                       .model = "models/ivp/van_der_pol_stiff.ritt",
                                       .end = 2,
                                       .compared = 2,
                                       .exact = van_der_pol_exact,
                                       .relative = 1,
                                       ORDINARY(van_der_pol, 2)};

/* ---- the Oregonator ---- */

static const double oregonator_start[] = {1, 2, 3};
static const double oregonator_exact[] = {1.000814870318523, 1228.178521549917, 132.0554942846706};
static const double speed = 77.27, third = 0.161, damping = 8.375e-6;
static void oregonator_rhs(double t, const double *y, double *out) {
  UNUSED(t);
  out[0] = speed * (y[1] + y[0] * (1 - damping * y[0] - y[1]));
  out[1] = (y[2] - (1 + y[0]) * y[1]) / speed;
  out[2] = third * (y[0] - y[2]);
}
static void oregonator_jacobian(double t, const double *y, double *out) {
  UNUSED(t);
  double J[] = {speed * (1 - 2 * damping * y[0] - y[1]),
                -y[1] / speed,
                third,
                speed * (1 - y[0]),
                -(1 + y[0]) / speed,
                0,
                0,
                1 / speed,
                -third};
  memcpy(out, J, sizeof J);
}
DAE_OF(oregonator, 3)
const peer_problem peer_oregonator = {.name = "Oregonator",
                                      .model = "models/ivp/oregonator.ritt",
                                      .end = 360,
                                      .compared = 3,
                                      .exact = oregonator_exact,
                                      .relative = 1,
                                      ORDINARY(oregonator, 3)};

/* ---- Robertson's reaction ---- */

static const double robertson_start[] = {1, 0, 0};
static const double robertson_exact[] = {0.2083340149701255e-7, 0.8333360770334713e-13,
                                         0.9999999791665050};
static void robertson_rhs(double t, const double *y, double *out) {
  UNUSED(t);
  double a = 0.04 * y[0], b = 1e4 * y[1] * y[2], c = 3e7 * y[1] * y[1];
  out[0] = -a + b, out[1] = a - b - c, out[2] = c;
}
static void robertson_jacobian(double t, const double *y, double *out) {
  UNUSED(t);
  double b1 = 1e4 * y[2], b2 = 1e4 * y[1], c = 6e7 * y[1];
  double J[] = {-0.04, 0.04, 0, b1, -b1 - c, c, b2, -b2, 0};
  memcpy(out, J, sizeof J);
}
DAE_OF(robertson, 3)
const peer_problem peer_robertson = {.name = "Robertson",
                                     .model = "models/ivp/robertson_long.ritt",
                                     .end = 1e11,
                                     .compared = 3,
                                     .exact = robertson_exact,
                                     .relative = 1,
                                     .absolute = 1e-8,
                                     ORDINARY(robertson, 3)};

/* ---- chemical Akzo Nobel: five equations, and an equilibrium for the sixth, which may as well be
 * put in ---- */

enum { AKZO = 6 };
static const double akzo_start[AKZO - 1] = {0.444, 0.00123, 0, 0.007, 0};
static const double akzo_exact[AKZO] = {0.1150794920661702,  0.001203831471567715,
                                        0.1611562887407974,  0.0003656156421249283,
                                        0.01708010885264404, 0.004873531310307455};
static const double akzo_k = 115.83;
static void akzo_rates(const double *y, double y6, double *out) {
  double root = sqrt(fmax(y[1], 0)), y1 = y[0];
  double r1 = 18.7 * y1 * y1 * y1 * y1 * root, r2 = 0.58 * y[2] * y[3],
         r3 = 0.58 / 34.4 * y1 * y[4];
  double r4 = 0.09 * y1 * y[3] * y[3], r5 = 0.42 * y6 * y6 * root, in = 3.3 * (0.9 / 737 - y[1]);
  out[0] = -2 * r1 + r2 - r3 - r4;
  out[1] = -r1 / 2 - r4 - r5 / 2 + in;
  out[2] = r1 - r2 + r3;
  out[3] = -r2 + r3 - 2 * r4;
  out[4] = r2 - r3 + r5;
}
static void akzo_rhs(double t, const double *y, double *out) {
  UNUSED(t);
  akzo_rates(y, akzo_k * y[0] * y[3], out);
}
static void akzo_residual(double t, const double *v, const double *d, double *out) {
  UNUSED(t);
  akzo_rates(v, v[5], out);
  for (int i = 0; i < 5; i++) out[i] = d[i] - out[i];
  out[5] = akzo_k * v[0] * v[3] - v[5];
}
/* of the rates by y and y6, 5 x 6 by columns */
static void akzo_partial(const double *y, double y6, double J[AKZO][5]) {
  double root = sqrt(fmax(y[1], 1e-300)), y1 = y[0], y14 = y1 * y1 * y1 * y1;
  double r1[6] = {4 * 18.7 * y1 * y1 * y1 * root, 18.7 * y14 / (2 * root)},
         r2[6] = {0, 0, 0.58 * y[3], 0.58 * y[2]};
  double r3[6] = {0.58 / 34.4 * y[4], 0, 0, 0, 0.58 / 34.4 * y1},
         r4[6] = {0.09 * y[3] * y[3], 0, 0, 0.18 * y1 * y[3]};
  double r5[6] = {0, 0.42 * y6 * y6 / (2 * root), 0, 0, 0, 0.84 * y6 * root};
  for (int j = 0; j < AKZO; j++) {
    J[j][0] = -2 * r1[j] + r2[j] - r3[j] - r4[j];
    J[j][1] = -r1[j] / 2 - r4[j] - r5[j] / 2 - (j == 1 ? 3.3 : 0);
    J[j][2] = r1[j] - r2[j] + r3[j];
    J[j][3] = -r2[j] + r3[j] - 2 * r4[j];
    J[j][4] = r2[j] - r3[j] + r5[j];
  }
}
static void akzo_jacobian(double t, const double *y, double *out) {
  UNUSED(t);
  double J[AKZO][5];
  akzo_partial(y, akzo_k * y[0] * y[3], J);
  for (int i = 0; i < 5; i++)
    J[0][i] += akzo_k * y[3] * J[5][i], J[3][i] += akzo_k * y[0] * J[5][i];
  memcpy(out, J, 25 * sizeof *out);
}
static void akzo_dae_jacobian(double t, double c, const double *v, const double *d, double *out) {
  UNUSED(t), UNUSED(d);
  double J[AKZO][5];
  akzo_partial(v, v[5], J);
  for (int j = 0; j < AKZO; j++) {
    for (int i = 0; i < 5; i++) out[AKZO * j + i] = (i == j ? c : 0) - J[j][i];
    out[AKZO * j + 5] = j == 0 ? akzo_k * v[3] : j == 3 ? akzo_k * v[0] : j == 5 ? -1 : 0;
  }
}
static void akzo_dae_start(double *v, double *d) {
  memcpy(v, akzo_start, sizeof akzo_start);
  v[5] = akzo_k * v[0] * v[3];
  akzo_rhs(0, v, d);
  d[5] = akzo_k * (d[0] * v[3] + v[0] * d[3]);
}
const peer_problem peer_chemical_akzo = {.name = "chemical Akzo",
                                         .model = "models/ivp/chemical_akzo.ritt",
                                         .end = 180,
                                         .compared = 5,
                                         .exact = akzo_exact,
                                         .relative = 1,
                                         .absolute = 1e-3,
                                         .n = 5,
                                         .start = akzo_start,
                                         .rhs = akzo_rhs,
                                         .jacobian = akzo_jacobian,
                                         .dae = AKZO,
                                         .differential = 5,
                                         .dae_start = akzo_dae_start,
                                         .residual = akzo_residual,
                                         .dae_jacobian = akzo_dae_jacobian};

/* ---- the transistor amplifier: C y' = f(t, y), C singular ---- */

enum { AMPLIFIER = 8 };
static const double farad = 1e-6, ohm = 9000, volt = 0.026;
static const double amplifier_exact[AMPLIFIER] = {
    -0.005562145012262709, 3.006522471903042, 2.849958788608128, 2.926422536206241,
    2.704617865010554,     2.761837778393145, 4.770927631616772, 1.236995868091548};
/* C y' in microfarad times volt a second */
static void amplifier_residual(double t, const double *y, const double *d, double *out) {
  double g1 = 1e-6 * (exp((y[1] - y[2]) / volt) - 1), g2 = 1e-6 * (exp((y[4] - y[5]) / volt) - 1);
  double in = 0.1 * sin(628.3185307179586 * t);
  out[0] = farad * (d[1] - d[0]) - (y[0] - in) / 1000;
  out[1] = farad * (d[0] - d[1]) - (2 * y[1] - 6) / ohm - 0.01 * g1;
  out[2] = -2 * farad * d[2] - y[2] / ohm + g1;
  out[3] = 3 * farad * (d[4] - d[3]) - (y[3] - 6) / ohm - 0.99 * g1;
  out[4] = 3 * farad * (d[3] - d[4]) - (2 * y[4] - 6) / ohm - 0.01 * g2;
  out[5] = -4 * farad * d[5] - y[5] / ohm + g2;
  out[6] = 5 * farad * (d[7] - d[6]) - (y[6] - 6) / ohm - 0.99 * g2;
  out[7] = 5 * farad * (d[6] - d[7]) - y[7] / ohm;
}
static void amplifier_dae_jacobian(double t, double c, const double *y, const double *d,
                                   double *out) {
  UNUSED(t), UNUSED(d);
  double g1 = 1e-6 / volt * exp((y[1] - y[2]) / volt), g2 = 1e-6 / volt * exp((y[4] - y[5]) / volt),
         f = farad * c;
  double J[AMPLIFIER][AMPLIFIER] = {/* columns */
                                    {-f - 1e-3, f},
                                    {f, -f - 2 / ohm - 0.01 * g1, g1, -0.99 * g1},
                                    {0, 0.01 * g1, -2 * f - 1 / ohm - g1, 0.99 * g1},
                                    {0, 0, 0, -3 * f - 1 / ohm, 3 * f},
                                    {0, 0, 0, 3 * f, -3 * f - 2 / ohm - 0.01 * g2, g2, -0.99 * g2},
                                    {0, 0, 0, 0, 0.01 * g2, -4 * f - 1 / ohm - g2, 0.99 * g2},
                                    {0, 0, 0, 0, 0, 0, -5 * f - 1 / ohm, 5 * f},
                                    {0, 0, 0, 0, 0, 0, 5 * f, -5 * f - 1 / ohm}};
  memcpy(out, J, sizeof J);
}
static void amplifier_dae_start(double *y, double *d) {
  static const double start[] = {0, 3, 3, 6, 3, 3, 6, 0};
  static const double rate[] = {51.338775,   51.338775,          -166.66666666666669, -24.9757667,
                                -24.9757667, -83.33333333333334, -10.00564453,        -10.00564453};
  memcpy(y, start, sizeof start), memcpy(d, rate, sizeof rate);
}
const peer_problem peer_transistor_amplifier = {.name = "transistor amplifier",
                                                .model = "models/ivp/transistor_amplifier.ritt",
                                                .end = 0.2,
                                                .compared = AMPLIFIER,
                                                .columns =
                                                    "y[1] y[2] y[3] y[4] y[5] y[6] y[7] y[8]",
                                                .exact = amplifier_exact,
                                                .relative = 1,
                                                .dae = AMPLIFIER,
                                                .differential = AMPLIFIER,
                                                .dae_start = amplifier_dae_start,
                                                .residual = amplifier_residual,
                                                .dae_jacobian = amplifier_dae_jacobian};

/* ---- pollution: reactions of one or two substances ---- */

enum { POLLUTION = 20, REACTIONS = 25 };
static const double pollution_start[POLLUTION] = {0, 0.2, 0, 0.04, 0, 0, 0.1, 0.3,  0.01,
                                                  0, 0,   0, 0,    0, 0, 0,   0.007};
static const double pollution_exact[POLLUTION] = {
    0.05646255480022769,   0.1342484130422339,    4.139734331099427e-09, 0.005523140207484359,
    2.018977262302196e-07, 1.464541863493966e-07, 0.07784249118997964,   0.3245075353396018,
    0.007494013383880406,  1.622293157301561e-08, 1.135863833257075e-08, 0.002230505975721359,
    0.000208716288279863,  1.396921016840158e-05, 0.008964884856898295,  4.352846369330103e-18,
    0.006899219696263405,  0.0001007803037365946, 1.772146513969984e-06, 5.682943292316392e-05};
/* the rate, what reacts (0: nothing), what is made, by number; -n: 2 of n */
static const struct reaction {
  double rate;
  int from[2], to[3];
} reactions[REACTIONS] = {
    {0.35, {1}, {2, 3}},        {26.6, {2, 4}, {1}},      {12300, {5, 2}, {6, 1}},
    {0.00086, {7}, {-5, 8}},    {0.00082, {7}, {8}},      {15000, {7, 6}, {5, 8}},
    {0.00013, {9}, {5, 8, 10}}, {24000, {9, 6}, {11}},    {16500, {11, 2}, {1, 10, 12}},
    {9000, {11, 1}, {13}},      {0.022, {13}, {1, 11}},   {12000, {10, 2}, {1, 14}},
    {1.88, {14}, {5, 7}},       {16300, {1, 6}, {15}},    {4.8e6, {3}, {4}},
    {0.00035, {4}, {16}},       {0.0175, {4}, {3}},       {1e8, {16}, {-6}},
    {4.44e11, {16}, {3}},       {1240, {17, 6}, {5, 18}}, {2.1, {19}, {2}},
    {5.78, {19}, {1, 3}},       {0.0474, {1, 4}, {19}},   {1780, {19, 1}, {20}},
    {3.12, {20}, {1, 19}}};
static void add_reaction(const struct reaction *r, double amount, double *out) {
  for (int i = 0; i < 2 && r->from[i]; i++) out[r->from[i] - 1] -= amount;
  for (int i = 0; i < 3 && r->to[i]; i++)
    out[(r->to[i] < 0 ? -r->to[i] : r->to[i]) - 1] += r->to[i] < 0 ? 2 * amount : amount;
}
static void pollution_rhs(double t, const double *y, double *out) {
  UNUSED(t);
  memset(out, 0, POLLUTION * sizeof *out);
  for (const struct reaction *r = reactions; r < reactions + REACTIONS; r++)
    add_reaction(r, r->rate * y[r->from[0] - 1] * (r->from[1] ? y[r->from[1] - 1] : 1), out);
}
static void pollution_jacobian(double t, const double *y, double *out) {
  UNUSED(t);
  memset(out, 0, POLLUTION * POLLUTION * sizeof *out);
  for (const struct reaction *r = reactions; r < reactions + REACTIONS; r++) {
    int a = r->from[0] - 1, b = r->from[1] - 1;
    add_reaction(r, r->rate * (b < 0 ? 1 : y[b]), out + a * POLLUTION);
    if (b >= 0) add_reaction(r, r->rate * y[a], out + b * POLLUTION);
  }
}
DAE_OF(pollution, POLLUTION)
const peer_problem peer_pollution = {.name = "pollution",
                                     .model = "models/ivp/pollution.ritt",
                                     .end = 60,
                                     .compared = POLLUTION,
                                     .exact = pollution_exact,
                                     ORDINARY(pollution, POLLUTION)};

/* ---- E5 ---- */

enum { E5 = 4 };
static const double e5_start[E5] = {0.00176, 0, 0, 0};
static const double e5_exact[E5] = {4.715033363040163e-10, 1.818889586080702e-14,
                                    1.818881237678673e-14, 8.348402029632169e-20};
static void e5_rhs(double t, const double *y, double *out) {
  UNUSED(t);
  double a = 7.89e-10 * y[0], b = 1.1e7 * y[0] * y[2], c = 1.13e9 * y[1] * y[2];
  double d = 1130 * y[3];
  out[0] = -a - b;
  out[1] = a - c;
  out[3] = b - d;
  out[2] = out[1] - out[3];
}
static void e5_jacobian(double t, const double *y, double *out) {
  UNUSED(t);
  double A = 7.89e-10, B = 1.1e7, C = 1130, D = 1.13e9;
  double J[E5][E5] = {/* columns */
                      {-A - B * y[2], A, A - B * y[2], B * y[2]},
                      {0, -D * y[2], -D * y[2], 0},
                      {-B * y[0], -D * y[1], -D * y[1] - B * y[0], B * y[0]},
                      {0, 0, C, -C}};
  memcpy(out, J, sizeof J);
}
DAE_OF(e5, E5)
const peer_problem peer_e5 = {.name = "E5",
                              .model = "models/ivp/e5.ritt",
                              .end = 1e7,
                              .compared = E5,
                              .exact = e5_exact,
                              .relative = 1,
                              .absolute = 1e-15,
                              ORDINARY(e5, E5)};

/* ---- the ring modulator ---- */

enum { RING = 15 };
static const double ring_start[RING] = {0};
static const double ring_exact[RING] = {
    -0.02339057358486745,   -0.007367485485540825, 0.2582956709291169,   -0.406446572128345,
    -0.4039455665149794,    0.2607966765422943,    0.1106761861269975,   2.939904342435596e-07,
    -2.840029933642329e-08, 0.0007267198267264553, 0.000792948719696084, -0.0007255283495698965,
    -0.0007941401968526521, 7.088495416976114e-05, 2.39005907523657e-05};
static const double ring_gamma = 40.67286402e-9, ring_delta = 17.7493332;
static void ring_voltages(double t, const double *y, double *u) {
  double in = 2 * sin(62831.853071795864 * t);
  u[0] = y[2] - y[4] - y[6] - in;
  u[1] = -y[3] + y[5] - y[6] - in;
  u[2] = y[3] + y[4] + y[6] + in;
  u[3] = -y[2] - y[5] + y[6] + in;
}
static void ring_rhs(double t, const double *y, double *out) {
  double q[4], in = 0.5 * sin(6283.1853071795864 * t);
  ring_voltages(t, y, q);
  for (int i = 0; i < 4; i++) q[i] = ring_gamma * (exp(ring_delta * q[i]) - 1);
  out[0] = (y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / 25000) / 1.6e-8;
  out[1] = (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / 25000) / 1.6e-8;
  out[2] = (y[9] - q[0] + q[3]) / 2e-12;
  out[3] = (-y[10] + q[1] - q[2]) / 2e-12;
  out[4] = (y[11] + q[0] - q[2]) / 2e-12;
  out[5] = (-y[12] - q[1] + q[3]) / 2e-12;
  out[6] = (-y[6] / 50 + q[0] + q[1] - q[2] - q[3]) / 1e-8;
  out[7] = -y[0] / 4.45;
  out[8] = -y[1] / 4.45;
  out[9] = (0.5 * y[0] - y[2] - 17.3 * y[9]) / 5e-4;
  out[10] = (-0.5 * y[0] + y[3] - 17.3 * y[10]) / 5e-4;
  out[11] = (0.5 * y[1] - y[4] - 17.3 * y[11]) / 5e-4;
  out[12] = (-0.5 * y[1] + y[5] - 17.3 * y[12]) / 5e-4;
  out[13] = (-y[0] + in - 86.3 * y[13]) / 0.002;
  out[14] = (-y[1] - 636.3 * y[14]) / 0.002;
}
static void ring_jacobian(double t, const double *y, double *out) {
  /* the derivatives of the diodes' voltages by y[2] to y[6] */
  static const double slope[4][5] = {
      {1, 0, -1, 0, -1}, {0, -1, 0, 1, -1}, {0, 1, 1, 0, 1}, {-1, 0, 0, -1, 1}};
  static const double sign[5][4] = {
      {-1, 0, 0, 1}, {0, 1, -1, 0}, {1, 0, -1, 0}, {0, -1, 0, 1}, {1, 1, -1, -1}};
  double q[4], J[RING][RING] = {{0}}; /* columns */
  ring_voltages(t, y, q);
  for (int i = 0; i < 4; i++) q[i] = ring_gamma * ring_delta * exp(ring_delta * q[i]);
  for (int row = 0; row < 5; row++)
    for (int col = 0; col < 5; col++)
      for (int i = 0; i < 4; i++)
        J[2 + col][2 + row] += sign[row][i] * slope[i][col] * q[i] / (row == 4 ? 1e-8 : 2e-12);
  J[6][6] -= 1 / 50. / 1e-8;
  J[0][0] = J[1][1] = -1 / 25000. / 1.6e-8;
  J[7][0] = J[13][0] = J[8][1] = J[14][1] = 1 / 1.6e-8;
  J[9][0] = J[11][1] = -0.5 / 1.6e-8;
  J[10][0] = J[12][1] = 0.5 / 1.6e-8;
  J[9][2] = J[11][4] = 1 / 2e-12;
  J[10][3] = J[12][5] = -1 / 2e-12;
  J[0][7] = J[1][8] = -1 / 4.45;
  J[0][9] = J[1][11] = 0.5 / 5e-4;
  J[0][10] = J[1][12] = -0.5 / 5e-4;
  J[2][9] = J[4][11] = -1 / 5e-4;
  J[3][10] = J[5][12] = 1 / 5e-4;
  J[9][9] = J[10][10] = J[11][11] = J[12][12] = -17.3 / 5e-4;
  J[0][13] = J[1][14] = -1 / 0.002;
  J[13][13] = -86.3 / 0.002;
  J[14][14] = -636.3 / 0.002;
  memcpy(out, J, sizeof J);
}
DAE_OF(ring, RING)
const peer_problem peer_ring_modulator = {.name = "ring modulator",
                                          .model = "bench/models/ring_modulator.ritt",
                                          .end = 0.001,
                                          .compared = RING,
                                          .exact = ring_exact,
                                          .relative = 1,
                                          ORDINARY(ring, RING)};

/* ---- the slider crank, index 3 and index 2 ---- */

static const double crank_exact[] = {
    15.00000000000104,     -0.331173498825626,     0.169737332842786,     0.0001893192899613509,
    2.375751249879174e-05, -5.323896770569702e-06, -8.363313279112129e-06};
#define CRANK "p1 p2 x3 q[1] q[2] q[3] q[4]"
const peer_problem peer_slider_crank = {.name = "slider crank (3)",
                                        .model = "models/ivp/slider_crank.ritt",
                                        .end = 0.1,
                                        .compared = 7,
                                        .columns = CRANK,
                                        .exact = crank_exact};
const peer_problem peer_slider_crank_2 = {.name = "slider crank (2)",
                                          .model = "models/ivp/slider_crank_2.ritt",
                                          .end = 0.1,
                                          .compared = 7,
                                          .columns = CRANK,
                                          .exact = crank_exact};
