/* The Runge-Kutta step for M y'' = f - grad U / eps^2 in the second-order form (5.1) of Ch. Lubich,
 * Integration of stiff mechanical systems by Runge-Kutta methods (1992):
 *
 *     Y_i = y + c_i h y' + h^2 sum (A^2)_ik W_k,   Y'_i = y' + h sum a_ij W_j,
 *     y_new = y + h y' + h^2 sum (b A)_k W_k,      y'_new = y' + h sum b_j W_j,
 *
 * W the accelerations at the stages.
 *
 * In: a point, h, a tableau with (3.4), (3.5). Out: the new point, not projected: a smooth motion
 * has no constraints. eps = 0 is the constrained system in index-3 form. Stages come from
 * strong_stages.c, or for comparison from strong_newton.c; they begin at the polynomials of the
 * step before.
 *
 * The error is that of implicit.c for (y, y'), with the same block as the stages in place of the
 * derivatives of the force: (gamma0/h - J) e = d with J made of M and H. It is measured as |dy| + h
 * |dy'| (section 8; norm.c). What a start that is not smooth adds to y' across the manifold is no
 * error: the method damps it (Theorem 3.2), and `vibration` keeps how fast. It does not count while
 * it falls.
 */
#include "step/strong_impl.h"

/* the contraction that a step may have: it grows with h */
static const ritt_real GOOD = (ritt_real)0.4;

typedef struct strong {
  ritti_collocation C;
  ritti_strong_stages T;
  ritti_strong_plain plain;
  ritti_arena *arena;
  bool curve;                /* the method is one of collocation */
  ritti_stage_newton newton; /* oldW, oldL are those of the step before where it predicts */
  ritt_real *oldW, *oldL;    /* s x n, s x m */
  ritt_real *scale, *err;    /* coordinates */
  /* n: y' less the velocities of the stages taken back to the start; its part across */
  ritt_real *gap, *across;
  bool looked;    /* at the start: is it smooth? */
  ritt_real base; /* `speed` of the first step */
  int stalls;     /* steps in which vibrations did not become less */
  ritt_real speed,
      counted; /* the size of that part, in its own units and in those of the tolerance */
} strong;

/* ---- setting up ---- */

static int last(const ritti_tableau *t) { return t->stages + 1; }
static int vectors(const ritti_tableau *t) { return last(t) + 1; }

static bool is_collocation(const ritti_collocation *C) {
  for (int i = 0; i < C->s; i++)
    for (int j = 0; j < C->s; j++)
      if (!(RITTI_MATH(fabs)(ritti_integral_at(&C->own, j, C->c[i]) - C->a[i * C->s + j]) <
            (ritt_real)1e-10))
        return false;
  for (int j = 0; j < C->s; j++)
    if (!(RITTI_MATH(fabs)(ritti_integral_at(&C->own, j, 1) - C->b[j]) < (ritt_real)1e-10))
      return false;
  return true;
}

static ritt_status init_stepper(ritti_stepper *step, ritti_arena *arena) {
  strong *I;
  char why[100];
  const ritti_problem *p = step->manifold->problem;
  if (!ritti_strong_fits(step->tableau, why, sizeof why) || p->m != 1 + 2 * p->strong->n)
    return RITT_WRONG_CALL;
  RITTI_NEW(I, arena, 1);
  if (!ritti_collocation_make(step->tableau, &I->C)) return RITT_WRONG_CALL;
  size_t n = (size_t)p->strong->n, s = (size_t)I->C.s;
  I->arena = arena;
  I->curve = is_collocation(&I->C);
  RITTI_NEW(I->oldW, arena, s * n);
  RITTI_NEW(I->oldL, arena, s * (size_t)p->strong->m);
  RITTI_NEW_ARRAYS(arena, p->m, I->scale, I->err);
  RITTI_NEW_ARRAYS(arena, n, I->gap, I->across);
  I->newton.iterations = I->C.s > 3 ? 12 + 5 * (I->C.s - 3) / 2 : 12;
  I->newton.stale = true;
  step->own = I;
  return RITT_OK;
}

