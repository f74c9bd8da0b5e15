/* Impulses: the velocities that constraints ask for at a jump.
 *
 * In: the point z that a jump or a switch leaves, off M; the coordinates that an event assigns. Out: z on
 * those rows of f that velocities can satisfy. While an impulse lasts the highest derivatives of the model's
 * equations and the reactions are so large that nothing else counts: with y their integrals, C y = 0, where
 * C holds the derivatives of the equations by them. y of a highest derivative is the jump of the
 * derivative before it, the velocity. With the constraints behind the impulse, f(z + y) = 0,
 *
 *     C y = 0,   df y = -f
 *
 * determines the velocities; reactions may remain undetermined, as of redundant constraints. For
 * M v' = G^T lambda + ... this is M dv = G^T Lambda; no other metric is used, and it is the same for
 * every kind of problem and for velocities that are unknowns of their own.
 *
 * A velocity that an event assigns has its value from an impulse of its own, which acts on the equation
 * of this velocity: that equation is left out, and y is 0.
 *
 * A velocity that C y = 0 keeps is called fixed: y = 0 follows from equations with one such y each, as of
 * x' = u, where x does not jump.
 */
#include "drive/driver_impl.h"

/* Rank decisions; differences that count as zero; large compared with the forces before the impulse. */
#define RANK  ((ritt_real)1e-11)
#define SAME  ((ritt_real)1e-8)
#define LARGE ((ritt_real)1000)

static ritt_status init_impulse(ritti_impulse *I, const ritti_problem *p, ritti_arena *arena) {
  int n = p->impulses.cols, rows = p->impulses.rows;
  if (I->variable || !p->call.impulses) return RITT_OK;
  RITTI_NEW(I->C, arena, p->impulses.start[rows] + 1);
  RITTI_NEW(I->after, arena, p->impulses.start[rows] + 1);
  RITTI_NEW(I->y, arena, n + 1);
  RITTI_NEW(I->fixed, arena, n + 1);
  RITTI_NEW(I->column, arena, n + 1);
  RITTI_NEW(I->equation, arena, rows + 1);
  RITTI_NEW(I->row, arena, p->k + 1);
  RITTI_NEW(I->follower, arena, p->m);
  RITTI_NEW(I->z, arena, p->m);
  RITTI_NEW(I->top, arena, p->tops + 1);
  RITTI_NEW(I->value, arena, p->monitors + 1);
  RITTI_NEW(I->variable, arena, p->m);
  for (int i = 0; i < p->m; i++) I->variable[i] = -1;
  for (int j = 0; j < n; j++)
    if (p->velocity[j] >= 0) I->variable[p->velocity[j]] = j;
  return RITT_OK;
}

static bool is_assigned(const ritti_problem *p, const bool *assigned, int variable) {
  return assigned && p->velocity[variable] >= 0 && assigned[p->velocity[variable]];
}

/* Which velocities cannot jump, since equations with one y each say so? */
static void find_fixed(ritti_driver *d) {
  const ritti_pattern *P = &d->problem->impulses;
  ritti_impulse *I = &d->jumper.impulse;
  bool changed = true;
  for (int j = 0; j < P->cols; j++) I->fixed[j] = false;
  while (changed) {
    changed = false;
    for (int i = 0; i < P->rows; i++) {
      int free = 0, last = -1;
      for (int e = P->start[i]; e < P->start[i + 1]; e++)
        if (!I->fixed[P->col[e]] && I->C[e] != 0) free++, last = P->col[e];
      if (free == 1) I->fixed[last] = changed = true;
    }
  }
}

ritt_status ritti_impulse_prepare(ritti_driver *d, const ritt_real *z, const ritt_real *top) {
  const ritti_problem *p = d->problem;
  if (!p->call.impulses) return RITT_OK;
  RITT_TRY(init_impulse(&d->jumper.impulse, p, d->arena));
  RITT_TRY(p->call.impulses(p->data, d->work, z, top, d->jumper.impulse.C));
  find_fixed(d);
  return RITT_OK;
}

bool ritti_impulse_moves(const ritti_driver *d, const bool *assigned, int coordinate) {
  const ritti_impulse *I = &d->jumper.impulse;
  if (!I->variable || I->variable[coordinate] < 0 || (assigned && assigned[coordinate]))
    return false;
  return !I->fixed[I->variable[coordinate]];
}

