/* Fuzz target: the program with any words behind its name, in this process and in a folder of its
 * own. Whatever they are, the exit code is one of the four, and another one than 0 comes with a
 * sentence on stderr. Exception: `compare --quiet` reports differences by its exit code alone.
 *
 * Nothing outside of the folder is touched: words hold no '/' but at their end, and no program is
 * found, since the folder is the only place to look for some. Limits of time and memory belong to a
 * process, and are not asked for; runs are interrupted after a second instead, as by Ctrl-C. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include "choices.h"
#include "cli.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define REPORT_TO(file) __sanitizer_set_report_fd((void *)(intptr_t)(file))
#endif
#endif
#ifndef REPORT_TO
#define REPORT_TO(file) (void)(file)
#endif

/* ---- a folder with harmless files ---- */

static const struct {
  const char *name, *text;
} files[] = {
    {"pendulum.ritt",
     "model pendulum\nparameter g = 1\nvariable x, y, m\nequation\n  x'' + m*x = 0\n  y'' + m*y + g = 0\n"
     "  x^2 + y^2 = 1\nstart t = 0\n  x = 1, y = 0, x' ~ 0, y' ~ 0\nevent low: x = 0 -> record\n"
     "solve t = 0 .. 2\n  tolerance 1e-5\noutput x, y, m\nplot (x, y)\n"},
    {"decay.ritt",
     "model decay\nparameter a = 2, n = 3\nvariable x[1..n]\nequation\n  for i in 1..n: x[i]' = -a*i*x[i]\n"
     "start t = 0\n  for i in 1..n: x[i] = 1/i\nsolve t = 0 .. 1\n  method radau5\n"},
    {"wrong.ritt", "model wrong\nvariable x\nequation\n  x' = = 3\n"},
    {"a.csv", "t,x,y,m\n0,1,0,0\n0.5,0.9,-0.4,1\n1,0.8,-0.6,1\n"},
    {"b.csv", "t,x,y,m\n0,1,0,0\n0.25,0.95,-0.3,1\n1,0.8,-0.6,2\n"},
    {"a.jsonl", "{\"t\": 0, \"x\": 1}\n{\"t\": 1, \"x\": 2}\n"},
    {"at.txt", "0.1\n0.2 0.7\n"},
    {"start.txt", "start t = 0\n  x = 0.6, y = -0.8\n"},
    {"empty", ""},
};
enum { FILES = sizeof files / sizeof *files };

static char folder[] = "/tmp/ritt-fuzz-XXXXXX";
static int terminal, out; /* stderr and stdout as they were */

static void remove_all(const char *path) {
  DIR *d = opendir(path);
  struct dirent *e;
  while (d && (e = readdir(d))) {
    char name[1024];
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
    snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    if (unlink(name) != 0) remove_all(name), rmdir(name);
  }
  if (d) closedir(d);
}

static void leave(void) {
  remove_all(folder);
  rmdir(folder);
}

static void enter(void) {
  must(mkdtemp(folder) && chdir(folder) == 0 && (terminal = dup(2)) > 2 && (out = dup(1)) > 2);
  atexit(leave);
  signal(SIGPIPE, SIG_IGN);
  static const char *const variables[] = {"PATH", "HOME", "XDG_CACHE_HOME", "TMPDIR"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) setenv(variables[i], folder, 1);
  setenv("RITT_NATIVE", "never", 1);
  REPORT_TO(terminal);
}

static void fill(void) {
  remove_all(".");
  for (int i = 0; i < FILES; i++) {
    FILE *f = fopen(files[i].name, "w");
    must(f && fputs(files[i].text, f) >= 0 && fclose(f) == 0);
  }
}

/* ---- words ---- */

enum { WORDS = 24, LONGEST = 64 };
typedef struct call {
  int count;
  char *word[WORDS + 2], text[WORDS][LONGEST];
} call;

static char *new_word(call *c) {
  if (c->count >= WORDS) return NULL;
  char *w = c->text[c->count];
  c->word[c->count++] = w;
  w[0] = 0;
  return w;
}

static void add_word(call *c, const char *text) {
  char *w = new_word(c);
  if (w) snprintf(w, LONGEST, "%s", text);
}

