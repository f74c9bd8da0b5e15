/* One instance of a model as an FMU: making, values, initialization.
 *
 * The texts fmu_*.h stand in the source of an FMU (api/fmu.c), behind the numeric tower, the Problem of
 * the model and its tables: model_alone, model_variable, model_kept, ... They are not compiled in Ritt
 * itself. fmu_work.h has co-simulation, model exchange, partial derivatives and states; fmu_entries.h
 * has the functions of FMI 2.0 and FMI 3.0, which call these.
 */

/* ---- one instance ---- */

typedef enum fmu_status { FMU_OK, FMU_WARNING, FMU_DISCARD, FMU_ERROR, FMU_FATAL } fmu_status;

typedef enum fmu_mode {
  FMU_INSTANTIATED = 1,
  FMU_INITIALIZATION = 2,
  FMU_EVENT = 4,
  FMU_CONTINUOUS = 8,
  FMU_STEP = 16,
  FMU_INTERMEDIATE = 32,
  FMU_TERMINATED = 64,
  FMU_FAILED = 128,
  FMU_RUNS = FMU_EVENT | FMU_CONTINUOUS | FMU_STEP | FMU_INTERMEDIATE,
  FMU_ANY = 255
} fmu_mode;

typedef void (*fmu_log3)(void *environment, int status, const char *category, const char *message);
typedef void (*fmu_log2)(void *environment, const char *name, int status, const char *category,
                         const char *message, ...);
typedef void (*fmu_update)(void *environment, double time, bool set, bool get, bool finished,
                           bool can_return, bool *early, double *early_time);

typedef struct fmu {
  int version;
  bool exchange; /* model exchange; else co-simulation */
  fmu_mode mode;
  char *name;
  void *environment;
  fmu_log3 log3;
  fmu_log2 log2;
  fmu_update update;
  bool logging, may_return_early;
  bool event_mode; /* co-simulation with event mode */

  ritti_arena *arena;
  ritt_error *error;
  ritti_unit *unit;
  ritti_standalone alone; /* model_alone with the tolerance of this instance */
  double tolerance;
  double start, stop;
  bool has_stop;
  bool kept[model_coordinates];  /* coordinates that stay when the start is found */
  bool given[model_coordinates]; /* coordinates whose start value was set */
  bool moved;                    /* parameters or start values differ from those of the model */
  bool unplaced;                 /* the unit is not at its start yet */
  bool changed;                  /* co-simulation: a parameter has changed since the last step */
  bool stale;                    /* model exchange: the point must be evaluated */
  bool first;                    /* model exchange: the events of the start are due */
  bool directed;                 /* the direction of the point is known */
} fmu;

static void fmu_log(fmu *c, fmu_status status, const char *format, const char *a, const char *b) {
  static const char *const category[] = {"logAll", "logStatusWarning", "logStatusDiscard",
                                         "logStatusError", "logStatusFatal"};
  char text[1500];
  if (!c->logging && status < FMU_DISCARD) return;
  ritti_format(text, sizeof text, format, a, b);
  if (c->log3) c->log3(c->environment, status, category[status], text);
  if (c->log2) c->log2(c->environment, c->name, status, category[status], "%s", text);
}

static fmu_status fmu_refuse(fmu *c, const char *function, const char *reason) {
  fmu_log(c, FMU_ERROR, "%s: %s", function, reason);
  return FMU_ERROR;
}

/* Hands the messages of the solver to the logger. */
static fmu_status fmu_report(fmu *c, fmu_status status) {
  for (size_t i = 0; i < ritt_error_count(c->error); i++) {
    const ritt_message *m = ritt_error_get(c->error, i);
    fmu_log(c, status, m->hint ? "%s (%s)" : "%s%s", m->text, m->hint ? m->hint : "");
  }
  ritt_error_clear(c->error);
  return status;
}

/* Is the call allowed in the present mode? */
static bool fmu_is_allowed(fmu *c, const char *function, int modes) {
  if (!c) return false;
  if (c->mode & modes) return true;
  fmu_refuse(c, function, "this function may not be called in the present state of the instance");
  return false;
}

/* ---- making ---- */

