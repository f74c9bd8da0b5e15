/* Tables: a text of rows and columns -> a function of the model.
 *
 * Cells are separated by commas, semicolons, tabs or blanks. Empty rows and rows that begin
 * with '#' are skipped, and so is the first row if it does not contain numbers (names of
 * columns). The first column named contains the arguments, in ascending order, the second the
 * values.
 */
#include <stdio.h>
#include <stdlib.h>
#include "lang_impl.h"

enum { DEFAULT_DEGREE = 3, MOST_DEGREE = 9, MOST_COLUMNS = 10000 };

/* ---- read ---- */

/* Takes a number of one token. NO_TOKEN: a mistake was reported. */
static uint32_t take_count(ritti_parser *p, const char *what) {
  if (ritti_look(p) == T_NUMBER) return p->at++;
  if (ritti_look(p) != T_BAD)
    ritti_say(p->reader, p->at - 1, "write 'table \"f.csv\" column 1 -> 2'",
              "%s is missing after '%s'", what, ritti_quote(p->reader, p->at - 1));
  return NO_TOKEN;
}

/* grammar: table = "table" string "column" number "->" number [ "degree" number ] */
bool ritti_parse_table(ritti_parser *p, ritti_statement *s) {
  static const char *hint = "write 'function V = table \"f.csv\" column 1 -> 2'";
  ritti_reader *r = p->reader;

  /* the file */
  p->at++;
  if (ritti_look(p) != T_STRING)
    return ritti_refuse(p, p->at - 1, hint, "the name of a file in quotes is missing");
  s->word = p->at++;

  /* the columns */
  if (!ritti_look_name(p, "column"))
    return ritti_refuse(p, p->at - 1, hint, "the table does not say which columns are meant");
  p->at++;
  s->column[0] = take_count(p, "the number of a column");
  if (s->column[0] == NO_TOKEN) return false;

  /* '->' and the column of the values */
  if (ritti_look(p) != T_ARROW)
    return ritti_refuse(p, p->at - 1, hint, "'->' is missing after '%s'",
                        ritti_quote(r, p->at - 1));
  p->at++;
  s->column[1] = take_count(p, "the number of a column");
  if (s->column[1] == NO_TOKEN) return false;

  /* the degree */
  s->degree = NO_TOKEN;
  if (ritti_look(p) == T_NAME && !ritti_look_name(p, "degree")) {
    ritti_say(r, p->at, "only 'degree 5' or the like may follow", "'%s' cannot stand here",
              ritti_quote(r, p->at));
    return false;
  }
  if (!ritti_look_name(p, "degree")) return true;
  p->at++;
  s->degree = take_count(p, "the degree");
  return s->degree != NO_TOKEN;
}

/* ---- rows ---- */

/* The rows of a table, and where they are read. */
typedef struct rows {
  ritti_resolver *s;
  const ritti_statement *line;
  const char *name; /* name of the file */
  long column[2];   /* columns of arguments and values, from 1 */
  int row;          /* line of the file, from 1 */
  RITTI_ARRAY(double) x, y;
} rows;

/* Reads a whole number from `least` to `most`. false: a mistake was reported. */
static bool read_count(ritti_resolver *s, uint32_t token, const char *what, long least, long most,
                       long *out) {
  const ritti_token *t = ritti_token_at(s->reader, token);
  char text[16] = "", *end;
  snprintf(text, sizeof text, "%.*s", (int)(t->length < 15 ? t->length : 15),
           s->reader->text + t->start);
  *out = strtol(text, &end, 10);
  if (!*end && t->length < 15 && *out >= least && *out <= most) return true;
  ritti_say(s->reader, token, NULL, "%s is a whole number from %ld to %ld", what, least, most);
  return false;
}

/* Characters that end a line, and that are blank. */
static bool is_end(char c) { return !c || c == '\n' || c == '\r'; }
static bool is_gap(char c) { return c == ' ' || c == '\t'; }

/* The number in a cell of `length` characters, whose decimal comma counts as a point. false: it is not
 * a number. */
static bool read_number(const char *cell, size_t length, double *out) {
  char text[64], *end;
  if (length == 0 || length >= sizeof text) return false;
  memcpy(text, cell, length);
  text[length] = '\0';
  for (char *c = text; *c; c++)
    if (*c == ',') *c = '.';
  *out = strtod(text, &end);
  return !*end && isfinite(*out);
}

/* Reads the cell of a column as a number. *there: the row has this column. false: not a number. Cells
 * are separated by ';' if the line contains one, and commas are then decimal commas. */
static bool read_cell(const char *line, long column, double *out, bool *there) {
  const char *at = line;
  char mark = memchr(line, ';', strcspn(line, "\r\n")) ? ';' : ',';
  *there = false;

  /* cell by cell */
  while (is_gap(*at)) at++;
  for (long k = 1; !is_end(*at); k++) {
    const char *begin = at;
    while (!is_end(*at) && *at != mark && !is_gap(*at)) at++;
    if (k == column) {
      *there = true;
      return read_number(begin, (size_t)(at - begin), out);
    }
    /* to the next cell */
    while (is_gap(*at)) at++;
    if (*at == mark) at++;
    while (is_gap(*at)) at++;
  }
  return false;
}

