/* Reduced -> Problem: one tape for each function (calls.c has the functions, events.c what belongs to
 * events and switches).
 *
 * In: expressions of f, df, A, b or the formula, the outputs and the kinks. Made here: the second
 * derivatives sum mu_i d2f_i, as the gradient of the gradient of sum mu_i f_i. The data is constant
 * once made. The general kind is not made here.
 */
#include "tape/eval_impl.h"

typedef ritti_evaluator evaluator;

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
  for (size_t i = 0; i < entries; i++)
    part[i] = is_number(r, r->A.entry[i]) ? RITTI_SYSTEM_CONSTANT : RITTI_SYSTEM_LOWER;
  for (int i = 0; i < r->top_rows; i++)
    part[entries + (size_t)i] = is_number(r, r->b[i]) ? RITTI_SYSTEM_CONSTANT : RITTI_SYSTEM_LOWER;
  for (int i = 0; i < r->positions; i++)
    for (int j = p->start[i]; j < p->start[i + 1]; j++)
      if (p->col[j] >= r->positions) part[j] = RITTI_SYSTEM_UPPER;
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
  RITT_TRY(ritti_events_make(e, arena, p, error));

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
  if (r->kind == RITT_IMPLICIT) p->top_start = r->top_value;
  ritti_problem_set_calls(e, p);
  if (p->call.system_lower) p->constant_mass = has_constant_mass(&e->sided);
  p->d2f = usable_pattern(p->d2f);
}

/* Releases native code at the end of the arena. */
static void free_code(void *data) {
  const ritti_code_slot *slot = data;
  if (slot->cache) slot->free_cache(slot->cache);
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
