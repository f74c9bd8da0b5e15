/* What an instance does (see fmu_instance.h): co-simulation, model exchange, partial derivatives, and
 * states that are saved and loaded. */
/* ---- co-simulation ---- */

typedef struct fmu_step {
  bool early, terminate;
  bool event;  /* the importer must enter event mode */
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

/* A parameter or an input was set: the run begins again here. */
static fmu_status fmu_begin_again(fmu *c) {
  fmu_forget(c);
  if (c->changed && ritti_unit_restart(c->unit) != RITT_OK) {
    c->mode = FMU_FAILED;
    return fmu_report(c, FMU_ERROR);
  }
  c->changed = c->unplaced = false;
  return FMU_OK;
}

/* Event mode of co-simulation: what has happened at this point is seen from now on. */
static fmu_status fmu_pass_event(fmu *c, bool *moved, bool *terminate) {
  *moved = c->unit->event || c->changed;
  ritti_unit_pass_event(c->unit);
  fmu_status status = fmu_begin_again(c);
  *terminate = c->unit->ended;
  return status;
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

  fmu_status begun = fmu_begin_again(c);
  if (begun != FMU_OK) return begun;
  if (unit->ended) {
    out->terminate = out->early = true;
    fmu_report(c, FMU_OK);
    return FMU_OK;
  }
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
  out->early = unit->ended || unit->s != to;
  out->terminate = unit->ended;
  out->event = unit->event;
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
  if (!c->exchange) return fmu_refuse(c, function, "this function belongs to model exchange");
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
  if (status == FMU_OK && ritti_unit_complete_step(c->unit) != RITT_OK) {
    c->mode = FMU_FAILED;
    return fmu_report(c, FMU_ERROR);
  }
  return status;
}

/* What has happened, and *next: the time of the next event that is known beforehand, or INFINITY. */
static fmu_status fmu_update_states(fmu *c, bool *moved, bool *terminate, double *next) {
  *next = INFINITY;
  if (!c->exchange) return fmu_pass_event(c, moved, terminate);
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
  *moved = unit->acted; /* some importers begin again only if states have changed */
  for (int i = FMU_FIRST_STATE; i < model_coordinates; i++)
    if (before[i] != unit->given[i]) *moved = true;
  *next = *terminate ? INFINITY : ritti_unit_next_time(unit);
  return FMU_OK;
}

/* ---- partial derivatives ---- */

/* Changes of the point, of its tops, of inputs, and what follows from them. */
typedef struct fmu_change {
  ritt_real z[model_coordinates], top[model_tops + 1], input[3 * model_inputs + 1];
  ritt_real rows[model_rows + 1]; /* of f, then of the system for the tops, for changes of inputs */
  ritt_real indicator[model_monitors + 1];
} fmu_change;

/* Adds the changes of the rows of one kind for changes of the point, its tops and inputs. */
static void fmu_add_changes(const fmu *c, fmu_row kind, const fmu_change *d, ritt_real *out) {
  for (int i = 0; i < model_slopes; i++) {
    int column = model_slope[i].column, top = column - model_coordinates, input = top - model_tops;
    if (model_slope[i].kind != kind) continue;
    ritt_real change = top < 0 ? d->z[column] : input < 0 ? d->top[top] : d->input[input];
    out[model_slope[i].row] += c->unit->output[model_slope_at + i] * change;
  }
}

/* The change of an unknown. */
static double fmu_change_of(const fmu_variable *v, const fmu_change *d, const ritt_real *output) {
  if (v->kind == FMU_COORDINATE) return d->z[v->index];
  if (v->kind == FMU_INDICATOR) return d->indicator[v->index];
  if (v->kind == FMU_OUTPUT) return output[v->index];
  int next = model_problem.next[v->index];
  return next >= 0 ? d->z[next] : d->top[-1 - next];
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
    if (kind == FMU_TIME || kind == FMU_PARAMETER || kind == FMU_INPUT)
      return fmu_refuse(c, function, "an unknown must be an output, a derivative or an indicator");
  }
  for (size_t i = 0; i < knowns; i++) {
    if (known[i] >= model_variables)
      return fmu_refuse(c, function, "there is no variable with this value reference");
    fmu_kind kind = model_variable[known[i]].kind;
    if (kind != FMU_COORDINATE && kind != FMU_INPUT)
      return fmu_refuse(c, function, "there are partial derivatives by states and inputs only");
  }
  return FMU_OK;
}

