/* The one table of options: parsing, the checks of values and the help texts all use it. The
 * options of a run are in src/options.def. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "cli.h"
#include "view/view.h"

/* The types of values. */
typedef enum type {
  FLAG,     /* bool */
  TEXT,     /* const char * */
  CHOICE,   /* const char *, one of the words of `value` */
  REAL,     /* double */
  POSITIVE, /* double > 0 */
  COUNT,    /* long, at least `least` */
  SETTING,  /* NAME=VALUE, added to a list */
  LIST,     /* const char *, added to a list */
} type;

/* The options, in the order of the help texts. */
static const struct option {
  const char *name, *value; /* as the help shows them; value NULL: a flag */
  unsigned commands;
  type type;
  size_t at; /* offset in cli_options */
  long least;
  const char *text;
} options[] = {
#define AT(member) offsetof(cli_options, member)
    {"--set", "NAME=VALUE", CLI_READS, SETTING, AT(set), 0,
     "give a parameter another value; may be repeated"},
    {"--allow-include", "DIR", CLI_READS, LIST, AT(folders), 0,
     "allow the model to read files in this folder, too; may be repeated"},
    {"--start", "FILE[:ROW]", CLI_READS, TEXT, AT(start), 0,
     "start from a row of a table, or from its last one"},
    {"--sensitivity", "NAMES", CLI_RUN | CLI_CHECK | CLI_COMPLETE | CLI_SWEEP, LIST,
     AT(sensitivity), 0,
     "add columns with derivatives by these parameters and start values: g, L, x"},
    {"--vary", "NAME=VALUES", CLI_SWEEP, LIST, AT(vary), 0,
     "what varies, as g=1:10:100, g=[1, 2, 5] or x=normal(0, 0.1); may be repeated"},
    {"--data", "FILE.csv", CLI_FIT, TEXT, AT(data), 0,
     "the measured values: the independent variable and columns of the model; empty cells are gaps"},
    {"--vary", "NAMES", CLI_FIT, LIST, AT(vary), 0,
     "what is found: parameters, and variables whose start values are unknown; g=9 begins at 9"},
    {"--by", "NAMES", CLI_GRADIENT, LIST, AT(by), 0,
     "parameters, and variables whose start values change: g, L, x"},
    {"--of", "COLUMNS", CLI_GRADIENT, LIST, AT(of), 0,
     "the columns whose values at the end are differentiated; default: all"},
    {"--data", "FILE.csv", CLI_GRADIENT, TEXT, AT(data), 0,
     "differentiate half the sum of the squares of data minus solution instead"},
    {"--bounds", "NAME=LOW:HIGH", CLI_FIT, LIST, AT(bounds), 0,
     "the values that are allowed; c=0: has no upper bound; may be repeated"},
    {"--weight", "COLUMN=NUMBER", CLI_FIT, LIST, AT(weight), 0,
     "multiply the residuals of a column, usually by 1 over its error; may be repeated"},
    {"--loss", "linear|soft|huber|cauchy", CLI_FIT, CHOICE, AT(loss), 0,
     "how residuals count: linear is least squares; with the others outliers count less"},
    {"--scale", "S", CLI_FIT, POSITIVE, AT(scale), 0,
     "residuals beyond this are outliers; default 1"},
    {"--starts", "N", CLI_FIT, COUNT, AT(starts), 1,
     "begin also at N - 1 points between the bounds, and take the best result"},
    {"--confidence", "P", CLI_FIT, POSITIVE, AT(confidence), 0,
     "the probability of the intervals; default 0.95"},
    {"--period", "T", CLI_ORBIT, POSITIVE, AT(period), 0, "a guess of the period"},
    {"--fixed-period", NULL, CLI_ORBIT, FLAG, AT(fixed_period), 0,
     "the period is known exactly, as that of a force that drives the system"},
    {"--segments", "N", CLI_ORBIT, COUNT, AT(segments), 1,
     "cut the orbit into N parts; more of them help if it is unstable; default 4"},
    {"--table", "FILE.csv", CLI_SWEEP, TEXT, AT(table), 0,
     "a table with a row for each run; its columns are parameters and start values"},
    {"--keep", "WORDS", CLI_SWEEP, LIST, AT(keep), 0,
     "besides final values: extrema, events, statistics, histogram"},
    {"--runs", "N", CLI_SWEEP, COUNT, AT(runs), 1,
     "the number of runs if values are drawn at random"},
    {"--seed", "N", CLI_SWEEP | CLI_FIT, COUNT, AT(seed), 0,
     "the seed of random values; default 0"},
    {"--threads", "N", CLI_SWEEP, COUNT, AT(threads), 1,
     "the number of runs at the same time; default: one for each core"},
    {"--lanes", "never|auto", CLI_SWEEP, CHOICE, AT(lanes), 0,
     "whether several runs take their steps together, in vector instructions"},
    {"--device", "cpu|cuda[:N]", CLI_SWEEP, TEXT, AT(device), 0,
     "where ordinary steps are taken: on the processor, or on GPU number N"},
    {"--arithmetic", "strict|fast", CLI_SWEEP, CHOICE, AT(arithmetic), 0,
     "on the GPU: the same bits as the processor (default), or faster, within the tolerance"},
    {"--save-start", "FILE", CLI_RUN | CLI_CHECK | CLI_ORBIT, TEXT, AT(save_start), 0,
     "write the start point of the run as a start section"},
    {"--branch", "WHICH", CLI_READS, TEXT, AT(branch), 0,
     "the branch of constraints that split: 2, 'through y = 0.3' or 'through start'"},
    {"--singular-program", "PROGRAM", CLI_READS, TEXT, AT(singular), 0,
     "the program that finds branches; default Singular"},
    {"--singular-limit", "SECONDS", CLI_READS, POSITIVE, AT(singular_limit), 0,
     "time limit for each call of it; default 20"},
    {"--branches", NULL, CLI_COMPLETE, FLAG, AT(branches), 0,
     "list the branches of the position constraints"},
    {"--tree", NULL, CLI_CHECK, FLAG, AT(tree), 0, "list the parts of a model made of components"},
    {"--fmi", "2|3", CLI_EXPORT, CHOICE, AT(fmi), 0, "the version of FMI; default 3"},
    {"--kind", "cs|me|both", CLI_EXPORT, CHOICE, AT(unit_kind), 0,
     "co-simulation, model exchange, or both, which is the default"},
    {"--kind", "auto|general|graph|holonomic|explicit|implicit", CLI_READS & ~CLI_EXPORT, CHOICE,
     AT(kind), 0, "the form of the completed system; auto chooses the simplest"},
    {"--follow", "motion|vibrations|projected|index3", CLI_READS, CHOICE, AT(follow), 0,
     "what is solved for a stiff mechanical system"},
    {"--kind", "ode|dae|mechanics|circuit|parts", CLI_NEW, CHOICE, AT(kind), 0,
     "what the model is about; default dae"},
#define METHOD TEXT
#define RITTI_OPTION(member, name, flag, type, least, value, form, example, text)                  \
  {"--" flag, value, sizeof flag > 1 ? CLI_RUN : 0, type, AT(run.member), least, text},
#define RITTI_SETTING(name, value, alone, example)
#define WORDS(...)  RITTI_JOIN(__VA_ARGS__)
#define VALUE(word) word
#include "options.def"
#undef METHOD
    {"--at", "FILE", CLI_RUN | CLI_SWEEP, TEXT, AT(at), 0,
     "rows at the values listed in this file"},
    {"--at", "X", CLI_LINEARIZE, TEXT, AT(at), 0,
     "linearise where the solution is at this value of the independent variable"},
    {"--steady", NULL, CLI_LINEARIZE, FLAG, AT(steady), 0, "linearise at an equilibrium"},
    {"--moving", "NAMES", CLI_POINTS, LIST, AT(moving), 0,
     "variables that may grow steadily in the equilibrium: x, phi"},
    {"--hold", "NAMES", CLI_POINTS, LIST, AT(hold), 0,
     "variables or derivatives that keep their start values in the equilibrium"},
    {"--hold", "NAMES", CLI_ORBIT, LIST, AT(hold), 0,
     "variables or derivatives that keep their start values"},
    {"--input", "NAMES", CLI_LINEARIZE, LIST, AT(input), 0,
     "parameters that are inputs: B and D are derivatives by them"},
    {"--bode", "OUT.svg", CLI_LINEARIZE, TEXT, AT(bode), 0,
     "draw the frequency response of all outputs to the inputs; .svg, .png or .pdf"},
    {"-o", "OUT.npz", CLI_LINEARIZE, LIST, AT(tables), 0,
     "write the matrices, eigenvalues, modes and names; .json, .npz or .mat; may be repeated"},
    {"-o", "OUT.svg", CLI_PLOT, LIST, AT(tables), 0,
     "the picture; .svg, .png or .pdf; may be repeated"},
    {"-o", "OUT.csv", CLI_RUN | CLI_CONVERT, LIST, AT(tables), 0,
     "write the rows; .csv, .npz, .h5 or .jsonl; '-' is stdout; may be repeated"},
    {"-o", "OUT.csv", CLI_FIT, LIST, AT(tables), 0,
     "write the data and the solution beside them; .csv, .npz, .h5 or .jsonl; '-' is stdout"},
    {"-o", "OUT.h5", CLI_SWEEP, LIST, AT(tables), 0,
     "write the rows of all runs: an HDF5 file, or a folder (DIR/) with a file for each run"},
    {"--final", "FILE.csv", CLI_SWEEP, TEXT, AT(final), 0,
     "the table of final values; default: beside the rows, or stdout"},
    {"-o", "OUT.c", CLI_EMIT, TEXT, AT(source), 0,
     "write the code to this file; default, and '-': stdout"},
    {"-o", "NAME.fmu", CLI_EXPORT, TEXT, AT(source), 0,
     "the file to write; default: the name of the model"},
    {"--format", "csv|npz|jsonl", CLI_SWEEP, CHOICE, AT(format), 0,
     "the format of the files in a folder"},
    {"--format", "csv|npz|h5|jsonl", CLI_RUN | CLI_CONVERT | CLI_FIT, CHOICE, AT(format), 0,
     "the format of files whose names do not show it"},
    {"--plot", "OUT.svg", CLI_RUN, TEXT, AT(plot), 0, "draw the model's plot; .svg, .png or .pdf"},
    {"--plot", "OUT.svg", CLI_FIT, TEXT, AT(plot), 0,
     "draw the data over the solution; .svg, .png or .pdf"},
    {"--view", "OUT.html", CLI_RUN, TEXT, AT(view), 0,
     "write a page with the moving scene, the plots and the summary"},
    {"--animate", "OUT.gif", CLI_RUN, TEXT, AT(animate), 0,
     "write the model's scene as an animation; .svg, .gif or .mp4"},
    {"--port", "N", CLI_SERVE, COUNT, AT(port), 0,
     "the port to listen on; default: any that is free"},
    {"--checkpoint", "CK", CLI_RUN | CLI_SWEEP, TEXT, AT(checkpoint), 0,
     "write a checkpoint to this file; 'ritt resume CK' continues from it"},
    {"--checkpoint-every", "SECONDS", CLI_RUN, REAL, AT(checkpoint_every), 0,
     "the time between checkpoints; default 30, 0: after each step"},
    {"--tol", "T", CLI_COMPARE, POSITIVE, AT(tolerance), 0,
     "the largest difference allowed, relative to the largest value of its column"},
    {"--abs", "D", CLI_COMPARE, POSITIVE, AT(allowed), 0,
     "the largest absolute difference that is always allowed"},
    {"--x", "NAME", CLI_PLOT, TEXT, AT(x), 0,
     "the column of the first axis; default: the first column"},
    {"--y", "NAME,NAME", CLI_PLOT, LIST, AT(y), 0,
     "the columns drawn over it; each --y is a panel; default: all columns"},
    {"--3d", NULL, CLI_PLOT, FLAG, AT(space), 0, "each --y names two columns: a curve in space"},
    {"--style", "lines|points", CLI_PLOT, CHOICE, AT(style), 0,
     "lines through the rows, or the rows themselves"},
    {"--xrange", "LOW:HIGH", CLI_RUN | CLI_PLOT, TEXT, AT(range[0]), 0,
     "the range of the first axis of plots"},
    {"--yrange", "LOW:HIGH", CLI_RUN | CLI_PLOT, TEXT, AT(range[1]), 0,
     "the range of the second axis of plots"},
    {"--log", "x|y|xy", CLI_RUN | CLI_PLOT, CHOICE, AT(log), 0, "logarithmic axes of plots"},
    {"--xlabel", "TEXT", CLI_RUN | CLI_PLOT, TEXT, AT(label[0]), 0,
     "the label of the first axis of plots"},
    {"--ylabel", "TEXT", CLI_RUN | CLI_PLOT, TEXT, AT(label[1]), 0,
     "the label of the second axis of plots"},
    {"--title", "TEXT", CLI_PLOT, TEXT, AT(title), 0, "the title; default: the model's title"},
    {"--keep-script", NULL, CLI_RUN | CLI_PLOT, FLAG, AT(keep_script), 0,
     "keep the gnuplot script, with its data, as OUT.gp"},
    {"--form", "reduced|involutive", CLI_COMPLETE, CHOICE, AT(form), 0,
     "the problem that is integrated, or the classical form in the jets of the highest order"},
    {"--as", "text|latex|json", CLI_COMPLETE, CHOICE, AT(as), 0, "how the system is written"},
    {"--check", NULL, CLI_FORMAT, FLAG, AT(only_check), 0,
     "change nothing; exit code 1 if the layout is not canonical"},
    {"--max-time", "SECONDS", CLI_READS | CLI_RESUME, POSITIVE, AT(max_time), 0,
     "stop after this time; rows up to then are kept"},
    {"--max-memory", "MIB", CLI_READS, COUNT, AT(max_memory), 1,
     "the largest amount of memory to use"},
    {"--quiet", NULL, CLI_RUN | CLI_SERVE | CLI_RESUME | CLI_SWEEP | CLI_COMPARE | CLI_FIT, FLAG,
     AT(quiet), 0, "print neither a summary nor progress"},
    {"--verify", NULL, CLI_RUN, FLAG, AT(verify), 0,
     "run again by another method with a tenth of the tolerance; report how many digits agree"},
    {"--json", NULL,
     CLI_RUN | CLI_RESUME | CLI_SWEEP | CLI_CHECK | CLI_COMPARE | CLI_POINTS | CLI_FIT | CLI_ORBIT |
         CLI_GRADIENT,
     FLAG, AT(json), 0, "print the result as one JSON object on stdout"},
    {"--help", NULL, CLI_ALL, FLAG, AT(help), 0, "print this list"},
#undef AT
};
enum { OPTIONS = sizeof options / sizeof *options };

