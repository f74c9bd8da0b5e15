/* Singular points near the start, for `ritt check`: one equation of first order.
 *
 * Newton's method from a grid of points around the start; points within the grid are listed,
 * nearest first. There may be more.
 */
#include <math.h>
#include "pipeline.h"

enum { SIDE = 5, MOST = 8 };
static const double REACH = 2; /* of the grid to either side, in sizes of the coordinates */

typedef struct search {
  ritt_model *M;
  ritti_singular at;
  double *size, *from;
  double *found[MOST]; /* points, nearest first */
  const char *text[MOST];
  int count;
} search;

static double measure_distance(const search *s, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < s->M->problem->m; i++) most = fmax(most, fabs(a[i] - b[i]) / s->size[i]);
  return most;
}

/* "folded focus at x = 0, y = 1, y' = 0 (eigenvalues -1 +- 1.73205 i)" */
static const char *describe_point(const search *s) {
  const ritti_problem *p = s->M->problem;
  ritti_text text = {0};
  double(*e)[2] = (double(*)[2])s->at.eigenvalue;
  ritti_text_add(&text, "%s at", ritti_singular_word(s->at.kind));
  for (int i = 0; i < p->m; i++)
    ritti_text_add(&text, "%s %s = %.9g", i ? "," : "", p->name.coordinate(p->data, i),
                   fabs(s->at.z[i]) < 1e-14 * s->size[i] ? 0 : s->at.z[i]);
  if (e[0][1] != 0 && e[0][1] == e[0][1])
    ritti_text_add(&text, " (eigenvalues %.6g +- %.6g i)",
                   fabs(e[0][0]) < 1e-9 * e[0][1] ? 0 : e[0][0], e[0][1]);
  else if (e[0][0] == e[0][0]) ritti_text_add(&text, " (eigenvalues %.6g, %.6g)", e[0][0], e[1][0]);
  const char *copy =
      text.status == RITT_OK ? ritti_arena_text(s->M->arena, text.at, text.count) : NULL;
  ritti_text_free(&text);
  return copy;
}

static ritt_status keep_point(search *s) {
  int m = s->M->problem->m, place = s->count;
  const double *start = s->M->reduced->z;
  double distance = measure_distance(s, s->at.z, start);
  if (!(distance <= REACH)) return RITT_OK;
  for (int i = 0; i < s->count; i++)
    if (measure_distance(s, s->at.z, s->found[i]) < 1e-6) return RITT_OK;
  while (place > 0 && measure_distance(s, s->found[place - 1], start) > distance) place--;
  if (place == MOST) return RITT_OK;
  if (s->count < MOST) s->count++;
  for (int i = s->count - 1; i > place; i--)
    s->found[i] = s->found[i - 1], s->text[i] = s->text[i - 1];
  RITTI_NEW(s->found[place], s->M->arena, m);
  memcpy(s->found[place], s->at.z, (size_t)m * sizeof *s->at.z);
  s->text[place] = describe_point(s);
  return s->text[place] ? RITT_OK : RITT_NO_MEMORY;
}

ritt_status ritti_list_singular_points(ritt_model *M) {
  const ritti_problem *p = M->problem;
  search s = {.M = M};
  double *work;
  const char **list;
  if (p->tops != 1 || p->m - p->k != 2 || p->m > 3 || M->check.singular_points) return RITT_OK;
  RITTI_NEW(work, M->arena, p->work_size + 1);
  if (p->work_init) p->work_init(p->data, work);
  RITTI_NEW_ARRAYS(M->arena, p->m, s.size, s.from);
  for (int i = 0; i < p->m; i++) s.size[i] = fmax(1, fabs(M->reduced->z[i]));
  RITT_TRY(ritti_singular_init(&s.at, p, work, M->arena));

  int m = s.M->problem->m, points = 1;
  for (int i = 0; i < m; i++) points *= SIDE;
  for (int n = 0; n < points; n++) {
    for (int i = 0, rest = n; i < m; i++, rest /= SIDE)
      s.from[i] = s.M->reduced->z[i] + REACH * s.size[i] * (2.0 * (rest % SIDE) / (SIDE - 1) - 1);
    if (ritti_singular_locate(&s.at, s.from, s.size, NULL)) RITT_TRY(keep_point(&s));
  }

  RITTI_NEW(list, M->arena, s.count + 1);
  for (int i = 0; i < s.count; i++) list[i] = s.text[i];
  M->check.singular_points = list;
  M->check.singular_count = (size_t)s.count;
  return RITT_OK;
}
