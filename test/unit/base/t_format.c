/* Formatted text against the C library's printf, which rounds correctly too; the shortest decimals
 * against strtod; the caller's blocks. */
#include <float.h>
#include <stdlib.h>
#include "base/base.h"
#include "check.h"

/* any double, by its bits; now and then one near a tie or a power of ten */
static double random_double(int i) {
  if (i % 5 == 0) return (double)(long)(check_random() * 1e6) / 8;
  if (i % 5 == 1) return check_random() * pow(10, (int)(check_random() * 20));
  if (i % 5 == 2) return nextafter(pow(10, (int)(check_random() * 25)), check_random());
  check_random();
  double v;
  memcpy(&v, &check_seed, sizeof v);
  return isnan(v) ? 1 : v;
}

static void check_reals(void) {
  static const char *const formats[] = {"%g",   "%.17g", "%.12g",  "%.1e",  "%+.2e",  "%.0e",
                                        "%f",   "%.3f",  "%12.4g", "%-9g|", "%08.2f", "% g",
                                        "%.0f", "%.20g", "%.15e",  "%.1g"};
  enum { FORMATS = sizeof formats / sizeof *formats };
  int wrong = 0;
  for (int i = 0; i < 20000; i++) {
    double v = i == 0 ? 0 : i == 1 ? DBL_MIN : i == 2 ? DBL_MAX : i == 3 ? -0.0 : random_double(i);
    if (i == 4) v = INFINITY;
    if (i == 5) v = 0x1p-1074;
    const char *format = formats[i < 6 * FORMATS ? i / 6 : i % FORMATS];
    if (i < 6 * FORMATS)
      v = (const double[]){0, DBL_MIN, DBL_MAX, -0.0, INFINITY, 0x1p-1074}[i % 6];
    char a[1200], b[1200];
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
    size_t n = ritti_format(a, sizeof a, format, v);
    int m = snprintf(b, sizeof b, format, v);
    if (strcmp(a, b) || n != (size_t)m) {
      if (!wrong++) printf("%s of %a: '%s', expected '%s'\n", format, v, a, b);
    }
  }
  CHECK(wrong == 0);
  char a[64];
  ritti_format(a, sizeof a, "%g %5g", NAN, -NAN);
  CHECK_TEXT(a, "nan   nan");
}

static void check_hexadecimal(void) {
  int wrong = 0;
  for (int i = 0; i < 5000; i++) {
    double v = random_double(i);
    char a[64];
    ritti_format(a, sizeof a, "%a", v);
    wrong += strtod(a, NULL) != v;
  }
  CHECK(wrong == 0);
  char a[64];
  ritti_format(a, sizeof a, "%a %a %a %a", 1.0, -0.1, 0.0, 0x1p-1074);
  CHECK_TEXT(a, "0x1p+0 -0x1.999999999999ap-4 0x0p+0 0x1p-1074");
}

#define SAME(...)                                                                                  \
  do {                                                                                             \
    char same_a[200], same_b[200];                                                                 \
    size_t same_n = ritti_format(same_a, sizeof same_a, __VA_ARGS__);                              \
    CHECK(same_n == (size_t)snprintf(same_b, sizeof same_b, __VA_ARGS__));                         \
    CHECK_TEXT(same_a, same_b);                                                                    \
  } while (0)

static void check_others(void) {
  SAME("%d %5d %-5d| %05d %+d % d %i", 0, -42, 42, -42, 7, 7, -2147483647 - 1);
  SAME("%ld %lld %zu %u %lu", -9223372036854775807L, 1LL << 62, (size_t)-1, 4000000000u, 7ul);
  SAME("%x %04x %04X %02x %lx", 255, 10, 0xBEEF, 5, 1ul << 40);
  SAME("%.3d %.0d| %8.3d", 5, 0, -5);
  SAME("%s %10s %-10s| %.2s %.*s %*s", "one", "two", "three", "four", 3, "five", 8, "six");
  SAME("%c%5c%-3c| %%", 'a', 'b', 'c');
  SAME("%-*s|%*d", -6, "ab", -4, 3);
  char a[8];
  CHECK(ritti_format(a, sizeof a, "%s", "longer than that") == 16);
  CHECK_TEXT(a, "longer ");
  CHECK(ritti_format(NULL, 0, "%d", 12345) == 5);
}

