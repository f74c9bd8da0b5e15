/* A small importer of FMUs, of FMI 2.0 and 3.0, for test/cli/t_fmi.sh.
 *
 *     importer extract X.fmu FOLDER          the files of the archive
 *     importer cs FOLDER ROWS.csv [TOLERANCE]  co-simulation from row to row: every value has the same
 *                                            bits, or agrees to this tolerance
 *     importer me FOLDER ROWS.csv TOLERANCE  model exchange: every value agrees to this tolerance; both
 *                                            print the largest difference relative to 1 + the column's
 *                                            largest value
 *     importer long FOLDER T                 model exchange and co-simulation to T: prints the largest
 *                                            |outputs whose names begin with "residual"|
 *     importer states FOLDER ROWS.csv        states saved, loaded and serialised give the same bits
 *     importer modes FOLDER                  states saved in every mode bring it back
 *     importer held FOLDER                   states saved between setting values and the next step
 *     importer early FOLDER                  intermediate values and early return (FMI 3)
 *     importer calls FOLDER                  wrong calls get the status that the standard prescribes
 *     importer partial FOLDER T              partial derivatives at T against differences, and their
 *                                            transposed products (FMI 3)
 *     importer depend FOLDER                 an unknown does not move with a state, an input or the time that
 *                                            its list of dependencies lacks; prints how many lists there are
 *     importer many FOLDER                   instances side by side, freed in any order
 *     importer threads FOLDER ROWS.csv       instances of both interfaces in threads of their own: every
 *                                            one gives the rows; half of them are freed by other threads
 *     importer times FOLDER T1 T2 ...        model exchange: the events that are announced, in their order
 *     importer set FOLDER NAME=VALUE ROWS.csv  co-simulation with another value of a variable
 *
 * FOLDER holds an extracted archive. The first column of ROWS.csv is the time; the other columns are
 * outputs. Model exchange integrates by the method of Dormand and Prince (order 5) with its error
 * estimate of order 4, and finds events by bisection. If that takes too many steps (the model is
 * stiff), it goes on with the linearly implicit Euler method, extrapolated to order 4.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OK, WARNING, DISCARD, ERROR };
enum { MOST_VARIABLES = 20000, MOST_STATES = 5000, MOST_COLUMNS = 5000, MOST_INDICATORS = 2000 };

static int failures;

static void fail(const char *format, const char *a, double b) {
  if (failures++ < 10) {
    fprintf(stderr, format, a, b);
    fputc('\n', stderr);
  }
}
static void expect(bool truth, const char *what) {
  if (!truth) fail("%s%.0s", what, 0);
}
static void stop(const char *what, const char *which) {
  fprintf(stderr, "importer: %s %s\n", what, which);
  exit(2);
}

/* ---- archives ---- */

static uint64_t number_at(const unsigned char *at, int size) {
  uint64_t value = 0;
  for (int i = size - 1; i >= 0; i--) value = value << 8 | at[i];
  return value;
}

static void make_folders(char *path) {
  for (char *c = path + 1; *c; c++) {
    if (*c != '/') continue;
    *c = '\0';
    if (mkdir(path, 0700) && errno != EEXIST) stop("cannot make", path);
    *c = '/';
  }
}

static char *read_whole(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) stop("cannot read", path);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size + 1);
  if (fread(bytes, 1, *size, file) != *size) stop("cannot read", path);
  bytes[*size] = '\0';
  fclose(file);
  return bytes;
}

/* Stored entries, one after the other. */
static int extract(const char *archive, const char *folder) {
  size_t size;
  unsigned char *bytes = (unsigned char *)read_whole(archive, &size);
  for (size_t at = 0; at + 30 < size && number_at(bytes + at, 4) == 0x04034b50;) {
    size_t name = number_at(bytes + at + 26, 2), extra = number_at(bytes + at + 28, 2);
    size_t length = number_at(bytes + at + 18, 4);
    char path[2000];
    snprintf(path, sizeof path, "%s/%.*s", folder, (int)name, (char *)bytes + at + 30);
    make_folders(path);
    FILE *file = fopen(path, "wb");
    at += 30 + name + extra;
    if (!file || at + length > size || fwrite(bytes + at, 1, length, file) != length)
      stop("cannot write", path);
    fclose(file);
    at += length;
  }
  free(bytes);
  return 0;
}

/* ---- the description ---- */

typedef struct variable {
  char name[200];
  unsigned reference;
  bool output, state, parameter, input;
} variable;

typedef struct unit {
  int version;
  char token[200], identifier[200];
  variable *variable;
  size_t variables, states, indicators;
  void *library;
} unit;

/* The value of an attribute in an element that ends at `end`. */
static bool attribute(const char *from, const char *end, const char *name, char *out, size_t room) {
  char key[100];
  snprintf(key, sizeof key, " %s=\"", name);
  const char *at = strstr(from, key);
  if (!at || at >= end) return false;
  size_t n = 0;
  for (at += strlen(key); *at != '"' && n + 1 < room; at++) {
    static const struct {
      const char *text;
      char is;
    } known[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}};
    char c = *at;
    for (size_t i = 0; c == '&' && i < 4; i++)
      if (!strncmp(at, known[i].text, strlen(known[i].text))) {
        c = known[i].is;
        at += strlen(known[i].text) - 1;
        break;
      }
    out[n++] = c;
  }
  out[n] = '\0';
  return true;
}

static void read_description(const char *folder, unit *u) {
  char path[2000], value[200];
  size_t size;
  snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
  char *text = read_whole(path, &size), *end = text + size;
  char *head = strstr(text, "<fmiModelDescription"), *head_end = strchr(head, '>');
  attribute(head, head_end, "fmiVersion", value, sizeof value);
  u->version = value[0] - '0';
  attribute(head, head_end, u->version == 2 ? "guid" : "instantiationToken", u->token,
            sizeof u->token);
  attribute(head_end, end, "modelIdentifier", u->identifier, sizeof u->identifier);
  const char *word = u->version == 2 ? "<ScalarVariable" : "<Float64";
  u->variable = calloc(MOST_VARIABLES, sizeof *u->variable);
  for (char *at = strstr(text, word); at && u->variables < MOST_VARIABLES;
       at = strstr(at + 1, word)) {
    variable *v = &u->variable[u->variables++];
    const char *stop_at = strchr(at, '\n');
    attribute(at, stop_at, "name", v->name, sizeof v->name);
    attribute(at, stop_at, "valueReference", value, sizeof value);
    v->reference = (unsigned)atoi(value);
    attribute(at, stop_at, "causality", value, sizeof value);
    v->output = !strcmp(value, "output");
    v->parameter = !strcmp(value, "parameter");
    v->input = !strcmp(value, "input");
    if (attribute(at, stop_at, "derivative", value, sizeof value)) u->states++;
    u->indicators += !strncmp(v->name, "indicator ", 10);
  }
  free(text);
}

static const variable *find_variable(const unit *u, const char *name) {
  for (size_t i = 0; i < u->variables; i++)
    if (!strcmp(u->variable[i].name, name)) return &u->variable[i];
  stop("there is no variable", name);
  return NULL;
}

/* ---- the functions ---- */

typedef struct callbacks2 {
  void (*logger)(void *environment, const char *name, int status, const char *category,
                 const char *message, ...);
  void *(*allocate)(size_t count, size_t size);
  void (*release)(void *object);
  void (*finished)(void *environment, int status);
  void *environment;
} callbacks2;

typedef struct event_info {
  int more, terminate, nominals, moved, has_next;
  double next;
} event_info;

static bool loud = true;
static void log3(void *environment, int status, const char *category, const char *message) {
  (void)environment, (void)category;
  if (loud && status >= DISCARD) fprintf(stderr, "FMU: %s\n", message);
}
static void log2_(void *environment, const char *name, int status, const char *category,
                  const char *message, ...) {
  (void)environment, (void)name, (void)category, (void)message;
  if (loud && status >= DISCARD) fprintf(stderr, "FMU: a message of status %d\n", status);
}

typedef struct update_log {
  long calls;
  double last, until;
  void *instance;
} update_log;

static void *find(const unit *u, const char *name) {
  char full[100];
  snprintf(full, sizeof full, "fmi%d%s", u->version, name);
  void *f = dlsym(u->library, full);
  if (!f) stop("the library lacks", full);
  return f;
}
/* A function of the library, as this type. */
#define CALL(type, name) ((type)(uintptr_t)find(u, name))

static void open_unit(const char *folder, unit *u) {
  char path[2000];
  memset(u, 0, sizeof *u);
  read_description(folder, u);
  snprintf(path, sizeof path, "%s/binaries/%s/%s.so", folder,
           u->version == 2 ? "linux64" : "x86_64-linux", u->identifier);
  u->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!u->library) stop("cannot open", path);
}

static void close_unit(unit *u) {
  dlclose(u->library);
  free(u->variable);
}

typedef void update_function(void *environment, double time, bool set, bool get, bool finished,
                             bool can_return, bool *early, double *early_time);

static const callbacks2 callbacks = {log2_, calloc, free, NULL, NULL};

typedef void *make_simulation(const char *, const char *, const char *, bool, bool, bool, bool,
                              const unsigned *, size_t, void *,
                              void (*)(void *, int, const char *, const char *), update_function *);

