/* The words of the kinds. */
#include "geometry/problem.h"

const char *ritti_kind_word(ritti_kind kind) {
  static const char *const word[] = {
#define X(id, text) text,
      RITTI_KINDS(X)
#undef X
  };
  return word[kind];
}
