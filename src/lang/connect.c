/* Ports and connections -> variables, lets, equations and constraints of the model.
 *
 * Every member of every port gets a name, such as R1.p.v. Ports that are connected, on any level,
 * share one value of each member that is not a flow:
 *  - if no port of the set is given by expressions, one of them has a variable and the others are
 *    names for it;
 *  - otherwise the first port that is given by expressions has the value, open ports are names for
 *    it, and each further port that is given by expressions adds an equation, or a constraint for
 *    positions and orientations.
 * Flows are counted into their part. On each level the flows of the parts that meet add up to the
 * flows that enter through the ports of the part around them. Such a port gets its flow by this sum;
 * without one the sum is an equation. A port that is connected to nothing outside has no flow.
 */
#include <inttypes.h>
#include "parts_impl.h"

enum { OUTSIDE, INSIDE };

/* ---- ports ---- */

/* The kind of port that a token names; NULL: none, or several, which was reported. */
static const ritti_statement *find_kind(ritti_resolver *s, uint32_t token) {
  ritti_reader *r = s->reader;
  const ritti_statement *found = NULL;
  ritti_choice choice = {0};
  FOR_EACH(line, s, S_PORT) if (ritti_is_nearer(r, line->name, token, &choice)) found = line;
  if (found && !choice.several) return found;

  /* all kinds */
  size_t count = 0;
  uint32_t *all = ritti_arena_alloc(r->scratch, s->syntax->list[S_PORT].count + 1, sizeof *all);
  FOR_EACH(line, s, S_PORT) if (all) all[count++] = line->name;
  const char *hint =
      ritti_words(r, "declare it in the first column: 'port %s v, flow i'", ritti_quote(r, token));
  ritti_tell_undefined(s, token, "kind of port", hint, all, count);
  return NULL;
}

/* The number of members of a kind, with or without flows. */
static int count_members(const ritti_statement *kind, bool flows) {
  int count = 0;
  for (const ritti_statement *m = kind->action; m; m = m->next)
    count += flows || m->member != MEMBER_FLOW;
  return count;
}

/* Checks the kinds of ports: the names of kinds and of the members of each differ. */
static void check_kinds(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  FOR_EACH(line, s, S_PORT) {
    const ritti_statement *old = find_kind(s, line->name);
    if (old != line)
      ritti_say(r, line->name, "choose another name",
                "there are two kinds of port '%s', the first in %s", ritti_quote(r, line->name),
                ritti_line_words(r, old->name, line->name));
    for (const ritti_statement *m = line->action; m; m = m->next)
      for (const ritti_statement *k = line->action; k != m; k = k->next)
        if (ritti_same_word(r, k->name, m->name))
          ritti_say(r, m->name, "choose another name", "the kind of port '%s' has two members '%s'",
                    ritti_quote(r, line->name), ritti_quote(r, m->name));
  }
}

/* Makes a port. */
static ritt_status add_port(ritti_resolver *s, const ritti_statement *line, ritti_instance *owner,
                            const int64_t *index) {
  ritti_reader *r = s->reader;
  ritti_port port = {
      .owner = owner, .line = line, .kind = find_kind(s, line->kind), .place = NO_TOKEN};
  memcpy(port.index, index, sizeof port.index);
  if (!port.kind) return r->status;

  /* its path is its name */
  port.path = ritti_arena_format(r->keep, "%s.%s%s", owner->path, ritti_quote(r, line->name),
                                 ritti_index_words(s, line->ranges, index));
  if (!port.path) return RITT_NO_MEMORY;
  ritti_symbol *y = ritti_symbols_find(&s->names, port.path, strlen(port.path));
  if (!y) y = ritti_symbols_add(&s->names, port.path, Y_PORT, line->name);
  if (!y) return RITT_NO_MEMORY;
  y->index = (int)s->parts->port.count;

  /* the number of expressions that give its members */
  int given = line->right ? line->right->count : 0;
  int most = count_members(port.kind, true), least = count_members(port.kind, false);
  if (line->right && given != least && given != most)
    ritti_say(r, line->right->first,
              least == most ? ritti_words(r, "give %d", most)
                            : ritti_words(r, "give %d, or %d with the flows", least, most),
              "the port '%s' is given by %d expression%s, but a %s has %d member%s", port.path,
              given, given == 1 ? "" : "s", ritti_quote(r, line->kind), most, most == 1 ? "" : "s");
  return RITTI_PUSH(s->parts->port, port);
}

/* ---- sets of connected ports ---- */

