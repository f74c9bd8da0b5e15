/* Solvers as Python objects: one run of a model or a problem. Runs go without the interpreter's
 * lock. */
#include <math.h>
#include <time.h>
#include "module.h"

PyTypeObject *python_solver_type;

typedef struct run run;
typedef struct solver {
  PyObject_HEAD ritt_solver *at;
  run *run;                  /* while it runs */
  PyObject *owner;           /* the model or problem, which must outlive the solver */
  python_problem *functions; /* the problem, if its functions are Python's; else NULL */
  python_block *events;      /* points of events: number of the name, before, after */
  const char **name;         /* names of events, in the order of their first points */
  int names;
  PyObject *monitor; /* called after every step; NULL: none */
  Py_buffer places;  /* where rows are requested */
  Py_ssize_t coordinates;
} solver;

/* What a run fills. */
struct run {
  solver *s;
  python_block *rows, *knots; /* knots: the run's variable and the coordinates after each step */
  ritt_error *error;
  double checked; /* when signals were last checked */
  int interrupted;
  int ended;                      /* the monitor has ended the run */
  PyObject *type, *value, *trace; /* the exception that the monitor raised */
};

/* ---- callbacks; they do not hold the lock ---- */

/* Keeps the point of an event: the number of its name, the columns before and after (NaN: no
 * jump). */
static ritt_status take_event(void *user, const ritt_event *e) {
  solver *s = user;

  /* the number of its name */
  int i = 0;
  while (i < s->names && strcmp(s->name[i], e->name)) i++;
  if (i == s->names) {
    const char **more = realloc(s->name, ((size_t)i + 1) * sizeof *more);
    if (!more) return RITT_NO_MEMORY;
    s->name = more;
    s->name[s->names++] = e->name;
  }

  /* its row */
  if (s->events->shape[1] == 0) python_block_set_columns(s->events, 1 + 2 * (Py_ssize_t)e->count);
  double *row = python_block_row(s->events);
  if (!row) return RITT_NO_MEMORY;
  row[0] = i;
  for (size_t k = 0; k < e->count; k++) {
    row[1 + k] = e->before[k];
    row[1 + e->count + k] = e->after ? e->after[k] : NAN;
  }
  return RITT_OK;
}

static ritt_status take_row(void *user, const double *values, size_t count) {
  run *r = user;
  double *row = python_block_row(r->rows);
  if (!row) return RITT_NO_MEMORY;
  memcpy(row, values, count * sizeof *row);
  return RITT_OK;
}

/* Keeps the current point, except after a recompletion: its coordinates may be others. */
static ritt_status add_knot(run *r, const ritt_statistics *statistics) {
  ritt_point p;
  if (statistics->recompletions > 0) return RITT_OK;
  ritt_status status = ritt_solver_point(r->s->at, &p, r->error);
  if (status != RITT_OK) return status;
  double *row = python_block_row(r->knots);
  if (!row) return RITT_NO_MEMORY;
  row[0] = p.s;
  memcpy(row + 1, p.z, (size_t)(r->knots->shape[1] - 1) * sizeof *row);
  return RITT_OK;
}

/* Was the run interrupted by Ctrl-C? Checks ten times a second. */
static int is_interrupted(run *r) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  double now = (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
  if (now - r->checked < 0.1) return 0;
  r->checked = now;
  PyGILState_STATE lock = PyGILState_Ensure();
  r->interrupted = PyErr_CheckSignals() < 0;
  PyGILState_Release(lock);
  return r->interrupted;
}

/* Calls the monitor with the beginning and the end of the step. It returns true to end the run. */
static ritt_status call_monitor(solver *s, run *r, double now) {
  PyGILState_STATE lock = PyGILState_Ensure();
  PyObject *answer = PyObject_CallFunction(s->monitor, "dd", ritt_solver_before(s->at), now);
  r->ended = answer ? PyObject_IsTrue(answer) : -1;
  if (r->ended < 0) PyErr_Fetch(&r->type, &r->value, &r->trace);
  Py_XDECREF(answer);
  PyGILState_Release(lock);
  return r->ended ? RITT_STOPPED : RITT_OK;
}

/* Keeps a knot after every step. While a run over x passes a fold by arc length there are none. */
static ritt_status watch_step(void *user, const ritt_progress *progress) {
  solver *s = user;
  run *r = s->run;
  ritt_statistics statistics;
  if (!r) return RITT_OK; /* native code is being compiled before the run */
  if (is_interrupted(r)) return RITT_STOPPED;
  ritt_solver_statistics(s->at, &statistics);
  ritt_status status = RITT_OK;
  if (statistics.x == progress->x) status = add_knot(r, &statistics);
  if (status == RITT_OK && s->functions && s->functions->residual) {
    ritt_point point;
    status = ritt_solver_point(s->at, &point, r->error);
    if (status == RITT_OK) status = python_residual_check(s->functions, point.z[0], point.z + 1);
  }
  if (status == RITT_OK && s->monitor) status = call_monitor(s, r, progress->x);
  return status;
}

