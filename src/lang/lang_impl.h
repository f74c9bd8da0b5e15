/* Private to src/lang: tokens, the syntax tree, and the functions that the passes share.
 *
 *   source.c        the text: UTF-8, lines, places, messages          text     -> lines
 *   lex.c           words, numbers, signs                             lines    -> tokens
 *   parse_expr.c    expressions, by one table of precedence           tokens   -> nodes
 *   parse_lines.c   the ends of lines and statements
 *   parse_statement.c  statements, one function each                  tokens   -> statements
 *   parse_plot.c    curves                                            tokens   -> statements
 *   axis.c          axes of plots, both passes
 *   parse.c         sections, families, included files, recovery      tokens   -> statements
 *   names.c         a table of names
 *   number.c        exact values of typed numbers
 *   array.c         shapes, values that are arrays, their elements
 *   family.c        ranges, whole numbers, the members of families
 *   resolve_expr.c  expressions; resolve_name.c, resolve_index.c,     nodes    -> DAG
 *                   resolve_arithmetic.c, resolve_list.c, resolve_if.c,
 *                   resolve_call.c, resolve_number.c
 *   resolve_path.c  paths such as R1.p.v
 *   unknown.c       messages about names that nothing defines
 *   table.c         functions given by points, both passes
 *   define.c        names, parameters and lets                        statements -> symbols
 *   define_function.c, override.c   functions; values set from outside
 *   parts.c         parts: copies of the statements of components     statements -> statements
 *   connect.c       ports and connections                             statements -> statements
 *   resolve.c       all sections                                      statements -> Model
 *   settings.c      settings below `solve`, both passes
 *   unit.c          units and texts, both passes
 *   scene.c         shapes of a scene, both passes
 *   events.c        events and sections, both passes
 *   parse_mechanics.c  the sections of mechanics                      tokens   -> statements
 *   mechanics.c     Lagrangians: statements -> equations, multipliers, energy
 *   hamilton.c      Hamiltonians, likewise
 *   model.c         calls the passes in order
 *
 * The syntax tree does not contain nodes of the DAG: a node holds only the tokens it was made of.
 * So a statement can be resolved once for every member of its family, and every message has a
 * place.
 */
#ifndef RITTI_LANG_IMPL_H
#define RITTI_LANG_IMPL_H

#include "lang/lang.h"

/* Limits of the language. */
enum {
  RITTI_TEXT_LIMIT = 64 << 20,      /* bytes of a model */
  RITTI_NESTING_LIMIT = 1000,       /* depth of nested brackets, signs and powers */
  RITTI_NAME_LIMIT = 200,           /* characters of a name */
  RITTI_DIGIT_LIMIT = 1000,         /* digits of a number */
  RITTI_DERIVATIVE_LIMIT = 20,      /* order of a derivative */
  RITTI_EXACT_LIMIT = 1 << 16,      /* bits of an exact number that is computed from others */
  RITTI_DERIVATIVE_NODES = 1000000, /* nodes that derivatives of expressions may add, */
  RITTI_NODES_PER_TOKEN = 100,      /* plus this number for each token of the text */
  RITTI_NOTE_LIMIT = 1000,          /* number of mistakes at which reading stops */
  RITTI_SHOWN_LIMIT = 100,          /* number of mistakes that are listed */
  RITTI_SOURCE_LIMIT = 1000,        /* bytes of a line that a message shows */
  RITTI_RANK_LIMIT = 4,             /* indices of an array */
  RITTI_ELEMENT_DEPTH = 100,        /* elements of an array that wait for each other */
  RITTI_CALL_DEPTH = 100,           /* depth of nested calls of the model's functions */
  RITTI_INCLUDE_DEPTH = 50,         /* depth of nested included files */
  RITTI_INCLUDES = 10000,           /* number of included files */
  RITTI_CALL_COST = 5               /* a call counts as this number of members */
};
/* Limit of the number of array elements, members of families and terms of sums in a model. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define RITTI_EXPANSION_LIMIT 20000
#else
#define RITTI_EXPANSION_LIMIT 1500000
#endif

/* ---- tokens ---- */

/* X(id, text): the signs in the order in which the lexer tries them, longer ones first. */
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
  X(CLOSE_INDEX, "]")                                                                              \
  X(DOT, ".")

typedef enum ritti_token_kind {
  T_END,      /* end of the text */
  T_LINE,     /* end of a statement's line; it is not stored, see ritti_kind_at */
  T_KEYWORD,  /* a section keyword in the first column, or in that of a component's sections */
  T_RESERVED, /* for in if then else and or not pi */
  T_NAME,
  T_NUMBER,
  T_STRING,
  T_BAD, /* text that was reported as a mistake */
#define X(id, text) T_##id,
  RITTI_SIGNS(X)
#undef X
} ritti_token_kind;

/* A set of token kinds: the bits RITTI_BIT(kind) joined by |. */
typedef uint64_t ritti_kinds;
#define RITTI_BIT(kind) (UINT64_C(1) << (kind))
static inline bool ritti_kind_among(ritti_token_kind kind, ritti_kinds set) {
  return set >> kind & 1;
}

/* Reserved words. X(id, word, after, before): after: a line that ends in the word continues in the
 * next line; before: a line that begins with the word continues the line before. */
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

