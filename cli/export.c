/* `ritt export fmu`: writes a model as a functional mock-up unit. */
#include "cli.h"

int cli_export(const cli_options *options, ritt_error *error) {
  ritt_model *model = NULL;
  const ritt_file *files;
  size_t count;
  ritti_text path = {0};
  int version = options->fmi && !strcmp(options->fmi, "2") ? 2 : 3;

  /* the archive has the name of the model unless -o gives another; compiling takes long, so the path is
   * checked first */
  ritt_status status = cli_read_model(options, error, &model);
  if (status == RITT_OK) {
    if (options->source) ritti_text_add(&path, "%s", options->source);
    else ritti_text_add(&path, "%s.fmu", ritt_model_name(model));
    status = path.status == RITT_OK ? ritti_file_check(path.at, error) : ritti_no_memory(error);
  }

  /* make the files */
  if (status == RITT_OK)
    status = ritt_model_export_fmu(model, &options->run, version, options->unit_kind, error, &files,
                                   &count);
  if (status == RITT_OK) status = ritti_write_archive(path.at, files, count, error);
  ritti_text_free(&path);
  ritt_model_free(model);
  if (status == RITT_OK) return 0;
  cli_print_messages(error, status);
  return ritt_status_exit_code(status);
}
