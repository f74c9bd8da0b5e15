/* From what was typed to a point on the manifold: what is kept, what moves and how little, which
 * values are chosen, and the messages. Every number is a closed form, a property of the nearest point,
 * or the test set's own start. */
#include "run.h"

/* ---- a model, its start section, and what became of it ---- */

typedef struct started {
  run *r;
  const ritt_check *check;
  const char *section; /* the start that is used, or NULL */
} started;

static started start_with(const char *model, const char *start) {
  started s = {0};
  size_t size = strlen(model) + strlen(start) + 32;
  char *text = run_memory(NULL, size);
  snprintf(text, size, "model m\n%s%s", model, start);
  s.r = run_text(text);
  if (s.r->status == RITT_OK) s.r->status = ritt_model_check(s.r->model, s.r->error, &s.check);
  if (s.r->status == RITT_OK)
    s.r->status = ritt_model_start_text(s.r->model, s.r->error, &s.section);
  free(text);
  return s;
}

/* The same; anything but a start point is a failed check. */
static started begin(const char *model, const char *start) {
  started s = start_with(model, start);
  if (s.r->status == RITT_OK) checks_passed++;
  else run_complain(s.r, start);
  return s;
}

static void end(started s) { run_free(s.r); }

/* The value that is used for "x", "x'", ...; NaN where there is none. */
static double used(started s, const char *name) {
  size_t length = strlen(name);
  for (const char *line = s.section; line && *line;
       line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    const char *at = line + strspn(line, " ");
    if (!strncmp(at, name, length) && at[length] == ' ') return strtod(at + length + 3, NULL);
  }
  return NAN;
}

static const ritt_moved *moved(started s, const char *name) {
  for (size_t i = 0; s.check && i < s.check->moved_count; i++)
    if (!strcmp(s.check->moved[i].name, name)) return &s.check->moved[i];
  return NULL;
}

/* Is there a note that begins so? */
static bool noted(started s, const char *beginning) {
  for (size_t i = 0; s.check && i < s.check->note_count; i++)
    if (!strncmp(s.check->notes[i], beginning, strlen(beginning))) return true;
  return false;
}

/* ---- the pendulum: index 3 ---- */

static const char pendulum[] =
    "parameter g = 1, L = 1\nvariable x, y, lambda\nequation\n  x'' + lambda*x = 0\n"
    "  y'' + lambda*y + g = 0\n  x^2 + y^2 = L^2\n";

/* On the manifold: the circle, its tangent, and lambda = |v|^2 - g*y for L = 1. */
static void check_pendulum(started s, double error) {
  double x = used(s, "x"), y = used(s, "y"), u = used(s, "x'"), v = used(s, "y'");
  CHECK_NEAR(x * x + y * y, 1, error);
  CHECK_NEAR(x * u + y * v, 0, error);
  CHECK_NEAR(used(s, "lambda"), u * u + v * v - y, 10 * error);
}

static void test_kept(void) {
  started s = begin(pendulum, "start t = 0\n  x = 0.6, y = 0.8\n");
  CHECK(used(s, "x") == 0.6 && used(s, "y") == 0.8);
  CHECK(s.check->moved_count == 0);
  check_pendulum(s, 1e-15);
  end(s);
  /* more than enough, but consistent: |v| = 1, lambda = 1 - 0.8 */
  s = begin(pendulum, "start t = 0\n  x = 0.6, y = 0.8, x' = 0.8, y' = -0.6, lambda = 0.2\n");
  CHECK(s.check->moved_count == 0 && s.check->note_count == 0);
  CHECK(used(s, "x'") == 0.8 && used(s, "y'") == -0.6);
  end(s);
  /* the same with all second derivatives: x'' = -0.2*0.6, y'' = -0.2*0.8 - 1 */
  s = begin(
      pendulum,
      "start t = 0\n  x = 0.6, y = 0.8, x' = 0.8, y' = -0.6, lambda = 0.2, x'' = -0.12, y'' = -1.16\n");
  CHECK(s.check->moved_count == 0);
  end(s);
}

static void test_guesses(void) {
  /* the nearest point of the circle */
  started s = begin(pendulum, "start t = 0\n  x ~ 1.2, y ~ 0.5, x' ~ 0, y' ~ 0\n");
  CHECK_NEAR(used(s, "x"), 12. / 13, 1e-14);
  CHECK_NEAR(used(s, "y"), 5. / 13, 1e-14);
  CHECK(s.check->moved_count == 2 && moved(s, "x") && moved(s, "x")->typed == 1.2);
  end(s);
  s = begin(pendulum, "start t = 0\n  x ~ -0.3, y ~ -0.4\n");
  CHECK_NEAR(used(s, "x"), -0.6, 1e-14);
  CHECK_NEAR(used(s, "y"), -0.8, 1e-14);
  end(s);
  /* a kept position: the nearest tangent velocity is the orthogonal projection of the guess */
  s = begin(pendulum, "start t = 0\n  x = 0.6, y = 0.8, x' ~ 1, y' ~ 0\n");
  CHECK_NEAR(used(s, "x'"), 0.64, 1e-14);
  CHECK_NEAR(used(s, "y'"), -0.48, 1e-14);
  end(s);
  /* a kept value stays, the guess gives way */
  s = begin(pendulum, "start t = 0\n  x = 0.6, y ~ 3\n");
  CHECK(used(s, "x") == 0.6);
  CHECK_NEAR(used(s, "y"), 0.8, 1e-15);
  end(s);
  s = begin(pendulum, "start t = 0\n  x = 0.6, y ~ -3\n");
  CHECK_NEAR(used(s, "y"), -0.8, 1e-15);
  end(s);
}

/* Moves are measured in scales: at the nearest point ((x - x0)/a^2, (y - y0)/b^2) is normal to the
 * circle. */
