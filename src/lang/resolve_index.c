/* name[...] and value[...] -> elements and slices.
 *
 * In: a node N_INDEX and the number of primes after it. Out: a number, or an array of the elements
 * that ranges select. Failed: an index is outside or the base is not an array, which was reported.
 */
#include <inttypes.h>
#include "lang/resolve_impl.h"

/* The elements that the indices select. */
typedef struct selection {
  int64_t from[RITTI_RANK_LIMIT], count[RITTI_RANK_LIMIT]; /* each direction, counted from 0 */
  bool range[RITTI_RANK_LIMIT];                            /* it is a range, not one index */
  int ranges;                                              /* number of ranges */
  size_t size;                                             /* number of elements */
} selection;

/* Reports an index or range that is outside the array. */
static void report_outside(ritti_resolver *s, const ritti_node *n, const ritti_shape *shape, int k,
                           const char *name, int64_t from, int64_t to) {
  static const char *const which[] = {"first ", "second ", "third ", "fourth "};
  /* "the second index 5 of 'A'" */
  const char *order = shape->rank > 1 ? which[k] : "";
  const char *value = n->kind == N_RANGE
                          ? ritti_words(s->reader, "range %" PRId64 "..%" PRId64, from, to)
                          : ritti_words(s->reader, "index %" PRId64, from);
  const char *of = *name ? ritti_words(s->reader, " of '%s'", name) : "";
  ritti_say(s->reader, n->first, "make the range of the index, or the array, fit",
            "the %s%s%s is outside %" PRId64 "..%" PRId64 "%s", order, value, of, shape->low[k],
            shape->low[k] + shape->count[k] - 1, ritti_where(s));
}

/* Resolves the indices of node n in an array of a shape. false: a mistake was reported. */
static bool select_indices(ritti_resolver *s, const ritti_node *n, const ritti_shape *shape,
                           const char *name, selection *out) {
  *out = (selection){.size = 1};
  /* their number */
  if (n->count - 1 != shape->rank) {
    static const char *const example[] = {"i", "i, j", "i, j, k", "i, j, k, l"};
    const char *array = *name ? ritti_words(s->reader, "'%s'", name) : "the array";
    ritti_say(s->reader, n->at,
              ritti_words(s->reader, "write %s[%s]", name, example[shape->rank - 1]),
              "%s has %d %s, not %d", array, shape->rank, shape->rank == 1 ? "index" : "indices",
              n->count - 1);
    return false;
  }

  /* their values */
  bool whole = true;
  int k = 0;
  for (const ritti_node *c = n->child->next; c; c = c->next, k++) {
    int64_t from, to;
    bool range = c->kind == N_RANGE;
    bool known;
    if (range) known = ritti_range_ends(s, c, &from, &to);
    else known = ritti_whole_number(s, c, "the index", &from);
    if (!known) {
      whole = false;
      continue;
    }

    /* an empty range is inside every array */
    if (!range) to = from;
    bool inside = from >= shape->low[k] && to < shape->low[k] + shape->count[k];
    if (!inside && to >= from) {
      report_outside(s, c, shape, k, name, from, to);
      whole = false;
    }

    /* the part of the selection in this direction */
    out->from[k] = from - shape->low[k];
    out->count[k] = to - from + 1;
    out->range[k] = range;
    out->ranges += range;
    out->size *= (size_t)(to - from + 1);
  }
  return whole;
}

/* The position of element i of a selection in the array. */
static size_t find_element(const selection *sel, const ritti_shape *shape, size_t i) {
  size_t place = 0, step = 1;
  for (int k = shape->rank - 1; k >= 0; k--) {
    size_t count = (size_t)sel->count[k];
    place += step * ((size_t)sel->from[k] + i % count);
    i /= count;
    step *= (size_t)shape->count[k];
  }
  return place;
}

/* The shape of a selection: one direction for each range. */
static const ritti_shape *selection_shape(ritti_resolver *s, const selection *sel, int rank) {
  int64_t count[RITTI_RANK_LIMIT];
  int n = 0;
  for (int k = 0; k < rank; k++)
    if (sel->range[k]) count[n++] = sel->count[k];
  return ritti_shape_new(s, n, count);
}