/* Is the option a setting of a run? */
static bool is_setting(const struct option *o) {
  size_t run = offsetof(cli_options, run);
  return o->at >= run && o->at < run + sizeof(ritt_options);
}

/* Does the option belong to the command? Some commands also take all settings of a run. */
static bool belongs_to_command(const struct option *o, const cli_command *command) {
  const unsigned with_settings = CLI_EMIT | CLI_EXPORT | CLI_SERVE | CLI_SWEEP | CLI_LINEARIZE |
                                 CLI_FIT | CLI_ORBIT | CLI_GRADIENT;
  return o->commands & command->bit ||
         (is_setting(o) && command->bit & with_settings && o->name[2]);
}

/* ---- help texts ---- */

const char *const cli_group_names[CLI_GROUPS] = {"Most used", "Advanced", "Methods of the papers"};
enum {
  FEW_OPTIONS = 15, /* a list without groups */
  WIDTH = 80,       /* columns of a terminal */
  TEXT_COLUMN = 26  /* the texts of options begin here */
};

static bool is_among(const char *name, const char *const *names) {
  for (; *names; names++)
    if (!strcmp(name, *names)) return true;
  return false;
}

static cli_group find_group(const char *name) {
  static const char *const used_most[] = {
      "--set",  "--start", "--to",    "--tol",    "--method", "--points", "-o",       "--plot",
      "--vary", "--runs",  "--final", "--verify", "--help",   "--data",   "--bounds", "--period",
      "--view", "--by",    "--of",    "--steady", "--input",  "--bode",   "--port",   NULL};
  static const char *const papers[] = {"--project", "--projection", "--predictor", "--direction",
                                       "--metric",  "--control",    "--fac",       "--facmin",
                                       "--facmax",  "--norm",       "--follow",    NULL};
  if (is_among(name, used_most)) return CLI_USED_MOST;
  return is_among(name, papers) ? CLI_PAPERS : CLI_ADVANCED;
}

