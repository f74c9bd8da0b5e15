/* ritti_linear: every algebra against plain dense products in long double, on patterns of all
 * sorts. */
#include "unit/linalg/random.h"
#include "linalg/sparse.h"

/* A pattern that grows entry by entry, with random values between 1/2 and 1 in size. */
typedef struct matrix {
  int rows, cols, count;
  int *start, *col;
  ritt_real *a;
} matrix;

enum { ROOM = 400000 };

static matrix new_matrix(int rows, int cols) {
  matrix m = {.rows = rows, .cols = cols};
  m.start = calloc((size_t)rows + 1, sizeof *m.start);
  m.col = calloc(ROOM, sizeof *m.col);
  m.a = calloc(ROOM, sizeof *m.a);
  if (!m.start || !m.col || !m.a) abort();
  return m;
}
static void free_matrix(matrix *m) {
  free(m->start);
  free(m->col);
  free(m->a);
}
static ritt_real value(void) {
  ritt_real r = check_random();
  return r < 0 ? r / 2 - 0.5 : r / 2 + 0.5;
}
static void put(matrix *m, int j, ritt_real a) {
  if (m->count == ROOM) abort();
  m->col[m->count] = j;
  m->a[m->count++] = a;
}
static void end_row(matrix *m, int i) { m->start[i + 1] = m->count; }
static ritti_pattern pattern_of(const matrix *m) {
  return (ritti_pattern){.rows = m->rows, .cols = m->cols, .start = m->start, .col = m->col};
}

/* Constraints between neighbours of a chain of n planar bodies; a row joins 4 columns. */
static matrix chain(int n) {
  matrix m = new_matrix(n - 1, 2 * n);
  for (int i = 0; i < n - 1; i++) {
    for (int c = 2 * i; c < 2 * i + 4; c++) put(&m, c, value());
    end_row(&m, i);
  }
  return m;
}
/* The same with a last row that joins everything (an energy), placed first or last. */
static matrix chain_with_energy(int n, bool first) {
  matrix m = new_matrix(n, 2 * n);
  for (int i = 0; i < n; i++) {
    int link = first ? i - 1 : i;
    if (i == (first ? 0 : n - 1))
      for (int c = 0; c < 2 * n; c++) put(&m, c, value());
    else
      for (int c = 2 * link; c < 2 * link + 4; c++) put(&m, c, value());
    end_row(&m, i);
  }
  return m;
}
/* Rows that share columns with the `width` next ones, in a shuffled order; where `twice` says so
 * one entry is listed as two. */
static matrix narrow_rows(int n, int width, bool twice) {
  matrix m = new_matrix(n, n + width);
  for (int r = 0; r < n; r++) {
    int i = n % 7 ? 7 * r % n : r;
    for (int j = 0; j <= width; j++) put(&m, i + j, j ? value() : 8 * value());
    if (twice && r == n / 2) put(&m, i, value() / 4);
    end_row(&m, r);
  }
  return m;
}
/* Edges of a w x h grid of points. */
static matrix grid(int w, int h) {
  int edges = (w - 1) * h + w * (h - 1), row = 0;
  matrix m = new_matrix(edges, 2 * w * h);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int way = 0; way < 2; way++) {
        if (way ? y + 1 == h : x + 1 == w) continue;
        int p = 2 * (y * w + x), q = way ? p + 2 * w : p + 2;
        put(&m, q + 1, value());
        put(&m, p, value());
        put(&m, q, value());
        put(&m, p + 1, value());
        end_row(&m, row++);
      }
  m.rows = row;
  return m;
}
static matrix random_rows(int rows, int cols, double density) {
  matrix m = new_matrix(rows, cols);
  for (int i = 0; i < rows; i++) {
    put(&m, i % cols, 2 * value());
    for (int j = 0; j < cols; j++)
      if (check_random() < 2 * density - 1) put(&m, j, value());
    end_row(&m, i);
  }
  return m;
}
/* An arrow: first row and column full, a diagonal. */
static matrix arrow(int n) {
  matrix m = new_matrix(n, n);
  for (int i = 0; i < n; i++) {
    if (i == 0)
      for (int j = 0; j < n; j++) put(&m, j, value());
    else {
      put(&m, i, 3 * value());
      put(&m, 0, value());
    }
    end_row(&m, i);
  }
  return m;
}
/* A band with random entries, rows and columns shuffled by i -> 7 i mod n. */
static matrix shuffled_band(int n, int lower, int upper) {
  matrix m = new_matrix(n, n);
  int *at = calloc((size_t)n, sizeof *at);
  for (int i = 0; i < n; i++) at[7 * i % n] = i;
  for (int r = 0; r < n; r++) {
    int i = at[r];
    for (int j = i - lower; j <= i + upper; j++)
      if (j >= 0 && j < n) put(&m, 7 * j % n, j == i ? 2 * value() : value());
    end_row(&m, r);
  }
  free(at);
  return m;
}
/* [E G^T; G 0] with E diagonal or tridiagonal, G the constraints given; all entries, or the lower
 * triangle only */
