/* Private to src/algebra. */
#ifndef RITTI_ALGEBRA_IMPL_H
#define RITTI_ALGEBRA_IMPL_H

#include "branches/algebra.h"

/* ---- positions.c ---- */
/* The letters of the polynomial ring. Angles are variables that occur only in sines and cosines.
 * The base angle of a variable is the variable divided by a whole number, such that all arguments
 * are whole multiples of base angles. */
typedef struct ritti_ring {
  int variables; /* the number of variables of the model */
  /* for each variable its letter; for an angle the sine of its base angle, followed by the cosine;
   * -1: it does not occur */
  int *letter;
  int *divisor; /* for each variable the divisor of its base angle; 0: it is not an angle */
  int x;        /* the letter of the independent variable; -1: it does not occur */
} ritti_ring;
/* Finds the position constraints and the letters of their ring. */
ritt_status ritti_positions_find(ritti_branches *B, const ritti_place *place, ritt_error *error,
                                 ritti_ring *ring) RITT_USE;
/* Writes declarations "poly e(7) = ...;" for the constraints and "ideal g = ..." with them and the
 * circles. */
ritt_status ritti_positions_write(const ritti_branches *B, const ritti_ring *ring,
                                  ritti_text *out) RITT_USE;

/* ---- singular.c ---- */
/* A session with Singular. */
typedef struct ritti_singular_process ritti_singular_process;
ritt_status ritti_singular_open(const ritti_singular_call *call, ritti_arena *arena,
                                ritt_error *error, ritti_singular_process **out) RITT_USE;
/* Asks a question; *answer holds the lines of the answer. RITT_SYSTEM and a message: there was no
 * answer, and the session has ended. */
ritt_status ritti_singular_ask(ritti_singular_process *session, const char *question, size_t length,
                               double seconds, ritt_error *error, ritti_text *answer) RITT_USE;
void ritti_singular_close(ritti_singular_process *session);
double ritti_singular_seconds(const ritti_singular_process *session);
/* Reads a polynomial as Singular writes it (short = 0) as an expression in the letters; NIL if it
 * is wrong. *at moves to the character after it. */
ritti_expr ritti_polynomial_read(ritti_dag *dag, const ritti_expr *letter, int letters,
                                 const char **at, int *degree, int *terms);

/* ---- exact.c ---- */
enum { RITTI_LARGEST_MULTIPLE = 12 }; /* the largest multiple of a base angle */
/* Calls `take` for each term of u if u is a sum of rational multiples of undifferentiated
 * variables; false if it is not, or if `take` returns false. */
bool ritti_angle_terms(const ritti_dag *dag, ritti_expr u,
                       bool (*take)(void *context, int variable, mpq_srcptr factor), void *context);
/* Finds the base angles of the sines and cosines among the nodes: divisor[variable], 0 if it has
 * none. */
void ritti_angle_divisors(const ritti_dag *dag, const ritti_nodes *nodes, int *divisor);
/* Computes exact values of expressions at point `number` of a fixed list of rational points, at
 * which sines and cosines are rational, too. value: `count` rationals, initialised by the caller.
 * known[i]: expression i has an exact value there. */
ritt_status ritti_exact_values(const ritti_model *model, const ritti_expr *roots, size_t count,
                               int number, mpq_t *value, bool *known) RITT_USE;
/* Is a = ratio * b with a constant ratio other than 0? RITTI_OPEN: there are no exact values. */
ritt_status ritti_exact_ratio(const ritti_model *model, ritti_expr a, ritti_expr b,
                              ritti_answer *yes, mpq_t ratio) RITT_USE;
/* Is a = 0 for all values of its variables? RITTI_OPEN: there are no exact values. */
ritt_status ritti_exact_zero(const ritti_model *model, ritti_expr a, ritti_answer *yes) RITT_USE;

/* ---- locate.c ---- */
/* Expressions and their derivatives with respect to the variables of B, for numerical evaluation.
 */
typedef struct ritti_numeric ritti_numeric;
ritt_status ritti_numeric_make(const ritti_branches *B, const ritti_expr *f, int count,
                               ritti_numeric **out) RITT_USE;
/* Computes values, sizes of their terms, and derivatives (count x variables) at a point; each array
 * may be NULL. Returns false if a value is not finite. */
bool ritti_numeric_at(const ritti_numeric *N, const double *point, double *value, double *size,
                      double *derivative);
void ritti_numeric_free(ritti_numeric *N);
/* Finds the point on { f = 0 } with the smallest sum of (move / freedom)^2 from `from`; coordinates
 * of freedom 0 stay. *point is the first guess. */
ritt_status ritti_nearest_point(const ritti_branches *B, const ritti_numeric *N, int count,
                                const double *from, const double *freedom, double *point,
                                bool *reached) RITT_USE;

/* Finds the closest points and the components that pass through the start. Values in `through`
 * replace those of the start section, whose other values become guesses. */
ritt_status ritti_branches_locate(ritti_branches *branches, const ritti_start_def *through,
                                  int count) RITT_USE;

/* The rank of the derivatives at a point, with rows divided by the sizes of their terms; -1: not
 * finite. */
ritt_status ritti_numeric_rank_at(const ritti_branches *B, const ritti_numeric *N, int count,
                                  const double *point, double tolerance, int *rank) RITT_USE;

/* ---- rows.c: finds the rows of a component ---- */
ritt_status ritti_component_rows(ritti_branches *B, const ritti_ring *ring,
                                 ritti_singular_process *session, ritti_component *c) RITT_USE;

#endif
