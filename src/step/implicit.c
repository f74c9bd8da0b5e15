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
#include <limits.h>
#include "step/implicit_impl.h"

enum { MOST_MEMBERS = RITTI_MOST_MEMBERS };
typedef ritti_implicit_member member;
typedef ritti_implicit implicit;

/* ---- setting up ---- */

static bool starts_explicitly(const ritti_tableau *t) {
  for (int j = 0; j < t->stages; j++)
    if (t->a[j] != 0) return false;
  return true;
}
unsigned ritti_tableau_stage_sizes(const ritti_tableau *t) {
  unsigned sizes = 0;
  if (t->family == RITTI_ROSENBROCK) return 1u << (RITTI_MOST_STAGES + t->stages);
  if (t->family != RITTI_IMPLICIT) return 0;
  for (int i = 0; i < MOST_MEMBERS && t->member[i]; i++)
    sizes |= ritti_tableau_stage_sizes(ritti_method_find(t->member[i]));
  return sizes ? sizes : starts_explicitly(t) ? 0 : 1u << t->stages;
}
static int last(const ritti_tableau *t) { return t->stages + 1 - starts_explicitly(t); }
static int vectors(const ritti_tableau *t) { return last(t) + 1; }

static ritt_status init_member(member *M, const ritti_tableau *t, int m, ritti_arena *arena) {
  M->tableau = t;
  if (!ritti_collocation_make(t, &M->C)) return RITT_WRONG_CALL;
  int s = M->C.s;
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) M->from_start[i] += M->C.inverse[i * s + j] * M->C.a0[j];
  M->iterations = s > 3 ? 7 + 5 * (s - 3) / 2 : 7;
  RITTI_NEW(M->loose, arena, m);
  return RITT_OK;
}

static ritt_status init_stepper(ritti_stepper *step, ritti_arena *arena) {
  implicit *I;
  const ritti_tableau *t = step->tableau;
  int m = step->m;
  RITTI_NEW(I, arena, 1);
  while (I->members < MOST_MEMBERS && t->member[I->members]) {
    const ritti_tableau *one = ritti_method_find(t->member[I->members]);
    RITT_TRY(init_member(&I->member[I->members], one, m, arena));
    I->members++;
  }
  if (I->members == 0) {
    RITT_TRY(init_member(&I->member[0], t, m, arena));
    I->members = 1;
  }
  const ritti_collocation *largest = &I->member[I->members - 1].C;
  int s = largest->s, nodes = largest->own.nodes;
  I->C = largest;
  I->arena = arena;
  RITTI_NEW(I->Z, arena, s * m);
  RITTI_NEW(I->dZ, arena, s * m);
  RITTI_NEW(I->W, arena, s * m);
  RITTI_NEW(I->N, arena, s * m);
  RITTI_NEW(I->old, arena, nodes);
  for (int i = 0; i < nodes; i++) RITTI_NEW(I->old[i], arena, m);
  RITTI_NEW(I->scale, arena, m);
  RITTI_NEW(I->per_scale, arena, m);
  RITTI_NEW(I->moved, arena, m);
  RITTI_NEW(I->err, arena, m);
  RITTI_NEW(I->half, arena, m);
  RITTI_NEW(I->rows.correction, arena, m);
  I->newton.stale = true;
  step->own = I;
  return RITT_OK;
}

static bool projects_stages(const ritti_stepper *step, const ritti_problem *p) {
  return (step->project_stages || step->tableau->normals_at_start) && p->k > 0;
}

/* The system of the stages for a problem, made if it is not there yet. */
static ritt_status find_system_of(ritti_stepper *step, const ritti_problem *p, bool arc,
                                  ritti_stage_system **out) {
  implicit *I = step->own;
  return ritti_stage_system_find(&I->systems, p, &I->member[I->members - 1].C, arc,
                                 projects_stages(step, p), step->algebra, I->arena, out);
}

/* The system for the problem as it is now. */
static ritt_status find_system(ritti_stepper *step) {
  implicit *I = step->own;
  ritti_stage_system *before = I->system;
  RITT_TRY(
      find_system_of(step, step->direction->problem, step->direction->arc != NULL, &I->system));
  if (I->system != before) I->newton.stale = true;
  I->system->method = I->C;
  return RITT_OK;
}

