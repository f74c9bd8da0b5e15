/* Linearisations, equilibria, fits and periodic orbits of models. Matrices go to Python as bytes of
 * doubles, and come from it in the same way. */
#include "module.h"

#define TRY(call)                                                                                  \
  do {                                                                                             \
    ritt_status try_status = (call);                                                               \
    if (try_status != RITT_OK) return try_status;                                                  \
  } while (0)

/* ---- lists of names ---- */

typedef struct names {
  const char **at;
  size_t count;
} names;

/* The texts of a list, which stay those of the list. */
static bool take_names(PyObject *list, names *out) {
  Py_ssize_t count = PyList_Size(list);
  out->at = calloc((size_t)count + 1, sizeof *out->at);
  if (!out->at) {
    PyErr_NoMemory();
    return false;
  }
  out->count = (size_t)count;
  for (Py_ssize_t i = 0; i < count; i++)
    if (!PyArg_Parse(PyList_GetItem(list, i), "s", &out->at[i])) return false;
  return true;
}

/* ---- results as dictionaries ---- */

static PyObject *convert_doubles(const double *values, size_t count) {
  return PyBytes_FromStringAndSize((const char *)values, (Py_ssize_t)(count * sizeof *values));
}

static PyObject *convert_linearization(const ritt_linearization *L) {
  size_t n = L->states, u = L->inputs, y = L->outputs;
  return Py_BuildValue("{sNsNsNsNsNsNsNsNsNsNsNsdsd}", "states", python_texts(L->state_names, n),
                       "inputs", python_texts(L->input_names, u), "outputs",
                       python_texts(L->output_names, y), "A", convert_doubles(L->A, n * n), "B",
                       convert_doubles(L->B, n * u), "C", convert_doubles(L->C, y * n), "D",
                       convert_doubles(L->D, y * u), "eigenvalue_real",
                       convert_doubles(L->eigenvalue_real, n), "eigenvalue_imaginary",
                       convert_doubles(L->eigenvalue_imaginary, n), "mode_real",
                       convert_doubles(L->mode_real, n * n), "mode_imaginary",
                       convert_doubles(L->mode_imaginary, n * n), "x", L->x, "largest_velocity",
                       L->largest_velocity);
}

/* ---- the calls ---- */

typedef struct call {
  ritt_model *model;
  names inputs, moving, hold;
  bool steady, at_point;
  double at;
  ritt_options options;
  ritt_solver *solver;
  ritt_steady *found;
  ritt_linearization *linear;
} call;

/* Linearises where the call says; needs no lock. */
static ritt_status linearize(call *c, ritt_error *error) {
  ritt_point point;
  const ritt_point *where = NULL;
  if (c->steady) {
    TRY(ritt_model_steady(c->model, c->moving.at, c->moving.count, c->hold.at, c->hold.count, error,
                          &c->found));
    where = &c->found->point;
  } else if (c->at_point) {
    TRY(ritt_solver_from_model(c->model, &c->options, error, &c->solver));
    TRY(ritt_solver_run_to(c->solver, c->at, error));
    TRY(ritt_solver_point(c->solver, &point, error));
    where = &point;
  }
  return ritt_model_linearize(c->model, where, c->inputs.at, c->inputs.count, error, &c->linear);
}

static void free_call(call *c) {
  ritt_linearization_free(c->linear);
  ritt_steady_free(c->found);
  ritt_solver_free(c->solver);
  free(c->inputs.at);
  free(c->moving.at);
  free(c->hold.at);
}

/* {"linear": ..., "columns": [...], "values": bytes}; the last two only at an equilibrium. */
static PyObject *convert_call(const call *c) {
  PyObject *linear = convert_linearization(c->linear);
  if (!c->found) return Py_BuildValue("{sN}", "linear", linear);
  return Py_BuildValue("{sNsNsN}", "linear", linear, "columns",
                       python_texts(c->found->column_names, c->found->columns), "values",
                       convert_doubles(c->found->values, c->found->columns));
}

PyObject *python_linearize(PyObject *self, PyObject *args) {
  PyObject *inputs, *moving, *hold, *at, *options;
  int steady;
  call c = {.model = ((python_model *)self)->at, .options = ritt_options_default()};
  if (!PyArg_ParseTuple(args, "OpO!O!O!O!", &at, &steady, &PyList_Type, &inputs, &PyList_Type,
                        &moving, &PyList_Type, &hold, &PyList_Type, &options))
    return NULL;
  c.steady = steady;
  c.at_point = at != Py_None;
  if (c.at_point) c.at = PyFloat_AsDouble(at);
  if (PyErr_Occurred()) return NULL;
  ritt_error *error = ritt_error_new();
  if (!error) return PyErr_NoMemory();
  PyObject *result = NULL;
  if (take_names(inputs, &c.inputs) && take_names(moving, &c.moving) && take_names(hold, &c.hold)) {
    ritt_status status = python_set_options(&c.options, options, error);
    Py_BEGIN_ALLOW_THREADS;
    if (status == RITT_OK) status = linearize(&c, error);
    Py_END_ALLOW_THREADS;
    result = status == RITT_OK ? convert_call(&c) : python_raise(status, error);
  }
  free_call(&c);
  ritt_error_free(error);
  return result;
}

