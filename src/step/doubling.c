/* Step doubling: a step of a method, the same way once more in two steps of half the length, and
 * the difference of the two ends as the estimate of the error,
 *
 *     (p_2 - p_1) / (2^r - 1),   r the order of the method;
 *
 * the run goes on from the end of the two (Hairer, Norsett and Wanner, Solving ODEs I, II.4). It
 * serves methods of every family. Where a step is taken again with half its length, the first of
 * its two halves is the whole step of the new one.
 *
 * Dense output is the quintic through both ends and the middle, or, for orders beyond, a shorter
 * step.
 */
#include "step/step.h"

typedef struct doubling {
  ritti_stepper inner;
  ritt_real *whole, *middle; /* ends of the whole step and of the first half */
  ritt_real *from;           /* where that half began, and */
  ritt_real half;            /* its length; 0: there is none */
} doubling;

ritti_tableau ritti_tableau_doubled(const ritti_tableau *t) {
  return (ritti_tableau){.name = t->name,
                         .family = RITTI_DOUBLED,
                         .of = t,
                         .order = t->order,
                         .embedded = t->order,
                         .stages = 3 * t->stages - 1,
                         .source = t->source};
}

/* V at the start, in the middle, at the end */
static int count_vectors(const ritti_tableau *t) {
  (void)t;
  return 3;
}

static int find_last(const ritti_tableau *t) {
  (void)t;
  return 2;
}

static ritt_status init_stepper(ritti_stepper *step, ritti_arena *arena) {
  doubling *D;
  RITTI_NEW(D, arena, 1);
  RITTI_NEW_ARRAYS(arena, step->m, D->whole, D->middle, D->from);
  step->own = D;
  return ritti_stepper_init(&D->inner, step->tableau->of, step->manifold, step->direction, arena);
}

static ritt_status make_room(ritti_stepper *step) {
  ritti_stepper *inner = &((doubling *)step->own)->inner;
  inner->algebra = step->algebra;
  inner->relative = step->relative, inner->absolute = step->absolute;
  inner->project_stages = step->project_stages, inner->keep_x = step->keep_x;
  return ritti_stepper_ready(inner);
}

static ritt_status prepare_problem(ritti_stepper *step, const ritti_problem *problem, bool arc) {
  return ritti_stepper_prepare(&((doubling *)step->own)->inner, problem, arc);
}

static void forget(ritti_stepper *step) { ((doubling *)step->own)->half = 0; }

static void copy_point(const ritti_stepper *step, ritt_real *to, const ritt_real *from) {
  memcpy(to, from, (size_t)step->m * sizeof *to);
}

/* The inner stepper stands at z with the direction V. */
static void place_inner(const ritti_stepper *step, ritti_stepper *inner, const ritt_real *z,
                        const ritt_real *V) {
  inner->manifold = step->manifold, inner->direction = step->direction;
  inner->keep_x = step->keep_x;
  copy_point(step, inner->z, z);
  copy_point(step, inner->V[0], V);
  if (inner->by->forget) inner->by->forget(inner);
}

static ritt_status take_both(ritti_stepper *step, ritt_real x_new) {
  doubling *D = step->own;
  ritti_stepper *inner = &D->inner;
  ritt_real half = step->h / 2;

  bool known = D->half != 0 &&
               RITTI_MATH(fabs)(step->h - D->half) <= 64 * RITTI_EPS * RITTI_MATH(fabs)(D->half) &&
               !memcmp(D->from, step->z, (size_t)step->m * sizeof *D->from);

  D->half = 0;
  if (known) {
    copy_point(step, D->whole, D->middle);
  } else {
    place_inner(step, inner, step->z, step->V[0]);
    RITT_TRY(ritti_stepper_take_end(inner, step->h, x_new));
    copy_point(step, D->whole, inner->z_new);
  }
  place_inner(step, inner, step->z, step->V[0]);
  RITT_TRY(ritti_stepper_take(inner, half, step->z[0] + half));
  copy_point(step, D->from, step->z);
  copy_point(step, D->middle, inner->z_new);
  copy_point(step, step->V[1], inner->V[inner->last]);
  D->half = half;
  ritti_stepper_accept(inner);
  RITT_TRY(ritti_stepper_take_end(inner, half, x_new));
  copy_point(step, step->end, inner->end);
  copy_point(step, step->z_new, inner->z_new);
  return RITT_OK;
}