/* The element that stands for the set of element i; shortens the way to it. */
static uint32_t find_set(uint32_t *set, uint32_t i) {
  while (set[i] != i) {
    set[i] = set[set[i]];
    i = set[i];
  }
  return i;
}

/* Joins two sets; the element with the lower number stands for both. */
static void join_sets(uint32_t *set, uint32_t a, uint32_t b) {
  a = find_set(set, a);
  b = find_set(set, b);
  if (a < b) set[b] = a;
  else set[a] = b;
}

/* The side of a port that a connection in a part joins. -1: the port lies elsewhere, which was
 * reported. */
static int side_of(ritti_resolver *s, const ritti_port *p, const ritti_statement *line,
                   const ritti_node *n) {
  if (p->owner == line->owner) return INSIDE;
  if (p->owner->parent == line->owner) return OUTSIDE;
  const ritti_instance *inner = p->owner;
  while (inner->parent != line->owner) inner = inner->parent;
  ritti_say(s->reader, n->first,
            ritti_words(s->reader, "give the component '%s' a port, and connect it to '%s' inside",
                        ritti_quote(s->reader, inner->component->name),
                        p->path + strlen(inner->path) + 1),
            "'%s' lies inside the part '%s'", p->path, inner->path);
  return -1;
}

/* The name of a kind of port, if asked for with its library: "planar.frame". In scratch memory. */
static const char *kind_words(ritti_resolver *s, const ritti_statement *kind, bool library) {
  const char *name = ritti_quote(s->reader, kind->name);
  if (!library) return name;
  return ritti_words(s->reader, "%s.%s", ritti_name_text(s->reader, kind->name), name);
}

/* Joins the ports of one connection. */
static ritt_status visit_connect(ritti_resolver *s, const ritti_statement *line, void *context) {
  ritti_parts_state *P = s->parts;
  const ritti_port *first = NULL;
  uint32_t before = 0;
  (void)context;
  for (const ritti_node *n = line->left; n; n = n->next) {
    const ritti_symbol *y = ritti_port_symbol(s, n);
    if (!y) continue;
    ritti_port *p = &P->port.at[y->index];
    int side = side_of(s, p, line, n);
    if (side < 0) continue;
    uint32_t element = 2 * (uint32_t)y->index + (uint32_t)side;
    if (side == OUTSIDE) p->defined[OUTSIDE] = true;
    if (side == OUTSIDE || p->place == NO_TOKEN) p->place = line->first;
    if (!first) {
      first = p;
      before = element;
      continue;
    }

    /* ports of one kind, each once */
    if (p->kind != first->kind) {
      bool same_word = ritti_same_word(s->reader, p->kind->name, first->kind->name);
      ritti_say(s->reader, n->first, "connect ports of one kind", "'%s' is a %s, but '%s' is a %s",
                p->path, kind_words(s, p->kind, same_word), first->path,
                kind_words(s, first->kind, same_word));
      continue;
    }
    if (element == before) {
      ritti_say(s->reader, n->first, "connect it to another one",
                "the port '%s' is connected to itself", p->path);
      continue;
    }
    join_sets(P->level, before, element);
    join_sets(P->whole, before / 2, element / 2);
  }
  return s->reader->status;
}

/* ---- statements ---- */

/* A node that is a name. */
static ritti_node *name_node(ritti_resolver *s, uint32_t token) {
  ritti_node *n = ritti_arena_alloc(s->reader->scratch, 1, sizeof *n);
  if (!n) {
    s->reader->status = RITT_NO_MEMORY;
    return NULL;
  }
  *n =
      (ritti_node){.kind = N_NAME, .at = token, .first = token, .end = token + 1, .sign = NO_TOKEN};
  return n;
}

/* A node with one or two children. */
static ritti_node *node_of(ritti_resolver *s, ritti_node_kind kind, ritti_node *a, ritti_node *b) {
  ritti_node *n = ritti_arena_alloc(s->reader->scratch, 1, sizeof *n);
  if (!n || !a) {
    s->reader->status = RITT_NO_MEMORY;
    return NULL;
  }
  *n = (ritti_node){.kind = kind, .at = a->at, .first = a->at, .end = a->at + 1, .sign = NO_TOKEN};
  n->child = a;
  n->last = b ? b : a;
  n->count = b ? 2 : 1;
  a->next = b;
  return n;
}

/* The name of a member of a port as a node. */
static ritti_node *member_node(ritti_resolver *s, const ritti_port *p, const ritti_statement *m) {
  return name_node(s, ritti_member_token(s, p->path, m->name));
}

