/* Lagrangian mechanics: the sections lagrangian, constraint, nonholonomic, force, dissipation
 * and stiff -> equations of motion
 *
 *    d/dt L_q' - L_q = Q - R_q' + G^T lambda,     g = 0
 *
 * where L is the lagrangian minus U/eps^2 of `stiff`, Q the forces, R the dissipation, and
 * every constraint has a multiplier that is a variable like the others. G = dg/dq for g(t, q) =
 * 0 of `constraint`; G = dg/dq' for an equation of `nonholonomic`, which is linear in the
 * velocities (d'Alembert). The coordinates q are the variables that occur in the lagrangian or
 * in a constraint, or on which a force acts.
 *
 * The matrix of q'' and lambda is [L_q'q' -G^T; G 0], symmetric up to the sign of lambda; the
 * completion finds this by itself. Nothing is solved or eliminated here.
 */
#include "mechanics_impl.h"

/* ---- sections ---- */

/* Sections that need a lagrangian. */
static const ritti_section of_lagrange[] = {S_CONSTRAINT, S_NONHOLONOMIC, S_FORCE, S_DISSIPATION};
enum { OF_LAGRANGE = sizeof of_lagrange / sizeof *of_lagrange };

/* The first statement of a section; NULL: none. */
static const ritti_statement *first_of(const ritti_resolver *s, ritti_section section) {
  return s->syntax->list[section].first;
}

/* Reports a second statement in a section that holds one statement. */
static bool check_once(ritti_resolver *s, ritti_section section) {
  const ritti_statement *line = first_of(s, section);
  while (line && line->next && line->next->owner != line->owner) line = line->next;
  if (!line || !line->next) return true;
  const char *word = ritti_sections[section].word;
  ritti_say(s->reader, line->next->first,
            section == S_STIFF ? "write the sum of the potentials with one small parameter"
                               : "write their sum in one line",
            "there are two lines of '%s', the first in %s", word,
            ritti_line_words(s->reader, line->first, line->next->first));
  return false;
}

const ritti_statement *ritti_mechanics_first(const ritti_resolver *s) {
  static const ritti_section any[] = {S_LAGRANGIAN, S_HAMILTONIAN, S_CANONICAL,
                                      S_BRACKET,    S_CONSTRAINT,  S_NONHOLONOMIC,
                                      S_FORCE,      S_DISSIPATION, S_STIFF};
  const ritti_statement *line = NULL;
  for (size_t i = 0; !line && i < sizeof any / sizeof *any; i++) line = first_of(s, any[i]);
  return line;
}

bool ritti_mechanics_check_sections(ritti_resolver *s) {
  static const char *const hint[OF_LAGRANGE] = {
      "write it in the section 'equation', with its multiplier as a variable",
      "write it in the section 'equation', with its multiplier as a variable",
      "write it in the equations of motion",
      "write it in the equations of motion",
  };
  ritti_reader *r = s->reader;
  const bool *said = s->syntax->said;

  /* sections with one statement */
  bool whole = check_once(s, S_LAGRANGIAN) && check_once(s, S_HAMILTONIAN) &&
               check_once(s, S_STIFF) && check_once(s, S_BRACKET);

  /* lagrangian and hamiltonian exclude each other; `stiff` needs a lagrangian */
  if (said[S_LAGRANGIAN] && first_of(s, S_HAMILTONIAN)) {
    ritti_say(r, first_of(s, S_HAMILTONIAN)->first, "remove one of them",
              "the model has a lagrangian and a hamiltonian");
    return false;
  }
  if (said[S_HAMILTONIAN] && first_of(s, S_STIFF)) {
    ritti_say(r, first_of(s, S_STIFF)->first,
              "write a lagrangian, or the equations of motion of second order",
              "the section 'stiff' does not go with a hamiltonian");
    return false;
  }

  /* sections that need a lagrangian */
  for (int i = 0; i < OF_LAGRANGE; i++) {
    const ritti_statement *line = first_of(s, of_lagrange[i]);
    if (!line || said[S_LAGRANGIAN]) continue;
    whole = false;
    if (line->subject) {
      ritti_say(r, line->first, "give a part a lagrangian, or leave 'position' out of the port",
                "the %s is a constraint of mechanics, but no part has a lagrangian", line->subject);
      continue;
    }
    ritti_say(r, line->first, hint[i], "the section '%s' needs a lagrangian",
              ritti_sections[of_lagrange[i]].word);
  }

  /* sections that need a hamiltonian */
  static const ritti_section of_hamilton[] = {S_CANONICAL, S_BRACKET};
  for (int i = 0; i < 2; i++) {
    const ritti_statement *line = first_of(s, of_hamilton[i]);
    if (!line || said[S_HAMILTONIAN]) continue;
    whole = false;
    ritti_say(r, line->first, "write 'hamiltonian p^2/2 + q^2/2', or remove it",
              "the section '%s' needs a hamiltonian", ritti_sections[of_hamilton[i]].word);
  }
  return whole;
}