/* Makes the unit for this tolerance; parameters and start values are those of the model. */
static bool fmu_make_unit(fmu *c, double tolerance) {
  ritti_arena *arena = ritti_arena_new();
  ritti_unit *unit = NULL;
  if (!arena) return false;
  c->alone = model_alone;
  if (tolerance != model_tolerance) {
    ritt_real *relative = ritti_arena_alloc(arena, model_coordinates, sizeof *relative);
    ritt_real *absolute = ritti_arena_alloc(arena, model_coordinates, sizeof *absolute);
    for (int i = 0; relative && absolute && i < model_coordinates; i++) {
      relative[i] = model_relative[i] * (tolerance / model_tolerance);
      absolute[i] = model_absolute[i] * (tolerance / model_tolerance);
    }
    c->alone.options.relative = relative;
    c->alone.options.absolute = absolute;
  }
  ritt_status status = RITT_NO_MEMORY;
  if (c->alone.options.relative && c->alone.options.absolute)
    status = ritti_unit_new(&c->alone, arena, c->error, &unit);
  if (status != RITT_OK) {
    ritti_arena_free(arena);
    return false;
  }
  ritti_unit_free(c->unit);
  ritti_arena_free(c->arena);
  c->arena = arena;
  c->unit = unit;
  c->tolerance = tolerance;
  unit->timed = model_timed;
  unit->s = model_alone.options.by_arc ? 0 : model_alone.start[0];
  return true;
}

/* The same for another tolerance, with the values that were set. */
static bool fmu_take_tolerance(fmu *c, double tolerance) {
  if (tolerance == c->tolerance) return true;
  ritt_real values[model_parameters + model_coordinates];
  const ritt_real *parameter = ritti_unit_parameters(c->unit);
  for (int i = 0; i < model_parameters; i++) values[i] = parameter[i];
  for (int i = 0; i < model_coordinates; i++) values[model_parameters + i] = c->unit->given[i];
  if (!fmu_make_unit(c, tolerance)) return false;
  for (int i = 0; i < model_parameters; i++) ritti_unit_parameters(c->unit)[i] = values[i];
  for (int i = 0; i < model_coordinates; i++) c->unit->given[i] = values[model_parameters + i];
  return true;
}

static void fmu_free(fmu *c) {
  if (!c) return;
  ritti_unit_free(c->unit);
  ritti_arena_free(c->arena);
  ritt_error_free(c->error);
  free(c->name);
  free(c);
}

/* As just instantiated. */
static bool fmu_reset(fmu *c) {
  c->mode = FMU_INSTANTIATED;
  c->moved = c->changed = c->stale = c->directed = false;
  c->unplaced = c->first = true;
  c->has_stop = false;
  c->start = model_alone.options.by_arc ? 0 : model_alone.start[0];
  memcpy(c->kept, model_kept, sizeof c->kept);
  memset(c->given, 0, sizeof c->given);
  return fmu_make_unit(c, model_tolerance);
}

static fmu *fmu_new(int version, bool exchange, const char *name, const char *token, bool logging,
                    void *environment, fmu_log3 log3, fmu_log2 log2) {
  fmu *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->version = version;
  c->exchange = exchange;
  c->logging = logging;
  c->environment = environment;
  c->log3 = log3;
  c->log2 = log2;
  size_t length = name ? strlen(name) : 0;
  c->name = malloc(length + 1);
  if (c->name) memcpy(c->name, name ? name : "", length + 1);
  c->error = ritt_error_new();
  bool good = c->name && c->error;
  const char *reason = "there is not enough memory";
  if (good && (!token || strcmp(token, model_token))) {
    good = false;
    reason = "the token is not that of this FMU";
  }
  if (good && model_is_fused()) {
    good = false;
    reason = "the source was compiled without -ffp-contract=off";
  }
  if (good && (exchange ? !model_has_exchange : !model_has_simulation)) {
    good = false;
    reason = "the FMU was made without this interface";
  }
  if (good && fmu_reset(c)) return c;
  fmu_refuse(c, "instantiation", reason);
  fmu_free(c);
  return NULL;
}

/* ---- the point ---- */

static void fmu_forget(fmu *c) { c->directed = c->unit->known = false; }

