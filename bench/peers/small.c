/* Henon and Heiles's system with its energy, Kepler's problem with energy and angular momentum, and
 * the pendulum: four values each, all functions and Jacobians by hand. Invariants c(y) = c0 enter
 * the index-2 form as y' = rhs(y) - dc^T mu, c(y) = c0. */
#include <math.h>
#include <string.h>
#include "exact.h"
#include "problem.h"

/* ---- what the two systems with invariants share ---- */

typedef struct invariants {
  int rows;
  void (*rhs)(double t, const double *y, double *out);
  void (*jacobian)(double t, const double *y, double *out); /* by columns */
  void (*values)(const double *y, double *out);             /* less those of the start */
  void (*gradients)(const double *y, double *out);          /* rows x 4 */
} invariants;

static void residual_of(const invariants *s, const double *w, const double *derivative,
                        double *out) {
  double C[8], f[4];
  s->rhs(0, w, f), s->gradients(w, C), s->values(w, out + 4);
  for (int i = 0; i < 4; i++) {
    out[i] = derivative[i] - f[i];
    for (int k = 0; k < s->rows; k++) out[i] += C[4 * k + i] * w[4 + k];
  }
}
/* mu is 0, and what it multiplies is left out */
static void jacobian_of(const invariants *s, double c, const double *w, double *out) {
  double C[8], J[16];
  int n = 4 + s->rows;
  s->jacobian(0, w, J), s->gradients(w, C);
  memset(out, 0, (size_t)(n * n) * sizeof *out);
  for (int j = 0; j < 4; j++) {
    for (int i = 0; i < 4; i++) out[j * n + i] = (i == j ? c : 0) - J[4 * j + i];
    for (int k = 0; k < s->rows; k++) out[j * n + 4 + k] = out[(4 + k) * n + j] = C[4 * k + j];
  }
}
static void start_of(const invariants *s, const double *y, double *w, double *derivative) {
  memcpy(w, y, 4 * sizeof *w), s->rhs(0, y, derivative);
  for (int k = 0; k < s->rows; k++) w[4 + k] = derivative[4 + k] = 0;
}
static void project_on(const invariants *s, double *y) {
  for (int i = 0; i < 5; i++) {
    double c[2], C[8], A[4];
    s->values(y, c);
    if (fabs(c[0]) < 1e-14 && (s->rows < 2 || fabs(c[1]) < 1e-14)) break;
    s->gradients(y, C);
    for (int a = 0; a < s->rows; a++)
      for (int b = 0; b <= a; b++) {
        A[a * s->rows + b] = 0;
        for (int k = 0; k < 4; k++) A[a * s->rows + b] += C[4 * a + k] * C[4 * b + k];
      }
    solve_symmetric(s->rows, A, c);
    for (int a = 0; a < s->rows; a++)
      for (int k = 0; k < 4; k++) y[k] -= C[4 * a + k] * c[a];
  }
}

#define WITH_INVARIANTS(NAME)                                                                      \
  static const invariants NAME = {NAME##_rows, NAME##_rhs, NAME##_jacobian, NAME##_values,         \
                                  NAME##_gradients};                                               \
  static void NAME##_residual(double t, const double *w, const double *d, double *out) {           \
    (void)t, residual_of(&NAME, w, d, out);                                                        \
  }                                                                                                \
  static void NAME##_dae_jacobian(double t, double c, const double *w, const double *d,            \
                                  double *out) {                                                   \
    (void)t, (void)d, jacobian_of(&NAME, c, w, out);                                               \
  }                                                                                                \
  static void NAME##_dae_start(double *w, double *d) { start_of(&NAME, NAME##_start, w, d); }      \
  static void NAME##_project(double t, double *y) { (void)t, project_on(&NAME, y); }               \
  static void NAME##_constraints(double t, const double *y, double *out) {                         \
    (void)t, NAME##_values(y, out);                                                                \
  }                                                                                                \
  const peer_problem peer_##NAME = {.name = NAME##_name,                                           \
                                    .model = NAME##_model,                                         \
                                    .end = NAME##_end,                                             \
                                    .compared = 4,                                                 \
                                    .exact = NAME##_exact,                                         \
                                    .n = 4,                                                        \
                                    .start = NAME##_start,                                         \
                                    .rhs = NAME##_rhs,                                             \
                                    .jacobian = NAME##_jacobian,                                   \
                                    .rows = NAME##_rows,                                           \
                                    .constraints = NAME##_constraints,                             \
                                    .project = NAME##_project,                                     \
                                    .dae = 4 + NAME##_rows,                                        \
                                    .differential = 4,                                             \
                                    .dae_start = NAME##_dae_start,                                 \
                                    .residual = NAME##_residual,                                   \
                                    .dae_jacobian = NAME##_dae_jacobian}

