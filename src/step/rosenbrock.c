/* Linearly implicit (Rosenbrock) methods: no iterations, one Jacobian and one matrix for each step.
 *
 *     (1/(h gamma) I - dV) U_i = V(p + sum_{j<i} a_ij U_j) + (1/h) sum_{j<i} g_ij U_j + h g_i dV/dx,
 *     p_new = Pi(p + sum b_j U_j),   error: sum e_j U_j,
 *
 * as in section IV.7 of E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (1996), whose
 * C_ij are the g_ij here; h g_i is what U_i is in the coordinate x. The matrices are those of
 * stage_system.c. Stages are not projected. Problems with algebraic unknowns have V as a function of
 * the point, so that the method has its order for them, too.
 */
#include "step/implicit_impl.h"

typedef struct rosenbrock {
  ritti_collocation block; /* the one block that is factored: 1/gamma */
  ritti_arena *arena;
  ritti_stage_system *systems, *system; /* all made so far; the one in use */
  const ritt_real *from;                /* where its derivatives were taken; NULL: nowhere */
  bool looked;        /* a state was loaded that was saved after its derivatives were taken at z */
  ritt_real factored; /* h of its factors; 0: there are none */
  ritt_real *slope, *defect; /* m: room */
  ritt_real **spare;         /* stages: the U of the step, while a shorter one is taken for a row */
  bool good;                 /* the polynomial of the last step is accurate enough for rows */
} rosenbrock;

static int last(const ritti_tableau *t) { return t->stages + 1; }
static int vectors(const ritti_tableau *t) { return t->stages + 2; }

static ritt_status init_stepper(ritti_stepper *step, ritti_arena *arena) {
  rosenbrock *R;
  RITTI_NEW(R, arena, 1);
  RITTI_NEW(R->slope, arena, step->m);
  RITTI_NEW(R->defect, arena, step->m);
  RITTI_NEW(R->spare, arena, step->tableau->stages);
  for (int i = 0; i < step->tableau->stages; i++) RITTI_NEW(R->spare[i], arena, step->m);
  R->arena = arena;
  R->block = (ritti_collocation){.s = 1, .reals = 1, .gamma = {1 / step->tableau->gamma}};
  R->block.gamma0 = R->block.gamma[0];
  step->own = R;
  return RITT_OK;
}

static ritt_status find_system_of(ritti_stepper *step, const ritti_problem *p, bool arc,
                                  ritti_stage_system **out) {
  rosenbrock *R = step->own;
  return ritti_stage_system_find(&R->systems, p, &R->block, arc, false, step->algebra, R->arena,
                                 out);
}

static ritt_status find_system(ritti_stepper *step) {
  rosenbrock *R = step->own;
  const ritti_stage_system *before = R->system;
  RITT_TRY(
      find_system_of(step, step->direction->problem, step->direction->arc != NULL, &R->system));
  if (R->system != before) R->from = NULL;
  return RITT_OK;
}

static ritt_status prepare_problem(ritti_stepper *step, const ritti_problem *problem, bool arc) {
  ritti_stage_system *made;
  return find_system_of(step, problem, arc, &made);
}

static void forget_point(ritti_stepper *step) {
  rosenbrock *R = step->own;
  R->from = NULL;
  R->looked = false;
}

/* ---- the step ---- */

/* Native code for the stages; NULL: there is none, or something asks for another way. */
static ritti_stage_function *find_native(const ritti_stepper *step) {
  const rosenbrock *R = step->own;
  const ritti_problem *p = R->system->problem;
  if (!p->code.stages || !ritti_stage_system_is_plain(R->system) || !step->keep_x ||
      step->direction->arc || step->direction->problem != p ||
      step->direction->variant != RITTI_DIRECT_AUTO)
    return NULL;
  /* it is a function that gives a function */
  /* cppcheck-suppress CastIntegerToAddressAtReturn */
  return p->code.stages(p->data, RITTI_MOST_STAGES + step->tableau->stages);
}

/* Derivatives at the start of the step, unless it is tried again; the matrix for its length. */
static ritt_status make_factors(ritti_stepper *step) {
  rosenbrock *R = step->own;
  if (R->from != step->z) {
    /* a loaded state has counted them, and the power method has used them */
    bool wants = step->wants_radius, again = R->looked;
    R->looked = false;
    if (again) step->wants_radius = false;
    ritt_status status = ritti_stage_system_look(R->system, step);
    step->wants_radius = wants;
    bool lost = status == RITT_RETRY && step->direction->trouble == RITTI_NO_TROUBLE;
    if (lost) return ritti_stages_fail(step, 0);
    RITT_TRY(status);
    ritti_stage_system_slope_x(R->system);
    if (!again) step->counts.jacobians++;
    R->from = step->z;
    R->factored = 0;
  }
  if (R->factored == step->h) return RITT_OK;
  R->factored = 0;
  step->counts.factorisations++;
  ritti_stage_function *native = find_native(step);
  ritti_stage_job job = {.task = RITTI_STAGE_FACTOR};
  if (native) ritti_stage_system_give(R->system, step->h, &job);
  if (!(native && native(&job)) && !ritti_stage_system_factor(R->system, step->h))
    return ritti_stages_fail(step, (ritt_real)0.5);
  R->factored = step->h;
  return RITT_OK;
}

