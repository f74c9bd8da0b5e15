/* Compares the derivatives that the caller supplied with differences at a point: df and dg column
 * by column, including entries outside of their sparsity, d2g along the motion, d2f for a few
 * multipliers. */
#include "functions/functions_impl.h"

/* The state of a comparison. */
typedef struct checker {
  const ritti_functions *F;
  const double *z;
  double tolerance;
  ritt_real *work;
  ritti_arena *arena;
  ritt_error *error;
  int wrong;
} checker;

enum { MOST_MESSAGES = 20 };

/* Compares all entries of a matrix; `given` has the pattern p, `differences` is dense. */
static void compare_matrix(checker *c, const char *name, const ritti_pattern *p,
                           const ritt_real *given, const ritt_real *differences, int cols) {
  for (int i = 0; i < p->rows; i++) {
    /* errors are relative to the largest entry of the row */
    ritt_real size = 1e-300;
    for (int j = 0; j < cols; j++)
      size = RITTI_MATH(fmax)(size, RITTI_MATH(fabs)(differences[i * cols + j]));

    /* compare the entries; one outside of the pattern should be 0 */
    for (int j = 0, e = p->start[i]; j < cols; j++) {
      bool there = e < p->start[i + 1] && p->col[e] == j;
      ritt_real value = there ? given[e++] : 0, other = differences[i * cols + j];
      size = RITTI_MATH(fmax)(size, RITTI_MATH(fabs)(value));
      if (RITTI_MATH(fabs)(value - other) <= c->tolerance * size) continue;
      if (c->wrong++ >= MOST_MESSAGES) continue;
      (void)ritti_fail(c->error, RITT_WRONG_CALL, NULL,
                       there ? NULL : "add the entry to the sparsity",
                       "%s, row %d, column %d (%s): %.17g %s, but differences give %.12g", name, i,
                       j, c->F->coordinate_name[j], (double)value,
                       there ? "was given" : "by the sparsity that was given", (double)other);
    }
  }
}

/* Computes differences of all columns of `function`, a dense matrix of rows x m entries. */
static ritt_status all_columns(checker *c, ritti_inner function, int rows, ritt_real *out) {
  ritti_matrix all = {.groups = c->F->m};
  int *start, *col, *group;
  RITTI_NEW(start, c->arena, rows + 1);
  RITTI_NEW(col, c->arena, (size_t)rows * (size_t)c->F->m + 1);
  RITTI_NEW(group, c->arena, c->F->m);

  /* a dense pattern with one column in each group */
  for (int i = 0; i < rows; i++) start[i + 1] = start[i] + c->F->m;
  for (int e = 0; e < rows * c->F->m; e++) col[e] = e % c->F->m;
  for (int j = 0; j < c->F->m; j++) group[j] = j;
  all.pattern = (ritti_pattern){rows, c->F->m, start, col};
  all.group = group;
  return ritti_difference_matrix(c->F, c->work, 2, function, &all, c->z, out);
}

/* Compares a first derivative, or its sparsity if the derivative was not supplied. */
static ritt_status check_matrix(checker *c, const char *name, ritt_function given,
                                ritti_inner function, const ritti_matrix *matrix) {
  int rows = matrix->pattern.rows, m = c->F->m;
  ritt_real *value, *differences;
  if (rows == 0 || (!given && matrix->entries == rows * matrix->pattern.cols)) return RITT_OK;

  /* differences of all columns */
  RITTI_NEW(value, c->arena, matrix->entries + 1);
  RITTI_NEW(differences, c->arena, (size_t)rows * (size_t)m);
  RITT_TRY(all_columns(c, function, rows, differences));
  if (given) {
    RITT_TRY(ritti_user_call(c->F, given, c->z, matrix->entries, value));
  } else {
    /* only the sparsity was supplied: entries outside of it should be 0 */
    for (int i = 0; i < rows; i++)
      for (int e = matrix->pattern.start[i]; e < matrix->pattern.start[i + 1]; e++)
        value[e] = differences[i * m + matrix->pattern.col[e]];
  }

  /* compare */
  compare_matrix(c, name, &matrix->pattern, value, differences, m);
  return RITT_OK;
}

