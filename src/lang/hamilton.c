/* Hamiltonian mechanics: the sections hamiltonian, canonical and bracket -> z' = B grad H over
 * the canonical variables z, equation (6.9) of the paper on enhanced linear algebra. For pairs
 * (q, p) this is q' = H_p, p' = -H_q.
 */
#include "mechanics_impl.h"

/* ---- the canonical variables ---- */

/* The canonical variables that an expression names. Failed: a mistake was reported. */
static ritti_value canonical_of(ritti_resolver *s, const ritti_node *n) {
  ritti_reader *r = s->reader;
  ritti_value v = ritti_resolve_value(s, n, &ritti_anything);
  for (size_t i = 0; !ritti_failed(v) && i < ritti_value_count(v); i++) {
    ritti_expr e = ritti_element(v, i);
    if (ritti_op_of(s->dag, e) == RITTI_JET && ritti_order_of(s->dag, e) == 0) continue;
    ritti_say(r, n->first, "write names of variables: 'canonical (q, p)'",
              "'%.60s' is not a variable", ritti_shown(s, r->scratch, n, false));
    return ritti_scalar(RITTI_NIL);
  }
  return v;
}

/* Adds variables to the list, with or without partners. */
static ritt_status add_canonical(ritti_resolver *s, const ritti_node *n, ritti_value v,
                                 ritti_value partner, bool *whole) {
  ritti_reader *r = s->reader;
  for (size_t i = 0; i < ritti_value_count(v); i++) {
    int j = ritti_index_of(s->dag, ritti_element(v, i));
    uint32_t *first = &s->mechanics->canonical_token[j];
    /* each variable may occur once */
    if (*first && *whole) {
      *whole = false;
      ritti_say(r, n->first, "write every variable once",
                "'%s' occurs twice among the canonical variables, first in %s",
                s->model->variable[j].name, ritti_line_words(r, *first, n->first));
    }
    /* its place and its partner */
    *first = n->first;
    ritti_expr other = ritti_failed(partner) ? RITTI_NIL : ritti_element(partner, i);
    RITT_TRY(RITTI_PUSH(s->mechanics->canonical, (ritti_part){j, other, n->first}));
  }
  return RITT_OK;
}

/* Adds a pair (q, p): two variables, or two arrays of the same shape. */
static ritt_status add_pair(ritti_resolver *s, const ritti_node *q, const ritti_node *p,
                            bool *whole) {
  ritti_value left = canonical_of(s, q);
  ritti_value right = canonical_of(s, p);
  if (ritti_failed(left) || ritti_failed(right)) {
    *whole = false;
    return RITT_OK;
  }

  /* the shapes must agree */
  if (!ritti_same_shape(left.shape, right.shape)) {
    *whole = false;
    ritti_say(s->reader, p->first, "give every variable one partner", "the partners are %s and %s",
              ritti_shape_words(s->reader, left.shape), ritti_shape_words(s->reader, right.shape));
    return RITT_OK;
  }

  /* each is the partner of the other */
  RITT_TRY(add_canonical(s, q, left, right, whole));
  return add_canonical(s, p, right, left, whole);
}

/* Adds a pair, or a variable without a partner. */
static ritt_status visit_canonical(ritti_resolver *s, const ritti_statement *line, void *context) {
  bool *whole = context;
  if (line->right) return add_pair(s, line->left, line->right, whole);
  ritti_value v = canonical_of(s, line->left);
  ritti_value none = {0};
  if (!ritti_failed(v)) return add_canonical(s, line->left, v, none, whole);
  *whole = false;
  return RITT_OK;
}

/* Lists the canonical variables. `canonical q, p` is one pair, like `canonical (q, p)`; all
 * others need parentheses or a bracket. */
static ritt_status resolve_canonical(ritti_resolver *s, bool *whole) {
  ritti_mechanics *M = s->mechanics;
  const ritti_statement *first = s->syntax->list[S_CANONICAL].first;
  const ritti_statement *next = first ? first->next : NULL;
  bool bracket = s->syntax->said[S_BRACKET];
  RITTI_NEW(M->canonical_token, s->reader->scratch, s->model->variables + 1);

  /* two variables without parentheses */
  if (!bracket && next && !next->next && !first->each && !first->right && !next->each &&
      !next->right)
    return add_pair(s, first->left, next->left, whole);

  /* the pairs; without a bracket each variable needs a partner */
  RITT_TRY(ritti_each_statement(s, S_CANONICAL, visit_canonical, whole));
  if (!*whole || bracket) return RITT_OK;

  /* report the first variable without a partner */
  for (size_t i = 0; i < M->canonical.count && *whole; i++) {
    if (M->canonical.at[i].expr != RITTI_NIL) continue;
    *whole = false;
    ritti_say(
        s->reader, M->canonical.at[i].token,
        "write each variable with its momentum, 'canonical (q, p), (x, px)', or a section 'bracket'",
        "the canonical variable '%s' has no partner",
        s->model->variable[M->canonical.at[i].variable].name);
  }
  return RITT_OK;
}

/* ---- the bracket ---- */

