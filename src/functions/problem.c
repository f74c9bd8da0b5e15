/* Makes a ritt_problem from a ritt_definition: checks it, copies it, lays out coordinates, patterns
 * and memory. The result is a ritti_problem (geometry/problem.h) with the functions of evaluate.c.
 * It never changes, so threads may share it; memory for evaluations is in the work of each solver.
 */
#include "functions/functions_impl.h"

/* ---- checks ---- */

enum { MOST_UNKNOWNS = 10000000 };

/* Refuses the definition. */
static ritt_status refuse_call(ritt_error *error, const char *hint, const char *text) {
  return ritti_fail(error, RITT_WRONG_CALL, NULL, hint, "%s", text);
}

/* Checks the kind, the counts and the orders. */
static ritt_status check_sizes(const ritt_definition *d, ritt_error *error) {
  bool holonomic = d->kind == RITT_HOLONOMIC;

  /* the kind and the unknowns */
  if ((unsigned)d->kind > RITT_EXPLICIT)
    return refuse_call(error, NULL, "the kind of the problem is not known");
  if (d->unknowns < 1 || d->unknowns > MOST_UNKNOWNS)
    return d->unknowns < 1
               ? refuse_call(error, "set unknowns", "a problem needs at least 1 unknown")
               : refuse_call(error, NULL, "a problem has at most 10000000 unknowns");

  /* the allocator and the counts */
  if (d->allocator && (!d->allocator->allocate || !d->allocator->release))
    return refuse_call(error, NULL, "the allocator needs both of its functions");
  if (d->rows < 0 || d->constraints < 0 || d->outputs < 0)
    return refuse_call(error, NULL, "a count of the definition is negative");
  if (d->rows > MOST_UNKNOWNS || d->constraints > MOST_UNKNOWNS || d->outputs > MOST_UNKNOWNS)
    return refuse_call(error, NULL, "a problem has at most 10000000 rows, constraints or outputs");

  /* the constraints and the orders */
  if (!holonomic && d->constraints)
    return refuse_call(error, "count them in rows",
                       "only the holonomic kind has constraints of its own");
  if (holonomic && d->orders)
    return refuse_call(error, "leave orders NULL", "holonomic problems have order 2");
  for (int j = 0; d->orders && j < d->unknowns; j++)
    if (d->orders[j] < (d->kind == RITT_GRAPH ? 0 : 1) || d->orders[j] > 100)
      return ritti_fail(error, RITT_WRONG_CALL, NULL,
                        "orders are 1 to 100; in the graph kind an unknown may have order 0",
                        "the order of unknown %d is %d", j, d->orders[j]);
  return RITT_OK;
}

/* Checks that the kind has all functions that it needs. */
static ritt_status check_functions(const ritt_definition *d, ritt_error *error) {
  static const char *const needs[] = {
      [RITT_GENERAL] = "the general kind needs f with at least one row for every unknown",
      [RITT_GRAPH] = "the graph kind needs the function system",
      [RITT_HOLONOMIC] =
          "the holonomic kind needs the functions mass and force, and g for constraints",
      [RITT_EXPLICIT] = "the explicit kind needs the function formula"};
  bool there = false;
  switch (d->kind) {
  case RITT_GENERAL: there = d->f && d->rows >= d->unknowns; break;
  case RITT_GRAPH: there = d->system != NULL; break;
  case RITT_HOLONOMIC: there = d->mass && d->force && (d->g || !d->constraints); break;
  case RITT_EXPLICIT: there = d->formula != NULL; break;
  case RITT_IMPLICIT: break; /* refused before */
  }
  if (!there) return refuse_call(error, NULL, needs[d->kind]);

  /* functions that are counted must exist */
  if (d->rows && !d->f)
    return refuse_call(error, "set f, or rows to 0", "rows are counted, but f is missing");
  if (d->outputs && !d->output)
    return refuse_call(error, "set output, or outputs to 0",
                       "outputs are counted, but the function is missing");
  return RITT_OK;
}

/* ---- patterns ---- */

