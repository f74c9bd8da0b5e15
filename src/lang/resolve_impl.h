/* Private to unknown.c and resolve_*.c: functions that the kinds of expressions share. */
#ifndef RITTI_RESOLVE_IMPL_H
#define RITTI_RESOLVE_IMPL_H

#include "lang/lang_impl.h"

/* The value of an expression whose mistake was reported. */
static inline ritti_value ritti_failure(void) { return ritti_scalar(RITTI_NIL); }

/* The array of these elements, or a number if shape is NULL. Failed: there are no elements because
 * memory ran out. */
static inline ritti_value ritti_array_value(const ritti_shape *shape, const ritti_expr *at) {
  if (!at) return ritti_failure();
  if (!shape) return ritti_scalar(at[0]);
  return (ritti_value){.shape = shape, .at = at};
}

/* ---- resolve_expr.c ---- */

/* Resolves all children. NULL: one of them failed. The values are valid until the statement is
 * resolved. *arrays: one of them is an array. */
ritti_value *ritti_resolve_children(ritti_resolver *resolver, const ritti_node *node,
                                    const ritti_scope *scope, bool *arrays);
/* Resolves all children, which must be numbers. NULL: a mistake was reported. */
ritti_expr *ritti_resolve_numbers(ritti_resolver *resolver, const ritti_node *node,
                                  const ritti_scope *scope);

/* ---- the kinds of expressions; failed: a mistake was reported ---- */

ritti_value ritti_resolve_name(ritti_resolver *resolver, uint32_t token, int primes,
                               const ritti_scope *scope);
ritti_value ritti_resolve_index(ritti_resolver *resolver, const ritti_node *node, int primes,
                                const ritti_scope *scope);
/* The derivative of order k of a node. Names and elements are differentiated as variables. */
ritti_value ritti_resolve_derivative(ritti_resolver *resolver, const ritti_node *node, int k,
                                     uint32_t token, const ritti_scope *scope);
ritti_value ritti_resolve_path(ritti_resolver *resolver, const ritti_node *node, int primes,
                               const ritti_scope *scope);
ritti_value ritti_resolve_turn(ritti_resolver *resolver, const ritti_node *node,
                               const ritti_scope *scope);
/* The value of a symbol that is known, and of the element or slice that the node N_INDEX selects. */
ritti_value ritti_symbol_value(ritti_resolver *resolver, ritti_symbol *symbol, int primes,
                               uint32_t token, const ritti_scope *scope);
ritti_value ritti_indexed_symbol(ritti_resolver *resolver, const ritti_node *node,
                                 ritti_symbol *symbol, int primes, const ritti_scope *scope);
ritti_value ritti_resolve_sum(ritti_resolver *resolver, const ritti_node *node,
                              const ritti_scope *scope);
ritti_value ritti_resolve_product(ritti_resolver *resolver, const ritti_node *node,
                                  const ritti_scope *scope);
ritti_value ritti_resolve_negate(ritti_resolver *resolver, const ritti_node *node,
                                 const ritti_scope *scope);
ritti_value ritti_resolve_power(ritti_resolver *resolver, const ritti_node *node,
                                const ritti_scope *scope);
ritti_value ritti_resolve_list(ritti_resolver *resolver, const ritti_node *node,
                               const ritti_scope *scope);
ritti_value ritti_resolve_over(ritti_resolver *resolver, const ritti_node *node,
                               const ritti_scope *scope);
ritti_value ritti_resolve_if(ritti_resolver *resolver, const ritti_node *node,
                             const ritti_scope *scope);
ritti_value ritti_resolve_call(ritti_resolver *resolver, const ritti_node *node,
                               const ritti_scope *scope);

/* ---- unknown.c ---- */

/* The advice for a word of another language; NULL: none. */
const char *ritti_foreign_hint(const char *name);
/* Reports an unknown name once, at its first use; `key` is the name, with '(' after the name of a
 * function. */
void ritti_tell_unknown(ritti_resolver *resolver, uint32_t token, const char *key, const char *hint,
                        const char *text);

/* ---- resolve_name.c ---- */

extern const char *const ritti_kind_words[]; /* "a parameter", ... by the kind of a symbol */
void ritti_too_many_derivatives(ritti_resolver *resolver, uint32_t token);
/* The k-th total derivative of every element. */
ritti_value ritti_derivative(ritti_resolver *resolver, ritti_value value, int k, uint32_t token);
/* Does an expression depend on variables or on the independent variable? */
bool ritti_is_moving(ritti_resolver *resolver, ritti_expr expr);
/* The first column that a family of outputs of this name made; NULL: none. */
const char *ritti_first_column(ritti_resolver *resolver, uint32_t token);
/* The symbol of a name. NULL: the name is unknown, which was reported. */
ritti_symbol *ritti_symbol_of(ritti_resolver *resolver, uint32_t token, const ritti_scope *scope);
/* Is the symbol invisible in the body of a function? This is reported where the function is
 * defined. */
bool ritti_is_outside(const ritti_symbol *symbol, const ritti_scope *scope);
/* The value of element i of a name, with primes; i is 0 if the name is not an array. */
ritti_expr ritti_element_value(ritti_resolver *resolver, ritti_symbol *symbol, size_t i, int primes,
                               uint32_t token, const ritti_scope *scope);

/* ---- resolve_number.c ---- */

bool ritti_is_constant(const ritti_resolver *resolver,
                       ritti_expr expr); /* is it an exact number? */
double ritti_constant_value(const ritti_resolver *resolver, ritti_expr expr);
ritti_expr ritti_typed_number(ritti_resolver *resolver, const ritti_node *node);
/* Returns the expression if the numbers in it are in range and short enough. RITTI_NIL: a
 * mistake was reported. */
ritti_expr ritti_checked(ritti_resolver *resolver, ritti_expr expr, uint32_t token);
/* Checks a constant power before it is computed. false: a mistake was reported. */
bool ritti_check_power(ritti_resolver *resolver, ritti_expr base, ritti_expr exponent,
                       uint32_t token);

#endif