/* ---- which equations and variables take part ---- */

/* The mark of the unknown of entry e of df: of the impulse of a velocity, or of an unknown that follows
 * from others; NULL: it stays. */
static int *find_mark(ritti_driver *d, const bool *assigned, bool followers, int e) {
  ritti_impulse *I = &d->jumper.impulse;
  int c = d->problem->df.col[e];
  if (c == 0 || d->jumper.df[e] == 0 || (assigned && assigned[c])) return NULL;
  if (d->problem->role[c] == RITTI_ROLE_FOLLOWS) return followers ? &I->follower[c] : NULL;
  return ritti_impulse_moves(d, assigned, c) ? &I->column[I->variable[c]] : NULL;
}

/* Marks what hangs together with the rows of f that are marked. */
static void spread_marks(ritti_driver *d, const bool *candidate, const bool *assigned,
                         bool followers) {
  const ritti_problem *p = d->problem;
  const ritti_pattern *P = &p->impulses;
  ritti_impulse *I = &d->jumper.impulse;
  bool changed = true;
  while (changed) {
    changed = false;
    for (int i = 0; i < p->k; i++) {
      bool touched = I->row[i];
      for (int e = p->df.start[i]; e < p->df.start[i + 1] && candidate[i] && !touched; e++) {
        const int *mark = find_mark(d, assigned, followers, e);
        touched = mark && *mark;
      }
      for (int e = p->df.start[i]; e < p->df.start[i + 1] && touched; e++) {
        int *mark = find_mark(d, assigned, followers, e);
        if (mark && !*mark) *mark = changed = true;
      }
      changed = changed || touched != I->row[i];
      I->row[i] = touched;
    }
    for (int i = 0; i < P->rows; i++) {
      bool touched = I->equation[i] > 0;
      if (I->equation[i] < 0) continue;
      for (int e = P->start[i]; e < P->start[i + 1] && !touched; e++)
        touched = I->C[e] != 0 && I->column[P->col[e]];
      for (int e = P->start[i]; e < P->start[i + 1] && touched; e++) {
        int j = P->col[e];
        if (I->C[e] == 0 || I->fixed[j] || I->column[j] || is_assigned(p, assigned, j)) continue;
        I->column[j] = changed = true;
      }
      changed = changed || touched != (I->equation[i] > 0);
      I->equation[i] = touched;
    }
  }
}

static ritt_real find_entry(const ritti_driver *d, int row, int col) {
  const ritti_pattern *P = &d->problem->impulses;
  for (int e = P->start[row]; e < P->start[row + 1]; e++)
    if (P->col[e] == col) return d->jumper.impulse.C[e];
  return 0;
}

static bool has_velocity(const ritti_driver *d, int row) {
  const ritti_problem *p = d->problem;
  const ritti_pattern *P = &p->impulses;
  for (int e = P->start[row]; e < P->start[row + 1]; e++)
    if (p->velocity[P->col[e]] >= 0 && d->jumper.impulse.C[e] != 0) return true;
  return false;
}

/* The equation of an assigned velocity, if the equations of motion, in the order of the velocities, have a
 * symmetric matrix; -1: not found. */
static int find_symmetric(const ritti_driver *d, int variable) {
  const ritti_problem *p = d->problem;
  const ritti_pattern *P = &p->impulses;
  int own = -1, row = -1;
  for (int j = 0; j < P->cols; j++) {
    if (p->velocity[j] < 0) continue;
    for (row++; row < P->rows && !has_velocity(d, row); row++) {}
    if (j == variable) own = row;
  }
  if (own < 0 || own >= P->rows || row >= P->rows) return -1;
  row = -1;
  for (int j = 0; j < P->cols; j++) {
    if (p->velocity[j] < 0) continue;
    for (row++; row < P->rows && !has_velocity(d, row); row++) {}
    ritt_real a = find_entry(d, own, j), b = find_entry(d, row, variable);
    if (RITTI_MATH(fabs)(a - b) > (ritt_real)1e-12 * RITTI_MATH(fabs)(a)) return -1;
  }
  return own;
}

