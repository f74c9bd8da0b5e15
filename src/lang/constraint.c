/* The sections constraint and nonholonomic: equations between coordinates, or equations linear
 * in their velocities, each with a multiplier that becomes a variable of the model.
 *
 * In: statements, and families and arrays of them. Out: every constraint with its row of G, and
 * the multipliers as variables after those of the user: first the multipliers of constraints
 * without a label, lambda[1], lambda[2], ... in the order of the file, then those of each
 * label, as one number or as an array with the indices of the families.
 *
 * Lets may use multipliers, and forces may use these lets. So constraints are resolved before
 * the other statements of mechanics, and they cannot contain multipliers themselves.
 */
#include <inttypes.h>
#include "mechanics_impl.h"

/* ---- statements in the order of the file ---- */

/* Lists a statement, or the statements of a family. */
static ritt_status add_clauses(ritti_resolver *s, const ritti_statement *line, bool nonholonomic) {
  if (!line->each)
    return RITTI_PUSH(s->mechanics->clauses,
                      (ritti_clause){.line = line, .nonholonomic = nonholonomic});
  for (const ritti_statement *b = line->body; b; b = b->next)
    RITT_TRY(add_clauses(s, b, nonholonomic));
  return RITT_OK;
}

/* Takes the next statement in the order of the file from one of two lists. NULL: both are empty. */
static const ritti_statement *next_statement(const ritti_statement **holonomic,
                                             const ritti_statement **nonholonomic,
                                             bool *is_nonholonomic) {
  const ritti_statement *a = *holonomic, *b = *nonholonomic;
  *is_nonholonomic = b && (!a || b->order < a->order);
  if (*is_nonholonomic) *nonholonomic = b->next;
  else if (a) *holonomic = a->next;
  return *is_nonholonomic ? b : a;
}

/* The number of a statement's clause: the last clause that does not begin after the statement. */
static uint32_t clause_of(const ritti_mechanics *M, const ritti_statement *line) {
  size_t low = 0, high = M->clauses.count;
  while (low + 1 < high) {
    size_t middle = (low + high) / 2;
    if (M->clauses.at[middle].line->order <= line->order) low = middle;
    else high = middle;
  }
  return (uint32_t)low;
}

/* ---- names ---- */

/* The symbol of a name; NULL: none. */
static ritti_symbol *find_symbol(const ritti_resolver *s, const char *name) {
  return ritti_symbols_find(&s->names, name, strlen(name));
}

/* Declares the name of a multiplier. It has no value until the constraints are resolved. */
static void declare_multiplier(ritti_resolver *s, const char *name, uint32_t token) {
  if (!ritti_symbols_add(&s->names, name, Y_BROKEN, token)) s->reader->status = RITT_NO_MEMORY;
}

/* Declares `lambda`, the array of multipliers of constraints without a label. */
static void declare_lambda(ritti_resolver *s, const ritti_statement *line) {
  const ritti_symbol *old = find_symbol(s, "lambda");
  if (!old) declare_multiplier(s, "lambda", line->first);
  else if (old->kind != Y_BROKEN)
    ritti_say(s->reader, line->first,
              "label the constraints, 'rod: x^2 + y^2 = 1', or rename 'lambda'",
              "the multiplier of this constraint is lambda[1], but 'lambda' is defined in %s",
              ritti_line_words(s->reader, old->token, line->first));
}

/* Declares the multiplier of a labelled constraint. */
static void declare_label(ritti_resolver *s, const ritti_statement *line) {
  ritti_reader *r = s->reader;
  const ritti_symbol *old = ritti_find_symbol(s, line->name);
  const char *label = ritti_quote(r, line->name);

  /* the label must be a new name */
  if (!old) declare_multiplier(s, ritti_keep_name(r, line->name), line->name);
  else if (old->kind == Y_INDEPENDENT)
    ritti_say(
        r, line->name, "choose another label",
        "the label '%s' names the multiplier of the constraint, but it is the independent variable",
        label);
  else if (old->kind != Y_BROKEN)
    ritti_say(r, line->name, "choose another label",
              "the label '%s' names the multiplier of the constraint, but '%s' is defined in %s",
              label, label, ritti_line_words(r, old->token, line->name));
}

