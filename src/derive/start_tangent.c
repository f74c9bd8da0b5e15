/* The derivatives of the consistent start point by parameters and start values.
 *
 * In: a completed system at its start. Out: tangents s of its coordinates, one row for each quantity p.
 * They satisfy f_z s + f_p = 0 for the rows of M; values that are fixed with '=' have the derivatives
 * that their expressions have; guesses give way as little as possible. All of it computes in doubles.
 */
#include "derive/derive.h"
#include "derive/tangent.h"

typedef struct starter {
  const ritti_reduced *reduced;
  const ritti_tangent_by *by;
  ritti_arena *arena;
  ritti_expr *row;
  const ritti_start_def **start; /* of a row that fixes a start value; NULL: other rows */
  int rows;
  bool tops;     /* some row holds highest derivatives */
  double *guess; /* m: of one p, the derivative that a guess has */
} starter;

/* Is the row of M an invariant that takes its value from the start? */
static ritt_status has_level(const starter *S, ritti_expr row, bool *out) {
  ritti_nodes levels;
  RITT_TRY(ritti_leaves(S->reduced->model->dag, row, RITTI_LEVEL, &levels));
  *out = levels.count > 0;
  ritti_free(levels.at);
  return RITT_OK;
}

static ritt_status holds_tops(const starter *S, ritti_expr e, bool *out) {
  const ritti_reduced *R = S->reduced;
  ritti_nodes jets;
  RITT_TRY(ritti_leaves(R->model->dag, e, RITTI_JET, &jets));
  for (size_t i = 0; i < jets.count; i++)
    for (int k = 0; k < R->tops; k++) *out = *out || jets.at[i] == R->top[k];
  ritti_free(jets.at);
  return RITT_OK;
}

/* Lists the rows of M, those of the start values that are fixed, and if these hold highest derivatives
 * the rows that determine them. */
static ritt_status list_rows(starter *S) {
  const ritti_reduced *R = S->reduced;
  const ritti_model *model = R->model;
  int most = R->k + model->starts + R->tops;
  RITTI_NEW(S->row, S->arena, most + 1);
  RITTI_NEW(S->start, S->arena, most + 1);
  for (int i = 0; i < R->k; i++) {
    bool level;
    RITT_TRY(has_level(S, R->f[i], &level));
    if (!level) S->row[S->rows++] = R->f[i];
  }
  for (int i = 0; i < model->starts; i++) {
    const ritti_start_def *start = &model->start[i];
    if (!start->fixed) continue;
    ritti_expr value = ritti_jet(model->dag, start->variable, start->order);
    RITT_TRY(ritti_express(R, &value, 1));
    if (start->expr != RITTI_NIL) value = ritti_subtract(model->dag, value, start->expr);
    RITT_TRY(holds_tops(S, value, &S->tops));
    S->start[S->rows] = start;
    S->row[S->rows++] = value;
  }
  int tops = R->kind == RITT_EXPLICIT ? R->tops : R->top_rows;
  for (int i = 0; S->tops && i < tops; i++)
    S->row[S->rows++] = R->kind == RITT_EXPLICIT
                            ? ritti_subtract(model->dag, R->formula[i], R->top[i])
                            : R->top_row[i];
  return ritti_dag_status(model->dag);
}

/* The derivative of a guess by p number `by`. */
static ritt_status find_guesses(starter *S, const double *parameter, int by) {
  const ritti_reduced *R = S->reduced;
  const ritti_model *model = R->model;
  memset(S->guess, 0, (size_t)R->m * sizeof *S->guess);
  for (int i = 0; i < model->starts; i++) {
    const ritti_start_def *start = &model->start[i];
    ritti_expr jet = ritti_jet(model->dag, start->variable, start->order);
    int place = 1;
    while (place < R->m && R->coordinate[place] != jet) place++;
    if (place == R->m || start->expr == RITTI_NIL) continue;
    ritti_gradient g;
    ritti_values values = {.independent = model->start_x, .parameter = parameter};
    ritt_status status = ritti_dag_gradient_of(model->dag, start->expr, 1u << RITTI_PARAMETER, &g);
    for (size_t k = 0; k < g.count && status == RITT_OK; k++) {
      double slope, rate = S->by[by].rate[ritti_index_of(model->dag, g.leaf[k])];
      if (rate == 0) continue;
      status = ritti_dag_evaluate(model->dag, g.derivative[k], &values, &slope);
      S->guess[place] += slope * rate;
    }
    ritti_gradient_clear(&g);
    RITT_TRY(status);
  }
  return RITT_OK;
}