/* ---- fits ---- */

typedef struct fit_call {
  ritt_model *model;
  names columns, vary;
  ritt_fit_data data;
  ritt_fit_unknown *unknown;
  ritt_fit_options how;
  ritt_options options;
  ritt_fit *found;
} fit_call;

/* Takes where the search begins, and the bounds: three arrays of doubles one after the other. */
static bool take_unknowns(fit_call *c, const double *numbers) {
  size_t n = c->vary.count;
  c->unknown = calloc(n + 1, sizeof *c->unknown);
  if (!c->unknown) {
    PyErr_NoMemory();
    return false;
  }
  for (size_t i = 0; i < n; i++)
    c->unknown[i] =
        (ritt_fit_unknown){c->vary.at[i], numbers[i], numbers[n + i], numbers[2 * n + i]};
  return true;
}

static PyObject *convert_fit(const fit_call *c) {
  const ritt_fit *f = c->found;
  size_t n = f->unknowns, size = c->data.rows * c->data.columns;
  PyObject *bounded = PyList_New((Py_ssize_t)n);
  for (size_t i = 0; bounded && i < n; i++)
    PyList_SetItem(bounded, (Py_ssize_t)i, PyBool_FromLong(f->bounded[i]));
  return Py_BuildValue("{sNsNsNsNsNsNsNsdsdslsisn}", "values", convert_doubles(f->values, n),
                       "deviations", convert_doubles(f->deviations, n), "low",
                       convert_doubles(f->low, n), "high", convert_doubles(f->high, n),
                       "covariance", convert_doubles(f->covariance, n * n), "bounded", bounded,
                       "residuals", convert_doubles(f->residuals, size), "cost", f->cost,
                       "residual_deviation", f->residual_deviation, "iterations", f->iterations,
                       "converged", f->converged, "data", (Py_ssize_t)f->data);
}

PyObject *python_fit(PyObject *self, PyObject *args) {
  PyObject *columns, *vary, *options;
  const char *values, *numbers, *weights;
  Py_ssize_t bytes, number_bytes, weight_bytes;
  fit_call c = {.model = ((python_model *)self)->at,
                .how = ritt_fit_options_default(),
                .options = ritt_options_default()};
  if (!PyArg_ParseTuple(args, "O!y#O!y#z#sdlldlO!", &PyList_Type, &columns, &values, &bytes,
                        &PyList_Type, &vary, &numbers, &number_bytes, &weights, &weight_bytes,
                        &c.how.loss, &c.how.scale, &c.how.starts, &c.how.seed, &c.how.confidence,
                        &c.how.max_iterations, &PyList_Type, &options))
    return NULL;
  ritt_error *error = ritt_error_new();
  if (!error) return PyErr_NoMemory();
  PyObject *result = NULL;
  if (take_names(columns, &c.columns) && take_names(vary, &c.vary) &&
      take_unknowns(&c, (const double *)(const void *)numbers)) {
    size_t count = c.columns.count > 0 ? c.columns.count : 1;
    c.data = (ritt_fit_data){(size_t)bytes / sizeof(double) / count, c.columns.count, c.columns.at,
                             (const double *)(const void *)values};
    c.how.weights = (const double *)(const void *)weights;
    ritt_status status = python_set_options(&c.options, options, error);
    Py_BEGIN_ALLOW_THREADS;
    if (status == RITT_OK)
      status = ritt_model_fit(c.model, &c.data, c.unknown, c.vary.count, &c.how, &c.options, error,
                              &c.found);
    Py_END_ALLOW_THREADS;
    result = status == RITT_OK ? convert_fit(&c) : python_raise(status, error);
  }
  ritt_fit_free(c.found);
  free(c.unknown);
  free(c.columns.at);
  free(c.vary.at);
  ritt_error_free(error);
  return result;
}

/* ---- gradients ---- */

static const char capsule_name[] = "ritt.adjoint";

/* The capsule holds the model, which must outlive the run. */
static void free_adjoint(PyObject *capsule) {
  ritt_adjoint_free(PyCapsule_GetPointer(capsule, capsule_name));
  Py_XDECREF((PyObject *)PyCapsule_GetContext(capsule));
}

