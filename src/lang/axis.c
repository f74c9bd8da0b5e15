/* The axes of a plot, both passes: lines of the section `plot` that say how its panel is drawn. The
 * words are those of the program's options: `ritt run --plot --log y --yrange 1e-9:1`. */
#include "lang_impl.h"

/* ---- words ---- */

typedef enum axis_word { LOG, RANGE, LABEL } axis_word;

static const struct word {
  const char *word;
  axis_word kind;
  int axis;
  const char *example;
} words[] = {
    {"log", LOG, 0, "log y"},
    {"xrange", RANGE, 0, "xrange 0 .. 10"},
    {"yrange", RANGE, 1, "yrange 0 .. 10"},
    {"xlabel", LABEL, 0, "xlabel \"time (s)\""},
    {"ylabel", LABEL, 1, "ylabel \"energy (J)\""},
};
enum { WORDS = sizeof words / sizeof *words };

static const char *const axes[] = {"x", "y", "xy"}; /* after `log` */
enum { AXES = sizeof axes / sizeof *axes };

static const struct word *find_word(const ritti_reader *r, uint32_t token) {
  for (int i = 0; i < WORDS; i++)
    if (ritti_token_is(r, token, words[i].word)) return &words[i];
  return NULL;
}

/* ---- read ---- */

/* Variables may have these names: "xrange: y" is a graph, and "log (x, y)" the points of an event. */
bool ritti_axis_ahead(const ritti_parser *p) {
  uint32_t behind;
  if (ritti_look(p) != T_NAME || !find_word(p->reader, p->at)) return false;
  if (ritti_pair_at(p, p->at + 1, &behind)) return false;
  for (uint32_t i = p->at; !ritti_ends(ritti_kind_at(p, i)); i++)
    if (ritti_kind_at(p, i) == T_COLON) return false;
  return true;
}

/* grammar:
 *   axis = "log" name | ( "xrange" | "yrange" ) expr ".." expr | ( "xlabel" | "ylabel" ) string
 */
bool ritti_parse_axis(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;
  const struct word *word = find_word(r, p->at);
  const char *hint = ritti_words(r, "write %s", word->example);
  s->word = p->at++;
  if (p->section == S_PLOT3)
    return ritti_refuse(p, s->word, "remove the line, or draw in the plane: 'plot (x, y)'",
                        "a curve in space has no '%s'", word->word);
  switch (word->kind) {
  case LOG:
    for (int i = 0; i < AXES && s->name == NO_TOKEN; i++)
      if (ritti_look_name(p, axes[i])) s->name = p->at++;
    if (s->name == NO_TOKEN)
      return ritti_refuse(p, ritti_missing_at(p), "write log x, log y or log xy",
                          "'log' names an axis: x, y or xy");
    return true;
  case LABEL:
    if (ritti_look(p) != T_STRING)
      return ritti_refuse(p, ritti_missing_at(p), hint, "the text of '%s' stands in quotes",
                          word->word);
    s->name = p->at++;
    return true;
  case RANGE: break;
  }

  /* two numbers */
  if (ritti_ends(ritti_look(p)))
    return ritti_refuse(p, s->word, hint, "nothing follows '%s'", word->word);
  s->left = ritti_parse_expr(p);
  if (!s->left) return false;
  if (ritti_look(p) != T_RANGE)
    return ritti_refuse(p, ritti_missing_at(p), hint, "'..' and the upper end are missing here");
  p->at++;
  if (ritti_ends(ritti_look(p)))
    return ritti_refuse(p, p->at - 1, hint, "the upper end is missing after '..'");
  s->right = ritti_parse_expr(p);
  return s->right != NULL;
}

/* ---- resolve ---- */

ritt_status ritti_resolve_axis(ritti_resolver *s, const ritti_statement *line,
                               ritti_panel_def *panel) {
  ritti_reader *r = s->reader;
  const struct word *word = find_word(r, line->word);
  ritt_axis *axis = &panel->axis[word->axis];
  const ritti_scope end = {SCOPE_CONSTANT, "the end of an axis", false};
  bool known = false;
  ritti_expr e;
  switch (word->kind) {
  case LOG:
    for (int i = 0; i < 2; i++)
      if (strchr(ritti_quote(r, line->name), "xy"[i])) {
        known = known || panel->axis[i].logarithmic;
        panel->axis[i].logarithmic = 1;
      }
    break;
  case LABEL: {
    const ritti_token *t = ritti_token_at(r, line->name);
    known = axis->label != NULL;
    axis->label = ritti_arena_text(s->model->arena, r->text + t->start + 1, t->length - 2);
    if (!axis->label) return RITT_NO_MEMORY;
    break;
  }
  case RANGE:
    known = axis->ranged;
    axis->ranged = 1;
    if (!ritti_resolve_number(s, line->left, &end, &e, &axis->low) ||
        !ritti_resolve_number(s, line->right, &end, &e, &axis->high))
      return r->status;
    if (!(axis->low < axis->high))
      ritti_say(r, line->left->first, "write the smaller number first",
                "the axis ends before it begins");
    break;
  }
  if (panel->curves == 0 && r->notes.count == 0)
    ritti_say(r, line->word, "write 'plot t: y' first, and the lines about its axes below it",
              "'%s' stands before the curves of the plot", word->word);
  if (known) ritti_say(r, line->word, "remove one of them", "'%s' stands twice", word->word);

  /* what `log` and `xrange` say together */
  for (int i = 0; i < 2; i++)
    if (panel->axis[i].logarithmic && panel->axis[i].ranged && !(panel->axis[i].low > 0)) {
      ritti_say(r, line->word, "begin above 0, or leave out 'log'",
                "a logarithmic axis begins above 0");
      panel->axis[i].ranged = 0;
    }
  return r->status;
}