/* A statement at the place of a port's declaration. */
static ritti_statement *port_statement(ritti_resolver *s, const ritti_port *p) {
  ritti_statement *line = ritti_arena_alloc(s->reader->scratch, 1, sizeof *line);
  if (!line) {
    s->reader->status = RITT_NO_MEMORY;
    return NULL;
  }
  *line = (ritti_statement){.order = s->syntax->statements++,
                            .first = p->line->first,
                            .end = p->line->end,
                            .name = NO_TOKEN,
                            .word = NO_TOKEN,
                            .relation = p->line->first,
                            .kind = NO_TOKEN,
                            .owner = p->owner};
  return line;
}

/* Adds `let P.m = right`, or without a right side `variable P.m`. */
static void define_member(ritti_resolver *s, const ritti_port *p, const ritti_statement *m,
                          ritti_node *right) {
  ritti_copier c = {.resolver = s};
  ritti_statement *line = port_statement(s, p);
  if (!line) return;
  line->name = ritti_member_token(s, p->path, m->name);
  line->right = right;
  line->potential = !right && m->member != MEMBER_FLOW;
  if (line->potential && p->place == NO_TOKEN)
    line->unconnected = count_members(p->kind, true) > count_members(p->kind, false) ? 2 : 1;
  bool zero = right && right->kind == N_NUMBER;
  if ((!right || zero) && m->ranges) line->ranges = ritti_copy_nodes(&c, m->ranges);
  ritti_append_statement(s, right ? S_LET : S_VARIABLE, line);
  if (!right) p->owner->needed--; /* it is counted with its port */

  /* its unit */
  if (m->word == NO_TOKEN || (right && right->kind == N_NAME)) return;
  ritti_statement *unit = port_statement(s, p);
  if (!unit) return;
  unit->name = line->name;
  unit->left = name_node(s, line->name);
  unit->word = m->word;
  ritti_append_statement(s, S_UNIT, unit);
}

/* ---- values ---- */

/* The expression that gives member number i of a port, flows counted or not; NULL: it is open. */
static ritti_node *given_value(ritti_resolver *s, const ritti_port *p, const ritti_statement *m) {
  if (!p->line->right) return NULL;
  bool flows = p->line->right->count == count_members(p->kind, true);
  if (m->member == MEMBER_FLOW && !flows) return NULL;

  /* its place in the list */
  const ritti_node *n = p->line->right->child;
  for (const ritti_statement *k = p->kind->action; k != m; k = k->next)
    if (flows || k->member != MEMBER_FLOW) n = n->next;
  ritti_copier c = {.resolver = s, .in = p->owner, .ranges = p->line->ranges, .index = p->index};
  ritti_node *copy = ritti_copy_node(&c, n);
  RITTI_ARRAY_FREE(c.hidden);
  return copy;
}

/* For each set of connected ports: the port that has its values, and whether that port is given by
 * expressions. */
typedef struct holder {
  uint32_t port;
  bool given;
} holder;

/* Chooses the port that has the values of each set: the first one that is given by expressions, or
 * else the first one of the outermost parts. */
static ritt_status choose_holders(ritti_resolver *s, holder **out) {
  const ritti_parts_state *P = s->parts;
  holder *h;
  RITTI_NEW(h, s->reader->scratch, P->port.count + 1);
  for (uint32_t i = 0; i < P->port.count; i++) h[i].port = UINT32_MAX;
  for (uint32_t i = 0; i < P->port.count; i++) {
    const ritti_port *p = &P->port.at[i];
    holder *set = &h[find_set(P->whole, i)];
    bool given = p->line->right != NULL;
    bool better = set->port == UINT32_MAX || (given && !set->given) ||
                  (!given && !set->given && p->owner->depth < P->port.at[set->port].owner->depth);
    if (better) *set = (holder){i, given};
  }
  *out = h;
  return RITT_OK;
}

/* Adds the condition that a member of two ports is equal. */
static void equate_member(ritti_resolver *s, const ritti_port *a, const ritti_port *b,
                          const ritti_statement *m) {
  ritti_reader *r = s->reader;
  ritti_statement *line = port_statement(s, b);
  if (!line) return;
  line->first = b->place;
  line->left = member_node(s, a, m);
  line->right = member_node(s, b, m);
  line->subject = ritti_arena_format(r->keep, "connection of %s and %s (%s)", a->path, b->path,
                                     ritti_quote(r, m->name));
  if (!line->left || !line->right || !line->subject) r->status = RITT_NO_MEMORY;
  else if (m->member == MEMBER_ORIENTATION) {
    line->left = node_of(s, N_TURN, line->left, line->right);
    line->right = name_node(s, ritti_token_make(r, b->line->first, T_NUMBER, "0", 1));
    if (line->right) line->right->kind = N_NUMBER;
  }
  ritti_append_statement(s, m->member == MEMBER_EQUAL ? S_EQUATION : S_CONSTRAINT, line);
}

