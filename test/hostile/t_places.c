/* Every place that asks for memory is refused once. A place is a call in the text of the program,
 * of anything that leads to an allocation: an allocation is refused if the chain of calls above it
 * has one that was not refused before. So each call fails once with what it called, and few
 * attempts do it. Arenas are asked for every object, not for blocks alone. t_memory.c counts blocks
 * and tries them all; this goes through far more of the code.
 *
 * What is tried is the program, with its commands, formats and options (cli/ is compiled into this
 * test), and models used through the library. A first run finds the places that no run before it
 * had; then each is refused in a process of its own. That process must end by itself, within its
 * time, with every block given back (GMP's as well), and either with the exit code 3 and a message
 * that says "out of memory", or as if nothing had happened, where all that was lost is a
 * convenience. Models must be usable afterwards: the same call with memory gives the same rows.
 *
 * The same is done to matrices, a factorisation that says "singular" where it is not; to values, a
 * number that is not finite; and to calls of the system: refused.h. A run that goes through all the same
 * has the same end; else it stops or is refused, and says so.
 *
 * Without an argument some commands are tried, at some of the places; "all": many, and each call
 * twice, since what fails first may be without consequence. With further arguments, a command of
 * one's own: hostile_t_places_c all run models/classics/toda.ritt or one allocation of it, for a
 * debugger (RITT_REFUSED=1, 2, 3: of the other kinds): hostile_t_places_c at 745 run
 * models/classics/toda.ritt */
#define _GNU_SOURCE /* MAP_ANONYMOUS, pipe2 */
#include <glob.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "refused.h"
#include "check.h"
#include "cli.h"
#include "rod.h"

enum { SECONDS = 60 };

/* ---- one try, in a process of its own ---- */

typedef struct scenario {
  const char *name;
  int (*call)(const struct scenario *s); /* its exit code */
  char **arguments;                      /* of the program, or the model */
  int count, plain;                      /* the exit code where there is memory */
} scenario;

/* What the process found out, in its exit code: the program's code, and these. */
enum { LEFT = 16, MUTE = 32, NEVER = 64 };

static void move_output(const char *file, int to) {
  int f = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (f < 0 || dup2(f, to) < 0) _exit(127);
  close(f);
}

static bool says(const char *file, const char *text) {
  static char buffer[1 << 16];
  FILE *f = fopen(file, "r");
  size_t count = f ? fread(buffer, 1, sizeof buffer - 1, f) : 0;
  if (f) fclose(f);
  buffer[count] = 0;
  return strstr(buffer, text) != NULL;
}

/* A sweep wants an empty folder. */
static void empty_folder(void) {
  glob_t found;
  if (glob("s/*", 0, NULL, &found) != 0) return;
  for (size_t i = 0; i < found.gl_pathc; i++) unlink(found.gl_pathv[i]);
  globfree(&found);
}

static int attempt(const scenario *s, long k) {
  empty_folder();
  looking = !k, fails_at = k, asked = live = gmp_live = 0, failed = false;
  places->found_count = 0;
  int code = s->call(s);
  fflush(stdout), fflush(stderr);
  fails_at = 0, looking = false;
  if (live || gmp_live)
    code |= LEFT, dprintf(STDERR_FILENO, "%ld blocks and %ld of GMP left\n", live, gmp_live);
  if (refused == MEMORY && (code & 15) == 3 && !says("err", "memory")) code |= MUTE;
  if (refused != MEMORY && k && code != s->plain && !says("err", "ritt")) code |= MUTE;
  if (k && !failed) code |= NEVER;
  return code;
}

static int last_signal;

#ifdef RITT_COVERAGE
void __gcov_dump(void);
void __gcov_reset(void);
static void keep_counters(void) { __gcov_dump(), __gcov_reset(); }
/* Counters are written when a process ends, which takes longer than the attempt: here there is one
 * process. */
static int try_once(const scenario *s, long k) {
  fflush(stdout);
  int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
  move_output("out", STDOUT_FILENO);
  move_output("err", STDERR_FILENO);
  int code = attempt(s, k);
  if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) _exit(127);
  close(out), close(err);
  return code;
}
#else
static void keep_counters(void) {}
/* -1: it was killed by itself or by its clock */
static int try_once(const scenario *s, long k) {
  int state;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(SECONDS);
    move_output("out", STDOUT_FILENO);
    move_output("err", STDERR_FILENO);
    _exit(attempt(s, k)); /* blocks are counted; whole searches for leaks would take long */
  }
  if (child < 0 || waitpid(child, &state, 0) != child) return -1;
  last_signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}
