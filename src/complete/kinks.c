/* What is watched during a run: kinks of abs, sign, min, max, floor (also inside mod), ceil, round
 * and tables in the equations, and the pivots of the completion. */
#include <stdlib.h>
#include "complete/complete_impl.h"

/* sin(pi*k) vanishes at the knots, k being their number with fractions between them */
static ritti_expr knot_surface(ritti_dag *dag, ritti_expr e) {
  double code = ritti_table_code_of(dag, e);
  const ritti_table *table = ritti_dag_tables(dag)[ritti_table_of_code(code)];
  bool has_knots = table->pieces > 1 || table->period > 0;
  if (ritti_table_order(code) >= RITTI_TABLE_SLOPE || !has_knots) return RITTI_NIL;
  ritti_expr k = ritti_table_at(dag, table->knots_of, RITTI_TABLE_KNOT, RITTI_TABLE_ANY,
                                ritti_argument(dag, e, 0));
  ritti_expr angle = ritti_multiply(dag, ritti_pi(dag), k);
  return ritti_apply(dag, RITTI_SIN, &angle, 1);
}

/* The operators of ritti_kink_argument. */
static bool has_kink(ritti_op op) {
  static const bool kink[RITTI_OP_COUNT] = {
      [RITTI_ABS] = true,  [RITTI_WHEN] = true,  [RITTI_UNLESS] = true, [RITTI_STEP] = true,
      [RITTI_SIGN] = true, [RITTI_MIN] = true,   [RITTI_MAX] = true,    [RITTI_FLOOR] = true,
      [RITTI_CEIL] = true, [RITTI_ROUND] = true, [RITTI_TABLE] = true,
  };
  return kink[op];
}

ritti_expr ritti_shift_to_floor(ritti_dag *dag, ritti_op op, ritti_expr u) {
  return op == RITTI_ROUND ? ritti_add(dag, u, ritti_number(dag, 1, 2)) : u;
}

ritti_expr ritti_kink_argument(ritti_dag *dag, ritti_expr e) {
  if (!has_kink(ritti_op_of(dag, e))) return RITTI_NIL;
  switch (ritti_op_of(dag, e)) {
  case RITTI_ABS:
  case RITTI_WHEN:
  case RITTI_UNLESS:
  case RITTI_STEP:
  case RITTI_SIGN: return ritti_argument(dag, e, 0);
  case RITTI_TABLE: return knot_surface(dag, e);
  case RITTI_FLOOR:
  case RITTI_CEIL:
  case RITTI_ROUND: { /* jumps at every whole number of the shifted argument */
    ritti_expr shifted = ritti_shift_to_floor(dag, ritti_op_of(dag, e), ritti_argument(dag, e, 0));
    ritti_expr angle = ritti_multiply(dag, ritti_pi(dag), shifted);
    return ritti_apply(dag, RITTI_SIN, &angle, 1);
  }
  case RITTI_MIN:
  case RITTI_MAX: return ritti_subtract(dag, ritti_argument(dag, e, 0), ritti_argument(dag, e, 1));
  default: return RITTI_NIL;
  }
}

/* ---- normal forms ---- */

enum { MOST_TERMS = 64 };

/* The terms of a sum whose terms may be sums themselves, times `factor`; false: there are too many. */
static bool add_terms(ritti_dag *dag, ritti_expr e, ritti_expr factor, ritti_expr *term,
                      size_t *count) {
  if (ritti_op_of(dag, e) == RITTI_MULTIPLY && ritti_argument_count(dag, e) == 2 &&
      ritti_op_of(dag, ritti_argument(dag, e, 0)) == RITTI_NUMBER)
    return add_terms(dag, ritti_argument(dag, e, 1),
                     ritti_multiply(dag, factor, ritti_argument(dag, e, 0)), term, count);
  if (ritti_op_of(dag, e) == RITTI_ADD) {
    for (size_t i = 0; i < ritti_argument_count(dag, e); i++)
      if (!add_terms(dag, ritti_argument(dag, e, i), factor, term, count)) return false;
    return true;
  }
  if (*count == MOST_TERMS) return false;
  term[(*count)++] = ritti_multiply(dag, factor, e);
  return true;
}

