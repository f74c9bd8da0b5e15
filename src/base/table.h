/* Tables: functions given by points, as piecewise polynomials. They belong to the numeric code: an
 * emitted solver contains them, too. A code selects the table, the derivative, and optionally every
 * second piece only, so that an operation with two operands can carry all three. Between two knots
 * a run uses the polynomial of its piece and continues with it beyond the knots. To do this, it
 * selects the pieces of one parity, of which the closest one is used. */
#ifndef RITTI_TABLE_H
#define RITTI_TABLE_H

#include "base/base.h"

/* The fields of a code. */
enum {
  RITTI_TABLE_ORDERS = 64, /* the number of orders; those below RITTI_TABLE_SLOPE are derivatives */
  RITTI_TABLE_SLOPE = 62,  /* the derivative of the knot number */
  /* the number of the knot: whole at the knots, except at the ends, with fractions in between */
  RITTI_TABLE_KNOT = 63,
  RITTI_TABLE_BEYOND = 32, /* added to a derivative: the pieces at the ends continue beyond them */
  RITTI_TABLE_ANY = 0,     /* parities of pieces */
  RITTI_TABLE_EVEN = 1,
  RITTI_TABLE_ODD = 2
};

typedef struct ritti_table {
  const char *name;
  int degree;
  size_t pieces;
  double period;      /* last knot - first knot if the table repeats itself, else 0 */
  const double *knot; /* pieces + 1, ascending */
  /* for each piece: degree + 1 coefficients of the powers of u - base[i], the constant first */
  const double *base, *coefficient;
  ritti_place place; /* where it is defined */
  int knots_of;      /* the number of a table that has the same knots, or its own */
} ritti_table;

/* Packs and unpacks a code. */
static inline double ritti_table_code(int table, int order, int parity) {
  return ((double)table * RITTI_TABLE_ORDERS + order) * 4 + parity;
}
static inline int ritti_table_of_code(double code) {
  return (int)(code / (4 * RITTI_TABLE_ORDERS));
}
static inline int ritti_table_raw_order(double code) {
  return (int)((int64_t)code / 4 % RITTI_TABLE_ORDERS);
}
static inline bool ritti_table_beyond(double code) {
  int raw = ritti_table_raw_order(code);
  return raw >= RITTI_TABLE_BEYOND && raw < RITTI_TABLE_SLOPE;
}
static inline int ritti_table_order(double code) {
  return ritti_table_raw_order(code) - (ritti_table_beyond(code) ? RITTI_TABLE_BEYOND : 0);
}
static inline int ritti_table_parity(double code) { return (int)((int64_t)code % 4); }

/* The value for a code. It is NaN outside the knots (beyond rounding), except for the knot number, for
 * codes with RITTI_TABLE_BEYOND and for tables with a period. */
ritt_real ritti_table_value(const ritti_table *const *tables, ritt_real code, ritt_real u);

/* The piece that contains u, or the closest one of a parity; u - *shift lies in it, or next to it. *turn
 * is the number of periods before it. */
size_t ritti_table_locate(const ritti_table *table, int parity, double u, double *turn,
                          double *shift);
/* Is u between the first and the last knot, up to rounding, or is the table periodic? */
bool ritti_table_has(const ritti_table *table, double u);

/* Computes a derivative of the polynomial of a piece, in any type of real. */
#define RITTI_TABLE_PIECE(real, table, piece, order, u, out)                                       \
  do {                                                                                             \
    const double *c_ = (table)->coefficient + (piece) * ((size_t)(table)->degree + 1);             \
    real s_ = (u) - (real)(table)->base[piece], sum_ = 0;                                          \
    for (int j_ = (table)->degree; j_ >= (order); j_--) {                                          \
      real factor_ = 1;                                                                            \
      for (int k_ = 0; k_ < (order); k_++) factor_ *= (real)(j_ - k_);                             \
      sum_ = sum_ * s_ + factor_ * (real)c_[j_];                                                   \
    }                                                                                              \
    (out) = sum_;                                                                                  \
  } while (0)

/* What a table is outside its points: nothing, the same again, or its tangents at the ends. */
typedef enum ritti_outside {
  RITTI_OUTSIDE_NOTHING,
  RITTI_OUTSIDE_PERIODIC,
  RITTI_OUTSIDE_TANGENTS
} ritti_outside;

/* Makes the spline of odd degree through points with ascending x. All its derivatives below the
 * degree are continuous. So is the next one at the (degree - 1)/2 points closest to each end, which
 * are not knots ("not a knot"). It needs at least degree + 1 points and lives in the arena. A periodic
 * spline has all points as knots, and at its ends the same value and derivatives; the last point must
 * have the value of the first. */
ritt_status ritti_table_make(const double *x, const double *y, size_t count, int degree,
                             ritti_outside outside, ritti_arena *arena, ritti_table *out) RITT_USE;

#endif
