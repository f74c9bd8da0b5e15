/* Branches: the prime components of the position constraints (section 6.4 of the higher order
 * paper), and the model on one of them. Position constraints are the equations between
 * undifferentiated variables. If they are polynomials with rational coefficients, in the variables
 * or in their sines and cosines, Singular (an optional external program) splits the set that they
 * define into irreducible components. At points where several components meet, the constraints as
 * written lose rank; the equations of a single component do not. Only positions are decomposed:
 * velocities follow by differentiation, and decomposing both together would give components that no
 * motion fills. */
#ifndef RITTI_ALGEBRA_H
#define RITTI_ALGEBRA_H

#include "lang/lang.h"

/* A three-valued answer; OPEN: could not be decided. */
typedef enum ritti_answer { RITTI_NO, RITTI_YES, RITTI_OPEN } ritti_answer;

/* How Singular is called. */
typedef struct ritti_singular_call {
  const char *program; /* NULL: "Singular" in the PATH */
  double seconds;      /* time limit for one question; 0: 20 */
} ritti_singular_call;

/* An irreducible component. */
typedef struct ritti_component {
  int dimension, degree;
  ritti_expr *generator; /* the reduced Groebner basis, whole coefficients, the simplest first */
  const char **text;     /* the generators as Singular writes them */
  int generators;
  /* equations that define the component near the start; as many as its codimension */
  ritti_expr *row;
  int rows;
  ritti_answer independent; /* yes: the rows are independent everywhere, so it is smooth, too */
  ritti_answer smooth;      /* has it no singular points, including complex ones? */
  ritti_answer through;     /* does it pass through the start point? */
  bool reached;             /* a point of it was found near the start point */
  /* the point closest to the start values or to those of `branch through`, and its distance */
  double distance, *nearest;
} ritti_component;

/* The decomposition of a model's position constraints. */
typedef struct ritti_branches {
  ritti_model *model;
  ritti_arena *arena;
  int *equation, equations; /* the position constraints among the model's equations */
  int *variable, variables; /* their variables, ascending */
  ritti_expr *letter;       /* v(1), v(2), ... of Singular: a variable, its sine or cosine, or x */
  int letters, angles;      /* the numbers of letters and of pairs of sine and cosine */
  const char *point;        /* the point from which distances are measured, in words */
  const char *program, *by; /* the program and the procedure that gave the components */
  int asked;                /* the number of questions so far */
  bool mute;                /* the last question had no answer: no more are asked */
  ritti_component *component; /* sorted by falling dimension, by degree, by text */
  int components;
} ritti_branches;

/* Decomposes the constraints and finds the components that pass through the start point. If `asked`
 * contains values of `branch through`, they replace those of the start section, whose other values
 * become guesses. RITT_WRONG_MODEL: there are no position constraints, or they are not polynomial;
 * RITT_SYSTEM: Singular is missing, or gave no answer that passes the checks. */
ritt_status ritti_branches_find(ritti_model *model, const ritti_singular_call *call,
                                const ritti_branch_def *asked, ritti_arena *arena,
                                ritt_error *error, ritti_branches **out) RITT_USE;
/* Is the rank of the position constraints at the start values lower than at other points?
 * Constraints that are not polynomial give no. */
ritt_status ritti_positions_singular(ritti_model *model, ritti_arena *arena, bool *yes) RITT_USE;
/* Chooses the component by the values; refused unless exactly one component fits. */
ritt_status ritti_branches_choose(const ritti_branches *branches, const ritti_place *place,
                                  ritt_error *error, int *number) RITT_USE;

/* The parts of a model that a branch replaces, as they were before. */
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
/* Puts a component (counted from 0) into the model: its rows replace the position constraints, and
 * new multipliers replace the old ones. The old parts go to `written`. */
ritt_status ritti_branch_put_in(ritti_branches *branches, int component, ritti_written *written,
                                ritt_error *error) RITT_USE;
/* Restores the model as it was before ritti_branch_put_in. */
void ritti_branch_take_out(ritti_model *model, ritti_written *written);

/* Prints the list of components in words or as JSON. */
ritt_status ritti_branches_print(const ritti_branches *branches, ritt_form form,
                                 ritti_text *out) RITT_USE;

#endif
