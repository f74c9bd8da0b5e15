/* Completed models looked at from inside: points of the jet space, rows evaluated there, and points
 * moved onto rows. completed_text opens and completes, completed_free ends. */
#ifndef RITT_TEST_JETS_H
#define RITT_TEST_JETS_H

#include <stdlib.h>
#include "check.h"
#include "complete/complete.h"

/* ---- a completed model ---- */

typedef struct completed {
  ritti_model *model;
  ritti_arena *arena;
  ritt_error *error;
  ritt_status status;
  ritt_check check;
  ritti_reduced *reduced; /* NULL: refused */
  double *parameter;
} completed;

static inline void *jets_memory(size_t count, size_t size) {
  void *p = calloc(count + 1, size);
  if (!p) {
    printf("out of memory\n");
    exit(1);
  }
  return p;
}

static inline completed *completed_text(const char *text, const char *name) {
  completed *c = jets_memory(1, sizeof *c);
  c->arena = ritti_arena_new();
  c->error = ritt_error_new();
  c->status = ritti_model_read(text, strlen(text), name, NULL, 0, c->error, &c->model);
  if (c->status == RITT_OK) {
    c->parameter = jets_memory((size_t)c->model->parameters, sizeof *c->parameter);
    for (int i = 0; i < c->model->parameters; i++) c->parameter[i] = c->model->parameter[i].number;
    c->status = ritti_complete(c->model, c->arena, c->error, &c->check, &c->reduced);
  } else {
    checks_failed++;
    printf("%s: not read: %s\n", name,
           ritt_error_count(c->error) ? ritt_error_get(c->error, 0)->text : "no message");
  }
  return c;
}

static inline void completed_free(completed *c) {
  ritti_model_free(c->model);
  ritti_arena_free(c->arena);
  ritt_error_free(c->error);
  free(c->parameter);
  free(c);
}

/* ---- points of the jet space ---- */

enum { JETS_VARIABLES = 32, JETS_ORDERS = 24 };

typedef struct jets {
  double x;
  double value[JETS_VARIABLES][JETS_ORDERS];
  bool known[JETS_VARIABLES][JETS_ORDERS]; /* the others are for jets_onto to find */
} jets;

static inline double jets_get(const void *context, int variable, int order) {
  const jets *z = context;
  return variable < JETS_VARIABLES && order < JETS_ORDERS ? z->value[variable][order] : NAN;
}

/* The start point of a completed model: coordinates and tops, none of them known. */
static inline void jets_start(const completed *c, jets *z) {
  const ritti_reduced *R = c->reduced;
  *z = (jets){.x = R->z[0]};
  for (int i = 1; i < R->m; i++)
    z->value[ritti_index_of(c->model->dag, R->coordinate[i])]
            [ritti_order_of(c->model->dag, R->coordinate[i])] = R->z[i];
  for (int i = 0; i < R->tops; i++)
    z->value[ritti_index_of(c->model->dag, R->top[i])][ritti_order_of(c->model->dag, R->top[i])] =
        R->top_value[i];
}

/* ---- rows ---- */

/* Some expressions of one model with all their derivatives by jets. */
typedef struct jets_rows {
  const completed *of;
  ritti_dag *dag;
  ritti_expr *root; /* rows, then entries */
  int rows, entries;
  int *start, *variable, *order; /* of the entries, by rows */
  double *value;
  ritti_plan *plan;
} jets_rows;

static inline jets_rows *jets_rows_new(const completed *c, const ritti_expr *row, int rows) {
  jets_rows *S = jets_memory(1, sizeof *S);
  size_t room = (size_t)(rows + 1) * JETS_VARIABLES * 4;
  *S = (jets_rows){.of = c, .dag = c->model->dag, .rows = rows};
  S->root = jets_memory((size_t)rows + room, sizeof *S->root);
  S->start = jets_memory((size_t)rows + 1, sizeof *S->start);
  S->variable = jets_memory(room, sizeof *S->variable);
  S->order = jets_memory(room, sizeof *S->order);
  S->value = jets_memory((size_t)rows + room, sizeof *S->value);
  for (int i = 0; i < rows; i++) {
    ritti_gradient g;
    S->root[i] = row[i];
    if (ritti_dag_gradient_of(S->dag, row[i], 1u << RITTI_JET, &g) != RITT_OK) exit(1);
    for (size_t e = 0; e < g.count; e++) {
      if ((size_t)S->entries == room) exit(1);
      S->variable[S->entries] = ritti_index_of(S->dag, g.leaf[e]);
      S->order[S->entries] = ritti_order_of(S->dag, g.leaf[e]);
      S->root[rows + S->entries++] = g.derivative[e];
    }
    ritti_gradient_clear(&g);
    S->start[i + 1] = S->entries;
  }
  if (ritti_plan_new(S->dag, S->root, (size_t)(rows + S->entries), &S->plan) != RITT_OK) exit(1);
  return S;
}

static inline void jets_rows_free(jets_rows *S) {
  ritti_plan_free(S->plan);
  free(S->root);
  free(S->start);
  free(S->variable);
  free(S->order);
  free(S->value);
  free(S);
}

static inline void jets_rows_evaluate(jets_rows *S, const jets *z) {
  ritti_values values = {.independent = z->x,
                         .jet = jets_get,
                         .context = z,
                         .parameter = S->of->parameter,
                         .level = S->of->reduced ? S->of->reduced->level : NULL};
  ritti_plan_evaluate(S->plan, &values, S->value);
}

