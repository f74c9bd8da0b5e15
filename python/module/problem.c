/* Problems whose functions are Python's.
 *
 * The library calls them without the interpreter's lock; each call takes it. A function that raises
 * Retry or an ArithmeticError has no value at this point. Every other exception ends the run and is
 * raised again, with its traceback, by the function of this module that started it.
 */
#include "module.h"

PyTypeObject *python_problem_type;

/* Keeps the exception that was raised and returns the status for it. */
static ritt_status keep_exception(python_problem *p) {
  if (PyErr_ExceptionMatches(python_retry_class) || PyErr_ExceptionMatches(PyExc_ArithmeticError)) {
    PyErr_Clear();
    return RITT_RETRY;
  }
  Py_CLEAR(p->type);
  Py_CLEAR(p->value);
  Py_CLEAR(p->trace);
  PyErr_Fetch(&p->type, &p->value, &p->trace);
  return RITT_SYSTEM;
}

int python_problem_raise(python_problem *p) {
  if (!p || !p->type) return 0;
  PyErr_Restore(p->type, p->value, p->trace);
  p->type = p->value = p->trace = NULL;
  return -1;
}

/* ---- values of functions ---- */

/* Copies the doubles of an array. Returns 0 if it is not an array of `count` doubles. */
static int copy_array(PyObject *value, double *out, Py_ssize_t count) {
  Py_buffer view;
  if (!PyObject_CheckBuffer(value)) return 0;
  if (PyObject_GetBuffer(value, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
    PyErr_Clear();
    return 0;
  }
  int fits =
      view.format && !strcmp(view.format, "d") && view.len == count * (Py_ssize_t)sizeof *out;
  if (fits && count) memcpy(out, view.buf, (size_t)view.len);
  PyBuffer_Release(&view);
  return fits;
}

/* Copies a list or tuple of `count` floats. Returns 0 if it is something else. */
static int copy_list(PyObject *value, double *out, Py_ssize_t count) {
  int list = PyList_Check(value);
  if (!list && !PyTuple_Check(value)) return 0;
  if ((list ? PyList_Size(value) : PyTuple_Size(value)) != count) return 0;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = list ? PyList_GetItem(value, i) : PyTuple_GetItem(value, i);
    if (!PyFloat_Check(item)) return 0;
    out[i] = PyFloat_AsDouble(item);
  }
  return 1;
}

/* Copies `count` doubles from the value of a function. Other values are converted first. */
static int take_values(python_problem *p, PyObject *value, double *out, Py_ssize_t count) {
  if (copy_array(value, out, count) || copy_list(value, out, count)) return 0;
  PyObject *array = PyObject_CallFunction(p->convert, "On", value, count);
  if (!array) return -1;
  int fits = copy_array(array, out, count);
  Py_DECREF(array);
  if (!fits) PyErr_SetString(PyExc_ValueError, "a function returned no array of doubles");
  return fits ? 0 : -1;
}

/* The arguments of a function at z: t, y, y', and `args`. */
static PyObject *make_arguments(python_problem *p, const double *z) {
  Py_ssize_t further = p->args ? PyTuple_Size(p->args) : 0;
  PyObject *arguments = PyTuple_New(1 + p->vectors + further);
  if (!arguments) return NULL;
  PyObject *t = PyFloat_FromDouble(z[0]);
  if (!t || PyTuple_SetItem(arguments, 0, t) < 0) {
    Py_DECREF(arguments);
    return NULL;
  }

  /* copies, since a function may keep what it receives */
  for (int i = 0; i < p->vectors; i++) {
    memcpy(p->buffer[i], z + 1 + i * p->unknowns, (size_t)p->unknowns * sizeof *z);
    PyObject *copy = PyObject_CallMethodObjArgs(p->array[i], p->copy, NULL);
    if (!copy || PyTuple_SetItem(arguments, 1 + i, copy) < 0) {
      Py_DECREF(arguments);
      return NULL;
    }
  }
  for (Py_ssize_t i = 0; i < further; i++)
    PyTuple_SetItem(arguments, 1 + p->vectors + i, Py_NewRef(PyTuple_GetItem(p->args, i)));
  return arguments;
}

