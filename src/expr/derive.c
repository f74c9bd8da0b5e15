/* Derivatives by one sweep from the root down (reverse mode), and substitution by one sweep up.
 *
 * The adjoint of a node is d root / d node: the sum over its uses of the adjoint of the use times
 * the partial derivative of the use. Where abs, min and max have a kink the derivative is the mean
 * of both sides.
 */
#include <assert.h>
#include "expr_impl.h"

/* in which base/functions.def writes derivatives */
#define NUMBER(n)   ritti_number(dag, n, 1)
#define ONE         NUMBER(1)
#define ZERO        NUMBER(0)
#define PI          ritti_pi(dag)
#define PLUS(a, b)  ritti_add(dag, a, b)
#define MINUS(a, b) ritti_subtract(dag, a, b)
#define TIMES(a, b) ritti_multiply(dag, a, b)
#define NEGATE(a)   ritti_negate(dag, a)
#define SQUARE(a)   ritti_power(dag, a, ritti_number(dag, 2, 1))
#define SQRT(a)     ritti_power(dag, a, ritti_number(dag, 1, 2))
#define CALL(op, a) ritti_apply(dag, RITTI_##op, (ritti_expr[]){a}, 1)

/* f'(u) of a function of one argument, from its row of ops.def. */
static ritti_expr unary_derivative(ritti_dag *dag, ritti_op op, ritti_expr f, ritti_expr u) {
  switch (op) {
#define RITTI_FUNCTION(id, name, at, is, p, r)         RETURN_FOR(id, ritti_divide(dag, p, r))
#define RITTI_SWITCH(id, text, language, value, slope) RETURN_FOR(id, slope)
#include "expr/ops.def"
  default: assert(!"an operator of one argument"); return RITTI_NIL;
  }
}

/* of a table at u: the next one; the number of the knot has a slope of its own, which is constant
 * in pieces */
static ritti_expr table_derivative(ritti_dag *dag, ritti_expr f, ritti_expr u) {
  double code = ritti_table_code_of(dag, f);
  int order = ritti_table_raw_order(code);
  if (order == RITTI_TABLE_SLOPE) return ZERO;
  if (order + 1 == RITTI_TABLE_BEYOND || order + 1 == RITTI_TABLE_SLOPE)
    return ZERO; /* far beyond any degree */
  order = order == RITTI_TABLE_KNOT ? RITTI_TABLE_SLOPE : order + 1;
  return ritti_table_at(dag, ritti_table_of_code(code), order, ritti_table_parity(code), u);
}

/* partial derivative of f = op(u, v) by its argument i; not for ADD and MULTIPLY */
static ritti_expr binary_derivative(ritti_dag *dag, ritti_op op, ritti_expr f, ritti_expr u,
                                    ritti_expr v, size_t i) {
  switch (op) {
  case RITTI_POWER:
    if (i == 1) return ritti_multiply(dag, f, CALL(LOG, u));
    return ritti_multiply(dag, v, ritti_power(dag, u, MINUS(v, ONE)));
  case RITTI_TABLE: return table_derivative(dag, f, u);
  case RITTI_MAX: return i == 0 ? CALL(STEP, MINUS(u, v)) : CALL(STEP, MINUS(v, u));
  case RITTI_MIN: return i == 0 ? CALL(STEP, MINUS(v, u)) : CALL(STEP, MINUS(u, v));
#define RITTI_FUNCTION2(id, name, pu, pv, r) RETURN_FOR(id, ritti_divide(dag, i == 0 ? pu : pv, r))
#include "expr/ops.def"
  default: assert(!"an operator of two arguments"); return RITTI_NIL;
  }
}

/* The derivative of e by its argument i, with the other arguments constant. */
ritti_expr ritti_argument_slope(ritti_dag *dag, ritti_expr e, size_t i) {
  ritti_op op = ritti_op_of(dag, e);
  ritti_expr u = ritti_argument(dag, e, 0);
  if (ritti_argument_count(dag, e) == 1) return unary_derivative(dag, op, e, u);
  return binary_derivative(dag, op, e, u, ritti_argument(dag, e, 1), i);
}

