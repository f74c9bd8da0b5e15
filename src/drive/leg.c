/* The record of a leg: see leg.h. */
#include "drive/leg.h"
#include "drive/driver_impl.h"

/* Does the leg watch singular points and crossings as the driver does? It cannot while one of them is
 * known to be near. */
static bool is_watched_by_leg(const ritti_driver *d) {
  const ritti_crossing_watch *X = &d->crossing;
  const ritti_singular_watch *meet = &d->singular;
  const bool alone = !meet->at.z || (d->problem->symmetric && !meet->known &&
                                     d->direction.variant == RITTI_DIRECT_AUTO &&
                                     fabs((double)meet->volume) < INFINITY);
  return alone && (!X->at.z || (!X->known && X->at.sigma < INFINITY));
}

/* An error of 0 makes the step grow by facmax. The leg has no case for it: an error of 1e-150 makes it
 * grow by more than this. */
#define MOST_GROWTH 1e3

/* Watchers of events are asked at every step: drivers that have them take no legs. */
bool ritti_leg_fits(const ritti_driver *d) {
  const ritti_solve_options *o = &d->options;
  const ritti_stepper *step = &d->step;
  const ritti_problem *p = d->problem;
  bool plain = d->adaptive && o->control == RITTI_CONTROL_EMBEDDED && o->facmax < MOST_GROWTH &&
               !o->doubled && !o->scaled && !o->by_arc && !d->derivative_order && !d->tops.size &&
               !p->strong && !d->tangents;
  bool usual = step->tableau == step->chosen && step->tableau->family == RITTI_EXPLICIT &&
               step->caution == 0 && step->growth == 0 && !step->holds && step->least == 0;
  bool nothing_near = p->monitors == 0 && !d->slide && !d->passage.active && !d->choice.on &&
                      is_watched_by_leg(d) &&
                      (p->symmetric || !ritti_direction_has_line(&d->direction));
  bool calm = d->stiffness.row == 0 && d->stiffness.smooth == 0 && d->monitors.unchecked == 0;
  bool placed = step->manifold == &d->manifold && step->direction == &d->direction &&
                d->at.z == step->z && step->z[0] == d->at.s && !d->at.stepper_stale &&
                !d->next.has_goal && !d->plan.one_step && d->need == RITTI_NEED_STEP &&
                d->phase == RITTI_PHASE_STEP;
  return RITTI_REAL_IS_DOUBLE && plain && usual && nothing_near && calm && placed;
}

/* The number of reals of the watch for crossings */
static size_t count_view(const ritti_problem *p) {
  return ritti_has_crossings(p) ? 2 * (size_t)p->constraints + (size_t)p->positions : 0;
}

size_t ritti_leg_size(const ritti_problem *p, int reads) {
  return RITTI_LEG_HEAD + RITTI_LEG_VECTORS * (size_t)p->m + (size_t)p->tops + count_view(p) +
         (size_t)reads;
}

/* The arrays of a record, in their order; those before `constants` change */
enum { ARRAYS = RITTI_LEG_VECTORS, CONSTANTS = RITTI_LEG_SHARED };
static void list_arrays(ritti_driver *d, ritt_real *at[ARRAYS]) {
  ritti_size_watch *w = &d->sizes;
  ritt_real *all[ARRAYS] = {d->step.z,   d->step.V[0], d->manifold.size,
                            w->absolute, w->allowed,   w->largest,
                            w->settled,  NULL,         d->report_weights};
  memcpy(at, all, sizeof all);
}

/* The arrays of the watch for crossings, in their order, with their lengths */
enum { VIEWS = 3 };
static void list_views(const ritti_driver *d, ritt_real *at[VIEWS], int count[VIEWS]) {
  const ritti_crossing *X = &d->crossing.at;
  const int l = X->z ? X->l : 0, n = X->z ? X->n : 0;
  at[0] = X->row_scale, at[1] = X->left, at[2] = X->across;
  count[0] = count[1] = l, count[2] = n;
}

