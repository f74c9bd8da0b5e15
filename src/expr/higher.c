/* Total derivatives of high order.
 *
 * Derivatives of derivatives swell: the number of nodes grows like a power of the number of terms.
 * Here each node has a tower D^0 e, D^1 e, ..., and Leibniz' rule makes D^k e of the towers of its
 * parts, so that the k-th derivative adds a number of nodes proportional to k for each node:
 *
 *   e = u v:             D^k e = sum_j C(k, j) D^j u D^(k-j) v
 *   e = f(u, v, ...):    D e = p D u + q D v + ..., p = df/du, q = df/dv, so that
 *                        D^k e = sum_j C(k-1, j) (D^j p D^(k-j) u + D^j q D^(k-j) v + ...)
 *   e = u^a, a < 0:      u D e = a e D u, differentiated k - 1 times and solved for D^k e
 */
#include "expr_impl.h"

typedef RITTI_ARRAY(ritti_expr) expr_list;

/* at[k] = D^k node */
typedef struct tower {
  ritti_expr node;
  expr_list at;
} tower;

typedef struct task {
  ritti_expr node;
  int order;
} task;

struct ritti_towers {
  ritti_dag *dag;
  RITTI_ARRAY(tower) towers;
  uint32_t *table; /* open addressing: place + 1 in `towers`; 0: free */
  size_t size;
  RITTI_ARRAY(task) tasks; /* the derivatives that are being formed, each for the one below it */
  expr_list terms;
};
typedef struct ritti_towers ritti_towers;

/* ---- towers ---- */

/* The cell of a node in the table of towers; 0 if it has none. */
static uint32_t *find_cell(const ritti_towers *T, ritti_expr node) {
  size_t mask = T->size - 1, at = (size_t)(node * 2654435769u) & mask;
  while (T->table[at] && T->towers.at[T->table[at] - 1].node != node) at = (at + 1) & mask;
  return &T->table[at];
}

/* Doubles the table of towers. */
static ritt_status enlarge_table(ritti_towers *T) {
  size_t size = T->size ? 2 * T->size : 64;
  uint32_t *table = ritti_malloc(size * sizeof *table);
  if (!table) return RITT_NO_MEMORY;

  memset(table, 0, size * sizeof *table);
  ritti_free(T->table);
  T->table = table;
  T->size = size;
  for (size_t i = 0; i < T->towers.count; i++)
    *find_cell(T, T->towers.at[i].node) = (uint32_t)(i + 1);
  return RITT_OK;
}

/* The tower of a node, which is made if there is none. */
static ritt_status find_tower(ritti_towers *T, ritti_expr node, tower **out) {
  if (2 * T->towers.count >= T->size) RITT_TRY(enlarge_table(T));
  uint32_t *cell = find_cell(T, node);
  if (!*cell) {
    tower made = {.node = node};
    RITT_TRY(RITTI_PUSH(made.at, node));
    ritt_status status = RITTI_PUSH(T->towers, made);
    if (status != RITT_OK) {
      RITTI_ARRAY_FREE(made.at);
      return status;
    }
    *cell = (uint32_t)T->towers.count;
  }
  *out = &T->towers.at[*cell - 1];
  return RITT_OK;
}

/* D^order node, which has been formed. */
static ritti_expr get_derivative(const ritti_towers *T, ritti_expr node, int order) {
  return T->towers.at[*find_cell(T, node) - 1].at.at[order];
}

/* Asks for D^order node. *missing: it has to be formed. */
static ritt_status need_derivative(ritti_towers *T, ritti_expr node, int order, bool *missing) {
  tower *t;
  if (node == RITTI_NIL) return RITT_NO_MEMORY;
  RITT_TRY(find_tower(T, node, &t));
  if (t->at.count > (size_t)order) return RITT_OK;
  *missing = true;
  return RITTI_PUSH(T->tasks, (task){node, order});
}

/* ---- Leibniz' rule ---- */

/* a C(n, j) + b C(n, i) */
static ritti_expr combine_binomials(ritti_dag *dag, ritti_expr a, int n, int j, long b, int i) {
  mpq_t sum, term;
  mpq_inits(sum, term, NULL);
  mpz_bin_uiui(mpq_numref(sum), (unsigned long)n, (unsigned long)j);
  mpz_bin_uiui(mpq_numref(term), (unsigned long)n, (unsigned long)i);
  mpz_mul_si(mpq_numref(term), mpq_numref(term), b);
  mpq_mul(sum, sum, ritti_rational_of(dag, a));
  mpq_add(sum, sum, term);
  ritti_expr result = ritti_rational(dag, sum);
  mpq_clears(sum, term, NULL);
  return result;
}

