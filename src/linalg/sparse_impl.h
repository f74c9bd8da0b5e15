/* What the files of the sparse algebra share: graphs and orders, the factorisations behind a
 * ritti_linear. */
#ifndef RITTI_SPARSE_IMPL_H
#define RITTI_SPARSE_IMPL_H

#include "linalg/linalg_impl.h"
#include "linalg/narrow.h"
#include "linalg/sparse.h"

/* ---- order.c: graphs of symmetric patterns, and orders of their nodes ---- */
/* Neighbours of node i: to[start[i]] .. to[start[i+1]-1], each once, without i itself, both ways.
 */
typedef struct ritti_graph {
  int n;
  int *start, *to;
} ritti_graph;

/* Nodes that share a group: groups is nodes x groups. Where keep is not NULL, groups with keep[g] =
 * 0 do not count. *out has at most `most` ends; more: out->start stays NULL. */
ritt_status ritti_graph_share(const ritti_pattern *groups, const unsigned char *keep, size_t most,
                              ritti_arena *arena, ritti_graph *out) RITT_USE;
/* Entries (i, j) of a square pattern join i and j; only those below the diagonal where lower is
 * set. class (NULL: itself) makes node i the class[i] of a smaller graph with `classes` nodes; -1
 * leaves it out. */
ritt_status ritti_graph_of(const ritti_pattern *square, bool lower, const int *class, int classes,
                           ritti_arena *arena, ritti_graph *out) RITT_USE;
/* order[k]: the node that comes k-th. Reverse Cuthill-McKee: narrow bands. */
ritt_status ritti_order_narrow(const ritti_graph *graph, ritti_arena *arena, int *order) RITT_USE;
/* Little fill: minimum degree where the library has it, else as above. */
ritt_status ritti_order_sparse(const ritti_graph *graph, ritti_arena *arena, int *order) RITT_USE;
/* place[order[k]] = k */
void ritti_order_invert(int n, const int *order, int *place);

/* ---- order_kkt.c: [E G^T; G -C], E first, `positive` rows ---- */
/* E before the rest; found: E falls into small blocks and the rest is sparse */
ritt_status ritti_order_kkt_first(const ritti_pattern *p, int positive, ritti_arena *arena,
                                  int *order, bool *found) RITT_USE;
/* rows of G each behind a column of their own; narrow or with little fill */
ritt_status ritti_order_kkt_pairs(const ritti_pattern *p, int positive, bool narrow,
                                  ritti_arena *arena, int *order) RITT_USE;

/* ---- sparse_ldlt.c: L D L^T in a given order ---- */
typedef struct ritti_ldlt {
  int n;
  int *c_start,
      *c_col; /* the matrix in its order, rows of the lower triangle; entries of one place add up */
  ritt_real *c;
  signed char *sign;                 /* of pivot k: 1, -1 */
  ritt_real noise;                   /* a pivot below this many roundings of its terms is none */
  int *parent, *row_start, *row_col; /* pattern of L by rows, ascending */
  int *col_start, *col_row;          /* and by columns */
  ritt_real *l, *d, *y;
  int *filled;
  double fill, operations;
} ritti_ldlt;

/* In: n, c_start, c_col. Counts fill and operations; that is all unless ritti_ldlt_prepare follows.
 */
ritt_status ritti_ldlt_analyse(ritti_ldlt *ldlt, ritti_arena *arena) RITT_USE;
ritt_status ritti_ldlt_prepare(ritti_ldlt *ldlt, ritti_arena *arena) RITT_USE;
bool ritti_ldlt_numeric(ritti_ldlt *ldlt);
void ritti_ldlt_backsolve(const ritti_ldlt *ldlt, ritt_real *x); /* x in the order of the pivots */

/* ---- band.c
 * ------------------------------------------------------------------------------------------- L D
 * L^T: row i holds its columns i-width .. i in width+1 places. sign, noise: as above. */
bool ritti_band_ldlt_factor(int n, int width, ritt_real *a, const signed char *sign,
                            ritt_real noise);
void ritti_band_ldlt_solve(int n, int width, const ritt_real *a, ritt_real *x);
/* LU with partial pivoting: row i holds its columns i-lower .. i+upper+lower in 2 lower+upper+1
 * places, the last `lower` are for fill. false: a pivot is 0 or not finite. */
