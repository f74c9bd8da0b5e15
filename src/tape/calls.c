/* The functions of a Problem: they run its tapes at a point, and name what has no value.
 *
 * The evaluator is constant; all that changes is in the solver's work: the row of the tapes, then
 * room for the text of a culprit.
 */
#include <float.h>
#include <stdio.h>
#include "tape/eval_impl.h"

enum { TEXT_REALS = 64, LONGEST_CULPRIT = 200 };

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
  ritti_tape_execute_to(
      &e->system, z, (size_t)e->reduced->m, work, e->system.results - (size_t)e->reduced->top_rows,
      again ? RITTI_SYSTEM_LOWER : RITTI_SYSTEM_LOWER | RITTI_SYSTEM_CONSTANT, A, b);
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

/* The native stages of an implicit method; NULL if they are not there. */
static ritti_stage_function *eval_stages(const void *data, int s) {
  const evaluator *e = data;
  return atomic_load_explicit(&e->code->stages[s], memory_order_acquire);
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

/* The slot of the native code of a Problem; NULL if it comes from functions of the caller. */
ritti_code_slot *ritti_problem_slot(const ritti_problem *p) {
  return p->work_init == work_init ? ((const evaluator *)p->data)->code : NULL;
}

void ritti_problem_set_calls(const ritti_evaluator *e, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  p->data = e;
  p->work_size = e->row_size + TEXT_REALS;
  p->work_init = work_init;

  /* the manifold */
  p->call.f = eval_f, p->call.f_df = eval_f_df;
  p->call.f_part = eval_f_part, p->call.f_df_part = eval_f_df_part;
  if (p->d2f.start) p->call.d2f_mu = eval_d2f_mu;

  /* the highest derivatives */
  if (r->kind == RITT_HOLONOMIC && e->system.kernels && p->symmetric)
    p->call.system_lower = eval_system_lower;
  if (r->kind == RITT_EXPLICIT) p->call.formula = eval_formula;
  else if (r->kind == RITT_IMPLICIT)
    p->call.top_stage = eval_top_stage, p->call.system_at = eval_system_at;
  else p->call.system = eval_system;
  if (r->kind != RITT_IMPLICIT) p->call.series = eval_series;
  if (p->dr.start) p->call.system_dz = eval_system_dz;

  /* outputs, events and switches */
  p->call.output = eval_output, p->call.monitor = eval_monitor;
  p->call.monitor_df = eval_monitor_df, p->call.jump = eval_jump;
  if (p->impulses.start) p->call.impulses = eval_impulses;

  /* native code, and names for messages */
  p->code.step = eval_whole, p->code.tangents = eval_tangents, p->code.stages = eval_stages;
  p->code.form = eval_form, p->code.has_forms = eval_has_forms;
  p->name.coordinate = coordinate_name, p->name.row = row_name, p->name.monitor = monitor_name;
  p->name.culprit = name_culprit, p->name.condition = condition_text;
}