/* Compares d2g, the derivative of dg along the motion. */
static ritt_status check_d2g(checker *c) {
  const ritti_functions *F = c->F;
  const ritti_pattern *p = &F->dg.pattern;
  int cols = F->n + 1;
  ritt_real *given, *along, *all, *w;
  if (!F->of.d2g || F->l == 0) return RITT_OK;
  RITTI_NEW(given, c->arena, F->dg.entries + 1);
  RITTI_NEW(along, c->arena, F->dg.entries + 1);
  RITTI_NEW(all, c->arena, (size_t)F->l * (size_t)cols);
  RITTI_NEW(w, c->arena, F->m);

  /* the motion (1, y', 0) */
  w[0] = 1;
  for (int i = 1; i <= F->n; i++) w[i] = c->z[F->n + i];

  /* the supplied values and the differences */
  RITT_TRY(ritti_user_call(F, F->of.d2g, c->z, F->dg.entries, given));
  RITT_TRY(ritti_difference(F, c->work, 1, ritti_user_dg, c->z, w, 1,
                            ritti_difference_step(F, c->z, w), F->dg.entries, along));
  ritti_csr_to_dense(p, along, all);
  compare_matrix(c, "d2g", p, given, all, cols);
  return RITT_OK;
}

/* Compares d2f for a combination of rows. */
static ritt_status check_d2f(checker *c) {
  const ritti_functions *F = c->F;
  const ritti_pattern *p = &F->d2f;
  ritt_real *given, *differences, *lower, *mu;
  ritti_functions without = *F; /* the same problem without d2f, which then uses differences */
  ritti_problem problem = {0};
  int *start, *col, m = F->m;
  if (!F->of.d2f || F->of.kind == RITT_HOLONOMIC || F->k == 0) return RITT_OK;
  RITTI_NEW(given, c->arena, p->start[m] + 1);
  RITTI_NEW(lower, c->arena, (size_t)m * (size_t)(m + 1) / 2 + 1);
  RITTI_NEW(differences, c->arena, (size_t)m * (size_t)m);
  RITTI_NEW(mu, c->arena, F->k);
  RITTI_NEW(start, c->arena, m + 1);
  RITTI_NEW(col, c->arena, (size_t)m * (size_t)(m + 1) / 2 + 1);

  /* a dense lower triangle */
  for (int i = 0; i < m; i++) {
    start[i + 1] = start[i] + i + 1;
    for (int j = 0; j <= i; j++) col[start[i] + j] = j;
  }
  /* multipliers with which rows do not cancel each other */
  for (int i = 0; i < F->k; i++) mu[i] = 1 + (ritt_real)(i % 7) / 8;

  /* the supplied values and the differences */
  without.of.d2f = NULL;
  without.d2f = (ritti_pattern){m, m, start, col};
  ritti_functions_fill(&without, &problem);
  RITT_TRY(F->of.d2f(F->of.user_data, c->z, mu, given));
  RITT_TRY(problem.call.d2f_mu(&without, c->work, c->z, mu, lower));
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++) differences[i * m + j] = lower[start[i] + j];
  compare_matrix(c, "d2f", p, given, differences, m);
  return RITT_OK;
}

/* Compares all derivatives and reports how many entries are wrong. */
static ritt_status check_all(checker *c) {
  const ritti_functions *F = c->F;
  RITTI_NEW(c->work, c->arena, F->work_size + 1);
  RITT_TRY(check_matrix(c, "df", F->of.df, ritti_user_f, &F->df));
  RITT_TRY(check_matrix(c, "dg", F->of.dg, ritti_user_g, &F->dg));
  RITT_TRY(check_d2g(c));
  RITT_TRY(check_d2f(c));
  if (c->wrong > MOST_MESSAGES)
    (void)ritti_fail(c->error, RITT_WRONG_CALL, NULL, NULL, "and %d more entries",
                     c->wrong - MOST_MESSAGES);
  return c->wrong ? RITT_WRONG_CALL : RITT_OK;
}

ritt_status ritt_problem_check_derivatives(const ritt_problem *problem, const double *z,
                                           double tolerance, ritt_error *error) {
  if (!problem->arena) return RITT_OK; /* the derivatives of a model need no check */
  checker c = {.F = problem->problem->data,
               .z = z,
               .tolerance = tolerance > 0 ? tolerance : 1e-6,
               .arena = ritti_arena_from(problem->allocator),
               .error = error};

  /* check, then report why it could not be checked */
  ritt_status status = c.arena ? check_all(&c) : RITT_NO_MEMORY;
  ritti_arena_free(c.arena);
  if (status == RITT_NO_MEMORY) return ritti_no_memory(error);
  if (status == RITT_RETRY)
    return ritti_fail(error, RITT_RETRY, NULL, "check at another point",
                      "a function has no value at or near the point");
  return status;
}