/* ---- names ---- */

/* The symbol of a name; NULL: none. */
static const ritti_symbol *find_symbol(const ritti_resolver *s, const char *name) {
  return ritti_symbols_find(&s->names, name, strlen(name));
}

ritt_status ritti_mechanics_declare(ritti_resolver *s) {
  ritti_reader *r = s->reader;

  /* a lagrangian or hamiltonian that could not be read still defines `energy` */
  bool lost = (s->syntax->said[S_LAGRANGIAN] && !first_of(s, S_LAGRANGIAN)) ||
              (s->syntax->said[S_HAMILTONIAN] && !first_of(s, S_HAMILTONIAN));
  if (lost && !find_symbol(s, "energy") && !ritti_symbols_add(&s->names, "energy", Y_BROKEN, 0))
    return RITT_NO_MEMORY;

  /* the model has mechanics */
  if (!ritti_mechanics_first(s)) return RITT_OK;
  RITTI_NEW(s->mechanics, r->scratch, 1);
  ritti_mechanics *M = s->mechanics;
  M->head = first_of(s, S_LAGRANGIAN) ? first_of(s, S_LAGRANGIAN) : first_of(s, S_HAMILTONIAN);
  M->variables = s->model->variables;
  RITT_TRY(ritti_multipliers_declare(s));

  /* energy is a name like a name of `let`, unless the model defines it itself */
  if (M->head && !find_symbol(s, "energy") &&
      !ritti_symbols_add(&s->names, "energy", Y_LET, M->head->first))
    return RITT_NO_MEMORY;
  return r->status;
}

/* ---- expressions ---- */

const char *ritti_where_is(ritti_resolver *s, uint32_t token) {
  return ritti_line_words(s->reader, token, 0);
}

bool ritti_mechanics_check_jets(ritti_resolver *s, ritti_expr e, uint32_t token,
                                const char *subject, int most) {
  static const char *const allowed[] = {"it may contain variables and %s, no derivatives",
                                        "it may contain variables, their first derivatives and %s"};
  ritti_reader *r = s->reader;
  ritti_nodes jets;
  bool whole = true;

  /* the derivatives that occur */
  if (ritti_leaves(s->dag, e, RITTI_JET, &jets) != RITT_OK) {
    r->status = RITT_NO_MEMORY;
    return false;
  }

  /* report the first multiplier or derivative that is not allowed */
  for (size_t i = 0; i < jets.count && whole; i++) {
    int j = ritti_index_of(s->dag, jets.at[i]);
    int order = ritti_order_of(s->dag, jets.at[i]);
    if (j < s->mechanics->variables && order <= most) continue;
    const char *name = ritti_jet_name(r->scratch, s->model->variable[j].name, order);
    if (j >= s->mechanics->variables)
      ritti_say(r, token,
                "leave it out: the force that keeps a constraint is added to the equations",
                "%s depends on the multiplier '%s'", subject, name ? name : "");
    else
      ritti_say(r, token, ritti_words(r, allowed[most], s->model->independent), "%s depends on %s",
                subject, name ? name : "");
    whole = false;
  }
  ritti_free(jets.at);
  return whole;
}

