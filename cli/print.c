/* Printing: messages with their place in the model, texts on stdout, and members of a JSON object.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli.h"

/* Prints a line of the model; control characters other than the tab could disturb the terminal. */
static void put_line(const char *line) {
  fputs("  ", stderr);
  for (const char *c = line; *c; c++)
    fputc(((unsigned char)*c < 0x20 && *c != '\t') || *c == 0x7f ? '?' : *c, stderr);
  fputc('\n', stderr);
}

/* Prints a caret under a column. Columns count characters, and bytes 10xxxxxx belong to the
 * character before them. */
static void put_caret(const char *line, int column) {
  fputs("  ", stderr);
  for (int at = 1; at < column; at++) {
    fputc(*line == '\t' ? '\t' : ' ', stderr);
    if (*line) line++;
    while (((unsigned char)*line & 0xc0) == 0x80) line++;
  }
  fputs("^\n", stderr);
}

/* Prints a message: its place, its text, the line of the model, and its hint. */
static void print_message(const ritt_message *m) {
  if (m->line <= 0) fprintf(stderr, "ritt: error: %s\n", m->text);
  else if (m->column <= 0)
    fprintf(stderr, "%s:%d: error: %s\n", m->file ? m->file : "model", m->line, m->text);
  else
    fprintf(stderr, "%s:%d:%d: error: %s\n", m->file ? m->file : "model", m->line, m->column,
            m->text);
  if (m->line > 0 && m->source) {
    put_line(m->source);
    if (m->column > 0) put_caret(m->source, m->column);
  }
  if (m->hint) fprintf(stderr, "  hint: %s\n", m->hint);
}

void cli_print_messages(const ritt_error *error, ritt_status status) {
  if (status != RITT_OK && !ritt_error_count(error))
    fprintf(stderr, "ritt: error: %s\n", ritt_status_text(status));
  for (size_t i = 0; i < ritt_error_count(error); i++) print_message(ritt_error_get(error, i));
}

int cli_print(ritti_text *text) {
  ritt_status status = text->status;
  if (status == RITT_OK &&
      (fwrite(text->at, 1, text->count, stdout) != text->count || fflush(stdout) != 0)) {
    status = RITT_SYSTEM;
    const char *words = strerror(errno);
    fprintf(stderr, "ritt: error: cannot write to stdout: %c%s\n", tolower((unsigned char)words[0]),
            words + 1);
  } else if (status != RITT_OK) fprintf(stderr, "ritt: error: %s\n", ritt_status_text(status));
  ritti_text_free(text);
  return ritt_status_exit_code(status);
}

/* ---- JSON ---- */

void cli_json_key(ritti_text *out, const char *key) {
  ritti_text_add(out, out->count ? ",\n  " : "{\n  ");
  ritti_text_add_json(out, key);
  ritti_text_add(out, ": ");
}

/* Adds a number; null if it is not finite. */
static void add_real(ritti_text *out, double value) {
  if (isfinite(value)) ritti_text_add(out, "%.17g", value);
  else ritti_text_add(out, "null");
}

void cli_json_text(ritti_text *out, const char *key, const char *value) {
  cli_json_key(out, key);
  if (value) ritti_text_add_json(out, value);
  else ritti_text_add(out, "null");
}

void cli_json_count(ritti_text *out, const char *key, long value) {
  cli_json_key(out, key);
  if (value == RITT_UNKNOWN) ritti_text_add(out, "null");
  else ritti_text_add(out, "%ld", value);
}

void cli_json_truth(ritti_text *out, const char *key, bool value) {
  cli_json_key(out, key);
  ritti_text_add(out, value ? "true" : "false");
}

void cli_json_real(ritti_text *out, const char *key, double value) {
  cli_json_key(out, key);
  add_real(out, value);
}

void cli_json_list(ritti_text *out, const char *key, const char *const *item, size_t count) {
  cli_json_key(out, key);
  ritti_text_add(out, "[");
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ritti_text_add(out, ", ");
    ritti_text_add_json(out, item[i]);
  }
  ritti_text_add(out, "]");
}

