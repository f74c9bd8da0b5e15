/* Unknowns that one equation determines explicitly are taken out before the completion.
 *
 * In: a Model. Out: a smaller one in which an unknown v with an equation c*v = g is replaced by g/c,
 * where c is a number that is not 0, or positive (negative) for all values of the unknowns: aliases,
 * constants, boundary values, sums, and unknowns that nothing else uses. Afterwards the reduced
 * system is written in the numbers of the whole model again, and everything else that names v
 * (outputs, plots, events, invariants, start values) gets its value.
 *
 * An unknown is removed only if the report of the whole system follows from that of the rest: v is
 * never differentiated, and g holds other unknowns only below their highest derivative in the
 * equations. Then the derivative array of the whole system is that of the rest and the derivatives
 * of v = g. Free initial values and hidden constraints are the same; the index is that of the rest,
 * at least 1.
 */
#include "complete/remove.h"

/* An equation that would pass on more unknowns to more equations than this stays: its replacement
 * fills the Jacobian. */
enum { MOST_FILL = 8 };
/* Nodes of an expression that is put into other equations. */
enum { MOST_NODES = 400 };

typedef RITTI_ARRAY(int) int_list;
typedef RITTI_ARRAY(ritti_expr) expr_list;

typedef struct search {
  ritti_model *model;
  ritti_dag *dag;
  ritti_arena *arena;
  ritti_expr *leaf, *exact; /* room for parameters and their exact values */
  ritti_expr *residual;     /* of each equation, removed unknowns replaced */
  ritti_nodes *jets;        /* in each residual; in the arena */
  int_list *use;            /* of each variable: equations that hold it, perhaps no longer */
  int *order;               /* of each variable: highest in the equations */
  bool *blocked;            /* of each variable: it stays */
  bool *variable_gone, *equation_gone;
  ritti_start_def *start; /* of each variable, undifferentiated; text NULL: none */
  int_list queue;         /* equations to look at */
  ritti_removed *removed; /* values in what was there when they were removed */
  int count;
} search;

/* ---- what occurs where ---- */

/* The jets of an expression, in the arena. */
static ritt_status list_jets(search *S, ritti_expr e, ritti_nodes *out) {
  ritti_nodes found;
  ritti_expr *copy;
  RITT_TRY(ritti_leaves(S->dag, e, RITTI_JET, &found));
  copy = ritti_arena_alloc(S->arena, found.count + 1, sizeof *copy);
  if (copy) memcpy(copy, found.at, found.count * sizeof *copy);
  ritti_free(found.at);
  *out = (ritti_nodes){copy, found.count};
  return copy ? RITT_OK : RITT_NO_MEMORY;
}

static bool holds_jet(const ritti_nodes *jets, ritti_expr jet) {
  size_t place = jets->count ? ritti_node_place(jets, jet) : 0;
  return jets->count && jets->at[place] == jet;
}

static ritt_status note_uses(search *S, int equation) {
  for (size_t i = 0; i < S->jets[equation].count; i++) {
    int_list *use = &S->use[ritti_index_of(S->dag, S->jets[equation].at[i])];
    if (use->count && use->at[use->count - 1] == equation) continue;
    RITT_TRY(RITTI_PUSH(*use, equation));
  }
  return RITT_OK;
}

/* Variables that a jump assigns, that have an error tolerance or a start value of a derivative of
 * their own, or that an invariant differentiates stay. */
static ritt_status block_named(search *S) {
  const ritti_model *model = S->model;
  for (int j = 0; j < model->variables; j++)
    S->blocked[j] =
        S->order[j] > 0 || model->variable[j].tolerance > 0 || model->variable[j].absolute > 0;
  for (int i = 0; i < model->events; i++)
    for (int k = 0; k < model->event[i].jumps; k++)
      if (!model->event[i].jump[k].optional) S->blocked[model->event[i].jump[k].variable] = true;
  for (int i = 0; i < model->starts; i++) {
    const ritti_start_def *def = &model->start[i];
    if (def->order > 0) S->blocked[def->variable] = true;
    else S->start[def->variable] = *def;
  }
  for (int i = 0; i < model->invariants; i++) {
    ritti_nodes jets;
    RITT_TRY(ritti_leaves(S->dag, model->invariant[i].expr, RITTI_JET, &jets));
    for (size_t e = 0; e < jets.count; e++)
      if (ritti_order_of(S->dag, jets.at[e]) > 0)
        S->blocked[ritti_index_of(S->dag, jets.at[e])] = true;
    ritti_free(jets.at);
  }
  return RITT_OK;
}

static ritt_status begin_search(search *S, ritti_model *model, ritti_arena *arena) {
  int n = model->variables, m = model->equations;
  *S = (search){.model = model, .dag = model->dag, .arena = arena};
  RITTI_NEW(S->leaf, arena, model->parameters + 1);
  RITTI_NEW(S->exact, arena, model->parameters + 1);
  RITTI_NEW(S->residual, arena, m + 1);
  RITTI_NEW(S->jets, arena, m + 1);
  RITTI_NEW(S->use, arena, n + 1);
  RITTI_NEW(S->order, arena, n + 1);
  RITTI_NEW(S->blocked, arena, n + 1);
  RITTI_NEW(S->variable_gone, arena, n + 1);
  RITTI_NEW(S->equation_gone, arena, m + 1);
  RITTI_NEW(S->start, arena, n + 1);
  RITTI_NEW(S->removed, arena, n + 1);
  for (int i = 0; i < m; i++) {
    S->residual[i] = model->equation[i].residual;
    RITT_TRY(list_jets(S, S->residual[i], &S->jets[i]));
    for (size_t e = 0; e < S->jets[i].count; e++) {
      int j = ritti_index_of(S->dag, S->jets[i].at[e]);
      int order = ritti_order_of(S->dag, S->jets[i].at[e]);
      if (order > S->order[j]) S->order[j] = order;
    }
  }
  return block_named(S);
}

static void end_search(search *S) {
  for (int j = 0; S->use && j < S->model->variables; j++) RITTI_ARRAY_FREE(S->use[j]);
  RITTI_ARRAY_FREE(S->queue);
}

/* ---- may this unknown be removed by this equation ---- */

enum { NONNEGATIVE = 1, POSITIVE = 2 };

