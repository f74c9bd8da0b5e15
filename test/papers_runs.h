/* The runs of the enhanced linear algebra paper as it made them: all stages projected with its
 * tolerances, the unit field in the ambient space with x, constant steps, or its step control in
 * the solver; and the chains of particles of its section 6.2.5. */
#ifndef RITT_TEST_PAPERS_RUNS_H
#define RITT_TEST_PAPERS_RUNS_H

#include "papers.h"
#include "geometry/manifold_impl.h"

enum { PAPERS_COORDINATES = 512 };

/* How points are projected in a run. */
typedef struct papers_way {
  ritti_projection projection;
  bool initial_step;           /* "w/INIT" */
  ritt_real initial_tolerance; /* of conjugate gradients there, with exact Newton 0.01; 0: by a
                                  factorisation */
} papers_way;

typedef struct papers_counts {
  long steps, rejected; /* steps whose end has x <= the end of the run */
  long projections, iterations, factorisations, products, second, failures;
  long idle; /* projections without an iteration */
  int most;
  double average;                  /* iterations of a projection */
  ritt_real z[PAPERS_COORDINATES]; /* the last point with x <= the end */
} papers_counts;

typedef struct papers_run {
  ritti_arena *arena;
  ritti_manifold M;
  ritti_direction D;
  ritti_stepper S;
  ritt_real arc[PAPERS_COORDINATES];
  papers_counts counts;
} papers_run;

/* Their tolerances of the projection, and their initial step. */
static inline void papers_tune(ritti_manifold *M, papers_way way) {
  M->absolute_stop = 1e-6, M->relative_stop = 1e-10;
  if (!M->newton) return;
  M->newton->initial_step = way.initial_step;
  M->newton->initial_tolerance =
      way.projection == RITTI_PROJECT_INEXACT ? 0 : way.initial_tolerance;
  M->newton->inexact.equal_rows = false;
}

static inline void papers_count(papers_counts *c, const ritti_manifold *M) {
  c->projections = M->counts.projections, c->iterations = M->counts.iterations,
  c->most = M->counts.most;
  c->factorisations = M->counts.factorisations, c->products = M->counts.products,
  c->second = M->counts.second;
  c->failures = M->counts.failures, c->idle = M->counts.idle;
  c->average = (double)c->iterations / (double)c->projections;
}

/* false: no memory, or too large */
static inline bool papers_prepare(papers_run *r, const papers_model *p, const char *method,
                                  papers_way way) {
  const ritti_problem *P = p->problem;
  *r = (papers_run){.arena = ritti_arena_new()};
  ritt_real *work = ritti_arena_alloc(r->arena, P->work_size + 1, sizeof *work);
  P->work_init(P->data, work);
  if (P->m > PAPERS_COORDINATES ||
      ritti_manifold_init_with(&r->M, P, work, RITTI_ALGEBRA_DENSE, r->arena) != RITT_OK ||
      ritti_manifold_choose(&r->M, way.projection, r->arena) != RITT_OK ||
      ritti_inexact_init(&r->M, r->arena) != RITT_OK ||
      ritti_direction_init(&r->D, P, work, r->arena) != RITT_OK ||
      ritti_stepper_init(&r->S, ritti_method_find(method), &r->M, &r->D, r->arena) != RITT_OK)
    return false;
  for (int i = 0; i < P->m; i++) r->arc[i] = 1;
  r->D.arc = r->arc;
  r->S.project_stages = true;
  r->S.keep_x = false;
  papers_tune(&r->M, way);
  return ritti_stepper_place(&r->S, p->model->reduced->z) == RITT_OK;
}

static inline papers_counts papers_finish(papers_run *r) {
  papers_count(&r->counts, &r->M);
  ritti_arena_free(r->arena);
  return r->counts;
}

/* Accepts the step; false: it went beyond the end, which ends the run and is not counted. */
static inline bool papers_accept(papers_run *r, double end) {
  ritti_stepper_accept(&r->S);
  if (r->S.z[0] > end) return false;
  r->counts.steps++;
  memcpy(r->counts.z, r->S.z, (size_t)r->S.m * sizeof *r->counts.z);
  return true;
}

/* From a point near M, which is projected first; NULL: from the model's start. */
static inline papers_counts papers_constant_from(const papers_model *p, const ritt_real *start,
                                                 const char *method, papers_way way, double h,
                                                 double end) {
  papers_run r;
  bool on = papers_prepare(&r, p, method, way);
  if (on && start)
    on = ritti_manifold_project(&r.M, start, r.counts.z) == RITT_OK &&
         ritti_stepper_place(&r.S, r.counts.z) == RITT_OK;
  while (on) {
    if (ritti_stepper_take(&r.S, h, 0) == RITT_OK) on = papers_accept(&r, end);
    else r.counts.rejected++, on = false;
  }
  return papers_finish(&r);
}

static inline papers_counts papers_constant(const papers_model *p, const char *method,
                                            papers_way way, double h, double end) {
  return papers_constant_from(p, NULL, method, way, h, end);
}

/* An adaptive run with the papers' control, as their tables count it: steps by arc length whose
 * ends have x <= end, none of them shortened for the end. */