/* Leaves out the equations on which impulses of assigned velocities act: the one of each velocity, or
 * all in which it stands. */
static void drop_equations(ritti_driver *d, const bool *assigned) {
  const ritti_problem *p = d->problem;
  const ritti_pattern *P = &p->impulses;
  ritti_impulse *I = &d->jumper.impulse;
  for (int j = 0; j < P->cols; j++) {
    int count = 0, own;
    if (!is_assigned(p, assigned, j)) continue;
    for (int i = 0; i < P->rows; i++) count += find_entry(d, i, j) != 0;
    own = count > 1 ? find_symmetric(d, j) : -1;
    for (int i = 0; i < P->rows; i++)
      if (own < 0 ? find_entry(d, i, j) != 0 : i == own) I->equation[i] = -1;
  }
}

/* ---- the linear system ---- */

static ritt_status make_room(ritti_impulse *I, int rows, int cols, ritti_arena *arena) {
  size_t cells = (size_t)rows * (size_t)cols + 1, lines = (size_t)rows + 2 * (size_t)cols + 1;
  size_t scratch = ritti_least_norm_scratch(rows, cols) + 1;
  if (cells > I->cells) {
    I->cells = 2 * cells;
    RITTI_NEW(I->B, arena, I->cells);
  }
  if (lines > I->lines || scratch > I->scratches) {
    I->lines = 2 * lines, I->scratches = 2 * scratch;
    RITTI_NEW_ARRAYS(arena, I->lines, I->right, I->x, I->other, I->size);
    RITTI_NEW(I->scratch, arena, I->scratches);
    RITTI_NEW(I->iscratch, arena, I->lines);
  }
  return RITT_OK;
}

/* Writes the rows of the system, numbers the columns. */
static void fill_system(ritti_driver *d, const bool *assigned, bool followers, int cols) {
  const ritti_problem *p = d->problem;
  const ritti_pattern *P = &p->impulses;
  ritti_impulse *I = &d->jumper.impulse;
  int rows = 0;
  for (int i = 0; i < P->rows; i++) {
    ritt_real *row = I->B + (size_t)rows * (size_t)cols;
    if (I->equation[i] <= 0) continue;
    for (int j = 0; j < cols; j++) row[j] = 0;
    for (int e = P->start[i]; e < P->start[i + 1]; e++)
      if (I->column[P->col[e]]) row[I->column[P->col[e]] - 1] += I->C[e];
    I->right[rows++] = 0;
  }
  for (int i = 0; i < p->k; i++) {
    ritt_real *row = I->B + (size_t)rows * (size_t)cols;
    if (!I->row[i]) continue;
    for (int j = 0; j < cols; j++) row[j] = 0;
    for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++) {
      const int *mark = find_mark(d, assigned, followers, e);
      if (mark) row[*mark - 1] += d->jumper.df[e];
    }
    I->right[rows++] = -d->jumper.f[i];
  }
}

/* Gives rows and columns sizes of about 1; I->size = those of the columns. */
static void scale_system(ritti_impulse *I, int rows, int cols) {
  enum { PASSES = 3 };
  for (int j = 0; j < cols; j++) I->size[j] = 1;
  for (int pass = 0; pass < PASSES; pass++) {
    for (int i = 0; i < rows; i++) {
      ritt_real *row = I->B + (size_t)i * (size_t)cols, most = 0;
      for (int j = 0; j < cols; j++) most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(row[j]));
      for (int j = 0; most > 0 && j < cols; j++) row[j] /= most;
      if (most > 0) I->right[i] /= most;
    }
    for (int j = 0; j < cols; j++) {
      ritt_real most = 0;
      for (int i = 0; i < rows; i++)
        most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(I->B[(size_t)i * (size_t)cols + (size_t)j]));
      if (!(most > 0)) continue;
      for (int i = 0; i < rows; i++) I->B[(size_t)i * (size_t)cols + (size_t)j] /= most;
      I->size[j] /= most;
    }
  }
}

