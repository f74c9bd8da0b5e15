/* Expressions of a completed system and their derivatives at a point. The derivatives are
 * expressions too: all are evaluated together by one plan. */
#include "derive/derive.h"

/* The column of a jet; -1: it is neither a coordinate nor a top. */
static int find_column(const ritti_jacobian *J, int variable, int order) {
  int first = J->first[variable];
  return first + order < J->first[variable + 1] ? J->place[first + order] : -1;
}

static double jet_value(const void *context, int variable, int order) {
  const ritti_jacobian *J = context;
  int column = find_column(J, variable, order), m = J->reduced->m;
  if (column < 0) return NAN;
  return column < m ? J->z[column] : J->top[column - m];
}

/* Fills first and place. */
static ritt_status place_jets(ritti_jacobian *J, ritti_arena *arena) {
  const ritti_reduced *R = J->reduced;
  const ritti_dag *dag = R->model->dag;
  int variables = R->model->variables, all = R->m + R->tops, *most;
  RITTI_NEW(most, arena, variables + 1);
  for (int i = 1; i < all; i++) {
    ritti_expr e = i < R->m ? R->coordinate[i] : R->top[i - R->m];
    int variable = ritti_index_of(dag, e), orders = ritti_order_of(dag, e) + 1;
    if (orders > most[variable]) most[variable] = orders;
  }
  RITTI_NEW(J->first, arena, variables + 1);
  for (int i = 0; i < variables; i++) J->first[i + 1] = J->first[i] + most[i];
  RITTI_NEW(J->place, arena, J->first[variables] + 1);
  for (int i = 0; i < J->first[variables]; i++) J->place[i] = -1;
  for (int i = 1; i < all; i++) {
    ritti_expr e = i < R->m ? R->coordinate[i] : R->top[i - R->m];
    J->place[J->first[ritti_index_of(dag, e)] + ritti_order_of(dag, e)] = i;
  }
  return RITT_OK;
}

typedef struct entry {
  ritti_expr derivative;
  int row, column;
} entry;
typedef RITTI_ARRAY(entry) entry_list;

/* The column of a leaf; -1: this derivative is not needed. */
static int leaf_column(const ritti_jacobian *J, ritti_expr leaf, const int *parameter,
                       int parameters) {
  const ritti_dag *dag = J->reduced->model->dag;
  switch (ritti_op_of(dag, leaf)) {
  case RITTI_INDEPENDENT: return 0;
  case RITTI_JET: return find_column(J, ritti_index_of(dag, leaf), ritti_order_of(dag, leaf));
  case RITTI_PARAMETER:
    for (int i = 0; i < parameters; i++)
      if (parameter[i] == ritti_index_of(dag, leaf)) return J->reduced->m + J->reduced->tops + i;
    return -1;
  default: return -1;
  }
}

static ritt_status list_entries(const ritti_jacobian *J, const ritti_expr *row,
                                const int *parameter, int parameters, entry_list *list) {
  ritti_dag *dag = J->reduced->model->dag;
  unsigned kinds = 1u << RITTI_INDEPENDENT | 1u << RITTI_JET | 1u << RITTI_PARAMETER;
  for (int i = 0; i < J->rows; i++) {
    ritti_gradient g;
    ritt_status status = ritti_dag_gradient_of(dag, row[i], kinds, &g);
    for (size_t k = 0; status == RITT_OK && k < g.count; k++) {
      int column = leaf_column(J, g.leaf[k], parameter, parameters);
      if (column >= 0) status = RITTI_PUSH(*list, (entry){g.derivative[k], i, column});
    }
    ritti_gradient_clear(&g);
    RITT_TRY(status);
  }
  return ritti_dag_status(dag);
}

static void free_plan(void *plan) { ritti_plan_free(plan); }

/* The plan of the rows and of the entries of the matrix. */
static ritt_status make_plan(ritti_jacobian *J, const ritti_expr *row, const entry_list *list,
                             ritti_arena *arena) {
  size_t rows = (size_t)J->rows;
  ritti_expr *root;
  J->entries = list->count;
  RITTI_NEW_ARRAYS(arena, list->count + 1, J->row, J->column);
  RITTI_NEW(root, arena, rows + list->count + 1);
  RITTI_NEW(J->result, arena, rows + list->count + 1);
  for (size_t i = 0; i < rows; i++) root[i] = row[i];
  for (size_t i = 0; i < list->count; i++) {
    root[rows + i] = list->at[i].derivative;
    J->row[i] = list->at[i].row;
    J->column[i] = list->at[i].column;
  }
  RITT_TRY(ritti_plan_new(J->reduced->model->dag, root, rows + list->count, &J->plan));
  ritt_status status = ritti_arena_at_end(arena, free_plan, J->plan);
  if (status != RITT_OK) ritti_plan_free(J->plan);
  return status;
}

ritt_status ritti_jacobian_new(const ritti_reduced *reduced, const ritti_expr *row, int rows,
                               const int *parameter, int parameters, ritti_arena *arena,
                               ritti_jacobian **out) {
  const ritti_model *model = reduced->model;
  ritti_jacobian *J;
  RITTI_NEW(J, arena, 1);
  J->reduced = reduced;
  J->rows = rows;
  J->columns = reduced->m + reduced->tops + parameters;
  RITTI_NEW(J->value, arena, rows + 1);
  RITTI_NEW(J->matrix, arena, (size_t)rows * (size_t)J->columns + 1);
  RITTI_NEW(J->parameter, arena, model->parameters + 1);
  for (int i = 0; i < model->parameters; i++) J->parameter[i] = model->parameter[i].number;
  RITT_TRY(place_jets(J, arena));

  entry_list list = {0};
  ritt_status status = list_entries(J, row, parameter, parameters, &list);
  if (status == RITT_OK) status = make_plan(J, row, &list, arena);
  RITTI_ARRAY_FREE(list);
  *out = J;
  return status;
}

ritt_status ritti_jacobian_at(ritti_jacobian *J, const double *z, const double *top) {
  ritti_values values = {.independent = z[0],
                         .jet = jet_value,
                         .context = J,
                         .parameter = J->parameter,
                         .level = J->reduced->level};
  size_t rows = (size_t)J->rows, columns = (size_t)J->columns;
  bool finite = true;
  J->z = z;
  J->top = top;
  ritti_plan_evaluate(J->plan, &values, J->result);
  for (size_t i = 0; i < rows + J->entries; i++) finite &= isfinite(J->result[i]) != 0;
  if (!finite) return RITT_RETRY;

  memcpy(J->value, J->result, rows * sizeof *J->value);
  memset(J->matrix, 0, rows * columns * sizeof *J->matrix);
  for (size_t i = 0; i < J->entries; i++)
    J->matrix[(size_t)J->row[i] * columns + (size_t)J->column[i]] = J->result[rows + i];
  return RITT_OK;
}