/* Solves the linearised rows for one p: the solution that is nearest to the guesses. */
static ritt_status solve_rows(starter *S, const ritti_jacobian *J, int by, ritt_error *error,
                              double *s) {
  const ritti_reduced *R = S->reduced;
  const ritti_tangent_by *p = &S->by[by];
  int unknowns = R->m - 1 + (S->tops ? R->tops : 0), *pivot;
  double *a, *b, *x, *scratch;
  RITTI_NEW(a, S->arena, (size_t)S->rows * (size_t)unknowns + 1);
  RITTI_NEW(b, S->arena, S->rows + 1);
  RITTI_NEW(x, S->arena, unknowns + 1);
  RITTI_NEW(scratch, S->arena, ritti_least_norm_scratch(S->rows, unknowns) + 1);
  RITTI_NEW(pivot, S->arena, S->rows + unknowns + 1);
  double size = 1;
  bool none = true; /* the start does not depend on p */
  for (int i = 0; i < S->rows; i++) {
    const double *row = J->matrix + (size_t)i * (size_t)J->columns;
    const ritti_start_def *start = S->start[i];
    double scale = 0;
    for (int j = 0; j < unknowns; j++) scale = fmax(scale, fabs(row[1 + j]));
    if (scale == 0) scale = 1;
    for (int k = 0; k < R->model->parameters; k++) b[i] -= row[R->m + R->tops + k] * p->rate[k];
    if (start && start->variable == p->variable && start->order == p->order) b[i] += 1;
    for (int j = 0; j < R->m - 1; j++) b[i] -= row[1 + j] * S->guess[1 + j];
    for (int j = 0; j < unknowns; j++) a[i * unknowns + j] = row[1 + j] / scale;
    b[i] /= scale;
    size = fmax(size, fabs(b[i]));
    none = none && b[i] == 0;
  }
  for (int j = 0; j < R->m; j++) s[j] = S->guess[j];
  s[0] = 0;
  if (none) return RITT_OK;
  ritti_least_norm(S->rows, unknowns, a, b, 1e-11, x, scratch, pivot);

  for (int i = 0; i < S->rows; i++) {
    double rest = -b[i], terms = size;
    for (int j = 0; j < unknowns; j++) {
      rest += a[i * unknowns + j] * x[j];
      terms = fmax(terms, fabs(a[i * unknowns + j] * x[j]));
    }
    if (!(fabs(rest) <= 1e-8 * terms))
      return ritti_fail(error, RITT_IMPOSSIBLE, NULL,
                        "write '~' instead of '=' for some start values",
                        "the start point has no derivative by %s: its conditions are not "
                        "independent of each other",
                        p->name);
  }
  for (int j = 1; j < R->m; j++) s[j] += x[j - 1];
  return RITT_OK;
}

ritt_status ritti_start_tangents(const ritti_reduced *reduced, const ritti_tangent_by *by,
                                 int count, ritti_arena *arena, ritt_error *error, double *s) {
  const ritti_model *model = reduced->model;
  starter S = {.reduced = reduced, .by = by, .arena = arena};
  ritti_jacobian *J;
  int *all;
  RITTI_NEW(all, arena, model->parameters + 1);
  RITTI_NEW(S.guess, arena, reduced->m);
  for (int i = 0; i < model->parameters; i++) all[i] = i;
  RITT_TRY(list_rows(&S));
  RITT_TRY(ritti_jacobian_new(reduced, S.row, S.rows, all, model->parameters, arena, &J));
  if (ritti_jacobian_at(J, reduced->z, reduced->top_value) != RITT_OK)
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL, "start the run at another point",
                      "the equations have no finite derivatives at the start");
  for (int p = 0; p < count; p++) {
    RITT_TRY(find_guesses(&S, J->parameter, p));
    RITT_TRY(solve_rows(&S, J, p, error, s + p * reduced->m));
  }
  return RITT_OK;
}
