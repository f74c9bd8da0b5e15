/* Legs: many steps of a run without its driver. Text for native code and for CUDA alone, behind the
 * functions and constants of one problem and method (codegen/unit.c).
 *
 * In: the record of a run, an array of reals in the order of RITTI_LEG_...: where it is, its tolerances
 * and sizes, the step that is proposed. Out: the same after ordinary steps, each decided as the driver
 * decides it (drive/driver.c, drive/control.c, drive/sizes.c): taken and accepted, or rejected and
 * tried again. The leg ends at the end of the run, at the place that the record limits it to, and
 * before every step that is not ordinary: the driver takes that one, with the bits that it would have
 * had alone. A vector has a run in each lane.
 *
 * The unit defines what geometry/step_entry.h needs, and RITTI_FORCED, RITTI_ROW, RITTI_READS,
 * step_reads, RITTI_MECHANICS (1: A is factored in every step), RITTI_WATCHED (1: there is a watch for
 * crossings), RITTI_LEG_LENGTHS (0: the lengths of paths are not measured), RITTI_POSITIONS, RITTI_CONSTRAINTS; at width 1 also leg_settings, the record of a run, from which settings are taken.
 */
#ifndef RITTI_LEG_ENTRY_H
#define RITTI_LEG_ENTRY_H

#include "geometry/crossing_watch.h"
#include "geometry/leg.h"
#include "geometry/step_kernel.h"

/* The numbers of a run. A batch keeps all of them in a struct of vectors. A thread of a GPU has few
 * registers: numbers that a step needs once or never stay in its column of `store`, in memory beside
 * the processor (codegen/unit.c). */
#ifndef RITTI_GPU
#define RITTI_LEG_STORE
#define RITTI_KEPT(name)         ritt_real name
#define RITTI_KEPT_ARRAY(name)   ritt_real name[RITTI_M]
#define RITTI_KEPT_LIST(name, n) ritt_real name[(n) + 1]
#define RITTI_LEG_SET(on, place, value)                                                            \
  ((place) = RITTI_SELECT(on, value, place)) /* place = value in lanes that are on */
#define RITTI_LEG_ADD(on, place, value) ((place) = (place) + RITTI_SELECT(on, value, RITTI_ZERO))
#else
#define RITTI_LEG_STORE          volatile double *store; /* volatile: not in registers */
#define RITTI_KEPT(name)         volatile double &name = store[RITTI_STORED_##name * RITTI_STORE_STEP]
#define RITTI_KEPT_ARRAY(name)   ritti_column name = {store + RITTI_STORED_##name * RITTI_STORE_STEP}
#define RITTI_KEPT_LIST(name, n) RITTI_KEPT_ARRAY(name)
#define RITTI_LEG_SET(on, place, value)                                                            \
  do {                                                                                             \
    if (on) place = value;                                                                         \
  } while (0)
#define RITTI_LEG_ADD(on, place, value) RITTI_LEG_SET(on, place, place + (value))
typedef struct ritti_column {
  volatile double *at;
  volatile double &operator[](int i) const { return at[i * RITTI_STORE_STEP]; }
} ritti_column;
/* Places in the store */
enum {
  RITTI_STORED_end,
  RITTI_STORED_along,
  RITTI_STORED_limit,
  RITTI_STORED_span,
  RITTI_STORED_retrying,
  RITTI_STORED_steps_before,
  RITTI_STORED_steps_left,
  RITTI_STORED_until_stiff,
  RITTI_STORED_noisy,
  RITTI_STORED_rejected_h,
  RITTI_STORED_rejected_square,
  RITTI_STORED_next_look,
  RITTI_STORED_largest_h,
  RITTI_STORED_travelled,
  RITTI_STORED_residual,
  RITTI_STORED_volume = RITTI_STORED_residual + RITTI_HAS_ROWS,
  RITTI_STORED_most_volume = RITTI_STORED_volume + RITTI_MECHANICS,
  RITTI_STORED_searched_volume = RITTI_STORED_most_volume + RITTI_MECHANICS,
  RITTI_STORED_sigma = RITTI_STORED_searched_volume + RITTI_MECHANICS,
  RITTI_STORED_most_sigma = RITTI_STORED_sigma + RITTI_WATCHED,
  RITTI_STORED_searched_sigma = RITTI_STORED_most_sigma + RITTI_WATCHED,
  RITTI_STORED_walked = RITTI_STORED_searched_sigma + RITTI_WATCHED,
  RITTI_STORED_row_scale = RITTI_STORED_walked + RITTI_WATCHED,
  RITTI_STORED_left = RITTI_STORED_row_scale + RITTI_WATCHED * RITTI_CONSTRAINTS,
  RITTI_STORED_across = RITTI_STORED_left + RITTI_WATCHED * RITTI_CONSTRAINTS,
  RITTI_STORED_top = RITTI_STORED_across + RITTI_WATCHED * RITTI_POSITIONS,
  RITTI_STORED_size = RITTI_STORED_top + RITTI_TOPS,
  RITTI_STORED_absolute = RITTI_STORED_size + RITTI_M,
  RITTI_STORED_settled = RITTI_STORED_absolute + RITTI_M,
  RITTI_STORED_NUMBERS = RITTI_STORED_settled + RITTI_M
};
#endif

/* A bound on the size of a coordinate: a GPU compares the first halves of numbers, as integers. */
#ifndef RITTI_GPU
typedef ritt_real ritti_leg_bound;
#define RITTI_BOUND(number)             (number)
#define RITTI_MAY_EXCEED(number, bound) RITTI_NOT(RITTI_MATH(fabs)(number) <= (bound))
/* Is the number at least 2^-300 and at most 2^300? */
#define RITTI_IS_USUAL(number)                                                                     \
  RITTI_AND(RITTI_MATH(fabs)(number) > 0x1p-300, RITTI_MATH(fabs)(number) < 0x1p300)
#else
typedef int ritti_leg_bound;
#define RITTI_BOUND(number)             ((int)(RITTI_TO_BITS(number) >> 32) & 0x7fffffff)
#define RITTI_MAY_EXCEED(number, bound) (RITTI_BOUND(number) >= (bound))
#define RITTI_IS_USUAL(number)          ((unsigned)(RITTI_BOUND(number) - 0x2d400000) < 0x25700000u)
#endif