static void *instantiate_as(const unit *u, bool exchange, const char *token, bool early,
                            void *environment, update_function *update) {
  typedef void *make2(const char *, int, const char *, const char *, const callbacks2 *, int, int);
  typedef void *make_exchange(const char *, const char *, const char *, bool, bool, void *,
                              void (*)(void *, int, const char *, const char *));
  if (u->version == 2)
    return CALL(make2 *, "Instantiate")("one", exchange ? 0 : 1, token, "", &callbacks, 0, 0);
  if (exchange)
    return CALL(make_exchange *, "InstantiateModelExchange")("one", token, NULL, false, false,
                                                             environment, log3);
  return CALL(make_simulation *, "InstantiateCoSimulation")(
      "one", token, NULL, false, false, false, early, NULL, 0, environment, log3, update);
}

static void *instantiate(const unit *u, bool exchange) {
  void *c = instantiate_as(u, exchange, u->token, false, NULL, NULL);
  if (!c) stop("no instance of", u->identifier);
  return c;
}

static void release(const unit *u, void *c) { CALL(void (*)(void *), "FreeInstance")(c); }

static int simple(const unit *u, void *c, const char *name) {
  return CALL(int (*)(void *), name)(c);
}

static int setup(const unit *u, void *c, double tolerance, double start, double end) {
  bool given = tolerance > 0;
  if (u->version == 3)
    return CALL(int (*)(void *, bool, double, double, bool, double),
                "EnterInitializationMode")(c, given, tolerance, start, true, end);
  int status = CALL(int (*)(void *, int, double, double, int, double),
                    "SetupExperiment")(c, given, tolerance, start, 1, end);
  return status ? status : simple(u, c, "EnterInitializationMode");
}

static int get(const unit *u, void *c, const unsigned *reference, size_t count, double *value) {
  if (u->version == 2)
    return CALL(int (*)(void *, const unsigned *, size_t, double *), "GetReal")(c, reference, count,
                                                                                value);
  return CALL(int (*)(void *, const unsigned *, size_t, double *, size_t),
              "GetFloat64")(c, reference, count, value, count);
}

static int set(const unit *u, void *c, const unsigned *reference, size_t count,
               const double *value) {
  if (u->version == 2)
    return CALL(int (*)(void *, const unsigned *, size_t, const double *), "SetReal")(c, reference,
                                                                                      count, value);
  return CALL(int (*)(void *, const unsigned *, size_t, const double *, size_t),
              "SetFloat64")(c, reference, count, value, count);
}

/* A step of co-simulation; *end: the FMU wants to end, or returned early. */
static int do_step(const unit *u, void *c, double from, double size, bool *end, double *last) {
  if (u->version == 2) {
    int ended = 0;
    int status = CALL(int (*)(void *, double, double, int), "DoStep")(c, from, size, 1);
    *last = from + size;
    *end = false;
    if (status != DISCARD) return status;
    CALL(int (*)(void *, int, int *), "GetBooleanStatus")(c, 3, &ended);
    CALL(int (*)(void *, int, double *), "GetRealStatus")(c, 2, last);
    *end = ended;
    return ended ? OK : DISCARD;
  }
  bool event = false, terminate = false, early = false;
  int status = CALL(int (*)(void *, double, double, bool, bool *, bool *, bool *, double *),
                    "DoStep")(c, from, size, true, &event, &terminate, &early, last);
  *end = terminate || early;
  return status;
}

/* ---- tables ---- */

typedef struct table {
  size_t columns, rows;
  unsigned reference[MOST_COLUMNS];
  double *value; /* rows x (1 + columns) */
} table;

static void read_table(const unit *u, const char *path, table *t) {
  size_t size, room = 1000;
  char *text = read_whole(path, &size), *line = text;
  memset(t, 0, sizeof *t);
  char *end = strchr(line, '\n');
  /* names, of which the first is the time; a name may be quoted */
  bool first = true;
  for (char *c = line; c < end;) {
    char name[300];
    size_t n = 0;
    bool quoted = *c == '"';
    if (quoted) c++;
    while (c < end && (quoted || *c != ',')) {
      if (quoted && *c == '"') {
        if (c[1] != '"') break;
        c++;
      }
      if (n + 1 < sizeof name) name[n++] = *c;
      c++;
    }
    name[n] = '\0';
    char *unit_text = strstr(name, " ["); /* of the column: it is no part of the name */
    if (unit_text) *unit_text = '\0';
    while (c < end && *c != ',') c++;
    c++;
    if (!first) t->reference[t->columns++] = find_variable(u, name)->reference;
    first = false;
  }
  t->value = malloc(room * (t->columns + 1) * sizeof *t->value);
  for (line = end + 1; *line; line = end + 1) {
    end = strchr(line, '\n');
    if (!end) break;
    if (t->rows == room)
      t->value = realloc(t->value, (room *= 2) * (t->columns + 1) * sizeof *t->value);
    for (size_t i = 0; i <= t->columns; i++) {
      char *next = line;
      double x = strtod(line, &next);
      if (next == line) x = NAN;
      t->value[t->rows * (t->columns + 1) + i] = x;
      line = next + (*next == ',');
    }
    t->rows++;
  }
  free(text);
}

static const double *row_of(const table *t, size_t i) { return t->value + i * (t->columns + 1); }
static double end_of(const table *t) { return row_of(t, t->rows - 1)[0]; }

static bool same(double a, double b) { return a == b || (a != a && b != b); }

static double largest_difference; /* of all rows that were compared */
static double
    earlier_difference; /* without the last row, which may be an event that ends the run */

/* Sets size[k] to the largest absolute value of column k. */
static void measure_columns(const table *t, double *size) {
  memset(size, 0, t->columns * sizeof *size);
  for (size_t i = 0; i < t->rows; i++)
    for (size_t k = 0; k < t->columns; k++) size[k] = fmax(size[k], fabs(row_of(t, i)[k + 1]));
}

/* ---- co-simulation ---- */

/* other: values before an event at the row, one of both sides must be that of the row; or NULL */
static void compare_row(const unit *u, void *c, const table *t, size_t i, double tolerance,
                        const double *size, const double *other) {
  double value[MOST_COLUMNS];
  const double *row = row_of(t, i);
  if (get(u, c, t->reference, t->columns, value) != OK) {
    fail("%sno values at %.17g", "", row[0]);
    return;
  }
  for (size_t k = 0; k < t->columns; k++) {
    bool good = same(value[k], row[k + 1]);
    double difference = good ? 0 : fabs(value[k] - row[k + 1]) / (size ? 1 + size[k] : 1);
    if (other) difference = fmin(difference, fabs(other[k] - row[k + 1]) / (1 + size[k]));
    if (!(difference <= largest_difference)) largest_difference = difference;
    good = good || difference <= tolerance;
    char text[300];
    snprintf(text, sizeof text, "column %zu: %.17g instead of %.17g", k + 1, value[k], row[k + 1]);
    if (!good) fail("%s at t = %.17g", text, row[0]);
  }
}

/* From the row `from` on; the instance stands at it. */
static void follow_rows_to(const unit *u, void *c, const table *t, size_t from, double tolerance,
                           const double *size) {
  for (size_t i = from + 1; i < t->rows && failures < 10; i++) {
    double at = row_of(t, i - 1)[0], to = row_of(t, i)[0], last;
    bool end;
    if (to == at) continue; /* a jump has two rows */
    int status = do_step(u, c, at, to - at, &end, &last);
    if (status != OK) {
      fail("%sthe step to %.17g failed", "", to);
      return;
    }
    if (i + 1 < t->rows && row_of(t, i + 1)[0] == to) continue;
    bool ended = end && i + 1 == t->rows && fabs(last - to) <= 1e-9 * (1 + fabs(to));
    if (last != to && !ended) fail("%sthe step ended at %.17g", "", last);
    earlier_difference = largest_difference;
    compare_row(u, c, t, i, tolerance, size, NULL);
  }
}

static void follow_rows(const unit *u, void *c, const table *t, size_t from) {
  follow_rows_to(u, c, t, from, 0, NULL);
}

static double stop_time = NAN; /* of an experiment that an event ends before */

static void *start_simulation(const unit *u, const table *t) {
  void *c = instantiate(u, false);
  double stop = stop_time > end_of(t) ? stop_time : end_of(t);
  expect(setup(u, c, 0, row_of(t, 0)[0], stop) == OK, "initialization mode");
  expect(simple(u, c, "ExitInitializationMode") == OK, "leaving initialization mode");
  return c;
}

static void simulate(const unit *u, const table *t, double tolerance) {
  double size[MOST_COLUMNS];
  measure_columns(t, size);
  void *c = start_simulation(u, t);
  compare_row(u, c, t, 0, tolerance, size, NULL);
  follow_rows_to(u, c, t, 0, tolerance, size);
  expect(simple(u, c, "Terminate") == OK, "termination");
  printf("difference %.2g\n", largest_difference);
  printf("before the last row: %.2g\n", earlier_difference);
  release(u, c);
}

static void simulate_with(const unit *u, const table *t, char *setting) {
  char *equals = strchr(setting, '=');
  *equals = '\0';
  unsigned reference = find_variable(u, setting)->reference;
  double value = atof(equals + 1);
  void *c = instantiate(u, false);
  expect(set(u, c, &reference, 1, &value) == OK, "setting a value");
  expect(setup(u, c, 0, row_of(t, 0)[0], end_of(t)) == OK, "initialization mode");
  expect(simple(u, c, "ExitInitializationMode") == OK, "leaving initialization mode");
  compare_row(u, c, t, 0, 0, NULL, NULL);
  follow_rows(u, c, t, 0);
  release(u, c);
}

