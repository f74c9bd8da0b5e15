/* [E G^T; G 0] with a diagonal E by its Schur complement G E^-1 G^T, where that is a narrow band.
 *
 * In: the entries of E and G. Out: factors of the complement, and solutions
 *
 *     u = E^-1 x_1, (G E^-1 G^T) mu = G u - x_2, x_1 = u - E^-1 G^T mu.
 */
#include "linalg/linear_impl.h"

/* The entries of a diagonal E; false: it is not, or the rows behind it are not those of G alone. */
static bool find_diagonal(const ritti_scheme *s, int *diagonal) {
  const ritti_pattern *p = &s->pattern;
  for (int i = 0; i < p->rows; i++) {
    int found = 0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      if (p->col[e] > i) continue;
      if (i >= s->positive && p->col[e] >= s->positive) return false;
      if (i < s->positive && p->col[e] != i) return false;
      if (i < s->positive) diagonal[i] = e, found++;
    }
    if (i < s->positive && found != 1) return false;
  }
  return true;
}

/* Where the Schur complement is a narrow band it is the whole matrix. */
ritt_status ritti_schur_set(ritti_linear *L, ritti_scheme *s, ritti_arena *arena,
                            ritti_arena *scratch) {
  struct schur *c;
  const ritti_pattern *p = &s->pattern;
  int *diagonal, rest = p->rows - s->positive;
  RITTI_NEW(diagonal, scratch, s->positive + 1);
  /* only for a diagonal E and more rows than a small Gram matrix has */
  if (rest <= RITTI_FEW_GRAM || !find_diagonal(s, diagonal)) return RITT_OK;
  ritti_pattern G = {
      .rows = rest, .cols = s->positive, .start = p->start + s->positive, .col = p->col};
  for (int e = G.start[0]; e < G.start[rest]; e++)
    if (p->col[e] >= s->positive) return RITT_OK; /* above the diagonal */
  /* the Gram matrix must be a narrow band */
  RITTI_NEW(c, arena, 1);
  c->G = G;
  RITT_TRY(ritti_linear_init(&c->gram, RITTI_GRAM, &c->G, 0, RITTI_ALGEBRA_AUTO, arena));
  if (!c->gram.scheme->narrow) return RITT_OK;
  ritti_narrow_noise(c->gram.scheme->narrow, RITTI_SYMMETRIC_NOISE * RITTI_EPS);
  RITT_TRY(ritti_columns_init(&c->columns, &c->G, arena));
  /* the diagonal, and the rows and columns of G for solving */
  RITTI_NEW(c->diagonal, arena, s->positive + 1);
  memcpy(c->diagonal, diagonal, (size_t)s->positive * sizeof *diagonal);
  RITTI_NEW_ARRAYS(arena, s->positive + 1, c->e, c->E);
  RITTI_NEW(c->kept, arena, G.start[rest] - G.start[0] + 1);
  RITT_TRY(ritti_rows_init(&c->rows, &c->G, arena));
  s->schur = c;
  L->algebra = RITTI_ALGEBRA_BAND;
  L->fill = c->gram.fill + s->positive + G.start[rest] - G.start[0];
  L->operations = c->gram.operations + s->positive;
  return RITT_OK;
}

/* E and 1/E; false: an entry is not positive */
static bool take_diagonal(ritti_linear *L, const ritt_real *a) {
  struct schur *c = L->scheme->schur;
  bool same = true, good = true;
  int n = L->scheme->positive;
  /* nothing to do if E is the one of the last factorisation */
  if (L->same && c->known) return true;
  for (int i = 0; i < n; i++) {
    same &= c->e[i] == a[c->diagonal[i]];
    c->e[i] = a[c->diagonal[i]];
  }
  if (same && c->known) return true;
  /* reciprocals; a unit matrix spares the multiplications */
  c->plain = true;
  for (int i = 0; i < n; i++) {
    good &= c->e[i] > 0 && c->e[i] < INFINITY;
    c->plain &= c->e[i] == 1;
    c->E[i] = 1 / c->e[i];
  }
  return c->known = good;
}

/* Factors the Schur complement G E^-1 G^T. Keeps a copy of G, since the caller's matrix may
   change before it is solved. */
