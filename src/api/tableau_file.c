/* A method of the user's: a Butcher tableau as text, as it stands on paper.
 *
 *     # Bogacki and Shampine 1989
 *     0
 *     1/2 | 1/2
 *     3/4 | 0    3/4
 *     1   | 2/9  1/3  4/9
 *     b   | 2/9  1/3  4/9  0
 *     b^  | 7/24 1/4  1/3  1/8
 *
 * A line for each stage, c and then the row of a, explicit: the row of stage i has i - 1 numbers.
 * Then the weights b, and those of a companion for the error estimate, if there is one. Numbers are
 * decimals or quotients of decimals; bars are blanks, lines of dashes are skipped, # begins a
 * comment.
 *
 * In: the text. Out: the tableau, its orders found by trees (step/trees.h); a last stage whose
 * row is b is shared with the next step. Refused, with line and column: what is not written so, c
 * that is not the sum of its row, stages that depend on themselves or later ones, weights that do
 * not add up to 1.
 */
#include <ctype.h>
#include <stdlib.h>
#include "step/trees.h"
#include "pipeline.h"

enum { MOST_STAGES = 64 };

typedef struct reading {
  const char *file, *at, *line; /* where it is, and the beginning of that line */
  int number;                   /* of the line */
  ritti_arena *arena;
  ritt_error *error;
  int stages;
  ritt_real a[MOST_STAGES * MOST_STAGES], b[MOST_STAGES], companion[MOST_STAGES], c[MOST_STAGES];
  bool has_b, has_companion;
  const char *weights[2]; /* the lines of b and of the companion, and */
  int weights_number[2];  /* their numbers */
} reading;

static ritt_status refuse_text(reading *r, const char *hint, const char *text) {
  size_t length = strcspn(r->line, "\r\n");
  ritti_place place = {.file = r->file,
                       .source = ritti_arena_text(r->arena, r->line, length),
                       .line = r->number,
                       .column = (int)(r->at - r->line) + 1};
  return ritti_fail(r->error, RITT_WRONG_MODEL, place.source ? &place : NULL, hint, "%s", text);
}

static void skip_blanks(reading *r) {
  while (*r->at == ' ' || *r->at == '\t' || *r->at == '|' || *r->at == ',') r->at++;
}

static bool at_end(const reading *r) {
  return *r->at == '\0' || *r->at == '\n' || *r->at == '\r' || *r->at == '#';
}

/* The value of a decimal that strtod has accepted, with all the digits a real can hold. */
static ritt_real parse_real(const char *word, double value) {
  ritt_real sum = 0;
  long exponent = 0;
  bool point = false;
  if (sizeof sum == sizeof value) return (ritt_real)value;
  for (word += strspn(word, "+-"); *word && *word != 'e' && *word != 'E'; word++) {
    if (*word == '.') {
      point = true;
      continue;
    }
    sum = sum * 10 + (*word - '0');
    exponent -= point;
  }
  if (*word) exponent += strtol(word + 1, NULL, 10);
  for (; exponent > 0; exponent--) sum *= 10;
  ritt_real below = 1;
  for (; exponent < 0; exponent++) below *= 10;
  return value < 0 ? -(sum / below) : sum / below;
}

static bool read_decimal(reading *r, ritt_real *out) {
  char word[512];
  size_t length = strspn(r->at, "+-.0123456789eE");
  char *end;
  if (length == 0 || length >= sizeof word) return false;
  memcpy(word, r->at, length), word[length] = '\0';
  double value = strtod(word, &end);
  if (*end || !(fabs(value) < 1e100) || (value != 0 && fabs(value) < 1e-100)) return false;
  r->at += length;
  *out = parse_real(word, value);
  return true;
}

/* decimal [ "/" decimal ] */
static ritt_status read_number(reading *r, ritt_real *out) {
  static const char *hint = "write numbers such as 0.25, -1e-3 or 3/40";
  ritt_real below = 1;
  if (!read_decimal(r, out)) return refuse_text(r, hint, "this is not a number");
  if (*r->at == '/') {
    r->at++;
    if (!read_decimal(r, &below) || below == 0)
      return refuse_text(r, hint, "this is not a denominator");
  }
  *out /= below;
  return RITT_OK;
}

