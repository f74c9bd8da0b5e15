/* The position constraints of a model as polynomials: finds these equations, the letters of their
 * ring, and their text for Singular. Position constraints are the equations between
 * undifferentiated variables, except those that are not polynomial and only define a variable (one
 * that occurs in no other of them, and here linearly). A variable is a letter. A variable that
 * occurs only in sines and cosines is two letters, the sine and cosine of its base angle, with the
 * circle s^2 + c^2 = 1 as an additional equation. Parameters have their exact values, which must be
 * rational. Shared subexpressions are written once, so that the text is as short as the DAG;
 * Singular expands them. */
#include <stdlib.h>
#include "branches/algebra_impl.h"

enum { LARGEST_POWER = 64, MOST_LETTERS = 40 };

/* ---- one equation ---- */

/* Is this an equation between undifferentiated variables that the model itself contains? */
static bool is_position(const ritti_model *model, const ritti_nodes *jets,
                        const ritti_equation_def *def) {
  for (size_t i = 0; i < jets->count; i++)
    if (ritti_order_of(model->dag, jets->at[i]) > 0) return false;
  return jets->count > 0 && !def->source;
}

/* The nodes of some expressions: which of them vary, and which are needed if sines, cosines and
 * constants are leaves. */
typedef struct sweep {
  const ritti_model *model;
  const ritti_dag *dag;
  ritti_nodes nodes;
  bool *moves, *needed, *known;
  mpq_t *value; /* the values of constant nodes */
} sweep;

/* Frees the nodes. */
static void sweep_clear(sweep *S) {
  for (size_t i = 0; S->value && i < S->nodes.count; i++) mpq_clear(S->value[i]);
  ritti_free(S->nodes.at);
  ritti_free(S->moves);
  ritti_free(S->needed);
  ritti_free(S->known);
  ritti_free(S->value);
}

/* Is this a sine or a cosine? */
static bool is_angle(const sweep *S, ritti_expr e) {
  ritti_op op = ritti_op_of(S->dag, e);
  return op == RITTI_SIN || op == RITTI_COS;
}

/* Collects and classifies the nodes. */
static ritt_status sweep_make(const ritti_model *model, const ritti_expr *roots, size_t count,
                              sweep *S) {
  *S = (sweep){.model = model, .dag = model->dag};
  RITT_TRY(ritti_nodes_below(S->dag, roots, count, &S->nodes));

  /* allocate */
  size_t n = S->nodes.count;
  S->moves = ritti_malloc(n + 1);
  S->needed = ritti_malloc(n + 1);
  S->known = ritti_malloc(n + 1);
  S->value = ritti_malloc((n + 1) * sizeof *S->value);
  for (size_t i = 0; S->value && i < n; i++) mpq_init(S->value[i]);
  if (!S->moves || !S->needed || !S->known || !S->value) return RITT_NO_MEMORY;

  /* find the constants and the nodes that vary */
  RITT_TRY(ritti_exact_values(model, S->nodes.at, n, 1, S->value, S->known));
  for (size_t i = 0; i < n; i++) {
    ritti_expr e = S->nodes.at[i];
    ritti_op op = ritti_op_of(S->dag, e);
    S->needed[i] = false;
    S->moves[i] = op == RITTI_JET || op == RITTI_INDEPENDENT;
    for (size_t k = 0; k < ritti_argument_count(S->dag, e); k++)
      S->moves[i] |= S->moves[ritti_node_place(&S->nodes, ritti_argument(S->dag, e, k))];
  }

  /* find the nodes that are needed, from the roots down */
  for (size_t i = 0; i < count; i++) S->needed[ritti_node_place(&S->nodes, roots[i])] = true;
  for (size_t i = n; i-- > 0;)
    if (S->needed[i] && S->moves[i] && !is_angle(S, S->nodes.at[i]))
      for (size_t k = 0; k < ritti_argument_count(S->dag, S->nodes.at[i]); k++)
        S->needed[ritti_node_place(&S->nodes, ritti_argument(S->dag, S->nodes.at[i], k))] = true;
  return RITT_OK;
}