/* out = from + sum_{j<count} w_j U_j */
static void add_stages(const ritti_stepper *step, const ritt_real *from, const ritt_real *w,
                       int count, ritt_real *out) {
  ritti_combine_stages(0, step->m, from, 1, w, step->V + 1, count, out);
}

static ritt_status find_stage(ritti_stepper *step, int i) {
  const rosenbrock *R = step->own;
  const ritti_tableau *t = step->tableau;
  const int row = i * (i - 1) / 2, m = step->m;
  ritt_real *U = step->V[1 + i], weight[RITTI_MOST_TERMS];
  const ritt_real *V = step->V[0];
  if (i > 0) {
    add_stages(step, step->z, t->a + row, i, step->a);
    if (step->keep_x) step->a[0] = step->z[0] + t->c[i] * step->h;
    RITT_TRY(ritti_direction_at(step->direction, step->a, R->slope));
    V = R->slope;
  }
  for (int j = 0; j < i; j++) weight[j] = t->g[row + j] / step->h;
  add_stages(step, V, weight, i, U);
  ritti_stage_system_advance(R->system, step->h * t->g_sum[i], U);
  return ritti_are_finite((size_t)m, U) ? RITT_OK : ritti_stages_fail(step, (ritt_real)0.5);
}

static bool find_by_native(ritti_stepper *step) {
  const rosenbrock *R = step->own;
  const ritti_tableau *t = step->tableau;
  ritti_stage_function *native = find_native(step);
  if (!native) return false;
  ritti_stage_job job = {.task = RITTI_STAGE_LINEAR,
                         .a = t->a,
                         .g = t->g,
                         .g_sum = t->g_sum,
                         .c = t->c,
                         .z = step->z,
                         .V = step->V,
                         .work = step->direction->work};
  ritti_stage_system_give(R->system, step->h, &job);
  if (!native(&job)) return false;
  ritti_direction_taken(step->direction, t->stages - 1);
  return true;
}

static ritt_status find_stages(ritti_stepper *step) {
  RITT_TRY(find_system(step));
  RITT_TRY(make_factors(step));
  if (find_by_native(step)) return RITT_OK;
  for (int i = 0; i < step->tableau->stages; i++) RITT_TRY(find_stage(step, i));
  return RITT_OK;
}

static ritt_status take_step(ritti_stepper *step, ritt_real x_new) {
  const ritti_tableau *t = step->tableau;
  RITT_TRY(find_stages(step));
  add_stages(step, step->z, t->b, t->stages, step->end);
  if (step->keep_x) step->end[0] = x_new;
  return ritti_stepper_project(step, 0, step->end, step->z_new);
}

static bool estimate_error(const ritti_stepper *step, int which, ritt_real *err) {
  if (which > 0) return false;
  add_stages(step, NULL, step->tableau->e, step->tableau->stages, err);
  if (step->keep_x) err[0] = 0;
  return true;
}

/* ---- between the ends ---- */

/* z(u) = (1 - u) z_0 + u (z_1 + (1 - u) (K_1 + u (K_2 + ...))), K_q = sum_j d_qj U_j, z_1 the end
 * before its projection; or the derivative of this by x. */
static void evaluate_polynomial(const ritti_stepper *step, ritt_real u, bool slope, ritt_real *z) {
  const ritti_tableau *t = step->tableau;
  ritt_real w[RITTI_MOST_TERMS];
  for (int j = 0; j < t->stages; j++) {
    ritt_real sum = 0, by_u = 0; /* K_1 + u (K_2 + ...), and its derivative */
    for (int q = t->dense_degree - 1; q >= 0; q--) {
      by_u = by_u * u + sum;
      sum = sum * u + t->dense[q * t->stages + j];
    }
    w[j] = slope ? (t->b[j] + (1 - 2 * u) * sum + u * (1 - u) * by_u) / step->h
                 : u * (t->b[j] + (1 - u) * sum);
  }
  add_stages(step, slope ? NULL : step->z, w, t->stages, z);
}

static void exchange_stages(ritti_stepper *step) {
  const rosenbrock *R = step->own;
  for (int i = 0; i < step->tableau->stages; i++) {
    ritt_real *other = R->spare[i];
    R->spare[i] = step->V[1 + i];
    step->V[1 + i] = other;
  }
}

/* Is the polynomial within the tolerance? In long steps stiff parts may follow a solution which
 * no polynomial of this degree follows. Its defect d = V(P) - P' at three places, as the error
 * ((1/(h gamma)) I - dV)^-1 d, shows this: in stiff parts it is -dV^-1 d. */
