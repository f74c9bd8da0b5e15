/* What a run slides on or rests at; private to src/drive. */
#ifndef RITTI_SLIDE_IMPL_H
#define RITTI_SLIDE_IMPL_H

#include "drive/driver_impl.h"

enum { RITTI_MOST_SLIDING = 8 };

struct ritti_slide {
  ritti_slide *next;
  ritti_problem problem; /* explicit: f with the surfaces, tops by combination */
  const ritti_problem *base;
  ritti_direction *inner; /* of the base */
  ritti_manifold manifold;
  ritti_direction direction;
  int count,
      member[RITTI_MOST_SLIDING]; /* monitors, ascending: events rested at, surfaces slid on */
  ritt_real weight[RITTI_MOST_SLIDING];
  ritt_real *corner; /* (count + 1) x m: V_0, then what each weight adds to it */
  ritt_real *top;    /* (count + 1) x tops, of them */
  ritt_real **push;  /* m each, of events: r at the last point; the driver's */
  ritt_real *monitor, *dmonitor, *zero_top;
  ritt_real *at, *after, *rate; /* m each: a point near z, the point after its jump, V there */
  ritt_real matrix[RITTI_MOST_SLIDING * RITTI_MOST_SLIDING];
  int pivot[RITTI_MOST_SLIDING];
};

/* slide_problem.c */
bool ritti_member_is_event(const ritti_slide *slide, int i);
/* The problem with these members, monitors in ascending order; each is made once. */
ritt_status ritti_slide_on(ritti_driver *d, const int *member, int count,
                           ritti_slide **out) RITT_USE;
/* Goes on with the members given; none: on the problem itself. */
ritt_status ritti_slide_go_on(ritti_driver *d, const int *member, int count) RITT_USE;
/* Goes on with one more member. */
ritt_status ritti_slide_add(ritti_driver *d, int monitor) RITT_USE;
/* The rate of a monitor at z; the derivative of this rate along a direction, and by one coordinate. */
ritt_status ritti_rate_at(ritti_slide *slide, ritt_real *work, const ritt_real *z, int monitor,
                          ritt_real *rate) RITT_USE;
ritt_status ritti_rate_along(ritti_slide *slide, ritt_real *work, const ritt_real *z,
                             const ritt_real *along, int monitor, ritt_real *out) RITT_USE;
ritt_status ritti_rate_partial(ritti_slide *slide, ritt_real *work, const ritt_real *z,
                               int coordinate, int monitor, ritt_real *out) RITT_USE;
/* The direction r of the jumps of member i at z, from its last value. */
ritt_status ritti_find_push(ritti_slide *slide, ritt_real *work, const ritt_real *z,
                            int i) RITT_USE;

/* direction.c */
/* At a point where a sum of squares, monitor `norm`, is 0 to within the tolerance: the run sticks there,
 * or starts again. */
ritt_status ritti_direction_decide(ritti_driver *d, int norm) RITT_USE;
/* The run leaves such a point: the direction has become longer than 1. */
ritt_status ritti_direction_leave(ritti_driver *d, int norm) RITT_USE;
/* The sum of squares of a term; how far the direction of a term, a member, is from the length 1. */
int ritti_norm_of(const ritti_problem *problem, int term);
ritt_real ritti_direction_margin(const ritti_slide *slide, int i);

/* rest.c */
/* May the run rest at the zero of an event? */
bool ritti_may_rest(const ritti_driver *d, int event);
/* Room for the direction of an event's jumps. */
ritt_status ritti_make_push(ritti_driver *d, int event) RITT_USE;

#endif
