/* Eigenvalues and eigenvectors of a real matrix: it is balanced, brought to Hessenberg form by
 * reflections, and then, as a complex matrix, to triangular form by shifted QR steps. */
#include <complex.h>
#include <float.h>
#include "derive/derive.h"

typedef double complex number;

typedef struct work {
  int n;
  double *real, *basis; /* n x n: the matrix, and the reflections */
  double *scale;        /* n: of the balanced matrix */
  number *h, *q;        /* n x n: the matrix, and A = q h q^-1 */
} work;

/* Rows and columns get norms of the same size, by powers of two. */
static void balance_matrix(work *w) {
  int n = w->n;
  for (int i = 0; i < n; i++) w->scale[i] = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < n; i++) {
      double row = 0, column = 0, factor = 1;
      for (int j = 0; j < n; j++) {
        if (j == i) continue;
        row += fabs(w->real[i * n + j]);
        column += fabs(w->real[j * n + i]);
      }
      if (!(row > 0) || !(column > 0) || !isfinite(row + column)) continue;
      double sum = row + column, c = column;
      for (; c < row / 2; c *= 4) factor *= 2;
      for (; c >= row * 2; c /= 4) factor /= 2;
      if ((c + row) / factor >= 0.95 * sum || factor == 1) continue;
      changed = true;
      w->scale[i] *= factor;
      for (int j = 0; j < n; j++) w->real[i * n + j] /= factor;
      for (int j = 0; j < n; j++) w->real[j * n + i] *= factor;
    }
  }
}

/* Reflections from both sides make the matrix zero below its first subdiagonal. */
static void reduce_to_hessenberg(work *w, double *v) {
  int n = w->n;
  double *a = w->real, *q = w->basis;
  for (int i = 0; i < n * n; i++) q[i] = i % (n + 1) == 0;
  for (int k = 0; k + 2 < n; k++) {
    double square = 0, below = 0;
    for (int i = k + 1; i < n; i++) {
      v[i] = a[i * n + k];
      square += v[i] * v[i];
      if (i > k + 1) below += fabs(v[i]);
    }
    if (below == 0) continue;
    double norm = sqrt(square), sign = v[k + 1] < 0 ? -1 : 1;
    v[k + 1] += sign * norm;
    double beta = 1 / (norm * (norm + fabs(a[(k + 1) * n + k])));
    for (int j = 0; j < n; j++) {
      double dot = 0;
      for (int i = k + 1; i < n; i++) dot += v[i] * a[i * n + j];
      for (int i = k + 1; i < n; i++) a[i * n + j] -= beta * dot * v[i];
    }
    for (int i = 0; i < n; i++) {
      double dot = 0, turned = 0;
      for (int j = k + 1; j < n; j++) {
        dot += a[i * n + j] * v[j];
        turned += q[i * n + j] * v[j];
      }
      for (int j = k + 1; j < n; j++) {
        a[i * n + j] -= beta * dot * v[j];
        q[i * n + j] -= beta * turned * v[j];
      }
    }
    for (int i = k + 2; i < n; i++) a[i * n + k] = 0;
  }
  for (int i = 0; i < n * n; i++) {
    w->h[i] = a[i];
    w->q[i] = q[i];
  }
}

/* The eigenvalue of the last 2 x 2 block that is nearer to its last entry. */
static number choose_shift(const work *w, int last) {
  int n = w->n;
  const number *h = w->h;
  number a = h[(last - 1) * n + last - 1], b = h[(last - 1) * n + last];
  number c = h[last * n + last - 1], d = h[last * n + last];
  number half = (a - d) / 2, root = csqrt(half * half + b * c);
  number plus = d + half + root, minus = d + half - root;
  return cabs(plus - d) < cabs(minus - d) ? plus : minus;
}

/* One QR step with a shift on rows and columns first .. last. */
static void take_step(work *w, int first, int last, number shift, double *cosine, number *sine) {
  int n = w->n;
  number *h = w->h, *q = w->q;
  for (int i = first; i <= last; i++) h[i * n + i] -= shift;
  for (int i = first; i < last; i++) {
    number a = h[i * n + i], b = h[(i + 1) * n + i];
    double norm = hypot(cabs(a), cabs(b));
    number phase = cabs(a) > 0 ? a / cabs(a) : 1;
    cosine[i] = norm > 0 ? cabs(a) / norm : 1;
    sine[i] = norm > 0 ? phase * conj(b) / norm : 0;
    for (int j = i; j < n; j++) {
      number up = h[i * n + j], low = h[(i + 1) * n + j];
      h[i * n + j] = cosine[i] * up + sine[i] * low;
      h[(i + 1) * n + j] = cosine[i] * low - conj(sine[i]) * up;
    }
  }
  for (int j = first; j < last; j++) {
    int end = j + 2 < last + 1 ? j + 2 : last + 1;
    for (int i = 0; i < end; i++) {
      number left = h[i * n + j], right = h[i * n + j + 1];
      h[i * n + j] = cosine[j] * left + conj(sine[j]) * right;
      h[i * n + j + 1] = cosine[j] * right - sine[j] * left;
    }
    for (int i = 0; i < n; i++) {
      number left = q[i * n + j], right = q[i * n + j + 1];
      q[i * n + j] = cosine[j] * left + conj(sine[j]) * right;
      q[i * n + j + 1] = cosine[j] * right - sine[j] * left;
    }
  }
  for (int i = first; i <= last; i++) h[i * n + i] += shift;
}

