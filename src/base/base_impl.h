/* Private to src/base. */
#ifndef RITTI_BASE_IMPL_H
#define RITTI_BASE_IMPL_H

#include "base.h"

/* decimal.c: the number 0.d0 d1 d2 ... * 10^point, without zeros at either end; count 0 is zero. */
typedef struct ritti_decimal {
  int count, point;
  unsigned char digit[810];
} ritti_decimal;

/* All digits of |value|. */
void ritti_decimal_of(double value, ritti_decimal *out);
/* Rounds to this number of digits, ties to even; if it is <= 0, the result is 0 or a single 1. */
void ritti_decimal_round(ritti_decimal *d, int digits);

#endif