#endif

static void complain(const scenario *s, long k, int code) {
  static char line[400];
  printf("  %s: allocation %ld: %s\n", s->name, k,
         code < 0      ? "the process died"
         : code & LEFT ? "memory is left"
         : code & MUTE ? "no message says so"
         : code == 5   ? "the model is of no use any more"
                       : "another exit code");
  if (code < 0) printf("    by signal %d\n", last_signal);
  else printf("    exit code %d\n", code & 15);
  FILE *f = fopen("err", "r");
  for (int i = 0; f && i < 6 && fgets(line, sizeof line, f); i++) printf("    %s", line);
  if (f) fclose(f);
}

static long tried, absorbed, missed;

/* The numbers of the last line that begins with one. */
static int last_row(const char *file, double *value, int most) {
  static char line[4000];
  int count = 0;
  FILE *f = fopen(file, "r");
  while (f && fgets(line, sizeof line, f)) {
    char *at = line, *end = line;
    double first = strtod(at, &end);
    for (count = end == at ? count : 0; end != at && count < most; first = strtod(at, &end)) {
      value[count++] = first;
      at = end + (*end == ',');
    }
  }
  if (f) fclose(f);
  return count;
}

/* A run that went through all the same has the same end, as far as its tolerance goes. A column may
 * be without a value there, and says so. */
static bool same_end(void) {
  enum { MOST = 20 };
  double a[MOST], b[MOST];
  int count = last_row("plain", a, MOST);
  bool same = count > 0 && last_row("out", b, MOST) == count;
  int none = 0;
  for (int i = 0; same && i < count; i++) {
    bool gone = refused == VALUES && isnan(b[i]) && !isnan(a[i]);
    same = gone || fabs(a[i] - b[i]) <= 1e-4 * (1 + fabs(a[i]));
    none += gone;
  }
  return same && none <= 1;
}

static void try_places(scenario *s, int stride) {
  static long list[MOST_FOUND];
  int before = checks_failed;
  s->plain = try_once(s, 0);
  bool compared = refused == MATRICES || refused == VALUES,
       rows = strstr(s->name, " -o - ") != NULL;
  if (compared) CHECK(rename("out", "plain") == 0);
  CHECK(s->plain >= 0 &&
        s->plain < 3); /* with memory it goes through, with or without a mistake in the model */
  if (s->plain < 0 || s->plain > 2) complain(s, 0, s->plain);
  long count = places->found_count;
  memcpy(list, places->found, (size_t)count * sizeof *list);
  for (long i = 0; i < count && checks_failed < before + 12; i += stride) {
    int code = NEVER;
    for (int again = 0; again < 3 && code >= 0 && code & NEVER; again++)
      code = try_once(s, list[i]);
    if (code >= 0 &&
        code & NEVER) { /* another process was faster or slower, and there were fewer allocations */
      missed++;
      continue;
    }
    bool good = refused == CALLS ? code >= 0 && code <= 3
                : !compared      ? code == 3 || code == s->plain
                : rows           ? code == s->plain ? same_end() : code == 1 || code == 2
                                 : code >= 0 && code <= 2;
    tried++, absorbed += code == s->plain;
    CHECK(good);
    if (!good) complain(s, list[i], code);
  }
  printf("%s: %ld new places\n", s->name, count);
  fflush(stdout);
  keep_counters();
}

/* ---- the program ---- */

static int call_program(const scenario *s) { return cli_call(s->count, s->arguments); }

static void program(const char *line, int stride) {
  static char words[2000], *argument[64];
  scenario s = {.name = line, .call = call_program, .arguments = argument};
  snprintf(words, sizeof words, "%s", line);
  argument[s.count++] = "ritt";
  for (char *word = strtok(words, " "); word && s.count < 62; word = strtok(NULL, " "))
    argument[s.count++] = word;
  argument[s.count] = NULL;
  try_places(&s, stride);
}

/* ---- models through the library ---- */