/* ---- reverse sweep ---- */
/* One summand of an adjoint; the summands of a node are linked. */
typedef struct summand {
  ritti_expr value;
  uint32_t next; /* + 1; 0: last */
} summand;

/* What a sweep works with; the DAG keeps one for the next. */
struct ritti_reverse {
  ritti_dag *dag;
  sweep nodes;
  size_t room;                 /* for nodes, in the next three */
  bool *active;                /* each node: does it depend on a wanted leaf? */
  uint32_t *head;              /* each node: its summands */
  uint32_t *first;             /* each node: the first of its edges */
  RITTI_ARRAY(uint32_t) edges; /* places of the arguments */
  RITTI_ARRAY(summand) summands;
  RITTI_ARRAY(ritti_expr) scratch, leaves, derivatives;
  unsigned kinds; /* of the leaves wanted, or */
  ritti_expr only;
  bool *all; /* were all leaves wanted? NULL: not needed */
};
typedef struct ritti_reverse reverse;

enum { CONSTANTS = 1u << RITTI_NUMBER | 1u << RITTI_PI };

static ritt_status find_gradient(ritti_dag *dag, ritti_expr root, unsigned kinds, ritti_expr only,
                                 bool *all, ritti_gradient *out);

/* Adds a summand to the adjoint of a node; zeros are left out. */
static ritt_status add_summand(reverse *r, size_t place, ritti_expr value) {
  if (value == RITTI_NIL || r->summands.count >= UINT32_MAX - 1) return RITT_NO_MEMORY;
  if (ritti_is_zero(r->dag, value)) return RITT_OK;
  RITT_TRY(RITTI_PUSH(r->summands, (summand){value, r->head[place]}));
  r->head[place] = (uint32_t)r->summands.count;
  return RITT_OK;
}

/* The adjoint of a node: the sum of its summands. */
static ritt_status adjoint_of(reverse *r, size_t place, ritti_expr *out) {
  const summand *s = &r->summands.at[r->head[place] - 1];
  *out = s->value;
  if (!s->next) return RITT_OK;
  r->scratch.count = 0;
  for (uint32_t i = r->head[place]; i; i = r->summands.at[i - 1].next)
    RITT_TRY(RITTI_PUSH(r->scratch, r->summands.at[i - 1].value));
  *out = ritti_sum(r->dag, r->scratch.at, r->scratch.count);
  return *out == RITTI_NIL ? RITT_NO_MEMORY : RITT_OK;
}

/* Products of all factors but one: those before it times those after it. All of them times 1 are e
 * itself. */
static ritt_status product_rule(reverse *r, ritti_expr e, const uint32_t *place,
                                ritti_expr adjoint) {
  ritti_dag *dag = r->dag;
  size_t n = ritti_argument_count(dag, e);
  r->scratch.count = 0;
  RITT_TRY(RITTI_PUSH(r->scratch, ritti_number(dag, 1, 1)));
  for (size_t j = 1; j < n; j++) { /* scratch[j] = product of the last j factors */
    ritti_expr after = ritti_multiply(dag, ritti_argument(dag, e, n - j), r->scratch.at[j - 1]);
    RITT_TRY(RITTI_PUSH(r->scratch, after));
  }
  /* from the left: the product of the adjoint and the factors before i */
  ritti_expr before = adjoint;
  bool whole = adjoint == r->scratch.at[0];
  for (size_t i = 0; i < n; i++) {
    if (r->active[place[i]])
      RITT_TRY(add_summand(r, place[i], ritti_multiply(dag, before, r->scratch.at[n - 1 - i])));
    if (i + 1 < n || !whole) before = ritti_multiply(dag, before, ritti_argument(dag, e, i));
  }
  return RITT_OK;
}

/* WHEN and UNLESS: the branch not taken may have no derivative, so that of the branch goes inside
 * as a whole. */
