/* Tables: a text of rows and columns -> a function of the model.
 *
 * Cells are separated by commas, semicolons, tabs or blanks. Empty rows and rows that begin
 * with '#' are skipped, and so is the first row if it does not contain numbers (names of
 * columns). The first column named contains the arguments, in ascending order, the last one the
 * values. With two columns of arguments each pair of their values stands in one row, in any order.
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

/* Takes the words behind the columns: `degree` and its number, `periodic`, `extrapolated`. */
static bool parse_table_words(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;
  s->degree = s->outside = NO_TOKEN;
  while (ritti_look(p) == T_NAME) {
    bool outside = ritti_look_name(p, "periodic") || ritti_look_name(p, "extrapolated");
    if (outside && s->outside == NO_TOKEN) {
      s->outside = p->at++;
    } else if (ritti_look_name(p, "degree") && s->degree == NO_TOKEN) {
      p->at++;
      s->degree = take_count(p, "the degree");
      if (s->degree == NO_TOKEN) return false;
    } else {
      ritti_say(r, p->at,
                "only 'degree 5' or the like, and 'periodic' or 'extrapolated', may follow",
                "'%s' cannot stand here", ritti_quote(r, p->at));
      return false;
    }
  }
  return true;
}

/* grammar: table = "table" string "column" number [ "," number ] "->" number { detail }
 *          detail = "degree" number | "periodic" | "extrapolated" */
bool ritti_parse_table(ritti_parser *p, ritti_statement *s) {
  static const char *hint = "write 'function V = table \"f.csv\" column 1 -> 2'";
  ritti_reader *r = p->reader;

  /* the file */
  p->at++;
  if (ritti_look(p) != T_STRING)
    return ritti_refuse(p, p->at - 1, hint, "the name of a file in quotes is missing");
  s->word = p->at++;

  /* the columns of the arguments */
  if (!ritti_look_name(p, "column"))
    return ritti_refuse(p, p->at - 1, hint, "the table does not say which columns are meant");
  p->at++;
  s->column[0] = take_count(p, "the number of a column");
  if (s->column[0] == NO_TOKEN) return false;
  s->column[1] = NO_TOKEN;
  if (ritti_look(p) == T_COMMA) {
    p->at++;
    s->column[1] = take_count(p, "the number of a column");
    if (s->column[1] == NO_TOKEN) return false;
  }

  /* '->' and the column of the values */
  if (ritti_look(p) != T_ARROW)
    return ritti_refuse(p, p->at - 1, hint, "'->' is missing after '%s'",
                        ritti_quote(r, p->at - 1));
  p->at++;
  s->column[2] = take_count(p, "the number of a column");
  if (s->column[2] == NO_TOKEN) return false;
  return parse_table_words(p, s);
}

/* ---- rows ---- */

