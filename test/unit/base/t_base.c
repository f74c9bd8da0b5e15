/* Arenas, arrays, texts, errors, the nearest name. */
#include <stdlib.h>
#include "base/base.h"
#include "check.h"

static void check_arena(void) {
  ritti_arena *arena = ritti_arena_new();
  size_t wrong = 0;
  unsigned char *kept[500];
  for (int i = 0; i < 500; i++) {
    kept[i] = ritti_arena_alloc(arena, (size_t)i * 7, 3);
    wrong += (uintptr_t)kept[i] % _Alignof(max_align_t) != 0;
    for (int b = 0; b < i * 21; b++) wrong += kept[i][b] != 0, kept[i][b] = (unsigned char)i;
  }
  for (int i = 0; i < 500; i++)
    for (int b = 0; b < i * 21; b++) wrong += kept[i][b] != (unsigned char)i;
  CHECK(wrong == 0);
  CHECK(ritti_arena_alloc(arena, SIZE_MAX / 2, 3) == NULL);
  CHECK_TEXT(ritti_arena_format(arena, "%d and %s", 7, "eight"), "7 and eight");
  ritti_arena_free(arena);
}

static void check_array(void) {
  RITTI_ARRAY(int) a = {0};
  for (int i = 0; i < 1000; i++) CHECK(RITTI_PUSH(a, i * i) == RITT_OK);
  CHECK(a.count == 1000 && a.at[999] == 999 * 999);
  RITTI_ARRAY_FREE(a);
  CHECK(a.at == NULL && a.count == 0);
}

static void check_text(void) {
  ritti_text text = {0};
  ritti_text_add(&text, "%s", "a");
  for (int i = 0; i < 100; i++) ritti_text_add(&text, "%d,", i);
  CHECK(text.count == strlen(text.at) && text.status == RITT_OK);
  ritti_text_free(&text);
  ritti_text_add_json(&text, "say \"hi\"\\\n\t");
  CHECK_TEXT(text.at, "\"say \\\"hi\\\"\\\\\\u000a\\u0009\"");
  ritti_text_free(&text);
}

static void check_shortest(void) {
  char buffer[32];
  CHECK_TEXT(ritti_shortest(0.1, buffer), "0.1");
  CHECK_TEXT(ritti_shortest(-3, buffer), "-3");
  CHECK_TEXT(ritti_shortest(50, buffer), "50");
  CHECK_TEXT(ritti_shortest(-120000, buffer), "-120000");
  CHECK_TEXT(ritti_shortest(1e7, buffer), "1e+07");
  for (int i = 0; i < 2000; i++) {
    double v = check_random() * pow(10, check_random() * 300);
    CHECK(strtod(ritti_shortest(v, buffer), NULL) == v);
  }
}

static void check_nearest(void) {
  static const char *const names[] = {"lambda", "x", "y", "theta", "mass"};
  CHECK_TEXT(ritti_nearest("lamda", names, 5), "lambda");
  CHECK_TEXT(ritti_nearest("thtea", names, 5), "theta");
  CHECK_TEXT(ritti_nearest("Mass", names, 5), "mass");
  CHECK(ritti_nearest("gravity", names, 5) == NULL);
  CHECK(ritti_nearest("z", names, 5) == NULL); /* one letter off is all of a one-letter name */
}

static void check_errors(void) {
  ritt_error *error = ritt_error_new();
  ritti_place place = {.file = "a.ritt", .source = "x = ", .line = 3, .column = 4};
  CHECK(ritti_fail(error, RITT_WRONG_MODEL, &place, "write %s", "missing %s", "operand") ==
        RITT_WRONG_MODEL);
  CHECK(ritti_fail(error, RITT_WRONG_MODEL, &place, NULL, "missing operand") == RITT_WRONG_MODEL);
  CHECK(ritt_error_count(error) == 1); /* the same at the same place is reported once */
  CHECK(ritti_fail(error, RITT_SYSTEM, NULL, NULL, "other") == RITT_SYSTEM);
  CHECK(ritt_error_count(error) == 2);
  const ritt_message *m = ritt_error_get(error, 0);
  CHECK_TEXT(m->text, "missing operand");
  CHECK_TEXT(m->hint, "write %s");
  CHECK(m->line == 3 && m->column == 4);
  ritt_error_clear(error);
  CHECK(ritt_error_count(error) == 0);
  CHECK(ritti_fail(NULL, RITT_STOPPED, NULL, NULL, "nobody listens") == RITT_STOPPED);
  ritt_error_free(error);
  for (int s = 0; s <= RITT_SYSTEM; s++) {
    CHECK(strlen(ritt_status_text((ritt_status)s)) > 0);
    CHECK(ritt_status_exit_code((ritt_status)s) >= 0 && ritt_status_exit_code((ritt_status)s) <= 3);
  }
}

int main(void) {
  check_arena();
  check_array();
  check_text();
  check_shortest();
  check_nearest();
  check_errors();
  return CHECKS_DONE();
}
