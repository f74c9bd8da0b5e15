/* The point of a session: dense output, rows and single values. */
#include <stdio.h>
#include "session.h"

/* The real for a double: if it is an end of the last step, that one with all its digits. */
static ritt_real find_real(const ritti_session *S, double s) {
  ritt_real here = ritti_driver_place(S->driver);
  if (s == (double)here) return here;
  return s == (double)S->driver->at.step_start ? S->driver->at.step_start : s;
}

/* Puts the point at s in the last step into S->points. */
static ritt_status find_point(ritti_session *S, double s, ritt_error *error) {
  ritt_status status =
      ritti_driver_dense(S->driver, find_real(S, s), S->points.z, S->points.top, S->points.speed);
  if (status == RITT_WRONG_CALL)
    return ritti_fail(error, status, NULL, "dense output reaches over the last step",
                      "%.17g is not between %.17g and %.17g", s, ritti_session_before(S),
                      (double)ritti_driver_place(S->driver));
  if (status == RITT_RETRY)
    return ritti_fail(error, RITT_STOPPED, NULL, "use shorter steps",
                      "the point at %.17g in the last step could not be computed", s);
  return status;
}

/* Writes `count` reals as doubles to S->points.doubles, from `first` on. */
static const double *convert_to_doubles(ritti_session *S, const ritt_real *from, int count,
                                        int first) {
  for (int i = 0; i < count; i++) S->points.doubles[first + i] = (double)from[i];
  return S->points.doubles + first;
}

ritt_status ritti_session_dense(ritti_session *S, double s, ritt_point *out, ritt_error *error) {
  size_t said = ritt_error_count(error);
  const ritti_problem *p = S->now.problem;
  ritt_status status = find_point(S, s, error);
  *out = (ritt_point){.s = s,
                      .z = convert_to_doubles(S, S->points.z, p->m, 0),
                      .derivative = convert_to_doubles(S, S->points.speed, p->m, p->m),
                      .top = convert_to_doubles(S, S->points.top, p->tops, 2 * p->m)};
  return ritti_session_explain(S, status, said, error);
}

ritt_status ritti_session_point(ritti_session *S, ritt_point *out, ritt_error *error) {
  return ritti_session_dense(S, (double)ritti_driver_place(S->driver), out, error);
}

double ritti_session_before(const ritti_session *S) {
  const ritti_driver *d = S->driver;
  return (double)(d->passage.active ? ritti_driver_place(d) : d->at.step_start);
}

void ritti_session_columns(const ritti_session *S, const char *const **names, size_t *count) {
  *names = S->rows.name;
  *count = S->rows.count;
}

ritt_status ritti_session_values(ritti_session *S, double s, double *values, ritt_error *error) {
  size_t said = ritt_error_count(error);
  ritt_status status = find_point(S, s, error);
  if (status == RITT_OK)
    status = ritti_session_fill_row(S, find_real(S, s), S->points.z, S->points.top, values);
  return ritti_session_explain(S, status, said, error);
}

void ritti_session_remainders(const ritti_session *S, double *remainders) {
  for (size_t i = 0; i < S->rows.count; i++)
    remainders[i] = (double)(S->rows.last[i] - (ritt_real)(double)S->rows.last[i]);
}

/* The coordinate with this name; -1: there is none. */
static int find_coordinate(const ritti_session *S, const char *name) {
  const ritti_problem *p = S->now.problem;
  for (int i = 0; p->name.coordinate && i < p->m; i++)
    if (!strcmp(p->name.coordinate(p->data, i), name)) return i;
  return -1;
}

ritt_status ritti_session_size(ritti_session *S, const char *name, double *largest,
                               double *absolute, ritt_error *error) {
  int i = find_coordinate(S, name);
  if (i < 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "'%.60s' is not a coordinate", name);
  *largest = (double)S->driver->sizes.largest[i];
  *absolute = (double)S->driver->sizes.absolute[i];
  return RITT_OK;
}

ritt_status ritti_session_value(ritti_session *S, const char *name, double *out,
                                ritt_error *error) {
  int coordinate = find_coordinate(S, name);
  if (coordinate >= 0) {
    *out = (double)S->driver->at.z[coordinate];
    return RITT_OK;
  }
  for (size_t i = 0; i < S->rows.count; i++)
    if (!strcmp(S->rows.name[i], name)) {
      RITT_TRY(
          ritti_session_values(S, (double)ritti_driver_place(S->driver), S->rows.values, error));
      *out = S->rows.values[i];
      return RITT_OK;
    }
  const char *near = ritti_nearest(name, S->rows.name, S->rows.count);
  char hint[128];
  snprintf(hint, sizeof hint, "did you mean '%.80s'?", near ? near : "");
  return ritti_fail(error, RITT_WRONG_CALL, NULL, near ? hint : NULL,
                    "'%.60s' is neither a column nor a coordinate", name);
}
