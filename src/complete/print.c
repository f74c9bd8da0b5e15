/* The completed system in words and formulas, and as JSON. */
#include <stdio.h>
#include "complete/complete_impl.h"

static const char *const ORDINALS[] = {"",        "first ", "second ", "third ",
                                       "fourth ", "fifth ", "sixth "};

static const char *joint(int i, int n) { return i == 0 ? "" : i + 1 == n ? " and" : ","; }

static const char *file_of(const ritti_model *model, int equation) {
  const char *file = model->equation[equation].place.file;
  return file ? file : "";
}

static bool is_new_line(const ritti_model *model, ritti_origin origin, int i) {
  for (int k = 0; k < i; k++)
    if (!strcmp(file_of(model, origin.source[k]), file_of(model, origin.source[i])) &&
        model->equation[origin.source[k]].place.line ==
            model->equation[origin.source[i]].place.line)
      return false;
  return true;
}

/* " (lines 5, 7, 8)", each once; " (line 5, line 2 of 'parts.ritt')" where there are several files
 */
static void add_lines(ritti_arena *arena, const ritti_model *model, ritti_origin origin,
                      ritti_text *out) {
  int lines = 0, n = origin.sources;
  bool elsewhere = false;
  for (int i = 0; i < n; i++) {
    const char *line = ritti_line_text(arena, model, &model->equation[origin.source[i]].place);
    elsewhere |= line && strstr(line, " of '");
    lines += is_new_line(model, origin, i);
  }
  ritti_text_add(out, elsewhere ? " (" : lines == 1 ? " (line " : " (lines ");
  for (int i = 0, k = 0; i < n; i++) {
    const ritti_place *place = &model->equation[origin.source[i]].place;
    if (!is_new_line(model, origin, i)) continue;
    ritti_text_add(out, "%s", k++ ? ", " : "");
    if (elsewhere) ritti_text_add(out, "%s", ritti_line_text(arena, model, place));
    else ritti_text_add(out, "%d", place->line);
  }
  ritti_text_add(out, ")");
}

/* "condition from equations 1, 3 and 4 (lines 5, 7, 8)", "condition from constraint 1 and ...
 * (lines 8, 5)" */
static const char *derived_text(ritti_arena *arena, const ritti_model *model, ritti_origin origin) {
  ritti_text text = {0};
  int n = origin.sources;
  bool named = false;
  for (int i = 0; i < n; i++) named = named || model->equation[origin.source[i]].subject;
  ritti_text_add(&text, named    ? "condition from"
                        : n == 1 ? "condition from equation"
                                 : "condition from equations");
  for (int i = 0; i < n; i++) {
    const char *subject = model->equation[origin.source[i]].subject;
    ritti_text_add(&text, "%s ", joint(i, n));
    if (subject) ritti_text_add(&text, "%s", subject);
    else ritti_text_add(&text, named ? "equation %d" : "%d", origin.source[i] + 1);
  }
  add_lines(arena, model, origin, &text);
  const char *copy = text.status == RITT_OK ? ritti_arena_text(arena, text.at, text.count) : NULL;
  ritti_text_free(&text);
  return copy;
}

const char *ritti_origin_text(ritti_arena *arena, const ritti_model *model, ritti_origin origin) {
  if (origin.equation < 0 && origin.invariant < 0) return derived_text(arena, model, origin);
  if (origin.equation < 0) {
    const ritti_invariant_def *def = &model->invariant[origin.invariant];
    return def->name ? ritti_arena_format(arena, "invariant %s (%s)", def->name,
                                          ritti_line_text(arena, model, &def->place))
                     : ritti_arena_format(arena, "invariant %d (%s)", origin.invariant + 1,
                                          ritti_line_text(arena, model, &def->place));
  }
  const ritti_equation_def *def = &model->equation[origin.equation];
  const char *line = ritti_line_text(arena, model, &def->place);
  char times[64] = "";
  if (origin.order > 0 && origin.order < (int)(sizeof ORDINALS / sizeof *ORDINALS))
    snprintf(times, sizeof times, "%sderivative of ", ORDINALS[origin.order]);
  else if (origin.order > 0) snprintf(times, sizeof times, "%d-th derivative of ", origin.order);
  if (def->subject)
    return ritti_arena_format(arena, "%s%s (%s%s%s%s%s)", times, def->subject,
                              def->source ? def->source : "", def->source ? ", " : "", line,
                              !def->label && def->member ? ", " : "",
                              !def->label && def->member ? def->member : "");
  if (def->label) return ritti_arena_format(arena, "%sequation %s (%s)", times, def->label, line);
  return ritti_arena_format(arena, "%sequation %d (%s%s%s)", times, origin.equation + 1, line,
                            def->member ? ", " : "", def->member ? def->member : "");
}

const char *ritti_show(ritti_completion *C, ritti_expr e) {
  ritti_text text = {0};
  ritti_dag_print(C->dag, e, &C->model->names, &text);
  const char *copy =
      text.status == RITT_OK && text.at ? ritti_arena_text(C->arena, text.at, text.count) : NULL;
  ritti_text_free(&text);
  return copy;
}