/* Sections. X(id, keyword, form, hint for an empty section) */
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
  X(INCLUDE, "include", LINES,                                                                     \
    "write 'include <parts>' for a library, 'include \"parts.ritt\"' for a file, or remove the "   \
    "section")                                                                                     \
  X(PORT, "port", LIST, "write 'port pin v, flow i', or 'port p: pin' inside a component")         \
  X(COMPONENT, "component", LINES, "write 'component resistor' and its sections indented below")   \
  X(EXTEND, "extend", LIST, "write 'extend twopin', or remove the section")                        \
  X(PART, "part", LIST, "write 'part R1: resistor(R = 100)', or remove the section")               \
  X(CONNECT, "connect", LINES, "write 'connect R1.n, R2.p', or remove the section")                \
  X(INPUT, "input", LIST, "write 'input u = sin(t)', or remove the section")                       \
  X(SCENE, "scene", LINES, "write a shape such as bar (0, 0), (x, y), or remove the section")      \
  X(SWEEP, "sweep", LINES, "write what varies: 'sweep g = 1:10:100', or remove the section")       \
  X(SENSITIVITY, "sensitivity", LIST,                                                              \
    "name parameters and start values: 'sensitivity g, L, x', or remove the section")

typedef enum ritti_section {
#define X(id, word, form, hint) S_##id,
  RITTI_SECTIONS(X)
#undef X
      S_COUNT,
  S_SETTING = S_COUNT, /* the lines below `solve` are a list of statements of their own */
  S_LISTS
} ritti_section;
/* A section holds one statement per line, or a list with commas. */
typedef enum ritti_section_form { LINES, LIST } ritti_section_form;

typedef struct ritti_section_info {
  const char *word, *hint;
  ritti_section_form form;
} ritti_section_info;
extern const ritti_section_info ritti_sections[S_COUNT];

typedef struct ritti_token {
  uint8_t kind; /* ritti_token_kind */
  uint8_t word; /* which section or reserved word */
  bool first;   /* the first token of its line */
  uint32_t start, length;
  int line, column;
} ritti_token;
#define NO_TOKEN UINT32_MAX

/* ---- the reader: text, tokens, messages ---- */

/* A message about a mistake. */
typedef struct ritti_note {
  int line, column; /* 0: the mistake has no place */
  size_t number;    /* messages are numbered in the order in which they were found */
  ritt_status status;
  const char *text, *hint;
} ritti_note;

/* A line of the text. */
typedef struct ritti_line {
  uint32_t start;
  const char *kept; /* copy of the line for places; made when it is first needed */
} ritti_line;

/* A text that is read: that of the model, or an included file. reader->text holds all of them one
 * after the other. */
typedef struct ritti_source {
  const char *file; /* name for messages; lives as long as the model */
  const char *id;   /* equal for equal files; NULL: not a file */
  uint32_t line;    /* number of lines before this text */
  uint32_t token;   /* where the text is included; NO_TOKEN: the model's own text */
  bool open;        /* the parser is inside this text */
} ritti_source;

/* A text that another one includes; both are indices of reader->sources. */
typedef struct ritti_inclusion {
  size_t from, of;
} ritti_inclusion;

/* The text of a model with its lines, tokens and messages. */
typedef struct ritti_reader {
  const char *file, *text;
  uint32_t length;
  const ritti_files *files; /* NULL: the text cannot name other files */
  RITTI_ARRAY(ritti_source) sources;
  RITTI_ARRAY(ritti_inclusion) inclusions;
  char *joined;         /* all texts in one, if there are several; text points to it */
  size_t room;          /* bytes of `joined`, if tokens were made that are not typed; else 0 */
  ritti_arena *keep;    /* lives as long as the model: names, places */
  ritti_arena *scratch; /* lives until the model is read: syntax, messages */
  RITTI_ARRAY(ritti_line) lines;
  RITTI_ARRAY(ritti_token) tokens; /* the last one is T_END */
  RITTI_ARRAY(ritti_note) notes;
  bool full;          /* there are too many mistakes to continue */
  ritt_status status; /* RITT_NO_MEMORY stays until the end */
} ritti_reader;

/* Decodes one character; 0: the bytes are not UTF-8. */
size_t ritti_utf8_length(const char *at, size_t left, uint32_t *code);
/* Checks that the bytes are a text. false: a mistake was reported. */
bool ritti_source_check(ritti_reader *reader, uint32_t from, size_t length);
/* The text that contains a line; lines are numbered through all texts. */
const ritti_source *ritti_source_of(const ritti_reader *reader, int line);
/* Does the text that contains a line include the text that contains another line? */
bool ritti_includes(const ritti_reader *reader, int line, int other);
/* The number of a token's line in the text that contains the token. */
int ritti_line_number(const ritti_reader *reader, uint32_t token);
/* Does token a stand before token b if included texts are thought to stand where they are included?
 * (Tokens of included texts have higher numbers.) */
bool ritti_token_before(const ritti_reader *reader, uint32_t a, uint32_t b);
/* "line 7", or "line 7 of 'parts.ritt'" if that is not the file of the token `near`. In scratch
 * memory. */
const char *ritti_line_words(ritti_reader *reader, uint32_t token, uint32_t near);
/* Appends a file to the text and makes its tokens; *first is the first of these. *known: the file
 * was included before. false: a mistake was reported at the token. */
bool ritti_include(ritti_reader *reader, uint32_t token, const char *path, bool *known,
                   uint32_t *first);
/* Loads a file that a token names; its path is relative to the text that contains the token. false:
 * a mistake was reported. */
bool ritti_load(ritti_reader *reader, uint32_t token, const char *path, ritti_loaded *out);
void ritti_loaded_clear(ritti_loaded *file);
/* A position in the text as a place for messages, by line and column or by token. */
ritti_place ritti_place_at(ritti_reader *reader, int line, int column);
ritti_place ritti_place_of(ritti_reader *reader, uint32_t token);

