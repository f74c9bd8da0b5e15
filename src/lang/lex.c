/* Text -> tokens. The lexer knows words, numbers and signs, and which token is the first of its
 * line; the parser decides whether a line continues in the next one.
 *
 * A sign in a foreign spelling (==, **, a typographic minus) is reported and then replaced by
 * the sign that is meant, so that it causes one message and not two. All other foreign text
 * becomes T_BAD.
 */
#include "lang_impl.h"

const ritti_section_info ritti_sections[S_COUNT] = {
#define X(id, word, form, hint) {word, hint, form},
    RITTI_SECTIONS(X)
#undef X
};

static const char *const reserved[] = {
#define X(id, word, after, before) word,
    RITTI_RESERVED(X)
#undef X
};

/* The state of the lexer. */
typedef struct lexer {
  ritti_reader *r;
  uint32_t at;
  int line, column;
  bool first;    /* the line has no token yet */
  int section;   /* the last keyword; -1: none */
  bool inside;   /* in a component */
  int component; /* column of the component's sections; 0: none is read yet */
} lexer;

/* The character that stands `ahead` bytes after the present one; 0 after the end of the text. */
static char peek_char(const lexer *l, uint32_t ahead) {
  return l->at + ahead < l->r->length ? l->r->text[l->at + ahead] : '\0';
}
/* Classes of characters. */
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_newline(char c) { return c == '\n' || c == '\r'; }

/* Does the rest of the text begin with this text? */
static bool starts_with(const lexer *l, const char *text) {
  size_t length = strlen(text);
  return l->r->length - l->at >= length && !memcmp(l->r->text + l->at, text, length);
}

/* Decodes the character at an offset; *length: its number of bytes. */
static uint32_t decode_utf8(const lexer *l, uint32_t at, uint32_t *length) {
  uint32_t code = 0;
  *length = (uint32_t)ritti_utf8_length(l->r->text + at, l->r->length - at, &code);
  return code;
}

/* Advances by a number of bytes within a line; a character of several bytes is one column. */
static void advance_bytes(lexer *l, uint32_t bytes) {
  for (uint32_t end = l->at + bytes; l->at < end; l->at++)
    l->column += ((unsigned char)l->r->text[l->at] & 0xc0) != 0x80;
}

/* Makes the next `length` bytes a token. */
static void emit_token(lexer *l, ritti_token_kind kind, uint32_t length, int word) {
  ritti_token t = {.kind = (uint8_t)kind, .word = (uint8_t)word, .first = l->first, .start = l->at};
  t.length = length;
  t.line = l->line;
  t.column = l->column;
  if (kind == T_KEYWORD) l->section = word;
  if (kind == T_KEYWORD && l->column == 1) {
    l->inside = word == S_COMPONENT;
    l->component = 0;
  }
  if (RITTI_PUSH(l->r->tokens, t) != RITT_OK) l->r->status = RITT_NO_MEMORY;
  l->first = false;
  advance_bytes(l, length);
}

/* Notes the beginning of a line. */
static void start_line(lexer *l) {
  ritti_line line = {.start = l->at};
  if (RITTI_PUSH(l->r->lines, line) != RITT_OK) l->r->status = RITT_NO_MEMORY;
  l->line = (int)l->r->lines.count;
  l->column = 1;
  l->first = true;
}

/* Skips the rest of the line. */
static void skip_line(lexer *l) {
  while (l->at < l->r->length && !is_newline(peek_char(l, 0))) advance_bytes(l, 1);
}

/* ---- foreign characters ---- */

/* What to type instead of a character beyond ASCII or an unused ASCII character. kind T_BAD: it
 * replaces no token. */
