/* Jumps: the point after an event, or after a switch of the equations.
 *
 * In: the point before, the coordinates that the event assigns. Out: a point of M. What the event assigns
 * stays, and what is of lower order. The rest moves in three parts:
 *
 *  - rows of f that hold neither velocities that impulses can change nor unknowns that follow from others:
 *    constraints between positions. Positions move as little as these demand, if an event says that they
 *    jump;
 *  - rows with such velocities: they change by impulses (impulse.c);
 *  - rows with unknowns that follow from others: these are solved for again.
 *
 * Invariants that took their value from the start take their new one.
 */
#include "drive/driver_impl.h"

enum { MOST_ITERATIONS = 100 };

/* Memory for solving: dense, of the size of df. */
static ritt_status make_room_to_solve(ritti_jumper *J, const ritti_problem *p, ritti_arena *arena) {
  size_t k = (size_t)p->k, m = (size_t)p->m;
  if (J->B) return RITT_OK;
  RITTI_NEW(J->y, arena, m + k);
  RITTI_NEW(J->size, arena, k + 1);
  RITTI_NEW(J->free, arena, m);
  RITTI_NEW(J->scratch, arena, ritti_least_norm_scratch(p->k, p->m) + 1);
  RITTI_NEW(J->iscratch, arena, k + m + 1);
  RITTI_NEW(J->B, arena, k * m + 1);
  return RITT_OK;
}

