/* A run that is cut at every step, and goes on each time in a new solver with the state that was
 * saved, gives the same bits as the run that nobody cut: rows, fine points, events, messages,
 * statistics. With every method, every way to project, every way to the direction, every linear
 * algebra, and for every model.
 *
 * A piece of state that src/drive/state.c forgets shows here. */
#include "run.h"

/* ---- what a run gives, as bytes ---- */

typedef struct record {
  unsigned char *at;
  size_t count, room;
} record;

static void put(record *r, const void *bytes, size_t count) {
  if (r->count + count > r->room)
    r->at = run_memory(r->at, r->room = 2 * (r->count + count) + 4096);
  memcpy(r->at + r->count, bytes, count);
  r->count += count;
}

static void put_values(record *r, char tag, const double *values, size_t count) {
  put(r, &tag, 1);
  put(r, values, count * sizeof *values);
}

typedef struct course {
  record given;
  ritt_solver *solver;
  record state; /* the last one saved */
  bool cuts, cut;
  long steps, saves;
} course;

static ritt_status take_row(void *user, const double *values, size_t count) {
  return put_values(&((course *)user)->given, 'r', values, count), RITT_OK;
}

static ritt_status take_fine(void *user, const double *values, size_t count) {
  return put_values(&((course *)user)->given, 'f', values, count), RITT_OK;
}

static ritt_status take_event(void *user, const ritt_event *event) {
  record *r = &((course *)user)->given;
  put(r, event->name, strlen(event->name));
  put_values(r, 'e', event->before, event->count);
  if (event->after) put_values(r, 'a', event->after, event->count);
  return RITT_OK;
}

static void save(course *c) {
  size_t size = 0, again = 0;
  CHECK(ritt_solver_save(c->solver, NULL, 0, &size, NULL) == RITT_OK);
  c->state.count = 0;
  if (size > c->state.room) c->state.at = run_memory(c->state.at, c->state.room = 2 * size);
  CHECK(ritt_solver_save(c->solver, c->state.at, size, &again, NULL) == RITT_OK);
  CHECK(again == size);
  c->state.count = size;
  c->saves++;
}

static ritt_status watch(void *user, const ritt_progress *progress) {
  course *c = user;
  put(&c->given, &progress->x, sizeof progress->x);
  put(&c->given, &progress->accepted, sizeof progress->accepted);
  c->steps++;
  if (!c->cuts || !progress->savable) return RITT_OK;
  save(c);
  c->cut = true;
  return RITT_STOPPED;
}

static void put_end(course *c, ritt_status status, const ritt_error *error) {
  ritt_statistics s;
  ritt_solver_statistics(c->solver, &s);
  ritt_statistic row;
  for (size_t i = 0; ritt_statistic_get(i, &row); i++) {
    static const size_t size[] = {sizeof(char *), sizeof(int), sizeof(long), sizeof(double)};
    const void *at = (const char *)&s + row.offset;
    const char *text = row.type == RITT_STATISTIC_TEXT ? *(const char *const *)at : NULL;
    /* they depend on the load of the machine: the compiler may finish in one run and not in the other */
    if (!strcmp(row.name, "seconds") || !strncmp(row.name, "native", 6)) continue;
    if (text) put(&c->given, text, strlen(text));
    else put(&c->given, at, size[row.type]);
  }
  for (int i = 0; i < s.specials; i++) {
    put(&c->given, s.special[i].kind, strlen(s.special[i].kind));
    put(&c->given, s.special[i].point, strlen(s.special[i].point));
    put(&c->given, &s.special[i].arc, sizeof s.special[i].arc);
  }
  put(&c->given, &status, sizeof status);
  for (size_t i = 0; i < ritt_error_count(error); i++) {
    const ritt_message *m = ritt_error_get(error, i);
    put(&c->given, m->text, strlen(m->text));
    if (m->hint) put(&c->given, m->hint, strlen(m->hint));
  }
}

