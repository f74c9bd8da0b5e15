/* The frequency response of a linear system, drawn as a Bode plot. */
#include <complex.h>
#include <math.h>
#include <unistd.h>
#include "cli.h"

static const double PI = 3.14159265358979323846;

/* Solves (s - A) X = B by elimination with pivots; X has one column for each input, and `matrix` is
 * overwritten. */
static void solve_system(const ritt_linearization *L, double complex s, double complex *matrix,
                         double complex *x) {
  size_t n = L->states, m = L->inputs;
  for (size_t i = 0; i < n * n; i++) matrix[i] = (i % (n + 1) == 0 ? s : 0) - L->A[i];
  for (size_t i = 0; i < n * m; i++) x[i] = L->B[i];
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (cabs(matrix[i * n + k]) > cabs(matrix[best * n + k])) best = i;
    for (size_t j = 0; j < n && best != k; j++) {
      double complex here = matrix[k * n + j];
      matrix[k * n + j] = matrix[best * n + j];
      matrix[best * n + j] = here;
    }
    for (size_t j = 0; j < m && best != k; j++) {
      double complex here = x[k * m + j];
      x[k * m + j] = x[best * m + j];
      x[best * m + j] = here;
    }
    for (size_t i = k + 1; i < n; i++) {
      double complex factor = matrix[i * n + k] / matrix[k * n + k];
      for (size_t j = k; j < n; j++) matrix[i * n + j] -= factor * matrix[k * n + j];
      for (size_t j = 0; j < m; j++) x[i * m + j] -= factor * x[k * m + j];
    }
  }
  for (size_t k = n; k-- > 0;)
    for (size_t j = 0; j < m; j++) {
      for (size_t i = k + 1; i < n; i++) x[k * m + j] -= matrix[k * n + i] * x[i * m + j];
      x[k * m + j] /= matrix[k * n + k];
    }
}

/* The range of frequencies: two decades around those of the eigenvalues that are not 0. */
static void find_range(const ritt_linearization *L, double *low, double *high) {
  static const double ZERO = 1e-6; /* eigenvalues of a family of equilibria are 0 up to rounding */
  *high = 0;
  for (size_t i = 0; i < L->states; i++)
    *high = fmax(*high, hypot(L->eigenvalue_real[i], L->eigenvalue_imaginary[i]) / (2 * PI));
  if (*high == 0) *high = 1;
  *low = *high;
  for (size_t i = 0; i < L->states; i++) {
    double size = hypot(L->eigenvalue_real[i], L->eigenvalue_imaginary[i]) / (2 * PI);
    if (size > ZERO * *high) *low = fmin(*low, size);
  }
  *low /= 100;
  *high *= 100;
}

/* Writes rows: the frequency, then sizes in dB and phases in degrees of all pairs. */
static ritt_status write_rows(const ritt_linearization *L, ritti_writer *writer,
                              ritti_arena *arena) {
  enum { ROWS = 2000 };
  size_t n = L->states, m = L->inputs, pairs = L->outputs * m;
  double low, high, *row;
  double complex *matrix, *x;
  RITTI_NEW(matrix, arena, n * n + 1);
  RITTI_NEW(x, arena, n * m + 1);
  RITTI_NEW(row, arena, 1 + 2 * pairs);
  find_range(L, &low, &high);
  for (int i = 0; i < ROWS; i++) {
    row[0] = low * pow(high / low, (double)i / (ROWS - 1));
    solve_system(L, 2 * PI * I * row[0], matrix, x);
    for (size_t p = 0; p < pairs; p++) {
      double complex value = L->D[p];
      for (size_t k = 0; k < n; k++) value += L->C[p / m * n + k] * x[k * m + p % m];
      double phase = carg(value) * 180 / PI, before = row[2 + 2 * p];
      if (i > 0 && isfinite(before)) phase -= 360 * round((phase - before) / 360);
      row[1 + 2 * p] = 20 * log10(cabs(value));
      row[2 + 2 * p] = phase;
    }
    RITT_TRY(ritti_writer_row(writer, row));
  }
  return RITT_OK;
}

/* Makes the curves and the names of the columns: sizes in the first panel, phases in the second. */
static ritt_status make_curves(const ritt_linearization *L, ritti_arena *arena, const char **name,
                               ritti_plot_curve *curve, size_t *count) {
  double most = 0; /* entries of an output that rounding leaves are much smaller */
  for (size_t i = 0; i < L->outputs * L->states; i++) most = fmax(most, fabs(L->C[i]));
  name[0] = "frequency";
  for (size_t p = 0; p < L->outputs * L->inputs; p++) {
    const char *output = L->output_names[p / L->inputs], *input = L->input_names[p % L->inputs];
    const char *pair = ritti_arena_format(arena, "%s/%s", output, input);
    bool all_zero = true;
    for (int i = 0; i < 2; i++) {
      name[1 + 2 * p + (size_t)i] = ritti_arena_format(arena, "%zu", 2 * p + (size_t)i);
      if (!pair || !name[1 + 2 * p + (size_t)i]) return RITT_NO_MEMORY;
    }
    for (size_t k = 0; k < L->states; k++)
      all_zero = all_zero && fabs(L->C[p / L->inputs * L->states + k]) <= 1e-13 * most;
    if (all_zero && L->D[p] == 0) continue; /* this output does not answer */
    for (int i = 0; i < 2; i++)
      curve[(*count)++] = (ritti_plot_curve){.panel = i,
                                             .dimensions = 2,
                                             .column = {0, 1 + 2 * p + (size_t)i},
                                             .name = {"frequency", pair},
                                             .unit = {NULL, i ? "degrees" : "dB"},
                                             .axis = {{.logarithmic = 1}}};
  }
  return RITT_OK;
}

static ritt_status draw_response(const ritt_linearization *L, const char *path, const char *title,
                                 ritti_arena *arena, ritt_error *error) {
  size_t pairs = L->outputs * L->inputs, count = 0;
  const char **name, *log = ritti_arena_format(arena, "%s.log", path);
  ritti_plot_curve *curve;
  ritti_writer *writer;
  ritti_reader *source = NULL;
  RITTI_NEW(name, arena, 1 + 2 * pairs);
  RITTI_NEW(curve, arena, 1 + 2 * pairs);
  if (!log) return RITT_NO_MEMORY;
  RITT_TRY(make_curves(L, arena, name, curve, &count));
  ritti_about about = {.columns = 1 + 2 * pairs, .name = name};
  RITT_TRY(ritti_writer_open(log, RITTI_LOG, &about, error, &writer));
  ritt_status status = write_rows(L, writer, arena);
  ritt_status closed = ritti_writer_close(writer, error);
  if (status == RITT_OK) status = closed;
  ritti_plot plot = {.path = path, .title = title, .curve = curve, .curves = count};
  if (status == RITT_OK) status = ritti_reader_open(log, error, &source);
  if (status == RITT_OK) status = ritti_plot_write(&plot, &source, 1, error);
  ritti_reader_close(source);
  unlink(log);
  return status;
}

ritt_status cli_draw_bode(const ritt_linearization *L, const char *path, const char *title,
                          ritt_error *error) {
  if (!ritti_plot_known(path))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "use a name that ends in .svg, .png or .pdf",
                      "the plot '%s' has an unknown ending", path);
  if (L->inputs == 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "name a parameter with --input",
                      "a frequency response needs an input");
  ritti_arena *arena = ritti_arena_new();
  if (!arena) return ritti_no_memory(error);
  ritt_status status = draw_response(L, path, title, arena, error);
  ritti_arena_free(arena);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}
