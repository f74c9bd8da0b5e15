/* Order conditions of every method, all of them: one for each rooted tree, which the program grows
 * itself.
 *
 * A tree t = [t_1 ... t_k] has order 1 + sum of orders, density gamma = order * product of
 * densities, and the stage weights Phi_i(t) = prod_j sum_l a_il Phi_l(t_j). Weights b have order p
 * iff sum_i b_i Phi_i(t) = 1 / gamma(t) for all trees of order <= p; a dense output b(theta) has
 * theta^order / gamma on the right. (Butcher 1963; Hairer, Norsett and Wanner, Solving Ordinary
 * Differential Equations I, section II.2.)
 */
#include "check.h"
#include "base/base.h"
#include "base/quad.h"

/* The tableaux once more, with all their digits. */
#undef RITTI_D
#define RITTI_D(digits)   __extension__ digits##Q
#define ritt_real         ritti_quad
#define ritti_method_get  quad_method_get
#define ritti_method_find quad_method_find
#include "step/tableau.c"

enum { ORDER = 13, TREES = 20299, STAGES = 27 };

typedef struct tree {
  int order, children, child[ORDER];
  double density;
} tree;

static tree trees[TREES];
static int tree_count;

/* All trees of the order of `t` when its children still to come have `left` vertices, each of them
 * not after `last`. */
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
  static const int known[] = {1, 1, 2, 4, 9, 20, 48, 115, 286, 719, 1842, 4766, 12486};
  for (int order = 1; order <= ORDER; order++) {
    int before = tree_count;
    grow((tree){.order = order}, order - 1, before - 1);
    CHECK(tree_count - before == known[order - 1]);
  }
}

/* A method with its last stage (row b, at the new point) and the extra ones, and all weights of its
 * trees: phi, and next = a phi. The sizes are the same with absolute values: the measure of
 * rounding errors. */
typedef struct weights {
  int stages;
  ritti_quad a[STAGES][STAGES], phi[TREES][STAGES], next[TREES][STAGES];
  double size[TREES][STAGES], next_size[TREES][STAGES];
} weights;

static void fill_rows(const ritti_tableau *t, weights *w) {
  memset(w, 0, sizeof *w);
  w->stages = t->stages + 1 + t->extra;
  bool full = t->family == RITTI_IMPLICIT;
  for (int i = 0; i < t->stages; i++)
    for (int j = 0; j < (full ? t->stages : i); j++)
      w->a[i][j] = t->a[full ? i * t->stages + j : i * (i - 1) / 2 + j];
  for (int j = 0; j < t->stages; j++) w->a[t->stages][j] = t->b[j];
  const ritti_quad *row = t->extra_a;
  for (int i = t->stages + 1; i < w->stages; row += i++)
    for (int j = 0; j < i; j++) w->a[i][j] = row[j];
}

/* of the trees up to `order` */
static void fill_weights(weights *w, int order) {
  for (int k = 0; k < TREES && trees[k].order <= order; k++) {
    for (int i = 0; i < w->stages; i++) {
      w->phi[k][i] = w->size[k][i] = 1;
      for (int j = 0; j < trees[k].children; j++) {
        w->phi[k][i] *= w->next[trees[k].child[j]][i];
        w->size[k][i] *= w->next_size[trees[k].child[j]][i];
      }
    }
    for (int i = 0; i < w->stages; i++)
      for (int l = 0; l < w->stages; l++) {
        if (w->a[i][l] == 0) continue;
        w->next[k][i] += w->a[i][l] * w->phi[k][l];
        w->next_size[k][i] += fabs((double)w->a[i][l]) * w->size[k][l];
      }
  }
}

/* Weights of the stages, and the sizes of what was added up to them. */
typedef struct outer {
  int count;
  ritti_quad b[STAGES];
  double size[STAGES];
} outer;

/* How far the weights are from the condition of tree k, and how far rounding may bring them: every
 * coefficient in a product is off by half a unit. */
static double defect(const weights *w, int k, const outer *o, ritti_quad theta, double *rounding) {
  ritti_quad sum = 0, right = 1;
  double size = 0;
  for (int i = 0; i < o->count; i++) {
    sum += o->b[i] * w->phi[k][i];
    size += o->size[i] * w->size[k][i];
  }
  for (int i = 0; i < trees[k].order; i++) right *= theta;
  *rounding = (trees[k].order + 1) * RITTI_QUAD_EPS * size;
  return fabs((double)(sum - right / trees[k].density));
}