typedef struct ritti_leg {
  RITTI_LEG_STORE
  ritt_real s, h;        /* where it is; the step that is proposed */
  ritt_real near, least; /* steps that end well before `near` and are longer are ordinary */
  ritti_mask again;      /* a longer step was rejected here */
  ritt_real growth;      /* the largest factor of the next step */
  ritt_real allowed[RITTI_M];
  ritt_real largest[RITTI_M];     /* values with the largest size so far, with their signs */
  ritti_leg_bound bound[RITTI_M]; /* sizes grow with values above it */
  ritti_count until;              /* steps to be tried before the next look for stiffness */
  ritti_count look_at;            /* accepted steps at which sizes may shrink */
  ritti_count accepted, rejected, looked;
  ritti_count iterations, idle, factorisations, most; /* of projections */
  RITTI_KEPT(end);
  RITTI_KEPT(along);
  RITTI_KEPT(limit);
  RITTI_KEPT(span);
  RITTI_KEPT(retrying);
  RITTI_KEPT(steps_before);
  RITTI_KEPT(steps_left);
  RITTI_KEPT(until_stiff);
  RITTI_KEPT(noisy);
  RITTI_KEPT(rejected_h);
  RITTI_KEPT(rejected_square);
  RITTI_KEPT(next_look);
  RITTI_KEPT(largest_h); /* longest step so far, if there may be folds */
  RITTI_KEPT(travelled);
  RITTI_KEPT(residual);
  RITTI_KEPT(volume);
  RITTI_KEPT(most_volume);
  RITTI_KEPT(searched_volume);
  RITTI_KEPT(sigma);
  RITTI_KEPT(most_sigma);
  RITTI_KEPT(searched_sigma);
  RITTI_KEPT(walked);
  RITTI_KEPT_LIST(row_scale, RITTI_CONSTRAINTS);
  RITTI_KEPT_LIST(left, RITTI_CONSTRAINTS);
  RITTI_KEPT_LIST(across, RITTI_POSITIONS);
  RITTI_KEPT_LIST(top, RITTI_TOPS);
  RITTI_KEPT_ARRAY(size);
  RITTI_KEPT_ARRAY(absolute);
  RITTI_KEPT_ARRAY(settled);
  /* settings; folds: 1: short steps may lead to a fold */
  ritt_real longest, fac, facmin, facmax, exponent, border, follow, folds;
  ritt_real relative[RITTI_M], metric[RITTI_M], follows[RITTI_M], scale[RITTI_M];
} ritti_leg;

/* Calls X(place in the record, variable) for every number of the leg L, the point z and V there. */
#define RITTI_LEG_NUMBERS(X)                                                                       \
  X(RITTI_LEG_S, L->s)                                                                             \
  X(RITTI_LEG_H, L->h)                                                                             \
  X(RITTI_LEG_RETRYING, L->retrying)                                                               \
  X(RITTI_LEG_REJECTED_H, L->rejected_h)                                                           \
  X(RITTI_LEG_REJECTED_SQUARE, L->rejected_square)                                                 \
  X(RITTI_LEG_NEXT_LOOK, L->next_look)                                                             \
  X(RITTI_LEG_LARGEST_H, L->largest_h)                                                             \
  RITTI_LEG_ROWS(X) RITTI_LEG_PATH(X) RITTI_LEG_SINGULAR(X) RITTI_LEG_CROSSING(X)
/* What the leg counts from 0 */
#define RITTI_LEG_COUNTS(X)                                                                        \
  X(RITTI_LEG_ACCEPTED, L->accepted)                                                               \
  X(RITTI_LEG_REJECTED, L->rejected)                                                               \
  X(RITTI_LEG_LOOKED, L->looked)                                                                   \
  X(RITTI_LEG_ITERATIONS, L->iterations)                                                           \
  X(RITTI_LEG_IDLE, L->idle)                                                                       \
  X(RITTI_LEG_FACTORISATIONS, L->factorisations)                                                   \
  X(RITTI_LEG_MOST, L->most)
/* Numbers that only some problems have */
#if RITTI_K
#define RITTI_LEG_ROWS(X) X(RITTI_LEG_RESIDUAL, L->residual)
#else
#define RITTI_LEG_ROWS(X)
#endif
#if RITTI_LEG_LENGTHS
#define RITTI_LEG_PATH(X) X(RITTI_LEG_TRAVELLED, L->travelled)
#else
#define RITTI_LEG_PATH(X)
#endif
#if RITTI_MECHANICS
#define RITTI_LEG_SINGULAR(X)                                                                      \
  X(RITTI_LEG_VOLUME, L->volume)                                                                   \
  X(RITTI_LEG_MOST_VOLUME, L->most_volume)                                                         \
  X(RITTI_LEG_SEARCHED_VOLUME, L->searched_volume)
#else
#define RITTI_LEG_SINGULAR(X)
#endif
#if RITTI_WATCHED
#define RITTI_LEG_CROSSING(X)                                                                      \
  X(RITTI_LEG_SIGMA, L->sigma)                                                                     \
  X(RITTI_LEG_MOST_SIGMA, L->most_sigma)                                                           \
  X(RITTI_LEG_SEARCHED_SIGMA, L->searched_sigma)                                                   \
  X(RITTI_LEG_WALKED, L->walked)
#else
#define RITTI_LEG_CROSSING(X)
#endif
#define RITTI_LEG_CONSTANTS(X)                                                                     \
  X(RITTI_LEG_END, L->end)                                                                         \
  X(RITTI_LEG_ALONG, L->along)                                                                     \
  X(RITTI_LEG_LIMIT, L->limit)                                                                     \
  X(RITTI_LEG_SPAN, L->span)                                                                       \
  X(RITTI_LEG_STEPS_BEFORE, L->steps_before)                                                       \
  X(RITTI_LEG_STEPS_LEFT, L->steps_left)                                                           \
  X(RITTI_LEG_UNTIL_STIFF, L->until_stiff)                                                         \
  X(RITTI_LEG_NOISY, L->noisy)
/* Settings, which the runs of an ensemble share: on a GPU they are constants of the source. */
#define RITTI_LEG_SETTINGS(X)                                                                      \
  X(RITTI_LEG_LONGEST, L->longest)                                                                 \
  X(RITTI_LEG_FAC, L->fac)                                                                         \
  X(RITTI_LEG_FACMIN, L->facmin)                                                                   \
  X(RITTI_LEG_FACMAX, L->facmax)                                                                   \
  X(RITTI_LEG_EXPONENT, L->exponent)                                                               \
  X(RITTI_LEG_BORDER, L->border)                                                                   \
  X(RITTI_LEG_FOLLOW, L->follow)                                                                   \
  X(RITTI_LEG_FOLDS, L->folds)