/* All commands that read a model have the option; `export` may have another of its name. */
static cli_scope find_scope(const struct option *o) {
  if (is_setting(o)) return CLI_OF_RUNS;
  return (CLI_READS & ~CLI_EXPORT & ~o->commands) ? CLI_OWN : CLI_OF_MODELS;
}

bool cli_option_get(const cli_command *command, size_t i, cli_option *out) {
  for (size_t k = 0; k < OPTIONS; k++) {
    const struct option *o = &options[k];
    if (!belongs_to_command(o, command) || i-- > 0) continue;
    *out = (cli_option){o->name, o->value, o->text, find_group(o->name), find_scope(o)};
    return true;
  }
  return false;
}

/* Adds a text in lines of at most WIDTH columns; the first line begins in `column`, the others at the
 * indent. */
static void add_wrapped(ritti_text *out, const char *text, size_t column, size_t indent) {
  while (*text) {
    size_t length = strcspn(text, " ");
    if (column > indent && column + 1 + length > WIDTH) {
      ritti_text_add(out, "\n%*s", (int)indent, "");
      column = indent;
    } else if (column > indent) {
      ritti_text_add(out, " ");
      column++;
    }
    ritti_text_add_bytes(out, text, length);
    column += length;
    text += length + strspn(text + length, " ");
  }
  ritti_text_add(out, "\n");
}

