/* Broken models. Models with every section and form of the language are spoilt at one place after
 * the other: a word is left out, stands twice or changes places with the next, another one takes
 * its place, or the text ends there. Each is read or refused, and what is refused has messages:
 * with a text, in the order of the lines, at a place that lies in the text; the same text has the
 * same messages. */
#include <ctype.h>
#include <stdlib.h>
#include "check.h"
#include "lang/lang.h"

static const char *const models[] = {
    "model whole \"a title\" # comment\nindependent s\nparameter n = 3, a = -1/2\n  m[1..3] = [1, 2, 3], C[k "
    "in 1..n] = k*1e-1\n"
    "variable x, y, p[1..n], A[1..2, 1..2]\nlet r = sqrt(x^2 + y^2), d[i in 1..n] = p[i]*m[i]\n"
    "function f(u, v) = u*v + a\nfunction g(w) = if w > 0 and not (w > 2) or w < -1 then w else -w^2\n"
    "equation\n  first: x' = f(x, y) + g(r) - sum(i in 1..n, d[i])\n  y' + der(x, 1)*mod(s, 2) = max(0, "
    "sin(s), 2*pi)\n"
    "  for i in 1..n: p[i]' = if i = 1 then -p[i] else p[i - 1]*C[i]\n  A' = [[0, 1], [-1, 0]]*A\n"
    "invariant E: r^2\ninvariant projected x = 1 - (x*y)'\n"
    "start s = 1\n  x = 1, y ~ 2, x' ~ 3\n  for i in 1..n: p[i] = i/7\n  A = [[1, 0], [0, 1]]\n"
    "event low: x = y rising -> stop, record\nevent high: dot(p, m) = norm(p) falling -> x := -x, y := 2*y\n"
    "section cut: y = 0\nscale x = 1e-3, p[1] = 2\nunit x \"m\", y \"m/s^2\"\n"
    "solve s = 1 .. 10\n  method dopri54\n  tolerance 1e-8\n  tolerance x = 1e-6\n  absolute y = 1e-9\n  "
    "steps constant "
    "h = 0.1\n"
    "  rows step 0.01\n  metric euclidean\n  singular stop\n  projection newton\n"
    "output x, E2 = x^2 + y^2, p[1..2]\nplot (x, y), (s, x)\nplot s: x, y\nplot cut (x, y)\nplot3 (x, y, s)\n"
    "doc \"some words\"\nbranch through x = 0.3, y = -0.8\n",
    "model body\nparameter g = 9.81, k = 2\nvariable x, y, z, q[1..2]\n"
    "lagrangian (x'^2 + y'^2 + z'^2 + dot(q', q'))/2 - g*y - k*x*z\n"
    "constraint\n  rod: x^2 + y^2 = 1\n  for i in 1..2: q[i] = cross([x, y, z], [0, 0, 1])[i]\n"
    "nonholonomic sin(z)*x' = cos(z)*y'\nforce x: -x'/3\nforce q: [1, t]\ndissipation k*x'^2/2\n"
    "stiff (x^2 + y^2 - 1)^2/2, eps = 1e-3\nstart smooth order 2\n  x = 1, y = 0\n  z ~ 1/3\n"
    "solve arc = 0 .. 3\n  method radau5\n  follow vibrations\n  precision quad\n  rows 50\noutput energy, "
    "rod\nbranch 2\n",
    "model flow\nvariable q[1..2], p[1..2], u, v\nhamiltonian dot(p, p)/2 + u*v + q[1]^2\n"
    "canonical (q, p), (u, v)\nstart q = [1, 0], p = [0, 1]\n  u = 1, v = 0\nsolve t = 0 .. -1\n",
    "model top\nvariable u, v, w\nhamiltonian u^2 + v^2/2 + w^2/3\ncanonical u, v, w\n"
    "bracket [[0, -w, v], [w, 0, -u], [-v, u, 0]]\nstart u = 1, v = 1/2, w = 0\nsolve t = 0 .. 1\n",
};

/* What takes the place of a word. */
static const char *const others[] = {
    ",",           ")",  "(",     "]",        "[",        "=",   "~",         ":",      "'",
    "$",           "\"", "3",     "x",        "in",       "if",  "+",         "*",      "^",
    "..",          "->", ":=",    "<",        "then",     "for", "1e400",     "and",    "\n",
    "\nequation ", "p",  "//",    "\xc3\xa9", "\xce\xb1", "a b", "i in 1..2", "energy", "\nsolve ",
    "0",           "t",  "[[1]]", "start",    "\nmodel ",
};

