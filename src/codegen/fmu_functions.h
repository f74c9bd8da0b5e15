/* The functions of FMI 2.0 and FMI 3.0 for one model: co-simulation and model exchange.
 *
 * This text stands in the source of an FMU (api/fmu.c), behind the numeric tower, the Problem of the
 * model and its tables: model_alone, model_variable, model_kept, ... It is not compiled in Ritt itself.
 * Both versions of the standard call the same functions fmu_...; they differ in their types and in the
 * order of their arguments. The declarations follow the standard (https://fmi-standard.org).
 */

#if defined(_WIN32)
#define FMU_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define FMU_EXPORT __attribute__((visibility("default")))
#else
#define FMU_EXPORT
#endif

/* The names of functions may have a prefix, for FMUs that are linked statically. */
#define FMU_JOIN(a, b)  a##b
#define FMU_PASTE(a, b) FMU_JOIN(a, b)
#ifdef FMI3_FUNCTION_PREFIX
#define FMI3(name) FMU_PASTE(FMI3_FUNCTION_PREFIX, name)
#else
#define FMI3(name) name
#endif
#ifdef FMI2_FUNCTION_PREFIX
#define FMI2(name) FMU_PASTE(FMI2_FUNCTION_PREFIX, name)
#else
#define FMI2(name) name
#endif

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
  bool known, directed;          /* outputs, direction of the point */
  ritt_real output[model_outputs + 1];
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
  fmu_refuse(c, function, "the instance is not in a state in which this function may be called");
  return false;
}
#define FMU_ALLOW(function, modes)                                                                 \
  if (!fmu_is_allowed((fmu *)instance, function, modes)) return FMU_ERROR;                         \
  fmu *c = (fmu *)instance

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
  c->moved = c->changed = c->stale = c->known = c->directed = false;
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

static void fmu_forget(fmu *c) { c->known = c->directed = false; }

