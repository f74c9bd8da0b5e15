/* `ritt convert`: writes a result in another format. The result may be the log of a run that was
 * killed: it is read up to its last complete row. */
#include "cli.h"

/* Copies all rows to the writer; without a writer it only reads them. */
static ritt_status copy_rows(ritti_reader *reader, ritti_writer *writer, ritt_error *error) {
  RITT_TRY(ritti_reader_rewind(reader, error));
  for (;;) {
    const double *row;
    RITT_TRY(ritti_reader_row(reader, &row, error));
    if (!row) return RITT_OK;
    if (!writer) continue;
    RITT_TRY(ritti_writer_row(writer, row));
    if (cli_was_interrupted())
      return ritti_fail(error, RITT_STOPPED, NULL, "convert it again",
                        "the conversion was interrupted: rows are missing");
  }
}

/* Writes the result to one file. */
static ritt_status write_table(ritti_reader *reader, const cli_options *options, const char *path,
                               ritt_error *error) {
  ritti_file_format format;
  ritti_writer *writer;
  RITT_TRY(cli_table_format(options, path, error, &format));
  RITT_TRY(ritti_writer_open(path, format, ritti_reader_about(reader), error, &writer));
  ritt_status status = copy_rows(reader, writer, error);
  ritt_status closed = ritti_writer_close(writer, error);
  return closed != RITT_OK ? closed : status;
}

/* Refuses to write the file that is read. */
static ritt_status check_names(const cli_options *options, ritt_error *error) {
  for (size_t i = 0; i < options->tables.count; i++)
    if (!strcmp(options->tables.at[i], options->file) && strcmp(options->file, "-"))
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "give the new file another name",
                        "'%s' cannot be written while it is read", options->file);
  return RITT_OK;
}

int cli_convert(const cli_options *options, ritt_error *error) {
  ritti_reader *reader = NULL;
  ritt_status status = check_names(options, error);
  if (status == RITT_OK) status = ritti_reader_open(options->file, error, &reader);
  /* read the whole file first: a broken one must not produce any output */
  if (status == RITT_OK) status = copy_rows(reader, NULL, error);

  /* write the new files */
  cli_catch_interrupts();
  cli_limits_run(true);
  for (size_t i = 0; i < options->tables.count && status == RITT_OK; i++)
    status = write_table(reader, options, options->tables.at[i], error);
  ritti_reader_close(reader);
  cli_print_messages(error, status);
  return ritt_status_exit_code(status);
}
