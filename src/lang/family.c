/* Ranges, whole numbers and families: an index is bound to one number after the other, and the
 * statement, term or element is resolved for each number.
 *
 * Whole numbers are exact. Simple expressions (sums and products of numbers, indices and
 * parameters) are computed here; all others go through the DAG and must give a whole number.
 */
#include <inttypes.h>
#include "resolve_impl.h"

#define LARGEST ((int64_t)1 << 53) /* whole numbers beyond it are refused */

/* ---- bound names ---- */

const ritti_binding *ritti_find_binding(const ritti_resolver *s, uint32_t token) {
  const ritti_reader *r = s->reader;
  const ritti_token *t = ritti_token_at(r, token);

  /* the innermost binding comes last */
  for (size_t i = s->bound.count; i-- > s->floor;) {
    const ritti_token *b = ritti_token_at(r, s->bound.at[i].token);
    if (b->length == t->length && !memcmp(r->text + b->start, r->text + t->start, t->length))
      return &s->bound.at[i];
  }
  return NULL;
}

bool ritti_bind_index(ritti_resolver *s, uint32_t token, int64_t number) {
  ritti_binding b = {.token = token, .index = true, .number = number};
  if (RITTI_PUSH(s->bound, b) == RITT_OK) return true;
  s->reader->status = RITT_NO_MEMORY;
  return false;
}

const char *ritti_where(ritti_resolver *s) {
  const char *text = "";
  for (size_t i = s->floor; i < s->bound.count; i++) /* arguments of functions are not mentioned */
    if (s->bound.at[i].index)
      text = ritti_words(s->reader, "%s%s%s = %" PRId64, text, *text ? ", " : " where ",
                         ritti_quote(s->reader, s->bound.at[i].token), s->bound.at[i].number);
  return text;
}

bool ritti_expand(ritti_resolver *s, uint32_t token, uint64_t count, const char *what) {
  if (count <= RITTI_EXPANSION_LIMIT && s->expanded + count <= RITTI_EXPANSION_LIMIT) {
    s->expanded += count;
    return true;
  }

  /* too many: at once, or together with all others */
  if (count > RITTI_EXPANSION_LIMIT)
    ritti_say(s->reader, token, "make the range shorter",
              "%s %" PRIu64 ", more than the %d that are possible", what, count,
              RITTI_EXPANSION_LIMIT);
  else
    ritti_say(
        s->reader, token, "make the ranges shorter",
        "the arrays, families, sums and calls of the model have more than %d members together",
        RITTI_EXPANSION_LIMIT);
  return false;
}

/* ---- whole numbers ---- */

/* Is a whole number within the limits? */
static bool small(int64_t a) { return a > -LARGEST && a < LARGEST; }

/* A token of digits only as a whole number. false: it is not one, or it has too many digits. */
static bool typed_whole(const ritti_reader *r, uint32_t token, int64_t *number) {
  enum { MOST_DIGITS = 15 };
  const ritti_token *t = ritti_token_at(r, token);
  if (t->length > MOST_DIGITS) return false;
  *number = 0;
  for (uint32_t i = 0; i < t->length; i++) {
    char c = r->text[t->start + i];
    if (c < '0' || c > '9') return false;
    *number = 10 * *number + (c - '0');
  }
  return true;
}

/* An expression as a whole number. false: it is not a whole number, or too large. */
static bool expr_whole(const ritti_dag *dag, ritti_expr e, int64_t *number) {
  if (e == RITTI_NIL || ritti_op_of(dag, e) != RITTI_NUMBER) return false;
  mpq_srcptr q = ritti_rational_of(dag, e);
  if (mpz_cmp_ui(mpq_denref(q), 1) != 0 || !mpz_fits_slong_p(mpq_numref(q))) return false;
  *number = mpz_get_si(mpq_numref(q));
  return small(*number);
}

/* A name that is an index, or a parameter with a whole value. */
static bool quick_name(ritti_resolver *s, uint32_t token, int64_t *number) {
  const ritti_binding *b = ritti_find_binding(s, token);
  if (b) {
    *number = b->number;
    return b->index;
  }
  ritti_symbol *y = ritti_find_symbol(s, token);
  if (!y || y->kind != Y_PARAMETER || y->shape) return false;
  y->read = true;
  return expr_whole(s->dag, y->expr, number);
}

