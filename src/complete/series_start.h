/* Private to src/complete: starts at regular singular points. */
#ifndef RITTI_SERIES_START_H
#define RITTI_SERIES_START_H

#include "complete/complete_impl.h"
#include "expr/quad.h"
#include "expr/series.h"

/* ---- cleared.c ---- */
typedef struct ritti_clearing {
  ritti_dag *dag;
  ritti_arena *arena;
  ritt_status (*vanishes)(void *context, ritti_expr e, bool *yes);
  void *context;
} ritti_clearing;
/* e = *above / *below, *below a product of powers of what vanishes; the number 1: nothing does. */
ritt_status ritti_clear_denominators(const ritti_clearing *task, ritti_expr e, ritti_expr *above,
                                     ritti_expr *below) RITT_USE;

/* ---- series_terms.c ---- */
enum { RITTI_SERIES_TERMS = 32 };

typedef enum ritti_series_verdict {
  RITTI_SERIES_FOUND,
  RITTI_SERIES_FAMILY,   /* `variable`, `order`: a derivative that is not determined */
  RITTI_SERIES_NONE,     /* `equation`, `term`, `leaves`: a term that cannot vanish */
  RITTI_SERIES_DIVERGES, /* the terms grow without bound */
  RITTI_SERIES_UNKNOWN   /* the equations are no power series, or too many */
} ritti_series_verdict;

/* The power series y_j = sum c_jl (x - x0)^l that solve n equations for n unknowns. */
typedef struct ritti_series_solution {
  ritti_dag *dag;
  ritti_arena *arena;
  int n, length;     /* unknowns; terms of each */
  int *order;        /* of each unknown: its highest derivative in the equations */
  ritti_expr *row;   /* n: the equations, without parameters */
  ritti_quad x;      /* x0 */
  ritti_quad *c;     /* n x length */
  bool *given;       /* n x length: the term is kept */
  int free;          /* number of values that may be given */
  int variable, jet; /* RITTI_SERIES_FAMILY */
  int equation, term;
  double leaves;
} ritti_series_solution;

/* Finds the terms. c holds the terms that are given, and guesses of others. */
ritt_status ritti_find_series(ritti_series_solution *S, ritti_series_verdict *verdict) RITT_USE;

/* ---- series_start.c ---- */
/* The start of a model was refused. If it is a regular singular point with one smooth solution: *out is
 * a model whose equations are those of the power series of this solution up to a place near the start.
 * Otherwise NULL; if it is known why, *reason and *hint. *free: the number of free initial values. */
ritt_status ritti_take_series_start(const ritti_model *model, ritti_arena *arena, ritti_model **out,
                                    const char **note, const char **reason, const char **hint,
                                    int *free) RITT_USE;

#endif
