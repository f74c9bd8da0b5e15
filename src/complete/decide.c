/* Decides with as many digits as it takes, from several generic points.
 *
 * More digits answer "neither zero nor nonzero"; another point answers "no point found"; a point
 * nearer to the start, or one found by least squares on the chain, answers a contradiction that
 * may hold on one branch only. If no point is found at all, one equation is left out at a time: it
 * may contradict the completed rest.
 */
#include "complete/decide.h"

enum { FIRST_DIGITS = 40, MOST_DIGITS = 1280 };
enum { TRIES = 10, TRIES_TO_CONFIRM = 2 }; /* points; the second: the fast path has an answer */
/* No other point is tried after this effort, which takes some seconds. */
enum { MOST_EFFORT = 1500000 };

/* Where the point begins: how far from the start values, and how large the jets without one are.
 * The first choice is right for most systems. Where Newton's method finds no point from there,
 * derivatives of another size often help. From the second on start values are kept as far as
 * possible. */
static const struct {
  double spread, jets;
} begin_at[TRIES] = {{0.2, 0.3}, {0.02, 0.3},  {2, 0.3},   {0.2, 1}, {0.2, 3},
                     {0.2, 10},  {0.02, 0.03}, {1, 0.001}, {1, 1},   {5, 3}};

void ritti_decision_clear(ritti_decision *decision) {
  ritti_precise_free(decision->precise);
  decision->precise = NULL;
}

/* Is the equation linear in all jets? */
static ritt_status is_linear(ritti_completion *C, int equation, bool *linear) {
  ritti_gradient g;
  *linear = true;
  RITT_TRY(ritti_dag_gradient_of(C->dag, C->residual[equation], 1u << RITTI_JET, &g));
  ritt_status status = RITT_OK;
  for (size_t e = 0; e < g.count && *linear && status == RITT_OK; e++) {
    ritti_nodes jets = {0};
    status = ritti_leaves(C->dag, g.derivative[e], RITTI_JET, &jets);
    *linear = jets.count == 0;
    ritti_free(jets.at);
  }
  ritti_gradient_clear(&g);
  return status;
}

static ritt_status is_chain_linear(ritti_completion *C, const ritti_selection *S, bool *linear) {
  *linear = true;
  for (int i = 0; i < S->chains && *linear; i++)
    RITT_TRY(is_linear(C, S->chain[i].equation, linear));
  return RITT_OK;
}

static ritti_precise_task make_task(const ritti_completion *C, const int *top, int digits,
                                    int number, double spread) {
  return (ritti_precise_task){.equation = C->residual,
                              .equations = C->model->equations,
                              .top = top,
                              .digits = digits,
                              .number = number,
                              .spread = spread,
                              .jets = 0.3};
}

/* One selection at one point, which replaces that of `out`. `onto` (NULL: none): rows onto which the
 * point is moved before. */
static ritt_status select_at(ritti_completion *C, const ritti_precise_task *task,
                             const ritti_row_id *onto, int onto_count, ritti_decision *out) {
  bool found = true;
  ritti_decision_clear(out);
  RITT_TRY(ritti_precise_new(C, task, &out->precise));
  if (onto) RITT_TRY(ritti_precise_search(out->precise, onto, onto_count, &found));
  out->digits = task->digits;
  if (!found) {
    out->selection = (ritti_selection){.verdict = RITTI_POSTPONED};
    return RITT_OK;
  }
  RITT_TRY(ritti_select(ritti_precise_backend(out->precise), C->model->equations, C->n, task->top,
                        -1, C->arena, &out->selection));
  out->effort += ritti_precise_effort(out->precise);
  return RITT_OK;
}

/* The selection at the number-th point. If the fast path has found a start, the first point lies
 * near it: far away the derivatives of a long chain may be too large for Newton's method. */
static ritt_status select_number(ritti_completion *C, const int *top, int digits, int number,
                                 ritti_decision *out) {
  ritti_precise_task task = make_task(C, top, digits, number, begin_at[number].spread);
  task.from_start = C->fast && number == 0;
  if (task.from_start) task.spread = 0.02;
  task.jets = begin_at[number].jets;
  task.keep_typed = number > 0;
  return select_at(C, &task, NULL, 0, out);
}

