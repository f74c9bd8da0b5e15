/* Completion, the general path: any number of equations, redundant, cancelling, of any index.
 *
 * In: equations f in the jets up to the highest order q_j of each variable. Out: rows of M and rows
 * that give the tops. With D_x f = b + A2 y_{q+1} the system is completed when b lies in the range
 * of A2 on {f = 0} (Theorem 3.2 of the jet paper). So, at generic points of the current {f = 0}:
 * eliminate [A2 | b]; rows without a pivot leave conditions phi = b_i - A2[i,c] SOLVE(A2[p,c],
 * b_p), SOLVE being the elimination itself, a straight line of operations shared in the DAG. A
 * condition that does not vanish there is new and joins f; when nothing is new it is done.
 * Equations that vanish where the others hold are dependent. Then, where f is linear in the tops,
 * they are dropped from the coordinates (section 3.2 of the enhanced linear algebra paper);
 * elsewhere f keeps them and D_x f gives the next ones.
 */
#include "complete/general_impl.h"

static ritt_status refuse(ritti_general *G, const char *verdict, ritt_status status,
                          const ritti_place *place, const char *hint, const char *reason) {
  G->C->check->verdict = verdict;
  G->C->check->reason = reason;
  return reason ? ritti_fail(G->C->error, status, place, hint, "%s", reason) : RITT_NO_MEMORY;
}

static const ritti_place *place_of(const ritti_completion *C, const ritti_origin *o) {
  if (o->equation >= 0) return &C->model->equation[o->equation].place;
  return o->sources > 0 ? &C->model->equation[o->source[o->sources - 1]].place
                        : &C->model->equation[0].place;
}

/* Nothing can be said of equations that have no value at the start. */
static ritt_status check_values(ritti_completion *C) {
  ritti_rows_system S = {0};
  RITT_TRY(ritti_rows_make(C, C->residual, C->model->equations, &S));
  return ritti_rows_evaluate(C, &S, C->point) ? RITT_OK : ritti_refuse_no_value(C, &S, C->point);
}

static ritt_status refuse_unclear(ritti_general *G, const ritti_origin *o, const char *what) {
  RITT_TRY(check_values(G->C));
  const char *from = ritti_origin_text(G->C->arena, G->C->model, *o);
  return refuse(G, "undecided", RITT_UNDECIDED, place_of(G->C, o),
                "scale the variables, or give parameters as exact numbers",
                ritti_arena_format(G->C->arena, "whether %s vanishes (%s) could not be decided",
                                   what, from ? from : ""));
}

/* ---- set up ---- */

/* Jets up to d: their numbers, and room for a point of typed values. */
static ritt_status lay_out_jets(ritti_completion *C) {
  C->jets = 0;
  for (int j = 0; j < C->n; j++) {
    C->first[j] = C->jets;
    C->jets += C->d[j] + 1;
  }
  RITTI_NEW(C->point, C->arena, C->jets + 1);
  for (int i = 0; i < C->model->starts; i++) {
    const ritti_start_def *def = &C->model->start[i];
    int jet = ritti_jet_number(C, def->variable, def->order);
    if (jet >= 0) C->point[jet] = def->number;
  }
  return RITT_OK;
}

/* The DAG may grow to so many nodes, and so many times what it was. */
enum { MOST_NODES = 500000, MOST_TIMES = 100 };

/* uniform: one order q for all variables, the highest that occurs: the classical jet space J_q */
static ritt_status set_up(ritti_general *G, bool uniform) {
  ritti_completion *C = G->C;
  int q = 0;
  if (!uniform) RITT_TRY(ritti_least_orders(C, C->d));
  for (int e = 0; e < C->sigma.start[C->model->equations]; e++)
    if (C->sigma.order[e] > C->d[C->sigma.var[e]]) C->d[C->sigma.var[e]] = C->sigma.order[e];
  for (int j = 0; j < C->n; j++)
    if (C->d[j] > q) q = C->d[j];
  for (int j = 0; uniform && j < C->n; j++) C->d[j] = q;
  RITT_TRY(lay_out_jets(C));
  G->room = C->jets + 1;
  if (!G->most) G->most = MOST_NODES + MOST_TIMES * ritti_dag_count(C->dag);
  RITTI_NEW(G->f, C->arena, G->room);
  RITTI_NEW(G->origin, C->arena, G->room);
  return ritti_points_init(G);
}

/* ---- one more row ---- */