ritt_status ritti_mechanics_partials(ritti_resolver *s, ritti_expr e, ritti_expr *by_value,
                                     ritti_expr *by_velocity, ritti_expr *by_time) {
  ritti_gradient g;

  /* derivatives by what does not occur in e are 0 */
  ritti_expr zero = ritti_number(s->dag, 0, 1);
  for (int j = 0; j < s->model->variables; j++) by_value[j] = by_velocity[j] = zero;
  *by_time = zero;
  if (e == RITTI_NIL) return RITT_OK;

  /* the others */
  RITT_TRY(ritti_dag_gradient_of(s->dag, e, 1u << RITTI_JET | 1u << RITTI_INDEPENDENT, &g));
  for (size_t i = 0; i < g.count; i++) {
    if (ritti_op_of(s->dag, g.leaf[i]) == RITTI_INDEPENDENT) {
      *by_time = g.derivative[i];
      continue;
    }
    int j = ritti_index_of(s->dag, g.leaf[i]);
    if (ritti_order_of(s->dag, g.leaf[i]) == 0) by_value[j] = g.derivative[i];
    else by_velocity[j] = g.derivative[i];
  }
  ritti_gradient_clear(&g);
  return RITT_OK;
}

/* Resolves `stiff U, eps`. false: a mistake was reported. */
static bool resolve_stiff(ritti_resolver *s, const ritti_statement *stiff) {
  ritti_model *m = s->model;
  ritti_expr U = ritti_resolve_expr(s, stiff->left, &ritti_anything);
  const ritti_symbol *eps = find_symbol(s, ritti_quote(s->reader, stiff->name));

  /* the potential */
  if (U == RITTI_NIL ||
      !ritti_mechanics_check_jets(s, U, stiff->left->first, "the strong potential", 0))
    return false;

  /* the small parameter, which must be positive and not occur in U */
  if (!eps || eps->kind != Y_PARAMETER || eps->token != stiff->name || eps->expr == RITTI_NIL)
    return false;
  if (!(m->parameter[eps->index].number > 0)) {
    ritti_say(s->reader, stiff->name, "give it a small value such as 1e-4",
              "the small parameter '%s' is not greater than 0", eps->name);
    return false;
  }
  if (ritti_depends_on(s->dag, U, ritti_parameter(s->dag, eps->index))) {
    ritti_say(s->reader, stiff->left->first, "write U without it: the strong potential is U/eps^2",
              "the strong potential depends on the small parameter '%s'", eps->name);
    return false;
  }

  m->strong_potential = U;
  m->strong_parameter = eps->index;
  m->strong_place = ritti_place_of(s->reader, stiff->first);
  return true;
}

/* Resolves the lagrangian with the strong potential. false: a mistake was reported. */
static bool resolve_lagrangian(ritti_resolver *s) {
  ritti_mechanics *M = s->mechanics;
  ritti_model *m = s->model;
  ritti_expr *term =
      ritti_arena_alloc(s->reader->scratch, s->syntax->list[S_LAGRANGIAN].count, sizeof *term);
  size_t count = 0;
  if (!term) {
    s->reader->status = RITT_NO_MEMORY;
    return false;
  }

  /* that of the model and those of its parts add up */
  FOR_EACH(line, s, S_LAGRANGIAN) {
    ritti_expr L = ritti_resolve_expr(s, line->left, &ritti_anything);
    if (L == RITTI_NIL || !ritti_mechanics_check_jets(s, L, line->left->first, "the lagrangian", 1))
      return false;
    term[count++] = L;
  }
  ritti_expr L = count == 1 ? term[0] : ritti_sum(s->dag, term, count);

  /* subtract U/eps^2 */
  const ritti_statement *stiff = first_of(s, S_STIFF);
  M->lagrangian = L;
  if (!stiff) return true;
  if (!resolve_stiff(s, stiff)) return false;
  ritti_expr eps = ritti_parameter(s->dag, m->strong_parameter);
  ritti_expr weight = ritti_power(s->dag, eps, ritti_number(s->dag, -2, 1));
  M->lagrangian = ritti_subtract(s->dag, L, ritti_multiply(s->dag, m->strong_potential, weight));
  return true;
}

