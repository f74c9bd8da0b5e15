/* The tangent kernel: derivatives of a projected step, one text for the library and for native code.
 *
 * In: a step of the step kernel, with what was kept at its points; the tangents s = dz/dp at its start,
 * one for each quantity p. Out: the tangents at its end, and the derivatives dV at its points. See
 * step/tangent.h for what they are. Native code compiles the text behind the step kernel, with the
 * sizes, patterns and functions of one problem as constants (codegen/unit.c). The library takes from it
 * the parts that do not depend on how linear systems are solved. All instances give the same bits.
 * One run at a time: batches have no tangents.
 */
#ifndef RITTI_TANGENT_KERNEL_H
#define RITTI_TANGENT_KERNEL_H

#include "geometry/step_kernel.h"

/* ---- matrices of derivatives ---- */

/* out += M s */
static inline void ritti_add_product(const ritti_pattern *pattern, const ritt_real *entry,
                                     const ritt_real *s, ritt_real *out) {
  for (int i = 0; i < pattern->rows; i++) {
    ritt_real sum = 0;
    for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++)
      sum += entry[e] * s[pattern->col[e]];
    out[i] += sum;
  }
}

/* out: count x rows, the columns of a matrix of derivatives by p, `stride` apart */
static inline void ritti_spread_columns(const ritti_pattern *pattern, const ritt_real *entry,
                                        const int stride, const int count, ritt_real *out) {
  for (int i = 0; i < count * stride; i++) out[i] = 0;
  for (int i = 0; i < pattern->rows; i++)
    for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++)
      out[pattern->col[e] * stride + i] = entry[e];
}

/* dV of one tangent: as V is made of the coordinates and the highest derivatives */
static inline void ritti_spread_direction(const int m, const int *next, const ritt_real *s,
                                          const ritt_real *top, ritt_real *dV) {
  dV[0] = 0;
  for (int j = 1; j < m; j++) dV[j] = next[j] >= 0 ? s[next[j]] : top[-1 - next[j]];
}

/* ---- the projection onto a few rows ---- */

/* Moves the tangents s, count x m, to where f_z s + f_p = 0 for some of the rows of f; df and df_p
 * hold all of them. level: count x k, or NULL. B and dB: room for k m. RITTI_NO_LANE: the rows are
 * dependent. */
static RITTI_INLINE ritti_mask ritti_project_tangents(
    const ritti_row_range at, const int k, const int count, const ritti_pattern *by_z,
    const ritt_real *df, const ritti_pattern *by_p, const ritt_real *df_p, const ritt_real *level,
    const ritt_real *spread, ritt_real *B, ritt_real *dB, ritt_real *s) {
  const ritti_small_rows F = {
      .d = spread, .df = (ritt_real *)df, .B = B, .dB = dB, .no_duplicates = true};
  ritti_projection_status end;
  ritti_gathered G;
  ritti_pack_rows(&F, by_z, at);
  ritti_gather_rows(&F, NULL, NULL, at, true, &G);
  if (!ritti_factor_gathered(&G, at.k, &end)) return RITTI_NO_LANE;
  for (int p = 0; p < count; p++, s += at.m) {
    ritt_real mu[RITTI_SMALL_ROWS];
    for (int i = 0; i < at.k; i++) {
      const int row = at.first + i;
      mu[i] = level ? level[p * k + row] : 0;
      for (int e = by_p->start[row]; e < by_p->start[row + 1]; e++)
        if (by_p->col[e] == p) mu[i] += df_p[e];
    }
    const ritti_pattern rows = {at.k, at.m, by_z->start + at.first, by_z->col};
    ritti_add_product(&rows, df, s, mu);
    ritti_solve_gathered(&G, at.k, true, mu);
    for (int j = at.low; j < at.high; j++) {
      ritt_real normal = 0;
      for (int i = 0; i < at.k; i++) normal += dB[j * at.k + i] * mu[i];
      s[j] -= normal;
    }
  }
  return RITTI_ALL_LANES;
}

/* ---- a step in native code ---- */

/* One step of one run: what native code reads and what it writes. */
typedef struct ritti_tangent_job {
  ritti_single h;
  const ritti_single *spread;    /* m: inverse weights */
  const ritti_single *kept;      /* of the points 1 .. stages of the step */
  const ritti_single *s, *level; /* count x m, count x k: tangents at the start, and of levels */
  ritti_single *s_new, *top_new; /* the tangents at the end, and of the highest derivatives */
  ritti_single *const *dV;       /* stages + 1; the first is given */
  ritti_single *work;            /* the row of the problem's functions */
} ritti_tangent_job;

