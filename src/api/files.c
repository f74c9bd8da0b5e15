/* Files: the text of a model, and the files that it names by `include` and in tables.
 *
 * A name is relative to the file in which it stands. The file, links followed, must lie in the
 * folder of that file or below it, or in one of the folders that the caller allows: a model from
 * somebody else reads nothing else.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "pipeline.h"

enum { MOST_BYTES = 64 << 20 };

char *ritti_real_path(const char *path) {
  char *found = realpath(path, NULL), *copy = NULL;
  if (!found) return NULL;
  copy = ritti_malloc(strlen(found) + 1);
  if (copy) memcpy(copy, found, strlen(found) + 1);
  free(found);
  return copy;
}

/* Returns false if it cannot: the reason is in `why`, or text->status is RITT_NO_MEMORY. */
static bool read_all(FILE *file, const char *path, ritti_text *text, char why[512]) {
  char buffer[65536];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;) {
    ritti_text_add_bytes(text, buffer, n);
    if (text->count > MOST_BYTES) {
      snprintf(why, 512, "the file '%.200s' is larger than 64 MiB", path);
      return false;
    }
  }
  if (ferror(file)) snprintf(why, 512, "cannot read '%.200s': %s", path, strerror(errno));
  return !ferror(file) && text->status == RITT_OK;
}

ritt_status ritti_file_read(const char *path, ritti_text *text, ritt_error *error) {
  char why[512] = "";
  FILE *file = fopen(path, "rb");
  if (!file)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "check the name and the folder",
                      "cannot open '%s': %s", path, strerror(errno));
  bool whole = read_all(file, path, text, why), large = text->count > MOST_BYTES;
  fclose(file);
  if (whole) return RITT_OK;
  if (!why[0]) return ritti_no_memory(error);
  return ritti_fail(error, large ? RITT_WRONG_MODEL : RITT_SYSTEM, NULL, NULL, "%s", why);
}

/* ---- the files that a model names ---- */

/* A copy of the part of a path up to its last '/'; "" if it has none. The caller frees it. */
static char *copy_folder(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  char *folder = ritti_malloc(length + 1);
  if (folder) memcpy(folder, path ? path : "", length), folder[length] = '\0';
  return folder;
}

/* Does `path` lie in `folder`, both absolute? The folder ends in '/' or not. */
static bool lies_in(const char *path, const char *folder) {
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/') length--;
  return length == 1 || (!strncmp(path, folder, length) && path[length] == '/');
}

static bool is_allowed(const ritt_model *M, const char *id, const char *folder) {
  if (folder[0] && lies_in(id, folder)) return true;
  for (size_t i = 0; i < M->folders.count; i++)
    if (lies_in(id, M->folders.at[i])) return true;
  return false;
}

static bool is_folder(const char *path) {
  struct stat about;
  return !stat(path, &about) && S_ISDIR(about.st_mode);
}

static char *join_paths(const char *folder, const char *path) {
  size_t a = path[0] == '/' ? 0 : strlen(folder), b = strlen(path);
  char *joined = ritti_malloc(a + b + 1);
  if (joined) memcpy(joined, folder, a), memcpy(joined + a, path, b + 1);
  return joined;
}

/* Reads a file whose path is allowed. */
static ritt_status read_allowed(const char *path, char why[512], char hint[512],
                                ritti_loaded *out) {
  ritti_text text = {0};
  struct stat about;
  if (!stat(out->id, &about) && !S_ISREG(about.st_mode)) {
    snprintf(why, 512, "'%.200s' is not a regular file", path);
    return RITT_WRONG_MODEL;
  }
  FILE *file = fopen(out->id, "rb");
  if (!file) snprintf(why, 512, "cannot open '%.200s': %s", path, strerror(errno));
  bool whole = file && read_all(file, path, &text, why);
  if (file) fclose(file);
  snprintf(hint, 512, "%s", "check the name and the folder");
  out->text = text.at ? text.at : ritti_malloc(1);
  if (!text.at && out->text) out->text[0] = '\0';
  out->length = text.count;
  if (whole) return out->text ? RITT_OK : RITT_NO_MEMORY;
  return why[0] ? RITT_WRONG_MODEL : RITT_NO_MEMORY;
}

/* Does a name lead out of the folder by its text, links aside? */
static bool leads_out(const char *path, const char *folder) {
  int depth = 0;
  if (*path == '/') {
    if (!folder[0] || !lies_in(path, folder)) return true;
    path += strlen(folder);
  }
  for (; *path && depth >= 0; path += strcspn(path, "/"), path += strspn(path, "/")) {
    size_t length = strcspn(path, "/");
    if (length == 2 && !strncmp(path, "..", 2)) depth--;
    else if (length != 1 || *path != '.') depth++;
  }
  return depth < 0;
}