static void test_scales(void) {
  started s = begin(pendulum, "start t = 0\n  x ~ 0.6, y ~ 0.9\nscale x = 0.01\n");
  double x = used(s, "x"), y = used(s, "y");
  CHECK_NEAR(x * x + y * y, 1, 1e-14);
  CHECK_NEAR((x - 0.6) * 1e4 * y - (y - 0.9) * x, 0, 1e-9);
  CHECK(fabs(x - 0.6) < 1e-4 && fabs(y - 0.8) < 1e-3);
  end(s);
}

/* Half a unit in the last of 5 digits or more is rounding; in 4 digits it is meant. */
static void test_digits(void) {
  started s = begin(pendulum, "start t = 0\n  x = 0.70711, y = 0.70711\n");
  CHECK(s.check->moved_count == 2);
  CHECK_NEAR(used(s, "x"), sqrt(0.5), 1e-15);
  CHECK(fabs(used(s, "x") - 0.70711) <= 5e-6 && fabs(used(s, "y") - 0.70711) <= 5e-6);
  end(s);
  s = start_with(pendulum, "start t = 0\n  x = 0.7071, y = 0.7071\n");
  CHECK(s.r->status == RITT_WRONG_MODEL);
  CHECK_TEXT(s.check->verdict, "inconsistent");
  end(s);
  /* a guess moves before a kept value does */
  s = begin(pendulum, "start t = 0\n  x = 0.70711, y ~ 0.70711\n");
  CHECK(used(s, "x") == 0.70711 && s.check->moved_count == 1);
  end(s);
}

static void test_too_few(void) {
  started s = begin(pendulum, "start t = 0\n  x = 0.6\n");
  CHECK_NEAR(fabs(used(s, "y")), 0.8, 1e-15);
  CHECK(noted(s, "free initial values chosen: x' = 0") ||
        noted(s, "free initial values chosen: y' = 0"));
  CHECK(noted(
      s,
      used(s, "y") > 0
          ? "another start was found, with y = -0.8 instead of 0.8; write y ~ -0.8 to choose it"
          : "another start was found, with y = 0.8 instead of -0.8; write y ~ 0.8 to choose it"));
  check_pendulum(s, 1e-14);
  end(s);
  s = begin(pendulum, "");
  check_pendulum(s, 1e-14);
  CHECK(noted(s, "free initial values chosen: "));
  end(s);
  /* only velocities: (1, 0) is tangent at (0, 1) and (0, -1) */
  s = begin(pendulum, "start t = 0\n  x' = 1, y' = 0\n");
  CHECK_NEAR(used(s, "x"), 0, 1e-14);
  CHECK_NEAR(fabs(used(s, "y")), 1, 1e-14);
  end(s);
  /* all free: nothing is determined but the top */
  s = begin("variable x\nequation\n  x'' + x = 0\n", "");
  CHECK(noted(s, "free initial values chosen: x = 0, x' = 0"));
  end(s);
  s = begin("variable x\nequation\n  x'' + x = 0\n", "start t = 0\n  x = 1\n");
  CHECK(s.check->note_count == 1 && noted(s, "free initial values chosen: x' = 0"));
  end(s);
  s = begin("variable x\nequation\n  x'' + x = 0\n", "start t = 0\n  x = 1, x' ~ 0\n");
  CHECK(s.check->note_count == 0);
  end(s);
}

static void test_derivatives_and_multipliers(void) {
  /* x'' = -lambda*x */
  started s = begin(pendulum, "start t = 0\n  lambda = 5, x'' = 3\n");
  CHECK_NEAR(used(s, "x"), -0.6, 1e-13);
  CHECK_NEAR(used(s, "lambda"), 5, 1e-13);
  check_pendulum(s, 1e-13);
  end(s);
  /* a guess of a multiplier gives way to velocities that were not given: they are 0 */
  s = begin(pendulum, "start t = 0\n  x = 0.6, y = -0.8, lambda ~ 7\n");
  CHECK(used(s, "x'") == 0 && used(s, "y'") == 0);
  CHECK_NEAR(used(s, "lambda"), 0.8, 1e-15);
  end(s);
  /* the multiplier of a hanging pendulum at rest is g/L, whatever was guessed */
  s = begin(pendulum, "start t = 0\n  x = 0, y = -1, x' = 0, y' = 0, lambda ~ 100\n");
  CHECK_NEAR(used(s, "lambda"), 1, 1e-15);
  CHECK(moved(s, "lambda") && moved(s, "lambda")->typed == 100);
  end(s);
  /* expressions of parameters, also after a parameter has changed */
  s = begin(pendulum, "start t = 0\n  x = L*sin(1/2), y ~ -L*cos(1/2)\n");
  CHECK_NEAR(used(s, "x"), sin(0.5), 1e-15);
  CHECK_NEAR(used(s, "y"), -cos(0.5), 1e-15);
  run_set(s.r, "L", "3");
  CHECK(ritt_model_start_text(s.r->model, s.r->error, &s.section) == RITT_OK);
  CHECK_NEAR(used(s, "x"), 3 * sin(0.5), 1e-15);
  CHECK_NEAR(used(s, "y"), -3 * cos(0.5), 1e-14);
  end(s);
}

/* ---- every index, with positions only ---- */