/* The joint system for the problem as it is now and this number of stages, made if it is not there
 * yet; NULL: there is none. */
static ritt_status find_joint(ritti_stepper *step, int s, ritti_joint_stages **out) {
  implicit *I = step->own;
  const ritti_problem *p = step->direction->problem;
  *out = NULL;
  if (step->direction->arc || !step->keep_x || I->system->normals || !I->C->stiffly) return RITT_OK;
  if (!ritti_joint_stages_fit(p, s)) return RITT_OK;
  for (*out = I->joints; *out; *out = (*out)->next_size)
    if ((*out)->problem == p && (*out)->s == s) return RITT_OK;
  RITTI_NEW(*out, I->arena, 1);
  RITT_TRY(ritti_joint_stages_init(*out, p, s, I->arena));
  (*out)->next_size = I->joints;
  I->joints = *out;
  return RITT_OK;
}

/* Steps are taken by this member from now on. */
static void use_member(ritti_stepper *step, int number) {
  implicit *I = step->own;
  const member *M = &I->member[number];
  I->now = number;
  I->C = &M->C;
  I->newton.stop = M->stop;
  I->newton.iterations = M->iterations;
  if (I->members > 1) step->tableau = M->tableau;
  if (I->system) I->system->method = I->C;
}

static void change_order(ritti_stepper *step, int number) {
  implicit *I = step->own;
  use_member(step, number);
  I->newton.factored = 0;
  I->newton.eta = 1;
  I->since = 0;
}

/* The estimate is of lower order than the method: with the tolerance r it is kept below 0.1
 * r^((q+1)/(p+1)), so that steps grow with r as the error of the method does. */
static void loosen_tolerance(const ritti_stepper *step, member *M) {
  const ritti_tableau *t = M->tableau;
  ritt_real power = (ritt_real)(t->embedded + 1) / (ritt_real)(t->order + 1), least = 1;
  for (int i = 0; i < step->m; i++) {
    ritt_real r = step->relative[i];
    M->loose[i] = (ritt_real)0.1 * RITTI_MATH(pow)(r, power - 1);
    least = RITTI_MATH(fmin)(least, r * M->loose[i]);
  }
  M->stop = ritti_stage_newton_stop(least);
}

/* The order of the first step, and the highest order that pays, by the tightest tolerance. Steps of
 * fixed length have the highest order. */
static void choose_first_order(ritti_stepper *step) {
  implicit *I = step->own;
  ritt_real least = 1;
  I->first = I->highest = I->members - 1;
  if (!step->relative || I->members == 1) return;
  for (int i = 0; i < step->m; i++) least = RITTI_MATH(fmin)(least, step->relative[i]);
  if (least > (ritt_real)1e-10 && I->first > 1) I->first = 1;
  if (least > (ritt_real)1e-5 && I->highest > 1) I->highest = 1;
  if (least >= (ritt_real)1e-4) I->first = 0;
}

static ritt_status make_room(ritti_stepper *step) {
  implicit *I = step->own;
  for (int i = 0; i < I->members; i++) {
    member *M = &I->member[i];
    if (step->relative) loosen_tolerance(step, M);
    else {
      M->stop = ritti_stage_newton_stop(0);
      M->iterations = RITTI_STAGE_ROUNDING_ITERATIONS;
    }
  }
  choose_first_order(step);
  use_member(step, I->first);
  RITT_TRY(find_system(step));
  ritti_joint_stages *made;
  for (int i = 0; i < I->members; i++) RITT_TRY(find_joint(step, I->member[i].C.s, &made));
  return find_joint(step, 1, &made);
}

static ritt_status prepare_problem(ritti_stepper *step, const ritti_problem *problem, bool arc) {
  ritti_stage_system *made;
  RITT_TRY(find_system_of(step, problem, arc, &made));
  return ritti_implicit_prepare_rows(step, problem, arc);
}

static void forget_point(ritti_stepper *step) {
  implicit *I = step->own;
  ritti_stage_newton_forget(&I->newton);
  I->lower = I->together = false;
  if (I->now != I->first) change_order(step, I->first);
}

