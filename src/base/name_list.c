/* Lists of names for reports. */
#include "base/base.h"

/* The last index of a name that ends in one, "p[3]" or "p[3]'", and where it stands; false: it has
 * none. */
static bool find_last_index(const char *name, size_t *at, size_t *end, long *index) {
  const char *open = strrchr(name, '['), *close = open ? strchr(open, ']') : NULL;
  if (!close || close[1 + strspn(close + 1, "'")]) return false;
  const char *digit = open + 1;
  for (*index = 0; *digit >= '0' && *digit <= '9' && *index < 100000000; digit++)
    *index = 10 * *index + (*digit - '0');
  *at = (size_t)(open - name) + 1;
  *end = (size_t)(close - name);
  return digit == close && digit > open + 1;
}

/* How many names from here on differ by their last index only, which counts up. */
static size_t count_run(const char *const *item, size_t count) {
  size_t at, end, n = 1;
  long first, next;
  if (!find_last_index(item[0], &at, &end, &first)) return 1;
  for (size_t a, e; n < count && find_last_index(item[n], &a, &e, &next); n++)
    if (a != at || strncmp(item[0], item[n], at) || next != first + (long)n ||
        strcmp(item[0] + end, item[n] + e))
      break;
  return n;
}

void ritti_text_add_names(ritti_text *out, const char *const *item, size_t count, size_t widest) {
  size_t begin = out->count;
  for (size_t i = 0, n; i < count; i += n) {
    size_t at, end;
    long first;
    n = count_run(item + i, count - i);
    ritti_text_add(out, "%s", i ? ", " : "");
    if (out->count - begin > widest && count - i > n) {
      ritti_text_add(out, "and %zu more", count - i);
      return;
    }
    if (n > 1 && find_last_index(item[i], &at, &end, &first))
      ritti_text_add(out, "%.*s%ld..%ld%s", (int)at, item[i], first, first + (long)n - 1,
                     item[i] + end);
    else ritti_text_add(out, "%s", item[i]);
  }
}
