/* What each stage makes of a model, for the pendulum and one small model per kind and feature.
 * The products lie beside the model and are compared as text; the rows of the trajectory are
 * compared as numbers, since their last digits depend on the machine.
 *
 *   0-check.txt          the report of `ritt check`
 *   1-involutive.txt     the involutive form
 *   2-completed.txt      the completed system; 2-completed.json is the same as JSON
 *   3-code.txt           the functions of the problem, its start point and the options of the run,
 *                        as `ritt emit c` writes them, or the message if it cannot
 *   4-columns.txt        the columns of a row, their units and the curves of the plots
 *   4-trajectory.csv     the first rows, and the points of events
 *
 * After a change of behaviour write the files again, look at the difference, and commit it:
 *
 *   RITT_GOLDEN_WRITE=1 build/release/test/golden_t_pendulum_c && git diff
 */
#include <stdlib.h>
#include "base/base.h"
#include "check.h"
#include "ritt.h"

typedef struct golden_model {
  const char *folder, *name; /* FOLDER/NAME.ritt, with its products beside it */
  long points;               /* rows of the trajectory */
  double error;              /* allowed in its numbers, relative to 1 or to the number if larger */
  int singular;              /* 1: the model needs the program Singular */
} golden_model;

/* The pendulum runs for a long time: its rows may differ by ten times the tolerance of the run. */
static const golden_model GOLDEN[] = {
    {"models/classics/pendulum", "pendulum", 51, 1e-7, 0},
    {"test/golden/algebraic", "algebraic", 6, 1e-12, 0},
    {"test/golden/branch", "branch", 6, 1e-12, 1},
    {"test/golden/family", "family", 6, 1e-12, 0},
    {"test/golden/general", "general", 6, 1e-12, 0},
    {"test/golden/graph", "graph", 6, 1e-12, 0},
    {"test/golden/hamiltonian", "hamiltonian", 6, 1e-12, 0},
    {"test/golden/invariants", "invariants", 6, 1e-12, 0},
    {"test/golden/jump", "jump", 6, 1e-12, 0},
    {"test/golden/nonholonomic", "nonholonomic", 6, 1e-12, 0},
    {"test/golden/redundant", "redundant", 6, 1e-12, 0},
    {"test/golden/stiff", "stiff", 6, 1e-12, 0},
};

/* ---- files ---- */

static void build_path(const golden_model *golden, const char *file, char *path, size_t size) {
  snprintf(path, size, "%s/%s/%s", RITT_SOURCE_DIR, golden->folder, file);
}

static char *read_product(const golden_model *golden, const char *file) {
  char path[1024];
  build_path(golden, file, path, sizeof path);
  FILE *stream = fopen(path, "rb");
  if (!stream) return NULL;

  ritti_text text = {0};
  for (int c = fgetc(stream); c != EOF; c = fgetc(stream)) {
    char byte = (char)c;
    ritti_text_add_bytes(&text, &byte, 1);
  }
  fclose(stream);
  return text.at;
}

static void write_product(const golden_model *golden, const char *file, const char *text) {
  char path[1024];
  build_path(golden, file, path, sizeof path);
  FILE *stream = fopen(path, "wb");
  CHECK(stream != NULL);
  if (!stream) return;
  fputs(text, stream);
  fclose(stream);
}

/* ---- comparison ---- */

/* Prints the first line in which two texts differ. */
static void report_difference(const golden_model *golden, const char *file, const char *stored,
                              const char *made) {
  int line = 1;
  while (*stored && *stored == *made) {
    if (*stored == '\n') line++;
    stored++;
    made++;
  }
  printf("%s/%s:%d: from here on it has\n  %.80s\nand now it is\n  %.80s\n", golden->folder, file,
         line, stored, made);
}

static void compare_text(const golden_model *golden, const char *file, const char *made) {
  if (getenv("RITT_GOLDEN_WRITE")) write_product(golden, file, made);
  char *stored = read_product(golden, file);
  CHECK(stored != NULL);
  if (stored) {
    int same = strcmp(stored, made) == 0;
    CHECK(same);
    if (!same) report_difference(golden, file, stored, made);
  }
  ritti_free(stored);
}

/* Texts with numbers: everything between the numbers is equal, and the numbers are near. */
static int numbers_agree(const char *stored, const char *made, double error) {
  while (*stored && *made) {
    char *stored_end, *made_end;
    double expected = strtod(stored, &stored_end);
    double value = strtod(made, &made_end);

    if (stored_end == stored || made_end == made) {
      if (*stored != *made) return 0;
      stored++;
      made++;
    } else {
      if (!(fabs(value - expected) <= error * fmax(1, fabs(expected)))) return 0;
      stored = stored_end;
      made = made_end;
    }
  }
  return *stored == *made;
}

static void compare_numbers(const golden_model *golden, const char *file, const char *made) {
  if (getenv("RITT_GOLDEN_WRITE")) write_product(golden, file, made);
  char *stored = read_product(golden, file);
  CHECK(stored != NULL);
  if (stored) {
    int same = numbers_agree(stored, made, golden->error);
    CHECK(same);
    if (!same) report_difference(golden, file, stored, made);
  }
  ritti_free(stored);
}

/* ---- the products ---- */

