/* The model on a component: its rows p replace the position constraints g, and constraint forces
 * along dp^T replace those along dg^T. On the component dg = Q dp, so constraint forces lie in the
 * space of dp^T wherever dg has full rank; where it has not, the multipliers of g have no values,
 * but those of p have. The equations contain the old multipliers as w_j s_i dg_i/dx_j with constant
 * w and s (d'Alembert: H = W G^T S with diagonal W, S). This is recognized by exact
 * proportionality, so that equations written by hand are understood like those of a lagrangian. The
 * new multipliers enter as w_j dp_k/dx_j. If g has more equations than p, the remaining multipliers
 * are 0. Other unknowns that maintain the constraints (controls, whose columns are not gradients)
 * stay unchanged. */
#include "branches/algebra_impl.h"

/* A multiplier and its constraint. */
typedef struct pair {
  int variable;   /* the multiplier */
  int constraint; /* its number among the position constraints */
  mpq_t s;        /* its factor */
  int group;      /* pairs that share equations, directly or not, form a group; -1: not known yet */
} pair;

/* The model while a component is put in. */
typedef struct joint {
  ritti_branches *B;
  ritti_model *model;
  ritti_dag *dag;
  ritti_arena *arena;
  ritt_error *error;
  const ritti_component *c;
  bool *position; /* for each equation of the model: it is a position constraint */
  ritti_expr *G;  /* constraints x variables; NIL: 0 */
  ritti_expr *H;  /* equations x variables of the model: derivatives by jets of order 0; NIL: 0 */
  pair *pair;     /* the multipliers */
  int pairs, groups; /* their number, and the number of groups */
  /* for each equation the variable (number in B) that it balances; -1: it has no multiplier */
  int *of_row;
  mpq_t *w; /* the factor of each equation */
} joint;

/* The derivative of an equation by an unknown; NIL: 0. */
static ritti_expr H_at(const joint *Q, int equation, int variable) {
  return Q->H[(size_t)equation * (size_t)Q->model->variables + (size_t)variable];
}

/* The derivative of a constraint by a variable; NIL: 0. */
static ritti_expr G_at(const joint *Q, int constraint, int x) {
  return Q->G[(size_t)constraint * (size_t)Q->B->variables + (size_t)x];
}

/* The name of an equation for messages. */
static const char *equation_name(const joint *Q, int j) {
  const ritti_equation_def *def = &Q->model->equation[j];
  const char *name =
      def->subject ? def->subject : ritti_arena_format(Q->arena, "equation %d", j + 1);
  return name ? name : "an equation";
}

/* ---- the matrices ---- */

/* Computes the derivatives G of the constraints and H of the other equations. */
static ritt_status find_gradients(joint *Q) {
  const ritti_branches *B = Q->B;
  size_t n = (size_t)Q->model->variables;
  RITTI_NEW(Q->position, Q->arena, Q->model->equations + 1);
  RITTI_NEW(Q->G, Q->arena, (size_t)B->equations * (size_t)B->variables + 1);
  RITTI_NEW(Q->H, Q->arena, (size_t)Q->model->equations * n + 1);
  for (int i = 0; i < B->equations; i++) Q->position[B->equation[i]] = true;

  /* the constraints; derivatives that are 0 by an identity count as 0 */
  for (int i = 0; i < B->equations; i++)
    for (int x = 0; x < B->variables; x++) {
      ritti_expr d = ritti_dag_partial(Q->dag, Q->model->equation[B->equation[i]].residual,
                                       ritti_jet(Q->dag, B->variable[x], 0));
      ritti_answer zero = RITTI_NO;
      if (d != RITTI_NIL && !ritti_is_zero(Q->dag, d))
        RITT_TRY(ritti_exact_zero(Q->model, d, &zero));
      bool none = d == RITTI_NIL || ritti_is_zero(Q->dag, d) || zero == RITTI_YES;
      Q->G[(size_t)i * (size_t)B->variables + (size_t)x] = none ? RITTI_NIL : d;
    }

  /* the other equations */
  for (int j = 0; j < Q->model->equations; j++) {
    ritti_gradient g;
    if (Q->position[j]) continue;
    RITT_TRY(ritti_dag_gradient_of(Q->dag, Q->model->equation[j].residual, 1u << RITTI_JET, &g));
    for (size_t k = 0; k < g.count; k++)
      if (ritti_order_of(Q->dag, g.leaf[k]) == 0)
        Q->H[(size_t)j * n + (size_t)ritti_index_of(Q->dag, g.leaf[k])] = g.derivative[k];
    ritti_gradient_clear(&g);
  }
  return ritti_dag_status(Q->dag);
}

