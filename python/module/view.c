/* Views of runs: pages and animations, as bytes. */
#include "module.h"
#include "view/view.h"

static ritt_status take_point(void *user, const double *values, size_t count) {
  (void)count;
  return ritti_view_add(user, values);
}

static ritt_status take_event(void *user, const ritt_event *event) {
  return ritti_view_add_event(user, event->name, event->before);
}

static ritt_status take_row(void *user, const double *values, size_t count) {
  (void)user, (void)values, (void)count;
  return RITT_OK;
}

/* Runs the model and writes the page or the animation. */
static ritt_status write_view(ritt_model *model, ritt_options *options, ritti_animation format,
                              const char *summary, ritti_text *out, ritt_error *error) {
  ritti_view *view = NULL;
  ritt_status status = ritti_view_new(model, error, &view);
  if (status != RITT_OK) return status;
  options->fine = take_point;
  options->fine_user = view;
  options->fine_points = ritti_view_fine_points(view);
  options->event = take_event;
  options->event_user = view;

  /* a run that stops early is shown up to there */
  ritt_error *own = ritt_error_new();
  status = own ? ritt_model_run(model, options, take_row, NULL, NULL, own) : RITT_NO_MEMORY;
  ritt_error_free(own);
  if (status == RITT_STOPPED) status = RITT_OK;
  if (status != RITT_OK) {
    ritti_view_free(view);
    return ritti_fail(error, status, NULL, NULL, "the run for the view failed");
  }
  if (format != RITTI_NO_ANIMATION) status = ritti_view_animate(view, format, out, error);
  else status = ritti_view_write_page(view, summary, out);
  ritti_view_free(view);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}

PyObject *python_view(PyObject *self, PyObject *args) {
  PyObject *list;
  const char *path, *summary;
  ritt_options options = ritt_options_default();
  ritti_text out = {0};
  if (!PyArg_ParseTuple(args, "sOs", &path, &list, &summary)) return NULL;
  ritt_error *error = ritt_error_new();
  if (!error) return PyErr_NoMemory();
  ritt_status status = python_set_options(&options, list, error);
  if (status == RITT_OK) {
    Py_BEGIN_ALLOW_THREADS;
    status = write_view(((python_model *)self)->at, &options, ritti_animation_of_path(path),
                        summary, &out, error);
    Py_END_ALLOW_THREADS;
  }
  PyObject *bytes = NULL;
  if (status == RITT_OK) bytes = PyBytes_FromStringAndSize(out.at, (Py_ssize_t)out.count);
  else python_raise(status, error);
  ritti_text_free(&out);
  ritt_error_free(error);
  return bytes;
}
