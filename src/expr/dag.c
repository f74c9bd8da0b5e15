/* The DAG as an object, its leaves and numbers. */
#include <assert.h>
#include <stdlib.h>
#include "expr_impl.h"

const char *const ritti_op_text[RITTI_OP_COUNT] = {
#define RITTI_OP(id, text, arguments, language) text,
#include "expr/ops.def"
};

const signed char ritti_op_arguments[RITTI_OP_COUNT] = {
#define RITTI_OP(id, text, arguments, language) arguments,
#include "expr/ops.def"
};

const unsigned char ritti_op_call[RITTI_OP_COUNT] = {
#define RITTI_OP(id, text, arguments, language) RITTI_##language,
#include "expr/ops.def"
};

/* An empty DAG; node 0 stands for "no expression". */
ritti_dag *ritti_dag_new(void) {
  ritti_dag *dag = ritti_malloc(sizeof *dag);
  if (!dag) return NULL;
  *dag = (ritti_dag){0};
  if (RITTI_PUSH(dag->nodes, (ritti_dag_node){0}) == RITT_OK) return dag;
  ritti_free(dag);
  return NULL;
}

/* Frees the DAG with all expressions in it. */
void ritti_dag_free(ritti_dag *dag) {
  if (!dag) return;
  for (size_t i = 0; i < dag->numbers; i++)
    mpq_clear(&dag->blocks.at[i / RITTI_NUMBER_BLOCK][i % RITTI_NUMBER_BLOCK]);
  for (size_t i = 0; i < dag->blocks.count; i++) ritti_free(dag->blocks.at[i]);
  RITTI_ARRAY_FREE(dag->blocks);
  RITTI_ARRAY_FREE(dag->nodes);
  RITTI_ARRAY_FREE(dag->pool);
  RITTI_ARRAY_FREE(dag->tables);
  ritti_free(dag->table_block);
  ritti_forget_gradients(dag);
  ritti_forget_towers(dag);
  ritti_free(dag);
}

ritt_status ritti_dag_status(const ritti_dag *dag) { return dag->status; }

void ritti_dag_mend(ritti_dag *dag) { dag->status = RITT_OK; }

/* Notes that memory ran out; every later operation then gives NIL, so that callers test once, at
   the end. */
ritti_expr ritti_fail_dag(ritti_dag *dag) {
  dag->status = RITT_NO_MEMORY;
  return RITTI_NIL;
}

/* ---- leaves ---- */
static ritti_expr make_leaf(ritti_dag *dag, ritti_op op, int index, int order) {
  assert(index >= 0 && order >= 0);
  return ritti_intern_leaf(dag, op, (uint32_t)index, (uint32_t)order);
}

/* numerator / denominator, reduced by Euclid's algorithm. */
ritti_expr ritti_number(ritti_dag *dag, long numerator, unsigned long denominator) {
  assert(denominator);
  unsigned long a = numerator < 0 ? -(unsigned long)numerator : (unsigned long)numerator,
                b = denominator;
  while (b) {
    unsigned long rest = a % b;
    a = b, b = rest;
  }
  return ritti_ratio(dag, numerator / (long)a, denominator / a);
}

/* The number that a double is exactly. */
ritti_expr ritti_binary_number(ritti_dag *dag, double value) {
  mpq_t exact;
  mpq_init(exact);
  mpq_set_d(exact, value);
  ritti_expr e = ritti_rational(dag, exact);
  mpq_clear(exact);
  return e;
}

