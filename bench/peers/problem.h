/* A problem as a user of another solver writes it: index reduced by hand, functions and Jacobians
 * in C. Mechanics is written once (terms) and put together here to an ordinary system, to the
 * stabilised index-2 form of Gear, Gupta and Leimkuhler, and to a projection. */
#ifndef RITT_BENCH_PROBLEM_H
#define RITT_BENCH_PROBLEM_H

enum { PEER_MOST = 400 }; /* unknowns of any form */

typedef struct peer_problem {
  const char *name, *model; /* the model for Ritt; NULL: there is none */
  double end;
  int compared; /* this many of the first values count for the error (positions in mechanics) */
  const char *columns; /* their names in the model; NULL: they are its first coordinates */
  const double *exact;
  int relative; /* not 0: errors are relative, else over 1 + |value| */

  /* the ordinary system y' = rhs(t, y); its Jacobian by columns, NULL: by differences */
  int n;
  const double *start;
  void (*rhs)(double t, const double *y, double *out);
  void (*jacobian)(double t, const double *y, double *out);
  /* what should stay 0: constraints on positions, or invariants less their start values */
  int rows;
  void (*constraints)(double t, const double *y, double *out);
  void (*project)(double t, double *y); /* NULL: there is nothing to project on */

  /* F(t, w, w') = 0 for IDA; the first `differential` of w are y, the others algebraic */
  int dae;
  int differential;
  void (*dae_start)(double *w, double *derivative);
  void (*residual)(double t, const double *w, const double *derivative, double *out);
  /* dF/dw + c dF/dw', by columns; NULL: by differences */
  void (*dae_jacobian)(double t, double c, const double *w, const double *derivative, double *out);
  double absolute; /* the absolute tolerance over the relative one; 0: 1 */
} peer_problem;

extern const peer_problem peer_henon_heiles, peer_kepler, peer_pendulum, peer_andrews,
    peer_car_axis;
extern const peer_problem peer_hires, peer_van_der_pol, peer_oregonator, peer_robertson,
    peer_chemical_akzo, peer_transistor_amplifier, peer_ring_modulator, peer_pollution, peer_e5,
    peer_pleiades, peer_fekete, peer_slider_crank, peer_slider_crank_2;
/* End values that are computed, not known; call it first. */
void peer_prepare(void);
void peer_prepare_fekete(void);

/* ---- mechanics: M v' + G^T lambda = f, g(t, q) = 0 ---- */

enum { MECHANICS_MOST = 13 }; /* positions and constraints */

/* All at (t, q, v): mass n x n, force n, g and its derivative by t m, G m x n, and what G v' must
 * be, m. */
typedef struct mechanics_terms {
  double mass[64], force[8], g[8], by_time[8], G[64], second[8];
} mechanics_terms;
typedef struct mechanics {
  int n, m;
  void (*terms)(double t, const double *q, const double *v, mechanics_terms *out);
} mechanics;

/* y = (q, v); a and lambda by L D L^T without exchanges, masses first */
void mechanics_rhs(const mechanics *s, double t, const double *y, double *out, double *lambda);
/* w = (q, v, lambda, mu): q' = v - G^T mu */
void mechanics_residual(const mechanics *s, double t, const double *w, const double *derivative,
                        double *out);
void mechanics_dae_start(const mechanics *s, const double *y, double *w, double *derivative);
/* q, and then v, onto their constraints */
void mechanics_project(const mechanics *s, double t, double *y);

/* A x = b for symmetric A without exchanges, in place, by rows (lower triangle used); n at most
 * MECHANICS_MOST. */
static inline __attribute__((always_inline)) void solve_symmetric(int n, double *A, double *b) {
  for (int j = 0; j < n; j++) {
    double inverse = 1 / A[j * n + j];
    for (int i = j + 1; i < n; i++) {
      double l = A[i * n + j] * inverse;
      for (int k = j + 1; k <= i; k++) A[i * n + k] -= l * A[k * n + j];
    }
    for (int i = j + 1; i < n; i++) A[i * n + j] *= inverse;
    A[j * n + j] = inverse;
  }
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++) b[i] -= A[i * n + j] * b[j];
  for (int j = 0; j < n; j++) b[j] *= A[j * n + j];
  for (int j = n - 1; j >= 0; j--)
    for (int i = j + 1; i < n; i++) b[j] -= A[i * n + j] * b[i];
}

#endif