static ritt_status branch_rule(reverse *r, ritti_expr e, ritti_expr adjoint) {
  ritti_op op = ritti_op_of(r->dag, e);
  ritti_expr condition = ritti_argument(r->dag, e, 0), branch = ritti_argument(r->dag, e, 1);
  ritti_gradient g;
  RITT_TRY(find_gradient(r->dag, branch, r->kinds, r->only, NULL, &g));
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < g.count && status == RITT_OK; i++) {
    ritti_expr taken = ritti_apply(r->dag, op, (ritti_expr[]){condition, g.derivative[i]}, 2);
    status = add_summand(r, ritti_sweep_place(&r->nodes, g.leaf[i]),
                         ritti_multiply(r->dag, adjoint, taken));
  }
  ritti_gradient_clear(&g);
  return status;
}

/* Passes the adjoint of a node on to its arguments. */
static ritt_status hand_down(reverse *r, size_t at, ritti_expr adjoint) {
  ritti_dag *dag = r->dag;
  ritti_expr e = r->nodes.at[at];
  ritti_op op = ritti_op_of(dag, e);
  const uint32_t *place = r->edges.at + r->first[at];
  size_t n = ritti_argument_count(dag, e);
  if (op == RITTI_WHEN || op == RITTI_UNLESS)
    return r->active[place[1]] ? branch_rule(r, e, adjoint) : RITT_OK;
  if (op == RITTI_MULTIPLY) return product_rule(r, e, place, adjoint);
  for (size_t i = 0; i < n; i++) {
    if (!r->active[place[i]]) continue;
    if (op == RITTI_ADD) {
      RITT_TRY(add_summand(r, place[i], adjoint));
      continue;
    }
    ritti_expr slope = ritti_argument_slope(dag, e, i);
    RITT_TRY(add_summand(r, place[i], ritti_multiply(dag, adjoint, slope)));
  }
  return RITT_OK;
}

/* Edges; and active: wanted leaves, and what uses an active node. */
static ritt_status look_at_nodes(reverse *r) {
  r->edges.count = 0;
  for (size_t i = 0; i < r->nodes.count; i++) {
    ritti_expr e = r->nodes.at[i];
    ritti_op op = ritti_op_of(r->dag, e);
    bool leaf = ritti_is_leaf(r->dag, e),
         is = r->only ? e == r->only : leaf && (r->kinds >> op & 1);
    if (r->all && leaf && !is && !(CONSTANTS >> op & 1)) *r->all = false;
    r->first[i] = (uint32_t)r->edges.count;
    for (size_t j = 0, n = ritti_argument_count(r->dag, e); j < n; j++) {
      size_t place = ritti_sweep_place(&r->nodes, ritti_argument(r->dag, e, j));
      is = is || r->active[place];
      RITT_TRY(RITTI_PUSH(r->edges, (uint32_t)place));
    }
    r->active[i] = is;
  }
  return RITT_OK;
}

/* Notes a derivative of the root by a leaf, if it is not 0. */
static ritt_status note_derivative(reverse *r, ritti_expr leaf, ritti_expr derivative) {
  if (ritti_is_zero(r->dag, derivative)) return RITT_OK;
  RITT_TRY(RITTI_PUSH(r->leaves, leaf));
  return RITTI_PUSH(r->derivatives, derivative);
}

/* Makes room for the nodes; twice as much as needed, so that later calls seldom allocate. */
static ritt_status make_room(reverse *r) {
  size_t n = r->nodes.count;
  if (n > r->room) {
    ritti_free(r->active), ritti_free(r->head), ritti_free(r->first);
    r->room = 0;
    r->active = ritti_malloc(2 * n * sizeof *r->active);
    r->head = ritti_malloc(2 * n * sizeof *r->head);
    r->first = ritti_malloc(2 * n * sizeof *r->first);
    if (!r->active || !r->head || !r->first) return RITT_NO_MEMORY;
    r->room = 2 * n;
  }
  memset(r->head, 0, n * sizeof *r->head);
  return RITT_OK;
}

