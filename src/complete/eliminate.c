/* Elimination of a matrix of expressions with decisions at generic points.
 *
 * Entries are carried twice: as expressions and as numbers at the points. Pivots are chosen by the
 * numbers (not zero at any point, large in their column), constants first because they keep the
 * expressions small; what cancels is put to the number 0, so that nothing swells. What remains of
 * the rows without pivot in the last column are the conditions.
 */
#include "complete/general_impl.h"

/* relative to the size of the terms: at most this is zero, at least that is not; below LEAST all is
 * zero, since a point at the origin is only reached so far */
static const double ZERO_BELOW = 1e-22, NOT_ABOVE = 1e-16, LEAST = 1e-45;

static double relative(const ritti_known *k, int p) {
  ritti_quad size = k->size[p] > LEAST ? k->size[p] : (ritti_quad)LEAST;
  return (double)(fabsq(k->value[p]) / size);
}

ritti_answer ritti_known_zero(const ritti_known *k) {
  ritti_answer answer = RITTI_YES;
  for (int p = 0; p < RITTI_POINTS; p++) {
    double r = relative(k, p);
    if (r >= NOT_ABOVE) return RITTI_NO;
    if (!(r <= ZERO_BELOW)) answer = RITTI_UNKNOWN;
  }
  return answer;
}

bool ritti_known_everywhere_nonzero(const ritti_known *k) {
  for (int p = 0; p < RITTI_POINTS; p++)
    if (!(relative(k, p) >= NOT_ABOVE)) return false;
  return true;
}

/* How good entry (i, j) is as a pivot: its share of the largest in its row and column, at the worst
 * point; 0: not one. A number counts ten times. */
static double quality(const ritti_general *G, const ritti_elimination *E, int i, int j) {
  int width = E->cols + 1;
  const ritti_known *k = &E->known[i * width + j];
  double worst = INFINITY;
  if (!ritti_known_everywhere_nonzero(k)) return 0;
  for (int p = 0; p < RITTI_POINTS; p++) {
    ritti_quad row = 0, column = 0;
    for (int c = 0; c < E->cols; c++)
      if (!E->col_done[c] && fabsq(E->known[i * width + c].value[p]) > row)
        row = fabsq(E->known[i * width + c].value[p]);
    for (int r = 0; r < E->rows; r++)
      if (!E->row_done[r] && fabsq(E->known[r * width + j].value[p]) > column)
        column = fabsq(E->known[r * width + j].value[p]);
    worst = fmin(worst, (double)(fabsq(k->value[p]) / column * (fabsq(k->value[p]) / row)));
  }
  return ritti_op_of(G->C->dag, E->entry[i * width + j]) == RITTI_NUMBER ? 10 * worst : worst;
}

static int nonzeros(const ritti_general *G, const ritti_elimination *E, int i) {
  int count = 0;
  for (int c = 0; c <= E->cols; c++)
    count += !ritti_is_zero(G->C->dag, E->entry[i * (E->cols + 1) + c]);
  return count;
}

static bool find_pivot(const ritti_general *G, const ritti_elimination *E, int *row, int *col) {
  double best = 0;
  for (int i = 0; i < E->rows; i++) {
    if (E->row_done[i]) continue;
    double sparse = 1 / (1 + 0.2 * nonzeros(G, E, i));
    for (int j = 0; j < E->cols; j++) {
      if (E->col_done[j]) continue;
      double q = quality(G, E, i, j) * sparse;
      if (q > best) best = q, *row = i, *col = j;
    }
  }
  return best > 1e-9;
}

/* a - m b as numbers; m = c/d. The size grows with every error that goes in. */
static void subtract_known(ritti_known *a, const ritti_known *b, const ritti_known *c,
                           const ritti_known *d) {
  for (int p = 0; p < RITTI_POINTS; p++) {
    ritti_quad m = c->value[p] / d->value[p];
    ritti_quad error = c->size[p] / fabsq(c->value[p]) + d->size[p] / fabsq(d->value[p]);
    a->size[p] += fabsq(m) * b->size[p] + fabsq(m * b->value[p]) * error;
    a->value[p] -= m * b->value[p];
  }
}

