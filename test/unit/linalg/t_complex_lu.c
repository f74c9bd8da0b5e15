/* LU by columns, real and complex: A x = b is solved to rounding for matrices with and without
 * zeros, some of which need exchanges; singular matrices are found. */
#include "check.h"
#include "linalg/linalg.h"

enum { MOST = 20 };

/* Numbers between -1 and 1; about half of them are 0 if `sparse`. */
static uint64_t seed = 1;
static ritt_real any_number(bool sparse) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  ritt_real x = (ritt_real)((double)(seed >> 11) / (double)(1ull << 53));
  if (sparse && x < (ritt_real)0.5) return 0;
  return 2 * x - 1;
}

/* A = random with ones added to a diagonal that is moved by one place, so that rows are exchanged. */
static void check_solution(int n, bool sparse, bool complex) {
  ritt_real re[MOST * MOST], im[MOST * MOST] = {0}, fr[MOST * MOST], fi[MOST * MOST];
  ritt_real x[MOST], y[MOST] = {0}, br[MOST], bi[MOST];
  int pivot[MOST];
  for (int i = 0; i < n * n; i++) {
    re[i] = any_number(sparse);
    if (complex) im[i] = any_number(sparse);
  }
  for (int j = 0; j < n; j++) re[j * n + (j + 1) % n] += 3 * n;
  for (int i = 0; i < n; i++) {
    x[i] = br[i] = any_number(false);
    y[i] = bi[i] = complex ? any_number(false) : 0;
  }
  memcpy(fr, re, sizeof re);
  memcpy(fi, im, sizeof im);
  if (complex) {
    CHECK(ritti_complex_lu_factor(n, fr, fi, pivot));
    ritti_complex_lu_solve(n, fr, fi, pivot, x, y);
  } else {
    CHECK(ritti_column_lu_factor(n, fr, pivot));
    ritti_column_lu_solve(n, fr, pivot, x);
  }
  for (int i = 0; i < n; i++) {
    ritt_real real = -br[i], imaginary = -bi[i];
    for (int j = 0; j < n; j++) {
      real += re[j * n + i] * x[j] - im[j * n + i] * y[j];
      imaginary += re[j * n + i] * y[j] + im[j * n + i] * x[j];
    }
    CHECK_NEAR(real, 0, 1e-14);
    CHECK_NEAR(imaginary, 0, 1e-14);
  }
}

/* (1 + i, 2; i, 1 + i) has the determinant 2i - 2i = 0. */
static void check_singular(void) {
  ritt_real re[] = {1, 0, 2, 1}, im[] = {1, 1, 0, 1};
  ritt_real a[] = {1, 2, 2, 4}, zero[] = {0, 0, 0, 0}, none[] = {0, 0, 0, 0};
  int pivot[2];
  CHECK(!ritti_complex_lu_factor(2, re, im, pivot));
  CHECK(!ritti_column_lu_factor(2, a, pivot));
  CHECK(!ritti_complex_lu_factor(2, zero, none, pivot));
}

int main(void) {
  for (int n = 1; n <= MOST; n++)
    for (int kind = 0; kind < 4; kind++) check_solution(n, kind & 1, kind & 2);
  check_singular();
  return CHECKS_DONE();
}