ritti_expr ritti_pi(ritti_dag *dag) { return make_leaf(dag, RITTI_PI, 0, 0); }
ritti_expr ritti_independent(ritti_dag *dag) { return make_leaf(dag, RITTI_INDEPENDENT, 0, 0); }
/* The derivative of the given order of an unknown. */
ritti_expr ritti_jet(ritti_dag *dag, int variable, int order) {
  return make_leaf(dag, RITTI_JET, variable, order);
}
ritti_expr ritti_parameter(ritti_dag *dag, int index) {
  return make_leaf(dag, RITTI_PARAMETER, index, 0);
}
ritti_expr ritti_level(ritti_dag *dag, int index) { return make_leaf(dag, RITTI_LEVEL, index, 0); }
ritti_expr ritti_multiplier(ritti_dag *dag, int index) {
  return make_leaf(dag, RITTI_MULTIPLIER, index, 0);
}
ritti_expr ritti_side(ritti_dag *dag, int index) { return make_leaf(dag, RITTI_SIDE, index, 0); }

/* ---- tables ---- */
int ritti_dag_add_table(ritti_dag *dag, const ritti_table *table) {
  if (RITTI_PUSH(dag->tables, table) == RITT_OK) return (int)dag->tables.count - 1;
  ritti_fail_dag(dag);
  return -1;
}

size_t ritti_dag_table_count(const ritti_dag *dag) { return dag->tables.count; }

/* The tables that nodes of this DAG refer to by number. */
const ritti_table *const *ritti_dag_tables(const ritti_dag *dag) {
  return (const ritti_table *const *)dag->tables.at;
}

/* A table at u; the code holds the table, the order of the derivative and the parity. */
ritti_expr ritti_table_at(ritti_dag *dag, int table, int order, int parity, ritti_expr u) {
  ritti_expr code = ritti_number(dag, (long)ritti_table_code(table, order, parity), 1);
  return ritti_intern(dag, RITTI_TABLE, (ritti_expr[]){u, code}, 2);
}

/* The code of a node made by ritti_table_at. */
double ritti_table_code_of(const ritti_dag *dag, ritti_expr e) {
  assert(ritti_op_of(dag, e) == RITTI_TABLE);
  return mpq_get_d(ritti_rational_of(dag, ritti_argument(dag, e, 1)));
}

/* ---- numbers ---- */
/* The quotient to 55 or 56 bits with a sticky bit below, rounded once; fewer bits where the result
 * is subnormal. */
double ritti_rational_double(mpq_srcptr value) {
  enum { DIGITS = 55, SUBNORMAL = 1076 };
  int64_t small_n, small_d;
  if (ritti_small_number(value, &small_n, &small_d)) return (double)small_n / (double)small_d;
  mpz_srcptr n = mpq_numref(value), d = mpq_denref(value);
  long exponent = (long)mpz_sizeinbase(n, 2) - (long)mpz_sizeinbase(d, 2);
  if (exponent > 1100) return mpq_sgn(value) < 0 ? -INFINITY : INFINITY;
  if (exponent < -1200) return mpq_sgn(value) < 0 ? -0.0 : 0.0;
  long shift = DIGITS - exponent < SUBNORMAL ? DIGITS - exponent : SUBNORMAL;

  /* divide such that the quotient has enough bits */
  mpz_t a, b, rest;
  mpz_inits(a, b, rest, NULL);
  mpz_abs(a, n);
  mpz_set(b, d);
  if (shift >= 0) mpz_mul_2exp(a, a, (mp_bitcnt_t)shift);
  else mpz_mul_2exp(b, b, (mp_bitcnt_t)-shift);
  mpz_tdiv_qr(a, rest, a, b);
  uint64_t bits = 0;
  mpz_export(&bits, NULL, -1, sizeof bits, 0, 0, a);
  bits = bits << 1 | (mpz_sgn(rest) != 0);
  mpz_clears(a, b, rest, NULL);

  /* subnormal results: round here, since ldexp would round a second time */
  if (shift == SUBNORMAL) {
    uint64_t low = bits & 7;
    bits >>= 3;
    bits += low > 4 || (low == 4 && (bits & 1));
    shift -= 3;
  }
  double result = ldexp((double)bits, (int)-(shift + 1));
  return mpq_sgn(value) < 0 ? -result : result;
}
