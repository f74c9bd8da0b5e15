/* Sums, products, signs and powers of numbers and arrays -> the DAG.
 *
 * Arrays of one shape are added element by element; a number times an array, matrix times
 * vector and matrix times matrix are defined; everything else is reported at the sign.
 */
#include "lang/resolve_impl.h"

/* Is the node joined to its left neighbour by this sign? */
static bool has_sign(const ritti_resolver *s, const ritti_node *n, ritti_token_kind kind) {
  return n->sign != NO_TOKEN && ritti_token_at(s->reader, n->sign)->kind == kind;
}

/* The sum of arrays, which must have one shape. */
static ritti_value array_sum(ritti_resolver *s, const ritti_node *n, const ritti_value *term) {
  /* compare the shapes */
  const ritti_shape *shape = term[0].shape;
  int k = 1;
  for (const ritti_node *c = n->child->next; c; c = c->next, k++) {
    if (ritti_same_shape(term[k].shape, shape)) continue;
    const char *sign = ritti_quote(s->reader, c->sign);
    const char *a = ritti_shape_words(s->reader, shape);
    ritti_say(s->reader, c->sign, "both sides of it must have the same shape",
              "%s and %s do not go together at '%s'%s", a,
              ritti_shape_words(s->reader, term[k].shape), sign, ritti_where(s));
    return ritti_failure();
  }

  /* add element by element */
  ritti_expr *at = ritti_elements_new(s, shape->size);
  ritti_expr *one = ritti_elements_new(s, (size_t)n->count);
  for (size_t i = 0; at && one && i < shape->size; i++) {
    k = 0;
    for (const ritti_node *c = n->child; c; c = c->next, k++)
      one[k] = has_sign(s, c, T_MINUS) ? ritti_negate(s->dag, term[k].at[i]) : term[k].at[i];
    at[i] = ritti_checked(s, ritti_sum(s->dag, one, (size_t)n->count), n->at);
    if (at[i] == RITTI_NIL) return ritti_failure();
  }
  return ritti_array_value(shape, one ? at : NULL);
}

ritti_value ritti_resolve_sum(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  bool arrays;
  ritti_value *value = ritti_resolve_children(s, n, scope, &arrays);
  if (!value) return ritti_failure();
  if (arrays) return array_sum(s, n, value);

  /* a sum of numbers */
  ritti_expr *term = ritti_elements_new(s, (size_t)n->count);
  if (!term) return ritti_failure();
  int i = 0;
  for (const ritti_node *c = n->child; c; c = c->next, i++)
    term[i] = has_sign(s, c, T_MINUS) ? ritti_negate(s->dag, value[i].one) : value[i].one;
  return ritti_scalar(ritti_checked(s, ritti_sum(s->dag, term, (size_t)n->count), n->at));
}

/* Matrix times vector, or matrix times matrix; the inner sizes agree. */
static ritti_value matrix_product(ritti_resolver *s, ritti_value a, ritti_value b, uint32_t sign) {
  int64_t count[2] = {a.shape->count[0], b.shape->rank == 2 ? b.shape->count[1] : 1};
  size_t inner = (size_t)a.shape->count[1], columns = (size_t)count[1];

  /* count the products, which may be many */
  if (!ritti_expand(s, sign, (uint64_t)count[0] * columns * inner, "the number of products is"))
    return ritti_failure();

  /* row times column */
  const ritti_shape *shape = ritti_shape_new(s, b.shape->rank, count);
  ritti_expr *term = ritti_elements_new(s, inner);
  ritti_expr *at = shape ? ritti_elements_new(s, shape->size) : NULL;
  if (!term || !at) return ritti_failure();

  for (size_t i = 0; i < (size_t)count[0]; i++)
    for (size_t j = 0; j < columns; j++) {
      for (size_t k = 0; k < inner; k++)
        term[k] = ritti_multiply(s->dag, a.at[i * inner + k], b.at[k * columns + j]);
      at[i * columns + j] = ritti_sum(s->dag, term, inner);
    }
  return (ritti_value){.shape = shape, .at = at};
}

