/* `event` and `section`: parsed, and put into the model.
 *
 * Words such as `rising` are not reserved: they are words only in their places. A section is an
 * event that records.
 */
#include "lang_impl.h"

/* ---- read ---- */

static const char *const EVENT_HINT = "write 'event NAME: y = 0 falling -> stop'";

/* Reads name ":". A section may have no name. */
static bool take_event_name(ritti_parser *p, ritti_statement *s) {
  if (ritti_look(p) == T_NAME && ritti_kind_at(p, p->at + 1) == T_COLON) {
    s->name = p->at;
    p->at += 2;
    return true;
  }
  if (p->section == S_SECTION) return true;
  if (ritti_look(p) != T_BAD) ritti_say(p->reader, p->at, EVENT_HINT, "the event has no name");
  return false;
}

/* grammar: crossing = expr "=" expr [ "rising" | "falling" ] */
static bool take_condition(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;

  /* left-hand side */
  s->left = ritti_parse_expr(p);
  if (!s->left) return false;

  /* '=' */
  ritti_token_kind kind = ritti_look(p);
  if (kind != T_EQUALS) {
    if (ritti_kind_among(kind, RITTI_BIT(T_LESS) | RITTI_BIT(T_GREATER) | RITTI_BIT(T_LESS_EQUAL) |
                                   RITTI_BIT(T_GREATER_EQUAL)))
      ritti_say(r, p->at, "write '=' with 'rising' or 'falling': y = 0 falling",
                "an event happens where two sides become equal");
    else if (ritti_ends(kind) || kind == T_ARROW)
      ritti_say(r, s->left->first, "write what becomes equal: y = 0", "the condition has no '='");
    else ritti_parse_unexpected(p);
    return false;
  }

  /* right-hand side and direction */
  s->relation = p->at++;
  s->right = ritti_parse_expr(p);
  if (!s->right) return false;
  if (ritti_look_name(p, "rising") || ritti_look_name(p, "falling")) s->word = p->at++;
  if (ritti_look(p) != T_NAME) return true;
  ritti_say(r, p->at, "write 'rising' or 'falling', or nothing for both",
            "'%s' is not a direction of an event", ritti_quote(r, p->at));
  return false;
}

/* grammar: action = "stop" | "record" | expr ":=" expr */
static bool take_action(ritti_parser *p, ritti_statement *event) {
  ritti_reader *r = p->reader;
  ritti_statement *s = ritti_statement_new(p);
  if (!s) return false;

  /* stop, record */
  bool word = (ritti_look_name(p, "stop") || ritti_look_name(p, "record")) &&
              (ritti_kind_at(p, p->at + 1) == T_COMMA || ritti_ends(ritti_kind_at(p, p->at + 1)));
  if (word) s->word = p->at++;
  else {
    /* a jump: variable := value */
    if (ritti_ends(ritti_look(p))) {
      ritti_say(r, p->at - 1, "write 'stop', 'record' or a jump such as x' := -0.9*x'",
                "an action is missing after '%s'", ritti_quote(r, p->at - 1));
      return false;
    }
    s->left = ritti_parse_expr(p);
    if (!s->left) return false;

    /* ':=' */
    if (ritti_look(p) != T_ASSIGN)
      return ritti_refuse(p, ritti_look(p) == T_EQUALS ? p->at : s->left->first,
                          "write 'stop', 'record' or a jump such as x' := -0.9*x'",
                          ritti_look(p) == T_EQUALS ? "a jump is written with ':='"
                                                    : "this is not an action");

    /* the value */
    s->relation = p->at++;
    s->right = ritti_parse_expr(p);
    if (!s->right) return false;
  }
  s->end = p->at;

  /* keep the actions in the order of the text */
  ritti_statement **last = &event->action;
  while (*last) last = &(*last)->next;
  *last = s;
  return true;
}

/* grammar: event = name ":" crossing "->" action { "," action } */
bool ritti_parse_event(ritti_parser *p, ritti_statement *s) {
  if (!take_event_name(p, s) || !take_condition(p, s)) return false;

  /* '->' */
  if (ritti_look(p) != T_ARROW) {
    if (ritti_ends(ritti_look(p)))
      ritti_say(p->reader, p->at - 1,
                "write '-> stop', '-> record' or a jump such as -> x' := -0.9*x'",
                "the event does not say what happens");
    else ritti_parse_unexpected(p);
    return false;
  }

  /* the actions */
  do {
    p->at++;
    if (!take_action(p, s)) return false;
  } while (ritti_look(p) == T_COMMA);
  return true;
}

/* grammar: section = [ name ":" ] crossing */
bool ritti_parse_poincare(ritti_parser *p, ritti_statement *s) {
  if (!take_event_name(p, s) || !take_condition(p, s)) return false;
  if (ritti_look(p) != T_ARROW) return true;
  ritti_say(p->reader, p->at, "a section records points only; write 'event' for anything else",
            "a section has no actions");
  return false;
}

/* ---- resolve ---- */