static void test_indices(void) {
  started s = begin("variable x, y\nequation\n  x' = -y\n  x + y^3 = 9\n",
                    "start t = 0\n  x = 1\n"); /* 1 */
  CHECK_NEAR(used(s, "y"), 2, 1e-14);
  end(s);
  /* 2: the constraint on velocities; lambda*(x^2 + y^2) = |v|^2 - y */
  s = begin("variable x, y, l\nequation\n  x'' + x*l = 0\n  y'' + y*l + 1 = 0\n  x*x' + y*y' = 0\n",
            "start t = 0\n  x = 3, y = -4\n");
  CHECK_NEAR(used(s, "l"), 4. / 25, 1e-15);
  CHECK(used(s, "x'") == 0 && used(s, "y'") == 0);
  end(s);
  s = begin(pendulum, "start t = 0\n  x = 0.6, y = -0.8\n"); /* 3 */
  CHECK_NEAR(used(s, "lambda"), 0.8, 1e-15);
  end(s);
  /* 5: the crane at t = 0: lambda = (g - z'')/z, s' = 1 - 1/lambda */
  s = begin(
      "parameter g = 9.81\nvariable x, z, s, l, lambda, F, G\nequation\n  x'' = -lambda*(x - s)\n"
      "  z'' = g - lambda*z\n  2*s'' = F + lambda*(x - s)\n  l'' = G + lambda*l\n  (x - s)^2 + z^2 = l^2\n"
      "  x = sin(t)\n  z = 4 + cos(t)/2\n",
      "start t = 0\n  x ~ 0, z ~ 4, s ~ 0.5, l ~ 4\n");
  double lambda = (9.81 + 0.5) / 4.5;
  CHECK(s.check->index == 5);
  CHECK_NEAR(used(s, "l"), 4.5, 1e-14);
  CHECK_NEAR(used(s, "lambda"), lambda, 1e-14);
  CHECK_NEAR(used(s, "s'"), 1 - 1 / lambda, 1e-14);
  CHECK_NEAR(used(s, "s"), 0, 1e-14);
  end(s);
  /* 5, with nothing free and nothing given */
  s = begin("variable a, b, c, d, e\nequation\n  a = t^4\n  a' = b\n  b' = c\n  c' = d\n  d' = e\n",
            "start t = 1\n  a ~ 3\n");
  CHECK(s.check->index == 5 && s.check->note_count == 0);
  CHECK_NEAR(used(s, "a"), 1, 1e-15);
  CHECK_NEAR(used(s, "b"), 4, 1e-14);
  CHECK_NEAR(used(s, "c"), 12, 1e-13);
  CHECK_NEAR(used(s, "d"), 24, 1e-13);
  CHECK_NEAR(used(s, "e"), 24, 1e-13);
  end(s);
}

/* ---- linkages ---- */

static const char fourbar[] =
    "parameter a = 1, b = 2, c = 3/2, d = 2, T = 0.8, m1 = 0.2, m2 = 0.1, g = 9.81\n"
    "variable y1, y2, y3, y4, l1, l2, l3\nequation\n  m1*y1'' + y2*T/a^2 + y1*l1 - (y3 - y1)*l2 = 0\n"
    "  m1*y2'' - y1*T/a^2 + m1*g + y2*l1 - (y4 - y2)*l2 = 0\n  m2*y3'' + (y3 - y1)*l2 - (d - y3)*l3 = 0\n"
    "  m2*y4'' + m2*g + (y4 - y2)*l2 + y4*l3 = 0\n  y1^2 + y2^2 = a^2\n  (y3 - y1)^2 + (y4 - y2)^2 = b^2\n"
    "  (d - y3)^2 + y4^2 = c^2\n";

/* The coupler's joint for a crank at (p, q): where the circles of radius 2 and 3/2 meet; side +1
 * above, -1 below. */
static void assemble(double p, double q, int side, double out[2]) {
  double ex = 2 - p, ey = -q, D = hypot(ex, ey), along = (D * D + 4 - 2.25) / (2 * D),
         off = sqrt(4 - along * along);
  ex /= D, ey /= D;
  out[0] = p + along * ex - side * off * ey;
  out[1] = q + along * ey + side * off * ex;
}

static double square(double a) { return a * a; }

static void test_fourbar(void) {
  double guess[4], pose[4] = {0.5, sqrt(0.75)}, near = 0, exact = 0;
  char text[256];
  const char *name[] = {"y1", "y2", "y3", "y4"};
  assemble(pose[0], pose[1], 1, pose + 2);
  for (int pattern = 0; pattern < 16; pattern++) {
    /* every value 20 % too large or too small */
    for (int i = 0; i < 4; i++) guess[i] = pose[i] * (pattern >> i & 1 ? 1.2 : 0.8);
    snprintf(text, sizeof text, "start t = 0\n  y1 ~ %.17g, y2 ~ %.17g, y3 ~ %.17g, y4 ~ %.17g\n",
             guess[0], guess[1], guess[2], guess[3]);
    started s = begin(fourbar, text);
    double y1 = used(s, "y1"), y2 = used(s, "y2"), y3 = used(s, "y3"), y4 = used(s, "y4");
    CHECK_NEAR(y1 * y1 + y2 * y2, 1, 1e-14);
    CHECK_NEAR(square(y3 - y1) + square(y4 - y2), 4, 1e-14);
    CHECK_NEAR(square(2 - y3) + y4 * y4, 2.25, 1e-14);
    /* the nearest is not farther than the pose that was spoiled */
    near = exact = 0;
    for (int i = 0; i < 4; i++)
      near += square(used(s, name[i]) - guess[i]), exact += square(pose[i] - guess[i]);
    CHECK(near <= exact * (1 + 1e-12));
    end(s);
  }
}

