/* ritti_linear: one face for dense, band and sparse factorisations.
 *
 * In: a pattern. Out: the algebra chosen for it (linear_choose.c), where each value of the matrix
 * goes, and from then on factorisations and solves.
 */
#include "linalg/linear_impl.h"

/* Prepares the factorisation of a matrix type. Small matrices are dense; for others the cheapest
   of dense, band and sparse is found once, here. */
static ritt_status init_scheme(ritti_linear *L, ritti_matrix matrix, const ritti_pattern *pattern,
                               const unsigned char *keep, int positive, ritti_algebra algebra,
                               ritti_arena *arena) {
  ritti_scheme *s;
  *L = (ritti_linear){.matrix = matrix, .n = pattern->rows};
  RITTI_NEW(s, arena, 1);
  L->scheme = s;
  s->pattern = *pattern;
  s->keep = keep;
  s->positive = matrix == RITTI_SYMMETRIC ? positive : pattern->rows;
  RITTI_NEW_ARRAYS(arena, L->n + 1, s->y, s->z, s->signs);
  /* a Gram matrix is often a narrow band, and nothing asks for its dense factors */
  int most = matrix == RITTI_GRAM ? RITTI_FEW_GRAM : RITTI_SMALL;
  bool small = L->n == 0 || (algebra == RITTI_ALGEBRA_AUTO && L->n <= most);
  if (small || algebra == RITTI_ALGEBRA_DENSE) return ritti_linear_set_dense(L, s, arena);
  // where there is no memory but the arena's, that one
  ritti_arena *own = ritti_arena_beside(arena);
  ritt_status status = ritti_linear_choose(L, algebra, arena, own ? own : arena);
  ritti_arena_free(own);
  return status;
}

/* Prepares a factorisation; `positive` is the number of positive pivots of a symmetric matrix. */
ritt_status ritti_linear_init(ritti_linear *L, ritti_matrix matrix, const ritti_pattern *pattern,
                              int positive, ritti_algebra algebra, ritti_arena *arena) {
  return init_scheme(L, matrix, pattern, NULL, positive, algebra, arena);
}

/* Prepares the factorisation of A diag(d) A^T; columns without `keep` are left out. */
ritt_status ritti_linear_init_gram(ritti_linear *L, const ritti_pattern *pattern,
                                   const unsigned char *keep, ritti_algebra algebra,
                                   ritti_arena *arena) {
  return init_scheme(L, RITTI_GRAM, pattern, keep, 0, algebra, arena);
}

/* ---- factoring and solving ---- */

/* E has positive pivots, the rest negative ones */
static int sign_of_signs(const ritti_linear *L) {
  return (L->n - L->scheme->positive) % 2 ? -1 : 1;
}

/* Factors with dense factors; d weights a Gram matrix. */
static bool factor_dense(ritti_linear *L, const ritt_real *a, const ritt_real *d) {
  ritti_scheme *s = L->scheme;
  if (L->matrix == RITTI_GRAM) {
    ritti_csr_gram(&s->pattern, a, d, s->spread_row, s->value);
    return ritti_cholesky_factor(L->n, s->value);
  }
  ritti_csr_to_dense(&s->pattern, a, s->value);
  if (L->matrix == RITTI_SYMMETRIC) return ritti_ldlt_factor(L->n, s->positive, s->value);
  return ritti_lu_factor(L->n, s->value, s->pivot, NULL);
}

/* false: an entry is not finite */
static bool fill_entries(ritti_linear *L, const ritt_real *a, const ritt_real *d) {
  ritti_scheme *s = L->scheme;
  int count = ritti_entries_of(&s->pattern), first = s->pattern.start[0];
  ritt_real zero = 0;
  for (int e = first; e < first + count; e++) zero += 0 * a[e];
  if (!(zero == 0)) return false; /* an entry is not finite */
  if (L->algebra == RITTI_ALGEBRA_BAND || L->matrix != RITTI_GRAM)
    for (size_t i = 0; i < s->values; i++) s->value[i] = 0;
  if (L->matrix == RITTI_GRAM) ritti_gram_fill(s, a, d);
  else
    for (int e = 0; e < count; e++)
      if (s->slot[e] >= 0) s->value[s->slot[e]] += a[first + e];
  return true;
}

/* Factors the entries that fill_entries has put into the band. */
static bool factor_band(ritti_linear *L) {
  ritti_scheme *s = L->scheme;
  ritt_real noise = L->matrix == RITTI_GRAM ? RITTI_GRAM_NOISE : RITTI_SYMMETRIC_NOISE;
  if (L->matrix != RITTI_GENERAL)
    return ritti_band_ldlt_factor(L->n, s->lower, s->value, s->sign, noise);
  return ritti_band_lu_factor(L->n, s->lower, s->upper, s->value, s->pivot);
}