/* The product of two arrays; `sign` is the token between them. */
static ritti_value array_product(ritti_resolver *s, ritti_value a, ritti_value b, uint32_t sign) {
  ritti_reader *r = s->reader;
  bool fits = a.shape->rank == 2 && b.shape->rank <= 2 && a.shape->count[1] == b.shape->count[0];
  if (fits) return matrix_product(s, a, b, sign);

  /* report shapes that have no product */
  const char *x = ritti_shape_words(r, a.shape), *y = ritti_shape_words(r, b.shape);
  if (a.shape->rank == 1 && b.shape->rank == 1)
    ritti_say(r, sign,
              "write dot(a, b), or cross(a, b), or a family for the products of the elements",
              "two vectors have no product '*'");
  else
    ritti_say(r, sign, "the matrix on the left needs as many columns as the right side has rows",
              "%s times %s is not defined%s", x, y, ritti_where(s));
  return ritti_failure();
}

/* The product of numbers and arrays: the arrays from left to right, times all numbers. */
static ritti_value mixed_product(ritti_resolver *s, const ritti_node *n, const ritti_value *value) {
  ritti_expr *factor = ritti_elements_new(s, (size_t)n->count);
  ritti_expr inverse = ritti_number(s->dag, -1, 1);
  ritti_value array = {0};
  size_t count = 1; /* factor[0] is the element of the array */
  int i = 0;
  if (!factor) return ritti_failure();

  /* collect the numbers and multiply the arrays */
  for (const ritti_node *c = n->child; c; c = c->next, i++) {
    bool over = has_sign(s, c, T_OVER);
    if (!value[i].shape) {
      factor[count++] = over ? ritti_power(s->dag, value[i].one, inverse) : value[i].one;
      continue;
    }
    /* an array */
    if (over) {
      ritti_say(s->reader, c->sign, "divide by a number, or write a family for the elements",
                "nothing can be divided by %s", ritti_shape_words(s->reader, value[i].shape));
      return ritti_failure();
    }
    array = array.shape ? array_product(s, array, value[i], c->sign) : value[i];
    if (ritti_failed(array)) return array;
  }

  /* multiply each element by the numbers */
  ritti_expr *at = ritti_elements_new(s, array.shape->size);
  for (size_t k = 0; at && k < array.shape->size; k++) {
    factor[0] = array.at[k];
    at[k] = ritti_checked(s, ritti_product(s->dag, factor, count), n->at);
    if (at[k] == RITTI_NIL) return ritti_failure();
  }
  return ritti_array_value(array.shape, at);
}

ritti_value ritti_resolve_product(ritti_resolver *s, const ritti_node *n,
                                  const ritti_scope *scope) {
  bool arrays;
  ritti_value *value = ritti_resolve_children(s, n, scope, &arrays);
  ritti_expr *factor = value ? ritti_elements_new(s, (size_t)n->count) : NULL;
  ritti_expr inverse = ritti_number(s->dag, -1, 1);
  if (!factor) return ritti_failure();

  /* the factors; a factor after '/' becomes 1/x */
  int i = 0;
  for (const ritti_node *c = n->child; c; c = c->next, i++) {
    bool over = has_sign(s, c, T_OVER);
    if (over && !value[i].shape && ritti_is_zero(s->dag, value[i].one)) {
      ritti_say(s->reader, c->sign, NULL, "this divides by zero%s", ritti_where(s));
      return ritti_failure();
    }
    if (!arrays) factor[i] = over ? ritti_power(s->dag, value[i].one, inverse) : value[i].one;
  }

  if (arrays) return mixed_product(s, n, value);
  return ritti_scalar(ritti_checked(s, ritti_product(s->dag, factor, (size_t)n->count), n->at));
}

ritti_value ritti_resolve_negate(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_value v = ritti_resolve_value(s, n->child, scope);
  if (ritti_failed(v)) return v;
  if (!v.shape) return ritti_scalar(ritti_negate(s->dag, v.one));

  /* element by element */
  ritti_expr *at = ritti_elements_new(s, v.shape->size);
  for (size_t i = 0; at && i < v.shape->size; i++) at[i] = ritti_negate(s->dag, v.at[i]);
  return ritti_array_value(v.shape, at);
}

ritti_value ritti_resolve_power(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_expr *value = ritti_resolve_numbers(s, n, scope);
  if (!value || !ritti_check_power(s, value[0], value[1], n->at)) return ritti_failure();
  return ritti_scalar(ritti_checked(s, ritti_power(s->dag, value[0], value[1]), n->at));
}
