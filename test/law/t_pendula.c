/* N coupled pendula: the length of each depends on the rod force of the one before, so that its
 * constraint is felt only two derivatives later. Index 2N+1, 2N degrees of freedom, for every N
 * (Pryce 1998). */
#include "jets.h"

static void write_model(int n, char *out, size_t room) {
  size_t at = 0;
#define ADD(...) (at += (size_t)snprintf(out + at, at < room ? room - at : 0, __VA_ARGS__))
  ADD("model pendula\nparameter G = 1, L = 1, c = 1/10\n");
  for (int i = 1; i <= n; i++) ADD("variable x%d, y%d, l%d\n", i, i, i);
  ADD("equation\n");
  for (int i = 1; i <= n; i++)
    ADD("  x%d'' + l%d*x%d = 0\n  y%d'' + l%d*y%d - G = 0\n", i, i, i, i, i, i);
  ADD("  x1^2 + y1^2 = L^2\n");
  for (int i = 2; i <= n; i++) ADD("  x%d^2 + y%d^2 = (L + c*l%d)^2\n", i, i, i - 1);
  ADD("start t = 0\n");
  /* a small swing: each rod as long as the force of the one before makes it, all at one angular
   * speed */
  double length = 1, speed = 0.1;
  for (int i = 1; i <= n; i++) {
    double angle = 0.2 + 0.02 * i, x = length * sin(angle), y = length * cos(angle);
    ADD("  x%d ~ %.6f, y%d ~ %.6f, x%d' ~ %.6f, y%d' ~ %.6f\n", i, x, i, y, i, speed * y, i,
        -speed * x);
    length = 1 + 0.1 * (y / (length * length) + speed * speed);
  }
#undef ADD
  CHECK(at < room);
}

static void check_chain(int n) {
  static char text[16384];
  write_model(n, text, sizeof text);
  completed *c = completed_text(text, "pendula");
  bool right = c->reduced && !strcmp(c->check.verdict, "determined") &&
               c->check.degrees_of_freedom == 2 * n && c->check.index == 2 * n + 1 &&
               c->check.hidden_constraints == 2 * n;
  if (right) checks_passed++;
  else
    checks_failed++,
        printf("failed: %d pendula: %s (%s), dof %d, index %d, hidden %d\n", n, c->check.verdict,
               c->check.reason ? c->check.reason : "", c->check.degrees_of_freedom, c->check.index,
               c->check.hidden_constraints);
  completed_free(c);
}

int main(int count, char **word) {
  int only = count > 1 ? atoi(word[1]) : 0;
  for (int n = 1; n <= 8; n++)
    if (!only || n == only) check_chain(n);
  return CHECKS_DONE();
}
