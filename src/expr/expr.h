/* Expressions: a hash-consed DAG. Equal expressions have equal ids; arguments have smaller ids than
 * what they are used in, so every pass is a sweep over ids and nothing recurses.
 *
 * Leaves: exact rationals, pi, the independent variable, jets y_j^(k), parameters, constants of the
 * run
 * ("levels" of invariants), multipliers mu_i of the contraction sum mu_i d2f_i, sides of switching
 * surfaces.
 *
 * Constructors simplify as they build (constants fold exactly, like terms and like factors are
 * collected among the direct arguments, neutral elements vanish) and never change a value: where
 * the original has one, the result has the same. Nested sums are not flattened, so shared sums stay
 * shared; products of up to 16 factors are.
 *
 * Forms that the constructors make (c: a NUMBER; "monic": not a NUMBER and not c*u):
 *   MULTIPLY(c, u)        c not 0 or 1, u monic: two arguments, the first a NUMBER
 *   MULTIPLY(f, g, ...)   monic; ascending ids, no NUMBER among them; 1/u is POWER(u, -1), sqrt(u)
 *                         is POWER(u, 1/2)
 *   ADD(t, ...)           t = u or c*u, ascending ids of the monic parts u, all different; a NUMBER
 *                         comes last
 * x and 1/x do not cancel (that would hide where the product is undefined); 1/0 stays POWER(0, -1).
 * Numbers that would grow past some thousand bits stay unfolded.
 *
 * Memory: when an allocation fails the constructors return RITTI_NIL (they also pass it on) and
 * dag->status says so; a caller checks ritti_dag_status() once at the end of a stage.
 */
#ifndef RITTI_EXPR_H
#define RITTI_EXPR_H

#include <gmp.h>
#include "base/table.h"

typedef struct ritti_dag ritti_dag;
typedef uint32_t ritti_expr; /* id of a node */
#define RITTI_NIL 0u         /* no expression */

/* operators, from the one table ops.def */
typedef enum ritti_op {
#define RITTI_OP(id, text, arguments, language) RITTI_##id,
#include "expr/ops.def"
  RITTI_OP_COUNT
} ritti_op;

extern const char *const ritti_op_text[RITTI_OP_COUNT]; /* "sin", ... as the language spells them */
extern const signed char ritti_op_arguments[RITTI_OP_COUNT]; /* their number; -1: two or more */

/* Is the operator a function that a model can call? */
typedef enum ritti_call {
  RITTI_HIDDEN,
  RITTI_CALLED,
  RITTI_CALLED_WITH_MORE, /* with two or more arguments, taken together one after the other */
} ritti_call;
extern const unsigned char ritti_op_call[RITTI_OP_COUNT]; /* ritti_call */

ritti_dag *ritti_dag_new(void); /* NULL: no memory */
void ritti_dag_free(ritti_dag *dag);
ritt_status ritti_dag_status(const ritti_dag *dag) RITT_USE;
/* After a failure, once everything that was being made is thrown away: nodes are made again. */
void ritti_dag_mend(ritti_dag *dag);

/* ---- build ---- */
ritti_expr ritti_number(ritti_dag *dag, long numerator, unsigned long denominator);
/* The exact value of a finite double. */
ritti_expr ritti_binary_number(ritti_dag *dag, double value);
ritti_expr ritti_rational(ritti_dag *dag, mpq_srcptr value); /* canonical form expected; copied */
ritti_expr ritti_pi(ritti_dag *dag);
ritti_expr ritti_independent(ritti_dag *dag);
ritti_expr ritti_jet(ritti_dag *dag, int variable, int order); /* y_variable^(order), both from 0 */
ritti_expr ritti_parameter(ritti_dag *dag, int index);
ritti_expr ritti_level(ritti_dag *dag,
                       int index); /* a constant of the run, e.g. the value of an invariant */
ritti_expr ritti_multiplier(ritti_dag *dag, int index); /* mu_index */
ritti_expr ritti_side(ritti_dag *dag, int index); /* 1 or -1: the side of a switching surface */

/* A table, which must live as long as the DAG; its number, -1: no memory. */
int ritti_dag_add_table(ritti_dag *dag, const ritti_table *table);
/* A derivative of a table at u. */
ritti_expr ritti_table_at(ritti_dag *dag, int table, int order, int parity, ritti_expr u);
double ritti_table_code_of(const ritti_dag *dag, ritti_expr e); /* of a node TABLE */
const ritti_table *const *ritti_dag_tables(const ritti_dag *dag);
size_t ritti_dag_table_count(const ritti_dag *dag);