static void check_report(const golden_model *golden, ritt_model *model) {
  const ritt_check *check = NULL;
  CHECK(ritt_model_check(model, NULL, &check) == RITT_OK);
  compare_text(golden, "0-check.txt", check ? check->text : "");
}

static void check_system(const golden_model *golden, ritt_model *model) {
  const char *text = "";
  CHECK(ritt_model_complete(model, RITT_INVOLUTIVE, RITT_TEXT, NULL, &text) == RITT_OK);
  compare_text(golden, "1-involutive.txt", text);
  CHECK(ritt_model_complete(model, RITT_REDUCED, RITT_TEXT, NULL, &text) == RITT_OK);
  compare_text(golden, "2-completed.txt", text);
  CHECK(ritt_model_complete(model, RITT_REDUCED, RITT_JSON, NULL, &text) == RITT_OK);
  compare_text(golden, "2-completed.json", text);
}

/* Of the emitted file only the part about the model: the library before it is always the same. */
static void check_code(const golden_model *golden, ritt_model *model) {
  static const char head[] = "/* ---- the model ---- */\n";
  const char *text = NULL;
  ritt_options options = ritt_options_default();
  ritt_error *error = ritt_error_new();

  if (ritt_model_emit_c(model, &options, error, &text) == RITT_OK) {
    const char *part = strstr(text, head);
    CHECK(part != NULL);
    compare_text(golden, "3-code.txt", part ? part : "");
  } else {
    const ritt_message *message = ritt_error_get(error, 0);
    CHECK(message != NULL);
    compare_text(golden, "3-code.txt", message ? message->text : "");
  }
  ritt_error_free(error);
}

static void check_columns(const golden_model *golden, ritt_model *model) {
  const char *const *names, *const *units;
  const ritt_curve *curves;
  size_t count, unit_count, curve_count;
  CHECK(ritt_model_columns(model, NULL, &names, &count) == RITT_OK);
  CHECK(ritt_model_units(model, NULL, &units, &unit_count) == RITT_OK);
  CHECK(ritt_model_curves(model, NULL, &curves, &curve_count) == RITT_OK);

  ritti_text out = {0};
  for (size_t i = 0; i < count; i++) {
    ritti_text_add(&out, "column %s", names[i]);
    if (units && units[i][0]) ritti_text_add(&out, " in %s", units[i]);
    ritti_text_add(&out, "\n");
  }
  for (size_t i = 0; i < curve_count; i++) {
    const ritt_curve *curve = &curves[i];
    ritti_text_add(&out, "panel %d: (%s, %s", curve->panel, curve->x_name, curve->y_name);
    if (curve->z_name) ritti_text_add(&out, ", %s", curve->z_name);
    ritti_text_add(&out, ")");
    if (curve->event) ritti_text_add(&out, " at %s", curve->event);
    ritti_text_add(&out, "\n");
  }
  compare_text(golden, "4-columns.txt", out.at);
  ritti_text_free(&out);
}

typedef struct table {
  ritti_text text;
  size_t columns; /* without the columns that only plots need */
} table;

static void add_row(table *rows, const char *name, const double *values) {
  if (name) ritti_text_add(&rows->text, "%s:", name);
  for (size_t i = 0; i < rows->columns; i++)
    ritti_text_add(&rows->text, "%s%.15g", i > 0 ? "," : "", values[i]);
  ritti_text_add(&rows->text, "\n");
}

static ritt_status keep_row(void *user, const double *values, size_t count) {
  (void)count;
  add_row(user, NULL, values);
  return RITT_OK;
}

static ritt_status keep_event(void *user, const ritt_event *event) {
  add_row(user, event->name, event->before);
  if (event->after) add_row(user, event->name, event->after);
  return RITT_OK;
}

static void check_trajectory(const golden_model *golden, ritt_model *model) {
  const char *const *names;
  table rows = {{0}, 0};
  CHECK(ritt_model_columns(model, NULL, &names, &rows.columns) == RITT_OK);
  for (size_t i = 0; i < rows.columns; i++)
    ritti_text_add(&rows.text, "%s%s", i > 0 ? "," : "", names[i]);
  ritti_text_add(&rows.text, "\n");

  ritt_options options = ritt_options_default();
  options.points = golden->points;
  options.event = keep_event;
  options.event_user = &rows;
  CHECK(ritt_model_run(model, &options, keep_row, &rows, NULL, NULL) == RITT_OK);
  compare_numbers(golden, "4-trajectory.csv", rows.text.at);
  ritti_text_free(&rows.text);
}

static int is_installed(const char *program) {
  char command[64];
  snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
  return system(command) == 0;
}

int main(void) {
  for (size_t i = 0; i < sizeof GOLDEN / sizeof *GOLDEN; i++) {
    const golden_model *golden = &GOLDEN[i];
    if (golden->singular && !is_installed("Singular")) {
      printf("skipped: %s, which needs Singular\n", golden->name);
      continue;
    }

    char path[1024], file[128];
    ritt_model *model = NULL;
    snprintf(file, sizeof file, "%s.ritt", golden->name);
    build_path(golden, file, path, sizeof path);
    CHECK(ritt_model_read_file(path, NULL, &model) == RITT_OK);
    if (!model) continue;

    check_report(golden, model);
    check_system(golden, model);
    check_code(golden, model);
    check_columns(golden, model);
    check_trajectory(golden, model);
    ritt_model_free(model);
  }
  return CHECKS_DONE();
}