/* The number that a term is multiplied by; NIL: 1. */
static ritti_expr coefficient_of(const ritti_dag *dag, ritti_expr e) {
  if (ritti_op_of(dag, e) == RITTI_NUMBER) return e;
  if (ritti_op_of(dag, e) != RITTI_MULTIPLY) return RITTI_NIL;
  ritti_expr first = ritti_argument(dag, e, 0);
  return ritti_op_of(dag, first) == RITTI_NUMBER ? first : RITTI_NIL;
}

ritti_expr ritti_surface_form(ritti_dag *dag, ritti_expr u, bool *reversed) {
  ritti_expr term[MOST_TERMS];
  size_t count = 0;
  *reversed = false;
  if (add_terms(dag, u, ritti_number(dag, 1, 1), term, &count)) u = ritti_sum(dag, term, count);

  /* divide by the number of the first term */
  bool sum = ritti_op_of(dag, u) == RITTI_ADD;
  ritti_expr number = coefficient_of(dag, sum ? ritti_argument(dag, u, 0) : u);
  if (number == RITTI_NIL || ritti_is_zero(dag, u)) return u;
  *reversed = mpq_sgn(ritti_rational_of(dag, number)) < 0;
  if (!sum) return ritti_divide(dag, u, number);
  count = ritti_argument_count(dag, u);
  if (count > MOST_TERMS) {
    *reversed = false;
    return u;
  }
  for (size_t i = 0; i < count; i++) term[i] = ritti_divide(dag, ritti_argument(dag, u, i), number);
  return ritti_sum(dag, term, count);
}

/* constants of the run have no kinks */
static bool moves_during_run(const ritti_dag *dag, ritti_expr e) {
  ritti_nodes jets = {0}, x = {0};
  bool any = ritti_leaves(dag, e, RITTI_JET, &jets) == RITT_OK &&
             ritti_leaves(dag, e, RITTI_INDEPENDENT, &x) == RITT_OK && jets.count + x.count > 0;
  ritti_free(jets.at);
  ritti_free(x.at);
  return any;
}

/* ---- directions ---- */

/* Is e the number numerator/denominator? */
static bool is_number(const ritti_dag *dag, ritti_expr e, long numerator,
                      unsigned long denominator) {
  return ritti_op_of(dag, e) == RITTI_NUMBER &&
         mpq_cmp_si(ritti_rational_of(dag, e), numerator, denominator) == 0;
}

ritti_expr ritti_norm_below(ritti_dag *dag, ritti_expr node) {
  if (ritti_op_of(dag, node) != RITTI_POWER) return RITTI_NIL;
  ritti_expr base = ritti_argument(dag, node, 0), exponent = ritti_argument(dag, node, 1);
  if (is_number(dag, exponent, -1, 2)) return base;
  if (!is_number(dag, exponent, -1, 1)) return RITTI_NIL;
  if (ritti_op_of(dag, base) == RITTI_HYPOT) {
    ritti_expr two = ritti_number(dag, 2, 1);
    return ritti_add(dag, ritti_power(dag, ritti_argument(dag, base, 0), two),
                     ritti_power(dag, ritti_argument(dag, base, 1), two));
  }
  if (ritti_op_of(dag, base) != RITTI_POWER) return RITTI_NIL;
  return is_number(dag, ritti_argument(dag, base, 1), 1, 2) ? ritti_argument(dag, base, 0)
                                                            : RITTI_NIL;
}

/* Splits a term k u^2; false: it is none. */
static bool split_square(ritti_dag *dag, ritti_expr term, ritti_expr *u, ritti_expr *k) {
  if (ritti_op_of(dag, term) == RITTI_POWER) {
    if (!is_number(dag, ritti_argument(dag, term, 1), 2, 1)) return false;
    *u = ritti_argument(dag, term, 0);
    return moves_during_run(dag, *u);
  }
  if (ritti_op_of(dag, term) != RITTI_MULTIPLY) return false;
  bool found = false;
  for (size_t i = 0; i < ritti_argument_count(dag, term); i++) {
    ritti_expr factor = ritti_argument(dag, term, i);
    if (!moves_during_run(dag, factor)) {
      if (ritti_op_of(dag, factor) == RITTI_NUMBER && mpq_sgn(ritti_rational_of(dag, factor)) < 0)
        return false;
      *k = ritti_multiply(dag, *k, factor);
    } else if (found || !split_square(dag, factor, u, k)) {
      return false;
    } else {
      found = true;
    }
  }
  return found;
}

