/* Derivatives that occur only in differences, or in other combinations with small whole coefficients.
 *
 * A capacitor between two nodes has the current C*(a' - b'): neither a nor b needs an initial value,
 * only a - b does. If such nodes are joined by diodes the equations that do not contain derivatives are
 * combinations of others, and nonlinear. In: a model whose equations contain first derivatives y' as
 * A*y', A constant. Out: the model with one more unknown u = y_p + sum R_pj*y_j for each row of the
 * reduced echelon form (1 R) of A that has more than one entry, with u' instead of y_p' and without the
 * other derivatives: A*y' = A_P*(1 R)*y' = A_P*u'. Then u alone is a state, and the nodes are algebraic
 * unknowns.
 *
 * R is found in doubles and taken if it consists of small whole numbers and A = A_P*(1 R) holds
 * exactly, for all values of the parameters.
 */
#include <stdio.h>
#include "complete/complete_impl.h"

enum { MOST = 200 }; /* differentiated unknowns: the matrix is dense */

typedef struct differences {
  ritti_model *model;
  ritti_dag *dag;
  ritti_arena *arena; /* of the model: what is found becomes a part of it */
  ritti_completion C; /* for the values of parameters */
  int rows, cols;     /* equations, differentiated unknowns */
  int *variable;      /* of each column */
  ritti_expr *entry;  /* rows x cols: the coefficients; NIL: 0 */
  double *a;          /* their values, then the echelon form */
  int rank, *pivot;   /* column of each row of the echelon form */
} differences;

/* Lists the unknowns whose first derivatives occur. *fits: no higher ones do. */
static ritt_status list_columns(differences *D, bool *fits) {
  int *order;
  *fits = true;
  RITTI_NEW(order, D->arena, D->model->variables + 1);
  for (int i = 0; i < D->model->equations; i++) {
    ritti_nodes jets;
    RITT_TRY(ritti_leaves(D->dag, D->model->equation[i].residual, RITTI_JET, &jets));
    for (size_t k = 0; k < jets.count; k++) {
      int j = ritti_index_of(D->dag, jets.at[k]), here = ritti_order_of(D->dag, jets.at[k]);
      if (here > order[j]) order[j] = here;
    }
    ritti_free(jets.at);
  }
  RITTI_NEW(D->variable, D->arena, D->model->variables + 1);
  for (int j = 0; j < D->model->variables; j++) {
    *fits = *fits && order[j] <= 1;
    if (order[j] == 1) D->variable[D->cols++] = j;
  }
  *fits = *fits && D->cols > 1 && D->cols <= MOST;
  return RITT_OK;
}

/* The matrix A. *fits: it is constant. */
static ritt_status fill_matrix(differences *D, bool *fits) {
  size_t size = (size_t)D->rows * (size_t)D->cols;
  ritti_at at = {&D->C, NULL};
  ritti_values values = ritti_values_at(&at);
  RITTI_NEW(D->entry, D->arena, size + 1);
  RITTI_NEW(D->a, D->arena, size + 1);
  for (size_t e = 0; e < size; e++) D->entry[e] = RITTI_NIL;
  for (int i = 0; i < D->rows && *fits; i++) {
    ritti_gradient g;
    ritt_status status = ritti_dag_gradient(D->dag, D->model->equation[i].residual, &g);
    for (size_t k = 0; k < g.count && status == RITT_OK && *fits; k++) {
      if (ritti_op_of(D->dag, g.leaf[k]) != RITTI_JET || ritti_order_of(D->dag, g.leaf[k]) != 1)
        continue;
      int column = 0;
      while (D->variable[column] != ritti_index_of(D->dag, g.leaf[k])) column++;
      D->entry[i * D->cols + column] = g.derivative[k];
      status = ritti_is_fixed(&D->C, g.derivative[k], fits);
      if (status == RITT_OK && *fits)
        status = ritti_dag_evaluate(D->dag, g.derivative[k], &values, &D->a[i * D->cols + column]);
    }
    ritti_gradient_clear(&g);
    RITT_TRY(status);
  }
  return RITT_OK;
}

