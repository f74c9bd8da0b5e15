/* Unknowns c with c' = 0 that only events change: `taut` is 1 while a string pulls, 0 while it is slack.
 *
 * Between two events such an unknown is a known number, and the form of the equations may depend on it:
 * taut*(x^2 + y^2 - L^2) + (1 - taut)*S = 0 is a constraint for 1 and determines S for 0. In: a model. Out:
 * a copy in whose equations these numbers stand for the unknowns. It holds until an event changes one of
 * them; then the model as it is written is completed again. Only those constants are replaced that change
 * the form: with a value that they take at the start, or by an event, another unknown leaves an equation.
 */
#include "complete/complete_impl.h"

enum { MOST_VALUES = 8 };

typedef struct constant {
  int variable;
  double start; /* its value at the start */
  double value[MOST_VALUES];
  int values; /* that it may take, as far as they are known */
} constant;

typedef struct constants {
  const ritti_model *model;
  ritti_dag *dag;
  ritti_arena *arena;
  constant *at;
  int count;
  int *highest; /* order of each variable in the equations */
  ritti_expr *leaf, *number;
} constants;

/* Is the equation c' = 0? *variable: of c. */
static ritt_status is_rate_zero(constants *K, ritti_expr residual, bool *yes, int *variable) {
  ritti_nodes jets;
  RITT_TRY(ritti_leaves(K->dag, residual, RITTI_JET, &jets));
  *yes = jets.count == 1 && ritti_order_of(K->dag, jets.at[0]) == 1;
  if (*yes) {
    ritti_expr jet = jets.at[0], zero = ritti_number(K->dag, 0, 1), rest = residual;
    *variable = ritti_index_of(K->dag, jet);
    ritti_expr slope = ritti_dag_partial(K->dag, residual, jet);
    *yes = !ritti_depends_on(K->dag, slope, jet) &&
           ritti_dag_substitute(K->dag, &jet, &zero, 1, &rest, 1) == RITT_OK && rest == zero;
  }
  ritti_free(jets.at);
  return ritti_dag_status(K->dag);
}

/* The start value of the variable itself. A guess counts at a point of a run. */
static const ritti_start_def *find_start(const ritti_model *model, int variable) {
  for (int i = 0; i < model->starts; i++) {
    const ritti_start_def *def = &model->start[i];
    if (def->variable == variable && def->order == 0 && (def->fixed || model->valued)) return def;
  }
  return NULL;
}

static void add_value(constant *c, double value) {
  for (int i = 0; i < c->values; i++)
    if (c->value[i] == value) return;
  if (c->values < MOST_VALUES) c->value[c->values++] = value;
}

/* Replaces parameters and the constant by their values. */
static ritt_status put_in(constants *K, const constant *c, double value, ritti_expr *e) {
  int parameters = K->model->parameters;
  K->leaf[parameters] = ritti_jet(K->dag, c->variable, 0);
  K->number[parameters] = ritti_binary_number(K->dag, value);
  RITT_TRY(ritti_dag_status(K->dag));
  return ritti_dag_substitute(K->dag, K->leaf, K->number, (size_t)parameters + 1, e, 1);
}

/* Adds the values that events assign, if they are numbers: `taut := 0`, `taut := 1 - taut`. */
static ritt_status list_values(constants *K, constant *c) {
  add_value(c, c->start);
  for (int v = 0; v < c->values; v++)
    for (int i = 0; i < K->model->events; i++) {
      const ritti_event_def *event = &K->model->event[i];
      for (int j = 0; j < event->jumps; j++) {
        const ritti_jump_def *jump = &event->jump[j];
        double value;
        if (jump->variable != c->variable || jump->order > 0) continue;
        ritti_expr e = jump->value;
        ritti_nodes jets;
        RITT_TRY(put_in(K, c, c->value[v], &e));
        RITT_TRY(ritti_leaves(K->dag, e, RITTI_JET, &jets));
        bool number = jets.count == 0 && !ritti_depends_on(K->dag, e, ritti_independent(K->dag));
        ritti_free(jets.at);
        if (!number) continue;
        ritti_values none = {0};
        RITT_TRY(ritti_dag_evaluate(K->dag, e, &none, &value));
        if (value - value == 0) add_value(c, value);
      }
    }
  return RITT_OK;
}

static ritt_status list_constants(constants *K) {
  const ritti_model *model = K->model;
  RITTI_NEW(K->at, K->arena, model->variables + 1);
  RITTI_NEW(K->highest, K->arena, model->variables + 1);
  RITTI_NEW(K->leaf, K->arena, model->parameters + 1);
  RITTI_NEW(K->number, K->arena, model->parameters + 1);
  for (int p = 0; p < model->parameters; p++) {
    K->leaf[p] = ritti_parameter(K->dag, p);
    K->number[p] = model->parameter[p].value;
  }
  for (int i = 0; i < model->equations; i++) {
    bool constant_equation;
    int variable = -1;
    RITT_TRY(is_rate_zero(K, model->equation[i].residual, &constant_equation, &variable));
    const ritti_start_def *start = constant_equation ? find_start(model, variable) : NULL;
    if (!start) continue;
    constant *c = &K->at[K->count];
    *c = (constant){.variable = variable, .start = start->number};
    RITT_TRY(list_values(K, c));
    if (c->values > 1 || model->valued) K->count++;
  }
  for (int i = 0; i < model->equations && K->count; i++) {
    ritti_nodes jets;
    RITT_TRY(ritti_leaves(K->dag, model->equation[i].residual, RITTI_JET, &jets));
    for (size_t k = 0; k < jets.count; k++) {
      int j = ritti_index_of(K->dag, jets.at[k]), order = ritti_order_of(K->dag, jets.at[k]);
      if (order > K->highest[j]) K->highest[j] = order;
    }
    ritti_free(jets.at);
  }
  return RITT_OK;
}

