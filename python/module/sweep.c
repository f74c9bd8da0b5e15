/* Sweeps: many runs of one model, with the results in memory.
 *
 * The threads are Python's. Each calls work() with models of its own, takes the numbers of runs from
 * a counter, and runs without the interpreter's lock. The runs of a thread, one for each of its
 * models, take their steps together, on a GPU if the sweep has one. A run depends only on its values, so results do not depend on the threads.
 */
#include <math.h>
#include <stdatomic.h>
#include "base/base.h"
#include "module.h"
#include "sweep/ensemble.h"

enum { UNFINISHED = -1 };

typedef struct sweep {
  PyObject_HEAD ritt_batch *batch;
  long runs;
  Py_ssize_t varied;  /* values of a run */
  char **name;        /* what varies */
  char *start;        /* for each: 0 a parameter, 1 a start value, 2 a guess */
  Py_buffer values;   /* runs x varied */
  PyObject *options;  /* list of pairs of texts */
  Py_buffer places;   /* where rows are requested; places.obj NULL: only the final point */
  Py_ssize_t columns; /* of the table */
  Py_ssize_t rows;    /* of each run */
  double *row, *last; /* runs x rows x columns, runs x columns; NaN: there is none */
  double *statistic;  /* runs x statistics */
  Py_ssize_t statistics;
  int *status;             /* of each run; UNFINISHED: it is not over */
  char **message, **ended; /* of each run; NULL: none */
  atomic_long next, done;
  atomic_int stop;
} sweep;

/* One of the runs that a thread works on. */
typedef struct member {
  sweep *sweep;
  ritt_model *model;
  ritt_solver *solver;
  ritt_error *error;
  long run, rows; /* run -1: this place is free */
} member;

/* ---- callbacks ---- */

static ritt_status take_row(void *user, const double *values, size_t count) {
  member *m = user;
  const sweep *s = m->sweep;
  (void)count;
  if (!s->row || m->rows >= s->rows) return RITT_OK;
  double *row = s->row + (m->run * s->rows + m->rows++) * s->columns;
  memcpy(row, values, (size_t)s->columns * sizeof *row);
  return RITT_OK;
}

static ritt_status watch_step(void *user, const ritt_progress *progress) {
  const member *m = user;
  (void)progress;
  return atomic_load(&m->sweep->stop) ? RITT_STOPPED : RITT_OK;
}

/* ---- one run ---- */

/* Gives the model the values of the run. */
static ritt_status set_values(member *m) {
  const sweep *s = m->sweep;
  const double *value = (const double *)s->values.buf + m->run * s->varied;
  const char *name[64], *text[64];
  char number[64][32];

  /* all parameters at once, since each change reads the model again */
  size_t count = 0;
  for (Py_ssize_t i = 0; i < s->varied; i++) {
    if (s->start[i]) continue;
    name[count] = s->name[i];
    text[count] = ritti_shortest(value[i], number[count]);
    count++;
    bool full = count == sizeof name / sizeof *name;
    if (full) RITT_TRY(ritt_model_set_all(m->model, name, text, count, m->error));
    if (full) count = 0;
  }
  if (count) RITT_TRY(ritt_model_set_all(m->model, name, text, count, m->error));

  /* the start values */
  for (Py_ssize_t i = 0; i < s->varied; i++)
    if (s->start[i])
      RITT_TRY(ritt_model_start_value(m->model, s->name[i], value[i], s->start[i] == 1, m->error));
  return RITT_OK;
}

/* Prepares a run up to its solver. The options are a copy. */
static ritt_status start_run(member *m, ritt_options options) {
  const sweep *s = m->sweep;
  static const double nowhere;
  RITT_TRY(set_values(m));
  options.watch = watch_step;
  options.watch_user = m;
  if (s->row) {
    options.at = s->rows ? s->places.buf : &nowhere;
    options.at_count = (size_t)s->rows;
  } else {
    options.points = 2; /* as few rows as possible */
    options.row_step = 0;
    options.every = 0;
  }
  RITT_TRY(ritt_solver_from_model(m->model, &options, m->error, &m->solver));

  /* the columns are those of the first run */
  const char *const *names;
  size_t columns;
  ritt_solver_columns(m->solver, &names, &columns);
  if ((Py_ssize_t)columns < s->columns)
    return ritti_fail(m->error, RITT_WRONG_CALL, NULL, NULL,
                      "this run has %zu columns and the model has %zd", columns, s->columns);
  return RITT_OK;
}

