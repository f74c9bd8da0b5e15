/* A model described as JSON, for programs that show models: its names with their units, values and
 * texts, and its equations as text and as LaTeX. Nothing is completed for it. */
#include "pipeline.h"

/* Adds a member with a text; NULL gives null. */
static void add_member(ritti_text *out, const char *key, const char *text) {
  ritti_text_add(out, "\"%s\": ", key);
  if (text) ritti_text_add_json(out, text);
  else ritti_text_add(out, "null");
}

/* Adds a member with an expression, or with an equation if `right` is not NIL. */
static void add_expression(const ritti_model *model, ritti_text *out, const char *key, bool latex,
                           ritti_expr left, ritti_expr right) {
  ritti_text text = {0};
  void (*print)(const ritti_dag *, ritti_expr, const ritti_names *, ritti_text *) =
      latex ? ritti_dag_print_latex : ritti_dag_print;
  print(model->dag, left, &model->names, &text);
  if (right != RITTI_NIL) {
    ritti_text_add(&text, " = ");
    print(model->dag, right, &model->names, &text);
  }
  if (text.status == RITT_OK) add_member(out, key, text.at ? text.at : "");
  else out->status = text.status;
  ritti_text_free(&text);
}

/* Adds the names of a section: "elements" of an array, one of a single number. */
static void add_names(const ritt_model *M, ritti_text *out, bool parameters) {
  const ritti_model *model = M->model;
  const ritti_name_def *names = parameters ? model->parameter_name : model->variable_name;
  int count = parameters ? model->parameter_names : model->variable_names;
  ritti_text_add(out, ",\n \"%s\": [", parameters ? "parameters" : "variables");
  for (int i = 0; i < count; i++) {
    const ritti_name_def *name = &names[i];
    ritti_text_add(out, "%s\n  {", i ? "," : "");
    add_member(out, "name", name->name);
    ritti_text_add(out, ", ");
    add_member(out, "shown", name->shown);
    ritti_text_add(out, ", ");
    add_member(out, "doc", ritt_model_doc(M, name->name));
    ritti_text_add(out, ", ");
    const char *unit = NULL;
    if (name->count && parameters)
      unit = ritti_unit_of(model, NULL, ritti_parameter(model->dag, name->first));
    else if (name->count) unit = model->variable[name->first].unit;
    add_member(out, "unit", unit);

    /* the elements */
    ritti_text_add(out, ", \"elements\": [");
    for (int k = name->first; k < name->first + name->count; k++) {
      ritti_text_add(out, k > name->first ? ", " : "");
      ritti_text_add_json(out, parameters ? model->parameter[k].name : model->variable[k].name);
    }
    ritti_text_add(out, "]");

    /* the values of parameters */
    if (parameters) ritti_text_add(out, ", \"values\": [");
    for (int k = name->first; parameters && k < name->first + name->count; k++) {
      char number[32];
      ritti_text_add(out, "%s%s", k > name->first ? ", " : "",
                     ritti_shortest(model->parameter[k].number, number));
    }
    ritti_text_add(out, parameters ? "]}" : "}");
  }
  ritti_text_add(out, "]");
}

static void add_equations(const ritti_model *model, ritti_text *out) {
  ritti_text_add(out, ",\n \"equations\": [");
  for (int i = 0; i < model->equations; i++) {
    const ritti_equation_def *e = &model->equation[i];
    ritti_text_add(out, "%s\n  {", i ? "," : "");
    add_member(out, "name", e->label ? e->label : e->subject);
    ritti_text_add(out, ", ");
    add_expression(model, out, "text", false, e->left, e->right);
    ritti_text_add(out, ", ");
    add_expression(model, out, "latex", true, e->left, e->right);
    ritti_text_add(out, ", \"line\": %d}", e->place.line);
  }
  ritti_text_add(out, "]");

  /* invariants and events */
  ritti_text_add(out, ",\n \"invariants\": [");
  for (int i = 0; i < model->invariants; i++) {
    const ritti_invariant_def *v = &model->invariant[i];
    ritti_text_add(out, "%s\n  {", i ? "," : "");
    add_member(out, "name", v->name);
    ritti_text_add(out, ", ");
    add_expression(model, out, "text", false, v->expr, v->value);
    ritti_text_add(out, ", ");
    add_expression(model, out, "latex", true, v->expr, v->value);
    ritti_text_add(out, "}");
  }
  ritti_text_add(out, "],\n \"events\": [");
  for (int i = 0; i < model->events; i++) {
    const ritti_event_def *e = &model->event[i];
    ritti_text_add(out, "%s\n  {", i ? "," : "");
    add_member(out, "name", e->name);
    ritti_text_add(out, ", ");
    add_expression(model, out, "function", false, e->function, RITTI_NIL);
    ritti_text_add(out, ", \"sense\": %d, \"stop\": %s, \"jumps\": %d}", e->sense,
                   e->stop ? "true" : "false", e->jumps);
  }

  /* the lines of the section `sweep` */
  ritti_text_add(out, "],\n \"sweep\": [");
  for (int i = 0; i < model->sweeps; i++) {
    ritti_text_add(out, "%s", i ? ", " : "");
    ritti_text_add_json(out, model->sweep[i]);
  }
  ritti_text_add(out, "]");
}

ritt_status ritt_model_describe(const ritt_model *M, ritt_error *error, char **out) {
  const ritti_model *model = M->model;
  ritti_text text = {0};
  ritti_dag_mend(model->dag);
  ritti_text_add(&text, "{");
  add_member(&text, "name", model->name);
  ritti_text_add(&text, ", ");
  add_member(&text, "title", model->title);
  ritti_text_add(&text, ", ");
  add_member(&text, "doc", ritt_model_doc(M, NULL));
  ritti_text_add(&text, ",\n \"independent\": {");
  add_member(&text, "name", model->independent);
  ritti_text_add(&text, ", ");
  add_member(&text, "unit", model->independent_unit);
  ritti_text_add(&text, "}");
  add_names(M, &text, true);
  add_names(M, &text, false);
  add_equations(model, &text);
  ritti_text_add(&text, "}\n");

  *out = NULL;
  if (text.status != RITT_OK) {
    ritti_text_free(&text);
    return ritti_no_memory(error);
  }
  *out = text.at;
  return RITT_OK;
}
