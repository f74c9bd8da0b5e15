/* Private to src/algebra. */
#ifndef RITTI_ALGEBRA_IMPL_H
#define RITTI_ALGEBRA_IMPL_H

#include "algebra/algebra.h"

/* ---- positions.c ---- */
/* Angles: variables that occur in sines and cosines only. The base angle of a variable is itself
 * over a whole number, so that all arguments are whole multiples of base angles. */
typedef struct ritti_ring {
  int variables; /* of the model */
  int *letter;   /* of each variable: of itself, or of the sine of its base angle (the cosine
                    follows); -1 */
  int *divisor;  /* of each variable: of its base angle; 0: it is no angle */
  int x;         /* letter of the independent variable, -1: it does not occur */
} ritti_ring;
/* Finds the position constraints and the letters of their ring. */
ritt_status ritti_positions_find(ritti_branches *B, const ritti_place *place, ritt_error *error,
                                 ritti_ring *ring) RITT_USE;
/* Declarations "poly e(7) = ...;" for the constraints and "ideal g = ..." of them and the circles.
 */
ritt_status ritti_positions_write(const ritti_branches *B, const ritti_ring *ring,
                                  ritti_text *out) RITT_USE;

/* ---- singular.c ---- */
/* A session with Singular. */
typedef struct ritti_singular_process ritti_singular_process;
ritt_status ritti_singular_open(const ritti_singular_call *call, ritti_arena *arena,
                                ritt_error *error, ritti_singular_process **out) RITT_USE;
/* Asks; *answer: the lines of the answer. RITT_SYSTEM and a message: there is none; the session is
 * over. */
ritt_status ritti_singular_ask(ritti_singular_process *session, const char *question, size_t length,
                               double seconds, ritt_error *error, ritti_text *answer) RITT_USE;
void ritti_singular_close(ritti_singular_process *session);
double ritti_singular_seconds(const ritti_singular_process *session);
/* A polynomial as Singular writes it (short = 0) as an expression in letters; NIL: it is none. *at
 * moves behind it. */
ritti_expr ritti_polynomial_read(ritti_dag *dag, const ritti_expr *letter, int letters,
                                 const char **at, int *degree, int *terms);

/* ---- exact.c ---- */
enum { RITTI_LARGEST_MULTIPLE = 12 }; /* of a base angle */
/* Calls `take` for each term of u = sum of fractions times undifferentiated variables; false: u is
 * no such sum, or `take` has said so. */
bool ritti_angle_terms(const ritti_dag *dag, ritti_expr u,
                       bool (*take)(void *context, int variable, mpq_srcptr factor), void *context);
/* The base angles of sines and cosines among the nodes: divisor[variable], 0 where there are none.
 */
void ritti_angle_divisors(const ritti_dag *dag, const ritti_nodes *nodes, int *divisor);
/* Exact values of expressions at the number-th point of a fixed list of rational points, sines and
 * cosines being rational there too. value: count rationals, initialised by the caller. *known[i]:
 * expression i has an exact value there. */
ritt_status ritti_exact_values(const ritti_model *model, const ritti_expr *roots, size_t count,
                               int number, mpq_t *value, bool *known) RITT_USE;
/* Is a = ratio * b for a constant ratio, not 0? RITTI_OPEN: no exact values. */
ritt_status ritti_exact_ratio(const ritti_model *model, ritti_expr a, ritti_expr b,
                              ritti_answer *yes, mpq_t ratio) RITT_USE;
ritt_status ritti_exact_zero(const ritti_model *model, ritti_expr a, ritti_answer *yes) RITT_USE;

/* ---- locate.c ---- */
/* Expressions and their derivatives by the variables of B, for numbers. */
typedef struct ritti_numeric ritti_numeric;
ritt_status ritti_numeric_make(const ritti_branches *B, const ritti_expr *f, int count,
                               ritti_numeric **out) RITT_USE;
/* Values and derivatives (count x variables) at a point of B->variables; sizes: of the terms of
 * each. false: not finite. Any may be NULL. */
bool ritti_numeric_at(const ritti_numeric *N, const double *point, double *value, double *size,
                      double *derivative);
void ritti_numeric_free(ritti_numeric *N);
/* The point on { f = 0 } with the least sum of (move / freedom)^2 from `from`; freedom 0: kept.
 * point: where to begin. */
ritt_status ritti_nearest_point(const ritti_branches *B, const ritti_numeric *N, int count,
                                const double *from, const double *freedom, double *point,
                                bool *reached) RITT_USE;

/* Nearest points and which components pass through the start. `through`: values in the place of
 * those of the start section, whose others are guesses then. */
ritt_status ritti_branches_locate(ritti_branches *branches, const ritti_start_def *through,
                                  int count) RITT_USE;

/* Rank of the derivatives at a point, rows in units of their terms; -1: not finite. */
ritt_status ritti_numeric_rank_at(const ritti_branches *B, const ritti_numeric *N, int count,
                                  const double *point, double tolerance, int *rank) RITT_USE;

/* ---- rows.c: of each component ---- */
ritt_status ritti_component_rows(ritti_branches *B, const ritti_ring *ring,
                                 ritti_singular_process *session, ritti_component *c) RITT_USE;

#endif
