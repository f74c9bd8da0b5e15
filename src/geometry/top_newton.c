/* The tops of the implicit kind: T(z, w) = 0, solved for w stage by stage and block by block.
 *
 * In: a point z, and D->top, the tops of the point before, from which the iteration begins. Out: the
 * tops at z to rounding. Each block is solved by a damped Newton iteration with the natural
 * monotonicity test (P. Deuflhard, Newton Methods for Nonlinear Problems, 2004): a step is accepted
 * if the next correction, computed with the same derivatives, is smaller. This test does not depend
 * on the units of the equations. A step that would raise an exponent by more than LIMIT is shortened
 * first, as circuit simulators do. The iteration ends if T is below the rounding errors of its terms
 * or if a correction is so small that the next one is below rounding.
 *
 * At a start and behind a switch w may be far from w0, the tops before. If the corrections from w0 do not
 * shrink fast, T(z, w) = (1 - s) T(z, w0) is followed from s = 0, where w0 solves it, to s = 1 (top_follow.c);
 * large blocks are followed in steps of s, and only if the iteration fails.
 */
#include "geometry/top_follow.h"

enum { MOST_ROUNDS = 200, MOST_ITERATIONS = 60, MOST_FULL = 64 };
#define LIMIT ((ritt_real)8)

typedef enum phase { FRESH, TRIAL, FOUND } phase;

/* The iteration of one block. */
typedef struct block_newton {
  ritti_pattern pattern;
  bool is_linear;      /* T is linear in the tops of the block */
  ritti_linear linear; /* blocks of more than one top */
  ritti_full_lu full;  /* blocks of a few tops whose matrix is singular to rounding */
  bool is_noisy;       /* it is: `full` holds the factors */
  ritt_real pivot;     /* blocks of one top: dT */
  phase phase;
  int iterations;
  bool sure;                 /* the corrections shrink so fast that no other solution is as near */
  int sign;                  /* of det dT; 0: not factored at this point */
  ritt_real volume;          /* log2 |det dT| where the sign was found last; NAN: unknown */
  ritt_real damping, change; /* of the last correction, relative to the sizes of the tops */
} block_newton;

struct ritti_top_newton {
  block_newton **block;                 /* of each stage */
  ritt_real *out;                       /* values of a stage */
  ritt_real *base, *step, *size, *next; /* tops: where an iteration stands, its correction, ... */
  ritt_real *exponent;                  /* at the base */
  ritt_real homotopy;                   /* 1 - s; 0: none */
  ritt_real *first, *kept, *begin;      /* tops: T(z, w0); w at the last s; w0 */
  ritti_follower follower;
  ritti_trouble trouble;
};

ritt_status ritti_top_newton_init(ritti_direction *D, ritti_algebra algebra, ritti_arena *arena) {
  const ritti_problem *p = D->problem;
  struct ritti_top_newton *N;
  size_t most = 1, exponents = 1;
  int largest = 0; /* nonlinear block that can be followed */
  RITTI_NEW(N, arena, 1);
  RITTI_NEW(N->block, arena, p->top_stages + 1);
  for (int s = 0; s < p->top_stages; s++) {
    const ritti_top_stage *S = &p->top_stage[s];
    size_t results = S->formula
                         ? (size_t)S->count
                         : 2 * (size_t)S->count + ritti_entries(&S->dT) + (size_t)S->exponents;
    if (results > most) most = results;
    if ((size_t)S->exponents > exponents) exponents = (size_t)S->exponents;
    if (S->formula) continue;
    RITTI_NEW(N->block[s], arena, S->blocks + 1);
    for (int b = 0; b < S->blocks; b++) {
      block_newton *B = &N->block[s][b];
      int n = S->block[b + 1] - S->block[b];
      B->is_linear = S->linear[b];
      if (!B->is_linear && n <= MOST_FULL && n > largest) largest = n;
      B->pattern = (ritti_pattern){n, n, S->dT.start + S->block[b], S->dT.col};
      if (n > 1)
        RITT_TRY(ritti_linear_init(&B->linear, RITTI_GENERAL, &B->pattern, 0, algebra, arena));
      if (n > 1 && n <= MOST_FULL) RITT_TRY(ritti_full_lu_init(&B->full, n, arena));
    }
  }
  RITTI_NEW(N->out, arena, most + 1);
  RITTI_NEW(N->exponent, arena, exponents + 1);
  RITTI_NEW(N->base, arena, p->tops + 1);
  RITTI_NEW(N->step, arena, p->tops + 1);
  RITTI_NEW(N->size, arena, p->tops + 1);
  RITTI_NEW(N->next, arena, p->tops + 1);
  RITTI_NEW(N->first, arena, p->tops + 1);
  RITTI_NEW(N->kept, arena, p->tops + 1);
  RITTI_NEW(N->begin, arena, p->tops + 1);
  if (largest > 0) RITT_TRY(ritti_follower_init(&N->follower, largest, arena));
  D->newton = N;
  return RITT_OK;
}