/* Adds an option and its text; a long option has a line of its own. */
static void add_help_line(ritti_text *out, const cli_option *o) {
  size_t start = out->count;
  ritti_text_add(out, "  %s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
  size_t length = out->count - start;
  if (length + 1 < TEXT_COLUMN) ritti_text_add(out, "%*s", (int)(TEXT_COLUMN - length), "");
  else ritti_text_add(out, "\n%*s", TEXT_COLUMN, "");
  add_wrapped(out, o->text, TEXT_COLUMN, TEXT_COLUMN);
}

void cli_add_help(ritti_text *out, const cli_command *command) {
  cli_option o;
  size_t count = 0;
  while (cli_option_get(command, count, &o)) count++;
  ritti_text_add(out, "usage: ritt %s%s%s [OPTION]...\n\n", command->name,
                 command->arguments ? " " : "", command->arguments ? command->arguments : "");
  add_wrapped(out, command->text, 0, 0);
  ritti_text_add(out, "\n");
  if (count <= FEW_OPTIONS) {
    for (size_t i = 0; cli_option_get(command, i, &o); i++) add_help_line(out, &o);
    return;
  }
  for (cli_group group = 0; group < CLI_GROUPS; group++) {
    ritti_text_add(out, "%s%s:\n", group ? "\n" : "", cli_group_names[group]);
    for (size_t i = 0; cli_option_get(command, i, &o); i++)
      if (o.group == group) add_help_line(out, &o);
  }
}

const char *cli_did_you_mean(const char *word, const char *const *known, size_t count,
                             const char *otherwise, char buffer[128]) {
  const char *near = ritti_nearest(word, known, count);
  if (!near) return otherwise;
  snprintf(buffer, 128, "did you mean '%s'?", near);
  return buffer;
}

/* ---- values ---- */

/* Reads a decimal number; false unless the whole text is a finite number. */
static bool read_real(const char *text, double *out) {
  char *end;
  for (const char *c = text; *c; c++)
    if (!isdigit((unsigned char)*c) && !strchr("+-.eE", *c)) return false;
  *out = strtod(text, &end);
  return end != text && !*end && isfinite(*out);
}

/* Reads a whole number; false unless the whole text is one. */
static bool read_count(const char *text, long *out) {
  char *end;
  errno = 0;
  if (!isdigit((unsigned char)text[0])) return false;
  *out = strtol(text, &end, 10);
  return !*end && errno == 0;
}

/* Is the word one of "a|b|c"? */
static bool is_choice(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *w = words; w; w = strchr(w, '|') ? strchr(w, '|') + 1 : NULL)
    if (length && !strncmp(w, word, length) && (w[length] == '|' || !w[length])) return true;
  return false;
}

