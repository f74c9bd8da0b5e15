/* The options of a run in one table: setting them by name, for callers, and listing them. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "step/method.h"
#include "pipeline.h"

ritt_options ritt_options_default(void) { return (ritt_options){.to = NAN}; }

typedef enum type {
  METHOD,   /* const char *, the name of a method */
  CHOICE,   /* const char *, one of the words of `value` */
  REAL,     /* double */
  POSITIVE, /* double > 0 */
  COUNT,    /* long >= least */
} type;

/* name: in the language; other: on the command line, without dashes */
static const struct option {
  const char *name, *other, *value;
  type type;
  size_t at;
  long least;
  const char *text;
} options[] = {
#define RITTI_OPTION(member, name, other, type, least, value, form, example, text)                 \
  {name, other, value, type, offsetof(ritt_options, member), least, text},
#define RITTI_SETTING(name, value, alone, example)
#define WORDS(...)  RITTI_JOIN(__VA_ARGS__)
#define VALUE(word) word
#include "options.def"
};
enum { OPTIONS = sizeof options / sizeof *options };

/* The words of each option and setting; none: not a choice. */
enum { MOST_WORDS = 10 };
static const struct choice {
  const char *name, *word[MOST_WORDS];
} choices[] = {
#define RITTI_OPTION(member, name, other, type, least, value, form, example, text) {name, value},
#define RITTI_SETTING(name, value, alone, example)                                 {name, value},
#define WORDS(...)                                                                                 \
  { __VA_ARGS__ }
#define VALUE(word)                                                                                \
  { 0 }
#include "options.def"
};

const char *const *ritti_option_words(const char *name) {
  static const char *const none[] = {NULL};
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
    if (!strcmp(choices[i].name, name)) return choices[i].word;
  return none;
}

int ritt_option_get(size_t i, ritt_option *out) {
  if (i >= OPTIONS) return 0;
  *out = (ritt_option){options[i].name, options[i].value, options[i].text};
  return 1;
}

/* 0 is an option that is not set. */
ritt_status ritti_options_check(const ritt_options *o, ritt_error *error) {
  for (const struct option *p = options; p < options + OPTIONS; p++) {
    double value = 0;
    // cppcheck-suppress invalidPointerCast ; the member at this place is of this type
    if (p->type == POSITIVE) value = *(const double *)((const char *)o + p->at);
    if (p->type == COUNT) value = (double)*(const long *)((const char *)o + p->at);
    bool many = p->type == COUNT && value > (double)RITT_MOST_COUNT;
    if (many)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                        "the option '%s' is %g; it may be at most %ld", p->name, value,
                        RITT_MOST_COUNT);
    if (value == 0 || (value > 0 && value >= (double)p->least && value < INFINITY)) continue;
    const char *hint = "0 leaves it to the model";
    if (p->type == COUNT)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, hint,
                        "the option '%s' is %g; it must be at least %ld", p->name, value, p->least);
    return ritti_fail(error, RITT_WRONG_CALL, NULL, hint,
                      "the option '%s' is %g; it must be positive", p->name, value);
  }
  return RITT_OK;
}

/* ---- values ---- */

/* A decimal number, all of it, finite. */
static bool read_real(const char *text, double *out) {
  char *end;
  for (const char *c = text; *c; c++)
    if (!isdigit((unsigned char)*c) && !strchr("+-.eE", *c)) return false;
  double value = strtod(text, &end);
  if (end == text || *end || !isfinite(value)) return false;
  *out = value;
  return true;
}

static bool read_count(const char *text, long least, long *out) {
  char *end;
  errno = 0;
  if (!isdigit((unsigned char)text[0])) return false;
  long value = strtol(text, &end, 10);
  if (*end || errno || value < least || value > RITT_MOST_COUNT) return false;
  *out = value;
  return true;
}

static ritt_status bad_value(const struct option *o, const char *needs, const char *hint,
                             const char *value, ritt_error *error) {
  return ritti_fail(error, RITT_WRONG_CALL, NULL, hint, "the option '%s' needs %s, not '%.60s'",
                    o->name, needs, value);
}

/* One of the words of the option: kept as a text that lives forever. */
static ritt_status set_choice(const struct option *o, const char *value, const char **at,
                              ritt_error *error) {
  for (const char *const *word = ritti_option_words(o->name); *word; word++)
    if (!strcmp(*word, value)) {
      *at = *word;
      return RITT_OK;
    }
  return bad_value(o, "one of its values", o->value, value, error);
}

static ritt_status set_method(const struct option *o, const char *value, const char **at,
                              ritt_error *error) {
  const ritti_tableau *t = ritti_method_find(value);
  if (!strcmp(value, "auto")) {
    *at = "auto";
    return RITT_OK;
  }
  if (!t && ritti_names_file(value)) {
    *at = value;
    return RITT_OK;
  }
  if (!t) return bad_value(o, "the name of a method", "ritt_method_get lists them", value, error);
  *at = t->name;
  return RITT_OK;
}

ritt_status ritt_options_set(ritt_options *out, const char *name, const char *value,
                             ritt_error *error) {
  RITT_TRY(ritti_require(out, "place for the options", error));
  RITT_TRY(ritti_require(name, "name", error));
  RITT_TRY(ritti_require(value, "value", error));
  const char *names[OPTIONS];
  for (size_t i = 0; i < OPTIONS; i++) {
    const struct option *o = &options[i];
    void *at = (char *)out + o->at;
    double number;
    names[i] = o->name;
    if (strcmp(o->name, name) && (!*name || strcmp(o->other, name))) continue;
    switch (o->type) {
    case METHOD: return set_method(o, value, at, error);
    case CHOICE: return set_choice(o, value, at, error);
    case REAL: return read_real(value, at) ? RITT_OK : bad_value(o, "a number", NULL, value, error);
    case POSITIVE:
      if (!read_real(value, &number) || !(number > 0))
        return bad_value(o, "a positive number", NULL, value, error);
      *(double *)at = number;
      return RITT_OK;
    case COUNT:
      return read_count(value, o->least, at)
                 ? RITT_OK
                 : bad_value(o, "a whole number up to 1000000000", NULL, value, error);
    }
  }
  const char *near = ritti_nearest(name, names, OPTIONS);
  char hint[128];
  snprintf(hint, sizeof hint, "did you mean '%s'?", near ? near : "");
  return ritti_fail(error, RITT_WRONG_CALL, NULL, near ? hint : "ritt_option_get lists them",
                    "there is no option '%.60s'", name);
}