/* What the operator proves of the sign of a real value, given what is known of its arguments. */
static int prove_sign(const ritti_dag *dag, ritti_expr e, const ritti_nodes *below,
                      const int *sign) {
  size_t count = ritti_argument_count(dag, e);
  ritti_op op = ritti_op_of(dag, e);
  if (op == RITTI_NUMBER) {
    int known = mpq_sgn(ritti_rational_of(dag, e));
    return known > 0 ? POSITIVE : known == 0 ? NONNEGATIVE : 0;
  }
  if (op == RITTI_PI || op == RITTI_EXP || op == RITTI_COSH) return POSITIVE;
  if (op == RITTI_POWER) {
    ritti_expr exponent = ritti_argument(dag, e, 1);
    int base = sign[ritti_node_place(below, ritti_argument(dag, e, 0))];
    if (base == POSITIVE) return POSITIVE;
    if (ritti_op_of(dag, exponent) != RITTI_NUMBER) return 0;
    mpq_srcptr number = ritti_rational_of(dag, exponent);
    bool even = mpz_even_p(mpq_numref(number)) && mpz_cmp_ui(mpq_denref(number), 1) == 0;
    return mpq_sgn(number) > 0 && (even || base == NONNEGATIVE) ? NONNEGATIVE : 0;
  }
  if (op != RITTI_ADD && op != RITTI_MULTIPLY) return 0;

  /* a sum of such values is positive if one of them is, a product if all are */
  int least = POSITIVE, most = 0;
  for (size_t i = 0; i < count; i++) {
    int known = sign[ritti_node_place(below, ritti_argument(dag, e, i))];
    if (known < least) least = known;
    if (known > most) most = known;
  }
  return least == 0 || op == RITTI_MULTIPLY ? least : most;
}

static ritt_status is_positive(const ritti_dag *dag, ritti_expr e, bool *yes) {
  ritti_nodes below;
  RITT_TRY(ritti_nodes_below(dag, &e, 1, &below));
  int *sign = ritti_malloc((below.count + 1) * sizeof *sign);
  for (size_t i = 0; sign && i < below.count; i++)
    sign[i] = prove_sign(dag, below.at[i], &below, sign);
  *yes = sign && sign[below.count - 1] == POSITIVE;
  ritti_free(below.at);
  ritti_free(sign);
  return sign ? RITT_OK : RITT_NO_MEMORY;
}

/* Puts the exact values of the parameters into an expression. */
static ritt_status put_in_values(search *S, ritti_expr *e) {
  ritti_nodes found;
  if (ritti_op_of(S->dag, *e) == RITTI_NUMBER) return RITT_OK;
  RITT_TRY(ritti_leaves(S->dag, *e, RITTI_PARAMETER, &found));
  for (size_t i = 0; i < found.count; i++) {
    int p = ritti_index_of(S->dag, found.at[i]);
    S->leaf[i] = found.at[i];
    S->exact[i] = S->model->parameter[p].value;
  }
  ritti_free(found.at);
  if (found.count == 0) return RITT_OK;
  return ritti_dag_substitute(S->dag, S->leaf, S->exact, found.count, e, 1);
}

/* Is it proved that e is never 0, with the values of the parameters? */
static ritt_status never_vanishes(search *S, ritti_expr e, bool *yes) {
  ritti_expr written = e;
  RITT_TRY(put_in_values(S, &e));
  if (e != written) S->model->keep = false; /* other values may give another answer */
  RITT_TRY(is_positive(S->dag, e, yes));
  if (*yes) return RITT_OK;
  ritti_expr opposite = ritti_negate(S->dag, e);
  RITT_TRY(ritti_dag_status(S->dag));
  return is_positive(S->dag, opposite, yes);
}

/* All unknowns of the equation stand below their highest derivatives, or have none. */
static bool is_below_tops(const search *S, int equation) {
  for (size_t i = 0; i < S->jets[equation].count; i++) {
    ritti_expr jet = S->jets[equation].at[i];
    int highest = S->order[ritti_index_of(S->dag, jet)];
    if (ritti_order_of(S->dag, jet) >= (highest > 1 ? highest : 1)) return false;
  }
  return true;
}

static size_t count_uses(const search *S, int variable, int except) {
  ritti_expr jet = ritti_jet(S->dag, variable, 0);
  size_t count = 0;
  for (size_t i = 0; i < S->use[variable].count; i++) {
    int equation = S->use[variable].at[i];
    bool again = i > 0 && S->use[variable].at[i - 1] == equation;
    count += !again && equation != except && !S->equation_gone[equation] &&
             holds_jet(&S->jets[equation], jet);
  }
  return count;
}

/* May an equation with this slope by v, and so many other jets, be worth solving for v, which is in
 * `uses` other equations? The replacement must not fill the Jacobian, and a value of several
 * unknowns that are not differentiated is not put in (see may_be_put_in). */
static bool is_promising(const search *S, int equation, int variable, ritti_expr slope,
                         size_t uses) {
  const ritti_nodes *jets = &S->jets[equation];
  if (jets->count <= 2 || uses == 0) return true;
  if (uses > 1 && (jets->count - 2) * (uses - 1) > MOST_FILL) return false;
  if (ritti_op_of(S->dag, slope) != RITTI_NUMBER) return true; /* others may cancel */
  for (size_t i = 0; i < jets->count; i++) {
    int other = ritti_index_of(S->dag, jets->at[i]);
    if (other != variable && S->order[other] == 0) return false;
  }
  return true;
}

/* v = value is put into `uses` equations; does that stay small? */
static ritt_status is_small(search *S, ritti_expr value, size_t uses, bool *small) {
  ritti_nodes nodes;
  *small = true;
  if (uses == 0) return RITT_OK;
  RITT_TRY(ritti_nodes_below(S->dag, &value, 1, &nodes));
  *small = nodes.count <= MOST_NODES;
  ritti_free(nodes.at);
  return RITT_OK;
}

/* ---- start values ---- */

static bool is_typed(const search *S, ritti_expr jet) {
  int variable = ritti_index_of(S->dag, jet), order = ritti_order_of(S->dag, jet);
  if (order == 0) return S->start[variable].text != NULL;
  for (int i = 0; i < S->model->starts; i++)
    if (S->model->start[i].variable == variable && S->model->start[i].order == order) return true;
  return false;
}

/* A number at the start, free of unknowns. */
static ritt_status evaluate_at_start(const search *S, ritti_expr e, double *value) {
  double *parameter;
  RITTI_NEW(parameter, S->arena, S->model->parameters + 1);
  for (int p = 0; p < S->model->parameters; p++) parameter[p] = S->model->parameter[p].number;
  ritti_values values = {.independent = S->model->start_x, .parameter = parameter};
  return ritti_dag_evaluate(S->dag, e, &values, value);
}