/* Accepts any term of a sum of angles. */
static bool take_any(void *context, int variable, mpq_srcptr factor) {
  (void)context, (void)variable, (void)factor;
  return true;
}

/* Is a needed node polynomial, provided that its arguments are? */
static bool is_polynomial(const sweep *S, size_t i) {
  ritti_expr e = S->nodes.at[i];
  if (!S->moves[i]) return S->known[i];

  /* sums, products, whole powers, and sines and cosines of angles */
  switch (ritti_op_of(S->dag, e)) {
  case RITTI_INDEPENDENT:
  case RITTI_JET:
  case RITTI_ADD:
  case RITTI_MULTIPLY: return true;
  case RITTI_POWER: {
    size_t n = ritti_node_place(&S->nodes, ritti_argument(S->dag, e, 1));
    return !S->moves[n] && S->known[n] && mpq_sgn(S->value[n]) > 0 &&
           mpz_cmp_si(mpq_denref(S->value[n]), 1) == 0 &&
           mpz_cmp_si(mpq_numref(S->value[n]), LARGEST_POWER) <= 0;
  }
  case RITTI_SIN:
  case RITTI_COS: return ritti_angle_terms(S->dag, ritti_argument(S->dag, e, 0), take_any, NULL);
  default: return false;
  }
}

/* Finds the first node that is not polynomial, or a variable by itself that is also an angle; NIL
 * if there is none. */
static ritt_status find_culprit(const ritti_model *model, ritti_expr root, const int *divisor,
                                ritti_expr *culprit) {
  sweep S;
  *culprit = RITTI_NIL;
  ritt_status status = sweep_make(model, &root, 1, &S);
  for (size_t i = 0; status == RITT_OK && i < S.nodes.count && *culprit == RITTI_NIL; i++) {
    ritti_expr e = S.nodes.at[i];
    bool torn = ritti_op_of(S.dag, e) == RITTI_JET && divisor[ritti_index_of(S.dag, e)] > 0;
    if (S.needed[i] && (torn || !is_polynomial(&S, i))) *culprit = e;
  }
  sweep_clear(&S);
  return status;
}

/* ---- the equations ---- */

/* Does the equation only define a variable: one that no other equation of the list contains, and
 * that occurs linearly with a constant factor? */
static ritt_status defines_variable(const ritti_branches *B, const ritti_nodes *jets, int which,
                                    bool *yes) {
  ritti_dag *dag = B->model->dag;
  *yes = false;
  for (size_t k = 0; k < jets[which].count && !*yes; k++) {
    /* does the variable occur in this equation only? */
    bool alone = true;
    for (int i = 0; i < B->equations && alone; i++)
      for (size_t l = 0; i != which && l < jets[i].count; l++)
        alone &= jets[i].at[l] != jets[which].at[k];
    if (!alone) continue;

    /* is its factor constant? */
    ritti_nodes moving = {0};
    ritti_expr factor =
        ritti_dag_partial(dag, B->model->equation[B->equation[which]].residual, jets[which].at[k]);
    RITT_TRY(ritti_dag_status(dag));
    RITT_TRY(ritti_leaves(dag, factor, RITTI_JET, &moving));
    *yes = moving.count == 0 && !ritti_depends_on(dag, factor, ritti_independent(dag));
    ritti_free(moving.at);
  }
  return RITT_OK;
}

/* An expression as a text of at most 80 characters, for messages. */
static const char *show_expr(const ritti_branches *B, ritti_expr e) {
  ritti_text text = {0};
  ritti_dag_print(B->model->dag, e, &B->model->names, &text);
  const char *shown = text.at ? ritti_arena_format(B->arena, "%.80s", text.at) : NULL;
  ritti_text_free(&text);
  return shown ? shown : "";
}

