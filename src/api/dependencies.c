/* On which states and inputs values of a completed model depend, by their structure.
 *
 * In: the completed system. Out, of any expression in its coordinates and tops: the coordinates as another
 * program has given them, x among them, and the inputs on which it depends.
 *
 * The projection moves coordinates together that rows of f connect, so each of them depends on all of
 * its group and on what else is in these rows. Likewise the system for the tops falls into groups, and a
 * top depends on all that is in the rows of its group. A surface along which the run can slide, or an
 * event at whose zero it can rest, is a row, too: it connects the coordinates in its function and their
 * derivatives, and, of a surface, all tops in whose rows something switches. The answers may hold too
 * much, never too little.
 */
#include "emit.h"

struct ritti_dependencies {
  const ritti_reduced *r;
  ritti_arena *arena;
  ritti_expr *system; /* the rows that determine the tops */
  int rows;
  int columns; /* coordinates, tops, inputs */
  int knowns;  /* coordinates, inputs */
  int *number; /* of a node: 1 + its column, 0: it has none */
  ritti_expr nodes;
  int *group;    /* columns: another member of the same group; a root is its own */
  bool *bound;   /* coordinates: a row holds it, which may move it */
  bool **of;     /* columns: at roots, knowns: what the group depends on; NULL: nothing yet */
  bool *row;     /* columns: those of one expression */
  bool switches; /* something in that expression does */
};
typedef struct ritti_dependencies dependencies;

static int find_root(dependencies *D, int i) {
  while (D->group[i] != i) i = D->group[i] = D->group[D->group[i]];
  return i;
}

static void join(dependencies *D, int a, int b) { D->group[find_root(D, a)] = find_root(D, b); }

static bool is_top(const dependencies *D, int column) {
  return column >= D->r->m && column < D->r->m + D->r->tops;
}

/* Marks the columns of an expression in D->row; D->switches: an operator with a kink is in it. */
static ritt_status read_row(dependencies *D, ritti_expr e) {
  ritti_dag *dag = D->r->model->dag;
  ritti_nodes nodes = {0};
  memset(D->row, 0, (size_t)D->columns * sizeof *D->row);
  D->switches = false;
  RITT_TRY(ritti_nodes_below(dag, &e, 1, &nodes));
  for (size_t i = 0; i < nodes.count; i++) {
    ritti_expr node = nodes.at[i];
    if (node < D->nodes && D->number[node]) D->row[D->number[node] - 1] = true;
    D->switches = D->switches || ritti_kink_argument(dag, node) != RITTI_NIL ||
                  ritti_norm_below(dag, node) != RITTI_NIL;
  }
  ritti_free(nodes.at);
  return RITT_OK;
}

/* ---- groups ---- */

typedef enum pass_kind { JOIN, FILL_COORDINATES, FILL_TOPS } pass_kind;

/* Adds the coordinates and tops that are derivatives of coordinates in D->row. */
static void add_rates(dependencies *D) {
  const ritti_reduced *r = D->r;
  for (int i = 1; i < r->m; i++)
    for (int j = i; j < r->m && D->row[j];) {
      j = r->next[j] >= 0 ? r->next[j] : r->m - 1 - r->next[j];
      if (D->row[j]) break;
      D->row[j] = true;
    }
}

/* The first coordinate but x, or the first top, of D->row; -1: there is none. */
static int find_first(const dependencies *D, bool tops) {
  int from = tops ? D->r->m : 1, to = tops ? D->r->m + D->r->tops : D->r->m;
  for (int i = from; i < to; i++)
    if (D->row[i]) return i;
  return -1;
}

static ritt_status make_list(dependencies *D, int column, bool **out) {
  int root = find_root(D, column);
  if (!D->of[root]) RITTI_NEW(D->of[root], D->arena, D->knowns);
  *out = D->of[root];
  return RITT_OK;
}

/* Adds what the coordinates, tops (if requested) and inputs of D->row depend on. */
static void add_knowns(dependencies *D, bool tops, bool *out) {
  const ritti_reduced *r = D->r;
  for (int i = 0; i < D->columns; i++) {
    if (!D->row[i] || (is_top(D, i) && !tops)) continue;
    const bool *list = D->of[find_root(D, i)];
    bool alone = i < r->m && !D->bound[i];
    if (i >= r->m + r->tops) out[i - r->tops] = true;
    else if (alone) out[i] = true;
    for (int j = 0; list && !alone && j < D->knowns; j++) out[j] = out[j] || list[j];
  }
}

/* Takes D->row. binds: its coordinates are moved together; else it is a row for tops only. */
static ritt_status take_row(dependencies *D, pass_kind pass, bool binds) {
  const ritti_reduced *r = D->r;
  int coordinate = find_first(D, false), top = find_first(D, true);
  bool *list;
  if (pass == JOIN) {
    for (int i = 1; binds && i < r->m; i++) {
      if (!D->row[i]) continue;
      join(D, coordinate, i);
      D->bound[i] = true;
    }
    for (int i = r->m; i < r->m + r->tops; i++)
      if (D->row[i]) join(D, top, i);
  }
  if (pass == FILL_COORDINATES && binds && coordinate > 0) {
    RITT_TRY(make_list(D, coordinate, &list));
    for (int i = 0; i < D->columns; i++)
      if (D->row[i] && !is_top(D, i)) list[i < r->m ? i : i - r->tops] = true;
  }
  if (pass == FILL_TOPS && top > 0) {
    RITT_TRY(make_list(D, top, &list));
    add_knowns(D, false, list);
  }
  return RITT_OK;
}

