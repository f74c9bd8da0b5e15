/* Jumps: the point after an event, or after a switch of the equations.
 *
 * In: the point before, the coordinates that the event assigns. Out: a point of M. Coordinates
 * that are assigned, and those of lower order, stay; the rest moves as little as the constraints
 * demand. In holonomic problems velocities move as impulses of the constraints move them: the least
 * change in the metric of the mass matrix E, so that E (v+ - v-) is a combination of the
 * constraints' gradients. Invariants that took their value from the start take their new one.
 *
 * At a switch states stay. Coordinates that follow from them are solved for again; if that is not
 * enough velocities change by an impulse.
 */
#include "drive/driver_impl.h"

enum { MOST_ITERATIONS = 100 };

/* Memory for solving: dense, of the size of df. */
static ritt_status make_room_to_solve(ritti_jumper *J, const ritti_problem *p, ritti_arena *arena) {
  size_t k = (size_t)p->k, m = (size_t)p->m, n = (size_t)p->positions;
  if (J->B) return RITT_OK;
  RITTI_NEW(J->y, arena, m + k);
  RITTI_NEW(J->size, arena, k + 1);
  RITTI_NEW(J->L, arena, n * n + 1);
  RITTI_NEW(J->free, arena, m);
  RITTI_NEW(J->scratch, arena, ritti_least_norm_scratch(p->k, p->m) + 1);
  RITTI_NEW(J->iscratch, arena, k + m + 1);
  RITTI_NEW(J->B, arena, k * m + 1);
  return RITT_OK;
}

/* Switches ask for the room to solve when the first one needs it. */
ritt_status ritti_jumper_init(ritti_jumper *J, const ritti_problem *p, ritti_arena *arena) {
  bool jumps = false, switches = p->role && p->k > 0;
  size_t k = (size_t)p->k, m = (size_t)p->m;
  for (int i = 0; i < p->events; i++) jumps |= p->event[i].kept != NULL;
  if (jumps || switches || p->level_of) RITTI_NEW(J->f, arena, k + 1);
  if (jumps || switches) RITTI_NEW(J->df, arena, (k ? (size_t)p->df.start[p->k] : 0) + 1);
  if (switches) RITTI_NEW(J->kept, arena, m);
  return jumps ? make_room_to_solve(J, p, arena) : RITT_OK;
}

/* Factors E = L L^T for the free velocities, if the problem is holonomic and nothing else is free.
 * Returns their number, else 0. */
static int mass_factor(ritti_driver *d, ritti_jumper *J, const bool *kept, const ritt_real *z) {
  const ritti_problem *p = d->problem;
  int n = p->positions, count = 0;
  if (p->kind != RITT_HOLONOMIC) return 0;
  for (int i = 1; i <= n; i++)
    if (!kept[i]) return 0;
  for (int i = 1 + n; i < p->m; i++)
    if (!kept[i]) J->free[count++] = i;
  if (p->call.system(p->data, d->work, z, d->direction.A, d->direction.b) != RITT_OK) return 0;
  memset(J->L, 0, (size_t)count * (size_t)count * sizeof *J->L);
  for (int a = 0; a < count; a++) {
    int row = J->free[a] - 1 - n;
    for (int e = p->A.start[row]; e < p->A.start[row + 1]; e++)
      for (int b = 0; b <= a; b++)
        if (J->free[b] - 1 - n == p->A.col[e]) J->L[a * count + b] = d->direction.A[e];
  }
  return ritti_cholesky_factor(count, J->L) ? count : 0;
}

/* The size of the terms of row i. */
static ritt_real row_size(const ritti_driver *d, const ritti_jumper *J, int i, const ritt_real *z) {
  const ritti_problem *p = d->problem;
  ritt_real size = 0;
  for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++)
    size += RITTI_MATH(fabs)(J->df[e]) *
            (RITTI_MATH(fabs)(z[p->df.col[e]]) + d->manifold.size[p->df.col[e]]);
  return size;
}

/* May row i of f stay as it is, with the misfit r? */
static bool is_left(const ritti_driver *d, const ritti_jumper *J, int i, ritt_real r) {
  const ritti_problem *p = d->problem;
  if (!(r <= J->near)) return false;
  if (p->rate_row && p->rate_row[i] < 0) return true;
  for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++)
    if (p->df.col[e] > 0 && !J->kept[p->df.col[e]]) return false;
  return true;
}