/* The recursion ends at numbers and names; division and functions are not simple. */
bool ritti_quick_number(ritti_resolver *s, const ritti_node *n, int64_t *number) {
  int64_t part, total = n->kind == N_PRODUCT;
  switch (n->kind) {
  case N_NUMBER: return typed_whole(s->reader, n->at, number);
  case N_NAME: return quick_name(s, n->at, number);
  case N_NEGATE:
    if (!ritti_quick_number(s, n->child, &part)) return false;
    *number = -part;
    return true;
  case N_SUM:
  case N_PRODUCT:
    /* `total` begins with 0 for a sum and 1 for a product */
    for (const ritti_node *c = n->child; c; c = c->next) {
      ritti_token_kind sign = T_PLUS;
      if (c->sign != NO_TOKEN) sign = (ritti_token_kind)ritti_token_at(s->reader, c->sign)->kind;
      /* the part must be simple too */
      if (sign == T_OVER || !ritti_quick_number(s, c, &part)) return false;
      if (n->kind == N_SUM) {
        if (sign == T_MINUS) part = -part;
        total += part;
      }
      if (n->kind == N_PRODUCT && __builtin_mul_overflow(total, part, &total)) return false;
      if (!small(total)) return false;
    }
    *number = total;
    return true;
  default: return false;
  }
}

bool ritti_whole_number(ritti_resolver *s, const ritti_node *n, const char *what, int64_t *number) {
  if (ritti_quick_number(s, n, number)) return true;

  /* any expression of numbers and parameters that gives a whole number */
  ritti_scope scope = {SCOPE_PARAMETER, what, false};
  ritti_expr e = ritti_resolve_expr(s, n, &scope);
  if (e == RITTI_NIL) return false;
  if (expr_whole(s->dag, e, number)) return true;

  /* report its value */
  static const char *hint = "write an expression that gives a whole number";
  char text[32];
  double value = NAN;
  ritti_values none = {0};
  if (ritti_dag_evaluate(s->dag, e, &none, &value) != RITT_OK) s->reader->status = RITT_NO_MEMORY;
  if (fabs(value) >= (double)LARGEST)
    ritti_say(s->reader, n->first, "make it smaller", "%s is %s, which is too large%s", what,
              ritti_shortest(value, text), ritti_where(s));
  else if (*ritti_where(s))
    ritti_say(s->reader, n->first, hint, "%s is %s, not a whole number%s", what,
              ritti_shortest(value, text), ritti_where(s));
  else {
    /* an expression of parameters alone is reported once for all its uses */
    const char *key = ritti_words(s->reader, "%s..", ritti_shown(s, s->reader->scratch, n, false));
    ritti_tell_unknown(
        s, n->first, key, hint,
        ritti_words(s->reader, "%s is %s, not a whole number", what, ritti_shortest(value, text)));
  }
  return false;
}

/* ---- ranges ---- */

bool ritti_range_ends(ritti_resolver *s, const ritti_node *range, int64_t *from, int64_t *to) {
  /* both ends are resolved, so that mistakes in both are reported */
  bool first = ritti_whole_number(s, range->child, "the beginning of the range", from);
  if (!ritti_whole_number(s, range->last, "the end of the range", to) || !first) return false;

  /* all empty ranges look alike */
  if (*to < *from) *to = *from - 1;
  return true;
}

ritti_shape *ritti_resolve_shape(ritti_resolver *s, const ritti_statement *line) {
  ritti_shape shape = {.size = 1};
  bool whole = true;
  uint64_t size = 1;

  /* one direction for each range */
  for (const ritti_node *n = line->ranges; n; n = n->next) {
    int64_t from, to;
    const ritti_symbol *y = n->at == NO_TOKEN ? NULL : ritti_find_symbol(s, n->at);
    bool known = ritti_range_ends(s, n, &from, &to);
    if (y && y->kind == Y_INDEPENDENT)
      ritti_say(s->reader, n->at, "choose another name for the index",
                "'%s' is the independent variable", y->name);
    whole &= known;
    if (!known) continue;
    /* count the elements */
    shape.low[shape.rank] = from;
    shape.count[shape.rank++] = to - from + 1;
    if (__builtin_mul_overflow(size, (uint64_t)(to - from + 1), &size)) size = UINT64_MAX;
  }

  /* the array must not be too large */
  if (!whole) return NULL;
  const char *what = ritti_words(s->reader, "the number of elements of '%s' is",
                                 ritti_quote(s->reader, line->name));
  if (!ritti_expand(s, line->name, size, what)) return NULL;

  /* keep the shape */
  shape.size = (size_t)size;
  ritti_shape *kept = ritti_arena_alloc(s->reader->scratch, 1, sizeof *kept);
  if (!kept) s->reader->status = RITT_NO_MEMORY;
  else *kept = shape;
  return kept;
}

