/* The projected Runge-Kutta step for implicit tableaux, schemes (4.13)-(4.15) of the paper on higher order
 * methods, whatever the number of stages:
 *
 *     p_i + W^-1 df(p_i)^T mu_i = p + h sum a_ij V(p_j),   f(p_i) = 0,
 *     p_new = Pi(p + h sum b_j V(p_j)),
 *
 * that is p_i = Pi(p + Z_i), or, where only the end is projected, p_i = p + Z_i. Z_i is found by simplified Newton
 * iterations on V(p_i) - (1/h) sum (A^-1)_ij Z_j = 0 with the blocks of stage_system.c; they take their
 * derivatives where mu = 0, so that the second derivatives of f have no part in them. The V of the stages are
 * derived from Z in the end, so that stiff parts do not blow rounding up. Derivatives and
 * factors are kept as long as the iteration contracts well; rates of convergence, predictors and the error
 * estimate as in section IV.8 of E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (1996).
 */
#include "method/implicit_impl.h"

/* derivatives are kept where the iteration contracts so well */
static const ritt_real KEEP = (ritt_real)1e-3;

typedef struct implicit {
  ritti_collocation C;
  ritti_arena *arena;
  ritti_stage_system *systems, *system; /* all made so far; the one in use */
  const ritt_real *from;                /* the start of the last step tried; NULL: none from here */
  bool done;                            /* that step was taken */
  bool predicts;                        /* `old` holds the V of the step before */
  bool stale, fresh;             /* the derivatives are to be taken anew; they are those of this start */
  ritt_real factored;            /* h of the factors; 0: there are none */
  ritt_real theta, eta;          /* contraction; what the last difference is multiplied with */
  int found;                     /* iterations that the last step took */
  ritt_real h, old_h;            /* of the last step tried; of the one before */
  ritt_real newton;              /* the iteration stops at this part of the tolerance */
  int iterations;                /* at most */
  ritt_real *Z, *dZ;             /* s x m: stages - start, before they are projected; their changes */
  ritt_real *N;                  /* s x m: what normals at the start add */
  ritt_real **old;               /* own nodes x m: V of the step before */
  ritt_real *loose;              /* m: the error is measured in tolerances that much looser */
  ritt_real *scale, *err, *half; /* m */
} implicit;

/* ---- setting up ----------------------------------------------------------------------------------------- */

static bool starts_explicitly(const ritti_tableau *t) {
  for (int j = 0; j < t->stages; j++)
    if (t->a[j] != 0) return false;
  return true;
}
static int last(const ritti_tableau *t) { return t->stages + 1 - starts_explicitly(t); }
static int vectors(const ritti_tableau *t) { return last(t) + 1; }

static ritt_status init(ritti_stepper *step, ritti_arena *arena) {
  implicit *I;
  int m = step->m;
  RITTI_NEW(I, arena, 1);
  if (!ritti_collocation_make(step->tableau, &I->C)) return RITT_WRONG_CALL;
  int s = I->C.s, nodes = I->C.own.nodes;
  I->arena = arena;
  RITTI_NEW(I->Z, arena, s * m);
  RITTI_NEW(I->dZ, arena, s * m);
  RITTI_NEW(I->N, arena, s * m);
  RITTI_NEW(I->old, arena, nodes);
  for (int i = 0; i < nodes; i++) RITTI_NEW(I->old[i], arena, m);
  RITTI_NEW(I->loose, arena, m);
  RITTI_NEW(I->scale, arena, m);
  RITTI_NEW(I->err, arena, m);
  RITTI_NEW(I->half, arena, m);
  I->iterations = s > 3 ? 7 + 5 * (s - 3) / 2 : 7;
  I->stale = true;
  step->own = I;
  return RITT_OK;
}

static bool projects(const ritti_stepper *step, const ritti_problem *p) {
  return (step->project_stages || step->tableau->normals_at_start) && p->k > 0;
}

/* The system of the stages for a problem, made where it is not there yet. */
static ritt_status find_system_of(ritti_stepper *step, const ritti_problem *p, bool arc,
                                  ritti_stage_system **out) {
  implicit *I = step->own;
  ritti_slopes slopes = !p->system_dz ? RITTI_SLOPES_DIFFERENCES : arc ? RITTI_SLOPES_ARC : RITTI_SLOPES_X;
  for (*out = I->systems; *out; *out = (*out)->next)
    if ((*out)->problem == p && (*out)->slopes == slopes) return RITT_OK;
  ritti_stage_system *made;
  RITTI_NEW(made, I->arena, 1);
  RITT_TRY(ritti_stage_system_init(made, p, &I->C, slopes, projects(step, p), step->algebra, I->arena));
  made->next = I->systems;
  *out = I->systems = made;
  return RITT_OK;
}