/* ---- one block ---- */

/* One block of a stage, and the values of the stage at the present tops. */
typedef struct view {
  struct ritti_top_newton *N;
  const ritti_top_stage *S;
  block_newton *B;
  int first, n;                        /* its places */
  ritt_real *T, *size, *dT;            /* dT: that of the whole stage */
  ritt_real *exponent, *base_exponent; /* here and at the base */
  int exponents;
  ritt_real *top; /* all tops */
} view;

static ritt_real *top_at(const view *v, int i) { return &v->top[v->S->top[v->first + i]]; }

static bool is_finite_here(const view *v) {
  int from = v->B->pattern.start[0], to = v->B->pattern.start[v->n];
  return ritti_are_finite((size_t)v->n, v->T) &&
         ritti_are_finite((size_t)(to - from), v->dT + from);
}

/* Is T below the rounding errors of its terms? */
static bool is_rounding(const view *v, ritt_real factor) {
  for (int i = 0; i < v->n; i++)
    if (!(RITTI_MATH(fabs)(v->T[i]) <= factor * RITTI_EPS * v->size[i])) return false;
  return true;
}

/* Is det dT so small against the rows that its sign is rounding? */
static bool sign_is_noise(const view *v) {
  const ritti_pattern *p = &v->B->pattern;
  ritt_real bound = 0;
  if (v->n == 1) return false;
  for (int i = 0; i < v->n; i++) {
    ritt_real most = 0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(v->dT[e]));
    bound += RITTI_MATH(log2)(most);
  }
  return ritti_linear_log2(&v->B->linear) < bound + RITTI_MATH(log2)(16 * RITTI_EPS);
}

/* Sizes of the tops of the block: their values; for smaller ones the change that changes a row by its
 * terms, up to the largest value, or correction, in the block. */
static void measure_tops(const view *v) {
  const ritti_pattern *p = &v->B->pattern;
  ritt_real *size = v->N->size + v->first, most = 0, longest = 0;
  for (int i = 0; i < v->n; i++) {
    size[i] = 0;
    most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(*top_at(v, i)));
    longest = RITTI_MATH(fmax)(longest, RITTI_MATH(fabs)(v->N->step[v->first + i]));
  }
  if (most == 0) most = longest;
  for (int i = 0; i < v->n; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      ritt_real *s = &size[p->col[e]], here = v->size[i] / RITTI_MATH(fabs)(v->dT[e]);
      if (here > *s) *s = here;
    }
  for (int i = 0; i < v->n; i++)
    size[i] = RITTI_MATH(fmax)(RITTI_MATH(fabs)(*top_at(v, i)), RITTI_MATH(fmin)(size[i], most));
}

/* If the matrix is singular to rounding, as between blocking diodes, combinations of the tops that
 * change no row by more than rounding keep their values. */
