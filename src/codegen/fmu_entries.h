/* The functions of FMI 2.0 and FMI 3.0 (see fmu_instance.h). Both versions call the same functions
 * fmu_...; they differ in names, in types (bool or int) and in some arguments. Functions that both have
 * with the same arguments stand here once. The declarations follow the standard
 * (https://fmi-standard.org).
 */

#if defined(_WIN32)
#define FMU_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define FMU_EXPORT __attribute__((visibility("default")))
#else
#define FMU_EXPORT
#endif

/* many arguments of the standard mean nothing to this FMU */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
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

/* The beginning of a function that may be called in these modes: c is the instance, `function` the
 * name in messages. */
#define FMU_ALLOW(name, modes)                                                                     \
  const char *const function = name;                                                               \
  if (!fmu_is_allowed((fmu *)instance, function, modes)) return FMU_ERROR;                         \
  fmu *const c = (fmu *)instance;                                                                  \
  (void)function, (void)c

/* A function that returns `value`; FMU_BOTH: of both versions. */
#define FMU_3(name, modes, parameters, value)                                                      \
  FMU_EXPORT int FMI3(fmi3##name) parameters {                                                     \
    FMU_ALLOW("fmi3" #name, modes);                                                                \
    return value;                                                                                  \
  }
#define FMU_2(name, modes, parameters, value)                                                      \
  FMU_EXPORT int FMI2(fmi2##name) parameters {                                                     \
    FMU_ALLOW("fmi2" #name, modes);                                                                \
    return value;                                                                                  \
  }
#define FMU_BOTH(name3, name2, modes, parameters, value)                                           \
  FMU_3(name3, modes, parameters, value)                                                           \
  FMU_2(name2, modes, parameters, value)

enum { FMU_POINTS = FMU_EVENT | FMU_CONTINUOUS };
enum { FMU_OUTSIDE = FMU_ANY & ~FMU_INTERMEDIATE };
enum { FMU_VALUED = FMU_ANY & ~FMU_INSTANTIATED & ~FMU_FAILED };
enum { FMU_SETTABLE = FMU_INSTANTIATED | FMU_INITIALIZATION | FMU_RUNS };

static fmu_status fmu_enter(fmu *c, fmu_mode mode) {
  c->mode = mode;
  return FMU_OK;
}

/* From event mode to continuous time (model exchange) or to steps (co-simulation). */
static fmu_status fmu_leave_events(fmu *c, const char *function, fmu_mode mode) {
  if (c->exchange != (mode == FMU_CONTINUOUS))
    return fmu_refuse(c, function, "this function belongs to the other interface");
  return fmu_enter(c, mode);
}

static fmu_status fmu_enter_events(fmu *c, const char *function) {
  if (!c->exchange && !c->event_mode)
    return fmu_refuse(c, function, "the instance was made without event mode");
  return fmu_enter(c, FMU_EVENT);
}

static fmu_status fmu_set_logging(fmu *c, bool on) {
  c->logging = on;
  return FMU_OK;
}

static fmu_status fmu_reset_instance(fmu *c, const char *function) {
  return fmu_reset(c) ? FMU_OK : fmu_refuse(c, function, "there is not enough memory");
}

static fmu_status fmu_give_size(size_t *out, size_t size) {
  *out = size;
  return FMU_OK;
}

/* Values of a kind that this FMU does not have: none may be asked for. */
static fmu_status fmu_expect_none(fmu *c, const char *function, size_t count, const char *reason) {
  return count ? fmu_refuse(c, function, reason) : FMU_OK;
}
#define FMU_NO_VALUES "there is no variable of this type"

/* ---- both versions ---- */

FMU_BOTH(ExitInitializationMode, ExitInitializationMode, FMU_INITIALIZATION, (void *instance),
         fmu_initialize(c))
FMU_BOTH(Terminate, Terminate, FMU_EVENT | FMU_CONTINUOUS | FMU_STEP, (void *instance),
         fmu_enter(c, FMU_TERMINATED))
FMU_BOTH(Reset, Reset, FMU_OUTSIDE, (void *instance), fmu_reset_instance(c, function))

FMU_BOTH(GetFMUState, GetFMUstate, FMU_OUTSIDE, (void *instance, void **state), fmu_save(c, state))
FMU_BOTH(SetFMUState, SetFMUstate, FMU_OUTSIDE, (void *instance, void *state), fmu_load(c, state))
FMU_BOTH(FreeFMUState, FreeFMUstate, FMU_ANY, (void *instance, void **state), fmu_drop(state))
FMU_BOTH(SerializedFMUStateSize, SerializedFMUstateSize, FMU_ANY,
         (void *instance, void *state, size_t *size), fmu_measure(c, function, state, size))
FMU_BOTH(SerializeFMUState, SerializeFMUstate, FMU_ANY,
         (void *instance, void *state, unsigned char *bytes, size_t size),
         fmu_serialize(c, state, bytes, size))
FMU_BOTH(DeserializeFMUState, DeSerializeFMUstate, FMU_ANY,
         (void *instance, const unsigned char *bytes, size_t size, void **state),
         fmu_deserialize(c, bytes, size, state))

FMU_BOTH(EnterContinuousTimeMode, EnterContinuousTimeMode, FMU_EVENT, (void *instance),
         fmu_leave_events(c, function, FMU_CONTINUOUS))
FMU_BOTH(SetTime, SetTime, FMU_POINTS, (void *instance, double time),
         fmu_set_time(c, function, time))
FMU_BOTH(SetContinuousStates, SetContinuousStates, FMU_CONTINUOUS,
         (void *instance, const double *x, size_t count), fmu_set_states(c, function, x, count))
FMU_BOTH(GetContinuousStates, GetContinuousStates, FMU_VALUED,
         (void *instance, double *x, size_t count), fmu_get_states(c, function, x, count))
FMU_BOTH(GetContinuousStateDerivatives, GetDerivatives, FMU_VALUED,
         (void *instance, double *x, size_t count), fmu_get_derivatives(c, function, x, count))
FMU_BOTH(GetEventIndicators, GetEventIndicators, FMU_VALUED,
         (void *instance, double *x, size_t count), fmu_get_indicators(c, function, x, count))
FMU_BOTH(GetNominalsOfContinuousStates, GetNominalsOfContinuousStates, FMU_ANY,
         (void *instance, double *x, size_t count), fmu_get_nominals(c, function, x, count))

/* ---- FMI 3.0 ---- */

FMU_EXPORT const char *FMI3(fmi3GetVersion)(void) { return "3.0"; }
FMU_EXPORT void FMI3(fmi3FreeInstance)(void *instance) { fmu_free(instance); }

FMU_EXPORT void *FMI3(fmi3InstantiateModelExchange)(const char *name, const char *token,
                                                    const char *resources, bool visible,
                                                    bool logging, void *environment, fmu_log3 log) {
  return fmu_new(3, true, name, token, logging, environment, log, NULL);
}

FMU_EXPORT void *FMI3(fmi3InstantiateCoSimulation)(const char *name, const char *token,
                                                   const char *resources, bool visible,
                                                   bool logging, bool event_mode, bool early,
                                                   const unsigned *required, size_t count,
                                                   void *environment, fmu_log3 log,
                                                   fmu_update update) {
  fmu *c = fmu_new(3, false, name, token, logging, environment, log, NULL);
  if (c) c->event_mode = event_mode;
  if (c) c->update = update;
  if (c) c->may_return_early = early;
  return c;
}

FMU_EXPORT void *FMI3(fmi3InstantiateScheduledExecution)(const char *name, const char *token,
                                                         const char *resources, bool visible,
                                                         bool logging, void *environment,
                                                         fmu_log3 log, void *clock, void *lock,
                                                         void *unlock) {
  if (log) log(environment, FMU_ERROR, "logStatusError", "this FMU has no scheduled execution");
  return NULL;
}

FMU_3(SetDebugLogging, FMU_ANY,
      (void *instance, bool on, size_t count, const char *const *category), fmu_set_logging(c, on))
FMU_3(EnterEventMode, FMU_CONTINUOUS | FMU_STEP, (void *instance), fmu_enter_events(c, function))
FMU_3(EnterStepMode, FMU_EVENT, (void *instance), fmu_leave_events(c, function, FMU_STEP))

FMU_EXPORT int FMI3(fmi3EnterInitializationMode)(void *instance, bool has_tolerance,
                                                 double tolerance, double start, bool has_stop,
                                                 double stop) {
  FMU_ALLOW("fmi3EnterInitializationMode", FMU_INSTANTIATED);
  fmu_status status = fmu_setup(c, function, has_tolerance, tolerance, start, has_stop, stop);
  if (status == FMU_OK) c->mode = FMU_INITIALIZATION;
  return status;
}

/* Are there as many values as variables? There are no arrays. */
static fmu_status fmu_expect_equal(fmu *c, const char *function, size_t count, size_t values) {
  return count == values ? FMU_OK : fmu_refuse(c, function, "the number of values is wrong");
}

FMU_EXPORT int FMI3(fmi3GetFloat64)(void *instance, const unsigned *reference, size_t count,
                                    double *value, size_t values) {
  FMU_ALLOW("fmi3GetFloat64", FMU_ANY);
  fmu_status status = fmu_expect_equal(c, function, count, values);
  return status == FMU_OK ? fmu_get(c, function, reference, count, value) : status;
}

FMU_EXPORT int FMI3(fmi3SetFloat64)(void *instance, const unsigned *reference, size_t count,
                                    const double *value, size_t values) {
  FMU_ALLOW("fmi3SetFloat64", FMU_SETTABLE);
  fmu_status status = fmu_expect_equal(c, function, count, values);
  return status == FMU_OK ? fmu_set(c, function, reference, count, value) : status;
}

/* There are variables of type Float64 only. */
#define FMU_NO_VARIABLES_3(name, type)                                                             \
  FMU_3(Get##name, FMU_ANY,                                                                        \
        (void *instance, const unsigned *reference, size_t count, type *value, size_t values),     \
        fmu_expect_none(c, function, count + values, FMU_NO_VALUES))                               \
  FMU_3(                                                                                           \
      Set##name, FMU_ANY,                                                                          \
      (void *instance, const unsigned *reference, size_t count, const type *value, size_t values), \
      fmu_expect_none(c, function, count + values, FMU_NO_VALUES))
FMU_NO_VARIABLES_3(Float32, float)
FMU_NO_VARIABLES_3(Int8, int8_t)
FMU_NO_VARIABLES_3(UInt8, uint8_t)
FMU_NO_VARIABLES_3(Int16, int16_t)
FMU_NO_VARIABLES_3(UInt16, uint16_t)
FMU_NO_VARIABLES_3(Int32, int32_t)
FMU_NO_VARIABLES_3(UInt32, uint32_t)
FMU_NO_VARIABLES_3(Int64, int64_t)
FMU_NO_VARIABLES_3(UInt64, uint64_t)
FMU_NO_VARIABLES_3(Boolean, bool)
FMU_NO_VARIABLES_3(String, char *)
FMU_3(GetBinary, FMU_ANY,
      (void *instance, const unsigned *reference, size_t count, size_t *size, const uint8_t **value,
       size_t values),
      fmu_expect_none(c, function, count, FMU_NO_VALUES))
FMU_3(SetBinary, FMU_ANY,
      (void *instance, const unsigned *reference, size_t count, const size_t *size,
       const uint8_t *const *value, size_t values),
      fmu_expect_none(c, function, count, FMU_NO_VALUES))

/* There are no clocks. Their functions end with these arguments. */
#define FMU_NO_CLOCK(name, ...)                                                                    \
  FMU_3(name, FMU_ANY, (void *instance, const unsigned *reference, size_t count, __VA_ARGS__),     \
        fmu_expect_none(c, function, count, "there are no clocks"))
FMU_NO_CLOCK(GetClock, bool *value)
FMU_NO_CLOCK(SetClock, const bool *value)
FMU_NO_CLOCK(GetIntervalDecimal, double *interval, int *qualifier)
FMU_NO_CLOCK(GetIntervalFraction, uint64_t *counter, uint64_t *resolution, int *qualifier)
FMU_NO_CLOCK(GetShiftDecimal, double *shift)
FMU_NO_CLOCK(GetShiftFraction, uint64_t *counter, uint64_t *resolution)
FMU_NO_CLOCK(SetIntervalDecimal, const double *interval)
FMU_NO_CLOCK(SetIntervalFraction, const uint64_t *counter, const uint64_t *resolution)
FMU_NO_CLOCK(SetShiftDecimal, const double *shift)
FMU_NO_CLOCK(SetShiftFraction, const uint64_t *counter, const uint64_t *resolution)
FMU_3(ActivateModelPartition, FMU_ANY, (void *instance, unsigned clock, double time),
      fmu_refuse(c, function, "there are no clocks"))

/* What else this FMU does not have. */
#define FMU_FIXED_DEPENDENCIES "the dependencies are those of modelDescription.xml"
FMU_3(GetNumberOfVariableDependencies, FMU_ANY, (void *instance, unsigned reference, size_t *count),
      fmu_refuse(c, function, FMU_FIXED_DEPENDENCIES))
FMU_3(GetVariableDependencies, FMU_ANY,
      (void *instance, unsigned reference, size_t *element, unsigned *independent, size_t *other,
       int *kind, size_t count),
      fmu_refuse(c, function, FMU_FIXED_DEPENDENCIES))
FMU_3(EnterConfigurationMode, FMU_ANY, (void *instance),
      fmu_refuse(c, function, "there are no structural parameters"))
FMU_3(ExitConfigurationMode, FMU_ANY, (void *instance),
      fmu_refuse(c, function, "there are no structural parameters"))
FMU_3(GetOutputDerivatives, FMU_ANY,
      (void *instance, const unsigned *reference, size_t count, const int32_t *order, double *value,
       size_t values),
      fmu_expect_none(c, function, count, "outputs have no derivatives"))

FMU_EXPORT int FMI3(fmi3GetDirectionalDerivative)(void *instance, const unsigned *unknown,
                                                  size_t unknowns, const unsigned *known,
                                                  size_t knowns, const double *seed, size_t seeds,
                                                  double *out, size_t outs) {
  FMU_ALLOW("fmi3GetDirectionalDerivative", FMU_POINTS);
  fmu_status status = fmu_expect_equal(c, function, seeds, knowns);
  if (status == FMU_OK) status = fmu_expect_equal(c, function, outs, unknowns);
  if (status != FMU_OK) return status;
  return fmu_directional(c, function, unknown, unknowns, known, knowns, seed, out);
}

FMU_EXPORT int FMI3(fmi3GetAdjointDerivative)(void *instance, const unsigned *unknown,
                                              size_t unknowns, const unsigned *known, size_t knowns,
                                              const double *seed, size_t seeds, double *out,
                                              size_t outs) {
  FMU_ALLOW("fmi3GetAdjointDerivative", FMU_POINTS);
  fmu_status status = fmu_expect_equal(c, function, seeds, unknowns);
  if (status == FMU_OK) status = fmu_expect_equal(c, function, outs, knowns);
  if (status != FMU_OK) return status;
  return fmu_adjoint(c, function, unknown, unknowns, known, knowns, seed, out);
}

FMU_3(EvaluateDiscreteStates, FMU_INITIALIZATION | FMU_EVENT, (void *instance), FMU_OK)

FMU_EXPORT int FMI3(fmi3UpdateDiscreteStates)(void *instance, bool *more, bool *terminate,
                                              bool *nominals, bool *moved, bool *has_next,
                                              double *next) {
  FMU_ALLOW("fmi3UpdateDiscreteStates", FMU_EVENT);
  *more = *nominals = false;
  fmu_status status = fmu_update_states(c, moved, terminate, next);
  *has_next = *next < INFINITY;
  return status;
}

FMU_EXPORT int FMI3(fmi3CompletedIntegratorStep)(void *instance, bool no_earlier, bool *event,
                                                 bool *terminate) {
  FMU_ALLOW("fmi3CompletedIntegratorStep", FMU_CONTINUOUS);
  *terminate = false;
  return fmu_complete_step(c, event);
}

FMU_3(GetNumberOfEventIndicators, FMU_ANY, (void *instance, size_t *count),
      fmu_give_size(count, model_monitors))
FMU_3(GetNumberOfContinuousStates, FMU_ANY, (void *instance, size_t *count),
      fmu_give_size(count, FMU_STATES))

FMU_EXPORT int FMI3(fmi3DoStep)(void *instance, double from, double size, bool no_earlier,
                                bool *event, bool *terminate, bool *early, double *last) {
  FMU_ALLOW("fmi3DoStep", FMU_STEP);
  fmu_step step;
  fmu_status status = fmu_do_step(c, function, from, size, &step);
  *event = step.event && c->event_mode;
  *terminate = step.terminate;
  *early = step.early && c->may_return_early;
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
FMU_EXPORT void FMI2(fmi2FreeInstance)(void *instance) { fmu_free(instance); }

FMU_EXPORT void *FMI2(fmi2Instantiate)(const char *name, int type, const char *guid,
                                       const char *resources, const fmi2Callbacks *functions,
                                       int visible, int logging) {
  if (!functions) return NULL;
  return fmu_new(2, type == 0, name, guid, logging, functions->environment, NULL,
                 functions->logger);
}

FMU_2(SetDebugLogging, FMU_ANY, (void *instance, int on, size_t count, const char *const *category),
      fmu_set_logging(c, on))
FMU_2(SetupExperiment, FMU_INSTANTIATED,
      (void *instance, int has_tolerance, double tolerance, double start, int has_stop,
       double stop),
      fmu_setup(c, function, has_tolerance, tolerance, start, has_stop, stop))
FMU_2(EnterInitializationMode, FMU_INSTANTIATED, (void *instance), fmu_enter(c, FMU_INITIALIZATION))
FMU_2(EnterEventMode, FMU_POINTS, (void *instance), fmu_enter(c, FMU_EVENT))

FMU_2(GetReal, FMU_ANY, (void *instance, const unsigned *reference, size_t count, double *value),
      fmu_get(c, function, reference, count, value))
FMU_2(SetReal, FMU_SETTABLE,
      (void *instance, const unsigned *reference, size_t count, const double *value),
      fmu_set(c, function, reference, count, value))
#define FMU_NO_VARIABLES_2(name, type)                                                             \
  FMU_2(Get##name, FMU_ANY,                                                                        \
        (void *instance, const unsigned *reference, size_t count, type *value),                    \
        fmu_expect_none(c, function, count, FMU_NO_VALUES))                                        \
  FMU_2(Set##name, FMU_ANY,                                                                        \
        (void *instance, const unsigned *reference, size_t count, const type *value),              \
        fmu_expect_none(c, function, count, FMU_NO_VALUES))
FMU_NO_VARIABLES_2(Integer, int)
FMU_NO_VARIABLES_2(Boolean, int)
FMU_NO_VARIABLES_2(String, char *)

FMU_2(GetDirectionalDerivative, FMU_POINTS,
      (void *instance, const unsigned *unknown, size_t unknowns, const unsigned *known,
       size_t knowns, const double *seed, double *out),
      fmu_directional(c, function, unknown, unknowns, known, knowns, seed, out))

FMU_EXPORT int FMI2(fmi2NewDiscreteStates)(void *instance, fmi2EventInfo *info) {
  FMU_ALLOW("fmi2NewDiscreteStates", FMU_EVENT);
  bool moved = false, terminate = false;
  double next;
  fmu_status status = fmu_update_states(c, &moved, &terminate, &next);
  *info = (fmi2EventInfo){
      .terminate = terminate, .moved = moved, .has_next = next < INFINITY, .next = next};
  return status;
}

FMU_EXPORT int FMI2(fmi2CompletedIntegratorStep)(void *instance, int no_earlier, int *event,
                                                 int *terminate) {
  FMU_ALLOW("fmi2CompletedIntegratorStep", FMU_CONTINUOUS);
  bool needed = false;
  fmu_status status = fmu_complete_step(c, &needed);
  *event = needed;
  *terminate = 0;
  return status;
}

FMU_EXPORT int FMI2(fmi2SetRealInputDerivatives)(void *instance, const unsigned *reference,
                                                 size_t count, const int *order,
                                                 const double *value) {
  FMU_ALLOW("fmi2SetRealInputDerivatives", FMU_ANY);
  for (size_t i = 0; i < count; i++) {
    const fmu_variable *v = reference[i] < model_variables ? &model_variable[reference[i]] : NULL;
    if (!v || v->kind != FMU_INPUT || (v->index - model_input_time - 1) % 3)
      return fmu_refuse(c, function, "this variable is not an input");
    if (order[i] < 1 || order[i] > 2)
      return fmu_refuse(c, function, "inputs have derivatives of order 1 and 2");
    if (!(value[i] - value[i] == 0))
      return fmu_refuse(c, function, "the value is not a finite number");
    fmu_status status = fmu_set_input(c, function, v->index + order[i], value[i]);
    if (status != FMU_OK) return status;
  }
  return FMU_OK;
}

FMU_2(GetRealOutputDerivatives, FMU_ANY,
      (void *instance, const unsigned *reference, size_t count, const int *order, double *value),
      fmu_expect_none(c, function, count, "outputs have no derivatives"))

FMU_EXPORT int FMI2(fmi2DoStep)(void *instance, double from, double size, int no_earlier) {
  FMU_ALLOW("fmi2DoStep", FMU_STEP);
  fmu_step step;
  fmu_status status = fmu_do_step(c, function, from, size, &step);
  return status == FMU_OK && step.early ? FMU_DISCARD : status;
}

FMU_2(CancelStep, FMU_ANY, (void *instance),
      fmu_refuse(c, function, "steps are not taken in the background"))

/* What is known of the last step, in co-simulation. */
enum { FMI2_DO_STEP_STATUS, FMI2_PENDING_STATUS, FMI2_LAST_TIME, FMI2_TERMINATED };

FMU_2(GetStatus, FMU_ANY, (void *instance, int kind, int *value), FMU_DISCARD)
FMU_2(GetIntegerStatus, FMU_ANY, (void *instance, int kind, int *value), FMU_DISCARD)
FMU_2(GetStringStatus, FMU_ANY, (void *instance, int kind, const char **value), FMU_DISCARD)

FMU_EXPORT int FMI2(fmi2GetRealStatus)(void *instance, int kind, double *value) {
  FMU_ALLOW("fmi2GetRealStatus", FMU_ANY);
  if (kind != FMI2_LAST_TIME) return FMU_DISCARD;
  *value = c->unit->s;
  return FMU_OK;
}

FMU_EXPORT int FMI2(fmi2GetBooleanStatus)(void *instance, int kind, int *value) {
  FMU_ALLOW("fmi2GetBooleanStatus", FMU_ANY);
  if (kind != FMI2_TERMINATED) return FMU_DISCARD;
  *value = c->unit->ended;
  return FMU_OK;
}
