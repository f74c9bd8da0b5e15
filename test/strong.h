/* The stiff spring pendulum (1.1) of the paper on strong potentials as a hand-written problem, in
 * reals of the build, and its smooth motion from an independent way: polar coordinates, r and theta
 * as power series in t of which r solves
 *
 *     r = 1 + eps^2 (r theta'^2 + cos theta - r''),   theta'' = -(sin theta + 2 r' theta') / r
 *
 * by 10 substitutions (the expansion in eps^2), stepped as a Taylor method. */
#ifndef RITT_TEST_STRONG_H
#define RITT_TEST_STRONG_H

#include <stdlib.h>
#include "check.h"
#include "drive/driver.h"

/* ---- the problem: z = (t, y1, y2, y1', y2') ---- */

typedef struct pendulum {
  ritt_real eps;
} pendulum;

static ritt_real pendulum_eps(const void *data, const ritt_real *work) {
  (void)work;
  return ((const pendulum *)data)->eps;
}
static ritt_status pendulum_mass(const void *data, ritt_real *work, const ritt_real *z,
                                 ritt_real *M) {
  (void)data, (void)work, (void)z;
  M[0] = M[1] = 1;
  return RITT_OK;
}
static ritt_status pendulum_force(const void *data, ritt_real *work, const ritt_real *z,
                                  ritt_real *f) {
  (void)data, (void)work, (void)z;
  f[0] = 0, f[1] = -1;
  return RITT_OK;
}
static ritt_status pendulum_gradient(const void *data, ritt_real *work, const ritt_real *z,
                                     ritt_real *g) {
  (void)data, (void)work;
  ritt_real r = RITTI_MATH(sqrt)(z[1] * z[1] + z[2] * z[2]), factor = (r - 1) / r;
  g[0] = factor * z[1], g[1] = factor * z[2];
  return RITT_OK;
}
static ritt_status pendulum_hessian(const void *data, ritt_real *work, const ritt_real *z,
                                    ritt_real *H) {
  (void)data, (void)work;
  ritt_real r = RITTI_MATH(sqrt)(z[1] * z[1] + z[2] * z[2]), cube = r * r * r;
  H[0] = 1 - z[2] * z[2] / cube, H[1] = H[2] = z[1] * z[2] / cube, H[3] = 1 - z[1] * z[1] / cube;
  return RITT_OK;
}
/* The accelerations; of the pendulum of fixed length where eps = 0. */
static ritt_status pendulum_formula(const void *data, ritt_real *work, const ritt_real *z,
                                    ritt_real *top) {
  ritt_real eps = pendulum_eps(data, work), factor, square = z[1] * z[1] + z[2] * z[2],
            r = RITTI_MATH(sqrt)(square);
  if (eps > 0) factor = (r - 1) / r / eps / eps;
  else factor = (z[3] * z[3] + z[4] * z[4] - z[2]) / square;
  top[0] = -factor * z[1], top[1] = -factor * z[2] - 1;
  return RITT_OK;
}

static const int pendulum_place[] = {1, 2}, pendulum_speed[] = {3, 4}, pendulum_first[] = {0};
static const int pendulum_diagonal[] = {0, 1, 2}, pendulum_all[] = {0, 2, 4},
                 pendulum_columns[] = {0, 1, 0, 1};
static const ritti_strong pendulum_strong = {.n = 2,
                                             .m = 1,
                                             .position = pendulum_place,
                                             .velocity = pendulum_speed,
                                             .column = pendulum_first,
                                             .row = pendulum_first,
                                             .M = {2, 2, pendulum_diagonal, pendulum_columns},
                                             .H = {2, 2, pendulum_all, pendulum_columns},
                                             .eps = pendulum_eps,
                                             .mass = pendulum_mass,
                                             .force = pendulum_force,
                                             .gradient = pendulum_gradient,
                                             .hessian = pendulum_hessian};

static inline ritti_problem pendulum_problem(const pendulum *p, bool strong) {
  static const int next[] = {0, 3, 4, -1, -2}, none[] = {0};
  ritti_problem out = {.kind = RITT_EXPLICIT,
                       .m = 5,
                       .tops = 2,
                       .next = next,
                       .data = p,
                       .call.formula = pendulum_formula};
  out.df = out.A = out.d2f = (ritti_pattern){.start = none, .col = none};
  if (strong) out.strong = &pendulum_strong;
  return out;
}

/* ---- smooth motion ---- */

enum { TERMS = 48, SUBSTITUTIONS = 10, TRUSTED = TERMS - 2 * SUBSTITUTIONS - 2 };

static inline void series_times(const ritt_real *a, const ritt_real *b, ritt_real *out) {
  ritt_real c[TERMS];
  for (int k = 0; k < TERMS; k++) {
    c[k] = 0;
    for (int i = 0; i <= k; i++) c[k] += a[i] * b[k - i];
  }
  memcpy(out, c, sizeof c);
}

static inline void series_derivative(const ritt_real *a, ritt_real *out) {
  for (int k = 0; k < TERMS; k++) out[k] = k + 1 < TERMS ? (ritt_real)(k + 1) * a[k + 1] : 0;
}