bool ritti_schur_factor(ritti_linear *L, const ritt_real *a) {
  struct schur *c = L->scheme->schur;
  int first = c->G.start[0];
  if (!take_diagonal(L, a)) return false;
  memcpy(c->kept, a + first, (size_t)(c->G.start[c->G.rows] - first) * sizeof *c->kept);
  c->g = c->kept - first;
  return ritti_linear_factor(&c->gram, a, c->plain ? NULL : c->E);
}

enum { BLOCK = 256 };

/* u = E^-1 x_1, (G E^-1 G^T) mu = G u - x_2, x_1 = u - E^-1 G^T mu */
static void begin_schur(const ritti_linear *L, ritt_real *x) {
  const struct schur *c = L->scheme->schur;
  int positive = L->scheme->positive;
  ritt_real *mu = x + positive, sum[BLOCK];
  for (int i = 0; i < positive && !c->plain; i++) x[i] *= c->E[i];
  for (int i = 0, run = 0; i < c->G.rows; i += BLOCK) {
    int count = c->G.rows - i < BLOCK ? c->G.rows - i : BLOCK;
    ritti_columns_times(&c->rows, &run, i, count, c->g, x, sum);
    for (int j = 0; j < count; j++) mu[i + j] = sum[j] - mu[i + j];
  }
}

/* Finishes the solution: x - E^-1 G^T mu, in blocks that stay in the cache. */
static void end_schur(const ritti_linear *L, ritt_real *x) {
  const struct schur *c = L->scheme->schur;
  int positive = L->scheme->positive;
  const ritt_real *E = c->E, *mu = x + positive;
  ritt_real sum[BLOCK];
  for (int i = 0, run = 0; i < positive; i += BLOCK) {
    int count = positive - i < BLOCK ? positive - i : BLOCK;
    ritti_columns_times(&c->columns, &run, i, count, c->g, mu, sum);
    if (c->plain)
      for (int j = 0; j < count; j++) x[i + j] -= sum[j];
    else
      for (int j = 0; j < count; j++) x[i + j] -= E[i + j] * sum[j];
  }
}

/* Solves with the factors of ritti_schur_factor; x holds the right side on entry. */
void ritti_schur_solve(ritti_linear *L, ritt_real *x) {
  begin_schur(L, x);
  ritti_linear_solve(&L->scheme->schur->gram, x + L->scheme->positive);
  end_schur(L, x);
}

/* Factors and solves at once, without a copy of G; the matrix must not change meanwhile. */
bool ritti_schur_factor_solve(ritti_linear *L, const ritt_real *a, ritt_real *x) {
  struct schur *c = L->scheme->schur;
  if (!take_diagonal(L, a)) return false;
  c->g = a;
  begin_schur(L, x);
  if (!ritti_linear_factor_solve(&c->gram, a, c->plain ? NULL : c->E, x + L->scheme->positive))
    return false;
  end_schur(L, x);
  return true;
}

/* Saves or loads the state of the factorisation, with the factors if asked. */
void ritti_schur_state(ritti_linear *L, bool factors, ritti_state *state) {
  ritti_scheme *s = L->scheme;
  ritti_linear_state(&s->schur->gram, factors, state);
  if (factors) ritti_state_reals(state, "linear.E", s->schur->e, (size_t)s->positive);
  /* the caller's G goes into the copy, which the checkpoint holds */
  if (factors) {
    struct schur *c = s->schur;
    size_t first = (size_t)c->G.start[0], count = ritti_entries(&c->G) - first;
    if (c->g && c->g + first != c->kept) memcpy(c->kept, c->g + first, count * sizeof *c->kept);
    c->g = c->kept - first;
    ritti_state_reals(state, "linear.G", c->kept, count);
  }
  if (factors) ritti_state_ints(state, "linear.sign", &L->sign, 1, -1, 1);
  /* what follows from E is computed again */
  if (factors && state->mode == RITTI_STATE_LOAD) {
    s->schur->plain = s->schur->known = true;
    for (int i = 0; i < s->positive; i++) {
      s->schur->E[i] = 1 / s->schur->e[i];
      s->schur->plain &= s->schur->e[i] == 1;
    }
  }
}
