/* The independent oracle: ranks of the derivative array at the start point, by Taylor arithmetic.
 *
 * In: the equations as written and a consistent point. Out: what the completion claims, found
 * another way. The array of all equations differentiated 0 .. K times has, in Taylor coefficients,
 * a Jacobian made of the coefficients of the first partial derivatives along the solution: row (i,
 * k), column (j, m) is sum_s [df_i/dy_j^(s)]_{k-m+s} m!/(m-s)!. So nothing is differentiated
 * symbolically but once. The solution's own coefficients come from the top rows, order by order.
 */
#include "complete/oracle_impl.h"

/* m! / (m-s)! */
static double falling(int m, int s) {
  double f = 1;
  for (int i = 0; i < s; i++) f *= m - i;
  return f;
}

static void jet_series(const void *context, int variable, int order, int terms, double *out) {
  const ritti_oracle *O = context;
  for (int k = 0; k < terms; k++)
    out[k] = k + order <= O->degree ? falling(k + order, order) *
                                          O->coefficient[variable * (O->degree + 1) + k + order]
                                    : 0;
}

static ritti_series_values values_of(const ritti_oracle *O) {
  return (ritti_series_values){.independent = O->C->x,
                               .jet = jet_series,
                               .context = O,
                               .parameter = O->C->parameter,
                               .level = O->C->level};
}

/* Coefficients of the solution up to y_j^(d_j + more): coefficient s of the top rows is linear in
 * those of order d_j + s, with the matrix of the top rows. */
static ritt_status follow(ritti_oracle *O, int more) {
  ritti_completion *C = O->C;
  int n = C->n, rows = C->top_rows, *iscratch;
  double *A, *b, *next, *scratch, *series;
  ritti_series_plan *plan;
  RITTI_NEW(A, C->arena, rows * n + 1);
  RITTI_NEW(b, C->arena, rows + 1);
  RITTI_NEW(next, C->arena, n + 1);
  RITTI_NEW(series, C->arena, (rows + 1) * (more + 1));
  RITTI_NEW(scratch, C->arena, ritti_least_norm_scratch(rows, n) + 1);
  RITTI_NEW(iscratch, C->arena, rows + n + 1);
  for (int j = 0; j < n; j++)
    for (int k = 0; k <= C->d[j]; k++)
      O->coefficient[j * (O->degree + 1) + k] = C->point[C->first[j] + k] / falling(k, k);
  RITT_TRY(ritti_top_matrix(C, C->point, A));
  RITT_TRY(ritti_series_plan_new(C->dag, C->top_row, (size_t)rows, more + 1, &plan));
  ritti_series_values values = values_of(O);
  for (int s = 1; s <= more; s++) {
    ritti_series_plan_evaluate(plan, &values, s + 1, series);
    for (int i = 0; i < rows; i++) b[i] = -series[i * (s + 1) + s];
    ritti_least_norm(rows, n, A, b, 1e-13, next, scratch, iscratch);
    for (int j = 0; j < n; j++)
      O->coefficient[j * (O->degree + 1) + C->d[j] + s] = next[j] / falling(C->d[j] + s, C->d[j]);
  }
  ritti_series_plan_free(plan);
  return RITT_OK;
}

/* What is left where larger terms cancel is noise, and would be scaled up before ranks are taken:
 * entries that a small change of the solution changes as much are zero. */
static ritt_status drop_noise(ritti_oracle *O, ritti_series_plan *plan) {
  static const double CHANGE = 1e-12;
  int count = O->partials * (O->most + 1), size = O->C->n * (O->degree + 1);
  double *kept = O->coefficient, *changed, *series;
  RITTI_NEW(changed, O->C->arena, size + 1);
  RITTI_NEW(series, O->C->arena, count + 1);
  for (int i = 0; i < size; i++)
    changed[i] = kept[i] * (1 + CHANGE * (fmod((i + 1) * 0.6180339887498949, 1) * 2 - 1));
  O->coefficient = changed;
  ritti_series_values values = values_of(O);
  values.independent *= 1 + CHANGE;
  ritti_series_plan_evaluate(plan, &values, O->most + 1, series);
  O->coefficient = kept;
  for (int i = 0; i < count; i++)
    if (fabs(O->series[i]) <= 10 * fabs(series[i] - O->series[i])) O->series[i] = 0;
  return RITT_OK;
}

