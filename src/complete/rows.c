/* Rows with their Jacobian: the numeric view of some equations in the space of all jets up to the
 * tops. */
#include "complete/complete_impl.h"

/* Fractional parts of multiples of irrational numbers. */
double ritti_quasi_random(int i, int number) {
  double x = (i + 1) * 0.6180339887498949 + number * 0.7548776662466927;
  return (x - floor(x)) * 2 - 1;
}

double ritti_shift(const ritti_completion *C, int variable, int order, int number) {
  int i = C->first[variable] + order;
  double size = fmax(fabs(C->point[i]), ritti_jet_size(C, variable, order));
  return number == 0 ? size : size * ritti_quasi_random(i, number);
}

int ritti_jet_number(const ritti_completion *C, int variable, int order) {
  return order <= C->d[variable] ? C->first[variable] + order : -1;
}

static double jet_value(const void *context, int variable, int order) {
  const ritti_at *at = context;
  int i = ritti_jet_number(at->C, variable, order);
  return i < 0 ? NAN : at->point[i];
}

ritti_values ritti_values_at(const ritti_at *at) {
  return (ritti_values){.independent = at->C->x,
                        .jet = jet_value,
                        .context = at,
                        .parameter = at->C->parameter,
                        .level = at->C->level};
}

/* The gradient of one row in the jets, appended to the roots and columns. */
static ritt_status add_gradient(ritti_completion *C, ritti_expr row, ritti_rows_system *S,
                                int *entries, int room) {
  ritti_gradient gradient;
  RITT_TRY(ritti_dag_gradient(C->dag, row, &gradient));
  for (size_t g = 0; g < gradient.count && *entries < room; g++) {
    if (ritti_op_of(C->dag, gradient.leaf[g]) != RITTI_JET) continue;
    int jet = ritti_jet_number(C, ritti_index_of(C->dag, gradient.leaf[g]),
                               ritti_order_of(C->dag, gradient.leaf[g]));
    if (jet < 0) continue;
    S->col[*entries] = jet;
    S->root[S->rows + *entries] = gradient.derivative[g];
    ++*entries;
  }
  ritti_gradient_clear(&gradient);
  return RITT_OK;
}

/* Upper limit of the number of entries. */
static ritt_status count_entries(ritti_completion *C, const ritti_expr *rows, int count,
                                 int *entries) {
  *entries = 0;
  for (int i = 0; i < count; i++) {
    ritti_gradient gradient;
    RITT_TRY(ritti_dag_gradient(C->dag, rows[i], &gradient));
    *entries += (int)gradient.count;
    ritti_gradient_clear(&gradient);
  }
  return RITT_OK;
}

/* ---- systems that were made before ---- */

struct ritti_memo {
  struct ritti_memo *next;
  int count, jets;
  ritti_rows_system system;
  ritti_plan *rows_plan; /* roots: rows; NULL: not made yet */
};
typedef struct ritti_memo ritti_memo;

static const ritti_memo *find_memo(const ritti_completion *C, const ritti_expr *rows, int count) {
  for (const ritti_memo *m = C->memo; m; m = m->next)
    if (m->count == count && m->jets == C->jets &&
        !memcmp(m->system.root, rows, (size_t)count * sizeof *rows))
      return m;
  return NULL;
}

void ritti_rows_forget(ritti_completion *C, ritti_memo *before) {
  for (; C->memo != before; C->memo = C->memo->next) {
    ritti_plan_free(C->memo->system.plan);
    ritti_plan_free(C->memo->rows_plan);
  }
}

static ritt_status make_rows(ritti_completion *C, const ritti_expr *rows, int count,
                             ritti_rows_system *S) {
  int room, entries = 0;
  ritti_memo *memo;
  RITT_TRY(count_entries(C, rows, count, &room));
  *S = (ritti_rows_system){.rows = count, .cols = C->jets};
  RITTI_NEW(S->start, C->arena, count + 1);
  RITTI_NEW(S->col, C->arena, room + 1);
  RITTI_NEW(S->root, C->arena, count + room + 1);
  for (int i = 0; i < count; i++) {
    S->root[i] = rows[i];
    RITT_TRY(add_gradient(C, rows[i], S, &entries, room));
    S->start[i + 1] = entries;
  }
  RITT_TRY(ritti_dag_status(C->dag));
  RITTI_NEW(memo, C->arena, 1);
  RITT_TRY(ritti_plan_new(C->dag, S->root, (size_t)(count + entries), &S->plan));
  S->memo = memo;
  memo->next = C->memo;
  memo->count = count;
  memo->jets = C->jets;
  memo->system = *S;
  C->memo = memo;
  return RITT_OK;
}

