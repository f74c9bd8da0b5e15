/* Tokens: the longest sign wins, a number leaves a range alone, keywords count in the first column
 * only. */
#include "lang_test.h"

/* Kinds of the tokens of a line, a letter or sign each: n name, 1 number, k keyword, r reserved, s
 * string, ! bad. */
static const char *kinds(const char *text, char out[64]) {
  static const char *const sign[] = {
#define X(id, text) [T_##id] = text,
      RITTI_SIGNS(X)
#undef X
          [T_KEYWORD] = "k",
      [T_RESERVED] = "r",
      [T_NAME] = "n",
      [T_NUMBER] = "1",
      [T_STRING] = "s",
      [T_BAD] = "!"};
  ritti_reader r = {.file = "f", .text = text, .length = (uint32_t)strlen(text)};
  r.keep = ritti_arena_new();
  r.scratch = ritti_arena_new();
  out[0] = '\0';
  CHECK(ritti_lex(&r, 0));
  for (size_t i = 0; i + 1 < r.tokens.count; i++) {
    if (i) strcat(out, " ");
    strcat(out, sign[r.tokens.at[i].kind]);
  }
  ritti_arena_free(r.keep);
  ritti_reader_clear(&r);
  return out;
}

int main(void) {
  char b[64];
  CHECK_TEXT(kinds(" 1..n", b), "1 .. n");
  CHECK_TEXT(kinds(" 1.5..2.5", b), "1 .. 1");
  CHECK_TEXT(kinds(" 1. .. .5", b), "1 .. 1");
  CHECK_TEXT(kinds(" 1e5 1e+5 1e-5 1.5E3", b), "1 1 1 1");
  CHECK_TEXT(kinds(" 1e 2x 3e+", b), "1 n 1 n 1 n +");
  CHECK_TEXT(kinds(" a:=b", b), "n := n");
  CHECK_TEXT(kinds(" a:b", b), "n : n");
  CHECK_TEXT(kinds(" a<=b<>c>=d<e>f", b), "n <= n <> n >= n < n > n");
  CHECK_TEXT(kinds(" a->b- >c", b), "n -> n - > n");
  CHECK_TEXT(kinds(" x''+y'^2", b), "n ' ' + n ' ^ 1");
  CHECK_TEXT(kinds("model model\n model", b), "k n n");
  CHECK_TEXT(kinds("plot3 plot", b), "k n");
  CHECK_TEXT(kinds(" for in if then else and or not pi", b), "r r r r r r r r r");
  CHECK_TEXT(kinds(" \"a # b\" # c \"d\"", b), "s");
  CHECK_TEXT(kinds(" a # b\n# c\n d", b), "n n");
  CHECK_TEXT(kinds(" _a a_1 A", b), "n n n");
  CHECK_TEXT(kinds(" x == y ** 2", b), "n = n ^ 1");
  CHECK_TEXT(kinds(" x \xe2\x88\x92 y", b), "n - n");
  CHECK_TEXT(kinds(" x\xe2\x80\x99 @ gr\xc3\xb6\xc3\x9f"
                   "e",
                   b),
             "n ' ! !");
  CHECK_TEXT(kinds(" \xe2\x80\x9ctitle\xe2\x80\x9d x", b), "s n");
  CHECK_TEXT(kinds("equations", b), "k");
  CHECK_TEXT(kinds("xyz", b), "n");
  CHECK_TEXT(kinds("", b), "");
  return CHECKS_DONE();
}
