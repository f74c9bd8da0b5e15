/* Parameters and lets: exact values in the order of dependence, long chains, circles, values set
 * from outside. */
#include "lang_test.h"

static const char *const tail = "variable x\nequation x' = x\n";

static void check_exact(void) {
  char text[512], b[512];
  snprintf(text, sizeof text,
           "model m\nparameter a = 0.1, b = a + 0.2, c = 3*b - 0.9, d = sqrt(2)*b, e = 2*pi\n%s",
           tail);
  ritti_model *m = read_text(text, true);
  CHECK(m && m->parameters == 5);
  if (!m) return;
  CHECK_TEXT(printed(m, m->parameter[1].value, b), "3/10");
  CHECK(ritti_is_zero(m->dag, m->parameter[2].value)); /* in doubles it would not be 0 */
  CHECK(m->parameter[2].number == 0);
  CHECK_NEAR(m->parameter[3].number, 0.3 * 1.4142135623730951, 1e-16);
  CHECK_NEAR(m->parameter[4].number, 6.283185307179586, 0);
  /* the values are free of parameters, the equations are not */
  for (int i = 0; i < m->parameters; i++) {
    ritti_nodes used;
    CHECK(ritti_leaves(m->dag, m->parameter[i].value, RITTI_PARAMETER, &used) == RITT_OK &&
          used.count == 0);
    ritti_free(used.at);
  }
  CHECK(m->parameter[1].place.line == 2 && m->parameter[1].place.column == 20);
  ritti_model_free(m);
}

/* A chain as long as the file: no recursion. */
static void check_chain(void) {
  enum { LONG = 50000 };
  ritti_text text = {0};
  ritti_text_add(&text, "model m\nvariable x\nequation x' = r0\nparameter\n");
  for (int i = 0; i < LONG; i++) ritti_text_add(&text, "  p%d = p%d + 1\n", i, i + 1);
  ritti_text_add(&text, "  p%d = 0\nlet\n", LONG);
  for (int i = 0; i < LONG; i++) ritti_text_add(&text, "  r%d = r%d\n", i, i + 1);
  ritti_text_add(&text, "  r%d = p0*x\n", LONG);
  ritti_model *m = read_text(text.at, true);
  CHECK(m && m->parameter[0].number == LONG);
  ritti_model_free(m);
  ritti_text_free(&text);
}

static void check_circles(void) {
  char b[256];
  CHECK_TEXT(first_message("model m\nparameter b = a, a = b\nvariable x\nequation x' = a\n", b),
             "2:11: the definitions form a circle: b -> a -> b");
  CHECK_TEXT(first_message("model m\nlet r = 2*r\nvariable x\nequation x' = r\n", b),
             "2:5: 'r' is defined by itself");
  CHECK_TEXT(first_message("model m\nlet d = c, c = e, e = c\nvariable x\nequation x' = d\n", b),
             "2:12: the definitions form a circle: c -> e -> c");
  /* two circles through one name are one mistake */
  CHECK(message_count(
            "model m\nparameter a = b + c, b = a, c = a\nvariable x\nequation x' = a\n") == 1);
  CHECK(message_count(
            "model m\nparameter a = b, b = a, c = d, d = c\nvariable x\nequation x' = a\n") == 2);
}

static void check_lets(void) {
  char b[512];
  ritti_model *m =
      read_text("model m\nparameter a = 2\nlet r = x^2 + y^2, s = r', k = a + 1\nvariable x, y\n"
                "equation\n  r = k\n  s = r''\n  k' = 0\n",
                true);
  CHECK(m && m->equations == 3);
  if (!m) return;
  CHECK_TEXT(printed(m, m->equation[0].left, b), "x^2 + y^2");
  CHECK_TEXT(printed(m, m->equation[0].right, b), "a + 1");
  CHECK(m->equation[1].right == ritti_dag_total(m->dag, m->equation[1].left));
  CHECK(ritti_is_zero(m->dag, m->equation[2].left));
  ritti_model_free(m);
}

/* ---- values set from outside ---- */

static ritt_status set(const char *name, const char *value, ritt_error *error, double out[3]) {
  static const char *const text =
      "model m\nparameter g = 1, h = 2*g, k = 1/g\nvariable x\nequation x' = k\n";
  ritti_override override = {name, value};
  ritti_model *m;
  ritt_error_clear(error);
  ritt_status status = ritti_model_read(text, strlen(text), "f", &override, 1, error, &m);
  for (int i = 0; m && i < 3; i++) out[i] = m->parameter[i].number;
  ritti_model_free(m);
  return status;
}

static void check_overrides(void) {
  ritt_error *error = ritt_error_new();
  double v[3] = {0};
  CHECK(set("g", "9.81", error, v) == RITT_OK && v[0] == 9.81 && v[1] == 2 * 9.81);
  CHECK(set("g", "1/3", error, v) == RITT_OK && v[2] == 3); /* exact */
  CHECK(set("g", "-2^2", error, v) == RITT_OK && v[0] == -4);
  CHECK(set("g", " sqrt(16) + pi - pi ", error, v) == RITT_OK && v[0] == 4);
  CHECK(set("h", "7", error, v) == RITT_OK && v[0] == 1 && v[1] == 7);
  static const char *const wrong[] = {"",     "abc", "1 2",   "1 +", "h",       "x",    "1,2",
                                      "1\n2", "2x",  "model", "1/0", "log(-1)", "\xff", "1e400"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    CHECK(set("g", wrong[i], error, v) == RITT_WRONG_CALL);
    CHECK(ritt_error_count(error) == 1 && ritt_error_get(error, 0)->line == 0);
    CHECK(strstr(ritt_error_get(error, 0)->text, "is not a number") != NULL);
  }
  CHECK(set("G", "1", error, v) == RITT_WRONG_CALL);
  CHECK_TEXT(ritt_error_get(error, 0)->text, "there is no parameter 'G' to set");
  CHECK(set("x", "1", error, v) == RITT_WRONG_CALL);
  CHECK(set("g", "0", error, v) == RITT_WRONG_MODEL && ritt_error_get(error, 0)->line == 2);
  ritt_error_free(error);
}

/* The last of several values counts. */
static void check_last(void) {
  static const char *const text = "model m\nparameter g = 1\nvariable x\nequation x' = g\n";
  ritti_override override[] = {{"g", "2"}, {"g", "3"}};
  ritti_model *m;
  CHECK(ritti_model_read(text, strlen(text), "f", override, 2, NULL, &m) == RITT_OK &&
        m->parameter[0].number == 3);
  ritti_model_free(m);
}

int main(void) {
  check_exact();
  check_chain();
  check_circles();
  check_lets();
  check_overrides();
  check_last();
  return CHECKS_DONE();
}
