/* Reduced -> Problem: one tape for each function, and words for messages.
 *
 * In: expressions of f, df, A, b or the formula, the outputs and the kinks. Made here: the second
 * derivatives sum mu_i d2f_i, as the gradient of the gradient of sum mu_i f_i. The data is constant
 * once made; all that changes is in the solver's work: the row of the tapes, then room for the text
 * of a culprit. The general kind is not made here.
 */
#include <float.h>
#include <limits.h>
#include <stdio.h>
#include "tape/eval_impl.h"

enum { TEXT_REALS = 64, LONGEST_CULPRIT = 200 };
enum { LOWER = 1, UPPER = 2, CONSTANT = 4 }; /* parts of a symmetric system */

typedef ritti_evaluator evaluator;

/* ---- the functions of the problem ---- */
static void put_values(ritt_real *row, const ritt_real *from, int count) {
  if (count) memcpy(row, from, (size_t)count * sizeof *row);
}

/* Copies `count` results from the `first` on. */
static void collect_results(const ritti_tape *tape, const ritt_real *row, size_t first,
                            size_t count, ritt_real *out) {
  const uint32_t *result = tape->result + first;
  for (size_t i = 0; i < count; i++) out[i] = row[result[i]];
}

/* A tape with two groups of results, the first of `count`; of families as loops these parts, which
 * may not be all. */
static void execute_tape(const evaluator *e, const ritti_tape *tape, ritt_real *row,
                         const ritt_real *z, size_t count, unsigned parts, ritt_real *one,
                         ritt_real *two) {
  const bool all = (parts & RITTI_PART_ALL) == RITTI_PART_ALL;
  /* native code has no parts, so parts of families are run as loops */
  ritti_native_tape *native =
      tape->kernels && !all ? NULL : atomic_load_explicit(&tape->native->all, memory_order_acquire);
  if (native) {
    native(z, row, one, two);
  } else if (tape->kernels) {
    ritti_tape_execute_to(tape, z, (size_t)e->reduced->m, row, count, parts, one, two);
  } else {
    put_values(row, z, e->reduced->m);
    ritti_tape_execute(tape, row);
    collect_results(tape, row, 0, count, one);
    if (two) collect_results(tape, row, count, tape->results - count, two);
  }
}

/* Runs a tape with two groups of results; RITT_RETRY if a result is not finite. */
static ritt_status run_two(const evaluator *e, const ritti_tape *tape, ritt_real *row,
                           const ritt_real *z, size_t count, ritt_real *one, ritt_real *two) {
  execute_tape(e, tape, row, z, count, UINT_MAX, one, two);
  bool finite = ritti_are_finite(count, one);
  if (two) finite &= ritti_are_finite(tape->results - count, two);
  return finite ? RITT_OK : RITT_RETRY;
}

/* Runs a tape with one group of results. */
static ritt_status run_tape(const evaluator *e, const ritti_tape *tape, ritt_real *row,
                            const ritt_real *z, ritt_real *out) {
  return run_two(e, tape, row, z, tape->results, out, NULL);
}

static ritt_status eval_f(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f) {
  const evaluator *e = data;
  return run_tape(e, &e->f, work, z, f);
}

static ritt_status eval_f_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                             ritt_real *df) {
  const evaluator *e = data;
  return run_two(e, &e->f_df, work, z, (size_t)e->reduced->k, f, df);
}

/* Rows of f in these parts, which stand side by side. */
static bool part_is_finite(const evaluator *e, unsigned parts, const ritt_real *f) {
  size_t l = (size_t)e->reduced->constraints, k = (size_t)e->reduced->k;
  bool finite = true;
  if (parts & RITTI_PART_POSITIONS) finite = ritti_are_finite(l, f);
  if (parts & RITTI_PART_VELOCITIES) finite &= ritti_are_finite(l, f + l);
  if (parts & RITTI_PART_REST) finite &= ritti_are_finite(k - 2 * l, f + 2 * l);
  return finite;
}

/* Runs a part of f and df of mechanics; only rows of this part need be finite. */
static ritt_status run_part(const evaluator *e, const ritti_tape *tape, ritt_real *work,
                            const ritt_real *z, unsigned parts, ritt_real *f, ritt_real *df) {
  execute_tape(e, tape, work, z, (size_t)e->reduced->k, parts, f, df);
  return part_is_finite(e, parts, f) ? RITT_OK : RITT_RETRY;
}

static ritt_status eval_f_df_part(const void *data, ritt_real *work, const ritt_real *z,
                                  unsigned parts, ritt_real *f, ritt_real *df) {
  const evaluator *e = data;
  return run_part(e, &e->f_df, work, z, parts, f, df);
}

static ritt_status eval_f_part(const void *data, ritt_real *work, const ritt_real *z,
                               unsigned parts, ritt_real *f) {
  const evaluator *e = data;
  return run_part(e, &e->f, work, z, parts, f, NULL);
}

/* A and b of mechanics as far as a symmetric solver reads them; `again` leaves out constant
   entries, which are there already. */
static ritt_status eval_system_lower(const void *data, ritt_real *work, const ritt_real *z,
                                     bool again, ritt_real *A, ritt_real *b) {
  const evaluator *e = data;
  ritti_tape_execute_to(&e->system, z, (size_t)e->reduced->m, work,
                        e->system.results - (size_t)e->reduced->top_rows,
                        again ? LOWER : LOWER | CONSTANT, A, b);
  return RITT_OK;
}

/* The second derivatives of mu^T f. */
static ritt_status eval_d2f_mu(const void *data, ritt_real *work, const ritt_real *z,
                               const ritt_real *mu, ritt_real *h) {
  const evaluator *e = data;
  put_values(work + e->reduced->m + e->reduced->tops, mu, e->reduced->k);
  return run_tape(e, &e->d2f, work, z, h);
}

/* The linear system A top + b = 0 for the highest derivatives. */
static ritt_status eval_system(const void *data, ritt_real *work, const ritt_real *z, ritt_real *A,
                               ritt_real *b) {
  const evaluator *e = data;
  return run_two(e, &e->system, work, z, e->system.results - (size_t)e->reduced->top_rows, A, b);
}

/* The highest derivatives by formula. */
static ritt_status eval_formula(const void *data, ritt_real *work, const ritt_real *z,
                                ritt_real *top) {
  const evaluator *e = data;
  return run_tape(e, &e->formula, work, z, top);
}

/* A stage of the tops of an implicit Problem; the solver tests whether values are finite. */
static ritt_status eval_top_stage(const void *data, ritt_real *work, int stage, const ritt_real *z,
                                  const ritt_real *top, ritt_real *out) {
  const evaluator *e = data;
  ritti_execute_at_tops(e, &e->top_stage[stage], work, z, top, out);
  return RITT_OK;
}

/* Runs a tape that needs the highest derivatives, too. */
ritt_status ritti_run_at_tops(const evaluator *e, const ritti_tape *tape, ritt_real *work,
                              const ritt_real *z, const ritt_real *top, ritt_real *out) {
  if (top) put_values(work + e->reduced->m, top, e->reduced->tops);
  return run_tape(e, tape, work, z, out);
}