/* Finds the start with the values that were set. */
static fmu_status fmu_place(fmu *c) {
  if (!c->unplaced) return FMU_OK;
  fmu_forget(c);

  /* start values that follow from parameters, unless they were set */
  ritti_unit *unit = c->unit;
  const ritti_problem *p = &model_problem;
  if (c->moved)
    (void)p->call.output(p->data, unit->driver->work, unit->given, unit->top, c->output);
  for (int i = 0; c->moved && i < model_coordinates; i++)
    if (model_start_of[i] >= 0 && !c->given[i]) unit->given[i] = c->output[model_start_of[i]];
  ritt_status status = ritti_unit_start(c->unit, c->moved, c->kept);
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

static double fmu_output(fmu *c, int i) {
  const ritti_problem *p = &model_problem;
  ritti_unit *unit = c->unit;
  /* an output without a value is NaN */
  if (!c->known) (void)p->call.output(p->data, unit->driver->work, unit->z, unit->top, c->output);
  c->known = true;
  return c->output[i];
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
  case FMU_OUTPUT: *value = fmu_output(c, v->index); break;
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
    *parameter = value;
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
    return fmu_refuse(c, function, "the times of the experiment are wrong");
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
  c->mode = c->exchange ? FMU_EVENT : FMU_STEP;
  c->first = true;
  c->changed = c->stale = false;
  if (c->exchange) c->unit->end = fmu_end(c);
  return FMU_OK;
}

/* ---- co-simulation ---- */

typedef struct fmu_step {
  bool early, terminate;
  double last; /* where the step has ended */
} fmu_step;

/* A communication point within rounding of the end of the run is the end. */
static double fmu_target(const fmu *c, double to, double size) {
  double end = fmu_end(c);
  return fabs(to - end) < 1e-9 * size ? end : to;
}

/* Gives the values of a step inside; returns the time at which the importer wants to return. */
static double fmu_give_intermediate(fmu *c, double to) {
  bool early = false;
  double time = c->unit->s;
  c->mode = FMU_INTERMEDIATE;
  fmu_forget(c);
  c->update(c->environment, c->unit->s, false, true, true, c->may_return_early, &early, &time);
  c->mode = FMU_STEP;
  if (!early || !c->may_return_early) return to;
  if (!(time > c->unit->s)) return c->unit->s;
  return time < to ? time : to;
}

static fmu_status fmu_do_step(fmu *c, const char *function, double from, double size,
                              fmu_step *out) {
  ritti_unit *unit = c->unit;
  *out = (fmu_step){.last = unit->s};
  if (!(fabs(from - unit->s) <= 1e-9 * fmax(fabs(from), size)))
    return fmu_refuse(c, function, "the communication point is not where the last step has ended");
  if (!(size >= 0) || !(size - size == 0) || (size == 0 && c->version == 3))
    return fmu_refuse(c, function, "the size of the step must be positive");
  double to = fmu_target(c, from + size, size);
  if (c->has_stop && to > c->stop)
    return fmu_refuse(c, function, "the step goes beyond the stop time");
  if (unit->ended) {
    out->terminate = out->early = true;
    return FMU_OK;
  }

  /* a parameter was set: the run begins again here */
  fmu_forget(c);
  if (c->changed && ritti_unit_restart(unit) != RITT_OK) {
    c->mode = FMU_FAILED;
    return fmu_report(c, FMU_ERROR);
  }
  c->changed = c->unplaced = false;

  double aim = to;
  bool arrived = false;
  while (!arrived) {
    double before = unit->s;
    ritt_status status = ritti_unit_follow(unit, aim, fmu_end(c), &arrived);
    if (status != RITT_OK) {
      out->last = unit->s;
      c->mode = FMU_FAILED;
      return fmu_report(c, FMU_ERROR);
    }
    if (!arrived && c->update && unit->s > before) {
      aim = fmu_give_intermediate(c, aim);
      arrived = aim == unit->s;
    }
  }
  out->last = unit->s;
  out->early = unit->ended || aim != to;
  out->terminate = unit->ended;
  if (unit->ended) fmu_report(c, FMU_OK);
  return FMU_OK;
}

/* ---- model exchange ---- */

enum { FMU_STATES = model_coordinates - !model_by_arc, FMU_FIRST_STATE = !model_by_arc };

static fmu_status fmu_set_states(fmu *c, const char *function, const double *x, size_t count) {
  if (count != FMU_STATES) return fmu_refuse(c, function, "the number of states is wrong");
  for (size_t i = 0; i < count; i++) c->unit->given[FMU_FIRST_STATE + i] = x[i];
  c->stale = true;
  fmu_forget(c);
  return FMU_OK;
}

static fmu_status fmu_set_time(fmu *c, const char *function, double time) {
  if (!(time - time == 0)) return fmu_refuse(c, function, "the time is not a finite number");
  if (c->unit->s == time) return FMU_OK;
  c->unit->s = time;
  c->stale = true;
  fmu_forget(c);
  return FMU_OK;
}

static fmu_status fmu_get_states(fmu *c, const char *function, double *x, size_t count) {
  if (count != FMU_STATES) return fmu_refuse(c, function, "the number of states is wrong");
  if (c->mode & FMU_INITIALIZATION) {
    fmu_status status = fmu_place(c);
    if (status != FMU_OK) return status;
  }
  for (size_t i = 0; i < count; i++) x[i] = c->unit->given[FMU_FIRST_STATE + i];
  return FMU_OK;
}

static fmu_status fmu_get_derivatives(fmu *c, const char *function, double *x, size_t count) {
  if (count != FMU_STATES) return fmu_refuse(c, function, "the number of states is wrong");
  fmu_status status = fmu_refresh(c);
  if (status != FMU_OK) return status;
  if (!c->directed && ritti_unit_direction(c->unit) != RITT_OK) return fmu_report(c, FMU_DISCARD);
  c->directed = true;
  for (size_t i = 0; i < count; i++) x[i] = c->unit->V[FMU_FIRST_STATE + i];
  return FMU_OK;
}

static fmu_status fmu_get_indicators(fmu *c, const char *function, double *x, size_t count) {
  ritt_real value[model_monitors + 1];
  if (count != model_monitors) return fmu_refuse(c, function, "the number of indicators is wrong");
  fmu_status status = fmu_refresh(c);
  if (status != FMU_OK) return status;
  if (ritti_unit_indicators(c->unit, value) != RITT_OK) return fmu_report(c, FMU_DISCARD);
  for (size_t i = 0; i < count; i++) x[i] = value[i];
  return FMU_OK;
}

/* Nominal values are sizes below which an absolute tolerance does not matter. */
static fmu_status fmu_get_nominals(fmu *c, const char *function, double *x, size_t count) {
  if (count != FMU_STATES) return fmu_refuse(c, function, "the number of states is wrong");
  for (size_t i = 0; i < count; i++) {
    double scale = model_scale[FMU_FIRST_STATE + i];
    x[i] = scale > 0 ? scale : 1;
  }
  return FMU_OK;
}

/* A step of the importer is complete: its end is projected in event mode if it is farther from the
 * manifold than a tenth of the tolerance. */
static fmu_status fmu_complete_step(fmu *c, bool *event) {
  fmu_status status = fmu_refresh(c);
  *event = status == FMU_OK && c->unit->moved > 0.1;
  return status;
}

static fmu_status fmu_update_states(fmu *c, bool *moved, bool *terminate) {
  ritt_real before[model_coordinates];
  ritti_unit *unit = c->unit;
  memcpy(before, unit->given, sizeof before);
  fmu_forget(c);
  ritt_status status = ritti_unit_act(unit, c->first, terminate);
  if (status != RITT_OK) {
    c->mode = FMU_FAILED;
    return fmu_report(c, FMU_ERROR);
  }
  fmu_report(c, FMU_OK);
  c->first = c->stale = c->changed = c->unplaced = false;
  *moved = false;
  for (int i = FMU_FIRST_STATE; i < model_coordinates; i++)
    if (before[i] != unit->given[i]) *moved = true;
  return FMU_OK;
}

/* ---- partial derivatives ---- */

/* The change of an unknown for changes of the point, its tops and the indicators. */
static double fmu_change_of(const fmu_variable *v, const ritt_real *dz, const ritt_real *dtop,
                            const ritt_real *indicator, const ritt_real *output) {
  if (v->kind == FMU_COORDINATE) return dz[v->index];
  if (v->kind == FMU_INDICATOR) return indicator[v->index];
  if (v->kind == FMU_DERIVATIVE) {
    int next = model_problem.next[v->index];
    return next >= 0 ? dz[next] : dtop[-1 - next];
  }
  double sum = 0;
  for (int i = 0; i < model_slopes; i++) {
    int column = model_slope[i].column;
    if (model_slope[i].output != v->index) continue;
    sum += output[model_slope_at + i] *
           (column < model_coordinates ? dz[column] : dtop[column - model_coordinates]);
  }
  return sum;
}

/* Checks the variables of a call for partial derivatives. */
static fmu_status fmu_check_partial(fmu *c, const char *function, const unsigned *unknown,
                                    size_t unknowns, const unsigned *known, size_t knowns) {
  if (!model_has_slopes || !c->exchange)
    return fmu_refuse(c, function, "this FMU has no partial derivatives");
  for (size_t i = 0; i < unknowns; i++) {
    if (unknown[i] >= model_variables)
      return fmu_refuse(c, function, "there is no variable with this value reference");
    fmu_kind kind = model_variable[unknown[i]].kind;
    if (kind == FMU_TIME || kind == FMU_PARAMETER)
      return fmu_refuse(c, function, "an unknown must be an output, a derivative or an indicator");
  }
  for (size_t i = 0; i < knowns; i++) {
    if (known[i] >= model_variables)
      return fmu_refuse(c, function, "there is no variable with this value reference");
    if (model_variable[known[i]].kind != FMU_COORDINATE)
      return fmu_refuse(c, function, "there are partial derivatives by states only");
  }
  return FMU_OK;
}

/* Changes of unknowns for these changes of states: out = J seed. */
static fmu_status fmu_get_partial(fmu *c, const unsigned *unknown, size_t unknowns,
                                  const unsigned *known, size_t knowns, const double *seed,
                                  double *out) {
  ritt_real given[model_coordinates] = {0}, dz[model_coordinates], dtop[model_tops + 1];
  ritt_real indicator[model_monitors + 1];
  bool needed = false;
  for (size_t i = 0; i < knowns; i++) given[model_variable[known[i]].index] += seed[i];
  for (size_t i = 0; i < unknowns; i++)
    needed = needed || model_variable[unknown[i]].kind == FMU_INDICATOR;
  fmu_status status = fmu_refresh(c);
  if (status != FMU_OK) return status;
  if (ritti_unit_change(c->unit, given, dz, dtop) != RITT_OK) return fmu_report(c, FMU_DISCARD);
  if (needed && ritti_unit_indicator_changes(c->unit, dz, dtop, indicator) != RITT_OK)
    return fmu_report(c, FMU_DISCARD);
  if (model_outputs) (void)fmu_output(c, 0);
  for (size_t i = 0; i < unknowns; i++)
    out[i] = fmu_change_of(&model_variable[unknown[i]], dz, dtop, indicator, c->output);
  return FMU_OK;
}

static fmu_status fmu_directional(fmu *c, const char *function, const unsigned *unknown,
                                  size_t unknowns, const unsigned *known, size_t knowns,
                                  const double *seed, double *out) {
  fmu_status status = fmu_check_partial(c, function, unknown, unknowns, known, knowns);
  if (status != FMU_OK) return status;
  return fmu_get_partial(c, unknown, unknowns, known, knowns, seed, out);
}

/* out = J^T seed, column by column. */
static fmu_status fmu_adjoint(fmu *c, const char *function, const unsigned *unknown,
                              size_t unknowns, const unsigned *known, size_t knowns,
                              const double *seed, double *out) {
  fmu_status status = fmu_check_partial(c, function, unknown, unknowns, known, knowns);
  double *change = malloc((unknowns + 1) * sizeof *change), one = 1;
  if (!change) return fmu_refuse(c, function, "there is not enough memory");
  for (size_t j = 0; status == FMU_OK && j < knowns; j++) {
    status = fmu_get_partial(c, unknown, unknowns, &known[j], 1, &one, change);
    if (status != FMU_OK) break;
    out[j] = 0;
    for (size_t i = 0; i < unknowns; i++) out[j] += seed[i] * change[i];
  }
  free(change);
  return status;
}

/* ---- states ---- */

typedef struct fmu_saved {
  size_t size;
  unsigned char bytes[];
} fmu_saved;

typedef struct fmu_head {
  uint64_t sum; /* of everything behind it */
  int mode;
  bool has_stop, moved, unplaced, changed, stale, first;
  double tolerance, start, stop;
  bool kept[model_coordinates], given[model_coordinates];
} fmu_head;

static uint64_t fmu_sum(const unsigned char *bytes, size_t size) {
  uint64_t sum = ritti_checksum(RITTI_CHECKSUM, model_token, strlen(model_token));
  return ritti_checksum(sum, bytes + sizeof sum, size - sizeof sum);
}

static fmu_status fmu_save(fmu *c, void **out) {
  fmu_head head;
  size_t size = sizeof head + ritti_unit_save(c->unit, NULL);
  fmu_saved *saved = malloc(sizeof *saved + size);
  if (!saved) return fmu_refuse(c, "getting the state", "there is not enough memory");
  memset(&head, 0, sizeof head);
  head.mode = c->mode;
  head.has_stop = c->has_stop, head.moved = c->moved, head.unplaced = c->unplaced;
  head.changed = c->changed, head.stale = c->stale, head.first = c->first;
  head.tolerance = c->tolerance, head.start = c->start, head.stop = c->stop;
  memcpy(head.kept, c->kept, sizeof head.kept);
  memcpy(head.given, c->given, sizeof head.given);
  memcpy(saved->bytes, &head, sizeof head);
  ritti_unit_save(c->unit, saved->bytes + sizeof head);
  head.sum = fmu_sum(saved->bytes, size);
  memcpy(saved->bytes, &head.sum, sizeof head.sum);
  saved->size = size;
  free(*out);
  *out = saved;
  return FMU_OK;
}

static fmu_status fmu_load(fmu *c, const fmu_saved *saved) {
  fmu_head head;
  if (!saved) return fmu_refuse(c, "setting the state", "the state is NULL");
  memcpy(&head, saved->bytes, sizeof head);
  bool good = fmu_take_tolerance(c, head.tolerance);
  if (good)
    good =
        ritti_unit_load(c->unit, saved->bytes + sizeof head, saved->size - sizeof head) == RITT_OK;
  if (!good) {
    fmu_report(c, FMU_ERROR);
    return fmu_refuse(c, "setting the state", "the state is not one of this FMU");
  }
  c->mode = (fmu_mode)head.mode;
  c->has_stop = head.has_stop, c->moved = head.moved, c->unplaced = head.unplaced;
  c->changed = head.changed, c->stale = head.stale, c->first = head.first;
  c->start = head.start, c->stop = head.stop;
  memcpy(c->kept, head.kept, sizeof c->kept);
  memcpy(c->given, head.given, sizeof c->given);
  fmu_forget(c);
  return FMU_OK;
}

static fmu_status fmu_serialize(fmu *c, const fmu_saved *saved, unsigned char *bytes, size_t size) {
  if (!saved || size < saved->size)
    return fmu_refuse(c, "serializing", "there is no state, or not enough room for it");
  memcpy(bytes, saved->bytes, saved->size);
  return FMU_OK;
}

static fmu_status fmu_deserialize(fmu *c, const unsigned char *bytes, size_t size, void **out) {
  uint64_t sum = 0;
  if (size > sizeof(fmu_head)) memcpy(&sum, bytes, sizeof sum);
  if (!(size > sizeof(fmu_head)) || sum != fmu_sum(bytes, size))
    return fmu_refuse(c, "deserializing", "these bytes are not a state of this FMU");
  fmu_saved *saved = malloc(sizeof *saved + size);
  if (!saved) return fmu_refuse(c, "deserializing", "there is not enough memory");
  saved->size = size;
  memcpy(saved->bytes, bytes, size);
  *out = saved;
  return FMU_OK;
}

/* ---- FMI 3.0 ---- */

typedef struct fmu *fmi3Instance;

FMU_EXPORT const char *FMI3(fmi3GetVersion)(void) { return "3.0"; }

FMU_EXPORT int FMI3(fmi3SetDebugLogging)(void *instance, bool on, size_t count,
                                         const char *const *category) {
  FMU_ALLOW("fmi3SetDebugLogging", FMU_ANY);
  (void)count, (void)category;
  c->logging = on;
  return FMU_OK;
}

FMU_EXPORT void *FMI3(fmi3InstantiateModelExchange)(const char *name, const char *token,
                                                    const char *resources, bool visible,
                                                    bool logging, void *environment, fmu_log3 log) {
  (void)resources, (void)visible;
  return fmu_new(3, true, name, token, logging, environment, log, NULL);
}

FMU_EXPORT void *FMI3(fmi3InstantiateCoSimulation)(const char *name, const char *token,
                                                   const char *resources, bool visible,
                                                   bool logging, bool event_mode, bool early,
                                                   const unsigned *required, size_t count,
                                                   void *environment, fmu_log3 log,
                                                   fmu_update update) {
  (void)resources, (void)visible, (void)required, (void)count;
  fmu *c = fmu_new(3, false, name, token, logging, environment, log, NULL);
  if (c && event_mode) {
    fmu_refuse(c, "fmi3InstantiateCoSimulation", "this FMU has no event mode in co-simulation");
    fmu_free(c);
    return NULL;
  }
  if (c) c->update = update;
  if (c) c->may_return_early = early;
  return c;
}

FMU_EXPORT void *FMI3(fmi3InstantiateScheduledExecution)(const char *name, const char *token,
                                                         const char *resources, bool visible,
                                                         bool logging, void *environment,
                                                         fmu_log3 log, void *clock, void *lock,
                                                         void *unlock) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging;
  (void)clock, (void)lock, (void)unlock;
  if (log) log(environment, FMU_ERROR, "logStatusError", "this FMU has no scheduled execution");
  return NULL;
}