/* The rows of a table, and where they are read. */
typedef struct rows {
  ritti_resolver *s;
  const ritti_statement *line;
  const char *name;             /* name of the file */
  long column[3];               /* columns of arguments and values, from 1; [1] 0: one argument */
  int row;                      /* line of the file, from 1 */
  RITTI_ARRAY(double) x, x2, y; /* x2: the second argument */
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

/* What a cell holds. */
typedef enum cell { CELL_NONE, CELL_TEXT, CELL_NOT_FINITE, CELL_NUMBER } cell;

/* Reads a cell of `length` characters, perhaps in quotes, whose decimal comma counts as a point. */
static cell read_number(const char *begin, size_t length, double *out) {
  char text[64], *end;
  if (length >= 2 && begin[0] == '"' && begin[length - 1] == '"') {
    begin++;
    length -= 2;
  }
  if (length == 0 || length >= sizeof text) return CELL_TEXT;
  memcpy(text, begin, length);
  text[length] = '\0';
  for (char *c = text; *c; c++)
    if (*c == ',') *c = '.';
  *out = strtod(text, &end);
  if (*end) return CELL_TEXT;
  return isfinite(*out) ? CELL_NUMBER : CELL_NOT_FINITE;
}

/* The character between the cells of a line: ';' if the line contains one, and commas are then decimal
 * commas. */
static char find_mark(const char *line) {
  return memchr(line, ';', strcspn(line, "\r\n")) ? ';' : ',';
}

/* Does the line separate some cells by commas and others by blanks alone, as in 0,5 1,5? Then its
 * commas may be decimal commas. */
static bool mixes_commas_and_blanks(const char *line) {
  bool commas = false, blanks = false;
  if (find_mark(line) == ';') return false;
  while (is_gap(*line)) line++;
  while (!is_end(*line)) {
    while (!is_end(*line) && *line != ',' && !is_gap(*line)) line++;
    bool gap = is_gap(*line);
    while (is_gap(*line)) line++;
    if (*line == ',') commas = true;
    else if (gap && !is_end(*line)) blanks = true;
    if (*line == ',') line++;
    while (is_gap(*line)) line++;
  }
  return commas && blanks;
}

/* Reads the cell of a column. */
static cell read_cell(const char *line, long column, double *out) {
  const char *at = line;
  char mark = find_mark(line);

  /* cell by cell */
  while (is_gap(*at)) at++;
  for (long k = 1; !is_end(*at); k++) {
    const char *begin = at;
    while (!is_end(*at) && *at != mark && !is_gap(*at)) at++;
    if (k == column) return read_number(begin, (size_t)(at - begin), out);

    /* to the next cell */
    while (is_gap(*at)) at++;
    if (*at == mark) at++;
    while (is_gap(*at)) at++;
  }
  return CELL_NONE;
}

/* Do names of columns stand in the line? None of the cells that are used is a number then. */
static bool is_heading(const rows *t, const char *line) {
  double value;
  for (int k = 0; k < 3; k++)
    if (t->column[k] && read_cell(line, t->column[k], &value) != CELL_TEXT) return false;
  return true;
}

/* Adds one row. false: a mistake was reported. */
static bool take_row(rows *t, const char *line) {
  ritti_reader *r = t->s->reader;
  double value[3] = {0, 0, 0};
  if (t->x.count == 0 && is_heading(t, line)) return true;

  /* the arguments and the value */
  for (int k = 0; k < 3; k++) {
    cell found = t->column[k] ? read_cell(line, t->column[k], &value[k]) : CELL_NUMBER;
    if (found == CELL_NUMBER) continue;

    /* a cell that is not a number, or no cell */
    if (found != CELL_NONE)
      ritti_say(r, t->line->word, "write numbers with a decimal point",
                "line %d of '%s' has no number in column %ld", t->row, t->name, t->column[k]);
    else
      ritti_say(r, t->line->column[k], "columns are counted from 1",
                "line %d of '%s' has no column %ld", t->row, t->name, t->column[k]);
    return false;
  }

  if (mixes_commas_and_blanks(line)) {
    ritti_say(r, t->line->word,
              "write a decimal point; or ';' between the columns, if commas are decimal commas",
              "line %d of '%s' separates some columns by commas and others by blanks", t->row,
              t->name);
    return false;
  }

  /* the arguments increase; a row that is there twice counts once */
  bool single = t->column[1] == 0;
  size_t last = t->x.count - 1;
  if (single && t->x.count && value[0] == t->x.at[last] && value[2] == t->y.at[last]) return true;
  if (single && t->x.count && !(value[0] > t->x.at[last])) {
    ritti_say(r, t->line->word, "sort the rows, and keep one of those with the same argument",
              "column %ld of '%s' does not increase in line %d", t->column[0], t->name, t->row);
    return false;
  }

  if (RITTI_PUSH(t->x, value[0]) == RITT_OK && RITTI_PUSH(t->x2, value[1]) == RITT_OK &&
      RITTI_PUSH(t->y, value[2]) == RITT_OK)
    return true;
  r->status = RITT_NO_MEMORY;
  return false;
}

/* Reads the rows of a text; a byte order mark is skipped. false: a mistake was reported. */
static bool read_rows(rows *t, const char *text) {
  if (text[0] == '\xef' && text[1] == '\xbb' && text[2] == '\xbf') text += 3;
  for (t->row = 1; *text; t->row++) {
    const char *line = text;

    /* a row that is not empty and not a comment */
    while (!is_end(*text)) text++;
    size_t gaps = strspn(line, " \t");
    if (!is_end(line[gaps]) && line[gaps] != '#' && !take_row(t, line)) return false;

    /* the line end */
    text += text[0] == '\r' && text[1] == '\n' ? 2 : *text != '\0';
  }
  return true;
}

/* ---- the function ---- */

/* Are there enough points for a spline? If not, this was reported. */
static bool check_count(const rows *t, size_t count, int degree) {
  if (count >= (size_t)degree + 1) return true;
  if (count == 0) {
    ritti_say(t->s->reader, t->line->word, "write rows such as 0.5, 1.5",
              "'%s' has no row with numbers in columns %ld and %ld", t->name, t->column[0],
              t->column[2]);
    return false;
  }
  ritti_say(
      t->s->reader, t->line->word,
      degree > 1 ? "give more rows, or a lower degree after it: 'degree 1'" : "give more rows",
      "a spline of degree %d needs %d rows; '%s' has %zu", degree, degree + 1, t->name, count);
  return false;
}

/* Makes the spline through points and adds it to the tables of the model; *number = its number.
 * knots_of: the number of a table with the same knots, -1: none. */
static ritt_status add_spline(const rows *t, const double *x, const double *y, size_t count,
                              int degree, ritti_outside outside, int knots_of, int *number) {
  ritti_resolver *s = t->s;
  ritti_table *table;
  RITTI_NEW(table, s->model->arena, 1);
  RITT_TRY(ritti_table_make(x, y, count, degree, outside, s->model->arena, table));
  table->name = ritti_keep_name(s->reader, t->line->name);
  table->place = ritti_place_of(s->reader, t->line->name);
  *number = ritti_dag_add_table(s->dag, table);
  table->knots_of = knots_of < 0 ? *number : knots_of;
  return s->reader->status;
}

/* A function of one argument. */
static ritt_status make_table(rows *t, ritti_symbol *y, int degree, ritti_outside outside) {
  size_t count = t->x.count;
  int number;
  if (!check_count(t, count, degree)) return RITT_OK;
  double first = t->y.at[0], last = t->y.at[count - 1], most = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(t->y.at[i]));
  if (outside == RITTI_OUTSIDE_PERIODIC && fabs(last - first) > 1e-9 * most) {
    ritti_say(t->s->reader, t->line->outside,
              "end it with the value at which it begins, or leave 'periodic' out",
              "the table '%s' begins with %.6g and ends with %.6g", t->name, first, last);
    return RITT_OK;
  }
  RITT_TRY(add_spline(t, t->x.at, t->y.at, count, degree, outside, -1, &number));
  y->table = number + 1;
  return RITT_OK;
}