/* All conditions up to `order` hold; of the next order at least one is clearly violated. */
static void check_order(const char *name, const weights *w, const outer *o, ritti_quad theta,
                        int order) {
  int violated = 0;
  for (int k = 0; k < TREES && trees[k].order <= order + 1; k++) {
    double rounding, off = defect(w, k, o, theta, &rounding);
    if (trees[k].order > order) {
      violated += off > 1e-10 && off > 100 * rounding;
      continue;
    }
    if (!(off <= rounding))
      printf("%s: tree %d of order %d is off by %g\n", name, k, trees[k].order, off);
    CHECK(off <= rounding);
  }
  CHECK(violated > 0);
}

static void check_rows(const ritti_tableau *t, const weights *w) {
  CHECK(t->family == RITTI_IMPLICIT || t->c[0] == 0);
  for (int i = 0; i < w->stages; i++) {
    ritti_quad sum = 0;
    double size = 0;
    for (int j = 0; j < w->stages; j++) sum += w->a[i][j], size += fabs((double)w->a[i][j]);
    ritti_quad c = i < t->stages ? t->c[i] : i == t->stages ? 1 : t->extra_c[i - t->stages - 1];
    CHECK_NEAR(sum - c, 0, RITTI_QUAD_EPS * (size + 1));
  }
}

/* The companions b - e: their order, and no more. */
static void check_companions(const ritti_tableau *t, const weights *w) {
  const ritti_quad *estimates[] = {t->e, t->e3};
  const int orders[] = {t->embedded, 3};
  CHECK(t->family == RITTI_IMPLICIT || (t->e != NULL) == (t->embedded > 0));
  for (int k = 0; k < 2; k++) {
    if (!estimates[k]) continue;
    outer o = {.count = t->stages + t->fsal};
    for (int i = 0; i < o.count; i++) {
      ritti_quad b = i < t->stages ? t->b[i] : 0, e = estimates[k][i];
      o.b[i] = b - e;
      o.size[i] = fabs((double)b) + fabs((double)e);
    }
    check_order(t->name, w, &o, 1, orders[k]);
  }
}

static void check_dense(const ritti_tableau *t, const weights *w) {
  static const double at[] = {0.1, 0.25, 1 / 3.0, 0.5, 0.77, 0.95};
  if (!t->dense) {
    CHECK(t->extra == 0);
    return;
  }
  int n = w->stages;
  for (int k = 0; k < 6; k++) {
    outer o = {.count = n};
    for (int i = 0; i < n; i++)
      for (int q = t->dense_degree - 1; q >= 0; q--) {
        ritti_quad P = t->dense[i * t->dense_degree + q];
        o.b[i] = (o.b[i] + P) * at[k];
        o.size[i] = (o.size[i] + fabs((double)P)) * at[k];
      }
    check_order(t->name, w, &o, at[k], t->dense_order);
  }
  /* both ends: values 0 and b, derivatives V at either end */
  for (int i = 0; i < n; i++) {
    const ritti_quad *P = t->dense + i * t->dense_degree;
    ritti_quad value = i < t->stages ? -t->b[i] : 0, slope = -(i == t->stages);
    double size = 0;
    for (int q = 1; q <= t->dense_degree; q++)
      value += P[q - 1], slope += q * P[q - 1], size += fabs((double)P[q - 1]);
    CHECK(P[0] == (i == 0));
    CHECK_NEAR(value, 0, RITTI_QUAD_EPS * (size + 1));
    CHECK_NEAR(slope, 0, RITTI_QUAD_EPS * t->dense_degree * (size + 1));
  }
}

/* x^q */
static ritti_quad power_of(ritti_quad x, int q) {
  ritti_quad product = 1;
  for (int i = 0; i < q; i++) product *= x;
  return product;
}

/* Implicit methods of orders beyond the trees, by Butcher's theorem: B(p), C(s) and D(s - 1) give
 * order p if p <= 2s. B(p + 1) does not hold. */