int ritti_split_squares(ritti_dag *dag, ritti_expr q, ritti_expr *u, ritti_expr *k) {
  bool sum = ritti_op_of(dag, q) == RITTI_ADD;
  size_t count = sum ? ritti_argument_count(dag, q) : 1;
  if (count > RITTI_MOST_SQUARES) return 0;
  for (size_t i = 0; i < count; i++) {
    k[i] = ritti_number(dag, 1, 1);
    if (!split_square(dag, sum ? ritti_argument(dag, q, i) : q, &u[i], &k[i])) return 0;
  }
  return (int)count;
}

/* A node with a kink. */
typedef struct found {
  ritti_expr argument, node;
  ritti_expr key; /* normal form of the argument */
  int equation;   /* -1: a row of the completed system */
  bool is_flat;   /* as find_flat */
  bool is_dropped, makes_surface;
} found;
typedef RITTI_ARRAY(found) found_list;

/* How a node reaches the root of an expression: by its value, or only by deciding comparisons. */
enum { BY_VALUE = 1, BY_COMPARISON = 2 };

bool ritti_compares_first(ritti_op op) {
  return op == RITTI_WHEN || op == RITTI_UNLESS || op == RITTI_STEP || op == RITTI_SIGN;
}

static bool is_continuous(ritti_op op) {
  return op == RITTI_ABS || op == RITTI_MIN || op == RITTI_MAX || op == RITTI_TABLE;
}

/* Finds how each node reaches the last one, which is the root. Arguments stand before their node. */
static void find_reach(const ritti_dag *dag, const ritti_nodes *nodes, unsigned char *reach) {
  reach[nodes->count - 1] = BY_VALUE;
  for (size_t i = nodes->count; i-- > 0;) {
    ritti_op op = ritti_op_of(dag, nodes->at[i]);
    for (size_t k = 0; k < ritti_argument_count(dag, nodes->at[i]); k++) {
      size_t place = ritti_node_place(nodes, ritti_argument(dag, nodes->at[i], k));
      reach[place] |= k == 0 && ritti_compares_first(op) ? BY_COMPARISON : reach[i];
    }
  }
}

/* ---- kinks without a corner ---- */

/* The power with which a factor vanishes where u does; *bends: it has a kink there. */
static double order_of_factor(const ritti_dag *dag, ritti_expr e, ritti_expr u, bool *bends) {
  ritti_op op = ritti_op_of(dag, e);
  if (e == u) return 1;
  if (op == RITTI_ABS || op == RITTI_SIGN) {
    if (ritti_argument(dag, e, 0) != u) return 0;
    *bends = true;
    return op == RITTI_ABS;
  }
  if (op != RITTI_POWER || ritti_op_of(dag, ritti_argument(dag, e, 1)) != RITTI_NUMBER) return 0;
  double power = ritti_rational_double(ritti_rational_of(dag, ritti_argument(dag, e, 1)));
  return power * order_of_factor(dag, ritti_argument(dag, e, 0), u, bends);
}

/* Is the node, with what it is multiplied by, smooth enough at u = 0 to have a tangent there, as
 * u*abs(u) and sign(u)*abs(u)^1.85? */
static bool is_flat_at(const ritti_dag *dag, ritti_expr e, ritti_expr u) {
  bool product = ritti_op_of(dag, e) == RITTI_MULTIPLY, bends = false;
  double order = product ? 0 : order_of_factor(dag, e, u, &bends);
  for (size_t k = 0; product && k < ritti_argument_count(dag, e); k++)
    order += order_of_factor(dag, ritti_argument(dag, e, k), u, &bends);
  return bends && order > 1;
}