/* The structure matrix: one row and one column for each canonical variable. */
static ritt_status resolve_bracket(ritti_resolver *s, bool *whole) {
  ritti_mechanics *M = s->mechanics;
  ritti_reader *r = s->reader;
  const ritti_statement *line = s->syntax->list[S_BRACKET].first;
  if (!line) return RITT_OK;
  ritti_value B = ritti_resolve_value(s, line->left, &ritti_anything);
  int64_t n = (int64_t)M->canonical.count;
  bool fits = B.shape && B.shape->rank == 2 && B.shape->count[0] == n && B.shape->count[1] == n;

  if (ritti_failed(B) || !*whole) {
    *whole = false;
    return RITT_OK;
  }

  /* the shape */
  if (!fits) {
    *whole = false;
    ritti_say(r, line->left->first, "write a matrix with a row and a column for each of them",
              "the bracket is %s, but there %s %d canonical variable%s",
              ritti_shape_words(r, B.shape), n == 1 ? "is" : "are", (int)n, n == 1 ? "" : "s");
    return RITT_OK;
  }

  /* the elements, which must not contain derivatives */
  RITTI_NEW(M->bracket, r->scratch, B.shape->size + 1);
  for (size_t i = 0; i < B.shape->size && *whole; i++) {
    M->bracket[i] = B.at[i];
    *whole = ritti_mechanics_check_jets(s, B.at[i], line->left->first, "the bracket", 0);
  }
  return RITT_OK;
}

/* ---- the equations ---- */

/* Resolves the hamiltonian and its derivatives. */
ritt_status ritti_hamilton_resolve(ritti_resolver *s) {
  ritti_mechanics *M = s->mechanics;
  ritti_expr H = ritti_resolve_expr(s, M->head->left, &ritti_anything), *unused;
  ritti_arena_clear(s->values);
  RITTI_NEW(M->partial, s->reader->scratch, s->model->variables + 1);
  RITTI_NEW(unused, s->reader->scratch, s->model->variables + 1);

  if (H == RITTI_NIL ||
      !ritti_mechanics_check_jets(s, H, M->head->left->first, "the hamiltonian", 0))
    return s->reader->status;

  RITT_TRY(ritti_mechanics_partials(s, H, M->partial, unused, &M->hamiltonian_by_time));
  M->energy = H;
  M->known = true;
  return s->reader->status;
}

/* Resolves the canonical variables and the bracket. */
ritt_status ritti_hamilton_structure(ritti_resolver *s) {
  ritti_mechanics *M = s->mechanics;
  bool whole = true;
  if (!s->syntax->said[S_CANONICAL]) {
    ritti_say(s->reader, M->head->first,
              "write the pairs of variables: 'canonical (q, p), (x, px)'",
              "the hamiltonian needs a section 'canonical'");
    whole = false;
  }

  /* resolve them also after a mistake, to report all mistakes */
  RITT_TRY(resolve_canonical(s, &whole));
  RITT_TRY(resolve_bracket(s, &whole));
  ritti_arena_clear(s->values);
  M->whole = whole && M->known && M->canonical.count > 0;
  return s->reader->status;
}

/* Adds the equation of motion z' = right of variable j. */
static ritt_status add_motion(ritti_resolver *s, int j, ritti_expr right) {
  ritti_equation_def e = {.subject = ritti_arena_format(s->model->arena, "equation of motion of %s",
                                                        s->model->variable[j].name),
                          .source = "hamiltonian",
                          .left = ritti_jet(s->dag, j, 1),
                          .right = right,
                          .place = ritti_place_of(s->reader, s->mechanics->head->first)};
  return e.subject ? ritti_mechanics_push(s, &e) : RITT_NO_MEMORY;
}

/* Adds z' = B grad H. */
static ritt_status add_bracket(ritti_resolver *s) {
  const ritti_mechanics *M = s->mechanics;
  size_t n = M->canonical.count;
  ritti_expr *term;
  RITTI_NEW(term, s->reader->scratch, n + 1);

  /* row i of B times grad H */
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++)
      term[j] =
          ritti_multiply(s->dag, M->bracket[i * n + j], M->partial[M->canonical.at[j].variable]);
    RITT_TRY(add_motion(s, M->canonical.at[i].variable, ritti_sum(s->dag, term, n)));
  }
  return RITT_OK;
}

/* Adds q' = H_p and p' = -H_q, where q stands before p in the list. */
static ritt_status add_pairs(ritti_resolver *s) {
  const ritti_mechanics *M = s->mechanics;
  bool *done;
  RITTI_NEW(done, s->reader->scratch, s->model->variables + 1);

  /* the second variable of a pair gets the minus sign */
  for (size_t i = 0; i < M->canonical.count; i++) {
    int j = M->canonical.at[i].variable;
    int other = ritti_index_of(s->dag, M->canonical.at[i].expr);
    ritti_expr slope = M->partial[other];
    RITT_TRY(add_motion(s, j, done[other] ? ritti_negate(s->dag, slope) : slope));
    done[j] = true;
  }
  return RITT_OK;
}

ritt_status ritti_hamilton_add(ritti_resolver *s) {
  RITT_TRY(s->mechanics->bracket ? add_bracket(s) : add_pairs(s));
  return ritti_hamilton_conserved(s);
}
