/* The tops of the implicit kind in the order in which they are found.
 *
 * In: the rows T(z, w) = 0 for the tops w, and the pattern of their derivatives by w. Out: groups of
 * blocks of its block triangular form. The blocks of a group depend on tops of earlier groups only,
 * so that one evaluation serves all of them. A block of one row that holds its top linearly, with a
 * constant coefficient, becomes a formula; other blocks are solved for, linear ones in one step.
 */
#include "complete/complete_impl.h"

typedef struct grouping {
  ritti_completion *C;
  ritti_reduced *R;
  ritti_blocks blocks;
  int *top_of;   /* of each variable: its top */
  int *block_of; /* of each top */
  bool *found;   /* blocks that are in a group */
  bool *formula; /* blocks that are formulas */
  bool *linear;  /* blocks that are linear in their own tops */
} grouping;

/* Does e contain a top of the block? */
static ritt_status holds_own_tops(const grouping *G, int block, ritti_expr e, bool *yes) {
  const ritti_dag *dag = G->C->dag;
  const unsigned char *mark = ritti_marks(G->C);
  ritti_nodes jets;
  *yes = false;
  if (!mark) return RITT_NO_MEMORY;
  if (!(mark[e] & RITTI_HAS_TOP)) return RITT_OK;
  RITT_TRY(ritti_leaves(dag, e, RITTI_JET, &jets));
  for (size_t i = 0; i < jets.count; i++) {
    int j = ritti_index_of(dag, jets.at[i]);
    bool top = ritti_order_of(dag, jets.at[i]) == G->C->d[j];
    *yes = *yes || (top && G->block_of[G->top_of[j]] == block);
  }
  ritti_free(jets.at);
  return RITT_OK;
}

/* Does a comparison below e decide by a top of the block? */
static ritt_status compares_own_top(const grouping *G, int block, ritti_expr e, bool *yes) {
  ritti_nodes nodes;
  RITT_TRY(ritti_nodes_below(G->C->dag, &e, 1, &nodes));
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < nodes.count && status == RITT_OK && !*yes; i++) {
    ritti_expr argument = ritti_kink_argument(G->C->dag, nodes.at[i]);
    if (argument != RITTI_NIL) status = holds_own_tops(G, block, argument, yes);
  }
  ritti_free(nodes.at);
  return status;
}

/* Sets linear and formula of a block. */
static ritt_status classify_block(grouping *G, int b) {
  const ritti_expr_matrix *A = &G->R->A;
  int first = G->blocks.start[b], end = G->blocks.start[b + 1];
  bool linear = true, constant = false;
  for (int i = first; i < end; i++) {
    int row = G->blocks.row[i];
    for (int e = A->pattern.start[row]; linear && e < A->pattern.start[row + 1]; e++) {
      bool own;
      if (G->block_of[A->pattern.col[e]] != b) continue;
      RITT_TRY(holds_own_tops(G, b, A->entry[e], &own));
      linear = !own;
      if (linear && end - first == 1) RITT_TRY(ritti_is_fixed(G->C, A->entry[e], &constant));
    }
  }
  G->linear[b] = linear;
  bool compared = false;
  if (linear && end - first == 1 && constant)
    RITT_TRY(compares_own_top(G, b, G->R->b[G->blocks.row[first]], &compared));
  G->formula[b] = linear && end - first == 1 && constant && !compared;
  return RITT_OK;
}

/* Are all tops known on which the block depends? */
static bool is_ready(const grouping *G, int b) {
  const ritti_pattern *A = &G->R->A.pattern;
  for (int i = G->blocks.start[b]; i < G->blocks.start[b + 1]; i++)
    for (int e = A->start[G->blocks.row[i]]; e < A->start[G->blocks.row[i] + 1]; e++) {
      int other = G->block_of[A->col[e]];
      if (other != b && !G->found[other]) return false;
    }
  return true;
}

/* top = -(row with top = 0) / coefficient, for all places of a group of formulas. A row holds one top
 * of the group, its own. */