/* As ritti_run_at_tops, for a caller that tests the results itself. */
void ritti_execute_at_tops(const evaluator *e, const ritti_tape *tape, ritt_real *work,
                           const ritt_real *z, const ritt_real *top, ritt_real *out) {
  put_values(work + e->reduced->m, top, e->reduced->tops);
  execute_tape(e, tape, work, z, tape->results, UINT_MAX, out, NULL);
}

/* The derivatives of the rows of an implicit Problem by its tops. */
static ritt_status eval_system_at(const void *data, ritt_real *work, const ritt_real *z,
                                  const ritt_real *top, ritt_real *A) {
  const evaluator *e = data;
  return ritti_run_at_tops(e, &e->system, work, z, top, A);
}

/* The derivatives of the rows for the highest derivatives by the coordinates. */
static ritt_status eval_system_dz(const void *data, ritt_real *work, const ritt_real *z,
                                  const ritt_real *top, ritt_real *dr) {
  const evaluator *e = data;
  return ritti_run_at_tops(e, &e->system_dz, work, z, top, dr);
}

static ritt_status eval_output(const void *data, ritt_real *work, const ritt_real *z,
                               const ritt_real *top, ritt_real *out) {
  const evaluator *e = data;
  return ritti_run_at_tops(e, &e->output, work, z, top, out);
}

/* Functions of events, surfaces and validities. */
static ritt_status eval_monitor(const void *data, ritt_real *work, const ritt_real *z,
                                const ritt_real *top, ritt_real *out) {
  const evaluator *e = data;
  return ritti_run_at_tops(e, &e->monitor, work, z, top, out);
}

static ritt_status eval_monitor_df(const void *data, ritt_real *work, const ritt_real *z,
                                   const ritt_real *top, ritt_real *out) {
  const evaluator *e = data;
  return ritti_run_at_tops(e, &e->monitor_df, work, z, top, out);
}

/* The matrix of the law of impulses. */
static ritt_status eval_impulses(const void *data, ritt_real *work, const ritt_real *z,
                                 const ritt_real *top, ritt_real *out) {
  const evaluator *e = data;
  return ritti_run_at_tops(e, &e->impulses, work, z, top, out);
}

/* The point behind an event: the point before with the assigned values. */
static ritt_status eval_jump(const void *data, ritt_real *work, int event, const ritt_real *z,
                             const ritt_real *top, ritt_real *z_new) {
  const evaluator *e = data;
  const ritti_tape *tape = &e->jump[event];
  bool finite = true;
  put_values(work, z, e->reduced->m);
  put_values(work + e->reduced->m, top, e->reduced->tops);
  ritti_tape_execute(tape, work);
  memcpy(z_new, z, (size_t)e->reduced->m * sizeof *z);
  for (size_t i = 0; i < tape->results; i++) {
    z_new[e->target[event][i]] = work[tape->result[i]];
    finite &= RITTI_MATH(fabs)(work[tape->result[i]]) <= DBL_MAX;
  }
  return finite ? RITT_OK : RITT_RETRY;
}

/* The Taylor arithmetic of the rows, or of the highest derivatives. */
static ritt_status eval_series(const void *data, ritti_series_of what, ritti_arena *arena,
                               ritti_series *out) {
  const evaluator *e = data;
  const ritti_tape *tape = what == RITTI_SERIES_ROWS           ? &e->f
                           : e->reduced->kind == RITT_EXPLICIT ? &e->formula
                                                               : &e->system;
  return ritti_series_make(e->layout, e->reduced->model->dag, e->reduced->m, tape, arena, out);
}

/* Sets constants and parameters of a new work array. */
static void work_init(const void *data, ritt_real *work) {
  const evaluator *e = data;
  ritti_layout_init(e->layout, work);
  memset(work + e->row_size, 0, TEXT_REALS * sizeof *work);
}

static const char *coordinate_name(const void *data, int i) {
  return ((const evaluator *)data)->coordinate_name[i];
}
static const char *row_name(const void *data, int i) {
  return ((const evaluator *)data)->row_name[i];
}
static const char *monitor_name(const void *data, int i) {
  const ritti_reduced *r = ((const evaluator *)data)->reduced;
  return i < r->model->events ? r->model->event[i].name : r->kink[i - r->model->events].text;
}

/* The condition of a switching surface as the model has it. */
static const char *condition_text(const void *data, int surface) {
  return ((const evaluator *)data)->reduced->kink[surface].condition;
}

/* ---- culprit: which part of which equation has no value ---- */
typedef struct root {
  ritti_expr e;
  ritti_origin origin;
} root;
typedef RITTI_ARRAY(root) root_list;

static const ritti_origin nowhere = {.equation = -1, .invariant = -1};

/* Appends expressions with their origins to a list of roots. */
static ritt_status add_roots(root_list *list, const ritti_expr *e, size_t count,
                             const ritti_origin *origin) {
  for (size_t i = 0; i < count; i++)
    RITT_TRY(RITTI_PUSH(*list, (root){e[i], origin ? origin[i] : nowhere}));
  return RITT_OK;
}

/* Appends the entries of a matrix, each with the origin of its row. */
static ritt_status add_matrix(root_list *list, const ritti_expr_matrix *m,
                              const ritti_origin *origin) {
  for (int i = 0; m->pattern.start && i < m->pattern.rows; i++)
    for (int j = m->pattern.start[i]; j < m->pattern.start[i + 1]; j++)
      RITT_TRY(add_roots(list, &m->entry[j], 1, origin ? &origin[i] : NULL));
  return RITT_OK;
}

/* The functions of z alone, in the order in which their parts are blamed; then those that also
 * depend on tops. */
static ritt_status list_roots(const evaluator *e, bool with_tops, root_list *list) {
  const ritti_reduced *r = e->reduced;
  if (with_tops) {
    for (int i = 0; i < r->kinks; i++) RITT_TRY(add_roots(list, &r->kink[i].function, 1, NULL));
    return add_roots(list, e->outputs, e->output_count, NULL);
  }
  RITT_TRY(add_roots(list, r->f, (size_t)r->k, r->origin));
  if (r->kind == RITT_EXPLICIT)
    RITT_TRY(add_roots(list, r->formula, (size_t)r->tops, r->top_origin));
  else {
    RITT_TRY(add_matrix(list, &r->A, r->top_origin));
    RITT_TRY(add_roots(list, r->b, (size_t)r->top_rows, r->top_origin));
  }
  return add_matrix(list, &r->df, r->origin);
}

/* The value of a jet in a row, for a plan. */
typedef struct jet_row {
  const ritti_reduced *reduced;
  const ritt_real *row;
} jet_row;

/* The value of a jet in a row of values; for ritti_plan_evaluate. */
static double jet_value(const void *context, int variable, int order) {
  const jet_row *c = context;
  const ritti_reduced *r = c->reduced;
  const ritti_dag *dag = r->model->dag;
  for (int i = 1; i < r->m + r->tops; i++) {
    ritti_expr e = i < r->m ? r->coordinate[i] : r->top[i - r->m];
    if (ritti_index_of(dag, e) == variable && ritti_order_of(dag, e) == order)
      return (double)c->row[i];
  }
  return NAN;
}

