/* The stages of an implicit method for z and w together, for problems of the implicit kind.
 *
 *     (1/h) sum_j (A^-1)_ij Z_j - V(z_i, w_i) = 0,   T(z_i, w_i) = 0,   z_i = z + Z_i,  i = 1 .. s.
 *
 * The usual way solves T(z_i, w_i) = 0 for w_i at each point, and iterates on Z alone. It fails if
 * z hardly determines w: the voltage at two blocking diodes whose current is a state. The equations
 * above determine both together, since V contains w.
 *
 * This is a damped Newton iteration on all unknowns with new derivatives at every point. Corrections
 * are tested and shortened as in geometry/top_newton.c. Rows are scaled by the sizes of their terms;
 * combinations of unknowns that change no row by more than rounding keep their values (full_lu.c):
 * the common voltage of a source that floats between blocking diodes.
 */
#include "step/implicit_impl.h"

enum { MOST_ITERATIONS = 40, MOST_DENSE = 240, MOST_CHEAP = 96 };
#define LIMIT ((ritt_real)8)

/* ---- setting up ---- */

/* Unknowns of stage i: coordinates 1 .. m-1, then tops. */
static int at_coordinate(const ritti_joint_stages *J, int i, int l) { return i * J->n + l - 1; }
static int at_top(const ritti_joint_stages *J, int i, int t) {
  return i * J->n + J->problem->m - 1 + t;
}

static ritt_status make_pattern(ritti_joint_stages *J, ritti_arena *arena) {
  const ritti_problem *p = J->problem;
  int s = J->s, rows = s * J->n, at = 0, row = 0, *start, *col;
  size_t most = (size_t)s * ((size_t)(p->m - 1) * (size_t)(s + 1) + ritti_entries(&p->dr) +
                             ritti_entries(&p->A));
  RITTI_NEW(start, arena, rows + 1);
  RITTI_NEW(col, arena, most + 1);
  for (int i = 0; i < s; i++) {
    for (int l = 1; l < p->m; l++) {
      for (int j = 0; j < s; j++) col[at++] = at_coordinate(J, j, l);
      int next = p->next[l];
      if (next > 0) col[at++] = at_coordinate(J, i, next);
      if (next < 0) col[at++] = at_top(J, i, -1 - next);
      start[++row] = at;
    }
    for (int r = 0; r < p->tops; r++) {
      for (int e = p->dr.start[r]; e < p->dr.start[r + 1]; e++)
        if (p->dr.col[e] > 0) col[at++] = at_coordinate(J, i, p->dr.col[e]);
      for (int e = p->A.start[r]; e < p->A.start[r + 1]; e++) col[at++] = at_top(J, i, p->A.col[e]);
      start[++row] = at;
    }
  }
  J->pattern = (ritti_pattern){rows, rows, start, col};
  RITTI_NEW(J->entry, arena, at + 1);
  return RITT_OK;
}

bool ritti_joint_stages_fit(const ritti_problem *p, int s) {
  return p->kind == RITT_IMPLICIT && p->call.system_at && p->call.system_dz &&
         s * (p->m - 1 + p->tops) <= MOST_DENSE;
}

bool ritti_joint_stages_are_cheap(const ritti_problem *p, int s) {
  return ritti_joint_stages_fit(p, s) && s * (p->m - 1 + p->tops) <= MOST_CHEAP;
}