/* ---- multipliers and their constraints ---- */

/* Is the column of the unknown, up to constant factors, the gradient of the constraint? */
static ritt_status is_multiplier(const joint *Q, int variable, int constraint, bool *yes) {
  int entries = 0, found = 0, there = 0;
  mpq_t ratio;
  mpq_init(ratio);
  ritt_status status = RITT_OK;
  for (int x = 0; x < Q->B->variables; x++) there += G_at(Q, constraint, x) != RITTI_NIL;

  /* each entry of the column must be proportional to an entry of the gradient */
  for (int j = 0; j < Q->model->equations && status == RITT_OK; j++) {
    ritti_expr h = H_at(Q, j, variable);
    ritti_answer same = RITTI_NO;
    if (h == RITTI_NIL) continue;
    entries++;
    for (int x = 0; x < Q->B->variables && same != RITTI_YES && status == RITT_OK; x++)
      if (G_at(Q, constraint, x) != RITTI_NIL)
        status = ritti_exact_ratio(Q->model, h, G_at(Q, constraint, x), &same, ratio);
    found += same == RITTI_YES;
  }
  mpq_clear(ratio);
  *yes = entries > 0 && entries == found && entries == there;
  return status;
}

/* Finds the multiplier of each constraint. */
static ritt_status find_pairs(joint *Q) {
  bool *candidate, *taken;
  RITTI_NEW(candidate, Q->arena, Q->model->variables + 1);
  RITTI_NEW_ARRAYS(Q->arena, Q->B->equations + 1, taken, Q->pair);

  /* Marks unknowns that may be multipliers: they occur in no position constraint and are never
   * differentiated. */
  for (int v = 0; v < Q->model->variables; v++) candidate[v] = true;
  for (int x = 0; x < Q->B->variables; x++) candidate[Q->B->variable[x]] = false;
  for (int j = 0; j < Q->model->equations; j++) {
    ritti_nodes jets;
    RITT_TRY(ritti_leaves(Q->dag, Q->model->equation[j].residual, RITTI_JET, &jets));
    for (size_t k = 0; k < jets.count; k++)
      if (ritti_order_of(Q->dag, jets.at[k]) > 0)
        candidate[ritti_index_of(Q->dag, jets.at[k])] = false;
    ritti_free(jets.at);
  }

  /* try all constraints for each candidate */
  for (int v = 0; v < Q->model->variables; v++)
    for (int i = 0; candidate[v] && i < Q->B->equations; i++) {
      bool yes = false;
      if (!taken[i]) RITT_TRY(is_multiplier(Q, v, i, &yes));
      if (!yes) continue;
      taken[i] = true;
      Q->pair[Q->pairs] = (pair){.variable = v, .constraint = i, .group = -1};
      mpq_init(Q->pair[Q->pairs++].s);
      break;
    }
  return RITT_OK;
}

/* ---- equations and the coordinates that they balance ---- */

/* Do the multipliers enter the equation as q_p dg_p/dx with constant q_p? q[p] is 0 if neither side
 * contains p. */
static ritt_status multipliers_fit(const joint *Q, int equation, int x, mpq_t *q, bool *yes) {
  *yes = true;
  for (int p = 0; p < Q->pairs && *yes; p++) {
    ritti_expr h = H_at(Q, equation, Q->pair[p].variable), g = G_at(Q, Q->pair[p].constraint, x);
    ritti_answer same = RITTI_NO;
    mpq_set_si(q[p], 0, 1);
    *yes = (h == RITTI_NIL) == (g == RITTI_NIL);
    if (!*yes || h == RITTI_NIL) continue;
    RITT_TRY(ritti_exact_ratio(Q->model, h, g, &same, q[p]));
    *yes = same == RITTI_YES;
  }
  return RITT_OK;
}

