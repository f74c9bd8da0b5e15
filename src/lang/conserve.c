/* Conserved quantities of a motion: the energy function h = sum q' L_q' - L or the hamiltonian,
 * and the momenta of cyclic coordinates; or the reasons why the energy is not conserved.
 *
 *    h' = -L_t + sum q'(Q - R_q') + sum lambda (G q'),
 *
 * where G q' is -g_t, or the driving term of a nonholonomic constraint.
 *
 * These identities decide which quantities are offered. If the model makes one of them an
 * invariant, the completion checks it again.
 */
#include <stdlib.h>
#include "mechanics_impl.h"

/* ---- test for zero ---- */

/* The fractional part of a number. */
static double fraction(double x) { return x - floor(x); }

/* The value of a jet at a generic point: between -1.5 and 1.5, not near 0. */
static double generic_jet(const void *context, int variable, int order) {
  double r = fraction(0.6180339887498949 * (variable + 1) + 0.4142135623730951 * (order + 1) +
                      0.7320508075688772 * *(const int *)context);
  return r < 0.5 ? -1.5 + 2 * r : 0.5 + 2 * (r - 0.5);
}

ritt_status ritti_vanishes(ritti_resolver *s, const ritti_expr *terms, size_t count, bool *yes) {
  enum { POINTS = 3 };

  /* all terms are the number 0 */
  bool plain = true;
  *yes = true;
  for (size_t i = 0; i < count; i++) plain = plain && ritti_is_zero(s->dag, terms[i]);
  if (plain) return RITT_OK;

  /* the values of the parameters, computed once */
  ritti_plan *plan;
  double *value;
  RITTI_NEW(value, s->reader->scratch, count);
  for (int p = 0; !s->mechanics->values && p < s->model->parameters; p++)
    s->value[p] = s->model->parameter[p].number;
  s->mechanics->values = true;

  /* the sum must be small in comparison with its terms at each generic point */
  RITT_TRY(ritti_plan_new(s->dag, terms, count, &plan));
  for (int point = 1; point <= POINTS; point++) {
    ritti_values values = {.independent = generic_jet(&point, -1, 0),
                           .jet = generic_jet,
                           .context = &point,
                           .parameter = s->value};

    /* compare the sum of the terms with the sum of their sizes */
    double sum = 0, size = 0;
    ritti_plan_evaluate(plan, &values, value);
    for (size_t i = 0; i < count; i++) {
      sum += value[i];
      size += fabs(value[i]);
    }
    if (!(fabs(sum) <= 1e-12 * size)) *yes = false;
  }

  ritti_plan_free(plan);
  return RITT_OK;
}

/* ---- the energy function ---- */

enum { MIXED = -1 }; /* the degree of an expression that is not homogeneous */

/* The degree of a power in the velocities, or MIXED. */
static int power_degree(const ritti_dag *dag, int degree, ritti_expr exponent,
                        int exponent_degree) {
  if (degree == 0 && exponent_degree == 0) return 0;
  if (degree == MIXED || ritti_op_of(dag, exponent) != RITTI_NUMBER) return MIXED;
  double d = degree * mpq_get_d(ritti_rational_of(dag, exponent));
  bool whole = d == floor(d) && fabs(d) < 100 && d >= 0;
  return whole ? (int)d : MIXED;
}

/* The degree in which a node is homogeneous in the velocities, or MIXED. */
static int node_degree(const ritti_dag *dag, const ritti_nodes *nodes, const int *degree,
                       ritti_expr e) {
  ritti_op op = ritti_op_of(dag, e);
  size_t count = ritti_argument_count(dag, e);

  /* leaves */
  if (op == RITTI_JET) return ritti_order_of(dag, e) > 0;
  if (count == 0) return 0;

  /* the degrees of the arguments: their sum, and whether they are equal */
  int first = degree[ritti_node_place(nodes, ritti_argument(dag, e, 0))], sum = 0;
  bool equal = true;
  for (size_t i = 0; i < count; i++) {
    int d = degree[ritti_node_place(nodes, ritti_argument(dag, e, i))];
    equal = equal && d == first;
    if (d == MIXED) sum = MIXED;
    if (sum != MIXED) sum += d;
  }

  /* sums need equal degrees, products add them, functions need degree 0 */
  if (op == RITTI_ADD) return equal ? first : MIXED;
  if (op == RITTI_MULTIPLY) return sum;
  if (op == RITTI_POWER) {
    ritti_expr exponent = ritti_argument(dag, e, 1);
    return power_degree(dag, first, exponent, degree[ritti_node_place(nodes, exponent)]);
  }
  return equal && first == 0 ? 0 : MIXED;
}

