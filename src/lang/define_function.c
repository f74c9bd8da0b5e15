/* Checks the functions that a model defines: which names their bodies use, and that no function
 * calls itself. Bodies are resolved where the function is called (resolve_call.c). Tables are
 * read here.
 */
#include "define_impl.h"
#include "resolve_impl.h"

/* A function body that is checked. */
typedef struct body {
  ritti_resolver *s;
  ritti_symbol *function;
  RITTI_ARRAY(uint32_t) known; /* arguments and indices */
} body;

static void check_body(body *b, const ritti_node *n);
static void check_function(ritti_resolver *s, ritti_symbol *y);

/* Reports an unknown name in a body. Only a parameter or an argument can be meant. */
static void unknown_in_body(body *b, uint32_t token) {
  ritti_resolver *s = b->s;
  const char *name = ritti_quote(s->reader, token),
             *near = ritti_nearest_name(s, name, Y_PARAMETER);

  /* names that other messages explain better */
  bool reserved = ritti_is_function(name) || ritti_foreign_hint(name) || near ||
                  (s->syntax && s->syntax->any_name);
  if (reserved) {
    ritti_unknown(s, token);
    return;
  }

  ritti_tell_unknown(
      s, token, name,
      ritti_words(s->reader,
                  "make it an argument of the function, or declare it: 'parameter %s = ...'", name),
      ritti_words(s->reader, "'%s' is not defined", name));
}

/* A name in a body must be an argument, an index, a parameter or the independent variable. */
static void check_body_name(body *b, const ritti_node *n) {
  ritti_resolver *s = b->s;
  static const char *const what[] = {[Y_VARIABLE] = "the variable", [Y_LET] = "the name of 'let',"};

  /* arguments and indices */
  for (size_t i = 0; i < b->known.count; i++)
    if (ritti_same_word(s->reader, b->known.at[i], n->at)) return;

  /* parameters and the independent variable; variables and lets are invisible */
  const ritti_symbol *y = ritti_find_symbol(s, n->at);
  if (!y) unknown_in_body(b, n->at);
  else if (y->kind == Y_VARIABLE || y->kind == Y_LET)
    ritti_say(s->reader, n->at,
              ritti_words(s->reader, "make '%s' an argument of the function", y->name),
              "the function '%s' uses %s '%s'; it sees its arguments, parameters and '%s' only",
              b->function->name, what[y->kind], y->name, s->model->independent);
}

/* A call in a body: checks the function that is called, which must not be the present one. */
static void check_body_call(body *b, const ritti_node *n) {
  ritti_resolver *s = b->s;
  ritti_symbol *y = ritti_find_symbol(s, n->at);
  if (!y || y->kind != Y_FUNCTION || !y->line) return;
  if (y->open)
    ritti_say(s->reader, n->at, "write it as a sum, a product or an array of 'let'",
              y == b->function ? "the function '%s' calls itself"
                               : "the function '%s' calls itself through others",
              y->name);
  else check_function(s, y);
}

/* Checks the names and calls below a node; indices are known in the children after them. */
static void check_body(body *b, const ritti_node *n) {
  size_t known = b->known.count;
  if (n->kind == N_PATH) {
    ritti_say(b->s->reader, n->first, "make it an argument of the function",
              "the function '%s' uses '%s', a name in a part; it sees its arguments, parameters "
              "and '%s' only",
              b->function->name, ritti_shown(b->s, b->s->reader->scratch, n, false),
              b->s->model->independent);
    return;
  }
  if (n->kind == N_NAME) check_body_name(b, n);
  if (n->kind == N_CALL) check_body_call(b, n);
  for (const ritti_node *c = n->child; c; c = c->next) {
    check_body(b, c);
    if (c->kind == N_EACH && RITTI_PUSH(b->known, c->at) != RITT_OK)
      b->s->reader->status = RITT_NO_MEMORY;
  }
  b->known.count = known;
}

/* Makes the arguments and local names known. They must differ from each other. */
static void check_function_arguments(body *b) {
  ritti_resolver *s = b->s;
  for (const ritti_node *a = b->function->line->arguments; a; a = a->next) {
    const ritti_symbol *old = ritti_find_symbol(s, a->at);
    /* arguments differ from each other and from the independent variable */
    for (size_t i = 0; i < b->known.count; i++)
      if (ritti_same_word(s->reader, b->known.at[i], a->at))
        ritti_say(s->reader, a->at, "choose another name",
                  a->child ? "the function '%s' defines '%s' twice"
                           : "the function '%s' has two arguments '%s'",
                  b->function->name, ritti_quote(s->reader, a->at));

    if (old && old->kind == Y_INDEPENDENT)
      ritti_say(s->reader, a->at, "choose another name: functions see it without an argument",
                "'%s' is the independent variable", old->name);

    /* a local name may use those before it; the body may use all */
    if (a->child) check_body(b, a->child);
    if (RITTI_PUSH(b->known, a->at) != RITT_OK) s->reader->status = RITT_NO_MEMORY;
  }
}

/* Checks the names in a function, whether it is called or not, and first in the functions it
 * calls. */
static void check_function(ritti_resolver *s, ritti_symbol *y) {
  body b = {.s = s, .function = y};
  const ritti_statement *line = y->line;
  if (y->checked) return;
  y->checked = true;

  /* the recursion follows the calls */
  if (++s->call_depth > RITTI_CALL_DEPTH)
    ritti_say(s->reader, line->name, "write some of them out",
              "more than %d functions call each other", RITTI_CALL_DEPTH);
  else {
    y->open = true;
    check_function_arguments(&b);
    if (line->right) check_body(&b, line->right);
    y->open = false;
  }

  s->call_depth--;
  RITTI_ARRAY_FREE(b.known);
}

/* Checks all functions of the model, and reads the tables. */
void ritti_check_functions(ritti_resolver *s) {
  FOR_EACH(line, s, S_FUNCTION) {
    ritti_symbol *y = ritti_find_symbol(s, line->name);
    const char *name = ritti_quote(s->reader, line->name);
    if (!y || y->token != line->name) continue;
    if (ritti_is_function(name))
      ritti_say(s->reader, line->name, "choose another name", "'%s' is a function of the language",
                name);
    if (!line->right && ritti_define_table(s, y) != RITT_OK) s->reader->status = RITT_NO_MEMORY;
    check_function(s, y);
  }
}