/* Declares the names of all multipliers. */
ritt_status ritti_multipliers_declare(ritti_resolver *s) {
  ritti_mechanics *M = s->mechanics;
  const ritti_statement *h = s->syntax->list[S_CONSTRAINT].first,
                        *n = s->syntax->list[S_NONHOLONOMIC].first;
  bool nonholonomic, lambda = false;

  /* list the statements of both sections in the order of the file */
  for (const ritti_statement *line; (line = next_statement(&h, &n, &nonholonomic));)
    RITT_TRY(add_clauses(s, line, nonholonomic));

  /* declare each label, and lambda once */
  for (size_t i = 0; i < M->clauses.count; i++) {
    const ritti_statement *line = M->clauses.at[i].line;
    if (line->name != NO_TOKEN) declare_label(s, line);
    else if (!lambda) declare_lambda(s, line);
    lambda = lambda || line->name == NO_TOKEN;
  }
  return s->reader->status;
}

bool ritti_multiplier_symbol(const ritti_resolver *s, size_t number, size_t *symbol) {
  const ritti_mechanics *M = s->mechanics;
  if (!M || number > M->clauses.count) return false;

  const ritti_statement *line = number ? M->clauses.at[number - 1].line : NULL;
  const ritti_token *t = NULL;
  if (line && line->name != NO_TOKEN) t = ritti_token_at(s->reader, line->name);

  /* number 0 and clauses without a label stand for lambda */
  const ritti_symbol *y = find_symbol(s, "lambda");
  if (t) y = ritti_symbols_find(&s->names, s->reader->text + t->start, t->length);

  /* a name that something else defines is not a multiplier */
  bool own = y && y->kind == Y_BROKEN && (!t || y->token == line->name);
  *symbol = own ? (size_t)(y - s->names.all.at) : SIZE_MAX;
  return true;
}

/* ---- the two kinds of constraints ---- */

/* "x", "x'": the name of a jet for messages. */
static const char *jet_name(ritti_resolver *s, ritti_expr jet) {
  const char *name =
      ritti_jet_name(s->reader->scratch, s->model->variable[ritti_index_of(s->dag, jet)].name,
                     ritti_order_of(s->dag, jet));
  return name ? name : "";
}

/* g(t, q) = 0: computes its row dg/dq of G and dg/dt. *whole becomes false if a mistake is
 * reported. */
static ritt_status take_holonomic(ritti_resolver *s, ritti_held *h, uint32_t token, bool *whole) {
  ritti_reader *r = s->reader;
  h->drift = ritti_number(s->dag, 0, 1);
  RITT_TRY(ritti_dag_gradient_of(s->dag, h->g, 1u << RITTI_JET | 1u << RITTI_INDEPENDENT, &h->G));

  /* keep the derivatives by coordinates, and the one by time as the drift */
  size_t kept = 0;
  for (size_t i = 0; i < h->G.count; i++) {
    if (ritti_op_of(s->dag, h->G.leaf[i]) == RITTI_INDEPENDENT) {
      h->drift = h->G.derivative[i];
      continue;
    }
    /* a constraint must not depend on velocities or higher derivatives */
    int order = ritti_order_of(s->dag, h->G.leaf[i]);
    if (order > 0 && *whole) {
      *whole = false;
      ritti_say(r, token,
                order == 1 ? "an equation of velocities belongs to the section 'nonholonomic'"
                           : "write it with the coordinates alone",
                "the constraint depends on %s%s", jet_name(s, h->G.leaf[i]), ritti_where(s));
    }

    /* keep the element of the row */
    h->G.leaf[kept] = h->G.leaf[i];
    h->G.derivative[kept++] = h->G.derivative[i];
  }
  h->G.count = kept;

  /* it must depend on a coordinate */
  if (kept == 0 && *whole) {
    *whole = false;
    ritti_say(r, token, "write an equation of the coordinates, or remove it",
              "the constraint contains no variable%s", ritti_where(s));
  }
  return RITT_OK;
}