/* The first node without a value below the roots; NIL: none, or no memory to find it. */
static ritti_expr find_culprit(const evaluator *e, const ritt_real *row, const root_list *list) {
  const ritti_reduced *r = e->reduced;
  ritti_expr found = RITTI_NIL, *roots = ritti_malloc(list->count * sizeof *roots);
  size_t numbers = (size_t)(r->model->parameters + r->levels);
  double *out = ritti_malloc((list->count + numbers) * sizeof *out);
  ritti_plan *plan = NULL;
  /* evaluate with the values of the row */
  for (size_t i = 0; roots && i < list->count; i++) roots[i] = list->at[i].e;
  if (roots && out && ritti_plan_new(r->model->dag, roots, list->count, &plan) == RITT_OK) {
    jet_row context = {r, row};
    double *parameter = out + list->count;
    for (size_t i = 0; i < numbers; i++)
      parameter[i] = (double)row[ritti_layout_parts(e->layout).parameter + i];
    ritti_values values = {
        (double)row[0], jet_value, &context, parameter, parameter + r->model->parameters, NULL};
    ritti_plan_evaluate(plan, &values, out);
    found = ritti_plan_culprit(plan);
  }
  /* release, whatever was found */
  ritti_plan_free(plan);
  ritti_free(roots);
  ritti_free(out);
  return found;
}

/* The line of the model that an equation or invariant comes from; 0 if it has none. */
static int line_of(const ritti_model *model, ritti_origin o) {
  if (o.equation >= 0) return model->equation[o.equation].place.line;
  return o.invariant >= 0 ? model->invariant[o.invariant].place.line : 0;
}

/* The line of the first root that the node stands in; 0: none. */
static int culprit_line(const evaluator *e, const root_list *list, ritti_expr culprit) {
  const ritti_model *model = e->reduced->model;
  for (size_t i = 0; i < list->count; i++)
    if (ritti_depends_on(model->dag, list->at[i].e, culprit))
      return line_of(model, list->at[i].origin);
  return 0;
}

/* "sqrt(x - 1) (line 7)" into the text room of the work */
static const char *write_culprit(const evaluator *e, ritt_real *work, ritti_expr culprit,
                                 int line) {
  char *out = (char *)(work + e->row_size);
  ritti_text text = {0};
  ritti_dag_print(e->reduced->model->dag, culprit, &e->reduced->model->names, &text);
  bool good = text.status == RITT_OK && text.at;
  if (good) {
    int length = text.count > LONGEST_CULPRIT ? LONGEST_CULPRIT : (int)text.count;
    int at = snprintf(out, TEXT_REALS * sizeof *work, "%.*s%s", length, text.at,
                      text.count > LONGEST_CULPRIT ? "..." : "");
    /* a table: say where it has values */
    if (ritti_op_of(e->reduced->model->dag, culprit) == RITTI_TABLE) {
      double code = ritti_table_code_of(e->reduced->model->dag, culprit);
      const ritti_table *t = ritti_dag_tables(e->reduced->model->dag)[ritti_table_of_code(code)];
      at += snprintf(out + at, TEXT_REALS * sizeof *work - (size_t)at,
                     ", a table from %.6g to %.6g", t->knot[0], t->knot[t->pieces]);
    }
    if (line) snprintf(out + at, TEXT_REALS * sizeof *work - (size_t)at, " (line %d)", line);
  }
  ritti_text_free(&text);
  return good ? out : NULL;
}

/* Only asked when a run stops: it may take memory, which it gives back. NULL: every part has a
 * value here. */
static const char *name_culprit(const void *data, ritt_real *work, const ritt_real *z) {
  const evaluator *e = data;
  const char *text = NULL;
  put_values(work, z, e->reduced->m);
  for (int with_tops = 0; with_tops < 2 && !text; with_tops++) {
    root_list list = {0};
    ritti_expr found = RITTI_NIL;
    if (list_roots(e, with_tops, &list) == RITT_OK && list.count)
      found = find_culprit(e, work, &list);
    if (found) text = write_culprit(e, work, found, culprit_line(e, &list, found));
    RITTI_ARRAY_FREE(list);
  }
  return text;
}

/* ---- making ---- */
/* An arena array of expressions that tapes are recorded from, filled part by part. */
typedef struct joined {
  ritti_expr *at;
  size_t count;
} joined;

/* Appends expressions to a joined list that has room for them. */
static void join_roots(joined *j, const ritti_expr *e, size_t count) {
  if (count) memcpy(j->at + j->count, e, count * sizeof *e);
  j->count += count;
}

/* Records a tape with two groups of results. */
static ritt_status record_two(evaluator *e, ritti_arena *arena, const ritti_expr *one, size_t ones,
                              const ritti_expr *two, size_t twos, ritti_tape *tape) {
  joined all = {0};
  RITTI_NEW(all.at, arena, ones + twos);
  join_roots(&all, one, ones);
  join_roots(&all, two, twos);
  return ritti_tape_record(e->layout, arena, all.at, all.count, tape);
}

/* The tape of the tops, two groups of results, with the values that it shares. */
static ritt_status record_tops(evaluator *e, ritti_arena *arena, const ritti_expr *one, size_t ones,
                               const ritti_expr *two, size_t twos, ritti_tape *tape) {
  joined all = {0};
  RITT_TRY(ritti_by_share(e, arena));
  size_t shared = (size_t)e->shared_count;
  RITTI_NEW(all.at, arena, ones + twos + shared);
  join_roots(&all, one, ones);
  join_roots(&all, two, twos);
  join_roots(&all, e->shared, shared);
  RITT_TRY(ritti_tape_record(e->layout, arena, all.at, all.count, tape));
  tape->results -= shared;
  tape->shared = shared;
  return RITT_OK;
}

/* Adds the derivatives of an expression by coordinates 0 .. row, in the order of the
   coordinates. */
ritt_status ritti_derivative_row(const ritti_reduced *r, ritti_layout *layout, ritti_expr first,
                                 int row, ritti_derivatives *out) {
  ritti_gradient g;
  RITT_TRY(
      ritti_dag_gradient_of(r->model->dag, first, 1u << RITTI_INDEPENDENT | 1u << RITTI_JET, &g));
  size_t start = out->col.count;
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < g.count && status == RITT_OK; i++) {
    uint32_t slot = ritti_layout_slot(layout, g.leaf[i]);
    if (slot > (uint32_t)row) continue;
    status = RITTI_PUSH(out->entry, g.derivative[i]);
    if (status == RITT_OK) status = RITTI_PUSH(out->col, (int)slot);
    /* insertion: rows are short, and leaves mostly come in order */
    for (size_t j = out->col.count - 1;
         status == RITT_OK && j > start && out->col.at[j] < out->col.at[j - 1]; j--) {
      int col = out->col.at[j];
      ritti_expr entry = out->entry.at[j];
      out->col.at[j] = out->col.at[j - 1], out->entry.at[j] = out->entry.at[j - 1];
      out->col.at[j - 1] = col, out->entry.at[j - 1] = entry;
    }
  }
  ritti_gradient_clear(&g);
  return status;
}