/* Reduces D->a to its echelon form, whose rows come first. */
static ritt_status reduce_matrix(differences *D) {
  int n = D->cols;
  RITTI_NEW(D->pivot, D->arena, n + 1);
  for (int i = 0; i < D->rows; i++) {
    double most = 0;
    for (int j = 0; j < n; j++) most = fmax(most, fabs(D->a[i * n + j]));
    for (int j = 0; j < n && most > 0; j++) D->a[i * n + j] /= most;
  }
  for (int j = 0; j < n && D->rank < D->rows; j++) {
    int best = D->rank;
    for (int i = D->rank; i < D->rows; i++)
      if (fabs(D->a[i * n + j]) > fabs(D->a[best * n + j])) best = i;
    double pivot = D->a[best * n + j];
    if (fabs(pivot) < 1e-9) continue;
    for (int k = 0; k < n; k++) {
      double swap = D->a[best * n + k];
      D->a[best * n + k] = D->a[D->rank * n + k];
      D->a[D->rank * n + k] = swap / pivot;
    }
    for (int i = 0; i < D->rows; i++) {
      double factor = D->a[i * n + j];
      if (i == D->rank || factor == 0) continue;
      for (int k = 0; k < n; k++) D->a[i * n + k] -= factor * D->a[D->rank * n + k];
    }
    D->pivot[D->rank++] = j;
  }
  return RITT_OK;
}

/* Are the coefficients of the combinations small whole numbers, and is there one of several unknowns?
 * Does A = A_P*(1 R) hold exactly? */
static bool is_exact(differences *D) {
  bool several = false;
  int n = D->cols;
  for (int r = 0; r < D->rank; r++)
    for (int j = 0; j < n; j++) {
      double *a = &D->a[r * n + j], whole = round(*a);
      if (fabs(*a - whole) > 1e-7 || fabs(whole) > 8) return false;
      *a = whole;
      several = several || (whole != 0 && j != D->pivot[r]);
    }
  for (int i = 0; i < D->rows && several; i++)
    for (int j = 0; j < n; j++) {
      ritti_expr sum = D->entry[i * n + j];
      if (sum == RITTI_NIL) sum = ritti_number(D->dag, 0, 1);
      for (int r = 0; r < D->rank; r++) {
        ritti_expr entry = D->entry[i * n + D->pivot[r]];
        long whole = (long)D->a[r * n + j];
        if (whole == 0 || entry == RITTI_NIL) continue;
        ritti_expr part = ritti_multiply(D->dag, ritti_number(D->dag, whole, 1), entry);
        sum = ritti_subtract(D->dag, sum, part);
      }
      if (!ritti_is_zero(D->dag, sum)) return false;
    }
  return several;
}

/* "a - b" */
static const char *name_combination(const differences *D, int r) {
  ritti_text text = {0};
  for (int j = 0; j < D->cols; j++) {
    double whole = D->a[r * D->cols + j];
    const char *name = D->model->variable[D->variable[j]].name;
    if (whole == 0) continue;
    ritti_text_add(&text, "%s", whole < 0 ? (text.count ? " - " : "-") : text.count ? " + " : "");
    if (fabs(whole) != 1) ritti_text_add(&text, "%.0f*", fabs(whole));
    ritti_text_add(&text, "%s", name);
  }
  const char *copy =
      text.status == RITT_OK && text.at ? ritti_arena_format(D->arena, "(%s)", text.at) : NULL;
  ritti_text_free(&text);
  return copy;
}

