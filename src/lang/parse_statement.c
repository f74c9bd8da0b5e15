/* Statements of the sections that are not mechanics, events, units, tables or plots: tokens ->
 * syntax.
 *
 * In: a parser at the first token of a statement, and the statement to fill. Out: false if a
 * mistake is reported. The tokens after the statement are checked by parse.c.
 */
#include "lang_impl.h"

/* Takes a name into s->name. false: a mistake was reported. */
static bool take_name(ritti_parser *p, ritti_statement *s, const char *what, const char *hint) {
  ritti_reader *r = p->reader;
  ritti_token_kind kind = ritti_look(p);

  /* a name */
  if (kind == T_NAME) {
    s->name = p->at++;
    return true;
  }

  /* report a reserved word or a missing name */
  if (kind == T_RESERVED)
    ritti_say(r, p->at, "choose another name", "'%s' is a reserved word and cannot be a name",
              ritti_quote(r, p->at));
  else if (ritti_ends(kind))
    ritti_say(r, p->at - 1, hint, "%s is missing after '%s'", what, ritti_quote(r, p->at - 1));
  else if (kind != T_BAD)
    ritti_say(r, p->at, hint, "%s is missing before '%s'", what, ritti_quote(r, p->at));
  return false;
}

/* Takes [ "[" ranges "]" ] after a name that is defined. false: a mistake was reported. */
static bool take_ranges(ritti_parser *p, ritti_statement *s) {
  if (ritti_look(p) != T_OPEN_INDEX) return true;
  s->ranges = ritti_parse_ranges(p);
  return s->ranges != NULL;
}

/* Takes "=" expr after s->name. false: a mistake was reported. */
static bool take_value(ritti_parser *p, ritti_statement *s, const char *what) {
  ritti_reader *r = p->reader;
  const char *name = ritti_quote(r, s->name);
  ritti_token_kind kind = ritti_look(p);

  /* the value */
  if (kind == T_EQUALS) {
    s->relation = p->at++;
    s->right = ritti_parse_expr(p);
    return s->right != NULL;
  }

  /* no '=' */
  const char *hint =
      kind == T_NAME ? ritti_words(r, "leave '%s' out: write %s = ...", name, ritti_quote(r, p->at))
                     : ritti_words(r, "write %s = ...", name);
  return ritti_refuse(p, s->name, hint, "%s '%s' has no value", what, name);
}

/* Takes a label [ name ":" ]. */
static void take_label(ritti_parser *p, ritti_statement *s) {
  if (ritti_look(p) != T_NAME || ritti_kind_at(p, p->at + 1) != T_COLON) return;
  s->name = p->at;
  p->at += 2;
}

/* grammar: model = name [ string ] */
static bool parse_model(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;
  if (!take_name(p, s, "the name of the model", "write 'model NAME', for example 'model pendulum'"))
    return false;

  if (ritti_look(p) == T_STRING) s->word = p->at++;
  if (ritti_ends(ritti_look(p)) || ritti_look(p) == T_BAD) return true;

  /* a name of several words */
  ritti_say(r, p->at,
            "a name is made of letters, digits and _; a longer title follows it in quotes",
            "'%s' cannot stand in the name of a model", ritti_quote(r, p->at));
  return false;
}

/* grammar: independent = name */
static bool parse_independent(ritti_parser *p, ritti_statement *s) {
  return take_name(p, s, "the name of the independent variable", "write 'independent x'");
}

/* grammar: parameter = name [ ranges ] [ "=" expr ]
 * Only a parameter of a component may have no value: every part gives it one. */
static bool parse_parameter(ritti_parser *p, ritti_statement *s) {
  const char *hint = ritti_look(p) == T_NUMBER
                         ? "a number has a decimal point and no comma: g = 9.81"
                         : "write a name and its value: g = 9.81";
  if (!take_name(p, s, "the name of a parameter", hint) || !take_ranges(p, s)) return false;
  bool required = p->component && (ritti_look(p) == T_COMMA || ritti_ends(ritti_look(p)));
  return required || take_value(p, s, "the parameter");
}

/* grammar: input = name [ "=" expr ]
 * Without a value, an input of a component gets one from every part, and an input of the model is 0
 * until the caller sets it. */
static bool parse_input(ritti_parser *p, ritti_statement *s) {
  if (!take_name(p, s, "the name of an input", "write a name and its value: u = sin(t)"))
    return false;
  bool open = ritti_look(p) == T_COMMA || ritti_ends(ritti_look(p));
  return open || take_value(p, s, "the input");
}

