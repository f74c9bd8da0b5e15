/* The completed system in words and formulas, and as JSON. */
#include <stdio.h>
#include "complete/complete_impl.h"

static const char *const ORDINALS[] = {"", "first ", "second ", "third ", "fourth ", "fifth ", "sixth "};

/* "condition from equations 1, 3 and 4 (lines 5, 7, 8)" */
static const char *derived_text(ritti_arena *arena, const ritti_model *model, ritti_origin origin) {
  ritti_text text = {0};
  int n = origin.sources;
  ritti_text_add(&text, "condition from equation%s", n == 1 ? "" : "s");
  for (int i = 0; i < n; i++)
    ritti_text_add(&text, "%s %d", i == 0 ? "" : i + 1 == n ? " and" : ",", origin.source[i] + 1);
  ritti_text_add(&text, " (line%s", n == 1 ? "" : "s");
  for (int i = 0; i < n; i++)
    ritti_text_add(&text, "%s %d", i ? "," : "", model->equation[origin.source[i]].place.line);
  ritti_text_add(&text, ")");
  const char *copy = text.status == RITT_OK ? ritti_arena_text(arena, text.at, text.count) : NULL;
  ritti_text_free(&text);
  return copy;
}

const char *ritti_origin_text(ritti_arena *arena, const ritti_model *model, ritti_origin origin) {
  if (origin.equation < 0 && origin.invariant < 0) return derived_text(arena, model, origin);
  if (origin.equation < 0) {
    const ritti_invariant_def *def = &model->invariant[origin.invariant];
    return def->name
               ? ritti_arena_format(arena, "invariant %s (line %d)", def->name, def->place.line)
               : ritti_arena_format(arena, "invariant %d (line %d)", origin.invariant + 1, def->place.line);
  }
  const ritti_equation_def *def = &model->equation[origin.equation];
  char times[64] = "";
  if (origin.order > 0 && origin.order < (int)(sizeof ORDINALS / sizeof *ORDINALS))
    snprintf(times, sizeof times, "%sderivative of ", ORDINALS[origin.order]);
  else if (origin.order > 0) snprintf(times, sizeof times, "%d-th derivative of ", origin.order);
  return def->label ? ritti_arena_format(arena, "%sequation %s (line %d)", times, def->label, def->place.line)
                    : ritti_arena_format(arena, "%sequation %d (line %d)", times, origin.equation + 1,
                                         def->place.line);
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

/* ---- text
 * ------------------------------------------------------------------------------------------------------- */

static void add_list(const ritti_reduced *R, const ritti_expr *e, int count, ritti_text *out) {
  for (int i = 0; i < count; i++) {
    ritti_text_add(out, "%s", i ? ", " : "");
    ritti_dag_print(R->model->dag, e[i], &R->model->names, out);
  }
}

static ritt_status add_row_text(const ritti_reduced *R, ritti_expr row, ritti_origin origin,
                                ritti_text *out) {
  ritti_text line = {0};
  const char *from = ritti_origin_text(R->arena, R->model, origin);
  ritti_dag_print(R->model->dag, row, &R->model->names, &line);
  ritti_text_add(&line, " = 0");
  if (line.status == RITT_OK && from) ritti_text_add(out, "  %-60s # %s\n", line.at, from);
  ritt_status status = line.status == RITT_OK && from ? RITT_OK : RITT_NO_MEMORY;
  ritti_text_free(&line);
  return status;
}

static ritt_status print_text(const ritti_reduced *R, ritti_text *out) {
  ritti_text_add(out, "%s: %s\n\ncoordinates\n  ", R->model->name, ritt_kind_text(R->kind));
  add_list(R, R->coordinate, R->m, out);
  ritti_text_add(out, "\n\nmanifold%s\n", R->k ? "" : "\n  no constraints: the whole space");
  for (int i = 0; i < R->k; i++) RITT_TRY(add_row_text(R, R->f[i], R->origin[i], out));
  ritti_text_add(out, "\ndirection: ");
  add_list(R, R->top, R->tops, out);
  ritti_text_add(out, " from\n");
  for (int i = 0; i < R->top_rows; i++) RITT_TRY(add_row_text(R, R->top_row[i], R->top_origin[i], out));
  return out->status;
}

/* ---- JSON
 * ------------------------------------------------------------------------------------------------------- */

static void add_json_expr(const ritti_reduced *R, ritti_expr e, const char *tail, ritti_text *out) {
  ritti_text text = {0};
  ritti_dag_print(R->model->dag, e, &R->model->names, &text);
  ritti_text_add(&text, "%s", tail);
  if (text.status != RITT_OK) out->status = text.status;
  else ritti_text_add_json(out, text.at);
  ritti_text_free(&text);
}

static void add_json_list(const ritti_reduced *R, const char *name, const ritti_expr *e, int count,
                          ritti_text *out) {
  ritti_text_add(out, ",\n \"%s\": [", name);
  for (int i = 0; i < count; i++) {
    ritti_text_add(out, "%s", i ? ", " : "");
    add_json_expr(R, e[i], "", out);
  }
  ritti_text_add(out, "]");
}

static ritt_status add_json_rows(const ritti_reduced *R, const char *name, const ritti_expr *row,
                                 const ritti_origin *origin, int count, ritti_text *out) {
  ritti_text_add(out, ",\n \"%s\": [", name);
  for (int i = 0; i < count; i++) {
    const char *from = ritti_origin_text(R->arena, R->model, origin[i]);
    if (!from) return RITT_NO_MEMORY;
    ritti_text_add(out, "%s\n  {\"equation\": ", i ? "," : "");
    add_json_expr(R, row[i], " = 0", out);
    ritti_text_add(out, ", \"origin\": ");
    ritti_text_add_json(out, from);
    ritti_text_add(out, "}");
  }
  ritti_text_add(out, "]");
  return out->status;
}

static ritt_status print_json(const ritti_reduced *R, ritti_text *out) {
  ritti_text_add(out, "{\"model\": ");
  ritti_text_add_json(out, R->model->name);
  ritti_text_add(out, ",\n \"kind\": \"%s\"", ritt_kind_text(R->kind));
  add_json_list(R, "coordinates", R->coordinate, R->m, out);
  RITT_TRY(add_json_rows(R, "manifold", R->f, R->origin, R->k, out));
  add_json_list(R, "top", R->top, R->tops, out);
  RITT_TRY(add_json_rows(R, "direction", R->top_row, R->top_origin, R->top_rows, out));
  ritti_text_add(out, "}\n");
  return out->status;
}

ritt_status ritti_reduced_print(const ritti_reduced *R, ritt_form form, ritti_text *out) {
  return form == RITT_JSON ? print_json(R, out) : print_text(R, out);
}
