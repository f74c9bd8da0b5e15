/* Rows where they are asked for, fine points for pictures, and a watcher that looks at every step:
 * on an oscillator and on curves with known shape. */
#include "run.h"

static const char oscillator[] = "model m\nvariable x\nequation x'' = -x\nstart x = 1, x' = 0\n"
                                 "solve t = 0 .. 10\n  tolerance 1e-10\noutput x\n";

/* Rows are the solution at listed values, in the order of the run, forwards and backwards. */
static void check_at(void) {
  run *r = run_text(oscillator);
  double at[] = {7.25, 0, 3, 10, 3, 9.999}, sorted[] = {0, 3, 7.25, 9.999, 10};
  ritt_options o = ritt_options_default();
  o.at = at, o.at_count = 6;
  for (int back = 0; back < 2; back++) {
    if (back) o.to = -10;
    for (int i = 0; i < 6 && back; i++) at[i] = -at[i];
    if (!run_go(r, &o)) break;
    CHECK(r->rows == 5 && r->statistics.rows == 5);
    for (size_t i = 0; i < 5 && r->rows == 5; i++) {
      CHECK(run_get(r, i, "t") == (back ? -sorted[i] : sorted[i]));
      CHECK_NEAR(run_get(r, i, "x"), cos(sorted[i]), 1e-7);
    }
  }
  // neither the start nor the end unless they are listed
  o = ritt_options_default();
  o.at = (double[]){5}, o.at_count = 1;
  CHECK(run_go(r, &o) && r->rows == 1 && run_get(r, 0, "t") == 5 && r->statistics.x == 10);
  o.at = (double[]){11};
  CHECK(run_try(r, &o) == RITT_WRONG_CALL && r->rows == 0);
  o.at = (double[]){1}, o.every = 2;
  CHECK(run_try(r, &o) == RITT_WRONG_CALL);
  run_free(r);
}

/* Every n-th of the steps, and the last. */
static void check_every(void) {
  run *all = run_text(oscillator), *some = run_text(oscillator);
  ritt_options o = ritt_options_default();
  CHECK(run_go(all, &o));
  for (long n = 1; n < 40; n = 3 * n + 1) {
    o.every = n;
    if (!run_go(some, &o)) break;
    size_t steps = all->rows - 1, wanted = steps / (size_t)n + 1 + (steps % (size_t)n != 0);
    CHECK(some->rows == wanted && run_last(some, "t") == 10);
    for (size_t i = 0; i + 1 < some->rows; i++)
      CHECK(run_get(some, i, "x") == run_get(all, i * (size_t)n, "x"));
  }
  run_free(all), run_free(some);
}

typedef struct points {
  size_t count, columns;
  double last[2], widest, length, worst;
} points;

/* Points (t, x) of the circle x^2 + v^2 = 1, third column v; how far apart they are. */
static ritt_status take_fine(void *user, const double *values, size_t count) {
  points *p = user;
  if (p->count++ > 0) p->widest = fmax(p->widest, fabs(values[0] - p->last[0]));
  p->last[0] = values[0];
  p->columns = count;
  p->worst = fmax(p->worst, fabs(values[1] - cos(values[0])));
  return RITT_OK;
}

/* Fine points are on the solution, close together, and change no row. */
static void check_fine(void) {
  run *plain = run_text(oscillator), *fine = run_text(oscillator);
  points p = {0};
  ritt_options o = ritt_options_default();
  o.points = 3;
  CHECK(run_go(plain, &o));
  o.fine = take_fine, o.fine_user = &p, o.fine_points = 501;
  CHECK(run_go(fine, &o) && fine->rows == 3);
  for (size_t i = 0; i < 3; i++) CHECK(run_get(plain, i, "x") == run_get(fine, i, "x"));
  CHECK(p.count >= 501 && p.widest <= 0.02 * (1 + 1e-9) && p.last[0] == 10 && p.worst < 1e-7 &&
        p.columns == 2);
  run_free(plain), run_free(fine);
}

/* The projection of a solution over arc length to the plane, which has a cusp (Figure 2.2 of the
 * jet paper): the pieces of the curve are short everywhere. */
typedef struct cusp {
  double last[2], widest, length;
  size_t count;
} cusp;
static ritt_status take_cusp(void *user, const double *values, size_t count) {
  cusp *c = user;
  double x = values[1], y = values[2];
  (void)count;
  if (c->count++ > 0) {
    double step = hypot(x - c->last[0], y - c->last[1]);
    c->length += step;
    c->widest = fmax(c->widest, step);
  }
  c->last[0] = x, c->last[1] = y;
  return RITT_OK;
}