static unsigned long long hash;
static ritt_status take_row(void *user, const double *values, size_t count) {
  (void)user;
  const unsigned char *byte = (const unsigned char *)values;
  for (size_t i = 0; i < count * sizeof *values; i++) hash = (hash ^ byte[i]) * 1099511628211ull;
  return RITT_OK;
}

static ritt_status use(ritt_model *model, ritt_error *error) {
  static const ritt_form forms[] = {RITT_TEXT, RITT_JSON, RITT_LATEX};
  ritt_options options = ritt_options_default();
  const char *text;
  const ritt_check *check;
  const ritt_curve *curves;
  const char *const *units;
  size_t count;
  options.max_steps = 4;
  RITT_TRY(ritt_model_check(model, error, &check));
  RITT_TRY(ritt_model_curves(model, error, &curves, &count));
  RITT_TRY(ritt_model_units(model, error, &units, &count));
  RITT_TRY(ritt_model_start_text(model, error, &text));
  for (int i = 0; i < 6; i++)
    RITT_TRY(ritt_model_complete(model, i < 3 ? RITT_REDUCED : RITT_INVOLUTIVE, forms[i % 3], error,
                                 &text));
  hash = 14695981039346656037ull;
  return ritt_model_run(model, &options, take_row, NULL, NULL, error);
}

/* Read and used; where memory ran out, once more, with the same model if there is one. */
static int call_model(const scenario *s) {
  ritt_model *model = NULL;
  ritt_error *error = ritt_error_new();
  ritt_status status = ritt_model_read_file(s->arguments[0], error, &model);
  if (status == RITT_OK) status = use(model, error);
  int code = ritt_status_exit_code(status);
  if (status == RITT_NO_MEMORY) {
    if (error && !ritt_error_count(error)) code = 4; /* no message */
    fprintf(stderr, "%s\n", ritt_error_get(error, 0)->text);
    ritt_error_clear(error);
    if (!error) error = ritt_error_new();
    status = model ? RITT_OK : ritt_model_read_file(s->arguments[0], error, &model);
    if (status == RITT_OK) status = use(model, error);
    if (ritt_status_exit_code(status) != s->plain) {
      code = 5; /* the model is of no use any more */
      fprintf(stderr, "again: %s: %s\n", ritt_status_text(status), ritt_error_get(error, 0)->text);
    }
  }
  ritt_model_free(model);
  ritt_error_free(error);
  return code;
}

static void model_file(const char *name, int stride) {
  static char path[1000], *argument[] = {path, NULL};
  snprintf(path, sizeof path, "%s/models/%s", RITT_SOURCE_DIR, name);
  scenario s = {.name = name, .call = call_model, .arguments = argument};
  try_places(&s, stride);
}

/* ---- problems of functions ---- */

/* The pendulum x'' + 2 lambda x = 0, y'' + 2 lambda y = -1, x^2 + y^2 = 1: holonomic, and as a
 * graph */
static ritt_status both(void *user, const double *z, double *f) {
  f[1] = z[1] * z[3] + z[2] * z[4];
  return rod(user, z, f);
}
static ritt_status square(void *user, const double *z, double *A, double *b) {
  (void)user;
  const double a[] = {1, 0, 2 * z[1], 0, 1, 2 * z[2], z[1], z[2], 0};
  memcpy(A, a, sizeof a);
  b[0] = 0, b[1] = 1, b[2] = z[3] * z[3] + z[4] * z[4];
  return RITT_OK;
}
static ritt_status tension(void *user, const double *z, const double *top, double *out) {
  (void)user, (void)z;
  out[0] = 2 * top[2];
  return RITT_OK;
}

static ritt_status use_functions(const ritt_definition *d, ritt_error *error) {
  double z[] = {0, 1, 0.1, 0, 0}, values[8];
  ritt_problem *problem = NULL;
  ritt_solver *solver = NULL;
  ritt_point point;
  ritt_status status = ritt_problem_new(d, error, &problem);
  if (status == RITT_OK) status = ritt_problem_check_derivatives(problem, z, 0, error);
  if (status == RITT_OK) status = ritt_problem_project(problem, NULL, z, error);
  if (status == RITT_OK) status = ritt_solver_from_problem(problem, z, NULL, error, &solver);
  if (status == RITT_OK) status = ritt_solver_run_to(solver, 0.5, error);
  if (status == RITT_OK) status = ritt_solver_point(solver, &point, error);
  if (status == RITT_OK) status = ritt_solver_values(solver, 0.5, values, error);
  ritt_solver_free(solver);
  ritt_problem_free(problem);
  return status;
}