static ritt_status make_room(ritti_stepper *step) {
  strong *I = step->own;
  RITT_TRY(
      ritti_strong_stages_init(&I->T, step->manifold->problem, &I->C, step->algebra, I->arena));
  if (step->newton != RITTI_NEWTON_STIFF)
    RITT_TRY(ritti_strong_plain_init(&I->plain, &I->T, I->arena));
  ritt_real least = 1;
  for (int i = 0; step->relative && i < step->m; i++)
    least = RITTI_MATH(fmin)(least, step->relative[i]);
  I->newton.stop = ritti_stage_newton_stop(step->relative ? least : 0);
  if (!step->relative) I->newton.iterations = RITTI_STAGE_ROUNDING_ITERATIONS;
  return RITT_OK;
}

static void forget_point(ritti_stepper *step) {
  strong *I = step->own;
  ritti_stage_newton_forget(&I->newton);
  I->looked = false;
  I->stalls = 0;
  step->strongest = *ritti_stepper_vibration(step);
  step->vibration = (ritti_vibration){0};
  step->least = 0;
}

/* ---- Newton's method ---- */

/* The changes of positions, and of velocities times h, that dW makes. */
static ritt_real size_of_change(const strong *I) {
  const ritti_strong_stages *T = &I->T;
  int n = T->n, s = T->s;
  ritt_real sum = 0, h2 = T->h * T->h;
  for (int i = 0; i < s; i++)
    for (int l = 0; l < n; l++) {
      ritt_real twice = 0, once = 0;
      for (int k = 0; k < s; k++) {
        twice += T->square[i * s + k] * T->dW[k * n + l];
        once += T->C->a[i * s + k] * T->dW[k * n + l];
      }
      twice *= h2 / I->scale[T->strong->position[l]];
      once *= h2 / I->scale[T->strong->velocity[l]];
      sum += twice * twice + once * once;
    }
  return RITTI_MATH(sqrt)(sum / (ritt_real)(2 * s * n));
}

/* The Lagrange polynomial j of the nodes at u. */
static ritt_real polynomial_at(const ritti_integrals *P, int j, ritt_real u) {
  const ritt_real *power = P->power + j * P->nodes;
  ritt_real sum = 0;
  for (int q = P->nodes - 1; q >= 0; q--) sum = sum * u + (ritt_real)(q + 1) * power[q];
  return sum;
}

/* W and L go on as polynomials. */
static void predict_stages(ritti_stepper *step) {
  strong *I = step->own;
  ritti_strong_stages *T = &I->T;
  int n = T->n, m = T->m, s = T->s;
  memset(T->W, 0, (size_t)(s * n) * sizeof *T->W);
  memset(T->L, 0, (size_t)(s * m) * sizeof *T->L);
  memset(T->r, 0, (size_t)(s * n) * sizeof *T->r);
  for (int i = 0; I->newton.predicts && i < s; i++)
    for (int j = 0; j < s; j++) {
      ritt_real w = polynomial_at(&I->C.own, j, 1 + I->C.c[i] * step->h / I->newton.old_h);
      for (int l = 0; l < n; l++) T->W[i * n + l] += w * I->oldW[j * n + l];
      for (int l = 0; l < m; l++) T->L[i * m + l] += w * I->oldL[j * m + l];
    }
}

static bool iteration_contracts(strong *I, ritti_stage_progress *now, ritt_real *shorten) {
  if (now->done < 2) return true;
  *shorten = (ritt_real)0.5;
  /* the second change may be larger: the first one was made far from the manifold */
  return ritti_stage_newton_rate(&I->newton, now) || (now->done <= 3 && I->newton.theta < 10);
}

/* The residual and the change of one iteration. */
static ritt_status find_change(ritti_stepper *step, bool plain, bool refresh, bool *ripe) {
  strong *I = step->own;
  ritti_strong_stages *T = &I->T;
  if (plain) return ritti_strong_plain_change(&I->plain, T, step);
  RITT_TRY(ritti_strong_residual(T, step, refresh, ripe));
  ritti_strong_solve(T);
  return RITT_OK;
}