static void add_bytes(call *c, choices *bytes) {
  char *w = new_word(c);
  int length = choose(bytes, 20);
  for (int i = 0; w && i < length && bytes->left; i++) {
    char letter = (char)choose(bytes, 256);
    w[i] = letter == '/' ? '_' : letter ? letter : ' ';
    w[i + 1] = 0;
  }
}

static void add_file(call *c, choices *bytes) {
  static const char *const other[] = {"-",         "out.csv", "out.h5", "out.npz", "out.jsonl",
                                      "out.svg",   "out.log", "ck",     "d/",      ".",
                                      "none.ritt", "a.csv:2", "a.csv:9"};
  int i = choose(bytes, FILES + sizeof other / sizeof *other);
  add_word(c, i < FILES ? files[i].name : other[i - FILES]);
}

static void add_number(call *c, choices *bytes) {
  static const char *const number[] = {
      "1",     "0",      "2",     "10",    "-1",  "0.5", "1e-3",
      "1e-9",  "1e-300", "1e300", "1e999", "nan", "inf", "-0",
      "3",     "100",    "1000",  "0x1p3", "1e",  "",    "9223372036854775808",
      "1e-15", "7.5e1",  "1/3",   "2 3"};
  add_word(c, number[choose(bytes, sizeof number / sizeof *number)]);
}

static void add_setting(call *c, choices *bytes) {
  static const char *const setting[] = {"g=2",
                                        "g=1:3:2",
                                        "a=[1, 2]",
                                        "g=normal(1, 0.1)",
                                        "x=uniform(0, 1)",
                                        "n=2",
                                        "n=-1",
                                        "g=x",
                                        "g",
                                        "=1",
                                        "a=1/0",
                                        "g=1:3:-1",
                                        "x'=0:1:3",
                                        "n=1e9",
                                        "a=sqrt(-1)",
                                        "t=0:1:2",
                                        "x[1]=1:2:2",
                                        "through start",
                                        "2",
                                        "dopri54",
                                        "radau5",
                                        "taylor",
                                        "x,y",
                                        "t"};
  add_word(c, setting[choose(bytes, sizeof setting / sizeof *setting)]);
}

/* One of the words of "a|b|c"; another word where there is one only. */
static void add_choice(call *c, choices *bytes, const char *words) {
  char list[256], *at[32], *save;
  int count = 0;
  snprintf(list, sizeof list, "%s", words);
  for (char *w = strtok_r(list, "|", &save); w && count < 32; w = strtok_r(NULL, "|", &save))
    at[count++] = w;
  if (count > 1) add_word(c, at[choose(bytes, count)]);
  else add_setting(c, bytes);
}

/* A value as an option wants it. */
static void add_value(call *c, choices *bytes, const char *value) {
  if (strchr(value, '|')) add_choice(c, bytes, value);
  else if (strchr(value, '=')) add_setting(c, bytes);
  else if (strchr(value, '.') || strstr(value, "FILE") || !strcmp(value, "CK")) add_file(c, bytes);
  else if (!strcmp(value, "M") || strstr(value, "NAME") || !strcmp(value, "WHICH"))
    add_setting(c, bytes);
  else add_number(c, bytes);
}

static void add_option(call *c, choices *bytes, const cli_command *command) {
  cli_option o;
  int count = 0;
  while (cli_option_get(command, (size_t)count, &o)) count++;
  if (!cli_option_get(command, (size_t)choose(bytes, count), &o)) return;
  if (!strncmp(o.name, "--max-", 6) && strcmp(o.name, "--max-steps")) return;
  if (!strcmp(o.name, "--help") && choose(bytes, 4)) return;
  add_word(c, o.name);
  switch (choose(bytes, 16)) {
  case 0: add_bytes(c, bytes); break;
  case 1: add_number(c, bytes); break;
  case 2: add_setting(c, bytes); break;
  case 3: add_file(c, bytes); break;
  case 4: break; /* nothing */
  default:
    if (o.value) add_value(c, bytes, o.value);
  }
}

/* What a limit of the process would be is left out, however it was spelled. */
static void drop_limits(call *c) {
  int kept = 0;
  for (int i = 0; i < c->count; i++)
    if (strncmp(c->word[i], "--max-t", 7) && strncmp(c->word[i], "--max-m", 7))
      c->word[kept++] = c->word[i];
  c->count = kept;
}

