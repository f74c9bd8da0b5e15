/* Switching surfaces: functions of one side.
 *
 * abs(u), sign(u), min, max and if are smooth on either side of u = 0. Here the side becomes a
 * number s = 1 or -1 of its own, beside the parameters: abs(u) is s u, sign(u) is s, max(a, b) is a
 * where s > 0 and b else. On each side the functions go on smoothly beyond the surface, so that a
 * method keeps its order up to it and a point on the surface has the values of the side that is
 * meant.
 *
 * Roots and logarithms do not go on: sqrt(abs(u)) would be sqrt(-u) beyond the surface, which has
 * no value, and no step that ends near the surface could be made. Below them what is continuous
 * stays as it is, and has its value on both sides; steps end at the surface all the same. In a
 * branch of an if, their arguments are replaced by their absolute values beyond the surface of the
 * condition: `if h > hw then (h - hw)^(3/2) else 0` has a value at a stage with h < hw.
 */
#include "tape/eval_impl.h"

/* The surfaces in their normal forms. */
typedef struct sides {
  const ritti_reduced *r;
  ritti_expr *form;
  bool *reversed; /* the function of the surface and its normal form have different signs */
  ritt_status status;
} sides;

/* The surface of the argument u, and whether u has the other sign than its function; -1: none. */
static int surface_of(const sides *all, ritti_dag *dag, ritti_expr u, bool *reversed) {
  bool other;
  ritti_expr form = ritti_surface_form(dag, u, &other);
  for (int i = 0; i < all->r->kinks - all->r->validities; i++) {
    if (all->form[i] != form || all->r->kink[i].cone) continue;
    *reversed = other != all->reversed[i];
    return i;
  }
  return -1;
}

/* (a where u > 0 else b), u the argument of surface i */
static ritti_expr choose_side(ritti_dag *dag, ritti_expr side, ritti_expr a, ritti_expr b) {
  return ritti_add(dag, ritti_apply(dag, RITTI_WHEN, (ritti_expr[]){side, a}, 2),
                   ritti_apply(dag, RITTI_UNLESS, (ritti_expr[]){side, b}, 2));
}

/* The largest whole number up to u that is even, or odd, near u: floor(u) between two of its jumps,
 * at which sin(pi*u) vanishes. 2 floor((2u + 1)/4) is the even one, 2 floor((2u + 3)/4) - 1 the odd
 * one. */
static ritti_expr staircase_monitor(ritti_dag *dag, ritti_expr u, bool odd) {
  ritti_expr quarter = ritti_divide(dag,
                                    ritti_add(dag, ritti_multiply(dag, ritti_number(dag, 2, 1), u),
                                              ritti_number(dag, odd ? 3 : 1, 1)),
                                    ritti_number(dag, 4, 1));
  ritti_expr twice =
      ritti_multiply(dag, ritti_number(dag, 2, 1), ritti_apply(dag, RITTI_FLOOR, &quarter, 1));
  return odd ? ritti_subtract(dag, twice, ritti_number(dag, 1, 1)) : twice;
}

/* A table by the polynomials of every second piece. If its argument has kinks of its own (mod), the
 * polynomials continue beyond the ends. */
static ritti_expr of_parity(ritti_dag *dag, ritti_expr node, ritti_expr u, int parity) {
  double code = ritti_table_code_of(dag, node);
  int order = ritti_table_order(code);
  if (u != ritti_argument(dag, node, 0)) order += RITTI_TABLE_BEYOND;
  return ritti_table_at(dag, ritti_table_of_code(code), order, parity, u);
}

/* `value` if the table has a value at the argument as it is, without sides; else nothing. */
static ritti_expr if_table_has(ritti_dag *dag, ritti_expr node, ritti_expr value) {
  ritti_expr one = ritti_number(dag, 1, 1), two = ritti_number(dag, 2, 1);
  ritti_expr positive = ritti_add(dag, one, ritti_power(dag, node, two));
  return ritti_apply(dag, RITTI_WHEN, (ritti_expr[]){positive, value}, 2);
}

