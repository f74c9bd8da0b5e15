/* Settings of a run: the model's solve section, the caller's options over it, and what is chosen
 * where both are silent. */
#include <math.h>
#include "complete/strong.h"
#include "pipeline.h"

static const double MOST_ROWS = RITT_MOST_COUNT;

/* The last setting of that name in the model, NULL: none. */
static const ritti_setting_def *find_setting(const ritti_model *model, const char *name) {
  for (int i = model->settings - 1; i >= 0; i--)
    if (!strcmp(model->setting[i].name, name)) return &model->setting[i];
  return NULL;
}

/* A word: the option if given, else the model's, else NULL. *place is the model's place where it
 * comes from there. */
static const char *word_of(const ritti_model *model, const char *name, const char *option,
                           const ritti_place **place) {
  const ritti_setting_def *def = find_setting(model, name);
  *place = NULL;
  if (option) return option;
  if (def) *place = &def->place;
  return def ? def->word : NULL;
}

/* A word of src/options.def that was chosen. */
typedef struct choice {
  const char *word;
  int which;                /* its place among the words of the option */
  bool usual;               /* the default, not a choice of the user */
  const ritti_place *place; /* in the model; NULL: not from there */
  ritt_status wrong;        /* the status if it does not fit */
} choice;

/* The word of an option: the caller's, else the model's, else the usual one. A word that the option
 * does not have is an error with the choices as hint; what: the option in a sentence. */
static ritt_status choose_word(const ritti_model *model, const char *name, const char *option,
                               const char *usual, const char *what, ritt_error *error,
                               choice *out) {
  const char *const *words = ritti_option_words(name);
  *out = (choice){.place = NULL};
  out->word = model ? word_of(model, name, option, &out->place) : option;
  out->usual = !out->word;
  out->wrong = out->place ? RITT_WRONG_MODEL : RITT_WRONG_CALL;
  if (out->usual) out->word = usual;
  for (int i = 0; words[i]; i++)
    if (!strcmp(out->word, words[i])) {
      out->which = i;
      out->word = words[i];
      return RITT_OK;
    }
  ritti_text hint = {0};
  ritti_text_add(&hint, "choose one of:");
  for (int i = 0; words[i]; i++) ritti_text_add(&hint, " %s", words[i]);
  ritt_status status =
      ritti_fail(error, out->wrong, out->place, hint.at, "there is no %s '%s'", what, out->word);
  ritti_text_free(&hint);
  return status;
}

static bool is_word(const choice *c, const char *word) { return !strcmp(c->word, word); }

unsigned ritti_method_wants(const ritti_tableau *method) {
  if (!method) return 0;
  if (method->family == RITTI_IMPLICIT) return RITTI_WANTS_SYSTEM_DZ | RITTI_WANTS_STRONG;
  if (method->family == RITTI_ROSENBROCK) return RITTI_WANTS_SYSTEM_DZ;
  return method->family == RITTI_COVARIANT && method->order > 2 ? RITTI_WANTS_SECOND : 0;
}

unsigned ritti_model_wants(const ritti_model *model) {
  const ritti_setting_def *def = find_setting(model, "method");
  bool strong = model->strong_potential != RITTI_NIL && !model->vibrations;
  const char *name = def ? def->word : strong ? RITTI_STIFF_METHOD : NULL;
  return name ? ritti_method_wants(ritti_method_find(name)) : 0;
}

