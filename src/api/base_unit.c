/* The text of a unit in terms of the base units of the SI, for descriptions of FMUs.
 *
 * unit = factor { ("*" | "/" | " ") factor }, factor = ("1" | name | "(" unit ")") ["^" integer]. A name
 * is one of the table below, with or without a prefix. Other texts have no base units.
 */
#include <ctype.h>
#include "emit.h"

typedef struct known {
  const char *name;
  int power[RITTI_BASE_UNITS]; /* kg m s A K mol cd rad */
  double factor;
  bool prefix; /* may have a prefix */
} known;

static const known table[] = {
    {"m", {0, 1}, 1, true},
    {"g", {1}, 1e-3, true},
    {"s", {0, 0, 1}, 1, true},
    {"A", {0, 0, 0, 1}, 1, true},
    {"K", {0, 0, 0, 0, 1}, 1, true},
    {"mol", {0, 0, 0, 0, 0, 1}, 1, true},
    {"cd", {0, 0, 0, 0, 0, 0, 1}, 1, true},
    {"rad", {0, 0, 0, 0, 0, 0, 0, 1}, 1, true},
    {"deg", {0, 0, 0, 0, 0, 0, 0, 1}, 0.017453292519943295, false},
    {"rpm", {0, 0, -1, 0, 0, 0, 0, 1}, 0.10471975511965977, false},
    {"min", {0, 0, 1}, 60, false},
    {"h", {0, 0, 1}, 3600, false},
    {"d", {0, 0, 1}, 86400, false},
    {"Hz", {0, 0, -1}, 1, true},
    {"N", {1, 1, -2}, 1, true},
    {"Pa", {1, -1, -2}, 1, true},
    {"bar", {1, -1, -2}, 1e5, true},
    {"J", {1, 2, -2}, 1, true},
    {"W", {1, 2, -3}, 1, true},
    {"C", {0, 0, 1, 1}, 1, true},
    {"V", {1, 2, -3, -1}, 1, true},
    {"F", {-1, -2, 4, 2}, 1, true},
    {"ohm", {1, 2, -3, -2}, 1, true},
    {"S", {-1, -2, 3, 2}, 1, true},
    {"Wb", {1, 2, -2, -1}, 1, true},
    {"T", {1, 0, -2, -1}, 1, true},
    {"H", {1, 2, -2, -2}, 1, true},
    {"l", {0, 3}, 1e-3, true},
    {"L", {0, 3}, 1e-3, true},
    {"t", {1}, 1e3, false},
    {"%", {0}, 1e-2, false},
};

static const struct {
  const char *name;
  double factor;
} prefix[] = {{"", 1},     {"k", 1e3},  {"M", 1e6},  {"G", 1e9},  {"c", 1e-2},
              {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}, {"p", 1e-12}};

/* Multiplies `out` with a unit to the power k. */
static void multiply_units(ritti_base_unit *out, const int *power, double factor, int k) {
  for (int i = 0; i < RITTI_BASE_UNITS; i++) out->power[i] += k * power[i];
  out->factor *= pow(factor, k);
}

static bool find_name(const char *name, size_t length, ritti_base_unit *out) {
  for (size_t p = 0; p < sizeof prefix / sizeof *prefix; p++)
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
      size_t before = strlen(prefix[p].name), rest = strlen(table[i].name);
      if (before + rest != length || (before && !table[i].prefix)) continue;
      if (strncmp(name, prefix[p].name, before)) continue;
      if (strncmp(name + before, table[i].name, rest)) continue;
      multiply_units(out, table[i].power, prefix[p].factor * table[i].factor, 1);
      return true;
    }
  return false;
}

static bool read_unit(const char **at, int depth, ritti_base_unit *out);

static bool read_factor(const char **at, int depth, int sign, ritti_base_unit *out) {
  ritti_base_unit one = {.factor = 1};
  size_t length = 0;
  if (**at == '(') {
    ++*at;
    if (depth == 0 || !read_unit(at, depth - 1, &one) || **at != ')') return false;
    ++*at;
  } else if (**at == '1') ++*at;
  else {
    while (isalpha((unsigned char)(*at)[length]) || (*at)[length] == '%') length++;
    if (!length || !find_name(*at, length, &one)) return false;
    *at += length;
  }
  int power = 1;
  if (**at == '^') {
    bool negative = (*at)[1] == '-';
    *at += negative ? 2 : 1;
    if (!isdigit((unsigned char)**at)) return false;
    power = (negative ? -1 : 1) * (**at - '0');
    ++*at;
    if (isdigit((unsigned char)**at)) return false;
  }
  multiply_units(out, one.power, one.factor, sign * power);
  return true;
}

static bool read_unit(const char **at, int depth, ritti_base_unit *out) {
  int sign = 1;
  for (;;) {
    if (!read_factor(at, depth, sign, out)) return false;
    if (**at != '*' && **at != '/' && **at != ' ') return true;
    sign = **at == '/' ? -1 : 1;
    ++*at;
  }
}

bool ritti_base_unit_of(const char *unit, ritti_base_unit *out) {
  enum { DEEPEST = 8 };
  *out = (ritti_base_unit){.factor = 1};
  return read_unit(&unit, DEEPEST, out) && !*unit;
}