static ritt_status iterate_stages(ritti_stepper *step, bool plain) {
  strong *I = step->own;
  ritti_strong_stages *T = &I->T;
  ritt_real shorten = (ritt_real)0.5;
  ritti_stage_progress now = ritti_stage_newton_start(&I->newton);
  int outer = 0;
  /* the last change says less of the error where the iteration is far from normal */
  ritt_real stop = plain && step->relative ? I->newton.stop / 100 : I->newton.stop;
  bool always = step->outer < 0, refresh = always;
  bool rest = T->eps > 0 && !plain;
  for (int done = 0; done < I->newton.iterations; done++) {
    bool ripe = false;
    RITT_TRY(find_change(step, plain, refresh && (done > 0 || I->newton.predicts), &ripe));
    refresh = always;
    step->counts.iterations++;
    if (!ritti_stage_next_change(&now, size_of_change(I))) return ritti_stages_fail(step, shorten);
    bool ended = ritti_stage_newton_at_rounding(step, &now);
    if (!ended && !iteration_contracts(I, &now, &shorten)) return ritti_stages_fail(step, shorten);
    for (int i = 0; i < T->s * T->n; i++) T->W[i] += T->dW[i];
    for (int i = 0; i < T->s * T->m && !plain; i++) T->L[i] += T->dL[i];
    I->newton.found = done + 1;
    if (!ended && !(I->newton.eta * now.change <= stop)) continue;
    if (rest && always && done == 0 && !ripe) { /* r has not been seen */
      now = (ritti_stage_progress){0};
      continue;
    }
    if (!rest || always || outer++ >= step->outer) return RITT_OK;
    now = (ritti_stage_progress){0};
    refresh = true;
  }
  return ritti_stages_fail(step, shorten);
}

/* Derivatives and factors for a step of length h; of the constrained system if it is available
 * first. */
static ritt_status make_factors(ritti_stepper *step) {
  strong *I = step->own;
  ritti_strong_stages *T = &I->T;
  for (;;) {
    if (I->newton.stale) {
      if (!ritti_strong_look(T, step, I->newton.predicts ? I->oldL : NULL))
        return ritti_stages_fail(step, (ritt_real)0.5);
      I->newton.fresh = true;
      I->newton.stale = false;
      I->newton.factored = 0;
    }
    if (ritti_stage_newton_factored(&I->newton, step->h)) return RITT_OK;
    I->newton.factored = 0;
    step->counts.factorisations++;
    if (ritti_strong_factor(T)) {
      I->newton.factored = step->h;
      return RITT_OK;
    }
    if (I->newton.fresh) return ritti_stages_fail(step, (ritt_real)0.5);
    I->newton.stale = true;
  }
}

/* (8.5)-(8.8) */
static ritt_status find_stiff(ritti_stepper *step) {
  strong *I = step->own;
  for (;;) {
    RITT_TRY(make_factors(step));
    predict_stages(step);
    ritt_status status = iterate_stages(step, false);
    if (status == RITT_RETRY) {
      if (I->newton.fresh) step->counts.failures++;
      I->newton.theta = 2 * RITTI_STAGE_KEEP;
    }
    if (status != RITT_RETRY || I->newton.fresh) return status;
    I->newton.stale = true;
  }
}

/* (8.1)-(8.3); the last one begins at the stages of the constrained system. */
static ritt_status find_plain(ritti_stepper *step) {
  strong *I = step->own;
  ritt_real eps = I->T.eps;
  bool regular;
  I->newton.stale = true;
  I->T.eps = step->newton == RITTI_NEWTON_J2 ? 0 : eps;
  ritt_status status = make_factors(step);
  predict_stages(step);
  if (status == RITT_OK && step->newton == RITTI_NEWTON_J2) status = iterate_stages(step, false);
  I->T.eps = eps;
  if (status == RITT_OK) status = ritti_strong_plain_factor(&I->plain, &I->T, step, &regular);
  if (status == RITT_OK && !regular) status = ritti_stages_fail(step, (ritt_real)0.5);
  if (status == RITT_OK) status = iterate_stages(step, true);
  if (status == RITT_RETRY) step->counts.failures++;
  return status == RITT_OK ? ritti_strong_plain_multipliers(&I->T, step) : status;
}

