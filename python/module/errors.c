/* Messages of the library as Python objects and exceptions. */
#include "module.h"

PyObject *python_error_class, *python_retry_class;

PyObject *python_text(const char *text) {
  if (!text) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *python_texts(const char *const *texts, size_t count) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < count; i++) {
    PyObject *text = python_text(texts[i]);
    if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  return list;
}

/* A message as a dictionary. */
static PyObject *convert_message(const ritt_message *m) {
  return Py_BuildValue("{sisNsNsNsisisN}", "status", (int)m->status, "text", python_text(m->text),
                       "hint", python_text(m->hint), "file", python_text(m->file), "line", m->line,
                       "column", m->column, "source", python_text(m->source));
}

PyObject *python_messages(const ritt_error *error) {
  size_t count = ritt_error_count(error);
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < count; i++) {
    PyObject *message = convert_message(ritt_error_get(error, i));
    if (!message || PyList_Append(list, message) < 0) Py_CLEAR(list);
    Py_XDECREF(message);
  }
  return list;
}

/* Has a signal come whose handler raises an exception? */
static int ask_signals(void *user) {
  PyThreadState **state = user;
  PyEval_RestoreThread(*state);
  int raised = PyErr_CheckSignals() < 0;
  *state = PyEval_SaveThread();
  return raised;
}

void python_busy_begin(PyThreadState **state) {
  *state = PyEval_SaveThread();
  ritt_ask_while_busy(ask_signals, state);
}

ritt_status python_busy_end(PyThreadState **state, ritt_status status) {
  ritt_ask_while_busy(NULL, NULL);
  PyEval_RestoreThread(*state);
  return PyErr_Occurred() ? RITT_NO_MEMORY : status;
}

PyObject *python_raise(ritt_status status, const ritt_error *error) {
  if (PyErr_Occurred()) return NULL;
  if (status == RITT_NO_MEMORY) return PyErr_NoMemory();
  PyObject *list = python_messages(error);
  if (!list) return NULL;
  PyObject *value =
      PyObject_CallFunction(python_error_class, "isN", (int)status, ritt_status_text(status), list);
  if (value) PyErr_SetObject((PyObject *)Py_TYPE(value), value);
  Py_XDECREF(value);
  return NULL;
}

PyObject *python_finish(ritt_status status, ritt_error *error) {
  PyObject *result = status == RITT_OK ? Py_NewRef(Py_None) : python_raise(status, error);
  ritt_error_free(error);
  return result;
}

PyObject *python_connect(PyObject *self, PyObject *args) {
  PyObject *error, *retry;
  (void)self;
  if (!PyArg_ParseTuple(args, "OO", &error, &retry)) return NULL;
  Py_XDECREF(python_error_class);
  Py_XDECREF(python_retry_class);
  python_error_class = Py_NewRef(error);
  python_retry_class = Py_NewRef(retry);
  Py_RETURN_NONE;
}

void python_release(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF((PyObject *)type);
}
