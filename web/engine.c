/* The engine of the web page: what its worker calls. Every function returns JSON or text, which is
 * valid until the next call. Models and the files that they include are files of Emscripten's file
 * system in memory. */
#include <emscripten.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include "base/base.h"
#include "mix.h"
#include "view/view.h"

/* A browser starts no programs. */
int posix_spawnp(pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[],
                 char *const environment[]) {
  (void)pid, (void)name, (void)actions, (void)attributes, (void)arguments, (void)environment;
  return ENOENT;
}

/* Branches are found by the program Singular. The linker takes this function in place of
 * ritti_branches_find, so that what only that one needs is not in the page. */
ritt_status __wrap_ritti_branches_find(void *model, const void *call, const void *asked,
                                       void *arena, ritt_error *error, void **out);
ritt_status __wrap_ritti_branches_find(void *model, const void *call, const void *asked,
                                       void *arena, ritt_error *error, void **out) {
  (void)model, (void)call, (void)asked, (void)arena, (void)out;
  return ritti_fail(error, RITT_SYSTEM, NULL,
                    "use the program 'ritt'; without branches everything else works here",
                    "branches of constraints are found by the program Singular, which a browser "
                    "cannot start");
}

/* The text of emitted solvers: its lines, which ritt_web_source takes. FMUs and native code are not
 * made here, and need none. */
enum { MOST_LINES = 60000 };
extern const char *ritti_amalgamation[], *ritti_unit_amalgamation[], *ritti_kernel_text[],
    *ritti_entry_text[], *ritti_tangent_text[], *ritti_leg_text[], *ritti_width_text[],
    *ritti_elementary_text[], *ritti_fmu_text[], *ritti_stage_text[];
const char *ritti_amalgamation[MOST_LINES];
const char *ritti_unit_amalgamation[1], *ritti_kernel_text[1], *ritti_entry_text[1];
const char *ritti_leg_text[1], *ritti_width_text[1], *ritti_elementary_text[1];
const char *ritti_fmu_text[1], *ritti_tangent_text[1], *ritti_stage_text[1];

/* clang-format off */
EM_JS(void, tell_progress, (double part, double x, double steps), {
  if (Module.progress) Module.progress(part, x, steps);
});
EM_JS(void, show_part, (const char *view), {
  if (Module.part) Module.part(UTF8ToString(view));
});
/* clang-format on */

static ritt_status report_progress(void *user, double part, const ritt_progress *now) {
  (void)user;
  tell_progress(part, now->x, (double)now->accepted);
  return RITT_OK;
}

static void show_view(void *user, const char *view) {
  (void)user;
  show_part(view);
}

static ritti_page page = {.progress = report_progress, .show = show_view};

/* Reads the model, gives parameters other values (lines NAME=VALUE), and answers the question. */
static const char *answer(const char *what, const char *path, char *values) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  page.options = ritt_options_default();
  page.options.native = "never";
  ritt_status status = ritt_model_read_file(path, error, &model);
  if (status == RITT_OK) status = ritti_page_set_values(model, values, error);
  ritti_page_answer(&page, what, model, status, error);
  ritt_model_free(model);
  ritt_error_free(error);
  return ritti_page_get_answer(&page);
}

/* ---- what the worker calls ---- */

/* Takes the text of emitted solvers, compressed, once. */
EMSCRIPTEN_KEEPALIVE void ritt_web_source(const unsigned char *packed, size_t packed_size) {
  static ritti_text lines;
  size_t size, count = 0;
  char *text = lines.at ? NULL : (char *)ritt_mix_expand(packed, packed_size, &size);
  if (!text) return;
  for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
    ritti_text_add_bytes(&lines, line, (size_t)(end + 1 - line));
    ritti_text_add_bytes(&lines, "", 1);
  }
  free(text);
  if (lines.status != RITT_OK) return;
  for (size_t i = 0; i < lines.count && count + 1 < MOST_LINES; i += strlen(lines.at + i) + 1)
    ritti_amalgamation[count++] = lines.at + i;
}

EMSCRIPTEN_KEEPALIVE const char *ritt_web_check(const char *path, char *values) {
  return answer("check", path, values);
}

EMSCRIPTEN_KEEPALIVE const char *ritt_web_run(const char *path, char *values) {
  return answer("run", path, values);
}

EMSCRIPTEN_KEEPALIVE const char *ritt_web_emit(const char *path, char *values) {
  return answer("emit", path, values);
}

/* The table of the last run. */
EMSCRIPTEN_KEEPALIVE const char *ritt_web_table(void) { return page.table.at ? page.table.at : ""; }

EMSCRIPTEN_KEEPALIVE const char *ritt_web_libraries(void) {
  ritti_page_answer_libraries(&page);
  return ritti_page_get_answer(&page);
}
