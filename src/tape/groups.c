/* The tapes by which the tops of the implicit kind are found, one for each group of blocks.
 *
 * A tape of formulas gives the tops. Any other tape gives the rows T, the sizes of their terms, the
 * derivatives of each block by its own tops, and the arguments of exponentials that depend on these
 * tops. T counts as 0 if it is below rounding of its terms; a step of Newton's method that raises an
 * exponent by much is shortened.
 */
#include "tape/eval_impl.h"

typedef RITTI_ARRAY(ritti_expr) exprs;
typedef RITTI_ARRAY(int) ints;

typedef struct maker {
  const ritti_reduced *r; /* on one side of every surface */
  ritti_arena *arena;
  int *top_of; /* of each variable: its top */
  int *place;  /* of each top: its place in the block at hand, -1: none */
  exprs root;  /* of the tape in the making */
  ints col;
} maker;

/* The size of the terms of e: |a| + |b| for a + b, |a| |b| for a*b, with terms of factors. */
static ritti_expr size_of_terms(ritti_dag *dag, ritti_expr e, int depth) {
  ritti_op op = ritti_op_of(dag, e);
  size_t count = op == RITTI_ADD || op == RITTI_MULTIPLY ? ritti_argument_count(dag, e) : 0;
  if (depth == 0 || count == 0) return ritti_apply(dag, RITTI_ABS, &e, 1);
  ritti_expr whole = op == RITTI_ADD ? ritti_number(dag, 0, 1) : ritti_number(dag, 1, 1);
  for (size_t i = 0; i < count; i++) {
    ritti_expr part = size_of_terms(dag, ritti_argument(dag, e, i), depth - 1);
    whole = op == RITTI_ADD ? ritti_add(dag, whole, part) : ritti_multiply(dag, whole, part);
  }
  return whole;
}

/* Makes the tops of a block known by their place in it. */
static void enter_block(maker *m, const ritti_top_group *g, int b) {
  for (int i = g->block[b]; i < g->block[b + 1]; i++) m->place[g->top[i]] = i - g->block[b];
}

/* Forgets the tops of the block again. */
static void leave_block(maker *m, const ritti_top_group *g, int b) {
  for (int i = g->block[b]; i < g->block[b + 1]; i++) m->place[g->top[i]] = -1;
}

/* Does e contain a top of the block at hand? */
static ritt_status holds_tops(const maker *m, ritti_expr e, bool *yes) {
  const ritti_dag *dag = m->r->model->dag;
  ritti_nodes jets;
  *yes = false;
  RITT_TRY(ritti_leaves(dag, e, RITTI_JET, &jets));
  for (size_t i = 0; i < jets.count; i++) {
    int t = m->top_of[ritti_index_of(dag, jets.at[i])];
    *yes = *yes || (m->r->top[t] == jets.at[i] && m->place[t] >= 0);
  }
  ritti_free(jets.at);
  return RITT_OK;
}

/* The exponent of exp(u) and of a^u for a fixed number a; NIL: the node is neither. */
static ritti_expr exponent_of(ritti_dag *dag, ritti_expr node) {
  if (ritti_op_of(dag, node) == RITTI_EXP) return ritti_argument(dag, node, 0);
  if (ritti_op_of(dag, node) != RITTI_POWER) return RITTI_NIL;
  ritti_expr base = ritti_argument(dag, node, 0), exponent = ritti_argument(dag, node, 1);
  if (ritti_op_of(dag, exponent) == RITTI_NUMBER) return RITTI_NIL;
  return ritti_multiply(dag, exponent, ritti_apply(dag, RITTI_LOG, &base, 1));
}

/* Adds the exponents below the rows of a block that depend on its tops. */
static ritt_status add_exponents(maker *m, const ritti_top_group *g, int b, int *count) {
  ritti_dag *dag = m->r->model->dag;
  int first = g->block[b], end = g->block[b + 1];
  if (g->linear[b]) return RITT_OK;
  bool own;
  ritti_expr *row;
  ritti_nodes nodes;
  /* expressions below the rows of the block */
  RITTI_NEW(row, m->arena, end - first + 1);
  for (int i = first; i < end; i++) row[i - first] = m->r->b[g->row[i]];
  RITT_TRY(ritti_nodes_below(dag, row, (size_t)(end - first), &nodes));
  ritt_status status = RITT_OK;
  /* exponents in which a top occurs */
  for (size_t i = 0; i < nodes.count && status == RITT_OK; i++) {
    ritti_expr exponent = exponent_of(dag, nodes.at[i]);
    if (exponent == RITTI_NIL) continue;
    status = holds_tops(m, exponent, &own);
    if (status != RITT_OK || !own) continue;
    status = RITTI_PUSH(m->root, exponent);
    (*count)++;
  }
  ritti_free(nodes.at);
  return status;
}

