/* `scene`: how a model looks. Parsed and resolved here.
 *
 * A line draws one shape: its word, its places, and words that say how it looks. A place is a vector
 * of two or three numbers, written (x, y) or as any expression with such a value. Every number
 * becomes a column, which is computed only if the scene is asked for.
 */
#include "lang_impl.h"

/* ---- words ---- */

/* What may stand after a word that says how a shape looks. */
typedef enum look_kind { LOOK_NUMBER, LOOK_VECTOR, LOOK_TURN, LOOK_COLOUR, LOOK_TEXT } look_kind;

/* X(id, word, its name in messages, kind, example) */
#define LOOKS(X)                                                                                   \
  X(RADIUS, "radius", "radius", LOOK_NUMBER, "radius 0.1")                                         \
  X(ALONG, "along", "direction", LOOK_VECTOR, "along (fx, fy)")                                    \
  X(SIZE, "size", "size", LOOK_VECTOR, "size (2, 1)")                                              \
  X(TURNED, "turned", "turn", LOOK_TURN, "turned phi")                                             \
  X(LENGTH, "length", "length", LOOK_NUMBER, "length 5")                                           \
  X(WIDTH, "width", "width", LOOK_NUMBER, "width 3")                                               \
  X(COLOUR, "colour", "colour", LOOK_COLOUR, "colour blue")                                        \
  X(TEXT, "text", "text", LOOK_TEXT, "\"...\"")

enum {
#define X(id, word, noun, kind, example) L_##id,
  LOOKS(X)
#undef X
      L_COUNT
};
static const struct look {
  const char *word, *noun;
  look_kind kind;
  const char *example;
} looks[] = {
#define X(id, word, noun, kind, example) {word, noun, kind, example},
    LOOKS(X)
#undef X
};

enum { MANY = 1000 };
#define L(id) (1u << L_##id)

/* The shapes: the numbers of their places, what they must have and what they may have. */
static const struct shape {
  const char *word;
  int least, most;
  unsigned needs, may;
  const char *example;
} shapes[] = {
    {"point", 1, 1, 0, L(RADIUS) | L(COLOUR), "point (x, y)"},
    {"bar", 2, MANY, 0, L(WIDTH) | L(COLOUR), "bar (0, 0), (x, y)"},
    {"polygon", 3, MANY, 0, L(COLOUR), "polygon (0, 0), (1, 0), (x, y)"},
    {"circle", 1, 1, L(RADIUS), L(TURNED) | L(ALONG) | L(COLOUR), "circle (x, y) radius 0.1"},
    {"spring", 2, 2, 0, L(RADIUS) | L(COLOUR), "spring (0, 0), (x, y)"},
    {"trace", 1, 1, 0, L(LENGTH) | L(WIDTH) | L(COLOUR), "trace (x, y)"},
    {"arrow", 1, 1, L(ALONG), L(WIDTH) | L(COLOUR), "arrow (x, y) along (fx, fy)"},
    {"sphere", 1, 1, L(RADIUS), L(COLOUR), "sphere (x, y, z) radius 0.1"},
    {"box", 1, 1, L(SIZE), L(TURNED) | L(COLOUR), "box (x, y, z) size (1, 2, 3)"},
    {"label", 1, 1, L(TEXT), L(COLOUR), "label (x, y) \"mass\""},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };
#undef L

static const char *const colours[] = {"blue",   "orange", "green", "pink",  "sky",
                                      "yellow", "grey",   "red",   "black", "white"};
enum { COLOURS = sizeof colours / sizeof *colours };

/* The shape that a token names; NULL: none. */
static const struct shape *find_shape(const ritti_reader *r, uint32_t token) {
  for (int i = 0; i < SHAPES; i++)
    if (ritti_token_is(r, token, shapes[i].word)) return &shapes[i];
  return NULL;
}

/* The number of the look that a token names; L_COUNT: none. */
static int find_look(const ritti_reader *r, uint32_t token) {
  int i = 0;
  while (i < L_TEXT && !ritti_token_is(r, token, looks[i].word)) i++;
  return i < L_TEXT ? i : L_COUNT;
}

bool ritti_is_scene_word(const ritti_reader *r, uint32_t token) {
  return find_shape(r, token) || find_look(r, token) < L_COUNT;
}

/* ---- read ---- */

/* grammar: place = "(" exprs ")" | expr */
static ritti_node *parse_place(ritti_parser *p) {
  uint32_t behind;
  return ritti_pair_at(p, p->at, &behind) ? ritti_parse_tuple(p) : ritti_parse_expr(p);
}

