/* Explicit tableaux: the library's instance of the step kernel (geometry/step_kernel.h), and dense
 * output.
 *
 *     p_i = Pi(p + h sum a_ij V(p_j)),    p_new = Pi(p + h sum b_j V(p_j)).
 *
 * With W = V o Pi the stages are the classical ones of u' = W(u), so the method keeps its classical
 * order (docs/methods.md); stages are projected, or only the end if V extends smoothly off M.
 */
#include "step/step.h"

enum { MOST_PARTS = 16 };

typedef struct explicit {
  ritt_real **V;       /* stages of shorter steps, if dense output is made of them; else NULL */
  ritt_real stability; /* the method damps h lambda down to minus this; 0: unknown */
  ritti_stepper *part; /* takes the last step again in parts, if its polynomial is poor; or NULL */
  /* the number of parts (0: the polynomial has not been judged, 1: it is good), and how many of them
   * have been taken */
  int parts;
  long taken;
}
explicit;

static int count_vectors(const ritti_tableau *t) { return t->stages + 1 + t->extra; }
static int find_last(const ritti_tableau *t) { return t->stages; }

/* ---- the library's instance of the kernel ---- */

/* What the kernel hands to the functions below. */
typedef struct library_step {
  ritti_stepper *step;
  ritt_status *status; /* why a point does not exist */
} library_step;

/* How far a point of the step falls short of the second-order term of the solution, in units of h^2:
 * its bend for the predictor. */
static ritt_real bend_of(const ritti_tableau *t, ritti_step_point point) {
  ritt_real bend = point.c * point.c / 2;
  for (int j = 1; j < point.count; j++) {
    ritt_real c = 1;
    if (j < t->stages) c = t->c[j];
    else if (j > t->stages) c = t->extra_c[j - t->stages - 1];
    bend -= point.w[j] * c;
  }
  return RITTI_MATH(fabs)(bend) < (ritt_real)1e-12 ? 0 : bend;
}

static bool project_point(const void *data, ritti_step_point point, const ritt_real *from,
                          ritt_real *q) {
  const library_step *own = data;
  ritti_stepper *step = own->step;
  ritti_manifold *M = step->manifold;
  ritt_real bend = M->predictor.on ? bend_of(step->tableau, point) : 0;
  *(point.last ? &M->end_tolerance : &M->stage_tolerance) = step->loose;
  *own->status = ritti_stepper_project(step, bend, from, q);
  M->stage_tolerance = M->end_tolerance = 0;
  return *own->status == RITT_OK;
}

static bool find_direction(const void *data, const ritt_real *q, ritt_real *V) {
  const library_step *own = data;
  ritti_stepper *step = own->step;
  *own->status = ritti_direction_at(step->direction, q, V);
  if (*own->status != RITT_OK) return false;
  if (!step->record) return true;
  for (int i = 1; i < step->tableau->stages; i++)
    if (V == step->V[i]) {
      ritti_direction_keep(step->direction, q, &step->record[i]);
      break;
    }
  return true;
}

/* The kernel's view of the stepper: everything in place. */
typedef struct kernel_view {
  library_step own;
  ritti_step_problem problem;
  ritti_step_method method;
  ritti_kernel_step step;
  int first; /* 1 in runs over x, whose coordinate is set, not integrated */
} kernel_view;

static void view_stepper(ritti_stepper *step, ritt_real h, ritt_real *const *V, ritt_status *status,
                         kernel_view *K) {
  const ritti_tableau *t = step->tableau;
  K->own = (library_step){step, status};
  K->problem = (ritti_step_problem){.m = step->m,
                                    .k = step->manifold->problem->k,
                                    .data = &K->own,
                                    .project = project_point,
                                    .direct = find_direction};
  K->method = (ritti_step_method){
      .project_stages = step->project_stages, .stages = t->stages, .a = t->a, .b = t->b, .c = t->c};
  /* the kernel reads no more of a step with functions of its own */
  K->step.h = h;
  K->step.z = step->z;
  K->step.V = V;
  K->step.point = K->step.stage_from = step->a;
  K->step.z_new = step->z_new;
  K->step.end_from = step->end;
  K->first = step->keep_x ? 1 : 0;
}

/* The points begin .. end of a step of length h, with stages in V; x_new: where the step ends. */
static ritt_status take_points(ritti_stepper *step, ritt_real h, ritt_real x_new,
                               ritt_real *const *V, int begin, int end) {
  ritt_status status = RITT_OK;
  kernel_view K;
  view_stepper(step, h, V, &status, &K);
  K.step.x_new = x_new;
  ritti_take_points(&K.step, &K.problem, &K.method, K.first, begin, end, false);
  return status;
}

