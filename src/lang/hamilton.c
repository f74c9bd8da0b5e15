/* Hamiltonian mechanics: the sections hamiltonian and canonical -> q' = H_p, p' = -H_q for the pairs (q, p),
 * (6.9) of the paper on enhanced linear algebra.
 */
#include "mechanics_impl.h"

/* ---- the canonical variables -------------------------------------------------------------------------- */

/* Adds a variable to the list; *whole: it can stand there, else told. */
static ritt_status add_canonical(ritti_resolver *s, const ritti_node *n, bool *whole) {
  ritti_reader *r = s->reader;
  ritti_parts *list = &s->mechanics->canonical;
  ritti_expr e = ritti_resolve_expr(s, n, &ritti_anything);
  const char *typed = ritti_typed(r, r->scratch, n->first, n->end, false);
  if (e == RITTI_NIL) {
    *whole = false;
    return RITT_OK;
  }
  if (ritti_op_of(s->dag, e) != RITTI_JET || ritti_order_of(s->dag, e) > 0) {
    *whole = false;
    ritti_say(r, n->first, "write names of variables: 'canonical (q, p)'", "'%.60s' is not a variable",
              typed);
    return RITT_OK;
  }
  ritti_part part = {
      .variable = ritti_index_of(s->dag, e), .expr = e, .line = ritti_token_at(r, n->first)->line};
  int *line = &s->mechanics->canonical_line[part.variable];
  if (*line) {
    *whole = false;
    ritti_say(r, n->first, "every variable stands there once",
              "'%s' stands twice among the canonical variables, first in line %d",
              s->model->variable[part.variable].name, *line);
  }
  *line = part.line;
  return RITTI_PUSH(*list, part);
}

/* `canonical q, p` is one pair, like `canonical (q, p)` */
static bool check_pairs(ritti_resolver *s) {
  const ritti_statement *first = s->syntax->list[S_CANONICAL].first;
  size_t count = s->syntax->list[S_CANONICAL].count;
  if (count == 2 && !first->right && !first->next->right) return true;
  FOR_EACH(line, s, S_CANONICAL) {
    if (line->right) continue;
    ritti_say(s->reader, line->first, "write each variable with its momentum: 'canonical (q, p), (x, px)'",
              "'%s' has no partner", ritti_quote(s->reader, line->first));
    return false;
  }
  return true;
}

static ritt_status resolve_canonical(ritti_resolver *s, bool *whole) {
  RITTI_NEW(s->mechanics->canonical_line, s->reader->scratch, s->model->variables + 1);
  FOR_EACH(line, s, S_CANONICAL) {
    RITT_TRY(add_canonical(s, line->left, whole));
    if (line->right) RITT_TRY(add_canonical(s, line->right, whole));
  }
  *whole = check_pairs(s) && *whole;
  return RITT_OK;
}

/* ---- the equations ------------------------------------------------------------------------------------ */

ritt_status ritti_hamilton_resolve(ritti_resolver *s) {
  ritti_mechanics *M = s->mechanics;
  bool whole = true;
  if (!s->syntax->said[S_CANONICAL]) {
    ritti_say(s->reader, M->head->first, "write the pairs of variables: 'canonical (q, p), (x, px)'",
              "the hamiltonian needs a section 'canonical'");
    whole = false;
  }
  RITT_TRY(resolve_canonical(s, &whole));
  ritti_expr H = ritti_resolve_expr(s, M->head->left, &ritti_anything);
  if (H == RITTI_NIL || !ritti_mechanics_check_jets(s, H, M->head->left->first, "the hamiltonian", 0))
    return s->reader->status;
  ritti_expr *unused;
  RITTI_NEW(M->partial, s->reader->scratch, s->model->variables + 1);
  RITTI_NEW(unused, s->reader->scratch, s->model->variables + 1);
  RITT_TRY(ritti_mechanics_partials(s, H, M->partial, unused, &M->hamiltonian_by_time));
  M->energy = H;
  M->whole = whole && M->canonical.count > 0;
  return s->reader->status;
}

static ritt_status add_motion(ritti_resolver *s, int j, ritti_expr right) {
  ritti_equation_def e = {
      .subject = ritti_arena_format(s->model->arena, "equation of motion of %s", s->model->variable[j].name),
      .source = "hamiltonian",
      .left = ritti_jet(s->dag, j, 1),
      .right = right,
      .place = ritti_place_of(s->reader, s->mechanics->head->first)};
  return e.subject ? ritti_mechanics_push(s, &e) : RITT_NO_MEMORY;
}

ritt_status ritti_hamilton_add(ritti_resolver *s) {
  const ritti_mechanics *M = s->mechanics;
  for (size_t i = 0; i + 1 < M->canonical.count; i += 2) {
    int q = M->canonical.at[i].variable, p = M->canonical.at[i + 1].variable;
    RITT_TRY(add_motion(s, q, M->partial[p]));
    RITT_TRY(add_motion(s, p, ritti_negate(s->dag, M->partial[q])));
  }
  return ritti_hamilton_conserved(s);
}
