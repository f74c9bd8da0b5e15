/* `ritt orbit`: a periodic orbit near the start of a model. */
#include <math.h>
#include "cli.h"

typedef struct job {
  const cli_options *options;
  ritt_model *model;
  cli_names hold;
  ritt_orbit *orbit;
} job;

static ritt_status find_orbit(job *j, ritt_error *error) {
  const cli_options *o = j->options;
  ritt_orbit_options how = ritt_orbit_options_default();
  if (!(o->period > 0))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "write --period 6.5",
                      "'ritt orbit' needs a guess of the period");
  RITT_TRY(cli_list_names(&o->hold, &j->hold, error));
  how.hold = (const char *const *)j->hold.at;
  how.hold_count = j->hold.count;
  how.fixed_period = o->fixed_period;
  if (o->segments > 0) how.segments = o->segments;
  RITT_TRY(cli_read_model(o, error, &j->model));
  return ritt_model_orbit(j->model, o->period, &how, &o->run, error, &j->orbit);
}

static void add_text(const job *j, ritti_text *out) {
  const ritt_orbit *r = j->orbit;
  static const char *const words[] = {"unstable", "not decided by the multipliers", "stable"};
  ritti_text_add(out, "%s has a periodic orbit of period %.12g; stability: %s\n",
                 ritt_model_name(j->model), r->period, words[r->stable + 1]);
  for (size_t i = 0; i < r->states; i++) {
    double value = fabs(r->start[i]) < 1e-12 ? 0 : r->start[i]; /* rounding */
    ritti_text_add(out, "  %-12s %.12g\n", r->state_names[i], value);
  }
  ritti_text_add(out, "multipliers\n  %-20s %-20s %s\n", "real part", "imaginary part", "size");
  for (size_t i = 0; i < r->states; i++) {
    double re = r->multiplier_real[i], im = r->multiplier_imaginary[i];
    if (im < 0) continue; /* it stands in the line of its partner */
    ritti_text_add(out, "  %-20.10g ", re);
    if (im == 0) ritti_text_add(out, "%-20s", "0");
    else ritti_text_add(out, "+-%-18.10g", im);
    ritti_text_add(out, " %.6g\n", hypot(re, im));
  }
}

static void add_json(const job *j, ritti_text *out) {
  const ritt_orbit *r = j->orbit;
  size_t n = r->states;
  cli_json_text(out, "model", ritt_model_name(j->model));
  cli_json_real(out, "period", r->period);
  cli_json_list(out, "states", r->state_names, n);
  cli_json_vector(out, "start", r->start, n);
  cli_json_vector(out, "multipliers_real", r->multiplier_real, n);
  cli_json_vector(out, "multipliers_imaginary", r->multiplier_imaginary, n);
  cli_json_matrix(out, "monodromy", r->monodromy, n, n);
  cli_json_count(out, "stable", r->stable);
  cli_json_real(out, "residual", r->residual);
  cli_json_count(out, "iterations", r->iterations);
}

int cli_orbit(const cli_options *options, ritt_error *error) {
  job j = {.options = options};
  ritti_text out = {0};
  int printed = 0;
  ritt_status status = find_orbit(&j, error);
  if (status == RITT_OK && options->save_start)
    status = cli_save_start(j.model, options->save_start, error);
  cli_print_messages(error, status);
  if (j.orbit && options->json) {
    add_json(&j, &out);
    printed = cli_print_json(&out);
  } else if (j.orbit) {
    add_text(&j, &out);
    printed = cli_print(&out);
  }
  ritt_orbit_free(j.orbit);
  ritt_model_free(j.model);
  cli_free_names(&j.hold);
  return printed ? printed : ritt_status_exit_code(status);
}
