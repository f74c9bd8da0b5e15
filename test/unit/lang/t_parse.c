/* Sections and statements: where items and lines end, which order is allowed, one message for one
 * mistake. */
#include "lang_test.h"

static const char *const tail = "equation\n  x' = y\n  y' = -x\n";

/* A model with these lines before its equations is read, and has this many parameters. */
static int parameters(const char *lines) {
  char text[1024];
  snprintf(text, sizeof text, "model m\nvariable x, y\n%s%s", lines, tail);
  ritti_model *m = read_text(text, true);
  int count = m ? m->parameters : -1;
  ritti_model_free(m);
  return count;
}

static void check_lists(void) {
  CHECK(parameters("parameter a = 1, b = 2\n") == 2);
  CHECK(parameters("parameter\n  a = 1\n  b = 2\n") == 2);
  CHECK(parameters("parameter a = 1\n  b = 2, c = 3\n\n  d = 4\n") == 4);
  CHECK(parameters("parameter a = 1,\n  b = 2\n") == 2);
  CHECK(parameters("parameter a = 1\nparameter b = 2\n") == 2);
  CHECK(parameters("parameter a = 1 # one, b = 3\n  # nothing\n  b = 2\n") == 2);
  CHECK(parameters("parameter a = max(1, 2), b = 2\n") == 2);
}

static void check_continuation(void) {
  CHECK(parameters("parameter a = 1 +\n  2, b = 3\n") == 2);
  CHECK(parameters("parameter a = (1\n  + 2\n), b = 3\n") == 2);
  CHECK(parameters("parameter a =\n\n  # the value\n  1\n") == 1);
  CHECK(parameters("parameter a = max(1,\n\n 2)\n") == 1);
  CHECK(parameters("parameter a = 2^\n 3*\n 4/\n 5-\n 1\n") == 1);
  CHECK(parameters("parameter a = (1 +\n2)\n") == 1); /* not a word in the first column */
  char b[256];
  CHECK_TEXT(first_message("model m\nvariable x\nequation\n  x'\n  = 1\n", b),
             "4:3: the equation has no '='");
}

static void check_lines(void) {
  ritti_model *m = read_text(
      "model m \"title\"\nvariable x, y\nequation e1: x' = y\n  e2:\n   y' = -x\n"
      "equation x +\n y = 2*\n  x\ninvariant E: x^2\n  projected F: x = 2\n  projected (x)\n"
      "  projected x'\n",
      true);
  CHECK(m && m->equations == 3 && m->invariants == 4);
  if (!m) return;
  CHECK_TEXT(m->name, "m");
  CHECK_TEXT(m->title, "title");
  CHECK_TEXT(m->equation[0].label, "e1");
  CHECK_TEXT(m->equation[1].label, "e2");
  CHECK(m->equation[2].label == NULL && m->equation[2].place.line == 6 &&
        m->equation[2].place.column == 10);
  CHECK(!m->invariant[0].projected && m->invariant[0].value == RITTI_NIL);
  CHECK(m->invariant[1].projected && m->invariant[1].value != RITTI_NIL);
  CHECK_TEXT(m->invariant[1].name, "F");
  CHECK(m->invariant[2].projected && m->invariant[3].projected);
  ritti_model_free(m);
}

/* `projected`, `smooth`, `step`, section keywords and setting names are names where nothing else
 * makes sense.
 */
static void check_words(void) {
  ritti_model *m = read_text(
      "model model\nvariable projected, smooth, step, start, method\nparameter output = 1, arc = 3\n"
      "equation\n  projected' = output\n  smooth' = step\n  step' = start\n  start' = method\n"
      "  method' = arc\ninvariant projected\n  projected - start\nstart\n smooth = 1, smooth' ~ 2\n",
      true);
  CHECK(m && m->variables == 5 && m->invariants == 2 && !m->invariant[0].projected &&
        m->starts == 2);
  ritti_model_free(m);
}

/* Any order, any number; names before their definition. */
static void check_order(void) {
  ritti_model *m = read_text(
      "model m\nplot t: r\noutput r\nsolve t = 0 .. T\nstart x = a\nequation x' = r\n"
      "let r = 2*s\nlet s = x + a\nparameter a = b\n  T = 2*a\nvariable x\nparameter b = 7\n",
      true);
  CHECK(m != NULL);
  if (!m) return;
  char b[512];
  CHECK(m->parameter[0].number == 7 && m->parameter[1].number == 14 && m->parameter[2].number == 7);
  CHECK_TEXT(printed(m, m->equation[0].right, b), "2*(x + a)");
  CHECK(m->start[0].number == 7 && m->run_end == 14);
  ritti_model_free(m);
}

/* Mistakes that could lead to others, but are one message each. */
static void check_single_messages(void) {
  static const char *const text[] = {
      "model m\nvariable x, 2y, z\nequation x' = y + z\n",
      "model m\nvariable x\nparameter a = (1 + , b = 2\nequation x' = a + b\n",
      "model m\nvariable x\nlet r = sin(, s = r + 1\nequation x' = s\n",
      "model m\nvariable x\nequation\n  x' = (1 +\n   2*(3 + x)\n  x = 1\n",
      "model m\nvariable x\nequation\n  x' = zz + zz*zz\n  x = zz\n",
      "modle m\nvariable x\nequation x' = 1\n",
      "model m\nvariable x\nequatoin\n  x' = 1\n",
      "model m\nvariable x\nfunction f(u = u^2\nequation x' = f(x)\n",
      "model m\nvariable x\nparameter a = b, b = a\nlet c = a\nequation x' = c\nstart x = b\nsolve t = 0 .. "
      "a\n",
      "model m\nvariable x\nparameter a = 1/0\nequation x' = a\nstart x = a\nsolve t = 0 .. a\n tolerance "
      "a\n",
      "model m\nvariable x\nequation x' = 1\nstart x = 1 +\nsolve t = 0 .. 1\n",
      "model m\nvariable x\nequation x' = 1\nsolve t = 0 .. \n  method rk4\n  tolerance 1e-3\n",
      "model m\nvariable x\nequation x' = \xce\xbb\n",
      "model m\nvariable x\nequation x' = 1\nplot (x, y\noutput x\n",
      "model m\nvariable x\nequation x' = x(1\n  x = 2\n",
  };
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    size_t count = message_count(text[i]);
    if (count != 1) printf("%zu messages about:\n%s", count, text[i]);
    CHECK(count == 1);
  }
}

int main(void) {
  check_lists();
  check_continuation();
  check_lines();
  check_words();
  check_order();
  check_single_messages();
  return CHECKS_DONE();
}