/* What an error of `relative` times each jet, or `absolute`, makes of row i. Evaluate first. */
static inline double jets_rows_size(const jets_rows *S, const jets *z, int i, double relative,
                                    double absolute) {
  double size = 0;
  for (int e = S->start[i]; e < S->start[i + 1]; e++)
    size += fabs(S->value[S->rows + e]) *
            (relative * fabs(z->value[S->variable[e]][S->order[e]]) + absolute);
  return size;
}

/* The largest residual in units of what such errors explain; NaN where a row has no value. */
static inline double jets_rows_misfit(jets_rows *S, const jets *z, double relative,
                                      double absolute) {
  double worst = 0;
  jets_rows_evaluate(S, z);
  for (int i = 0; i < S->rows; i++) {
    double r = fabs(S->value[i]), size = jets_rows_size(S, z, i, relative, absolute);
    if (!(r >= 0)) return NAN;
    if (r > 0) worst = fmax(worst, r / size);
  }
  return worst;
}

/* Rank of the derivative by the jets that `in` accepts (NULL: all); -1: no clear gap. Evaluates. */
static inline int jets_rows_rank(jets_rows *S, const jets *z,
                                 bool (*in)(const void *context, int variable, int order),
                                 const void *context) {
  enum { WIDTH = JETS_VARIABLES * JETS_ORDERS };
  int *column = jets_memory(WIDTH, sizeof *column), cols = 0, rank = 0;
  jets_rows_evaluate(S, z);
  for (int e = 0; e < S->entries; e++) {
    int at = S->variable[e] * JETS_ORDERS + S->order[e];
    if (!column[at] && (!in || in(context, S->variable[e], S->order[e]))) column[at] = ++cols;
  }
  int most = S->rows < cols ? S->rows : cols;
  double *a = jets_memory((size_t)S->rows * (size_t)cols, sizeof *a);
  double *r = jets_memory((size_t)S->rows, sizeof *r), *c = jets_memory((size_t)cols, sizeof *c);
  double *sigma = jets_memory((size_t)most, sizeof *sigma);
  double *scratch = jets_memory(ritti_singular_values_scratch(S->rows, cols), sizeof *scratch);
  for (int i = 0; i < S->rows; i++)
    for (int e = S->start[i]; e < S->start[i + 1]; e++) {
      int at = column[S->variable[e] * JETS_ORDERS + S->order[e]];
      if (at) a[i * cols + at - 1] = S->value[S->rows + e];
    }
  if (most > 0) {
    ritti_equilibrate(S->rows, cols, a, r, c);
    for (int i = 0; i < S->rows; i++)
      for (int j = 0; j < cols; j++) a[i * cols + j] *= r[i] * c[j];
    bool finite = ritti_singular_values(S->rows, cols, a, sigma, NULL, scratch);
    while (finite && rank < most && sigma[rank] > 1e-8 * sigma[0]) rank++;
    if (!finite || (rank > 0 && rank < most && sigma[rank] * 1e2 > sigma[rank - 1])) rank = -1;
  }
  free(column), free(a), free(r), free(c), free(sigma), free(scratch);
  return rank;
}

/* Moves the jets that are not known onto the rows: Gauss-Newton, least moves. */
static inline void jets_onto(jets_rows *S, jets *z) {
  enum { WIDTH = JETS_VARIABLES * JETS_ORDERS };
  int *column = jets_memory(WIDTH, sizeof *column), cols = 0;
  for (int e = 0; e < S->entries; e++) {
    int v = S->variable[e], k = S->order[e];
    if (!z->known[v][k] && !column[v * JETS_ORDERS + k]) column[v * JETS_ORDERS + k] = ++cols;
  }
  double *a = jets_memory((size_t)S->rows * (size_t)cols, sizeof *a);
  double *b = jets_memory((size_t)S->rows, sizeof *b),
         *step = jets_memory((size_t)cols, sizeof *step);
  double *scratch = jets_memory(ritti_least_norm_scratch(S->rows, cols), sizeof *scratch);
  int *iscratch = jets_memory((size_t)(S->rows + cols), sizeof *iscratch);
  for (int k = 0; k < 30 && cols > 0; k++) {
    jets_rows_evaluate(S, z);
    memset(a, 0, (size_t)S->rows * (size_t)cols * sizeof *a);
    for (int i = 0; i < S->rows; i++) {
      double largest = 0;
      for (int e = S->start[i]; e < S->start[i + 1]; e++)
        if (column[S->variable[e] * JETS_ORDERS + S->order[e]])
          largest = fmax(largest, fabs(S->value[S->rows + e]));
      if (!(largest > 0)) largest = 1;
      for (int e = S->start[i]; e < S->start[i + 1]; e++) {
        int at = column[S->variable[e] * JETS_ORDERS + S->order[e]];
        if (at) a[i * cols + at - 1] = S->value[S->rows + e] / largest;
      }
      b[i] = -S->value[i] / largest;
    }
    ritti_least_norm(S->rows, cols, a, b, 1e-12, step, scratch, iscratch);
    for (int at = 0; at < WIDTH; at++)
      if (column[at]) z->value[at / JETS_ORDERS][at % JETS_ORDERS] += step[column[at] - 1];
  }
  free(column), free(a), free(b), free(step), free(scratch), free(iscratch);
}

/* All rows of a completed model: those of M, then those of the tops. */
static inline jets_rows *jets_rows_all(const completed *c) {
  const ritti_reduced *R = c->reduced;
  ritti_expr *row = jets_memory((size_t)(R->k + R->top_rows), sizeof *row);
  memcpy(row, R->f, (size_t)R->k * sizeof *row);
  memcpy(row + R->k, R->top_row, (size_t)R->top_rows * sizeof *row);
  jets_rows *S = jets_rows_new(c, row, R->k + R->top_rows);
  free(row);
  return S;
}

#endif