/* Another branch on which the chain holds: near the start, then wherever guesses do not keep it. */
static ritt_status try_branches(ritti_completion *C, const int *top, int digits,
                                const ritti_selection *contradiction, ritti_decision *out,
                                bool *found) {
  enum { NEAR = 3, FAR = 5 };
  static const double spread[NEAR] = {0.05, 1, 5};
  *found = false;
  for (int k = 0; k < NEAR + 2 * FAR && !*found && out->effort < MOST_EFFORT; k++) {
    ritti_precise_task task = make_task(C, top, digits, 100 + k, k < NEAR ? spread[k] : 1);
    bool plain = k >= NEAR && (k - NEAR) % 2 == 1; /* without the search, which may be slow there */
    task.forget = k >= NEAR;
    if (plain) task.number--;
    RITT_TRY(select_at(C, &task, plain ? NULL : contradiction->chain, contradiction->chains, out));
    const ritti_selection *S = &out->selection;
    *found = S->verdict == RITTI_SELECTED;
  }
  out->elsewhere = *found;
  return RITT_OK;
}

/* Leaves each equation out in turn and adds it when the others are complete, beginning with those
 * that could not be satisfied. *found: this decides, by a contradiction or by a selection. */
static ritt_status leave_one_out(ritti_completion *C, const int *top, int digits,
                                 const ritti_selection *postponed, ritti_decision *out,
                                 bool *found) {
  int equations = C->model->equations;
  bool *first;
  *found = false;
  if (equations > 60) return RITT_OK;
  RITTI_NEW(first, C->arena, equations + 1);
  for (int i = 0; i < postponed->chains; i++) first[postponed->chain[i].equation] = true;
  for (int k = 2 * equations - 1; k >= 0 && !*found && out->effort < MOST_EFFORT; k--) {
    int e = k % equations;
    if (first[e] != (k >= equations)) continue;
    ritti_precise_task task = make_task(C, top, digits, 0, 0.3);
    ritti_decision_clear(out);
    RITT_TRY(ritti_precise_new(C, &task, &out->precise));
    ritti_backend *backend = ritti_precise_backend(out->precise);
    RITT_TRY(ritti_select(backend, equations, C->n, top, e, C->arena, &out->selection));
    out->effort += ritti_precise_effort(out->precise);
    if (out->selection.verdict != RITTI_SELECTED) continue;
    RITT_TRY(ritti_select_further(backend, equations, C->n, top, e, C->arena, &out->selection));
    *found =
        out->selection.verdict == RITTI_CONTRADICTION || out->selection.verdict == RITTI_SELECTED;
  }
  return RITT_OK;
}

/* Digits that the numbers of the model need, and some more. */
static ritt_status choose_digits(ritti_completion *C, const int *top, int *digits) {
  ritti_precise_task task = make_task(C, top, FIRST_DIGITS, 0, 1);
  ritti_precise *N;
  int needed;
  task.no_units = true;
  RITT_TRY(ritti_precise_new(C, &task, &N));
  ritt_status status = ritti_precise_digits(N, &needed);
  ritti_precise_free(N);
  *digits = FIRST_DIGITS;
  while (*digits < 1.2 * needed + 30 && *digits < MOST_DIGITS) *digits *= 2;
  return status;
}

/* Decides at C->x itself and close to the start values. A pivot that vanishes at the start is small
 * there, so that another one is chosen. */
static ritt_status decide_near_start(ritti_completion *C, const int *top, ritti_decision *out) {
  ritti_selection *S = &out->selection;
  int digits;
  RITT_TRY(choose_digits(C, top, &digits));
  for (int number = 0; number < TRIES; number++) {
    ritti_precise_task task = make_task(C, top, digits, number, 1e-3);
    task.jets = begin_at[number].jets;
    task.fixed_x = task.keep_typed = true;
    RITT_TRY(select_at(C, &task, NULL, 0, out));
    if (S->verdict == RITTI_SELECTED) return RITT_OK;
  }
  return RITT_OK;
}