/* Copies a pattern; without a given one it is dense. `lower`: of a lower triangle. */
static ritt_status copy_pattern(ritti_arena *arena, const ritt_sparsity *given, const char *name,
                                int rows, int cols, bool lower, ritt_error *error,
                                ritti_pattern *out) {
  int *start, *col;

  /* the lengths of the rows */
  RITTI_NEW(start, arena, rows + 1);
  for (int i = 0; i < rows; i++) {
    int width = lower ? i + 1 : cols;
    if (given->start) width = given->start[i + 1] - given->start[i];
    if (width < 0 || width > cols || start[i] > INT32_MAX - width ||
        (given->start && given->start[0]))
      return ritti_fail(error, RITT_WRONG_CALL, NULL,
                        "start[0] must be 0, and start[i+1] the end of row i",
                        "row %d of the sparsity of %s is wrong", i, name);
    start[i + 1] = start[i] + width;
  }

  /* the columns */
  RITTI_NEW(col, arena, (size_t)start[rows] + 1);
  for (int i = 0; i < rows; i++)
    for (int e = start[i]; e < start[i + 1]; e++) {
      col[e] = given->start ? given->column[e] : e - start[i];
      int limit = lower ? i : cols - 1;
      if (col[e] < 0 || col[e] > limit || (e > start[i] && col[e] <= col[e - 1]))
        return ritti_fail(error, RITT_WRONG_CALL, NULL,
                          "the columns of a row must ascend; they are counted from 0",
                          "column %d in row %d of the sparsity of %s is wrong", col[e], i, name);
    }
  *out = (ritti_pattern){rows, cols, start, col};
  return RITT_OK;
}

/* Copies a pattern and groups its columns. */
static ritt_status copy_matrix(ritti_arena *arena, const ritt_sparsity *given, const char *name,
                               int rows, int cols, ritt_error *error, ritti_matrix *out) {
  RITT_TRY(copy_pattern(arena, given, name, rows, cols, false, error, &out->pattern));
  out->entries = out->pattern.start[rows];
  return ritti_group_columns(arena, out);
}

/* The pattern of all rows of the manifold: those of g, of its derivative, and of f. */
static ritt_status holonomic_df(ritti_arena *arena, ritti_functions *F) {
  const ritti_pattern *g = &F->dg.pattern, *f = &F->df.pattern;
  int *start, *col, at = 0;
  RITTI_NEW(start, arena, F->k + 1);
  RITTI_NEW(col, arena, 3 * (size_t)F->dg.entries + (size_t)F->df.entries + 1);
  for (int i = 0; i < F->k; i++) {
    bool position = i < F->l, velocity = !position && i < 2 * F->l;
    const ritti_pattern *p = position || velocity ? g : f;

    /* the row of g or f from which it comes */
    int row = i - 2 * F->l;
    if (position) row = i;
    if (velocity) row = i - F->l;

    /* the derivatives by x and y, and for a velocity those by y', too */
    for (int e = p->start[row]; e < p->start[row + 1]; e++) col[at++] = p->col[e];
    for (int e = p->start[row]; velocity && e < p->start[row + 1]; e++)
      if (p->col[e]) col[at++] = F->n + p->col[e];
    start[i + 1] = at;
  }
  F->all_df = (ritti_pattern){F->k, F->m, start, col};
  return RITT_OK;
}

/* The pattern of [mass G^T; G 0], and the places of the entries of its parts. */
static ritt_status holonomic_A(ritti_arena *arena, ritti_functions *F, ritti_pattern *A) {
  const ritti_pattern *mass = &F->mass.pattern, *g = &F->dg.pattern;
  int *start, *col, *at;
  RITTI_NEW(F->A_mass, arena, F->mass.entries + 1);
  RITTI_NEW(F->A_dg, arena, F->dg.entries + 1);
  RITTI_NEW(F->A_dg_t, arena, F->dg.entries + 1);
  RITTI_NEW(start, arena, F->tops + 1);
  RITTI_NEW(at, arena, F->tops + 1);
  RITTI_NEW(col, arena, (size_t)F->mass.entries + 2 * (size_t)F->dg.entries + 1);

  /* count the entries of each row */
  for (int i = 0; i < F->n; i++) start[i + 1] = mass->start[i + 1] - mass->start[i];
  for (int i = 0; i < F->l; i++)
    for (int e = g->start[i]; e < g->start[i + 1]; e++)
      if (g->col[e]) {
        start[F->n + i + 1]++;
        start[g->col[e]]++;
      }
  for (int i = 0; i < F->tops; i++) start[i + 1] += start[i];

  /* place the entries of the mass matrix */
  memcpy(at, start, (size_t)F->tops * sizeof *at);
  for (int i = 0; i < F->n; i++)
    for (int e = mass->start[i]; e < mass->start[i + 1]; e++) {
      F->A_mass[e] = at[i];
      col[at[i]++] = mass->col[e];
    }

  /* place those of G and of its transpose */
  for (int i = 0; i < F->l; i++)
    for (int e = g->start[i]; e < g->start[i + 1]; e++) {
      int j = g->col[e] - 1, row = F->n + i;
      F->A_dg[e] = F->A_dg_t[e] = -1;
      if (j < 0) continue;
      F->A_dg[e] = at[row];
      col[at[row]++] = j;
      F->A_dg_t[e] = at[j];
      col[at[j]++] = row;
    }
  *A = (ritti_pattern){F->tops, F->tops, start, col};
  return RITT_OK;
}