/* The problem of the tangents: constants in native code. */
typedef struct ritti_tangent_problem {
  int count;  /* number of p */
  int shared; /* values that `along` takes of the evaluation of the highest derivatives */
  ritti_pattern dr_z, dr_p, df_z, df_p;
  /* the derivative of the rows for the highest derivatives along s, if there is one p; else NULL */
  void (*along)(ritt_real *work, const ritt_real *z, const ritt_real *top, const ritt_real *shared,
                const ritt_real *s, ritt_real *out);
  void (*system_d)(ritt_real *work, const ritt_real *z, const ritt_real *top, ritt_real *out);
  void (*f_d)(ritt_real *work, const ritt_real *z, ritt_real *out);
  void (*solve)(const ritt_real *factors, ritt_real *x); /* x := -A^-1 x; NULL: formulas */
} ritti_tangent_problem;

/* The tangents of the highest derivatives and dV at a point that was kept. dr: room for the entries of
 * dr_z and dr_p */
static inline void ritti_differentiate_point(const ritti_step_problem *P,
                                             const ritti_tangent_problem *D, ritt_real *work,
                                             const ritt_real *kept, const ritt_real *s,
                                             ritt_real *dr, ritt_real *top, ritt_real *dV) {
  const int m = P->m, tops = P->tops, entries = D->dr_z.start[D->dr_z.rows];
  if (D->along) D->along(work, kept, kept + m, kept + RITTI_KEPT(m, tops, 0), s, top);
  else {
    D->system_d(work, kept, kept + m, dr);
    ritti_spread_columns(&D->dr_p, dr + entries, tops, D->count, top);
  }
  for (int p = 0; p < D->count; p++, s += m, top += tops, dV += m) {
    if (!D->along) ritti_add_product(&D->dr_z, dr, s, top);
    if (D->solve) D->solve(kept + m + tops, top);
    ritti_spread_direction(m, P->next, s, top, dV);
  }
}

/* Takes the tangents along a step whose points are kept, with few rows. moved: room for count x m; top:
 * for count x tops; df: for the entries of df_z and df_p. Returns whether they exist. */
static inline bool ritti_take_tangents(const ritti_step_problem *P, const ritti_step_method *T,
                                       const ritti_tangent_problem *D, ritti_tangent_job *J,
                                       ritt_real *moved, ritt_real *top, ritt_real *dr,
                                       ritt_real *df, ritt_real *B, ritt_real *dB) {
  const int m = P->m, k = P->k, all = D->count * m, stages = T->stages;
  const int n = P->positions, l = P->constraints;
  const ritti_single *row = T->a;
  const ritt_real *kept = J->kept;
  RITTI_UNROLLED
  for (int i = 1; i < stages; i++) {
    ritti_combine_stages(1, all, J->s, J->h, row, J->dV, i, moved);
    moved[0] = 0;
    ritti_differentiate_point(P, D, J->work, kept, moved, dr, top, J->dV[i]);
    kept += RITTI_KEPT(m, P->tops, D->shared);
    row += i;
  }
  ritti_combine_stages(1, all, J->s, J->h, T->b, J->dV, stages, moved);
  moved[0] = 0;

  if (k) {
    const int entries = D->df_z.start[k];
    D->f_d(J->work, kept, df);
    const ritti_row_range whole = {m, 1, m, 0, k}, first = {m, 1, n + 1, 0, l},
                          second = {m, n + 1, m, l, l};
    if (!ritti_project_tangents(T->sequential && l ? first : whole, k, D->count, &D->df_z, df,
                                &D->df_p, df + entries, J->level, J->spread, B, dB, moved))
      return false;
    if (T->sequential && l &&
        !ritti_project_tangents(second, k, D->count, &D->df_z, df, &D->df_p, df + entries, J->level,
                                J->spread, B, dB, moved))
      return false;
  }
  ritti_copy_reals(all, moved, J->s_new);
  ritti_differentiate_point(P, D, J->work, kept, J->s_new, dr, J->top_new, J->dV[stages]);
  return ritti_are_finite((size_t)all, J->s_new) &&
         ritti_are_finite((size_t)(D->count * P->tops), J->top_new);
}

#endif
