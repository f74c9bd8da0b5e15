/* Names that nothing defines: a resolver and the token of the name -> one message for all its uses,
 * at the first of them, with what was probably meant.
 */
#include "lang/resolve_impl.h"

/* X(word of other languages, what to write) */
static const struct {
  const char *name, *hint;
} foreign[] = {
    {"ln", "write log(...): the natural logarithm"},
    {"arcsin", "write asin(...)"},
    {"arccos", "write acos(...)"},
    {"arctan", "write atan(...)"},
    {"arctan2", "write atan2(y, x)"},
    {"pow", "write a^b"},
    {"fabs", "write abs(...)"},
    {"sgn", "write sign(...)"},
    {"diff", "write x' or der(x, 2)"},
    {"log10", "write log(...)/log(10)"},
    {"cot", "write 1/tan(...)"},
    {"e", "the number e is exp(1)"},
    {"Pi", "write pi"},
    {"PI", "write pi"},
};

const char *ritti_foreign_hint(const char *name) {
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (!strcmp(foreign[i].name, name)) return foreign[i].hint;
  return NULL;
}

const char *ritti_nearest_name(ritti_resolver *s, const char *name, ritti_symbol_kind kind) {
  enum { ENOUGH = 50 }; /* the search takes time, and nobody reads so many hints */
  if (s->reader->notes.count > ENOUGH || s->names.all.count == 0) return NULL;
  const char **names = ritti_malloc(s->names.all.count * sizeof *names);
  size_t count = 0;
  for (size_t i = 0; names && i < s->names.all.count; i++) {
    const ritti_symbol *y = &s->names.all.at[i];
    if (kind == Y_NONE ? y->kind != Y_BROKEN : y->kind == kind) names[count++] = y->name;
  }
  const char *near = names ? ritti_nearest(name, names, count) : NULL;
  ritti_free((void *)names);
  return near;
}

/* Tells an unknown name once, at its first use; `key` is the name, with '(' after that of a
 * function. */
void ritti_tell_unknown(ritti_resolver *s, uint32_t token, const char *key, const char *hint,
                        const char *text) {
  ritti_reader *r = s->reader;
  ritti_symbol *y = ritti_symbols_find(&s->unknown, key, strlen(key));
  if (!y) {
    size_t note = r->notes.count;
    ritti_say(r, token, hint, "%s", text);
    y = ritti_symbols_add(&s->unknown, key, Y_BROKEN, token);
    if (!y) r->status = RITT_NO_MEMORY;
    else y->note = note;
  } else if (ritti_token_before(r, token, y->token) && y->note < r->notes.count) {
    const ritti_token *t = ritti_token_at(r, token);
    y->token = token;
    r->notes.at[y->note].line = t->line;
    r->notes.at[y->note].column = t->column;
  }
}

void ritti_unknown(ritti_resolver *s, uint32_t token) {
  ritti_reader *r = s->reader;
  if (s->syntax && s->syntax->any_name) return;
  const char *name = ritti_quote(r, token), *hint = ritti_foreign_hint(name);
  const ritti_symbol *label = ritti_symbols_find(&s->labels, name, strlen(name));
  if (ritti_is_function(name)) {
    ritti_tell_unknown(s, token, name, ritti_words(r, "write %s(...)", name),
                       ritti_words(r, "'%s' is a function and needs an argument", name));
    return;
  }
  if (!strcmp(name, "t") && s->model->independent)
    hint = ritti_words(r, "the independent variable is '%s'", s->model->independent);
  if (label) hint = ritti_words(r, "it is only a label: define it with 'let %s = ...'", name);
  if (!hint) hint = ritti_did_you_mean(r, ritti_nearest_name(s, name, Y_NONE));
  if (!hint)
    hint = ritti_words(r, "declare it: 'variable %s', 'parameter %s = ...' or 'let %s = ...'", name,
                       name, name);
  ritti_tell_unknown(s, token, name, hint, ritti_words(r, "'%s' is not defined", name));
}
