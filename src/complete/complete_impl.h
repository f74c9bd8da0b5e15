/* Private to src/complete: the completion in progress, shared by its passes. */
#ifndef RITTI_COMPLETE_IMPL_H
#define RITTI_COMPLETE_IMPL_H

#include "complete/complete.h"

/* ---- structure.c: what Pryce's Sigma-method sees ---- */
/* Sparse signature matrix: entry e of row i says that variable var[e] occurs in equation i up to
 * order order[e]. */
typedef struct ritti_signature {
  int n; /* equations = variables */
  int *start, *var, *order;
} ritti_signature;

/* A transversal of greatest weight: equation_of[j], variable_of[i]; false: none exists
 * (structurally singular), then the arrays hold a largest matching with -1 where unmatched. */
ritt_status ritti_assign(const ritti_signature *sigma, ritti_arena *arena, int *equation_of,
                         int *variable_of, bool *perfect) RITT_USE;
/* Least offsets c >= c_least, d >= d_least with d_j - c_i >= sigma_ij, equal on the transversal. */
ritt_status ritti_offsets(const ritti_signature *sigma, const int *variable_of,
                          const int *equation_of, const int *c_least, const int *d_least, int *c,
                          int *d) RITT_USE;

/* ---- the completion in progress ---- */
typedef struct ritti_completion {
  ritti_model *model;
  ritti_dag *dag;
  ritti_arena *arena;
  ritt_error *error;
  ritt_check *check;
  int n;
  /* equations as used: parameters as slots, or put in where they decide the structure */
  ritti_expr *residual;
  ritti_expr *given;    /* invariants minus their value, or minus their level; NIL: dropped */
  int levels;           /* invariants that take their value at the start */
  int *level_invariant; /* which invariant a level belongs to */
  ritti_signature sigma;
  int *equation_of, *variable_of, *c, *d;
  /* stage[i][k] = k-th total derivative of equation i, 0 <= k < stages[i] (more than c_i) */
  ritti_expr **stage;
  int *stages;
  /* what the completion gives: rows of M in the jets below the tops, and n rows that are linear in
   * the tops
   */
  /* top_rows < n: tops of the variables in non_unique are not determined, the least are taken */
  int rows, top_rows;
  bool *non_unique;  /* n */
  int prolongations; /* differentiations that the completion needed, at most */
  bool raised; /* the equations are not linear in the tops: they were differentiated once more */
  /* the implicit kind may be tried; the rows of the tops are nonlinear, and solved as they are */
  bool may_be_implicit, implicit;
  /* the rows determine the tops right behind the start, though not at it */
  bool leaves_singular_tops;
  /* the general kind is asked for: every equation in f, all tops among the coordinates */
  bool general;
  /* each top row is the derivative of a row, so that the rows alone determine the line */
  bool own_line;
  bool chosen;       /* rows were chosen among dependent ones, at a point */
  bool fast;         /* the fast path was taken: stage, c */
  ritti_expr *pivot; /* expressions that the completion has divided by */
  int pivots;
  int dof; /* degrees of freedom of the equations alone */
  ritti_expr *row, *top_row;
  ritti_origin *origin, *top_origin;
  /* all jets y_j^(k), 0 <= k <= d_j: jet number first[j] + k; values at the start point */
  int *first, jets;
  bool moved;         /* the start: guesses were moved to it */
  bool trial;         /* the start is used only if the top stage is regular there */
  bool full_at_start; /* of a trial: it is regular there */
  /* the general path decides close to the start, so that no pivot of its elimination vanishes there,
   * and not at a generic point */
  bool near_start;
  double *point, *parameter, *level;
  double x;
  double *log_size; /* sizes.c: of each variable, then of x, to base 2; NULL: all sizes are 1 */
  bool again;       /* again.c: repeated with other numbers; nothing is reported */
  bool may_combine; /* ritti_combine_equations may change the equations for some values */
  /* the rows of which the completed system consists, and how many pivots of each class they have
     at a generic point; NULL: not known */
  const struct ritti_row_id *selected;
  const int *selected_top;
  int selecteds, pivots_of_class[3];
  /* x, then Taylor coefficients: the generic point of the decision, which lies on the selected rows;
   * NULL: there is none */
  const double *generic;
  /* rows of dependent equations that follow from the selected rows at a generic point */
  const struct ritti_row_id *following;
  int followings;
  /* the rows of dependent equations: on another branch than that of the decision they may not hold */
  ritti_expr *dependent_row;
  ritti_origin *dependent_origin;
  int dependents;
  /* of each start value: what it is on the branch of the decision, if the guesses lead to another one,
   * on which dependent equations do not hold; NULL: they do not */
  double *elsewhere;
  /* kept while the completion goes on */
  struct ritti_memo *memo; /* rows.c: plans of rows that are asked for again */
  struct {
    unsigned char *of; /* each expression: RITTI_MOVES, RITTI_HAS_TOP, ... */
    size_t count, room;
  } marks;
} ritti_completion;