/* ---- forces ---- */

/* The coordinates that an expression names. Failed: a mistake was reported. */
static ritti_value coordinates_of(ritti_resolver *s, const ritti_node *n, const char *what) {
  ritti_reader *r = s->reader;
  ritti_value v = ritti_resolve_value(s, n, &ritti_anything);
  if (ritti_failed(v)) return v;
  const char *typed = ritti_shown(s, r->scratch, n, false);

  /* each element must be a variable of the user, without primes */
  for (size_t i = 0; i < ritti_value_count(v); i++) {
    ritti_expr e = ritti_element(v, i);
    if (ritti_op_of(s->dag, e) != RITTI_JET)
      ritti_say(r, n->first, "write the name of a coordinate",
                "%s '%.60s', which is not a variable", what, typed);
    else if (ritti_order_of(s->dag, e) > 0)
      ritti_say(r, n->first, "write the coordinate without primes",
                "%s '%.60s', which is a derivative", what, typed);
    else if (ritti_index_of(s->dag, e) >= s->mechanics->variables)
      ritti_say(r, n->first, "write the name of a coordinate", "%s '%.60s', which is a multiplier",
                what, typed);
    else continue;
    return ritti_scalar(RITTI_NIL);
  }
  return v;
}

/* Adds a force F along an expression u of the coordinates: F du/dq on each coordinate q. */
static ritt_status add_force(ritti_resolver *s, ritti_expr u, ritti_expr F, const ritti_node *n,
                             uint32_t place) {
  ritti_gradient g;
  RITT_TRY(ritti_dag_gradient_of(s->dag, u, 1u << RITTI_JET, &g));
  if (g.count == 0)
    ritti_say(s->reader, n->first, "write a coordinate, or an expression of coordinates",
              "the force acts along '%.60s', which no coordinate changes",
              ritti_shown(s, s->reader->scratch, n, false));
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < g.count && status == RITT_OK; i++) {
    ritti_part part = {ritti_index_of(s->dag, g.leaf[i]),
                       ritti_multiply(s->dag, F, g.derivative[i]), place};
    status = RITTI_PUSH(s->mechanics->forces, part);
  }
  ritti_gradient_clear(&g);
  return status;
}

/* Adds the forces of a statement "u: F". u is a coordinate, or an expression of coordinates along
 * which the force acts, such as the distance of two points. */
static ritt_status resolve_force(ritti_resolver *s, const ritti_statement *line, void *context) {
  bool *whole = context;
  ritti_value on = ritti_resolve_value(s, line->left, &ritti_anything);
  ritti_value force = ritti_resolve_value(s, line->right, &ritti_anything);
  bool fits = ritti_both_sides(s, line, on, force, false);
  for (size_t i = 0; fits && i < ritti_value_count(on); i++) {
    ritti_expr u = ritti_element(on, i);
    fits = ritti_mechanics_check_jets(s, u, line->left->first, "what the force acts along", 0);
    if (fits) RITT_TRY(add_force(s, u, ritti_element(force, i), line->left, line->first));
  }
  if (!fits) *whole = false;
  return s->reader->status;
}

/* Adds a line of `dissipation`. */
static ritt_status resolve_dissipation(ritti_resolver *s, const ritti_statement *line,
                                       void *context) {
  ritti_mechanics *M = s->mechanics;
  bool *whole = context;
  ritti_expr R = ritti_resolve_expr(s, line->left, &ritti_anything);
  if (R == RITTI_NIL ||
      !ritti_mechanics_check_jets(s, R, line->left->first, "the dissipation", 1)) {
    *whole = false;
    return RITT_OK;
  }
  return RITTI_PUSH(M->losses, (ritti_part){.expr = R, .token = line->first});
}

/* ---- coordinates and their equations ---- */

