/* Private to src/lang: tokens, the syntax tree and what the passes share.
 *
 *   source.c        the text: UTF-8, lines, places, messages          text     -> lines
 *   lex.c           words, numbers, signs                             lines    -> tokens
 *   parse_expr.c    expressions, by one table of precedence           tokens   -> nodes
 *   parse_lines.c   where lines end
 *   parse_statement.c  statements, one function each                  tokens   -> statements
 *   parse_plot.c    curves                                            tokens   -> statements
 *   parse.c         sections, families, included files; mistakes      tokens   -> statements
 *   names.c         a table of names
 *   number.c        typed numbers, exactly
 *   array.c         shapes, values that are arrays, their elements
 *   family.c        ranges, whole numbers, the members of families
 *   resolve_expr.c  expressions; resolve_name.c, resolve_index.c,     nodes    -> DAG
 *                   resolve_arithmetic.c, resolve_list.c, resolve_if.c,
 *                   resolve_call.c, resolve_number.c
 *   unknown.c       names that nothing defines
 *   table.c         functions given by points, both passes
 *   define.c        names, parameters and lets                        statements -> symbols
 *   define_function.c, override.c   functions; values set from outside
 *   resolve.c       all sections                                      statements -> Model
 *   settings.c      settings below `solve`, both passes
 *   unit.c          units and texts, both passes
 *   events.c        events and sections, both passes
 *   parse_mechanics.c  the sections of mechanics                      tokens   -> statements
 *   mechanics.c     Lagrangians: statements -> equations, multipliers, energy
 *   hamilton.c      Hamiltonians, likewise
 *   model.c         the passes one after the other
 *
 * The syntax tree knows nothing of the DAG: a node holds the tokens it was made of and nothing
 * else, so that a statement is resolved once for every member of its family and every message has
 * its place.
 */
#ifndef RITTI_LANG_IMPL_H
#define RITTI_LANG_IMPL_H

#include "lang/lang.h"

enum {
  RITTI_TEXT_LIMIT = 64 << 20,      /* bytes of a model */
  RITTI_NESTING_LIMIT = 1000,       /* brackets, signs and powers inside each other */
  RITTI_NAME_LIMIT = 200,           /* characters of a name */
  RITTI_DIGIT_LIMIT = 1000,         /* digits of a number */
  RITTI_DERIVATIVE_LIMIT = 20,      /* order of a derivative */
  RITTI_EXACT_LIMIT = 1 << 16,      /* bits of an exact number that arises from others */
  RITTI_DERIVATIVE_NODES = 1000000, /* that derivatives of expressions may add, */
  RITTI_NODES_PER_TOKEN = 100,      /* and more in a longer text */
  RITTI_NOTE_LIMIT = 1000,          /* mistakes after which reading stops */
  RITTI_SHOWN_LIMIT = 100,          /* mistakes that are listed */
  RITTI_SOURCE_LIMIT = 1000,        /* bytes of a line that is shown in a message */
  RITTI_RANK_LIMIT = 4,             /* indices of an array */
  RITTI_ELEMENT_DEPTH =
      100,                /* elements of an array that are defined by each other, without an end */
  RITTI_CALL_DEPTH = 100, /* functions that call each other */
  RITTI_INCLUDE_DEPTH = 50, /* files that include each other */
  RITTI_INCLUDES = 10000,   /* files in all */
  RITTI_CALL_COST = 20      /* a call of a function counts as so many members */
};
/* Elements of arrays, members of families and terms of sums in a whole model. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define RITTI_EXPANSION_LIMIT 20000
#else
#define RITTI_EXPANSION_LIMIT 20000000
#endif

/* ---- tokens ---- */

/* X(id, text): signs in the order in which they are tried, the longer before the shorter */
#define RITTI_SIGNS(X)                                                                             \
  X(RANGE, "..")                                                                                   \
  X(ASSIGN, ":=")                                                                                  \
  X(ARROW, "->")                                                                                   \
  X(LESS_EQUAL, "<=")                                                                              \
  X(GREATER_EQUAL, ">=")                                                                           \
  X(UNEQUAL, "<>")                                                                                 \
  X(PLUS, "+")                                                                                     \
  X(MINUS, "-")                                                                                    \
  X(TIMES, "*")                                                                                    \
  X(OVER, "/")                                                                                     \
  X(POWER, "^")                                                                                    \
  X(LESS, "<")                                                                                     \
  X(GREATER, ">")                                                                                  \
  X(EQUALS, "=")                                                                                   \
  X(TILDE, "~")                                                                                    \
  X(COLON, ":")                                                                                    \
  X(COMMA, ",")                                                                                    \
  X(PRIME, "'")                                                                                    \
  X(OPEN, "(")                                                                                     \
  X(CLOSE, ")")                                                                                    \
  X(OPEN_INDEX, "[")                                                                               \
  X(CLOSE_INDEX, "]")