/* Row i relative to its terms; 0 for a row with a level, or one that may stay as it is. */
static ritt_real row_misfit(const ritti_driver *d, const ritti_jumper *J, int i,
                            const ritt_real *z) {
  const ritti_problem *p = d->problem;
  ritt_real r = RITTI_MATH(fabs)(J->f[i]);
  if ((p->level_of && p->level_of[i] >= 0) || r == 0) return 0;
  ritt_real size = row_size(d, J, i, z);
  if (!(size > 0)) return INFINITY;
  return J->near > 0 && is_left(d, J, i, r / size) ? 0 : r / size;
}

/* One step of Gauss and Newton on the rows without levels, for the free coordinates, into J->y. *moved
 * = the largest change. */
/* Unknowns that follow from others move freely beside velocities that must jump: their moves count as
 * much less. */
static ritt_real move_size(const ritti_driver *d, int i) {
  bool follows = d->jumper.loose && d->problem->role[i] == RITTI_ROLE_FOLLOWS;
  return follows ? (ritt_real)1e6 : 1;
}

static ritt_status newton_step(ritti_driver *d, ritti_jumper *J, int count, int mass,
                               const ritt_real *z, ritt_real *moved) {
  const ritti_problem *p = d->problem;
  int rows = 0;
  ritt_real *B = J->B, *r = J->y + p->m;
  for (int i = 0; i < p->k; i++) {
    if (p->level_of && p->level_of[i] >= 0) continue;
    ritt_real *row = B + rows * count;
    for (int j = 0; j < count; j++) row[j] = 0;
    for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++)
      for (int j = 0; j < count; j++)
        if (J->free[j] == p->df.col[e]) row[j] = J->df[e] * move_size(d, J->free[j]);
    /* in the metric of the masses: row L^-T */
    for (int j = 0; mass && j < count; j++) {
      for (int l = 0; l < j; l++) row[j] -= J->L[j * count + l] * row[l];
      row[j] /= J->L[j * count + j];
    }
    r[rows] = J->near > 0 && row_misfit(d, J, i, z) == 0 ? 0 : -J->f[i];
    if (J->loose) {
      ritt_real most = 0;
      for (int j = 0; j < count; j++) most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(row[j]));
      for (int j = 0; most > 0 && j < count; j++) row[j] /= most;
      if (most > 0) r[rows] /= most;
    }
    rows++;
  }
  int rank = ritti_least_norm(rows, count, B, r, (ritt_real)1e-11, J->y, J->scratch, J->iscratch);
  if (rank < 0) return RITT_RETRY;
  /* without masses a least change of velocities means nothing */
  if (J->near > 0 && J->loose && !mass && rank < count) return RITT_RETRY;
  for (int j = count - 1; mass && j >= 0; j--) {
    for (int l = j + 1; l < count; l++) J->y[j] -= J->L[l * count + j] * J->y[l];
    J->y[j] /= J->L[j * count + j];
  }
  for (int j = 0; j < count; j++) J->y[j] *= move_size(d, J->free[j]);
  *moved = 0;
  for (int j = 0; j < count; j++) {
    ritt_real size = 1 + RITTI_MATH(fabs)(z[J->free[j]] + J->y[j]);
    *moved = RITTI_MATH(fmax)(*moved, RITTI_MATH(fabs)(J->y[j]) / size);
  }
  return RITT_OK;
}