/* Marks the variables of an expression as coordinates. */
static ritt_status mark_jets(ritti_resolver *s, ritti_expr e) {
  ritti_nodes jets;
  RITT_TRY(ritti_leaves(s->dag, e, RITTI_JET, &jets));
  for (size_t i = 0; i < jets.count; i++)
    s->mechanics->coordinate[ritti_index_of(s->dag, jets.at[i])] = true;
  ritti_free(jets.at);
  return RITT_OK;
}

/* Coordinates are the variables of the lagrangian and of the constraints. */
static ritt_status mark_coordinates(ritti_resolver *s) {
  const ritti_mechanics *M = s->mechanics;
  RITT_TRY(mark_jets(s, M->lagrangian));
  for (size_t i = 0; i < M->held.count; i++) RITT_TRY(mark_jets(s, M->held.at[i].g));
  return RITT_OK;
}

/* Is there a coordinate? false: a mistake was reported. */
static bool check_coordinates(ritti_resolver *s) {
  const ritti_mechanics *M = s->mechanics;
  for (int j = 0; j < M->variables; j++)
    if (M->coordinate[j]) return true;
  ritti_say(s->reader, M->head->left->first,
            "write kinetic minus potential energy: m*x'^2/2 - k*x^2/2",
            "the lagrangian contains no variable");
  return false;
}

/* The dissipation must contain velocities, of coordinates only. false: a mistake was reported. */
static bool check_drag(ritti_resolver *s) {
  const ritti_mechanics *M = s->mechanics;
  bool any = M->dissipation == RITTI_NIL;
  for (int j = 0; j < M->variables; j++) {
    if (ritti_is_zero(s->dag, M->drag[j])) continue;
    any = true;
    if (M->coordinate[j]) continue;
    ritti_say(s->reader, first_of(s, S_DISSIPATION)->first,
              "write an equation for the variable, or its kinetic energy into the lagrangian",
              "the dissipation depends on %s', but '%s' is not a coordinate of the lagrangian",
              s->model->variable[j].name, s->model->variable[j].name);
    return false;
  }
  if (!any)
    ritti_say(s->reader, first_of(s, S_DISSIPATION)->first, "write it as 'dissipation c*x'^2/2'",
              "the dissipation contains no velocity");
  return any;
}

/* Sums the parts that belong to each variable. */
static ritt_status sum_parts(ritti_resolver *s, const ritti_parts *parts, ritti_expr *out) {
  int n = s->model->variables;
  size_t *start;
  ritti_expr *term;
  RITTI_NEW(start, s->reader->scratch, n + 2);
  RITTI_NEW(term, s->reader->scratch, parts->count + 1);

  /* sort the parts by variable: the parts of variable j become term[start[j]], ... */
  for (size_t i = 0; i < parts->count; i++) start[parts->at[i].variable + 2]++;
  for (int j = 0; j < n; j++) start[j + 2] += start[j + 1];
  for (size_t i = 0; i < parts->count; i++)
    term[start[parts->at[i].variable + 1]++] = parts->at[i].expr;

  for (int j = 0; j < n; j++) out[j] = ritti_sum(s->dag, term + start[j], start[j + 1] - start[j]);
  return ritti_dag_status(s->dag);
}

/* Computes the reactions G^T lambda. */
static ritt_status gather_reactions(ritti_resolver *s) {
  ritti_mechanics *M = s->mechanics;
  ritti_parts parts = {0};
  ritt_status status = RITT_OK;

  /* one part for each element of G */
  for (size_t i = 0; i < M->held.count && status == RITT_OK; i++) {
    const ritti_held *h = &M->held.at[i];
    ritti_expr lambda = ritti_jet(s->dag, h->multiplier, 0);
    for (size_t k = 0; k < h->G.count && status == RITT_OK; k++) {
      ritti_part part = {.variable = ritti_index_of(s->dag, h->G.leaf[k]),
                         .expr = ritti_multiply(s->dag, lambda, h->G.derivative[k])};
      status = RITTI_PUSH(parts, part);
    }
  }

  /* sum them by variable */
  if (status == RITT_OK) status = sum_parts(s, &parts, M->reaction);
  RITTI_ARRAY_FREE(parts);
  return status;
}