/* Reads the word of the shape. NULL: a mistake was reported. */
static const struct shape *parse_word(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;
  const struct shape *shape = ritti_look(p) == T_NAME ? find_shape(r, p->at) : NULL;
  if (shape) {
    s->word = p->at++;
    return shape;
  }

  /* an unknown word */
  const char *word[SHAPES];
  for (int i = 0; i < SHAPES; i++) word[i] = shapes[i].word;
  const char *typed = ritti_quote(r, p->at);
  const char *near = ritti_look(p) == T_NAME ? ritti_nearest(typed, word, SHAPES) : NULL;
  (void)ritti_refuse(p, p->at,
                     near ? ritti_did_you_mean(r, near)
                          : "the shapes are point, bar, polygon, circle, spring, trace, arrow, "
                            "sphere, box and label",
                     "'%s' is not a shape of a scene", typed);
  return NULL;
}

/* Reads the value of a look. false: a mistake was reported. */
static bool parse_value(ritti_parser *p, ritti_statement *look, int number) {
  ritti_reader *r = p->reader;
  if (ritti_ends(ritti_look(p)))
    return ritti_refuse(p, look->word, ritti_words(r, "write %s", looks[number].example),
                        "nothing follows '%s'", ritti_quote(r, look->word));
  if (looks[number].kind != LOOK_COLOUR) {
    look->left = looks[number].kind == LOOK_VECTOR ? parse_place(p) : ritti_parse_expr(p);
    return look->left != NULL;
  }

  /* a colour: a word, or "#rrggbb" */
  ritti_token_kind kind = ritti_look(p);
  const char *typed = ritti_quote(r, p->at), *near = NULL;
  look->name = p->at;
  if (kind == T_NAME) {
    for (int i = 0; i < COLOURS; i++)
      if (!strcmp(colours[i], typed)) {
        p->at++;
        return true;
      }
    near = ritti_nearest(typed, colours, COLOURS);
  }
  if (kind == T_STRING && strlen(typed) == 9 && typed[1] == '#' &&
      strspn(typed + 2, "0123456789abcdefABCDEF") == 6) {
    p->at++;
    return true;
  }
  return ritti_refuse(p, p->at,
                      near ? ritti_did_you_mean(r, near)
                           : "write blue, orange, green, pink, sky, yellow, grey, red, black, "
                             "white or \"#rrggbb\"",
                      "%s is not a colour", typed);
}

/* Reads the text and the looks of a shape. false: a mistake was reported. */
static bool parse_looks(ritti_parser *p, ritti_statement *s, const struct shape *shape) {
  ritti_reader *r = p->reader;
  const char *kind = ritti_quote(r, s->word);
  unsigned given = 0;
  ritti_statement **last = &s->action;

  while (ritti_look(p) == T_NAME || ritti_look(p) == T_STRING) {
    ritti_statement *look = ritti_statement_new(p);
    if (!look) return false;
    bool text = ritti_look(p) == T_STRING;
    int number = text ? L_TEXT : find_look(r, p->at);
    if (number == L_COUNT) {
      const char *word[L_COUNT];
      for (int i = 0; i < L_COUNT; i++) word[i] = looks[i].word;
      const char *near = ritti_nearest(ritti_quote(r, p->at), word, L_COUNT);
      return ritti_refuse(p, p->at,
                          near ? ritti_did_you_mean(r, near)
                               : "after its places a shape has radius, along, size, turned, "
                                 "length, width or colour",
                          "'%s' cannot stand here", ritti_quote(r, p->at));
    }

    /* it must go with the shape, and stand once */
    if (!((shape->needs | shape->may) >> number & 1))
      return ritti_refuse(p, p->at, ritti_words(r, "write %s", shape->example),
                          "the shape '%s' has no %s", kind, looks[number].noun);
    if (given >> number & 1)
      return ritti_refuse(p, p->at, "remove one of them", "'%s' is given twice",
                          looks[number].word);
    given |= 1u << number;

    /* its value */
    look->word = p->at++;
    if (!text && !parse_value(p, look, number)) return false;
    look->end = p->at;
    *last = look;
    last = &look->next;
  }

  /* what it must have */
  for (int i = 0; i < L_COUNT; i++)
    if (shape->needs & ~given & 1u << i && ritti_ends(ritti_look(p)))
      return ritti_refuse(p, s->word, ritti_words(r, "write %s", shape->example),
                          "the shape '%s' needs a %s", kind, looks[i].noun);
  return true;
}