/* Reverse differentiation: from the root down, each node passes its adjoint on to its arguments. */
static ritt_status sweep_down(reverse *r) {
  r->summands.count = r->leaves.count = r->derivatives.count = 0;
  RITT_TRY(make_room(r));
  RITT_TRY(look_at_nodes(r));
  RITT_TRY(
      add_summand(r, r->nodes.count - 1, ritti_number(r->dag, 1, 1))); /* the root is the last */
  for (size_t i = r->nodes.count; i-- > 0;) {
    ritti_expr e = r->nodes.at[i], adjoint;
    if (!r->active[i] || !r->head[i]) continue;
    RITT_TRY(adjoint_of(r, i, &adjoint));
    if (ritti_is_leaf(r->dag, e) || e == r->only) RITT_TRY(note_derivative(r, e, adjoint));
    else if (!ritti_is_zero(r->dag, adjoint)) RITT_TRY(hand_down(r, i, adjoint));
  }
  return RITT_OK;
}

/* What was noted from the top down, turned round, in one block. */
static ritt_status hand_out(const reverse *r, ritti_gradient *out) {
  size_t n = r->leaves.count;
  if (!n) return RITT_OK;
  out->leaf = ritti_malloc(2 * n * sizeof *out->leaf);
  if (!out->leaf) return RITT_NO_MEMORY;
  out->derivative = out->leaf + n;
  out->count = n;
  for (size_t i = 0; i < n; i++)
    out->leaf[i] = r->leaves.at[n - 1 - i], out->derivative[i] = r->derivatives.at[n - 1 - i];
  return RITT_OK;
}

/* The working memory of a gradient; one is kept with the DAG, since gradients are computed
   often. */
static reverse *take_reverse(ritti_dag *dag) {
  reverse *r = dag->reverse;
  dag->reverse = NULL;
  if (r) return r;
  r = ritti_malloc(sizeof *r);
  if (r) *r = (reverse){.dag = dag};
  return r;
}

static void free_reverse(reverse *r) {
  if (!r) return;
  ritti_free(r->active);
  ritti_free(r->head);
  ritti_free(r->first);
  RITTI_ARRAY_FREE(r->edges);
  RITTI_ARRAY_FREE(r->summands);
  RITTI_ARRAY_FREE(r->scratch);
  RITTI_ARRAY_FREE(r->leaves);
  RITTI_ARRAY_FREE(r->derivatives);
  ritti_free(r);
}

/* A branch has taken another one by then. */
static void give_back(ritti_dag *dag, reverse *r) {
  if (dag->reverse) free_reverse(dag->reverse);
  dag->reverse = r;
}

/* Without memory the DAG knows too. */
static ritt_status find_gradient(ritti_dag *dag, ritti_expr root, unsigned kinds, ritti_expr only,
                                 bool *all, ritti_gradient *out) {
  *out = (ritti_gradient){0};
  if (all) *all = true;
  reverse *r = take_reverse(dag);
  ritt_status status = r ? ritti_sweep_init(&r->nodes, dag, &root, 1, 0) : RITT_NO_MEMORY;
  if (status == RITT_OK) {
    r->kinds = kinds, r->only = only, r->all = all;
    status = sweep_down(r);
    if (status == RITT_OK) status = hand_out(r, out);
    ritti_sweep_clear(&r->nodes);
  }
  if (r) give_back(dag, r);
  if (status != RITT_OK) ritti_fail_dag(dag);
  return status;
}

void ritti_gradient_clear(ritti_gradient *g) {
  if (!g->kept) ritti_free(g->leaf);
  *g = (ritti_gradient){0};
}

/* ---- gradients that are known ---- */
static ritti_known_gradient *gradient_cell(const ritti_dag *dag, ritti_expr root) {
  size_t mask = dag->gradients.size - 1, at = root & mask;
  while (dag->gradients.table[at].root && dag->gradients.table[at].root != root)
    at = (at + 1) & mask;
  return &dag->gradients.table[at];
}

