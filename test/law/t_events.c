/* Events, sections, switching and sliding against closed forms. */
#include "run.h"

#define PI 3.14159265358979323846264338327950288

/* ---- what happened ---- */

enum { MOST = 2000 };
static struct {
  char name[20];
  double t, before[8], after[8];
  int jump;
} seen[MOST];
static int count;

static ritt_status see(void *user, const ritt_event *e) {
  (void)user;
  if (count == MOST) return RITT_STOPPED;
  snprintf(seen[count].name, sizeof seen[count].name, "%s", e->name);
  seen[count].t = e->before[0];
  seen[count].jump = e->jump;
  for (size_t i = 0; i < e->count && i < 8; i++) {
    seen[count].before[i] = e->before[i];
    seen[count].after[i] = e->after ? e->after[i] : NAN;
  }
  count++;
  return RITT_OK;
}

static run *go(const char *text, double tolerance, const char *method) {
  run *r = run_text(text);
  ritt_options o = ritt_options_default();
  o.tolerance = tolerance;
  o.method = method;
  o.event = see;
  count = 0;
  if (!r->model) run_complain(r, "the text is refused");
  else run_try(r, &o);
  return r;
}

static double last(run *r, const char *column) { return run_get(r, r->rows - 1, column); }

static bool says(const run *r, const char *words) {
  for (size_t i = 0; i < ritt_error_count(r->error); i++)
    if (strstr(ritt_error_get(r->error, i)->text, words)) return true;
  return false;
}

/* ---- stop, jump, accumulation ---- */

#define BALL "model ball\nparameter g = 981/100, e = 9/10\nvariable y\nequation y'' = -g\n"

static void test_fall(void) {
  run *r = go(
      BALL "start t = 0\n  y = 1, y' = 0\nsolve t = 0 .. 3\nevent ground: y = 0 falling -> stop\n",
      1e-10, NULL);
  CHECK(r->status == RITT_OK && r->statistics.ended_by &&
        !strcmp(r->statistics.ended_by, "ground"));
  CHECK(count == 1 && !seen[0].jump);
  CHECK_NEAR(last(r, "t"), sqrt(2 / 9.81), 1e-13);
  CHECK_NEAR(last(r, "y'"), -sqrt(2 * 9.81), 1e-11);
  run_free(r);
}

/* bounce n (from 0) is at t0 + 2 t0 (e + ... + e^n), t0 = sqrt(2/g): a geometric sum with the limit
 * t0 (1+e)/(1-e) */
static void test_bounce(void) {
  run *r = go(
      BALL
      "start t = 0\n  y = 1, y' = 0\nsolve t = 0 .. 10\nevent bounce: y = 0 falling -> y' := -e*y'\n",
      1e-10, NULL);
  double t0 = sqrt(2 / 9.81), t = t0, limit = t0 * 1.9 / 0.1;
  CHECK(r->status == RITT_OK && r->statistics.rests == 1);
  CHECK(!strcmp(r->statistics.rest_event, "bounce"));
  CHECK_NEAR(r->statistics.rest_at, limit, 1e-9);
  CHECK_NEAR(last(r, "y"), 0, 1e-13);
  CHECK_NEAR(last(r, "y'"), 0, 1e-13);
  CHECK_NEAR(limit, 8.578949178728887, 1e-13);
  CHECK(count > 100);
  for (int n = 0; n < count; n++) {
    CHECK_NEAR(seen[n].t, t, 1e-12 * (n + 1));
    t += 2 * t0 * pow(0.9, n + 1);
  }
  run_free(r);
}

/* A ball on a table that moves as A sin(w t), in two ways of writing it: it lies there until the table
 * falls faster than the ball, at t1 with A w^2 sin(w t1) = g, and flies from there. */
static void test_leaving(void) {
  static const char *const texts[] = {
      "model m\nvariable y, gap\nlet h = 0.2*sin(10*t), v = 2*cos(10*t)\nequation\n  y'' = -9.81\n  gap = y - h\n"
      "start t = 0\n  y = 0, y' = 2\nsolve t = 0 .. 0.2\n"
      "event bounce: y = h falling -> y' := v - (y' - v)/2\n",
      "model m\nvariable y, u, gap\nlet h = 0.2*sin(10*t), v = 2*cos(10*t)\nequation\n  y' = u\n  u' = -9.81\n"
      "  gap = y - h\nstart t = 0\n  y = 0, u = 2\nsolve t = 0 .. 0.2\n"
      "event bounce: y = h falling -> u := v - (u - v)/2\n"};
  static const char *const methods[] = {NULL, "radau5", "rodas5p"};
  double t1 = asin(9.81 / 20) / 10, s = 0.2 - t1;
  double y = 0.2 * sin(10 * t1) + 2 * cos(10 * t1) * s - 9.81 / 2 * s * s;
  for (int i = 0; i < 6; i++) {
    run *r = go(texts[i / 3], 1e-9, methods[i % 3]);
    CHECK(r->status == RITT_OK && r->statistics.rests == 1);
    CHECK_NEAR(last(r, "y"), y, 1e-8);
    for (size_t row = 0; row < r->rows; row++)
      if (run_get(r, row, "t") < t1) CHECK_NEAR(run_get(r, row, "gap"), 0, 1e-14);
    run_free(r);
  }
}

