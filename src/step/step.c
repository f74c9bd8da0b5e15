/* A step on M, whatever the family of its method, with dense output on M.
 *
 * In: a point of M, V there, h. Out: the new point of M and V there.
 */
#include "step/step.h"

static const ritti_stepping *stepping_of(const ritti_tableau *t, const ritti_problem *problem) {
  if (problem->strong && t->family == RITTI_IMPLICIT) return ritti_strong_stepping();
  switch (t->family) {
  case RITTI_EXPLICIT: return ritti_explicit_stepping();
  case RITTI_IMPLICIT: return ritti_implicit_stepping();
  case RITTI_ROSENBROCK: return ritti_rosenbrock_stepping();
  case RITTI_DOUBLED: return ritti_doubling_stepping();
  case RITTI_TAYLOR: return ritti_taylor_stepping();
  case RITTI_COVARIANT: return ritti_covariant_stepping();
  }
  return NULL;
}

ritt_status ritti_stepper_init(ritti_stepper *step, const ritti_tableau *tableau,
                               ritti_manifold *manifold, ritti_direction *direction,
                               ritti_arena *arena) {
  const ritti_stepping *by = stepping_of(tableau, manifold->problem);
  if (!by) return RITT_WRONG_CALL;
  return ritti_stepper_init_with(step, tableau, by, manifold, direction, arena);
}

ritt_status ritti_stepper_init_with(ritti_stepper *step, const ritti_tableau *tableau,
                                    const ritti_stepping *by, ritti_manifold *manifold,
                                    ritti_direction *direction, ritti_arena *arena) {
  int m = manifold->problem->m, tops = manifold->problem->tops;
  int vectors = by->vectors(tableau);
  ritti_family family = tableau->of ? tableau->of->family : tableau->family;
  bool series = family == RITTI_TAYLOR || family == RITTI_COVARIANT;
  bool other = manifold->problem->surfaces || manifold->problem->constraints;
  const ritti_tableau *stand_in = series && other ? ritti_method_find("dop853") : NULL;
  if (stand_in && ritti_explicit_stepping()->vectors(stand_in) > vectors)
    vectors = ritti_explicit_stepping()->vectors(stand_in);
  *step = (ritti_stepper){.tableau = tableau,
                          .chosen = tableau,
                          .stand_in = stand_in,
                          .by = by,
                          .manifold = manifold,
                          .direction = direction,
                          .outer = -1,
                          .m = m,
                          .last = by->last(tableau)};
  RITTI_NEW_ARRAYS(arena, m, step->z, step->z_new, step->end, step->a);
  RITTI_NEW_ARRAYS(arena, tops + 1, step->top, step->top_new);
  RITTI_NEW(step->V, arena, vectors);
  for (int i = 0; i < vectors; i++) RITTI_NEW(step->V[i], arena, m);
  return by->init ? by->init(step, arena) : RITT_OK;
}

bool ritti_stepper_is_strong(const ritti_stepper *step) {
  return step->by == ritti_strong_stepping();
}

const ritti_vibration *ritti_stepper_vibration(const ritti_stepper *step) {
  return step->vibration.first >= step->strongest.first ? &step->vibration : &step->strongest;
}

void ritti_stepper_slide(ritti_stepper *step, bool on) {
  if (!step->stand_in) return;
  step->tableau = on ? step->stand_in : step->chosen;
  step->by = stepping_of(step->tableau, step->manifold->problem);
  step->last = step->by->last(step->tableau);
}

ritt_status ritti_stepper_ready(ritti_stepper *step) {
  return step->by->ready ? step->by->ready(step) : RITT_OK;
}

ritt_status ritti_stepper_prepare(ritti_stepper *step, const ritti_problem *problem, bool arc) {
  return step->by->prepare ? step->by->prepare(step, problem, arc) : RITT_OK;
}

static void forget_steps(ritti_stepper *step) {
  if (step->by->forget) step->by->forget(step);
}

static void keep_top(const ritti_stepper *step, ritt_real *top) {
  memcpy(top, step->direction->top, (size_t)step->manifold->problem->tops * sizeof *top);
}

ritt_status ritti_stepper_place(ritti_stepper *step, const ritt_real *z) {
  memcpy(step->z, z, (size_t)step->m * sizeof *z);
  forget_steps(step);
  step->direction->reference = NULL;
  RITT_TRY(ritti_direction_solve_again(step->direction, step->z, step->V[0]));
  keep_top(step, step->top);
  if (step->by->tops) step->by->tops(step, -1, step->top);
  return RITT_OK;
}

ritt_status ritti_stepper_move(ritti_stepper *step, const ritt_real *z) {
  ritt_real *before = step->V[step->last];
  memcpy(before, step->V[0], (size_t)step->m * sizeof *before);
  memcpy(step->z, z, (size_t)step->m * sizeof *z);
  forget_steps(step);
  step->direction->reference = before;
  ritti_direction_begin_with(step->direction, step->top);
  RITT_TRY(ritti_direction_solve_again(step->direction, step->z, step->V[0]));
  keep_top(step, step->top);
  if (step->by->tops) step->by->tops(step, -1, step->top);
  return RITT_OK;
}

