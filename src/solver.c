/* The public solver: one moving point on a problem, of a model or of the caller's functions.
 *
 * It is a ritti_solver and what it takes to go on where a model has to be completed anew: then the
 * system is completed at the solver's point and a new ritti_solver takes over. ritt_model_run is
 * such a solver with rows. Nothing is allocated between steps, save by a new completion.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "quad.h"
#include "solver.h"

static const ritti_model no_text = {.independent = "x"};

/* ---- rows ---- */

/* A row: [arc,] x, outputs. A column without a value is NaN. */
static ritt_status fill_row(ritt_solver *S, ritt_real s, const ritt_real *z, const ritt_real *top,
                            double *values) {
  const ritti_problem *p = S->now.problem;
  size_t at = 0;
  if (S->settings.solve.by_arc) S->row[at++] = s;
  S->row[at++] = z[0];
  ritt_status status = p->output(p->data, S->solver->work, z, top, S->row + at);
  for (size_t i = 0; i < S->columns; i++) values[i] = (double)S->row[i];
  return status == RITT_RETRY ? RITT_OK : status;
}

/* The point of an event. After a jump the tops are those of the point before: outputs that hold
 * tops show them only in the next row. */
static ritt_status take_event(void *user, int event, ritt_real s, const ritt_real *z,
                              const ritt_real *top, const ritt_real *after) {
  ritt_solver *S = user;
  const ritti_event *e = &S->now.problem->event[event];
  if (!S->options.event) return RITT_OK;
  ritt_event point = {.name = e->name,
                      .jump = after != NULL,
                      .stop = e->stop,
                      .record = e->record,
                      .before = S->values,
                      .count = S->columns};
  RITT_TRY(fill_row(S, s, z, top, S->values));
  if (after) RITT_TRY(fill_row(S, s, after, top, S->after));
  if (after) point.after = S->after;
  return S->options.event(S->options.event_user, &point);
}

/* Evaluators in quadruple precision are not compiled. */
#ifdef RITT_QUAD
static ritt_status begin_compiling(ritt_solver *S, const ritti_problem *p) {
  (void)S, (void)p;
  return RITT_OK;
}
static void look_at_compiling(ritt_solver *S, double end) { (void)S, (void)end; }
static void end_compiling(ritt_solver *S) { (void)S; }
static const char *compiling_reason(const ritt_solver *S) { return (void)S, NULL; }
#else
static ritt_status begin_compiling(ritt_solver *S, const ritti_problem *p) {
  return ritti_compiling_begin(S, p);
}
static void look_at_compiling(ritt_solver *S, double end) {
  ritti_compiling_look(S, S->solver->s, end);
}
static void end_compiling(ritt_solver *S) { ritti_compiling_end(S); }
static const char *compiling_reason(const ritt_solver *S) { return ritti_compiling_reason(S); }
#endif

/* After a step: how far the run has come. */
static ritt_status take_step(void *user, const ritti_solver *now) {
  ritt_solver *S = user;
  look_at_compiling(S, S->settings.end);
  if (!S->options.watch) return RITT_OK;
  bool by_arc = S->settings.solve.by_arc;
  ritt_progress progress = {.from = S->from,
                            .x = (double)(by_arc ? now->s : now->step.z[0]),
                            .end = S->settings.end,
                            .step = (double)now->h,
                            .accepted = S->statistics.accepted + now->accepted,
                            .rejected = S->statistics.rejected + now->rejected,
                            .rows = S->statistics.rows + now->rows,
                            .savable = !now->busy};
  return S->options.watch(S->options.watch_user, &progress);
}

/* ---- making ---- */

/* The model's problem with the functions that the method needs, where it was made without. */
static ritt_status make_wanted(ritt_model *now, const ritti_run_settings *settings,
                               ritti_arena *arena, ritt_error *error) {
  unsigned wants = ritti_method_wants(settings->solve.tableau);
  const ritti_problem *p = now->problem;
  bool strong = now->reduced && now->reduced->strong;
  bool lacks = (wants & RITTI_WANTS_SYSTEM_DZ && !p->system_dz) ||
               (wants & RITTI_WANTS_SECOND && !p->d2f_mu) ||
               (wants & RITTI_WANTS_STRONG && strong && !p->strong);
  if (!lacks || !now->reduced) return RITT_OK;
  return ritti_problem_make_for(wants, now->reduced, now->output, now->outputs, arena, error,
                                &now->problem);
}