/* Does the equation contain a derivative of the variable? */
static ritt_status holds_derivative(const joint *Q, int equation, int variable, bool *yes) {
  ritti_nodes jets;
  *yes = false;
  RITT_TRY(ritti_leaves(Q->dag, Q->model->equation[equation].residual, RITTI_JET, &jets));
  for (size_t k = 0; k < jets.count; k++)
    *yes |=
        ritti_order_of(Q->dag, jets.at[k]) > 0 && ritti_index_of(Q->dag, jets.at[k]) == variable;
  ritti_free(jets.at);
  return RITT_OK;
}

/* Refuses an equation whose multipliers are not understood. */
static ritt_status no_balance(const joint *Q, int equation, bool several) {
  return ritti_fail(
      Q->error, RITT_WRONG_MODEL, &Q->model->equation[equation].place,
      "write the model with 'lagrangian' and 'constraint', or with the constraints of the branch",
      several ? "it is not clear to which coordinate %s belongs, so forces of constraint of a "
                "branch cannot be added to it"
              : "the multipliers in %s are not those of forces of constraint, so those of a "
                "branch cannot take their place",
      equation_name(Q, equation));
}

/* Finds the coordinate that equation j balances. */
static ritt_status match_row(joint *Q, int j, mpq_t *q) {
  int found = -1, own = -1, count = 0, owns = 0;
  for (int x = 0; x < Q->B->variables; x++) {
    bool yes, derivative;
    RITT_TRY(multipliers_fit(Q, j, x, q, &yes));
    if (!yes) continue;
    found = x;
    count++;
    RITT_TRY(holds_derivative(Q, j, Q->B->variable[x], &derivative));
    if (derivative) {
      own = x;
      owns++;
    }
  }

  /* a coordinate whose derivatives occur in the equation comes first */
  Q->of_row[j] = -1;
  if (count == 1) Q->of_row[j] = found;
  if (owns == 1) Q->of_row[j] = own;
  if (Q->of_row[j] < 0) return no_balance(Q, j, count > 1);

  /* no two equations may balance the same coordinate */
  for (int i = 0; i < j; i++)
    if (Q->of_row[i] == Q->of_row[j]) return no_balance(Q, j, true);
  return RITT_OK;
}

/* Splits q_p = w s_p for the pairs of the equation; `fresh`: it may start a new group. *progress: a
 * factor was found. */
static ritt_status weigh_row(joint *Q, int j, mpq_t *q, bool fresh, bool *progress) {
  bool yes;
  mpq_t expected;
  RITT_TRY(multipliers_fit(Q, j, Q->of_row[j], q, &yes));

  /* a pair whose factor is known, or the first one of a new group */
  int known = -1;
  for (int p = 0; p < Q->pairs; p++)
    if (mpq_sgn(q[p]) != 0 && Q->pair[p].group >= 0) known = p;
  if (known < 0 && !fresh) return RITT_OK;
  for (int p = 0; known < 0 && p < Q->pairs; p++)
    if (mpq_sgn(q[p]) != 0) {
      known = p;
      mpq_set_si(Q->pair[p].s, 1, 1);
      Q->pair[p].group = Q->groups++;
      *progress = true;
    }
  if (known < 0) return RITT_OK;

  /* the factor of the equation, then those of the other pairs */
  mpq_init(expected);
  mpq_div(Q->w[j], q[known], Q->pair[known].s);
  for (int p = 0; p < Q->pairs && yes; p++) {
    if (mpq_sgn(q[p]) == 0) continue;
    mpq_div(expected, q[p], Q->w[j]);
    if (Q->pair[p].group < 0) {
      mpq_set(Q->pair[p].s, expected);
      Q->pair[p].group = Q->pair[known].group;
      *progress = true;
    } else yes = mpq_equal(Q->pair[p].s, expected) && Q->pair[p].group == Q->pair[known].group;
  }
  mpq_clear(expected);
  return yes ? RITT_OK : no_balance(Q, j, false);
}