typedef enum { DEPENDENT, ADDED } outcome;

/* "the " before a derivative or a condition, "" before "equation 3" */
static const char *article(const ritti_origin *o) {
  return o->order > 0 || (o->equation < 0 && o->invariant < 0) ? "the " : "";
}

static ritt_status refuse_contradiction(ritti_general *G, ritti_expr e, const ritti_origin *o) {
  ritti_completion *C = G->C;
  const char *from = ritti_origin_text(C->arena, C->model, *o), *text = ritti_show(C, e);
  if (text && strlen(text) > 120) text = NULL;
  return refuse(
      G, "inconsistent", RITT_IMPOSSIBLE, place_of(C, o),
      "correct or remove one of the equations that lead to it",
      ritti_arena_format(
          C->arena,
          "the equations contradict each other: no point near the start satisfies %s%s%s%s%s",
          article(o), from ? from : "", text ? " (" : "", text ? text : "", text ? " = 0)" : ""));
}

static ritt_status refuse_lost(ritti_general *G, const ritti_origin *o) {
  RITT_TRY(check_values(G->C));
  const char *from = ritti_origin_text(G->C->arena, G->C->model, *o);
  return refuse(G, "undecided", RITT_UNDECIDED, place_of(G->C, o),
                "give start values nearer to a solution",
                ritti_arena_format(
                    G->C->arena,
                    "no point was found that satisfies %s%s together with the equations before it",
                    article(o), from ? from : ""));
}

/* Adds e = 0 unless it holds already wherever the other rows hold. */
static ritt_status add_row(ritti_general *G, ritti_expr e, ritti_origin origin, outcome *what) {
  ritti_known known;
  bool reached, none;
  *what = DEPENDENT;
  RITT_TRY(ritti_points_evaluate(G, &e, 1, &known));
  ritti_answer zero = ritti_known_zero(&known);
  if (zero == RITTI_YES) return RITT_OK;
  if (zero == RITTI_UNKNOWN) return refuse_unclear(G, &origin, "a condition");
  if (G->count == G->room - 1) return refuse_contradiction(G, e, &origin);
  RITT_TRY(ritti_points_onto(G, e, &reached, &none));
  if (!reached) return none ? refuse_contradiction(G, e, &origin) : refuse_lost(G, &origin);
  G->f[G->count] = e;
  G->origin[G->count++] = origin;
  *what = ADDED;
  return RITT_OK;
}

/* ---- rows that depend on each other where they all hold ---- */

/* Is f_i an equation between undifferentiated variables? */
static bool is_position(const ritti_general *G, int i) {
  const ritti_signature *sigma = &G->C->sigma;
  int equation = G->origin[i].equation;
  if (equation < 0 || G->origin[i].order > 0) return false;
  for (int e = sigma->start[equation]; e < sigma->start[equation + 1]; e++)
    if (sigma->order[e] > 0) return false;
  return true;
}

/* The first row between undifferentiated variables whose gradient depends on those before it, at
 * the first point; -1: none. By Gram and Schmidt. */
static ritt_status find_dependent(ritti_general *G, int *which) {
  static const double SMALL = 1e-7;
  ritti_completion *C = G->C;
  ritti_rows_system S = {0};
  double *z, *basis, x = C->x;
  int kept = 0;
  *which = -1;
  RITTI_NEW(z, C->arena, C->jets + 1);
  RITTI_NEW(basis, C->arena, G->count * C->jets + 1);
  for (int i = 0; i < C->jets; i++) z[i] = (double)G->point[0][i];
  RITT_TRY(ritti_rows_make(C, G->f, G->count, &S));
  C->x = G->x[0];
  ritti_rows_evaluate(C, &S, z);
  C->x = x;
  for (int i = 0; i < G->count && *which < 0; i++) {
    double *row = basis + kept * C->jets, before = 0, after = 0;
    if (!is_position(G, i)) continue;
    memset(row, 0, (size_t)C->jets * sizeof *row);
    for (int e = S.start[i]; e < S.start[i + 1]; e++) row[S.col[e]] += S.value[S.rows + e];
    for (int j = 0; j < C->jets; j++) before += row[j] * row[j];
    for (int k = 0; k < 2 * kept; k++) {
      const double *other = basis + k % kept * C->jets;
      double part = 0;
      for (int j = 0; j < C->jets; j++) part += row[j] * other[j];
      for (int j = 0; j < C->jets; j++) row[j] -= part * other[j];
    }
    for (int j = 0; j < C->jets; j++) after += row[j] * row[j];
    if (after <= SMALL * SMALL * before) *which = i;
    for (int j = 0; j < C->jets && after > 0; j++) row[j] /= sqrt(after);
    kept++;
  }
  ritti_rows_clear(&S);
  return RITT_OK;
}