/* adjoint(names, places or None, options): (capsule, columns, values) */
PyObject *python_adjoint(PyObject *self, PyObject *args) {
  PyObject *by, *options, *result = NULL;
  const char *places;
  Py_ssize_t bytes;
  names list = {0};
  ritt_options run = ritt_options_default();
  ritt_adjoint *a = NULL;
  if (!PyArg_ParseTuple(args, "O!z#O!", &PyList_Type, &by, &places, &bytes, &PyList_Type, &options))
    return NULL;
  ritt_error *error = ritt_error_new();
  if (!error) return PyErr_NoMemory();
  if (take_names(by, &list)) {
    ritt_model *model = ((python_model *)self)->at;
    size_t rows = places ? (size_t)bytes / sizeof(double) : 0;
    ritt_status status = python_set_options(&run, options, error);
    Py_BEGIN_ALLOW_THREADS;
    if (status == RITT_OK)
      status = ritt_model_adjoint(model, list.at, list.count, (const double *)(const void *)places,
                                  rows, &run, error, &a);
    Py_END_ALLOW_THREADS;
    if (status != RITT_OK) result = python_raise(status, error);
    else {
      PyObject *capsule = PyCapsule_New(a, capsule_name, free_adjoint);
      if (capsule) {
        Py_INCREF(self);
        PyCapsule_SetContext(capsule, self);
        result = Py_BuildValue("(NNN)", capsule, python_texts(a->column_names, a->columns),
                               convert_doubles(a->values, a->rows * a->columns));
      } else ritt_adjoint_free(a);
    }
  }
  free(list.at);
  ritt_error_free(error);
  return result;
}

/* pull(capsule, weights): the gradient of the sum of weights times values */
PyObject *python_pull(PyObject *self, PyObject *args) {
  PyObject *capsule, *result = NULL;
  const char *weights;
  Py_ssize_t bytes;
  (void)self;
  if (!PyArg_ParseTuple(args, "Oy#", &capsule, &weights, &bytes)) return NULL;
  ritt_adjoint *a = PyCapsule_GetPointer(capsule, capsule_name);
  if (!a) return NULL;
  if ((size_t)bytes != a->rows * a->columns * sizeof(double)) {
    PyErr_SetString(PyExc_ValueError, "weights must have the shape of the values");
    return NULL;
  }
  ritt_error *error = ritt_error_new();
  double *gradient = calloc(a->quantities + 1, sizeof *gradient);
  if (!error || !gradient) PyErr_NoMemory();
  else {
    ritt_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = ritt_adjoint_gradient(a, (const double *)(const void *)weights, gradient, error);
    Py_END_ALLOW_THREADS;
    result =
        status == RITT_OK ? convert_doubles(gradient, a->quantities) : python_raise(status, error);
  }
  free(gradient);
  ritt_error_free(error);
  return result;
}

/* ---- periodic orbits ---- */

static PyObject *convert_orbit(const ritt_orbit *o) {
  size_t n = o->states;
  return Py_BuildValue("{sNsNsdsNsNsNsisdsl}", "states", python_texts(o->state_names, n), "start",
                       convert_doubles(o->start, n), "period", o->period, "monodromy",
                       convert_doubles(o->monodromy, n * n), "multiplier_real",
                       convert_doubles(o->multiplier_real, n), "multiplier_imaginary",
                       convert_doubles(o->multiplier_imaginary, n), "stable", o->stable, "residual",
                       o->residual, "iterations", o->iterations);
}

PyObject *python_orbit(PyObject *self, PyObject *args) {
  PyObject *states, *hold, *options, *result = NULL;
  ritt_model *model = ((python_model *)self)->at;
  ritt_orbit_options how = ritt_orbit_options_default();
  ritt_options run = ritt_options_default();
  ritt_orbit *found = NULL;
  names state_names = {0}, hold_names = {0};
  double period;
  if (!PyArg_ParseTuple(args, "dpllO!O!O!", &period, &how.fixed_period, &how.segments,
                        &how.max_iterations, &PyList_Type, &states, &PyList_Type, &hold,
                        &PyList_Type, &options))
    return NULL;
  ritt_error *error = ritt_error_new();
  if (!error) return PyErr_NoMemory();
  if (take_names(states, &state_names) && take_names(hold, &hold_names)) {
    how.states = state_names.count > 0 ? state_names.at : NULL;
    how.state_count = state_names.count;
    how.hold = hold_names.at;
    how.hold_count = hold_names.count;
    ritt_status status = python_set_options(&run, options, error);
    Py_BEGIN_ALLOW_THREADS;
    if (status == RITT_OK) status = ritt_model_orbit(model, period, &how, &run, error, &found);
    Py_END_ALLOW_THREADS;
    result = status == RITT_OK ? convert_orbit(found) : python_raise(status, error);
  }
  ritt_orbit_free(found);
  free(state_names.at);
  free(hold_names.at);
  ritt_error_free(error);
  return result;
}