static int compare_numbers(const void *a, const void *b) {
  double l = *(const double *)a, r = *(const double *)b;
  return (l > r) - (l < r);
}

/* The different values of an argument, ascending. */
static ritt_status list_values(const double *x, size_t count, ritti_arena *arena, double **out,
                               size_t *different) {
  RITTI_NEW(*out, arena, count + 1);
  memcpy(*out, x, count * sizeof *x);
  qsort(*out, count, sizeof *x, compare_numbers);
  *different = 0;
  for (size_t i = 0; i < count; i++)
    if (i == 0 || (*out)[i] != (*out)[*different - 1]) (*out)[(*different)++] = (*out)[i];
  return RITT_OK;
}

static size_t place_of(const double *sorted, size_t count, double x) {
  return (size_t)((const double *)bsearch(&x, sorted, count, sizeof x, compare_numbers) - sorted);
}

/* A function of two arguments: for each value of the second one a spline in the first one, and a spline
 * in the second one that is 1 there and 0 at its other values. */
static ritt_status make_grid(rows *t, ritti_symbol *y, int degree, ritti_outside outside,
                             ritti_arena *scratch) {
  double *x, *x2, *z, *unit;
  size_t n, m;
  RITT_TRY(list_values(t->x.at, t->x.count, scratch, &x, &n));
  RITT_TRY(list_values(t->x2.at, t->x.count, scratch, &x2, &m));
  if (!check_count(t, n, degree) || !check_count(t, m, degree)) return RITT_OK;
  RITTI_NEW(z, scratch, n * m + 1);
  RITTI_NEW(unit, scratch, m + 1);
  for (size_t i = 0; i < n * m; i++) z[i] = NAN;
  size_t filled = 0;
  for (size_t i = 0; i < t->x.count; i++) {
    size_t at = place_of(x2, m, t->x2.at[i]) * n + place_of(x, n, t->x.at[i]);
    filled += isnan(z[at]);
    z[at] = t->y.at[i];
  }
  if (filled != n * m || filled != t->x.count) {
    ritti_say(t->s->reader, t->line->word,
              "give each pair of a value of the first column and one of the second column one row",
              "'%s' has %zu rows for %zu times %zu pairs of arguments", t->name, t->x.count, n, m);
    return RITT_OK;
  }

  int first = -1, across = -1, number;
  for (size_t j = 0; j < m; j++) {
    RITT_TRY(add_spline(t, x, z + j * n, n, degree, outside, first, &number));
    if (j == 0) first = number;
  }
  for (size_t j = 0; j < m; j++) {
    memset(unit, 0, m * sizeof *unit);
    unit[j] = 1;
    RITT_TRY(add_spline(t, x2, unit, m, degree, outside, across, &number));
    if (j == 0) across = number;
  }
  y->table = first + 1;
  y->tables = (int)m;
  return RITT_OK;
}