/* sum q' e_q' - e for an arbitrary expression e */
static ritt_status general_energy(ritti_resolver *s, ritti_expr e, ritti_expr *out) {
  ritti_gradient g;
  RITT_TRY(ritti_dag_gradient_of(s->dag, e, 1u << RITTI_JET, &g));
  size_t kept = 0;
  for (size_t i = 0; i < g.count; i++)
    if (ritti_order_of(s->dag, g.leaf[i]) == 1)
      g.derivative[kept++] = ritti_multiply(s->dag, g.leaf[i], g.derivative[i]);
  *out = ritti_subtract(s->dag, ritti_sum(s->dag, g.derivative, kept), e);
  ritti_gradient_clear(&g);
  return ritti_dag_status(s->dag);
}

/* A term factor*e of the lagrangian. */
typedef struct piece {
  ritti_expr e, factor;
} piece;

/* The terms that remain to be treated, and the terms of the energy function. */
typedef struct pieces {
  RITTI_ARRAY(piece) todo;
  RITTI_ARRAY(ritti_expr) done;
} pieces;

/* A term that is homogeneous of degree d in the velocities contributes (d - 1) times itself.
 * Sums of mixed degree are split into their terms. */
static ritt_status split_pieces(ritti_resolver *s, const ritti_nodes *nodes, const int *degree,
                                pieces *P) {
  ritti_dag *dag = s->dag;
  while (P->todo.count > 0) {
    piece t = P->todo.at[--P->todo.count];
    int d = degree[ritti_node_place(nodes, t.e)];
    size_t count = ritti_argument_count(dag, t.e);
    ritti_op op = ritti_op_of(dag, t.e);

    /* a sum of mixed degree: treat its terms one by one */
    if (d == MIXED && op == RITTI_ADD) {
      for (size_t i = count; i-- > 0;)
        RITT_TRY(RITTI_PUSH(P->todo, (piece){ritti_argument(dag, t.e, i), t.factor}));
      continue;
    }

    /* a number times a term of mixed degree: move the number to the factor */
    ritti_expr number =
        op == RITTI_MULTIPLY && count == 2 ? ritti_argument(dag, t.e, 0) : RITTI_NIL;
    if (d == MIXED && number != RITTI_NIL && ritti_op_of(dag, number) == RITTI_NUMBER) {
      RITT_TRY(RITTI_PUSH(
          P->todo, (piece){ritti_argument(dag, t.e, 1), ritti_multiply(dag, t.factor, number)}));
      continue;
    }

    /* the contribution of the term to the energy function */
    ritti_expr h;
    if (d == MIXED) RITT_TRY(general_energy(s, t.e, &h));
    else h = ritti_multiply(dag, ritti_number(dag, d - 1, 1), t.e);
    RITT_TRY(RITTI_PUSH(P->done, ritti_multiply(dag, t.factor, h)));
  }
  return RITT_OK;
}

/* h = sum q' L_q' - L, written as a sum over the terms of L. */
ritt_status ritti_lagrange_energy(ritti_resolver *s, ritti_expr *out) {
  ritti_expr L = s->mechanics->lagrangian;
  ritti_nodes nodes = {0};
  pieces P = {0};
  RITT_TRY(ritti_nodes_below(s->dag, &L, 1, &nodes));
  int *degree = ritti_malloc((nodes.count + 1) * sizeof *degree);

  /* begin with the whole lagrangian, the degrees of all nodes being known */
  ritt_status status = RITT_NO_MEMORY;
  if (degree) status = RITTI_PUSH(P.todo, (piece){L, ritti_number(s->dag, 1, 1)});
  if (status == RITT_OK) {
    for (size_t i = 0; i < nodes.count; i++)
      degree[i] = node_degree(s->dag, &nodes, degree, nodes.at[i]);
    status = split_pieces(s, &nodes, degree, &P);
  }
  if (status == RITT_OK) *out = ritti_sum(s->dag, P.done.at, P.done.count);

  ritti_free(nodes.at);
  ritti_free(degree);
  RITTI_ARRAY_FREE(P.todo);
  RITTI_ARRAY_FREE(P.done);
  return status == RITT_OK ? ritti_dag_status(s->dag) : status;
}

/* ---- reasons why the energy is not conserved ---- */

/* Appends a reason to the list. */
static void add_reason(ritti_text *reasons, const char *text) {
  ritti_text_add(reasons, "%s%s", reasons->count ? "; " : "", text);
}