/* Reports an equation that is not polynomial. */
static ritt_status not_polynomial(const ritti_branches *B, int equation, ritti_expr culprit,
                                  ritt_error *error) {
  const ritti_model *model = B->model;
  const ritti_equation_def *def = &model->equation[equation];
  const char *name =
      def->subject ? def->subject : ritti_arena_format(B->arena, "equation %d", equation + 1);

  /* what is wrong with it? */
  ritti_op op = ritti_op_of(model->dag, culprit);
  const char *shown = show_expr(B, culprit), *what;
  if (op == RITTI_JET)
    what = ritti_arena_format(B->arena, "%s occurs by itself and in a sine or cosine", shown);
  else if (op == RITTI_PARAMETER)
    what = ritti_arena_format(B->arena, "the parameter %s is not rational", shown);
  else what = ritti_arena_format(B->arena, "%s is not", shown);
  if (!name || !what) return RITT_NO_MEMORY;
  return ritti_fail(error, RITT_WRONG_MODEL, &def->place,
                    "branches are found if the position constraints are polynomials with rational "
                    "coefficients in the variables, or in sines and cosines of them",
                    "%s is not polynomial: %s", name, what);
}

/* Removes an equation from the list. */
static void drop_position(ritti_branches *B, ritti_nodes *jets, int which) {
  ritti_free(jets[which].at);
  for (int i = which + 1; i < B->equations; i++) {
    B->equation[i - 1] = B->equation[i];
    jets[i - 1] = jets[i];
  }
  jets[--B->equations].at = NULL;
}

/* Drops equations that are not polynomial and only define a variable; any other equation that is
 * not polynomial is an error. */
static ritt_status keep_polynomials(ritti_branches *B, ritti_nodes *jets, const int *divisor,
                                    ritt_error *error) {
  int refused = -1;
  ritti_expr why = RITTI_NIL;

  /* dropping an equation may make others definitions, so start again */
  for (bool again = true; again;) {
    again = false;
    refused = -1;
    for (int i = 0; i < B->equations && !again; i++) {
      ritti_expr culprit;
      RITT_TRY(
          find_culprit(B->model, B->model->equation[B->equation[i]].residual, divisor, &culprit));
      if (culprit == RITTI_NIL) continue;
      RITT_TRY(defines_variable(B, jets, i, &again));
      if (again) drop_position(B, jets, i);
      else if (refused < 0) {
        refused = B->equation[i];
        why = culprit;
      }
    }
  }
  return refused < 0 ? RITT_OK : not_polynomial(B, refused, why, error);
}

/* ---- letters ---- */

/* Assigns letters to the variables that occur. */
static ritt_status add_letters(ritti_branches *B, ritti_nodes *jets, ritti_ring *ring) {
  ritti_dag *dag = B->model->dag;
  bool *occurs, x = false;
  RITTI_NEW(occurs, B->arena, ring->variables + 1);

  /* which variables occur? */
  for (int i = 0; i < B->equations; i++) {
    for (size_t k = 0; k < jets[i].count; k++) occurs[ritti_index_of(dag, jets[i].at[k])] = true;
    x |= ritti_depends_on(dag, B->model->equation[B->equation[i]].residual, ritti_independent(dag));
  }

  /* one letter for each variable, two for an angle */
  for (int j = 0; j < ring->variables; j++) {
    ring->letter[j] = -1;
    if (!occurs[j]) continue;
    ring->letter[j] = B->letters;
    B->variable[B->variables++] = j;
    ritti_expr itself = ritti_jet(dag, j, 0);
    if (!ring->divisor[j]) {
      B->letter[B->letters++] = itself;
      continue;
    }
    ritti_expr base =
        ritti_multiply(dag, ritti_number(dag, 1, (unsigned long)ring->divisor[j]), itself);
    B->letter[B->letters++] = ritti_apply(dag, RITTI_SIN, &base, 1);
    B->letter[B->letters++] = ritti_apply(dag, RITTI_COS, &base, 1);
    B->angles++;
  }

  /* the independent variable is the last letter */
  ring->x = x ? B->letters : -1;
  if (x) B->letter[B->letters++] = ritti_independent(dag);
  return ritti_dag_status(dag);
}