void ritti_leg_save(ritti_driver *d, const int *read, int reads, double *record, size_t stride) {
  const ritti_solve_options *o = &d->options;
  const ritti_size_watch *w = &d->sizes;
  const int m = d->problem->m, tops = d->problem->tops;
  double head[RITTI_LEG_HEAD] = {
      [RITTI_LEG_S] = (double)d->at.s,
      [RITTI_LEG_H] = (double)d->next.h,
      [RITTI_LEG_RETRYING] = d->next.retrying,
      [RITTI_LEG_TRAVELLED] = (double)d->at.travelled,
      [RITTI_LEG_RESIDUAL] = (double)d->count.largest_residual,
      [RITTI_LEG_REJECTED_H] = (double)w->rejected_h,
      [RITTI_LEG_REJECTED_SQUARE] = (double)w->rejected_square,
      [RITTI_LEG_NEXT_LOOK] = (double)w->next_look,
      [RITTI_LEG_VOLUME] = (double)d->singular.volume,
      [RITTI_LEG_MOST_VOLUME] = (double)d->singular.max_volume,
      [RITTI_LEG_SEARCHED_VOLUME] = (double)d->singular.last_search,
      [RITTI_LEG_SIGMA] = (double)d->crossing.at.sigma,
      [RITTI_LEG_MOST_SIGMA] = (double)d->crossing.max_sigma,
      [RITTI_LEG_SEARCHED_SIGMA] = (double)d->crossing.last_search,
      [RITTI_LEG_WALKED] = (double)d->crossing.walked,
      [RITTI_LEG_END] = (double)d->next.end,
      [RITTI_LEG_ALONG] = d->next.h < 0 ? -1 : 1,
      [RITTI_LEG_LIMIT] = (double)d->plan.horizon,
      [RITTI_LEG_SPAN] = (double)d->next.span,
      [RITTI_LEG_STEPS_BEFORE] = (double)d->count.accepted,
      [RITTI_LEG_STEPS_LEFT] = o->max_steps ? (double)(o->max_steps - d->count.accepted) : INFINITY,
      [RITTI_LEG_UNTIL_STIFF] = (double)ritti_until_stiffness(d),
      [RITTI_LEG_LONGEST] = (double)o->max_step,
      [RITTI_LEG_NOISY] = w->noisy,
      [RITTI_LEG_FAC] = (double)o->fac,
      [RITTI_LEG_FACMIN] = (double)o->facmin,
      [RITTI_LEG_FACMAX] = (double)o->facmax,
      [RITTI_LEG_EXPONENT] = ritti_control_exponent(d->step.tableau),
      [RITTI_LEG_BORDER] = (double)ritti_explicit_stability(&d->step),
      [RITTI_LEG_FOLLOW] = w->follow,
      [RITTI_LEG_LARGEST_H] = (double)d->fold.largest_h,
      [RITTI_LEG_FOLDS] = ritti_direction_has_line(&d->direction),
  };
  ritt_real *at[ARRAYS];
  list_arrays(d, at);
  for (int i = 0; i < RITTI_LEG_HEAD; i++) record[(size_t)i * stride] = head[i];
  record += RITTI_LEG_HEAD * stride;
  for (int k = 0; k < ARRAYS; k++)
    for (int i = 0; i < m; i++, record += stride) {
      if (at[k]) *record = (double)at[k][i];
      else if (k == CONSTANTS) *record = (double)o->relative[i];
      else if (k == CONSTANTS + 2) *record = !(o->absolute[i] > 0) && !d->problem->strong;
      else *record = o->scale ? (double)o->scale[i] : 0;
    }
  for (int i = 0; i < tops; i++, record += stride) *record = (double)d->step.top[i];
  ritt_real *view[VIEWS];
  int count[VIEWS];
  list_views(d, view, count);
  for (int k = 0; k < VIEWS; k++)
    for (int i = 0; i < count[k]; i++, record += stride) *record = (double)view[k][i];
  for (int i = 0; i < reads; i++, record += stride) *record = (double)d->work[read[i]];
}