static ritt_status read_row(reading *r, ritt_real *row, int most, bool stage, int *count) {
  for (*count = 0, skip_blanks(r); !at_end(r); skip_blanks(r)) {
    if (*count == most && stage)
      return refuse_text(
          r, "the row of stage i has i - 1 numbers: implicit methods cannot be given in a file",
          "a stage may depend on those before it only");
    if (*count == most)
      return refuse_text(r, "write one number for each stage",
                         "there are more weights than stages");
    RITT_TRY(read_number(r, &row[(*count)++]));
  }
  return RITT_OK;
}

static bool is_near(ritt_real a, ritt_real b, ritt_real size) {
  return RITTI_MATH(fabs)(a - b) <= 64 * RITTI_EPS * (1 + size);
}

static ritt_status read_stage(reading *r) {
  int i = r->stages, count;
  ritt_real sum = 0, size = 0, *row = r->a + i * MOST_STAGES;
  if (r->has_b)
    return refuse_text(r, "write the weights b last", "there is a stage after the weights");
  if (i == MOST_STAGES) return refuse_text(r, NULL, "there are more than 64 stages");
  RITT_TRY(read_number(r, &r->c[i]));
  RITT_TRY(read_row(r, row, i, true, &count));
  for (int j = 0; j < count; j++) sum += row[j], size += RITTI_MATH(fabs)(row[j]);
  r->at = r->line + strspn(r->line, " \t");
  if (count != i)
    return refuse_text(r, "write zeros where a stage does not depend on another",
                       ritti_arena_format(r->arena,
                                          "stage %d has %d numbers in its row instead of %d", i + 1,
                                          count, i));
  if (!is_near(sum, r->c[i], size))
    return refuse_text(r, "correct c or the row",
                       ritti_arena_format(r->arena, "c is %.12g, but its row adds up to %.12g",
                                          (double)r->c[i], (double)sum));
  r->stages++;
  return RITT_OK;
}

/* "b" or "b^" */
static ritt_status read_weights(reading *r) {
  bool companion = r->at[1] == '^', *has = companion ? &r->has_companion : &r->has_b;
  const char *begin = r->at;
  int count;
  if (*has) return refuse_text(r, "keep one of them", "these weights are given twice");
  r->at += companion ? 2 : 1;
  if (companion && !r->has_b)
    return refuse_text(r, "write the line b before it", "there are no weights b yet");
  RITT_TRY(read_row(r, companion ? r->companion : r->b, r->stages, false, &count));
  r->at = begin;
  if (count != r->stages || count == 0)
    return refuse_text(
        r, "write one number for each stage",
        ritti_arena_format(r->arena, "there are %d weights for %d stages", count, r->stages));
  *has = true;
  r->weights[companion] = r->line, r->weights_number[companion] = r->number;
  return RITT_OK;
}

static ritt_status read_line(reading *r) {
  skip_blanks(r);
  if (at_end(r) || strspn(r->at, "-") >= 2) return RITT_OK;
  return *r->at == 'b' ? read_weights(r) : read_stage(r);
}

static ritt_status read_lines(reading *r, const char *text) {
  for (r->at = text, r->number = 1; *r->at; r->number++) {
    r->line = r->at;
    RITT_TRY(read_line(r));
    r->at = r->line + strcspn(r->line, "\n");
    if (*r->at) r->at++;
  }
  r->line = r->at;
  if (r->number > 1) r->number--;
  return r->has_b ? RITT_OK
                  : refuse_text(r, "write a line 'b | 1/2 1/2' after the stages",
                                "the weights b are missing");
}