/* grammar:
 *   scene = shape place { "," place } { string | look }
 *   shape = "point" | "bar" | "polygon" | "circle" | "spring" | "trace" | "arrow" | "sphere"
 *         | "box" | "label"
 *   look  = ( "radius" | "turned" | "length" | "width" ) expr | ( "along" | "size" ) place
 *         | "colour" ( name | string )
 */
bool ritti_parse_scene(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;
  const struct shape *shape = parse_word(p, s);
  if (!shape) return false;

  /* its places */
  ritti_node *last = NULL;
  int count = 0;
  for (bool more = true; more; p->at += more, count++) {
    if (ritti_ends(ritti_look(p)))
      return ritti_refuse(p, p->at - 1, ritti_words(r, "write %s", shape->example),
                          "a place is missing after '%s'", ritti_quote(r, p->at - 1));
    ritti_node *n = parse_place(p);
    if (!n) return false;
    if (last) last->next = n;
    else s->left = n;
    last = n;
    more = ritti_look(p) == T_COMMA;
  }
  if (count < shape->least || count > shape->most)
    return ritti_refuse(p, s->word, ritti_words(r, "write %s", shape->example),
                        "the shape '%s' has %d place%s, not %d", shape->word,
                        count < shape->least ? shape->least : shape->most,
                        shape->most == 1 ? "" : (shape->most == 2 ? "s" : "s or more"), count);
  return parse_looks(p, s, shape);
}

/* ---- resolve ---- */

/* The shapes and columns found so far. */
typedef struct scene {
  RITTI_ARRAY(ritti_figure_def) figure;
  RITTI_ARRAY(ritti_output_def) column;
  RITTI_ARRAY(int) column_of; /* for each expression: 1 + its column; 0: none */
} scene;

static const ritti_scope anything = {SCOPE_PLOT, "", false};

/* The column of an expression, which is added if it is new. */
static ritt_status find_column(ritti_resolver *s, scene *g, const ritti_node *n, ritti_value v,
                               size_t i, int *column) {
  ritti_expr e = ritti_element(v, i);
  while (g->column_of.count <= e) RITT_TRY(RITTI_PUSH(g->column_of, 0));
  if (g->column_of.at[e] > 0) {
    *column = g->column_of.at[e] - 1;
    return RITT_OK;
  }

  /* a new one */
  const char *name = ritti_shown(s, s->model->arena, n, false);
  if (name && v.shape) name = ritti_element_name(s->model->arena, name, v.shape, i);
  if (!name) return RITT_NO_MEMORY;
  *column = (int)g->column.count;
  g->column_of.at[e] = *column + 1;
  ritti_output_def def = {.name = name, .expr = e, .place = ritti_place_of(s->reader, n->first)};
  return RITTI_PUSH(g->column, def);
}

/* Has the value this form? false: a mistake was reported. */
static bool check_form(ritti_resolver *s, const ritti_node *n, ritti_value v, look_kind kind,
                       const char *word) {
  const ritti_shape *shape = v.shape;
  bool vector = shape && shape->rank == 1 && (shape->size == 2 || shape->size == 3);
  bool matrix = shape && shape->rank == 2 && shape->count[0] == shape->count[1] &&
                (shape->count[0] == 2 || shape->count[0] == 3);
  bool fits = kind == LOOK_VECTOR ? vector : !shape;
  if (kind == LOOK_TURN) fits = !shape || matrix;
  if (fits) return true;

  const char *wanted = "a number";
  if (kind == LOOK_VECTOR) wanted = "a vector of 2 or 3, such as (x, y)";
  if (kind == LOOK_TURN) wanted = "an angle or a rotation matrix";
  ritti_say(s->reader, n->first, ritti_words(s->reader, "give it %s", wanted),
            "%s of a shape is %s, not %s%s", word, wanted, ritti_shape_words(s->reader, v.shape),
            ritti_where(s));
  return false;
}

/* Resolves a place or a look with numbers. */
static ritt_status resolve_look(ritti_resolver *s, scene *g, const ritti_node *n, look_kind kind,
                                const char *word, const char *subject, ritti_look_def *out) {
  ritti_value v = ritti_resolve_value(s, n, &anything);
  if (ritti_failed(v) || !check_form(s, n, v, kind, subject)) return s->reader->status;
  size_t count = ritti_value_count(v);
  *out = (ritti_look_def){.word = word, .columns = (int)count};
  RITTI_NEW(out->column, s->model->arena, count);
  for (size_t i = 0; i < count; i++) RITT_TRY(find_column(s, g, n, v, i, &out->column[i]));
  return RITT_OK;
}