/* A bead that falls into the parabola y = x^2 and bounces until it slides on it without friction: from
 * there on its energy is constant, and its period is that of the constrained bead. */
static void test_sliding_after_bounces(void) {
  run *r = go(
      "model m\nvariable x, y\nlet n = sqrt(1 + 4*x^2), u = (y' - 2*x*x')/n\nequation\n  x'' = 0\n"
      "  y'' = -9.81\nstart t = 0\n  x = 0.5, y = 0.5, x' = 0, y' = 0\nsolve t = 0 .. 4\n"
      "event hit: y = x^2 falling -> x' := x' + 1.3*u*2*x/n, y' := y' - 1.3*u/n\n"
      "output x, y, x', E = (x'^2 + y'^2)/2 + 9.81*y\n",
      1e-10, "dopri54");
  CHECK(r->status == RITT_OK && r->statistics.rests == 1);
  double from = r->statistics.rest_at, E = last(r, "E"), x0 = NAN, v0 = NAN, t0 = NAN;
  CHECK(from < 1);
  for (size_t row = 0; row < r->rows; row++) {
    double t = run_get(r, row, "t"), x = run_get(r, row, "x");
    if (t <= from + 1e-3) continue;
    CHECK_NEAR(run_get(r, row, "E"), E, 1e-8);
    CHECK_NEAR(run_get(r, row, "y"), x * x, 1e-13);
    if (!(t0 > 0)) t0 = t, x0 = x, v0 = run_get(r, row, "x'");
  }

  /* (1 + 4 x^2) x'' + 4 x x'^2 + 2 g x = 0 from there on, by the classical method with short steps */
  double x = x0, v = v0, h = (4 - t0) / 20000;
  for (int i = 0; i < 20000; i++) {
    double kx[4], kv[4];
    for (int s = 0; s < 4; s++) {
      double f = s == 0 ? 0 : s == 3 ? h : h / 2, a = s ? x + f * kx[s - 1] : x;
      double b = s ? v + f * kv[s - 1] : v;
      kx[s] = b, kv[s] = -(4 * a * b * b + 2 * 9.81 * a) / (1 + 4 * a * a);
    }
    x += h / 6 * (kx[0] + 2 * kx[1] + 2 * kx[2] + kx[3]);
    v += h / 6 * (kv[0] + 2 * kv[1] + 2 * kv[2] + kv[3]);
  }
  CHECK_NEAR(last(r, "x"), x, 1e-7);
  run_free(r);
}

/* Plastic impacts, a start at rest, a kick while at rest; a jump that also counts never ends. */
static void test_resting(void) {
  run *r = go(BALL "start t = 0\n  y = 1, y' = 0\nsolve t = 0 .. 3\n"
                   "event bounce: y = 0 falling -> y' := 0\nevent kick: t = 2 rising -> y' := 1\n",
              1e-9, NULL);
  CHECK(r->status == RITT_OK && r->statistics.rests == 2 && count == 3);
  CHECK_NEAR(last(r, "y"), 0, 1e-12);
  CHECK_NEAR(seen[2].t, 2 + 2 / 9.81, 1e-9);
  run_free(r);
  static const char *const senses[] = {"falling ", ""};
  for (int i = 0; i < 2; i++) {
    char text[400];
    snprintf(
        text, sizeof text,
        BALL
        "start t = 0\n  y = 0, y' = 0\nsolve t = 0 .. 3\nevent bounce: y = 0 %s-> y' := -e*y'\n",
        senses[i]);
    r = go(text, 1e-9, NULL);
    CHECK(r->status == RITT_OK && r->statistics.rests == 1 && last(r, "y") == 0);
    run_free(r);
  }
  /* a tenth of each impulse is taken from the speed along the floor: friction while it rests */
  r = go(
      BALL
      "variable x\nequation x'' = 0\nstart t = 0\n  y = 1, y' = 0, x = 0, x' = 5\nsolve t = 0 .. 3\n"
      "event bounce: y = 0 falling -> y' := -y'/2, x' := x' + y'*3/20\n",
      1e-9, NULL);
  CHECK(r->status == RITT_OK && r->statistics.rests == 1);
  CHECK_NEAR(last(r, "x'"), 5 - 0.981 * 3, 1e-9);
  run_free(r);
  r = go(
      "model m\nvariable y, n\nequation\n  y'' = -9.81\n  n' = 0\nstart t = 0\n  y = 1, y' = 0, n = 0\n"
      "solve t = 0 .. 3\nevent bounce: y = 0 falling -> y' := -y'/2, n := n + 1\n",
      1e-9, NULL);
  CHECK(r->status == RITT_STOPPED && says(r, "its times accumulate at 1.35457092"));
  run_free(r);
}