static char *copy_text(const char *text) {
  char *copy = text ? malloc(strlen(text) + 1) : NULL;
  if (copy) strcpy(copy, text);
  return copy;
}

/* Keeps the final point and the statistics of a solver. */
static void keep_solver(member *m) {
  const sweep *s = m->sweep;
  ritt_statistics statistics;
  ritt_statistic about;
  ritt_point point;
  const char *const *names;
  size_t columns;
  ritt_solver_columns(m->solver, &names, &columns);
  double *all = malloc(columns * sizeof *all);
  if (all && ritt_solver_point(m->solver, &point, NULL) == RITT_OK &&
      ritt_solver_values(m->solver, point.s, all, NULL) == RITT_OK)
    memcpy(s->last + m->run * s->columns, all, (size_t)s->columns * sizeof *all);
  free(all);

  ritt_solver_statistics(m->solver, &statistics);
  double *out = s->statistic + m->run * s->statistics;
  for (size_t i = 0; ritt_statistic_get(i, &about); i++) {
    const void *at = (const char *)&statistics + about.offset;
    switch (about.type) {
    case RITT_STATISTIC_TEXT: break;
    case RITT_STATISTIC_FLAG: *out++ = *(const int *)at; break;
    case RITT_STATISTIC_COUNT: *out++ = (double)*(const long *)at; break;
    case RITT_STATISTIC_REAL: *out++ = *(const double *)at; break;
    }
  }
  s->ended[m->run] = copy_text(statistics.ended_by);
}

static void end_run(member *m, ritt_status status) {
  sweep *s = m->sweep;
  bool stopped = status != RITT_OK && atomic_load(&s->stop);
  if (!stopped) s->status[m->run] = (int)status;
  if (status != RITT_OK && !stopped) {
    const char *text = ritt_status_text(status);
    if (ritt_error_count(m->error)) text = ritt_error_get(m->error, 0)->text;
    s->message[m->run] = copy_text(text);
  }
  if (m->solver && !stopped) keep_solver(m);
  ritt_solver_free(m->solver);
  m->solver = NULL;
  ritt_error_clear(m->error);
  m->run = -1;
  atomic_fetch_add(&s->done, 1);
}

/* Takes the next run that can start. Returns 0 if there is none. */
static int take_run(member *m, const ritt_options *options) {
  sweep *s = m->sweep;
  while (!atomic_load(&s->stop)) {
    long run = atomic_fetch_add(&s->next, 1);
    if (run >= s->runs) return 0;
    m->run = run;
    m->rows = 0;
    ritt_status status = start_run(m, *options);
    if (status == RITT_OK) return 1;
    end_run(m, status);
  }
  return 0;
}

/* Runs until no run is left. There is more than one run at a time only if the first one waits for a
 * step in a batch: each of the models must be completed. */
static void work(member *members, ritt_solver **waiting, int count, const ritt_options *options) {
  int active = 0, open = count > 0;
  bool left = count > 0;
  while (active || left) {
    int waits = 0;
    for (int i = 0; i < open; i++) {
      member *m = &members[i];
      waiting[i] = NULL;
      if (m->run < 0 && left) {
        left = take_run(m, options);
        active += left;
      }
      if (m->run < 0) continue;
      int finished = 1;
      ritt_status status = ritt_batch_run(m->solver, take_row, m, &finished, m->error);
      if (!finished && status == RITT_OK) {
        waiting[i] = m->solver;
        waits++;
        continue;
      }
      end_run(m, status);
      active--;
    }
    if (waits == open && open < count) open++;
    else if (waits) ritt_batch_step(waiting, open);
  }
}

/* ---- the object ---- */