/* Refuses the value of an option. */
static ritt_status bad_value(const struct option *o, const char *needs, const char *value,
                             ritt_error *error) {
  return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "%s needs %s, not '%s'", o->name, needs,
                    value);
}

/* Stores a whole number. */
static ritt_status store_count(const struct option *o, const char *value, long *at,
                               ritt_error *error) {
  char needs[64];
  snprintf(needs, sizeof needs, "a whole number of at least %ld", o->least);
  return read_count(value, at) && *at >= o->least ? RITT_OK : bad_value(o, needs, value, error);
}

/* Stores a word; if it is wrong, the message lists "a or b or c". */
static ritt_status store_choice(const struct option *o, const char *value, const char **at,
                                ritt_error *error) {
  *at = value;
  if (is_choice(o->value, value)) return RITT_OK;
  char needs[160] = "", *c = needs;
  for (const char *w = o->value; *w && c < needs + sizeof needs - 5; w++) {
    if (*w == '|') {
      memcpy(c, " or ", 4);
      c += 4;
    } else *c++ = *w;
  }
  *c = '\0';
  return bad_value(o, needs, value, error);
}

/* Checks the value of an option and stores it. */
static ritt_status store_value(const struct option *o, const char *value, cli_options *out,
                               ritt_error *error) {
  void *at = (char *)out + o->at;
  const char *equals = value ? strchr(value, '=') : NULL;

  /* each type has its own check */
  switch (o->type) {
  case FLAG: *(bool *)at = true; return RITT_OK;
  case TEXT:
    *(const char **)at = value;
    return *value ? RITT_OK : bad_value(o, "a value", value, error);
  case CHOICE: return store_choice(o, value, at, error);
  case REAL: return read_real(value, at) ? RITT_OK : bad_value(o, "a number", value, error);
  case POSITIVE:
    return read_real(value, at) && *(double *)at > 0
               ? RITT_OK
               : bad_value(o, "a positive number", value, error);
  case COUNT: return store_count(o, value, at, error);
  case SETTING:
    if (!equals || equals == value || !equals[1]) return bad_value(o, "NAME=VALUE", value, error);
    return RITTI_PUSH(*(cli_words *)at, value) == RITT_OK ? RITT_OK : ritti_no_memory(error);
  case LIST:
    if (!*value) return bad_value(o, "a value", value, error);
    return RITTI_PUSH(*(cli_words *)at, value) == RITT_OK ? RITT_OK : ritti_no_memory(error);
  }
  return RITT_OK;
}

/* ---- arguments ---- */

/* Finds the option that the argument names, up to '=' for long names. Options of the command come
 * first. NULL if there is none. */
static const struct option *find_option(const cli_command *command, const char *argument) {
  size_t length = argument[1] == '-' ? strcspn(argument, "=") : strlen(argument);
  const struct option *other = NULL;
  for (size_t i = 0; i < OPTIONS; i++) {
    const struct option *o = &options[i];
    if (strlen(o->name) != length || strncmp(argument, o->name, length)) continue;
    if (belongs_to_command(o, command)) return o;
    other = o;
  }
  return other;
}

/* Options of other programs, and those that do the same here. */
static const struct {
  const char *word, *here[2];
} foreign_options[] = {
    {"--tolerance", {"--tol"}},
    {"--rtol", {"--tol"}},
    {"--reltol", {"--tol"}},
    {"--atol", {"--absolute"}},
    {"--abstol", {"--absolute"}},
    {"--rows", {"--points", "--every"}},
    {"-n", {"--points"}},
    {"--npoints", {"--points"}},
    {"--dt", {"--step", "--max-step"}},
    {"--interval", {"--step"}},
    {"--hmax", {"--max-step"}},
    {"--steps", {"--points", "--constant-step"}},
    {"--output", {"-o"}},
    {"--out", {"-o"}},
    {"--csv", {"-o"}},
    {"--solver", {"--method"}},
    {"--param", {"--set"}},
    {"--parameter", {"--set"}},
    {"-p", {"--set"}},
    {"--tend", {"--to"}},
    {"--tstop", {"--to"}},
    {"--tspan", {"--to"}},
    {"--end", {"--to"}},
    {"--t1", {"--to"}},
    {"--until", {"--to"}},
    {"--timeout", {"--max-time"}},
    {"--jobs", {"--threads"}},
    {"-j", {"--threads"}},
    {"--silent", {"--quiet"}},
    {"-q", {"--quiet"}},
};

