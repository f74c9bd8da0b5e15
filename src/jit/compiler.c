/* The system's C compiler as a detached child process: found on $PATH, started without a shell. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "process/child.h"
#include "jit/native_impl.h"

/* The options of the library's own build: no contraction, so that the bits equal the interpreter's.
 * -fno-builtin: calls go to the mathematical library; the compiler does not evaluate them. */
const char *const ritti_compiler_flags[] = {"-std=c99",
                                            "-ffp-contract=off",
                                            "-fno-builtin",
                                            "-fno-math-errno",
                                            "-fno-semantic-interposition",
                                            "-fPIC",
                                            "-shared",
                                            "-w",
                                            NULL};

/* Straight-line code gains nothing from more than -O1, loops with constant bounds do. */
const char *ritti_compiler_effort(bool hard) { return hard ? "-O3" : "-O1"; }

static bool is_program(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* Finds the first program of that name on $PATH; relative folders are ignored. */
static bool find_on_path(const char *name, char out[RITTI_NATIVE_PATH]) {
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
    if (given[0] != '/') return !strchr(given, '/') && find_on_path(given, path);
    snprintf(path, RITTI_NATIVE_PATH, "%s", given);
    return is_program(path);
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (find_on_path(names[i], path)) return true;
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
  return ritti_child_start_detached(&pid, arguments) ? 0 : pid;
}
