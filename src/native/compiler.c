/* The system's C compiler as a child process: found on $PATH, started without a shell, with nothing to read and
 * nobody to read what it says. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "native/native_impl.h"

extern char **environ;

/* As the library itself is compiled: no contraction, so that the bits are those of the interpreter. Names of
 * functions mean those of the mathematical library, nothing that the compiler would evaluate by itself. */
const char *const ritti_compiler_flags[] = {
    "-std=c99", "-O1", "-ffp-contract=off", "-fno-builtin", "-fno-math-errno", "-fPIC", "-shared",
    "-w",       NULL};

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

pid_t ritti_compiler_start(const char *compiler, const char *source, const char *made) {
  char *arguments[32];
  int count = 0;
  pid_t pid = 0;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  arguments[count++] = (char *)compiler;
  for (int i = 0; ritti_compiler_flags[i]; i++) arguments[count++] = (char *)ritti_compiler_flags[i];
  arguments[count++] = "-o", arguments[count++] = (char *)made, arguments[count++] = (char *)source;
  arguments[count++] = "-lm", arguments[count] = NULL;
  if (posix_spawn_file_actions_init(&actions)) return 0;
  if (posix_spawnattr_init(&attributes)) {
    posix_spawn_file_actions_destroy(&actions);
    return 0;
  }
  /* signals as they are by default, and a group that can be ended with all its passes */
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGCHLD);
  bool good = !posix_spawnattr_setsigmask(&attributes, &none) &&
              !posix_spawnattr_setsigdefault(&attributes, &usual) &&
              !posix_spawnattr_setpgroup(&attributes, 0) &&
              !posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                         POSIX_SPAWN_SETPGROUP) &&
              !posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) &&
              !posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) &&
              !posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) &&
              !posix_spawn(&pid, compiler, &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return good ? pid : 0;
}