static matrix kkt(const matrix *G, bool coupled, bool lower_only) {
  int p = G->cols, n = p + G->rows;
  matrix m = new_matrix(n, n);
  ritt_real *side = new_reals(p, 1);
  fill(p, side);
  for (int i = 0; i < p; i++) {
    put(&m, i, 4 + value());
    if (coupled && i > 0) put(&m, i - 1, side[i]);
    if (coupled && i + 1 < p && !lower_only) put(&m, i + 1, side[i + 1]);
    for (int r = 0; r < G->rows && !lower_only; r++)
      for (int e = G->start[r]; e < G->start[r + 1]; e++)
        if (G->col[e] == i) put(&m, p + r, G->a[e]);
    end_row(&m, i);
  }
  for (int r = 0; r < G->rows; r++) {
    for (int e = G->start[r]; e < G->start[r + 1]; e++) put(&m, G->col[e], G->a[e]);
    end_row(&m, p + r);
  }
  free(side);
  return m;
}

/* ---- the matrix itself, dense ---- */

static ritt_real *dense_of(ritti_matrix sort, const matrix *m, const ritt_real *d) {
  ritti_pattern p = pattern_of(m);
  ritt_real *full = new_reals(m->rows, m->cols), *S;
  ritti_csr_to_dense(&p, m->a, full);
  if (sort == RITTI_GENERAL) return full;
  int n = m->rows;
  S = new_reals(n, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      long double sum = 0;
      if (sort == RITTI_SYMMETRIC) sum = full[i >= j ? i * n + j : j * n + i];
      else
        for (int c = 0; c < m->cols; c++)
          sum += (long double)full[i * m->cols + c] * (d ? d[c] : 1) * full[j * m->cols + c];
      S[i * n + j] = (ritt_real)sum;
    }
  free(full);
  return S;
}

static int sign_by_lu(int n, const ritt_real *M) {
  ritt_real *lu = new_reals(n, n);
  int *pivot = calloc((size_t)n + 1, sizeof *pivot), sign = 1;
  copy(n * n, M, lu);
  if (!ritti_lu_factor(n, lu, pivot, NULL)) sign = 0;
  for (int i = 0; i < n && sign; i++)
    if ((lu[i * n + i] < 0) != (pivot[i] != i)) sign = -sign;
  free(lu);
  free(pivot);
  return sign;
}

/* |M^-1|_1 by solving for every column */
static ritt_real inverse_norm(int n, ritti_linear *L) {
  ritt_real *x = new_reals(n, 1), most = 0;
  for (int j = 0; j < n; j++) {
    ritt_real sum = 0;
    for (int i = 0; i < n; i++) x[i] = i == j;
    ritti_linear_solve(L, x);
    for (int i = 0; i < n; i++) sum += fabs(x[i]);
    if (sum > most) most = sum;
  }
  free(x);
  return most;
}

static const ritti_algebra algebras[] = {RITTI_ALGEBRA_AUTO, RITTI_ALGEBRA_DENSE,
                                         RITTI_ALGEBRA_BAND, RITTI_ALGEBRA_SPARSE};

