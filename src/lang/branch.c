/* `branch`: chooses one component of the position constraints. Parsed and resolved here.
 *
 * `branch 2` chooses by number, `branch through y2 = 0.3, y4 = -0.8` the component nearest to a
 * point, and `branch through start` the component of the start point.
 */
#include "lang_impl.h"

/* ---- read ---- */

/* Does a value of a variable, such as x = 1, stand here, and not a number? */
static bool looks_at_value(const ritti_parser *p) {
  ritti_token_kind next = ritti_kind_at(p, p->at + 1);
  return ritti_look(p) == T_NAME &&
         (next == T_EQUALS || next == T_OPEN_INDEX || next == T_PRIME || next == T_DOT);
}

/* grammar:
 *   branch = "through" "start" | [ "through" ] target "=" expr | expr
 * Every item after one with "through" is a value of the same point.
 */
bool ritti_parse_branch(ritti_parser *p, ritti_statement *s) {
  static const char *hint =
      "write 'branch 2', 'branch through x = 1, y = 2' or 'branch through start'";
  ritti_reader *r = p->reader;
  bool value = looks_at_value(p);

  /* through start, or through the first value of a point */
  if (!value && ritti_look_name(p, "through")) {
    s->word = p->at++;
    if (ritti_look_name(p, "start") && !looks_at_value(p)) {
      s->name = p->at++;
      return true;
    }

    /* the values of a point must follow */
    value = ritti_look(p) == T_NAME;
    if (!value) return ritti_refuse(p, s->word, hint, "values are missing after 'through'");
  }

  /* the number of the branch */
  if (!value) {
    s->right = ritti_parse_expr(p);
    return s->right != NULL;
  }

  /* variable = value */
  s->left = ritti_parse_target(p);
  if (!s->left) return false;
  if (ritti_look(p) != T_EQUALS) {
    if (ritti_look(p) == T_PRIME)
      ritti_say(r, p->at, "write the variable without primes",
                "a branch is chosen by positions, not by velocities");
    else if (ritti_look(p) != T_BAD)
      ritti_say(r, s->left->first, hint, "'=' is missing after '%s'", ritti_quote(r, p->at - 1));
    return false;
  }

  /* its value */
  s->relation = p->at++;
  s->right = ritti_parse_expr(p);
  return s->right != NULL;
}

/* ---- resolve ---- */

/* branch 2 */
static ritt_status resolve_number(ritti_resolver *s, const ritti_statement *line,
                                  ritti_branch_def *b) {
  ritti_scope scope = {SCOPE_CONSTANT, "the number of the branch", false};
  ritti_expr e;
  double number;
  if (!ritti_resolve_number(s, line->right, &scope, &e, &number)) return s->reader->status;

  /* a whole number from 1 on */
  if (!(number >= 1 && number <= 1000) || number != floor(number))
    ritti_say(s->reader, line->right->first,
              "branches are numbered 1, 2, ...: see 'ritt complete --branches'",
              "the number of the branch is not a whole number of at least 1");
  else b->number = (int)number;
  return s->reader->status;
}

/* branch through x = 1: adds values to the point. An array gives one value for each element. */
static ritt_status resolve_values(ritti_resolver *s, const ritti_statement *line,
                                  ritti_branch_def *b) {
  ritti_reader *r = s->reader;
  const char *target = ritti_shown(s, r->scratch, line->left, false);
  ritti_scope scope = {SCOPE_CONSTANT, ritti_words(r, "the value of '%.60s'", target), false};
  ritti_value jets = ritti_resolve_variables(s, line->left);
  ritti_value right = ritti_resolve_value(s, line->right, &scope);
  if (!ritti_both_sides(s, line, jets, right, true)) return r->status;

  /* make room */
  size_t more = ritti_value_count(jets);
  ritti_start_def *longer;
  RITTI_NEW(longer, s->model->arena, (size_t)b->values + more + 1);
  if (b->values) memcpy(longer, b->value, (size_t)b->values * sizeof *longer);
  b->value = longer;

  /* a value for each variable, which must be new to the point */
  for (size_t i = 0; i < more; i++) {
    ritti_start_def *v = &longer[b->values];
    *v = (ritti_start_def){.variable = ritti_index_of(s->dag, ritti_element(jets, i)),
                           .fixed = true,
                           .expr = ritti_element(right, i),
                           .text = target,
                           .place = ritti_place_of(r, line->first)};

    /* its number */
    if (!ritti_number_of(s, v->expr, line->right, &scope, &v->number)) break;
    for (int k = 0; k < b->values; k++)
      if (longer[k].variable == v->variable) {
        ritti_say(r, line->first, "remove one of them", "'%s' has two values in 'branch through'",
                  s->model->variable[v->variable].name);
        return r->status;
      }
    /* its text for messages */
    v->text = ritti_arena_format(s->model->arena, "%s = %s", s->model->variable[v->variable].name,
                                 ritti_shown(s, r->scratch, line->right, true));
    if (!v->text) return RITT_NO_MEMORY;
    b->values++;
  }
  return r->status;
}

ritt_status ritti_resolve_branch(ritti_resolver *s, const ritti_statement *line, void *context) {
  ritti_branch_def *b = &s->model->branch;
  ritti_reader *r = s->reader;
  bool more = line->word == NO_TOKEN && line->left;
  (void)context;

  /* only further values of the same point may follow the first item */
  if (b->asked && !(more && b->values)) {
    ritti_say(r, line->first,
              "choose one branch; values of one point follow 'through' with commas between them",
              "the branch is chosen twice");
    return r->status;
  }

  /* values without `through` */
  if (more && !b->asked) {
    ritti_say(r, line->first, "write 'branch through' before the values",
              "values choose a branch after the word 'through'");
    return r->status;
  }

  /* through start, through values, or a number */
  if (!b->asked) b->place = ritti_place_of(r, line->first);
  b->asked = true;
  if (line->name != NO_TOKEN) return RITT_OK;
  if (line->left) return resolve_values(s, line, b);
  return resolve_number(s, line, b);
}
