/* `start smooth`: the start of a smooth motion of a model with a strong potential.
 *
 * The pendulum on a stiff spring in polar coordinates: with u = r theta' the speed along the
 * circle, r'' = u^2/r + cos(theta) - (r - 1)/d,   theta' = u/r,   u' = -sin(theta) - r' u/r,   d =
 * eps^2. Across the circle means along the spring, so that theta and u are those of the limit, and
 * r and r' are series in d that make the motion smooth: r = 1 + d (u^2/r + cos(theta) - r''), again
 * and again, with power series in t and d that are multiplied out here, by hand.
 *
 * And the vibrations left over: samples half a period apart, with alternating signs and binomial
 * weights, let nothing of the smooth motion through.
 */
#include "check.h"
#include "ritt.h"

/* ---- series in t and d, d^K and t^J left out ---- */

enum { K = 7, J = 20 };
typedef struct series {
  long double c[K][J];
} series;

static series times(const series *a, const series *b) {
  series out = {0};
  for (int k = 0; k < K; k++)
    for (int j = 0; j < J; j++)
      for (int l = 0; k + l < K; l++)
        for (int i = 0; i + j < J; i++) out.c[k + l][i + j] += a->c[k][j] * b->c[l][i];
  return out;
}

/* 1/a with a = 1 + terms in d, by Newton's iteration x (2 - a x) */
static series over(const series *a) {
  series x = {.c = {{1}}};
  for (int turn = 0; turn < 5; turn++) {
    series ax = times(a, &x);
    for (int k = 0; k < K; k++)
      for (int j = 0; j < J; j++) ax.c[k][j] = (k + j == 0 ? 2 : 0) - ax.c[k][j];
    x = times(&x, &ax);
  }
  return x;
}

static series derivative(const series *a) {
  series out = {0};
  for (int k = 0; k < K; k++)
    for (int j = 0; j + 1 < J; j++) out.c[k][j] = (j + 1) * a->c[k][j + 1];
  return out;
}

static series integral(long double start, const series *a) {
  series out = {0};
  for (int k = 0; k < K; k++)
    for (int j = 0; j + 1 < J; j++) out.c[k][j + 1] = a->c[k][j] / (j + 1);
  out.c[0][0] = start;
  return out;
}

/* theta, u, sin and cos of theta for a given r, by iteration: each turn gives one more power of t
 */
static void along(const series *r, long double theta, long double speed, series *u,
                  series *cosine) {
  series inverse = over(r), slope = derivative(r), push = times(&slope, &inverse);
  series s = {.c = {{sinl(theta)}}}, c = {.c = {{cosl(theta)}}}, v = {.c = {{speed}}};
  for (int turn = 0; turn < J; turn++) {
    series turning = times(&v, &inverse), drag = times(&push, &v);
    series ds = times(&c, &turning), dc = times(&s, &turning), dv = {0};
    for (int k = 0; k < K; k++)
      for (int j = 0; j < J; j++) dc.c[k][j] = -dc.c[k][j], dv.c[k][j] = -s.c[k][j] - drag.c[k][j];
    s = integral(sinl(theta), &ds), c = integral(cosl(theta), &dc), v = integral(speed, &dv);
  }
  *u = v, *cosine = c;
}

/* r and r' at t = 0 as polynomials in d */
static void expand(long double theta, long double speed, long double r0[K], long double r1[K]) {
  series r = {.c = {{1}}};
  for (int turn = 0; turn < K; turn++) {
    series u, cosine, inverse = over(&r), d2 = derivative(&r);
    along(&r, theta, speed, &u, &cosine);
    d2 = derivative(&d2);
    series pull = times(&u, &u);
    pull = times(&pull, &inverse);
    for (int k = K - 1; k > 0; k--)
      for (int j = 0; j < J; j++)
        r.c[k][j] = pull.c[k - 1][j] + cosine.c[k - 1][j] - d2.c[k - 1][j];
  }
  for (int k = 0; k < K; k++) r0[k] = r.c[k][0], r1[k] = r.c[k][1];
}

/* ---- the model ---- */

static void say(const ritt_error *error) {
  for (size_t i = 0; i < ritt_error_count(error); i++) puts(ritt_error_get(error, i)->text);
}

