/* Prints the list of components, for people and for programs, and chooses a component. */
#include "branches/algebra_impl.h"

/* Adds an expression. */
static void add_expr(const ritti_branches *B, ritti_expr e, ritti_text *out) {
  ritti_dag_print(B->model->dag, e, &B->model->names, out);
}

/* ---- words ---- */

/* Prints a component in words. */
static void print_component(const ritti_branches *B, int number, ritti_text *out) {
  const ritti_component *c = &B->component[number];
  ritti_text_add(out, "\nbranch %d: dimension %d, degree %d, ", number + 1, c->dimension,
                 c->degree);
  if (c->smooth == RITTI_YES) ritti_text_add(out, "smooth");
  else if (c->smooth == RITTI_NO) ritti_text_add(out, "with singular points (complex ones count)");
  else ritti_text_add(out, "whether it is smooth was not decided");

  /* where it is */
  if (c->through == RITTI_YES) ritti_text_add(out, ", through %s\n", B->point);
  else if (!c->reached) ritti_text_add(out, "\n");
  else if (c->through == RITTI_NO)
    ritti_text_add(out, ", its nearest point is %.3g away from %s\n", c->distance, B->point);
  else
    ritti_text_add(out, ", perhaps through %s: its nearest point is %.3g away\n", B->point,
                   c->distance);

  /* its equations, or all generators if the equations may lose rank */
  bool some = c->rows > 0 && c->independent == RITTI_YES;
  for (int i = 0; i < (some ? c->rows : c->generators); i++) {
    ritti_text_add(out, "  ");
    add_expr(B, some ? c->row[i] : c->generator[i], out);
    ritti_text_add(out, " = 0\n");
  }
}

/* ---- JSON ---- */

/* Adds a list of expressions as JSON strings. */
static void add_list(const ritti_branches *B, const char *name, const ritti_expr *e, int count,
                     ritti_text *out) {
  ritti_text_add(out, ", \"%s\": [", name);
  for (int i = 0; i < count; i++) {
    ritti_text own = {0};
    add_expr(B, e[i], &own);
    ritti_text_add(out, i ? ", " : "");
    ritti_text_add_json(out, own.at ? own.at : "");
    if (own.status != RITT_OK) out->status = own.status;
    ritti_text_free(&own);
  }
  ritti_text_add(out, "]");
}

/* Adds the closest point and its distance. */
static void add_point(const ritti_branches *B, const ritti_component *c, ritti_text *out) {
  ritti_text_add(out, ", \"nearest\": ");
  if (!c->reached) {
    ritti_text_add(out, "null, \"distance\": null");
    return;
  }
  for (int i = 0; i < B->variables; i++) {
    ritti_text_add(out, i ? ", " : "{");
    ritti_text_add_json(out, B->model->variable[B->variable[i]].name);
    ritti_text_add(out, ": %.17g", c->nearest[i]);
  }
  ritti_text_add(out, "}, \"distance\": %.17g", c->distance);
}

ritt_status ritti_branches_print(const ritti_branches *B, ritt_form form, ritti_text *out) {
  if (form == RITT_JSON) {
    /* Prints all components as JSON. */
    static const char *const word[] = {"false", "true", "null"};

    /* the model */
    ritti_text_add(out, "{\"model\": ");
    ritti_text_add_json(out, B->model->name);
    ritti_text_add(out, ", \"procedure\": \"%s\", \"branches\": [", B->by);

    /* the components */
    for (int i = 0; i < B->components; i++) {
      const ritti_component *c = &B->component[i];
      ritti_text_add(out, "%s\n  {\"branch\": %d, \"dimension\": %d, \"degree\": %d", i ? "," : "",
                     i + 1, c->dimension, c->degree);
      ritti_text_add(out, ", \"smooth\": %s, \"through_start\": %s, \"independent\": %s",
                     word[c->smooth], word[c->through], word[c->independent]);
      add_list(B, "equations", c->row, c->rows, out);
      add_list(B, "generators", c->generator, c->generators, out);
      add_point(B, c, out);
      ritti_text_add(out, "}");
    }
    ritti_text_add(out, "\n]}\n");
  } else {
    /* Prints all components in words. */
    ritti_text_add(out, "%s: %d branch%s of %d position constraint%s (%s)\n", B->model->name,
                   B->components, B->components == 1 ? "" : "es", B->equations,
                   B->equations == 1 ? "" : "s", B->by);
    for (int i = 0; i < B->components; i++) print_component(B, i, out);
  }
  return out->status;
}

/* ---- choosing ---- */

ritt_status ritti_branches_choose(const ritti_branches *B, const ritti_place *place,
                                  ritt_error *error, int *number) {
  int count = 0;

  /* count the components that may pass through the point */
  for (int i = 0; i < B->components; i++)
    if (B->component[i].through != RITTI_NO) {
      *number = i;
      count++;
    }

  /* none or several of them are an error */
  if (count == 1) return RITT_OK;
  if (count == 0)
    return ritti_fail(error, RITT_WRONG_MODEL, place,
                      "see 'ritt complete --branches' for the branches, and choose one: 'branch 1'",
                      "none of the %d branches passes through %s", B->components, B->point);
  ritti_text list = {0};

  /* Lists all components that may be meant: "branch 1 (y2 - y4 = 0, ...)". */
  int listed = 0;
  for (int i = 0; i < B->components; i++) {
    const ritti_component *c = &B->component[i];
    if (c->through == RITTI_NO) continue;
    ritti_text_add(&list, "%sbranch %d (", listed++ ? "; " : "", i + 1);
    for (int k = 0; k < c->rows && k < 3; k++) {
      ritti_text_add(&list, k ? ", " : "");
      add_expr(B, c->row[k], &list);
      ritti_text_add(&list, " = 0");
    }
    ritti_text_add(&list, c->rows > 3 ? ", ...)" : ")");
  }

  ritt_status status =
      list.status != RITT_OK
          ? RITT_NO_MEMORY
          : ritti_fail(
                error, RITT_WRONG_MODEL, place,
                "choose one with 'branch 1' and the like, or by values that only one of them has, "
                "'branch through x = 1, y = 2'",
                "%d branches pass through %s, or near it: %s", count, B->point, list.at);
  ritti_text_free(&list);
  return status;
}
