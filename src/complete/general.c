/* Completion, the general path: any number of equations, redundant, cancelling, of any index.
 *
 * In: the equations. The decision (decide.c) says which of their derivatives make up the completed
 * system, at a generic point and with many digits; this file reports what it found in the words of
 * the model, and hands the rows on (product.c).
 */
#include "complete/product_impl.h"

/* ---- names ---- */

static ritti_origin origin_of(ritti_row_id id) {
  return (ritti_origin){.equation = id.equation, .invariant = -1, .order = id.order};
}

/* "equation 1 (line 4), the derivative of equation 3 (line 6) and equation 4 (line 7)"; many rows
 * are cut short. NULL: no memory. */
static const char *list_rows(ritti_completion *C, const ritti_row_id *row, int count) {
  enum { MOST = 6 };
  ritti_text text = {0};
  int shown = count > MOST ? MOST - 1 : count;
  for (int i = 0; i < shown; i++) {
    const char *name = ritti_origin_text(C->arena, C->model, origin_of(row[i]));
    if (!name) text.status = RITT_NO_MEMORY;
    else
      ritti_text_add(&text, "%s%s%s",
                     i == 0           ? ""
                     : i + 1 == count ? " and "
                                      : ", ",
                     row[i].order > 0 ? "the " : "", name);
  }
  if (shown < count) ritti_text_add(&text, " and %d others", count - shown);
  const char *copy =
      text.status == RITT_OK && text.at ? ritti_arena_text(C->arena, text.at, text.count) : NULL;
  ritti_text_free(&text);
  return copy;
}

/* The dependent equations of the model itself, with the equations that each follows from. */
static ritt_status name_dependent(ritti_completion *C, const ritti_selection *S) {
  for (int i = 0; i < S->deads; i++) {
    const ritti_dead *dead = &S->dead[i];
    ritti_row_id id = {dead->equation, dead->order};
    if (dead->order > 0 || C->model->equation[dead->equation].owner) continue;
    const char *name = ritti_origin_text(C->arena, C->model, origin_of(id));
    const char *from = dead->supports ? list_rows(C, dead->support, dead->supports) : NULL;
    if (!name || (dead->supports && !from)) return RITT_NO_MEMORY;
    if (from) name = ritti_arena_format(C->arena, "%s, which follows from %s", name, from);
    if (!name) return RITT_NO_MEMORY;
    RITT_TRY(ritti_add_name(C, &C->check->dependent_equations, &C->check->dependent_count, name));
  }
  return RITT_OK;
}

/* Their rows, which the start must satisfy, too. */
static ritt_status keep_dependent(ritti_completion *C, const ritti_selection *S) {
  RITTI_NEW(C->dependent_row, C->arena, S->deads + 1);
  RITTI_NEW(C->dependent_origin, C->arena, S->deads + 1);
  C->dependents = 0;
  for (int i = 0; i < S->deads; i++) {
    const ritti_dead *dead = &S->dead[i];
    RITT_TRY(ritti_prolong(C, dead->equation, dead->order));
    C->dependent_row[C->dependents] = C->stage[dead->equation][dead->order];
    C->dependent_origin[C->dependents++] = origin_of((ritti_row_id){dead->equation, dead->order});
  }
  return RITT_OK;
}

/* If there are more equations than unknowns: the equations whose derivatives add nothing, if it can be
 * said in few words. */
static ritt_status note_surplus(ritti_completion *C, const ritti_selection *S) {
  enum { MOST = 3, SHORT = 6 };
  if (C->model->rest || C->model->equations <= C->model->variables) return RITT_OK;
  for (int i = 0, told = 0; i < S->deads && told < MOST; i++) {
    const ritti_dead *dead = &S->dead[i];
    ritti_row_id id = {dead->equation, dead->order};
    if (dead->order != 1 || dead->supports == 0 || dead->supports > SHORT) continue;
    if (C->model->equation[dead->equation].owner) continue;
    const char *name = ritti_origin_text(C->arena, C->model, origin_of(id));
    const char *from = list_rows(C, dead->support, dead->supports);
    if (!name || !from) return RITT_NO_MEMORY;
    const char *note =
        ritti_arena_format(C->arena, "the %s says nothing new: it follows from %s", name, from);
    if (!note) return RITT_NO_MEMORY;
    RITT_TRY(ritti_add_note(C, note));
    told++;
  }
  return RITT_OK;
}

