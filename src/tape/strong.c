/* The strong potential of a model -> problem.strong: tapes for M, f, df/dz, grad U and H, on the
 * sides of switching surfaces that hold. eps is read from the slot of its parameter.
 */
#include <float.h>
#include "complete/strong.h"
#include "tape/eval_impl.h"

static ritt_status run_tape(const ritti_evaluator *e, const ritti_tape *tape, ritt_real *row,
                            const ritt_real *z, ritt_real *out) {
  bool finite = true;
  memcpy(row, z, (size_t)e->reduced->m * sizeof *row);
  ritti_tape_execute(tape, row);
  for (size_t i = 0; i < tape->results; i++) {
    out[i] = row[tape->result[i]];
    finite &= RITTI_MATH(fabs)(out[i]) <= DBL_MAX;
  }
  return finite ? RITT_OK : RITT_RETRY;
}

#define FUNCTION(name, tape)                                                                       \
  static ritt_status eval_##name(const void *data, ritt_real *work, const ritt_real *z,            \
                                 ritt_real *out) {                                                 \
    const ritti_evaluator *e = data;                                                               \
    return run_tape(e, &e->strong.tape, work, z, out);                                             \
  }
FUNCTION(mass, mass)
FUNCTION(force, force)
FUNCTION(force_dz, force_dz)
FUNCTION(gradient, gradient)
FUNCTION(hessian, hessian)
#undef FUNCTION

static ritt_real eval_eps(const void *data, const ritt_real *work) {
  const ritti_evaluator *e = data;
  return e->strong.limit ? 0 : work[e->strong.eps];
}

/* Records expressions on the sides given. */
static ritt_status record_tape(ritti_evaluator *e, ritti_arena *arena, const ritti_expr *root,
                               size_t count, ritti_tape *tape) {
  ritti_expr *sided = (ritti_expr *)root;
  RITT_TRY(ritti_one_side(e->reduced, arena, count, &sided));
  return ritti_tape_record(e->layout, arena, sided, count, tape);
}

static ritt_status record_slopes(ritti_evaluator *e, ritti_arena *arena,
                                 const ritti_strong_system *S, ritti_derivatives *d,
                                 ritti_pattern *pattern) {
  ritti_expr *sided = S->force;
  int m = e->reduced->m, *start, *col;
  RITT_TRY(ritti_one_side(e->reduced, arena, (size_t)S->n, &sided));
  RITTI_NEW(start, arena, S->n + 1);
  for (int i = 0; i < S->n; i++) {
    RITT_TRY(ritti_derivative_row(e->reduced, e->layout, sided[i], m - 1, d));
    start[i + 1] = (int)d->col.count;
  }
  RITTI_NEW(col, arena, d->col.count + 1);
  if (d->col.count) memcpy(col, d->col.at, d->col.count * sizeof *col);
  *pattern = (ritti_pattern){S->n, m, start, col};
  return ritti_tape_record(e->layout, arena, d->entry.at, d->entry.count, &e->strong.force_dz);
}

ritt_status ritti_strong_make(ritti_evaluator *e, ritti_arena *arena, ritti_problem *p) {
  const ritti_strong_system *S = e->reduced->strong;
  ritti_dag *dag = e->reduced->model->dag;
  ritti_derivatives d = {0};
  ritti_strong *out;
  int *position, *velocity;
  RITTI_NEW(out, arena, 1);
  RITTI_NEW_ARRAYS(arena, S->n, position, velocity);
  for (int i = 0; i < S->n; i++) {
    uint32_t y = ritti_layout_slot(e->layout, ritti_jet(dag, i, 0));
    uint32_t v = ritti_layout_slot(e->layout, ritti_jet(dag, i, 1)), m = (uint32_t)e->reduced->m;
    if (y >= m || v >= m) return RITT_WRONG_CALL;
    position[i] = (int)y, velocity[i] = (int)v;
  }
  e->strong.eps = ritti_layout_slot(e->layout, ritti_parameter(dag, S->model->strong_parameter));
  e->strong.limit = S->model->limit != NULL;
  *out = (ritti_strong){.n = S->n,
                        .m = S->m,
                        .position = position,
                        .velocity = velocity,
                        .column = S->column,
                        .row = S->column,
                        .M = S->M.pattern,
                        .H = S->H.pattern,
                        .eps = eval_eps,
                        .mass = eval_mass,
                        .force = eval_force,
                        .force_dz = eval_force_dz,
                        .gradient = eval_gradient,
                        .hessian = eval_hessian};
  RITT_TRY(record_tape(e, arena, S->M.entry, ritti_entries(&S->M.pattern), &e->strong.mass));
  RITT_TRY(record_tape(e, arena, S->force, (size_t)S->n, &e->strong.force));
  RITT_TRY(record_tape(e, arena, S->gradient, (size_t)S->n, &e->strong.gradient));
  RITT_TRY(record_tape(e, arena, S->H.entry, ritti_entries(&S->H.pattern), &e->strong.hessian));
  ritt_status status = record_slopes(e, arena, S, &d, &out->df);
  RITTI_ARRAY_FREE(d.entry);
  RITTI_ARRAY_FREE(d.col);
  p->strong = out;
  return status;
}