/* The run, in one go or cut after each step. false: the options do not fit the model. */
static bool go(ritt_model *model, ritt_options o, bool cuts, course *c) {
  ritt_error *error = ritt_error_new();
  *c = (course){.cuts = cuts};
  o.event = take_event, o.event_user = c;
  o.fine = take_fine, o.fine_user = c, o.fine_points = 100;
  o.watch = watch, o.watch_user = c;
  bool good;
  do {
    c->cut = false;
    good = ritt_solver_from_model(model, &o, error, &c->solver) == RITT_OK;
    if (!good) break;
    if (c->state.count) {
      ritt_status loaded = ritt_solver_load(c->solver, c->state.at, c->state.count, error);
      CHECK(loaded == RITT_OK);
      if (loaded != RITT_OK && ritt_error_count(error))
        printf("  %s\n", ritt_error_get(error, 0)->text);
    }
    ritt_status status = ritt_solver_run(c->solver, take_row, c, error);
    if (c->cut) ritt_error_clear(error);
    else put_end(c, status, error);
    ritt_solver_free(c->solver);
  } while (c->cut);
  ritt_error_free(error);
  return good;
}

static void course_free(course *c) {
  free(c->given.at);
  free(c->state.at);
}

/* false: does not fit */
static bool compare(const char *what, ritt_model *model, const ritt_options *o) {
  course whole, cut;
  bool good = go(model, *o, false, &whole);
  if (good) {
    CHECK(go(model, *o, true, &cut));
    bool same = whole.given.count == cut.given.count &&
                !memcmp(whole.given.at, cut.given.at, whole.given.count);
    if (!same) printf("%s: cut runs differ\n", what);
    CHECK(same);
    CHECK(cut.saves > 0 || whole.steps < 2);
    course_free(&cut);
  }
  course_free(&whole);
  return good;
}

/* ---- methods and variants ---- */

static bool try_option(run *r, const char *name, const char *value, ritt_options o) {
  char what[200];
  snprintf(what, sizeof what, "%s, %s %s", ritt_model_name(r->model), name, value);
  if (ritt_options_set(&o, name, value, NULL) != RITT_OK) return false;
  return compare(what, r->model, &o);
}

/* Every word of "a|b|c" that an option can be. */
static int try_words(run *r, const char *name, ritt_options o) {
  ritt_option option;
  int fitting = 0;
  for (size_t i = 0; ritt_option_get(i, &option); i++) {
    if (strcmp(option.name, name)) continue;
    char words[400], *next = words;
    snprintf(words, sizeof words, "%s", option.value);
    while (next) {
      char *word = next, *bar = strchr(word, '|');
      if (bar) *bar = '\0';
      next = bar ? bar + 1 : NULL;
      fitting += try_option(r, name, word, o);
    }
  }
  return fitting;
}

static void check_methods(run *r, ritt_options o, double step) {
  ritt_method m;
  for (size_t i = 0; ritt_method_get(i, &m); i++) {
    ritt_options with = o;
    if (o.project && !strncmp(m.name, "rodas", 5)) continue; /* it refuses 'project stages' */
    if (m.embedded_order == 0) with.constant_step = step;
    CHECK(try_option(r, "method", m.name, with));
    with.constant_step = step;
    CHECK(try_option(r, "method", m.name, with));
  }
}

static ritt_options short_run(double to, long steps) {
  ritt_options o = ritt_options_default();
  o.max_steps = steps;
  o.tolerance = 1e-7;
  if (to > 0) o.to = to;
  return o;
}

