/* The projected Runge-Kutta step for implicit tableaux, schemes (4.13)-(4.15) of the paper on
 * higher order methods, whatever the number of stages:
 *
 *     p_i + W^-1 df(p_i)^T mu_i = p + h sum a_ij V(p_j),   f(p_i) = 0,
 *     p_new = Pi(p + h sum b_j V(p_j)),
 *
 * that is p_i = Pi(p + Z_i), or, where only the end is projected, p_i = p + Z_i. Z_i is found by
 * simplified Newton iterations on V(p_i) - (1/h) sum (A^-1)_ij Z_j = 0 with the blocks of
 * stage_system.c; they take their derivatives where mu = 0, so that the second derivatives of f
 * have no part in them. The V of the stages are derived from Z in the end, so that stiff parts do
 * not blow rounding up. Derivatives and factors are kept as long as the iteration contracts well
 * (stage_newton.c); predictors and the error estimate as in section IV.8 of E. Hairer, G. Wanner,
 * Solving Ordinary Differential Equations II (1996).
 */
#include "step/implicit_impl.h"

typedef struct implicit {
  ritti_collocation C;
  ritti_arena *arena;
  ritti_stage_system *systems, *system; /* all made so far; the one in use */
  ritti_stage_newton newton;            /* `old` holds the V of the step before where it predicts */
  ritt_real *Z, *dZ; /* s x m: stages - start, before they are projected; their changes */
  ritt_real *N;      /* s x m: what normals at the start add */
  ritt_real **old;   /* own nodes x m: V of the step before */
  ritt_real *loose;  /* m: the error is measured in tolerances that much looser */
  ritt_real *scale, *err, *half; /* m */
} implicit;

/* ---- setting up ---- */

static bool starts_explicitly(const ritti_tableau *t) {
  for (int j = 0; j < t->stages; j++)
    if (t->a[j] != 0) return false;
  return true;
}
static int last(const ritti_tableau *t) { return t->stages + 1 - starts_explicitly(t); }
static int vectors(const ritti_tableau *t) { return last(t) + 1; }

static ritt_status init_stepper(ritti_stepper *step, ritti_arena *arena) {
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
  I->newton.iterations = s > 3 ? 7 + 5 * (s - 3) / 2 : 7;
  I->newton.stale = true;
  step->own = I;
  return RITT_OK;
}

static bool projects_stages(const ritti_stepper *step, const ritti_problem *p) {
  return (step->project_stages || step->tableau->normals_at_start) && p->k > 0;
}

/* The system of the stages for a problem, made where it is not there yet. */
static ritt_status find_system_of(ritti_stepper *step, const ritti_problem *p, bool arc,
                                  ritti_stage_system **out) {
  implicit *I = step->own;
  ritti_slopes slopes = !p->call.system_dz ? RITTI_SLOPES_DIFFERENCES
                        : arc              ? RITTI_SLOPES_ARC
                                           : RITTI_SLOPES_X;
  for (*out = I->systems; *out; *out = (*out)->next)
    if ((*out)->problem == p && (*out)->slopes == slopes) return RITT_OK;
  ritti_stage_system *made;
  RITTI_NEW(made, I->arena, 1);
  RITT_TRY(ritti_stage_system_init(made, p, &I->C, slopes, projects_stages(step, p), step->algebra,
                                   I->arena));
  made->next = I->systems;
  *out = I->systems = made;
  return RITT_OK;
}

/* That for the problem as it is now. */
static ritt_status find_system(ritti_stepper *step) {
  implicit *I = step->own;
  ritti_stage_system *before = I->system;
  RITT_TRY(
      find_system_of(step, step->direction->problem, step->direction->arc != NULL, &I->system));
  if (I->system != before) I->newton.stale = true;
  return RITT_OK;
}

/* The estimate is of lower order than the method: with the tolerance r it is kept below 0.1
 * r^((q+1)/(p+1)), so that steps grow with r as the error of the method does. */
static void loosen_tolerance(ritti_stepper *step) {
  implicit *I = step->own;
  ritt_real power =
                (ritt_real)(step->tableau->embedded + 1) / (ritt_real)(step->tableau->order + 1),
            least = 1;
  for (int i = 0; i < step->m; i++) {
    ritt_real r = step->relative[i];
    I->loose[i] = (ritt_real)0.1 * RITTI_MATH(pow)(r, power - 1);
    least = RITTI_MATH(fmin)(least, r * I->loose[i]);
  }
  ritti_stage_newton_stop(&I->newton, least);
}

