/* The order of Runge-Kutta methods, by rooted trees.
 *
 * A tree t = [t_1 ... t_k] (its root carries the trees t_1, ..., t_k) has order 1 + sum of orders,
 * density gamma(t) = order * product of densities, and the weights Phi_i(t) = prod_j sum_l a_il
 * Phi_l(t_j). Weights b have order p iff sum_i b_i Phi_i(t) = 1 / gamma(t) for all trees of order
 * <= p (Butcher 1963; Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, II.2).
 */
#include "step/trees.h"

void ritti_trees_grow(ritti_trees *T, int order) {
  T->count = 1, T->first[0] = T->first[1] = 0, T->first[2] = 1;
  T->order[0] = 1, T->left[0] = T->right[0] = -1, T->density[0] = 1;
  for (int p = 2; p <= order && p <= RITTI_TREE_ORDER; p++) {
    /* The root's trees stand in descending order, so every tree grows in one way: by its last. */
    int before = T->first[p] = T->count;
    for (int left = 0; left < before; left++) {
      int rest = p - T->order[left];
      int last = left ? T->right[left] : before - 1;
      for (int right = T->first[rest]; right < T->first[rest + 1] && right <= last; right++) {
        int t = T->count++;
        T->order[t] = p, T->left[t] = left, T->right[t] = right;
        T->density[t] = p * (T->density[left] / T->order[left]) * T->density[right];
      }
    }
    T->first[p + 1] = T->count;
  }
}

/* Of every tree: Phi_i, (a Phi)_i, and the same of absolute values, which measures rounding. */
typedef struct weights {
  int stages;
  const ritt_real *a;
  ritt_real *phi, *next, *size, *next_size; /* trees x stages */
} weights;

static void weigh_tree(const ritti_trees *T, weights *w, int t) {
  int s = w->stages;
  size_t at = (size_t)t * (size_t)s;
  for (int i = 0; i < s; i++) {
    size_t left = (size_t)(t ? T->left[t] : 0) * (size_t)s + (size_t)i;
    size_t right = (size_t)(t ? T->right[t] : 0) * (size_t)s + (size_t)i;
    w->phi[at + (size_t)i] = t ? w->phi[left] * w->next[right] : 1;
    w->size[at + (size_t)i] = t ? w->size[left] * w->next_size[right] : 1;
  }
  for (int i = 0; i < s; i++) {
    ritt_real sum = 0, size = 0;
    for (int j = 0; j < s; j++) {
      ritt_real a = w->a[i * s + j];
      sum += a * w->phi[at + (size_t)j];
      size += RITTI_MATH(fabs)(a) * w->size[at + (size_t)j];
    }
    w->next[at + (size_t)i] = sum, w->next_size[at + (size_t)i] = size;
  }
}

static ritt_status find_order(int stages, const ritt_real *a, const ritt_real *b, int most,
                              ritti_arena *arena, int *order) {
  ritti_trees *T;
  weights w = {.stages = stages, .a = a};
  RITTI_NEW(T, arena, 1);
  ritti_trees_grow(T, most);
  int entries = T->count * stages;
  RITTI_NEW_ARRAYS(arena, entries, w.phi, w.next, w.size, w.next_size);
  for (*order = 0; *order < most; ++*order)
    for (int t = T->first[*order + 1]; t < T->first[*order + 2]; t++) {
      weigh_tree(T, &w, t);

      ritt_real sum = 0, size = 0;
      size_t at = (size_t)t * (size_t)w.stages;
      for (int i = 0; i < w.stages; i++) {
        sum += b[i] * w.phi[at + (size_t)i];
        size += RITTI_MATH(fabs)(b[i]) * w.size[at + (size_t)i];
      }
      /* every coefficient may be off by a few units in its last place */
      ritt_real rounding = 8 * (ritt_real)(T->order[t] + 1) * RITTI_EPS * size;
      if (!(RITTI_MATH(fabs)(sum - 1 / (ritt_real)T->density[t]) <= rounding)) return RITT_OK;
    }
  return RITT_OK;
}

ritt_status ritti_order_find(int stages, const ritt_real *a, const ritt_real *b, int most,
                             int *order) {
  ritti_arena *arena = ritti_arena_new();
  if (!arena) return RITT_NO_MEMORY;
  ritt_status status =
      find_order(stages, a, b, most < RITTI_TREE_ORDER ? most : RITTI_TREE_ORDER, arena, order);
  ritti_arena_free(arena);
  return status;
}
