/* Sizes of jets: how large a jet is likely to be that has no start value, or the start value 0.
 *
 * In: the equations and the start values. Out: log2 of the size of each variable and of the
 * independent variable; y^(k) has the size of y divided by k times that of x. A model in nanometres
 * and nanoseconds has sizes of its own, and every decision that starts beside the start values, moves
 * guesses or looks for another point does so in these sizes.
 *
 * The sizes are those for which the terms of each sum are about equally large, arguments of functions
 * such as sin are about 1, start values and scales are as given, and x is as long as the run: least squares in
 * the logarithms, in which products and powers are linear. A term far from the others counts less and
 * less (1e-170*exp(y) says nothing about y). If
 * no size is very large or very small, all are 1.
 */
#include "complete/complete_impl.h"

enum { NOT_LARGE = 20 }; /* a number between 2^-20 and 2^20 is neither very large nor very small */
enum { USUAL = 10 };     /* if all variables are between 2^-10 and 2^10 their sizes are 1 */

typedef enum node_kind {
  OF_NUMBER, /* `constant` */
  OF_JET,    /* of variable `variable` and order `factor` */
  OF_X,
  OF_PRODUCT,
  OF_POWER,    /* of its first argument, to `factor` */
  OF_SUM,      /* the mean of its arguments, which are to be equal */
  OF_FUNCTION, /* 1, and so are its arguments */
  OF_SWITCH,   /* 1, whatever its arguments are */
  OF_NOTHING   /* it is 0 */
} node_kind;

typedef struct sizing {
  const ritti_completion *C;
  int nodes, unknowns; /* unknowns: the variables, then x */
  node_kind *kind;
  double *constant, *factor;
  int *variable, *first, *edge; /* edges: places of the arguments of node i */
  double *weight;               /* of each edge, in sums and functions */
  double *start_weight;         /* of each start value */
  double *size, *back;          /* of each node: a value, and the derivative by it */
} sizing;

/* ---- the model ---- */

static double log_size(double value) { return log2(fabs(value)); }

static bool is_large(double value) {
  return value != 0 && isfinite(value) && fabs(log_size(value)) > NOT_LARGE;
}

static double run_length(const ritti_completion *C) {
  double length = C->model->run == RITTI_RUN_X ? fabs(C->model->run_end - C->x) : 1;
  return length > 0 && isfinite(length) ? length : 1;
}

static double log_rational(mpq_srcptr q) {
  long above, below;
  double a = mpz_get_d_2exp(&above, mpq_numref(q)), b = mpz_get_d_2exp(&below, mpq_denref(q));
  return log2(fabs(a) / b) + (double)(above - below);
}

static double largest_start(const ritti_model *model) {
  double largest = 0;
  for (int i = 0; i < model->starts; i++) largest = fmax(largest, fabs(model->start[i].number));
  return largest;
}

/* Does a start value say how large its variable is? A value may be small by chance: one that stands
 * for 0 (RITTI_NEARLY_ZERO), or a derivative that is nearly 0 beside the value of its variable. `largest`:
 * of all start values; few are so small beside it that their variable has to be looked for. */
static bool tells_size(const ritti_model *model, int i, double largest) {
  const ritti_start_def *start = &model->start[i];
  if (!isfinite(start->number) || !(fabs(start->number) > RITTI_NEARLY_ZERO)) return false;
  if (start->order == 0 || log_size(largest) <= log_size(start->number) + NOT_LARGE) return true;
  for (int j = 0; j < model->starts; j++) {
    const ritti_start_def *other = &model->start[j];
    if (other->variable == start->variable && other->order < start->order &&
        log_size(other->number) > log_size(start->number) + NOT_LARGE)
      return false;
  }
  return true;
}

/* Is a start value very large, or are all very small? */
static bool has_unusual_start(const ritti_model *model) {
  double largest = 0, of_all = largest_start(model);
  for (int i = 0; i < model->starts; i++)
    if (tells_size(model, i, of_all)) largest = fmax(largest, fabs(model->start[i].number));
  return is_large(largest);
}

/* Is a number of the model very large or very small? */
static bool has_large_number(const ritti_completion *C, const ritti_nodes *nodes) {
  if (is_large(run_length(C)) || has_unusual_start(C->model)) return true;
  for (size_t i = 0; i < nodes->count; i++) {
    ritti_expr e = nodes->at[i];
    ritti_op op = ritti_op_of(C->dag, e);
    if (op == RITTI_PARAMETER && is_large(C->parameter[ritti_index_of(C->dag, e)])) return true;
    if (op != RITTI_NUMBER || ritti_is_zero(C->dag, e)) continue;
    if (fabs(log_rational(ritti_rational_of(C->dag, e))) > NOT_LARGE) return true;
  }
  return false;
}