/* Does an index of the ranges from `each` to before `end` occur below a node? */
static bool uses_index(const ritti_reader *r, const ritti_node *n, const ritti_node *each,
                       const ritti_node *end) {
  const ritti_token *t = ritti_token_at(r, n->at);
  for (const ritti_node *e = each; n->kind == N_NAME && e != end; e = e->next) {
    const ritti_token *i = ritti_token_at(r, e->at);
    if (i->length == t->length && !memcmp(r->text + i->start, r->text + t->start, t->length))
      return true;
  }

  for (const ritti_node *c = n->child; c; c = c->next)
    if (uses_index(r, c, each, end)) return true;
  return false;
}

/* Refuses a family with too many members before its first member is resolved, as far as its ranges
 * do not depend on each other. false: a mistake was reported. */
static bool check_total(ritti_resolver *s, const ritti_node *each, const ritti_node *end) {
  uint64_t total = 1;

  /* multiply the lengths of the ranges that are known */
  for (const ritti_node *e = each; e != end; e = e->next) {
    int64_t from, to;

    /* the name of the index must be free */
    const ritti_symbol *y = ritti_find_symbol(s, e->at);
    if (y && y->kind == Y_INDEPENDENT) {
      ritti_say(s->reader, e->at, "choose another name for the index",
                "'%s' is the independent variable", y->name);
      return false;
    }

    /* a range that depends on another index is left out */
    bool known = !uses_index(s->reader, e->child, each, end) &&
                 !uses_index(s->reader, e->last, each, end) &&
                 ritti_quick_number(s, e->child, &from) && ritti_quick_number(s, e->last, &to);
    if (!known) continue;
    uint64_t count = to < from ? 0 : (uint64_t)(to - from + 1);
    if (__builtin_mul_overflow(total, count, &total)) total = UINT64_MAX;
  }

  /* report too many members */
  if (total <= RITTI_EXPANSION_LIMIT) return true;
  return ritti_expand(s, each->at, total, "the number of members is");
}

/* Visits the members: binds the first index to each of its numbers and goes on to the next
 * index. */
static bool each_member(ritti_resolver *s, const ritti_node *each, const ritti_node *end,
                        ritti_visit *visit, void *context) {
  int64_t from, to;
  if (each == end) return visit(s, context);
  if (!ritti_range_ends(s, each, &from, &to)) return false;
  if (!ritti_expand(s, each->at, (uint64_t)(to - from + 1), "the number of members is"))
    return false;

  /* after a mistake in one member the others would repeat it */
  size_t bound = s->bound.count, notes = s->reader->notes.count;
  bool whole = true;
  for (int64_t i = from; i <= to && whole && s->reader->notes.count == notes; i++) {
    whole = ritti_bind_index(s, each->at, i) && each_member(s, each->next, end, visit, context);
    s->bound.count = bound;
  }
  return whole;
}

bool ritti_each(ritti_resolver *s, const ritti_node *each, const ritti_node *end,
                ritti_visit *visit, void *context) {
  return check_total(s, each, end) && each_member(s, each, end, visit, context);
}

/* ---- families ---- */

/* A family whose members are visited. */
typedef struct family {
  const ritti_statement *body;
  ritti_visit_statement *visit;
  void *context;
  ritt_status status;
} family;

static ritt_status visit_list(ritti_resolver *s, const ritti_statement *first,
                              ritti_visit_statement *visit, void *context);

/* Visits the statements of a family for the present indices. */
static bool visit_member(ritti_resolver *s, void *context) {
  family *f = context;
  f->status = visit_list(s, f->body, f->visit, f->context);
  return f->status == RITT_OK;
}