/* The suggestion for an option of another program; NULL: none. */
static const char *foreign_hint(const cli_command *command, const char *name, char buffer[128]) {
  for (size_t i = 0; i < sizeof foreign_options / sizeof *foreign_options; i++) {
    if (strcmp(foreign_options[i].word, name)) continue;
    const char *first = foreign_options[i].here[0], *second = foreign_options[i].here[1];
    const struct option *o = find_option(command, first);
    if (!o || !belongs_to_command(o, command)) return NULL;
    if (second) snprintf(buffer, 128, "write %s %s, or %s", first, o->value, second);
    else
      snprintf(buffer, 128, "write %s%s%s", first, o->value ? " " : "", o->value ? o->value : "");
    return buffer;
  }
  return NULL;
}

/* Refuses an unknown option and suggests a similar one of the command. */
static ritt_status unknown_option(const cli_command *command, const char *argument,
                                  ritt_error *error) {
  const char *known[OPTIONS];
  size_t count = 0;
  for (size_t i = 0; i < OPTIONS; i++)
    if (belongs_to_command(&options[i], command) && options[i].name[2])
      known[count++] = options[i].name + 2;
  char name[64], otherwise[64], buffer[128];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "="), argument);
  snprintf(otherwise, sizeof otherwise, "'ritt %s --help' lists the options", command->name);

  /* the dashes do not count; a single letter is similar to any other and gets no suggestion */
  const char *hint = foreign_hint(command, name, buffer);
  const char *near = name[2] ? ritti_nearest(name + strspn(name, "-"), known, count) : NULL;
  if (!hint && near) snprintf(buffer, sizeof buffer, "did you mean '--%s'?", near);
  if (!hint) hint = near ? buffer : otherwise;
  return ritti_fail(error, RITT_WRONG_CALL, NULL, hint, "unknown option '%s'", name);
}

/* Reads the option at *argument and its value, which may be the next argument. *argument is left on
 * the last argument used. */
static ritt_status read_option(const cli_command *command, char ***argument, cli_options *out,
                               ritt_error *error) {
  const struct option *o = find_option(command, **argument);
  const char *value = **argument + (o ? strlen(o->name) : 0);

  /* find the option */
  if (!o) return unknown_option(command, **argument, error);
  if (!belongs_to_command(o, command))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "%s is not an option of 'ritt %s'",
                      o->name, command->name);

  /* flags have no value */
  if (o->type == FLAG && *value == '=')
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "%s takes no value", o->name);
  if (o->type == FLAG) return store_value(o, NULL, out, error);

  /* the value follows '=' or is the next argument */
  if (*value == '=') return store_value(o, value + 1, out, error);
  const char *next = (*argument)[1];
  if (!next || !strncmp(next, "--", 2))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "%s needs a value: %s %s", o->name,
                      o->name, o->value);
  ++*argument;
  return store_value(o, next, out, error);
}

/* The kind of file that a command reads. */
static const char *subject_of(const cli_command *command) {
  if (command->bit & CLI_READS) return "model";
  return command->bit & CLI_RESUME ? "checkpoint" : "result";
}

/* Takes an argument that is not an option. */
static ritt_status read_file_name(const cli_command *command, const char *word, cli_options *out,
                                  ritt_error *error) {
  /* is there room for a file name? `compare` takes two, `emit` a language before it */
  if (!command->arguments)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "'ritt %s' takes no file, but got '%s'",
                      command->name, word);
  if (out->file && !out->other && command->bit == CLI_COMPARE) {
    out->other = word;
    return RITT_OK;
  }
  if (out->other)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "ritt compare A B",
                      "two results are compared, but '%s' is a third", word);
  if (command->bit & CLI_EMIT && !out->language) {
    out->language = word;
    if (!strcmp(word, "c")) return RITT_OK;
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "write: ritt emit c FILE",
                      "'ritt emit' writes c, not '%s'", word);
  }

  if (command->bit & CLI_EXPORT && !out->language) {
    out->language = word;
    if (!strcmp(word, "fmu")) return RITT_OK;
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "write: ritt export fmu FILE",
                      "'ritt export' writes fmu, not '%s'", word);
  }

  /* one file, and not more */
  char buffer[128];
  snprintf(buffer, sizeof buffer, "write --set %.100s", word);
  if (out->file)
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      strchr(word, '=') ? buffer : "run them one after another",
                      "one %s at a time: '%s' or '%s'?", subject_of(command), out->file, word);
  out->file = word;
  return RITT_OK;
}

/* ---- the options that were given ---- */

void cli_options_free(cli_options *given) {
  RITTI_ARRAY_FREE(given->set);
  RITTI_ARRAY_FREE(given->folders);
  RITTI_ARRAY_FREE(given->tables);
  RITTI_ARRAY_FREE(given->y);
  RITTI_ARRAY_FREE(given->vary);
  RITTI_ARRAY_FREE(given->keep);
  RITTI_ARRAY_FREE(given->sensitivity);
  RITTI_ARRAY_FREE(given->input);
  RITTI_ARRAY_FREE(given->moving);
  RITTI_ARRAY_FREE(given->hold);
  RITTI_ARRAY_FREE(given->by);
  RITTI_ARRAY_FREE(given->of);
  RITTI_ARRAY_FREE(given->bounds);
  RITTI_ARRAY_FREE(given->weight);
}

/* The value of an option as a fact; its key is NULL if the option was not given or holds no value.
 */