void ritti_implicit_restart(ritti_stepper *part, const ritti_stepper *step) {
  implicit *I = part->own;
  const implicit *of = step->own;
  forget_point(part);
  for (ritti_stage_system *S = I->systems; S; S = S->next) ritti_stage_system_forget(S);
  I->newton.factored = 0;
  I->is_part = true;
  use_member(part, of->now);
  I->together = of->together;
}

/* ---- stages ---- */

/* Sums over the stages are written for a constant number of them, which compilers unroll. */
#define FOR_STAGES(s, call)                                                                        \
  switch (s) {                                                                                     \
  case 3: call(3); break;                                                                          \
  case 5: call(5); break;                                                                          \
  case 7: call(7); break;                                                                          \
  default: call(s);                                                                                \
  }

/* W = T^-1 Z */
static void transform_stages(ritti_stepper *step) {
  implicit *I = step->own;
  const ritti_collocation *C = I->C;
#define CALL(s) ritti_multiply_stages(s, C->T_inverse, step->keep_x, step->m, I->Z, step->m, I->W)
  FOR_STAGES(C->s, CALL)
#undef CALL
}

static ritt_real spread_changes(ritti_stepper *step, ritt_real *left) {
  implicit *I = step->own;
  ritt_real change = 0;
#define CALL(s)                                                                                    \
  change = ritti_spread_changes(s, I->C->T, step->keep_x, step->m, I->system->W, I->system->n,     \
                                I->per_scale, I->dZ, I->moved, left)
  FOR_STAGES(I->C->s, CALL)
#undef CALL
  return change;
}

static ritt_real size_of_error(const ritti_stepper *step) {
  const implicit *I = step->own;
  int first = step->keep_x, m = step->m;
  ritt_real sum = 0;
  for (int i = first; i < m; i++) {
    ritt_real r = I->err[i] * I->per_scale[i];
    sum += r * r;
  }
  return m > first ? RITTI_MATH(sqrt)(sum / (ritt_real)(m - first)) : 0;
}

/* The collocation polynomial of the step before goes on. */
static void predict_stages(ritti_stepper *step) {
  implicit *I = step->own;
  const ritti_collocation *C = I->C;
  const ritti_integrals *P = &I->member[I->before].C.own;
  const int m = step->m, s = C->s, nodes = I->newton.predicts ? P->nodes : 0;
  if (I->system->normals) memset(I->N, 0, (size_t)(s * m) * sizeof *I->N);
  ritti_predict_stages(s, nodes, C->c, P->power, P->end, step->h, I->newton.old_h, I->old, m, I->Z);
  for (int i = 0; step->keep_x && i < s; i++) I->Z[i * m] = C->c[i] * step->h;
}

static void derive_stages(ritti_stepper *step) {
  implicit *I = step->own;
  const ritti_collocation *C = I->C;
  const ritt_real *from_start = C->first ? I->member[I->now].from_start : NULL;
#define CALL(s) ritti_derive_stages(s, C->inverse, from_start, step->m, step->h, I->Z, step->V)
  FOR_STAGES(C->s, CALL)
#undef CALL
  for (int i = 1; step->keep_x && i <= C->s; i++) step->V[i][0] = 1;
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
  const ritt_real *Z = I->Z + i * step->m, *from = step->z;
  ritt_real *restrict to = z;
  const int m = step->m;
  for (int l = 0; l < m; l++) to[l] = from[l] + Z[l];
  if (!S->normals) return RITT_OK;
  if (step->tableau->normals_at_start) return put_along_start(step, i, z);
  for (int l = 0; l < S->problem->k; l++) S->dnu[i * S->problem->k + l] = 0;
  return ritti_stepper_project(step, 0, z, z);
}

/* (5.4): the stage lies half-way to the projected end; V gets what that adds. */
static ritt_status go_half_way(ritti_stepper *step, ritt_real *V) {
  ritt_real *q = ((implicit *)step->own)->half;
  for (int l = 0; l < step->m; l++) step->end[l] = step->z[l] + step->h * V[l];
  RITT_TRY(ritti_stepper_project(step, 0, step->end, q));
  for (int l = 0; l < step->m; l++) V[l] += (q[l] - step->end[l]) / step->h;
  return RITT_OK;
}

