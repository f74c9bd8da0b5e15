/* Shapes of arrays, and the memory and names of their elements. The last index varies fastest, and
 * each index may begin with any whole number.
 */
#include <inttypes.h>
#include <stdio.h>
#include "lang_impl.h"

ritti_expr *ritti_elements_new(ritti_resolver *s, size_t count) {
  ritti_expr *at = ritti_arena_alloc(s->values, count, sizeof *at);
  if (!at) s->reader->status = RITT_NO_MEMORY;
  return at;
}

ritti_shape *ritti_shape_new(ritti_resolver *s, int rank, const int64_t *count) {
  ritti_shape *shape = ritti_arena_alloc(s->values, 1, sizeof *shape);
  if (!shape) {
    s->reader->status = RITT_NO_MEMORY;
    return NULL;
  }

  /* indices from 1 */
  shape->rank = rank;
  shape->size = 1;
  for (int i = 0; i < rank; i++) {
    shape->low[i] = 1;
    shape->count[i] = count[i];
    shape->size *= (size_t)count[i];
  }
  return shape;
}

bool ritti_same_shape(const ritti_shape *a, const ritti_shape *b) {
  if (!a || !b) return a == b;
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (a->count[i] != b->count[i]) return false;
  return true;
}

const char *ritti_shape_words(ritti_reader *r, const ritti_shape *shape) {
  if (!shape) return "a number";
  if (shape->rank == 1) return ritti_words(r, "a vector of %" PRId64, shape->count[0]);

  /* the counts, joined by " x " */
  const char *size = "";
  for (int i = 0; i < shape->rank; i++)
    size = ritti_words(r, "%s%s%" PRId64, size, i ? " x " : "", shape->count[i]);
  return ritti_words(r, "a %s %s", size, shape->rank == 2 ? "matrix" : "array");
}

const char *ritti_element_name(ritti_arena *arena, const char *name, const ritti_shape *shape,
                               size_t element) {
  char text[24 * RITTI_RANK_LIMIT], *at = text;

  /* the factor `step` of index i is the product of the counts after it */
  size_t step = shape->size;
  for (int i = 0; i < shape->rank; i++) {
    step /= (size_t)shape->count[i];
    int64_t index = shape->low[i] + (int64_t)(element / step);
    element %= step;
    at += snprintf(at, (size_t)(text + sizeof text - at), "%s%" PRId64, i ? "," : "", index);
  }
  return ritti_arena_format(arena, "%s[%s]", name, text);
}
