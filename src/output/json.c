/* JSON, as far as results need it: flat rows of numbers, and the facts about a result. JSON has no
 * numbers that are not finite: NaN is written as null and the infinities as 1e999 and -1e999, which
 * readers round to infinity. */
#include <ctype.h>
#include <stdlib.h>
#include "output_impl.h"

/* ---- reading ---- */

const char *ritti_json_space(const char *at) { return at + strspn(at, " \t\r\n"); }

/* Adds a code point as UTF-8. */
static void add_character(ritti_text *text, unsigned long c) {
  char b[4];
  size_t n = 4;
  if (c < 0x10000) n = 3;
  if (c < 0x800) n = 2;
  if (c < 0x80) n = 1;
  for (size_t i = n - 1; i > 0; i--, c >>= 6) b[i] = (char)(0x80 | (c & 0x3f));
  b[0] = (char)(n == 1 ? c : (0xf00 >> n & 0xff) | c);
  ritti_text_add_bytes(text, b, n);
}

/* Reads the four hexadecimal digits of \uXXXX; false if they are not digits. */
static bool read_hex(const char *at, unsigned long *out) {
  *out = 0;
  for (int i = 0; i < 4; i++) {
    if (!isxdigit((unsigned char)at[i])) return false;
    *out = 16 * *out +
           (unsigned long)(isdigit((unsigned char)at[i]) ? at[i] - '0' : (at[i] | 32) - 'a' + 10);
  }
  return true;
}

/* Reads what follows \u, together with the second half of a surrogate pair. Returns the place
 * after it, or NULL if it is wrong. */
static const char *read_unicode(const char *at, ritti_text *text) {
  unsigned long c, low;
  if (!read_hex(at, &c)) return NULL;
  at += 4;
  if (c >= 0xd800 && c < 0xdc00) {
    if (at[0] != '\\' || at[1] != 'u' || !read_hex(at + 2, &low) || low < 0xdc00 || low > 0xdfff)
      return NULL;
    c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    at += 6;
  }
  if (c == 0) return NULL; /* texts in memory end with NUL */
  add_character(text, c);
  return at;
}

/* Reads a text in quotes. Returns the place after it, or NULL if it is wrong. */
static const char *read_text(const char *at, ritti_text *text) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  text->count = 0;
  ritti_text_add_bytes(text, "", 0);
  for (at++; *at != '"';) {
    const char *escape = *at == '\\' && at[1] ? strchr(from, at[1]) : NULL;
    if ((unsigned char)*at < 0x20) return NULL;
    if (*at != '\\') ritti_text_add_bytes(text, at++, 1);
    else if (escape) ritti_text_add_bytes(text, &to[escape - from], 1), at += 2;
    else if (at[1] != 'u' || !(at = read_unicode(at + 2, text))) return NULL;
  }
  return at + 1;
}

/* Reads a number. strtod alone accepts more than JSON does, such as hexadecimal numbers. */
static const char *read_number(const char *at, ritti_json *json) {
  const char *c = at + (*at == '-');
  char *end;
  if (!isdigit((unsigned char)*c)) return NULL;
  json->whole = !c[strspn(c, "0123456789")] || !strchr(".eE", c[strspn(c, "0123456789")]);
  if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X')) return NULL;
  json->number = strtod(at, &end);
  return end;
}

/* Skips an array or an object: counts the brackets within it, except those in texts. */
static const char *pass_over(const char *at, ritti_json *json) {
  int depth = 0;
  do {
    if (*at == '"') {
      at = read_text(at, &json->text);
      if (!at) return NULL;
      continue;
    }
    if (*at == '[' || *at == '{') depth++;
    if (*at == ']' || *at == '}') depth--;
    if (!*at++) return NULL;
  } while (depth > 0);
  return at;
}

void ritti_json_value(ritti_json *json) {
  static const char *const words[] = {"null", "true", "false"};
  const char *at = json->at = json->at ? ritti_json_space(json->at) : NULL;
  json->number = NAN;

  /* the first character shows the kind of the value */
  if (!at) return;
  if (*at == '"') {
    json->kind = RITTI_JSON_TEXT;
    json->at = read_text(at, &json->text);
  } else if (*at == '-' || isdigit((unsigned char)*at)) {
    json->kind = RITTI_JSON_NUMBER;
    json->at = read_number(at, json);
  } else if (*at == '[' || *at == '{') {
    json->kind = RITTI_JSON_OTHER;
    json->at = pass_over(at, json);
  } else {
    /* one of the words; everything else is wrong */
    json->at = NULL;
    for (int i = 0; i < 3; i++)
      if (!strncmp(at, words[i], strlen(words[i]))) {
        json->at = at + strlen(words[i]);
        json->kind = i ? RITTI_JSON_OTHER : RITTI_JSON_NULL;
      }
  }
}

