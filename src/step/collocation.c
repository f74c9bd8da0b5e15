/* What follows from the coefficients of an implicit method.
 *
 * In: a tableau. Out: the block of its implicit stages (the stage that is the start is left out),
 * its inverse A^-1 = T Lambda T^-1 with real eigenvalues and pairs (E. Hairer, G. Wanner, Solving
 * ODEs II, section IV.8), computed in the precision of the reals; the weights of the error estimate
 * and of the dense output. For so few stages the eigenvalues are had as zeros of the characteristic
 * polynomial (Faddeev and Leverrier; Weierstrass' simultaneous iteration), the eigenvectors by
 * elimination with complete pivoting.
 */
#include "step/implicit_impl.h"

enum { MOST = RITTI_MOST_STAGES };

typedef struct number {
  ritt_real re, im;
} number;

static number plus(number a, number b) { return (number){a.re + b.re, a.im + b.im}; }
static number minus(number a, number b) { return (number){a.re - b.re, a.im - b.im}; }
static number multiply_complex(number a, number b) {
  return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static ritt_real square(number a) { return a.re * a.re + a.im * a.im; }
static number divide_complex(number a, number b) {
  number c = multiply_complex(a, (number){b.re, -b.im});
  return (number){c.re / square(b), c.im / square(b)};
}

/* ---- eigenvalues ---- */

void ritti_characteristic(int n, const ritt_real *B, ritt_real *p) {
  ritt_real M[MOST * MOST], next[MOST * MOST];
  memcpy(M, B, (size_t)(n * n) * sizeof *M);
  for (int k = 1; k <= n; k++) {
    ritt_real trace = 0;
    for (int i = 0; i < n; i++) trace += M[i * n + i];
    p[n - k] = -trace / k;
    for (int i = 0; i < n; i++) M[i * n + i] += p[n - k];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        next[i * n + j] = 0;
        for (int l = 0; l < n; l++) next[i * n + j] += B[i * n + l] * M[l * n + j];
      }
    memcpy(M, next, (size_t)(n * n) * sizeof *M);
  }
}

/* All zeros at once. */
static void find_zeros(int n, const ritt_real *p, number *x) {
  enum { MOST_ITERATIONS = 500 };
  ritt_real size = 1;
  for (int k = 0; k < n; k++)
    size =
        RITTI_MATH(fmax)(size, 2 * RITTI_MATH(pow)(RITTI_MATH(fabs)(p[k]), 1 / (ritt_real)(n - k)));
  number turn = {(ritt_real)0.4, (ritt_real)0.9}, at = {size / 2, 0};
  for (int i = 0; i < n; i++, at = multiply_complex(at, turn)) x[i] = at;
  for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
    ritt_real most = 0;
    for (int i = 0; i < n; i++) {
      number value = {1, 0}, others = {1, 0};
      for (int k = n - 1; k >= 0; k--)
        value = plus(multiply_complex(value, x[i]), (number){p[k], 0});
      for (int j = 0; j < n; j++)
        if (j != i) others = multiply_complex(others, minus(x[i], x[j]));
      number change = divide_complex(value, others);
      x[i] = minus(x[i], change);
      most = RITTI_MATH(fmax)(most, square(change) / square(x[i]));
    }
    if (!(most > 4 * RITTI_EPS * RITTI_EPS)) return;
  }
}

/* The vector that B - x I takes to 0, largest entry 1; false: there is more than one. */
static bool null_vector(int n, const ritt_real *B, number x, number *v) {
  number M[MOST * MOST];
  int column[MOST];
  for (int i = 0; i < n * n; i++) M[i] = (number){B[i], 0};
  for (int i = 0; i < n; i++) M[i * n + i] = minus(M[i * n + i], x), column[i] = i;
  for (int k = 0; k < n - 1; k++) {
    int row = k, col = k;
    for (int i = k; i < n; i++)
      for (int j = k; j < n; j++)
        if (square(M[i * n + j]) > square(M[row * n + col])) row = i, col = j;
    if (!(square(M[row * n + col]) > (ritt_real)1e-8 * square(x))) return false;
    for (int j = 0; j < n; j++) {
      number other = M[k * n + j];
      M[k * n + j] = M[row * n + j], M[row * n + j] = other;
    }
    for (int i = 0; i < n; i++) {
      number other = M[i * n + k];
      M[i * n + k] = M[i * n + col], M[i * n + col] = other;
    }
    int other = column[k];
    column[k] = column[col], column[col] = other;
    for (int i = k + 1; i < n; i++) {
      number factor = divide_complex(M[i * n + k], M[k * n + k]);
      for (int j = k; j < n; j++)
        M[i * n + j] = minus(M[i * n + j], multiply_complex(factor, M[k * n + j]));
    }
  }
  number y[MOST];
  y[n - 1] = (number){1, 0};
  for (int i = n - 2; i >= 0; i--) {
    number sum = {0, 0};
    for (int j = i + 1; j < n; j++) sum = plus(sum, multiply_complex(M[i * n + j], y[j]));
    y[i] = divide_complex((number){-sum.re, -sum.im}, M[i * n + i]);
  }
  int largest = 0;
  for (int i = 0; i < n; i++)
    if (square(y[i]) > square(y[largest])) largest = i;
  for (int i = 0; i < n; i++) v[column[i]] = divide_complex(y[i], y[largest]);
  return true;
}

static bool invert_matrix(int n, const ritt_real *a, ritt_real *out) {
  ritt_real lu[MOST * MOST], x[MOST];
  int pivot[MOST];
  memcpy(lu, a, (size_t)(n * n) * sizeof *lu);
  if (!ritti_lu_factor(n, lu, pivot, NULL)) return false;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) x[i] = i == j;
    ritti_lu_solve(n, lu, pivot, x);
    for (int i = 0; i < n; i++) out[i * n + j] = x[i];
  }
  return true;
}