/* That for the problem as it is now. */
static ritt_status find_system(ritti_stepper *step) {
  implicit *I = step->own;
  ritti_stage_system *before = I->system;
  RITT_TRY(find_system_of(step, step->direction->problem, step->direction->arc != NULL, &I->system));
  if (I->system != before) I->stale = true;
  return RITT_OK;
}

/* The estimate is of lower order than the method: with the tolerance r it is kept below 0.1 r^((q+1)/(p+1)), so
 * that steps grow with r as the error of the method does. */
static void loosen(ritti_stepper *step) {
  implicit *I = step->own;
  ritt_real power = (ritt_real)(step->tableau->embedded + 1) / (ritt_real)(step->tableau->order + 1),
            least = 1;
  for (int i = 0; i < step->m; i++) {
    ritt_real r = step->relative[i];
    I->loose[i] = (ritt_real)0.1 * RITTI_MATH(pow)(r, power - 1);
    least = RITTI_MATH(fmin)(least, r * I->loose[i]);
  }
  I->newton =
      RITTI_MATH(fmax)(10 * RITTI_EPS / least, RITTI_MATH(fmin)((ritt_real)0.03, RITTI_MATH(sqrt)(least)));
}

static ritt_status ready(ritti_stepper *step) {
  implicit *I = step->own;
  if (step->relative) loosen(step);
  else I->newton = 4 * RITTI_EPS, I->iterations = 100;
  return find_system(step);
}

static ritt_status prepare(ritti_stepper *step, const ritti_problem *problem, bool arc) {
  ritti_stage_system *made;
  return find_system_of(step, problem, arc, &made);
}

static void forget(ritti_stepper *step) {
  implicit *I = step->own;
  I->from = NULL;
  I->done = I->predicts = false;
  I->stale = true;
  I->theta = 2 * KEEP;
  I->eta = 1;
}

/* ---- stages --------------------------------------------------------------------------------------------- */

static ritt_status fail(ritti_stepper *step, ritt_real shorten) {
  step->direction->trouble = RITTI_NO_STAGES;
  memcpy(step->direction->where, step->z, (size_t)step->m * sizeof *step->z);
  step->shorten = shorten;
  return RITT_RETRY;
}

/* What a coordinate's change is measured in. */
static void set_scale(ritti_stepper *step) {
  implicit *I = step->own;
  for (int i = 0; i < step->m; i++) {
    ritt_real size = RITTI_MATH(fabs)(step->z[i]);
    I->scale[i] = step->relative ? (step->relative[i] * size + step->absolute[i]) * I->loose[i]
                                 : RITTI_MATH(fmax)(size, step->manifold->size[i]);
  }
}

static ritt_real size_of(const ritti_stepper *step, const ritt_real *v, int rows) {
  const implicit *I = step->own;
  int first = step->keep_x, m = step->m;
  ritt_real sum = 0;
  for (int j = 0; j < rows; j++)
    for (int i = first; i < m; i++) {
      ritt_real r = v[j * m + i] / I->scale[i];
      sum += r * r;
    }
  return m > first ? RITTI_MATH(sqrt)(sum / (ritt_real)(rows * (m - first))) : 0;
}

/* The collocation polynomial of the step before goes on: Z_i = sum_j old_h V_j (P_j(1 + c_i h/old_h) - P_j(1)). */
static void predict(ritti_stepper *step) {
  implicit *I = step->own;
  const ritti_collocation *C = &I->C;
  int m = step->m;
  memset(I->Z, 0, (size_t)(C->s * m) * sizeof *I->Z);
  memset(I->N, 0, (size_t)(C->s * m) * sizeof *I->N);
  for (int i = 0; i < C->s; i++) {
    ritt_real *Z = I->Z + i * m;
    for (int j = 0; I->predicts && j < C->own.nodes; j++) {
      ritt_real w = I->old_h * (ritti_integral_at(&C->own, j, 1 + C->c[i] * step->h / I->old_h) -
                                ritti_integral_at(&C->own, j, 1));
      for (int l = 0; l < m; l++) Z[l] += w * I->old[j][l];
    }
    if (step->keep_x) Z[0] = C->c[i] * step->h;
  }
}