/* A ritti_solver for a problem. */
ritt_status ritti_solver_make(ritt_solver *S, ritt_model *now, ritti_run_settings *settings,
                              ritt_error *error, ritti_solver **out) {
  ritti_solver *solver;
  ritt_options options = S->options;
  if (S->implicit) options.method = RITTI_STIFF_METHOD;
  RITT_TRY(ritti_settings_make(now, &options, S->arena, error, settings));
  if (settings->solve.automatic) S->automatic = settings->solve.tableau->name;
  RITT_TRY(make_wanted(now, settings, S->arena, error));
  RITT_TRY(ritti_solver_new(now->problem, &settings->solve, S->arena, &solver));
  solver->event_taker = take_event;
  solver->event_user = S;
  solver->after_step = take_step, solver->after_step_user = S;
  if (!S->given)
    S->given =
        ritti_checksum(RITTI_CHECKSUM, solver->work, now->problem->work_size * sizeof(ritt_real));
  *out = solver;
  return begin_compiling(S, now->problem);
}

#ifdef RITT_QUAD
/* What the coordinates were before the system was completed anew, with all their digits. */
static void carry(const ritt_solver *S, ritt_real *z) {
  const ritti_reduced *now = S->now.reduced, *old = S->carried.reduced;
  for (int i = 0; old && i < now->m; i++)
    for (int j = 0; j < old->m + old->tops; j++) {
      bool top = j >= old->m;
      if (now->coordinate[i] != (top ? old->top[j - old->m] : old->coordinate[j])) continue;
      ritt_real value =
          top ? S->carried.solver->step.top[j - old->m] : S->carried.solver->step.z[j];
      if (fabsq(value - z[i]) <= 0x1p-40 * (1 + fabsq(value))) z[i] = value;
    }
}

/* The start point is known in doubles: what was typed with '=' is taken as it was typed, the rest
 * moves to the manifold, and invariants take their values there. */
static ritt_status refine(ritt_solver *S, ritt_real *z) {
  ritti_solver *solver = S->solver;
  ritti_manifold *M = &solver->manifold;
  int m = S->now.problem->m;
  bool *exact;
  ritt_real *spread, *point;
  RITTI_NEW(exact, S->arena, m);
  RITTI_NEW(spread, S->arena, m);
  RITTI_NEW(point, S->arena, m);
  RITT_TRY(ritti_exact_start(S->now.reduced, S->arena, z, exact));
  ritti_levels_take(solver, z);
  memcpy(spread, M->spread, (size_t)m * sizeof *spread);
  M->spread[0] = 0;
  for (int i = 0; i < m; i++)
    if (exact[i]) M->spread[i] = 0;
  ritt_status status = ritti_manifold_project(M, z, point);
  memcpy(M->spread, spread, (size_t)m * sizeof *spread);
  M->spread[0] = 0;
  if (status == RITT_RETRY) status = ritti_manifold_project(M, z, point);
  M->spread[0] = spread[0];
  RITT_TRY(status);
  memcpy(z, point, (size_t)m * sizeof *z);
  ritti_levels_take(solver, z);
  return RITT_OK;
}
#endif

/* The solver's point at z, where the problem was completed. */
static ritt_status start_at(ritt_solver *S, ritt_real s, const double *z, ritt_error *error) {
  for (int i = 0; i < S->now.problem->m; i++) S->z[i] = z[i];
#ifdef RITT_QUAD
  carry(S, S->z);
  RITT_TRY(refine(S, S->z));
#endif
  return ritti_solver_start(S->solver, s, S->z, error);
}

/* One for the problem as it stands, at z. */
static ritt_status place(ritt_solver *S, ritt_real s, const double *z, ritt_error *error) {
  RITT_TRY(ritti_solver_make(S, &S->now, &S->settings, error, &S->solver));
  ritt_status status = start_at(S, s, z, error);
  S->solver->travelled = S->statistics.arc;
  return status;
}

ritt_status ritti_make_point_room(ritt_solver *S) {
  const ritti_problem *p = S->now.problem;
  RITTI_NEW(S->z, S->arena, p->m);
  RITTI_NEW(S->speed, S->arena, p->m);
  RITTI_NEW(S->top, S->arena, p->tops + 1);
#ifdef RITT_QUAD
  RITTI_NEW(S->point, S->arena, 2 * p->m + p->tops);
#endif
  return RITT_OK;
}

/* Names of columns, room for rows and points. */
static ritt_status make_room(ritt_solver *S, const ritt_shape *shape, bool by_arc) {
  const char **column;
  S->columns = by_arc + shape->columns;
  RITTI_NEW(column, S->arena, S->columns);
  column[0] = "arc";
  memcpy(column + by_arc, shape->column_names, shape->columns * sizeof *column);
  S->column = column;
  RITTI_NEW(S->values, S->arena, S->columns);
  RITTI_NEW(S->after, S->arena, S->columns);
  RITTI_NEW(S->row, S->arena, S->columns);
  return ritti_make_point_room(S);
}