/* Calls a function at z and copies its `count` values. */
static ritt_status call_function(python_problem *p, PyObject *function, const double *z,
                                 double *out, Py_ssize_t count) {
  PyGILState_STATE lock = PyGILState_Ensure();
  PyObject *arguments = make_arguments(p, z);
  PyObject *value = arguments ? PyObject_Call(function, arguments, NULL) : NULL;
  ritt_status status = RITT_OK;
  if (!value || take_values(p, value, out, count) < 0) status = keep_exception(p);
  Py_XDECREF(arguments);
  Py_XDECREF(value);
  PyGILState_Release(lock);
  return status;
}

static ritt_status call_f(void *data, const double *z, double *out) {
  python_problem *p = data;
  return call_function(p, p->f, z, out, p->rows);
}

static ritt_status call_df(void *data, const double *z, double *out) {
  python_problem *p = data;
  return call_function(p, p->df, z, out, (Py_ssize_t)p->rows * p->coordinates);
}

static ritt_status call_formula(void *data, const double *z, double *out) {
  python_problem *p = data;
  return call_function(p, p->formula, z, out, p->unknowns);
}

/* ---- the object ---- */

/* Functions may hold the result of their own run, so the garbage collector must reach them. */
enum { HELD = 11 };
static void list_held(python_problem *p, PyObject **held[HELD]) {
  PyObject **all[HELD] = {&p->f,       &p->df,   &p->formula, &p->args,  &p->array[0], &p->array[1],
                          &p->convert, &p->copy, &p->type,    &p->value, &p->trace};
  memcpy(held, all, sizeof all);
}

static int traverse_problem(PyObject *self, visitproc visit, void *arg) {
  PyObject **held[HELD];
  list_held((python_problem *)self, held);
  for (int i = 0; i < HELD; i++) Py_VISIT(*held[i]);
  Py_VISIT((PyObject *)Py_TYPE(self));
  return 0;
}

static int clear_problem(PyObject *self) {
  PyObject **held[HELD];
  list_held((python_problem *)self, held);
  for (int i = 0; i < HELD; i++) Py_CLEAR(*held[i]);
  return 0;
}

static void free_problem(PyObject *self) {
  PyObject_GC_UnTrack(self);
  ritt_problem_free(((python_problem *)self)->at);
  clear_problem(self);
  python_release(self);
}

/* Keeps an array of doubles that is filled before each call. Returns -1 with an exception. */
static int keep_array(python_problem *p, int i, PyObject *array) {
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return -1;
  int fits = view.len == p->unknowns * (Py_ssize_t)sizeof(double);
  p->buffer[i] = view.buf; /* stays valid, since the array is kept and never resized */
  p->array[i] = Py_NewRef(array);
  PyBuffer_Release(&view);
  if (!fits) PyErr_SetString(PyExc_ValueError, "an array has the wrong size");
  return fits ? 0 : -1;
}

