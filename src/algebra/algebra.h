/* Branches: the prime components of the position constraints (section 6.4 of the higher order
 * paper), and the model on one of them.
 *
 * Position constraints are the equations between undifferentiated variables. Where they are
 * polynomials with rational coefficients, in the variables or in sines and cosines of them,
 * Singular (a program of its own, optional) splits the set that they define into irreducible
 * components. Where several components meet the constraints as written lose rank; on a component
 * alone they do not. Positions only: velocities follow by differentiation, and decomposing both
 * together would give components that no motion fills.
 */
#ifndef RITTI_ALGEBRA_H
#define RITTI_ALGEBRA_H

#include "lang/lang.h"

typedef enum ritti_answer {
  RITTI_NO,
  RITTI_YES,
  RITTI_OPEN
} ritti_answer; /* OPEN: could not decide */

/* How Singular is called. */
typedef struct ritti_singular_call {
  const char *program; /* NULL: "Singular", looked for in PATH */
  double seconds;      /* for one question; 0: 20 */
} ritti_singular_call;

typedef struct ritti_component {
  int dimension, degree;
  ritti_expr *generator; /* the reduced Groebner basis, whole coefficients, the simplest first */
  const char **text;     /* the same as Singular writes it */
  int generators;
  ritti_expr
      *row; /* so many of the generators as the codimension that are independent where it matters */
  int rows;
  ritti_answer independent; /* yes: they are so on the whole component, so that it is smooth, too */
  ritti_answer smooth;      /* has it no singular points, complex ones included? */
  /* the point of it nearest to the start values, or to those of `branch through` */
  ritti_answer through; /* does it pass through the start point? */
  bool reached;         /* there is such a point */
  double distance, *nearest;
} ritti_component;

typedef struct ritti_branches {
  ritti_model *model;
  ritti_arena *arena;
  int *equation, equations; /* the position constraints among the model's equations */
  int *variable, variables; /* their variables, ascending */
  ritti_expr *letter;       /* v(1), v(2), ... of Singular: a variable, its sine or cosine, or x */
  int letters, angles;      /* angles: pairs among them */
  const char *point;        /* which one the distances are from, in words */
  const char *program, *by; /* what was asked: the program and its procedure */
  int asked;                /* questions so far */
  bool mute;                /* no answer came to the last: none are asked any more */
  ritti_component *component; /* by falling dimension, by degree, by text */
  int components;
} ritti_branches;

/* Decomposes, and finds the components that pass through the start point.
 * `asked`: values of `branch through` take the place of those of the start section, whose others
 * are guesses then. RITT_WRONG_MODEL: there is nothing to decompose or it is not polynomial;
 * RITT_SYSTEM: Singular is not there, or gave no answer that stands up to a check. */
ritt_status ritti_branches_find(ritti_model *model, const ritti_singular_call *call,
                                const ritti_branch_def *asked, ritti_arena *arena,
                                ritt_error *error, ritti_branches **out) RITT_USE;
/* Have the position constraints, which are polynomial, a lower rank at the start values than at
 * other points? */
ritt_status ritti_positions_singular(ritti_model *model, ritti_arena *arena, bool *yes) RITT_USE;
/* The component that the values choose; refused where that is none, or more than one. */
ritt_status ritti_branches_choose(const ritti_branches *branches, const ritti_place *place,
                                  ritt_error *error, int *number) RITT_USE;

/* What a model was before a branch was put in. */
typedef struct ritti_written {
  ritti_equation_def *equation;
  ritti_output_def *output, *plot_column;
  ritti_variable_def *variable;
  ritti_name_def *variable_name;
  ritti_start_def *start;
  ritti_names names;
  int equations, starts;
  bool kept;
} ritti_written;
/* The model on a component (from 0): its rows in the place of the position constraints, their
 * multipliers in the place of the old ones. What was there before goes to `written`. */
ritt_status ritti_branch_put_in(ritti_branches *branches, int component, ritti_written *written,
                                ritt_error *error) RITT_USE;
void ritti_branch_take_out(ritti_model *model, ritti_written *written);

/* The list of components in words, or as JSON. */
ritt_status ritti_branches_print(const ritti_branches *branches, ritt_form form,
                                 ritti_text *out) RITT_USE;

#endif
