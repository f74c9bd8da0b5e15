/* Settings of a run: the model's solve section, the caller's options over it, and what is chosen
 * where both are silent. */
#include <math.h>
#include "complete/strong.h"
#include "pipeline.h"

static const double MOST_ROWS = 1e9;

/* The last setting of that name in the model, NULL: none. */
static const ritti_setting_def *find(const ritti_model *model, const char *name) {
  for (int i = model->settings - 1; i >= 0; i--)
    if (!strcmp(model->setting[i].name, name)) return &model->setting[i];
  return NULL;
}

/* A word: the option if given, else the model's, else NULL. *place is the model's place where it
 * comes from there. */
static const char *word_of(const ritti_model *model, const char *name, const char *option,
                           const ritti_place **place) {
  const ritti_setting_def *def = find(model, name);
  *place = NULL;
  if (option) return option;
  if (def) *place = &def->place;
  return def ? def->word : NULL;
}

/* Which of the words it is, -1: none of them (an error with the choices as hint). */
static ritt_status choose(const char *word, const char *const *words, size_t count,
                          const char *name, const ritti_place *place, ritt_error *error, int *out) {
  ritti_text hint = {0};
  for (size_t i = 0; i < count; i++)
    if (!strcmp(word, words[i])) {
      *out = (int)i;
      return RITT_OK;
    }
  ritti_text_add(&hint, "choose one of:");
  for (size_t i = 0; i < count; i++) ritti_text_add(&hint, " %s", words[i]);
  ritt_status status = ritti_fail(error, place ? RITT_WRONG_MODEL : RITT_WRONG_CALL, place, hint.at,
                                  "there is no %s '%s'", name, word);
  ritti_text_free(&hint);
  return status;
}

unsigned ritti_method_wants(const ritti_tableau *method) {
  if (!method) return 0;
  if (method->family == RITTI_IMPLICIT) return RITTI_WANTS_SYSTEM_DZ | RITTI_WANTS_STRONG;
  return method->family == RITTI_COVARIANT && method->order > 2 ? RITTI_WANTS_SECOND : 0;
}

unsigned ritti_model_wants(const ritti_model *model) {
  const ritti_setting_def *def = find(model, "method");
  bool strong = model->strong_potential != RITTI_NIL && !model->vibrations;
  const char *name = def ? def->word : strong ? RITTI_STIFF_METHOD : NULL;
  return name ? ritti_method_wants(ritti_method_find(name)) : 0;
}

/* "choose one of: euler ... taylor:2 .. taylor:30": orders of one family that are many as a range
 */
static void list_methods(ritti_text *out) {
  enum { MANY = 8 };
  ritti_text_add(out, "choose one of:");
  for (size_t i = 0, next; ritti_method_get(i); i = next) {
    const char *name = ritti_method_get(i)->name;
    size_t stem = strcspn(name, ":");
    for (next = i + 1; ritti_method_get(next); next++) {
      const char *other = ritti_method_get(next)->name;
      if (!name[stem] || strncmp(other, name, stem + 1)) break;
    }
    if (next - i < MANY) next = i + 1;
    ritti_text_add(out, " %s", name);
    if (next > i + 1) ritti_text_add(out, " .. %s", ritti_method_get(next - 1)->name);
  }
}

/* Why a method cannot serve a problem, in words, and what to do; NULL: it can. */
static const char *method_misfit(const ritti_problem *p, const ritti_tableau *t,
                                 const char **remedy) {
  bool taylor = t->family == RITTI_TAYLOR || t->family == RITTI_COVARIANT;
  *remedy = t->order < 2 ? "take euler" : t->order < 6 ? "take dopri54" : "take dop853";
  if (taylor && !p->series)
    return "the equations are given by functions, and it needs them as formulas";
  return NULL;
}

/* The tolerance of all variables. */
static double tolerance_of(const ritti_model *model, const ritt_options *o) {
  const ritti_setting_def *def = find(model, "tolerance");
  return o->tolerance > 0 ? o->tolerance : def ? def->number : 1e-8;
}

