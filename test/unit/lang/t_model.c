/* Names of jets, names in tables, and that a model outlives its text. */
#include "lang_test.h"

static void check_jet_names(void) {
  ritti_arena *arena = ritti_arena_new();
  CHECK_TEXT(ritti_jet_name(arena, "x", 0), "x");
  CHECK_TEXT(ritti_jet_name(arena, "x", 1), "x'");
  CHECK_TEXT(ritti_jet_name(arena, "x", 3), "x'''");
  CHECK_TEXT(ritti_jet_name(arena, "lambda", 4), "der(lambda, 4)");
  ritti_arena_free(arena);
}

static void check_symbols(void) {
  enum { MANY = 5000 };
  ritti_arena *arena = ritti_arena_new();
  ritti_symbols s = {0};
  CHECK(ritti_symbols_find(&s, "x", 1) == NULL);
  for (int i = 0; i < MANY; i++)
    CHECK(ritti_symbols_add(&s, ritti_arena_format(arena, "x%d", i), Y_VARIABLE, (uint32_t)i) !=
          NULL);
  for (int i = 0; i < MANY; i++) {
    char name[16];
    snprintf(name, sizeof name, "x%d", i);
    const ritti_symbol *y = ritti_symbols_find(&s, name, strlen(name));
    CHECK(y && y->token == (uint32_t)i);
  }
  CHECK(ritti_symbols_find(&s, "x12 + y", 3) == &s.all.at[12]);
  CHECK(ritti_symbols_find(&s, "x", 1) == NULL && ritti_symbols_find(&s, "x5000", 5) == NULL);
  ritti_symbols_clear(&s);
  ritti_arena_free(arena);
}

static void check_lifetime(void) {
  char text[] =
      "model m \"title\"\nvariable x\nparameter a = 1\nequation\n  e: x' = a\nstart x = 1\noutput "
      "x\nplot t: x\n"
      "solve t = 0 .. 1\n  method rk4\n";
  char file[] = "file.ritt";
  ritti_model *m;
  CHECK(ritti_model_read(text, strlen(text), file, NULL, 0, NULL, &m) == RITT_OK);
  memset(text, '?', strlen(text));
  memset(file, '?', strlen(file));
  CHECK_TEXT(m->title, "title");
  CHECK_TEXT(m->equation[0].label, "e");
  CHECK_TEXT(m->equation[0].place.source, "  e: x' = a");
  CHECK_TEXT(m->equation[0].place.file, "file.ritt");
  CHECK_TEXT(m->start[0].text, "x = 1");
  CHECK_TEXT(m->setting[0].word, "rk4");
  CHECK_TEXT(m->plot_column[0].name, "t");
  ritti_model_free(m);
}

int main(void) {
  check_jet_names();
  check_symbols();
  check_lifetime();
  return CHECKS_DONE();
}
