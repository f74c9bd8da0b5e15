/* The papers' models from models/papers, completed, and points of their manifolds: papers_open or
 * papers_read, papers_along, papers_close. */
#ifndef RITT_TEST_PAPERS_H
#define RITT_TEST_PAPERS_H

#include "check.h"
#include "api/pipeline.h"

/* all but the one that is refused */
static const char *const papers_name[] = {"asymptotic_curves",
                                          "discharge_pressure",
                                          "fourbar",
                                          "fourbar_folding",
                                          "henon_heiles",
                                          "kepler",
                                          "magnetic_particle",
                                          "mech6",
                                          "mhd",
                                          "parabolas",
                                          "pendulum_energy",
                                          "plug_flow",
                                          "rigid_body",
                                          "simple",
                                          "sphere",
                                          "stiff_pendulum"};
enum { PAPERS = sizeof papers_name / sizeof *papers_name };

typedef struct papers_model {
  ritt_model *model;
  ritt_error *error;
  const ritti_problem *problem;
} papers_model;

static inline void papers_complain(const papers_model *p, const char *what) {
  checks_failed++;
  printf("%s\n", what);
  for (size_t i = 0; i < ritt_error_count(p->error); i++)
    printf("  %s\n", ritt_error_get(p->error, i)->text);
}

static inline void papers_complete(papers_model *p, ritt_status status, const char *name) {
  if (status == RITT_OK) status = ritti_pipeline_prepare(p->model, p->error);
  if (status == RITT_OK) p->problem = p->model->problem;
  else papers_complain(p, name);
}

/* problem is NULL, and a check failed, where there is none */
static inline papers_model papers_open_as(const char *name, const char *kind) {
  papers_model p = {.error = ritt_error_new()};
  char path[1024];
  snprintf(path, sizeof path, "%s/models/papers/%s.ritt", RITT_SOURCE_DIR, name);
  ritt_status status = ritt_model_read_file(path, p.error, &p.model);
  if (status == RITT_OK) status = ritt_model_kind(p.model, kind, p.error);
  if (status == RITT_OK) p.model->never_implicit = true; /* the papers project all jets */
  papers_complete(&p, status, name);
  return p;
}
static inline papers_model papers_open(const char *name) { return papers_open_as(name, "auto"); }

static inline papers_model papers_read(const char *text) {
  papers_model p = {.error = ritt_error_new()};
  papers_complete(&p, ritt_model_read_text(text, strlen(text), "text", p.error, &p.model), text);
  return p;
}

static inline void papers_close(papers_model *p) {
  ritt_model_free(p->model);
  ritt_error_free(p->error);
}

typedef struct papers_points {
  int m, count, most;
  ritt_real *z;
} papers_points;

static inline ritt_status papers_keep(void *user, ritt_real s, const ritt_real *z,
                                      const ritt_real *top) {
  papers_points *points = user;
  (void)s, (void)top;
  if (points->count < points->most)
    memcpy(points->z + points->m * points->count++, z, (size_t)points->m * sizeof *z);
  return RITT_OK;
}

/* Up to `most` points of the solution, from the start to `part` of the run; z has room for them. */
static inline int papers_along(const papers_model *p, double part, int most, ritt_real *z) {
  papers_points points = {.m = p->problem->m, .most = most, .z = z};
  ritti_arena *arena = ritti_arena_new();
  ritti_run_settings settings;
  ritti_driver *solver;
  const ritti_prepared prepared = ritti_prepared_of(p->model);
  ritt_status status = ritti_settings_make(&prepared, NULL, arena, p->error, &settings);
  if (status == RITT_OK) status = ritti_driver_new(p->problem, &settings.solve, arena, &solver);
  double from = settings.solve.by_arc ? 0 : p->model->reduced->z[0];
  if (status == RITT_OK) status = ritti_driver_start(solver, from, p->model->reduced->z, p->error);
  ritti_rows rows = {.points = most};
  if (status == RITT_OK)
    status = ritti_driver_run(solver, from + part * (settings.end - from), &rows, papers_keep,
                              &points, p->error);
  if (status != RITT_OK) papers_complain(p, "no solution");
  ritti_arena_free(arena);
  return points.count;
}

#endif