/* What `auto` begins with: the explicit method that needs the fewest evaluations for the error that
 * one gets (bench/work_precision). */
static const char *method_for(double tolerance) {
  return tolerance > 3e-6 ? "dopri54" : tolerance > 1e-11 ? "dop853" : "vern98";
}

/* The method of that name, or of the file of that name; *out NULL: there is none. */
static ritt_status find_method(const ritti_model *model, const char *name, bool of_model,
                               ritti_arena *arena, ritt_error *error, const ritti_tableau **out) {
  const ritti_setting_def *def = find(model, "method");
  ritti_tableau *read;
  *out = NULL;
  if (of_model && def->text) {
    RITT_TRY(ritti_tableau_read(def->text, def->word, arena, error, &read));
    *out = read;
    return RITT_OK;
  }
  *out = ritti_method_find(name);
  if (*out || of_model || !ritti_names_file(name)) return RITT_OK;
  RITT_TRY(ritti_tableau_read_file(name, arena, error, &read));
  *out = read;
  return RITT_OK;
}

/* Does the run pass over the vibrations of a strong potential? */
static bool is_strong(const ritti_prepared *M, const ritti_tableau *t) {
  return M->reduced && M->reduced->strong && (!t || t->family == RITTI_IMPLICIT);
}

/* A method for a model with a strong potential: an implicit one must damp vibrations, an explicit
 * one follows them. */
static ritt_status check_strong(const ritti_prepared *M, const ritti_tableau *t,
                                const ritti_place *place, ritt_error *error) {
  ritt_status wrong = place ? RITT_WRONG_MODEL : RITT_WRONG_CALL;
  char why[200] = "";
  if (is_strong(M, t) && !ritti_strong_fits(t, why, sizeof why))
    return ritti_fail(error, wrong, place, "take radau5, or write 'follow vibrations' below solve",
                      "the method %s does not fit a strong potential: %s", t->name, why);
  if (is_strong(M, t) && M->problem->m != 1 + 2 * M->reduced->strong->n)
    return ritti_fail(
        error, RITT_WRONG_MODEL, NULL, "leave them out, or write 'follow vibrations' below solve",
        "the model asks for derivatives beyond the accelerations, which smooth motion does not have");
  if (is_strong(M, t) && M->problem->k > 0)
    return ritti_fail(error, RITT_WRONG_MODEL, &M->model->invariant[0].place,
                      "leave them out, or write 'follow vibrations' below solve",
                      "steps over the vibrations of a strong potential do not keep invariants");
  if (is_strong(M, NULL) && !is_strong(M, t) && M->model->limit)
    return ritti_fail(error, wrong, place, "take radau5, or write 'limit projected'",
                      "the method %s is explicit, and 'limit index3' needs an implicit one",
                      t->name);
  return RITT_OK;
}

static ritt_status choose_method(const ritti_prepared *M, const ritt_options *o, ritti_arena *arena,
                                 ritt_error *error, ritti_run_settings *S) {
  const ritti_place *place;
  const char *name = word_of(M->model, "method", o->method, &place), *remedy;
  ritt_status wrong = place ? RITT_WRONG_MODEL : RITT_WRONG_CALL;
  S->solve.automatic = name && !strcmp(name, "auto");
  bool automatic = S->solve.automatic;
  if (is_strong(M, NULL) && (!name || automatic))
    name = RITTI_STIFF_METHOD, S->solve.automatic = false;
  else if (automatic) name = method_for(tolerance_of(M->model, o));
  RITT_TRY(find_method(M->model, name ? name : "dopri54", place != NULL && !automatic, arena, error,
                       &S->solve.tableau));
  const ritti_tableau *t = S->solve.tableau;
  if (!t) {
    ritti_text hint = {0};
    list_methods(&hint);
    ritt_status status = ritti_fail(error, wrong, place, hint.at, "there is no method '%s'", name);
    ritti_text_free(&hint);
    return status;
  }
  const char *reason = method_misfit(M->problem, t, &remedy);
  if (reason)
    return ritti_fail(error, wrong, place, remedy, "the method %s does not fit this system: %s",
                      t->name, reason);
  return check_strong(M, t, place, error);
}