/* marks.c: what occurs in expressions, all at once. */
enum {
  RITTI_MOVES = 1,      /* a jet or the independent variable */
  RITTI_HAS_TOP = 2,    /* a jet y_j^(d_j) or higher, not only in comparisons */
  RITTI_HAS_STAIRS = 4, /* a staircase (floor) of such a jet */
  RITTI_COMPARES = 8    /* a comparison, abs, min or max */
};
/* The marks of all expressions that there are now. NULL: no memory. */
const unsigned char *ritti_marks(ritti_completion *C);
void ritti_marks_restart(ritti_completion *C); /* C->d has changed */
/* Frees what was kept. */
void ritti_completion_clear(ritti_completion *C);
/* rows.c: frees the plans that were made after these. */
void ritti_rows_forget(ritti_completion *C, struct ritti_memo *before);

/* ---- again.c ---- */
/* Keeps the completion for other numbers. */
ritt_status ritti_keep(ritti_completion *C, ritti_reduced *reduced) RITT_USE;
/* equations.c: the equations with the values of the parameters, into exact[] */
ritt_status ritti_put_in_parameters(ritti_completion *C, ritti_expr *exact) RITT_USE;
/* passes.c: the rows with the invariants, the start point, the levels */
ritt_status ritti_take_start(ritti_completion *C) RITT_USE;
/* singular.c: *row: a row (of the tops) whose derivatives vanish at the start, though not beside it;
 * -1: none */
ritt_status ritti_find_vanishing(ritti_completion *C, bool of_tops, int *row) RITT_USE;
/* reduce.c: the numbers of the reduced system. plan: of the entries of A, for the holonomic kind. *same
 * = false: the form of the reduced system depends on them. */
ritt_status ritti_reduce_again(ritti_completion *C, ritti_reduced *R, const ritti_plan *plan,
                               bool *same) RITT_USE;
/* combine.c: is there a number with more digits than a double has? */
ritt_status ritti_has_long_number(const ritti_completion *C, const ritti_expr *exact,
                                  bool *has) RITT_USE;
/* combine.c: may subtracting a multiple of an equation from another one make it shorter, whatever the
 * values of the parameters are? */
ritt_status ritti_may_combine(const ritti_completion *C, bool *may) RITT_USE;

/* index in point of the jet, -1: beyond the top */
int ritti_jet_number(const ritti_completion *C, int variable, int order);
/* ---- prolong.c ---- */
/* Offsets and stages, raised until the top stage is linear in the tops, unless the implicit kind takes it as
 * it is; for the general kind until the stage below it is among the rows for every equation.
 * RITT_UNDECIDED: an equation would have to be differentiated too often. */
ritt_status ritti_prolong_all(ritti_completion *C) RITT_USE;
/* M = { f_i^(k) = 0, k < c_i }, by k; the tops from f_i^(c_i) = 0, by c. */
ritt_status ritti_list_rows(ritti_completion *C) RITT_USE;
/* Makes sure that stage[equation][0..k] are there. */
ritt_status ritti_prolong(ritti_completion *C, int equation, int k) RITT_USE;
/* ---- regular.c ---- */
/* The square matrix of the top stage plus s, d f_i^(c_i+s) / d y_j^(d_j+s), dense n x n: it does
 * not depend on s. */
ritt_status ritti_top_matrix(ritti_completion *C, const double *point, double *A) RITT_USE;
/* Is it of full rank at a point, by its condition number after scaling? */
ritt_status ritti_full_rank(ritti_completion *C, const double *point, bool *full,
                            double *condition) RITT_USE;
/* How large the terms of an expression are at a point: its rounding error is about
 * RITTI_EPS times that. */
ritt_status ritti_size_of_terms(ritti_completion *C, ritti_expr e, const double *point,
                                double *size) RITT_USE;
/* leaf values at a point (an array of all jets) */
typedef struct ritti_at {
  const ritti_completion *C;
  const double *point;
} ritti_at;
ritti_values ritti_values_at(const ritti_at *at);

/* ---- sizes.c ---- */
/* A start value that stands for 0: far below all velocities, with a square that is not 0 */
#define RITTI_NEARLY_ZERO 1e-120
/* From the equations, with the values of the parameters, and the start values. */
ritt_status ritti_find_jet_sizes(ritti_completion *C) RITT_USE;
/* How large the jet y_variable^(order) is likely to be: as `scale` says, else as found. */
double ritti_jet_size(const ritti_completion *C, int variable, int order);
double ritti_x_size(const ritti_completion *C);

