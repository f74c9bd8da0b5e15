/* Output files: opening, writing every byte, closing, replacing another file once complete, and
 * messages that explain failures. Calls that were interrupted or would block are repeated. The
 * program ignores SIGPIPE, so a reader that has exited shows up as EPIPE. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "output_impl.h"

int ritti_file_open(const char *path, int *file) {
  if (!strcmp(path, "-")) {
    *file = STDOUT_FILENO;
    return 0;
  }
  do *file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  while (*file < 0 && errno == EINTR);
  return *file < 0 ? errno : 0;
}

int ritti_file_write(int file, const char *bytes, size_t count, size_t *written) {
  for (*written = 0; *written < count;) {
    ssize_t n = write(file, bytes + *written, count - *written);
    if (n >= 0) *written += (size_t)n;
    else if (errno == EAGAIN || errno == EWOULDBLOCK)
      poll(&(struct pollfd){.fd = file, .events = POLLOUT}, 1, -1);
    else if (errno != EINTR) return errno;
  }
  return 0;
}

/* Some file systems and pipes cannot be synchronized; this is not an error. */
int ritti_file_sync(int file) {
  return fsync(file) == 0 || errno == EINVAL || errno == ENOSYS || errno == EROFS ? 0 : errno;
}

int ritti_file_close(int file) {
  if (file == STDOUT_FILENO) return 0;
  return close(file) == 0 || errno == EINTR ? 0 : errno;
}

/* ---- replacing ---- */

/* Allocates both texts as one; NULL: no memory. */
static char *join_texts(const char *a, const char *b) {
  char *both = ritti_malloc(strlen(a) + strlen(b) + 1);
  if (!both) return NULL;
  memcpy(both, a, strlen(a));
  memcpy(both + strlen(a), b, strlen(b) + 1);
  return both;
}

/* The path of the file itself: a symbolic link is kept and its target is replaced. */
static char *follow_links(const char *path) {
  char *found = realpath(path, NULL), *copy = join_texts(found ? found : path, "");
  free(found);
  return copy;
}

int ritti_file_replaceable(const char *path) {
  struct stat s;
  if (stat(path, &s) != 0) return 0;
  if (S_ISDIR(s.st_mode)) return EISDIR;
  return S_ISREG(s.st_mode) && access(path, W_OK) != 0 ? errno : 0;
}

ritt_status ritti_file_check(const char *path, ritt_error *error) {
  struct stat s;
  int reason = ritti_file_replaceable(path);
  if (!reason && stat(path, &s) != 0) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? join_texts(path, "") : join_texts(".", "");
    if (!folder) return ritti_no_memory(error);
    if (slash) folder[slash - path + 1] = '\0';
    if (access(folder, W_OK | X_OK) != 0) reason = errno;
    ritti_free(folder);
  }
  return reason ? ritti_file_failed(error, path, reason) : RITT_OK;
}

int ritti_replacement_init(ritti_replacement *r, const char *path) {
  struct stat s;
  *r = (ritti_replacement){0};
  int reason = ritti_file_replaceable(path);
  if (reason) return reason;
  bool plain = stat(path, &s) != 0 || S_ISREG(s.st_mode);
  r->path = follow_links(path);
  r->part = r->path ? join_texts(r->path, plain ? ".part" : "") : NULL;
  return r->part ? 0 : ENOMEM;
}

/* Forces the bytes to the disk before the file gets its final name, so that a crash leaves either
 * the old file or the new one. */
static int sync_file(const char *path) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return errno;
  int reason = ritti_file_sync(file);
  int closing = ritti_file_close(file);
  return reason ? reason : closing;
}

/* Forces the new name of a file to the disk. If the system cannot do this, the file exists anyway.
 */
static void sync_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? join_texts(path, "") : join_texts(".", "");
  if (folder && slash) folder[slash - path + 1] = '\0';
  int file = folder ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
  if (file >= 0) {
    (void)ritti_file_sync(file);
    ritti_file_close(file);
  }
  ritti_free(folder);
}

int ritti_replacement_finish(ritti_replacement *r) {
  struct stat old;
  if (strcmp(r->part, r->path)) {
    int reason = sync_file(r->part);
    if (reason) return reason;
    /* the new file gets the permissions of the old one */
    if (stat(r->path, &old) == 0 && chmod(r->part, old.st_mode & 0777) != 0) return errno;
    if (rename(r->part, r->path) != 0) return errno;
    sync_folder(r->path);
  }
  ritti_free(r->part);
  r->part = NULL;
  return 0;
}

void ritti_replacement_clear(ritti_replacement *r) {
  if (r->part && strcmp(r->part, r->path)) unlink(r->part);
  ritti_free(r->part);
  ritti_free(r->path);
  *r = (ritti_replacement){0};
}

/* ---- reasons ---- */

/* A hint on what the user can do about an errno. */
static const char *file_hint(int reason) {
  switch (reason) {
  case ENOENT: return "make the folder first, or give another name";
  case EISDIR: return "this is a folder: give the name of a file in it";
  case EACCES:
  case EPERM:
  case EROFS: return "give a place where you may write";
  case ENOSPC:
  case EDQUOT: return "make room, or write to another place";
  case EPIPE: return "the program that reads the table has ended";
  default: return NULL;
  }
}

ritt_status ritti_file_failed(ritt_error *error, const char *path, int reason) {
  const char *words = strerror(reason);
  return ritti_fail(error, RITT_SYSTEM, NULL, file_hint(reason), "cannot write %s%s%s: %c%s",
                    !strcmp(path, "-") ? "to stdout" : "'", !strcmp(path, "-") ? "" : path,
                    !strcmp(path, "-") ? "" : "'", tolower((unsigned char)words[0]), words + 1);
}

/* While a file is being replaced, signals that end the program wait until the new file has its name
 * or is removed. Blocking the signals would not be enough: the process has threads that Ritt did
 * not start. */
static atomic_int replacing, waiting;

bool ritti_file_signal_waits(int number) {
  if (!replacing) return false;
  waiting = number;
  return true;
}

ritt_status ritti_file_replace(const char *path, const char *bytes, size_t count,
                               ritt_error *error) {
  ritti_replacement r;
  int file;
  size_t written;

  /* write the part file and rename it */
  atomic_fetch_add(&replacing, 1);
  int reason = ritti_replacement_init(&r, path);
  if (!reason) reason = ritti_file_open(r.part, &file);
  if (!reason) {
    reason = ritti_file_write(file, bytes, count, &written);
    int closing = ritti_file_close(file);
    if (!reason) reason = closing;
  }
  if (!reason) reason = ritti_replacement_finish(&r);
  ritti_replacement_clear(&r);

  /* a signal that arrived meanwhile takes effect now */
  atomic_fetch_sub(&replacing, 1);
  int number = atomic_exchange(&waiting, 0);
  if (number) raise(number);
  return reason ? ritti_file_failed(error, path, reason) : RITT_OK;
}
