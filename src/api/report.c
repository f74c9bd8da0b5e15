/* The report of a check in words: what Ritt understood of a model, in five lines and those that
 * something needs. The program prints it, and the Python package shows it.
 */
#include <stdlib.h>
#include "pipeline.h"

enum { WIDEST = 100, MOST_LINES = 20 }; /* of a list of names; of a table */

static void add_count(ritti_text *out, const char *words, int value, const char *end) {
  if (value == RITT_UNKNOWN) ritti_text_add(out, "%s: not computed%s", words, end);
  else ritti_text_add(out, "%s: %d%s", words, value, end);
}

static void add_list(ritti_text *out, const char *words, const char *const *item, size_t count) {
  if (!count) return;
  ritti_text_add(out, "  %s: ", words);
  ritti_text_add_names(out, item, count, WIDEST);
  ritti_text_add(out, "\n");
}

/* What follows from what, one part or connection in a line. */
static void add_lines(ritti_text *out, const char *words, const char *const *item, size_t count) {
  enum { MOST = 6 };
  for (size_t i = 0; i < count && i < MOST; i++)
    ritti_text_add(out, "  %*s %s\n", (int)strlen(words), i ? "" : words, item[i]);
  if (count > MOST)
    ritti_text_add(out, "  %*s and %zu more\n", (int)strlen(words), "", count - MOST);
}

/* The open ports with flows that are connected to nothing: perhaps a connection was forgotten. */
static void add_unconnected(ritti_text *out, const ritti_model *m) {
  enum { MOST = 6 };
  const char *last = NULL;
  size_t length = 0;
  int count = 0;
  for (int j = 0; j < m->variables; j++) {
    const char *name = m->variable[j].name;
    if (m->variable[j].unconnected != 2) continue;

    /* the potentials of a port follow each other */
    size_t here = (size_t)(strrchr(name, '.') - name);
    if (last && here == length && !memcmp(last, name, here)) continue;
    last = name, length = here;
    if (count++ >= MOST) continue;
    ritti_text_add(out, "%s%.*s", count == 1 ? "  not connected: " : ", ", (int)here, name);
  }
  if (count > MOST) ritti_text_add(out, " and %d more", count - MOST);
  if (count > 0) ritti_text_add(out, "\n");
}

/* How many parts of the model itself are of the kind of part i; 0: an earlier part is. */
static int count_kind(const ritti_model *m, int i, const char **kind, int *kinds) {
  int count = 0;
  for (int k = 0; k < *kinds; k++)
    if (!strcmp(kind[k], m->part[i].component)) return 0;
  kind[(*kinds)++] = m->part[i].component;
  for (int k = i; k < m->parts; k++)
    count += m->part[k].depth == 0 && !strcmp(m->part[k].component, m->part[i].component);
  return count;
}

/* "parts: 13 (6 revolute, 5 body, 2 ground)": the parts of the model itself by their components */
static void add_parts(ritti_text *out, const ritti_model *m) {
  enum { MOST = 8 };
  int all = 0, kinds = 0;
  const char **kind = ritti_malloc((size_t)(m->parts + 1) * sizeof *kind);
  if (!kind) {
    out->status = RITT_NO_MEMORY;
    return;
  }
  for (int i = 0; i < m->parts; i++) all += m->part[i].depth == 0;
  ritti_text_add(out, "  parts: %d (", all);
  for (int i = 0; i < m->parts; i++) {
    int count = m->part[i].depth == 0 ? count_kind(m, i, kind, &kinds) : 0;
    if (count > 0 && kinds <= MOST)
      ritti_text_add(out, "%s%d %s", kinds > 1 ? ", " : "", count, kind[kinds - 1]);
  }
  ritti_free(kind);
  if (kinds > MOST) ritti_text_add(out, ", and %d other kinds", kinds - MOST);
  ritti_text_add(out, ")");
}

static const ritti_variable_def *find_variable(const ritti_model *m, const char *name) {
  for (int i = 0; i < m->variables; i++)
    if (!strcmp(m->variable[i].name, name)) return &m->variable[i];
  return NULL;
}

static bool has_unknowns(const ritti_model *m, const char *path) {
  for (int i = 0; i < m->parts; i++)
    if (!strcmp(m->part[i].path, path)) return m->part[i].unknowns > 0;
  return false;
}

/* Unknowns that are not unique: multipliers by the joints whose reactions they are, without those of
 * orientations; others by their names. */
static void add_not_unique(ritti_text *out, const ritti_model *m, const ritt_check *c,
                           const char **name) {
  size_t owners = 0, others = 0;
  for (size_t i = 0; i < c->non_unique_count; i++) {
    const ritti_variable_def *v = find_variable(m, c->non_unique[i]);
    const char *owner = v ? v->owner : NULL;
    if (!owner || has_unknowns(m, owner)) continue;
    if (owners == 0 || strcmp(name[owners - 1], owner)) name[owners++] = owner;
  }
  add_list(out, "reactions that are not unique (the least are used)", name, owners);
  for (size_t i = 0; i < c->non_unique_count; i++) {
    const ritti_variable_def *v = find_variable(m, c->non_unique[i]);
    if (!v || !v->owner) name[others++] = c->non_unique[i];
  }
  add_list(out, "fixed (nothing depends on them, the least values are used)", name, others);
}