static void check_cusp(void) {
  run *r = run_file("papers/asymptotic_curves", NULL);
  cusp c = {0};
  ritt_options o = ritt_options_default();
  o.to = 8, o.fine = take_cusp, o.fine_user = &c, o.fine_points = 1000;
  CHECK(run_go(r, &o));
  /* a piece in the plane is not longer than the piece of arc, which is in the space of (x, y, y')
   */
  CHECK(c.count >= 1000 && c.length < 8 && c.widest <= 8.0 / 999 * (1 + 1e-9));
  run_free(r);
}

typedef struct watcher {
  long seen, stop;
  double x;
  bool forward;
  ritt_progress last;
} watcher;
static ritt_status look(void *user, const ritt_progress *now) {
  watcher *w = user;
  w->forward &= now->x > w->x && now->from == 0 && now->end == 10 && now->step > 0;
  w->x = now->x;
  w->last = *now;
  return ++w->seen == w->stop ? RITT_STOPPED : RITT_OK;
}

/* A watcher sees every step and can end the run, which keeps its rows. */
static void check_watch(void) {
  run *r = run_text(oscillator);
  watcher w = {.forward = true};
  ritt_options o = ritt_options_default();
  o.watch = look, o.watch_user = &w;
  CHECK(run_go(r, &o));
  CHECK(w.forward && w.seen == r->statistics.accepted && w.last.accepted == w.seen &&
        w.last.x == 10);
  CHECK(w.last.rows == (long)r->rows && w.last.rejected == r->statistics.rejected);
  w = (watcher){.forward = true, .stop = 7};
  CHECK(run_try(r, &o) == RITT_STOPPED && w.seen == 7 && r->rows == 8 &&
        r->statistics.accepted == 7);
  CHECK(run_last(r, "t") == r->statistics.x && r->statistics.x < 10);
  run_free(r);
}

static ritt_status end_at_third(void *user, const double *values, size_t count) {
  long *rows = user;
  CHECK(count == 2 && values[0] <= 10);
  return ++*rows == 3 ? RITT_RETRY : RITT_OK;
}

/* The function that takes the rows ends the run with any status, also with one that the numerics use among
 * themselves. */
static void check_end(void) {
  run *r = run_text(oscillator);
  for (long count = 0; count < 8; count += 7) {
    long rows = 0;
    ritt_options o = ritt_options_default();
    o.points = count;
    CHECK(ritt_model_run(r->model, &o, end_at_third, &rows, NULL, NULL) == RITT_RETRY && rows == 3);
  }
  run_free(r);
}

/* ---- rows inside steps are as accurate as the ends of steps ---- */

static double find_cosine(double t) { return cos(t); }
static double find_hyperbola(double t) { return -1 / (1 + t); }
static double find_bell(double t) { return exp(-(t - 5) * (t - 5)); }
static double find_growth(double t) { return exp(-5 * exp(-t)); }
static double find_tangent(double t) { return tan(t); }

static const struct closed_form {
  const char *equation, *start;
  double end, (*solution)(double t);
} closed_forms[] = {
    {"x'' = -x", "x = 1, x' = 0", 20, find_cosine},
    {"x' = x^2", "x = -1", 100, find_hyperbola},
    {"x' = -2*(t - 5)*x", "x = exp(-25)", 10, find_bell},
    {"x' = -x*log(x)", "x = exp(-5)", 10, find_growth},
    {"x' = 1 + x^2", "x = 0", 1.4, find_tangent},
    /* stability limits the steps: the polynomial does not damp what the step damps */
    {"x' = -40*(x - cos(t)) - sin(t)", "x = 1", 10, find_cosine},
    {"x' = -15*(x - cos(t)) - sin(t)\n  u' = -30*u + x", "x = 1, u = 1", 10, find_cosine},
    /* stiff: for implicit methods */
    {"x' = -1000*(x - cos(t)) - sin(t)", "x = 1", 10, find_cosine},
    {"x' = -1e6*(x - cos(t)) - sin(t)\n  u' = -x", "x = 1, u = 0", 10, find_cosine},
};
enum { STIFF_FORMS = 2 };

/* The largest error of the rows of a run. */
static double find_error(run *r, const ritt_options *o, const struct closed_form *form) {
  double worst = 0;
  if (!run_go(r, o)) return INFINITY;
  for (size_t i = 0; i < r->rows; i++)
    worst = fmax(worst, fabs(run_get(r, i, "x") - form->solution(run_get(r, i, "t"))));
  return worst;
}