/* The other unknowns of the linear systems; the rows of f have right sides. */
static void fill_others(ritti_stepper *step) {
  const implicit *I = step->own;
  const ritti_collocation *C = I->C;
  ritti_stage_system *S = I->system;
  int k = S->normals ? S->problem->k : 0;
  for (int i = 0; i < C->s; i++) {
    ritt_real *right = S->W + (size_t)i * (size_t)S->n;
    if (step->keep_x) right[0] = 0;
    for (int l = step->m; l < S->n; l++) right[l] = 0;
    for (int j = 0; j < C->s && k; j++)
      for (int l = 0; l < k; l++)
        right[S->at_nu + l] += C->T_inverse[i * C->s + j] * S->dnu[j * k + l];
  }
}

static ritt_status fill_residual(ritti_stepper *step) {
  implicit *I = step->own;
  const ritti_collocation *C = I->C;
  ritt_real gamma[RITTI_MOST_STAGES] = {0};
  const ritt_real *from_start = C->first ? I->member[I->now].from_start : NULL;
  for (int i = 0; i < C->s; i++) {
    ritt_real *V = step->V[1 + i];
    RITT_TRY(put_stage(step, i, step->a));
    RITT_TRY(ritti_direction_at(step->direction, step->a, V));
    if (I->system->normals && step->tableau->half_way) RITT_TRY(go_half_way(step, V));
  }
  for (int i = 0; i < C->s; i++) gamma[i] = C->gamma[i] / step->h;
#define CALL(s)                                                                                    \
  ritti_fill_stages(s, C->reals, C->T_inverse, gamma, from_start, step->keep_x, step->m, step->V,  \
                    I->W, I->system->n, I->system->W)
  FOR_STAGES(C->s, CALL)
#undef CALL
  if (step->keep_x || I->system->n > step->m) fill_others(step);
  return RITT_OK;
}

/* The solution of the linear systems is the change of the projected stages; that of Z has a part
 * along the normals, W^-1 df^T dmu, dmu_i = h sum_j a_ij dnu_j. */
static void add_normal_part(ritti_stepper *step) {
  implicit *I = step->own;
  ritti_stage_system *S = I->system;
  const ritti_collocation *C = I->C;
  int m = step->m, k = S->problem->k;
  bool at_start = step->tableau->normals_at_start;
  for (int i = 0; i < C->s; i++)
    for (int l = 0; l < k; l++) {
      ritt_real sum = 0;
      for (int j = 0; j < C->s; j++) sum += C->T[i * C->s + j] * S->W[j * S->n + S->at_nu + l];
      S->dnu[i * k + l] = sum;
    }
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
  transform_stages(step);
}

/* Is the contraction good enough? If not, *shorten is by how much the step should be shorter. */
static bool iteration_contracts(implicit *I, ritti_stage_progress *now, ritt_real left_over,
                                ritt_real *shorten) {
  if (now->done < 2) return true;
  *shorten = (ritt_real)0.5;
  if (!ritti_stage_newton_rate(&I->newton, now)) return false;
  ritt_real expected = ritti_stage_expectation(now, I->newton.iterations, I->newton.stop, left_over,
                                               I->newton.theta, &I->newton.eta);
  if (!(expected >= 1)) return true;
  *shorten = (ritt_real)0.8 / RITTI_MATH(sqrt)(RITTI_MATH(sqrt)(RITTI_MATH(fmin)(20, expected)));
  return false;
}

/* Is the change of the stages more than rounding of the coordinates as they are, however small? */
static bool stages_move(const ritti_stepper *step) {
  const implicit *I = step->own;
  int m = step->m;
  for (int i = 0; i < I->C->s * m; i++)
    if (i % m >= step->keep_x &&
        RITTI_MATH(fabs)(I->dZ[i]) > 1000 * RITTI_EPS * RITTI_MATH(fabs)(step->z[i % m]))
      return true;
  return false;
}

static inline void add_changes(int count, const ritt_real *dZ, const ritt_real *dW,
                               ritt_real *restrict Z, ritt_real *restrict W) {
  for (int l = 0; l < count; l++) Z[l] += dZ[l], W[l] += dW[l];
}