static ritt_status make_formulas(grouping *G, ritti_top_group *group) {
  const ritti_expr_matrix *A = &G->R->A;
  ritti_dag *dag = G->C->dag;
  ritti_expr *leaf, *zero, *value;
  RITTI_NEW(leaf, G->C->arena, group->count + 1);
  RITTI_NEW(zero, G->C->arena, group->count + 1);
  RITTI_NEW(value, G->C->arena, group->count + 1);
  for (int i = 0; i < group->count; i++) {
    leaf[i] = G->R->top[group->top[i]];
    zero[i] = ritti_number(dag, 0, 1);
    value[i] = G->R->b[group->row[i]];
  }
  RITT_TRY(
      ritti_dag_substitute(dag, leaf, zero, (size_t)group->count, value, (size_t)group->count));
  for (int i = 0; i < group->count; i++)
    for (int e = A->pattern.start[group->row[i]]; e < A->pattern.start[group->row[i] + 1]; e++)
      if (A->pattern.col[e] == group->top[i])
        G->R->formula[group->top[i]] = ritti_divide(dag, ritti_negate(dag, value[i]), A->entry[e]);
  return ritti_dag_status(dag);
}

/* The blocks among the candidates, as a group. */
static ritt_status add_group(grouping *G, const int *candidate, int candidates, bool formula) {
  ritti_arena *arena = G->C->arena;
  ritti_top_group *group = &G->R->group[G->R->groups++];
  int places = 0;
  for (int i = 0; i < candidates; i++) {
    int b = candidate[i];
    if (G->formula[b] == formula) places += G->blocks.start[b + 1] - G->blocks.start[b];
  }
  *group = (ritti_top_group){.formula = formula};
  RITTI_NEW(group->top, arena, places + 1);
  RITTI_NEW(group->row, arena, places + 1);
  RITTI_NEW(group->block, arena, candidates + 1);
  RITTI_NEW(group->linear, arena, candidates + 1);
  for (int i = 0; i < candidates; i++) {
    int b = candidate[i];
    if (G->formula[b] != formula) continue;
    for (int j = G->blocks.start[b]; j < G->blocks.start[b + 1]; j++) {
      group->top[group->count] = G->blocks.column[j];
      group->row[group->count++] = G->blocks.row[j];
    }
    group->linear[group->blocks++] = G->linear[b];
    group->block[group->blocks] = group->count;
    G->found[b] = true;
  }
  return formula ? make_formulas(G, group) : RITT_OK;
}

/* Blocks in layers: each block is looked at when the last block that it needs has been found. */
ritt_status ritti_group_tops(ritti_completion *C, ritti_reduced *R) {
  grouping G = {.C = C, .R = R};
  RITT_TRY(ritti_find_blocks(&R->A.pattern, C->arena, &G.blocks));
  int count = G.blocks.count, *waiting, *ready;
  if (count == 0)
    return ritti_fail(C->error, RITT_UNDECIDED, NULL, NULL,
                      "the equations for the highest derivatives have no block triangular form");
  RITTI_NEW(G.top_of, C->arena, C->n + 1);
  for (int i = 0; i < R->tops; i++) G.top_of[ritti_index_of(C->dag, R->top[i])] = i;
  RITTI_NEW(G.block_of, C->arena, R->tops + 1);
  RITTI_NEW(G.found, C->arena, count + 1);
  RITTI_NEW(G.formula, C->arena, count + 1);
  RITTI_NEW(G.linear, C->arena, count + 1);
  RITTI_NEW(waiting, C->arena, count + 1);
  RITTI_NEW(ready, C->arena, count + 1);
  RITTI_NEW(R->group, C->arena, 2 * count + 1);
  RITTI_NEW(R->formula, C->arena, R->tops + 1);
  for (int i = 0; i < R->tops; i++) R->formula[i] = ritti_number(C->dag, 0, 1);
  for (int b = 0; b < count; b++)
    for (int i = G.blocks.start[b]; i < G.blocks.start[b + 1]; i++)
      G.block_of[G.blocks.column[i]] = b;
  for (int b = 0; b < count; b++) {
    RITT_TRY(classify_block(&G, b));
    waiting[b] = b;
  }

  for (int left = count; left > 0;) {
    int readies = 0, still = 0;
    bool formula = false;
    for (int i = 0; i < left; i++)
      if (is_ready(&G, waiting[i])) {
        ready[readies++] = waiting[i];
        formula = formula || G.formula[waiting[i]];
      }
    RITT_TRY(add_group(&G, ready, readies, formula));
    for (int i = 0; i < left; i++)
      if (!G.found[waiting[i]]) waiting[still++] = waiting[i];
    left = still;
  }
  return RITT_OK;
}
