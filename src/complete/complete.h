/* Completion: Model -> Reduced. Every hidden constraint is found, a point on the manifold is found,
 * and the smallest problem that the numeric tower needs is written down as expressions.
 */
#ifndef RITTI_COMPLETE_H
#define RITTI_COMPLETE_H

#include "lang/lang.h"
#include "linalg/linalg.h"

/* Where a row comes from: the `order`-th derivative of an equation, or an invariant. */
typedef struct ritti_origin {
  int equation;  /* index in the model, -1: an invariant */
  int invariant; /* index in the model, -1: an equation */
  int order;     /* times differentiated, at most */
  /* where neither is given: a condition that follows from these equations together */
  const int *source;
  int sources;
} ritti_origin;

/* A sparse matrix of expressions, by rows. */
typedef struct ritti_expr_matrix {
  ritti_pattern pattern;
  ritti_expr *entry;
} ritti_expr_matrix;

/* A kink: the argument whose sign decides, and the operator it stands in. */
typedef struct ritti_kink {
  ritti_expr argument;
  ritti_expr
      function;     /* equal to the argument; in coordinates if formulas for its tops are known */
  const char *text; /* "abs(x - 1)" */
  const char *condition; /* "x - 1" */
  ritti_place place;     /* of the equation it stands in */
  /* n > 0: the sum of n squares under a root by which its terms are divided, as in x'/sqrt(x'^2 + y'^2);
   * the n kinks after it, with -1, are the terms. 0: of another kind */
  int cone;
} ritti_kink;

/* An unknown that was taken out before the completion, and what it is. */
typedef struct ritti_removed {
  int variable, equation; /* removed, by this equation */
  ritti_expr value;       /* in variables that are kept */
  double start;           /* its value at the start point */
} ritti_removed;

/* A group of tops of the implicit kind that depend on tops of earlier groups only. Either formulas
 * give them, or they solve their rows, block by block. */
typedef struct ritti_top_group {
  bool formula;
  int count;
  int *top, *row;     /* count: the tops, and the rows that determine them, by blocks */
  int blocks, *block; /* blocks + 1: block b has the places block[b] .. block[b + 1] - 1 */
  bool *linear;       /* blocks: its rows are linear in its tops */
} ritti_top_group;

typedef struct ritti_reduced {
  ritti_model *model; /* its DAG holds all expressions below; events in variables that are kept */
  ritti_arena *arena;
  ritt_kind kind;
  int m, k, tops, levels, kinks;
  ritti_expr *coordinate; /* m leaves: [0] = the independent variable, then jets */
  ritti_expr *top;        /* tops jets */
  int *next; /* m: derivative of coordinate i: coordinate next[i], or top -1-next[i]; [0] unused */
  ritti_expr *f;        /* k rows, in coordinates, parameters and levels */
  ritti_origin *origin; /* of each row */
  ritti_expr_matrix df; /* k x m */
  ritti_expr_matrix A;  /* top_rows x tops, in coordinates; graph and holonomic */
  int top_rows;        /* rows of the linear system; fewer than tops: the least solution is meant */
  ritti_expr *top_row; /* those rows as expressions */
  ritti_expr *b; /* tops: A top + b = 0; implicit kind: the rows, A their derivatives by the tops */
  ritti_top_group *group; /* implicit kind: the tops in the order in which they are found */
  int groups;
  ritti_origin *top_origin; /* of each row of A */
  /* tops, explicit kind: top = formula(coordinates); implicit kind: those of groups of formulas, in
   * coordinates and tops of earlier groups, 0 for the others; NULL else */
  ritti_expr *formula;
  int positions, constraints; /* holonomic: as in geometry/problem.h */
  bool symmetric;
  double *s;
  bool own_line, chosen; /* as in geometry/problem.h */
  bool forced;           /* a projected row is not actually an invariant */
  /* the last of the kinks: pivots of the completion, beyond whose zeros another form holds */
  int validities;
  ritti_kink *kink;      /* in coordinates and tops */
  double *level;         /* values of the levels: invariants at the start point */
  double *z, *top_value; /* the start point: m coordinates, tops */
  /* the same equations with their strong potential apart; NULL: none */
  const struct ritti_strong_system *strong;
  const ritti_removed *removed;
  const int *removed_number; /* of each variable: 1 + its place in `removed`, 0: it is kept */
  int removals;
  struct ritti_kept *kept; /* again.c: the completion, for other numbers; NULL: not kept */
} ritti_reduced;