/* v = a*x + b with a start value for v gives one for x, in `passed`. */
static ritt_status move_to_other(search *S, const ritti_start_def *typed, ritti_expr value,
                                 ritti_expr jet, ritti_start_def *passed, bool *done) {
  const ritti_start_def *other = &S->start[ritti_index_of(S->dag, jet)];
  ritti_expr slope = ritti_dag_partial(S->dag, value, jet), zero = ritti_number(S->dag, 0, 1);
  double a, b;
  bool linear;
  *done = false;
  if (ritti_order_of(S->dag, jet) > 0 || other->fixed) return RITT_OK;
  if (ritti_depends_on(S->dag, slope, jet)) return RITT_OK;
  RITT_TRY(never_vanishes(S, slope, &linear));
  if (!linear) return RITT_OK;
  RITT_TRY(ritti_dag_substitute(S->dag, &jet, &zero, 1, &value, 1));
  RITT_TRY(evaluate_at_start(S, slope, &a));
  RITT_TRY(evaluate_at_start(S, value, &b));
  *done = true;
  if (other->text && !typed->fixed) return RITT_OK;
  *passed = *typed;
  passed->variable = ritti_index_of(S->dag, jet);
  passed->number = (typed->number - b) / a;
  passed->half_unit = typed->half_unit / fabs(a);
  return RITT_OK;
}

/* Can the start value of v be left to what v is made of? passed->text not NULL: as this value. */
static ritt_status pass_on_start(search *S, int variable, ritti_expr value, ritti_start_def *passed,
                                 bool *can) {
  const ritti_start_def typed = S->start[variable];
  ritti_nodes jets;
  *passed = (ritti_start_def){0};
  *can = true;
  if (!typed.text) return RITT_OK;
  RITT_TRY(ritti_leaves(S->dag, value, RITTI_JET, &jets));
  size_t count = jets.count;
  ritti_expr only = count ? jets.at[0] : RITTI_NIL;
  bool all = true;
  for (size_t i = 0; i < count; i++) all = all && is_typed(S, jets.at[i]);
  ritti_free(jets.at);
  if (count == 0) {
    double number;
    RITT_TRY(evaluate_at_start(S, value, &number));
    double near = fmax(typed.half_unit, 1e-13 * fabs(number));
    *can = !typed.fixed || fabs(number - typed.number) <= near;
    return RITT_OK;
  }
  *can = false;
  if (count == 1) RITT_TRY(move_to_other(S, &typed, value, only, passed, can));
  if (!*can) *can = all && !typed.fixed;
  return RITT_OK;
}

/* ---- removal ---- */

/* Is every highest derivative that occurred before among the jets now? 0*x'' is gone. */
static bool keeps_tops(const search *S, const ritti_nodes *before, const ritti_nodes *now) {
  for (size_t i = 0; i < before->count; i++) {
    int order = ritti_order_of(S->dag, before->at[i]);
    bool top = order > 0 && order == S->order[ritti_index_of(S->dag, before->at[i])];
    if (top && !holds_jet(now, before->at[i])) return false;
  }
  return true;
}

/* Does the value a*w + b raise errors of w? If w is solved for numerically and b is not 0, |a| must not
 * exceed 1: in a chain of such values errors would grow with every member. */
static ritt_status raises_errors(search *S, ritti_expr value, ritti_expr w, ritti_expr a,
                                 bool *yes) {
  ritti_expr zero = ritti_number(S->dag, 0, 1);
  double factor;
  *yes = false;
  if (S->order[ritti_index_of(S->dag, w)] > 0) return RITT_OK;
  RITT_TRY(ritti_dag_substitute(S->dag, &w, &zero, 1, &value, 1));
  if (ritti_is_zero(S->dag, value)) return RITT_OK;
  RITT_TRY(evaluate_at_start(S, a, &factor));
  *yes = fabs(factor) > 1;
  return RITT_OK;
}

/* Does the value hold no unknown, or one with a constant coefficient that does not raise its errors? */
static ritt_status is_alias(search *S, ritti_expr value, size_t uses, bool *yes) {
  ritti_nodes jets;
  RITT_TRY(ritti_leaves(S->dag, value, RITTI_JET, &jets));
  size_t count = jets.count;
  ritti_expr only = count ? jets.at[0] : RITTI_NIL;
  ritti_free(jets.at);
  *yes = count == 0;
  if (count != 1) return RITT_OK;

  ritti_expr slope = ritti_dag_partial(S->dag, value, only);
  bool raises = false;
  RITT_TRY(ritti_leaves(S->dag, slope, RITTI_JET, &jets));
  count = jets.count;
  ritti_free(jets.at);
  if (count == 0 && uses > 0) RITT_TRY(raises_errors(S, value, only, slope, &raises));
  *yes = count == 0 && !raises;
  return RITT_OK;
}

/* Does an unknown that is never differentiated stand linearly in every equation, with a coefficient
 * free of others like it and of highest derivatives? Then it is solved for linearly. */
static ritt_status is_linear_everywhere(search *S, ritti_expr jet, int except, bool *yes) {
  const int_list *use = &S->use[ritti_index_of(S->dag, jet)];
  *yes = true;
  for (size_t i = 0; i < use->count && *yes; i++) {
    int equation = use->at[i];
    ritti_nodes jets;
    if (equation == except || S->equation_gone[equation]) continue;
    ritti_expr slope = ritti_dag_partial(S->dag, S->residual[equation], jet);
    RITT_TRY(ritti_leaves(S->dag, slope, RITTI_JET, &jets));
    for (size_t e = 0; e < jets.count; e++)
      *yes =
          *yes && ritti_order_of(S->dag, jets.at[e]) < S->order[ritti_index_of(S->dag, jets.at[e])];
    ritti_free(jets.at);
  }
  return RITT_OK;
}

/* A value may be put in if it follows from unknowns that are differentiated, or is an alias: other
 * algebraic equations are solved by Newton's method, for which the user's form and scaling are
 * better. An unknown that nothing uses may also follow from others that are solved for linearly; one
 * that follows from implicit unknowns stays, so that the error control sees it. */
