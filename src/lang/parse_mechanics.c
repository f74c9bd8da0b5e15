/* The sections of mechanics: tokens -> statements. `constraint` and `nonholonomic` contain
 * equations and are parsed as such (parse_statement.c).
 */
#include "lang_impl.h"

/* The keyword of the present section. */
static const char *section_word(const ritti_parser *p) { return ritti_sections[p->section].word; }

/* grammar:
 *   lagrangian  = expr
 *   hamiltonian = expr
 *   bracket     = expr
 *   dissipation = expr
 */
bool ritti_parse_quantity(ritti_parser *p, ritti_statement *s) {
  s->left = ritti_parse_expr(p);
  ritti_token_kind kind = ritti_look(p);
  if (!s->left) return false;
  if (kind != T_EQUALS && kind != T_COLON) return true;

  /* an equation */
  ritti_say(p->reader, p->at,
            ritti_words(p->reader, "write the expression alone: '%s ...'", section_word(p)),
            "the section '%s' contains an expression, not an equation", section_word(p));
  return false;
}

/* grammar: force = expr ":" expr */
bool ritti_parse_force(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;

  /* the coordinate */
  s->left = ritti_parse_expr(p);
  if (!s->left) return false;
  ritti_token_kind kind = ritti_look(p);

  /* the force */
  if (kind == T_COLON) {
    s->relation = p->at++;
    s->right = ritti_parse_expr(p);
    return s->right != NULL;
  }

  /* ':' is missing */
  if (kind == T_EQUALS || kind == T_COMMA)
    ritti_say(r, p->at, "write 'force x: -k*x'",
              "the coordinate and the force on it are separated by ':'");
  else if (ritti_ends(kind))
    ritti_say(r, s->left->first, "write the coordinate before it: 'force x: -k*x'",
              "the force does not say on which coordinate it acts");
  else ritti_parse_unexpected(p);
  return false;
}

/* Does "(" expr "," ... stand here, and not an expression in parentheses? */
static bool pair_ahead(const ritti_parser *p) {
  int brackets = 0;
  for (uint32_t i = p->at;; i++) {
    ritti_token_kind kind = (ritti_token_kind)ritti_token_at(p->reader, i)->kind;
    if (kind == T_KEYWORD || kind == T_END) return false;
    brackets += kind == T_OPEN || kind == T_OPEN_INDEX;
    if (kind == T_COMMA && brackets == 1) return true;
    if ((kind == T_CLOSE || kind == T_CLOSE_INDEX) && --brackets <= 0) return false;
  }
}

/* grammar: canonical = "(" expr "," expr ")" | expr */
bool ritti_parse_canonical(ritti_parser *p, ritti_statement *s) {
  /* a single variable */
  if (ritti_look(p) != T_OPEN || !pair_ahead(p)) {
    s->left = ritti_parse_expr(p);
    return s->left != NULL;
  }

  /* the first variable of a pair */
  p->at++;
  p->brackets++;
  s->left = ritti_parse_expr(p);
  if (!s->left) return false;
  if (ritti_look(p) != T_COMMA) {
    ritti_parse_unexpected(p);
    return false;
  }

  /* the second variable */
  p->at++;
  s->right = ritti_parse_expr(p);
  if (!s->right) return false;
  if (ritti_look(p) == T_COMMA) {
    ritti_say(p->reader, p->at, "write (q, p), (x, px)", "a canonical pair has two variables");
    return false;
  }

  /* the end of the pair */
  if (ritti_look(p) != T_CLOSE) {
    ritti_parse_unexpected(p);
    return false;
  }
  p->at++;
  p->brackets--;
  return true;
}

/* grammar: stiff = expr "," name "=" expr */
bool ritti_parse_stiff(ritti_parser *p, ritti_statement *s) {
  static const char *hint = "write 'stiff U, eps = 1e-4': the strong potential is U/eps^2";
  ritti_reader *r = p->reader;

  /* the potential */
  s->left = ritti_parse_expr(p);
  if (!s->left) return false;
  ritti_token_kind kind = ritti_look(p);
  if (kind != T_COMMA) {
    if (ritti_ends(kind) || kind == T_EQUALS)
      ritti_say(r, s->left->first, hint, "the strong potential has no small parameter");
    else ritti_parse_unexpected(p);
    return false;
  }

  /* the small parameter */
  p->at++;
  if (ritti_look(p) != T_NAME || ritti_kind_at(p, p->at + 1) != T_EQUALS) {
    ritti_say(r, p->at - 1, hint, "the small parameter and its value are missing after ','");
    return false;
  }
  s->name = p->at;
  s->relation = p->at + 1;
  p->at += 2;
  s->right = ritti_parse_expr(p);
  return s->right != NULL;
}
