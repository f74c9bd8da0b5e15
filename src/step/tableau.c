/* The table of methods, made of tableaux.def and taylor.def. A method is one entry there and
 * nothing else here. */
#include "step/method.h"

#define RITTI_Q(p, q) ((ritt_real)(p) / (ritt_real)(q))
#define REALS(...)    ((const ritt_real[]){__VA_ARGS__})

static const ritti_tableau methods[] = {
#define METHOD(word, ...) {.name = #word, __VA_ARGS__},
#include "step/tableaux.def"
#undef METHOD
#define TAYLOR(text, ...) {.name = text, __VA_ARGS__},
#define SERIES(k)                                                                                  \
  {.name = "taylor:" #k,                                                                           \
   .family = RITTI_TAYLOR,                                                                         \
   .order = k,                                                                                     \
   .stages = 1,                                                                                    \
   .embedded = k - 1,                                                                              \
   .source = "Moore 1966"},
#include "step/taylor.def"
#undef TAYLOR
#undef SERIES
};

const ritti_tableau *ritti_method_get(size_t i) {
  return i < sizeof methods / sizeof *methods ? methods + i : NULL;
}

const ritti_tableau *ritti_method_find(const char *name) {
  for (size_t i = 0; ritti_method_get(i); i++)
    if (!strcmp(methods[i].name, name) || (methods[i].also && !strcmp(methods[i].also, name)))
      return methods + i;
  return NULL;
}

static bool is_stable(const ritti_tableau *t, ritt_real x, ritt_real *k) {
  /* The method applied to y' = -x y, y = 1, with step 1. */
  ritt_real R = 1;
  for (int i = 0; i < t->stages; i++) {
    ritt_real y = 1;
    for (int j = 0; j < i; j++) y += t->a[i * (i - 1) / 2 + j] * k[j];
    k[i] = -x * y;
  }
  for (int i = 0; i < t->stages; i++) R += t->b[i] * k[i];

  return R <= 1 && R >= -1;
}

ritt_real ritti_tableau_stability(const ritti_tableau *t) {
  enum { MOST_STAGES = 64, HALVINGS = 20 };
  const ritt_real most = 100, step = (ritt_real)0.0625;
  ritt_real k[MOST_STAGES], low = 0, high = step;
  if (t->stages > MOST_STAGES) return 0;
  while (high < most && is_stable(t, high, k)) low = high, high += step;
  for (int i = 0; i < HALVINGS; i++) {
    ritt_real middle = (low + high) / 2;
    if (is_stable(t, middle, k)) low = middle;
    else high = middle;
  }
  return low;
}
