/* The entries of Gram matrices A diag(d) A^T that are neither dense nor narrow bands.
 *
 * In: a pattern, the graph of its rows. Out: every pair of rows that meet, once, the products that
 * make its entry, and from then on the values where the algebra wants them.
 */
#include "linalg/linear_impl.h"

/* does row i come before row j by length? */
static bool is_shorter(const ritti_pattern *p, int i, int j) {
  int a = p->start[i + 1] - p->start[i], b = p->start[j + 1] - p->start[j];
  return a < b || (a == b && i < j);
}

/* Every pair of rows that share a column, once, with the longer row, and every row with itself: the
 * products are then sums over the shorter row of each pair. */
ritt_status ritti_gram_list_pairs(ritti_scheme *s, const ritti_graph *g, ritti_arena *arena) {
  const ritti_pattern *p = &s->pattern;
  RITTI_NEW(s->pair_start, arena, g->n + 1);
  RITTI_NEW(s->pair_row, arena, (size_t)g->start[g->n] / 2 + (size_t)g->n + 1);
  int count = 0;
  for (int i = 0; i < g->n; i++) {
    for (int e = g->start[i]; e < g->start[i + 1]; e++)
      if (is_shorter(p, g->to[e], i)) s->pair_row[count++] = g->to[e];
    s->pair_row[count++] = i;
    s->pair_start[i + 1] = count;
  }
  RITTI_NEW(s->spread_row, arena, p->cols + 1);
  return RITT_OK;
}

/* The products of every pair, in the order of the shorter row. Where a row lists an entry twice
 * there are none. */
ritt_status ritti_gram_list_products(ritti_scheme *s, ritti_arena *arena) {
  const int *start = s->pattern.start, *col = s->pattern.col, rows = s->pattern.rows;
  int *at, count = 0;
  struct schur_product *product = NULL;
  RITTI_NEW(at, arena, s->pattern.cols + 1);
  RITTI_NEW(s->product_start, arena, s->pair_start[rows] + 1);
  /* count the products first, then list them */
  for (int round = 0; round < 2; round++) {
    if (round) RITTI_NEW(product, arena, count + 1);
    count = 0;
    /* mark the columns of row i, with their entries */
    for (int i = 0; i < rows; i++) {
      for (int e = start[i]; e < start[i + 1]; e++) {
        if (at[col[e]]) {
          s->product_start = NULL;
          return RITT_OK;
        }
        at[col[e]] = e + 1;
      }
      /* products with the rows that share a column with row i */
      for (int q = s->pair_start[i]; q < s->pair_start[i + 1]; q++) {
        for (int j = s->pair_row[q], e = start[j]; e < start[j + 1]; e++)
          if (at[col[e]] && product)
            product[count++] = (struct schur_product){at[col[e]] - 1, e, col[e]};
          else count += at[col[e]] != 0;
        s->product_start[q + 1] = count;
      }
      for (int e = start[i]; e < start[i + 1]; e++) at[col[e]] = 0;
    }
  }
  s->product = product;
  return RITT_OK;
}

/* Computes the entries of A diag(d) A^T that the scheme stores; d NULL stands for ones. */
void ritti_gram_fill(ritti_scheme *s, const ritt_real *a, const ritt_real *d) {
  const int *start = s->pattern.start, *col = s->pattern.col;
  ritt_real *spread = s->spread_row;
  /* from the list of products */
  if (s->product_start) {
    const struct schur_product *p = s->product;
    for (int q = 0, pairs = s->pair_start[s->pattern.rows]; q < pairs; q++) {
      const struct schur_product *end = s->product + s->product_start[q + 1];
      ritt_real sum = 0;
      if (d)
        for (; p < end; p++) sum += a[p->two] * (a[p->one] * d[p->col]);
      else
        for (; p < end; p++) sum += a[p->two] * a[p->one];
      s->value[s->slot[q]] = sum;
    }

    return;
  }
  /* without a list: spread out row i and multiply the rows of its pairs */
  for (int i = 0; i < s->pattern.rows; i++) {
    for (int e = start[i]; e < start[i + 1]; e++) spread[col[e]] += d ? a[e] * d[col[e]] : a[e];
    for (int q = s->pair_start[i]; q < s->pair_start[i + 1]; q++) {
      int j = s->pair_row[q];
      ritt_real sum = 0;
      for (int e = start[j]; e < start[j + 1]; e++) sum += a[e] * spread[col[e]];
      s->value[s->slot[q]] = sum;
    }
    for (int e = start[i]; e < start[i + 1]; e++) spread[col[e]] = 0;
  }
}