ritti_expr ritti_add(ritti_dag *dag, ritti_expr a, ritti_expr b);
ritti_expr ritti_subtract(ritti_dag *dag, ritti_expr a, ritti_expr b);
ritti_expr ritti_multiply(ritti_dag *dag, ritti_expr a, ritti_expr b);
ritti_expr ritti_divide(ritti_dag *dag, ritti_expr a, ritti_expr b);
ritti_expr ritti_negate(ritti_dag *dag, ritti_expr a);
ritti_expr ritti_power(ritti_dag *dag, ritti_expr base, ritti_expr exponent);
ritti_expr ritti_sum(ritti_dag *dag, const ritti_expr *terms, size_t count);
ritti_expr ritti_product(ritti_dag *dag, const ritti_expr *factors, size_t count);
/* Any operator of ops.def by its id, e.g. a function called in the model. */
ritti_expr ritti_apply(ritti_dag *dag, ritti_op op, const ritti_expr *args, size_t count);

/* ---- look: op, arguments, index, order of a node are in store.h, without a call ---- */
double ritti_rational_double(mpq_srcptr value); /* the nearest double */

/* ---- pass: the nodes below some roots, ascending (arguments before uses) ---- */
typedef struct ritti_nodes {
  ritti_expr *at;
  size_t count;
} ritti_nodes;
/* Free with ritti_free(nodes.at). */
ritt_status ritti_nodes_below(const ritti_dag *dag, const ritti_expr *roots, size_t count,
                              ritti_nodes *nodes) RITT_USE;

/* The place of a node that is among them. */
size_t ritti_node_place(const ritti_nodes *nodes, ritti_expr node);

/* The leaves of one kind below a root (RITTI_JET, RITTI_PARAMETER, ...), ascending. Free with
 * ritti_free(out->at). */
ritt_status ritti_leaves(const ritti_dag *dag, ritti_expr root, ritti_op kind,
                         ritti_nodes *out) RITT_USE;
bool ritti_depends_on(const ritti_dag *dag, ritti_expr root, ritti_expr leaf);

/* ---- differentiate, substitute ---- */
/* Gradient by one reverse sweep: the leaves on which root depends (numbers and pi left out), and d
 * root / d leaf for each. Entries that are the number 0 are left out. The DAG keeps what it has
 * found; clear all the same. */
typedef struct ritti_gradient {
  ritti_expr *leaf,
      *derivative; /* count of each, leaves ascending; one block, which starts with the leaves */
  size_t count;
  bool kept; /* by the DAG: not to be changed */
} ritti_gradient;
ritt_status ritti_dag_gradient(ritti_dag *dag, ritti_expr root, ritti_gradient *out) RITT_USE;
void ritti_gradient_clear(ritti_gradient *gradient);
/* The same for the leaves of some kinds only, e.g. 1u << RITTI_JET | 1u << RITTI_INDEPENDENT; not
 * kept. */
ritt_status ritti_dag_gradient_of(ritti_dag *dag, ritti_expr root, unsigned kinds,
                                  ritti_gradient *out) RITT_USE;

ritti_expr ritti_dag_partial(ritti_dag *dag, ritti_expr root, ritti_expr leaf);
/* D_x = d/dx + sum_k y_{k+1} d/dy_k; parameters and levels are constants. */
ritti_expr ritti_dag_total(ritti_dag *dag, ritti_expr root);
/* The derivatives of the roots if every leaf changes at a rate (NIL: not at all). What the roots have
 * in common is differentiated once. */
ritt_status ritti_dag_along(ritti_dag *dag, const ritti_expr *roots, size_t count,
                            ritti_expr (*rate)(void *context, ritti_expr leaf), void *context,
                            ritti_expr *out) RITT_USE;
/* D_x applied `order` times. High derivatives share their parts, so that they stay short. */
ritti_expr ritti_dag_total_of_order(ritti_dag *dag, ritti_expr root, int order);
/* Replaces leaf[i] by value[i]; simplifies on the way up. roots are replaced in place. */
ritt_status ritti_dag_substitute(ritti_dag *dag, const ritti_expr *leaf, const ritti_expr *value,
                                 size_t leaves, ritti_expr *roots, size_t count) RITT_USE;
