/* Implicit methods one by one: what follows from their tableaux, and single steps against closed
 * forms.
 *
 * One step on y' = lambda y multiplies y by R(h lambda), R(z) = 1 + z b^T (I - z A)^-1 1, with the
 * closed forms of the Pade table (E. Hairer, G. Wanner, Solving ODEs II, section IV.3): RADAU IIA
 * with s stages has the (s-1, s) entry, Gauss the (s, s) entry, LOBATTO IIIA with s stages the
 * (s-1, s-1) entry.
 */
#include "check.h"
#include "step/implicit_impl.h"

/* ---- tableaux ---- */

/* A^-1 T = T Lambda, and T T^-1 = I */
static void check_transformation(const ritti_collocation *C) {
  int n = C->s;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      ritt_real left = 0, right = 0, one = 0;
      int pair = C->reals + (k - C->reals) / 2 * 2;
      for (int j = 0; j < n; j++) {
        left += C->inverse[i * n + j] * C->T[j * n + k];
        one += C->T[i * n + j] * C->T_inverse[j * n + k];
      }
      if (k < C->reals) right = C->gamma[k] * C->T[i * n + k];
      else if (k == pair)
        right = C->gamma[k] * C->T[i * n + k] - C->gamma[k + 1] * C->T[i * n + k + 1];
      else right = C->gamma[k] * C->T[i * n + k - 1] + C->gamma[k - 1] * C->T[i * n + k];
      CHECK_NEAR(left, right, 1e-13);
      CHECK_NEAR(one, i == k, 1e-13);
    }
}

/* What rounding may do to P_j(u), 0 <= u <= 1: the terms, whose coefficients come from a product of
 * one factor for each node. */
static double rounding_of(const ritti_integrals *P, int j) {
  double size = 0;
  for (int q = 0; q < P->nodes; q++) size += fabs((double)P->power[j * P->nodes + q]);
  return 2 * P->nodes * (double)RITTI_EPS * size;
}

/* The dense output has the end of the method, and its own nodes are those of the stages: P_j(c_i) =
 * a_ij. */
static void check_polynomials(const ritti_collocation *C) {
  int skip = C->first;
  for (int i = 0; i < C->s; i++)
    for (int j = 0; j < C->s; j++)
      CHECK_NEAR(ritti_integral_at(&C->own, j + skip, C->c[i]), C->a[i * C->s + j],
                 rounding_of(&C->own, j + skip));
  for (int j = 0; C->dense.nodes && j < C->s; j++) {
    int at = j + (C->dense.at[0] == 0);
    CHECK_NEAR(ritti_integral_at(&C->dense, at, 1), C->b[j], rounding_of(&C->dense, at));
  }
}

/* ---- y' = lambda (y - t^3) + 3 t^2, u' = -u, as a hand-written problem ---- */

typedef struct decay {
  ritt_real lambda;
  bool forced;
} decay;

static ritt_status formula(const void *data, ritt_real *work, const ritt_real *z, ritt_real *top) {
  const decay *d = data;
  ritt_real g = d->forced ? z[0] * z[0] * z[0] : 0, dg = d->forced ? 3 * z[0] * z[0] : 0;
  (void)work;
  top[0] = d->lambda * (z[1] - g) + dg;
  top[1] = -z[2];
  return RITT_OK;
}

static ritt_status system_dz(const void *data, ritt_real *work, const ritt_real *z,
                             const ritt_real *top, ritt_real *dr) {
  const decay *d = data;
  (void)work, (void)top;
  dr[0] = d->forced ? -3 * d->lambda * z[0] * z[0] + 6 * z[0] : 0;
  dr[1] = d->lambda;
  dr[2] = -1;
  return RITT_OK;
}

static ritti_problem problem_of(const decay *d, bool derivatives) {
  static const int next[] = {0, -1, -2}, start[] = {0, 2, 3}, col[] = {0, 1, 2}, none[] = {0};
  ritti_problem p = {
      .kind = RITT_EXPLICIT, .m = 3, .tops = 2, .next = next, .data = d, .call.formula = formula};
  p.df = p.A = p.d2f = (ritti_pattern){.start = none, .col = none};
  if (derivatives) p.dr = (ritti_pattern){2, 3, start, col}, p.call.system_dz = system_dz;
  return p;
}

static long iterations; /* of Newton's method in the last step */