/* grammar: let = name [ ranges ] "=" expr */
static bool parse_let(ritti_parser *p, ritti_statement *s) {
  return take_name(p, s, "a name", "write a name and what it stands for: r = sqrt(x^2 + y^2)") &&
         take_ranges(p, s) && take_value(p, s, "the name");
}

/* Appends the name at the parser's token to s->arguments. NULL: no memory. */
static ritti_node *append_argument(ritti_parser *p, ritti_statement *s) {
  ritti_node *n = ritti_arena_alloc(p->reader->scratch, 1, sizeof *n);
  if (!n) {
    p->reader->status = RITT_NO_MEMORY;
    return NULL;
  }
  *n =
      (ritti_node){.kind = N_NAME, .at = p->at, .first = p->at, .end = p->at + 1, .sign = NO_TOKEN};
  ritti_node **last = &s->arguments;
  while (*last) last = &(*last)->next;
  *last = n;
  p->at++;
  return n;
}

/* Takes "(" name { "," name } ")" into s->arguments. false: a mistake was reported. */
static bool take_arguments(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;
  uint32_t open = p->at;
  p->at++;
  p->brackets++;

  /* the names */
  for (bool more = true; more; p->at += more) {
    if (ritti_look(p) != T_NAME)
      return ritti_refuse(p, p->at, "write the names of its arguments: f(a, b)",
                          "the name of an argument is missing before '%s'", ritti_quote(r, p->at));

    if (!append_argument(p, s)) return false;
    more = ritti_look(p) == T_COMMA;
  }

  /* the closing bracket */
  if (ritti_look(p) != T_CLOSE)
    return ritti_refuse(p, open, "close it with ')' after the names of the arguments",
                        "the bracket '(' is not closed");
  p->at++;
  p->brackets--;
  return true;
}

/* Takes "let" name "=" expr { "," name "=" expr }: local names of a function, which follow its
 * arguments and have values. false: a mistake was reported. */
static bool take_locals(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;
  do {
    p->at++;
    if (ritti_look(p) != T_NAME || ritti_kind_at(p, p->at + 1) != T_EQUALS)
      return ritti_refuse(p, p->at, "write f(a, b) = sqrt(s) let s = a^2 + b^2",
                          "a local name of the function '%s' is written 'name = value'",
                          ritti_quote(r, s->name));
    ritti_node *n = append_argument(p, s);
    if (!n) return false;
    p->at++;
    n->child = ritti_parse_expr(p);
    if (!n->child) return false;
  } while (ritti_look(p) == T_COMMA);
  return true;
}

/* grammar:
 *   function = name "(" name { "," name } ")" "=" expr [ "let" local { "," local } ]
 *            | name "=" table
 *   local    = name "=" expr
 */
static bool parse_function(ritti_parser *p, ritti_statement *s) {
  static const char *hint = "write 'function f(a, b) = a^2 + b^2'";
  ritti_reader *r = p->reader;
  if (!take_name(p, s, "the name of a function", hint)) return false;

  /* a function that is given by a table */
  if (ritti_look(p) == T_EQUALS && ritti_kind_at(p, p->at + 1) == T_NAME &&
      ritti_token_is(r, p->at + 1, "table")) {
    s->relation = p->at++;
    return ritti_parse_table(p, s);
  }

  /* the arguments and the body */
  if (ritti_look(p) != T_OPEN)
    return ritti_refuse(p, s->name, hint, "the function '%s' has no arguments",
                        ritti_quote(r, s->name));

  /* '=' and the body */
  if (!take_arguments(p, s)) return false;
  if (ritti_look(p) != T_EQUALS && ritti_look(p) != T_BAD) {
    ritti_say(r, s->name, hint, "the function '%s' has no '=' after its arguments",
              ritti_quote(r, s->name));
    return false;
  }
  if (!take_value(p, s, "the function")) return false;
  bool locals = ritti_look(p) == T_NAME && ritti_token_is(r, p->at, "let");
  return !locals || take_locals(p, s);
}

/* grammar: variable = name [ ranges ]
 * The ranges of a variable have no names. */