/* ---- vibrations ---- */

/* |R(i w)| is about s^2/w for Radau IIA: steps that damp. */
static ritt_real long_step(const strong *I) {
  return (ritt_real)(4 * I->C.s * I->C.s) * ritti_strong_period(&I->T);
}

/* Does the last step pass over vibrations? */
static bool is_long(const ritti_stepper *step) {
  const strong *I = step->own;
  return RITTI_MATH(fabs)(I->newton.h) > ritti_strong_period(&I->T);
}

/* Is the start smooth? Vibrations that add less than the tolerance to a step do not matter. */
static ritt_status look_at_start(ritti_stepper *step) {
  strong *I = step->own;
  ritti_strong_stages *T = &I->T;
  ritti_vibration *v = &step->vibration;
  ritt_real period = ritti_strong_period(T), square = 0, counted = 0, *place = I->across,
            *speed = I->gap, forces;
  I->looked = true;
  if (!(T->eps > 0) || !(period > 0)) return RITT_OK;
  RITT_TRY(ritti_strong_vibration(T, step, place, speed, &forces));
  for (int l = 0; l < T->n; l++) {
    ritt_real part = RITTI_MATH(fabs)(speed[l]) + RITTI_MATH(fabs)(place[l]) / period;
    ritt_real units = step->h * part / I->scale[T->strong->velocity[l]];
    square += part * part, counted += units * units;
  }
  /* the smooth motion has such speeds, too: those of a place that moves with the forces */
  ritt_real own = period * period / RITTI_MATH(fabs)(step->h) * forces,
            size = RITTI_MATH(sqrt)(square);
  counted = RITTI_MATH(sqrt)(counted / (ritt_real)(2 * T->n));
  /* without a tolerance: where a millionth would show */
  v->going = counted > (step->relative ? 1 : (ritt_real)1e-6) && size > own;
  if (v->going) v->first = v->last = size;
  return RITT_OK;
}

/* The step before was accepted: what it showed. They are over where they are below the tolerance,
 * or fall no more: then this is the error of the smooth motion. */
static void note_vibration(ritti_stepper *step) {
  enum { PATIENCE = 2 }; /* what is seen depends on h, too */
  strong *I = step->own;
  ritti_vibration *v = &step->vibration;
  if (!v->going) return;
  if (!is_long(step)) { /* it follows them: what could be damped is */
    v->going = false;
    return;
  }
  bool small = step->relative && I->counted < (ritt_real)0.1;
  bool falls = v->steps == 0 || I->speed < (ritt_real)0.9 * v->last;
  if (v->steps == 0) I->base = I->speed;
  else if (falls) v->factor = RITTI_MATH(pow)(I->speed / I->base, 1 / (ritt_real)v->steps);
  v->last = I->speed;
  I->stalls = falls ? 0 : I->stalls + 1;
  if (small || I->stalls == PATIENCE) v->going = false;
  else v->steps++;
  if (I->stalls == PATIENCE) v->steps -= PATIENCE - 1;
}

/* ---- the step ---- */

/* A step from a new point: the one before is known. */
static ritt_status begin_step(ritti_stepper *step) {
  strong *I = step->own;
  ritti_strong_stages *T = &I->T;
  ritti_stage_newton_begin(&I->newton, step->z);
  if (I->newton.predicts) {
    ritt_real *W = I->oldW, *L = I->oldL;
    I->oldW = T->W, T->W = W;
    I->oldL = T->L, T->L = L;
    note_vibration(step);
  }
  ritt_real eps = T->strong->eps(T->problem->data, step->direction->work);
  if (eps != T->eps) I->newton.factored = 0;
  T->eps = eps;
  memcpy(T->start.z, step->z, (size_t)step->m * sizeof *step->z);
  return ritti_strong_visit(T, step, &T->start);
}