/* Doubles the table of known gradients. */
static ritt_status more_gradients(ritti_dag *dag) {
  ritti_known_gradient *old = dag->gradients.table;
  size_t size = dag->gradients.size;
  ritti_known_gradient *table = ritti_malloc((size ? 2 * size : 64) * sizeof *table);
  if (!table) return RITT_NO_MEMORY;
  dag->gradients.table = table;
  dag->gradients.size = size ? 2 * size : 64;
  memset(table, 0, dag->gradients.size * sizeof *table);
  for (size_t i = 0; i < size; i++)
    if (old[i].root) *gradient_cell(dag, old[i].root) = old[i];
  ritti_free(old);
  return RITT_OK;
}

/* Frees the known gradients and the working memory. */
void ritti_forget_gradients(ritti_dag *dag) {
  for (size_t i = 0; i < dag->gradients.size; i++)
    ritti_free(dag->gradients.table[i].gradient.leaf);
  ritti_free(dag->gradients.table);
  free_reverse(dag->reverse);
}

/* Keeps the gradient; where there is no room it stays the caller's. */
static void keep_gradient(ritti_dag *dag, ritti_expr root, ritti_gradient *g) {
  if (dag->status != RITT_OK) return; /* there may be NIL in it */
  if (2 * dag->gradients.count >= dag->gradients.size && more_gradients(dag) != RITT_OK) return;
  g->kept = true;
  *gradient_cell(dag, root) = (ritti_known_gradient){root, *g};
  dag->gradients.count++;
}

/* The derivatives of the root by all leaves of the given kinds. */
ritt_status ritti_dag_gradient_of(ritti_dag *dag, ritti_expr root, unsigned kinds,
                                  ritti_gradient *out) {
  return find_gradient(dag, root, kinds & ~(unsigned)CONSTANTS, RITTI_NIL, NULL, out);
}

/* The derivatives of the root by all leaves; the DAG keeps them, since completions ask again. */
ritt_status ritti_dag_gradient(ritti_dag *dag, ritti_expr root, ritti_gradient *out) {
  if (root && dag->gradients.size && gradient_cell(dag, root)->root) {
    *out = gradient_cell(dag, root)->gradient;
    return RITT_OK;
  }
  RITT_TRY(ritti_dag_gradient_of(dag, root, ~0u, out));
  keep_gradient(dag, root, out);
  return RITT_OK;
}

/* The derivative of the root by one leaf. */
ritti_expr ritti_dag_partial(ritti_dag *dag, ritti_expr root, ritti_expr leaf) {
  ritti_gradient g;
  if (root == RITTI_NIL || leaf == RITTI_NIL ||
      find_gradient(dag, root, 0, leaf, NULL, &g) != RITT_OK)
    return RITTI_NIL;
  ritti_expr e = g.count ? g.derivative[0] : ritti_number(dag, 0, 1);
  ritti_gradient_clear(&g);
  return e;
}

/* The total derivative by the independent variable: jets become jets of the next order. */
ritti_expr ritti_dag_total(ritti_dag *dag, ritti_expr root) {
  const unsigned kinds = 1u << RITTI_JET | 1u << RITTI_INDEPENDENT;
  ritti_gradient g;
  bool all;
  if (root == RITTI_NIL || find_gradient(dag, root, kinds, RITTI_NIL, &all, &g) != RITT_OK)
    return RITTI_NIL;
  ritti_expr *term = ritti_malloc((g.count + 1) * sizeof *term), e = RITTI_NIL;
  for (size_t i = 0; term && i < g.count; i++) {
    term[i] = g.derivative[i];
    if (ritti_op_of(dag, g.leaf[i]) != RITTI_JET) continue;
    ritti_expr next =
        ritti_jet(dag, ritti_index_of(dag, g.leaf[i]), ritti_order_of(dag, g.leaf[i]) + 1);
    term[i] = ritti_multiply(dag, term[i], next);
  }
  e = term ? ritti_sum(dag, term, g.count) : ritti_fail_dag(dag);
  ritti_free(term);
  /* without parameters and the like this is the whole gradient, which will be asked for */
  if (all && !(dag->gradients.size && gradient_cell(dag, root)->root)) keep_gradient(dag, root, &g);
  ritti_gradient_clear(&g);
  return e;
}