/* Is the solution x one? Rows and columns have sizes of about 1. */
static bool satisfies_rows(const ritti_impulse *I, int rows, int cols) {
  ritt_real size = 0, worst = 0;
  for (int j = 0; j < cols; j++) size = RITTI_MATH(fmax)(size, RITTI_MATH(fabs)(I->x[j]));
  for (int i = 0; i < rows; i++) {
    const ritt_real *row = I->B + (size_t)i * (size_t)cols;
    ritt_real rest = -I->right[i];
    for (int j = 0; j < cols; j++) rest += row[j] * I->x[j];
    size = RITTI_MATH(fmax)(size, RITTI_MATH(fabs)(I->right[i]));
    worst = RITTI_MATH(fmax)(worst, RITTI_MATH(fabs)(rest));
  }
  return worst <= SAME * size;
}

/* Is every velocity of the solution the only possible one? A solution that is least in other units has
 * the same velocities then. */
static bool is_only_one(ritti_driver *d, int rows, int cols) {
  const ritti_problem *p = d->problem;
  ritti_impulse *I = &d->jumper.impulse;
  ritt_real most = 0;
  for (int j = 0; j < cols; j++) {
    ritt_real unit = 1 + (ritt_real)((j * 7 + 3) % 11) / 4;
    for (int i = 0; i < rows; i++) I->B[(size_t)i * (size_t)cols + (size_t)j] *= unit;
    I->other[j] = unit;
    most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(I->x[j]));
  }
  ritt_real *x = I->other + cols;
  if (ritti_least_norm(rows, cols, I->B, I->right, RANK, x, I->scratch, I->iscratch) < 0)
    return false;
  for (int j = 0; j < p->impulses.cols; j++) {
    int c = I->column[j] - 1;
    if (c < 0 || p->velocity[j] < 0) continue;
    if (!(RITTI_MATH(fabs)(x[c] * I->other[c] - I->x[c]) <= SAME * most)) return false;
  }
  return true;
}

/* ---- do the equations stay the same while the impulse lasts? ---- */

/* The sums C y with the sides and the large forces of the impulse must be 0, too. */
static bool keeps_law(ritti_driver *d) {
  const ritti_pattern *P = &d->problem->impulses;
  const ritti_impulse *I = &d->jumper.impulse;
  for (int i = 0; i < P->rows; i++) {
    ritt_real sum = 0, terms = 0;
    if (I->equation[i] <= 0) continue;
    for (int e = P->start[i]; e < P->start[i + 1]; e++) {
      ritt_real y = I->column[P->col[e]] ? I->y[P->col[e]] : 0;
      sum += I->after[e] * y;
      terms += RITTI_MATH(fabs)(I->C[e] * y) + RITTI_MATH(fabs)(I->after[e] * y);
    }
    if (!(RITTI_MATH(fabs)(sum) <= SAME * terms)) return false;
  }
  return true;
}

/* *keeps = false: C is another one behind the impulse, or with its large forces, so that the result
 * depends on how they grow while it lasts. */
static ritt_status check_law(ritti_driver *d, const ritt_real *z, const ritt_real *top,
                             bool *keeps) {
  const ritti_problem *p = d->problem;
  ritti_impulse *I = &d->jumper.impulse;
  ritt_real most = 0, force = 1, *side = d->work + p->side_at;
  for (int j = 0; j < p->impulses.cols; j++)
    if (I->column[j]) most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(I->y[j]));
  for (int i = 0; i < p->tops; i++) force = RITTI_MATH(fmax)(force, RITTI_MATH(fabs)(top[i]));
  *keeps = true;
  if (!(most > 0)) return RITT_OK;
  memcpy(I->z, z, (size_t)p->m * sizeof *z);
  memcpy(I->top, top, (size_t)p->tops * sizeof *top);
  for (int j = 0; j < p->impulses.cols; j++) {
    int at = p->impulse_top[j];
    if (!I->column[j] || at < 0) continue;
    *(at < p->m ? &I->z[at] : &I->top[at - p->m]) += LARGE * force / most * I->y[j];
  }
  ritt_status status = p->call.impulses(p->data, d->work, I->z, I->top, I->after);
  *keeps = status == RITT_OK && keeps_law(d);
  if (status != RITT_OK && status != RITT_RETRY) return status;
  if (!*keeps || p->surfaces == 0) return RITT_OK;

  /* on the sides that the impulse leads to */
  ritt_real *value = I->value + p->events;
  if (p->call.monitor(p->data, d->work, I->z, I->top, I->value) != RITT_OK) return RITT_OK;
  for (int i = 0; i < p->surfaces; i++) {
    ritt_real now = value[i];
    value[i] = side[i];
    if (!(p->cone && p->cone[i]) && now * side[i] < -SAME * RITTI_MATH(fabs)(now) && now != 0)
      side[i] = -side[i];
  }
  status = p->call.impulses(p->data, d->work, I->z, I->top, I->after);
  for (int i = 0; i < p->surfaces; i++) side[i] = value[i];
  *keeps = status == RITT_OK && keeps_law(d);
  return status == RITT_RETRY ? RITT_OK : status;
}

