/* The extension module of the Python package: models, problems and solvers of include/ritt.h as
 * Python types.
 *
 * What is pleasant to use stands in the modules of python/ritt; here is only what needs C: calls,
 * arrays without copies (the rows of a run are one block that NumPy looks at), callbacks, errors.
 * Runs go without the interpreter's lock; callbacks take it while they work.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <time.h>
#include "ritt.h"

static PyObject *error_class; /* ritt.Error */

/* ---- errors ---- */

static PyObject *text_or_none(const char *text) {
  if (!text) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* A message as a dictionary. */
static PyObject *message_of(const ritt_message *m) {
  return Py_BuildValue("{sisNsNsNsisisN}", "status", (int)m->status, "text", text_or_none(m->text),
                       "hint", text_or_none(m->hint), "file", text_or_none(m->file), "line",
                       m->line, "column", m->column, "source", text_or_none(m->source));
}

static PyObject *messages_of(const ritt_error *error) {
  size_t count = ritt_error_count(error);
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < count; i++) {
    PyObject *message = message_of(ritt_error_get(error, i));
    if (!message || PyList_Append(list, message) < 0) Py_CLEAR(list);
    Py_XDECREF(message);
  }
  return list;
}

/* Raises ritt.Error for a status, with the messages; returns NULL. */
static PyObject *raise_error(ritt_status status, const ritt_error *error) {
  if (PyErr_Occurred()) return NULL;
  if (status == RITT_NO_MEMORY) return PyErr_NoMemory();
  PyObject *list = messages_of(error);
  PyObject *value =
      list ? PyObject_CallFunction(error_class, "isN", (int)status, ritt_status_text(status), list)
           : NULL;
  if (value) PyErr_SetObject(error_class, value);
  Py_XDECREF(value);
  return NULL;
}

/* ---- blocks of doubles that NumPy looks at without a copy ---- */

typedef struct block {
  PyObject_HEAD double *at;
  Py_ssize_t shape[2], strides[2], room;
} block;
static PyTypeObject block_type;

static block *block_new(Py_ssize_t columns) {
  block *b = PyObject_New(block, &block_type);
  if (!b) return NULL;
  b->at = NULL;
  b->shape[0] = b->room = 0, b->shape[1] = columns;
  b->strides[0] = columns * (Py_ssize_t)sizeof(double), b->strides[1] = sizeof(double);
  return b;
}

/* Room for one more row, without the lock: NULL without memory. */
static double *block_row(block *b) {
  if (b->shape[0] == b->room) {
    Py_ssize_t room = b->room ? 2 * b->room : 64;
    size_t bytes = (size_t)room * (size_t)b->shape[1] * sizeof(double);
    double *at = realloc(b->at, bytes ? bytes : 1);
    if (!at) return NULL;
    b->at = at, b->room = room;
  }
  return b->at + b->shape[0]++ * b->shape[1];
}

static void block_free(PyObject *self) {
  free(((block *)self)->at);
  PyObject_Free(self);
}

static int block_buffer(PyObject *self, Py_buffer *view, int flags) {
  static char format[] = "d";
  static double nothing;
  block *b = (block *)self;
  *view = (Py_buffer){.buf = b->at ? b->at : &nothing,
                      .obj = Py_NewRef(self),
                      .len = b->shape[0] * b->strides[0],
                      .itemsize = sizeof(double),
                      .ndim = 2,
                      .format = flags & PyBUF_FORMAT ? format : NULL,
                      .shape = b->shape,
                      .strides = b->strides};
  return 0;
}

static PyBufferProcs block_procs = {.bf_getbuffer = block_buffer};
static PyTypeObject block_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "ritt._ritt.Block",
                                  .tp_basicsize = sizeof(block),
                                  .tp_dealloc = block_free,
                                  .tp_as_buffer = &block_procs,
                                  .tp_flags = Py_TPFLAGS_DEFAULT,
                                  .tp_doc = "Rows of doubles, for numpy.asarray"};

/* ---- models ---- */