/* V of the stages, and the end. */
static void finish_step(ritti_stepper *step, ritt_real x_new) {
  const strong *I = step->own;
  const ritti_strong_stages *T = &I->T;
  const ritti_collocation *C = &I->C;
  const ritt_real h = step->h;
  int n = T->n, s = T->s;
  memcpy(step->end, step->z, (size_t)step->m * sizeof *step->z);
  step->end[0] = x_new;
  for (int i = 0; i < s; i++) step->V[1 + i][0] = 1;
  for (int l = 0; l < n; l++) {
    int y = T->strong->position[l], v = T->strong->velocity[l];
    ritt_real first = 0, second = 0;
    for (int i = 0; i < s; i++) {
      ritt_real sum = 0;
      for (int j = 0; j < s; j++) sum += C->a[i * s + j] * T->W[j * n + l];
      step->V[1 + i][y] = step->z[v] + h * sum;
      step->V[1 + i][v] = T->W[i * n + l];
      first += C->b[i] * sum;
      second += C->b[i] * T->W[i * n + l];
    }
    step->end[y] += h * (step->z[v] + h * first);
    step->end[v] += h * second;
  }
  memcpy(step->z_new, step->end, (size_t)step->m * sizeof *step->end);
}

/* Which part of the gap across the manifold is the error of this step: positions are right there at
 * the start and at the stages, velocities off by multiples w'(0), w'(1) of h^s, w(t) = t (t - c_1)
 * ... (t - c_s), and that of the step before, with its h, is still in y'. */
static ritt_real own_part(const ritti_stepper *step) {
  const strong *I = step->own;
  ritt_real at0 = 1, at1 = 1, ratio = 1;
  if (step->vibration.going && is_long(step)) return 0;
  if (!I->newton.predicts || !I->curve || !I->C.stiffly) return 1;
  for (int i = 0; i < I->C.s; i++) {
    at0 *= -I->C.c[i];
    if (i < I->C.s - 1) at1 *= 1 - I->C.c[i];
    ratio *= I->newton.old_h / step->h;
  }
  ritt_real both = RITTI_MATH(fabs)(at1 * ratio - at0);
  return both > at1 / 2 ? at1 / both : 2;
}

/* (gamma0/h - J) e = d, d = V at the start less the polynomial through the V of the stages there.
 */
static void estimate_end_error(ritti_stepper *step) {
  strong *I = step->own;
  ritti_strong_stages *T = &I->T;
  const ritti_collocation *C = &I->C;
  const ritt_real h = step->h;
  int n = T->n;
  ritt_real *rho = T->dW; /* room */
  for (int l = 0; l < n; l++) {
    T->x[l] = C->gamma0 / h * I->gap[l];
    for (int i = 0; i < T->s; i++) T->x[l] -= C->at0[i] * T->W[i * n + l];
  }
  ritti_csr_times(&T->strong->M, T->start.M, T->x, rho);
  for (int l = 0; l < n; l++) rho[l] += T->start.f[l];
  /* the filter may be that of an older point: no large force across the manifold is left to it */
  for (int j = 0; j < T->m; j++) {
    T->q[j] = 0;
    for (int i = 0; i < T->s; i++) T->q[j] += C->at0[i] * T->L[i * T->m + j];
  }
  ritti_strong_force(T, &T->start, T->q, T->x);
  for (int l = 0; l < n; l++) {
    rho[l] -= T->x[l];
    for (int i = 0; i < T->s; i++) rho[l] += C->at0[i] * T->r[i * n + l];
  }
  ritti_strong_filter(T, rho, NULL);
  ritt_real part = own_part(step);
  I->err[0] = 0;
  for (int l = 0; l < n; l++) {
    ritt_real y = h * h / (C->gamma0 * C->gamma0) * rho[l], v = C->gamma0 / h * y - I->gap[l];
    v += (1 - part) * I->across[l];
    I->err[T->strong->position[l]] = y;
    I->err[T->strong->velocity[l]] = v;
  }
}

