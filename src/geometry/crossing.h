/* Crossings: positions where the constraints of a mechanism lose rank, so that branches of M meet.
 */
#ifndef RITTI_CROSSING_H
#define RITTI_CROSSING_H

#include "geometry/geometry.h"

enum { RITTI_MOST_LOST = 3 }; /* more cannot be separated */

/* X(id, words): what M is near the position, in positions y */
#define RITTI_CROSSING_KINDS(X)                                                                    \
  X(TWO, "crossing of two branches")                                                               \
  X(ISOLATED, "isolated position")                                                                 \
  X(TANGENT, "position where branches touch")                                                      \
  X(CONE, "position where the constraints form a cone")                                            \
  X(SEVERAL, "crossing of several branches")
typedef enum ritti_crossing_kind {
#define X(id, words) RITTI_CROSSING_##id,
  RITTI_CROSSING_KINDS(X)
#undef X
} ritti_crossing_kind;
const char *ritti_crossing_word(ritti_crossing_kind kind);

typedef struct ritti_crossing {
  const ritti_problem *problem;
  ritt_real *work;
  int n, l, d; /* positions, constraints, mobility n - l */
  /* the watch: what was seen at the last point */
  ritt_real *row_scale; /* l: 1 over the largest length of a row of dg so far */
  ritt_real sigma;      /* least singular value of dg with those rows */
  ritt_real *left;      /* l: its left singular vector, and */
  ritt_real *across;    /* n: its right one */
  /* what was found */
  ritt_real *z;   /* m: the position, as a point at rest; NULL: not a problem with crossings */
  int lost;       /* the rank that is lost there */
  ritt_real *u;   /* lost x l: u dg = 0 */
  ritt_real *gap; /* lost: g = gap u, 0 to rounding where the position is one of M */
  ritt_real miss; /* about how far M stays away from it; 0: it is one of M */
  /* (d + lost) x n: orthonormal, w dg^T = 0; where one is lost eigenvectors of the form, and */
  ritt_real *kernel;
  /* d + 1: its eigenvalues, the largest first, the least second, the others last */
  ritt_real *curve;
  ritti_crossing_kind kind;
  struct ritti_crossing_room *room;
} ritti_crossing;

/* Is the problem a mechanism whose position constraints do not contain x, all of it small? */
bool ritti_has_crossings(const ritti_problem *problem);
ritt_status ritti_crossing_init(ritti_crossing *crossing, const ritti_problem *problem,
                                ritt_real *work, ritti_arena *arena) RITT_USE;
/* Looks at dg at z. *side: 1 or -1, whether sigma has kept its sign since the last look; 0: it
 * cannot be told. false: nothing can be said. */
bool ritti_crossing_look(ritti_crossing *crossing, const ritt_real *z, int *side);
/* The next look is a first one. */
void ritti_crossing_forget(ritti_crossing *crossing);
/* The position near z where u dg = 0 and g = gap u; changes along the velocities of V (m) count
 * little. size: m. false: none was found. */
bool ritti_crossing_locate(ritti_crossing *crossing, const ritt_real *z, const ritt_real *size,
                           const ritt_real *V);
/* d2g(w, w), w of the positions, rows scaled as sigma is; x and y from z. */
bool ritti_crossing_bend(ritti_crossing *crossing, const ritt_real *z, const ritt_real *w,
                         ritt_real *out);
/* g and dg (l x n), rows scaled. */
bool ritti_crossing_rows(ritti_crossing *crossing, const ritt_real *z, ritt_real *g, ritt_real *dg);
void ritti_crossing_state(ritti_crossing *crossing, ritti_state *state);

#endif