/* Is this a function of numbers above 0 alone? */
static bool ends_at_zero(const ritti_dag *dag, ritti_expr node) {
  ritti_op op = ritti_op_of(dag, node);
  if (op != RITTI_POWER) return ritti_op_arguments[op] == 1 && isnan(ritti_op_value(op, -0.5, 0));
  ritti_expr exponent = ritti_argument(dag, node, 1);
  return ritti_op_of(dag, exponent) != RITTI_NUMBER ||
         mpz_cmp_ui(mpq_denref(ritti_rational_of(dag, exponent)), 1) != 0;
}

/* Are there kinks below e, and all of them continuous? */
static ritt_status only_continuous(ritti_dag *dag, ritti_expr e, bool *yes) {
  ritti_nodes nodes;
  bool any = false, all = true;
  RITT_TRY(ritti_nodes_below(dag, &e, 1, &nodes));
  for (size_t i = 0; i < nodes.count; i++) {
    ritti_op op = ritti_op_of(dag, nodes.at[i]);
    if (op == RITTI_ABS || op == RITTI_MIN || op == RITTI_MAX) any = true;
    else if (ritti_kink_argument(dag, nodes.at[i]) != RITTI_NIL) all = false;
  }
  ritti_free(nodes.at);
  *yes = any && all;
  return RITT_OK;
}

/* A condition u, and the sign that it has where a branch is chosen. */
typedef struct chosen {
  ritti_expr u;
  ritti_op op; /* WHEN: u > 0, UNLESS: u <= 0 */
} chosen;

/* Roots and logarithms whose arguments are a where the branch is chosen, and abs(a) elsewhere. */
static ritti_expr continue_root(void *context, ritti_dag *dag, ritti_expr node,
                                const ritti_expr *args, size_t count) {
  const chosen *c = context;
  if (!ends_at_zero(dag, node)) return RITTI_NIL;
  ritti_op other = c->op == RITTI_WHEN ? RITTI_UNLESS : RITTI_WHEN;
  ritti_expr beyond = ritti_apply(dag, RITTI_ABS, args, 1);
  ritti_expr a = ritti_add(dag, ritti_apply(dag, c->op, (ritti_expr[]){c->u, args[0]}, 2),
                           ritti_apply(dag, other, (ritti_expr[]){c->u, beyond}, 2));
  return ritti_apply(dag, ritti_op_of(dag, node), (ritti_expr[]){a, args[count - 1]}, count);
}

/* The branch of a condition, with values beyond its surface. */
static ritti_expr continue_branch(sides *all, ritti_dag *dag, ritti_op op, ritti_expr u,
                                  ritti_expr branch) {
  chosen c = {u, op};
  ritt_status status = ritti_dag_rebuild(dag, continue_root, &c, &branch, 1);
  if (status != RITT_OK) all->status = status;
  return branch;
}

/* ---- directions ---- */

/* Directions u/sqrt(u*u) have no value where u = 0. There each component is a number of its own, the
 * `side` of its term, which is used if the side of the sum of squares is -1. */

/* The kink of the sum of squares of 1/sqrt(q); -1: none. */
static int cone_of(const sides *all, ritti_dag *dag, ritti_expr node) {
  ritti_expr q = ritti_norm_below(dag, node);
  for (int i = 0; q != RITTI_NIL && i < all->r->kinks - all->r->validities; i++)
    if (all->r->kink[i].cone > 0 && all->r->kink[i].argument == q) return i;
  return -1;
}

/* The component of a direction, times `inverse` = 1/sqrt(q), by a factor that is a term u_i of the cone
 * or a power of it; NIL: it is none. */
