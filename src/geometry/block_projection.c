/* Newton's method for mechanics, block by block: (4.4) and (4.5) of the enhanced linear algebra
 * paper.
 *
 * In: a holonomic problem, whose rows are g(x, y), its derivative g_x + dg y_1 and further
 * invariants. With the coordinates split into positions (x, y) and velocities y_1,
 *
 *     A = [A1 K^T; K A3],   B = [G 0; G' G; J0 J1],
 *
 * A1 = I + d3g(y_1).alpha + d2g.beta + d0^2.gamma, K = d2g.alpha + d0 d1.gamma, A3 = I +
 * d1^2.gamma, all of them blocks of the second derivatives that newton_projection.c has scaled.
 * Without further invariants A3 = I, with a kinetic energy of point masses it is diagonal. With N =
 * (A1 - K^T A3^-1 K)^-1 and C = B1 - B3 A3^-1 K, B = (B1 B3),
 *
 *     B A^-1 B^T = C N C^T + B3 A3^-1 B3^T,
 *
 * where the rows of g have no part in B3 and lend it their dg to the rows of the derivative. So
 * nothing of the size of all coordinates is factored: matrices of the size of the positions, and
 * the Schur complement.
 */
#include "geometry/manifold_impl.h"

typedef struct ritti_blocks {
  int n1, n2;          /* (x, y) and y_1 */
  bool diagonal;       /* A3 */
  ritti_pattern cross; /* of K, n2 x n1 */
  ritt_real *K;        /* nonzeros */
  ritt_real *A1,
      *A3;          /* n1 x n1 and n2 x n2, their Cholesky factors; A3 where diagonal: n2, itself */
  ritt_real *C, *T; /* k x n1: C by rows, then L1^-1 C^T; k x n2: L3^-1 B3^T */
  ritt_real *x;     /* n1 + n2 */
} ritti_blocks;

ritt_status ritti_blocks_init(ritti_manifold *M, ritti_arena *arena) {
  const ritti_problem *p = M->problem;
  ritti_blocks *b;
  RITT_TRY(ritti_newton_init(M, arena));
  /* the factors of a large sparse dF are sparser than blocks are */
  if (p->k) RITT_TRY(ritti_kkt_init(M, arena));
  if (M->newton->kkt) return RITT_OK;
  RITTI_NEW(b, arena, 1);
  b->n1 = p->positions + 1, b->n2 = p->positions;

  /* The rows of y_1 in the lower triangle, up to the columns of the positions. */
  const ritti_pattern *d2f = &p->d2f;
  int *start, *col, count = 0;
  RITTI_NEW(start, arena, b->n2 + 1);
  RITTI_NEW(col, arena, (d2f->rows ? d2f->start[d2f->rows] : 0) + 1);
  b->diagonal = true;
  for (int i = 0; d2f->rows && i < b->n2; i++) {
    for (int e = d2f->start[b->n1 + i]; e < d2f->start[b->n1 + i + 1]; e++) {
      if (d2f->col[e] < b->n1) col[count++] = d2f->col[e];
      else if (d2f->col[e] != b->n1 + i) b->diagonal = false;
    }
    start[i + 1] = count;
  }
  b->cross = (ritti_pattern){b->n2, b->n1, start, col};

  size_t n1 = (size_t)b->n1, n2 = (size_t)b->n2, k = (size_t)p->k;
  RITTI_NEW(b->K, arena, b->cross.start[b->n2] + 1);
  RITTI_NEW(b->A1, arena, n1 * n1);
  RITTI_NEW(b->A3, arena, b->diagonal ? n2 + 1 : n2 * n2);
  RITTI_NEW(b->C, arena, k * n1 + 1);
  RITTI_NEW(b->T, arena, k * n2 + 1);
  RITTI_NEW(b->x, arena, n1 + n2);
  RITTI_NEW(M->S, arena, k * k + 1);
  M->newton->blocks = b;
  return RITT_OK;
}

/* x := A3^-1 x */
static void solve_A3(const ritti_blocks *b, ritt_real *x) {
  if (!b->diagonal) ritti_cholesky_solve(b->n2, b->A3, x);
  else
    for (int i = 0; i < b->n2; i++) x[i] /= b->A3[i];
}

/* A1 -= K^T A3^-1 K, the lower triangle */
static void eliminate_velocities(ritti_blocks *b) {
  const ritti_pattern *p = &b->cross;
  size_t n1 = (size_t)b->n1;
  if (b->diagonal) {
    for (int r = 0; r < b->n2; r++)
      for (int e = p->start[r]; e < p->start[r + 1]; e++)
        for (int d = p->start[r]; d < p->start[r + 1]; d++)
          if (p->col[d] <= p->col[e])
            b->A1[(size_t)p->col[e] * n1 + (size_t)p->col[d]] -= b->K[e] * b->K[d] / b->A3[r];
    return;
  }
  for (int j = 0; j < b->n1; j++) {
    ritt_real *unit = b->x, *column = b->x + b->n1;
    for (int i = 0; i < b->n1; i++) unit[i] = i == j;
    ritti_csr_times(p, b->K, unit, column);
    solve_A3(b, column);
    ritti_csr_times_transposed(p, b->K, column, unit);
    for (int i = j; i < b->n1; i++) b->A1[(size_t)i * n1 + (size_t)j] -= unit[i];
  }
}

