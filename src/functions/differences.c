/* Derivatives by differences, for functions without derivatives. Derivatives along a direction use
 * the five-point formulas (8(f_1 - f_-1) - (f_2 - f_-2)) / 12h and (16(f_1 + f_-1) - (f_2 + f_-2) -
 * 30 f_0) / 12h^2, of fourth order. The three-point value from the same evaluations shows whether h
 * is small enough for the function; if it is not, or if the function has no value, h is reduced.
 * For smooth functions of moderate size the relative error is about 1e-12 for first and 1e-10 for
 * second derivatives. */
#include "functions/functions_impl.h"

enum { MOST_TRIES = 6 }; /* step sizes that are tried */

size_t ritti_difference_room(int m, int count) { return 2 * (size_t)m + 6 * (size_t)count; }

/* The largest absolute value; NaN if there is one. */
static ritt_real largest_entry(int count, const ritt_real *a) {
  ritt_real most = 0;
  for (int i = 0; i < count; i++)
    if (!(RITTI_MATH(fabs)(a[i]) <= most)) most = RITTI_MATH(fabs)(a[i]);
  return most;
}

/* The arrays of one level. */
typedef struct scratch {
  ritt_real *z, *value, *one, *two, *best, *origin;
} scratch;

/* sum += sign * function(z + t d); *size becomes at least the largest value. */
static ritt_status add_value(const ritti_functions *F, ritt_real *work, ritti_inner function,
                             const scratch *s, const ritt_real *z, const ritt_real *d, ritt_real t,
                             ritt_real sign, int count, ritt_real *sum, ritt_real *size) {
  for (int i = 0; i < F->m; i++) s->z[i] = z[i] + t * d[i];
  RITT_TRY(function(F, work, s->z, s->value));
  for (int i = 0; i < count; i++) sum[i] += sign * s->value[i];
  *size = RITTI_MATH(fmax)(*size, largest_entry(count, s->value));
  return RITT_OK;
}

/* Applies the formula with step h: s->one becomes the derivative, *off its largest difference from
 * the three-point value, *size the size of the function. */
static ritt_status try_step(const ritti_functions *F, ritt_real *work, ritti_inner function,
                            const scratch *s, const ritt_real *z, const ritt_real *d, int order,
                            ritt_real h, int count, ritt_real *off, ritt_real *size) {
  const ritt_real back = order == 1 ? -1 : 1;
  for (int i = 0; i < count; i++) s->one[i] = s->two[i] = order == 1 ? 0 : -2 * s->origin[i];
  *size = 0;

  /* the sums of values at distance h and 2h */
  RITT_TRY(add_value(F, work, function, s, z, d, h, 1, count, s->one, size));
  RITT_TRY(add_value(F, work, function, s, z, d, -h, back, count, s->one, size));
  RITT_TRY(add_value(F, work, function, s, z, d, 2 * h, 1, count, s->two, size));
  RITT_TRY(add_value(F, work, function, s, z, d, -2 * h, back, count, s->two, size));

  /* combine them */
  *off = 0;
  for (int i = 0; i < count; i++) {
    ritt_real three = order == 1 ? s->one[i] / (2 * h) : s->one[i] / (h * h);
    ritt_real five = order == 1 ? (8 * s->one[i] - s->two[i]) / (12 * h)
                                : (16 * s->one[i] - s->two[i]) / (12 * h * h);
    s->one[i] = five;
    ritt_real e = RITTI_MATH(fabs)(five - three);
    if (!(e <= *off)) *off = e;
  }
  return RITT_OK;
}