typedef struct model {
  PyObject_HEAD ritt_model *at;
} model;

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static char *names[] = {"text", "name", "path", NULL};
  const char *text = NULL, *name = "model", *path = NULL;
  Py_ssize_t length = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|z#zz", names, &text, &length, &name, &path))
    return NULL;
  ritt_error *error = ritt_error_new();
  ritt_model *at = NULL;
  if (!error) return PyErr_NoMemory();
  ritt_status status =
      path ? ritt_model_read_file(path, error, &at)
           : ritt_model_read_text(text ? text : "", (size_t)length, name, error, &at);
  model *self =
      status == RITT_OK ? (model *)type->tp_alloc(type, 0) : (model *)raise_error(status, error);
  if (self) self->at = at;
  else ritt_model_free(at);
  ritt_error_free(error);
  return (PyObject *)self;
}

static void model_free(PyObject *self) {
  ritt_model_free(((model *)self)->at);
  Py_TYPE(self)->tp_free(self);
}

/* Calls with an error of their own: NAME(model, ..., error) as a method that gives None. */
#define WITH_ERROR(call)                                                                           \
  do {                                                                                             \
    ritt_error *error = ritt_error_new();                                                          \
    if (!error) return PyErr_NoMemory();                                                           \
    ritt_status status = (call);                                                                   \
    PyObject *result = status == RITT_OK ? Py_NewRef(Py_None) : raise_error(status, error);        \
    ritt_error_free(error);                                                                        \
    return result;                                                                                 \
  } while (0)

static PyObject *model_set(PyObject *self, PyObject *args) {
  const char *name, *value;
  if (!PyArg_ParseTuple(args, "ss", &name, &value)) return NULL;
  WITH_ERROR(ritt_model_set(((model *)self)->at, name, value, error));
}

static PyObject *model_start_value(PyObject *self, PyObject *args) {
  const char *name;
  double value;
  int fixed;
  if (!PyArg_ParseTuple(args, "sdp", &name, &value, &fixed)) return NULL;
  WITH_ERROR(ritt_model_start_value(((model *)self)->at, name, value, fixed, error));
}

static PyObject *model_start_at(PyObject *self, PyObject *args) {
  double x;
  if (!PyArg_ParseTuple(args, "d", &x)) return NULL;
  WITH_ERROR(ritt_model_start_at(((model *)self)->at, x, error));
}

static PyObject *model_kind(PyObject *self, PyObject *args) {
  const char *kind;
  if (!PyArg_ParseTuple(args, "s", &kind)) return NULL;
  WITH_ERROR(ritt_model_kind(((model *)self)->at, kind, error));
}

static PyObject *words_of(const char *const *words, size_t count) {
  PyObject *list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; i++) {
    PyObject *word = text_or_none(words[i]);
    if (word) PyList_SET_ITEM(list, (Py_ssize_t)i, word);
    else Py_CLEAR(list);
  }
  return list;
}

static PyObject *count_of(int count) {
  if (count == RITT_UNKNOWN) Py_RETURN_NONE;
  return PyLong_FromLong(count);
}

