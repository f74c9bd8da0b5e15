/* Equations without the denominators that vanish at the start: 2*y'/x + y = 0 becomes 2*y' + x*y = 0.
 *
 * In: expressions, and a function that says whether an expression vanishes. Out: for each of them a
 * numerator and a denominator, a product of powers of expressions that vanish. A sum has the least
 * common multiple of the denominators of its terms. Denominators inside functions other than powers
 * are left alone.
 */
#include "complete/series_start.h"

/* A product of base[i]^power[i]. */
typedef struct product {
  ritti_expr *base;
  long *power;
  int count;
} product;

typedef struct fraction {
  ritti_expr above;
  product below;
} fraction;

typedef struct clearing {
  const ritti_clearing *task;
  ritti_dag *dag;
  ritti_nodes nodes;
  fraction *of; /* of each node */
} clearing;

static const fraction *find_fraction(const clearing *W, ritti_expr e) {
  return &W->of[ritti_node_place(&W->nodes, e)];
}

static long power_in(const product *p, ritti_expr base) {
  for (int i = 0; i < p->count; i++)
    if (p->base[i] == base) return p->power[i];
  return 0;
}

/* Sets the power of a base; room: one more base than the product has. */
static void set_power(product *p, ritti_expr base, long power) {
  int i = 0;
  while (i < p->count && p->base[i] != base) i++;
  if (i == p->count) p->count++;
  p->base[i] = base;
  p->power[i] = power;
}

static ritt_status make_room(const clearing *W, int count, product *out) {
  out->count = 0;
  RITTI_NEW(out->base, W->task->arena, count + 1);
  RITTI_NEW(out->power, W->task->arena, count + 1);
  return RITT_OK;
}

static ritti_expr multiply_power(const clearing *W, ritti_expr e, ritti_expr base, long power) {
  return ritti_multiply(W->dag, e, ritti_power(W->dag, base, ritti_number(W->dag, power, 1)));
}

static ritt_status clear_sum(const clearing *W, ritti_expr e, fraction *out) {
  size_t count = ritti_argument_count(W->dag, e);
  int room = 0;
  ritti_expr *term;
  for (size_t k = 0; k < count; k++)
    room += find_fraction(W, ritti_argument(W->dag, e, k))->below.count;
  RITTI_NEW(term, W->task->arena, count + 1);
  RITT_TRY(make_room(W, room, &out->below));
  for (size_t k = 0; k < count; k++) {
    const product *below = &find_fraction(W, ritti_argument(W->dag, e, k))->below;
    for (int i = 0; i < below->count; i++)
      if (below->power[i] > power_in(&out->below, below->base[i]))
        set_power(&out->below, below->base[i], below->power[i]);
  }
  for (size_t k = 0; k < count; k++) {
    const fraction *f = find_fraction(W, ritti_argument(W->dag, e, k));
    term[k] = f->above;
    for (int i = 0; i < out->below.count; i++) {
      long missing = out->below.power[i] - power_in(&f->below, out->below.base[i]);
      if (missing > 0) term[k] = multiply_power(W, term[k], out->below.base[i], missing);
    }
  }
  out->above = ritti_sum(W->dag, term, count);
  return RITT_OK;
}

static ritt_status clear_product(const clearing *W, ritti_expr e, fraction *out) {
  size_t count = ritti_argument_count(W->dag, e);
  int room = 0;
  ritti_expr *factor;
  RITTI_NEW(factor, W->task->arena, count + 1);
  for (size_t k = 0; k < count; k++)
    room += find_fraction(W, ritti_argument(W->dag, e, k))->below.count;
  RITT_TRY(make_room(W, room, &out->below));
  for (size_t k = 0; k < count; k++) {
    const fraction *f = find_fraction(W, ritti_argument(W->dag, e, k));
    factor[k] = f->above;
    for (int i = 0; i < f->below.count; i++)
      set_power(&out->below, f->below.base[i],
                f->below.power[i] + power_in(&out->below, f->below.base[i]));
  }
  out->above = ritti_product(W->dag, factor, count);
  return RITT_OK;
}

/* A power with a whole exponent. *done: it is one. */
static ritt_status clear_power(const clearing *W, ritti_expr e, fraction *out, bool *done) {
  enum { MOST = 1000 };
  const fraction *f = find_fraction(W, ritti_argument(W->dag, e, 0));
  ritti_expr exponent = ritti_argument(W->dag, e, 1);
  *done = false;
  if (ritti_op_of(W->dag, exponent) != RITTI_NUMBER) return RITT_OK;
  mpq_srcptr q = ritti_rational_of(W->dag, exponent);
  if (mpz_cmp_ui(mpq_denref(q), 1) != 0 || mpz_cmpabs_ui(mpq_numref(q), MOST) > 0) return RITT_OK;

  long power = mpz_get_si(mpq_numref(q));
  *done = true;
  RITT_TRY(make_room(W, f->below.count + 1, &out->below));
  if (power > 0) {
    for (int i = 0; i < f->below.count; i++)
      set_power(&out->below, f->below.base[i], power * f->below.power[i]);
    out->above = ritti_power(W->dag, f->above, exponent);
    return RITT_OK;
  }
  bool vanishes;
  RITT_TRY(W->task->vanishes(W->task->context, f->above, &vanishes));
  out->above = vanishes ? ritti_number(W->dag, 1, 1) : ritti_power(W->dag, f->above, exponent);
  if (vanishes) set_power(&out->below, f->above, -power);
  for (int i = 0; i < f->below.count; i++)
    out->above = multiply_power(W, out->above, f->below.base[i], -power * f->below.power[i]);
  return RITT_OK;
}

static ritt_status clear_node(const clearing *W, ritti_expr e, fraction *out) {
  bool done = false;
  *out = (fraction){.above = e};
  switch (ritti_op_of(W->dag, e)) {
  case RITTI_ADD: return clear_sum(W, e, out);
  case RITTI_MULTIPLY: return clear_product(W, e, out);
  case RITTI_POWER: RITT_TRY(clear_power(W, e, out, &done)); break;
  default: break;
  }
  if (!done) *out = (fraction){.above = e};
  return RITT_OK;
}

static ritt_status clear_expression(clearing *W, ritti_expr e, ritti_expr *above,
                                    ritti_expr *below) {
  RITTI_NEW(W->of, W->task->arena, W->nodes.count + 1);
  for (size_t i = 0; i < W->nodes.count; i++) RITT_TRY(clear_node(W, W->nodes.at[i], &W->of[i]));
  const fraction *f = find_fraction(W, e);
  *above = f->above;
  *below = ritti_number(W->dag, 1, 1);
  for (int i = 0; i < f->below.count; i++)
    *below = multiply_power(W, *below, f->below.base[i], f->below.power[i]);
  return ritti_dag_status(W->dag);
}

ritt_status ritti_clear_denominators(const ritti_clearing *task, ritti_expr e, ritti_expr *above,
                                     ritti_expr *below) {
  clearing W = {.task = task, .dag = task->dag};
  RITT_TRY(ritti_nodes_below(task->dag, &e, 1, &W.nodes));
  ritt_status status = clear_expression(&W, e, above, below);
  ritti_free(W.nodes.at);
  return status;
}
