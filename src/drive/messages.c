/* Messages about a run that stops: the place, the reason with its numbers, and a remedy. */
#include "drive/driver_impl.h"

enum { LONGEST = 1200 }; /* of a part of a sentence; longer ones are cut */

static const char *name_of(const ritti_driver *d, int i) {
  const ritti_problem *p = d->problem;
  const char *name = p->name.coordinate ? p->name.coordinate(p->data, i) : NULL;
  return name ? name : i == 0 ? "x" : "a coordinate";
}

/* A coordinate; rounding errors of 0 are shown as 0. */
static double drop_roundoff(const ritti_driver *d, int i, ritt_real value) {
  ritt_real size = d->manifold.size[i];
  return RITTI_MATH(fabs)(value) < 16 * RITTI_EPS * size ? 0 : (double)value;
}

/* "t = 1.09, x = 1, y = 0": the first coordinates of the point z */
static void add_point(const ritti_driver *d, const ritt_real *z, ritti_text *out) {
  enum { MOST = 7 };
  for (int i = 0; i < d->problem->m && i < MOST; i++)
    ritti_text_add(out, "%s%s = %.12g", i ? ", " : "", name_of(d, i), drop_roundoff(d, i, z[i]));
  if (d->problem->m > MOST) ritti_text_add(out, ", ...");
}

static const char *culprit_of(const ritti_driver *d, const ritt_real *z) {
  const ritti_problem *p = d->problem;
  const char *text = p->name.culprit ? p->name.culprit(p->data, d->work, z) : NULL;
  return text ? text : "one of the model's functions";
}

static ritt_status stop_with_message(ritti_driver *d, const char *text, const char *hint) {
  return ritti_fail(d->error, RITT_STOPPED, NULL, hint, "the run stopped at %s = %.12g: %s",
                    name_of(d, 0), (double)d->step.z[0], text);
}

/* Adds why points could not be computed; returns a hint. */
static const char *add_trouble(const ritti_driver *d, ritti_text *text) {
  const ritti_manifold *M = d->step.manifold;
  const ritti_direction *D = d->step.direction;
  ritti_trouble trouble = M->trouble ? M->trouble : D->trouble;
  const ritt_real *where = M->trouble ? M->where : D->where;
  switch (trouble) {
  case RITTI_NO_VALUE:
    ritti_text_add(text, "%s has no value near ", culprit_of(d, where));
    add_point(d, d->step.z, text);
    return "the solution leaves the region where the equations are defined; check the start values and the "
           "signs";
  case RITTI_SINGULAR_TOP:
    ritti_text_add(text, "the equations do not determine the highest derivatives near ");
    add_point(d, d->step.z, text);
    /* the surface met last is here */
    if (d->monitors.entered >= 0 && d->monitors.since == d->at.s)
      return "if the equations change their form at this switch, add an unknown c with c' = 0, let an "
             "event change c, and write 'if c > 0.5' in place of the condition";
    return "this is an impasse or a singular point of the system";
  case RITTI_NO_TOPS:
    ritti_text_add(
        text, "the equations for the unknowns that are not integrated have no solution beyond ");
    add_point(d, d->step.z, text);
    return "two solutions of these equations meet here (a fold); 'kind general' follows the solution over "
           "its length";
  case RITTI_FOLD_ON_WAY:
    ritti_text_add(
        text,
        "the equations for the unknowns that are not integrated change, and their solution "
        "meets a fold at %.3g of the way from the old ones to the new ones, near ",
        (double)D->fold);
    add_point(d, d->step.z, text);
    return "the solution near the old one ends there; write 'singular jump' to let it jump to another "
           "one, as a Schmitt trigger does";
  case RITTI_DEPENDENT_ROWS:
    ritti_text_add(text, "the constraints become dependent near ");
    add_point(d, d->step.z, text);
    return "this is a singular position of the constraints; 'branch through start' passes it if they "
           "split into branches";
  case RITTI_NO_CONVERGENCE:
    ritti_text_add(text, "no point that satisfies the constraints was found near ");
    add_point(d, d->step.z, text);
    return "the constraints may have no solution beyond this point";
  case RITTI_NO_STAGES:
    ritti_text_add(text, "Newton's method found no stages for steps above %.1e near ",
                   (double)RITTI_MATH(fabs)(d->next.h));
    add_point(d, d->step.z, text);
    return "the solution may have a singularity here; if not, try another tolerance or an explicit method";
  case RITTI_TURNED_BACK:
    ritti_text_add(text, "the direction of the solution turns back, however short the step, near ");
    add_point(d, d->step.z, text);
    return "the formulas of the highest derivatives have a pole there; an equation without the division may "
           "have a solution that goes on";
  case RITTI_NO_TROUBLE: break;
  }
  double h = (double)RITTI_MATH(fabs)(d->next.h);
  if (d->options.constant_step != 0) {
    ritti_text_add(text, "%s is hardly changed by a step of %.1e", name_of(d, 0), h);
    return "use longer steps";
  }
  if (d->count.accepted == 0 && d->count.rejected == 0) {
    ritti_text_add(text, "the first step, %.1e, is too small for a run of length %.1e", h,
                   (double)d->length);
    return "end the run earlier, or look for numbers of the model that are far too large";
  }
  ritti_text_add(text, "the tolerance asks for steps below %.1e near ", h);
  add_point(d, d->step.z, text);
  return "the solution may have a singularity here; if not, try a larger tolerance";
}