/* The inverse as T Lambda T^-1. */
static bool decompose_inverse(ritti_collocation *C) {
  int n = C->s;
  ritt_real p[MOST];
  number x[MOST], v[MOST];
  ritti_characteristic(n, C->inverse, p);
  find_zeros(n, p, x);
  for (int pass = 0, at = 0; pass < 2; pass++)
    for (int k = 0; k < n; k++) {
      bool real = RITTI_MATH(fabs)(x[k].im) <= (ritt_real)1e-6 * RITTI_MATH(sqrt)(square(x[k]));
      if (real ? pass == 1 : pass == 0 || x[k].im < 0) continue;
      if (real) x[k].im = 0;
      if (!null_vector(n, C->inverse, x[k], v)) return false;
      C->gamma[at] = x[k].re;
      for (int i = 0; i < n; i++) C->T[i * n + at] = v[i].re;
      C->reals += real, C->pairs += !real;
      at++;
      if (real) continue;
      if (at == n) return false;
      C->gamma[at] = x[k].im;
      for (int i = 0; i < n; i++) C->T[i * n + at] = v[i].im;
      at++;
    }
  return C->reals + 2 * C->pairs == n && invert_matrix(n, C->T, C->T_inverse);
}

/* ---- polynomials ---- */

/* The Lagrange polynomial j of n nodes, by powers. */
static void fill_lagrange(int n, const ritt_real *at, int j, ritt_real *power) {
  for (int q = 0; q < n; q++) power[q] = q == 0;
  for (int k = 0, degree = 0; k < n; k++) {
    if (k == j) continue;
    ritt_real d = at[j] - at[k];
    degree++;
    for (int q = degree; q >= 0; q--)
      power[q] = ((q ? power[q - 1] : 0) - at[k] * (q < degree ? power[q] : 0)) / d;
  }
}

ritt_real ritti_integral_at(const ritti_integrals *P, int j, ritt_real u) {
  const ritt_real *power = P->power + j * P->nodes;
  ritt_real sum = 0;
  for (int q = P->nodes - 1; q >= 0; q--) sum = (sum + power[q]) * u;
  return sum;
}

static void integrate_polynomials(ritti_integrals *P) {
  for (int j = 0; j < P->nodes; j++) {
    ritt_real *power = P->power + j * P->nodes;
    fill_lagrange(P->nodes, P->at, j, power);
    for (int q = 0; q < P->nodes; q++) power[q] /= (ritt_real)(q + 1);
    P->end[j] = ritti_integral_at(P, j, 1);
  }
}

ritt_real ritti_lagrange_at(const ritti_integrals *P, int j, ritt_real u) {
  const ritt_real *power = P->power + j * P->nodes;
  ritt_real sum = 0;
  for (int q = P->nodes - 1; q >= 0; q--) sum = sum * u + (ritt_real)(q + 1) * power[q];
  return sum;
}

/* What the defect of the collocation polynomial is nearly a multiple of, and its integral. */
static void make_correction(ritti_collocation *C) {
  C->defect[0] = 1;
  for (int i = 0; i < C->s; i++)
    for (int q = i + 1; q >= 0; q--) C->defect[q] -= q ? C->defect[q - 1] / C->c[i] : 0;
  for (int q = 0; q <= C->s; q++) C->correction[q + 1] = C->defect[q] / (ritt_real)(q + 1);
}

bool ritti_collocation_make(const ritti_tableau *t, ritti_collocation *C) {
  *C = (ritti_collocation){.first = true, .stiffly = true};
  if (t->stages > MOST) return false;
  for (int j = 0; j < t->stages; j++) {
    C->first = C->first && t->a[j] == 0;
    C->stiffly = C->stiffly && t->a[(t->stages - 1) * t->stages + j] == t->b[j];
  }
  int skip = C->first;
  C->s = t->stages - skip;
  if (C->s == 0) return false;
  C->b0 = skip ? t->b[0] : 0;
  for (int i = 0; i < C->s; i++) {
    const ritt_real *row = t->a + (i + skip) * t->stages;
    C->c[i] = t->c[i + skip];
    C->b[i] = t->b[i + skip];
    C->a0[i] = skip ? row[0] : 0;
    for (int j = 0; j < C->s; j++) C->a[i * C->s + j] = row[j + skip];
  }
  if (!invert_matrix(C->s, C->a, C->inverse) || !decompose_inverse(C)) return false;
  C->gamma0 = C->reals ? C->gamma[0]
                       : RITTI_MATH(sqrt)(C->gamma[0] * C->gamma[0] + C->gamma[1] * C->gamma[1]);

  /* The dense output is the collocation polynomial, corrected unless the start is a stage. That of
   * one stage in the middle is Hermite's. */
  for (int i = 0; i < C->s; i++) {
    ritt_real power[MOST];
    fill_lagrange(C->s, C->c, i, power);
    C->at0[i] = power[0];
    C->at1[i] = 0;
    for (int q = 0; q < C->s; q++) C->at1[i] += power[q];
  }
  if (C->first) C->own.at[C->own.nodes++] = 0;
  for (int i = 0; i < C->s; i++) C->own.at[C->own.nodes++] = C->c[i];
  integrate_polynomials(&C->own);
  C->corrected = !C->first && (C->stiffly || C->s > 1);
  if (C->corrected) make_correction(C);
  if (C->corrected || C->stiffly) C->dense = C->own;

  return true;
}
