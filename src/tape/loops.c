/* Loops: the results of a tape that lie at equal distances and take their leaves from equal
 * distances.
 *
 * In: a tape with kernels. Out: its results as strands, each the instances first, first + period,
 * ... of one kernel whose slots and results go on by constant steps, and strands of the same length
 * together as one loop: native code computes all of them turn by turn, with what they have in
 * common once and without tables. What a loop does not take stays with the kernels. The source of a
 * loop holds the steps; where the strands begin, which is all that changes with the size of a
 * family, stands in a table beside it. Results that are leaves or constants, or that plain code
 * computes, are copies: strands without code.
 *
 * Results may be asked for in parts (the rows of some constraints alone): no strand is in two of
 * them.
 */
#include <stdlib.h>
#include "tape/eval_impl.h"

enum {
  LARGEST_PERIOD = 16,
  FEWEST_TURNS = RITTI_KERNEL_LANES,
  MOST_STRANDS = 64,
  MOST_STEPS = 400,
  NEAR = 16
};

/* ---- strands ---- */

typedef struct maker {
  ritti_arena *arena;
  size_t first, split;       /* slot of result number 0; results of the first array */
  const unsigned char *part; /* of each result; NULL: one part */
  RITTI_ARRAY(ritti_strand) strand;
  RITTI_ARRAY(ritti_rest) rest;
} maker;

typedef struct group {
  unsigned part;
  bool two; /* of the second array */
} group;
/* The part of mechanics and the array of results that an instance belongs to. */
static group group_of(const maker *m, const ritti_kernel *k, size_t instance) {
  size_t number = k->result[instance] - m->first;
  return (group){m->part ? m->part[number] : 1, number >= m->split};
}
static bool same_group(group a, group b) { return a.part == b.part && a.two == b.two; }

/* Are the steps from instance `b` to `b + period` those from `a` to `a + period`? */
static bool same_steps(const ritti_kernel *k, size_t a, size_t b, size_t period) {
  const uint32_t *x = k->slot + a * k->leaves, *y = k->slot + b * k->leaves;
  size_t far = period * k->leaves;
  if (k->result[a + period] - k->result[a] != k->result[b + period] - k->result[b]) return false;
  for (size_t i = 0; i < k->leaves; i++)
    if (x[i + far] - x[i] != y[i + far] - y[i]) return false;
  return true;
}

/* How many turns of `period` instances begin with instance s. */
static size_t turns_from(const maker *m, const ritti_kernel *k, size_t s, size_t period) {
  size_t t = s;
  if (k->count - s < 2 * period) return 0;
  while (t + period < k->count && same_steps(k, s + (t - s) % period, t, period) &&
         same_group(group_of(m, k, t), group_of(m, k, t + period)))
    t++;
  return (t - s) / period + 1;
}

/* Adds an instance that is in no strand; instances that follow each other are one range. */
static ritt_status add_rest(maker *m, const ritti_kernel *k, size_t s) {
  ritti_rest *last = m->rest.count ? &m->rest.at[m->rest.count - 1] : NULL;
  group g = group_of(m, k, s);
  if (last && last->kernel == k && last->end == s && last->part == g.part && last->two == g.two) {
    last->end++;
    return RITT_OK;
  }
  return RITTI_PUSH(m->rest, ((ritti_rest){k, g.part, g.two, s, s + 1}));
}

/* Native code has no tables. */
static bool looks_up(const ritti_kernel *k) {
  for (size_t i = 0; i < k->steps; i++)
    if (k->code[i].op == RITTI_M_TABLE) return true;
  return false;
}

/* Cuts the instances of a kernel into strands. Of several periods that fit from an instance on,
   the one that covers most wins. */
static ritt_status find_strands(maker *m, const ritti_kernel *k) {
  size_t longest = looks_up(k) ? 0 : LARGEST_PERIOD;
  for (size_t s = 0; s < k->count;) {
    size_t period = 0, turns = 0;
    for (size_t p = 1; p <= longest; p++) {
      size_t found = turns_from(m, k, s, p);
      if (found >= FEWEST_TURNS && found * p > turns * period) period = p, turns = found;
    }
    /* one strand for each place of the period */
    for (size_t i = 0; i < period; i++) {
      group g = group_of(m, k, s + i);
      RITT_TRY(RITTI_PUSH(m->strand, ((ritti_strand){k, g.part, g.two, s + i, period, turns})));
    }
    if (!period) RITT_TRY(add_rest(m, k, s));
    s += period ? period * turns : 1;
  }
  return RITT_OK;
}

/* ---- places: where the arrays of a loop begin ---- */