void ritti_json_key(ritti_json *json) {
  ritti_json_value(json);
  if (json->at && json->kind == RITTI_JSON_TEXT) json->at = ritti_json_space(json->at);
  if (json->at && json->kind == RITTI_JSON_TEXT && *json->at == ':') json->at++;
  else json->at = NULL;
}

void ritti_json_open(ritti_json *json, char bracket) {
  if (json->at) json->at = ritti_json_space(json->at);
  if (json->at) json->at = *json->at == bracket ? json->at + 1 : NULL;
}

bool ritti_json_next(ritti_json *json, char close, bool *first) {
  if (!json->at) return false;
  json->at = ritti_json_space(json->at);
  bool was_first = *first;
  *first = false;

  /* either the end, or a comma before every member except the first */
  if (*json->at == close) {
    json->at++;
    return false;
  }
  if (was_first) return true;
  json->at = *json->at == ',' ? json->at + 1 : NULL;
  return json->at != NULL;
}

/* ---- writing the facts about a result ---- */

void ritti_json_add_real(ritti_text *text, double value) {
  char number[40];
  if (isnan(value)) snprintf(number, sizeof number, "null");
  else if (isinf(value)) snprintf(number, sizeof number, value < 0 ? "-1e999" : "1e999");
  else snprintf(number, sizeof number, "%.17g", value);
  ritti_text_add_bytes(text, number, strlen(number));
}

/* Adds the key of a member and, if it is not NULL, a text as its value. */
static void add_member(ritti_text *text, const char *key, const char *value) {
  ritti_text_add(text, "%s", text->count > 1 ? ",\n " : "\n ");
  ritti_text_add_json(text, key);
  ritti_text_add(text, ": ");
  if (value) ritti_text_add_json(text, value);
}

/* Adds a list of texts. */
static void add_list(ritti_text *text, const char *key, const char *const *item, size_t count) {
  add_member(text, key, NULL);
  for (size_t i = 0; i < count; i++) {
    ritti_text_add(text, "%s", i ? ", " : "[");
    ritti_text_add_json(text, item[i]);
  }
  ritti_text_add(text, count ? "]" : "[]");
}

/* Adds a number with the fewest digits, with a decimal point even if it is a whole number. */
static void add_short_real(ritti_text *text, double value) {
  char number[32];
  if (!isfinite(value)) {
    ritti_json_add_real(text, value);
    return;
  }
  ritti_shortest(value, number);
  ritti_text_add(text, "%s%s", number, strpbrk(number, ".e") ? "" : ".0");
}

/* Adds facts as the members of an object. */
static void add_facts(ritti_text *text, const char *key, const ritti_facts *facts) {
  add_member(text, key, NULL);
  ritti_text_add(text, "{");
  for (size_t i = 0; i < facts->count; i++) {
    const ritti_fact *f = &facts->at[i];
    if (i > 0) ritti_text_add(text, ", ");
    ritti_text_add_json(text, f->key);
    ritti_text_add(text, ": ");
    if (f->kind == RITTI_FACT_TEXT) ritti_text_add_json(text, f->text);
    else if (f->kind == RITTI_FACT_COUNT) ritti_text_add(text, "%.0f", f->number);
    else add_short_real(text, f->number);
  }
  ritti_text_add(text, "}");
}

void ritti_json_add_about(ritti_text *text, const ritti_about *about) {
  ritti_text_add(text, "{");
  if (about->version) add_member(text, "version", about->version);
  if (about->title) add_member(text, "title", about->title);
  add_list(text, "columns", about->name, about->columns);
  if (about->unit) add_list(text, "units", about->unit, about->columns);
  add_facts(text, "settings", &about->settings);
  add_facts(text, "statistics", &about->statistics);
  if (about->model) add_member(text, "model", about->model);
  if (about->files.count) add_facts(text, "files", &about->files);
  ritti_text_add(text, "\n}\n");
}

/* ---- reading the facts about a result ---- */

/* Copies the text that was read last into the arena. */
static ritt_status keep_text(ritti_json *json, ritti_arena *arena, const char **out) {
  if (json->text.status != RITT_OK) return RITT_NO_MEMORY;
  *out = ritti_arena_text(arena, json->text.at, json->text.count);
  return *out ? RITT_OK : RITT_NO_MEMORY;
}

