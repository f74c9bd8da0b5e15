/* Other solvers, run on a peer_problem: one run each, timed, with what it cost. */
#ifndef RITT_BENCH_SOLVERS_H
#define RITT_BENCH_SOLVERS_H

#include "measure.h"
#include "problem.h"

typedef bench_result peer_solver(const peer_problem *p, double tolerance);

/* Runs look at the residual after every step, at the cost of their times. */
extern bool peer_watching;

/* The least time of several runs; the residual is that of a watched one. */
bench_result peer_run(peer_solver *solver, const peer_problem *p, double tolerance);

/* dop853 as one writes it down for an ordinary system: no projection, no dense output */
peer_solver plain_dop853;

/* SUNDIALS; these are there where HAVE_SUNDIALS is 1 */
peer_solver sundials_ida;             /* the DAE */
peer_solver sundials_ida_loose;       /* the same, without a tolerance for what is algebraic */
peer_solver sundials_cvode_projected; /* BDF and p->project */
peer_solver sundials_cvode_bdf;       /* BDF */
peer_solver sundials_cvode_adams;     /* Adams' methods, Newton iterations */
peer_solver sundials_arkode_5;        /* Dormand and Prince 5(4) */
peer_solver sundials_arkode_8;        /* Fehlberg 7(8) */
const char *sundials_version(void);

/* Codes in Fortran from the shared library that the environment variable RITT_PEERS names; they are
 * not part of this repository. Without the library, or without the code in it, runs are not done. */
peer_solver fortran_radau5, fortran_radau, fortran_rodas, fortran_mebdfi; /* Jacobians by hand */
peer_solver fortran_radau5_numeric, fortran_radau_numeric, fortran_rodas_numeric,
    fortran_mebdfi_numeric, fortran_pside_numeric; /* by differences */

/* A watch over the steps of a run: the largest residual so far. */
static inline void peer_watch(const peer_problem *p, double t, const double *y, bench_result *r) {
  double f[64];
  if (!p->constraints) return;
  p->constraints(t, y, f);
  for (int i = 0; i < p->rows; i++)
    if (!(fabs(f[i]) <= r->residual)) r->residual = fabs(f[i]);
}

#endif