enum { MOST_WORDS = 700, OTHERS = sizeof others / sizeof *others };
typedef struct word {
  const char *at;
  size_t length;
} word;
static word list[MOST_WORDS];
static char text[5000];

/* Words, numbers, signs of one or two characters, strings, and ends of lines with what follows
 * them. */
static int split(const char *model) {
  int count = 0;
  for (const char *c = model; *c;) {
    const char *end = c + 1;
    if (isalnum((unsigned char)*c))
      end = c + strspn(c, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    else if (*c == '"' && strchr(c + 1, '"')) end = strchr(c + 1, '"') + 1;
    else if (*c == '\n') end = c + strspn(c, "\n ");
    else if (strchr(".:-<>", *c) && c[1] && strchr(".=>", c[1])) end = c + 2;
    if (*c != ' ' && count < MOST_WORDS) list[count++] = (word){c, (size_t)(end - c)};
    c = end;
  }
  return count;
}

static unsigned long long mixed(unsigned long long hash, const char *words) {
  for (; words && *words; words++) hash = (hash ^ (unsigned char)*words) * 1099511628211ull;
  return hash;
}

static long tried, refused;

/* Reads the text; a number that its messages give, 0: something is wrong with them. */
static unsigned long long read_it(void) {
  ritt_error *error = ritt_error_new();
  ritti_model *model = NULL;
  unsigned long long hash = 14695981039346656037ull;
  ritt_status status = ritti_model_read(text, strlen(text), "broken.ritt", NULL, 0, error, &model);
  bool good = (status == RITT_OK) == (model != NULL) &&
              (status == RITT_OK) == (ritt_error_count(error) == 0);
  int last = 0, lines = 1;
  for (const char *c = text; *c; c++) lines += *c == '\n';
  for (size_t i = 0; i < ritt_error_count(error); i++) {
    const ritt_message *m = ritt_error_get(error, i);
    size_t characters = 0;
    for (const char *c = m->source; c && *c; c++) characters += ((unsigned char)*c & 0xc0) != 0x80;
    good = good && m->text && *m->text && m->line >= 0 && m->line <= lines &&
           (m->line == 0 || m->line >= last);
    good = good && (m->line == 0 ||
                    (m->column >= 1 && (!m->source || (size_t)m->column <= characters + 1)));
    last = m->line ? m->line : last;
    hash = mixed(mixed(hash, m->text), m->hint) + (unsigned long long)m->line * 1000 +
           (unsigned long long)m->column;
  }
  tried++, refused += status != RITT_OK;
  ritti_model_free(model);
  ritt_error_free(error);
  return good ? hash | 1 : 0;
}

static void look(const char *model, const char *what) {
  unsigned long long first = read_it();
  bool good = first && (tried % 16 || read_it() == first);
  CHECK(good);
  if (!good) printf("  %s in %.12s:\n%s\n", what, model, text);
}

/* The model with the words [from, from + count) as `put`. */
static void spoil(const char *model, int from, int count, const char *put) {
  const char *begin = list[from].at,
             *end = list[from + count - 1].at + list[from + count - 1].length;
  snprintf(text, sizeof text, "%.*s %s %s", (int)(begin - model), model, put, end);
}

int main(void) {
#if defined(RITT_COVERAGE)
  const int step = 1;
#else
  const int step = CHECK_SLOW ? 61 : 7;
#endif
  static char put[400];
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    const char *model = models[k];
    int count = split(model), number = 0;
    snprintf(text, sizeof text, "%s", model);
    long before = refused;
    look(model, "as it is");
    CHECK(refused == before); /* it is a model */
    for (int i = 0; i < count; i++) {
      const word *w = &list[i];
      for (size_t j = 0; j < OTHERS; j++) {
        if (number++ % step) continue;
        spoil(model, i, 1, others[j]);
        look(model, others[j]);
      }
      if (number++ % step && i % step) continue;
      spoil(model, i, 1, "");
      look(model, "left out");
      snprintf(put, sizeof put, "%.*s %.*s", (int)w->length, w->at, (int)w->length, w->at);
      spoil(model, i, 1, put);
      look(model, "twice");
      snprintf(text, sizeof text, "%.*s", (int)(w->at - model), model);
      look(model, "cut off");
      if (i + 1 == count) continue;
      snprintf(put, sizeof put, "%.*s %.*s", (int)w[1].length, w[1].at, (int)w->length, w->at);
      spoil(model, i, 2, put);
      look(model, "exchanged");
    }
  }
  printf("%ld texts, %ld refused\n", tried, refused);
  CHECK(refused > tried / 2 && refused < tried);
  return CHECKS_DONE();
}