static void check_simplifying(const ritti_tableau *t) {
  int s = t->stages;
  for (int q = 1; q <= t->order + 1; q++) {
    ritti_quad sum = 0;
    for (int i = 0; i < s; i++) sum += t->b[i] * power_of(t->c[i], q - 1);
    double off = fabs((double)(sum - (ritti_quad)1 / q));
    if (q <= t->order) CHECK_NEAR(off, 0, 20 * RITTI_QUAD_EPS);
    else CHECK(off > 1e-10);
  }
  CHECK(t->order <= 2 * s);
  for (int q = 1; q <= s; q++)
    for (int i = 0; i < s; i++) {
      ritti_quad row = 0, column = 0;
      for (int j = 0; j < s; j++) {
        row += t->a[i * s + j] * power_of(t->c[j], q - 1);
        column += t->b[j] * power_of(t->c[j], q - 1) * t->a[j * s + i];
      }
      CHECK_NEAR((double)(row - power_of(t->c[i], q) / q), 0, 20 * RITTI_QUAD_EPS);
      if (q < s)
        CHECK_NEAR((double)(column - t->b[i] * (1 - power_of(t->c[i], q)) / q), 0,
                   20 * RITTI_QUAD_EPS);
    }
}

static void check_method(const ritti_tableau *t) {
  static weights w;
  if (t->family == RITTI_IMPLICIT && t->order >= ORDER) {
    check_simplifying(t);
    CHECK(t->source && *t->source);
    return;
  }
  fill_rows(t, &w);
  fill_weights(&w, t->order + 1 > t->embedded + 1 ? t->order + 1 : t->embedded + 1);
  outer o = {.count = t->stages};
  for (int i = 0; i < t->stages; i++) o.b[i] = t->b[i], o.size[i] = fabs((double)t->b[i]);
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
               {"heun", 2, 2, 0, 0, false},
               {"ralston", 2, 2, 0, 0, false},
               {"kutta3", 3, 3, 0, 0, false},
               {"rk4", 4, 4, 0, 0, false},
               {"rkf45", 4, 6, 5, 0, false},
               {"rkf45:5", 5, 6, 4, 0, false},
               {"dopri54", 5, 6, 4, 4, true},
               {"dopri54:4", 4, 7, 5, 0, false},
               {"tsit5", 5, 6, 4, 4, true},
               {"dop853", 8, 12, 5, 7, true},
               {"vern98", 9, 16, 8, 9, false},
               {"feagin12", 12, 25, 10, 0, false},
               {"implicit_euler", 1, 1, 1, 0, false},
               {"implicit_euler1", 1, 1, 1, 0, false},
               {"midpoint", 2, 1, 1, 0, false},
               {"gauss2", 2, 1, 1, 0, false},
               {"radau1", 3, 2, 1, 0, false},
               {"radau3", 3, 2, 2, 0, false},
               {"lobatto3a", 4, 3, 2, 0, false},
               {"gauss4", 4, 2, 2, 0, false},
               {"radau5", 5, 3, 3, 0, false},
               {"gauss6", 6, 3, 3, 0, false},
               {"radau9", 9, 5, 5, 0, false},
               {"radau13", 13, 7, 7, 0, false},
               {"radau2a3", 5, 3, 3, 0, false}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    const ritti_tableau *t = ritti_method_find(known[k].name);
    CHECK(t != NULL);
    if (!t) continue;
    CHECK(t->order == known[k].order && t->stages == known[k].stages &&
          t->embedded == known[k].embedded);
    CHECK(t->fsal == known[k].fsal && (t->dense ? t->dense_order : 0) == known[k].dense_order);
  }
  size_t count = 0;
  for (; ritti_method_get(count); count++)
    CHECK(ritti_method_find(ritti_method_get(count)->name) == ritti_method_get(count));
  CHECK(!ritti_method_get(count + 1));
  CHECK(!ritti_method_find("dopri") && !ritti_method_find(""));
  CHECK(ritti_method_find("dop853") && ritti_method_find("dop853")->e3);
  CHECK(ritti_method_find("radau2a3") == ritti_method_find("radau5"));
}

int main(void) {
  grow_all();
  CHECK(tree_count == TREES);
  check_table();
  for (size_t i = 0; ritti_method_get(i); i++)
    if (ritti_method_get(i)->family == RITTI_EXPLICIT) check_method(ritti_method_get(i));
  return CHECKS_DONE();
}