ritt_status ritti_difference(const ritti_functions *F, ritt_real *work, int level,
                             ritti_inner function, const ritt_real *z, const ritt_real *d,
                             int order, ritt_real h, int count, ritt_real *out) {
  ritt_real *at = work + F->at_level[level] + F->m; /* the first m reals hold a direction */
  scratch s = {.z = at};
  s.value = s.z + F->m;
  s.one = s.value + count;
  s.two = s.one + count;
  s.best = s.two + count;
  s.origin = s.best + count;
  ritt_real least = INFINITY, rounding = 0;
  ritt_status status = RITT_OK;

  /* try smaller and smaller steps */
  if (order == 2) RITT_TRY(function(F, work, z, s.origin));
  for (int tries = 0; tries < MOST_TRIES; tries++, h /= 16) {
    ritt_real off = 0, size = 0;
    status = try_step(F, work, function, &s, z, d, order, h, count, &off, &size);
    if (status != RITT_OK && status != RITT_RETRY) return status;
    if (status == RITT_RETRY) continue;
    /* An error that a smaller h does not reduce comes from rounding if it is small compared with
     * the change of the function: then the larger h was better */
    if (least <= rounding && off > least / 16) break;
    if (off < least || least == INFINITY) {
      least = off;
      rounding = (ritt_real)1e-6 * size / (order == 1 ? h : h * h);
      memcpy(s.best, s.one, (size_t)count * sizeof *out);
    }

    /* accurate enough, or at the level of rounding? */
    ritt_real noise = 64 * RITTI_EPS * size / (order == 1 ? h : h * h);
    if (off <=
        (order == 1 ? (ritt_real)1e-5 : (ritt_real)1e-3) * largest_entry(count, s.one) + noise)
      break;
  }

  /* the best of all steps */
  if (least == INFINITY) return RITT_RETRY;
  memcpy(out, s.best, (size_t)count * sizeof *out);
  return RITT_OK;
}

/* The size of a coordinate as a power of two, so that shifted points are exact. */
static ritt_real size_of(const ritti_functions *F, const ritt_real *z, int i) {
  int exponent;
  ritt_real size = i == 0 ? F->size[0] : RITTI_MATH(fmax)(RITTI_MATH(fabs)(z[i]), F->size[i]);
  RITTI_MATH(frexp)(size, &exponent);
  return RITTI_MATH(ldexp)(1, exponent - 1);
}

static const ritt_real THOUSANDTH = (ritt_real)0x1p-10;

ritt_real ritti_difference_step(const ritti_functions *F, const ritt_real *z, const ritt_real *d) {
  ritt_real most = 0;
  int exponent;
  for (int i = 0; i < F->m; i++)
    most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(d[i]) / size_of(F, z, i));
  RITTI_MATH(frexp)(most, &exponent);
  return most > 0 ? RITTI_MATH(ldexp)(THOUSANDTH, -exponent) : THOUSANDTH;
}

ritt_status ritti_difference_matrix(const ritti_functions *F, ritt_real *work, int level,
                                    ritti_inner function, const ritti_matrix *M, const ritt_real *z,
                                    ritt_real *out) {
  const ritti_pattern *p = &M->pattern;
  ritt_real *d = work + F->at_level[level];
  ritt_real *rows = work + F->at_level[level] + F->level_room - (size_t)p->rows;

  /* each group of columns takes one difference */
  for (int g = 0; g < M->groups; g++) {
    for (int j = 0; j < F->m; j++) d[j] = j < p->cols && M->group[j] == g ? size_of(F, z, j) : 0;
    RITT_TRY(ritti_difference(F, work, level, function, z, d, 1, THOUSANDTH, p->rows, rows));
    for (int i = 0; i < p->rows; i++)
      for (int e = p->start[i]; e < p->start[i + 1]; e++)
        if (M->group[p->col[e]] == g) out[e] = rows[i] / d[p->col[e]];
  }
  return RITT_OK;
}

/* Groups the columns greedily, in their order: each joins the first group without an entry in its
 * rows. */
ritt_status ritti_group_columns(ritti_arena *arena, ritti_matrix *M) {
  const ritti_pattern *p = &M->pattern;
  int *group, *count, *start, *row, *taken;
  RITTI_NEW(group, arena, p->cols + 1);
  RITTI_NEW(start, arena, p->cols + 2);
  RITTI_NEW(count, arena, p->cols + 1);
  RITTI_NEW(row, arena, M->entries + 1);
  /* for each group: 1 + the last column in whose rows the group has an entry */
  RITTI_NEW(taken, arena, p->cols + 1);

  /* list the rows of each column */
  for (int e = 0; e < M->entries; e++) start[p->col[e] + 1]++;
  for (int j = 0; j < p->cols; j++) start[j + 1] += start[j];
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      row[start[p->col[e]] + count[p->col[e]]++] = i;

  /* find the first free group */
  for (int j = 0; j < p->cols; j++) {
    for (int r = start[j]; r < start[j + 1]; r++)
      for (int e = p->start[row[r]]; e < p->start[row[r] + 1]; e++)
        if (p->col[e] < j) taken[group[p->col[e]]] = j + 1;
    group[j] = 0;
    while (taken[group[j]] == j + 1) group[j]++;
    if (group[j] >= M->groups) M->groups = group[j] + 1;
  }
  M->group = group;
  return RITT_OK;
}