/* out = (1/h) sum_j (A^-1)_ij (Z_j - h a_j0 V_0): V_i, once the stages are found */
static void derive(const ritti_stepper *step, int i, ritt_real *out) {
  const implicit *I = step->own;
  const ritti_collocation *C = &I->C;
  const ritt_real h = step->h, *V = step->V[0];
  int m = step->m;
  for (int l = 0; l < m; l++) out[l] = 0;
  for (int j = 0; j < C->s; j++) {
    const ritt_real w = C->inverse[i * C->s + j] / h, w0 = C->inverse[i * C->s + j] * C->a0[j];
    const ritt_real *Z = I->Z + j * m;
    for (int l = 0; l < m; l++) out[l] += w * Z[l];
    for (int l = 0; w0 != 0 && l < m; l++) out[l] -= w0 * V[l];
  }
  if (step->keep_x) out[0] = 1;
}

/* p + Z_i + W^-1 df(p)^T mu_i, df at the start of the step; its rows of f, to be made 0. */
static ritt_status put_along_start(ritti_stepper *step, int i, ritt_real *z) {
  implicit *I = step->own;
  ritti_stage_system *S = I->system;
  const ritti_problem *p = S->problem;
  ritt_real *right = S->dnu + i * p->k;
  for (int l = 0; l < step->m; l++) z[l] += I->N[i * step->m + l];
  RITT_TRY(p->f(p->data, step->direction->work, z, right));
  for (int l = 0; l < p->k; l++) right[l] = -right[l];
  return RITT_OK;
}

/* The stage i, on M where stages are projected. */
static ritt_status put_stage(ritti_stepper *step, int i, ritt_real *z) {
  implicit *I = step->own;
  const ritti_stage_system *S = I->system;
  for (int l = 0; l < step->m; l++) z[l] = step->z[l] + I->Z[i * step->m + l];
  if (!S->normals) return RITT_OK;
  if (step->tableau->normals_at_start) return put_along_start(step, i, z);
  for (int l = 0; l < S->problem->k; l++) S->dnu[i * S->problem->k + l] = 0;
  return ritti_stepper_project(step, 0, z, z);
}

/* (5.4): the stage lies half-way to the projected end; dZ gets what that adds. */
static ritt_status go_half_way(ritti_stepper *step, const ritt_real *V, ritt_real *dZ) {
  ritt_real *q = ((implicit *)step->own)->half;
  for (int l = 0; l < step->m; l++) step->end[l] = step->z[l] + step->h * V[l];
  RITT_TRY(ritti_stepper_project(step, 0, step->end, q));
  for (int l = 0; l < step->m; l++) dZ[l] += (q[l] - step->end[l]) / step->h;
  return RITT_OK;
}

/* The right sides of an iteration. */
static ritt_status residual(ritti_stepper *step) {
  implicit *I = step->own;
  int m = step->m;
  for (int i = 0; i < I->C.s; i++) {
    ritt_real *dZ = I->dZ + i * m, *V = step->V[1 + i];
    RITT_TRY(put_stage(step, i, step->a));
    RITT_TRY(ritti_direction_at(step->direction, step->a, V));
    derive(step, i, dZ);
    for (int l = 0; l < m; l++) dZ[l] = V[l] - dZ[l];
    if (I->system->normals && step->tableau->half_way) RITT_TRY(go_half_way(step, V, dZ));
    if (step->keep_x) dZ[0] = 0;
  }
  return RITT_OK;
}

/* The solution of the linear systems is the change of the projected stages; that of Z has a part along the
 * normals, W^-1 df^T dmu, dmu_i = h sum_j a_ij dnu_j. */
static void add_normal_part(ritti_stepper *step) {
  implicit *I = step->own;
  ritti_stage_system *S = I->system;
  const ritti_collocation *C = &I->C;
  int m = step->m, k = S->problem->k;
  bool at_start = step->tableau->normals_at_start;
  for (int i = 0; i < C->s; i++) {
    for (int l = 0; l < k; l++) S->change[l] = 0;
    for (int j = 0; j < C->s; j++)
      for (int l = 0; l < k; l++) S->change[l] += step->h * C->a[i * C->s + j] * S->dnu[j * k + l];
    ritti_csr_times_transposed(&S->problem->df, at_start ? S->start_df : S->df, S->change, step->a);
    for (int l = 0; l < m; l++) {
      ritt_real part = step->manifold->spread[l] * step->a[l];
      I->Z[i * m + l] += part;
      if (at_start) I->N[i * m + l] -= part;
    }
  }
}