/* Largest row without a level, relative to its terms. */
static ritt_real jump_misfit(const ritti_driver *d, const ritti_jumper *J, const ritt_real *z) {
  ritt_real worst = 0;
  for (int i = 0; i < d->problem->k; i++) {
    ritt_real r = row_misfit(d, J, i, z);
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

/* The sum of the squares of the rows without levels, in units of J->size. */
static ritt_real sum_of_squares(const ritti_driver *d, const ritti_jumper *J) {
  const ritti_problem *p = d->problem;
  ritt_real sum = 0;
  for (int i = 0; i < p->k; i++) {
    if (p->level_of && p->level_of[i] >= 0) continue;
    ritt_real part = J->f[i] / J->size[i];
    sum += part * part;
  }
  return sum;
}

/* Adds the part of J->y to z that makes the rows smaller: all of it, or a half, a quarter, ... A full
 * step into exponentials may overflow. RITT_RETRY: none does. */
static ritt_status add_step(ritti_driver *d, int count, ritt_real *z) {
  enum { HALVINGS = 60 };
  const ritti_problem *p = d->problem;
  ritti_jumper *J = &d->jumper;
  for (int i = 0; i < p->k; i++) J->size[i] = J->f[i] == 0 ? 1 : row_size(d, J, i, z);
  ritt_real before = sum_of_squares(d, J), part = 1;
  for (int j = 0; j < count; j++) z[J->free[j]] += J->y[j];
  for (int k = 0; k < HALVINGS; k++) {
    ritt_status status = p->call.f(p->data, d->work, z, J->f);
    if (status != RITT_OK && status != RITT_RETRY) return status;
    if (status == RITT_OK && sum_of_squares(d, J) < before) return RITT_OK;
    part /= 2;
    for (int j = 0; j < count; j++) z[J->free[j]] -= part * J->y[j];
  }
  return RITT_RETRY;
}

static ritt_status make_consistent(ritti_driver *d, const bool *kept, ritt_real *z) {
  const ritti_problem *p = d->problem;
  ritti_jumper *J = &d->jumper;
  ritt_real moved = INFINITY;
  if (p->k == 0) return RITT_OK;
  RITT_TRY(make_room_to_solve(J, p, d->arena));
  int mass = mass_factor(d, J, kept, z), count = 0;
  for (int i = 1; i < p->m; i++)
    if (!kept[i]) J->free[count++] = i;
  for (int i = 0; i < MOST_ITERATIONS; i++) {
    RITT_TRY(p->call.f_df(p->data, d->work, z, J->f, J->df));
    ritt_real r = jump_misfit(d, J, z);
    if (r <= 16 * RITTI_EPS || (moved <= 4 * RITTI_EPS && r < (ritt_real)1e-12)) return RITT_OK;
    if (count == 0) return RITT_RETRY;
    RITT_TRY(newton_step(d, J, count, mass, z, &moved));
    ritt_status status = add_step(d, count, z);
    if (status == RITT_RETRY && r < (ritt_real)1e-12) return RITT_OK;
    RITT_TRY(status);
  }
  return RITT_RETRY;
}

/* ---- impulses in the graph kind ---- */

/* Adds the impulses y to the velocities, and to the states of equations of first order that are not
 * kept. RITT_RETRY: they would also move something that stays. */
static ritt_status add_impulse(const ritti_driver *d, const bool *kept, const ritt_real *y,
                               ritt_real *z) {
  const ritt_real MOVES = (ritt_real)1e-9;
  const ritti_problem *p = d->problem;
  ritt_real most = 0;
  for (int i = 1; i < p->m; i++)
    if (p->next[i] < 0) most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(y[-1 - p->next[i]]));
  for (int i = 1; i < p->m; i++) {
    if (p->next[i] >= 0) continue;
    ritt_real move = y[-1 - p->next[i]];
    bool follows = p->role[i] == RITTI_ROLE_FOLLOWS && !(d->jumper.near > 0);
    bool stays = kept[i] || follows;
    if (stays && RITTI_MATH(fabs)(move) > MOVES * most) return RITT_RETRY;
    if (!stays) z[i] += move;
  }
  return RITT_OK;
}

/* *keeps = false: the impulse has changed the equations of motion, so that its result depends on how
 * forces grow while it lasts. Rates of constraints may change: the constraints hold behind it. */
static ritt_status keeps_directions(ritti_driver *d, const ritt_real *z, bool *keeps) {
  const ritti_problem *p = d->problem;
  const ritt_real *before = d->jumper.A_first, *after = d->direction.A;
  *keeps = true;
  RITT_TRY(p->call.system(p->data, d->work, z, d->direction.A, d->direction.b));
  for (int row = 0; row < p->tops; row++) {
    ritt_real most = 0, change = 0;
    bool rate = false;
    for (int i = 0; i < p->k; i++) rate = rate || p->rate_row[i] == row;
    for (int e = p->A.start[row]; e < p->A.start[row + 1]; e++) {
      most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(before[e]));
      change = RITTI_MATH(fmax)(change, RITTI_MATH(fabs)(after[e] - before[e]));
    }
    if (!rate && change > (ritt_real)1e-9 * most) *keeps = false;
  }
  return RITT_OK;
}

