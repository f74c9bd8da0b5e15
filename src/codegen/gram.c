/* Rows of narrow Gram matrices as C, for native code.
 *
 * In: runs of rows that are alike. Out: a function for each pattern among them, which forms periods
 * of such rows as form_row of narrow.c does, the products in their order, so that the bits are the
 * same; the entries of a row are loaded once. If runs of both halves lie side by side, a function
 * that also eliminates them, with the first half of the solution.
 */
#include "codegen/gram.h"
#include "linalg/narrow.h"

/* Entry `entry` of row k of the period, counted from the first on; those before it are negative. */
static void write_entry(const ritti_form_run *run, const char *array, int k, int entry,
                        ritti_text *out) {
  int like = k;
  while (like < 0) like += run->period;
  ritti_text_add(out, "%s%s%d[%d * j + %d]", array, k < 0 ? "_" : "", k < 0 ? -k : k,
                 run->step[like], entry);
}

static void write_run(const ritti_form_run *run, int w, ritti_text *out) {
  ritti_text_add(
      out,
      "void ritt_form_%08lx%08lx(const double *restrict a, const double *restrict b, const int "
      "*restrict at, double *restrict r, int n) {\n",
      (unsigned long)(run->key >> 32), (unsigned long)(run->key & 0xffffffffu));
  for (int k = -w; k < run->period; k++)
    ritti_text_add(out, "  const double *a%s%d = a + at[%d], *b%s%d = b + at[%d];\n",
                   k < 0 ? "_" : "", k < 0 ? -k : k, k, k < 0 ? "_" : "", k < 0 ? -k : k, k);
  for (int same = 1; same >= 0; same--) {
    ritti_text_add(out, same ? "  if (a == b)\n" : "  else\n");
    ritti_text_add(out, "  for (__PTRDIFF_TYPE__ j = 0; j < n; j++) {\n");

    /* All rows of a period; the products are those of form_row in their order. */
    const char *other = same ? "a" : "b";
    for (int k = 0; k < run->period; k++) {
      const ritti_row_shape *g = run->shape[k];
      int i = 0;
      for (int o = w; o >= 0; o--) {
        ritti_text_add(out, "    r[%d * j + %d] = 0", run->period * (w + 1), k * (w + 1) + w - o);
        for (; i < g->end[w - o]; i++) {
          ritti_text_add(out, " + ");
          write_entry(run, "a", k, g->of[i].one, out);
          ritti_text_add(out, " * ");
          write_entry(run, other, k - o, g->of[i].two, out);
        }
        ritti_text_add(out, ";\n");
      }
    }

    ritti_text_add(out, "  }\n");
  }
  ritti_text_add(out, "}\n");
}

/* ---- pairs ---- */

/* The two halves have names of their own: of the entries, of those with weights, and of numbers. */
static const struct names {
  const char *own, *weighted, *at, *row, *r, *y;
  char mark;
} names[] = {{"a", "b", "at", "row", "r", "y", 't'}, {"c", "d", "to", "sor", "q", "z", 'u'}};

static const char *sign_of(int k) { return k < 0 ? "_" : ""; }
static int size_of(int k) { return k < 0 ? -k : k; }

/* Where rows begin, and what the first one takes from those before it: 1/D of the row o before, L
 * of row o at the place of row p, y of row o. */
static void write_begin(const ritti_form_run *run, const struct names *h, int w, ritti_text *out) {
  for (int k = -w; k < run->period; k++)
    ritti_text_add(out, "  const double *%s%s%d = a + %s[%d], *%s%s%d = b + %s[%d];\n", h->own,
                   sign_of(k), size_of(k), h->at, k, h->weighted, sign_of(k), size_of(k), h->at, k);
  for (int o = 1; o <= w; o++) {
    ritti_text_add(out, "  double %ci%d = %s[%d], %cy%d = %s[%d];\n", h->mark, o, h->r,
                   w - o * (w + 1), h->mark, o, h->y, -o);
    for (int p = o + 1; p <= w; p++)
      ritti_text_add(out, "  double %cl%d_%d = %s[%d];\n", h->mark, o, p, h->r,
                     w - (p - o) - o * (w + 1));
  }
}

/* Row k of the period: its products as form_row, then factor_row and forward_row of narrow.c. */
static void write_row(const ritti_form_run *run, const struct names *h, int k, int w,
                      const char *other, ritti_text *out) {
  const ritti_row_shape *g = run->shape[k];
  const char m = h->mark;
  int i = 0;
  ritti_text_add(out, "    {\n");
  for (int o = w; o >= 0; o--) {
    ritti_text_add(out, "    double u%d = 0", o);
    for (; i < g->end[w - o]; i++) {
      ritti_text_add(out, " + ");
      write_entry(run, h->own, k, g->of[i].one, out);
      ritti_text_add(out, " * ");
      write_entry(run, other, k - o, g->of[i].two, out);
    }
    ritti_text_add(out, ";\n");
  }
  for (int o = w - 1; o >= 1; o--)
    for (int p = w; p > o; p--) ritti_text_add(out, "    u%d -= u%d * %cl%d_%d;\n", o, p, m, o, p);
  ritti_text_add(out, "    double pivot = u0, sum = x[%s[%d * j + %d]];\n", h->row, run->period, k);
  for (int o = w; o >= 1; o--)
    ritti_text_add(out,
                   "    const double l%d = u%d * %ci%d;\n    pivot -= u%d * u%d * %ci%d;\n"
                   "    sum -= l%d * %cy%d;\n    %s[%d * j + %d] = l%d;\n",
                   o, o, m, o, o, o, m, o, o, m, o, h->r, run->period * (w + 1),
                   k * (w + 1) + w - o, o);
  for (int o = w; o >= 2; o--) {
    ritti_text_add(out, "    %ci%d = %ci%d, %cy%d = %cy%d;\n", m, o, m, o - 1, m, o, m, o - 1);
    for (int p = w; p > o; p--)
      ritti_text_add(out, "    %cl%d_%d = %cl%d_%d;\n", m, o, p, m, o - 1, p - 1);
  }
  for (int p = w; p >= 2; p--) ritti_text_add(out, "    %cl1_%d = l%d;\n", m, p, p - 1);
  ritti_text_add(out,
                 "    %s[%d * j + %d] = %ci1 = 1 / pivot;\n    %s[%d * j + %d] = %cy1 = sum;\n"
                 "    good &= (pivot > noise * u0) & (pivot < __builtin_inf());\n    }\n",
                 h->r, run->period * (w + 1), k * (w + 1) + w, m, h->y, run->period, k, m);
}