/* Factors the entries that fill_entries has put into the sparse matrix. */
static bool factor_sparse(ritti_linear *L) {
  ritti_scheme *s = L->scheme;
  if (L->matrix != RITTI_GENERAL) return ritti_ldlt_numeric(&s->ldlt);
  bool good = ritti_klu_factor(s->klu, s->value, &L->sign);
  if (good && L->full != ritti_klu_full(s->klu)) ritti_klu_costs(s->klu, &L->fill, &L->operations);
  L->full = ritti_klu_full(s->klu);
  return good;
}

/* Factors the matrix with entries a (a Gram matrix with weights d), and sets L->sign to the sign
   of its determinant, 0 if the factorisation fails. */
bool ritti_linear_factor(ritti_linear *L, const ritt_real *a, const ritt_real *d) {
  bool good;
  L->sign = 0;
  L->factorisations++;
  if (L->algebra == RITTI_ALGEBRA_DENSE) good = factor_dense(L, a, d);
  else if (L->scheme->narrow) good = ritti_narrow_factor(L->scheme->narrow, a, d);
  else if (L->scheme->schur) good = ritti_schur_factor(L, a);
  else
    good = fill_entries(L, a, d) &&
           (L->algebra == RITTI_ALGEBRA_BAND ? factor_band(L) : factor_sparse(L));
  if (!good) L->sign = 0;
  else if (L->matrix != RITTI_GENERAL) L->sign = sign_of_signs(L);
  /* a general matrix: the signs of the pivots and of the row exchanges */
  else if (L->algebra != RITTI_ALGEBRA_SPARSE) {
    const ritti_scheme *s = L->scheme;
    bool band = L->algebra == RITTI_ALGEBRA_BAND;
    size_t width = band ? (size_t)(2 * s->lower + s->upper + 1) : (size_t)L->n;
    int sign = 1;
    for (int i = 0; i < L->n; i++) {
      ritt_real pivot = s->value[(size_t)i * width + (size_t)(band ? s->lower : i)];
      if ((pivot < 0) != (s->pivot[i] != i)) sign = -sign;
    }
    L->sign = sign;
  }
  return good;
}

/* Factors and solves in one pass where the scheme has one, which saves reading the factors
   again. */
bool ritti_linear_factor_solve(ritti_linear *L, const ritt_real *a, const ritt_real *d,
                               ritt_real *x) {
  ritti_scheme *s = L->scheme;
  if (!s->narrow && !s->schur) {
    if (!ritti_linear_factor(L, a, d)) return false;
    ritti_linear_solve(L, x);
    return true;
  }
  L->factorisations++;
  bool good =
      s->narrow ? ritti_narrow_factor_solve(s->narrow, a, d, x) : ritti_schur_factor_solve(L, a, x);
  L->sign = good ? sign_of_signs(L) : 0;
  L->solves += good;
  return good;
}

/* The twisted band factorisation in use, or NULL. */
ritti_narrow *ritti_linear_narrow(const ritti_linear *L) {
  const ritti_scheme *s = L->scheme;
  return !s ? NULL : s->schur ? s->schur->gram.scheme->narrow : s->narrow;
}

/* Gives the twisted band factorisation its native code, which `find` looks up by key. */
void ritti_linear_take_forms(ritti_linear *L, ritti_form *(*find)(const void *from, uint64_t key),
                             const void *from) {
  if (ritti_linear_narrow(L)) ritti_narrow_take_forms(ritti_linear_narrow(L), find, from);
  L->formed = true;
}

/* True if the weights d of a twisted band are all 1, so that they need not be multiplied. */
bool ritti_linear_is_plain(const ritti_linear *L, const ritt_real *d) {
  return L->scheme->narrow && ritti_narrow_is_plain(L->scheme->narrow, d);
}

/* Solves with band or sparse symmetric factors, whose rows are in another order. */
static void solve_ordered(ritti_linear *L, ritt_real *x, bool transposed) {
  const ritti_scheme *s = L->scheme;
  ritt_real *y = s->x;
  int n = L->n, lower = s->lower, upper = s->upper;
  for (int k = 0; k < n; k++) y[k] = x[s->order[k]];
  if (L->algebra == RITTI_ALGEBRA_SPARSE) ritti_ldlt_backsolve(&s->ldlt, y);
  else if (L->matrix != RITTI_GENERAL) ritti_band_ldlt_solve(n, lower, s->value, y);
  else if (transposed) ritti_band_lu_solve_transposed(n, lower, upper, s->value, s->pivot, y);
  else ritti_band_lu_solve(n, lower, upper, s->value, s->pivot, y);
  for (int k = 0; k < n; k++) x[s->order[k]] = y[k];
}