/* Does another unknown leave an equation if the constant has this value? *highest: with its highest
 * derivative. */
static ritt_status loses_unknown(constants *K, const constant *c, double value, bool *loses,
                                 bool *highest) {
  ritti_expr own = ritti_jet(K->dag, c->variable, 0);
  *loses = *highest = false;
  for (int i = 0; i < K->model->equations; i++) {
    ritti_expr before = K->model->equation[i].residual;
    if (!ritti_depends_on(K->dag, before, own)) continue;
    ritti_expr after = before;
    ritti_nodes jets;
    RITT_TRY(put_in(K, c, value, &after));
    RITT_TRY(
        ritti_dag_substitute(K->dag, K->leaf, K->number, (size_t)K->model->parameters, &before, 1));
    RITT_TRY(ritti_leaves(K->dag, before, RITTI_JET, &jets));
    for (size_t k = 0; k < jets.count; k++) {
      if (jets.at[k] == own || ritti_depends_on(K->dag, after, jets.at[k])) continue;
      int j = ritti_index_of(K->dag, jets.at[k]);
      *loses = true;
      *highest = *highest || ritti_order_of(K->dag, jets.at[k]) == K->highest[j];
    }
    ritti_free(jets.at);
  }
  return RITT_OK;
}

/* Keeps the constants that change the form of the equations. */
static ritt_status drop_harmless(constants *K, bool *highest) {
  int kept = 0;
  *highest = false;
  for (int i = 0; i < K->count; i++) {
    bool changes = false;
    for (int v = 0; v < K->at[i].values; v++) {
      bool loses, top;
      RITT_TRY(loses_unknown(K, &K->at[i], K->at[i].value[v], &loses, &top));
      changes = changes || loses;
      *highest = *highest || top;
    }
    if (changes) K->at[kept++] = K->at[i];
  }
  K->count = kept;
  return RITT_OK;
}

/* The model with the numbers in its equations. */
static ritt_status put_in_numbers(constants *K, ritti_model **out) {
  const ritti_model *model = K->model;
  ritti_model *copy;
  ritti_expr *leaf, *number;
  RITTI_NEW(copy, K->arena, 1);
  *copy = *model;
  RITTI_NEW(copy->equation, K->arena, model->equations + 1);
  RITTI_NEW(copy->constant, K->arena, K->count + 1);
  RITTI_NEW(leaf, K->arena, K->count + 1);
  RITTI_NEW(number, K->arena, K->count + 1);
  for (int i = 0; i < K->count; i++) {
    copy->constant[i] = K->at[i].variable;
    leaf[i] = ritti_jet(K->dag, K->at[i].variable, 0);
    number[i] = ritti_binary_number(K->dag, K->at[i].start);
  }
  copy->constants = K->count;
  copy->written = model;
  copy->keep = false;
  for (int i = 0; i < model->equations; i++) {
    ritti_equation_def *e = &copy->equation[i];
    *e = model->equation[i];
    ritti_expr parts[3] = {e->left, e->right, e->residual};
    RITT_TRY(ritti_dag_substitute(K->dag, leaf, number, (size_t)K->count, parts, 3));
    e->left = parts[0], e->right = parts[1], e->residual = parts[2];
  }
  *out = copy;
  return ritti_dag_status(K->dag);
}

ritt_status ritti_take_constants(const ritti_model *model, ritti_arena *arena, bool *highest,
                                 ritti_model **out) {
  constants K = {.model = model, .dag = model->dag, .arena = arena};
  *out = NULL;
  *highest = false;
  if (model->events == 0 || model->tangents || model->by_count || model->choose_rows)
    return RITT_OK;
  RITT_TRY(list_constants(&K));
  if (K.count == 0) return RITT_OK;
  RITT_TRY(drop_harmless(&K, highest));
  return K.count ? put_in_numbers(&K, out) : RITT_OK;
}

ritt_status ritti_try_constant(const ritti_model *model, ritti_arena *arena, int which,
                               ritti_model **out) {
  constants K = {.model = model, .dag = model->dag, .arena = arena};
  bool highest;
  *out = NULL;
  RITT_TRY(list_constants(&K));
  RITT_TRY(drop_harmless(&K, &highest));
  for (int i = 0; i < K.count; i++)
    for (int v = 0; v < K.at[i].values; v++) {
      if (K.at[i].value[v] == K.at[i].start || which-- > 0) continue;
      ritti_model *copy;
      RITTI_NEW(copy, arena, 1);
      *copy = *model;
      RITTI_NEW(copy->start, arena, model->starts + 1);
      for (int s = 0; s < model->starts; s++) {
        ritti_start_def *def = &copy->start[s];
        *def = model->start[s];
        def->fixed = false;
        if (def->variable != K.at[i].variable || def->order > 0) continue;
        def->fixed = true;
        def->number = K.at[i].value[v];
        def->expr = ritti_binary_number(K.dag, def->number);
      }
      copy->steady = false;
      copy->keep = false;
      *out = copy;
      return ritti_dag_status(K.dag);
    }
  return RITT_OK;
}
