/* Paths such as R1.p.v and s[k+1].left.v -> symbols and values, and messages about paths that lead
 * nowhere.
 *
 * Every part, port and name of a part is a symbol whose name is its path, so a path is looked up
 * as a whole when its indices are known.
 */
#include <inttypes.h>
#include "lang/parts_impl.h"
#include "lang/resolve_impl.h"

/* The name in a segment of a path. */
static const ritti_node *segment_name(const ritti_node *n) {
  return n->kind == N_INDEX ? n->child : n;
}

/* The name of a path while it is put together; what is longer than any name is cut. */
typedef struct path_text {
  size_t length;
  char at[1024];
} path_text;

static void put_characters(path_text *p, const char *text, size_t length) {
  size_t room = sizeof p->at - p->length;
  if (length > room) length = room;
  memcpy(p->at + p->length, text, length);
  p->length += length;
}

static void put_number(path_text *p, char before, int64_t number) {
  char text[24], *at = text + sizeof text;
  uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  do *--at = (char)('0' + rest % 10);
  while (rest /= 10);
  if (number < 0) *--at = '-';
  *--at = before;
  put_characters(p, at, (size_t)(text + sizeof text - at));
}

/* Appends a segment to a name. `indices`: with its indices. false: an index has no value. */
static bool put_segment(ritti_resolver *s, path_text *p, const ritti_node *n, bool indices,
                        bool quietly) {
  ritti_reader *r = s->reader;
  const ritti_token *t = ritti_token_at(r, segment_name(n)->at);
  if (p->length) put_characters(p, ".", 1);
  put_characters(p, r->text + t->start, t->length);
  if (n->kind != N_INDEX || !indices) return true;

  /* "[1,2]" */
  for (const ritti_node *i = n->child->next; i; i = i->next) {
    int64_t number;
    if (i->kind == N_RANGE) {
      if (!quietly)
        ritti_say(r, i->first, "name the parts one by one: for k in 1..n: ...",
                  "a range of parts cannot stand here");
      return false;
    }
    bool known = ritti_quick_number(s, i, &number);
    if (!known && quietly) return false;
    if (!known && !ritti_whole_number(s, i, "the index", &number)) return false;
    put_number(p, i == n->child->next ? '[' : ',', number);
  }
  put_characters(p, "]", 1);
  return true;
}

/* A name with another segment, in scratch memory. NULL: an index has no value. */
static const char *add_segment(ritti_resolver *s, const char *name, const ritti_node *n,
                               bool indices, bool quietly) {
  path_text p;
  p.length = 0;
  put_characters(&p, name, strlen(name));
  if (!put_segment(s, &p, n, indices, quietly)) return NULL;
  return ritti_words(s->reader, "%.*s", (int)p.length, p.at);
}

/* Puts the name of a path together, with its last indices (`whole`) or without. false: an index has no
 * value, which was reported, unless `quietly`. */
static bool put_path(ritti_resolver *s, path_text *p, const ritti_node *n, bool whole,
                     bool quietly) {
  p->length = 0;
  if (n->kind != N_PATH) return put_segment(s, p, n, whole, quietly);
  for (const ritti_node *c = n->child; c; c = c->next)
    if (!put_segment(s, p, c, whole || c != n->last, quietly)) return false;
  return true;
}

ritti_symbol *ritti_path_symbol_if_known(ritti_resolver *s, const ritti_node *n) {
  path_text p;
  return put_path(s, &p, n, false, true) ? ritti_symbols_find(&s->names, p.at, p.length) : NULL;
}

/* ---- paths that lead nowhere ---- */

/* The names in a part, or the members of a port, as a list for hints. */
static const char *list_members(ritti_resolver *s, const ritti_symbol *y) {
  ritti_reader *r = s->reader;
  const char *all = "";
  if (y->kind == Y_PART) {
    const ritti_symbols *names = s->parts->instance.at[y->index]->component->names;
    for (size_t i = 0; i < names->all.count; i++)
      all = ritti_words(r, "%s%s%s", all, *all ? ", " : "", names->all.at[i].name);
  } else
    for (const ritti_statement *m = s->parts->port.at[y->index].kind->action; m; m = m->next)
      all = ritti_words(r, "%s%s%s", all, *all ? ", " : "", ritti_quote(r, m->name));
  return *all ? ritti_words(r, "it has %s", all) : "it has no names";
}