static ritti_expr component_of(const sides *all, ritti_dag *dag, int cone, ritti_expr inverse,
                               ritti_expr factor) {
  ritti_expr u[RITTI_MOST_SQUARES], k[RITTI_MOST_SQUARES], rest = ritti_number(dag, 1, 1);
  int n = ritti_split_squares(dag, all->r->kink[cone].argument, u, k);
  if (ritti_op_of(dag, factor) == RITTI_POWER) {
    ritti_expr exponent = ritti_argument(dag, factor, 1), one = ritti_number(dag, 1, 1);
    if (ritti_op_of(dag, exponent) != RITTI_NUMBER) return RITTI_NIL;
    if (mpq_cmp_si(ritti_rational_of(dag, exponent), 1, 1) < 0) return RITTI_NIL;
    rest = ritti_power(dag, ritti_argument(dag, factor, 0), ritti_subtract(dag, exponent, one));
    factor = ritti_argument(dag, factor, 0);
  }
  for (int i = 0; i < n; i++) {
    if (u[i] != factor) continue;
    ritti_expr root = ritti_power(dag, k[i], ritti_number(dag, 1, 2));
    ritti_expr part = choose_side(dag, ritti_side(dag, cone), ritti_multiply(dag, u[i], inverse),
                                  ritti_divide(dag, ritti_side(dag, cone + 1 + i), root));
    return ritti_multiply(dag, part, rest);
  }
  return RITTI_NIL;
}

/* e times 1/sqrt(q) with directions as numbers of their own; NIL: some term of e is not a multiple of a
 * term of the cone. */
static ritti_expr divide_by_norm(const sides *all, ritti_dag *dag, int cone, ritti_expr inverse,
                                 ritti_expr e) {
  ritti_expr part = component_of(all, dag, cone, inverse, e);
  if (part != RITTI_NIL) return part;
  ritti_op op = ritti_op_of(dag, e);
  size_t count = ritti_argument_count(dag, e);
  if (op == RITTI_MULTIPLY) {
    for (size_t i = 0; i < count; i++) {
      part = divide_by_norm(all, dag, cone, inverse, ritti_argument(dag, e, i));
      if (part == RITTI_NIL) continue;
      for (size_t j = 0; j < count; j++)
        if (j != i) part = ritti_multiply(dag, part, ritti_argument(dag, e, j));
      return part;
    }
  }
  if (op != RITTI_ADD) return RITTI_NIL;
  ritti_expr sum = ritti_number(dag, 0, 1);
  for (size_t i = 0; i < count; i++) {
    part = divide_by_norm(all, dag, cone, inverse, ritti_argument(dag, e, i));
    if (part == RITTI_NIL) return RITTI_NIL;
    sum = ritti_add(dag, sum, part);
  }
  return sum;
}

/* A product that holds 1/sqrt(q); NIL: it holds none. */
static ritti_expr product_with_direction(const sides *all, ritti_dag *dag, const ritti_expr *args,
                                         size_t count) {
  for (size_t i = 0; i < count; i++) {
    int cone = cone_of(all, dag, args[i]);
    if (cone < 0) continue;
    for (size_t j = 0; j < count; j++) {
      ritti_expr part = j == i ? RITTI_NIL : divide_by_norm(all, dag, cone, args[i], args[j]);
      if (part == RITTI_NIL) continue;
      for (size_t l = 0; l < count; l++)
        if (l != i && l != j) part = ritti_multiply(dag, part, args[l]);
      return part;
    }
  }
  return RITTI_NIL;
}

