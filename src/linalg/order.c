/* Graphs of symmetric patterns, and orders of their nodes: narrow (reverse Cuthill-McKee; Cuthill
 * and McKee 1969, George 1971, with the start of George and Liu, An implementation of a
 * pseudoperipheral node finder, ACM TOMS 5, 1979) or with little fill (AMD).
 */
#include <limits.h>
#include "linalg/sparse_impl.h"

/* The inverse permutation: place[order[k]] = k. */
void ritti_order_invert(int n, const int *order, int *place) {
  for (int k = 0; k < n; k++) place[order[k]] = k;
}

/* The rows of each column, in ascending order. */
ritt_status ritti_pattern_columns(const ritti_pattern *p, ritti_arena *arena, int **start,
                                  int **row) {
  int *next, first = p->start[0], count = p->start[p->rows] - first;
  RITTI_NEW_ARRAYS(arena, p->cols + 1, *start, next);
  RITTI_NEW(*row, arena, count + 1);
  for (int e = first; e < first + count; e++) (*start)[p->col[e] + 1]++;
  for (int c = 0; c < p->cols; c++) (*start)[c + 1] += (*start)[c];
  memcpy(next, *start, (size_t)p->cols * sizeof *next);
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++) (*row)[next[p->col[e]]++] = i;
  return RITT_OK;
}

/* ---- graphs ---- */

/* Visits the neighbours of node i through its groups; counts them, and writes them where `to` is
 * there. */
static size_t visit_shared(const ritti_pattern *p, const unsigned char *keep, const int *start,
                           const int *row, int i, int *seen, int *to) {
  size_t count = 0;
  seen[i] = i;
  for (int e = p->start[i]; e < p->start[i + 1]; e++) {
    int c = p->col[e];
    if (keep && !keep[c]) continue;
    for (int r = start[c]; r < start[c + 1]; r++) {
      int j = row[r];
      if (seen[j] == i) continue;
      seen[j] = i;
      if (to) to[count] = j;
      count++;
    }
  }
  return count;
}

/* The graph of the rows that share a column. out->start is NULL if it would have more than
   `most` edges. */
ritt_status ritti_graph_share(const ritti_pattern *p, const unsigned char *keep, size_t most,
                              ritti_arena *arena, ritti_graph *out) {
  int *start, *row, *seen;
  RITT_TRY(ritti_pattern_columns(p, arena, &start, &row));
  *out = (ritti_graph){.n = p->rows};
  RITTI_NEW_ARRAYS(arena, p->rows + 1, seen, out->start);
  for (int i = 0; i < p->rows; i++) seen[i] = -1;
  size_t count = 0;
  /* count the neighbours */
  for (int i = 0; i < p->rows; i++) {
    count += visit_shared(p, keep, start, row, i, seen, NULL);
    if (count > most) {
      out->start = NULL;
      return RITT_OK;
    }
    out->start[i + 1] = (int)count;
  }
  /* write them */
  RITTI_NEW(out->to, arena, count + 1);
  for (int i = 0; i < p->rows; i++) seen[i] = -1;
  for (int i = 0; i < p->rows; i++)
    visit_shared(p, keep, start, row, i, seen, out->to + out->start[i]);
  return RITT_OK;
}

/* The graph of the entries of a square matrix between classes of its rows (class NULL: each row
   is a class of its own; a negative class is left out). */
ritt_status ritti_graph_of(const ritti_pattern *p, bool lower, const int *class, int classes,
                           ritti_arena *arena, ritti_graph *out) {
  int *start, *to, *next, *seen;
  *out = (ritti_graph){.n = classes};
  RITTI_NEW_ARRAYS(arena, classes + 1, start, next);
  // both ends of every entry, first counted, then written
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < p->rows; i++)
      for (int e = p->start[i]; e < p->start[i + 1]; e++) {
        int j = p->col[e];
        int a = class ? class[i] : i, b = class ? class[j] : j;
        if ((lower && j >= i) || a == b || a < 0 || b < 0) continue;
        if (pass == 0) start[a + 1]++, start[b + 1]++;
        else to[next[a]++] = b, to[next[b]++] = a;
      }
    if (pass == 1) break;
    for (int a = 0; a < classes; a++) start[a + 1] += start[a];
    memcpy(next, start, (size_t)classes * sizeof *next);
    RITTI_NEW(to, arena, start[classes] + 1);
  }
  // each neighbour once
  RITTI_NEW_ARRAYS(arena, classes + 1, out->start, seen);
  for (int a = 0; a < classes; a++) seen[a] = -1;
  int count = 0;
  for (int a = 0; a < classes; a++) {
    for (int e = start[a]; e < start[a + 1]; e++) {
      if (seen[to[e]] == a) continue;
      seen[to[e]] = a;
      to[count++] = to[e];
    }
    out->start[a + 1] = count;
  }
  out->to = to;
  return RITT_OK;
}

