/* Linearisation and equilibria of models: the public objects around src/derive. */
#include "derive/derive.h"
#include "pipeline.h"

/* The parameters that change with the inputs, and their rates: inputs x parameters. */
typedef struct input_list {
  int count, *parameter;
  double *rate;
} input_list;

/* Adds the parameters that change with input number i. */
static ritt_status add_input(ritt_model *M, const char *name, int i, ritti_arena *arena,
                             ritt_error *error, input_list *in) {
  const ritti_model *model = M->model;
  int p = ritti_find_parameter(model, name);
  double *rate = in->rate + i * model->parameters;
  if (p < 0) {
    const char *near = ritt_model_nearest(M, name);
    const char *hint = near && strcmp(near, name)
                           ? ritti_arena_format(arena, "did you mean '%s'?", near)
                           : "an input is a parameter of the model";
    return ritti_fail(error, RITT_WRONG_CALL, NULL, hint, "the model has no parameter '%s'", name);
  }
  RITT_TRY(ritti_find_rates(M, p, arena, error, rate));
  for (int q = 0; q < model->parameters; q++) {
    if (rate[q] == 0) continue;
    if (model->put_in[q])
      return ritti_fail(error, RITT_IMPOSSIBLE, NULL, "give it a value at which none disappears",
                        "derivatives by the input '%s' are not known: with the value %.6g of %s an "
                        "unknown disappears from an equation",
                        name, model->parameter[q].number, model->parameter[q].name);
    bool known = false;
    for (int k = 0; k < in->count; k++) known = known || in->parameter[k] == q;
    if (!known) in->parameter[in->count++] = q;
  }
  return RITT_OK;
}

static ritt_status find_inputs(ritt_model *M, const char *const *names, size_t count,
                               ritti_arena *arena, ritt_error *error, input_list *out) {
  size_t parameters = (size_t)M->model->parameters;
  *out = (input_list){0};
  RITTI_NEW(out->parameter, arena, parameters + 1);
  RITTI_NEW(out->rate, arena, count * parameters + 1);
  for (size_t i = 0; i < count; i++) RITT_TRY(add_input(M, names[i], (int)i, arena, error, out));
  return RITT_OK;
}

/* The derivatives by `count` inputs from those by their parameters: rows of B or D. */
static ritt_status add_parameters(const ritt_model *M, const input_list *in, const double *from,
                                  int rows, size_t count, ritti_arena *arena, const double **out) {
  double *sum;
  RITTI_NEW(sum, arena, (size_t)rows * count + 1);
  for (size_t i = 0; i < (size_t)rows; i++)
    for (size_t j = 0; j < count; j++)
      for (int k = 0; k < in->count; k++)
        sum[i * count + j] +=
            in->rate[j * (size_t)M->model->parameters + (size_t)in->parameter[k]] *
            from[i * (size_t)in->count + (size_t)k];
  *out = sum;
  return RITT_OK;
}

/* Number of columns before the outputs. */
static size_t count_before(const ritt_model *M) { return M->model->run == RITTI_RUN_ARC ? 2 : 1; }

/* The rows with the columns of the table as outputs, at a point; NULL: the start. Columns that only a
 * run fills are left out. */
static ritt_status make_rows(const ritt_model *M, const ritt_point *at, const int *input,
                             int inputs, ritti_arena *arena, ritt_error *error,
                             ritti_linear_rows **out) {
  const ritti_reduced *R = M->reduced;
  size_t outputs = M->slopes ? M->slopes : M->table_columns - count_before(M);
  if (R->forced)
    return ritti_fail(
        error, RITT_IMPOSSIBLE, NULL, "leave out the word 'projected'",
        "'invariant projected' changes the system, and the linearisation of the changed "
        "system is not known");
  RITT_TRY(ritti_linear_rows_new(R, M->output, (int)outputs, input, inputs, arena, out));
  ritt_status status =
      ritti_linear_rows_at(*out, at ? at->z : R->z, at ? at->top : R->top_value, arena);
  if (status == RITT_RETRY)
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL,
                      "choose another point, with --at or other start values",
                      "the equations or their derivatives have no value at this point");
  return status;
}

/* ---- linearisation ---- */

typedef struct owned_linearization {
  ritt_linearization shown; /* first: the caller has its address */
  ritti_arena *arena;
} owned_linearization;

void ritt_linearization_free(ritt_linearization *linearization) {
  if (linearization) ritti_arena_free(((owned_linearization *)linearization)->arena);
}

