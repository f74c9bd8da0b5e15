/* Quadruple precision: for decisions (is this zero, what is this rank) where doubles leave a doubt,
 * and for runs. */
#ifndef RITTI_QUAD_H
#define RITTI_QUAD_H

#define RITTI_QUAD_FUNCTIONS(X)                                                                    \
  X(sqrt)                                                                                          \
  X(exp)                                                                                           \
  X(log)                                                                                           \
  X(sin)                                                                                           \
  X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(fabs) X(floor) X(ceil) X(log2)
#define RITTI_QUAD_FUNCTIONS_2(X) X(pow) X(atan2) X(hypot) X(fmax) X(fmin)

#if RITTI_HAS_QUAD
__extension__ typedef __float128 ritti_quad;
#define RITTI_QUAD_EPS 0x1p-112

/* libquadmath, declared here because not every compiler finds its header */
#define X(f) ritti_quad f##q(ritti_quad);
RITTI_QUAD_FUNCTIONS(X)
#undef X
#define X(f) ritti_quad f##q(ritti_quad, ritti_quad);
RITTI_QUAD_FUNCTIONS_2(X)
#undef X
ritti_quad scalbnq(ritti_quad, int);
int ilogbq(ritti_quad);
ritti_quad ldexpq(ritti_quad, int);
ritti_quad frexpq(ritti_quad, int *);

#else /* the widest type of the compiler decides */
#include <float.h>
#include <math.h>
typedef long double ritti_quad;
#define RITTI_QUAD_EPS ((double)LDBL_EPSILON)

#define X(f)                                                                                       \
  static inline ritti_quad f##q(ritti_quad a) { return f##l(a); }
RITTI_QUAD_FUNCTIONS(X)
#undef X
#define X(f)                                                                                       \
  static inline ritti_quad f##q(ritti_quad a, ritti_quad b) { return f##l(a, b); }
RITTI_QUAD_FUNCTIONS_2(X)
#undef X
static inline ritti_quad scalbnq(ritti_quad a, int n) { return scalbnl(a, n); }
static inline int ilogbq(ritti_quad a) { return ilogbl(a); }
static inline ritti_quad ldexpq(ritti_quad a, int n) { return ldexpl(a, n); }
static inline ritti_quad frexpq(ritti_quad a, int *n) { return frexpl(a, n); }
#endif

#endif
