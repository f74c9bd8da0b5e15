/* Code service: from a Problem to C text, and from compiled code back to the Problem.
 *
 * In: a Problem made by eval. Out: a unit of C { prologue, tapes, kernel text, constants of the
 * problem, method } for native code, or the Problem as C for `ritt emit`.
 */
#ifndef RITTI_CODEGEN_H
#define RITTI_CODEGEN_H

#include "tape/eval.h"

/* Writes the Problem as C: static functions and tables, and `static const ritti_problem
 * model_problem`, to stand behind the sources of the numeric tower. RITT_WRONG_MODEL: it has a part
 * that cannot be written. */
ritt_status ritti_problem_emit(const ritti_problem *problem, ritti_text *out) RITT_USE;

/* What native code is for: an explicit method (NULL: none), or implicit ones: bit s is set for
 * s stages at a time, or for s - RITTI_MOST_STAGES of a Rosenbrock method. */
typedef struct ritti_native_aim {
  const ritti_step_method *method;
  unsigned stages;
  bool second; /* second derivatives are needed */
} ritti_native_aim;

/* Writes the tapes of the Problem as a source for src/jit, without those that are not worth
 * compiling. *whole: a step by the explicit method is among them; *hard: there are loops that are
 * worth a compiler's effort. */
ritt_status ritti_problem_write_native(const ritti_problem *problem, const ritti_native_aim *aim,
                                       ritti_text *out, bool *whole, bool *hard) RITT_USE;

/* Steps of several runs at once, as a source of its own. done: for each run 1 if its step was taken,
 * 0 if the run must take it alone. */
typedef void ritti_batch_step(int count, ritti_step_job *const *step, int *done);
/* Legs of several runs (geometry/leg_entry.h), each with a record: at most `most` steps each. */
typedef void ritti_batch_legs(int count, double *const *records, long most);
/* The slots of the work row that are part of a record. */
ritt_status ritti_list_leg_reads(const ritti_problem *problem, ritti_arena *arena, int **out,
                                 int *count) RITT_USE;
bool ritti_batch_fits(const ritti_problem *problem, const ritti_step_method *method);
ritt_status ritti_batch_write(const ritti_problem *problem, const ritti_step_method *method,
                              ritti_text *out) RITT_USE;

/* Legs of many runs on a GPU, one for each thread, as a source for NVRTC or clang: the kernel
 * ritt_legs(records, stride, count, most), where number i of run r is records[i * stride + r].
 * record: of one run; its settings are those of all. */
enum { RITTI_CUDA_THREADS = 64 }; /* of a block */
ritt_status ritti_cuda_write(const ritti_problem *problem, const ritti_step_method *method,
                             const double *record, ritti_text *out) RITT_USE;

/* Two checksums of everything that these sources depend on: problems with equal checksums may share
 * native code. false: the problem is too large for checksums to be cheap. */
bool ritti_problem_sum(const ritti_problem *problem, const ritti_native_aim *aim, uint64_t sum[2]);
/* Would native code bring anything new? */
bool ritti_problem_wants_native(const ritti_problem *problem, const ritti_native_aim *aim);
/* Puts compiled functions in the place of the interpreter, for every solver of the problem, from its
 * next evaluation on. The functions must exist as long as the problem. */
void ritti_problem_take_native(const ritti_problem *problem,
                               ritti_any_function (*get)(const void *from, const char *name),
                               const void *from);

#endif