bool ritti_leave_implicit(ritti_driver *d) {
  if (d->problem->kind != RITT_IMPLICIT) return false;
  d->need = RITTI_NEED_COMPLETION;
  d->renewal = RITTI_LEAVE_IMPLICIT;
  return true;
}

ritt_status ritti_stop_trouble(ritti_driver *d) {
  char buffer[LONGEST];
  if (ritti_crossing_here(d)) return ritti_stop_rank(d);
  if (ritti_singular_within(d, d->step.z, (ritt_real)1e-4)) return ritti_singular_watch_stop(d);
  ritti_text text = RITTI_TEXT_IN(buffer);
  const char *hint = add_trouble(d, &text);
  return stop_with_message(d, buffer, hint);
}

ritt_status ritti_stop(ritti_driver *d, ritt_status status) {
  return status == RITT_RETRY ? ritti_stop_trouble(d) : status;
}

ritt_status ritti_stop_steps(ritti_driver *d, ritt_real end) {
  char text[LONGEST];
  ritti_format(text, sizeof text, "the limit of %ld steps is reached before %.12g",
               d->options.max_steps, (double)end);
  const char *hint = ritti_stiff(d->stiffness.limited, d->count.accepted)
                         ? "the steps are limited by stability, not by accuracy; use method radau5"
                         : "run it again with a larger --max-steps or a larger tolerance";
  return stop_with_message(d, text, hint);
}

ritt_status ritti_stop_kink(ritti_driver *d, int surface, ritt_real s) {
  if (ritti_leave_implicit(d)) return RITT_STOPPED;
  const ritti_problem *p = d->problem;
  const char *name = p->name.monitor ? p->name.monitor(p->data, p->events + surface) : NULL;
  return ritti_fail(
      d->error, RITT_STOPPED, NULL,
      d->options.by_arc ? "write 'solve' over the independent variable: only there a run can slide"
                        : "Ritt slides on up to 8 surfaces at once",
      "both sides of %s lead back to it at %s = %.12g: the run would have to slide there",
      name ? name : "a surface", d->options.by_arc ? "arc" : name_of(d, 0), (double)s);
}

ritt_status ritti_stop_chatter(ritti_driver *d, int surface) {
  if (ritti_leave_implicit(d)) return RITT_STOPPED;
  const ritti_problem *p = d->problem;
  const char *name = p->name.monitor ? p->name.monitor(p->data, p->events + surface) : NULL;
  char buffer[LONGEST];
  ritti_text point = RITTI_TEXT_IN(buffer);
  add_point(d, d->step.z, &point);
  return ritti_fail(
      d->error, RITT_STOPPED, NULL,
      "the equations may have no solution beyond this point; write them without poles there",
      "the run cannot leave the place where %s changes, near %s: both sides lead back to it",
      name ? name : "a surface", buffer);
}

ritt_status ritti_stop_sides(ritti_driver *d, int surface) {
  const ritti_problem *p = d->problem;
  const char *name = p->name.monitor && surface >= 0 ? p->name.monitor(p->data, p->events + surface)
                                                     : "the kinks of the equations";
  char buffer[LONGEST];
  ritti_text point = RITTI_TEXT_IN(buffer);
  add_point(d, d->step.z, &point);
  return ritti_fail(
      d->error, RITT_STOPPED, NULL,
      "as for Painleve's rod, rigid bodies with this friction do not slide there; make it smaller, or "
      "the contact elastic",
      "no side of %s agrees with the forces that belong to it, near %s", name, buffer);
}

