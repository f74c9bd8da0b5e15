/* Names that nothing defines: reports each once for all its uses, at the first of these, with
 * what was probably meant.
 */
#include "lang/resolve_impl.h"

/* Names of other languages, and the advice. */
static const struct {
  const char *name, *hint;
} foreign[] = {
    {"ln", "write log(...): the natural logarithm"},
    {"arcsin", "write asin(...)"},
    {"arccos", "write acos(...)"},
    {"arctan", "write atan(...)"},
    {"arctan2", "write atan2(y, x)"},
    {"pow", "write a^b"},
    {"sqr", "write a^2"},
    {"exp2", "write 2^a"},
    {"log1p", "write log(1 + a)"},
    {"expm1", "write exp(a) - 1"},
    {"asinh", "write log(a + sqrt(a^2 + 1))"},
    {"acosh", "write log(a + sqrt(a^2 - 1))"},
    {"atanh", "write log((1 + a)/(1 - a))/2"},
    {"trunc", "write sign(a)*floor(abs(a))"},
    {"radians", "write a*pi/180"},
    {"deg2rad", "write a*pi/180"},
    {"clip", "write min(max(x, a), b)"},
    {"clamp", "write min(max(x, a), b)"},
    {"limit", "write min(max(x, a), b)"},
    {"where", "write if a > b then x else y"},
    {"ifelse", "write if a > b then x else y"},
    {"piecewise", "write if a > b then x else y"},
    {"interp1", "write a table: function f = table \"file.csv\" column 1 -> 2"},
    {"interp", "write a table: function f = table \"file.csv\" column 1 -> 2"},
    {"delay", "values at earlier times cannot be used"},
    {"integral", "write a variable with its derivative: s' = x"},
    {"integrate", "write a variable with its derivative: s' = x"},
    {"rand", "there are no random numbers: use a table"},
    {"randn", "there are no random numbers: use a table"},
    {"random", "there are no random numbers: use a table"},
    {"noEvent", "leave it out, or write smooth(...)"},
    {"homotopy", "write its first argument alone"},
    {"nan", "write a number"},
    {"NaN", "write a number"},
    {"fabs", "write abs(...)"},
    {"sgn", "write sign(...)"},
    {"diff", "write x' for the derivative of x, x'' for the second one"},
    {"d", "write x' for the derivative of x"},
    {"dt", "write x' for dx/dt"},
    {"D", "write x' for the derivative of x"},
    {"Dt", "write x' for the derivative of x"},
    {"ddt", "write x' for the derivative of x"},
    {"derivative", "write x' for the derivative of x"},
    {"Derivative", "write x' for the derivative of x"},
    {"pre", "the right sides of a jump are taken before the jump: write x"},
    {"power", "write a^b"},
    {"square", "write a^2"},
    {"floordiv", "write floor(a/b)"},
    {"ceiling", "write ceil(...)"},
    {"rem", "write mod(a, b)"},
    {"fmod", "write mod(a, b)"},
    {"sec", "write 1/cos(...)"},
    {"csc", "write 1/sin(...)"},
    {"heaviside", "write if x > 0 then 1 else 0"},
    {"Heaviside", "write if x > 0 then 1 else 0"},
    {"time", "the independent variable is t"},
    {"inf", "there is no infinity: write a large number, or leave the limit out"},
    {"Inf", "there is no infinity: write a large number, or leave the limit out"},
    {"cot", "write 1/tan(...)"},
    {"e", "the number e is exp(1)"},
    {"true", "there are no truth values: write a condition, or the number 1"},
    {"false", "there are no truth values: write a condition, or the number 0"},
    {"True", "there are no truth values: write a condition, or the number 1"},
    {"False", "there are no truth values: write a condition, or the number 0"},
    {"Pi", "write pi"},
    {"PI", "write pi"},
};

const char *ritti_foreign_hint(const char *name) {
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (!strcmp(foreign[i].name, name)) return foreign[i].hint;
  return NULL;
}