/* the same moment for two: none is forgotten */
static void test_two_at_once(void) {
  run *r = go(
      "model two\nvariable y, z\nequation\n  y'' = -1\n  z'' = -1\nstart t = 0\n  y = 2, y' = 0, z = 2, "
      "z' = 0\n"
      "solve t = 0 .. 5\nevent one: y = 0 falling -> y' := -y'\nevent other: z = 0 falling -> z' := -z'\n",
      1e-10, NULL);
  CHECK(r->status == RITT_OK && count == 2);
  CHECK_NEAR(last(r, "y"), 2 * 3 - 4.5, 1e-9); /* up again from t = 2 with speed 2 */
  CHECK_NEAR(last(r, "z"), 2 * 3 - 4.5, 1e-9);
  run_free(r);
}

static void test_start(void) {
  /* on the ground and moving down: it bounces at once; moving up: it does not */
  run *r = go(
      BALL
      "start t = 0\n  y = 0, y' = -1\nsolve t = 0 .. 0.1\nevent bounce: y = 0 falling -> y' := -e*y'\n",
      1e-10, NULL);
  CHECK(count == 1 && seen[0].t == 0);
  CHECK_NEAR(last(r, "y'"), 0.9 - 0.981, 1e-12);
  run_free(r);
  r = go(
      BALL
      "start t = 0\n  y = 0, y' = 1\nsolve t = 0 .. 0.1\nevent bounce: y = 0 falling -> y' := -e*y'\n",
      1e-10, NULL);
  CHECK(count == 0);
  run_free(r);

  /* x = -t^n with n - 1 derivatives that vanish at the start: x falls from its zero, once and at once */
  static const struct {
    const char *sense;
    int events;
  } senses[] = {{"falling", 1}, {"rising", 0}, {"", 0}};
  for (int n = 1; n <= 6; n++)
    for (size_t i = 0; i < sizeof senses / sizeof *senses; i++) {
      char text[300];
      snprintf(text, sizeof text,
               "model power\nvariable x\nequation x' = -%d*t^%d\nstart t = 0\n  x = 0\n"
               "solve t = 0 .. 1\nevent zero: x = 0 %s -> record\n",
               n, n - 1, senses[i].sense);
      r = go(text, 1e-8, NULL);
      CHECK(r->status == RITT_OK && count == senses[i].events);
      CHECK(count == 0 || seen[0].t == 0);
      CHECK_NEAR(last(r, "x"), -1, 1e-7);
      run_free(r);
    }
}

/* The pendulum from 90 degrees passes the bottom at K, 3 K, 5 K, K = K(sin 45 deg) the complete
 * elliptic integral. */
static void test_pendulum(void) {
  run *r = go(
      "model pendulum\nvariable x, y, lambda\nequation\n  x'' + lambda*x = 0\n  y'' + lambda*y + 1 = 0\n"
      "  x^2 + y^2 = 1\nstart t = 0\n  x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 10\n"
      "section bottom: x = 0\n",
      1e-14, "dop853");
  const double K = 1.854074677301371918433850347195;
  CHECK(count == 3);
  CHECK_NEAR(seen[0].t, K, 2e-12);
  CHECK_NEAR(seen[1].t, 3 * K, 6e-12);
  CHECK_NEAR(seen[2].t, 5 * K, 1e-11);
  CHECK(r->statistics.largest_residual < 1e-14);
  run_free(r);
}

/* ---- several in one step, touching zeros, directions ---- */

static void test_within_one_step(void) {
  /* x = t: one step could go to the end */
  run *r = go(
      "model line\nvariable x\nequation x' = 1\nstart t = 0\n  x = 0\nsolve t = 0 .. 100\n"
      "event pair: (x - 50)*(x - 50.001) = 0 -> record\nevent touch: (x - 20)^2 = 0 -> record\n"
      "event up: (x - 70)*(x - 80) = 0 rising -> record\nevent no: (x - 90)^2 = 0 falling -> record\n"
      "section wave: sin(x) = 0.5 rising\n",
      1e-10, NULL);
  int pairs = 0, touches = 0, ups = 0, waves = 0;
  double before = 0;
  for (int i = 0; i < count; i++) {
    CHECK(seen[i].t >= before); /* in order */
    before = seen[i].t;
    if (!strcmp(seen[i].name, "pair")) {
      CHECK_NEAR(seen[i].t, pairs ? 50.001 : 50, 1e-9);
      pairs++;
    } else if (!strcmp(seen[i].name, "touch")) {
      CHECK_NEAR(seen[i].t, 20, 1e-6);
      touches++;
    } else if (!strcmp(seen[i].name, "up")) {
      CHECK_NEAR(seen[i].t, 80, 1e-10);
      ups++;
    } else if (!strcmp(seen[i].name, "wave")) {
      CHECK_NEAR(seen[i].t, PI / 6 + 2 * PI * waves, 1e-10);
      waves++;
    } else CHECK(false);
  }
  CHECK(pairs == 2 && touches == 1 && ups == 1 && waves == 16); /* 2 pi 15 + pi/6 < 100 */
  run_free(r);
}

/* backwards: the direction is along the run */
static void test_backwards(void) {
  run *r = go("model line\nvariable x\nequation x' = 1\nstart t = 0\n  x = 0\nsolve t = 0 .. -3\n"
              "event down: x = -1 falling -> record\nevent up: x = -2 rising -> record\n",
              1e-10, NULL);
  CHECK(count == 1 && !strcmp(seen[0].name, "down"));
  CHECK_NEAR(seen[0].t, -1, 1e-13);
  run_free(r);
}