static int call_functions(const scenario *s) {
  static const int orders[] = {2, 2, 0};
  static const char *const names[] = {"x", "y", "lambda"}, *const columns[] = {"tension"};
  static const ritt_definition holonomic = {.kind = RITT_HOLONOMIC,
                                            .unknowns = 2,
                                            .constraints = 1,
                                            .mass = rod_mass,
                                            .force = rod_force,
                                            .g = rod,
                                            .dg = d_rod,
                                            .d2g = d2_rod,
                                            .outputs = 1,
                                            .output = tension,
                                            .output_names = columns,
                                            .independent = "t",
                                            .names = names};
  static const ritt_definition graph = {
      .kind = RITT_GRAPH, .unknowns = 3, .orders = orders, .system = square, .rows = 2, .f = both};
  ritt_error *error = ritt_error_new();
  ritt_status status = use_functions(s->count ? &graph : &holonomic, error);
  if (status != RITT_OK) fprintf(stderr, "ritt: %s\n", ritt_error_get(error, 0)->text);
  ritt_error_free(error);
  return ritt_status_exit_code(status);
}

static void functions(int stride) {
  for (int i = 0; i < 2; i++) {
    scenario s = {.name = i ? "a graph of functions" : "mechanics of functions",
                  .call = call_functions,
                  .count = i};
    try_places(&s, stride);
  }
}

/* ---- what is tried ---- */

#define MODELS RITT_SOURCE_DIR "/models/"

static const char *const models[] = {"classics/pendulum/pendulum.ritt", "papers/simple.ritt",
                                     "stiff/spring_pendulum.ritt", "classics/stick_slip.ritt"};
static const char *const more_models[] = {
    "gallery/clairaut.ritt",         "papers/kepler.ritt",         "ivp/car_axis.ritt",
    "classics/robertson.ritt",       "papers/mhd_general.ritt",    "classics/knife_edge.ritt",
    "papers/plug_flow.ritt",         "stiff/double_pendulum.ritt", "papers/asymptotic_lift.ritt",
    "gallery/repeated_equation.ritt"};

