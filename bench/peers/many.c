/* Pleiades and Fekete's points of the test set for IVP solvers: many bodies, each of which acts on
 * all others. Their Jacobians are left to differences. */
#include <math.h>
#include <string.h>
#include "problem.h"

/* ---- Pleiades: x, y, x', y' of seven stars ---- */

enum { STARS = 7 };
static const double pleiades_start[4 * STARS] = {3,    3, -1, -3, 2,     -2, 2, 3, -3, 2,
                                                 0,    0, -4, 4,  0,     0,  0, 0, 0,  1.75,
                                                 -1.5, 0, 0,  0,  -1.25, 1,  0, 0};
static const double pleiades_exact[2 * STARS] = {
    0.3706139143970502,  3.237284092057233, -3.222559032418324,  0.659709145577531,
    0.3425581707156584,  1.562172101400631, -0.7003092922212495, -3.943437585517392,
    -3.27138097397255,   5.225081843456543, -2.59061243497747,   1.198213693392275,
    -0.2429682344935824, 1.09144924042898};
static void pleiades_rhs(double t, const double *y, double *out) {
  (void)t;
  const double *a = y, *b = y + STARS;
  double *ax = out + 2 * STARS, *ay = out + 3 * STARS;
  memcpy(out, y + 2 * STARS, 2 * STARS * sizeof *out);
  memset(ax, 0, 2 * STARS * sizeof *out);
  for (int i = 0; i < STARS; i++)
    for (int j = 0; j < i; j++) {
      double x = a[j] - a[i], z = b[j] - b[i], r2 = x * x + z * z, c = 1 / (r2 * sqrt(r2));
      ax[i] += (j + 1) * x * c, ay[i] += (j + 1) * z * c;
      ax[j] -= (i + 1) * x * c, ay[j] -= (i + 1) * z * c;
    }
}
const peer_problem peer_pleiades = {.name = "Pleiades",
                                    .model = "models/ivp/pleiades.ritt",
                                    .end = 3,
                                    .compared = 2 * STARS,
                                    .exact = pleiades_exact,
                                    .n = 4 * STARS,
                                    .start = pleiades_start,
                                    .rhs = pleiades_rhs};

/* ---- Fekete's points: charges on a sphere, with friction ---- */

enum { POINTS = 20, COORDINATES = 3 * POINTS, FEKETE = 2 * COORDINATES + 2 * POINTS };
static double fekete_start[2 * COORDINATES];
/* clang-format off */
static const double fekete_exact[COORDINATES] = {
    -0.407026338033148, 0.34637587728167835, 0.845194245002102, 0.07752934752453812, -0.2628662719951059,
    0.9617122871835496, 0.7100577833342794, 0.12129480555927807, 0.6936177005171844, 0.23482677445653802,
    0.7449277976934674, 0.6244509285939919, -0.4341114738771908, 0.8785430442273253, 0.1992720444215822,
    -0.9515059600310399, 0.2203508762804607, 0.21466694982656748, -0.6385191643617768, -0.4310833259367459,
    0.637542502772993, -0.14641750879278442, -0.9380871635219653, 0.3139337298765909, 0.5666974065059386,
    -0.6739221885073072, 0.474007313547971, 0.9843259538438207, -0.16969953578341662, -0.04800504290536049,
    0.14641750879278517, 0.9380871635219653, -0.3139337298765905, -0.7092757549970434, 0.5264062637138163,
    -0.468854293886954, -0.8665731819290422, -0.4813878059747566, -0.1315929352973977, -0.23478977787104,
    -0.8594340408020532, -0.45414412879384713, 0.5530976940065047, -0.7674370265629971, -0.32422731400181676,
    0.7711050969905241, 0.6357041816567628, 0.03573685519655956, 0.7103951209385043, 0.24035704312557554,
    -0.661488672591374, -0.0303820873864548, 0.4501923293620181, -0.8924145871452583, -0.5772996158106722,
    -0.1766763414982616, -0.7971892020967418, 0.24144817669675991, -0.3416456818397386, -0.9082846503437512};
/* clang-format on */

