/* Problems whose functions are Python's.
 *
 * The library calls them without the interpreter's lock; each call takes it. A function that raises
 * Retry or an ArithmeticError has no value at this point. Every other exception ends the run and is
 * raised again, with its traceback, by the function of this module that started it.
 */
#include <stdio.h>
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
  if (!fits) PyErr_SetString(PyExc_ValueError, "a function must return an array of doubles");
  return fits ? 0 : -1;
}

/* The arguments of a function: t, y, y' if it is not NULL, and `args`. */
static PyObject *make_arguments(python_problem *p, double t, const double *const vector[2]) {
  Py_ssize_t further = PyTuple_Size(p->args), vectors = vector[1] ? 2 : 1;
  PyObject *arguments = PyTuple_New(1 + vectors + further);
  if (!arguments) return NULL;
  PyObject *time = PyFloat_FromDouble(t);
  if (!time || PyTuple_SetItem(arguments, 0, time) < 0) {
    Py_DECREF(arguments);
    return NULL;
  }

  /* copies, since a function may keep what it receives */
  for (Py_ssize_t i = 0; i < vectors; i++) {
    memcpy(p->buffer[i], vector[i], (size_t)p->size * sizeof *vector[i]);
    PyObject *copy = PyObject_CallMethodObjArgs(p->array[i], p->copy, NULL);
    if (!copy || PyTuple_SetItem(arguments, 1 + i, copy) < 0) {
      Py_DECREF(arguments);
      return NULL;
    }
  }
  for (Py_ssize_t i = 0; i < further; i++)
    PyTuple_SetItem(arguments, 1 + vectors + i, Py_NewRef(PyTuple_GetItem(p->args, i)));
  return arguments;
}

ritt_status python_problem_call(python_problem *p, PyObject *function, double t, const double *y,
                                const double *yp, double *out, Py_ssize_t count) {
  const double *vector[2] = {y, yp};
  PyGILState_STATE lock = PyGILState_Ensure();
  PyObject *arguments = make_arguments(p, t, vector);
  PyObject *value = arguments ? PyObject_Call(function, arguments, NULL) : NULL;
  ritt_status status = RITT_OK;
  if (!value || take_values(p, value, out, count) < 0) status = keep_exception(p);
  Py_XDECREF(arguments);
  Py_XDECREF(value);
  PyGILState_Release(lock);
  return status;
}

ritt_status python_problem_fail(python_problem *p, const char *format, double t) {
  char text[256];
  snprintf(text, sizeof text, format, t);
  PyGILState_STATE lock = PyGILState_Ensure();
  PyErr_SetString(PyExc_ValueError, text);
  ritt_status status = keep_exception(p);
  PyGILState_Release(lock);
  return status;
}

/* ---- functions of the problem ---- */

/* The point y that belongs to the coordinates. */
static ritt_status find_point(python_problem *p, const double *z, const double **y) {
  *y = z + 1;
  if (!p->residual) return RITT_OK;
  ritt_status status = python_residual_solve(p, z[0], z + 1);
  *y = python_residual_point(p->residual);
  return status;
}

static ritt_status call_f(void *data, const double *z, double *out) {
  python_problem *p = data;
  const double *y;
  ritt_status status = find_point(p, z, &y);
  return status == RITT_OK ? python_problem_call(p, p->f, z[0], y, NULL, out, p->rows) : status;
}

static ritt_status call_formula(void *data, const double *z, double *out) {
  python_problem *p = data;
  size_t count = (size_t)p->coordinates - 1;
  if (!p->residual) return python_problem_call(p, p->formula, z[0], z + 1, NULL, out, p->size);
  ritt_status status = python_residual_solve(p, z[0], z + 1);
  if (status == RITT_OK) memcpy(out, python_residual_derivative(p->residual), count * sizeof *out);
  return status;
}

/* The columns: y. */
static ritt_status call_output(void *data, const double *z, const double *top, double *out) {
  python_problem *p = data;
  const double *y;
  (void)top;
  ritt_status status = find_point(p, z, &y);
  if (status == RITT_OK) memcpy(out, y, (size_t)p->size * sizeof *out);
  return status;
}

/* ---- the object ---- */

/* Functions may hold the result of their own run, so the garbage collector must reach them. */
enum { HELD = 11 };
static void list_held(python_problem *p, PyObject **held[HELD]) {
  PyObject **all[HELD] = {&p->f,       &p->formula, &p->jac,  &p->args,  &p->array[0], &p->array[1],
                          &p->convert, &p->copy,    &p->type, &p->value, &p->trace};
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
  python_residual_free(((python_problem *)self)->residual);
  clear_problem(self);
  python_release(self);
}