/* Arrays of m numbers: RITTI_LEG_HEAD + number * RITTI_M; then the tops and the reads */
#define RITTI_LEG_ARRAYS(X)                                                                        \
  X(0, S->z)                                                                                       \
  X(1, S->V[0])                                                                                    \
  X(2, L->size)                                                                                    \
  X(3, L->absolute)                                                                                \
  X(4, L->allowed)                                                                                 \
  X(5, L->largest)                                                                                 \
  X(6, L->settled)
#define RITTI_LEG_SETTING_ARRAYS(X)                                                                \
  X(7, L->relative)                                                                                \
  X(8, L->metric)                                                                                  \
  X(9, L->follows)                                                                                 \
  X(10, L->scale)
#define RITTI_LEG_TOPS (RITTI_LEG_HEAD + RITTI_LEG_VECTORS * RITTI_M)
#define RITTI_LEG_VIEW (RITTI_LEG_TOPS + RITTI_TOPS)
#define RITTI_LEG_WORK (RITTI_LEG_VIEW + RITTI_WATCHED * (2 * RITTI_CONSTRAINTS + RITTI_POSITIONS))
/* Calls X(place in the record, array, length) for the arrays behind those of m numbers. */
#define RITTI_LEG_LISTS(X)                                                                         \
  X(RITTI_LEG_TOPS, L->top, RITTI_TOPS)                                                            \
  X(RITTI_LEG_VIEW, L->row_scale, RITTI_WATCHED *RITTI_CONSTRAINTS)                                \
  X(RITTI_LEG_VIEW + RITTI_CONSTRAINTS, L->left, RITTI_WATCHED * RITTI_CONSTRAINTS)                \
  X(RITTI_LEG_VIEW + 2 * RITTI_CONSTRAINTS, L->across, RITTI_WATCHED * RITTI_POSITIONS)

/* ---- the control of steps, as drive/control.c has it ---- */

/* A whole number of |n| < 2^51 as a real */
static inline ritt_real ritti_leg_whole(ritti_bits n) {
  return RITTI_TO_REAL(n + 0x4338000000000000) - 0x1.8p52;
}

/* A real below 1e9, or the latter, as a whole number */
static inline ritti_count ritti_leg_integer(ritt_real x) {
  const ritt_real bounded = RITTI_SELECT(x < 1e9, x, RITTI_ZERO + 1e9);
#if RITTI_WIDTH == 1
  return (ritti_count)bounded;
#else
  return __builtin_convertvector(bounded, ritti_count);
#endif
}

/* ritti_log2 for x >= 1e-300 */
static inline ritt_real ritti_leg_log2(ritt_real x) {
  const ritti_bits bits = RITTI_TO_BITS(x), whole = (bits - 0x3fe6a09e667f3bcd) >> 52;
  const ritt_real t = RITTI_TO_REAL(bits - whole * 0x10000000000000) - 1, s = t * t;
  return ritti_leg_whole(whole) + t * ((1.442578007 - 0.7202417961 * t) +
                                       s * ((0.4866861618 - 0.3945754778 * t) + s * 0.252660358));
}

/* 2^y, |y| <= 1000 */
static inline ritt_real ritti_leg_exp2(ritt_real y) {
  const ritt_real up = y + 0x1.8p52, f = y - (up - 0x1.8p52), s = f * f;
  const ritt_real power =
      RITTI_TO_REAL((RITTI_TO_BITS(up) - 0x4338000000000000 + 1023) * 0x10000000000000);
  return power * ((1.000000151 + 0.6931210357 * f) +
                  s * ((0.2402186549 + 0.05592202685 * f) + s * 0.009685711539));
}

/* The factor of the next step, 0 <= square < 1e300 */
static inline ritt_real ritti_leg_factor(const ritti_leg *L, ritt_real square) {
#ifdef RITTI_FAST
  const float power = cuda_power(square, (float)-L->exponent) * (float)L->fac;
  return cuda_between(power, (float)L->facmin, (float)L->growth);
#else
  const ritt_real bound = RITTI_SELECT(square > 1e-300, square, RITTI_ZERO + 1e-300);
  ritt_real factor = ritti_leg_exp2(-(ritti_leg_log2(bound) * L->exponent)) * L->fac;
  const ritt_real least = L->facmin, most = L->growth;
  factor = RITTI_SELECT(factor > least, factor, least);
  return RITTI_SELECT(most < factor, most, factor);
#endif
}

/* Is a step of length h too small? */
static inline ritti_mask ritti_leg_too_small(const ritti_leg *L, ritt_real h) {
  const ritt_real place = RITTI_MATH(fabs)(L->s), part = 1e-10 * RITTI_MATH(fabs)(L->span);
  const ritt_real size = RITTI_SELECT(place > part, place, part);
  return RITTI_NOT(RITTI_MATH(fabs)(h) > 16 * RITTI_EPS * size);
}

/* Finds the places and lengths between which a step needs no look at the ends of the run. */
static inline void ritti_leg_find_bounds(ritti_leg *L) {
  const ritt_real s = L->s, end = L->end, limit = L->limit, along = L->along;
  const ritti_mask sooner = (limit - end) * along < 0, over = RITTI_NOT((limit - s) * along > 0);
  L->near = RITTI_SELECT(over, s, RITTI_SELECT(sooner, limit, end));
  const ritt_real part = 1e-10 * RITTI_MATH(fabs)(L->span);
  const ritt_real most = ritti_max(RITTI_MATH(fabs)(s), RITTI_MATH(fabs)(end));
  L->least = 32 * RITTI_EPS * ritti_max(most, part);
}

/* Where the proposed step ends, in *target. Returns the lanes in which the leg may take it. */
static inline ritti_mask ritti_leg_aim(const ritti_leg *L, ritti_mask on, ritt_real *target) {
  const ritt_real s = L->s, h = L->h, length = RITTI_MATH(fabs)(h);
  *target = s + h;
  ritti_mask usual = RITTI_AND(2 * length <= RITTI_MATH(fabs)(L->near - s), length > L->least);
  if (RITTI_ANY(RITTI_AND(on, RITTI_NOT(usual)))) {
    const ritt_real end = L->end, left = RITTI_MATH(fabs)(end - s);
    const ritt_real near = RITTI_SELECT(length * (1 + 1e-10) >= left, end, s + (end - s) / 2);
    *target = RITTI_SELECT(2 * length > left, near, *target);
    usual = RITTI_OR(*target == end, RITTI_NOT(ritti_leg_too_small(L, *target - s)));
    usual = RITTI_AND(usual, (L->limit - *target) * L->along > 0);
  }
  return RITTI_AND(on, usual);
}

/* ---- stiffness, as drive/stiffness.c has it ---- */