/* Appends factor u v to the terms of the sum that is being formed; zeros are left out. */
static ritt_status add_term(ritti_towers *T, ritti_expr factor, ritti_expr u, ritti_expr v) {
  ritti_expr product = ritti_product(T->dag, (ritti_expr[]){factor, u, v}, 3);
  if (product == RITTI_NIL) return RITT_NO_MEMORY;
  if (ritti_is_zero(T->dag, product)) return RITT_OK;
  return RITTI_PUSH(T->terms, product);
}

/* Adds sum_j C(n, j) D^j u D^(m-j) v, j = 0 ... n. */
static ritt_status add_leibniz(ritti_towers *T, ritti_expr u, ritti_expr v, int n, int m) {
  ritti_expr one = ritti_number(T->dag, 1, 1);
  for (int j = 0; j <= n; j++) {
    ritti_expr binomial = combine_binomials(T->dag, one, n, j, 0, 0);
    RITT_TRY(add_term(T, binomial, get_derivative(T, u, j), get_derivative(T, v, m - j)));
  }
  return RITT_OK;
}

/* Adds u D^k e of e = u^a: sum_j (a C(k-1, j) - C(k-1, k-j)) D^j e D^(k-j) u, j = 0 ... k - 1. */
static ritt_status add_power(ritti_towers *T, ritti_expr e, ritti_expr u, ritti_expr a, int k) {
  for (int j = 0; j < k; j++) {
    ritti_expr factor = combine_binomials(T->dag, a, k - 1, j, -1, k - j);
    RITT_TRY(add_term(T, factor, get_derivative(T, e, j), get_derivative(T, u, k - j)));
  }
  return RITT_OK;
}

/* ---- one node ---- */

/* Is it a number or a parameter? */
static bool is_constant(const ritti_dag *dag, ritti_expr e) {
  ritti_op op = ritti_op_of(dag, e);
  return ritti_is_leaf(dag, e) && op != RITTI_JET && op != RITTI_INDEPENDENT;
}

/* True for u^a with a negative number a. */
static bool is_negative_power(const ritti_dag *dag, ritti_expr e) {
  if (ritti_op_of(dag, e) != RITTI_POWER) return false;
  ritti_expr a = ritti_argument(dag, e, 1);
  return ritti_op_of(dag, a) == RITTI_NUMBER && mpq_sgn(ritti_rational_of(dag, a)) < 0;
}

/* The factors of a product after the first. */
static ritti_expr other_factors(ritti_dag *dag, ritti_expr e) {
  size_t n = ritti_argument_count(dag, e);
  if (n == 2) return ritti_argument(dag, e, 1);
  ritti_expr *factor = ritti_malloc(n * sizeof *factor);
  if (!factor) return RITTI_NIL;
  for (size_t i = 1; i < n; i++) factor[i - 1] = ritti_argument(dag, e, i);
  ritti_expr others = ritti_product(dag, factor, n - 1);
  ritti_free(factor);
  return others;
}

/* The derivative of a leaf: a jet of higher order, 1 or 0. */
static ritti_expr leaf_derivative(ritti_dag *dag, ritti_expr leaf, int order) {
  switch (ritti_op_of(dag, leaf)) {
  case RITTI_JET:
    return ritti_jet(dag, ritti_index_of(dag, leaf), ritti_order_of(dag, leaf) + order);
  case RITTI_INDEPENDENT: return ritti_number(dag, order == 1, 1);
  default: return ritti_number(dag, 0, 1);
  }
}

/* Asks for the parts of D^k e; its own lower derivatives are there. *missing: some part has to be
 * formed before. */
static ritt_status need_parts(ritti_towers *T, ritti_expr e, int k, bool *missing) {
  ritti_dag *dag = T->dag;
  ritti_op op = ritti_op_of(dag, e);
  *missing = false;
  if (ritti_is_leaf(dag, e)) return RITT_OK;
  /* a product needs both parts */
  if (op == RITTI_MULTIPLY) {
    RITT_TRY(need_derivative(T, other_factors(dag, e), k, missing));
    return need_derivative(T, ritti_argument(dag, e, 0), k, missing);
  }
  if (op == RITTI_WHEN || op == RITTI_UNLESS)
    return need_derivative(T, ritti_argument(dag, e, 1), k, missing);
  /* a sum its terms, a function its arguments and slopes */
  for (size_t i = 0, n = ritti_argument_count(dag, e); i < n; i++) {
    RITT_TRY(need_derivative(T, ritti_argument(dag, e, i), k, missing));
    if (op == RITTI_ADD || is_negative_power(dag, e)) continue;
    if (is_constant(dag, ritti_argument(dag, e, i))) continue;
    RITT_TRY(need_derivative(T, ritti_argument_slope(dag, e, i), k - 1, missing));
  }
  return RITT_OK;
}