/* Rebuilds the roots from the leaves up: `change` gets every inner node and its arguments as they
 * are by now, and gives what stands for it; NIL: the same operator of these arguments. */
typedef ritti_expr (*ritti_change)(void *context, ritti_dag *dag, ritti_expr node,
                                   const ritti_expr *args, size_t count);
ritt_status ritti_dag_rebuild(ritti_dag *dag, ritti_change change, void *context, ritti_expr *roots,
                              size_t count) RITT_USE;

/* ---- lower: expressions as machine operations
 * -------------------------------------------------------------- The one place that decides which
 * floating-point operations compute an expression, and in which order. Plans run the steps as they
 * are, tapes put them on slots: both give the same bits. Operations of the same operands happen
 * once. */
typedef enum ritti_machine {
#define RITTI_MACHINE(id, text, arguments, value) RITTI_M_##id,
#include "expr/machine.def"
#undef RITTI_MACHINE
  RITTI_M_COUNT
} ritti_machine;

extern const char *const ritti_machine_text[RITTI_M_COUNT];
extern const unsigned char ritti_machine_arguments[RITTI_M_COUNT];

typedef struct ritti_step {
  uint32_t op; /* ritti_machine */
  uint32_t a,
      b; /* earlier steps; LEAF: a = the expression; CONSTANT: a = its place among the constants */
} ritti_step;

typedef struct ritti_lowered {
  ritti_step *step;
  uint32_t *result;  /* step of each root */
  ritti_nodes nodes; /* below the roots */
  /* step that is the node's value up to sign; UINT32_MAX: the node has no step of its own */
  uint32_t *node_step;
  ritt_real *constant; /* rounded once from exact numbers, or computed from such */
  size_t steps, results;
} ritti_lowered;
ritt_status ritti_lower(const ritti_dag *dag, const ritti_expr *roots, size_t count,
                        ritti_lowered *out) RITT_USE;
void ritti_lowered_clear(ritti_lowered *lowered);
/* op applied to numbers; not for CONSTANT and LEAF, nor for TABLE. */
ritt_real ritti_machine_value(ritti_machine op, ritt_real a, ritt_real b);

/* ---- evaluate ---- */
/* Values of leaves for an evaluation in doubles. Any may be NULL when no such leaf occurs. */
typedef struct ritti_values {
  double independent;
  double (*jet)(const void *context, int variable, int order);
  const void *context;
  const double *parameter, *level, *multiplier;
} ritti_values;

/* A plan holds the nodes below some roots; it is made once and evaluated often. */
typedef struct ritti_plan ritti_plan;
ritt_status ritti_plan_new(const ritti_dag *dag, const ritti_expr *roots, size_t count,
                           ritti_plan **out) RITT_USE;
void ritti_plan_free(ritti_plan *plan);
/* out[i] = value of root i; NaN or infinite where it has none. */
void ritti_plan_evaluate(const ritti_plan *plan, const ritti_values *values, double *out);
/* Operations of one evaluation. */
size_t ritti_plan_steps(const ritti_plan *plan);
/* The first node (lowest id) whose value is not finite although its arguments are, after an
 * evaluation; else NIL. */
ritti_expr ritti_plan_culprit(const ritti_plan *plan);
/* One root, once. */
ritt_status ritti_dag_evaluate(const ritti_dag *dag, ritti_expr root, const ritti_values *values,
                               double *out) RITT_USE;

/* A DAG operator of one or two arguments applied to doubles. */
double ritti_op_value(ritti_op op, double a, double b);

/* ---- print ---- */
typedef struct ritti_names {
  const char *independent;
  const char *const *variable, *const *parameter, *const *level;
} ritti_names;
/* As the model language writes it: x'' + lambda*x, 2*x*x', (a + b)/c, der(x, 4) from the 4th
 * derivative on.
 */
void ritti_dag_print(const ritti_dag *dag, ritti_expr root, const ritti_names *names,
                     ritti_text *out);
/* For the mathematics of LaTeX. */
void ritti_dag_print_latex(const ritti_dag *dag, ritti_expr root, const ritti_names *names,
                           ritti_text *out);

#include "expr/store.h"

#endif
