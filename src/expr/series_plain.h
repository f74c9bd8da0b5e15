/* The operations of series_body.h for numbers that C computes with; RATIONAL(q) is the number of a
 * rational, FN(sin) the function. */
#define SET(r, a)                     ((r) = (a))
#define SET_INT(r, i)                 ((r) = (i))
#define SET_DOUBLE(r, x)              ((r) = (real)(x))
#define SET_RATIONAL(r, q)            ((r) = RATIONAL(q))
#define SET_PI(r)                     ((r) = 4 * FN(atan)((real)1))
#define ADD_TO(r, a)                  ((r) += (a))
#define SET_PRODUCT(r, a, b)          ((r) = (a) * (b))
#define ADD_PRODUCT(r, a, b)          ((r) += (a) * (b))
#define SUBTRACT_PRODUCT(r, a, b)     ((r) -= (a) * (b))
#define SET_MULTIPLE(r, a, i)         ((r) = (i) * (a))
#define SET_QUOTIENT(r, a, b)         ((r) = (a) / (b))
#define SET_FRACTION(r, a, i)         ((r) = (a) / (i))
#define SET_NEGATIVE(r, a)            ((r) = -(a))
#define APPLY(f, r, a)                ((r) = FN(f)(a))
#define APPLY2(f, r, a, b)            ((r) = FN(f)((a), (b)))
#define POWER(r, a, e)                APPLY2(pow, r, a, e)
#define FIRST_ONLY(values)            false
#define SIGN_OF(a)                    ((a) > 0 ? 1 : (a) < 0 ? -1 : (int)0)
#define LESS(a, b)                    ((a) < (b))
#define IS_ABOVE(x, a)                ((x) > (a))
#define IS_NAN(a)                     ((a) != (a))
#define AS_DOUBLE(a)                  ((double)(a))
#define NEW_NUMBERS(plan, count, out) RITTI_NEW(out, (plan)->arena, count)

#include "series_body.h"

ritt_status NAME(plan_new)(const ritti_dag *dag, const ritti_expr *roots, size_t count, int terms,
                           NAME(plan) * *out) {
  return make_plan(dag, roots, count, terms, 0, out);
}