static void test_two_ways(void) {
  double above[2], below[2];
  char note[128];
  assemble(0.6, 0.8, 1, above);
  assemble(0.6, 0.8, -1, below);
  started s = begin(fourbar, "start t = 0\n  y1 = 0.6, y2 = 0.8, y3 ~ 2, y4 ~ 1\n");
  CHECK_NEAR(used(s, "y3"), above[0], 1e-13);
  CHECK_NEAR(used(s, "y4"), above[1], 1e-13);
  end(s);
  s = begin(fourbar, "start t = 0\n  y1 = 0.6, y2 = 0.8, y3 ~ 1, y4 ~ -1\n");
  CHECK_NEAR(used(s, "y3"), below[0], 1e-13);
  CHECK_NEAR(used(s, "y4"), below[1], 1e-13);
  end(s);
  /* left open: one of them, and the other is named */
  s = begin(fourbar, "start t = 0\n  y1 = 0.6, y2 = 0.8\n");
  bool up = used(s, "y4") > 0;
  CHECK_NEAR(used(s, "y4"), up ? above[1] : below[1], 1e-13);
  snprintf(note, sizeof note,
           "another start was found, with y4 = %.6g instead of %.6g; write y4 ~ %.6g to choose it",
           up ? below[1] : above[1], up ? above[1] : below[1], up ? below[1] : above[1]);
  CHECK(noted(s, note));
  end(s);
  /* two points of a circle on a line: the one near the guess */
  s = begin("variable x, y\nequation\n  x^2 + y^2 = 2*exp(-2*t)\n  x = y\n",
            "start t = 0\n  x ~ -0.7, y ~ -1.3\n");
  CHECK_NEAR(used(s, "x"), -1, 1e-15);
  CHECK_NEAR(used(s, "y"), -1, 1e-15);
  end(s);
}

static const char slider_crank[] =
    "parameter J1 = 1, J2 = 1, m = 1, r = 1, l = 2\nvariable p, q, x, f1, f2\nequation\n"
    "  J1*p'' - f1*r*sin(p) + f2*r*cos(p) = 0\n  J2*q'' - f1*l*sin(q) + f2*l*cos(q) = 0\n  m*x'' - f1 = 0\n"
    "  r*cos(p) + l*cos(q) = x\n  r*sin(p) + l*sin(q) = 0\n";

static void test_slider_crank(void) {
  double q = -asin(sin(0.5) / 2), x = cos(0.5) + 2 * cos(q);
  for (int sign = -1; sign <= 1; sign += 2) {
    char text[160];
    snprintf(text, sizeof text, "start t = 0\n  p = 0.5, q ~ %.17g, x ~ %.17g, p' = 2\n",
             q * (1 + 0.2 * sign), x * (1 - 0.2 * sign));
    started s = begin(slider_crank, text);
    CHECK_NEAR(used(s, "q"), q, 1e-14);
    CHECK_NEAR(used(s, "x"), x, 1e-14);
    CHECK_NEAR(used(s, "q'"), -2 * cos(0.5) / (2 * cos(q)), 1e-14);
    end(s);
  }
  /* folded the other way */
  started s = begin(slider_crank, "start t = 0\n  p = 0.5, q ~ 3, x ~ -1\n");
  CHECK_NEAR(used(s, "q"), acos(-1) - q, 1e-13);
  end(s);
}

/* Andrews' mechanism: the angles of the test set, which fix theta = 0, rounded to one digit. */
static void test_andrews(void) {
  static const struct {
    const char *name;
    double value;
  } angle[] = {{"be", -0.0617138900142764496358948458001}, {"ga", 0.455279819163070380255912382449},
               {"ph", 0.222668390165885884674473185609},   {"de", 0.487364979543842550225598953530},
               {"om", -0.222668390165885884674473185609},  {"ep", 1.23054744454982119249735015568}};
  char path[1024], *text = run_memory(NULL, 65536), *cut;
  snprintf(path, sizeof path, "%s/models/ivp/andrews.ritt", RITT_SOURCE_DIR);
  FILE *file = fopen(path, "rb");
  size_t length = file ? fread(text, 1, 65000, file) : 0;
  if (file) fclose(file);
  text[length] = '\0';
  cut = strstr(text, "\nparameter");
  char *last = strstr(text, "\nstart");
  CHECK(cut && last);
  if (cut && last) {
    *last = '\0';
    started s = begin(
        cut,
        "\nstart t = 0\n  th = 0, be ~ -0.06, ga ~ 0.5, ph ~ 0.2, de ~ 0.5, om ~ -0.2, ep ~ 1\n");
    for (size_t i = 0; i < sizeof angle / sizeof *angle; i++)
      CHECK_NEAR(used(s, angle[i].name), angle[i].value, 1e-13);
    end(s);
    /* the accelerations and multipliers of the start at rest are the test set's */
    s = begin(
        cut,
        "\nstart t = 0\n  th = 0, be ~ -0.06, ga ~ 0.5, ph ~ 0.2, de ~ 0.5, om ~ -0.2, ep ~ 1, th' = 0\n");
    CHECK_NEAR(used(s, "l1"), 98.5668703962410896057654982170, 1e-9);
    CHECK_NEAR(used(s, "l2"), -6.12268834425566265503114393122, 1e-9);
    CHECK_NEAR(used(s, "be'"), 0, 1e-13);
    end(s);
  }
  free(text);
}

/* ---- a chain of 20 links ---- */

enum { LINKS = 20 };

/* One end at 0; the other free, or held at (span, 0). The guess: a straight line with `spacing`
 * between the joints. */
static char *chain(double span, double spacing) {
  int joints = span > 0 ? LINKS - 1 : LINKS;
  char *text = run_memory(NULL, 1 << 16), x[LINKS + 2][16], y[LINKS + 2][16], *at = text;
  for (int i = 0; i <= LINKS; i++) {
    bool joint = i > 0 && i <= joints;
    if (joint) snprintf(x[i], sizeof x[i], "x%d", i), snprintf(y[i], sizeof y[i], "y%d", i);
    else snprintf(x[i], sizeof x[i], "%g", i ? span : 0), snprintf(y[i], sizeof y[i], "0");
  }
  at += sprintf(at, "variable l1");
  for (int i = 2; i <= LINKS; i++) at += sprintf(at, ", l%d", i);
  for (int i = 1; i <= joints; i++) at += sprintf(at, ", x%d, y%d", i, i);
  at += sprintf(at, "\nequation\n");
  for (int i = 1; i <= joints; i++)
    for (int axis = 0; axis < 2; axis++) {
      char(*z)[16] = axis ? y : x;
      at += sprintf(at, "  %s'' + l%d*(%s - %s)", z[i], i, z[i], z[i - 1]);
      if (i < LINKS) at += sprintf(at, " - l%d*(%s - %s)", i + 1, z[i + 1], z[i]);
      at += sprintf(at, "%s = 0\n", axis ? " + 1" : "");
    }
  for (int i = 1; i <= LINKS; i++)
    at += sprintf(at, "  (%s - %s)^2 + (%s - %s)^2 = 1\n", x[i], x[i - 1], y[i], y[i - 1]);
  at += sprintf(at, "start t = 0\n");
  for (int i = 1; i <= joints; i++) at += sprintf(at, "  x%d ~ %.3g, y%d ~ 0\n", i, spacing * i, i);
  return text;
}

