/* Methods: tableaux from tableaux.def, and the projected Runge-Kutta step. */
#ifndef RITTI_METHOD_H
#define RITTI_METHOD_H

#include "base/base.h"

/* The families of methods; each takes its steps in its own way (step.h). */
typedef enum ritti_family {
  RITTI_EXPLICIT,
  RITTI_IMPLICIT,
  RITTI_ROSENBROCK,
  RITTI_DOUBLED,
  RITTI_TAYLOR,
  RITTI_COVARIANT
} ritti_family;

enum { RITTI_MOST_MEMBERS = 3 };

/* A method. Coefficients are kept as decimal or rational text in tableaux.def and compiled to
 * reals; rows of a of explicit methods are packed: a[i] has i entries, a_ij at a[i*(i-1)/2 + j];
 * implicit ones have all stages x stages, row by row. */
typedef struct ritti_tableau {
  const char *name;
  const char *also; /* another name of it; NULL: none */
  ritti_family family;
  int order,
      stages;   /* stages: those of the step itself (without the one at the end that FSAL shares) */
  int embedded; /* order of the error estimate's companion, 0: none */
  bool fsal; /* the direction at the new point is stage `stages` of the error and dense formulas */
  const ritt_real *a, *b, *c;
  const ritt_real *e; /* error weights b - (companion), stages + fsal entries; NULL: none */
  /* weights of a second estimate, combined as err5^2 / sqrt(err5^2 + 0.01 err3^2) (dop853); NULL:
   * none */
  const ritt_real *e3;
  /* dense output: extra stages (rows of a continue: a of stage stages+1+i), then the polynomial
   * z(theta) = z0 + h sum_i V_i P_i(theta), P_i(theta) = sum_{q>=1} dense[i*dense_degree + q-1]
   * theta^q. dense NULL: cubic Hermite from both ends, or shorter steps of the method where that is
   * not enough. */
  int extra, dense_order, dense_degree;
  const ritt_real *extra_a, *extra_c; /* extra rows, row i has stages + 1 + i entries */
  const ritt_real *dense;             /* (stages + 1 + extra) x dense_degree */
  /* implicit, where stages are projected: along the normals at the start of the step (the first
   * form of (5.3) of the paper on involutive systems); half-way to the projected end (5.4) */
  bool normals_at_start, half_way;
  ritt_real normal,
      correction;     /* the papers' Taylor methods: factors of S(V, V) and X, see covariant.c */
  const char *source; /* where the coefficients come from */
  /* Rosenbrock methods (rosenbrock.c): the diagonal gamma; g_ij below it, packed as a; h g_sum_i
   * multiplies dV/dx. e has the weights of the error, dense those of K_q, row q after row q - 1. */
  ritt_real gamma;
  const ritt_real *g, *g_sum;
  /* implicit methods of variable order: the methods of which each step takes one, by ascending
   * order; their number of stages ascends, too. NULL: none */
  const char *member[RITTI_MOST_MEMBERS];
  /* RITTI_DOUBLED: the method whose steps are taken whole and in halves */
  const struct ritti_tableau *of;
} ritti_tableau;

/* Does it solve linear systems with derivatives of V, so that stiff parts do not limit its steps? */
static inline bool ritti_is_implicit(const ritti_tableau *t) {
  return t->family == RITTI_IMPLICIT || t->family == RITTI_ROSENBROCK;
}

/* NULL: no such method. */
const ritti_tableau *ritti_method_find(const char *name);
const ritti_tableau *ritti_method_get(size_t i); /* NULL past the last */

/* How far an explicit method is stable: |R(-x)| <= 1 for 0 <= x <= this, R its stability function.
 */
ritt_real ritti_tableau_stability(const ritti_tableau *t);

/* Do its steps damp the vibrations of a strong potential, so that they can be longer
 * (strong_fits.c)? false: `why` gets the reason, as the end of a sentence "the method ... does not
 * fit: ". */
bool ritti_strong_fits(const ritti_tableau *t, char *why, size_t room);
/* |R(inf)|, by which a step with h >> eps multiplies vibrations; of a method that fits. */
ritt_real ritti_strong_damping(const ritti_tableau *t);

/* The method with an estimate of its error by step doubling (doubling.c); t must live as long. */
ritti_tableau ritti_tableau_doubled(const ritti_tableau *t);

#endif