/* Reads a list of texts. *out is NULL if the list contains anything else. */
static ritt_status read_list(ritti_json *json, ritti_arena *arena, const char *const **out,
                             size_t *count) {
  RITTI_ARRAY(const char *) list = {0};
  ritt_status status = RITT_OK;
  bool first = true, texts = true;

  /* gather the texts */
  ritti_json_open(json, '[');
  while (status == RITT_OK && ritti_json_next(json, ']', &first)) {
    const char *text = NULL;
    ritti_json_value(json);
    if (!json->at) break;
    texts &= json->kind == RITTI_JSON_TEXT;
    if (texts) status = keep_text(json, arena, &text);
    if (texts && status == RITT_OK) status = RITTI_PUSH(list, text);
  }

  /* copy the list into the arena */
  const char **kept =
      status == RITT_OK ? ritti_arena_alloc(arena, list.count + 1, sizeof *kept) : NULL;
  if (kept && list.count) memcpy(kept, list.at, list.count * sizeof *kept);
  *out = texts ? kept : NULL;
  *count = list.count;
  RITTI_ARRAY_FREE(list);
  return kept ? RITT_OK : RITT_NO_MEMORY;
}

/* Reads an object whose members are texts and numbers; members of other kinds are skipped. */
static ritt_status read_facts(ritti_json *json, ritti_arena *arena, ritti_facts *out) {
  RITTI_ARRAY(ritti_fact) list = {0};
  ritt_status status = RITT_OK;
  bool first = true;

  /* gather the facts */
  ritti_json_open(json, '{');
  while (status == RITT_OK && ritti_json_next(json, '}', &first)) {
    ritti_fact fact = {0};
    ritti_json_key(json);
    if (!json->at) break;
    status = keep_text(json, arena, &fact.key);
    ritti_json_value(json);
    if (!json->at || status != RITT_OK) break;

    /* a number without point and exponent is a count; null is NaN */
    fact.number = json->kind == RITTI_JSON_TEXT ? 0 : json->number;
    if (json->kind == RITTI_JSON_TEXT) fact.kind = RITTI_FACT_TEXT;
    else if (json->whole) fact.kind = RITTI_FACT_COUNT;
    else fact.kind = RITTI_FACT_REAL;
    if (json->kind == RITTI_JSON_TEXT) status = keep_text(json, arena, &fact.text);
    if (json->kind == RITTI_JSON_NULL) fact.kind = RITTI_FACT_REAL;
    if (status == RITT_OK && json->kind != RITTI_JSON_OTHER) status = RITTI_PUSH(list, fact);
  }

  /* copy the list into the arena */
  ritti_fact *kept =
      status == RITT_OK ? ritti_arena_alloc(arena, list.count + 1, sizeof *kept) : NULL;
  if (kept && list.count) memcpy(kept, list.at, list.count * sizeof *kept);
  *out = (ritti_facts){kept, kept ? list.count : 0};
  RITTI_ARRAY_FREE(list);
  return kept ? RITT_OK : RITT_NO_MEMORY;
}

/* Reads the value of the member whose key was read last; unknown members are skipped. */
static ritt_status read_member(ritti_json *json, ritti_arena *arena, ritti_about *about) {
  const char *key = json->text.at, **text = NULL;

  /* lists and objects */
  if (!strcmp(key, "columns")) return read_list(json, arena, &about->name, &about->columns);
  if (!strcmp(key, "settings")) return read_facts(json, arena, &about->settings);
  if (!strcmp(key, "statistics")) return read_facts(json, arena, &about->statistics);
  if (!strcmp(key, "files")) return read_facts(json, arena, &about->files);
  if (!strcmp(key, "units")) {
    size_t count;
    RITT_TRY(read_list(json, arena, &about->unit, &count));
    if (count != about->columns) about->unit = NULL;
    return RITT_OK;
  }

  /* texts */
  if (!strcmp(key, "version")) text = &about->version;
  if (!strcmp(key, "title")) text = &about->title;
  if (!strcmp(key, "model")) text = &about->model;
  ritti_json_value(json);
  return text && json->at && json->kind == RITTI_JSON_TEXT ? keep_text(json, arena, text) : RITT_OK;
}

ritt_status ritti_json_read_about(const char *text, ritti_arena *arena, ritti_about *about) {
  ritti_json json = {.at = text};
  ritt_status status = RITT_OK;
  bool first = true;
  *about = (ritti_about){0};
  ritti_json_open(&json, '{');
  while (status == RITT_OK && ritti_json_next(&json, '}', &first)) {
    ritti_json_key(&json);
    if (!json.at) break;
    status = json.text.status == RITT_OK ? read_member(&json, arena, about) : RITT_NO_MEMORY;
  }
  ritti_text_free(&json.text);
  if (status == RITT_OK && (!json.at || !about->name)) status = RITT_WRONG_CALL;
  return status;
}