static void forces(const double *p, const double *v, double *f) {
  for (int i = 0; i < COORDINATES; i++) f[i] = -0.5 * v[i];
  for (int i = 0; i < POINTS; i++)
    for (int j = 0; j < i; j++) {
      const double *a = p + 3 * i, *b = p + 3 * j;
      double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], c = 1 / (x * x + y * y + z * z);
      f[3 * i] += x * c, f[3 * i + 1] += y * c, f[3 * i + 2] += z * c;
      f[3 * j] -= x * c, f[3 * j + 1] -= y * c, f[3 * j + 2] -= z * c;
    }
}
static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* the multipliers in closed form: p.p'' = -p'.p' */
static void fekete_multipliers(const double *y, const double *f, double *lambda) {
  const double *p = y, *v = y + COORDINATES;
  for (int i = 0; i < COORDINATES; i += 3)
    lambda[i / 3] = -(dot(p + i, f + i) + dot(v + i, v + i)) / (2 * dot(p + i, p + i));
}
static void fekete_rhs(double t, const double *y, double *out) {
  (void)t;
  double lambda[POINTS], *f = out + COORDINATES;
  memcpy(out, y + COORDINATES, COORDINATES * sizeof *out);
  forces(y, y + COORDINATES, f);
  fekete_multipliers(y, f, lambda);
  for (int i = 0; i < COORDINATES; i++) f[i] += 2 * lambda[i / 3] * y[i];
}
/* w = (p, q, lambda, mu), as the test set has it */
static void fekete_residual(double t, const double *w, const double *d, double *out) {
  (void)t;
  const double *p = w, *q = w + COORDINATES, *lambda = w + 2 * COORDINATES, *mu = lambda + POINTS;
  double f[COORDINATES];
  forces(p, q, f);
  for (int i = 0; i < COORDINATES; i++) {
    out[i] = d[i] - q[i] - 2 * mu[i / 3] * p[i];
    out[COORDINATES + i] = d[COORDINATES + i] - f[i] - 2 * lambda[i / 3] * p[i];
  }
  for (int i = 0; i < POINTS; i++) {
    out[2 * COORDINATES + i] = dot(p + 3 * i, p + 3 * i) - 1;
    out[2 * COORDINATES + POINTS + i] = dot(p + 3 * i, q + 3 * i);
  }
}
static void fekete_dae_start(double *w, double *d) {
  double f[COORDINATES];
  memset(w, 0, FEKETE * sizeof *w), memset(d, 0, FEKETE * sizeof *d);
  memcpy(w, fekete_start, sizeof fekete_start);
  forces(w, w + COORDINATES, f), fekete_multipliers(w, f, w + 2 * COORDINATES);
  fekete_rhs(0, w, d);
}
static void fekete_constraints(double t, const double *y, double *out) {
  (void)t;
  for (int i = 0; i < POINTS; i++) out[i] = dot(y + 3 * i, y + 3 * i) - 1;
}
static void fekete_project(double t, double *y) {
  (void)t;
  for (int i = 0; i < COORDINATES; i += 3) {
    double *p = y + i, *v = p + COORDINATES, length = 1 / sqrt(dot(p, p));
    for (int k = 0; k < 3; k++) p[k] *= length;
    double along = dot(p, v);
    for (int k = 0; k < 3; k++) v[k] -= along * p[k];
  }
}
const peer_problem peer_fekete = {.name = "Fekete",
                                  .model = "models/ivp/fekete.ritt",
                                  .end = 1000,
                                  .compared = COORDINATES,
                                  .exact = fekete_exact,
                                  .n = 2 * COORDINATES,
                                  .start = fekete_start,
                                  .rhs = fekete_rhs,
                                  .rows = POINTS,
                                  .constraints = fekete_constraints,
                                  .project = fekete_project,
                                  .dae = FEKETE,
                                  .differential = 2 * COORDINATES,
                                  .dae_start = fekete_dae_start,
                                  .residual = fekete_residual};

void peer_prepare_fekete(void) {
  const double pi = 3.14159265358979323846;
  for (int i = 1; i <= POINTS; i++) {
    double u = i <= 3    ? 2 * pi * i / 3 + pi / 13
               : i <= 10 ? 2 * pi * (i - 3) / 7 + pi / 29
               : i <= 16 ? 2 * pi * (i - 10) / 6 + pi / 7
                         : 2 * pi * (i - 17) / 4 + pi / 17;
    double v = i <= 3 ? 3 * pi / 8 : i <= 10 ? pi / 8 : i <= 16 ? -2 * pi / 15 : -3 * pi / 10;
    double *p = fekete_start + 3 * (i - 1);
    p[0] = cos(u) * cos(v), p[1] = sin(u) * cos(v), p[2] = sin(v);
  }
}