/* Names of coordinates. */
static ritt_status name_states(const ritt_model *M, const ritti_linear_system *L,
                               ritti_arena *arena, const char *const **out) {
  const ritti_problem *p = M->problem;
  const char **name;
  RITTI_NEW(name, arena, L->states + 1);
  for (int i = 0; i < L->states; i++) {
    const char *text = p->name.coordinate(p->data, L->state[i]);
    name[i] = ritti_arena_text(arena, text, strlen(text));
    if (!name[i]) return RITT_NO_MEMORY;
  }
  *out = name;
  return RITT_OK;
}

static ritt_status copy_names(const char *const *from, size_t count, ritti_arena *arena,
                              const char *const **out) {
  const char **name;
  RITTI_NEW(name, arena, count + 1);
  for (size_t i = 0; i < count; i++) {
    name[i] = ritti_arena_text(arena, from[i], strlen(from[i]));
    if (!name[i]) return RITT_NO_MEMORY;
  }
  *out = name;
  return RITT_OK;
}

static ritt_status linearize(ritt_model *M, const ritt_point *at, const char *const *names,
                             size_t input_count, ritti_arena *arena, ritt_error *error,
                             ritt_linearization **out) {
  ritti_linear_rows *rows;
  ritti_linear_system L;
  owned_linearization *owned;
  input_list in;
  RITT_TRY(find_inputs(M, names, input_count, arena, error, &in));
  RITT_TRY(make_rows(M, at, in.parameter, in.count, arena, error, &rows));
  RITT_TRY(ritti_linearize(rows, arena, error, &L));
  RITTI_NEW(owned, arena, 1);
  owned->arena = arena;
  ritt_linearization *shown = &owned->shown;
  *shown = (ritt_linearization){.states = (size_t)L.states,
                                .inputs = input_count,
                                .outputs = (size_t)L.outputs,
                                .A = L.A,
                                .C = L.C,
                                .eigenvalue_real = L.real,
                                .eigenvalue_imaginary = L.imaginary,
                                .mode_real = L.mode_real,
                                .mode_imaginary = L.mode_imaginary,
                                .x = rows->z[0]};
  RITT_TRY(add_parameters(M, &in, L.B, L.states, input_count, arena, &shown->B));
  RITT_TRY(add_parameters(M, &in, L.D, L.outputs, input_count, arena, &shown->D));
  for (int i = 0; i < L.states; i++)
    shown->largest_velocity = fmax(shown->largest_velocity, fabs(ritti_velocity(rows, L.state[i])));
  RITT_TRY(name_states(M, &L, arena, &shown->state_names));
  RITT_TRY(copy_names(names, input_count, arena, &shown->input_names));
  RITT_TRY(copy_names(M->column + count_before(M), shown->outputs, arena, &shown->output_names));
  *out = shown;
  return RITT_OK;
}

ritt_status ritt_model_linearize(ritt_model *M, const ritt_point *at, const char *const *inputs,
                                 size_t input_count, ritt_error *error, ritt_linearization **out) {
  RITT_TRY(ritti_require(M, "model", error));
  RITT_TRY(ritti_require(out, "place for the result", error));
  *out = NULL;
  RITT_TRY(ritti_pipeline_prepare(M, error));
  ritti_arena *arena = ritti_arena_new();
  if (!arena) return ritti_no_memory(error);
  ritt_status status = linearize(M, at, inputs, input_count, arena, error, out);
  if (status != RITT_OK) ritti_arena_free(arena);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}

/* ---- equilibria ---- */

typedef struct owned_steady {
  ritt_steady shown; /* first: the caller has its address */
  ritti_arena *arena;
} owned_steady;

void ritt_steady_free(ritt_steady *steady) {
  if (steady) ritti_arena_free(((owned_steady *)steady)->arena);
}

/* Marks the coordinates with these names. */
static ritt_status mark_coordinates(const ritt_model *M, const char *const *names, size_t count,
                                    ritti_arena *arena, ritt_error *error, bool **out) {
  const ritti_problem *p = M->problem;
  RITTI_NEW(*out, arena, p->m);
  for (size_t i = 0; i < count; i++) {
    int found = 0;
    for (int j = 1; j < p->m; j++)
      if (!strcmp(p->name.coordinate(p->data, j), names[i])) found = j;
    (*out)[found] = true;
    if (found > 0) continue;
    ritti_text list = {0};
    for (int j = 1; j < p->m && j <= 12; j++)
      ritti_text_add(&list, "%s%s", j > 1 ? ", " : "the coordinates are ",
                     p->name.coordinate(p->data, j));
    ritt_status status = ritti_fail(error, RITT_WRONG_CALL, NULL, list.at,
                                    "'%s' is not a coordinate of the completed system", names[i]);
    ritti_text_free(&list);
    return status;
  }
  return RITT_OK;
}