/* Where the results of a strand go, and how far apart. */
ritti_strand_place ritti_strand_result(const ritti_loops *loops, const ritti_strand *s) {
  const uint32_t *result = s->kernel->result + s->first;
  return (ritti_strand_place){s->two ? 3 : 2,
                              (ptrdiff_t)(result[0] - loops->first - (s->two ? loops->split : 0)),
                              (ptrdiff_t)result[s->period] - (ptrdiff_t)result[0]};
}

/* Where leaf i of a strand comes from: the coordinates (array 0) or the row (array 1). */
ritti_strand_place ritti_strand_leaf(const ritti_loops *loops, const ritti_strand *s, size_t i) {
  const ritti_kernel *k = s->kernel;
  const uint32_t *slot = k->slot + s->first * k->leaves + i,
                 last = slot[s->period * k->leaves * (s->turns - 1)];
  bool coordinates = slot[0] < loops->m && last < loops->m;
  return (ritti_strand_place){coordinates ? 0 : 1, slot[0],
                              (ptrdiff_t)slot[s->period * k->leaves] - (ptrdiff_t)slot[0]};
}

/* The place of a loop that `at` is counted from; the number of places if there is none. */
size_t ritti_loop_place(const ritti_loop *loop, ritti_strand_place at, ptrdiff_t *offset) {
  size_t i = 0;
  for (; i < loop->places; i++) {
    const ritti_strand_place *p = &loop->place[i];
    *offset = at.base - p->base;
    if (p->array == at.array && p->step == at.step && *offset >= 0 && *offset < NEAR) break;
  }
  return i;
}

/* The order of places: by array, by step, by base. */
static int compare_places(const void *a, const void *b) {
  const ritti_strand_place *p = a, *q = b;
  if (p->array != q->array) return p->array < q->array ? -1 : 1;
  if (p->step != q->step) return p->step < q->step ? -1 : 1;
  return p->base < q->base ? -1 : p->base > q->base;
}

/* Places near each other are one, with an offset that does not change with the size of the family.
 */
static ritt_status list_places(const ritti_loops *loops, ritti_loop *loop, ritti_arena *arena) {
  size_t count = 0, kept = 0;
  ritti_strand_place *all;
  ptrdiff_t *base;
  /* all results and leaves */
  for (size_t i = 0; i < loop->strands; i++) count += 1 + loop->strand[i].kernel->leaves;
  RITTI_NEW(all, arena, count);
  count = 0;
  for (size_t i = 0; i < loop->strands; i++) {
    const ritti_strand *s = &loop->strand[i];
    all[count++] = ritti_strand_result(loops, s);
    for (size_t j = 0; j < s->kernel->leaves; j++) all[count++] = ritti_strand_leaf(loops, s, j);
  }
  /* keep those that are not near another one */
  qsort(all, count, sizeof *all, compare_places);
  for (size_t i = 0; i < count; i++) {
    const ritti_strand_place *last = kept ? &all[kept - 1] : NULL;
    if (last && last->array == all[i].array && last->step == all[i].step &&
        all[i].base - last->base < NEAR)
      continue;
    all[kept++] = all[i];
  }
  RITTI_NEW(base, arena, kept);
  for (size_t i = 0; i < kept; i++) base[i] = all[i].base;
  loop->place = all, loop->places = kept, loop->base = base;
  return RITT_OK;
}

/* ---- loops ---- */

static size_t steps_of(const ritti_strand *s) { return s->kernel->steps + s->kernel->leaves; }

/* The results that are not of kernels: copies of slots. */
static ritt_status list_copies(const ritti_tape *tape, size_t first, ritti_arena *arena,
                               ritti_kernel *out) {
  uint32_t *slot, *result;
  RITTI_NEW_ARRAYS(arena, tape->others + 1, slot, result);
  for (size_t i = 0; i < tape->others; i++) {
    slot[i] = tape->result[tape->other[i]];
    result[i] = (uint32_t)first + tape->other[i];
  }
  out->leaves = 1, out->count = tape->others;
  out->slot = slot, out->result = result;
  return RITT_OK;
}

/* The coordinates that the row must have. */
static ritt_status list_reads(maker *m, const ritti_tape *tape, ritti_loops *out) {
  bool *read = ritti_malloc(out->m + 1);
  if (!read) return RITT_NO_MEMORY;
  memset(read, 0, out->m + 1);
  /* what single instructions and instances outside strands read */
  for (size_t i = 0; i < tape->count; i++) {
    const ritti_instruction *c = &tape->code[i];
    if (c->a < out->m) read[c->a] = true;
    if (c->b < out->m) read[c->b] = true;
  }
  for (size_t i = 0; i < out->rests; i++) {
    const ritti_rest *r = &out->rest[i];
    size_t leaves = r->kernel->leaves;
    for (size_t j = r->first * leaves; j < r->end * leaves; j++)
      if (r->kernel->slot[j] < out->m) read[r->kernel->slot[j]] = true;
  }
  /* as a list */
  for (size_t i = 0; i < out->m; i++) out->reads += read[i];
  uint32_t *list = ritti_arena_alloc(m->arena, out->reads + 1, sizeof *list);
  out->read = list;
  for (size_t i = 0; i < out->m && list; i++)
    if (read[i]) *list++ = (uint32_t)i;
  ritti_free(read);
  return out->read ? RITT_OK : RITT_NO_MEMORY;
}

