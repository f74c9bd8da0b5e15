/* The null vector of (A | b) by a bordered matrix, for systems that are large.
 *
 *     [ A  b ] v     [ 0 ]
 *     [ r^T  ]    =  [ 1 ]
 *
 * is regular where (A | b) has full rank and r is not orthogonal to its null vector, also where A
 * is singular; r is the null vector of the point before, in the beginning that of dx = 1 (Keller,
 * Numerical solution of bifurcation and nonlinear eigenvalue problems, 1977). The dense row and
 * column come last in the order of elimination, so the factors are those of A with one more row and
 * column. Rows are scaled to powers of two near length 1.
 */
#include "geometry/direction_impl.h"

typedef struct ritti_border {
  ritti_pattern pattern; /* n + 1 square; b is the last column */
  ritti_linear linear;
  ritt_real *value, *r; /* nonzeros; n + 1, in the order (v, dx) */
  int *exponent;        /* n: log2 of the factors by which rows were scaled down */
} ritti_border;

ritt_status ritti_border_init(ritti_direction *D, ritti_algebra algebra, ritti_arena *arena) {
  const ritti_pattern *A = &D->problem->A;
  int n = A->rows, *start, *col, count = 0;
  ritti_border *B;
  RITTI_NEW(B, arena, 1);
  RITTI_NEW(start, arena, n + 2);
  RITTI_NEW(col, arena, A->start[n] + 2 * n + 2);
  for (int i = 0; i < n; i++) {
    for (int e = A->start[i]; e < A->start[i + 1]; e++) col[count++] = A->col[e];
    col[count++] = n;
    start[i + 1] = count;
  }
  for (int j = 0; j <= n; j++) col[count++] = j;
  start[n + 1] = count;
  B->pattern = (ritti_pattern){.rows = n + 1, .cols = n + 1, .start = start, .col = col};
  RITTI_NEW(B->value, arena, count + 1);
  RITTI_NEW_ARRAYS(arena, n + 1, B->r, B->exponent, D->null_vector);
  B->r[n] = 1;
  D->border = B;
  return ritti_linear_init(&B->linear, RITTI_GENERAL, &B->pattern, 0, algebra, arena);
}

/* (A | b) with scaled rows */
static bool fill_border(const ritti_direction *D, ritti_border *B) {
  const ritti_pattern *A = &D->problem->A;
  int n = A->rows;
  for (int i = 0; i < n; i++) {
    ritt_real *row = B->value + B->pattern.start[i];
    int length = A->start[i + 1] - A->start[i];
    memcpy(row, D->A + A->start[i], (size_t)length * sizeof *row);
    row[length] = D->b[i];
    ritt_real size = ritti_norm(length + 1, row);
    if (!(size > 0 && size < INFINITY)) return false;
    int exponent = B->exponent[i] = RITTI_MATH(ilogb)(size);
    for (int k = 0; k <= length; k++) row[k] = RITTI_MATH(ldexp)(row[k], -exponent);
  }
  return true;
}

/* The null vector with a given r, in the order (v, dx), to D->null_vector. */
static bool solve_border(ritti_direction *D, ritti_border *B) {
  int n = D->problem->tops;
  ritt_real *v = D->null_vector;
  memcpy(B->value + B->pattern.start[n], B->r, (size_t)(n + 1) * sizeof *B->r);
  if (!ritti_linear_factor(&B->linear, B->value, NULL)) return false;
  /* more than one null vector, to rounding: rows have length about 1 */
  if (!(ritti_linear_inverse_norm(&B->linear) < (ritt_real)1e13)) return false;
  for (int j = 0; j <= n; j++) v[j] = j == n;
  ritti_linear_solve(&B->linear, v);
  ritt_real length = ritti_norm(n + 1, v);
  for (int j = 0; j <= n; j++) v[j] /= length;
  return isfinite(length);
}

bool ritti_border_find(ritti_direction *D) {
  ritti_border *B = D->border;
  int n = D->problem->tops;
  ritt_real *v = D->null_vector;
  bool found = false;
  D->sigma[0] = D->sigma[1] = D->sigma[2] = NAN;
  if (!fill_border(D, B)) return false;
  /* r may be orthogonal to what is sought: then dx = 1, then something that is orthogonal to
   * nothing in particular */
  for (int try = 0; try < 3 && !found; try++) {
    for (int j = 0; j <= n && try == 1; j++) B->r[j] = j == n;
    for (int j = 0; j <= n && try == 2; j++)
      B->r[j] = RITTI_MATH(sin)((ritt_real)(j + 1)) + (ritt_real)0.3;
    found = solve_border(D, B);
  }
  if (!found) return false;
  /* det A dx/ds has the sign of this determinant: r v > 0 */
  D->sign = B->linear.sign;
  memcpy(B->r, v, (size_t)(n + 1) * sizeof *v);
  memcpy(v + 1, B->r, (size_t)n * sizeof *v);
  v[0] = B->r[n];
  return true;
}

void ritti_border_state(ritti_direction *D, ritti_state *state) {
  ritti_state_reals(state, "border.r", D->border->r, (size_t)D->problem->tops + 1);
  ritti_linear_state(&D->border->linear, false, state);
}

void ritti_border_aim(const ritti_direction *D, const ritt_real *V) {
  const ritti_problem *p = D->problem;
  ritt_real *r = D->border->r;
  for (int j = 0; j < p->tops; j++) r[j] = 0;
  for (int i = 1; i < p->m; i++)
    if (p->next[i] < 0) r[-1 - p->next[i]] = V[i];
  r[p->tops] = V[0];
}

void ritti_border_solve(const ritti_direction *D, ritt_real *x) {
  ritti_border *B = D->border;
  int n = D->problem->tops;
  for (int i = 0; i < n; i++) x[i] = RITTI_MATH(ldexp)(x[i], -B->exponent[i]);
  x[n] = 0;
  ritti_linear_solve(&B->linear, x);
  ritt_real dx = x[n];
  memmove(x + 1, x, (size_t)n * sizeof *x);
  x[0] = dx;
}