ritt_status ritti_joint_stages_init(ritti_joint_stages *J, const ritti_problem *p, int s,
                                    ritti_arena *arena) {
  *J = (ritti_joint_stages){.problem = p, .s = s, .n = p->m - 1 + p->tops};
  size_t out = 1;
  for (int g = 0; g < p->top_stages; g++) {
    const ritti_top_stage *S = &p->top_stage[g];
    size_t results = 2 * (size_t)S->count + ritti_entries(&S->dT) + (size_t)S->exponents;
    if (results > out) out = results;
    J->exponents += S->exponents;
  }
  int all = s * J->n + 1, tops = s * p->tops + 1, exponents = s * J->exponents + 1;
  RITT_TRY(make_pattern(J, arena));
  RITT_TRY(ritti_full_lu_init(&J->lu, s * J->n, arena));
  RITTI_NEW(J->out, arena, out + 1);
  RITTI_NEW_ARRAYS(arena, all, J->right, J->change, J->next, J->base);
  RITTI_NEW_ARRAYS(arena, tops, J->w, J->T, J->size);
  RITTI_NEW_ARRAYS(arena, exponents, J->exponent, J->base_exponent);
  RITTI_NEW_ARRAYS(arena, p->m, J->z, J->Z);
  if (s == 1) {
    RITTI_NEW(J->scratch, arena, ritti_least_norm_scratch(p->tops, J->n) + 1);
    RITTI_NEW(J->matrix, arena, (size_t)p->tops * (size_t)J->n + 1);
    RITTI_NEW(J->numbers, arena, p->tops + J->n + 1);
  }
  RITTI_NEW(J->dr, arena, ritti_entries(&p->dr) + 1);
  RITTI_NEW(J->A, arena, ritti_entries(&p->A) + 1);
  return RITT_OK;
}

/* ---- values and derivatives ---- */

static const ritt_real *put_point(ritti_joint_stages *J, const ritti_stepper *step,
                                  const ritt_real *Z, int i) {
  int m = J->problem->m;
  for (int l = 0; l < m; l++) J->z[l] = step->z[l] + Z[i * m + l];
  return J->z;
}

/* T, the sizes of its terms and the exponents at all stages. Tops that are given by formulas get
 * their values, and their T is 0; or they keep their values (J->keep_formulas), and T is how far
 * these are from the formulas. */
static ritt_status evaluate_rows(ritti_joint_stages *J, const ritti_stepper *step,
                                 const ritt_real *Z) {
  const ritti_problem *p = J->problem;
  ritt_real *exponent = J->exponent;
  memset(J->T, 0, (size_t)(J->s * p->tops) * sizeof *J->T);
  memset(J->size, 0, (size_t)(J->s * p->tops) * sizeof *J->size);
  for (int i = 0; i < J->s; i++) {
    const ritt_real *z = put_point(J, step, Z, i);
    ritt_real *w = J->w + i * p->tops, *T = J->T + i * p->tops, *size = J->size + i * p->tops;
    for (int g = 0; g < p->top_stages; g++) {
      const ritti_top_stage *S = &p->top_stage[g];
      RITT_TRY(p->call.top_stage(p->data, step->direction->work, g, z, w, J->out));
      if (S->formula) {
        for (int k = 0; k < S->count; k++) {
          ritt_real *top = &w[S->top[k]];
          if (J->keep_formulas) {
            T[S->row[k]] = *top - J->out[k];
            size[S->row[k]] = RITTI_MATH(fabs)(*top) + RITTI_MATH(fabs)(J->out[k]);
          } else *top = J->out[k];
        }
        continue;
      }
      for (int k = 0; k < S->count; k++) {
        T[S->row[k]] = J->out[k];
        size[S->row[k]] = J->out[S->count + k];
      }
      const ritt_real *from = J->out + 2 * S->count + ritti_entries(&S->dT);
      for (int k = 0; k < S->exponents; k++) *exponent++ = from[k];
    }
  }
  return RITT_OK;
}

static bool values_are_finite(const ritti_joint_stages *J) {
  size_t tops = (size_t)(J->s * J->problem->tops);
  return ritti_are_finite(tops, J->T) && ritti_are_finite(tops, J->w);
}

/* The right sides: minus the rows. inverse: A^-1, from_start: the part of V at the start. */
static void fill_right(ritti_joint_stages *J, const ritti_stepper *step, const ritt_real *inverse,
                       const ritt_real *from_start, const ritt_real *Z) {
  const ritti_problem *p = J->problem;
  int m = p->m, s = J->s;
  for (int i = 0; i < s; i++) {
    const ritt_real *w = J->w + i * p->tops;
    for (int l = 1; l < m; l++) {
      int next = p->next[l];
      ritt_real V = next >= 0 ? step->z[next] + Z[i * m + next] : w[-1 - next], sum = 0;
      for (int j = 0; j < s; j++) sum += inverse[i * s + j] * Z[j * m + l];
      J->right[at_coordinate(J, i, l)] = V + from_start[i] * step->V[0][l] - sum / step->h;
    }
    for (int r = 0; r < p->tops; r++) J->right[at_top(J, i, r)] = -J->T[i * p->tops + r];
  }
}