/* Adds a message at a position or at a token; hint may be NULL. */
void ritti_say_at(ritti_reader *reader, int line, int column, const char *hint, const char *format,
                  ...) RITTI_PRINTF(5, 6);
void ritti_say(ritti_reader *reader, uint32_t token, const char *hint, const char *format, ...)
    RITTI_PRINTF(4, 5);
/* Hands the messages over, sorted by place. Returns the status of the first message, or RITT_OK if
 * there are no messages. */
ritt_status ritti_notes_tell(ritti_reader *reader, ritt_error *error);
void ritti_reader_clear(ritti_reader *reader);
/* A formatted text in scratch memory, for hints; "" if there is no memory. */
const char *ritti_words(ritti_reader *reader, const char *format, ...) RITTI_PRINTF(2, 3);
/* The hint "did you mean ..."; NULL if near is NULL. */
const char *ritti_did_you_mean(ritti_reader *reader, const char *near);

/* Makes tokens of the text from an offset to its end. false: a mistake was reported, or no
 * memory. */
bool ritti_lex(ritti_reader *reader, uint32_t from);
/* The advice for a keyword of another language; NULL: it is not one. */
const char *ritti_foreign_keyword(const char *word);

static inline const ritti_token *ritti_token_at(const ritti_reader *reader, uint32_t token) {
  return &reader->tokens.at[token];
}
/* A token as typed, shortened if it is long: for messages. */
const char *ritti_quote(ritti_reader *reader, uint32_t token);
/* The tokens [first, end) as typed, in `arena`. With `blanks` every gap becomes one blank;
 * otherwise blanks remain between words only. */
const char *ritti_typed(ritti_reader *reader, ritti_arena *arena, uint32_t first, uint32_t end,
                        bool blanks);
/* Does ritti_typed write a blank before token i? */
bool ritti_set_apart(const ritti_reader *reader, uint32_t i, bool blanks);
/* Are the texts of two tokens equal? */
bool ritti_same_word(const ritti_reader *reader, uint32_t a, uint32_t b);
/* Is the text of a token this word? */
bool ritti_token_is(const ritti_reader *reader, uint32_t token, const char *word);
/* The text of a token in memory that lives as long as the model. NULL: no memory. */
const char *ritti_keep_name(ritti_reader *reader, uint32_t token);

/* ---- syntax ---- */

/* Kinds of nodes, with the children of each in order. */
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
  N_EACH,    /* from, to of: name "in" from ".." to; at: the name, or the first token without one */
  N_OVER,    /* sum(...) or prod(...): one or more N_EACH, then the expression */
  N_IF,      /* condition, then, else */
  N_COMPARE, /* left, right; at: the sign */
  N_AND,     /* two or more conditions */
  N_OR,      /* two or more conditions */
  N_NOT,
  N_PATH, /* two or more: N_NAME, or N_INDEX of an N_NAME; at: the first name */
  N_TURN  /* two orientations: the rotation that leads from one to the other */
} ritti_node_kind;

/* A node of the syntax tree. */
typedef struct ritti_node ritti_node;
struct ritti_node {
  ritti_node_kind kind;
  bool closed;         /* it stands in parentheses */
  int count;           /* number of children; N_PRIME: number of primes */
  uint32_t at;         /* token for messages: the name, the number, the operator */
  uint32_t first, end; /* its tokens: [first, end) */
  /* the token + - * / that joins the node to its left neighbour; NO_TOKEN for the first child */
  uint32_t sign;
  ritti_node *child, *last, *next;
};

/* A statement of any section. Most members are used by some sections only. */
typedef struct ritti_statement ritti_statement;
struct ritti_statement {
  ritti_statement *next;
  uint32_t order;      /* position in the text, included files standing where they are included */
  uint32_t first, end; /* its tokens: [first, end) */
  uint32_t name;       /* the name it defines, its label, the name of a setting; NO_TOKEN: none */
  uint32_t word; /* first token of a setting's word, or the title of the model; NO_TOKEN: none */
  uint32_t relation; /* token '=' or '~'; NO_TOKEN: none */
  bool projected;    /* invariant: the word `projected` stands before it */
  /* start: the word `smooth` stands before it; left may be NULL then, and degree is the order */
  bool smooth;
  bool steady;     /* the same for `steady` */
  bool potential;  /* variable: a value of connected ports that is not a flow */
  int unconnected; /* variable: see ritti_variable_def */
  bool varies;     /* let: a parameter of a part whose value is not constant */
  int panel;       /* plot: number of its panel */
  int primes;      /* unit: number of primes of the name */
  ritti_node *left, *right;
  ritti_node *third; /* curve in space: its third coordinate */
  /* event: the first of its actions; part: of the values of its parameters; kind of port: of its
   * members; shape of a scene: of the words after its places */
  ritti_statement *action;
  ritti_node *ranges;    /* definition: N_EACH linked by next; NULL: not an array */
  ritti_node *arguments; /* function: N_NAME linked by next; local names have a value as child */
  /* table: tokens of the columns of its arguments and values, and of its degree; NO_TOKEN: none */
  uint32_t column[3], degree;
  uint32_t outside; /* table: token of `periodic` or `extrapolated`; NO_TOKEN: none */
  uint32_t kind;    /* part: token of its component; port: token of its kind; NO_TOKEN: none */
  int member;       /* member of a kind of port: ritti_member_kind */
  /* the part to which the statement belongs; NULL: the model itself */
  struct ritti_instance *owner;
  const char *subject;          /* made for a connection: its name in messages; else NULL */
  ritti_node *each;             /* family: its ranges, linked by next; NULL: not a family */
  ritti_statement *body, *last; /* family: its first and last statement */
};