/* Follows the solution for a while and puts the rows where it has come to, with x as before.
 * RITT_RETRY: the run did not get there. */
static ritt_status follow_flow(ritt_model *M, double length, ritti_linear_rows *rows,
                               ritti_arena *arena) {
  ritt_solver *solver;
  ritt_point now;
  ritt_statistics statistics;
  double start = M->reduced->z[0], *z;
  ritt_options options = ritt_options_default();
  options.max_steps = 20000;
  RITTI_NEW(z, arena, M->reduced->m);
  if (ritt_solver_from_model(M, &options, NULL, &solver) != RITT_OK) return RITT_RETRY;
  ritt_status status = ritt_solver_run_to(solver, start + length, NULL);
  ritt_solver_statistics(solver, &statistics);
  bool same = statistics.recompletions == 0; /* else the coordinates have changed */
  if (status == RITT_OK && same) status = ritt_solver_point(solver, &now, NULL);
  if (status == RITT_OK && same) {
    memcpy(z, now.z, (size_t)M->reduced->m * sizeof *z);
    z[0] = start;
    status = ritti_linear_rows_at(rows, z, now.top, arena);
  }
  ritt_solver_free(solver);
  return status == RITT_OK && same ? RITT_OK : RITT_RETRY;
}

static ritt_status find_steady(ritt_model *M, const char *const *moving, size_t moving_count,
                               const char *const *hold, size_t hold_count, ritti_arena *arena,
                               ritt_error *error, ritt_steady **out) {
  static const double lengths[] = {1, 10, 100}; /* in lengths of the run */
  ritti_linear_rows *rows;
  bool *moves, *held;
  double misfit = 0, least = INFINITY, run = M->model->run_end - M->model->start_x;
  if (M->model->run != RITTI_RUN_X || run == 0 || !(fabs(run) < INFINITY)) run = 1;
  RITT_TRY(make_rows(M, NULL, NULL, 0, arena, error, &rows));
  RITT_TRY(mark_coordinates(M, moving, moving_count, arena, error, &moves));
  RITT_TRY(mark_coordinates(M, hold, hold_count, arena, error, &held));

  /* from the start, then from points of the solution */
  ritt_status status = ritti_find_steady(rows, moves, held, arena, &misfit);
  least = fmin(least, misfit);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths && status == RITT_RETRY; i++) {
    if (follow_flow(M, lengths[i] * run, rows, arena) != RITT_OK) break;
    status = ritti_find_steady(rows, moves, held, arena, &misfit);
    least = fmin(least, misfit);
  }
  if (status == RITT_RETRY)
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL,
                      "give start values nearer to it; if variables grow steadily, name them "
                      "with --moving",
                      "no equilibrium was found: the best point found has a velocity or a "
                      "residual of %.3g",
                      least);
  RITT_TRY(status);

  /* the row at the point */
  const ritti_reduced *R = M->reduced;
  owned_steady *owned;
  double *values, *velocity;
  RITTI_NEW(owned, arena, 1);
  RITTI_NEW(velocity, arena, R->m);
  RITTI_NEW(values, arena, rows->outputs + 1);
  for (int i = 0; i < R->m; i++) velocity[i] = ritti_velocity(rows, i);
  values[0] = rows->z[0];
  for (int i = 0; i < rows->outputs; i++)
    values[i + 1] = rows->jacobian->value[rows->manifold + rows->tops + i];
  owned->arena = arena;
  owned->shown = (ritt_steady){
      .point = {.s = rows->z[0], .z = rows->z, .derivative = velocity, .top = rows->top},
      .columns = (size_t)rows->outputs + 1,
      .values = values};
  RITT_TRY(copy_names(M->column + count_before(M) - 1, owned->shown.columns, arena,
                      &owned->shown.column_names));
  *out = &owned->shown;
  return RITT_OK;
}

ritt_status ritt_model_steady(ritt_model *M, const char *const *moving, size_t moving_count,
                              const char *const *hold, size_t hold_count, ritt_error *error,
                              ritt_steady **out) {
  RITT_TRY(ritti_require(M, "model", error));
  RITT_TRY(ritti_require(out, "place for the result", error));
  *out = NULL;
  RITT_TRY(ritti_pipeline_prepare(M, error));
  ritti_arena *arena = ritti_arena_new();
  if (!arena) return ritti_no_memory(error);
  ritt_status status = find_steady(M, moving, moving_count, hold, hold_count, arena, error, out);
  if (status != RITT_OK) ritti_arena_free(arena);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}