/* ---- forward sweep ---- */
/* The number by which a product begins; NIL: none. */
static ritti_expr leading_number(const ritti_dag *dag, ritti_expr e) {
  if (ritti_op_of(dag, e) != RITTI_MULTIPLY) return RITTI_NIL;
  ritti_expr first = ritti_argument(dag, e, 0);
  return ritti_op_of(dag, first) == RITTI_NUMBER ? first : RITTI_NIL;
}

/* A sum; a number that all terms begin with is taken out, because it often cancels later: the slope
 * of sqrt(x^2 + y^2) has no factor 2. */
static ritti_expr sum_slopes(ritti_dag *dag, ritti_expr *terms, size_t count) {
  ritti_expr number = leading_number(dag, terms[0]);
  for (size_t i = 1; i < count && number; i++)
    if (leading_number(dag, terms[i]) != number) number = RITTI_NIL;
  if (number == RITTI_NIL || count < 2) return ritti_sum(dag, terms, count);
  for (size_t i = 0; i < count; i++) terms[i] = ritti_divide(dag, terms[i], number);
  return ritti_multiply(dag, number, ritti_sum(dag, terms, count));
}

/* The derivative of a sum, a product or a function of nodes with the derivatives `slope`. */
static ritti_expr forward_rule(ritti_dag *dag, ritti_expr e, const ritti_expr *slope,
                               ritti_expr *terms, ritti_expr *factors) {
  ritti_op op = ritti_op_of(dag, e);
  size_t n = ritti_argument_count(dag, e), count = 0;
  /* a branch: its condition stays, its value is differentiated */
  if (op == RITTI_WHEN || op == RITTI_UNLESS) {
    ritti_expr taken[2] = {ritti_argument(dag, e, 0), slope[ritti_argument(dag, e, 1)]};
    return taken[1] == RITTI_NIL ? RITTI_NIL : ritti_apply(dag, op, taken, 2);
  }
  /* the sum over the arguments */
  for (size_t i = 0; i < n; i++) {
    ritti_expr u = slope[ritti_argument(dag, e, i)];
    if (u == RITTI_NIL) continue;
    if (op == RITTI_MULTIPLY) {
      for (size_t j = 0; j < n; j++) factors[j] = j == i ? u : ritti_argument(dag, e, j);
      u = ritti_product(dag, factors, n);
    } else if (op != RITTI_ADD) u = ritti_multiply(dag, ritti_argument_slope(dag, e, i), u);
    terms[count++] = u;
  }
  return count ? sum_slopes(dag, terms, count) : RITTI_NIL;
}

/* Derivatives of the roots along a direction, in which `rate` gives the rate of each leaf (NIL:
   0). */
ritt_status ritti_dag_along(ritti_dag *dag, const ritti_expr *roots, size_t count,
                            ritti_expr (*rate)(void *context, ritti_expr leaf), void *context,
                            ritti_expr *out) {
  ritti_nodes nodes;
  RITT_TRY(ritti_nodes_below(dag, roots, count, &nodes));
  /* room for the slopes of all nodes, and for the terms of the longest one */
  size_t all = ritti_dag_count(dag), most = 1;
  for (size_t i = 0; i < nodes.count; i++) {
    size_t n = ritti_argument_count(dag, nodes.at[i]);
    if (n > most) most = n;
  }
  ritti_expr *slope = ritti_malloc((all + 2 * most) * sizeof *slope);
  if (slope) memset(slope, 0, all * sizeof *slope);
  for (size_t i = 0; slope && i < nodes.count; i++) {
    ritti_expr e = nodes.at[i];
    slope[e] = ritti_argument_count(dag, e)
                   ? forward_rule(dag, e, slope, slope + all, slope + all + most)
                   : rate(context, e);
  }
  for (size_t i = 0; slope && i < count; i++)
    out[i] = slope[roots[i]] == RITTI_NIL ? ritti_number(dag, 0, 1) : slope[roots[i]];
  ritti_free(nodes.at);
  if (!slope) return RITT_NO_MEMORY;
  ritti_free(slope);
  return ritti_dag_status(dag);
}

