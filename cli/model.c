/* Reads the model of a command from a file or stdin and applies the options that change it. */
#include <errno.h>
#include <stdio.h>
#include "cli.h"

enum { LARGEST = 1 << 26 }; /* bytes of a model from stdin */

/* Reads all of stdin, up to a limit. */
static ritt_status read_stdin(ritti_text *text, ritt_error *error) {
  char bytes[1 << 14];
  size_t n;
  while ((n = fread(bytes, 1, sizeof bytes, stdin)) > 0) {
    ritti_text_add_bytes(text, bytes, n);
    if (text->count > LARGEST)
      return ritti_fail(error, RITT_WRONG_MODEL, NULL, NULL,
                        "the model on stdin is longer than %d MiB", LARGEST >> 20);
  }
  if (ferror(stdin))
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot read the model from stdin: %s",
                      strerror(errno));
  return text->status == RITT_OK ? RITT_OK : ritti_no_memory(error);
}

/* Reads the model from stdin, or from the text that a checkpoint has kept. */
static ritt_status read_text(const cli_options *options, ritt_error *error, ritt_model **out) {
  ritti_text text = {0};
  if (options->text)
    return ritt_model_read_text(options->text, strlen(options->text), "stdin", error, out);
  ritt_status status = read_stdin(&text, error);
  if (status == RITT_OK)
    status = ritt_model_read_text(text.at ? text.at : "", text.count, "stdin", error, out);
  ritti_text_free(&text);
  return status;
}

/* Applies one --set NAME=VALUE. */
static ritt_status apply_setting(ritt_model *model, const char *setting, ritt_error *error) {
  const char *equals = strchr(setting, '=');
  ritti_text name = {0};
  ritti_text_add_bytes(&name, setting, (size_t)(equals - setting));
  ritt_status status = name.status == RITT_OK ? ritt_model_set(model, name.at, equals + 1, error)
                                              : ritti_no_memory(error);
  ritti_text_free(&name);
  return status;
}

/* Adds the derivatives that --sensitivity asks for. */
static ritt_status add_derivatives(const cli_options *options, ritt_model *model,
                                   ritt_error *error) {
  cli_names names = {0};
  ritt_status status = cli_list_names(&options->sensitivity, &names, error);
  if (status == RITT_OK)
    status = ritt_model_sensitivity(model, (const char *const *)names.at, names.count, error);
  cli_free_names(&names);
  return status;
}

/* Applies the options to a model. */
static ritt_status adapt_model(const cli_options *options, ritt_model *model, ritt_error *error) {
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < options->set.count && status == RITT_OK; i++)
    status = apply_setting(model, options->set.at[i], error);
  if ((options->singular || options->singular_limit > 0) && status == RITT_OK)
    status = ritt_model_singular(model, options->singular, options->singular_limit, error);
  if (options->branch && status == RITT_OK)
    status = ritt_model_branch(model, options->branch, error);
  if (options->kind && status == RITT_OK) status = ritt_model_kind(model, options->kind, error);
  if (options->follow && status == RITT_OK)
    status = ritt_model_follow(model, options->follow, error);
  if (options->start && status == RITT_OK) status = cli_take_start(model, options->start, error);
  if (options->sensitivity.count > 0 && status == RITT_OK)
    status = add_derivatives(options, model, error);
  return status;
}

/* Reads the model from its file. */
static ritt_status read_file(const cli_options *options, ritt_error *error, ritt_model **out) {
  return ritt_model_read_folders(options->file, options->folders.at, options->folders.count, error,
                                 out);
}

ritt_status cli_read_model(const cli_options *options, ritt_error *error, ritt_model **out) {
  *out = NULL;
  RITT_TRY(strcmp(options->file, "-") ? read_file(options, error, out)
                                      : read_text(options, error, out));
  return adapt_model(options, *out, error);
}

ritt_status cli_read_model_as(const cli_options *options, const char *text, size_t length,
                              ritt_error *error, ritt_model **out) {
  RITT_TRY(ritt_model_read_as(options->file, text, length, options->folders.at,
                              options->folders.count, error, out));
  return adapt_model(options, *out, error);
}

ritt_status cli_copy_model(const cli_options *options, const ritt_model *first, ritt_error *error,
                           ritt_model **out) {
  const char *text = ritt_model_text(first);
  *out = NULL;
  RITT_TRY(strcmp(options->file, "-")
               ? read_file(options, error, out)
               : ritt_model_read_text(text, strlen(text), "stdin", error, out));
  if (strcmp(ritt_model_text(*out), text))
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "'%s' was changed while it was read",
                      options->file);
  return adapt_model(options, *out, error);
}