/* Solves with any factors; x holds the right side on entry. */
static void solve_factored(void *context, ritt_real *x, bool transposed) {
  ritti_linear *L = context;
  L->solves++;
  if (L->algebra == RITTI_ALGEBRA_DENSE) {
    const ritti_scheme *s = L->scheme;
    if (L->matrix == RITTI_GRAM) ritti_cholesky_solve(L->n, s->value, x);
    else if (L->matrix == RITTI_SYMMETRIC) ritti_ldlt_solve(L->n, s->value, x);
    else if (transposed) ritti_lu_solve_transposed(L->n, s->value, s->pivot, x);
    else ritti_lu_solve(L->n, s->value, s->pivot, x);
  } else if (L->scheme->narrow) ritti_narrow_solve(L->scheme->narrow, x);
  else if (L->scheme->schur) ritti_schur_solve(L, x);
  else if (L->scheme->order) solve_ordered(L, x, transposed);
  else {
    ritti_klu_solve(L->scheme->klu, x, transposed);
    L->full = ritti_klu_full(L->scheme->klu);
  }
}

void ritti_linear_solve(ritti_linear *L, ritt_real *x) { solve_factored(L, x, false); }
void ritti_linear_solve_transposed(ritti_linear *L, ritt_real *x) { solve_factored(L, x, true); }

/* Drops numeric factors that KLU would refactor with old pivots. */
void ritti_linear_forget(ritti_linear *L) {
  if (L->scheme && L->scheme->klu) ritti_klu_forget(L->scheme->klu);
}

/* Saves or loads counters, and with `factors` the factors, so that a resumed run has the same
   bits. */
void ritti_linear_state(ritti_linear *L, bool factors, ritti_state *state) {
  ritti_scheme *s = L->scheme;
  bool klu = L->n && L->algebra == RITTI_ALGEBRA_SPARSE && L->matrix == RITTI_GENERAL;
  if (!s) return;
  ritti_state_long(state, "linear.factorisations", &L->factorisations);
  ritti_state_long(state, "linear.solves", &L->solves);
  ritti_state_long(state, "linear.full", &L->full);
  ritti_state_item(state, "linear.fill", &L->fill, sizeof L->fill);
  ritti_state_item(state, "linear.operations", &L->operations, sizeof L->operations);
  if (s->schur) {
    ritti_schur_state(L, factors, state);
    return;
  }
  /* the factors of dense, band and sparse symmetric matrices */
  if (factors) {
    size_t n = (size_t)L->n, values = L->algebra == RITTI_ALGEBRA_DENSE ? n * n : s->values;
    /* a factorisation that failed leaves no pivots */
    if (state->mode == RITTI_STATE_SAVE && L->sign == 0 && s->pivot)
      memset(s->pivot, 0, n * sizeof *s->pivot);
    ritti_state_ints(state, "linear.sign", &L->sign, 1, -1, 1);
    ritti_state_reals(state, "linear.value", s->value, values);
    ritti_state_ints(state, "linear.pivot", s->pivot, n, 0, L->n - 1);
    if (s->ldlt.l) {
      ritti_state_reals(state, "linear.l", s->ldlt.l, (size_t)s->ldlt.col_start[L->n]);
      ritti_state_reals(state, "linear.d", s->ldlt.d, n);
    }
  }
  if (klu) ritti_klu_state(s->klu, s->value, factors, state);
}

/* Estimates the 1-norm of the inverse of the factored matrix. */
ritt_real ritti_linear_inverse_norm(ritti_linear *L) {
  const ritti_scheme *s = L->scheme;
  if (L->n == 0) return 0;
  return ritti_inverse_norm(L->n, solve_factored, L, s->y, s->z, s->signs);
}

/* The dense factors, or NULL if the scheme has others. */
ritt_real *ritti_linear_dense(const ritti_linear *linear) {
  return linear->algebra == RITTI_ALGEBRA_DENSE ? linear->scheme->value : NULL;
}

/* Counts factorisations and solutions that native code has done. */
void ritti_linear_taken(ritti_linear *L, long count) {
  L->factorisations += count, L->solves += count;
  L->sign = sign_of_signs(L);
}

/* log2 of the product of the dense pivots; NaN for other schemes. */
ritt_real ritti_linear_log2(const ritti_linear *linear) {
  if (linear->algebra != RITTI_ALGEBRA_DENSE) return NAN;
  return ritti_log2_product(linear->n, linear->scheme->value, linear->n + 1);
}