/* ---- substitute ---- */
/* image[i] of each node; NIL where it stays what it is */
static ritt_status rebuild_nodes(ritti_dag *dag, const sweep *s, ritti_change change, void *context,
                                 ritti_expr *image) {
  RITTI_ARRAY(ritti_expr) args = {0};
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < s->count && status == RITT_OK; i++) {
    ritti_expr e = s->at[i];
    bool changed = false;
    /* the arguments, with those that have changed */
    args.count = 0;
    for (size_t j = 0, n = ritti_argument_count(dag, e); j < n && status == RITT_OK; j++) {
      ritti_expr u = ritti_argument(dag, e, j), v = image[ritti_sweep_place(s, u)];
      changed |= v != RITTI_NIL;
      status = RITTI_PUSH(args, v ? v : u);
    }
    /* the caller's own rule, if there is one */
    if (status == RITT_OK && change && args.count) {
      ritti_expr other = change(context, dag, e, args.at, args.count);
      if (other) image[i] = other;
      if (other) continue;
    }
    /* the same operator with new arguments */
    if (!changed || status != RITT_OK) continue;
    image[i] = ritti_apply(dag, ritti_op_of(dag, e), args.at, args.count);
    if (image[i] == RITTI_NIL) status = RITT_NO_MEMORY;
  }
  RITTI_ARRAY_FREE(args);
  return status;
}

/* The roots with the leaves replaced, then with `change` applied on the way up. */
static ritt_status rebuild_all(ritti_dag *dag, const ritti_expr *leaf, const ritti_expr *value,
                               size_t leaves, ritti_change change, void *context, ritti_expr *roots,
                               size_t count) {
  sweep s;
  if (!count) return RITT_OK;
  RITT_TRY(ritti_sweep_init(&s, dag, roots, count, 0));
  ritti_expr *image = ritti_malloc(s.count * sizeof *image);
  ritt_status status = image ? RITT_OK : RITT_NO_MEMORY;
  /* the images of the leaves */
  if (image) {
    memset(image, 0, s.count * sizeof *image);
    for (size_t i = 0; i < leaves; i++) {
      size_t place = ritti_sweep_place(&s, leaf[i]);
      if (value[i] == RITTI_NIL) status = RITT_NO_MEMORY;
      if (place != SIZE_MAX && value[i] != leaf[i]) image[place] = value[i];
    }
  }
  if (status == RITT_OK) status = rebuild_nodes(dag, &s, change, context, image);
  /* the images of the roots */
  for (size_t i = 0; i < count && status == RITT_OK; i++) {
    ritti_expr e = image[ritti_sweep_place(&s, roots[i])];
    if (e) roots[i] = e;
  }
  ritti_free(image);
  ritti_sweep_clear(&s);
  if (status != RITT_OK) ritti_fail_dag(dag);
  return status;
}

/* Replaces leaves by expressions in all roots, at once. */
ritt_status ritti_dag_substitute(ritti_dag *dag, const ritti_expr *leaf, const ritti_expr *value,
                                 size_t leaves, ritti_expr *roots, size_t count) {
  return rebuild_all(dag, leaf, value, leaves, NULL, NULL, roots, count);
}

/* Rebuilds the roots from below with the caller's rule for nodes. */
ritt_status ritti_dag_rebuild(ritti_dag *dag, ritti_change change, void *context, ritti_expr *roots,
                              size_t count) {
  return rebuild_all(dag, NULL, NULL, 0, change, context, roots, count);
}
