/* Runs of one model with other values: the native code that they have in common, and whole steps of
 * several of them at once. What every one computes is what it computes alone, bit by bit. */
#ifndef RITTI_TOGETHER_H
#define RITTI_TOGETHER_H

#include "ritt.h"

/* Native code for all runs of a sweep, on all threads: compiled once, where the runs that are left
 * pay for it. */
typedef struct ritti_shelf ritti_shelf;
/* lanes: steps of several runs at once, too. NULL: no memory. */
ritti_shelf *ritti_shelf_new(long runs, bool lanes);
void ritti_shelf_free(ritti_shelf *shelf); /* after the models */
/* Solvers of the model take their code from there, and bring it. */
void ritti_model_share(ritt_model *model, ritti_shelf *shelf);

/* One run, which waits for others where its step can be taken with theirs: as ritt_solver_run. Not
 * *over: call it again after ritti_together_step. */
ritt_status ritti_together_run(ritt_solver *solver, ritt_row row, void *user, bool *over,
                               ritt_error *error);
/* Takes the steps that those solvers wait for, at most eight, again and again until one of them has
 * to do something else; NULL entries are none. Another thread may do the same with others. */
enum { RITTI_TOGETHER = 8 };
void ritti_together_step(ritt_solver *const *solver, int count);
/* There will be no others for it. */
void ritti_together_leave(ritt_solver *solver);
/* So many steps were taken with those of others. */
long ritti_together_steps(const ritt_solver *solver);

#endif
