/* The generic point in many digits, and rows with their gradients there. */
#include "complete/precise_impl.h"

double ritti_big_magnitude(const ritti_big *x) {
  long exponent;
  if (mpfr_zero_p(x)) return -1e9;
  double mantissa = mpfr_get_d_2exp(&exponent, x, MPFR_RNDN);
  return log10(fabs(mantissa)) + 0.30102999566398120 * (double)exponent;
}

/* ---- rows ---- */

static void scale_falling(ritti_big *x, int m, int k) {
  for (int i = 0; i < k; i++) mpfr_mul_si(x, x, m - i, MPFR_RNDN);
}

typedef struct jet_context {
  const ritti_precise *N;
  const ritti_precise_point *P;
} jet_context;

static void jet_series(const void *context, int variable, int order, int terms, ritti_big *out) {
  const jet_context *at = context;
  for (int k = 0; k < terms; k++) {
    int m = k + order;
    if (m < at->N->have[variable]) {
      mpfr_set(&out[k], &at->P->a[variable * RITTI_ORDERS + m], MPFR_RNDN);
      scale_falling(&out[k], m, order);
    } else mpfr_set_zero(&out[k], 1);
  }
}

/* The series of an equation, and unless it is needed alone of its partials: (1 + partials) x terms. */
static ritt_status evaluate_equation(ritti_precise *N, ritti_precise_point *P, int i, int terms,
                                     bool alone, ritti_arena *arena, ritti_big **out) {
  jet_context context = {N, P};
  if (P->terms[i] < terms) {
    ritti_big_series_plan_free(P->plan[i]);
    P->plan[i] = NULL;
    P->terms[i] = 0;
    int room = terms < 3 ? terms : terms + 1;
    RITT_TRY(ritti_big_series_plan_new(N->C->dag, N->root[i], (size_t)N->partials[i] + 1, room,
                                       P->bits, &P->plan[i]));
    P->terms[i] = room;
  }
  size_t roots = alone ? 1 : (size_t)N->partials[i] + 1;
  RITT_TRY(ritti_bigs_new(arena, roots * (size_t)terms, P->bits, out));
  ritti_big_series_values values = {.independent = *P->x,
                                    .jet = jet_series,
                                    .context = &context,
                                    .parameter = P->parameter,
                                    .first_only = alone};
  ritti_big_series_plan_evaluate(P->plan[i], &values, terms, *out);
  return RITT_OK;
}

/* Row (i, r): its value, and the gradient in the coefficients of the jets. */
static ritt_status fill_row(ritti_precise *N, long bits, int i, int r, int terms,
                            const ritti_big *series, ritti_arena *arena, ritti_precise_row *out,
                            bool *finite) {
  int room = N->partials[i] * (r + 1);
  ritti_big *product;
  RITTI_NEW(out->column, arena, room + 1);
  RITT_TRY(ritti_bigs_new(arena, (size_t)room + 1, bits, &out->entry));
  RITT_TRY(ritti_bigs_new(arena, 2, bits, &product));
  out->value = product + 1;
  mpfr_set(out->value, &series[r], MPFR_RNDN);
  *finite = *finite && mpfr_number_p(out->value);
  out->count = 0;
  for (int p = 0; p < N->partials[i]; p++) {
    int v = N->partial[i][p].variable, k = N->partial[i][p].order;
    for (int m = k; m <= r + k; m++) {
      const ritti_big *c = &series[(p + 1) * terms + r - m + k];
      int column = v * RITTI_ORDERS + m, at = 0;
      if (!mpfr_number_p(c)) *finite = false;
      if (mpfr_zero_p(c)) continue;
      mpfr_set(product, c, MPFR_RNDN);
      scale_falling(product, m, k);
      while (at < out->count && out->column[at] != column) at++;
      if (at == out->count) out->column[out->count++] = column;
      mpfr_add(&out->entry[at], &out->entry[at], product, MPFR_RNDN);
    }
  }
  return RITT_OK;
}

