/* Orders for L D L^T of [E G^T; G -C] without pivoting, E positive definite, C >= 0 (often 0).
 *
 * In an order in which every row of G stands behind columns that give it full rank all pivots have
 * the right sign, +1 for rows of E and -1 for the others. There are two ways to such orders.
 *
 *   E first: E must fall into small blocks, because the inverse of each block is full. The rest is
 *            ordered as the Schur complement G E^-1 G^T + C. Always sound.
 *   pairs:   every row of G stands right behind a column matched with it, and each pair is ordered
 *            as one node. The pivots are sound only if the matched entries are not small; the
 *            factorisation checks that.
 */
#include "linalg/sparse_impl.h"

enum { LARGEST_BLOCK = 32 };

/* ---- E first ---- */

/* The representative of i's set; the path to it is halved on the way. */
static int root_of(int *up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

/* block[i]: the block of E that row i is in; *blocks = -1: one is too large */
static ritt_status find_blocks(const ritti_pattern *p, int positive, ritti_arena *arena, int *block,
                               int *blocks) {
  int *up, *size;
  RITTI_NEW_ARRAYS(arena, positive + 1, up, size);
  /* rows of E that share an entry are one set */
  for (int i = 0; i < positive; i++) up[i] = i, block[i] = -1;
  for (int i = 0; i < positive; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      if (p->col[e] < i) up[root_of(up, i)] = root_of(up, p->col[e]);
  /* number the sets */
  *blocks = 0;
  for (int i = 0; i < positive; i++) {
    int root = root_of(up, i);
    if (block[root] < 0) block[root] = (*blocks)++;
    block[i] = block[root];
    if (++size[root] > LARGEST_BLOCK) {
      *blocks = -1;
      return RITT_OK;
    }
  }
  return RITT_OK;
}

/* Rows of G and the blocks of E that each touches; an entry of C is a group of its own for its two
 * rows. */
static ritt_status touched_blocks(const ritti_pattern *p, int positive, const int *block,
                                  int blocks, ritti_arena *arena, ritti_pattern *out) {
  int rest = p->rows - positive, *start, *col, *next, groups = blocks;
  RITTI_NEW(start, arena, rest + 1);
  /* count the groups of each row, then write them */
  for (int i = positive; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      int j = p->col[e];
      if (j < positive) start[i - positive + 1]++;
      else if (j < i) start[i - positive + 1]++, start[j - positive + 1]++;
    }
  for (int i = 0; i < rest; i++) start[i + 1] += start[i];
  RITTI_NEW(next, arena, rest + 1);
  RITTI_NEW(col, arena, start[rest] + 1);
  memcpy(next, start, (size_t)rest * sizeof *next);
  for (int i = positive; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      int j = p->col[e];
      if (j < positive) col[next[i - positive]++] = block[j];
      else if (j < i) col[next[i - positive]++] = col[next[j - positive]++] = groups++;
    }
  *out = (ritti_pattern){.rows = rest, .cols = groups, .start = start, .col = col};
  return RITT_OK;
}

/* An order that eliminates E block by block and then its Schur complement; *found is false if a
   block is too large or the complement too full. */
ritt_status ritti_order_kkt_first(const ritti_pattern *p, int positive, ritti_arena *arena,
                                  int *order, bool *found) {
  int *block, *start, *rest, blocks;
  ritti_pattern groups;
  ritti_graph graph;
  *found = false;
  RITTI_NEW(block, arena, positive + 1);
  RITT_TRY(find_blocks(p, positive, arena, block, &blocks));
  if (blocks < 0) return RITT_OK;
  RITT_TRY(touched_blocks(p, positive, block, blocks, arena, &groups));
  /* a complement with more edges than this is not sparse any more */
  size_t most = 20 * ((size_t)p->start[p->rows] - (size_t)p->start[0]) + 1000;
  RITT_TRY(ritti_graph_share(&groups, NULL, most, arena, &graph));
  if (!graph.start) return RITT_OK;
  // E block by block
  RITTI_NEW(start, arena, blocks + 1);
  for (int i = 0; i < positive; i++) start[block[i] + 1]++;
  for (int b = 0; b < blocks; b++) start[b + 1] += start[b];
  for (int i = 0; i < positive; i++) order[start[block[i]]++] = i;
  // the rest
  RITTI_NEW(rest, arena, graph.n + 1);
  RITT_TRY(ritti_order_sparse(&graph, arena, rest));
  for (int k = 0; k < graph.n; k++) order[positive + k] = positive + rest[k];
  *found = true;
  return RITT_OK;
}

/* ---- pairs ---- */

typedef struct matching {
  const ritti_pattern *p;
  int positive;
  int *row_of; /* positive: the row that has this column; -1: none */
  int *tried;  /* positive: the search that has looked at it */
  int *stack, *at;
  long left; /* how many entries may still be looked at */
} matching;

/* Gives row `from` a column, the rows in its way another one (Kuhn's augmenting path, depth first).
 */
static bool augment_matching(matching *M, int from) {
  const ritti_pattern *p = M->p;
  int depth = 0;
  M->stack[0] = from;
  M->at[0] = p->start[from];
  /* the path is on the stack; e goes through the columns of its last row */
  while (depth >= 0) {
    int i = M->stack[depth], e = M->at[depth]++;
    if (e >= p->start[i + 1]) {
      depth--;
      continue;
    }
    if (--M->left < 0) return false;
    int j = p->col[e];
    if (j >= M->positive || M->tried[j] == from) continue;
    M->tried[j] = from;
    /* a free column: the rows of the path move on to their next columns */
    if (M->row_of[j] < 0) {
      for (; depth >= 0; depth--) M->row_of[p->col[M->at[depth] - 1]] = M->stack[depth];
      return true;
    }
    M->stack[++depth] = M->row_of[j];
    M->at[depth] = p->start[M->row_of[j]];
  }
  return false;
}

/* Gives as many rows of G as possible a column of E each; the effort is bounded. */
static ritt_status match_rows(matching *M, ritti_arena *arena) {
  const ritti_pattern *p = M->p;
  int n = p->rows;
  RITTI_NEW_ARRAYS(arena, M->positive + 1, M->row_of, M->tried);
  RITTI_NEW_ARRAYS(arena, n - M->positive + 1, M->stack, M->at);
  for (int j = 0; j < M->positive; j++) M->row_of[j] = M->tried[j] = -1;
  M->left = 50L * (p->start[n] - p->start[0]) + 1000;
  for (int i = M->positive; i < n; i++) {
    bool taken = false;
    for (int e = p->start[i]; e < p->start[i + 1] && !taken; e++) {
      int j = p->col[e];
      if (j < M->positive && M->row_of[j] < 0) M->row_of[j] = i, taken = true;
    }
    if (!taken) augment_matching(M, i);
  }
  return RITT_OK;
}

/* An order in which a row of G follows its column of E, so that pivots stay away from 0. */
ritt_status ritti_order_kkt_pairs(const ritti_pattern *p, int positive, bool narrow,
                                  ritti_arena *arena, int *order) {
  int n = p->rows, *class, *member, *by_class, classes = 0, count = 0;
  matching M = {.p = p, .positive = positive};
  ritti_graph graph;
  RITT_TRY(match_rows(&M, arena));
  RITTI_NEW_ARRAYS(arena, n + 1, class, by_class);
  RITTI_NEW(member, arena, 2 * (size_t)n + 2);
  // a class is a column of E and perhaps a row of G; rows without a column are alone
  for (int i = positive; i < n; i++) class[i] = -1;
  for (int j = 0; j < positive; j++) {
    int row = M.row_of[j];
    member[2 * classes] = j, member[2 * classes + 1] = row;
    if (row >= 0) class[row] = classes;
    class[j] = classes++;
  }
  for (int i = positive; i < n; i++)
    if (class[i] < 0) member[2 * classes] = i, member[2 * classes + 1] = -1, class[i] = classes++;
  RITT_TRY(ritti_graph_of(p, true, class, classes, arena, &graph));
  RITT_TRY(narrow ? ritti_order_narrow(&graph, arena, by_class)
                  : ritti_order_sparse(&graph, arena, by_class));
  /* the members of the classes, in the order of the classes */
  for (int k = 0; k < classes; k++)
    for (int m = 0; m < 2; m++)
      if (member[2 * by_class[k] + m] >= 0) order[count++] = member[2 * by_class[k] + m];
  return RITT_OK;
}
