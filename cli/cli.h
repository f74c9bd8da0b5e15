/* The program `ritt`: commands over include/ritt.h. Everything a script may read goes to stdout, the rest to
 * stderr. */
#ifndef RITT_CLI_H
#define RITT_CLI_H

#include "base/base.h"

/* ---- commands and their options ---------------------------------------------------------------------- */

/* One bit each, so that an option can say to which commands it belongs. */
enum {
  CLI_RUN = 1,
  CLI_CHECK = 2,
  CLI_COMPLETE = 4,
  CLI_METHODS = 8,
  CLI_READS = CLI_RUN | CLI_CHECK | CLI_COMPLETE
};

typedef struct cli_options {
  const char *file;
  RITTI_ARRAY(const char *) set; /* "NAME=VALUE", each with a name and a value */
  ritt_options run;
  const char *table, *plot, *as, *form, *kind;
  const char *start, *save_start; /* FILE[:ROW] to start from; file for the start section */
  bool quiet, json, help;
} cli_options;

typedef struct cli_command {
  const char *name;
  unsigned bit;
  const char *summary;                                       /* one line for the list of commands */
  const char *text;                                          /* for its own help */
  int (*run)(const cli_options *options, ritt_error *error); /* gives the exit code */
} cli_command;

int cli_run(const cli_options *options, ritt_error *error);
int cli_check(const cli_options *options, ritt_error *error);
int cli_complete(const cli_options *options, ritt_error *error);
int cli_methods(const cli_options *options, ritt_error *error);

/* Reads the arguments that follow the command's name. */
ritt_status cli_parse(const cli_command *command, char **arguments, cli_options *options,
                      ritt_error *error) RITT_USE;
void cli_add_help(ritti_text *out, const cli_command *command);

/* A hint "did you mean 'NEAREST'?" in `buffer`, or `otherwise` where nothing known is near. */
const char *cli_did_you_mean(const char *word, const char *const *known, size_t count, const char *otherwise,
                             char buffer[128]);

/* ---- models ------------------------------------------------------------------------------------------ */

/* Reads the model from the file or stdin and gives its parameters the values of --set. */
ritt_status cli_read_model(const cli_options *options, ritt_error *error, ritt_model **out) RITT_USE;

/* Takes start values from a row of a table, "FILE.csv[:ROW]", or from a start section in a file of another
 * name. */
ritt_status cli_take_start(ritt_model *model, const char *source, ritt_error *error) RITT_USE;
/* Writes the start point that is used as a start section. */
ritt_status cli_save_start(ritt_model *model, const char *path, ritt_error *error) RITT_USE;

/* ---- printing ---------------------------------------------------------------------------------------- */

/* All messages, to stderr; without any the meaning of a status that is not RITT_OK. */
void cli_print_messages(const ritt_error *error, ritt_status status);
/* A text, to stdout, and frees it; says when that fails. Gives the exit code. */
int cli_print(ritti_text *text);

/* JSON: members of one object, in order; the object is closed by cli_print_json. */
void cli_json_text(ritti_text *out, const char *key, const char *value); /* NULL: null */
void cli_json_count(ritti_text *out, const char *key, long value);       /* RITT_UNKNOWN: null */
void cli_json_real(ritti_text *out, const char *key, double value);      /* not finite: null */
void cli_json_list(ritti_text *out, const char *key, const char *const *item, size_t count);
void cli_json_moved(ritti_text *out, const ritt_moved *moved, size_t count);
int cli_print_json(ritti_text *out);

/* A moved value with as many digits as it takes to see that it moved. */
const char *cli_used_text(const ritt_moved *moved, char buffer[32]);

#endif