long ritti_leg_tried(const double *record, size_t stride) {
  return (long)record[RITTI_LEG_ACCEPTED * stride] + (long)record[RITTI_LEG_REJECTED * stride];
}

static void count_steps(ritti_driver *d, const double *record, size_t stride) {
#define NUMBER(place) record[RITTI_LEG_##place * stride]
  const long tried = ritti_leg_tried(record, stride), stages = d->step.tableau->stages;
  ritti_manifold *M = &d->manifold;
  d->count.accepted += (long)NUMBER(ACCEPTED);
  d->count.rejected += (long)NUMBER(REJECTED);
  d->count.largest_residual = NUMBER(RESIDUAL);
  d->at.travelled = NUMBER(TRAVELLED);
  d->stiffness.looked += (long)NUMBER(LOOKED);
  d->stiffness.others += (int)NUMBER(LOOKED);
  ritti_direction_taken(&d->direction, tried * stages);
  if (d->problem->k) M->counts.projections += tried * (d->step.project_stages ? stages : 1);
  M->counts.idle += (long)NUMBER(IDLE);
  M->counts.iterations += (long)NUMBER(ITERATIONS);
  M->counts.factorisations += (long)NUMBER(FACTORISATIONS);
  if (NUMBER(MOST) > M->counts.most) M->counts.most = (int)NUMBER(MOST);
}

void ritti_leg_load(ritti_driver *d, const double *record, size_t stride) {
  const int m = d->problem->m, tops = d->problem->tops;
  const bool moved = d->at.s != (ritt_real)NUMBER(S);
  count_steps(d, record, stride);
  d->at.s = NUMBER(S);
  d->next.h = NUMBER(H);
  d->next.retrying = NUMBER(RETRYING) > 0;
  d->sizes.rejected_h = NUMBER(REJECTED_H);
  d->sizes.rejected_square = NUMBER(REJECTED_SQUARE);
  d->sizes.next_look = (long)NUMBER(NEXT_LOOK);
  d->fold.largest_h = NUMBER(LARGEST_H);
  if (moved) d->sizes.failures = 0;
  if (moved) d->at.step_start = d->at.s;

  /* the point with its direction */
  ritt_real *at[ARRAYS];
  list_arrays(d, at);
  const double *from = record + RITTI_LEG_HEAD * stride;
  for (int k = 0; k < CONSTANTS; k++)
    for (int i = 0; i < m; i++, from += stride) at[k][i] = *from;
  from = record + (RITTI_LEG_HEAD + RITTI_LEG_VECTORS * (size_t)m) * stride;
  for (int i = 0; i < tops; i++, from += stride) {
    d->step.top[i] = *from;
    d->direction.top[i] = *from;
  }
  ritt_real *view[VIEWS];
  int count[VIEWS];
  list_views(d, view, count);
  for (int k = 0; k < VIEWS; k++)
    for (int i = 0; i < count[k]; i++, from += stride) view[k][i] = *from;
  d->singular.volume = NUMBER(VOLUME);
  d->singular.max_volume = NUMBER(MOST_VOLUME);
  d->singular.last_search = NUMBER(SEARCHED_VOLUME);
  d->crossing.at.sigma = NUMBER(SIGMA);
  d->crossing.max_sigma = NUMBER(MOST_SIGMA);
  d->crossing.last_search = NUMBER(SEARCHED_SIGMA);
  d->crossing.walked = NUMBER(WALKED);

  d->phase = d->next.retrying ? RITTI_PHASE_TRY : RITTI_PHASE_LOOK;
  if (d->at.s == d->plan.end) d->phase = RITTI_PHASE_READY;
  if (!d->call.step || !d->plan.resumable) return;
  d->status = d->call.step(d->call.step_user, d);
  if (d->status != RITT_OK) d->need = RITTI_NEED_FAILED;
}
#undef NUMBER
