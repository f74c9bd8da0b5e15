/* The extension module of the Python package: models, problems and solvers of ritt.h as Python
 * types.
 *
 * The modules in python/ritt are the interface for users. This module holds only what needs C:
 * calls, arrays without copies, callbacks, errors.
 */
#include "module.h"

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

/* options(): the names of the options of a run, with what their values are and a line of help */
static PyObject *list_options(PyObject *self, PyObject *none) {
  (void)self, (void)none;
  PyObject *list = PyList_New(0);
  ritt_option o;
  for (size_t i = 0; list && ritt_option_get(i, &o); i++) {
    PyObject *one = Py_BuildValue("{sNsNsN}", "name", python_text(o.name), "value",
                                  python_text(o.value), "text", python_text(o.text));
    if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

static PyMethodDef functions[] = {
    {"methods", list_methods, METH_NOARGS, "methods(): a list of dictionaries"},
    {"options", list_options, METH_NOARGS, "options(): a list of dictionaries"},
    {"ensemble", python_ensemble, METH_VARARGS, "ensemble(texts, runs, seed): (names, values)"},
    {"dlpack", python_dlpack, METH_VARARGS, "dlpack(array, device): a copy on a GPU, as a capsule"},
    {"connect", python_connect, METH_VARARGS, "connect(error, retry)"},
    {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_ritt", .m_size = -1,
                                        .m_methods = functions};

PyMODINIT_FUNC PyInit__ritt(void) {
  static const struct {
    const char *name;
    PyTypeObject *(*make)(void);
  } types[] = {{"Block", python_make_block_type},
               {"Model", python_make_model_type},
               {"Problem", python_make_problem_type},
               {"Solver", python_make_solver_type},
               {"Sweep", python_make_sweep_type}};
  PyObject *module = PyModule_Create(&definition);
  for (size_t i = 0; module && i < sizeof types / sizeof *types; i++) {
    PyTypeObject *type = types[i].make();
    if (!type || PyModule_AddObjectRef(module, types[i].name, (PyObject *)type) < 0)
      Py_CLEAR(module);
  }
  if (module && PyModule_AddStringConstant(module, "version", ritt_version()) < 0) Py_CLEAR(module);
  return module;
}
