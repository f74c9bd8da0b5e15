/* AMD and KLU behind plain names: the only file that knows them, and that needs ritt_real to be
 * double.
 *
 * KLU factors columns; rows of A are columns of A^T, so A^T is factored and each solve is of the
 * other kind. A refactorisation keeps the pivots of the last full one; where they have become bad
 * (a pivot of 0, or entries that grow far more than at the full one) they are looked for again.
 * Every solution is checked by its backward error, refined where that is not small, and where
 * refinement does not help found again with new pivots. Davis and Palamadai Natarajan, Algorithm
 * 907: KLU (ACM TOMS 37, 2010).
 */
#include <amd.h>
#include <klu.h>
#include "linalg/sparse_impl.h"

/* A fill-reducing order of a symmetric matrix; false if AMD fails. */
bool ritti_amd(int n, const int *start, const int *to, int *order) {
  int result = amd_order(n, start, to, order, NULL, NULL);
  return result == AMD_OK || result == AMD_OK_BUT_JUMBLED;
}

struct ritti_klu {
  int n, *start, *col;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric; /* NULL: none yet, or none could be had */
  double growth;        /* of the last full factorisation: reciprocal, 1 = none */
  int parity;           /* of its exchanges of rows and columns */
  bool again;           /* the last factorisation kept the pivots */
  double *a;            /* the matrix factored last */
  double *chosen;       /* that of the last full factorisation, for which the pivots were chosen */
  double *b, *r, *size; /* n: right side, residual, size of its terms */
  long full;            /* full factorisations */
  unsigned char *mark;
};

/* a refactorisation may be this much worse than the full one */
static const double WORSE = 1e-3;
/* backward errors: what needs no refinement, what is refused */
static const double GOOD = 16 * RITTI_EPS, BAD = 1e-13;

/* Frees what KLU has allocated; called when the arena ends. */
static void release_klu(void *data) {
  ritti_klu *K = data;
  if (K->numeric) klu_free_numeric(&K->numeric, &K->common);
  if (K->symbolic) klu_free_symbolic(&K->symbolic, &K->common);
}

/* Analyses a sparse matrix, which KLU reads as its transpose since it stores columns. */
ritt_status ritti_klu_new(int n, int *start, int *col, ritti_arena *arena, ritti_klu **out) {
  ritti_klu *K;
  *out = NULL;
  RITTI_NEW(K, arena, 1);
  RITTI_NEW_ARRAYS(arena, n + 1, K->mark, K->b, K->r, K->size);
  RITTI_NEW(K->chosen, arena, start[n] + 1);
  K->n = n, K->start = start, K->col = col;
  klu_defaults(&K->common);
  K->common.scale = 2;
  K->common.tol = 0.1;
  RITT_TRY(ritti_arena_at_end(arena, release_klu, K));
  K->symbolic = klu_analyze(n, start, col, &K->common);
  if (!K->symbolic) return RITT_NO_MEMORY;
  *out = K;
  return RITT_OK;
}

/* 1 or -1: even or odd */
static int sign_of(int n, const int *permutation, unsigned char *mark) {
  int sign = 1;
  memset(mark, 0, (size_t)n);
  for (int i = 0; i < n; i++) {
    if (mark[i]) continue;
    int length = 0;
    for (int j = i; !mark[j]; j = permutation[j]) mark[j] = 1, length++;
    if (length % 2 == 0) sign = -sign;
  }
  return sign;
}

/* Are the pivots finite and not 0? Their sign, too, without that of the exchanges. */
static bool judge_pivots(const ritti_klu *K, int *sign) {
  const double *u = K->numeric->Udiag;
  *sign = 1;
  for (int k = 0; k < K->n; k++) {
    if (!isfinite(u[k]) || u[k] == 0) return false;
    if (u[k] < 0) *sign = -*sign;
  }
  return true;
}

/* KLU's reciprocal pivot growth; small values mean that the pivots are bad. */
static double growth_of(ritti_klu *K, double *a) {
  if (!klu_rgrowth(K->start, K->col, a, K->symbolic, K->numeric, &K->common)) return 0;
  return K->common.rgrowth;
}

