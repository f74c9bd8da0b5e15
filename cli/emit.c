/* `ritt emit`: writes the solver of a model as a self-contained C file. */
#include <errno.h>
#include <stdio.h>
#include "cli.h"

/* Writes the code to a file. */
static ritt_status write_file(const char *path, const char *text, ritt_error *error) {
  FILE *file = fopen(path, "wb");
  bool written = file && fputs(text, file) >= 0;
  int reason = errno;
  if (file && fclose(file) != 0) {
    written = false;
    reason = errno;
  }
  if (written) return RITT_OK;
  return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot write '%s': %s", path,
                    strerror(reason));
}

int cli_emit(const cli_options *options, ritt_error *error) {
  ritt_model *model = NULL;
  ritti_text out = {0};
  const char *text = NULL;
  bool to_file = options->source && strcmp(options->source, "-");

  /* make the C code */
  ritt_status status = cli_read_model(options, error, &model);
  if (status == RITT_OK) status = ritt_model_emit_c(model, &options->run, error, &text);

  /* write it to the file or to stdout */
  if (status == RITT_OK && to_file) status = write_file(options->source, text, error);
  if (status == RITT_OK && !to_file) ritti_text_add_bytes(&out, text, strlen(text));
  ritt_model_free(model);
  if (status == RITT_OK) return to_file ? 0 : cli_print(&out);
  cli_print_messages(error, status);
  return ritt_status_exit_code(status);
}