/* Velocities that constraints ask for, by an impulse of their reactions: A (dv, Lambda) = (0, -f), where f
 * stands in the rows of A that are the rates of rows of f. Reactions are found as they are found for
 * forces, so that no metric is needed. RITT_RETRY: this is not the way here. */
static ritt_status find_impulse(ritti_driver *d, const bool *kept, ritt_real *z) {
  enum { MOST = 10, LARGEST = 500 };
  const ritti_problem *p = d->problem;
  ritti_jumper *J = &d->jumper;
  int n = p->tops;
  if (!p->rate_row || !p->role || n > LARGEST) return RITT_RETRY;
  if (!J->A) {
    RITTI_NEW(J->A, d->arena, n * n + 1);
    RITTI_NEW(J->A_first, d->arena, (n ? p->A.start[n] : 0) + 1);
    RITTI_NEW(J->impulse, d->arena, n + 1);
    RITTI_NEW(J->pivot, d->arena, n + 1);
  }
  for (int round = 0; round < MOST; round++) {
    RITT_TRY(p->call.f_df(p->data, d->work, z, J->f, J->df));
    if (jump_misfit(d, J, z) <= 64 * RITTI_EPS) {
      bool keeps = true;
      if (round > 0 && J->near > 0) RITT_TRY(keeps_directions(d, z, &keeps));
      return keeps ? RITT_OK : RITT_RETRY;
    }
    for (int i = 0; i < n; i++) J->impulse[i] = 0;
    for (int i = 0; i < p->k; i++) {
      if (row_misfit(d, J, i, z) <= 64 * RITTI_EPS) continue;
      if (p->rate_row[i] < 0) return RITT_RETRY;
      J->impulse[p->rate_row[i]] = -J->f[i];
    }
    RITT_TRY(p->call.system(p->data, d->work, z, d->direction.A, d->direction.b));
    if (round == 0)
      memcpy(J->A_first, d->direction.A, (size_t)(n ? p->A.start[n] : 0) * sizeof *J->A_first);
    ritti_csr_to_dense(&p->A, d->direction.A, J->A);
    if (!ritti_lu_factor(n, J->A, J->pivot, NULL)) return RITT_RETRY;
    ritti_lu_solve(n, J->A, J->pivot, J->impulse);
    RITT_TRY(add_impulse(d, kept, J->impulse, z));
  }
  return RITT_RETRY;
}

void ritti_levels_take(ritti_driver *d, const ritt_real *z) {
  const ritti_problem *p = d->problem;
  ritt_real *f = d->jumper.f;
  if (p->k && p->level_of && p->call.f(p->data, d->work, z, f) == RITT_OK)
    for (int i = 0; i < p->k; i++)
      if (p->level_of[i] >= 0) d->work[p->level_at + (size_t)p->level_of[i]] += f[i];
}

/* Notes the largest move that constraints have asked for, of all jumps. */
static void note_move(ritti_driver *d, const ritt_real *assigned, const ritt_real *z) {
  for (int i = 1; i < d->problem->m; i++) {
    ritt_real move = z[i] - assigned[i];
    if (!(RITTI_MATH(fabs)(move) > RITTI_MATH(fabs)(d->count.forced.move))) continue;
    d->count.forced.move = move, d->count.forced.s = d->at.s, d->count.forced.coordinate = i;
  }
}

/* Have constraints changed what a jump assigns, by more than rounding? */
static bool was_moved(const ritti_driver *d, const ritt_real *assigned, const ritt_real *z) {
  for (int i = 1; i < d->problem->m; i++) {
    ritt_real size = d->manifold.size[i] + RITTI_MATH(fabs)(z[i]);
    if (d->problem->role && d->problem->role[i] == RITTI_ROLE_FOLLOWS) continue;
    if (RITTI_MATH(fabs)(z[i] - assigned[i]) > (ritt_real)1e-7 * size) return true;
  }
  return false;
}