/* A row that may hold for a while: of a surface, or of an event with a jump. */
static ritt_status take_surface(dependencies *D, pass_kind pass, ritti_expr function) {
  RITT_TRY(read_row(D, function));
  if (find_first(D, false) < 0 && find_first(D, true) < 0)
    return RITT_OK; /* it is passed at once */
  add_rates(D);
  return take_row(D, pass, true);
}

static void join_switching(dependencies *D, int *switching) {
  int top = find_first(D, true);
  if (top < 0) return;
  if (*switching >= 0) join(D, top, *switching);
  *switching = top;
}

static ritt_status take_rows(dependencies *D, pass_kind pass) {
  const ritti_reduced *r = D->r;
  const ritti_model *model = r->model;
  int switching = -1, surfaces = r->kinks - r->validities;
  for (int i = 0; i < r->k; i++) {
    RITT_TRY(read_row(D, r->f[i]));
    RITT_TRY(take_row(D, pass, true));
  }
  for (int i = 0; i < model->events; i++)
    if (model->event[i].jumps) RITT_TRY(take_surface(D, pass, model->event[i].function));
  for (int i = 0; i < surfaces; i++) {
    RITT_TRY(take_surface(D, pass, r->kink[i].function));
    if (pass == JOIN) join_switching(D, &switching);
  }
  for (int i = 0; i < D->rows; i++) {
    RITT_TRY(read_row(D, D->system[i]));
    if (r->kind == RITT_EXPLICIT) D->row[r->m + i] = true;
    RITT_TRY(take_row(D, pass, false));
    if (pass == JOIN && D->switches && surfaces) join_switching(D, &switching);
  }
  return RITT_OK;
}

/* ---- the table ---- */

/* Numbers the nodes of coordinates, tops and inputs. */
static ritt_status number_columns(dependencies *D) {
  const ritti_reduced *r = D->r;
  const ritti_model *model = r->model;
  ritti_expr *node;
  RITTI_NEW(node, D->arena, D->columns);
  for (int i = 0; i < r->m; i++) node[i] = r->coordinate[i];
  for (int i = 0; i < r->tops; i++) node[r->m + i] = r->top[i];
  for (int i = r->m + r->tops; i < D->columns; i++)
    node[i] = ritti_parameter(model->dag, model->input_time + 1 + i - r->m - r->tops);
  for (int i = 0; i < D->columns; i++)
    if (node[i] >= D->nodes) D->nodes = node[i] + 1;
  RITTI_NEW(D->number, D->arena, D->nodes);
  for (int i = 0; i < D->columns; i++) D->number[node[i]] = i + 1;
  return ritti_dag_status(model->dag);
}

/* Lists the rows that determine the tops. Of the implicit kind some of them have formulas. */
static ritt_status list_system(dependencies *D) {
  const ritti_reduced *r = D->r;
  ritti_expr *terms;
  int rows = r->kind == RITT_EXPLICIT ? r->tops : r->top_rows;
  bool formulas = r->kind == RITT_IMPLICIT && r->formula;
  RITTI_NEW(terms, D->arena, r->tops + 1);
  RITTI_NEW(D->system, D->arena, rows + r->tops + 1);
  for (int i = 0; i < rows; i++) D->system[D->rows++] = ritti_system_row(r, i, terms);
  for (int i = 0; formulas && i < r->tops; i++)
    if (r->formula[i] != RITTI_NIL)
      D->system[D->rows++] = ritti_subtract(r->model->dag, r->top[i], r->formula[i]);
  return ritti_dag_status(r->model->dag);
}

ritt_status ritti_dependencies_make(const ritti_reduced *r, ritti_arena *arena,
                                    ritti_dependencies **out) {
  dependencies *D;
  int inputs = r->model->inputs * RITTI_INPUT_VALUES;
  RITTI_NEW(D, arena, 1);
  D->r = r;
  D->arena = arena;
  D->columns = r->m + r->tops + inputs;
  D->knowns = r->m + inputs;
  RITTI_NEW_ARRAYS(arena, D->columns, D->group, D->bound, D->of, D->row);
  for (int i = 0; i < D->columns; i++) D->group[i] = i;
  RITT_TRY(list_system(D));
  RITT_TRY(number_columns(D));
  RITT_TRY(take_rows(D, JOIN));
  RITT_TRY(take_rows(D, FILL_COORDINATES));
  RITT_TRY(take_rows(D, FILL_TOPS));
  *out = D;
  return RITT_OK;
}

ritt_status ritti_dependencies_of(ritti_dependencies *D, ritti_expr e, bool *out) {
  memset(out, 0, (size_t)D->knowns * sizeof *out);
  RITT_TRY(read_row(D, e));
  add_knowns(D, true, out);
  return RITT_OK;
}
