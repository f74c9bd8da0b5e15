/* Checks for test programs: CHECK(cond), CHECK_NEAR(value, expected, absolute error), and the
 * closing line of main. */
#ifndef RITT_TEST_CHECK_H
#define RITT_TEST_CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int checks_passed, checks_failed;

#define CHECK(cond)                                                                                \
  do {                                                                                             \
    if (cond) checks_passed++;                                                                     \
    else checks_failed++, printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #cond);                \
  } while (0)

/* written so that NaN fails */
#define CHECK_NEAR(value, expected, error)                                                         \
  do {                                                                                             \
    double check_v = (double)(value), check_e = (double)(expected);                                \
    if (fabs(check_v - check_e) <= (double)(error)) checks_passed++;                               \
    else                                                                                           \
      checks_failed++,                                                                             \
          printf("%s:%d: failed: %s = %.17g, expected %.17g within %g, off by %g\n", __FILE__,     \
                 __LINE__, #value, check_v, check_e, (double)(error), check_v - check_e);          \
  } while (0)

#define CHECK_TEXT(value, expected)                                                                \
  do {                                                                                             \
    const char *check_s = (value), *check_t = (expected);                                          \
    if (check_s && !strcmp(check_s, check_t)) checks_passed++;                                     \
    else                                                                                           \
      checks_failed++, printf("%s:%d: failed: %s is\n  %s\nexpected\n  %s\n", __FILE__, __LINE__,  \
                              #value, check_s ? check_s : "(null)", check_t);                      \
  } while (0)

/* return CHECKS_DONE(); at the end of main */
#define CHECKS_DONE()                                                                              \
  (printf("%d passed, %d failed\n", checks_passed, checks_failed), checks_failed != 0)

/* Sanitizers make everything several times slower, and so do counters of branches: long runs of
 * code that shorter ones reach too are left out. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(RITT_COVERAGE)
enum { CHECK_SLOW = 1 };
#else
enum { CHECK_SLOW = 0 };
#endif

/* A small generator for random tests: the same numbers everywhere. Uniform in (-1, 1). */
static unsigned long long check_seed = 88172645463325252ull;
static inline double check_random(void) {
  check_seed ^= check_seed << 13;
  check_seed ^= check_seed >> 7;
  check_seed ^= check_seed << 17;
  return (double)(check_seed >> 11) * 0x1p-52 - 1;
}

/* A hash of bytes (FNV-1a), to compare what is much; it begins with CHECK_HASH. */
#define CHECK_HASH 14695981039346656037ull
static inline void check_hash(unsigned long long *hash, const void *data, size_t size) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < size; i++) *hash = (*hash ^ byte[i]) * 1099511628211ull;
}

#endif
