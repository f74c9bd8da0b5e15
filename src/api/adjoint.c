/* Gradients by the discrete adjoint: a run forward, whose steps are noted, then the adjoints of these
 * steps backward (step/tangent.h). The cost does not depend on the number of quantities.
 *
 * The ends of steps are kept up to a limit; beyond it only every second one, every fourth one, ...
 * (checkpoints), and the points between two of them are computed again on the way back.
 */
#include "session.h"

typedef struct owned_adjoint {
  ritt_adjoint shown; /* first: the caller has its address */
  ritti_arena *arena;
  ritt_solver *solver;
  unsigned long version; /* of the model */
  ritti_tangents *tangents;
  RITTI_ARRAY(double) ends; /* of the steps: x */
  RITTI_ARRAY(double)
  points; /* m of each checkpoint: the start and every `stride`-th end of a step */
  size_t stride;
  size_t *last;                       /* rows: number of steps up to this row */
  double *s_bar, *level_bar, *weight; /* m, k, outputs: scratch */
  double *between;                    /* stride + 1 points of m: from a checkpoint to the next */
} owned_adjoint;

enum { MOST_CHECKPOINTS = 8192 };

void ritt_adjoint_free(ritt_adjoint *adjoint) {
  owned_adjoint *a = (owned_adjoint *)adjoint;
  if (!a) return;
  ritt_solver_free(a->solver);
  RITTI_ARRAY_FREE(a->ends);
  RITTI_ARRAY_FREE(a->points);
  ritti_free(a->between);
  ritti_arena_free(a->arena);
}

static ritti_session *session_of(const owned_adjoint *a) { return a->solver->session; }

/* ---- forward ---- */

/* Keeps every second checkpoint. */
static void thin_points(owned_adjoint *a, size_t m) {
  size_t count = a->points.count / m;
  for (size_t i = 2; i < count; i += 2)
    memmove(a->points.at + i / 2 * m, a->points.at + i * m, m * sizeof *a->points.at);
  a->points.count = (count + 1) / 2 * m;
  a->stride *= 2;
}

/* Notes the end of the step just taken, or the start. */
static ritt_status note_point(owned_adjoint *a) {
  const ritti_driver *d = session_of(a)->driver;
  size_t m = (size_t)d->problem->m, number = a->ends.count;
  if (number % a->stride == 0) {
    if (a->points.count == MOST_CHECKPOINTS * m) thin_points(a, m);
    if (number % a->stride) return RITT_OK;
    for (size_t i = 0; i < m; i++) RITT_TRY(RITTI_PUSH(a->points, d->step.z[i]));
  }
  return RITT_OK;
}

/* Runs to the place, one accepted step after another. */
static ritt_status run_to(owned_adjoint *a, double place, ritt_error *error) {
  ritti_session *S = session_of(a);
  while (S->driver->at.s != place) {
    const ritti_driver *before = S->driver;
    RITT_TRY(ritt_solver_step(a->solver, place, error));
    const ritti_driver *d = S->driver;
    if (d->ended_by >= 0)
      return ritti_fail(error, RITT_STOPPED, NULL, "end the run before the event",
                        "the event '%s' ends the run at %.12g, before %.12g",
                        d->problem->event[d->ended_by].name, (double)d->at.s, place);
    bool usual = d == before && !d->passage.active && d->at.z == d->step.z &&
                 d->step.manifold == &d->manifold && d->step.direction == &d->direction;
    if (!usual) return ritti_stop_derivatives(S->driver, false);
    RITT_TRY(RITTI_PUSH(a->ends, d->step.z[0]));
    RITT_TRY(note_point(a));
  }
  return RITT_OK;
}

static ritt_status run_forward(owned_adjoint *a, const double *places, ritt_error *error) {
  ritti_session *S = session_of(a);
  size_t columns = a->shown.columns;
  double *values = (double *)a->shown.values, *row;
  RITTI_NEW(row, a->arena, S->rows.count);
  RITT_TRY(note_point(a));
  for (size_t k = 0; k < a->shown.rows; k++) {
    RITT_TRY(run_to(a, places[k], error));
    RITT_TRY(
        ritti_session_fill_row(S, S->driver->at.s, S->driver->step.z, S->driver->step.top, row));
    memcpy(values + k * columns, row + 1, columns * sizeof *row);
    a->last[k] = a->ends.count;
  }
  a->shown.steps = (long)a->ends.count;
  return RITT_OK;
}

