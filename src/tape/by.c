/* Derivatives of a Reduced by parameters, for the derivatives of its solutions (step/tangent.h).
 *
 * In: the quantities p of the model, each with the rates of all parameters; a start value has rates 0.
 * Out: tapes of the derivatives by the coordinates and p of the rows of M and of the rows for the highest
 * derivatives, and of the outputs by coordinates, highest derivatives and p.
 */
#include "tape/eval_impl.h"

/* A matrix of expressions while it is made, row by row. */
typedef struct matrix {
  ritti_evaluator *e;
  ritti_arena *arena;
  ritti_derivatives entries;
  int *start, rows, first; /* of the matrix that is being made; its first entry in the list */
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
  /* the chain rule over the parameters that depend on quantity p */
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

/* Adds the derivatives of an expression by the coordinates and tops with numbers 1 .. last. */
static ritt_status add_coordinates(matrix *m, ritti_expr e, int last) {
  ritti_derivatives *all = &m->entries;
  size_t kept = all->col.count;
  RITT_TRY(ritti_derivative_row(&m->e->sided, m->e->layout, e, last, all));
  for (size_t i = kept; i < all->col.count; i++) {
    if (all->col.at[i] == 0) continue;
    all->col.at[kept] = all->col.at[i];
    all->entry.at[kept++] = all->entry.at[i];
  }
  all->col.count = all->entry.count = kept;
  return RITT_OK;
}

/* Starts a matrix of `rows` rows behind the entries that are already there. */
static ritt_status begin_matrix(matrix *m, int rows) {
  m->rows = 0;
  m->first = (int)m->entries.col.count;
  RITTI_NEW(m->start, m->arena, rows + 1);
  return RITT_OK;
}

static void end_row(matrix *m) { m->start[++m->rows] = (int)m->entries.col.count - m->first; }

/* Gives the pattern of the matrix; its entries stay in the list. */
static ritt_status end_matrix(matrix *m, int columns, ritti_pattern *pattern) {
  size_t count = m->entries.col.count - (size_t)m->first;
  int *col;
  RITTI_NEW(col, m->arena, count + 1);
  if (count) memcpy(col, m->entries.col.at + m->first, count * sizeof *col);
  *pattern = (ritti_pattern){m->rows, columns, m->start, col};
  return RITT_OK;
}

/* Records the tape of all matrices in the list and empties it. */
static ritt_status record_entries(matrix *m, ritti_tape *tape) {
  RITT_TRY(
      ritti_tape_record(m->e->layout, m->arena, m->entries.entry.at, m->entries.entry.count, tape));
  m->entries.entry.count = m->entries.col.count = 0;
  return RITT_OK;
}

/* The derivatives of some rows by coordinates and by p: two matrices, one tape. */
static ritt_status make_rows(matrix *m, const ritti_expr *row, int rows, ritti_pattern *by_z,
                             ritti_pattern *by_p, ritti_tape *tape) {
  const ritti_reduced *r = &m->e->sided;
  /* by the coordinates */
  RITT_TRY(begin_matrix(m, rows));
  for (int i = 0; i < rows; i++) {
    RITT_TRY(add_coordinates(m, row[i], r->m - 1));
    end_row(m);
  }
  RITT_TRY(end_matrix(m, r->m, by_z));
  /* by p */
  RITT_TRY(begin_matrix(m, rows));
  for (int i = 0; i < rows; i++) {
    RITT_TRY(add_columns(m, row[i], 0));
    end_row(m);
  }
  RITT_TRY(end_matrix(m, r->model->by_count, by_p));
  return record_entries(m, tape);
}

/* The rate of a leaf: multiplier number i stands for the tangent of coordinate i. */
static ritti_expr find_rate(void *context, ritti_expr leaf) {
  const ritti_evaluator *e = context;
  const ritti_model *model = e->reduced->model;
  switch (ritti_op_of(model->dag, leaf)) {
  case RITTI_JET: {
    uint32_t slot = ritti_layout_slot(e->layout, leaf);
    return slot < (uint32_t)e->reduced->m ? ritti_multiplier(model->dag, (int)slot) : RITTI_NIL;
  }
  case RITTI_PARAMETER: {
    double rate = model->by[0].rate[ritti_index_of(model->dag, leaf)];
    return rate == 0 ? RITTI_NIL : ritti_binary_number(model->dag, rate);
  }
  default: return RITTI_NIL;
  }
}

/* The derivatives of the rows for the highest derivatives along a tangent s, with values that
   the evaluation of these rows has computed already. */
static ritt_status eval_system_along(const void *data, ritt_real *work, const ritt_real *z,
                                     const ritt_real *top, const ritt_real *shared,
                                     const ritt_real *s, ritt_real *out) {
  const ritti_evaluator *e = data;
  const ritti_reduced *r = e->reduced;
  ritt_real *at = work + r->m + r->tops;
  memcpy(at, s, (size_t)r->m * sizeof *s);
  if (e->shared_count) memcpy(at + r->m, shared, (size_t)e->shared_count * sizeof *shared);
  ritti_execute_at_tops(e, &e->system_along, work, z, top, out);
  return RITT_OK;
}

/* Copies the shared values out of the row of an evaluation just done. */
static void eval_share_values(const void *data, const ritt_real *work, ritt_real *shared) {
  const ritti_evaluator *e = data;
  const ritti_tape *tape = e->reduced->kind == RITT_EXPLICIT ? &e->formula : &e->system;
  const uint32_t *slot = tape->result + tape->results;
  for (size_t i = 0; i < tape->shared; i++) shared[i] = work[slot[i]];
}

/* ---- values that are shared ---- */

enum { IN_TOPS = 1, SHARED = 2 };

/* Is the value of the node computed if the node stands in the tape of the tops? Factors with negative
 * exponents divide instead. */
static bool is_computed(const ritti_dag *dag, ritti_expr e) {
  if (ritti_argument_count(dag, e) == 0) return false;
  if (ritti_op_of(dag, e) != RITTI_POWER) return true;
  ritti_expr exponent = ritti_argument(dag, e, 1);
  return ritti_op_of(dag, exponent) != RITTI_NUMBER ||
         mpq_sgn(ritti_rational_of(dag, exponent)) > 0;
}

/* Marks the values of the tops that the rows take. */
static void mark_shared(const ritti_dag *dag, const ritti_nodes *nodes, const ritti_expr *row,
                        int rows, size_t known, unsigned char *mark) {
  for (size_t i = 0; i < nodes->count; i++) {
    ritti_expr e = nodes->at[i];
    if (e < known && mark[e]) continue;
    for (size_t k = 0, n = ritti_argument_count(dag, e); k < n; k++) {
      ritti_expr u = ritti_argument(dag, e, k);
      if (u < known && mark[u]) mark[u] = SHARED;
    }
  }
  for (int i = 0; i < rows; i++)
    if (row[i] < known && mark[row[i]]) mark[row[i]] = SHARED;
}

/* A shared value becomes the multiplier behind the tangent. */
static ritti_expr replace_shared(void *context, ritti_dag *dag, ritti_expr node,
                                 const ritti_expr *args, size_t count) {
  const ritti_evaluator *e = context;
  (void)args, (void)count;
  for (int i = 0; i < e->shared_count; i++)
    if (e->shared[i] == node) return ritti_multiplier(dag, e->reduced->m + i);
  return RITTI_NIL;
}

/* Finds expressions that the tops and their derivatives have in common, and replaces them in the
   derivatives by values that are handed over. */
static ritt_status share_values(ritti_evaluator *e, const ritti_expr *top, size_t count, int rows) {
  ritti_dag *dag = e->reduced->model->dag;
  ritti_nodes below = {0}, along = {0};
  RITT_TRY(ritti_nodes_below(dag, top, count, &below));
  ritt_status status = ritti_nodes_below(dag, e->along, (size_t)rows, &along);
  size_t known = below.count ? (size_t)below.at[below.count - 1] + 1 : 0;
  unsigned char *mark = ritti_malloc(known + 1);
  if (!mark && status == RITT_OK) status = RITT_NO_MEMORY;
  if (status == RITT_OK) {
    /* expressions of the tops that the derivatives use */
    memset(mark, 0, known);
    for (size_t i = 0; i < below.count; i++)
      if (is_computed(dag, below.at[i])) mark[below.at[i]] = IN_TOPS;
    mark_shared(dag, &along, e->along, rows, known, mark);
    for (size_t i = 0; i < below.count && e->shared_count < RITTI_MOST_SHARED; i++)
      if (mark[below.at[i]] == SHARED) e->shared[e->shared_count++] = below.at[i];
    /* hand them over */
    status = ritti_dag_rebuild(dag, replace_shared, e, e->along, (size_t)rows);
  }
  ritti_free(mark);
  ritti_free(below.at);
  ritti_free(along.at);
  return status;
}

/* Forms the rows along a tangent, and decides what they share with the tops. Only for one
   quantity p, and only for small systems. */
ritt_status ritti_by_share(ritti_evaluator *e, ritti_arena *arena) {
  enum { LARGE = 150 }; /* coordinates and tops of a system whose tapes are loops */
  const ritti_reduced *r = &e->sided;
  if (r->model->by_count != 1) return RITT_OK;
  int rows = r->kind == RITT_EXPLICIT ? r->tops : r->top_rows;
  size_t entries = r->kind == RITT_EXPLICIT ? 0 : ritti_entries(&r->A.pattern), count = 0;
  ritti_expr *terms, *top;
  RITTI_NEW(terms, arena, r->tops + 1);
  RITTI_NEW(e->along, arena, rows + 1);
  RITTI_NEW(e->shared, arena, RITTI_MOST_SHARED);
  RITTI_NEW(top, arena, entries + (size_t)rows + 1);
  for (int i = 0; i < rows; i++) e->along[i] = ritti_system_row(r, i, terms);
  RITT_TRY(ritti_dag_along(r->model->dag, e->along, (size_t)rows, find_rate, e, e->along));
  if (r->kind == RITT_IMPLICIT || r->m + r->tops >= LARGE) return RITT_OK;
  /* what one evaluation of the tops computes */
  for (size_t i = 0; i < entries; i++) top[count++] = r->A.entry[i];
  for (int i = 0; i < rows; i++) top[count++] = entries ? r->b[i] : r->formula[i];
  return share_values(e, top, count, rows);
}

/* The derivatives of the rows for the highest derivatives by coordinates and p. */
static ritt_status eval_system_d(const void *data, ritt_real *work, const ritt_real *z,
                                 const ritt_real *top, ritt_real *out) {
  const ritti_evaluator *e = data;
  return ritti_run_at_tops(e, &e->system_d, work, z, top, out);
}

/* The derivatives of f by coordinates and p. */
static ritt_status eval_f_d(const void *data, ritt_real *work, const ritt_real *z, ritt_real *out) {
  const ritti_evaluator *e = data;
  return ritti_run_at_tops(e, &e->f_d, work, z, NULL, out);
}

/* The derivatives of the outputs by coordinates, tops and p. */
static ritt_status eval_output_d(const void *data, ritt_real *work, const ritt_real *z,
                                 const ritt_real *top, ritt_real *out) {
  const ritti_evaluator *e = data;
  return ritti_run_at_tops(e, &e->output_d, work, z, top, out);
}

/* Records the tapes of all derivatives that the tangent equations need. */
static ritt_status fill_matrices(matrix *m, const ritti_expr *output, ritti_problem *p) {
  ritti_evaluator *e = m->e;
  const ritti_reduced *r = &e->sided;
  int by = r->model->by_count, tops = r->kind == RITT_EXPLICIT ? r->tops : r->top_rows;
  ritti_expr *terms, *row;
  RITTI_NEW(terms, m->arena, r->tops + 1);
  RITTI_NEW(row, m->arena, tops + 1);
  for (int i = 0; i < tops; i++) row[i] = ritti_system_row(r, i, terms);
  RITT_TRY(make_rows(m, row, tops, &p->dr_z, &p->dr_p, &e->system_d));
  if (by == 1) {
    if (r->kind == RITT_IMPLICIT) RITT_TRY(ritti_by_share(e, m->arena));
    RITT_TRY(ritti_tape_record(e->layout, m->arena, e->along, (size_t)tops, &e->system_along));
    p->call.system_along = eval_system_along, p->call.share_values = eval_share_values;
    p->shared = e->shared_count;
  }
  RITT_TRY(make_rows(m, r->f, r->k, &p->df_z, &p->df_p, &e->f_d));

  /* the outputs: coordinates, tops and p in one matrix */
  RITT_TRY(begin_matrix(m, (int)e->output_count));
  for (size_t i = 0; i < e->output_count; i++) {
    RITT_TRY(add_coordinates(m, output[i], r->m + r->tops - 1));
    RITT_TRY(add_columns(m, output[i], r->m + r->tops));
    end_row(m);
  }
  RITT_TRY(end_matrix(m, r->m + r->tops + by, &p->doutput));
  RITT_TRY(record_entries(m, &e->output_d));

  p->by = by;
  p->call.system_d = eval_system_d, p->call.f_d = eval_f_d;
  p->call.output_d = eval_output_d;
  return RITT_OK;
}

/* Adds the derivatives by the quantities p to a Problem. */
ritt_status ritti_by_make(ritti_evaluator *e, const ritti_expr *output, ritti_arena *arena,
                          ritti_problem *p) {
  matrix m = {.e = e, .arena = arena};
  ritt_status status = fill_matrices(&m, output, p);
  RITTI_ARRAY_FREE(m.entries.entry);
  RITTI_ARRAY_FREE(m.entries.col);
  return status;
}
