/* Newton's methods for the stages of the stiff spring pendulum (section 8 of the paper on strong
 * potentials), one step from (theta, theta') = (1, 0.3) on the smooth manifold, in quadruple
 * precision.
 *
 * Lemma 8.1: with J0 and J1 the derivative Phi' of the iteration has norm < 1 up to h = c
 * eps^(2/3), c eps^(1/2). Lemma 8.2: (8.6) alone is off by a multiple of eps^2; its inner iteration
 * contracts as well for every eps. Numbers with a source are those of another program (shared
 * truth, section 4: mpmath).
 */
#include "step/strong_impl.h"
#include "strong.h"

/* One step, taken apart. */
typedef struct bench {
  pendulum data;
  ritti_problem problem;
  ritti_arena *arena;
  ritti_manifold manifold;
  ritti_direction direction;
  ritti_stepper step;
  ritti_collocation C;
  ritti_strong_stages T;
  ritti_strong_plain plain;
  ritt_real work[1];
} bench;

static bool set_up(bench *B, const char *method, ritt_real eps, ritt_real h) {
  ritt_real z[5];
  *B = (bench){.data = {eps}, .arena = ritti_arena_new()};
  const ritti_tableau *t = ritti_method_find(method);
  B->problem = pendulum_problem(&B->data, true);
  bool good = ritti_manifold_init(&B->manifold, &B->problem, B->work, B->arena) == RITT_OK &&
              ritti_direction_init(&B->direction, &B->problem, B->work, B->arena) == RITT_OK &&
              ritti_stepper_init(&B->step, t, &B->manifold, &B->direction, B->arena) == RITT_OK &&
              ritti_stepper_ready(&B->step) == RITT_OK && ritti_collocation_make(t, &B->C) &&
              ritti_strong_stages_init(&B->T, &B->problem, &B->C, RITTI_ALGEBRA_AUTO, B->arena) ==
                  RITT_OK &&
              ritti_strong_plain_init(&B->plain, &B->T, B->arena) == RITT_OK;
  CHECK(good);
  smooth_motion(eps, 0, z);
  memcpy(B->step.z, z, sizeof z);
  memcpy(B->T.start.z, z, sizeof z);
  B->T.eps = eps, B->T.h = h;
  good = good && ritti_strong_visit(&B->T, &B->step, &B->T.start) == RITT_OK &&
         ritti_strong_look(&B->T, &B->step, NULL) && ritti_strong_factor(&B->T);
  CHECK(good && B->T.column[0] == 0);
  return good;
}

static double change_of(const bench *B) {
  ritt_real sum = 0;
  for (int i = 0; i < B->T.s * B->T.n; i++) sum += B->T.dW[i] * B->T.dW[i];
  return (double)RITTI_MATH(sqrt)(sum);
}

/* (8.6) with r as it is, from where the stages are; the rate of the changes while they are above
 * rounding. -1: it does not converge. */
static double solve_inner(bench *B, bool refresh) {
  double before = 0, rate = 0, first = 0;
  for (int k = 0; k < 80; k++) {
    bool ripe;
    if (ritti_strong_residual(&B->T, &B->step, refresh && k == 0, &ripe) != RITT_OK) return -1;
    ritti_strong_solve(&B->T);
    double change = change_of(B);
    if (!(change < 1e6)) return -1;
    for (int i = 0; i < B->T.s * B->T.n; i++) B->T.W[i] += B->T.dW[i];
    for (int i = 0; i < B->T.s * B->T.m; i++) B->T.L[i] += B->T.dL[i];
    if (k == 0) first = change;
    if (change <= 1e-27 || (change < 1e-24 && change > before / 2)) return rate;
    if (k > 2 && change > 1e-24) rate = pow(change / first, 1. / k);
    before = change;
  }
  return -1;
}

/* ---- Lemma 8.1 ---- */

/* |Phi'| = |I - J^-1 F'| in the norm of Frobenius, at the stages: F' is J2 there, since M and f are
 * constant. */
static double norm_of_iteration(const char *method, ritti_strong_newton newton, ritt_real eps,
                                ritt_real h) {
  bench B;
  ritt_real exact[36], column[6], sum = 0;
  int size = 0, pivot[6];
  if (set_up(&B, method, eps, h)) {
    size = B.T.s * B.T.n;
    CHECK(solve_inner(&B, false) >= 0 && solve_inner(&B, true) >= 0 && solve_inner(&B, true) >= 0);
    CHECK(ritti_strong_plain_matrix(&B.plain, &B.T, &B.step, RITTI_NEWTON_J2) == RITT_OK);
    memcpy(exact, B.plain.J, (size_t)(size * size) * sizeof *exact);
    CHECK(ritti_strong_plain_matrix(&B.plain, &B.T, &B.step, newton) == RITT_OK);
    CHECK(ritti_lu_factor(size, B.plain.J, pivot, NULL));
  }
  for (int j = 0; j < size; j++) {
    for (int i = 0; i < size; i++) column[i] = exact[i * size + j];
    ritti_lu_solve(size, B.plain.J, pivot, column);
    for (int i = 0; i < size; i++) sum += ((i == j) - column[i]) * ((i == j) - column[i]);
  }
  ritti_arena_free(B.arena);
  return (double)RITTI_MATH(sqrt)(sum);
}

