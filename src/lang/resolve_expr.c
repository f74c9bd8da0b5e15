/* Syntax tree -> DAG: binds names, applies functions, takes derivatives, and refuses constants that
 * have no value. This file is the switch over the kinds of nodes; each file resolve_*.c treats one
 * kind of expression.
 *
 * All mistakes of an expression are reported, not only the first; its value is then RITTI_NIL. An
 * unknown name is reported once, where the file first uses it.
 */
#include "lang/resolve_impl.h"

ritti_value *ritti_resolve_children(ritti_resolver *s, const ritti_node *n,
                                    const ritti_scope *scope, bool *arrays) {
  ritti_value *value = ritti_arena_alloc(s->values, (size_t)n->count, sizeof *value);
  if (!value) {
    s->reader->status = RITT_NO_MEMORY;
    return NULL;
  }

  /* resolve all of them, also after a mistake */
  bool whole = true;
  int i = 0;
  *arrays = false;
  for (const ritti_node *c = n->child; c; c = c->next, i++) {
    value[i] = ritti_resolve_value(s, c, scope);
    whole &= !ritti_failed(value[i]);
    *arrays |= value[i].shape != NULL;
  }
  return whole ? value : NULL;
}

ritti_expr *ritti_resolve_numbers(ritti_resolver *s, const ritti_node *n,
                                  const ritti_scope *scope) {
  bool arrays;
  ritti_value *value = ritti_resolve_children(s, n, scope, &arrays);
  ritti_expr *e = value ? ritti_elements_new(s, (size_t)n->count) : NULL;
  int i = 0;

  /* report the first array */
  for (const ritti_node *c = n->child; e && c; c = c->next, i++) {
    e[i] = value[i].one;
    if (!value[i].shape) continue;

    /* the operator or function takes numbers only */
    const char *what = ritti_shape_words(s->reader, value[i].shape);
    if (n->kind == N_CALL)
      ritti_say(s->reader, c->first, "apply it to the elements, such as x[1]",
                "the function '%s' takes a number, not %s", ritti_quote(s->reader, n->at), what);
    else
      ritti_say(s->reader, n->at, "write the power of each element, such as x[1]^2",
                "'^' takes numbers, not %s", what);
    return NULL;
  }
  return e;
}

ritti_value ritti_resolve_value(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  switch (n->kind) {
  case N_NUMBER: return ritti_scalar(ritti_typed_number(s, n));
  case N_PI: return ritti_scalar(ritti_pi(s->dag));
  case N_NAME: return ritti_resolve_name(s, n->at, 0, scope);
  case N_CALL: return ritti_resolve_call(s, n, scope);
  case N_SUM: return ritti_resolve_sum(s, n, scope);
  case N_PRODUCT: return ritti_resolve_product(s, n, scope);
  case N_NEGATE: return ritti_resolve_negate(s, n, scope);
  case N_POWER: return ritti_resolve_power(s, n, scope);
  case N_PRIME: return ritti_resolve_derivative(s, n->child, n->count, n->at, scope);
  case N_INDEX: return ritti_resolve_index(s, n, 0, scope);
  case N_LIST: return ritti_resolve_list(s, n, scope);
  case N_OVER: return ritti_resolve_over(s, n, scope);
  case N_IF: return ritti_resolve_if(s, n, scope);
  case N_PATH: return ritti_resolve_path(s, n, 0, scope);
  case N_TURN: return ritti_resolve_turn(s, n, scope);
  default: return ritti_failure(); /* conditions and ranges are parts of other nodes */
  }
}

ritti_expr ritti_resolve_expr(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_value v = ritti_resolve_value(s, n, scope);
  if (!v.shape) return v.one;
  ritti_say(s->reader, n->first, "write one of its elements, such as x[1]",
            "%s is used where a number is needed", ritti_shape_words(s->reader, v.shape));
  return RITTI_NIL;
}
