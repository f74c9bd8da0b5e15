/* Selection: which derivatives of which equations make up the completed system.
 *
 * Row (i, r) is the r-th Taylor coefficient of equation i along a jet point. The loop of
 * selection.c differentiates only equations in the support of a condition on the lower jets, keeps
 * the rows that are independent, and marks an equation that follows from others as dead from that
 * order on. No symbolic combination is formed. All decisions come from a backend: the numeric one
 * (many digits at a point of the set) or the one modulo primes (constant coefficients).
 */
#ifndef RITTI_SELECTION_H
#define RITTI_SELECTION_H

#include "complete/complete_impl.h"

typedef struct ritti_row_id {
  int equation, order;
} ritti_row_id;

typedef struct ritti_jet_id {
  int variable, order;
} ritti_jet_id;

/* A jet y_v^(k) is compared with the order top[v] that the caller gives: above it, equal, below.
 * top[v] = -1 makes every jet of v one above. */
typedef enum ritti_jet_class {
  RITTI_ABOVE,
  RITTI_TOP,
  RITTI_LOWER,
  RITTI_NO_PIVOT
} ritti_jet_class;
static inline ritti_jet_class ritti_class_of(ritti_jet_id jet, const int *top) {
  if (jet.order > top[jet.variable]) return RITTI_ABOVE;
  return jet.order == top[jet.variable] ? RITTI_TOP : RITTI_LOWER;
}

typedef enum ritti_zero { RITTI_IS_ZERO, RITTI_NOT_ZERO, RITTI_ZERO_UNKNOWN } ritti_zero;

/* What elimination leaves of one row. */
typedef struct ritti_echelon_row {
  ritti_jet_class class; /* of the pivot; RITTI_NO_PIVOT: the row depends on rows before it */
  ritti_jet_id pivot;
  /* Positions, in the list of rows given, of the rows that combine to what is left, itself
   * included. Set if the pivot is in RITTI_LOWER and if there is none; else NULL. */
  const int *support;
  int supports;
  ritti_zero value; /* no pivot: is the combination of the values zero? */
  /* no pivot: position of a row of the same order whose coefficient in the combination is the
   * largest, if that of the row itself is much smaller; else the position of the row itself */
  int strongest;
} ritti_echelon_row;

typedef struct ritti_echelon {
  ritti_echelon_row *row; /* one for each row given, in the same order */
  /* Tops that the pivots do not determine: top of variable v has no pivot, or its reduced row
   * contains a top without one. NULL unless wanted. */
  bool *open;
} ritti_echelon;

/* A way to decide. The functions return RITT_UNDECIDED, with `reason` set, if some number is
 * neither zero nor nonzero. */
typedef struct ritti_backend {
  void *data;
  /* Eliminates above, then tops, then lower, in the order of the rows given: a row gets a pivot
   * only if it is independent of the rows before it. `open`: variables, set if not NULL. Memory
   * from `arena`. */
  ritt_status (*echelon)(void *data, const ritti_row_id *rows, int count, const int *top,
                         bool *open, ritti_arena *arena, ritti_echelon_row *out);
  /* Moves the point onto the rows; rows from `first_new` on are new. *reached = false: not found,
   * and the point is as it was before. NULL: there is no point, every row can be satisfied. */
  ritt_status (*move)(void *data, const ritti_row_id *rows, int count, int first_new,
                      bool *reached);
  /* Rows of a completed selection. They hold at the point, and derivatives of them can be satisfied
   * by jets that they do not contain: `move` tries first with all others fixed. 0: none. */
  const ritti_row_id *settled;
  int settleds;
  const char *reason; /* of RITT_UNDECIDED, with the numbers; in an arena of the backend */
} ritti_backend;

/* An equation that follows from others: from `order` on its derivatives are never taken. */
typedef struct ritti_dead {
  int equation, order;
  const ritti_row_id *support; /* the rows it follows from, itself left out */
  int supports;
} ritti_dead;

typedef enum ritti_selection_verdict {
  RITTI_SELECTED,      /* completed: the other members say what is determined */
  RITTI_CONTRADICTION, /* chain: the rows that contradict each other */
  RITTI_POSTPONED,     /* no point was found that satisfies the rows `chain` as well */
  RITTI_UNDECIDABLE    /* reason */
} ritti_selection_verdict;

typedef struct ritti_selection {
  ritti_selection_verdict verdict;
  ritti_row_id *row; /* selected rows, ascending by order, then by equation */
  int rows;
  ritti_echelon_row *echelon; /* of the selected rows */
  int pivots[3];              /* by class */
  int free_values;            /* jets below the tops minus pivots among them */
  ritti_dead *dead;
  int deads;
  bool *open; /* of each variable: its top is not determined */
  int opens;  /* open directions: tops minus pivots among them */
  ritti_row_id *chain;
  int chains;
  const char *reason;
  bool endless; /* UNDECIDABLE because it would take too many differentiations */
} ritti_selection;

/* Completes equations 0 .. equations - 1 except `skip` (-1: none), top[v] the highest order of
 * variable v in them. */
ritt_status ritti_select(ritti_backend *backend, int equations, int variables, const int *top,
                         int skip, ritti_arena *arena, ritti_selection *out) RITT_USE;

/* Adds the equation that was skipped to a completed selection, and completes again; the selection
 * is replaced. */
ritt_status ritti_select_further(ritti_backend *backend, int equations, int variables,
                                 const int *top, int equation, ritti_arena *arena,
                                 ritti_selection *selection) RITT_USE;

/* The differentiation index: the least K for which the rows (i, r <= K) determine the derivatives
 * of z, z_v the jets of v below max(top[v], 1); open variables are left out. RITT_UNKNOWN: none up
 * to `most`. The selection must be complete. */
ritt_status ritti_select_index(ritti_backend *backend, int equations, int variables, const int *top,
                               const ritti_selection *selection, int most, ritti_arena *arena,
                               int *index) RITT_USE;

#endif
