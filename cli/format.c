/* `ritt format`: rewrites a model in canonical layout, in place; --check only reports whether it is
 * in this layout. */
#include <errno.h>
#include <stdio.h>
#include "cli.h"

/* Reports a failed read or write. */
static ritt_status report_failure(const char *what, const char *path, ritt_error *error) {
  return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot %s '%s': %s", what, path,
                    strerror(errno));
}

/* Reads a file or stdin. */
static ritt_status read_all(const char *path, ritti_text *text, ritt_error *error) {
  bool standard = !strcmp(path, "-");
  FILE *file = standard ? stdin : fopen(path, "rb");
  char buffer[4096];
  size_t count;
  if (!file)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "check the name and the folder",
                      "cannot open '%s': %s", path, strerror(errno));

  /* read everything */
  while ((count = fread(buffer, 1, sizeof buffer, file)) > 0)
    ritti_text_add_bytes(text, buffer, count);
  bool bad = ferror(file) != 0;
  if (!standard) fclose(file);

  /* report failures */
  if (text->status != RITT_OK) return ritti_no_memory(error);
  return bad ? report_failure("read", path, error) : RITT_OK;
}

/* Formats the model. *same: it was in canonical layout already. */
static ritt_status format_file(const cli_options *options, ritt_error *error, bool *same) {
  ritti_text text = {0};
  char *out = NULL;
  const char *path = options->file;
  ritt_status status = read_all(path, &text, error);
  if (status == RITT_OK)
    status = ritt_format(text.at ? text.at : "", text.count, strcmp(path, "-") ? path : "stdin",
                         error, &out);
  *same = out && text.count == strlen(out) && (!text.count || !memcmp(text.at, out, text.count));

  /* write it, unless nothing has changed */
  if (status == RITT_OK && !options->only_check) {
    if (!strcmp(path, "-"))
      status = fputs(out, stdout) >= 0 && fflush(stdout) == 0
                   ? RITT_OK
                   : report_failure("write", "stdout", error);
    else if (!*same) status = ritti_file_replace(path, out, strlen(out), error);
  }
  ritti_text_free(&text);
  ritt_free(out);
  return status;
}

int cli_format(const cli_options *options, ritt_error *error) {
  bool same = true;
  ritt_status status = format_file(options, error, &same);
  cli_print_messages(error, status);
  if (status != RITT_OK) return ritt_status_exit_code(status);
  if (options->only_check && !same) fprintf(stderr, "%s: not in canonical layout\n", options->file);
  return options->only_check && !same ? 1 : 0;
}
