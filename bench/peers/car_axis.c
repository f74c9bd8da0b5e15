/* The car axis (test set for IVP solvers; models/ivp/car_axis.ritt has the same equations): a
 * constraint that depends on time. The Jacobian of the index-2 form is written by hand, that of the
 * reduced system is left to differences. */
#include <math.h>
#include <string.h>
#include "problem.h"

enum { N = 4, M = 2, DAE = 2 * N + 2 * M };
static const double k = 0.01 * 0.01 * 10 / 2, rest = 0.5, bump = 0.1, omega = 10;

/* The right wheel, and its first two derivatives. */
typedef struct wheel {
  double x[3], y[3];
} wheel;
static wheel wheel_at(double t) {
  wheel b;
  b.y[0] = bump * sin(omega * t), b.y[1] = bump * omega * cos(omega * t),
  b.y[2] = -omega * omega * b.y[0];
  b.x[0] = sqrt(1 - b.y[0] * b.y[0]), b.x[1] = -b.y[0] * b.y[1] / b.x[0];
  b.x[2] = -(b.x[1] * b.x[1] + b.y[1] * b.y[1] + b.y[0] * b.y[2]) / b.x[0];
  return b;
}

static void terms(double t, const double *q, const double *v, mechanics_terms *out) {
  wheel b = wheel_at(t);
  double left = sqrt(q[0] * q[0] + q[1] * q[1]), rx = q[2] - b.x[0], ry = q[3] - b.y[0];
  double right = sqrt(rx * rx + ry * ry), dx = q[0] - q[2], dy = q[1] - q[3], ux = v[0] - v[2],
         uy = v[1] - v[3];
  memset(out->mass, 0, N * N * sizeof(double));
  for (int i = 0; i < N; i++) out->mass[i * N + i] = k;
  out->force[0] = (rest / left - 1) * q[0], out->force[1] = (rest / left - 1) * q[1] - k;
  out->force[2] = (rest / right - 1) * rx, out->force[3] = (rest / right - 1) * ry - k;
  out->g[0] = q[0] * b.x[0] + q[1] * b.y[0], out->g[1] = dx * dx + dy * dy - 1;
  out->by_time[0] = q[0] * b.x[1] + q[1] * b.y[1], out->by_time[1] = 0;
  double G[M * N] = {b.x[0], b.y[0], 0, 0, 2 * dx, 2 * dy, -2 * dx, -2 * dy};
  memcpy(out->G, G, sizeof G);
  out->second[0] = -(2 * (v[0] * b.x[1] + v[1] * b.y[1]) + q[0] * b.x[2] + q[1] * b.y[2]);
  out->second[1] = -2 * (ux * ux + uy * uy);
}

static const mechanics self = {N, M, terms};
static const double start[2 * N] = {0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0};
static const double exact[N] = {0.049345578427524094, 0.4969894602300081, 1.0417425248854262,
                                0.3739110272653658};

static void rhs(double t, const double *y, double *out) {
  mechanics_rhs(&self, t, y, out, (double *)0);
}
static void residual(double t, const double *w, const double *derivative, double *out) {
  mechanics_residual(&self, t, w, derivative, out);
}
static void dae_start(double *w, double *derivative) {
  mechanics_dae_start(&self, start, w, derivative);
}
static void project(double t, double *y) { mechanics_project(&self, t, y); }
static void constraints(double t, const double *y, double *out) {
  mechanics_terms T;
  terms(t, y, y + N, &T);
  for (int i = 0; i < M; i++) out[i] = T.g[i];
}

/* by columns; the multipliers mu are 0, and what they multiply is left out */
#define AT(i, j) out[(j)*DAE + (i)]

/* -d/dq of (rest/|r| - 1) r at the rows and columns from i on */
static void spring(double x, double y, int i, double *out) {
  double length = sqrt(x * x + y * y), a = rest / (length * length * length);
  AT(N + i, i) += 1 - rest / length + a * x * x, AT(N + i, i + 1) += a * x * y;
  AT(N + i + 1, i) += a * x * y, AT(N + i + 1, i + 1) += 1 - rest / length + a * y * y;
}

static void dae_jacobian(double t, double c, const double *w, const double *derivative,
                         double *out) {
  (void)derivative;
  mechanics_terms T;
  wheel b = wheel_at(t);
  const double *v = w + N, lambda = w[2 * N + 1];
  terms(t, w, v, &T);
  memset(out, 0, DAE * DAE * sizeof *out);
  for (int i = 0; i < N; i++) AT(i, i) = c, AT(i, N + i) = -1, AT(N + i, N + i) = c * k;
  spring(w[0], w[1], 0, out), spring(w[2] - b.x[0], w[3] - b.y[0], 2, out);
  for (int i = 0; i < 2; i++) { /* the second derivatives of g times its multiplier */
    AT(N + i, i) += 2 * lambda, AT(N + i, i + 2) -= 2 * lambda;
    AT(N + i + 2, i) -= 2 * lambda, AT(N + i + 2, i + 2) += 2 * lambda;
  }
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      double entry = T.G[i * N + j];
      AT(N + j, 2 * N + i) = entry, AT(j, 2 * N + M + i) = entry; /* lambda and mu */
      AT(2 * N + i, j) = entry, AT(2 * N + M + i, N + j) = entry; /* g and its derivative */
    }
  AT(2 * N + M, 0) = b.x[1], AT(2 * N + M, 1) = b.y[1];
  for (int i = 0; i < 2; i++) {
    double u = 2 * (v[i] - v[i + 2]);
    AT(2 * N + M + 1, i) = u, AT(2 * N + M + 1, i + 2) = -u;
  }
}

const peer_problem peer_car_axis = {.name = "car axis",
                                    .model = "models/ivp/car_axis.ritt",
                                    .end = 3,
                                    .compared = N,
                                    .exact = exact,
                                    .n = 2 * N,
                                    .start = start,
                                    .rhs = rhs,
                                    .rows = M,
                                    .constraints = constraints,
                                    .project = project,
                                    .dae = DAE,
                                    .differential = 2 * N,
                                    .dae_start = dae_start,
                                    .residual = residual,
                                    .dae_jacobian = dae_jacobian};