const char *ritti_nearest_name(ritti_resolver *s, const char *name, ritti_symbol_kind kind) {
  enum { ENOUGH = 50 }; /* the search takes time, and nobody reads more hints than this */
  if (s->reader->notes.count > ENOUGH || s->names.all.count == 0) return NULL;

  /* the names of this kind; Y_NONE stands for all kinds */
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

void ritti_tell_unknown(ritti_resolver *s, uint32_t token, const char *key, const char *hint,
                        const char *text) {
  ritti_reader *r = s->reader;
  ritti_symbol *y = ritti_symbols_find(&s->unknown, key, strlen(key));

  /* report it */
  if (!y) {
    size_t note = r->notes.count;
    ritti_say(r, token, hint, "%s", text);
    y = ritti_symbols_add(&s->unknown, key, Y_BROKEN, token);
    if (!y) r->status = RITT_NO_MEMORY;
    else y->note = note;
  } else if (ritti_token_before(r, token, y->token) && y->note < r->notes.count) {
    /* a use further up in the file: the message moves there */
    const ritti_token *t = ritti_token_at(r, token);
    y->token = token;
    r->notes.at[y->note].line = t->line;
    r->notes.at[y->note].column = t->column;
  }
}

/* Is the token the "dx" of "dx/dt", or the "d2x" of "d2x/dt2"? *derivative: x' or x''. */
static bool is_leibniz(ritti_resolver *s, uint32_t token, const char **derivative) {
  ritti_reader *r = s->reader;
  const ritti_token *t = ritti_token_at(r, token);
  if (t->kind != T_NAME || r->text[t->start] != 'd' || t->length < 2) return false;
  if (token + 2 >= r->tokens.count || t[1].kind != T_OVER || t[2].kind != T_NAME) return false;

  /* x must be a variable and t the independent variable */
  const char *name = ritti_quote(r, token) + 1, *below = ritti_quote(r, token + 2);
  const char *time = s->model->independent ? s->model->independent : "t";
  bool second = name[0] == '2' && below[strlen(below) - 1] == '2';
  name += second;
  const ritti_symbol *y = ritti_symbols_find(&s->names, name, strlen(name));
  *derivative = ritti_words(r, "%s%s", name, second ? "''" : "'");
  return y && y->kind == Y_VARIABLE && below[0] == 'd' && !strncmp(below + 1, time, strlen(time)) &&
         strlen(below) == 1 + strlen(time) + second;
}

/* The variable x if the name is xdot, x_dot, x_t or dxdt; NULL: it is none of these. */
static const char *find_differentiated(ritti_resolver *s, const char *name) {
  static const char *const endings[] = {"_dot", "dot", "_t", "dt"};
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t end = strlen(endings[i]), begin = i == 3 && name[0] == 'd';
    if (length <= end + begin || strcmp(name + length - end, endings[i])) continue;
    const ritti_symbol *y = ritti_symbols_find(&s->names, name + begin, length - end - begin);
    if (y && y->kind == Y_VARIABLE) return y->name;
  }
  return NULL;
}

/* The variable x if the name is x0 or x_0; NULL: it is neither. */
static const char *find_started(ritti_resolver *s, const char *name) {
  size_t length = strlen(name);
  if (length < 2 || name[length - 1] != '0') return NULL;
  length -= length > 2 && name[length - 2] == '_' ? 2 : 1;
  const ritti_symbol *y = ritti_symbols_find(&s->names, name, length);
  return y && y->kind == Y_VARIABLE ? y->name : NULL;
}

/* The function sin if the token is the "Sin" of "Sin[x]"; NULL: it is not. */
static const char *find_bracketed_function(ritti_resolver *s, uint32_t token) {
  const ritti_token *t = ritti_token_at(s->reader, token);
  if (token + 1 >= s->reader->tokens.count || t[1].kind != T_OPEN_INDEX) return NULL;
  const char *name = ritti_quote(s->reader, token);
  if (name[0] >= 'A' && name[0] <= 'Z')
    name = ritti_words(s->reader, "%c%s", name[0] - 'A' + 'a', name + 1);
  return ritti_is_function(name) ? name : NULL;
}

void ritti_unknown(ritti_resolver *s, uint32_t token) {
  ritti_reader *r = s->reader;
  const char *derivative;
  if (s->syntax && s->syntax->any_name) return;

  /* dx/dt is one mistake, reported at dx */
  if (token >= 2 && is_leibniz(s, token - 2, &derivative)) return;
  if (is_leibniz(s, token, &derivative)) {
    const char *name = ritti_quote(r, token);
    ritti_tell_unknown(s, token, name, ritti_words(r, "write %s", derivative),
                       ritti_words(r, "'%s' is not defined", name));
    return;
  }

  /* a function without its argument */
  const char *name = ritti_quote(r, token), *hint = ritti_foreign_hint(name);
  const ritti_symbol *label = ritti_symbols_find(&s->labels, name, strlen(name));
  if (ritti_is_function(name)) {
    ritti_tell_unknown(s, token, name, ritti_words(r, "write %s(...)", name),
                       ritti_words(r, "'%s' is a function and needs an argument", name));
    return;
  }

  /* the best hint */
  if (!strcmp(name, "t") && s->model->independent)
    hint = ritti_words(r, "the independent variable is '%s'", s->model->independent);
  const char *differentiated = find_differentiated(s, name);
  if (differentiated) hint = ritti_words(r, "write %s'", differentiated);
  const char *started = find_started(s, name), *function = find_bracketed_function(s, token);
  if (started)
    hint = ritti_words(r, "the start value of %s is written '%s = ...' under 'start'", started,
                       started);
  if (function) hint = ritti_words(r, "write %s(...) with round brackets", function);
  if (label) hint = ritti_words(r, "it is only a label: define it with 'let %s = ...'", name);
  if (!hint) hint = ritti_did_you_mean(r, ritti_nearest_name(s, name, Y_NONE));
  if (!hint)
    hint = ritti_words(r, "declare it: 'variable %s', 'parameter %s = ...' or 'let %s = ...'", name,
                       name, name);
  ritti_tell_unknown(s, token, name, hint, ritti_words(r, "'%s' is not defined", name));
}