/* Adds numbers in brackets. */
static void add_vector(ritti_text *out, const double *value, size_t count) {
  ritti_text_add(out, "[");
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ritti_text_add(out, ", ");
    add_real(out, value[i]);
  }
  ritti_text_add(out, "]");
}

void cli_json_vector(ritti_text *out, const char *key, const double *value, size_t count) {
  cli_json_key(out, key);
  add_vector(out, value, count);
}

void cli_json_matrix(ritti_text *out, const char *key, const double *value, size_t rows,
                     size_t columns) {
  cli_json_key(out, key);
  ritti_text_add(out, "[");
  for (size_t i = 0; i < rows; i++) {
    if (i > 0) ritti_text_add(out, ", ");
    add_vector(out, value + i * columns, columns);
  }
  ritti_text_add(out, "]");
}

void cli_json_moved(ritti_text *out, const ritt_moved *moved, size_t count) {
  cli_json_key(out, "moved");
  ritti_text_add(out, "[");
  for (size_t i = 0; i < count; i++) {
    ritti_text_add(out, "%s{\"name\": ", i ? ", " : "");
    ritti_text_add_json(out, moved[i].name);

    /* the value in the model, the value used, and their difference */
    ritti_text_add(out, ", \"typed\": ");
    add_real(out, moved[i].typed);
    ritti_text_add(out, ", \"used\": ");
    add_real(out, moved[i].used);
    ritti_text_add(out, ", \"difference\": ");
    add_real(out, moved[i].used - moved[i].typed);
    ritti_text_add(out, "}");
  }
  ritti_text_add(out, "]");
}

void cli_json_row(ritti_text *out, const char *key, const char *const *name, const double *value,
                  size_t count) {
  cli_json_key(out, key);
  ritti_text_add(out, count ? "{" : "null");
  for (size_t i = 0; i < count; i++) {
    if (i) ritti_text_add(out, ", ");
    ritti_text_add_json(out, name[i]);
    ritti_text_add(out, ": ");
    add_real(out, value[i]);
  }
  if (count) ritti_text_add(out, "}");
}

void cli_json_special(ritti_text *out, const ritt_special *special, int count) {
  cli_json_key(out, "special_points");
  ritti_text_add(out, "[");
  for (int i = 0; i < count; i++) {
    const ritt_special *p = &special[i];
    ritti_text_add(out, "%s\n    {\"kind\": ", i ? "," : "");
    ritti_text_add_json(out, p->kind);

    /* the place */
    ritti_text_add(out, ", \"passed\": %s, \"x\": ", p->passed ? "true" : "false");
    add_real(out, p->x);
    ritti_text_add(out, ", \"arc\": ");
    add_real(out, p->arc);
    ritti_text_add(out, ", \"point\": ");
    ritti_text_add_json(out, p->point);

    /* the linearization */
    ritti_text_add(out, ", \"singular_values\": [");
    for (int k = 0; k < p->sigmas; k++) {
      ritti_text_add(out, "%s", k ? ", " : "");
      add_real(out, p->sigma[k]);
    }
    ritti_text_add(out, "], \"eigenvalues\": [");
    for (int k = 0; k < 2 && isfinite(p->eigenvalue[0][0]); k++) {
      ritti_text_add(out, "%s[", k ? ", " : "");
      add_real(out, p->eigenvalue[k][0]);
      ritti_text_add(out, ", ");
      add_real(out, p->eigenvalue[k][1]);
      ritti_text_add(out, "]");
    }
    ritti_text_add(out, "]}");
  }
  ritti_text_add(out, "]");
}

int cli_print_json(ritti_text *out) {
  ritti_text_add(out, "\n}\n");
  return cli_print(out);
}

void cli_add_time(ritti_text *out, double seconds) {
  /* 0.9995 and more are 1.00 with three digits */
  if (seconds < 0.9995e-3) ritti_text_add(out, "%.3g us", 1e6 * seconds);
  else if (seconds < 0.9995) ritti_text_add(out, "%.3g ms", 1e3 * seconds);
  else if (seconds < 999.5) ritti_text_add(out, "%.3g s", seconds);
  else ritti_text_add(out, "%.0f s", seconds);
}
