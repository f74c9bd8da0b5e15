/* Differentiation index and hidden constraints, by ranks of the derivative array at the start
 * point.
 *
 * z = the jets of each variable below its highest order in the equations (order 0 where it is never
 * differentiated). (Where some are not unique, z holds only those that are differentiated.) index:
 * fewest differentiations K of all equations after which z' is a function of z: every null vector
 * of the Jacobian of the array in the jets above z vanishes in z'. hidden constraints: dim { z
 * allowed by the equations as written } minus the degrees of freedom. Neither is needed to solve
 * anything; where a rank is not clear they stay unknown.
 */
#include "complete/oracle_impl.h"

enum { MOST_COLUMNS = 500 };
static const double SMALL = 1e-9, GAP = 1e3;

/* Rank of a dense matrix, -1: not clear. a is overwritten. */
ritt_status ritti_numeric_rank(ritti_arena *arena, int rows, int cols, double *a, int *rank) {
  double *r, *c, *sigma, *scratch;
  *rank = 0;
  if (rows == 0 || cols == 0) return RITT_OK;
  RITTI_NEW(r, arena, rows);
  RITTI_NEW(c, arena, cols);
  RITTI_NEW(sigma, arena, cols + rows);
  RITTI_NEW(scratch, arena, ritti_singular_values_scratch(rows, cols));
  ritti_equilibrate(rows, cols, a, r, c);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) a[i * cols + j] *= r[i] * c[j];
  if (!ritti_singular_values(rows, cols, a, sigma, NULL, scratch)) {
    *rank = -1;
    return RITT_OK;
  }
  int most = rows < cols ? rows : cols;
  while (*rank < most && sigma[*rank] > SMALL * sigma[0]) ++*rank;
  if (*rank > 0 && *rank < most && sigma[*rank] > 0 && sigma[*rank - 1] < GAP * sigma[*rank])
    *rank = -1;
  return RITT_OK;
}

/* The columns of a rows system whose jets satisfy lowest_j <= order <= highest_j, as a dense
 * matrix; *cols of them. */
static ritt_status dense_part(const ritti_completion *C, const ritti_rows_system *S,
                              const int *lowest, const int *highest, double **out, int *cols) {
  int *place;
  RITTI_NEW(place, C->arena, C->jets + 1);
  *cols = 0;
  for (int j = 0; j < C->n; j++)
    for (int k = 0; k <= C->d[j]; k++)
      place[C->first[j] + k] = k >= lowest[j] && k <= highest[j] ? (*cols)++ : -1;
  RITTI_NEW(*out, C->arena, (size_t)S->rows * (size_t)*cols + 1);
  for (int i = 0; i < S->rows; i++)
    for (int e = S->start[i]; e < S->start[i + 1]; e++)
      if (place[S->col[e]] >= 0) (*out)[i * *cols + place[S->col[e]]] = S->value[S->rows + e];
  return RITT_OK;
}

ritt_status ritti_part_rank(const ritti_completion *C, const ritti_rows_system *S,
                            const int *lowest, const int *highest, int *rank) {
  double *dense;
  int cols;
  RITT_TRY(dense_part(C, S, lowest, highest, &dense, &cols));
  return ritti_numeric_rank(C->arena, S->rows, cols, dense, rank);
}

typedef struct orders {
  int *q, *above, *next, *zero; /* q_j; first order above z; one more; 0 */
  bool *outside;                /* not in z */
  int z, size;                  /* variables in z, dimension of z */
} orders;

static ritt_status set_orders(const ritti_completion *C, orders *o) {
  bool any = false;
  RITTI_NEW(o->q, C->arena, C->n + 1);
  RITTI_NEW(o->above, C->arena, C->n + 1);
  RITTI_NEW(o->next, C->arena, C->n + 1);
  RITTI_NEW(o->zero, C->arena, C->n + 1);
  RITTI_NEW(o->outside, C->arena, C->n + 1);
  o->z = o->size = 0;
  for (int j = 0; j < C->n; j++) any = any || C->non_unique[j];
  for (int e = 0; e < C->sigma.start[C->model->equations]; e++)
    if (C->sigma.order[e] > o->q[C->sigma.var[e]]) o->q[C->sigma.var[e]] = C->sigma.order[e];
  for (int j = 0; j < C->n; j++) {
    o->outside[j] = any && o->q[j] == 0;
    o->above[j] = o->outside[j] ? 0 : o->q[j] > 1 ? o->q[j] : 1;
    o->next[j] = o->outside[j] ? 0 : o->above[j] + 1;
    o->z += !o->outside[j];
    o->size += o->above[j];
  }
  return RITT_OK;
}

/* Dimension of the z that the array of K differentiations allows; -1: not clear. */
static ritt_status allowed(const ritti_oracle *O, const orders *o, int K, int *dimension) {
  int all, above;
  RITT_TRY(ritti_oracle_rank(O, K, o->zero, &all));
  RITT_TRY(ritti_oracle_rank(O, K, o->above, &above));
  *dimension = all >= 0 && above >= 0 ? o->size - (all - above) : -1;
  return RITT_OK;
}

/* Fewest differentiations after which z' is a function of z; *index = RITT_UNKNOWN: not clear, or
 * none up to `most`. */
static ritt_status find_index(const ritti_oracle *O, const orders *o, int most, int *index) {
  *index = RITT_UNKNOWN;
  for (int K = 0; K <= most; K++) {
    int with, without;
    RITT_TRY(ritti_oracle_rank(O, K, o->above, &with));
    RITT_TRY(ritti_oracle_rank(O, K, o->next, &without));
    if (with < 0 || without < 0) return RITT_OK;
    if (with != o->z + without) continue;
    *index = K;
    return RITT_OK;
  }
  return RITT_OK;
}

ritt_status ritti_count_index(ritti_completion *C) {
  orders o;
  ritti_oracle O;
  int highest = 0, first, last, most = C->prolongations + 1;
  RITT_TRY(set_orders(C, &o));
  for (int j = 0; j < C->n; j++)
    if (o.q[j] > highest) highest = o.q[j];
  if (C->n * (highest + most) > MOST_COLUMNS) return RITT_OK;
  ritt_status status = ritti_oracle_init(&O, C, most, o.q);
  if (status == RITT_UNDECIDED) return RITT_OK;
  RITT_TRY(status);
  RITT_TRY(allowed(&O, &o, 0, &first));
  if (first >= 0) C->check->hidden_constraints = first - C->dof;
  RITT_TRY(find_index(&O, &o, most, &C->check->index));
  if (C->check->index == RITT_UNKNOWN) return RITT_OK;

  /* the array must leave as much freedom as the completion found */
  RITT_TRY(allowed(&O, &o, C->check->index, &last));
  if (last >= 0 && last != C->dof) RITT_TRY(allowed(&O, &o, most, &last));
  if (last < 0 || last == C->dof) return RITT_OK;
  C->check->verdict = "undecided";
  return ritti_fail(
      C->error, RITT_UNDECIDED, &C->model->equation[0].place,
      "choose another start point, or scale the variables",
      "two ways of counting the free initial values disagree: %d by elimination, %d by the derivative array",
      C->dof, last);
}