/* Records the second derivatives of mu^T f, the lower half. */
static ritt_status fill_second(evaluator *e, ritti_arena *arena, ritti_derivatives *s,
                               ritti_problem *p) {
  const ritti_reduced *r = &e->sided;
  ritti_expr *first;
  int *start, *col;
  RITTI_NEW(start, arena, r->m + 1);

  /* The gradient of sum mu_i f_i; derivative[j] = NIL where coordinate j does not occur. */
  ritti_dag *dag = r->model->dag;
  ritti_expr *terms;
  ritti_gradient g;
  RITTI_NEW(terms, arena, r->k);
  RITTI_NEW(first, arena, r->m);
  for (int i = 0; i < r->k; i++) terms[i] = ritti_multiply(dag, ritti_multiplier(dag, i), r->f[i]);
  ritti_expr sum = ritti_sum(dag, terms, (size_t)r->k);
  RITT_TRY(ritti_dag_gradient_of(dag, sum, 1u << RITTI_INDEPENDENT | 1u << RITTI_JET, &g));
  for (size_t i = 0; i < g.count; i++) {
    uint32_t j = ritti_layout_slot(e->layout, g.leaf[i]);
    if (j < (uint32_t)r->m) first[j] = g.derivative[i];
  }
  ritti_gradient_clear(&g);

  /* the derivatives of the gradient */
  for (int i = 0; i < r->m; i++) {
    if (first[i]) RITT_TRY(ritti_derivative_row(r, e->layout, first[i], i, s));
    start[i + 1] = (int)s->col.count;
  }
  RITTI_NEW(col, arena, s->col.count + 1);
  if (s->col.count) memcpy(col, s->col.at, s->col.count * sizeof *col);
  p->d2f = (ritti_pattern){r->m, r->m, start, col};
  return ritti_tape_record(e->layout, arena, s->entry.at, s->entry.count, &e->d2f);
}

/* Large systems have second derivatives only where the model asks for something that needs them. */
static bool wants_second(const ritti_reduced *r) {
  enum { LARGE = 3000 };
  const ritti_model *model = r->model;
  bool asked = false;
  for (int i = 0; i < model->settings; i++) {
    const ritti_setting_def *s = &model->setting[i];
    asked = asked || (!strcmp(s->name, "projection") && strcmp(s->word, "gauss") &&
                      strcmp(s->word, "sequential"));
  }
  return asked || r->m <= LARGE;
}

/* Their gradients by coordinates and tops. */
static ritt_status fill_monitor_df(evaluator *e, ritti_arena *arena, const ritti_expr *argument,
                                   ritti_derivatives *s, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  int *start, *col;
  RITTI_NEW(start, arena, p->monitors + 1);
  for (int i = 0; i < p->monitors; i++) {
    RITT_TRY(ritti_derivative_row(r, e->layout, argument[i], r->m + r->tops - 1, s));
    start[i + 1] = (int)s->col.count;
  }
  RITTI_NEW(col, arena, s->col.count + 1);
  if (s->col.count) memcpy(col, s->col.at, s->col.count * sizeof *col);
  p->dmonitor = (ritti_pattern){p->monitors, r->m + r->tops, start, col};
  return ritti_tape_record(e->layout, arena, s->entry.at, s->entry.count, &e->monitor_df);
}

/* Row i of the equations for the highest derivatives, as one expression. terms: room for tops +
   1. */
ritti_expr ritti_system_row(const ritti_reduced *r, int i, ritti_expr *terms) {
  ritti_dag *dag = r->model->dag;
  const ritti_pattern *A = &r->A.pattern;
  size_t count = 0;
  if (r->kind == RITT_EXPLICIT) return r->formula[i];
  if (r->kind == RITT_IMPLICIT) return r->b[i];
  for (int e = A->start[i]; e < A->start[i + 1]; e++)
    terms[count++] = ritti_multiply(dag, r->A.entry[e], r->top[A->col[e]]);
  terms[count++] = r->b[i];
  return ritti_sum(dag, terms, count);
}

/* Records the derivatives of the rows for the highest derivatives by the coordinates. */
static ritt_status fill_system_dz(evaluator *e, ritti_arena *arena, ritti_derivatives *s,
                                  ritti_problem *p) {
  const ritti_reduced *r = &e->sided;
  int rows = r->kind == RITT_EXPLICIT ? r->tops : r->top_rows, *start, *col;
  ritti_expr *terms;
  RITTI_NEW(start, arena, rows + 1);
  RITTI_NEW(terms, arena, r->tops + 1);
  for (int i = 0; i < rows; i++) {
    RITT_TRY(ritti_derivative_row(r, e->layout, ritti_system_row(r, i, terms), r->m - 1, s));
    start[i + 1] = (int)s->col.count;
  }
  RITTI_NEW(col, arena, s->col.count + 1);
  if (s->col.count) memcpy(col, s->col.at, s->col.count * sizeof *col);
  p->dr = (ritti_pattern){rows, r->m, start, col};
  p->call.system_dz = eval_system_dz;
  return ritti_tape_record(e->layout, arena, s->entry.at, s->entry.count, &e->system_dz);
}

/* Records what fill_system_dz lists, and frees the lists. */
static ritt_status make_system_dz(evaluator *e, ritti_arena *arena, ritti_problem *p) {
  ritti_derivatives s = {0};
  ritt_status status = fill_system_dz(e, arena, &s, p);
  RITTI_ARRAY_FREE(s.entry);
  RITTI_ARRAY_FREE(s.col);
  return status;
}

/* Events, surfaces, validities, each on the sides given. */
static ritt_status make_monitor(evaluator *e, ritti_arena *arena, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  const ritti_model *model = r->model;
  ritti_expr *argument;
  /* numbers of each kind, and the cones that surfaces belong to */
  p->events = model->events, p->surfaces = r->kinks - r->validities, p->validities = r->validities;
  p->monitors = model->events + r->kinks;
  int *cone, cones = 0;
  RITTI_NEW(cone, arena, p->surfaces + 1);
  for (int i = 0; i < p->surfaces; i++) {
    cone[i] = r->kink[i].cone;
    cones += cone[i] > 0;
  }
  p->cone = cones ? cone : NULL;
  /* their functions, and the derivatives */
  RITTI_NEW(argument, arena, p->monitors);
  for (int i = 0; i < model->events; i++) argument[i] = model->event[i].function;
  for (int i = 0; i < r->kinks; i++) argument[model->events + i] = r->kink[i].function;
  RITT_TRY(ritti_one_side(r, arena, (size_t)p->monitors, &argument));
  RITT_TRY(ritti_tape_record(e->layout, arena, argument, (size_t)p->monitors, &e->monitor));

  ritti_derivatives s = {0};
  ritt_status status = fill_monitor_df(e, arena, argument, &s, p);
  RITTI_ARRAY_FREE(s.entry);
  RITTI_ARRAY_FREE(s.col);
  return status;
}