/* ---- the object ---- */

ritt_status python_set_options(ritt_options *options, PyObject *list, ritt_error *error) {
  if (!PyList_Check(list)) {
    PyErr_SetString(PyExc_TypeError, "options must be a list of pairs of strings");
    return RITT_WRONG_CALL;
  }
  for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
    const char *name, *value;
    if (!PyArg_ParseTuple(PyList_GetItem(list, i), "ss", &name, &value)) return RITT_WRONG_CALL;
    ritt_status status = ritt_options_set(options, name, value, error);
    if (status != RITT_OK) return status;
  }
  return RITT_OK;
}

/* What a new solver is made of. */
typedef struct request {
  PyObject *owner, *options, *places;
  double to, s; /* NaN: not given */
  Py_buffer z;  /* z.buf NULL: the start point of the model */
} request;

/* Fills the options. They refer to the solver. */
static ritt_status fill_options(solver *s, const request *r, ritt_options *options,
                                ritt_error *error) {
  static const double nowhere;
  *options = ritt_options_default();
  options->event = take_event;
  options->event_user = s;
  options->watch = watch_step;
  options->watch_user = s;
  ritt_status status = python_set_options(options, r->options, error);
  if (status != RITT_OK) return status;
  if (!isnan(r->to)) options->to = r->to;

  /* where rows are requested */
  if (r->places == Py_None) return RITT_OK;
  if (PyObject_GetBuffer(r->places, &s->places, PyBUF_C_CONTIGUOUS) < 0) return RITT_WRONG_CALL;
  options->at = s->places.len ? s->places.buf : &nowhere;
  options->at_count = (size_t)s->places.len / sizeof(double);
  return RITT_OK;
}

/* Makes the solver of the library. */
static ritt_status start_solver(solver *s, const request *r, ritt_error *error) {
  ritt_options options;
  const ritt_problem *problem;
  ritt_model *model = NULL;
  ritt_status status = fill_options(s, r, &options, error);
  if (status != RITT_OK) return status;

  /* the number of coordinates */
  if (Py_TYPE(r->owner) == python_problem_type) {
    s->functions = (python_problem *)r->owner;
    problem = s->functions->at;
  } else {
    model = ((python_model *)r->owner)->at;
    PYTHON_BUSY(status, ritt_model_problem(model, error, &problem));
    if (status != RITT_OK) return status;
  }
  s->coordinates = (Py_ssize_t)ritt_problem_shape(problem)->coordinates;
  Py_ssize_t given = r->z.len / (Py_ssize_t)sizeof(double);
  if ((r->z.buf || !model) && given != s->coordinates) {
    PyErr_Format(PyExc_ValueError, "the point has %zd coordinates, not %zd", given, s->coordinates);
    return RITT_WRONG_CALL;
  }

  if (!model) {
    Py_BEGIN_ALLOW_THREADS;
    status = ritt_solver_from_problem(problem, r->z.buf, &options, error, &s->at);
    Py_END_ALLOW_THREADS;
  } else if (!r->z.buf) PYTHON_BUSY(status, ritt_solver_from_model(model, &options, error, &s->at));
  else
    PYTHON_BUSY(status, ritt_solver_from_model_at(model, r->s, r->z.buf, &options, error, &s->at));
  return status;
}

static PyObject *make_solver(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static char *names[] = {"owner", "options", "places", "to", "s", "z", NULL};
  request r = {.places = Py_None, .to = NAN, .s = NAN};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|Oddy*", names, &r.owner, &r.options,
                                   &r.places, &r.to, &r.s, &r.z))
    return NULL;
  if (Py_TYPE(r.owner) != python_problem_type && Py_TYPE(r.owner) != python_model_type) {
    PyBuffer_Release(&r.z);
    PyErr_SetString(PyExc_TypeError, "a solver needs a model or a problem");
    return NULL;
  }
  ritt_error *error = ritt_error_new();
  solver *s = (solver *)PyType_GenericAlloc(type, 0);
  if (!error || !s || !(s->events = python_block_new(0))) {
    ritt_error_free(error);
    Py_XDECREF((PyObject *)s);
    PyBuffer_Release(&r.z);
    return PyErr_NoMemory();
  }
  s->owner = Py_NewRef(r.owner);
  ritt_status status = start_solver(s, &r, error);
  PyBuffer_Release(&r.z);
  if (python_problem_raise(s->functions) < 0) Py_CLEAR(s);
  else if (status != RITT_OK) {
    python_raise(status, error);
    Py_CLEAR(s);
  }
  ritt_error_free(error);
  return (PyObject *)s;
}