/* Does the equation contain a multiplier? */
static bool holds_multiplier(const joint *Q, int equation) {
  for (int p = 0; p < Q->pairs; p++)
    if (H_at(Q, equation, Q->pair[p].variable) != RITTI_NIL) return true;
  return false;
}

/* Finds the coordinate and the factor of each equation. */
static ritt_status find_balances(joint *Q, mpq_t *q) {
  for (int j = 0; j < Q->model->equations; j++) {
    Q->of_row[j] = -1;
    if (!Q->position[j] && holds_multiplier(Q, j)) RITT_TRY(match_row(Q, j, q));
  }
  for (bool progress = true; progress;) {
    progress = false;
    for (int j = 0; j < Q->model->equations; j++)
      if (Q->of_row[j] >= 0) RITT_TRY(weigh_row(Q, j, q, false, &progress));
    /* start a new group only if nothing more follows from the others */
    for (int j = 0; j < Q->model->equations && !progress; j++)
      if (Q->of_row[j] >= 0) RITT_TRY(weigh_row(Q, j, q, true, &progress));
  }
  return RITT_OK;
}

/* Checks that no row of the component connects groups whose factors are unrelated. */
static ritt_status check_groups(joint *Q) {
  for (int r = 0; r < Q->c->rows && Q->groups > 1; r++) {
    int group = -1;
    for (int j = 0; j < Q->model->equations; j++) {
      int own = -1;
      if (Q->of_row[j] < 0) continue;

      /* the group of the equation, if the row depends on its coordinate */
      ritti_expr leaf = ritti_jet(Q->dag, Q->B->variable[Q->of_row[j]], 0);
      for (int p = 0; p < Q->pairs; p++)
        if (H_at(Q, j, Q->pair[p].variable) != RITTI_NIL) own = Q->pair[p].group;
      if (!ritti_depends_on(Q->dag, Q->c->row[r], leaf)) continue;
      if (group >= 0 && own != group) return no_balance(Q, j, false);
      group = own;
    }
  }
  return RITT_OK;
}

/* ---- new expressions ---- */

/* The force of the new multipliers on a coordinate, times q. */
static ritti_expr new_force(const joint *Q, int x, mpq_srcptr q) {
  ritti_expr sum = ritti_number(Q->dag, 0, 1), leaf = ritti_jet(Q->dag, Q->B->variable[x], 0);
  for (int r = 0; r < Q->c->rows; r++)
    sum = ritti_add(Q->dag, sum,
                    ritti_multiply(Q->dag, ritti_dag_partial(Q->dag, Q->c->row[r], leaf),
                                   ritti_jet(Q->dag, Q->pair[r].variable, 0)));
  return ritti_multiply(Q->dag, ritti_rational(Q->dag, q), sum);
}

/* Sets the multipliers in e to 0. */
static ritt_status without_multipliers(const joint *Q, ritti_expr *e) {
  ritti_expr *leaf, *zero;
  RITTI_NEW_ARRAYS(Q->arena, Q->pairs + 1, leaf, zero);
  for (int p = 0; p < Q->pairs; p++) {
    leaf[p] = ritti_jet(Q->dag, Q->pair[p].variable, 0);
    zero[p] = ritti_number(Q->dag, 0, 1);
  }
  return ritti_dag_substitute(Q->dag, leaf, zero, (size_t)Q->pairs, e, 1);
}

/* Does the expression contain a multiplier? */
static bool depends_on_multipliers(const joint *Q, ritti_expr e) {
  for (int p = 0; e != RITTI_NIL && p < Q->pairs; p++)
    if (ritti_depends_on(Q->dag, e, ritti_jet(Q->dag, Q->pair[p].variable, 0))) return true;
  return false;
}

/* Replaces the multipliers in an expression that is the force on one coordinate times a constant.
 * *yes: the expression is of this kind. */