/* The highest derivative of each variable in the equations. */
static ritt_status find_highest(const evaluator *e, ritti_arena *arena, int **out) {
  const ritti_model *model = e->reduced->model;
  int *highest;
  RITTI_NEW(highest, arena, model->variables + 1);
  for (int i = 0; i < model->equations; i++) {
    ritti_nodes jets;
    RITT_TRY(ritti_leaves(model->dag, model->equation[i].residual, RITTI_JET, &jets));
    for (size_t k = 0; k < jets.count; k++) {
      int j = ritti_index_of(model->dag, jets.at[k]),
          order = ritti_order_of(model->dag, jets.at[k]);
      if (order > highest[j]) highest[j] = order;
    }
    ritti_free(jets.at);
  }
  *out = highest;
  return RITT_OK;
}

/* The equations of the model in the variables that are kept, on one side. */
static ritt_status list_equations(const evaluator *e, ritti_arena *arena, ritti_expr **out) {
  const ritti_reduced *r = e->reduced;
  const ritti_model *model = r->model;
  ritti_expr *leaf, *value;
  RITTI_NEW(*out, arena, model->equations + 1);
  RITTI_NEW(leaf, arena, r->removals + 1);
  RITTI_NEW(value, arena, r->removals + 1);
  /* replace the variables that the completion has removed */
  for (int i = 0; i < model->equations; i++) (*out)[i] = model->equation[i].residual;
  for (int i = 0; i < r->removals; i++) {
    leaf[i] = ritti_jet(model->dag, r->removed[i].variable, 0);
    value[i] = r->removed[i].value;
  }
  if (r->removals)
    RITT_TRY(ritti_dag_substitute(model->dag, leaf, value, (size_t)r->removals, *out,
                                  (size_t)model->equations));
  return ritti_one_side(r, arena, (size_t)model->equations, out);
}

/* The derivatives of the equations by the highest derivative of each variable. */
static ritt_status fill_impulses(evaluator *e, ritti_arena *arena, const int *highest,
                                 ritti_derivatives *s, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  const ritti_model *model = r->model;
  ritti_dag *dag = model->dag;
  uint32_t all = (uint32_t)(r->m + r->tops);
  ritti_expr *equation;
  int *start, *col, *velocity, *top;
  RITT_TRY(list_equations(e, arena, &equation));
  RITTI_NEW(start, arena, model->equations + 1);
  RITTI_NEW(velocity, arena, model->variables + 1);
  RITTI_NEW(top, arena, model->variables + 1);
  /* the matrix, row by row */
  for (int i = 0; i < model->equations; i++) {
    ritti_gradient g;
    RITT_TRY(ritti_dag_gradient_of(dag, equation[i], 1u << RITTI_JET, &g));
    ritt_status status = RITT_OK;
    for (size_t k = 0; k < g.count && status == RITT_OK; k++) {
      int variable = ritti_index_of(dag, g.leaf[k]);
      if (ritti_order_of(dag, g.leaf[k]) < highest[variable]) continue;
      status = RITTI_PUSH(s->entry, g.derivative[k]);
      if (status == RITT_OK) status = RITTI_PUSH(s->col, variable);
    }
    ritti_gradient_clear(&g);
    RITT_TRY(status);
    start[i + 1] = (int)s->col.count;
  }
  RITTI_NEW(col, arena, s->col.count + 1);
  if (s->col.count) memcpy(col, s->col.at, s->col.count * sizeof *col);
  /* where velocities and highest derivatives are; -1: not in the point */
  for (int j = 0; j < model->variables; j++) {
    uint32_t slot = ritti_layout_slot(e->layout, ritti_jet(dag, j, highest[j]));
    top[j] = slot < all ? (int)slot : -1;
    slot = highest[j] ? ritti_layout_slot(e->layout, ritti_jet(dag, j, highest[j] - 1)) : all;
    velocity[j] = slot < (uint32_t)r->m ? (int)slot : -1;
  }
  p->impulses = (ritti_pattern){model->equations, model->variables, start, col};
  p->impulse_top = top, p->velocity = velocity;
  p->call.impulses = eval_impulses;
  return ritti_tape_record(e->layout, arena, s->entry.at, s->entry.count, &e->impulses);
}

/* The roles of the coordinates where the equations switch, and the law of impulses. */
static ritt_status find_roles(evaluator *e, ritti_arena *arena, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  const ritti_dag *dag = r->model->dag;
  int *role, *highest;
  RITT_TRY(find_highest(e, arena, &highest));
  RITTI_NEW(role, arena, r->m);
  /* a coordinate follows from others, is a velocity, or is a state */
  for (int i = 1; i < r->m; i++) {
    int order = ritti_order_of(dag, r->coordinate[i]);
    role[i] = order >= highest[ritti_index_of(dag, r->coordinate[i])] ? RITTI_ROLE_FOLLOWS
              : order > 0                                             ? RITTI_ROLE_VELOCITY
                                                                      : RITTI_ROLE_STATE;
  }
  p->role = role;
  /* without constraints nothing carries impulses */
  if (r->k == 0) return RITT_OK;
  ritti_derivatives s = {0};
  ritt_status status = fill_impulses(e, arena, highest, &s, p);
  RITTI_ARRAY_FREE(s.entry);
  RITTI_ARRAY_FREE(s.col);
  return status;
}

/* Can something jump? */
static bool needs_roles(const ritti_reduced *r) {
  const ritti_model *model = r->model;
  bool jumps = false;
  for (int i = 0; i < model->events; i++) jumps = jumps || model->event[i].jumps > 0;
  return jumps || model->tangents || model->constants || model->valued || model->inputs ||
         r->kinks > r->validities || r->kind == RITT_GENERAL;
}

/* Is u a linear function of coordinates whose coefficients are numbers? */
static ritt_status is_linear(const evaluator *e, ritti_expr u, bool *out) {
  const ritti_dag *dag = e->reduced->model->dag;
  ritti_gradient g;
  RITT_TRY(ritti_dag_gradient((ritti_dag *)(uintptr_t)dag, u, &g));
  *out = true;
  for (size_t i = 0; i < g.count; i++)
    *out = *out && ritti_op_of(dag, g.leaf[i]) == RITTI_JET &&
           ritti_op_of(dag, g.derivative[i]) == RITTI_NUMBER &&
           ritti_layout_slot(e->layout, g.leaf[i]) < (uint32_t)e->reduced->m;
  ritti_gradient_clear(&g);
  return RITT_OK;
}

/* True if an output has a switch. */
static ritt_status outputs_switch(const evaluator *e, bool *out) {
  ritti_dag *dag = e->reduced->model->dag;
  ritti_nodes nodes;
  RITT_TRY(ritti_nodes_below(dag, e->outputs, e->output_count, &nodes));
  *out = false;
  for (size_t i = 0; i < nodes.count; i++)
    *out = *out || ritti_kink_argument(dag, nodes.at[i]) != RITTI_NIL;
  ritti_free(nodes.at);
  return RITT_OK;
}