static ritti_fact get_fact(const struct option *o, const cli_options *given) {
  const void *at = (const char *)given + o->at;
  ritti_fact fact = {.key = o->name + 2};

  /* each type has a value that means "not given" */
  switch (o->type) {
  case TEXT:
  case CHOICE:
    fact.text = *(const char *const *)at;
    if (!fact.text) fact.key = NULL;
    return fact;
  case REAL:
  case POSITIVE:
    fact.kind = RITTI_FACT_REAL;
    fact.number = *(const double *)at;
    if (isnan(fact.number) || (o->type == POSITIVE && fact.number == 0)) fact.key = NULL;
    return fact;
  case COUNT:
    fact.kind = RITTI_FACT_COUNT;
    fact.number = (double)*(const long *)at;
    if (fact.number == 0) fact.key = NULL;
    return fact;
  default: return (ritti_fact){0};
  }
}

ritt_status cli_list_settings(const cli_options *given, cli_facts *out) {
  for (size_t i = 0; i < OPTIONS; i++) {
    const struct option *o = &options[i];
    if (o->at < offsetof(cli_options, run) || o->at >= offsetof(cli_options, tables)) continue;
    /* options of commands without rows may share a member */
    if (o->commands && !(o->commands & (CLI_RUN | CLI_SWEEP))) continue;
    ritti_fact fact = get_fact(o, given);
    if (fact.key) RITT_TRY(RITTI_PUSH(*out, fact));
  }
  return RITT_OK;
}

/* ---- options that must agree ---- */

/* The ending of a name, from its last dot; NULL if it has none. */
static const char *ending_of(const char *path) {
  const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  const char *ending = strrchr(base, '.');
  return ending && ending != base && ending[1] ? ending : NULL;
}

ritt_status cli_table_format(const cli_options *o, const char *path, ritt_error *error,
                             ritti_file_format *out) {
  /* the format by the name and by --format */
  ritti_file_format wanted = o->format ? ritti_format_of_word(o->format) : RITTI_NO_FORMAT;
  *out = ritti_format_of_path(path);
  if (*out == RITTI_LOG) *out = RITTI_NO_FORMAT;
  if (*out != RITTI_NO_FORMAT && o->format && wanted != *out)
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "give the file another ending, or leave out --format",
                      "the name '%s' and --format %s say different things", path, o->format);

  /* without an ending the format is CSV */
  if (*out == RITTI_NO_FORMAT && !o->format && ending_of(path))
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "use a name that ends in .csv, .npz, .h5 or .jsonl, or give --format csv",
                      "'%s' is not the ending of a format of tables", ending_of(path));
  if (*out == RITTI_NO_FORMAT) *out = o->format ? wanted : RITTI_CSV;

  /* only text can go to stdout */
  if (strcmp(path, "-") || *out == RITTI_CSV || *out == RITTI_JSONL) return RITT_OK;
  return ritti_fail(error, RITT_WRONG_CALL, NULL, "give the table a file",
                    "%s cannot be written to stdout", o->format);
}

/* Checks the names and formats of all tables. */
static ritt_status check_tables(const cli_options *o, ritt_error *error) {
  for (size_t i = 0; i < o->tables.count; i++) {
    ritti_file_format format;
    const char *path = o->tables.at[i];
    RITT_TRY(cli_table_format(o, path, error, &format));
    if (!strcmp(path, "-") && o->json)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "give the table a file",
                        "-o - and --json would both write to stdout");
    for (size_t k = 0; k < i; k++)
      if (!strcmp(path, o->tables.at[k]))
        return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "-o %s is given twice", path);
  }
  return RITT_OK;
}

/* Checks that rows are requested in one way only. */
static ritt_status check_rows(const cli_options *o, ritt_error *error) {
  const struct {
    const char *name;
    bool given;
  } ways[] = {{"--points", o->run.points != 0},
              {"--step", o->run.row_step > 0},
              {"--every", o->run.every != 0},
              {"--at", o->at != NULL}};

  /* any two of them exclude each other */
  for (int i = 0; i < 4; i++)
    for (int k = i + 1; k < 4; k++)
      if (ways[i].given && ways[k].given)
        return ritti_fail(error, RITT_WRONG_CALL, NULL, "give one of them",
                          "%s and %s exclude each other", ways[i].name, ways[k].name);
  return RITT_OK;
}

/* Checks that pictures have known formats. */
static ritt_status check_pictures(const char *const *path, size_t count, ritt_error *error) {
  for (size_t i = 0; i < count; i++)
    if (!ritti_plot_known(path[i]))
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "use a name that ends in .svg, .png or .pdf",
                        "a plot cannot be written as '%s'", path[i]);
  return RITT_OK;
}

/* Checks the names of the page and the animation. Both need the whole run. */
static ritt_status check_views(const cli_options *o, ritt_error *error) {
  size_t length = o->view ? strlen(o->view) : 0;
  if (o->view && (length < 6 || strcmp(o->view + length - 5, ".html") != 0))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "use a name that ends in .html",
                      "a page cannot be written as '%s'", o->view);
  if (o->animate && ritti_animation_of_path(o->animate) == RITTI_NO_ANIMATION)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "use a name that ends in .svg, .gif or .mp4",
                      "an animation cannot be written as '%s'", o->animate);
  if (o->checkpoint && (o->view || o->animate))
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "leave out one of them; 'ritt plot' draws the rows of a run afterwards",
                      "--checkpoint does not go with %s, which needs all points of the run",
                      o->view ? "--view" : "--animate");
  return RITT_OK;
}