/* ---- jumps on constraints ---- */

/* A rod of two masses 1 and 3 falls at 45 degrees; the lower end stops. The rest moves by the
 * impulse along the rod: with n = (1, 1)/sqrt(2) and a = (-1, 1, 1)/sqrt(2) in (u1, u2, w2), W =
 * diag(1, 3, 3), the change is W^-1 a (v/sqrt(2)) / (a W^-1 a). */
static void test_impulse(void) {
  run *r = go(
      "model rod\nvariable x1, y1, x2, y2, lambda\nequation\n  x1'' = -lambda*(x1 - x2)\n"
      "  y1'' = -lambda*(y1 - y2) - 1\n  3*x2'' = lambda*(x1 - x2)\n  3*y2'' = lambda*(y1 - y2) - 3\n"
      "  (x1 - x2)^2 + (y1 - y2)^2 = 2\nstart t = 0\n  x1 = 0, y1 = 0.5, x2 = 1, y2 = 1.5\n"
      "  x1' = 0, y1' = 0, x2' = 0, y2' = 0\nsolve t = 0 .. 1.1\nevent floor: y1 = 0 falling -> y1' "
      ":= 0, record\n"
      "output u1 = x1', w1 = y1', u2 = x2', w2 = y2'\n",
      1e-11, NULL);
  double v = 1, a[3] = {-sqrt(0.5), sqrt(0.5), sqrt(0.5)}, w[3] = {1, 3, 3}, s = 0;
  for (int i = 0; i < 3; i++) s += a[i] * a[i] / w[i];
  double size = v * sqrt(0.5) / s;
  CHECK(count >= 1 && seen[0].jump);
  CHECK_NEAR(seen[0].t, 1, 1e-12); /* sqrt(2 * 0.5) */
  CHECK_NEAR(seen[0].after[1], size * a[0] / w[0], 1e-12);
  CHECK(seen[0].after[2] == 0);
  CHECK_NEAR(seen[0].after[3], size * a[1] / w[1], 1e-12);
  CHECK_NEAR(seen[0].after[4], -v + size * a[2] / w[2], 1e-12);
  CHECK(r->statistics.largest_residual < 1e-13);
  run_free(r);
}

/* an invariant takes its new value */
static void test_level(void) {
  run *r = go(
      "model kick\nvariable x\nequation x'' = -x\ninvariant E: x'^2 + x^2\nstart t = 0\n  x = 1, x' = 0\n"
      "solve t = 0 .. 10\nevent kick: x = 0 rising -> x' := 2*x'\n",
      1e-11, NULL);
  double t = 10 - 3 * PI / 2; /* since the first kick; the next is 2 pi later */
  CHECK(count == 1);
  CHECK_NEAR(last(r, "x"), 2 * sin(t), 1e-9);
  CHECK_NEAR(last(r, "x'"), 2 * cos(t), 1e-9);
  run_free(r);
}

static void test_contradiction(void) {
  run *r =
      go("model rail\nvariable x, y, lambda\nequation\n  x'' = lambda\n  y'' = -lambda\n  x - y = "
         "t\nstart t = 0\n"
         "  x = 0, x' = 2\nsolve t = 0 .. 3\nevent no: x = 1 -> x := 0, y := 5\n",
         1e-9, NULL);
  CHECK(r->status == RITT_STOPPED &&
        says(r, "the jump of event 'no' at t = 0.5 leads to no point that satisfies"));
  run_free(r);
}

/* ---- switching surfaces ---- */

/* x'' = -sign(x): parabolas, period 4 sqrt(2 a); the Runge-Kutta methods are exact on each */
static void test_switching(void) {
  run *r = go(
      "model sign\nvariable x\nequation x'' = -sign(x)\nstart t = 0\n  x = 2, x' = 0\nsolve t = 0 .. 80\n",
      1e-9, NULL);
  CHECK(r->status == RITT_OK && r->statistics.switches == 20);
  CHECK_NEAR(last(r, "x"), 2, 1e-11);
  CHECK_NEAR(last(r, "x'"), 0, 1e-11);
  run_free(r);
  /* y' = |t - 1| + max(t, 2), y(3) = 1/2 + 2 + 4 + 5/2 */
  r = go(
      "model kinks\nvariable y\nequation y' = abs(t - 1) + max(t, 2)\nstart t = 0\n  y = 0\nsolve t = 0 "
      ".. 3\n",
      1e-6, NULL);
  CHECK_NEAR(last(r, "y"), 9, 1e-13);
  run_free(r);
}

/* x'' = -x - mu sign(x') from x = 2: amplitude less 2 mu each half period: 2, -1.4, 0.8, -0.2, and
 * there it sticks */