/* Reports a name that a part or port does not have. */
static void tell_no_member(ritti_resolver *s, const ritti_symbol *y, uint32_t token) {
  ritti_reader *r = s->reader;
  bool part = y->kind == Y_PART;
  uint32_t kind = part ? s->parts->instance.at[y->index]->component->name
                       : s->parts->port.at[y->index].kind->name;
  ritti_say(r, token, list_members(s, y), "the %s '%s' (%s) has no '%s'", part ? "part" : "port",
            y->name, ritti_quote(r, kind), ritti_quote(r, token));
}

/* Reports the first segment of a path that leads nowhere. `ports`: the path must end at a port. */
static void tell_lost(ritti_resolver *s, const ritti_node *n, bool ports) {
  ritti_reader *r = s->reader;
  const char *name = "";
  const ritti_symbol *y = NULL;
  const ritti_node *first = n->kind == N_PATH ? n->child : n;
  if (s->syntax->any_name) return;
  for (const ritti_node *c = first; c; c = n->kind == N_PATH ? c->next : NULL) {
    uint32_t token = segment_name(c)->at;
    const char *base = add_segment(s, name, c, false, true);
    const ritti_symbol *z = ritti_symbols_find(&s->names, base, strlen(base));

    /* a part that is not made yet: parameters of the model come first; after a mistake it is never made */
    if (y && y->index < 0) {
      if (r->notes.count == 0)
        ritti_say(r, token,
                  "declare a parameter, use it here and give it to the part; or use 'let' here",
                  "a parameter of the model cannot depend on the part '%s', which is made of "
                  "parameters itself",
                  y->name);
      return;
    }
    if (!z && y && ports && y->kind == Y_PORT) {
      ritti_say(r, n->first, ritti_words(r, "write %s", y->name),
                "a connection joins whole ports, not their members");
      return;
    }
    if (!z && y) {
      tell_no_member(s, y, token);
      return;
    }
    if (!z) {
      const char *near = ritti_nearest_name(s, base, Y_PART);
      ritti_say(r, token,
                near ? ritti_did_you_mean(r, near)
                     : ritti_words(r, "declare it: 'part %s: ...'", ritti_quote(r, token)),
                "there is no part '%s'", base);
      return;
    }

    /* an index that is missing or too many or outside */
    bool last = !ports && (n->kind != N_PATH || c == n->last);
    bool place = z->kind == Y_PART || z->kind == Y_PORT;
    const char *what = z->kind == Y_PORT ? "port" : "part";
    if (place && z->shape && c->kind != N_INDEX) {
      ritti_say(r, token,
                ritti_words(r, "write %s[%" PRId64 "]", ritti_quote(r, token), z->shape->low[0]),
                "'%s' is an array of %ss", base, what);
      return;
    }
    if (place && !z->shape && c->kind == N_INDEX) {
      ritti_say(r, token, "leave the index out", "'%s' is one %s and has no elements", base, what);
      return;
    }
    if (last) return;
    name = add_segment(s, name, c, true, false);
    if (!name) return;
    y = ritti_symbols_find(&s->names, name, strlen(name));
    if (place && !y) {
      ritti_say(r, token,
                ritti_words(r, "the first index is %" PRId64 ", the last %" PRId64,
                            z->shape->low[0], z->shape->low[0] + z->shape->count[0] - 1),
                "there is no %s '%s'%s", what, name, ritti_where(s));
      return;
    }

    /* a name that is no part */
    if (place) continue;
    if (z->kind != Y_BROKEN)
      ritti_say(
          r, token,
          z->kind == Y_VARIABLE
              ? ritti_words(r, "a part or a port stands before '.'; a derivative is %s'", base)
              : "a part or a port stands before '.'",
          "'%s' is %s, not a part", base, ritti_kind_words[z->kind]);
    return;
  }

  /* a part where a port belongs */
  if (ports && y && y->kind == Y_PART)
    ritti_say(r, n->first, list_members(s, y), "'%s' is a part, not a port", y->name);
}

