/* What the sections of mechanics add to a Model: equations with their words, multipliers, the
 * energy function as it is printed, the strong potential; and that the completion finds the
 * symmetric form of holonomic systems. */
#include "../../jets.h"
#include "lang_test.h"

static void check_equation(const ritti_model *m, int i, const char *subject, const char *source,
                           const char *residual) {
  char buffer[512];
  if (i >= m->equations) {
    CHECK(i < m->equations);
    return;
  }
  CHECK_TEXT(m->equation[i].subject ? m->equation[i].subject : "", subject);
  CHECK_TEXT(m->equation[i].source ? m->equation[i].source : "", source);
  CHECK_TEXT(printed(m, m->equation[i].residual, buffer), residual);
}

/* The user's equations first, then those of motion in the order of the variables, then the
 * constraints. */
static void test_equations(void) {
  ritti_model *m =
      read_text("model m\nparameter k = 3\nvariable u, x, y\nlagrangian (x'^2 + y'^2)/2 - k*x*y\n"
                "constraint x = y\n  top: y = 1\nforce x: u\nforce x: t\ndissipation y'^2/2\n"
                "equation u' = -u\n",
                true);
  if (!m) return;
  CHECK(m->equations == 5 && m->variables == 5);
  check_equation(m, 0, "", "", "u' + u");
  check_equation(m, 1, "equation of motion of x", "lagrangian", "y*k + x'' - (lambda[1] + u + t)");
  check_equation(m, 2, "equation of motion of y", "lagrangian",
                 "x*k + y'' - (top - lambda[1] - y')");
  check_equation(m, 3, "constraint 1", "", "x - y");
  check_equation(m, 4, "constraint top", "", "y - 1");
  CHECK_TEXT(m->variable[3].name, "lambda[1]");
  CHECK_TEXT(m->variable[4].name, "top");
  CHECK(m->equation[1].place.line == 4 && m->equation[4].place.line == 6);
  ritti_model_free(m);
}

/* T + V where L = T - V, whatever the layout; -L plus sum q' L_q' in general. */
static void test_energy(void) {
  static const char *const text[][2] = {{"x'^2/2 - x^2/2", "x'^2/2 + x^2/2"},
                                        {"-(x^2 - x'^2)/2", "x^2/2 + x'^2/2"},
                                        {"x'^2/2 + 3*x' - cos(x)", "x'^2/2 + cos(x)"},
                                        {"x*x'^2 - exp(t)", "x*x'^2 + exp(t)"},
                                        {"x'^4", "3*x'^4"}};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    char model[200], buffer[512];
    snprintf(model, sizeof model, "model m\nvariable x\nlagrangian %s\noutput energy\n",
             text[i][0]);
    ritti_model *m = read_text(model, true);
    if (m) CHECK_TEXT(printed(m, m->output[0].expr, buffer), text[i][1]);
    CHECK(m && m->conserveds > 0 && m->conserved[0].expr == m->output[0].expr);
    ritti_model_free(m);
  }
}

static void test_strong_potential(void) {
  char buffer[512];
  ritti_model *m = read_text("model m\nparameter a = 2\nvariable x\nlagrangian x'^2/2\n"
                             "stiff a*x^2, eps = a/100\n",
                             true);
  if (!m) return;
  CHECK_TEXT(printed(m, m->strong_potential, buffer), "a*x^2");
  CHECK_TEXT(m->parameter[m->strong_parameter].name, "eps");
  CHECK_NEAR(m->parameter[m->strong_parameter].number, 0.02, 1e-17);
  check_equation(m, 0, "equation of motion of x", "lagrangian", "2*a*x/eps^2 + x''");
  ritti_model_free(m);
  m = read_text("model m\nvariable x\nlagrangian x'^2/2\n", true);
  CHECK(m && m->strong_potential == RITTI_NIL);
  ritti_model_free(m);
}

/* E symmetric and H = G^T diag(s) are seen, with a mass matrix that is neither constant nor
 * diagonal too. */
static void test_symmetric(void) {
  static const char *const texts[] = {
      "model m\nparameter n = 4\nvariable x[1..n], y[1..n]\n"
      "lagrangian sum(i in 1..n, i*(x[i]'^2 + y[i]'^2)/2 - y[i])\n"
      "constraint for i in 2..n: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"
      "start for i in 1..n: x[i] = i, y[i] = 0\n",
      "model m\nvariable a, b, z\nlagrangian (a'^2 + b'^2*(2 + cos(a)) + a'*b'*sin(z) + z'^2)/2 - z\n"
      "constraint sin(a) + 2*b*z + t = 0.3\nstart a ~ 0.1, b ~ 0.2, z ~ 0.3\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    completed *c = completed_text(texts[i], "symmetric");
    CHECK(c->reduced && c->reduced->kind == RITT_HOLONOMIC && c->reduced->symmetric);
    completed_free(c);
  }
}

int main(void) {
  test_equations();
  test_energy();
  test_strong_potential();
  test_symmetric();
  return CHECKS_DONE();
}