static void test_friction(void) {
  const char *text =
      "model stick\nparameter mu = 3/10\nvariable x\nequation x'' = -x - mu*sign(x')\nstart t = 0\n"
      "  x = 2, x' = 0\nsolve t = 0 .. 20\noutput x, x', F = -mu*sign(x')\n"
      "event turn: x' = 0 -> record\n";
  run *r = go(text, 1e-11, NULL);
  CHECK(r->status == RITT_OK && r->statistics.slidings == 1);
  CHECK_NEAR(last(r, "x"), -0.2, 1e-9);
  CHECK_NEAR(last(r, "x'"), 0, 1e-14);
  CHECK_NEAR(last(r, "F"), -0.2, 1e-9); /* the friction that holds it: F = x */
  run_free(r);
}

/* A block on a belt of speed 1/2, pulled by a spring, starts stuck: x = t/2 until k x = mu at t =
 * 2, then x - 1 = sin(t - 2)/2. Starting at rest it is first accelerated: x = 1 - cos t until v =
 * sin t = 1/2. */
static void test_belt(void) {
  run *r = go(
      "model belt\nvariable x, v\nequation\n  x' = v\n  v' = -x - sign(v - 0.5)\nstart t = 0\n  x = "
      "0, v = 0\n"
      "solve t = 0 .. 5\nevent probe: t = 1 -> record\n",
      1e-11, NULL);
  double stuck = PI / 6, at = 1 - cos(stuck), free = stuck + 2 * (1 - at);
  CHECK(r->statistics.slidings == 1);
  CHECK_NEAR(seen[0].before[1], at + 0.5 * (1 - stuck), 1e-10);
  CHECK_NEAR(seen[0].before[2], 0.5, 1e-14);
  CHECK_NEAR(last(r, "x"), 1 + 0.5 * sin(5 - free), 1e-9);
  run_free(r);
}

/* Two blocks in a row, each with friction of its own: both stick (two surfaces at once) while the
 * pull is weak */
static void test_two_stick(void) {
  run *r = go(
      "model two\nvariable x, y\nequation\n  x'' = -(x - y) - 2*sign(x')\n  y'' = (x - y) + 0.5*t - "
      "2*sign(y')\n"
      "start t = 0\n  x = 0, x' = 0, y = 0, y' = 0\nsolve t = 0 .. 5\n",
      1e-10, NULL);
  /* y breaks loose where t/2 = 2, at t = 4; with s = t - 4: y'' = -y + s/2, y = (s - sin s)/2 while
   * x stays */
  CHECK(r->status == RITT_OK && r->statistics.slidings == 2);
  CHECK_NEAR(last(r, "y"), (1 - sin(1)) / 2, 1e-9);
  CHECK_NEAR(last(r, "x"), 0, 1e-13);
  run_free(r);
}

/* Sliding on x = 1 ends where a condition on t changes the sides: behind t = 5 the run goes on by
 * the new right-hand side, also where it is the same on both sides of the surface. */
static void test_sliding_ends(void) {
  static const struct {
    const char *right;
    double end; /* x(8) */
  } models[] = {
      {"if x > 1 and t < 5 then -1 else 1", 1 + 3},
      {"if x > 1 then (if t < 5 then -1 else 1/2) else 1", 1 + 1.5},
      {"if x > 1 then -1 else if t < 5 then 1 else -1/2", 1 - 1.5},
      {"if t < 5 then -sign(x - 1) else -1", 1 - 3},
      {"if t < 5 then -sign(x - 1) else 0", 1},
      {"if t < 5 then -sign(x - 1) else 2*(t - 5)", 1 + 9},
      {"if t < 5 then -sign(x - 1) else -3*sign(x - 1) + 1", 1}, /* slides on */
  };
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    char text[200];
    snprintf(text, sizeof text,
             "model s\nvariable x\nequation x' = %s\nstart t = 0\n  x = 0\nsolve t = 0 .. 8\n",
             models[i].right);
    run *r = go(text, 1e-9, NULL);
    CHECK(r->status == RITT_OK && r->statistics.slidings == 1);
    CHECK_NEAR(last(r, "t"), 8, 0);
    CHECK_NEAR(last(r, "x"), models[i].end, 1e-12);
    run_free(r);
  }
}

/* Two surfaces slid on at once, and both end at t = 3: x + y slides on 0 by friction that is taken
 * away. */
static void test_both_end(void) {
  run *r = go(
      "model both\nvariable x, y\nequation\n  x' = (if t < 3 then -sign(x) else 1)\n"
      "  y' = (if t < 3 then -2*sign(y) else -1/2)\nstart t = 0\n  x = 1, y = 1\nsolve t = 0 .. 5\n",
      1e-9, NULL);
  CHECK(r->status == RITT_OK && r->statistics.slidings == 2);
  CHECK_NEAR(last(r, "x"), 2, 1e-12);
  CHECK_NEAR(last(r, "y"), -1, 1e-12);
  run_free(r);
}

/* A run that an event ends has its last row there, wherever rows were wanted before; rows that are
 * listed stay the only ones. y = 10 - 5 t^2 is 0 at sqrt(2), where y' = -10 sqrt(2). */