typedef enum ritti_token_kind {
  T_END,      /* of the text */
  T_LINE,     /* end of a statement's line: never stored, see ritti_kind_at */
  T_KEYWORD,  /* a section keyword in the first column */
  T_RESERVED, /* for in if then else and or not pi */
  T_NAME,
  T_NUMBER,
  T_STRING,
  T_BAD, /* a mistake that has been reported */
#define X(id, text) T_##id,
  RITTI_SIGNS(X)
#undef X
} ritti_token_kind;

/* Reserved words. X(id, word, a line that ends in it goes on, one that begins with it belongs to
 * that before) */
#define RITTI_RESERVED(X)                                                                          \
  X(FOR, "for", 0, 0)                                                                              \
  X(IN, "in", 0, 0)                                                                                \
  X(IF, "if", 0, 0)                                                                                \
  X(THEN, "then", 1, 1)                                                                            \
  X(ELSE, "else", 1, 1)                                                                            \
  X(AND, "and", 1, 1)                                                                              \
  X(OR, "or", 1, 1)                                                                                \
  X(NOT, "not", 1, 0)                                                                              \
  X(PI, "pi", 0, 0)
typedef enum ritti_reserved {
#define X(id, word, after, before) W_##id,
  RITTI_RESERVED(X)
#undef X
} ritti_reserved;

/* Sections. X(id, keyword, form, hint where it is empty) */
#define RITTI_SECTIONS(X)                                                                          \
  X(MODEL, "model", LINES, "give the model a name: 'model pendulum'")                              \
  X(INDEPENDENT, "independent", LINES, "name the independent variable: 'independent x'")           \
  X(PARAMETER, "parameter", LIST, "write 'parameter g = 9.81', or remove the section")             \
  X(VARIABLE, "variable", LIST, "write 'variable x, y', or remove the section")                    \
  X(LET, "let", LIST, "write 'let r = sqrt(x^2 + y^2)', or remove the section")                    \
  X(FUNCTION, "function", LINES, "write 'function f(a, b) = a^2 + b^2', or remove the section")    \
  X(EQUATION, "equation", LINES,                                                                   \
    "write an equation such as x' = y on each line, or remove the section")                        \
  X(INVARIANT, "invariant", LINES, "write an expression such as x^2 + y^2, or remove the section") \
  X(LAGRANGIAN, "lagrangian", LINES,                                                               \
    "write kinetic minus potential energy: 'lagrangian m*x'^2/2 - k*x^2/2'")                       \
  X(HAMILTONIAN, "hamiltonian", LINES, "write the energy: 'hamiltonian p^2/2 + q^2/2'")            \
  X(CANONICAL, "canonical", LIST, "write the pairs of variables: 'canonical (q, p), (x, px)'")     \
  X(BRACKET, "bracket", LINES, "write the structure matrix: 'bracket [[0, 1], [-1, 0]]'")          \
  X(CONSTRAINT, "constraint", LINES,                                                               \
    "write an equation such as x^2 + y^2 = 1, or remove the section")                              \
  X(NONHOLONOMIC, "nonholonomic", LINES,                                                           \
    "write an equation such as x'*sin(a) = y'*cos(a), or remove the section")                      \
  X(FORCE, "force", LINES, "write 'force x: -k*x', or remove the section")                         \
  X(DISSIPATION, "dissipation", LINES, "write 'dissipation c*x'^2/2', or remove the section")      \
  X(STIFF, "stiff", LINES, "write 'stiff U, eps = 1e-4', or remove the section")                   \
  X(START, "start", LIST, "write start values such as x = 1, x' ~ 0, or remove the section")       \
  X(SOLVE, "solve", LINES, "say how far to go: 'solve t = 0 .. 50'")                               \
  X(EVENT, "event", LINES, "write 'event NAME: y = 0 falling -> stop', or remove the section")     \
  X(SECTION, "section", LINES, "write 'section NAME: y = 0 rising', or remove the section")        \
  X(OUTPUT, "output", LIST, "write 'output x, E = x^2', or remove the section")                    \
  X(PLOT, "plot", LINES, "write 'plot (x, y)' or 'plot t: x, y', or remove the section")           \
  X(PLOT3, "plot3", LINES, "write 'plot3 (x, y, z)', or remove the section")                       \
  X(SCALE, "scale", LIST, "write 'scale x = 1e-3', or remove the section")                         \
  X(UNIT, "unit", LIST, "write 'unit x \"m\"', or remove the section")                             \
  X(DOC, "doc", LINES, "write 'doc \"...\"' or 'doc x \"...\"', or remove the section")            \
  X(BRANCH, "branch", LIST, "write 'branch 2' or 'branch through x = 1', or remove the section")   \
  X(INCLUDE, "include", LINES, "write 'include \"parts.ritt\"', or remove the section")