static const struct {
  uint32_t code;
  const char *type;
  ritti_token_kind kind;
} strays[] = {
    {0x2212, "-", T_MINUS},
    {0x2010, "-", T_MINUS},
    {0x2011, "-", T_MINUS},
    {0x2012, "-", T_MINUS},
    {0x2013, "-", T_MINUS},
    {0x2014, "-", T_MINUS},
    {0xd7, "*", T_TIMES},
    {0xb7, "*", T_TIMES},
    {0x22c5, "*", T_TIMES},
    {0x2217, "*", T_TIMES},
    {0x2219, "*", T_TIMES},
    {0xf7, "/", T_OVER},
    {0x2215, "/", T_OVER},
    {0x2044, "/", T_OVER},
    {0x2019, "'", T_PRIME},
    {0x2018, "'", T_PRIME},
    {0x2032, "'", T_PRIME},
    {0xb4, "'", T_PRIME},
    {'`', "'", T_PRIME},
    {0x2033, "''", T_BAD},
    {0x2026, "..", T_RANGE},
    {0x2264, "<=", T_LESS_EQUAL},
    {0x2265, ">=", T_GREATER_EQUAL},
    {0x2260, "<>", T_UNEQUAL},
    {0x2192, "->", T_ARROW},
    {0x223c, "~", T_TILDE},
    {0x2248, "~", T_TILDE},
    {0xb2, "^2", T_BAD},
    {0xb3, "^3", T_BAD},
    {0x221a, "sqrt( )", T_BAD},
    {0x3c0, "pi", T_BAD},
    {'{', "(", T_BAD},
    {'}', ")", T_BAD},
    {'|', "abs( )", T_BAD},
    {'&', "and", T_BAD},
    {0xa0, "a blank", T_BAD},
    {0x2009, "a blank", T_BAD},
    {0x202f, "a blank", T_BAD},
    {0x2002, "a blank", T_BAD},
};

/* Names of the Greek letters in the order of Unicode. */
static const char *const greek[] = {
    "alpha", "beta",   "gamma",   "delta", "epsilon", "zeta",    "eta",  "theta", "iota",
    "kappa", "lambda", "mu",      "nu",    "xi",      "omicron", "pi",   "rho",   "sigma",
    "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",     "omega"};

/* Latin letters with accents, Greek and Cyrillic. */
static bool is_foreign_letter(uint32_t code) {
  bool latin = code >= 0xc0 && code < 0x250 && code != 0xd7 && code != 0xf7;
  return latin || (code >= 0x370 && code < 0x530) || (code >= 0x1e00 && code < 0x2000);
}

/* What to write instead of a foreign letter. */
static const char *letter_hint(lexer *l, uint32_t code) {
  if (code == 0x1e8b) return "write x'";
  if (code == 0x1e8d) return "write x''";
  if (code == 0x1e8f) return "write y'";
  if (code == 0x17c) return "write z'";
  if (code >= 0x3b1 && code <= 0x3c9) return ritti_words(l->r, "write %s", greek[code - 0x3b1]);
  if (code >= 0x391 && code <= 0x3a9) {
    const char *name = greek[code - 0x391];
    return ritti_words(l->r, "write %c%s", name[0] - 'a' + 'A', name + 1);
  }
  return "a name is made of the letters a to z and A to Z, digits and _";
}

/* Reports a mistake at the present character. */
static void say_here(lexer *l, const char *hint, const char *text) {
  ritti_say_at(l->r, l->line, l->column, hint, "%s", text);
}

/* Is this a quotation mark, plain or typographic? */
static bool is_quote(uint32_t code) {
  return code == 0x201c || code == 0x201d || code == 0x201e || code == '"';
}

/* “text”: reads a string in typographic quotes up to the closing quote. */
static void lex_curly_string(lexer *l) {
  say_here(l, "type \" instead", "the quotes are typographic ones");

  /* the closing quote, on the same line */
  uint32_t length, end = l->at;
  decode_utf8(l, end, &length);
  for (end += length; end < l->r->length && !is_newline(l->r->text[end]); end += length)
    if (is_quote(decode_utf8(l, end, &length))) {
      emit_token(l, T_STRING, end + length - l->at, 0);
      return;
    }
  emit_token(l, T_BAD, end - l->at, 0);
}