static void test_last_row(void) {
  static const double at[] = {0.5, 1};
  for (int way = 0; way < 5; way++) {
    run *r = run_text("model fall\nvariable y\nequation y'' = -10\nstart t = 0\n  y = 10, y' = 0\n"
                      "solve t = 0 .. 4\nevent ground: y = 0 falling -> stop\noutput y, y'\n");
    ritt_options o = ritt_options_default();
    if (way == 1) o.points = 9;
    if (way == 2) o.row_step = 0.3;
    if (way == 3) o.every = 1000;
    if (way == 4) o.at = at, o.at_count = 2;
    run_try(r, &o);
    CHECK(r->status == RITT_OK);
    CHECK_NEAR(last(r, "t"), way == 4 ? 1 : sqrt(2), 1e-12);
    CHECK_NEAR(last(r, "y"), way == 4 ? 5 : 0, 1e-11);
    CHECK_NEAR(last(r, "y'"), way == 4 ? -10 : -10 * sqrt(2), 1e-11);
    if (way == 1) CHECK(r->rows == 4); /* 0, 0.5, 1, and the end */
    if (way == 2) CHECK(r->rows == 6); /* 0 .. 1.2, and the end */
    if (way == 3) CHECK(r->rows == 2);
    for (size_t i = 1; i < r->rows; i++) CHECK(run_get(r, i, "t") > run_get(r, i - 1, "t"));
    run_free(r);
  }
}

/* A square wave written with mod: its integral is the triangle min(t mod 1, 1 - t mod 1), whichever
 * way the run goes and wherever it begins. The condition jumps where mod does, without a zero of
 * its own. */
static void test_square_wave(void) {
  static const double from[] = {0, 1, 1.7, 0.25, 3, 2.6}, to[] = {2.3, 3, 4.1, 2.25, 1, 0.3};
  for (int i = 0; i < 6; i++) {
    double a = fmod(from[i], 1), b = fmod(to[i], 1);
    char text[300];
    snprintf(
        text, sizeof text,
        "model wave\nvariable x\nequation x' = if mod(t, 1) < 1/2 then 1 else -1\nstart t = %g\n"
        "  x = %.17g\nsolve t = %g .. %g\n",
        from[i], fmin(a, 1 - a), from[i], to[i]);
    run *r = go(text, 1e-9, "dopri54");
    CHECK(r->status == RITT_OK && r->statistics.accepted < 100);
    CHECK_NEAR(last(r, "x"), fmin(b, 1 - b), 1e-13);
    run_free(r);
  }
}

/* ---- the section of Henon and Heiles ---- */

/* crossings of y1 = 0 on [0, 1100] and [0, 303]: 343 and 95 (recomputed in quadruple precision) */
static void test_section(void) {
  run *r = go(
      "model henon\nvariable u, v\nequation\n  u'' = -u - 2*u*v\n  v'' = -v - u^2 + v^2\nstart t = 0\n"
      "  u = 0.12, v = 0.12, u' = 0.12, v' = 0.12\nsolve t = 0 .. 1100\nsection crossing: u = 0\n",
      1e-12, "dop853");
  int early = 0;
  for (int i = 0; i < count; i++) early += seen[i].t < 303;
  CHECK(count == 343 && early == 95);
  for (int i = 0; i < count; i++) CHECK_NEAR(seen[i].before[1], 0, 1e-11);
  run_free(r);
}

/* ---- what constraints move after a jump ---- */

/* A pendulum from rest at the height 0 meets x = -1/2, where y = -sqrt(3)/2, its speed is sqrt(2
 * |y|) = 3^(1/4) and y' half of that; x' turned round and 4/5 as large asks for the same of y'. */
static void test_forced_move(void) {
  run *r = run_text(
      "model hit\nvariable x, y, l\nequation\n  x'' = -l*x\n  y'' = -l*y - 1\n  x^2 + y^2 = 1\n"
      "start t = 0\n  x = 1, y = 0, x' ~ 0, y' ~ 0\n"
      "event wall: x = -0.5 falling -> x' := -0.8*x'\nsolve t = 0 .. 3\n");
  ritt_options o = run_options("dop853", 1e-12, 3);
  CHECK(run_go(r, &o));
  CHECK(r->statistics.events == 1);
  CHECK_TEXT(r->statistics.jump_moved ? r->statistics.jump_moved : "", "y'");
  CHECK_NEAR(r->statistics.jump_move, -1.8 * pow(3, 0.25) / 2, 1e-9);
  run_free(r);
}

/* ---- a run that begins on surfaces which hold nothing ---- */

/* Drag in water, v*abs(v), along a chain whose start is at rest and straight, so that all forces
 * but the last are rounding: as with steps of another method, in as few steps, and nothing slides.
 */
