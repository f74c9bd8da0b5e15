/* Which operations the interpreter does together (fused.def).
 *
 * In: lowered steps. Out: for each step whether it is done by the one step that uses it, which then
 * is a fused instruction. Only values that are used once, and are no results, disappear so. The
 * steps are looked at in their order; the first that can take another takes it, products before
 * quotients, sums and differences.
 */
#include "tape/eval_impl.h"

enum { FIRST = 1, SECOND = 2, EITHER = 3, BOTH = 4 };
typedef struct rule {
  uint8_t op, inner, outer, side;
} rule;
static const rule rules[] = {
#define RITTI_FUSED(id, inner, outer, side, value)                                                 \
  {RITTI_FUSED_##id, RITTI_M_##inner, RITTI_M_##outer, side},
#include "tape/fused.def"
#undef RITTI_FUSED
};
enum { RULES = sizeof rules / sizeof *rules };

static bool is_binary(const ritti_step *s) { return ritti_machine_arguments[s->op] == 2; }

/* The rule by which the step takes what `takes` lets it; NULL: none. *second: its second operand.
 */
static const rule *find_rule(const ritti_lowered *l, uint32_t step, const bool *takes,
                             bool *second) {
  const ritti_step *s = &l->step[step];
  bool a = takes[s->a], b = is_binary(s) && takes[s->b];
  for (const rule *r = rules; r < rules + RULES; r++) {
    if (r->outer != s->op) continue;
    bool first = a && l->step[s->a].op == r->inner, other = b && l->step[s->b].op == r->inner;
    if (r->side == BOTH ? first && other
                        : (first && (r->side & FIRST)) || (other && (r->side & SECOND))) {
      *second = r->side != BOTH && !(first && (r->side & FIRST));
      return r;
    }
  }
  return NULL;
}

/* Decides which steps are computed together with the step that uses them. Only a step with one
   use can be absorbed, and only once. */
void ritti_fuse(const ritti_lowered *l, unsigned char *uses, bool *absorbed, bool *single) {
  /* how often each step is used, up to 2 */
  memset(uses, 0, l->steps);
  for (size_t i = 0; i < l->steps; i++) {
    const ritti_step *s = &l->step[i];
    absorbed[i] = false;
    if (s->op == RITTI_M_LEAF || s->op == RITTI_M_CONSTANT) continue;
    if (uses[s->a] < 2) uses[s->a]++;
    if (is_binary(s) && uses[s->b] < 2) uses[s->b]++;
  }
  for (size_t i = 0; i < l->results; i++) uses[l->result[i]] = 2;
  /* absorb where a rule fits */
  for (size_t i = 0; i < l->steps; i++) {
    const ritti_step *s = &l->step[i];
    bool second;
    single[i] = uses[i] == 1;
    if (s->op == RITTI_M_LEAF || s->op == RITTI_M_CONSTANT) continue;
    const rule *r = find_rule(l, (uint32_t)i, single, &second);
    if (!r) continue;
    if (r->side == BOTH) absorbed[s->a] = absorbed[s->b] = true;
    else absorbed[second ? s->b : s->a] = true;
    single[i] = false; /* it holds another already */
  }
}

/* The instruction of a step, with the steps that it has absorbed. */
ritti_fused ritti_fused_step(const ritti_lowered *l, const bool *absorbed, uint32_t step) {
  const ritti_step *s = &l->step[step];
  bool second;
  ritti_fused out = {s->op, step, s->a, is_binary(s) ? s->b : s->a, s->a, s->a};
  const rule *r = find_rule(l, step, absorbed, &second);
  if (!r) return out;
  const ritti_step *inner = &l->step[second ? s->b : s->a];
  out.op = r->op, out.a = inner->a, out.b = inner->b;
  if (r->side == BOTH) out.c = l->step[s->b].a, out.d = l->step[s->b].b;
  else out.c = out.d = second || !is_binary(s) ? s->a : s->b;
  return out;
}