/* ---- model exchange ---- */

typedef struct exchange {
  const unit *u;
  void *c;
  size_t n, indicators;
  double t, *x, *k[7], *y, *error, *g, *g_new;
  double tolerance;
  long steps, events, projections;
  bool ended;
  double next;        /* the time of the next event that the FMU has announced */
  bool moved;         /* the FMU says that the last event has changed the states */
  const table *table; /* its columns just before the last event, at this time; NULL: not wanted */
  double before[MOST_COLUMNS], before_at;
  bool implicit;  /* the method for stiff models */
  double *matrix; /* of that method: the Jacobian, and I/h - J */
} exchange;

static int set_point(exchange *e, double t, const double *x) {
  const unit *u = e->u;
  int status = CALL(int (*)(void *, double), "SetTime")(e->c, t);
  if (status) return status;
  return CALL(int (*)(void *, const double *, size_t), "SetContinuousStates")(e->c, x, e->n);
}

static int derivatives(exchange *e, double t, const double *x, double *out) {
  const unit *u = e->u;
  int status = set_point(e, t, x);
  if (status) return status;
  const char *name = u->version == 2 ? "GetDerivatives" : "GetContinuousStateDerivatives";
  return CALL(int (*)(void *, double *, size_t), name)(e->c, out, e->n);
}

static int indicators(exchange *e, double *out) {
  const unit *u = e->u;
  if (!e->indicators) return OK;
  return CALL(int (*)(void *, double *, size_t), "GetEventIndicators")(e->c, out, e->indicators);
}

/* One step of Dormand and Prince to e->y; returns its error in units of the tolerance, infinite if a
 * function has no value. */