ritti_symbol *ritti_path_symbol(ritti_resolver *s, const ritti_node *n) {
  path_text p;
  if (!put_path(s, &p, n, false, false)) return NULL;
  ritti_symbol *y = ritti_symbols_find(&s->names, p.at, p.length);
  if (!y) tell_lost(s, n, false);
  return y;
}

ritti_symbol *ritti_port_symbol(ritti_resolver *s, const ritti_node *n) {
  path_text p;
  if (!put_path(s, &p, n, true, false)) return NULL;
  ritti_symbol *y = ritti_symbols_find(&s->names, p.at, p.length);
  if (y && y->kind == Y_PORT && !y->shape) return y;
  tell_lost(s, n, true);
  return NULL;
}

/* ---- all members of an array of parts ---- */

/* The array of parts or ports in a path that has no index, as in T.h, or a range, as in T[2..4].h. */
typedef struct spread {
  const ritti_node *segment;
  ritti_shape shape;
} spread;

/* Finds the first such array of a path. false: there is none. */
static bool find_spread(ritti_resolver *s, const ritti_node *n, spread *out) {
  path_text p;
  p.length = 0;
  for (const ritti_node *c = n->kind == N_PATH ? n->child : NULL; c && c != n->last; c = c->next) {
    path_text base = p;
    if (!put_segment(s, &base, c, false, true)) return false;
    const ritti_symbol *y = ritti_symbols_find(&s->names, base.at, base.length);
    bool place = y && (y->kind == Y_PART || y->kind == Y_PORT);
    if (!place) return false;
    out->segment = c;
    if (y->shape) out->shape = *y->shape;
    if (y->shape && c->kind != N_INDEX) return true;

    /* a range of a vector of parts */
    const ritti_node *range = c->kind == N_INDEX ? c->child->next : NULL;
    if (y->shape && y->shape->rank == 1 && range && range->kind == N_RANGE) {
      int64_t from, to, last = y->shape->low[0] + y->shape->count[0] - 1;
      if (!ritti_range_ends(s, range, &from, &to)) return false;
      bool inside = from >= y->shape->low[0] && to <= last && from <= to;
      if (!inside)
        ritti_say(s->reader, range->first,
                  ritti_words(s->reader, "the first index is %" PRId64 ", the last %" PRId64,
                              y->shape->low[0], last),
                  "there are no parts '%.*s[%" PRId64 "..%" PRId64 "]'", (int)base.length, base.at,
                  from, to);
      out->shape.low[0] = from;
      out->shape.count[0] = inside ? to - from + 1 : 0;
      out->shape.size = (size_t)out->shape.count[0];
      return true;
    }
    if (!put_segment(s, &p, c, true, true)) return false;
  }
  return false;
}

/* Puts the name of member i together: T[3].h. */
static bool put_member(ritti_resolver *s, path_text *p, const ritti_node *n, const spread *all,
                       size_t i) {
  p->length = 0;
  for (const ritti_node *c = n->child; c; c = c->next) {
    bool here = c == all->segment;
    if (!put_segment(s, p, c, !here && c != n->last, true)) return false;
    size_t step = all->shape.size, rest = i;
    for (int k = 0; here && k < all->shape.rank; k++) {
      step /= (size_t)all->shape.count[k];
      put_number(p, k ? ',' : '[', all->shape.low[k] + (int64_t)(rest / step));
      rest %= step;
    }
    if (here) put_characters(p, "]", 1);
  }
  return true;
}

/* The value of a symbol that a path leads to. */
static ritti_value value_of_path(ritti_resolver *s, const ritti_node *n, ritti_symbol *y,
                                 int primes, const ritti_scope *scope) {
  if (!y || y->kind == Y_BROKEN || ritti_is_outside(y, scope)) return ritti_failure();
  if (n->last->kind == N_INDEX && y->kind != Y_PART && y->kind != Y_PORT)
    return ritti_indexed_symbol(s, n->last, y, primes, scope);
  return ritti_symbol_value(s, y, primes, n->at, scope);
}