ritt_status ritti_stop_slow_start(ritti_driver *d, int surface) {
  const ritti_problem *p = d->problem;
  const char *name = p->name.monitor ? p->name.monitor(p->data, p->events + surface) : NULL;
  return ritti_fail(d->error, RITT_STOPPED, NULL, "write 'method auto' or 'method radau5'",
                    "%s leaves 0 at %s = %.12g, because the forces exceed what keeps it there: the "
                    "equations are stiff then, and need an implicit method",
                    name ? name : "a velocity", name_of(d, 0), (double)d->step.z[0]);
}

static const char *event_name(const ritti_driver *d, int event) {
  const char *name = d->problem->event[event].name;
  return name ? name : "without a name";
}

ritt_status ritti_stop_coincidence(ritti_driver *d, int monitor) {
  const ritti_problem *p = d->problem;
  const char *name = p->name.monitor ? p->name.monitor(p->data, monitor) : NULL;
  char buffer[LONGEST];
  ritti_text point = RITTI_TEXT_IN(buffer);
  add_point(d, d->step.z_new, &point);
  for (int e = p->dmonitor.start[monitor]; e < p->dmonitor.start[monitor + 1]; e++)
    if (monitor >= p->events && p->dmonitor.col[e] >= p->m)
      return ritti_fail(
          d->error, RITT_STOPPED, NULL,
          "as for Painleve's rod, rigid bodies with this friction do not slide on from there; make it "
          "smaller, or the contact elastic",
          "the forces in %s grow without limit at %s", name ? name : "a kink", buffer);
  return ritti_fail(d->error, RITT_STOPPED, NULL,
                    "write 'solve arc = 0 .. L' to follow the curve by its length",
                    "the run met %s exactly where %s does not change along the solution, at %s",
                    name ? name : "a surface or an event", name_of(d, 0), buffer);
}

ritt_status ritti_stop_monitor(ritti_driver *d) {
  const ritti_problem *p = d->problem;
  const ritti_monitor_watch *w = &d->monitors;
  const char *name = NULL;
  char text[LONGEST];
  if (d->step.manifold->trouble || d->step.direction->trouble) return ritti_stop_trouble(d);
  /* the first that has none at the end of the step that was tried */
  bool known =
      p->call.monitor(p->data, d->work, d->step.z_new, d->step.top_new, w->value) == RITT_OK;
  for (int i = 0; i < p->events && !known && !name; i++)
    if (!(RITTI_MATH(fabs)(w->value[i]) < INFINITY)) name = event_name(d, i);
  ritti_format(text, sizeof text, "%s%s%s has no value just beyond",
               name ? "the event '" : "an event or a switch", name ? name : "", name ? "'" : "");
  return stop_with_message(d, text, "write it so that it has a value wherever the run may go");
}

ritt_status ritti_stop_jump(ritti_driver *d, int event) {
  return ritti_fail(
      d->error, RITT_STOPPED, NULL, "assign fewer variables, or values that fit the constraints",
      "the jump of event '%s' at %s = %.12g leads to no point that satisfies the constraints",
      event_name(d, event), name_of(d, 0), (double)d->step.z[0]);
}

ritt_status ritti_stop_velocities(ritti_driver *d, int event) {
  return ritti_fail(
      d->error, RITT_STOPPED, NULL, "assign them in the event",
      "the velocities after event '%s' at %s = %.12g do not follow from the equations",
      event_name(d, event), name_of(d, 0), (double)d->step.z[0]);
}

ritt_status ritti_stop_switch(ritti_driver *d, int row, ritt_real amount) {
  const ritti_problem *p = d->problem;
  const char *name = p->name.row && row >= 0 ? p->name.row(p->data, row) : "a constraint";
  return ritti_fail(
      d->error, RITT_STOPPED, NULL,
      "positions do not jump by themselves; write an event that assigns the variables, or use a "
      "continuous motion",
      "%s jumps by %.6g at %s = %.12g, and no finite forces or impulses keep it", name,
      (double)amount, name_of(d, 0), (double)d->step.z[0]);
}