/* How the members of ports behave where ports are connected. */
typedef enum ritti_member_kind {
  MEMBER_EQUAL,      /* all are equal */
  MEMBER_FLOW,       /* they add up to zero */
  MEMBER_POSITION,   /* equal; a constraint of mechanics */
  MEMBER_ORIENTATION /* equal as orientations: one condition in the plane, three in space */
} ritti_member_kind;

/* The statements of a model or component, one list for each section. */
typedef struct ritti_syntax {
  struct {
    ritti_statement *first, *last;
    size_t count;
  } list[S_LISTS];
  RITTI_ARRAY(uint32_t) broken; /* tokens of names whose definition could not be read */
  bool any_name;                /* unread text may define names: unknown names are not reported */
  uint32_t model;               /* keyword of the section `model`; NO_TOKEN: none */
  uint32_t solve;               /* keyword of the section `solve`; NO_TOKEN: none */
  bool said[S_COUNT];           /* the section occurs, whether it could be read or not */
  uint32_t statements;          /* number of statements so far */
  struct ritti_component *component, *last_component; /* linked by next */
  bool lost_constraint; /* a constraint could not be read: their number is unknown */
} ritti_syntax;

/* A component: its statements, which become statements of the model once for every part. */
typedef struct ritti_component {
  struct ritti_component *next;
  uint32_t name, title; /* title NO_TOKEN: none */
  ritti_syntax syntax;
  struct ritti_symbols *names; /* its names and those of the components it extends; NULL: not yet */
  struct ritti_component **chain; /* the components it extends, then itself */
  int chains;
  bool open, checked; /* it is being checked, or is checked */
} ritti_component;

/* The state of the parser. */
typedef struct ritti_parser {
  ritti_reader *reader;
  ritti_syntax *syntax;
  ritti_section section;
  uint32_t at;    /* next token */
  uint32_t begun; /* first token of the line */
  uint32_t item;  /* first token of the statement; a line with a list has several */
  int brackets;   /* number of open brackets */
  int depth;      /* nesting depth of the expression */
  /* token at which the next statement begins, found while another statement was read; NO_TOKEN:
   * none */
  uint32_t resume;
  int panel;
  int line;                   /* number of statements of this section so far */
  ritti_statement *family;    /* the family that contains the statement, or NULL */
  ritti_component *component; /* the component that is read, or NULL */
  ritti_syntax *model;        /* the statements of the model */
  int included;               /* include depth of the file that is read; 0: the model's own */
} ritti_parser;

/* Does a line that ends in this token continue in the next line? */
bool ritti_goes_on(const ritti_token *last);
/* Does a line that begins with this token continue the line before? */
bool ritti_continues(const ritti_token *first);
/* The kind of token i as a statement sees it: T_LINE if the line ends before it. */
ritti_token_kind ritti_kind_at(const ritti_parser *parser, uint32_t i);
/* The kind of the next token. */
static inline ritti_token_kind ritti_look(const ritti_parser *parser) {
  return ritti_kind_at(parser, parser->at);
}
/* Does a token of this kind end a statement? */
static inline bool ritti_ends(ritti_token_kind kind) {
  return ritti_kind_among(kind, RITTI_BIT(T_LINE) | RITTI_BIT(T_KEYWORD) | RITTI_BIT(T_END));
}
/* The token at which to report that something is missing here: the next token, or the last token of
 * the statement if the statement ends here. */
static inline uint32_t ritti_missing_at(const ritti_parser *parser) {
  return ritti_ends(ritti_look(parser)) ? parser->at - 1 : parser->at;
}
/* The token after the rest "[ ... ].name[ ... ]" of a path, which begins at token i. */
uint32_t ritti_after_path(const ritti_parser *parser, uint32_t i);
/* Is the next token this name? */
bool ritti_look_name(const ritti_parser *parser, const char *word);
/* Is the next token this word (such as `projected`) with an expression after it, that is, a name, a
 * number or a parenthesis? Otherwise it is an ordinary name. */
bool ritti_look_word(const ritti_parser *parser, const char *word);

/* Adds a message, unless the next token is T_BAD: then the lexer has reported it. Always returns
 * false. */
bool ritti_refuse(ritti_parser *parser, uint32_t token, const char *hint, const char *format, ...)
    RITTI_PRINTF(4, 5);

/* Parses an expression. NULL: a mistake was reported. */
ritti_node *ritti_parse_expr(ritti_parser *parser);
/* Parses "(" expr { "," expr } ")" into a vector, from its bracket on. NULL: a mistake was
 * reported. */
ritti_node *ritti_parse_tuple(ritti_parser *parser);
/* Parses a path from its first name on. NULL: a mistake was reported. */
ritti_node *ritti_parse_target(ritti_parser *parser);
/* Parses "[" range { "," range } "]" from its bracket on, range = [ name "in" ] expr ".." expr.
 * NULL: a mistake was reported. */
ritti_node *ritti_parse_ranges(ritti_parser *parser);
/* Parses name "in" expr ".." expr. NULL: a mistake was reported. */
ritti_node *ritti_parse_each(ritti_parser *parser);
/* Does the index of a range differ from the indices before it, from `first` on? false: a
 * mistake was reported. */
