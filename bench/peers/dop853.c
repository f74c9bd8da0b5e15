/* Dormand and Prince's method of order 8 with its error estimates of order 5 and 3 (Hairer, Norsett
 * and Wanner I, II.10), the coefficients from src/step/tableaux.def: the plain program to compare
 * with, for one ordinary system. */
#include "step/method.h"
#include "solvers.h"

enum { STAGES = 12, MOST = 128 };

typedef struct term {
  int stage;
  double weight;
} term;
typedef struct sums {
  int count[STAGES + 3]; /* stages 1.., the end, the two estimates */
  term at[STAGES + 3][STAGES + 1];
  double c[STAGES];
} sums;

static void sum_add(sums *s, int row, int stage, double weight) {
  if (weight != 0) s->at[row][s->count[row]++] = (term){stage, weight};
}
static sums sums_of_dop853(void) {
  const ritti_tableau *m = ritti_method_find("dop853");
  const ritt_real *a = m->a;
  sums s = {0};
  for (int i = 1; i < STAGES; i++)
    for (int j = 0; j < i; j++) sum_add(&s, i, j, (double)*a++);
  for (int i = 0; i < STAGES; i++) {
    sum_add(&s, STAGES, i, (double)m->b[i]);
    sum_add(&s, STAGES + 1, i, (double)m->e[i]), sum_add(&s, STAGES + 2, i, (double)m->e3[i]);
    s.c[i] = (double)m->c[i];
  }
  return s;
}

/* out = y + h sum; y NULL: the sum alone */
static inline void combine(const sums *s, int row, int n, const double *y, double h,
                           double (*k)[MOST], double *out) {
  double sum[MOST] = {0};
  for (int q = 0; q < s->count[row]; q++) {
    const double *restrict v = k[s->at[row][q].stage];
    double w = s->at[row][q].weight;
    for (int i = 0; i < n; i++) sum[i] += w * v[i];
  }
  for (int i = 0; i < n; i++) out[i] = y ? y[i] + h * sum[i] : sum[i];
}

/* The error over the tolerance. */
static double error_of(const sums *s, int n, double h, const double *y, const double *z,
                       double (*k)[MOST], double tolerance) {
  double five[MOST], three[MOST], a = 0, b = 0;
  combine(s, STAGES + 1, n, NULL, h, k, five), combine(s, STAGES + 2, n, NULL, h, k, three);
  for (int i = 0; i < n; i++) {
    double scale = 1 / (tolerance * (1 + fmax(fabs(y[i]), fabs(z[i]))));
    a += five[i] * five[i] * scale * scale, b += three[i] * three[i] * scale * scale;
  }
  double sum = a + 0.01 * b;
  return sum > 0 ? fabs(h) * a / sqrt(n * sum) : 0;
}

bench_result plain_dop853(const peer_problem *p, double tolerance) {
  static sums s;
  bench_result r = {.tolerance = tolerance};
  double k[STAGES][MOST], y[MOST], z[MOST], t = 0, h = 1e-4 * p->end, last[MOST];
  const int n = p->n;
  snprintf(r.setting, sizeof r.setting, "hand-reduced dop853");
  if (s.count[1] == 0) s = sums_of_dop853();
  double began = bench_now();
  memcpy(y, p->start, (size_t)n * sizeof *y);
  p->rhs(0, y, k[0]), r.evaluations++;
  while (t < p->end && r.steps < 10000000) {
    if (t + h > p->end) h = p->end - t;
    for (int i = 1; i < STAGES; i++) {
      combine(&s, i, n, y, h, k, z);
      p->rhs(t + s.c[i] * h, z, k[i]);
    }
    combine(&s, STAGES, n, y, h, k, z);
    r.evaluations += STAGES - 1, r.steps++;
    double error = error_of(&s, n, h, y, z, k, tolerance);
    double factor = fmin(6, fmax(0.333, 0.9 * pow(error + 1e-30, -1. / 8)));
    if (error <= 1) {
      p->rhs(t + h, z, last), r.evaluations++;
      t += h;
      if (peer_watching) peer_watch(p, t, z, &r);
      memcpy(y, z, (size_t)n * sizeof *y), memcpy(k[0], last, (size_t)n * sizeof *y);
    } else if (!(error < INFINITY)) {
      break;
    } else {
      factor = fmin(factor, 1);
    }
    h *= factor;
  }
  r.seconds = bench_now() - began;
  r.done = t >= p->end;
  r.error = bench_error(y, p->exact, p->compared, p->relative);
  return r;
}
