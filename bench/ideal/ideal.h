/* Programs as one would write them by hand for one problem each: Dormand and Prince's method of
 * order 5(4), every constant known to the compiler, the points projected orthogonally by
 * Gauss-Newton iterations in closed form. They have no other purpose than to say how fast a solver
 * could be. */
#ifndef RITT_BENCH_IDEAL_H
#define RITT_BENCH_IDEAL_H

typedef enum ideal_project { IDEAL_NONE, IDEAL_END, IDEAL_STAGES } ideal_project;

typedef struct ideal_counts {
  long accepted, rejected, projections, iterations;
  double residual; /* at the end */
} ideal_counts;

/* From y (4) at 0 to `end`; the tolerance is absolute, `stop` ends the iterations of a projection.
 */
ideal_counts ideal_henon_heiles(double *y, double end, double tolerance, double stop,
                                ideal_project project);
ideal_counts ideal_pendulum(double *y, double end, double tolerance, double stop,
                            ideal_project project);
/* A chain of n unit masses on rods of length 1 under gravity 1. y: all x, all y, all x', all y' (4
 * n). `blocks`: (q, v) are projected together by a block tridiagonal matrix, else q and then v. */
ideal_counts ideal_chain(int n, double *y, double end, double tolerance, double stop,
                         ideal_project project, int blocks);
/* The start of the chain: curved, with relative velocities that differ from rod to rod. */
void ideal_chain_start(int n, double *y);

/* ---- the method ---- */

/* J. R. Dormand, P. J. Prince (1980); e = b - (weights of the companion) */
#define IDEAL_A2 (1. / 5)
#define IDEAL_A3 (3. / 40), (9. / 40)
#define IDEAL_A4 (44. / 45), (-56. / 15), (32. / 9)
#define IDEAL_A5 (19372. / 6561), (-25360. / 2187), (64448. / 6561), (-212. / 729)
#define IDEAL_A6 (9017. / 3168), (-355. / 33), (46732. / 5247), (49. / 176), (-5103. / 18656)
#define IDEAL_B  (35. / 384), (500. / 1113), (125. / 192), (-2187. / 6784), (11. / 84)
#define IDEAL_E                                                                                    \
  (71. / 57600), (-71. / 16695), (71. / 1920), (-17253. / 339200), (22. / 525), (-1. / 40)

/* About e^(-1/10), to some percent: the exponent and the leading bits of a double are its
 * logarithm. */
static inline double ideal_power(double e) {
  union {
    double value;
    long bits;
  } u = {e + 1e-30};
  u.bits = (long)(4607182418800017408. * 1.1 - .1 * (double)u.bits);
  return u.value;
}
/* The next step over the last, from the square of the error over the tolerance. */
static inline double ideal_factor(double error) {
  double factor = .9 * ideal_power(error);
  factor = factor < .2 ? .2 : factor > 5 ? 5 : factor;
  return error > 1 && factor > 1 ? 1 : factor;
}

/* Four numbers in one register, and the step for a system of that size: `field(z)` after
 * `project(&z)`. */
typedef double ideal_4 __attribute__((vector_size(32)));
static inline double ideal_dot(ideal_4 a, ideal_4 b) {
  ideal_4 c = a * b;
  return (c[0] + c[1]) + (c[2] + c[3]);
}

#endif