bool ritti_changes_form(const ritti_driver *d, const ritt_real *z) {
  const int *form = d->problem->form;
  for (int i = 1; form && i < d->problem->m; i++)
    if (form[i] && z[i] != d->step.z[i]) return true;
  return false;
}

ritt_status ritti_jump(ritti_driver *d, int event, ritt_real *z) {
  const ritti_problem *p = d->problem;
  ritt_status status = p->call.jump(p->data, d->work, event, d->step.z, d->step.top, z);
  /* the constraints of this form hold no longer */
  if (status == RITT_OK && ritti_changes_form(d, z)) return RITT_OK;
  memcpy(d->err, z, (size_t)p->m * sizeof *z);
  if (status == RITT_OK) status = make_consistent(d, p->event[event].kept, z);
  if (status == RITT_RETRY) return ritti_stop_jump(d, event);
  RITT_TRY(status);
  note_move(d, d->err, z);
  if (p->tangents && was_moved(d, d->err, z)) return ritti_stop_tangents(d, event);
  ritti_levels_take(d, z);
  return RITT_OK;
}

/* The row without a level that is farthest from 0, relative to its terms. */
static int find_worst_row(ritti_driver *d, const ritt_real *z) {
  const ritti_problem *p = d->problem;
  const ritti_jumper *J = &d->jumper;
  int worst = -1;
  ritt_real most = 0;
  for (int i = 0; i < p->k; i++) {
    ritt_real r = row_misfit(d, J, i, z);
    if (!(r > most)) continue;
    most = r;
    worst = i;
  }
  return worst;
}

/* Says why the point `left` of the jump of an event, which changes the form of the equations, leads
 * to no point behind it: a constraint between positions does not hold, or velocities are not
 * determined. */
static ritt_status stop_form(ritti_driver *d, int event, const ritt_real *left) {
  const ritti_problem *p = d->problem;
  ritti_jumper *J = &d->jumper;
  for (int i = 0; i < p->m; i++) J->kept[i] = true;
  if (p->call.f_df(p->data, d->work, left, J->f, J->df) != RITT_OK)
    return ritti_stop_jump(d, event);
  int row = find_worst_row(d, left);
  for (int i = 0; i < p->k; i++) {
    bool positions = row_misfit(d, J, i, left) > J->near;
    for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++)
      positions = positions && p->role[p->df.col[e]] == RITTI_ROLE_STATE;
    if (positions) return ritti_stop_switch(d, i, J->f[i]);
  }
  return row < 0 ? ritti_stop_jump(d, event) : ritti_stop_velocities(d, event);
}

/* First what follows from states, then velocities, then states of equations of first order, the
 * last two by impulses. */
static ritt_status find_form_point(ritti_driver *d, const bool *kept, const ritt_real *left,
                                   ritt_real *z) {
  const ritti_problem *p = d->problem;
  ritti_jumper *J = &d->jumper;
  ritt_status status = RITT_RETRY;
  for (int least = RITTI_ROLE_FOLLOWS; least >= RITTI_ROLE_STATE && status == RITT_RETRY; least--) {
    memcpy(z, left, (size_t)p->m * sizeof *z);
    J->kept[0] = true;
    for (int i = 1; i < p->m; i++) J->kept[i] = kept[i] || p->role[i] < least;
    if (least < RITTI_ROLE_FOLLOWS) status = find_impulse(d, J->kept, z);
    if (status != RITT_RETRY || least == RITTI_ROLE_STATE) continue;
    memcpy(z, left, (size_t)p->m * sizeof *z);
    J->loose = least == RITTI_ROLE_VELOCITY;
    status = make_consistent(d, J->kept, z);
    J->loose = false;
  }
  return status;
}

ritt_status ritti_form_point(ritti_driver *d, int event, const ritt_real *left, ritt_real *z) {
  const ritti_problem *p = d->problem;
  ritti_jumper *J = &d->jumper;
  memcpy(z, left, (size_t)p->m * sizeof *z);
  if (p->k > 0) {
    if (!J->kept) return ritti_stop_jump(d, event);
    J->near = RITTI_MATH(fmax)((ritt_real)1e-10, 10 * d->options.relative[0]);
    ritt_status status = find_form_point(d, p->event[event].kept, left, z);
    if (status == RITT_RETRY) status = stop_form(d, event, left);
    J->near = 0;
    RITT_TRY(status);
  }
  note_move(d, left, z);
  ritti_levels_take(d, z);
  return RITT_OK;
}