typedef enum ritti_section {
#define X(id, word, form, hint) S_##id,
  RITTI_SECTIONS(X)
#undef X
      S_COUNT,
  S_SETTING = S_COUNT, /* the lines below `solve`: a list of statements of its own */
  S_LISTS
} ritti_section;
typedef enum ritti_section_form { LINES, LIST } ritti_section_form;

typedef struct ritti_section_info {
  const char *word, *hint;
  ritti_section_form form;
} ritti_section_info;
extern const ritti_section_info ritti_sections[S_COUNT];

typedef struct ritti_token {
  uint8_t kind; /* ritti_token_kind */
  uint8_t word; /* which section or reserved word */
  bool first;   /* first of its line */
  uint32_t start, length;
  int line, column;
} ritti_token;
#define NO_TOKEN UINT32_MAX

/* ---- the reader: text, tokens, messages ---- */

typedef struct ritti_note {
  int line, column; /* 0: no place */
  size_t number;    /* in the order found */
  ritt_status status;
  const char *text, *hint;
} ritti_note;

typedef struct ritti_line {
  uint32_t start;
  const char *kept; /* copy for places, made when first needed */
} ritti_line;

/* A text that is read: the model's own, or an included one. They stand behind each other in
 * reader->text. */
typedef struct ritti_source {
  const char *file; /* name for messages, as long as the model */
  const char *id;   /* the same for the same file; NULL: no file */
  uint32_t line;    /* lines before it */
  uint32_t token;   /* where it is included; NO_TOKEN: the model's own */
  bool open;        /* it is being parsed */
} ritti_source;

typedef struct ritti_reader {
  const char *file, *text;
  uint32_t length;
  const ritti_files *files; /* NULL: the text can name none */
  RITTI_ARRAY(ritti_source) sources;
  char *joined;         /* the texts, where there are several; text points to it */
  ritti_arena *keep;    /* lives as long as the model: names, places */
  ritti_arena *scratch; /* lives until the model is read: syntax, messages */
  RITTI_ARRAY(ritti_line) lines;
  RITTI_ARRAY(ritti_token) tokens; /* the last one is T_END */
  RITTI_ARRAY(ritti_note) notes;
  bool full;          /* too many mistakes to go on */
  ritt_status status; /* sticks when memory runs out */
} ritti_reader;

/* Decodes one character; 0 where the bytes are not UTF-8. */
size_t ritti_utf8_length(const char *at, size_t left, uint32_t *code);
/* Refuses what is no text. false: a mistake was reported. */
bool ritti_source_check(ritti_reader *reader, uint32_t from, size_t length);
/* Lines are counted over all texts; a place has the number in its own. */
const ritti_source *ritti_source_of(const ritti_reader *reader, int line);
/* Number of a token's line in its own text. */
int ritti_line_number(const ritti_reader *reader, uint32_t token);
/* Does a token stand before another one, included texts standing where they are included? (Tokens
 * of included texts have the higher numbers.) */
bool ritti_token_before(const ritti_reader *reader, uint32_t a, uint32_t b);
/* "line 7", or "line 7 of 'parts.ritt'" where that is another file than that of the token `near`.
 * Scratch. */
const char *ritti_line_words(ritti_reader *reader, uint32_t token, uint32_t near);
/* Puts a text behind the others and makes its tokens; the first of them. false: a mistake was
 * reported, at the token. */
bool ritti_include(ritti_reader *reader, uint32_t token, const char *path, bool *known,
                   uint32_t *first);
/* Loads a file that a token names, relative to the text in which it stands. false: a mistake was
 * reported. */
bool ritti_load(ritti_reader *reader, uint32_t token, const char *path, ritti_loaded *out);
void ritti_loaded_clear(ritti_loaded *file);
ritti_place ritti_place_at(ritti_reader *reader, int line, int column);
ritti_place ritti_place_of(ritti_reader *reader, uint32_t token);

/* Adds a message; hint may be NULL. */
void ritti_say_at(ritti_reader *reader, int line, int column, const char *hint, const char *format,
                  ...) RITTI_PRINTF(5, 6);
void ritti_say(ritti_reader *reader, uint32_t token, const char *hint, const char *format, ...)
    RITTI_PRINTF(4, 5);
/* Hands the messages over, sorted by place. The status is that of the first one, RITT_OK if there
 * is none. */
