/* Solvers on one problem: which of them reaches how many digits in what time.
 *
 * Tolerances are scanned; of each solver the run with the fewest steps that has the digits counts,
 * and it is then timed, several times. */
#ifndef RITT_BENCH_CONTEST_H
#define RITT_BENCH_CONTEST_H

#include "solvers.h"

enum { CONTEST_DIGITS = 4 };

typedef struct contest_solver {
  const char *name;
  peer_solver *peer;           /* NULL: Ritt */
  const char *method, *native; /* of Ritt */
  enum { NEEDS_RHS, NEEDS_PROJECTION, NEEDS_DAE } needs;
  bool keeps, arkode, plain; /* keeps: its method has the constraints in it */
} contest_solver;

typedef struct contest {
  const peer_problem *problem;
  const contest_solver *solvers;
  int solver_count;
  int digits[CONTEST_DIGITS], digit_count;
  const char *const *names; /* of start values that are not the model's; NULL: all are */
  double limit;             /* seconds of a run beyond which tolerances are not made smaller */
  long most;                /* steps of Ritt */
} contest;

typedef struct contest_entry {
  bench_result at[CONTEST_DIGITS]; /* not done: these digits were not reached */
} contest_entry;

/* One entry for each solver. */
void contest_hold(const contest *c, contest_entry *out);

typedef bool contest_counts(const contest_solver *s, const bench_result *r);
/* The least time to the d-th of the digits among solvers that count; *which -1 and infinite: none
 * reached them. */
double contest_fastest(const contest *c, const contest_entry *e, int d, contest_counts *counts,
                       int *which);
/* Rows of all solvers that reached any of the digits: ms, steps, residual where `wide`, time over
 * reference[d]. */
void contest_print(const contest *c, const contest_entry *e, const double *reference, bool wide,
                   FILE *csv);
void contest_print_head(const contest *c, bool wide);
#define CONTEST_CSV "problem,solver,digits,tolerance,steps,evaluations,ms,error,residual,over Ritt"

#endif
