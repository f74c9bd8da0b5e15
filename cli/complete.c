/* `ritt complete`: prints the completed system as text, LaTeX or JSON, or the branches of its
 * constraints. */
#include "cli.h"

/* Finds the text to print. */
static ritt_status find_text(ritt_model *model, const cli_options *options, ritti_text *out,
                             ritt_error *error) {
  const char *as = options->as ? options->as : "text", *text;

  /* choose the form */
  ritt_form form = RITT_TEXT;
  if (!strcmp(as, "json")) form = RITT_JSON;
  if (!strcmp(as, "latex")) form = RITT_LATEX;
  ritt_system system =
      options->form && !strcmp(options->form, "involutive") ? RITT_INVOLUTIVE : RITT_REDUCED;

  /* find the text; it ends with a line end */
  if (options->branches && form == RITT_LATEX)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "use --as text or --as json",
                      "the list of branches has no form for LaTeX");
  if (options->branches) RITT_TRY(ritt_model_branches(model, form, error, &text));
  else RITT_TRY(ritt_model_complete(model, system, form, error, &text));
  ritti_text_add(out, "%s", text);
  if (out->count && out->at[out->count - 1] != '\n') ritti_text_add(out, "\n");
  return RITT_OK;
}

int cli_complete(const cli_options *options, ritt_error *error) {
  ritt_model *model = NULL;
  ritti_text out = {0};
  ritt_status status = cli_read_model(options, error, &model);
  if (status == RITT_OK) status = find_text(model, options, &out, error);
  ritt_model_free(model);
  if (status == RITT_OK) return cli_print(&out);
  cli_print_messages(error, status);
  ritti_text_free(&out);
  return ritt_status_exit_code(status);
}

int cli_explain(const cli_options *options, ritt_error *error) {
  ritt_model *model = NULL;
  ritti_text out = {0};
  const ritt_check *check;
  const char *words;
  ritt_status status = cli_read_model(options, error, &model);
  if (status == RITT_OK) status = ritt_model_check(model, error, &check);
  if (status == RITT_OK)
    status = ritt_model_complete(model, RITT_REDUCED, RITT_WORDS, error, &words);
  if (status == RITT_OK)
    ritti_text_add(&out, "%s: %d equation%s for %d unknown%s\n%s", check->model, check->equations,
                   check->equations == 1 ? "" : "s", check->unknowns,
                   check->unknowns == 1 ? "" : "s", words);
  ritt_model_free(model);
  if (status == RITT_OK) return cli_print(&out);
  cli_print_messages(error, status);
  ritti_text_free(&out);
  return ritt_status_exit_code(status);
}
