/* Invariants of the user are checked, not trusted.
 *
 * In: invariants I. Each must satisfy D_x I = 0 on the manifold of the equations; that is decided
 * at several generic points of it, with three answers: yes, no, could not decide. Those whose
 * gradients depend on the other rows at the start point are dropped and named.
 */
#include "complete/complete_impl.h"
#include "linalg/sparse.h"

enum { POINTS = 4 };
enum { LARGE = 100000 }; /* entries of the Jacobian from which on it is kept sparse */
/* relative to the size of the terms of D_x I */
static const double SURELY_ZERO = 1e-9, SURELY_NOT = 1e-6;
/* a derivative that the equations make 0 is left with that much of the point's size by Newton's
 * method */
static const double NEWTON_DUST = 1e-24;

/* D_x I at a point and the sum of the absolute values of its terms */
static ritt_status derivative_at(ritti_completion *C, ritti_expr invariant, const double *point,
                                 double *value, double *size) {
  ritti_gradient g;
  ritti_at at = {C, point};
  ritti_values values = ritti_values_at(&at);
  ritt_status status = ritti_dag_gradient(C->dag, invariant, &g);
  double largest = 1;
  for (int i = 0; i < C->jets; i++) largest = fmax(largest, fabs(point[i]));
  *value = *size = 0;
  for (size_t i = 0; status == RITT_OK && i < g.count; i++) {
    double slope, speed = 0;
    ritti_op op = ritti_op_of(C->dag, g.leaf[i]);
    if (op == RITTI_INDEPENDENT) speed = 1;
    if (op == RITTI_JET)
      speed =
          values.jet(&at, ritti_index_of(C->dag, g.leaf[i]), ritti_order_of(C->dag, g.leaf[i]) + 1);
    if (fabs(speed) <= NEWTON_DUST * largest) continue;
    status = ritti_dag_evaluate(C->dag, g.derivative[i], &values, &slope);
    *value += slope * speed;
    *size += fabs(slope * speed);
  }
  ritti_gradient_clear(&g);
  return status;
}

/* What mechanics knows of a quantity; NULL: nothing. */
static const ritti_conserved_def *find_conserved(const ritti_model *model, ritti_expr e) {
  for (int i = 0; i < model->conserveds; i++)
    if (model->conserved[i].expr == e) return &model->conserved[i];
  return NULL;
}

static ritt_status say_false(ritti_completion *C, const ritti_invariant_def *def,
                             const double *point, double value) {
  ritti_text where = {0};
  const ritti_conserved_def *known = find_conserved(C->model, def->expr);
  for (int j = 0; j < C->n && j < 4; j++)
    for (int k = 0; k < C->d[j] && k < 2; k++)
      ritti_text_add(&where, ", %s = %.4g", ritti_show_jet(C, j, k), point[C->first[j] + k]);
  C->check->verdict = "inconsistent";
  ritt_status status = ritti_fail(
      C->error, RITT_IMPOSSIBLE, &def->place,
      "leave it out, or write 'invariant projected ...' to force it, which solves another system to order 1",
      "%s is not an invariant of these equations: its derivative is %.6g at %s = %.6g%s%s%s",
      def->name ? def->name : ritti_show(C, def->expr), value, C->model->independent, C->x,
      where.at ? where.at : "", known && known->reason ? "; " : "",
      known && known->reason ? known->reason : "");
  ritti_text_free(&where);
  return status;
}

static ritt_status check_one(ritti_completion *C, ritti_rows_system *equations,
                             const ritti_invariant_def *def) {
  double *point, worst = 0, value, size;
  bool reached;
  int points = 0;
  RITTI_NEW(point, C->arena, C->jets + 1);
  for (int number = 1; number <= POINTS; number++) {
    RITT_TRY(ritti_generic_point(C, equations, number, point, &reached));
    if (!reached) continue;
    RITT_TRY(derivative_at(C, def->expr, point, &value, &size));
    if (!(fabs(value) < INFINITY)) continue;
    points++;
    double relative = size > 0 ? fabs(value) / size : 0;
    if (relative > SURELY_NOT) return say_false(C, def, point, value);
    worst = fmax(worst, relative);
  }
  if (points >= 2 && worst <= SURELY_ZERO) return RITT_OK;
  C->check->verdict = "undecided";
  return ritti_fail(
      C->error, RITT_UNDECIDED, &def->place, "leave it out, or write 'invariant projected ...'",
      "whether %s is an invariant could not be decided: its derivative is %.1e of its terms at %d points",
      def->name ? def->name : ritti_show(C, def->expr), worst, points);
}