/* What a command is about: mostly something that it can read. */
static void add_subject(call *c, choices *bytes, unsigned command) {
  static const char *const models[] = {"pendulum.ritt", "decay.ritt", "-", "wrong.ritt"},
                           *const results[] = {"a.csv", "b.csv", "a.jsonl"};
  if (command == CLI_METHODS) return;
  if (command == CLI_EMIT && choose(bytes, 16)) add_word(c, "c");
  if (!choose(bytes, 8)) add_file(c, bytes);
  else if (command & (CLI_READS | CLI_FORMAT)) add_word(c, models[choose(bytes, 4)]);
  else add_word(c, results[choose(bytes, 3)]);
  if (command == CLI_COMPARE) add_word(c, results[choose(bytes, 3)]);
}

static void make_call(call *c, choices *bytes) {
  static const char *const name[] = {
      "run",    "run",     "run",  "check",  "sweep",  "complete",  "convert", "compare", "plot",
      "format", "methods", "emit", "resume", "--help", "--version", "--man",   "rum"};
  const char *first = name[choose(bytes, sizeof name / sizeof *name)];
  const cli_command *command = cli_find_command(first);
  add_word(c, "ritt");
  add_word(c, first);
  if (command) add_subject(c, bytes, command->bit);
  while (bytes->left && c->count < WORDS) {
    int kind = choose(bytes, 32);
    if (kind == 0) add_bytes(c, bytes);
    else if (kind == 1) add_file(c, bytes);
    else if (kind == 2) add_number(c, bytes);
    else if (kind < 8) break;
    else if (command) add_option(c, bytes, command);
  }
  drop_limits(c);
  c->word[c->count] = NULL;
}

/* ---- the call ---- */

static struct sigaction before; /* of SIGINT: as it is where nothing can be interrupted */

static void enough(int signal_number) {
  struct sigaction now;
  (void)signal_number;
  if (sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler != before.sa_handler) raise(SIGINT);
}

static void set_alarm(int first, int again) {
  struct itimerval timer = {.it_value = {first, 0}, .it_interval = {0, again}};
  must(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

static void open_as(int place, const char *name, int flags) {
  int file = open(name, flags, 0600);
  must(file > 2 && dup2(file, place) == place && close(file) == 0);
}

static long long size_of(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 ? (long long)s.st_size : -1;
}

/* Is 1 all that it says of a difference? */
static bool tells_by_code(const call *c) {
  bool quiet = false;
  for (int i = 2; i < c->count; i++) quiet |= !strcmp(c->word[i], "--quiet");
  return c->count > 1 && !strcmp(c->word[1], "compare") && quiet;
}

static void show(const call *c) {
  for (int i = 0; i < c->count; i++) dprintf(terminal, " '%s'", c->word[i]);
  dprintf(terminal, "\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  choices bytes = {data, size};
  static call c;
  struct sigaction action = {.sa_handler = enough}, alarm_before;
  if (!terminal) enter();
  memset(&c, 0, sizeof c);
  make_call(&c, &bytes);
  fill();
  if (getenv("RITT_FUZZ_SHOW")) show(&c);
  /* stdin is a model; messages go to files, which are not in the folder by name */
  open_as(0, "decay.ritt", O_RDONLY);
  open_as(1, ".stdout", O_WRONLY | O_CREAT | O_TRUNC);
  open_as(2, ".stderr", O_WRONLY | O_CREAT | O_TRUNC);
  rewind(stdin);
  sigemptyset(&action.sa_mask);
  must(sigaction(SIGINT, NULL, &before) == 0 && sigaction(SIGALRM, &action, &alarm_before) == 0);
  set_alarm(1, 0);
  int code = cli_call(c.count, c.word);
  set_alarm(0, 0);
  fflush(stdout), fflush(stderr);
  must(sigaction(SIGINT, &before, NULL) == 0 && sigaction(SIGALRM, &alarm_before, NULL) == 0);
  must(dup2(terminal, 2) == 2 && dup2(out, 1) == 1);
  if (code == 1 && tells_by_code(&c)) return 0;
  if (code >= 0 && code <= 3 && (code == 0 || size_of(".stderr") > 0 || size_of(".stdout") > 0))
    return 0;
  show(&c);
  dprintf(terminal, "exit code %d, and %lld bytes on stderr\n", code, size_of(".stderr"));
  abort();
}