bool ritti_check_each(ritti_parser *parser, const ritti_node *first, const ritti_node *each);
/* Reports the token that stands after a complete expression. */
void ritti_parse_unexpected(ritti_parser *parser);
ritti_statement *ritti_statement_new(ritti_parser *parser); /* NULL: no memory */
void ritti_statement_add(ritti_parser *parser, int list, ritti_statement *statement);
/* Parses the whole text. Mistakes are reported, not returned. */
ritt_status ritti_parse(ritti_reader *reader, ritti_syntax *syntax) RITT_USE;
bool ritti_is_setting(const ritti_reader *reader, uint32_t token);
ritti_statement *ritti_parse_setting(ritti_parser *parser); /* NULL: a mistake was reported */
/* Word number i of the names of settings and the words of their values. NULL: there are no more. */
const char *ritti_setting_word(size_t i);

/* The function that reads one statement of a section; NULL for plots, which make several
 * statements. The function returns false if a mistake was reported. */
typedef bool ritti_statement_parser(ritti_parser *parser, ritti_statement *statement);
extern ritti_statement_parser *const ritti_parse_statement[S_COUNT];
bool ritti_is_plot(ritti_section section);
/* Parses a plot and adds its statements. */
bool ritti_parse_plot(ritti_parser *parser);
/* Does "(" expr "," ... ")" stand at a token, that is, coordinates and not an expression in
 * parentheses? *behind: the token after it. */
bool ritti_pair_at(const ritti_parser *parser, uint32_t at, uint32_t *behind);
/* Does a line about an axis of a plot stand here? */
bool ritti_axis_ahead(const ritti_parser *parser);
/* Parses a line about an axis: word, and name or left and right. false: a mistake was reported. */
bool ritti_parse_axis(ritti_parser *parser, ritti_statement *statement);
/* Parses a shape of a scene: word, left, action. false: a mistake was reported. */
bool ritti_parse_scene(ritti_parser *parser, ritti_statement *statement);
bool ritti_parse_sweep(ritti_parser *parser, ritti_statement *statement);
bool ritti_parse_sensitivity(ritti_parser *parser, ritti_statement *statement); /* right */
/* Is the token a word of the section `scene`? */
bool ritti_is_scene_word(const ritti_reader *reader, uint32_t token);
/* These parsers fill the members of the statement that are named beside them. */
bool ritti_parse_unit(ritti_parser *parser, ritti_statement *statement); /* left, primes, word */
bool ritti_parse_branch(ritti_parser *parser,
                        ritti_statement *statement); /* word, name, left, right */
bool ritti_parse_doc(ritti_parser *parser, ritti_statement *statement); /* name, word */
/* Parses: table "file" column a -> b [degree k], from the word `table` on. false: a mistake was
 * reported. */
bool ritti_parse_table(ritti_parser *parser, ritti_statement *statement);
/* Parses an event: name, left = right, word, action. false: a mistake was reported. */
bool ritti_parse_event(ritti_parser *parser, ritti_statement *statement);
/* Parses a section: name, left = right, word. false: a mistake was reported. */
bool ritti_parse_poincare(ritti_parser *parser, ritti_statement *statement);

/* The statements of mechanics. false: a mistake was reported. */

/* lagrangian, hamiltonian, ...: left */
bool ritti_parse_quantity(ritti_parser *parser, ritti_statement *statement);
/* force left: right */
bool ritti_parse_force(ritti_parser *parser, ritti_statement *statement);
/* canonical: left, right; right may be NULL */
bool ritti_parse_canonical(ritti_parser *parser, ritti_statement *statement);
/* stiff left, name = right */
bool ritti_parse_stiff(ritti_parser *parser, ritti_statement *statement);

/* ---- arrays ---- */

/* The shape of an array. */
typedef struct ritti_shape {
  int rank; /* number of indices, from 1 */
  /* first index and number of indices in each direction */
  int64_t low[RITTI_RANK_LIMIT], count[RITTI_RANK_LIMIT];
  size_t size; /* number of elements; the last index varies fastest */
} ritti_shape;

/* A number or an array of numbers. Neither a shape nor a number: a mistake was reported. */
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
  Y_OUTPUT, /* a named column: visible in plots only */
  Y_LABEL,
  Y_FUNCTION,
  Y_PART,  /* a part; index: its number; an array of parts has a shape */
  Y_INPUT, /* among the names of a component: an input */
  Y_PORT,  /* a port; index: its number; an array of ports has a shape */
  Y_BROKEN /* reported, or unknown because of another mistake */
} ritti_symbol_kind;

/* A name and its meaning. */
typedef struct ritti_symbol {
  const char *name;
  ritti_symbol_kind kind;
  uint32_t token; /* where it is defined; of an unknown name: where it is first used */
  int index;      /* of the parameter or variable, or of the first element of an array */
  const ritti_statement *line; /* its definition */
  const ritti_shape *shape;    /* shape of an array; NULL: one number */
  ritti_expr expr;             /* value of a parameter, let or output that is one number */
  ritti_expr *at;              /* values of the elements of an array; RITTI_NIL: unknown (yet) */
  double *number;              /* value of a parameter, or of its elements; NaN: none */
  /* array: its elements are being resolved and may use each other; function: its body is being
   * checked or resolved */
  bool open;
  bool checked; /* function: the names in its body are checked */
  bool pending; /* let: it is not resolved yet */
  bool input;   /* let: it is a value from outside, a function of the independent variable */
  bool read;    /* parameter: its value decided something, see ritti_parameter_def */
  int table;    /* function: 1 + number of its table; 0: not a table */
  /* function: number of tables if it has two arguments, one for each value of the second one; tables
   * of as many functions of the second argument follow; else 0 */
  int tables;
  size_t note; /* unknown name: index of its message; else SIZE_MAX */
} ritti_symbol;