static ritt_model *read(double eps, int order, const char *settings) {
  char text[1000];
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  snprintf(
      text, sizeof text,
      "model p\nvariable x, y\nlet r = sqrt(x^2 + y^2)\nequation\n"
      "  -y'' = y/r*(r - 1)/eps^2 + 1\n  x'' = -x/r*(r - 1)/eps^2\n" /* rows in another order and
                                                                        sign */
      "stiff (r - 1)^2/2, eps = %.17g\n"
      "start smooth order %d t = 0\n  x = sin(1), y = -cos(1), x' = 0.3*cos(1), y' = 0.3*sin(1)\n"
      "solve t = 0 .. 1\n  follow vibrations\n%soutput x, y, w = (x*x' + y*y')/r\n",
      eps, order, settings);
  if (ritt_model_read_text(text, strlen(text), "p", error, &model) != RITT_OK) say(error);
  CHECK(model != NULL);
  ritt_error_free(error);
  return model;
}

static void check_expansion(void) {
  static const double eps[] = {0.3, 0.1, 0.01};
  long double r0[K], r1[K];
  expand(1, 0.3L, r0, r1);
  CHECK_NEAR(r0[1], 0.09 + cos(1), 1e-15); /* what the spring carries */
  for (int order = 1; order <= 5; order++)
    for (int i = 0; i < 3; i++) {
      ritt_error *error = ritt_error_new();
      ritt_model *model = read(eps[i], order, "");
      const double *z = NULL;
      if (!model || ritt_model_start_point(model, error, &z) != RITT_OK) say(error);
      CHECK(z != NULL);
      long double d = (long double)eps[i] * eps[i], r = 0, v = 0;
      for (int k = order; k >= 0; k--) r = r * d + r0[k], v = v * d + r1[k];
      if (z) {
        double along = cos(1) * z[3] + sin(1) * z[4], across = sin(1) * z[3] - cos(1) * z[4];
        CHECK_NEAR(sqrt(z[1] * z[1] + z[2] * z[2]), r, 1e-15);
        CHECK_NEAR(atan2(z[1], -z[2]), 1, 1e-15);
        CHECK_NEAR(across, v, 1e-15);
        CHECK_NEAR(along, 0.3, 1e-15);
      }
      ritt_model_free(model);
      ritt_error_free(error);
    }
}

/* ---- vibrations ---- */

enum { HALVES = 15, SAMPLES = 2 * HALVES }; /* at quarters of the period */
typedef struct sampled {
  double w[SAMPLES];
  int count;
} sampled;

static ritt_status take(void *user, const double *values, size_t count) {
  sampled *s = user;
  if (s->count < SAMPLES) s->w[s->count++] = values[count - 1];
  return RITT_OK;
}

/* The speed of the vibrations along the spring, from both of its phases. */
static double vibration(double eps, int order) {
  double at[SAMPLES], phase[2] = {0}, weight = 1, all = 0;
  sampled s = {0};
  ritt_error *error = ritt_error_new();
  ritt_model *model = read(eps, order, "  method vern98\n  tolerance 1e-22\n  precision quad\n");
  ritt_options options = ritt_options_default();
  for (int i = 0; i < SAMPLES; i++) at[i] = i * acos(0) * eps;
  options.at = at, options.at_count = SAMPLES, options.to = at[SAMPLES - 1];
  ritt_statistics statistics;
  if (!model || ritt_model_run(model, &options, take, &s, &statistics, error) != RITT_OK)
    say(error);
  CHECK(s.count == SAMPLES);
  for (int i = 0; i < HALVES; i++) {
    for (int k = 0; k < 2; k++) phase[k] += (i % 2 ? -1 : 1) * weight * s.w[2 * i + k];
    all += weight;
    weight = weight * (HALVES - 1 - i) / (i + 1);
  }
  ritt_model_free(model);
  ritt_error_free(error);
  return hypot(phase[0], phase[1]) / all;
}

static void check_vibrations(void) {
  for (int order = 1; order <= 3; order++) {
    double before = 0;
    for (int i = 0; i < 3; i++) {
      double eps = 0.08 / (1 << i), now = vibration(eps, order);
      printf("order %d, eps %.3g: vibration %.3e, over eps^%d %.3g\n", order, eps, now,
             2 * order + 1, now / pow(eps, 2 * order + 1));
      if (i) CHECK(log2(before / now) > 2 * order + 1 - 0.2);
      before = now;
    }
  }
}

int main(void) {
  check_expansion();
  check_vibrations();
  return CHECKS_DONE();
}