/* Adds the unknown of row r of the echelon form, and its equation. */
static ritt_status add_unknown(differences *D, int r, ritti_model *out, const char **names) {
  int u = out->variables++;
  const char *name = name_combination(D, r);
  if (!name) return RITT_NO_MEMORY;
  out->variable[u] =
      (ritti_variable_def){.name = name, .combination = true, .place = out->equation[0].place};
  names[u] = name;

  ritti_expr sum = ritti_jet(D->dag, u, 0);
  for (int j = 0; j < D->cols; j++) {
    long whole = (long)D->a[r * D->cols + j];
    if (whole == 0) continue;
    ritti_expr part = ritti_multiply(D->dag, ritti_number(D->dag, whole, 1),
                                     ritti_jet(D->dag, D->variable[j], 0));
    sum = ritti_subtract(D->dag, sum, part);
  }
  out->equation[out->equations++] = (ritti_equation_def){.subject = "combination of states",
                                                         .source = "states",
                                                         .left = sum,
                                                         .right = ritti_number(D->dag, 0, 1),
                                                         .residual = sum,
                                                         .place = out->equation[0].place};
  return RITT_OK;
}

static ritt_status write_model(differences *D, ritti_model **result) {
  const ritti_model *model = D->model;
  ritti_model *out;
  const char **names;
  ritti_expr *leaf, *value, *residual;
  int n = D->cols;
  RITTI_NEW(out, D->arena, 1);
  *out = *model;
  RITTI_NEW(out->variable, D->arena, model->variables + D->rank + 1);
  RITTI_NEW(names, D->arena, model->variables + D->rank + 1);
  RITTI_NEW(out->equation, D->arena, model->equations + D->rank + 1);
  RITTI_NEW(leaf, D->arena, n + 1);
  RITTI_NEW(value, D->arena, n + 1);
  RITTI_NEW(residual, D->arena, D->rows + 1);
  for (int j = 0; j < model->variables; j++) {
    out->variable[j] = model->variable[j];
    names[j] = model->names.variable[j];
  }
  for (int i = 0; i < D->rows; i++) {
    out->equation[i] = model->equation[i];
    residual[i] = model->equation[i].residual;
  }

  /* u' instead of the derivative at the pivot, 0 instead of the others */
  for (int j = 0; j < n; j++) {
    leaf[j] = ritti_jet(D->dag, D->variable[j], 1);
    value[j] = ritti_number(D->dag, 0, 1);
  }
  for (int r = 0; r < D->rank; r++) {
    bool several = false;
    for (int j = 0; j < n; j++) several = several || (D->a[r * n + j] != 0 && j != D->pivot[r]);
    value[D->pivot[r]] = several ? ritti_jet(D->dag, out->variables, 1) : leaf[D->pivot[r]];
    if (several) RITT_TRY(add_unknown(D, r, out, names));
  }
  RITT_TRY(ritti_dag_substitute(D->dag, leaf, value, (size_t)n, residual, (size_t)D->rows));
  for (int i = 0; i < D->rows; i++) {
    out->equation[i].residual = out->equation[i].left = residual[i];
    out->equation[i].right = ritti_number(D->dag, 0, 1);
    if (residual[i] == model->equation[i].residual) out->equation[i] = model->equation[i];
  }
  out->names.variable = names;
  out->keep = false;
  *result = out;
  return ritti_dag_status(D->dag);
}

ritt_status ritti_take_differences(ritti_model *model, ritti_model **out) {
  differences D = {.model = model,
                   .dag = model->dag,
                   .arena = model->arena,
                   .rows = model->equations,
                   .C = {.model = model, .dag = model->dag, .arena = model->arena}};
  bool fits;
  *out = NULL;
  if (model->tangents || model->strong_potential != RITTI_NIL) return RITT_OK;
  RITTI_NEW(D.C.parameter, D.arena, model->parameters + 1);
  for (int p = 0; p < model->parameters; p++) D.C.parameter[p] = model->parameter[p].number;
  RITT_TRY(list_columns(&D, &fits));
  if (!fits) return RITT_OK;
  RITT_TRY(fill_matrix(&D, &fits));
  if (!fits) return RITT_OK;
  RITT_TRY(reduce_matrix(&D));
  return is_exact(&D) ? write_model(&D, out) : RITT_OK;
}
