/* One writer at a time: before a run, each of its output files is locked, and two names of one file
 * are refused.
 *
 * The locks are files in a folder of the user ($XDG_RUNTIME_DIR, $TMPDIR or /tmp), one for each
 * output, named after the checksum of its absolute path: outputs themselves may be replaced by a
 * rename during a run. The system releases the locks of a process when it ends, however it ends. If
 * there is no such folder the run goes on without locks. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "cli.h"

/* A file of the call, by its absolute path without links. */
typedef struct named_file {
  const char *option, *name;
  char *path;
  struct stat status;
  bool exists, output;
} named_file;

enum { MOST_FILES = 64 };

typedef struct file_list {
  named_file at[MOST_FILES];
  size_t count;
} file_list;

/* The absolute path of a file that may not exist yet; NULL: its folder does not exist. A link to a file
 * that does not exist is followed, at most `links` times. */
static char *absolute_path(const char *name, int links) {
  char *path = realpath(name, NULL);
  if (path) return path;
  const char *slash = strrchr(name, '/');
  char target[4096], next[8192];
  ssize_t length = links > 0 ? readlink(name, target, sizeof target - 1) : -1;
  if (length > 0) {
    target[length] = '\0';
    int before = slash && target[0] != '/' ? (int)(slash - name) + 1 : 0;
    if (snprintf(next, sizeof next, "%.*s%s", before, name, target) < (int)sizeof next)
      return absolute_path(next, links - 1);
  }

  /* its folder, and its name in it */
  char *folder = slash ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
  char *found = folder ? realpath(folder, NULL) : NULL;
  free(folder);
  if (!found) return NULL;

  const char *base = slash ? slash + 1 : name;
  size_t size = strlen(found) + strlen(base) + 2;
  path = malloc(size);
  if (path) snprintf(path, size, "%s/%s", found, base);
  free(found);
  return path;
}

static void add_file(file_list *list, const char *option, const char *name, bool output) {
  if (!name || !strcmp(name, "-") || list->count == MOST_FILES) return;
  named_file *f = &list->at[list->count];
  *f = (named_file){
      .option = option, .name = name, .output = output, .path = absolute_path(name, 20)};
  if (!f->path) return;
  f->exists = stat(f->path, &f->status) == 0;
  list->count++;
}

static void list_files(const cli_options *o, file_list *list) {
  for (size_t i = 0; i < o->tables.count; i++) add_file(list, "-o", o->tables.at[i], true);
  add_file(list, "--plot", o->plot, true);
  add_file(list, "--view", o->view, true);
  add_file(list, "--animate", o->animate, true);
  add_file(list, "--save-start", o->save_start, true);
  add_file(list, "--final", o->final, true);
  add_file(list, "--checkpoint", o->checkpoint, true);
  add_file(list, "the model", o->file, false);
}

/* Are these one file? Devices such as /dev/null may be named twice. */
static bool is_same_file(const named_file *a, const named_file *b) {
  if (a->exists && !S_ISREG(a->status.st_mode)) return false;
  if (!strcmp(a->path, b->path)) return true;
  return a->exists && b->exists && a->status.st_dev == b->status.st_dev &&
         a->status.st_ino == b->status.st_ino;
}

static ritt_status refuse_same(const file_list *list, ritt_error *error) {
  for (size_t i = 0; i < list->count; i++)
    for (size_t j = 0; j < i; j++) {
      const named_file *a = &list->at[j], *b = &list->at[i];
      if (!a->output || !is_same_file(a, b)) continue;
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "choose another name for one of them",
                        "%s %.200s and %s %.200s are the same file", a->option, a->name, b->option,
                        b->name);
    }
  return RITT_OK;
}

/* ---- locks ---- */

static struct {
  int file;
  char path[PATH_MAX];
} locks[MOST_FILES];
static size_t held;

/* The user's folder for locks; false: there is none. */
static bool find_folder(char *folder, size_t room) {
  const char *parent = getenv("XDG_RUNTIME_DIR");
  if (!parent || parent[0] != '/' || access(parent, W_OK) != 0) parent = getenv("TMPDIR");
  if (!parent || parent[0] != '/') parent = "/tmp";
  int length = snprintf(folder, room, "%.1000s/ritt-locks-%ld", parent, (long)getuid());
  struct stat s;
  if (length < 0 || (size_t)length >= room) return false;
  if (mkdir(folder, 0700) != 0 && errno != EEXIST) return false;
  return lstat(folder, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == getuid();
}

/* Locks the file `path`. Returns its descriptor, or -1; *pid: the process that has the lock, 0: locks
 * do not work here. A process that was killed may keep its lock for a moment, so this waits for up to
 * a second. */
static int take_lock(const char *path, long *pid) {
  const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
  *pid = 0;
  for (int tries = 0;; tries++) {
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat s;
    if (file < 0) return -1;
    if (fcntl(file, F_SETLK, &lock) == 0) {
      /* a process that has just ended may have removed the file */
      if (fstat(file, &s) == 0 && s.st_nlink > 0) return file;
      close(file);
      continue;
    }
    bool taken = (errno == EACCES || errno == EAGAIN) && fcntl(file, F_GETLK, &lock) == 0;
    close(file);
    if (taken && lock.l_type == F_UNLCK) continue; /* released meanwhile */
    if (taken && tries < 100) {
      nanosleep(&moment, NULL);
      continue;
    }
    if (taken) *pid = (long)lock.l_pid;
    return -1;
  }
}

/* A checksum of the path (FNV-1a, 64 bits). */
static unsigned long long checksum_of(const char *path) {
  unsigned long long sum = 0xcbf29ce484222325ULL;
  for (const char *c = path; *c; c++) sum = (sum ^ (unsigned char)*c) * 0x100000001b3ULL;
  return sum;
}

static ritt_status lock_file(const char *folder, const named_file *f, ritt_error *error) {
  unsigned long long sum = checksum_of(f->path);
  char *path = locks[held].path;
  long pid;
  if (f->exists && !S_ISREG(f->status.st_mode)) return RITT_OK;
  if (snprintf(path, PATH_MAX, "%s/%016llx", folder, sum) >= PATH_MAX) return RITT_OK;
  locks[held].file = take_lock(path, &pid);
  if (locks[held].file >= 0) held++;
  if (pid == 0) return RITT_OK;
  return ritti_fail(error, RITT_SYSTEM, NULL, "wait until that run ends, or choose another name",
                    "'%.200s' is being written by another run, process %ld", f->name, pid);
}

ritt_status cli_lock_files(const cli_options *options, ritt_error *error) {
  file_list list = {.count = 0};
  char folder[PATH_MAX];
  list_files(options, &list);
  ritt_status status = refuse_same(&list, error);
  bool found = find_folder(folder, sizeof folder - 32);
  for (size_t i = 0; status == RITT_OK && found && i < list.count; i++)
    if (list.at[i].output && held < MOST_FILES) status = lock_file(folder, &list.at[i], error);
  for (size_t i = 0; i < list.count; i++) free(list.at[i].path);
  return status;
}

void cli_unlock_files(void) {
  while (held > 0) {
    held--;
    unlink(locks[held].path);
    close(locks[held].file);
  }
}