/* The model's problem of another kind, for this solver. */
static ritt_status complete_as(ritt_solver *S, ritt_error *error) {
  const char *word = ritti_kind_word(S->options.kind, error);
  ritti_model *model;
  ritt_model next = S->now;
  if (!word) return RITT_WRONG_CALL;
  if (!strcmp(word, "auto")) return RITT_OK;
  RITTI_NEW(model, S->arena, 1);
  *model = *S->now.model;
  model->kind = word;
  next.model = model;
  RITT_TRY(ritti_complete(model, S->arena, error, &next.check, &next.reduced));
  next.reduced->strong = S->now.reduced->strong;
  RITT_TRY(
      ritti_problem_make(next.reduced, next.output, next.outputs, S->arena, error, &next.problem));
  S->now = next;
  return RITT_OK;
}

static ritt_status begin(ritt_solver *S, const ritt_shape *shape, const double *z,
                         ritt_error *error) {
  clock_t began = clock();
  bool by_arc =
      S->now.model->run == RITTI_RUN_ARC || (S->options.over && !strcmp(S->options.over, "arc"));
  S->statistics.kind = ritt_kind_text(S->now.problem->kind);
  RITT_TRY(make_room(S, shape, by_arc));
  RITT_TRY(place(S, by_arc ? 0 : z[0], z, error));
  S->first = S->now;
  S->spent = clock() - began;
  return RITT_OK;
}

static ritt_status solver_new(const ritt_model *now, const ritt_options *options,
                              const ritt_allocator *allocator, ritt_solver **out) {
  ritti_arena *arena =
      ritti_arena_from(options && options->allocator ? options->allocator : allocator);
  ritt_solver *S = arena ? ritti_arena_alloc(arena, 1, sizeof *S) : NULL;
  *out = S;
  if (!S) {
    ritti_arena_free(arena);
    return RITT_NO_MEMORY;
  }
  S->arena = arena;
  S->now = *now;
  if (now->reduced)
    S->now.model = now->reduced->model; /* a strong potential may have made another of it */
  S->options = options ? *options : ritt_options_default();
  S->statistics = (ritt_statistics){.free_initial_values = now->problem->m - 1 - now->problem->k,
                                    .hidden_constraints = RITT_UNKNOWN,
                                    .last_impasse = NAN};
  return RITT_OK;
}

/* Every failure has a sentence: also that of a function of the caller. */
static ritt_status say(const ritt_solver *S, ritt_status status, size_t said, ritt_error *error) {
  if (status == RITT_NO_MEMORY) return ritti_no_memory(error);
  if (status == RITT_OK || ritt_error_count(error) > said) return status;
  return S && S->solver
             ? ritti_fail(error, status, NULL, NULL, "a function ended the run near %s = %.12g: %s",
                          S->now.model->independent, (double)S->solver->step.z[0],
                          ritt_status_text(status))
             : ritti_fail(error, status, NULL, NULL, "%s", ritt_status_text(status));
}

/* Hands out a solver that was begun, or takes it away again. */
static ritt_status finish(ritt_solver *S, ritt_status status, size_t said, ritt_error *error,
                          ritt_solver **out) {
  *out = status == RITT_OK ? S : NULL;
  status = say(S, status, said, error);
  if (status != RITT_OK) ritt_solver_free(S);
  return status;
}

#ifdef RITT_QUAD
enum { IS_QUAD = 1 };
static ritt_status own_problem(ritt_solver *S, ritt_error *error) {
  return ritti_problem_make(S->now.reduced, S->now.output, S->now.outputs, S->arena, error,
                            &S->now.problem);
}
#else
enum { IS_QUAD = 0 };
static ritt_status own_problem(ritt_solver *S, ritt_error *error) {
  (void)S, (void)error;
  return RITT_OK; /* the model has it */
}
#endif

/* A solver that hands everything on to one in quadruple precision. */
static ritt_status begin_quad(ritt_solver *S, ritt_model *M, ritt_error *error) {
  return ritti_quad_calls()->from_model(M, &S->options, error, &S->quad);
}

ritt_status ritt_solver_from_model(ritt_model *M, const ritt_options *options, ritt_error *error,
                                   ritt_solver **out) {
  ritt_solver *S = NULL;
  size_t said = ritt_error_count(error);
  bool quad;
  *out = NULL;
  RITT_TRY(ritti_pipeline_prepare(M, error));
  RITT_TRY(ritti_precision(M->model, options, error, &quad));
  ritt_status status = solver_new(M, options, NULL, &S);
  if (status == RITT_OK && quad && !IS_QUAD)
    return finish(S, begin_quad(S, M, error), said, error, out);
  if (status == RITT_OK) {
    S->statistics.free_initial_values = M->check.degrees_of_freedom;
    S->statistics.hidden_constraints = M->check.hidden_constraints;
    if (S->options.kind) status = complete_as(S, error);
    if (status == RITT_OK) status = own_problem(S, error);
    if (status == RITT_OK) status = begin(S, &M->shared.shape, S->now.reduced->z, error);
  }
  return finish(S, status, said, error, out);
}

