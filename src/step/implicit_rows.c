/* Rows inside the steps of implicit methods.
 *
 * The collocation polynomial P of a step has a lower order than the end of the step. Its error e
 * solves e' = dV e + d, where the defect d = V(P) - P' is 0 at the nodes: it is nearly a multiple of
 * M(u) = prod (u - c_i), and d(0) is known. So a method whose first stage is not the start adds
 *
 *     d(0) h (integral of M from 0 to u) / M(0),
 *
 * which is 0 at the end and makes the polynomial better by one order. d(0) is filtered as in the
 * error estimate, twice, so that stiff parts, for which this is wrong, do not count.
 *
 * The first row inside a step measures the defect of this polynomial. If the error that it stands
 * for exceeds the tolerance, the step is taken once more for its rows, by a stepper of its own, in
 * as many parts as bring their polynomials within the tolerance. The steps of the run do not change.
 * Steps of constant length have no tolerance: a row is there the end of a shorter step if the
 * polynomial has not the order of the method.
 */
#include "step/implicit_impl.h"

/* ---- the polynomial ---- */

static ritt_real evaluate_powers(const ritt_real *p, int count, ritt_real u) {
  ritt_real sum = 0;
  for (int q = count - 1; q >= 0; q--) sum = sum * u + p[q];
  return sum;
}

/* slope: the derivative of z by the variable of the run; or NULL */
static void evaluate_polynomial(const ritti_stepper *step, ritt_real theta, ritt_real *z,
                                ritt_real *slope) {
  const ritti_implicit *I = step->own;
  const ritti_collocation *C = I->C;
  const ritti_integrals *P = &C->dense;
  int skip = P->at[0] == 0 ? 0 : 1, m = step->m;
  memcpy(z, step->z, (size_t)m * sizeof *z);
  for (int l = 0; slope && l < m; l++) slope[l] = 0;
  for (int j = 0; j < P->nodes; j++) {
    const ritt_real w = step->h * ritti_integral_at(P, j, theta), *V = step->V[j + skip];
    for (int l = 0; l < m; l++) z[l] += w * V[l];
    if (!slope) continue;
    ritt_real lagrange = ritti_lagrange_at(P, j, theta);
    for (int l = 0; l < m; l++) slope[l] += lagrange * V[l];
  }
  if (!I->rows.corrected) return;
  ritt_real w = evaluate_powers(C->correction, C->s + 2, theta);
  for (int l = 0; l < m; l++) z[l] += w * I->rows.correction[l];
  if (!slope) return;
  w = evaluate_powers(C->defect, C->s + 1, theta) / step->h;
  for (int l = 0; l < m; l++) slope[l] += w * I->rows.correction[l];
}

/* A defect becomes an error: h times it, without its stiff parts. */
static ritt_status filter_defect(ritti_stepper *step, ritt_real *d) {
  const ritti_implicit *I = step->own;
  ritt_real gamma = I->C->gamma0, weight = gamma * gamma / step->h;
  if (step->keep_x) d[0] = 0;
  RITT_TRY(ritti_implicit_filter(step, d));
  RITT_TRY(ritti_implicit_filter(step, d));
  for (int l = 0; l < step->m; l++) d[l] *= weight;
  return RITT_OK;
}

static ritt_status find_correction(ritti_stepper *step) {
  ritti_implicit *I = step->own;
  const ritti_collocation *C = I->C;
  ritt_real *d = I->rows.correction;
  memcpy(d, step->V[0], (size_t)step->m * sizeof *d);
  for (int j = 0; j < C->s; j++)
    for (int l = 0; l < step->m; l++) d[l] -= C->at0[j] * step->V[1 + j][l];
  RITT_TRY(filter_defect(step, d));
  I->rows.corrected = true;
  return RITT_OK;
}

/* ---- is it good enough? ---- */

/* The error of the polynomial in units of the tolerance, about: the defect, filtered once. A defect
 * u M(u) makes an error of at most 0.7 h/s times its largest value, which is 0.9 of what the filter
 * makes of it; stiff parts have the error -dV^-1 d, and so does the filter. The defects at both
 * places are not small. */
