/* Units change nothing: models with several branches, dependent equations and a contradiction, in units
 * of the unknowns, of t and of the equations between 1e-12 and 1e12. The numbers are those of the model
 * in units of 1, derived by hand. */
#include "run.h"

#include <stdint.h>
#include <string.h>

/* Unknowns a*x, b*y, c*z and time s*t are those of the model in units of 1; p, q, r are factors of
 * equations. */
typedef struct unit_model {
  const char *name, *verdict;
  int degrees_of_freedom, index, hidden_constraints, dependent;
  const char *text;
} unit_model;

/* clang-format off */
static const unit_model list[] = {
  {"pendulum", "determined", 2, 3, 2, 0,
   "variable x, y, z\nequation\n  p*a*x''/s^2 = -p*c*z*a*x\n  q*b*y''/s^2 = -q*(c*z*b*y + 981/100)\n"
   "  r*((a*x)^2 + (b*y)^2) = r\nstart t = 0\n  x = 3/(5*a), y ~ -4/(5*b), x' = 0\n"},
  {"pendulum with its rod twice", "determined", 2, 2, 1, 1,
   "variable x, y, z, w\nequation\n  a*x''/s^2 = -c*z*a*x - w*a*x\n"
   "  q*b*y''/s^2 = -q*(c*z*b*y + w*b*y + 981/100)\n"
   "  p*((a*x)^2 + (b*y)^2) = p\n  r*(2*(a*x)^2 + 2*(b*y)^2) = 2*r\n"
   "start t = 0\n  x = 3/(5*a), y ~ -4/(5*b), x' = 0\n"},
  {"two branches, the first", "determined", 1, 1, 0, 0,
   "variable x, y, z\nequation\n  p*a*x'/s = p*c*z\n  q*b*y*(1 - b*y) = 0\n"
   "  r*(a*x*b*y + c*z*(1 - b*y)) = r*s*t\nstart t = 0\n  x ~ 1/(2*a), y ~ 0\n"},
  {"two branches, the second", "determined", 0, 2, 1, 0,
   "variable x, y, z\nequation\n  p*a*x'/s = p*c*z\n  q*b*y*(1 - b*y) = 0\n"
   "  r*(a*x*b*y + c*z*(1 - b*y)) = r*s*t\nstart t = 0\n  x ~ 1/(2*a), y ~ 1/b\n"},
  {"a product of three", "determined", 2, 1, 0, 0,
   "variable x, y, z\nequation\n  p*a*x*b*y*c*z = 0\n  q*a*x'/s = q\n  r*b*y'/s = r*a*x*c*z\n"
   "start t = 0\n  x = 1/a, y = 2/b, z ~ 0\n"},
  {"a product of two", "determined", 1, 1, 0, 0,
   "variable x, y\nequation\n  p*a*x'/s = p*b*y\n  q*a*x*b*y = 0\nstart t = 0\n  x = 1/a, y ~ 0\n"},
  {"a circle or a line", "determined", 1, 1, 0, 0,
   "variable x, y\nequation\n  p*((a*x)^2 + (b*y)^2 - 1)*(a*x - 2) = 0\n  q*a*x'/s = q\n"
   "start t = 0\n  x = 1/(2*a), y ~ 4/(5*b)\n"},
  {"two lines, given twice", "determined", 1, 1, 0, 1,
   "variable x, y\nequation\n  p*(a*x - b*y)*(a*x + b*y) = 0\n  q*a*x'/s = q*(b*y + 1)\n"
   "  r*2*(a*x)^2 = r*2*(b*y)^2\nstart t = 0\n  x = 1/a, y ~ -1/b\n"},
  {"two lines, and none", "inconsistent", RITT_UNKNOWN, RITT_UNKNOWN, RITT_UNKNOWN, 0,
   "variable x, y\nequation\n  p*(a*x - b*y)*(a*x + b*y) = 0\n  q*a*x'/s = q*(b*y + 1)\n"
   "  r*((a*x)^2 - (b*y)^2) = 3*r\nstart t = 0\n  x = 1/a, y ~ -1/b\n"},
  {"a common factor", "determined", 1, 1, 0, 1,
   "variable x, y\nequation\n  p*(a*x - 1)*(b*y - 2) = 0\n  q*(a*x - 1)*(b*y + 1) = 0\n"
   "  r*b*y'/s = r*a*x\nstart t = 0\n  x ~ 1/a, y = 1/b\n"},
  {"a given square", "determined", 0, 3, 2, 0,
   "variable x, y, z\nequation\n  p*a*x'/s = p*(b*y + (a*x)^2)\n  q*b*y'/s = q*(c*z - a*x*b*y)\n"
   "  r*(a*x)^2 = r*(1 + sin(s*t))\nstart t = 0\n  x ~ 1/a\n"},
};
/* clang-format on */

static uint64_t state = 1;
static int random_exponent(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)(state >> 33) % 25 - 12;
}

static void check_units(const unit_model *m, const int *exponent) {
  char text[2000];
  const ritt_check *c = NULL;
  snprintf(text, sizeof text,
           "model units\nparameter a = 1e%d, b = 1e%d, c = 1e%d, p = 1e%d, q = 1e%d, r = 1e%d, "
           "s = 1e%d\n%ssolve t = 0 .. 1e%d\n",
           exponent[0], exponent[1], exponent[2], exponent[3], exponent[4], exponent[5],
           exponent[6], m->text, -exponent[6]);
  run *r = run_text(text);
  if (r->status != RITT_OK) run_complain(r, m->name);
  else r->status = ritt_model_check(r->model, r->error, &c);
  bool right = c && !strcmp(c->verdict, m->verdict) &&
               c->degrees_of_freedom == m->degrees_of_freedom && c->index == m->index &&
               c->hidden_constraints == m->hidden_constraints &&
               (int)c->dependent_count == m->dependent;
  CHECK(right);
  if (!right && c)
    printf("  %s: %s, %d free, index %d, %d hidden, %d dependent in\n%s", m->name, c->verdict,
           c->degrees_of_freedom, c->index, c->hidden_constraints, (int)c->dependent_count, text);
  run_free(r);
}

/* x*y = 0 and x' = y at x = 0, where both branches meet and the product has no gradient: x is constant
 * and y = 0. The start is refused, or the branch x = 0 is taken; nothing is left open. */
static void test_crossing(void) {
  const ritt_check *c = NULL;
  run *r = run_text("model crossing\nvariable x, y\nequation\n  x' = y\n  x*y = 0\n"
                    "start t = 0\n  x = 0, y ~ 1\nsolve t = 0 .. 1\n");
  CHECK(r->status == RITT_OK);
  if (r->status == RITT_OK) r->status = ritt_model_check(r->model, r->error, &c);
  CHECK(c && strcmp(c->verdict, "underdetermined") && c->undetermined_count == 0);
  run_free(r);
}

int main(void) {
  enum { SAME = 5, OTHERS = 12 };
  static const int same[SAME] = {0, 7, 9, 11, -9};
  static const int time[] = {0, 0, 9, -7};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    for (int k = 0; k < SAME + OTHERS; k++) {
      int exponent[7] = {0};
      for (int j = 0; j < 3; j++) exponent[j] = k < SAME ? same[k] : random_exponent();
      for (int j = 3; j < 6; j++) exponent[j] = k < SAME ? 0 : random_exponent();
      if (k >= SAME) exponent[6] = time[k % 4];
      check_units(&list[i], exponent);
    }
  test_crossing();
  return CHECKS_DONE();
}
