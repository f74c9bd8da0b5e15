/* What the error control and the search for kinks leave out: `tolerance s = none` and smooth(...). */
#include "run.h"

/* y = exp(-t) decides the steps; s = sin(1000 t)/1000 would make them short. */
static void check_uncontrolled(void) {
  static const char *const methods[] = {"dopri54", "dop853", "radau5", "auto"};
  static const char *const lines[] = {"tolerance s = none", ""};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    long steps[2];
    for (int k = 0; k < 2; k++) {
      char text[400];
      snprintf(text, sizeof text,
               "model m\nvariable y, s\nequation\n  y' = -y\n  s' = cos(1000*t)\nstart t = 0\n"
               "  y = 1, s = 0\nsolve t = 0 .. 5\n  %s\noutput y, s\n",
               lines[k]);
      run *r = run_text(text);
      ritt_options o = run_options(methods[i], 1e-8, 5);
      CHECK(run_go(r, &o));
      CHECK_NEAR(run_last(r, "y"), exp(-5), 1e-7);
      steps[k] = r->statistics.accepted;
      run_free(r);
    }
    CHECK(steps[0] < 300 && steps[1] > 5 * steps[0]);
  }
}

/* x = 2 exp(-t) - 1 down to x = 0 at t = log 2, and x = log 2 - t from there on. The kink is met, or
 * it is harmless: then the error control passes it, also where abs(x) has it. */
static void check_smooth(void) {
  static const char *const rates[] = {"max(x, 0)", "smooth(max(x, 0))", "smooth((x + abs(x))/2)"};
  for (int i = 0; i < 3; i++) {
    char text[400];
    snprintf(text, sizeof text,
             "model m\nvariable x\nequation x' = -1 - %s\nstart t = 0\n  x = 1\nsolve t = 0 .. 3\n"
             "output x\n",
             rates[i]);
    run *r = run_text(text);
    CHECK(run_go(r, NULL));
    CHECK(r->statistics.switches == (i == 0));
    CHECK_NEAR(run_last(r, "x"), log(2) - 3, i == 0 ? 1e-8 : 1e-6);
    run_free(r);
  }
}

/* An array, elementwise: both surfaces are harmless, that of y is not. */
static void check_arrays(void) {
  run *r = run_text("model m\nvariable x[1..2], y\nequation\n"
                    "  x' = smooth([abs(x[1] - 1), abs(x[2] - 2)])\n  y' = abs(y - 1) + 1\n"
                    "start t = 0\n  x = [0, 0], y = 0\nsolve t = 0 .. 3\noutput y\n");
  CHECK(run_go(r, NULL) && r->statistics.switches == 1);
  run_free(r);
}

int main(void) {
  check_uncontrolled();
  check_smooth();
  check_arrays();
  return CHECKS_DONE();
}