/* Allocates the arrays with an entry for each variable. */
static ritt_status make_room(ritti_resolver *s) {
  ritti_mechanics *M = s->mechanics;
  ritti_arena *scratch = s->reader->scratch;
  int n = s->model->variables;
  RITTI_NEW(M->coordinate, scratch, n + 1);
  RITTI_NEW(M->slope, scratch, n + 1);
  RITTI_NEW(M->momentum, scratch, n + 1);
  RITTI_NEW(M->drag, scratch, n + 1);
  RITTI_NEW(M->force, scratch, n + 1);
  RITTI_NEW(M->reaction, scratch, n + 1);
  return RITT_OK;
}

/* Sums the lines of `dissipation`. */
static ritt_status add_losses(ritti_resolver *s) {
  ritti_mechanics *M = s->mechanics;
  ritti_expr *term;
  if (M->losses.count == 0) return RITT_OK;
  RITTI_NEW(term, s->reader->scratch, M->losses.count);
  for (size_t i = 0; i < M->losses.count; i++) term[i] = M->losses.at[i].expr;
  M->dissipation = ritti_sum(s->dag, term, M->losses.count);
  return ritti_dag_status(s->dag);
}

/* Computes energy, momenta and reactions. */
static ritt_status resolve_lagrange(ritti_resolver *s) {
  ritti_mechanics *M = s->mechanics;

  /* the lagrangian, and the constraints, which are resolved already */
  bool whole = resolve_lagrangian(s) && (M->clauses.count == 0 || M->multipliers);
  ritti_arena_clear(s->values);
  RITT_TRY(make_room(s));
  if (!whole) return s->reader->status;

  RITT_TRY(mark_coordinates(s));
  RITT_TRY(
      ritti_mechanics_partials(s, M->lagrangian, M->slope, M->momentum, &M->lagrangian_by_time));
  RITT_TRY(gather_reactions(s));
  RITT_TRY(ritti_lagrange_energy(s, &M->energy));
  M->known = true;
  return s->reader->status;
}

/* Resolves forces and dissipation, the rest of the equations of motion. */
static ritt_status resolve_forces(ritti_resolver *s) {
  ritti_mechanics *M = s->mechanics;
  ritti_expr *unused, unused_time;
  bool whole = M->known;
  RITTI_NEW(unused, s->reader->scratch, s->model->variables + 1);

  /* the statements */
  RITT_TRY(ritti_each_statement(s, S_FORCE, resolve_force, &whole));
  RITT_TRY(ritti_each_statement(s, S_DISSIPATION, resolve_dissipation, &whole));
  if (!whole) return s->reader->status;

  /* their sums; a force makes its variable a coordinate */
  RITT_TRY(add_losses(s));
  RITT_TRY(ritti_mechanics_partials(s, M->dissipation, unused, M->drag, &unused_time));
  RITT_TRY(sum_parts(s, &M->forces, M->force));
  for (size_t i = 0; i < M->forces.count; i++) M->coordinate[M->forces.at[i].variable] = true;
  M->whole = check_coordinates(s) && check_drag(s);
  return s->reader->status;
}

/* Energy, momenta and reactions of the lagrangian or hamiltonian. */
ritt_status ritti_mechanics_resolve(ritti_resolver *s) {
  ritti_mechanics *M = s->mechanics;
  if (!ritti_mechanics_check_sections(s) || !M->head) return RITT_OK;
  RITT_TRY(first_of(s, S_LAGRANGIAN) ? resolve_lagrange(s) : ritti_hamilton_resolve(s));

  /* the name `energy` gets its value */
  ritti_symbol *energy = ritti_symbols_find(&s->names, "energy", strlen("energy"));
  if (M->known && energy && energy->token == M->head->first) energy->expr = M->energy;
  return s->reader->status;
}

/* ---- equations of the model ---- */