/* ---- coordinates and names ---- */

/* The order of an unknown; the default depends on the kind. */
static int order_of(const ritti_functions *F, int j) {
  if (j >= F->n) return 0; /* a multiplier of the holonomic kind */
  bool two = F->of.kind == RITT_HOLONOMIC || F->of.kind == RITT_GENERAL;
  if (F->of.orders) return F->of.orders[j];
  return two ? 2 : 1;
}

/* The name of an unknown; NULL: no memory. */
static const char *unknown_name(const ritti_functions *F, ritti_arena *arena, int j) {
  if (F->of.names && F->of.names[j])
    return ritti_arena_text(arena, F->of.names[j], strlen(F->of.names[j]));
  return j < F->n ? ritti_arena_format(arena, "y%d", j + 1)
                  : ritti_arena_format(arena, "lambda%d", j - F->n + 1);
}

/* Lays out the coordinates: x, then all unknowns, then their first derivatives, and so on. next[i]
 * is the derivative of coordinate i, or -1 - j if that is the top of unknown j. */
static ritt_status lay_out(ritti_arena *arena, ritti_functions *F, const char *const *name,
                           int *next) {
  int at = 1, highest = 0, *last;
  RITTI_NEW(last, arena, F->tops);
  RITTI_NEW(F->coordinate_name, arena, F->m);
  F->coordinate_name[0] = F->of.independent;

  /* all unknowns of one order come before those of the next */
  for (int j = 0; j < F->tops; j++) highest = order_of(F, j) > highest ? order_of(F, j) : highest;
  for (int order = 0; order < highest; order++)
    for (int j = 0; j < F->tops; j++) {
      if (order >= order_of(F, j)) continue;
      F->coordinate_name[at] = ritti_jet_name(arena, name[j], order);
      if (!F->coordinate_name[at]) return RITT_NO_MEMORY;
      if (order > 0) next[last[j]] = at;
      next[at] = -1 - j;
      last[j] = at++;
    }
  return RITT_OK;
}

/* Names the columns: x, then the outputs. Without outputs, all unknowns and then their derivatives.
 */
static ritt_status name_columns(ritti_arena *arena, ritti_functions *F, const char *const *name,
                                ritt_shape *shape) {
  int unknowns = F->tops, at = 0, first = 1, *column;
  const char **names;

  /* count them */
  F->columns = F->of.outputs;
  for (int j = 0; j < unknowns && !F->of.outputs; j++)
    F->columns += order_of(F, j) > 0 ? order_of(F, j) : 1;
  RITTI_NEW(names, arena, F->columns + 1);
  RITTI_NEW(column, arena, F->columns + 1);
  names[0] = F->of.independent;

  /* the outputs */
  for (; at < F->of.outputs; at++) {
    const char *given = F->of.output_names ? F->of.output_names[at] : NULL;
    names[at + 1] = given ? ritti_arena_text(arena, given, strlen(given))
                          : ritti_arena_format(arena, "output%d", at + 1);
    if (!names[at + 1]) return RITT_NO_MEMORY;
  }

  /* without outputs: the unknowns, then the derivatives */
  for (int j = 0; j < unknowns && !F->of.outputs; j++, at++) {
    column[at] = order_of(F, j) > 0 ? first++ : -1 - j;
    names[at + 1] = name[j];
  }
  for (int i = first; i < F->m && !F->of.outputs; i++, at++) {
    column[at] = i;
    names[at + 1] = F->coordinate_name[i];
  }
  F->column = column;
  shape->columns = (size_t)F->columns + 1;
  shape->column_names = names;
  return RITT_OK;
}