/* Finds the start with the values that were set. */
static fmu_status fmu_place(fmu *c) {
  if (!c->unplaced) return FMU_OK;
  fmu_forget(c);

  /* start values that follow from parameters, unless they were set */
  ritti_unit *unit = c->unit;
  const ritti_problem *p = &model_problem;
  if (c->moved)
    (void)p->call.output(p->data, unit->driver->work, unit->given, unit->top, unit->output);
  for (int i = 0; c->moved && i < model_coordinates; i++)
    if (model_start_of[i] >= 0 && !c->given[i]) unit->given[i] = unit->output[model_start_of[i]];
  ritt_real wanted[model_coordinates];
  memcpy(wanted, unit->given, sizeof wanted);
  ritt_status status = ritti_unit_start(c->unit, c->moved, c->kept);
  for (int i = 0; status == RITT_OK && i < model_coordinates; i++)
    if (c->kept[i] && !(fabs(unit->z[i] - wanted[i]) <= 1e-6 * (1 + fabs(wanted[i])))) {
      memcpy(unit->given, wanted, sizeof wanted);
      status = RITT_RETRY; /* it does not lie on the manifold, and was moved */
    }
  if (status != RITT_OK) {
    ritti_fail(c->error, status, NULL, "set other values, or export the model again with --set",
               "there is no start with these parameters and start values");
    return fmu_report(c, FMU_ERROR);
  }
  c->unplaced = false;
  return FMU_OK;
}

/* Makes the point ready for its values to be read. */
static fmu_status fmu_refresh(fmu *c) {
  if (c->mode & (FMU_INSTANTIATED | FMU_INITIALIZATION)) return fmu_place(c);
  if (!c->stale) return FMU_OK;
  fmu_forget(c);
  if (ritti_unit_evaluate(c->unit) != RITT_OK) return fmu_report(c, FMU_DISCARD);
  c->directed = true;
  c->stale = false;
  return FMU_OK;
}

static fmu_status fmu_get_one(fmu *c, unsigned reference, double *value) {
  const fmu_variable *v = &model_variable[reference];
  ritti_unit *unit = c->unit;
  ritt_real indicator[model_monitors + 1];
  switch (v->kind) {
  case FMU_TIME: *value = c->mode & FMU_INSTANTIATED ? c->start : unit->s; break;
  case FMU_INPUT:
  case FMU_PARAMETER: *value = ritti_unit_parameters(unit)[v->index]; break;
  case FMU_COORDINATE: *value = unit->z[v->index]; break;
  case FMU_OUTPUT: *value = ritti_unit_outputs(unit)[v->index]; break;
  case FMU_DERIVATIVE:
    if (!c->directed && ritti_unit_direction(unit) != RITT_OK) return FMU_DISCARD;
    c->directed = true;
    *value = unit->V[v->index];
    break;
  case FMU_INDICATOR:
    if (ritti_unit_indicators(unit, indicator) != RITT_OK) return FMU_DISCARD;
    *value = indicator[v->index];
    break;
  }
  return FMU_OK;
}

static fmu_status fmu_get(fmu *c, const char *function, const unsigned *reference, size_t count,
                          double *value) {
  bool plain = true;
  for (size_t i = 0; i < count; i++) {
    if (reference[i] >= model_variables)
      return fmu_refuse(c, function, "there is no variable with this value reference");
    plain = plain && (model_variable[reference[i]].kind == FMU_PARAMETER ||
                      model_variable[reference[i]].kind == FMU_INPUT);
  }
  fmu_status status = plain ? FMU_OK : fmu_refresh(c);
  for (size_t i = 0; status == FMU_OK && i < count; i++)
    status = fmu_get_one(c, reference[i], &value[i]);
  return status;
}

/* Measures all inputs from the present time on: between two calls an input is u + u' s + u'' s^2/2. */
static void fmu_shift_inputs(fmu *c) {
  ritt_real *first = ritti_unit_parameters(c->unit) + model_input_time;
  ritt_real x = model_by_arc ? c->unit->z[0] : c->unit->s, s = x - first[0];
  first[0] = x;
  for (int i = 0; i < model_inputs; i++) {
    ritt_real *u = first + 1 + 3 * i;
    u[0] += s * (u[1] + s * u[2] / 2);
    u[1] += s * u[2];
  }
}

/* Sets an input, or a derivative of it, from the present time on. */
static fmu_status fmu_set_input(fmu *c, const char *function, int index, double value) {
  bool before = c->mode & (FMU_INSTANTIATED | FMU_INITIALIZATION);
  if (!before && !(c->mode & FMU_RUNS))
    return fmu_refuse(c, function, "an input cannot be set any more");
  fmu_shift_inputs(c);
  ritt_real *parameter = &ritti_unit_parameters(c->unit)[index];
  if (*parameter == value) return FMU_OK;
  if (!before && !c->exchange) ritti_unit_note_sides(c->unit);
  *parameter = value;
  if (before) c->unplaced = c->moved = true;
  c->changed = !before;
  c->stale = !before && c->exchange;
  fmu_forget(c);
  return FMU_OK;
}

