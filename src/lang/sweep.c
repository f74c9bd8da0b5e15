/* `sweep`: which runs of the model make an ensemble. The lines are checked for their form and kept as
 * texts. `ritt sweep` and Python read them with the options of a sweep (sweep/ensemble.h), so that the
 * section and the options have one meaning. */
#include "lang_impl.h"

static const char hint_lines[] =
    "write g = 1:10:100, g = [1, 2], x ~ normal(0, 0.1), runs 100, seed 1, table \"runs.csv\" or "
    "keep extrema";

/* grammar: values = expr [ ":" expr ":" expr ] */
static bool parse_values(ritti_parser *p) {
  if (!ritti_parse_expr(p)) return false;
  if (ritti_look(p) != T_COLON) return true;
  for (int i = 0; i < 2; i++) {
    if (ritti_look(p) != T_COLON)
      return ritti_refuse(p, ritti_missing_at(p), "write g = 1:10:100",
                          "a range has two ends and a number of points");
    p->at++;
    if (!ritti_parse_expr(p)) return false;
  }
  return true;
}

/* Does a word with its own meaning stand here, and not the name of something that varies? */
static bool is_word(const ritti_parser *p, const char *word) {
  if (!ritti_look_name(p, word)) return false;
  ritti_token_kind next = ritti_kind_at(p, p->at + 1);
  return next == T_NUMBER || next == T_STRING || next == T_NAME;
}

/* grammar: sweep = expr ( "=" | "~" ) values | ( "runs" | "seed" ) number | "table" string
 *                | "keep" name { "," name } */
bool ritti_parse_sweep(ritti_parser *p, ritti_statement *s) {
  if (is_word(p, "runs") || is_word(p, "seed")) {
    p->at++;
    if (ritti_look(p) == T_NUMBER) {
      p->at++;
      return true;
    }
    return ritti_refuse(p, p->at, hint_lines, "a number is expected here");
  }
  if (is_word(p, "table")) {
    p->at++;
    if (ritti_look(p) == T_STRING) {
      p->at++;
      return true;
    }
    return ritti_refuse(p, p->at, hint_lines, "the name of the table stands in quotes");
  }
  if (is_word(p, "keep")) {
    do {
      p->at++;
      if (ritti_look(p) != T_NAME)
        return ritti_refuse(p, ritti_missing_at(p), hint_lines, "a word is expected here");
      p->at++;
    } while (ritti_look(p) == T_COMMA);
    return true;
  }

  /* what varies */
  s->left = ritti_parse_expr(p);
  if (!s->left) return false;
  ritti_token_kind kind = ritti_look(p);
  if (kind != T_EQUALS && kind != T_TILDE)
    return ritti_refuse(p, ritti_missing_at(p), hint_lines,
                        "the values of what varies are missing");
  s->relation = p->at++;
  return parse_values(p);
}

ritt_status ritti_resolve_sweep(ritti_resolver *s) {
  ritti_model *m = s->model;
  const ritti_reader *r = s->reader;
  RITTI_NEW(m->sweep, m->arena, s->syntax->list[S_SWEEP].count + 1);
  FOR_EACH(line, s, S_SWEEP) {
    const ritti_token *first = ritti_token_at(r, line->first),
                      *last = ritti_token_at(r, line->end - 1);
    size_t length = last->start + last->length - first->start;
    char *text = ritti_arena_text(m->arena, r->text + first->start, length);
    if (!text) return RITT_NO_MEMORY;
    for (char *c = text; *c; c++)
      if (*c == '\n' || *c == '\t' || *c == '\r') *c = ' ';
    m->sweep[m->sweeps++] = text;
  }
  return r->status;
}
