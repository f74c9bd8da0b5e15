/* Statements -> Model: the sections one after the other, once all names are known. */
#include "lang_impl.h"

const ritti_scope ritti_anything = {SCOPE_ANY, ""};

/* ---- equations and invariants ------------------------------------------------------------------------- */

static ritt_status resolve_equations(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  ritti_model *m = s->model;
  RITTI_NEW(m->equation, m->arena, s->syntax->list[S_EQUATION].count);
  FOR_EACH(line, s, S_EQUATION) {
    ritti_equation_def e = {.place = ritti_place_of(r, line->first)};
    if (line->name != NO_TOKEN) e.label = ritti_keep_name(r, line->name);
    e.left = ritti_resolve_expr(s, line->left, &ritti_anything);
    e.right = ritti_resolve_expr(s, line->right, &ritti_anything);
    if (e.left == RITTI_NIL || e.right == RITTI_NIL) continue;
    e.residual = ritti_subtract(s->dag, e.left, e.right);
    m->equation[m->equations++] = e;
  }
  return r->status;
}

/* Numbers and parameters only? */
static bool is_constant(ritti_resolver *s, ritti_expr e) {
  ritti_nodes jets;
  if (ritti_leaves(s->dag, e, RITTI_JET, &jets) != RITT_OK) return false;
  ritti_free(jets.at);
  return jets.count == 0 && !ritti_depends_on(s->dag, e, ritti_independent(s->dag));
}

static ritt_status resolve_invariants(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  ritti_model *m = s->model;
  RITTI_NEW(m->invariant, m->arena, s->syntax->list[S_INVARIANT].count);
  FOR_EACH(line, s, S_INVARIANT) {
    ritti_invariant_def i = {.projected = line->projected, .place = ritti_place_of(r, line->first)};
    if (line->name != NO_TOKEN) i.name = ritti_keep_name(r, line->name);
    i.expr = ritti_resolve_expr(s, line->left, &ritti_anything);
    i.value = line->right ? ritti_resolve_expr(s, line->right, &ritti_anything) : RITTI_NIL;
    if (i.expr == RITTI_NIL || (line->right && i.value == RITTI_NIL)) continue;
    /* a moving right side belongs to the left: a = b means a - b = 0 */
    if (i.value != RITTI_NIL && !is_constant(s, i.value)) {
      i.expr = ritti_subtract(s->dag, i.expr, i.value);
      i.value = ritti_number(s->dag, 0, 1);
    }
    m->invariant[m->invariants++] = i;
  }
  return r->status;
}

/* ---- start -------------------------------------------------------------------------------------------- */

static bool is_fixed(const ritti_resolver *s, const ritti_statement *line) {
  return ritti_token_at(s->reader, line->relation)->kind == T_EQUALS;
}

static bool is_independent(const ritti_resolver *s, const ritti_node *n) {
  return n->kind == N_NAME && ritti_token_is(s->reader, n->at, s->model->independent);
}

/* start t = expr */
static void resolve_start_x(ritti_resolver *s, const ritti_statement *line, uint32_t *given) {
  ritti_reader *r = s->reader;
  const char *t = s->model->independent;
  ritti_scope scope = {SCOPE_CONSTANT, ritti_words(r, "the start value of '%s'", t)};
  ritti_expr e;
  if (*given != NO_TOKEN) {
    ritti_say(r, line->first, "remove one of them", "'%s' has two start values, the first in line %d", t,
              ritti_token_at(r, *given)->line);
    return;
  }
  *given = line->first;
  if (!is_fixed(s, line))
    ritti_say(r, line->relation, ritti_words(r, "write %s = ...", t),
              "the independent variable '%s' is never moved", t);
  if (ritti_resolve_number(s, line->right, &scope, &e, &s->model->start_x))
    s->model->start_place = ritti_place_of(r, line->first);
  else s->model->start_x = NAN; /* not known: nothing is compared with it */
}

/* half a unit in the last digit of a typed number, with or without a sign */
static double half_unit(const ritti_resolver *s, const ritti_node *n) {
  if (n->kind == N_NEGATE) n = n->child;
  if (n->kind != N_NUMBER) return 0;
  const ritti_token *t = ritti_token_at(s->reader, n->at);
  return ritti_number_half_unit(s->reader->text + t->start, t->length);
}

