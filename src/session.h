/* A session, which is the inside of a public solver. Private to the files in src/. */
#ifndef RITTI_SOLVER_H
#define RITTI_SOLVER_H

#include <time.h>
#include "engine.h"
#include "native/jit.h"
#include "pipeline.h"

/* Where and how a model was completed anew: with this the problem that followed can be made again.
 */
typedef struct ritti_renewal {
  struct ritti_renewal *before;
  int m, tops, levels;        /* of the problem before it */
  ritt_real *z, *top, *level; /* the point there, and the values of invariants */
} ritti_renewal;

/* Where the run was before the system was completed anew. */
typedef struct ritti_carried {
  const ritti_reduced *reduced; /* NULL: it was not */
  const ritti_driver *driver;
} ritti_carried;

/* The native code of a session: code.c. */
typedef struct ritti_session_code {
  const ritti_problem *problem;
  ritti_jit_session jit;
  bool always;  /* the caller wants code before the first step */
  bool adopted; /* the problem has the code of the jit session */
  bool native;  /* and this session put it there */
} ritti_session_code;

/* Runs that share native code and can take steps together: batch.c. */
struct ritt_batch {
  ritti_code_cache *cache;
};

struct ritti_session {
  ritt_solver handle; /* the public object */
  ritti_arena *arena;
  ritt_model now; /* the problem as it stands; a problem of functions is a model without text */
  const char *const *column;
  size_t columns;
  ritt_options options;
  ritti_run_settings settings;
  ritti_driver *driver;
  ritt_statistics statistics;   /* of the solvers before this one */
  clock_t spent, began;         /* before the call that is going on, which began then */
  bool going;                   /* there is such a call */
  double from;                  /* where a run with rows began */
  ritt_row write_row;           /* the caller's function for rows, or NULL, */
  void *row_user;               /* what it gets, */
  ritt_status row_status;       /* and the status by which it ended the run; RITT_OK: it did not */
  bool loaded;                  /* the state of a run was loaded: the next run continues it */
  bool running;                 /* a run with rows has begun and is not over */
  bool batched;                 /* the run belongs to a batch (batch.c): */
  ritti_lanes_step *batch_code; /* takes steps of several runs; NULL: not there yet */
  ritti_step_job *job;          /* the step that the run waits for; NULL: it does not wait */
  long batched_steps;           /* number of steps taken in batches */
  ritt_model first;             /* the problem as it was at the start */
  ritti_renewal *renewals;      /* how it came from there to here, the last first */
  const char *automatic;        /* what method auto began with; NULL: another method */
  bool implicit;                /* method auto has turned to an implicit one, */
  double turned;                /* at this x */
  uint64_t given;               /* sum of parameters and constants */
  double *values, *after;       /* a row, and one behind a jump */
  ritt_real *z, *top, *speed;   /* of points */
  ritt_real *row;               /* the last one */
  ritti_carried carried;
  double *point; /* z, speed and top as doubles */
  ritti_session_code code;
};

/* A ritti_driver for a problem, with the settings that go with it; now->problem may get functions
 * that the method needs. */
ritt_status ritti_session_make_driver(ritti_session *S, ritt_model *now,
                                      ritti_run_settings *settings, ritt_error *error,
                                      ritti_driver **out) RITT_USE;
/* Room for points of the problem as it stands. */
ritt_status ritti_session_make_points(ritti_session *S) RITT_USE;
/* Room for a renewal of M; M's problem made anew there, invariants keep their values. */
ritt_status ritti_renewal_new(const ritt_model *M, ritti_arena *arena,
                              ritti_renewal **out) RITT_USE;
ritt_status ritti_complete_anew(const ritt_model *M, const ritti_renewal *at, ritti_arena *arena,
                                ritt_error *error, ritt_model *out) RITT_USE;
/* code.c: native code for a new problem of the session, between steps on the way to `end`, and at the
 * end. Starting may wait for a compiler; a status different from RITT_OK is that of the caller's
 * watch. */