static PyObject *moved_of(const ritt_check *c) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < c->moved_count; i++) {
    PyObject *one = Py_BuildValue("{sNsdsd}", "name", text_or_none(c->moved[i].name), "typed",
                                  c->moved[i].typed, "used", c->moved[i].used);
    if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

/* The report, whatever the verdict, as (dictionary, messages). */
static PyObject *model_check(PyObject *self, PyObject *none) {
  (void)none;
  ritt_error *error = ritt_error_new();
  const ritt_check *c = NULL;
  PyObject *result;
  if (!error) return PyErr_NoMemory();
  ritt_status status = ritt_model_check(((model *)self)->at, error, &c);
  if (!c || status == RITT_NO_MEMORY) result = raise_error(status, error);
  else
    result = Py_BuildValue(
        "{sNsisNsisisNsNsNsNsNsNsNsNsNsNsNsNsNsN}", "model", text_or_none(c->model), "unknowns",
        c->unknowns, "variables", words_of(c->variables, c->variable_count), "equations",
        c->equations, "invariants", c->invariants, "verdict", text_or_none(c->verdict), "reason",
        text_or_none(c->reason), "kind", text_or_none(c->kind), "degrees_of_freedom",
        count_of(c->degrees_of_freedom), "index", count_of(c->index), "hidden_constraints",
        count_of(c->hidden_constraints), "dependent_equations",
        words_of(c->dependent_equations, c->dependent_count), "undetermined_variables",
        words_of(c->undetermined_variables, c->undetermined_count), "non_unique",
        words_of(c->non_unique, c->non_unique_count), "moved", moved_of(c), "singular_points",
        words_of(c->singular_points, c->singular_count), "notes", words_of(c->notes, c->note_count),
        "text", text_or_none(c->text), "messages", messages_of(error));
  ritt_error_free(error);
  return result;
}

static PyObject *model_complete(PyObject *self, PyObject *args) {
  int system, form;
  const char *out = NULL;
  if (!PyArg_ParseTuple(args, "ii", &system, &form)) return NULL;
  ritt_error *error = ritt_error_new();
  if (!error) return PyErr_NoMemory();
  ritt_status status =
      ritt_model_complete(((model *)self)->at, (ritt_system)system, (ritt_form)form, error, &out);
  PyObject *result = status == RITT_OK ? text_or_none(out) : raise_error(status, error);
  ritt_error_free(error);
  return result;
}

static PyObject *model_columns(PyObject *self, PyObject *none) {
  (void)none;
  const char *const *names;
  size_t count;
  ritt_error *error = ritt_error_new();
  if (!error) return PyErr_NoMemory();
  ritt_status status = ritt_model_columns(((model *)self)->at, error, &names, &count);
  PyObject *result = status == RITT_OK ? words_of(names, count) : raise_error(status, error);
  ritt_error_free(error);
  return result;
}

static PyObject *model_name(PyObject *self, void *none) {
  (void)none;
  return text_or_none(ritt_model_name(((model *)self)->at));
}
static PyObject *model_title(PyObject *self, void *none) {
  (void)none;
  return text_or_none(ritt_model_title(((model *)self)->at));
}
static PyObject *model_independent(PyObject *self, void *none) {
  (void)none;
  return text_or_none(ritt_model_independent(((model *)self)->at));
}

static PyMethodDef model_methods[] = {
    {"set", model_set, METH_VARARGS,
     "set(name, value): a parameter's value, as text of the language"},
    {"start_value", model_start_value, METH_VARARGS, "start_value(name, value, fixed)"},
    {"start_at", model_start_at, METH_VARARGS, "start_at(x)"},
    {"kind", model_kind, METH_VARARGS, "kind(word)"},
    {"check", model_check, METH_NOARGS, "check(): the report as a dictionary"},
    {"complete", model_complete, METH_VARARGS,
     "complete(system, form): the completed system as text"},
    {"columns", model_columns, METH_NOARGS, "columns(): names"},
    {0}};
static PyGetSetDef model_fields[] = {{"name", model_name, NULL, "the model's name", NULL},
                                     {"title", model_title, NULL, "in words", NULL},
                                     {"independent", model_independent, NULL, "its name", NULL},
                                     {0}};
static PyTypeObject model_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "ritt._ritt.Model",
                                  .tp_basicsize = sizeof(model),
                                  .tp_dealloc = model_free,
                                  .tp_flags = Py_TPFLAGS_DEFAULT,
                                  .tp_new = model_new,
                                  .tp_methods = model_methods,
                                  .tp_getset = model_fields};

/* ---- problems from Python functions ---- */

/* A problem whose functions are Python's; each gets the coordinates and gives an array. */
typedef struct problem {
  PyObject_HEAD ritt_problem *at;
  PyObject *f, *df, *formula, *system, *mass, *force, *g, *dg; /* callables or NULL */
  int rows, unknowns, constraints, coordinates;
  PyObject *type, *value, *trace; /* what a function raised */
} problem;

static PyObject *retry_class; /* ritt.Retry */

/* Keeps what was raised; the status for it. The lock is held. */
static ritt_status keep_exception(problem *p) {
  if (PyErr_ExceptionMatches(retry_class) || PyErr_ExceptionMatches(PyExc_ArithmeticError)) {
    PyErr_Clear();
    return RITT_RETRY;
  }
  Py_XDECREF(p->type), Py_XDECREF(p->value), Py_XDECREF(p->trace);
  PyErr_Fetch(&p->type, &p->value, &p->trace);
  return RITT_SYSTEM;
}

