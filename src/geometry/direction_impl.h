/* Private to the direction: its variants, each a file of its own.
 *
 * A variant finds the null vector of D->matrix (line_*.c) or the tops from D->A and D->b (top_*.c).
 * It allocates what it needs once (D->own) and says false where the line, or the tops, are not
 * determined.
 */
#ifndef RITTI_DIRECTION_IMPL_H
#define RITTI_DIRECTION_IMPL_H

#include "geometry/geometry.h"

typedef struct ritti_way {
  bool line;  /* matrix -> null_vector, sigma; else A, b -> top */
  bool dense; /* needs D->dense, or the matrix, whatever the size */
  ritt_status (*init)(ritti_direction *direction, ritti_arena *arena);
  bool (*find)(ritti_direction *direction);
} ritti_way;

/* line_qr.c; its arrays are those of ritti_direction */
bool ritti_line_qr(ritti_direction *direction);
/* the sign of det(matrix; null_vector^T) for the matrix just factored, where it has `tops` rows */
int ritti_line_qr_sign(const ritti_direction *direction);
/* line_svd.c, line_submatrix.c, line_cg.c */
ritt_status ritti_line_svd_init(ritti_direction *direction, ritti_arena *arena) RITT_USE;
bool ritti_line_svd(ritti_direction *direction);
ritt_status ritti_line_submatrix_init(ritti_direction *direction, ritti_arena *arena) RITT_USE;
bool ritti_line_submatrix(ritti_direction *direction);
ritt_status ritti_line_cg_init(ritti_direction *direction, ritti_arena *arena) RITT_USE;
bool ritti_line_cg(ritti_direction *direction);

/* line_border.c: the default where A is not dense; from A and b */
ritt_status ritti_border_init(ritti_direction *direction, ritti_algebra algebra,
                              ritti_arena *arena) RITT_USE;
bool ritti_border_find(ritti_direction *direction);
/* r along V, for the next find */
void ritti_border_aim(const ritti_direction *direction, const ritt_real *V);
/* x (tops in, 1 + tops out): a vector (dx, v) with (b | A) (dx, v) = x, by the matrix of the last
 * find */
void ritti_border_solve(const ritti_direction *direction, ritt_real *x);

/* top_lu.c: LU, or least squares of least norm where there are fewer rows than tops */
bool ritti_top_lu(ritti_direction *direction);
bool ritti_top_least(ritti_direction *direction);
ritt_status ritti_top_least_init(ritti_direction *direction, ritti_arena *arena) RITT_USE;
/* Factors A S^2 A^T. false: it is singular. */
bool ritti_top_least_factor(ritti_direction *direction);
/* top_kkt.c: L D L^T, with LU behind it */
bool ritti_top_kkt(ritti_direction *direction);
/* By L D L^T alone, without the entries of A above the diagonal. false: a pivot is not sound. */
bool ritti_top_symmetric(ritti_direction *direction);
/* By L D L^T alone; A needs no entries above the diagonal. false: a pivot is not sound. */
bool ritti_top_symmetric(ritti_direction *direction);
ritt_status ritti_top_kkt_init(ritti_direction *direction,
                               ritti_arena *arena) RITT_USE; /* of a symmetric problem */
void ritti_top_kkt_sign(ritti_direction *direction);         /* once `kkt` is factored */
/* top_newton.c: the tops of the implicit kind at z, from D->top. far: they may be far away, and a
 * homotopy follows if the iteration fails. RITT_RETRY: D->trouble says why. */
ritt_status ritti_top_newton_init(ritti_direction *direction, ritti_algebra algebra,
                                  ritti_arena *arena) RITT_USE;
ritt_status ritti_top_newton(ritti_direction *direction, const ritt_real *z) RITT_USE;
ritt_status ritti_top_newton_far(ritti_direction *direction, const ritt_real *z) RITT_USE;
/* The sign of det T_w at z and D->top, 0: not known; log2 |det T_w| of the linear blocks. */
int ritti_top_newton_sign(ritti_direction *direction, const ritt_real *z, ritt_real *volume);
/* top_schur.c, top_block_cg.c */
ritt_status ritti_top_schur_init(ritti_direction *direction, ritti_arena *arena) RITT_USE;
bool ritti_top_schur(ritti_direction *direction);
ritt_status ritti_top_block_cg_init(ritti_direction *direction, ritti_arena *arena) RITT_USE;
bool ritti_top_block_cg(ritti_direction *direction);

/* what they keep from point to point */
void ritti_line_submatrix_state(ritti_direction *direction, ritti_state *state);
void ritti_line_cg_state(ritti_direction *direction, ritti_state *state);
void ritti_border_state(ritti_direction *direction, ritti_state *state);
void ritti_top_block_cg_state(ritti_direction *direction, ritti_state *state);

/* Are the singular values those of a line: the last but one clear of 0 and of the last? */
bool ritti_line_is_clear(const ritti_direction *direction);

#endif