/* Changes of unknowns for these changes of states and inputs: out = J seed. */
static fmu_status fmu_get_partial(fmu *c, const unsigned *unknown, size_t unknowns,
                                  const unsigned *known, size_t knowns, const double *seed,
                                  double *out) {
  ritt_real given[model_coordinates] = {0}, output[model_outputs + 1] = {0};
  fmu_change d = {0};
  if (model_inputs) fmu_shift_inputs(c);
  for (size_t i = 0; i < knowns; i++) {
    const fmu_variable *v = &model_variable[known[i]];
    if (v->kind == FMU_INPUT) d.input[v->index - model_input_time - 1] += seed[i];
    else given[v->index] += seed[i];
  }
  bool needed = false;
  for (size_t i = 0; i < unknowns; i++)
    needed = needed || model_variable[unknown[i]].kind == FMU_INDICATOR;
  fmu_status status = fmu_refresh(c);
  if (status != FMU_OK) return status;

  /* the rows of the equations change with inputs, and the point and its tops follow */
  (void)ritti_unit_outputs(c->unit);
  fmu_add_changes(c, FMU_MANIFOLD_ROW, &d, d.rows);
  fmu_add_changes(c, FMU_SYSTEM_ROW, &d, d.rows + model_problem.k);
  if (ritti_unit_change(c->unit, given, d.rows, d.z, d.top) != RITT_OK)
    return fmu_report(c, FMU_DISCARD);
  if (needed && ritti_unit_indicator_changes(c->unit, d.z, d.top, d.indicator) != RITT_OK)
    return fmu_report(c, FMU_DISCARD);
  fmu_add_changes(c, FMU_INDICATOR_ROW, &d, d.indicator);
  fmu_add_changes(c, FMU_OUTPUT_ROW, &d, output);
  for (size_t i = 0; i < unknowns; i++)
    out[i] = fmu_change_of(&model_variable[unknown[i]], &d, output);
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
  bool fresh; /* before the start is found: parameters and coordinates follow, and no run */
  bool has_stop, moved, unplaced, changed, stale, first;
  double tolerance, start, stop;
  bool kept[model_coordinates], given[model_coordinates];
} fmu_head;

static uint64_t fmu_sum(const unsigned char *bytes, size_t size) {
  uint64_t sum = ritti_checksum(RITTI_CHECKSUM, model_token, strlen(model_token));
  return ritti_checksum(sum, bytes + sizeof sum, size - sizeof sum);
}

enum { FMU_FRESH = (model_parameters + model_coordinates) * sizeof(ritt_real) };

/* Parameters and coordinates to bytes, or back. */
static size_t fmu_copy_fresh(fmu *c, unsigned char *to, const unsigned char *from) {
  size_t own = model_parameters * sizeof(ritt_real);
  ritt_real *parameter = ritti_unit_parameters(c->unit), *given = c->unit->given;
  if (to) memcpy(to, parameter, own), memcpy(to + own, given, FMU_FRESH - own);
  if (from) memcpy(parameter, from, own), memcpy(given, from + own, FMU_FRESH - own);
  return FMU_FRESH;
}

static size_t fmu_save_unit(fmu *c, bool fresh, unsigned char *bytes) {
  return fresh ? fmu_copy_fresh(c, bytes, NULL) : ritti_unit_save(c->unit, bytes);
}

static bool fmu_load_unit(fmu *c, const fmu_head *head, const unsigned char *bytes, size_t size) {
  if (!head->fresh)
    return fmu_take_tolerance(c, head->tolerance) &&
           ritti_unit_load(c->unit, bytes, size) == RITT_OK;
  if (size != FMU_FRESH || !fmu_make_unit(c, head->tolerance)) return false;
  fmu_copy_fresh(c, NULL, bytes);
  return true;
}

static fmu_status fmu_save(fmu *c, void **out) {
  fmu_head head;
  bool fresh = c->unplaced && c->mode & (FMU_INSTANTIATED | FMU_INITIALIZATION);
  size_t unit_size = fmu_save_unit(c, fresh, NULL), size = sizeof head + unit_size;
  fmu_saved *saved = unit_size ? malloc(sizeof *saved + size) : NULL;
  if (!saved) return fmu_refuse(c, "getting the state", "there is not enough memory");
  memset(&head, 0, sizeof head);
  head.mode = c->mode;
  head.fresh = fresh;
  head.has_stop = c->has_stop, head.moved = c->moved, head.unplaced = c->unplaced;
  head.changed = c->changed, head.stale = c->stale, head.first = c->first;
  head.tolerance = c->tolerance, head.start = c->start, head.stop = c->stop;
  memcpy(head.kept, c->kept, sizeof head.kept);
  memcpy(head.given, c->given, sizeof head.given);
  memcpy(saved->bytes, &head, sizeof head);
  if (fmu_save_unit(c, fresh, saved->bytes + sizeof head) != unit_size) {
    free(saved);
    return fmu_refuse(c, "getting the state", "the state cannot be saved");
  }
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
  if (!fmu_load_unit(c, &head, saved->bytes + sizeof head, saved->size - sizeof head)) {
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

static fmu_status fmu_drop(void **state) {
  if (!state) return FMU_OK;
  free(*state);
  *state = NULL;
  return FMU_OK;
}

static fmu_status fmu_measure(fmu *c, const char *function, const fmu_saved *saved, size_t *size) {
  if (!saved) return fmu_refuse(c, function, "the state is NULL");
  *size = saved->size;
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