const char *ritti_show_equation(ritti_completion *C, int equation) {
  const ritti_equation_def *def = &C->model->equation[equation];
  const char *left = ritti_show(C, def->left), *right = ritti_show(C, def->right);
  return left && right ? ritti_arena_format(C->arena, "%s = %s", left, right) : NULL;
}

const char *ritti_show_jet(ritti_completion *C, int variable, int order) {
  return ritti_jet_name(C->arena, C->model->variable[variable].name, order);
}

/* ---- a system as blocks, in three styles ---- */

/* Expressions under a heading: a list, or rows "= 0" with their origins. */
typedef struct block {
  const char *title, *key; /* for people, for JSON */
  const ritti_expr *e;
  const ritti_origin *origin; /* NULL: a list */
  int count;
} block;

typedef struct listing {
  const ritti_model *model;
  ritti_arena *arena;
  const char *kind;
  const block *blocks;
  int count;
  const ritti_blocks *parts; /* of the system for `tops`; NULL: not listed */
  const ritti_expr *tops;
} listing;

static void add_expr(const listing *L, ritti_expr e, ritti_text *out) {
  ritti_dag_print(L->model->dag, e, &L->model->names, out);
}

static ritt_status add_text_rows(const listing *L, const block *b, ritti_text *out) {
  for (int i = 0; i < b->count; i++) {
    ritti_text line = {0};
    const char *from = ritti_origin_text(L->arena, L->model, b->origin[i]);
    add_expr(L, b->e[i], &line);
    ritti_text_add(&line, " = 0");
    ritt_status status = line.status == RITT_OK && from ? RITT_OK : RITT_NO_MEMORY;
    if (status == RITT_OK) ritti_text_add(out, "  %-60s # %s\n", line.at, from);
    ritti_text_free(&line);
    RITT_TRY(status);
  }
  return RITT_OK;
}

static int largest_part(const ritti_blocks *parts) {
  int most = 0;
  for (int b = 0; b < parts->count; b++)
    if (parts->start[b + 1] - parts->start[b] > most) most = parts->start[b + 1] - parts->start[b];
  return most;
}

/* "x'', y'', l | z'": the tops block by block; of many blocks only their number and size. */
static void add_text_parts(const listing *L, ritti_text *out) {
  enum { MOST_SHOWN = 8 };
  const ritti_blocks *parts = L->parts;
  ritti_text_add(out,
                 "\nblocks: highest derivatives that are solved for together, in this order\n  ");
  if (parts->count > MOST_SHOWN) {
    ritti_text_add(out, "%d blocks, the largest of %d\n", parts->count, largest_part(parts));
    return;
  }
  for (int b = 0; b < parts->count; b++)
    for (int i = parts->start[b]; i < parts->start[b + 1]; i++) {
      const char *before = i > parts->start[b] ? ", " : b > 0 ? " | " : "";
      ritti_text_add(out, "%s", before);
      add_expr(L, L->tops[parts->column[i]], out);
    }
  ritti_text_add(out, "\n");
}

static ritt_status print_text(const listing *L, ritti_text *out) {
  ritti_text_add(out, "%s: %s\n", L->model->name, L->kind);
  for (const block *b = L->blocks; b < L->blocks + L->count; b++) {
    ritti_text_add(out, "\n%s\n", b->title);
    if (b->origin) {
      if (b->count == 0) ritti_text_add(out, "  none\n");
      RITT_TRY(add_text_rows(L, b, out));
      continue;
    }
    for (int i = 0; i < b->count; i++)
      ritti_text_add(out, "%s", i ? ", " : "  "), add_expr(L, b->e[i], out);
    ritti_text_add(out, "\n");
  }
  if (L->parts) add_text_parts(L, out);
  return out->status;
}

static ritt_status print_latex(const listing *L, ritti_text *out) {
  ritti_text_add(out, "%% %s: %s\n", L->model->name, L->kind);
  for (const block *b = L->blocks; b < L->blocks + L->count; b++) {
    if (b->count == 0) continue;
    ritti_text_add(out, "%% %s\n%s", b->title, b->origin ? "\\begin{align*}\n" : "\\[");
    for (int i = 0; i < b->count; i++) {
      const char *from = b->origin ? ritti_origin_text(L->arena, L->model, b->origin[i]) : "";
      if (!from) return RITT_NO_MEMORY;
      ritti_text_add(out, "%s", b->origin ? "  " : i ? ",\\; " : " ");
      ritti_dag_print_latex(L->model->dag, b->e[i], &L->model->names, out);
      if (b->origin)
        ritti_text_add(out, " &= 0 && \\text{%s}%s\n", from, i + 1 < b->count ? " \\\\" : "");
    }
    ritti_text_add(out, "%s\n", b->origin ? "\\end{align*}" : " \\]");
  }
  return out->status;
}