static ritt_status measure_polynomial(ritti_stepper *step, ritt_real *error) {
  ritti_implicit *I = step->own;
  const ritti_collocation *C = I->C;
  const int first = step->keep_x ? 1 : 0, m = step->m;
  ritt_real *z = I->half, *slope = step->end, *V = I->err, worst = 0;
  for (int gap = C->s > 1 ? C->s - 2 : 0; gap < C->s; gap++) {
    ritt_real theta = (C->c[gap] + (gap > 0 ? C->c[gap - 1] : 0)) / 2, sum = 0;
    evaluate_polynomial(step, theta, z, slope);
    if (step->keep_x) z[0] = step->z[0] + theta * step->h;
    if (I->system->normals) RITT_TRY(ritti_manifold_project(step->manifold, z, z));
    ritti_stepper_begin_tops(step, theta, step->direction->top);
    RITT_TRY(ritti_direction_at(step->direction, z, V));
    for (int l = 0; l < m; l++) V[l] -= slope[l];
    if (step->keep_x) V[0] = 0;
    RITT_TRY(ritti_implicit_filter(step, V));
    for (int i = first; i < m; i++) {
      ritt_real size = RITTI_MATH(fmax)(RITTI_MATH(fabs)(step->z[i]), RITTI_MATH(fabs)(z[i]));
      ritt_real r = V[i] / (step->relative[i] * size + step->absolute[i]);
      sum += r * r;
    }
    worst = RITTI_MATH(fmax)(worst, m > first ? sum / (ritt_real)(m - first) : 0);
  }
  *error = (ritt_real)1.5 * RITTI_MATH(sqrt)(worst);
  return RITT_OK;
}

/* In how many parts must the step be taken? One, if the error cannot be measured. */
static ritt_status judge_polynomial(ritti_stepper *step) {
  ritti_implicit *I = step->own;
  ritti_trouble trouble = step->direction->trouble;
  ritt_real error, reached = 1;
  I->rows.parts = 1;
  I->rows.taken = 0;
  int order = I->C->dense.nodes + 1;
  ritt_status status = measure_polynomial(step, &error);
  if (status == RITT_OK)
    for (; !(error <= reached) && I->rows.parts < RITTI_MOST_ROW_PARTS; I->rows.parts++) {
      ritt_real n = (ritt_real)(I->rows.parts + 1);
      reached = 1;
      for (int k = 0; k < order; k++) reached *= n;
    }
  step->direction->trouble = trouble;
  return status == RITT_RETRY ? RITT_OK : status;
}

/* ---- parts ---- */

static ritt_status make_part(ritti_stepper *step) {
  ritti_implicit *I = step->own;
  if (I->rows.part) return RITT_OK;
  ritti_stepper *part;
  RITTI_NEW(part, I->arena, 1);
  RITT_TRY(ritti_stepper_init_with(part, step->chosen, step->by, step->manifold, step->direction,
                                   I->arena));
  part->algebra = step->algebra;
  part->relative = step->relative, part->absolute = step->absolute;
  part->project_stages = step->project_stages, part->keep_x = step->keep_x;
  part->weighted = step->weighted;
  RITT_TRY(ritti_stepper_ready(part));
  I->rows.part = part;
  return RITT_OK;
}

ritt_status ritti_implicit_prepare_rows(ritti_stepper *step, const ritti_problem *problem,
                                        bool arc) {
  ritti_implicit *I = step->own;
  if (I->is_part) return RITT_OK;
  RITT_TRY(make_part(step));
  ((ritti_implicit *)I->rows.part->own)->is_part = true;
  return ritti_stepper_prepare(I->rows.part, problem, arc);
}

/* Back to the start of the step. */
static void restart_part(const ritti_stepper *step, ritti_stepper *part) {
  size_t m = (size_t)step->m, tops = (size_t)step->manifold->problem->tops;
  part->manifold = step->manifold, part->direction = step->direction;
  part->keep_x = step->keep_x, part->loose = step->loose;
  memcpy(part->z, step->z, m * sizeof *part->z);
  memcpy(part->V[0], step->V[0], m * sizeof *part->z);
  memcpy(part->top, step->top, tops * sizeof *part->top);
  ritti_implicit_restart(part, step);
}