static ritt_status may_be_put_in(search *S, int equation, int variable, ritti_expr value,
                                 size_t uses, bool *yes) {
  RITT_TRY(is_alias(S, value, uses, yes));
  if (*yes) return RITT_OK;
  *yes = true;
  for (size_t i = 0; i < S->jets[equation].count && *yes; i++) {
    ritti_expr jet = S->jets[equation].at[i];
    int other = ritti_index_of(S->dag, jet);
    if (other == variable || S->order[other] > 0) continue;
    *yes = uses == 0;
    if (*yes) RITT_TRY(is_linear_everywhere(S, jet, equation, yes));
  }
  return RITT_OK;
}

typedef struct changed_equation {
  int equation;
  ritti_expr residual;
  ritti_nodes jets;
} changed_equation;

/* Puts the value into every equation that holds the variable, unless one of them would lose a
 * highest derivative. */
static ritt_status replace_variable(search *S, int variable, int except, ritti_expr value,
                                    bool *done) {
  ritti_expr jet = ritti_jet(S->dag, variable, 0);
  const int_list *use = &S->use[variable];
  RITTI_ARRAY(changed_equation) changed = {0};
  ritt_status status = RITT_OK;
  *done = true;
  for (size_t i = 0; i < use->count && status == RITT_OK && *done; i++) {
    changed_equation new = {.equation = use->at[i], .residual = S->residual[use->at[i]]};
    const ritti_nodes *before = &S->jets[new.equation];
    if (new.equation == except || S->equation_gone[new.equation] || !holds_jet(before, jet))
      continue;
    status = ritti_dag_substitute(S->dag, &jet, &value, 1, &new.residual, 1);
    if (status == RITT_OK) status = list_jets(S, new.residual, &new.jets);
    if (status == RITT_OK) *done = keeps_tops(S, before, &new.jets);
    if (status == RITT_OK) status = RITTI_PUSH(changed, new);
  }
  for (size_t i = 0; i < changed.count && status == RITT_OK && *done; i++) {
    int equation = changed.at[i].equation;
    if (S->residual[equation] == changed.at[i].residual) continue; /* it was listed twice */
    S->residual[equation] = changed.at[i].residual;
    S->jets[equation] = changed.at[i].jets;
    status = note_uses(S, equation);
    if (status == RITT_OK) status = RITTI_PUSH(S->queue, equation);
  }
  RITTI_ARRAY_FREE(changed);
  return status == RITT_OK ? ritti_dag_status(S->dag) : status;
}

/* The value that the equation gives to an unknown of it, coefficient c: v - residual/c at v = 0. */
static ritt_status solve_for(search *S, int equation, ritti_expr jet, ritti_expr c,
                             ritti_expr *value) {
  ritti_expr zero = ritti_number(S->dag, 0, 1);
  *value = S->residual[equation];
  RITT_TRY(ritti_dag_substitute(S->dag, &jet, &zero, 1, value, 1));
  *value = ritti_divide(S->dag, ritti_negate(S->dag, *value), c);
  return ritti_dag_status(S->dag);
}

typedef struct candidate {
  int variable;
  size_t uses;
  ritti_expr slope;
} candidate;

/* Unknowns for which the equation can be solved, those that are used least first; unknowns with a
 * start value come later. */
static ritt_status list_candidates(search *S, int equation, candidate **out, int *count) {
  ritti_gradient g;
  ritt_status status = RITT_OK;
  *count = 0;
  RITTI_NEW(*out, S->arena, S->jets[equation].count + 1);
  RITT_TRY(ritti_dag_gradient_of(S->dag, S->residual[equation], 1u << RITTI_JET, &g));
  for (size_t i = 0; i < g.count && status == RITT_OK; i++) {
    int variable = ritti_index_of(S->dag, g.leaf[i]), at = *count;
    bool regular = false;
    if (S->blocked[variable] || ritti_depends_on(S->dag, g.derivative[i], g.leaf[i])) continue;
    status = never_vanishes(S, g.derivative[i], &regular);
    if (!regular) continue;
    candidate new = {variable, count_uses(S, variable, equation), g.derivative[i]};
    new.uses += S->start[variable].text != NULL;
    for (; at > 0 && (*out)[at - 1].uses > new.uses; at--) (*out)[at] = (*out)[at - 1];
    (*out)[at] = new;
    ++*count;
  }
  ritti_gradient_clear(&g);
  return status;
}

static ritt_status try_candidate(search *S, int equation, const candidate *c, bool *done) {
  ritti_expr value;
  ritti_start_def passed;
  size_t uses = count_uses(S, c->variable, equation);
  *done = false;
  if (!is_promising(S, equation, c->variable, c->slope, uses)) return RITT_OK;
  RITT_TRY(solve_for(S, equation, ritti_jet(S->dag, c->variable, 0), c->slope, &value));
  RITT_TRY(is_small(S, value, uses, done));
  if (*done) RITT_TRY(may_be_put_in(S, equation, c->variable, value, uses, done));
  if (*done) RITT_TRY(pass_on_start(S, c->variable, value, &passed, done));
  if (*done) RITT_TRY(replace_variable(S, c->variable, equation, value, done));
  if (!*done) return RITT_OK;
  if (passed.text) S->start[passed.variable] = passed;
  S->blocked[c->variable] = S->variable_gone[c->variable] = S->equation_gone[equation] = true;
  S->removed[S->count++] =
      (ritti_removed){.variable = c->variable, .equation = equation, .value = value};
  return RITT_OK;
}

/* Removes one unknown by the equation, if one can be. */
static ritt_status try_equation(search *S, int equation) {
  candidate *list;
  int count;
  bool any = false, done = false;
  for (size_t i = 0; i < S->jets[equation].count; i++)
    any = any || !S->blocked[ritti_index_of(S->dag, S->jets[equation].at[i])];
  if (!any || !is_below_tops(S, equation)) return RITT_OK;
  RITT_TRY(list_candidates(S, equation, &list, &count));
  for (int i = 0; i < count && !done; i++) RITT_TRY(try_candidate(S, equation, &list[i], &done));
  return RITT_OK;
}

/* ---- multiples of each other ---- */

/* Is e = c*v with a number c and an undifferentiated unknown v? */
static bool is_multiple(const search *S, ritti_expr e, int *variable, ritti_expr *c) {
  *c = ritti_number(S->dag, 1, 1);
  if (ritti_op_of(S->dag, e) == RITTI_MULTIPLY && ritti_argument_count(S->dag, e) == 2) {
    *c = ritti_argument(S->dag, e, 0);
    e = ritti_argument(S->dag, e, 1);
  }
  if (ritti_op_of(S->dag, *c) != RITTI_NUMBER || ritti_op_of(S->dag, e) != RITTI_JET) return false;
  *variable = ritti_index_of(S->dag, e);
  return ritti_order_of(S->dag, e) == 0;
}