static void check_variants(void) {
  run *r = run_file("classics/van_der_pol", NULL);
  check_methods(r, short_run(0, 40), 0.01);
  run_free(r);

  r = run_file("classics/pendulum/pendulum", NULL);
  ritt_options o = short_run(5, 60);
  check_methods(r, o, 0.02);
  o.project = "stages";
  check_methods(r, o, 0.02);
  o.project = NULL;
  CHECK(try_words(r, "projection", o) >= 5);
  CHECK(try_words(r, "direction", o) >= 4);
  CHECK(try_words(r, "metric", o) == 2);
  CHECK(try_words(r, "control", o) == 6);
  o.method = "radau5";
  CHECK(try_words(r, "control", o) == 6);
  o.method = NULL;
  o.projection = "chord", o.project = "stages";
  CHECK(try_words(r, "predictor", o) == 2);
  o.projection = o.project = NULL;
  o.row_step = 0.07;
  CHECK(compare("rows by step", r->model, &o));
  o.row_step = 0, o.points = 77;
  CHECK(compare("rows by number", r->model, &o));
  o.points = 0, o.every = 3;
  CHECK(compare("every third row", r->model, &o));
  static const double at[] = {4.5, 0.1, 2, 2.01};
  o.every = 0, o.at = at, o.at_count = 4;
  CHECK(compare("rows at values", r->model, &o));
  run_free(r);

  /* an implicit method takes over on the way */
  r = run_file("classics/robertson", NULL);
  CHECK(try_option(r, "method", "auto", short_run(0, 60)));
  run_free(r);

  /* over arc length, general kind */
  r = run_file("papers/asymptotic_curves", NULL);
  o = short_run(0, 40);
  CHECK(compare("by arc", r->model, &o));
  CHECK(try_words(r, "direction", o) >= 4);
  CHECK(try_words(r, "projection", o) >= 4);
  run_free(r);

  /* large: bands, sparse factors, pivots that are kept */
  r = run_file("classics/n_pendulum", NULL);
  run_set(r, "n", "40");
  o = short_run(0, 8);
  CHECK(try_words(r, "linear", o) == 4);
  CHECK(ritt_model_kind(r->model, "graph", NULL) == RITT_OK);
  CHECK(try_words(r, "linear", o) == 4);
  run_free(r);
}

/* Coefficients that are a rotation: pivots that were good become bad on the way, and those that are
 * kept depend on where they were chosen. */
static void check_pivots(void) {
  static const char *const text =
      "model rotor\nparameter n = 12\nvariable p[1..n], q[1..n], b\nequation\n  b' = 1\n"
      "  for i in 1..n: cos(b + i)*p[i]' + sin(b + i)*q[i]' = -q[i] + p[mod(i, n) + 1]/9\n"
      "  for i in 1..n: cos(b + i)*q[i]' - sin(b + i)*p[i]' + q[mod(i, n) + 1]'/5 = p[i]\n"
      "start b = 0\n  for i in 1..n: p[i] = 1/i\n  for i in 1..n: q[i] = 1\n";
  for (int arc = 0; arc < 2; arc++) {
    char whole[1000];
    snprintf(whole, sizeof whole, "%ssolve %s = 0 .. 6\n", text, arc ? "arc" : "t");
    run *r = run_text(whole);
    if (r->status != RITT_OK) run_complain(r, whole);
    else CHECK(try_words(r, "linear", short_run(0, 60)) == 4);
    run_free(r);
  }
}

/* ---- models ---- */

static void check_models(void) {
  static const char *const names[] = {"branches/fourbar_node",
                                      "classics/bouncing_ball",
                                      "classics/chaplygin_sleigh",
                                      "classics/crane",
                                      "classics/double_pendulum",
                                      "classics/henon_heiles",
                                      "classics/kepler",
                                      "classics/knife_edge",
                                      "classics/nilpotent_chain",
                                      "classics/robertson",
                                      "classics/rolling_disk",
                                      "classics/slider_crank",
                                      "classics/spherical_pendulum",
                                      "classics/spinning_body",
                                      "classics/stick_slip",
                                      "classics/toda",
                                      "ivp/car_axis",
                                      "papers/asymptotic_saddle",
                                      "papers/discharge_pressure",
                                      "papers/fourbar",
                                      "papers/henon_heiles_section",
                                      "papers/magnetic_particle",
                                      "papers/mhd",
                                      "papers/parabolas",
                                      "papers/pendulum_energy",
                                      "papers/plug_flow",
                                      "papers/rigid_body",
                                      "papers/simple",
                                      "papers/sphere",
                                      "papers/sphere_focus",
                                      "papers/stiff_pendulum"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    run *r = run_file(names[i], NULL);
    ritt_options o = ritt_options_default();
    o.max_steps = 150;
    bool good = compare(names[i], r->model, &o);
    if (!good) printf("%s does not run\n", names[i]);
    CHECK(good);
    o.points = 500;
    CHECK(compare(names[i], r->model, &o));
    run_free(r);
  }
}