/* A table of names. */
typedef struct ritti_symbols {
  RITTI_ARRAY(ritti_symbol) all; /* in the order in which they were added */
  uint32_t *slot;                /* open hash table of 1 + index into all; 0: free */
  size_t slots;
} ritti_symbols;

ritti_symbol *ritti_symbols_find(const ritti_symbols *symbols, const char *name, size_t length);
/* Adds a name that the table does not contain. NULL: no memory. Pointers to symbols are valid until
 * the next addition. */
ritti_symbol *ritti_symbols_add(ritti_symbols *symbols, const char *name, ritti_symbol_kind kind,
                                uint32_t token);
void ritti_symbols_clear(ritti_symbols *symbols);

/* ---- numbers ---- */

/* Writes the exact value of a typed number to an initialised rational. NULL, or why it cannot. */
const char *ritti_number_read(const char *text, size_t length, mpq_ptr value);
/* Half a unit in the last typed digit if there are 5 or more significant digits, else 0. */
double ritti_number_half_unit(const char *text, size_t length);

/* ---- resolve ---- */

/* A name that stands for a whole number (an index) or for a value (an argument) in a part of the
 * text. */
typedef struct ritti_binding {
  uint32_t token; /* the name */
  bool index;
  int64_t number;
  ritti_value value;
} ritti_binding;

/* An override of a parameter or of one of its elements, as `--set` gives it. */
typedef struct ritti_set {
  const char *name; /* as given */
  bool read;        /* its parameter was looked up */
  size_t symbol;    /* index of the parameter's name; SIZE_MAX: a mistake was reported */
  int indices;      /* number of indices; 0: the whole parameter */
  int64_t index[RITTI_RANK_LIMIT];
  ritti_value value;
} ritti_set;

/* The state of the resolver, which turns statements into the Model. */
typedef struct ritti_resolver {
  ritti_reader *reader;
  ritti_syntax *syntax;
  ritti_model *model;
  ritti_dag *dag;
  ritti_symbols names; /* parameters, variables, lets, functions and the independent variable */
  /* unknown names and functions that were reported; functions have '(' after their name */
  ritti_symbols unknown;
  ritti_symbols labels, columns;
  struct ritti_mechanics *mechanics; /* NULL: the model has no sections of mechanics */
  RITTI_ARRAY(ritti_binding) bound;  /* innermost last */
  ritti_arena *values;               /* arrays; cleared after each statement */
  size_t grown;                      /* number of nodes that derivatives of expressions added */
  size_t expanded;                   /* number of elements, members and terms so far */
  int element_depth;                 /* number of array elements that wait for others */
  int call_depth;                    /* number of nested calls of functions */
  bool too_deep;                     /* the limit of one of the two depths was exceeded */
  double *value; /* values of the parameters, for evaluations; in scratch memory */
  /* value of each of the first `numbers` tokens that is a number, once read; in scratch memory */
  ritti_expr *number;
  size_t numbers;
  bool trial;     /* values of parameters are only looked at: they have not decided anything yet */
  size_t floor;   /* bindings with a lower index are invisible */
  ritti_set *set; /* the overrides; in scratch memory */
  size_t sets;
  struct ritti_parts_state *parts; /* parts, ports and connections; NULL: the model has no parts */
} ritti_resolver;

/* The names that an expression may contain. */
typedef enum ritti_scope_kind {
  SCOPE_ANY,       /* every name */
  SCOPE_PLOT,      /* every name, and named outputs */
  SCOPE_PARAMETER, /* numbers, indices, and parameters, which are replaced by their values */
  SCOPE_CONSTANT,  /* numbers, parameters, and lets of such */
  SCOPE_NUMBER     /* numbers only */
} ritti_scope_kind;
typedef struct ritti_scope {
  ritti_scope_kind kind;
  /* "the start value of 'x'": begins the message about a variable that is not allowed */
  const char *subject;
  bool exact; /* parameters are replaced by their values */
  /* the function whose body is resolved: only its arguments are visible, not the variables; NULL:
   * not in a function */
  const char *inside;
  bool kept; /* the model keeps the expression, so that its number can be computed again */
} ritti_scope;

extern const ritti_scope ritti_anything;

/* Loops over the statements of a section that has no families. */
#define FOR_EACH(line, resolver, section)                                                          \
  for (const ritti_statement *line = (resolver)->syntax->list[section].first; line;                \
       line = line->next)

/* The value of a syntax tree. Failed: a mistake was reported here or where the name is defined,
 * or no memory. Arrays are valid until the statement is resolved. */
ritti_value ritti_resolve_value(ritti_resolver *resolver, const ritti_node *node,
                                const ritti_scope *scope);
/* The value of a syntax tree that must be one number. RITTI_NIL: a mistake was reported. */
ritti_expr ritti_resolve_expr(ritti_resolver *resolver, const ritti_node *node,
                              const ritti_scope *scope);
/* The value of a syntax tree that must be a finite number. false: a mistake was reported. */
bool ritti_resolve_number(ritti_resolver *resolver, const ritti_node *node,
                          const ritti_scope *scope, ritti_expr *expr, double *number);