/* The room to solve is made when the first jump needs it. */
ritt_status ritti_jumper_init(ritti_jumper *J, const ritti_problem *p, ritti_arena *arena) {
  bool jumps = p->role && p->k > 0;
  size_t k = (size_t)p->k, m = (size_t)p->m;
  if (jumps || p->level_of) RITTI_NEW(J->f, arena, k + 1);
  if (!jumps) return RITT_OK;
  RITTI_NEW(J->df, arena, (size_t)p->df.start[p->k] + 1);
  RITTI_NEW(J->kept, arena, m);
  RITTI_NEW(J->rows, arena, k);
  return RITT_OK;
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

ritt_real ritti_row_misfit(const ritti_driver *d, int i, const ritt_real *z) {
  const ritti_problem *p = d->problem;
  const ritti_jumper *J = &d->jumper;
  ritt_real r = RITTI_MATH(fabs)(J->f[i]);
  if ((p->level_of && p->level_of[i] >= 0) || r == 0) return 0;
  ritt_real size = row_size(d, J, i, z);
  return size > 0 ? r / size : INFINITY;
}

/* The largest of the rows J->rows, or of all, relative to its terms. */
static ritt_real find_misfit(const ritti_driver *d, const bool *rows, const ritt_real *z) {
  ritt_real worst = 0;
  for (int i = 0; i < d->problem->k; i++) {
    ritt_real r = rows && !rows[i] ? 0 : ritti_row_misfit(d, i, z);
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

/* ---- the least change ---- */

/* One step of Gauss and Newton on the rows J->rows, for the free coordinates, into J->y. *moved = the
 * largest change. */
static ritt_status newton_step(ritti_driver *d, ritti_jumper *J, int count, const ritt_real *z,
                               ritt_real *moved) {
  const ritti_problem *p = d->problem;
  int rows = 0;
  ritt_real *B = J->B, *r = J->y + p->m;
  for (int i = 0; i < p->k; i++) {
    if (!J->rows[i]) continue;
    ritt_real *row = B + rows * count;
    for (int j = 0; j < count; j++) row[j] = 0;
    for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++)
      for (int j = 0; j < count; j++)
        if (J->free[j] == p->df.col[e]) row[j] = J->df[e];
    r[rows++] = -J->f[i];
  }
  int rank = ritti_least_norm(rows, count, B, r, (ritt_real)1e-11, J->y, J->scratch, J->iscratch);
  if (rank < 0) return RITT_RETRY;
  *moved = 0;
  for (int j = 0; j < count; j++) {
    ritt_real size = 1 + RITTI_MATH(fabs)(z[J->free[j]] + J->y[j]);
    *moved = RITTI_MATH(fmax)(*moved, RITTI_MATH(fabs)(J->y[j]) / size);
  }
  return RITT_OK;
}

/* The sum of the squares of the rows J->rows, in units of J->size. */
static ritt_real sum_of_squares(const ritti_driver *d, const ritti_jumper *J) {
  ritt_real sum = 0;
  for (int i = 0; i < d->problem->k; i++) {
    ritt_real part = J->f[i] / J->size[i];
    if (J->rows[i]) sum += part * part;
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

/* Moves the coordinates that are not in J->kept until the rows J->rows hold. */
static ritt_status move_least(ritti_driver *d, ritt_real *z) {
  const ritti_problem *p = d->problem;
  ritti_jumper *J = &d->jumper;
  ritt_real moved = INFINITY;
  int count = 0;
  RITT_TRY(make_room_to_solve(J, p, d->arena));
  for (int i = 1; i < p->m; i++)
    if (!J->kept[i]) J->free[count++] = i;
  for (int i = 0; i < MOST_ITERATIONS; i++) {
    RITT_TRY(p->call.f_df(p->data, d->work, z, J->f, J->df));
    ritt_real r = find_misfit(d, J->rows, z);
    if (r <= 16 * RITTI_EPS || (moved <= 4 * RITTI_EPS && r < (ritt_real)1e-12)) return RITT_OK;
    if (count == 0) return RITT_RETRY;
    RITT_TRY(newton_step(d, J, count, z, &moved));
    ritt_status status = add_step(d, count, z);
    if (status == RITT_RETRY && r < (ritt_real)1e-12) return RITT_OK;
    RITT_TRY(status);
  }
  return RITT_RETRY;
}

/* ---- the three parts ---- */

typedef enum part { POSITIONS, VELOCITIES, FOLLOWERS, PARTS } part;

/* What a jump assigns and keeps, and how far from 0 rows may stay that nothing can change. */
typedef struct jump {
  const bool *kept, *assigned; /* NULL: nothing */
  const ritt_real *top;        /* before */
  ritt_real near;
  bool moves_positions;
} jump;

/* The part in which coordinate i moves. */
static part part_of(const ritti_driver *d, const jump *j, int i) {
  if (d->problem->role[i] == RITTI_ROLE_FOLLOWS) return FOLLOWERS;
  return ritti_impulse_moves(d, j->assigned, i) ? VELOCITIES : POSITIONS;
}

/* Lists the rows of f that one part has to satisfy: the last part in which one of their coordinates
 * moves. */
static void list_rows(ritti_driver *d, const jump *j, part wanted) {
  const ritti_problem *p = d->problem;
  for (int i = 0; i < p->k; i++) {
    part last = POSITIONS;
    for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++) {
      int c = p->df.col[e];
      if (c == 0 || d->jumper.df[e] == 0 || (j->assigned && j->assigned[c])) continue;
      part here = part_of(d, j, c);
      if (here > last) last = here;
    }
    d->jumper.rows[i] = last == wanted && !(p->level_of && p->level_of[i] >= 0);
  }
}

/* The last two parts together: hidden constraints may be written in unknowns that follow from others. */
static ritt_status move_both(ritti_driver *d, const jump *j, ritt_real *z) {
  const ritti_problem *p = d->problem;
  ritti_jumper *J = &d->jumper;
  RITT_TRY(p->call.f_df(p->data, d->work, z, J->f, J->df));
  list_rows(d, j, POSITIONS);
  for (int i = 0; i < p->k; i++) J->rows[i] = !J->rows[i] && !(p->level_of && p->level_of[i] >= 0);
  return ritti_impulse_find(d, J->rows, j->assigned, true, j->top, z);
}

/* One part. Rows that cannot hold are left alone if they are near 0. */
static ritt_status move_part(ritti_driver *d, const jump *j, part now, ritt_real *z) {
  const ritti_problem *p = d->problem;
  ritti_jumper *J = &d->jumper;
  ritt_status status = RITT_RETRY;
  RITT_TRY(p->call.f_df(p->data, d->work, z, J->f, J->df));
  list_rows(d, j, now);
  ritt_real misfit = find_misfit(d, J->rows, z);
  if (misfit <= 16 * RITTI_EPS) return RITT_OK;
  memcpy(d->err3, z, (size_t)p->m * sizeof *z);
  if (now == VELOCITIES) {
    status = ritti_impulse_find(d, J->rows, j->assigned, false, j->top, z);
  } else if (now == FOLLOWERS || j->moves_positions) {
    for (int i = 0; i < p->m; i++) {
      bool stays = j->kept ? j->kept[i] : i == 0;
      J->kept[i] = stays || part_of(d, j, i) != now;
    }
    status = move_least(d, z);
  }
  if (status != RITT_RETRY) return status;
  memcpy(z, d->err3, (size_t)p->m * sizeof *z);
  if (now == FOLLOWERS && misfit > j->near) return move_both(d, j, z);
  return misfit <= j->near ? RITT_OK : RITT_RETRY;
}

/* Moves z to a point of M. */
static ritt_status move_to_manifold(ritti_driver *d, const jump *j, ritt_real *z) {
  if (d->problem->k == 0) return RITT_OK;
  RITT_TRY(ritti_impulse_prepare(d, z, j->top));
  for (int now = POSITIONS; now < PARTS; now++) RITT_TRY(move_part(d, j, (part)now, z));
  return RITT_OK;
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

/* Says why the point of the jump of an event, moved as far as possible to z, leads to no point of M. */
static ritt_status stop_jump(ritti_driver *d, int event, const ritt_real *z) {
  const ritti_problem *p = d->problem;
  const ritti_event *def = &p->event[event];
  ritti_jumper *J = &d->jumper;
  jump j = {.kept = def->kept, .assigned = def->assigned};
  if (!J->kept || p->call.f_df(p->data, d->work, z, J->f, J->df) != RITT_OK)
    return ritti_stop_jump(d, event);
  list_rows(d, &j, VELOCITIES);
  return find_misfit(d, J->rows, z) > (ritt_real)1e-12 ? ritti_stop_velocities(d, event)
                                                       : ritti_stop_jump(d, event);
}

ritt_status ritti_jump(ritti_driver *d, int event, ritt_real *z) {
  const ritti_problem *p = d->problem;
  const ritti_event *def = &p->event[event];
  jump j = {def->kept, def->assigned, d->step.top, (ritt_real)1e-12, true};
  ritt_status status = p->call.jump(p->data, d->work, event, d->step.z, d->step.top, z);
  /* the constraints of this form hold no longer */
  if (status == RITT_OK && ritti_changes_form(d, z)) return RITT_OK;
  memcpy(d->err, z, (size_t)p->m * sizeof *z);
  if (status == RITT_OK) status = move_to_manifold(d, &j, z);
  if (status == RITT_RETRY) return stop_jump(d, event, z);
  RITT_TRY(status);
  note_move(d, d->err, z);
  if (p->tangents && was_moved(d, d->err, z)) return ritti_stop_tangents(d, event);
  ritti_levels_take(d, z);
  return RITT_OK;
}

/* The row without a level that is farthest from 0, relative to its terms. */
static int find_worst_row(ritti_driver *d, const ritt_real *z) {
  int worst = -1;
  ritt_real most = 0;
  for (int i = 0; i < d->problem->k; i++) {
    ritt_real r = ritti_row_misfit(d, i, z);
    if (!(r > most)) continue;
    most = r;
    worst = i;
  }
  return worst;
}

/* Says why the point `left` of the jump of an event, which changes the form of the equations, leads
 * to no point behind it: a constraint between positions does not hold, or velocities are not
 * determined. */
static ritt_status stop_form(ritti_driver *d, int event, const jump *j, const ritt_real *left) {
  const ritti_problem *p = d->problem;
  ritti_jumper *J = &d->jumper;
  if (p->call.f_df(p->data, d->work, left, J->f, J->df) != RITT_OK)
    return ritti_stop_jump(d, event);
  for (int i = 0; i < p->k; i++) {
    bool positions = ritti_row_misfit(d, i, left) > j->near;
    for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++)
      positions = positions && p->role[p->df.col[e]] == RITTI_ROLE_STATE;
    if (positions) return ritti_stop_switch(d, i, J->f[i]);
  }
  return find_worst_row(d, left) < 0 ? ritti_stop_jump(d, event) : ritti_stop_velocities(d, event);
}

ritt_status ritti_form_point(ritti_driver *d, int event, const ritt_real *left, ritt_real *z) {
  const ritti_problem *p = d->problem;
  const ritti_event *def = &p->event[event];
  memcpy(z, left, (size_t)p->m * sizeof *z);
  if (p->k > 0) {
    if (!d->jumper.kept) return ritti_stop_jump(d, event);
    /* the highest derivatives are not known yet */
    for (int i = 0; i < p->tops; i++) d->row_top[i] = p->top_start ? (ritt_real)p->top_start[i] : 0;
    jump j = {def->kept, def->assigned, d->row_top,
              RITTI_MATH(fmax)((ritt_real)1e-10, 10 * d->options.relative[0]), false};
    ritt_status status = move_to_manifold(d, &j, z);
    if (status == RITT_RETRY) status = stop_form(d, event, &j, left);
    RITT_TRY(status);
  }
  note_move(d, left, z);
  ritti_levels_take(d, z);
  return RITT_OK;
}

/* ---- switches ---- */

ritt_status ritti_switch_point(ritti_driver *d, ritt_real *z) {
  /* larger misfits are jumps of the constraints; smaller ones belong to the next projection */
  const ritt_real JUMP = (ritt_real)1e-10;
  const ritti_problem *p = d->problem;
  ritti_jumper *J = &d->jumper;
  memcpy(z, d->step.z, (size_t)p->m * sizeof *z);
  if (!J->kept || d->slide || d->passage.active) return RITT_OK;
  RITT_TRY(p->call.f_df(p->data, d->work, z, J->f, J->df));
  if (!(find_misfit(d, NULL, z) > JUMP)) return RITT_OK;
  jump j = {.top = d->step.top, .near = JUMP};
  ritt_status status = move_to_manifold(d, &j, z);
  if (status == RITT_OK) {
    note_move(d, d->step.z, z);
    ritti_levels_take(d, z);
  }
  if (status != RITT_RETRY) return status;

  /* which constraint must jump, and by how much */
  RITT_TRY(p->call.f_df(p->data, d->work, d->step.z, J->f, J->df));
  int row = find_worst_row(d, d->step.z);
  return ritti_stop_switch(d, row, row >= 0 ? J->f[row] : 0);
}

ritt_status ritti_input_point(ritti_driver *d, ritt_real *z) {
  const ritti_problem *p = d->problem;
  memcpy(z, d->step.z, (size_t)p->m * sizeof *z);
  if (!d->jumper.kept) return RITT_OK;
  jump j = {.top = d->step.top, .near = (ritt_real)1e-12, .moves_positions = true};
  RITT_TRY(move_to_manifold(d, &j, z));
  ritti_levels_take(d, z);
  return RITT_OK;
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
