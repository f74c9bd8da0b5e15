/* The systems of sparse.h; the equations are those of bench/models. */
#include "sparse.h"

static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }

/* ---- the Brusselator in the plane: all u, then all v ---- */

static void start_brusselator(int n, double *y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double a = (double)i / (n - 1), b = (double)j / (n - 1);
      y[i * n + j] = 22 * b * pow(1 - b, 1.5);
      y[n * n + i * n + j] = 27 * a * pow(1 - a, 1.5);
    }
}

static double spread(int n, const double *u, int i, int j) {
  return u[most(i - 1, 0) * n + j] + u[least(i + 1, n - 1) * n + j] + u[i * n + most(j - 1, 0)] +
         u[i * n + least(j + 1, n - 1)] - 4 * u[i * n + j];
}

static void brusselator_rhs(int n, double t, const double *y, double *out) {
  const double *u = y, *v = y + n * n, c = 0.1 * (n - 1) * (n - 1);
  (void)t;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double a = u[i * n + j], b = v[i * n + j], reaction = a * a * b;
      out[i * n + j] = 1 + reaction - 4.4 * a + c * spread(n, u, i, j);
      out[n * n + i * n + j] = 3.4 * a - reaction + c * spread(n, v, i, j);
    }
}

/* Adds to the entry of a column, which may be new. */
static void add_entry(int column, double value, int *count, int *col, double *out) {
  for (int e = 0; e < *count; e++)
    if (col[e] == column) {
      out[e] += value;
      return;
    }
  col[*count] = column;
  out[(*count)++] = value;
}

static int brusselator_row(int n, int row, double t, const double *y, int *col, double *value) {
  int second = row >= n * n, k = row % (n * n), i = k / n, j = k % n, from = second * n * n;
  int count = 0;
  double u = y[k], v = y[n * n + k], c = 0.1 * (n - 1) * (n - 1);
  (void)t;
  add_entry(row, (second ? -u * u : 2 * u * v - 4.4) - 4 * c, &count, col, value);
  add_entry(second ? k : n * n + k, second ? 3.4 - 2 * u * v : u * u, &count, col, value);
  add_entry(from + most(i - 1, 0) * n + j, c, &count, col, value);
  add_entry(from + least(i + 1, n - 1) * n + j, c, &count, col, value);
  add_entry(from + i * n + most(j - 1, 0), c, &count, col, value);
  add_entry(from + i * n + least(j + 1, n - 1), c, &count, col, value);
  return count;
}

/* ---- a travelling front ---- */

static void start_reaction(int n, double *y) {
  for (int i = 0; i < n; i++) y[i] = 1 / (1 + exp(40 * ((double)i / (n - 1) - 0.3)));
}

static void reaction_rhs(int n, double t, const double *y, double *out) {
  double c = (double)(n - 1) * (n - 1) / 1000;
  (void)t;
  for (int i = 0; i < n; i++)
    out[i] = c * (y[most(i - 1, 0)] - 2 * y[i] + y[least(i + 1, n - 1)]) +
             10 * y[i] * (1 - y[i]) * (y[i] - 0.3);
}

static int reaction_row(int n, int i, double t, const double *y, int *col, double *value) {
  int count = 0;
  double c = (double)(n - 1) * (n - 1) / 1000, u = y[i];
  (void)t;
  add_entry(i, -2 * c + 10 * (2.6 * u - 3 * u * u - 0.3), &count, col, value);
  add_entry(most(i - 1, 0), c, &count, col, value);
  add_entry(least(i + 1, n - 1), c, &count, col, value);
  return count;
}

/* ---- a line of diodes ---- */

static void start_ladder(int n, double *y) { memset(y, 0, (size_t)n * sizeof *y); }

static void ladder_rhs(int n, double t, const double *y, double *out) {
  double feed = 2 * sin(6.283185307179586 * t);
  for (int i = 0; i < n; i++) {
    double before = i > 0 ? y[i - 1] : feed, after = i + 1 < n ? y[i + 1] : y[i];
    out[i] = 1000 * (before - 2 * y[i] + after) - 0.001 * (exp(y[i] / 0.1) - 1);
  }
}

static int ladder_row(int n, int i, double t, const double *y, int *col, double *value) {
  int count = 0;
  (void)t;
  add_entry(i, -2000 - 0.01 * exp(y[i] / 0.1), &count, col, value);
  if (i > 0) add_entry(i - 1, 1000, &count, col, value);
  add_entry(least(i + 1, n - 1), 1000, &count, col, value);
  return count;
}

/* ---- the medical Akzo problem: all u, then all v ---- */

static void start_medical(int n, double *y) {
  for (int i = 0; i < 2 * n; i++) y[i] = i >= n;
}

static void medical_rhs(int n, double t, const double *y, double *out) {
  const double *u = y, *v = y + n, supply = t <= 5 ? 2 : 0;
  for (int j = 0; j < n; j++) {
    double s = (j + 1.) / n - 1, before = j > 0 ? u[j - 1] : supply;
    double after = j + 1 < n ? u[j + 1] : u[j], reaction = 100 * u[j] * v[j];
    out[j] = s * s * s / 8 * (after - before) * n / 2 +
             s * s * s * s / 16 * (before - 2 * u[j] + after) * n * n - reaction;
    out[n + j] = -reaction;
  }
}

static int medical_row(int n, int row, double t, const double *y, int *col, double *value) {
  int j = row % n, count = 0;
  double s = (j + 1.) / n - 1, a = s * s * s / 16 * n, b = s * s * s * s / 16 * n * n;
  (void)t;
  if (row >= n) {
    add_entry(j, -100 * y[n + j], &count, col, value);
    add_entry(n + j, -100 * y[j], &count, col, value);
    return count;
  }
  add_entry(j, -2 * b - 100 * y[n + j], &count, col, value);
  add_entry(n + j, -100 * y[j], &count, col, value);
  if (j > 0) add_entry(j - 1, b - a, &count, col, value);
  add_entry(least(j + 1, n - 1), a + b, &count, col, value);
  return count;
}

#define REACTION(N)                                                                                \
  {                                                                                                \
    .name = "front, " #N, .model = "bench/models/reaction.ritt", .size = N, .unknowns = N,         \
    .end = 5, .start = start_reaction, .rhs = reaction_rhs, .row = reaction_row                    \
  }
#define LADDER(N)                                                                                  \
  {                                                                                                \
    .name = "diodes, " #N, .model = "bench/models/ladder.ritt", .size = N, .unknowns = N,          \
    .end = 1, .start = start_ladder, .rhs = ladder_rhs, .row = ladder_row                          \
  }
const sparse_problem sparse_problems[] = {{.name = "medical Akzo, 400",
                                           .model = "models/ivp/medical_akzo.ritt",
                                           .size = 200,
                                           .unknowns = 400,
                                           .end = 20,
                                           .start = start_medical,
                                           .rhs = medical_rhs,
                                           .row = medical_row},
                                          REACTION(1000),
                                          REACTION(10000),
                                          LADDER(1000),
                                          LADDER(10000),
                                          {.name = "Brusselator, 10082",
                                           .model = "bench/models/brusselator.ritt",
                                           .size = 71,
                                           .unknowns = 2 * 71 * 71,
                                           .end = 2,
                                           .start = start_brusselator,
                                           .rhs = brusselator_rhs,
                                           .row = brusselator_row},
                                          REACTION(100000)};
const int sparse_problem_count = sizeof sparse_problems / sizeof *sparse_problems;
