/* The tables of a run: every -o is a file that receives each row during the run, and at the end the
 * facts about the run. */
#include "cli.h"

/* Adds --set g=2 as the setting "set g". If a name is set twice, the last value counts. */
static ritt_status add_set(cli_tables *tables, const char *set) {
  size_t name = strcspn(set, "=");
  const char *key = ritti_arena_format(tables->arena, "set %.*s", (int)name, set);
  if (!key) return RITT_NO_MEMORY;
  ritti_fact fact = {.key = key, .text = set + name + 1};
  for (size_t i = 0; i < tables->settings.count; i++)
    if (!strcmp(tables->settings.at[i].key, key)) {
      tables->settings.at[i] = fact;
      return RITT_OK;
    }
  return RITTI_PUSH(tables->settings, fact);
}

/* Lists the files that the model's text names, if their texts are available. */
static ritt_status list_files(cli_tables *tables, const ritt_model *model) {
  const char *name, *text;
  size_t count = 0;
  ritti_fact *fact;
  while (ritt_model_file(model, count, &name, &text)) count++;
  RITTI_NEW(fact, tables->arena, count + 1);
  for (size_t i = 0; i < count; i++)
    if (ritt_model_file(model, i, &name, &text) && text)
      fact[tables->about.files.count++] = (ritti_fact){.key = name, .text = text};
  tables->about.files.at = fact;
  return RITT_OK;
}

ritt_status cli_tables_init(cli_tables *tables, const cli_options *options, ritt_model *model,
                            ritt_error *error) {
  *tables = (cli_tables){.options = options, .arena = ritti_arena_new()};
  if (!tables->arena) return ritti_no_memory(error);

  /* the columns */
  RITT_TRY(ritt_model_columns(model, error, &tables->about.name, &tables->about.columns));
  size_t all;
  RITT_TRY(ritt_model_units(model, error, &tables->about.unit, &all));

  /* the settings and the files of the model */
  ritt_status status = cli_list_settings(options, &tables->settings);
  for (size_t i = 0; i < options->set.count && status == RITT_OK; i++)
    status = add_set(tables, options->set.at[i]);
  if (status == RITT_OK) status = list_files(tables, model);
  if (status != RITT_OK) return ritti_no_memory(error);

  /* the facts that are known now */
  tables->about.title = ritt_model_title(model);
  tables->about.model = ritt_model_text(model);
  tables->about.version = ritt_version();
  tables->about.settings = (ritti_facts){tables->settings.at, tables->settings.count};
  return RITT_OK;
}

ritt_status cli_tables_open(cli_tables *tables, const ritti_mark **from, ritt_error *error) {
  const cli_words *paths = &tables->options->tables;
  for (size_t i = 0; i < paths->count; i++) {
    ritti_file_format format;
    ritti_writer *writer;
    RITT_TRY(cli_table_format(tables->options, paths->at[i], error, &format));
    RITT_TRY(
        cli_open_writer(tables->kept, from, paths->at[i], format, &tables->about, error, &writer));
    if (RITTI_PUSH(tables->writers, writer) == RITT_OK) continue;
    (void)(ritti_writer_close(writer, error) == RITT_OK);
    return ritti_no_memory(error);
  }
  return RITT_OK;
}

ritt_status cli_tables_mark(const cli_tables *tables, cli_marks *marks, ritt_error *error) {
  for (size_t i = 0; i < tables->writers.count; i++)
    RITT_TRY(cli_take_mark(marks, tables->writers.at[i], error));
  return RITT_OK;
}

void cli_tables_drop_logs(const cli_tables *tables) {
  const cli_words *paths = &tables->options->tables;
  for (size_t i = 0; i < paths->count; i++) {
    ritti_file_format format;
    if (cli_table_format(tables->options, paths->at[i], NULL, &format) == RITT_OK)
      ritti_writer_drop_log(paths->at[i], format);
  }
}

ritt_status cli_tables_row(cli_tables *tables, const double *values, ritt_error *error) {
  ritt_status status = RITT_OK;
  const ritti_mark *none = NULL;
  if (tables->writers.count == 0) RITT_TRY(cli_tables_open(tables, &none, error));
  /* if a file fails, the run ends, but all other files get the row */
  for (size_t i = 0; i < tables->writers.count; i++) {
    ritt_status written = ritti_writer_row(tables->writers.at[i], values);
    if (written != RITT_OK) status = written;
  }
  return status;
}

/* Only statistics that every repetition of the run reproduces go into files. */
ritt_status cli_list_statistics(const ritt_statistics *s, cli_facts *out) {
  ritt_statistic row;
  for (size_t i = 0; ritt_statistic_get(i, &row); i++) {
    const void *at = (const char *)s + row.offset;
    ritti_fact fact = {.key = row.name};
    if (!row.in_files) continue;

    /* the value of the statistic as a fact */
    switch (row.type) {
    case RITT_STATISTIC_TEXT:
      fact.kind = RITTI_FACT_TEXT;
      fact.text = *(const char *const *)at;
      break;
    case RITT_STATISTIC_FLAG:
      fact.kind = RITTI_FACT_COUNT;
      fact.number = *(const int *)at;
      break;
    case RITT_STATISTIC_COUNT:
      fact.kind = RITTI_FACT_COUNT;
      fact.number = (double)*(const long *)at;
      break;
    case RITT_STATISTIC_REAL:
      fact.kind = RITTI_FACT_REAL;
      fact.number = *(const double *)at;
      break;
    }

    /* unknown texts are left out */
    if (fact.kind != RITTI_FACT_TEXT || fact.text) RITT_TRY(RITTI_PUSH(*out, fact));
  }
  return RITT_OK;
}

ritt_status cli_tables_close(cli_tables *tables, const ritt_statistics *statistics,
                             ritt_error *error) {
  ritt_status status = cli_list_statistics(statistics, &tables->statistics);
  if (status != RITT_OK) ritti_no_memory(error);
  tables->about.statistics = (ritti_facts){tables->statistics.at, tables->statistics.count};
  for (size_t i = 0; i < tables->writers.count; i++) {
    ritt_status closed = ritti_writer_close(tables->writers.at[i], error);
    if (status == RITT_OK) status = closed;
  }
  tables->whole = tables->writers.count == tables->options->tables.count && status == RITT_OK;
  tables->writers.count = 0;
  return status;
}

void cli_tables_free(cli_tables *tables) {
  for (size_t i = 0; i < tables->writers.count; i++) ritti_writer_abandon(tables->writers.at[i]);
  RITTI_ARRAY_FREE(tables->writers);
  RITTI_ARRAY_FREE(tables->settings);
  RITTI_ARRAY_FREE(tables->statistics);
  ritti_arena_free(tables->arena);
}