/* The series of all equations that occur in the rows, and the number of terms of each. */
static ritt_status evaluate_equations(ritti_precise *N, ritti_precise_point *P,
                                      const ritti_row_id *row, int count, bool alone,
                                      ritti_arena *arena, ritti_big ***series, int **terms) {
  RITTI_NEW(*series, arena, N->task.equations + 1);
  RITTI_NEW(*terms, arena, N->task.equations + 1);
  for (int i = 0; i < count; i++)
    if (row[i].order + 1 > (*terms)[row[i].equation]) (*terms)[row[i].equation] = row[i].order + 1;
  for (int i = 0; i < N->task.equations; i++)
    if ((*terms)[i]) RITT_TRY(evaluate_equation(N, P, i, (*terms)[i], alone, arena, &(*series)[i]));
  return RITT_OK;
}

ritt_status ritti_precise_rows(ritti_precise *N, ritti_precise_point *P, const ritti_row_id *row,
                               int count, ritti_arena *arena, ritti_precise_row *out,
                               bool *finite) {
  ritti_big **series;
  int *terms;
  *finite = true;
  RITT_TRY(evaluate_equations(N, P, row, count, false, arena, &series, &terms));
  for (int i = 0; i < count; i++)
    RITT_TRY(fill_row(N, P->bits, row[i].equation, row[i].order, terms[row[i].equation],
                      series[row[i].equation], arena, &out[i], finite));
  return RITT_OK;
}

ritt_status ritti_precise_values(ritti_precise *N, ritti_precise_point *P, const ritti_row_id *row,
                                 int count, ritti_arena *arena, const ritti_big **value,
                                 bool *finite) {
  ritti_big **series;
  int *terms;
  *finite = true;
  RITT_TRY(evaluate_equations(N, P, row, count, true, arena, &series, &terms));
  for (int i = 0; i < count; i++) {
    value[i] = &series[row[i].equation][row[i].order];
    *finite = *finite && mpfr_number_p(value[i]);
  }
  return RITT_OK;
}

/* Values of expressions at a point, once. */
static ritt_status evaluate_gradient(ritti_precise *N, ritti_precise_point *P,
                                     const ritti_expr *root, const ritti_precise_partial *partial,
                                     int count, ritti_arena *arena, ritti_precise_row *out) {
  jet_context context = {N, P};
  ritti_big_series_plan *plan;
  RITTI_NEW(out->column, arena, count + 1);
  RITT_TRY(ritti_bigs_new(arena, (size_t)count + 1, P->bits, &out->entry));
  RITT_TRY(ritti_bigs_new(arena, 1, P->bits, &out->value));
  RITT_TRY(ritti_big_series_plan_new(N->C->dag, root, (size_t)count, 1, P->bits, &plan));
  ritti_big_series_values values = {
      .independent = *P->x, .jet = jet_series, .context = &context, .parameter = P->parameter};
  ritti_big_series_plan_evaluate(plan, &values, 1, out->entry);
  ritti_big_series_plan_free(plan);
  out->count = count;
  for (int e = 0; e < count; e++) {
    out->column[e] = partial[e].variable * RITTI_ORDERS + partial[e].order;
    scale_falling(&out->entry[e], partial[e].order, partial[e].order);
    if (!mpfr_number_p(&out->entry[e])) {
      N->backend.reason = "a condition has no value at a point near the start";
      return RITT_UNDECIDED;
    }
  }
  return RITT_OK;
}

ritt_status ritti_precise_gradient(ritti_precise *N, const ritti_expr *root,
                                   const ritti_precise_partial *partial, int count,
                                   ritti_arena *arena, ritti_precise_row *fine,
                                   ritti_precise_row *coarse) {
  ritti_precise_move_coarse(N);
  RITT_TRY(evaluate_gradient(N, &N->fine, root, partial, count, arena, fine));
  return evaluate_gradient(N, &N->coarse, root, partial, count, arena, coarse);
}

/* ---- units ---- */

