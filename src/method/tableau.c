/* The table of methods, made of tableaux.def and taylor.def. A method is one entry there and nothing else
 * here. */
#include "method/method.h"

#define RITTI_Q(p, q) ((ritt_real)(p) / (ritt_real)(q))
#define REALS(...)    ((const ritt_real[]){__VA_ARGS__})

static const ritti_tableau methods[] = {
#define METHOD(word, ...) {.name = #word, __VA_ARGS__},
#include "method/tableaux.def"
#undef METHOD
#define TAYLOR(text, ...) {.name = text, __VA_ARGS__},
#define SERIES(k)                                                                                            \
  {.name = "taylor:" #k,                                                                                     \
   .family = RITTI_TAYLOR,                                                                                   \
   .order = k,                                                                                               \
   .stages = 1,                                                                                              \
   .embedded = k - 1,                                                                                        \
   .source = "Moore 1966"},
#include "method/taylor.def"
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
