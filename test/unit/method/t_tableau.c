/* Order conditions of every method, all of them: one for each rooted tree, which the program grows itself.
 *
 * A tree t = [t_1 ... t_k] has order 1 + sum of orders, density gamma = order * product of densities, and the
 * stage weights Phi_i(t) = prod_j sum_l a_il Phi_l(t_j). Weights b have order p iff sum_i b_i Phi_i(t) = 1 /
 * gamma(t) for all trees of order <= p; a dense output b(theta) has theta^order / gamma on the right.
 * (Butcher 1963; Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.2.)
 */
#include "check.h"
#include "method/method.h"

enum { ORDER = 9, TREES = 486, STAGES = 16 };

typedef struct tree {
  int order, children, child[ORDER];
  long double density;
} tree;

static tree trees[TREES];
static int tree_count;

/* All trees of the order of `t` when its children still to come have `left` vertices, each of them not after
 * `last`. */
static void grow(tree t, int left, int last) {
  if (left == 0) {
    t.density = t.order;
    for (int j = 0; j < t.children; j++) t.density *= trees[t.child[j]].density;
    if (tree_count < TREES) trees[tree_count] = t;
    tree_count++;
    return;
  }
  for (int k = last; k >= 0; k--) {
    if (trees[k].order > left) continue;
    t.child[t.children++] = k;
    grow(t, left - trees[k].order, k);
    t.children--;
  }
}

static void grow_all(void) {
  static const int known[] = {1, 1, 2, 4, 9, 20, 48, 115, 286};
  for (int order = 1; order <= ORDER; order++) {
    int before = tree_count;
    grow((tree){.order = order}, order - 1, before - 1);
    CHECK(tree_count - before == known[order - 1]);
  }
}

/* A method with its last stage (row b, at the new point) and the extra ones, and all weights of its trees.
 * `size` is the same with absolute values: the measure of rounding errors. */
typedef struct weights {
  int stages;
  long double a[STAGES][STAGES], phi[TREES][STAGES], size[TREES][STAGES];
} weights;

static void fill_rows(const ritti_tableau *t, weights *w) {
  memset(w, 0, sizeof *w);
  w->stages = t->stages + 1 + t->extra;
  for (int i = 0; i < t->stages; i++)
    for (int j = 0; j < i; j++) w->a[i][j] = t->a[i * (i - 1) / 2 + j];
  for (int j = 0; j < t->stages; j++) w->a[t->stages][j] = t->b[j];
  const ritt_real *row = t->extra_a;
  for (int i = t->stages + 1; i < w->stages; row += i++)
    for (int j = 0; j < i; j++) w->a[i][j] = row[j];
}

static void fill_weights(weights *w) {
  for (int k = 0; k < TREES; k++)
    for (int i = 0; i < w->stages; i++) {
      w->phi[k][i] = w->size[k][i] = 1;
      for (int j = 0; j < trees[k].children; j++) {
        long double sum = 0, size = 0;
        for (int l = 0; l < i; l++) {
          sum += w->a[i][l] * w->phi[trees[k].child[j]][l];
          size += fabsl(w->a[i][l]) * w->size[trees[k].child[j]][l];
        }
        w->phi[k][i] *= sum;
        w->size[k][i] *= size;
      }
    }
}

/* Weights of the stages, and the sizes of what was added up to them. */
typedef struct outer {
  int count;
  long double b[STAGES], size[STAGES];
} outer;

/* How far the weights are from the condition of tree k, and how far rounding may bring them: every
 * coefficient in a product is off by half a unit. */
static long double defect(const weights *w, int k, const outer *o, long double theta, long double *rounding) {
  long double sum = 0, size = 0;
  for (int i = 0; i < o->count; i++) {
    sum += o->b[i] * w->phi[k][i];
    size += o->size[i] * w->size[k][i];
  }
  *rounding = (trees[k].order + 1) * RITTI_EPS * size;
  return fabsl(sum - powl(theta, trees[k].order) / trees[k].density);
}

/* All conditions up to `order` hold; of the next order at least one is clearly violated. */
static void check_order(const char *name, const weights *w, const outer *o, long double theta, int order) {
  int violated = 0;
  for (int k = 0; k < TREES && trees[k].order <= order + 1; k++) {
    long double rounding, off = defect(w, k, o, theta, &rounding);
    if (trees[k].order > order) {
      violated += off > 1e-8L && off > 100 * rounding;
      continue;
    }
    if (!(off <= rounding)) printf("%s: tree %d of order %d is off by %Lg\n", name, k, trees[k].order, off);
    CHECK(off <= rounding);
  }
  CHECK(violated > 0);
}

