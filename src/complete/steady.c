/* `start steady`: the run begins at rest, which for a circuit is its DC operating point.
 *
 * In: a model whose start section says `steady`; its start values are kept ('=') or guesses ('~') as
 * usual. Out: the start values of a point that solves the equations with every derivative 0: those of
 * differentiated unknowns are kept, those of algebraic ones are guesses, since hidden constraints may
 * contain the derivative of a source.
 *
 * The point is searched for as any start point is. If that fails, a homotopy follows: derivatives
 * y' = g*(y - y0), y'' = g^2*(y - y0), ... put a conductance g*C between the ends of every capacitor,
 * and likewise for other storage. A large g holds y near y0, where the search has failed; g falls to 0
 * while y0 follows y. These are steps of the implicit Euler method of growing length, so that they
 * lead to a stable state.
 */
#include "complete/remove.h"
#include "complete/start_impl.h"

/* The highest derivative of each variable in the equations. */
static ritt_status find_orders(ritti_completion *C) {
  for (int i = 0; i < C->model->equations; i++) {
    ritti_nodes jets;
    RITT_TRY(ritti_leaves(C->dag, C->model->equation[i].residual, RITTI_JET, &jets));
    for (size_t k = 0; k < jets.count; k++) {
      int j = ritti_index_of(C->dag, jets.at[k]), order = ritti_order_of(C->dag, jets.at[k]);
      if (order > C->d[j]) C->d[j] = order;
    }
    ritti_free(jets.at);
  }
  for (int i = 0; i < C->model->starts; i++) {
    const ritti_start_def *def = &C->model->start[i];
    if (def->order > C->d[def->variable]) C->d[def->variable] = def->order;
  }
  return RITT_OK;
}

/* The rows: the equations, and y^(k) = g^k*(y - y0) for each derivative. Level 0 is g, level 1 + j is
 * y0 of variable j. */
static ritt_status make_rows(ritti_completion *C) {
  int derivatives = 0;
  C->jets = 0;
  for (int j = 0; j < C->n; j++) {
    C->first[j] = C->jets;
    C->jets += C->d[j] + 1;
    derivatives += C->d[j];
  }
  RITTI_NEW(C->point, C->arena, C->jets + 1);
  RITTI_NEW(C->level, C->arena, C->n + 1);
  RITTI_NEW(C->row, C->arena, C->model->equations + derivatives + 1);
  RITTI_NEW(C->origin, C->arena, C->model->equations + derivatives + 1);
  for (int i = 0; i < C->model->equations; i++) {
    C->origin[C->rows] = (ritti_origin){.equation = i, .invariant = -1};
    C->row[C->rows++] = C->model->equation[i].residual;
  }
  for (int j = 0; j < C->n; j++) {
    ritti_expr away = ritti_subtract(C->dag, ritti_jet(C->dag, j, 0), ritti_level(C->dag, 1 + j)),
               part = away;
    for (int k = 1; k <= C->d[j]; k++) {
      part = ritti_multiply(C->dag, ritti_level(C->dag, 0), part);
      C->origin[C->rows] = (ritti_origin){.equation = -1, .invariant = -1};
      C->row[C->rows++] = ritti_subtract(C->dag, ritti_jet(C->dag, j, k), part);
    }
  }
  return ritti_dag_status(C->dag);
}

static ritt_status set_up(ritti_completion *C) {
  const ritti_model *model = C->model;
  C->n = model->variables;
  C->x = model->start_x;
  RITTI_NEW(C->d, C->arena, C->n + 1);
  RITTI_NEW(C->first, C->arena, C->n + 1);
  RITTI_NEW(C->parameter, C->arena, model->parameters + 1);
  RITTI_NEW(C->given, C->arena, 1);
  for (int p = 0; p < model->parameters; p++) C->parameter[p] = model->parameter[p].number;
  RITT_TRY(find_orders(C));
  return make_rows(C);
}

/* g from 1e6 to 0, y0 from the values typed. */
static ritt_status follow_conductance(ritti_completion *C, bool *reached) {
  enum { MOST = 200 };
  static const double FIRST = 1e6, LAST = 1e-9, FASTEST = 10;
  double *last, g = FIRST, factor = 2;
  RITTI_NEW(last, C->arena, C->n + 1);
  for (int i = 0; i < C->model->starts; i++)
    if (C->model->start[i].order == 0)
      last[C->model->start[i].variable] = C->model->start[i].number;

  *reached = false;
  for (int k = 0; k < MOST && !*reached; k++) {
    bool here;
    C->level[0] = g > LAST ? g : 0;
    for (int j = 0; j < C->n; j++) C->level[1 + j] = last[j];
    RITT_TRY(ritti_find_root(C, last, &here));
    if (here) {
      for (int j = 0; j < C->n; j++) last[j] = C->point[C->first[j]];
      *reached = C->level[0] == 0;
      factor = fmin(FASTEST, factor * 1.5);
      g /= factor;
    } else {
      if (g > 1e15) break;
      factor = fmax(1.2, sqrt(factor));
      g *= factor * factor;
    }
  }
  C->level[0] = 0;
  return RITT_OK;
}

/* The point as start values of the model. */
static ritt_status write_start(const ritti_completion *C, ritti_model *out) {
  RITTI_NEW(out->start, C->arena, C->jets + 1);
  out->starts = 0;
  for (int j = 0; j < C->n; j++)
    for (int k = 0; k == 0 || k < C->d[j]; k++) {
      double number = C->point[C->first[j] + k];
      char digits[32];
      const char *name = ritti_jet_name(C->arena, C->model->variable[j].name, k);
      ritti_start_def *def = &out->start[out->starts++];
      *def = (ritti_start_def){.variable = j,
                               .order = k,
                               .fixed = C->d[j] > 0,
                               .expr = RITTI_NIL,
                               .number = number,
                               .half_unit = 1e-9 * fmax(1e-3, fabs(number)),
                               .place = out->start_place};
      if (!name) return RITT_NO_MEMORY;
      def->text = ritti_arena_format(C->arena, "%s %c %s", name, def->fixed ? '=' : '~',
                                     ritti_shortest(number, digits));
      if (!def->text) return RITT_NO_MEMORY;
    }
  return RITT_OK;
}

static ritt_status find_steady(ritti_completion *C, ritti_model *out) {
  bool reached;
  RITT_TRY(set_up(C));
  RITT_TRY(ritti_find_root(C, NULL, &reached));
  if (!reached) RITT_TRY(follow_conductance(C, &reached));
  if (!reached)
    return ritti_fail(C->error, RITT_WRONG_MODEL, &C->model->start_place,
                      "give guesses near it, as in 'start steady t = 0, u ~ 5', or start values "
                      "without 'steady'",
                      "no steady state was found: no point at which all derivatives are 0");
  return write_start(C, out);
}

ritt_status ritti_steady_start(const ritti_model *model, ritti_arena *arena, ritt_error *error,
                               ritt_check *check, ritti_model **out) {
  ritti_model *own;
  RITTI_NEW(own, arena, 1);
  *own = *model;
  own->invariants = 0;
  RITTI_NEW(*out, arena, 1);
  **out = *model;
  (*out)->steady = (*out)->keep = false;
  ritti_completion C = {
      .model = own, .dag = model->dag, .arena = arena, .error = error, .check = check};
  ritt_status status = find_steady(&C, *out);
  ritti_completion_clear(&C);
  return status;
}