/* The text reads back as the value, and no shorter one that is as near does. */
static void check_shortest(void) {
  int wrong = 0;
  for (int i = 0; i < 20000; i++) {
    double v = i == 0 ? 0x1p-1074 : i == 1 ? DBL_MAX : i == 2 ? DBL_MIN : random_double(i);
    if (i > 2 && i < 2000) v = ldexp(i % 2 ? 1 : -1, i - 1050);
    if (!isfinite(v)) continue;
    char text[32], least[32];
    ritti_shortest(v, text);
    wrong += strtod(text, NULL) != v;
    for (int digits = 6; digits <= 17;
         digits++) { /* below 6 the text may have more digits than needed */
      snprintf(least, sizeof least, "%.*g", digits, v);
      if (strtod(least, NULL) == v) break;
    }
    wrong += strlen(text) > strlen(least);
  }
  CHECK(wrong == 0);
}

static void check_blocks(void) {
  double block[200];
  char *odd = (char *)block + 1;
  ritti_arena *arena = ritti_arena_in(odd, sizeof block - 1);
  CHECK(arena != NULL);
  int count = 0;
  for (char *p; (p = ritti_arena_alloc(arena, 5, 7)); count++) {
    CHECK(p >= odd && p + 35 <= (char *)(block + 200) && (uintptr_t)p % _Alignof(max_align_t) == 0);
    memset(p, 1, 35);
  }
  CHECK(count > 20);
  ritti_arena_clear(arena);
  char *again = ritti_arena_alloc(arena, 5, 7);
  CHECK(again && again[0] == 0);
  ritti_arena_free(arena);
  CHECK(ritti_arena_in(block, 8) == NULL && ritti_arena_in(NULL, 0) == NULL);

  /* what an arena used is enough for a block */
  ritti_arena *grown = ritti_arena_new();
  for (int i = 0; i < 300; i++) CHECK(ritti_arena_alloc(grown, (size_t)i, 5) != NULL);
  size_t size = ritti_arena_used(grown);
  ritti_arena_free(grown);
  void *room = malloc(size);
  arena = ritti_arena_in(room, size);
  CHECK(arena != NULL);
  for (int i = 0; i < 300; i++) CHECK(ritti_arena_alloc(arena, (size_t)i, 5) != NULL);
  free(room);
}

static void check_fixed_text(void) {
  char buffer[10];
  ritti_text text = RITTI_TEXT_IN(buffer);
  ritti_text_add(&text, "%d,", 1234);
  ritti_text_add(&text, "%d,", 5678);
  CHECK_TEXT(buffer, "1234,5678");
  ritti_text_add_bytes(&text, "more", 4);
  CHECK(text.count == 9 && text.status == RITT_OK);
  ritti_text_free(&text);
}

static void check_error_in_block(void) {
  double block[64];
  ritt_error *error = ritti_error_in(ritti_arena_in(block, sizeof block));
  CHECK(error != NULL);
  for (int round = 0; round < 3; round++) {
    CHECK(ritti_fail(error, RITT_STOPPED, NULL, "hint", "message %d", round) == RITT_STOPPED);
    CHECK(ritt_error_count(error) == 1);
    CHECK(ritt_error_get(error, 0)->text[8] == '0' + round);
    ritt_error_clear(error);
    CHECK(ritt_error_count(error) == 0);
  }
  ritt_status status = RITT_STOPPED;
  for (int i = 0; status == RITT_STOPPED && i < 100; i++)
    status = ritti_fail(error, RITT_STOPPED, NULL, NULL, "message %d", i);
  CHECK(status == RITT_NO_MEMORY);
  CHECK_TEXT(ritt_error_get(error, ritt_error_count(error) - 1)->text, "out of memory");
}

int main(void) {
  check_reals();
  check_hexadecimal();
  check_others();
  check_shortest();
  check_blocks();
  check_fixed_text();
  check_error_in_block();
  return CHECKS_DONE();
}
