/* The words of options stand in src/options.def in the order of the values that they choose. */
#include "check.h"
#include "api/pipeline.h"

static void compare_words(const char *name, const char *const *expected, size_t count) {
  const char *const *words = ritti_option_words(name);
  for (size_t i = 0; i < count; i++) {
    CHECK_TEXT(words[i] ? words[i] : "", expected[i]);
    if (!words[i]) return;
  }
  CHECK(words[count] == NULL);
}

#define X(id, word) word,
#define COMPARE(name, LIST)                                                                        \
  do {                                                                                             \
    static const char *const expected[] = {LIST(X)};                                               \
    compare_words(name, expected, sizeof expected / sizeof *expected);                             \
  } while (0)

int main(void) {
  COMPARE("projection", RITTI_PROJECTIONS);
  COMPARE("direction", RITTI_DIRECTIONS);
  COMPARE("linear", RITTI_ALGEBRAS);
  COMPARE("control", RITTI_CONTROLS);
  COMPARE("newton", RITTI_STRONG_NEWTONS);
  static const char *const kinds[] = {"auto", RITT_KINDS(X)};
  compare_words("kind", kinds, sizeof kinds / sizeof *kinds);
  CHECK(!ritti_option_words("no such option")[0]);

  /* every word of a choice can be set, and no other */
  ritt_option option;
  for (size_t i = 0; ritt_option_get(i, &option); i++) {
    ritt_options o = ritt_options_default();
    for (const char *const *word = ritti_option_words(option.name); *word; word++) {
      CHECK(ritt_options_set(&o, option.name, *word, NULL) == RITT_OK);
      CHECK(strstr(option.value, *word) != NULL);
    }
    if (*ritti_option_words(option.name))
      CHECK(ritt_options_set(&o, option.name, option.value, NULL) == RITT_WRONG_CALL);
  }
  return CHECKS_DONE();
}