/* Copies `count` doubles from what a function gave. */
static int take_doubles(PyObject *from, double *out, Py_ssize_t count) {
  Py_buffer view;
  if (PyObject_GetBuffer(from, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
  int right =
      view.format && !strcmp(view.format, "d") && view.len == count * (Py_ssize_t)sizeof(double);
  if (right && count) memcpy(out, view.buf, (size_t)view.len);
  if (!right)
    PyErr_Format(PyExc_ValueError, "a function gave %zd numbers where %zd are wanted",
                 view.len / (Py_ssize_t)sizeof(double), count);
  PyBuffer_Release(&view);
  return right ? 0 : -1;
}

/* out = function(z); two results where `second` is wanted: a tuple. */
static ritt_status call(problem *p, PyObject *function, const double *z, double *first,
                        Py_ssize_t firsts, double *second, Py_ssize_t seconds) {
  PyGILState_STATE lock = PyGILState_Ensure();
  ritt_status status = RITT_OK;
  Py_ssize_t bytes = p->coordinates * (Py_ssize_t)sizeof(double);
  /* a copy: functions may keep what they are given */
  PyObject *view = PyBytes_FromStringAndSize((const char *)z, bytes);
  PyObject *result = view ? PyObject_CallOneArg(function, view) : NULL;
  int failed = !result;
  if (result && !second) failed = take_doubles(result, first, firsts) < 0;
  else if (result)
    failed = !PyTuple_Check(result) || PyTuple_GET_SIZE(result) != 2 ||
             take_doubles(PyTuple_GET_ITEM(result, 0), first, firsts) < 0 ||
             take_doubles(PyTuple_GET_ITEM(result, 1), second, seconds) < 0;
  if (failed && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a pair of arrays is wanted");
  if (failed) status = keep_exception(p);
  Py_XDECREF(result);
  Py_XDECREF(view);
  PyGILState_Release(lock);
  return status;
}

#define CALLED(name, count)                                                                        \
  static ritt_status call_##name(void *data, const double *z, double *out) {                       \
    problem *p = data;                                                                             \
    return call(p, p->name, z, out, (count), NULL, 0);                                             \
  }
CALLED(f, p->rows)
CALLED(df, (Py_ssize_t)p->rows * p->coordinates)
CALLED(formula, p->unknowns)
CALLED(mass, (Py_ssize_t)p->unknowns * p->unknowns)
CALLED(force, p->unknowns)
CALLED(g, p->constraints)
CALLED(dg, (Py_ssize_t)p->constraints *(1 + p->unknowns))

static ritt_status call_system(void *data, const double *z, double *A, double *b) {
  problem *p = data;
  return call(p, p->system, z, A, (Py_ssize_t)p->unknowns * p->unknowns, b, p->unknowns);
}

/* Functions may hold the result of their own run: the collector must see them. */
enum { HELD = 11 };
static void held_by(problem *p, PyObject **held[HELD]) {
  PyObject **all[HELD] = {&p->f, &p->df, &p->formula, &p->system, &p->mass, &p->force,
                          &p->g, &p->dg, &p->type,    &p->value,  &p->trace};
  memcpy(held, all, sizeof all);
}
static int problem_traverse(PyObject *self, visitproc visit, void *arg) {
  PyObject **held[HELD];
  held_by((problem *)self, held);
  for (int i = 0; i < HELD; i++) Py_VISIT(*held[i]);
  return 0;
}
static int problem_clear(PyObject *self) {
  PyObject **held[HELD];
  held_by((problem *)self, held);
  for (int i = 0; i < HELD; i++) Py_CLEAR(*held[i]);
  return 0;
}
static void problem_free(PyObject *self) {
  PyObject_GC_UnTrack(self);
  ritt_problem_free(((problem *)self)->at);
  problem_clear(self);
  Py_TYPE(self)->tp_free(self);
}

static PyObject *problem_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static char *names[] = {"kind",    "unknowns", "order", "rows",  "constraints", "f",  "df",
                          "formula", "system",   "mass",  "force", "g",           "dg", NULL};
  int kind, unknowns, order, rows, constraints;
  PyObject *o[8] = {0};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "iiiii|OOOOOOOO", names, &kind, &unknowns,
                                   &order, &rows, &constraints, &o[0], &o[1], &o[2], &o[3], &o[4],
                                   &o[5], &o[6], &o[7]))
    return NULL;
  problem *p = (problem *)type->tp_alloc(type, 0);
  int *orders = calloc((size_t)unknowns + 1, sizeof *orders);
  ritt_error *error = ritt_error_new();
  if (!p || !orders || !error) {
    free(orders), ritt_error_free(error), Py_XDECREF(p);
    return PyErr_NoMemory();
  }
  for (int i = 0; i < unknowns; i++) orders[i] = order;
  PyObject **held[] = {&p->f, &p->df, &p->formula, &p->system, &p->mass, &p->force, &p->g, &p->dg};
  for (int i = 0; i < 8; i++)
    if (o[i] && o[i] != Py_None) *held[i] = Py_NewRef(o[i]);
  p->rows = rows, p->unknowns = unknowns, p->constraints = constraints,
  p->coordinates = 1 + unknowns * order;
  ritt_definition d = {.kind = (ritt_kind)kind,
                       .unknowns = unknowns,
                       .orders = orders,
                       .rows = rows,
                       .constraints = constraints,
                       .user_data = p,
                       .f = p->f ? call_f : NULL,
                       .df = p->df ? call_df : NULL,
                       .formula = p->formula ? call_formula : NULL,
                       .system = p->system ? call_system : NULL,
                       .mass = p->mass ? call_mass : NULL,
                       .force = p->force ? call_force : NULL,
                       .g = p->g ? call_g : NULL,
                       .dg = p->dg ? call_dg : NULL,
                       .independent = "t"};
  ritt_status status = ritt_problem_new(&d, error, &p->at);
  if (status != RITT_OK) {
    raise_error(status, error);
    Py_CLEAR(p);
  }
  free(orders);
  ritt_error_free(error);
  return (PyObject *)p;
}

