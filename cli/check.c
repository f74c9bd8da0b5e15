/* `ritt check`: what kind of system a model is, in words or as JSON. */
#include "cli.h"

static const ritt_check nothing_known = {
    .unknowns = RITT_UNKNOWN,
    .equations = RITT_UNKNOWN,
    .degrees_of_freedom = RITT_UNKNOWN,
    .index = RITT_UNKNOWN,
    .hidden_constraints = RITT_UNKNOWN,
};

static void add_json(ritti_text *out, const ritt_check *c, const char *reason) {
  cli_json_text(out, "model", c->model);
  cli_json_count(out, "unknowns", c->unknowns);
  cli_json_count(out, "equations", c->equations);
  cli_json_text(out, "verdict", c->verdict);
  cli_json_text(out, "reason", reason);
  cli_json_text(out, "kind", c->kind);
  cli_json_count(out, "degrees_of_freedom", c->degrees_of_freedom);
  cli_json_count(out, "index", c->index);
  cli_json_count(out, "hidden_constraints", c->hidden_constraints);
  cli_json_list(out, "dependent_equations", c->dependent_equations, c->dependent_count);
  cli_json_list(out, "undetermined_variables", c->undetermined_variables, c->undetermined_count);
  cli_json_list(out, "non_unique", c->non_unique, c->non_unique_count);
  cli_json_moved(out, c->moved, c->moved_count);
  cli_json_list(out, "singular_points", c->singular_points, c->singular_count);
  cli_json_list(out, "notes", c->notes, c->note_count);
}

/* ---- in words ---------------------------------------------------------------------------------------- */

static void add_count(ritti_text *out, const char *words, int value) {
  if (value == RITT_UNKNOWN) ritti_text_add(out, "  %s: not computed\n", words);
  else ritti_text_add(out, "  %s: %d\n", words, value);
}

static void add_list(ritti_text *out, const char *words, const char *const *item, size_t count) {
  if (!count) return;
  ritti_text_add(out, "  %s: ", words);
  for (size_t i = 0; i < count; i++) ritti_text_add(out, "%s%s", i ? ", " : "", item[i]);
  ritti_text_add(out, "\n");
}

static void add_moved(ritti_text *out, const ritt_moved *moved, size_t count) {
  int width = 4;
  if (!count) return;
  for (size_t i = 0; i < count; i++)
    if ((int)strlen(moved[i].name) > width) width = (int)strlen(moved[i].name);
  ritti_text_add(out, "  start values moved onto the manifold:\n    %-*s  %-24s  %-24s  %s\n", width, "name",
                 "typed", "used", "difference");
  for (size_t i = 0; i < count; i++) {
    char typed[32], used[32];
    ritti_text_add(out, "    %-*s  %-24s  %-24s  %+.2e\n", width, moved[i].name,
                   ritti_shortest(moved[i].typed, typed), cli_used_text(&moved[i], used),
                   moved[i].used - moved[i].typed);
  }
}

static void add_words(ritti_text *out, const ritt_check *c) {
  bool determined = !strcmp(c->verdict, "determined");
  ritti_text_add(out, "%s: %s\n", c->model, c->verdict);
  if (c->reason) ritti_text_add(out, "  reason: %s\n", c->reason);
  ritti_text_add(out, "  unknowns: %d, equations: %d\n", c->unknowns, c->equations);
  if (c->kind) ritti_text_add(out, "  kind: %s\n", c->kind);
  if (determined) {
    add_count(out, "free initial values", c->degrees_of_freedom);
    add_count(out, "index", c->index);
    add_count(out, "hidden constraints", c->hidden_constraints);
  }
  add_list(out, "dependent equations", c->dependent_equations, c->dependent_count);
  add_list(out, "undetermined variables", c->undetermined_variables, c->undetermined_count);
  add_list(out, "not unique (the values of least norm are used)", c->non_unique, c->non_unique_count);
  add_moved(out, c->moved, c->moved_count);
  for (size_t i = 0; i < c->singular_count; i++)
    ritti_text_add(out, "  %s %s\n",
                   i ? "                       " : "singular points nearby:", c->singular_points[i]);
  for (size_t i = 0; i < c->note_count; i++) ritti_text_add(out, "  note: %s\n", c->notes[i]);
}

int cli_check(const cli_options *options, ritt_error *error) {
  ritt_model *model = NULL;
  ritti_text out = {0};
  const ritt_check *check = NULL;
  ritt_status status = cli_read_model(options, error, &model);
  if (status == RITT_OK) status = ritt_model_check(model, error, &check);
  if (status == RITT_OK && options->save_start) status = cli_save_start(model, options->save_start, error);
  cli_print_messages(error, status);
  // without a verdict the message is the reason
  bool known = check && check->verdict;
  const char *reason = known                     ? check->reason
                       : ritt_error_count(error) ? ritt_error_get(error, 0)->text
                                                 : NULL;
  int code = status == RITT_OK ? 0 : ritt_status_exit_code(status) == 3 ? 3 : 2;
  if (options->json) add_json(&out, known ? check : &nothing_known, reason);
  else if (known) add_words(&out, check);
  int printed = options->json ? cli_print_json(&out) : known ? cli_print(&out) : 0;
  ritt_model_free(model);
  return printed ? printed : code;
}
