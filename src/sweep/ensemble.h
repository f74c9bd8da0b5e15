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
  const char *name;   /* of a parameter, or of a variable or derivative with a start value */
  const char *origin; /* for messages: where the values are given */
  bool guess;         /* NAME~VALUES: a start value that may be moved */
  enum {
    RITTI_VARY_RANGE,
    RITTI_VARY_LIST,
    RITTI_VARY_NORMAL,
    RITTI_VARY_UNIFORM,
    RITTI_VARY_TABLE
  } kind;
  double a, b; /* ends of a range or of the uniform distribution; mean and deviation */
  long count;  /* number of values in the grid: that of the first column of a table counts */
  const double *value; /* of a list, or of the column of a table */
} ritti_vary;

/* A description of an ensemble. */
typedef struct ritti_ensemble_source {
  const char *const *text; /* "NAME=VALUES" */
  size_t count;
  const char *origin; /* for messages: "--vary" or "sweep" */
  long runs;          /* 0: as many as the grid has points */
  uint64_t seed;
  /* a table with a row for each run; columns 0: there is none */
  const char *const *column_name;
  const double *const *column;
  size_t columns, rows;
} ritti_ensemble_source;

/* A table, ranges and lists span a grid, of which the last one varies fastest; the others are drawn in
 * each run. Run number r, counted from 1, is at the point (r - 1) mod points of the grid: runs that
 * are added later leave the first ones as they are. */
typedef struct ritti_ensemble {
  ritti_vary *vary;
  size_t count;
  long points, runs;
  size_t columns; /* number of the first ones that are columns of a table */
  long rows;      /* of the table */
  uint64_t seed;
  bool random; /* something is drawn */
} ritti_ensemble;
enum { RITTI_MOST_RUNS = 1000000000 };

/* Reads a description into the arena. The columns of the table come first and must stay valid. */
ritt_status ritti_ensemble_read(const ritti_ensemble_source *source, ritti_arena *arena,
                                ritt_error *error, ritti_ensemble *out) RITT_USE;
/* The value of vary[i] in a run; runs are counted from 1. */
double ritti_ensemble_value(const ritti_ensemble *ensemble, long run, size_t i);

#endif
