/* Rows of narrow Gram matrices as C, for native code.
 *
 * In: runs of rows that are alike. Out: a function for each pattern among them, which forms periods of such rows as form_row of
 * narrow.c does, the products in their order, so that the bits are the same; the entries of a row are loaded once.
 */
#include "linalg/sparse_impl.h"

/* Entry `entry` of row k of the period, counted from the first on; those before it are negative. */
static void write_entry(const ritti_form_run *run, const char *array, int k, int entry, ritti_text *out) {
  int like = k;
  while (like < 0) like += run->period;
  ritti_text_add(out, "%s%s%d[%d * j + %d]", array, k < 0 ? "_" : "", k < 0 ? -k : k, run->step[like], entry);
}

/* All rows of a period; the products are those of form_row in their order. */
static void write_rows(const ritti_form_run *run, int w, const char *other, ritti_text *out) {
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
}

static void write_run(const ritti_form_run *run, int w, ritti_text *out) {
  ritti_text_add(out,
                 "void ritt_form_%08lx%08lx(const double *restrict a, const double *restrict b, const int "
                 "*restrict at, double *restrict r, int n) {\n",
                 (unsigned long)(run->key >> 32), (unsigned long)(run->key & 0xffffffffu));
  for (int k = -w; k < run->period; k++)
    ritti_text_add(out, "  const double *a%s%d = a + at[%d], *b%s%d = b + at[%d];\n", k < 0 ? "_" : "",
                   k < 0 ? -k : k, k, k < 0 ? "_" : "", k < 0 ? -k : k, k);
  for (int same = 1; same >= 0; same--) {
    ritti_text_add(out, same ? "  if (a == b)\n" : "  else\n");
    ritti_text_add(out, "  for (__PTRDIFF_TYPE__ j = 0; j < n; j++) {\n");
    write_rows(run, w, same ? "a" : "b", out);
    ritti_text_add(out, "  }\n");
  }
  ritti_text_add(out, "}\n");
}

void ritti_narrow_write_forms(const ritti_narrow *N, ritti_form_keys *keys, ritti_text *out) {
  enum { LONGEST = 200 }; /* products of a period */
  int width = ritti_narrow_width(N);
  for (int which = 0, count; which < 2; which++) {
    const ritti_form_run *run = ritti_narrow_runs(N, which, &count);
    for (int i = 0; i < count; i++, run++) {
      int known = 0, products = 0;
      for (int k = 0; k < run->period; k++) products += run->shape[k]->end[width];
      while (known < keys->count && keys->key[known] != run->key) known++;
      if (known < keys->count || keys->count == RITTI_FORM_KEYS || products > LONGEST) continue;
      keys->key[keys->count++] = run->key;
      write_run(run, width, out);
    }
  }
}
