/* Rows of doubles: one block of memory, which NumPy uses without a copy. */
#include "module.h"

PyTypeObject *python_block_type;

python_block *python_block_new(Py_ssize_t columns) {
  python_block *b = (python_block *)PyType_GenericAlloc(python_block_type, 0);
  if (b) python_block_set_columns(b, columns);
  return b;
}

void python_block_set_columns(python_block *b, Py_ssize_t columns) {
  b->shape[1] = columns;
  b->strides[0] = columns * (Py_ssize_t)sizeof(double);
  b->strides[1] = sizeof(double);
}

double *python_block_row(python_block *b) {
  if (b->shape[0] == b->room) {
    Py_ssize_t room = b->room ? 2 * b->room : 64;
    size_t bytes = (size_t)room * (size_t)b->shape[1] * sizeof(double);
    double *at = realloc(b->at, bytes ? bytes : 1);
    if (!at) return NULL;
    b->at = at;
    b->room = room;
  }
  return b->at + b->shape[0]++ * b->shape[1];
}

static void free_block(PyObject *self) {
  free(((python_block *)self)->at);
  python_release(self);
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags) {
  static char format[] = "d";
  static double nothing;
  python_block *b = (python_block *)self;
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

PyTypeObject *python_make_block_type(void) {
  static PyType_Slot slots[] = {{Py_tp_dealloc, (void *)free_block},
                                {Py_bf_getbuffer, (void *)get_buffer},
                                {Py_tp_doc, "Rows of doubles, for numpy.asarray"},
                                {0}};
  static PyType_Spec spec = {"ritt._ritt.Block", sizeof(python_block), 0, Py_TPFLAGS_DEFAULT,
                             slots};
  return python_block_type = (PyTypeObject *)PyType_FromSpec(&spec);
}