static ritt_status make_room(ritti_stepper *step) {
  implicit *I = step->own;
  if (step->relative) loosen_tolerance(step);
  else ritti_stage_newton_stop(&I->newton, 0);
  return find_system(step);
}

static ritt_status prepare_problem(ritti_stepper *step, const ritti_problem *problem, bool arc) {
  ritti_stage_system *made;
  return find_system_of(step, problem, arc, &made);
}

static void forget_point(ritti_stepper *step) {
  implicit *I = step->own;
  ritti_stage_newton_forget(&I->newton);
}

/* ---- stages ---- */

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

/* The collocation polynomial of the step before goes on: Z_i = sum_j old_h V_j (P_j(1 + c_i
 * h/old_h) - P_j(1)). */
static void predict_stages(ritti_stepper *step) {
  implicit *I = step->own;
  const ritti_collocation *C = &I->C;
  int m = step->m;
  memset(I->Z, 0, (size_t)(C->s * m) * sizeof *I->Z);
  memset(I->N, 0, (size_t)(C->s * m) * sizeof *I->N);
  for (int i = 0; i < C->s; i++) {
    ritt_real *Z = I->Z + i * m;
    for (int j = 0; I->newton.predicts && j < C->own.nodes; j++) {
      ritt_real w = I->newton.old_h *
                    (ritti_integral_at(&C->own, j, 1 + C->c[i] * step->h / I->newton.old_h) -
                     ritti_integral_at(&C->own, j, 1));
      for (int l = 0; l < m; l++) Z[l] += w * I->old[j][l];
    }
    if (step->keep_x) Z[0] = C->c[i] * step->h;
  }
}

/* out = (1/h) sum_j (A^-1)_ij (Z_j - h a_j0 V_0): V_i, once the stages are found */
static void derive_stage(const ritti_stepper *step, int i, ritt_real *out) {
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
  RITT_TRY(p->call.f(p->data, step->direction->work, z, right));
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
static ritt_status fill_residual(ritti_stepper *step) {
  implicit *I = step->own;
  int m = step->m;
  for (int i = 0; i < I->C.s; i++) {
    ritt_real *dZ = I->dZ + i * m, *V = step->V[1 + i];
    RITT_TRY(put_stage(step, i, step->a));
    RITT_TRY(ritti_direction_at(step->direction, step->a, V));
    derive_stage(step, i, dZ);
    for (int l = 0; l < m; l++) dZ[l] = V[l] - dZ[l];
    if (I->system->normals && step->tableau->half_way) RITT_TRY(go_half_way(step, V, dZ));
    if (step->keep_x) dZ[0] = 0;
  }
  return RITT_OK;
}

/* The solution of the linear systems is the change of the projected stages; that of Z has a part
 * along the normals, W^-1 df^T dmu, dmu_i = h sum_j a_ij dnu_j. */
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
      ritt_real part = step->manifold->inverse_weights[l] * step->a[l];
      I->Z[i * m + l] += part;
      if (at_start) I->N[i * m + l] -= part;
    }
  }
}

/* Is the contraction good enough? If not, *shorten is by how much the step should be shorter. */
static bool iteration_contracts(implicit *I, ritti_stage_progress *now, ritt_real *shorten) {
  if (now->done < 2) return true;
  *shorten = (ritt_real)0.5;
  if (!ritti_stage_newton_rate(&I->newton, now)) return false;
  int left = I->newton.iterations - now->done;
  ritt_real expected =
      I->newton.eta * now->change / I->newton.stop; /* after the iterations that are left */
  for (int i = 1; i < left; i++) expected *= I->newton.theta;
  if (!(expected >= 1)) return true;
  *shorten = (ritt_real)0.8 / RITTI_MATH(sqrt)(RITTI_MATH(sqrt)(RITTI_MATH(fmin)(20, expected)));
  return false;
}

/* Is the change of the stages more than rounding of the coordinates as they are, however small? */
static bool stages_move(const ritti_stepper *step) {
  const implicit *I = step->own;
  int m = step->m;
  for (int i = 0; i < I->C.s * m; i++)
    if (RITTI_MATH(fabs)(I->dZ[i]) > 1000 * RITTI_EPS * RITTI_MATH(fabs)(step->z[i % m]))
      return true;
  return false;
}

