/* A C source as a shared library, for files that go to other programs: compiled in the foreground, in a
 * folder of its own that is removed afterwards. $CFLAGS takes the place of -O2. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "process/child.h"
#include "jit/native_impl.h"

enum { MOST_FLAGS = 32, LONGEST_FLAGS = 1000 };

static bool write_source(const char *path, const char *source, size_t length) {
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  bool written = fwrite(source, 1, length, file) == length;
  return fclose(file) == 0 && written;
}

static bool read_library(const char *path, ritti_text *made) {
  char bytes[1 << 14];
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
    ritti_text_add_bytes(made, bytes, n);
  bool good = !ferror(file) && made->count > 0;
  fclose(file);
  return good;
}

/* Runs the compiler and waits for it. */
static bool run_compiler(const char *compiler, const char *source, const char *library) {
  const char *given = getenv("CFLAGS"), *arguments[MOST_FLAGS + 16];
  char flags[LONGEST_FLAGS] = "-O2";
  int count = 0;
  if (given && strlen(given) < sizeof flags) snprintf(flags, sizeof flags, "%s", given);
  arguments[count++] = compiler;
  for (char *word = strtok(flags, " \t\n"); word && count < MOST_FLAGS;
       word = strtok(NULL, " \t\n"))
    arguments[count++] = word;
  static const char *const own[] = {"-std=c11", "-ffp-contract=off", "-fvisibility=hidden",
                                    "-fPIC",    "-shared",           "-w"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) arguments[count++] = own[i];
  arguments[count++] = "-o";
  arguments[count++] = library;
  arguments[count++] = source;
  arguments[count++] = "-lm";
  arguments[count] = NULL;

  ritti_child child;
  ritti_talk talk = {.last = true};
  if (ritti_child_start(&child, arguments)) return false;
  ritti_child_talk(&child, &talk);
  ritti_text_free(&talk.out);
  ritti_text_free(&talk.err);
  int ended = ritti_child_end(&child, false);
  return WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
}

ritt_status ritti_compile_library(const char *source, size_t length, ritti_text *made,
                                  const char **reason) {
  const char *above = getenv("TMPDIR");
  char compiler[RITTI_NATIVE_PATH], folder[RITTI_NATIVE_PATH / 2], path[2][RITTI_NATIVE_PATH];
  *reason = "no C compiler was found";
  if (!ritti_compiler_find(compiler)) return RITT_SYSTEM;
  *reason = "there is no folder for temporary files";
  if (!above || !*above || strlen(above) > RITTI_NATIVE_PATH / 4) above = "/tmp";
  snprintf(folder, sizeof folder, "%s/ritt-XXXXXX", above);
  if (!mkdtemp(folder)) return RITT_SYSTEM;

  snprintf(path[0], sizeof path[0], "%s/unit.c", folder);
  snprintf(path[1], sizeof path[1], "%s/unit.so", folder);
  *reason = "its source cannot be written to a temporary file";
  bool good = write_source(path[0], source, length);
  if (good) {
    *reason = "the compiler refused its source";
    good = run_compiler(compiler, path[0], path[1]);
  }
  if (good) {
    *reason = "the compiler has made no library";
    good = read_library(path[1], made);
  }
  unlink(path[0]);
  unlink(path[1]);
  rmdir(folder);
  if (made->status != RITT_OK) return made->status;
  return good ? RITT_OK : RITT_SYSTEM;
}