/* Resolves name[...] for the name of an array. */
static ritti_value indexed_name(ritti_resolver *s, const ritti_node *n, ritti_symbol *y, int primes,
                                const ritti_scope *scope) {
  selection sel;
  if (!select_indices(s, n, y->shape, y->name, &sel)) return ritti_failure();
  if (sel.ranges == 0)
    return ritti_scalar(
        ritti_element_value(s, y, find_element(&sel, y->shape, 0), primes, n->at, scope));

  /* a slice */
  if (!ritti_expand(s, n->at, sel.size, "the number of elements is")) return ritti_failure();
  const ritti_shape *shape = selection_shape(s, &sel, y->shape->rank);
  ritti_expr *at = ritti_elements_new(s, sel.size);
  bool whole = shape && at;
  for (size_t i = 0; i < sel.size && whole; i++) {
    at[i] = ritti_element_value(s, y, find_element(&sel, y->shape, i), primes, n->at, scope);
    whole = at[i] != RITTI_NIL;
  }
  return whole ? (ritti_value){.shape = shape, .at = at} : ritti_failure();
}

/* Resolves value[...]. */
static ritti_value indexed_value(ritti_resolver *s, const ritti_node *n, ritti_value v) {
  selection sel;
  if (ritti_failed(v)) return v;

  /* the value must be an array */
  bool named = n->child->kind == N_NAME;
  if (!v.shape) {
    const char *what =
        named ? ritti_words(s->reader, "'%s'", ritti_quote(s->reader, n->at)) : "this";
    ritti_say(s->reader, n->at, "leave the index out, or declare an array",
              "%s is a number and has no elements", what);
    return ritti_failure();
  }

  /* an element, or a slice */
  if (!select_indices(s, n, v.shape, named ? ritti_quote(s->reader, n->at) : "", &sel))
    return ritti_failure();
  if (sel.ranges == 0) return ritti_scalar(v.at[find_element(&sel, v.shape, 0)]);
  const ritti_shape *shape = selection_shape(s, &sel, v.shape->rank);
  ritti_expr *at = ritti_elements_new(s, sel.size);
  if (!shape || !at) return ritti_failure();
  for (size_t i = 0; i < sel.size; i++) at[i] = v.at[find_element(&sel, v.shape, i)];
  return (ritti_value){.shape = shape, .at = at};
}

/* The column of a family of outputs whose name contains this index; NULL: none. */
static ritti_symbol *column_element(ritti_resolver *s, const ritti_node *n) {
  const char *key = ritti_shown(s, s->reader->scratch, n, false);
  return ritti_symbols_find(&s->columns, key, strlen(key));
}

ritti_value ritti_resolve_index(ritti_resolver *s, const ritti_node *n, int primes,
                                const ritti_scope *scope) {
  const ritti_node *base = n->child;
  if (primes > RITTI_DERIVATIVE_LIMIT) {
    ritti_too_many_derivatives(s, n->at);
    return ritti_failure();
  }

  /* an index of a value, or of a name that is bound */
  if (base->kind != N_NAME || ritti_find_binding(s, base->at))
    return ritti_derivative(s, indexed_value(s, n, ritti_resolve_value(s, base, scope)), primes,
                            n->at);

  /* a column of a family of outputs, in plots */
  ritti_symbol *y = ritti_find_symbol(s, base->at);
  if (!y && scope->kind == SCOPE_PLOT && (y = column_element(s, n)))
    return ritti_scalar(ritti_element_value(s, y, 0, primes, n->at, scope));

  const char *first = !y && scope->kind == SCOPE_PLOT ? ritti_first_column(s, base->at) : NULL;
  if (first) {
    ritti_say(s->reader, n->at, ritti_words(s->reader, "the first of this name is %s", first),
              "there is no column '%.60s'", ritti_shown(s, s->reader->scratch, n, false));
    return ritti_failure();
  }

  /* the name of an array */
  y = ritti_symbol_of(s, base->at, scope);
  if (!y || y->kind == Y_BROKEN || ritti_is_outside(y, scope)) return ritti_failure();
  return ritti_indexed_symbol(s, n, y, primes, scope);
}

ritti_value ritti_indexed_symbol(ritti_resolver *s, const ritti_node *n, ritti_symbol *y,
                                 int primes, const ritti_scope *scope) {
  if (y->pending) ritti_define_pending(s, y);
  if (y->kind == Y_PART || y->kind == Y_PORT)
    return ritti_scalar(ritti_element_value(s, y, 0, primes, n->at, scope));
  if (y->line && y->line->ranges && !y->shape) return ritti_failure();
  if (y->shape) return indexed_name(s, n, y, primes, scope);

  /* the name of a number */
  if ((y->kind == Y_LET || y->kind == Y_PARAMETER) && y->expr == RITTI_NIL) return ritti_failure();
  ritti_say(s->reader, n->at,
            y->kind == Y_VARIABLE
                ? ritti_words(s->reader, "declare an array: 'variable %s[1..n]'", y->name)
                : "leave the index out, or declare an array",
            "'%s' is one number and has no elements", y->name);
  return ritti_failure();
}