static bool factor_block(const view *v) {
  block_newton *B = v->B;
  B->is_noisy = false;
  if (v->n == 1) {
    B->pivot = v->dT[B->pattern.start[0]];
    B->sign = B->pivot < 0 ? -1 : 1;
    return B->pivot != 0;
  }
  bool factored = ritti_linear_factor(&B->linear, v->dT, NULL);
  B->sign = B->linear.sign;
  if (factored && !sign_is_noise(v)) return true;
  if (B->full.n == 0) return factored;

  measure_tops(v);
  for (int i = 0; i < v->n; i++) {
    ritt_real size = v->N->size[v->first + i];
    B->full.col_size[i] = size > 0 ? size : 1;
    B->full.row_size[i] = v->size[i] > 0 ? v->size[i] : 1;
  }
  B->is_noisy = ritti_full_lu_factor_for(&B->full, &B->pattern, v->dT, v->T) && B->full.rank > 0;
  return B->is_noisy;
}

/* x := -dT^-1 T with the last factors */
static bool solve_block(const view *v, ritt_real *x) {
  for (int i = 0; i < v->n; i++) x[i] = -v->T[i];
  if (v->B->is_noisy) ritti_full_lu_solve(&v->B->full, x);
  else if (v->n > 1) ritti_linear_solve(&v->B->linear, x);
  else x[0] /= v->B->pivot;
  return ritti_are_finite((size_t)v->n, x);
}

static ritt_real norm_of(const view *v, const ritt_real *x) {
  const ritt_real *size = v->N->size + v->first;
  ritt_real most = 0;
  for (int i = 0; i < v->n; i++) {
    ritt_real part = x[i] == 0 ? 0 : RITTI_MATH(fabs)(x[i]) / size[i];
    if (!(part <= most)) most = part;
  }
  return most;
}

static void put_trial(const view *v) {
  const struct ritti_top_newton *N = v->N;
  for (int i = 0; i < v->n; i++)
    *top_at(v, i) = N->base[v->first + i] + v->B->damping * N->step[v->first + i];
}

/* The part of the correction that raises no exponent by more than LIMIT beyond its value at the base,
 * or beyond 0. An exponent that would rise by more rises by the logarithm of that. */
static ritt_real limit_exponents(const view *v) {
  ritt_real least = 1;
  for (int i = 0; i < v->exponents; i++) {
    ritt_real base = v->base_exponent[i], from = RITTI_MATH(fmax)(base, 0);
    ritt_real rise = v->exponent[i] - from;
    if (!(rise > LIMIT && rise < INFINITY)) continue;
    ritt_real most = from + RITTI_MATH(fmax)(LIMIT / 2, RITTI_MATH(log)(1 + rise));
    least = RITTI_MATH(fmin)(least, (most - base) / (v->exponent[i] - base));
  }
  return least;
}

/* Shortens the correction and tries again; false: it is too short already. */
static bool shorten(const view *v, ritt_real factor) {
  v->B->damping *= factor;
  if (!(v->B->damping > (ritt_real)1e-12)) return false;
  put_trial(v);
  return true;
}

/* Looks at a trial: *accepted, or a shorter one is tried. false: none is left. */
static bool examine_trial(const view *v, bool *accepted) {
  block_newton *B = v->B;
  struct ritti_top_newton *N = v->N;
  ritt_real part = limit_exponents(v), *next = N->next + v->first;
  *accepted = false;
  if (part < 1 || !is_finite_here(v)) B->sure = false;
  if (part < 1) return shorten(v, part);
  if (!is_finite_here(v) || !solve_block(v, next)) return shorten(v, (ritt_real)0.25);

  ritt_real after = norm_of(v, next), lambda = B->damping;
  B->sure = B->sure && lambda == 1 && after <= B->change / 4;
  bool noise = B->change < 1000 * RITTI_EPS || is_rounding(v, 64);
  *accepted = after <= (1 - lambda / 4) * B->change || noise;
  if (*accepted) return true;
  for (int i = 0; i < v->n; i++) next[i] -= (1 - lambda) * N->step[v->first + i];
  ritt_real best = lambda * B->change / (2 * norm_of(v, next));
  return shorten(v, RITTI_MATH(fmin)((ritt_real)0.5, RITTI_MATH(fmax)((ritt_real)0.1, best)));
}