/* The matrix of all rows at the stages. */
static ritt_status fill_matrix(ritti_joint_stages *J, const ritti_stepper *step,
                               const ritt_real *inverse, const ritt_real *Z) {
  const ritti_problem *p = J->problem;
  ritt_real *work = step->direction->work;
  int s = J->s, at = 0;
  for (int i = 0; i < s; i++) {
    const ritt_real *z = put_point(J, step, Z, i), *w = J->w + i * p->tops;
    RITT_TRY(p->call.system_at(p->data, work, z, w, J->A));
    RITT_TRY(p->call.system_dz(p->data, work, z, w, J->dr));
    for (int l = 1; l < p->m; l++) {
      for (int j = 0; j < s; j++) J->entry[at++] = inverse[i * s + j] / step->h;
      if (p->next[l] != 0) J->entry[at++] = -1;
    }
    for (int r = 0; r < p->tops; r++) {
      for (int e = p->dr.start[r]; e < p->dr.start[r + 1]; e++)
        if (p->dr.col[e] > 0) J->entry[at++] = J->dr[e];
      for (int e = p->A.start[r]; e < p->A.start[r + 1]; e++) J->entry[at++] = J->A[e];
    }
  }
  return RITT_OK;
}

/* ---- sizes ---- */

/* Sizes of the unknowns: of a coordinate its value, or where its absolute tolerance begins to count;
 * of a top its value at the start or at a stage, or for smaller ones the change that changes a row by
 * its terms, up to the largest value in the same row. */
static void measure_unknowns(ritti_joint_stages *J, const ritti_stepper *step) {
  const ritti_problem *p = J->problem;
  ritt_real *size = J->lu.col_size;
  for (int i = 0; i < J->s; i++)
    for (int l = 1; l < p->m; l++) {
      ritt_real least =
          step->relative ? step->absolute[l] / step->relative[l] : step->manifold->size[l];
      size[at_coordinate(J, i, l)] = RITTI_MATH(fmax)(RITTI_MATH(fabs)(step->z[l]), least);
    }
  for (int t = 0; t < p->tops; t++) {
    ritt_real most = RITTI_MATH(fabs)(step->top[t]);
    for (int i = 0; i < J->s; i++)
      most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(J->w[i * p->tops + t]));
    for (int i = 0; i < J->s; i++) size[at_top(J, i, t)] = most;
  }
  for (int i = 0; i < J->s; i++)
    for (int r = 0; r < p->tops; r++) {
      int row = at_top(J, i, r);
      ritt_real terms = J->size[i * p->tops + r], most = 0;
      for (int e = J->pattern.start[row]; e < J->pattern.start[row + 1]; e++)
        most = RITTI_MATH(fmax)(most, size[J->pattern.col[e]]);
      for (int e = J->pattern.start[row]; e < J->pattern.start[row + 1]; e++) {
        int c = J->pattern.col[e];
        if (c < at_top(J, i, 0)) continue;
        ritt_real here = RITTI_MATH(fmin)(terms / RITTI_MATH(fabs)(J->entry[e]), most);
        if (here > size[c]) size[c] = here;
      }
    }
  for (int c = 0; c < J->s * J->n; c++)
    if (!(size[c] > 0)) size[c] = 1;
}

/* Sizes of rows: of T that of its terms; of the others their largest entry. */
static void measure_rows(ritti_joint_stages *J) {
  for (int row = 0; row < J->s * J->n; row++) {
    int stage = row / J->n, r = row - at_top(J, stage, 0);
    ritt_real size = r >= 0 ? J->size[stage * J->problem->tops + r] : 0, most = 0;
    for (int e = J->pattern.start[row]; e < J->pattern.start[row + 1]; e++) {
      ritt_real here = RITTI_MATH(fabs)(J->entry[e]) * J->lu.col_size[J->pattern.col[e]];
      most = RITTI_MATH(fmax)(most, here);
    }
    if (!(size > 0)) size = most;
    J->lu.row_size[row] = size > 0 ? size : 1;
  }
}

