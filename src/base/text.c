/* Growing strings, names of derivatives, and suggestions for misspelt names. */
#include "base.h"

/* Returns where *more bytes and the final NUL can be written. If the text cannot grow, *more may be
 * reduced. */
static char *make_room(ritti_text *text, size_t *more) {
  if (text->status != RITT_OK) return NULL;
  size_t left = text->room - text->count;

  /* shorten the text if it cannot grow, or double the room */
  if (text->fixed && *more >= left) *more = left - 1;
  else if (left <= *more) {
    size_t room = 2 * text->room + *more + 64;
    char *at = ritti_realloc(text->at, room);
    if (!at) {
      text->status = RITT_NO_MEMORY;
      return NULL;
    }
    text->at = at;
    text->room = room;
  }
  return text->at + text->count;
}

void ritti_text_add_bytes(ritti_text *text, const char *bytes, size_t count) {
  char *at = make_room(text, &count);
  if (!at) return;
  if (count) memcpy(at, bytes, count);
  at[count] = '\0';
  text->count += count;
}

void ritti_text_add(ritti_text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);

  /* measure, then write */
  size_t length = ritti_format_list(NULL, 0, format, args);
  va_end(args);
  char *at = make_room(text, &length);
  if (!at) return;
  va_start(args, format);
  ritti_format_list(at, length + 1, format, args);
  va_end(args);
  text->count += length;
}

void ritti_text_add_json(ritti_text *text, const char *string) {
  ritti_text_add(text, "\"");
  for (const unsigned char *c = (const unsigned char *)string; *c; c++) {
    if (*c == '"' || *c == '\\') ritti_text_add(text, "\\%c", *c);
    else if (*c < 0x20) ritti_text_add(text, "\\u%04x", *c);
    else ritti_text_add_bytes(text, (const char *)c, 1);
  }
  ritti_text_add(text, "\"");
}

void ritti_text_add_c(ritti_text *text, const char *string) {
  ritti_text_add(text, "\"");
  for (const unsigned char *c = (const unsigned char *)string; *c; c++) {
    /* question marks could form trigraphs */
    bool plain = *c >= 0x20 && *c < 0x7f && *c != '"' && *c != '\\' && *c != '?';
    if (plain) ritti_text_add_bytes(text, (const char *)c, 1);
    else ritti_text_add(text, "\\%u%u%u", *c >> 6u, *c >> 3u & 7u, *c & 7u);
  }
  ritti_text_add(text, "\"");
}

void ritti_text_free(ritti_text *text) {
  if (!text->fixed) ritti_free(text->at);
  *text = (ritti_text){0};
}

enum { LONGEST_NAME = 64 };

/* Levenshtein distance in which a transposition counts as one change. Names longer than
 * LONGEST_NAME are far from all others. */
static size_t edit_distance(const char *a, const char *b) {
  size_t la = strlen(a), lb = strlen(b), row[3][LONGEST_NAME + 1];
  if (la > LONGEST_NAME || lb > LONGEST_NAME) return SIZE_MAX;
  for (size_t j = 0; j <= lb; j++) {
    row[1][j] = j;
    row[0][j] = 0;
  }

  /* row by row; a transposition refers to the row before the last */
  for (size_t i = 1; i <= la; i++) {
    size_t *older = row[(i + 2) % 3], *old = row[i % 3], *now = row[(i + 1) % 3];
    now[0] = i;
    for (size_t j = 1; j <= lb; j++) {
      size_t best = old[j - 1] + (a[i - 1] != b[j - 1]);
      if (old[j] + 1 < best) best = old[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && older[j - 2] + 1 < best) best = older[j - 2] + 1;
      now[j] = best;
    }
  }
  return row[(la + 1) % 3][lb];
}

/* Are both names equal apart from upper and lower case? */
/* ASCII only; the C library's own function is not part of every system that Ritt runs on */
static char lower_case(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool differ_in_case_only(const char *a, const char *b) {
  while (*a && lower_case(*a) == lower_case(*b)) {
    a++;
    b++;
  }
  return !*a && !*b;
}

const char *ritti_nearest(const char *name, const char *const *candidates, size_t count) {
  /* a name that differs only in upper and lower case */
  for (size_t i = 0; i < count; i++)
    if (differ_in_case_only(name, candidates[i])) return candidates[i];

  /* the name with the fewest changes */
  const char *best = NULL;
  size_t length = strlen(name);
  size_t limit = length < 4 ? 1 : length / 3 + 1; /* one change in short names, more in long ones */
  for (size_t i = 0; i < count; i++) {
    size_t d = edit_distance(name, candidates[i]);
    if (d > limit || d >= length || d >= strlen(candidates[i])) continue;
    best = candidates[i];
    limit = d - (d > 0);
    if (d == 0) break;
  }
  return best;
}

const char *ritti_jet_name(ritti_arena *arena, const char *variable, int order) {
  static const char *const primes[] = {"", "'", "''", "'''"};
  return order <= 3 ? ritti_arena_format(arena, "%s%s", variable, primes[order])
                    : ritti_arena_format(arena, "der(%s, %d)", variable, order);
}