static ritt_status refuse_outside(const char *path, char why[512], char hint[512]) {
  snprintf(why, 512, "'%.200s' lies outside the folder of this file", path);
  snprintf(hint, 512, "%s", "move it there, or allow its folder: --allow-include DIR");
  return RITT_WRONG_MODEL;
}

static ritt_status locate_file(const ritt_model *M, const char *from, const char *path,
                               char why[512], char hint[512], ritti_loaded *out) {
  if (!from && path[0] != '/') {
    snprintf(why, 512, "'%.200s' was not found: the model is a text and has no folder to look in",
             path);
    snprintf(hint, 512, "%s", "read the model from a file");
    return RITT_WRONG_MODEL;
  }
  if (!path[0]) {
    snprintf(why, 512, "the name of the file is empty");
    snprintf(hint, 512, "%s", "write the name of a file between the quotes");
    return RITT_WRONG_MODEL;
  }
  char *folder = copy_folder(from), *full = folder ? join_paths(folder, path) : NULL;
  ritt_status status = full ? RITT_OK : RITT_NO_MEMORY;
  /* the message does not reveal whether a file outside exists */
  if (full && M->folders.count == 0 && leads_out(path, folder))
    status = refuse_outside(path, why, hint);
  else if (full && !(out->id = ritti_real_path(full))) {
    status = errno == ENOMEM ? RITT_NO_MEMORY : RITT_WRONG_MODEL;
    snprintf(why, 512, "cannot open '%.200s': %s", path, strerror(errno));
    snprintf(hint, 512, "%s", "the name is relative to the file in which it stands");
  } else if (full && is_folder(out->id)) {
    status = RITT_WRONG_MODEL;
    snprintf(why, 512, "'%.200s' is a folder, not a file", path);
    snprintf(hint, 512, "%s", "write the name of a file in it");
  } else if (full && !is_allowed(M, out->id, folder)) status = refuse_outside(path, why, hint);
  ritti_free(folder);
  ritti_free(full);
  return status;
}

/* ---- copies of the files, for results ---- */

static char *copy_bytes(const char *text, size_t length) {
  char *kept = ritti_malloc(length + 1);
  if (kept) memcpy(kept, text, length), kept[length] = '\0';
  return kept;
}

static void clear_file(ritti_loaded *file) {
  ritti_free(file->text);
  ritti_free(file->name);
  ritti_free(file->id);
  *file = (ritti_loaded){0};
}

void ritti_forget_files(ritt_model *M) {
  for (size_t i = 0; i < M->named.count; i++) clear_file(&M->named.at[i]);
  RITTI_ARRAY_FREE(M->named);
}

/* Keeps a copy under the name relative to the model's folder. A file that was read before gets the new
 * text. */
static ritt_status keep_file(ritt_model *M, const ritti_loaded *file) {
  enum { MOST = 1 << 20 };
  const char *slash = strrchr(M->name, '/');
  size_t folder = slash ? (size_t)(slash - M->name) + 1 : 0, at = 0;
  const char *name = file->name + (strncmp(file->name, M->name, folder) ? 0 : folder);
  ritti_loaded kept = {.name = copy_bytes(name, strlen(name)),
                       .id = copy_bytes(file->id, strlen(file->id))};
  if (file->length <= MOST) kept.text = copy_bytes(file->text, file->length);
  bool whole = kept.name && kept.id && (kept.text || file->length > MOST);
  while (at < M->named.count && strcmp(M->named.at[at].id, file->id)) at++;
  if (whole && at < M->named.count) {
    clear_file(&M->named.at[at]);
    M->named.at[at] = kept;
    return RITT_OK;
  }
  if (whole && RITTI_PUSH(M->named, kept) == RITT_OK) return RITT_OK;
  clear_file(&kept);
  return RITT_NO_MEMORY;
}

int ritt_model_file(const ritt_model *M, size_t i, const char **name, const char **text) {
  if (i >= M->named.count) return 0;
  *name = M->named.at[i].name;
  *text = M->named.at[i].text;
  return 1;
}

static ritt_status load_file(void *context, const char *from, const char *from_name,
                             const char *path, char why[512], char hint[512], ritti_loaded *out) {
  ritt_model *M = context;
  *out = (ritti_loaded){0};
  ritt_status status = locate_file(M, from, path, why, hint, out);
  char *folder = copy_folder(from_name);
  if (status == RITT_OK) {
    out->name = folder ? join_paths(folder, path) : NULL;
    status = out->name ? read_allowed(path, why, hint, out) : RITT_NO_MEMORY;
  }
  if (status == RITT_OK) M->files = ritti_checksum(M->files, out->text, out->length);
  ritti_free(folder);
  if (status == RITT_OK) status = keep_file(context, out);
  if (status != RITT_OK) clear_file(out);
  return status;
}

ritti_files ritti_model_files(ritt_model *M) {
  return (ritti_files){.context = M, .id = M->path, .load = load_file};
}