static void test_hovering(void) {
  static const char text[] =
      "model chain\nparameter n = 6\nvariable x[1..n]\nequation\n"
      "  for i in 1..n: x[i]'' = (if i = 1 then 0 else x[i-1]) - 2*x[i] + (if i = n then 0 else x[i+1]) - "
      "0.1*abs(x[i]')*x[i]'\n"
      "start\n  for i in 1..n: x[i] = i/n\n  for i in 1..n: x[i]' = 0\nsolve t = 0 .. 12\n";
  for (int n = 5; n <= 10; n++) {
    char number[16];
    double end[10] = {0};
    for (int k = 0; k < 2; k++) {
      run *r = run_text(text);
      ritt_options o = ritt_options_default();
      o.method = k ? "dopri54" : "radau5", o.tolerance = k ? 1e-8 : 1e-9, o.max_steps = 5000;
      snprintf(number, sizeof number, "%d", n);
      CHECK(ritt_model_set(r->model, "n", number, r->error) == RITT_OK);
      if (run_go(r, &o)) {
        const double *last = r->row + (r->rows - 1) * r->width;
        for (int i = 0; i < n && k; i++) CHECK_NEAR(last[1 + i], end[i], 1e-6);
        memcpy(end, last + 1, (size_t)n * sizeof *end);
        CHECK(r->statistics.slidings == 0 && r->statistics.switches < 200);
      }
      run_free(r);
    }
  }
}

/* ---- at the very end of a run ---- */

/* A fall from 1, along the run or against it, that ends just when it reaches the ground; `action`
 * at four events, one of which comes too late by a thousandth and one in the other direction. */
static run *fall_to_the_end(int along, const char *action, const char *method, double constant,
                            bool native) {
  char text[900];
  const char *sign = along < 0 ? "-" : "";
  snprintf(
      text, sizeof text,
      BALL
      "variable z\nequation z' = 1\nlet end = %ssqrt(2/g)\nstart t = 0\n  y = 1, y' = 0, z = 0\n"
      "solve t = 0 .. end\nevent hit: y = 0 falling -> %s\nevent late: t = end -> record\n"
      "event two: z = end -> record\nevent touch: (z - end)^2 = 0 -> record\n"
      "event up: y = 0 rising -> record\nevent no: z = 1.001*end -> record\n",
      sign, action);
  run *r = run_text(text);
  ritt_options o = ritt_options_default();
  o.tolerance = 1e-9;
  o.method = method;
  o.constant_step = constant;
  o.event = see;
  o.native = native ? "always" : "never";
  count = 0;
  if (!r->model) run_complain(r, "the text is refused");
  else run_try(r, &o);
  return r;
}

static int times(const char *name) {
  int n = 0;
  for (int i = 0; i < count; i++) n += !strcmp(seen[i].name, name);
  return n;
}

static const char *const method[] = {"dopri54", "dop853",   "rk4",   "radau5",
                                     "gauss4",  "taylor:8", "vern98"};

static void test_at_the_end(void) {
  const double end = sqrt(2 / 9.81);
  for (int i = 0; i < 7 * 8; i++) {
    int along = i & 1 ? -1 : 1;
    run *r = fall_to_the_end(along, "record", method[i / 8], i & 2 ? end / 7 : 0, i & 4);
    CHECK(r->status == RITT_OK && last(r, "t") == along * end);
    CHECK(times("hit") == 1 && times("late") == 1 && times("two") == 1 && times("touch") == 1);
    CHECK(times("up") == 0 && times("no") == 0);
    run_free(r);
    r = fall_to_the_end(along, "stop", method[i / 8], i & 2 ? end / 7 : 0, i & 4);
    CHECK(r->status == RITT_OK && r->statistics.ended_by && !strcmp(r->statistics.ended_by, "hit"));
    CHECK_NEAR(last(r, "t"), along * end, 1e-9);
    run_free(r);
    r = fall_to_the_end(along, "y' := -e*y', record", method[i / 8], i & 2 ? end / 7 : 0, i & 4);
    CHECK(r->status == RITT_OK && times("hit") == 1 && last(r, "t") == along * end);
    CHECK_NEAR(last(r, "y'"), along * 0.9 * sqrt(2 * 9.81), 1e-7);
    run_free(r);
  }
}

/* Ends that are a few roundings before the ground or behind it: the ball hits it once, and the run
 * stops exactly there. */
static void test_roundings_from_the_end(void) {
  for (int i = 0; i < 7 * 2 * 33; i++) {
    char text[400];
    double end = (i & 1 ? -1 : 1) * sqrt(2 / 9.81) * (1 + (i / 2 % 33 - 16) * 0x1p-52);
    snprintf(text, sizeof text,
             BALL "start t = 0\n  y = 1, y' = 0\nsolve t = 0 .. %.17g\n"
                  "event hit: y = 0 falling -> y' := -e*y', record\n",
             end);
    run *r = go(text, 1e-9, method[i / 66]);
    CHECK(r->status == RITT_OK && times("hit") == 1 && last(r, "t") == end);
    CHECK_NEAR(last(r, "y'"), (i & 1 ? -1 : 1) * 0.9 * sqrt(2 * 9.81), 1e-7);
    run_free(r);
  }
}

/* A run that goes on from there does not see it again; one that ends a little before does not see
 * it. */