static void write_pair(const ritti_form_pair *pair, int w, ritti_text *out) {
  ritti_text_add(
      out,
      "int ritt_form_%08lx%08lx(const double *restrict a, const double *restrict b, double noise, const "
      "double *restrict x, const int *restrict at, const int *restrict row, double *restrict r, double "
      "*restrict y, const int *restrict to, const int *restrict sor, double *restrict q, double *restrict "
      "z, int n) {\n  int good = 1;\n",
      (unsigned long)(pair->key >> 32), (unsigned long)(pair->key & 0xffffffffu));
  for (int half = 0; half < 2; half++) write_begin(pair->run[half], &names[half], w, out);
  for (int same = 1; same >= 0; same--) {
    ritti_text_add(out, same ? "  if (a == b)\n" : "  else\n");
    ritti_text_add(out, "  for (__PTRDIFF_TYPE__ j = 0; j < n; j++) {\n");
    for (int k = 0; k < pair->run[0]->period; k++)
      for (int half = 0; half < 2; half++)
        write_row(pair->run[half], &names[half], k, w,
                  same ? names[half].own : names[half].weighted, out);
    ritti_text_add(out, "  }\n");
  }
  ritti_text_add(out, "  return good;\n}\n");
}

static int products_of(const ritti_form_run *run, int w) {
  int products = 0;
  for (int k = 0; k < run->period; k++) products += run->shape[k]->end[w];
  return products;
}

/* keys of the functions that are written already */
enum { MOST_KEYS = 64, LONGEST = 200 }; /* LONGEST: products of a period */
typedef struct key_list {
  int count;
  uint64_t key[MOST_KEYS];
} key_list;

/* Adds the key; false: its function is written already, or there are too many. */
static bool add_key(key_list *keys, uint64_t key) {
  for (int i = 0; i < keys->count; i++)
    if (keys->key[i] == key) return false;
  if (keys->count == MOST_KEYS) return false;
  keys->key[keys->count++] = key;
  return true;
}

static void write_matrix(const ritti_linear *L, key_list *keys, ritti_text *out) {
  const ritti_narrow *N = ritti_linear_narrow(L);
  int count;
  if (!N) return;
  int width = ritti_narrow_width(N);
  for (int half = 0; half < 2; half++) {
    const ritti_form_run *run = ritti_narrow_runs(N, half, &count);
    for (int i = 0; i < count; i++, run++)
      if (products_of(run, width) <= LONGEST && add_key(keys, run->key)) write_run(run, width, out);
  }
  const ritti_form_pair *pair = ritti_narrow_pairs(N, &count);
  for (int i = 0; i < count; i++, pair++) {
    bool is_short =
        products_of(pair->run[0], width) <= LONGEST && products_of(pair->run[1], width) <= LONGEST;
    if (is_short && add_key(keys, pair->key)) write_pair(pair, width, out);
  }
}

/* All rows of df; positions and velocities apart; the system of the highest derivatives. */
static ritt_status write_matrices(const ritti_problem *p, ritti_arena *arena, ritti_text *out) {
  key_list keys = {0};
  ritti_linear L;
  int l = p->constraints;
  unsigned char *moves;
  RITT_TRY(ritti_linear_init(&L, RITTI_GRAM, &p->df, 0, RITTI_ALGEBRA_AUTO, arena));
  write_matrix(&L, &keys, out);
  if (p->kind != RITT_HOLONOMIC) return RITT_OK;

  ritti_pattern rows = {.rows = l, .cols = p->m, .start = p->df.start, .col = p->df.col};
  RITT_TRY(ritti_linear_init(&L, RITTI_GRAM, &rows, 0, RITTI_ALGEBRA_AUTO, arena));
  write_matrix(&L, &keys, out);
  RITTI_NEW(moves, arena, p->m);
  for (int j = p->positions + 1; j < p->m; j++) moves[j] = 1;
  rows.start += l;
  RITT_TRY(ritti_linear_init_gram(&L, &rows, moves, RITTI_ALGEBRA_AUTO, arena));
  write_matrix(&L, &keys, out);
  if (!p->symmetric) return RITT_OK;

  RITT_TRY(ritti_linear_init(&L, RITTI_SYMMETRIC, &p->A, p->positions, RITTI_ALGEBRA_AUTO, arena));
  write_matrix(&L, &keys, out);
  return RITT_OK;
}

ritt_status ritti_write_gram_kernels(const ritti_problem *problem, ritti_text *out) {
  ritti_arena *arena = ritti_arena_new();
  if (!arena) return RITT_NO_MEMORY;
  ritt_status status = write_matrices(problem, arena, out);
  ritti_arena_free(arena);
  return status;
}
