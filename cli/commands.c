/* The commands of the program: finds the command, reads its options and runs it. The exit codes are
 * those of ritt_status_exit_code. */
#include "cli.h"

/* The texts are paragraphs; the help wraps them. */
static const cli_command commands[] = {
    {"new", "NAME", CLI_NEW, "write a model to start from",
     "Writes NAME.ritt, a small model with comments. Change it into yours.", cli_new},
    {"check", "FILE", CLI_CHECK, "say what kind of system a model is, and what is wrong with it",
     "Completes the model and finds a start point, without running it, and says what was understood. "
     "The exit code is 0 only if the system is determined. FILE '-' is stdin.",
     cli_check},
    {"run", "FILE", CLI_RUN, "solve a model: find its start point and follow the solution",
     "Completes the model, finds a start point that satisfies all equations and hidden constraints, "
     "and follows the solution from there. Without --points, --step, --every or --at each accepted "
     "step gives a row. FILE '-' is stdin.",
     cli_run},
    {"serve", "FILE", CLI_SERVE, "show a model in the browser while you write it",
     "Prints the address of a page on this machine. The page shows the moving scene and the plots of "
     "the model, has sliders for its parameters, and runs the model again when the file changes. It "
     "shows mistakes at their place. Only programs on this machine that know the token in the address "
     "can reach it.",
     cli_serve},
    {"explain", "FILE", CLI_EXPLAIN, "tell how the hidden constraints of a model were found",
     "Tells in words which equations were differentiated and why, what follows from them, and which "
     "initial values are free. FILE '-' is stdin.",
     cli_explain},
    {"complete", "FILE", CLI_COMPLETE, "print the completed system, each equation with its origin",
     "Prints the completed system: the equations, the hidden constraints, and the equations for the "
     "highest derivatives, each with its origin. FILE '-' is stdin.",
     cli_complete},
    {"sweep", "FILE", CLI_SWEEP, "run a model with many values of its parameters",
     "Runs the model once for every combination of the values of --vary, on all cores. Rows go to an "
     "HDF5 file or a folder, final values to a table. In --vary NAME=VALUES the name is a parameter, "
     "or a variable or derivative whose start value varies; the values are LOW:HIGH:COUNT, "
     "[A, B, C], or drawn at random --runs times from normal(MEAN, DEVIATION) or uniform(LOW, HIGH). "
     "FILE '-' is stdin.",
     cli_sweep},
    {"resume", "CK", CLI_RESUME, "continue a run that was killed or interrupted",
     "Continues a run or sweep from its checkpoint CK (ritt run FILE --checkpoint CK). All files end "
     "up with the same bytes as without the interruption. The model and the other files that the run "
     "reads must be unchanged.",
     cli_resume},
    {"fit", "FILE", CLI_FIT, "find parameters and start values from measured data",
     "Finds the values of --vary for which the solution is nearest to the data, by least squares with "
     "exact derivatives, and gives confidence intervals. FILE '-' is stdin.",
     cli_fit},
    {"gradient", "FILE", CLI_GRADIENT, "differentiate the end of a run by many parameters",
     "Differentiates the values at the end of the run, or its distance to data, by the parameters and "
     "start values of --by. The cost is that of a few runs for any number of them. FILE '-' is stdin.",
     cli_gradient},
    {"steady", "FILE", CLI_STEADY, "find an equilibrium of a model, and whether it is stable",
     "Finds a point of the manifold at which nothing moves, near the start point or near where the "
     "solution goes. Prints its values and the eigenvalues there. FILE '-' is stdin.",
     cli_steady},
    {"linearize", "FILE", CLI_LINEARIZE, "linearise a model at a point, with eigenvalues and modes",
     "Linearises the model on its manifold at the start point, at a point of the solution (--at) or at "
     "an equilibrium (--steady). Prints x' = A x + B u, y = C x + D u, the eigenvalues of A and their "
     "modes. There is one state for each free initial value. FILE '-' is stdin.",
     cli_linearize},
    {"orbit", "FILE", CLI_ORBIT, "find a periodic orbit near the start, with its multipliers",
     "Finds a periodic orbit near the solution that begins at the start of the model, by multiple "
     "shooting on the manifold. Prints its start, its period and its Floquet multipliers. FILE '-' is "
     "stdin.",
     cli_orbit},
    {"emit", "c FILE", CLI_EMIT, "write the solver of a model as a C file of its own",
     "Completes the model and writes its solver as one C file that needs only the C library. The file "
     "has three functions: NAME_start, NAME_run and NAME_message. Its rows have the same bits as those "
     "of 'ritt run' with the same options. FILE '-' is stdin.",
     cli_emit},
    {"export", "fmu FILE", CLI_EXPORT, "write a model as a functional mock-up unit (FMI)",
     "Completes the model and writes it as an FMU of FMI 3.0 or 2.0 for co-simulation and model "
     "exchange, with its C sources and a library for this machine. Where a communication point of a "
     "co-simulation is a row of 'ritt run' with the same options, the values have the same bits. FILE "
     "'-' is stdin.",
     cli_export},
    {"plot", "RESULT", CLI_PLOT, "draw the columns of a result",
     "Draws the columns of a result, in the plane or in space. RESULT '-' is stdin.", cli_plot},
    {"convert", "RESULT", CLI_CONVERT, "write a result in another format",
     "Writes a result in the formats of -o. RESULT may be NAME.log, which a killed run leaves. RESULT "
     "'-' is stdin.",
     cli_convert},
    {"compare", "A B", CLI_COMPARE, "print the largest differences of two results",
     "Prints for each column the largest difference of two results. If their rows differ, the result "
     "with more rows is interpolated. The exit code is 1 if a difference is larger than --tol and "
     "--abs allow.",
     cli_compare},
    {"format", "FILE", CLI_FORMAT, "rewrite a model in canonical layout",
     "Rewrites the model in place in canonical layout and keeps its comments. FILE '-' is stdin; its "
     "result goes to stdout.",
     cli_format},
    {"methods", NULL, CLI_METHODS, "list the integration methods", "Lists the integration methods.",
     cli_methods},
    {"library", "[NAME]", CLI_LIBRARY, "list the libraries of components, or show a component",
     "Lists the libraries that a model reads by 'include <NAME>', and their components. With the name "
     "of a library: its components. With the name of a component: its ports, parameters and equations.",
     cli_library},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

const cli_command *cli_find_command(const char *name) {
  for (size_t i = 0; i < COMMANDS; i++)
    if (!strcmp(name, commands[i].name)) return &commands[i];
  return NULL;
}

/* Prints the list of commands; it fits on a screen of 24 lines. */
static int print_help(void) {
  ritti_text out = {0};
  ritti_text_add(&out, "usage: ritt COMMAND [FILE] [OPTION]...     options: ritt COMMAND --help\n");
  for (size_t i = 0; i < COMMANDS; i++)
    ritti_text_add(&out, "  %-10s %s\n", commands[i].name, commands[i].summary);
  ritti_text_add(&out, "ritt --man | man -l - shows the manual, ritt --version the version\n");
  return cli_print(&out);
}

static int print_man(void) {
  ritti_text out = {0};
  cli_add_man(&out, commands, COMMANDS);
  return cli_print(&out);
}

static int print_version(void) {
  ritti_text out = {0};
  ritti_text_add(&out, "ritt %s\n", ritt_version());
  return cli_print(&out);
}

/* Prints the messages of a wrong call; returns the exit code. */
static int wrong_call(const ritt_error *error) {
  cli_print_messages(error, RITT_WRONG_CALL);
  return ritt_status_exit_code(RITT_WRONG_CALL);
}

/* Refuses a word that is not a command and suggests a similar one. */
static int unknown_command(const char *word, ritt_error *error) {
  const char *known[COMMANDS + 3] = {"--help", "--version", "--man"};
  for (size_t i = 0; i < COMMANDS; i++) known[i + 3] = commands[i].name;
  static const char *const runs[] = {"solve", "simulate", "sim", "integrate"};
  char buffer[128];
  const char *hint =
      cli_did_you_mean(word, known, COMMANDS + 3, "'ritt --help' lists the commands", buffer);

  /* words of other programs, and the name of a model alone */
  const char *ending = strrchr(word, '.');
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
    if (!strcmp(word, runs[i])) hint = "write 'ritt run FILE'";
  if (ending && !strcmp(ending, ".ritt")) {
    snprintf(buffer, sizeof buffer, "write 'ritt run %.90s'", word);
    hint = buffer;
  }
  ritti_fail(error, RITT_WRONG_CALL, NULL, hint, "unknown %s '%s'",
             word[0] == '-' ? "option" : "command", word);
  return wrong_call(error);
}

/* Parses the options of a command, then prints its help or runs it with its limits. */
static int run_command(const cli_command *command, char **arguments, ritt_error *error) {
  cli_options options = {.run = ritt_options_default(), .checkpoint_every = CLI_CHECKPOINT_EVERY};
  int code;
  ritt_status read = cli_parse(command, arguments, &options, error);

  /* report wrong options, print the help, or run the command */
  if (read != RITT_OK) {
    cli_print_messages(error, read);
    code = ritt_status_exit_code(read);
  } else if (options.help) {
    ritti_text out = {0};
    cli_add_help(&out, command);
    code = cli_print(&out);
  } else {
    ritt_status status = cli_limits_set(&options, error);
    if (status == RITT_OK) code = command->run(&options, error);
    else {
      cli_print_messages(error, status);
      code = ritt_status_exit_code(status);
    }
  }

  /* free everything */
  if (options.max_memory > 0) cli_limits_lift();
  cli_options_free(&options);
  return code;
}

/* Finds the command, or one of the options that stand alone. */
static int run_command_line(int count, char **arguments, ritt_error *error) {
  const char *word = count > 1 ? arguments[1] : NULL;
  if (!word) {
    ritti_fail(error, RITT_WRONG_CALL, NULL, "'ritt --help' lists the commands",
               "a command is missing");
    return wrong_call(error);
  }
  if (!strcmp(word, "--help") || !strcmp(word, "-h")) return print_help();
  if (!strcmp(word, "help")) {
    char *help[] = {"--help", NULL};
    const cli_command *command = count > 2 ? cli_find_command(arguments[2]) : NULL;
    if (command) return run_command(command, help, error);
    return count > 2 ? unknown_command(arguments[2], error) : print_help();
  }
  if (!strcmp(word, "--version")) return print_version();
  if (!strcmp(word, "--man")) return print_man();
  for (size_t i = 0; i < COMMANDS; i++)
    if (!strcmp(word, commands[i].name)) return run_command(&commands[i], arguments + 2, error);
  return unknown_command(word, error);
}

int cli_call(int count, char **arguments) {
  ritt_error *error = ritt_error_new();
  int code = run_command_line(count, arguments, error);
  ritt_error_free(error);
  return code;
}
