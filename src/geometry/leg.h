/* The record of a leg (geometry/leg_entry.h): places of its numbers. Constants that legs share with the
 * driver. */
#ifndef RITTI_LEG_RECORD_H
#define RITTI_LEG_RECORD_H

/* drive/sizes.c: sizes from here on count as 1; sizes are not smaller; parts of the largest value that
 * count as 0 */
#define RITTI_SIZE_LARGE 0.1
#define RITTI_SIZE_TINY  1e-280
#define RITTI_SIZE_NOISE 1e-10
/* drive/singular.c: log2 by which the volume must have fallen before a singular point is searched */
#define RITTI_VOLUME_DROP 6
/* drive/crossing.c: a crossing is searched if the least singular value is this part of its largest
 * value */
#define RITTI_SIGMA_SMALL 0.2
/* drive/stiffness.c: steps that are tried from one look for stiffness to the next */
#define RITTI_STIFF_EVERY 10

enum {
  RITTI_LEG_S,
  RITTI_LEG_H,
  RITTI_LEG_RETRYING,
  RITTI_LEG_ACCEPTED, /* of the leg */
  RITTI_LEG_REJECTED,
  RITTI_LEG_LOOKED,
  RITTI_LEG_ITERATIONS,
  RITTI_LEG_IDLE,
  RITTI_LEG_FACTORISATIONS,
  RITTI_LEG_MOST,
  RITTI_LEG_TRAVELLED,
  RITTI_LEG_RESIDUAL,
  RITTI_LEG_REJECTED_H,
  RITTI_LEG_REJECTED_SQUARE,
  RITTI_LEG_NEXT_LOOK,
  RITTI_LEG_LARGEST_H,
  /* of mechanics: log2 of the volume of A, its largest value, its value at the last search */
  RITTI_LEG_VOLUME,
  RITTI_LEG_MOST_VOLUME,
  RITTI_LEG_SEARCHED_VOLUME,
  /* of the watch for crossings (geometry/crossing_watch.h) */
  RITTI_LEG_SIGMA,
  RITTI_LEG_MOST_SIGMA,
  RITTI_LEG_SEARCHED_SIGMA,
  RITTI_LEG_WALKED,
  RITTI_LEG_END,
  RITTI_LEG_ALONG,
  RITTI_LEG_LIMIT,
  RITTI_LEG_SPAN,
  RITTI_LEG_STEPS_BEFORE, /* accepted before the leg */
  RITTI_LEG_STEPS_LEFT,   /* that may be accepted */
  RITTI_LEG_UNTIL_STIFF,  /* steps to be tried before the next look for stiffness */
  RITTI_LEG_LONGEST,
  RITTI_LEG_NOISY,
  RITTI_LEG_FAC,
  RITTI_LEG_FACMIN,
  RITTI_LEG_FACMAX,
  RITTI_LEG_EXPONENT,
  RITTI_LEG_BORDER,
  RITTI_LEG_FOLLOW,
  RITTI_LEG_FOLDS,
  /* how it ended: 0 at the end of the run, 1 before a step for the driver, 2 after `most` steps */
  RITTI_LEG_WHY,
  RITTI_LEG_HEAD,
  /* then m numbers each of z, V, size, absolute, allowed, largest, settled, relative, metric, follows,
   * scale; then tops; then l, l and n numbers of row_scale, left and across of the watch for crossings,
   * if there is one; then the slots of the work row that functions read */
  RITTI_LEG_VECTORS = 11,
  RITTI_LEG_SHARED = 7 /* the vectors from here on are settings, which runs of an ensemble share */
};

#endif