/* Friction that sticks and slides, a system that is completed again, the same after a jump that the
 * constraints complete, an impasse point within a run over x, a fold from which the run jumps to the
 * implicit kind again, jumps that accumulate. */
static void check_texts(void) {
  static const char *const texts[] = {
      "model friction\nvariable x, v\nequation\n  x' = v\n  v' = 1.2*sin(t) - sign(v) - 0.1*x\n"
      "start x = 0, v = 1\nsolve t = 0 .. 20\n",
      "model two\nvariable x, y\nequation\n  x' = -sign(x) + 0.3*cos(t)\n  y' = -2*sign(y) + 0.5*sin(2*t)\n"
      "start x = 0.5, y = -0.7\nsolve t = 0 .. 10\noutput x, y, s = sign(x)\n",
      "model again\nvariable p, q, b\nlet P = 2*cos(2*b - 0.6), Q = -sin(b - 0.3)\nequation\n  b' = 1\n"
      "  cos(b)*p' + sin(b)*q' = cos(b)*P + sin(b)*Q\n  cos(b)*q' - sin(b)*p' = cos(b)*Q - sin(b)*P\n"
      "  cos(b)*(p' - P) - sin(b)*(q' - Q) + p - sin(2*b - 0.6) = 0\n"
      "start b = 0.3, p ~ 0.1, q = 1\nsolve t = 0 .. 10\ninvariant b - t\n",
      "model both\nvariable p, q, b, x, y, l\nlet P = 2*cos(2*b - 0.6), Q = -sin(b - 0.3)\nequation\n  b' = 1\n"
      "  cos(b)*p' + sin(b)*q' = cos(b)*P + sin(b)*Q\n  cos(b)*q' - sin(b)*p' = cos(b)*Q - sin(b)*P\n"
      "  cos(b)*(p' - P) - sin(b)*(q' - Q) + p - sin(2*b - 0.6) = 0\n"
      "  x'' = -l*x\n  y'' = -l*y - 1\n  x^2 + y^2 = 1\n"
      "start b = 0.3, p ~ 0.1, q = 1, x = 1, y = 0, x' ~ 0, y' ~ 0\n"
      "event wall: x = -0.5 falling -> x' := -0.8*x'\nsolve t = 0 .. 10\ninvariant b - t\n",
      "model impasse\nindependent s\nvariable y\nequation y'*(3*y^2) = 1\nstart s = -1\n  y = -1\n"
      "solve s = -1 .. 1\n",
      "model fold\nvariable y\nequation y*y' = -1\nstart y = 1\nsolve t = 0 .. 2\n",
      "model relax\nvariable x, y\nequation\n  x' = -y\n  y^3/3 - y = x\nstart y = 2, x ~ 0.67\n"
      "event turn: x = 0 rising -> record\nsolve t = 0 .. 3\n  singular jump\n",
      "model stone\nvariable x, y, S, taut\nequation\n  x'' = -S*x\n  y'' = -S*y - 9.81\n"
      "  taut*(x^2 + y^2 - 1) + (1 - taut)*S = 0\n  taut' = 0\n"
      "event slack: S = 0 falling -> taut := 0\nevent caught: x^2 + y^2 = 1 rising -> taut := 1\n"
      "start x = 0, y = -1, x' = 6, y' = 0, taut = 1\nsolve t = 0 .. 1.6\n",
      "model drop\nvariable x, v\nequation\n  x' = v\n  v' = -1\nstart x = 1, v = 0\n"
      "event hit: x = 0 falling -> v := -0.7*v\nsection half: x = 1/2\nsolve t = 0 .. 20\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    run *r = run_text(texts[i]);
    ritt_options o = ritt_options_default();
    if (r->status != RITT_OK) run_complain(r, texts[i]);
    else {
      o.max_steps = 400;
      CHECK(compare(ritt_model_name(r->model), r->model, &o));
      o.points = 200;
      CHECK(compare(ritt_model_name(r->model), r->model, &o));
      o.points = 0, o.tolerance = 1e-5, o.row_step = 0.05;
      CHECK(compare(ritt_model_name(r->model), r->model, &o));
    }
    run_free(r);
  }
}