/* The advice for a character that other languages use. NULL: none. */
static const char *stray_hint(lexer *l, uint32_t code) {
  char next = peek_char(l, 1);
  if (code == '%' && is_digit(peek_char(l, next == ' ' ? 2 : 1)))
    return "write mod(a, b); a comment begins with '#'";
  if (code == '%') return "a comment begins with '#'";
  if (code == '!') return next == ' ' ? "a comment begins with '#'" : "write not";
  if (code == '?') return "write if a > b then x else y";
  if (code == '$') return "write the name alone";
  if (code == '\\' && is_letter(next)) return "write formulas as in a program: x', sin(x), a/b";
  if (code == '\\') return "to continue a line, end it with an operator";
  if (code == '@' && l->column == 1)
    return starts_with(l, "@variables")    ? "write 'variable x, y'"
           : starts_with(l, "@parameters") ? "write 'parameter a = 1'"
                                           : "write the equations themselves under 'equation'";
  if (code == '@') return "write the equations themselves under 'equation'";

  /* a semicolon at the end of a line, or between statements */
  if (code == ';') {
    uint32_t ahead = 1;
    while (peek_char(l, ahead) == ' ' || peek_char(l, ahead) == '\t') ahead++;
    bool last = l->at + ahead >= l->r->length || is_newline(peek_char(l, ahead));
    return last ? "leave it out: a statement ends with its line"
                : "write one statement per line, or a comma in a list";
  }

  /* .^, .* and ./ of MATLAB */
  if (code != '.') return NULL;
  if (next == '^' || next == '*' || next == '/') return ritti_words(l->r, "write %c alone", next);

  /* np.sin(x), math.exp(x) of Python */
  uint32_t ahead = 1;
  while (is_letter(peek_char(l, ahead)) || is_digit(peek_char(l, ahead))) ahead++;
  if (ahead == 1 || peek_char(l, ahead) != '(') return NULL;
  return ritti_words(l->r, "a function has no prefix: write %.*s(...)", (int)ahead - 1,
                     l->r->text + l->at + 1);
}

/* Reports a foreign character and emits the token that it stands for. */
static void lex_stray(lexer *l) {
  uint32_t length, code = decode_utf8(l, l->at, &length);
  if (code != '"' && is_quote(code)) {
    lex_curly_string(l);
    return;
  }

  /* how the message shows it */
  bool plain = code > ' ' && code < 0x7f;
  bool visible = plain || code > 0xa0;
  const char *shown = visible ? ritti_words(l->r, " '%.*s'", (int)length, l->r->text + l->at) : "";
  const char *number = plain ? "" : ritti_words(l->r, " (U+%04X)", (unsigned)code);
  const char *hint = stray_hint(l, code);

  /* its meaning */
  ritti_token_kind kind = T_BAD;
  for (size_t i = 0; i < sizeof strays / sizeof *strays; i++)
    if (strays[i].code == code) {
      hint = ritti_words(l->r, "type %s instead", strays[i].type);
      kind = strays[i].kind;
    }
  ritti_say_at(l->r, l->line, l->column, hint, "the character%s%s has no meaning here", shown,
               number);
  emit_token(l, kind, length, 0);
}

/* ---- tokens ---- */