ritt_status ritti_notes_tell(ritti_reader *reader, ritt_error *error);
void ritti_reader_clear(ritti_reader *reader);
/* Text in scratch memory, for hints; "" without memory. */
const char *ritti_words(ritti_reader *reader, const char *format, ...) RITTI_PRINTF(2, 3);
const char *ritti_did_you_mean(ritti_reader *reader,
                               const char *near); /* NULL where near is NULL */

bool ritti_lex(ritti_reader *reader,
               uint32_t from); /* from an offset to the end; false: no memory, or reported */

static inline const ritti_token *ritti_token_at(const ritti_reader *reader, uint32_t token) {
  return &reader->tokens.at[token];
}
/* A token as typed, cut where it is long: for messages. */
const char *ritti_quote(ritti_reader *reader, uint32_t token);
/* Tokens [first, end) as typed: without blanks but between words, or with one where there were
 * some. In `arena`.
 */
const char *ritti_typed(ritti_reader *reader, ritti_arena *arena, uint32_t first, uint32_t end,
                        bool blanks);
/* Does a blank stand before token i in such a text? */
bool ritti_set_apart(const ritti_reader *reader, uint32_t i, bool blanks);
bool ritti_same_word(const ritti_reader *reader, uint32_t a,
                     uint32_t b); /* are the tokens the same text? */
bool ritti_token_is(const ritti_reader *reader, uint32_t token, const char *word);
const char *ritti_keep_name(ritti_reader *reader,
                            uint32_t token); /* as long as the model; NULL: no memory */

/* ---- syntax ---- */

typedef enum ritti_node_kind {
  N_NUMBER,
  N_PI,
  N_NAME,
  N_CALL,    /* children: arguments */
  N_SUM,     /* children: two or more, each with its sign */
  N_PRODUCT, /* children: two or more, each with * or / */
  N_NEGATE,
  N_POWER,   /* base, exponent */
  N_PRIME,   /* one child */
  N_INDEX,   /* base, then the indices: expressions or N_RANGE */
  N_RANGE,   /* from, to */
  N_LIST,    /* [ ... ] */
  N_EACH,    /* name "in" from ".." to; at: the name, or the first token where there is none */
  N_OVER,    /* sum(...) or prod(...): N_EACH one or more, then the expression */
  N_IF,      /* condition, then, else */
  N_COMPARE, /* left, right; at: the sign */
  N_AND,     /* two or more */
  N_OR,      /* two or more */
  N_NOT
} ritti_node_kind;

typedef struct ritti_node ritti_node;
struct ritti_node {
  ritti_node_kind kind;
  bool closed;         /* stands in parentheses */
  int count;           /* of children; of primes for N_PRIME */
  uint32_t at;         /* token that messages point at: the name, the number, the operator */
  uint32_t first, end; /* its tokens: [first, end) */
  uint32_t
      sign; /* token + - * / that joins it to what stands before it; NO_TOKEN for the first child */
  ritti_node *child, *last, *next;
};

typedef struct ritti_statement ritti_statement;
struct ritti_statement {
  ritti_statement *next;
  uint32_t order;      /* as read: that of the text, with included files where they stand */
  uint32_t first, end; /* its tokens: [first, end) */
  uint32_t name;       /* what it defines, its label, the name of a setting; NO_TOKEN: none */
  uint32_t word; /* first token of a setting's word, or the title of the model; NO_TOKEN: none */
  uint32_t relation; /* token '=' or '~'; NO_TOKEN: none */
  bool projected;    /* of an invariant */
  bool smooth; /* of a start: the words stand before it; left may be NULL then, degree is the order
                */
  int panel;   /* of a plot */
  int primes;  /* of a unit */
  ritti_node *left, *right;
  ritti_node *third;          /* of a curve in space */
  ritti_statement *action;    /* of an event: the first of its actions */
  ritti_node *ranges;         /* of a name that is defined: N_EACH linked by next; NULL: no array */
  ritti_node *arguments;      /* of a function: N_NAME linked by next */
  uint32_t column[2], degree; /* of a table: tokens of its columns and degree; NO_TOKEN: none */
  ritti_node *each;           /* of a family: its ranges, linked by next; NULL: no family */
  ritti_statement *body, *last; /* of a family */
};

typedef struct ritti_syntax {
  struct {
    ritti_statement *first, *last;
    size_t count;
  } list[S_LISTS];
  RITTI_ARRAY(uint32_t) broken; /* tokens of names whose definition could not be read */
  bool any_name;       /* names may come from what could not be read: unknown ones are no mistake */
  uint32_t model;      /* keyword of the section `model`; NO_TOKEN: none */
  uint32_t solve;      /* the same of `solve` */
  bool said[S_COUNT];  /* the section occurs, read or not */
  uint32_t statements; /* so far */
  bool lost_constraint; /* one could not be read: how many there are is not known */
} ritti_syntax;