bool ritti_refuses_implicit(const ritti_model *model, const ritt_options *options) {
  const ritt_options none = {0}, *o = options ? options : &none;
  const ritti_place *place;
  const char *method = word_of(model, "method", o->method, &place);
  const char *direction = word_of(model, "direction", o->direction, &place);
  const char *singular = word_of(model, "singular", o->singular, &place);
  const ritti_tableau *t = method ? ritti_method_find(method) : NULL;
  bool arc = o->over ? !strcmp(o->over, "arc") : model->run == RITTI_RUN_ARC;
  bool series = t && (t->family == RITTI_TAYLOR || t->family == RITTI_COVARIANT);
  bool through = singular && !strcmp(singular, "through");
  return arc || series || through || (direction && strcmp(direction, "auto"));
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

/* Why a method cannot serve a problem or a precision, in words, and what to do; NULL: it can. */
static const char *method_misfit(const ritti_problem *p, const ritti_tableau *t,
                                 const char **remedy) {
  bool taylor = t->family == RITTI_TAYLOR || t->family == RITTI_COVARIANT;
  *remedy = t->order < 2 ? "use euler" : t->order < 6 ? "use dopri54" : "use dop853";
  if (taylor && p->kind == RITT_IMPLICIT) {
    *remedy = "write 'kind general' below solve, or use dopri54";
    return "it does not work for the implicit kind";
  }
  if (t->family == RITTI_ROSENBROCK && sizeof(ritt_real) > sizeof(double)) {
    *remedy = "use radau";
    return "its coefficients have 16 digits, and 'precision quad' needs more";
  }
  if (taylor && !p->call.series)
    return "the equations are given by functions, and it needs them as formulas";
  return NULL;
}

/* The tolerance of all variables. */
static double tolerance_of(const ritti_model *model, const ritt_options *o) {
  const ritti_setting_def *def = find_setting(model, "tolerance");
  return o->tolerance > 0 ? o->tolerance : def ? def->number : 1e-8;
}

/* What `auto` begins with: the explicit method that needs the fewest evaluations for the error that
 * one gets (bench/work_precision). With loose tolerances the long steps of dop853 miss what its
 * estimate does not see, such as the pulse of a diode. */
static const char *method_for(double tolerance) {
  return tolerance > 3e-7 ? "dopri54" : tolerance > 3e-13 ? "dop853" : "vern98";
}

/* With few digits a step without iterations is cheaper (bench/stiff). Problems of the implicit kind may
 * need stages of z and w together, which Rosenbrock methods do not have. */
const char *ritti_stiff_method(const ritti_prepared *M, const ritt_options *options) {
  static const double LOOSE = 3e-5;
  const ritti_place *place;
  const char *project = word_of(M->model, "project", options->project, &place);
  bool stages = project ? !strcmp(project, "stages") : M->problem->own_line;
  bool fits = M->problem->kind != RITT_IMPLICIT && !stages && sizeof(ritt_real) == sizeof(double);
  return fits && tolerance_of(M->model, options) > LOOSE ? "rodas5p" : RITTI_STIFF_METHOD;
}

/* Does `auto` follow the tolerance and stiffness? Constant steps have no tolerance; a control that is
 * asked for belongs to one method. */
static bool is_adaptive(const ritti_model *model, const ritt_options *o,
                        const ritti_run_settings *S) {
  return S->solve.constant_step == 0 && !o->control && !find_setting(model, "control");
}

/* The method of that name, or of the file of that name; *out NULL: there is none. */
static ritt_status find_method(const ritti_model *model, const char *name, bool of_model,
                               ritti_arena *arena, ritt_error *error, const ritti_tableau **out) {
  const ritti_setting_def *def = find_setting(model, "method");
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
  return M->reduced && M->reduced->strong && (!t || ritti_is_implicit(t));
}

/* A method for a model with a strong potential: an implicit one must damp vibrations, an explicit
 * one follows them. */
static ritt_status check_strong(const ritti_prepared *M, const ritti_tableau *t,
                                const ritti_place *place, ritt_error *error) {
  ritt_status wrong = place ? RITT_WRONG_MODEL : RITT_WRONG_CALL;
  char why[200] = "";
  if (is_strong(M, t) && !ritti_strong_fits(t, why, sizeof why))
    return ritti_fail(error, wrong, place, "use radau5, or write 'follow vibrations' below solve",
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
    return ritti_fail(error, wrong, place, "use radau5, or write 'limit projected'",
                      "the method %s is explicit, and 'limit index3' needs an implicit one",
                      t->name);
  return RITT_OK;
}

/* The method to take instead of one of another program; NULL: not known. */
static const char *foreign_method(const char *name) {
  static const struct {
    const char *name, *hint;
  } foreign[] = {
      {"ode45", "use dopri54"},
      {"RK45", "use dopri54"},
      {"rk45", "use dopri54"},
      {"dopri5", "use dopri54"},
      {"ode113", "use dop853"},
      {"ode78", "use dop853"},
      {"ode89", "use vern98"},
      {"ode15s", "use radau or auto"},
      {"ode15i", "use radau or auto"},
      {"ode23s", "use radau or auto"},
      {"ode23t", "use radau or auto"},
      {"ode23tb", "use radau or auto"},
      {"BDF", "use radau or auto"},
      {"bdf", "use radau or auto"},
      {"LSODA", "use auto"},
      {"lsoda", "use auto"},
      {"dassl", "use radau or auto"},
      {"ida", "use radau or auto"},
      {"IDA", "use radau or auto"},
      {"cvode", "use radau or auto"},
      {"CVODE", "use radau or auto"},
      {"Rodas5", "use radau or auto"},
      {"Rodas5P", "use radau or auto"},
      {"FBDF", "use radau or auto"},
  };
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (!strcmp(name, foreign[i].name)) return foreign[i].hint;
  return NULL;
}

static ritt_status choose_method(const ritti_prepared *M, const ritt_options *o, ritti_arena *arena,
                                 ritt_error *error, ritti_run_settings *S) {
  const ritti_place *place;
  const char *name = word_of(M->model, "method", o->method, &place), *remedy;
  ritt_status wrong = place ? RITT_WRONG_MODEL : RITT_WRONG_CALL;
  bool open = !name || !strcmp(name, "auto"), strong = is_strong(M, NULL);
  /* an implicit method would damp vibrations that are to be followed */
  S->solve.automatic = open && !strong && !M->model->vibrations && is_adaptive(M->model, o, S);
  if (S->solve.automatic) name = method_for(tolerance_of(M->model, o));
  else if (open) name = strong ? RITTI_STIFF_METHOD : "dopri54";
  RITT_TRY(find_method(M->model, name, place != NULL && !open, arena, error, &S->solve.tableau));
  const ritti_tableau *t = S->solve.tableau;
  if (!t) {
    ritti_text hint = {0};
    const char *similar = foreign_method(name);
    if (!similar) list_methods(&hint);
    ritt_status status = ritti_fail(error, wrong, place, similar ? similar : hint.at,
                                    "there is no method '%s'", name);
    ritti_text_free(&hint);
    return status;
  }
  const char *reason = method_misfit(M->problem, t, &remedy);
  if (reason)
    return ritti_fail(error, wrong, place, remedy, "the method %s does not fit this system: %s",
                      t->name, reason);
  return check_strong(M, t, place, error);
}

/* A number: the option if given, else the model's, else 0. */
static double number_of(const ritti_model *model, const char *name, double option) {
  const ritti_setting_def *def = find_setting(model, name);
  return option > 0 ? option : def ? def->number : 0;
}

/* How points are projected, if the system and the method allow it. */
static ritt_status choose_projection(const ritti_prepared *M, const ritt_options *o,
                                     ritt_error *error, ritti_run_settings *S) {
  const ritti_problem *p = M->problem;
  const ritti_tableau *t = S->solve.tableau;
  bool mechanics = p->kind == RITT_HOLONOMIC, bare = mechanics && p->k == 2 * p->constraints;
  /* the papers' Taylor methods count on the orthogonal one */
  bool orthogonal = t->family == RITTI_COVARIANT && t->order > 1;
  choice c;
  RITT_TRY(choose_word(M->model, "projection", o->projection,
                       bare && !orthogonal ? "sequential" : "gauss", "projection", error, &c));
  ritti_projection projection = S->solve.projection = (ritti_projection)c.which;

  bool sequential = projection == RITTI_PROJECT_SEQUENTIAL;
  if (sequential && !bare)
    return ritti_fail(
        error, c.wrong, c.place, "use projection gauss",
        "projection sequential needs mechanics with position constraints and no further invariants");
  if (sequential && orthogonal)
    return ritti_fail(
        error, c.wrong, c.place, "use projection gauss, or a method taylor:k",
        "projection sequential is not orthogonal, and the method %s needs one that is", t->name);
  if (projection == RITTI_PROJECT_BLOCKS && !mechanics)
    return ritti_fail(error, c.wrong, c.place, "use projection newton",
                      "projection blocks needs mechanics with position constraints");
  bool second = projection != RITTI_PROJECT_GAUSS && !sequential;
  if (second && p->k && !p->call.d2f_mu)
    return ritti_fail(
        error, c.wrong, c.place, "write that projection below solve in the model, or use gauss",
        "projection %s needs second derivatives, which a system of %d coordinates has only if "
        "its model asks for them",
        c.word, p->m);

  choice predictor;
  const char *usual = projection == RITTI_PROJECT_CHORD ? "on" : "off";
  RITT_TRY(choose_word(M->model, "predictor", o->predictor, usual, "predictor", error, &predictor));
  S->solve.predict = is_word(&predictor, "on");
  if (S->solve.predict && sequential)
    return ritti_fail(error, predictor.wrong, predictor.place,
                      "use projection gauss, or predictor off",
                      "the predictor does not work with projection sequential");
  return RITT_OK;
}

/* Which points of a step are projected, and in which metric. */
static ritt_status choose_projected(const ritti_prepared *M, const ritt_options *o,
                                    ritt_error *error, ritti_run_settings *S) {
  choice project, metric;
  /* the rows alone determine the direction only on the manifold */
  bool on_manifold = M->problem->own_line && !M->problem->call.system;
  RITT_TRY(choose_word(M->model, "project", o->project, on_manifold ? "stages" : "end", "project",
                       error, &project));
  S->solve.project_stages = is_word(&project, "stages");
  if (S->solve.project_stages && S->solve.tableau->family == RITTI_ROSENBROCK)
    return ritti_fail(error, project.wrong, project.place, "use radau5, or 'project end'",
                      "the method %s does not project its stages", S->solve.tableau->name);

  bool scales = false;
  for (int j = 0; j < M->model->variables; j++) scales = scales || M->model->variable[j].scale > 0;
  RITT_TRY(choose_word(M->model, "metric", o->metric, scales ? "weighted" : "euclidean", "metric",
                       error, &metric));
  S->solve.weighted = is_word(&metric, "weighted");
  return RITT_OK;
}

const char *ritti_kind_word(const char *word, ritt_error *error) {
  choice kind;
  if (choose_word(NULL, "kind", word, "auto", "kind", error, &kind) != RITT_OK) return NULL;
  return kind.word;
}

static ritt_status choose_direction(const ritti_prepared *M, const ritt_options *o,
                                    ritt_error *error, ritti_run_settings *S) {
  choice c;
  RITT_TRY(choose_word(M->model, "direction", o->direction, "auto", "direction", error, &c));
  S->solve.direction = (ritti_direct)c.which;
  const char *reason = ritti_direction_misfit(M->problem, S->solve.direction);
  if (reason)
    return ritti_fail(error, c.wrong, c.place,
                      M->problem->kind == RITT_EXPLICIT
                          ? "use direction auto, or ask for 'kind graph' too"
                          : "use direction auto",
                      "the direction '%s' does not fit this system: %s", c.word, reason);
  return RITT_OK;
}

static ritt_status choose_linear(const ritti_model *model, const ritt_options *o, ritt_error *error,
                                 ritti_run_settings *S) {
  choice c;
  RITT_TRY(choose_word(model, "linear", o->linear, "auto", "linear algebra", error, &c));
  S->solve.linear = (ritti_algebra)c.which;
  return RITT_OK;
}

/* Tolerances of the unknowns that are solved for; those without one of their own are not controlled. */
static ritt_status set_top_tolerances(const ritti_prepared *M, const ritt_options *o,
                                      ritti_arena *arena, ritti_run_settings *S) {
  ritt_real *relative, *absolute;
  RITTI_NEW_ARRAYS(arena, M->problem->tops + 1, relative, absolute);
  for (int i = 0; i < M->problem->tops; i++) {
    int variable = ritti_index_of(M->model->dag, M->reduced->top[i]);
    const ritti_variable_def *v = &M->reduced->model->variable[variable];
    relative[i] = v->tolerance > 0 && !(o->tolerance > 0) ? v->tolerance : S->tolerance;
    bool controlled = !v->uncontrolled && (v->tolerance > 0 || v->absolute > 0);
    absolute[i] = !controlled ? RITTI_UNCONTROLLED : v->absolute > 0 ? v->absolute : 0;
  }
  S->solve.top_relative = relative;
  S->solve.top_absolute = absolute;
  return RITT_OK;
}

/* Relative and absolute tolerance and declared scale of every coordinate. */
static ritt_status set_tolerances(const ritti_prepared *M, const ritt_options *o,
                                  ritti_arena *arena, ritt_error *error, ritti_run_settings *S) {
  const ritti_model *model = M->model;
  const ritti_setting_def *abs = find_setting(model, "absolute");
  ritt_real *relative, *absolute, *scale;
  int m = M->problem->m;
  RITTI_NEW_ARRAYS(arena, m, relative, absolute, scale);
  if (o->tolerance > 1)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "use a tolerance between 1e-300 and 1",
                      "the tolerance %g is too large", o->tolerance);
  double all = S->tolerance = tolerance_of(model, o);
  const ritti_setting_def *written = o->tolerance > 0 ? NULL : find_setting(model, "tolerance");
  if (all < 2 * RITTI_EPS && S->solve.constant_step == 0)
    return ritti_fail(error, written ? RITT_WRONG_MODEL : RITT_WRONG_CALL,
                      written ? &written->place : NULL,
                      sizeof(ritt_real) == sizeof(double) ? "use 1e-15 or more, or 'precision quad'"
                                                          : "use 1e-33 or more",
                      "the tolerance %g is finer than the numbers, which are rounded to %.1e", all,
                      (double)RITTI_EPS);
  for (int i = 0; i < m; i++) {
    const ritti_variable_def *v =
        i && M->reduced
            ? &M->reduced->model->variable[ritti_index_of(model->dag, M->reduced->coordinate[i])]
            : NULL;
    relative[i] = v && v->tolerance > 0 && !(o->tolerance > 0) ? v->tolerance : all;
    scale[i] = v ? v->scale : 0;
    if (v && v->uncontrolled) {
      absolute[i] = -1;
      continue;
    }
    absolute[i] = o->absolute > 0        ? o->absolute
                  : v && v->absolute > 0 ? v->absolute
                  : abs                  ? abs->number
                  : scale[i] > 0         ? relative[i] * scale[i]
                                         : 0; /* follows the size of the coordinate */
  }
  S->solve.relative = relative;
  S->solve.absolute = absolute;
  S->solve.scale = scale;
  return M->problem->kind == RITT_IMPLICIT && M->reduced ? set_top_tolerances(M, o, arena, S)
                                                         : RITT_OK;
}

static ritt_status set_end(const ritti_prepared *M, const ritt_options *o, ritt_error *error,
                           ritti_run_settings *S) {
  const ritti_model *model = M->model;
  const char *usual = model->run == RITTI_RUN_ARC ? "arc" : "x";
  choice over;
  RITT_TRY(choose_word(NULL, "over", o->over, usual, "variable to run over", error, &over));
  if (!is_word(&over, usual) && model->name)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "change the solve section of the model",
                      "the model runs over %s, not over %s", usual, over.word);
  S->solve.by_arc = is_word(&over, "arc");
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
  choice c;
  RITT_TRY(
      choose_word(model, "precision", o ? o->precision : NULL, "double", "precision", error, &c));
  *quad = is_word(&c, "quad");
  if (*quad && !RITTI_HAS_QUAD)
    return ritti_fail(error, c.wrong, c.place, "leave 'precision quad' out: double is the default",
                      "this build of Ritt has no quadruple precision, since its compiler has no "
                      "real type of 128 bits");
  return RITT_OK;
}

