/* Models from text, for the tests of src/lang. */
#ifndef RITT_LANG_TEST_H
#define RITT_LANG_TEST_H

#include "check.h"
#include "lang/lang_impl.h"

/* NULL where the text is refused; the messages are then printed if `print`. */
static inline ritti_model *read_text(const char *text, bool print) {
  ritt_error *error = ritt_error_new();
  ritti_model *m = NULL;
  ritt_status status = ritti_model_read(text, strlen(text), "test.ritt", NULL, 0, error, &m);
  for (size_t i = 0; print && status != RITT_OK && i < ritt_error_count(error); i++) {
    const ritt_message *g = ritt_error_get(error, i);
    printf("%d:%d: %s\n", g->line, g->column, g->text);
  }
  ritt_error_free(error);
  return m;
}

/* The first message about a text, as "line:column: text"; "" where it is a model. In `buffer`. */
static inline const char *first_message(const char *text, char buffer[256]) {
  ritt_error *error = ritt_error_new();
  ritti_model *m = NULL;
  buffer[0] = '\0';
  if (ritti_model_read(text, strlen(text), "test.ritt", NULL, 0, error, &m) != RITT_OK) {
    const ritt_message *g = ritt_error_get(error, 0);
    snprintf(buffer, 256, "%d:%d: %s", g->line, g->column, g->text);
  }
  ritti_model_free(m);
  ritt_error_free(error);
  return buffer;
}

static inline size_t message_count(const char *text) {
  ritt_error *error = ritt_error_new();
  ritti_model *m = NULL;
  (void)!ritti_model_read(text, strlen(text), "test.ritt", NULL, 0, error, &m);
  size_t count = ritt_error_count(error);
  ritti_model_free(m);
  ritt_error_free(error);
  return count;
}

/* An expression as the DAG prints it. In `buffer`. */
static inline const char *printed(const ritti_model *m, ritti_expr e, char buffer[512]) {
  ritti_text text = {0};
  ritti_dag_print(m->dag, e, &m->names, &text);
  snprintf(buffer, 512, "%s", text.at ? text.at : "");
  ritti_text_free(&text);
  return buffer;
}

#endif