/* The variable and factor that stand for a variable: v = factor*w. */
typedef struct multiple {
  int variable;
  ritti_expr factor;
} multiple;

/* Follows v = factor*w to the w that stays, and halves the way to it. */
static multiple find_multiple(search *S, multiple *of, int variable) {
  multiple found = {variable, ritti_number(S->dag, 1, 1)};
  while (of[found.variable].variable != found.variable) {
    multiple *m = &of[found.variable], *up = &of[m->variable];
    if (up->variable != m->variable)
      *m = (multiple){up->variable, ritti_multiply(S->dag, m->factor, up->factor)};
    found = (multiple){m->variable, ritti_multiply(S->dag, found.factor, m->factor)};
  }
  return found;
}

/* Takes out an unknown by the equation a*v + b*w = 0, as `of` and S->removed say. */
static void join_multiples(search *S, multiple *of, int *uses, int equation) {
  ritti_expr sum = S->residual[equation], c[2];
  multiple m[2];
  bool may[2];
  int v[2];
  if (ritti_op_of(S->dag, sum) != RITTI_ADD || ritti_argument_count(S->dag, sum) != 2) return;
  for (int k = 0; k < 2; k++) {
    if (!is_multiple(S, ritti_argument(S->dag, sum, (size_t)k), &v[k], &c[k])) return;
    m[k] = find_multiple(S, of, v[k]);
    may[k] = !S->blocked[m[k].variable] && !S->start[m[k].variable].text;
  }
  if (m[0].variable == m[1].variable || (!may[0] && !may[1])) return;

  /* the one that is used less: c0*f0*v = -c1*f1*w */
  int out = !may[0] || (may[1] && uses[m[1].variable] < uses[m[0].variable]), in = 1 - out;
  ritti_expr factor =
      ritti_divide(S->dag, ritti_negate(S->dag, ritti_multiply(S->dag, c[in], m[in].factor)),
                   ritti_multiply(S->dag, c[out], m[out].factor));
  ritti_expr value = ritti_multiply(S->dag, factor, ritti_jet(S->dag, m[in].variable, 0));
  of[m[out].variable] = (multiple){m[in].variable, factor};
  uses[m[in].variable] += uses[m[out].variable] - 2;
  S->variable_gone[m[out].variable] = S->equation_gone[equation] = true;
  S->removed[S->count++] =
      (ritti_removed){.variable = m[out].variable, .equation = equation, .value = value};
}

/* Puts the multiples into all equations at once. false: an equation would lose a highest derivative. */
static ritt_status put_in_multiples(search *S, multiple *of, bool *done) {
  int m = S->model->equations, changed = 0;
  ritti_expr *leaf, *value, *e;
  int *at;
  RITTI_NEW(leaf, S->arena, S->count + 1);
  RITTI_NEW(value, S->arena, S->count + 1);
  RITTI_NEW(e, S->arena, m + 1);
  RITTI_NEW(at, S->arena, m + 1);
  for (int i = 0; i < S->count; i++) {
    multiple one = find_multiple(S, of, S->removed[i].variable);
    leaf[i] = ritti_jet(S->dag, S->removed[i].variable, 0);
    value[i] = ritti_multiply(S->dag, one.factor, ritti_jet(S->dag, one.variable, 0));
  }
  for (int i = 0; i < m; i++) {
    bool has = false;
    for (size_t k = 0; k < S->jets[i].count && !S->equation_gone[i] && !has; k++)
      has = S->variable_gone[ritti_index_of(S->dag, S->jets[i].at[k])];
    if (!has) continue;
    e[changed] = S->residual[i];
    at[changed++] = i;
  }
  RITT_TRY(ritti_dag_status(S->dag));
  RITT_TRY(ritti_dag_substitute(S->dag, leaf, value, (size_t)S->count, e, (size_t)changed));

  /* all of them, or none */
  ritti_nodes *jets;
  RITTI_NEW(jets, S->arena, changed + 1);
  *done = true;
  for (int i = 0; i < changed && *done; i++) {
    RITT_TRY(list_jets(S, e[i], &jets[i]));
    *done = keeps_tops(S, &S->jets[at[i]], &jets[i]);
  }
  for (int i = 0; i < changed && *done; i++) {
    S->residual[at[i]] = e[i];
    S->jets[at[i]] = jets[i];
  }
  return RITT_OK;
}

/* Unknowns that are multiples of others by an equation of two terms, such as the two flows of a
 * connection, are taken out first and together: each equation is then written once, not for each
 * of its unknowns. */
static ritt_status remove_multiples(search *S) {
  int n = S->model->variables, *uses;
  multiple *of;
  bool done = true;
  RITTI_NEW(of, S->arena, n + 1);
  RITTI_NEW(uses, S->arena, n + 1);
  for (int j = 0; j < n; j++) of[j] = (multiple){j, ritti_number(S->dag, 1, 1)};
  for (int i = 0; i < S->model->equations; i++)
    for (size_t k = 0; k < S->jets[i].count; k++) uses[ritti_index_of(S->dag, S->jets[i].at[k])]++;
  for (int i = 0; i < S->model->equations && S->count + 1 < n; i++) join_multiples(S, of, uses, i);
  if (S->count == 0) return RITT_OK;
  RITT_TRY(put_in_multiples(S, of, &done));

  /* they stay out, or are tried one by one with the others */
  for (int i = 0; i < S->count; i++) {
    S->blocked[S->removed[i].variable] = done;
    S->variable_gone[S->removed[i].variable] = S->equation_gone[S->removed[i].equation] = done;
  }
  if (!done) S->count = 0;
  return RITT_OK;
}

/* ---- one by one ---- */

/* The only equation that holds the variable; -1: there is none, or there are several. */
static int find_only_use(const search *S, int variable) {
  int only = -1;
  for (size_t i = 0; i < S->use[variable].count; i++) {
    int equation = S->use[variable].at[i];
    if (S->equation_gone[equation] || equation == only) continue;
    if (only >= 0) return -1;
    only = equation;
  }
  return only;
}

/* Long sums first, such as that of the currents into a ground, if each gives an unknown that nothing
 * else uses: otherwise they are written again for every one of their terms that is replaced. Then
 * equations whose unknown was used by such a sum only, and so on. */
