/* The lines below `solve`, one setting per line: parses them, checks their ranges and puts them
 * into the model.
 *
 * Whether a method of the given name exists is not known here.
 */
#include "lang_impl.h"

/* How the value of a setting is written. */
typedef enum setting_form {
  ABSENT,      /* an option of runs, not a setting */
  METHOD_NAME, /* the name of a method, or a file in quotes */
  NUMBER,      /* a number, for all variables or for one */
  STEPS,       /* a step size */
  ROWS,        /* a number of rows or their distance */
  FACTOR,      /* a number */
  CHOICE       /* one of several words */
} setting_form;

enum { MOST_WORDS = 12 };

/* The settings, generated from the table of options. */
static const struct setting {
  const char *name;
  setting_form form;
  const char *example;
  const char *word[MOST_WORDS]; /* the words of a CHOICE */
  const char *alone;            /* the word that is meant without one; NULL: a word is required */
} settings[] = {
#define RITTI_OPTION(member, name, flag, type, least, value, form, example, text)                  \
  {name, form, example, value, NULL},
#define RITTI_SETTING(name, value, alone, example) {name, CHOICE, example, value, alone},
#define WORDS(...)                                                                                 \
  { __VA_ARGS__ }
#define VALUE(word)                                                                                \
  { 0 }
#include "options.def"
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* The setting that a token names; NULL: none. */
static const struct setting *find_setting(const ritti_reader *r, uint32_t token) {
  for (int i = 0; i < SETTINGS; i++)
    if (settings[i].form != ABSENT && ritti_token_is(r, token, settings[i].name))
      return &settings[i];
  return NULL;
}

bool ritti_is_setting(const ritti_reader *r, uint32_t token) {
  return find_setting(r, token) != NULL;
}

const char *ritti_setting_word(size_t i) {
  for (size_t k = 0; k < SETTINGS; k++) {
    if (settings[k].form == ABSENT) continue;
    if (i-- == 0) return settings[k].name;
    for (int j = 0; j < MOST_WORDS && settings[k].word[j]; j++)
      if (i-- == 0) return settings[k].word[j];
  }
  return NULL;
}

/* ---- read ---- */

/* Reports an unknown setting. */
static void unknown_setting(ritti_parser *p) {
  const char *names[SETTINGS];
  int count = 0;
  for (int i = 0; i < SETTINGS; i++)
    if (settings[i].form != ABSENT) names[count++] = settings[i].name;
  ritti_reader *r = p->reader;
  const char *name = ritti_quote(r, p->at), *near = ritti_nearest(name, names, (size_t)count);
  const char *hint =
      near ? ritti_did_you_mean(r, near) : "the settings are listed in the language reference";

  /* settings of other programs */
  static const struct {
    const char *name, *hint;
  } foreign[] = {
      {"dt", "write 'max_step 0.1', 'steps constant h = 0.1', or 'rows step 0.1'"},
      {"h", "write 'max_step 0.1', 'steps constant h = 0.1', or 'rows step 0.1'"},
      {"step", "write 'max_step 0.1', 'steps constant h = 0.1', or 'rows step 0.1'"},
      {"stepsize", "write 'max_step 0.1', 'steps constant h = 0.1', or 'rows step 0.1'"},
      {"maxstep", "write 'max_step 0.1'"},
      {"rtol", "write 'tolerance 1e-8'"},
      {"reltol", "write 'tolerance 1e-8'"},
      {"atol", "write 'absolute 1e-10'"},
      {"abstol", "write 'absolute 1e-10'"},
      {"solver", "write 'method dopri54'"},
      {"points", "write 'rows 500'"},
      {"saveat", "write 'rows step 0.1'"},
  };
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (!strcmp(foreign[i].name, name)) hint = foreign[i].hint;
  ritti_say(r, p->at, hint, "there is no setting '%s'", name);
}

/* Reports a setting that is not complete. Always returns false. */
static bool wrong_setting(ritti_parser *p, const struct setting *setting, uint32_t name) {
  return ritti_refuse(p, name, ritti_words(p->reader, "write '%s'", setting->example),
                      "the setting '%s' is not complete", setting->name);
}

/* Parses a file in quotes, or name [ ":" number ]; the word is the text from s->word to the end
 * of the line. */
static bool parse_method(ritti_parser *p, const struct setting *setting, ritti_statement *s) {
  if (ritti_look(p) == T_STRING) {
    s->word = p->at++;
    return true;
  }

  if (ritti_look(p) != T_NAME) return wrong_setting(p, setting, s->name);
  s->word = p->at++;
  if (ritti_look(p) != T_COLON) return true;
  p->at++;
  if (ritti_look(p) != T_NUMBER && ritti_look(p) != T_NAME)
    return wrong_setting(p, setting, s->name);
  p->at++;
  return true;
}

/* Parses [ variable "=" ] expr, and for tolerances variable "=" "none", which has no right side. */
static bool parse_number(ritti_parser *p, const struct setting *setting, ritti_statement *s) {
  if (ritti_look(p) == T_NAME && ritti_kind_at(p, ritti_after_path(p, p->at + 1)) == T_EQUALS) {
    s->word = p->at;
    s->left = ritti_parse_target(p);
    if (!s->left) return false;
    s->relation = p->at++;
    bool relative = !strcmp(setting->name, "tolerance");
    if (relative && ritti_look_name(p, "none") && ritti_ends(ritti_kind_at(p, p->at + 1))) {
      p->at++;
      return true;
    }
  }
  s->right = ritti_parse_expr(p);
  return s->right != NULL;
}

/* Parses ( "constant" | "first" ) "h" "=" expr. */
static bool parse_steps(ritti_parser *p, const struct setting *setting, ritti_statement *s) {
  if (!ritti_look_name(p, "constant") && !ritti_look_name(p, "first"))
    return wrong_setting(p, setting, s->name);

  s->word = p->at++;
  if (!ritti_look_name(p, "h") || ritti_kind_at(p, p->at + 1) != T_EQUALS)
    return wrong_setting(p, setting, s->name);
  p->at += 2;
  s->right = ritti_parse_expr(p);
  return s->right != NULL;
}

/* Parses [ "step" ] expr. */
static bool parse_rows(ritti_parser *p, ritti_statement *s) {
  if (ritti_look_word(p, "step")) s->word = p->at++;
  s->right = ritti_parse_expr(p);
  return s->right != NULL;
}

/* Is a token one of these words? */
static bool is_among(const ritti_reader *r, uint32_t token, const char *const *words) {
  for (int i = 0; i < MOST_WORDS && words[i]; i++)
    if (ritti_token_is(r, token, words[i])) return true;
  return false;
}

/* The hint with the words of a setting: "write 'project end'", "write 'project stages' or 'project
 * end'", "choose one of: gauss newton chord". */
static const char *list_choices(ritti_reader *r, const struct setting *setting) {
  const char *const *word = setting->word;
  if (!word[1]) return ritti_words(r, "write '%s %s'", setting->name, word[0]);
  if (!word[2])
    return ritti_words(r, "write '%s %s' or '%s %s'", setting->name, word[0], setting->name,
                       word[1]);
  const char *all = "choose one of:";
  for (int i = 0; i < MOST_WORDS && word[i]; i++) all = ritti_words(r, "%s %s", all, word[i]);
  return all;
}

/* Parses one of the words of a setting. */
static bool parse_choice(ritti_parser *p, const struct setting *setting, ritti_statement *s) {
  ritti_reader *r = p->reader;
  if (setting->alone && ritti_ends(ritti_look(p))) return true;

  /* pi is a reserved word elsewhere, but a kind of step control here */
  if (ritti_look(p) != T_NAME && ritti_look(p) != T_RESERVED)
    return wrong_setting(p, setting, s->name);

  /* the word must be one of the choices */
  s->word = p->at;
  const char *word = ritti_quote(r, p->at);
  const char *hint = list_choices(r, setting);
  if (is_among(r, p->at, setting->word)) {
    p->at++;
    return true;
  }
  ritti_say(r, p->at, hint, "the setting '%s' has no value '%s'", setting->name, word);
  return false;
}

/* grammar:
 *   setting = "method" ( name [ ":" ( number | name ) ] | string )
 *           | ( "tolerance" | "absolute" ) [ target "=" ] expr
 *           | "tolerance" target "=" "none"
 *           | "steps" ( "constant" | "first" ) "h" "=" expr
 *           | "rows" [ "step" ] expr
 *           | "metric" ( "weighted" | "euclidean" )
 *           | "project" ( "stages" | "end" )
 *           | "projection" ( "gauss" | "newton" | "chord" | "inexact" | "blocks" | "sequential" )
 *           | "predictor" ( "on" | "off" )
 *           | "control" ( "embedded" | "papers" | "doubling" | "pi" | "pid" | "predictive" )
 *           | ( "fac" | "facmin" | "facmax" | "max_step" ) expr
 *           | "norm" ( "plain" | "scaled" )
 *           | "tangents" ( "steps" | "controlled" )
 *           | "precision" ( "double" | "quad" )
 *           | "kind" ( "auto" | "general" | "graph" | "holonomic" | "explicit" | "implicit" )
 *           | "direction" ( "auto" | "svd" | "qr" | "submatrix" | "cg" | "lu" | "kkt"
 *           | "kkt_schur" | "kkt_cg" )
 *           | "linear" ( "auto" | "dense" | "band" | "sparse" )
 *           | "singular" ( "stop" | "through" | "jump" )
 *           | "limit" [ "projected" | "index3" ]
 *           | "follow" ( "motion" | "vibrations" )
 *           | "newton" ( "stiff" | "j0" | "j1" | "j2" )
 */
ritti_statement *ritti_parse_setting(ritti_parser *p) {
  ritti_reader *r = p->reader;
  ritti_statement *s = ritti_statement_new(p);
  if (!s) return NULL;

  /* its name */
  if (ritti_look(p) != T_NAME) {
    ritti_parse_unexpected(p);
    return NULL;
  }
  const struct setting *setting = find_setting(r, p->at);
  if (!setting) {
    unknown_setting(p);
    return NULL;
  }

  /* its value */
  s->name = p->at;
  p->at++;
  bool whole = false;
  switch (setting->form) {
  case ABSENT: break;
  case METHOD_NAME: whole = parse_method(p, setting, s); break;
  case NUMBER: whole = parse_number(p, setting, s); break;
  case STEPS: whole = parse_steps(p, setting, s); break;
  case ROWS: whole = parse_rows(p, s); break;
  case FACTOR:
    s->right = ritti_parse_expr(p);
    whole = s->right != NULL;
    break;
  case CHOICE: whole = parse_choice(p, setting, s); break;
  }
  return whole ? s : NULL;
}

/* ---- resolve ---- */

/* The number of a setting, which must be finite. false: a mistake was reported. */
static bool setting_number(ritti_resolver *s, const ritti_statement *line, const char *what,
                           double *number) {
  ritti_scope scope = {SCOPE_CONSTANT, what, false};
  ritti_expr expr;
  return ritti_resolve_number(s, line->right, &scope, &expr, number);
}

/* Reports a setting that stands twice. */
static void refuse_twice(ritti_resolver *s, const ritti_statement *line, uint32_t first,
                         const char *what) {
  ritti_say(s->reader, line->name, "remove one of them", "%s is set twice, first in %s", what,
            ritti_line_words(s->reader, first, line->name));
}

/* Resolves tolerance and absolute. *some: they are given for some variables, not for all. */
static void resolve_tolerance(ritti_resolver *s, const ritti_statement *line,
                              ritti_setting_def *out, bool *some) {
  bool relative = !strcmp(out->name, "tolerance");
  const char *what = relative ? "the tolerance" : "the absolute tolerance";

  /* the variables and the number */
  *some = line->word != NO_TOKEN;
  ritti_value jets = *some ? ritti_resolve_variables(s, line->left) : ritti_scalar(RITTI_NIL);
  bool none = !line->right;
  if (!none && !setting_number(s, line, what, &out->number)) return;

  /* its range */
  if (!none && relative && !(out->number >= 1e-300 && out->number <= 1)) {
    ritti_say(s->reader, line->right->first, "write a number such as 1e-8",
              "%s is not between 1e-300 and 1", what);
    return;
  }
  if (!none && !(out->number > 0)) {
    ritti_say(s->reader, line->right->first, "write a number such as 1e-8",
              "%s is not greater than 0", what);
    return;
  }

  /* each variable has one */
  for (size_t i = 0; !ritti_failed(jets) && i < ritti_value_count(jets); i++) {
    ritti_variable_def *v = &s->model->variable[ritti_index_of(s->dag, ritti_element(jets, i))];
    double *slot = relative ? &v->tolerance : &v->absolute;
    if (*slot != 0 || (relative && v->uncontrolled))
      ritti_say(s->reader, line->name, "remove one of them", "%s of '%s' is set twice", what,
                v->name);
    if (none) v->uncontrolled = true;
    else *slot = out->number;
  }
}

/* Resolves the step size. */
static void resolve_steps(ritti_resolver *s, const ritti_statement *line, ritti_setting_def *out) {
  if (setting_number(s, line, "the step size", &out->number) && !(out->number > 0))
    ritti_say(s->reader, line->right->first,
              "write a number such as 0.1; the run takes its direction from its ends",
              "the step size is not greater than 0");
}

/* Resolves the factors by which the step size may change from one step to the next. */
static void resolve_factor(ritti_resolver *s, const ritti_statement *line, ritti_setting_def *out) {
  bool least = !strcmp(out->name, "facmin");
  bool most = !strcmp(out->name, "facmax");
  bool step = !strcmp(out->name, "max_step");
  if (!setting_number(s, line, step ? "the largest step" : "the factor", &out->number)) return;
  if (step) {
    if (!(out->number > 0))
      ritti_say(s->reader, line->right->first, "write a number such as 0.1",
                "the largest step is not greater than 0");
    return;
  }

  if (most && !(out->number > 1))
    ritti_say(s->reader, line->right->first, "write a number such as 5",
              "facmax is not greater than 1");
  if (!most && !(out->number > 0 && out->number < 1))
    ritti_say(s->reader, line->right->first,
              least ? "write a number such as 0.2" : "write a number such as 0.9",
              "%s is not between 0 and 1", out->name);
}

/* Resolves the number of rows or their distance. */
static void resolve_rows(ritti_resolver *s, const ritti_statement *line, ritti_setting_def *out) {
  bool step = line->word != NO_TOKEN;
  if (!setting_number(s, line, step ? "the distance of the rows" : "the number of rows",
                      &out->number))
    return;

  if (step && !(out->number > 0))
    ritti_say(s->reader, line->right->first, "write 'rows step 0.01'",
              "the distance of the rows is not greater than 0");
  if (!step && !(out->number >= 2 && out->number <= 1e9 && out->number == floor(out->number)))
    ritti_say(s->reader, line->right->first, "write 'rows 500', or 'rows step 0.01' for a distance",
              "the number of rows is not a whole number from 2 to 1000000000");
}

/* Resolves the name of the method, or the file of its tableau, whose text is kept. */
static ritt_status resolve_method(ritti_resolver *s, const ritti_statement *line,
                                  ritti_setting_def *out) {
  ritti_reader *r = s->reader;
  const ritti_token *t = ritti_token_at(r, line->word);
  ritti_loaded file = {0};

  /* a name */
  if (t->kind != T_STRING) {
    out->word = ritti_typed(r, r->keep, line->word, line->end, false);
    return RITT_OK;
  }

  /* a file */
  out->word = ritti_arena_text(r->keep, r->text + t->start + 1, t->length - 2);
  if (!out->word) return RITT_NO_MEMORY;
  if (!ritti_load(r, line->word, out->word, &file)) return r->status;
  out->text = ritti_arena_text(r->keep, file.text, file.length);
  ritti_loaded_clear(&file);
  return out->text ? RITT_OK : RITT_NO_MEMORY;
}

/* Resolves the settings that belong to a strong potential. */
static void take_strong(ritti_resolver *s, const ritti_statement *line,
                        const ritti_setting_def *def) {
  ritti_model *m = s->model;
  bool limit = !strcmp(def->name, "limit");
  bool follow = !strcmp(def->name, "follow");
  if (limit) m->limit = def->word;
  if (follow) {
    m->vibrations = def->word && !strcmp(def->word, "vibrations");
    m->motion = !m->vibrations;
  }

  /* they need a strong potential, and its limit has no vibrations */
  if ((limit || follow || !strcmp(def->name, "newton")) && !s->syntax->said[S_STIFF])
    ritti_say(s->reader, line->name, "write 'stiff U, eps = 1e-4', or remove the line",
              "the setting '%s' is for models with a strong potential", def->name);
  else if (m->limit && m->vibrations)
    ritti_say(s->reader, line->name, "remove one of them",
              "the limit of eps -> 0 has no vibrations that could be followed");
}

/* Resolves all settings in the order of the file. */
ritt_status ritti_resolve_settings(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  ritti_model *m = s->model;
  uint32_t first[SETTINGS];

  /* where each setting stands first */
  for (int i = 0; i < SETTINGS; i++) first[i] = NO_TOKEN;
  RITTI_NEW(m->setting, m->arena, s->syntax->list[S_SETTING].count);
  for (const ritti_statement *line = s->syntax->list[S_SETTING].first; line; line = line->next) {
    const struct setting *setting = find_setting(r, line->name);
    ritti_setting_def def = {
        .name = setting->name, .number = NAN, .place = ritti_place_of(r, line->name)};

    /* its number */
    bool one = false;
    switch (setting->form) {
    case NUMBER: resolve_tolerance(s, line, &def, &one); break;
    case STEPS: resolve_steps(s, line, &def); break;
    case ROWS: resolve_rows(s, line, &def); break;
    case FACTOR: resolve_factor(s, line, &def); break;
    default: break;
    }
    if (one) continue; /* it is stored with the variable */

    /* its word */
    if (setting->form == METHOD_NAME) RITT_TRY(resolve_method(s, line, &def));
    else if (line->word != NO_TOKEN) def.word = ritti_keep_name(r, line->word);
    else if (setting->form == CHOICE) def.word = setting->alone;

    /* a setting may stand once */
    if (first[setting - settings] != NO_TOKEN)
      refuse_twice(s, line, first[setting - settings],
                   ritti_words(r, "the setting '%s'", setting->name));
    else first[setting - settings] = line->name;

    /* settings with effects of their own */
    take_strong(s, line, &def);
    if (!strcmp(def.name, "kind") && def.word && strcmp(def.word, "auto")) m->kind = def.word;
    m->setting[m->settings++] = def;
  }
  return r->status;
}