/* ---- steps in native code ---- */

ritti_step_function *ritti_stepper_step_function(ritti_stepper *step) {
  ritti_step_job *W = &step->job;
  ritti_manifold *M = step->manifold;
  ritti_direction *D = step->direction;
  const ritti_problem *p = M->problem;
  if (step->by != ritti_explicit_stepping() || !p->code.step || D->problem != p || !step->keep_x ||
      M->predictor.on ||
      (M->variant != RITTI_PROJECT_GAUSS && M->variant != RITTI_PROJECT_SEQUENTIAL) ||
      M->reuse == RITTI_REUSE_ON || D->variant != RITTI_DIRECT_AUTO || D->arc)
    return NULL;
  W->factors = p->symmetric ? ritti_linear_dense(&D->kkt) : NULL;
  if (p->symmetric && !W->factors) return NULL;
  W->spread = M->inverse_weights, W->size = M->size, W->work = M->work;
  W->relative = step->relative, W->absolute = step->absolute, W->metric = step->metric;
  W->end = step->end, W->V = step->V, W->point = step->a, W->top = D->top;
  /* it is a function that gives a function */
  /* cppcheck-suppress CastIntegerToAddressAtReturn */
  return p->code.step(p->data, W->key);
}

ritti_step_job *ritti_stepper_fill_job(ritti_stepper *step, ritt_real x_new) {
  ritti_step_job *W = &step->job;
  W->h = step->h, W->x_new = x_new, W->directed = step->directed;
  W->z = step->z, W->z_new = step->z_new;
  return W;
}

int ritti_stepper_collect_job(ritti_stepper *step, int done) {
  ritti_step_job *W = &step->job;
  ritti_manifold *M = step->manifold;
  if (done == RITTI_STEP_NOTHING) return done;
  step->loose = W->loose;
  if (W->kept) step->kept = step->tableau->stages - (done != RITTI_STEP_WHOLE);
  ritti_direction_taken(step->direction, step->tableau->stages - (done != RITTI_STEP_WHOLE));
  if (done == RITTI_STEP_STAGES) return done;
  if (M->problem->k) M->counts.projections += step->project_stages ? step->tableau->stages : 1;
  M->counts.idle += W->idle;
  M->counts.iterations += W->iterations;
  M->counts.factorisations += W->factorisations;
  if (W->most > M->counts.most) M->counts.most = (int)W->most;
  return done;
}

static ritt_status take_step(ritti_stepper *step, ritt_real x_new) {
  const int stages = step->tableau->stages;
  ritti_step_function *native = ritti_stepper_step_function(step);
  int done = RITTI_STEP_NOTHING;
  if (native) done = ritti_stepper_collect_job(step, native(ritti_stepper_fill_job(step, x_new)));
  step->complete = done == RITTI_STEP_WHOLE;
  if (done == RITTI_STEP_WHOLE || done == RITTI_STEP_END) return RITT_OK;
  if (done == RITTI_STEP_STAGES) return take_points(step, step->h, x_new, step->V, stages, stages);

  step->loose = 0;
  if (step->relative)
    step->loose = ritti_stage_tolerance(step->m, step->keep_x ? 1 : 0, step->z, step->relative,
                                        step->absolute, step->manifold->size);
  return take_points(step, step->h, x_new, step->V, 1, stages);
}

static bool estimate_error(const ritti_stepper *step, int which, ritt_real *err) {
  const ritti_tableau *t = step->tableau;
  const ritt_real *weights = which == 0 ? t->e : which == 1 ? t->e3 : NULL;
  int count = t->stages + t->fsal;
  if (!weights) return false;
  ritti_combine_stages(0, step->m, NULL, step->h, weights, step->V, count, err);
  return true;
}

/* ---- dense output ---- */

/* The cubic of Hermite has order 3: enough for methods up to order 4. */
static bool by_shorter_steps(const ritti_tableau *t) { return !t->dense && t->order > 4; }

static uint64_t sum_up(uint64_t sum, const ritt_real *at, int count) {
  sum = ritti_checksum(sum, &count, sizeof count);
  return at ? ritti_checksum(sum, at, (size_t)count * sizeof *at) : sum;
}

