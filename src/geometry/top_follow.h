/* Implicit kind: the way of the tops of one block over a switch (top_follow.c). */
#ifndef RITTI_TOP_FOLLOW_H
#define RITTI_TOP_FOLLOW_H

#include "geometry/direction_impl.h"

typedef struct ritti_follower {
  int most; /* tops of a block */
  ritt_real *y, *tangent, *try, *right, *size, *first, *B;
  int *pivot;
} ritti_follower;

/* The block: `evaluate` finds T and dT, whose rows are those of the block, at the tops in `top`. */
typedef struct ritti_follow {
  int n;
  const int *place; /* n: of its tops in `top` */
  const int *start, *col;
  ritt_real *top;
  const ritt_real *T, *dT;
  ritt_status (*evaluate)(void *context);
  void *context;
} ritti_follow;

typedef struct ritti_follow_end {
  bool lost;      /* the curve does not come to s = 1, or could not be followed */
  bool turns;     /* s turns back on the way */
  ritt_real fold; /* the last s at which it does */
} ritti_follow_end;

ritt_status ritti_follower_init(ritti_follower *follower, int most, ritti_arena *arena) RITT_USE;
/* From the tops before, in f->top, to those behind the switch. w1: a solution, which gives sizes, or
 * NULL. RITT_RETRY: the curve could not be followed. */
ritt_status ritti_follow_tops(ritti_follower *follower, const ritti_follow *f, const ritt_real *w1,
                              bool jumps, ritti_follow_end *way) RITT_USE;

#endif