/* ---- independence at the start point ---- */

/* Orthonormal basis of the rows kept so far, in the coordinates below the tops; where that would be
 * large the rows of the equations stay as they are. */
typedef struct basis {
  int count, size;
  double *vector;
  ritti_pattern pattern; /* of those rows; no start: none */
  double *entry, *image, *part;
  ritti_least rows;
} basis;

/* v -= its part in the span of the rows that stayed as they are */
static void take_out_rows(basis *B, double *v) {
  ritti_csr_times(&B->pattern, B->entry, v, B->image);
  ritti_least_solve(&B->rows, B->entry, B->image, 1e-11, B->part);
  for (int i = 0; i < B->size; i++) v[i] -= B->part[i];
}

/* Adds a row (scaled to length 1) unless it depends on the basis; tells whether it was added. */
static bool add_row(basis *B, double *row) {
  double length = ritti_norm(B->size, row);
  if (!(length > 0)) return false;
  for (int i = 0; i < B->size; i++) row[i] /= length;
  for (int twice = 0; twice < 2; twice++) {
    if (B->pattern.start) take_out_rows(B, row);
    for (int v = 0; v < B->count; v++) {
      double dot = ritti_dot(B->size, row, B->vector + v * B->size);
      for (int i = 0; i < B->size; i++) row[i] -= dot * B->vector[v * B->size + i];
    }
  }
  length = ritti_norm(B->size, row);
  if (!(length > 1e-8)) return false;
  for (int i = 0; i < B->size; i++) B->vector[B->count * B->size + i] = row[i] / length;
  B->count++;
  return true;
}

/* The row i of the system as a dense vector over all jets below the tops (the tops are no
 * coordinates of M).
 */
static void fill_row(const ritti_completion *C, const ritti_rows_system *S, int i, double *row) {
  memset(row, 0, (size_t)C->jets * sizeof *row);
  for (int e = S->start[i]; e < S->start[i + 1]; e++) row[S->col[e]] = S->value[S->rows + e];
  for (int j = 0; j < C->n; j++) row[C->first[j] + C->d[j]] = 0;
}

static const char *name_invariant(ritti_completion *C, int i) {
  return ritti_origin_text(C->arena, C->model, (ritti_origin){.equation = -1, .invariant = i});
}

static ritt_status drop_dependent(ritti_completion *C, basis *B, double *row) {
  ritti_rows_system S = {0};
  int count = C->model->invariants;
  RITT_TRY(ritti_rows_make(C, C->given, count, &S));
  ritt_status status = RITT_OK;
  bool finite = ritti_rows_evaluate(C, &S, C->point);
  for (int i = 0; i < count && status == RITT_OK; i++) {
    fill_row(C, &S, i, row);
    if (finite && add_row(B, row)) {
      if (C->model->invariant[i].value != RITTI_NIL) C->check->degrees_of_freedom--;
      continue;
    }
    C->given[i] = RITTI_NIL;
    const char *name = name_invariant(C, i);
    status =
        name ? ritti_add_name(C, &C->check->dependent_equations, &C->check->dependent_count, name)
             : RITT_NO_MEMORY;
  }
  return status;
}

/* The rows of M that come from the equations, orthogonalised one after the other. */
static ritt_status add_rows(ritti_completion *C, const ritti_rows_system *equations, basis *B,
                            double *row) {
  RITTI_NEW(B->vector, C->arena, (size_t)(C->rows + C->model->invariants + 1) * (size_t)C->jets);
  for (int i = 0; i < C->rows; i++) {
    fill_row(C, equations, i, row);
    add_row(B, row);
  }
  return RITT_OK;
}