/* Built without KLU there are bands and dense matrices instead of unsymmetric sparse ones. */
static bool has_klu(void) {
  ritti_arena *arena = ritti_arena_new();
  const ritti_pattern one = {.rows = 1, .cols = 1, .start = (int[]){0, 1}, .col = (int[]){0}};
  ritti_linear L;
  CHECK(ritti_linear_init(&L, RITTI_GENERAL, &one, 0, RITTI_ALGEBRA_SPARSE, arena) == RITT_OK);
  ritti_arena_free(arena);
  return L.algebra == RITTI_ALGEBRA_SPARSE;
}

/* Factors and solves with one algebra, twice with other values in between; all against the dense
 * matrix. */
static void check_algebra(ritti_matrix sort, matrix *m, int positive, ritti_algebra algebra) {
  int n = m->rows;
  ritti_arena *arena = ritti_arena_new();
  ritti_pattern p = pattern_of(m);
  ritti_linear L;
  ritt_real *b = new_reals(n, 1), *x = new_reals(n, 1), *d = new_reals(m->cols, 1), scale;
  CHECK(ritti_linear_init(&L, sort, &p, positive, algebra, arena) == RITT_OK);
  CHECK(L.n == n && L.algebra != RITTI_ALGEBRA_AUTO);
  bool has_it = algebra != RITTI_ALGEBRA_AUTO && n > 0;
  if (sort == RITTI_GENERAL && algebra == RITTI_ALGEBRA_SPARSE && !has_klu()) has_it = false;
  CHECK(!has_it || L.algebra == algebra);
  CHECK(algebra != RITTI_ALGEBRA_AUTO || n > (sort == RITTI_GRAM ? 8 : RITTI_SMALL) ||
        L.algebra == RITTI_ALGEBRA_DENSE);
  for (int round = 0; round < 3; round++) {
    for (int e = 0; e < m->count && round; e++) m->a[e] *= 1 + 0.01 * check_random();
    for (int c = 0; c < m->cols; c++) d[c] = 1.5 + check_random();
    const ritt_real *weights = round == 2 ? NULL : d;
    ritt_real *M = dense_of(sort, m, weights), *Mt = new_reals(n, n);
    transpose(n, n, M, Mt);
    fill(n, b);
    CHECK(ritti_linear_factor(&L, m->a, weights));
    copy(n, b, x);
    ritti_linear_solve(&L, x);
    ritt_real r = residual(n, n, M, x, b, &scale), condition = inverse_norm(n, &L);
    // small against the matrix times the solution; without pivots some digits more may go
    ritt_real bound = (sort == RITTI_GENERAL ? 1e-13 : 1e-11) * scale;
    CHECK(r <= bound);
    if (!(r <= bound))
      printf("  sort %d algebra %d n %d r %g scale %g\n", sort, algebra, n, r, scale);
    copy(n, b, x);
    ritti_linear_solve_transposed(&L, x);
    CHECK(residual(n, n, Mt, x, b, &scale) <= bound);
    CHECK(n == 0 || L.sign == sign_by_lu(n, M));
    // both at once give the bits of one after the other
    ritt_real *y = new_reals(n, 1);
    copy(n, b, x);
    ritti_linear_solve(&L, x);
    copy(n, b, y);
    CHECK(ritti_linear_factor_solve(&L, m->a, weights, y));
    CHECK(n == 0 || L.sign == sign_by_lu(n, M));
    for (int i = 0; i < n; i++) CHECK(x[i] == y[i]);
    free(y);
    // the estimate is a lower bound, and a good one
    ritt_real estimate = ritti_linear_inverse_norm(&L);
    CHECK(estimate <= condition * (1 + 1e-6) && estimate >= condition / 4);
    free(M);
    free(Mt);
  }
  CHECK(L.factorisations == 6 && L.solves >= 9 && L.fill >= n);
  // NaN and infinity are refused, and forgotten
  if (m->count) {
    ritt_real kept = m->a[m->count - 1];
    m->a[m->count - 1] = NAN;
    CHECK(!ritti_linear_factor(&L, m->a, NULL) && L.sign == 0);
    m->a[m->count - 1] = INFINITY;
    CHECK(!ritti_linear_factor(&L, m->a, NULL));
    CHECK(!ritti_linear_factor_solve(&L, m->a, NULL, x) && L.sign == 0);
    m->a[m->count - 1] = kept;
    CHECK(ritti_linear_factor(&L, m->a, NULL));
  }
  ritti_arena_free(arena);
  free(b);
  free(x);
  free(d);
}