static ritt_status remove_long_sums(search *S) {
  enum { LONG = 16 };
  int_list queue = {0};
  ritt_status status = RITT_OK;
  for (int i = 0; i < S->model->equations && status == RITT_OK; i++)
    if (S->jets[i].count > LONG) status = RITTI_PUSH(queue, i);
  for (size_t at = 0; at < queue.count && status == RITT_OK; at++) {
    int equation = queue.at[at];
    bool alone = false;
    if (S->equation_gone[equation] || S->count + 1 >= S->model->variables) continue;
    for (size_t i = 0; i < S->jets[equation].count && !alone; i++) {
      int variable = ritti_index_of(S->dag, S->jets[equation].at[i]);
      alone = !S->blocked[variable] && find_only_use(S, variable) == equation;
    }
    if (alone) status = try_equation(S, equation);
    for (size_t i = 0; S->equation_gone[equation] && i < S->jets[equation].count; i++) {
      int next = find_only_use(S, ritti_index_of(S->dag, S->jets[equation].at[i]));
      if (next >= 0 && status == RITT_OK) status = RITTI_PUSH(queue, next);
    }
  }
  RITTI_ARRAY_FREE(queue);
  return status;
}

static ritt_status search_equations(search *S) {
  RITT_TRY(remove_multiples(S));
  for (int i = 0; i < S->model->equations; i++) {
    if (S->equation_gone[i]) continue;
    RITT_TRY(note_uses(S, i));
    RITT_TRY(RITTI_PUSH(S->queue, i));
  }
  RITT_TRY(remove_long_sums(S));
  /* one unknown stays, since a system without any is none */
  for (size_t at = 0; at < S->queue.count && S->count + 1 < S->model->variables; at++)
    if (!S->equation_gone[S->queue.at[at]]) RITT_TRY(try_equation(S, S->queue.at[at]));
  return RITT_OK;
}

/* ---- values in what is left ---- */

/* Replaces the jets of removed variables in the expressions. number[j]: one more than the place of
 * variable j among the removed, 0: it is kept. */
static ritt_status express_removed(ritti_dag *dag, const ritti_removed *removed, const int *number,
                                   ritti_expr *e, size_t count) {
  expr_list leaf = {0}, value = {0};
  ritti_nodes nodes;
  RITT_TRY(ritti_nodes_below(dag, e, count, &nodes));
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < nodes.count && status == RITT_OK; i++) {
    if (ritti_op_of(dag, nodes.at[i]) != RITTI_JET) continue;
    int place = number[ritti_index_of(dag, nodes.at[i])];
    if (!place) continue;
    ritti_expr total =
        ritti_dag_total_of_order(dag, removed[place - 1].value, ritti_order_of(dag, nodes.at[i]));
    status = RITTI_PUSH(leaf, nodes.at[i]);
    if (status == RITT_OK) status = RITTI_PUSH(value, total);
  }
  if (status == RITT_OK && leaf.count)
    status = ritti_dag_substitute(dag, leaf.at, value.at, leaf.count, e, count);
  ritti_free(nodes.at);
  RITTI_ARRAY_FREE(leaf);
  RITTI_ARRAY_FREE(value);
  return status == RITT_OK ? ritti_dag_status(dag) : status;
}

ritt_status ritti_express(const ritti_reduced *R, ritti_expr *e, size_t count) {
  if (R->removals == 0 || count == 0) return RITT_OK;
  return express_removed(R->model->dag, R->removed, R->removed_number, e, count);
}

/* A value holds only unknowns that were removed later: from the last one on. */
static ritt_status expand_values(search *S, const int *number) {
  for (int i = S->count - 1; i >= 0; i--)
    RITT_TRY(express_removed(S->dag, S->removed, number, &S->removed[i].value, 1));
  return RITT_OK;
}

/* ---- the smaller model ---- */

/* Calls f for every expression of the model except the equations. */
static ritt_status collect_expressions(const ritti_model *model, ritti_expr **slot, size_t *count) {
  *count = 0;
  for (int i = 0; i < model->outputs; i++) slot[(*count)++] = &model->output[i].expr;
  for (int i = 0; i < model->plot_columns; i++) slot[(*count)++] = &model->plot_column[i].expr;
  for (int i = 0; i < model->invariants; i++) slot[(*count)++] = &model->invariant[i].expr;
  for (int i = 0; i < model->conserveds; i++)
    if (model->conserved[i].expr != RITTI_NIL) slot[(*count)++] = &model->conserved[i].expr;
  for (int i = 0; i < model->events; i++) {
    slot[(*count)++] = &model->event[i].function;
    for (int j = 0; j < model->event[i].jumps; j++)
      slot[(*count)++] = &model->event[i].jump[j].value;
  }
  return RITT_OK;
}

/* A copy of an array, in the arena. */
#define COPY(arena, array, count)                                                                  \
  do {                                                                                             \
    void *copy_ = ritti_arena_alloc((arena), (size_t)(count) + 1, sizeof *(array));                \
    if (!copy_) return RITT_NO_MEMORY;                                                             \
    if (count) memcpy(copy_, (array), (size_t)(count) * sizeof *(array));                          \
    (array) = copy_;                                                                               \
  } while (0)

/* The model with its own copy of all that is expressed. */
static ritt_status copy_model(const ritti_model *model, ritti_arena *arena, ritti_model **out) {
  ritti_model *copy;
  RITTI_NEW(copy, arena, 1);
  *copy = *model;
  COPY(arena, copy->output, copy->outputs);
  COPY(arena, copy->plot_column, copy->plot_columns);
  COPY(arena, copy->invariant, copy->invariants);
  COPY(arena, copy->conserved, copy->conserveds);
  COPY(arena, copy->event, copy->events);
  for (int i = 0; i < copy->events; i++) COPY(arena, copy->event[i].jump, copy->event[i].jumps);
  *out = copy;
  return RITT_OK;
}

static size_t count_expressions(const ritti_model *model) {
  size_t count =
      (size_t)(model->outputs + model->plot_columns + model->invariants + model->conserveds);
  for (int i = 0; i < model->events; i++) count += 1 + (size_t)model->event[i].jumps;
  return count;
}

/* All expressions of the model but the equations, through `change` at once. */
typedef ritt_status (*change_all)(void *context, ritti_expr *e, size_t count);