ritt_status ritt_solver_from_problem(const ritt_problem *problem, const double *z,
                                     const ritt_options *options, ritt_error *error,
                                     ritt_solver **out) {
  ritti_model text = no_text;
  ritt_model now = {.model = &text, .problem = (ritti_problem *)problem->problem};
  ritt_solver *S = NULL;
  size_t said = ritt_error_count(error);
  *out = NULL;
  if (options && options->precision && strcmp(options->precision, "double"))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "leave the option 'precision' out",
                      "functions compute in doubles: only models run in another precision");
  if (options && options->kind && strcmp(options->kind, "auto") &&
      strcmp(options->kind, ritt_kind_text(problem->shape.kind)))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "only models can be completed to another kind",
                      "the problem is of the %s kind", ritt_kind_text(problem->shape.kind));
  ritt_status status = solver_new(&now, options, problem->allocator, &S);
  if (status == RITT_OK) {
    ritti_model *kept = ritti_arena_alloc(S->arena, 1, sizeof *kept);
    if (kept)
      *kept = text, kept->independent = problem->shape.coordinate_names[0], kept->start_x = z[0];
    S->now.model = kept;
    status = kept ? ritti_problem_check_start(problem, z, error) : RITT_NO_MEMORY;
    if (status == RITT_OK) status = begin(S, &problem->shape, z, error);
  }
  return finish(S, status, said, error, out);
}

/* Another start than the model's, on the manifold. */
static ritt_status start_given(ritt_solver *S, double s, const double *z, ritt_error *error) {
  if (S->quad) return ritti_quad_calls()->start(S->quad, s, z, error);
  for (int i = 0; i < S->now.problem->m; i++) S->z[i] = z[i];
  ritti_levels_take(S->solver, S->z);
  return ritti_solver_start(S->solver, s, S->z, error);
}

ritt_status ritt_solver_from_model_at(ritt_model *M, double s, const double *z,
                                      const ritt_options *options, ritt_error *error,
                                      ritt_solver **out) {
  ritt_solver *S;
  size_t said = ritt_error_count(error);
  *out = NULL;
  if (options && options->kind && strcmp(options->kind, "auto"))
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "take ritt_model_kind in place of the option 'kind'",
                      "a point belongs to the kind that the model is completed to");
  RITT_TRY(ritt_solver_from_model(M, options, error, &S));
  return finish(S, start_given(S, s, z, error), said, error, out);
}

void ritt_solver_free(ritt_solver *S) {
  if (!S) return;
  if (S->quad) ritti_quad_calls()->free(S->quad);
  end_compiling(S);
  ritti_arena_free(S->arena);
}

/* ---- completed anew where a pivot of the completion vanishes ---- */

/* Adds what one solver did. */
static void add_statistics(const ritti_solver *S, ritt_statistics *out) {
  const ritti_passage *way = &S->cross.way; /* near crossings; nothing where there are none */
  out->accepted += S->accepted;
  out->rejected += S->rejected;
  out->evaluations += S->direction.evaluations + way->direction.evaluations;
  out->projections += S->manifold.projections + way->manifold.projections;
  out->newton_iterations += S->manifold.iterations + way->manifold.iterations;
  out->failed_projections += S->manifold.failures + way->manifold.failures;
  out->factorisations += S->manifold.factorisations + way->manifold.factorisations;
  out->matrix_products += S->manifold.products;
  out->second_derivatives += S->manifold.second;
  out->stage_jacobians += S->step.counts.jacobians;
  out->stage_factorisations += S->step.counts.factorisations;
  out->stage_iterations += S->step.counts.iterations;
  out->failed_stages += S->step.counts.failures;
  const ritti_vibration *vibration = ritti_stepper_vibration(&S->step);
  if ((double)vibration->first > out->vibration) {
    out->vibration = (double)vibration->first;
    out->vibration_steps = vibration->going ? 0 : vibration->steps;
  }
  out->stability_limited += S->stiff.limited;
  out->stiff = ritti_stiff(out->stability_limited, out->accepted);
  out->rows += S->rows;
  if (!((double)S->largest_residual <= out->largest_residual))
    out->largest_residual = (double)S->largest_residual;
  out->events += S->events;
  out->switches += S->switches;
  out->slidings += S->slidings;
  if (RITTI_MATH(fabs)(S->forced.move) > fabs(out->jump_move)) {
    const ritti_problem *p = S->problem;
    out->jump_move = (double)S->forced.move, out->jump_at = (double)S->forced.s;
    out->jump_moved = p->coordinate_name ? p->coordinate_name(p->data, S->forced.coordinate) : "";
  }
  if (S->ended >= 0) out->ended_by = S->problem->event[S->ended].name;
  out->impasse_points += S->impasses;
  if (S->impasses) out->last_impasse = (double)S->impasse_x;
  out->singular_points += S->singulars;
  out->crossings += S->crossings;
  for (int i = 0; i < S->specials && out->specials < RITT_MOST_SPECIAL; i++)
    out->special[out->specials++] = S->special[i];
  out->arc = (double)S->travelled;
  out->x = (double)S->s;
}