typedef struct ritti_parser {
  ritti_reader *reader;
  ritti_syntax *syntax;
  ritti_section section;
  uint32_t at;     /* next token */
  uint32_t begun;  /* first token of the line */
  uint32_t item;   /* first token of the statement: another one in a list */
  int brackets;    /* open ones */
  int depth;       /* nesting */
  uint32_t resume; /* a token where the next statement begins, found while reading another; or
                      NO_TOKEN */
  int panel;
  int line;                /* statements of this section so far */
  ritti_statement *family; /* that the statement belongs to, or NULL */
  int included;            /* depth of the file that is read; 0: the model's own */
} ritti_parser;

bool ritti_goes_on(
    const ritti_token *last); /* does a line that ends in this token go on in the next? */
bool ritti_continues(
    const ritti_token *first); /* does a line that begins with it belong to the one before? */
/* The kind of token i as a statement sees it: T_LINE where the line ends before it. */
ritti_token_kind ritti_kind_at(const ritti_parser *parser, uint32_t i);
static inline ritti_token_kind ritti_look(const ritti_parser *parser) {
  return ritti_kind_at(parser, parser->at);
}
static inline bool ritti_ends(ritti_token_kind kind) {
  return kind == T_LINE || kind == T_KEYWORD || kind == T_END;
}
/* The token after an index "[ ... ]" that begins at token i; i itself where none does. */
uint32_t ritti_after_index(const ritti_parser *parser, uint32_t i);
bool ritti_look_name(const ritti_parser *parser,
                     const char *word); /* the next token is this name */
/* A word such as `projected` is one only before an expression: a name, a number or a parenthesis
 * follows. */
bool ritti_look_word(const ritti_parser *parser, const char *word);

ritti_node *ritti_parse_expr(ritti_parser *parser); /* NULL: a mistake was reported */
/* name { "[" indices "]" }, a name being next. NULL: a mistake was reported. */
ritti_node *ritti_parse_target(ritti_parser *parser);
/* "[" range { "," range } "]", the bracket being next, range = [ name "in" ] expr ".." expr. NULL:
 * a mistake was reported. */
ritti_node *ritti_parse_ranges(ritti_parser *parser);
/* name "in" expr ".." expr. NULL: a mistake was reported. */
ritti_node *ritti_parse_each(ritti_parser *parser);
/* Is the index of a range another one than those before it, from `first` on? false: a mistake was
 * reported. */
bool ritti_check_each(ritti_parser *parser, const ritti_node *first, const ritti_node *each);
void ritti_parse_unexpected(ritti_parser *parser); /* what stands after a whole expression */
ritti_statement *ritti_statement_new(ritti_parser *parser); /* NULL: no memory */
void ritti_statement_add(ritti_parser *parser, int list, ritti_statement *statement);
ritt_status ritti_parse(ritti_reader *reader,
                        ritti_syntax *syntax) RITT_USE; /* mistakes are reported, not returned */
bool ritti_is_setting(const ritti_reader *reader, uint32_t token);
ritti_statement *ritti_parse_setting(ritti_parser *parser); /* NULL: a mistake was reported */
const char *ritti_setting_word(
    size_t i); /* the names of settings and the words of their values; NULL: no more */

/* Reads one statement of a section, by its number; NULL: plots, which are several. false: a mistake
 * was reported. */
typedef bool ritti_statement_parser(ritti_parser *parser, ritti_statement *statement);
extern ritti_statement_parser *const ritti_parse_statement[S_COUNT];
bool ritti_is_plot(ritti_section section);
bool ritti_parse_plot(ritti_parser *parser); /* adds its statements itself */
bool ritti_parse_unit(ritti_parser *parser, ritti_statement *statement); /* left, primes, word */
bool ritti_parse_branch(ritti_parser *parser,
                        ritti_statement *statement); /* word, name; left; right */
bool ritti_parse_doc(ritti_parser *parser, ritti_statement *statement); /* name, word */
/* table "file" column a -> b [degree k], the word `table` being next. false: a mistake was
 * reported. */
bool ritti_parse_table(ritti_parser *parser, ritti_statement *statement);
bool ritti_parse_event(ritti_parser *parser,
                       ritti_statement *statement); /* name: left = right, word, action */
bool ritti_parse_poincare(ritti_parser *parser,
                          ritti_statement *statement); /* the same without actions */

/* The statements of mechanics. false: a mistake was reported. */
bool ritti_parse_quantity(ritti_parser *parser,
                          ritti_statement *statement); /* lagrangian, ...: left */
bool ritti_parse_force(ritti_parser *parser, ritti_statement *statement); /* left: right */
bool ritti_parse_canonical(ritti_parser *parser,
                           ritti_statement *statement);                   /* left, right or NULL */