bool ritti_tableau_step_method(const ritti_tableau *t, bool project_stages, bool sequential,
                               bool weighted, ritti_step_method *out) {
  int s = t->stages, estimates = s + t->fsal;
  if (t->family != RITTI_EXPLICIT) return false;
  uint64_t key = sum_up(RITTI_CHECKSUM, t->a, s * (s - 1) / 2);
  key = sum_up(sum_up(key, t->b, s), t->c, s);
  key = sum_up(sum_up(key, t->e, t->e ? estimates : 0), t->e3, t->e3 ? estimates : 0);
  *out = (ritti_step_method){.key = 8 * (unsigned long)key + (weighted ? 4 : 0) +
                                    (project_stages ? 2 : 0) + (sequential ? 1 : 0),
                             .project_stages = project_stages,
                             .sequential = sequential,
                             .weighted = weighted,
                             .stages = s,
                             .fsal = t->fsal,
                             .a = t->a,
                             .b = t->b,
                             .c = t->c,
                             .e = t->e,
                             .e3 = t->e3};
  return true;
}

/* What is to be done with stages is known now. */
static ritt_status make_room(ritti_stepper *step) {
  bool sequential = step->manifold->variant == RITTI_PROJECT_SEQUENTIAL;
  ritti_step_method method;
  if (ritti_tableau_step_method(step->tableau, step->project_stages, sequential, step->weighted,
                                &method))
    step->job.key = method.key;
  return RITT_OK;
}

static ritt_status init_part(ritti_stepper *step, ritti_arena *arena) {
  explicit *own;
  RITTI_NEW(own, arena, 1);
  step->own = own;
  return RITT_OK;
}

static const ritti_stepping part_stepping;

static ritt_status init_stepper(ritti_stepper *step, ritti_arena *arena) {
  const ritti_tableau *t = step->tableau;
  explicit *own;
  RITTI_NEW(own, arena, 1);
  step->own = own;
  if (t->stages > 1 && t->c[t->stages - 1] == 1) own->stability = ritti_tableau_stability(t);
  if (t->extra > 0) {
    RITTI_NEW(own->part, arena, 1);
    return ritti_stepper_init_with(own->part, t, &part_stepping, step->manifold, step->direction,
                                   arena);
  }
  if (!by_shorter_steps(t)) return RITT_OK;
  RITTI_NEW(own->V, arena, t->stages);
  for (int i = 1; i < t->stages; i++) RITTI_NEW(own->V[i], arena, step->m);
  return RITT_OK;
}

/* A shorter step from the same start: as accurate as the method, at its price. */
static ritt_status take_shorter_step(ritti_stepper *step, ritt_real theta, ritt_real *z) {
  const ritti_tableau *t = step->tableau;
  ritt_real h = step->h, **V = ((explicit *)step->own)->V;
  V[0] = step->V[0];

  /* the predictor, if any, reads the length of the step */
  step->h = theta * h;
  step->predicted = false;
  ritt_status status = take_points(step, step->h, step->z[0] + step->h, V, 1, t->stages - 1);
  ritti_combine_stages(0, step->m, step->z, step->h, t->b, V, t->stages, z);
  step->h = h;
  step->predicted = false;
  return status;
}

/* The extra stages of dense output. */
static ritt_status take_extra_stages(ritti_stepper *step) {
  const ritti_tableau *t = step->tableau;
  const ritt_real *row = t->extra_a;
  ritt_status status = RITT_OK;
  kernel_view K;
  view_stepper(step, step->h, step->V, &status, &K);
  for (int i = 0; !step->dense_ready && i < t->extra; i++) {
    const int count = t->stages + 1 + i;
    const ritti_step_point point = {row, count, t->extra_c[i], false, false};
    ritti_take_point(&K.step, &K.problem, &K.method, K.first, point, step->z[0] + point.c * step->h,
                     K.problem.k && step->project_stages, true, step->a, step->a, step->V[count]);
    RITT_TRY(status);
    row += count;
  }
  step->dense_ready = true;
  return RITT_OK;
}

/* The polynomial of the method at theta. slope: its derivative by theta, over h; or NULL. The weights
 * add up to theta, so V[0] is split off: large weights multiply differences only, and rounding is as
 * small as these. */