/* ---- rows.c: a set of rows with their Jacobian in all jets, evaluated together ---- */
typedef struct ritti_rows_system {
  int rows, cols;          /* cols = jets */
  int *start, *col;        /* Jacobian by rows, columns are jet numbers */
  const double *size;      /* of each jet; NULL: 1 */
  ritti_plan *plan;        /* roots: rows, then entries; kept by the completion */
  struct ritti_memo *memo; /* rows.c: what the completion keeps of it */
  double *value;           /* rows + entries, after evaluate */
  ritti_expr *root;
} ritti_rows_system;
ritt_status ritti_rows_make(ritti_completion *C, const ritti_expr *rows, int count,
                            ritti_rows_system *out) RITT_USE;
/* Are `count` rows from `first` on, and their entries, finite? */
bool ritti_rows_finite(const ritti_rows_system *system, int first, int count);
/* false: some value is not finite. If the rows have values and vertical tangents (sqrt(h) at h = 0)
 * the infinite slopes are those of a point beside it. */
bool ritti_rows_evaluate(const ritti_completion *C, ritti_rows_system *system, const double *point);
/* The same without slopes from beside the point. */
bool ritti_rows_evaluate_here(const ritti_completion *C, ritti_rows_system *system,
                              const double *point);
/* The rows alone; their entries are those of another point. */
void ritti_rows_evaluate_alone(const ritti_completion *C, ritti_rows_system *system,
                               const double *point);

/* ---- newton.c: least move onto the rows ---- */
/* Moves point to satisfy all rows, by
 * the least sum of (move_i / freedom_i)^2; freedom 0 keeps a jet, and the moves of loose jets
 * (NULL: none) do not count. *reached: the rows are satisfied to round-off; otherwise point is the
 * best found. */
ritt_status ritti_newton(ritti_completion *C, ritti_rows_system *system, const double *freedom,
                         const bool *loose, double *point, bool *reached) RITT_USE;

/* ---- start.c ---- */
ritt_status ritti_find_start(ritti_completion *C) RITT_USE;
/* A point that satisfies C->row, with the typed values kept or moved as in every start; `from`: values
 * of all variables from which the search begins, NULL: the typed ones. */
ritt_status ritti_find_root(ritti_completion *C, const double *from, bool *reached) RITT_USE;
/* differences.c: a copy of the model in which combinations of unknowns are states, if derivatives occur
 * only in such combinations; NULL: they do not. Its memory is that of the model. */
ritt_status ritti_take_differences(ritti_model *model, ritti_model **out) RITT_USE;
/* constants.c: a copy of the model with the numbers of its constants in the equations; NULL: there are no
 * constants that change the form. *highest: with one of their values an equation loses the highest
 * derivative of an unknown. */
ritt_status ritti_take_constants(const ritti_model *model, ritti_arena *arena, bool *highest,
                                 ritti_model **out) RITT_USE;
/* A copy of the model whose start has another value of a constant; NULL: there are fewer than `which`
 * such values. */
ritt_status ritti_try_constant(const ritti_model *model, ritti_arena *arena, int which,
                               ritti_model **out) RITT_USE;
/* steady.c: a copy of the model that starts where all derivatives are 0 */
ritt_status ritti_steady_start(const ritti_model *model, ritti_arena *arena, ritt_error *error,
                               ritt_check *check, ritti_model **out) RITT_USE;
/* Says which part of the rows has no value at the point, and fails. */
ritt_status ritti_refuse_no_value(ritti_completion *C, ritti_rows_system *rows,
                                  const double *point) RITT_USE;
/* A point of the manifold of the equations alone, near the start point but generic; number says
 * which. */
ritt_status ritti_generic_point(ritti_completion *C, ritti_rows_system *equations, int number,
                                double *point, bool *reached) RITT_USE;
/* The rows of M, then those of the tops; then, if wanted, the invariants with a given value. */
ritt_status ritti_all_rows(ritti_completion *C, bool with_invariants,
                           ritti_rows_system *out) RITT_USE;

/* In (-1, 1), the same everywhere. */
double ritti_quasi_random(int i, int number);
/* The number-th fixed quasi-random shift of the jet y_variable^(order): between -1 and 1 times the
 * size of its value at C->point; number 0: that size itself. */
double ritti_shift(const ritti_completion *C, int variable, int order, int number);

/* ---- the two paths ---- */
/* What outputs, plots, start values and invariants need: d_least[j] is raised to it. */
ritt_status ritti_least_orders(ritti_completion *C, int *d_least) RITT_USE;
/* Does e hold the tops y_j^(d_j) at most linearly? */
ritt_status ritti_linear_in_tops(ritti_completion *C, ritti_expr e, bool *linear) RITT_USE;
ritt_status ritti_complete_general(ritti_completion *C) RITT_USE;
/* The involutive form in J_q, q the highest order of all: C->row in the jets up to C->d = q. No top
 * rows. */
