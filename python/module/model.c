/* Models as Python objects. */
#include "module.h"

PyTypeObject *python_model_type;

static PyObject *make_model(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static char *names[] = {"text", "name", "path", NULL};
  const char *text = NULL, *name = "model", *path = NULL;
  Py_ssize_t length = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|z#zz", names, &text, &length, &name, &path))
    return NULL;
  python_model *self = (python_model *)PyType_GenericAlloc(type, 0);
  ritt_error *error = ritt_error_new();
  if (!self || !error) {
    Py_XDECREF((PyObject *)self);
    ritt_error_free(error);
    return PyErr_NoMemory();
  }

  /* read the file or the text */
  ritt_status status;
  if (path) PYTHON_BUSY(status, ritt_model_read_file(path, error, &self->at));
  else
    PYTHON_BUSY(status,
                ritt_model_read_text(text ? text : "", (size_t)length, name, error, &self->at));
  if (status != RITT_OK) {
    python_raise(status, error);
    Py_CLEAR(self);
  }
  ritt_error_free(error);
  return (PyObject *)self;
}

static void free_model(PyObject *self) {
  ritt_model_free(((python_model *)self)->at);
  python_release(self);
}

/* ---- values ---- */

/* set_all(names, values): parameters' values, as texts of the language */
static PyObject *set_all(PyObject *self, PyObject *args) {
  PyObject *list;
  if (!PyArg_ParseTuple(args, "O!", &PyList_Type, &list)) return NULL;
  Py_ssize_t count = PyList_Size(list);
  const char **names = calloc(2 * (size_t)count + 1, sizeof *names), **values = names + count;
  ritt_error *error = ritt_error_new();
  if (!names || !error) {
    free(names);
    ritt_error_free(error);
    return PyErr_NoMemory();
  }

  ritt_status status = RITT_OK;
  for (Py_ssize_t i = 0; i < count; i++)
    if (!PyArg_ParseTuple(PyList_GetItem(list, i), "ss", &names[i], &values[i])) {
      status = RITT_WRONG_CALL;
      break;
    }
  if (status == RITT_OK)
    status = ritt_model_set_all(((python_model *)self)->at, names, values, (size_t)count, error);
  free(names);
  return python_finish(status, error);
}

static PyObject *set_start_value(PyObject *self, PyObject *args) {
  const char *name;
  double value;
  int fixed;
  if (!PyArg_ParseTuple(args, "sdp", &name, &value, &fixed)) return NULL;
  ritt_error *error = ritt_error_new();
  if (!error) return PyErr_NoMemory();
  ritt_model *at = ((python_model *)self)->at;
  return python_finish(ritt_model_start_value(at, name, value, fixed, error), error);
}

static PyObject *set_start(PyObject *self, PyObject *args) {
  double x;
  if (!PyArg_ParseTuple(args, "d", &x)) return NULL;
  ritt_error *error = ritt_error_new();
  if (!error) return PyErr_NoMemory();
  return python_finish(ritt_model_start_at(((python_model *)self)->at, x, error), error);
}

/* sensitivity(names): parameters and start values by which the solution is differentiated */
static PyObject *set_sensitivity(PyObject *self, PyObject *args) {
  PyObject *list;
  if (!PyArg_ParseTuple(args, "O!", &PyList_Type, &list)) return NULL;
  Py_ssize_t count = PyList_Size(list);
  const char **names = calloc((size_t)count + 1, sizeof *names);
  ritt_error *error = ritt_error_new();
  ritt_status status = names && error ? RITT_OK : RITT_NO_MEMORY;
  for (Py_ssize_t i = 0; i < count && status == RITT_OK; i++)
    if (!PyArg_Parse(PyList_GetItem(list, i), "s", &names[i])) status = RITT_WRONG_CALL;
  if (status == RITT_OK)
    status = ritt_model_sensitivity(((python_model *)self)->at, names, (size_t)count, error);
  free(names);
  return python_finish(status, error);
}

static PyObject *set_kind(PyObject *self, PyObject *args) {
  const char *kind;
  if (!PyArg_ParseTuple(args, "s", &kind)) return NULL;
  ritt_error *error = ritt_error_new();
  if (!error) return PyErr_NoMemory();
  return python_finish(ritt_model_kind(((python_model *)self)->at, kind, error), error);
}