/* Leaves out row i if it vanishes at generic points of the others, and of another one `instead` of
 * it, if there is one. Added one after the other, rows may each have been new, because those before
 * it had other points too, on which it does not vanish (norms of the directions of hinges, in a
 * loop that moves although counting says that it cannot). */
static ritt_status drop_if_dependent(ritti_general *G, int i, ritti_expr instead,
                                     ritti_origin origin, bool *dropped) {
  ritti_general less = *G;
  ritti_known known;
  ritti_expr e = G->f[i];
  bool reached, none;
  *dropped = false;
  if (G->count < 2 && instead == RITTI_NIL) return RITT_OK;
  RITTI_NEW(less.f, G->C->arena, G->room);
  RITTI_NEW(less.origin, G->C->arena, G->room);
  less.count = 0;
  for (int k = 0; k < G->count; k++)
    if (k != i) less.f[less.count] = G->f[k], less.origin[less.count++] = G->origin[k];
  if (instead != RITTI_NIL) less.f[less.count] = instead, less.origin[less.count++] = origin;
  RITT_TRY(ritti_points_init(&less));
  less.count--;
  RITT_TRY(ritti_points_onto(&less, less.f[less.count], &reached, &none));
  less.count++;
  if (!reached) return RITT_OK;
  RITT_TRY(ritti_points_evaluate(&less, &e, 1, &known));
  if (ritti_known_zero(&known) != RITTI_YES) return RITT_OK;
  *G = less;
  *dropped = true;
  return RITT_OK;
}

static ritt_status name_dependent(ritti_completion *C, ritti_origin origin) {
  const char *name = ritti_origin_text(C->arena, C->model, origin);
  if (!name) return RITT_NO_MEMORY;
  return ritti_add_name(C, &C->check->dependent_equations, &C->check->dependent_count, name);
}

/* Does the equation i hold some of the derivatives in equation k, and no others? */
static bool holds_less(const ritti_signature *sigma, int i, int k) {
  bool less = sigma->start[i + 1] - sigma->start[i] < sigma->start[k + 1] - sigma->start[k];
  for (int e = sigma->start[i]; e < sigma->start[i + 1]; e++) {
    int at = sigma->start[k];
    while (at < sigma->start[k + 1] && sigma->var[at] != sigma->var[e]) at++;
    if (at == sigma->start[k + 1] || sigma->order[at] < sigma->order[e]) return false;
    less = less || sigma->order[at] > sigma->order[e];
  }
  return less;
}

/* An equation says nothing new. Of two that say the same the one with fewer unknowns is kept: the
 * other may have a factor with zeros of its own, at which points would be found that the first one
 * does not have. */
static ritt_status leave_out(ritti_general *G, ritti_origin origin) {
  ritti_completion *C = G->C;
  for (int k = 0; k < G->count; k++) {
    ritti_origin other = G->origin[k];
    bool dropped = false;
    if (other.equation >= 0 && other.order == 0 &&
        holds_less(&C->sigma, origin.equation, other.equation))
      RITT_TRY(drop_if_dependent(G, k, C->residual[origin.equation], origin, &dropped));
    if (dropped) return name_dependent(C, other);
  }
  return name_dependent(C, origin);
}

static ritt_status add_equations(ritti_general *G) {
  ritti_completion *C = G->C;
  for (int i = 0; i < C->model->equations; i++) {
    outcome what;
    ritti_origin origin = {.equation = i, .invariant = -1};
    RITT_TRY(add_row(G, C->residual[i], origin, &what));
    if (what != ADDED) RITT_TRY(leave_out(G, origin));
  }
  for (bool dropped = true; dropped;) {
    int which;
    dropped = false;
    RITT_TRY(find_dependent(G, &which));
    /* it, or one of those before it: x^2 + y^2 = 1 and x = sin(a) leave y = cos(a) or y = -cos(a),
     * but the first of them follows from the other two */
    for (int i = which; i >= 0 && !dropped; i--) {
      ritti_origin origin = G->origin[i];
      if (is_position(G, i)) RITT_TRY(drop_if_dependent(G, i, RITTI_NIL, origin, &dropped));
      if (dropped) RITT_TRY(name_dependent(C, origin));
    }
  }
  return RITT_OK;
}