static void evaluate_polynomial(const ritti_stepper *step, ritt_real theta, ritt_real *z,
                                ritt_real *slope) {
  const ritti_tableau *t = step->tableau;
  const ritt_real *V0 = step->V[0], h = step->h;
  const int m = step->m;
  for (int i = 0; i < m; i++) z[i] = step->z[i] + theta * h * V0[i];
  for (int i = 0; slope && i < m; i++) slope[i] = V0[i];
  for (int j = 1; j < t->stages + 1 + t->extra; j++) {
    const ritt_real *w = t->dense + j * t->dense_degree, *V = step->V[j];
    ritt_real P = 0, dP = 0;
    for (int q = t->dense_degree - 1; q >= 0; q--) {
      P = (P + w[q]) * theta;
      dP = dP * theta + (ritt_real)(q + 1) * w[q];
    }
    if (P == 0) continue;
    for (int i = 0; i < m; i++) z[i] += h * P * (V[i] - V0[i]);
    for (int i = 0; slope && i < m; i++) slope[i] += dP * (V[i] - V0[i]);
  }
}

/* The error of the polynomial in units of the tolerance, about: its largest defect, h (V(P) - P'), is
 * 2.7 to 10 times its largest error, in smooth systems as well as at the border of stability, and the
 * defects at these two places are not both small. */
static ritt_status measure_polynomial(ritti_stepper *step, ritt_real *error) {
  static const double AT[] = {0.4, 0.9}, PART = 0.1;
  const int first = step->keep_x ? 1 : 0, m = step->m;
  ritti_stepper *part = ((explicit *)step->own)->part;
  ritt_real *z = part->z, *slope = part->z_new, *V = part->end, worst = 0;
  for (int j = 0; j < 2; j++) {
    ritt_real theta = (ritt_real)AT[j], sum = 0;
    evaluate_polynomial(step, theta, z, slope);
    if (step->keep_x) z[0] = step->z[0] + theta * step->h;
    if (step->project_stages) RITT_TRY(ritti_manifold_project(step->manifold, z, z));
    ritti_stepper_begin_tops(step, theta, part->top);
    RITT_TRY(ritti_direction_at(step->direction, z, V));
    for (int i = first; i < m; i++) {
      ritt_real size = RITTI_MATH(fmax)(RITTI_MATH(fabs)(step->z[i]), RITTI_MATH(fabs)(z[i]));
      ritt_real r = (V[i] - slope[i]) / (step->relative[i] * size + step->absolute[i]);
      sum += r * r;
    }
    worst = RITTI_MATH(fmax)(worst, m > first ? sum / (ritt_real)(m - first) : 0);
  }
  *error = (ritt_real)PART * RITTI_MATH(fabs)(step->h) * RITTI_MATH(sqrt)(worst);
  return RITT_OK;
}

/* In how many parts must the step be taken for polynomials within the tolerance? */
static ritt_status judge_polynomial(ritti_stepper *step) {
  const ritti_tableau *t = step->tableau;
  explicit *own = step->own;
  ritt_real error, reached = 1;
  RITT_TRY(measure_polynomial(step, &error));
  own->taken = 0;
  for (own->parts = 1; !(error <= reached) && own->parts < MOST_PARTS; own->parts++) {
    ritt_real n = (ritt_real)(own->parts + 1);
    reached = 1;
    for (int k = 0; k <= t->dense_order; k++) reached *= n;
  }
  return RITT_OK;
}

/* The last step once more, in parts: the polynomial of the part in which theta lies. */
static ritt_status interpolate_part(ritti_stepper *step, ritt_real theta, ritt_real *z) {
  explicit *own = step->own;
  ritti_stepper *part = own->part;
  const ritt_real n = (ritt_real)own->parts, h = step->h / n;
  long wanted = 1 + (long)(theta * n);
  if (wanted > own->parts) wanted = own->parts;

  /* back to the start of the step */
  if (own->taken == 0 || own->taken > wanted) {
    memcpy(part->z, step->z, (size_t)step->m * sizeof *z);
    memcpy(part->V[0], step->V[0], (size_t)step->m * sizeof *z);
    memcpy(part->top, step->top, (size_t)step->manifold->problem->tops * sizeof *z);
    part->project_stages = step->project_stages;
    part->keep_x = step->keep_x;
    own->taken = 0;
  }
  ritt_status status = RITT_OK;
  for (; own->taken < wanted && status == RITT_OK; own->taken++) {
    if (own->taken > 0) ritti_stepper_accept(part);
    status = ritti_stepper_take(part, h, step->z[0] + h * (ritt_real)(own->taken + 1));
  }
  if (status == RITT_OK) status = ritti_stepper_interpolate(part, theta * n - (wanted - 1), 0, z);
  if (status != RITT_OK) own->taken = 0;
  step->direction->reference = step->V[0];
  return status;
}

