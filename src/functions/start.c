/* Start points of problems: moving a guess onto the manifold, and a check before a solver starts. A
 * point is refused if a row of f is larger than rounding relative to its terms, sum_j |df_ij|
 * |z_j|. A row of the caller is refused if its derivative along the direction, df V, is larger than
 * rounding relative to |df| |V|: such a row is not actually an invariant, and projecting onto it
 * gives another solution. */
#include "functions/functions.h"
#include "geometry/geometry.h"

/* The name of a row for messages. */
static const char *name_of(const ritti_problem *p, int i) {
  const char *name = p->name.row ? p->name.row(p->data, i) : NULL;
  return name ? name : "a row";
}

/* Explains why no point was found near the guess. */
static ritt_status report_trouble(const ritti_problem *p, const ritti_manifold *M,
                                  ritt_error *error) {
  if (M->trouble == RITTI_NO_VALUE)
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL, "start from another guess",
                      "a function has no value on the way from the guess to the manifold");
  if (M->trouble == RITTI_DEPENDENT_ROWS)
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL,
                      "leave more coordinates free, or start elsewhere",
                      "the rows of the manifold are dependent near the guess");

  /* name the row with the largest residual */
  int worst = 0;
  for (int i = 1; i < p->k; i++)
    if (!(RITTI_MATH(fabs)(M->f[i]) <= RITTI_MATH(fabs)(M->f[worst]))) worst = i;
  return ritti_fail(error, RITT_IMPOSSIBLE, NULL, "start from another guess",
                    "no point of the manifold was found near the guess: %s stays at %.3g",
                    name_of(p, worst), (double)M->f[worst]);
}

/* Moves a guess onto the manifold; fixed coordinates stay. */
static ritt_status project_start(const ritti_problem *p, const int *fixed, ritti_arena *arena,
                                 double *z, ritt_error *error) {
  ritti_manifold M;
  ritt_real *work, *q;
  RITTI_NEW(work, arena, p->work_size + 1);
  RITTI_NEW(q, arena, p->m);

  /* set up the manifold, with weight 0 for coordinates that stay */
  if (p->work_init) p->work_init(p->data, work);
  RITT_TRY(ritti_manifold_init(&M, p, work, arena));
  for (int i = 0; i < p->m; i++) M.inverse_weights[i] = i && !(fixed && fixed[i]);

  /* project */
  memcpy(q, z, (size_t)p->m * sizeof *q);
  ritt_status status = ritti_manifold_project(&M, q, q);
  if (status == RITT_RETRY) return report_trouble(p, &M, error);
  RITT_TRY(status);
  memcpy(z, q, (size_t)p->m * sizeof *q);
  return RITT_OK;
}

ritt_status ritt_problem_project(const ritt_problem *problem, const int *fixed, double *z,
                                 ritt_error *error) {
  ritti_arena *arena = ritti_arena_from(problem->allocator);
  ritt_status status =
      arena ? project_start(problem->problem, fixed, arena, z, error) : RITT_NO_MEMORY;
  ritti_arena_free(arena);
  if (status == RITT_NO_MEMORY) return ritti_no_memory(error);
  if (status == RITT_OK || status == RITT_IMPOSSIBLE) return status;
  return ritti_fail(error, status, NULL, NULL, "a function ended the projection: %s",
                    ritt_status_text(status));
}

/* ---- the check ---- */

static const ritt_real NEAR = (ritt_real)1e-10; /* of rows of f, relative to their terms */
static const ritt_real ALONG = (ritt_real)1e-6; /* of their derivatives along the direction */

/* Checks that all rows of f vanish at z. */
static ritt_status check_rows(const ritti_problem *p, const ritt_real *z, const ritt_real *f,
                              const ritt_real *df, ritt_error *error) {
  for (int i = 0; i < p->k; i++) {
    ritt_real size = 0;
    for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++)
      size += RITTI_MATH(fabs)(df[e]) * RITTI_MATH(fmax)(RITTI_MATH(fabs)(z[p->df.col[e]]), 1);
    if (!(RITTI_MATH(fabs)(f[i]) <= NEAR * size))
      return ritti_fail(
          error, RITT_WRONG_CALL, NULL, "ritt_problem_project moves a guess onto the manifold",
          "the start is not on the manifold: %s is %.3g there", name_of(p, i), (double)f[i]);
  }
  return RITT_OK;
}

/* Checks that the caller's rows are invariant along the direction. */
static ritt_status check_along(const ritti_problem *p, const ritt_real *V, const ritt_real *df,
                               ritt_error *error) {
  for (int i = 2 * p->constraints; i < p->k; i++) {
    ritt_real sum = 0, size = 0;
    for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++) {
      sum += df[e] * V[p->df.col[e]];
      size += RITTI_MATH(fabs)(df[e]) * RITTI_MATH(fmax)(RITTI_MATH(fabs)(V[p->df.col[e]]), 1);
    }

    /* the derivative must be small relative to its terms */
    if (!(RITTI_MATH(fabs)(sum) <= ALONG * size))
      return ritti_fail(
          error, RITT_WRONG_CALL, NULL,
          "correct f, or set forced to project onto it all the same: that solves another system",
          "%s is not invariant: along the direction it changes at the rate %.3g at the start",
          name_of(p, i), (double)sum);
  }
  return RITT_OK;
}

/* Checks the rows at a point and, for the caller's rows, along the direction. */
static ritt_status check_start(const ritt_problem *problem, const double *z, ritti_arena *arena,
                               ritt_error *error) {
  const ritti_problem *p = problem->problem;
  ritti_direction D;
  ritt_real *work, *f, *df, *V;
  RITTI_NEW(work, arena, p->work_size + 1);
  RITTI_NEW(f, arena, p->k);
  RITTI_NEW(df, arena, p->df.start[p->k] + 1);
  RITTI_NEW(V, arena, p->m);

  /* evaluate the rows */
  if (p->work_init) p->work_init(p->data, work);
  ritt_status status = p->call.f_df(p->data, work, z, f, df);
  /* a function without a value is reported when the solver starts */
  if (status != RITT_OK) return status == RITT_RETRY ? RITT_OK : status;
  RITT_TRY(check_rows(p, z, f, df, error));
  /* a model has checked its invariants; the rows of the general kind determine the direction */
  if (!problem->arena || p->kind == RITT_GENERAL || p->forced || p->k == 2 * p->constraints)
    return RITT_OK;
  RITT_TRY(ritti_direction_init(&D, p, work, arena));
  status = ritti_direction_at(&D, z, V);
  if (status != RITT_OK) return status == RITT_RETRY ? RITT_OK : status;
  return check_along(p, V, df, error);
}

ritt_status ritti_problem_check_start(const ritt_problem *problem, const double *z,
                                      ritt_error *error) {
  if (problem->problem->k == 0) return RITT_OK;
  ritti_arena *arena = ritti_arena_from(problem->allocator);
  ritt_status status = arena ? check_start(problem, z, arena, error) : RITT_NO_MEMORY;
  ritti_arena_free(arena);
  return status;
}
