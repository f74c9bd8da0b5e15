/* The user's cache of native code: $XDG_CACHE_HOME/ritt, else ~/.cache/ritt.
 *
 * A file is what the compiler made, with a trailer: a word, the number of bytes before it and their
 * sum. The loader ignores the trailer; it shows whether a file was truncated or changed by accident. A
 * file gets its name by a rename, so that runs at the same time do not disturb each other.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/state.h"
#include "jit/native_impl.h"

enum {
  MOST_FILES = 4096,
  LEFT_BEHIND = 3600
}; /* files that trimming reads; seconds after which a temporary file is that of a killed run */
static const long long MOST_BYTES = 64LL << 20, FEWER_BYTES = 48LL << 20;

typedef struct trailer {
  char word[8];
  uint64_t length, sum;
} trailer;
static const char WORD[8] = {'R', 'I', 'T', 'T', 'C', 'O', 'D', 'E'};

/* ---- the folder ---- */

static bool is_own(const struct stat *s) {
  return s->st_uid == geteuid() && !(s->st_mode & (S_IWGRP | S_IWOTH));
}

bool ritti_cache_folder(char folder[RITTI_NATIVE_PATH], const char **reason) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char above[RITTI_NATIVE_PATH - 16];
  bool given = cache && cache[0] == '/';
  *reason = "there is no home folder for its cache";
  if (!given && !(home && home[0] == '/')) return false;
  int length = snprintf(above, sizeof above, given ? "%s" : "%s/.cache", given ? cache : home);
  if (length < 0 || (size_t)length >= sizeof above) return false;
  snprintf(folder, RITTI_NATIVE_PATH, "%s/ritt", above);
  *reason = "its cache folder cannot be made";
  if (mkdir(above, 0700) && errno != EEXIST) return false;
  if (mkdir(folder, 0700) && errno != EEXIST) return false;
  *reason = "its cache folder is not the user's own, or others can write it";

  struct stat s;
  return lstat(folder, &s) == 0 && S_ISDIR(s.st_mode) && is_own(&s);
}

/* ---- files ---- */

/* The checksum of the first `length` bytes. Returns false if they cannot be read. */
static bool compute_sum(int file, uint64_t length, uint64_t *sum) {
  char bytes[1 << 14];
  *sum = RITTI_CHECKSUM;
  if (lseek(file, 0, SEEK_SET) != 0) return false;
  while (length) {
    ssize_t n = read(file, bytes, length < sizeof bytes ? (size_t)length : sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    *sum = ritti_checksum(*sum, bytes, (size_t)n);
    length -= (uint64_t)n;
  }
  return true;
}

static bool is_complete(int file, const struct stat *s) {
  trailer t;
  uint64_t sum;
  if (s->st_size <= (off_t)sizeof t) return false;
  uint64_t length = (uint64_t)s->st_size - sizeof t;
  if (!compute_sum(file, length, &sum) || read(file, &t, sizeof t) != (ssize_t)sizeof t)
    return false;
  return !memcmp(t.word, WORD, sizeof WORD) && t.length == length && t.sum == sum;
}

bool ritti_cache_good(const char *path) {
  struct stat s;
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  bool good = fstat(file, &s) == 0 && S_ISREG(s.st_mode) && is_own(&s) && is_complete(file, &s);
  if (good) futimens(file, NULL); /* trimming deletes the files that were not used for longest */
  close(file);
  return good;
}

bool ritti_cache_keep(const char *made, const char *path) {
  struct stat s;
  trailer t;
  int file = open(made, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  memcpy(t.word, WORD, sizeof WORD);
  bool good =
      fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0 && fchmod(file, 0700) == 0;
  if (good) t.length = (uint64_t)s.st_size, good = compute_sum(file, t.length, &t.sum);
  if (good) good = write(file, &t, sizeof t) == (ssize_t)sizeof t;
  if (close(file)) good = false;
  return good && rename(made, path) == 0;
}

/* ---- trimming ---- */

typedef struct entry {
  char name[64];
  long long size, used;
} entry;

static int compare_age(const void *a, const void *b) {
  long long x = ((const entry *)a)->used, y = ((const entry *)b)->used;
  return (x > y) - (x < y);
}

/* Reads the size and age of a file of compiled code. Deletes temporary files of killed runs. */
static bool read_entry(int folder, const char *name, entry *out) {
  struct stat s;
  size_t length = strlen(name);
  if (length >= sizeof out->name || fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) ||
      !S_ISREG(s.st_mode))
    return false;
  if (strspn(name, "0123456789abcdef") == 32 && !strcmp(name + 32, ".so")) {
    memcpy(out->name, name, length + 1);
    out->size = s.st_size, out->used = s.st_mtime;
    return true;
  }
  if (!strncmp(name, "making-", 7) && time(NULL) - s.st_mtime > LEFT_BEHIND)
    unlinkat(folder, name, 0);
  return false;
}

void ritti_cache_trim(const char *folder) {
  DIR *all = opendir(folder);
  entry *found = all ? ritti_malloc(MOST_FILES * sizeof *found) : NULL;
  long long bytes = 0;
  size_t count = 0;
  if (found) {
    int at = dirfd(all);
    for (struct dirent *d; count < MOST_FILES && (d = readdir(all));)
      if (read_entry(at, d->d_name, &found[count])) bytes += found[count++].size;
    if (bytes > MOST_BYTES) {
      qsort(found, count, sizeof *found, compare_age);
      for (size_t i = 0; i < count && bytes > FEWER_BYTES; i++)
        if (unlinkat(at, found[i].name, 0) == 0) bytes -= found[i].size;
    }
  }
  if (all) closedir(all);
  ritti_free(found);
}