/* A velocity on which a coefficient of the velocities depends; RITTI_NIL: there is none. */
static ritt_status nonlinear_velocity(ritti_resolver *s, const ritti_gradient *g, ritti_expr *out) {
  *out = RITTI_NIL;
  /* the derivatives of each coefficient by the velocities */
  for (size_t i = 0; i < g->count && *out == RITTI_NIL; i++) {
    ritti_gradient second;
    RITT_TRY(ritti_dag_gradient_of(s->dag, g->derivative[i], 1u << RITTI_JET, &second));
    ritt_status status = RITT_OK;
    for (size_t k = 0; k < second.count && status == RITT_OK; k++) {
      bool zero = true;
      if (ritti_order_of(s->dag, second.leaf[k]) > 0)
        status = ritti_vanishes(s, &second.derivative[k], 1, &zero);
      if (status == RITT_OK) status = ritti_note_read(s, second.derivative[k]);
      if (!zero) *out = second.leaf[k];
    }

    ritti_gradient_clear(&second);
    RITT_TRY(status);
  }
  return RITT_OK;
}

/* a.q' = b: computes the coefficients of the velocities, and the remainder without velocities.
 * *whole becomes false if a mistake is reported. */
static ritt_status take_nonholonomic(ritti_resolver *s, ritti_held *h, uint32_t token,
                                     bool *whole) {
  ritti_reader *r = s->reader;
  ritti_expr nonlinear;
  RITT_TRY(ritti_dag_gradient_of(s->dag, h->g, 1u << RITTI_JET, &h->G));

  /* the row of G: the derivatives by velocities */
  size_t kept = 0;
  for (size_t i = 0; i < h->G.count; i++)
    if (ritti_order_of(s->dag, h->G.leaf[i]) == 1) {
      h->G.leaf[kept] = h->G.leaf[i];
      h->G.derivative[kept++] = h->G.derivative[i];
    }
  h->G.count = kept;

  /* the equation must contain velocities and be linear in them */
  RITT_TRY(nonlinear_velocity(s, &h->G, &nonlinear));
  if (kept == 0)
    ritti_say(r, token, "an equation of the coordinates belongs to the section 'constraint'",
              "the nonholonomic constraint contains no velocity%s", ritti_where(s));
  else if (nonlinear != RITTI_NIL)
    ritti_say(
        r, token,
        "multiply it out if it can be written a*x' + b*y' = c; d'Alembert's principle covers no other",
        "the nonholonomic constraint is not linear in %s%s", jet_name(s, nonlinear),
        ritti_where(s));

  /* the row is complete without mistakes */
  *whole = kept > 0 && nonlinear == RITTI_NIL;
  if (!*whole) return RITT_OK;

  /* the drift is g with all velocities 0 */
  ritti_expr *zero = ritti_elements_new(s, kept);
  if (!zero) return RITT_NO_MEMORY;
  for (size_t i = 0; i < kept; i++) zero[i] = ritti_number(s->dag, 0, 1);
  h->drift = h->g;
  return ritti_dag_substitute(s->dag, h->G.leaf, zero, kept, &h->drift, 1);
}

/* ---- statement by statement ---- */

/* What is known after the constraints so far. */
typedef struct pass {
  size_t unlabelled; /* number of constraints without a label */
  bool whole;        /* there are no mistakes */
} pass;

/* Extends the index ranges of a labelled clause by the present member: the indices of its families,
 * then the index of its element. false: there are too many indices, which was reported. */
static bool count_member(ritti_resolver *s, ritti_clause *c, const ritti_shape *shape,
                         size_t element) {
  int rank = (int)(s->bound.count - s->floor) + (shape != NULL);
  if (rank > RITTI_RANK_LIMIT) {
    ritti_say(s->reader, c->line->name, "leave the label out, or write fewer families",
              "the label '%s' has more than %d indices", ritti_quote(s->reader, c->line->name),
              RITTI_RANK_LIMIT);
    return false;
  }

  /* extend the range of each index */
  for (int k = 0; k < rank; k++) {
    bool last = shape && k == rank - 1;
    int64_t index = last ? (int64_t)element + 1 : s->bound.at[s->floor + (size_t)k].number;
    if (c->count == 0 || index < c->low[k]) c->low[k] = index;
    if (c->count == 0 || index > c->high[k]) c->high[k] = index;
  }
  c->rank = rank;
  return true;
}