ritt_status ritti_stepper_project(ritti_stepper *step, ritt_real bend, const ritt_real *a,
                                  ritt_real *q) {
  ritti_manifold *M = step->manifold;
  M->predictor.scale = M->predictor.on ? bend : 0;
  if (M->predictor.scale != 0 && !step->predicted) {
    ritti_manifold_predict(M, step->z, step->V[0], step->h);
    step->predicted = true;
  }
  ritt_status status = ritti_manifold_project(M, a, q);
  M->predictor.scale = 0;
  return status;
}

bool ritti_stepper_foresee(ritti_stepper *step, ritt_real h, ritt_real *err) {
  if (!step->by->foresee) return false;
  step->h = h;
  step->direction->reference = step->V[0];
  step->manifold->cache.factored = 0;
  return step->by->foresee(step) == RITT_OK && step->by->error(step, 0, err);
}

void ritti_stepper_begin(ritti_stepper *step, ritt_real h) {
  step->h = h;
  step->dense_ready = false;
  step->shorten = 0;
  step->direction->reference = step->V[0];
  ritti_direction_begin_with(step->direction, step->top);
  step->predicted = step->complete = false;
  step->kept = 0;
  for (int i = 0; step->record && i <= step->tableau->stages; i++) step->record[i].valid = false;
  step->manifold->cache.factored = step->manifold->cache.sizes = step->manifold->cache.checked =
      step->manifold->cache.point_sizes = 0;
  step->manifold->cache.small[0].known = step->manifold->cache.small[1].known = false;
}

ritt_status ritti_stepper_take_end(ritti_stepper *step, ritt_real h, ritt_real x_new) {
  ritti_stepper_begin(step, h);
  step->manifold->cache.freeze = true;
  ritt_status status = step->by->take(step, x_new);
  step->manifold->cache.freeze = false;
  return status;
}

ritt_status ritti_stepper_take(ritti_stepper *step, ritt_real h, ritt_real x_new) {
  step->directed = true;
  ritt_status status = ritti_stepper_take_end(step, h, x_new);
  step->directed = false;
  RITT_TRY(status);
  if (ritti_stepper_joint_tops(step, 1, NULL, step->direction->top))
    ritti_direction_with_tops(step->direction, step->z_new, step->direction->top,
                              step->V[step->last]);
  else if (!step->complete)
    RITT_TRY(ritti_direction_at(step->direction, step->z_new, step->V[step->last]));
  keep_top(step, step->top_new);
  if (step->record && !step->complete)
    ritti_direction_keep(step->direction, step->z_new, &step->record[step->tableau->stages]);
  if (step->by->tops) step->by->tops(step, 1, step->top_new);
  return RITT_OK;
}

ritti_step_job *ritti_stepper_job(ritti_stepper *step, ritt_real h, ritt_real x_new) {
  const ritti_manifold *M = step->manifold;
  const ritti_problem *p = M->problem;

  /* code that was found once serves until the manifold or the variable of the run changes */
  if (!step->kernel || step->kernel_manifold != M || !step->keep_x) {
    bool small = ritti_are_small_rows(M->variant == RITTI_PROJECT_SEQUENTIAL, p->constraints, p->k);
    bool fits = small && step->relative && step->metric;
    step->kernel = fits ? ritti_stepper_step_function(step) : NULL;
    step->kernel_manifold = M;
    if (!step->kernel) return NULL;
  }
  ritti_stepper_begin(step, h);
  ritti_step_job *job = &step->job;
  job->h = h;
  job->x_new = x_new;
  job->directed = true;
  job->z = step->z;
  job->z_new = step->z_new;
  return job;
}

void ritti_stepper_take_answer(ritti_stepper *step) {
  const int tops = step->manifold->problem->tops;
  const ritt_real *from = step->direction->top;
  ritt_real *restrict to = step->top_new;
  ritti_stepper_collect_job(step, RITTI_STEP_WHOLE);
  step->complete = true;
  for (int i = 0; i < tops; i++) to[i] = from[i];
}

bool ritti_stepper_defect(const ritti_stepper *step, ritt_real *err) {
  if (!step->by->defect) return false;
  step->by->defect(step, err);
  return true;
}

static void swap_arrays(ritt_real **a, ritt_real **b) {
  ritt_real *c = *a;
  *a = *b;
  *b = c;
}

void ritti_stepper_accept(ritti_stepper *step) {
  swap_arrays(&step->z, &step->z_new);
  swap_arrays(&step->top, &step->top_new);
  swap_arrays(&step->V[0], &step->V[step->last]);
}

bool ritti_stepper_error(const ritti_stepper *step, int which, ritt_real *err) {
  return step->by->error(step, which, err);
}

