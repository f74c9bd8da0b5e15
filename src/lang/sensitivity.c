/* `sensitivity`: the parameters and start values by which a run differentiates its solution. */
#include "lang_impl.h"

/* grammar: sensitivity = expr */
bool ritti_parse_sensitivity(ritti_parser *p, ritti_statement *s) {
  s->right = ritti_parse_expr(p);
  return s->right != NULL;
}

/* The name of a parameter, a variable or its derivative; NULL: the expression is none of them, or
 * there is no memory. */
static const char *find_name(const ritti_resolver *s, ritti_expr e) {
  const ritti_model *m = s->model;
  ritti_op op = ritti_op_of(s->dag, e);
  if (op != RITTI_PARAMETER && op != RITTI_JET) return NULL;
  int index = ritti_index_of(s->dag, e);
  if (op == RITTI_PARAMETER) return m->parameter[index].name;
  return ritti_jet_name(m->arena, m->variable[index].name, ritti_order_of(s->dag, e));
}

ritt_status ritti_resolve_sensitivity(ritti_resolver *s, const ritti_statement *line,
                                      void *context) {
  ritti_name_list *names = context;
  ritti_reader *r = s->reader;
  ritti_value v = ritti_resolve_value(s, line->right, &ritti_anything);
  for (size_t i = 0; i < ritti_value_count(v); i++) {
    ritti_expr e = ritti_element(v, i);
    if (e == RITTI_NIL) continue;
    const char *name = find_name(s, e);
    bool known = false;
    if (!name) {
      ritti_say(r, line->first, "name parameters, and variables with a start value: g, L, x'",
                "'%s' is neither a parameter nor a start value",
                ritti_shown(s, r->scratch, line->right, false));
      break;
    }
    for (size_t k = 0; k < names->count; k++) known = known || !strcmp(names->at[k], name);
    if (known)
      ritti_say(r, line->first, "name it once", "derivatives by '%s' are requested twice", name);
    else RITT_TRY(RITTI_PUSH(*names, name));
  }
  return r->status;
}
