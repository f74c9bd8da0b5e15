/* The second build of the numeric tower, with __float128 for ritt_real: evaluators, geometry,
 * methods, solver.
 *
 * It is linked to one object of which one name is seen, ritti_quad_calls: the functions of a
 * ritt_solver that computes in quadruple precision. Everything symbolic is shared with the build in
 * doubles. solver.c hands its calls on to them where a run asks for `precision quad`.
 */
#ifndef RITTI_QUAD_CALLS_H
#define RITTI_QUAD_CALLS_H

#include "ritt.h"

typedef struct ritti_solver_calls {
  ritt_status (*from_model)(ritt_model *model, const ritt_options *options, ritt_error *error,
                            ritt_solver **out);
  void (*free)(ritt_solver *solver);
  ritt_status (*start)(ritt_solver *solver, double s, const double *z, ritt_error *error);
  ritt_status (*step)(ritt_solver *solver, double end, ritt_error *error);
  ritt_status (*run_to)(ritt_solver *solver, double end, ritt_error *error);
  ritt_status (*run)(ritt_solver *solver, ritt_row row, void *user, ritt_error *error);
  ritt_status (*dense)(ritt_solver *solver, double s, ritt_point *out, ritt_error *error);
  ritt_status (*point)(ritt_solver *solver, ritt_point *out, ritt_error *error);
  double (*before)(const ritt_solver *solver);
  void (*columns)(const ritt_solver *solver, const char *const **names, size_t *count);
  ritt_status (*save)(ritt_solver *solver, void *buffer, size_t room, size_t *size,
                      ritt_error *error);
  ritt_status (*load)(ritt_solver *solver, const void *state, size_t size, ritt_error *error);
  ritt_status (*values)(ritt_solver *solver, double s, double *values, ritt_error *error);
  void (*remainders)(const ritt_solver *solver, double *remainders);
  ritt_status (*value)(ritt_solver *solver, const char *name, double *out, ritt_error *error);
  void (*statistics)(const ritt_solver *solver, ritt_statistics *out);
} ritti_solver_calls;

const ritti_solver_calls *ritti_quad_calls(void);

#endif