static bool parse_variable(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;
  if (!take_name(p, s, "the name of a variable", "write the names with commas between them: x, y"))
    return false;
  if (!take_ranges(p, s)) return false;

  /* indices have no names here */
  const char *name = ritti_quote(r, s->name);
  for (const ritti_node *n = s->ranges; n; n = n->next)
    if (n->at != NO_TOKEN) {
      ritti_say(r, n->at, ritti_words(r, "write %s[1..n]", name),
                "a variable is declared without the name of an index");
      return false;
    }

  /* primes, values and arguments do not belong to a declaration */
  switch (ritti_look(p)) {
  case T_PRIME:
    ritti_say(r, p->at, ritti_words(r, "write %s; its derivatives need no declaration", name),
              "a variable is declared without primes");
    return false;
  case T_EQUALS:
  case T_TILDE:
    ritti_say(r, p->at,
              ritti_words(r, "write %s here, and its start value in the section 'start'", name),
              "a variable is declared without a value");
    return false;
  case T_OPEN:
    ritti_say(
        r, p->at,
        ritti_words(r, "write %s alone: every variable depends on the independent variable", name),
        "a variable is declared without an argument");
    return false;
  default: return true;
  }
}

/* The advice for an equation without '=', which begins at token `first`. */
static const char *lonely_hint(const ritti_parser *p, uint32_t first, const ritti_node *left) {
  static const struct {
    const char *name, *hint;
  } foreign[] = {
      {"connect", "write it in the section 'connect': connect a.p, b.n"},
      {"print", "write 'output x' in the first column"},
      {"disp", "write 'output x' in the first column"},
      {"reinit", "write an event in the first column: 'event name: a = b -> x := 0'"},
      {"assert", "write an event in the first column: 'event name: a = b -> stop'"},
      {"terminate", "write an event in the first column: 'event name: a = b -> stop'"},
  };
  const ritti_reader *r = p->reader;
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (left->kind == N_CALL && ritti_token_is(r, first, foreign[i].name)) return foreign[i].hint;
  if (ritti_token_at(r, first)->kind == T_MINUS && ritti_token_at(r, first)->first)
    return "write both sides; to continue the line above, end it with the operator";
  return "write both sides: x' = y, or x^2 + y^2 - 1 = 0";
}

/* grammar:
 *   equation     = [ name ":" ] expr "=" expr
 *   constraint   = equation
 *   nonholonomic = equation
 */
static bool parse_equation(ritti_parser *p, ritti_statement *s) {
  take_label(p, s);
  uint32_t first = p->at;

  /* the left side */
  s->left = ritti_parse_expr(p);
  if (!s->left) return false;
  ritti_token_kind kind = ritti_look(p);

  /* the right side */
  if (kind == T_EQUALS) {
    s->relation = p->at++;
    s->right = ritti_parse_expr(p);
    return s->right != NULL;
  }

  /* if the ':' is on a later line, a label without an equation stands above a labelled line */
  bool lost = kind == T_COLON &&
              ritti_token_at(p->reader, p->at)->line > ritti_token_at(p->reader, s->first)->line;
  if (!lost && (kind == T_ASSIGN || kind == T_TILDE || kind == T_COLON || kind == T_ARROW))
    ritti_say(p->reader, p->at, "write = between its sides", "'%s' does not make an equation",
              ritti_quote(p->reader, p->at));
  else if (ritti_ends(kind))
    ritti_say(p->reader, first, lonely_hint(p, first, s->left), "the equation has no '='");
  else ritti_parse_unexpected(p);
  return false;
}

/* grammar: invariant = [ "projected" ] [ name ":" ] expr [ "=" expr ] */
static bool parse_invariant(ritti_parser *p, ritti_statement *s) {
  s->projected = ritti_look_word(p, "projected");
  p->at += s->projected;
  take_label(p, s);
  s->left = ritti_parse_expr(p);
  if (!s->left || ritti_look(p) != T_EQUALS) return s->left != NULL;

  /* the value */
  s->relation = p->at++;
  s->right = ritti_parse_expr(p);
  return s->right != NULL;
}

/* Takes the words `smooth` and `order N`, which stand right after the keyword. */
static void take_smooth(ritti_parser *p, ritti_statement *s) {
  ritti_token_kind next = ritti_kind_at(p, p->at + 1);
  bool first = ritti_token_at(p->reader, p->at - 1)->kind == T_KEYWORD;
  s->smooth = first && ritti_look_name(p, "smooth") && (next == T_NAME || ritti_ends(next));
  p->at += s->smooth;
  s->degree = NO_TOKEN;

  if (!s->smooth || !ritti_look_name(p, "order") || ritti_kind_at(p, p->at + 1) != T_NUMBER) return;
  s->degree = p->at + 1;
  p->at += 2;
}