/* How the stages of steps over vibrations are found. */
static ritt_status choose_newton(const ritti_prepared *M, ritt_error *error,
                                 ritti_run_settings *S) {
  static const char *const words[] = {
#define X(id, word) word,
      RITTI_STRONG_NEWTONS(X)
#undef X
  };
  const ritti_place *place;
  int which;
  const char *word = word_of(M->model, "newton", NULL, &place);
  RITT_TRY(choose(word ? word : words[0], words, sizeof words / sizeof *words, "Newton's method",
                  place, error, &which));
  S->solve.newton = (ritti_strong_newton)which;
  return RITT_OK;
}

/* A number: the option if given, else the model's, else 0. */
static double number_of(const ritti_model *model, const char *name, double option) {
  const ritti_setting_def *def = find(model, name);
  return option > 0 ? option : def ? def->number : 0;
}

/* Methods without an estimate of their error get one by step doubling. */
static ritt_status choose_control(const ritti_model *model, const ritt_options *o,
                                  ritt_error *error, ritti_run_settings *S) {
  static const char *const words[] = {
#define X(id, word) word,
      RITTI_CONTROLS(X)
#undef X
  };
  static const char *const norms[] = {"plain", "scaled"};
  const ritti_place *place;
  int which;
  const char *word = word_of(model, "control", o->control, &place);
  const char *usual = S->solve.tableau->family == RITTI_IMPLICIT ? "predictive" : "embedded";
  RITT_TRY(choose(word ? word : usual, words, sizeof words / sizeof *words, "step control", place,
                  error, &which));
  S->solve.control = (ritti_control)which;
  S->solve.doubled = S->solve.constant_step == 0 && (S->solve.control == RITTI_CONTROL_DOUBLING ||
                                                     S->solve.tableau->embedded == 0);
  word = word_of(model, "norm", o->norm, &place);
  RITT_TRY(choose(word ? word : "plain", norms, 2, "norm", place, error, &which));
  S->solve.scaled = which == 1;
  S->solve.fac = number_of(model, "fac", o->fac);
  S->solve.facmin = number_of(model, "facmin", o->facmin);
  S->solve.facmax = number_of(model, "facmax", o->facmax);
  if (!(o->fac >= 0 && o->fac < 1 && o->facmin >= 0 && o->facmin < 1 &&
        (o->facmax == 0 || o->facmax > 1)))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "take fac 0.9, facmin 0.2, facmax 6 or so",
                      "fac and facmin must lie between 0 and 1, and facmax beyond 1");
  return RITT_OK;
}