static ritt_status interpolate_step(ritti_stepper *step, ritt_real theta, ritt_real *z) {
  /* a stand-in has nothing of its own */
  explicit *own = step->tableau == step->chosen ? step->own : NULL;
  if (by_shorter_steps(step->tableau)) return take_shorter_step(step, theta, z);
  if (!step->tableau->dense) {
    ritti_stepper_hermite(step, theta, z);
    return RITT_OK;
  }
  bool judged = own && own->part && step->relative;
  if (judged && step->dense_ready && own->parts > 1) return interpolate_part(step, theta, z);

  if (!step->dense_ready && own) own->parts = 0;
  RITT_TRY(take_extra_stages(step));
  if (judged && own->parts == 0) {
    RITT_TRY(judge_polynomial(step));
    if (own->parts > 1) return interpolate_part(step, theta, z);
  }
  evaluate_polynomial(step, theta, z, NULL);
  return RITT_OK;
}

static void save_parts(ritti_stepper *step, const ritti_problem *problem, ritti_state *state) {
  explicit *own = step->tableau == step->chosen ? step->own : NULL;
  (void)problem;
  if (!own) return;
  ritti_state_ints(state, "step.parts", &own->parts, 1, 0, MOST_PARTS);
  own->taken = 0;
}

/* sum w_i V_i^2 of many terms, which do not wait for each other */
static ritt_real weighted_square(int m, const ritt_real *weights, const ritt_real *V) {
  enum { LANES = 8 };
  ritt_real sum[LANES] = {0};
  int i = 0;
  for (; i + LANES <= m; i += LANES) {
    ritt_real square[LANES];
    for (int l = 0; l < LANES; l++) square[l] = weights[i + l] * V[i + l] * V[i + l];
    for (int l = 0; l < LANES; l++) sum[l] += square[l];
  }
  for (; i < m; i++) sum[0] += weights[i] * V[i] * V[i];
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

static ritt_real measure_length(const ritti_stepper *step, const ritt_real *weights) {
  const ritti_tableau *t = step->tableau;
  ritt_real sum = 0;
  if (step->m <= RITTI_KERNEL_COORDINATES) /* as native steps have it */
    return ritti_step_length(step->m, t->stages, t->b, step->V, weights, step->h);
  for (int j = 0; j < t->stages; j++)
    if (t->b[j] != 0)
      sum += t->b[j] * RITTI_MATH(sqrt)(weighted_square(step->m, weights, step->V[j]));
  return RITTI_MATH(fabs)(step->h) * sum;
}

/* The last stage and the end lie at the same x, near each other: the change of V between them over
 * their distance is nearly the largest eigenvalue of dV where that one rules (Solving ODEs II,
 * IV.2). */
static ritt_real measure_stiffness(const ritti_stepper *step, const ritt_real *size,
                                   ritt_real *border) {
  const explicit *own = step->own;
  const ritt_real *V0 = step->V[step->tableau->stages - 1], *V1 = step->V[step->last];
  ritt_real change = 0, distance = 0;
  int first = step->keep_x ? 1 : 0;
  if (step->tableau != step->chosen || own->stability == 0)
    return 0; /* a stand-in has nothing of its own */
  for (int i = first; i < step->m; i++) {
    ritt_real dV = (V1[i] - V0[i]) / size[i], dz = (step->z_new[i] - step->a[i]) / size[i];
    change += dV * dV;
    distance += dz * dz;
  }
  /* points that are nearly the same tell nothing */
  if (!(distance > (ritt_real)1e-6 * (ritt_real)(step->m - first))) return 0;
  *border = own->stability;
  return RITTI_MATH(fabs)(step->h) * RITTI_MATH(sqrt)(change / distance);
}

ritt_real ritti_explicit_stability(const ritti_stepper *step) {
  const explicit *own = step->own;
  return own->stability;
}

static const ritti_stepping stepping = {.vectors = count_vectors,
                                        .last = find_last,
                                        .init = init_stepper,
                                        .ready = make_room,
                                        .take = take_step,
                                        .error = estimate_error,
                                        .interpolate = interpolate_step,
                                        .length = measure_length,
                                        .stiffness = measure_stiffness,
                                        .state = save_parts};

/* Parts of a step are not interpolated in parts again. */
static const ritti_stepping part_stepping = {.vectors = count_vectors,
                                             .last = find_last,
                                             .init = init_part,
                                             .take = take_step,
                                             .error = estimate_error,
                                             .interpolate = interpolate_step,
                                             .length = measure_length};

const ritti_stepping *ritti_explicit_stepping(void) { return &stepping; }