/* "x' = 0.5" */
static const char *start_text(ritti_resolver *s, const ritti_statement *line, const char *target) {
  ritti_reader *r = s->reader;
  const char *value = ritti_typed(r, r->scratch, line->right->first, line->right->end, true);
  const char *text = ritti_arena_format(r->keep, "%s %c %s", target, is_fixed(s, line) ? '=' : '~', value);
  if (!text) r->status = RITT_NO_MEMORY;
  return text;
}

/* x(1) = 2: a value at a place of its own. true: told. */
static bool elsewhere(ritti_resolver *s, const ritti_node *n) {
  ritti_reader *r = s->reader;
  if (n->kind != N_CALL || n->count != 1) return false;
  const ritti_token *t = ritti_token_at(r, n->at);
  const ritti_symbol *y = ritti_symbols_find(&s->names, r->text + t->start, t->length);
  if (!y || y->kind != Y_VARIABLE) return false;
  const char *place = ritti_typed(r, r->scratch, n->child->first, n->child->end, false);
  ritti_say(
      r, n->first,
      ritti_words(r, "write %s = ... in the section 'start %s = %s'", y->name, s->model->independent, place),
      "start values have no place of their own: all belong to the left end of the run");
  return true;
}

/* The jet that a start value belongs to; RITTI_NIL: told. */
static ritti_expr start_target(ritti_resolver *s, const ritti_statement *line, const char *target) {
  if (elsewhere(s, line->left)) return RITTI_NIL;
  ritti_expr jet = ritti_resolve_expr(s, line->left, &ritti_anything);
  if (jet == RITTI_NIL || ritti_op_of(s->dag, jet) == RITTI_JET) return jet;
  ritti_say(s->reader, line->left->first, "start values belong to x, x', x'' and so on",
            "'%.60s' is neither a variable nor a derivative of one", target);
  return RITTI_NIL;
}

static void resolve_start_value(ritti_resolver *s, const ritti_statement *line, ritti_symbols *seen) {
  ritti_reader *r = s->reader;
  const char *target = ritti_typed(r, r->scratch, line->left->first, line->left->end, false);
  ritti_start_def v = {.fixed = is_fixed(s, line), .place = ritti_place_of(r, line->first)};
  ritti_scope scope = {SCOPE_CONSTANT, ritti_words(r, "the start value of '%.60s'", target)};
  ritti_expr jet = start_target(s, line, target);
  bool whole = ritti_resolve_number(s, line->right, &scope, &v.expr, &v.number);
  if (jet == RITTI_NIL) return;
  v.variable = ritti_index_of(s->dag, jet);
  v.order = ritti_order_of(s->dag, jet);
  const char *name = ritti_jet_name(r->scratch, s->model->variable[v.variable].name, v.order);
  const ritti_symbol *old = name ? ritti_symbols_find(seen, name, strlen(name)) : NULL;
  if (old)
    ritti_say(r, line->first, "remove one of them", "'%s' has two start values, the first in line %d", name,
              ritti_token_at(r, old->token)->line);
  else if (!ritti_symbols_add(seen, name, Y_VARIABLE, line->first)) r->status = RITT_NO_MEMORY;
  if (!whole || old) return;
  v.half_unit = half_unit(s, line->right);
  v.text = start_text(s, line, target);
  s->model->start[s->model->starts++] = v;
}

static ritt_status resolve_start(ritti_resolver *s) {
  ritti_model *m = s->model;
  ritti_symbols seen = {0};
  uint32_t given = NO_TOKEN;
  RITTI_NEW(m->start, m->arena, s->syntax->list[S_START].count);
  if (s->syntax->list[S_START].first)
    m->start_place = ritti_place_of(s->reader, s->syntax->list[S_START].first->first);
  FOR_EACH(line, s, S_START) {
    if (is_independent(s, line->left)) resolve_start_x(s, line, &given);
    else resolve_start_value(s, line, &seen);
  }
  ritti_symbols_clear(&seen);
  return s->reader->status;
}

/* ---- scale, solve ------------------------------------------------------------------------------------- */