static ritt_status choose_projection(const ritti_prepared *M, const ritt_options *o,
                                     ritt_error *error, ritti_run_settings *S) {
  static const char *const variants[] = {
#define X(id, word) word,
      RITTI_PROJECTIONS(X)
#undef X
  };
  static const char *const what[] = {"end", "stages"}, *const metrics[] = {"euclidean", "weighted"};
  static const char *const switches[] = {"off", "on"};
  const ritti_place *place;
  int which;
  bool sequential =
      M->problem->kind == RITT_HOLONOMIC && M->problem->k == 2 * M->problem->constraints;
  const char *word = word_of(M->model, "projection", o->projection, &place);
  /* the papers' Taylor methods count on the orthogonal one */
  bool orthogonal = S->solve.tableau->family == RITTI_COVARIANT && S->solve.tableau->order > 1;
  RITT_TRY(choose(word                        ? word
                  : sequential && !orthogonal ? "sequential"
                                              : "gauss",
                  variants, sizeof variants / sizeof *variants, "projection", place, error,
                  &which));
  S->solve.projection = (ritti_projection)which;
  ritt_status wrong = place ? RITT_WRONG_MODEL : RITT_WRONG_CALL;
  if (S->solve.projection == RITTI_PROJECT_SEQUENTIAL && !sequential)
    return ritti_fail(
        error, wrong, place, "take projection gauss",
        "projection sequential needs mechanics with position constraints and no further invariants");
  if (S->solve.projection == RITTI_PROJECT_SEQUENTIAL && orthogonal)
    return ritti_fail(
        error, wrong, place, "take projection gauss, or a method taylor:k",
        "projection sequential is not orthogonal, and the method %s needs one that is",
        S->solve.tableau->name);
  if (S->solve.projection == RITTI_PROJECT_BLOCKS && M->problem->kind != RITT_HOLONOMIC)
    return ritti_fail(error, wrong, place, "take projection newton",
                      "projection blocks needs mechanics with position constraints");
  bool second =
      S->solve.projection != RITTI_PROJECT_GAUSS && S->solve.projection != RITTI_PROJECT_SEQUENTIAL;
  if (second && M->problem->k && !M->problem->d2f_mu)
    return ritti_fail(
        error, wrong, place, "write that projection below solve in the model, or take gauss",
        "projection %s needs second derivatives, which a system of %d coordinates has only where "
        "its model asks for them",
        word, M->problem->m);
  word = word_of(M->model, "predictor", o->predictor, &place);
  bool chord = S->solve.projection == RITTI_PROJECT_CHORD;
  RITT_TRY(choose(word    ? word
                  : chord ? "on"
                          : "off",
                  switches, 2, "predictor", place, error, &which));
  S->solve.predict = which == 1;
  if (S->solve.predict && S->solve.projection == RITTI_PROJECT_SEQUENTIAL)
    return ritti_fail(error, place ? RITT_WRONG_MODEL : RITT_WRONG_CALL, place,
                      "take projection gauss, or predictor off",
                      "the predictor is not for projection sequential");
  word = word_of(M->model, "project", o->project, &place);
  /* the rows alone determine the direction only on the manifold */
  bool on_manifold = M->problem->own_line && !M->problem->system;
  RITT_TRY(choose(word          ? word
                  : on_manifold ? "stages"
                                : "end",
                  what, 2, "project", place, error, &which));
  S->solve.project_stages = which == 1;
  word = word_of(M->model, "metric", o->metric, &place);
  bool scales = false;
  for (int j = 0; j < M->model->variables; j++) scales = scales || M->model->variable[j].scale > 0;
  RITT_TRY(choose(word     ? word
                  : scales ? "weighted"
                           : "euclidean",
                  metrics, 2, "metric", place, error, &which));
  S->solve.weighted = which == 1;
  return RITT_OK;
}

const char *ritti_kind_word(const char *word, ritt_error *error) {
  static const char *const words[] = {"auto",
#define X(name, word) word,
                                      RITT_KINDS(X)
#undef X
  };
  int which;
  if (choose(word, words, sizeof words / sizeof *words, "kind", NULL, error, &which) != RITT_OK)
    return NULL;
  return words[which];
}

static ritt_status choose_singular(const ritti_prepared *M, const ritt_options *o,
                                   ritt_error *error, ritti_run_settings *S) {
  static const char *const words[] = {"stop", "through"};
  const ritti_place *place;
  int which;
  const char *word = word_of(M->model, "singular", o->singular, &place);
  RITT_TRY(
      choose(word ? word : "stop", words, 2, "treatment of singular points", place, error, &which));
  S->solve.through = which == 1;
  S->solve.hold = word && which == 0;
  return RITT_OK;
}

