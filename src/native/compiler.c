/* The system's C compiler as a child process: found on $PATH, started without a shell, with nothing
 * to read and nobody to read what it says. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "child/child.h"
#include "native/native_impl.h"

/* As the library itself is compiled: no contraction, so that the bits are those of the interpreter.
 * Names of functions mean those of the mathematical library, nothing that the compiler would
 * evaluate by itself. */
const char *const ritti_compiler_flags[] = {"-std=c99",
                                            "-ffp-contract=off",
                                            "-fno-builtin",
                                            "-fno-math-errno",
                                            "-fno-semantic-interposition",
                                            "-fPIC",
                                            "-shared",
                                            "-w",
                                            NULL};

/* Straight code gains nothing by more than -O1; loops with constant bounds do. */
const char *ritti_compiler_effort(bool hard) { return hard ? "-O3" : "-O1"; }

static bool is_program(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* The first of that name on $PATH; only whole paths count. */
static bool on_path(const char *name, char out[RITTI_NATIVE_PATH]) {
  const char *at = getenv("PATH");
  while (at && *at) {
    size_t length = strcspn(at, ":");
    if (at[0] == '/' && length < RITTI_NATIVE_PATH / 2) {
      snprintf(out, RITTI_NATIVE_PATH, "%.*s/%s", (int)length, at, name);
      if (is_program(out)) return true;
    }
    at += length;
    if (*at) at++;
  }
  return false;
}

bool ritti_compiler_find(char path[RITTI_NATIVE_PATH]) {
  static const char *const names[] = {"cc", "gcc", "clang"};
  const char *given = getenv("CC");
  if (given && *given) {
    bool word = strlen(given) < 200 && !strpbrk(given, " \t\n\"'`$;|&<>()\\");
    if (!word) return false;
    if (given[0] != '/') return !strchr(given, '/') && on_path(given, path);
    snprintf(path, RITTI_NATIVE_PATH, "%s", given);
    return is_program(path);
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (on_path(names[i], path)) return true;
  return false;
}

void ritti_compiler_identity(const char *path, ritti_text *out) {
  struct stat s = {0};
  if (stat(path, &s)) s.st_size = 0;
  ritti_text_add(out, "%s %lld %lld", path, (long long)s.st_size, (long long)s.st_mtime);
}

pid_t ritti_compiler_start(const char *compiler, bool hard, const char *source, const char *made) {
  const char *arguments[32];
  int count = 0;
  pid_t pid;
  arguments[count++] = compiler;
  arguments[count++] = ritti_compiler_effort(hard);
  for (int i = 0; ritti_compiler_flags[i]; i++) arguments[count++] = ritti_compiler_flags[i];
  arguments[count++] = "-o", arguments[count++] = made, arguments[count++] = source;
  arguments[count++] = "-lm", arguments[count] = NULL;
  return ritti_child_start_alone(&pid, arguments) ? 0 : pid;
}