bool ritti_parse_stiff(ritti_parser *parser, ritti_statement *statement); /* left, name = right */
/* ---- arrays ---- */

typedef struct ritti_shape {
  int rank; /* from 1 */
  int64_t low[RITTI_RANK_LIMIT],
      count[RITTI_RANK_LIMIT]; /* first index and number of them, each direction */
  size_t size;                 /* elements in all; the last index runs first */
} ritti_shape;

/* A number or an array of them. Neither a shape nor a number: a mistake that has been reported. */
typedef struct ritti_value {
  const ritti_shape *shape; /* NULL: one number */
  ritti_expr one;           /* the number */
  const ritti_expr *at;     /* the elements */
} ritti_value;

static inline ritti_value ritti_scalar(ritti_expr e) { return (ritti_value){.one = e}; }
static inline bool ritti_failed(ritti_value v) { return !v.shape && v.one == RITTI_NIL; }

/* ---- names ---- */

typedef enum ritti_symbol_kind {
  Y_NONE,
  Y_PARAMETER,
  Y_VARIABLE,
  Y_LET,
  Y_INDEPENDENT,
  Y_OUTPUT, /* a named column: known in plots only */
  Y_LABEL,
  Y_FUNCTION,
  Y_BROKEN /* reported, or not known because of another mistake */
} ritti_symbol_kind;

typedef struct ritti_symbol {
  const char *name;
  ritti_symbol_kind kind;
  uint32_t token;              /* where it is defined; of an unknown name: where it is used first */
  int index;                   /* of the parameter or variable, of the first element of an array */
  const ritti_statement *line; /* that defines it */
  const ritti_shape *shape;    /* of an array; NULL: one number */
  ritti_expr expr;             /* value of a parameter, let, output */
  ritti_expr *at;              /* the same of an array; RITTI_NIL: not known (yet) */
  double *number;              /* value of a parameter or of its elements, NaN: none */
  bool open;    /* its elements are being resolved, and may use each other; a function: is called */
  bool checked; /* a function: the names in it are */
  int table;    /* 1 + the number of a function that is a table; 0: none */
  size_t note;  /* of an unknown name: its message; else SIZE_MAX */
} ritti_symbol;

typedef struct ritti_symbols {
  RITTI_ARRAY(ritti_symbol) all; /* in the order in which they were added */
  uint32_t *slot;                /* open hash table of 1 + index into all; 0: free */
  size_t slots;
} ritti_symbols;

ritti_symbol *ritti_symbols_find(const ritti_symbols *symbols, const char *name, size_t length);
/* Adds a name that is not there. NULL: no memory. Pointers to symbols last until the next addition.
 */
ritti_symbol *ritti_symbols_add(ritti_symbols *symbols, const char *name, ritti_symbol_kind kind,
                                uint32_t token);
void ritti_symbols_clear(ritti_symbols *symbols);

/* ---- numbers ---- */

/* The exact value of a typed number, into an initialised rational; NULL, or why not. */
const char *ritti_number_read(const char *text, size_t length, mpq_ptr value);
/* Half a unit in the last typed digit where there are 5 significant digits or more, else 0. */
double ritti_number_half_unit(const char *text, size_t length);

/* ---- resolve ---- */

/* A name that stands for a whole number (an index) or for a value (an argument) in some part of the
 * text. */
typedef struct ritti_binding {
  uint32_t token; /* the name */
  bool index;
  int64_t number;
  ritti_value value;
} ritti_binding;

/* An override of a parameter or of one of its elements. */
typedef struct ritti_set {
  const char *name; /* as given */
  size_t symbol;    /* index of the parameter's name; SIZE_MAX: a mistake that is reported */
  int indices;      /* 0: the whole */
  int64_t index[RITTI_RANK_LIMIT];
  ritti_value value;
} ritti_set;

typedef struct ritti_resolver {
  ritti_reader *reader;
  const ritti_syntax *syntax;
  ritti_model *model;
  ritti_dag *dag;
  ritti_symbols names;   /* values */
  ritti_symbols unknown; /* unknown names and functions that have been reported; a function with '('
                            after its name */
  ritti_symbols labels, columns;
  struct ritti_mechanics *mechanics; /* NULL: the model has no such sections */
  RITTI_ARRAY(ritti_binding) bound;  /* innermost last */
  ritti_arena *values;               /* arrays, until the statement is resolved */
  size_t grown;                      /* nodes that derivatives of expressions added */
  size_t expanded;                   /* elements, members and terms so far */
  int element_depth;                 /* elements of arrays that wait for others */
  int call_depth;                    /* functions that are being called */
  bool too_deep;                     /* ... and there were too many */
  double *value;                     /* of the parameters, for evaluations; in scratch memory */
  ritti_expr *number; /* of each token that is a number and has been read; in scratch memory */
  size_t floor;       /* bindings below it are not seen */
  ritti_set *set;     /* the overrides; in scratch memory */
  size_t sets;
} ritti_resolver;