/* ---- prolongation ---- */

/* Row i of [A2 | b]: D_x f_i = b_i + sum_j A2_ij y_j^(q_j+1). */
static ritt_status fill_row(const ritti_general *G, ritti_expr f, ritti_expr *row) {
  ritti_completion *C = G->C;
  ritti_gradient g;
  for (int j = 0; j <= C->n; j++) row[j] = ritti_number(C->dag, 0, 1);
  RITT_TRY(ritti_dag_gradient(C->dag, f, &g));
  for (size_t e = 0; e < g.count; e++) {
    ritti_op op = ritti_op_of(C->dag, g.leaf[e]);
    ritti_expr term = RITTI_NIL;
    if (op == RITTI_INDEPENDENT) term = g.derivative[e];
    if (op == RITTI_JET) {
      int j = ritti_index_of(C->dag, g.leaf[e]), k = ritti_order_of(C->dag, g.leaf[e]);
      if (k == C->d[j]) row[j] = g.derivative[e];
      else term = ritti_multiply(C->dag, g.derivative[e], ritti_jet(C->dag, j, k + 1));
    }
    if (term != RITTI_NIL) row[C->n] = ritti_add(C->dag, row[C->n], term);
  }
  ritti_gradient_clear(&g);
  return ritti_dag_status(C->dag);
}

/* Where row i of an elimination comes from; `more`: times differentiated besides. */
static ritt_status row_origin(const ritti_general *G, const ritti_elimination *E, int i, int more,
                              ritti_origin *out) {
  ritti_completion *C = G->C;
  bool *used;
  int *source, count = 0, alone = 0;
  for (int r = 0; r < E->rows; r++) alone += E->source[i * E->rows + r];
  *out = G->origin[i];
  if (alone == 1 && G->origin[i].equation >= 0) {
    out->order += more;
    return RITT_OK;
  }
  RITTI_NEW(used, C->arena, C->model->equations + 1);
  RITTI_NEW(source, C->arena, C->model->equations + 1);
  for (int r = 0; r < E->rows; r++) {
    const ritti_origin *o = &G->origin[r];
    if (!E->source[i * E->rows + r]) continue;
    if (o->equation >= 0) used[o->equation] = true;
    for (int s = 0; s < o->sources; s++) used[o->source[s]] = true;
    if (o->order > out->order) out->order = o->order;
  }
  for (int e = 0; e < C->model->equations; e++)
    if (used[e]) source[count++] = e;
  *out = (ritti_origin){.equation = -1,
                        .invariant = -1,
                        .order = out->order + more,
                        .source = source,
                        .sources = count};
  return RITT_OK;
}

bool ritti_general_outgrown(const ritti_general *G) { return ritti_dag_count(G->C->dag) > G->most; }

/* Each row that is eliminated from others is some times as long as they are; nobody could solve a
 * system with rows that go on growing, and nobody should wait for it. */
static ritt_status refuse_outgrown(ritti_general *G) {
  int most = 0;
  for (int i = 0; i < G->count; i++) most = G->origin[i].order > most ? G->origin[i].order : most;
  return refuse(
      G, "undecided", RITT_UNDECIDED, &G->C->model->equation[0].place,
      "leave equations out that follow from the others, or write the equations with simpler terms",
      ritti_arena_format(G->C->arena,
                         "the completion was given up: after %d differentiations the conditions "
                         "that follow from the equations have grown to more than %zu operations",
                         most, G->most));
}

/* One pass: the conditions that D_x f = 0 leaves on the jets up to q. *grown: one was new. E: the
 * elimination. */
