/* problem.strong of a model: M, f, its derivatives, grad U, H and eps as functions of a point, in
 * closed form. */
#include "check.h"
#include "complete/strong.h"
#include "tape/eval.h"

/* A mass of 2 on a spring, with friction and a force of time; a second one that pulls on nothing.
 */
static const char text[] =
    "model m\nparameter k = 3\nvariable w, x, y\nlet r = sqrt(x^2 + y^2)\nequation\n"
    "  x'' + y''/2 = -k*x/r*(r - 1)/eps^2 - x'*y\n"
    "  w'' = sin(t)*w'\n"
    "  x''/2 + 2*y'' = -k*y/r*(r - 1)/eps^2 - y'\n"
    "stiff k*(r - 1)^2/2, eps = 0.125\n"
    "start w = 0, x = 0.6, y = 0.8, w' = 1, x' = 0, y' = 0\n%s";

static const double z[] = {0.3, 0.1, 0.7, -0.4, 0.2, 0.5, -0.6}; /* t, w, x, y, w', x', y' */

static double entry(const ritti_pattern *p, const double *value, int i, int j) {
  for (int e = p->start[i]; e < p->start[i + 1]; e++)
    if (p->col[e] == j) return value[e];
  return 0;
}

static void check_functions(const ritti_problem *p, bool limit) {
  const ritti_strong *S = p->strong;
  double M[9], f[3], df[21], g[3], H[9], work[1000];
  double x = z[2], y = z[3], r = hypot(x, y), third = 3 / (r * r * r);
  CHECK(S && S->n == 3 && S->m == 1 && S->column[0] == S->row[0] && S->column[0] == 1 &&
        p->work_size < 1000);
  if (!S) return; /* column 1: 3*0.6^2 over the mass 1 is more than 3*0.8^2 over the mass 2 */
  p->work_init(p->data, work);
  int order[] = {1, 2, 3, 4, 5, 6};
  CHECK(!memcmp(S->position, order, 3 * sizeof(int)) &&
        !memcmp(S->velocity, order + 3, 3 * sizeof(int)));
  CHECK(S->eps(p->data, work) == (limit ? 0 : 0.125));
  CHECK(S->mass(p->data, work, z, M) == RITT_OK && S->force(p->data, work, z, f) == RITT_OK);
  CHECK(S->force_dz(p->data, work, z, df) == RITT_OK &&
        S->gradient(p->data, work, z, g) == RITT_OK);
  CHECK(S->hessian(p->data, work, z, H) == RITT_OK);
  CHECK_NEAR(entry(&S->M, M, 0, 0), 1, 0);
  CHECK_NEAR(entry(&S->M, M, 1, 1), 1, 0);
  CHECK_NEAR(entry(&S->M, M, 1, 2), 0.5, 0);
  CHECK_NEAR(entry(&S->M, M, 2, 1), 0.5, 0);
  CHECK_NEAR(entry(&S->M, M, 2, 2), 2, 0);
  CHECK_NEAR(f[0], sin(z[0]) * z[4], 1e-15);
  CHECK_NEAR(f[1], -z[5] * y, 1e-15);
  CHECK_NEAR(f[2], -z[6], 1e-15);
  CHECK_NEAR(entry(&S->df, df, 0, 0), cos(z[0]) * z[4], 1e-15);
  CHECK_NEAR(entry(&S->df, df, 0, 4), sin(z[0]), 1e-15);
  CHECK_NEAR(entry(&S->df, df, 1, 3), -z[5], 1e-15);
  CHECK_NEAR(entry(&S->df, df, 1, 5), -y, 1e-15);
  CHECK_NEAR(entry(&S->df, df, 2, 6), -1, 1e-15);
  CHECK(S->df.rows == 3 && S->df.cols == 7);
  CHECK_NEAR(g[0], 0, 0);
  CHECK_NEAR(g[1], 3 * (r - 1) * x / r, 1e-14);
  CHECK_NEAR(g[2], 3 * (r - 1) * y / r, 1e-14);
  CHECK_NEAR(entry(&S->H, H, 1, 1), 3 - third * y * y, 1e-13);
  CHECK_NEAR(entry(&S->H, H, 1, 2), third * x * y, 1e-13);
  CHECK_NEAR(entry(&S->H, H, 2, 1), third * x * y, 1e-13);
  CHECK_NEAR(entry(&S->H, H, 2, 2), 3 - third * x * x, 1e-13);
}

static void check_model(bool limit) {
  char whole[2000];
  ritti_arena *arena = ritti_arena_new();
  ritt_error *error = ritt_error_new();
  ritti_model *model = NULL;
  ritti_strong_system *S = NULL;
  ritti_reduced *reduced = NULL;
  ritti_problem *problem = NULL;
  ritt_check check;
  snprintf(whole, sizeof whole, text, limit ? "solve t = 0 .. 1\n  limit index3\n" : "");
  CHECK(ritti_model_read(whole, strlen(whole), "m", NULL, 0, error, &model) == RITT_OK);
  CHECK(model && ritti_strong_parts(model, arena, error, &S) == RITT_OK);
  CHECK(S && ritti_strong_check(S, error) == RITT_OK);
  CHECK(model && ritti_complete(model, arena, error, &check, &reduced) == RITT_OK);
  if (reduced) reduced->strong = S;
  CHECK(reduced && ritti_problem_make_for(RITTI_WANTS_STRONG, reduced, NULL, 0, arena, error,
                                          &problem) == RITT_OK);
  if (problem) check_functions(problem, limit);
  /* without a request there is none */
  CHECK(reduced && ritti_problem_make(reduced, NULL, 0, arena, error, &problem) == RITT_OK &&
        !problem->strong);
  for (size_t i = 0; i < ritt_error_count(error); i++) puts(ritt_error_get(error, i)->text);
  ritti_model_free(model);
  ritti_arena_free(arena);
  ritt_error_free(error);
}

int main(void) {
  check_model(false);
  check_model(true);
  return CHECKS_DONE();
}