/* where it is 1 */
static double largest_step(const char *method, ritti_strong_newton newton, ritt_real eps) {
  double low = 1e-5, high = 0.5;
  for (int i = 0; i < 18; i++) {
    double middle = sqrt(low * high);
    if (norm_of_iteration(method, newton, eps, (ritt_real)middle) < 1) low = middle;
    else high = middle;
  }
  return sqrt(low * high);
}

/* printed: the last step of a grid with factor 1.05 that is below */
static void check_restriction(const char *method, ritti_strong_newton newton, double power,
                              const double *printed) {
  double h[3];
  for (int k = 0; k < 3; k++) {
    ritt_real eps = 1 / (ritt_real)1000;
    for (int i = 0; i < k; i++) eps /= 10;
    h[k] = largest_step(method, newton, eps);
    CHECK(h[k] > printed[k] * 0.999 && h[k] < printed[k] * 1.051);
  }
  double fitted = log(h[0] / h[2]) / log(100);
  CHECK_NEAR(fitted, power, 0.08);
  if (getenv("RITT_SHOW"))
    printf("| %s | J%d | %.3e | %.3e | %.3e | %.3f |\n", method, newton == RITTI_NEWTON_J0 ? 0 : 1,
           h[0], h[1], h[2], fitted);
}

/* ---- Lemma 8.2 ---- */

static void check_outer(const char *method, const double *h, const double *printed) {
  for (int k = 0; k < 3; k++) {
    bench B;
    ritt_real eps = 1 / (ritt_real)1000, W[4][6];
    if (set_up(&B, method, eps, (ritt_real)(int)(h[k] * 100 + 0.5) / 100)) {
      size_t size = (size_t)(B.T.s * B.T.n) * sizeof **W;
      for (int outer = 0; outer < 4; outer++) {
        for (int again = 0; again < (outer == 3 ? 4 : 1); again++)
          CHECK(solve_inner(&B, outer > 0) >= 0);
        memcpy(W[outer], B.T.W, size);
      }
      for (int outer = 0; outer < 3; outer++) {
        ritt_real sum = 0;
        for (int i = 0; i < B.T.s * B.T.n; i++)
          sum += (W[outer][i] - W[3][i]) * (W[outer][i] - W[3][i]);
        double error = (double)RITTI_MATH(sqrt)(sum);
        CHECK_NEAR(error, printed[3 * k + outer], 5.1e-3 * printed[3 * k + outer]);
        if (getenv("RITT_SHOW")) printf("%s h %g outer %d: %.3e\n", method, h[k], outer, error);
      }
    }
    ritti_arena_free(B.arena);
  }
}

/* From zero, for every h and eps: it converges, at a rate that does not depend on eps. */
static void check_rates(const char *method) {
  static const double steps[] = {0.05, 0.1, 0.2, 0.5, 1};
  for (int k = 0; k < 5; k++) {
    double rate[4];
    for (int e = 0; e < 4; e++) {
      bench B;
      ritt_real eps = 1 / (ritt_real)1000;
      for (int i = 0; i < e; i++) eps /= 10;
      rate[e] = set_up(&B, method, eps, (ritt_real)(int)(steps[k] * 100 + 0.5) / 100)
                    ? solve_inner(&B, false)
                    : -1;
      CHECK(rate[e] > 0 && rate[e] < 0.8);
      CHECK_NEAR(rate[e], rate[0], 0.05 * rate[0]);
      ritti_arena_free(B.arena);
    }
    if (getenv("RITT_SHOW"))
      printf("| %s | %g | %.2e | %.2e | %.2e | %.2e |\n", method, steps[k], rate[0], rate[1],
             rate[2], rate[3]);
  }
}

int main(void) {
  static const double J0_2[] = {1.862e-2, 3.908e-3, 8.612e-4},
                      J1_2[] = {4.481e-2, 1.459e-2, 4.524e-3};
  static const double J0_3[] = {2.053e-2, 4.309e-3, 9.494e-4},
                      J1_3[] = {4.941e-2, 1.532e-2, 4.988e-3};
  check_restriction("radau2a2", RITTI_NEWTON_J0, 2 / 3., J0_2);
  check_restriction("radau2a2", RITTI_NEWTON_J1, 1 / 2., J1_2);
  check_restriction("radau2a3", RITTI_NEWTON_J0, 2 / 3., J0_3);
  check_restriction("radau2a3", RITTI_NEWTON_J1, 1 / 2., J1_3);
  static const double h[] = {0.05, 0.1, 0.2};
  static const double outer_2[] = {3.35e-7,  1.61e-13, 7.76e-20, 3.13e-7, 1.41e-13,
                                   6.33e-20, 2.78e-7,  1.13e-13, 4.61e-20};
  static const double outer_3[] = {4.05e-7,  1.91e-13, 9.07e-20, 3.75e-7, 1.66e-13,
                                   7.51e-20, 3.30e-7,  1.36e-13, 5.81e-20};
  check_outer("radau2a2", h, outer_2);
  check_outer("radau2a3", h, outer_3);
  check_rates("radau2a2");
  check_rates("radau2a3");
  return CHECKS_DONE();
}
