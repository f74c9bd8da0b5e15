/* Ensembles: which values the runs of a sweep have. Part of the program, not of the library. */
#ifndef RITTI_ENSEMBLE_H
#define RITTI_ENSEMBLE_H

#include "base/base.h"

/* ---- random numbers that depend on their place alone ---- */

/* Ten rounds of Philox4x32 on the counter with the key. */
void ritti_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
/* A number of the interval (0, 1), ends excluded, for this run and dimension. */
double ritti_random(uint64_t seed, uint64_t run, uint32_t dimension);
/* The p-quantile of the normal distribution of mean 0 and deviation 1, 0 < p < 1. */
double ritti_normal_quantile(double p);

/* ---- what varies ---- */

typedef struct ritti_vary {
  const char *name; /* of a parameter, or of a variable or derivative with a start value */
  bool guess;       /* NAME~VALUES: a start value that may be moved */
  enum { RITTI_VARY_RANGE, RITTI_VARY_LIST, RITTI_VARY_NORMAL, RITTI_VARY_UNIFORM } kind;
  double a, b;         /* ends of a range or of the uniform distribution; mean and deviation */
  long count;          /* of a range or list */
  const double *value; /* of a list */
} ritti_vary;

/* Ranges and lists span a grid, of which the last one varies fastest; the others are drawn in each
 * run. Run number r, counted from 1, is at the point (r - 1) mod points of the grid: runs that
 * are added later leave the first ones as they are. */
typedef struct ritti_ensemble {
  ritti_vary *vary;
  size_t count;
  long points, runs;
  uint64_t seed;
  bool random; /* something is drawn */
} ritti_ensemble;
enum { RITTI_MOST_RUNS = 1000000000 };

/* Reads the texts "NAME=VALUES"; runs 0: as many as the grid has points. Into the arena. */
ritt_status ritti_ensemble_read(const char *const *text, size_t count, long runs, uint64_t seed,
                                ritti_arena *arena, ritt_error *error,
                                ritti_ensemble *out) RITT_USE;
/* The value of vary[i] in a run; runs are counted from 1. */
double ritti_ensemble_value(const ritti_ensemble *ensemble, long run, size_t i);

#endif