/* Keywords of other languages, the section that each resembles, and the advice. */
static const struct {
  const char *word;
  int section; /* -1: none */
  const char *hint;
} foreign_keywords[] = {
    {"Real", S_VARIABLE, "write 'variable x'; its start value stands in the section 'start'"},
    {"var", S_VARIABLE, "write 'variable x, y'"},
    {"double", S_VARIABLE, "write 'variable x', or 'parameter a = 1' for a constant"},
    {"float", S_VARIABLE, "write 'variable x', or 'parameter a = 1' for a constant"},
    {"int", S_PARAMETER, "write 'parameter n = 1'"},
    {"Integer", S_PARAMETER, "write 'parameter n = 1'"},
    {"Boolean", -1, "there are no truth values: write conditions, if a > b then x else y"},
    {"syms", -1, "write 'variable x, y'"},
    {"state", S_VARIABLE, "write 'variable x, y'"},
    {"unknown", S_VARIABLE, "write 'variable x, y'"},
    {"par", S_PARAMETER, "write 'parameter a = 1'"},
    {"param", S_PARAMETER, "write 'parameter a = 1'"},
    {"params", S_PARAMETER, "write 'parameter a = 1'"},
    {"const", S_PARAMETER, "write 'parameter a = 1'"},
    {"constant", S_PARAMETER, "write 'parameter a = 1'"},
    {"init", S_START, "write the start values under 'start t = 0'"},
    {"initial", S_START, "write the start values under 'start t = 0'"},
    {"ics", S_START, "write the start values under 'start t = 0'"},
    {"u0", -1, "write the start values under 'start t = 0'"},
    {"x0", -1, "write the start values under 'start t = 0'"},
    {"y0", -1, "write the start values under 'start t = 0'"},
    {"ode", S_EQUATION, "write the equations under 'equation'"},
    {"odes", S_EQUATION, "write the equations under 'equation'"},
    {"eq", S_EQUATION, "write the equations under 'equation'"},
    {"eqs", -1, "write the equations under 'equation', one per line"},
    {"method", -1, "write it indented below 'solve t = 0 .. 50'"},
    {"tolerance", -1, "write it indented below 'solve t = 0 .. 50': tolerance 1e-8"},
    {"tol", -1, "write it indented below 'solve t = 0 .. 50': tolerance 1e-8"},
    {"rtol", -1, "write it indented below 'solve t = 0 .. 50': tolerance 1e-8"},
    {"reltol", -1, "write it indented below 'solve t = 0 .. 50': tolerance 1e-8"},
    {"atol", -1, "write it indented below 'solve t = 0 .. 50': absolute 1e-10"},
    {"abstol", -1, "write it indented below 'solve t = 0 .. 50': absolute 1e-10"},
    {"dt", -1, "write it indented below 'solve t = 0 .. 50': rows step 0.1, or max_step 0.1"},
    {"print", -1, "write 'output x, y'"},
    {"disp", -1, "write 'output x, y'"},
    {"tspan", S_SOLVE, "write the interval of the run as 'solve t = 0 .. 50'"},
    {"StartTime", -1, "write the interval of the run as 'solve t = 0 .. 50'"},
    {"StopTime", -1, "write the interval of the run as 'solve t = 0 .. 50'"},
    {"annotation", -1, "write the interval of the run as 'solve t = 0 .. 50'"},
    {"simulate", -1, "write the interval of the run as 'solve t = 0 .. 50'"},
    {"sim", -1, "write the interval of the run as 'solve t = 0 .. 50'"},
    {"sol", -1, "write the interval of the run as 'solve t = 0 .. 50'"},
    {"prob", -1, "write the interval of the run as 'solve t = 0 .. 50'"},
    {"assert", -1, "write an event that ends the run: 'event name: a = b -> stop'"},
    {"return", -1, "leave it out: equations are not a program"},
    {"begin", -1, "leave it out: a section ends where the next one begins"},
    {"while", -1, "there are no loops: 'for i in 1..n: x[i]' = 0' writes n equations"},
    {"loop", -1, "there are no loops: 'for i in 1..n: x[i]' = 0' writes n equations"},
    {"when", S_EVENT, "write 'event name: a = b -> x := 0'"},
    {"import", S_INCLUDE, "write 'include \"file.ritt\"'; functions such as sin need no import"},
    {"using", -1, "leave it out: functions such as sin are always available"},
    {"from", -1, "leave it out: functions such as sin are always available"},
    {"class", S_MODEL, "write 'model NAME'"},
    {"block", S_MODEL, "write 'model NAME', or 'component NAME' for a part"},
    {"package", -1, "leave it out: a file has one model, and components stand in it"},
    {"def", S_FUNCTION, "write 'function f(a, b) = a^2 + b^2'"},
    {"end", -1, "leave it out: a section ends where the next one begins"},
    {"algorithm", -1, "write equations: the order of statements has no meaning here"},
};