/* The first partial derivatives of the equations, as series along the solution. */
static ritt_status take_partials(ritti_oracle *O) {
  ritti_completion *C = O->C;
  int equations = C->model->equations, count = 0;
  ritti_expr *root = NULL;
  ritti_series_plan *plan;
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      RITTI_NEW(root, C->arena, count + 1);
      RITTI_NEW(O->partial, C->arena, count + 1);
    }
    count = 0;
    for (int i = 0; i < equations; i++) {
      ritti_gradient g;
      RITT_TRY(ritti_dag_gradient_of(C->dag, C->residual[i], 1u << RITTI_JET, &g));
      for (size_t e = 0; e < g.count; e++, count++) {
        if (pass == 0) continue;
        root[count] = g.derivative[e];
        O->partial[count] = (ritti_partial){i, ritti_index_of(C->dag, g.leaf[e]),
                                            ritti_order_of(C->dag, g.leaf[e])};
      }
      ritti_gradient_clear(&g);
    }
  }
  O->partials = count;
  RITTI_NEW(O->series, C->arena, (size_t)count * (size_t)(O->most + 1) + 1);
  RITT_TRY(ritti_series_plan_new(C->dag, root, (size_t)count, O->most + 1, &plan));
  ritti_series_values values = values_of(O);
  ritti_series_plan_evaluate(plan, &values, O->most + 1, O->series);
  ritt_status status = drop_noise(O, plan);
  ritti_series_plan_free(plan);
  return status;
}

ritt_status ritti_oracle_init(ritti_oracle *O, ritti_completion *C, int most, const int *order) {
  int more = most;
  *O = (ritti_oracle){.C = C, .most = most};
  for (int j = 0; j < C->n; j++) {
    if (order[j] + most - C->d[j] > more) more = order[j] + most - C->d[j];
    if (order[j] + most > O->degree) O->degree = order[j] + most;
  }
  for (int j = 0; j < C->n; j++)
    if (C->d[j] + more > O->degree) O->degree = C->d[j] + more;
  RITTI_NEW(O->coefficient, C->arena, (size_t)C->n * (size_t)(O->degree + 1));
  RITT_TRY(follow(O, more));
  return take_partials(O);
}

ritt_status ritti_oracle_rank(const ritti_oracle *O, int K, const int *lowest, int *rank) {
  ritti_completion *C = O->C;
  int n = C->n, rows = C->model->equations * (K + 1), cols = 0, *first, *top;
  double *a;
  RITTI_NEW(first, C->arena, n + 1);
  RITTI_NEW(top, C->arena, n + 1);
  for (int j = 0; j < n; j++) top[j] = -1;
  for (int e = 0; e < O->partials; e++)
    if (O->partial[e].order + K > top[O->partial[e].variable])
      top[O->partial[e].variable] = O->partial[e].order + K;
  for (int j = 0; j < n; j++) {
    first[j] = cols;
    if (top[j] >= lowest[j]) cols += top[j] - lowest[j] + 1;
  }
  RITTI_NEW(a, C->arena, (size_t)rows * (size_t)cols + 1);
  for (int e = 0; e < O->partials; e++) {
    ritti_partial p = O->partial[e];
    for (int k = 0; k <= K; k++)
      for (int m = p.order > lowest[p.variable] ? p.order : lowest[p.variable]; m <= p.order + k;
           m++)
        a[(size_t)(p.equation * (K + 1) + k) * (size_t)cols +
          (size_t)(first[p.variable] + m - lowest[p.variable])] +=
            O->series[e * (O->most + 1) + k - m + p.order] * falling(m, p.order);
  }
  return ritti_numeric_rank(C->arena, rows, cols, a, rank);
}