/* The values at which rows are requested, as reals. */
static ritt_status set_at(const ritt_options *o, ritti_arena *arena, ritti_run_settings *S) {
  ritt_real *at;
  if (!o->at) return RITT_OK;
  if (o->at_count > RITT_MOST_COUNT) return RITT_NO_MEMORY;
  RITTI_NEW(at, arena, o->at_count + 1);
  for (size_t i = 0; i < o->at_count; i++) at[i] = o->at[i];
  S->rows.at = at, S->rows.count = (long)o->at_count;
  return RITT_OK;
}

static ritt_status set_rows(const ritti_model *model, const ritt_options *o, ritt_error *error,
                            ritti_run_settings *S) {
  const ritti_setting_def *rows = find_setting(model, "rows");
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
                      "rows %g apart would be more than %g rows", (double)S->rows.step, MOST_ROWS);
  return RITT_OK;
}

ritt_status ritti_settings_make(const ritti_prepared *M, const ritt_options *options,
                                ritti_arena *arena, ritt_error *error, ritti_run_settings *out) {
  ritt_options none = ritt_options_default();
  const ritt_options *o = options ? options : &none;
  const ritti_setting_def *steps = find_setting(M->model, "steps");
  bool first = steps && !strcmp(steps->word, "first");
  *out = (ritti_run_settings){0};
  RITT_TRY(ritti_options_check(o, error));
  out->solve.constant_step = o->constant_step > 0 ? o->constant_step
                             : steps && !first    ? steps->number
                                                  : 0;
  out->solve.first_step = o->first_step > 0 ? o->first_step : first ? steps->number : 0;
  out->solve.max_step = number_of(M->model, "max_step", o->max_step);
  out->solve.max_steps = o->max_steps;
  RITT_TRY(choose_method(M, o, arena, error, out));

  /* How the stages of steps over vibrations are found. */
  choice newton;
  RITT_TRY(choose_word(M->model, "newton", NULL, "stiff", "Newton's method", error, &newton));
  out->solve.newton = (ritti_strong_newton)newton.which;

  /* Methods without an estimate of their error get one by step doubling. */
  const ritti_model *model = M->model;
  choice control, norm;
  const char *usual = ritti_is_implicit(out->solve.tableau) ? "predictive" : "embedded";
  RITT_TRY(choose_word(model, "control", o->control, usual, "step control", error, &control));
  out->solve.control = (ritti_control)control.which;
  out->solve.doubled =
      out->solve.constant_step == 0 &&
      (out->solve.control == RITTI_CONTROL_DOUBLING || out->solve.tableau->embedded == 0);
  RITT_TRY(choose_word(model, "norm", o->norm, "plain", "norm", error, &norm));
  out->solve.scaled = is_word(&norm, "scaled");
  choice tangents;
  RITT_TRY(
      choose_word(model, "tangents", o->tangents, "steps", "way of tangents", error, &tangents));
  out->controls_tangents = is_word(&tangents, "controlled");
  out->solve.fac = number_of(model, "fac", o->fac);
  out->solve.facmin = number_of(model, "facmin", o->facmin);
  out->solve.facmax = number_of(model, "facmax", o->facmax);
  if (!(o->fac >= 0 && o->fac < 1 && o->facmin >= 0 && o->facmin < 1 &&
        (o->facmax == 0 || o->facmax > 1)))
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "use values such as fac 0.9, facmin 0.2, facmax 6",
                      "fac and facmin must lie between 0 and 1, and facmax beyond 1");

  RITT_TRY(choose_projection(M, o, error, out));
  RITT_TRY(choose_projected(M, o, error, out));
  RITT_TRY(choose_direction(M, o, error, out));
  RITT_TRY(choose_linear(M->model, o, error, out));

  choice c;
  RITT_TRY(choose_word(M->model, "singular", o->singular, "stop", "treatment of singular points",
                       error, &c));
  out->solve.through = is_word(&c, "through");
  out->solve.leap = is_word(&c, "jump");
  out->solve.hold = !c.usual && is_word(&c, "stop");

  RITT_TRY(set_tolerances(M, o, arena, error, out));
  RITT_TRY(set_end(M, o, error, out));
  RITT_TRY(set_rows(M->model, o, error, out));
  return set_at(o, arena, out);
}