/* the files that a command makes are there for those after it */
static const char *const commands[] = {
    "run " MODELS "classics/pendulum/pendulum.ritt --to 0.1 -o a.csv --quiet",
    "run " MODELS "classics/bouncing_ball.ritt --max-steps 40 -o b.h5 --json",
    "run " MODELS "classics/van_der_pol.ritt --to 0.01 --method radau5 -o c.npz --checkpoint c.ck",
    "check " MODELS "gallery/wrong_start.ritt",
    "format --check " MODELS "classics/kepler.ritt",
    "convert a.csv -o a.jsonl",
    "compare a.csv a.jsonl",
    "methods",
};
static const char *const more_commands[] = {
    "run " MODELS "classics/pendulum/pendulum.ritt --to 0.01 --precision quad -o e.csv",
    "run " MODELS "classics/pendulum/pendulum.ritt --to 0.1 --plot e.svg --verify",
    "run " MODELS "papers/simple.ritt --max-steps 3 --method taylor:6 -o e.jsonl",
    "run " MODELS "papers/simple.ritt --max-steps 3 --method taylor3 -o e.jsonl",
    "run " MODELS "papers/fourbar.ritt --max-steps 3 --projection newton",
    "run " MODELS "papers/fourbar.ritt --max-steps 3 --projection inexact --direction svd",
    "run " MODELS "papers/sphere.ritt --max-steps 30 --direction qr",
    "run " MODELS "ivp/chemical_akzo.ritt --max-steps 3 --method radau3 --linear sparse",
    "run " MODELS "ivp/transistor_amplifier.ritt --max-steps 3 --method radau5",
    "run own.ritt --max-steps 5 -o own.csv --plot own.svg --save-start own.start",
    "run own.ritt --max-steps 5 --start own.csv --set a=2 --method own.tableau",
    "run " MODELS "branches/folding_slider_crank.ritt --max-steps 3",
    "complete " MODELS "branches/parallelogram.ritt --branches",
    "complete " MODELS "branches/parallelogram.ritt --branches --json",
    "complete " MODELS "branches/three_legs.ritt --branches",
    "complete " MODELS "classics/slider_crank.ritt --json",
    "complete " MODELS "papers/rigid_body_general.ritt --form involutive --json",
    "emit c " MODELS "classics/kepler.ritt",
    "emit c " MODELS "classics/pendulum/pendulum.ritt --method radau5 -o e.c",
    "emit c " MODELS "papers/simple.ritt --points 3",
    "emit c " MODELS "stiff/spring_pendulum.ritt",
    "emit c own.ritt --method radau5",
    "emit c own.ritt --precision quad",
    "emit c many.ritt",
    "emit c own.ritt --method taylor:5",
    "emit c own.ritt --method own.tableau",
    "emit c " MODELS "papers/asymptotic_curves.ritt",
    "emit c " MODELS "classics/n_pendulum.ritt --set n=110",
    "emit c " MODELS "classics/stick_slip.ritt",
    "sweep " MODELS
    "classics/pendulum/pendulum.ritt --vary g=[1] --vary y~[0] --to 0.1 --threads 1 -o s.h5",
    "sweep " MODELS "classics/pendulum/pendulum.ritt --vary L=[1.5] --threads 1 -o s/ --format npz",
    "sweep own.ritt --vary a=normal(1,0.1) --runs 1 --max-steps 9 --threads 1 --json --final s.csv --quiet",
    "sweep own.ritt --vary a=uniform(1,2) --runs 1 --max-steps 9 --threads 1 --branch 1",
    "run own.ritt --max-steps 5 --precision quad -o - --points 3",
    "run own.ritt --max-steps 5 --at own.at --every 2 -o - --native never",
    "run own.ritt --max-steps 5 --method taylor:5 -o -",
    "run " MODELS "stiff/spring_pendulum.ritt --max-steps 3 --precision quad",
    "run " MODELS "stiff/spring_pendulum.ritt --max-steps 3 --follow vibrations",
    "run " MODELS "stiff/spring_pendulum.ritt --max-steps 3 --follow index3 --method radau5",
    "run " MODELS "stiff/double_pendulum.ritt --max-steps 3 --follow projected",
    "run " MODELS
    "papers/simple.ritt --max-steps 3 --precision quad --method taylor:9 --checkpoint q.ck",
    "resume q.ck",
    "run " MODELS
    "papers/fourbar.ritt --max-steps 3 --precision quad --method gauss4 --kind general",
    "run " MODELS "papers/fourbar.ritt --max-steps 3 --kind general --direction cg",
    "run " MODELS
    "papers/fourbar.ritt --max-steps 3 --kind general --direction submatrix --method taylor3n",
    "run " MODELS
    "papers/fourbar.ritt --max-steps 3 --kind graph --direction lu --projection blocks",
    "run " MODELS "classics/n_pendulum.ritt --max-steps 3 --linear sparse --direction kkt",
    "run " MODELS "classics/n_pendulum.ritt --set n=110 --max-steps 2",
    "run " MODELS "classics/n_pendulum.ritt --max-steps 3 --linear band --projection sequential",
    "run " MODELS
    "classics/n_pendulum.ritt --max-steps 3 --direction kkt_schur --projection inexact",
    "run " MODELS "classics/n_pendulum.ritt --max-steps 3 --direction kkt_cg --method lobatto3a",
    "run " MODELS
    "classics/pendulum/pendulum.ritt --max-steps 3 --control doubling --metric euclidean",
    "run " MODELS
    "classics/pendulum/pendulum.ritt --max-steps 3 --control predictive --norm scaled --method radau9",
    "run " MODELS
    "classics/pendulum/pendulum.ritt --max-steps 3 --method vern98 --predictor on --project stages",
    "run " MODELS
    "classics/pendulum/pendulum.ritt --constant-step 0.1 --max-steps 3 --method implicit_euler1",
    "run " MODELS "papers/sphere.ritt --max-steps 3 --singular through --plot e.png --keep-script",
    "run " MODELS "papers/henon_heiles_section.ritt --max-steps 30 -o e.h5",
    "run " MODELS "papers/fourbar_folding.ritt --singular through --max-steps 50",
    "run " MODELS "branches/parallelogram.ritt --branch 2 --max-steps 3",
    "check " MODELS "branches/kite.ritt",
    "check " MODELS "gallery/over_prescribed.ritt --set n=3 --json",
    "check " MODELS "gallery/undetermined.ritt",
    "convert b.h5 -o b.csv",
    "convert a.csv -o a.npz",
    "convert a.npz -o a.h5",
    "plot a.csv --x t --y x -o a.svg",
    "resume c.ck",
    "run --help",
    "--man",
};