/* The exponent of 2 of the size of a jet; beyond those known it goes on as the last two do. */
int ritti_precise_unit(ritti_precise *N, int column) {
  int v = column / RITTI_ORDERS, m = column % RITTI_ORDERS, q = N->task.top[v], unit = 0;
  if (N->unit_known[column]) return N->unit[column];
  if (m > q) unit = ritti_precise_unit(N, column - 1);
  if (m - 2 >= q) unit += unit - ritti_precise_unit(N, column - 2);
  N->unit_known[column] = true;
  return N->unit[column] = unit;
}

/* Do both numbers agree in size? Else the number is nothing but rounding. */
static bool is_sound(const ritti_big *fine, const ritti_big *coarse) {
  if (mpfr_zero_p(fine) || !mpfr_number_p(fine) || !mpfr_number_p(coarse)) return false;
  return fabs(ritti_big_magnitude(fine) - ritti_big_magnitude(coarse)) < 1.5;
}

void ritti_precise_copy_to_coarse(ritti_precise *N) {
  mpfr_set(N->coarse.x, N->fine.x, MPFR_RNDN);
  for (int v = 0; v < N->n; v++)
    for (int m = 0; m < N->have[v]; m++)
      mpfr_set(&N->coarse.a[v * RITTI_ORDERS + m], &N->fine.a[v * RITTI_ORDERS + m], MPFR_RNDN);
}

/* Puts entries to zero that are nothing but rounding. */
static void clear_noise(ritti_precise_row *fine, const ritti_precise_row *coarse) {
  for (int e = 0; e < fine->count; e++) {
    int at = 0;
    while (at < coarse->count && coarse->column[at] != fine->column[e]) at++;
    if (at == coarse->count || !is_sound(&fine->entry[e], &coarse->entry[at]))
      mpfr_set_zero(&fine->entry[e], 1);
  }
}

int ritti_precise_usual(const ritti_precise *N, int column) {
  return ilogb(ritti_jet_size(N->C, column / RITTI_ORDERS, column % RITTI_ORDERS));
}

/* Column units by equilibration of the equations and their first two derivatives, in exponents of
 * 2, at the generic point before it is moved: on the set an entry may be zero. */
static ritt_status find_units(ritti_precise *N, ritti_arena *arena) {
  enum { PASSES = 6, ORDERS = 3 };
  int equations = N->task.equations, count = ORDERS * equations;
  ritti_row_id *id;
  ritti_precise_row *row, *coarse;
  double *row_unit, *column_unit, *most;
  bool finite, finite_too, *used;
  RITTI_NEW(id, arena, count + 1);
  RITTI_NEW(row, arena, count + 1);
  RITTI_NEW(coarse, arena, count + 1);
  RITTI_NEW(row_unit, arena, count + 1);
  RITTI_NEW(column_unit, arena, N->n * RITTI_ORDERS + 1);
  RITTI_NEW(most, arena, N->n * RITTI_ORDERS + 1);
  RITTI_NEW(used, arena, N->n * RITTI_ORDERS + 1);
  for (int i = 0; i < count; i++) id[i] = (ritti_row_id){i % equations, i / equations};
  ritti_precise_copy_to_coarse(N);
  RITT_TRY(ritti_precise_rows(N, &N->fine, id, count, arena, row, &finite));
  RITT_TRY(ritti_precise_rows(N, &N->coarse, id, count, arena, coarse, &finite_too));
  N->no_value = !finite || !finite_too;
  if (N->no_value) return RITT_OK;
  for (int i = 0; i < count; i++) clear_noise(&row[i], &coarse[i]);
  for (int j = 0; j < N->n * RITTI_ORDERS; j++) column_unit[j] = ritti_precise_usual(N, j);
  for (int pass = 0; pass < PASSES; pass++) {
    for (int j = 0; j < N->n * RITTI_ORDERS; j++) most[j] = -INFINITY;
    for (int i = 0; i < count; i++) {
      double largest = -INFINITY;
      for (int e = 0; e < row[i].count; e++) {
        if (mpfr_zero_p(&row[i].entry[e])) continue;
        double size = (double)mpfr_get_exp(&row[i].entry[e]) + column_unit[row[i].column[e]];
        largest = fmax(largest, size);
      }
      if (!(largest > -INFINITY)) continue;
      row_unit[i] -= (largest + row_unit[i]) * (pass > 0 && pass < PASSES - 1 ? 0.5 : 1);
      for (int e = 0; e < row[i].count; e++) {
        int j = row[i].column[e];
        if (mpfr_zero_p(&row[i].entry[e])) continue;
        used[j] = true;
        most[j] =
            fmax(most[j], (double)mpfr_get_exp(&row[i].entry[e]) + row_unit[i] + column_unit[j]);
      }
    }
    for (int j = 0; pass < PASSES - 1 && j < N->n * RITTI_ORDERS; j++)
      if (used[j]) column_unit[j] -= most[j] * 0.5;
  }
  for (int j = 0; j < N->n * RITTI_ORDERS; j++) {
    if (!used[j]) continue;
    N->unit_known[j] = true;
    N->unit[j] = (int)lround(column_unit[j]);
  }
  return RITT_OK;
}

