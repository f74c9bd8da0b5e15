/* `ritt emit`: writes the solver of a model as a self-contained C file. */
#include "cli.h"

int cli_emit(const cli_options *options, ritt_error *error) {
  ritt_model *model = NULL;
  ritti_text out = {0};
  const char *text = NULL;
  bool to_file = options->source && strcmp(options->source, "-");

  /* make the C code */
  ritt_status status = cli_read_model(options, error, &model);
  if (status == RITT_OK) status = ritt_model_emit_c(model, &options->run, error, &text);

  /* write it to the file or to stdout */
  if (status == RITT_OK && to_file)
    status = ritti_file_replace(options->source, text, strlen(text), error);
  if (status == RITT_OK && !to_file) ritti_text_add_bytes(&out, text, strlen(text));
  ritt_model_free(model);
  if (status == RITT_OK) return to_file ? 0 : cli_print(&out);
  cli_print_messages(error, status);
  return ritt_status_exit_code(status);
}
