/* The equations as used: with the values of parameters where these change which jets occur, shortened
 * where they share terms; which jets occur in which equation, and whether every variable occurs at all. */
#include <stdlib.h>
#include "complete/complete_impl.h"

static ritt_status same_jets(const ritti_dag *dag, ritti_expr a, ritti_expr b, bool *same) {
  ritti_nodes left = {0}, right = {0};
  *same = a == b;
  if (*same) return RITT_OK;
  ritt_status status = ritti_leaves(dag, a, RITTI_JET, &left);
  if (status == RITT_OK) status = ritti_leaves(dag, b, RITTI_JET, &right);
  *same = status == RITT_OK && left.count == right.count;
  for (size_t i = 0; *same && i < left.count; i++) *same = left.at[i] == right.at[i];
  ritti_free(left.at);
  ritti_free(right.at);
  return status;
}

/* Parameters and their exact values. */
typedef struct exact_values {
  ritti_expr *leaf, *value;
  size_t count;
} exact_values;

/* Puts the values of as few parameters as possible into equation i, so that it has the jets of exact:
 * d*y' with d = 0 needs the value of d, and all other parameters of the equation stay slots. */
static ritt_status put_in_few(ritti_completion *C, int i, ritti_expr exact) {
  enum { MOST = 64 }; /* of more, all are put in */
  ritti_nodes found;
  exact_values in = {0};
  RITT_TRY(ritti_leaves(C->dag, C->residual[i], RITTI_PARAMETER, &found));
  in.leaf = found.at, in.count = found.count;
  in.value = ritti_malloc((found.count + 1) * sizeof *in.value);
  ritt_status status = in.value ? RITT_OK : RITT_NO_MEMORY;
  for (size_t k = 0; status == RITT_OK && k < in.count; k++)
    in.value[k] = C->model->parameter[ritti_index_of(C->dag, in.leaf[k])].value;

  ritti_expr used = exact;
  for (size_t tries = in.count <= MOST ? in.count : 0; status == RITT_OK && tries > 0; tries--) {
    /* without the last one; it goes to the front if it is needed */
    size_t last = in.count - 1;
    ritti_expr e = C->residual[i], leaf = in.leaf[last], value = in.value[last];
    bool same = false;
    status = ritti_dag_substitute(C->dag, in.leaf, in.value, last, &e, 1);
    if (status == RITT_OK) status = same_jets(C->dag, e, exact, &same);
    if (same) used = e, in.count--;
    else {
      memmove(in.leaf + 1, in.leaf, last * sizeof *in.leaf);
      memmove(in.value + 1, in.value, last * sizeof *in.value);
      in.leaf[0] = leaf, in.value[0] = value;
    }
  }
  for (size_t k = 0; status == RITT_OK && C->model->put_in && k < in.count; k++)
    C->model->put_in[ritti_index_of(C->dag, in.leaf[k])] = true;
  C->residual[i] = used;
  ritti_free(in.value);
  ritti_free(found.at);
  return status;
}

/* Structure is decided with the exact values of the parameters: exact[i] is equation i with these. If
 * putting them in removes a jet (m*x'' with m = 0) the equation with the values is used; otherwise
 * parameters stay slots. */
ritt_status ritti_put_in_parameters(ritti_completion *C, ritti_expr *exact) {
  const ritti_model *model = C->model;
  ritti_expr *leaf, *value;
  RITTI_NEW(leaf, C->arena, model->parameters + 1);
  RITTI_NEW(value, C->arena, model->parameters + 1);
  for (int p = 0; p < model->parameters; p++) {
    leaf[p] = ritti_parameter(C->dag, p);
    value[p] = model->parameter[p].value;
    C->parameter[p] = model->parameter[p].number;
  }
  for (int i = 0; i < model->equations; i++) exact[i] = C->residual[i];
  RITT_TRY(ritti_dag_substitute(C->dag, leaf, value, (size_t)model->parameters, exact,
                                (size_t)model->equations));
  for (int i = 0; i < model->equations; i++) {
    bool same;
    RITT_TRY(same_jets(C->dag, exact[i], C->residual[i], &same));
    if (same) continue;
    RITT_TRY(put_in_few(C, i, exact[i]));
    C->model->keep = false;
  }
  return ritti_dag_status(C->dag);
}

/* An equation without unknowns: always true (dependent) or never (contradiction). */
static ritt_status check_constants(ritti_completion *C, const ritti_expr *exact) {
  for (int i = 0; i < C->model->equations; i++) {
    const unsigned char *mark = ritti_marks(C);
    if (!mark) return RITT_NO_MEMORY;
    if (mark[exact[i]] & RITTI_MOVES) continue;
    double value;
    ritti_at at = {C, NULL};
    ritti_values values = ritti_values_at(&at);
    RITT_TRY(ritti_dag_evaluate(C->dag, exact[i], &values, &value));
    const char *text = ritti_show_equation(C, i);
    const ritti_place *place = &C->model->equation[i].place;
    /* what is always true goes on to the general path, which names it dependent */
    if (fabs(value) > 1e-9 || !(value == value))
      return ritti_refuse_model(
          C, "inconsistent", RITT_IMPOSSIBLE, place, "correct or remove this equation",
          ritti_arena_format(C->arena,
                             "no values of the variables satisfy %s: it reduces to %.6g = 0", text,
                             value));
  }
  return RITT_OK;
}

