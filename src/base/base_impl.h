/* Private to src/base. */
#ifndef RITTI_BASE_IMPL_H
#define RITTI_BASE_IMPL_H

#include "base.h"

/* decimal.c: 0.d0 d1 d2 ... * 10^point, without zeros at either end; count 0: zero */
typedef struct ritti_decimal {
  int count, point;
  unsigned char digit[810];
} ritti_decimal;

void ritti_decimal_of(double value, ritti_decimal *out); /* |value|, all its digits */
void ritti_decimal_round(ritti_decimal *d,
                         int digits); /* to so many digits, ties to even; <= 0: to none or a 1 */

#endif