/* Factors with new pivots. Keeps the entries, so that a resumed run can choose the same pivots. */
static bool factor_full(ritti_klu *K, double *a, int *sign) {
  K->full++;
  memcpy(K->chosen, a, (size_t)K->start[K->n] * sizeof *a);
  if (K->numeric) klu_free_numeric(&K->numeric, &K->common);
  K->numeric = klu_factor(K->start, K->col, a, K->symbolic, &K->common);
  if (!K->numeric || K->common.status != KLU_OK || !judge_pivots(K, sign)) return false;
  K->growth = growth_of(K, a);
  K->parity = sign_of(K->n, K->numeric->Pnum, K->mark) * sign_of(K->n, K->symbolic->Q, K->mark);
  return true;
}

/* Factors, with the pivots of the last time if these are still good; *sign is that of the
   determinant, 0 if it fails. */
bool ritti_klu_factor(ritti_klu *K, ritt_real *a, int *sign) {
  *sign = 0;
  int rank = K->symbolic->structural_rank, pivots;
  if (rank >= 0 && rank < K->n) return false;
  K->a = a;

  /* With the pivots of the last time; false: they are not good any more. */

  K->again = K->numeric && klu_refactor(K->start, K->col, a, K->symbolic, K->numeric, &K->common) &&
             K->common.status == KLU_OK && judge_pivots(K, &pivots) &&
             growth_of(K, a) >= WORSE * K->growth;

  if (!K->again && !factor_full(K, a, &pivots)) return false;
  *sign = pivots * K->parity;
  return true;
}

/* Solves once; KLU has the transpose, so the names are exchanged. */
static void solve_once(ritti_klu *K, double *x, bool transposed) {
  if (transposed) klu_solve(K->symbolic, K->numeric, K->n, 1, x, &K->common);
  else klu_tsolve(K->symbolic, K->numeric, K->n, 1, x, &K->common);
}

/* r = b - A x, or b - A^T x; returns the largest |r_i| over the size of its terms (Oettli and
 * Prager 1964). */
static double backward_error(ritti_klu *K, const double *x, bool transposed) {
  double worst = 0;
  for (int i = 0; i < K->n; i++) K->r[i] = K->b[i], K->size[i] = fabs(K->b[i]);
  for (int i = 0; i < K->n; i++)
    for (int e = K->start[i]; e < K->start[i + 1]; e++) {
      int to = transposed ? K->col[e] : i, from = transposed ? i : K->col[e];
      double term = K->a[e] * x[from];
      K->r[to] -= term;
      K->size[to] += fabs(term);
    }
  for (int i = 0; i < K->n; i++)
    if (!(fabs(K->r[i]) <= worst * K->size[i])) worst = fabs(K->r[i]) / K->size[i];
  return worst;
}

/* Solves and refines; returns the backward error. */
static double solve_well(ritti_klu *K, double *x, bool transposed) {
  enum { MOST = 3 };
  memcpy(x, K->b, (size_t)K->n * sizeof *x);
  solve_once(K, x, transposed);
  double error = backward_error(K, x, transposed);
  for (int k = 0; k < MOST && !(error <= GOOD); k++) {
    solve_once(K, K->r, transposed);
    for (int i = 0; i < K->n; i++) x[i] += K->r[i];
    double next = backward_error(K, x, transposed);
    bool slow = !(next < error / 4);
    error = next;
    if (slow) break;
  }
  return error;
}

/* Solves. If the residual is bad because of old pivots, factors with new ones and solves again; NaN
   if that fails. */
void ritti_klu_solve(ritti_klu *K, ritt_real *x, bool transposed) {
  int pivots;
  memcpy(K->b, x, (size_t)K->n * sizeof *x);
  if (solve_well(K, x, transposed) <= BAD || !K->again) return;
  K->again = false;
  if (factor_full(K, K->a, &pivots)) solve_well(K, x, transposed);
  else
    for (int i = 0; i < K->n; i++) x[i] = NAN;
}