static ritt_status choose_direction(const ritti_prepared *M, const ritt_options *o,
                                    ritt_error *error, ritti_run_settings *S) {
  static const char *const variants[] = {
#define X(id, word) word,
      RITTI_DIRECTIONS(X)
#undef X
  };
  const ritti_place *place;
  int which;
  const char *word = word_of(M->model, "direction", o->direction, &place);
  RITT_TRY(choose(word ? word : "auto", variants, sizeof variants / sizeof *variants, "direction",
                  place, error, &which));
  S->solve.direction = (ritti_direct)which;
  const char *reason = ritti_direction_misfit(M->problem, S->solve.direction);
  if (reason)
    return ritti_fail(error, place ? RITT_WRONG_MODEL : RITT_WRONG_CALL, place,
                      M->problem->kind == RITT_EXPLICIT
                          ? "take direction auto, or ask for 'kind graph' too"
                          : "take direction auto",
                      "the direction '%s' does not fit this system: %s", word, reason);
  return RITT_OK;
}

static ritt_status choose_linear(const ritti_model *model, const ritt_options *o, ritt_error *error,
                                 ritti_run_settings *S) {
  static const char *const words[] = {
#define X(id, word) word,
      RITTI_ALGEBRAS(X)
#undef X
  };
  const ritti_place *place;
  int which;
  const char *word = word_of(model, "linear", o->linear, &place);
  RITT_TRY(choose(word ? word : "auto", words, sizeof words / sizeof *words, "linear algebra",
                  place, error, &which));
  S->solve.linear = (ritti_algebra)which;
  return RITT_OK;
}

/* Relative and absolute tolerance and declared scale of every coordinate. */
static ritt_status set_tolerances(const ritti_prepared *M, const ritt_options *o,
                                  ritti_arena *arena, ritt_error *error, ritti_run_settings *S) {
  const ritti_model *model = M->model;
  const ritti_setting_def *abs = find(model, "absolute");
  ritt_real *relative, *absolute, *scale;
  int m = M->problem->m;
  RITTI_NEW(relative, arena, m);
  RITTI_NEW(absolute, arena, m);
  RITTI_NEW(scale, arena, m);
  if (o->tolerance > 1)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "take a tolerance between 1e-300 and 1",
                      "the tolerance %g is too large", o->tolerance);
  double all = S->tolerance = tolerance_of(model, o);
  const ritti_setting_def *written = o->tolerance > 0 ? NULL : find(model, "tolerance");
  if (all < 2 * RITTI_EPS && S->solve.constant_step == 0)
    return ritti_fail(
        error, written ? RITT_WRONG_MODEL : RITT_WRONG_CALL, written ? &written->place : NULL,
        sizeof(ritt_real) == sizeof(double) ? "take 1e-15 or more, or 'precision quad'"
                                            : "take 1e-33 or more",
        "the tolerance %g is finer than the numbers, which are rounded to %.1e", all,
        (double)RITTI_EPS);
  for (int i = 0; i < m; i++) {
    const ritti_variable_def *v =
        i && M->reduced
            ? &M->reduced->model->variable[ritti_index_of(model->dag, M->reduced->coordinate[i])]
            : NULL;
    relative[i] = v && v->tolerance > 0 && !(o->tolerance > 0) ? v->tolerance : all;
    scale[i] = v ? v->scale : 0;
    absolute[i] = o->absolute > 0        ? o->absolute
                  : v && v->absolute > 0 ? v->absolute
                  : abs                  ? abs->number
                  : scale[i] > 0         ? relative[i] * scale[i]
                                         : relative[i];
  }
  S->solve.relative = relative;
  S->solve.absolute = absolute;
  S->solve.scale = scale;
  return RITT_OK;
}

static ritt_status set_end(const ritti_prepared *M, const ritt_options *o, ritt_error *error,
                           ritti_run_settings *S) {
  const ritti_model *model = M->model;
  static const char *const over[] = {"x", "arc"};
  int which = model->run == RITTI_RUN_ARC;
  if (o->over) RITT_TRY(choose(o->over, over, 2, "variable to run over", NULL, error, &which));
  if (which != (model->run == RITTI_RUN_ARC) && model->name)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "change the solve section of the model",
                      "the model runs over %s, not over %s", over[!which], over[which]);
  S->solve.by_arc = which == 1;
  if (S->solve.by_arc && is_strong(M, S->solve.tableau))
    return ritti_fail(
        error, RITT_WRONG_MODEL, &model->solve_place,
        "write 'solve t = 0 .. 1', or 'follow vibrations' below solve",
        "smooth motion is followed over the independent variable, not over arc length");
  S->end = o->to == o->to ? o->to : model->run == RITTI_RUN_NONE ? NAN : model->run_end;
  if (fabs(S->end) == INFINITY)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "the end of the run is not finite");
  return RITT_OK;
}