/* what the models of the repository do not have in one place */
static void write_own(void) {
  static const char *const text[][2] = {
      {"own.ritt",
       "model own \"its own\"\nparameter a = 1, m[1..2] = [1, 2]\nvariable x, y[1..2]\n"
       "include \"own.inc\"\nfunction F = table \"own.txt\" column 1 -> 2\nlet r = sqrt(1 + x^2)\n"
       "equation\n  x'' = -a*F(x)/r + max(0, sin(t))\n  for i in 1..2: m[i]*y[i]' = -i*y[i]\n"
       "start x = 1, x' = 0\n  for i in 1..2: y[i] = 1\n"
       "event low: x = 1/2 falling -> x' := -x'/2\nevent high: t = 9 -> stop\n"
       "solve t = 0 .. 10\noutput x, x', s = sum(i in 1..2, y[i])\nplot (t, x), (x, x')\n"},
      {"many.ritt",
       "model many\nparameter n = 300\nvariable x[1..n], y[1..n]\nequation\n"
       "  for i in 1..n: x[i]' = sin(y[i]) - 2*x[i]\n  for i in 1..n: y[i]' = x[i]*y[i]/7\n"
       "start\n  for i in 1..n: x[i] = i/n\n  for i in 1..n: y[i] = 1\nsolve t = 0 .. 1\n"},
      {"own.inc", "parameter extra = 1/3\n"},
      {"own.txt", "-3 -3\n-2 -2\n-1 -1\n0 0\n1 1\n2 2\n3 3\n"},
      {"own.at", "0\n0.05\n0.1\n"},
      {"own.tableau", "0\n1/2 | 1/2\nb | 0 1\n"},
  };
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    FILE *f = fopen(text[i][0], "w");
    CHECK(f && fputs(text[i][1], f) >= 0);
    if (f) fclose(f);
  }
}

/* All files of a folder: WORDS FILE. */
static void each_file(const char *words, const char *folder) {
  static char line[1200];
  glob_t found;
  snprintf(line, sizeof line, "%s/%s/*.ritt", RITT_SOURCE_DIR, folder);
  if (glob(line, 0, NULL, &found) != 0) return;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    snprintf(line, sizeof line, "%s %s", words, found.gl_pathv[i]);
    program(line, 1);
  }
  globfree(&found);
}