static void check_matrix(ritti_matrix sort, matrix m, int positive) {
  for (size_t i = 0; i < sizeof algebras / sizeof *algebras; i++)
    check_algebra(sort, &m, positive, algebras[i]);
  free_matrix(&m);
}

static void check_kkt(matrix G, bool coupled) {
  for (int lower = 0; lower < 2; lower++)
    check_matrix(RITTI_SYMMETRIC, kkt(&G, coupled, lower), G.cols);
  check_matrix(RITTI_GENERAL, kkt(&G, coupled, false), 0);
  free_matrix(&G);
}

/* ---- what is chosen, and what it costs ---- */

static ritti_linear costs(ritti_matrix sort, matrix m, int positive, ritti_algebra algebra) {
  ritti_arena *arena = ritti_arena_new();
  ritti_pattern p = pattern_of(&m);
  ritti_linear L;
  CHECK(ritti_linear_init(&L, sort, &p, positive, algebra, arena) == RITT_OK);
  CHECK(ritti_linear_factor(&L, m.a, NULL));
  ritti_arena_free(arena);
  free_matrix(&m);
  return L;
}

/* Factors of chains grow with the chain: twice as long, twice the reals and the multiplications. */
static void check_linear_growth(void) {
  for (int forced = 0; forced < 3; forced++) {
    ritti_algebra algebra = forced == 0   ? RITTI_ALGEBRA_AUTO
                            : forced == 1 ? RITTI_ALGEBRA_BAND
                                          : RITTI_ALGEBRA_SPARSE;
    ritti_linear one = costs(RITTI_GRAM, chain(1000), 0, algebra);
    ritti_linear two = costs(RITTI_GRAM, chain(2000), 0, algebra);
    CHECK(two.fill <= 2.01 * one.fill && two.operations <= 2.01 * one.operations);
    CHECK(one.fill <= 3 * 1000); // tridiagonal
    matrix g1 = chain(500), g2 = chain(1000);
    one = costs(RITTI_SYMMETRIC, kkt(&g1, false, true), g1.cols, algebra);
    two = costs(RITTI_SYMMETRIC, kkt(&g2, false, true), g2.cols, algebra);
    CHECK(two.fill <= 2.02 * one.fill && two.operations <= 2.02 * one.operations);
    one = costs(RITTI_SYMMETRIC, kkt(&g1, true, true), g1.cols, algebra);
    two = costs(RITTI_SYMMETRIC, kkt(&g2, true, true), g2.cols, algebra);
    CHECK(two.fill <= 2.02 * one.fill && two.operations <= 2.02 * one.operations);
    one = costs(RITTI_GENERAL, kkt(&g1, false, false), 0, algebra);
    two = costs(RITTI_GENERAL, kkt(&g2, false, false), 0, algebra);
    CHECK(two.fill <= 2.05 * one.fill && two.operations <= 2.1 * one.operations);
    free_matrix(&g1);
    free_matrix(&g2);
  }
  // an energy row makes an arrow of the tridiagonal matrix, wherever it stands
  for (int first = 0; first < 2; first++) {
    ritti_linear L = costs(RITTI_GRAM, chain_with_energy(2000, first), 0, RITTI_ALGEBRA_AUTO);
    CHECK(L.algebra == RITTI_ALGEBRA_SPARSE && L.fill <= 4 * 2000);
  }
}