/* One iteration that changes little says nothing about the contraction, if no step before has told
 * it: beside a pole dV is so large that it looks like the end of a transient. A first step takes a
 * second iteration then, which must be much smaller. */
static ritt_status iterate_stages(ritti_stepper *step) {
  implicit *I = step->own;
  int count = I->C.s * step->m;
  ritt_real shorten = (ritt_real)0.5;
  bool doubtful = false;
  ritti_stage_progress now = ritti_stage_newton_start(&I->newton);
  predict_stages(step);
  while (now.done < I->newton.iterations) {
    RITT_TRY(fill_residual(step));
    ritti_stage_system_solve(I->system, I->dZ, I->system->dnu);
    step->counts.iterations++;
    if (!ritti_stage_newton_change(&now, size_of(step, I->dZ, I->C.s)))
      return ritti_stages_fail(step, shorten);
    bool ended = ritti_stage_newton_at_rounding(step, &now);
    if (doubtful && now.done == 2 && now.change > (ritt_real)0.3 * now.before && stages_move(step))
      return ritti_stages_fail(step, (ritt_real)0.1);
    if (!ended && !iteration_contracts(I, &now, &shorten)) return ritti_stages_fail(step, shorten);
    for (int i = 0; i < count; i++) I->Z[i] += I->dZ[i];
    if (I->system->normals) add_normal_part(step);
    I->newton.found = now.done;
    if (ended) return RITT_OK;
    if (!(I->newton.eta * now.change <= I->newton.stop)) continue;
    doubtful = now.done == 1 && !I->newton.predicts && stages_move(step);
    if (!doubtful) return RITT_OK;
  }
  return ritti_stages_fail(step, shorten);
}

/* ---- the step ---- */

/* A step from a new point: the one before is known, and its derivatives may serve. */
static void begin_step(ritti_stepper *step) {
  implicit *I = step->own;
  int skip = I->C.first;
  ritti_stage_newton_begin(&I->newton, step->z);
  if (I->newton.predicts) {
    if (skip) memcpy(I->old[0], step->V[step->last], (size_t)step->m * sizeof **I->old);
    for (int i = 0; i < I->C.s; i++) {
      ritt_real *other = I->old[i + skip];
      I->old[i + skip] = step->V[1 + i];
      step->V[1 + i] = other;
    }
  }
}

/* Derivatives and factors for a step of length h. */
static ritt_status make_factors(ritti_stepper *step) {
  implicit *I = step->own;
  for (;;) {
    if (I->newton.stale) {
      ritt_status status = ritti_stage_system_look(I->system, step);
      if (status == RITT_RETRY && step->direction->trouble == RITTI_NO_TROUBLE)
        return ritti_stages_fail(step, 0);
      RITT_TRY(status);
      step->counts.jacobians++;
      I->newton.fresh = true;
      I->newton.stale = false;
      I->newton.factored = 0;
    }
    if (ritti_stage_newton_factored(&I->newton, step->h)) return RITT_OK;
    I->newton.factored = 0;
    step->counts.factorisations++;
    if (ritti_stage_system_factor(I->system, step->h)) {
      I->newton.factored = step->h;
      return RITT_OK;
    }
    if (I->newton.fresh) return ritti_stages_fail(step, (ritt_real)0.5);
    I->newton.stale = true;
  }
}

static ritt_status find_stages(ritti_stepper *step) {
  implicit *I = step->own;
  for (;;) {
    RITT_TRY(make_factors(step));
    ritt_status status = iterate_stages(step);
    if (status == RITT_RETRY) {
      if (I->newton.fresh) step->counts.failures++;
      I->newton.theta = 2 * RITTI_STAGE_KEEP;
    }
    if (status != RITT_RETRY || I->newton.fresh) return status;
    I->newton.stale = true;
  }
}

/* e = ((gamma0/h) I - dV)^-1 (V(at) - sum l_i(0) V_i): zero where V is a polynomial of degree s - 1
 */
static void filter_estimate(ritti_stepper *step, const ritt_real *V) {
  implicit *I = step->own;
  memcpy(I->err, V, (size_t)step->m * sizeof *I->err);
  for (int j = 0; j < I->C.s; j++)
    for (int l = 0; l < step->m; l++) I->err[l] -= I->C.at0[j] * step->V[1 + j][l];
  if (step->keep_x) I->err[0] = 0;
  ritti_stage_system_filter(I->system, I->err);
}

