/* if CONDITION then a else b -> a value.
 *
 * A condition on indices, numbers and parameters is decided here, and the branch that is not chosen
 * is not resolved. A condition that changes during the run keeps both branches, joined as
 * WHEN(u, a) + UNLESS(u, b), where u > 0 if a is chosen.
 */
#include "lang/resolve_impl.h"

/* The result of a condition: decided, reported (TOLD), or open until the run, when it holds for
 * u > 0 (WHERE_POSITIVE) or for u <= 0 (WHERE_NOT). */
typedef enum decision { NO, YES, TOLD, WHERE_POSITIVE, WHERE_NOT } decision;

/* The result of a comparison; order is -1, 0 or 1 for a < b, a = b and a > b. */
static decision compare_numbers(ritti_token_kind sign, int order) {
  switch (sign) {
  case T_EQUALS: return order == 0 ? YES : NO;
  case T_UNEQUAL: return order != 0 ? YES : NO;
  case T_LESS: return order < 0 ? YES : NO;
  case T_LESS_EQUAL: return order <= 0 ? YES : NO;
  case T_GREATER: return order > 0 ? YES : NO;
  default: return order >= 0 ? YES : NO;
  }
}

/* Checks that an operand of '=' or '<>' is a whole number. false: a mistake was reported. */
static bool check_whole(ritti_resolver *s, const ritti_node *n, ritti_expr e) {
  if (ritti_is_constant(s, e) && mpz_cmp_ui(mpq_denref(ritti_rational_of(s->dag, e)), 1) == 0)
    return true;
  ritti_say(s->reader, n->first,
            "compare other numbers with < <= > or >=", "'=' and '<>' compare whole numbers only");
  return false;
}

/* A comparison that changes during the run: computes u. */
static decision resolve_moving_condition(ritti_resolver *s, const ritti_node *n,
                                         const ritti_scope *scope, ritti_token_kind sign,
                                         ritti_expr *u) {
  ritti_expr a = ritti_resolve_expr(s, n->child, scope);
  ritti_expr b = ritti_resolve_expr(s, n->last, scope);

  /* a < b is b - a > 0, and a >= b is its contrary */
  bool less = sign == T_LESS || sign == T_GREATER_EQUAL;
  *u = less ? ritti_subtract(s->dag, b, a) : ritti_subtract(s->dag, a, b);
  bool strict = sign == T_LESS || sign == T_GREATER;
  return strict ? WHERE_POSITIVE : WHERE_NOT;
}

/* The values of the parameters on both sides decide a comparison: resolves both once more to note
 * them. */
static void note_values(ritti_resolver *s, const ritti_node *left, const ritti_node *right,
                        const ritti_scope *exact) {
  bool trial = s->trial;
  s->trial = false;
  (void)ritti_resolve_expr(s, left, exact);
  (void)ritti_resolve_expr(s, right, exact);
  s->trial = trial;
}

/* Decides a comparison, or computes u if it changes during the run. */
static decision decide_condition(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope,
                                 ritti_expr *u) {
  const ritti_node *left = n->child, *right = n->last;
  ritti_token_kind sign = (ritti_token_kind)ritti_token_at(s->reader, n->at)->kind;
  ritti_scope exact = *scope;
  int64_t i, j;
  double x, y;

  /* simple whole numbers */
  if (ritti_quick_number(s, left, &i) && ritti_quick_number(s, right, &j))
    return compare_numbers(sign, (i > j) - (i < j));

  /* exact numbers, the parameters being replaced by their values */
  bool trial = s->trial;
  exact.exact = true;
  s->trial = true;
  ritti_expr a = ritti_resolve_expr(s, left, &exact);
  ritti_expr b = ritti_resolve_expr(s, right, &exact);
  s->trial = trial;
  if (a == RITTI_NIL || b == RITTI_NIL) return TOLD;

  bool equality = sign == T_EQUALS || sign == T_UNEQUAL;
  if (equality && !(check_whole(s, left, a) && check_whole(s, right, b))) return TOLD;
  bool moving = ritti_is_moving(s, a) || ritti_is_moving(s, b);
  if (!moving) note_values(s, left, right, &exact);
  if (ritti_is_constant(s, a) && ritti_is_constant(s, b))
    return compare_numbers(sign,
                           mpq_cmp(ritti_rational_of(s->dag, a), ritti_rational_of(s->dag, b)));

  if (moving) return resolve_moving_condition(s, n, scope, sign, u);

  /* constants that are not rational */
  exact.subject = "the condition";
  bool known = ritti_number_of(s, a, left, &exact, &x) && ritti_number_of(s, b, right, &exact, &y);
  return known ? compare_numbers(sign, (x > y) - (x < y)) : TOLD;
}