const char *ritti_foreign_keyword(const char *word) {
  for (size_t i = 0; i < sizeof foreign_keywords / sizeof *foreign_keywords; i++)
    if (!strcmp(foreign_keywords[i].word, word)) return foreign_keywords[i].hint;
  return NULL;
}

/* Reports a word in the first column that is not a section keyword, and emits the keyword of the
 * section that it resembles, or a name. */
static void lex_first_column(lexer *l, uint32_t length) {
  /* a keyword of another language */
  const char *typed = ritti_words(l->r, "%.*s", (int)length, l->r->text + l->at);
  for (size_t i = 0; i < sizeof foreign_keywords / sizeof *foreign_keywords; i++)
    if (!strcmp(foreign_keywords[i].word, typed)) {
      int like = foreign_keywords[i].section;
      ritti_say_at(l->r, l->line, l->column, foreign_keywords[i].hint,
                   "'%s' is not the keyword of a section", typed);
      if (starts_with(l, "initial equation")) length = (uint32_t)strlen("initial equation");
      emit_token(l, like >= 0 ? T_KEYWORD : T_BAD, length, like >= 0 ? like : 0);
      return;
    }

  /* a misspelt keyword, or a statement that is not indented */
  const char *keyword[S_COUNT];
  for (int i = 0; i < S_COUNT; i++) keyword[i] = ritti_sections[i].word;
  const char *word = ritti_words(l->r, "%.*s", (int)length, l->r->text + l->at);
  const char *near = ritti_nearest(word, keyword, S_COUNT);
  const char *hint = near ? ritti_words(l->r, "indent it, or did you mean '%s'?", near)
                          : "indent it: only the keyword of a section stands in the first column";
  ritti_say_at(l->r, l->line, l->column, hint, "'%s' is not the keyword of a section", word);

  /* continue with the keyword that is meant */
  int section = 0;
  while (near && keyword[section] != near) section++;
  emit_token(l, near ? T_KEYWORD : T_NAME, length, section);
}

/* Does the word stand in the column of keywords: the first one, or that of a component's sections,
 * which is the column of the first line below `component`? */
static bool in_keyword_column(lexer *l) {
  if (l->column == 1) return true;
  if (!l->inside || !l->first) return false;
  if (l->component == 0) l->component = l->column;
  return l->column <= l->component;
}

/* Emits a word: a section keyword in its column, a reserved word or a name. */
static void lex_name(lexer *l, uint32_t length) {
  if (length > RITTI_NAME_LIMIT) {
    say_here(l, "choose a shorter one", "the name is longer than 200 characters");
    emit_token(l, T_BAD, length, 0);
    return;
  }

  /* keywords count in their column only */
  const char *text = l->r->text + l->at;
  bool keyword = in_keyword_column(l);
  for (int i = 0; keyword && i < S_COUNT; i++)
    if (strlen(ritti_sections[i].word) == length && !memcmp(ritti_sections[i].word, text, length)) {
      emit_token(l, T_KEYWORD, length, i);
      return;
    }

  /* reserved words */
  for (int i = 0; i < (int)(sizeof reserved / sizeof *reserved); i++)
    if (strlen(reserved[i]) == length && !memcmp(reserved[i], text, length)) {
      emit_token(l, T_RESERVED, length, i);
      return;
    }

  if (keyword) lex_first_column(l, length);
  else emit_token(l, T_NAME, length, 0);
}