/* Adds a jump to an event. A variable may be assigned once. */
static void resolve_jump(ritti_resolver *s, const ritti_statement *action, ritti_event_def *event) {
  ritti_reader *r = s->reader;
  ritti_expr jet = ritti_resolve_expr(s, action->left, &ritti_anything);
  ritti_expr value = ritti_resolve_expr(s, action->right, &ritti_anything);
  if (jet == RITTI_NIL || value == RITTI_NIL) return;
  if (ritti_op_of(s->dag, jet) != RITTI_JET) {
    ritti_say(r, action->left->first, "assign to x, x' and so on",
              "'%.60s' is neither a variable nor a derivative of one",
              ritti_typed(r, r->scratch, action->left->first, action->left->end, false));
    return;
  }

  ritti_jump_def jump = {.variable = ritti_index_of(s->dag, jet),
                         .order = ritti_order_of(s->dag, jet),
                         .value = value,
                         .place = ritti_place_of(r, action->first)};

  /* each variable or derivative may be assigned once */
  for (int i = 0; i < event->jumps; i++)
    if (event->jump[i].variable == jump.variable && event->jump[i].order == jump.order) {
      ritti_say(r, action->first, "remove one of them", "'%.60s' is assigned twice in one event",
                ritti_typed(r, r->scratch, action->left->first, action->left->end, false));
      return;
    }
  event->jump[event->jumps++] = jump;
}

/* Adds the actions to an event. */
static ritt_status resolve_actions(ritti_resolver *s, const ritti_statement *line,
                                   ritti_event_def *event) {
  size_t count = 0;
  for (const ritti_statement *a = line->action; a; a = a->next) count++;
  RITTI_NEW(event->jump, s->model->arena, count);
  for (const ritti_statement *a = line->action; a; a = a->next) {
    if (a->word == NO_TOKEN) resolve_jump(s, a, event);
    else if (ritti_token_is(s->reader, a->word, "stop")) event->stop = true;
    else event->record = true;
  }
  return RITT_OK;
}

/* The name of an event, which must be new; a section without a name is called "section". NULL: a
 * mistake was reported. */
static const char *event_name(ritti_resolver *s, const ritti_statement *line, ritti_symbols *seen) {
  ritti_reader *r = s->reader;
  const char *name = line->name != NO_TOKEN ? ritti_keep_name(r, line->name) : "section";
  if (!name) return NULL;

  /* it must be new */
  const ritti_symbol *old = ritti_symbols_find(seen, name, strlen(name));
  if (old) {
    ritti_say(r, line->first, "give one of them another name",
              "there are two events '%s', the first in %s", name,
              ritti_line_words(r, old->token, line->first));
    return NULL;
  }
  if (!ritti_symbols_add(seen, name, Y_LABEL, line->first)) r->status = RITT_NO_MEMORY;
  return name;
}

/* Adds an event or section to the model. */
static ritt_status resolve_event(ritti_resolver *s, const ritti_statement *line, bool section,
                                 ritti_symbols *seen) {
  ritti_reader *r = s->reader;
  ritti_event_def event = {.record = section, .place = ritti_place_of(r, line->first)};

  /* its parts */
  event.name = event_name(s, line, seen);
  ritti_expr left = ritti_resolve_expr(s, line->left, &ritti_anything);
  ritti_expr right = ritti_resolve_expr(s, line->right, &ritti_anything);
  RITT_TRY(resolve_actions(s, line, &event));
  if (line->word != NO_TOKEN) event.sense = ritti_token_is(r, line->word, "rising") ? 1 : -1;
  if (!event.name || left == RITTI_NIL || right == RITTI_NIL) return RITT_OK;

  /* the condition must depend on something that changes */
  event.function = ritti_subtract(s->dag, left, right);
  ritti_nodes jets = {0};
  RITT_TRY(ritti_leaves(s->dag, event.function, RITTI_JET, &jets));
  bool moves =
      jets.count > 0 || ritti_depends_on(s->dag, event.function, ritti_independent(s->dag));

  ritti_free(jets.at);
  if (!moves) {
    ritti_say(r, line->left->first, "write what changes during the run: y = 0",
              "neither side of the event '%s' changes during the run", event.name);
    return RITT_OK;
  }

  /* a complete event */
  s->model->event[s->model->events++] = event;
  return RITT_OK;
}

/* Adds all events, then all sections. */
ritt_status ritti_resolve_events(ritti_resolver *s) {
  static const ritti_section kinds[] = {S_EVENT, S_SECTION};
  ritti_symbols seen = {0};
  ritt_status status = RITT_OK;
  size_t count = s->syntax->list[S_EVENT].count + s->syntax->list[S_SECTION].count;
  RITTI_NEW(s->model->event, s->model->arena, count);

  /* each event and section in turn */
  for (int k = 0; k < 2; k++)
    for (const ritti_statement *line = s->syntax->list[kinds[k]].first; line && status == RITT_OK;
         line = line->next)
      status = resolve_event(s, line, kinds[k] == S_SECTION, &seen);
  ritti_symbols_clear(&seen);
  return status == RITT_OK ? s->reader->status : status;
}