/* Where the derivatives of coordinates and tops are, and on which surfaces they can slide. */
static ritt_status find_tangents(const evaluator *e, ritti_arena *arena, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  const ritti_model *model = r->model;
  int all = r->m + r->tops, *tangent;
  bool *smooth, switches, found = true;
  RITTI_NEW(tangent, arena, all * model->tangent_count + 1);
  RITTI_NEW(smooth, arena, p->surfaces + 1);
  /* the tangent of each coordinate is a jet of another variable */
  for (int q = 0, at = 0; q < model->tangent_count; q++)
    for (int i = 0; i < all; i++, at++) {
      tangent[at] = -1;
      ritti_expr leaf = i < r->m ? r->coordinate[i] : r->top[i - r->m];
      if (i == 0 || ritti_index_of(model->dag, leaf) >= model->tangent_first) continue;
      int variable = model->tangent_first + q * model->tangent_block;
      variable += ritti_index_of(model->dag, leaf);
      uint32_t slot = ritti_layout_slot(
          e->layout, ritti_jet(model->dag, variable, ritti_order_of(model->dag, leaf)));
      if (slot < (uint32_t)all) tangent[at] = (int)slot;
      found = found && tangent[at] >= 0 && (tangent[at] < r->m) == (i < r->m);
    }
  /* sliding is smooth if the surface is linear and nothing else switches */
  RITT_TRY(outputs_switch(e, &switches));
  for (int i = 0; i < p->surfaces && found && !switches; i++)
    RITT_TRY(is_linear(e, r->kink[i].function, &smooth[i]));
  p->tangent = tangent, p->tangent_count = model->tangent_count, p->smooth_slide = smooth;
  return RITT_OK;
}

/* The surface at which a hidden event happens. */
static int find_surface(const ritti_reduced *r, int surfaces, ritti_expr function) {
  bool reversed;
  for (int i = 0; i < surfaces; i++)
    if (ritti_surface_form(r->model->dag, r->kink[i].argument, &reversed) == function) return i;
  return -1;
}

/* The coordinates whose values the equations hold. */
static ritt_status find_form(const evaluator *e, ritti_arena *arena, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  const ritti_model *model = r->model;
  int *form;
  if (model->constants == 0) return RITT_OK;
  RITTI_NEW(form, arena, r->m);
  for (int i = 1; i < r->m; i++)
    for (int c = 0; c < model->constants; c++)
      form[i] |= r->coordinate[i] == ritti_jet(model->dag, model->constant[c], 0);
  p->form = form;
  return RITT_OK;
}

/* Records what an event assigns, and lists the coordinates that it must not change. */
static ritt_status make_jump(evaluator *e, ritti_arena *arena, int event, const int *role,
                             ritti_event *out, ritt_error *error) {
  const ritti_event_def *def = &e->reduced->model->event[event];
  const ritti_reduced *r = e->reduced;
  ritti_expr *value;
  bool *kept, *assigned, *written;
  int *target, count = 0, lowest = INT_MAX;
  RITTI_NEW_ARRAYS(arena, def->jumps + 1, value, target, written);
  RITTI_NEW_ARRAYS(arena, r->m, kept, assigned);
  for (int j = 0; j < def->jumps; j++) {
    /* The coordinate that a jump assigns; -1: it is none. */
    const ritti_jump_def *jump = &def->jump[j];
    uint32_t slot =
        ritti_layout_slot(e->layout, ritti_jet(r->model->dag, jump->variable, jump->order));
    int coordinate = slot < (uint32_t)r->m ? (int)slot : -1;

    if (coordinate < 0 && jump->optional) continue;
    if (coordinate < 0)
      return ritti_fail(
          error, RITT_WRONG_MODEL, &jump->place, "assign a variable or derivative below it",
          "the equations determine %s, so that it cannot jump",
          ritti_jet_name(arena, r->model->variable[jump->variable].name, jump->order));
    if (!jump->optional && jump->order < lowest) lowest = jump->order;
    value[count] = jump->value;
    written[count] = !jump->optional;
    target[count++] = coordinate;
  }
  RITT_TRY(ritti_one_side(r, arena, (size_t)count, &value));

  /* What a jump assigns is kept, and so is what it does not assign of lower order than what it
   * does, unless it follows from others. */
  for (int i = 0; i < r->m; i++)
    kept[i] = i == 0 || (ritti_order_of(r->model->dag, r->coordinate[i]) < lowest &&
                         !(role && role[i] == RITTI_ROLE_FOLLOWS));
  for (int j = 0; j < count; j++) kept[target[j]] = assigned[target[j]] = written[j];

  e->target[event] = target;
  if (count) out->kept = kept, out->assigned = assigned;
  return ritti_tape_record(e->layout, arena, value, (size_t)count, &e->jump[event]);
}

/* which row of f holds which level */
static ritt_status find_levels(const evaluator *e, ritti_arena *arena, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  int *level_of;
  RITTI_NEW(level_of, arena, r->k);
  for (int i = 0; i < r->k; i++) {
    ritti_nodes levels;
    RITT_TRY(ritti_leaves(r->model->dag, r->f[i], RITTI_LEVEL, &levels));
    level_of[i] = levels.count ? ritti_index_of(r->model->dag, levels.at[0]) : -1;
    ritti_free(levels.at);
  }
  p->level_of = level_of;
  p->level_at = ritti_layout_levels(e->layout), p->side_at = ritti_layout_sides(e->layout);
  return RITT_OK;
}

/* The rows that the model claims to be invariants; those that are projected without being invariants
 * are left out. */
static ritt_status find_invariants(const evaluator *e, ritti_arena *arena, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  int *invariant;
  bool any = false;
  RITTI_NEW(invariant, arena, r->k + 1);
  for (int i = 0; i < r->k; i++) {
    int number = r->origin[i].invariant;
    invariant[i] = number >= 0 && !r->model->invariant[number].projected;
    any |= invariant[i];
  }
  p->invariant = any ? invariant : NULL;
  return RITT_OK;
}

/* Which part of mechanics a result of f_df belongs to; those of f come first. */
static ritt_status list_parts(const ritti_reduced *r, ritti_arena *arena, unsigned char **out) {
  const ritti_pattern *p = &r->df.pattern;
  unsigned char *part, *entry;
  RITTI_NEW(part, arena, (size_t)r->k + ritti_entries(p) + 1);
  entry = part + r->k;
  for (int i = 0; i < r->k; i++) {
    part[i] = i < r->constraints       ? RITTI_PART_POSITIONS
              : i < 2 * r->constraints ? RITTI_PART_VELOCITIES
                                       : RITTI_PART_REST;
    for (int j = p->start[i]; j < p->start[i + 1]; j++)
      entry[j] =
          part[i] == RITTI_PART_VELOCITIES && p->col[j] <= r->positions ? RITTI_PART_REST : part[i];
  }
  *out = part;
  return RITT_OK;
}

/* True for entries that are numbers, so that they never change. */
static bool is_number(const ritti_reduced *r, ritti_expr e) {
  return ritti_op_of(r->model->dag, e) == RITTI_NUMBER;
}