/* flat[i]: node i is abs(u) or sign(u) and occurs only in products that have a tangent at u = 0. */
static void find_flat(const ritti_dag *dag, const ritti_nodes *nodes, bool *flat) {
  for (size_t i = 0; i < nodes->count; i++) {
    ritti_op op = ritti_op_of(dag, nodes->at[i]);
    flat[i] = (op == RITTI_ABS || op == RITTI_SIGN) && i + 1 < nodes->count;
  }
  for (size_t i = 0; i < nodes->count; i++) {
    ritti_expr e = nodes->at[i];
    for (size_t k = 0; k < ritti_argument_count(dag, e); k++) {
      size_t place = ritti_node_place(nodes, ritti_argument(dag, e, k));
      if (flat[place] && !is_flat_at(dag, e, ritti_argument(dag, nodes->at[place], 0)))
        flat[place] = false;
    }
  }
}

/* Lists the kinks below e. A continuous kink whose value only decides comparisons changes nothing
 * where it bends. */
static ritt_status look_into(ritti_completion *C, int equation, ritti_expr e, found_list *list) {
  ritti_nodes nodes;
  bool any = false;
  RITT_TRY(ritti_nodes_below(C->dag, &e, 1, &nodes));
  for (size_t k = 0; k < nodes.count; k++) any |= has_kink(ritti_op_of(C->dag, nodes.at[k]));
  unsigned char *reach = any ? ritti_malloc(nodes.count) : NULL;
  bool *flat = any ? ritti_malloc(nodes.count * sizeof *flat) : NULL;
  ritt_status status = any && (!reach || !flat) ? RITT_NO_MEMORY : RITT_OK;
  bool looks = any && status == RITT_OK;
  if (looks) {
    memset(reach, 0, nodes.count);
    find_reach(C->dag, &nodes, reach);
    find_flat(C->dag, &nodes, flat);
  }
  for (size_t k = 0; looks && k < nodes.count && status == RITT_OK; k++) {
    if (is_continuous(ritti_op_of(C->dag, nodes.at[k])) && !(reach[k] & BY_VALUE)) continue;
    ritti_expr argument = ritti_kink_argument(C->dag, nodes.at[k]);
    if (argument == RITTI_NIL || !moves_during_run(C->dag, argument)) continue;
    bool reversed;
    found one = {
        .argument = argument, .node = nodes.at[k], .equation = equation, .is_flat = flat[k]};
    one.key = ritti_surface_form(C->dag, argument, &reversed);
    status = RITTI_PUSH(*list, one);
  }
  ritti_free(reach);
  ritti_free(flat);
  ritti_free(nodes.at);
  return status;
}

/* Implicit kind: drops kinks without a corner whose argument is solved for, as in p = k*q*abs(q). On
 * one side of q = 0 alone, p = k*q^2 has no solution for p < 0 and a fold at 0. */
static ritt_status drop_flat(ritti_completion *C, found_list *list) {
  const unsigned char *mark = ritti_marks(C);
  size_t kept = 0;
  if (!mark) return RITT_NO_MEMORY;
  for (size_t i = 0; i < list->count; i++) {
    bool drop = C->implicit && mark[list->at[i].argument] & RITTI_HAS_TOP;
    for (size_t k = 0; k < list->count && drop; k++)
      drop = list->at[k].key != list->at[i].key || list->at[k].is_flat;
    list->at[i].is_dropped = drop;
  }
  for (size_t i = 0; i < list->count; i++) {
    if (list->at[i].is_dropped) continue;
    list->at[kept++] = list->at[i];
  }
  list->count = kept;
  return RITT_OK;
}

/* Drops the kinks of smooth(...): all kinks with the same surface, also those of derivatives. */
static ritt_status drop_smooth(ritti_completion *C, found_list *list) {
  found_list smooth = {0};
  ritt_status status = RITT_OK;
  for (const ritti_smooth *mark = C->model->harmless; mark && status == RITT_OK;
       mark = mark->before)
    status = look_into(C, -1, mark->expr, &smooth);
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    bool drop = false;
    for (size_t k = 0; k < smooth.count; k++) drop = drop || smooth.at[k].key == list->at[i].key;
    if (!drop) list->at[kept++] = list->at[i];
  }
  list->count = kept;
  RITTI_ARRAY_FREE(smooth);
  return status;
}

