/* Sparse least-norm solutions, independent columns and equilibration against their dense ways. */
#include "unit/linalg/random.h"
#include "linalg/sparse.h"

typedef struct matrix {
  ritti_pattern p;
  int *start, *col;
  ritt_real *a, *dense;
} matrix;

/* Random rows around a diagonal (chains) or anywhere, copied now and then as combinations of
 * earlier ones. */
static matrix make(int rows, int cols, int width, double dependent) {
  matrix m;
  m.start = calloc((size_t)rows + 1, sizeof *m.start);
  m.col = calloc((size_t)rows * (size_t)cols + 1, sizeof *m.col);
  m.a = new_reals(rows, cols);
  m.dense = new_reals(rows, cols);
  int count = 0;
  for (int i = 0; i < rows; i++) {
    ritt_real *row = m.dense + (size_t)i * (size_t)cols;
    if (i > 1 && check_random() < 2 * dependent - 1) {
      for (int j = 0; j < cols; j++) row[j] = row[j - cols] / 2 - row[j - 2 * cols] / 4;
    } else
      for (int k = 0; k < width; k++) {
        int middle = (int)((double)i * cols / rows),
            j = (middle + k * (k % 2 ? 1 : cols / 7 + 1)) % cols;
        row[j] = check_random() + (k == 0 ? 2 : 0);
      }
    for (int j = 0; j < cols; j++)
      if (row[j] != 0) m.col[count] = j, m.a[count++] = row[j];
    m.start[i + 1] = count;
  }
  m.p = (ritti_pattern){.rows = rows, .cols = cols, .start = m.start, .col = m.col};
  return m;
}
static void free_matrix(matrix *m) {
  free(m->start);
  free(m->col);
  free(m->a);
  free(m->dense);
}

/* rows of length 1 */
static void unit_rows(matrix *m) {
  for (int i = 0; i < m->p.rows; i++) {
    ritt_real length = ritti_norm(m->start[i + 1] - m->start[i], m->a + m->start[i]);
    for (int e = m->start[i]; e < m->start[i + 1]; e++) m->a[e] /= length;
  }
  ritti_csr_to_dense(&m->p, m->a, m->dense);
}

static void check_least(int rows, int cols, double dependent, ritt_real error) {
  matrix m = make(rows, cols, 4, dependent);
  unit_rows(&m);
  ritti_arena *arena = ritti_arena_new();
  ritti_least L;
  ritt_real *b = new_reals(rows, 1), *x = new_reals(cols, 1), *y = new_reals(cols, 1),
            *scratch = new_reals((int)ritti_least_norm_scratch(rows, cols), 1);
  int *iscratch = calloc((size_t)(rows + cols) + 1, sizeof *iscratch);
  CHECK(ritti_least_init(&L, &m.p, arena) == RITT_OK);
  // a right side that has a solution
  fill(cols, y);
  times(rows, cols, 1, m.dense, y, b);
  ritti_least_solve(&L, m.a, b, 1e-11, x);
  int rank = ritti_least_norm(rows, cols, m.dense, b, 1e-9, y, scratch, iscratch);
  CHECK(dependent == 0 ? rank == rows : rank < rows);
  for (int j = 0; j < cols; j++) CHECK_NEAR(x[j], y[j], error);
  m.a[0] = NAN;
  ritti_least_solve(&L, m.a, b, 1e-11, x);
  CHECK(isnan(x[0]));
  free(b);
  free(x);
  free(y);
  free(scratch);
  free(iscratch);
  free_matrix(&m);
  ritti_arena_free(arena);
}