static ritt_status resolve_scales(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  FOR_EACH(line, s, S_SCALE) {
    const char *name = ritti_quote(r, line->name);
    ritti_scope scope = {SCOPE_CONSTANT, ritti_words(r, "the scale of '%s'", name)};
    ritti_variable_def *v = ritti_resolve_variable(s, line->name);
    ritti_expr e;
    double size;
    if (!ritti_resolve_number(s, line->right, &scope, &e, &size) || !v) continue;
    if (!(size > 0))
      ritti_say(r, line->right->first, "write its typical size, such as 1e-3",
                "the scale of '%s' is not greater than 0", name);
    else if (v->scale != 0) ritti_say(r, line->name, "remove one of them", "'%s' has two scales", name);
    else v->scale = size;
  }
  return r->status;
}

/* The left end of a run, where it is given. */
static void check_left_end(ritti_resolver *s, const ritti_statement *line, double left) {
  ritti_reader *r = s->reader;
  const ritti_model *m = s->model;
  char a[32], b[32];
  if (m->run == RITTI_RUN_ARC) {
    if (left != 0)
      ritti_say(r, line->left->first, "write 'solve arc = 0 .. L'", "the arc length does not begin at 0");
  } else if (isfinite(m->start_x) && left != m->start_x) {
    ritti_shortest(left, a);
    ritti_shortest(m->start_x, b);
    ritti_say(r, line->left->first,
              ritti_words(r, "write 'start %s = %s', or leave the left end out: '%s = .. END'",
                          m->independent, a, m->independent),
              "the run begins at %s = %s, but the start values belong to %s = %s", m->independent, a,
              m->independent, b);
  }
}

static ritt_status resolve_solve(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  ritti_model *m = s->model;
  const ritti_statement *line = s->syntax->list[S_SOLVE].first;
  if (s->syntax->solve != NO_TOKEN) m->solve_place = ritti_place_of(r, s->syntax->solve);
  RITT_TRY(ritti_resolve_settings(s));
  if (!line) return r->status;
  ritti_scope begin = {SCOPE_CONSTANT, "the beginning of the run"},
              end = {SCOPE_CONSTANT, "the end of the run"};
  ritti_expr e;
  double left;
  if (ritti_token_is(r, line->name, m->independent)) m->run = RITTI_RUN_X;
  else if (ritti_token_is(r, line->name, "arc")) m->run = RITTI_RUN_ARC;
  else
    ritti_say(r, line->name, ritti_words(r, "write 'solve %s = ...' or 'solve arc = ...'", m->independent),
              "a run goes over '%s' or over the arc length, not over '%s'", m->independent,
              ritti_quote(r, line->name));
  if (line->left && ritti_resolve_number(s, line->left, &begin, &e, &left) && m->run != RITTI_RUN_NONE)
    check_left_end(s, line, left);
  (void)ritti_resolve_number(s, line->right, &end, &e, &m->run_end);
  return r->status;
}

/* ---- output, plot ------------------------------------------------------------------------------------- */

/* A column's name, told if it is there already. In the model's memory; NULL: told. */
static const char *column_name(ritti_resolver *s, const ritti_statement *line) {
  ritti_reader *r = s->reader;
  const char *name = line->name != NO_TOKEN
                         ? ritti_keep_name(r, line->name)
                         : ritti_typed(r, r->keep, line->right->first, line->right->end, false);
  if (!name) return NULL;
  const ritti_symbol *old = ritti_symbols_find(&s->columns, name, strlen(name));
  bool first =
      !strcmp(name, s->model->independent) || (s->model->run == RITTI_RUN_ARC && !strcmp(name, "arc"));
  if (first)
    ritti_say(r, line->first, "choose another name", "'%s' is the first column of every table", name);
  else if (old)
    ritti_say(r, line->first, "give one of them another name: NAME = EXPRESSION",
              "there are two columns '%.60s', the first in line %d", name,
              ritti_token_at(r, old->token)->line);
  return first || old ? NULL : name;
}