static void add_json_expr(const listing *L, ritti_expr e, const char *tail, ritti_text *out) {
  ritti_text text = {0};
  add_expr(L, e, &text);
  ritti_text_add(&text, "%s", tail);
  if (text.status != RITT_OK) out->status = text.status;
  else ritti_text_add_json(out, text.at);
  ritti_text_free(&text);
}

static ritt_status add_json_block(const listing *L, const block *b, ritti_text *out) {
  ritti_text_add(out, ",\n \"%s\": [", b->key);
  for (int i = 0; i < b->count; i++) {
    const char *from = b->origin ? ritti_origin_text(L->arena, L->model, b->origin[i]) : "";
    if (!from) return RITT_NO_MEMORY;
    ritti_text_add(out, b->origin ? "%s\n  {\"equation\": " : "%s",
                   i ? b->origin ? "," : ", " : "");
    add_json_expr(L, b->e[i], b->origin ? " = 0" : "", out);
    if (!b->origin) continue;
    ritti_text_add(out, ", \"origin\": ");
    ritti_text_add_json(out, from);
    ritti_text_add(out, "}");
  }
  ritti_text_add(out, "]");
  return RITT_OK;
}

static ritt_status print_json(const listing *L, ritti_text *out) {
  ritti_text_add(out, "{\"model\": ");
  ritti_text_add_json(out, L->model->name);
  ritti_text_add(out, ",\n \"kind\": \"%s\"", L->kind);
  for (int i = 0; i < L->count; i++) RITT_TRY(add_json_block(L, &L->blocks[i], out));
  if (L->parts) {
    ritti_text_add(out, ",\n \"blocks\": [");
    for (int b = 0; b < L->parts->count; b++)
      ritti_text_add(out, "%s%d", b ? ", " : "", L->parts->start[b + 1] - L->parts->start[b]);
    ritti_text_add(out, "]");
  }
  ritti_text_add(out, "}\n");
  return out->status;
}

static ritt_status print_listing(const listing *L, ritt_form form, ritti_text *out) {
  switch (form) {
  case RITT_JSON: return print_json(L, out);
  case RITT_LATEX: return print_latex(L, out);
  default: return print_text(L, out);
  }
}

/* Unknowns that were removed, each with its value, as rows "v - value = 0". */
static ritt_status list_removed(const ritti_reduced *R, ritti_expr **e, ritti_origin **origin) {
  RITTI_NEW(*e, R->arena, R->removals + 1);
  RITTI_NEW(*origin, R->arena, R->removals + 1);
  for (int i = 0; i < R->removals; i++) {
    ritti_expr jet = ritti_jet(R->model->dag, R->removed[i].variable, 0);
    (*e)[i] = ritti_subtract(R->model->dag, jet, R->removed[i].value);
    (*origin)[i] = (ritti_origin){.equation = R->removed[i].equation, .invariant = -1};
  }
  return ritti_dag_status(R->model->dag);
}

ritt_status ritti_reduced_print(const ritti_reduced *R, ritt_form form, ritti_text *out) {
  ritti_expr *removed;
  ritti_origin *origin;
  ritti_blocks parts;
  RITT_TRY(list_removed(R, &removed, &origin));
  RITT_TRY(ritti_find_blocks(&R->A.pattern, R->arena, &parts));
  bool several = parts.count > 1 && R->kind != RITT_EXPLICIT;
  const block blocks[] = {
      {"coordinates", "coordinates", R->coordinate, NULL, R->m},
      {"manifold", "manifold", R->f, R->origin, R->k},
      {"tops", "top", R->top, NULL, R->tops},
      {"direction: the highest derivatives from", "direction", R->top_row, R->top_origin,
       R->top_rows},
      {"removed: unknowns that one equation gives", "removed", removed, origin, R->removals}};
  const listing L = {.model = R->model,
                     .arena = R->arena,
                     .kind = ritt_kind_text(R->kind),
                     .blocks = blocks,
                     .count = R->removals ? 5 : 4,
                     .parts = several ? &parts : NULL,
                     .tops = R->top};
  return print_listing(&L, form, out);
}

ritt_status ritti_involutive_print(ritti_model *model, ritti_arena *arena, ritt_form form,
                                   ritt_error *error, ritti_text *out) {
  ritt_check check = {0};
  ritti_completion C = {
      .model = model, .dag = model->dag, .arena = arena, .error = error, .check = &check};
  ritti_expr *jet;
  RITT_TRY(ritti_involutive(&C));
  RITTI_NEW(jet, arena, C.jets + 1);
  jet[0] = ritti_independent(model->dag);
  for (int k = 0, at = 1; at <= C.jets; k++)
    for (int j = 0; j < C.n; j++)
      if (k <= C.d[j]) jet[at++] = ritti_jet(model->dag, j, k);
  RITT_TRY(ritti_dag_status(model->dag));
  const block blocks[] = {{"coordinates", "coordinates", jet, NULL, C.jets + 1},
                          {"equations", "equations", C.row, C.origin, C.rows}};
  const listing L = {
      .model = model, .arena = arena, .kind = "involutive", .blocks = blocks, .count = 2};
  return print_listing(&L, form, out);
}