ritt_status ritti_complete_classical(ritti_completion *C) RITT_USE;
/* The equations, completed classically. C holds model, dag, arena, error and check. */
ritt_status ritti_involutive(ritti_completion *C) RITT_USE;
/* ---- invariant.c, index.c, reduce.c, kinks.c ---- */
ritt_status ritti_check_invariants(ritti_completion *C) RITT_USE;
/* Notes what the mechanics of the model keeps, or why it does not. */
ritt_status ritti_offer_invariants(ritti_completion *C) RITT_USE;
/* decide.c: have the selected rows as many pivots of each class at the start point? *sure = false: this
 * could not be decided, or rows of dependent equations make up for it, and *same is false. */
ritt_status ritti_same_at_start(ritti_completion *C, bool *same, bool *sure) RITT_USE;
/* decide.c: a point of the selected rows at C->x, carried there from the generic point of the decision, or
 * found from the start values; *found = false: there is none, or the way is barred. */
ritt_status ritti_carry_to_start(ritti_completion *C, bool from_generic, double *point,
                                 bool *found) RITT_USE;
/* index.c: does the decision agree with the fast path? Then the index is counted, too. */
ritt_status ritti_confirm_fast(ritti_completion *C, bool *fast) RITT_USE;
ritt_status ritti_reduce(ritti_completion *C, ritti_reduced **out) RITT_USE;
/* Does the operator only compare its first argument with 0? */
bool ritti_compares_first(ritti_op op);
/* groups.c: the tops of the implicit kind in the order in which they are found */
ritt_status ritti_group_tops(ritti_completion *C, ritti_reduced *R) RITT_USE;
/* Is the expression free of jets and of the independent variable? */
ritt_status ritti_is_fixed(ritti_completion *C, ritti_expr e, bool *constant) RITT_USE;
ritt_status ritti_find_kinks(ritti_completion *C, ritti_reduced *R) RITT_USE;
/* Validity: the pivots by which rows of the reduced system are divided; they are watched like
 * kinks. */
ritt_status ritti_find_validity(ritti_completion *C, ritti_reduced *R) RITT_USE;

/* "x = 1", printed in the model's names; in the arena */
const char *ritti_show(ritti_completion *C, ritti_expr e);
const char *ritti_show_equation(ritti_completion *C, int equation);
/* start_say.c: a kink in the equation, such as abs(N), whose side is open, since it holds unknowns without
 * derivatives; NULL: there is none. */
const char *ritti_open_kink(ritti_completion *C, int equation);
const char *ritti_show_jet(ritti_completion *C, int variable, int order);
/* Refuses the model with this verdict; reason NULL: no memory. */
ritt_status ritti_refuse_model(ritti_completion *C, const char *verdict, ritt_status status,
                               const ritti_place *place, const char *hint,
                               const char *reason) RITT_USE;
/* passes.c: all passes */
ritt_status ritti_run_passes(ritti_completion *C, ritti_reduced **out) RITT_USE;
ritt_status ritti_add_note(ritti_completion *C, const char *text) RITT_USE;
/* Appends to one of the lists of names in check. */
ritt_status ritti_add_name(ritti_completion *C, const char *const **list, size_t *count,
                           const char *text) RITT_USE;

ritt_status ritti_check_table_start(ritti_completion *completion) RITT_USE;
/* Do the tables have the derivatives that the rows need? Else told. */
ritt_status ritti_check_tables(ritti_completion *completion, const ritti_reduced *reduced) RITT_USE;

/* combine.c: makes equations shorter that share terms, if the model has numbers that doubles cannot
 * tell apart. exact: the equations with the values of the parameters. */
ritt_status ritti_combine_equations(ritti_completion *C, const ritti_expr *exact,
                                    bool *changed) RITT_USE;
/* equations.c: the equations as used and what occurs in them. C holds model, dag, arena, error and
 * check. */
ritt_status ritti_find_structure(ritti_completion *C) RITT_USE;
/* singular.c: does the gradient of a row of M vanish at the start, though not beside it? Then M is not a
 * manifold there, and the start is refused. */
ritt_status ritti_check_gradients(ritti_completion *C) RITT_USE;
/* singular.c: refuses a start at which the highest derivatives are not determined, though they are beside
 * it */
ritt_status ritti_check_start(ritti_completion *C) RITT_USE;
/* singular.c: the start is a singular point, for that reason */
ritt_status ritti_refuse_singular(ritti_completion *C, const char *hint, const char *reason);

/* The innermost part to which a name such as "s[2].Q.b.v" belongs; NULL: none. */
const ritti_part_def *ritti_owner_of(const ritti_model *model, const char *name);

#endif