/* Finds the equations and their letters. */
static ritt_status find_positions(ritti_branches *B, const ritti_place *place, ritti_nodes *jets,
                                  ritt_error *error, ritti_ring *ring) {
  const ritti_model *model = B->model;
  ritti_expr *root;
  ritti_nodes nodes;

  /* the equations without derivatives */
  for (int i = 0; i < model->equations; i++) {
    ritti_nodes *here = &jets[B->equations];
    RITT_TRY(ritti_leaves(model->dag, model->equation[i].residual, RITTI_JET, here));
    if (is_position(model, here, &model->equation[i])) B->equation[B->equations++] = i;
    else {
      ritti_free(here->at);
      here->at = NULL;
    }
  }

  if (B->equations == 0)
    return ritti_fail(error, RITT_WRONG_MODEL, place,
                      "branches are those of equations without derivatives, such as constraints",
                      "the model has no position constraints");

  /* keep those that are polynomial */
  RITTI_NEW(root, B->arena, B->equations);
  for (int i = 0; i < B->equations; i++) root[i] = model->equation[B->equation[i]].residual;
  RITT_TRY(ritti_nodes_below(model->dag, root, (size_t)B->equations, &nodes));
  ritti_angle_divisors(model->dag, &nodes, ring->divisor);
  ritti_free(nodes.at);
  RITT_TRY(keep_polynomials(B, jets, ring->divisor, error));
  if (B->equations == 0)
    return ritti_fail(error, RITT_WRONG_MODEL, place, NULL,
                      "the model has no polynomial position constraints");

  /* their letters */
  RITT_TRY(add_letters(B, jets, ring));
  if (B->letters > MOST_LETTERS)
    return ritti_fail(
        error, RITT_WRONG_MODEL, place,
        "branches are found for single mechanisms; leave the section 'branch' out",
        "the position constraints have %d unknowns, too many to be split into branches",
        B->letters);
  return RITT_OK;
}

ritt_status ritti_positions_find(ritti_branches *B, const ritti_place *place, ritt_error *error,
                                 ritti_ring *ring) {
  int n = B->model->variables, k = B->model->equations;
  ritti_nodes *jets;
  *ring = (ritti_ring){.variables = n, .x = -1};
  RITTI_NEW_ARRAYS(B->arena, k + 1, jets, B->equation);
  RITTI_NEW_ARRAYS(B->arena, n + 1, B->variable, ring->letter, ring->divisor);
  RITTI_NEW(B->letter, B->arena, 2 * n + 2);
  ritt_status status = find_positions(B, place, jets, error, ring);
  for (int i = 0; i < k; i++) ritti_free(jets[i].at);
  return status;
}

/* ---- the text ---- */

/* Writes a rational number. */
static void write_number(ritti_text *out, mpq_srcptr value) {
  char *digits = ritti_malloc(mpz_sizeinbase(mpq_numref(value), 10) +
                              mpz_sizeinbase(mpq_denref(value), 10) + 3);
  if (!digits) {
    out->status = RITT_NO_MEMORY;
    return;
  }
  ritti_text_add(out, "(%s)", mpq_get_str(digits, 10, value));
  ritti_free(digits);
}

/* The context of write_turns. */
typedef struct turning {
  const ritti_ring *ring;
  ritti_text *out;
} turning;

/* Writes commands that add `factor` times the variable to the angle with sine S and cosine C. */
static bool write_turns(void *context, int variable, mpq_srcptr factor) {
  turning *T = context;
  mpq_t n;
  mpq_init(n);

  /* how many base angles? */
  mpq_set_si(n, T->ring->divisor[variable], 1);
  mpq_mul(n, n, factor);
  bool fine = mpz_cmp_si(mpq_denref(n), 1) == 0 &&
              mpz_cmpabs_ui(mpq_numref(n), RITTI_LARGEST_MULTIPLE) <= 0;
  long times = fine ? mpz_get_si(mpq_numref(n)) : 0;

  /* add the base angle that many times */
  int s = T->ring->letter[variable] + 1;
  for (long k = 0; k < labs(times); k++)
    ritti_text_add(T->out, "T=S*v(%d)%cC*v(%d);C=C*v(%d)%cS*v(%d);S=T;\n", s + 1,
                   times < 0 ? '-' : '+', s, s + 1, times < 0 ? '+' : '-', s);
  mpq_clear(n);
  return fine;
}

