/* What the tests of the component libraries share. */
#ifndef TEST_LIBRARY_H
#define TEST_LIBRARY_H

#include "run.h"

/* Runs a model that includes the library, given by its other sections, to its end with a small tolerance. */
static run *run_parts(const char *library, const char *sections) {
  char text[6000];
  ritt_options o = ritt_options_default();
  o.tolerance = 1e-11;
  snprintf(text, sizeof text, "model m\ninclude <%s>\n%s", library, sections);
  run *r = run_text(text);
  run_go(r, &o);
  return r;
}

/* The last value of a column */
static void expect(const run *r, const char *name, double value) {
  double got = run_last(r, name);
  bool near = fabs(got - value) <= 1e-8 * fmax(1, fabs(value));
  if (!near) printf("%s = %.16g, not %.16g\n", name, got, value);
  CHECK(near);
}

#endif