/* Names the rows of the manifold for messages. */
static ritt_status name_rows(ritti_arena *arena, ritti_functions *F) {
  RITTI_NEW(F->row_name, arena, F->k + 1);
  for (int i = 0; i < F->k; i++) {
    if (i < F->l) F->row_name[i] = ritti_arena_format(arena, "g[%d]", i);
    else if (i < 2 * F->l)
      F->row_name[i] = ritti_arena_format(arena, "the derivative of g[%d]", i - F->l);
    else F->row_name[i] = ritti_arena_format(arena, "f[%d]", i - 2 * F->l);
    if (!F->row_name[i]) return RITT_NO_MEMORY;
  }
  return RITT_OK;
}

/* ---- making ---- */

/* Computes the numbers of coordinates, tops and rows. */
static ritt_status count_coordinates(ritti_functions *F, ritt_error *error) {
  long m = 1;
  F->n = F->of.unknowns;
  F->l = F->of.constraints;
  F->tops = F->n + F->l;
  F->k = 2 * F->l + F->of.rows;
  for (int j = 0; j < F->n; j++) m += order_of(F, j);
  if (m > 100000000) return refuse_call(error, NULL, "the problem is too large");
  F->m = (int)m;
  return RITT_OK;
}

/* Copies and makes all patterns. */
static ritt_status make_patterns(ritti_arena *arena, ritti_functions *F, ritt_error *error,
                                 ritti_problem *p) {
  const ritt_definition *d = &F->of;

  /* the rows of f */
  RITT_TRY(copy_matrix(arena, &d->df_sparsity, "df", d->rows, F->m, error, &F->df));
  RITT_TRY(copy_pattern(arena, &d->d2f_sparsity, "d2f", F->m, F->m, true, error, &F->d2f));
  F->all_df = F->df.pattern;

  /* the kinds with a linear system */
  if (d->kind == RITT_HOLONOMIC) {
    RITT_TRY(copy_matrix(arena, &d->mass_sparsity, "mass", F->n, F->n, error, &F->mass));
    RITT_TRY(copy_matrix(arena, &d->dg_sparsity, "dg", F->l, F->n + 1, error, &F->dg));
    RITT_TRY(holonomic_df(arena, F));
    RITT_TRY(holonomic_A(arena, F, &p->A));
  } else if (d->kind == RITT_GRAPH) {
    RITT_TRY(copy_pattern(arena, &d->A_sparsity, "A", F->tops, F->tops, false, error, &p->A));
  }

  /* hand the patterns over */
  F->A_entries = p->A.start ? p->A.start[p->A.rows] : 0;
  p->df = F->all_df;
  p->d2f = F->d2f;
  return RITT_OK;
}

/* Lays out the work of a solver. */
static void lay_out_work(ritti_functions *F) {
  size_t at = 0;
  int most = F->m;

  /* the largest number of values of a function that is differentiated */
  if (F->dg.entries > most) most = F->dg.entries;
  if (F->k > most) most = F->k;

  /* the arrays, one after the other */
  F->at_f = at;
  at += (size_t)F->k;
  F->at_df = at;
  at += (size_t)F->all_df.start[F->k];
  F->at_dg = at;
  at += (size_t)F->dg.entries;
  F->at_d2g = at;
  at += (size_t)F->dg.entries;
  F->at_mass = at;
  at += (size_t)F->mass.entries;
  F->at_mu = at;
  at += (size_t)F->k;

  /* the levels of differences */
  F->level_room = ritti_difference_room(F->m, most);
  for (int i = 0; i < RITTI_LEVELS; i++) {
    F->at_level[i] = at;
    at += F->level_room;
  }
  F->work_size = at;
}