/* A correction from where the block stands now. false: there is none. */
static bool correct_block(const view *v) {
  block_newton *B = v->B;
  struct ritti_top_newton *N = v->N;
  ritt_real *step = N->step + v->first;
  /* enough: the next correction would be about the square of this one */
  static const double POWER = 0.625;
  if (is_rounding(v, 4)) {
    B->phase = FOUND;
    return true;
  }
  if (B->iterations++ == MOST_ITERATIONS || !factor_block(v) || !solve_block(v, step)) {
    N->trouble = RITTI_SINGULAR_TOP;
    return false;
  }
  measure_tops(v);
  B->change = norm_of(v, step);
  for (int i = 0; i < v->n; i++) N->base[v->first + i] = *top_at(v, i);
  for (int i = 0; i < v->exponents; i++) v->base_exponent[i] = v->exponent[i];
  B->damping = B->iterations == 1 ? 1 : RITTI_MATH(fmin)(1, 4 * B->damping);
  bool small = B->change <= RITTI_MATH(pow)(RITTI_EPS, (ritt_real)POWER);
  B->phase = small || B->is_linear ? FOUND : TRIAL;
  if (B->phase == FOUND) B->damping = 1;
  put_trial(v);
  return true;
}

/* Takes the values of a block one step further. false: it cannot be solved. */
static bool advance_block(const view *v) {
  block_newton *B = v->B;
  if (B->phase == TRIAL) {
    bool accepted;
    if (!examine_trial(v, &accepted)) {
      v->N->trouble = RITTI_NO_TOPS;
      return false;
    }
    if (!accepted) return true;
  } else if (!is_finite_here(v)) {
    v->N->trouble = RITTI_NO_VALUE;
    return false;
  }
  return correct_block(v);
}

/* ---- one stage ---- */

static ritt_status take_formulas(ritti_direction *D, int s, const ritt_real *z) {
  const ritti_problem *p = D->problem;
  const ritti_top_stage *S = &p->top_stage[s];
  struct ritti_top_newton *N = D->newton;
  RITT_TRY(p->call.top_stage(p->data, D->work, s, z, D->top, N->out));
  for (int i = 0; i < S->count; i++) D->top[S->top[i]] = N->out[i];
  N->trouble = RITTI_NO_VALUE;
  return ritti_are_finite((size_t)S->count, N->out) ? RITT_OK : RITT_RETRY;
}

/* Block b of stage s, whose values were evaluated last. */
static view view_block(ritti_direction *D, int s, int b) {
  const ritti_top_stage *S = &D->problem->top_stage[s];
  struct ritti_top_newton *N = D->newton;
  ritt_real *dT = N->out + 2 * S->count, *exponent = dT + ritti_entries(&S->dT);
  return (view){.N = N,
                .S = S,
                .B = &N->block[s][b],
                .first = S->block[b],
                .n = S->block[b + 1] - S->block[b],
                .T = N->out + S->block[b],
                .size = N->out + S->count + S->block[b],
                .dT = dT,
                .exponent = exponent + S->exponent[b],
                .base_exponent = N->exponent + S->exponent[b],
                .exponents = S->exponent[b + 1] - S->exponent[b],
                .top = D->top};
}