/* ---- switches ---- */

/* Moves z to a point of M; only coordinates whose role is `least` or above move. */
static ritt_status solve_roles(ritti_driver *d, ritti_role least, ritt_real *z) {
  const ritti_problem *p = d->problem;
  memcpy(z, d->step.z, (size_t)p->m * sizeof *z);
  d->jumper.kept[0] = true;
  for (int i = 1; i < p->m; i++) d->jumper.kept[i] = p->role[i] < (int)least;
  if (least == RITTI_ROLE_VELOCITY) {
    ritt_status status = find_impulse(d, d->jumper.kept, z);
    if (status != RITT_RETRY) return status;
    memcpy(z, d->step.z, (size_t)p->m * sizeof *z);
  }
  d->jumper.loose = least == RITTI_ROLE_VELOCITY;
  ritt_status status = make_consistent(d, d->jumper.kept, z);
  d->jumper.loose = false;
  return status;
}

ritt_status ritti_switch_point(ritti_driver *d, ritt_real *z) {
  /* larger misfits are jumps of the constraints; smaller ones belong to the next projection */
  const ritt_real JUMP = (ritt_real)1e-10;
  const ritti_problem *p = d->problem;
  ritti_jumper *J = &d->jumper;
  memcpy(z, d->step.z, (size_t)p->m * sizeof *z);
  if (!J->kept || d->slide || d->passage.active) return RITT_OK;
  RITT_TRY(p->call.f_df(p->data, d->work, z, J->f, J->df));
  if (!(jump_misfit(d, J, z) > JUMP)) return RITT_OK;

  /* algebraic unknowns first, then impulses */
  ritt_status status = solve_roles(d, RITTI_ROLE_FOLLOWS, z);
  if (status == RITT_RETRY) {
    status = solve_roles(d, RITTI_ROLE_VELOCITY, z);
    if (status == RITT_OK) {
      note_move(d, d->step.z, z);
      ritti_levels_take(d, z);
    }
  }
  if (status != RITT_RETRY) return status;

  /* which constraint must jump, and by how much */
  RITT_TRY(p->call.f_df(p->data, d->work, d->step.z, J->f, J->df));
  int row = find_worst_row(d, d->step.z);
  return ritti_stop_switch(d, row, row >= 0 ? J->f[row] : 0);
}

ritt_status ritti_input_point(ritti_driver *d, ritt_real *z) {
  static const ritti_role least[] = {RITTI_ROLE_FOLLOWS, RITTI_ROLE_VELOCITY, RITTI_ROLE_STATE};
  const ritti_problem *p = d->problem;
  ritt_status status = RITT_OK;
  memcpy(z, d->step.z, (size_t)p->m * sizeof *z);
  if (!d->jumper.kept) return RITT_OK;
  for (int i = 0; i < 3; i++) {
    status = solve_roles(d, least[i], z);
    if (status != RITT_RETRY) break;
  }
  if (status == RITT_OK) ritti_levels_take(d, z);
  return status;
}

/* ---- invariants ---- */

ritt_status ritti_check_invariants_here(ritti_driver *d) {
  const ritt_real SURELY_NOT = (ritt_real)1e-6; /* of the terms */
  const ritti_problem *p = d->problem;
  ritti_jumper *J = &d->jumper;
  const ritt_real *V = d->step.V[0];
  if (!p->invariant || !J->df || d->monitors.unchecked == 0) return RITT_OK;
  d->monitors.unchecked--;
  RITT_TRY(p->call.f_df(p->data, d->work, d->step.z, J->f, J->df));
  for (int i = 0; i < p->k; i++) {
    ritt_real rate = 0, size = 0;
    if (!p->invariant[i]) continue;
    for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++) {
      ritt_real term = J->df[e] * V[p->df.col[e]];
      rate += term;
      size += RITTI_MATH(fabs)(term);
    }
    if (RITTI_MATH(fabs)(rate) > SURELY_NOT * size) return ritti_stop_invariant(d, i, rate);
  }
  return RITT_OK;
}