FMU_EXPORT void FMI3(fmi3FreeInstance)(void *instance) { fmu_free(instance); }

FMU_EXPORT int FMI3(fmi3EnterInitializationMode)(void *instance, bool has_tolerance,
                                                 double tolerance, double start, bool has_stop,
                                                 double stop) {
  FMU_ALLOW("fmi3EnterInitializationMode", FMU_INSTANTIATED);
  fmu_status status =
      fmu_setup(c, "fmi3EnterInitializationMode", has_tolerance, tolerance, start, has_stop, stop);
  if (status == FMU_OK) c->mode = FMU_INITIALIZATION;
  return status;
}

FMU_EXPORT int FMI3(fmi3ExitInitializationMode)(void *instance) {
  FMU_ALLOW("fmi3ExitInitializationMode", FMU_INITIALIZATION);
  return fmu_initialize(c);
}

FMU_EXPORT int FMI3(fmi3EnterEventMode)(void *instance) {
  FMU_ALLOW("fmi3EnterEventMode", FMU_CONTINUOUS);
  c->mode = FMU_EVENT;
  return FMU_OK;
}

FMU_EXPORT int FMI3(fmi3Terminate)(void *instance) {
  FMU_ALLOW("fmi3Terminate", FMU_EVENT | FMU_CONTINUOUS | FMU_STEP);
  c->mode = FMU_TERMINATED;
  return FMU_OK;
}

