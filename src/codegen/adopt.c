/* Compiled code -> Problem: checksums by which problems share code, and functions that take the place
 * of the interpreter. */
#include "base/state.h"
#include "codegen/codegen_impl.h"

/* two checksums at once */
typedef struct summing {
  uint64_t one, two;
} summing;

static void add_bytes(summing *s, const void *at, size_t size) {
  s->one = ritti_checksum(s->one, &size, sizeof size);
  s->two = ritti_checksum(s->two, &size, sizeof size);
  if (!size) return;
  s->one = ritti_checksum(s->one, at, size);
  s->two = ritti_checksum(s->two, at, size);
}

static void add_pattern(summing *s, const ritti_pattern *p) {
  add_bytes(s, p->start, p->start && p->rows ? (size_t)(p->rows + 1) * sizeof *p->start : 0);
  add_bytes(s, p->col, ritti_entries(p) * sizeof *p->col);
}

bool ritti_problem_sum(const ritti_problem *p, const ritti_native_aim *aim, uint64_t sum[2]) {
  const ritti_evaluator *e = p->data;
  const ritti_row_parts part = ritti_layout_parts(e->layout);
  const int number[] = {p->kind, p->m, p->k, p->tops, p->positions, p->constraints, p->symmetric};
  summing s = {RITTI_CHECKSUM, ~RITTI_CHECKSUM};
  ritti_tape_entry at[RITTI_TAPES];
  if (!ritti_unit_fits(p)) return false;
  ritti_list_tapes(e, at);
  for (int i = 0; i < RITTI_TAPES; i++)
    if (at[i].tape->kernels) return false;
  ritt_real *row = ritti_malloc((ritti_layout_size(e->layout) + 1) * sizeof *row);
  if (!row) return false;
  ritti_layout_init(e->layout, row);
  for (int i = 0; i < RITTI_TAPES; i++) {
    add_bytes(&s, at[i].tape->code, at[i].tape->count * sizeof *at[i].tape->code);
    add_bytes(&s, at[i].tape->result,
              (at[i].tape->results + at[i].tape->shared) * sizeof *at[i].tape->result);
    add_bytes(&s, &at[i].first, sizeof at[i].first);
  }
  add_bytes(&s, number, sizeof number);
  add_bytes(&s, &part, sizeof part);
  add_bytes(&s, row + part.constant, (part.temporary - part.constant) * sizeof *row);
  add_bytes(&s, p->next, (size_t)p->m * sizeof *p->next);
  add_bytes(&s, p->s, p->symmetric ? (size_t)p->constraints * sizeof *p->s : 0);
  add_pattern(&s, &p->df);
  add_pattern(&s, &p->A);
  add_bytes(&s, &p->by, sizeof p->by);
  add_pattern(&s, &p->dr_z);
  add_pattern(&s, &p->dr_p);
  add_pattern(&s, &p->df_z);
  add_pattern(&s, &p->df_p);
  if (aim->method) add_bytes(&s, &aim->method->key, sizeof aim->method->key);
  else add_bytes(&s, &aim->stages, sizeof aim->stages);
  ritti_free(row);
  sum[0] = s.one, sum[1] = s.two;
  return true;
}

/* Adopts the loops of a tape, if there is code for all of them. */
static void adopt_loops(ritti_loops *loops, const char *tape,
                        ritti_any_function (*get)(const void *from, const char *name),
                        const void *from) {
  char name[64];
  bool all = loops->count > 0;
  for (size_t i = 0; i < loops->count && all; i++) {
    ritti_format(name, sizeof name, "%s_loop_%zu", tape, i);
    ritti_any_function found = get(from, name);
    loops->at[i].native = (ritti_native_loop *)found;
    all = found != NULL;
  }
  if (all) atomic_store_explicit(&loops->ready, true, memory_order_release);
}

bool ritti_problem_wants_native(const ritti_problem *problem, const ritti_native_aim *aim) {
  const ritti_evaluator *e = problem->data;
  int count = atomic_load(&e->code->count);
  if (count == 0) return true;
  if (count >= RITTI_MOST_NATIVE) return false;
  for (int s = 1; s <= 2 * RITTI_MOST_STAGES && ritti_stages_fit(problem); s++)
    if (aim->stages >> s & 1 && !problem->code.stages(problem->data, s)) return true;
  return aim->method && ritti_unit_fits(problem) &&
         !problem->code.step(problem->data, aim->method->key);
}

void ritti_problem_take_native(const ritti_problem *problem,
                               ritti_any_function (*get)(const void *from, const char *name),
                               const void *from) {
  ritti_tape_entry at[RITTI_TAPES];
  char name[64];
  ritti_list_tapes(problem->data, at);
  const ritti_evaluator *e = problem->data;
  ritti_code_slot *slot = e->code;
  ritti_any_function step = get(from, "ritt_step"), key = get(from, "ritt_step_key");
  int free = 0;
  while (free < RITTI_MOST_NATIVE && atomic_load(&slot->step[free].take)) free++;
  if (step && key && free < RITTI_MOST_NATIVE) {
    slot->step[free].key = ((unsigned long (*)(void))key)();
    slot->step[free].tangents = (ritti_tangent_function *)get(from, "ritt_tangents");
    atomic_store_explicit(&slot->step[free].take, (ritti_step_function *)step,
                          memory_order_release);
  }
  for (int s = 1; s <= 2 * RITTI_MOST_STAGES; s++) {
    ritti_format(name, sizeof name, "ritt_stages_%d", s);
    ritti_any_function stages = get(from, name);
    if (stages)
      atomic_store_explicit(&slot->stages[s], (ritti_stage_function *)stages, memory_order_release);
  }
  for (int i = 0; i < RITTI_TAPES; i++) {
    const ritti_tape *tape = at[i].tape;
    const ritti_kernels *kernels = tape->kernels;
    ritti_any_function found = get(from, at[i].name);
    if (found && kernels)
      atomic_store_explicit(&tape->native->plain, (ritti_native_code *)found, memory_order_release);
    else if (found)
      atomic_store_explicit(&tape->native->all, (ritti_native_tape *)found, memory_order_release);
    for (size_t k = 0; kernels && k < kernels->count; k++) {
      ritti_format(name, sizeof name, "%s_kernel_%zu", at[i].name, k);
      if ((found = get(from, name)))
        atomic_store_explicit(&kernels->at[k].native, (ritti_native_kernel *)found,
                              memory_order_release);
    }
    if (tape->loops && !atomic_load(&tape->loops->ready))
      adopt_loops(tape->loops, at[i].name, get, from);
  }
  if (atomic_load(&slot->has_forms)) return; /* another unit has been published */
  slot->get = get;
  slot->from = from;
  atomic_store_explicit(&slot->has_forms, true, memory_order_release);
}