/* The model with this point as start values, all of them guesses. */
static ritt_status move_start(const ritt_model *M, const ritti_renewal *at, ritti_arena *arena,
                              ritti_model **out) {
  const ritti_reduced *R = M->reduced;
  ritti_model *model;
  RITTI_NEW(model, arena, 1);
  *model = *M->model;
  RITTI_NEW(model->start, arena, R->m + R->tops);
  model->starts = 0;
  model->start_x = (double)at->z[0];
  for (int i = 1; i < R->m + R->tops; i++) {
    bool top = i >= R->m;
    ritti_expr jet = top ? R->top[i - R->m] : R->coordinate[i];
    double number = (double)(top ? at->top[i - R->m] : at->z[i]);
    if (!(fabs(number) < INFINITY)) continue;
    model->start[model->starts++] = (ritti_start_def){.variable = ritti_index_of(model->dag, jet),
                                                      .order = ritti_order_of(model->dag, jet),
                                                      .number = number,
                                                      .text = "",
                                                      .place = model->start_place};
  }
  *out = model;
  return RITT_OK;
}

ritt_status ritti_renewal_new(const ritt_model *M, ritti_arena *arena, ritti_renewal **out) {
  ritti_renewal *at;
  RITTI_NEW(at, arena, 1);
  at->m = M->problem->m, at->tops = M->problem->tops, at->levels = M->reduced->levels;
  RITTI_NEW(at->z, arena, M->problem->m);
  RITTI_NEW(at->top, arena, M->problem->tops + 1);
  RITTI_NEW(at->level, arena, M->reduced->levels + 1);
  *out = at;
  return RITT_OK;
}

/* Where the solver is. */
static ritt_status note_renewal(const ritt_model *M, const ritti_solver *S, ritti_arena *arena,
                                ritti_renewal **out) {
  RITT_TRY(ritti_renewal_new(M, arena, out));
  memcpy((*out)->z, S->step.z, (size_t)M->problem->m * sizeof(ritt_real));
  memcpy((*out)->top, S->step.top, (size_t)M->problem->tops * sizeof(ritt_real));
  memcpy((*out)->level, S->work + M->problem->level_at,
         (size_t)M->reduced->levels * sizeof(ritt_real));
  return RITT_OK;
}

/* M's problem made anew there; invariants keep their values. */
ritt_status ritti_complete_anew(const ritt_model *M, const ritti_renewal *at, ritti_arena *arena,
                                ritt_error *error, ritt_model *out) {
  *out = *M;
  RITT_TRY(move_start(M, at, arena, &out->model));
  RITT_TRY(ritti_complete(out->model, arena, error, &out->check, &out->reduced));
  for (int i = 0; i < out->reduced->levels && i < M->reduced->levels; i++)
    out->reduced->level[i] = (double)at->level[i]; /* jumps may have changed them */
  return ritti_problem_make(out->reduced, M->output, M->outputs, arena, error, &out->problem);
}

/* Goes on with the system completed anew at the solver's point. */
static ritt_status renew(ritt_solver *S, ritt_error *error) {
  enum { MOST_TIMES = 1000 };
  const ritti_solver *old = S->solver;
  ritt_real s = old->s;
  ritt_model next;
  /* no way on from where the last completion began either */
  bool stuck = S->statistics.recompletions >= MOST_TIMES ||
               (S->statistics.recompletions && S->statistics.x == (double)s);
  ritt_status status = RITT_STOPPED;
  ritti_renewal *at = NULL;
  if (S->now.reduced && !stuck) status = note_renewal(&S->now, old, S->arena, &at);
  if (status == RITT_OK) status = ritti_complete_anew(&S->now, at, S->arena, error, &next);
  if (status == RITT_NO_MEMORY) return status;
  if (status != RITT_OK)
    return ritti_fail(error, RITT_STOPPED, NULL, "the system changes its form here",
                      "the run stopped at %s = %.12g: a pivot of the completion vanishes",
                      S->now.model->independent, (double)old->step.z[0]);
  add_statistics(old, &S->statistics);
  S->statistics.recompletions++;
  at->before = S->renewals;
  S->renewals = at;
  S->carried = (ritti_carried){S->now.reduced, old};
  S->now = next;
  RITT_TRY(ritti_make_point_room(S));
  status = place(S, s, next.reduced->z, error);
  S->carried = (ritti_carried){NULL, NULL};
  S->solver->fine = old->fine, S->solver->last_row = old->last_row;
  return status;
}

/* ---- method auto: an implicit method goes on where the system turned out to be stiff ---- */