/* The order of weights; what is wrong where there is none. */
static ritt_status find_order(reading *r, bool companion, int *order) {
  const ritt_real *b = companion ? r->companion : r->b;
  ritt_real *a, sum = 0;
  RITTI_NEW(a, r->arena, r->stages * r->stages);
  for (int i = 0; i < r->stages; i++)
    for (int j = 0; j < r->stages; j++) a[i * r->stages + j] = r->a[i * MOST_STAGES + j];
  RITT_TRY(ritti_order_find(r->stages, a, b, RITTI_TREE_ORDER, order));
  for (int i = 0; i < r->stages; i++) sum += b[i];
  r->at = r->line = r->weights[companion], r->number = r->weights_number[companion];
  if (*order > 0) return RITT_OK;
  return refuse_text(r, "give all digits, or quotients",
                     ritti_arena_format(r->arena, "the weights %s add up to %.15g instead of 1",
                                        companion ? "b^" : "b", (double)sum));
}

/* The last stage is the direction at the new point. */
static bool is_shared(const reading *r) {
  int last = r->stages - 1;
  if (last < 1 || r->b[last] != 0 || !is_near(r->c[last], 1, 0)) return false;
  for (int j = 0; j < last; j++)
    if (r->a[last * MOST_STAGES + j] != r->b[j]) return false;
  return true;
}

static ritt_status fill_tableau(reading *r, ritti_tableau *t) {
  ritt_real *a, *b, *c, *e;
  bool shared = r->has_companion && is_shared(r);
  int s = r->stages - shared;
  RITTI_NEW(a, r->arena, s * s);
  RITTI_NEW_ARRAYS(r->arena, s, b, c);
  RITTI_NEW(e, r->arena, s + 1);
  for (int i = 1; i < s; i++)
    for (int j = 0; j < i; j++) a[i * (i - 1) / 2 + j] = r->a[i * MOST_STAGES + j];
  for (int i = 0; i < s; i++) b[i] = r->b[i], c[i] = is_near(r->c[i], 1, 0) ? 1 : r->c[i];
  for (int i = 0; i < s + shared; i++) e[i] = r->b[i] - r->companion[i];
  *t = (ritti_tableau){
      .family = RITTI_EXPLICIT, .stages = s, .fsal = shared, .a = a, .b = b, .c = c};
  t->source = "a file";
  RITT_TRY(find_order(r, false, &t->order));
  if (!r->has_companion) return RITT_OK;
  t->e = e;
  RITT_TRY(find_order(r, true, &t->embedded));
  for (int i = 0; i < r->stages; i++)
    if (r->b[i] != r->companion[i]) return RITT_OK;
  return refuse_text(r, "leave b^ out: errors are then estimated by step doubling",
                     "the weights b and b^ are the same");
}

bool ritti_names_file(const char *name) { return strpbrk(name, "./\\") != NULL; }

ritt_status ritti_tableau_read(const char *text, const char *file, ritti_arena *arena,
                               ritt_error *error, ritti_tableau **out) {
  reading *r;
  RITTI_NEW_ARRAYS(arena, 1, r, *out);
  r->file = file, r->arena = arena, r->error = error;
  RITT_TRY(read_lines(r, text));
  RITT_TRY(fill_tableau(r, *out));
  (*out)->name =
      (*out)->embedded
          ? ritti_arena_format(arena, "%s of order %d(%d)", file, (*out)->order, (*out)->embedded)
          : ritti_arena_format(arena, "%s of order %d", file, (*out)->order);
  return (*out)->name ? RITT_OK : RITT_NO_MEMORY;
}

ritt_status ritti_tableau_read_file(const char *path, ritti_arena *arena, ritt_error *error,
                                    ritti_tableau **out) {
  ritti_text text = {0};
  ritt_status status = ritti_file_read(path, &text, error);
  ritti_text_add(&text, "%s", "");
  if (status == RITT_OK) status = text.status;
  const char *file = ritti_arena_text(arena, path, strlen(path));
  if (status == RITT_OK && !file) status = RITT_NO_MEMORY;
  if (status == RITT_OK) status = ritti_tableau_read(text.at, file, arena, error, out);
  ritti_text_free(&text);
  return status;
}