static ritt_status prolong(ritti_general *G, ritti_elimination *E, bool *grown) {
  ritti_completion *C = G->C;
  int n = C->n, rows = G->count;
  ritti_expr *entry;
  RITTI_NEW(entry, C->arena, (rows + 1) * (n + 1));
  for (int i = 0; i < rows && !ritti_general_outgrown(G); i++)
    RITT_TRY(fill_row(G, G->f[i], entry + i * (n + 1)));
  if (!ritti_general_outgrown(G)) RITT_TRY(ritti_eliminate(G, rows, n, entry, E));
  if (ritti_general_outgrown(G)) return refuse_outgrown(G);
  *grown = false;
  for (int i = 0; i < rows; i++) {
    ritti_origin origin;
    outcome what;
    ritti_expr phi = E->entry[i * (n + 1) + n];
    if (E->row_done[i] || ritti_known_zero(&E->known[i * (n + 1) + n]) == RITTI_YES) continue;
    RITT_TRY(row_origin(G, E, i, 1, &origin));
    RITT_TRY(add_row(G, phi, origin, &what));
    if (origin.order > C->prolongations) C->prolongations = origin.order;
    if (what == ADDED) *grown = true;
  }
  if (!*grown && E->unclear) return refuse_unclear(G, &G->origin[0], "an entry of the symbol");
  return RITT_OK;
}

/* ---- what is determined ---- */

/* Which variables the kernel of A2 touches: those whose tops the equations leave open. */
static ritt_status find_kernel(const ritti_general *G, const ritti_elimination *E, bool *touched) {
  int n = E->cols, width = n + 1;
  ritti_quad *v;
  RITTI_NEW(v, G->C->arena, n + 1);
  for (int c = 0; c < n; c++) {
    ritti_quad largest = 1;
    if (E->col_done[c]) continue;
    for (int j = 0; j < n; j++) v[j] = j == c;
    for (int t = E->rank - 1; t >= 0; t--) {
      const ritti_known *row = &E->known[E->pivot_row[t] * width];
      ritti_quad sum = 0;
      for (int j = 0; j < n; j++)
        if (j != E->pivot_col[t]) sum += row[j].value[0] * v[j];
      v[E->pivot_col[t]] = -sum / row[E->pivot_col[t]].value[0];
      if (fabsq(v[E->pivot_col[t]]) > largest) largest = fabsq(v[E->pivot_col[t]]);
    }
    for (int j = 0; j < n; j++) touched[j] = touched[j] || fabsq(v[j]) > 1e-15 * largest;
  }
  return RITT_OK;
}

/* Dimension of the projection of {rows = 0} to the jets below `above`, at the first point, without
 * x; -1: not clear. */
static ritt_status count_dimension(ritti_general *G, const ritti_expr *rows, int count,
                                   const int *above, int *dimension) {
  ritti_completion *C = G->C;
  ritti_rows_system S = {0};
  double *z, x = C->x;
  int *zero, size = 0, outside = 0, all = 0;
  RITTI_NEW(z, C->arena, C->jets + 1);
  RITTI_NEW(zero, C->arena, C->n + 1);
  for (int i = 0; i < C->jets; i++) z[i] = (double)G->point[0][i];
  for (int j = 0; j < C->n; j++) size += above[j] <= C->d[j] ? above[j] : C->d[j] + 1;
  RITT_TRY(ritti_rows_make(C, rows, count, &S));
  C->x = G->x[0];
  ritti_rows_evaluate(C, &S, z);
  C->x = x;
  ritt_status status = ritti_part_rank(C, &S, above, C->d, &outside);
  if (status == RITT_OK) status = ritti_part_rank(C, &S, zero, C->d, &all);
  ritti_rows_clear(&S);
  *dimension = outside >= 0 && all >= 0 ? size - (all - outside) : RITT_UNKNOWN;
  return status;
}

/* Degrees of freedom: in the space z of jets below each variable's own order, never differentiated
 * ones included, those that are not unique left out. */
static ritt_status count_freedom(ritti_general *G, const int *order) {
  ritti_completion *C = G->C;
  int *above, allowed;
  bool any = false;
  RITTI_NEW(above, C->arena, C->n + 1);
  for (int j = 0; j < C->n; j++) any = any || C->non_unique[j];
  for (int j = 0; j < C->n; j++) above[j] = any && order[j] == 0 ? 0 : order[j] > 1 ? order[j] : 1;
  RITT_TRY(count_dimension(G, G->f, G->count, above, &C->dof));
  RITT_TRY(count_dimension(G, C->residual, C->model->equations, above, &allowed));
  C->check->degrees_of_freedom = C->dof;
  if (C->dof >= 0 && allowed >= 0) C->check->hidden_constraints = allowed - C->dof;
  return RITT_OK;
}