/* ---- what is refused ---- */

static void refuse(ritt_model *model, const ritt_options *o, const void *state, size_t size,
                   const char *text) {
  ritt_error *error = ritt_error_new();
  ritt_solver *solver = NULL;
  CHECK(ritt_solver_from_model(model, o, error, &solver) == RITT_OK);
  CHECK(ritt_solver_load(solver, state, size, error) == RITT_WRONG_CALL);
  CHECK(ritt_error_count(error) == 1);
  if (text && ritt_error_count(error)) CHECK_TEXT(ritt_error_get(error, 0)->text, text);
  ritt_solver_free(solver);
  ritt_error_free(error);
}

static void check_refusals(void) {
  static const char *const text =
      "model decay\nparameter k = 1\nvariable x\nequation x' = -k*x\nstart x = 1\n"
      "solve t = 0 .. 5\n";
  static const char *const other =
      "model decay\nparameter k = 1\nvariable x\nequation x' = -2*k*x\nstart x = 1\n"
      "solve t = 0 .. 5\n";
  run *r = run_text(text), *q = run_text(other);
  ritt_options o = ritt_options_default();
  ritt_solver *solver = NULL;
  size_t size = 0, again = 0;
  CHECK(ritt_solver_from_model(r->model, &o, NULL, &solver) == RITT_OK);
  for (int i = 0; i < 3; i++) CHECK(ritt_solver_step(solver, 5, NULL) == RITT_OK);
  CHECK(ritt_solver_save(solver, NULL, 0, &size, NULL) == RITT_OK);
  unsigned char *state = run_memory(NULL, size), *broken = run_memory(NULL, size + 1);
  CHECK(ritt_solver_save(solver, state, size - 1, &again, NULL) == RITT_WRONG_CALL);
  CHECK(ritt_solver_save(solver, state, size, &again, NULL) == RITT_OK);
  ritt_solver_free(solver);

  /* every byte counts */
  for (size_t i = 0; i < size; i++) {
    memcpy(broken, state, size);
    broken[i] ^= (unsigned char)(1u << i % 8);
    refuse(r->model, &o, broken, size, NULL);
  }
  for (size_t i = 0; i < size; i += 7) refuse(r->model, &o, state, i, NULL);
  memcpy(broken, state, size), broken[size] = 0;
  refuse(r->model, &o, broken, size + 1,
         "the state of the solver cannot be loaded: it is incomplete");
  memcpy(broken, state, size), memcpy(broken + 8, "0.0.9", 6);
  refuse(r->model, &o, broken, size,
         "the state of the solver was saved by version 0.0.9 of Ritt, but this is " RITT_VERSION);

  /* another model, other settings */
#define ANOTHER "the state is that of another run: "
  refuse(q->model, &o, state, size, ANOTHER "the text of the model has changed");
  o.method = "dop853";
  refuse(r->model, &o, state, size, ANOTHER "the method has changed");
  o.method = NULL, o.tolerance = 1e-9;
  refuse(r->model, &o, state, size, ANOTHER "the tolerance has changed");
  o.tolerance = 0, o.to = 6;
  refuse(r->model, &o, state, size, ANOTHER "the end of the run has changed");
  o.to = NAN, o.points = 11;
  refuse(r->model, &o, state, size, ANOTHER "the choice of rows has changed");
  o.points = 0;
  run_set(r, "k", "2");
  refuse(r->model, &o, state, size,
         ANOTHER "the value of a parameter, or of a constant has changed");
  free(state), free(broken);
  run_free(r), run_free(q);
}