ritt_status ritti_stop_tangents(ritti_driver *d, int event) {
  if (event < 0)
    return ritti_fail(
        d->error, RITT_STOPPED, NULL, "end the run before this place, or leave the derivatives out",
        "the run begins to slide on a switching surface at %s = %.12g: derivatives of "
        "the solution are not known there",
        name_of(d, 0), (double)d->step.z[0]);
  return ritti_fail(d->error, RITT_STOPPED, NULL,
                    "assign values that satisfy the constraints, or leave them out",
                    "the constraints change what the event '%s' assigns at %s = %.12g: derivatives "
                    "of the solution are not known after it",
                    event_name(d, event), name_of(d, 0), (double)d->step.z[0]);
}

ritt_status ritti_stop_derivatives(ritti_driver *d, bool stiff) {
  return ritti_fail(
      d->error, RITT_STOPPED, NULL,
      "write 'tangents controlled', which makes them unknowns of the system",
      "derivatives of the solution cannot be computed along with the run beyond %s = %.12g%s",
      name_of(d, 0), (double)d->step.z[0],
      stiff ? ": the system is stiff from there on, and explicit steps make them wrong" : "");
}

ritt_status ritti_stop_touch(ritti_driver *d, int event, ritt_real s) {
  return ritti_fail(
      d->error, RITT_STOPPED, NULL, "end the run before this place, or leave the derivatives out",
      "the solution only touches the event '%s' near %s = %.12g: it has no derivatives "
      "after it",
      event_name(d, event), name_of(d, 0), (double)s);
}

ritt_status ritti_stop_invariant(ritti_driver *d, int row, ritt_real rate) {
  const ritti_problem *p = d->problem;
  int surface = d->monitors.entered;
  const char *name = p->name.row ? p->name.row(p->data, row) : NULL;
  const char *condition =
      p->name.condition && surface >= 0 ? p->name.condition(p->data, surface) : NULL;
  char side[LONGEST] = "at this point";
  ritt_real value = surface >= 0 ? d->work[p->side_at + (size_t)surface] : 0;
  if (condition) {
    const char *sign = value == 1 ? "> 0" : value == -1 ? "< 0" : "= 0";
    ritti_format(side, sizeof side, "where %s %s", condition, sign);
  }
  return ritti_fail(
      d->error, RITT_STOPPED, NULL,
      "leave the invariant out, or write 'invariant projected ...' to force it, which solves another "
      "system to order 1",
      "%s does not hold %s: its derivative is %.6g at %s = %.12g", name ? name : "an invariant",
      side, (double)rate, name_of(d, 0), (double)d->step.z[0]);
}

ritt_status ritti_stop_accumulation(ritti_driver *d, int event, ritt_real limit) {
  return ritti_fail(
      d->error, RITT_STOPPED, NULL,
      "Ritt continues at rest if the jump only reverses a speed, and no constraint or algebraic unknown "
      "depends on it; otherwise "
      "start a new run there, with the equations that hold from then on",
      "the event '%s' comes ever faster (%ld times up to %s = %.12g): its times accumulate at %.12g",
      event_name(d, event), d->monitors.times[event], name_of(d, 0), (double)d->step.z[0],
      (double)limit);
}

ritt_status ritti_stop_fold(ritti_driver *d, const ritt_special *special) {
  const char *hint =
      !ritti_can_leap(d->problem) ? "write 'solve arc = 0 .. L' to follow the curve round the fold"
      : d->options.leap
          ? "no other solution was found there for the algebraic unknowns"
          : "the algebraic unknowns have no solution nearby beyond this point; write 'singular jump' to let them jump "
            "to another one, as a Schmitt trigger does, or 'solve arc = 0 .. L' to follow the curve";
  return ritti_fail(
      d->error, RITT_STOPPED, NULL, hint,
      "the run stopped at a fold: beyond %s the solution turns back in %s (arc length %.9g from the "
      "start)",
      special->point, name_of(d, 0), special->arc);
}

/* Constant steps have gone over it, so it is known as well as the step is short. */
ritt_status ritti_stop_over_fold(ritti_driver *d, const ritt_special *special) {
  return ritti_fail(
      d->error, RITT_STOPPED, NULL,
      "leave the constant steps out to locate the fold, or write 'solve arc = 0 .. L' to follow "
      "the curve round it",
      "the run stopped near %s: its constant steps have gone over a fold, where the solution "
      "turns back in %s, and the last rows may lie beyond it",
      special->point, name_of(d, 0));
}