static ritt_status turn_implicit(ritt_solver *S, ritt_error *error) {
  const ritti_solver *old = S->solver;
  const ritti_problem *before = S->now.problem;
  ritti_solver *next;
  add_statistics(old, &S->statistics);
  S->implicit = true;
  S->turned = (double)old->step.z[0];
  RITT_TRY(ritti_solver_make(S, &S->now, &S->settings, error, &next));
  for (int i = 0; S->now.reduced && i < S->now.reduced->levels; i++)
    next->work[S->now.problem->level_at + (size_t)i] = old->work[before->level_at + (size_t)i];
  S->solver = next;
  RITT_TRY(ritti_solver_start(next, old->s, old->step.z, error));
  next->travelled = old->travelled;
  next->h = old->h;
  next->last_row = old->last_row, next->fine = old->fine;
  return RITT_OK;
}

/* What stopped a solver is that another one should go on. */
static bool is_to_go_on(const ritt_solver *S) { return S->solver->invalid || S->solver->turn; }

static ritt_status go_on(ritt_solver *S, ritt_error *error) {
  return S->solver->turn ? turn_implicit(S, error) : renew(S, error);
}

/* ---- moving ---- */

/* Time spent, that of the call which is going on included. */
clock_t ritti_solver_spent(const ritt_solver *S) {
  return S->spent + (S->going ? clock() - S->began : 0);
}

static void start_clock(ritt_solver *S) { S->began = clock(), S->going = true; }
static void stop_clock(ritt_solver *S) { S->spent = ritti_solver_spent(S), S->going = false; }

static ritt_status check_end(double end, ritt_error *error) {
  return fabs(end) < INFINITY
             ? RITT_OK
             : ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "the end of the run is not finite");
}

static ritt_status step(ritt_solver *S, double end, bool many, ritt_error *error) {
  ritt_status (*go)(ritti_solver *, ritt_real, ritt_error *) =
      many ? ritti_solver_steps : ritti_solver_step;
  if (S->solver->ended >= 0)
    return ritti_fail(error, RITT_STOPPED, NULL, NULL, "the event '%s' has ended the run",
                      S->solver->problem->event[S->solver->ended].name);
  look_at_compiling(S, end);
  ritt_status status = go(S->solver, end, error);
  while (is_to_go_on(S)) {
    RITT_TRY(go_on(S, error));
    status = go(S->solver, end, error);
  }
  return status;
}

ritt_status ritt_solver_step(ritt_solver *S, double end, ritt_error *error) {
  if (S->quad) return ritti_quad_calls()->step(S->quad, end, error);
  RITT_TRY(check_end(end, error));
  size_t said = ritt_error_count(error);
  start_clock(S);
  ritt_status status = step(S, end, false, error);
  stop_clock(S);
  return say(S, status, said, error);
}

ritt_status ritt_solver_run_to(ritt_solver *S, double end, ritt_error *error) {
  if (S->quad) return ritti_quad_calls()->run_to(S->quad, end, error);
  RITT_TRY(check_end(end, error));
  size_t said = ritt_error_count(error);
  ritt_status status = RITT_OK;
  start_clock(S);
  while (status == RITT_OK && S->solver->s != end && S->solver->ended < 0)
    status = step(S, end, true, error);
  stop_clock(S);
  return say(S, status, said, error);
}

/* ---- runs with rows ---- */

typedef struct row_context {
  ritt_solver *S;
  ritt_row row;
  void *user;
  bool ended;       /* the caller ended the run, and knows why: */
  ritt_status with; /* with this */
} row_context;

static ritt_status take_row(void *user, ritt_real s, const ritt_real *z, const ritt_real *top) {
  row_context *c = user;
  RITT_TRY(fill_row(c->S, s, z, top, c->S->values));
  ritt_status status = c->row ? c->row(c->user, c->S->values, c->S->columns) : RITT_OK;
  c->ended = status != RITT_OK, c->with = status;
  return status == RITT_RETRY ? RITT_STOPPED : status; /* the point itself is there */
}

static ritt_status take_fine(void *user, ritt_real s, const ritt_real *z, const ritt_real *top) {
  ritt_solver *S = ((row_context *)user)->S;
  RITT_TRY(fill_row(S, s, z, top, S->values));
  return S->options.fine(S->options.fine_user, S->values, S->columns);
}

static int compare(const void *a, const void *b) {
  ritt_real x = *(const ritt_real *)a, y = *(const ritt_real *)b;
  return (x > y) - (x < y);
}

/* The values at which rows are wanted, in the order of the run, each once. */
static ritt_status sort_at(ritt_solver *S, ritti_rows *rows, ritt_error *error) {
  double from = S->from, end = S->settings.end;
  ritt_real *at;
  long count = 0;
  for (long i = 0; i < rows->count; i++)
    if (!(rows->at[i] >= fmin(from, end) && rows->at[i] <= fmax(from, end)))
      return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                        "a row is wanted at %.12g, but the run goes from %.12g to %.12g",
                        (double)rows->at[i], from, end);
  RITTI_NEW(at, S->arena, rows->count + 1);
  for (long i = 0; i < rows->count; i++) at[i] = rows->at[i];
  qsort(at, (size_t)rows->count, sizeof *at, compare);
  for (long i = 0; i < rows->count; i++)
    if (count == 0 || at[i] != at[count - 1]) at[count++] = at[i];
  for (long i = 0; end < from && i < count / 2; i++) {
    ritt_real other = at[i];
    at[i] = at[count - 1 - i], at[count - 1 - i] = other;
  }
  rows->at = at, rows->count = count;
  return RITT_OK;
}