/* Known ones are made again: the completion may be that of other numbers. */
static ritt_status set_sizes(ritti_completion *C, ritti_rows_system *S) {
  double *size;
  S->size = NULL;
  if (!C->log_size) return RITT_OK;
  RITTI_NEW(size, C->arena, C->jets + 1);
  for (int j = 0; j < C->n; j++)
    for (int k = 0; k <= C->d[j]; k++) size[C->first[j] + k] = ritti_jet_size(C, j, k);
  S->size = size;
  return RITT_OK;
}

ritt_status ritti_rows_make(ritti_completion *C, const ritti_expr *rows, int count,
                            ritti_rows_system *S) {
  const ritti_memo *known = find_memo(C, rows, count);
  if (known) *S = known->system;
  else RITT_TRY(make_rows(C, rows, count, S));
  RITTI_NEW(S->value, C->arena, count + S->start[count] + 1);
  return set_sizes(C, S);
}

void ritti_completion_clear(ritti_completion *C) {
  ritti_rows_forget(C, NULL);
  ritti_free(C->marks.of);
  C->marks.of = NULL;
}

bool ritti_rows_finite(const ritti_rows_system *S, int first, int count) {
  const double *entry = S->value + S->rows;
  for (int i = first; i < first + count; i++)
    if (!(fabs(S->value[i]) < INFINITY)) return false;
  for (int e = S->start[first]; e < S->start[first + count]; e++)
    if (!(fabs(entry[e]) < INFINITY)) return false;
  return true;
}

/* Has every row a value, and some row no slope? */
static bool has_vertical_tangent(const ritti_rows_system *S) {
  for (int i = 0; i < S->rows; i++)
    if (!(fabs(S->value[i]) < INFINITY)) return false;
  return !ritti_rows_finite(S, 0, S->rows);
}

/* Where a row has a value and a vertical tangent, as sqrt(h) at h = 0, takes the slope at a point
 * beside it: a large number, which is all that Newton's method and decisions about ranks need. */
static void take_slopes_beside(const ritti_completion *C, ritti_rows_system *S,
                               const double *point) {
  enum { DIRECTIONS = 32 };
  static const double FAR = 1e-8;
  int entries = S->start[S->rows];
  double *beside = ritti_malloc((size_t)(S->rows + entries + C->jets + 1) * sizeof *beside);
  if (!beside) return;
  double *moved = beside + S->rows + entries, *entry = S->value + S->rows;
  ritti_at at = {C, moved};
  ritti_values values = ritti_values_at(&at);

  for (int number = 0; number < DIRECTIONS && !ritti_rows_finite(S, 0, S->rows); number++) {
    for (int j = 0; j < C->n; j++)
      for (int k = 0; k <= C->d[j]; k++) {
        int i = C->first[j] + k;
        double part = number == 0 ? 1 : ritti_quasi_random(number * (i + 1), 3 * i);
        moved[i] = point[i] + FAR * part * ritti_shift(C, j, k, 0);
      }
    ritti_plan_evaluate(S->plan, &values, beside);
    for (int e = 0; e < entries; e++)
      if (!(fabs(entry[e]) < INFINITY)) entry[e] = beside[S->rows + e];
  }
  ritti_free(beside);
}

bool ritti_rows_evaluate_here(const ritti_completion *C, ritti_rows_system *S,
                              const double *point) {
  ritti_at at = {C, point};
  ritti_values values = ritti_values_at(&at);
  ritti_plan_evaluate(S->plan, &values, S->value);
  return ritti_rows_finite(S, 0, S->rows);
}

bool ritti_rows_evaluate(const ritti_completion *C, ritti_rows_system *S, const double *point) {
  if (ritti_rows_evaluate_here(C, S, point)) return true;
  if (has_vertical_tangent(S)) take_slopes_beside(C, S, point);
  return ritti_rows_finite(S, 0, S->rows);
}

void ritti_rows_evaluate_alone(const ritti_completion *C, ritti_rows_system *S,
                               const double *point) {
  ritti_at at = {C, point};
  ritti_values values = ritti_values_at(&at);
  ritti_memo *memo = S->memo;
  bool made = memo->rows_plan ||
              ritti_plan_new(C->dag, S->root, (size_t)S->rows, &memo->rows_plan) == RITT_OK;
  ritti_plan_evaluate(made ? memo->rows_plan : S->plan, &values, S->value);
}
