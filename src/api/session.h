/* A session, which is the inside of a public solver. Private to the files in src/. */
#ifndef RITTI_SESSION_H
#define RITTI_SESSION_H

#include <time.h>
#include "engine.h"
#include "codegen/codegen.h"
#include "drive/leg.h"
#include "jit/jit.h"
#include "pipeline.h"

/* A point at which the model was completed again. With it the problem that followed can be made
 * again. */
typedef struct ritti_recompletion {
  struct ritti_recompletion *before;
  int m, tops, levels, inputs; /* of the problem before; number of parameters that inputs have */
  ritt_real *z, *top, *level;  /* the point, and the values of invariants */
  ritt_real *input;            /* the parameters of the inputs */
  ritti_renewal renewal;       /* the kind of the system that followed */
} ritti_recompletion;

/* The system and the driver before a recompletion, while it is going on; else NULL. */
typedef struct ritti_previous {
  const ritti_reduced *reduced;
  const ritti_driver *driver;
} ritti_previous;

/* How the session came to its system. */
typedef struct ritti_session_history {
  ritti_prepared first;
  ritti_recompletion *last; /* NULL: the model was not completed again */
  ritti_previous previous;
} ritti_session_history;

/* Checksums of what the session was made of: a state fits only if they are equal. */
typedef struct ritti_session_origin {
  uint64_t text, files; /* of the model */
  uint64_t numbers;     /* parameters and constants */
} ritti_session_origin;

/* The choices of `method auto`. */
typedef struct ritti_session_choice {
  const char *automatic; /* the method at the start; NULL: the caller named one */
  bool implicit;         /* an implicit method is in use */
  int changes;           /* of the method */
  double switched_at;    /* where an implicit method took over last */
  double returned_at;    /* where an explicit method took over last */
} ritti_session_choice;

/* Rows, and the run that writes them. */
typedef struct ritti_session_rows {
  const char *const *name; /* of the columns: [arc,] x, outputs */
  size_t count;            /* of the columns */
  size_t slopes;           /* number of outputs with derivatives that steps take along */
  double *values, *after;  /* a row; the row after a jump */
  ritt_real *last;         /* the last row with all its digits */
  double from;             /* where the run began */
  ritt_row write;          /* the caller's function, or NULL */
  void *user;              /* its first argument */
  ritt_status status;      /* by which it ended the run; RITT_OK: it did not */
  bool running;            /* the run has begun and is not over */
  bool loaded;             /* the state of a run was loaded: the next run continues it */
} ritti_session_rows;

/* Room for points that the caller looks at. */
typedef struct ritti_session_points {
  ritt_real *z, *top, *speed;
  double *doubles; /* z, speed and top */
} ritti_session_points;

/* Processor time. */
typedef struct ritti_session_clock {
  clock_t spent; /* in earlier calls */
  clock_t began; /* when the current call began */
  bool running;  /* there is a current call */
} ritti_session_clock;

/* The native code of a session: code.c. */
typedef struct ritti_session_code {
  const ritti_problem *problem;
  ritti_jit_session jit;
  bool always;  /* the caller wants code before the first step */
  bool adopted; /* the problem has the code of the jit session */
  bool native;  /* and this session put it there */
} ritti_session_code;

/* Runs that share native code and can take steps together: batch.c. */
/* device.c: the GPU of a batch, and a kernel on it */
typedef struct ritti_device ritti_device;
typedef struct ritti_device_kernel ritti_device_kernel;

struct ritt_batch {
  ritti_code_cache *cache;
  ritti_device *device; /* NULL: steps are taken by the processor */
};