/* Adds the constraint left = right of element i of a clause. */
static ritt_status add_held(ritti_resolver *s, uint32_t clause, ritti_value left, ritti_value right,
                            size_t i, pass *P) {
  ritti_mechanics *M = s->mechanics;
  ritti_clause *c = &M->clauses.at[clause];
  const ritti_statement *line = c->line;
  const char *kind = c->nonholonomic ? "nonholonomic constraint" : "constraint";
  bool labelled = line->name != NO_TOKEN, whole = true;
  if (labelled && !count_member(s, c, left.shape, i)) {
    P->whole = false;
    return RITT_OK;
  }

  /* its name and equation */
  ritti_held h = {.clause = clause,
                  .left = ritti_element(left, i),
                  .right = ritti_element(right, i),
                  .ordinal = labelled ? c->count : P->unlabelled,
                  .member = ritti_member_words(s, left.shape, i)};
  h.g = ritti_subtract(s->dag, h.left, h.right);
  if (labelled) h.label = ritti_member_name(s, line->name, left.shape, i);
  h.subject = ritti_statement_subject(s, line);
  h.owner = ritti_statement_owner(s, line);
  if (!h.subject)
    h.subject = h.label ? ritti_arena_format(s->model->arena, "%s %s", kind, h.label)
                        : ritti_arena_format(s->model->arena, "%s %d", kind, (int)clause + 1);
  if (!h.subject || h.g == RITTI_NIL) return RITT_NO_MEMORY;

  /* its row of G and its drift */
  if (c->nonholonomic &&
      !ritti_mechanics_check_jets(s, h.g, line->first, "the nonholonomic constraint", 1)) {
    P->whole = false;
    return RITT_OK;
  }
  ritt_status status;
  if (c->nonholonomic) status = take_nonholonomic(s, &h, line->first, &whole);
  else status = take_holonomic(s, &h, line->first, &whole);

  /* count it */
  P->whole = P->whole && whole;
  P->unlabelled += !labelled;
  c->count++;
  if (line->owner) line->owner->equations++;
  if (status == RITT_OK) status = RITTI_PUSH(M->held, h);
  if (status != RITT_OK) ritti_gradient_clear(&h.G);
  return status;
}

/* Adds the constraints of one member: one for each element of its sides. */
static ritt_status visit_constraint(ritti_resolver *s, const ritti_statement *line, void *context) {
  pass *P = context;
  ritti_value left = ritti_resolve_value(s, line->left, &ritti_anything);
  ritti_value right = ritti_resolve_value(s, line->right, &ritti_anything);
  uint32_t clause = clause_of(s->mechanics, line);

  /* the sides must have the same shape; a connection of orientations has 0 on its right side */
  if (!ritti_both_sides(s, line, left, right, line->subject != NULL)) {
    P->whole = false;
    return RITT_OK;
  }

  /* one constraint for each element */
  for (size_t i = 0; i < ritti_value_count(left) && P->whole; i++)
    RITT_TRY(add_held(s, clause, left, right, i, P));
  return RITT_OK;
}

/* ---- multipliers ---- */

/* The shape of the multipliers of a label; NULL: one number. If its families depend on each
 * other the multipliers do not form an array: this is reported and *whole becomes false. */
static ritti_shape *label_shape(ritti_resolver *s, const ritti_clause *c, bool *whole) {
  if (c->rank == 0 && c->count == 1) return NULL;
  ritti_shape *shape = ritti_arena_alloc(s->reader->scratch, 1, sizeof *shape);
  if (!shape) {
    s->reader->status = RITT_NO_MEMORY;
    return NULL;
  }
  *shape = (ritti_shape){.rank = c->rank ? c->rank : 1, .low = {1, 1, 1, 1}, .size = c->count};

  /* one direction for each index */
  uint64_t size = 1;
  for (int k = 0; k < c->rank; k++) {
    shape->low[k] = c->low[k];
    shape->count[k] = c->high[k] - c->low[k] + 1;
    size *= (uint64_t)shape->count[k];
  }

  /* the members must fill the array */
  if (c->count == 0 || size == c->count) return shape;
  *whole = false;
  ritti_say(s->reader, c->line->name,
            "leave the label out: the multipliers are then lambda[1], lambda[2], ...",
            "the label '%s' does not name an array: its indices depend on each other",
            ritti_quote(s->reader, c->line->name));
  return NULL;
}

