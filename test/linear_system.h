/* Linear systems with constant coefficients, written as text and kept as residues, and what is true
 * of them by ranks of the whole derivative array modulo 2^61 - 1.
 *
 * The forcing is a combination of ten functions that are linearly independent and whose derivatives
 * are combinations of the same ten, so it enters the array as ten more columns. Rows are
 * eliminated in the order of differentiation; a row's pivot is taken above the tops (jets of the
 * highest order that is written of each unknown), then among them, then below. */
#ifndef RITT_TEST_LINEAR_SYSTEM_H
#define RITT_TEST_LINEAR_SYSTEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "modular.h"

enum {
  LINEAR_MOST = 44,   /* equations, unknowns */
  LINEAR_ORDERS = 3,  /* 0, 1, 2 */
  LINEAR_BASIS = 10,  /* 1, t, t^2, t^3, sin t, cos t, sin 2t, cos 2t, exp t, exp(-t) */
  LINEAR_TEXT = 8192, /* of one equation */
  LINEAR_NAME = 16
};

static const char *const linear_function[LINEAR_BASIS] = {
    "1", "t", "t^2", "t^3", "sin(t)", "cos(t)", "sin(2*t)", "cos(2*t)", "exp(t)", "exp(-t)"};

/* Unknowns without derivative may be open in LINEAR_EITHER: there are as many equations too many,
 * and it is a matter of convention whether that is underdetermined. */
typedef enum {
  LINEAR_DETERMINED,
  LINEAR_EITHER,
  LINEAR_UNDERDETERMINED,
  LINEAR_INCONSISTENT
} linear_verdict;

typedef struct linear_system {
  int unknowns, equations;
  char name[LINEAR_MOST][LINEAR_NAME];
  char equation[LINEAR_MOST][LINEAR_TEXT]; /* the left side, equal to 0 */
  residue entry[LINEAR_MOST][LINEAR_MOST][LINEAR_ORDERS];
  residue forcing[LINEAR_MOST][LINEAR_BASIS];
  /* what is true, after linear_find_truth */
  int order[LINEAR_MOST]; /* of each unknown, the highest that is written */
  bool open[LINEAR_MOST];
  linear_verdict verdict;
  int free_values, index, hidden; /* -1: not defined */
} linear_system;

static inline __attribute__((format(printf, 3, 4))) void linear_write(char *text, size_t room,
                                                                      const char *format, ...) {
  size_t have = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  int more = vsnprintf(text + have, room - have, format, arguments);
  va_end(arguments);
  if (more >= 0 && (size_t)more < room - have) return;
  printf("a text is too long\n");
  exit(1);
}

/* numerator / denominator * 10^ten */
typedef struct linear_number {
  long numerator, denominator;
  int ten;
} linear_number;

static inline residue linear_residue(linear_number a) {
  residue ten = mod_power(10, (residue)abs(a.ten));
  residue r = mod_multiply(mod_integer(a.numerator), mod_inverse(mod_integer(a.denominator)));
  return mod_multiply(r, a.ten < 0 ? mod_inverse(ten) : ten);
}

static inline void linear_write_number(linear_system *S, int i, linear_number a) {
  char *text = S->equation[i];
  linear_write(text, LINEAR_TEXT, "%s%ld", *text ? " + " : "", a.numerator);
  if (a.ten) linear_write(text, LINEAR_TEXT, "e%d", a.ten);
  if (a.denominator != 1) linear_write(text, LINEAR_TEXT, "/%ld", a.denominator);
}

/* Adds a * y_j^(order) to equation i, without text. */
static inline void linear_add_entry(linear_system *S, int i, int j, int order, residue a) {
  S->entry[i][j][order] = mod_add(S->entry[i][j][order], a);
}

/* Adds a * y_j^(order) to equation i. */
static inline void linear_add(linear_system *S, int i, int j, int order, linear_number a) {
  static const char *const prime[] = {"", "'", "''"};
  if (!a.numerator) return;
  linear_add_entry(S, i, j, order, linear_residue(a));
  linear_write_number(S, i, a);
  linear_write(S->equation[i], LINEAR_TEXT, "*%s%s", S->name[j], prime[order]);
}