/* word = letter { letter | digit }; a word with letters beyond ASCII is reported and bad. */
static void lex_word(lexer *l) {
  uint32_t end = l->at, length, foreign = NO_TOKEN;

  /* find the end of the word and its first foreign letter */
  for (; end < l->r->length; end += length) {
    uint32_t code = decode_utf8(l, end, &length);
    bool plain = length == 1 && (is_letter((char)code) || is_digit((char)code));
    if (!plain && !is_foreign_letter(code)) break;
    if (!plain && foreign == NO_TOKEN) foreign = end;
  }
  if (foreign == NO_TOKEN) {
    lex_name(l, end - l->at);
    return;
  }

  /* point at the foreign letter */
  uint32_t code = decode_utf8(l, foreign, &length);
  lexer there = *l;
  advance_bytes(&there, foreign - l->at);
  ritti_say_at(l->r, l->line, there.column, letter_hint(l, code),
               "the letter '%.*s' cannot stand in a name", (int)length, l->r->text + foreign);
  emit_token(l, T_BAD, end - l->at, 0);
}

/* number = digits [ "." digits ] [ e [+|-] digits ] | "." digits ...; a "." before another "."
 * is not part of the number, but of a range. */
static void lex_number(lexer *l) {
  uint32_t n = 0;
  while (is_digit(peek_char(l, n))) n++;
  if (peek_char(l, n) == '.' && peek_char(l, n + 1) != '.')
    for (n++; is_digit(peek_char(l, n));) n++;

  /* the exponent, if digits follow the e */
  if (peek_char(l, n) == 'e' || peek_char(l, n) == 'E') {
    uint32_t m = n + 1;
    m += peek_char(l, m) == '+' || peek_char(l, m) == '-';
    if (is_digit(peek_char(l, m)))
      for (n = m; is_digit(peek_char(l, n));) n++;
  }
  emit_token(l, T_NUMBER, n, 0);
}

/* A text in quotes, which ends on its line. */
static void lex_string(lexer *l) {
  uint32_t n = 1;
  while (l->at + n < l->r->length && peek_char(l, n) != '"' && !is_newline(peek_char(l, n))) n++;
  if (peek_char(l, n) == '"') {
    emit_token(l, T_STRING, n + 1, 0);
    return;
  }

  /* x" may be meant as a second derivative */
  const ritti_token *last = l->first ? NULL : &l->r->tokens.at[l->r->tokens.count - 1];
  bool after_name = last && last->kind == T_NAME && last->start + last->length == l->at;
  say_here(l,
           after_name ? "close it with \"; a second derivative has two primes: x''"
                      : "close it with \"",
           "the text in quotes does not end on its line");
  emit_token(l, T_BAD, n, 0);
}

/* <electric> after `include`: the name of a library, a token like a text in quotes. false: there is
 * none here. */
static bool lex_library(lexer *l) {
  uint32_t n = 1;
  if (l->section != S_INCLUDE || peek_char(l, 0) != '<') return false;
  while (is_letter(peek_char(l, n)) || is_digit(peek_char(l, n))) n++;
  if (n == 1 || peek_char(l, n) != '>') return false;
  emit_token(l, T_STRING, n + 1, 0);
  return true;
}

/* Does the '.' here stand between a library and a component: `G: planar.ground(X = 1)`? */
static bool follows_library(const lexer *l) {
  const ritti_reader *r = l->r;
  size_t n = r->tokens.count;
  return l->section == S_PART && n >= 2 && r->tokens.at[n - 1].kind == T_NAME &&
         r->tokens.at[n - 2].kind == T_COLON;
}

/* Does the '.' here join two names of a path? Before the name of a function it does not. */
static bool joins_names(const lexer *l) {
  uint32_t ahead = 1;
  while (is_letter(peek_char(l, ahead)) || is_digit(peek_char(l, ahead))) ahead++;
  return is_letter(peek_char(l, 1)) && (peek_char(l, ahead) != '(' || follows_library(l));
}

