/* One branch of M through a crossing, as a graph over its tangent space there. */
#ifndef RITTI_CHART_H
#define RITTI_CHART_H

#include "geometry/crossing.h"

typedef struct ritti_chart {
  ritti_crossing *crossing; /* for its functions */
  int n, l, d, places;
  ritt_real *centre; /* m: the crossing */
  /* d x n: of the branch there, orthonormal; the first leads away from the other branch */
  ritt_real *tangent;
  ritt_real *normal; /* l x n: the complement */
  ritt_real radius;  /* the first coordinate is at most that */
  /* the branch at xi: Y(xi), its derivatives (d x n) and the second one along eta, twice */
  ritt_real *Y, *T, *B;
  struct ritti_chart_room *room;
} ritti_chart;

ritt_status ritti_chart_init(ritti_chart *chart, ritti_crossing *crossing,
                             ritti_arena *arena) RITT_USE;
/* The branch through the crossing on which z, near it, lies, or where both are one and the same
 * point, along which the velocities of z lead; good to about 12 digits of `size`. false: there is
 * none that can be told. */
bool ritti_chart_open(ritti_chart *chart, const ritt_real *z, ritt_real size);
/* xi = the coordinates of the vector v of the positions. */
void ritti_chart_coordinates(const ritti_chart *chart, const ritt_real *v, ritt_real *xi);
/* Y, T and B at xi for the direction eta. false: it is outside. */
bool ritti_chart_at(ritti_chart *chart, const ritt_real *xi, const ritt_real *eta);
void ritti_chart_state(ritti_chart *chart, ritti_state *state);

#endif
