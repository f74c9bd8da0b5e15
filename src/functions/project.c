/* A guess moved onto the manifold: start points for problems that are no models. */
#include "functions/functions.h"
#include "geometry/geometry.h"

static const char *name_of(const ritti_problem *p, int i) {
  const char *name = p->row_name ? p->row_name(p->data, i) : NULL;
  return name ? name : "a row";
}

static ritt_status say(const ritti_problem *p, const ritti_manifold *M, ritt_error *error) {
  if (M->trouble == RITTI_NO_VALUE)
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL, "start from another guess",
                      "a function has no value on the way from the guess to the manifold");
  if (M->trouble == RITTI_DEPENDENT_ROWS)
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL, "leave more coordinates free, or start elsewhere",
                      "the rows of the manifold are dependent near the guess");
  int worst = 0;
  for (int i = 1; i < p->k; i++)
    if (!(RITTI_MATH(fabs)(M->f[i]) <= RITTI_MATH(fabs)(M->f[worst]))) worst = i;
  return ritti_fail(error, RITT_IMPOSSIBLE, NULL, "start from another guess",
                    "no point of the manifold was found near the guess: %s stays at %.3g", name_of(p, worst),
                    (double)M->f[worst]);
}

static ritt_status project(const ritti_problem *p, const int *fixed, ritti_arena *arena, double *z,
                           ritt_error *error) {
  ritti_manifold M;
  ritt_real *work, *q;
  RITTI_NEW(work, arena, p->work_size + 1);
  RITTI_NEW(q, arena, p->m);
  if (p->work_init) p->work_init(p->data, work);
  RITT_TRY(ritti_manifold_init(&M, p, work, arena));
  for (int i = 0; i < p->m; i++) M.spread[i] = i && !(fixed && fixed[i]);
  memcpy(q, z, (size_t)p->m * sizeof *q);
  ritt_status status = ritti_manifold_project(&M, q, q);
  if (status == RITT_RETRY) return say(p, &M, error);
  RITT_TRY(status);
  memcpy(z, q, (size_t)p->m * sizeof *q);
  return RITT_OK;
}

ritt_status ritt_problem_project(const ritt_problem *problem, const int *fixed, double *z,
                                 ritt_error *error) {
  ritti_arena *arena = ritti_arena_from(problem->allocator);
  ritt_status status = arena ? project(problem->problem, fixed, arena, z, error) : RITT_NO_MEMORY;
  ritti_arena_free(arena);
  if (status == RITT_NO_MEMORY) return ritti_no_memory(error);
  if (status == RITT_OK || status == RITT_IMPOSSIBLE) return status;
  return ritti_fail(error, status, NULL, NULL, "a function ended the projection: %s",
                    ritt_status_text(status));
}