/* A string without its quotes, or a word; in the model's memory. */
static const char *text_of(ritti_resolver *s, uint32_t token) {
  const ritti_token *t = ritti_token_at(s->reader, token);
  uint32_t quote = t->kind == T_STRING;
  return ritti_arena_text(s->model->arena, s->reader->text + t->start + quote,
                          t->length - 2 * quote);
}

/* Adds a shape. */
static ritt_status resolve_figure(ritti_resolver *s, const ritti_statement *line, void *context) {
  enum { MOST_SHAPES = 50000 };
  scene *g = context;
  ritti_figure_def f = {.word = find_shape(s->reader, line->word)->word};
  int places = 0, looked = 0;
  for (const ritti_node *n = line->left; n; n = n->next) places++;
  for (const ritti_statement *a = line->action; a; a = a->next) looked++;
  RITTI_NEW(f.look, s->model->arena, places + looked);
  if (g->figure.count == MOST_SHAPES) {
    ritti_say(s->reader, line->first, "draw some of them",
              "a scene with more than %d shapes shows nothing", MOST_SHAPES);
    return s->reader->status;
  }
  if (g->figure.count > MOST_SHAPES) return RITT_OK;

  /* the places, which lie in the plane or in space */
  int dimensions = 0;
  for (const ritti_node *n = line->left; n; n = n->next) {
    ritti_look_def *place = &f.look[f.looks++];
    RITT_TRY(resolve_look(s, g, n, LOOK_VECTOR, "at", "the place", place));
    if (place->columns == 0) return s->reader->status; /* reported */
    if (dimensions > 0 && place->columns != dimensions) {
      ritti_say(s->reader, n->first, "give all of them two numbers, or all three",
                "this place has %d numbers, the one before it %d", place->columns, dimensions);
      return s->reader->status;
    }
    dimensions = place->columns;
  }

  /* how it looks */
  for (const ritti_statement *a = line->action; a; a = a->next) {
    bool text = ritti_token_at(s->reader, a->word)->kind == T_STRING;
    const struct look *look = &looks[text ? L_TEXT : find_look(s->reader, a->word)];
    ritti_look_def *value = &f.look[f.looks++];
    if (look->kind == LOOK_TEXT || look->kind == LOOK_COLOUR) {
      *value = (ritti_look_def){.word = look->word, .text = text_of(s, text ? a->word : a->name)};
      if (!value->text) return RITT_NO_MEMORY;
      continue;
    }
    const char *subject = ritti_words(s->reader, "the %s", look->noun);
    RITT_TRY(resolve_look(s, g, a->left, look->kind, look->word, subject, value));
    if (value->columns == 0) return s->reader->status; /* reported */
    if (look->kind == LOOK_VECTOR && value->columns != dimensions) {
      ritti_say(s->reader, a->left->first, "give both two numbers, or both three",
                "the %s has %d numbers, the place %d", look->noun, value->columns, dimensions);
      return s->reader->status;
    }
  }
  return RITTI_PUSH(g->figure, f);
}

ritt_status ritti_resolve_scene(ritti_resolver *s) {
  ritti_model *m = s->model;
  scene g = {0};
  ritt_status status = ritti_each_statement(s, S_SCENE, resolve_figure, &g);

  /* the columns follow those of the plots */
  ritti_output_def *column = NULL;
  if (status == RITT_OK && g.figure.count) {
    m->figure = ritti_arena_alloc(m->arena, g.figure.count, sizeof *m->figure);
    column = ritti_arena_alloc(m->arena, (size_t)m->plot_columns + g.column.count, sizeof *column);
    if (!m->figure || !column) status = RITT_NO_MEMORY;
  }
  if (column && m->figure) {
    m->figures = (int)g.figure.count;
    m->scene_columns = (int)g.column.count;
    memcpy(m->figure, g.figure.at, g.figure.count * sizeof *m->figure);
    if (m->plot_columns) memcpy(column, m->plot_column, (size_t)m->plot_columns * sizeof *column);
    memcpy(column + m->plot_columns, g.column.at, g.column.count * sizeof *column);
    m->plot_column = column;
  }

  RITTI_ARRAY_FREE(g.figure);
  RITTI_ARRAY_FREE(g.column);
  RITTI_ARRAY_FREE(g.column_of);
  return status == RITT_OK ? s->reader->status : status;
}