/* What Newton's iteration has shown so far. */
typedef struct progress {
  int done;
  ritt_real change, before, rate; /* the last two changes, and the rate before */
} progress;

/* Is the contraction good enough? If not, *shorten is by how much the step should be shorter. */
static bool contracts(implicit *I, progress *now, ritt_real *shorten) {
  if (now->done < 2) return true;
  ritt_real rate = now->change / now->before;
  I->theta = now->done == 2 ? rate : RITTI_MATH(sqrt)(rate * now->rate);
  now->rate = rate;
  *shorten = (ritt_real)0.5;
  if (!(I->theta < (ritt_real)0.99)) return false;
  I->eta = I->theta / (1 - I->theta);
  int left = I->iterations - now->done;
  ritt_real expected = I->eta * now->change / I->newton; /* after the iterations that are left */
  for (int i = 1; i < left; i++) expected *= I->theta;
  if (!(expected >= 1)) return true;
  *shorten = (ritt_real)0.8 / RITTI_MATH(sqrt)(RITTI_MATH(sqrt)(RITTI_MATH(fmin)(20, expected)));
  return false;
}

/* To round-off: no smaller than before, and small. */
static bool at_rounding(const ritti_stepper *step, const progress *now) {
  return !step->relative && now->done > 1 && now->change < (ritt_real)1e6 * RITTI_EPS &&
         !(now->change < now->before / 2);
}

static ritt_status iterate(ritti_stepper *step) {
  implicit *I = step->own;
  int count = I->C.s * step->m;
  progress now = {0};
  ritt_real shorten = (ritt_real)0.5;
  ritt_real root = RITTI_MATH(sqrt)(RITTI_MATH(fmax)(I->eta, RITTI_EPS));
  I->eta = root * RITTI_MATH(sqrt)(root);
  I->theta = KEEP;
  predict(step);
  while (now.done < I->iterations) {
    RITT_TRY(residual(step));
    ritti_stage_system_solve(I->system, I->dZ, I->system->dnu);
    step->counts.iterations++;
    now.done++;
    now.before = now.change;
    now.change = size_of(step, I->dZ, I->C.s);
    if (!(now.change < INFINITY)) return fail(step, shorten);
    bool ended = at_rounding(step, &now);
    if (!ended && !contracts(I, &now, &shorten)) return fail(step, shorten);
    for (int i = 0; i < count; i++) I->Z[i] += I->dZ[i];
    if (I->system->normals) add_normal_part(step);
    I->found = now.done;
    if (ended || I->eta * now.change <= I->newton) return RITT_OK;
  }
  return fail(step, shorten);
}

/* ---- the step ------------------------------------------------------------------------------------------- */

/* A step from a new point: the one before is known, and its derivatives may serve. */
static void begin(ritti_stepper *step) {
  implicit *I = step->own;
  int skip = I->C.first;
  I->predicts = I->done;
  if (I->done) {
    if (skip) memcpy(I->old[0], step->V[step->last], (size_t)step->m * sizeof **I->old);
    for (int i = 0; i < I->C.s; i++) {
      ritt_real *other = I->old[i + skip];
      I->old[i + skip] = step->V[1 + i];
      step->V[1 + i] = other;
    }
    I->old_h = I->h;
  }
  I->from = step->z;
  I->fresh = I->done = false;
  if (I->theta > KEEP) I->stale = true;
}

/* Derivatives and factors for a step of length h. */
static ritt_status make_factors(ritti_stepper *step) {
  implicit *I = step->own;
  for (;;) {
    if (I->stale) {
      ritt_status status = ritti_stage_system_look(I->system, step);
      if (status == RITT_RETRY && step->direction->trouble == RITTI_NO_TROUBLE) return fail(step, 0);
      RITT_TRY(status);
      step->counts.jacobians++;
      I->fresh = true;
      I->stale = false;
      I->factored = 0;
    }
    if (RITTI_MATH(fabs)(step->h - I->factored) <= (ritt_real)1e-8 * RITTI_MATH(fabs)(step->h))
      return RITT_OK;
    I->factored = 0;
    step->counts.factorisations++;
    if (ritti_stage_system_factor(I->system, step->h)) {
      I->factored = step->h;
      return RITT_OK;
    }
    if (I->fresh) return fail(step, (ritt_real)0.5);
    I->stale = true;
  }
}

