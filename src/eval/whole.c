/* Problem -> C for native code: a whole step of an explicit method (geometry/whole.h), with the sizes and patterns of the
 * problem as constants.
 *
 * In: a Problem made by problem.c, small enough, whose tapes stand in the source already (native.c). Out: the function
 * ritt_whole behind them. Its text is that of the library, so that its bits are the library's.
 */
#include "eval/eval_impl.h"

enum { MOST_COORDINATES = 40, MOST_TOPS = 20, MOST_OPERATIONS = 1000 };

/* What the headers take from others. */
static const char before[] = "typedef _Bool bool;\ntypedef unsigned long size_t;\n"
                             "enum { false, true, RITTI_SMALL = 64 };\n"
                             "typedef struct { int rows, cols; const int *start, *col; } ritti_pattern;\n"
                             "#define inline __inline__ __attribute__((always_inline))\n"
                             "#define NULL ((void *)0)\n"
                             "#define INFINITY __builtin_inf()\n"
                             "#define RITTI_EPS 0x1p-52\n"
                             "#define RITTI_MATH(name) __builtin_##name\n";

static bool is_straight(const ritti_tape *t) {
  if (t->kernels || !t->results) return false;
  for (size_t i = 0; i < t->count; i++)
    if (t->code[i].op == RITTI_M_TABLE) return false;
  return true;
}

bool ritti_whole_fits(const ritti_problem *p) {
  const ritti_evaluator *e = p->data;
  bool formula = p->kind == RITT_EXPLICIT;
  const ritti_tape *top = formula ? &e->formula : &e->system;
  if (!formula && (!p->symmetric || p->A.rows != p->tops || p->tops > MOST_TOPS)) return false;
  if (p->m > MOST_COORDINATES || p->tops == 0) return false;
  if (!is_straight(top) || (p->k && !(is_straight(&e->f_df) && is_straight(&e->f)))) return false;
  return top->count + e->f_df.count <= MOST_OPERATIONS;
}

static void add_ints(ritti_text *out, const char *name, const int *at, size_t count) {
  ritti_text_add(out, "static const int %s[] = {", name);
  for (size_t i = 0; i < count; i++) ritti_text_add(out, "%d, ", at[i]);
  ritti_text_add(out, "0};\n");
}

static void add_pattern(ritti_text *out, const char *start, const char *col, const ritti_pattern *p) {
  add_ints(out, start, p->start, p->start ? (size_t)p->rows + 1 : 0);
  add_ints(out, col, p->col, ritti_entries(p));
}

/* A function of two groups of results, as Problems have them; 1: one is not finite. */
static void add_function(ritti_text *out, const char *name, const char *tape, size_t first, size_t second) {
  ritti_text_add(
      out,
      "static inline int %s(const void *data, double *work, const double *z, double *f, double *g) {\n"
      "  %s(z, work, f, g);\n  return !(ritti_are_finite(%zu, f) && ritti_are_finite(%zu, g));\n}\n",
      name, tape, first, second);
}

/* One of a single group, whose results are looked at where they are used. */
static void add_short(ritti_text *out, const char *name) {
  ritti_text_add(
      out,
      "static inline int whole_%s(const void *data, double *work, const double *z, double *out) {\n"
      "  ritt_%s(z, work, out, NULL);\n  return 0;\n}\n",
      name, name);
}

ritt_status ritti_whole_write(const ritti_problem *p, ritti_text *out) {
  bool formula = p->kind == RITT_EXPLICIT;
  size_t df = ritti_entries(&p->df), A = formula ? 0 : ritti_entries(&p->A);
  ritti_text_add(out, "%s", before);
  for (size_t i = 0; ritti_whole_text[i]; i++)
    ritti_text_add_bytes(out, ritti_whole_text[i], strlen(ritti_whole_text[i]));
  add_ints(out, "next_of", p->next, (size_t)p->m);
  add_pattern(out, "df_start", "df_col", &p->df);
  if (p->k) add_function(out, "whole_f_df", "ritt_f_df", (size_t)p->k, df);
  if (p->k) add_short(out, "f");
  if (formula) add_short(out, "formula");
  else {
    add_function(out, "whole_system", "ritt_system", A, (size_t)p->tops);
    RITT_TRY(ritti_whole_write_solve(p, out));
  }
  ritti_text_add(out, "static const ritti_whole_problem whole_problem = {.m = %d, .k = %d, .tops = %d,\n",
                 p->m, p->k, p->tops);
  ritti_text_add(out, "  .next = next_of, .df = {%d, %d, df_start, df_col}, %s,\n", p->k, p->m,
                 formula ? ".formula = whole_formula"
                         : ".symmetric = 1, .system = whole_system, .solve = whole_solve");
  if (p->k) ritti_text_add(out, "  .f_df = whole_f_df, .f = whole_f,\n");
  ritti_text_add(out, "  .positions = %d, .constraints = %d};\n", p->positions, p->constraints);
  ritti_text_add(out,
                 "int ritt_whole(ritti_whole *W) {\n"
                 "  double f[%d], df[%zu], mu[%d], B[%d], A[%zu], b[%d], from[%d];\n  ritti_sizes sizes[2];\n"
                 "  ritti_whole_room R = {f, df, mu, B, A, b, from, sizes};\n"
                 "  return ritti_whole_take(W, &whole_problem, &R);\n}\n",
                 p->k + 1, df + 1, p->k + 1, p->k * p->m + 1, A + 1, p->tops, p->m);
  return out->status;
}