/* The largest change relative to the sizes; *moved: the mean square of changes of z in units of the
 * tolerance. */
static ritt_real measure_change(const ritti_joint_stages *J, const ritt_real *x,
                                const ritt_real *scale, ritt_real *moved) {
  ritt_real most = 0, sum = 0;
  int m = J->problem->m;
  for (int c = 0; c < J->s * J->n; c++) {
    ritt_real part = RITTI_MATH(fabs)(x[c]) / J->lu.col_size[c];
    if (!(part <= most)) most = part;
  }
  for (int i = 0; i < J->s; i++)
    for (int l = 1; l < m; l++) {
      ritt_real part = x[at_coordinate(J, i, l)] / scale[l];
      sum += part * part;
    }
  *moved = m > 1 ? RITTI_MATH(sqrt)(sum / (ritt_real)(J->s * (m - 1))) : 0;
  return most;
}

/* Is every T below the rounding errors of its terms? */
static bool rows_are_rounding(const ritti_joint_stages *J, ritt_real factor) {
  for (int r = 0; r < J->s * J->problem->tops; r++)
    if (!(RITTI_MATH(fabs)(J->T[r]) <= factor * RITTI_EPS * J->size[r])) return false;
  return true;
}

/* Factors the matrix at the stages for the right sides. Tops may keep their values if no row determines them; coordinates
 * may not. */
static bool factor_stages(ritti_joint_stages *J, const ritti_stepper *step) {
  measure_unknowns(J, step);
  measure_rows(J);
  if (!ritti_full_lu_factor_for(&J->lu, &J->pattern, J->entry, J->right)) return false;
  for (int i = J->lu.rank; i < J->s * J->n; i++)
    if (J->lu.col[i] % J->n < J->problem->m - 1) return false;
  return true;
}

/* ---- the iteration ---- */

static void keep_base(ritti_joint_stages *J, const ritt_real *Z) {
  const ritti_problem *p = J->problem;
  for (int i = 0; i < J->s; i++) {
    for (int l = 1; l < p->m; l++) J->base[at_coordinate(J, i, l)] = Z[i * p->m + l];
    for (int t = 0; t < p->tops; t++) J->base[at_top(J, i, t)] = J->w[i * p->tops + t];
  }
  memcpy(J->base_exponent, J->exponent, (size_t)(J->s * J->exponents) * sizeof *J->exponent);
}

static void put_trial(ritti_joint_stages *J, ritt_real damping, ritt_real *Z) {
  const ritti_problem *p = J->problem;
  for (int i = 0; i < J->s; i++) {
    for (int l = 1; l < p->m; l++) {
      int c = at_coordinate(J, i, l);
      Z[i * p->m + l] = J->base[c] + damping * J->change[c];
    }
    for (int t = 0; t < p->tops; t++) {
      int c = at_top(J, i, t);
      J->w[i * p->tops + t] = J->base[c] + damping * J->change[c];
    }
  }
}

/* The part of the correction that raises no exponent by more than LIMIT beyond its value at the base,
 * or beyond 0. */
static ritt_real limit_exponents(const ritti_joint_stages *J) {
  ritt_real least = 1;
  for (int i = 0; i < J->s * J->exponents; i++) {
    ritt_real base = J->base_exponent[i], from = RITTI_MATH(fmax)(base, 0);
    ritt_real rise = J->exponent[i] - from;
    if (!(rise > LIMIT && rise < INFINITY)) continue;
    ritt_real most = from + RITTI_MATH(fmax)(LIMIT / 2, RITTI_MATH(log)(1 + rise));
    least = RITTI_MATH(fmin)(least, (most - base) / (J->exponent[i] - base));
  }
  return least;
}