/* ---- the point ---- */

double ritti_precise_random(int column, int number) {
  uint64_t z = ((uint64_t)(unsigned)number << 32 | (unsigned)column) + 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

/* Where a point has no value, as sqrt(h) beside h = 0, others have: first all jets are moved up, then
 * down, then in other ways. */
static double choose_shift(const ritti_precise *N, int column) {
  enum { UP = 1, DOWN = 2, OTHERS = 1000 };
  int number = N->task.number + (N->attempt > DOWN ? OTHERS * N->attempt : 0);
  double r = ritti_precise_random(column, number);
  if (N->attempt == UP) return fabs(r);
  return N->attempt == DOWN ? -fabs(r) : r;
}

static void set_coefficient(ritti_precise *N, int v, int m) {
  const ritti_model *model = N->C->model;
  int column = v * RITTI_ORDERS + m;
  ritti_big *x = &N->fine.a[column];
  double r = choose_shift(N, column), value = 0;
  int jet = N->task.at_start || N->task.from_start ? ritti_jet_number(N->C, v, m) : -1;
  bool given = jet >= 0;
  if (given) value = N->C->point[jet];
  if (N->task.point) {
    mpfr_set_d(x, N->task.point[1 + column], MPFR_RNDN);
    return;
  }
  for (int i = 0; i < model->starts && !given && !N->task.at_start; i++) {
    const ritti_start_def *start = &model->start[i];
    given = start->variable == v && start->order == m;
    if (given) value = start->number;
    if (given && N->task.forget && !start->fixed)
      value = 2 * ritti_precise_random(~column, N->task.number) *
              fmax(fabs(value), ritti_jet_size(N->C, v, m));
  }
  mpfr_set_d(x, value, MPFR_RNDN);
  for (int k = 2; k <= m; k++) mpfr_div_si(x, x, k, MPFR_RNDN);
  if (N->task.at_start) return;
  double unit = ritti_jet_size(N->C, v, m);
  double noise = fmin(fabs(mpfr_get_d(x, MPFR_RNDN)), unit);
  if (value == 0) noise = unit;
  mpfr_add_d(x, x, r * (given ? 0.02 * N->task.spread * noise : N->task.jets * unit), MPFR_RNDN);
}

void ritti_precise_mark_columns(const ritti_precise *N, ritti_row_id row, bool *marked) {
  for (int p = 0; p < N->partials[row.equation]; p++) {
    ritti_precise_partial partial = N->partial[row.equation][p];
    for (int m = partial.order; m <= partial.order + row.order; m++)
      marked[partial.variable * RITTI_ORDERS + m] = true;
  }
}

void ritti_precise_ensure(ritti_precise *N, int r) {
  for (int v = 0; v < N->n; v++) {
    int wanted = N->task.top[v] + r + 1;
    if (wanted > RITTI_ORDERS) wanted = RITTI_ORDERS;
    for (; N->have[v] < wanted; N->have[v]++) set_coefficient(N, v, N->have[v]);
  }
}

static ritt_status set_parameters(ritti_precise *N, ritti_precise_point *P) {
  const ritti_model *model = N->C->model;
  RITT_TRY(ritti_bigs_new(N->arena, (size_t)model->parameters + 1, P->bits, &P->parameter));
  for (int i = 0; i < model->parameters; i++) {
    ritti_big_series_plan *plan;
    ritti_big_series_values none = {.independent = *P->x};
    RITT_TRY(
        ritti_big_series_plan_new(N->C->dag, &model->parameter[i].value, 1, 1, P->bits, &plan));
    ritti_big_series_plan_evaluate(plan, &none, 1, &P->parameter[i]);
    ritti_big_series_plan_free(plan);
  }
  return RITT_OK;
}

static ritt_status begin_point(ritti_precise *N, ritti_precise_point *P, int digits) {
  P->bits = (long)(digits * 3.3219280948873623) + 8;
  RITT_TRY(ritti_bigs_new(N->arena, (size_t)N->n * RITTI_ORDERS + 1, P->bits, &P->a));
  RITT_TRY(ritti_bigs_new(N->arena, 1, P->bits, &P->x));
  RITTI_NEW(P->plan, N->arena, N->task.equations + 1);
  RITTI_NEW(P->terms, N->arena, N->task.equations + 1);
  return set_parameters(N, P);
}

/* x is shifted a little way into the run: what vanishes at one x only is not zero. */
static void set_x(ritti_precise *N) {
  const ritti_completion *C = N->C;
  double length = C->model->run == RITTI_RUN_X ? C->model->run_end - C->x : 1;
  if (!(fabs(length) > 0)) length = 1;
  double part = 0.03 + 0.02 * ritti_precise_random(-1, N->task.number);
  if (N->task.from_start) part *= N->task.spread;
  double shift = part * copysign(fmin(fabs(length), fmax(ritti_x_size(C), fabs(C->x))), length);
  mpfr_set_d(N->fine.x, N->task.point ? N->task.point[0] : C->x, MPFR_RNDN);
  if (N->task.point) return;
  mpfr_add_d(N->fine.x, N->fine.x, N->task.at_start || N->task.fixed_x ? 0 : shift, MPFR_RNDN);
}

static ritt_status list_partials(ritti_precise *N) {
  RITTI_NEW(N->partial, N->arena, N->task.equations + 1);
  RITTI_NEW(N->partials, N->arena, N->task.equations + 1);
  RITTI_NEW(N->root, N->arena, N->task.equations + 1);
  for (int i = 0; i < N->task.equations; i++) {
    ritti_gradient g;
    RITT_TRY(ritti_dag_gradient_of(N->C->dag, N->task.equation[i], 1u << RITTI_JET, &g));
    N->partials[i] = (int)g.count;
    N->partial[i] = ritti_arena_alloc(N->arena, g.count + 1, sizeof *N->partial[i]);
    N->root[i] = ritti_arena_alloc(N->arena, g.count + 1, sizeof *N->root[i]);
    bool made = N->partial[i] && N->root[i];
    for (size_t e = 0; made && e < g.count; e++) {
      N->partial[i][e] = (ritti_precise_partial){ritti_index_of(N->C->dag, g.leaf[e]),
                                                 ritti_order_of(N->C->dag, g.leaf[e])};
      N->root[i][e + 1] = g.derivative[e];
    }
    ritti_gradient_clear(&g);
    if (!made) return RITT_NO_MEMORY;
    N->root[i][0] = N->task.equation[i];
  }
  return ritti_dag_status(N->C->dag);
}

/* The first of several points at which the equations have values, with its units. */
static ritt_status place_point(ritti_precise *N) {
  enum { ATTEMPTS = 8 };
  ritt_status status = RITT_OK;
  ritti_arena *shelf = ritti_arena_new();
  if (!shelf) return RITT_NO_MEMORY;
  N->no_value = true;
  for (int k = 0; k <= ATTEMPTS && N->no_value && status == RITT_OK; k++) {
    N->attempt = k % ATTEMPTS; /* at last the first one again */
    memset(N->have, 0, (size_t)N->n * sizeof *N->have);
    ritti_precise_ensure(N, 2);
    ritti_arena_clear(shelf);
    status = find_units(N, shelf);
    if (N->task.at_start || N->task.point) break;
  }
  N->no_value = false;
  ritti_arena_free(shelf);
  return status;
}

static ritt_status fill_precise(ritti_precise *N) {
  RITTI_NEW(N->have, N->arena, N->n + 1);
  RITTI_NEW(N->unit, N->arena, N->n * RITTI_ORDERS + 1);
  RITTI_NEW(N->unit_known, N->arena, N->n * RITTI_ORDERS + 1);
  RITTI_NEW(N->typed, N->arena, N->n * RITTI_ORDERS + 1);
  RITTI_NEW(N->fixed, N->arena, N->n * RITTI_ORDERS + 1);
  for (int i = 0; i < N->C->model->starts; i++) {
    const ritti_start_def *start = &N->C->model->start[i];
    if (start->order >= RITTI_ORDERS) continue;
    N->typed[start->variable * RITTI_ORDERS + start->order] = true;
    N->fixed[start->variable * RITTI_ORDERS + start->order] = start->fixed;
  }
  RITT_TRY(list_partials(N));
  RITT_TRY(begin_point(N, &N->fine, 2 * N->D + 20));
  RITT_TRY(begin_point(N, &N->coarse, N->D + 10));
  set_x(N);
  ritti_precise_ensure(N, 2);
  return N->task.no_units ? RITT_OK : place_point(N);
}

ritt_status ritti_precise_new(ritti_completion *C, const ritti_precise_task *task,
                              ritti_precise **out) {
  ritti_arena *arena = ritti_arena_new();
  *out = NULL;
  if (!arena) return RITT_NO_MEMORY;
  ritti_precise *N = ritti_arena_alloc(arena, 1, sizeof *N);
  if (!N) {
    ritti_arena_free(arena);
    return RITT_NO_MEMORY;
  }
  *N = (ritti_precise){.C = C, .task = *task, .arena = arena, .n = C->n, .D = task->digits};
  N->backend =
      (ritti_backend){.data = N, .echelon = ritti_precise_echelon, .move = ritti_precise_move};
  ritt_status status = fill_precise(N);
  if (status == RITT_OK) *out = N;
  else ritti_precise_free(N);
  return status;
}

void ritti_precise_free(ritti_precise *N) {
  if (!N) return;
  for (int i = 0; i < N->task.equations; i++) {
    if (N->fine.plan) ritti_big_series_plan_free(N->fine.plan[i]);
    if (N->coarse.plan) ritti_big_series_plan_free(N->coarse.plan[i]);
  }
  ritti_arena_free(N->arena);
  mpfr_free_cache(); /* MPFR keeps constants such as pi for this thread */
}

ritti_backend *ritti_precise_backend(ritti_precise *N) { return &N->backend; }
bool ritti_precise_no_value(const ritti_precise *N) { return N->no_value; }
long ritti_precise_effort(const ritti_precise *N) { return N->effort; }
size_t ritti_precise_kept(const ritti_completion *C) { return 1 + (size_t)C->n * RITTI_ORDERS; }

ritt_status ritti_precise_keep(const ritti_precise *N, ritti_arena *arena, const double **out) {
  double *point;
  RITTI_NEW(point, arena, ritti_precise_kept(N->C));
  point[0] = ritti_precise_x(N);
  for (int v = 0; v < N->n; v++)
    for (int m = 0; m < N->have[v]; m++)
      point[1 + v * RITTI_ORDERS + m] = mpfr_get_d(&N->fine.a[v * RITTI_ORDERS + m], MPFR_RNDN);
  *out = point;
  return RITT_OK;
}

void ritti_precise_set_x(ritti_precise *N, double x) { mpfr_set_d(N->fine.x, x, MPFR_RNDN); }

double ritti_precise_x(const ritti_precise *N) { return mpfr_get_d(N->fine.x, MPFR_RNDN); }

double ritti_precise_jet(const ritti_precise *N, int variable, int order) {
  if (order >= N->have[variable]) return 0;
  double x = mpfr_get_d(&N->fine.a[variable * RITTI_ORDERS + order], MPFR_RNDN);
  for (int k = 2; k <= order; k++) x *= k;
  return x;
}

double ritti_precise_size(ritti_precise *N, int variable, int order) {
  double x = ldexp(1, ritti_precise_unit(N, variable * RITTI_ORDERS + order));
  for (int k = 2; k <= order; k++) x *= k;
  return x;
}

/* ---- digits ---- */

static int decimal_length(mpz_srcptr z) { return (int)mpz_sizeinbase(z, 10); }

/* Digits by which a constant differs from what a short number could say. */
static int digits_of_constant(mpq_srcptr q) {
  int above = decimal_length(mpq_numref(q)), below = decimal_length(mpq_denref(q));
  if (mpq_sgn(q) == 0) return 0;
  if (mpz_cmp_ui(mpq_denref(q), 1) == 0) return above;
  int exponent = above > below ? above - below : below - above;
  int length = above < below ? above : below;
  return exponent <= 1 ? length : exponent;
}

/* Values of the nodes at a point. */
static ritt_status evaluate_nodes(ritti_precise *N, ritti_precise_point *P,
                                  const ritti_nodes *nodes, ritti_arena *arena, ritti_big **out) {
  jet_context context = {N, P};
  ritti_big_series_plan *plan;
  RITT_TRY(ritti_bigs_new(arena, nodes->count + 1, P->bits, out));
  RITT_TRY(ritti_big_series_plan_new(N->C->dag, nodes->at, nodes->count, 1, P->bits, &plan));
  ritti_big_series_values values = {
      .independent = *P->x, .jet = jet_series, .context = &context, .parameter = P->parameter};
  ritti_big_series_plan_evaluate(plan, &values, 1, *out);
  ritti_big_series_plan_free(plan);
  return RITT_OK;
}

static ritt_status count_digits(ritti_precise *N, const ritti_nodes *nodes, ritti_arena *arena,
                                int *digits) {
  ritti_big *fine, *coarse;
  ritti_precise_copy_to_coarse(N);
  RITT_TRY(evaluate_nodes(N, &N->fine, nodes, arena, &fine));
  RITT_TRY(evaluate_nodes(N, &N->coarse, nodes, arena, &coarse));
  for (size_t i = 0; i < nodes->count; i++) {
    if (ritti_op_of(N->C->dag, nodes->at[i]) == RITTI_NUMBER) {
      int here = digits_of_constant(ritti_rational_of(N->C->dag, nodes->at[i]));
      if (here > *digits) *digits = here;
    }
    if (!is_sound(&fine[i], &coarse[i])) continue;
    int size = (int)fabs(ritti_big_magnitude(&fine[i]));
    if (size > *digits) *digits = size;
  }
  return RITT_OK;
}

ritt_status ritti_precise_digits(ritti_precise *N, int *digits) {
  ritti_nodes nodes;
  *digits = 0;
  RITT_TRY(ritti_nodes_below(N->C->dag, N->task.equation, (size_t)N->task.equations, &nodes));
  ritti_arena *arena = ritti_arena_new();
  ritt_status status = arena ? count_digits(N, &nodes, arena, digits) : RITT_NO_MEMORY;
  ritti_arena_free(arena);
  ritti_free(nodes.at);
  return status;
}