/* All blocks of a stage, each as far as it has come at the same evaluation. */
static ritt_status solve_stage(ritti_direction *D, int s, const ritt_real *z) {
  const ritti_problem *p = D->problem;
  const ritti_top_stage *S = &p->top_stage[s];
  struct ritti_top_newton *N = D->newton;
  for (int b = 0; b < S->blocks; b++) {
    N->block[s][b].phase = FRESH;
    N->block[s][b].iterations = N->block[s][b].sign = 0;
    N->block[s][b].sure = true;
  }
  for (int round = 0; round < MOST_ROUNDS; round++) {
    bool busy = false;
    RITT_TRY(p->call.top_stage(p->data, D->work, s, z, D->top, N->out));
    for (int i = 0; N->homotopy && i < S->count; i++)
      N->out[i] -= N->homotopy * N->first[S->top[i]];
    for (int b = 0; b < S->blocks; b++) {
      if (N->block[s][b].phase == FOUND) continue;
      view v = view_block(D, s, b);
      if (!advance_block(&v)) return RITT_RETRY;
      busy = busy || v.B->phase != FOUND;
    }
    if (!busy) return RITT_OK;
  }
  N->trouble = RITTI_NO_TOPS;
  return RITT_RETRY;
}

/* Is dT of a block singular at the present tops? */
static bool is_singular_here(ritti_direction *D, int s, const ritt_real *z) {
  const ritti_problem *p = D->problem;
  if (p->call.top_stage(p->data, D->work, s, z, D->top, D->newton->out) != RITT_OK) return false;
  for (int b = 0; b < p->top_stage[s].blocks; b++) {
    view v = view_block(D, s, b);
    if (v.B->is_linear || !is_finite_here(&v)) continue;
    if (!factor_block(&v) || v.B->is_noisy) return true;
  }
  return false;
}

/* Solves a stage from tops beside those at which dT is singular: p = k*q*abs(q) has no correction at
 * q = 0. Tops on both sides must lead to the same solution. The tops to begin with are in N->begin. */
static ritt_status solve_from_beside(ritti_direction *D, int s, const ritt_real *z) {
  static const double SAME = 1e-6;
  const ritti_problem *p = D->problem;
  const ritti_top_stage *S = &p->top_stage[s];
  struct ritti_top_newton *N = D->newton;
  ritti_trouble trouble = N->trouble;
  bool same = true;
  size_t bytes = (size_t)p->tops * sizeof *D->top;
  memcpy(D->top, N->begin, bytes);
  if (!is_singular_here(D, s, z)) return RITT_RETRY;

  for (int side = 0; side < 2 && same; side++) {
    memcpy(D->top, N->begin, bytes);
    for (int i = 0; i < S->count; i++) {
      ritt_real far = RITTI_MATH(fmax)(1, RITTI_MATH(fabs)(D->top[S->top[i]]));
      D->top[S->top[i]] += side ? -far : far;
    }
    ritt_status status = solve_stage(D, s, z);
    if (status != RITT_OK) {
      N->trouble = trouble;
      return status;
    }
    for (int i = 0; i < S->count && side; i++) {
      ritt_real a = D->top[S->top[i]], b = N->kept[S->top[i]];
      ritt_real size = RITTI_MATH(fmax)(RITTI_MATH(fabs)(a), RITTI_MATH(fabs)(b));
      same = same && RITTI_MATH(fabs)(a - b) <= (ritt_real)SAME * size;
    }
    memcpy(N->kept, D->top, bytes);
  }
  return same ? RITT_OK : RITT_RETRY;
}

ritt_status ritti_top_newton(ritti_direction *D, const ritt_real *z) {
  const ritti_problem *p = D->problem;
  struct ritti_top_newton *N = D->newton;
  ritt_status status = RITT_OK;
  for (int s = 0; status == RITT_OK && s < p->top_stages; s++) {
    if (p->top_stage[s].formula) {
      status = take_formulas(D, s, z);
      continue;
    }
    memcpy(N->begin, D->top, (size_t)p->tops * sizeof *D->top);
    status = solve_stage(D, s, z);
    if (status == RITT_RETRY && N->trouble != RITTI_NO_VALUE) status = solve_from_beside(D, s, z);
  }
  if (status == RITT_RETRY) D->trouble = N->trouble;
  return status;
}

/* ---- det T_w ---- */