FMU_EXPORT int FMI3(fmi3Reset)(void *instance) {
  FMU_ALLOW("fmi3Reset", FMU_ANY & ~FMU_INTERMEDIATE);
  return fmu_reset(c) ? FMU_OK : fmu_refuse(c, "fmi3Reset", "there is not enough memory");
}

FMU_EXPORT int FMI3(fmi3GetFloat64)(void *instance, const unsigned *reference, size_t count,
                                    double *value, size_t values) {
  FMU_ALLOW("fmi3GetFloat64", FMU_ANY);
  if (values != count) return fmu_refuse(c, "fmi3GetFloat64", "the number of values is wrong");
  return fmu_get(c, "fmi3GetFloat64", reference, count, value);
}

FMU_EXPORT int FMI3(fmi3SetFloat64)(void *instance, const unsigned *reference, size_t count,
                                    const double *value, size_t values) {
  FMU_ALLOW("fmi3SetFloat64", FMU_INSTANTIATED | FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS |
                                  FMU_STEP | FMU_INTERMEDIATE);
  if (values != count) return fmu_refuse(c, "fmi3SetFloat64", "the number of values is wrong");
  return fmu_set(c, "fmi3SetFloat64", reference, count, value);
}

/* There are variables of type Float64 only. */
#define FMU_NO_VARIABLES(name, type)                                                               \
  FMU_EXPORT int FMI3(fmi3Get##name)(void *instance, const unsigned *reference, size_t count,      \
                                     type *value, size_t values) {                                 \
    FMU_ALLOW("fmi3Get" #name, FMU_ANY);                                                           \
    (void)reference, (void)value;                                                                  \
    if (count == 0 && values == 0) return FMU_OK;                                                  \
    return fmu_refuse(c, "fmi3Get" #name, "there is no variable of this type");                    \
  }                                                                                                \
  FMU_EXPORT int FMI3(fmi3Set##name)(void *instance, const unsigned *reference, size_t count,      \
                                     const type *value, size_t values) {                           \
    FMU_ALLOW("fmi3Set" #name, FMU_ANY);                                                           \
    (void)reference, (void)value;                                                                  \
    if (count == 0 && values == 0) return FMU_OK;                                                  \
    return fmu_refuse(c, "fmi3Set" #name, "there is no variable of this type");                    \
  }
FMU_NO_VARIABLES(Float32, float)
FMU_NO_VARIABLES(Int8, int8_t)
FMU_NO_VARIABLES(UInt8, uint8_t)
FMU_NO_VARIABLES(Int16, int16_t)
FMU_NO_VARIABLES(UInt16, uint16_t)
FMU_NO_VARIABLES(Int32, int32_t)
FMU_NO_VARIABLES(UInt32, uint32_t)
FMU_NO_VARIABLES(Int64, int64_t)
FMU_NO_VARIABLES(UInt64, uint64_t)
FMU_NO_VARIABLES(Boolean, bool)
FMU_NO_VARIABLES(String, char *)

FMU_EXPORT int FMI3(fmi3GetBinary)(void *instance, const unsigned *reference, size_t count,
                                   size_t *size, const uint8_t **value, size_t values) {
  FMU_ALLOW("fmi3GetBinary", FMU_ANY);
  (void)reference, (void)size, (void)value, (void)values;
  return count ? fmu_refuse(c, "fmi3GetBinary", "there is no variable of this type") : FMU_OK;
}

FMU_EXPORT int FMI3(fmi3SetBinary)(void *instance, const unsigned *reference, size_t count,
                                   const size_t *size, const uint8_t *const *value, size_t values) {
  FMU_ALLOW("fmi3SetBinary", FMU_ANY);
  (void)reference, (void)size, (void)value, (void)values;
  return count ? fmu_refuse(c, "fmi3SetBinary", "there is no variable of this type") : FMU_OK;
}

/* Functions about clocks, which this FMU does not have. */
#define FMU_NO_CLOCKS(name, ...)                                                                   \
  FMU_EXPORT int FMI3(name)(void *instance, const unsigned *reference, size_t count,               \
                            __VA_ARGS__) {                                                         \
    FMU_ALLOW(#name, FMU_ANY);                                                                     \
    (void)reference, (void)one, (void)two;                                                         \
    return count ? fmu_refuse(c, #name, "there are no clocks") : FMU_OK;                           \
  }
#define FMU_NO_CLOCK(name, type)                                                                   \
  FMU_EXPORT int FMI3(name)(void *instance, const unsigned *reference, size_t count, type one) {   \
    FMU_ALLOW(#name, FMU_ANY);                                                                     \
    (void)reference, (void)one;                                                                    \
    return count ? fmu_refuse(c, #name, "there are no clocks") : FMU_OK;                           \
  }
FMU_NO_CLOCK(fmi3GetClock, bool *)
FMU_NO_CLOCK(fmi3SetClock, const bool *)
FMU_NO_CLOCKS(fmi3GetIntervalDecimal, double *one, int *two)
FMU_NO_CLOCK(fmi3GetShiftDecimal, double *)
FMU_NO_CLOCKS(fmi3GetShiftFraction, uint64_t *one, uint64_t *two)
FMU_NO_CLOCK(fmi3SetIntervalDecimal, const double *)
FMU_NO_CLOCKS(fmi3SetIntervalFraction, const uint64_t *one, const uint64_t *two)
FMU_NO_CLOCK(fmi3SetShiftDecimal, const double *)
FMU_NO_CLOCKS(fmi3SetShiftFraction, const uint64_t *one, const uint64_t *two)

FMU_EXPORT int FMI3(fmi3GetIntervalFraction)(void *instance, const unsigned *reference,
                                             size_t count, uint64_t *counter, uint64_t *resolution,
                                             int *qualifier) {
  FMU_ALLOW("fmi3GetIntervalFraction", FMU_ANY);
  (void)reference, (void)counter, (void)resolution, (void)qualifier;
  return count ? fmu_refuse(c, "fmi3GetIntervalFraction", "there are no clocks") : FMU_OK;
}

FMU_EXPORT int FMI3(fmi3ActivateModelPartition)(void *instance, unsigned clock, double time) {
  FMU_ALLOW("fmi3ActivateModelPartition", FMU_ANY);
  (void)clock, (void)time;
  return fmu_refuse(c, "fmi3ActivateModelPartition", "there are no clocks");
}

/* Dependencies do not change: they are those of modelDescription.xml. */
FMU_EXPORT int FMI3(fmi3GetNumberOfVariableDependencies)(void *instance, unsigned reference,
                                                         size_t *count) {
  FMU_ALLOW("fmi3GetNumberOfVariableDependencies", FMU_ANY);
  (void)reference, (void)count;
  return fmu_refuse(c, "fmi3GetNumberOfVariableDependencies",
                    "the dependencies are those of modelDescription.xml");
}

FMU_EXPORT int FMI3(fmi3GetVariableDependencies)(void *instance, unsigned reference,
                                                 size_t *element, unsigned *independent,
                                                 size_t *other, int *kind, size_t count) {
  FMU_ALLOW("fmi3GetVariableDependencies", FMU_ANY);
  (void)reference, (void)element, (void)independent, (void)other, (void)kind, (void)count;
  return fmu_refuse(c, "fmi3GetVariableDependencies",
                    "the dependencies are those of modelDescription.xml");
}

FMU_EXPORT int FMI3(fmi3GetFMUState)(void *instance, void **state) {
  FMU_ALLOW("fmi3GetFMUState", FMU_ANY & ~FMU_INTERMEDIATE);
  return fmu_save(c, state);
}

FMU_EXPORT int FMI3(fmi3SetFMUState)(void *instance, void *state) {
  FMU_ALLOW("fmi3SetFMUState", FMU_ANY & ~FMU_INTERMEDIATE);
  return fmu_load(c, state);
}

FMU_EXPORT int FMI3(fmi3FreeFMUState)(void *instance, void **state) {
  FMU_ALLOW("fmi3FreeFMUState", FMU_ANY);
  (void)c;
  if (state) free(*state), *state = NULL;
  return FMU_OK;
}

FMU_EXPORT int FMI3(fmi3SerializedFMUStateSize)(void *instance, void *state, size_t *size) {
  FMU_ALLOW("fmi3SerializedFMUStateSize", FMU_ANY);
  if (!state) return fmu_refuse(c, "fmi3SerializedFMUStateSize", "the state is NULL");
  *size = ((fmu_saved *)state)->size;
  return FMU_OK;
}

FMU_EXPORT int FMI3(fmi3SerializeFMUState)(void *instance, void *state, uint8_t *bytes,
                                           size_t size) {
  FMU_ALLOW("fmi3SerializeFMUState", FMU_ANY);
  return fmu_serialize(c, state, bytes, size);
}

FMU_EXPORT int FMI3(fmi3DeserializeFMUState)(void *instance, const uint8_t *bytes, size_t size,
                                             void **state) {
  FMU_ALLOW("fmi3DeserializeFMUState", FMU_ANY);
  return fmu_deserialize(c, bytes, size, state);
}

enum { FMU_POINTS = FMU_EVENT | FMU_CONTINUOUS };

FMU_EXPORT int FMI3(fmi3GetDirectionalDerivative)(void *instance, const unsigned *unknown,
                                                  size_t unknowns, const unsigned *known,
                                                  size_t knowns, const double *seed, size_t seeds,
                                                  double *out, size_t outs) {
  FMU_ALLOW("fmi3GetDirectionalDerivative", FMU_POINTS);
  if (seeds != knowns || outs != unknowns)
    return fmu_refuse(c, "fmi3GetDirectionalDerivative", "the number of values is wrong");
  return fmu_directional(c, "fmi3GetDirectionalDerivative", unknown, unknowns, known, knowns, seed,
                         out);
}

FMU_EXPORT int FMI3(fmi3GetAdjointDerivative)(void *instance, const unsigned *unknown,
                                              size_t unknowns, const unsigned *known, size_t knowns,
                                              const double *seed, size_t seeds, double *out,
                                              size_t outs) {
  FMU_ALLOW("fmi3GetAdjointDerivative", FMU_POINTS);
  if (seeds != unknowns || outs != knowns)
    return fmu_refuse(c, "fmi3GetAdjointDerivative", "the number of values is wrong");
  return fmu_adjoint(c, "fmi3GetAdjointDerivative", unknown, unknowns, known, knowns, seed, out);
}

FMU_EXPORT int FMI3(fmi3EnterConfigurationMode)(void *instance) {
  FMU_ALLOW("fmi3EnterConfigurationMode", FMU_ANY);
  return fmu_refuse(c, "fmi3EnterConfigurationMode", "there are no structural parameters");
}

FMU_EXPORT int FMI3(fmi3ExitConfigurationMode)(void *instance) {
  FMU_ALLOW("fmi3ExitConfigurationMode", FMU_ANY);
  return fmu_refuse(c, "fmi3ExitConfigurationMode", "there are no structural parameters");
}

FMU_EXPORT int FMI3(fmi3EvaluateDiscreteStates)(void *instance) {
  FMU_ALLOW("fmi3EvaluateDiscreteStates", FMU_INITIALIZATION | FMU_EVENT);
  (void)c;
  return FMU_OK;
}

FMU_EXPORT int FMI3(fmi3UpdateDiscreteStates)(void *instance, bool *more, bool *terminate,
                                              bool *nominals, bool *moved, bool *has_next,
                                              double *next) {
  FMU_ALLOW("fmi3UpdateDiscreteStates", FMU_EVENT);
  *more = *nominals = *has_next = false;
  *next = INFINITY;
  return fmu_update_states(c, moved, terminate);
}

FMU_EXPORT int FMI3(fmi3EnterContinuousTimeMode)(void *instance) {
  FMU_ALLOW("fmi3EnterContinuousTimeMode", FMU_EVENT);
  c->mode = FMU_CONTINUOUS;
  return FMU_OK;
}

FMU_EXPORT int FMI3(fmi3CompletedIntegratorStep)(void *instance, bool no_earlier, bool *event,
                                                 bool *terminate) {
  FMU_ALLOW("fmi3CompletedIntegratorStep", FMU_CONTINUOUS);
  (void)no_earlier;
  *terminate = false;
  return fmu_complete_step(c, event);
}

FMU_EXPORT int FMI3(fmi3SetTime)(void *instance, double time) {
  FMU_ALLOW("fmi3SetTime", FMU_EVENT | FMU_CONTINUOUS);
  return fmu_set_time(c, "fmi3SetTime", time);
}

FMU_EXPORT int FMI3(fmi3SetContinuousStates)(void *instance, const double *x, size_t count) {
  FMU_ALLOW("fmi3SetContinuousStates", FMU_CONTINUOUS);
  return fmu_set_states(c, "fmi3SetContinuousStates", x, count);
}

FMU_EXPORT int FMI3(fmi3GetContinuousStateDerivatives)(void *instance, double *x, size_t count) {
  FMU_ALLOW("fmi3GetContinuousStateDerivatives", FMU_ANY & ~FMU_INSTANTIATED & ~FMU_FAILED);
  return fmu_get_derivatives(c, "fmi3GetContinuousStateDerivatives", x, count);
}

FMU_EXPORT int FMI3(fmi3GetEventIndicators)(void *instance, double *x, size_t count) {
  FMU_ALLOW("fmi3GetEventIndicators", FMU_ANY & ~FMU_INSTANTIATED & ~FMU_FAILED);
  return fmu_get_indicators(c, "fmi3GetEventIndicators", x, count);
}

FMU_EXPORT int FMI3(fmi3GetContinuousStates)(void *instance, double *x, size_t count) {
  FMU_ALLOW("fmi3GetContinuousStates", FMU_ANY & ~FMU_INSTANTIATED & ~FMU_FAILED);
  return fmu_get_states(c, "fmi3GetContinuousStates", x, count);
}

FMU_EXPORT int FMI3(fmi3GetNominalsOfContinuousStates)(void *instance, double *x, size_t count) {
  FMU_ALLOW("fmi3GetNominalsOfContinuousStates", FMU_ANY);
  return fmu_get_nominals(c, "fmi3GetNominalsOfContinuousStates", x, count);
}

FMU_EXPORT int FMI3(fmi3GetNumberOfEventIndicators)(void *instance, size_t *count) {
  FMU_ALLOW("fmi3GetNumberOfEventIndicators", FMU_ANY);
  (void)c;
  *count = model_monitors;
  return FMU_OK;
}

FMU_EXPORT int FMI3(fmi3GetNumberOfContinuousStates)(void *instance, size_t *count) {
  FMU_ALLOW("fmi3GetNumberOfContinuousStates", FMU_ANY);
  (void)c;
  *count = FMU_STATES;
  return FMU_OK;
}

FMU_EXPORT int FMI3(fmi3EnterStepMode)(void *instance) {
  FMU_ALLOW("fmi3EnterStepMode", FMU_ANY);
  return fmu_refuse(c, "fmi3EnterStepMode", "this FMU has no event mode in co-simulation");
}

FMU_EXPORT int FMI3(fmi3GetOutputDerivatives)(void *instance, const unsigned *reference,
                                              size_t count, const int32_t *order, double *value,
                                              size_t values) {
  FMU_ALLOW("fmi3GetOutputDerivatives", FMU_ANY);
  (void)reference, (void)order, (void)value, (void)values;
  return count ? fmu_refuse(c, "fmi3GetOutputDerivatives", "outputs have no derivatives") : FMU_OK;
}

FMU_EXPORT int FMI3(fmi3DoStep)(void *instance, double from, double size, bool no_earlier,
                                bool *event, bool *terminate, bool *early, double *last) {
  FMU_ALLOW("fmi3DoStep", FMU_STEP);
  fmu_step step;
  (void)no_earlier;
  fmu_status status = fmu_do_step(c, "fmi3DoStep", from, size, &step);
  *event = false;
  *terminate = step.terminate;
  *early = step.early;
  *last = step.last;
  return status;
}

/* ---- FMI 2.0 ---- */

typedef struct fmi2Callbacks {
  fmu_log2 logger;
  void *(*allocate)(size_t count, size_t size);
  void (*free)(void *object);
  void (*finished)(void *environment, int status);
  void *environment;
} fmi2Callbacks;

typedef struct fmi2EventInfo {
  int more, terminate, nominals, moved, has_next;
  double next;
} fmi2EventInfo;

FMU_EXPORT const char *FMI2(fmi2GetTypesPlatform)(void) { return "default"; }
FMU_EXPORT const char *FMI2(fmi2GetVersion)(void) { return "2.0"; }

FMU_EXPORT int FMI2(fmi2SetDebugLogging)(void *instance, int on, size_t count,
                                         const char *const *category) {
  FMU_ALLOW("fmi2SetDebugLogging", FMU_ANY);
  (void)count, (void)category;
  c->logging = on;
  return FMU_OK;
}

FMU_EXPORT void *FMI2(fmi2Instantiate)(const char *name, int type, const char *guid,
                                       const char *resources, const fmi2Callbacks *functions,
                                       int visible, int logging) {
  (void)resources, (void)visible;
  if (!functions) return NULL;
  return fmu_new(2, type == 0, name, guid, logging, functions->environment, NULL,
                 functions->logger);
}

FMU_EXPORT void FMI2(fmi2FreeInstance)(void *instance) { fmu_free(instance); }

FMU_EXPORT int FMI2(fmi2SetupExperiment)(void *instance, int has_tolerance, double tolerance,
                                         double start, int has_stop, double stop) {
  FMU_ALLOW("fmi2SetupExperiment", FMU_INSTANTIATED);
  return fmu_setup(c, "fmi2SetupExperiment", has_tolerance, tolerance, start, has_stop, stop);
}

FMU_EXPORT int FMI2(fmi2EnterInitializationMode)(void *instance) {
  FMU_ALLOW("fmi2EnterInitializationMode", FMU_INSTANTIATED);
  c->mode = FMU_INITIALIZATION;
  return FMU_OK;
}

FMU_EXPORT int FMI2(fmi2ExitInitializationMode)(void *instance) {
  FMU_ALLOW("fmi2ExitInitializationMode", FMU_INITIALIZATION);
  return fmu_initialize(c);
}

FMU_EXPORT int FMI2(fmi2Terminate)(void *instance) {
  FMU_ALLOW("fmi2Terminate", FMU_EVENT | FMU_CONTINUOUS | FMU_STEP);
  c->mode = FMU_TERMINATED;
  return FMU_OK;
}

FMU_EXPORT int FMI2(fmi2Reset)(void *instance) {
  FMU_ALLOW("fmi2Reset", FMU_ANY);
  return fmu_reset(c) ? FMU_OK : fmu_refuse(c, "fmi2Reset", "there is not enough memory");
}

FMU_EXPORT int FMI2(fmi2GetReal)(void *instance, const unsigned *reference, size_t count,
                                 double *value) {
  FMU_ALLOW("fmi2GetReal", FMU_ANY);
  return fmu_get(c, "fmi2GetReal", reference, count, value);
}

FMU_EXPORT int FMI2(fmi2SetReal)(void *instance, const unsigned *reference, size_t count,
                                 const double *value) {
  FMU_ALLOW("fmi2SetReal",
            FMU_INSTANTIATED | FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_STEP);
  return fmu_set(c, "fmi2SetReal", reference, count, value);
}

#define FMU_NO_VARIABLES_2(name, type)                                                             \
  FMU_EXPORT int FMI2(fmi2Get##name)(void *instance, const unsigned *reference, size_t count,      \
                                     type *value) {                                                \
    FMU_ALLOW("fmi2Get" #name, FMU_ANY);                                                           \
    (void)reference, (void)value;                                                                  \
    return count ? fmu_refuse(c, "fmi2Get" #name, "there is no variable of this type") : FMU_OK;   \
  }                                                                                                \
  FMU_EXPORT int FMI2(fmi2Set##name)(void *instance, const unsigned *reference, size_t count,      \
                                     const type *value) {                                          \
    FMU_ALLOW("fmi2Set" #name, FMU_ANY);                                                           \
    (void)reference, (void)value;                                                                  \
    return count ? fmu_refuse(c, "fmi2Set" #name, "there is no variable of this type") : FMU_OK;   \
  }
FMU_NO_VARIABLES_2(Integer, int)
FMU_NO_VARIABLES_2(Boolean, int)
FMU_NO_VARIABLES_2(String, char *)

FMU_EXPORT int FMI2(fmi2GetFMUstate)(void *instance, void **state) {
  FMU_ALLOW("fmi2GetFMUstate", FMU_ANY);
  return fmu_save(c, state);
}

FMU_EXPORT int FMI2(fmi2SetFMUstate)(void *instance, void *state) {
  FMU_ALLOW("fmi2SetFMUstate", FMU_ANY);
  return fmu_load(c, state);
}

FMU_EXPORT int FMI2(fmi2FreeFMUstate)(void *instance, void **state) {
  FMU_ALLOW("fmi2FreeFMUstate", FMU_ANY);
  (void)c;
  if (state) free(*state), *state = NULL;
  return FMU_OK;
}

FMU_EXPORT int FMI2(fmi2SerializedFMUstateSize)(void *instance, void *state, size_t *size) {
  FMU_ALLOW("fmi2SerializedFMUstateSize", FMU_ANY);
  if (!state) return fmu_refuse(c, "fmi2SerializedFMUstateSize", "the state is NULL");
  *size = ((fmu_saved *)state)->size;
  return FMU_OK;
}

FMU_EXPORT int FMI2(fmi2SerializeFMUstate)(void *instance, void *state, char *bytes, size_t size) {
  FMU_ALLOW("fmi2SerializeFMUstate", FMU_ANY);
  return fmu_serialize(c, state, (unsigned char *)bytes, size);
}

FMU_EXPORT int FMI2(fmi2DeSerializeFMUstate)(void *instance, const char *bytes, size_t size,
                                             void **state) {
  FMU_ALLOW("fmi2DeSerializeFMUstate", FMU_ANY);
  return fmu_deserialize(c, (const unsigned char *)bytes, size, state);
}

FMU_EXPORT int FMI2(fmi2GetDirectionalDerivative)(void *instance, const unsigned *unknown,
                                                  size_t unknowns, const unsigned *known,
                                                  size_t knowns, const double *seed, double *out) {
  FMU_ALLOW("fmi2GetDirectionalDerivative", FMU_POINTS);
  return fmu_directional(c, "fmi2GetDirectionalDerivative", unknown, unknowns, known, knowns, seed,
                         out);
}

FMU_EXPORT int FMI2(fmi2EnterEventMode)(void *instance) {
  FMU_ALLOW("fmi2EnterEventMode", FMU_CONTINUOUS | FMU_EVENT);
  c->mode = FMU_EVENT;
  return FMU_OK;
}

FMU_EXPORT int FMI2(fmi2NewDiscreteStates)(void *instance, fmi2EventInfo *info) {
  FMU_ALLOW("fmi2NewDiscreteStates", FMU_EVENT);
  bool moved = false, terminate = false;
  fmu_status status = fmu_update_states(c, &moved, &terminate);
  *info = (fmi2EventInfo){.terminate = terminate, .moved = moved};
  return status;
}

FMU_EXPORT int FMI2(fmi2EnterContinuousTimeMode)(void *instance) {
  FMU_ALLOW("fmi2EnterContinuousTimeMode", FMU_EVENT);
  c->mode = FMU_CONTINUOUS;
  return FMU_OK;
}

FMU_EXPORT int FMI2(fmi2CompletedIntegratorStep)(void *instance, int no_earlier, int *event,
                                                 int *terminate) {
  FMU_ALLOW("fmi2CompletedIntegratorStep", FMU_CONTINUOUS);
  (void)no_earlier;
  bool needed = false;
  fmu_status status = fmu_complete_step(c, &needed);
  *event = needed;
  *terminate = 0;
  return status;
}

FMU_EXPORT int FMI2(fmi2SetTime)(void *instance, double time) {
  FMU_ALLOW("fmi2SetTime", FMU_EVENT | FMU_CONTINUOUS);
  return fmu_set_time(c, "fmi2SetTime", time);
}

FMU_EXPORT int FMI2(fmi2SetContinuousStates)(void *instance, const double *x, size_t count) {
  FMU_ALLOW("fmi2SetContinuousStates", FMU_CONTINUOUS);
  return fmu_set_states(c, "fmi2SetContinuousStates", x, count);
}

FMU_EXPORT int FMI2(fmi2GetDerivatives)(void *instance, double *x, size_t count) {
  FMU_ALLOW("fmi2GetDerivatives", FMU_ANY & ~FMU_INSTANTIATED & ~FMU_FAILED);
  return fmu_get_derivatives(c, "fmi2GetDerivatives", x, count);
}

FMU_EXPORT int FMI2(fmi2GetEventIndicators)(void *instance, double *x, size_t count) {
  FMU_ALLOW("fmi2GetEventIndicators", FMU_ANY & ~FMU_INSTANTIATED & ~FMU_FAILED);
  return fmu_get_indicators(c, "fmi2GetEventIndicators", x, count);
}

FMU_EXPORT int FMI2(fmi2GetContinuousStates)(void *instance, double *x, size_t count) {
  FMU_ALLOW("fmi2GetContinuousStates", FMU_ANY & ~FMU_INSTANTIATED & ~FMU_FAILED);
  return fmu_get_states(c, "fmi2GetContinuousStates", x, count);
}

FMU_EXPORT int FMI2(fmi2GetNominalsOfContinuousStates)(void *instance, double *x, size_t count) {
  FMU_ALLOW("fmi2GetNominalsOfContinuousStates", FMU_ANY);
  return fmu_get_nominals(c, "fmi2GetNominalsOfContinuousStates", x, count);
}

FMU_EXPORT int FMI2(fmi2SetRealInputDerivatives)(void *instance, const unsigned *reference,
                                                 size_t count, const int *order,
                                                 const double *value) {
  FMU_ALLOW("fmi2SetRealInputDerivatives", FMU_ANY);
  for (size_t i = 0; i < count; i++) {
    const fmu_variable *v = reference[i] < model_variables ? &model_variable[reference[i]] : NULL;
    if (!v || v->kind != FMU_INPUT || (v->index - model_input_time - 1) % 3)
      return fmu_refuse(c, "fmi2SetRealInputDerivatives", "this variable is not an input");
    if (order[i] < 1 || order[i] > 2)
      return fmu_refuse(c, "fmi2SetRealInputDerivatives",
                        "inputs have derivatives of order 1 and 2");
    if (!(value[i] - value[i] == 0))
      return fmu_refuse(c, "fmi2SetRealInputDerivatives", "the value is not a finite number");
    fmu_status status =
        fmu_set_input(c, "fmi2SetRealInputDerivatives", v->index + order[i], value[i]);
    if (status != FMU_OK) return status;
  }
  return FMU_OK;
}

FMU_EXPORT int FMI2(fmi2GetRealOutputDerivatives)(void *instance, const unsigned *reference,
                                                  size_t count, const int *order, double *value) {
  FMU_ALLOW("fmi2GetRealOutputDerivatives", FMU_ANY);
  (void)reference, (void)order, (void)value;
  return count ? fmu_refuse(c, "fmi2GetRealOutputDerivatives", "outputs have no derivatives")
               : FMU_OK;
}

FMU_EXPORT int FMI2(fmi2DoStep)(void *instance, double from, double size, int no_earlier) {
  FMU_ALLOW("fmi2DoStep", FMU_STEP);
  fmu_step step;
  (void)no_earlier;
  fmu_status status = fmu_do_step(c, "fmi2DoStep", from, size, &step);
  return status == FMU_OK && step.early ? FMU_DISCARD : status;
}

FMU_EXPORT int FMI2(fmi2CancelStep)(void *instance) {
  FMU_ALLOW("fmi2CancelStep", FMU_ANY);
  return fmu_refuse(c, "fmi2CancelStep", "steps are not taken in the background");
}

/* What is known of the last step, in co-simulation. */
enum { FMI2_DO_STEP_STATUS, FMI2_PENDING_STATUS, FMI2_LAST_TIME, FMI2_TERMINATED };

FMU_EXPORT int FMI2(fmi2GetStatus)(void *instance, int kind, int *value) {
  FMU_ALLOW("fmi2GetStatus", FMU_ANY);
  (void)c, (void)kind, (void)value;
  return FMU_DISCARD;
}

FMU_EXPORT int FMI2(fmi2GetRealStatus)(void *instance, int kind, double *value) {
  FMU_ALLOW("fmi2GetRealStatus", FMU_ANY);
  if (kind != FMI2_LAST_TIME) return FMU_DISCARD;
  *value = c->unit->s;
  return FMU_OK;
}

FMU_EXPORT int FMI2(fmi2GetIntegerStatus)(void *instance, int kind, int *value) {
  FMU_ALLOW("fmi2GetIntegerStatus", FMU_ANY);
  (void)c, (void)kind, (void)value;
  return FMU_DISCARD;
}

FMU_EXPORT int FMI2(fmi2GetBooleanStatus)(void *instance, int kind, int *value) {
  FMU_ALLOW("fmi2GetBooleanStatus", FMU_ANY);
  if (kind != FMI2_TERMINATED) return FMU_DISCARD;
  *value = c->unit->ended;
  return FMU_OK;
}

FMU_EXPORT int FMI2(fmi2GetStringStatus)(void *instance, int kind, const char **value) {
  FMU_ALLOW("fmi2GetStringStatus", FMU_ANY);
  (void)c, (void)kind, (void)value;
  return FMU_DISCARD;
}