/* ---- Henon and Heiles ---- */

#define henon_heiles_name  "Henon-Heiles"
#define henon_heiles_model "models/papers/henon_heiles.ritt"
#define henon_heiles_end   1100
enum { henon_heiles_rows = 1 };
static const double henon_heiles_start[4] = {0, .1, .35, .1};
static double henon_heiles_exact[4];

static void henon_heiles_rhs(double t, const double *y, double *out) {
  (void)t;
  out[0] = y[2], out[1] = y[3];
  out[2] = -y[0] - 2 * y[0] * y[1], out[3] = -y[1] - y[0] * y[0] + y[1] * y[1];
}
static void henon_heiles_jacobian(double t, const double *y, double *out) {
  (void)t;
  double J[16] = {0, 0, -1 - 2 * y[1], -2 * y[0], 0, 0, -2 * y[0], -1 + 2 * y[1], 1, 0, 0, 0, 0, 1,
                  0, 0};
  memcpy(out, J, sizeof J);
}
static double henon_heiles_energy(const double *y) {
  return (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]) / 2 + y[0] * y[0] * y[1] -
         y[1] * y[1] * y[1] / 3;
}
static void henon_heiles_values(const double *y, double *out) {
  out[0] = henon_heiles_energy(y) - henon_heiles_energy(henon_heiles_start);
}
static void henon_heiles_gradients(const double *y, double *out) {
  out[0] = y[0] + 2 * y[0] * y[1], out[1] = y[1] + y[0] * y[0] - y[1] * y[1], out[2] = y[2],
  out[3] = y[3];
}
WITH_INVARIANTS(henon_heiles);

/* ---- Kepler, ten times round an ellipse of eccentricity 1/2 ---- */

#define kepler_name  "Kepler"
#define kepler_model "models/papers/kepler.ritt"
#define kepler_end   62.831853071795864769
enum { kepler_rows = 2 };
static const double kepler_start[4] = {.5, 0, 0, 1.7320508075688772935};

static void kepler_rhs(double t, const double *y, double *out) {
  (void)t;
  double r2 = y[0] * y[0] + y[1] * y[1], a = 1 / (r2 * sqrt(r2));
  out[0] = y[2], out[1] = y[3], out[2] = -a * y[0], out[3] = -a * y[1];
}
static void kepler_jacobian(double t, const double *y, double *out) {
  (void)t;
  double r2 = y[0] * y[0] + y[1] * y[1], a = 1 / (r2 * sqrt(r2)), b = 3 * a / r2;
  double J[16] = {0,
                  0,
                  b * y[0] * y[0] - a,
                  b * y[0] * y[1],
                  0,
                  0,
                  b * y[0] * y[1],
                  b * y[1] * y[1] - a,
                  1,
                  0,
                  0,
                  0,
                  0,
                  1,
                  0,
                  0};
  memcpy(out, J, sizeof J);
}
static void kepler_values(const double *y, double *out) {
  out[0] = (y[2] * y[2] + y[3] * y[3]) / 2 - 1 / sqrt(y[0] * y[0] + y[1] * y[1]) + .5;
  out[1] = y[0] * y[3] - y[1] * y[2] - .86602540378443864676;
}
static void kepler_gradients(const double *y, double *out) {
  double r2 = y[0] * y[0] + y[1] * y[1], a = 1 / (r2 * sqrt(r2));
  out[0] = a * y[0], out[1] = a * y[1], out[2] = y[2], out[3] = y[3];
  out[4] = y[3], out[5] = -y[2], out[6] = -y[1], out[7] = y[0];
}
#define kepler_exact kepler_start
WITH_INVARIANTS(kepler);