static ritt_status find_stages(ritti_stepper *step) {
  implicit *I = step->own;
  for (;;) {
    RITT_TRY(make_factors(step));
    ritt_status status = iterate(step);
    if (status == RITT_RETRY) {
      if (I->fresh) step->counts.failures++;
      I->theta = 2 * KEEP;
    }
    if (status != RITT_RETRY || I->fresh) return status;
    I->stale = true;
  }
}

/* e = ((gamma0/h) I - dV)^-1 (V(at) - sum l_i(0) V_i): zero where V is a polynomial of degree s - 1 */
static void filter(ritti_stepper *step, const ritt_real *V) {
  implicit *I = step->own;
  memcpy(I->err, V, (size_t)step->m * sizeof *I->err);
  for (int j = 0; j < I->C.s; j++)
    for (int l = 0; l < step->m; l++) I->err[l] -= I->C.at0[j] * step->V[1 + j][l];
  if (step->keep_x) I->err[0] = 0;
  ritti_stage_system_filter(I->system, I->err);
}

/* The estimate of the error; where it rejects a step that is the first, or not the first try, it is filtered
 * once more. */
static ritt_status estimate(ritti_stepper *step, bool again) {
  implicit *I = step->own;
  filter(step, step->V[0]);
  if (I->predicts && !again) return RITT_OK;
  if (size_of(step, I->err, 1) < 1) return RITT_OK;
  for (int l = 0; l < step->m; l++) step->a[l] = step->z[l] + I->err[l];
  ritt_status status = ritti_direction_at(step->direction, step->a, step->V[step->last]);
  if (status == RITT_OK) filter(step, step->V[step->last]);
  return status == RITT_RETRY ? RITT_OK : status;
}

static bool is_midpoint(const implicit *I) { return I->C.s == 1 && !I->C.stiffly && !I->C.first; }

/* The unprojected end, and its projection. */
static ritt_status finish(ritti_stepper *step, ritt_real x_new) {
  implicit *I = step->own;
  const ritti_collocation *C = &I->C;
  const ritt_real *Z = I->Z + (C->s - 1) * step->m;
  for (int l = 0; l < step->m; l++) {
    ritt_real sum = C->b0 * step->V[0][l];
    for (int j = 0; j < C->s && !C->stiffly; j++) sum += C->b[j] * step->V[1 + j][l];
    step->end[l] = step->z[l] + (C->stiffly ? Z[l] : step->h * sum);
  }
  if (step->keep_x) step->end[0] = x_new;
  ritt_real *from = step->end;
  if (I->system->normals && step->tableau->normals_at_start) {
    RITT_TRY(put_stage(step, C->s - 1, step->a));
    from = step->a;
  }
  return ritti_stepper_project(step, 0, from, step->z_new);
}

static ritt_status take(ritti_stepper *step, ritt_real x_new) {
  implicit *I = step->own;
  bool again = I->from == step->z;
  RITT_TRY(find_system(step));
  if (!again) begin(step);
  I->done = false;
  I->h = step->h;
  set_scale(step);
  ritti_stage_system *S = I->system;
  if (S->normals && step->tableau->normals_at_start)
    RITT_TRY(S->problem->f_df(S->problem->data, step->direction->work, step->z, S->f, S->start_df));
  RITT_TRY(find_stages(step));
  for (int i = 0; i < I->C.s; i++) derive(step, i, step->V[1 + i]);
  if (step->relative && !is_midpoint(I)) RITT_TRY(estimate(step, again));
  RITT_TRY(finish(step, x_new));
  step->caution = (ritt_real)(1 + 2 * I->iterations) / (ritt_real)(I->found + 2 * I->iterations);
  step->holds = I->theta <= KEEP;
  I->done = true;
  return RITT_OK;
}

/* Where the end is no stage it may be off in stiff directions of which the stages know nothing: the same estimate
 * with the end in place of the start, whose V has that error times its eigenvalue. */