void ritti_stepper_hermite(const ritti_stepper *step, ritt_real u, ritt_real *z) {
  const ritt_real *V0 = step->V[0], *V1 = step->V[step->last], h = step->h;
  ritt_real b0 = (1 + 2 * u) * (1 - u) * (1 - u), d0 = u * (1 - u) * (1 - u) * h,
            d1 = u * u * (u - 1) * h;
  for (int i = 0; i < step->m; i++)
    z[i] = b0 * step->z[i] + (1 - b0) * step->z_new[i] + d0 * V0[i] + d1 * V1[i];
}

ritt_status ritti_stepper_interpolate(ritti_stepper *step, ritt_real theta, ritt_real x,
                                      ritt_real *z) {
  RITT_TRY(step->by->interpolate(step, theta, z));
  if (step->keep_x) z[0] = x;
  return RITT_OK;
}

bool ritti_stepper_joint_tops(ritti_stepper *step, ritt_real theta, ritt_real *z, ritt_real *top) {
  return step->by->joint_tops && step->by->joint_tops(step, theta, z, top);
}

void ritti_stepper_begin_tops(ritti_stepper *step, ritt_real theta, ritt_real *top) {
  for (int i = 0; i < step->manifold->problem->tops; i++)
    top[i] = (1 - theta) * step->top[i] + theta * step->top_new[i];
  ritti_direction_begin_with(step->direction, top);
}

ritt_status ritti_stepper_dense(ritti_stepper *step, ritt_real theta, ritt_real x, ritt_real *z,
                                ritt_real *top) {
  RITT_TRY(ritti_stepper_interpolate(step, theta, x, z));
  RITT_TRY(ritti_manifold_project(step->manifold, z, z));
  if (ritti_stepper_joint_tops(step, theta, z, top)) {
    ritti_direction_with_tops(step->direction, z, top, step->a);
    return RITT_OK;
  }
  ritti_stepper_begin_tops(step, theta, top);
  RITT_TRY(ritti_direction_at(step->direction, z, step->a));
  keep_top(step, top);
  if (step->by->tops) step->by->tops(step, theta, top);
  return RITT_OK;
}

/* ---- lengths ---- */

ritt_real ritti_speed(int m, const ritt_real *V, const ritt_real *weights) {
  ritt_real square = 0;
  for (int i = 0; i < m; i++) square += weights[i] * V[i] * V[i];
  return RITTI_MATH(sqrt)(square);
}

ritt_real ritti_stepper_length(const ritti_stepper *step, const ritt_real *weights) {
  return step->complete && weights == step->metric ? step->job.norms.length
                                                   : step->by->length(step, weights);
}

/* five points of Gauss */
ritt_status ritti_stepper_length_to(ritti_stepper *step, ritt_real theta, const ritt_real *weights,
                                    ritt_real *z, ritt_real *top, ritt_real *length) {
  static const ritt_real at[] = {RITTI_D(0.0), RITTI_D(0.53846931010568309103631442070020880),
                                 RITTI_D(0.90617984593866399279762687829939297)};
  static const ritt_real weight[] = {RITTI_D(0.56888888888888888888888888888888889),
                                     RITTI_D(0.47862867049936646804129151483563819),
                                     RITTI_D(0.23692688505618908751426404071991736)};
  ritt_real sum = 0;
  for (int i = -2; i <= 2; i++) {
    ritt_real u = theta * (1 + (i < 0 ? -at[-i] : at[i])) / 2;
    RITT_TRY(ritti_stepper_dense(step, u, step->z[0] + u * step->h, z, top));
    sum += weight[i < 0 ? -i : i] * ritti_speed(step->m, step->a, weights);
  }
  *length = RITTI_MATH(fabs)(step->h) * theta * sum / 2;
  return RITT_OK;
}

/* ---- state ---- */

void ritti_stepper_state(ritti_stepper *step, const ritti_problem *problem, ritti_state *state) {
  size_t m = (size_t)step->m, tops = (size_t)problem->tops;
  ritti_state_bool(state, "step.keep_x", &step->keep_x);
  ritti_state_reals(state, "step.h", &step->h, 1);
  ritti_state_reals(state, "step.z", step->z, m);
  ritti_state_reals(state, "step.z_new", step->z_new, m);
  ritti_state_reals(state, "step.end", step->end, m);
  ritti_state_reals(state, "step.top", step->top, tops);
  ritti_state_reals(state, "step.top_new", step->top_new, tops);
  const ritti_tableau *t = step->tableau == step->stand_in ? step->stand_in : step->chosen;
  for (int i = 0; i < step->by->vectors(t); i++) ritti_state_reals(state, "step.V", step->V[i], m);
  ritti_state_bool(state, "step.predicted", &step->predicted);
  ritti_state_bool(state, "step.dense_ready", &step->dense_ready);
  ritti_state_reals(state, "step.loose", &step->loose, 1);
  ritti_state_long(state, "step.jacobians", &step->counts.jacobians);
  ritti_state_long(state, "step.factorisations", &step->counts.factorisations);
  ritti_state_long(state, "step.iterations", &step->counts.iterations);
  ritti_state_long(state, "step.failures", &step->counts.failures);
  if (step->by->state) step->by->state(step, problem, state);
}