static ritt_status change_model(ritti_model *model, ritti_arena *arena, change_all change,
                                void *context) {
  ritti_expr **slot, *e;
  size_t count;
  RITTI_NEW(slot, arena, count_expressions(model) + 1);
  RITTI_NEW(e, arena, count_expressions(model) + 1);
  RITT_TRY(collect_expressions(model, slot, &count));
  for (size_t i = 0; i < count; i++) e[i] = *slot[i];
  if (count) RITT_TRY(change(context, e, count));
  for (size_t i = 0; i < count; i++) *slot[i] = e[i];
  return RITT_OK;
}

typedef struct expressing {
  search *S;
  const int *number;
} expressing;

static ritt_status express_all(void *context, ritti_expr *e, size_t count) {
  const expressing *x = context;
  return express_removed(x->S->dag, x->S->removed, x->number, e, count);
}

/* Jets of variable j become jets of variable to[j]. */
typedef struct renumbering {
  ritti_dag *dag;
  const int *to;
} renumbering;

static ritt_status renumber_all(void *context, ritti_expr *e, size_t count) {
  const renumbering *x = context;
  expr_list leaf = {0}, value = {0};
  ritti_nodes nodes;
  RITT_TRY(ritti_nodes_below(x->dag, e, count, &nodes));
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < nodes.count && status == RITT_OK; i++) {
    if (ritti_op_of(x->dag, nodes.at[i]) != RITTI_JET) continue;
    int j = ritti_index_of(x->dag, nodes.at[i]);
    if (x->to[j] == j) continue;
    status = RITTI_PUSH(leaf, nodes.at[i]);
    if (status == RITT_OK)
      status = RITTI_PUSH(value, ritti_jet(x->dag, x->to[j], ritti_order_of(x->dag, nodes.at[i])));
  }
  if (status == RITT_OK && leaf.count)
    status = ritti_dag_substitute(x->dag, leaf.at, value.at, leaf.count, e, count);
  ritti_free(nodes.at);
  RITTI_ARRAY_FREE(leaf);
  RITTI_ARRAY_FREE(value);
  return status == RITT_OK ? ritti_dag_status(x->dag) : status;
}

static ritt_status keep_variables(search *S, ritti_removal *out) {
  ritti_model *model = out->model;
  const char **name;
  int kept = 0;
  RITTI_NEW(out->variable, S->arena, model->variables + 1);
  RITTI_NEW(out->inner, S->arena, model->variables + 1);
  RITTI_NEW(name, S->arena, model->variables + 1);
  COPY(S->arena, model->variable, model->variables);
  for (int j = 0; j < model->variables; j++) {
    out->inner[j] = -1;
    if (S->variable_gone[j]) continue;
    model->variable[kept] = S->model->variable[j];
    name[kept] = S->model->names.variable[j];
    out->variable[kept] = j;
    out->inner[j] = kept++;
  }
  model->names.variable = name;
  model->variables = kept;
  return RITT_OK;
}

static ritt_status keep_equations(search *S, ritti_removal *out) {
  ritti_model *model = out->model;
  ritti_expr *e, zero = ritti_number(S->dag, 0, 1);
  int kept = 0;
  RITTI_NEW(out->equation, S->arena, model->equations + 1);
  RITTI_NEW(e, S->arena, model->equations + 1);
  COPY(S->arena, model->equation, model->equations);
  for (int i = 0; i < model->equations; i++) {
    if (S->equation_gone[i]) continue;
    model->equation[kept] = S->model->equation[i];
    e[kept] = S->residual[i];
    out->equation[kept++] = i;
  }
  model->equations = kept;
  renumbering numbers = {S->dag, out->inner};
  RITT_TRY(renumber_all(&numbers, e, (size_t)kept));
  for (int i = 0; i < kept; i++) {
    model->equation[i].residual = model->equation[i].left = e[i];
    model->equation[i].right = zero;
  }
  return RITT_OK;
}

/* In the order of the file; values that were passed on to others come last. */
static ritt_status keep_starts(search *S, ritti_removal *out) {
  ritti_model *model = out->model;
  bool *listed;
  int kept = 0;
  RITTI_NEW(model->start, S->arena, S->model->starts + S->model->variables + 1);
  RITTI_NEW(listed, S->arena, S->model->variables + 1);
  for (int i = 0; i < S->model->starts; i++) {
    const ritti_start_def *def = &S->model->start[i];
    if (S->variable_gone[def->variable]) continue;
    model->start[kept++] = def->order > 0 ? *def : S->start[def->variable];
    if (def->order == 0) listed[def->variable] = true;
  }
  for (int j = 0; j < S->model->variables; j++)
    if (S->start[j].text && !S->variable_gone[j] && !listed[j]) model->start[kept++] = S->start[j];
  for (int i = 0; i < kept; i++) model->start[i].variable = out->inner[model->start[i].variable];
  model->starts = kept;
  return RITT_OK;
}

/* The model without what was removed, and the whole one with its outputs in what is left. */
static ritt_status make_models(search *S, ritti_removal *out) {
  RITTI_NEW(out->number, S->arena, S->model->variables + 1);
  for (int i = 0; i < S->count; i++) out->number[S->removed[i].variable] = i + 1;
  RITT_TRY(expand_values(S, out->number));
  out->removed = S->removed;
  out->count = S->count;
  expressing values = {S, out->number};
  RITT_TRY(copy_model(S->model, S->arena, &out->whole));
  RITT_TRY(change_model(out->whole, S->arena, express_all, &values));
  RITT_TRY(copy_model(out->whole, S->arena, &out->model));
  RITT_TRY(keep_variables(S, out));
  renumbering numbers = {S->dag, out->inner};
  RITT_TRY(change_model(out->model, S->arena, renumber_all, &numbers));
  RITT_TRY(keep_equations(S, out));
  return keep_starts(S, out);
}

ritt_status ritti_remove_unknowns(ritti_model *model, ritti_arena *arena, ritti_removal **out) {
  search S;
  *out = NULL;
  if (model->kind || model->strong_place.line > 0) return RITT_OK;
  ritt_status status = begin_search(&S, model, arena);
  if (status == RITT_OK) status = search_equations(&S);
  if (status == RITT_OK && S.count > 0) {
    ritti_removal *removal = ritti_arena_alloc(arena, 1, sizeof *removal);
    status = removal ? make_models(&S, removal) : RITT_NO_MEMORY;
    *out = removal;
  }
  end_search(&S);
  return status;
}

/* ---- back to the whole model ---- */