static void free_solver(PyObject *self) {
  solver *s = (solver *)self;
  ritt_solver_free(s->at);
  Py_XDECREF(s->owner);
  Py_XDECREF((PyObject *)s->events);
  Py_XDECREF(s->monitor);
  if (s->places.obj) PyBuffer_Release(&s->places);
  free(s->name);
  python_release(self);
}

/* run(): (rows, knots, status, messages) */
static PyObject *run_solver(PyObject *self, PyObject *none) {
  solver *s = (solver *)self;
  const char *const *names;
  size_t columns;
  ritt_statistics statistics;
  (void)none;
  ritt_solver_columns(s->at, &names, &columns);
  ritt_solver_statistics(s->at, &statistics);
  run r = {.s = s, .error = ritt_error_new()};
  r.rows = python_block_new((Py_ssize_t)columns);
  r.knots = python_block_new(1 + s->coordinates);
  PyObject *result = NULL;
  if (!r.rows || !r.knots || !r.error) PyErr_NoMemory();
  else {
    ritt_status status;
    s->run = &r;
    Py_BEGIN_ALLOW_THREADS;
    status = add_knot(&r, &statistics);
    if (status == RITT_OK) status = ritt_solver_run(s->at, take_row, &r, r.error);
    Py_END_ALLOW_THREADS;
    s->run = NULL;
    Py_CLEAR(s->monitor); /* it may hold this solver */
    if (r.type) PyErr_Restore(r.type, r.value, r.trace);
    if (!r.type && python_problem_raise(s->functions) == 0 && !r.interrupted) {
      if (status == RITT_OK || status == RITT_STOPPED)
        result = Py_BuildValue("OOiN", r.rows, r.knots, (int)status, python_messages(r.error));
      else python_raise(status, r.error);
    }
  }
  Py_XDECREF((PyObject *)r.rows);
  Py_XDECREF((PyObject *)r.knots);
  ritt_error_free(r.error);
  return result;
}

static PyObject *set_monitor(PyObject *self, PyObject *monitor) {
  ((solver *)self)->monitor = Py_NewRef(monitor);
  Py_RETURN_NONE;
}

/* values(s, out): the row at s in the last step, into an array of doubles */
static PyObject *get_values(PyObject *self, PyObject *args) {
  solver *s = (solver *)self;
  const char *const *names;
  size_t columns;
  double at;
  Py_buffer out;
  if (!PyArg_ParseTuple(args, "dw*", &at, &out)) return NULL;
  ritt_solver_columns(s->at, &names, &columns);
  ritt_error *error = ritt_error_new();
  ritt_status status = error ? RITT_OK : RITT_NO_MEMORY;
  if (out.len != (Py_ssize_t)(columns * sizeof(double))) {
    PyErr_SetString(PyExc_ValueError, "the array has the wrong size");
    status = RITT_WRONG_CALL;
  }
  if (status == RITT_OK) {
    Py_BEGIN_ALLOW_THREADS;
    status = ritt_solver_values(s->at, at, out.buf, error);
    Py_END_ALLOW_THREADS;
  }
  PyBuffer_Release(&out);
  if (python_problem_raise(s->functions) < 0) {
    ritt_error_free(error);
    return NULL;
  }
  return python_finish(status, error);
}

/* Moves towards end by one step, or to it; (t, None), or (t, message) if the run cannot continue. */
static PyObject *move_solver(PyObject *self, PyObject *args,
                             ritt_status (*move)(ritt_solver *, double, ritt_error *)) {
  solver *s = (solver *)self;
  double end;
  if (!PyArg_ParseTuple(args, "d", &end)) return NULL;
  run r = {.s = s, .error = ritt_error_new()};
  r.knots = python_block_new(1 + s->coordinates);
  if (!r.error || !r.knots) {
    ritt_error_free(r.error);
    Py_XDECREF((PyObject *)r.knots);
    return PyErr_NoMemory();
  }
  ritt_status status;
  ritt_point point = {.s = NAN};
  s->run = &r;
  Py_BEGIN_ALLOW_THREADS;
  status = move(s->at, end, r.error);
  s->run = NULL;
  if (status == RITT_OK || status == RITT_STOPPED) {
    ritt_status found = ritt_solver_point(s->at, &point, r.error);
    if (found != RITT_OK) status = found;
  }
  Py_END_ALLOW_THREADS;
  PyObject *result = NULL;
  if (python_problem_raise(s->functions) == 0 && !r.interrupted) {
    const char *text = NULL;
    if (status == RITT_STOPPED)
      text = ritt_error_count(r.error) ? ritt_error_get(r.error, 0)->text : "stopped";
    if (status == RITT_OK || status == RITT_STOPPED)
      result = Py_BuildValue("dN", point.s, python_text(text));
    else python_raise(status, r.error);
  }
  Py_XDECREF((PyObject *)r.knots);
  ritt_error_free(r.error);
  return result;
}