/* The tops of all stages are those of the start of the step. */
static void begin_at_start(ritti_joint_stages *J, const ritti_stepper *step) {
  int tops = J->problem->tops;
  for (int i = 0; i < J->s; i++) memcpy(J->w + i * tops, step->top, (size_t)tops * sizeof *J->w);
}

ritt_status ritti_joint_stages_find(ritti_joint_stages *J, ritti_stepper *step,
                                    const ritti_joint_method *method, ritt_real *Z) {
  ritt_real damping = 1, moved;
  begin_at_start(J, step);
  RITT_TRY(evaluate_rows(J, step, Z));
  if (!values_are_finite(J)) return RITT_RETRY;
  for (int done = 0; done < MOST_ITERATIONS; done++) {
    RITT_TRY(fill_matrix(J, step, method->inverse, Z));
    fill_right(J, step, method->inverse, method->from_start, Z);
    if (!factor_stages(J, step)) return RITT_RETRY;
    step->counts.factorisations++;
    step->counts.iterations++;
    memcpy(J->change, J->right, (size_t)(J->s * J->n) * sizeof *J->change);
    ritti_full_lu_solve(&J->lu, J->change);
    ritt_real change = measure_change(J, J->change, method->scale, &moved), after;
    if (!(change < INFINITY)) return RITT_RETRY;
    keep_base(J, Z);

    damping = done == 0 ? 1 : RITTI_MATH(fmin)(1, 4 * damping);
    for (;;) {
      if (!(damping > (ritt_real)1e-8)) return RITT_RETRY;
      put_trial(J, damping, Z);
      RITT_TRY(evaluate_rows(J, step, Z));
      ritt_real part = limit_exponents(J);
      if (part < 1) {
        damping *= part;
        continue;
      }
      if (!values_are_finite(J)) {
        damping /= 4;
        continue;
      }
      fill_right(J, step, method->inverse, method->from_start, Z);
      memcpy(J->next, J->right, (size_t)(J->s * J->n) * sizeof *J->next);
      ritti_full_lu_solve(&J->lu, J->next);
      after = measure_change(J, J->next, method->scale, &moved);
      bool noise = rows_are_rounding(J, 64) && moved <= method->stop;
      if (noise && damping == 1) return RITT_OK;
      if (after <= (1 - damping / 4) * change) break;
      for (int c = 0; c < J->s * J->n; c++) J->next[c] -= (1 - damping) * J->change[c];
      ritt_real ignored, bend = measure_change(J, J->next, method->scale, &ignored);
      ritt_real best = damping * change / (2 * bend);
      damping *= RITTI_MATH(fmin)((ritt_real)0.5, RITTI_MATH(fmax)((ritt_real)0.1, best));
    }
    if (damping == 1 && moved <= method->stop && after <= (ritt_real)1e-7 &&
        ritti_full_lu_is_consistent(&J->lu, J->right)) {
      memcpy(J->change, J->next, (size_t)(J->s * J->n) * sizeof *J->change);
      keep_base(J, Z);
      put_trial(J, 1, Z);
      return RITT_OK;
    }
  }
  return RITT_RETRY;
}

/* ---- at one point ---- */

ritt_status ritti_joint_stages_filter(ritti_joint_stages *J, const ritti_stepper *step,
                                      ritt_real gamma, ritt_real *v) {
  int m = J->problem->m;
  begin_at_start(J, step);
  memset(J->Z, 0, (size_t)m * sizeof *J->Z);
  RITT_TRY(evaluate_rows(J, step, J->Z));
  RITT_TRY(fill_matrix(J, step, &gamma, J->Z));
  for (int c = 0; c < J->n; c++) J->change[c] = J->right[c] = c + 1 < m ? v[c + 1] : 0;
  if (!factor_stages(J, step)) return RITT_RETRY;
  ritti_full_lu_solve(&J->lu, J->change);
  for (int l = 1; l < m; l++) v[l] = J->change[at_coordinate(J, 0, l)];
  return RITT_OK;
}

