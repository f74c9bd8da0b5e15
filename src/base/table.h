/* Tables: functions given by points, as piecewise polynomials. Part of the numeric tower: an
 * emitted solver has them too.
 *
 * What is asked for is a code, so that an operation with two operands can carry it: which table,
 * which derivative, and whether only every second piece is meant. Between two knots a run takes the
 * polynomial of its piece and goes on with it beyond them: the pieces of one parity, of which the
 * nearest one is taken.
 */
#ifndef RITTI_TABLE_H
#define RITTI_TABLE_H

#include "base/base.h"

enum {
  RITTI_TABLE_ORDERS = 64, /* derivatives below RITTI_TABLE_SLOPE, then */
  RITTI_TABLE_SLOPE = 62,  /* the derivative of */
  RITTI_TABLE_KNOT = 63,   /* the number of the knot, with fractions between: whole at the knots but
                              not at the ends */
  RITTI_TABLE_ANY = 0,     /* parities */
  RITTI_TABLE_EVEN = 1,
  RITTI_TABLE_ODD = 2
};

typedef struct ritti_table {
  const char *name;
  int degree;
  size_t pieces;
  const double *knot; /* pieces + 1, ascending */
  const double
      *coefficient;  /* degree + 1 for each piece: of the powers of u - knot[i], from 0 on */
  ritti_place place; /* where it is defined */
} ritti_table;

static inline double ritti_table_code(int table, int order, int parity) {
  return ((double)table * RITTI_TABLE_ORDERS + order) * 4 + parity;
}
static inline int ritti_table_of_code(double code) {
  return (int)(code / (4 * RITTI_TABLE_ORDERS));
}
static inline int ritti_table_order(double code) {
  return (int)((int64_t)code / 4 % RITTI_TABLE_ORDERS);
}
static inline int ritti_table_parity(double code) { return (int)((int64_t)code % 4); }

/* NaN outside the knots (beyond rounding), except for the knots' own numbers. */
ritt_real ritti_table_value(const ritti_table *const *tables, ritt_real code, ritt_real u);

/* The piece that u lies in, or the nearest one of a parity. */
size_t ritti_table_piece(const ritti_table *table, int parity, double u);
bool ritti_table_has(const ritti_table *table,
                     double u); /* u lies between the knots, up to rounding */

/* The derivative of some order of the polynomial of a piece, in any kind of real. */
#define RITTI_TABLE_PIECE(real, table, piece, order, u, out)                                       \
  do {                                                                                             \
    const double *c_ = (table)->coefficient + (piece) * ((size_t)(table)->degree + 1);             \
    real s_ = (u) - (real)(table)->knot[piece], sum_ = 0;                                          \
    for (int j_ = (table)->degree; j_ >= (order); j_--) {                                          \
      real factor_ = 1;                                                                            \
      for (int k_ = 0; k_ < (order); k_++) factor_ *= (real)(j_ - k_);                             \
      sum_ = sum_ * s_ + factor_ * (real)c_[j_];                                                   \
    }                                                                                              \
    (out) = sum_;                                                                                  \
  } while (0)

/* The spline of odd degree through points of ascending x: all its derivatives below the degree are
 * continuous, and so is the next one at the (degree - 1)/2 points next to each end, which are no
 * knots ("not a knot"). At least degree + 1 points. In the arena. */
ritt_status ritti_table_make(const double *x, const double *y, size_t count, int degree,
                             ritti_arena *arena, ritti_table *out) RITT_USE;

#endif