static ritti_expr one_side(void *context, ritti_dag *dag, ritti_expr node, const ritti_expr *args,
                           size_t count) {
  sides *all = context;
  ritti_op op = ritti_op_of(dag, node);
  if (op == RITTI_MULTIPLY) return product_with_direction(all, dag, args, count);
  ritti_expr argument = ritti_kink_argument(dag, node);
  bool reversed;
  if (ends_at_zero(dag, node) && args[0] != ritti_argument(dag, node, 0)) {
    bool stays = false;
    ritt_status status = only_continuous(dag, ritti_argument(dag, node, 0), &stays);
    if (status != RITT_OK) all->status = status;
    return stays ? ritti_apply(dag, op,
                               (ritti_expr[]){ritti_argument(dag, node, 0), args[count - 1]}, count)
                 : RITTI_NIL;
  }
  bool turns = op == RITTI_TABLE && args[0] != ritti_argument(dag, node, 0) &&
               ritti_table_order(ritti_table_code_of(dag, node)) < RITTI_TABLE_SLOPE;
  if (argument == RITTI_NIL)
    return turns ? if_table_has(dag, node, of_parity(dag, node, args[0], RITTI_TABLE_ANY))
                 : RITTI_NIL;
  int i = surface_of(all, dag, argument, &reversed);
  if (i < 0) return RITTI_NIL;
  ritti_expr side = reversed ? ritti_negate(dag, ritti_side(dag, i)) : ritti_side(dag, i);
  ritti_expr one = ritti_number(dag, 1, 1), zero = ritti_number(dag, 0, 1);
  switch (op) {
  case RITTI_ABS: return ritti_multiply(dag, side, args[0]);
  case RITTI_SIGN: return side;
  case RITTI_STEP: return choose_side(dag, side, one, zero);
  case RITTI_TABLE: {
    ritti_expr value = choose_side(dag, side, of_parity(dag, node, args[0], RITTI_TABLE_EVEN),
                                   of_parity(dag, node, args[0], RITTI_TABLE_ODD));
    return turns ? if_table_has(dag, node, value) : value;
  }
  case RITTI_FLOOR:
  case RITTI_CEIL:
  case RITTI_ROUND: {
    ritti_expr shifted = ritti_shift_to_floor(dag, op, args[0]);
    ritti_expr floor = choose_side(dag, side, staircase_monitor(dag, shifted, false),
                                   staircase_monitor(dag, shifted, true));
    return op == RITTI_CEIL ? ritti_add(dag, floor, one) : floor;
  }
  case RITTI_MIN: return choose_side(dag, side, args[1], args[0]);
  case RITTI_MAX: return choose_side(dag, side, args[0], args[1]);
  case RITTI_WHEN:
  case RITTI_UNLESS: {
    ritti_expr branch = continue_branch(all, dag, op, ritti_argument(dag, node, 0), args[1]);
    return ritti_apply(dag, op, (ritti_expr[]){side, branch}, 2);
  }
  default: return RITTI_NIL;
  }
}

static ritt_status rebuild_rows(const ritti_reduced *r, ritti_arena *arena, size_t count,
                                ritti_expr **e) {
  const ritti_expr *old = *e;
  if (!old || !count) return RITT_OK;
  RITTI_NEW(*e, arena, count);
  memcpy(*e, old, count * sizeof **e);
  sides all = {.r = r};
  int surfaces = r->kinks - r->validities;
  RITTI_NEW(all.form, arena, surfaces + 1);
  RITTI_NEW(all.reversed, arena, surfaces + 1);
  for (int i = 0; i < surfaces; i++)
    all.form[i] = ritti_surface_form(r->model->dag, r->kink[i].argument, &all.reversed[i]);
  RITT_TRY(ritti_dag_rebuild(r->model->dag, one_side, &all, *e, count));
  return all.status;
}

ritt_status ritti_one_side(const ritti_reduced *r, ritti_arena *arena, size_t count,
                           ritti_expr **e) {
  return r->kinks > r->validities ? rebuild_rows(r, arena, count, e) : RITT_OK;
}

ritt_status ritti_reduced_one_side(const ritti_reduced *reduced, ritti_arena *arena,
                                   ritti_reduced *out) {
  *out = *reduced;
  size_t k = (size_t)out->k, tops = (size_t)out->tops, rows = (size_t)out->top_rows;
  RITT_TRY(ritti_one_side(reduced, arena, k, &out->f));
  RITT_TRY(ritti_one_side(reduced, arena, ritti_entries(&out->df.pattern), &out->df.entry));
  RITT_TRY(ritti_one_side(reduced, arena, ritti_entries(&out->A.pattern), &out->A.entry));
  RITT_TRY(ritti_one_side(reduced, arena, rows, &out->b));
  return ritti_one_side(reduced, arena, tops, &out->formula);
}