static ritt_status take_step(ritti_stepper *step, ritt_real x_new) {
  strong *I = step->own;
  if (step->direction->problem != I->T.problem || step->direction->arc) return RITT_WRONG_CALL;
  if (I->newton.from != step->z) RITT_TRY(begin_step(step));
  I->newton.done = false;
  I->newton.h = I->T.h = step->h;
  ritti_stages_scale(step, NULL, I->scale);
  bool plain = step->newton != RITTI_NEWTON_STIFF && I->T.eps > 0;
  RITT_TRY(plain ? find_plain(step) : find_stiff(step));
  if (!I->looked) RITT_TRY(look_at_start(step));
  if (step->relative || step->vibration.going) {
    /* The part of y' across the manifold that the stages do not go on with. */
    ritti_strong_stages *T = &I->T;
    int n = T->n, s = T->s;
    ritt_real square = 0, counted = 0;
    for (int l = 0; l < n; l++) {
      ritt_real sum = 0;
      for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) sum += I->C.at0[i] * I->C.a[i * s + j] * T->W[j * n + l];
      I->gap[l] = -step->h * sum;
    }
    ritti_csr_times(&T->strong->M, T->start.M, I->gap, T->x);
    ritti_strong_filter(T, T->x, I->across);
    for (int l = 0; l < n; l++) {
      ritt_real part = I->across[l], units = step->h * part / I->scale[T->strong->velocity[l]];
      square += part * part;
      counted += units * units;
    }
    I->speed = RITTI_MATH(sqrt)(square);
    I->counted = RITTI_MATH(sqrt)(counted / (ritt_real)(2 * n));
  }
  step->least = step->vibration.going && I->counted > 1 ? long_step(I) : 0;
  if (step->relative) estimate_end_error(step);
  finish_step(step, x_new);
  step->caution = (ritt_real)(1 + 2 * I->newton.iterations) /
                  (ritt_real)(I->newton.found + 2 * I->newton.iterations);
  step->growth =
      RITTI_MATH(fmax)((ritt_real)0.5, GOOD / RITTI_MATH(fmax)(I->newton.theta, RITTI_STAGE_KEEP));
  step->holds = I->newton.theta <= RITTI_STAGE_KEEP;
  I->newton.done = true;
  return RITT_OK;
}

static bool estimate_error(const ritti_stepper *step, int which, ritt_real *err) {
  const strong *I = step->own;
  if (which > 0) return false;
  memcpy(err, I->err, (size_t)step->m * sizeof *err);
  return true;
}

/* The polynomial of collocation; of other methods Hermite's for y, and its derivative. */
static ritt_status interpolate_step(ritti_stepper *step, ritt_real u, ritt_real *z) {
  const strong *I = step->own;
  const ritti_strong *potential = I->T.strong;
  const ritt_real h = step->h;
  memcpy(z, step->z, (size_t)step->m * sizeof *z);
  for (int j = 0; I->curve && j < I->C.s; j++) {
    const ritt_real w = h * ritti_integral_at(&I->C.own, j, u), *V = step->V[1 + j];
    for (int l = 0; l < step->m; l++) z[l] += w * V[l];
  }
  for (int l = 0; !I->curve && l < I->T.n; l++) {
    int y = potential->position[l], v = potential->velocity[l];
    ritt_real y0 = step->z[y], v0 = step->z[v], v1 = step->z_new[v], dy = step->z_new[y] - y0;
    ritt_real c2 = 3 * dy - h * (2 * v0 + v1), c3 = h * (v0 + v1) - 2 * dy;
    z[y] = y0 + u * (h * v0 + u * (c2 + u * c3));
    z[v] = v0 + u * (2 * c2 + 3 * u * c3) / h;
  }
  return RITT_OK;
}