/* Steps until the matrix is triangular. */
static ritt_status make_triangular(work *w, double *cosine, number *sine) {
  enum { MOST = 60 };
  int n = w->n, steps = 0;
  for (int last = n - 1; last > 0;) {
    int first = last;
    for (; first > 0; first--) {
      double size = cabs(w->h[first * n + first]) + cabs(w->h[(first - 1) * n + first - 1]);
      if (cabs(w->h[first * n + first - 1]) <= DBL_EPSILON * size) break;
      if (cabs(w->h[first * n + first - 1]) < DBL_MIN) break;
    }
    if (first > 0) w->h[first * n + first - 1] = 0;
    if (first == last) {
      last--;
      steps = 0;
      continue;
    }
    if (++steps > MOST) return RITT_STOPPED;
    number shift = choose_shift(w, last);
    if (steps % 10 == 0) shift = cabs(w->h[last * n + last - 1]) + w->h[last * n + last];
    take_step(w, first, last, shift, cosine, sine);
  }
  return RITT_OK;
}

/* The eigenvector of the triangular matrix that belongs to its k-th diagonal entry, brought back. */
static void find_vector(const work *w, int k, double norm, number *x, double *re, double *im) {
  int n = w->n;
  x[k] = 1;
  for (int i = k - 1; i >= 0; i--) {
    number sum = 0, gap = w->h[k * n + k] - w->h[i * n + i];
    for (int j = i + 1; j <= k; j++) sum += w->h[i * n + j] * x[j];
    if (cabs(gap) < DBL_EPSILON * norm) gap = DBL_EPSILON * norm;
    x[i] = sum / gap;
  }
  double square = 0, most = 0;
  number phase = 1;
  for (int i = 0; i < n; i++) {
    number sum = 0;
    for (int j = 0; j <= k; j++) sum += w->q[i * n + j] * x[j];
    sum *= w->scale[i];
    re[i * n + k] = creal(sum);
    im[i * n + k] = cimag(sum);
    square += creal(sum * conj(sum));
    if (cabs(sum) > most) {
      most = cabs(sum);
      phase = conj(sum) / most;
    }
  }
  for (int i = 0; i < n; i++) {
    number entry = (re[i * n + k] + I * im[i * n + k]) * phase / sqrt(square);
    re[i * n + k] = creal(entry);
    im[i * n + k] = cimag(entry);
  }
}

/* Eigenvalues of a real matrix are real or come in pairs: what rounding has changed is put right. */
static void pair_values(int n, double norm, double *re, double *im, bool *done) {
  for (int i = 0; i < n; i++) {
    int other = i;
    double least = INFINITY;
    if (done[i]) continue;
    for (int j = i; j < n; j++) {
      double gap = hypot(re[j] - re[i], im[j] + im[i]);
      if (done[j] || gap >= least) continue;
      least = gap;
      other = j;
    }
    done[i] = done[other] = true;
    if (other == i || fabs(im[i]) <= 4 * n * DBL_EPSILON * norm) {
      im[i] = 0;
      done[other] = other == i;
      continue;
    }
    re[i] = re[other] = (re[i] + re[other]) / 2;
    double half = (im[i] - im[other]) / 2;
    im[i] = half;
    im[other] = -half;
  }
}

/* Is eigenvalue a listed before b: the largest real part first, then the positive imaginary part. */
static bool comes_before(const double *re, const double *im, int a, int b) {
  if (re[a] != re[b]) return re[a] > re[b];
  if (fabs(im[a]) != fabs(im[b])) return fabs(im[a]) < fabs(im[b]);
  return im[a] > im[b];
}

static void swap_columns(int n, double *m, int a, int b) {
  for (int i = 0; i < n; i++) {
    double here = m[i * n + a];
    m[i * n + a] = m[i * n + b];
    m[i * n + b] = here;
  }
}

static void sort_values(int n, double *re, double *im, double *x, double *y) {
  for (int i = 0; i < n; i++) {
    int best = i;
    for (int j = i + 1; j < n; j++)
      if (comes_before(re, im, j, best)) best = j;
    if (best == i) continue;
    double r = re[i], m = im[i];
    re[i] = re[best];
    im[i] = im[best];
    re[best] = r;
    im[best] = m;
    swap_columns(n, x, i, best);
    swap_columns(n, y, i, best);
  }
}

ritt_status ritti_eigen(int n, const double *matrix, ritti_arena *arena, double *re, double *im,
                        double *vector_re, double *vector_im) {
  work w = {.n = n};
  double *cosine, norm = 0;
  number *sine;
  bool *done;
  if (n == 0) return RITT_OK;
  RITTI_NEW_ARRAYS(arena, n * n, w.real, w.basis, w.h, w.q);
  RITTI_NEW_ARRAYS(arena, n, w.scale, cosine, sine, done);
  memcpy(w.real, matrix, (size_t)n * (size_t)n * sizeof *matrix);
  balance_matrix(&w);
  for (int i = 0; i < n * n; i++) norm = hypot(norm, w.real[i]);
  if (!isfinite(norm)) return RITT_STOPPED;
  reduce_to_hessenberg(&w, cosine);
  RITT_TRY(make_triangular(&w, cosine, sine));
  for (int k = 0; k < n; k++) {
    re[k] = creal(w.h[k * n + k]);
    im[k] = cimag(w.h[k * n + k]);
    find_vector(&w, k, fmax(norm, DBL_MIN), sine, vector_re, vector_im);
  }
  pair_values(n, norm, re, im, done);
  sort_values(n, re, im, vector_re, vector_im);
  return RITT_OK;
}