static void set_number(sizing *S, int i, double value) {
  S->kind[i] = value != 0 && isfinite(value) ? OF_NUMBER : OF_NOTHING;
  if (S->kind[i] == OF_NUMBER) S->constant[i] = log_size(value);
}

static void read_leaf(sizing *S, int i, ritti_expr e) {
  const ritti_dag *dag = S->C->dag;
  switch (ritti_op_of(dag, e)) {
  case RITTI_NUMBER:
    S->kind[i] = ritti_is_zero(dag, e) ? OF_NOTHING : OF_NUMBER;
    if (S->kind[i] == OF_NUMBER) S->constant[i] = log_rational(ritti_rational_of(dag, e));
    return;
  case RITTI_PARAMETER: set_number(S, i, S->C->parameter[ritti_index_of(dag, e)]); return;
  case RITTI_INDEPENDENT: S->kind[i] = OF_X; return;
  case RITTI_JET:
    S->kind[i] = OF_JET;
    S->variable[i] = ritti_index_of(dag, e);
    S->factor[i] = ritti_order_of(dag, e);
    return;
  default: S->kind[i] = OF_NUMBER; return; /* pi, sides */
  }
}

static node_kind kind_of(ritti_op op) {
  switch (op) {
  case RITTI_ADD:
  case RITTI_MIN:
  case RITTI_MAX:
  case RITTI_HYPOT: return OF_SUM;
  case RITTI_MULTIPLY: return OF_PRODUCT;
  case RITTI_SIGN:
  case RITTI_STEP:
  case RITTI_ATAN2:
  case RITTI_TABLE: return OF_SWITCH;
  default: return OF_FUNCTION;
  }
}

/* Arguments come before the nodes that use them, so that what is 0 is known. */
static void read_node(sizing *S, int i, ritti_expr e) {
  const ritti_dag *dag = S->C->dag;
  ritti_op op = ritti_op_of(dag, e);
  const int *edge = S->edge + S->first[i];
  int count = S->first[i + 1] - S->first[i], zeros = 0;
  S->kind[i] = kind_of(op);
  S->factor[i] = 1;
  if (op == RITTI_ABS || op == RITTI_CBRT) S->kind[i] = OF_POWER;
  if (op == RITTI_CBRT) S->factor[i] = 1.0 / 3;
  if (op == RITTI_POWER && ritti_op_of(dag, ritti_argument(dag, e, 1)) == RITTI_NUMBER) {
    S->kind[i] = OF_POWER;
    S->factor[i] = ritti_rational_double(ritti_rational_of(dag, ritti_argument(dag, e, 1)));
  }
  if (op == RITTI_WHEN || op == RITTI_UNLESS) { /* that of the second argument */
    S->kind[i] = OF_POWER;
    S->edge[S->first[i]] = edge[1];
  }
  for (int k = 0; k < count; k++) zeros += S->kind[edge[k]] == OF_NOTHING;
  if (S->kind[i] == OF_PRODUCT && zeros > 0) S->kind[i] = OF_NOTHING;
  if (S->kind[i] == OF_POWER && S->kind[edge[0]] == OF_NOTHING) S->kind[i] = OF_NOTHING;
  if (S->kind[i] == OF_SUM && zeros == count) S->kind[i] = OF_NOTHING;
}

static ritt_status read_equations(sizing *S, const ritti_nodes *nodes, ritti_arena *arena) {
  const ritti_dag *dag = S->C->dag;
  int count = (int)nodes->count, edges = 0;
  for (int i = 0; i < count; i++) edges += (int)ritti_argument_count(dag, nodes->at[i]);
  S->nodes = count;
  RITTI_NEW(S->kind, arena, count + 1);
  RITTI_NEW(S->constant, arena, count + 1);
  RITTI_NEW(S->factor, arena, count + 1);
  RITTI_NEW(S->variable, arena, count + 1);
  RITTI_NEW(S->first, arena, count + 1);
  RITTI_NEW(S->edge, arena, edges + 1);
  RITTI_NEW(S->weight, arena, edges + 1);
  RITTI_NEW(S->start_weight, arena, S->C->model->starts + 1);
  RITTI_NEW(S->size, arena, count + 1);
  RITTI_NEW(S->back, arena, count + 1);
  edges = 0;
  for (int i = 0; i < count; i++) {
    ritti_expr e = nodes->at[i];
    for (size_t k = 0; k < ritti_argument_count(dag, e); k++)
      S->edge[edges++] = (int)ritti_node_place(nodes, ritti_argument(dag, e, k));
    S->first[i + 1] = edges;
    if (ritti_is_leaf(dag, e)) read_leaf(S, i, e);
    else read_node(S, i, e);
  }
  return RITT_OK;
}

