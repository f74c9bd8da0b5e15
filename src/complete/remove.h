/* Private to src/complete: unknowns that are taken out before the completion. */
#ifndef RITTI_REMOVE_H
#define RITTI_REMOVE_H

#include "complete/complete_impl.h"

typedef struct ritti_removal {
  ritti_model *model;     /* without what was removed, in numbers of its own */
  ritti_model *whole;     /* the model, its outputs, events and invariants in what is left */
  int *variable;          /* of each variable of `model`: its number in `whole` */
  int *inner;             /* of each variable of `whole`: its number in `model`, -1: removed */
  int *equation;          /* of each equation of `model`: its number in `whole` */
  int *number;            /* of each variable of `whole`: 1 + its place in `removed`, 0: kept */
  ritti_removed *removed; /* values in variables that are kept, numbers of `whole` */
  int count;
} ritti_removal;

/* *out = NULL: nothing can be removed. */
ritt_status ritti_remove_unknowns(ritti_model *model, ritti_arena *arena,
                                  ritti_removal **out) RITT_USE;
/* The reduced system and the report of removal->model become those of the whole model. */
ritt_status ritti_restore_unknowns(const ritti_removal *removal, ritti_reduced *reduced,
                                   ritt_check *check) RITT_USE;

#endif