/* Another branch for one of the contradictions that were found. */
static ritt_status try_all_branches(ritti_completion *C, const int *top, int digits,
                                    const ritti_selection *contradiction, int count,
                                    ritti_decision *out, bool *found) {
  *found = false;
  for (int i = 0; i < count && !*found; i++)
    RITT_TRY(try_branches(C, top, digits, &contradiction[i], out, found));
  return RITT_OK;
}

static ritt_status decide_at_points(ritti_completion *C, const int *top, ritti_decision *out) {
  ritti_selection contradiction[2] = {{0}}, other = {.verdict = RITTI_POSTPONED};
  int contradictions = 0;
  bool found;
  int digits, tries = C->fast ? TRIES_TO_CONFIRM : TRIES;
  RITT_TRY(choose_digits(C, top, &digits));
  for (bool more = true; more && digits <= MOST_DIGITS; digits *= 2) {
    more = false;
    for (int k = 0; k < tries && !more && contradictions < 2; k++) {
      if (out->effort > MOST_EFFORT) break;
      RITT_TRY(select_number(C, top, digits, k, out));
      ritti_selection *S = &out->selection;
      if (S->verdict == RITTI_SELECTED) return RITT_OK;
      if (S->verdict == RITTI_UNDECIDABLE && contradictions) break;
      if (S->verdict == RITTI_UNDECIDABLE && !ritti_precise_no_value(out->precise)) more = true;
      if (S->verdict != RITTI_CONTRADICTION) {
        other = *S;
        continue;
      }
      RITT_TRY(is_chain_linear(C, S, &out->proved));
      if (out->proved) return RITT_OK;

      /* the next point lies near the start, often on the branch that is meant */
      contradiction[contradictions++] = *S;
    }
    if (contradictions == 0) continue;
    RITT_TRY(try_all_branches(C, top, digits, contradiction, contradictions, out, &found));
    if (!found) out->selection = contradiction[contradictions - 1];
    return RITT_OK;
  }
  if (digits > MOST_DIGITS) digits = MOST_DIGITS;
  if (other.verdict == RITTI_POSTPONED && !C->fast) {
    RITT_TRY(leave_one_out(C, top, digits > 80 ? 80 : digits, &other, out, &found));
    if (found) return RITT_OK;
  }
  out->selection = other;
  return RITT_OK;
}

ritt_status ritti_decide_at_points(ritti_completion *C, const int *top, ritti_decision *out) {
  *out = (ritti_decision){0};
  ritt_status status =
      C->near_start ? decide_near_start(C, top, out) : decide_at_points(C, top, out);
  if (status != RITT_OK) ritti_decision_clear(out);
  if (out->precise) out->backend = ritti_precise_backend(out->precise);
  return status;
}

ritt_status ritti_decide_gradient(ritti_completion *C, int equation, bool *vanishes) {
  ritti_precise *N;
  int *top;
  RITTI_NEW(top, C->arena, C->n + 1);
  ritti_find_orders(C, top);
  ritti_precise_task task = make_task(C, top, FIRST_DIGITS, 0, 1);
  RITT_TRY(ritti_precise_new(C, &task, &N));
  ritt_status status = ritti_precise_loses_gradient(N, equation, vanishes);
  ritti_precise_free(N);
  return status;
}

/* Selects among equations that are linear with constant coefficients, modulo primes. *done = false: the
 * forcing holds functions about which nothing is known there. */
static ritt_status select_modulo_primes(ritti_completion *C, const int *top, const int *equation,
                                        int count, ritti_decision *out, bool *done) {
  int *variable;
  *done = false;
  RITTI_NEW(variable, C->arena, C->n + 1);
  for (int j = 0; j < C->n; j++) variable[j] = j;
  RITTI_NEW(out->linear, C->arena, 1);
  RITTI_NEW(out->backend, C->arena, 1);
  RITT_TRY(ritti_linear_read(C, equation, count, variable, C->n, out->linear));
  ritt_status status = ritti_modular_backend(out->linear, C->arena, out->backend);
  if (status == RITT_UNDECIDED) return RITT_OK;
  RITT_TRY(status);
  RITT_TRY(ritti_select(out->backend, count, C->n, top, -1, C->arena, &out->selection));
  *done = true;
  return RITT_OK;
}