/* Most models have none anywhere. */
static bool any_kink(const ritti_dag *dag) {
  for (ritti_expr e = 1, count = ritti_dag_count(dag); e < count; e++)
    if (has_kink(ritti_op_of(dag, e))) return true;
  return false;
}

static ritt_status look_everywhere(ritti_completion *C, const ritti_reduced *R, found_list *list) {
  if (!any_kink(C->dag)) return RITT_OK;
  for (int i = 0; i < C->model->equations; i++) RITT_TRY(look_into(C, i, C->residual[i], list));
  for (int i = 0; i < R->k; i++) RITT_TRY(look_into(C, -1, R->f[i], list));
  for (int i = 0; i < R->top_rows; i++) RITT_TRY(look_into(C, -1, R->top_row[i], list));
  return ritti_dag_status(C->dag);
}

/* by key; those met earlier stand earlier in the list */
static int compare_found(const void *a, const void *b) {
  const found *l = *(found *const *)a, *r = *(found *const *)b;
  if (l->key != r->key) return l->key < r->key ? -1 : 1;
  return (l > r) - (l < r);
}

/* Each surface is made once, from the kink met first, if it is in the completed system: a kink of the
 * equations as written may have cancelled. */
static ritt_status mark_surfaces(ritti_completion *C, found_list *list) {
  found **sorted;
  RITTI_NEW(sorted, C->arena, list->count + 1);
  for (size_t i = 0; i < list->count; i++) sorted[i] = &list->at[i];
  if (list->count) qsort(sorted, list->count, sizeof *sorted, compare_found);
  for (size_t i = 0, next; i < list->count; i = next) {
    for (next = i; next < list->count && sorted[next]->key == sorted[i]->key; next++)
      if (sorted[next]->equation < 0) sorted[i]->makes_surface = true;
  }
  return RITT_OK;
}

static ritt_status make_kinks(ritti_completion *C, const found_list *list, ritti_reduced *R) {
  for (size_t i = 0; i < list->count; i++) {
    const found *f = &list->at[i];
    if (!f->makes_surface) continue;
    ritti_kink *kink = &R->kink[R->kinks++];
    *kink = (ritti_kink){
        .argument = f->argument, .function = f->argument, .text = ritti_show(C, f->node)};
    kink->condition = ritti_show(C, f->argument);
    if (!kink->text || !kink->condition) return RITT_NO_MEMORY;
    if (f->equation >= 0) kink->place = C->model->equation[f->equation].place;
  }
  return RITT_OK;
}

/* Does the derivative of u hold tops? */
static bool is_driven(const ritti_completion *C, const ritti_reduced *R, ritti_expr u) {
  for (int i = 1; i < R->m; i++)
    if (R->next[i] < 0 && ritti_depends_on(C->dag, u, R->coordinate[i])) return true;
  return false;
}

/* Lists the sums of squares, without tops, by whose roots rows of the completed system are divided. The
 * direction acts on u' only if that holds tops; else, as for a spring of length 0, the run goes over u = 0. */
static ritt_status find_norms(const ritti_completion *C, const ritti_reduced *R,
                              ritti_nodes *list) {
  ritti_expr u[RITTI_MOST_SQUARES], k[RITTI_MOST_SQUARES];
  ritti_nodes nodes;
  RITT_TRY(ritti_nodes_below(C->dag, R->top_row, (size_t)R->top_rows, &nodes));
  list->count = 0;
  list->at = ritti_malloc((nodes.count + 1) * sizeof *list->at);
  for (size_t i = 0; list->at && i < nodes.count; i++) {
    ritti_expr q = ritti_norm_below(C->dag, nodes.at[i]);
    int terms = q == RITTI_NIL ? 0 : ritti_split_squares(C->dag, q, u, k);
    bool known = terms == 0;
    for (int j = 0; j < terms; j++) known |= !is_driven(C, R, u[j]);
    for (size_t j = 0; j < list->count; j++) known |= list->at[j] == q;
    for (int j = 0; !known && j < R->tops; j++) known = ritti_depends_on(C->dag, q, R->top[j]);
    if (!known) list->at[list->count++] = q;
  }
  ritti_free(nodes.at);
  return list->at ? RITT_OK : RITT_NO_MEMORY;
}