/* Gives the multipliers of a name their variables: the next `count` variables of the model. */
static ritt_status name_multipliers(ritti_resolver *s, const char *name, const ritti_shape *shape,
                                    size_t count) {
  ritti_model *m = s->model;
  ritti_symbol *y = find_symbol(s, name);
  if (!y || y->kind != Y_BROKEN) return RITT_OK; /* the name clashes: reported */

  /* the name becomes a variable */
  y->kind = Y_VARIABLE;
  y->shape = shape;
  y->index = m->variables;
  const char *shown = ritti_shown_name(s, y);
  if (!shown) return RITT_NO_MEMORY;
  m->variable_name[m->variable_names++] =
      (ritti_name_def){.name = y->name, .shown = shown, .first = m->variables, .count = (int)count};

  /* a variable for each element */
  ritti_place place = ritti_place_of(s->reader, y->token);
  for (size_t i = 0; i < count; i++) {
    const char *own = shape ? ritti_element_name(m->arena, y->name, shape, i) : y->name;
    if (!own) return RITT_NO_MEMORY;
    m->variable[m->variables++] = (ritti_variable_def){.name = own, .place = place};
  }
  return RITT_OK;
}

/* The multipliers lambda[1], lambda[2], ... of constraints without a label. */
static ritt_status number_lambda(ritti_resolver *s, size_t count) {
  ritti_shape *shape;
  bool any = false;
  for (size_t i = 0; i < s->mechanics->clauses.count; i++)
    any = any || s->mechanics->clauses.at[i].line->name == NO_TOKEN;
  if (!any) return RITT_OK;
  RITTI_NEW(shape, s->reader->scratch, 1);
  *shape = (ritti_shape){.rank = 1, .low = {1}, .count = {(int64_t)count}, .size = count};
  return name_multipliers(s, "lambda", shape, count);
}

/* Appends the multipliers to the variables of the user. */
static ritt_status number_multipliers(ritti_resolver *s, size_t unlabelled, bool *whole) {
  ritti_mechanics *M = s->mechanics;
  ritti_model *m = s->model;
  ritti_variable_def *longer;
  ritti_name_def *names;

  /* make room in the model */
  RITTI_NEW(longer, m->arena, (size_t)m->variables + M->held.count);
  RITTI_NEW(names, m->arena, (size_t)m->variable_names + M->clauses.count + 1);
  if (m->variables) memcpy(longer, m->variable, (size_t)m->variables * sizeof *longer);
  if (m->variable_names) memcpy(names, m->variable_name, (size_t)m->variable_names * sizeof *names);
  m->variable = longer;
  m->variable_name = names;

  /* first lambda, then each label */
  RITT_TRY(number_lambda(s, unlabelled));
  for (size_t i = 0; i < M->clauses.count; i++) {
    ritti_clause *c = &M->clauses.at[i];
    if (c->line->name == NO_TOKEN) continue;
    const ritti_shape *shape = label_shape(s, c, whole);
    if (!*whole) return s->reader->status;
    c->first = m->variables;
    RITT_TRY(name_multipliers(s, ritti_quote(s->reader, c->line->name), shape, c->count));
  }

  /* each constraint gets its own multiplier */
  for (size_t i = 0; i < M->held.count; i++) {
    ritti_held *h = &M->held.at[i];
    const ritti_clause *c = &M->clauses.at[h->clause];
    h->multiplier = (c->line->name == NO_TOKEN ? M->variables : c->first) + (int)h->ordinal;
    s->model->variable[h->multiplier].owner = h->owner;
  }
  return s->reader->status;
}

/* Resolves all constraints in the order of the file, then numbers their multipliers. */
ritt_status ritti_constraints_resolve(ritti_resolver *s) {
  ritti_mechanics *M = s->mechanics;
  const ritti_statement *h = s->syntax->list[S_CONSTRAINT].first,
                        *n = s->syntax->list[S_NONHOLONOMIC].first;
  size_t notes = s->reader->notes.count;
  pass P = {.whole = true};
  bool nonholonomic;
  for (const ritti_statement *line; (line = next_statement(&h, &n, &nonholonomic));)
    RITT_TRY(ritti_each_member(s, line, visit_constraint, &P));

  /* without mistakes the number of constraints is known */
  P.whole = P.whole && s->reader->notes.count == notes && !s->syntax->lost_constraint;
  if (P.whole) RITT_TRY(number_multipliers(s, P.unlabelled, &P.whole));
  M->multipliers = P.whole;
  return s->reader->status;
}
