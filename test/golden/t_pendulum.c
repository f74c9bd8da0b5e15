/* What each stage makes of the pendulum, as it lies beside the model: the symbolic stages to the
 * letter, the trajectory by its numbers. RITT_GOLDEN_WRITE=1 writes the symbolic products anew
 * (look at the difference before you keep it). */
#include <stdlib.h>
#include "check.h"
#include "eval/eval.h"
#include "ritt.h"

static const char *const FOLDER = RITT_SOURCE_DIR "/models/classics/pendulum/";

static char *read_file(const char *name) {
  char path[1024];
  ritti_text text = {0};
  snprintf(path, sizeof path, "%s%s", FOLDER, name);
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  for (int c; (c = fgetc(file)) != EOF;) ritti_text_add_bytes(&text, &(char){(char)c}, 1);
  fclose(file);
  return text.at;
}

static void compare(const char *name, const char *made) {
  if (getenv("RITT_GOLDEN_WRITE")) {
    char path[1024];
    snprintf(path, sizeof path, "%s%s", FOLDER, name);
    FILE *file = fopen(path, "wb");
    if (file) fputs(made, file), fclose(file);
  }
  char *kept = read_file(name);
  CHECK_TEXT(kept, made);
  ritti_free(kept);
}

/* ---- the completed system, as the program prints it ---- */

static void check_completed(void) {
  char path[1024];
  const char *text = NULL;
  ritt_model *model;
  snprintf(path, sizeof path, "%spendulum.ritt", FOLDER);
  CHECK(ritt_model_read_file(path, NULL, &model) == RITT_OK);
  if (!model) return;
  CHECK(ritt_model_complete(model, RITT_REDUCED, RITT_TEXT, NULL, &text) == RITT_OK);
  compare("2-completed.txt", text ? text : "");
  CHECK(ritt_model_complete(model, RITT_REDUCED, RITT_JSON, NULL, &text) == RITT_OK);
  compare("2-completed.json", text ? text : "");
  CHECK(ritt_model_complete(model, RITT_INVOLUTIVE, RITT_TEXT, NULL, &text) == RITT_OK);
  compare("1-involutive.txt", text ? text : "");
  ritt_model_free(model);
}

/* ---- the functions of the problem, as instructions ---- */

enum { TAPES = 4 };

typedef struct titled {
  const char *title;
  const ritti_expr *roots;
  size_t count;
} titled;

static void print_tapes(ritti_layout *layout, ritti_arena *arena, const titled *what,
                        ritti_text *out) {
  ritti_tape tape[TAPES];
  for (int i = 0; i < TAPES; i++)
    CHECK(ritti_tape_record(layout, arena, what[i].roots, what[i].count, &tape[i]) == RITT_OK);
  ritti_layout_finish(layout);
  for (int i = 0; i < TAPES; i++) {
    ritti_text_add(out, "%s\n", what[i].title);
    ritti_tape_print(&tape[i], out);
    ritti_text_add(out, "\n");
  }
}

static void check_tapes(void) {
  char *text = read_file("pendulum.ritt");
  ritti_arena *arena = ritti_arena_new();
  ritti_model *model;
  ritti_reduced *reduced = NULL;
  ritti_layout *layout;
  ritt_check check;
  CHECK(ritti_model_read(text, strlen(text), "pendulum.ritt", NULL, 0, NULL, &model) == RITT_OK);
  CHECK(ritti_complete(model, arena, NULL, &check, &reduced) == RITT_OK);
  CHECK(ritti_layout_new(arena, reduced, &layout) == RITT_OK);
  ritti_text out = {0};
  const titled what[TAPES] = {{"f: the rows of the manifold", reduced->f, (size_t)reduced->k},
                              {"df: their derivatives, by rows", reduced->df.entry,
                               (size_t)reduced->df.pattern.start[reduced->k]},
                              {"A: the matrix of the top jets, by rows", reduced->A.entry,
                               (size_t)reduced->A.pattern.start[reduced->tops]},
                              {"b: A top + b = 0", reduced->b, (size_t)reduced->tops}};
  print_tapes(layout, arena, what, &out);
  compare("3-tapes.txt", out.at);
  ritti_text_free(&out);
  ritti_model_free(model);
  ritti_arena_free(arena);
  ritti_free(text);
}

/* ---- the trajectory: not to the bit, which depends on the machine's sin and sqrt ---- */

typedef struct table {
  const char *at;
  int rows;
} table;

static ritt_status compare_row(void *user, const double *values, size_t count) {
  table *kept = user;
  for (size_t i = 0; i < count && i < 5; i++) {
    char *end;
    double v = strtod(kept->at, &end);
    CHECK(end != kept->at);
    CHECK_NEAR(values[i], v, 1e-7); /* ten times the tolerance of the run, twice */
    kept->at = end + (*end == ',' || *end == '\n');
  }
  kept->rows++;
  return RITT_OK;
}

static void check_trajectory(void) {
  char path[1024];
  ritt_model *model;
  ritt_options options = ritt_options_default();
  options.points = 51;
  snprintf(path, sizeof path, "%spendulum.ritt", FOLDER);
  CHECK(ritt_model_read_file(path, NULL, &model) == RITT_OK);
  char *text = read_file("4-trajectory.csv");
  CHECK(text != NULL);
  if (text && model) {
    table kept = {.at = strchr(text, '\n') + 1};
    CHECK(ritt_model_run(model, &options, compare_row, &kept, NULL, NULL) == RITT_OK);
    CHECK(kept.rows == 51);
  }
  ritti_free(text);
  ritt_model_free(model);
}

int main(void) {
  check_completed();
  check_tapes();
  check_trajectory();
  return CHECKS_DONE();
}