/* The part of the model that contains a part, or the part itself. */
static const ritti_instance *outermost(const ritti_instance *p) {
  while (p->parent) p = p->parent;
  return p;
}

/* Defines the members of a port that are not flows. */
static void define_values(ritti_resolver *s, uint32_t port, const holder *h) {
  const ritti_parts_state *P = s->parts;
  const ritti_port *p = &P->port.at[port];
  const holder *set = &h[find_set(P->whole, port)];
  const ritti_port *first = &P->port.at[set->port];
  for (const ritti_statement *m = p->kind->action; m; m = m->next) {
    if (m->member == MEMBER_FLOW) continue;
    if (p->line->right) {
      define_member(s, p, m, given_value(s, p, m));
      if (p != first) equate_member(s, first, p, m);
    } else if (p != first) define_member(s, p, m, member_node(s, first, m));
    else if (m->member != MEMBER_ORIENTATION) define_member(s, p, m, NULL);
    else
      ritti_say(s->reader, outermost(p->owner)->line->name,
                "connect it to a part that gives its orientation, such as a body",
                "nothing gives the orientation '%s.%s'", p->path, ritti_quote(s->reader, m->name));
  }
}

/* ---- flows ---- */

/* Appends a term with a sign to a sum. */
static void add_flow(ritti_resolver *s, ritti_node **sum, ritti_node *term, bool minus) {
  ritti_reader *r = s->reader;
  if (!term) return;
  if (!*sum) {
    *sum = minus ? node_of(s, N_NEGATE, term, NULL) : term;
    return;
  }
  term->sign = ritti_token_make(r, term->at, minus ? T_MINUS : T_PLUS, minus ? "-" : "+", 1);
  if (term->sign == NO_TOKEN) return;
  if ((*sum)->kind != N_SUM) {
    *sum = node_of(s, N_SUM, *sum, term);
    return;
  }
  (*sum)->last->next = term;
  (*sum)->last = term;
  (*sum)->count++;
}

/* The sides of ports that meet on one level: member i of a set is element[i]. */
typedef struct node {
  const uint32_t *element;
  size_t count;
} node;

/* The sum of a flow over a node without one of its elements: the flows into the parts minus the
 * flows that enter through ports of the part around them. */
static ritti_node *sum_flows(ritti_resolver *s, node n, uint32_t without,
                             const ritti_statement *m) {
  ritti_node *sum = NULL;
  for (size_t i = 0; i < n.count; i++)
    if (n.element[i] != without)
      add_flow(s, &sum, member_node(s, &s->parts->port.at[n.element[i] / 2], m),
               n.element[i] % 2 == INSIDE);
  return sum;
}

/* "node (R1.n, R2.p, C.p)": the name of a node in messages. */
static const char *node_words(ritti_resolver *s, node n, const ritti_statement *m) {
  enum { SHOWN = 4 };
  const char *text = "node (";
  for (size_t i = 0; i < n.count && i < SHOWN; i++)
    text = ritti_words(s->reader, "%s%s%s", text, i ? ", " : "",
                       s->parts->port.at[n.element[i] / 2].path);
  return ritti_arena_format(s->reader->keep, "%s%s) (%s)", text, n.count > SHOWN ? ", ..." : "",
                            ritti_quote(s->reader, m->name));
}

