/* Block triangular form of the system for the highest derivatives.
 *
 * In: the pattern of a square matrix. Out: rows and columns in an order in which the matrix is
 * block triangular: each block follows from those before it. A transversal pairs rows with columns;
 * row i then needs the rows that belong to its other columns, and the blocks are the strongly
 * connected components of that graph (Tarjan), which come out in the order in which they can be
 * solved.
 */
#include "complete/complete_impl.h"

typedef struct walk {
  const ritti_pattern *pattern;
  const int *row_of;   /* of each column */
  int *number, *low;   /* Tarjan's numbers of rows, from 1; 0: not met yet */
  int *next;           /* the entry of each row to look at next */
  int *stack, stacked; /* rows of components that are not complete */
  int *path;           /* rows from the root to the one that is looked at */
  bool *waits;         /* on the stack */
  int met;
} walk;

static void enter_row(walk *w, int row, int *depth) {
  w->number[row] = w->low[row] = ++w->met;
  w->next[row] = w->pattern->start[row];
  w->stack[w->stacked++] = row;
  w->waits[row] = true;
  w->path[(*depth)++] = row;
}

/* Everything that can be reached from the root; components are appended to the blocks. */
static void walk_from(walk *w, int root, ritti_blocks *out) {
  int depth = 0;
  enter_row(w, root, &depth);
  while (depth > 0) {
    int row = w->path[depth - 1];
    if (w->next[row] < w->pattern->start[row + 1]) {
      int other = w->row_of[w->pattern->col[w->next[row]++]];
      if (!w->number[other]) enter_row(w, other, &depth);
      else if (w->waits[other] && w->number[other] < w->low[row]) w->low[row] = w->number[other];
      continue;
    }

    /* all entries of the row are done */
    depth--;
    if (depth > 0 && w->low[row] < w->low[w->path[depth - 1]])
      w->low[w->path[depth - 1]] = w->low[row];
    if (w->low[row] != w->number[row]) continue;
    int end = out->start[out->count], last;
    do {
      last = w->stack[--w->stacked];
      w->waits[last] = false;
      out->row[end++] = last;
    } while (last != row);
    out->start[++out->count] = end;
  }
}

/* A largest matching, as the transversal of a signature whose orders are all 0. */
static ritt_status match_columns(const ritti_pattern *pattern, ritti_arena *arena, int **row_of,
                                 int **column_of, bool *perfect) {
  ritti_signature sigma = {.n = pattern->rows};
  size_t entries = ritti_entries(pattern);
  RITTI_NEW(sigma.start, arena, pattern->rows + 1);
  RITTI_NEW(sigma.var, arena, entries + 1);
  RITTI_NEW(sigma.order, arena, entries + 1);
  memcpy(sigma.start, pattern->start, ((size_t)pattern->rows + 1) * sizeof *sigma.start);
  memcpy(sigma.var, pattern->col, entries * sizeof *sigma.var);
  RITTI_NEW(*row_of, arena, pattern->rows + 1);
  RITTI_NEW(*column_of, arena, pattern->rows + 1);
  return ritti_assign(&sigma, arena, *row_of, *column_of, perfect);
}

ritt_status ritti_find_blocks(const ritti_pattern *pattern, ritti_arena *arena, ritti_blocks *out) {
  int n = pattern->rows, *row_of, *column_of;
  bool perfect;
  *out = (ritti_blocks){0};
  if (n != pattern->cols || n == 0) return RITT_OK;
  RITT_TRY(match_columns(pattern, arena, &row_of, &column_of, &perfect));
  if (!perfect) return RITT_OK;
  walk w = {.pattern = pattern, .row_of = row_of};
  RITTI_NEW(w.number, arena, n);
  RITTI_NEW(w.low, arena, n);
  RITTI_NEW(w.next, arena, n);
  RITTI_NEW(w.stack, arena, n);
  RITTI_NEW(w.path, arena, n);
  RITTI_NEW(w.waits, arena, n);
  RITTI_NEW(out->start, arena, n + 1);
  RITTI_NEW(out->row, arena, n);
  RITTI_NEW(out->column, arena, n);
  for (int i = 0; i < n; i++)
    if (!w.number[i]) walk_from(&w, i, out);
  for (int i = 0; i < n; i++) out->column[i] = column_of[out->row[i]];
  return RITT_OK;
}
