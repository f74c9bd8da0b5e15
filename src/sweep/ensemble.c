/* "NAME=VALUES" of a sweep, read and made into the values of each run:
 *
 *   NAME = low:high:count          equally spaced, both ends included
 *   NAME = [a, b, c]               these
 *   NAME = normal(mean, deviation) drawn in each run
 *   NAME = uniform(low, high)      drawn in each run
 *
 * or the columns of a table, with a row for each run.
 */
#include <ctype.h>
#include <stdlib.h>
#include "ensemble.h"

static const char hint_forms[] =
    "write NAME=1:10:100, NAME=[1, 2, 5], NAME=normal(0, 0.1) or NAME=uniform(0, 1)";

/* ---- reading ---- */

static const char *skip_blanks(const char *at) {
  while (*at == ' ') at++;
  return at;
}

/* A decimal number, and the character behind it; NULL: there is none. */
static const char *read_number(const char *at, char behind, double *out) {
  char *end;
  at = skip_blanks(at);
  if (!isdigit((unsigned char)at[strspn(at, "+-.")])) return NULL; /* no words, as strtod has */
  if (at[strspn(at, "+-.0")] == 'x' || at[strspn(at, "+-.0")] == 'X') return NULL;
  *out = strtod(at, &end);
  if (end == at || !isfinite(*out)) return NULL;
  at = skip_blanks(end);
  return *at == behind ? at + (behind != '\0') : NULL;
}

static ritt_status wrong_values(const ritti_vary *v, const char *values, const char *hint,
                                ritt_error *error) {
  return ritti_fail(error, RITT_WRONG_CALL, NULL, hint ? hint : hint_forms,
                    "%s %s: '%.60s' does not describe values", v->origin, v->name, values);
}

/* low:high:count */
static ritt_status read_range(ritti_vary *v, const char *values, ritt_error *error) {
  double count = 0;
  const char *at = read_number(values, ':', &v->a);
  if (at) at = read_number(at, ':', &v->b);
  if (!at || !read_number(at, '\0', &count)) return wrong_values(v, values, NULL, error);
  v->kind = RITTI_VARY_RANGE;
  if (!(count >= 2 && count <= RITTI_MOST_RUNS && floor(count) == count))
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "a range contains both of its ends: give at least 2 points",
                      "%s %s: a range cannot have %s points", v->origin, v->name, skip_blanks(at));
  if (v->a == v->b)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "set a fixed value with --set",
                      "%s %s: the ends of the range are the same", v->origin, v->name);
  v->count = (long)count;
  return RITT_OK;
}

/* WORD(a, b) */
static ritt_status read_law(ritti_vary *v, const char *values, size_t word, ritt_error *error) {
  const char *at = read_number(values + word + 1, ',', &v->a);
  if (at) at = read_number(at, ')', &v->b);
  if (!at || *skip_blanks(at)) return wrong_values(v, values, NULL, error);
  v->count = 1;
  if (v->kind == RITTI_VARY_NORMAL && !(v->b > 0))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "write normal(mean, deviation)",
                      "%s %s: the standard deviation must be positive", v->origin, v->name);
  if (v->kind == RITTI_VARY_UNIFORM && !(v->a < v->b))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "write uniform(low, high)",
                      "%s %s: the lower end must lie below the upper one", v->origin, v->name);
  return RITT_OK;
}

static ritt_status read_values(ritti_vary *v, const char *values, ritti_arena *arena,
                               ritt_error *error) {
  static const char *const laws[] = {"normal", "uniform"};
  size_t word = strcspn(values, "(");
  if (*values == '[') {
    /* [a, b, c] */
    size_t room = 1;
    double *list;
    for (const char *c = values; *c; c++) room += *c == ',';
    RITTI_NEW(list, arena, room);
    v->kind = RITTI_VARY_LIST;
    v->value = list;
    const char *at = values + 1, *next;
    while ((next = read_number(at, ',', &list[v->count]))) at = next, v->count++;
    if (!(at = read_number(at, ']', &list[v->count++])) || *skip_blanks(at))
      return wrong_values(v, values, NULL, error);
    return RITT_OK;
  }
  if (!values[word]) return read_range(v, values, error);
  for (int i = 0; i < 2; i++) {
    v->kind = i ? RITTI_VARY_UNIFORM : RITTI_VARY_NORMAL;
    if (strlen(laws[i]) == word && !memcmp(laws[i], values, word))
      return read_law(v, values, word, error);
  }
  char name[32], hint[64];
  ritti_format(name, sizeof name, "%.*s", (int)(word < 31 ? word : 31), values);
  const char *near = ritti_nearest(name, laws, 2);
  ritti_format(hint, sizeof hint, "did you mean '%s'?", near ? near : "");
  return wrong_values(v, values, near ? hint : NULL, error);
}

/* The name ends at the first '=' or '~' outside brackets; blanks round it do not count. */
static ritt_status read_vary(const char *text, const char *origin, ritti_arena *arena,
                             ritt_error *error, ritti_vary *out) {
  const char *from = skip_blanks(text), *sign = from + strcspn(from, "=~"), *end = sign;
  while (end > from && end[-1] == ' ') end--;
  if (!*sign || end == from || !*skip_blanks(sign + 1))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, hint_forms, "%s needs NAME=VALUES, not '%s'",
                      origin, text);
  *out = (ritti_vary){.guess = *sign == '~',
                      .origin = origin,
                      .name = ritti_arena_text(arena, from, (size_t)(end - from))};
  return out->name ? read_values(out, skip_blanks(sign + 1), arena, error) : RITT_NO_MEMORY;
}

