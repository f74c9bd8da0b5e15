/* plot, plot3: tokens -> one statement for each curve and each line about an axis (axis.c), with the
 * number of its panel. */
#include "lang_impl.h"

bool ritti_is_plot(ritti_section section) { return section == S_PLOT || section == S_PLOT3; }

bool ritti_pair_at(const ritti_parser *p, uint32_t at, uint32_t *behind) {
  int brackets = 0, commas = 0;
  if (ritti_token_at(p->reader, at)->kind != T_OPEN) return false;

  /* find the closing bracket and count the commas that are not in inner brackets */
  for (uint32_t i = at;; i++) {
    ritti_token_kind kind = (ritti_token_kind)ritti_token_at(p->reader, i)->kind;
    *behind = i;
    if (kind == T_KEYWORD || kind == T_END) return commas > 0;
    *behind = i + 1;
    if (kind == T_OPEN || kind == T_OPEN_INDEX) brackets++;
    if (kind == T_COMMA && brackets == 1) commas++;
    if ((kind == T_CLOSE || kind == T_CLOSE_INDEX) && --brackets == 0) return commas > 0;
  }
}

/* Does NAME "(" ... ")" stand here? With a ':' after it, it is a function over which a graph is
 * drawn. */
static bool points_ahead(const ritti_parser *p) {
  uint32_t behind;
  if (ritti_look(p) != T_NAME || !ritti_pair_at(p, p->at + 1, &behind)) return false;
  ritti_token_kind kind = (ritti_token_kind)ritti_token_at(p->reader, behind)->kind;
  return kind == T_COMMA || ritti_ends(kind);
}

/* Does a curve stand here, of the solution or of the points of an event? */
static bool pair_ahead(const ritti_parser *p) {
  uint32_t behind;
  return ritti_pair_at(p, p->at, &behind) || points_ahead(p);
}

/* A new statement for a curve of the present panel. */
static ritti_statement *new_curve(ritti_parser *p) {
  ritti_statement *s = ritti_statement_new(p);
  if (s) s->panel = p->panel;
  return s;
}

/* Parses "," expr. NULL: a mistake was reported. */
static ritti_node *parse_coordinate(ritti_parser *p) {
  if (ritti_look(p) != T_COMMA) {
    ritti_parse_unexpected(p);
    return NULL;
  }
  p->at++;
  return ritti_parse_expr(p);
}

/* grammar:
 *   curve  = [ name ] "(" expr "," expr ")"
 *   curve3 = [ name ] "(" expr "," expr "," expr ")"
 */
static bool parse_pair(ritti_parser *p) {
  ritti_reader *r = p->reader;
  ritti_statement *s = new_curve(p);
  bool space = p->section == S_PLOT3;
  if (!s) return false;

  /* the name of an event */
  if (ritti_look(p) == T_NAME) s->name = p->at++;
  p->at++;
  p->brackets++;

  /* x and y */
  s->left = ritti_parse_expr(p);
  if (!s->left) return false;
  s->right = parse_coordinate(p);
  if (!s->right) return false;

  /* z */
  if (space && ritti_look(p) == T_CLOSE) {
    ritti_say(r, p->at, "write (x, y, z), or 'plot (x, y)'",
              "a curve in space has three coordinates");
    return false;
  }
  if (space) {
    s->third = parse_coordinate(p);
    if (!s->third) return false;
  }

  /* too many coordinates, or not a list of coordinates */
  if (ritti_look(p) == T_COMMA) {
    ritti_say(r, p->at, space ? "write (x, y, z)" : "write (x, y), or 'plot3 (x, y, z)'",
              space ? "a curve in space has three coordinates"
                    : "a curve in the plane has two coordinates");
    return false;
  }
  if (ritti_look(p) != T_CLOSE) {
    ritti_parse_unexpected(p);
    return false;
  }

  /* a complete curve */
  p->at++;
  p->brackets--;
  s->end = p->at;
  ritti_statement_add(p, S_PLOT, s);
  return true;
}

/* grammar: graphs = expr ":" expr { "," expr } */
static bool parse_graphs(ritti_parser *p) {
  const char *hint = p->section == S_PLOT3
                         ? "write 'plot3 (x, y, z)'"
                         : "write 'plot (x, y)', or 'plot t: x, y' for graphs over t";
  uint32_t first = p->at;

  /* the common x */
  ritti_node *x = ritti_parse_expr(p);
  if (!x) return false;
  if (ritti_look(p) != T_COLON || p->section == S_PLOT3)
    return ritti_refuse(p, first, hint, "the plot does not say what is drawn over what");

  /* a curve for each y */
  do {
    p->at++;
    ritti_statement *s = new_curve(p);
    if (!s) return false;

    /* x: y */
    s->left = x;
    s->right = ritti_parse_expr(p);
    if (!s->right) return false;
    s->end = p->at;
    ritti_statement_add(p, S_PLOT, s);
  } while (ritti_look(p) == T_COMMA);
  return true;
}

/* A line about an axis of the panel. */
static bool parse_axis(ritti_parser *p) {
  ritti_statement *s = new_curve(p);
  if (!s || !ritti_parse_axis(p, s)) return false;
  s->end = p->at;
  ritti_statement_add(p, S_PLOT, s);
  return true;
}

/* grammar:
 *   plot  = curve { "," curve } | graphs | axis
 *   plot3 = curve3 { "," curve3 }
 */
bool ritti_parse_plot(ritti_parser *p) {
  if (ritti_axis_ahead(p)) return parse_axis(p);
  if (!pair_ahead(p)) return parse_graphs(p);
  for (;;) {
    /* a curve */
    if (!parse_pair(p)) return false;
    if (ritti_look(p) != T_COMMA) return true;
    p->at++;

    /* another curve must follow the comma */
    if (pair_ahead(p)) continue;
    return ritti_refuse(p, ritti_missing_at(p),
                        p->section == S_PLOT3 ? "write (x, y, z), (u, v, w)"
                                              : "write (x, y), (u, v)",
                        "a curve is missing here");
  }
}