/* The parts up to the wanted one, each of length h. */
static ritt_status take_parts(ritti_stepper *step, long wanted, ritt_real h) {
  ritti_implicit *I = step->own;
  ritti_stepper *part = I->rows.part;
  if (I->rows.taken == 0 || I->rows.taken > wanted) {
    restart_part(step, part);
    I->rows.taken = 0;
  }
  ritti_trouble trouble = step->direction->trouble;
  ritt_status status = RITT_OK;
  for (; I->rows.taken < wanted && status == RITT_OK; I->rows.taken++) {
    if (I->rows.taken > 0) ritti_stepper_accept(part);
    status = ritti_stepper_take(part, h, step->z[0] + h * (ritt_real)(I->rows.taken + 1));
  }
  if (status != RITT_OK) I->rows.taken = 0;
  step->counts.jacobians += part->counts.jacobians;
  step->counts.factorisations += part->counts.factorisations;
  step->counts.iterations += part->counts.iterations;
  part->counts = (ritti_stage_counts){0};
  step->direction->reference = step->V[0];
  step->direction->trouble = trouble;
  return status;
}

static long number_of_part(const ritti_implicit *I, ritt_real theta) {
  long wanted = 1 + (long)(theta * (ritt_real)I->rows.parts);
  return wanted < I->rows.parts ? wanted : I->rows.parts;
}

bool ritti_implicit_in_part(const ritti_stepper *step, ritt_real theta) {
  const ritti_implicit *I = step->own;
  return step->dense_ready && I->rows.parts > 1 && I->rows.taken > 0 &&
         I->rows.taken == number_of_part(I, theta);
}

ritt_real ritti_implicit_part_place(const ritti_stepper *step, ritt_real theta) {
  const ritti_implicit *I = step->own;
  return theta * (ritt_real)I->rows.parts - (ritt_real)(number_of_part(I, theta) - 1);
}

static ritt_status interpolate_part(ritti_stepper *step, ritt_real theta, ritt_real *z) {
  ritti_implicit *I = step->own;
  RITT_TRY(make_part(step));
  RITT_TRY(take_parts(step, number_of_part(I, theta), step->h / (ritt_real)I->rows.parts));
  ritti_stepper *part = I->rows.part;
  return ritti_stepper_interpolate(part, ritti_implicit_part_place(step, theta), 0, z);
}

/* The end of a shorter step from the same start. */
static ritt_status take_shorter_step(ritti_stepper *step, ritt_real theta, ritt_real *z) {
  ritti_implicit *I = step->own;
  RITT_TRY(make_part(step));
  I->rows.taken = 0;
  RITT_TRY(take_parts(step, 1, theta * step->h));
  memcpy(z, I->rows.part->z_new, (size_t)step->m * sizeof *z);
  I->rows.taken = 0;
  return RITT_OK;
}

/* ---- a point inside the step ---- */

ritt_status ritti_implicit_interpolate(ritti_stepper *step, ritt_real theta, ritt_real *z) {
  ritti_implicit *I = step->own;
  const ritti_collocation *C = I->C;
  if (C->dense.nodes == 0) {
    ritti_stepper_hermite(step, theta, z);
    return RITT_OK;
  }
  bool judged = step->relative && !I->is_part && !step->rough;
  if (!step->dense_ready) I->rows.corrected = false, I->rows.parts = 0;
  step->dense_ready = true;

  /* a correction that cannot be computed is left out */
  if (C->corrected && !step->rough && !I->rows.corrected) {
    ritt_status status = find_correction(step);
    if (status != RITT_OK && status != RITT_RETRY) return status;
  }
  if (judged && I->rows.parts == 0) RITT_TRY(judge_polynomial(step));
  if (judged && I->rows.parts > 1) {
    ritt_status status = interpolate_part(step, theta, z);
    if (status != RITT_RETRY) return status;
    I->rows.parts = 1;
  }
  bool low = C->corrected && step->tableau->order > C->s + 2;
  if (!step->relative && low && !I->is_part && !step->rough && theta > 0 && theta < 1) {
    ritt_status status = take_shorter_step(step, theta, z);
    if (status != RITT_RETRY) return status;
  }
  evaluate_polynomial(step, theta, z, NULL);
  return RITT_OK;
}