typedef enum ritti_scope_kind {
  SCOPE_ANY,       /* every name */
  SCOPE_PLOT,      /* and named outputs */
  SCOPE_PARAMETER, /* numbers and parameters, which are replaced by their values; indices */
  SCOPE_CONSTANT,  /* numbers, parameters, and lets of such */
  SCOPE_NUMBER     /* numbers only */
} ritti_scope_kind;
typedef struct ritti_scope {
  ritti_scope_kind kind;
  const char
      *subject; /* "the start value of 'x'": begins the message where a variable is not allowed */
  bool exact;   /* parameters are replaced by their values */
  const char
      *inside; /* the function whose body it is: no variables but its arguments; NULL: none */
} ritti_scope;

extern const ritti_scope ritti_anything;

/* for (line of a section that has no families) */
#define FOR_EACH(line, resolver, section)                                                          \
  for (const ritti_statement *line = (resolver)->syntax->list[section].first; line;                \
       line = line->next)

/* The value of a syntax tree; failed: a mistake was reported (or a name whose mistake is reported
 * elsewhere, or no memory). Arrays last until the statement is resolved. */
ritti_value ritti_resolve_value(ritti_resolver *resolver, const ritti_node *node,
                                const ritti_scope *scope);
/* The same where only one number may stand; RITTI_NIL: a mistake was reported. */
ritti_expr ritti_resolve_expr(ritti_resolver *resolver, const ritti_node *node,
                              const ritti_scope *scope);
/* The same as a finite double. false: a mistake was reported. */
bool ritti_resolve_number(ritti_resolver *resolver, const ritti_node *node,
                          const ritti_scope *scope, ritti_expr *expr, double *number);
/* The finite double that an expression of numbers and parameters is. false: a mistake was reported,
 * at the node. */
bool ritti_number_of(ritti_resolver *resolver, ritti_expr expr, const ritti_node *node,
                     const ritti_scope *scope, double *number);
/* An unknown name, reported once for all its uses, at the first of them. */
void ritti_unknown(ritti_resolver *resolver, uint32_t token);
/* The variables that a name, an element or a slice stands for, as jets of order 0; failed: a
 * mistake was reported. */
ritti_value ritti_resolve_variables(ritti_resolver *resolver, const ritti_node *node);
bool ritti_is_function(const char *name);  /* of the language */
const char *ritti_function_name(size_t i); /* all of them; NULL: no more */
ritti_symbol *ritti_find_symbol(ritti_resolver *resolver, uint32_t token); /* NULL: none */
const char *ritti_nearest_name(ritti_resolver *resolver, const char *name, ritti_symbol_kind kind);

/* ---- arrays and families ---- */

/* An array of that shape, in the memory that lasts until the statement is resolved. NULL: no
 * memory. */
ritti_expr *ritti_elements_new(ritti_resolver *resolver, size_t count);
/* The shape with these numbers of elements, indices from 1; the same memory. */
ritti_shape *ritti_shape_new(ritti_resolver *resolver, int rank, const int64_t *count);
bool ritti_same_shape(const ritti_shape *a,
                      const ritti_shape *b); /* numbers of elements; NULL: one number */
/* "a number", "a vector of 3", "a 2 x 3 matrix": in scratch memory */
const char *ritti_shape_words(ritti_reader *reader, const ritti_shape *shape);
/* "x[2]", "A[1,2]": the name of an element. */
const char *ritti_element_name(ritti_arena *arena, const char *name, const ritti_shape *shape,
                               size_t element);
/* The element of a value; a number is the same everywhere. */
static inline ritti_expr ritti_element(ritti_value v, size_t i) {
  return v.shape ? v.at[i] : v.one;
}
static inline size_t ritti_value_count(ritti_value v) { return v.shape ? v.shape->size : 1; }

/* Reads the file of a function that is a table. */
ritt_status ritti_define_table(ritti_resolver *resolver, ritti_symbol *symbol) RITT_USE;
/* An element of a parameter or a let while the array is being resolved. */
ritti_expr ritti_define_element(ritti_resolver *resolver, ritti_symbol *symbol, size_t element);
/* Counts elements, members or terms; false: too many, reported. */
bool ritti_expand(ritti_resolver *resolver, uint32_t token, uint64_t count, const char *what);
/* The innermost binding of a name; NULL: none. */
const ritti_binding *ritti_find_binding(const ritti_resolver *resolver, uint32_t token);
bool ritti_bind_index(ritti_resolver *resolver, uint32_t token,
                      int64_t number); /* false: no memory */
