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

/* The last index of a name that ends in one, "p[3]" or "p[3]'", and where it stands; false: it has
 * none. */
static bool find_last_index(const char *name, size_t *at, size_t *end, long *index) {
  const char *open = strrchr(name, '['), *close = open ? strchr(open, ']') : NULL;
  if (!close || close[1 + strspn(close + 1, "'")]) return false;
  char *after;
  *index = strtol(open + 1, &after, 10);
  *at = (size_t)(open - name) + 1;
  *end = (size_t)(close - name);
  return after == close;
}

/* How many names from here on differ by their last index only, which counts up. */
static size_t count_run(const char *const *item, size_t count) {
  size_t at, end, n = 1;
  long first, next;
  if (!find_last_index(item[0], &at, &end, &first)) return 1;
  for (size_t a, e; n < count && find_last_index(item[n], &a, &e, &next); n++)
    if (a != at || strncmp(item[0], item[n], at) || next != first + (long)n ||
        strcmp(item[0] + end, item[n] + e))
      break;
  return n;
}

/* Names with commas between them, "p[1..100]" for those of an array, as many as fit into a line. */
static void add_names(ritti_text *out, const char *const *item, size_t count) {
  size_t begin = out->count;
  for (size_t i = 0, n; i < count; i += n) {
    size_t at, end;
    long first;
    n = count_run(item + i, count - i);
    ritti_text_add(out, "%s", i ? ", " : "");
    if (out->count - begin > WIDEST && count - i > n) {
      ritti_text_add(out, "and %zu more", count - i);
      return;
    }
    if (n > 1 && find_last_index(item[i], &at, &end, &first))
      ritti_text_add(out, "%.*s%ld..%ld%s", (int)at, item[i], first, first + (long)n - 1,
                     item[i] + end);
    else ritti_text_add(out, "%s", item[i]);
  }
}

static void add_list(ritti_text *out, const char *words, const char *const *item, size_t count) {
  if (!count) return;
  ritti_text_add(out, "  %s: ", words);
  add_names(out, item, count);
  ritti_text_add(out, "\n");
}

static void add_moved(ritti_text *out, const ritt_moved *moved, size_t count) {
  int width = 4;
  if (!count) return;
  for (size_t i = 0; i < count; i++)
    if ((int)strlen(moved[i].name) > width) width = (int)strlen(moved[i].name);
  ritti_text_add(out, "  start values moved onto the manifold:\n    %-*s  %-24s  %-24s  %s\n",
                 width, "name", "typed", "used", "difference");
  for (size_t i = 0; i < count && i < MOST_LINES; i++) {
    char typed[32], used[32];
    ritti_text_add(out, "    %-*s  %-24s  %-24s  %+.2e\n", width, moved[i].name,
                   ritti_shortest(moved[i].typed, typed),
                   ritti_digits_apart(moved[i].used, moved[i].typed, used),
                   moved[i].used - moved[i].typed);
  }
  if (count > MOST_LINES) ritti_text_add(out, "    and %zu more\n", count - MOST_LINES);
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
  bool determined = !strcmp(c->verdict, "determined");
  ritti_text_add(&text, "%s: %s\n", c->model, c->verdict);
  if (c->reason) ritti_text_add(&text, "  reason: %s\n", c->reason);
  ritti_text_add(&text, "  unknowns: %d (", c->unknowns);
  add_names(&text, c->variables, c->variable_count);
  ritti_text_add(&text, "), equations: %d", c->equations);
  if (c->invariants > 0) ritti_text_add(&text, ", invariants: %d", c->invariants);
  ritti_text_add(&text, "\n");
  if (c->kind) ritti_text_add(&text, "  kind: %s\n", c->kind);
  if (determined) {
    add_count(&text, "  free initial values", c->degrees_of_freedom, "\n");
    add_count(&text, "  index", c->index, ", ");
    add_count(&text, "hidden constraints", c->hidden_constraints, "\n");
  }
  add_list(&text, "dependent equations", c->dependent_equations, c->dependent_count);
  add_list(&text, "undetermined variables", c->undetermined_variables, c->undetermined_count);
  add_list(&text, "not unique (the values of least norm are used)", c->non_unique,
           c->non_unique_count);
  add_moved(&text, c->moved, c->moved_count);
  for (size_t i = 0; i < c->singular_count; i++)
    ritti_text_add(&text, "  %s %s\n", i ? "                       " : "singular points nearby:",
                   c->singular_points[i]);
  for (size_t i = 0; i < c->note_count; i++) ritti_text_add(&text, "  note: %s\n", c->notes[i]);

  M->check.text = text.status == RITT_OK ? ritti_arena_text(M->arena, text.at, text.count) : NULL;
  ritti_text_free(&text);
  return M->check.text ? RITT_OK : RITT_NO_MEMORY;
}