/* Writes the arguments of a sum or a product. */
static void write_list(const sweep *S, ritti_expr e, char between, ritti_text *out) {
  for (size_t i = 0; i < ritti_argument_count(S->dag, e); i++) {
    if (i) ritti_text_add(out, "%c", between);
    ritti_text_add(out, "e(%zu)", ritti_node_place(&S->nodes, ritti_argument(S->dag, e, i)));
  }
}

/* Writes the declaration of a node; false if an angle is not a multiple of base angles. */
static bool write_node(const sweep *S, const ritti_ring *ring, size_t i, ritti_text *out) {
  ritti_expr e = S->nodes.at[i];
  ritti_op op = ritti_op_of(S->dag, e);
  bool fine = true;

  /* the sine and cosine of an angle are computed first */
  if (S->moves[i] && is_angle(S, e)) {
    turning T = {ring, out};
    ritti_text_add(out, "S=0;C=1;\n");
    fine = ritti_angle_terms(S->dag, ritti_argument(S->dag, e, 0), write_turns, &T);
  }

  /* the polynomial */
  ritti_text_add(out, "poly e(%zu)=", i);
  if (!S->moves[i]) write_number(out, S->value[i]);
  else if (op == RITTI_INDEPENDENT) ritti_text_add(out, "v(%d)", ring->x + 1);
  else if (op == RITTI_JET)
    ritti_text_add(out, "v(%d)", ring->letter[ritti_index_of(S->dag, e)] + 1);
  else if (op == RITTI_SIN || op == RITTI_COS) ritti_text_add(out, op == RITTI_SIN ? "S" : "C");
  else if (op == RITTI_POWER) {
    size_t n = ritti_node_place(&S->nodes, ritti_argument(S->dag, e, 1));
    ritti_text_add(out, "e(%zu)^%ld", ritti_node_place(&S->nodes, ritti_argument(S->dag, e, 0)),
                   mpz_get_si(mpq_numref(S->value[n])));
  } else write_list(S, e, op == RITTI_ADD ? '+' : '*', out);
  ritti_text_add(out, ";\n");
  return fine;
}

ritt_status ritti_positions_write(const ritti_branches *B, const ritti_ring *ring,
                                  ritti_text *out) {
  sweep S;
  ritti_expr *root;
  bool fine = true;
  RITTI_NEW(root, B->arena, B->equations);
  for (int i = 0; i < B->equations; i++) root[i] = B->model->equation[B->equation[i]].residual;
  ritt_status status = sweep_make(B->model, root, (size_t)B->equations, &S);

  /* the nodes */
  ritti_text_add(out, "poly S;poly C;poly T;\n");
  for (size_t i = 0; status == RITT_OK && fine && i < S.nodes.count; i++)
    if (S.needed[i]) fine = write_node(&S, ring, i, out);

  /* the ideal: the constraints and the circles */
  ritti_text_add(out, "ideal g=");
  for (int i = 0; status == RITT_OK && i < B->equations; i++)
    ritti_text_add(out, "%se(%zu)", i ? "," : "", ritti_node_place(&S.nodes, root[i]));
  for (int j = 0; j < ring->variables; j++)
    if (ring->divisor[j] && ring->letter[j] >= 0)
      ritti_text_add(out, ",v(%d)^2+v(%d)^2-1", ring->letter[j] + 1, ring->letter[j] + 2);
  ritti_text_add(out, ";\n");
  sweep_clear(&S);
  if (status == RITT_OK && out->status != RITT_OK) status = RITT_NO_MEMORY;
  return status == RITT_OK && !fine ? RITT_UNDECIDED : status;
}