static ritt_status refuse_underdetermined(ritti_general *G, const bool *touched) {
  ritti_completion *C = G->C;
  ritti_text text = {0};
  size_t count = 0, total = 0;
  for (int j = 0; j < C->n; j++) total += touched[j];
  for (int j = 0; j < C->n; j++) {
    if (!touched[j]) continue;
    const char *name = C->model->variable[j].name;
    ritt_status status =
        ritti_add_name(C, &C->check->undetermined_variables, &C->check->undetermined_count, name);
    if (status != RITT_OK) return ritti_text_free(&text), status;
    ritti_text_add(&text, "%s%s", count == 0 ? "" : count + 1 == total ? " and " : ", ", name);
    count++;
  }
  const char *reason =
      text.status != RITT_OK
          ? NULL
          : ritti_arena_format(C->arena, "the equations leave %s undetermined%s", text.at,
                               C->check->dependent_count ? " (some equations depend on the others)"
                                                         : "");
  ritti_text_free(&text);
  return refuse(G, "underdetermined", RITT_IMPOSSIBLE, &C->model->equation[0].place,
                "add equations that determine them", reason);
}

/* Variables that are differentiated, or that equations link to one that is: directly, or through
 * others. */
static void find_linked(const ritti_completion *C, const int *order, bool *linked) {
  const ritti_signature *sigma = &C->sigma;
  bool grown = true;
  for (int j = 0; j < C->n; j++) linked[j] = order[j] > 0;
  while (grown) {
    grown = false;
    for (int i = 0; i < C->model->equations; i++) {
      bool any = false;
      for (int e = sigma->start[i]; e < sigma->start[i + 1]; e++)
        any = any || linked[sigma->var[e]];
      for (int e = sigma->start[i]; any && e < sigma->start[i + 1]; e++) {
        grown = grown || !linked[sigma->var[e]];
        linked[sigma->var[e]] = true;
      }
    }
  }
}

/* Every variable that occurs differentiated must be determined; others may be non-unique where they
 * stand beside such ones, like multipliers. A part of the system without any derivative must
 * determine its functions. */
static ritt_status check_kernel(ritti_general *G, const ritti_elimination *E) {
  ritti_completion *C = G->C;
  bool *touched, *linked, refused = false;
  int *order;
  RITTI_NEW(touched, C->arena, C->n + 1);
  RITTI_NEW(linked, C->arena, C->n + 1);
  RITTI_NEW(order, C->arena, C->n + 1);
  for (int e = 0; e < C->sigma.start[C->model->equations]; e++)
    if (C->sigma.order[e] > order[C->sigma.var[e]]) order[C->sigma.var[e]] = C->sigma.order[e];
  RITT_TRY(find_kernel(G, E, touched));
  find_linked(C, order, linked);
  for (int j = 0; j < C->n; j++) refused = refused || (touched[j] && (order[j] > 0 || !linked[j]));
  for (int j = 0; j < C->n && !refused; j++)
    if (touched[j]) {
      C->non_unique[j] = true;
      RITT_TRY(ritti_add_name(C, &C->check->non_unique, &C->check->non_unique_count,
                              C->model->variable[j].name));
    }
  RITT_TRY(count_freedom(G, order));
  return refused ? refuse_underdetermined(G, touched) : RITT_OK;
}

/* ---- the rows that the reduction gets ---- */

static ritt_status new_rows(ritti_completion *C, int rows) {
  RITTI_NEW(C->row, C->arena, rows + 1);
  RITTI_NEW(C->origin, C->arena, rows + 1);
  RITTI_NEW(C->top_row, C->arena, C->n + 1);
  RITTI_NEW(C->top_origin, C->arena, C->n + 1);
  C->rows = C->top_rows = 0;
  return RITT_OK;
}

/* f is linear in the tops: pivot rows give them, the others with the tops eliminated define M
 * below. */
static ritt_status drop_tops(ritti_general *G) {
  ritti_completion *C = G->C;
  int n = C->n, rows = G->count;
  ritti_expr *entry, *top, *zero, *rest;
  ritti_elimination E;
  RITTI_NEW(entry, C->arena, (rows + 1) * (n + 1));
  RITTI_NEW(top, C->arena, n + 1);
  RITTI_NEW(zero, C->arena, n + 1);
  RITTI_NEW(rest, C->arena, rows + 1);
  for (int j = 0; j < n; j++)
    top[j] = ritti_jet(C->dag, j, C->d[j]), zero[j] = ritti_number(C->dag, 0, 1);
  memcpy(rest, G->f, (size_t)rows * sizeof *rest);
  RITT_TRY(ritti_dag_substitute(C->dag, top, zero, (size_t)n, rest, (size_t)rows));
  for (int i = 0; i < rows; i++) {
    RITT_TRY(fill_row(G, G->f[i], entry + i * (n + 1)));
    entry[i * (n + 1) + n] = rest[i];
  }
  RITT_TRY(ritti_eliminate(G, rows, n, entry, &E));
  RITT_TRY(new_rows(C, rows));
  for (int i = 0; i < rows; i++) {
    if (E.row_done[i]) {
      C->top_row[C->top_rows] = G->f[i];
      C->top_origin[C->top_rows++] = G->origin[i];
      continue;
    }
    RITT_TRY(row_origin(G, &E, i, 0, &C->origin[C->rows]));
    C->row[C->rows++] = E.entry[i * (n + 1) + n];
  }
  return RITT_OK;
}

