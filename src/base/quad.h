/* Quadruple precision for decisions (is this zero, what is this rank) where doubles leave a doubt. */
#ifndef RITTI_QUAD_H
#define RITTI_QUAD_H

__extension__ typedef __float128 ritti_quad;
#define RITTI_QUAD_EPS 0x1p-112

/* libquadmath, declared here because not every compiler finds its header */
#define RITTI_QUAD_FUNCTIONS(X)                                                                              \
  X(sqrt) X(exp) X(log) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(fabs) X(floor)
#define X(f) ritti_quad f##q(ritti_quad);
RITTI_QUAD_FUNCTIONS(X)
#undef X
ritti_quad powq(ritti_quad, ritti_quad);
ritti_quad atan2q(ritti_quad, ritti_quad);
ritti_quad scalbnq(ritti_quad, int);

#endif
