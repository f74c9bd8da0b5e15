/* Rows that the completion chose among dependent ones.
 *
 * If some equations follow from the others, the completion drops as many as it takes. Which ones may be
 * dropped depends on the point: a dropped row follows from the kept ones only where its coefficient in
 * their relation is not zero. The watch examines how independent the kept rows are, after every step;
 * if that has become a thousand times worse than at the start, the system is completed again there,
 * with other rows. At a singular position of the constraints that does not help, and the run stops.
 */
#include "drive/driver_impl.h"

enum { MOST_ENTRIES = 20000 };
static const ritt_real WORSE = (ritt_real)1e-3, HOPELESS = (ritt_real)1e-6;

ritt_status ritti_choice_watch_init(ritti_driver *d, ritti_arena *arena) {
  ritti_choice_watch *W = &d->choice;
  int k = d->problem->k, m = d->problem->m;
  W->on = d->problem->chosen && k > 0 && k <= m && (double)k * m <= MOST_ENTRIES;
  if (!W->on) return RITT_OK;
  W->qr = (ritti_qr){.rows = m, .cols = k};
  RITTI_NEW(W->qr.a, arena, k * m);
  RITTI_NEW(W->qr.beta, arena, k);
  RITTI_NEW(W->qr.column, arena, k);
  RITTI_NEW(W->f, arena, k);
  RITTI_NEW(W->df, arena, d->problem->df.start[k] + 1);
  RITTI_NEW(W->scratch, arena, 2 * k + 2);
  return RITT_OK;
}

/* The least diagonal entry of R in df^T = Q R, over the largest; rows of df are scaled to 1. 0: df has
 * no value. */
static ritt_real measure_independence(ritti_driver *d) {
  ritti_choice_watch *W = &d->choice;
  const ritti_problem *p = d->problem;
  int k = p->k, m = p->m;
  if (p->call.f_df(p->data, d->work, d->step.z, W->f, W->df) != RITT_OK) return 0;
  memset(W->qr.a, 0, (size_t)k * (size_t)m * sizeof *W->qr.a);
  for (int i = 0; i < k; i++) {
    ritt_real most = 0;
    for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++)
      most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(W->df[e]));
    for (int e = p->df.start[i]; most > 0 && e < p->df.start[i + 1]; e++)
      W->qr.a[p->df.col[e] * k + i] = W->df[e] / most;
  }
  ritti_qr_factor(&W->qr, HOPELESS, W->scratch);
  return W->qr.rank == k ? W->qr.gap : 0;
}

bool ritti_choice_is_poor(ritti_driver *d) {
  ritti_choice_watch *W = &d->choice;
  if (!W->on || W->first < 0 || d->slide) return false;
  ritt_real now = measure_independence(d);
  if (W->first == 0) W->first = now;
  W->asked = now > HOPELESS && now < WORSE * W->first;
  return W->asked;
}

void ritti_choice_keep(ritti_driver *d) {
  d->choice.first = -1;
  d->choice.asked = false;
  d->need = RITTI_NEED_STEP;
}
