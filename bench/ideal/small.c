/* Henon and Heiles's system on its energy surface, and the pendulum in Cartesian coordinates: four
 * numbers each. */
#include "ideal.h"

#define INLINE static inline __attribute__((always_inline))
enum { MOST = 8 };

static double energy; /* of the surface */

INLINE ideal_4 gradient(ideal_4 y) {
  return (ideal_4){y[0] + 2 * y[0] * y[1], y[1] + y[0] * y[0] - y[1] * y[1], y[2], y[3]};
}
INLINE double hamiltonian(ideal_4 y) {
  return .5 * ideal_dot(y, y) + y[1] * (y[0] * y[0] - y[1] * y[1] * (1. / 3));
}
INLINE double magnitude(double x) { return x < 0 ? -x : x; }

/* Projects z orthogonally onto H = energy and gives the field there. */
INLINE ideal_4 henon_heiles(ideal_4 *z, double stop, int project, ideal_counts *c) {
  ideal_4 x = *z, y = x, g = gradient(y);
  if (project) {
    double f = hamiltonian(y) - energy;
    for (int i = 0; i < MOST && magnitude(f) > stop; i++) {
      double mu = (f + ideal_dot(g, x - y)) / ideal_dot(g, g);
      ideal_4 next = x - mu * g, move = next - y;
      y = next, g = gradient(y), c->iterations++;
      if (2 * ideal_dot(move, move) <= stop) break; /* the quadratic remainder */
      f = hamiltonian(y) - energy;
    }
    c->projections++, *z = y;
  }
  return (ideal_4){g[2], g[3], -g[0], -g[1]};
}

static const double gravity = 9.81;

/* The same onto x^2 + y^2 = 1, x u + y v = 0; the multiplier of the field in closed form. */
INLINE ideal_4 pendulum(ideal_4 *z, double stop, int project, ideal_counts *c) {
  ideal_4 x = *z, y = x;
  for (int i = 0; project && i < MOST; i++) {
    double f1 = .5 * (y[0] * y[0] + y[1] * y[1] - 1), f2 = y[0] * y[2] + y[1] * y[3];
    if (magnitude(f1) <= stop && magnitude(f2) <= stop) break;
    /* rows (x, y, 0, 0) and (u, v, x, y), and the inverse of their products */
    double a = y[0] * y[0] + y[1] * y[1], b = f2, d = y[2] * y[2] + y[3] * y[3] + a;
    ideal_4 back = x - y;
    double r1 = f1 + y[0] * back[0] + y[1] * back[1];
    double r2 = f2 + y[2] * back[0] + y[3] * back[1] + y[0] * back[2] + y[1] * back[3];
    double inverse = 1 / (a * d - b * b), m1 = (d * r1 - b * r2) * inverse,
           m2 = (a * r2 - b * r1) * inverse;
    ideal_4 next = {x[0] - (y[0] * m1 + y[2] * m2), x[1] - (y[1] * m1 + y[3] * m2),
                    x[2] - y[0] * m2, x[3] - y[1] * m2};
    ideal_4 move = next - y;
    y = next, c->iterations++;
    if (ideal_dot(move, move) <= stop) break;
  }
  c->projections += project;
  *z = y;
  double lambda = (y[2] * y[2] + y[3] * y[3] - gravity * y[1]) / (y[0] * y[0] + y[1] * y[1]);
  return (ideal_4){y[2], y[3], -lambda * y[0], -lambda * y[1] - gravity};
}

/* ---- the integration, once for each of them and each way to project ---- */

typedef ideal_4 point_function(ideal_4 *z, double stop, int project, ideal_counts *c);

INLINE ideal_counts solve(point_function *at, double *state, double end, double tolerance,
                          double stop, ideal_project project) {
  static const double a3[] = {IDEAL_A3}, a4[] = {IDEAL_A4}, a5[] = {IDEAL_A5}, a6[] = {IDEAL_A6},
                      b[] = {IDEAL_B}, e[] = {IDEAL_E};
  const int stages = project == IDEAL_STAGES, ends = project != IDEAL_NONE;
  ideal_counts c = {0};
  ideal_4 y = {state[0], state[1], state[2], state[3]}, z = y, k1 = at(&z, stop, 0, &c);
  double t = 0, h = 1e-3, scale = .25 / (tolerance * tolerance);
  while (t < end) {
    if (t + h > end) h = end - t;
    z = y + h * IDEAL_A2 * k1;
    ideal_4 k2 = at(&z, stop, stages, &c);
    z = y + h * (a3[0] * k1 + a3[1] * k2);
    ideal_4 k3 = at(&z, stop, stages, &c);
    z = y + h * (a4[0] * k1 + a4[1] * k2 + a4[2] * k3);
    ideal_4 k4 = at(&z, stop, stages, &c);
    z = y + h * (a5[0] * k1 + a5[1] * k2 + a5[2] * k3 + a5[3] * k4);
    ideal_4 k5 = at(&z, stop, stages, &c);
    z = y + h * (a6[0] * k1 + a6[1] * k2 + a6[2] * k3 + a6[3] * k4 + a6[4] * k5);
    ideal_4 k6 = at(&z, stop, stages, &c);
    z = y + h * (b[0] * k1 + b[1] * k3 + b[2] * k4 + b[3] * k5 + b[4] * k6);
    ideal_4 k7 = at(&z, stop, ends, &c);
    ideal_4 d = h * (e[0] * k1 + e[1] * k3 + e[2] * k4 + e[3] * k5 + e[4] * k6 + e[5] * k7);
    double error = scale * ideal_dot(d, d);
    if (error <= 1) t += h, y = z, k1 = k7, c.accepted++;
    else c.rejected++;
    h *= ideal_factor(error);
  }
  for (int i = 0; i < 4; i++) state[i] = y[i];
  return c;
}

#define WAYS(at)                                                                                   \
  (project == IDEAL_NONE  ? solve(at, y, end, tolerance, stop, IDEAL_NONE)                         \
   : project == IDEAL_END ? solve(at, y, end, tolerance, stop, IDEAL_END)                          \
                          : solve(at, y, end, tolerance, stop, IDEAL_STAGES))

ideal_counts ideal_henon_heiles(double *y, double end, double tolerance, double stop,
                                ideal_project project) {
  energy = hamiltonian((ideal_4){y[0], y[1], y[2], y[3]});
  ideal_counts c = WAYS(henon_heiles);
  c.residual = magnitude(hamiltonian((ideal_4){y[0], y[1], y[2], y[3]}) - energy);
  return c;
}

ideal_counts ideal_pendulum(double *y, double end, double tolerance, double stop,
                            ideal_project project) {
  ideal_counts c = WAYS(pendulum);
  double f = magnitude(y[0] * y[0] + y[1] * y[1] - 1), g = magnitude(y[0] * y[2] + y[1] * y[3]);
  c.residual = f > g ? f : g;
  return c;
}