static ritt_status renumber_reduced(const ritti_removal *removal, ritti_reduced *R) {
  const ritti_pattern *df = &R->df.pattern, *A = &R->A.pattern;
  size_t dfs = R->df.entry && df->start ? (size_t)df->start[df->rows] : 0;
  size_t as = R->A.entry && A->start ? (size_t)A->start[A->rows] : 0;
  struct {
    ritti_expr *at;
    size_t count;
  } part[] = {{R->coordinate, (size_t)R->m},
              {R->top, (size_t)R->tops},
              {R->f, (size_t)R->k},
              {R->df.entry, dfs},
              {R->A.entry, as},
              {R->top_row, (size_t)R->top_rows},
              {R->b, (size_t)R->top_rows},
              {R->formula, R->formula ? (size_t)R->tops : 0}};
  size_t total = 2 * (size_t)R->kinks, at = 0;
  ritti_expr *e;
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) total += part[i].count;
  RITTI_NEW(e, R->arena, total + 1);
  for (size_t i = 0; i < sizeof part / sizeof *part; i++)
    for (size_t k = 0; k < part[i].count; k++) e[at++] = part[i].at[k];
  for (int i = 0; i < R->kinks; i++) e[at++] = R->kink[i].argument;
  for (int i = 0; i < R->kinks; i++) e[at++] = R->kink[i].function;
  renumbering numbers = {R->model->dag, removal->variable};
  RITT_TRY(renumber_all(&numbers, e, total));
  at = 0;
  for (size_t i = 0; i < sizeof part / sizeof *part; i++)
    for (size_t k = 0; k < part[i].count; k++) part[i].at[k] = e[at++];
  for (int i = 0; i < R->kinks; i++) R->kink[i].argument = e[at++];
  for (int i = 0; i < R->kinks; i++) R->kink[i].function = e[at++];
  return RITT_OK;
}

static ritt_status renumber_origins(const ritti_removal *removal, ritti_arena *arena,
                                    ritti_origin *origin, int count) {
  for (int i = 0; i < count; i++) {
    int *source;
    if (origin[i].equation >= 0) origin[i].equation = removal->equation[origin[i].equation];
    if (origin[i].sources == 0) continue;
    RITTI_NEW(source, arena, origin[i].sources);
    for (int k = 0; k < origin[i].sources; k++) source[k] = removal->equation[origin[i].source[k]];
    origin[i].source = source;
  }
  return RITT_OK;
}

/* Values of jets at the start of a reduced system: by variable, those of order 0, 1, ... */
typedef struct start_point {
  int *first;
  double *value;
} start_point;

static double start_jet(const void *context, int variable, int order) {
  const start_point *p = context;
  return p->first[variable] + order < p->first[variable + 1] ? p->value[p->first[variable] + order]
                                                             : NAN;
}

static ritt_status list_start(const ritti_reduced *R, start_point *p) {
  const ritti_dag *dag = R->model->dag;
  int n = R->model->variables;
  RITTI_NEW(p->first, R->arena, n + 2);
  RITTI_NEW(p->value, R->arena, R->m + R->tops + 1);
  for (int i = 0; i < R->tops; i++)
    p->first[ritti_index_of(dag, R->top[i]) + 1] = ritti_order_of(dag, R->top[i]) + 1;
  for (int j = 0; j < n; j++) p->first[j + 1] += p->first[j];
  for (int i = 1; i < R->m + R->tops; i++) {
    ritti_expr jet = i < R->m ? R->coordinate[i] : R->top[i - R->m];
    p->value[p->first[ritti_index_of(dag, jet)] + ritti_order_of(dag, jet)] =
        i < R->m ? R->z[i] : R->top_value[i - R->m];
  }
  return RITT_OK;
}

/* The removed unknowns at the start point. */
static ritt_status evaluate_removed(const ritti_removal *removal, const ritti_reduced *R,
                                    const start_point *point) {
  const ritti_model *model = removal->whole;
  ritti_expr *e;
  double *value, *parameter;
  ritti_plan *plan;
  RITTI_NEW(e, R->arena, removal->count);
  RITTI_NEW(value, R->arena, removal->count);
  RITTI_NEW(parameter, R->arena, model->parameters + 1);
  for (int p = 0; p < model->parameters; p++) parameter[p] = model->parameter[p].number;
  for (int i = 0; i < removal->count; i++) e[i] = removal->removed[i].value;
  ritti_values values = {
      .independent = R->z[0], .jet = start_jet, .context = point, .parameter = parameter};
  RITT_TRY(ritti_plan_new(model->dag, e, (size_t)removal->count, &plan));
  ritti_plan_evaluate(plan, &values, value);
  ritti_plan_free(plan);
  for (int i = 0; i < removal->count; i++) removal->removed[i].start = value[i];
  return RITT_OK;
}

/* Start values that were typed, as the start point has them. */
static ritt_status list_moved(const ritti_removal *removal, const ritti_reduced *R,
                              const start_point *point, ritt_check *check) {
  const ritti_model *model = removal->whole;
  ritt_moved *moved;
  RITTI_NEW(moved, R->arena, model->starts + 1);
  check->moved = moved;
  check->moved_count = 0;
  for (int i = 0; i < model->starts; i++) {
    const ritti_start_def *def = &model->start[i];
    int place = removal->number[def->variable];
    double used =
        place ? removal->removed[place - 1].start : start_jet(point, def->variable, def->order);
    if (used == def->number) continue;
    const char *name = ritti_jet_name(R->arena, model->variable[def->variable].name, def->order);
    if (!name) return RITT_NO_MEMORY;
    moved[check->moved_count++] = (ritt_moved){.name = name, .typed = def->number, .used = used};
  }
  return RITT_OK;
}

ritt_status ritti_restore_unknowns(const ritti_removal *removal, ritti_reduced *R,
                                   ritt_check *check) {
  start_point point;
  RITT_TRY(renumber_reduced(removal, R));
  RITT_TRY(renumber_origins(removal, R->arena, R->origin, R->k));
  RITT_TRY(renumber_origins(removal, R->arena, R->top_origin, R->top_rows));
  R->model = removal->whole;
  R->removed = removal->removed;
  R->removals = removal->count;
  R->removed_number = removal->number;
  if (check->index == 0) check->index = 1;
  RITT_TRY(list_start(R, &point));
  RITT_TRY(evaluate_removed(removal, R, &point));
  return list_moved(removal, R, &point, check);
}