/* ---- the impulse ---- */

/* One step of Newton's method for the marked rows, added to z and to I->y. */
static ritt_status add_impulse(ritti_driver *d, const bool *assigned, bool followers,
                               ritt_real *z) {
  const ritti_problem *p = d->problem;
  ritti_impulse *I = &d->jumper.impulse;
  int rows = 0, cols = 0;
  for (int j = 0; j < p->impulses.cols; j++)
    if (I->column[j]) I->column[j] = ++cols;
  for (int i = 1; i < p->m; i++)
    if (I->follower[i]) I->follower[i] = ++cols;
  for (int i = 0; i < p->impulses.rows; i++) rows += I->equation[i] > 0;
  for (int i = 0; i < p->k; i++) rows += I->row[i];
  if (cols == 0) return RITT_RETRY;
  RITT_TRY(make_room(I, rows, cols, d->arena));
  fill_system(d, assigned, followers, cols);
  scale_system(I, rows, cols);
  int rank = ritti_least_norm(rows, cols, I->B, I->right, RANK, I->x, I->scratch, I->iscratch);
  if (rank < 0 || !satisfies_rows(I, rows, cols)) return RITT_RETRY;
  if (rank < cols && !is_only_one(d, rows, cols)) return RITT_RETRY;
  for (int j = 0; j < p->impulses.cols; j++) {
    if (!I->column[j]) continue;
    ritt_real move = I->x[I->column[j] - 1] * I->size[I->column[j] - 1];
    I->y[j] += move;
    if (p->velocity[j] >= 0) z[p->velocity[j]] += move;
  }
  for (int i = 1; i < p->m; i++)
    if (I->follower[i]) z[i] += I->x[I->follower[i] - 1] * I->size[I->follower[i] - 1];
  return RITT_OK;
}

ritt_status ritti_impulse_find(ritti_driver *d, const bool *rows, const bool *assigned,
                               bool followers, const ritt_real *top, ritt_real *z) {
  enum { MOST = 20 };
  const ritti_problem *p = d->problem;
  ritti_impulse *I = &d->jumper.impulse;
  if (!p->call.impulses) return RITT_RETRY;
  RITT_TRY(ritti_impulse_prepare(d, z, top));
  for (int i = 0; i < p->impulses.rows; i++) I->equation[i] = 0;
  for (int j = 0; j < p->impulses.cols; j++) I->column[j] = 0, I->y[j] = 0;
  for (int i = 0; i < p->m; i++) I->follower[i] = 0;
  RITT_TRY(p->call.f_df(p->data, d->work, z, d->jumper.f, d->jumper.df));
  for (int i = 0; i < p->k; i++) I->row[i] = rows[i] && ritti_row_misfit(d, i, z) > 16 * RITTI_EPS;
  drop_equations(d, assigned);
  spread_marks(d, rows, assigned, followers);

  ritt_real before = INFINITY;
  for (int round = 0; round < MOST; round++) {
    ritt_real worst = 0;
    for (int i = 0; i < p->k; i++)
      if (I->row[i]) worst = RITTI_MATH(fmax)(worst, ritti_row_misfit(d, i, z));
    if (worst <= 16 * RITTI_EPS || (worst < (ritt_real)1e-12 && !(worst < before / 2))) {
      bool keeps;
      RITT_TRY(check_law(d, z, top, &keeps));
      return keeps ? RITT_OK : RITT_RETRY;
    }
    before = worst;
    RITT_TRY(add_impulse(d, assigned, followers, z));
    RITT_TRY(p->call.f_df(p->data, d->work, z, d->jumper.f, d->jumper.df));
  }
  return RITT_RETRY;
}