/* The same rows, each of length 1, kept sparse. They hold no tops. */
static ritt_status keep_rows(ritti_completion *C, const ritti_rows_system *S, basis *B) {
  int count = S->start[C->rows];
  RITTI_NEW(B->vector, C->arena, (size_t)(C->model->invariants + 1) * (size_t)C->jets);
  RITTI_NEW(B->entry, C->arena, count + 1);
  RITTI_NEW(B->image, C->arena, C->rows + 1);
  RITTI_NEW(B->part, C->arena, C->jets + 1);
  B->pattern = (ritti_pattern){.rows = C->rows, .cols = C->jets, .start = S->start, .col = S->col};
  for (int i = 0; i < C->rows; i++) {
    int first = S->start[i], length = S->start[i + 1] - first;
    double norm = ritti_norm(length, S->value + S->rows + first);
    for (int e = first; e < first + length; e++)
      B->entry[e] = norm > 0 ? S->value[S->rows + e] / norm : 0;
  }
  return ritti_least_init(&B->rows, &B->pattern, C->arena);
}

/* The rows of M that come from the equations, then the invariants that are independent of them. */
static ritt_status choose_independent(ritti_completion *C, ritti_rows_system *equations) {
  basis B = {.size = C->jets};
  double *row;
  RITTI_NEW(row, C->arena, C->jets + 1);
  ritti_rows_evaluate(C, equations, C->point);
  bool large = (double)C->rows * C->jets > LARGE;
  RITT_TRY(large ? keep_rows(C, equations, &B) : add_rows(C, equations, &B, row));
  return drop_dependent(C, &B, row);
}

/* ---- what mechanics offers ---- */

static bool is_used(const ritti_model *model, ritti_expr e) {
  for (int i = 0; i < model->invariants; i++)
    if (model->invariant[i].expr == e) return true;
  return false;
}

static bool has_jumps(const ritti_model *model) {
  for (int i = 0; i < model->events; i++)
    if (model->event[i].jumps > 0) return true;
  return false;
}

ritt_status ritti_offer_invariants(ritti_completion *C) {
  enum { SHOWN = 4 };
  const ritti_model *model = C->model;
  const char *when = has_jumps(model) ? " between jumps" : "";
  int offered = 0;
  /* steps over the vibrations of a strong potential are not projected */
  bool over_vibrations = model->strong_potential != RITTI_NIL && !model->vibrations;
  for (int i = 0; i < model->conserveds; i++) {
    const ritti_conserved_def *def = &model->conserved[i];
    if (is_used(model, def->expr) || (!def->reason && offered++ == SHOWN)) continue;
    if (offered > SHOWN) break;
    const char *note =
        def->reason
            ? ritti_arena_format(C->arena, "%s is not conserved: %s", def->name, def->reason)
        : def->taken
            ? ritti_arena_format(
                  C->arena,
                  "%s is conserved%s; to keep it, give what the model calls '%s' another name",
                  def->name, when, def->taken)
        : over_vibrations
            ? ritti_arena_format(C->arena, "%s is conserved%s", def->name, when)
            : ritti_arena_format(C->arena, "%s is conserved%s; 'invariant %s' keeps it", def->name,
                                 when, def->name);
    if (!note) return RITT_NO_MEMORY;
    RITT_TRY(ritti_add_note(C, note));
  }
  return RITT_OK;
}

ritt_status ritti_check_invariants(ritti_completion *C) {
  ritti_rows_system equations = {0};
  const ritti_model *model = C->model;
  if (model->invariants == 0) return RITT_OK;
  ritt_status status = ritti_all_rows(C, false, &equations);
  for (int i = 0; status == RITT_OK && i < model->invariants; i++) {
    if (!model->invariant[i].projected) status = check_one(C, &equations, &model->invariant[i]);
    else
      status = ritti_add_note(
          C,
          "a quantity is projected that the equations do not conserve: this solves another system, to order 1");
  }
  if (status == RITT_OK) status = choose_independent(C, &equations);
  return status;
}