static void test_goes_on(void) {
  run *r = run_text("model m\nvariable x\nequation x' = 1\nstart x = 0\nsolve t = 0 .. 3\n"
                    "event one: x = 1 -> record\n");
  ritt_options o = ritt_options_default();
  o.event = see;
  ritt_solver *S = NULL;
  count = 0;
  CHECK(ritt_solver_from_model(r->model, &o, r->error, &S) == RITT_OK);
  static const double to[] = {0.5, 0.999, 1, 1.5, 3};
  static const int so_far[] = {0, 0, 1, 1, 1};
  for (int i = 0; i < 5; i++) {
    CHECK(ritt_solver_run_to(S, to[i], r->error) == RITT_OK);
    CHECK(count == so_far[i]);
  }
  ritt_solver_free(S);
  run_free(r);
}

/* max(y, 0) has a kink where it becomes 0, and is 0 from there on: it becomes zero once. On the way back it leaves zero,
 * which is no event. t^7 vanishes at 0 only. */
static void check_flat(const char *rate, const char *from, const char *sense, long times) {
  char text[400];
  snprintf(text, sizeof text,
           "model flat\nvariable y, n, m\nequation\n  y' = %s\n  n' = 0\n  m' = 0\nstart t = -1\n"
           "  y = %s, n = 0, m = 5\n"
           "event edge: max(y, 0) = 0 %s -> n := n + 1 + t\nevent seven: t^7 = 0 -> m := t\n"
           "solve t = -1 .. 1.1\n",
           rate, from, sense);
  run *r = run_text(text);
  CHECK(run_go(r, NULL));
  CHECK(r->statistics.events == times + 1);
  CHECK_NEAR(run_last(r, "n"), (double)times, 1e-8);
  CHECK_NEAR(run_last(r, "m"), 0, 1e-2); /* |t^7| is below 1e-14 there */
  run_free(r);
}

/* Short stays at 0: y = (t - 1/2)^2 - d^2 is not positive from 1/2 - d on. The event happens once, where the stay begins,
 * however long it is; leaving zero is not an event. */
static void check_stays(void) {
  static const double D[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.2};
  for (int i = 0; i < 16; i++) {
    char text[400];
    double d = D[i / 2];
    snprintf(
        text, sizeof text,
        "model stay\nvariable y, n, m\nequation\n  y'' = 2\n  n' = 0\n  m' = 0\nstart t = 0\n"
        "  y = %.17g, y' = -1, n = 0, m = 0\nevent edge: max(y, 0) = 0 %s -> n := n + 1, m := t\n"
        "solve t = 0 .. 1\n",
        0.25 - d * d, i % 2 ? "falling" : "");
    run *r = run_text(text);
    CHECK(run_go(r, NULL));
    CHECK_NEAR(run_last(r, "n"), 1, 0);
    CHECK_NEAR(run_last(r, "m"), 0.5 - d, 1e-8 / d);
    run_free(r);
  }
  /* seven stays in a run */
  run *r = run_text("model stays\nvariable y, n\nequation\n  y' = 1\n  n' = 0\nstart y = 0, n = 0\n"
                    "event edge: max(sin(40*y) - 0.9, 0) = 0 -> n := n + 1\nsolve t = 0 .. 1\n");
  CHECK(run_go(r, NULL));
  CHECK_NEAR(run_last(r, "n"), 7, 0);
  run_free(r);
}

/* Two events at the end of a run, one of which jumps: the other one is recorded all the same. */
static void check_both_at_end(void) {
  run *r =
      run_text("model both\nvariable y\nequation y' = 1\nstart y = 0\nsolve t = 0 .. 1\n"
               "event jump: y = 1 -> y := 3\nevent seen: y = 1 -> record\nsection cut: t = 1\n");
  CHECK(run_go(r, NULL));
  CHECK(r->statistics.events == 3);
  run_free(r);
}

/* An event that is recorded where another one jumps is recorded once. */
static void check_both_inside(void) {
  static const char *const END[] = {"y = 1", "y = 1 rising", "t = 1", "t + y = 2"};
  for (int i = 0; i < 4; i++) {
    char text[256];
    snprintf(text, sizeof text,
             "model both\nvariable y, z\nequation\n  y' = 1\n  z' = 0\nstart y = 0, z = 0\n"
             "solve t = 0 .. 2\nevent jump: y = 1 -> z := 3\nevent seen: %s -> record\n",
             END[i]);
    run *r = run_text(text);
    CHECK(run_go(r, NULL));
    CHECK(r->statistics.events == 2);
    CHECK_NEAR(run_last(r, "z"), 3, 0);
    run_free(r);
  }
}

int main(void) {
  check_both_inside();
  test_at_the_end();
  test_roundings_from_the_end();
  test_goes_on();
  test_forced_move();
  test_hovering();
  test_fall();
  test_bounce();
  test_leaving();
  test_sliding_after_bounces();
  test_resting();
  test_two_at_once();
  test_start();
  test_pendulum();
  test_within_one_step();
  test_backwards();
  test_impulse();
  test_level();
  test_contradiction();
  test_switching();
  test_friction();
  test_belt();
  test_two_stick();
  test_sliding_ends();
  test_both_end();
  test_last_row();
  test_square_wave();
  test_section();
  check_stays();
  check_flat("1", "-1", "rising", 0);
  check_flat("1", "-1", "", 0);
  check_flat("-1", "1", "falling", 1);
  check_flat("-1", "1", "", 1);
  check_both_at_end();
  return CHECKS_DONE();
}