/* Adds a * function to equation i. */
static inline void linear_force(linear_system *S, int i, int function, linear_number a) {
  if (!a.numerator) return;
  S->forcing[i][function] = mod_add(S->forcing[i][function], linear_residue(a));
  linear_write_number(S, i, a);
  linear_write(S->equation[i], LINEAR_TEXT, "*%s", linear_function[function]);
}

/* The derivative of a combination of the ten functions, in place. */
static inline void linear_differentiate(residue f[LINEAR_BASIS]) {
  residue g[LINEAR_BASIS] = {f[1],
                             mod_multiply(2, f[2]),
                             mod_multiply(3, f[3]),
                             0,
                             mod_negate(f[5]),
                             f[4],
                             mod_negate(mod_multiply(2, f[7])),
                             mod_multiply(2, f[6]),
                             f[8],
                             mod_negate(f[9])};
  memcpy(f, g, sizeof g);
}

/* ---- the derivative array ---- */

typedef struct linear_array {
  int width, orders; /* columns: orders of each unknown, then the ten functions */
  int rows;
  residue *row;
  int *pivot; /* column of each row; its entry is 1 */
  bool contradiction;
  int tops[64]; /* pivots among the tops after 0, 1, ... differentiations */
} linear_array;

static inline void *linear_memory(size_t count, size_t size) {
  void *p = calloc(count + 1, size);
  if (p) return p;
  printf("out of memory\n");
  exit(1);
}

/* 0: above, 1: a top, 2: below; top -1: every jet is above */
static inline int linear_class(const linear_array *A, const int *top, int column) {
  int order = column % A->orders, highest = top[column / A->orders];
  if (order > highest) return 0;
  return order == highest ? 1 : 2;
}

/* One more row, which is in A->row behind the others; returns the class of its pivot, 3: none. */
static inline int linear_reduce_row(linear_array *A, const int *top) {
  residue *row = A->row + (size_t)A->rows * (size_t)A->width;
  int columns = A->width - LINEAR_BASIS, best = 3, pivot = -1;
  for (int k = 0; k < A->rows; k++) {
    const residue *other = A->row + (size_t)k * (size_t)A->width;
    residue factor = mod_negate(row[A->pivot[k]]);
    if (!factor) continue;
    for (int c = 0; c < A->width; c++)
      if (other[c]) row[c] = mod_add(row[c], mod_multiply(factor, other[c]));
  }
  for (int c = 0; c < columns; c++) {
    if (!row[c] || linear_class(A, top, c) >= best) continue;
    best = linear_class(A, top, c);
    pivot = c;
  }
  if (pivot < 0) {
    for (int c = columns; c < A->width; c++) A->contradiction = A->contradiction || row[c];
    memset(row, 0, (size_t)A->width * sizeof *row);
    return best;
  }
  residue inverse = mod_inverse(row[pivot]);
  for (int c = 0; c < A->width; c++) row[c] = mod_multiply(row[c], inverse);
  A->pivot[A->rows++] = pivot;
  return best;
}

/* The array of all equations differentiated 0 .. most times. */
static inline linear_array linear_make_array(const linear_system *S, int most, const int *top) {
  linear_array A = {.orders = most + LINEAR_ORDERS};
  A.width = S->unknowns * A.orders + LINEAR_BASIS;
  A.row = linear_memory((size_t)(S->equations * (most + 1) + 1) * (size_t)A.width, sizeof *A.row);
  A.pivot = linear_memory((size_t)(S->equations * (most + 1)), sizeof *A.pivot);
  int tops = 0;
  for (int r = 0; r <= most; r++) {
    for (int i = 0; i < S->equations; i++) {
      residue *row = A.row + (size_t)A.rows * (size_t)A.width;
      for (int j = 0; j < S->unknowns; j++)
        for (int k = 0; k < LINEAR_ORDERS; k++) row[j * A.orders + k + r] = S->entry[i][j][k];
      memcpy(row + A.width - LINEAR_BASIS, S->forcing[i], sizeof S->forcing[i]);
      for (int k = 0; k < r; k++) linear_differentiate(row + A.width - LINEAR_BASIS);
      tops += linear_reduce_row(&A, top) == 1;
    }
    A.tops[r] = tops;
  }
  return A;
}