/* ---- the runs ---- */

static bool is_random(const ritti_vary *v) {
  return v->kind == RITTI_VARY_NORMAL || v->kind == RITTI_VARY_UNIFORM;
}

static ritt_status count_runs(ritti_ensemble *e, long runs, ritt_error *error) {
  double points = 1;
  for (size_t i = 0; i < e->count; i++)
    points *= (double)e->vary[i].count, e->random |= is_random(&e->vary[i]);
  if (points > RITTI_MOST_RUNS)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "vary fewer names, or use coarser ranges",
                      "a grid of %.6g points is more than %d runs", points, RITTI_MOST_RUNS);
  e->points = (long)points;
  e->runs = runs ? runs : e->points;
  if (runs > RITTI_MOST_RUNS)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "%ld runs are more than %d", runs,
                      RITTI_MOST_RUNS);
  if (!runs && e->random && e->points == 1)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "give --runs 1000",
                      "if values are drawn at random, --runs gives the number of runs");
  if (runs && !e->random && runs != e->points)
    return ritti_fail(
        error, RITT_WRONG_CALL, NULL, "leave --runs out, or draw a value: NAME=normal(0, 0.1)",
        "--runs %ld would repeat or leave out runs: nothing is random and the grid has %ld point%s",
        runs, e->points, e->points == 1 ? "" : "s");
  if (e->runs % e->points == 0) return RITT_OK;
  char hint[96];
  long less = e->runs / e->points * e->points;
  if (less) ritti_format(hint, sizeof hint, "use %ld or %ld", less, less + e->points);
  else ritti_format(hint, sizeof hint, "use %ld, or a multiple of it", e->points);
  return ritti_fail(error, RITT_WRONG_CALL, NULL, hint,
                    "%ld runs cannot be spread evenly over the %ld points of the grid", e->runs,
                    e->points);
}

/* Adds the columns of a table: "x" or "start x", and "x~" for guesses. */
static ritt_status take_table(const ritti_ensemble_source *source, ritti_arena *arena,
                              ritt_error *error, ritti_ensemble *out) {
  static const char start[] = "start ";
  for (size_t i = 0; i < source->columns; i++) {
    const char *name = source->column_name[i];
    if (!strncmp(name, start, strlen(start))) name += strlen(start);
    size_t length = strlen(name);
    bool guess = length > 1 && name[length - 1] == '~';
    out->vary[i] = (ritti_vary){.kind = RITTI_VARY_TABLE,
                                .origin = "table",
                                .guess = guess,
                                .name = ritti_arena_text(arena, name, length - guess),
                                .count = i == 0 ? (long)source->rows : 1,
                                .value = source->column[i]};
    if (!out->vary[i].name) return RITT_NO_MEMORY;
    for (size_t k = 0; k < source->rows; k++)
      if (!isfinite(source->column[i][k]))
        return ritti_fail(error, RITT_WRONG_CALL, NULL, "each run needs a number",
                          "table %s: row %zu has no value", name, k + 1);
  }
  out->rows = (long)source->rows;
  out->columns = source->columns;
  return RITT_OK;
}

ritt_status ritti_ensemble_read(const ritti_ensemble_source *source, ritti_arena *arena,
                                ritt_error *error, ritti_ensemble *out) {
  size_t count = source->columns + source->count;
  *out = (ritti_ensemble){.seed = source->seed, .count = count};
  out->vary = ritti_arena_alloc(arena, count + 1, sizeof *out->vary);
  ritt_status status = out->vary ? take_table(source, arena, error, out) : RITT_NO_MEMORY;
  for (size_t i = source->columns; i < count && status == RITT_OK; i++)
    status =
        read_vary(source->text[i - source->columns], source->origin, arena, error, &out->vary[i]);
  for (size_t i = 0; i < count && status == RITT_OK; i++)
    for (size_t k = 0; k < i && status == RITT_OK; k++)
      if (!strcmp(out->vary[i].name, out->vary[k].name))
        status = ritti_fail(error, RITT_WRONG_CALL, NULL, "give all its values at once",
                            "%s %s is given twice", out->vary[i].origin, out->vary[i].name);
  if (status == RITT_OK) status = count_runs(out, source->runs, error);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}

double ritti_ensemble_value(const ritti_ensemble *e, long run, size_t i) {
  const ritti_vary *v = &e->vary[i];
  if (is_random(v)) {
    double p = ritti_random(e->seed, (uint64_t)run, (uint32_t)i);
    return v->kind == RITTI_VARY_NORMAL ? v->a + v->b * ritti_normal_quantile(p)
                                        : v->a + (v->b - v->a) * p;
  }
  long at = (run - 1) % e->points;
  bool table = v->kind == RITTI_VARY_TABLE;
  for (size_t k = e->count - 1; k > i && k >= e->columns; k--) at /= e->vary[k].count;
  at %= table ? e->rows : v->count;
  if (table || v->kind == RITTI_VARY_LIST) return v->value[at];
  return at == v->count - 1 ? v->b : v->a + (v->b - v->a) * (double)at / (double)(v->count - 1);
}
