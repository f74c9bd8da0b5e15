/* `ritt new`: writes a small model with comments, from models/new. */
#include <errno.h>
#include <stdio.h>
#include "cli.h"

/* The models of models/new by their kinds; the last one has no name. */
extern const ritt_library cli_new_models[];

static bool is_name(const char *text) {
  size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  return length > 0 && !text[length] && (*text < '0' || *text > '9');
}

/* The text of a kind, with `name` for the name of its model. */
static void add_model(const char *kind, const char *name, ritti_text *out) {
  static const char keyword[] = "model ";
  const ritt_library *model = cli_new_models;
  while (strcmp(model->name, kind)) model++;
  for (const char *const *line = model->line; *line; line++) {
    bool heading = !strncmp(*line, keyword, strlen(keyword));
    if (heading) ritti_text_add(out, "%s%s%s", keyword, name, strchr(*line + strlen(keyword), ' '));
    else ritti_text_add(out, "%s", *line);
  }
}

/* Writes a file that must not exist yet. */
static ritt_status write_new(const char *path, const ritti_text *text, ritt_error *error) {
  FILE *file = fopen(path, "wx");
  if (!file && errno == EEXIST)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "choose another name", "'%s' exists already",
                      path);
  bool written = file && fwrite(text->at, 1, text->count, file) == text->count;
  if (file && fclose(file) != 0) written = false;
  if (written) return RITT_OK;
  return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot write '%s': %s", path, strerror(errno));
}

int cli_new(const cli_options *options, ritt_error *error) {
  const char *name = options->file, *kind = options->kind ? options->kind : "dae";
  const char *end = strrchr(name, '.'), *slash = strrchr(name, '/');
  bool has_ending = end && !strcmp(end, ".ritt");
  ritti_text path = {0}, model = {0}, text = {0};

  /* NAME and NAME.ritt mean the same; a folder may stand before it */
  ritti_text_add(&path, "%s%s", name, has_ending ? "" : ".ritt");
  const char *first = slash ? slash + 1 : name;
  ritti_text_add(&model, "%.*s", (int)(has_ending ? end - first : (long)strlen(first)), first);
  ritt_status status = RITT_OK;
  if (path.status != RITT_OK || model.status != RITT_OK) status = ritti_no_memory(error);
  else if (!model.at || !is_name(model.at))
    status =
        ritti_fail(error, RITT_WRONG_CALL, NULL, "use letters, digits and '_': ritt new engine",
                   "'%s' is not the name of a model", name);

  /* write it and say what comes next */
  if (status == RITT_OK) {
    add_model(kind, model.at, &text);
    status = text.status == RITT_OK ? write_new(path.at, &text, error) : ritti_no_memory(error);
  }
  cli_print_messages(error, status);
  if (status == RITT_OK)
    printf("wrote %s; next: ritt run %s --plot %s.svg\n", path.at, path.at, model.at);
  ritti_text_free(&path);
  ritti_text_free(&model);
  ritti_text_free(&text);
  return ritt_status_exit_code(status);
}
