/* `ritt library`: lists the libraries of components and what is in each; prints a library or a
 * component. */
#include "cli.h"

static const char keyword[] = "component ";

static bool is_component(const char *line) { return !strncmp(line, keyword, strlen(keyword)); }

/* Does the line begin the component with this name? */
static bool begins_component(const char *line, const char *name) {
  size_t length = strlen(name);
  if (!is_component(line) || strncmp(line + strlen(keyword), name, length) != 0) return false;
  return strchr(" (\n", line[strlen(keyword) + length]) != NULL;
}

/* Adds the line of a component: its name, and its title without the quotes. */
static void add_component(ritti_text *out, const char *line) {
  int name = (int)strcspn(line, " \n");
  const char *title = strchr(line, '"');
  int length = title ? (int)strcspn(title + 1, "\"") : 0;
  ritti_text_add(out, "    %-16.*s %.*s\n", name, line, length, title ? title + 1 : "");
}

static void list_library(ritti_text *out, const ritt_library *library) {
  /* the first line is a comment that says what the library is for */
  const char *about = library->line[0] + strspn(library->line[0], "# ");
  ritti_text_add(out, "%s%s: %s", out->count ? "\n" : "", library->name, about);
  for (const char *const *line = library->line; *line; line++)
    if (is_component(*line)) add_component(out, *line + strlen(keyword));
}

/* Adds the text of the component, up to the blank line or the declaration behind it. */
static void add_definition(ritti_text *out, const ritt_library *library, const char *const *line) {
  ritti_text_add(out, "%s# from include <%s>\n%s", out->count ? "\n" : "", library->name, *line);
  for (line++; *line && (**line == ' ' || **line == '#'); line++) ritti_text_add(out, "%s", *line);
}

/* Refuses a name that is neither a library nor a component. */
static ritt_status refuse_name(const char *name, ritt_error *error) {
  RITTI_ARRAY(const char *) known = {0};
  ritt_library library;
  ritt_status status = RITT_OK;
  for (size_t i = 0; status == RITT_OK && ritt_library_get(i, &library); i++)
    status = RITTI_PUSH(known, library.name);
  char buffer[128];
  const char *hint = cli_did_you_mean(name, known.at, known.count,
                                      "'ritt library' lists libraries and components", buffer);
  status = ritti_fail(error, RITT_WRONG_CALL, NULL, hint,
                      "there is no library and no component '%s'", name);
  RITTI_ARRAY_FREE(known);
  return status;
}

int cli_library(const cli_options *options, ritt_error *error) {
  const char *name = options->file;
  ritti_text out = {0};
  ritt_library library;
  for (size_t i = 0; ritt_library_get(i, &library); i++) {
    if (!name || !strcmp(name, library.name)) list_library(&out, &library);
    for (const char *const *line = library.line; name && *line; line++)
      if (begins_component(*line, name)) add_definition(&out, &library, line);
  }
  if (out.count) return cli_print(&out);

  ritt_status status = refuse_name(name, error);
  cli_print_messages(error, status);
  return ritt_status_exit_code(status);
}