/* Does stability limit the step just taken, or does V change slowly for its eigenvalue? */
static inline ritti_mask ritti_leg_is_stiff(const ritti_leg *L, const ritti_kernel_step *S) {
  ritt_real change = RITTI_ZERO, distance = RITTI_ZERO, size = RITTI_ZERO, turn = RITTI_ZERO;
  for (int i = 1; i < RITTI_M; i++) {
    const ritt_real per =
        RITTI_ABOUT_ONE_OVER(L->relative[i] * RITTI_MATH(fabs)(S->z_new[i]) + L->absolute[i]);
    const ritt_real dV = (S->V[RITTI_STAGES][i] - S->V[RITTI_STAGES - 1][i]) * per;
    const ritt_real dz = (S->z_new[i] - S->point[i]) * per;
    const ritt_real v = S->V[RITTI_STAGES][i] * per;
    const ritt_real dv = (S->V[RITTI_STAGES][i] - S->V[0][i]) * per;
    change += dV * dV;
    distance += dz * dz;
    size += v * v;
    turn += dv * dv;
  }
  /* the square of h times the eigenvalue, times `distance` */
  const ritt_real h = S->h, border = L->border;
  const ritt_real square = h * h * change, unit = border * border * distance;
  const ritti_mask known = distance > 1e-6 * (ritti_single)(RITTI_M - 1);
  const ritti_mask limited = square > 0.64 * unit;
  const ritti_mask smooth =
      RITTI_AND(square > 0.01 * unit, square * size > 2500.0 * turn * distance);
  return RITTI_AND(known, RITTI_OR(limited, smooth));
}

/* ---- sizes, as drive/sizes.c has it ---- */

static inline void ritti_leg_set_bound(ritti_leg *L, const int i) {
  const ritt_real size = L->size[i];
  const ritti_mask grows = RITTI_AND(size<1, L->follows[i]> 0);
  const ritt_real bound = RITTI_SELECT(grows, size, RITTI_ZERO + 0x1.fffffffffffffp1023);
  L->bound[i] = RITTI_BOUND(bound);
}

static inline void ritti_leg_set_size(ritti_leg *L, const int i, ritti_mask on, ritt_real size) {
  size = RITTI_SELECT(size < 1, size, RITTI_ZERO + 1);
  size = RITTI_SELECT(size > RITTI_SIZE_TINY, size, RITTI_ZERO + RITTI_SIZE_TINY);
  RITTI_LEG_SET(on, L->size[i], size);
  RITTI_LEG_SET(on, L->absolute[i], L->relative[i] * size);
  const ritti_mask counts = RITTI_AND(on, L->allowed[i] < 1e99);
  RITTI_LEG_SET(counts, L->allowed[i], L->absolute[i]);
  ritti_leg_set_bound(L, i);
}

/* Sizes that grow with the values z, in the lanes that are on */
static inline void ritti_leg_grow_sizes(ritti_leg *L, ritti_mask on, const ritt_real *z) {
  for (int i = 1; i < RITTI_M; i++) {
    const ritt_real value = RITTI_MATH(fabs)(z[i]), size = L->size[i];
    const ritti_mask grows =
        RITTI_AND(RITTI_AND(on, value > size), RITTI_AND(size<1, L->follows[i]> 0));
    if (RITTI_ANY(grows)) ritti_leg_set_size(L, i, grows, value);
  }
}

/* Sizes of coordinates whose largest value has settled, in the lanes in which a look is due */
static inline void ritti_leg_shrink_sizes(ritti_leg *L, ritti_mask due) {
  ritt_real most = RITTI_ZERO;
  for (int i = 1; i < RITTI_M; i++) most = ritti_max(RITTI_MATH(fabs)(L->largest[i]), most);
  for (int i = 1; i < RITTI_M; i++) {
    const ritt_real largest = RITTI_MATH(fabs)(L->largest[i]);
    ritti_mask shrinks = RITTI_AND(largest < RITTI_SIZE_LARGE, largest <= L->settled[i]);
    shrinks =
        RITTI_AND(shrinks, RITTI_AND(largest > RITTI_SIZE_NOISE * most, largest < L->size[i]));
    shrinks = RITTI_AND(RITTI_AND(due, shrinks), RITTI_AND(L->follows[i] > 0, L->noisy == 0));
    if (RITTI_ANY(shrinks)) ritti_leg_set_size(L, i, shrinks, largest);
    RITTI_LEG_SET(due, L->settled[i], largest);
  }
  RITTI_LEG_SET(due, L->next_look, 2 * L->next_look);
  L->look_at = ritti_leg_integer(L->next_look - L->steps_before);
}

/* The step to z will be accepted in the lanes that are on: do sizes grow with it? Returns the lanes
 * in which z is finite. */
static inline ritti_mask ritti_leg_grow(ritti_leg *L, ritti_mask on, const ritt_real *z) {
  ritti_mask grows = RITTI_NO_LANE;
  for (int i = 1; i < RITTI_M; i++) grows = RITTI_OR(grows, RITTI_MAY_EXCEED(z[i], L->bound[i]));
  if (RITTI_ANY(RITTI_AND(on, grows))) {
    on = RITTI_AND(on, ritti_are_finite(RITTI_M - 1, z + 1));
    ritti_leg_grow_sizes(L, on, z);
  }
  return on;
}

/* The step to z is accepted and counted in the lanes that are on. */
static inline void ritti_leg_accept_sizes(ritti_leg *L, ritti_mask on, const ritt_real *z) {
  for (int i = 1; i < RITTI_M; i++) {
    const ritti_mask larger = RITTI_MATH(fabs)(z[i]) > RITTI_MATH(fabs)(L->largest[i]);
    L->largest[i] = RITTI_SELECT(RITTI_AND(on, larger), z[i], L->largest[i]);
  }
  const ritti_mask due = RITTI_AND(on, RITTI_AND(L->follow > 0, L->accepted >= L->look_at));
  if (RITTI_ANY(due)) ritti_leg_shrink_sizes(L, due);
}

#ifndef RITTI_NORM_LOG2
#define RITTI_NORM_LOG2(x) ritti_leg_log2(x)
#endif

/* ---- singular points, as drive/singular.c has it ---- */

/* log2 of the volume of A at the end of the step, in *volume. Returns the lanes in which it is found
 * without scaling the product of the pivots. */
static inline ritti_mask ritti_leg_volume(const ritti_kernel_step *S, ritt_real *volume) {
  ritt_real product = RITTI_ZERO + 1;
  ritti_mask usual = RITTI_ALL_LANES;
  for (int i = 0; i < RITTI_TOPS; i++) {
    product = product * S->factors[i * RITTI_TOPS + i];
    usual = RITTI_AND(usual, RITTI_IS_USUAL(product));
  }
  *volume = RITTI_NORM_LOG2(RITTI_MATH(fabs)(product));
  return usual;
}