static double try_step(exchange *e, double h) {
  static const double c[7] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
  static const double a[7][6] = {
      {0},
      {1. / 5},
      {3. / 40, 9. / 40},
      {44. / 45, -56. / 15, 32. / 9},
      {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
      {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
      {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
  static const double d[7] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                              -17253. / 339200, 22. / 525, -1. / 40};
  for (int s = 0; s < 7; s++) {
    for (size_t i = 0; i < e->n; i++) {
      double sum = 0;
      for (int j = 0; j < s; j++) sum += a[s][j] * e->k[j][i];
      e->y[i] = e->x[i] + h * sum;
    }
    if (derivatives(e, e->t + c[s] * h, e->y, e->k[s]) != OK) return INFINITY;
  }
  double sum = 0;
  for (size_t i = 0; i < e->n; i++) {
    double error = 0;
    for (int s = 0; s < 7; s++) error += h * d[s] * e->k[s][i];
    double part = error / (e->tolerance * (1 + fmax(fabs(e->x[i]), fabs(e->y[i]))));
    sum += part * part;
  }
  return e->n ? sqrt(sum / (double)e->n) : 0;
}

/* ---- stiff models ---- */

/* Fills the Jacobian of the derivatives by differences, column by column. */
static bool fill_jacobian(exchange *e, double t, const double *x, double *J) {
  size_t n = e->n;
  double *moved = e->error, *first = e->k[0], *other = e->k[1];
  if (derivatives(e, t, x, first) != OK) return false;
  memcpy(moved, x, n * sizeof *moved);
  for (size_t j = 0; j < n; j++) {
    double step = 1e-7 * (fabs(x[j]) + 1e-4);
    moved[j] = x[j] + step;
    step = moved[j] - x[j];
    if (derivatives(e, t, moved, other) != OK) return false;
    for (size_t i = 0; i < n; i++) J[i * n + j] = (other[i] - first[i]) / step;
    moved[j] = x[j];
  }
  return true;
}

/* x = a^-1 x with partial pivoting; a is overwritten. */
static bool solve_system(size_t n, double *a, double *x) {
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    if (!(fabs(a[best * n + k]) > 0)) return false;
    for (size_t j = 0; best != k && j < n; j++) {
      double value = a[k * n + j];
      a[k * n + j] = a[best * n + j], a[best * n + j] = value;
    }
    double value = x[k];
    x[k] = x[best], x[best] = value;
    for (size_t i = k + 1; i < n; i++) {
      double factor = a[i * n + k] / a[k * n + k];
      if (factor == 0) continue;
      for (size_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      x[i] -= factor * x[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; j++) x[k] -= a[k * n + j] * x[j];
    x[k] /= a[k * n + k];
  }
  return true;
}

/* One step of extrapolated linearly implicit Euler steps, 1 to 4 of them, to e->y; returns the error
 * as try_step. J belongs to the point e->t, e->x. */
static double try_implicit_step(exchange *e, double h) {
  size_t n = e->n;
  double *J = e->matrix, *a = J + n * n, *table = a + n * n;
  for (int j = 0; j < 4; j++) {
    double *row = table + (size_t)j * n, part = h / (j + 1);
    memcpy(row, e->x, n * sizeof *row);
    for (int s = 0; s <= j; s++) {
      double *change = e->k[2];
      if (derivatives(e, e->t + (s + 1) * part, row, change) != OK) return INFINITY;
      for (size_t i = 0; i < n * n; i++) a[i] = -part * J[i];
      for (size_t i = 0; i < n; i++) a[i * n + i] += 1, change[i] *= part;
      if (!solve_system(n, a, change)) return INFINITY;
      for (size_t i = 0; i < n; i++) row[i] += change[i];
    }
  }
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double T[4], before = 0;
    for (int j = 0; j < 4; j++) T[j] = table[(size_t)j * n + i];
    for (int k = 1; k < 4; k++) {
      before = T[3];
      for (int j = 3; j >= k; j--) T[j] += (T[j] - T[j - 1]) * (j + 1 - k) / k;
    }
    e->y[i] = T[3];
    /* the estimate is that of order 3 */
    double part = (T[3] - before) / (e->tolerance * (1 + fmax(fabs(e->x[i]), fabs(T[3]))));
    sum += part * part;
  }
  return n ? sqrt(sum / (double)n) : 0;
}

static double try_any_step(exchange *e, double h) {
  return e->implicit ? try_implicit_step(e, h) : try_step(e, h);
}

/* Event mode, and back. */
static bool handle_event(exchange *e) {
  const unit *u = e->u;
  bool moved = false, terminate = false;
  e->next = INFINITY;
  if (u->version == 2) {
    event_info info = {.more = 1};
    while (info.more && !info.terminate) {
      if (CALL(int (*)(void *, event_info *), "NewDiscreteStates")(e->c, &info) != OK) return false;
      moved |= info.moved;
    }
    terminate = info.terminate;
    if (info.has_next) e->next = info.next;
  } else {
    bool more = true, nominals, values, has_next = false;
    double next;
    while (more && !terminate) {
      if (CALL(int (*)(void *, bool *, bool *, bool *, bool *, bool *, double *),
               "UpdateDiscreteStates")(e->c, &more, &terminate, &nominals, &values, &has_next,
                                       &next) != OK)
        return false;
      moved |= values;
    }
    if (has_next) e->next = next;
  }
  e->ended = terminate;
  e->moved = moved;
  if (moved) CALL(int (*)(void *, double *, size_t), "GetContinuousStates")(e->c, e->x, e->n);
  if (terminate) return true;
  if (simple(u, e->c, "EnterContinuousTimeMode") != OK) return false;
  return indicators(e, e->g) == OK;
}

/* Does some indicator have another sign at the end of the step? */
static bool has_crossed(exchange *e) {
  bool crossed = false;
  if (indicators(e, e->g_new) != OK) return true;
  for (size_t i = 0; i < e->indicators; i++) crossed |= (e->g[i] > 0) != (e->g_new[i] > 0);
  return crossed;
}

static bool accept(exchange *e, double t, bool event) {
  const unit *u = e->u;
  e->t = t;
  memcpy(e->x, e->y, e->n * sizeof *e->x);
  e->steps++;
  bool wants = false;
  int status;
  if (set_point(e, e->t, e->x) != OK) return false;
  if (u->version == 2) {
    int asks = 0, terminate = 0;
    status = CALL(int (*)(void *, int, int *, int *), "CompletedIntegratorStep")(e->c, 1, &asks,
                                                                                 &terminate);
    wants = asks;
  } else {
    bool terminate;
    status = CALL(int (*)(void *, bool, bool *, bool *),
                  "CompletedIntegratorStep")(e->c, true, &wants, &terminate);
  }
  if (status != OK) return false;
  memcpy(e->g, e->g_new, e->indicators * sizeof *e->g);
  if (!wants && !event) return true;
  e->events += event;
  e->projections += wants;
  e->before_at = t;
  if (e->table) get(u, e->c, e->table->reference, e->table->columns, e->before);
  return simple(u, e->c, "EnterEventMode") == OK && handle_event(e);
}

/* Integrates to `end`. */
static bool integrate(exchange *e, double end, double *h) {
  const long MOST_EXPLICIT = 20000;
  while (e->t < end && !e->ended) {
    double to = fmin(end, e->next), left = to - e->t;
    bool last = *h >= left;
    if (e->steps > MOST_EXPLICIT && !e->implicit && e->n <= 400) {
      e->implicit = true;
      e->matrix = calloc(2 * e->n * e->n + 4 * e->n, sizeof *e->matrix);
    }
    if (e->implicit && !fill_jacobian(e, e->t, e->x, e->matrix)) return false;
    double size = last ? left : *h, error = try_any_step(e, size);
    if (!(error < INFINITY) && e->steps == 0 && size < 1e-10 * left) {
      /* a start on the border of the region where functions have values: Euler's step stays inside */
      if (derivatives(e, e->t, e->x, e->k[0]) != OK) return false;
      for (size_t i = 0; i < e->n; i++) e->y[i] = e->x[i] + size * e->k[0][i];
      error = 0;
    }
    if (!(error <= 1)) {
      *h = size * fmax(0.2, error < INFINITY ? 0.9 * pow(error, -0.2) : 0.2);
      if (*h < 1e-14 * (1 + fabs(e->t))) return false;
      continue;
    }
    if (set_point(e, last ? to : e->t + size, e->y) != OK) return false;
    bool event = has_crossed(e);
    if (event) { /* the shortest step with a change of sign */
      double low = 0, high = size;
      for (int i = 0; i < 60 && high - low > 1e-15 * (1 + fabs(e->t)); i++) {
        double middle = (low + high) / 2;
        bool good = try_any_step(e, middle) < INFINITY && set_point(e, e->t + middle, e->y) == OK;
        if (good && !has_crossed(e)) low = middle;
        else high = middle;
      }
      last = high == size && last;
      size = high;
      try_any_step(e, size);
      if (set_point(e, last ? to : e->t + size, e->y) != OK) return false;
      has_crossed(e);
    }
    event = event || (last && to == e->next);
    if (!accept(e, last ? to : e->t + size, event)) return false;
    if (event) *h = fmin(*h, 1e-3);
    else if (!last || error > 0.5) *h = size * fmin(5, 0.9 * pow(error + 1e-10, -0.2));
  }
  return true;
}

static bool start_exchange(exchange *e, const unit *u, double tolerance, double start, double end) {
  memset(e, 0, sizeof *e);
  e->u = u;
  e->n = u->states;
  e->indicators = u->indicators;
  e->tolerance = tolerance;
  e->t = start;
  e->next = INFINITY;
  e->x = calloc(11 * e->n + 2 * e->indicators + 1, sizeof *e->x);
  for (int i = 0; i < 7; i++) e->k[i] = e->x + (size_t)(i + 1) * e->n;
  e->y = e->x + 8 * e->n;
  e->error = e->x + 9 * e->n;
  e->g = e->x + 11 * e->n;
  e->g_new = e->g + e->indicators;
  e->c = instantiate(u, true);
  if (setup(u, e->c, tolerance, start, end) != OK) return false;
  if (simple(u, e->c, "ExitInitializationMode") != OK) return false;
  CALL(int (*)(void *, double *, size_t), "GetContinuousStates")(e->c, e->x, e->n);
  return handle_event(e);
}

/* The first event mode of an instance, and its states behind it. */
static void exchange_point(const unit *u, void *c, double *x) {
  double *g = calloc(u->indicators + 1, sizeof *g);
  exchange e = {.u = u, .c = c, .n = u->states, .indicators = u->indicators, .x = x, .g = g};
  expect(handle_event(&e), "the first event mode");
  CALL(int (*)(void *, double *, size_t), "GetContinuousStates")(c, x, u->states);
  free(g);
}

static void end_exchange(exchange *e) {
  release(e->u, e->c);
  free(e->matrix);
  free(e->x);
}

static void exchange_rows(const unit *u, const table *t, double tolerance) {
  exchange e;
  double h = 1e-4 * fmin(1, end_of(t) - row_of(t, 0)[0]), size[MOST_COLUMNS];
  measure_columns(t, size);
  expect(start_exchange(&e, u, 1e-9, row_of(t, 0)[0], end_of(t)), "the start of model exchange");
  e.table = t;
  e.before_at = NAN;
  for (size_t i = 1; i < t->rows && failures < 10 && !e.ended; i++) {
    if (row_of(t, i)[0] == row_of(t, i - 1)[0]) continue;
    if (!integrate(&e, row_of(t, i)[0], &h)) {
      fail("%sthe integration failed at %.17g", "", e.t);
      break;
    }
    if (i + 1 < t->rows && row_of(t, i + 1)[0] == row_of(t, i)[0]) continue;
    bool near = fabs(e.before_at - e.t) <= 1e-12 * end_of(t);
    if (!e.ended) compare_row(u, e.c, t, i, tolerance, size, near ? e.before : NULL);
  }
  printf("%ld steps%s, %ld events, %ld projections, difference %.2g\n", e.steps,
         e.implicit ? " (implicit)" : "", e.events, e.projections, largest_difference);
  end_exchange(&e);
}

static void *save_state(const unit *u, void *c) {
  void *state = NULL;
  const char *name = u->version == 2 ? "GetFMUstate" : "GetFMUState";
  expect(CALL(int (*)(void *, void **), name)(c, &state) == OK, "getting a state");
  return state;
}

static void load_state(const unit *u, void *c, void *state) {
  const char *name = u->version == 2 ? "SetFMUstate" : "SetFMUState";
  expect(CALL(int (*)(void *, void *), name)(c, state) == OK, "setting a state");
}

static void free_state(const unit *u, void *c, void *state) {
  const char *name = u->version == 2 ? "FreeFMUstate" : "FreeFMUState";
  expect(CALL(int (*)(void *, void **), name)(c, &state) == OK, "freeing a state");
}

/* Goes from one event that is announced to the next, with the states that there are; the times must be
 * these. A state from before an event announces it again. */
static void test_times(const unit *u, int count, char **time) {
  exchange e;
  double end = atof(time[count - 1]) + 1;
  expect(start_exchange(&e, u, 1e-9, 0, end), "the start of model exchange");
  for (int i = 0; i < count; i++) {
    double wanted = atof(time[i]);
    if (!(fabs(e.next - wanted) <= 1e-13 * end))
      fail("%s is announced at %.17g", "an event", e.next);
    if (!(e.next < INFINITY)) break;
    e.t = e.next;
    expect(set_point(&e, e.t, e.x) == OK, "the time of the event");
    void *state = save_state(u, e.c);
    expect(simple(u, e.c, "EnterEventMode") == OK && handle_event(&e), "the event");
    expect(e.moved, "a switch is reported as a change of the states");
    expect(e.next > e.t, "the next event comes later");
    double after = e.next;
    load_state(u, e.c, state);
    free_state(u, e.c, state);
    expect(simple(u, e.c, "EnterEventMode") == OK && handle_event(&e), "the event again");
    expect(e.next == after, "the next event again");
  }
  if (e.next < INFINITY) fail("%s is announced at %.17g", "another event", e.next);
  end_exchange(&e);
}

/* ---- the other tests ---- */

static double largest_residual(const unit *u, void *c) {
  double most = 0;
  for (size_t i = 0; i < u->variables; i++) {
    double value;
    if (strncmp(u->variable[i].name, "residual", 8)) continue;
    expect(get(u, c, &u->variable[i].reference, 1, &value) == OK, "a residual");
    if (!(fabs(value) <= most)) most = fabs(value);
  }
  return most;
}

static void run_long(const unit *u, double end) {
  enum { POINTS = 1000 };
  table t = {.rows = 2};
  double ends[2] = {0, end}, most = 0, h = 1e-3;
  t.value = ends;
  void *c = start_simulation(u, &t);
  for (int i = 1; i <= POINTS; i++) {
    double from = end * (i - 1) / POINTS, to = end * i / POINTS, last;
    bool early;
    expect(do_step(u, c, from, to - from, &early, &last) == OK, "a step");
    most = fmax(most, largest_residual(u, c));
  }
  release(u, c);
  exchange e;
  expect(start_exchange(&e, u, 1e-6, 0, end), "the start of model exchange");
  for (int i = 1; i <= POINTS; i++) {
    expect(integrate(&e, end * i / POINTS, &h), "the integration");
    most = fmax(most, largest_residual(u, e.c));
  }
  printf("%.3g\n", most);
  end_exchange(&e);
}

static void test_states(const unit *u, const table *t) {
  const char *fmu_state = u->version == 2 ? "FMUstate" : "FMUState";
  char name[5][40];
  snprintf(name[0], 40, "Get%s", fmu_state);
  snprintf(name[1], 40, "Set%s", fmu_state);
  snprintf(name[2], 40, "Serialize%s", fmu_state);
  snprintf(name[3], 40, "%s%s", u->version == 2 ? "DeSerialize" : "Deserialize", fmu_state);
  snprintf(name[4], 40, "Free%s", fmu_state);
  char size_name[40];
  snprintf(size_name, sizeof size_name, "Serialized%sSize", fmu_state);

  /* saved in the middle */
  void *c = start_simulation(u, t), *state = NULL, *again = NULL;
  size_t middle = t->rows / 2, size = 0;
  table half = *t;
  half.rows = middle + 1;
  follow_rows(u, c, &half, 0);
  expect(CALL(int (*)(void *, void **), name[0])(c, &state) == OK, "getting a state");
  follow_rows(u, c, t, middle);

  /* back in the same instance, then in another one by bytes */
  expect(CALL(int (*)(void *, void *), name[1])(c, state) == OK, "setting a state");
  follow_rows(u, c, t, middle);
  expect(CALL(int (*)(void *, void *, size_t *), size_name)(c, state, &size) == OK, "the size");
  char *bytes = malloc(size);
  expect(CALL(int (*)(void *, void *, char *, size_t), name[2])(c, state, bytes, size) == OK,
         "serialising");
  expect(CALL(int (*)(void *, void **), name[4])(c, &state) == OK && !state, "freeing a state");
  release(u, c);

  c = instantiate(u, false);
  expect(CALL(int (*)(void *, const char *, size_t, void **), name[3])(c, bytes, size, &again) ==
             OK,
         "deserialising");
  expect(CALL(int (*)(void *, void *), name[1])(c, again) == OK, "setting a deserialised state");
  follow_rows(u, c, t, middle);
  CALL(int (*)(void *, void **), name[4])(c, &again);
  loud = false;
  bytes[size / 2] ^= 1;
  expect(CALL(int (*)(void *, const char *, size_t, void **), name[3])(c, bytes, size, &again) ==
             ERROR,
         "damaged bytes are refused");
  free(bytes);
  release(u, c);
}

static void count_update(void *environment, double time, bool set_, bool get_, bool finished,
                         bool can_return, bool *early, double *early_time) {
  update_log *log = environment;
  (void)set_, (void)early_time;
  expect(get_ && finished && can_return, "the arguments of an intermediate update");
  expect(time > log->last, "intermediate times grow");
  log->last = time;
  log->calls++;
  if (time >= log->until) *early = true;
}

static void test_early(const unit *u) {
  update_log log = {.last = -INFINITY, .until = INFINITY};
  void *c = instantiate_as(u, false, u->token, true, &log, count_update);
  bool end;
  double last;
  setup(u, c, 0, 0, 10);
  simple(u, c, "ExitInitializationMode");
  expect(do_step(u, c, 0, 2, &end, &last) == OK && !end && last == 2, "a step without return");
  expect(log.calls > 3, "intermediate values");
  log.until = 2.5;
  expect(do_step(u, c, 2, 2, &end, &last) == OK && end, "early return");
  expect(last >= 2.5 && last < 4 && last == log.last, "the time of the return");
  log.until = INFINITY;
  expect(do_step(u, c, last, 5 - last, &end, &last) == OK && !end && last == 5, "going on");
  release(u, c);
}

static void test_calls(const unit *u) {
  double value = 1, last;
  bool end;
  unsigned wrong = 1000000, time = 0, parameter = 0, output = 0;
  for (size_t i = 0; i < u->variables; i++) {
    if (u->variable[i].parameter) parameter = u->variable[i].reference;
    if (u->variable[i].output) output = u->variable[i].reference;
  }
  loud = false;
  expect(!instantiate_as(u, false, "{another}", false, NULL, NULL), "a wrong token");
  void *c = instantiate(u, false);
  expect(do_step(u, c, 0, 1, &end, &last) == ERROR, "a step before the initialization");
  expect(simple(u, c, "ExitInitializationMode") == ERROR, "leaving a mode that it is not in");
  expect(get(u, c, &wrong, 1, &value) == ERROR, "a wrong reference, get");
  expect(set(u, c, &wrong, 1, &value) == ERROR, "a wrong reference, set");
  value = NAN;
  if (parameter) expect(set(u, c, &parameter, 1, &value) == ERROR, "a parameter that is NaN");
  value = 1;
  expect(set(u, c, &time, 1, &value) == ERROR, "the time is not set by a variable");
  expect(setup(u, c, -1, 0, NAN) == ERROR, "a wrong stop time");
  expect(setup(u, c, 0, 0, 1) == OK, "a right one");
  expect(simple(u, c, "ExitInitializationMode") == OK, "the initialization");
  expect(do_step(u, c, 0.5, 0.1, &end, &last) == ERROR, "a wrong communication point");
  expect(do_step(u, c, 0, -0.1, &end, &last) == ERROR, "a negative step");
  expect(do_step(u, c, 0, NAN, &end, &last) == ERROR, "a step that is NaN");
  expect(do_step(u, c, 0, 2, &end, &last) == ERROR, "beyond the stop time");
  expect(do_step(u, c, 0, 0.5, &end, &last) == OK, "a good step after all of them");
  if (output) expect(set(u, c, &output, 1, &value) == ERROR, "an output cannot be set in a run");
  expect(simple(u, c, "Reset") == OK, "reset");
  expect(do_step(u, c, 0, 0.5, &end, &last) == ERROR, "a step after reset");
  release(u, c);
  release(u, NULL);

  /* model exchange */
  c = instantiate(u, true);
  double x[MOST_STATES] = {0};
  expect(setup(u, c, 0, 0, 1) == OK, "initialization mode");
  expect(simple(u, c, "EnterContinuousTimeMode") == ERROR, "continuous time before its turn");
  expect(simple(u, c, "ExitInitializationMode") == OK, "the initialization");
  expect(CALL(int (*)(void *, const double *, size_t), "SetContinuousStates")(c, x, u->states) ==
             ERROR,
         "states are not set in event mode");
  exchange e = {.u = u, .c = c, .n = u->states, .indicators = u->indicators, .x = x};
  e.g = calloc(u->indicators + 1, sizeof *e.g);
  expect(handle_event(&e), "the first event mode");
  expect(CALL(int (*)(void *, const double *, size_t),
              "SetContinuousStates")(c, x, u->states + 1) == ERROR,
         "too many states");
  CALL(int (*)(void *, double *, size_t), "GetContinuousStates")(c, x, u->states);
  double good = x[0], dx[MOST_STATES];
  x[0] = NAN;
  expect(derivatives(&e, 0, x, dx) == DISCARD, "derivatives at a state that is NaN");
  x[0] = good;
  expect(derivatives(&e, 0, x, dx) == OK, "derivatives after that");
  free(e.g);
  release(u, c);
}

/* ---- partial derivatives ---- */

static int directional(const unit *u, void *c, const unsigned *unknown, size_t unknowns,
                       const unsigned *known, size_t knowns, const double *seed, double *out) {
  if (u->version == 2)
    return CALL(int (*)(void *, const unsigned *, size_t, const unsigned *, size_t, const double *,
                        double *),
                "GetDirectionalDerivative")(c, unknown, unknowns, known, knowns, seed, out);
  return CALL(int (*)(void *, const unsigned *, size_t, const unsigned *, size_t, const double *,
                      size_t, double *, size_t),
              "GetDirectionalDerivative")(c, unknown, unknowns, known, knowns, seed, knowns, out,
                                          unknowns);
}

/* A random number between -1 and 1. */
static double draw_number(unsigned *random) {
  *random = *random * 1103515245u + 12345u;
  return (double)(*random >> 8 & 0xffff) / 32768 - 1;
}

/* What a test of partial derivatives needs: knowns are all states, then all inputs; unknowns are
 * outputs, derivatives of states and event indicators. */
typedef struct partial {
  exchange e;
  size_t knowns, unknowns;
  unsigned *known, *unknown;
  double end;
} partial;

static void list_partial(const unit *u, partial *p) {
  p->unknown = calloc(u->variables, sizeof *p->unknown);
  p->known = calloc(u->variables, sizeof *p->known);
  for (size_t i = 0; i < u->variables; i++) {
    const variable *v = &u->variable[i];
    char name[210];
    bool indicator = !strncmp(v->name, "indicator ", 10);
    if (v->output || indicator || !strncmp(v->name, "der(", 4))
      p->unknown[p->unknowns++] = v->reference;
    snprintf(name, sizeof name, "der(%s)", v->name);
    for (size_t j = 0; j < u->variables; j++)
      if (!strcmp(u->variable[j].name, name)) p->known[p->knowns++] = v->reference;
  }
  expect(p->knowns == u->states, "every state has a derivative");
  for (size_t i = 0; i < u->variables; i++)
    if (u->variable[i].input) p->known[p->knowns++] = u->variable[i].reference;
}

/* The unknowns where the knowns have the values x. */
static bool evaluate_unknowns(partial *p, const double *x, double *out) {
  const unit *u = p->e.u;
  size_t n = u->states;
  if (set_point(&p->e, p->end, x) != OK) return false;
  if (set(u, p->e.c, p->known + n, p->knowns - n, x + n) != OK) return false;
  return get(u, p->e.c, p->unknown, p->unknowns, out) == OK;
}

/* At the point that some steps of Euler's method reach at `end`: the derivatives of all unknowns along
 * random directions agree with central differences; seed^T (J v) = (J^T seed)^T v. */
static void test_partial(const unit *u, double end) {
  partial p = {.e = {.u = u, .n = u->states, .indicators = u->indicators}, .end = end};
  list_partial(u, &p);
  size_t n = u->states, knowns = p.knowns, unknowns = p.unknowns;
  double *value = calloc(4 * unknowns + 5 * knowns + 1, sizeof *value), *after = value + unknowns;
  double *exact = after + unknowns, *seed = exact + unknowns, *transposed = seed + unknowns;
  double *x = transposed + knowns, *v = x + knowns, *moved = v + knowns, *dx = moved + knowns;
  unsigned random = 1;

  /* the point, which the FMU projects; inputs have some values there */
  void *c = p.e.c = instantiate(u, true);
  expect(setup(u, c, 0, 0, end) == OK, "initialization mode");
  expect(simple(u, c, "ExitInitializationMode") == OK, "initialization");
  exchange_point(u, c, x);
  for (int k = 0; k < 100; k++) {
    expect(derivatives(&p.e, end * k / 100, x, dx) == OK, "derivatives");
    for (size_t i = 0; i < n; i++) x[i] += end / 100 * dx[i];
    expect(set_point(&p.e, end * (k + 1) / 100, x) == OK, "a point");
    expect(get(u, c, p.known, n, x) == OK, "the projected states");
  }
  for (size_t i = n; i < knowns; i++) x[i] = 0.1 * draw_number(&random);
  expect(evaluate_unknowns(&p, x, value), "a point with inputs");
  expect(get(u, c, p.known, n, x) == OK, "the projected states");

  for (int trial = 0; trial < 3; trial++) {
    double h = 1e-6, most = 0;
    for (size_t i = 0; i < knowns; i++) v[i] = draw_number(&random);
    for (size_t i = 0; i < knowns; i++) moved[i] = x[i] + h * v[i];
    expect(evaluate_unknowns(&p, moved, after), "a point");
    for (size_t i = 0; i < knowns; i++) moved[i] = x[i] - h * v[i];
    expect(evaluate_unknowns(&p, moved, value), "a point");
    for (size_t i = 0; i < unknowns; i++) value[i] = (after[i] - value[i]) / (2 * h);
    expect(evaluate_unknowns(&p, x, after), "a point");
    expect(directional(u, c, p.unknown, unknowns, p.known, knowns, v, exact) == OK,
           "directional derivatives");
    for (size_t i = 0; i < unknowns; i++) most = fmax(most, fabs(exact[i]));
    for (size_t i = 0; i < unknowns; i++)
      if (!(fabs(value[i] - exact[i]) <= 1e-6 * (1 + most)))
        fail("%s: the difference is off by %g", u->variable[p.unknown[i]].name,
             value[i] - exact[i]);
    if (u->version == 2) continue;
    double left = 0, right = 0, sizes = 0;
    for (size_t i = 0; i < unknowns; i++) seed[i] = (double)(i % 3) - 0.7;
    expect(CALL(int (*)(void *, const unsigned *, size_t, const unsigned *, size_t, const double *,
                        size_t, double *, size_t),
                "GetAdjointDerivative")(c, p.unknown, unknowns, p.known, knowns, seed, unknowns,
                                        transposed, knowns) == OK,
           "adjoint derivatives");
    for (size_t i = 0; i < unknowns; i++) left += seed[i] * exact[i];
    for (size_t i = 0; i < knowns; i++) right += transposed[i] * v[i];
    for (size_t i = 0; i < knowns; i++) sizes += fabs(transposed[i] * v[i]);
    expect(fabs(left - right) <= 1e-11 * (1 + sizes),
           "adjoint derivatives are the transposed ones");
  }

  /* wrong calls */
  loud = false;
  unsigned wrong = 99999;
  expect(directional(u, c, &wrong, 1, p.known, knowns, v, exact) == ERROR, "a wrong unknown");
  expect(directional(u, c, p.unknown, unknowns, &wrong, 1, v, exact) == ERROR, "a wrong known");
  free(value);
  free(p.unknown);
  free(p.known);
  release(u, c);
}

/* ---- dependencies ---- */

static double get_by_name(const unit *u, void *c, const char *name) {
  unsigned reference = find_variable(u, name)->reference;
  double value = NAN;
  expect(get(u, c, &reference, 1, &value) == OK, "getting a value");
  return value;
}

/* Marks in table[unknown * variables + known] what the element from..end lists; counts lists. */
static void read_dependencies(const unit *u, const char *from, const char *end, bool *table,
                              size_t *lists) {
  static char list[1000000];
  char value[20];
  bool two = u->version == 2;
  if (!attribute(from, end, two ? "index" : "valueReference", value, sizeof value)) return;
  size_t unknown = (size_t)atoi(value) - two;
  bool *row = table + unknown * u->variables;
  if (unknown >= u->variables) stop("there is no variable", value);
  if (!attribute(from, end, "dependencies", list, sizeof list)) return;
  ++*lists;
  memset(row, 0, u->variables * sizeof *row);
  for (char *at = list, *next; *at; at = next) {
    size_t known = (size_t)strtoul(at, &next, 10) - two;
    if (next == at || known >= u->variables) stop("wrong dependencies", list);
    row[known] = true;
  }
}

static void read_structure(const char *folder, const unit *u, bool *table) {
  static const char *const words[] = {"<Unknown ", "<Output ", "<ContinuousStateDerivative ",
                                      "<EventIndicator "};
  char path[2000];
  size_t size, lists = 0;
  snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
  char *text = read_whole(path, &size), *first = strstr(text, "<ModelStructure>");
  char *initial = strstr(first, "<InitialUnknowns>");
  memset(table, 1, u->variables * u->variables * sizeof *table);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    for (char *at = strstr(first, words[k]); at; at = strstr(at + 1, words[k]))
      if (!initial || at < initial) read_dependencies(u, at, strchr(at, '>'), table, &lists);
  printf("%zu lists\n", lists);
  free(text);
}

/* Moves one known after the other at points near the start; unknowns whose lists lack it stay. */
static void test_depend(const char *folder, const unit *u) {
  partial p = {.e = {.u = u, .n = u->states, .indicators = u->indicators}};
  list_partial(u, &p);
  bool *table = malloc(u->variables * u->variables * sizeof *table);
  double *x = calloc(2 * p.knowns + 2 * p.unknowns + 2, sizeof *x), *moved = x + p.knowns + 1;
  double *before = moved + p.knowns, *after = before + p.unknowns;
  unsigned random = 1;
  read_structure(folder, u, table);
  void *c = p.e.c = instantiate(u, true);
  double start = get_by_name(u, c, "time");
  expect(setup(u, c, 0, start, start + 1) == OK, "initialization mode");
  expect(simple(u, c, "ExitInitializationMode") == OK, "initialization");
  exchange_point(u, c, x);
  loud = false;
  for (int round = 0; round < 2; round++) {
    for (size_t i = 0; round && i < p.knowns; i++)
      x[i] += 1e-4 * draw_number(&random) * (1 + fabs(x[i]));
    p.end = start + 1e-4 * round;
    if (!evaluate_unknowns(&p, x, before)) break;
    for (size_t j = 0; j <= p.knowns; j++) { /* the last one is the time */
      memcpy(moved, x, p.knowns * sizeof *x);
      double step = 1e-5 * (1 + (j < p.knowns ? fabs(x[j]) : 0));
      if (j < p.knowns) moved[j] += step;
      p.end = start + 1e-4 * round + (j < p.knowns ? 0 : step);
      if (!evaluate_unknowns(&p, moved, after)) continue;
      unsigned known = j < p.knowns ? p.known[j] : 0;
      for (size_t i = 0; i < p.unknowns; i++) {
        if (table[p.unknown[i] * u->variables + known]) continue;
        double change = fabs(after[i] - before[i]);
        char text[450];
        snprintf(text, sizeof text, "%s moves with %s,", u->variable[p.unknown[i]].name,
                 u->variable[known].name);
        if (change > 1e-10 * (1 + fabs(before[i]))) fail("%s by %.3g", text, change);
      }
    }
  }
  release(u, c);
  free(x);
  free(table);
  free(p.known);
  free(p.unknown);
}

static void test_many(const unit *u) {
  enum { COUNT = 5 };
  void *c[COUNT];
  static const int order[COUNT] = {3, 0, 4, 1, 2};
  unsigned reference = 0;
  double first = 0;
  for (size_t i = 0; i < u->variables; i++)
    if (u->variable[i].output) reference = u->variable[i].reference;
  for (int i = 0; i < COUNT; i++) {
    c[i] = instantiate(u, false);
    expect(setup(u, c[i], 0, 0, 1) == OK, "initialization mode");
    expect(simple(u, c[i], "ExitInitializationMode") == OK, "initialization");
  }
  for (int k = 1; k <= 10; k++)
    for (int i = 0; i < COUNT; i++) {
      double last, value;
      bool end;
      expect(do_step(u, c[i], (k - 1) / 10., k / 10. - (k - 1) / 10., &end, &last) == OK, "a step");
      expect(get(u, c[i], &reference, 1, &value) == OK, "an output");
      if (i == 0) first = value;
      expect(same(value, first), "instances do not disturb each other");
    }
  for (int i = 0; i < COUNT; i++) release(u, c[order[i]]);
}

/* ---- threads ---- */

enum { THREADS = 8 };

typedef struct worker {
  const unit *u;
  const table *t;
  int number;
  void *c;    /* what is left to be freed by another thread */
  bool wrong; /* some value differs */
} worker;

/* Even workers simulate the rows. Odd ones evaluate derivatives of model exchange at the start, many
 * times and with states and time moved; the last values must be the first ones again. */
static void *work_alone(void *argument) {
  worker *w = argument;
  const unit *u = w->u;
  const table *t = w->t;
  bool odd = w->number % 2;
  w->c = instantiate(u, odd);
  w->wrong = setup(u, w->c, 0, row_of(t, 0)[0], end_of(t)) != OK ||
             simple(u, w->c, "ExitInitializationMode") != OK;
  double *value = calloc(t->columns + 3 * u->states + 1, sizeof *value);
  double *x = value + t->columns, *first = x + u->states, *dx = first + u->states;
  for (size_t i = 1; !odd && !w->wrong && i < t->rows; i++) {
    double from = row_of(t, i - 1)[0], last;
    bool end;
    if (do_step(u, w->c, from, row_of(t, i)[0] - from, &end, &last) != OK) w->wrong = true;
    if (get(u, w->c, t->reference, t->columns, value) != OK) w->wrong = true;
    for (size_t k = 0; k < t->columns; k++) w->wrong |= !same(value[k], row_of(t, i)[k + 1]);
  }
  if (odd && !w->wrong) {
    exchange_point(u, w->c, x);
    exchange e = {.u = u, .c = w->c, .n = u->states};
    double at = row_of(t, 0)[0];
    w->wrong = derivatives(&e, at, x, first) != OK;
    for (int k = 1; k <= 200; k++) {
      x[0] += 1e-3;
      w->wrong |= derivatives(&e, at + 1e-3 * k, x, dx) != OK;
      x[0] -= 1e-3;
    }
    w->wrong |= derivatives(&e, at, x, dx) != OK || memcmp(first, dx, u->states * sizeof *dx);
  }
  free(value);
  if (w->number % 4 < 2) {
    release(u, w->c);
    w->c = NULL;
  }
  return NULL;
}

static void test_threads(const unit *u, const table *t) {
  pthread_t thread[THREADS];
  worker w[THREADS];
  for (int i = 0; i < THREADS; i++) {
    w[i] = (worker){.u = u, .t = t, .number = i};
    expect(!pthread_create(&thread[i], NULL, work_alone, &w[i]), "a thread");
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  for (int i = THREADS - 1; i >= 0; i--) {
    expect(!w[i].wrong, i % 2 ? "model exchange in a thread" : "co-simulation in a thread");
    if (w[i].c) release(u, w[i].c);
  }
}

/* ---- inputs ---- */

static void set_by_name(const unit *u, void *c, const char *name, double value) {
  unsigned reference = find_variable(u, name)->reference;
  expect(set(u, c, &reference, 1, &value) == OK, "setting an input");
}

/* Takes steps of 0.25 up to `to`; expects x there. */
static void step_and_expect(const unit *u, void *c, double from, double to, double x) {
  for (double t = from; t < to - 0.1; t += 0.25) {
    bool end = false;
    double last = t;
    expect(do_step(u, c, t, 0.25, &end, &last) == OK, "a step with inputs");
  }
  double found = get_by_name(u, c, "x");
  if (!(fabs(found - x) < 1e-7)) fail("%s is %.17g", "x with inputs", found);
}

/* x' = u - x with u = 3, then 1, then 1 + 2 s + s^2/2, whose solution is s + s^2/2 + x(2) e^-s. */
static void test_inputs(const unit *u) {
  void *c = instantiate(u, false);
  set_by_name(u, c, "u", 3);
  expect(setup(u, c, 0, 0, 4) == OK, "initialization mode");
  expect(simple(u, c, "ExitInitializationMode") == OK, "leaving initialization mode");
  double x1 = 3 * (1 - exp(-1)), x2 = 1 + (x1 - 1) * exp(-1);
  step_and_expect(u, c, 0, 1, x1);
  set_by_name(u, c, "u", 1);
  expect(get_by_name(u, c, "u") == 1, "the value of an input");
  expect(fabs(get_by_name(u, c, "x") - x1) < 1e-7, "a state stays when an input is set");
  step_and_expect(u, c, 1, 2, x2);
  loud = false;
  static const double not_numbers[] = {NAN, INFINITY, -INFINITY};
  unsigned input = find_variable(u, "u")->reference;
  for (int i = 0; i < 3; i++)
    expect(set(u, c, &input, 1, &not_numbers[i]) == ERROR, "an input that is not a finite number");
  expect(get_by_name(u, c, "u") == 1, "the input stays");
  loud = true;
  if (u->version == 2) {
    unsigned reference[2] = {find_variable(u, "u")->reference, find_variable(u, "u")->reference};
    const int order[2] = {1, 2}, wrong = 3;
    const double value[2] = {2, 1};
    int (*function)(void *, const unsigned *, size_t, const int *, const double *) =
        CALL(int (*)(void *, const unsigned *, size_t, const int *, const double *),
             "SetRealInputDerivatives");
    expect(function(c, reference, 2, order, value) == OK, "derivatives of an input");
    loud = false;
    expect(function(c, reference, 1, &wrong, value) != OK, "a derivative of order 3");
    loud = true;
  } else {
    set_by_name(u, c, "u'", 2);
    set_by_name(u, c, "u''", 1);
  }
  step_and_expect(u, c, 2, 3.5, 1.5 + 1.125 + x2 * exp(-1.5));
  release(u, c);

  /* model exchange: the derivative follows the input at once */
  exchange e;
  if (!start_exchange(&e, u, 1e-6, 0, 4)) return;
  double x = 0.5, dx = NAN;
  set_by_name(u, e.c, "u", 2);
  expect(derivatives(&e, 0.5, &x, &dx) == OK && fabs(dx - 1.5) < 1e-12, "a derivative with u = 2");
  set_by_name(u, e.c, "u", -1);
  expect(derivatives(&e, 0.5, &x, &dx) == OK && fabs(dx + 1.5) < 1e-12, "a derivative with u = -1");
  end_exchange(&e);
}

/* x' = 1; n counts 1 if u - x falls through 0, and 10 if it rises. */
static void test_jumps(const unit *u) {
  static const struct {
    double u, n;
  } way[] = {{5, 10}, {5, 10}, {1, 11}, {6, 21}, {6, 21}, {4.5, 22}, {4.4, 22}};
  void *c = instantiate(u, false);
  set_by_name(u, c, "u", -1);
  expect(setup(u, c, 0, 0, 8) == OK, "initialization mode");
  expect(simple(u, c, "ExitInitializationMode") == OK, "leaving initialization mode");
  bool end = false;
  double last = 0, at = 0.7;
  expect(do_step(u, c, 0, at, &end, &last) == OK, "the first step");
  for (int i = 0; i < 7; i++, at += 0.7) {
    set_by_name(u, c, "u", way[i].u);
    expect(do_step(u, c, at, 0.7, &end, &last) == OK && !end, "a step");
    double n = get_by_name(u, c, "n");
    if (n != way[i].n) fail("%s is %.17g", "the count of events", n);
    expect(fabs(get_by_name(u, c, "x") - (at + 0.7)) < 1e-9, "x beside events");
  }
  release(u, c);
}

/* ---- states between setting values and the next step ---- */

static void *start_held(const unit *u) {
  void *c = instantiate(u, false);
  expect(setup(u, c, 0, 0, 10) == OK, "initialization mode");
  expect(simple(u, c, "ExitInitializationMode") == OK, "leaving initialization mode");
  return c;
}

static void expect_held(const unit *u, void *c, const char *what, double x, double n) {
  double found = get_by_name(u, c, "x"), count = get_by_name(u, c, "n");
  if (!(fabs(found - x) < 1e-9)) fail("%s: x is %.17g", what, found);
  if (count != n) fail("%s: n is %.17g", what, count);
}

/* A step of length 1; expects x and n there. */
static void step_held(const unit *u, void *c, const char *what, double from, double x, double n) {
  bool end = false;
  double last = from;
  expect(do_step(u, c, from, 1, &end, &last) == OK && !end, what);
  expect_held(u, c, what, x, n);
}

/* x' = k + u, k = 1, u = 0; n counts how often u rises through 1/2. A value that is set after a step
 * is part of the state, and so is the side on which the event was before it. */
static void test_held(const unit *u) {
  static const char *const names[] = {"u", "k"};
  for (int i = 0; i < 2; i++) {
    const char *name = names[i];
    double value = i ? 5 : 2, x = i ? 6 : 4, n = i ? 0 : 1;
    void *c = start_held(u);
    step_held(u, c, "the first step", 0, 1, 0);
    set_by_name(u, c, name, value);
    void *state = save_state(u, c);
    step_held(u, c, "without a state", 1, x, n);
    load_state(u, c, state);
    expect(get_by_name(u, c, name) == value, "a value that was set is in the state");
    expect_held(u, c, "the state", 1, 0);
    step_held(u, c, "from the state", 1, x, n);
    void *other = start_held(u);
    load_state(u, other, state);
    expect(get_by_name(u, other, name) == value, "a value that was set, in another instance");
    step_held(u, other, "from the state, in another instance", 1, x, n);
    /* the state of a state, and one without a change behind it */
    load_state(u, other, state);
    void *again = save_state(u, other);
    load_state(u, c, again);
    step_held(u, c, "from the state of a state", 1, x, n);
    free_state(u, c, again);
    again = save_state(u, c);
    set_by_name(u, c, name, -1);
    load_state(u, c, again);
    expect(get_by_name(u, c, name) == value, "a value that was set after saving is gone");
    step_held(u, c, "as if nothing had been set", 2, x + (i ? 5 : 3), n);
    free_state(u, c, again);
    free_state(u, c, state);
    release(u, other);
    release(u, c);
  }

  /* sides noted before a state is set do not count behind it */
  void *c = start_held(u), *start = save_state(u, c);
  step_held(u, c, "the first step", 0, 1, 0);
  set_by_name(u, c, "u", 1);
  step_held(u, c, "u rises", 1, 3, 1);
  void *risen = save_state(u, c);
  load_state(u, c, start);
  set_by_name(u, c, "u", 0.2);
  load_state(u, c, risen);
  set_by_name(u, c, "u", 0.9);
  step_held(u, c, "u stays above", 2, 4.9, 1);

  /* the other way: those of the state count */
  load_state(u, c, start);
  expect_held(u, c, "the start", 0, 0);
  step_held(u, c, "the first step again", 0, 1, 0);
  set_by_name(u, c, "u", 1);
  void *rising = save_state(u, c);
  load_state(u, c, risen);
  set_by_name(u, c, "u", 3);
  load_state(u, c, rising);
  set_by_name(u, c, "u", 2);
  step_held(u, c, "u has risen", 1, 4, 1);
  free_state(u, c, rising);
  free_state(u, c, risen);
  free_state(u, c, start);
  release(u, c);
}

/* ---- states of every mode ---- */

/* The state as bytes, in another instance. */
static void *move_by_bytes(const unit *u, bool exchange, void *c, void *state) {
  size_t size = 0;
  void *other = instantiate(u, exchange), *again = NULL;
  bool two = u->version == 2;
  expect(CALL(int (*)(void *, void *, size_t *),
              two ? "SerializedFMUstateSize" : "SerializedFMUStateSize")(c, state, &size) == OK,
         "the size of a state");
  char *bytes = malloc(size);
  expect(CALL(int (*)(void *, void *, char *, size_t),
              two ? "SerializeFMUstate" : "SerializeFMUState")(c, state, bytes, size) == OK,
         "serialising");
  expect(CALL(int (*)(void *, const char *, size_t, void **),
              two ? "DeSerializeFMUstate" : "DeserializeFMUState")(other, bytes, size, &again) ==
             OK,
         "deserialising");
  load_state(u, other, again);
  free_state(u, other, again);
  free(bytes);
  return other;
}

/* Goes through the modes; in each one the state is saved, the way is gone to its end, and gone again from
 * the state, in the same instance and in another one. All ends must have the same values. */
static void test_modes(const unit *u) {
  for (int exchange = 0; exchange < 2; exchange++) {
    double first[MOST_VARIABLES / 10], value[MOST_VARIABLES / 10];
    size_t n = u->variables < MOST_VARIABLES / 10 ? u->variables : MOST_VARIABLES / 10;
    /* 0: instantiated, 1: initialization, 2: event or step mode, 3: behind it, 4: terminated */
    for (int saved = 0; saved <= 4; saved++) {
      void *c = instantiate(u, exchange), *state = NULL, *other = NULL;
      for (int round = 0; round < 3; round++) {
        if (round == 1) load_state(u, c, state);
        if (round == 2) other = move_by_bytes(u, exchange, c, state);
        void *at = round == 2 ? other : c;
        for (int mode = round ? saved : 0; mode <= 4; mode++) {
          if (round == 0 && mode == saved) state = save_state(u, at);
          double last, x[MOST_STATES / 10];
          bool end;
          if (mode == 0) expect(setup(u, at, 0, 0, 1) == OK, "initialization mode");
          if (mode == 1) expect(simple(u, at, "ExitInitializationMode") == OK, "initialization");
          if (mode == 2 && exchange) exchange_point(u, at, x);
          if (mode == 2 && !exchange) expect(do_step(u, at, 0, 0.25, &end, &last) == OK, "a step");
          if (mode != 3) continue;
          if (!exchange) expect(do_step(u, at, 0.25, 0.5, &end, &last) == OK, "another step");
          for (size_t i = 0; i < n; i++)
            expect(get(u, at, &u->variable[i].reference, 1, &value[i]) == OK, "a value");
          if (saved == 0 && round == 0) memcpy(first, value, n * sizeof *value);
          for (size_t i = 0; i < n; i++)
            if (!same(value[i], first[i])) fail("%s is %.17g", u->variable[i].name, value[i]);
          expect(simple(u, at, "Terminate") == OK, "termination");
        }
        loud = false;
        expect(do_step(u, at, 0.75, 0.1, &(bool){0}, &(double){0}) == ERROR,
               "a step behind the end");
        loud = true;
      }
      free_state(u, c, state);
      release(u, other);
      release(u, c);
    }
  }
}

/* ---- event mode of co-simulation ---- */

/* A ball that falls from 2 m with g = 2 and bounces with half its speed: it is at the ground at sqrt(2)
 * with the speed -2 sqrt(2), and at 2 sqrt(2) with -sqrt(2). u pushes it by a jump of its speed. */
static void test_event_mode(const unit *u) {
  typedef int doing(void *, double, double, bool, bool *, bool *, bool *, double *);
  typedef int updating(void *, bool *, bool *, bool *, bool *, bool *, double *);
  void *c = CALL(make_simulation *, "InstantiateCoSimulation")(
      "one", u->token, NULL, false, false, true, true, NULL, 0, NULL, log3, NULL);
  if (!c) stop("no instance with event mode of", u->identifier);
  double at = 0, last = 0, next, speed = 2 * sqrt(2);
  bool event, terminate, early, more, nominals, moved, has_next;
  int bounces = 0;
  expect(setup(u, c, 0, 0, 4) == OK, "initialization mode");
  expect(simple(u, c, "ExitInitializationMode") == OK, "leaving initialization mode");
  loud = false;
  expect(CALL(doing *, "DoStep")(c, 0, 1, true, &event, &terminate, &early, &last) == ERROR,
         "a step in event mode");
  expect(simple(u, c, "EnterContinuousTimeMode") == ERROR, "a mode of model exchange");
  loud = true;
  expect(simple(u, c, "EnterStepMode") == OK, "step mode");
  for (int k = 1; k <= 12;) {
    double to = 0.25 * k;
    expect(CALL(doing *, "DoStep")(c, at, to - at, true, &event, &terminate, &early, &last) == OK,
           "a step");
    at = last;
    expect(early == (last != to) && (!early || event) && !terminate, "what the step says");
    if (last == to) k++;
    if (!event) continue;
    bounces++;
    expect(fabs(last - bounces * sqrt(2)) < 1e-7, "the time of a bounce");
    expect(fabs(get_by_name(u, c, "y'") + speed) < 1e-6, "the speed before it");
    expect(simple(u, c, "EnterEventMode") == OK, "event mode");
    expect(CALL(updating *, "UpdateDiscreteStates")(c, &more, &terminate, &nominals, &moved,
                                                    &has_next, &next) == OK &&
               !more && !terminate && moved && !has_next,
           "the update");
    speed /= 2;
    expect(fabs(get_by_name(u, c, "y'") - speed) < 1e-6, "the speed behind it");
    expect(simple(u, c, "EnterStepMode") == OK, "step mode again");
  }
  expect(bounces == 2, "two bounces");
  double s = 3 - 2 * sqrt(2);
  expect(fabs(get_by_name(u, c, "y") - (speed * s - s * s)) < 1e-6, "the place at the end");
  release(u, c);
}

int main(int count, char **arguments) {
  const char *what = count > 2 ? arguments[1] : "";
  unit u;
  static table t;
  if (!strcmp(what, "extract") && count == 4) return extract(arguments[2], arguments[3]);
  if (count < 3) stop("wrong call:", what);
  open_unit(arguments[2], &u);
  bool setting = !strcmp(what, "set");
  static const char *const with_rows[] = {"cs", "me", "states", "threads"};
  bool rows = setting;
  for (int i = 0; i < 4; i++) rows |= !strcmp(what, with_rows[i]);
  if (rows) read_table(&u, arguments[setting ? 4 : 3], &t);
  if (!strcmp(what, "cs") && count > 5) stop_time = atof(arguments[5]);
  if (!strcmp(what, "cs")) simulate(&u, &t, count > 4 ? atof(arguments[4]) : 0);
  else if (setting) simulate_with(&u, &t, arguments[3]);
  else if (!strcmp(what, "me")) exchange_rows(&u, &t, atof(arguments[4]));
  else if (!strcmp(what, "states")) test_states(&u, &t);
  else if (!strcmp(what, "long")) run_long(&u, atof(arguments[3]));
  else if (!strcmp(what, "early")) test_early(&u);
  else if (!strcmp(what, "calls")) test_calls(&u);
  else if (!strcmp(what, "partial")) test_partial(&u, atof(arguments[3]));
  else if (!strcmp(what, "many")) test_many(&u);
  else if (!strcmp(what, "depend")) test_depend(arguments[2], &u);
  else if (!strcmp(what, "threads")) test_threads(&u, &t);
  else if (!strcmp(what, "inputs")) test_inputs(&u);
  else if (!strcmp(what, "events")) test_event_mode(&u);
  else if (!strcmp(what, "held")) test_held(&u);
  else if (!strcmp(what, "modes")) test_modes(&u);
  else if (!strcmp(what, "jumps")) test_jumps(&u);
  else if (!strcmp(what, "times")) test_times(&u, count - 3, arguments + 3);
  else stop("wrong call:", what);
  free(t.value);
  close_unit(&u);
  return failures ? 1 : 0;
}