static void check_chain(started s, double span) {
  double x = 0, y = 0, worst = 0;
  for (int i = 1; i <= LINKS; i++) {
    char name[16];
    bool held = span > 0 && i == LINKS;
    snprintf(name, sizeof name, "x%d", i);
    double u = held ? span : used(s, name);
    snprintf(name, sizeof name, "y%d", i);
    double v = held ? 0 : used(s, name), off = fabs(hypot(u - x, v - y) - 1);
    worst = off <= worst ? worst : off;
    x = u, y = v;
  }
  CHECK_NEAR(worst, 0, 1e-13);
}

static void test_chain(void) {
  /* exact: nothing moves */
  char *text = chain(0, 1);
  started s = begin(text, "");
  CHECK(s.check && s.check->moved_count == 0);
  check_chain(s, 0);
  end(s), free(text);
  /* stretched: the nearest chain is straight too, and the links' errors end at the free end */
  text = chain(0, 1.1);
  s = begin(text, "");
  check_chain(s, 0);
  CHECK_NEAR(used(s, "y20"), 0, 1e-12);
  end(s), free(text);
  /* too short: the line must buckle, which the line itself does not show */
  text = chain(0, 0.7);
  s = begin(text, "");
  check_chain(s, 0);
  end(s), free(text);
  text = chain(14, 0.7);
  s = begin(text, "");
  check_chain(s, 14);
  end(s), free(text);
}

/* ---- hard ones ---- */

static void test_hard(void) {
  /* plain Newton runs away from here */
  started s = begin("variable x, y\nequation\n  x' = y\n  atan(y) = 1/2\n",
                    "start t = 0\n  x = 0, y ~ 20\n");
  CHECK_NEAR(used(s, "y"), tan(0.5), 1e-14);
  end(s);
  s = begin("variable x, y\nequation\n  x' = y\n  exp(y) = 2\n", "start t = 0\n  x = 0, y ~ -30\n");
  CHECK_NEAR(used(s, "y"), log(2), 1e-14);
  end(s);
  /* Newton goes to and fro between 0 and 1, damped it stops at sqrt(2/3); the only root, by
   * Cardano: */
  double w = sqrt(1 - 8. / 27), root = -cbrt(1 + w) - cbrt(1 - w);
  s = begin("variable x, y\nequation\n  x' = y\n  y^3 - 2*y + 2 = 0\n",
            "start t = 0\n  x = 0, y ~ 0\n");
  CHECK_NEAR(used(s, "y"), root, 1e-13);
  end(s);
  s = begin("variable x, y\nequation\n  x' = y\n  y^3 - 2*y + 2 = 0\n", "start t = 0\n  x = 0\n");
  CHECK_NEAR(used(s, "y"), root, 1e-13);
  end(s);
  /* 0 has no value */
  s = begin("variable x, y\nequation\n  x' = -x\n  x*y = 1\n", "");
  CHECK_NEAR(used(s, "x") * used(s, "y"), 1, 1e-15);
  CHECK(noted(s, "free initial values chosen: x = "));
  end(s);
  s = begin("variable x, y\nequation\n  x' = y\n  y = log(x) + 1/x\n", "");
  CHECK(used(s, "x") > 0);
  CHECK_NEAR(used(s, "y"), log(used(s, "x")) + 1 / used(s, "x"), 1e-14);
  end(s);
  /* a guess where the square root has no value */
  s = begin("variable x, y\nequation\n  x' = -x\n  sqrt(x) + y = 3\n", "start t = 0\n  x ~ 4\n");
  CHECK_NEAR(used(s, "y"), 1, 1e-15);
  end(s);
}

/* An equation that follows from others: the start is found all the same. */
static void test_redundant(void) {
  started s =
      begin("parameter g = 1, L = 1\nvariable x, y, lambda\nequation\n  x'' + lambda*x = 0\n"
            "  y'' + lambda*y + g = 0\n  x^2 + y^2 = L^2\n  x*x' + y*y' = 0\n",
            "start t = 0\n  x ~ 1.2, y ~ 0.5, x' ~ 0, y' ~ 0\n");
  CHECK_NEAR(used(s, "x"), 12. / 13, 1e-13);
  CHECK_NEAR(used(s, "y"), 5. / 13, 1e-13);
  check_pendulum(s, 1e-13);
  end(s);
}

/* An invariant with a value is one more row. */
/* A plate on three parallel cranks, one too many: multipliers that are not unique are not initial
 * values to be chosen. */
static void test_not_unique(void) {
  started s = begin(
      "variable x, y, p\nlagrangian (x'^2 + y'^2 + p'^2)/2 - y\nconstraint\n  a: x^2 + y^2 = 1\n"
      "  b: (x + cos(p) - 1)^2 + (y + sin(p))^2 = 1\n"
      "  c: (x + 2*cos(p) - 2)^2 + (y + 2*sin(p))^2 = 1\n",
      "start t = 0\n  x = 3/5, y = -4/5, p = 0, x' = 0\n");
  CHECK(s.check->non_unique_count == 3);
  CHECK(!noted(s, "free initial values chosen"));
  end(s);
}

