/* Singular points: where (b | A) loses rank, so that the equations determine no line. */
#ifndef RITTI_SINGULAR_H
#define RITTI_SINGULAR_H

#include "geometry/geometry.h"

/* X(id, word). The folded ones: one equation of first order, not linear in its derivative; the
 * others: one that is linear in it. Where the kind is not known, or there are more dimensions, just
 * "singular point". */
#define RITTI_SINGULAR_KINDS(X)                                                                    \
  X(UNKNOWN, "singular point")                                                                     \
  X(SADDLE, "saddle")                                                                              \
  X(NODE, "node")                                                                                  \
  X(FOCUS, "focus")                                                                                \
  X(CENTRE, "centre")                                                                              \
  X(FOLDED_SADDLE, "folded saddle")                                                                \
  X(FOLDED_NODE, "folded node")                                                                    \
  X(FOLDED_FOCUS, "folded focus")                                                                  \
  X(FOLDED_CENTRE, "folded centre")
typedef enum ritti_singular_kind {
#define X(id, word) RITTI_POINT_##id,
  RITTI_SINGULAR_KINDS(X)
#undef X
} ritti_singular_kind;
const char *ritti_singular_word(ritti_singular_kind kind);

enum { RITTI_SIGMAS = 4 };

typedef struct ritti_singular {
  const ritti_problem *problem;
  ritt_real *work;
  /* what was found */
  ritt_real *z; /* m: the point; NULL: the problem is too large, or has no singular points */
  ritti_singular_kind kind;
  /* real and imaginary parts, of the lifted field; NaN where the kind is not known */
  ritt_real eigenvalue[2][2];
  ritt_real sigma[RITTI_SIGMAS]; /* singular values: all, or the largest and the last ones */
  int sigmas;
  struct ritti_singular_room *room;
} ritti_singular;

ritt_status ritti_singular_init(ritti_singular *singular, const ritti_problem *problem,
                                ritt_real *work, ritti_arena *arena) RITT_USE;
/* The singular point near `from`, changes measured by `size`; those along the vector `along` (may
 * be NULL) count little. false: none was found. */
bool ritti_singular_locate(ritti_singular *singular, const ritt_real *from, const ritt_real *size,
                           const ritt_real *along);
/* Approached from z, near it: deviations from the way to it grow like that power of 1 over the
 * distance left. For a saddle |lambda across / lambda along|, for nodes and spirals 0; 1 is taken
 * where the kind is not known.
 */
ritt_real ritti_singular_spread(ritti_singular *singular, const ritt_real *z);

#endif
