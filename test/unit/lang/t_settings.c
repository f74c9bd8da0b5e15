/* Settings below `solve`: what is stored, and the bounds of each number. */
#include "lang_test.h"

#define HEAD                                                                                       \
  "model m\nvariable x, y\nparameter a = 2\nequation\n  x' = y\n  y' = -x\nsolve t = 0 .. 1\n  "

static void check_all(void) {
  static const struct {
    const char *name, *word;
    double number;
  } expected[] = {{"method", "dopri54:4", NAN}, {"tolerance", NULL, 1e-8},
                  {"absolute", NULL, 0.5},      {"metric", "weighted", NAN},
                  {"project", "stages", NAN},   {"projection", "gauss", NAN},
                  {"control", "embedded", NAN}, {"steps", "constant", 0.125},
                  {"rows", "step", 0.01},       {"precision", "double", NAN}};
  ritti_model *m = read_text(
      HEAD
      "method dopri54 : 4\n  tolerance 10^-8\n  tolerance x = 1e-6\n  absolute 1/a\n  absolute y = 1e-3\n"
      "  metric weighted\n  project stages\n  projection gauss\n  control embedded\n"
      "  steps constant h = 1/8\n  rows step 0.01\n  precision double\n",
      true);
  CHECK(m && m->settings == sizeof expected / sizeof *expected);
  for (int i = 0; m && i < m->settings; i++) {
    const ritti_setting_def *s = &m->setting[i];
    CHECK_TEXT(s->name, expected[i].name);
    CHECK(!s->word == !expected[i].word);
    if (s->word && expected[i].word) CHECK_TEXT(s->word, expected[i].word);
    CHECK(isnan(expected[i].number) ? isnan(s->number) : s->number == expected[i].number);
    CHECK(s->place.line > 7 && s->place.column == 3);
  }
  CHECK(m && m->variable[0].tolerance == 1e-6 && m->variable[0].absolute == 0);
  CHECK(m && m->variable[1].tolerance == 0 && m->variable[1].absolute == 1e-3);
  CHECK(m && m->solve_place.line == 7);
  ritti_model_free(m);
}

static bool accepts(const char *setting) {
  char text[512], b[256];
  snprintf(text, sizeof text, "%s%s\n", HEAD, setting);
  return !strcmp(first_message(text, b), "");
}

static void check_bounds(void) {
  CHECK(accepts("tolerance 1e-300") && !accepts("tolerance 0.99e-300"));
  CHECK(accepts("tolerance 1") && !accepts("tolerance 1.001"));
  CHECK(!accepts("tolerance 0") && !accepts("tolerance -1e-3") && !accepts("tolerance x"));
  CHECK(accepts("absolute x = 5") && !accepts("absolute x = 0") && !accepts("absolute a = 1"));
  CHECK(accepts("rows 2") && !accepts("rows 1") && !accepts("rows 2.5") && !accepts("rows -3"));
  CHECK(accepts("rows 1e9") && !accepts("rows 1e9 + 1"));
  CHECK(accepts("rows step 1e-3") && !accepts("rows step 0") && !accepts("rows step -1"));
  CHECK(accepts("steps constant h = 0.1") && !accepts("steps constant h = 0") &&
        !accepts("steps h = 1"));
  CHECK(accepts("metric euclidean") && !accepts("metric manhattan"));
  CHECK(accepts("project end") && !accepts("project start"));
  CHECK(accepts("projection sequential") && accepts("projection newton") &&
        !accepts("projection none"));
  CHECK(accepts("method anything") && accepts("method radau2a:3") && !accepts("method") &&
        !accepts("method a b"));
  CHECK(accepts("control pid") && accepts("control pi") && accepts("control papers") &&
        !accepts("control p"));
  CHECK(accepts("control doubling") && accepts("norm scaled") && !accepts("norm weighted"));
  CHECK(accepts("fac 0.9") && !accepts("fac 1") && !accepts("fac 0") && !accepts("facmin 1.5"));
  CHECK(accepts("facmin 1/5") && accepts("facmax 5") && !accepts("facmax 1") &&
        !accepts("facmax x"));
  CHECK(accepts("steps first h = 0.1") && !accepts("steps first h = -1") &&
        !accepts("steps last h = 1"));
  CHECK(accepts("precision quad") && accepts("predictor on"));
  CHECK(accepts("linear auto") && accepts("linear band") && !accepts("linear fast"));
  CHECK(!accepts("rows 10\n  rows 20") && !accepts("tolerance x = 1e-3\n  tolerance x = 1e-3"));
}

int main(void) {
  check_all();
  check_bounds();
  return CHECKS_DONE();
}
