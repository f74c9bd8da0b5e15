/* Private to the files of ritti_linear: what is kept of a pattern once its algebra is chosen. */
#ifndef RITTI_LINEAR_IMPL_H
#define RITTI_LINEAR_IMPL_H

#include "linalg/sparse_impl.h"

struct ritti_scheme {
  ritti_pattern pattern;
  const unsigned char *keep; /* Gram: columns that count; NULL: all */
  int positive;
  ritt_real *value; /* the matrix where the algebra wants it, then (dense, band) its factors */
  size_t values;
  /* where an entry goes: those of the pattern, or the pairs of rows of a Gram matrix; -1: nowhere */
  int *slot;
  int *order;        /* the row that comes k-th; NULL: as they are */
  ritt_real *x;      /* n: a right side in this order */
  signed char *sign; /* band L D L^T: of pivot k */
  int *pivot;
  int lower, upper;     /* band */
  ritti_narrow *narrow; /* band, Gram */
  struct schur *schur;  /* symmetric, E diagonal */
  ritti_ldlt ldlt;
  ritti_klu *klu;
  /* Gram: row i meets the rows pair_row[pair_start[i]] .., none of them longer than itself */
  int *pair_start, *pair_row;
  ritt_real *spread_row; /* cols */
  /* pair q: the sum of a[one] d[col] a[two] over its products; NULL: an entry is listed twice */
  int *product_start;
  struct schur_product {
    int one, two, col;
  } * product;
  /* the condition estimate */
  ritt_real *y, *z;
  int *signs;
};

/* [E G^T; G 0] with a diagonal E by its Schur complement G E^-1 G^T */
struct schur {
  ritti_pattern G;
  ritti_columns columns, rows;
  ritti_linear gram;
  int *diagonal;      /* the entries of E */
  bool known, plain;  /* there is one already; all of it is 1 */
  ritt_real *e, *E;   /* E, which is often the same as before, and 1/E */
  ritt_real *kept;    /* a copy of G, and */
  const ritt_real *g; /* the G that solutions take, counted as in the pattern */
};

enum { RITTI_FEW_GRAM = 8 }; /* rows of a Gram matrix that is dense whatever its pattern */
/* roundings of its terms that a pivot must exceed; as the dense kernels have it */
enum { RITTI_GRAM_NOISE = 4, RITTI_SYMMETRIC_NOISE = 1024 };

static inline int ritti_entries_of(const ritti_pattern *p) {
  return p->rows ? p->start[p->rows] - p->start[0] : 0;
}

/* ---- linear_gram.c: the entries of Gram matrices ---- */
/* Every pair of rows that share a column, once, with the longer row, and every row with itself: the
 * products are then sums over the shorter row of each pair. */
ritt_status ritti_gram_list_pairs(ritti_scheme *scheme, const ritti_graph *graph,
                                  ritti_arena *arena) RITT_USE;
/* The products of every pair, in the order of the shorter row. Where a row lists an entry twice
 * there are none. */
ritt_status ritti_gram_list_products(ritti_scheme *scheme, ritti_arena *arena) RITT_USE;
void ritti_gram_fill(ritti_scheme *scheme, const ritt_real *a, const ritt_real *d);

/* ---- linear_choose.c ---- */
ritt_status ritti_linear_choose(ritti_linear *linear, ritti_algebra wanted, ritti_arena *arena,
                                ritti_arena *scratch) RITT_USE;
ritt_status ritti_linear_set_dense(ritti_linear *linear, ritti_scheme *scheme,
                                   ritti_arena *arena) RITT_USE;

/* ---- linear_schur.c ---- */
/* scheme->schur where the Schur complement is a narrow band, else NULL */
ritt_status ritti_schur_set(ritti_linear *linear, ritti_scheme *scheme, ritti_arena *arena,
                            ritti_arena *scratch) RITT_USE;
bool ritti_schur_factor(ritti_linear *linear, const ritt_real *a);
void ritti_schur_solve(ritti_linear *linear, ritt_real *x);
bool ritti_schur_factor_solve(ritti_linear *linear, const ritt_real *a, ritt_real *x);
void ritti_schur_state(ritti_linear *linear, bool factors, ritti_state *state);

#endif