/* Sets the members of a new problem from the arguments. Returns -1 with an exception. */
static int read_arguments(python_problem *p, ritt_kind *kind, PyObject *args, PyObject *keywords) {
  static char *names[] = {"kind", "unknowns", "rows", "arrays",  "convert",
                          "args", "f",        "df",   "formula", NULL};
  PyObject *arrays, *convert, *further, *f = Py_None, *df = Py_None, *formula = Py_None;
  int kind_number;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "iiiO!OO!|OOO", names, &kind_number,
                                   &p->unknowns, &p->rows, &PyTuple_Type, &arrays, &convert,
                                   &PyTuple_Type, &further, &f, &df, &formula))
    return -1;
  *kind = (ritt_kind)kind_number;
  p->convert = Py_NewRef(convert);
  p->args = Py_NewRef(further);
  p->copy = PyUnicode_FromString("copy");
  if (f != Py_None) p->f = Py_NewRef(f);
  if (df != Py_None) p->df = Py_NewRef(df);
  if (formula != Py_None) p->formula = Py_NewRef(formula);
  p->vectors = PyTuple_Size(arrays) > 1 ? 2 : 1;
  p->coordinates = 1 + p->vectors * p->unknowns;
  for (int i = 0; i < p->vectors; i++)
    if (keep_array(p, i, PyTuple_GetItem(arrays, i)) < 0) return -1;
  return p->copy ? 0 : -1;
}

static PyObject *make_problem(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  python_problem *p = (python_problem *)PyType_GenericAlloc(type, 0);
  ritt_kind kind;
  if (!p) return NULL;
  if (read_arguments(p, &kind, args, keywords) < 0) {
    Py_DECREF((PyObject *)p);
    return NULL;
  }
  int *orders = calloc((size_t)p->unknowns + 1, sizeof *orders);
  ritt_error *error = ritt_error_new();
  ritt_status status = orders && error ? RITT_OK : RITT_NO_MEMORY;
  if (status == RITT_OK) {
    for (int i = 0; i < p->unknowns; i++) orders[i] = p->vectors;
    ritt_definition d = {.kind = kind,
                         .unknowns = p->unknowns,
                         .orders = orders,
                         .rows = p->rows,
                         .user_data = p,
                         .f = p->f ? call_f : NULL,
                         .df = p->df ? call_df : NULL,
                         .formula = p->formula ? call_formula : NULL,
                         .independent = "t"};
    status = ritt_problem_new(&d, error, &p->at);
  }
  if (status != RITT_OK) {
    python_raise(status, error);
    Py_CLEAR(p);
  }
  free(orders);
  ritt_error_free(error);
  return (PyObject *)p;
}

/* project(z, fixed): z moved onto the manifold, in place */
static PyObject *project(PyObject *self, PyObject *args) {
  python_problem *p = (python_problem *)self;
  Py_buffer z, fixed;
  if (!PyArg_ParseTuple(args, "w*y*", &z, &fixed)) return NULL;
  PyObject *result = NULL;
  ritt_error *error = ritt_error_new();
  int fits = z.len == p->coordinates * (Py_ssize_t)sizeof(double) &&
             fixed.len == p->coordinates * (Py_ssize_t)sizeof(int);
  if (!error) PyErr_NoMemory();
  else if (!fits) PyErr_SetString(PyExc_ValueError, "the point has another number of coordinates");
  else {
    ritt_status status;
    Py_BEGIN_ALLOW_THREADS status = ritt_problem_project(p->at, fixed.buf, z.buf, error);
    Py_END_ALLOW_THREADS if (python_problem_raise(p) == 0) {
      if (status == RITT_OK) result = Py_NewRef(Py_None);
      else python_raise(status, error);
    }
  }
  ritt_error_free(error);
  PyBuffer_Release(&z);
  PyBuffer_Release(&fixed);
  return result;
}

PyTypeObject *python_make_problem_type(void) {
  static PyMethodDef methods[] = {
      {"project", project, METH_VARARGS, "project(z, fixed): moves z onto the manifold"}, {0}};
  static PyType_Slot slots[] = {{Py_tp_new, (void *)make_problem},
                                {Py_tp_dealloc, (void *)free_problem},
                                {Py_tp_traverse, (void *)traverse_problem},
                                {Py_tp_clear, (void *)clear_problem},
                                {Py_tp_methods, methods},
                                {0}};
  static PyType_Spec spec = {"ritt._ritt.Problem", sizeof(python_problem), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  return python_problem_type = (PyTypeObject *)PyType_FromSpec(&spec);
}