/* f keeps the tops as coordinates; the pivot rows of D_x f give the next jets. */
static ritt_status raise_tops(ritti_general *G, const ritti_elimination *E) {
  ritti_completion *C = G->C;
  RITT_TRY(new_rows(C, G->count));
  for (int i = 0; i < G->count; i++) {
    C->row[C->rows] = G->f[i];
    C->origin[C->rows++] = G->origin[i];
    if (i >= E->rows || !E->row_done[i]) continue;
    C->top_row[C->top_rows] = ritti_dag_total(C->dag, G->f[i]);
    C->top_origin[C->top_rows] = G->origin[i];
    C->top_origin[C->top_rows++].order++;
  }
  C->raised = true;
  C->own_line = C->top_rows == C->n;
  for (int j = 0; j < C->n; j++) C->d[j]++;
  return ritti_dag_status(C->dag);
}

static ritt_status complete_at(ritti_general *G, ritti_elimination *E, bool uniform) {
  bool grown = true;
  RITT_TRY(set_up(G, uniform));
  RITT_TRY(add_equations(G));
  while (grown) RITT_TRY(prolong(G, E, &grown));
  return check_kernel(G, E);
}

/* Points that were found on another branch of solutions than the start's may contradict each other
 * though the start does not: then all is decided once more at points nearer to it. What is said
 * there counts if it is a verdict. */
static ritt_status complete(ritti_general *G, ritti_elimination *E, bool uniform) {
  static const double NEARER = 1e-4;
  ritti_completion *C = G->C;
  ritt_check before = *C->check, first;
  ritt_error *listener = C->error, *own[2] = {ritt_error_new(), ritt_error_new()};
  ritt_status status = own[0] && own[1] ? RITT_OK : RITT_NO_MEMORY;
  int last = 0;
  C->error = own[0];
  if (status == RITT_OK) status = complete_at(G, E, uniform);
  if (status == RITT_IMPOSSIBLE && !strcmp(C->check->verdict, "inconsistent")) {
    first = *C->check;
    *C->check = before;
    *G = (ritti_general){.C = C, .nearer = NEARER, .most = G->most};
    C->error = own[1];
    memset(C->d, 0, (size_t)C->n * sizeof *C->d);
    memset(C->non_unique, 0, (size_t)C->n * sizeof *C->non_unique);
    C->pivots = C->prolongations = 0;
    ritt_status again = complete_at(G, E, uniform);
    if (again != RITT_UNDECIDED) status = again, last = 1;
    else *C->check = first;
  }
  C->error = listener;
  if (status != RITT_OK && status != RITT_NO_MEMORY) ritti_error_move(listener, own[last]);
  ritt_error_free(own[0]);
  ritt_error_free(own[1]);
  return status;
}

ritt_status ritti_complete_general(ritti_completion *C) {
  ritti_general G = {.C = C, .nearer = 1};
  ritti_elimination E;
  bool linear = true;
  RITT_TRY(complete(&G, &E, false));
  ritti_marks_restart(C);
  for (int i = 0; i < G.count && linear; i++) RITT_TRY(ritti_linear_in_tops(C, G.f[i], &linear));
  if (linear && !(C->general && E.rank == C->n)) RITT_TRY(drop_tops(&G));
  else RITT_TRY(raise_tops(&G, &E));
  return lay_out_jets(C);
}

ritt_status ritti_complete_classical(ritti_completion *C) {
  ritti_general G = {.C = C, .nearer = 1};
  ritti_elimination E;
  RITT_TRY(complete(&G, &E, true));
  C->row = G.f;
  C->origin = G.origin;
  C->rows = G.count;
  return RITT_OK;
}