/* The part of a session in its batch. */
typedef struct ritti_session_batch {
  ritt_batch *of;              /* NULL: none */
  bool joined;                 /* the run may wait for others */
  bool left;                   /* the run goes on alone */
  ritti_batch_step *code;      /* takes steps of several runs; NULL: not there yet */
  ritti_batch_legs *legs;      /* takes legs of several runs; NULL: not there yet */
  double *record;              /* of a leg; NULL: not allocated yet */
  int *read, reads;            /* the slots of the work row in it */
  ritti_step_job *job;         /* the step that the run waits for in code; NULL: none */
  ritti_device_kernel *kernel; /* takes legs on a device; NULL: none */
  bool waits;                  /* the run waits for a step or a leg */
  long steps;                  /* number of steps taken in batches */
} ritti_session_batch;

struct ritti_session {
  ritt_solver handle; /* the public object */
  ritti_arena *arena;
  ritt_options options;
  ritti_prepared now; /* the system */
  ritti_run_settings settings;
  ritti_driver *driver;
  ritt_statistics statistics; /* of the drivers before this one */
  ritti_session_history history;
  ritti_session_origin origin;
  ritti_session_choice choice;
  ritti_session_rows rows;
  ritti_session_points points;
  ritti_session_clock clock;
  ritti_session_code code;
  ritti_session_batch batch;
};

/* Makes a driver for a system, and its settings. now->problem may get functions that the method
 * needs. */
ritt_status ritti_session_make_driver(ritti_session *S, ritti_prepared *now,
                                      ritti_run_settings *settings, ritt_error *error,
                                      ritti_driver **out) RITT_USE;
/* Allocates points of the current problem. */
ritt_status ritti_session_make_points(ritti_session *S) RITT_USE;
/* recompletion.c: allocates one for M; completes M's model there, and invariants keep their values */
ritt_status ritti_recompletion_new(const ritti_prepared *M, ritti_arena *arena,
                                   ritti_recompletion **out) RITT_USE;
ritt_status ritti_recomplete_at(const ritti_prepared *M, const ritti_recompletion *at,
                                ritti_arena *arena, ritt_error *error,
                                ritti_prepared *out) RITT_USE;
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
/* The driver needs a step: does the run wait to take it with others? */
bool ritti_batch_waits(ritti_session *S);
/* Allocates the record of a leg. */
bool ritti_batch_make_record(ritti_session *S);
/* code.c: the method of the session as data, if native code can take its steps; else NULL */
const ritti_step_method *ritti_session_method(const ritti_session *S, ritti_step_method *room);
/* device.c */
ritt_status ritti_device_open(const char *name, bool fast, ritt_error *error,
                              ritti_device **out) RITT_USE;
void ritti_device_close(ritti_device *device);
const char *ritti_device_name(const ritti_device *device);
/* The kernel that takes legs of the session; NULL: none can. */
ritti_device_kernel *ritti_device_find(ritti_device *device, ritti_session *S);
/* Legs of sessions that have this kernel and wait. */
void ritti_device_step(ritti_device_kernel *kernel, ritti_session *const *S, int count);
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
ritt_status ritti_session_size(ritti_session *S, const char *name, double *largest,
                               double *absolute, ritt_error *error) RITT_USE;
ritt_status ritti_session_value(ritti_session *S, const char *name, double *out,
                                ritt_error *error) RITT_USE;
void ritti_session_statistics(const ritti_session *S, ritt_statistics *out);
ritt_status ritti_session_input(ritti_session *S, const char *name, const double *values,
                                size_t count, ritt_error *error) RITT_USE;
ritt_status ritti_session_run_slice(ritti_session *S, ritt_row row, void *user, bool *finished,
                                    ritt_error *error) RITT_USE;
/* Processor time, that of the current call included. */
clock_t ritti_session_time(const ritti_session *S);

/* session.c */
/* Makes a driver for the current system and starts it at z. */
ritt_status ritti_session_place(ritti_session *S, ritt_real s, const double *z,
                                ritt_error *error) RITT_USE;
/* Adds a message for a status that has none yet, as that of a caller's function: if there are still
 * `said` messages. Returns the status. */
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
