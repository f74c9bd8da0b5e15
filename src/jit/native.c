/* From a source to its functions: takes them from the cache of files, or starts a compiler and polls
 * it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/state.h"
#include "process/child.h"
#include "jit/native_impl.h"

enum {
  MOST_SECONDS = 120,
  MOST_NAMES = 100
}; /* seconds for a compiler; tries to find a free file name */

struct ritti_native {
  ritti_native_state state;
  const char *reason;
  char folder[RITTI_NATIVE_PATH], path[RITTI_NATIVE_PATH + 64]; /* the cache; the file in it */
  /* input and output of the compiler while it works; else "" */
  char source[RITTI_NATIVE_PATH + 64], made[RITTI_NATIVE_PATH + 64];
  pid_t pid; /* of the compiler; 0: none works */
  double began;
  void *library;
};

static void set_failure(ritti_native *N, const char *reason) {
  N->state = RITTI_NATIVE_FAILED;
  N->reason = reason;
}

/* The name of the file: two checksums of the source, this version, the compiler and its flags. */
static bool name_file(ritti_native *N, const char *compiler, bool hard, const char *source,
                      size_t length) {
  ritti_text key = {0};
  ritti_text_add(&key, "ritt %s\n", RITT_VERSION);
  ritti_compiler_identity(compiler, &key);
  for (int i = 0; ritti_compiler_flags[i]; i++)
    ritti_text_add(&key, "\n%s", ritti_compiler_flags[i]);
  ritti_text_add(&key, "\n%s\n", ritti_compiler_effort(hard));
  bool good = key.status == RITT_OK;
  uint64_t one = RITTI_CHECKSUM, two = ~RITTI_CHECKSUM;
  if (good) {
    one = ritti_checksum(ritti_checksum(one, key.at, key.count), source, length);
    /* the second one reads the bytes in another order: the source, the rest, the length */
    two = ritti_checksum(ritti_checksum(two, source, length), key.at, key.count);
    two = ritti_checksum(two, &length, sizeof length);
    snprintf(N->path, sizeof N->path, "%s/%016llx%016llx.so", N->folder, (unsigned long long)one,
             (unsigned long long)two);
  }
  ritti_text_free(&key);
  return good;
}

static bool load_file(ritti_native *N) {
  if (!ritti_cache_good(N->path)) return false;
  N->library = dlopen(N->path, RTLD_NOW | RTLD_LOCAL);
  if (N->library) N->state = RITTI_NATIVE_READY;
  return N->library != NULL;
}

static void remove_files(ritti_native *N) {
  if (N->source[0]) unlink(N->source);
  if (N->made[0]) unlink(N->made);
  N->source[0] = N->made[0] = '\0';
}

static bool write_all(int file, const char *bytes, size_t count) {
  while (count) {
    ssize_t n = write(file, bytes, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n, count -= (size_t)n;
  }
  return true;
}

/* Writes the source to a new file and chooses the name of the compiler's output. */
static bool write_source(ritti_native *N, const char *source, size_t length) {
  int file = -1;
  for (int i = 0; file < 0 && i < MOST_NAMES; i++) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    unsigned long mark = (unsigned long)t.tv_nsec + (unsigned long)i;
    snprintf(N->source, sizeof N->source, "%s/making-%ld-%lx.c", N->folder, (long)getpid(), mark);
    snprintf(N->made, sizeof N->made, "%s/making-%ld-%lx.so", N->folder, (long)getpid(), mark);
    file = open(N->source, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST) break;
  }
  if (file < 0) {
    N->source[0] = N->made[0] = '\0';
    return false;
  }
  bool good = write_all(file, source, length);
  return close(file) == 0 && good;
}

ritti_native *ritti_native_begin(const char *source, size_t length, bool hard, bool compile) {
  char compiler[RITTI_NATIVE_PATH];
  ritti_native *N = ritti_malloc(sizeof *N);
  if (!N) return NULL;
  *N = (ritti_native){.state = RITTI_NATIVE_WORKING};
  if (!ritti_compiler_find(compiler))
    set_failure(N, "no C compiler is on the path (cc, gcc, clang, or that of $CC)");
  else if (!ritti_cache_folder(N->folder, &N->reason)) set_failure(N, N->reason);
  else if (!name_file(N, compiler, hard, source, length))
    set_failure(N, "there is no memory for it");
  else if (load_file(N)) return N;
  else if (!compile) set_failure(N, "it was not asked for");
  else if (!write_source(N, source, length)) set_failure(N, "its cache folder cannot be written");
  else if (!(N->pid = ritti_compiler_start(compiler, hard, N->source, N->made)))
    set_failure(N, "the compiler could not be started");
  if (N->state == RITTI_NATIVE_FAILED) remove_files(N);
  N->began = ritti_clock();
  return N;
}

static void end_compiler(ritti_native *N) {
  int status;
  ritti_child_poll_detached(N->pid, true, &status);
  N->pid = 0;
  remove_files(N);
}

ritti_native_state ritti_native_poll(ritti_native *N) {
  int status = 0;
  if (N->state != RITTI_NATIVE_WORKING) return N->state;
  if (ritti_child_poll_detached(N->pid, false, &status)) {
    /* The compiler has ended with this status. */
    N->pid = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) set_failure(N, "the compiler failed");
    else if (!ritti_cache_keep(N->made, N->path))
      set_failure(N, "its cache folder cannot be written");
    else if (!load_file(N)) set_failure(N, "what the compiler made cannot be loaded");
    remove_files(N);
    ritti_cache_trim(N->folder);
  } else if (ritti_clock() - N->began > MOST_SECONDS) {
    end_compiler(N);
    set_failure(N, "the compiler took too long");
  }
  return N->state;
}

const char *ritti_native_reason(const ritti_native *N) { return N->reason; }

ritti_native_function ritti_native_get(const ritti_native *N, const char *name) {
  ritti_native_function function = NULL;
  void *symbol = dlsym(N->library, name);
  memcpy(&function, &symbol, sizeof symbol); /* POSIX guarantees that this works */
  return function;
}

void ritti_native_free(ritti_native *N) {
  if (!N) return;
  if (N->pid) end_compiler(N);
  if (N->library) dlclose(N->library);
  ritti_free(N);
}