static PyObject *take_step(PyObject *self, PyObject *args) {
  return move_solver(self, args, ritt_solver_step);
}

static PyObject *run_to(PyObject *self, PyObject *args) {
  return move_solver(self, args, ritt_solver_run_to);
}

/* input(name, values): sets an input and its derivatives from the current point on */
static PyObject *set_input(PyObject *self, PyObject *args) {
  solver *s = (solver *)self;
  const char *name;
  PyObject *given;
  double values[4];
  if (!PyArg_ParseTuple(args, "sO!", &name, &PyTuple_Type, &given)) return NULL;
  Py_ssize_t count = PyTuple_Size(given);
  if (count > 4) count = 4; /* the library refuses more than 3 */
  for (Py_ssize_t i = 0; i < count; i++) values[i] = PyFloat_AsDouble(PyTuple_GetItem(given, i));
  if (PyErr_Occurred()) return NULL;
  ritt_error *error = ritt_error_new();
  ritt_status status = error ? RITT_OK : RITT_NO_MEMORY;
  if (status == RITT_OK) status = ritt_solver_input(s->at, name, values, (size_t)count, error);
  return python_finish(status, error);
}

/* value(name): a column or a coordinate at the current point */
static PyObject *get_value(PyObject *self, PyObject *args) {
  solver *s = (solver *)self;
  const char *name;
  double value = NAN;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  ritt_error *error = ritt_error_new();
  ritt_status status = error ? RITT_OK : RITT_NO_MEMORY;
  if (status == RITT_OK) status = ritt_solver_value(s->at, name, &value, error);
  PyObject *finished = python_finish(status, error);
  if (!finished) return NULL;
  Py_DECREF(finished);
  return PyFloat_FromDouble(value);
}

static PyObject *get_columns(PyObject *self, PyObject *none) {
  (void)none;
  const char *const *names;
  size_t columns;
  ritt_solver_columns(((solver *)self)->at, &names, &columns);
  return python_texts(names, columns);
}

static PyObject *get_events(PyObject *self, PyObject *none) {
  solver *s = (solver *)self;
  (void)none;
  return Py_BuildValue("NO", python_texts(s->name, (size_t)s->names), s->events);
}

PyObject *python_statistics(const ritt_statistics *statistics) {
  PyObject *all = PyDict_New();
  ritt_statistic row;
  for (size_t i = 0; all && ritt_statistic_get(i, &row); i++) {
    const void *at = (const char *)statistics + row.offset;
    PyObject *value = NULL;
    switch (row.type) {
    case RITT_STATISTIC_TEXT: value = python_text(*(const char *const *)at); break;
    case RITT_STATISTIC_FLAG: value = PyBool_FromLong(*(const int *)at); break;
    case RITT_STATISTIC_COUNT: value = PyLong_FromLong(*(const long *)at); break;
    case RITT_STATISTIC_REAL: value = PyFloat_FromDouble(*(const double *)at); break;
    }
    if (!value || PyDict_SetItemString(all, row.name, value) < 0) Py_CLEAR(all);
    Py_XDECREF(value);
  }
  return all;
}

static PyObject *get_statistics(PyObject *self, PyObject *none) {
  (void)none;
  ritt_statistics s;
  ritt_solver_statistics(((solver *)self)->at, &s);
  return python_statistics(&s);
}

PyTypeObject *python_make_solver_type(void) {
  static PyMethodDef methods[] = {
      {"run", run_solver, METH_NOARGS, "run(): (rows, knots, status, messages)"},
      {"step", take_step, METH_VARARGS, "step(end): (t, message or None)"},
      {"run_to", run_to, METH_VARARGS, "run_to(end): (t, message or None)"},
      {"input", set_input, METH_VARARGS, "input(name, values): sets an input of the model"},
      {"value", get_value, METH_VARARGS, "value(name): a column or coordinate here"},
      {"monitor", set_monitor, METH_O, "monitor(function): function(before, now) after each step"},
      {"values", get_values, METH_VARARGS, "values(s, out): the row at s in the last step"},
      {"columns", get_columns, METH_NOARGS, "columns(): names"},
      {"events", get_events, METH_NOARGS, "events(): (names, points)"},
      {"statistics", get_statistics, METH_NOARGS, "statistics(): a dictionary"},
      {0}};
  static PyType_Slot slots[] = {{Py_tp_new, (void *)make_solver},
                                {Py_tp_dealloc, (void *)free_solver},
                                {Py_tp_methods, methods},
                                {0}};
  static PyType_Spec spec = {"ritt._ritt.Solver", sizeof(solver), 0, Py_TPFLAGS_DEFAULT, slots};
  return python_solver_type = (PyTypeObject *)PyType_FromSpec(&spec);
}