/* Adds the derivatives of the rows of block b by its own tops, and ends their rows of the pattern. */
static ritt_status add_derivatives(maker *m, const ritti_top_group *g, int b, int *start) {
  const ritti_expr_matrix *A = &m->r->A;
  for (int i = g->block[b]; i < g->block[b + 1]; i++) {
    for (int e = A->pattern.start[g->row[i]]; e < A->pattern.start[g->row[i] + 1]; e++) {
      int place = m->place[A->pattern.col[e]];
      if (place < 0) continue;
      RITT_TRY(RITTI_PUSH(m->root, A->entry[e]));
      RITT_TRY(RITTI_PUSH(m->col, place));
    }
    start[i + 1] = (int)m->col.count;
  }
  return RITT_OK;
}

/* The columns of a row in ascending order, with their entries. */
static void sort_row(int *col, ritti_expr *entry, int first, int end) {
  for (int i = first + 1; i < end; i++)
    for (int j = i; j > first && col[j - 1] > col[j]; j--) {
      int c = col[j];
      ritti_expr e = entry[j];
      col[j] = col[j - 1], entry[j] = entry[j - 1];
      col[j - 1] = c, entry[j - 1] = e;
    }
}

/* Rows, sizes, derivatives, exponents of a group that is solved for. */
static ritt_status fill_rows(maker *m, const ritti_top_group *g, ritti_top_stage *S) {
  enum { DEPTH = 4 };
  ritti_dag *dag = m->r->model->dag;
  int *start, *col, *exponent;
  /* first the rows, then the sizes of their terms */
  RITTI_NEW(start, m->arena, g->count + 1);
  RITTI_NEW(exponent, m->arena, g->blocks + 1);
  for (int i = 0; i < g->count; i++) RITT_TRY(RITTI_PUSH(m->root, m->r->b[g->row[i]]));
  for (int i = 0; i < g->count; i++)
    RITT_TRY(RITTI_PUSH(m->root, size_of_terms(dag, m->r->b[g->row[i]], DEPTH)));
  /* derivatives, by blocks */
  for (int b = 0; b < g->blocks; b++) {
    enter_block(m, g, b);
    RITT_TRY(add_derivatives(m, g, b, start));
    leave_block(m, g, b);
  }
  for (int i = 0; i < g->count; i++)
    sort_row(m->col.at, m->root.at + 2 * g->count, start[i], start[i + 1]);
  /* exponents, which bound Newton's steps */
  for (int b = 0; b < g->blocks; b++) {
    enter_block(m, g, b);
    RITT_TRY(add_exponents(m, g, b, &S->exponents));
    leave_block(m, g, b);
    exponent[b + 1] = S->exponents;
  }
  /* keep the pattern beyond the maker */
  RITTI_NEW(col, m->arena, m->col.count + 1);
  if (m->col.count) memcpy(col, m->col.at, m->col.count * sizeof *col);
  S->dT = (ritti_pattern){g->count, g->count, start, col};
  S->exponent = exponent;
  return RITT_OK;
}

/* Makes a stage: a group of tops that are given by formulas, or solved for. */
static ritt_status make_stage(ritti_evaluator *e, maker *m, const ritti_top_group *g,
                              ritti_tape *tape, ritti_top_stage *S) {
  *S = (ritti_top_stage){.formula = g->formula,
                         .count = g->count,
                         .top = g->top,
                         .row = g->row,
                         .blocks = g->blocks,
                         .block = g->block,
                         .linear = g->linear};
  m->root.count = m->col.count = 0;
  if (g->formula) {
    for (int i = 0; i < g->count; i++) RITT_TRY(RITTI_PUSH(m->root, m->r->formula[g->top[i]]));
    return ritti_tape_record(e->layout, m->arena, m->root.at, m->root.count, tape);
  }
  RITT_TRY(fill_rows(m, g, S));
  return ritti_tape_record(e->layout, m->arena, m->root.at, m->root.count, tape);
}

/* Makes the stages one after the other; later ones use the tops of earlier ones. */
static ritt_status make_stages(ritti_evaluator *e, maker *m, ritti_problem *p) {
  const ritti_reduced *r = m->r;
  ritti_top_stage *stage;
  RITTI_NEW(stage, m->arena, r->groups + 1);
  RITTI_NEW(e->top_stage, m->arena, r->groups + 1);
  RITTI_NEW(m->place, m->arena, r->tops + 1);
  RITTI_NEW(m->top_of, m->arena, r->model->variables + 1);
  for (int i = 0; i < r->tops; i++) {
    m->place[i] = -1;
    m->top_of[ritti_index_of(r->model->dag, r->top[i])] = i;
  }
  for (int i = 0; i < r->groups; i++)
    RITT_TRY(make_stage(e, m, &r->group[i], &e->top_stage[i], &stage[i]));
  p->top_stage = stage;
  p->top_stages = r->groups;
  return RITT_OK;
}

/* Adds the stages of an implicit Problem. */
ritt_status ritti_top_stages_make(ritti_evaluator *e, ritti_arena *arena, ritti_problem *p) {
  maker m = {.r = &e->sided, .arena = arena};
  ritt_status status = make_stages(e, &m, p);
  RITTI_ARRAY_FREE(m.root);
  RITTI_ARRAY_FREE(m.col);
  return status;
}