static ritt_status translate_multipliers(const joint *Q, ritti_expr *e, mpq_t *q, bool *yes) {
  int found = -1;
  mpq_t weight, ratio;
  *yes = true;
  if (!depends_on_multipliers(Q, *e)) return RITT_OK;
  mpq_inits(weight, ratio, NULL);
  ritt_status status = RITT_OK;

  /* find the coordinate */
  for (int x = 0; x < Q->B->variables && found < 0 && status == RITT_OK; x++) {
    bool fit = true, first = true;
    for (int p = 0; p < Q->pairs && fit && status == RITT_OK; p++) {
      ritti_expr h = ritti_dag_partial(Q->dag, *e, ritti_jet(Q->dag, Q->pair[p].variable, 0));
      ritti_expr g = G_at(Q, Q->pair[p].constraint, x);
      bool none = h == RITTI_NIL || ritti_is_zero(Q->dag, h);
      ritti_answer same = RITTI_NO;
      fit = none == (g == RITTI_NIL) && !depends_on_multipliers(Q, none ? RITTI_NIL : h);
      if (!fit || none) continue;
      status = ritti_exact_ratio(Q->model, h, g, &same, q[p]);
      fit = same == RITTI_YES;
      if (fit) mpq_div(ratio, q[p], Q->pair[p].s);
      fit = fit && (first || mpq_equal(ratio, weight));
      mpq_set(weight, ratio);
      first = false;
    }
    if (fit && !first) found = x;
  }

  /* replace the force */
  *yes = found >= 0;
  if (status == RITT_OK && *yes) {
    ritti_expr force = new_force(Q, found, weight);
    status = without_multipliers(Q, e);
    *e = ritti_add(Q->dag, *e, force);
  }
  mpq_clears(weight, ratio, NULL);
  return status;
}

/* ---- the model ---- */

/* Makes the list of equations of the model on the component. */
static ritt_status new_equations(joint *Q, int number) {
  const ritti_branches *B = Q->B;
  ritti_model *m = Q->model;
  ritti_equation_def *list;
  int count = 0;
  RITTI_NEW(list, Q->arena, m->equations + 1);
  for (int j = 0, slot = 0; j < m->equations; j++) {
    ritti_equation_def def = m->equation[j];
    ritti_expr zero = ritti_number(Q->dag, 0, 1);

    /* a position constraint becomes a row, or sets a surplus multiplier to 0 */
    if (Q->position[j]) {
      bool row = slot < Q->c->rows;
      if (!row && slot >= Q->pairs) continue; /* there are fewer rows than constraints */
      def.left = def.residual =
          row ? Q->c->row[slot] : ritti_jet(Q->dag, Q->pair[slot].variable, 0);
      def.label = def.member = NULL;
      def.subject = ritti_arena_format(
          Q->arena, row ? "equation %d of branch %d" : "multiplier %d of branch %d", slot + 1,
          number + 1);
      slot++;

      /* a balance gets the new force */
    } else if (Q->pairs && Q->of_row[j] >= 0) {
      ritti_expr force = new_force(Q, Q->of_row[j], Q->w[j]);
      for (int p = 0; p < Q->pairs; p++)
        if (depends_on_multipliers(Q, H_at(Q, j, Q->pair[p].variable)))
          return no_balance(Q, j, false);
      RITT_TRY(without_multipliers(Q, &def.residual));
      def.left = def.residual = ritti_add(Q->dag, def.residual, force);
      def.subject = equation_name(Q, j);
    } else {
      list[count++] = def;
      continue;
    }
    def.right = zero;
    if (!def.source) def.source = "branch";
    if (!def.subject) return RITT_NO_MEMORY;
    list[count++] = def;
  }
  (void)B;
  m->equation = list;
  m->equations = count;
  return ritti_dag_status(Q->dag);
}

/* Refuses a use of the old multipliers. */
static ritt_status refuse_use(const joint *Q, const ritti_place *place, const char *what) {
  return ritti_fail(
      Q->error, RITT_WRONG_MODEL, place && place->line ? place : NULL,
      "show reaction(x), the force of constraint on a coordinate, instead: on a branch the "
      "constraints as written have no multipliers of their own",
      "%s contains multipliers of constraints that the branch replaces", what);
}

