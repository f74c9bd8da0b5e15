/* Derivatives of a Reduced by parameters, for the derivatives of its solutions (step/tangent.h).
 *
 * In: the quantities p of the model, each with the rates of all parameters; a start value has rates 0.
 * Out: tapes of the derivatives by p of the rows of M and of the rows for the highest derivatives, and
 * of the outputs by coordinates, highest derivatives and p.
 */
#include "tape/eval_impl.h"

/* A matrix of expressions while it is made, row by row. */
typedef struct matrix {
  ritti_evaluator *e;
  ritti_arena *arena;
  ritti_derivatives entries;
  int *start, rows;
} matrix;

/* Adds the derivatives of an expression by the quantities p as columns `first`, `first` + 1, ... */
static ritt_status add_columns(matrix *m, ritti_expr e, int first) {
  const ritti_model *model = m->e->reduced->model;
  ritti_dag *dag = model->dag;
  ritti_gradient g;
  ritti_expr *terms;
  ritt_status status = RITT_OK;
  RITT_TRY(ritti_dag_gradient_of(dag, e, 1u << RITTI_PARAMETER, &g));
  terms = ritti_malloc((g.count + 1) * sizeof *terms);
  if (!terms) status = RITT_NO_MEMORY;
  for (int p = 0; p < model->by_count && status == RITT_OK; p++) {
    size_t count = 0;
    for (size_t i = 0; i < g.count; i++) {
      double rate = model->by[p].rate[ritti_index_of(dag, g.leaf[i])];
      if (rate == 0) continue;
      terms[count++] = ritti_multiply(dag, g.derivative[i], ritti_binary_number(dag, rate));
    }
    if (count == 0) continue;
    status = RITTI_PUSH(m->entries.entry, ritti_sum(dag, terms, count));
    if (status == RITT_OK) status = RITTI_PUSH(m->entries.col, first + p);
  }
  ritti_free(terms);
  ritti_gradient_clear(&g);
  return status;
}

/* Adds a row: derivatives by the coordinates and tops with numbers up to `last`, if it is >= 0, then
 * by the quantities p. */
static ritt_status add_row(matrix *m, ritti_expr e, int last) {
  if (last >= 0) RITT_TRY(ritti_derivative_row(&m->e->sided, m->e->layout, e, last, &m->entries));
  RITT_TRY(add_columns(m, e, last + 1));
  m->start[++m->rows] = (int)m->entries.col.count;
  return RITT_OK;
}

/* Records the tape of the matrix and empties it. */
static ritt_status finish_matrix(matrix *m, int columns, ritti_pattern *pattern, ritti_tape *tape) {
  int *col;
  size_t count = m->entries.col.count;
  RITTI_NEW(col, m->arena, count + 1);
  if (count) memcpy(col, m->entries.col.at, count * sizeof *col);
  *pattern = (ritti_pattern){m->rows, columns, m->start, col};
  RITT_TRY(ritti_tape_record(m->e->layout, m->arena, m->entries.entry.at, count, tape));
  m->entries.entry.count = m->entries.col.count = 0;
  return RITT_OK;
}

static ritt_status begin_matrix(matrix *m, int rows) {
  m->rows = 0;
  RITTI_NEW(m->start, m->arena, rows + 1);
  return RITT_OK;
}

static ritt_status eval_system_dp(const void *data, ritt_real *work, const ritt_real *z,
                                  const ritt_real *top, ritt_real *out) {
  const ritti_evaluator *e = data;
  return ritti_run_at_tops(e, &e->system_dp, work, z, top, out);
}

static ritt_status eval_f_dp(const void *data, ritt_real *work, const ritt_real *z,
                             ritt_real *out) {
  const ritti_evaluator *e = data;
  return ritti_run_at_tops(e, &e->f_dp, work, z, NULL, out);
}

static ritt_status eval_output_d(const void *data, ritt_real *work, const ritt_real *z,
                                 const ritt_real *top, ritt_real *out) {
  const ritti_evaluator *e = data;
  return ritti_run_at_tops(e, &e->output_d, work, z, top, out);
}

static ritt_status fill_matrices(matrix *m, const ritti_expr *output, ritti_problem *p) {
  ritti_evaluator *e = m->e;
  const ritti_reduced *r = &e->sided;
  int by = r->model->by_count, tops = r->kind == RITT_EXPLICIT ? r->tops : r->top_rows;
  ritti_expr *terms;
  RITTI_NEW(terms, m->arena, r->tops + 1);

  RITT_TRY(begin_matrix(m, tops));
  for (int i = 0; i < tops; i++) RITT_TRY(add_row(m, ritti_system_row(r, i, terms), -1));
  RITT_TRY(finish_matrix(m, by, &p->dr_p, &e->system_dp));

  RITT_TRY(begin_matrix(m, r->k));
  for (int i = 0; i < r->k; i++) RITT_TRY(add_row(m, r->f[i], -1));
  RITT_TRY(finish_matrix(m, by, &p->df_p, &e->f_dp));

  RITT_TRY(begin_matrix(m, (int)e->output_count));
  for (size_t i = 0; i < e->output_count; i++) RITT_TRY(add_row(m, output[i], r->m + r->tops - 1));
  RITT_TRY(finish_matrix(m, r->m + r->tops + by, &p->doutput, &e->output_d));

  p->by = by;
  p->call.system_dp = eval_system_dp, p->call.f_dp = eval_f_dp;
  p->call.output_d = eval_output_d;
  return RITT_OK;
}

ritt_status ritti_by_make(ritti_evaluator *e, const ritti_expr *output, ritti_arena *arena,
                          ritti_problem *p) {
  matrix m = {.e = e, .arena = arena};
  ritt_status status = fill_matrices(&m, output, p);
  RITTI_ARRAY_FREE(m.entries.entry);
  RITTI_ARRAY_FREE(m.entries.col);
  return status;
}