/* The values of all members: an array with the indices of the parts, then those of a value. */
static ritti_value resolve_spread(ritti_resolver *s, const ritti_node *n, const spread *all,
                                  int primes, const ritti_scope *scope) {
  ritti_shape *shape = NULL;
  ritti_expr *at = NULL;
  size_t each = 1;
  if (all->shape.size == 0) return ritti_failure();
  for (size_t i = 0; i < all->shape.size; i++) {
    path_text p;
    bool put = put_member(s, &p, n, all, i);
    ritti_symbol *y = put ? ritti_symbols_find(&s->names, p.at, p.length) : NULL;
    if (!y) {
      ritti_say(s->reader, segment_name(n->last)->at, NULL, "there is no '%.*s'", (int)p.length,
                p.at);
      return ritti_failure();
    }
    ritti_value v = value_of_path(s, n, y, primes, scope);
    if (ritti_failed(v)) return v;

    /* the first member gives the shape */
    if (i == 0) {
      int inner = v.shape ? v.shape->rank : 0, rank = all->shape.rank + inner;
      each = ritti_value_count(v);
      if (rank > RITTI_RANK_LIMIT) {
        ritti_say(s->reader, n->first, "name the parts one by one",
                  "'%s' has %d indices; an array has at most %d",
                  ritti_shown(s, s->reader->scratch, n, false), rank, RITTI_RANK_LIMIT);
        return ritti_failure();
      }
      if (!ritti_expand(s, n->first, (uint64_t)(each * all->shape.size), "the number of values is"))
        return ritti_failure();
      shape = ritti_arena_alloc(s->values, 1, sizeof *shape);
      at = ritti_elements_new(s, each * all->shape.size);
      if (!shape || !at) {
        s->reader->status = RITT_NO_MEMORY;
        return ritti_failure();
      }
      *shape = all->shape;
      shape->rank = rank;
      shape->size = each * all->shape.size;
      for (int k = 0; k < inner; k++) {
        shape->low[all->shape.rank + k] = v.shape->low[k];
        shape->count[all->shape.rank + k] = v.shape->count[k];
      }
    }
    if (ritti_value_count(v) != each) {
      ritti_say(s->reader, n->first, "name the parts one by one",
                "the values of '%s' have different shapes",
                ritti_shown(s, s->reader->scratch, n, false));
      return ritti_failure();
    }
    for (size_t k = 0; k < each; k++) at[i * each + k] = ritti_element(v, k);
  }
  return ritti_array_value(shape, at);
}

const char *ritti_spread_name(ritti_resolver *s, const ritti_node *n, size_t i, size_t count) {
  path_text p;
  spread all;
  if (!find_spread(s, n, &all)) return NULL;
  if (all.shape.size == 0) return NULL;
  size_t each = count / all.shape.size;
  if (!put_member(s, &p, n, &all, i / each)) return NULL;
  const ritti_symbol *y = ritti_symbols_find(&s->names, p.at, p.length);
  const char *name = ritti_words(s->reader, "%.*s", (int)p.length, p.at);
  if (n->last->kind == N_INDEX)
    name = ritti_words(s->reader, "%s%s", name,
                       ritti_shown(s, s->reader->scratch, n->last, false) +
                           ritti_token_at(s->reader, n->last->child->at)->length);
  bool whole = y && y->shape && y->shape->size == each;
  return whole ? ritti_element_name(s->reader->scratch, name, y->shape, i % each) : name;
}

/* ---- values ---- */

ritti_value ritti_resolve_path(ritti_resolver *s, const ritti_node *n, int primes,
                               const ritti_scope *scope) {
  if (primes > RITTI_DERIVATIVE_LIMIT) {
    ritti_too_many_derivatives(s, n->at);
    return ritti_failure();
  }
  ritti_symbol *y = ritti_path_symbol_if_known(s, n);
  spread all;
  if (!y && find_spread(s, n, &all)) return resolve_spread(s, n, &all, primes, scope);
  return value_of_path(s, n, y ? y : ritti_path_symbol(s, n), primes, scope);
}

/* ---- orientations ---- */