static inline void linear_free_array(linear_array *A) {
  free(A->row);
  free(A->pivot);
}

/* Which tops the rows leave open: random values of the tops without a pivot, the others from the
 * rows, the last first. */
static inline void linear_find_open(linear_system *S, const linear_array *A) {
  residue value[LINEAR_MOST];
  bool determined[LINEAR_MOST] = {false};
  for (int k = 0; k < A->rows; k++)
    if (linear_class(A, S->order, A->pivot[k]) == 1) determined[A->pivot[k] / A->orders] = true;
  for (int j = 0; j < S->unknowns; j++)
    value[j] = determined[j] ? 0 : mod_power(7, (residue)(1000003 * (j + 1)));
  for (int k = A->rows - 1; k >= 0; k--) {
    int here = A->pivot[k] / A->orders;
    if (linear_class(A, S->order, A->pivot[k]) != 1) continue;
    residue sum = 0;
    for (int j = 0; j < S->unknowns; j++) {
      if (j == here) continue;
      residue a = A->row[(size_t)k * (size_t)A->width + (size_t)(j * A->orders + S->order[j])];
      sum = mod_add(sum, mod_multiply(a, value[j]));
    }
    value[here] = mod_negate(sum);
  }
  for (int j = 0; j < S->unknowns; j++) S->open[j] = value[j] != 0;
}

/* Verdict, free initial values, index and hidden constraints, if `most` differentiations are enough. */
static inline void linear_find_truth(linear_system *S, int most) {
  int lower = 0, conditions = 0, tops = 0, closed = 0, z[LINEAR_MOST];
  bool moving = false;
  S->free_values = S->index = S->hidden = -1;
  for (int j = 0; j < S->unknowns; j++) {
    S->order[j] = 0;
    for (int i = 0; i < S->equations; i++)
      for (int k = 0; k < LINEAR_ORDERS; k++)
        if (S->entry[i][j][k] && k > S->order[j]) S->order[j] = k;
    lower += S->order[j];
  }
  linear_array A = linear_make_array(S, most, S->order);
  bool contradiction = A.contradiction;
  for (int k = 0; k < A.rows; k++) {
    int class = linear_class(&A, S->order, A.pivot[k]);
    tops += class == 1;
    conditions += class == 2;
  }
  linear_find_open(S, &A);
  linear_free_array(&A);

  for (int j = 0; j < S->unknowns; j++) moving = moving || (S->open[j] && S->order[j] > 0);
  int opens = S->unknowns - tops;
  if (contradiction) S->verdict = LINEAR_INCONSISTENT;
  else if (moving || (opens > 0 && S->equations < S->unknowns)) S->verdict = LINEAR_UNDERDETERMINED;
  else S->verdict = opens > 0 ? LINEAR_EITHER : LINEAR_DETERMINED;
  if (S->verdict != LINEAR_DETERMINED && S->verdict != LINEAR_EITHER) return;

  S->free_values = lower - conditions;
  for (int j = 0; j < S->unknowns; j++) {
    z[j] = S->open[j] ? -1 : S->order[j] > 1 ? S->order[j] : 1;
    closed += !S->open[j];
  }
  A = linear_make_array(S, most, z);
  for (int r = most; r >= 0; r--)
    if (A.tops[r] == closed) S->index = r;
  linear_free_array(&A);

  /* hidden: what the equations as written allow of the jets below z, minus what there is */
  A = linear_make_array(S, 0, z);
  S->hidden = -S->free_values;
  for (int j = 0; j < S->unknowns; j++) S->hidden += z[j] > 0 ? z[j] : 0;
  for (int k = 0; k < A.rows; k++) S->hidden -= linear_class(&A, z, A.pivot[k]) == 2;
  linear_free_array(&A);
}

#endif