static bool is_midpoint(const implicit *I) {
  return I->C->s == 1 && !I->C->stiffly && !I->C->first;
}

/* Native code for the stages; NULL: there is none, or something asks for another way. */
static ritti_stage_function *find_native(const ritti_stepper *step) {
  const implicit *I = step->own;
  const ritti_problem *p = I->system->problem;
  if (!p->code.stages || !ritti_stage_system_is_plain(I->system) || !step->keep_x ||
      !step->relative || step->direction->arc || step->direction->problem != p ||
      step->direction->variant != RITTI_DIRECT_AUTO || I->C->first || is_midpoint(I))
    return NULL;
  /* it is a function that gives a function */
  /* cppcheck-suppress CastIntegerToAddressAtReturn */
  return p->code.stages(p->data, I->C->s);
}

static bool factor_blocks(ritti_stepper *step) {
  implicit *I = step->own;
  ritti_stage_function *native = find_native(step);
  ritti_stage_job job = {.task = RITTI_STAGE_FACTOR};
  if (native) ritti_stage_system_give(I->system, step->h, &job);
  return (native && native(&job)) || ritti_stage_system_factor(I->system, step->h);
}

/* Stages, V there and the estimate of the error by native code; false: it has not found them. */
static bool find_by_native(ritti_stepper *step) {
  implicit *I = step->own;
  const ritti_collocation *C = I->C;
  const ritti_integrals *P = &I->member[I->before].C.own;
  ritti_stage_function *native = I->newton.predicts ? find_native(step) : NULL;
  if (!native) return false;
  ritti_stage_job job = {.task = RITTI_STAGE_FIND,
                         .T = C->T,
                         .T_inverse = C->T_inverse,
                         .inverse = C->inverse,
                         .at0 = C->at0,
                         .c = C->c,
                         .power = P->power,
                         .end = P->end,
                         .stop = I->newton.stop,
                         .iterations = I->newton.iterations,
                         .eta = I->newton.eta,
                         .z = step->z,
                         .per_scale = I->per_scale,
                         .V = step->V,
                         .old = P->nodes == C->s ? I->old : NULL,
                         .old_h = I->newton.old_h,
                         .Z = I->Z,
                         .err = I->err,
                         .work = step->direction->work};
  ritti_stage_system_give(I->system, step->h, &job);
  if (!job.old) predict_stages(step);
  if (!native(&job)) return false;
  ritti_direction_taken(step->direction, (long)job.iterations * C->s);
  step->counts.iterations += job.iterations;
  I->newton.found = job.iterations;
  I->newton.eta = job.eta, I->newton.theta = job.theta;
  I->estimated = true;
  return true;
}

/* One iteration that changes little says nothing about the contraction, if no step before has told
 * it: beside a pole dV is so large that it looks like the end of a transient. A first step takes a
 * second iteration then, which must be much smaller. */
