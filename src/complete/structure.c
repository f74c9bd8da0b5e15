/* Structure: a transversal of greatest weight of the signature matrix and the canonical offsets
 * (Pryce's Sigma-method).
 *
 * In: for each equation the variables in it with their highest orders. Out: a transversal whose
 * orders sum to the greatest value, by successive shortest augmenting paths with potentials
 * (weights negated), and the least offsets c, d with d_j - c_i >= sigma_ij and equality on the
 * transversal.
 */
#include "complete/complete_impl.h"

typedef struct search {
  const ritti_signature *sigma;
  int *equation_of, *variable_of;
  long *u, *v;    /* potentials: sigma_ij <= u_i + v_j, equal on matched pairs */
  long *distance; /* of variables from the root equation in reduced costs */
  int *from;      /* the equation from which a variable was reached; -1: not reached */
  int *reached, reached_count;
  bool *done;
  int *heap, heap_count,
      *place; /* binary heap of variables by distance; place[j]: where j stands, -1: not in it */
} search;

static void heap_move(search *s, int at, int variable) {
  s->heap[at] = variable;
  s->place[variable] = at;
}

static void heap_up(search *s, int variable) {
  int at = s->place[variable];
  while (at > 0 && s->distance[s->heap[(at - 1) / 2]] > s->distance[variable]) {
    heap_move(s, at, s->heap[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  heap_move(s, at, variable);
}

static int heap_pop(search *s) {
  int top = s->heap[0], last = s->heap[--s->heap_count], at = 0;
  s->place[top] = -1;
  while (s->heap_count > 0) {
    int child = 2 * at + 1;
    if (child >= s->heap_count) break;
    if (child + 1 < s->heap_count && s->distance[s->heap[child + 1]] < s->distance[s->heap[child]])
      child++;
    if (s->distance[s->heap[child]] >= s->distance[last]) break;
    heap_move(s, at, s->heap[child]);
    at = child;
  }
  if (s->heap_count > 0) heap_move(s, at, last);
  return top;
}

/* Reaches the variables of equation i, itself at distance d from the root. */
static void relax_variables(search *s, int i, long d) {
  const ritti_signature *sigma = s->sigma;
  for (int e = sigma->start[i]; e < sigma->start[i + 1]; e++) {
    int j = sigma->var[e];
    long far = d + s->u[i] + s->v[j] - sigma->order[e];
    if (s->done[j] || (s->from[j] >= 0 && s->distance[j] <= far)) continue;
    bool known = s->from[j] >= 0;
    s->distance[j] = far;
    s->from[j] = i;
    if (!known) s->place[j] = s->heap_count++, s->reached[s->reached_count++] = j;
    heap_up(s, j);
  }
}

/* Matches one more equation along a shortest augmenting path; false: there is none. */
static bool augment_matching(search *s, int root) {
  int end = -1;
  for (int k = 0; k < s->reached_count; k++)
    s->from[s->reached[k]] = -1, s->done[s->reached[k]] = false;
  s->heap_count = s->reached_count = 0;
  relax_variables(s, root, 0);
  while (s->heap_count > 0) {
    int j = heap_pop(s);
    s->done[j] = true;
    if (s->equation_of[j] < 0) {
      end = j;
      break;
    }
    relax_variables(s, s->equation_of[j], s->distance[j]);
  }
  if (end < 0) return false;

  /* potentials stay feasible and tight on the matching */
  long length = s->distance[end];
  for (int k = 0; k < s->reached_count; k++) {
    int j = s->reached[k];
    if (!s->done[j] || j == end) continue;
    s->v[j] += length - s->distance[j];
    s->u[s->equation_of[j]] -= length - s->distance[j];
  }
  s->u[root] -= length;
  for (int j = end, next; j >= 0; j = next) {
    int i = s->from[j];
    next = s->variable_of[i];
    s->variable_of[i] = j;
    s->equation_of[j] = i;
    if (i == root) break;
  }
  return true;
}

ritt_status ritti_assign(const ritti_signature *sigma, ritti_arena *arena, int *equation_of,
                         int *variable_of, bool *perfect) {
  int n = sigma->n;
  search s = {.sigma = sigma, .equation_of = equation_of, .variable_of = variable_of};
  RITTI_NEW(s.u, arena, n + 1);
  RITTI_NEW(s.v, arena, n + 1);
  RITTI_NEW(s.distance, arena, n + 1);
  RITTI_NEW(s.from, arena, n + 1);
  RITTI_NEW(s.done, arena, n + 1);
  RITTI_NEW(s.heap, arena, n + 1);
  RITTI_NEW(s.place, arena, n + 1);
  RITTI_NEW(s.reached, arena, n + 1);
  for (int i = 0; i < n; i++) equation_of[i] = variable_of[i] = s.from[i] = -1;

  /* u_i = greatest order in row i; a row whose greatest entry is free is matched at once */
  for (int i = 0; i < n; i++)
    for (int e = sigma->start[i]; e < sigma->start[i + 1]; e++)
      if (sigma->order[e] > s.u[i]) s.u[i] = sigma->order[e];
  for (int i = 0; i < n; i++)
    for (int e = sigma->start[i]; e < sigma->start[i + 1] && variable_of[i] < 0; e++)
      if (sigma->order[e] == s.u[i] && equation_of[sigma->var[e]] < 0) {
        variable_of[i] = sigma->var[e];
        equation_of[sigma->var[e]] = i;
      }
  *perfect = true;
  for (int i = 0; i < n; i++)
    if (variable_of[i] < 0 && !augment_matching(&s, i)) *perfect = false;
  return RITT_OK;
}

/* Raises c_i to what d of its own variable asks; true: it was raised. */
static bool raise_offset(const ritti_signature *sigma, const int *variable_of, const int *d, int i,
                         int *c) {
  int order = 0, j = variable_of[i];
  for (int e = sigma->start[i]; e < sigma->start[i + 1]; e++)
    if (sigma->var[e] == j) order = sigma->order[e];
  if (d[j] - order <= c[i]) return false;
  c[i] = d[j] - order;
  return true;
}

ritt_status ritti_offsets(const ritti_signature *sigma, const int *variable_of,
                          const int *equation_of, const int *c_least, const int *d_least, int *c,
                          int *d) {
  int n = sigma->n, count = 0, *queue = ritti_malloc(((size_t)n + 1) * sizeof *queue);
  bool *waits = ritti_malloc(((size_t)n + 1) * sizeof *waits);
  if (!queue || !waits) {
    ritti_free(queue);
    ritti_free(waits);
    return RITT_NO_MEMORY;
  }
  for (int i = 0; i < n; i++) c[i] = c_least[i], d[i] = d_least[i];
  /* equations wait in a ring while their c has not been passed on */
  for (int i = 0; i < n; i++) {
    raise_offset(sigma, variable_of, d, i, c);
    queue[count++] = i, waits[i] = true;
  }
  for (int at = 0; count > 0; at = (at + 1) % n, count--) {
    int i = queue[at];
    waits[i] = false;
    for (int e = sigma->start[i]; e < sigma->start[i + 1]; e++) {
      int j = sigma->var[e], owner = equation_of[j];
      if (sigma->order[e] + c[i] <= d[j]) continue;
      d[j] = sigma->order[e] + c[i];
      if (!raise_offset(sigma, variable_of, d, owner, c) || waits[owner]) continue;
      /* the place of i is free from here on */
      queue[(at + count) % n] = owner, waits[owner] = true;
      count++;
    }
  }
  ritti_free(queue);
  ritti_free(waits);
  return RITT_OK;
}