static int compare_entries(const void *a, const void *b) {
  const int *l = a, *r = b;
  return (l[0] > r[0]) - (l[0] < r[0]);
}

static ritt_status make_signature(ritti_completion *C, const ritti_expr *exact) {
  ritti_signature *sigma = &C->sigma;
  int rows = C->model->equations, room = 0, count = 0, (*pair)[2];
  ritti_nodes *jets;
  RITTI_NEW(jets, C->arena, rows + 1);
  ritt_status status = RITT_OK;
  for (int i = 0; i < rows && status == RITT_OK; i++) {
    status = ritti_leaves(C->dag, exact[i], RITTI_JET, &jets[i]);
    room += (int)jets[i].count;
  }
  sigma->n = rows;
  sigma->start = ritti_arena_alloc(C->arena, (size_t)rows + 1, sizeof(int));
  sigma->var = ritti_arena_alloc(C->arena, (size_t)room + 1, sizeof(int));
  sigma->order = ritti_arena_alloc(C->arena, (size_t)room + 1, sizeof(int));
  pair = ritti_arena_alloc(C->arena, (size_t)room + 1, sizeof *pair);
  if (!sigma->start || !sigma->var || !sigma->order || !pair) status = RITT_NO_MEMORY;
  for (int i = 0; i < rows && status == RITT_OK; i++) {
    int here = 0;
    for (size_t k = 0; k < jets[i].count; k++) {
      int j = ritti_index_of(C->dag, jets[i].at[k]), order = ritti_order_of(C->dag, jets[i].at[k]),
          at = 0;
      while (at < here && pair[at][0] != j) at++;
      if (at == here) pair[here][0] = j, pair[here++][1] = order;
      else if (order > pair[at][1]) pair[at][1] = order;
    }
    qsort(pair, (size_t)here, sizeof *pair, compare_entries);
    for (int e = 0; e < here; e++, count++)
      sigma->var[count] = pair[e][0], sigma->order[count] = pair[e][1];
    sigma->start[i + 1] = count;
  }
  for (int i = 0; i < rows; i++) ritti_free(jets[i].at);
  return status;
}

static ritt_status check_unused(ritti_completion *C) {
  const ritti_model *model = C->model;
  bool *used;
  const char *first = NULL;
  const ritti_place *place = NULL;
  RITTI_NEW(used, C->arena, model->variables + 1);
  for (int e = 0; e < C->sigma.start[model->equations]; e++) used[C->sigma.var[e]] = true;
  for (int j = 0; j < model->variables; j++) {
    if (used[j] || model->variable[j].potential) continue;
    RITT_TRY(ritti_add_name(C, &C->check->undetermined_variables, &C->check->undetermined_count,
                            model->variable[j].name));
    if (!first) first = model->variable[j].name, place = &model->variable[j].place;
  }
  if (!first) return RITT_OK;
  const char *hint = "add an equation for it, or remove the variable";
  const ritti_part_def *part = ritti_owner_of(model, first);
  if (part) {
    place = &part->place;
    hint = ritti_arena_format(C->arena, "connect %s, or look for a value of this %s that is 0",
                              part->path, part->component);
    if (!hint) return RITT_NO_MEMORY;
  }
  return ritti_refuse_model(
      C, "underdetermined", RITT_IMPOSSIBLE, place, hint,
      ritti_arena_format(C->arena, "the variable '%s' occurs in no equation", first));
}

static ritt_status set_up(ritti_completion *C) {
  int n = C->model->variables, k = C->model->equations;
  RITTI_NEW(C->residual, C->arena, k + 1);
  RITTI_NEW(C->parameter, C->arena, C->model->parameters + 1);
  RITTI_NEW(C->equation_of, C->arena, (n > k ? n : k) + 1);
  RITTI_NEW(C->variable_of, C->arena, (n > k ? n : k) + 1);
  RITTI_NEW(C->c, C->arena, k + 1);
  RITTI_NEW(C->d, C->arena, n + 1);
  RITTI_NEW(C->first, C->arena, n + 1);
  RITTI_NEW(C->stage, C->arena, k + 1);
  RITTI_NEW(C->stages, C->arena, k + 1);
  RITTI_NEW(C->non_unique, C->arena, n + 1);
  C->n = n;
  C->x = C->model->start_x;
  return RITT_OK;
}

ritt_status ritti_find_structure(ritti_completion *C) {
  ritti_expr *exact;
  bool changed;
  RITT_TRY(set_up(C));
  RITTI_NEW(exact, C->arena, C->model->equations + 1);
  for (int i = 0; i < C->model->equations; i++) C->residual[i] = C->model->equation[i].residual;
  RITT_TRY(ritti_put_in_parameters(C, exact));
  RITT_TRY(check_constants(C, exact));
  RITT_TRY(ritti_combine_equations(C, exact, &changed));
  if (changed) C->model->keep = false;
  if (C->model->keep) RITT_TRY(ritti_may_combine(C, &C->may_combine));
  if (changed) RITT_TRY(ritti_put_in_parameters(C, exact));
  RITT_TRY(ritti_find_jet_sizes(C));
  RITT_TRY(make_signature(C, exact));
  return check_unused(C);
}