/* The rows go to stdout, and are compared. */
static const char *const runs[] = {
    "run " MODELS "classics/pendulum/pendulum.ritt --to 1 --points 3 -o - --quiet",
    "run " MODELS "classics/van_der_pol.ritt --to 0.5 --method radau5 --points 3 -o - --quiet",
    "run " MODELS "papers/simple.ritt --points 3 -o - --quiet",
};
static const char *const more_runs[] = {
    "run " MODELS
    "classics/pendulum/pendulum.ritt --to 0.5 --method radau3 --projection newton --points 3 -o - --quiet",
    "run " MODELS
    "classics/pendulum/pendulum.ritt --to 0.5 --projection inexact --points 3 -o - --quiet",
    "run " MODELS
    "classics/pendulum/pendulum.ritt --to 0.5 --projection blocks --points 3 -o - --quiet",
    "run " MODELS
    "classics/pendulum/pendulum.ritt --to 0.5 --projection sequential --points 3 -o - --quiet",
    "run " MODELS
    "classics/pendulum/pendulum.ritt --to 0.5 --direction kkt_schur --points 3 -o - --quiet",
    "run " MODELS
    "classics/pendulum/pendulum.ritt --to 0.5 --direction kkt_cg --points 3 -o - --quiet",
    "run " MODELS "classics/knife_edge.ritt --to 0.5 --points 3 -o - --quiet",
    "run " MODELS "papers/sphere.ritt --max-steps 400 --points 3 --direction qr -o - --quiet",
    "run " MODELS "papers/fourbar.ritt --to 0.5 --points 3 -o - --quiet",
    "run " MODELS "papers/fourbar.ritt --to 0.5 --method gauss4 --points 3 -o - --quiet",
    "run " MODELS "stiff/spring_pendulum.ritt --to 0.5 --points 3 -o - --quiet",
    "run " MODELS "branches/parallel.ritt --to 0.5 --points 3 -o - --quiet",
    "run " MODELS "classics/stick_slip.ritt --to 2 --points 3 -o - --quiet",
    "run " MODELS "papers/plug_flow.ritt --points 3 -o - --quiet",
    "run " MODELS "gallery/clairaut.ritt --points 3 -o - --quiet",
    "run " MODELS "ivp/transistor_amplifier.ritt --to 0.01 --method radau5 --points 3 -o - --quiet",
    "run " MODELS "branches/fourbar_node.ritt --to 3 --points 3 -o - --quiet",
    "run " MODELS "papers/mech_energy.ritt --to 0.2 --projection blocks --points 3 -o - --quiet",
    "run " MODELS "papers/fourbar_energy.ritt --to 0.2 --projection blocks --points 3 -o - --quiet",
    "run " MODELS "papers/fourbar_energy.ritt --to 0.2 --projection newton --points 3 -o - --quiet",
    "run " MODELS "papers/mech_energy.ritt --to 0.2 --projection inexact --points 3 -o - --quiet",
    "run " MODELS "papers/asymptotic_saddle.ritt --points 3 -o - --quiet",
    "run " MODELS "papers/asymptotic_curves.ritt --method taylor:6 --points 3 -o - --quiet",
    "run " MODELS "papers/sphere_focus.ritt --points 3 -o - --quiet",
    "run " MODELS "gallery/all_nodes.ritt --points 3 -o - --quiet",
    "run " MODELS "papers/discharge_pressure.ritt --points 3 -o - --quiet",
    "run " MODELS "papers/plug_flow_choked.ritt --points 3 -o - --quiet",
    "run " MODELS "gallery/brachistochrone.ritt --direction submatrix --points 3 -o - --quiet",
    "run " MODELS "gallery/torus.ritt --method taylor:8 --points 3 -o - --quiet",
    "run " MODELS "papers/simple.ritt --kind general --direction cg --points 3 -o - --quiet",
    "run " MODELS "papers/simple.ritt --method taylor3n --points 3 -o - --quiet",
    "run " MODELS "papers/simple.ritt --method gauss4 --points 3 -o - --quiet",
    "run " MODELS
    "papers/simple.ritt --kind general --direction svd --control doubling --points 3 -o - --quiet",
    "run " MODELS "stiff/double_pendulum.ritt --to 0.5 --points 3 -o - --quiet",
    "run " MODELS "stiff/elastic_fourbar.ritt --to 0.2 --follow vibrations --points 3 -o - --quiet",
    "run " MODELS
    "stiff/spring_pendulum.ritt --to 0.2 --follow index3 --method radau5 --points 3 -o - --quiet",
    "run " MODELS "stiff/spring_pendulum.ritt --to 0.2 --follow projected --points 3 -o - --quiet",
    "run " MODELS "classics/n_pendulum.ritt --to 0.5 --linear sparse --points 3 -o - --quiet",
    "run " MODELS
    "classics/n_pendulum.ritt --to 0.5 --linear band --method radau5 --points 3 -o - --quiet",
    "run " MODELS
    "classics/n_pendulum.ritt --to 0.5 --set n=12 --projection newton --points 3 -o - --quiet",
    "run " MODELS
    "classics/pendulum/pendulum.ritt --to 0.5 --method taylor:10 --points 3 -o - --quiet",
    "run " MODELS
    "classics/pendulum/pendulum.ritt --to 0.5 --method taylor3 --points 3 -o - --quiet",
    "run " MODELS
    "classics/pendulum/pendulum.ritt --to 0.5 --kind general --method radau5 --points 3 -o - --quiet",
    "run " MODELS
    "classics/pendulum/pendulum.ritt --to 0.5 --kind graph --predictor on --points 3 -o - --quiet",
    "run " MODELS
    "classics/pendulum/pendulum.ritt --to 0.5 --method radau9 --control predictive --points 3 -o - --quiet",
    "run " MODELS "classics/bouncing_ball.ritt --to 3 --points 3 -o - --quiet",
    "run " MODELS "papers/henon_heiles_section.ritt --to 30 --points 3 -o - --quiet",
    "run " MODELS "papers/kepler.ritt --to 1 --method lobatto3a --points 3 -o - --quiet",
};