/* Keeps an array of doubles that is filled before each call. Returns -1 with an exception. */
static int keep_array(python_problem *p, int i, PyObject *array) {
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return -1;
  int fits = view.len == p->size * (Py_ssize_t)sizeof(double);
  p->buffer[i] = view.buf; /* stays valid, since the array is kept and never resized */
  p->array[i] = Py_NewRef(array);
  PyBuffer_Release(&view);
  if (!fits) PyErr_SetString(PyExc_ValueError, "an array has the wrong size");
  return fits ? 0 : -1;
}

/* Makes the state of a residual form from the basis and the guess. */
static int read_residual(python_problem *p, PyObject *basis, PyObject *guess, int coordinates) {
  Py_buffer matrix, values;
  if (PyObject_GetBuffer(basis, &matrix, PyBUF_C_CONTIGUOUS) < 0) return -1;
  if (PyObject_GetBuffer(guess, &values, PyBUF_C_CONTIGUOUS) < 0) {
    PyBuffer_Release(&matrix);
    return -1;
  }
  Py_ssize_t n = p->size, number = sizeof(double);
  int fits = matrix.len == n * n * number && values.len == n * number && coordinates <= n;
  if (!fits) PyErr_SetString(PyExc_ValueError, "the basis has the wrong size");
  else p->residual = python_residual_new(p->size, coordinates, matrix.buf, values.buf);
  if (fits && !p->residual) PyErr_NoMemory();
  PyBuffer_Release(&matrix);
  PyBuffer_Release(&values);
  return p->residual ? 0 : -1;
}

/* Sets the members of a new problem from the arguments. Returns -1 with an exception. */
static int read_arguments(python_problem *p, PyObject *args, PyObject *keywords) {
  static char *names[] = {"size", "rows",  "arrays", "convert",     "args", "formula",
                          "f",    "basis", "guess",  "coordinates", "jac",  NULL};
  PyObject *arrays, *convert, *further, *formula, *f = Py_None, *basis = Py_None, *guess = Py_None,
                                                  *jac = Py_None;
  int coordinates = -1;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "iiO!OO!O|OOOiO", names, &p->size, &p->rows,
                                   &PyTuple_Type, &arrays, &convert, &PyTuple_Type, &further,
                                   &formula, &f, &basis, &guess, &coordinates, &jac))
    return -1;
  p->convert = Py_NewRef(convert);
  p->args = Py_NewRef(further);
  p->copy = PyUnicode_FromString("copy");
  p->formula = Py_NewRef(formula);
  if (f != Py_None) p->f = Py_NewRef(f);
  if (jac != Py_None) p->jac = Py_NewRef(jac);
  for (int i = 0; i < 2 && i < PyTuple_Size(arrays); i++)
    if (keep_array(p, i, PyTuple_GetItem(arrays, i)) < 0) return -1;
  p->coordinates = 1 + (basis == Py_None ? p->size : coordinates);
  if (basis != Py_None && read_residual(p, basis, guess, coordinates) < 0) return -1;
  return p->copy ? 0 : -1;
}

/* Makes the problem of the library, with the columns y1, y2, ... */
static ritt_status define_problem(python_problem *p, ritt_error *error) {
  enum { LENGTH = 16 };
  const char **name = calloc((size_t)p->size + 1, sizeof *name);
  char *text = calloc((size_t)p->size + 1, LENGTH);
  ritt_status status = name && text ? RITT_OK : RITT_NO_MEMORY;
  for (int i = 0; i < p->size && status == RITT_OK; i++) {
    name[i] = text + i * LENGTH;
    snprintf(text + i * LENGTH, LENGTH, "y%d", i + 1);
  }
  if (status == RITT_OK) {
    ritt_definition d = {.kind = RITT_EXPLICIT,
                         .unknowns = p->coordinates - 1,
                         .rows = p->rows,
                         .outputs = p->size,
                         .user_data = p,
                         .f = p->f ? call_f : NULL,
                         .formula = call_formula,
                         .output = call_output,
                         .independent = "t",
                         .names = p->residual ? NULL : name,
                         .output_names = name};
    status = ritt_problem_new(&d, error, &p->at);
  }
  free(name);
  free(text);
  return status;
}

static PyObject *make_problem(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  python_problem *p = (python_problem *)PyType_GenericAlloc(type, 0);
  if (!p) return NULL;
  if (read_arguments(p, args, keywords) < 0) {
    Py_DECREF((PyObject *)p);
    return NULL;
  }
  ritt_error *error = ritt_error_new();
  ritt_status status = error ? define_problem(p, error) : RITT_NO_MEMORY;
  if (status != RITT_OK) {
    python_raise(status, error);
    Py_CLEAR(p);
  }
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
    Py_BEGIN_ALLOW_THREADS;
    status = ritt_problem_project(p->at, fixed.buf, z.buf, error);
    Py_END_ALLOW_THREADS;
    if (python_problem_raise(p) == 0) {
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
