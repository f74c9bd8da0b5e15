/* Growing strings, the shortest decimals, and the nearest known name for a misspelt one. */
#include <stdio.h>
#include <stdlib.h>
#include "base.h"

static char *make_room(ritti_text *text, size_t more) {
  if (text->status != RITT_OK) return NULL;
  if (text->room - text->count <= more) {
    size_t room = 2 * text->room + more + 64;
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
  char *at = make_room(text, count);
  if (!at) return;
  if (count) memcpy(at, bytes, count);
  at[count] = '\0';
  text->count += count;
}

void ritti_text_add(ritti_text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *at = length < 0 ? NULL : make_room(text, (size_t)length);
  if (!at) return;
  va_start(args, format);
  vsnprintf(at, (size_t)length + 1, format, args);
  va_end(args);
  text->count += (size_t)length;
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

void ritti_text_free(ritti_text *text) {
  ritti_free(text->at);
  *text = (ritti_text){0};
}

enum { LONGEST_NAME = 64 };

/* Levenshtein distance with transpositions counted as one; names longer than LONGEST_NAME are far from all.
 */
static size_t distance(const char *a, const char *b) {
  size_t la = strlen(a), lb = strlen(b), row[3][LONGEST_NAME + 1];
  if (la > LONGEST_NAME || lb > LONGEST_NAME) return SIZE_MAX;
  for (size_t j = 0; j <= lb; j++) row[1][j] = j, row[0][j] = 0;
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

const char *ritti_nearest(const char *name, const char *const *candidates, size_t count) {
  const char *best = NULL;
  size_t limit = strlen(name) / 3 + 1; /* one slip for short names, more for long ones */
  for (size_t i = 0; i < count; i++) {
    size_t d = distance(name, candidates[i]);
    if (d > limit || d >= strlen(name) || d >= strlen(candidates[i])) continue;
    best = candidates[i];
    limit = d - (d > 0);
    if (d == 0) break;
  }
  return best;
}

const char *ritti_shortest(double value, char buffer[32]) {
  int least = 1; /* "50", not "5e+01" */
  for (double size = fabs(value); size >= 10 && size < 1e6 && least < 6; size /= 10) least++;
  for (int digits = least; digits <= 17; digits++) {
    snprintf(buffer, 32, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) break;
  }
  return buffer;
}