/* " where i = 2, j = 3" for messages; "" where nothing is bound */
const char *ritti_where(ritti_resolver *resolver);
/* A whole number made of numbers, parameters and indices. false: a mistake was reported. */
bool ritti_whole_number(ritti_resolver *resolver, const ritti_node *node, const char *what,
                        int64_t *number);
/* The same where that is simple; false: it is not, and nothing is reported. */
bool ritti_quick_number(ritti_resolver *resolver, const ritti_node *node, int64_t *number);
/* The ends of N_EACH or N_RANGE. An empty range has to = from - 1. false: a mistake was reported. */
bool ritti_range_ends(ritti_resolver *resolver, const ritti_node *range, int64_t *from,
                      int64_t *to);
/* The shape that ranges linked by next give. NULL: a mistake was reported. In scratch memory. */
ritti_shape *ritti_resolve_shape(ritti_resolver *resolver, const ritti_statement *line);
/* Calls `visit` for every combination of indices in the ranges from `each` to before `end`. */
typedef bool ritti_visit(ritti_resolver *resolver, void *context);
bool ritti_each(ritti_resolver *resolver, const ritti_node *each, const ritti_node *end,
                ritti_visit *visit, void *context);
/* Calls `visit` for every statement of a section, once for every member of its family. */
typedef ritt_status ritti_visit_statement(ritti_resolver *resolver, const ritti_statement *line,
                                          void *context);
ritt_status ritti_each_statement(ritti_resolver *resolver, ritti_section section,
                                 ritti_visit_statement *visit, void *context) RITT_USE;
/* "i = 3, j = 1" for the member of a family that is being resolved, "element 2" for one of an
 * array; NULL: neither. In the model's memory, like the name "rod", "rod[3]" of a member. */
const char *ritti_member_words(ritti_resolver *resolver, const ritti_shape *shape, size_t element);
const char *ritti_member_name(ritti_resolver *resolver, uint32_t token, const ritti_shape *shape,
                              size_t element);
/* Both sides of a relation; a number on the right stands for all elements where `fill`. false:
 * a mistake was reported. */
bool ritti_both_sides(ritti_resolver *resolver, const ritti_statement *line, ritti_value left,
                      ritti_value right, bool fill);
/* "p[1..100]", or the name where it is no array; in the model's memory. */
const char *ritti_shown_name(ritti_resolver *resolver, const ritti_symbol *symbol);
/* The same for one statement of it. */
ritt_status ritti_each_member(ritti_resolver *resolver, const ritti_statement *line,
                              ritti_visit_statement *visit, void *context) RITT_USE;
/* What was typed, without blanks or with one blank where there were some, indices of families
 * replaced by their values. */
const char *ritti_shown(ritti_resolver *resolver, ritti_arena *arena, const ritti_node *node,
                        bool blanks);

ritt_status ritti_resolve(ritti_resolver *resolver, const ritti_override *override,
                          size_t overrides) RITT_USE;
ritt_status ritti_define(ritti_resolver *resolver, const ritti_override *override,
                         size_t overrides) RITT_USE;
ritt_status ritti_resolve_events(ritti_resolver *resolver) RITT_USE;
/* A statement of `unit`, and all of `doc`. */
ritt_status ritti_resolve_unit(ritti_resolver *resolver, const ritti_statement *line,
                               void *context) RITT_USE;
/* branch.c: an item of `branch` */
ritt_status ritti_resolve_branch(ritti_resolver *resolver, const ritti_statement *line,
                                 void *context) RITT_USE;
ritt_status ritti_resolve_docs(ritti_resolver *resolver) RITT_USE;
ritt_status ritti_resolve_settings(ritti_resolver *resolver) RITT_USE;

/* ---- mechanics: the passes, in this order; nothing happens in models without such sections ----
 */

/* The names that mechanics adds: multipliers, energy. */
ritt_status ritti_mechanics_declare(ritti_resolver *resolver) RITT_USE;
/* What can be used in lets and in forces: energy, momenta, reactions. */
ritt_status ritti_mechanics_resolve(ritti_resolver *resolver) RITT_USE;
/* The other statements; the equations, behind those of the user; the quantities that can be kept.
 */
ritt_status ritti_mechanics_add(ritti_resolver *resolver) RITT_USE;
/* Is this a call of reaction(x) or momentum(x), and its value; failed: a mistake was reported. */
bool ritti_is_mechanical(const ritti_resolver *resolver, const ritti_node *node);
ritti_value ritti_resolve_mechanical(ritti_resolver *resolver, const ritti_node *node,
                                     const ritti_scope *scope);
void ritti_mechanics_clear(ritti_resolver *resolver);
void ritti_resolver_clear(ritti_resolver *resolver);

#endif