/* ---- refusals ---- */

/* The last equation of the chains that the model itself writes under `equation`; -1: there is none. */
static int find_own_equation(const ritti_completion *C, const ritti_selection *S) {
  for (int i = S->chains - 1; i >= 0; i--) {
    const ritti_equation_def *e = &C->model->equation[S->chain[i].equation];
    if (!e->subject && !e->source && !e->owner) return S->chain[i].equation;
  }
  return -1;
}

/* The place of a message about chains: an equation of the model itself, if there is one among them. */
static const ritti_place *place_of(const ritti_completion *C, const ritti_selection *S) {
  int equation = find_own_equation(C, S);
  if (equation < 0) equation = S->chains > 0 ? S->chain[S->chains - 1].equation : 0;
  return &C->model->equation[equation].place;
}

/* Does an equation of the model contradict equations of motion? Then a force may be missing. */
static bool lacks_force(const ritti_completion *C, const ritti_selection *S) {
  if (find_own_equation(C, S) < 0) return false;
  for (int i = 0; i < S->chains; i++)
    if (C->model->equation[S->chain[i].equation].source) return true;
  return false;
}

/* Nothing can be said of equations that have no value at the start. */
static ritt_status check_values(ritti_completion *C) {
  ritti_rows_system S = {0};
  RITT_TRY(ritti_rows_make(C, C->residual, C->model->equations, &S));
  return ritti_rows_evaluate(C, &S, C->point) ? RITT_OK : ritti_refuse_no_value(C, &S, C->point);
}

/* The part of the model with this path; NULL: it is no part, but a node or a connection. */
static const ritti_part_def *find_part(const ritti_model *model, const char *path) {
  for (int i = 0; path && i < model->parts; i++)
    if (!strcmp(model->part[i].path, path)) return &model->part[i];
  return NULL;
}

/* The part in which a contradiction of parts is shown: the last one, unless an equation of the model
 * itself or a connection is involved. */
static const ritti_part_def *find_last_part(const ritti_completion *C, const ritti_selection *S) {
  const ritti_part_def *last = NULL;
  for (int i = 0; i < S->chains; i++) {
    last = find_part(C->model, C->model->equation[S->chain[i].equation].owner);
    if (!last) return NULL;
  }
  return last;
}

/* "the equations", or "S1 and S2" if they belong to parts only. NULL: no memory. */
static const char *name_sides(ritti_completion *C, const ritti_selection *S) {
  enum { MOST = 4 };
  const char *name[MOST];
  int count = 0;
  for (int i = 0; i < S->chains; i++) {
    const char *owner = C->model->equation[S->chain[i].equation].owner;
    bool listed = false;
    if (!find_part(C->model, owner)) continue;
    for (int k = 0; k < count && !listed; k++) listed = !strcmp(name[k], owner);
    if (!listed && count == MOST) return "the equations";
    if (!listed) name[count++] = owner;
  }
  if (count == 0) return "the equations";
  if (count == 1) return ritti_arena_format(C->arena, "the equations of %s", name[0]);
  const char *text = name[0];
  for (int k = 1; k < count && text; k++)
    text = ritti_arena_format(C->arena, "%s%s%s", text, k + 1 == count ? " and " : ", ", name[k]);
  return text;
}

static ritt_status refuse_contradiction(ritti_completion *C, const ritti_decision *decision) {
  const ritti_selection *S = &decision->selection;
  const char *rows = list_rows(C, S->chain, S->chains), *sides = name_sides(C, S);
  const ritti_part_def *part = find_last_part(C, S);
  if (!rows || !sides) return RITT_NO_MEMORY;
  bool parts = strcmp(sides, "the equations") && find_own_equation(C, S) < 0;
  if (parts && S->chains > 4) /* their equations one by one say less than the names of the parts */
    rows = ritti_arena_format(C->arena, "their %d equations", S->chains);
  const char *reason = ritti_arena_format(
      C->arena,
      decision->proved ? "%s contradict each other: %s cannot hold together"
                       : "%s contradict each other: no point near the start satisfies %s",
      sides, rows);
  const char *hint = "correct or remove one of the equations that lead to it";
  if (parts) hint = "connect these parts in another way, or change their values";
  if (lacks_force(C, S))
    hint =
        "an equation that limits the motion belongs under 'constraint', which adds the force that "
        "keeps it; else correct or remove one of these equations";
  return ritti_refuse_model(C, "inconsistent", RITT_IMPOSSIBLE,
                            part ? &part->place : place_of(C, S), hint, reason);
}