/* ---- least squares ---- */

/* Weights of the terms of a sum, of arguments of functions, of start values, of the length of the run,
 * and of 1 as the size of everything. */
static const double OF_TERM = 1, OF_ARGUMENT = 0.3, OF_START = 4, OF_RUN = 0.05, OF_ONE = 1e-5;

static bool counts(const sizing *S, int edge) { return S->kind[S->edge[edge]] != OF_NOTHING; }

static double mean_of_terms(const sizing *S, int i) {
  double sum = 0, weights = 0;
  for (int e = S->first[i]; e < S->first[i + 1]; e++) {
    if (!counts(S, e)) continue;
    sum += S->weight[e] * S->size[S->edge[e]];
    weights += S->weight[e];
  }
  return weights > 0 ? sum / weights : 0;
}

/* The size of every node for the unknowns u; `whole` false: its linear part. */
static void size_nodes(sizing *S, const double *u, bool whole) {
  for (int i = 0; i < S->nodes; i++) {
    double size = 0;
    switch (S->kind[i]) {
    case OF_NUMBER: size = whole ? S->constant[i] : 0; break;
    case OF_JET: size = u[S->variable[i]] - S->factor[i] * u[S->unknowns - 1]; break;
    case OF_X: size = u[S->unknowns - 1]; break;
    case OF_PRODUCT:
      for (int e = S->first[i]; e < S->first[i + 1]; e++) size += S->size[S->edge[e]];
      break;
    case OF_POWER: size = S->factor[i] * S->size[S->edge[S->first[i]]]; break;
    case OF_SUM: size = mean_of_terms(S, i); break;
    case OF_FUNCTION:
    case OF_SWITCH:
    case OF_NOTHING: break;
    }
    S->size[i] = size;
  }
}

/* From the derivatives by the node to those by its arguments. */
static void pass_back(sizing *S, int i, double *gradient) {
  double back = S->back[i], weights = 0;
  int first = S->first[i], end = S->first[i + 1];
  switch (S->kind[i]) {
  case OF_JET:
    gradient[S->variable[i]] += back;
    gradient[S->unknowns - 1] -= S->factor[i] * back;
    return;
  case OF_X: gradient[S->unknowns - 1] += back; return;
  case OF_PRODUCT:
    for (int e = first; e < end; e++) S->back[S->edge[e]] += back;
    return;
  case OF_POWER: S->back[S->edge[first]] += S->factor[i] * back; return;
  case OF_SUM:
    for (int e = first; e < end; e++) weights += counts(S, e) ? S->weight[e] : 0;
    for (int e = first; e < end; e++)
      if (counts(S, e))
        S->back[S->edge[e]] += S->weight[e] * (S->size[S->edge[e]] - S->size[i] + back / weights);
    return;
  case OF_FUNCTION:
    for (int e = first; e < end; e++)
      if (counts(S, e)) S->back[S->edge[e]] += S->weight[e] * S->size[S->edge[e]];
    return;
  case OF_NUMBER:
  case OF_SWITCH:
  case OF_NOTHING: return;
  }
}

static double start_error(const sizing *S, int i, const double *u, bool whole) {
  const ritti_start_def *start = &S->C->model->start[i];
  return u[start->variable] - start->order * u[S->unknowns - 1] -
         (whole ? log_size(start->number) : 0);
}

/* Half the gradient of the sum of squares. */
static void find_slope(sizing *S, const double *u, bool whole, double *gradient) {
  const ritti_model *model = S->C->model;
  int x = S->unknowns - 1;
  size_nodes(S, u, whole);
  for (int j = 0; j < S->unknowns; j++) gradient[j] = OF_ONE * u[j];
  gradient[x] += OF_RUN * (u[x] - (whole ? log_size(run_length(S->C)) : 0));
  for (int i = 0; i < model->starts; i++) {
    if (!(S->start_weight[i] > 0)) continue;
    double error = S->start_weight[i] * start_error(S, i, u, whole);
    gradient[model->start[i].variable] += error;
    gradient[x] -= model->start[i].order * error;
  }
  for (int j = 0; j < S->C->n; j++) {
    double scale = model->variable[j].scale;
    if (scale > 0) gradient[j] += OF_START * (u[j] - (whole ? log_size(scale) : 0));
  }
  memset(S->back, 0, (size_t)S->nodes * sizeof *S->back);
  for (int i = S->nodes - 1; i >= 0; i--) pass_back(S, i, gradient);
}