/* The right sides of formulas: top - formula times the coefficient of the top in its row. */
static void multiply_formula_rows(ritti_joint_stages *J) {
  const ritti_problem *p = J->problem;
  for (int g = 0; g < p->top_stages; g++) {
    const ritti_top_stage *S = &p->top_stage[g];
    for (int k = 0; S->formula && k < S->count; k++) {
      int own = at_top(J, 0, S->top[k]), row = at_top(J, 0, S->row[k]);
      for (int e = J->pattern.start[row]; e < J->pattern.start[row + 1]; e++)
        if (J->pattern.col[e] == own) J->right[S->row[k]] *= J->entry[e];
    }
  }
}

/* The least change of (z, w) that makes the linear parts of all rows 0. Units: of z its tolerance, of
 * a derivative in V this per step, of other tops a part of their size. */
static bool find_least_change(ritti_joint_stages *J, const ritti_stepper *step,
                              const ritt_real *scale) {
  static const double PART = 0.01;
  const ritti_problem *p = J->problem;
  int n = J->n, first = at_top(J, 0, 0);
  ritt_real *unit = J->next;
  for (int c = 0; c < n; c++)
    unit[c] = c < first ? scale[c + 1] : (ritt_real)PART * J->lu.col_size[c];
  for (int l = 1; l < p->m; l++)
    if (p->next[l] < 0) unit[first - 1 - p->next[l]] = scale[l] / RITTI_MATH(fabs)(step->h);

  memset(J->matrix, 0, (size_t)p->tops * (size_t)n * sizeof *J->matrix);
  for (int r = 0; r < p->tops; r++) {
    int row = at_top(J, 0, r);
    for (int e = J->pattern.start[row]; e < J->pattern.start[row + 1]; e++) {
      int c = J->pattern.col[e];
      J->matrix[r * n + c] += J->entry[e] * unit[c] / J->lu.row_size[row];
    }
    J->right[r] = -J->T[r] / J->lu.row_size[row];
  }
  multiply_formula_rows(J);
  int rank = ritti_least_norm(p->tops, n, J->matrix, J->right, 8 * RITTI_EPS, J->change, J->scratch,
                              J->numbers);
  for (int c = 0; c < n; c++) J->change[c] *= unit[c];
  return rank > 0 && ritti_are_finite((size_t)n, J->change);
}

static bool settle_point(ritti_joint_stages *J, const ritti_stepper *step, const ritt_real *scale,
                         ritt_real *z, ritt_real *top) {
  enum { MOST = 10 };
  const ritti_problem *p = J->problem;
  const ritt_real none = 0;
  ritt_real moved;
  for (int l = 0; l < p->m; l++) J->Z[l] = z[l] - step->z[l];
  memcpy(J->w, top, (size_t)p->tops * sizeof *top);
  if (evaluate_rows(J, step, J->Z) != RITT_OK || !values_are_finite(J)) return false;
  for (int done = 0; done < MOST; done++) {
    if (fill_matrix(J, step, &none, J->Z) != RITT_OK) return false;
    measure_unknowns(J, step);
    measure_rows(J);
    if (!find_least_change(J, step, scale)) return false;
    ritt_real change = measure_change(J, J->change, scale, &moved), damping = 1;
    keep_base(J, J->Z);
    put_trial(J, damping, J->Z);
    if (evaluate_rows(J, step, J->Z) != RITT_OK) return false;
    for (int i = 0; i < MOST && limit_exponents(J) < 1; i++) {
      damping *= limit_exponents(J);
      put_trial(J, damping, J->Z);
      if (evaluate_rows(J, step, J->Z) != RITT_OK) return false;
    }
    if (!values_are_finite(J)) return false;
    if (damping == 1 && (change <= (ritt_real)1e-8 || rows_are_rounding(J, 4))) {
      for (int l = 1; l < p->m; l++) z[l] = step->z[l] + J->Z[l];
      memcpy(top, J->w, (size_t)p->tops * sizeof *top);
      return true;
    }
  }
  return false;
}

bool ritti_joint_stages_settle(ritti_joint_stages *J, const ritti_stepper *step,
                               const ritt_real *scale, ritt_real *z, ritt_real *top) {
  J->keep_formulas = true;
  bool found = settle_point(J, step, scale, z, top);
  J->keep_formulas = false;
  return found;
}