/* Makes the loops of a tape: strands with equal numbers of turns run together. */
static ritt_status make_loops(maker *m, ritti_tape *tape, ritti_loops *out) {
  RITT_TRY(list_copies(tape, m->first, m->arena, &out->copies));
  for (size_t i = 0; i < tape->kernels->count; i++)
    RITT_TRY(find_strands(m, &tape->kernels->at[i]));
  RITT_TRY(find_strands(m, &out->copies));

  /* Strands of one part and as many turns, as long as they are not too many for one function. */
  size_t n = m->strand.count;
  ritti_strand *sorted;
  bool *taken = ritti_malloc(n + 1);
  if (!taken) return RITT_NO_MEMORY;
  memset(taken, 0, n + 1);
  sorted = ritti_arena_alloc(m->arena, n + 1, sizeof *sorted);
  out->at = ritti_arena_alloc(m->arena, n + 1, sizeof *out->at);
  ritt_status status = sorted && out->at ? RITT_OK : RITT_NO_MEMORY;
  size_t placed = 0;
  for (size_t i = 0; i < n && status == RITT_OK; i++) {
    if (taken[i]) continue;
    const ritti_strand *like = &m->strand.at[i];
    ritti_loop *loop = &out->at[out->count++];
    size_t steps = 0;
    loop->part = like->part, loop->turns = like->turns, loop->strand = sorted + placed;
    for (size_t j = i; j < n && loop->strands < MOST_STRANDS; j++) {
      const ritti_strand *s = &m->strand.at[j];
      if (taken[j] || s->part != like->part || s->turns != like->turns) continue;
      if (j > i && steps + steps_of(s) > MOST_STEPS) continue;
      steps += steps_of(s), taken[j] = true;
      sorted[placed++] = *s, loop->strands++;
    }
    status = list_places(out, loop, m->arena);
  }
  ritti_free(taken);
  RITT_TRY(status);

  /* what is left runs by tables */
  ritti_rest *rest;
  RITTI_NEW(rest, m->arena, m->rest.count + 1);
  if (m->rest.count) memcpy(rest, m->rest.at, m->rest.count * sizeof *rest);
  out->rest = rest, out->rests = m->rest.count;
  return list_reads(m, tape, out);
}

/* Makes the loops of a tape with families. */
ritt_status ritti_loops_make(ritti_tape *tape, size_t coordinates, size_t split,
                             const unsigned char *part, ritti_arena *arena) {
  if (!tape->kernels) return RITT_OK;
  ritti_loops *out;
  RITTI_NEW(out, arena, 1);
  maker m = {.arena = arena,
             .first = tape->result[tape->taken] - tape->taken,
             .split = split,
             .part = part};
  out->first = m.first, out->split = split, out->m = coordinates;
  ritt_status status = make_loops(&m, tape, out);
  RITTI_ARRAY_FREE(m.strand);
  RITTI_ARRAY_FREE(m.rest);
  if (status == RITT_OK) tape->loops = out;
  return status;
}

/* The number of the first result of an array. */
static size_t shift_of(const ritti_loops *loops, bool two) {
  return loops->first + (two ? loops->split : 0);
}

/* Runs the loops that belong to `parts`, by native code if it is ready, then the instances
   outside strands. */
void ritti_loops_execute(const ritti_loops *loops, const ritti_dag *dag, unsigned parts,
                         const ritt_real *z, const ritt_real *row, ritt_real *one, ritt_real *two) {
  bool ready = atomic_load_explicit(&loops->ready, memory_order_acquire);
  for (size_t i = 0; i < loops->count; i++) {
    const ritti_loop *loop = &loops->at[i];
    if (!(loop->part & parts)) continue;
    if (ready) loop->native(z, row, one, two, loop->base, loop->turns);
    for (size_t j = 0; j < loop->strands && !ready; j++) {
      const ritti_strand *s = &loop->strand[j];
      ritti_strand_execute(s, dag, loops->m, z, row, s->two ? two : one, shift_of(loops, s->two));
    }
  }
  for (size_t i = 0; i < loops->rests; i++) {
    const ritti_rest *r = &loops->rest[i];
    if (r->part & parts)
      ritti_kernel_execute(r->kernel, dag, r->first, r->end, row, r->two ? two : one,
                           shift_of(loops, r->two));
  }
}