static void free_sweep(PyObject *self) {
  sweep *s = (sweep *)self;
  for (Py_ssize_t i = 0; s->name && i < s->varied; i++) free(s->name[i]);
  for (long i = 0; s->message && i < s->runs; i++) free(s->message[i]);
  for (long i = 0; s->ended && i < s->runs; i++) free(s->ended[i]);
  free(s->name);
  free(s->start);
  free(s->row);
  free(s->last);
  free(s->statistic);
  free(s->status);
  free(s->message);
  free(s->ended);
  ritt_batch_free(s->batch);
  if (s->values.obj) PyBuffer_Release(&s->values);
  if (s->places.obj) PyBuffer_Release(&s->places);
  Py_XDECREF(s->options);
  python_release(self);
}

/* Memory for doubles, all NaN. */
static double *new_doubles(size_t count) {
  double *out = malloc((count + 1) * sizeof *out);
  for (size_t i = 0; out && i < count; i++) out[i] = NAN;
  return out;
}

/* Copies what varies: a list of pairs (name, 0, 1 or 2). */
static int read_names(sweep *s, PyObject *list) {
  s->varied = PyList_Size(list);
  s->name = calloc((size_t)s->varied + 1, sizeof *s->name);
  s->start = calloc((size_t)s->varied + 1, 1);
  if (!s->name || !s->start) return -1;
  for (Py_ssize_t i = 0; i < s->varied; i++) {
    const char *name;
    int start;
    if (!PyArg_ParseTuple(PyList_GetItem(list, i), "si", &name, &start)) return -1;
    s->name[i] = copy_text(name);
    s->start[i] = (char)start;
    if (!s->name[i]) return -1;
  }
  return 0;
}

static PyObject *make_sweep(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static char *names[] = {"runs",   "names",  "values", "options", "columns",
                          "places", "device", "fast",   NULL};
  PyObject *list, *options, *values, *places;
  const char *device;
  int fast;
  sweep *s = (sweep *)PyType_GenericAlloc(type, 0);
  if (!s) return NULL;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "lO!OO!nOsp", names, &s->runs, &PyList_Type,
                                   &list, &values, &PyList_Type, &options, &s->columns, &places,
                                   &device, &fast) ||
      read_names(s, list) < 0 || PyObject_GetBuffer(values, &s->values, PyBUF_C_CONTIGUOUS) < 0 ||
      (places != Py_None && PyObject_GetBuffer(places, &s->places, PyBUF_C_CONTIGUOUS) < 0)) {
    if (!PyErr_Occurred()) PyErr_NoMemory();
    Py_DECREF((PyObject *)s);
    return NULL;
  }
  s->options = Py_NewRef(options);

  /* memory for the results */
  size_t runs = (size_t)s->runs, columns = (size_t)s->columns;
  ritt_statistic about;
  for (size_t i = 0; ritt_statistic_get(i, &about); i++)
    s->statistics += about.type != RITT_STATISTIC_TEXT;
  s->rows = s->places.obj ? s->places.len / (Py_ssize_t)sizeof(double) : 0;
  if (s->places.obj) s->row = new_doubles(runs * (size_t)s->rows * columns);
  s->last = new_doubles(runs * columns);
  s->statistic = new_doubles(runs * (size_t)s->statistics);
  s->status = calloc(runs + 1, sizeof *s->status);
  s->message = calloc(runs + 1, sizeof *s->message);
  s->ended = calloc(runs + 1, sizeof *s->ended);
  s->batch = ritt_batch_new(s->runs, 1);
  for (long i = 0; s->status && i < s->runs; i++) s->status[i] = UNFINISHED;
  bool complete = s->last && s->statistic && s->status && s->message && s->ended && s->batch &&
                  (s->row || !s->places.obj);
  ritt_error *error = complete ? ritt_error_new() : NULL;
  ritt_status status =
      error ? ritt_batch_use_device(s->batch, device, fast, error) : RITT_NO_MEMORY;
  if (error && status != RITT_OK) python_raise(status, error);
  ritt_error_free(error);
  if (status == RITT_OK) return (PyObject *)s;
  Py_DECREF((PyObject *)s);
  return error ? NULL : PyErr_NoMemory();
}