/* Rank of some columns, by singular values. */
static int rank_of(const matrix *m, const bool *column) {
  int rows = m->p.rows, cols = m->p.cols, count = 0, rank = 0;
  ritt_real *part = new_reals(rows, cols), *sigma = new_reals(rows + cols, 1);
  for (int j = 0; j < cols; j++) count += column[j];
  for (int i = 0; i < rows; i++)
    for (int j = 0, at = 0; j < cols; j++)
      if (column[j]) part[i * count + at++] = m->dense[i * cols + j];
  if (count) {
    ritt_real *scratch = new_reals((int)ritti_singular_values_scratch(rows, count) + 1, 1);
    CHECK(ritti_singular_values(rows, count, part, sigma, NULL, scratch));
    free(scratch);
  }
  while (count && rank < count && rank < rows && sigma[rank] > 1e-9 * sigma[0]) rank++;
  free(part);
  free(sigma);
  return rank;
}

/* Of each group as many columns are taken as it adds to the rank of those before. */
static void check_independent(int rows, int cols, int width, int groups, double dependent) {
  matrix m = make(rows, cols, width, dependent);
  int *group = calloc((size_t)cols + 1, sizeof *group);
  bool *taken = calloc((size_t)cols + 1, sizeof *taken),
       *upto = calloc((size_t)cols + 1, sizeof *upto), sure;
  for (int j = 0; j < cols; j++) group[j] = (int)((check_random() + 1) / 2 * (groups + 1)) - 1;
  CHECK(ritti_independent_columns(&m.p, m.a, group, groups, 1e-9, taken, &sure) == RITT_OK);
  CHECK(sure);
  int all = 0;
  for (int j = 0; j < cols; j++) all += taken[j];
  CHECK(rank_of(&m, taken) == all);
  for (int g = 0; g < groups; g++) {
    int count = 0;
    for (int j = 0; j < cols; j++) {
      upto[j] = group[j] >= 0 && group[j] <= g;
      count += upto[j] && taken[j];
    }
    CHECK(count == rank_of(&m, upto));
  }
  for (int j = 0; j < cols; j++) CHECK(!(taken[j] && group[j] < 0));
  free(group);
  free(taken);
  free(upto);
  free_matrix(&m);
}

static void check_equilibration(int rows, int cols) {
  matrix m = make(rows, cols, 5, 0);
  for (int i = 0; i < rows; i++)
    for (int e = m.start[i]; e < m.start[i + 1]; e++)
      m.a[e] *= pow(10, 5 * sin(i) + 5 * cos(m.col[e]));
  ritt_real *row = new_reals(rows, 1), *column = new_reals(cols, 1), *scratch = new_reals(cols, 1),
            *most = new_reals(cols, 1);
  ritti_csr_equilibrate(&m.p, m.a, row, column, scratch);
  for (int i = 0; i < rows; i++) {
    ritt_real largest = 0;
    for (int e = m.start[i]; e < m.start[i + 1]; e++) {
      ritt_real size = fabs(m.a[e]) * row[i] * column[m.col[e]];
      largest = fmax(largest, size);
      most[m.col[e]] = fmax(most[m.col[e]], size);
    }
    int exponent;
    CHECK(largest >= 0.5 && largest <= 2 && frexp(row[i], &exponent) == 0.5);
  }
  for (int j = 0; j < cols; j++)
    CHECK(most[j] == 0 ? column[j] == 1 : most[j] >= 0.5 && most[j] <= 2);
  free(row);
  free(column);
  free(scratch);
  free(most);
  free_matrix(&m);
}

int main(void) {
  for (int n = 1; n < 12; n++) check_least(n, n + 5, 0, 1e-9);
  check_least(100, 180, 0, 1e-9);
  check_least(300, 400, 0, 1e-9);
  check_least(50, 90, 0.6, 1e-6);
  check_least(200, 400, 0.6, 1e-6);
  for (int n = 2; n < 30; n += 3)
    for (int groups = 1; groups <= 5; groups++) {
      check_independent(n, n + 3, 3, groups, 0);
      check_independent(n + 4, n, 4, groups, 0.6);
      check_independent(n, 2 * n, 4, groups, 0.7);
    }
  check_independent(150, 250, 4, 4, 0.6);
  check_independent(20, 600, 600, 3, 0.6); // long rows
  check_independent(60, 600, 300, 4, 0.6);
  check_equilibration(20, 30);
  check_equilibration(200, 100);
  return CHECKS_DONE();
}