/* Adds what a node says about the flows that meet there. */
static void balance_node(ritti_resolver *s, node n) {
  ritti_parts_state *P = s->parts;
  const ritti_port *any = &P->port.at[n.element[0] / 2];

  /* a port of the part around the node gets its flow from the node, if it is connected outside */
  uint32_t own = UINT32_MAX;
  for (size_t i = 0; i < n.count && own == UINT32_MAX; i++) {
    const ritti_port *p = &P->port.at[n.element[i] / 2];
    if (n.element[i] % 2 == INSIDE && p->defined[OUTSIDE] && !p->defined[INSIDE])
      own = n.element[i];
  }
  if (own != UINT32_MAX) P->port.at[own / 2].defined[INSIDE] = true;

  for (const ritti_statement *m = any->kind->action; m; m = m->next) {
    if (m->member != MEMBER_FLOW) continue;
    if (own != UINT32_MAX) {
      define_member(s, &P->port.at[own / 2], m, sum_flows(s, n, own, m));
      continue;
    }

    /* all but the last on the left side, the last one on the right */
    uint32_t last = n.element[n.count - 1];
    ritti_statement *line = port_statement(s, any);
    ritti_node *term = member_node(s, &P->port.at[last / 2], m);
    if (!line || !term) return;
    line->owner = any->owner->parent;
    line->first = any->place;
    line->left = sum_flows(s, n, last, m);
    line->right = last % 2 == INSIDE ? term : node_of(s, N_NEGATE, term, NULL);
    line->subject = node_words(s, n, m);
    if (!line->subject) s->reader->status = RITT_NO_MEMORY;
    ritti_append_statement(s, S_EQUATION, line);
  }
}

/* Counts the equations that a port asks of its part: one for each flow, none for a value that the part
 * gives. Ports with other numbers of flows and values, such as signals and frames, do not tell. */
static void count_needed(const ritti_port *p) {
  int flows = 0, values = 0;
  for (const ritti_statement *m = p->kind->action; m; m = m->next) {
    if (m->member == MEMBER_FLOW) flows++;
    else values++;
    if (m->ranges || (m->member != MEMBER_FLOW && m->member != MEMBER_EQUAL))
      p->owner->unbounded = true;
  }
  if (flows != values) p->owner->unbounded = true;
  if (!p->line->right) p->owner->needed += flows;
  else if (p->line->right->count == flows + values) p->owner->needed -= values;
}

/* Adds the balances of all nodes, then the flows that they do not define. */
static ritt_status define_flows(ritti_resolver *s) {
  ritti_parts_state *P = s->parts;
  size_t sides = 2 * P->port.count;
  uint32_t *start, *element;
  RITTI_NEW(start, s->reader->scratch, sides + 2);
  RITTI_NEW(element, s->reader->scratch, sides + 1);

  /* sort the sides by set: those of set i become element[start[i]], ... */
  for (uint32_t i = 0; i < sides; i++) start[find_set(P->level, i) + 2]++;
  for (uint32_t i = 0; i < sides; i++) start[i + 2] += start[i + 1];
  for (uint32_t i = 0; i < sides; i++) element[start[find_set(P->level, i) + 1]++] = i;
  for (uint32_t i = 0; i < sides; i++)
    if (start[i + 1] - start[i] > 1)
      balance_node(s, (node){element + start[i], start[i + 1] - start[i]});

  /* flows that are given, zero, or unknown */
  for (uint32_t i = 0; i < P->port.count; i++) {
    const ritti_port *p = &P->port.at[i];
    count_needed(p);
    for (const ritti_statement *m = p->kind->action; m; m = m->next) {
      if (m->member != MEMBER_FLOW || p->defined[INSIDE]) continue;
      ritti_node *value = given_value(s, p, m);
      if (!value && !p->defined[OUTSIDE]) {
        value = name_node(s, ritti_token_make(s->reader, p->line->first, T_NUMBER, "0", 1));
        if (value) value->kind = N_NUMBER;
      }
      define_member(s, p, m, value);
    }
  }
  return s->reader->status;
}

ritt_status ritti_connect_ports(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  ritti_parts_state *P = s->parts;
  holder *h;

  /* the ports */
  check_kinds(s);
  for (size_t i = 0; i < P->instance.count; i++) {
    ritti_instance *p = P->instance.at[i];
    for (int k = 0; k < p->component->chains; k++)
      for (const ritti_statement *l = p->component->chain[k]->syntax.list[S_PORT].first; l;
           l = l->next)
        RITT_TRY(ritti_each_element(s, l, p, p->path, Y_PORT, add_port));
  }
  if (r->notes.count > 0) return r->status;

  /* the sets of connected ports */
  RITTI_NEW(P->level, r->scratch, 2 * P->port.count + 1);
  RITTI_NEW(P->whole, r->scratch, P->port.count + 1);
  for (uint32_t i = 0; i < 2 * P->port.count; i++) P->level[i] = i;
  for (uint32_t i = 0; i < P->port.count; i++) P->whole[i] = i;
  RITT_TRY(ritti_each_statement(s, S_CONNECT, visit_connect, NULL));
  if (r->notes.count > 0) return r->status;

  /* the members */
  RITT_TRY(choose_holders(s, &h));
  for (uint32_t i = 0; i < P->port.count; i++) define_values(s, i, h);
  return define_flows(s);
}