static void check_accuracy(void) {
  enum { POINTS = 300, FIRST_IMPLICIT = 4 };
  static const char *const methods[] = {"dop853", "vern98", "feagin12", "taylor:14", "radau",
                                        "radau5", "radau9", "radau13",  "gauss6"};
  unsigned seed = 1;
  for (size_t f = 0; f < sizeof closed_forms / sizeof *closed_forms; f++) {
    const struct closed_form *form = closed_forms + f;
    char text[400];
    double at[POINTS], size = 0;
    snprintf(text, sizeof text,
             "model m\nvariable x%s\nequation\n  %s\nstart t = 0, %s\nsolve t = 0 .. %g\n",
             strstr(form->equation, "u'") ? ", u" : "", form->equation, form->start, form->end);
    run *r = run_text(text);
    for (int i = 0; i < POINTS; i++) {
      seed = seed * 1664525 + 1013904223;
      at[i] = form->end * (seed >> 8) / (1 << 24);
      size = fmax(size, fabs(form->solution(at[i])));
    }
    bool stiff = f + STIFF_FORMS >= sizeof closed_forms / sizeof *closed_forms;
    for (size_t m = stiff ? FIRST_IMPLICIT : 0; m < sizeof methods / sizeof *methods; m++)
      for (double tolerance = 1e-5; tolerance > 1e-11; tolerance /= 10) {
        ritt_options o = ritt_options_default();
        o.method = methods[m], o.tolerance = tolerance;
        double ends = find_error(r, &o, form);
        long steps = r->statistics.accepted;
        o.at = at, o.at_count = POINTS;
        double rows = find_error(r, &o, form);
        CHECK(r->statistics.accepted == steps);
        if (!(rows <= 3 * fmax(ends, tolerance * fmax(size, 1)))) {
          printf("%s, %s at %g: %g at ends, %g in rows\n", form->equation, methods[m], tolerance,
                 ends, rows);
          checks_failed++;
        }
      }
    run_free(r);
  }
}

/* Steps of constant length: rows at other places than the ends of steps have the order of the
 * method, whatever the order of its polynomial. */
static void check_orders(void) {
  static const struct {
    const char *method;
    double order;
    int steps;
  } wanted[] = {{"implicit_euler", 1, 80}, {"radau3", 3, 40},   {"radau5", 5, 20},
                {"radau9", 9, 8},          {"radau13", 13, 3},  {"gauss4", 4, 40},
                {"gauss6", 6, 20},         {"lobatto3a", 4, 40}};
  run *r = run_text("model m\nvariable x, u\nequation\n  x' = u\n  u' = -sin(x)\n"
                    "start x = 2, u = 0\nsolve t = 0 .. 4\noutput x\n");
  enum { ROWS = 301 };
  static double exact[ROWS];
  ritt_options o = ritt_options_default();
  o.method = "vern98", o.tolerance = 1e-14, o.points = ROWS;
  CHECK(run_go(r, &o) && r->rows == ROWS);
  for (size_t i = 0; i < ROWS && i < r->rows; i++) exact[i] = run_get(r, i, "x");
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
    double error[2] = {0};
    o.method = wanted[k].method;
    for (int half = 0; half < 2; half++) {
      o.constant_step = 4.0 / (wanted[k].steps << half);
      if (!run_go(r, &o)) break;
      for (size_t i = 0; i < ROWS && i < r->rows; i++)
        error[half] = fmax(error[half], fabs(run_get(r, i, "x") - exact[i]));
    }
    double order = log(error[0] / error[1]) / log(2);
    if (!(order > 0.92 * wanted[k].order)) {
      printf("%s: rows have order %.2f\n", wanted[k].method, order);
      checks_failed++;
    }
  }
  run_free(r);
}

/* Steps of Rosenbrock methods that are longer than any polynomial follows: y = cos t. */
static void check_rosenbrock(void) {
  static const char *const methods[] = {"rodas4", "rodas5p"};
  run *r = run_text("model s\nvariable y\nequation y' = -1e4*(y - cos(t)) - sin(t)\n"
                    "start t = 0\n  y = 1\nsolve t = 0 .. 10\noutput y\n");
  for (int i = 0; i < 2; i++)
    for (double tolerance = 1e-2; tolerance > 3e-7; tolerance /= 10) {
      ritt_options o = run_options(methods[i], tolerance, 10);
      o.points = 301;
      if (!run_go(r, &o)) continue;
      CHECK(r->rows == 301);
      for (size_t k = 0; k < r->rows; k++)
        CHECK_NEAR(run_get(r, k, "y"), cos(run_get(r, k, "t")), 10 * tolerance);
    }
  run_free(r);
}

int main(void) {
  check_rosenbrock();
  check_orders();
  check_accuracy();
  check_at();
  check_every();
  check_fine();
  check_cusp();
  check_watch();
  check_end();
  return CHECKS_DONE();
}