/* Raises what a function has raised, if one has: -1. */
static int raise_kept(problem *p) {
  if (!p || !p->type) return 0;
  PyErr_Restore(p->type, p->value, p->trace);
  p->type = p->value = p->trace = NULL;
  return -1;
}

/* project(z, fixed): z moved onto the manifold, in place */
static PyObject *problem_project(PyObject *self, PyObject *args) {
  problem *p = (problem *)self;
  Py_buffer z, fixed = {0};
  if (!PyArg_ParseTuple(args, "w*y*", &z, &fixed)) return NULL;
  PyObject *result = NULL;
  ritt_error *error = ritt_error_new();
  int right = z.len == p->coordinates * (Py_ssize_t)sizeof(double) &&
              fixed.len == p->coordinates * (Py_ssize_t)sizeof(int);
  if (!error) PyErr_NoMemory();
  else if (!right) PyErr_SetString(PyExc_ValueError, "the point has another number of coordinates");
  else {
    ritt_status status = ritt_problem_project(p->at, fixed.buf, z.buf, error);
    if (raise_kept(p) == 0)
      result = status == RITT_OK ? Py_NewRef(Py_None) : raise_error(status, error);
  }
  ritt_error_free(error);
  PyBuffer_Release(&z);
  PyBuffer_Release(&fixed);
  return result;
}

static PyMethodDef problem_methods[] = {
    {"project", problem_project, METH_VARARGS, "project(z, fixed): moves z onto the manifold"},
    {0}};
static PyTypeObject problem_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "ritt._ritt.Problem",
                                    .tp_basicsize = sizeof(problem),
                                    .tp_dealloc = problem_free,
                                    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                    .tp_traverse = problem_traverse,
                                    .tp_clear = problem_clear,
                                    .tp_new = problem_new,
                                    .tp_methods = problem_methods};

/* ---- solvers ---- */

typedef struct run run;
typedef struct solver {
  PyObject_HEAD ritt_solver *at;
  run *run;           /* while it runs */
  PyObject *owner;    /* the model or problem, which must outlive it */
  problem *functions; /* the problem, where functions are Python's; else NULL */
  block *events;      /* points of events: index, before, after */
  const char **name;  /* of events seen */
  int names;
  Py_buffer places; /* where rows are wanted */
  Py_ssize_t coordinates;
} solver;