static ritt_status iterate_stages(ritti_stepper *step) {
  implicit *I = step->own;
  int s = I->C->s, m = step->m, first = step->keep_x;
  ritt_real shorten = (ritt_real)0.5, left_over;
  bool doubtful = false;
  if (find_by_native(step)) return RITT_OK;
  ritti_stage_progress now = ritti_stage_newton_start(&I->newton);
  predict_stages(step);
  transform_stages(step);
  while (now.done < I->newton.iterations) {
    RITT_TRY(fill_residual(step));
    ritti_stage_system_solve(I->system);
    step->counts.iterations++;
    if (!ritti_stage_next_change(&now, spread_changes(step, &left_over)))
      return ritti_stages_fail(step, shorten);
    bool ended = ritti_stage_newton_at_rounding(step, &now);
    if (doubtful && now.done == 2 && now.change > (ritt_real)0.3 * now.before && stages_move(step))
      return ritti_stages_fail(step, (ritt_real)0.1);
    if (!ended && !iteration_contracts(I, &now, left_over, &shorten))
      return ritti_stages_fail(step, shorten);
    for (int j = 0; j < s; j++)
      add_changes(m - first, I->dZ + j * m + first, I->system->W + j * I->system->n + first,
                  I->Z + j * m + first, I->W + j * m + first);
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

/* The order of the next step, by the contraction of the iteration in the last one: a fast iteration
 * says that a higher order pays, a slow one that a lower one does (E. Hairer, G. Wanner, Stiff
 * differential equations solved by Radau methods, J. Comput. Appl. Math. 111, 1999). */
static void choose_order(ritti_stepper *step) {
  enum { REST = 10 };
  implicit *I = step->own;
  const ritti_stage_newton *N = &I->newton;
  ritt_real growth = step->h / N->old_h;
  bool steady = growth > (ritt_real)0.8 && growth < (ritt_real)1.2;
  bool fast = N->found > 1 && N->theta <= (ritt_real)0.003;
  I->since++;
  if (N->theta >= (ritt_real)0.8 && steady && I->now > 0) change_order(step, I->now - 1);
  else if (fast && I->since > REST && I->now < I->highest) change_order(step, I->now + 1);
}

/* A step from a new point: the one before is known, and its derivatives may serve. */
static void begin_step(ritti_stepper *step) {
  implicit *I = step->own;
  int skip = I->C->first;
  ritti_stage_newton_begin(&I->newton, step->z);
  I->before = I->now;
  if (!I->newton.predicts) return;
  if (skip) memcpy(I->old[0], step->V[step->last], (size_t)step->m * sizeof **I->old);
  for (int i = 0; i < I->C->s; i++) {
    ritt_real *other = I->old[i + skip];
    I->old[i + skip] = step->V[1 + i];
    step->V[1 + i] = other;
  }
  if (I->members > 1 && step->relative && !I->is_part) choose_order(step);
}

/* Derivatives and factors for a step of length h. */
static ritt_status make_factors(ritti_stepper *step) {
  implicit *I = step->own;
  for (;;) {
    if (I->newton.stale) {
      ritt_status status = ritti_stage_system_look(I->system, step);
      bool lost = status == RITT_RETRY && step->direction->trouble == RITTI_NO_TROUBLE;
      /* derivatives may have no value at the last point with a V: those before it serve there */
      if (lost && !I->system->known) return ritti_stages_fail(step, 0);
      if (!lost) RITT_TRY(status);
      step->counts.jacobians++;
      I->newton.fresh = true;
      I->newton.stale = false;
      I->newton.factored = 0;
    }
    if (ritti_stage_newton_factored(&I->newton, step->h)) return RITT_OK;
    I->newton.factored = 0;
    step->counts.factorisations++;
    if (factor_blocks(step)) {
      I->newton.factored = step->h;
      return RITT_OK;
    }
    if (I->newton.fresh) return ritti_stages_fail(step, (ritt_real)0.5);
    I->newton.stale = true;
  }
}

/* Implicit kind: z and w of all stages together. */
static ritt_status find_joint_stages(ritti_stepper *step) {
  implicit *I = step->own;
  const member *M = &I->member[I->now];
  ritti_joint_stages *J;
  RITT_TRY(find_joint(step, M->C.s, &J));
  if (!J) return ritti_stages_fail(step, (ritt_real)0.5);
  ritti_joint_method method = {.inverse = M->C.inverse,
                               .from_start = M->from_start,
                               .scale = I->scale,
                               .stop = I->newton.stop};
  predict_stages(step);
  ritt_status status = ritti_joint_stages_find(J, step, &method, I->Z);
  if (status == RITT_RETRY) {
    memset(I->Z, 0, (size_t)(M->C.s * step->m) * sizeof *I->Z);
    for (int i = 0; i < M->C.s; i++) I->Z[i * step->m] = M->C.c[i] * step->h;
    status = ritti_joint_stages_find(J, step, &method, I->Z);
  }
  if (status == RITT_RETRY) {
    status = ritti_stages_fail(step, (ritt_real)0.3);
    step->direction->trouble = RITTI_NO_TOPS;
  }
  RITT_TRY(status);
  ritti_direction_begin_with(step->direction, J->w + (M->C.s - 1) * J->problem->tops);
  I->newton.theta = 2 * RITTI_STAGE_KEEP;
  I->newton.found = 1;
  return RITT_OK;
}

/* Problems of the implicit kind whose w is not found from z alone have both found together from
 * there on. */
static ritt_status find_stages(ritti_stepper *step, bool again) {
  implicit *I = step->own;
  while (!I->together) {
    ritt_status status = make_factors(step);
    if (status != RITT_OK && status != RITT_RETRY) return status;
    if (status == RITT_OK) {
      status = iterate_stages(step);
      if (status != RITT_RETRY) return status;
      I->newton.theta = 2 * RITTI_STAGE_KEEP;
      if (!I->newton.fresh) {
        I->newton.stale = true;
        continue;
      }
      step->counts.failures++;
      I->lower = again;
    }

    ritti_joint_stages *J;
    RITT_TRY(find_joint(step, I->C->s, &J));
    if (!J) return status;
    ritti_trouble trouble = step->direction->trouble;
    ritt_real shorten = step->shorten;
    status = find_joint_stages(step);
    I->together = status == RITT_OK;
    if (status != RITT_RETRY) return status;
    step->direction->trouble = trouble;
    step->shorten = shorten;
    return status;
  }
  return find_joint_stages(step);
}

ritt_status ritti_implicit_filter(ritti_stepper *step, ritt_real *v) {
  implicit *I = step->own;
  if (!I->together) {
    ritti_stage_system_filter(I->system, v);
    return RITT_OK;
  }
  ritti_joint_stages *J;
  RITT_TRY(find_joint(step, 1, &J));
  return ritti_joint_stages_filter(J, step, I->C->gamma0, v);
}

/* e = ((gamma0/h) I - dV)^-1 (V(at) - sum l_i(0) V_i): zero where V is a polynomial of degree s - 1
 */
static ritt_status filter_estimate(ritti_stepper *step, const ritt_real *V) {
  implicit *I = step->own;
  ritti_stage_defect(I->C->s, I->C->at0, step->m, V, step->V, I->err);
  if (step->keep_x) I->err[0] = 0;
  return ritti_implicit_filter(step, I->err);
}

/* The estimate of the error; where it rejects a step that is the first, or not the first try, it is
 * filtered once more. */
static ritt_status estimate_end_error(ritti_stepper *step, bool again) {
  implicit *I = step->own;
  if (!I->estimated) RITT_TRY(filter_estimate(step, step->V[0]));
  if ((I->newton.predicts && !again) || I->together) return RITT_OK;
  if (size_of_error(step) < 1) return RITT_OK;
  for (int l = 0; l < step->m; l++) step->a[l] = step->z[l] + I->err[l];
  ritt_status status = ritti_direction_at(step->direction, step->a, step->V[step->last]);
  if (status == RITT_OK) status = filter_estimate(step, step->V[step->last]);
  return status == RITT_RETRY ? RITT_OK : status;
}

/* The unprojected end, and its projection. */
static ritt_status finish_step(ritti_stepper *step, ritt_real x_new) {
  implicit *I = step->own;
  const ritti_collocation *C = I->C;
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
  if (I->lower && I->now > 0 && step->relative && !I->is_part) change_order(step, I->now - 1);
  I->lower = false;
  ritti_joint_stages *J;
  RITT_TRY(find_joint(step, I->C->s, &J));
  if (J && ritti_joint_stages_are_cheap(J->problem, J->s)) I->together = true;
  I->newton.done = I->estimated = false;
  I->newton.h = step->h;
  ritti_stages_scale(step, I->member[I->now].loose, I->scale);
  for (int i = 0; i < step->m; i++) I->per_scale[i] = 1 / I->scale[i];
  ritti_stage_system *S = I->system;
  if (S->normals && step->tableau->normals_at_start)
    RITT_TRY(
        S->problem->call.f_df(S->problem->data, step->direction->work, step->z, S->f, S->start_df));
  RITT_TRY(find_stages(step, again));
  if (!I->estimated) derive_stages(step);
  if (step->relative && !is_midpoint(I)) RITT_TRY(estimate_end_error(step, again));
  RITT_TRY(finish_step(step, x_new));
  step->caution = (ritt_real)(1 + 2 * I->newton.iterations) /
                  (ritt_real)(I->newton.found + 2 * I->newton.iterations);
  step->holds = I->newton.theta <= RITTI_STAGE_KEEP;
  I->newton.done = true;
  return RITT_OK;
}

/* Where the end is not a stage it may be off in stiff directions of which the stages know nothing: the
 * same estimate with the end in place of the start, whose V has that error times its eigenvalue. */
static void add_end(const ritti_stepper *step, ritt_real *err) {
  implicit *I = step->own;
  memcpy(err, step->V[step->last], (size_t)step->m * sizeof *err);
  for (int j = 0; j < I->C->s; j++)
    for (int l = 0; l < step->m; l++) err[l] -= I->C->at1[j] * step->V[1 + j][l];
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
  } else if (!I->C->stiffly) add_end(step, err);
  for (int l = 0; l < step->m; l++)
    err[l] = I->err[l] / (step->relative ? I->member[I->now].loose[l] : 1);
  return true;
}

/* The polynomial through the tops at the start and at the stages; with z, the point of T(z, top) = 0
 * nearby. */
static bool joint_tops(ritti_stepper *step, ritt_real theta, ritt_real *z, ritt_real *top) {
  const implicit *I = step->own;
  ritti_joint_stages *J, *point;
  if (ritti_implicit_in_part(step, theta)) {
    ritti_stepper *part = I->rows.part;
    return joint_tops(part, ritti_implicit_part_place(step, theta), z, top);
  }
  if (!I->together || find_joint(step, I->C->s, &J) != RITT_OK || !J) return false;
  int s = J->s, tops = J->problem->tops;
  for (int t = 0; t < tops; t++) top[t] = 0;
  for (int i = -1; i < s; i++) {
    const ritt_real *w = i < 0 ? step->top : J->w + i * tops, at = i < 0 ? 0 : I->C->c[i];
    ritt_real weight = i < 0 ? 1 : theta / at;
    for (int j = 0; j < s; j++)
      if (j != i) weight *= (theta - I->C->c[j]) / (at - I->C->c[j]);
    for (int t = 0; t < tops; t++) top[t] += weight * w[t];
  }
  if (z && find_joint(step, 1, &point) == RITT_OK && point)
    ritti_joint_stages_settle(point, step, I->scale, z, top);
  return true;
}

static ritt_real measure_length(const ritti_stepper *step, const ritt_real *weights) {
  const ritti_collocation *C = ((const implicit *)step->own)->C;
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
  ritti_state_ints(state, "implicit.now", &I->now, 1, 0, I->members - 1);
  ritti_state_ints(state, "implicit.before", &I->before, 1, 0, I->members - 1);
  ritti_state_ints(state, "implicit.since", &I->since, 1, 0, INT_MAX);
  ritti_state_bool(state, "implicit.lower", &I->lower);
  ritti_state_bool(state, "implicit.together", &I->together);
  ritti_state_ints(state, "implicit.parts", &I->rows.parts, 1, 0, RITTI_MOST_ROW_PARTS);
  I->rows.corrected = false;
  I->rows.taken = 0;
  ritti_stage_newton_state(&I->newton, step, state);
  int nodes = I->member[I->members - 1].C.own.nodes;
  for (int i = 0; i < nodes; i++) ritti_state_reals(state, "implicit.old", I->old[i], m);
  ritti_stage_system_state(system, state);
  if (state->mode != RITTI_STATE_LOAD) return;
  I->system = current ? system : NULL;
  use_member(step, I->now);
}

static ritt_real measure_stiffness(const ritti_stepper *step, const ritt_real *size,
                                   ritt_real *border) {
  const implicit *I = step->own;
  (void)size;
  *border = 0;
  return I->system ? RITTI_MATH(fabs)(step->h) * I->system->radius : 0;
}

static const ritti_stepping stepping = {.vectors = vectors,
                                        .last = last,
                                        .init = init_stepper,
                                        .prepare = prepare_problem,
                                        .ready = make_room,
                                        .forget = forget_point,
                                        .take = take_step,
                                        .error = estimate_error,
                                        .interpolate = ritti_implicit_interpolate,
                                        .joint_tops = joint_tops,
                                        .length = measure_length,
                                        .stiffness = measure_stiffness,
                                        .state = exchange_state};

const ritti_stepping *ritti_implicit_stepping(void) { return &stepping; }