/* theta from r, its first two coefficients given, and cos theta */
static inline void series_angle(const ritt_real *r, ritt_real *theta, ritt_real *cosine) {
  ritt_real sine[TERMS], dr[TERMS];
  series_derivative(r, dr);
  sine[0] = RITTI_MATH(sin)(theta[0]), cosine[0] = RITTI_MATH(cos)(theta[0]);
  for (int k = 0; k + 2 < TERMS; k++) {
    /* coefficient k of r theta'' = -(sin theta + 2 r' theta') */
    ritt_real sum = -sine[k];
    for (int i = 0; i <= k; i++) sum -= 2 * dr[i] * (ritt_real)(k - i + 1) * theta[k - i + 1];
    for (int i = 1; i <= k; i++)
      sum -= r[i] * (ritt_real)((k - i + 2) * (k - i + 1)) * theta[k - i + 2];
    theta[k + 2] = sum / r[0] / (ritt_real)((k + 2) * (k + 1));
    ritt_real ds = 0, dc = 0;
    for (int i = 0; i <= k; i++) {
      ds += (ritt_real)(i + 1) * theta[i + 1] * cosine[k - i];
      dc -= (ritt_real)(i + 1) * theta[i + 1] * sine[k - i];
    }
    sine[k + 1] = ds / (ritt_real)(k + 1), cosine[k + 1] = dc / (ritt_real)(k + 1);
  }
  cosine[TERMS - 1] = 0;
}

/* r and theta through (theta, theta') as series in t */
static inline void smooth_series(ritt_real eps, ritt_real angle, ritt_real speed, ritt_real *r,
                                 ritt_real *theta) {
  ritt_real cosine[TERMS], d[TERMS], d2[TERMS];
  for (int k = 0; k < TERMS; k++) r[k] = k == 0, theta[k] = 0;
  theta[0] = angle, theta[1] = speed;
  for (int turn = 0; turn <= SUBSTITUTIONS; turn++) {
    series_angle(r, theta, cosine);
    if (turn == SUBSTITUTIONS) break;
    series_derivative(r, d), series_derivative(d, d2);
    ritt_real dt[TERMS], next[TERMS];
    series_derivative(theta, dt);
    series_times(dt, dt, next), series_times(next, r, next);
    for (int k = 0; k < TERMS; k++) r[k] = (k == 0) + eps * eps * (next[k] + cosine[k] - d2[k]);
    /* what later coefficients would have added is not known */
    for (int k = TERMS - 2 * (turn + 1); k < TERMS; k++) r[k] = 0;
  }
}

static inline ritt_real series_at(const ritt_real *a, ritt_real t) {
  ritt_real sum = 0;
  for (int k = TRUSTED - 1; k >= 0; k--) sum = sum * t + a[k];
  return sum;
}

/* The point z of the smooth motion through (theta, theta') = (1, 0.3) at t = 0; eps = 0: fixed
 * length. */
static inline void smooth_motion(ritt_real eps, ritt_real t, ritt_real *z) {
  enum { PARTS = 16 };
  ritt_real angle = 1, speed = RITTI_D(0.3), r[TERMS], theta[TERMS], d[TERMS];
  int parts = t > 0 ? PARTS : 0;
  smooth_series(eps, angle, speed, r, theta);
  for (int i = 0; i < parts; i++) {
    series_derivative(theta, d);
    angle = series_at(theta, t / PARTS), speed = series_at(d, t / PARTS);
    smooth_series(eps, angle, speed, r, theta);
  }
  ritt_real s = RITTI_MATH(sin)(angle), c = RITTI_MATH(cos)(angle);
  z[0] = t, z[1] = r[0] * s, z[2] = -r[0] * c;
  z[3] = r[1] * s + r[0] * c * speed, z[4] = -r[1] * c + r[0] * s * speed;
}

/* ---- runs ---- */

typedef struct strong_run {
  const ritti_tableau *tableau;
  ritti_strong_newton newton;
  int outer;   /* -1: with every iteration */
  ritt_real h; /* 0: adaptive, with */
  ritt_real tolerance;
  ritt_status status; /* out: */
  ritti_stage_counts counts;
  ritti_vibration vibration;
  long accepted, rejected, evaluations;
  ritt_real largest; /* step */
} strong_run;

static ritt_status strong_ignore(void *user, ritt_real s, const ritt_real *z,
                                 const ritt_real *top) {
  (void)user, (void)s, (void)z, (void)top;
  return RITT_OK;
}
static ritt_status strong_look(void *user, const ritti_driver *S) {
  strong_run *run = user;
  run->largest = RITTI_MATH(fmax)(run->largest, S->at.s - S->at.step_start);
  return RITT_OK;
}

/* From z to z[0] = end, to z. */
static inline bool strong_go(strong_run *run, const ritti_problem *p, ritt_real *z, ritt_real end) {
  ritti_arena *arena = ritti_arena_new();
  ritti_driver *S;
  ritt_real relative[8], absolute[8];
  for (int i = 0; i < 8; i++) relative[i] = absolute[i] = run->tolerance > 0 ? run->tolerance : 1;
  ritti_solve_options o = {.tableau = run->tableau,
                           .constant_step = run->h,
                           .newton = run->newton,
                           .relative = relative,
                           .absolute = absolute};
  static const ritti_rows ends = {.points = 2};
  run->status = ritti_driver_new(p, &o, arena, &S);
  if (run->status == RITT_OK) {
    S->step.outer = run->outer;
    S->call.step = strong_look, S->call.step_user = run;
    run->status = ritti_driver_start(S, z[0], z, NULL);
  }
  if (run->status == RITT_OK)
    run->status = ritti_driver_run(S, end, &ends, strong_ignore, NULL, NULL);
  if (run->status == RITT_OK) {
    memcpy(z, S->step.z, (size_t)p->m * sizeof *z);
    run->counts = S->step.counts, run->vibration = S->step.vibration;
    run->accepted = S->count.accepted, run->rejected = S->count.rejected,
    run->evaluations = S->direction.evaluations;
  }
  ritti_arena_free(arena);
  return run->status == RITT_OK;
}

#endif