/* An event's point: its number among the names seen, its columns before and after (NaN: no jump).
 * No lock. */
static ritt_status take_event(void *user, const ritt_event *e) {
  solver *s = user;
  int i = 0;
  while (i < s->names && strcmp(s->name[i], e->name)) i++;
  if (i == s->names) {
    const char **more = realloc(s->name, ((size_t)i + 1) * sizeof *more);
    if (!more) return RITT_NO_MEMORY;
    s->name = more;
    s->name[s->names++] = e->name;
  }
  if (s->events->shape[1] == 0) {
    s->events->shape[1] = 1 + 2 * (Py_ssize_t)e->count;
    s->events->strides[0] = s->events->shape[1] * (Py_ssize_t)sizeof(double);
  }
  double *row = block_row(s->events);
  if (!row) return RITT_NO_MEMORY;
  row[0] = i;
  for (size_t k = 0; k < e->count; k++) {
    row[1 + k] = e->before[k];
    row[1 + e->count + k] = e->after ? e->after[k] : NAN;
  }
  return RITT_OK;
}

static ritt_status look(void *user, const ritt_progress *progress); /* of runs, below */

/* options: a list of (name, value) texts */
static ritt_status set_options(ritt_options *options, PyObject *list, ritt_error *error) {
  PyObject *fast = PySequence_Fast(list, "options are pairs of texts");
  ritt_status status = fast ? RITT_OK : RITT_WRONG_CALL;
  for (Py_ssize_t i = 0; fast && i < PySequence_Fast_GET_SIZE(fast) && status == RITT_OK; i++) {
    const char *name, *value;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(fast, i), "ss", &name, &value))
      status = RITT_WRONG_CALL;
    else status = ritt_options_set(options, name, value, error);
  }
  Py_XDECREF(fast);
  return status;
}

static PyObject *solver_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static char *names[] = {"owner", "options", "places", "to", "s", "z", NULL};
  PyObject *owner, *list, *places = Py_None;
  Py_buffer z = {0};
  double to = NAN, at_s = NAN;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|Oddy*", names, &owner, &list, &places, &to,
                                   &at_s, &z))
    return NULL;
  if (Py_TYPE(owner) != &problem_type && Py_TYPE(owner) != &model_type) {
    PyBuffer_Release(&z);
    PyErr_SetString(PyExc_TypeError, "a solver is for a model or a problem");
    return NULL;
  }
  ritt_error *error = ritt_error_new();
  solver *s = (solver *)type->tp_alloc(type, 0);
  if (!error || !s || !(s->events = block_new(0))) {
    ritt_error_free(error), Py_XDECREF(s), PyBuffer_Release(&z);
    return PyErr_NoMemory();
  }
  ritt_options options = ritt_options_default();
  options.event = take_event, options.event_user = s;
  options.watch = look, options.watch_user = s;
  ritt_status status = set_options(&options, list, error);
  if (to == to) options.to = to;
  if (places != Py_None && PyObject_GetBuffer(places, &s->places, PyBUF_C_CONTIGUOUS) < 0)
    status = RITT_WRONG_CALL;
  if (s->places.obj) {
    static const double nowhere;
    options.at = s->places.len ? s->places.buf : &nowhere;
    options.at_count = (size_t)s->places.len / sizeof(double);
  }
  const ritt_problem *at = NULL;
  if (status == RITT_OK && Py_TYPE(owner) == &problem_type) {
    s->functions = (problem *)owner;
    at = s->functions->at;
  } else if (status == RITT_OK) status = ritt_model_problem(((model *)owner)->at, error, &at);
  size_t wanted = at ? ritt_problem_shape(at)->coordinates : 0;
  s->coordinates = (Py_ssize_t)wanted;
  if (!z.buf && !s->functions) at = NULL; /* at the model's own start point */
  if (status == RITT_OK && at && z.len != (Py_ssize_t)(wanted * sizeof(double))) {
    PyErr_Format(PyExc_ValueError, "the point has %zd coordinates, not %zu",
                 z.len / (Py_ssize_t)sizeof(double), wanted);
    status = RITT_WRONG_CALL;
  } else if (status == RITT_OK) {
    ritt_model *text = s->functions ? NULL : ((model *)owner)->at;
    status = !text ? ritt_solver_from_problem(at, z.buf, &options, error, &s->at)
             : at  ? ritt_solver_from_model_at(text, at_s, z.buf, &options, error, &s->at)
                   : ritt_solver_from_model(text, &options, error, &s->at);
  }
  PyBuffer_Release(&z);
  s->owner = Py_NewRef(owner);
  if (raise_kept(s->functions) < 0) Py_CLEAR(s);
  else if (status != RITT_OK) {
    raise_error(status, error);
    Py_CLEAR(s);
  }
  ritt_error_free(error);
  return (PyObject *)s;
}