/* The sign of det dT of a block, and log2 of its size; 0: not known. */
static int find_block_sign(const view *v) {
  block_newton *B = v->B;
  B->volume = NAN;
  if (!is_finite_here(v)) return 0;
  bool factored = factor_block(v);
  if (!factored) B->volume = -INFINITY;
  if (!factored || B->is_noisy) return 0;
  B->volume =
      v->n > 1 ? ritti_linear_log2(&B->linear) : RITTI_MATH(log2)(RITTI_MATH(fabs)(B->pivot));
  return B->sign;
}

int ritti_top_newton_sign(ritti_direction *D, const ritt_real *z, ritt_real *volume) {
  const ritti_problem *p = D->problem;
  struct ritti_top_newton *N = D->newton;
  int sign = 1;
  *volume = 0;

  /* unknown, if the stages end before them */
  for (int s = 0; s < p->top_stages; s++)
    for (int b = 0; !p->top_stage[s].formula && b < p->top_stage[s].blocks; b++)
      N->block[s][b].volume = NAN;

  for (int s = 0; s < p->top_stages; s++) {
    const ritti_top_stage *S = &p->top_stage[s];
    if (S->formula) continue; /* its derivatives are constant */
    if (p->call.top_stage(p->data, D->work, s, z, D->top, N->out) != RITT_OK) return 0;
    for (int b = 0; b < S->blocks; b++) {
      view v = view_block(D, s, b);
      int here = find_block_sign(&v);
      sign *= here;
      if (v.B->is_linear && here != 0) *volume += v.B->volume;
    }
  }
  return sign;
}

int ritti_direction_volumes(const ritti_direction *D, ritt_real *volume) {
  const ritti_problem *p = D->problem;
  int count = 0;
  for (int s = 0; D->newton && s < p->top_stages; s++)
    for (int b = 0; !p->top_stage[s].formula && b < p->top_stage[s].blocks; b++) {
      const block_newton *B = &D->newton->block[s][b];
      if (B->is_linear) continue;
      if (volume) volume[count] = B->volume;
      count++;
    }
  return count;
}

/* ---- homotopy ---- */

/* Follows T(z, w) = (1 - s) T(z, w0) of one stage from s = 0 to s = 1. */
static ritt_status follow_stage(ritti_direction *D, int stage, const ritt_real *z) {
  static const double LEAST = 1e-6;
  const ritti_problem *p = D->problem;
  const ritti_top_stage *S = &p->top_stage[stage];
  struct ritti_top_newton *N = D->newton;
  RITT_TRY(p->call.top_stage(p->data, D->work, stage, z, D->top, N->out));
  for (int i = 0; i < S->count; i++) N->first[S->top[i]] = N->out[i];
  memcpy(N->kept, D->top, (size_t)p->tops * sizeof *D->top);
  ritt_real done = 0, length = (ritt_real)0.1;
  while (done < 1) {
    ritt_real s = done + length < 1 ? done + length : 1;
    N->homotopy = 1 - s;
    ritt_status status = solve_stage(D, stage, z);
    N->homotopy = 0;
    if (status == RITT_OK) {
      done = s;
      length *= 2;
      memcpy(N->kept, D->top, (size_t)p->tops * sizeof *D->top);
      continue;
    }
    memcpy(D->top, N->kept, (size_t)p->tops * sizeof *D->top);
    if (status != RITT_RETRY) return status;
    length /= 4;
    if (length < (ritt_real)LEAST) return status;
  }
  return RITT_OK;
}

/* ---- over a switch ---- */

typedef struct stage_at {
  ritti_direction *D;
  int stage;
  const ritt_real *z;
} stage_at;

static ritt_status evaluate_stage(void *context) {
  const stage_at *at = context;
  const ritti_problem *p = at->D->problem;
  return p->call.top_stage(p->data, at->D->work, at->stage, at->z, at->D->top, at->D->newton->out);
}

/* Follows one block from the tops in N->begin. `found`: D->top has a solution; it stays if the curve
 * leads to it, or if nothing is known. *moved: another one was found. RITT_RETRY: there is a fold on the
 * way. */