/* Newton's method fails if the gradient of an equation vanishes where the equation holds: such an
 * equation is named. RITT_OK: there is none. */
static ritt_status refuse_vanishing_gradient(ritti_completion *C, const ritti_selection *S) {
  for (int i = 0; i < S->chains; i++) {
    int equation = S->chain[i].equation;
    bool vanishes;
    if (S->chain[i].order > 0) continue;
    RITT_TRY(ritti_decide_gradient(C, equation, &vanishes));
    if (!vanishes) continue;
    return ritti_refuse_model(
        C, "singular", RITT_IMPOSSIBLE, &C->model->equation[equation].place,
        "write the equation without the square: x - y = 0 instead of (x - y)^2 = 0",
        ritti_arena_format(C->arena, "all derivatives of %s vanish where it holds",
                           list_rows(C, &S->chain[i], 1)));
  }
  return RITT_OK;
}

static ritt_status refuse_undecided(ritti_completion *C, const ritti_decision *decision) {
  const ritti_selection *S = &decision->selection;
  RITT_TRY(check_values(C));
  if (S->verdict == RITTI_POSTPONED && S->chains > 0) {
    RITT_TRY(refuse_vanishing_gradient(C, S));
    const char *rows = list_rows(C, S->chain, S->chains), *kink = NULL, *hint = NULL;
    for (int i = 0; i < S->chains && !kink; i++) kink = ritti_open_kink(C, S->chain[i].equation);
    if (kink)
      hint = ritti_arena_format(
          C->arena,
          "give start values nearer to a solution; if neither side of %s fits, as for Painleve's "
          "rod, rigid bodies with this friction do not slide there: make it smaller, or the "
          "contact elastic",
          kink);
    return ritti_refuse_model(
        C, "undecided", RITT_UNDECIDED, place_of(C, S),
        hint ? hint : "give start values nearer to a solution",
        rows ? ritti_arena_format(C->arena,
                                  "no point was found that satisfies %s together with "
                                  "the other equations",
                                  rows)
             : NULL);
  }
  return ritti_refuse_model(
      C, "undecided", RITT_UNDECIDED, place_of(C, S),
      S->endless ? "look for an equation that is missing or wrong in this chain of derivatives"
                 : "scale the variables, or give parameters as exact numbers",
      ritti_arena_format(C->arena, "the completion could not be decided: %s",
                         S->reason ? S->reason : "no point of the equations was found"));
}

/* The part with the fewest equations for what it needs, among those with open unknowns; NULL: none
 * lacks an equation. */
static const ritti_part_def *find_lacking(const ritti_completion *C, const bool *open) {
  const ritti_part_def *worst = NULL;
  for (int j = 0; j < C->n; j++) {
    const ritti_part_def *p = open[j] ? ritti_owner_of(C->model, C->model->variable[j].name) : NULL;
    if (!p || p->needed <= p->equations) continue;
    if (!worst || p->needed - p->equations > worst->needed - worst->equations) worst = p;
  }
  return worst;
}

/* "x, y and z", of many the first ones. */
static void add_open_names(const ritti_completion *C, const bool *open, size_t total,
                           ritti_text *text) {
  enum { MOST = 12 };
  size_t shown = total > MOST ? MOST - 2 : total, count = 0;
  for (int j = 0; j < C->n && count < shown; j++) {
    if (!open[j]) continue;
    ritti_text_add(text, "%s%s",
                   count == 0           ? ""
                   : count + 1 == total ? " and "
                                        : ", ",
                   C->model->variable[j].name);
    count++;
  }
  if (shown < total) ritti_text_add(text, " and %zu others", total - shown);
}

