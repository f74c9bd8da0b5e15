/* Numbers from a file, for --at: separated by spaces, commas or line ends, with comments after '#';
 * or the first column of a table in any format. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli.h"

/* Takes the first column of a table. */
static ritt_status take_column(const char *path, cli_numbers *out, ritt_error *error) {
  ritti_reader *reader;
  const double *row;
  RITT_TRY(ritti_reader_open(path, error, &reader));
  ritt_status status;
  do {
    status = ritti_reader_row(reader, &row, error);
    if (status == RITT_OK && row && RITTI_PUSH(*out, row[0]) != RITT_OK)
      status = ritti_no_memory(error);
  } while (status == RITT_OK && row);
  ritti_reader_close(reader);
  return status;
}

/* Reads the next word, skipping comments; false if there is none. */
static bool next_word(FILE *file, char word[64], int *line) {
  int c = getc(file), n = 0;

  /* skip separators and comments */
  for (bool comment = false; c != EOF && (comment || isspace(c) || c == ',' || c == '#');
       c = getc(file)) {
    if (c == '#') comment = true;
    if (c == '\n') {
      comment = false;
      ++*line;
    }
  }

  /* read the word; a very long one is cut */
  for (; c != EOF && !isspace(c) && c != ',' && c != '#'; c = getc(file))
    if (n < 63) word[n++] = (char)c;
  if (c != EOF) ungetc(c, file);
  word[n] = '\0';
  return n > 0;
}

/* Reads a finite number; false unless the whole word is one. */
static bool read_number(const char *word, double *out) {
  char *end;
  *out = strtod(word, &end);
  return !*end && isfinite(*out);
}

/* Takes all words as numbers. If the first word is not a number, the file may be a table. */
static ritt_status take_words(FILE *file, const char *path, cli_numbers *out, bool *table,
                              ritt_error *error) {
  char word[64];
  int line = 1;
  double number;
  *table = false;

  /* take words until one is not a number */
  while (next_word(file, word, &line)) {
    if (read_number(word, &number)) {
      if (RITTI_PUSH(*out, number) != RITT_OK) return ritti_no_memory(error);
      continue;
    }
    *table = out->count == 0;
    if (*table) return RITT_OK;
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "write numbers, separated by spaces, commas or lines",
                      "line %d of '%s': '%s' is not a number", line, path, word);
  }
  return RITT_OK;
}

ritt_status cli_read_numbers(const char *path, cli_numbers *out, ritt_error *error) {
  bool table;
  FILE *file = fopen(path, "rb");
  if (!file)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "check the name and the folder",
                      "cannot open '%s': %s", path, strerror(errno));
  ritt_status status = take_words(file, path, out, &table, error);
  fclose(file);
  if (status == RITT_OK && table) status = take_column(path, out, error);
  if (status == RITT_OK && out->count == 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "'%s' contains no numbers", path);
  return status;
}
