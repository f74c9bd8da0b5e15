/* The motion on one branch through a crossing, as a problem in the coordinates of the mechanism. */
#ifndef RITTI_PASSAGE_H
#define RITTI_PASSAGE_H

#include "geometry/chart.h"

typedef struct ritti_passage {
  const ritti_problem *base;
  ritti_problem problem; /* of the explicit kind; its functions are this solver's own */
  ritti_chart chart;
  ritti_manifold manifold;
  ritti_direction direction;
  struct ritti_passage_room *room;
} ritti_passage;

ritt_status ritti_passage_init(ritti_passage *passage, ritti_crossing *crossing,
                               ritti_algebra algebra, ritti_arena *arena) RITT_USE;
/* Makes the chart of the branch on which z is, as ritti_chart_open. false: there is none, or the
 * forces of the constraints do work on it. */
bool ritti_passage_open(ritti_passage *passage, const ritt_real *z, ritt_real size);
/* The first coordinate of the branch, 0 where the other one is met, and how fast V (m) changes it.
 */
ritt_real ritti_passage_place(const ritti_passage *passage, const ritt_real *z);
ritt_real ritti_passage_speed(const ritti_passage *passage, const ritt_real *V);
/* Largest of the other coordinates; 0: there are none. */
ritt_real ritti_passage_aside(const ritti_passage *passage, const ritt_real *z);
/* The chart is another one. */
void ritti_passage_renew(ritti_passage *passage);

#endif
