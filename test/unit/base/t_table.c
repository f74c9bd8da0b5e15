/* Splines: exact for polynomials, of the order of their degree for others, smooth at the knots;
 * values of pieces. */
#include "base/table.h"
#include "check.h"

enum { MOST = 2000 };
static double X[MOST], Y[MOST];

static double at(const ritti_table *t, int order, int parity, double u) {
  const ritti_table *tables[] = {t};
  return ritti_table_value(tables, ritti_table_code(0, order, parity), u);
}

static double choose(double a, double b) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return a + (b - a) * (double)(state >> 11) / 9007199254740992.0;
}

/* points of any distance */
static void make_points(size_t n, double from, double to) {
  X[0] = from;
  for (size_t i = 1; i < n; i++) X[i] = X[i - 1] + choose(0.5, 1.5);
  for (size_t i = 0; i < n; i++) X[i] = from + (X[i] - from) * (to - from) / (X[n - 1] - from);
}

/* A polynomial of the degree of the spline is the spline itself, with all derivatives. */
static void check_polynomials(ritti_arena *arena) {
  for (int k = 1; k <= 9; k += 2)
    for (size_t n = (size_t)k + 1; n < (size_t)k + 12; n += 3) {
      double c[10];
      ritti_table t;
      make_points(n, -1, 2);
      for (int j = 0; j <= k; j++) c[j] = choose(-1, 1);
      for (size_t i = 0; i < n; i++) {
        Y[i] = 0;
        for (int j = k; j >= 0; j--) Y[i] = Y[i] * X[i] + c[j];
      }
      CHECK(ritti_table_make(X, Y, n, k, RITTI_OUTSIDE_NOTHING, arena, &t) == RITT_OK &&
            t.pieces == n - (size_t)k);
      for (int order = 0; order <= k + 2; order++)
        for (double u = -1; u <= 2; u += 0.1) {
          double exact = 0, scale = 1;
          for (int j = k; j >= order; j--) {
            double f = c[j];
            for (int m = 0; m < order; m++) f *= j - m;
            exact = exact * u + f;
            scale = fmax(scale, fabs(f) * pow(2, j - order));
          }
          CHECK_NEAR(at(&t, order, RITTI_TABLE_ANY, u), exact, 1e-11 * scale * pow(8, order));
        }
    }
}

/* error of derivative `order` of the spline of sin with n points on [0, 6] */
static double error_of(int k, int order, size_t n, ritti_arena *arena) {
  ritti_table t;
  double worst = 0;
  for (size_t i = 0; i < n; i++) X[i] = 6.0 * (double)i / (double)(n - 1), Y[i] = sin(X[i]);
  CHECK(ritti_table_make(X, Y, n, k, RITTI_OUTSIDE_NOTHING, arena, &t) == RITT_OK);
  for (double u = 0; u <= 6; u += 0.01)
    worst = fmax(worst, fabs(at(&t, order, RITTI_TABLE_ANY, u) - sin(u + order * acos(0.0))));
  return worst;
}

static void check_orders(ritti_arena *arena) {
  for (int k = 1; k <= 5; k += 2)
    for (int order = 0; order < k; order++) {
      double ratio = error_of(k, order, 41, arena) / error_of(k, order, 81, arena);
      double expected = pow(2, k + 1 - order);
      CHECK(ratio > 0.7 * expected && ratio < 1.6 * expected);
    }
}

/* All derivatives below the degree are continuous at the knots, and points that are not knots are
 * met. */
static void check_smooth(ritti_arena *arena) {
  for (int k = 1; k <= 7; k += 2) {
    ritti_table t;
    make_points(40, 0, 39);
    for (int i = 0; i < 40; i++) Y[i] = choose(-1, 1);
    CHECK(ritti_table_make(X, Y, 40, k, RITTI_OUTSIDE_NOTHING, arena, &t) == RITT_OK);
    for (int i = 0; i < 40; i++) CHECK_NEAR(at(&t, 0, RITTI_TABLE_ANY, X[i]), Y[i], 1e-11);
    for (size_t i = 1; i < t.pieces; i++)
      for (int order = 0; order < k; order++) {
        double u = t.knot[i], left, right;
        RITTI_TABLE_PIECE(double, &t, i - 1, order, u, left);
        RITTI_TABLE_PIECE(double, &t, i, order, u, right);
        CHECK_NEAR(left, right, 1e-8 * (1 + fabs(right)));
      }
  }
}