static ritt_status judge_polynomial(ritti_stepper *step) {
  rosenbrock *R = step->own;
  const int first = step->keep_x ? 1 : 0, m = step->m;
  ritt_real *z = step->a, *V = R->defect;
  R->good = false;
  RITT_TRY(find_system(step));
  RITT_TRY(make_factors(step));
  for (int i = 1; i <= 3; i++) {
    const ritt_real theta = (ritt_real)i / 4;
    ritt_real sum = 0;
    evaluate_polynomial(step, theta, false, z);
    if (step->keep_x) z[0] = step->z[0] + theta * step->h;
    ritti_stepper_begin_tops(step, theta, step->direction->top);
    RITT_TRY(ritti_direction_at(step->direction, z, V));
    evaluate_polynomial(step, theta, true, R->slope);
    for (int l = 0; l < m; l++) V[l] -= R->slope[l];
    if (step->keep_x) V[0] = 0;
    ritti_stage_system_filter(R->system, V);
    for (int l = first; l < m; l++) {
      ritt_real size = RITTI_MATH(fmax)(RITTI_MATH(fabs)(step->z[l]), RITTI_MATH(fabs)(z[l]));
      ritt_real r = V[l] / (step->relative[l] * size + step->absolute[l]);
      sum += r * r;
    }
    if (!(sum <= (ritt_real)(m - first))) return RITT_OK;
  }
  R->good = true;
  return RITT_OK;
}

/* The end of a shorter step from the same start. */
static ritt_status take_shorter_step(ritti_stepper *step, ritt_real theta, ritt_real *z) {
  const ritti_tableau *t = step->tableau;
  const ritt_real h = step->h;
  exchange_stages(step);
  step->h = theta * h;
  ritti_direction_begin_with(step->direction, step->top);
  ritt_status status = find_stages(step);
  if (status == RITT_OK) add_stages(step, step->z, t->b, t->stages, z);
  step->h = h;
  exchange_stages(step);
  return status;
}

static ritt_status interpolate(ritti_stepper *step, ritt_real theta, ritt_real *z) {
  rosenbrock *R = step->own;
  ritti_trouble trouble = step->direction->trouble;
  if (!step->rough && theta > 0 && theta < 1) {
    ritt_status status = RITT_OK;
    if (!step->dense_ready) {
      step->dense_ready = true;
      R->good = false;
      if (step->relative) status = judge_polynomial(step);
    }
    if (status != RITT_RETRY) RITT_TRY(status);
    if (!R->good) {
      status = take_shorter_step(step, theta, z);
      step->direction->trouble = trouble;
      if (status != RITT_RETRY) return status;
    }
    step->direction->trouble = trouble;
  }
  evaluate_polynomial(step, theta, false, z);
  return RITT_OK;
}

/* by Simpson's rule */
static ritt_real measure_length(const ritti_stepper *step, const ritt_real *weights) {
  const rosenbrock *R = step->own;
  evaluate_polynomial(step, (ritt_real)0.5, true, R->slope);
  if (step->keep_x) R->slope[0] = 1;
  ritt_real ends = ritti_speed(step->m, step->V[0], weights) +
                   ritti_speed(step->m, step->V[step->last], weights);
  return RITTI_MATH(fabs)(step->h) * (ends + 4 * ritti_speed(step->m, R->slope, weights)) / 6;
}

static ritt_real measure_stiffness(const ritti_stepper *step, const ritt_real *size,
                                   ritt_real *border) {
  const rosenbrock *R = step->own;
  (void)size;
  *border = 0;
  return R->system ? RITTI_MATH(fabs)(step->h) * R->system->radius : 0;
}

/* Derivatives are taken again; the power method goes on. */
static void exchange_state(ritti_stepper *step, const ritti_problem *problem, ritti_state *state) {
  rosenbrock *R = step->own;
  ritti_stage_system *system;
  if (find_system_of(step, problem, step->direction->arc != NULL, &system) != RITT_OK) {
    state->misfit = "memory";
    return;
  }
  ritti_stage_system_state(system, state);
  ritti_state_bool(state, "rosenbrock.good", &R->good);
  bool looked = R->from == step->z;
  ritti_state_bool(state, "rosenbrock.looked", &looked);
  if (state->mode == RITTI_STATE_LOAD) R->from = NULL, R->looked = looked;
}

static const ritti_stepping stepping = {.vectors = vectors,
                                        .last = last,
                                        .init = init_stepper,
                                        .prepare = prepare_problem,
                                        .forget = forget_point,
                                        .take = take_step,
                                        .error = estimate_error,
                                        .interpolate = interpolate,
                                        .length = measure_length,
                                        .stiffness = measure_stiffness,
                                        .state = exchange_state};

const ritti_stepping *ritti_rosenbrock_stepping(void) { return &stepping; }