/* Evaluates an expression of numbers and parameters to a finite double. false: a mistake was
 * reported at the node. */
bool ritti_number_of(ritti_resolver *resolver, ritti_expr expr, const ritti_node *node,
                     const ritti_scope *scope, double *number);
/* The values of the parameters in an expression have decided something. */
ritt_status ritti_note_read(ritti_resolver *resolver, ritti_expr expr) RITT_USE;
/* Reports an unknown name, once for all its uses, at the first of these. */
void ritti_unknown(ritti_resolver *resolver, uint32_t token);
/* The variables that a name, an element or a slice denotes, as jets of order 0. Failed: a
 * mistake was reported. */
ritti_value ritti_resolve_variables(ritti_resolver *resolver, const ritti_node *node);
bool ritti_is_function(const char *name);  /* is it a function of the language? */
const char *ritti_function_name(size_t i); /* function number i of the language; NULL: no more */
ritti_symbol *ritti_find_symbol(ritti_resolver *resolver, uint32_t token); /* NULL: none */
/* The known name of a kind that is most similar to a given one. NULL: none is similar. */
const char *ritti_nearest_name(ritti_resolver *resolver, const char *name, ritti_symbol_kind kind);

/* ---- arrays and families ---- */

/* Room for the elements of an array, until the statement is resolved. NULL: no memory. */
ritti_expr *ritti_elements_new(ritti_resolver *resolver, size_t count);
/* A shape with these numbers of elements and indices from 1, until the statement is resolved.
 * NULL: no memory. */
ritti_shape *ritti_shape_new(ritti_resolver *resolver, int rank, const int64_t *count);
/* Do two shapes have the same numbers of elements? NULL stands for one number. */
bool ritti_same_shape(const ritti_shape *a, const ritti_shape *b);
/* "a number", "a vector of 3", "a 2 x 3 matrix", in scratch memory. */
const char *ritti_shape_words(ritti_reader *reader, const ritti_shape *shape);
/* "x[2]", "A[1,2]": the name of an element. */
const char *ritti_element_name(ritti_arena *arena, const char *name, const ritti_shape *shape,
                               size_t element);
/* Element i of a value; a number stands for every element. */
static inline ritti_expr ritti_element(ritti_value v, size_t i) {
  return v.shape ? v.at[i] : v.one;
}
static inline size_t ritti_value_count(ritti_value v) { return v.shape ? v.shape->size : 1; }

/* Reads the file of a function that is given by a table. */
ritt_status ritti_define_table(ritti_resolver *resolver, ritti_symbol *symbol) RITT_USE;
/* Resolves one element of a parameter or let while its array is being resolved. */
ritti_expr ritti_define_element(ritti_resolver *resolver, ritti_symbol *symbol, size_t element);
/* Counts elements, members or terms. false: there are too many, which was reported. */
bool ritti_expand(ritti_resolver *resolver, uint32_t token, uint64_t count, const char *what);
/* The innermost binding of a name. NULL: the name is not bound. */
const ritti_binding *ritti_find_binding(const ritti_resolver *resolver, uint32_t token);
/* Binds an index to a number. false: no memory. */
bool ritti_bind_index(ritti_resolver *resolver, uint32_t token, int64_t number);
/* " where i = 2, j = 3" for messages; "" if no index is bound. */
const char *ritti_where(ritti_resolver *resolver);
/* The whole number that numbers, parameters and indices give. false: a mistake was reported. */
bool ritti_whole_number(ritti_resolver *resolver, const ritti_node *node, const char *what,
                        int64_t *number);
/* The whole number of a simple expression. false: it is not simple; nothing is reported. */
bool ritti_quick_number(ritti_resolver *resolver, const ritti_node *node, int64_t *number);
/* The ends of N_EACH or N_RANGE. An empty range has to = from - 1. false: a mistake was
 * reported. */
bool ritti_range_ends(ritti_resolver *resolver, const ritti_node *range, int64_t *from,
                      int64_t *to);
/* The shape that the ranges of a definition give, in scratch memory. NULL: a mistake was
 * reported. */
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
/* The member that is being resolved, in the model's memory: "i = 3, j = 1" for a family,
 * "element 2" for an array. NULL: neither. */
const char *ritti_member_words(ritti_resolver *resolver, const ritti_shape *shape, size_t element);
/* The name of a member, "rod" or "rod[3]", in the model's memory. */
const char *ritti_member_name(ritti_resolver *resolver, uint32_t token, const ritti_shape *shape,
                              size_t element);
/* The name of an equation in messages if it belongs to a part or a connection; else NULL. */
const char *ritti_statement_subject(ritti_resolver *resolver, const ritti_statement *line);
/* The part, connection or node to which the statement belongs; NULL: the model itself. */
const char *ritti_statement_owner(ritti_resolver *s, const ritti_statement *line);
/* Checks that the sides of a relation have the same shape; with `fill` a number on the right stands
 * for all elements. false: a mistake was reported. */
bool ritti_both_sides(ritti_resolver *resolver, const ritti_statement *line, ritti_value left,
                      ritti_value right, bool fill);
/* "p[1..100]", or the name alone if it is not an array; in the model's memory. */
const char *ritti_shown_name(ritti_resolver *resolver, const ritti_symbol *symbol);
/* Calls `visit` for a statement, once for every member of its family. */
ritt_status ritti_each_member(ritti_resolver *resolver, const ritti_statement *line,
                              ritti_visit_statement *visit, void *context) RITT_USE;
/* A node as typed, indices of families replaced by their values. With `blanks` every gap
 * becomes one blank; otherwise blanks are left out. */