long ritti_klu_full(const ritti_klu *K) { return K->full; }

/* Drops the numeric factors, so that the next factorisation chooses new pivots. */
void ritti_klu_forget(ritti_klu *K) {
  if (K->numeric) klu_free_numeric(&K->numeric, &K->common);
}

/* Saves or loads what decides about the next factorisation. */
void ritti_klu_state(ritti_klu *K, ritt_real *a, bool factors, ritti_state *state) {
  bool had = K->numeric != NULL;
  ritti_state_bool(state, "klu.numeric", &had);
  ritti_state_bool(state, "klu.again", &K->again);
  ritti_state_long(state, "klu.full", &K->full);
  ritti_state_item(state, "klu.growth", &K->growth, sizeof K->growth);
  ritti_state_ints(state, "klu.parity", &K->parity, 1, -1, 1);
  ritti_state_reals(state, "klu.chosen", K->chosen, (size_t)K->start[K->n]);
  if (state->mode != RITTI_STATE_LOAD || state->misfit) return;

  /* The pivots again. */
  if (K->numeric) klu_free_numeric(&K->numeric, &K->common);
  if (had) K->numeric = klu_factor(K->start, K->col, K->chosen, K->symbolic, &K->common);

  if (factors) K->a = a;
  if (factors && K->again && K->numeric)
    klu_refactor(K->start, K->col, a, K->symbolic, K->numeric, &K->common);
}

void ritti_klu_costs(const ritti_klu *K, double *fill, double *operations) {
  *fill = *operations = INFINITY; /* KLU cannot foresee them with every order */
  if (K->numeric) {
    klu_common common = K->common;
    klu_flops(K->symbolic, K->numeric, &common);
    *fill = (double)K->numeric->lnz + K->numeric->unz - K->n + K->numeric->nzoff;
    *operations = common.flops / 2;
  } else if (K->symbolic->lnz >= 0) {
    *fill = K->symbolic->lnz + K->symbolic->unz - K->n + K->symbolic->nzoff;
    *operations = K->symbolic->est_flops / 2;
  }
}

/* ---- complex matrices ---- */

struct ritti_complex_sparse {
  int n, count;
  int *start, *col; /* rows of the matrix without repeated entries */
  int *slot;        /* where an entry of the pattern goes */
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric; /* NULL: there is none */
  double growth;        /* of the last full factorisation: reciprocal, 1 = none */
  bool again;           /* the last factorisation kept the pivots */
  double *a;            /* 2 count: the matrix factored last, real and imaginary parts in turn */
  double *chosen;       /* 2 count: that of the last full factorisation */
  double *x;            /* 2 n: a right side */
};

static void release_complex(void *data) {
  ritti_complex_sparse *C = data;
  if (C->numeric) klu_z_free_numeric(&C->numeric, &C->common);
  if (C->symbolic) klu_free_symbolic(&C->symbolic, &C->common);
}

/* Entries of a row with the same column get the same slot. */
static void number_slots(ritti_complex_sparse *C, const ritti_pattern *pattern, int *seen) {
  for (int j = 0; j < C->n; j++) seen[j] = -1;
  for (int i = 0; i < C->n; i++) {
    for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++) {
      int j = pattern->col[e];
      if (seen[j] < C->start[i]) {
        seen[j] = C->count++;
        C->col[seen[j]] = j;
      }
      C->slot[e] = seen[j];
    }
    C->start[i + 1] = C->count;
  }
}

ritt_status ritti_complex_sparse_new(const ritti_pattern *pattern, ritti_arena *arena,
                                     ritti_complex_sparse **out) {
  ritti_complex_sparse *C;
  int n = pattern->rows, entries = pattern->start[n], *seen;
  *out = NULL;
  RITTI_NEW(C, arena, 1);
  RITTI_NEW_ARRAYS(arena, n + 1, C->start, seen);
  RITTI_NEW_ARRAYS(arena, entries + 1, C->col, C->slot);
  C->n = n;
  number_slots(C, pattern, seen);
  RITTI_NEW_ARRAYS(arena, 2 * C->count + 1, C->a, C->chosen);
  RITTI_NEW(C->x, arena, 2 * n + 1);
  klu_defaults(&C->common);
  C->common.scale = 2;
  C->common.tol = 0.1;
  RITT_TRY(ritti_arena_at_end(arena, release_complex, C));
  C->symbolic = klu_analyze(n, C->start, C->col, &C->common);
  if (!C->symbolic) return RITT_NO_MEMORY;
  *out = C;
  return RITT_OK;
}