/* Replaces the multipliers in columns. */
static ritt_status new_columns(joint *Q, ritti_output_def **list, int count, mpq_t *q) {
  ritti_output_def *own;
  RITTI_NEW(own, Q->arena, count + 1);
  for (int i = 0; i < count; i++) {
    bool yes;
    own[i] = (*list)[i];
    RITT_TRY(translate_multipliers(Q, &own[i].expr, q, &yes));
    if (!yes)
      return refuse_use(Q, &own[i].place,
                        ritti_arena_format(Q->arena, "the column '%.60s'", own[i].name));
  }
  *list = own;
  return ritti_dag_status(Q->dag);
}

/* Checks that events and invariants do not use the old multipliers. */
static ritt_status check_others(const joint *Q) {
  const ritti_model *m = Q->model;
  for (int i = 0; i < m->events; i++) {
    bool used = depends_on_multipliers(Q, m->event[i].function);
    for (int k = 0; k < m->event[i].jumps; k++)
      used |= depends_on_multipliers(Q, m->event[i].jump[k].value);
    if (used)
      return refuse_use(Q, &m->event[i].place,
                        ritti_arena_format(Q->arena, "the event '%s'", m->event[i].name));
  }
  for (int i = 0; i < m->invariants; i++)
    if (depends_on_multipliers(Q, m->invariant[i].expr))
      return refuse_use(Q, &m->invariant[i].place, "an invariant");
  return RITT_OK;
}

/* The pair of a multiplier; -1 if the variable is not one. */
static int pair_of(const joint *Q, int variable) {
  for (int p = 0; p < Q->pairs; p++)
    if (Q->pair[p].variable == variable) return p;
  return -1;
}

/* Finds a name that the model does not use: "mu", "mu_", ... */
static const char *new_name(const joint *Q) {
  const char *name = "mu";
  for (bool taken = true; taken && name;) {
    taken = false;
    for (int i = 0; i < Q->model->variable_names; i++)
      taken |= !strcmp(Q->model->variable_name[i].name, name);
    for (int i = 0; i < Q->model->parameter_names; i++)
      taken |= !strcmp(Q->model->parameter_name[i].name, name);
    if (taken) name = ritti_arena_format(Q->arena, "%s_", name);
  }
  return name;
}

/* Renames the multipliers, which have a new meaning: mu[1], mu[2], ... */
static ritt_status new_names(joint *Q) {
  ritti_model *m = Q->model;
  ritti_variable_def *variable;
  ritti_name_def *shown;
  const char **name, *mu = new_name(Q);
  RITTI_NEW_ARRAYS(Q->arena, m->variables + 1, variable, name);
  RITTI_NEW(shown, Q->arena, m->variable_names + 1);
  if (!mu) return RITT_NO_MEMORY;

  /* the variables */
  for (int v = 0; v < m->variables; v++) {
    int p = pair_of(Q, v);
    variable[v] = m->variable[v];
    name[v] = m->names.variable[v];
    if (p < 0) continue;
    name[v] = variable[v].name = ritti_arena_format(Q->arena, "%s[%d]", mu, p + 1);
    if (!name[v]) return RITT_NO_MEMORY;
  }

  /* the names as the model declares them */
  for (int i = 0; i < m->variable_names; i++) {
    ritti_name_def *n = &shown[i];
    *n = m->variable_name[i];
    int first = n->count ? pair_of(Q, n->first) : -1,
        last = n->count ? pair_of(Q, n->first + n->count - 1) : -1;
    if (first < 0 || last - first != n->count - 1) continue;
    n->shown = n->count == 1 ? name[n->first]
                             : ritti_arena_format(Q->arena, "%s[%d..%d]", mu, first + 1, last + 1);
    if (!n->shown) return RITT_NO_MEMORY;
  }
  m->variable = variable;
  m->variable_name = shown;
  m->names.variable = name;
  return RITT_OK;
}

