/* Names in the values of options: lists with commas. A comma inside brackets belongs to the name, as
 * in A[1,2]. */
#include <stdlib.h>
#include "cli.h"

void cli_free_names(cli_names *names) {
  for (size_t i = 0; i < names->count; i++) free(names->at[i]);
  RITTI_ARRAY_FREE(*names);
}

/* The length of the name at the beginning of a text. */
static size_t measure_name(const char *text) {
  size_t length = 0;
  int depth = 0;
  for (; text[length] && (depth > 0 || text[length] != ','); length++) {
    if (strchr("[(", text[length])) depth++;
    if (strchr(")]", text[length])) depth--;
  }
  return length;
}

/* Adds the names of one list. */
static ritt_status add_names(const char *text, cli_names *out) {
  while (*text) {
    text += strspn(text, ", ");
    size_t length = measure_name(text);
    const char *next = text + length;
    while (length > 0 && text[length - 1] == ' ') length--;
    if (length > 0) {
      char *name = calloc(length + 1, 1);
      if (!name) return RITT_NO_MEMORY;
      memcpy(name, text, length);
      if (RITTI_PUSH(*out, name) != RITT_OK) {
        free(name);
        return RITT_NO_MEMORY;
      }
    }
    text = next;
  }
  return RITT_OK;
}

ritt_status cli_list_names(const cli_words *lists, cli_names *out, ritt_error *error) {
  for (size_t i = 0; i < lists->count; i++)
    if (add_names(lists->at[i], out) != RITT_OK) return ritti_no_memory(error);
  return RITT_OK;
}