static ritt_status take_step(ritti_stepper *step, ritt_real x_new) {
  ritti_stepper *inner = &((doubling *)step->own)->inner;
  inner->counts = step->counts;
  ritt_status status = take_both(step, x_new);
  step->direction->reference = step->V[0];
  step->counts = inner->counts;
  step->shorten = inner->shorten;
  return status;
}

static bool estimate_error(const ritti_stepper *step, int which, ritt_real *err) {
  const doubling *D = step->own;
  ritt_real more = 1;
  if (which != 0) return false;
  for (int i = 0; i < step->tableau->order; i++) more *= 2;
  for (int i = 0; i < step->m; i++) err[i] = (step->z_new[i] - D->whole[i]) / (more - 1);
  return true;
}

/* The quintic with the values and derivatives at 0, 1/2 and 1, by divided differences; a, c, e:
 * first ones. */
static ritt_real evaluate_quintic(ritt_real u, ritt_real z0, ritt_real a, ritt_real z1, ritt_real c,
                                  ritt_real z2, ritt_real e) {
  ritt_real b = 2 * (z1 - z0), d = 2 * (z2 - z1), v = u - (ritt_real)0.5;
  ritt_real a2 = 2 * (b - a), b2 = 2 * (c - b), c2 = 2 * (d - c), d2 = 2 * (e - d);
  ritt_real a3 = 2 * (b2 - a2), b3 = c2 - b2, c3 = 2 * (d2 - c2);
  ritt_real a4 = b3 - a3, b4 = c3 - b3;
  return z0 + u * (a + u * (a2 + v * (a3 + v * (a4 + (u - 1) * (b4 - a4)))));
}

/* From the start or from the middle. */
static ritt_status shorter_step(ritti_stepper *step, ritt_real theta, ritt_real *z) {
  doubling *D = step->own;
  bool late = theta > (ritt_real)0.5;
  ritt_real h = (late ? theta - (ritt_real)0.5 : theta) * step->h;
  place_inner(step, &D->inner, late ? D->middle : step->z, step->V[late ? 1 : 0]);
  RITT_TRY(ritti_stepper_take_end(&D->inner, h, D->inner.z[0] + h));
  copy_point(step, z, D->inner.z_new);
  return RITT_OK;
}

static ritt_status interpolate_step(ritti_stepper *step, ritt_real theta, ritt_real *z) {
  const doubling *D = step->own;
  const ritt_real h = step->h, *V0 = step->V[0], *V1 = step->V[1], *V2 = step->V[2];
  if (step->tableau->order > 5) return shorter_step(step, theta, z);
  for (int i = 0; i < step->m; i++)
    z[i] = evaluate_quintic(theta, step->z[i], h * V0[i], D->middle[i], h * V1[i], step->z_new[i],
                            h * V2[i]);
  return RITT_OK;
}

/* by Simpson's rule */
static ritt_real measure_length(const ritti_stepper *step, const ritt_real *weights) {
  ritt_real speed[3];
  for (int i = 0; i < 3; i++) speed[i] = ritti_speed(step->m, step->V[i], weights);
  return RITTI_MATH(fabs)(step->h) * (speed[0] + 4 * speed[1] + speed[2]) / 6;
}

/* of the second half */
static ritt_real measure_stiffness(const ritti_stepper *step, const ritt_real *size,
                                   ritt_real *border) {
  ritti_stepper *inner = &((doubling *)step->own)->inner;
  if (!inner->by->stiffness) return 0;
  copy_point(step, inner->V[inner->last], step->V[step->last]);
  return inner->by->stiffness(inner, size, border);
}

static void exchange_state(ritti_stepper *step, const ritti_problem *problem, ritti_state *state) {
  doubling *D = step->own;
  ritti_state_reals(state, "doubling.half", &D->half, 1);
  ritti_state_reals(state, "doubling.from", D->from, (size_t)step->m);
  ritti_state_reals(state, "doubling.middle", D->middle, (size_t)step->m);
  ritti_stepper_state(&D->inner, problem, state);
}

static const ritti_stepping stepping = {.vectors = count_vectors,
                                        .last = find_last,
                                        .init = init_stepper,
                                        .prepare = prepare_problem,
                                        .ready = make_room,
                                        .forget = forget,
                                        .take = take_step,
                                        .error = estimate_error,
                                        .interpolate = interpolate_step,
                                        .length = measure_length,
                                        .stiffness = measure_stiffness,
                                        .state = exchange_state};

const ritti_stepping *ritti_doubling_stepping(void) { return &stepping; }
