/* Wall-clock time. */
#ifndef RITTI_CLOCK_H
#define RITTI_CLOCK_H

#include <time.h>

/* Seconds since a fixed moment; changes of the system's date have no effect. */
static inline double ritti_clock(void) {
  struct timespec t;
  if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) return 0;
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
