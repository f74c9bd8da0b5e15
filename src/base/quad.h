/* Quadruple precision: for decisions that doubles leave open (is this zero, what is this rank), and
 * for runs. */
#ifndef RITTI_QUAD_H
#define RITTI_QUAD_H

/* Functions of the mathematical library that are used besides those of base/functions.def. */
#define RITTI_QUAD_FUNCTIONS(X)   X(sqrt) X(fabs) X(floor) X(ceil) X(round)
#define RITTI_QUAD_FUNCTIONS_2(X) X(pow) X(fmax) X(fmin)

#if RITTI_HAS_QUAD
__extension__ typedef __float128 ritti_quad;
#define RITTI_QUAD_EPS 0x1p-112

/* libquadmath, declared here because some compilers do not find its header */
#define ONE_ARGUMENT(f)  ritti_quad f##q(ritti_quad);
#define TWO_ARGUMENTS(f) ritti_quad f##q(ritti_quad, ritti_quad);
ritti_quad scalbnq(ritti_quad, int);
int ilogbq(ritti_quad);
ritti_quad ldexpq(ritti_quad, int);
ritti_quad frexpq(ritti_quad, int *);

#else /* without quadruple precision the widest type of the compiler is used */
#include <float.h>
#include <math.h>
typedef long double ritti_quad;
#define RITTI_QUAD_EPS ((double)LDBL_EPSILON)

#define ONE_ARGUMENT(f)                                                                            \
  static inline ritti_quad f##q(ritti_quad a) { return f##l(a); }
#define TWO_ARGUMENTS(f)                                                                           \
  static inline ritti_quad f##q(ritti_quad a, ritti_quad b) { return f##l(a, b); }
static inline ritti_quad scalbnq(ritti_quad a, int n) { return scalbnl(a, n); }
static inline int ilogbq(ritti_quad a) { return ilogbl(a); }
static inline ritti_quad ldexpq(ritti_quad a, int n) { return ldexpl(a, n); }
static inline ritti_quad frexpq(ritti_quad a, int *n) { return frexpl(a, n); }
#endif

#define RITTI_FUNCTION(id, name, at, is, p, r) ONE_ARGUMENT(name)
#define RITTI_FUNCTION2(id, name, pu, pv, r)   TWO_ARGUMENTS(name)
#define RITTI_SWITCH(id, text, language, value, slope)
#include "base/functions.def"
RITTI_QUAD_FUNCTIONS(ONE_ARGUMENT)
RITTI_QUAD_FUNCTIONS_2(TWO_ARGUMENTS)
#undef ONE_ARGUMENT
#undef TWO_ARGUMENTS

#endif