/* The volume at the accepted point. Returns the lanes in which the driver searches a singular point. */
static inline ritti_mask ritti_leg_accept_volume(ritti_leg *L, ritti_mask on, ritt_real volume) {
  const ritti_mask larger = RITTI_AND(on, volume > L->most_volume);
  RITTI_LEG_SET(on, L->volume, volume);
  RITTI_LEG_SET(larger, L->most_volume, volume);
  RITTI_LEG_SET(larger, L->searched_volume, volume);
  return RITTI_AND(
      on, RITTI_AND(volume < L->most_volume - RITTI_VOLUME_DROP, volume < L->searched_volume - 1));
}

/* ---- crossings, as drive/crossing.c has it ---- */

#if RITTI_WATCHED

/* What is seen of crossings in a step that is not accepted yet */
typedef struct ritti_leg_sight {
  ritt_real row_scale[RITTI_CONSTRAINTS], left[RITTI_CONSTRAINTS], across[RITTI_POSITIONS];
  ritt_real sigma, most_sigma, searched_sigma, walked;
} ritti_leg_sight;

/* Looks at the position z in the lanes that are on. Returns the lanes in which sigma keeps its
 * sign. */
static inline ritti_mask ritti_leg_look(ritti_kernel_step *S, ritti_leg_sight *now, ritti_mask on,
                                        const ritt_real *z, ritt_real *side) {
  enum { L = RITTI_CONSTRAINTS, N = RITTI_POSITIONS };
  ritt_real G[L * N], gram[L * L], vector[L], Gu[N], row_scale[L], left[L], across[N];
  const ritti_rank_room room = {G, gram, vector, Gu};
  ritti_copy_reals(L, now->row_scale, row_scale);
  ritti_copy_reals(L, now->left, left);
  ritti_copy_reals(N, now->across, across);
  ritti_rank_view view = {row_scale, left, across, now->sigma};
  step_problem.f_df(step_problem.data, S->work, z, S->f, S->df);
  ritti_fill_rank_rows(L, N, df_start, df_col, S->df, row_scale, G);
  const ritti_mask seen = ritti_look_at_rank(L, N, false, on, &room, &view, side);

  for (int i = 0; i < L; i++) {
    now->row_scale[i] = RITTI_SELECT(on, row_scale[i], now->row_scale[i]);
    now->left[i] = RITTI_SELECT(seen, left[i], now->left[i]);
  }
  for (int i = 0; i < N; i++) now->across[i] = RITTI_SELECT(seen, across[i], now->across[i]);
  now->sigma = RITTI_SELECT(seen, view.sigma, now->sigma);
  return RITTI_AND(seen, RITTI_NOT(*side < 0));
}

/* Looks along the step in the lanes that are on. Returns the lanes in which the driver has nothing to
 * decide. */
static inline ritti_mask ritti_leg_crossings(const ritti_leg *L, ritti_kernel_step *S,
                                             ritti_leg_sight *now, ritti_mask on) {
  const ritt_real *V = S->V[0], *W = S->V[RITTI_STAGES];
  const ritt_real path = ritti_path_of_step(RITTI_POSITIONS, S->h, V, W);
  const ritt_real largest = ritti_largest_position(RITTI_POSITIONS, S->z, S->size);
  const ritt_real before = L->sigma, walked = L->walked + path;
  ritt_real side = RITTI_ZERO;
  for (int i = 0; i < RITTI_CONSTRAINTS; i++) now->row_scale[i] = L->row_scale[i];
  for (int i = 0; i < RITTI_CONSTRAINTS; i++) now->left[i] = L->left[i];
  for (int i = 0; i < RITTI_POSITIONS; i++) now->across[i] = L->across[i];
  now->sigma = before, now->most_sigma = L->most_sigma, now->searched_sigma = L->searched_sigma;

  /* is it time to look? */
  const ritti_mask due = RITTI_AND(on, RITTI_NOT(walked < before * largest / 8));
  now->walked = RITTI_SELECT(due, RITTI_ZERO, walked);
  if (!RITTI_ANY(due)) return on;

  /* points between the ends of the step, then its end */
  const ritt_real parts = ritti_parts_of_step(path, before, largest);
  ritti_mask good = due;
  for (int i = 1; i < RITTI_MOST_PARTS; i++) {
    const ritti_mask inside = RITTI_AND(good, parts > (ritti_single)i);
    if (!RITTI_ANY(inside)) break;
    ritt_real position[RITTI_M];
    ritti_interpolate_position(RITTI_M, RITTI_POSITIONS, (ritti_single)i / parts, S->h, S->z,
                               S->z_new, V, W, position);
    const ritti_mask kept = ritti_leg_look(S, now, inside, position, &side);
    good = RITTI_AND(good, RITTI_OR(RITTI_NOT(inside), kept));
  }
  good = RITTI_AND(good, ritti_leg_look(S, now, good, S->z_new, &side));

  /* a value that is small, or will vanish within a few steps, makes the driver search */
  const ritt_real sigma = now->sigma;
  now->most_sigma = RITTI_SELECT(RITTI_AND(due, sigma > now->most_sigma), sigma, now->most_sigma);
  const ritti_mask away = RITTI_AND(due, RITTI_AND(side > 0, sigma >= before));
  now->searched_sigma = RITTI_SELECT(away, RITTI_ZERO + INFINITY, now->searched_sigma);
  ritti_mask small =
      RITTI_OR(sigma < RITTI_SIGMA_SMALL * now->most_sigma, sigma < 4 * (before - sigma));
  small = RITTI_AND(small, RITTI_AND(sigma < before, sigma < now->searched_sigma / 2));
  good = RITTI_AND(good, RITTI_NOT(small));
  return RITTI_OR(RITTI_AND(on, RITTI_NOT(due)), good);
}

static inline void ritti_leg_accept_sight(ritti_leg *L, ritti_mask on, const ritti_leg_sight *now) {
  for (int i = 0; i < RITTI_CONSTRAINTS; i++) {
    RITTI_LEG_SET(on, L->row_scale[i], now->row_scale[i]);
    RITTI_LEG_SET(on, L->left[i], now->left[i]);
  }
  for (int i = 0; i < RITTI_POSITIONS; i++) RITTI_LEG_SET(on, L->across[i], now->across[i]);
  RITTI_LEG_SET(on, L->sigma, now->sigma);
  RITTI_LEG_SET(on, L->most_sigma, now->most_sigma);
  RITTI_LEG_SET(on, L->searched_sigma, now->searched_sigma);
  RITTI_LEG_SET(on, L->walked, now->walked);
}