/* Makes the function of the rows. */
static ritt_status make_function(rows *t, ritti_symbol *y, int degree) {
  const ritti_statement *line = t->line;
  ritti_outside outside = RITTI_OUTSIDE_NOTHING;
  bool periodic =
      line->outside != NO_TOKEN && ritti_token_is(t->s->reader, line->outside, "periodic");
  if (line->outside != NO_TOKEN)
    outside = periodic ? RITTI_OUTSIDE_PERIODIC : RITTI_OUTSIDE_TANGENTS;
  if (t->column[1] == 0) return make_table(t, y, degree, outside);
  if (periodic) {
    ritti_say(t->s->reader, line->outside, "use mod for the argument that repeats itself",
              "only tables with one argument are periodic");
    return RITT_OK;
  }
  ritti_arena *scratch = ritti_arena_new();
  if (!scratch) return RITT_NO_MEMORY;
  ritt_status status = make_grid(t, y, degree, outside, scratch);
  ritti_arena_free(scratch);
  return status;
}

ritt_status ritti_define_table(ritti_resolver *s, ritti_symbol *y) {
  const ritti_statement *line = y->line;
  const ritti_token *t = ritti_token_at(s->reader, line->word);
  rows table = {.s = s, .line = line};
  ritti_loaded file = {0};
  long degree = DEFAULT_DEGREE;

  /* columns and degree */
  bool whole = true;
  for (int k = 0; k < 3; k++)
    if (line->column[k] != NO_TOKEN)
      whole &= read_count(s, line->column[k], "the number of a column", 1, MOST_COLUMNS,
                          &table.column[k]);
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
  if (read_rows(&table, file.text)) status = make_function(&table, y, (int)degree);
  RITTI_ARRAY_FREE(table.x);
  RITTI_ARRAY_FREE(table.x2);
  RITTI_ARRAY_FREE(table.y);
  ritti_loaded_clear(&file);
  return status == RITT_OK ? s->reader->status : status;
}