static double complex_growth(ritti_complex_sparse *C) {
  if (!klu_z_rgrowth(C->start, C->col, C->a, C->symbolic, C->numeric, &C->common)) return 0;
  return C->common.rgrowth;
}

static bool factor_complex_full(ritti_complex_sparse *C) {
  memcpy(C->chosen, C->a, (size_t)(2 * C->count) * sizeof *C->a);
  if (C->numeric) klu_z_free_numeric(&C->numeric, &C->common);
  C->numeric = klu_z_factor(C->start, C->col, C->a, C->symbolic, &C->common);
  if (!C->numeric || C->common.status != KLU_OK) return false;
  C->growth = complex_growth(C);
  return C->growth > 0;
}

bool ritti_complex_sparse_factor(ritti_complex_sparse *C, const ritt_real *entry, int entries,
                                 const int *diagonal, int shifts, ritt_real alpha, ritt_real beta) {
  if (C->symbolic->structural_rank >= 0 && C->symbolic->structural_rank < C->n) return false;
  double zero = 0;
  memset(C->a, 0, (size_t)(2 * C->count) * sizeof *C->a);
  for (int e = 0; e < entries; e++) {
    C->a[2 * C->slot[e]] += entry[e];
    zero += 0 * entry[e];
  }
  if (!(zero == 0)) return false; /* an entry is not finite */
  for (int i = 0; i < shifts; i++) {
    C->a[2 * C->slot[diagonal[i]]] += alpha;
    C->a[2 * C->slot[diagonal[i]] + 1] += beta;
  }

  /* with the pivots of the last time, if they are still good */
  C->again = C->numeric &&
             klu_z_refactor(C->start, C->col, C->a, C->symbolic, C->numeric, &C->common) &&
             C->common.status == KLU_OK && complex_growth(C) >= WORSE * C->growth;
  return C->again || factor_complex_full(C);
}

void ritti_complex_sparse_solve(ritti_complex_sparse *C, ritt_real *re, ritt_real *im) {
  for (int i = 0; i < C->n; i++) C->x[2 * i] = re[i], C->x[2 * i + 1] = im[i];
  klu_z_tsolve(C->symbolic, C->numeric, C->n, 1, C->x, 0, &C->common);
  for (int i = 0; i < C->n; i++) re[i] = C->x[2 * i], im[i] = C->x[2 * i + 1];
}

void ritti_complex_sparse_forget(ritti_complex_sparse *C) {
  if (C->numeric) klu_z_free_numeric(&C->numeric, &C->common);
}

void ritti_complex_sparse_state(ritti_complex_sparse *C, ritti_state *state) {
  bool had = C->numeric != NULL;
  ritti_state_bool(state, "complex.numeric", &had);
  ritti_state_bool(state, "complex.again", &C->again);
  ritti_state_item(state, "complex.growth", &C->growth, sizeof C->growth);
  ritti_state_reals(state, "complex.chosen", C->chosen, (size_t)(2 * C->count));
  ritti_state_reals(state, "complex.a", C->a, (size_t)(2 * C->count));
  if (state->mode != RITTI_STATE_LOAD || state->misfit) return;

  /* The pivots again. */
  if (C->numeric) klu_z_free_numeric(&C->numeric, &C->common);
  if (had) C->numeric = klu_z_factor(C->start, C->col, C->chosen, C->symbolic, &C->common);
  if (C->again && C->numeric)
    klu_z_refactor(C->start, C->col, C->a, C->symbolic, C->numeric, &C->common);
}