bool ritti_blocks_factor(ritti_manifold *M) {
  ritti_blocks *b = M->newton->blocks;

  /* The blocks of I + H from the lower triangle of H. */
  const ritti_pattern *p = &M->problem->d2f;
  const ritt_real *H = M->newton->H;
  size_t n1 = (size_t)b->n1, n2 = (size_t)b->n2;
  int count = 0;
  for (size_t i = 0; i < n1 * n1; i++) b->A1[i] = 0;
  for (size_t i = 0; i < (b->diagonal ? n2 : n2 * n2); i++) b->A3[i] = b->diagonal;
  for (int i = 0; i < b->n1; i++) {
    ritt_real *row = b->A1 + (size_t)i * n1;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) row[p->col[e]] += H[e];
    row[i] += 1;
  }
  for (int i = 0; i < b->n2; i++) {
    ritt_real *row = b->A3 + (b->diagonal ? 0 : (size_t)i * n2);
    for (int e = p->start[b->n1 + i]; e < p->start[b->n1 + i + 1]; e++) {
      if (p->col[e] < b->n1) b->K[count++] = H[e];
      else row[p->col[e] - b->n1] += H[e];
    }
    if (!b->diagonal) row[i] += 1;
  }

  if (!b->diagonal && !ritti_cholesky_factor(b->n2, b->A3)) return false;
  for (int i = 0; b->diagonal && i < b->n2; i++)
    if (!(b->A3[i] > 0)) return false;
  eliminate_velocities(b);
  return ritti_cholesky_factor(b->n1, b->A1);
}

void ritti_blocks_solve(const ritti_manifold *M, ritt_real *x) {
  const ritti_blocks *b = M->newton->blocks;
  ritt_real *x3 = x + b->n1, *back = b->x;
  /* x1 := N (x1 - K^T A3^-1 x3) */
  solve_A3(b, x3);
  ritti_csr_times_transposed(&b->cross, b->K, x3, back);
  for (int i = 0; i < b->n1; i++) x[i] -= back[i];
  ritti_cholesky_solve(b->n1, b->A1, x);
  /* x3 := A3^-1 x3 - A3^-1 K x1 */
  ritti_csr_times(&b->cross, b->K, x, back);
  solve_A3(b, back);
  for (int i = 0; i < b->n2; i++) x3[i] -= back[i];
}

/* Row i of B3 into x: of a derivative it is the dg of its constraint. */
static void velocity_part(const ritti_manifold *M, int i, ritt_real *x) {
  const ritti_problem *p = M->problem;
  const ritti_blocks *b = M->newton->blocks;
  int l = p->constraints;
  bool derivative = i < 2 * l;
  for (int j = 0; j < b->n2; j++) x[j] = 0;
  for (int r = derivative ? i - l : i, e = p->df.start[r]; e < p->df.start[r + 1]; e++) {
    int j = p->df.col[e] - (derivative ? 1 : b->n1);
    if (j >= 0) x[j] += M->df[e] * M->newton->root[b->n1 + j];
  }
}

/* Row i of C and of L3^-1 B3^T. */
static void schur_row(const ritti_manifold *M, int i, ritt_real *C, ritt_real *T) {
  const ritti_problem *p = M->problem;
  const ritti_newton *N = M->newton;
  const ritti_blocks *b = N->blocks;
  for (int j = 0; j < b->n1; j++) C[j] = 0;
  for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++)
    if (p->df.col[e] < b->n1) C[p->df.col[e]] += N->held[e];
  if (i < p->constraints) return;
  velocity_part(M, i, T);
  memcpy(b->x, T, (size_t)b->n2 * sizeof *T);
  solve_A3(b, b->x);
  for (int r = 0; r < b->n2; r++)
    for (int e = b->cross.start[r]; e < b->cross.start[r + 1]; e++)
      C[b->cross.col[e]] -= b->K[e] * b->x[r];
  if (!b->diagonal) ritti_newton_forward(b->n2, b->A3, T);
  else
    for (int j = 0; j < b->n2; j++) T[j] /= RITTI_MATH(sqrt)(b->A3[j]);
}

void ritti_blocks_schur(ritti_manifold *M) {
  ritti_blocks *b = M->newton->blocks;
  size_t n1 = (size_t)b->n1, n2 = (size_t)b->n2, k = (size_t)M->problem->k;
  size_t l = (size_t)M->problem->constraints;
  for (size_t i = 0; i < k; i++) {
    ritt_real *C = b->C + i * n1, *T = b->T + i * n2;
    schur_row(M, (int)i, C, T);
    ritti_newton_forward(b->n1, b->A1, C);
    for (size_t j = 0; j <= i; j++) {
      M->S[i * k + j] = ritti_dot(b->n1, C, b->C + j * n1);
      if (j >= l) M->S[i * k + j] += ritti_dot(b->n2, T, b->T + j * n2);
    }
  }
}