/* One step of length h from (0, 1, 1). */
static ritt_status one_step(const ritti_tableau *t, const ritti_problem *p, ritt_real h,
                            ritt_real *z) {
  ritti_arena *arena = ritti_arena_new();
  ritti_manifold M;
  ritti_direction D;
  ritti_stepper step;
  ritt_real work[1], start[] = {0, 1, 1};
  ritt_status status = ritti_manifold_init(&M, p, work, arena);
  if (status == RITT_OK) status = ritti_direction_init(&D, p, work, arena);
  if (status == RITT_OK) status = ritti_stepper_init(&step, t, &M, &D, arena);
  if (status == RITT_OK) {
    step.keep_x = true;
    status = ritti_stepper_ready(&step);
  }
  if (status == RITT_OK) status = ritti_stepper_place(&step, start);
  if (status == RITT_OK) status = ritti_stepper_take(&step, h, h);
  if (status == RITT_OK) memcpy(z, step.z_new, 3 * sizeof *z);
  if (status == RITT_OK) iterations = step.counts.iterations;
  ritti_arena_free(arena);
  return status;
}

/* The (j, k) entry of the Pade table of exp at z. */
static double pade(int j, int k, double z) {
  double P = 1, Q = 1, p = 1, q = 1;
  for (int i = 1; i <= j; i++) P += p *= z * (j - i + 1) / ((j + k - i + 1) * i);
  for (int i = 1; i <= k; i++) Q += q *= -z * (k - i + 1) / ((j + k - i + 1) * i);
  return P / Q;
}

static const struct {
  const char *name;
  int numerator, denominator;
} stability[] = {{"implicit_euler", 0, 1}, {"implicit_euler1", 0, 1}, {"radau3", 1, 2},
                 {"radau5", 2, 3},         {"radau9", 4, 5},          {"radau13", 6, 7},
                 {"midpoint", 1, 1},       {"gauss2", 1, 1},          {"gauss4", 2, 2},
                 {"gauss6", 3, 3},         {"lobatto3a", 2, 2},       {"radau1", 2, 1}};

static void check_stability(void) {
  static const double products[] = {-1e-3, -0.5, -3, -40, -1e4, -1e10, 0.25};
  for (size_t i = 0; i < sizeof stability / sizeof *stability; i++) {
    const ritti_tableau *t = ritti_method_find(stability[i].name);
    for (size_t k = 0; k < sizeof products / sizeof *products; k++)
      for (int derivatives = 0; derivatives < 2; derivatives++) {
        ritt_real h = 0.125, z[3] = {0};
        decay d = {.lambda = products[k] / h};
        ritti_problem p = problem_of(&d, derivatives);
        double R = pade(stability[i].numerator, stability[i].denominator, products[k]);
        CHECK(one_step(t, &p, h, z) == RITT_OK);
        CHECK_NEAR(z[1], R, 1e-12 * fmax(1, fabs(R)));
        /* for a linear problem the first iteration is the last: the others see rounding */
        CHECK(!derivatives || iterations <= 4);
        CHECK_NEAR(z[2], pade(stability[i].numerator, stability[i].denominator, -h), 1e-14);
      }
  }
}

/* Polynomials of a degree up to the number of stages are exact, however stiff the problem is:
 * collocation. Prothero and Robinson's problem with t^3. */
static void check_exact(void) {
  static const char *const exact[] = {"radau5", "radau9", "gauss6", "lobatto3a"};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 5; k++) {
      decay d = {.lambda = -pow(100, k), .forced = true};
      ritti_problem p = problem_of(&d, true);
      ritt_real z[3] = {0}, h = 0.5;
      /* from 1, not from 0: the difference decays by R */
      CHECK(one_step(ritti_method_find(exact[i]), &p, h, z) == RITT_OK);
      for (size_t q = 0; q < sizeof stability / sizeof *stability; q++)
        if (!strcmp(stability[q].name, exact[i]))
          CHECK_NEAR(z[1],
                     0.125 + pade(stability[q].numerator, stability[q].denominator, h * d.lambda),
                     1e-12);
    }
}

int main(void) {
  for (size_t i = 0; ritti_method_get(i); i++) {
    const ritti_tableau *t = ritti_method_get(i);
    ritti_collocation C;
    if (t->family != RITTI_IMPLICIT) continue;
    CHECK(ritti_collocation_make(t, &C));
    CHECK(C.s == t->embedded && C.reals + 2 * C.pairs == C.s && C.gamma0 > 0);
    check_transformation(&C);
    check_polynomials(&C);
  }
  /* coinciding eigenvalues are refused, and so is a singular block */
  ritt_real a[] = {0.25, 0, 0.5, 0.25}, b[] = {0.5, 0.5}, c[] = {0.25, 0.75},
            zero[4] = {1, 1, 1, 1};
  ritti_tableau diagonal = {.family = RITTI_IMPLICIT, .stages = 2, .a = a, .b = b, .c = c};
  ritti_collocation C;
  CHECK(!ritti_collocation_make(&diagonal, &C));
  diagonal.a = zero;
  CHECK(!ritti_collocation_make(&diagonal, &C));
  check_stability();
  check_exact();
  return CHECKS_DONE();
}