static void check_choice(void) {
  CHECK(costs(RITTI_GRAM, chain(8), 0, RITTI_ALGEBRA_AUTO).algebra == RITTI_ALGEBRA_DENSE);
  CHECK(costs(RITTI_GRAM, chain(60), 0, RITTI_ALGEBRA_AUTO).algebra == RITTI_ALGEBRA_BAND);
  CHECK(costs(RITTI_GRAM, chain(500), 0, RITTI_ALGEBRA_AUTO).algebra == RITTI_ALGEBRA_BAND);
  CHECK(costs(RITTI_GRAM, random_rows(150, 400, 0.3), 0, RITTI_ALGEBRA_AUTO).algebra ==
        RITTI_ALGEBRA_DENSE);
  CHECK(costs(RITTI_GENERAL, random_rows(150, 150, 0.5), 0, RITTI_ALGEBRA_AUTO).algebra ==
        RITTI_ALGEBRA_DENSE);
  CHECK(costs(RITTI_GENERAL, shuffled_band(400, 1, 1), 0, RITTI_ALGEBRA_AUTO).algebra ==
        RITTI_ALGEBRA_BAND);
  ritti_algebra algebra = costs(RITTI_GENERAL, arrow(400), 0, RITTI_ALGEBRA_AUTO).algebra;
  CHECK(algebra == (has_klu() ? RITTI_ALGEBRA_SPARSE : RITTI_ALGEBRA_DENSE));
}

/* ---- trouble ---- */

/* Two equal rows: singular, whatever the algebra; another value, and it is not. */
static void check_singular(void) {
  for (size_t k = 0; k < sizeof algebras / sizeof *algebras; k++) {
    ritti_arena *arena = ritti_arena_new();
    ritti_linear L;
    matrix m = chain(80);
    // rows 40 and 41 get the same columns and values
    for (int e = 0; e < 4; e++) {
      m.col[m.start[41] + e] = m.col[m.start[40] + e];
      m.a[m.start[41] + e] = m.a[m.start[40] + e];
    }
    ritti_pattern p = pattern_of(&m);
    CHECK(ritti_linear_init(&L, RITTI_GRAM, &p, 0, algebras[k], arena) == RITT_OK);
    CHECK(!ritti_linear_factor(&L, m.a, NULL));
    m.a[m.start[40]] += 1;
    CHECK(ritti_linear_factor(&L, m.a, NULL));
    free_matrix(&m);
    // a row of zeros: near either end, and in the middle
    for (int at = 2; at < 80; at += 38) {
      m = narrow_rows(81, 1, false);
      for (int r = 0; r < 81; r++)
        if (7 * r % 81 == at)
          for (int e = m.start[r]; e < m.start[r + 1]; e++) m.a[e] = 0;
      p = pattern_of(&m);
      CHECK(ritti_linear_init(&L, RITTI_GRAM, &p, 0, algebras[k], arena) == RITT_OK);
      CHECK(!ritti_linear_factor(&L, m.a, NULL) && L.sign == 0);
      free_matrix(&m);
    }
    // a 2 x 2 block of ones within a band
    m = shuffled_band(100, 0, 0);
    free_matrix(&m);
    m = new_matrix(100, 100);
    for (int i = 0; i < 100; i++) {
      for (int j = i - 1; j <= i + 1; j++)
        if (j >= 0 && j < 100) put(&m, j, i / 2 == j / 2 ? 1 : 0);
      end_row(&m, i);
    }
    p = pattern_of(&m);
    CHECK(ritti_linear_init(&L, RITTI_GENERAL, &p, 0, algebras[k], arena) == RITT_OK);
    CHECK(!ritti_linear_factor(&L, m.a, NULL) && L.sign == 0);
    for (int i = 0; i < 100; i++) m.a[m.start[i] + (i > 0)] = 2;
    CHECK(ritti_linear_factor(&L, m.a, NULL) && L.sign == 1); // (4 - 1)^50
    free_matrix(&m);
    // a constraint twice: the second pivot has no sign
    matrix G = new_matrix(2, 80);
    for (int i = 0; i < 2; i++) {
      put(&G, 3, 1), put(&G, 5, 2);
      end_row(&G, i);
    }
    m = kkt(&G, false, true);
    p = pattern_of(&m);
    CHECK(ritti_linear_init(&L, RITTI_SYMMETRIC, &p, 80, algebras[k], arena) == RITT_OK);
    CHECK(!ritti_linear_factor(&L, m.a, NULL));
    // E indefinite
    G.rows = 1;
    matrix one = kkt(&G, false, true);
    p = pattern_of(&one);
    CHECK(ritti_linear_init(&L, RITTI_SYMMETRIC, &p, 80, algebras[k], arena) == RITT_OK);
    CHECK(ritti_linear_factor(&L, one.a, NULL));
    one.a[70] = -one.a[70];
    CHECK(!ritti_linear_factor(&L, one.a, NULL));
    free_matrix(&one);
    free_matrix(&m);
    free_matrix(&G);
    ritti_arena_free(arena);
  }
}

