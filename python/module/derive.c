/* Linearisations and equilibria of models. Matrices go to Python as bytes of doubles. */
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