ritt_status ritti_each_member(ritti_resolver *s, const ritti_statement *line,
                              ritti_visit_statement *visit, void *context) {
  if (line->each) {
    family f = {.body = line->body, .visit = visit, .context = context};
    (void)ritti_each(s, line->each, NULL, visit_member, &f);
    RITT_TRY(f.status);
  } else RITT_TRY(visit(s, line, context));
  ritti_arena_clear(s->values);
  return s->reader->status;
}

/* Visits a list of statements. */
static ritt_status visit_list(ritti_resolver *s, const ritti_statement *first,
                              ritti_visit_statement *visit, void *context) {
  for (const ritti_statement *line = first; line && !s->reader->full; line = line->next)
    RITT_TRY(ritti_each_member(s, line, visit, context));
  return s->reader->status;
}

ritt_status ritti_each_statement(ritti_resolver *s, ritti_section section,
                                 ritti_visit_statement *visit, void *context) {
  return visit_list(s, s->syntax->list[section].first, visit, context);
}

/* ---- text as typed, with the values of indices ---- */

/* Tokens that are replaced by a number. */
typedef struct replacement {
  uint32_t first, end;
  int64_t number;
} replacement;

typedef RITTI_ARRAY(replacement) replacements;

/* Notes that tokens [first, end) are replaced by a number. */
static void replace_tokens(ritti_resolver *s, replacements *list, uint32_t first, uint32_t end,
                           int64_t number) {
  if (RITTI_PUSH(*list, (replacement){first, end, number}) != RITT_OK)
    s->reader->status = RITT_NO_MEMORY;
}

/* Finds the tokens to replace below a node, in the order of the text. */
static void find_replacements(ritti_resolver *s, const ritti_node *n, replacements *list) {
  size_t bound = s->bound.count;
  int64_t number;

  /* an index of a family */
  const ritti_binding *b = n->kind == N_NAME ? ritti_find_binding(s, n->at) : NULL;
  if (b && b->index) replace_tokens(s, list, n->at, n->at + 1, b->number);

  /* an index of a sum hides an outer index with the same name and is not replaced */
  for (const ritti_node *c = n->kind == N_OVER ? n->child : NULL; c && c->kind == N_EACH;
       c = c->next)
    if (RITTI_PUSH(s->bound, (ritti_binding){.token = c->at}) != RITT_OK)
      s->reader->status = RITT_NO_MEMORY;

  /* an index that is simple is replaced by its value as a whole: x[i+1] becomes x[3] */
  for (const ritti_node *c = n->child; c; c = c->next) {
    bool index = n->kind == N_INDEX && c != n->child && c->kind != N_RANGE;
    if (index && c->kind != N_NUMBER && ritti_quick_number(s, c, &number))
      replace_tokens(s, list, c->first, c->end, number);
    else find_replacements(s, c, list);
  }
  s->bound.count = bound;
}

const char *ritti_shown(ritti_resolver *s, ritti_arena *arena, const ritti_node *n, bool blanks) {
  ritti_reader *r = s->reader;
  replacements list = {0};
  if (s->bound.count > 0) find_replacements(s, n, &list);

  /* nothing to replace */
  if (list.count == 0) {
    RITTI_ARRAY_FREE(list);
    return ritti_typed(r, arena, n->first, n->end, blanks);
  }

  /* copy the tokens, with the replacements */
  ritti_text text = {0};
  size_t next = 0;
  for (uint32_t i = n->first; i < n->end;) {
    const ritti_token *t = ritti_token_at(r, i);
    if (i > n->first && ritti_set_apart(r, i, blanks)) ritti_text_add(&text, " ");
    /* a number, or the token itself */
    if (next < list.count && list.at[next].first == i) {
      ritti_text_add(&text, "%" PRId64, list.at[next].number);
      i = list.at[next++].end;
    } else {
      ritti_text_add_bytes(&text, r->text + t->start, t->length);
      i++;
    }
  }

  /* keep the text */
  const char *kept = text.at ? ritti_arena_text(arena, text.at, text.count) : NULL;
  if (text.status != RITT_OK || !kept) r->status = RITT_NO_MEMORY;
  ritti_text_free(&text);
  RITTI_ARRAY_FREE(list);
  return kept ? kept : "";
}
