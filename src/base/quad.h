/* Quadruple precision: for decisions (is this zero, what is this rank) where doubles leave a doubt,
 * and for runs. */
#ifndef RITTI_QUAD_H
#define RITTI_QUAD_H

__extension__ typedef __float128 ritti_quad;
#define RITTI_QUAD_EPS 0x1p-112

/* libquadmath, declared here because not every compiler finds its header */
#define RITTI_QUAD_FUNCTIONS(X)                                                                    \
  X(sqrt)                                                                                          \
  X(exp)                                                                                           \
  X(log)                                                                                           \
  X(sin)                                                                                           \
  X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(fabs) X(floor) X(ceil) X(log2)
#define X(f) ritti_quad f##q(ritti_quad);
RITTI_QUAD_FUNCTIONS(X)
#undef X
ritti_quad powq(ritti_quad, ritti_quad);
ritti_quad atan2q(ritti_quad, ritti_quad);
ritti_quad scalbnq(ritti_quad, int);
int ilogbq(ritti_quad);
ritti_quad ldexpq(ritti_quad, int);
ritti_quad frexpq(ritti_quad, int *);
ritti_quad hypotq(ritti_quad, ritti_quad);
ritti_quad fmaxq(ritti_quad, ritti_quad);
ritti_quad fminq(ritti_quad, ritti_quad);

#endif