/* Systems that are linear with constant coefficients are decided modulo primes. Beside other equations
 * the linear ones may contradict each other: that is proved, too. *decided = false: neither. */
static ritt_status decide_modulo_primes(ritti_completion *C, const int *top, ritti_decision *out,
                                        bool *decided) {
  int equations = C->model->equations, *equation, count = 0;
  ritti_selection *S = &out->selection;
  bool *linear, done;
  *decided = false;
  RITTI_NEW(linear, C->arena, equations + 1);
  RITTI_NEW(equation, C->arena, equations + 1);
  RITT_TRY(ritti_linear_mark(C, linear));
  for (int i = 0; i < equations; i++)
    if (linear[i]) equation[count++] = i;
  bool all = count == equations;
  if (count < 2 && !all) return RITT_OK;
  if (!all && (C->fast || C->near_start)) return RITT_OK; /* it is known that they do not */

  RITT_TRY(select_modulo_primes(C, top, equation, count, out, &done));
  *decided = done && S->verdict == RITTI_CONTRADICTION;
  if (all) *decided = *decided || (done && (S->verdict == RITTI_SELECTED || S->endless));
  for (int i = 0; *decided && i < S->chains; i++)
    S->chain[i].equation = equation[S->chain[i].equation];
  if (!*decided && !all) *out = (ritti_decision){0};
  out->proved = *decided;
  return RITT_OK;
}

ritt_status ritti_decide(ritti_completion *C, const int *top, ritti_decision *out) {
  bool decided;
  *out = (ritti_decision){0};
  RITT_TRY(decide_modulo_primes(C, top, out, &decided));
  return decided ? RITT_OK : ritti_decide_at_points(C, top, out);
}

static bool has_row(const ritti_selection *S, int equation, int order) {
  for (int i = 0; i < S->rows; i++)
    if (S->row[i].equation == equation && S->row[i].order == order) return true;
  return false;
}

/* Is the derivative of order `more` of each row from which the dead equation follows selected? */
static bool follows(const ritti_selection *S, const ritti_dead *dead, int more) {
  for (int k = 0; k < dead->supports; k++)
    if (!has_row(S, dead->support[k].equation, dead->support[k].order + more)) return false;
  return dead->supports > 0;
}

ritt_status ritti_remember_selection(ritti_completion *C, const int *top,
                                     const ritti_decision *decision) {
  const ritti_selection *S = &decision->selection;
  int most = S->rows ? S->row[S->rows - 1].order : 0;
  ritti_row_id *following;
  C->selected = S->row;
  C->selecteds = S->rows;
  C->selected_top = top;
  memcpy(C->pivots_of_class, S->pivots, sizeof C->pivots_of_class);
  C->generic = NULL;
  if (decision->precise && S->verdict == RITTI_SELECTED)
    RITT_TRY(ritti_precise_keep(decision->precise, C->arena, &C->generic));

  RITTI_NEW(following, C->arena, S->deads * (most + 1) + 1);
  C->following = following;
  C->followings = 0;
  for (int i = 0; i < S->deads; i++)
    for (int more = 0; more <= most && follows(S, &S->dead[i], more); more++)
      following[C->followings++] = (ritti_row_id){S->dead[i].equation, S->dead[i].order + more};
  return RITT_OK;
}

/* Pivots of each class of some rows at the start. */
static ritt_status count_pivots(ritti_completion *C, ritti_precise *N, const ritti_row_id *row,
                                int count, ritti_arena *arena, int *pivots) {
  ritti_echelon_row *e;
  RITTI_NEW(e, arena, count + 1);
  RITT_TRY(ritti_precise_backend(N)->echelon(N, row, count, C->selected_top, NULL, arena, e));
  for (int i = 0; i < count; i++) pivots[e[i].class]++;
  return RITT_OK;
}