static void test_invariant(void) {
  static const char model[] =
      "variable x\nequation\n  x'' + x = 0\ninvariant E: (x'^2 + x^2)/2 = 1/2\n";
  started s = begin(model, "start t = 0\n  x = 0.6, x' ~ 1\n");
  CHECK(used(s, "x") == 0.6);
  CHECK_NEAR(used(s, "x'"), 0.8, 1e-15);
  end(s);
  s = begin(model, "start t = 0\n  x ~ 3, x' ~ 4\n");
  CHECK_NEAR(used(s, "x"), 0.6, 1e-14);
  CHECK_NEAR(used(s, "x'"), 0.8, 1e-14);
  end(s);
}

static void test_singular(void) {
  /* crank and rod of equal length, both upright: the slider's joint may stay there while they turn
   */
  char equal[sizeof slider_crank];
  memcpy(equal, slider_crank, sizeof equal);
  *strstr(equal, "l = 2") = 'l', strstr(equal, "l = 2")[4] = '1';
  started s = start_with(equal, "start t = 0\n  p = pi/2, q = -pi/2, x = 0, p' = 1\n");
  CHECK(s.r->status == RITT_IMPOSSIBLE && s.check);
  CHECK_TEXT(s.check->verdict, "singular");
  CHECK(s.check->reason && strstr(s.check->reason, "singular point"));
  end(s);
  /* beside it all is well */
  s = begin(equal, "start t = 0\n  p = 1.5, q = -1.5, x ~ 0, p' = 1\n");
  CHECK_NEAR(used(s, "x"), 2 * cos(1.5), 1e-15);
  end(s);
  /* a flat parallelogram */
  char *flat = run_memory(NULL, sizeof fourbar);
  memcpy(flat, fourbar, sizeof fourbar);
  memcpy(strstr(flat, "c = 3/2"), "c = 2/2", 7);
  s = start_with(flat, "start t = 0\n  y1 = 1, y2 = 0, y3 = 3, y4 = 0\n");
  CHECK_TEXT(s.check->verdict, "singular");
  end(s), free(flat);
}

/* ---- messages ---- */

static void check_clash(const char *model, const char *start, const char *text, const char *hint) {
  started s = start_with(model, start);
  CHECK(s.r->status == RITT_WRONG_MODEL && ritt_error_count(s.r->error) == 1);
  if (ritt_error_count(s.r->error) > 0) {
    CHECK_TEXT(ritt_error_get(s.r->error, 0)->text, text);
    CHECK_TEXT(ritt_error_get(s.r->error, 0)->hint, hint);
  }
  end(s);
}

static void test_clashes(void) {
  check_clash(pendulum, "start t = 0\n  x = 1, y = 0.1\n",
              "x = 1 and y = 0.1 are both fixed, but x^2 + y^2 = L^2 (line 7) leaves 0.01",
              "write y ~ 0.1 or x ~ 1");
  check_clash(pendulum, "start t = 0\n  x = 2, y ~ 0\n",
              "x = 2 is fixed, but x^2 + y^2 = L^2 (line 7) leaves 3", "write x ~ 2");
  check_clash(
      pendulum, "start t = 0\n  x = 1, y = 0, x' = 1\n",
      "x = 1, y = 0 and x' = 1 are all fixed, but 2*x*x' + 2*y*y' = 0, the first derivative of x^2 + y^2 = "
      "L^2 (line 7), leaves 2",
      "write x' ~ 1");
  check_clash(
      "variable x, y\nequation\n  x' = -x\n  3*x - y = 0\n", "start t = 0\n  x = 3, y = 1\n",
      "x = 3 and y = 1 are both fixed, but 3*x - y = 0 (line 5) leaves 8", "write y ~ 1 or x ~ 3");
  /* through a variable that was not given: y = 1, w = 3 */
  check_clash("variable x, y, z, w\nequation\n  x' = z\n  x + y = 2\n  y + w = 3\n  z = w\n",
              "start t = 0\n  x = 1, z = 3\n",
              "x = 1 and z = 3 are both fixed, but y + w = 3 (line 6) leaves 1",
              "write z ~ 3 or x ~ 1");
}

/* ---- the caller's values ---- */

static void test_caller(void) {
  started s = begin(pendulum, "start t = 0\n  x = 1, y = 0, x' ~ 0, y' ~ 0\nsolve t = 0 .. 1\n");
  ritt_model *model = s.r->model;
  ritt_error *error = s.r->error;
  /* a value that clashes is reported as any other */
  CHECK(ritt_model_start_value(model, "y", 0.5, 1, error) == RITT_OK);
  CHECK(ritt_model_check(model, error, &s.check) == RITT_WRONG_MODEL);
  CHECK(ritt_error_count(error) == 1);
  CHECK_TEXT(ritt_error_get(error, 0)->text,
             "x = 1 and y = 0.5 are both fixed, but x^2 + y^2 = L^2 (line 7) leaves 0.25");
  ritt_error_clear(error);
  /* the last one counts; at another place the text's values give way */
  CHECK(ritt_model_start_relax(model, error) == RITT_OK);
  CHECK(ritt_model_start_at(model, 2, error) == RITT_OK);
  CHECK(ritt_model_start_value(model, "y", -0.8, 1, error) == RITT_OK);
  CHECK(ritt_model_start_value(model, "x'", 0.5, 1, error) == RITT_OK);
  CHECK(ritt_model_start_text(model, error, &s.section) == RITT_OK);
  CHECK(s.section && !strncmp(s.section, "start t = 2\n", 12));
  CHECK_NEAR(used(s, "x"), 0.6, 1e-15);
  CHECK_NEAR(used(s, "y'"), 0.375, 1e-15);
  /* they outlive another parameter: the circle of radius 2 */
  CHECK(ritt_model_set(model, "L", "2", error) == RITT_OK);
  CHECK(ritt_model_start_text(model, error, &s.section) == RITT_OK);
  CHECK_NEAR(used(s, "x"), sqrt(4 - 0.64), 1e-14);
  CHECK(used(s, "y") == -0.8);
  /* wrong calls */
  CHECK(ritt_model_start_value(model, "lamda", 1, 0, error) == RITT_WRONG_CALL);
  CHECK_TEXT(ritt_error_get(error, 0)->text,
             "'lamda' is neither a variable nor a derivative of one");
  CHECK_TEXT(ritt_error_get(error, 0)->hint, "did you mean 'lambda'?");
  CHECK(ritt_model_start_value(model, "t", 1, 0, NULL) == RITT_WRONG_CALL);
  CHECK(ritt_model_start_value(model, "x", NAN, 0, NULL) == RITT_WRONG_CALL);
  CHECK(ritt_model_start_value(model, "der(x, 2", 1, 0, NULL) == RITT_WRONG_CALL);
  CHECK(ritt_model_start_at(model, INFINITY, NULL) == RITT_WRONG_CALL);
  CHECK_TEXT(ritt_model_independent(model), "t");
  end(s);
}

