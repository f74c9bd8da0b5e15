/* The manual page, made from the same tables as the help texts: commands, options, exit codes.
 * `ritt --man` prints it; the build installs it. */
#include "cli.h"

const char *const cli_exit_codes[4] = {"done", "the numerics stopped early",
                                       "the model or the call is wrong",
                                       "the system failed (disk full, out of memory)"};

/* Adds a text for troff: with plain hyphens, and without commands at the beginning of lines. */
static void add_troff(ritti_text *out, const char *text) {
  for (const char *c = text; *c; c++) {
    bool first = out->count == 0 || out->at[out->count - 1] == '\n';
    if (first && (*c == '.' || *c == '\'')) ritti_text_add(out, "\\&");
    if (*c == '-') ritti_text_add(out, "\\-");
    else if (*c == '\\') ritti_text_add(out, "\\e");
    else ritti_text_add_bytes(out, c, 1);
  }
}

/* Adds the line of a command in the synopsis. */
static void add_synopsis(ritti_text *out, const cli_command *command) {
  ritti_text_add(out, ".B ritt %s\n", command->name);
  if (command->arguments) ritti_text_add(out, ".I %s\n", command->arguments);
  ritti_text_add(out, "[\\fIOPTION\\fR]...\n");
}

/* Adds an option and its text. */
static void add_option(ritti_text *out, const cli_option *option) {
  ritti_text_add(out, ".TP\n.B ");
  add_troff(out, option->name);
  if (option->value) {
    ritti_text_add(out, " \\fI");
    add_troff(out, option->value);
    ritti_text_add(out, "\\fR");
  }
  ritti_text_add(out, "\n");
  add_troff(out, option->text);
  ritti_text_add(out, "\n");
}

/* Adds the section of a command with the options that only a few commands have. */
static void add_command(ritti_text *out, const cli_command *command) {
  cli_option option;
  ritti_text_add(out, ".SS ritt %s", command->name);
  if (command->arguments) ritti_text_add(out, " %s", command->arguments);
  ritti_text_add(out, "\n");
  add_troff(out, command->text);
  ritti_text_add(out, "\n");
  for (size_t i = 0; cli_option_get(command, i, &option); i++)
    if (option.scope == CLI_OWN) add_option(out, &option);
}

static bool takes_settings(const cli_command *command) {
  cli_option option;
  for (size_t i = 0; cli_option_get(command, i, &option); i++)
    if (option.scope == CLI_OF_RUNS) return true;
  return false;
}

/* Adds the options that many commands share, each once: those of commands that read a model, and the
 * settings of a run in their groups. */
static void add_shared_options(ritti_text *out, const cli_command *commands, size_t count) {
  const cli_command *run = cli_find_command("run");
  cli_option option;
  ritti_text_add(out, ".SH OPTIONS OF ALL COMMANDS THAT READ A MODEL\n");
  for (size_t i = 0; cli_option_get(run, i, &option); i++)
    if (option.scope == CLI_OF_MODELS) add_option(out, &option);

  ritti_text_add(out, ".SH OPTIONS OF A RUN\nThe commands");
  const char *before = " ";
  for (size_t i = 0; i < count; i++)
    if (takes_settings(&commands[i])) {
      ritti_text_add(out, "%s%s", before, commands[i].name);
      before = ", ";
    }
  ritti_text_add(out, " take these options:\n");
  for (cli_group group = 0; group < CLI_GROUPS; group++) {
    ritti_text_add(out, ".SS %s\n", cli_group_names[group]);
    for (size_t i = 0; cli_option_get(run, i, &option); i++)
      if (option.scope == CLI_OF_RUNS && option.group == group) add_option(out, &option);
  }
}

void cli_add_man(ritti_text *out, const cli_command *commands, size_t count) {
  /* the name and the synopsis */
  ritti_text_add(out, ".TH RITT 1 \"\" \"ritt %s\" \"User Commands\"\n", ritt_version());
  ritti_text_add(
      out,
      ".SH NAME\nritt \\- solve ordinary differential systems as they are written\n.SH SYNOPSIS\n");
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ritti_text_add(out, ".br\n");
    add_synopsis(out, &commands[i]);
  }
  ritti_text_add(out, ".br\n.B ritt \\-\\-help\n.br\n.B ritt \\-\\-version\n.SH DESCRIPTION\n");

  /* the description */
  add_troff(
      out,
      "Ritt solves ordinary differential systems as they are written: ODEs, DAEs of any index, "
      "systems with more equations than unknowns, systems with invariants. It differentiates the "
      "equations until every hidden constraint is known, and follows the solution on the "
      "manifold that all of them define.\n");
  ritti_text_add(out, ".PP\n");
  add_troff(
      out,
      "Output that a script may read goes to stdout, everything else to stderr. The value of an "
      "option follows it as in --tol 1e-8 or --tol=1e-8. After -- every word is a file name.\n");

  /* the commands and the options */
  ritti_text_add(out, ".SH COMMANDS\n");
  for (size_t i = 0; i < count; i++) add_command(out, &commands[i]);
  add_shared_options(out, commands, count);

  /* the exit codes and an example */
  ritti_text_add(out, ".SH EXIT STATUS\n");
  for (int code = 0; code < 4; code++) {
    ritti_text_add(out, ".TP\n.B %d\n", code);
    add_troff(out, cli_exit_codes[code]);
    ritti_text_add(out, "\n");
  }
  ritti_text_add(out, ".SH EXAMPLE\n.nf\n");
  add_troff(
      out,
      "ritt check pendulum.ritt\nritt run pendulum.ritt --tol 1e-10 -o pendulum.h5 --plot pendulum.svg\n"
      "ritt plot pendulum.h5 --y x,y -o xy.png\n");
  ritti_text_add(out, ".fi\n.SH SEE ALSO\n.BR gnuplot (1)\n");
}