#endif

/* ---- the leg ---- */

/* The metric of the projection at the point */
static inline void ritti_leg_metric(const ritti_leg *L, const ritt_real *z, ritt_real *spread) {
  spread[0] = RITTI_ZERO;
  for (int i = 1; i < RITTI_M; i++) {
    const ritt_real usual =
        RITTI_QUOTIENT(L->relative[i] * RITTI_MATH(fabs)(z[i]) + L->absolute[i], L->relative[i]);
    const ritt_real size = RITTI_SELECT(L->scale[i] > 0, L->scale[i], usual);
    spread[i] = size * size;
  }
}

/* The error of the step in units of the tolerance, squared */
static inline ritt_real ritti_leg_square(const ritti_kernel_step *S) {
  ritt_real square = S->square;
  square =
      RITTI_SELECT(S->other > 0, RITTI_QUOTIENT(square * square, square + 0.01 * S->other), square);
  if (RITTI_FORCED || !RITTI_K) return square;
  return RITTI_SELECT(square <= S->moved, S->moved, square);
}

/* The sizes as the kernel reads them: a batch has them in the leg. */
static inline void ritti_leg_read_sizes(const ritti_leg *L, ritt_real *sizes) {
#ifdef RITTI_GPU
  for (int i = 0; i < RITTI_M && RITTI_K; i++) sizes[i] = L->size[i];
#else
  (void)L, (void)sizes;
#endif
}

/* Rejects a step of length h. Returns the lanes in which the driver has nothing to decide: the error
 * is no rounding error, and the next step is not too small. */
static inline ritti_mask ritti_leg_reject(ritti_leg *L, ritti_mask on, ritt_real square,
                                          ritt_real h, ritt_real shorter) {
  on = RITTI_AND(on, square < 1e300);
  if (RITTI_ANY(RITTI_AND(on, RITTI_NOT(RITTI_MATH(fabs)(shorter) > L->least))))
    on = RITTI_AND(on, RITTI_NOT(ritti_leg_too_small(L, shorter)));

  /* the step before was rejected, too */
  const ritti_mask known = RITTI_AND(on, RITTI_OR(L->again, L->accepted == 0));
  if (RITTI_ANY(RITTI_AND(known, L->follow > 0))) {
    const ritt_real before = L->rejected_square;
    const ritt_real longer = RITTI_MATH(fabs)(L->rejected_h);
    const ritt_real ratio =
        RITTI_SELECT(longer > 0, RITTI_QUOTIENT(RITTI_MATH(fabs)(h), longer), RITTI_ZERO);
    ritti_mask rounding = RITTI_AND(known, RITTI_AND(before > 0, ratio < 0.95));
    rounding = RITTI_AND(rounding, square > before * ratio * ratio * ratio);
    on = RITTI_AND(on, RITTI_NOT(RITTI_AND(rounding, L->follow > 0)));
  }

  const ritti_mask noted = RITTI_AND(on, L->follow > 0);
  RITTI_LEG_SET(noted, L->rejected_h, h);
  RITTI_LEG_SET(noted, L->rejected_square, square);
  RITTI_COUNT_ONE(L->rejected, on);
  RITTI_LEG_SET(on, L->h, shorter);
  return on;
}

/* The highest derivatives at a point are in V there, except those that are no derivatives of
 * coordinates. */
static inline bool ritti_leg_is_in_V(const int top) {
  for (int j = 1; j < RITTI_M; j++)
    if (next_of[j] == -1 - top) return true;
  return false;
}

/* After a rejection steps do not grow. */
static inline void ritti_leg_limit_growth(ritti_leg *L) {
  const ritt_real one = RITTI_SELECT(L->facmax < 1, L->facmax, RITTI_ZERO + 1);
  L->growth = RITTI_SELECT(L->again, one, L->facmax);
}

/* Numbers of z and of V there that are others of them: compilers need not keep them. */
static inline void ritti_leg_link(const ritti_leg *L, ritti_kernel_step *S) {
  S->z[0] = L->s;
  S->V[0][0] = RITTI_ZERO + 1;
  for (int i = 1; i < RITTI_M; i++)
    if (next_of[i] >= 0) S->V[0][i] = S->z[next_of[i]];
}