static void check_rows(const ritti_tableau *t, const weights *w) {
  CHECK(t->c[0] == 0);
  for (int i = 0; i < w->stages; i++) {
    long double sum = 0, size = 0;
    for (int j = 0; j < i; j++) sum += w->a[i][j], size += fabsl(w->a[i][j]);
    ritt_real c = i < t->stages ? t->c[i] : i == t->stages ? 1 : t->extra_c[i - t->stages - 1];
    CHECK_NEAR(sum, c, RITTI_EPS * (double)(size + 1));
  }
}

/* The companions b - e: their order, and no more. */
static void check_companions(const ritti_tableau *t, const weights *w) {
  const ritt_real *estimates[] = {t->e, t->e3};
  const int orders[] = {t->embedded, 3};
  CHECK((t->e != NULL) == (t->embedded > 0));
  for (int k = 0; k < 2; k++) {
    if (!estimates[k]) continue;
    outer o = {.count = t->stages + t->fsal};
    for (int i = 0; i < o.count; i++) {
      long double b = i < t->stages ? t->b[i] : 0, e = estimates[k][i];
      o.b[i] = b - e;
      o.size[i] = fabsl(b) + fabsl(e);
    }
    check_order(t->name, w, &o, 1, orders[k]);
  }
}

static void check_dense(const ritti_tableau *t, const weights *w) {
  static const long double at[] = {0.1L, 0.25L, 1 / 3.0L, 0.5L, 0.77L, 0.95L};
  if (!t->dense) {
    CHECK(t->extra == 0);
    return;
  }
  int n = t->stages + t->fsal + t->extra;
  CHECK(t->fsal && n == w->stages);
  for (int k = 0; k < 6; k++) {
    outer o = {.count = n};
    for (int i = 0; i < n; i++)
      for (int q = t->dense_degree - 1; q >= 0; q--) {
        long double P = t->dense[i * t->dense_degree + q];
        o.b[i] = (o.b[i] + P) * at[k];
        o.size[i] = (o.size[i] + fabsl(P)) * at[k];
      }
    check_order(t->name, w, &o, at[k], t->dense_order);
  }
  // both ends: values 0 and b, derivatives V at either end
  for (int i = 0; i < n; i++) {
    const ritt_real *P = t->dense + i * t->dense_degree;
    long double value = 0, slope = 0, size = 0;
    for (int q = 1; q <= t->dense_degree; q++)
      value += P[q - 1], slope += q * (long double)P[q - 1], size += fabs(P[q - 1]);
    CHECK(P[0] == (i == 0));
    CHECK_NEAR(value, i < t->stages ? t->b[i] : 0, RITTI_EPS * (double)size);
    CHECK_NEAR(slope, i == t->stages, RITTI_EPS * t->dense_degree * (double)size);
  }
}

static void check_method(const ritti_tableau *t) {
  static weights w;
  fill_rows(t, &w);
  fill_weights(&w);
  outer o = {.count = t->stages};
  for (int i = 0; i < t->stages; i++) o.b[i] = t->b[i], o.size[i] = fabs(t->b[i]);
  CHECK(t->order < ORDER && w.stages <= STAGES);
  check_rows(t, &w);
  check_order(t->name, &w, &o, 1, t->order);
  check_companions(t, &w);
  check_dense(t, &w);
  CHECK(t->source && *t->source);
}

/* What users rely on by name. */
static void check_table(void) {
  static const struct {
    const char *name;
    int order, stages, embedded, dense_order;
    bool fsal;
  } known[] = {{"euler", 1, 1, 0, 0, false},
               {"rk4", 4, 4, 0, 0, false},
               {"dopri54", 5, 6, 4, 4, true},
               {"dop853", 8, 12, 5, 7, true}};
  for (int k = 0; k < 4; k++) {
    const ritti_tableau *t = ritti_method_find(known[k].name);
    CHECK(t != NULL);
    if (!t) continue;
    CHECK(t->order == known[k].order && t->stages == known[k].stages && t->embedded == known[k].embedded);
    CHECK(t->fsal == known[k].fsal && (t->dense ? t->dense_order : 0) == known[k].dense_order);
  }
  size_t count = 0;
  for (; ritti_method_get(count); count++)
    CHECK(ritti_method_find(ritti_method_get(count)->name) == ritti_method_get(count));
  CHECK(count >= 4);
  CHECK(!ritti_method_get(count + 1));
  CHECK(!ritti_method_find("dopri") && !ritti_method_find(""));
  CHECK(ritti_method_find("dop853") && ritti_method_find("dop853")->e3);
}

int main(void) {
  grow_all();
  CHECK(tree_count == TREES);
  check_table();
  for (size_t i = 0; ritti_method_get(i); i++) check_method(ritti_method_get(i));
  return CHECKS_DONE();
}