/* The estimate of the error; where it rejects a step that is the first, or not the first try, it is
 * filtered once more. */
static ritt_status estimate_end_error(ritti_stepper *step, bool again) {
  implicit *I = step->own;
  filter_estimate(step, step->V[0]);
  if (I->newton.predicts && !again) return RITT_OK;
  if (size_of(step, I->err, 1) < 1) return RITT_OK;
  for (int l = 0; l < step->m; l++) step->a[l] = step->z[l] + I->err[l];
  ritt_status status = ritti_direction_at(step->direction, step->a, step->V[step->last]);
  if (status == RITT_OK) filter_estimate(step, step->V[step->last]);
  return status == RITT_RETRY ? RITT_OK : status;
}

static bool is_midpoint(const implicit *I) { return I->C.s == 1 && !I->C.stiffly && !I->C.first; }

/* The unprojected end, and its projection. */
static ritt_status finish_step(ritti_stepper *step, ritt_real x_new) {
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

static ritt_status take_step(ritti_stepper *step, ritt_real x_new) {
  implicit *I = step->own;
  bool again = I->newton.from == step->z;
  RITT_TRY(find_system(step));
  if (!again) begin_step(step);
  I->newton.done = false;
  I->newton.h = step->h;
  ritti_stages_scale(step, I->loose, I->scale);
  ritti_stage_system *S = I->system;
  if (S->normals && step->tableau->normals_at_start)
    RITT_TRY(
        S->problem->call.f_df(S->problem->data, step->direction->work, step->z, S->f, S->start_df));
  RITT_TRY(find_stages(step));
  for (int i = 0; i < I->C.s; i++) derive_stage(step, i, step->V[1 + i]);
  if (step->relative && !is_midpoint(I)) RITT_TRY(estimate_end_error(step, again));
  RITT_TRY(finish_step(step, x_new));
  step->caution = (ritt_real)(1 + 2 * I->newton.iterations) /
                  (ritt_real)(I->newton.found + 2 * I->newton.iterations);
  step->holds = I->newton.theta <= RITTI_STAGE_KEEP;
  I->newton.done = true;
  return RITT_OK;
}

/* Where the end is no stage it may be off in stiff directions of which the stages know nothing: the
 * same estimate with the end in place of the start, whose V has that error times its eigenvalue. */
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

/* The midpoint rule is compared with a step of the implicit Euler method from its stage, one Newton
 * iteration from the end (section 6.2.2 of the paper on involutive systems). */
static bool estimate_error(const ritti_stepper *step, int which, ritt_real *err) {
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

static ritt_status interpolate_step(ritti_stepper *step, ritt_real theta, ritt_real *z) {
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

static ritt_real measure_length(const ritti_stepper *step, const ritt_real *weights) {
  const ritti_collocation *C = &((const implicit *)step->own)->C;
  ritt_real sum = C->b0 != 0 ? C->b0 * ritti_speed(step->m, step->V[0], weights) : 0;
  for (int j = 0; j < C->s; j++) sum += C->b[j] * ritti_speed(step->m, step->V[1 + j], weights);
  return RITTI_MATH(fabs)(step->h) * sum;
}

static void exchange_state(ritti_stepper *step, const ritti_problem *problem, ritti_state *state) {
  implicit *I = step->own;
  size_t m = (size_t)step->m;
  ritti_stage_system *system;
  if (find_system_of(step, problem, step->direction->arc != NULL, &system) != RITT_OK) {
    state->misfit = "memory";
    return;
  }
  /* of another one nothing is used again */
  bool current = I->system == system;
  ritti_state_bool(state, "implicit.current", &current);
  ritti_stage_newton_state(&I->newton, step, state);
  for (int i = 0; i < I->C.own.nodes; i++) ritti_state_reals(state, "implicit.old", I->old[i], m);
  ritti_stage_system_state(system, state);
  if (state->mode == RITTI_STATE_LOAD) I->system = current ? system : NULL;
}

static const ritti_stepping stepping = {.vectors = vectors,
                                        .last = last,
                                        .init = init_stepper,
                                        .prepare = prepare_problem,
                                        .ready = make_room,
                                        .forget = forget_point,
                                        .take = take_step,
                                        .error = estimate_error,
                                        .interpolate = interpolate_step,
                                        .length = measure_length,
                                        .state = exchange_state};

const ritti_stepping *ritti_implicit_stepping(void) { return &stepping; }