/* Is the expression the 5 of a number such as 1,5? */
static bool follows_decimal_comma(ritti_reader *r, const ritti_node *n) {
  const ritti_token *t = ritti_token_at(r, n->first);
  return n->kind == N_NUMBER && n->first >= 2 && t[-1].kind == T_COMMA && t[-2].kind == T_NUMBER &&
         t[-1].start + 1 == t->start && t[-2].start + t[-2].length == t[-1].start;
}

/* Takes the word `steady` right after the keyword. */
static void take_steady(ritti_parser *p, ritti_statement *s) {
  ritti_token_kind next = ritti_kind_at(p, p->at + 1);
  bool first = ritti_token_at(p->reader, p->at - 1)->kind == T_KEYWORD;
  s->steady = first && ritti_look_name(p, "steady") && (next == T_NAME || ritti_ends(next));
  p->at += s->steady;
}

/* grammar: start = [ "steady" | "smooth" [ "order" number ] ] [ expr ( "=" | "~" ) expr ]
 * On the left: the independent variable, a variable or a derivative of one. */
static bool parse_start(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;
  take_smooth(p, s);
  if (!s->smooth) take_steady(p, s);

  /* the left side */
  if ((s->smooth || s->steady) && ritti_ends(ritti_look(p))) return true;
  s->left = ritti_parse_expr(p);
  if (!s->left) return false;
  ritti_token_kind kind = ritti_look(p);

  /* the right side */
  if (kind == T_EQUALS || kind == T_TILDE) {
    s->relation = p->at++;
    s->right = ritti_parse_expr(p);
    return s->right != NULL;
  }

  /* neither '=' nor '~' */
  const char *shown = ritti_typed(r, r->scratch, s->left->first, s->left->end, false);
  if (!ritti_ends(kind) && kind != T_COMMA && kind != T_ASSIGN && kind != T_COLON)
    ritti_parse_unexpected(p);
  else
    ritti_say(r, s->left->first,
              follows_decimal_comma(r, s->left)
                  ? "a number has a point: 1.5"
                  : "write = for a value that is kept, ~ for a guess that may be moved",
              "the start value '%.60s' has no '=' or '~'", shown);
  return false;
}

/* grammar: scale = target "=" expr */
static bool parse_scale(ritti_parser *p, ritti_statement *s) {
  if (!take_name(p, s, "the name of a variable", "write a variable and its typical size: x = 1e-3"))
    return false;

  /* the variable, with its indices but without primes */
  p->at = s->name;
  s->left = ritti_parse_target(p);
  if (!s->left) return false;
  if (ritti_look(p) == T_PRIME) {
    ritti_say(p->reader, p->at, "write the variable without primes",
              "a scale belongs to a variable, not to its derivatives");
    return false;
  }
  return take_value(p, s, "the scale of");
}

/* grammar: output = [ name "=" ] expr */
static bool parse_output(ritti_parser *p, ritti_statement *s) {
  /* the name of the column */
  if (ritti_look(p) == T_NAME && ritti_kind_at(p, p->at + 1) == T_EQUALS) {
    s->name = p->at;
    s->relation = p->at + 1;
    p->at += 2;
  }

  /* the expression */
  s->right = ritti_parse_expr(p);
  if (s->right && s->name == NO_TOKEN && ritti_look(p) == T_EQUALS) {
    ritti_say(p->reader, p->at, "write NAME = EXPRESSION, or the expression alone",
              "the name of a column is made of letters, digits and _");
    return false;
  }
  return s->right != NULL;
}

/* grammar: solve = ( name | "arc" ) "=" [ expr ] ".." expr { setting }
 * The settings, one per line, are read by settings.c. */