/* A value that is resolved when it is needed, and only once: an expression, or a choice between two
 * other branches by a list of conditions, all of which (`all`) or one of which must hold. */
typedef struct branch branch;
struct branch {
  const ritti_node *node, *conditions;
  bool all, done;
  branch *then, *otherwise;
  ritti_value value;
};

static ritti_value choose_branch(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope,
                                 branch *then, branch *otherwise);

/* Chooses by a list of conditions joined by `and` (all) or `or`. */
static ritti_value choose_by_list(ritti_resolver *s, const ritti_node *first, bool all,
                                  const ritti_scope *scope, branch *then, branch *otherwise) {
  if (!first->next) return choose_branch(s, first, scope, then, otherwise);
  branch rest = {.conditions = first->next, .all = all, .then = then, .otherwise = otherwise};
  if (all) return choose_branch(s, first, scope, &rest, otherwise);
  return choose_branch(s, first, scope, then, &rest);
}

/* The value of a branch. */
static ritti_value branch_value(ritti_resolver *s, branch *b, const ritti_scope *scope) {
  if (!b->done)
    b->value = b->node ? ritti_resolve_value(s, b->node, scope)
                       : choose_by_list(s, b->conditions, b->all, scope, b->then, b->otherwise);
  b->done = true;
  return b->value;
}

/* Joins a for u > 0 and b for u <= 0, element by element. */
static ritti_value select_elements(ritti_resolver *s, ritti_expr u, ritti_value a, ritti_value b,
                                   uint32_t token) {
  if (ritti_failed(a) || ritti_failed(b) || u == RITTI_NIL) return ritti_failure();
  if (!ritti_same_shape(a.shape, b.shape)) {
    ritti_say(s->reader, token, "give both branches the same shape",
              "the branches do not go together: %s and %s", ritti_shape_words(s->reader, a.shape),
              ritti_shape_words(s->reader, b.shape));
    return ritti_failure();
  }

  size_t count = ritti_value_count(a);
  ritti_expr *at = ritti_elements_new(s, count);
  for (size_t i = 0; at && i < count; i++)
    at[i] = ritti_add(s->dag,
                      ritti_apply(s->dag, RITTI_WHEN, (ritti_expr[]){u, ritti_element(a, i)}, 2),
                      ritti_apply(s->dag, RITTI_UNLESS, (ritti_expr[]){u, ritti_element(b, i)}, 2));
  return ritti_array_value(a.shape, at);
}

/* The value of the branch that a condition chooses. Values that are not needed are not resolved. */
static ritti_value choose_branch(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope,
                                 branch *then, branch *otherwise) {
  /* not, and, or */
  ritti_expr u = RITTI_NIL;
  if (n->kind == N_NOT) return choose_branch(s, n->child, scope, otherwise, then);

  if (n->kind == N_AND || n->kind == N_OR)
    return choose_by_list(s, n->child, n->kind == N_AND, scope, then, otherwise);

  /* a comparison */
  switch (decide_condition(s, n, scope, &u)) {
  case YES: return branch_value(s, then, scope);
  case NO: return branch_value(s, otherwise, scope);
  case WHERE_POSITIVE:
    return select_elements(s, u, branch_value(s, then, scope), branch_value(s, otherwise, scope),
                           n->first);
  case WHERE_NOT:
    return select_elements(s, u, branch_value(s, otherwise, scope), branch_value(s, then, scope),
                           n->first);
  default: return ritti_failure();
  }
}

ritti_value ritti_resolve_if(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  branch then = {.node = n->child->next}, otherwise = {.node = n->last};
  return choose_branch(s, n->child, scope, &then, &otherwise);
}