/* ---- orders ---- */

static int degree(const ritti_graph *g, int i) { return g->start[i + 1] - g->start[i]; }

/* Shell's sort by degree, then by number */
static void sort_by_degree(const ritti_graph *g, int *node, int count) {
  int gap = 1;
  while (gap < count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (int i = gap; i < count; i++) {
      int x = node[i], dx = degree(g, x), j = i;
      for (; j >= gap; j -= gap) {
        int y = node[j - gap], dy = degree(g, y);
        if (dy < dx || (dy == dx && y < x)) break;
        node[j] = y;
      }
      node[j] = x;
    }
}

/* Breadth first from `from` among the nodes with mark[] < stamp, which get it: their order to
 * queue[]. Returns how many; *depth gets the number of levels and *last where the last one starts.
 */
static int breadth_first(const ritti_graph *g, int from, int stamp, int *mark, int *queue,
                         bool sorted, int *depth, int *last) {
  int count = 1, level_end = 1;
  queue[0] = from;
  mark[from] = stamp;
  *depth = 1;
  *last = 0;
  /* nodes join the queue level by level */
  for (int k = 0; k < count; k++) {
    if (k == level_end) {
      (*depth)++;
      *last = level_end;
      level_end = count;
    }
    int first = count, i = queue[k];
    for (int e = g->start[i]; e < g->start[i + 1]; e++) {
      int j = g->to[e];
      if (mark[j] >= stamp) continue;
      mark[j] = stamp;
      queue[count++] = j;
    }
    if (sorted) sort_by_degree(g, queue + first, count - first);
  }
  return count;
}

enum { ROUNDS = 8 };

/* A node far out: from one of least degree in the last level, again, while the levels become more.
 */
static int far_node(const ritti_graph *g, int from, int *stamp, int *mark, int *queue) {
  int depth = 0, last, next_depth;
  for (int round = 0; round < ROUNDS; round++) {
    int count = breadth_first(g, from, ++*stamp, mark, queue, false, &next_depth, &last);
    if (next_depth <= depth) break;
    depth = next_depth;
    int best = queue[last];
    for (int k = last; k < count; k++)
      if (degree(g, queue[k]) < degree(g, best)) best = queue[k];
    from = best;
  }
  return from;
}

/* Orders the nodes so that the band is narrow: reverse Cuthill-McKee, each component from a node
   at its end. */
ritt_status ritti_order_narrow(const ritti_graph *g, ritti_arena *arena, int *order) {
  int *mark, *queue, depth, last, stamp = 0, done = 0;
  RITTI_NEW_ARRAYS(arena, g->n + 1, mark, queue);
  for (int i = 0; i < g->n; i++) {
    if (mark[i] == INT_MAX) continue;
    int from = far_node(g, i, &stamp, mark, queue);
    done += breadth_first(g, from, INT_MAX, mark, order + done, true, &depth, &last);
  }
  /* the reverse order brings less fill */
  for (int k = 0; k < g->n / 2; k++) {
    int other = order[g->n - 1 - k];
    order[g->n - 1 - k] = order[k];
    order[k] = other;
  }
  return RITT_OK;
}

/* Orders the nodes for little fill by AMD, or for a narrow band if AMD is not available. */
ritt_status ritti_order_sparse(const ritti_graph *g, ritti_arena *arena, int *order) {
  if (g->n > 0 && ritti_amd(g->n, g->start, g->to, order)) return RITT_OK;
  return ritti_order_narrow(g, arena, order);
}
