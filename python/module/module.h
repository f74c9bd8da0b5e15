/* Shared by the files of the extension module.
 *
 * The module is built with the stable interface of CPython 3.11, so that one file serves this and
 * every later version; for CPython 3.9 and 3.10 it is built with their own interface.
 */
#ifndef RITT_PYTHON_MODULE_H
#define RITT_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "ritt.h"

/* ---- errors (errors.c) ---- */

extern PyObject *python_error_class; /* ritt.Error */
extern PyObject *python_retry_class; /* ritt.Retry */

/* A text as str; NULL gives None. */
PyObject *python_text(const char *text);
/* A list of str. */
PyObject *python_texts(const char *const *texts, size_t count);
/* The messages of an error as a list of dictionaries. */
PyObject *python_messages(const ritt_error *error);
/* Raises ritt.Error with the messages, unless an exception is set already. Returns NULL. */
PyObject *python_raise(ritt_status status, const ritt_error *error);
/* status = call, which may take long before a run: other threads go on, and Ctrl-C ends the call. An
 * exception is set then, and the status is not RITT_OK. The call must not call back into Python. */
#define PYTHON_BUSY(status, call)                                                                  \
  do {                                                                                             \
    PyThreadState *busy = NULL;                                                                    \
    python_busy_begin(&busy);                                                                      \
    status = (call);                                                                               \
    status = python_busy_end(&busy, status);                                                       \
  } while (0)
void python_busy_begin(PyThreadState **state);
ritt_status python_busy_end(PyThreadState **state, ritt_status status);
/* None, or NULL with an exception if the status is not RITT_OK. Frees the error. */
PyObject *python_finish(ritt_status status, ritt_error *error);
/* Sets the exception classes: connect(error, retry). */
PyObject *python_connect(PyObject *self, PyObject *args);

/* ---- objects ---- */

/* Frees the memory of an object, at the end of its tp_dealloc. */
void python_release(PyObject *self);

/* Rows of doubles that NumPy uses without a copy (block.c). */
typedef struct python_block {
  PyObject_HEAD double *at;
  Py_ssize_t shape[2], strides[2], room;
} python_block;
python_block *python_block_new(Py_ssize_t columns);
/* Sets the number of columns of an empty block. */
void python_block_set_columns(python_block *block, Py_ssize_t columns);
/* Room for one more row; needs no lock. Returns NULL if there is no memory. */
double *python_block_row(python_block *block);

/* A model (model.c). */
typedef struct python_model {
  PyObject_HEAD ritt_model *at;
} python_model;

/* The state of a problem in residual form (residual.c). */
typedef struct python_residual python_residual;

/* A problem whose functions are Python's (problem.c). A function receives t, y, and y' in residual
 * form, each time as new arrays, then the further arguments `args`. */
typedef struct python_problem {
  PyObject_HEAD ritt_problem *at;
  PyObject *f, *formula;     /* constraints or NULL; y' or the residuals */
  PyObject *jac;             /* dF/dy and dF/dy' of the residuals in one array; NULL: unknown */
  PyObject *args;            /* tuple of further arguments */
  PyObject *array[2];        /* NumPy arrays that are filled and copied: y, y' */
  PyObject *convert;         /* convert(value, count): an array of doubles from any value */
  PyObject *copy;            /* the name of the arrays' method "copy" */
  double *buffer[2];         /* memory of the arrays */
  int size;                  /* length of y */
  int rows, coordinates;     /* constraints; coordinates with t */
  python_residual *residual; /* NULL: y' = fun(t, y) */
  PyObject *type, *value, *trace; /* the exception that a function raised */
} python_problem;
/* Calls function(t, y, *args), or function(t, y, yp, *args) if yp is not NULL, and copies its
 * `count` values. */
ritt_status python_problem_call(python_problem *problem, PyObject *function, double t,
                                const double *y, const double *yp, double *out,
                                Py_ssize_t count) RITT_USE;
/* Keeps a ValueError with a message about t, to be raised when the run has ended. */
ritt_status python_problem_fail(python_problem *problem, const char *format, double t) RITT_USE;
/* Raises the exception that a function has raised, if there is one, and returns -1; else 0. The
 * problem may be NULL. */
int python_problem_raise(python_problem *problem);

/* basis: n x n; guess: x' and w. Returns NULL if there is no memory. */
python_residual *python_residual_new(int n, int r, const double *basis, const double *guess);
void python_residual_free(python_residual *residual);
/* Finds x' and w at (t, x). */
ritt_status python_residual_solve(python_problem *problem, double t, const double *x) RITT_USE;
/* Refuses if F has come to depend on y' in a direction of N. */
ritt_status python_residual_check(python_problem *problem, double t, const double *x) RITT_USE;
/* The derivative x' and the point y that were found last. */
const double *python_residual_derivative(const python_residual *residual);
const double *python_residual_point(const python_residual *residual);

extern PyTypeObject *python_block_type, *python_model_type, *python_problem_type,
    *python_solver_type;
PyTypeObject *python_make_block_type(void);
PyTypeObject *python_make_model_type(void);
PyTypeObject *python_make_problem_type(void);
PyTypeObject *python_make_solver_type(void);

PyTypeObject *python_make_sweep_type(void);
/* A method of models: linearize(at, steady, inputs, moving, hold, options) (derive.c) */
PyObject *python_linearize(PyObject *self, PyObject *args);
/* fit(columns, data, vary, begin and bounds, weights, loss, scale, starts, seed, confidence,
 * max_iterations, options) */
PyObject *python_adjoint(PyObject *self, PyObject *args);
PyObject *python_pull(PyObject *self, PyObject *args);
PyObject *python_fit(PyObject *self, PyObject *args);
/* orbit(period, fixed_period, segments, max_iterations, states, hold, options) */
PyObject *python_orbit(PyObject *self, PyObject *args);
/* A method of models: view(path, options, summary): a page, or the animation that the ending of the
 * path names, as bytes (view.c) */
PyObject *python_view(PyObject *self, PyObject *args);
PyObject *python_ensemble(PyObject *self, PyObject *args);
/* dlpack(array, device): a copy of an array of doubles on a GPU, as a capsule (device.c) */
PyObject *python_dlpack(PyObject *self, PyObject *args);

/* Sets options from a list of pairs of texts. */
ritt_status python_set_options(ritt_options *options, PyObject *list, ritt_error *error) RITT_USE;
/* Statistics as a dictionary. */
PyObject *python_statistics(const ritt_statistics *statistics);

/* ---- for CPython 3.9 ---- */

#if PY_VERSION_HEX < 0x030a0000
#define Py_NewRef(object)     python_new_ref((PyObject *)(object))
#define PyModule_AddObjectRef python_add_object
static inline PyObject *python_new_ref(PyObject *object) {
  Py_INCREF(object);
  return object;
}
static inline int python_add_object(PyObject *module, const char *name, PyObject *value) {
  Py_INCREF(value);
  if (PyModule_AddObject(module, name, value) == 0) return 0;
  Py_DECREF(value);
  return -1;
}
#endif

#endif