/* [E H; G 0] and b: H is not read where the matrix is symmetric. */
static ritt_status list_system(const ritti_reduced *r, ritti_arena *arena, unsigned char **out) {
  const ritti_pattern *p = &r->A.pattern;
  size_t entries = ritti_entries(p);
  unsigned char *part;
  RITTI_NEW(part, arena, entries + (size_t)r->top_rows + 1);
  for (size_t i = 0; i < entries; i++) part[i] = is_number(r, r->A.entry[i]) ? CONSTANT : LOWER;
  for (int i = 0; i < r->top_rows; i++)
    part[entries + (size_t)i] = is_number(r, r->b[i]) ? CONSTANT : LOWER;
  for (int i = 0; i < r->positions; i++)
    for (int j = p->start[i]; j < p->start[i + 1]; j++)
      if (p->col[j] >= r->positions) part[j] = UPPER;
  *out = part;
  return RITT_OK;
}

/* True if the mass matrix is constant; then it is factored once. */
static bool has_constant_mass(const ritti_reduced *r) {
  const ritti_pattern *p = &r->A.pattern;
  for (int i = 0; i < r->positions; i++)
    for (int j = p->start[i]; j < p->start[i + 1]; j++)
      if (p->col[j] < r->positions && !is_number(r, r->A.entry[j])) return false;
  return true;
}

/* of the tapes of every step */
static ritt_status make_loops(evaluator *e, ritti_arena *arena) {
  const ritti_reduced *r = e->reduced;
  bool mechanics = r->kind == RITT_HOLONOMIC;
  unsigned char *part = NULL, *system = NULL;
  size_t m = (size_t)r->m;
  if (mechanics && e->f_df.kernels) RITT_TRY(list_parts(r, arena, &part));
  if (mechanics && e->system.kernels) RITT_TRY(list_system(&e->sided, arena, &system));
  RITT_TRY(ritti_loops_make(&e->f, m, e->f.results, part, arena));
  RITT_TRY(ritti_loops_make(&e->f_df, m, (size_t)r->k, part, arena));
  RITT_TRY(ritti_loops_make(&e->formula, m, e->formula.results, NULL, arena));
  RITT_TRY(ritti_loops_make(&e->system_d, m, e->system_d.results, NULL, arena));
  RITT_TRY(ritti_loops_make(&e->system_along, m, e->system_along.results, NULL, arena));
  RITT_TRY(ritti_loops_make(&e->f_d, m, e->f_d.results, NULL, arena));
  for (int i = 0; r->kind == RITT_IMPLICIT && i < r->groups; i++)
    RITT_TRY(ritti_loops_make(&e->top_stage[i], m, e->top_stage[i].results, NULL, arena));
  if (r->kind == RITT_IMPLICIT)
    return ritti_loops_make(&e->system, m, e->system.results, NULL, arena);
  if (!e->system.results) return RITT_OK;
  return ritti_loops_make(&e->system, m, e->system.results - (size_t)r->top_rows, system, arena);
}

/* Records all tapes of a Problem; `wants` adds those that some methods need. */
static ritt_status make_tapes(evaluator *e, unsigned wants, ritti_arena *arena, ritti_problem *p,
                              ritt_error *error) {
  const ritti_reduced *r = &e->sided;
  size_t k = (size_t)r->k, tops = (size_t)r->tops;
  /* the manifold */
  RITT_TRY(ritti_tape_record(e->layout, arena, r->f, k, &e->f));
  RITT_TRY(record_two(e, arena, r->f, k, r->df.entry, ritti_entries(&r->df.pattern), &e->f_df));
  if (wants & RITTI_WANTS_SECOND || wants_second(e->reduced)) {
    ritti_derivatives s = {0};
    ritt_status status = fill_second(e, arena, &s, p);
    RITTI_ARRAY_FREE(s.entry);
    RITTI_ARRAY_FREE(s.col);
    RITT_TRY(status);
  }
  /* the highest derivatives */
  if (r->kind == RITT_EXPLICIT)
    RITT_TRY(record_tops(e, arena, r->formula, tops, NULL, 0, &e->formula));
  else if (r->kind == RITT_IMPLICIT) {
    RITT_TRY(ritti_top_stages_make(e, arena, p));
    RITT_TRY(
        ritti_tape_record(e->layout, arena, r->A.entry, ritti_entries(&r->A.pattern), &e->system));
  } else
    RITT_TRY(record_tops(e, arena, r->A.entry, ritti_entries(&r->A.pattern), r->b,
                         (size_t)r->top_rows, &e->system));
  /* derivatives, outputs and monitors */
  if (wants & RITTI_WANTS_SYSTEM_DZ) RITT_TRY(make_system_dz(e, arena, p));
  ritti_expr *shown = (ritti_expr *)e->outputs;
  RITT_TRY(ritti_one_side(r, arena, e->output_count, &shown));
  RITT_TRY(ritti_tape_record(e->layout, arena, shown, e->output_count, &e->output));
  if (e->reduced->model->by_count) RITT_TRY(ritti_by_make(e, shown, arena, p));
  RITT_TRY(make_monitor(e, arena, p));

  /* switches and events */
  const ritti_model *model = e->reduced->model;
  ritti_event *event;
  if (needs_roles(r)) RITT_TRY(find_roles(e, arena, p));
  if (model->tangents) RITT_TRY(find_tangents(e, arena, p));
  RITT_TRY(find_form(e, arena, p));
  RITTI_NEW_ARRAYS(arena, model->events, event, e->jump, e->target);
  for (int i = 0; i < model->events; i++) {
    const ritti_event_def *def = &model->event[i];
    event[i] =
        (ritti_event){.name = def->name,
                      .sense = def->sense,
                      .stop = def->stop,
                      .record = def->record,
                      .hidden = def->hidden,
                      .surface = def->hidden ? find_surface(r, p->surfaces, def->function) : -1};
    RITT_TRY(make_jump(e, arena, i, p->role, &event[i], error));
  }
  p->event = event;

  /* invariants, and steps for stiff potentials */
  RITT_TRY(find_levels(e, arena, p));
  if (r->kinks > r->validities) RITT_TRY(find_invariants(e, arena, p));
  if (wants & RITTI_WANTS_STRONG && r->strong) RITT_TRY(ritti_strong_make(e, arena, p));
  ritti_layout_finish(e->layout);
  RITT_TRY(make_loops(e, arena));
  e->row_size = ritti_layout_size(e->layout);
  return RITT_OK;
}

/* A pattern without entries instead of none, so that loops need no test. */
static ritti_pattern usable_pattern(ritti_pattern p) {
  static const int none[1];
  return p.start ? p : (ritti_pattern){.start = none, .col = none};
}

/* The native step of a method; NULL if it is not there. Slots fill from the first on. */
static ritti_step_function *eval_whole(const void *data, unsigned long key) {
  const evaluator *e = data;
  for (int i = 0; i < RITTI_MOST_NATIVE; i++) {
    ritti_step_function *step = atomic_load_explicit(&e->code->step[i].take, memory_order_acquire);
    if (!step || e->code->step[i].key == key) return step;
  }
  return NULL;
}