/* Adds the kinks of a direction u/sqrt(u*u): the sum of squares, then its terms. */
static ritt_status add_cone(ritti_completion *C, ritti_expr q, ritti_reduced *R) {
  ritti_expr u[RITTI_MOST_SQUARES], k[RITTI_MOST_SQUARES], half = ritti_number(C->dag, 1, 2);
  int n = ritti_split_squares(C->dag, q, u, k);
  ritti_kink cone = {.argument = q, .function = q, .cone = n, .place = C->model->equation[0].place};
  cone.text = ritti_show(C, ritti_power(C->dag, q, half));
  cone.condition = cone.text;
  if (!cone.text) return RITT_NO_MEMORY;
  R->kink[R->kinks++] = cone;
  for (int i = 0; i < n; i++) {
    cone.argument = cone.function = ritti_multiply(C->dag, ritti_power(C->dag, k[i], half), u[i]);
    cone.cone = -1;
    R->kink[R->kinks++] = cone;
  }
  return ritti_dag_status(C->dag);
}

ritt_status ritti_find_kinks(ritti_completion *C, ritti_reduced *R) {
  found_list list = {0};
  ritti_nodes norms = {0};
  ritt_status status = look_everywhere(C, R, &list);
  if (status == RITT_OK) status = drop_smooth(C, &list);
  if (status == RITT_OK) status = drop_flat(C, &list);
  if (status == RITT_OK) status = mark_surfaces(C, &list);
  if (status == RITT_OK) status = find_norms(C, R, &norms);
  size_t most = list.count + norms.count * (1 + RITTI_MOST_SQUARES) + (size_t)C->pivots + 1;
  if (status == RITT_OK) R->kink = ritti_arena_alloc(C->arena, most, sizeof *R->kink);
  if (status == RITT_OK && !R->kink) status = RITT_NO_MEMORY;
  if (status == RITT_OK) status = make_kinks(C, &list, R);
  for (size_t i = 0; i < norms.count && status == RITT_OK; i++)
    status = add_cone(C, norms.at[i], R);
  RITTI_ARRAY_FREE(list);
  ritti_free(norms.at);
  return status;
}

/* Is one of the rows divided by e? */
static ritt_status divides_row(ritti_dag *dag, const ritti_expr *rows, int count, ritti_expr e,
                               bool *yes) {
  ritti_nodes nodes;
  RITT_TRY(ritti_nodes_below(dag, rows, (size_t)count, &nodes));
  for (size_t i = 0; i < nodes.count && !*yes; i++) {
    if (ritti_op_of(dag, nodes.at[i]) != RITTI_POWER || ritti_argument(dag, nodes.at[i], 0) != e)
      continue;
    ritti_expr exponent = ritti_argument(dag, nodes.at[i], 1);
    *yes =
        ritti_op_of(dag, exponent) == RITTI_NUMBER && mpq_sgn(ritti_rational_of(dag, exponent)) < 0;
  }
  ritti_free(nodes.at);
  return RITT_OK;
}

ritt_status ritti_find_validity(ritti_completion *C, ritti_reduced *R) {
  for (int i = 0; i < C->pivots; i++) {
    bool yes = false;
    if (!moves_during_run(C->dag, C->pivot[i])) continue;
    RITT_TRY(divides_row(C->dag, R->f, R->k, C->pivot[i], &yes));
    RITT_TRY(divides_row(C->dag, R->top_row, R->top_rows, C->pivot[i], &yes));
    ritti_expr opposite = ritti_negate(C->dag, C->pivot[i]);
    for (int k = 0; yes && k < R->kinks; k++)
      yes = R->kink[k].argument != C->pivot[i] && R->kink[k].argument != opposite;
    if (!yes) continue;
    const char *text = ritti_show(C, C->pivot[i]);
    if (!text) return RITT_NO_MEMORY;
    R->kink[R->kinks++] = (ritti_kink){.argument = C->pivot[i],
                                       .function = C->pivot[i],
                                       .text = text,
                                       .place = C->model->equation[0].place};
    R->validities++;
  }
  return RITT_OK;
}