static ritt_status follow_block(ritti_direction *D, int s, int b, const ritt_real *z, bool found,
                                bool *moved) {
  static const double SAME = 1e-6;
  const ritti_top_stage *S = &D->problem->top_stage[s];
  struct ritti_top_newton *N = D->newton;
  stage_at at = {D, s, z};
  view v = view_block(D, s, b);
  ritti_follow f = {.n = v.n,
                    .place = S->top + v.first,
                    .start = v.B->pattern.start,
                    .col = v.B->pattern.col,
                    .top = D->top,
                    .T = v.T,
                    .dT = v.dT,
                    .evaluate = evaluate_stage,
                    .context = &at};
  ritt_real *w1 = N->next;
  ritti_follow_end way;
  for (int i = 0; i < v.n; i++) {
    w1[i] = *top_at(&v, i);
    *top_at(&v, i) = N->begin[f.place[i]];
  }
  ritt_status status = ritti_follow_tops(&N->follower, &f, found ? w1 : NULL, D->jumps, &way);
  if (status != RITT_OK && status != RITT_RETRY) return status;
  bool same = found;
  for (int i = 0; i < v.n && !way.lost; i++) {
    ritt_real size = N->follower.size[1 + i];
    same = same && RITTI_MATH(fabs)(*top_at(&v, i) - w1[i]) <= (ritt_real)SAME * size;
  }
  *moved = *moved || (!way.lost && !same);
  for (int i = 0; i < v.n && (way.lost || same); i++) *top_at(&v, i) = w1[i];
  if (way.turns) D->fold = way.fold;
  if (way.turns && !way.lost) D->leapt = true;
  if (!way.turns || !way.lost) return RITT_OK;
  N->trouble = RITTI_FOLD_ON_WAY;
  return RITT_RETRY;
}

/* Follows the blocks of a stage whose solutions need not be those nearest to the tops in N->begin. */
static ritt_status follow_blocks(ritti_direction *D, int s, const ritt_real *z, bool found,
                                 bool *moved) {
  const ritti_top_stage *S = &D->problem->top_stage[s];
  struct ritti_top_newton *N = D->newton;
  *moved = false;
  for (int b = 0; b < S->blocks; b++) {
    const block_newton *B = &N->block[s][b];
    bool solved = B->phase == FOUND;
    if (B->is_linear || (B->sure && solved) || S->block[b + 1] - S->block[b] > MOST_FULL) continue;
    RITT_TRY(follow_block(D, s, b, z, found && solved, moved));
  }
  return RITT_OK;
}

/* A stage behind a switch. */
static ritt_status solve_far(ritti_direction *D, int s, const ritt_real *z) {
  struct ritti_top_newton *N = D->newton;
  size_t bytes = (size_t)D->problem->tops * sizeof *D->top;
  bool moved = false;
  memcpy(N->begin, D->top, bytes);
  ritt_status status = solve_stage(D, s, z);
  if (status != RITT_OK && status != RITT_RETRY) return status;
  if (status == RITT_RETRY) memcpy(D->top, N->begin, bytes);
  RITT_TRY(follow_blocks(D, s, z, status == RITT_OK, &moved));
  if (status == RITT_OK && !moved) return status;
  status = solve_stage(D, s, z);
  if (status != RITT_RETRY) return status;
  memcpy(D->top, N->begin, bytes);
  return follow_stage(D, s, z);
}

ritt_status ritti_top_newton_far(ritti_direction *D, const ritt_real *z) {
  const ritti_problem *p = D->problem;
  struct ritti_top_newton *N = D->newton;
  for (int s = 0; s < p->top_stages; s++) {
    ritt_status status;
    if (p->top_stage[s].formula) status = take_formulas(D, s, z);
    else status = solve_far(D, s, z);
    if (status == RITT_RETRY) D->trouble = N->trouble;
    RITT_TRY(status);
  }
  return RITT_OK;
}