/* ---- the pendulum ---- */

static const double g = 9.81;
static const double pendulum_start[4] = {1, 0, 0, 0};
static double pendulum_exact[4];

static void pendulum_rhs(double t, const double *y, double *out) {
  (void)t;
  double lambda = (y[2] * y[2] + y[3] * y[3] - g * y[1]) / (y[0] * y[0] + y[1] * y[1]);
  out[0] = y[2], out[1] = y[3], out[2] = -lambda * y[0], out[3] = -lambda * y[1] - g;
}
static void pendulum_jacobian(double t, const double *y, double *out) {
  (void)t;
  double r = 1 / (y[0] * y[0] + y[1] * y[1]), lambda = (y[2] * y[2] + y[3] * y[3] - g * y[1]) * r;
  double by[4] = {-2 * lambda * y[0] * r, -(2 * lambda * y[1] + g) * r, 2 * y[2] * r, 2 * y[3] * r};
  for (int j = 0; j < 4; j++) {
    out[4 * j] = j == 2, out[4 * j + 1] = j == 3;
    out[4 * j + 2] = -by[j] * y[0] - (j == 0 ? lambda : 0),
                out[4 * j + 3] = -by[j] * y[1] - (j == 1 ? lambda : 0);
  }
}
static void pendulum_constraints(double t, const double *y, double *out) {
  (void)t, out[0] = y[0] * y[0] + y[1] * y[1] - 1;
}
static void pendulum_project(double t, double *y) {
  (void)t;
  double r = 1 / sqrt(y[0] * y[0] + y[1] * y[1]);
  y[0] *= r, y[1] *= r;
  double along = y[0] * y[2] + y[1] * y[3];
  y[2] -= along * y[0], y[3] -= along * y[1];
}
/* w = (x, y, u, v, lambda, mu) */
static void pendulum_residual(double t, const double *w, const double *d, double *out) {
  (void)t;
  out[0] = d[0] - w[2] + w[5] * w[0], out[1] = d[1] - w[3] + w[5] * w[1];
  out[2] = d[2] + w[4] * w[0], out[3] = d[3] + w[4] * w[1] + g;
  out[4] = (w[0] * w[0] + w[1] * w[1] - 1) / 2, out[5] = w[0] * w[2] + w[1] * w[3];
}
static void pendulum_dae_jacobian(double t, double c, const double *w, const double *d,
                                  double *out) {
  (void)t, (void)d;
  double x = w[0], y = w[1], l = w[4], m = w[5];
  double J[36] = {c + m, 0,  l, 0, x, w[2], 0, c + m, 0, l, y, w[3], -1, 0, c, 0, 0, x,
                  0,     -1, 0, c, 0, y,    0, 0,     x, y, 0, 0,    x,  y, 0, 0, 0, 0};
  memcpy(out, J, sizeof J);
}
static void pendulum_dae_start(double *w, double *d) {
  memcpy(w, pendulum_start, 4 * sizeof *w), pendulum_rhs(0, w, d);
  w[4] = w[5] = d[4] = d[5] = 0;
}
const peer_problem peer_pendulum = {.name = "pendulum",
                                    .model = "models/ivp/pendulum.ritt",
                                    .end = 10,
                                    .compared = 4,
                                    .exact = pendulum_exact,
                                    .n = 4,
                                    .start = pendulum_start,
                                    .rhs = pendulum_rhs,
                                    .jacobian = pendulum_jacobian,
                                    .rows = 1,
                                    .constraints = pendulum_constraints,
                                    .project = pendulum_project,
                                    .dae = 6,
                                    .differential = 4,
                                    .dae_start = pendulum_dae_start,
                                    .residual = pendulum_residual,
                                    .dae_jacobian = pendulum_dae_jacobian};

void peer_prepare(void) {
  memcpy(henon_heiles_exact, henon_heiles_start, sizeof henon_heiles_exact);
  exact_henon_heiles(henon_heiles_exact, henon_heiles_end);
  exact_pendulum(pendulum_exact, 10);
  peer_prepare_fekete();
}