static ritt_status refuse_underdetermined(ritti_completion *C, const bool *open) {
  const ritti_part_def *lacking = find_lacking(C, open);
  const ritti_place *place = &C->model->equation[0].place;
  ritti_text text = {0};
  size_t total = 0;
  bool potential = false;
  const char *alone = NULL; /* a value of a port that is connected to nothing */
  for (int j = 0; j < C->n; j++) {
    const ritti_variable_def *v = &C->model->variable[j];
    if (!open[j]) continue;
    const ritti_part_def *owner = ritti_owner_of(C->model, v->name);
    if (owner && (total == 0 || (v->unconnected && !alone))) place = &owner->place;
    if (v->unconnected && !alone) alone = v->name;
    total++;
    potential = potential || v->potential;
    RITT_TRY(ritti_add_name(C, &C->check->undetermined_variables, &C->check->undetermined_count,
                            v->name));
  }

  /* what is open, and why */
  ritti_text_add(&text, "the equations leave ");
  add_open_names(C, open, total, &text);
  ritti_text_add(&text, " undetermined%s",
                 C->check->dependent_count ? " (some equations depend on the others)" : "");
  if (lacking)
    ritti_text_add(&text, "; %s (%s) has %d equation%s where %d are needed", lacking->path,
                   lacking->component, lacking->equations, lacking->equations == 1 ? "" : "s",
                   lacking->needed);
  int port = alone ? (int)(strrchr(alone, '.') - alone) : 0;
  if (alone) ritti_text_add(&text, "; nothing is connected to %.*s", port, alone);
  const char *reason =
      text.status == RITT_OK ? ritti_arena_text(C->arena, text.at, text.count) : NULL;
  ritti_text_free(&text);

  /* where, and what to do */
  const char *hint = "add equations that determine them";
  if (potential) hint = "connect a node to a ground, or add equations that determine them";
  if (lacking) {
    place = &lacking->place;
    hint = ritti_arena_format(C->arena, "add what is missing to the component '%s'",
                              lacking->component);
  } else if (alone) hint = ritti_arena_format(C->arena, "connect the port %.*s", port, alone);
  if (!hint) return RITT_NO_MEMORY;
  return ritti_refuse_model(C, "underdetermined", RITT_IMPOSSIBLE, place, hint, reason);
}

/* ---- what is determined ---- */

/* Variables that are differentiated, or that equations link to one that is: directly, or through
 * others. */
static void find_linked(const ritti_completion *C, const int *order, bool *linked) {
  const ritti_signature *sigma = &C->sigma;
  bool grown = true;
  for (int j = 0; j < C->n; j++) linked[j] = order[j] > 0;
  while (grown) {
    grown = false;
    for (int i = 0; i < C->model->equations; i++) {
      bool any = false;
      for (int e = sigma->start[i]; e < sigma->start[i + 1]; e++)
        any = any || linked[sigma->var[e]];
      for (int e = sigma->start[i]; any && e < sigma->start[i + 1]; e++) {
        grown = grown || !linked[sigma->var[e]];
        linked[sigma->var[e]] = true;
      }
    }
  }
}

/* A differentiated unknown must be determined. Others may be open like multipliers: one dependent
 * equation stands for each open direction, and equations link them to a differentiated unknown, or they are
 * potentials of nodes, of which circuits without a ground depend on differences only. */
static ritt_status check_open(ritti_completion *C, const ritti_decision *decision) {
  const ritti_selection *S = &decision->selection;
  bool *linked, refused = S->opens > S->deads;
  int *order;
  RITTI_NEW(linked, C->arena, C->n + 1);
  RITTI_NEW(order, C->arena, C->n + 1);
  ritti_find_orders(C, order);
  find_linked(C, order, linked);
  for (int j = 0; j < C->n; j++) {
    bool may_be_open = order[j] == 0 && (linked[j] || C->model->variable[j].potential);
    refused = refused || (S->open[j] && !may_be_open);
  }
  C->dof = S->free_values;
  if (refused) RITT_TRY(ritti_count_allowed(C, decision, false, NULL, &C->dof));
  C->check->degrees_of_freedom = C->dof;
  if (refused) {
    int allowed;
    RITT_TRY(ritti_count_allowed(C, decision, true, NULL, &allowed));
    C->check->hidden_constraints = allowed - C->dof;
    return refuse_underdetermined(C, S->open);
  }
  for (int j = 0; j < C->n; j++) {
    if (!S->open[j]) continue;
    C->non_unique[j] = true;
    RITT_TRY(ritti_add_name(C, &C->check->non_unique, &C->check->non_unique_count,
                            C->model->variable[j].name));
  }
  return RITT_OK;
}