/* Signs of other languages. false: there is none here. */
static bool lex_wrong_sign(lexer *l) {
  static const struct {
    const char *text, *hint;
    ritti_token_kind kind;
  } wrong[] = {
      {"==", "write = instead", T_EQUALS},
      {"**", "write ^ instead", T_POWER},
      {"!=", "write <> instead", T_UNEQUAL},
      {"~=", "write <> instead", T_UNEQUAL},
      {"&&", "write and instead", T_BAD},
      {"||", "write or instead", T_BAD},
      {"++", "an equation holds at all times and changes nothing: write x' = ...", T_BAD},
      {"+=", "an equation holds at all times and changes nothing: write x' = ...", T_EQUALS},
      {"-=", "an equation holds at all times and changes nothing: write x' = ...", T_EQUALS},
      {"*=", "an equation holds at all times and changes nothing: write x' = ...", T_EQUALS},
      {"/=", "an equation holds at all times and changes nothing: write x' = ...", T_EQUALS},
      {"...", "a range is written 0 .. 1; a line continues if it ends with an operator", T_BAD}};

  /* report the foreign sign and emit the sign that is meant */
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (starts_with(l, wrong[i].text)) {
      ritti_say_at(l->r, l->line, l->column, wrong[i].hint, "'%s' is not a sign of the language",
                   wrong[i].text);
      emit_token(l, wrong[i].kind, (uint32_t)strlen(wrong[i].text), 0);
      return true;
    }

  /* comments of C and of Mathematica, the integer division of Python */
  if (!starts_with(l, "//") && !starts_with(l, "/*") && !starts_with(l, "(*")) return false;
  bool division = starts_with(l, "//") && is_digit(peek_char(l, peek_char(l, 2) == ' ' ? 3 : 2));
  ritti_say_at(l->r, l->line, l->column,
               division ? "a comment begins with '#'; a division without remainder is floor(a/b)"
                        : "a comment begins with '#'",
               "'%.2s' does not begin a comment", l->r->text + l->at);
  skip_line(l);
  return true;
}

/* A sign: the longest that fits, or a foreign character. */
static void lex_sign(lexer *l) {
  static const struct {
    const char *text;
    ritti_token_kind kind;
  } signs[] = {
#define X(id, text) {text, T_##id},
      RITTI_SIGNS(X)
#undef X
  };
  if (lex_wrong_sign(l) || lex_library(l)) return;
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (starts_with(l, signs[i].text) && (signs[i].kind != T_DOT || joins_names(l))) {
      emit_token(l, signs[i].kind, (uint32_t)strlen(signs[i].text), 0);
      return;
    }
  lex_stray(l);
}

/* A line end: "\n", "\r" or "\r\n". */
static void lex_newline(lexer *l) {
  l->at += starts_with(l, "\r\n") ? 2 : 1;
  start_line(l);
}

/* Reads the token, blank, comment or line end that begins here. */
static void lex_token(lexer *l) {
  char c = peek_char(l, 0);
  uint32_t length, code = decode_utf8(l, l->at, &length);
  if (is_newline(c)) lex_newline(l);
  else if (c == ' ' || c == '\t') advance_bytes(l, 1);
  else if (c == '#') skip_line(l);
  else if (is_letter(c) || (is_foreign_letter(code) && code != 0x3c0)) lex_word(l);
  else if (is_digit(c) || (c == '.' && is_digit(peek_char(l, 1)))) lex_number(l);
  else if (c == '"') lex_string(l);
  else lex_sign(l);
}

/* Makes tokens of the text from `from` on; a byte order mark is skipped. */
bool ritti_lex(ritti_reader *r, uint32_t from) {
  lexer l = {.r = r, .at = from, .section = -1};
  if (starts_with(&l, "\xef\xbb\xbf")) l.at += 3;
  start_line(&l);
  while (l.at < r->length && !r->full && r->status == RITT_OK) lex_token(&l);
  l.first = true;
  emit_token(&l, T_END, 0, 0);
  return r->status == RITT_OK;
}