/* Tries one step in the lanes that are on; returns the lanes in which the leg goes on. */
static inline ritti_mask ritti_leg_step(ritti_leg *L, ritti_kernel_step *S, ritt_real *spread,
                                        ritt_real *sizes, ritti_mask on) {
  const ritti_step_problem *P = &step_problem;
  const ritti_step_method *T = &step_method;

  /* the proposal, unless the driver must look at it */
  ritt_real target, length = RITTI_MATH(fabs)(L->h);
  const ritti_mask long_one = RITTI_AND(L->longest > 0, length > L->longest);
  L->h = RITTI_SELECT(RITTI_AND(on, long_one), L->along * L->longest, L->h);
  const ritt_real wanted = L->h;
  on = ritti_leg_aim(L, on, &target);
  if (RITTI_ANY(L->folds > 0)) {
    length = RITTI_MATH(fabs)(wanted);
    RITTI_LEG_SET(RITTI_AND(on, length > L->largest_h), L->largest_h, length);
    on = RITTI_AND(on, RITTI_OR(L->folds == 0, length > 0.2 * L->largest_h));
  }
  if (RITTI_NONE(on)) return on;
  const ritt_real h = target - L->s;

  /* the step */
  if (T->weighted) ritti_leg_metric(L, S->z, spread);
  S->h = h;
  S->x_new = target;
  ritti_leg_read_sizes(L, sizes);
  S->loose = ritti_stage_tolerance(RITTI_M, 1, S->z, L->relative, L->allowed, S->size);
  S->sizes[0].known = S->sizes[1].known = false;
  S->iterations = S->idle = S->factorisations = S->most = (ritti_count)RITTI_NO_LANE;
  on = RITTI_AND(on, ritti_take_points(S, P, T, 1, 1, RITTI_STAGES, true));
  if (RITTI_NONE(on)) return on;
  ritti_measure_step(S, P, T);

  /* is it accepted? */
  const ritt_real square = ritti_leg_square(S);
  ritti_mask accepts = RITTI_AND(on, square <= 1), rejects = RITTI_AND(on, RITTI_NOT(square <= 1));
  ritt_real factor = ritti_leg_factor(L, square);

  /* stiffness is looked for now and then; what is found is the driver's */
  const ritti_mask now = L->until == 0;
  L->until = RITTI_SELECT(now, (ritti_count)RITTI_NO_LANE + (RITTI_STIFF_EVERY - 1), L->until - 1);
  const ritti_mask look = RITTI_AND(accepts, RITTI_AND(L->border > 0, now));
  if (RITTI_ANY(look)) {
    const ritti_mask stiff = RITTI_AND(look, ritti_leg_is_stiff(L, S));
    RITTI_COUNT_ONE(L->looked, RITTI_AND(look, RITTI_NOT(stiff)));
    accepts = RITTI_AND(accepts, RITTI_NOT(stiff));
  }

  /* singular points and crossings are the driver's, too */
  ritt_real volume = RITTI_ZERO;
  if (RITTI_MECHANICS) accepts = RITTI_AND(accepts, ritti_leg_volume(S, &volume));
#if RITTI_WATCHED
  ritti_leg_sight sight;
  if (RITTI_ANY(accepts)) accepts = ritti_leg_crossings(L, S, &sight, accepts);
#endif

  accepts = ritti_leg_grow(L, accepts, S->z_new);

  /* rejected: a shorter one, with the usual settings anyway */
  if (!RITTI_NONE(rejects)) {
    ritt_real less = factor;
    const ritt_real most = RITTI_ZERO + 0.95;
    if (RITTI_ANY(RITTI_OR(L->fac > 0.94, L->facmin > 0.94)))
      less = RITTI_SELECT(factor < most, factor, most);
    rejects = ritti_leg_reject(L, rejects, square, h, less * h);
  }
  on = RITTI_OR(accepts, rejects);
  if (RITTI_K) {
    RITTI_LEG_ADD(on, L->iterations, S->iterations);
    RITTI_LEG_ADD(on, L->idle, S->idle);
    RITTI_LEG_ADD(on, L->factorisations, S->factorisations);
    L->most = RITTI_SELECT(RITTI_AND(on, S->most > L->most), S->most, L->most);
  }

  /* accepted: the next one */
  ritt_real next = h * factor;
  const ritti_mask cut = RITTI_AND(factor >= 1, RITTI_MATH(fabs)(next) < RITTI_MATH(fabs)(wanted));
  next = RITTI_SELECT(cut, wanted, next);
  L->h = RITTI_SELECT(accepts, next, L->h);
  L->again = RITTI_OR(rejects, RITTI_AND(L->again, RITTI_NOT(accepts)));
  ritti_leg_limit_growth(L);
  if (RITTI_NONE(accepts)) return on;
  RITTI_COUNT_ONE(L->accepted, accepts);
  if (RITTI_K) {
    const ritti_mask worse = RITTI_AND(accepts, RITTI_NOT(S->residual <= L->residual));
    RITTI_LEG_SET(worse, L->residual, S->residual);
  }
  if (RITTI_LEG_LENGTHS) RITTI_LEG_SET(accepts, L->travelled, L->travelled + S->length);
  ritti_leg_accept_sizes(L, accepts, S->z_new);
  L->s = RITTI_SELECT(accepts, target, L->s);
  for (int i = 1; i < RITTI_M; i++) {
    S->z[i] = RITTI_SELECT(accepts, S->z_new[i], S->z[i]);
    S->V[0][i] = RITTI_SELECT(accepts, S->V[RITTI_STAGES][i], S->V[0][i]);
  }
  ritti_leg_link(L, S);
  for (int i = 0; i < RITTI_TOPS; i++)
    if (!ritti_leg_is_in_V(i)) RITTI_LEG_SET(accepts, L->top[i], S->top[i]);
#if RITTI_WATCHED
  ritti_leg_accept_sight(L, accepts, &sight);
#endif
  if (RITTI_MECHANICS) on = RITTI_AND(on, RITTI_NOT(ritti_leg_accept_volume(L, accepts, volume)));
  return RITTI_AND(on, RITTI_NOT(L->s == L->near));
}

/* Before the first step. Returns the lanes in which there are steps to take; *most becomes the number
 * of steps that may be tried. */
static inline ritti_mask ritti_leg_begin(ritti_leg *L, ritti_kernel_step *S, long *most) {
  const ritti_count none = (ritti_count)RITTI_NO_LANE, left = ritti_leg_integer(L->steps_left);
  const ritti_mask on = RITTI_AND(RITTI_NOT(L->s == L->end), left > 0);
  for (int l = 0; l < RITTI_WIDTH; l++)
    if (RITTI_LANE(on, l) && RITTI_LANE(left, l) < *most) *most = RITTI_LANE(left, l);
  L->again = L->retrying > 0;
  L->until = ritti_leg_integer(L->until_stiff);
  L->look_at = ritti_leg_integer(L->next_look - L->steps_before);
  for (int i = 0; i < RITTI_M; i++) ritti_leg_set_bound(L, i);
#define X(place, count) count = none;
  RITTI_LEG_COUNTS(X)
#undef X
  ritti_leg_find_bounds(L);
  ritti_leg_limit_growth(L);
  ritti_leg_link(L, S);
  return on;
}

/* After the last step: numbers that follow from others. */
static inline void ritti_leg_end(ritti_leg *L, const ritti_kernel_step *S) {
  const ritti_mask moved = L->accepted > 0;
  L->retrying = RITTI_SELECT(L->again, RITTI_ZERO + 1, RITTI_ZERO);
  L->rejected_h = RITTI_MATH(fabs)(L->rejected_h);
  for (int i = 1; i < RITTI_M; i++) L->largest[i] = RITTI_MATH(fabs)(L->largest[i]);
  RITTI_LEG_SET(RITTI_AND(moved, RITTI_NOT(L->again)), L->rejected_square, RITTI_ZERO);
  for (int j = 1; j < RITTI_M; j++)
    if (next_of[j] < 0) RITTI_LEG_SET(moved, L->top[-1 - next_of[j]], S->V[0][j]);
}