static void solver_free(PyObject *self) {
  solver *s = (solver *)self;
  ritt_solver_free(s->at);
  Py_XDECREF(s->owner);
  Py_XDECREF(s->events);
  PyBuffer_Release(&s->places);
  free(s->name);
  Py_TYPE(self)->tp_free(self);
}

/* What a run fills. */
struct run {
  solver *s;
  block *rows, *knots; /* rows; where steps ended the run's variable and the coordinates */
  ritt_error *error;
  clock_t asked; /* when the interpreter was last asked for signals */
  int interrupted;
};

static ritt_status take_row(void *user, const double *values, size_t count) {
  run *r = user;
  double *row = block_row(r->rows);
  if (!row) return RITT_NO_MEMORY;
  memcpy(row, values, count * sizeof *row);
  return RITT_OK;
}

/* Keeps the point where the run is, save behind a place where the system was completed anew: other
 * coordinates may hold there. */
static ritt_status add_knot(run *r) {
  ritt_point p;
  ritt_statistics statistics;
  ritt_solver_statistics(r->s->at, &statistics);
  if (statistics.recompletions > 0) return RITT_OK;
  ritt_status status = ritt_solver_point(r->s->at, &p, r->error);
  double *row = status == RITT_OK ? block_row(r->knots) : NULL;
  if (!row) return status == RITT_OK ? RITT_NO_MEMORY : status;
  row[0] = p.s;
  memcpy(row + 1, p.z, (size_t)(r->knots->shape[1] - 1) * sizeof *row);
  return RITT_OK;
}

/* Ctrl-C, a few times a second. */
static int interrupted(run *r) {
  clock_t now = clock();
  if (now - r->asked < CLOCKS_PER_SEC / 10) return 0;
  r->asked = now;
  PyGILState_STATE lock = PyGILState_Ensure();
  r->interrupted = PyErr_CheckSignals() < 0;
  PyGILState_Release(lock);
  return r->interrupted;
}

/* After every step. On the way past a fold the run goes by arc length: no knots there. */
static ritt_status look(void *user, const ritt_progress *progress) {
  solver *s = user;
  run *r = s->run;
  ritt_statistics statistics;
  if (interrupted(r)) return RITT_STOPPED;
  ritt_solver_statistics(s->at, &statistics);
  return statistics.x == progress->x ? add_knot(r) : RITT_OK;
}

/* run(): (rows, knots, status, messages) */
static PyObject *solver_run(PyObject *self, PyObject *none) {
  solver *s = (solver *)self;
  const char *const *names;
  size_t columns;
  (void)none;
  ritt_solver_columns(s->at, &names, &columns);
  run r = {.s = s, .error = ritt_error_new()};
  r.rows = block_new((Py_ssize_t)columns);
  r.knots = block_new(1 + s->coordinates);
  PyObject *result = NULL;
  if (!r.rows || !r.knots || !r.error) PyErr_NoMemory();
  else {
    ritt_status status;
    s->run = &r;
    Py_BEGIN_ALLOW_THREADS status = add_knot(&r);
    if (status == RITT_OK) status = ritt_solver_run(s->at, take_row, &r, r.error);
    Py_END_ALLOW_THREADS s->run = NULL;
    if (raise_kept(s->functions) == 0 && !r.interrupted) {
      if (status == RITT_OK || status == RITT_STOPPED)
        result = Py_BuildValue("OOiN", r.rows, r.knots, (int)status, messages_of(r.error));
      else raise_error(status, r.error);
    }
  }
  Py_XDECREF(r.rows);
  Py_XDECREF(r.knots);
  ritt_error_free(r.error);
  return result;
}