/* ---- both kinds of completion ---- */

/* Jets up to d: their numbers, and room for a point of typed values. */
static ritt_status lay_out_jets(ritti_completion *C) {
  C->jets = 0;
  for (int j = 0; j < C->n; j++) {
    C->first[j] = C->jets;
    C->jets += C->d[j] + 1;
  }
  RITTI_NEW(C->point, C->arena, C->jets + 1);
  for (int i = 0; i < C->model->starts; i++) {
    const ritti_start_def *def = &C->model->start[i];
    int jet = ritti_jet_number(C, def->variable, def->order);
    if (jet >= 0) C->point[jet] = def->number;
  }
  return RITT_OK;
}

/* The start values on the branch of the decision, if that is not the branch of the guesses. */
static ritt_status keep_branch(ritti_completion *C, const ritti_decision *decision) {
  C->elsewhere = NULL;
  if (!decision->elsewhere || decision->selection.verdict != RITTI_SELECTED) return RITT_OK;
  RITTI_NEW(C->elsewhere, C->arena, C->model->starts + 1);
  for (int i = 0; i < C->model->starts; i++) {
    const ritti_start_def *def = &C->model->start[i];
    C->elsewhere[i] = ritti_precise_jet(decision->precise, def->variable, def->order);
  }
  return RITT_OK;
}

static ritt_status report_selection(ritti_completion *C, const ritti_decision *decision) {
  const ritti_selection *S = &decision->selection;
  if (S->verdict == RITTI_CONTRADICTION) return refuse_contradiction(C, decision);
  if (S->verdict != RITTI_SELECTED) return refuse_undecided(C, decision);
  for (int i = 0; i < S->rows; i++)
    if (S->row[i].order > C->prolongations) C->prolongations = S->row[i].order;
  RITT_TRY(keep_dependent(C, S));
  RITT_TRY(name_dependent(C, S));
  RITT_TRY(ritti_name_dependent_parts(C, S));
  RITT_TRY(note_surplus(C, S));
  return check_open(C, decision);
}

/* Decides; C->d holds the orders. at_points: the rows are needed at a point, too. The decision is
 * to be cleared whatever the outcome. */
static ritt_status decide_system(ritti_completion *C, bool at_points, ritti_decision *decision) {
  int *top;
  RITTI_NEW(top, C->arena, C->n + 1);
  memcpy(top, C->d, (size_t)C->n * sizeof *top);
  RITT_TRY(lay_out_jets(C));
  if (at_points) RITT_TRY(ritti_decide_at_points(C, top, decision));
  else RITT_TRY(ritti_decide(C, top, decision));
  RITT_TRY(ritti_remember_selection(C, top, decision));
  RITT_TRY(keep_branch(C, decision));
  C->chosen = decision->precise && decision->selection.deads > 0;
  return report_selection(C, decision);
}

ritt_status ritti_complete_general(ritti_completion *C) {
  ritti_decision decision = {0};
  RITT_TRY(ritti_least_orders(C, C->d));
  ritti_find_orders(C, C->d);
  ritt_status status = decide_system(C, false, &decision);
  if (status == RITT_OK && !C->model->choose_rows) status = ritti_count_index(C, &decision);
  if (status == RITT_OK) status = ritti_make_product(C, &decision);
  if (status == RITT_UNDECIDED && !C->check->reason && decision.backend) {
    decision.selection.verdict = RITTI_UNDECIDABLE;
    decision.selection.reason = decision.backend->reason;
    status = refuse_undecided(C, &decision);
  }
  ritti_decision_clear(&decision);
  return status == RITT_OK ? lay_out_jets(C) : status;
}

ritt_status ritti_complete_classical(ritti_completion *C) {
  ritti_decision decision = {0};
  int q = 0;
  ritti_find_orders(C, C->d);
  for (int j = 0; j < C->n; j++)
    if (C->d[j] > q) q = C->d[j];
  for (int j = 0; j < C->n; j++) C->d[j] = q;
  ritt_status status = decide_system(C, true, &decision);
  if (status == RITT_OK) status = ritti_make_classical(C, &decision);
  ritti_decision_clear(&decision);
  return status;
}