/* The members, each with a model of its own; returns their number. */
static int make_members(sweep *s, PyObject *models, member *members) {
  int count = 0;
  for (; count < PyList_Size(models); count++) {
    PyObject *model = PyList_GetItem(models, count);
    if (Py_TYPE(model) != python_model_type) break;
    members[count] = (member){.sweep = s, .run = -1, .error = ritt_error_new()};
    members[count].model = ((python_model *)model)->at;
    if (!members[count].error) break;
    ritt_batch_add(s->batch, members[count].model);
  }
  return count;
}

/* work(models): runs on this thread, with these models, until no run is left */
static PyObject *work_on(PyObject *self, PyObject *args) {
  sweep *s = (sweep *)self;
  PyObject *models;
  if (!PyArg_ParseTuple(args, "O!", &PyList_Type, &models)) return NULL;

  /* the options; an error here is an error of the call */
  ritt_options options = ritt_options_default();
  ritt_error *error = ritt_error_new();
  ritt_status status = error ? python_set_options(&options, s->options, error) : RITT_NO_MEMORY;
  if (status != RITT_OK) {
    python_raise(status, error);
    ritt_error_free(error);
    return NULL;
  }
  ritt_error_free(error);

  size_t room = (size_t)PyList_Size(models) + 1;
  member *members = calloc(room, sizeof *members);
  ritt_solver **waiting = calloc(room, sizeof(ritt_solver *));
  int count = members && waiting ? make_members(s, models, members) : 0;
  Py_BEGIN_ALLOW_THREADS;
  work(members, waiting, count, &options);
  for (int i = 0; i < count; i++) ritt_error_free(members[i].error);
  Py_END_ALLOW_THREADS;
  free(members);
  free(waiting);
  if (count == 0) return PyErr_NoMemory();
  Py_RETURN_NONE;
}

/* size(): how many models a thread should have */
static PyObject *get_size(PyObject *self, PyObject *none) {
  (void)none;
  return PyLong_FromLong(ritt_batch_size(((sweep *)self)->batch));
}

static PyObject *stop_sweep(PyObject *self, PyObject *none) {
  (void)none;
  atomic_store(&((sweep *)self)->stop, 1);
  Py_RETURN_NONE;
}

static PyObject *count_done(PyObject *self, PyObject *none) {
  (void)none;
  return PyLong_FromLong(atomic_load(&((sweep *)self)->done));
}

/* A block of doubles that takes over memory from malloc. */
static PyObject *take_block(double **at, Py_ssize_t rows, Py_ssize_t columns) {
  python_block *b = python_block_new(columns);
  if (!b) return NULL;
  b->at = *at;
  b->shape[0] = b->room = rows;
  *at = NULL;
  return (PyObject *)b;
}

/* results(): (rows or None, last, statistics, their names, statuses, messages, ends); once */
static PyObject *take_results(PyObject *self, PyObject *none) {
  sweep *s = (sweep *)self;
  (void)none;
  if (!s->last) {
    PyErr_SetString(PyExc_ValueError, "the results have been taken already");
    return NULL;
  }
  PyObject *names = PyList_New(0), *statuses = PyList_New(0);
  ritt_statistic about;
  for (size_t i = 0; names && ritt_statistic_get(i, &about); i++) {
    if (about.type == RITT_STATISTIC_TEXT) continue;
    PyObject *pair =
        Py_BuildValue("sO", about.name, about.type == RITT_STATISTIC_REAL ? Py_True : Py_False);
    if (!pair || PyList_Append(names, pair) < 0) Py_CLEAR(names);
    Py_XDECREF(pair);
  }
  for (long i = 0; i < s->runs; i++) {
    if (s->status[i] != UNFINISHED) continue;
    s->status[i] = RITT_STOPPED;
    s->message[i] = copy_text("not finished: the sweep was stopped");
  }
  for (long i = 0; statuses && i < s->runs; i++) {
    PyObject *status = PyLong_FromLong(s->status[i]);
    if (!status || PyList_Append(statuses, status) < 0) Py_CLEAR(statuses);
    Py_XDECREF(status);
  }
  PyObject *rows = s->row ? take_block(&s->row, s->runs * s->rows, s->columns) : Py_NewRef(Py_None);
  PyObject *last = take_block(&s->last, s->runs, s->columns);
  PyObject *statistics = take_block(&s->statistic, s->runs, s->statistics);
  if (!names || !statuses || !rows || !last || !statistics) {
    Py_XDECREF(names);
    Py_XDECREF(statuses);
    Py_XDECREF(rows);
    Py_XDECREF(last);
    Py_XDECREF(statistics);
    return NULL;
  }
  return Py_BuildValue("NNNNNNN", rows, last, statistics, names, statuses,
                       python_texts((const char *const *)s->message, (size_t)s->runs),
                       python_texts((const char *const *)s->ended, (size_t)s->runs));
}