/* The rows of a run that begins. */
static ritt_status plan_rows(ritt_solver *S, ritti_rows *out, ritt_error *error) {
  ritti_rows rows = S->settings.rows;
  rows.begun = rows.resumed = S->loaded && S->solver->running;
  if (rows.resumed) rows.next = S->solver->next_row;
  else S->from = (double)S->solver->s;
  rows.from = S->from;
  S->loaded = false;
  if (rows.at) RITT_TRY(sort_at(S, &rows, error));
  if (S->options.fine) {
    long points = S->options.fine_points > 1 ? S->options.fine_points : 2;
    rows.fine = take_fine;
    rows.spacing = RITTI_MATH(fabs)(S->settings.end - rows.from) / (ritt_real)(points - 1);
  }
  *out = rows;
  return RITT_OK;
}

static ritt_status run(ritt_solver *S, row_context *context, ritt_error *error) {
  ritti_rows *rows = &S->rows;
  if (!S->paused) RITT_TRY(plan_rows(S, rows, error));
  else rows->next = S->solver->next_row, rows->begun = rows->resumed = true;
  ritt_status status = ritti_solver_run(S->solver, S->settings.end, rows, take_row, context, error);
  while (is_to_go_on(S)) {
    rows->next = S->solver->next_row;
    rows->begun = true, rows->resumed = false;
    RITT_TRY(go_on(S, error));
    status = ritti_solver_run(S->solver, S->settings.end, rows, take_row, context, error);
  }
  return status;
}

ritt_status ritt_solver_run(ritt_solver *S, ritt_row row, void *user, ritt_error *error) {
  bool over;
  return ritti_solver_go(S, row, user, &over, error);
}

ritt_status ritti_solver_go(ritt_solver *S, ritt_row row, void *user, bool *over,
                            ritt_error *error) {
  row_context context = {.S = S, .row = row, .user = user};
  *over = true;
  if (S->quad) return ritti_quad_calls()->run(S->quad, row, user, error);
  if (S->settings.end != S->settings.end)
    return S->now.reduced ? ritti_fail(error, RITT_WRONG_MODEL, NULL,
                                       "add a line such as 'solve t = 0 .. 10', or give --to 10",
                                       "the model does not say how far to run")
                          : ritti_fail(error, RITT_WRONG_CALL, NULL, "set the option 'to'",
                                       "the options do not say how far to run");
  size_t said = ritt_error_count(error);
  if (!S->paused) start_clock(S);
  ritt_status status = run(S, &context, error);
  S->paused = status == RITT_OK && S->solver->waiting;
  *over = !S->paused;
  if (S->paused) return RITT_OK;
  stop_clock(S);
  return context.ended && status != RITT_NO_MEMORY ? context.with : say(S, status, said, error);
}

ritt_status ritt_model_run(ritt_model *M, const ritt_options *options, ritt_row row, void *user,
                           ritt_statistics *statistics, ritt_error *error) {
  ritt_solver *S;
  RITT_TRY(ritt_solver_from_model(M, options, error, &S));
  ritt_status status = ritt_solver_run(S, row, user, error);
  if (statistics) ritt_solver_statistics(S, statistics);
  ritt_solver_free(S);
  return status;
}

/* ---- looking ---- */

/* The real that a double stands for: an end of the last step has more digits. */
static ritt_real real_of(const ritt_solver *S, double s) {
  if (s == (double)S->solver->s) return S->solver->s;
  return s == (double)S->solver->before ? S->solver->before : s;
}

/* The point at s in the last step into S->z and S->top. */
static ritt_status look(ritt_solver *S, double s, ritt_error *error) {
  ritt_status status = ritti_solver_dense(S->solver, real_of(S, s), S->z, S->top, S->speed);
  if (status == RITT_WRONG_CALL)
    return ritti_fail(error, status, NULL, "dense output reaches over the last step",
                      "%.17g is not between %.17g and %.17g", s, (double)S->solver->before,
                      (double)S->solver->s);
  if (status == RITT_RETRY)
    return ritti_fail(error, RITT_STOPPED, NULL, "take shorter steps",
                      "the point at %.17g in the last step could not be computed", s);
  return status;
}

/* `count` reals as doubles, in S->point from `first` on */
static const double *shown(ritt_solver *S, const ritt_real *from, int count, int first) {
#ifdef RITT_QUAD
  for (int i = 0; i < count; i++) S->point[first + i] = (double)from[i];
  return S->point + first;
#else
  (void)S, (void)count, (void)first;
  return from;
#endif
}