/* Completions: what has no value, or is called singular, leaves the verdict open or as it was. */
static const char *const checks[] = {
    "check " MODELS "classics/pendulum/pendulum.ritt",
    "check " MODELS "papers/rigid_body_general.ritt",
    "check " MODELS "papers/mhd_general.ritt",
    "check " MODELS "gallery/undetermined.ritt",
    "check " MODELS "gallery/wrong_start.ritt",
    "check " MODELS "gallery/repeated_equation.ritt",
    "check " MODELS "gallery/over_prescribed.ritt --set n=2",
    "check " MODELS "papers/fourbar_false_energy.ritt",
    "check " MODELS "papers/plug_flow.ritt",
    "check " MODELS "classics/crane.ritt",
    "check " MODELS "classics/nilpotent_chain.ritt",
    "check " MODELS "classics/stick_slip.ritt",
    "check " MODELS "ivp/car_axis.ritt",
    "check " MODELS "stiff/spring_pendulum.ritt",
    "check " MODELS "stiff/elastic_fourbar.ritt",
    "check " MODELS "gallery/clairaut.ritt",
    "check own.ritt",
};

static char *joined(char **words) {
  static char line[2000];
  for (; *words; words++)
    snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", *line ? " " : "", *words);
  return line;
}

static void forget_places(void) { memset(places->times, 0, sizeof places->times); }

int main(int count, char **arguments) {
  bool all = count > 1 && !strcmp(arguments[1], "all");
  char folder[] = "/tmp/ritt_places_XXXXXX";
  void *first[2];
  if (count > 3 && !strcmp(arguments[1], "at")) {
    fails_at = atol(arguments[2]);
    if (getenv("RITT_REFUSED")) refused = atoi(getenv("RITT_REFUSED"));
    return cli_call(count - 2, arguments + 2);
  }
  backtrace(first, 2); /* it loads a library the first time */
  places = mmap(NULL, sizeof *places, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (places == MAP_FAILED || !mkdtemp(folder) || chdir(folder) != 0) return 1;
  times = all ? 2 : 1;
  __real___gmp_set_memory_functions(gmp_new, gmp_resize, gmp_drop);
  const int stride = all ? 1 : CHECK_SLOW ? 13 : 3;
  if (count > 2) program(joined(arguments + 2), 1);
  else {
    write_own();
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) model_file(models[i], stride);
    functions(stride);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) program(commands[i], stride);
    for (size_t i = 0; all && i < sizeof more_models / sizeof *more_models; i++)
      model_file(more_models[i], 1);
    for (size_t i = 0; all && i < sizeof more_commands / sizeof *more_commands; i++)
      program(more_commands[i], 1);
    for (refused = MATRICES; refused <= VALUES; refused++) {
      forget_places();
      for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) program(runs[i], stride);
      for (size_t i = 0; all && i < sizeof more_runs / sizeof *more_runs; i++)
        program(more_runs[i], 1);
      for (size_t i = 0; all && i < sizeof checks / sizeof *checks; i++) program(checks[i], 1);
    }
    refused = CALLS;
    forget_places();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) program(commands[i], stride);
    for (size_t i = 0; all && i < sizeof more_commands / sizeof *more_commands; i++)
      program(more_commands[i], 1);
    refused = MEMORY;
    if (all) each_file("check", "test/refuse/cases"), each_file("complete", "test/corpus");
  }
  printf("%ld places refused, %ld without consequence, %ld not found again\n", tried, absorbed,
         missed);
  CHECK(missed * 100 <= tried);
  if (chdir("/") != 0) return 1;
  char remove[100];
  snprintf(remove, sizeof remove, "rm -r '%s'", folder);
  CHECK(system(remove) == 0);
  return CHECKS_DONE();
}