/* Pivots of the last time may vanish: new ones are looked for, and counted. */
static void check_new_pivots(void) {
  int n = 200;
  ritti_arena *arena = ritti_arena_new();
  matrix m = new_matrix(n, n);
  // blocks [a 1; 1 b] on the diagonal, and an arrow so that the blocks hang together
  for (int i = 0; i < n; i++) {
    int other = i % 2 ? i - 1 : i + 1;
    put(&m, i, 4);
    put(&m, other, 1);
    if (i >= 2) put(&m, 0, 0.1), put(&m, 1, 0.2);
    if (i == 0)
      for (int j = 2; j < n; j++) put(&m, j, 0.001);
    end_row(&m, i);
  }
  ritti_pattern p = pattern_of(&m);
  ritti_linear L;
  ritt_real *x = new_reals(n, 1), *b = new_reals(n, 1), scale;
  CHECK(ritti_linear_init(&L, RITTI_GENERAL, &p, 0, RITTI_ALGEBRA_SPARSE, arena) == RITT_OK);
  for (int round = 0; round < 4; round++) {
    // rounds 0, 1: good diagonals; round 2: tiny ones; round 3: zero
    for (int i = 2; i < n; i++) m.a[m.start[i]] = round < 2 ? 4 + round : round == 2 ? 1e-14 : 0;
    CHECK(ritti_linear_factor(&L, m.a, NULL));
    CHECK(L.full == (!has_klu() ? 0 : round < 2 ? 1 : 2));
    ritt_real *M = dense_of(RITTI_GENERAL, &m, NULL);
    fill(n, b);
    copy(n, b, x);
    ritti_linear_solve(&L, x);
    CHECK(residual(n, n, M, x, b, &scale) <= 1e-13 * scale);
    CHECK(L.sign == sign_by_lu(n, M));
    free(M);
  }
  free(x);
  free(b);
  free_matrix(&m);
  ritti_arena_free(arena);
}

/* Pivots that become worse little by little: every solution is right all the same, with few new
 * pivots. */
static void check_stale_pivots(void) {
  int n = 300;
  ritti_arena *arena = ritti_arena_new();
  matrix m = new_matrix(n, n);
  for (int i = 0; i < n; i++) {
    for (int j = i - 2; j <= i + 2; j++)
      if (j >= 0 && j < n) put(&m, j, value());
    if (i + 1 == n)
      for (int j = 0; j < n - 3; j++) put(&m, j, j == 0);
    else if (i < n - 3) put(&m, n - 1, value());
    end_row(&m, i);
  }
  ritti_pattern p = pattern_of(&m);
  ritti_linear L;
  ritt_real *x = new_reals(n, 1), *b = new_reals(n, 1), scale;
  CHECK(ritti_linear_init(&L, RITTI_GENERAL, &p, 0, RITTI_ALGEBRA_SPARSE, arena) == RITT_OK);
  for (int round = 0; round < 40; round++) {
    // the diagonal fades away, and the last row is another one every time
    for (int i = 0; i < n - 1; i++)
      for (int e = m.start[i]; e < m.start[i + 1]; e++)
        if (m.col[e] == i) m.a[e] *= 0.5;
    for (int e = m.start[n - 1]; e < m.start[n]; e++) m.a[e] = check_random();
    CHECK(ritti_linear_factor(&L, m.a, NULL));
    ritt_real *M = dense_of(RITTI_GENERAL, &m, NULL), *Mt = new_reals(n, n);
    transpose(n, n, M, Mt);
    for (int transposed = 0; transposed < 2; transposed++) {
      fill(n, b);
      copy(n, b, x);
      if (transposed) ritti_linear_solve_transposed(&L, x);
      else ritti_linear_solve(&L, x);
      CHECK(residual(n, n, transposed ? Mt : M, x, b, &scale) <= 1e-13 * scale);
    }
    free(M);
    free(Mt);
  }
  CHECK(!has_klu() || (L.full >= 2 && L.full < 20));
  free(x);
  free(b);
  free_matrix(&m);
  ritti_arena_free(arena);
}

