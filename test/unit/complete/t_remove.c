/* Unknowns that one equation determines: which are taken out, what the report counts, where start
 * values go, and that the reduced system is written in the numbers of the whole model. The counts
 * follow by hand from the equations. */
#include "jets.h"

static completed *complete_text(const char *text) { return completed_text(text, "test.ritt"); }

static bool is_removed(const completed *c, const char *name) {
  const ritti_reduced *R = c->reduced;
  for (int i = 0; R && i < R->removals; i++)
    if (!strcmp(c->model->variable[R->removed[i].variable].name, name)) return true;
  return false;
}

static void check_counts(const completed *c, int unknowns, int dof, int index, int hidden) {
  CHECK(c->status == RITT_OK);
  CHECK(c->check.unknowns == unknowns && c->check.equations == unknowns);
  CHECK(c->check.degrees_of_freedom == dof);
  CHECK(c->check.index == index);
  CHECK(c->check.hidden_constraints == hidden);
}

/* a = b, b = 2c - 1, c = sin(t), o observed: x' = -x + a is left. */
static void check_chain(void) {
  completed *c = complete_text("model m\nvariable a, b, c, x, o\nequation\n  a = b\n  b = 2*c - 1\n"
                               "  c = sin(t)\n  x' = -x + a\n  o = x^2 + a\nstart x = 1\n");
  check_counts(c, 5, 1, 1, 0);
  CHECK(is_removed(c, "a") && is_removed(c, "b") && is_removed(c, "c") && is_removed(c, "o"));
  CHECK(c->reduced->m == 2 && c->reduced->tops == 1 && c->reduced->kind == RITT_EXPLICIT);
  /* the coordinate is the fourth variable, and its row comes from the fourth equation */
  CHECK(ritti_index_of(c->model->dag, c->reduced->coordinate[1]) == 3);
  CHECK(c->reduced->top_origin[0].equation == 3);
  completed_free(c);
}

/* Two angles on one shaft: the constraint is differentiated twice, so neither angle may vanish. */
static void check_constraint_stays(void) {
  completed *c =
      complete_text("model m\nvariable p1, p2, w1, w2, q\nequation\n  p1' = w1\n  p2' = w2\n"
                    "  w1' = sin(t) - q\n  2*w2' = q - w2\n  p1 = p2\nstart t = 0\n");
  check_counts(c, 5, 2, 3, 2);
  CHECK(c->reduced->removals == 0);
  completed_free(c);
}

/* The derivative of i needs the second one of x: index 1 although the rest is x' + x = sin(t). */
static void check_highest_stays(void) {
  completed *c =
      complete_text("model m\nvariable x, i\nequation\n  i = x'\n  i + x = sin(t)\nstart x = 1\n");
  check_counts(c, 2, 1, 1, 0);
  CHECK(!is_removed(c, "x"));
  completed_free(c);
}

/* y = 0 would make 0*u'' vanish. */
static void check_no_top_is_lost(void) {
  completed *c = complete_text(
      "model m\nvariable y, u, v\nequation\n  y = 0\n  y*u'' + u' + u = 0\n  v = 3*t\n"
      "start u = 1\n");
  CHECK(!is_removed(c, "y"));
  completed_free(c);
}

/* p*v = x with p = 0 does not determine v. */
static void check_zero_coefficient(void) {
  completed *c = complete_text("model m\nparameter p = 0\nvariable v, x\nequation\n"
                               "  p*v = x - cos(t)\n  x' = -v\nstart t = 0\n");
  check_counts(c, 2, 0, 2, 1);
  CHECK(!is_removed(c, "v"));
  completed_free(c);
}