static fmu_status fmu_set_one(fmu *c, const char *function, unsigned reference, double value) {
  const fmu_variable *v = &model_variable[reference];
  bool before = c->mode & (FMU_INSTANTIATED | FMU_INITIALIZATION);
  if (!(value - value == 0)) return fmu_refuse(c, function, "the value is not a finite number");
  if (v->kind == FMU_INPUT) return fmu_set_input(c, function, v->index, value);
  if (v->kind == FMU_PARAMETER) {
    bool running = v->tunable && c->mode & (FMU_EVENT | FMU_STEP | FMU_INTERMEDIATE);
    ritt_real *parameter = &ritti_unit_parameters(c->unit)[v->index];
    if (!before && !running)
      return fmu_refuse(c, function, "this parameter cannot be set any more");
    if (*parameter == value) return FMU_OK;
    if (!before && !c->exchange) ritti_unit_note_sides(c->unit);
    *parameter = value;
    ritti_unit_forget_times(c->unit);
    c->unplaced = c->moved = true;
    c->changed = !before;
    c->stale = !before && c->exchange;
    fmu_forget(c);
    return FMU_OK;
  }
  if (v->kind == FMU_COORDINATE && before) {
    if (c->unit->given[v->index] == value) return FMU_OK;
    c->unit->given[v->index] = value;
    c->kept[v->index] = c->given[v->index] = true;
    c->unplaced = c->moved = true;
    return FMU_OK;
  }
  return fmu_refuse(c, function, "this variable cannot be set");
}

static fmu_status fmu_set(fmu *c, const char *function, const unsigned *reference, size_t count,
                          const double *value) {
  for (size_t i = 0; i < count; i++) {
    if (reference[i] >= model_variables)
      return fmu_refuse(c, function, "there is no variable with this value reference");
    fmu_status status = fmu_set_one(c, function, reference[i], value[i]);
    if (status != FMU_OK) return status;
  }
  return FMU_OK;
}

/* ---- initialization ---- */

static fmu_status fmu_setup(fmu *c, const char *function, bool has_tolerance, double tolerance,
                            double start, bool has_stop, double stop) {
  if (!(start - start == 0) || (has_stop && !(stop - stop == 0)) || (has_stop && stop < start))
    return fmu_refuse(c, function, "the start or stop time of the experiment is wrong");
  if (has_tolerance && !(tolerance > 0 && tolerance < 1))
    return fmu_refuse(c, function, "the tolerance must lie between 0 and 1");
  if (!fmu_take_tolerance(c, has_tolerance ? tolerance : model_tolerance))
    return fmu_refuse(c, function, "there is not enough memory");
  c->start = start;
  c->has_stop = has_stop;
  c->stop = stop;
  return FMU_OK;
}

/* The end of the run, as far as it is known. */
static double fmu_end(const fmu *c) {
  if (c->has_stop) return c->stop;
  return model_end > c->start ? model_end : c->start + 1;
}

/* Follows the solution from the start of the model to the start of the experiment. */
static fmu_status fmu_go_to_start(fmu *c) {
  ritti_unit *unit = c->unit;
  bool arrived = unit->s == c->start;
  if (arrived) return FMU_OK;
  while (!arrived) {
    ritt_status status = ritti_unit_follow(unit, c->start, c->start, &arrived);
    if (status != RITT_OK || unit->ended) return fmu_report(c, FMU_ERROR);
  }
  fmu_forget(c);
  if (ritti_unit_restart(unit) != RITT_OK) return fmu_report(c, FMU_ERROR);
  return FMU_OK;
}

static fmu_status fmu_initialize(fmu *c) {
  fmu_status status = fmu_place(c);
  if (status == FMU_OK) status = fmu_go_to_start(c);
  if (status != FMU_OK) {
    c->mode = FMU_FAILED;
    return status;
  }
  c->mode = c->exchange || c->event_mode ? FMU_EVENT : FMU_STEP;
  c->unit->by_event = c->event_mode && c->may_return_early;
  c->first = true;
  c->changed = c->stale = false;
  if (c->exchange) c->unit->end = fmu_end(c);
  return FMU_OK;
}