static bool parse_solve(ritti_parser *p, ritti_statement *s) {
  static const char *hint = "write from where to where: 'solve t = 0 .. 50'";
  ritti_reader *r = p->reader;

  /* the variable of the run */
  if (!take_name(p, s, "the independent variable", hint)) return false;
  ritti_token_kind kind = ritti_look(p);
  if (kind != T_EQUALS) {
    const char *name = ritti_quote(r, s->name);
    if (ritti_is_setting(r, s->name))
      ritti_say(r, s->name, hint, "the setting '%s' stands before the range of the run", name);
    else if (kind != T_BAD) ritti_say(r, s->name, hint, "'=' is missing after '%s'", name);
    return false;
  }

  /* the beginning, which may be left out */
  s->relation = p->at++;
  if (ritti_look(p) != T_RANGE) {
    s->left = ritti_parse_expr(p);
    if (!s->left) return false;
  }

  /* '..' */
  kind = ritti_look(p);
  if (kind == T_RANGE) p->at++;
  else if (ritti_ends(kind) || kind == T_COMMA || kind == T_COLON) {
    if (kind == T_COLON)
      hint = "write 'solve t = 0 .. 50'; a line 'rows step 0.1' below it sets the distance of rows";
    ritti_say(r, p->at - 1, hint, "the end of the run is missing after '%s'",
              ritti_quote(r, p->at - 1));
    return false;
  } else {
    ritti_parse_unexpected(p);
    return false;
  }

  /* the end */
  if (ritti_ends(ritti_look(p))) {
    ritti_say(r, p->at - 1, hint, "the end of the run is missing after '..'");
    return false;
  }
  s->right = ritti_parse_expr(p);
  return s->right != NULL;
}

/* grammar: include = string | "<" name ">" */
static bool parse_include(ritti_parser *p, ritti_statement *s) {
  const char *hint = "write 'include \"parts.ritt\"'";
  if (ritti_look(p) == T_NAME)
    hint = ritti_words(p->reader,
                       "write 'include <%s>' for a library, 'include \"%s.ritt\"' for a file",
                       ritti_quote(p->reader, p->at), ritti_quote(p->reader, p->at));
  if (ritti_look(p) != T_STRING)
    return ritti_refuse(p, ritti_missing_at(p), hint, "the name of a file in quotes is missing");
  s->word = p->at++;
  return true;
}

/* ---- components ---- */

/* Takes [ "." name ] after a name that may be a library; *name becomes the token of the last name. */
static void take_member_of_library(ritti_parser *p, uint32_t *name) {
  if (ritti_look(p) != T_DOT || ritti_kind_at(p, p->at + 1) != T_NAME) return;
  *name = p->at + 1;
  p->at += 2;
}

/* grammar:
 *   extend = kind
 *   kind   = [ name "." ] name
 */
static bool parse_extend(ritti_parser *p, ritti_statement *s) {
  if (!take_name(p, s, "the name of a component", "write 'extend twopin'")) return false;
  take_member_of_library(p, &s->name);
  return true;
}

/* Takes ":" and the name of a component or of a kind of port into s->kind. */
static bool take_kind(ritti_parser *p, ritti_statement *s, const char *what, const char *hint) {
  ritti_reader *r = p->reader;
  const char *name = ritti_quote(r, s->name);
  if (ritti_look(p) != T_COLON)
    return ritti_refuse(p, s->name, hint, "':' is missing after '%s'", name);
  p->at++;
  if (ritti_look(p) != T_NAME)
    return ritti_refuse(p, p->at - 1, hint, "%s of '%s' is missing after ':'", what, name);
  s->kind = p->at++;
  take_member_of_library(p, &s->kind);
  return true;
}

/* Takes "(" name "=" expr { "," name "=" expr } ")" into s->action. */
static bool take_parameters(ritti_parser *p, ritti_statement *s) {
  static const char *hint = "write the values of parameters: R1: resistor(R = 100)";
  ritti_reader *r = p->reader;
  uint32_t open = p->at;
  ritti_statement **last = &s->action;
  p->at++;
  p->brackets++;

  /* value by value */
  for (bool more = ritti_look(p) != T_CLOSE; more; p->at += more) {
    ritti_statement *v = ritti_statement_new(p);
    if (!v) return false;
    if (ritti_look(p) != T_NAME || ritti_kind_at(p, p->at + 1) != T_EQUALS)
      return ritti_refuse(p, p->at, hint, "the name of a parameter and '=' are missing before '%s'",
                          ritti_quote(r, p->at));
    v->name = p->at;
    v->relation = p->at + 1;
    p->at += 2;
    v->right = ritti_parse_expr(p);
    if (!v->right) return false;
    v->end = p->at;

    /* append it */
    *last = v;
    last = &v->next;
    more = ritti_look(p) == T_COMMA;
  }

  /* 'R = 1k': the mistake is the word after the value */
  if (ritti_look(p) != T_CLOSE && !ritti_ends(ritti_look(p))) {
    ritti_parse_unexpected(p);
    return false;
  }
  if (ritti_look(p) != T_CLOSE)
    return ritti_refuse(p, open, "close it with ')'", "the bracket '(' is not closed");
  p->at++;
  p->brackets--;
  return true;
}