static void add_moved(ritti_text *out, const ritt_moved *moved, size_t count, size_t most) {
  int width = 4;
  if (!count) return;
  for (size_t i = 0; i < count; i++)
    if ((int)strlen(moved[i].name) > width) width = (int)strlen(moved[i].name);
  ritti_text_add(out, "  start values moved onto the manifold:\n    %-*s  %-24s  %-24s  %s\n",
                 width, "name", "typed", "used", "difference");
  for (size_t i = 0; i < count && i < most; i++) {
    char typed[32], used[32];
    ritti_text_add(out, "    %-*s  %-24s  %-24s  %+.2e\n", width, moved[i].name,
                   ritti_shortest(moved[i].typed, typed),
                   ritti_digits_apart(moved[i].used, moved[i].typed, used),
                   moved[i].used - moved[i].typed);
  }
  if (count > most) ritti_text_add(out, "    and %zu more\n", count - most);
}

/* Lists the parts, each indented below the part that contains it. */
static ritt_status write_tree(ritt_model *M) {
  ritti_text text = {0};
  const ritti_model *m = M->model;
  for (int i = 0; i < m->parts; i++) {
    const ritti_part_def *p = &m->part[i];
    const char *name = strrchr(p->path, '.');
    ritti_text_add(&text, "  %*s%s: %s (unknowns: %d, equations: %d)\n", 2 * p->depth, "",
                   name ? name + 1 : p->path, p->component, p->unknowns, p->equations);
  }
  ritti_text_add(&text, "%s", "");
  M->check.tree = text.status == RITT_OK ? ritti_arena_text(M->arena, text.at, text.count) : NULL;
  ritti_text_free(&text);
  return M->check.tree ? RITT_OK : RITT_NO_MEMORY;
}

ritt_status ritti_report(ritt_model *M) {
  ritti_text text = {0};
  if (M->check.text || !M->check.verdict || !M->arena) return RITT_OK;
  RITT_TRY(write_tree(M));

  const ritt_check *c = &M->check;
  const ritti_model *m = M->model;
  const char **name;
  RITTI_NEW(name, M->arena, c->non_unique_count + 1);
  bool determined = !strcmp(c->verdict, "determined");
  ritti_text_add(&text, "%s: %s\n", c->model, c->verdict);
  if (c->reason) ritti_text_add(&text, "  reason: %s\n", c->reason);
  if (m->parts > 0) {
    add_parts(&text, m);
    ritti_text_add(&text, ", unknowns: %d, equations: %d", c->unknowns, c->equations);
  } else {
    ritti_text_add(&text, "  unknowns: %d (", c->unknowns);
    ritti_text_add_names(&text, c->variables, c->variable_count, WIDEST);
    ritti_text_add(&text, "), equations: %d", c->equations);
  }
  if (c->invariants > 0) ritti_text_add(&text, ", invariants: %d", c->invariants);
  ritti_text_add(&text, "\n");
  if (c->kind) ritti_text_add(&text, "  kind: %s\n", c->kind);
  if (determined) {
    add_count(&text, "  free initial values", c->degrees_of_freedom, "\n");
    add_count(&text, "  index", c->index, ", ");
    add_count(&text, "hidden constraints", c->hidden_constraints, "\n");
  }
  if (m->parts > 0) add_unconnected(&text, m);
  if (m->parts > 0) add_lines(&text, "too many:", c->dependent_equations, c->dependent_count);
  else add_list(&text, "dependent equations", c->dependent_equations, c->dependent_count);
  add_list(&text, "undetermined variables", c->undetermined_variables, c->undetermined_count);
  if (m->parts > 0) add_not_unique(&text, m, c, name);
  else
    add_list(&text, "not unique (the values of least norm are used)", c->non_unique,
             c->non_unique_count);
  add_moved(&text, c->moved, c->moved_count, m->parts > 0 ? 5 : MOST_LINES);
  for (size_t i = 0; i < c->singular_count; i++)
    ritti_text_add(&text, "  %s %s\n", i ? "                       " : "singular points nearby:",
                   c->singular_points[i]);
  for (size_t i = 0; i < c->note_count; i++) ritti_text_add(&text, "  note: %s\n", c->notes[i]);

  M->check.text = text.status == RITT_OK ? ritti_arena_text(M->arena, text.at, text.count) : NULL;
  ritti_text_free(&text);
  return M->check.text ? RITT_OK : RITT_NO_MEMORY;
}