/* The places must follow each other in the sense of the run. */
static ritt_status check_places(const ritti_session *S, const double *places, size_t count,
                                ritt_error *error) {
  double before = (double)S->driver->at.s, sense = count ? places[count - 1] - before : 0;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(places[i]) || (places[i] - before) * (sense < 0 ? -1 : 1) < 0)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "sort the places, and begin after the start",
                        "the place %.12g comes before %.12g in the run", places[i], before);
    before = places[i];
  }
  return RITT_OK;
}

static ritt_status begin_adjoint(owned_adjoint *a, ritt_model *M, const double *places,
                                 size_t place_count, const ritt_options *run, ritt_error *error) {
  RITT_TRY(ritti_pipeline_prepare(M, error));
  if (!M->model->by_count || !ritti_tangents_fit(M, run))
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL,
                      "use sensitivities, or an explicit method such as dop853",
                      "the adjoint gradient is not available for this run: %s",
                      M->model->by_count ? "its method or its system does not support it"
                                         : "the model has events with jumps, or switches");
  RITT_TRY(ritt_solver_from_model(M, run, error, &a->solver));
  ritti_session *S = session_of(a);
  a->version = M->version;

  /* forward the tangents do not go along */
  a->tangents = S->driver->tangents;
  S->driver->tangents = NULL;
  S->driver->step.record = NULL;
  S->driver->step.job.kept = NULL;

  static const size_t only_end = 1;
  double end = S->settings.end;
  if (!places && !(fabs(end) < INFINITY))
    return ritti_fail(error, RITT_WRONG_MODEL, NULL, "add a line such as 'solve t = 0 .. 10'",
                      "the model does not say how far to run");
  const double *at = places ? places : &end;
  size_t rows = places ? place_count : only_end;
  RITT_TRY(check_places(S, at, rows, error));

  double *own_places, *values;
  size_t columns = M->slopes;
  RITTI_NEW(own_places, a->arena, rows + 1);
  RITTI_NEW(values, a->arena, rows * columns + 1);
  RITTI_NEW(a->last, a->arena, rows + 1);
  if (rows) memcpy(own_places, at, rows * sizeof *at);
  const char **name;
  RITTI_NEW(name, a->arena, columns + 1);
  for (size_t i = 0; i < columns; i++) {
    name[i] = ritti_arena_text(a->arena, S->rows.name[1 + i], strlen(S->rows.name[1 + i]));
    if (!name[i]) return RITT_NO_MEMORY;
  }
  a->shown = (ritt_adjoint){.rows = rows,
                            .columns = columns,
                            .quantities = (size_t)M->model->by_count,
                            .places = own_places,
                            .column_names = name,
                            .values = values};
  a->stride = 1;
  return run_forward(a, own_places, error);
}

ritt_status ritt_model_adjoint(ritt_model *M, const char *const *names, size_t count,
                               const double *places, size_t place_count, const ritt_options *run,
                               ritt_error *error, ritt_adjoint **out) {
  RITT_TRY(ritti_model_require_idle(M, error));
  RITT_TRY(ritti_require(out, "place for the result", error));
  *out = NULL;
  if (count == 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "name parameters or start values",
                      "the gradient has nothing to differentiate by");
  RITT_TRY(ritt_model_sensitivity(M, names, count, error));
  ritti_arena *arena = ritti_arena_new();
  owned_adjoint *a = arena ? ritti_arena_alloc(arena, 1, sizeof *a) : NULL;
  if (!a) {
    ritti_arena_free(arena);
    return ritti_no_memory(error);
  }
  a->arena = arena;
  ritt_status status = begin_adjoint(a, M, places, place_count, run, error);
  if (status == RITT_OK) *out = &a->shown;
  else ritt_adjoint_free(&a->shown);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}