/* What is surely zero becomes the number 0; what is not decided is remembered. */
static void tidy(const ritti_general *G, ritti_elimination *E, int at, bool matrix) {
  ritti_answer zero = ritti_known_zero(&E->known[at]);
  if (zero == RITTI_YES && matrix) {
    E->entry[at] = ritti_number(G->C->dag, 0, 1);
    E->known[at] = (ritti_known){.value = {0}};
  }
  if (zero == RITTI_UNKNOWN) E->unclear = true;
}

static void clear_column(const ritti_general *G, ritti_elimination *E, int row, int col) {
  ritti_dag *dag = G->C->dag;
  int width = E->cols + 1, pivot = row * width + col;
  for (int l = 0; l < E->rows; l++) {
    int lead = l * width + col;
    if (l == row || E->row_done[l] || ritti_is_zero(dag, E->entry[lead])) continue;
    ritti_expr factor = ritti_divide(dag, E->entry[lead], E->entry[pivot]);
    ritti_known c = E->known[lead];
    for (int j = 0; j < width; j++) {
      if ((j < E->cols && E->col_done[j]) || j == col ||
          ritti_is_zero(dag, E->entry[row * width + j]))
        continue;
      int at = l * width + j;
      E->entry[at] =
          ritti_subtract(dag, E->entry[at], ritti_multiply(dag, factor, E->entry[row * width + j]));
      subtract_known(&E->known[at], &E->known[row * width + j], &c, &E->known[pivot]);
      tidy(G, E, at, j < E->cols);
    }
    E->entry[lead] = ritti_number(dag, 0, 1);
    E->known[lead] = (ritti_known){.value = {0}};
    for (int r = 0; r < E->rows; r++) E->source[l * E->rows + r] |= E->source[row * E->rows + r];
  }
}

/* Numbers need no watching. */
static ritt_status remember_pivot(ritti_completion *C, ritti_expr e) {
  ritti_expr *longer;
  if (ritti_op_of(C->dag, e) == RITTI_NUMBER) return RITT_OK;
  for (int i = 0; i < C->pivots; i++)
    if (C->pivot[i] == e) return RITT_OK;
  RITTI_NEW(longer, C->arena, C->pivots + 1);
  if (C->pivots) memcpy(longer, C->pivot, (size_t)C->pivots * sizeof *longer);
  longer[C->pivots++] = e;
  C->pivot = longer;
  return RITT_OK;
}

ritt_status ritti_eliminate(const ritti_general *G, int rows, int cols, ritti_expr *entry,
                            ritti_elimination *E) {
  ritti_arena *arena = G->C->arena;
  int width = cols + 1, row = 0, col = 0;
  *E = (ritti_elimination){.rows = rows, .cols = cols, .entry = entry};
  RITTI_NEW(E->known, arena, rows * width + 1);
  RITTI_NEW(E->pivot_row, arena, cols + 1);
  RITTI_NEW(E->pivot_col, arena, cols + 1);
  RITTI_NEW(E->row_done, arena, rows + 1);
  RITTI_NEW(E->col_done, arena, cols + 1);
  RITTI_NEW(E->source, arena, rows * rows + 1);
  RITT_TRY(ritti_points_evaluate(G, entry, (size_t)(rows * width), E->known));
  for (int i = 0; i < rows; i++) {
    E->source[i * rows + i] = true;
    for (int j = 0; j < width; j++) tidy(G, E, i * width + j, j < cols);
  }
  while (E->rank < cols && !ritti_general_outgrown(G) && find_pivot(G, E, &row, &col)) {
    RITT_TRY(remember_pivot(G->C, entry[row * width + col]));
    clear_column(G, E, row, col);
    E->row_done[row] = E->col_done[col] = true;
    E->pivot_row[E->rank] = row;
    E->pivot_col[E->rank++] = col;
  }
  return ritti_dag_status(G->C->dag);
}