/* Has grad U / eps^2 digits, where coordinates are rounded? */
static bool has_digits(const ritti_stepper *step) {
  const ritti_strong_stages *T = &((const strong *)step->own)->T;
  ritt_real eps = T->strong->eps(T->problem->data, step->direction->work);
  return eps * eps > RITTI_MATH(sqrt)(RITTI_EPS);
}

/* Those of the smooth motion at its start, up to eps^2: M^-1 (f - G^T l). */
static void smooth_tops(ritti_stepper *step, ritt_real *top) {
  strong *I = step->own;
  ritti_strong_stages *T = &I->T;
  ritti_stage_counts counts = step->counts;
  ritt_real forces;
  memcpy(T->start.z, step->z, (size_t)step->m * sizeof *step->z);
  bool known = ritti_strong_visit(T, step, &T->start) == RITT_OK &&
               ritti_strong_look(T, step, NULL) &&
               ritti_strong_vibration(T, step, I->across, I->gap, &forces) == RITT_OK;
  step->counts = counts;
  if (!known) return;
  memcpy(T->y, T->start.f, (size_t)T->n * sizeof *T->y);
  ritti_linear_solve(&T->mass, T->y);
  for (int l = 0; l < T->n; l++)
    top[-1 - T->problem->next[T->strong->velocity[l]]] = T->y[l] - T->x[l];
}

/* Accelerations are those of the stages: grad U / eps^2 holds the error of the positions, over
 * eps^2. */
static void put_tops(ritti_stepper *step, ritt_real u, ritt_real *top) {
  const strong *I = step->own;
  const ritti_problem *p = I->T.problem;
  if (u < 0 && !has_digits(step)) smooth_tops(step, top);
  if (u < 0) return;
  if (!is_long(step)) return;
  for (int l = 0; l < I->T.n; l++) {
    int v = I->T.strong->velocity[l];
    ritt_real sum = 0;
    for (int j = 0; j < I->C.s; j++) sum += polynomial_at(&I->C.own, j, u) * step->V[1 + j][v];
    top[-1 - p->next[v]] = sum;
  }
}

static ritt_real measure_length(const ritti_stepper *step, const ritt_real *weights) {
  const ritti_collocation *C = &((const strong *)step->own)->C;
  ritt_real sum = 0;
  for (int j = 0; j < C->s; j++) sum += C->b[j] * ritti_speed(step->m, step->V[1 + j], weights);
  return RITTI_MATH(fabs)(step->h) * sum;
}

static void vibration_state(ritti_vibration *v, ritti_state *state) {
  ritti_state_reals(state, "vibration.first", &v->first, 1);
  ritti_state_reals(state, "vibration.last", &v->last, 1);
  ritti_state_reals(state, "vibration.factor", &v->factor, 1);
  ritti_state_long(state, "vibration.steps", &v->steps);
  ritti_state_bool(state, "vibration.going", &v->going);
}

static void exchange_state(ritti_stepper *step, const ritti_problem *problem, ritti_state *state) {
  strong *I = step->own;
  (void)problem;
  ritti_stage_newton_state(&I->newton, step, state);
  ritti_state_reals(state, "strong.eps", &I->T.eps, 1);
  ritti_state_reals(state, "strong.speed", &I->speed, 1);
  ritti_state_reals(state, "strong.counted", &I->counted, 1);
  vibration_state(&step->vibration, state);
  vibration_state(&step->strongest, state);
  ritti_state_bool(state, "strong.looked", &I->looked);
  ritti_state_reals(state, "strong.base", &I->base, 1);
  ritti_state_ints(state, "strong.stalls", &I->stalls, 1, 0, 2);
  ritti_strong_stages_state(&I->T, state);
}

static const ritti_stepping stepping = {.vectors = vectors,
                                        .last = last,
                                        .init = init_stepper,
                                        .ready = make_room,
                                        .forget = forget_point,
                                        .take = take_step,
                                        .error = estimate_error,
                                        .interpolate = interpolate_step,
                                        .tops = put_tops,
                                        .length = measure_length,
                                        .state = exchange_state};

const ritti_stepping *ritti_strong_stepping(void) { return &stepping; }