/* The arrays of a leg, as geometry/step_entry.h has them */
#ifdef RITTI_GPU
#define RITTI_LEG_MEMORY  = {store} /* the numbers of a leg, in its struct and beside it */
#define RITTI_LEG_SIZE(L) sizes_now
#else
#define RITTI_LEG_MEMORY
#define RITTI_LEG_SIZE(L) (L)->size
#endif
#define RITTI_LEG_LOCALS                                                                           \
  ritt_real f[RITTI_K + 1], df[RITTI_DF + 1], mu[RITTI_K + 1], B[RITTI_K * RITTI_M + 1];           \
  ritt_real dB[RITTI_K * RITTI_M + 1], per[RITTI_M], from[RITTI_M], z[RITTI_M], point[RITTI_M];    \
  ritt_real z_new[RITTI_M], top[RITTI_TOPS], vectors[RITTI_M * (RITTI_STAGES + 1)];                \
  ritt_real spread[RITTI_M], work[RITTI_ROW], factors[RITTI_TOPS * RITTI_TOPS];                    \
  ritt_real *V[RITTI_STAGES + 1];                                                                  \
  ritti_sizes sizes[2];                                                                            \
  ritt_real sizes_now[RITTI_M];                                                                    \
  ritti_leg leg RITTI_LEG_MEMORY, *const L = &leg;                                                 \
  ritti_kernel_step step, *const S = &step;                                                        \
  for (int i = 0; i <= RITTI_STAGES; i++) V[i] = vectors + RITTI_M * i;                            \
  S->z = z, S->point = point, S->z_new = z_new, S->top = top, S->V = V;                            \
  S->stage_from = from, S->end_from = from, S->f = f, S->df = df, S->mu = mu, S->B = B;            \
  S->dB = dB, S->per = per, S->sizes = sizes, S->work = work, S->factors = factors;                \
  S->spread = spread, S->size = RITTI_LEG_SIZE(L), S->relative = L->relative,                      \
  S->absolute = L->allowed;                                                                        \
  S->metric = RITTI_LEG_LENGTHS ? L->metric : NULL

#if RITTI_WIDTH == 1

/* Number i of run r is record[i * stride + r]. */
static inline void ritti_run_leg(volatile double *store, double *record, const long stride,
                                 long most) {
  RITTI_LEG_LOCALS;
#define X(place, number) number = record[(place)*stride];
  RITTI_LEG_NUMBERS(X)
  RITTI_LEG_CONSTANTS(X)
#undef X
#define X(number, array)                                                                           \
  for (int i = 0; i < RITTI_M; i++)                                                                \
    array[i] = record[(RITTI_LEG_HEAD + (number)*RITTI_M + i) * stride];
  RITTI_LEG_ARRAYS(X)
#undef X
#define X(place, number) number = leg_settings[place];
  RITTI_LEG_SETTINGS(X)
#undef X
#define X(number, array)                                                                           \
  for (int i = 0; i < RITTI_M; i++) array[i] = leg_settings[RITTI_LEG_HEAD + (number)*RITTI_M + i];
  RITTI_LEG_SETTING_ARRAYS(X)
#undef X
#define X(place, array, count)                                                                     \
  for (int i = 0; i < (count); i++) array[i] = record[((place) + i) * stride];
  RITTI_LEG_LISTS(X)
#undef X
  for (int i = 0; i < RITTI_READS; i++) work[step_reads[i]] = record[(RITTI_LEG_WORK + i) * stride];

  ritti_count steps = 0;
  ritti_mask on = ritti_leg_begin(L, S, &most);
  while (on && steps < most) {
    on = ritti_leg_step(L, S, spread, sizes_now, on);
    steps++;
  }
  ritti_leg_end(L, S);
  RITTI_FORGET(record); /* its addresses are made again: they would fill the registers until here */
  if (!RITTI_LEG_LENGTHS && steps)
    record[RITTI_LEG_TRAVELLED * stride] = INFINITY - INFINITY; /* it is not known */
  record[RITTI_LEG_WHY * stride] = on ? 2 : L->s == L->end ? 0 : 1;

#define X(place, number) record[(place)*stride] = number;
  RITTI_LEG_NUMBERS(X)
  RITTI_LEG_COUNTS(X)
#undef X
#define X(number, array)                                                                           \
  for (int i = 0; i < RITTI_M; i++)                                                                \
    record[(RITTI_LEG_HEAD + (number)*RITTI_M + i) * stride] = array[i];
  RITTI_LEG_ARRAYS(X)
#undef X
#define X(place, array, count)                                                                     \
  for (int i = 0; i < (count); i++) record[((place) + i) * stride] = array[i];
  RITTI_LEG_LISTS(X)
#undef X
}

#else

/* Legs of `count` runs, each with a record of its own. Lanes that are left over copy the last run. */
void ritt_batch_legs(int count, double *const *records, long most) {
  for (int first = 0; first < count; first += RITTI_WIDTH) {
    const int left = count - first < RITTI_WIDTH ? count - first : RITTI_WIDTH;
    double *W[RITTI_WIDTH];
    RITTI_LEG_LOCALS;
    for (int l = 0; l < RITTI_WIDTH; l++) W[l] = records[first + (l < left ? l : left - 1)];
#define X(place, number)                                                                           \
  for (int l = 0; l < RITTI_WIDTH; l++) (number)[l] = W[l][place];
    RITTI_LEG_NUMBERS(X)
    RITTI_LEG_CONSTANTS(X)
    RITTI_LEG_SETTINGS(X)
#undef X
#define X(number, array)                                                                           \
  for (int i = 0; i < RITTI_M; i++)                                                                \
    for (int l = 0; l < RITTI_WIDTH; l++)                                                          \
      (array)[i][l] = W[l][RITTI_LEG_HEAD + (number)*RITTI_M + i];
    RITTI_LEG_ARRAYS(X)
    RITTI_LEG_SETTING_ARRAYS(X)
#undef X
#define X(place, array, count)                                                                     \
  for (int i = 0; i < (count); i++)                                                                \
    for (int l = 0; l < RITTI_WIDTH; l++) (array)[i][l] = W[l][(place) + i];
    RITTI_LEG_LISTS(X)
#undef X
    for (int i = 0; i < RITTI_READS; i++)
      for (int l = 0; l < RITTI_WIDTH; l++) work[step_reads[i]][l] = W[l][RITTI_LEG_WORK + i];

    long steps = 0, last = most;
    ritti_mask on = ritti_leg_begin(L, S, &last);
    while (RITTI_ANY(on) && steps < last) {
      on = ritti_leg_step(L, S, spread, sizes_now, on);
      steps++;
    }
    ritti_leg_end(L, S);

    for (int l = 0; l < left; l++) {
      W[l][RITTI_LEG_WHY] = on[l] ? 2 : L->s[l] == L->end[l] ? 0 : 1;
#define X(place, number) W[l][place] = (number)[l];
      RITTI_LEG_NUMBERS(X)
#undef X
#define X(place, count) W[l][place] = (double)(count)[l];
      RITTI_LEG_COUNTS(X)
#undef X
#define X(number, array)                                                                           \
  for (int i = 0; i < RITTI_M; i++) W[l][RITTI_LEG_HEAD + (number)*RITTI_M + i] = (array)[i][l];
      RITTI_LEG_ARRAYS(X)
#undef X
#define X(place, array, count)                                                                     \
  for (int i = 0; i < (count); i++) W[l][(place) + i] = (array)[i][l];
      RITTI_LEG_LISTS(X)
#undef X
    }
  }
}

#endif

#endif