ritt_status ritt_solver_dense(ritt_solver *S, double s, ritt_point *out, ritt_error *error) {
  if (S->quad) return ritti_quad_calls()->dense(S->quad, s, out, error);
  size_t said = ritt_error_count(error);
  const ritti_problem *p = S->now.problem;
  ritt_status status = look(S, s, error);
  *out = (ritt_point){.s = s,
                      .z = shown(S, S->z, p->m, 0),
                      .derivative = shown(S, S->speed, p->m, p->m),
                      .top = shown(S, S->top, p->tops, 2 * p->m)};
  return say(S, status, said, error);
}

ritt_status ritt_solver_point(ritt_solver *S, ritt_point *out, ritt_error *error) {
  if (S->quad) return ritti_quad_calls()->point(S->quad, out, error);
  return ritt_solver_dense(S, (double)S->solver->s, out, error);
}

double ritt_solver_before(const ritt_solver *S) {
  return S->quad ? ritti_quad_calls()->before(S->quad) : (double)S->solver->before;
}

void ritt_solver_columns(const ritt_solver *S, const char *const **names, size_t *count) {
  if (S->quad) {
    ritti_quad_calls()->columns(S->quad, names, count);
    return;
  }
  *names = S->column;
  *count = S->columns;
}

ritt_status ritt_solver_values(ritt_solver *S, double s, double *values, ritt_error *error) {
  if (S->quad) return ritti_quad_calls()->values(S->quad, s, values, error);
  size_t said = ritt_error_count(error);
  ritt_status status = look(S, s, error);
  if (status == RITT_OK) status = fill_row(S, real_of(S, s), S->z, S->top, values);
  return say(S, status, said, error);
}

void ritt_solver_remainders(const ritt_solver *S, double *remainders) {
  if (S->quad) {
    ritti_quad_calls()->remainders(S->quad, remainders);
    return;
  }
  for (size_t i = 0; i < S->columns; i++)
    remainders[i] = (double)(S->row[i] - (ritt_real)(double)S->row[i]);
}

ritt_status ritt_solver_value(ritt_solver *S, const char *name, double *out, ritt_error *error) {
  if (S->quad) return ritti_quad_calls()->value(S->quad, name, out, error);
  const ritti_problem *p = S->now.problem;
  for (int i = 0; i < p->m; i++)
    if (p->coordinate_name && !strcmp(p->coordinate_name(p->data, i), name)) {
      *out = (double)S->solver->point[i];
      return RITT_OK;
    }
  for (size_t i = 0; i < S->columns; i++)
    if (!strcmp(S->column[i], name)) {
      RITT_TRY(ritt_solver_values(S, (double)S->solver->s, S->values, error));
      *out = S->values[i];
      return RITT_OK;
    }
  const char *near = ritti_nearest(name, S->column, S->columns);
  char hint[128];
  snprintf(hint, sizeof hint, "did you mean '%.80s'?", near ? near : "");
  return ritti_fail(error, RITT_WRONG_CALL, NULL, near ? hint : NULL,
                    "'%.60s' is neither a column nor a coordinate", name);
}

void ritt_solver_statistics(const ritt_solver *S, ritt_statistics *out) {
  if (S->quad) {
    ritti_quad_calls()->statistics(S->quad, out);
    return;
  }
  *out = S->statistics;
  add_statistics(S->solver, out);
  out->method = S->settings.solve.tableau->name;
  out->tolerance = S->settings.tolerance;
  out->precision = IS_QUAD ? "quad" : "double";
  out->automatic = S->automatic;
  out->turned = S->implicit ? S->turned : NAN;
  out->stiff = out->stiff && !S->implicit;
  out->end = S->settings.end;
  out->seconds = (double)ritti_solver_spent(S) / CLOCKS_PER_SEC;
  out->native = S->compiling.native;
  out->native_reason = compiling_reason(S);
}

#ifdef RITT_QUAD
const ritti_solver_calls *ritti_quad_calls(void) {
  static const ritti_solver_calls calls = {.from_model = ritt_solver_from_model,
                                           .free = ritt_solver_free,
                                           .start = start_given,
                                           .step = ritt_solver_step,
                                           .run_to = ritt_solver_run_to,
                                           .run = ritt_solver_run,
                                           .dense = ritt_solver_dense,
                                           .point = ritt_solver_point,
                                           .before = ritt_solver_before,
                                           .columns = ritt_solver_columns,
                                           .save = ritt_solver_save,
                                           .load = ritt_solver_load,
                                           .values = ritt_solver_values,
                                           .remainders = ritt_solver_remainders,
                                           .value = ritt_solver_value,
                                           .statistics = ritt_solver_statistics};
  return &calls;
}
#endif
