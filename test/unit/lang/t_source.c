/* UTF-8, lines and places: columns count characters; what is no text is refused where it stops
 * being one. */
#include "lang_test.h"

static size_t length_of(const char *bytes, size_t left) {
  uint32_t code;
  return ritti_utf8_length(bytes, left, &code);
}

static void check_utf8(void) {
  uint32_t code = 0;
  CHECK(ritti_utf8_length("A", 1, &code) == 1 && code == 'A');
  CHECK(ritti_utf8_length("\xc3\xa4", 2, &code) == 2 && code == 0xe4);
  CHECK(ritti_utf8_length("\xe2\x88\x92", 3, &code) == 3 && code == 0x2212);
  CHECK(ritti_utf8_length("\xf0\x9f\x8e\x88", 4, &code) == 4 && code == 0x1f388);
  CHECK(length_of("\xc3", 1) == 0);             /* cut */
  CHECK(length_of("\xc3(", 2) == 0);            /* no second byte */
  CHECK(length_of("\xc0\xaf", 2) == 0);         /* overlong */
  CHECK(length_of("\xe0\x80\x80", 3) == 0);     /* overlong */
  CHECK(length_of("\xed\xa0\x80", 3) == 0);     /* surrogate */
  CHECK(length_of("\xf4\x90\x80\x80", 4) == 0); /* beyond Unicode */
  CHECK(length_of("\x80", 1) == 0);
  CHECK(length_of("\xff", 1) == 0);
}

/* Every code point survives encoding and decoding. */
static void check_all_characters(void) {
  int wrong = 0;
  for (uint32_t c = 0x80; c < 0x110000; c++) {
    if (c >= 0xd800 && c < 0xe000) continue;
    char b[4];
    uint32_t code = 0;
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1;) b[i] = (char)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
    b[0] = (char)((0xf00u >> n & 0xff) | c >> 6 * (n - 1));
    wrong += ritti_utf8_length(b, n, &code) != n || code != c;
  }
  CHECK(wrong == 0);
}

static void check_places(void) {
  char b[256];
  CHECK_TEXT(first_message("model m\nvariable x\nequation\n\tx' =\tz\n", b),
             "4:7: 'z' is not defined");
  CHECK_TEXT(first_message("model m \"\xc3\xa4\xc3\xb6\" ?\nvariable x\nequation x' = 1\n", b),
             "1:14: the character '?' has no meaning here");
  CHECK_TEXT(first_message("\xef\xbb\xbfmodel m ?\nvariable x\nequation x' = 1\n", b),
             "1:9: the character '?' has no meaning here");
  CHECK_TEXT(first_message("model m\r\nvariable x\r\nequation\r\n  x' = z\r\n", b),
             "4:8: 'z' is not defined");
  CHECK_TEXT(first_message("model m\rvariable x\requation\r  x' = z\r", b),
             "4:8: 'z' is not defined");
  CHECK_TEXT(first_message("model m\r\n\r\n\xff", b), "3:1: the file is not text: byte 0xff");
  CHECK_TEXT(first_message("\xef\xbb\xbfmo\xff", b), "1:3: the file is not text: byte 0xff");
}

/* The line is shown as it is, without its end; a line of more than 1000 bytes is left out. */
static void check_sources(void) {
  char text[3000];
  memset(text, 0, sizeof text);
  strcpy(text, "model m\r\nvariable x\r\nequation\r\n  x' = z # ");
  for (int i = 0; i < 2; i++) {
    ritt_error *error = ritt_error_new();
    ritti_model *m;
    CHECK(ritti_model_read(text, strlen(text), "f", NULL, 0, error, &m) == RITT_WRONG_MODEL);
    const ritt_message *g = ritt_error_get(error, 0);
    if (i == 0) CHECK_TEXT(g->source, "  x' = z # ");
    else CHECK(g->source == NULL && g->line == 4 && g->column == 8);
    CHECK_TEXT(g->file, "f");
    ritt_error_free(error);
    memset(text + strlen(text), 'a', 1000);
  }
}

/* At most 100 messages, sorted, and a word that there are more. */
static void check_many(void) {
  ritti_text text = {0};
  ritti_text_add(&text, "model m\nvariable x\nequation\n");
  for (int i = 0; i < 3000; i++) ritti_text_add(&text, "  x' = a%d\n", i);
  ritt_error *error = ritt_error_new();
  ritti_model *m;
  CHECK(ritti_model_read(text.at, text.count, "f", NULL, 0, error, &m) == RITT_WRONG_MODEL);
  CHECK(ritt_error_count(error) == 101);
  for (size_t i = 0; i < 100; i++) CHECK(ritt_error_get(error, i)->line == (int)i + 4);
  CHECK_TEXT(ritt_error_get(error, 100)->text, "there are more mistakes than the 100 listed here");
  ritt_error_free(error);
  ritti_text_free(&text);
}

static void check_sizes(void) {
  size_t size = (size_t)RITTI_TEXT_LIMIT + 1;
  char *text = ritti_malloc(size);
  CHECK(text != NULL);
  if (!text) return;
  memset(text, ' ', size);
  ritt_error *error = ritt_error_new();
  ritti_model *m;
  CHECK(ritti_model_read(text, size, "f", NULL, 0, error, &m) == RITT_WRONG_MODEL && m == NULL);
  CHECK_TEXT(ritt_error_get(error, 0)->text, "the file 'f' is larger than 64 MiB");
  ritt_error_clear(error);
  CHECK(ritti_model_read(text, size - 1, "f", NULL, 0, error, &m) == RITT_WRONG_MODEL && m == NULL);
  CHECK_TEXT(ritt_error_get(error, 0)->text, "there is no model in this file");
  ritt_error_free(error);
  ritti_free(text);
}

int main(void) {
  check_utf8();
  check_all_characters();
  check_places();
  check_sources();
  check_many();
  check_sizes();
  return CHECKS_DONE();
}
