/* Numbers on a GPU as a capsule of DLPack, version 0.8 of its layout, which every library reads. */
#include "module.h"

typedef struct dl_tensor {
  void *data;
  struct {
    int32_t type, id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed_tensor {
  dl_tensor tensor;
  void *manager;
  void (*deleter)(struct dl_managed_tensor *self);
} dl_managed_tensor;

enum { DL_CUDA = 2, DL_FLOAT = 2, MOST_DIMENSIONS = 8 };

/* A tensor with its memory on the device */
typedef struct managed_array {
  dl_managed_tensor managed;
  int64_t shape[MOST_DIMENSIONS];
  ritt_device_array *array;
} managed_array;

static void free_tensor(dl_managed_tensor *self) {
  managed_array *a = (managed_array *)self;
  ritt_device_array_free(a->array);
  free(a);
}

/* A library that takes the tensor gives the capsule another name and frees the tensor itself. */
static void free_capsule(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  dl_managed_tensor *tensor = PyCapsule_GetPointer(capsule, "dltensor");
  tensor->deleter(tensor);
}

PyObject *python_dlpack(PyObject *self, PyObject *arguments) {
  PyObject *values;
  const char *device;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "Os", &values, &device)) return NULL;
  Py_buffer view;
  if (PyObject_GetBuffer(values, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return NULL;
  managed_array *a = calloc(1, sizeof *a);
  ritt_error *error = ritt_error_new();
  const bool fits = view.ndim <= MOST_DIMENSIONS && view.itemsize == sizeof(double);

  /* the numbers */
  void *at = NULL;
  int number = 0;
  ritt_status status = RITT_NO_MEMORY;
  if (a && error && fits)
    status = ritt_device_array_new(device, view.buf, (size_t)view.len / sizeof(double), &at,
                                   &number, error, &a->array);
  for (int i = 0; status == RITT_OK && i < view.ndim; i++) a->shape[i] = view.shape[i];
  const int ndim = view.ndim;
  PyBuffer_Release(&view);

  /* the capsule */
  PyObject *capsule = NULL;
  if (!fits) PyErr_SetString(PyExc_TypeError, "an array of doubles is needed");
  else if (status != RITT_OK) python_raise(status, error);
  else {
    a->managed.deleter = free_tensor;
    dl_tensor *tensor = &a->managed.tensor;
    tensor->data = at;
    tensor->device.type = DL_CUDA;
    tensor->device.id = number;
    tensor->ndim = ndim;
    tensor->dtype.code = DL_FLOAT;
    tensor->dtype.bits = 64;
    tensor->dtype.lanes = 1;
    tensor->shape = a->shape; /* strides NULL: row by row */
    capsule = PyCapsule_New(&a->managed, "dltensor", free_capsule);
  }
  if (!capsule && a) free_tensor(&a->managed);
  ritt_error_free(error);
  return capsule;
}