ritt_status ritti_session_start_code(ritti_session *S, const ritti_problem *problem) RITT_USE;
void ritti_session_look_for_code(ritti_session *S, double end);
void ritti_session_stop_code(ritti_session *S);
/* Why a session that must have native code has none; NULL: it has, or need not. */
const char *ritti_session_code_reason(const ritti_session *S);
/* Code is written for doubles only. */
static inline void ritti_session_poll_code(ritti_session *S, double end) {
  if (RITTI_REAL_IS_DOUBLE && S->code.jit.entry && !S->code.jit.finished)
    ritti_session_look_for_code(S, end);
}
/* batch.c: finds the code for batches, if the run belongs to one */
void ritti_batch_join(ritti_session *S);
/* The functions of the engine: engine.h. */
ritt_status ritti_session_from_model(ritt_model *model, const ritt_options *options,
                                     ritt_error *error, ritt_solver **out) RITT_USE;
ritt_status ritti_session_from_problem(const ritt_problem *problem, const double *z,
                                       const ritt_options *options, ritt_error *error,
                                       ritt_solver **out) RITT_USE;
void ritti_session_free(ritti_session *S);
ritt_status ritti_session_start(ritti_session *S, double s, const double *z,
                                ritt_error *error) RITT_USE;
ritt_status ritti_session_step(ritti_session *S, double end, ritt_error *error) RITT_USE;
ritt_status ritti_session_run_to(ritti_session *S, double end, ritt_error *error) RITT_USE;
ritt_status ritti_session_dense(ritti_session *S, double s, ritt_point *out,
                                ritt_error *error) RITT_USE;
ritt_status ritti_session_point(ritti_session *S, ritt_point *out, ritt_error *error) RITT_USE;
double ritti_session_before(const ritti_session *S);
void ritti_session_columns(const ritti_session *S, const char *const **names, size_t *count);
ritt_status ritti_session_save(ritti_session *S, void *buffer, size_t room, size_t *size,
                               ritt_error *error) RITT_USE;
ritt_status ritti_session_load(ritti_session *S, const void *bytes, size_t size,
                               ritt_error *error) RITT_USE;
ritt_status ritti_session_values(ritti_session *S, double s, double *values,
                                 ritt_error *error) RITT_USE;
void ritti_session_remainders(const ritti_session *S, double *remainders);
ritt_status ritti_session_value(ritti_session *S, const char *name, double *out,
                                ritt_error *error) RITT_USE;
void ritti_session_statistics(const ritti_session *S, ritt_statistics *out);
ritt_status ritti_session_run_slice(ritti_session *S, ritt_row row, void *user, bool *finished,
                                    ritt_error *error) RITT_USE;
/* Time spent, that of the call which is going on included. */
clock_t ritti_session_time(const ritti_session *S);

/* session.c */
/* A ritti_driver for the problem as it stands, at z. */
ritt_status ritti_session_place(ritti_session *S, ritt_real s, const double *z,
                                ritt_error *error) RITT_USE;
/* Every failure has a sentence, also that of a function of the caller: adds one if nothing was
 * added since there were `said` messages. Returns the status. */
ritt_status ritti_session_explain(const ritti_session *S, ritt_status status, size_t said,
                                  ritt_error *error) RITT_USE;

/* session_run.c */
/* A row: [arc,] x, outputs. A column without a value is NaN. */
ritt_status ritti_session_fill_row(ritti_session *S, ritt_real s, const ritt_real *z,
                                   const ritt_real *top, double *values) RITT_USE;
/* Callbacks of the ritti_driver: an event, the end of a step. `user` is the ritti_session. */
ritt_status ritti_session_take_event(void *user, int event, ritt_real s, const ritt_real *z,
                                     const ritt_real *top, const ritt_real *after) RITT_USE;
ritt_status ritti_session_after_step(void *user, const ritti_driver *now) RITT_USE;

/* session_statistics.c: adds what one ritti_driver did */
void ritti_session_add_statistics(const ritti_driver *S, ritt_statistics *out);

/* recompletion.c */
/* Makes the driver that continues the run: of the system completed again at the point
 * (RITTI_NEED_COMPLETION), or with an implicit method. */
ritt_status ritti_session_install_successor(ritti_session *S, ritt_error *error) RITT_USE;

#endif