/* The rotation matrix of a unit quaternion. */
static void quaternion_matrix(ritti_dag *d, const ritti_expr *q, ritti_expr *m) {
  ritti_expr one = ritti_number(d, 1, 1), two = ritti_number(d, 2, 1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      /* 2*(q_i*q_j -+ q_0*q_k) off the diagonal, 1 - 2*(q_j^2 + q_k^2) on it */
      ritti_expr *at = &m[3 * i + j];
      if (i == j) {
        ritti_expr u = q[1 + (i + 1) % 3], v = q[1 + (i + 2) % 3];
        ritti_expr sum = ritti_add(d, ritti_multiply(d, u, u), ritti_multiply(d, v, v));
        *at = ritti_subtract(d, one, ritti_multiply(d, two, sum));
        continue;
      }
      int k = 3 - i - j;
      ritti_expr a = ritti_multiply(d, q[1 + i], q[1 + j]), b = ritti_multiply(d, q[0], q[1 + k]);
      bool minus = j == (i + 1) % 3;
      *at = ritti_multiply(d, two, minus ? ritti_subtract(d, a, b) : ritti_add(d, a, b));
    }
}

/* An orientation: an angle, a unit quaternion or a rotation matrix. */
static bool is_quaternion(ritti_value v) {
  return v.shape && v.shape->rank == 1 && v.shape->size == 4;
}
static bool is_matrix(ritti_value v) {
  return v.shape && v.shape->rank == 2 && v.shape->count[0] == 3 && v.shape->count[1] == 3;
}

/* The rotation from one orientation to another: the difference of angles, or in space a vector of 3
 * that vanishes if both are the same. For quaternions a, b it is the vector part of conj(a)*b, for
 * matrices A, B the axial vector of A^T*B; near zero each has rank 3. */
ritti_value ritti_resolve_turn(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  bool arrays;
  ritti_dag *d = s->dag;
  ritti_value *v = ritti_resolve_children(s, n, scope, &arrays);
  if (!v) return ritti_failure();
  if (!v[0].shape && !v[1].shape) return ritti_scalar(ritti_subtract(d, v[1].one, v[0].one));

  /* both must be orientations in space */
  for (int i = 0; i < 2; i++) {
    if (is_quaternion(v[i]) || is_matrix(v[i])) continue;
    ritti_say(s->reader, n->at,
              "an orientation is an angle, a quaternion (a vector of 4) or a 3 x 3 matrix",
              "%s and %s are not orientations that can be connected",
              ritti_shape_words(s->reader, v[0].shape), ritti_shape_words(s->reader, v[1].shape));
    return ritti_failure();
  }
  ritti_expr *out = ritti_elements_new(s, 3);
  if (!out) return ritti_failure();
  const ritti_shape *shape = ritti_shape_new(s, 1, (int64_t[]){3});
  if (is_quaternion(v[0]) && is_quaternion(v[1])) {
    const ritti_expr *a = v[0].at, *b = v[1].at;
    for (int i = 0; i < 3; i++) {
      int j = 1 + (i + 1) % 3, k = 1 + (i + 2) % 3;
      ritti_expr term[] = {
          ritti_multiply(d, a[0], b[1 + i]), ritti_negate(d, ritti_multiply(d, a[1 + i], b[0])),
          ritti_negate(d, ritti_multiply(d, a[j], b[k])), ritti_multiply(d, a[k], b[j])};
      out[i] = ritti_multiply(d, ritti_number(d, 2, 1), ritti_sum(d, term, 4));
    }
    return ritti_array_value(shape, out);
  }

  /* matrices: (A^T*B)[k, j] - (A^T*B)[j, k], half of it */
  ritti_expr m[2][9];
  for (int i = 0; i < 2; i++) {
    if (is_matrix(v[i])) memcpy(m[i], v[i].at, sizeof m[i]);
    else quaternion_matrix(d, v[i].at, m[i]);
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    ritti_expr term[6];
    for (int l = 0; l < 3; l++) {
      term[2 * l] = ritti_multiply(d, m[0][3 * l + k], m[1][3 * l + j]);
      term[2 * l + 1] = ritti_negate(d, ritti_multiply(d, m[0][3 * l + j], m[1][3 * l + k]));
    }
    out[i] = ritti_multiply(d, ritti_number(d, 1, 2), ritti_sum(d, term, 6));
  }
  return ritti_array_value(shape, out);
}
