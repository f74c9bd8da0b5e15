/* Units of columns, and texts about names. */
#include "lang_test.h"

#define HEAD                                                                                                \
  "model m\nparameter k = 2, w[1..2] = 1\nvariable x, y[1..2], z\nlet r = x^2\nequation\n  x' = 1\n  y' = " \
  "[1, 2]\n  z' = x\n"

/* The unit of the first column. */
static const char *unit(const char *sections) {
  static char text[64];
  char all[1024];
  snprintf(all, sizeof all, HEAD "%s", sections);
  ritti_model *m = read_text(all, true);
  snprintf(text, sizeof text, "%s",
           m && m->output[0].unit ? m->output[0].unit
           : m                    ? "-"
                                  : "refused");
  ritti_model_free(m);
  return text;
}

int main(void) {
  CHECK_TEXT(unit("output x\n"), "-");
  CHECK_TEXT(unit("output x\nunit x \"m\"\n"), "m");
  CHECK_TEXT(unit("output x'\nunit x \"m\"\n"), "-");
  CHECK_TEXT(unit("output x'\nunit x \"m\", t \"s\"\n"), "m/s");
  CHECK_TEXT(unit("output x''\nunit x \"m\", t \"s\"\n"), "m/s^2");
  CHECK_TEXT(unit("output x''\nunit x \"m/s\", t \"s\"\n"), "m/s^3");
  CHECK_TEXT(unit("output x'\nunit x \"m/s^2\", t \"s\"\n"), "m/s^3");
  CHECK_TEXT(unit("output x'\nunit x \"mol/l\", t \"s\"\n"), "(mol/l)/s");
  CHECK_TEXT(unit("output x''\nunit x \"m\", t \"s\", x'' \"g\"\n"), "g");
  CHECK_TEXT(unit("output y[2]\nunit y \"rad\"\n"), "rad");
  CHECK_TEXT(unit("output y\nunit y[2] \"rad\"\n"), "-");
  CHECK_TEXT(unit("output y[2]'\nunit y[2] \"rad\", t \"s\"\n"), "rad/s");
  CHECK_TEXT(unit("output y[1]\nunit for i in 1..2: y[i] \"deg\"\n"), "deg");
  CHECK_TEXT(unit("output r\nunit r \"m^2\"\n"), "m^2");
  CHECK_TEXT(unit("output E = x + z\nunit E \"J\"\n"), "J");
  CHECK_TEXT(unit("output k\nunit k \"N/m\"\n"), "N/m");
  CHECK_TEXT(unit("output w[2]\nunit w \"kg\"\n"), "kg");
  CHECK_TEXT(unit("output x + z\nunit x \"m\", z \"m\"\n"), "-");
  CHECK_TEXT(unit("output x\nunit x \"\xc2\xb5m\"\n"), "\xc2\xb5m");

  ritti_model *m = read_text(
      HEAD "doc \"about all\"\n  x \"the first\"\ndoc e \"an equation\"\nequation e: z = z\n",
      true);
  CHECK(m && m->docs == 3 && m->doc[0].name == NULL);
  if (m) CHECK_TEXT(m->doc[0].text, "about all");
  if (m) CHECK_TEXT(m->doc[1].name, "x");
  if (m) CHECK_TEXT(m->doc[2].text, "an equation");
  ritti_model_free(m);
  return CHECKS_DONE();
}
