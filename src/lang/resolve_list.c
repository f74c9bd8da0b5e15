/* Arrays as they are written, [a, b, ...], and sums and products over ranges, sum(i in a..b, e) and
 * prod(...) -> values.
 */
#include "lang/resolve_impl.h"

/* [a, b, ...]: a vector of numbers, or arrays of one shape that become the rows of a larger
 * array */
ritti_value ritti_resolve_list(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  bool arrays;
  ritti_value *value = ritti_resolve_children(s, n, scope, &arrays);
  if (!value) return ritti_failure();

  /* the elements must have one shape */
  int64_t count[RITTI_RANK_LIMIT + 1] = {n->count};
  int rank = 1, k = 0;
  for (const ritti_node *c = n->child; c; c = c->next, k++)
    if (!ritti_same_shape(value[k].shape, value[0].shape)) {
      ritti_say(s->reader, c->first, "give all elements the same shape",
                "the elements of the array do not go together: %s and %s",
                ritti_shape_words(s->reader, value[0].shape),
                ritti_shape_words(s->reader, value[k].shape));
      return ritti_failure();
    }

  /* the shape: one direction more than the elements */
  for (int i = 0; arrays && i < value[0].shape->rank; i++) count[rank++] = value[0].shape->count[i];
  if (rank > RITTI_RANK_LIMIT) {
    ritti_say(s->reader, n->at, "use fewer", "an array has at most %d indices", RITTI_RANK_LIMIT);
    return ritti_failure();
  }

  /* the elements in order */
  const ritti_shape *shape = ritti_shape_new(s, rank, count);
  ritti_expr *at = shape ? ritti_elements_new(s, shape->size) : NULL;
  if (!at) return ritti_failure();
  size_t each = shape->size / (size_t)n->count;
  for (size_t i = 0; i < shape->size; i++) at[i] = ritti_element(value[i / each], i % each);
  return (ritti_value){.shape = shape, .at = at};
}

/* The terms of sum(...) or the factors of prod(...). */
typedef struct terms {
  const ritti_node *node;
  const ritti_scope *scope;
  const ritti_shape *shape;     /* shape of each term */
  RITTI_ARRAY(ritti_expr) list; /* the elements of all terms, one term after the other */
  size_t count;
  bool product;
} terms;

/* Adds the term of the present indices. false: a mistake was reported. */
static bool add_term(ritti_resolver *s, void *context) {
  terms *t = context;
  ritti_value v = ritti_resolve_value(s, t->node->last, t->scope);
  if (ritti_failed(v)) return false;

  /* all terms have one shape, and factors are numbers */
  if (t->count++ == 0) t->shape = v.shape;
  if (!ritti_same_shape(v.shape, t->shape) || (v.shape && t->product)) {
    /* the message depends on the function */
    const char *what = ritti_shape_words(s->reader, v.shape);
    if (t->product)
      ritti_say(s->reader, t->node->last->first,
                "multiply numbers, such as the elements of the array",
                "the factors of 'prod' are numbers, not %s", what);
    else
      ritti_say(s->reader, t->node->last->first, "give all terms the same shape",
                "the terms of 'sum' do not go together: %s and %s%s",
                ritti_shape_words(s->reader, t->shape), what, ritti_where(s));
    return false;
  }

  for (size_t i = 0; i < ritti_value_count(v); i++)
    if (RITTI_PUSH(t->list, ritti_element(v, i)) != RITT_OK) s->reader->status = RITT_NO_MEMORY;
  return s->reader->status == RITT_OK;
}

/* The sum or product of all terms. */
static ritti_value finish_terms(ritti_resolver *s, const ritti_node *n, const terms *t) {
  /* numbers */
  if (!t->shape) {
    ritti_expr e;
    if (t->product) e = ritti_product(s->dag, t->list.at, t->list.count);
    else e = ritti_sum(s->dag, t->list.at, t->list.count);
    return ritti_scalar(ritti_checked(s, e, n->at));
  }

  /* arrays: element by element */
  size_t size = t->shape->size;
  ritti_expr *at = ritti_elements_new(s, size);
  ritti_expr *one = ritti_elements_new(s, t->count);
  if (!at || !one) return ritti_failure();
  for (size_t i = 0; i < size; i++) {
    for (size_t k = 0; k < t->count; k++) one[k] = t->list.at[k * size + i];
    at[i] = ritti_checked(s, ritti_sum(s->dag, one, t->count), n->at);
    if (at[i] == RITTI_NIL) return ritti_failure();
  }
  return (ritti_value){.shape = t->shape, .at = at};
}

/* Resolves sum(i in a..b, e) and prod(...). */
ritti_value ritti_resolve_over(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  terms t = {.node = n, .scope = scope, .product = ritti_token_is(s->reader, n->at, "prod")};
  bool whole = ritti_each(s, n->child, n->last, add_term, &t);
  ritti_value v = whole ? finish_terms(s, n, &t) : ritti_failure();
  RITTI_ARRAY_FREE(t.list);
  return v;
}