/* meaning(name): "parameter", "variable", "array", "independent", or None */
static PyObject *get_meaning(PyObject *self, PyObject *args) {
  static const char *const words[] = {NULL, "parameter", "variable", "array", "independent"};
  const char *name;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  return python_text(words[ritt_model_meaning(((python_model *)self)->at, name)]);
}

static PyObject *get_nearest(PyObject *self, PyObject *args) {
  const char *name;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  return python_text(ritt_model_nearest(((python_model *)self)->at, name));
}

/* ---- reports ---- */

static PyObject *convert_count(int count) {
  if (count == RITT_UNKNOWN) Py_RETURN_NONE;
  return PyLong_FromLong(count);
}

static PyObject *convert_moved(const ritt_check *c) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < c->moved_count; i++) {
    PyObject *one = Py_BuildValue("{sNsdsd}", "name", python_text(c->moved[i].name), "typed",
                                  c->moved[i].typed, "used", c->moved[i].used);
    if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

/* check(): the report, whatever the verdict */
static PyObject *check(PyObject *self, PyObject *none) {
  (void)none;
  ritt_error *error = ritt_error_new();
  const ritt_check *c = NULL;
  PyObject *result;
  if (!error) return PyErr_NoMemory();
  ritt_status status;
  PYTHON_BUSY(status, ritt_model_check(((python_model *)self)->at, error, &c));
  if (!c || status == RITT_NO_MEMORY) result = python_raise(status, error);
  else
    result = Py_BuildValue(
        "{sNsisNsisisNsNsNsNsNsNsNsNsNsNsNsNsNsN}", "model", python_text(c->model), "unknowns",
        c->unknowns, "variables", python_texts(c->variables, c->variable_count), "equations",
        c->equations, "invariants", c->invariants, "verdict", python_text(c->verdict), "reason",
        python_text(c->reason), "kind", python_text(c->kind), "degrees_of_freedom",
        convert_count(c->degrees_of_freedom), "index", convert_count(c->index),
        "hidden_constraints", convert_count(c->hidden_constraints), "dependent_equations",
        python_texts(c->dependent_equations, c->dependent_count), "undetermined_variables",
        python_texts(c->undetermined_variables, c->undetermined_count), "non_unique",
        python_texts(c->non_unique, c->non_unique_count), "moved", convert_moved(c),
        "singular_points", python_texts(c->singular_points, c->singular_count), "notes",
        python_texts(c->notes, c->note_count), "text", python_text(c->text), "messages",
        python_messages(error));
  ritt_error_free(error);
  return result;
}

static PyObject *complete(PyObject *self, PyObject *args) {
  int system, form;
  const char *out = NULL;
  if (!PyArg_ParseTuple(args, "ii", &system, &form)) return NULL;
  ritt_error *error = ritt_error_new();
  if (!error) return PyErr_NoMemory();
  ritt_model *at = ((python_model *)self)->at;
  ritt_status status;
  PYTHON_BUSY(status, ritt_model_complete(at, (ritt_system)system, (ritt_form)form, error, &out));
  PyObject *result = status == RITT_OK ? python_text(out) : python_raise(status, error);
  ritt_error_free(error);
  return result;
}

/* export_fmu(version, kind, options): the files of the archive, [(name, bytes), ...] */
static PyObject *export_fmu(PyObject *self, PyObject *args) {
  int version;
  const char *kind;
  PyObject *list;
  if (!PyArg_ParseTuple(args, "isO!", &version, &kind, &PyList_Type, &list)) return NULL;
  ritt_error *error = ritt_error_new();
  if (!error) return PyErr_NoMemory();
  ritt_model *at = ((python_model *)self)->at;
  ritt_options options = ritt_options_default();
  const ritt_file *files = NULL;
  size_t count = 0;
  ritt_status status = python_set_options(&options, list, error);
  if (status == RITT_OK) {
    Py_BEGIN_ALLOW_THREADS;
    status = ritt_model_export_fmu(at, &options, version, kind, error, &files, &count);
    Py_END_ALLOW_THREADS;
  }
  PyObject *result =
      status == RITT_OK ? PyList_New((Py_ssize_t)count) : python_raise(status, error);
  for (size_t i = 0; status == RITT_OK && result && i < count; i++) {
    PyObject *file =
        Py_BuildValue("(sy#)", files[i].name, files[i].bytes, (Py_ssize_t)files[i].size);
    if (!file || PyList_SetItem(result, (Py_ssize_t)i, file)) Py_CLEAR(result);
  }
  ritt_error_free(error);
  return result;
}

/* describe(): the model as JSON */
static PyObject *describe(PyObject *self, PyObject *none) {
  (void)none;
  char *json = NULL;
  ritt_error *error = ritt_error_new();
  if (!error) return PyErr_NoMemory();
  ritt_status status = ritt_model_describe(((python_model *)self)->at, error, &json);
  PyObject *result = status == RITT_OK ? python_text(json) : python_raise(status, error);
  ritt_free(json);
  ritt_error_free(error);
  return result;
}

/* columns(): the names of the columns and their units (None: no column has a unit) */
static PyObject *get_columns(PyObject *self, PyObject *none) {
  (void)none;
  const char *const *names, *const *units = NULL;
  size_t count, all;
  ritt_error *error = ritt_error_new();
  if (!error) return PyErr_NoMemory();
  ritt_model *at = ((python_model *)self)->at;
  ritt_status status;
  PYTHON_BUSY(status, ritt_model_columns(at, error, &names, &count));
  if (status == RITT_OK) status = ritt_model_units(at, error, &units, &all);
  PyObject *result;
  if (status == RITT_OK)
    result = Py_BuildValue("NN", python_texts(names, count),
                           units ? python_texts(units, count) : Py_NewRef(Py_None));
  else result = python_raise(status, error);
  ritt_error_free(error);
  return result;
}

static PyObject *get_name(PyObject *self, void *none) {
  (void)none;
  return python_text(ritt_model_name(((python_model *)self)->at));
}

static PyObject *get_title(PyObject *self, void *none) {
  (void)none;
  return python_text(ritt_model_title(((python_model *)self)->at));
}

static PyObject *get_independent(PyObject *self, void *none) {
  (void)none;
  return python_text(ritt_model_independent(((python_model *)self)->at));
}

static PyObject *get_text(PyObject *self, void *none) {
  (void)none;
  return python_text(ritt_model_text(((python_model *)self)->at));
}

PyTypeObject *python_make_model_type(void) {
  static PyMethodDef methods[] = {
      {"set_all", set_all, METH_VARARGS, "set_all([(name, value), ...]): parameters, as texts"},
      {"start_value", set_start_value, METH_VARARGS, "start_value(name, value, fixed)"},
      {"start_at", set_start, METH_VARARGS, "start_at(x)"},
      {"sensitivity", set_sensitivity, METH_VARARGS, "sensitivity(names)"},
      {"kind", set_kind, METH_VARARGS, "kind(word)"},
      {"meaning", get_meaning, METH_VARARGS, "meaning(name): a word, or None"},
      {"nearest", get_nearest, METH_VARARGS, "nearest(name): the most similar name, or None"},
      {"check", check, METH_NOARGS, "check(): the report as a dictionary"},
      {"complete", complete, METH_VARARGS, "complete(system, form): the completed system"},
      {"describe", describe, METH_NOARGS, "describe(): the model as JSON"},
      {"export_fmu", export_fmu, METH_VARARGS, "export_fmu(version, kind, options): files"},
      {"linearize", python_linearize, METH_VARARGS,
       "linearize(at, steady, inputs, moving, hold, options): a dictionary"},
      {"adjoint", python_adjoint, METH_VARARGS, "adjoint(names, places, options)"},
      {"pull", python_pull, METH_VARARGS, "pull(adjoint, weights)"},
      {"fit", python_fit, METH_VARARGS, "fit(columns, data, vary, ..., options): a dictionary"},
      {"orbit", python_orbit, METH_VARARGS,
       "orbit(period, fixed_period, segments, max_iterations, states, hold, options): a dictionary"},
      {"columns", get_columns, METH_NOARGS, "columns(): (names, units)"},
      {"view", python_view, METH_VARARGS, "view(path, options, summary): bytes"},
      {0}};
  static PyGetSetDef fields[] = {{"name", get_name, NULL, "the name of the model", NULL},
                                 {"title", get_title, NULL, "its title", NULL},
                                 {"text", get_text, NULL, "its text", NULL},
                                 {"independent", get_independent, NULL, "the variable", NULL},
                                 {0}};
  static PyType_Slot slots[] = {{Py_tp_new, (void *)make_model},
                                {Py_tp_dealloc, (void *)free_model},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, fields},
                                {0}};
  static PyType_Spec spec = {"ritt._ritt.Model", sizeof(python_model), 0, Py_TPFLAGS_DEFAULT,
                             slots};
  return python_model_type = (PyTypeObject *)PyType_FromSpec(&spec);
}