/* D^k e of its parts. */
static ritt_status form_derivative(ritti_towers *T, ritti_expr e, int k, ritti_expr *out) {
  ritti_dag *dag = T->dag;
  ritti_op op = ritti_op_of(dag, e);
  if (ritti_is_leaf(dag, e)) {
    *out = leaf_derivative(dag, e, k);
    return RITT_OK;
  }

  T->terms.count = 0;
  /* a branch: its condition stays */
  if (op == RITTI_WHEN || op == RITTI_UNLESS) {
    ritti_expr branch = get_derivative(T, ritti_argument(dag, e, 1), k);
    *out = ritti_apply(dag, op, (ritti_expr[]){ritti_argument(dag, e, 0), branch}, 2);
    return RITT_OK;
  }
  /* u^a: u D^k(u^a) follows from lower derivatives */
  if (is_negative_power(dag, e)) {
    ritti_expr u = ritti_argument(dag, e, 0);
    RITT_TRY(add_power(T, e, u, ritti_argument(dag, e, 1), k));
    *out = ritti_divide(dag, ritti_sum(dag, T->terms.at, T->terms.count), u);
    return RITT_OK;
  }

  /* a product, or the chain rule */
  if (op == RITTI_MULTIPLY)
    RITT_TRY(add_leibniz(T, ritti_argument(dag, e, 0), other_factors(dag, e), k, k));
  for (size_t i = 0, n = ritti_argument_count(dag, e); op != RITTI_MULTIPLY && i < n; i++) {
    ritti_expr u = ritti_argument(dag, e, i);
    if (op == RITTI_ADD) RITT_TRY(RITTI_PUSH(T->terms, get_derivative(T, u, k)));
    else if (!is_constant(dag, u))
      RITT_TRY(add_leibniz(T, ritti_argument_slope(dag, e, i), u, k - 1, k));
  }
  *out = ritti_sum(dag, T->terms.at, T->terms.count);
  return RITT_OK;
}

/* ---- the derivative that is needed, and all that it needs ---- */

/* Forms what the stack of tasks asks for; a task stays until its parts are there. No recursion,
   since expressions may be deep. */
static ritt_status run_tasks(ritti_towers *T) {
  while (T->tasks.count > 0) {
    task now = T->tasks.at[T->tasks.count - 1];
    bool missing;
    tower *t;
    RITT_TRY(find_tower(T, now.node, &t));
    if (t->at.count > (size_t)now.order) {
      T->tasks.count--;
      continue;
    }

    /* one derivative after the other */
    int order = (int)t->at.count;
    if (order < now.order) {
      RITT_TRY(RITTI_PUSH(T->tasks, (task){now.node, order}));
      continue;
    }
    RITT_TRY(need_parts(T, now.node, now.order, &missing));
    if (missing) continue;

    ritti_expr derivative = RITTI_NIL;
    RITT_TRY(form_derivative(T, now.node, now.order, &derivative));
    if (derivative == RITTI_NIL) return RITT_NO_MEMORY;
    RITT_TRY(find_tower(T, now.node, &t));
    RITT_TRY(RITTI_PUSH(t->at, derivative));
    T->tasks.count--;
  }
  return RITT_OK;
}

/* D^order of the root by the tower of derivatives. */
static ritt_status find_derivative(ritti_towers *T, ritti_expr root, int order, ritti_expr *out) {
  bool missing;
  T->tasks.count = 0;
  RITT_TRY(need_derivative(T, root, order, &missing));
  RITT_TRY(run_tasks(T));
  *out = get_derivative(T, root, order);
  return RITT_OK;
}

/* The total derivative of the given order. High orders are formed by Leibniz's rule, which
   shares the lower derivatives of all parts. */
ritti_expr ritti_dag_total_of_order(ritti_dag *dag, ritti_expr root, int order) {
  enum { FIRST_HIGH = 5 }; /* below, the derivative of the derivative is as short */
  if (order < FIRST_HIGH) {
    for (int k = 0; k < order; k++) root = ritti_dag_total(dag, root);
    return root;
  }

  if (!dag->towers) {
    dag->towers = ritti_malloc(sizeof *dag->towers);
    if (!dag->towers) return ritti_fail_dag(dag);
    *dag->towers = (ritti_towers){.dag = dag};
  }
  ritti_expr derivative;
  if (find_derivative(dag->towers, root, order, &derivative) != RITT_OK) return ritti_fail_dag(dag);
  return derivative;
}

/* Frees the derivatives that are kept. */
void ritti_forget_towers(ritti_dag *dag) {
  ritti_towers *T = dag->towers;
  if (!T) return;
  for (size_t i = 0; i < T->towers.count; i++) RITTI_ARRAY_FREE(T->towers.at[i].at);
  RITTI_ARRAY_FREE(T->towers);
  RITTI_ARRAY_FREE(T->tasks);
  RITTI_ARRAY_FREE(T->terms);
  ritti_free(T->table);
  ritti_free(T);
  dag->towers = NULL;
}