/* Checks the options of a run with a checkpoint: rows must go to files, because only files can be
 * cut back, and the files that the run reads must stay unchanged. */
static ritt_status check_checkpoint(const cli_options *o, ritt_error *error) {
  if (!(o->checkpoint_every >= 0))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                      "--checkpoint-every needs 0 or more seconds");
  if (!o->checkpoint && o->checkpoint_every != CLI_CHECKPOINT_EVERY)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "give the file, too: --checkpoint CK",
                      "--checkpoint-every says when, but not where");

  /* tables must be files that the run does not read */
  for (size_t i = 0; i < o->tables.count && o->checkpoint; i++) {
    const char *table = o->tables.at[i];
    if (!strcmp(table, "-"))
      return ritti_fail(
          error, RITT_WRONG_CALL, NULL, "give the table a file",
          "with --checkpoint rows cannot go to stdout: after a kill they could not be taken back");
    const char *const others[] = {o->checkpoint, o->at, o->start};
    for (int k = 0; k < 3; k++)
      if (others[k] && !strncmp(others[k], table, strlen(table)) &&
          (!others[k][strlen(table)] || (k == 2 && others[k][strlen(table)] == ':')))
        return ritti_fail(error, RITT_WRONG_CALL, NULL, "give one of them another name",
                          "'%s' would be both a table and %s", table,
                          k == 0 ? "the checkpoint" : "what the run reads");
  }
  return RITT_OK;
}

/* Checks that no output file is the model itself. */
static ritt_status check_model(const cli_options *o, ritt_error *error) {
  const char *const written[] = {o->checkpoint, o->plot, o->save_start, o->final,
                                 o->source,     o->view, o->animate};
  size_t count = sizeof written / sizeof *written;
  struct stat model, other;
  if (!o->file || stat(o->file, &model) != 0 || !S_ISREG(model.st_mode)) return RITT_OK;
  for (size_t i = 0; i < count + o->tables.count; i++) {
    const char *path = i < count ? written[i] : o->tables.at[i - count];
    if (!path || stat(path, &other) != 0) continue;
    if (other.st_dev == model.st_dev && other.st_ino == model.st_ino)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "give another name for what is written",
                        "'%s' is the model, which would be overwritten", path);
  }
  return RITT_OK;
}

/* Checks the options that belong together. */
static ritt_status check_together(const cli_command *command, const cli_options *o,
                                  ritt_error *error) {
  /* the files that the command reads; those in brackets may be left out */
  if (command->bit == CLI_NEW && !o->file)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "ritt new NAME",
                      "the name of the new model is missing");
  if (command->arguments && command->arguments[0] != '[' && !o->file) {
    char hint[64];
    snprintf(hint, sizeof hint, "ritt %s %s%s", command->name, command->arguments,
             command->bit == CLI_RESUME ? "" : ", or '-' for stdin");
    return ritti_fail(error, RITT_WRONG_CALL, NULL, hint, "the name of the %s file is missing",
                      subject_of(command));
  }
  if (command->bit == CLI_COMPARE && !o->other)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "ritt compare A B",
                      "the second result is missing");

  /* the files that it writes */
  bool makes = command->bit == CLI_CONVERT || command->bit == CLI_PLOT;
  if (makes && o->tables.count == 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      command->bit == CLI_PLOT ? "ritt plot RESULT -o OUT.svg"
                                               : "ritt convert RESULT -o OUT.csv",
                      "the name of the new file is missing");
  if (command->bit & CLI_READS) RITT_TRY(check_model(o, error));
  RITT_TRY(check_rows(o, error));
  if (command->bit == CLI_SWEEP) return RITT_OK; /* it checks its files itself */
  if (command->bit == CLI_PLOT) return check_pictures(o->tables.at, o->tables.count, error);
  if (command->bit != CLI_LINEARIZE) RITT_TRY(check_tables(o, error));
  RITT_TRY(check_checkpoint(o, error));
  RITT_TRY(check_views(o, error));
  return check_pictures(&o->plot, o->plot != NULL, error);
}

/* Reads all arguments; after "--" everything is a file name. */
ritt_status cli_parse(const cli_command *command, char **arguments, cli_options *out,
                      ritt_error *error) {
  bool only_files = false;
  out->arguments = arguments;
  for (char **a = arguments; *a; a++) {
    bool is_option = !only_files && (*a)[0] == '-' && (*a)[1];
    if (is_option && !strcmp(*a, "--")) only_files = true;
    else if (is_option && !strcmp(*a, "-h")) out->help = true;
    else if (is_option) RITT_TRY(read_option(command, &a, out, error));
    else RITT_TRY(read_file_name(command, *a, out, error));
  }
  return out->help ? RITT_OK : check_together(command, out, error);
}
