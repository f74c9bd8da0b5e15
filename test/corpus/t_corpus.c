/* Systems of every kind (expected.txt): what the completion finds must be what derivative arrays
 * gave, the listed consistent points must lie on M, and the direction there must be the listed one.
 * Given a name, only that system is looked at. Given "new", those of expected_new.txt are, which
 * the program does not answer rightly yet.
 */
#include "jets.h"

typedef struct expected {
  char file[64], verdict[32];
  int dof, index, hidden, steps; /* -1: not listed */
  char point[8192];              /* lines "variable value value ..." */
} expected;

static void read_file(const char *name, char *out, size_t room) {
  char path[1024];
  snprintf(path, sizeof path, "%s/test/corpus/%s", RITT_SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  size_t length = file ? fread(out, 1, room - 1, file) : 0;
  out[length] = 0;
  if (file) fclose(file);
  if (!length || length == room - 1) checks_failed++, printf("%s: not read\n", path);
}

static int number_or_dash(const char *word) { return !strcmp(word, "-") ? -1 : atoi(word); }

/* The next entry of the table; false: no more. */
static bool next_expected(const char **at, expected *out) {
  *out = (expected){.file = ""};
  while (**at) {
    size_t length = strcspn(*at, "\n");
    const char *line = *at;
    if (out->file[0] && line[0] != ' ') return true;
    *at += length + (line[length] != 0);
    if (line[0] == '#') continue;
    if (line[0] == ' ') {
      size_t have = strlen(out->point);
      snprintf(out->point + have, sizeof out->point - have, "%.*s\n", (int)length, line);
      continue;
    }
    char dof[8], index[8], hidden[8], steps[8];
    if (sscanf(line, "%63s %31s %7s %7s %7s %7s", out->file, out->verdict, dof, index, hidden,
               steps) != 6)
      continue;
    out->dof = number_or_dash(dof);
    out->index = number_or_dash(index);
    out->hidden = number_or_dash(hidden);
    out->steps = number_or_dash(steps);
  }
  return out->file[0] != 0;
}

static void must(bool holds, const expected *e, const char *what, double got, double wanted) {
  if (holds) checks_passed++;
  else checks_failed++, printf("failed: %s: %s is %g, expected %g\n", e->file, what, got, wanted);
}

/* ---- the listed point ---- */

/* Puts the listed jets into z and marks them known. */
static void take_point(const completed *c, const expected *e, jets *z) {
  char name[64];
  int used;
  for (const char *p = e->point; sscanf(p, "%63s%n", name, &used) == 1;) {
    int variable = 0, order = 0;
    double value;
    while (variable < c->model->variables && strcmp(c->model->variable[variable].name, name))
      variable++;
    must(variable < c->model->variables, e, "a listed variable", variable, 0);
    for (p += used; *p != '\n' && sscanf(p, "%lf%n", &value, &used) == 1; p += used, order++) {
      z->value[variable][order] = value;
      z->known[variable][order] = true;
    }
    p += *p == '\n';
  }
}

static bool below_tops(const void *context, int variable, int order) {
  const completed *c = context;
  for (int i = 0; i < c->reduced->tops; i++)
    if (ritti_index_of(c->model->dag, c->reduced->top[i]) == variable)
      return order < ritti_order_of(c->model->dag, c->reduced->top[i]);
  return false;
}

/* The rows of M and of the tops hold at the listed jets; jets beyond the listed ones are solved
 * for. */
static void check_point(const completed *c, const expected *e) {
  jets z;
  jets_start(c, &z);
  take_point(c, e, &z);
  jets_rows *all = jets_rows_all(c), *M = jets_rows_new(c, c->reduced->f, c->reduced->k);
  jets_onto(all, &z);
  double misfit = jets_rows_misfit(all, &z, 1e-8, 1e-11);
  must(misfit <= 1, e, "the misfit at the listed point", misfit, 0);
  /* at that point M is a manifold of the right dimension: rows independent, one dimension besides
   * the dof */
  int rank = jets_rows_rank(M, &z, below_tops, c);
  must(rank == c->reduced->k, e, "the rank of df", rank, c->reduced->k);
  must(c->reduced->m - 1 - rank == e->dof, e, "the dimension of M", c->reduced->m - 1 - rank,
       e->dof);
  jets_rows_free(all);
  jets_rows_free(M);
}

/* ---- the report ---- */

static void check_steps(const completed *c, const expected *e) {
  int most = 0;
  if (e->steps < 0) return;
  for (int i = 0; i < c->reduced->k; i++)
    if (c->reduced->origin[i].order > most) most = c->reduced->origin[i].order;
  for (int i = 0; i < c->reduced->top_rows; i++)
    if (c->reduced->top_origin[i].order > most) most = c->reduced->top_origin[i].order;
  must(most <= e->steps + 1, e, "the number of prolongations", most, e->steps + 1);
}

static void check_report(const completed *c, const expected *e) {
  if (c->check.verdict && !strcmp(c->check.verdict, e->verdict)) checks_passed++;
  else
    checks_failed++, printf("failed: %s: the verdict is %s, expected %s (%s)\n", e->file,
                            c->check.verdict, e->verdict, c->check.reason ? c->check.reason : "");
  if (e->dof >= 0)
    must(c->check.degrees_of_freedom == e->dof, e, "dof", c->check.degrees_of_freedom, e->dof);
  if (e->index >= 0) must(c->check.index == e->index, e, "index", c->check.index, e->index);
  if (e->hidden >= 0)
    must(c->check.hidden_constraints == e->hidden, e, "hidden", c->check.hidden_constraints,
         e->hidden);
  /* a refusal has a reason */
  bool said = c->check.reason && *c->check.reason && ritt_error_count(c->error) > 0;
  must(said == !c->reduced, e, "whether a reason is given", said, !c->reduced);
}

/* The same model with start values of two digits. */
static void round_start(const char *text, char *out, size_t room) {
  size_t at = 0;
  for (const char *p = text; *p && at + 32 < room;) {
    out[at++] = *p;
    if (*p++ != '~') continue;
    char *end;
    double value = strtod(p, &end);
    if (*end == '/') continue;
    at += (size_t)snprintf(out + at, room - at, " %.2g", value);
    p = end;
  }
  out[at] = 0;
}

static void check_case(const expected *e) {
  char name[80], text[16384], rounded[16384];
  snprintf(name, sizeof name, "%s.ritt", e->file);
  read_file(name, text, sizeof text);
  completed *c = completed_text(text, name);
  check_report(c, e);
  if (!strcmp(e->verdict, "determined") && c->reduced) {
    check_steps(c, e);
    check_point(c, e);
  }
  completed_free(c);
  /* the answer must not depend on the digits of the start values */
  round_start(text, rounded, sizeof rounded);
  c = completed_text(rounded, name);
  check_report(c, e);
  completed_free(c);
}

int main(int count, char **word) {
  static char table[65536];
  static expected e;
  const char *at = table;
  bool new = count == 2 && !strcmp(word[1], "new");
  int cases = 0;
  read_file(new ? "expected_new.txt" : "expected.txt", table, sizeof table);
  for (; next_expected(&at, &e); cases++)
    if (count < 2 || new || !strcmp(word[1], e.file)) check_case(&e);
  CHECK(new || cases == 197);
  return CHECKS_DONE();
}