ritt_status ritti_precision(const ritti_model *model, const ritt_options *o, ritt_error *error,
                            bool *quad) {
  static const char *const words[] = {"double", "quad"};
  const ritti_place *place;
  int which;
  const char *word = word_of(model, "precision", o ? o->precision : NULL, &place);
  RITT_TRY(choose(word ? word : "double", words, 2, "precision", place, error, &which));
  *quad = which == 1;
  if (*quad && !RITTI_HAS_QUAD)
    return ritti_fail(error, place ? RITT_WRONG_MODEL : RITT_WRONG_CALL, place,
                      "leave 'precision quad' out: double is the default",
                      "this build of Ritt has no quadruple precision, since its compiler has no "
                      "real type of 128 bits");
  return RITT_OK;
}

/* The values at which rows are wanted, as reals. */
static ritt_status set_at(const ritt_options *o, ritti_arena *arena, ritti_run_settings *S) {
  ritt_real *at;
  if (!o->at) return RITT_OK;
  RITTI_NEW(at, arena, o->at_count + 1);
  for (size_t i = 0; i < o->at_count; i++) at[i] = o->at[i];
  S->rows.at = at, S->rows.count = (long)o->at_count;
  return RITT_OK;
}

static ritt_status set_rows(const ritti_model *model, const ritt_options *o, ritt_error *error,
                            ritti_run_settings *S) {
  const ritti_setting_def *rows = find(model, "rows");
  S->rows = (ritti_rows){.points = o->points, .step = o->row_step, .every = o->every};
  int ways = (o->points != 0) + (o->row_step != 0) + (o->every != 0) + (o->at != NULL);
  if (ways > 1)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "ask for rows in one way",
                      "points, row_step, every and at exclude each other");
  if (ways == 0 && rows) {
    if (rows->word) S->rows.step = rows->number;
    else S->rows.points = (long)rows->number;
  }
  if (S->rows.step > 0 &&
      fabs(S->end - (S->solve.by_arc ? 0 : model->start_x)) > MOST_ROWS * S->rows.step)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "ask for rows further apart",
                      "rows %g apart are more than %g rows", (double)S->rows.step, MOST_ROWS);
  return RITT_OK;
}

ritt_status ritti_settings_make(const ritti_prepared *M, const ritt_options *options,
                                ritti_arena *arena, ritt_error *error, ritti_run_settings *out) {
  ritt_options none = ritt_options_default();
  const ritt_options *o = options ? options : &none;
  const ritti_setting_def *steps = find(M->model, "steps");
  bool first = steps && !strcmp(steps->word, "first");
  *out = (ritti_run_settings){0};
  RITT_TRY(ritti_options_check(o, error));
  out->solve.constant_step = o->constant_step > 0 ? o->constant_step
                             : steps && !first    ? steps->number
                                                  : 0;
  out->solve.first_step = o->first_step > 0 ? o->first_step : first ? steps->number : 0;
  out->solve.max_steps = o->max_steps;
  RITT_TRY(choose_method(M, o, arena, error, out));
  RITT_TRY(choose_newton(M, error, out));
  RITT_TRY(choose_control(M->model, o, error, out));
  RITT_TRY(choose_projection(M, o, error, out));
  RITT_TRY(choose_direction(M, o, error, out));
  RITT_TRY(choose_linear(M->model, o, error, out));
  RITT_TRY(choose_singular(M, o, error, out));
  RITT_TRY(set_tolerances(M, o, arena, error, out));
  RITT_TRY(set_end(M, o, error, out));
  RITT_TRY(set_rows(M->model, o, error, out));
  return set_at(o, arena, out);
}