/* The native tangents of a method; NULL if they are not there. */
static ritti_tangent_function *eval_tangents(const void *data, unsigned long key) {
  const evaluator *e = data;
  for (int i = 0; i < RITTI_MOST_NATIVE; i++) {
    if (!atomic_load_explicit(&e->code->step[i].take, memory_order_acquire)) return NULL;
    if (e->code->step[i].key == key) return e->code->step[i].tangents;
  }
  return NULL;
}

/* True if the code has twisted band factorisations. */
static bool eval_has_forms(const void *data) {
  return atomic_load_explicit(&((const evaluator *)data)->code->has_forms, memory_order_acquire);
}

/* The native code of a twisted band factorisation, by its key. */
static ritti_form *eval_form(const void *data, uint64_t key) {
  const evaluator *e = data;
  char name[64];
  ritti_format(name, sizeof name, "ritt_form_%08lx%08lx", (unsigned long)(key >> 32),
               (unsigned long)(key & 0xffffffffu));
  return (ritti_form *)e->code->get(e->code->from, name);
}

/* what does not need a tape */
static void fill_problem(const evaluator *e, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  p->kind = r->kind;
  p->chosen = r->chosen;
  p->m = r->m, p->k = r->k, p->tops = r->tops;
  p->outputs = (int)e->output_count;
  p->forced = r->forced;
  p->tangents = r->model->tangents;
  p->own_line = r->own_line;
  p->next = r->next;
  p->df = usable_pattern(r->df.pattern);
  p->A = usable_pattern(r->kind == RITT_EXPLICIT ? (ritti_pattern){0} : r->A.pattern);
  p->positions = r->positions, p->constraints = r->constraints;
#ifndef RITT_QUAD /* the factors are known as doubles only */
  p->symmetric = r->symmetric;
  p->s = r->s;
#endif
  p->data = e;
  p->work_size = e->row_size + TEXT_REALS;
  p->work_init = work_init;
  p->call.f = eval_f, p->call.f_df = eval_f_df;
  p->call.f_part = eval_f_part, p->call.f_df_part = eval_f_df_part;
  if (r->kind == RITT_HOLONOMIC && e->system.kernels && p->symmetric)
    p->call.system_lower = eval_system_lower, p->constant_mass = has_constant_mass(&e->sided);
  if (p->d2f.start) p->call.d2f_mu = eval_d2f_mu;
  p->d2f = usable_pattern(p->d2f);
  p->call.output = eval_output, p->call.monitor = eval_monitor;
  p->call.monitor_df = eval_monitor_df, p->call.jump = eval_jump;
  if (r->kind == RITT_EXPLICIT) p->call.formula = eval_formula;
  else if (r->kind == RITT_IMPLICIT)
    p->call.top_stage = eval_top_stage, p->call.system_at = eval_system_at,
    p->top_start = r->top_value;
  else p->call.system = eval_system;
  if (r->kind != RITT_IMPLICIT) p->call.series = eval_series;
  p->code.step = eval_whole, p->code.tangents = eval_tangents;
  p->code.form = eval_form, p->code.has_forms = eval_has_forms;
  p->name.coordinate = coordinate_name, p->name.row = row_name, p->name.monitor = monitor_name;
  p->name.culprit = name_culprit, p->name.condition = condition_text;
}

/* Releases native code at the end of the arena. */
static void free_code(void *data) {
  const ritti_code_slot *slot = data;
  if (slot->cache) slot->free_cache(slot->cache);
}

/* The slot of the native code of a Problem; NULL if it comes from functions of the caller. */
ritti_code_slot *ritti_problem_slot(const ritti_problem *p) {
  return p->work_init == work_init ? ((const evaluator *)p->data)->code : NULL;
}

/* Makes a Problem of a reduced system: tapes, names, functions. */
static ritt_status make_problem(unsigned wants, const ritti_reduced *reduced,
                                const ritti_expr *output, size_t outputs, ritti_arena *arena,
                                ritt_error *error, ritti_problem **out) {
  evaluator *e;
  ritti_problem *p;
  ritti_expr *kept;
  RITTI_NEW_ARRAYS(arena, 1, e, p);
  RITTI_NEW(kept, arena, outputs);
  if (outputs) memcpy(kept, output, outputs * sizeof *kept);
  e->reduced = reduced;
  e->outputs = kept, e->output_count = outputs;
  RITTI_NEW(e->code, arena, 1);
  atomic_flag_clear(&e->code->busy);
  RITT_TRY(ritti_arena_at_end(arena, free_code, e->code));
  RITT_TRY(ritti_layout_new(arena, reduced, &e->layout));
  RITT_TRY(ritti_reduced_one_side(reduced, arena, &e->sided));
  RITT_TRY(make_tapes(e, wants, arena, p, error));

  /* names for messages */
  const ritti_reduced *r = e->reduced;
  const ritti_model *model = r->model;
  RITTI_NEW(e->coordinate_name, arena, r->m);
  RITTI_NEW(e->row_name, arena, r->k);
  for (int i = 0; i < r->m; i++) {
    bool jet = ritti_op_of(model->dag, r->coordinate[i]) == RITTI_JET;
    e->coordinate_name[i] =
        jet ? ritti_jet_name(arena,
                             model->variable[ritti_index_of(model->dag, r->coordinate[i])].name,
                             ritti_order_of(model->dag, r->coordinate[i]))
            : model->independent;
    if (!e->coordinate_name[i]) return RITT_NO_MEMORY;
  }
  for (int i = 0; i < r->k; i++) {
    e->row_name[i] = ritti_origin_text(arena, model, r->origin[i]);
    if (!e->row_name[i]) return RITT_NO_MEMORY;
  }

  fill_problem(e, p);
  *out = p;
  return ritti_dag_status(reduced->model->dag);
}

/* Takes over parameters that have new numbers. */
ritt_status ritti_problem_renumber(const ritti_problem *p) {
  return ritti_layout_renumber(((const evaluator *)p->data)->layout);
}

/* A Problem with what every method needs. */
ritt_status ritti_problem_make(const ritti_reduced *reduced, const ritti_expr *output,
                               size_t outputs, ritti_arena *arena, ritt_error *error,
                               ritti_problem **out) {
  return ritti_problem_make_for(0, reduced, output, outputs, arena, error, out);
}

/* A Problem, with an error message if it cannot be made. */
ritt_status ritti_problem_make_for(unsigned wants, const ritti_reduced *reduced,
                                   const ritti_expr *output, size_t outputs, ritti_arena *arena,
                                   ritt_error *error, ritti_problem **out) {
  *out = NULL;
  ritt_status status = make_problem(wants, reduced, output, outputs, arena, error, out);
  if (status == RITT_NO_MEMORY) return ritti_no_memory(error);
  if (status == RITT_WRONG_CALL)
    return ritti_fail(error, status, NULL, NULL,
                      "an expression uses a derivative that the reduced system does not have");
  return status;
}