bool ritti_band_lu_factor(int n, int lower, int upper, ritt_real *a, int *pivot);
void ritti_band_lu_solve(int n, int lower, int upper, const ritt_real *a, const int *pivot,
                         ritt_real *x);
void ritti_band_lu_solve_transposed(int n, int lower, int upper, const ritt_real *a,
                                    const int *pivot, ritt_real *x);

/* What rounding has left in doubt of the pivots of a small symmetric matrix, and carried on, as in
 * linalg/small.h; in long chains the bound grows, and says nothing. Other orders than E first have
 * small pivots on the way: ten digits must be left. Gram matrices, whose noise is small, have no
 * pivots of both signs. */
typedef struct ritti_doubts {
  bool kept;
  ritt_real of[RITTI_SMALL], carried;
} ritti_doubts;
static inline void ritti_doubts_carry(ritti_doubts *doubts, ritt_real l, int j) {
  if (doubts->kept) doubts->carried += l * l * doubts->of[j];
}
static inline bool ritti_doubts_pass(ritti_doubts *doubts, int i, int terms, ritt_real pivot,
                                     ritt_real size) {
  ritt_real carried = doubts->carried;
  if (doubts->kept) doubts->of[i] = (ritt_real)terms * RITTI_EPS * size + carried;
  doubts->carried = 0;
  return !doubts->kept || pivot > (ritt_real)1e10 * carried;
}

/* ---- narrow.c (linalg/narrow.h) ---- */
void ritti_narrow_take_forms(ritti_narrow *narrow,
                             ritti_form *(*find)(const void *from, uint64_t key), const void *from);
/* keep (NULL: all): columns that count, the others have d = 0; it must outlive the result. *out
 * NULL: it is too wide or too small, or has an entry twice. A pivot below `noise` of its diagonal
 * entry is none. */
ritt_status ritti_narrow_new(const ritti_pattern *pattern, const unsigned char *keep,
                             const int *order, int width, ritt_real noise, ritti_arena *arena,
                             ritti_arena *scratch, ritti_narrow **out) RITT_USE;
/* How many reals its factors take, 0 at first, and where they are. */
size_t ritti_narrow_values(const ritti_narrow *narrow);
void ritti_narrow_place(ritti_narrow *narrow, ritt_real *values);
void ritti_narrow_noise(ritti_narrow *narrow, ritt_real noise); /* another one */
bool ritti_narrow_is_plain(const ritti_narrow *narrow, const ritt_real *d);
bool ritti_narrow_factor(ritti_narrow *narrow, const ritt_real *a, const ritt_real *d);
/* The same, and the solution with the right side x; where there are no factors x stays. */
bool ritti_narrow_factor_solve(ritti_narrow *narrow, const ritt_real *a, const ritt_real *d,
                               ritt_real *x);
void ritti_narrow_solve(ritti_narrow *narrow, ritt_real *x);

/* ---- suitesparse.c: AMD and KLU behind plain names, doubles only; without/suitesparse.c where
 * there are none - */
/* false: there is no AMD, or no memory for it */
bool ritti_amd(int n, const int *start, const int *to, int *order);
typedef struct ritti_klu ritti_klu;
/* Rows start, col of a square matrix, each entry once; *out NULL: there is no KLU. The memory goes
 * with the arena. */
ritt_status ritti_klu_new(int n, int *start, int *col, ritti_arena *arena,
                          ritti_klu **out) RITT_USE;
/* *sign: of the determinant. a must stay as it is while there are solves. */
bool ritti_klu_factor(ritti_klu *klu, ritt_real *a, int *sign);
void ritti_klu_solve(ritti_klu *klu, ritt_real *x, bool transposed);
long ritti_klu_full(const ritti_klu *klu); /* times that pivots were looked for */
/* reals in the factors, and multiplications: of the last factors, before them as foreseen */
void ritti_klu_costs(const ritti_klu *klu, double *fill, double *operations);
/* The next factorisation chooses its pivots by itself. */
void ritti_klu_forget(ritti_klu *klu);
/* The pivots, which are had again by factoring the matrix they were chosen for; with `factors` also
 * those of the values a, which are there already. */
void ritti_klu_state(ritti_klu *klu, ritt_real *a, bool factors, ritti_state *state);

#endif