/* Drops the start values of the old multipliers, which say nothing about the new ones. */
static ritt_status new_starts(joint *Q) {
  ritti_model *m = Q->model;
  ritti_start_def *list;
  int count = 0;
  RITTI_NEW(list, Q->arena, m->starts + 1);

  /* keep the values of all other variables */
  for (int i = 0; i < m->starts; i++) {
    const ritti_start_def *def = &m->start[i];
    if (pair_of(Q, def->variable) < 0) list[count++] = *def;
    else if (def->fixed)
      return refuse_use(Q, &def->place,
                        ritti_arena_format(Q->arena, "the start value '%s'", def->text));
  }
  m->start = list;
  m->starts = count;
  return RITT_OK;
}

void ritti_branch_take_out(ritti_model *m, ritti_written *w) {
  if (!w->kept) return;
  m->equation = w->equation;
  m->equations = w->equations;
  m->output = w->output;
  m->plot_column = w->plot_column;
  m->variable = w->variable;
  m->variable_name = w->variable_name;
  m->start = w->start;
  m->starts = w->starts;
  m->names = w->names;
  w->kept = false;
}

/* Understands the model and replaces its parts. */
static ritt_status put_in(joint *Q, int number, mpq_t *q) {
  RITT_TRY(find_gradients(Q));
  RITT_TRY(find_pairs(Q));

  /* either all constraints have multipliers, or none */
  if (Q->pairs > 0 && Q->pairs < Q->B->equations)
    return ritti_fail(
        Q->error, RITT_WRONG_MODEL, &Q->model->equation[Q->B->equation[0]].place,
        "write the model with 'lagrangian' and 'constraint', or with the constraints of the branch",
        "only %d of the %d position constraints have a multiplier, so that those of a branch cannot "
        "take their place",
        Q->pairs, Q->B->equations);

  /* find the balances */
  if (Q->pairs) RITT_TRY(find_balances(Q, q));
  if (Q->pairs) RITT_TRY(check_groups(Q));
  RITT_TRY(check_others(Q));

  /* replace the parts */
  RITT_TRY(new_columns(Q, &Q->model->output, Q->model->outputs, q));
  RITT_TRY(new_columns(Q, &Q->model->plot_column, Q->model->plot_columns, q));
  RITT_TRY(new_starts(Q));
  RITT_TRY(new_equations(Q, number));
  return Q->pairs ? new_names(Q) : RITT_OK;
}

ritt_status ritti_branch_put_in(ritti_branches *B, int component, ritti_written *written,
                                ritt_error *error) {
  joint Q = {.B = B,
             .model = B->model,
             .dag = B->model->dag,
             .arena = B->arena,
             .error = error,
             .c = &B->component[component]};
  int rows = B->model->equations;
  mpq_t *q;

  /* a component without rows cannot be used */
  if (Q.c->rows == 0)
    return ritti_fail(error, RITT_UNDECIDED, NULL, NULL,
                      "branch %d has no equations that could be used", component + 1);
  RITTI_NEW(q, B->arena, B->equations + 1);
  RITTI_NEW_ARRAYS(B->arena, rows + 1, Q.w, Q.of_row);
  for (int i = 0; i < B->equations; i++) mpq_init(q[i]);
  for (int j = 0; j < rows; j++) {
    mpq_init(Q.w[j]);
    Q.of_row[j] = -1;
  }

  /* put the component in; if this fails, restore the model */
  const ritti_model *m = B->model;
  ritti_written *w = written;
  *w = (ritti_written){.equation = m->equation,
                       .output = m->output,
                       .plot_column = m->plot_column,
                       .variable = m->variable,
                       .variable_name = m->variable_name,
                       .start = m->start,
                       .names = m->names,
                       .equations = m->equations,
                       .starts = m->starts,
                       .kept = true};

  ritt_status status = put_in(&Q, component, q);
  if (status != RITT_OK) ritti_branch_take_out(B->model, written);
  for (int i = 0; i < B->equations; i++) mpq_clear(q[i]);
  for (int j = 0; j < rows; j++) mpq_clear(Q.w[j]);
  for (int p = 0; p < Q.pairs; p++) mpq_clear(Q.pair[p].s);
  return status;
}
