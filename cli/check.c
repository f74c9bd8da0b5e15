/* `ritt check`: reports the kind of a model's system, in words or as JSON. */
#include "cli.h"

static const ritt_check nothing_known = {
    .unknowns = RITT_UNKNOWN,
    .equations = RITT_UNKNOWN,
    .invariants = RITT_UNKNOWN,
    .degrees_of_freedom = RITT_UNKNOWN,
    .index = RITT_UNKNOWN,
    .hidden_constraints = RITT_UNKNOWN,
};

/* The report as the members of a JSON object. */
static void add_json(ritti_text *out, const ritt_check *c, const char *reason) {
  /* the model as written */
  cli_json_text(out, "model", c->model);
  cli_json_count(out, "unknowns", c->unknowns);
  cli_json_list(out, "variables", c->variables, c->variable_count);
  cli_json_count(out, "equations", c->equations);
  cli_json_count(out, "invariants", c->invariants);

  /* the verdict and the structure of the completed system */
  cli_json_text(out, "verdict", c->verdict);
  cli_json_text(out, "reason", reason);
  cli_json_text(out, "kind", c->kind);
  cli_json_count(out, "degrees_of_freedom", c->degrees_of_freedom);
  cli_json_count(out, "index", c->index);
  cli_json_count(out, "hidden_constraints", c->hidden_constraints);

  /* remarks */
  cli_json_list(out, "dependent_equations", c->dependent_equations, c->dependent_count);
  cli_json_list(out, "undetermined_variables", c->undetermined_variables, c->undetermined_count);
  cli_json_list(out, "non_unique", c->non_unique, c->non_unique_count);
  cli_json_moved(out, c->moved, c->moved_count);
  cli_json_list(out, "singular_points", c->singular_points, c->singular_count);
  cli_json_list(out, "notes", c->notes, c->note_count);
}

int cli_check(const cli_options *options, ritt_error *error) {
  ritt_model *model = NULL;
  ritti_text out = {0};
  const ritt_check *check = NULL;

  /* check the model */
  ritt_status status = cli_read_model(options, error, &model);
  if (status == RITT_OK) status = ritt_model_check(model, error, &check);
  if (status == RITT_OK && options->save_start)
    status = cli_save_start(model, options->save_start, error);
  cli_print_messages(error, status);
  /* without a verdict the first message is the reason */
  bool known = check && check->verdict;
  const char *reason = NULL;
  if (known) reason = check->reason;
  else if (ritt_error_count(error)) reason = ritt_error_get(error, 0)->text;

  /* print the report */
  int printed = 0;
  if (options->json) {
    add_json(&out, known ? check : &nothing_known, reason);
    printed = cli_print_json(&out);
  } else if (known) {
    ritti_text_add(&out, "%s%s", check->text, options->tree ? check->tree : "");
    printed = cli_print(&out);
  }
  ritt_model_free(model);
  if (printed) return printed;

  /* a model that is not determined gives 2; only failures of the system give 3 */
  if (status == RITT_OK) return 0;
  return ritt_status_exit_code(status) == 3 ? 3 : 2;
}
