/* An engine computes trajectories of models with reals of one precision. There are two, doubles and
 * quadruple precision, made from the same sources by two builds: session*.c, recompletion.c,
 * state.c, settings.c and the numeric folders. Everything symbolic exists once.
 *
 * A public ritt_solver names its engine and its session there; solver.c calls the engine and
 * nothing else. In the second build a generated header gives every external name of those files the
 * suffix _quad (tools/quad_names.cmake).
 */
#ifndef RITTI_ENGINE_H
#define RITTI_ENGINE_H

#include <stdbool.h>
#include "ritt.h"

typedef struct ritti_session ritti_session;
typedef struct ritti_engine ritti_engine;

struct ritt_solver {
  const ritti_engine *engine;
  ritti_session *session;
  ritt_model *model; /* that it was made of; NULL: it was made of a problem */
  bool running;      /* inside a step or a run: callbacks must not move it */
};

/* Marks the solver as running, which fails if it is running already: the call comes from a callback;
 * and the end of that, which passes the status on. */
ritt_status ritti_solver_enter(ritt_solver *solver, ritt_error *error) RITT_USE;
ritt_status ritti_solver_leave(ritt_solver *solver, ritt_status status) RITT_USE;

/* The functions of ritt.h with the same names, and: */
struct ritti_engine {
  /* the model is prepared */
  ritt_status (*from_model)(ritt_model *model, const ritt_options *options, ritt_error *error,
                            ritt_solver **out);
  void (*free)(ritti_session *session);
  /* puts the session at a point that is not the model's start */
  ritt_status (*start)(ritti_session *session, double s, const double *z, ritt_error *error);
  ritt_status (*step)(ritti_session *session, double end, ritt_error *error);
  ritt_status (*run_to)(ritti_session *session, double end, ritt_error *error);
  /* as ritt_solver_run; not *finished: the run waits for a step in a batch (batch.c) and goes on
   * with the next call */
  ritt_status (*run_slice)(ritti_session *session, ritt_row row, void *user, bool *finished,
                           ritt_error *error);
  ritt_status (*dense)(ritti_session *session, double s, ritt_point *out, ritt_error *error);
  ritt_status (*point)(ritti_session *session, ritt_point *out, ritt_error *error);
  double (*before)(const ritti_session *session);
  void (*columns)(const ritti_session *session, const char *const **names, size_t *count);
  ritt_status (*save)(ritti_session *session, void *buffer, size_t room, size_t *size,
                      ritt_error *error);
  ritt_status (*load)(ritti_session *session, const void *state, size_t size, ritt_error *error);
  ritt_status (*values)(ritti_session *session, double s, double *values, ritt_error *error);
  void (*remainders)(const ritti_session *session, double *remainders);
  ritt_status (*value)(ritti_session *session, const char *name, double *out, ritt_error *error);
  ritt_status (*size)(ritti_session *session, const char *name, double *largest, double *absolute,
                      ritt_error *error);
  ritt_status (*input)(ritti_session *session, const char *name, const double *values, size_t count,
                       ritt_error *error);
  void (*statistics)(const ritti_session *session, ritt_statistics *out);
};

/* session.c, once in each build */
extern const ritti_engine ritti_engine_calls;
#if RITTI_HAS_QUAD
extern const ritti_engine ritti_engine_calls_quad;
#define RITTI_ENGINE_QUAD (&ritti_engine_calls_quad)
#else
#define RITTI_ENGINE_QUAD NULL /* settings.c refuses `precision quad` */
#endif

#endif
