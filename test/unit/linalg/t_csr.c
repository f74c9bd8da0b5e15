/* Compressed rows against their dense copies. */
#include "unit/linalg/random.h"

/* By columns and by rows, in blocks of several lengths: the sums have the terms of csr_times in
 * their order. */
static void check_columns(const ritti_pattern *p, const ritt_real *a, const ritt_real *x,
                          const ritt_real *y, const ritt_real *ax, const ritt_real *aty) {
  ritti_arena *arena = ritti_arena_new();
  ritti_columns columns, rows;
  CHECK(ritti_columns_init(&columns, p, arena) == RITT_OK);
  CHECK(ritti_rows_init(&rows, p, arena) == RITT_OK);
  for (int block = 1; block <= 70; block += 23) {
    ritt_real out[70];
    for (int j = 0, run = 0; j < p->cols; j += block) {
      int count = p->cols - j < block ? p->cols - j : block;
      ritti_columns_times(&columns, &run, j, count, a, y, out);
      for (int i = 0; i < count; i++) CHECK(out[i] == aty[j + i]);
    }
    for (int j = 0, run = 0; j < p->rows; j += block) {
      int count = p->rows - j < block ? p->rows - j : block;
      ritti_columns_times(&rows, &run, j, count, a, x, out);
      for (int i = 0; i < count; i++) CHECK(out[i] == ax[j + i]);
    }
  }
  ritti_arena_free(arena);
}

/* Rows of a family: `terms` columns from i step on; columns are alike over long stretches. */
static void check_family(int rows, int step, int terms) {
  int cols = (rows - 1) * step + terms, count = 0, *start = calloc((size_t)rows + 1, sizeof *start),
      *col = calloc((size_t)(rows * terms) + 1, sizeof *col);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < terms; j++) col[count++] = i * step + j;
    start[i + 1] = count;
  }
  ritti_pattern p = {.rows = rows, .cols = cols, .start = start, .col = col};
  ritt_real *a = new_reals(count, 1), *x = new_reals(cols, 1), *y = new_reals(rows, 1);
  ritt_real *ax = new_reals(rows, 1), *aty = new_reals(cols, 1);
  fill(count, a);
  fill(cols, x);
  fill(rows, y);
  ritti_csr_times(&p, a, x, ax);
  ritti_csr_times_transposed(&p, a, y, aty);
  check_columns(&p, a, x, y, ax, aty);
  free(start), free(col), free(a), free(x), free(y), free(ax), free(aty);
}

static void random_pattern(int rows, int cols, double density) {
  int *start = calloc((size_t)rows + 1, sizeof *start),
      *col = calloc((size_t)(rows * cols) + 1, sizeof *col), count = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++)
      if (check_random() < 2 * density - 1) col[count++] = j;
    start[i + 1] = count;
  }
  ritti_pattern p = {.rows = rows, .cols = cols, .start = start, .col = col};
  ritt_real *a = new_reals(count, 1), *dense = new_reals(rows, cols), *x = new_reals(cols, 1),
            *y = new_reals(rows, 1);
  ritt_real *ax = new_reals(rows, 1), *aty = new_reals(cols, 1), *d = new_reals(cols, 1);
  ritt_real *S = new_reals(rows, rows), *scratch = new_reals(cols, 1);
  fill(count, a);
  fill(cols, x);
  fill(rows, y);
  fill(cols, d);
  for (int i = 0; i < rows * cols; i++) dense[i] = NAN;
  ritti_csr_to_dense(&p, a, dense);

  // the dense copy holds every entry and zeros else
  ritt_real sum_sparse = 0, sum_dense = 0;
  for (int e = 0; e < count; e++) sum_sparse += fabs(a[e]);
  for (int i = 0; i < rows * cols; i++) sum_dense += fabs(dense[i]);
  CHECK_NEAR(sum_sparse, sum_dense, 1e-13 * (1 + count));
  for (int i = 0; i < rows; i++)
    for (int e = start[i]; e < start[i + 1]; e++) CHECK(dense[i * cols + col[e]] == a[e]);

  ritti_csr_times(&p, a, x, ax);
  ritti_csr_times_transposed(&p, a, y, aty);
  for (int i = 0; i < rows; i++)
    CHECK_NEAR(ax[i], ritti_dot(cols, dense + i * cols, x), 1e-14 * cols);
  CHECK_NEAR(ritti_dot(rows, y, ax), ritti_dot(cols, aty, x),
             1e-14 * (rows + cols)); // <y, A x> = <A^T y, x>
  for (int j = 0; j < cols; j++) {
    ritt_real sum = 0;
    for (int i = 0; i < rows; i++) sum += dense[i * cols + j] * y[i];
    CHECK_NEAR(aty[j], sum, 1e-14 * rows);
  }

  check_columns(&p, a, x, y, ax, aty);

  // Gram matrix, with and without weights; the upper triangle is left alone
  for (int weighted = 0; weighted < 2; weighted++) {
    for (int i = 0; i < rows * rows; i++) S[i] = 7;
    for (int j = 0; j < cols; j++) scratch[j] = NAN;
    ritti_csr_gram(&p, a, weighted ? d : NULL, scratch, S);
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < rows; j++) {
        ritt_real sum = 0;
        for (int k = 0; k < cols; k++)
          sum += dense[i * cols + k] * (weighted ? d[k] : 1) * dense[j * cols + k];
        CHECK_NEAR(S[i * rows + j], j <= i ? sum : 7, 1e-14 * cols);
      }
  }
  free(start);
  free(col);
  free(a);
  free(dense);
  free(x);
  free(y);
  free(ax);
  free(aty);
  free(d);
  free(S);
  free(scratch);
}

static void repeated_entries(void) {
  static const int start[] = {0, 3, 3}, col[] = {1, 0, 1};
  const ritti_pattern p = {.rows = 2, .cols = 2, .start = start, .col = col};
  const ritt_real a[] = {1, 2, 4}, x[] = {10, 100};
  ritt_real dense[4], y[2], S[4] = {0}, scratch[2];
  ritti_csr_to_dense(&p, a, dense);
  CHECK(dense[0] == 2 && dense[1] == 5 && dense[2] == 0 && dense[3] == 0);
  ritti_csr_times(&p, a, x, y);
  CHECK(y[0] == 520 && y[1] == 0);
  ritti_csr_gram(&p, a, NULL, scratch, S);
  CHECK(S[0] == 29 && S[2] == 0 && S[3] == 0);
}

int main(void) {
  for (int rows = 0; rows <= 8; rows++)
    for (int cols = 0; cols <= 8; cols++)
      for (int k = 0; k <= 2; k++) random_pattern(rows, cols, 0.5 * k);
  random_pattern(40, 90, 0.1);
  random_pattern(90, 40, 0.1);
  for (int step = 1; step <= 3; step++)
    for (int terms = 1; terms <= 6; terms++) check_family(100, step, terms);
  repeated_entries();
  return CHECKS_DONE();
}
