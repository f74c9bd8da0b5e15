/* A pattern by columns: A^T x, columns side by side together.
 *
 * In: compressed rows. Out: the entries of every column, and runs of columns whose entries lie
 * alike: each term of their sums goes on by constant steps from column to column, as in a family. A
 * run is one loop over its columns with a constant number of terms; sums have their terms in the
 * order of the rows, whatever the way.
 */
#include "linalg/linalg_impl.h"

typedef struct ritti_column_term {
  int entry, row, entry_step, row_step;
} term;

/* Do the columns c - 1 and c go on from each other as `first` and `first` + 1 do? */
static bool goes_on(const ritti_columns *C, int first, int c) {
  int terms = C->start[first + 1] - C->start[first];
  if (C->start[c + 1] - C->start[c] != terms) return false;
  const ritti_column_entry *x = C->at + C->start[first], *y = C->at + C->start[c - 1];
  for (int i = 0; i < terms; i++)
    if (y[i + terms].entry - y[i].entry != x[i + terms].entry - x[i].entry ||
        y[i + terms].row - y[i].row != x[i + terms].row - x[i].row)
      return false;
  return true;
}

/* The number of columns from `first` on whose entries lie at constant distances. */
static int run_from(const ritti_columns *C, int first) {
  int c = first + 1;
  while (c < C->cols && goes_on(C, first, c)) c++;
  return c - first;
}

/* Groups the columns into runs, so that products with a run are loops without index tables. */
static ritt_status list_runs(ritti_columns *C, ritti_arena *arena) {
  int runs = 0, terms = 0;
  /* count the runs and their terms */
  for (int c = 0; c < C->cols; runs++) {
    terms += C->start[c + 1] - C->start[c];
    c += run_from(C, c);
  }
  struct ritti_column_run *run;
  term *at;
  RITTI_NEW(run, arena, runs + 1);
  RITTI_NEW(at, arena, terms + 1);
  C->run = run;
  /* of each term, the first place and the step to the next column */
  for (int c = 0; c < C->cols; run++) {
    const ritti_column_entry *x = C->at + C->start[c];
    *run = (struct ritti_column_run){c, run_from(C, c), C->start[c + 1] - C->start[c], at};
    for (int i = 0; i < run->terms; i++, at++) {
      *at = (term){x[i].entry, x[i].row, 0, 0};
      if (run->count == 1) continue;
      at->entry_step = x[i + run->terms].entry - x[i].entry;
      at->row_step = x[i + run->terms].row - x[i].row;
    }
    c += run->count;
  }
  return RITT_OK;
}

/* Lists the entries of a sparse matrix by columns. */
ritt_status ritti_columns_init(ritti_columns *columns, const ritti_pattern *p, ritti_arena *arena) {
  int *next;
  *columns = (ritti_columns){.cols = p->cols};
  RITTI_NEW(columns->start, arena, p->cols + 2);
  RITTI_NEW(columns->at, arena, ritti_entries(p) - (p->rows ? (size_t)p->start[0] : 0) + 1);
  /* the next free place of column c is one further on until the end */
  next = columns->start + 1;
  for (int e = p->rows ? p->start[0] : 0; e < (int)ritti_entries(p); e++) next[p->col[e] + 1]++;
  for (int c = 0; c < p->cols; c++) next[c + 1] += next[c];
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      columns->at[next[p->col[e]]++] = (ritti_column_entry){.entry = e, .row = i};
  return list_runs(columns, arena);
}

/* Lists the entries of a sparse matrix by rows, in the same form, so that A x uses the same
   loops as A^T x. */
ritt_status ritti_rows_init(ritti_columns *columns, const ritti_pattern *p, ritti_arena *arena) {
  int first = p->rows ? p->start[0] : 0;
  *columns = (ritti_columns){.cols = p->rows};
  RITTI_NEW(columns->start, arena, p->rows + 2);
  RITTI_NEW(columns->at, arena, ritti_entries(p) - (size_t)first + 1);
  for (int i = 0; i < p->rows; i++) {
    columns->start[i + 1] = p->start[i + 1] - first;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      columns->at[e - first] = (ritti_column_entry){.entry = e, .row = p->col[e]};
  }
  return list_runs(columns, arena);
}

/* `count` columns from number k of the run on, with this many terms; `t` is where the first column
 * has them. */
static inline void add_terms(const int terms, const term *t, ptrdiff_t k, int count,
                             const ritt_real *a, const ritt_real *x, ritt_real *restrict out) {
  for (int j = 0; j < count; j++, k++) {
    ritt_real sum = 0;
    for (int i = 0; i < terms; i++)
      sum += a[t[i].entry + k * t[i].entry_step] * x[t[i].row + k * t[i].row_step];
    out[j] = sum;
  }
}

#define OF(i)                                                                                      \
  const ritt_real *restrict a##i = a + t[i].entry + k * t[i].entry_step, *restrict x##i =          \
                                                                             x + t[i].row +        \
                                                                             k * t[i].row_step;    \
  const ptrdiff_t e##i = t[i].entry_step, r##i = t[i].row_step
#define TERM(i) a##i[j * e##i] * x##i[j * r##i]

/* Adds two terms for each column of a run. Rows that follow one another are a loop of their own,
   which the compiler can vectorise. */
static void add_two(const term *t, ptrdiff_t k, int count, const ritt_real *a, const ritt_real *x,
                    ritt_real *restrict out) {
  OF(0);
  OF(1);
  if (r0 == 1 && r1 == 1 && e0 == e1)
    for (ptrdiff_t j = 0, e = 0; j < count; j++, e += e0)
      out[j] = 0 + a0[e] * x0[j] + a1[e] * x1[j];
  else
    for (ptrdiff_t j = 0; j < count; j++) out[j] = 0 + TERM(0) + TERM(1);
}

/* Adds four terms for each column of a run, as add_two does for two. */
static void add_four(const term *t, ptrdiff_t k, int count, const ritt_real *a, const ritt_real *x,
                     ritt_real *restrict out) {
  OF(0);
  OF(1);
  OF(2);
  OF(3);
  if (r0 == 1 && r1 == 1 && r2 == 1 && r3 == 1 && e0 == e1 && e2 == e3)
    for (ptrdiff_t j = 0, e = 0, f = 0; j < count; j++, e += e0, f += e2)
      out[j] = 0 + a0[e] * x0[j] + a1[e] * x1[j] + a2[f] * x2[j] + a3[f] * x3[j];
  else
    for (ptrdiff_t j = 0; j < count; j++) out[j] = 0 + TERM(0) + TERM(1) + TERM(2) + TERM(3);
}

/* A^T x for the columns first .. first + count - 1; *at is a run at or before the first, and moves
 * on. */
void ritti_columns_times(const ritti_columns *C, int *at, int first, int count, const ritt_real *a,
                         const ritt_real *x, ritt_real *out) {
  while (count > 0) {
    const struct ritti_column_run *run = &C->run[*at];
    int k = first - run->first, n = run->count - k;
    /* the run ends before the first column */
    if (n <= 0) {
      ++*at;
      continue;
    }
    if (n > count) n = count;
    /* the common numbers of terms are constants for the compiler */
    switch (run->terms) {
    case 1: add_terms(1, run->term, k, n, a, x, out); break;
    case 2: add_two(run->term, k, n, a, x, out); break;
    case 3: add_terms(3, run->term, k, n, a, x, out); break;
    case 4: add_four(run->term, k, n, a, x, out); break;
    default: add_terms(run->terms, run->term, k, n, a, x, out);
    }
    first += n, count -= n, out += n;
  }
}