static PyObject *solver_columns(PyObject *self, PyObject *none) {
  (void)none;
  const char *const *names;
  size_t columns;
  ritt_solver_columns(((solver *)self)->at, &names, &columns);
  return words_of(names, columns);
}

static PyObject *solver_events(PyObject *self, PyObject *none) {
  solver *s = (solver *)self;
  (void)none;
  return Py_BuildValue("NO", words_of(s->name, (size_t)s->names), s->events);
}

static PyObject *solver_statistics(PyObject *self, PyObject *none) {
  (void)none;
  ritt_statistics s;
  ritt_solver_statistics(((solver *)self)->at, &s);
  PyObject *all = PyDict_New();
  ritt_statistic row;
  for (size_t i = 0; all && ritt_statistic_get(i, &row); i++) {
    const void *at = (const char *)&s + row.offset;
    PyObject *value = NULL;
    switch (row.type) {
    case RITT_STATISTIC_TEXT: value = text_or_none(*(const char *const *)at); break;
    case RITT_STATISTIC_FLAG: value = PyBool_FromLong(*(const int *)at); break;
    case RITT_STATISTIC_COUNT: value = PyLong_FromLong(*(const long *)at); break;
    case RITT_STATISTIC_REAL: value = PyFloat_FromDouble(*(const double *)at); break;
    }
    if (!value || PyDict_SetItemString(all, row.name, value) < 0) Py_CLEAR(all);
    Py_XDECREF(value);
  }
  return all;
}

static PyMethodDef solver_methods[] = {
    {"run", solver_run, METH_NOARGS, "run(): (rows, knots, status, messages)"},
    {"columns", solver_columns, METH_NOARGS, "columns(): names"},
    {"events", solver_events, METH_NOARGS, "events(): (names, points)"},
    {"statistics", solver_statistics, METH_NOARGS, "statistics(): a dictionary"},
    {0}};
static PyTypeObject solver_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "ritt._ritt.Solver",
                                   .tp_basicsize = sizeof(solver),
                                   .tp_dealloc = solver_free,
                                   .tp_flags = Py_TPFLAGS_DEFAULT,
                                   .tp_new = solver_new,
                                   .tp_methods = solver_methods};

/* ---- the module ---- */

static PyObject *list_methods(PyObject *self, PyObject *none) {
  (void)self, (void)none;
  PyObject *list = PyList_New(0);
  ritt_method m;
  for (size_t i = 0; list && ritt_method_get(i, &m); i++) {
    PyObject *one = Py_BuildValue("{sssisisisOss}", "name", m.name, "order", m.order, "stages",
                                  m.stages, "embedded_order", m.embedded_order, "implicit",
                                  m.implicit ? Py_True : Py_False, "source", m.source);
    if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

/* connect(error, retry): the exception classes of the package */
static PyObject *connect_classes(PyObject *self, PyObject *args) {
  PyObject *error, *retry;
  (void)self;
  if (!PyArg_ParseTuple(args, "OO", &error, &retry)) return NULL;
  Py_XSETREF(error_class, Py_NewRef(error));
  Py_XSETREF(retry_class, Py_NewRef(retry));
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"methods", list_methods, METH_NOARGS, "methods(): a list of dictionaries"},
    {"connect", connect_classes, METH_VARARGS, "connect(error, retry)"},
    {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_ritt", .m_size = -1,
                                        .m_methods = functions};

PyMODINIT_FUNC PyInit__ritt(void) {
  PyTypeObject *types[] = {&block_type, &model_type, &problem_type, &solver_type};
  static const char *const names[] = {"Block", "Model", "Problem", "Solver"};
  PyObject *module = PyModule_Create(&definition);
  for (size_t i = 0; module && i < 4; i++)
    if (PyType_Ready(types[i]) < 0 ||
        PyModule_AddObjectRef(module, names[i], (PyObject *)types[i]) < 0)
      Py_CLEAR(module);
  if (module && PyModule_AddStringConstant(module, "version", ritt_version()) < 0) Py_CLEAR(module);
  return module;
}