/* Forces whose power does not vanish: names up to SHOWN of them. */
static ritt_status reason_forces(ritti_resolver *s, ritti_text *reasons) {
  enum { SHOWN = 3 };
  const ritti_mechanics *M = s->mechanics;
  ritti_expr *power;
  bool zero;

  /* the power of each force; forces may cancel each other */
  RITTI_NEW(power, s->reader->scratch, M->forces.count + 1);
  for (size_t i = 0; i < M->forces.count; i++)
    power[i] = ritti_multiply(s->dag, M->forces.at[i].expr,
                              ritti_jet(s->dag, M->forces.at[i].variable, 1));
  RITT_TRY(ritti_vanishes(s, power, M->forces.count, &zero));

  /* name the forces, one of each family */
  int shown = 0;
  uint32_t last = NO_TOKEN;
  for (size_t i = 0; !zero && i < M->forces.count && shown <= SHOWN; i++) {
    uint32_t line = M->forces.at[i].token;
    if (line == last || ritti_is_zero(s->dag, power[i])) continue;
    last = line;

    /* name it, or say that there are more */
    const char *reason = "there are further forces";
    if (shown < SHOWN)
      reason =
          ritti_words(s->reader, "there is a force on %s (%s)",
                      s->model->variable[M->forces.at[i].variable].name, ritti_where_is(s, line));
    add_reason(reasons, reason);
    shown++;
  }
  return RITT_OK;
}

/* The first constraint that does work because it depends on time or does not hold at rest. */
static ritt_status reason_constraints(ritti_resolver *s, ritti_text *reasons) {
  const ritti_mechanics *M = s->mechanics;
  for (size_t i = 0; i < M->held.count; i++) {
    const ritti_held *h = &M->held.at[i];
    const ritti_clause *c = &M->clauses.at[h->clause];
    const char *line = ritti_where_is(s, c->line->first);
    bool zero;
    RITT_TRY(ritti_vanishes(s, &h->drift, 1, &zero));
    if (zero) continue;

    const char *reason;
    if (c->nonholonomic)
      reason = ritti_words(s->reader, "%s (%s) does not hold at rest", h->subject, line);
    else
      reason =
          ritti_words(s->reader, "%s (%s) depends on %s", h->subject, line, s->model->independent);
    add_reason(reasons, reason);
    return RITT_OK;
  }
  return RITT_OK;
}

/* The word `energy` or `momentum` in a name, if the model uses that word for something else; or
 * NULL. */
static const char *find_clashing_name(ritti_resolver *s, const char *name) {
  static const char *const word[] = {"energy", "momentum"};
  for (size_t i = 0; i < 2; i++) {
    const ritti_symbol *y = ritti_symbols_find(&s->names, word[i], strlen(word[i]));
    size_t length = strlen(word[i]);
    bool begins = !strncmp(name, word[i], length) && (name[length] == '(' || !name[length]);
    if (begins && y && y->token != s->mechanics->head->first) return word[i];
  }
  return NULL;
}

/* Adds a conserved quantity, or with reasons one that is not conserved. */
static ritt_status add_conserved(ritti_resolver *s, const char *name, ritti_expr e,
                                 const ritti_text *reasons) {
  ritti_model *m = s->model;
  const char *reason = NULL;
  if (reasons && reasons->count) {
    reason = ritti_arena_text(m->arena, reasons->at, reasons->count);
    if (!reason) return RITT_NO_MEMORY;
  }
  if (!name) return RITT_NO_MEMORY;
  m->conserved[m->conserveds++] = (ritti_conserved_def){
      .name = name, .expr = e, .reason = reason, .taken = find_clashing_name(s, name)};
  return RITT_OK;
}

/* All reasons why the energy of a lagrangian is not conserved. */
static ritt_status lagrange_reasons(ritti_resolver *s, ritti_text *reasons) {
  const ritti_mechanics *M = s->mechanics;
  bool zero;

  /* L_t */
  RITT_TRY(ritti_vanishes(s, &M->lagrangian_by_time, 1, &zero));
  if (!zero)
    add_reason(reasons, ritti_words(s->reader, "the lagrangian (%s) depends on %s",
                                    ritti_where_is(s, M->head->first), s->model->independent));

  /* the work of constraints and forces */
  RITT_TRY(reason_constraints(s, reasons));
  RITT_TRY(reason_forces(s, reasons));

  /* the first dissipation that is not 0 with the values of the parameters */
  for (size_t i = 0; i < M->losses.count; i++) {
    RITT_TRY(ritti_vanishes(s, &M->losses.at[i].expr, 1, &zero));
    if (zero) continue;
    add_reason(reasons, ritti_words(s->reader, "there is dissipation (%s)",
                                    ritti_where_is(s, M->losses.at[i].token)));
    break;
  }
  return reasons->status;
}

