/* Roots of a function along one step; private to src/drive. */
#ifndef RITTI_ROOTS_H
#define RITTI_ROOTS_H

#include "base/base.h"

/* cos(pi i / RITTI_COSINES) for i from 0 to 2 RITTI_COSINES - 1: Chebyshev points and their matrix. */
enum { RITTI_COSINES = 128 };
void ritti_fill_cosines(ritt_real *cosine);

typedef struct ritti_function {
  ritt_status (*at)(void *context, ritt_real theta, ritt_real *value); /* theta in [0, 1] */
  void *context;
  ritt_real least; /* below it values are noise */
  /* the level is known: a function that is not smooth above it is examined in pieces */
  bool resolve;
  /* > 0: nothing comes after theta = 1, and a zero up to this far beyond it is a root */
  ritt_real last;
  const ritt_real *cosine; /* filled by ritti_fill_cosines */
  bool flat;               /* a function that becomes 0 and stays 0 has a root where that begins */
} ritti_function;

typedef struct ritti_root {
  ritt_real theta;
  int sense;    /* 1 rising, -1 falling, 0 touching */
  bool through; /* it changes sides through a pole or by a jump, not through zero */
  bool last;    /* at theta = 1, reached but not passed */
} ritti_root;

/* The root of g in [a, b], at whose ends it has the values ga, gb of different signs. */
ritt_status ritti_refine_root(const ritti_function *g, ritt_real a, ritt_real ga, ritt_real b,
                              ritt_real gb, ritt_real *root) RITT_USE;
/* The roots of g in [0, 1], at most `most` of them, ascending. |g| <= level says nothing about its
 * side. *side is the side before theta = 0 (0: g leaves its own zero there, which is no root) and
 * becomes that at theta = 1. RITT_RETRY: g has no value somewhere, or has too many roots: pieces
 * of [0, 1] do not tell them. */
ritt_status ritti_find_roots(const ritti_function *g, ritt_real level, int *side, ritti_root *root,
                             int most, int *count) RITT_USE;

#endif