/* grammar:
 *   part  = name [ ranges ] ":" kind [ "(" [ value { "," value } ] ")" ]
 *   value = name "=" expr
 */
static bool parse_part(ritti_parser *p, ritti_statement *s) {
  static const char *hint = "write a name and its component: R1: resistor(R = 100)";
  if (!take_name(p, s, "the name of a part", hint) || !take_ranges(p, s)) return false;
  if (!take_kind(p, s, "the component", hint)) return false;
  return ritti_look(p) != T_OPEN || take_parameters(p, s);
}

/* grammar: port = name [ ranges ] ":" kind [ "=" array ] | name { members } */
static bool parse_port(ritti_parser *p, ritti_statement *s) {
  static const char *hint = "write a name and its kind: p: pin";
  if (!take_name(p, s, "the name of a port", hint) || !take_ranges(p, s)) return false;
  if (!take_kind(p, s, "the kind", hint)) return false;
  if (ritti_look(p) != T_EQUALS) return true;

  /* the members, given by expressions */
  s->relation = p->at++;
  uint32_t first = p->at;
  s->right = ritti_parse_expr(p);
  if (!s->right) return false;
  if (s->right->kind == N_LIST) return true;
  ritti_say(p->reader, first, "write them in brackets: p: pin = [0]",
            "the members of the port '%s' are given by a list", ritti_quote(p->reader, s->name));
  return false;
}

/* grammar: connect = path { "," path } */
static bool parse_connect(ritti_parser *p, ritti_statement *s) {
  static const char *hint = "write the ports that meet: connect R1.n, R2.p";
  ritti_node *last = NULL;
  int count = 0;
  for (bool more = true; more; p->at += more) {
    if (ritti_look(p) != T_NAME)
      return ritti_refuse(p, ritti_missing_at(p), hint, "the name of a port is missing");
    ritti_node *n = ritti_parse_target(p);
    if (!n) return false;
    if (last) last->next = n;
    else s->left = n;
    last = n;
    count++;
    more = ritti_look(p) == T_COMMA;
  }
  if (ritti_look(p) == T_EQUALS)
    return ritti_refuse(p, p->at, hint, "the ports of a connection are separated by ','");
  if (count > 1 || !ritti_ends(ritti_look(p))) return true;
  return ritti_refuse(p, s->first, hint, "a connection joins two ports or more");
}

/* ---- the statement of each section ---- */

ritti_statement_parser *const ritti_parse_statement[S_COUNT] = {
    [S_MODEL] = parse_model,
    [S_INDEPENDENT] = parse_independent,
    [S_PARAMETER] = parse_parameter,
    [S_VARIABLE] = parse_variable,
    [S_LET] = parse_let,
    [S_FUNCTION] = parse_function,
    [S_INCLUDE] = parse_include,
    [S_EQUATION] = parse_equation,
    [S_INVARIANT] = parse_invariant,
    [S_START] = parse_start,
    [S_OUTPUT] = parse_output,
    [S_SCALE] = parse_scale,
    [S_UNIT] = ritti_parse_unit,
    [S_DOC] = ritti_parse_doc,
    [S_BRANCH] = ritti_parse_branch,
    [S_SOLVE] = parse_solve,
    [S_EVENT] = ritti_parse_event,
    [S_SECTION] = ritti_parse_poincare,
    [S_LAGRANGIAN] = ritti_parse_quantity,
    [S_HAMILTONIAN] = ritti_parse_quantity,
    [S_DISSIPATION] = ritti_parse_quantity,
    [S_BRACKET] = ritti_parse_quantity,
    [S_CANONICAL] = ritti_parse_canonical,
    [S_CONSTRAINT] = parse_equation,
    [S_NONHOLONOMIC] = parse_equation,
    [S_FORCE] = ritti_parse_force,
    [S_STIFF] = ritti_parse_stiff,
    [S_EXTEND] = parse_extend,
    [S_PART] = parse_part,
    [S_PORT] = parse_port,
    [S_CONNECT] = parse_connect,
    [S_INPUT] = parse_input,
    [S_SCENE] = ritti_parse_scene,
    [S_SWEEP] = ritti_parse_sweep,
    [S_SENSITIVITY] = ritti_parse_sensitivity,
};
