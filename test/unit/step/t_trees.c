/* Trees by identities that hold for all of them together, and orders found where they are known. */
#include "check.h"
#include "step/method.h"
#include "step/trees.h"

static ritti_trees trees;

/* The product of the factorials of how often children are equal; they stand in descending order. */
static double repetitions(int t) {
  double product = 1;
  int run = 0, child = -1;
  for (int u = t; u > 0; u = trees.left[u]) {
    run = trees.right[u] == child ? run + 1 : 1;
    child = trees.right[u];
    product *= run;
  }
  return product;
}

/* the symmetry of a tree: that of its children, and of equal ones among them */
static double sigma_of(int t) {
  double sigma = repetitions(t);
  for (int u = t; u > 0; u = trees.left[u]) sigma *= sigma_of(trees.right[u]);
  return sigma;
}

static double factorial(int n) { return n > 1 ? n * factorial(n - 1) : 1; }

static double power(double base, int n) { return n > 0 ? base * power(base, n - 1) : 1; }

/* Of order n there are (n-1)! monotone labellings, n! / (gamma sigma) of each tree, and n^(n-1)
 * labellings, n! / sigma of each (Cayley). */
static void check_sums(void) {
  ritti_trees_grow(&trees, RITTI_TREE_ORDER);
  CHECK(trees.count == RITTI_TREES);
  for (int n = 1; n <= RITTI_TREE_ORDER; n++) {
    double monotone = 0, all = 0;
    for (int t = trees.first[n]; t < trees.first[n + 1]; t++) {
      CHECK(trees.order[t] == n && trees.density[t] == floor(trees.density[t]));
      monotone += factorial(n) / (trees.density[t] * sigma_of(t));
      all += factorial(n) / sigma_of(t);
    }
    CHECK_NEAR(monotone, factorial(n - 1), 1e-9 * factorial(n - 1));
    CHECK_NEAR(all, power(n, n - 1), 1e-9 * power(n, n - 1));
  }
}

/* Methods with s stages of Gauss have order 2s. */
static void check_gauss(void) {
  double r = sqrt(3) / 6, a[] = {0.25, 0.25 - r, 0.25 + r, 0.25}, b[] = {0.5, 0.5},
         off[] = {0.5, 0.5 + 1e-9};
  int order = -1;
  CHECK(ritti_order_find(2, a, b, 12, &order) == RITT_OK && order == 4);
  CHECK(ritti_order_find(2, a, b, 3, &order) == RITT_OK && order == 3);
  CHECK(ritti_order_find(2, a, off, 12, &order) == RITT_OK && order == 0);
}

/* The table says what is found. */
static void check_explicit(const ritti_tableau *t) {
  enum { MOST = 32 };
  static ritt_real a[MOST * MOST], b[MOST];
  int s = t->stages + t->fsal, order = -1;
  memset(a, 0, sizeof a);
  for (int i = 1; i < t->stages; i++)
    for (int j = 0; j < i; j++) a[i * s + j] = t->a[i * (i - 1) / 2 + j];
  for (int j = 0; t->fsal && j < t->stages; j++) a[t->stages * s + j] = t->b[j];
  for (int j = 0; j < s; j++) b[j] = j < t->stages ? t->b[j] : 0;
  CHECK(ritti_order_find(s, a, b, 12, &order) == RITT_OK && order == t->order);
  for (int j = 0; t->e && j < s; j++) b[j] -= t->e[j];
  CHECK(!t->e || (ritti_order_find(s, a, b, 12, &order) == RITT_OK && order == t->embedded));
}

/* How far methods are stable: where as many stages as the order leave no freedom, 1 - x + x^2/2 -
 * ... = 1 or -1. */
static void check_stability(void) {
  static const struct {
    const char *name;
    double value;
  } known[] = {{"euler", 2},
               {"heun", 2},
               {"ralston", 2},
               {"kutta3", 2.512745326618329},
               {"rk4", 2.785293563405282}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    CHECK_NEAR(ritti_tableau_stability(ritti_method_find(known[i].name)), known[i].value, 1e-6);
}

int main(void) {
  check_stability();
  check_sums();
  check_gauss();
  for (size_t i = 0; ritti_method_get(i); i++)
    if (ritti_method_get(i)->family == RITTI_EXPLICIT) check_explicit(ritti_method_get(i));
  return CHECKS_DONE();
}