/* Rows of a larger pattern: values are counted as it counts them. */
static void check_part(void) {
  matrix m = chain(200);
  ritti_pattern p = pattern_of(&m), part = p;
  part.rows = 120;
  part.start = p.start + 50;
  for (size_t k = 0; k < sizeof algebras / sizeof *algebras; k++) {
    ritti_arena *arena = ritti_arena_new();
    ritti_linear L;
    ritt_real *full = dense_of(RITTI_GRAM, &m, NULL), *M = new_reals(120, 120),
              *x = new_reals(120, 1), *b = new_reals(120, 1), scale;
    for (int i = 0; i < 120; i++)
      for (int j = 0; j < 120; j++) M[i * 120 + j] = full[(i + 50) * 199 + j + 50];
    CHECK(ritti_linear_init(&L, RITTI_GRAM, &part, 0, algebras[k], arena) == RITT_OK);
    CHECK(ritti_linear_factor(&L, m.a, NULL));
    fill(120, b);
    copy(120, b, x);
    ritti_linear_solve(&L, x);
    CHECK(residual(120, 120, M, x, b, &scale) <= 1e-12 * scale);
    free(full);
    free(M);
    free(x);
    free(b);
    ritti_arena_free(arena);
  }
  free_matrix(&m);
}

int main(void) {
  // no rows, one row, small ones
  check_matrix(RITTI_GRAM, new_matrix(0, 0), 0);
  check_matrix(RITTI_SYMMETRIC, new_matrix(0, 0), 0);
  check_matrix(RITTI_GENERAL, new_matrix(0, 0), 0);
  check_matrix(RITTI_GRAM, chain(2), 0);
  check_matrix(RITTI_GENERAL, shuffled_band(1, 0, 0), 0);
  check_matrix(RITTI_SYMMETRIC, kkt(&(matrix){.cols = 1, .start = (int[]){0}}, false, true), 1);
  check_matrix(RITTI_GRAM, random_rows(7, 9, 0.4), 0);
  check_matrix(RITTI_GENERAL, random_rows(20, 20, 0.2), 0);
  // chains, energies, grids, arrows, dense ones
  check_matrix(RITTI_GRAM, chain(100), 0);
  check_matrix(RITTI_GRAM, chain_with_energy(90, true), 0);
  check_matrix(RITTI_GRAM, chain_with_energy(90, false), 0);
  check_matrix(RITTI_GRAM, grid(8, 9), 0);
  // narrow bands of all widths, those included that are too short, or too wide, to be taken from
  // both ends
  for (int width = 0; width <= 10; width++)
    for (int n = width ? 4 * width - 1 : 9; n <= (width ? 4 * width + 2 : 11); n++)
      check_matrix(RITTI_GRAM, narrow_rows(n, width, false), 0);
  check_matrix(RITTI_GRAM, narrow_rows(75, 3, false), 0);
  check_matrix(RITTI_GRAM, narrow_rows(76, 3, true), 0);
  check_matrix(RITTI_GRAM, arrow(80), 0);
  check_matrix(RITTI_GRAM, random_rows(70, 150, 1), 0);
  check_matrix(RITTI_GRAM, random_rows(100, 300, 0.02), 0);
  check_kkt(chain(40), false);
  check_kkt(chain(40), true);
  check_kkt(narrow_rows(41, 2, false), false);
  check_kkt(narrow_rows(40, 0, false), false);
  check_kkt(narrow_rows(30, 5, true), false);
  check_kkt(grid(5, 6), false);
  check_kkt(grid(4, 5), true);
  check_matrix(RITTI_GENERAL, shuffled_band(100, 3, 1), 0);
  check_matrix(RITTI_GENERAL, shuffled_band(101, 0, 2), 0);
  check_matrix(RITTI_GENERAL, arrow(90), 0);
  check_matrix(RITTI_GENERAL, random_rows(100, 100, 0.05), 0);
  check_matrix(RITTI_GENERAL, random_rows(70, 70, 1), 0);
  check_linear_growth();
  check_choice();
  check_singular();
  check_new_pivots();
  check_stale_pivots();
  check_part();
  return CHECKS_DONE();
}