/* Which piece: by u, and by the parity asked for; nothing outside. */
static void check_pieces(ritti_arena *arena) {
  ritti_table t;
  for (int i = 0; i < 6; i++) X[i] = i, Y[i] = i * i;
  CHECK(ritti_table_make(X, Y, 6, 1, RITTI_OUTSIDE_NOTHING, arena, &t) == RITT_OK && t.pieces == 5);
  CHECK(at(&t, 0, RITTI_TABLE_ANY, 2.5) == 6.5 && at(&t, 1, RITTI_TABLE_ANY, 2.5) == 5);
  CHECK(at(&t, 0, RITTI_TABLE_EVEN, 2.5) == 6.5); /* 4 + 5 s */
  CHECK(at(&t, 0, RITTI_TABLE_ODD, 2.75) == 7.25 && at(&t, 0, RITTI_TABLE_ODD, 2.25) == 4.75);
  CHECK(at(&t, 0, RITTI_TABLE_ODD, 0.25) == -1.25); /* 1 + 3 (u - 1) */
  CHECK(at(&t, 0, RITTI_TABLE_ODD, 4.5) == 19.5);   /* 9 + 7 (u - 3), goes on beyond its end */
  CHECK(at(&t, 0, RITTI_TABLE_ANY, 5) == 25 && isnan(at(&t, 0, RITTI_TABLE_ANY, 5.001)));
  CHECK(isnan(at(&t, 0, RITTI_TABLE_EVEN, -0.001)) && isnan(at(&t, 2, RITTI_TABLE_ANY, NAN)));
  CHECK(at(&t, 2, RITTI_TABLE_ANY, 1.5) == 0);
  /* whole at the inner knots only */
  for (int i = 1; i < 5; i++) CHECK(at(&t, RITTI_TABLE_KNOT, RITTI_TABLE_ANY, i) == i);
  CHECK(at(&t, RITTI_TABLE_KNOT, RITTI_TABLE_ANY, 0) == 0.5 &&
        at(&t, RITTI_TABLE_KNOT, RITTI_TABLE_ANY, 5) == 4.5);
  CHECK(at(&t, RITTI_TABLE_SLOPE, RITTI_TABLE_ANY, 2.5) == 1 &&
        at(&t, RITTI_TABLE_SLOPE, RITTI_TABLE_ANY, 0) == 0.5);
  CHECK(ritti_table_make(X, Y, 3, 3, RITTI_OUTSIDE_NOTHING, arena, &t) == RITT_WRONG_CALL);
  CHECK(ritti_table_make(X, Y, 6, 2, RITTI_OUTSIDE_NOTHING, arena, &t) == RITT_WRONG_CALL);
}

/* A periodic spline has the same value and derivatives one turn later, and at its ends; its error is
 * that of a spline: below (2 pi / n)^(k + 1) for a sine. */
static void check_periodic(ritti_arena *arena) {
  enum { N = 24 };
  const double pi = 3.14159265358979323846;
  for (int k = 1; k <= 7; k += 2) {
    ritti_table t;
    for (int i = 0; i <= N; i++) {
      X[i] = 1 + 2 * pi * i / N;
      Y[i] = i == N ? sin(1) : sin(X[i]);
    }
    CHECK(ritti_table_make(X, Y, N + 1, k, RITTI_OUTSIDE_PERIODIC, arena, &t) == RITT_OK);
    CHECK(t.pieces == N);
    double error = 0, bound = pow(2 * pi / N, k + 1);
    for (double u = -20; u < 30; u += 0.037)
      error = fmax(error, fabs(at(&t, 0, RITTI_TABLE_ANY, u) - sin(u)));
    CHECK(error < bound);
    for (int order = 0; order < k; order++) {
      double before, behind;
      RITTI_TABLE_PIECE(double, &t, N - 1, order, X[N], before);
      RITTI_TABLE_PIECE(double, &t, 0, order, X[0], behind);
      CHECK_NEAR(before, behind, 1e-10 * pow(N, order));
    }
    /* every end of a piece is a knot, turn after turn, and pieces alternate */
    for (int i = -30; i < 30; i++) {
      double u = 1 + 2 * pi * i / N, k_ = at(&t, RITTI_TABLE_KNOT, RITTI_TABLE_ANY, u + 1e-3);
      CHECK(k_ > i && k_ < i + 0.1);
      int parity = i % 2 ? RITTI_TABLE_ODD : RITTI_TABLE_EVEN;
      CHECK_NEAR(at(&t, 0, parity, u + 1e-3), at(&t, 0, RITTI_TABLE_ANY, u + 1e-3), 1e-12);
      CHECK_NEAR(at(&t, 0, parity, u - 1e-3), sin(u - 1e-3), bound);
    }
  }
}

/* Beyond the ends: the tangents there. */
static void check_tangents(ritti_arena *arena) {
  ritti_table t;
  for (int i = 0; i < 6; i++) {
    X[i] = i;
    Y[i] = i * i * i;
  }
  CHECK(ritti_table_make(X, Y, 6, 3, RITTI_OUTSIDE_TANGENTS, arena, &t) == RITT_OK);
  CHECK_NEAR(at(&t, 0, RITTI_TABLE_ANY, 2.5), 2.5 * 2.5 * 2.5, 1e-13);
  CHECK_NEAR(at(&t, 0, RITTI_TABLE_ANY, 7), 125 + 75 * 2, 1e-11);
  CHECK_NEAR(at(&t, 1, RITTI_TABLE_ANY, 7e6), 75, 1e-11);
  CHECK_NEAR(at(&t, 0, RITTI_TABLE_ANY, -1e6), 0, 1e-6);
  CHECK_NEAR(at(&t, 2, RITTI_TABLE_ANY, -3), 0, 1e-11);
  /* the ends are knots now, and the number of the knot moves on behind them */
  double last = at(&t, RITTI_TABLE_KNOT, RITTI_TABLE_ANY, 5);
  CHECK(last == floor(last) && at(&t, RITTI_TABLE_KNOT, RITTI_TABLE_ANY, 5.1) > last + 0.01);
  CHECK(at(&t, RITTI_TABLE_KNOT, RITTI_TABLE_ANY, 0) == 1 &&
        at(&t, RITTI_TABLE_KNOT, RITTI_TABLE_ANY, -0.1) < 0.99);
}

int main(void) {
  ritti_arena *arena = ritti_arena_new();
  check_polynomials(arena);
  check_orders(arena);
  check_smooth(arena);
  check_pieces(arena);
  check_periodic(arena);
  check_tangents(arena);
  ritti_arena_free(arena);
  return CHECKS_DONE();
}