/* ---- backward ---- */

/* Computes the points from checkpoint number `which` to the next one again. */
static ritt_status fill_between(owned_adjoint *a, size_t which) {
  ritti_stepper *step = &session_of(a)->driver->step;
  size_t m = (size_t)step->m, first = which * a->stride;
  memcpy(a->between, a->points.at + which * m, m * sizeof *a->between);
  if (a->stride == 1) {
    if (first < a->ends.count)
      memcpy(a->between + m, a->points.at + (which + 1) * m, m * sizeof *a->between);
    return RITT_OK;
  }
  RITT_TRY(ritti_stepper_place(step, a->between));
  for (size_t i = 0; i < a->stride && first + i < a->ends.count; i++) {
    double *z = a->between + i * m, end = a->ends.at[first + i];
    RITT_TRY(ritti_stepper_take(step, end - z[0], end));
    memcpy(z + m, step->z_new, m * sizeof *z);
    ritti_stepper_accept(step);
  }
  return RITT_OK;
}

static ritt_status run_backward(owned_adjoint *a, const double *weights, double *gradient) {
  ritti_tangents *T = a->tangents;
  size_t m = (size_t)T->problem->m, k = (size_t)T->problem->k, columns = a->shown.columns;
  size_t row = a->shown.rows, loaded = SIZE_MAX;
  if (!a->between) {
    a->between = ritti_malloc((a->stride + 1) * m * sizeof *a->between);
    if (!a->between) return RITT_NO_MEMORY;
    RITTI_NEW(a->s_bar, a->arena, m);
    RITTI_NEW(a->level_bar, a->arena, k + 1);
    RITTI_NEW(a->weight, a->arena, (size_t)T->problem->outputs + 1);
  }
  double *s_bar = a->s_bar, *level_bar = a->level_bar, *weight = a->weight;
  memset(s_bar, 0, m * sizeof *s_bar);
  memset(level_bar, 0, k * sizeof *level_bar);

  for (size_t n = a->ends.count;; n--) {
    /* the points at both ends of step number n - 1; n: the one that the rows lie at */
    size_t which = n ? (n - 1) / a->stride : 0;
    if (which != loaded) RITT_TRY(fill_between(a, which));
    loaded = which;
    double *z_new = a->between + (n - which * a->stride) * m;
    while (row > 0 && a->last[row - 1] == n) {
      row--;
      memcpy(weight, weights + row * columns, columns * sizeof *weight);
      RITT_TRY(ritti_adjoint_outputs(T, z_new, weight, s_bar, gradient));
    }
    if (n == 0) {
      RITT_TRY(ritti_adjoint_levels(T, z_new, level_bar, s_bar, gradient));
      break;
    }
    double *z = z_new - m;
    RITT_TRY(ritti_adjoint_step(T, z, z_new, z_new[0] - z[0], s_bar, level_bar, gradient));
  }

  /* the tangents of the start */
  for (int p = 0; p < T->count; p++)
    for (size_t j = 1; j < m; j++) gradient[p] += s_bar[j] * T->s_new[(size_t)p * m + j];
  return RITT_OK;
}

ritt_status ritt_adjoint_gradient(ritt_adjoint *adjoint, const double *weights, double *gradient,
                                  ritt_error *error) {
  owned_adjoint *a = (owned_adjoint *)adjoint;
  RITT_TRY(ritti_require(a, "run with an adjoint", error));
  RITT_TRY(ritti_require(weights, "table of weights", error));
  RITT_TRY(ritti_require(gradient, "place for the gradient", error));
  if (a->solver->model->version != a->version)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "call ritt_model_adjoint again",
                      "the model has changed since its run");
  memset(gradient, 0, a->shown.quantities * sizeof *gradient);
  RITT_TRY(ritti_solver_enter(a->solver, error));
  ritt_status status = run_backward(a, weights, gradient);
  status = ritti_solver_leave(a->solver, status);
  if (status == RITT_NO_MEMORY) return ritti_no_memory(error);
  return status == RITT_RETRY ? ritti_stop_derivatives(session_of(a)->driver, false) : status;
}