static ritt_status compare_at_start(ritti_completion *C, ritti_precise *N, ritti_arena *arena,
                                    bool *same, bool *sure) {
  int pivots[4] = {0}, of_all[4] = {0}, count = C->selecteds + C->followings;
  bool reached;
  ritti_row_id *row;
  RITT_TRY(ritti_precise_backend(N)->move(N, C->selected, C->selecteds, C->selecteds, &reached));
  if (!reached) return RITT_OK;
  /* lower jets that moved away: the rows do not hold at the start itself */
  for (int v = 0; v < C->n; v++)
    for (int m = 0; m < C->selected_top[v] && m <= C->d[v]; m++) {
      double start = C->point[C->first[v] + m], moved = ritti_precise_jet(N, v, m) - start;
      if (!(fabs(moved) <= 1e-6 * fmax(fabs(start), ritti_precise_size(N, v, m)))) return RITT_OK;
    }
  RITT_TRY(count_pivots(C, N, C->selected, C->selecteds, arena, pivots));
  *same = !memcmp(pivots, C->pivots_of_class, sizeof C->pivots_of_class);
  *sure = true;
  if (*same || C->followings == 0) return RITT_OK;

  RITTI_NEW(row, arena, count + 1);
  memcpy(row, C->selected, (size_t)C->selecteds * sizeof *row);
  memcpy(row + C->selecteds, C->following, (size_t)C->followings * sizeof *row);
  *sure = false;
  RITT_TRY(count_pivots(C, N, row, count, arena, of_all));
  *sure = of_all[RITTI_ABOVE] + of_all[RITTI_TOP] + of_all[RITTI_LOWER] < C->selecteds;
  return RITT_OK;
}

/* The start is known to the digits of doubles, so few digits decide: what a change of the last of
 * them changes is not known. */
ritt_status ritti_same_at_start(ritti_completion *C, bool *same, bool *sure) {
  enum { DIGITS = 12 };
  ritti_precise *N;
  *same = *sure = false;
  if (!C->selected) return RITT_OK;
  ritti_precise_task task = make_task(C, C->selected_top, DIGITS, 0, 0);
  task.at_start = true;
  RITT_TRY(ritti_precise_new(C, &task, &N));
  ritti_arena *arena = ritti_arena_new();
  ritt_status status = arena ? compare_at_start(C, N, arena, same, sure) : RITT_NO_MEMORY;
  ritti_arena_free(arena);
  ritti_precise_free(N);
  return status == RITT_UNDECIDED ? RITT_OK : status;
}

/* Along the selected rows from the x of the generic point to that of the start, in steps as long as
 * Newton's method can take. */
static ritt_status carry_point(const ritti_completion *C, ritti_precise *N, bool *found) {
  enum { MOST = 40 };
  const double from = ritti_precise_x(N), shortest = 1e-4;
  double part = 0, step = 1;
  for (int k = 0; k < MOST && !*found && step > shortest; k++) {
    double next = fmin(1, part + step);
    bool reached;
    ritti_precise_set_x(N, next < 1 ? from + next * (C->x - from) : C->x);
    RITT_TRY(ritti_precise_backend(N)->move(N, C->selected, C->selecteds, C->selecteds, &reached));
    if (reached) part = next;
    *found = reached && part == 1;
    step = reached ? 2 * step : step / 4;
  }
  return RITT_OK;
}

/* From the start values onto the selected rows. */
static ritt_status place_on_rows(const ritti_completion *C, ritti_precise *N, bool *found) {
  return ritti_precise_backend(N)->move(N, C->selected, C->selecteds, 0, found);
}

ritt_status ritti_carry_to_start(ritti_completion *C, bool from_generic, double *point,
                                 bool *found) {
  enum { DIGITS = 20 };
  ritti_precise *N;
  *found = false;
  if (!C->selected || (from_generic && !C->generic)) return RITT_OK;
  ritti_precise_task task = make_task(C, C->selected_top, DIGITS, 0, 0);
  task.fixed_x = task.keep_typed = task.keep_fixed = !from_generic;
  if (from_generic) task.point = C->generic;
  RITT_TRY(ritti_precise_new(C, &task, &N));
  ritt_status status = from_generic ? carry_point(C, N, found) : place_on_rows(C, N, found);
  for (int v = 0; v < C->n && *found; v++)
    for (int k = 0; k <= C->d[v]; k++) point[C->first[v] + k] = ritti_precise_jet(N, v, k);
  ritti_precise_free(N);
  return status == RITT_UNDECIDED ? RITT_OK : status;
}