typedef struct papers_adaptation {
  double end;
  papers_counts counts;
} papers_adaptation;

static inline ritt_status papers_after_step(void *user, const ritti_driver *S) {
  papers_adaptation *a = user;
  if (S->at.z[0] > a->end) return RITT_STOPPED;
  a->counts.steps++;
  memcpy(a->counts.z, S->at.z, (size_t)S->problem->m * sizeof *a->counts.z);
  return RITT_OK;
}

static inline papers_counts papers_adaptive_by(const papers_model *p, const char *method,
                                               papers_way way, double h, double end,
                                               double tolerance, double most) {
  static const ritti_rows ends = {.points = 2};
  static ritt_real tolerances[PAPERS_COORDINATES];
  papers_adaptation a = {.end = end};
  ritti_arena *arena = ritti_arena_new();
  ritti_driver *S;
  for (int i = 0; i < PAPERS_COORDINATES; i++) tolerances[i] = tolerance;
  ritti_solve_options o = {.tableau = ritti_method_find(method),
                           .control = RITTI_CONTROL_PAPERS,
                           .facmax = most,
                           .first_step = h,
                           .by_arc = true,
                           .project_stages = true,
                           .projection = way.projection,
                           .linear = RITTI_ALGEBRA_DENSE,
                           .relative = tolerances,
                           .absolute = tolerances};
  o.doubled = o.tableau->embedded == 0;
  if (p->problem->m > PAPERS_COORDINATES ||
      ritti_driver_new(p->problem, &o, arena, &S) != RITT_OK ||
      ritti_inexact_init(&S->manifold, arena) != RITT_OK) {
    checks_failed++;
    return a.counts;
  }
  papers_tune(&S->manifold, way);
  S->call.step = papers_after_step, S->call.step_user = &a;
  ritt_status status = ritti_driver_start(S, 0, p->model->reduced->z, p->error);
  if (status == RITT_OK) status = ritti_driver_run(S, 1e9, &ends, NULL, NULL, p->error);
  if (status != RITT_STOPPED || !(S->at.z[0] > end))
    papers_complain(p, "the run did not reach its end");
  a.counts.rejected = S->count.rejected;
  papers_count(&a.counts, &S->manifold);
  ritti_arena_free(arena);
  return a.counts;
}

static inline papers_counts papers_adaptive(const papers_model *p, papers_way way, double h,
                                            double end, double tolerance, double most) {
  return papers_adaptive_by(p, "dopri54", way, h, end, tolerance, most);
}

/* ---- chains of particles: rods between neighbours, springs between next neighbours but one ----
 */

static inline papers_model papers_chain(int n, bool energy) {
  ritti_text t = {0};
  ritti_text_add(&t, "model chain\nindependent x\nparameter c = 10\nvariable\n");
  for (int i = 0; i < n; i++) ritti_text_add(&t, "  p%d, q%d\n", i, i);
  for (int i = 0; i + 1 < n; i++) ritti_text_add(&t, "  l%d\n", i);
  ritti_text_add(&t, "equation\n");
  for (int i = 0; i < 2 * n; i++) {
    char v = i < n ? 'p' : 'q';
    int j = i % n;
    ritti_text_add(&t, "  %c%d''", v, j);
    if (j >= 2) ritti_text_add(&t, " + c*(%c%d - %c%d)", v, j, v, j - 2);
    if (j + 2 < n) ritti_text_add(&t, " + c*(%c%d - %c%d)", v, j, v, j + 2);
    if (j >= 1) ritti_text_add(&t, " + l%d*(%c%d - %c%d)", j - 1, v, j, v, j - 1);
    if (j + 1 < n) ritti_text_add(&t, " + l%d*(%c%d - %c%d)", j, v, j, v, j + 1);
    ritti_text_add(&t, " = 0\n");
  }
  for (int j = 0; j + 1 < n; j++)
    ritti_text_add(&t, "  ((p%d - p%d)^2 + (q%d - q%d)^2 - 1)/2 = 0\n", j, j + 1, j, j + 1);
  if (energy) {
    ritti_text_add(&t, "invariant E: (");
    for (int j = 0; j < n; j++) ritti_text_add(&t, "%sp%d'^2 + q%d'^2", j ? " + " : "", j, j);
    ritti_text_add(&t, ")/2 + c/2*(");
    for (int j = 0; j + 2 < n; j++)
      ritti_text_add(&t, "%s(p%d - p%d)^2 + (q%d - q%d)^2", j ? " + " : "", j, j + 2, j, j + 2);
    ritti_text_add(&t, ")\n");
  }
  /* a zigzag whose positions and velocities are consistent except for rounding */
  ritti_text_add(&t, "start x = 0\n");
  for (int j = 0; j < n; j++)
    ritti_text_add(&t, "  p%d ~ %.17g, q%d ~ %.17g, p%d' ~ %d, q%d' ~ %.17g\n", j, j / 2., j,
                   j % 2 * sqrt(3) / 2, j, j % 2 ? -1 : 1, j, -(n - 1 - j) * 2 / sqrt(3));
  papers_model p = papers_read(t.status == RITT_OK ? t.at : "");
  ritti_text_free(&t);
  return p;
}

#endif