/* ensemble(texts, runs, seed): the values of all runs, as `ritt sweep` has them; and the names, each
 * with 1 if its value is a guess */
PyObject *python_ensemble(PyObject *self, PyObject *args) {
  PyObject *list;
  long runs;
  unsigned long long seed;
  (void)self;
  if (!PyArg_ParseTuple(args, "O!lK", &PyList_Type, &list, &runs, &seed)) return NULL;
  size_t count = (size_t)PyList_Size(list);
  ritti_arena *arena = ritti_arena_new();
  ritt_error *error = ritt_error_new();
  const char **text = calloc(count + 1, sizeof *text);
  ritti_ensemble e = {0};
  python_block *values = NULL;
  PyObject *names = NULL, *result = NULL;
  ritt_status status = arena && error && text ? RITT_OK : RITT_NO_MEMORY;
  for (size_t i = 0; i < count && status == RITT_OK; i++)
    if (!PyArg_Parse(PyList_GetItem(list, (Py_ssize_t)i), "s", &text[i])) status = RITT_WRONG_CALL;
  if (status == RITT_OK)
    status = ritti_ensemble_read(
        &(ritti_ensemble_source){
            .text = text, .count = count, .origin = "--vary", .runs = runs, .seed = (uint64_t)seed},
        arena, error, &e);
  if (status != RITT_OK) python_raise(status, error);
  else {
    values = python_block_new((Py_ssize_t)count);
    names = PyList_New(0);
    for (size_t i = 0; names && i < count; i++) {
      PyObject *pair = Py_BuildValue("si", e.vary[i].name, (int)e.vary[i].guess);
      if (!pair || PyList_Append(names, pair) < 0) Py_CLEAR(names);
      Py_XDECREF(pair);
    }
    for (long run = 1; values && run <= e.runs; run++) {
      double *row = python_block_row(values);
      if (!row) {
        PyErr_NoMemory();
        Py_CLEAR(values);
        break;
      }
      for (size_t i = 0; i < count; i++) row[i] = ritti_ensemble_value(&e, run, i);
    }
    if (values && names) result = Py_BuildValue("OO", names, values);
  }
  Py_XDECREF(names);
  Py_XDECREF((PyObject *)values);
  free(text);
  ritt_error_free(error);
  ritti_arena_free(arena);
  return result;
}

PyTypeObject *python_make_sweep_type(void) {
  static PyMethodDef methods[] = {
      {"work", work_on, METH_VARARGS, "work(models): runs until no run is left"},
      {"size", get_size, METH_NOARGS, "size(): how many models a thread should have"},
      {"stop", stop_sweep, METH_NOARGS, "stop(): ends all runs"},
      {"done", count_done, METH_NOARGS, "done(): the number of runs that have ended"},
      {"results", take_results, METH_NOARGS, "results(): everything, once"},
      {0}};
  static PyType_Slot slots[] = {{Py_tp_new, (void *)make_sweep},
                                {Py_tp_dealloc, (void *)free_sweep},
                                {Py_tp_methods, methods},
                                {0}};
  static PyType_Spec spec = {"ritt._ritt.Sweep", sizeof(sweep), 0, Py_TPFLAGS_DEFAULT, slots};
  return (PyTypeObject *)PyType_FromSpec(&spec);
}