ritt_status ritti_stop_growth(ritti_driver *d) {
  const ritt_real *z = d->step.z;
  int largest = 0;
  for (int i = 1; i < d->problem->m; i++)
    if (largest == 0 || RITTI_MATH(fabs)(z[i]) > RITTI_MATH(fabs)(z[largest])) largest = i;
  return ritti_fail(d->error, RITT_STOPPED, NULL, "the solution ends at this point",
                    "the run stopped at %s = %.12g: %s grows without bound (it is %.3g there)",
                    name_of(d, 0), (double)z[0], name_of(d, largest), (double)z[largest]);
}

static void add_numbers(const ritt_special *special, ritti_text *out) {
  for (int i = 0; i < special->sigmas; i++)
    ritti_text_add(out, "%s%.3g", i ? ", " : "singular values ", special->sigma[i]);
  if (!(fabs(special->eigenvalue[0][0]) < INFINITY)) return;
  const double(*e)[2] = special->eigenvalue;
  if (e[0][1] != 0) ritti_text_add(out, "; eigenvalues %.6g +- %.6g i", e[0][0], e[0][1]);
  else ritti_text_add(out, "; eigenvalues %.6g, %.6g", e[0][0], e[1][0]);
}

ritt_status ritti_stop_singular(ritti_driver *d, const ritt_special *special, const char *hint) {
  char buffer[LONGEST];
  ritti_text numbers = RITTI_TEXT_IN(buffer);
  buffer[0] = '\0';
  add_numbers(special, &numbers);
  return ritti_fail(
      d->error, RITT_STOPPED, NULL, hint,
      "the run stopped at %s = %.12g, arc length %.9g, a %s: the equations do not determine the direction "
      "at %s%s%s%s",
      name_of(d, 0), special->x, special->arc, special->kind, special->point, *buffer ? " (" : "",
      buffer, *buffer ? ")" : "");
}

ritt_status ritti_stop_crossing(ritti_driver *d, const ritt_special *special) {
  return ritti_fail(
      d->error, RITT_STOPPED, NULL, "leave out 'singular stop' to continue on the same branch",
      "the run stopped at %s = %.12g, arc length %.9g, a %s of the constraints: they lose rank at %s",
      name_of(d, 0), special->x, special->arc, special->kind, special->point);
}

ritt_status ritti_stop_rank(ritti_driver *d) {
  const ritti_crossing *at = &d->crossing.at;
  char buffer[LONGEST], text[2 * LONGEST];
  ritti_text point = RITTI_TEXT_IN(buffer);
  add_point(d, at->z, &point);
  if (at->miss > 0) {
    ritti_format(
        text, sizeof text,
        "branches of the constraints pass each other at a distance of about %.1g near %s, too close "
        "to be distinguished in this precision",
        (double)at->miss, buffer);
    return stop_with_message(
        d, text,
        "'precision quad' resolves smaller distances; if the branches should cross, give the lengths "
        "exactly");
  }
  ritti_format(text, sizeof text,
               "the constraints lose rank at %s, a %s: no continuation was found", buffer,
               ritti_crossing_word(at->kind));
  return stop_with_message(
      d, text, "this is a singular position of the mechanism; to continue, start beyond it");
}

ritt_special *ritti_note_special(ritti_driver *d, const char *kind, bool passed, const ritt_real *z,
                                 ritt_real arc, const ritti_singular *at) {
  /* if the list is full the last entry is replaced */
  ritt_special *special =
      &d->count.special[d->count.specials < RITT_MOST_SPECIAL ? d->count.specials++
                                                              : RITT_MOST_SPECIAL - 1];
  *special = (ritt_special){
      .kind = kind, .passed = passed, .x = drop_roundoff(d, 0, z[0]), .arc = (double)arc};
  ritti_text point = RITTI_TEXT_IN(special->point);
  add_point(d, z, &point);
  special->sigmas = at ? at->sigmas : 0;
  for (int i = 0; i < special->sigmas; i++) special->sigma[i] = (double)at->sigma[i];
  for (int i = 0; i < 4; i++)
    special->eigenvalue[i / 2][i % 2] = at ? (double)at->eigenvalue[i / 2][i % 2] : NAN;
  return special;
}

ritt_status ritti_driver_explain(ritti_driver *d, ritt_error *error) {
  d->error = error;
  return ritti_stop_trouble(d);
}
