/* A unit mass on a rod of length 1 under gravity 1, as functions of a caller: x'' + 2 lambda x = 0,
 * y'' + 2 lambda y = -1, x^2 + y^2 = 1. */
#ifndef TEST_ROD_H
#define TEST_ROD_H

#include "ritt.h"

static inline ritt_status rod_mass(void *user, const double *z, double *E) {
  (void)user, (void)z;
  E[0] = E[3] = 1, E[1] = E[2] = 0;
  return RITT_OK;
}
static inline ritt_status rod_force(void *user, const double *z, double *F) {
  (void)user, (void)z;
  F[0] = 0, F[1] = -1;
  return RITT_OK;
}
static inline ritt_status rod(void *user, const double *z, double *g) {
  (void)user;
  g[0] = z[1] * z[1] + z[2] * z[2] - 1;
  return RITT_OK;
}
static inline ritt_status d_rod(void *user, const double *z, double *dg) {
  (void)user;
  dg[0] = 0, dg[1] = 2 * z[1], dg[2] = 2 * z[2];
  return RITT_OK;
}
static inline ritt_status d2_rod(void *user, const double *z, double *d2g) {
  (void)user;
  d2g[0] = 0, d2g[1] = 2 * z[3], d2g[2] = 2 * z[4];
  return RITT_OK;
}

#endif