/* Adds one row. false: a mistake was reported. */
static bool take_row(rows *t, const char *line) {
  ritti_reader *r = t->s->reader;
  double value[2] = {0, 0};

  /* the argument and the value */
  for (int k = 0; k < 2; k++) {
    bool there, number = read_cell(line, t->column[k], &value[k], &there);
    if (number) continue;

    /* names of columns stand above the first row */
    bool heading = t->x.count == 0 && t->row > 0 && there;
    if (heading) return true;

    /* a cell that is not a number, or no cell */
    if (there)
      ritti_say(r, t->line->word, "write numbers with a decimal point",
                "line %d of '%s' has no number in column %ld", t->row, t->name, t->column[k]);
    else
      ritti_say(r, t->line->column[k], "columns are counted from 1",
                "line %d of '%s' has no column %ld", t->row, t->name, t->column[k]);
    return false;
  }

  /* the arguments increase */
  if (t->x.count && !(value[0] > t->x.at[t->x.count - 1])) {
    ritti_say(r, t->line->word, "sort the rows, and keep one of those with the same argument",
              "column %ld of '%s' does not increase in line %d", t->column[0], t->name, t->row);
    return false;
  }

  if (RITTI_PUSH(t->x, value[0]) == RITT_OK && RITTI_PUSH(t->y, value[1]) == RITT_OK) return true;
  r->status = RITT_NO_MEMORY;
  return false;
}

/* Reads the rows of a text; a byte order mark is skipped. false: a mistake was reported. */
static bool read_rows(rows *t, const char *text) {
  if (!strncmp(text, "\xef\xbb\xbf", 3)) text += 3;
  for (t->row = 1; *text; t->row++) {
    const char *line = text;

    /* a row that is not empty and not a comment */
    while (!is_end(*text)) text++;
    size_t gaps = strspn(line, " \t");
    if (!is_end(line[gaps]) && line[gaps] != '#' && !take_row(t, line)) return false;

    /* the line end */
    text += !strncmp(text, "\r\n", 2) ? 2 : *text != '\0';
  }
  return true;
}

/* ---- the function ---- */

/* Makes a spline through the points and binds it to the function. */
static ritt_status make_table(rows *t, ritti_symbol *y, int degree) {
  ritti_resolver *s = t->s;
  ritti_table *table;
  if (t->x.count < (size_t)degree + 1) {
    ritti_say(s->reader, t->line->word,
              degree > 1 ? "give more rows, or a lower degree after it: 'degree 1'"
                         : "give more rows",
              "a spline of degree %d needs %d rows; '%s' has %zu", degree, degree + 1, t->name,
              t->x.count);
    return RITT_OK;
  }

  RITTI_NEW(table, s->model->arena, 1);
  RITT_TRY(ritti_table_make(t->x.at, t->y.at, t->x.count, degree, RITTI_OUTSIDE_NOTHING,
                            s->model->arena, table));
  table->name = ritti_keep_name(s->reader, t->line->name);
  table->place = ritti_place_of(s->reader, t->line->name);
  table->knots_of = ritti_dag_add_table(s->dag, table);
  y->table = table->knots_of + 1;
  return s->reader->status;
}

ritt_status ritti_define_table(ritti_resolver *s, ritti_symbol *y) {
  const ritti_statement *line = y->line;
  const ritti_token *t = ritti_token_at(s->reader, line->word);
  rows table = {.s = s, .line = line};
  ritti_loaded file = {0};
  long degree = DEFAULT_DEGREE;

  /* columns and degree */
  bool whole =
      read_count(s, line->column[0], "the number of a column", 1, MOST_COLUMNS, &table.column[0]);
  whole &=
      read_count(s, line->column[1], "the number of a column", 1, MOST_COLUMNS, &table.column[1]);
  if (line->degree != NO_TOKEN)
    whole &= read_count(s, line->degree, "the degree", 1, MOST_DEGREE, &degree);

  if (whole && degree % 2 == 0) {
    ritti_say(s->reader, line->degree, ritti_words(s->reader, "write 'degree %ld'", degree + 1),
              "the degree of a spline through points is odd");
    whole = false;
  }

  /* the file */
  const char *path =
      ritti_words(s->reader, "%.*s", (int)t->length - 2, s->reader->text + t->start + 1);
  if (!whole || !ritti_load(s->reader, line->word, path, &file)) return s->reader->status;

  /* the rows and the spline */
  table.name = path;
  ritt_status status = RITT_OK;
  if (read_rows(&table, file.text)) status = make_table(&table, y, (int)degree);
  RITTI_ARRAY_FREE(table.x);
  RITTI_ARRAY_FREE(table.y);
  ritti_loaded_clear(&file);
  return status == RITT_OK ? s->reader->status : status;
}