/* What names stand for; several parameters at once, of which each alone would be refused; a start
 * value given again takes the place of the first, by whatever name. */
static void test_names(void) {
  started s = begin(
      "parameter n = 2, m[1..n] = [1, 2], g = 1\nvariable x, p[1..2]\nequation\n  der(x, 4) = -g*x\n"
      "  for i in 1..2: p[i]' = -m[i]*p[i]\n",
      "start t = 0\n  x = 1, x' = 0, x'' = 0, x''' = 0, p = [1, 1]\nsolve t = 0 .. 1\n");
  ritt_model *model = s.r->model;
  ritt_error *error = s.r->error;
  static const struct {
    const char *name;
    ritt_meaning meaning;
  } known[] = {{"g", RITT_PARAMETER},    {"m[2]", RITT_PARAMETER},
               {"m[3]", RITT_NOTHING},   {"m", RITT_WHOLE_ARRAY},
               {"x", RITT_VARIABLE},     {"x'''", RITT_VARIABLE},
               {"p[2]'", RITT_VARIABLE}, {"p[3]", RITT_NOTHING},
               {"p", RITT_WHOLE_ARRAY},  {"der(x, 3)", RITT_VARIABLE},
               {"t", RITT_INDEPENDENT},  {"y", RITT_NOTHING},
               {"", RITT_NOTHING}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    CHECK(ritt_model_meaning(model, known[i].name) == known[i].meaning);
  CHECK_TEXT(ritt_model_nearest(model, "p[4]"), "p[1]");
  CHECK(!ritt_model_nearest(model, "something"));
  /* m has two elements where n is 2 */
  static const char *const names[] = {"n", "m"}, *const values[] = {"3", "[1, 2, 3]"};
  CHECK(ritt_model_set(model, "n", "3", error) != RITT_OK);
  ritt_error_clear(error);
  CHECK(ritt_model_set_all(model, names, values, 2, error) == RITT_OK);
  CHECK(ritt_model_meaning(model, "m[3]") == RITT_PARAMETER);
  /* a wrong one leaves all as they were */
  static const char *const wrong[] = {"2", "[1, x]"};
  CHECK(ritt_model_set_all(model, names, wrong, 2, error) == RITT_WRONG_CALL);
  CHECK(ritt_model_meaning(model, "m[3]") == RITT_PARAMETER);
  ritt_error_clear(error);
  for (int i = 0; i < 50; i++)
    CHECK(ritt_model_start_value(model, i % 2 ? "x'''" : "der(x, 3)", i, 1, error) == RITT_OK);
  CHECK(ritt_model_start_text(model, error, &s.section) == RITT_OK);
  CHECK_NEAR(used(s, "x'''"), 49, 0);
  CHECK_NEAR(used(s, "x"), 1, 0);
  end(s);
}

/* The section that is kept starts at the same point, bit for bit, with nothing moved; a run that
 * goes on from a row ends where the whole run ends. */
static void test_going_on(void) {
  started s = begin(
      pendulum,
      "start t = 0\n  x ~ 1.1, y ~ -0.3, x' ~ 0.2, y' ~ 0\nsolve t = 0 .. 4\n  tolerance 1e-11\n"
      "output x, y, x', y'\n");
  started again = begin(pendulum, s.section);
  CHECK(again.check->moved_count == 0);
  CHECK_TEXT(again.section, s.section);
  end(again);
  ritt_options o = ritt_options_default();
  o.points = 5;
  CHECK(run_go(s.r, &o));
  again = begin(
      pendulum,
      "start t = 0\n  x = 1, y = 0\nsolve t = 0 .. 4\n  tolerance 1e-11\noutput x, y, x', y'\n");
  static const char *const name[] = {"x", "y", "x'", "y'"};
  CHECK(ritt_model_start_relax(again.r->model, NULL) == RITT_OK);
  CHECK(ritt_model_start_at(again.r->model, run_get(s.r, 2, "t"), NULL) == RITT_OK);
  for (int i = 0; i < 4; i++)
    CHECK(ritt_model_start_value(again.r->model, name[i], run_get(s.r, 2, name[i]), 0, NULL) ==
          RITT_OK);
  CHECK(run_go(again.r, NULL));
  for (int i = 0; i < 4; i++) CHECK_NEAR(run_last(again.r, name[i]), run_last(s.r, name[i]), 1e-9);
  CHECK(run_get(again.r, 0, "t") == 2);
  end(again);
  end(s);
}

/* Starts at which the equations have values and vertical tangents. h' = 1 - sqrt(h), h(0) = 0: with
 * u = sqrt(h), t = -2*(u + log(1 - u)). x' = y^(1/3), y' = 1: x = 3/4*t^(4/3). Two tanks, of which the
 * second one is filled through a pipe: x = t - y, and y solves y' = sqrt(t - 2*y), y ~ 2/3*t^(3/2). For
 * y' = sqrt(y) both 0 and t^2/4 are solutions: refused. */
static void test_vertical(void) {
  run *r = run_text("model m\nvariable h\nequation h' = 1 - sqrt(h)\nstart t = 0\n  h = 0\n"
                    "solve t = 0 .. 3\n  tolerance 1e-10\noutput h\n");
  CHECK(run_go(r, NULL));
  double u = sqrt(run_last(r, "h"));
  CHECK_NEAR(-2 * (u + log1p(-u)), 3, 1e-7);
  run_free(r);

  r = run_text(
      "model m\nvariable x, y\nequation x' = y^(1/3)\n  y' = 1\nstart t = 0\n  x = 0, y = 0\n"
      "solve t = 0 .. 1\n  tolerance 1e-10\noutput x\n");
  CHECK(run_go(r, NULL));
  CHECK_NEAR(run_last(r, "x"), 0.75, 1e-8);
  run_free(r);

  r = run_text(
      "model m\nvariable x, y\nequation x' = 1 - sqrt(x - y)\n  y' = sqrt(x - y)\n"
      "start t = 0\n  x = 0, y = 0\nsolve t = 0 .. 0.01\n  tolerance 1e-10\noutput x, y\n");
  CHECK(run_go(r, NULL));
  CHECK_NEAR(run_last(r, "x") + run_last(r, "y"), 0.01, 1e-12);
  CHECK_NEAR(run_last(r, "y"), 2e-3 / 3, 1e-4);
  run_free(r);

  started refused = start_with("variable y\nequation y' = sqrt(y)\n",
                               "start t = 0\n  y = 0\nsolve t = 0 .. 1\noutput y\n");
  CHECK(refused.r->status == RITT_WRONG_MODEL);
  end(refused);
}

/* `start steady`: all derivatives are 0. A pendulum with a constant torque rests where sin(x) = 1/2;
 * of its two positions the guess selects one. */
static void test_steady(void) {
  static const char swing[] = "variable x, y\nequation\n  x' = y\n  y' = -sin(x) - 0.3*y + 0.5\n",
                    rest[] = "solve t = 0 .. 1\noutput x, y\n";
  char text[256];
  snprintf(text, sizeof text, "start steady t = 0\n  x ~ 0.4\n%s", rest);
  started s = begin(swing, text);
  CHECK_NEAR(used(s, "x"), acos(-1) / 6, 1e-14);
  end(s);
  snprintf(text, sizeof text, "start steady t = 0\n  x ~ 2.5\n%s", rest);
  s = begin(swing, text);
  CHECK_NEAR(used(s, "x"), 5 * acos(-1) / 6, 1e-14);
  end(s);

  /* a hanging pendulum, with its multiplier */
  s = begin(pendulum, "start steady t = 0\n  y ~ -1\nsolve t = 0 .. 1\noutput x, y\n");
  CHECK_NEAR(used(s, "x"), 0, 1e-12);
  CHECK_NEAR(used(s, "y"), -1, 1e-12);
  end(s);

  /* three diodes from 100 V: the current i solves i*2*R + 3*VT*log(1 + i/Is) = 100 */
  s = begin("parameter Is = 1e-15, VT = 0.02585, R = 1000, C = 1e-9\nvariable v[1..4]\nlet\n"
            "  d[k in 1..3] = Is*(exp((v[k] - v[k+1])/VT) - 1)\nequation\n"
            "  C*v[1]' = (100 - v[1])/R - d[1]\n  C*v[2]' = d[1] - d[2]\n  C*v[3]' = d[2] - d[3]\n"
            "  C*v[4]' = d[3] - v[4]/R\n",
            "start steady\nsolve t = 0 .. 1\noutput v[1], v[4]\n");
  double i = used(s, "v[4]") / 1000;
  CHECK_NEAR(i * 2000 + 3 * 0.02585 * log1p(i / 1e-15), 100, 1e-9);
  end(s);

  /* a source on a capacitor: its current is C times the slope of the source, although v' would be 0 */
  s = begin("parameter C = 2, R = 5\nvariable v, i\nequation\n  v = 3 + sin(t)\n  i = C*v' + v/R\n",
            "start steady t = 0\nsolve t = 0 .. 1\noutput v, i\n");
  CHECK_NEAR(used(s, "v"), 3, 1e-12);
  end(s);

  /* far from the root the equation is flat to rounding: the homotopy finds it */
  s = begin("variable y\nequation y' = -tanh(200*(y - 3)) - 1/2\n",
            "start steady t = 0\nsolve t = 0 .. 1\noutput y\n");
  CHECK_NEAR(used(s, "y"), 3 - atanh(0.5) / 200, 1e-12);
  end(s);

  /* nothing rests */
  s = start_with("variable y\nequation y' = 1 + y^2\n",
                 "start steady t = 0\nsolve t = 0 .. 1\noutput y\n");
  CHECK(s.r->status == RITT_WRONG_MODEL);
  end(s);
}

int main(void) {
  test_vertical();
  test_steady();
  test_kept();
  test_guesses();
  test_scales();
  test_digits();
  test_too_few();
  test_derivatives_and_multipliers();
  test_indices();
  test_fourbar();
  test_two_ways();
  test_slider_crank();
  test_andrews();
  test_chain();
  test_hard();
  test_redundant();
  test_not_unique();
  test_invariant();
  test_singular();
  test_clashes();
  test_caller();
  test_names();
  test_going_on();
  return CHECKS_DONE();
}
