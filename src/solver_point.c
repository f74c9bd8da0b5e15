/* The point of the public solver: dense output, rows and single values. */
#include <stdio.h>
#include "quad.h"
#include "solver.h"

/* The real that a double stands for: an end of the last step has more digits. */
static ritt_real real_of(const ritt_solver *S, double s) {
  if (s == (double)S->driver->at.s) return S->driver->at.s;
  return s == (double)S->driver->at.step_start ? S->driver->at.step_start : s;
}

/* The point at s in the last step into S->z and S->top. */
static ritt_status look(ritt_solver *S, double s, ritt_error *error) {
  ritt_status status = ritti_driver_dense(S->driver, real_of(S, s), S->z, S->top, S->speed);
  if (status == RITT_WRONG_CALL)
    return ritti_fail(error, status, NULL, "dense output reaches over the last step",
                      "%.17g is not between %.17g and %.17g", s, (double)S->driver->at.step_start,
                      (double)S->driver->at.s);
  if (status == RITT_RETRY)
    return ritti_fail(error, RITT_STOPPED, NULL, "take shorter steps",
                      "the point at %.17g in the last step could not be computed", s);
  return status;
}

/* `count` reals as doubles, in S->point from `first` on */
static const double *shown(ritt_solver *S, const ritt_real *from, int count, int first) {
#ifdef RITT_QUAD
  for (int i = 0; i < count; i++) S->point[first + i] = (double)from[i];
  return S->point + first;
#else
  (void)S, (void)count, (void)first;
  return from;
#endif
}

ritt_status ritt_solver_dense(ritt_solver *S, double s, ritt_point *out, ritt_error *error) {
  if (S->quad) return ritti_quad_calls()->dense(S->quad, s, out, error);
  size_t said = ritt_error_count(error);
  const ritti_problem *p = S->now.problem;
  ritt_status status = look(S, s, error);
  *out = (ritt_point){.s = s,
                      .z = shown(S, S->z, p->m, 0),
                      .derivative = shown(S, S->speed, p->m, p->m),
                      .top = shown(S, S->top, p->tops, 2 * p->m)};
  return ritti_solver_explain(S, status, said, error);
}

ritt_status ritt_solver_point(ritt_solver *S, ritt_point *out, ritt_error *error) {
  if (S->quad) return ritti_quad_calls()->point(S->quad, out, error);
  return ritt_solver_dense(S, (double)S->driver->at.s, out, error);
}

double ritt_solver_before(const ritt_solver *S) {
  return S->quad ? ritti_quad_calls()->before(S->quad) : (double)S->driver->at.step_start;
}

void ritt_solver_columns(const ritt_solver *S, const char *const **names, size_t *count) {
  if (S->quad) {
    ritti_quad_calls()->columns(S->quad, names, count);
    return;
  }
  *names = S->column;
  *count = S->columns;
}

ritt_status ritt_solver_values(ritt_solver *S, double s, double *values, ritt_error *error) {
  if (S->quad) return ritti_quad_calls()->values(S->quad, s, values, error);
  size_t said = ritt_error_count(error);
  ritt_status status = look(S, s, error);
  if (status == RITT_OK) status = ritti_solver_fill_row(S, real_of(S, s), S->z, S->top, values);
  return ritti_solver_explain(S, status, said, error);
}

void ritt_solver_remainders(const ritt_solver *S, double *remainders) {
  if (S->quad) {
    ritti_quad_calls()->remainders(S->quad, remainders);
    return;
  }
  for (size_t i = 0; i < S->columns; i++)
    remainders[i] = (double)(S->row[i] - (ritt_real)(double)S->row[i]);
}

ritt_status ritt_solver_value(ritt_solver *S, const char *name, double *out, ritt_error *error) {
  if (S->quad) return ritti_quad_calls()->value(S->quad, name, out, error);
  const ritti_problem *p = S->now.problem;
  for (int i = 0; i < p->m; i++)
    if (p->coordinate_name && !strcmp(p->coordinate_name(p->data, i), name)) {
      *out = (double)S->driver->at.z[i];
      return RITT_OK;
    }
  for (size_t i = 0; i < S->columns; i++)
    if (!strcmp(S->column[i], name)) {
      RITT_TRY(ritt_solver_values(S, (double)S->driver->at.s, S->values, error));
      *out = S->values[i];
      return RITT_OK;
    }
  const char *near = ritti_nearest(name, S->column, S->columns);
  char hint[128];
  snprintf(hint, sizeof hint, "did you mean '%.80s'?", near ? near : "");
  return ritti_fail(error, RITT_WRONG_CALL, NULL, near ? hint : NULL,
                    "'%.60s' is neither a column nor a coordinate", name);
}