ritt_status ritti_mechanics_push(ritti_resolver *s, const ritti_equation_def *equation) {
  ritti_equation_def e = *equation;
  e.residual = ritti_subtract(s->dag, e.left, e.right);
  s->model->equation[s->model->equations++] = e;
  return e.residual == RITTI_NIL ? RITT_NO_MEMORY : RITT_OK;
}

/* Adds d/dt L_q' - L_q = Q - R_q' + G^T lambda of variable j. */
static ritt_status add_motion(ritti_resolver *s, int j) {
  const ritti_mechanics *M = s->mechanics;
  ritti_model *m = s->model;
  ritti_expr right[] = {M->force[j], ritti_negate(s->dag, M->drag[j]), M->reaction[j]};
  ritti_equation_def e = {
      .subject = ritti_arena_format(m->arena, "equation of motion of %s", m->variable[j].name),
      .source = "lagrangian",
      .left = ritti_subtract(s->dag, ritti_dag_total(s->dag, M->momentum[j]), M->slope[j]),
      .right = ritti_sum(s->dag, right, sizeof right / sizeof *right),
      .place = ritti_place_of(s->reader, M->head->first)};
  if (!e.subject) return RITT_NO_MEMORY;
  return ritti_mechanics_push(s, &e);
}

/* Adds the equations of motion, then the constraints. */
static ritt_status add_lagrange(ritti_resolver *s) {
  const ritti_mechanics *M = s->mechanics;

  /* equations of motion */
  for (int j = 0; j < M->variables; j++)
    if (M->coordinate[j]) RITT_TRY(add_motion(s, j));

  /* constraints */
  /* left = right of each constraint */
  for (size_t i = 0; i < M->held.count; i++) {
    const ritti_held *h = &M->held.at[i];
    ritti_equation_def e = {.label = h->label,
                            .member = h->member,
                            .subject = h->subject,
                            .owner = h->owner,
                            .left = h->left,
                            .right = h->right,
                            .place =
                                ritti_place_of(s->reader, M->clauses.at[h->clause].line->first)};
    RITT_TRY(ritti_mechanics_push(s, &e));
  }
  return ritti_lagrange_conserved(s);
}

/* Marks the variables of e. */
static ritt_status mark_variables(ritti_resolver *s, ritti_expr e, bool *known) {
  ritti_nodes jets;
  RITT_TRY(ritti_leaves(s->dag, e, RITTI_JET, &jets));
  for (size_t k = 0; k < jets.count; k++) known[ritti_index_of(s->dag, jets.at[k])] = true;
  ritti_free(jets.at);
  return RITT_OK;
}

/* Reports a variable that is not a coordinate and occurs neither in an equation of the user nor in a
 * force: a force may be unknown, and found from a motion that is prescribed. */
static ritt_status check_others(ritti_resolver *s) {
  const ritti_mechanics *M = s->mechanics;
  const ritti_model *m = s->model;
  bool *known;
  if (s->reader->notes.count > 0) return RITT_OK;
  RITTI_NEW(known, s->reader->scratch, m->variables + 1);

  /* variables that occur */
  for (int i = 0; i < m->equations; i++)
    RITT_TRY(mark_variables(s, m->equation[i].residual, known));
  for (int j = 0; M->force && j < M->variables; j++)
    if (M->coordinate[j]) RITT_TRY(mark_variables(s, M->force[j], known));

  for (size_t i = 0; i < M->canonical.count; i++) known[M->canonical.at[i].variable] = true;

  /* report the first of the others */
  for (int j = 0; j < M->variables; j++) {
    if (known[j] || (M->coordinate && M->coordinate[j])) continue;
    ritti_say_at(s->reader, m->variable[j].place.line, m->variable[j].place.column,
                 "write an equation for it, or use it there",
                 "the variable '%s' has no equation and does not occur in the %s",
                 m->variable[j].name, M->coordinate ? "lagrangian" : "canonical list");
    break;
  }
  return s->reader->status;
}