/* A coefficient that is not a number must be of one sign, wherever the unknowns are. */
static void check_coefficients(void) {
  static const struct {
    const char *equation;
    bool removed;
  } cases[] = {{"(1 + x^2)*v = x", true},       {"x = -(2 + x^2)*exp(x)*v", true},
               {"(x^2 + y^4)*v = 1", false},    {"(x - 2)*v = 1", false},
               {"(1 - x^2)*v = x", false},      {"(2 + sin(x))*v = 1", false},
               {"v^2 + v = x", false},          {"sqrt(1 + x^2)*v = y", true},
               {"(3 + abs(x)^2)*v = 2*y", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256];
    snprintf(text, sizeof text,
             "model m\nvariable v, x, y\nequation\n  %s\n  x' = -v\n  y' = x\n"
             "start x ~ 0.5, y ~ 0.5\n",
             cases[i].equation);
    completed *c = complete_text(text);
    check_counts(c, 3, 2, 1, 0);
    if (is_removed(c, "v") != cases[i].removed) printf("%s\n", cases[i].equation);
    CHECK(is_removed(c, "v") == cases[i].removed);
    completed_free(c);
  }
}

static double start_of(const completed *c, int variable) {
  for (int i = 1; i < c->reduced->m; i++)
    if (c->reduced->coordinate[i] == ritti_jet(c->model->dag, variable, 0)) return c->reduced->z[i];
  return NAN;
}

/* v = 2x + 1 with a value for v gives x; a second value clashes as it does without removal. */
static void check_start_values(void) {
  static const char head[] =
      "model m\nvariable v, x\nequation\n  v = 2*x + 1\n  x' = -x + v\nstart ";
  char text[256];
  snprintf(text, sizeof text, "%s v = 5\n", head);
  completed *c = complete_text(text);
  check_counts(c, 2, 1, 1, 0);
  CHECK(is_removed(c, "v"));
  CHECK(start_of(c, 1) == 2);
  CHECK(c->check.moved_count == 0);
  completed_free(c);

  snprintf(text, sizeof text, "%s v = 5, x = 3\n", head);
  c = complete_text(text);
  CHECK(c->status == RITT_WRONG_MODEL);
  CHECK(strstr(c->check.reason, "v = 5 and x = 3 are both fixed"));
  completed_free(c);

  /* a guess gives way, and the report tells to which value */
  snprintf(text, sizeof text, "%s v ~ 6, x = 2\n", head);
  c = complete_text(text);
  CHECK(is_removed(c, "v"));
  CHECK(start_of(c, 1) == 2);
  CHECK(c->check.moved_count == 1 && !strcmp(c->check.moved[0].name, "v"));
  CHECK(c->check.moved[0].typed == 6 && c->check.moved[0].used == 5);
  completed_free(c);

  /* a boundary value that is given must be the one that the equation has */
  for (int wrong = 0; wrong < 2; wrong++) {
    snprintf(text, sizeof text,
             "model m\nvariable v, x\nequation\n  v = cos(t)\n  x' = -x + v\nstart x = 0, v = %d\n",
             1 + wrong);
    c = complete_text(text);
    CHECK(c->status == (wrong ? RITT_WRONG_MODEL : RITT_OK));
    completed_free(c);
  }
}

/* What depends is named as the user wrote it: the third equation, although the first is used up. */
static void check_dependent(void) {
  completed *c = complete_text("model m\nvariable v, x\nequation\n  v = 2*x\n  x' = -v\n"
                               "  3*v = 6*x\nstart x = 1\n");
  CHECK(c->status == RITT_OK);
  CHECK(c->check.degrees_of_freedom == 1);
  CHECK(c->check.dependent_count == 1);
  CHECK(c->check.dependent_count == 1 &&
        strstr(c->check.dependent_equations[0], "equation 3 (line 6)"));
  completed_free(c);
}

/* The mean of many unknowns in many equations would fill the Jacobian. */
static void check_fill(void) {
  completed *c =
      complete_text("model m\nvariable x[1..20], s\nequation\n  for i in 1..20: x[i]' = s - x[i]\n"
                    "  s = sum(i in 1..20, x[i])/20\nstart for i in 1..20: x[i] = i\n");
  check_counts(c, 21, 20, 1, 0);
  CHECK(!is_removed(c, "s"));
  completed_free(c);
}

int main(void) {
  check_chain();
  check_constraint_stays();
  check_highest_stays();
  check_no_top_is_lost();
  check_zero_coefficient();
  check_coefficients();
  check_start_values();
  check_dependent();
  check_fill();
  return CHECKS_DONE();
}
