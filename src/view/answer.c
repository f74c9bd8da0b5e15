/* What a page asks its engine for: a run as data, and messages. The engine is the server of `ritt
 * serve`, or the library inside a browser. */
#include "view/view.h"

typedef struct runner {
  const ritti_page_run *run;
  ritti_view *view;
} runner;

static ritt_status drop_row(void *user, const double *values, size_t count) {
  (void)user, (void)values, (void)count;
  return RITT_OK;
}

static ritt_status take_fine(void *user, const double *values, size_t count) {
  runner *r = user;
  (void)count;
  return ritti_view_add(r->view, values);
}

static ritt_status take_event(void *user, const ritt_event *event) {
  runner *r = user;
  return ritti_view_add_event(r->view, event->name, event->before);
}

static ritt_status take_step(void *user, const ritt_progress *now) {
  runner *r = user;
  return r->run->step(r->run->user, r->view, now);
}

ritt_status ritti_page_run_model(ritt_model *model, const ritti_page_run *run, ritti_text *out,
                                 ritt_error *error) {
  ritti_view *view;
  RITT_TRY(ritti_view_new(model, error, &view));
  runner r = {.run = run, .view = view};
  ritt_options options = run->options;
  options.fine = take_fine;
  options.fine_points = ritti_view_fine_points(view);
  options.event = take_event;
  options.watch = take_step;
  options.fine_user = options.event_user = options.watch_user = &r;
  ritt_statistics statistics = {0};
  ritt_status status = ritt_model_run(model, &options, run->row ? run->row : drop_row, run->user,
                                      &statistics, error);

  /* what there is, also of a run that stopped */
  ritti_text summary = {0};
  ritti_text_add(&summary, "%s: %s\nmethod %s, %ld steps accepted, %ld rejected\nresidual %.2g\n",
                 ritt_model_name(model), statistics.kind ? statistics.kind : "",
                 statistics.method ? statistics.method : "none", statistics.accepted,
                 statistics.rejected, statistics.largest_residual);
  ritti_text_add(out, "\"view\":");
  if (ritti_view_write_data(view, summary.at, out) != RITT_OK) status = RITT_NO_MEMORY;
  ritti_text_add(out, ",\n");
  ritti_text_free(&summary);
  ritti_view_free(view);
  return status;
}

void ritti_page_add_messages(const ritt_error *error, ritti_text *out) {
  ritti_text_add(out, "\"messages\":[");
  for (size_t i = 0; i < ritt_error_count(error); i++) {
    const ritt_message *m = ritt_error_get(error, i);
    ritti_text_add(out, "%s{\"line\":%d,\"column\":%d,\"text\":", i ? "," : "", m->line, m->column);
    ritti_text_add_json(out, m->text);
    ritti_text_add(out, ",\"hint\":");
    ritti_text_add_json(out, m->hint ? m->hint : "");
    ritti_text_add(out, ",\"source\":");
    ritti_text_add_json(out, m->source ? m->source : "");
    ritti_text_add(out, ",\"file\":");
    ritti_text_add_json(out, m->file ? m->file : "");
    ritti_text_add(out, "}");
  }
  ritti_text_add(out, "]");
}