const char *ritti_shown(ritti_resolver *resolver, ritti_arena *arena, const ritti_node *node,
                        bool blanks);

/* ---- parts ---- */

/* A part: one use of a component, with its parameters' values. */
typedef struct ritti_instance {
  struct ritti_instance *parent; /* NULL: a part of the model itself */
  const char *path;              /* "s[2].Q" */
  const ritti_component *component;
  const ritti_statement *line;     /* where it is declared */
  int64_t index[RITTI_RANK_LIMIT]; /* its indices, if it is an element of an array */
  int depth;                       /* number of parts that contain it */
  int unknowns, equations;         /* its own */
  int needed;                      /* equations for its flows, less values that its ports give */
  bool unbounded; /* it has ports whose flows do not tell how many equations it needs */
  struct ritti_instance *child, *last, *next; /* its first and last part; the next part beside it */
} ritti_instance;

/* Makes a token that is not typed, with the place of the token `like`. NO_TOKEN: no memory. */
uint32_t ritti_token_make(ritti_reader *reader, uint32_t like, ritti_token_kind kind,
                          const char *text, size_t length);
/* Makes the parts of the model, or the parts of the parts that were made last, and the statements
 * that define their parameters. *more: there are new parts. */
ritt_status ritti_parts_expand(ritti_resolver *resolver, bool *more) RITT_USE;
/* Makes all other statements of the parts, and those of the connections. The parameters are
 * defined. */
ritt_status ritti_parts_complete(ritti_resolver *resolver) RITT_USE;
/* Lists the parts in the model, with the numbers of their unknowns and equations. */
ritt_status ritti_parts_list(ritti_resolver *resolver) RITT_USE;
void ritti_parts_clear(ritti_resolver *resolver);
/* The symbol of a path, its last indices left out. NULL: there is none, which was reported. */
ritti_symbol *ritti_path_symbol(ritti_resolver *resolver, const ritti_node *node);
/* The same without a report; NULL also if an index has no value yet. */
ritti_symbol *ritti_path_symbol_if_known(ritti_resolver *resolver, const ritti_node *node);
/* The name of element i of the values of an array of parts, as T.h or T[1..3].h: "T[2].h". `count`: the number of
 * all elements. In scratch memory; NULL: the path leads through no array. */
const char *ritti_spread_name(ritti_resolver *resolver, const ritti_node *node, size_t i,
                              size_t count);
/* The symbol of a port. NULL: it is none, which was reported. */
ritti_symbol *ritti_port_symbol(ritti_resolver *resolver, const ritti_node *node);
/* Resolves a let that is needed before its turn. */
void ritti_define_pending(ritti_resolver *resolver, ritti_symbol *symbol);

/* The passes over the sections. */
ritt_status ritti_resolve(ritti_resolver *resolver, const ritti_override *override,
                          size_t overrides) RITT_USE;
ritt_status ritti_define(ritti_resolver *resolver, const ritti_override *override,
                         size_t overrides) RITT_USE;
ritt_status ritti_resolve_events(ritti_resolver *resolver) RITT_USE;
/* Resolves a statement of `unit`. */
ritt_status ritti_resolve_unit(ritti_resolver *resolver, const ritti_statement *line,
                               void *context) RITT_USE;
/* Resolves an item of `branch`. */
ritt_status ritti_resolve_branch(ritti_resolver *resolver, const ritti_statement *line,
                                 void *context) RITT_USE;
/* Resolves all statements of `doc`. */
ritt_status ritti_resolve_docs(ritti_resolver *resolver) RITT_USE;
ritt_status ritti_resolve_settings(ritti_resolver *resolver) RITT_USE;
/* Resolves all statements of `scene`, after the plots. */
ritt_status ritti_resolve_scene(ritti_resolver *resolver) RITT_USE;
/* Resolves a line about an axis of the panel. */
ritt_status ritti_resolve_axis(ritti_resolver *resolver, const ritti_statement *line,
                               ritti_panel_def *panel) RITT_USE;
/* Lists what an item of `sensitivity` names. context: a ritti_name_list. */
typedef RITTI_ARRAY(const char *) ritti_name_list;
ritt_status ritti_resolve_sensitivity(ritti_resolver *resolver, const ritti_statement *line,
                                      void *context) RITT_USE;
/* Keeps the lines of the section `sweep`. */
ritt_status ritti_resolve_sweep(ritti_resolver *resolver) RITT_USE;

/* ---- mechanics: the passes in order; they do nothing in models without such sections ---- */

/* Declares the names that mechanics adds: multipliers, energy. */
ritt_status ritti_mechanics_declare(ritti_resolver *resolver) RITT_USE;
/* Resolves what lets and forces may use: energy, momenta, reactions. */
ritt_status ritti_mechanics_resolve(ritti_resolver *resolver) RITT_USE;
/* Resolves the other statements; adds the equations after those of the user, and the quantities
 * that may be kept. */
ritt_status ritti_mechanics_add(ritti_resolver *resolver) RITT_USE;
/* Is this a call of reaction(x) or momentum(x)? */
bool ritti_is_mechanical(const ritti_resolver *resolver, const ritti_node *node);
/* The value of such a call. Failed: a mistake was reported. */
ritti_value ritti_resolve_mechanical(ritti_resolver *resolver, const ritti_node *node,
                                     const ritti_scope *scope);
void ritti_mechanics_clear(ritti_resolver *resolver);
void ritti_resolver_clear(ritti_resolver *resolver);

#endif