static void add_end(const ritti_stepper *step, ritt_real *err) {
  implicit *I = step->own;
  memcpy(err, step->V[step->last], (size_t)step->m * sizeof *err);
  for (int j = 0; j < I->C.s; j++)
    for (int l = 0; l < step->m; l++) err[l] -= I->C.at1[j] * step->V[1 + j][l];
  if (step->keep_x) err[0] = 0;
  ritti_stage_system_filter(I->system, err);
  for (int l = 0; l < step->m; l++)
    if (RITTI_MATH(fabs)(err[l]) > RITTI_MATH(fabs)(I->err[l])) I->err[l] = err[l];
}

/* The midpoint rule is compared with a step of the implicit Euler method from its stage, one Newton iteration
 * from the end (section 6.2.2 of the paper on involutive systems). */
static bool error(const ritti_stepper *step, int which, ritt_real *err) {
  implicit *I = step->own;
  if (which > 0) return false;
  if (is_midpoint(I)) {
    for (int l = 0; l < step->m; l++) I->err[l] = step->V[step->last][l] - step->V[1][l];
    if (step->keep_x) I->err[0] = 0;
    ritti_stage_system_filter(I->system, I->err);
  } else if (!I->C.stiffly) add_end(step, err);
  for (int l = 0; l < step->m; l++) err[l] = I->err[l] / (step->relative ? I->loose[l] : 1);
  return true;
}

static ritt_status interpolate(ritti_stepper *step, ritt_real theta, ritt_real *z) {
  const implicit *I = step->own;
  const ritti_integrals *P = &I->C.dense;
  if (P->nodes == 0) {
    ritti_stepper_hermite(step, theta, z);
    return RITT_OK;
  }
  int skip = P->at[0] == 0 ? 0 : 1;
  memcpy(z, step->z, (size_t)step->m * sizeof *z);
  for (int j = 0; j < P->nodes; j++) {
    const ritt_real w = step->h * ritti_integral_at(P, j, theta), *V = step->V[j + skip];
    for (int l = 0; l < step->m; l++) z[l] += w * V[l];
  }
  return RITT_OK;
}

static ritt_real length(const ritti_stepper *step, const ritt_real *weights) {
  const ritti_collocation *C = &((const implicit *)step->own)->C;
  ritt_real sum = C->b0 != 0 ? C->b0 * ritti_speed(step->m, step->V[0], weights) : 0;
  for (int j = 0; j < C->s; j++) sum += C->b[j] * ritti_speed(step->m, step->V[1 + j], weights);
  return RITTI_MATH(fabs)(step->h) * sum;
}

static void state(ritti_stepper *step, const ritti_problem *problem, ritti_state *state) {
  implicit *I = step->own;
  size_t m = (size_t)step->m;
  ritti_stage_system *system;
  if (find_system_of(step, problem, step->direction->arc != NULL, &system) != RITT_OK) {
    state->misfit = "memory";
    return;
  }
  /* of another one nothing is used again */
  bool current = I->system == system, any = I->from != NULL, again = I->from == step->z;
  ritti_state_bool(state, "implicit.current", &current);
  ritti_state_bool(state, "implicit.any", &any);
  ritti_state_bool(state, "implicit.again", &again);
  ritti_state_bool(state, "implicit.done", &I->done);
  ritti_state_bool(state, "implicit.predicts", &I->predicts);
  ritti_state_bool(state, "implicit.stale", &I->stale);
  ritti_state_bool(state, "implicit.fresh", &I->fresh);
  ritti_state_reals(state, "implicit.factored", &I->factored, 1);
  ritti_state_reals(state, "implicit.theta", &I->theta, 1);
  ritti_state_reals(state, "implicit.eta", &I->eta, 1);
  ritti_state_reals(state, "implicit.h", &I->h, 1);
  ritti_state_reals(state, "implicit.old_h", &I->old_h, 1);
  for (int i = 0; i < I->C.own.nodes; i++) ritti_state_reals(state, "implicit.old", I->old[i], m);
  ritti_stage_system_state(system, state);
  if (state->mode != RITTI_STATE_LOAD) return;
  I->system = current ? system : NULL;
  I->from = !any ? NULL : again ? step->z : step->z_new;
}

static const ritti_stepping stepping = {.vectors = vectors,
                                        .last = last,
                                        .init = init,
                                        .prepare = prepare,
                                        .ready = ready,
                                        .forget = forget,
                                        .take = take,
                                        .error = error,
                                        .interpolate = interpolate,
                                        .length = length,
                                        .state = state};

const ritti_stepping *ritti_implicit_stepping(void) { return &stepping; }