/* The momentum L_q' is conserved if L_q = 0 and neither a force nor a constraint acts on q. */
static ritt_status is_cyclic(ritti_resolver *s, int j, bool *yes) {
  const ritti_mechanics *M = s->mechanics;
  *yes = M->coordinate[j] && !ritti_is_zero(s->dag, M->momentum[j]) &&
         ritti_is_zero(s->dag, M->force[j]) && ritti_is_zero(s->dag, M->drag[j]) &&
         ritti_is_zero(s->dag, M->reaction[j]);
  if (!*yes) return RITT_OK;
  return ritti_vanishes(s, &M->slope[j], 1, yes);
}

ritt_status ritti_lagrange_conserved(ritti_resolver *s) {
  const ritti_mechanics *M = s->mechanics;
  ritti_model *m = s->model;
  ritti_text reasons = {0};
  RITTI_NEW(m->conserved, m->arena, m->variables + 1);

  /* the energy */
  ritt_status status = lagrange_reasons(s, &reasons);
  if (status == RITT_OK) status = add_conserved(s, "energy", M->energy, &reasons);
  ritti_text_free(&reasons);

  /* the momenta of cyclic coordinates */
  for (int j = 0; j < M->variables && status == RITT_OK; j++) {
    bool cyclic;
    status = is_cyclic(s, j, &cyclic);
    if (status == RITT_OK && cyclic)
      status = add_conserved(s, ritti_arena_format(m->arena, "momentum(%s)", m->variable[j].name),
                             M->momentum[j], NULL);
  }
  return status;
}

/* ---- hamiltonians ---- */

/* H is conserved unless it depends on the independent variable or on variables that are not
 * canonical. */
static ritt_status hamilton_reasons(ritti_resolver *s, ritti_text *reasons) {
  const ritti_mechanics *M = s->mechanics;
  const char *line = ritti_where_is(s, M->head->first);
  bool zero;
  RITT_TRY(ritti_vanishes(s, &M->hamiltonian_by_time, 1, &zero));
  if (!zero)
    add_reason(reasons, ritti_words(s->reader, "the hamiltonian (%s) depends on %s", line,
                                    s->model->independent));

  for (int j = 0; j < s->model->variables; j++)
    if (!M->canonical_token[j] && !ritti_is_zero(s->dag, M->partial[j])) {
      add_reason(reasons, ritti_words(s->reader,
                                      "the hamiltonian (%s) depends on %s, which is not canonical",
                                      line, s->model->variable[j].name));
      break;
    }
  return reasons->status;
}

/* H is conserved if the bracket is antisymmetric; names the first pair of elements that
 * violates this. */
static ritt_status reason_bracket(ritti_resolver *s, ritti_text *reasons) {
  const ritti_mechanics *M = s->mechanics;
  size_t n = M->bracket ? M->canonical.count : 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      /* the sum of both elements must vanish */
      ritti_expr both[] = {M->bracket[i * n + j], M->bracket[j * n + i]};
      bool zero;
      RITT_TRY(ritti_vanishes(s, both, 2, &zero));
      if (zero) continue;

      add_reason(reasons,
                 ritti_words(s->reader, "the bracket (%s) is not antisymmetric: look at [%zu, %zu]",
                             ritti_where_is(s, s->syntax->list[S_BRACKET].first->first), j + 1,
                             i + 1));
      return RITT_OK;
    }
  return RITT_OK;
}

ritt_status ritti_hamilton_conserved(ritti_resolver *s) {
  const ritti_mechanics *M = s->mechanics;
  ritti_model *m = s->model;
  ritti_text reasons = {0};
  RITTI_NEW(m->conserved, m->arena, m->variables + 1);

  /* the energy */
  ritt_status status = hamilton_reasons(s, &reasons);
  if (status == RITT_OK) status = reason_bracket(s, &reasons);
  if (status == RITT_OK) status = add_conserved(s, "energy", M->energy, &reasons);
  ritti_text_free(&reasons);

  /* a canonical variable is conserved if its partner does not occur in H */
  for (size_t i = 0; !M->bracket && i < M->canonical.count && status == RITT_OK; i++) {
    int z = M->canonical.at[i].variable;
    int partner = ritti_index_of(s->dag, M->canonical.at[i].expr);
    if (ritti_is_zero(s->dag, M->partial[partner]))
      status = add_conserved(s, m->variable[z].name, ritti_jet(s->dag, z, 0), NULL);
  }
  return status;
}