ritt_status ritti_mechanics_add(ritti_resolver *s) {
  const ritti_mechanics *M = s->mechanics;
  ritti_model *m = s->model;
  if (!M) return RITT_OK;

  /* a model with `stiff` but without a lagrangian has its own equations */
  if (!M->head && first_of(s, S_STIFF)) (void)resolve_stiff(s, first_of(s, S_STIFF));
  if (!M->head) return s->reader->status;

  /* resolve the rest */
  if (M->coordinate) RITT_TRY(resolve_forces(s));
  else if (M->partial) RITT_TRY(ritti_hamilton_structure(s));
  if (!M->whole) return s->reader->status;
  RITT_TRY(check_others(s));

  /* make room: equations of motion, and constraints (their labels may clash, so that they have no
   * multiplier; this is reported) */
  ritti_equation_def *longer;
  RITTI_NEW(longer, m->arena, m->equations + m->variables + (int)M->held.count + 1);
  if (m->equations) memcpy(longer, m->equation, (size_t)m->equations * sizeof *longer);
  m->equation = longer;
  return M->coordinate ? add_lagrange(s) : ritti_hamilton_add(s);
}

/* ---- reaction(x), momentum(x) ---- */

bool ritti_is_mechanical(const ritti_resolver *s, const ritti_node *n) {
  return s->syntax && s->syntax->said[S_LAGRANGIAN] &&
         (ritti_token_is(s->reader, n->at, "reaction") ||
          ritti_token_is(s->reader, n->at, "momentum"));
}

/* Checks a call of reaction or momentum. false: a mistake was reported. */
static bool check_call(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_reader *r = s->reader;
  const char *name = ritti_quote(r, n->at);
  bool open = scope->kind == SCOPE_ANY || scope->kind == SCOPE_PLOT;
  if (n->count != 1)
    ritti_say(r, n->at, ritti_words(r, "write %s(x)", name),
              "the function '%s' takes one argument, not %d", name, n->count);
  else if (!open)
    ritti_say(r, n->at, "use numbers and parameters only", "%s depends on '%.60s'", scope->subject,
              ritti_shown(s, r->scratch, n, false));
  return n->count == 1 && open;
}

ritti_value ritti_resolve_mechanical(ritti_resolver *s, const ritti_node *n,
                                     const ritti_scope *scope) {
  const ritti_mechanics *M = s->mechanics;
  ritti_value none = {0};
  const char *name = ritti_quote(s->reader, n->at);
  if (!M || !check_call(s, n, scope)) return none; /* M NULL: the lagrangian could not be read */

  /* the coordinates */
  ritti_value of = coordinates_of(s, n->child, ritti_words(s->reader, "'%s' is applied to", name));
  if (ritti_failed(of) || !M->known) return none;

  /* the value of each */
  const ritti_expr *value =
      ritti_token_is(s->reader, n->at, "reaction") ? M->reaction : M->momentum;
  ritti_expr *at = ritti_elements_new(s, ritti_value_count(of));
  /* each must be a coordinate of the lagrangian */
  for (size_t i = 0; at && i < ritti_value_count(of); i++) {
    int j = ritti_index_of(s->dag, ritti_element(of, i));
    at[i] = value[j];
    if (M->coordinate[j]) continue;
    ritti_say(s->reader, n->child->first, "write the name of a coordinate",
              "'%s' is applied to '%s', which is not a coordinate of the lagrangian", name,
              s->model->variable[j].name);
    return none;
  }

  if (!at) return none;
  return of.shape ? (ritti_value){.shape = of.shape, .at = at} : ritti_scalar(at[0]);
}

void ritti_mechanics_clear(ritti_resolver *s) {
  ritti_mechanics *M = s->mechanics;
  if (!M) return;
  for (size_t i = 0; i < M->held.count; i++) ritti_gradient_clear(&M->held.at[i].G);
  RITTI_ARRAY_FREE(M->held);
  RITTI_ARRAY_FREE(M->clauses);
  RITTI_ARRAY_FREE(M->forces);
  RITTI_ARRAY_FREE(M->losses);
  RITTI_ARRAY_FREE(M->canonical);
}