/* Copies the sizes of the coordinates; the default is 1. */
static ritt_status copy_sizes(ritti_arena *arena, ritti_functions *F, ritt_error *error) {
  double *size;
  RITTI_NEW(size, arena, F->m);
  for (int i = 0; i < F->m; i++) {
    size[i] = F->of.sizes && F->of.sizes[i] != 0 ? F->of.sizes[i] : 1;
    if (!(size[i] > 0 && size[i] < INFINITY))
      return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                        "the size of coordinate %d is not positive", i);
  }
  F->size = size;
  return RITT_OK;
}

/* Copies the definition and makes the problem; everything lives in the arena. */
static ritt_status make_problem(const ritt_definition *d, ritti_arena *arena, ritt_error *error,
                                ritt_problem *out) {
  ritti_functions *F;
  ritti_problem *p;
  int *next;
  const char **name;
  RITTI_NEW(F, arena, 1);
  RITTI_NEW(p, arena, 1);

  /* copy the definition */
  F->of = *d;
  F->of.independent =
      d->independent ? ritti_arena_text(arena, d->independent, strlen(d->independent)) : "x";
  if (!F->of.independent) return RITT_NO_MEMORY;

  /* coordinates, names and patterns */
  RITT_TRY(count_coordinates(F, error));
  RITTI_NEW(name, arena, F->tops);
  for (int j = 0; j < F->tops; j++)
    if (!(name[j] = unknown_name(F, arena, j))) return RITT_NO_MEMORY;
  RITTI_NEW(next, arena, F->m);
  RITT_TRY(lay_out(arena, F, name, next));
  RITT_TRY(name_columns(arena, F, name, &out->shape));
  RITT_TRY(name_rows(arena, F));
  RITT_TRY(copy_sizes(arena, F, error));
  RITT_TRY(make_patterns(arena, F, error, p));
  lay_out_work(F);

  /* the problem */
  p->kind = d->kind;
  p->m = F->m;
  p->k = F->k;
  p->tops = F->tops;
  p->outputs = F->columns;
  p->next = next;
  p->forced = d->forced != 0;
  p->own_line = d->kind == RITT_GENERAL;
  p->positions = F->n;
  p->constraints = F->l;
  if (d->kind == RITT_HOLONOMIC) {
    ritt_real *s;
    RITTI_NEW(s, arena, F->l + 1);
    for (int i = 0; i < F->l; i++) s[i] = 1;
    p->symmetric = true;
    p->s = s;
  }
  ritti_functions_fill(F, p);
  if (d->allocator) {
    ritt_allocator *copy;
    RITTI_NEW(copy, arena, 1);
    *copy = *d->allocator;
    out->allocator = F->of.allocator = copy;
  }

  /* the public object */
  out->problem = p;
  out->shape.kind = d->kind;
  out->shape.coordinates = (size_t)F->m;
  out->shape.tops = (size_t)F->tops;
  out->shape.rows = (size_t)F->k;
  out->shape.coordinate_names = F->coordinate_name;
  /* pointers into the caller's memory are not needed any more */
  F->of.orders = NULL;
  F->of.names = NULL;
  F->of.output_names = NULL;
  F->of.sizes = NULL;
  F->of.df_sparsity = F->of.d2f_sparsity = F->of.A_sparsity = F->of.mass_sparsity =
      F->of.dg_sparsity = (ritt_sparsity){0};
  return RITT_OK;
}

ritt_status ritt_problem_new(const ritt_definition *definition, ritt_error *error,
                             ritt_problem **out) {
  *out = NULL;

  /* check the definition */
  RITT_TRY(check_sizes(definition, error));
  RITT_TRY(check_functions(definition, error));

  /* make the problem in an arena of its own */
  ritti_arena *arena = ritti_arena_from(definition->allocator);
  ritt_problem *problem = arena ? ritti_arena_alloc(arena, 1, sizeof *problem) : NULL;
  ritt_status status = problem ? make_problem(definition, arena, error, problem) : RITT_NO_MEMORY;
  if (status == RITT_OK) {
    problem->arena = arena;
    *out = problem;
    return RITT_OK;
  }
  ritti_arena_free(arena);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}

void ritt_problem_free(ritt_problem *problem) {
  if (problem) ritti_arena_free(problem->arena);
}

const ritt_shape *ritt_problem_shape(const ritt_problem *problem) { return &problem->shape; }