/* The least sum of squares, by conjugate gradients. */
static ritt_status minimise(sizing *S, ritti_arena *arena, double *u) {
  enum { MOST = 200 };
  int n = S->unknowns;
  double *rest, *direction, *image, before = 0, first = 0;
  RITTI_NEW(rest, arena, n + 1);
  RITTI_NEW(direction, arena, n + 1);
  RITTI_NEW(image, arena, n + 1);
  find_slope(S, u, true, rest);
  for (int k = 0; k < MOST; k++) {
    double now = 0, curvature = 0;
    for (int j = 0; j < n; j++) now += rest[j] * rest[j];
    if (k == 0) first = now;
    if (!(now > 1e-20 * first) || !(now > 1e-12)) break;
    for (int j = 0; j < n; j++) direction[j] = -rest[j] + (k > 0 ? now / before : 0) * direction[j];
    before = now;
    find_slope(S, direction, false, image);
    for (int j = 0; j < n; j++) curvature += direction[j] * image[j];
    if (!(curvature > 0)) break;
    for (int j = 0; j < n; j++) {
      u[j] += now / curvature * direction[j];
      rest[j] += now / curvature * image[j];
    }
  }
  return RITT_OK;
}

/* What is far off counts less. */
static double weigh(double error) {
  static const double NEAR = 10; /* in powers of 2 */
  return 1 / (1 + error * error / (NEAR * NEAR));
}

static void set_weights(sizing *S, const double *u, bool first) {
  const ritti_model *model = S->C->model;
  if (!first) size_nodes(S, u, true);
  for (int i = 0; i < S->nodes; i++) {
    double goal = S->kind[i] == OF_SUM ? S->size[i] : 0;
    double weight = S->kind[i] == OF_SUM ? OF_TERM : OF_ARGUMENT;
    for (int e = S->first[i]; e < S->first[i + 1]; e++)
      S->weight[e] = weight * (first ? 1 : weigh(S->size[S->edge[e]] - goal));
  }
  double largest = largest_start(model);
  for (int i = 0; i < model->starts; i++) {
    S->start_weight[i] = tells_size(model, i, largest) ? OF_START : 0;
    if (!first && S->start_weight[i] > 0) S->start_weight[i] *= weigh(start_error(S, i, u, true));
  }
}

static ritt_status find_sizes(ritti_completion *C, const ritti_nodes *nodes, ritti_arena *arena) {
  enum { ROUNDS = 6, MOST = 300 }; /* squares of sizes, and of their products, are numbers */
  sizing S = {.C = C, .unknowns = C->n + 1};
  double *u;
  RITT_TRY(read_equations(&S, nodes, arena));
  RITTI_NEW(u, arena, C->n + 1);
  for (int round = 0; round < ROUNDS; round++) {
    set_weights(&S, u, round == 0);
    RITT_TRY(minimise(&S, arena, u));
  }
  RITTI_NEW(C->log_size, C->arena, C->n + 1);
  if (fabs(u[C->n]) <= NOT_LARGE) u[C->n] = 0;
  bool unusual = u[C->n] != 0;
  for (int j = 0; j <= C->n; j++) {
    if (isfinite(u[j]) && fabs(u[j]) < MOST) C->log_size[j] = rint(u[j]);
    unusual = unusual || fabs(C->log_size[j]) > USUAL;
  }
  if (!unusual) C->log_size = NULL;
  return RITT_OK;
}

ritt_status ritti_find_jet_sizes(ritti_completion *C) {
  ritti_nodes nodes;
  C->log_size = NULL;
  RITT_TRY(ritti_nodes_below(C->dag, C->residual, (size_t)C->model->equations, &nodes));
  ritt_status status = RITT_OK;
  if (has_large_number(C, &nodes)) {
    ritti_arena *arena = ritti_arena_new();
    status = arena ? find_sizes(C, &nodes, arena) : RITT_NO_MEMORY;
    ritti_arena_free(arena);
  }
  ritti_free(nodes.at);
  return status;
}

double ritti_jet_size(const ritti_completion *C, int variable, int order) {
  double scale = C->model->variable[variable].scale;
  if (!C->log_size) return scale > 0 ? scale : 1;
  double rate = exp2(-order * C->log_size[C->n]);
  return (scale > 0 ? scale : exp2(C->log_size[variable])) * rate;
}

double ritti_x_size(const ritti_completion *C) { return C->log_size ? exp2(C->log_size[C->n]) : 1; }
