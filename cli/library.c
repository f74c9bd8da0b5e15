/* `ritt library`: lists the libraries of components and what is in each. */
#include "cli.h"

/* Adds the line of a component: its name, and its title without the quotes. */
static void add_component(ritti_text *out, const char *line) {
  int name = (int)strcspn(line, " \n");
  const char *title = strchr(line, '"');
  int length = title ? (int)strcspn(title + 1, "\"") : 0;
  ritti_text_add(out, "    %-16.*s %.*s\n", name, line, length, title ? title + 1 : "");
}

int cli_library(const cli_options *options, ritt_error *error) {
  static const char keyword[] = "component ";
  (void)options, (void)error;
  ritti_text out = {0};
  ritt_library library;
  for (size_t i = 0; ritt_library_get(i, &library); i++) {
    /* the first line is a comment that says what the library is for */
    const char *about = library.line[0] + strspn(library.line[0], "# ");
    ritti_text_add(&out, "%s%s: %s", i ? "\n" : "", library.name, about);
    for (const char *const *line = library.line; *line; line++)
      if (!strncmp(*line, keyword, strlen(keyword))) add_component(&out, *line + strlen(keyword));
  }
  return cli_print(&out);
}