/* Block triangular form: block b has the rows row[start[b]], ..., row[start[b + 1] - 1] and as many
 * columns; its rows hold columns of this block and of those before it. count 0: there is none. */
typedef struct ritti_blocks {
  int count, *start, *row, *column;
} ritti_blocks;
ritt_status ritti_find_blocks(const ritti_pattern *pattern, ritti_arena *arena,
                              ritti_blocks *out) RITT_USE;

/* Replaces removed unknowns and their derivatives by what they are. */
ritt_status ritti_express(const ritti_reduced *reduced, ritti_expr *e, size_t count) RITT_USE;

/* The expression whose sign decides in abs, sign, min, max and if; NIL: no kink here. */
ritti_expr ritti_kink_argument(ritti_dag *dag, ritti_expr e);
/* The normal form of a switching surface u = 0: equal for u and all its multiples by numbers.
 * *reversed: the signs of u and of its normal form differ. */
ritti_expr ritti_surface_form(ritti_dag *dag, ritti_expr u, bool *reversed);
/* Is node 1/sqrt(q), or 1/hypot(a, b) with q = a^2 + b^2? NIL: no, else q. */
ritti_expr ritti_norm_below(ritti_dag *dag, ritti_expr node);
/* Splits a sum q = k_1 u_1^2 + k_2 u_2^2 + ..., k_i without variables; gives the number of terms, 0: q is
 * no such sum. */
enum { RITTI_MOST_SQUARES = 8 };
int ritti_split_squares(ritti_dag *dag, ritti_expr q, ritti_expr *u, ritti_expr *k);
/* floor, ceil and round jump at the whole numbers of this, between which they are its floor (ceil:
 * one more). */
ritti_expr ritti_shift_to_floor(ritti_dag *dag, ritti_op op, ritti_expr u);

/* Completes the model. `check` is filled whatever the outcome (its texts live in `arena`); on
 * RITT_OK *out is the problem to solve. Outputs may hold any jets: the completion goes as far as
 * they need. */
ritt_status ritti_complete(ritti_model *model, ritti_arena *arena, ritt_error *error,
                           ritt_check *check, ritti_reduced **out) RITT_USE;

/* The numbers of the model have changed: values of parameters and of start values. Finds the new
 * start point and puts it with all other numbers into the reduced system, bit for bit as a
 * completion with these numbers would. *same = false: this is not certain, and the model must be
 * completed again; the reduced system must then be dropped. */
ritt_status ritti_complete_again(ritti_reduced *reduced, bool *same) RITT_USE;

/* The report before anything is known; in the arena. */
ritt_status ritti_check_begin(const ritti_model *model, ritti_arena *arena,
                              ritt_check *check) RITT_USE;

/* The completed system in words and formulas, as LaTeX, or as JSON. */
ritt_status ritti_reduced_print(const ritti_reduced *reduced, ritt_form form,
                                ritti_text *out) RITT_USE;
/* The story of the completion in words; `free` is the number of free initial values. */
ritt_status ritti_reduced_explain(const ritti_reduced *reduced, int free, ritti_text *out) RITT_USE;
/* The classical involutive form in the jet space J_q, q the highest order of all variables,
 * likewise. */
ritt_status ritti_involutive_print(ritti_model *model, ritti_arena *arena, ritt_form form,
                                   ritt_error *error, ritti_text *out) RITT_USE;
/* "the second derivative of equation 3 (line 7)", "equation 1 (line 5)", "invariant E (line 9)".
 * NULL: no memory. */
const char *ritti_origin_text(ritti_arena *arena, const ritti_model *model, ritti_origin origin);

#endif