/* ---- by steps ---- */

/* Two solvers, one of which is saved and loaded into a third before every step. */
static void check_steps(void) {
  run *r = run_file("classics/pendulum/pendulum", NULL);
  ritt_solver *a = NULL, *b = NULL;
  unsigned char *state = NULL;
  size_t size;
  ritt_point p, q;
  CHECK(ritt_solver_from_model(r->model, NULL, NULL, &a) == RITT_OK);
  CHECK(ritt_solver_from_model(r->model, NULL, NULL, &b) == RITT_OK);
  for (int i = 0; i < 50; i++) {
    ritt_solver *c = NULL;
    CHECK(ritt_solver_save(b, NULL, 0, &size, NULL) == RITT_OK);
    state = run_memory(state, size);
    CHECK(ritt_solver_save(b, state, size, &size, NULL) == RITT_OK);
    CHECK(ritt_solver_from_model(r->model, NULL, NULL, &c) == RITT_OK);
    CHECK(ritt_solver_load(c, state, size, NULL) == RITT_OK);
    ritt_solver_free(b);
    b = c;
    CHECK(ritt_solver_step(a, 50, NULL) == RITT_OK && ritt_solver_step(b, 50, NULL) == RITT_OK);
    CHECK(ritt_solver_point(a, &p, NULL) == RITT_OK && ritt_solver_point(b, &q, NULL) == RITT_OK);
    CHECK(p.s == q.s && !memcmp(p.z, q.z, 5 * sizeof *p.z) &&
          !memcmp(p.top, q.top, 3 * sizeof *p.top));
    double middle = (ritt_solver_before(a) + p.s) / 2;
    CHECK(ritt_solver_dense(a, middle, &p, NULL) == RITT_OK &&
          ritt_solver_dense(b, middle, &q, NULL) == RITT_OK);
    CHECK(!memcmp(p.z, q.z, 5 * sizeof *p.z));
  }
  free(state);
  ritt_solver_free(a), ritt_solver_free(b);
  run_free(r);
}

/* Points within the last step, for which a method takes more stages, are the same right after
 * loading. */
static void check_dense(void) {
  run *r = run_file("classics/pendulum/pendulum", NULL);
  ritt_options o = ritt_options_default();
  o.method = "dop853", o.project = "stages", o.tolerance = 1e-3;
  ritt_solver *a = NULL, *b = NULL;
  size_t size;
  ritt_point p, q;
  CHECK(ritt_solver_from_model(r->model, &o, NULL, &a) == RITT_OK);
  CHECK(ritt_solver_from_model(r->model, &o, NULL, &b) == RITT_OK);
  for (int i = 0; i < 5; i++) CHECK(ritt_solver_step(a, 50, NULL) == RITT_OK);
  CHECK(ritt_solver_save(a, NULL, 0, &size, NULL) == RITT_OK);
  unsigned char *state = run_memory(NULL, size);
  CHECK(ritt_solver_save(a, state, size, &size, NULL) == RITT_OK);
  CHECK(ritt_solver_load(b, state, size, NULL) == RITT_OK);
  CHECK(ritt_solver_point(a, &p, NULL) == RITT_OK);
  double middle = (ritt_solver_before(a) + p.s) / 2;
  CHECK(ritt_solver_dense(a, middle, &p, NULL) == RITT_OK &&
        ritt_solver_dense(b, middle, &q, NULL) == RITT_OK);
  CHECK(!memcmp(p.z, q.z, 5 * sizeof *p.z) && !memcmp(p.top, q.top, 3 * sizeof *p.top));
  free(state);
  ritt_solver_free(a), ritt_solver_free(b);
  run_free(r);
}

int main(void) {
  check_refusals();
  check_steps();
  check_dense();
  check_texts();
  check_variants();
  check_pivots();
  check_models();
  return CHECKS_DONE();
}