static ritt_status resolve_outputs(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  ritti_model *m = s->model;
  RITTI_NEW(m->output, m->arena, s->syntax->list[S_OUTPUT].count);
  FOR_EACH(line, s, S_OUTPUT) {
    /* the independent variable is a column anyway */
    if (line->name == NO_TOKEN && is_independent(s, line->right)) continue;
    ritti_expr e = ritti_resolve_expr(s, line->right, &ritti_anything);
    const char *name = column_name(s, line);
    if (!name) continue;
    ritti_symbol *y = ritti_symbols_add(&s->columns, name, e == RITTI_NIL ? Y_BROKEN : Y_OUTPUT, line->first);
    if (!y) return RITT_NO_MEMORY;
    y->expr = e;
    if (e != RITTI_NIL)
      m->output[m->outputs++] =
          (ritti_output_def){.name = name, .expr = e, .place = ritti_place_of(r, line->first)};
  }
  return r->status;
}

/* The plot column that shows an expression; -1: told, or no memory. */
static int plot_column(ritti_resolver *s, const ritti_node *n) {
  ritti_reader *r = s->reader;
  ritti_model *m = s->model;
  ritti_scope scope = {SCOPE_PLOT, ""};
  ritti_expr e = ritti_resolve_expr(s, n, &scope);
  if (e == RITTI_NIL) return -1;
  for (int i = 0; i < m->plot_columns; i++)
    if (m->plot_column[i].expr == e) return i;
  m->plot_column[m->plot_columns] =
      (ritti_output_def){.name = ritti_typed(r, r->keep, n->first, n->end, false),
                         .expr = e,
                         .place = ritti_place_of(r, n->first)};
  return m->plot_columns++;
}

static ritt_status resolve_plots(ritti_resolver *s) {
  ritti_model *m = s->model;
  size_t curves = s->syntax->list[S_PLOT].count;
  ritti_curve_def *curve;
  RITTI_NEW(curve, m->arena, curves);
  RITTI_NEW(m->plot_column, m->arena, 2 * curves);
  RITTI_NEW(m->panel, m->arena, curves);
  int last = -1;
  FOR_EACH(line, s, S_PLOT) {
    ritti_curve_def c = {.x = plot_column(s, line->left), .y = plot_column(s, line->right)};
    if (line->panel != last) m->panel[m->panels++].curve = curve;
    last = line->panel;
    m->panel[m->panels - 1].curves++;
    *curve++ = c;
  }
  return s->reader->status;
}

/* ---- the whole model ---------------------------------------------------------------------------------- */

static void resolve_head(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  const ritti_statement *line = s->syntax->list[S_MODEL].first;
  if (!line) return;
  s->model->name = ritti_keep_name(r, line->name);
  if (line->word == NO_TOKEN) return;
  const ritti_token *t = ritti_token_at(r, line->word);
  s->model->title = ritti_arena_text(r->keep, r->text + t->start + 1, t->length - 2);
  if (!s->model->title) r->status = RITT_NO_MEMORY;
}

/* A model without variables or equations, where nothing else is wrong. */
static void check_whole(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  if (r->notes.count > 0) return;
  if (s->model->variables == 0)
    ritti_say(r, s->syntax->model, "add a section 'variable', such as 'variable x, y'",
              "the model has no variables");
  else if (s->model->equations == 0)
    ritti_say(r, s->syntax->model, "add a section 'equation' with one equation a line",
              "the model has no equations");
}

ritt_status ritti_resolve(ritti_resolver *s, const ritti_override *override, size_t overrides) {
  resolve_head(s);
  RITT_TRY(ritti_define(s, override, overrides));
  RITT_TRY(resolve_equations(s));
  RITT_TRY(ritti_mechanics_add(s));
  RITT_TRY(resolve_invariants(s));
  RITT_TRY(resolve_start(s));
  RITT_TRY(resolve_scales(s));
  RITT_TRY(resolve_solve(s));
  RITT_TRY(ritti_resolve_events(s));
  RITT_TRY(resolve_outputs(s));
  RITT_TRY(resolve_plots(s));
  check_whole(s);
  return s->reader->status;
}

void ritti_resolver_clear(ritti_resolver *s) {
  ritti_mechanics_clear(s);
  ritti_symbols_clear(&s->names);
  ritti_symbols_clear(&s->unknown);
  ritti_symbols_clear(&s->labels);
  ritti_symbols_clear(&s->columns);
}
