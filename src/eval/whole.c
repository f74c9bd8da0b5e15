/* Problem -> C for native code: a whole step of an explicit method (geometry/whole.h), with the
 * sizes and patterns of the problem as constants.
 *
 * In: a Problem made by problem.c, small enough, whose tapes stand in the source already
 * (native.c). Out: the function ritt_whole behind them. Its text is that of the library, so that
 * its bits are the library's.
 */
#include "eval/eval_impl.h"

enum {
  MOST_COORDINATES = RITTI_KERNEL_COORDINATES,
  MOST_TOPS = 20,
  MOST_OPERATIONS = 1000,
  MOST_WRITTEN_OUT = 800
};

/* What the headers take from others. */
static const char before[] =
    "typedef _Bool bool;\ntypedef unsigned long size_t;\n"
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

void ritti_source_ints(ritti_text *out, const char *name, const int *at, size_t count) {
  ritti_text_add(out, "static const int %s[] = {", name);
  for (size_t i = 0; i < count; i++) ritti_text_add(out, "%d, ", at[i]);
  ritti_text_add(out, "0};\n");
}

static void add_pattern(ritti_text *out, const char *start, const char *col,
                        const ritti_pattern *p) {
  ritti_source_ints(out, start, p->start, p->start ? (size_t)p->rows + 1 : 0);
  ritti_source_ints(out, col, p->col, ritti_entries(p));
}

/* A function of two groups of results, as Problems have them. What is not finite is met by who uses
 * it; of what nobody uses, which is above the diagonal of a symmetric first group, it is told here,
 * since the library refuses such points. */
static void add_function(ritti_text *out, const char *name, const ritti_pattern *symmetric) {
  ritti_text_add(
      out,
      "static inline int whole_%s(const void *data, double *work, const double *z, double *f, double *g) {\n"
      "  ritt_%s(z, work, f, g);\n  return !(0",
      name, name);
  for (int i = 0; symmetric && i < symmetric->rows; i++)
    for (int e = symmetric->start[i]; e < symmetric->start[i + 1]; e++)
      if (symmetric->col[e] > i) ritti_text_add(out, " + 0 * f[%d]", e);
  ritti_text_add(out, " == 0);\n}\n");
}

static void add_reals(ritti_text *out, const char *name, const ritt_real *at, int count) {
  ritti_text_add(out, "static const double %s[] = {", name);
  for (int i = 0; at && i < count; i++) ritti_text_add(out, "%a, ", (double)at[i]);
  ritti_text_add(out, "0};\n");
}

void ritti_source_method(ritti_text *out, const char *name, const ritti_step_method *t) {
  int s = t->stages, estimates = s + t->fsal;
  add_reals(out, "method_a", t->a, s * (s - 1) / 2);
  add_reals(out, "method_b", t->b, s), add_reals(out, "method_c", t->c, s);
  add_reals(out, "method_e", t->e, estimates), add_reals(out, "method_e3", t->e3, estimates);
  ritti_text_add(
      out,
      "static const ritti_step_method %s = {%luUL, %d, %d, %d, %d, %d, method_a, method_b, "
      "method_c, %s, %s};\n",
      name, t->key, t->project_stages, t->sequential, t->weighted, s, t->fsal,
      t->e ? "method_e" : "NULL", t->e3 ? "method_e3" : "NULL");
}

/* Does the compiler get stages one by one, or as a loop? */
static bool is_short(const ritti_problem *p, const ritti_step_method *t) {
  const ritti_evaluator *e = p->data;
  const ritti_tape *top = p->kind == RITT_EXPLICIT ? &e->formula : &e->system;
  size_t solve = p->kind == RITT_EXPLICIT ? 0 : (size_t)(p->tops * p->tops),
         project = (size_t)(p->k * p->m * (p->k + 4));
  return (size_t)t->stages * (top->count + e->f_df.count + e->f.count + solve + project) <=
         MOST_WRITTEN_OUT;
}

/* One of a single group, whose results are looked at where they are used. */
static void add_short(ritti_text *out, const char *name) {
  ritti_text_add(
      out,
      "static inline int whole_%s(const void *data, double *work, const double *z, double *out) {\n"
      "  ritt_%s(z, work, out, NULL);\n  return 0;\n}\n",
      name, name);
}

ritt_status ritti_whole_write(const ritti_problem *p, const ritti_step_method *method,
                              ritti_text *out) {
  bool formula = p->kind == RITT_EXPLICIT;
  size_t df = ritti_entries(&p->df), A = formula ? 0 : ritti_entries(&p->A);
  ritti_text_add(out, "%s", before);
  if (is_short(p, method))
    ritti_text_add(
        out, "#define RITTI_UNROLLED _Pragma(\"GCC unroll 32\")\n#define RITTI_FIRST_APART 1\n");
  for (size_t i = 0; ritti_whole_text[i]; i++)
    ritti_text_add_bytes(out, ritti_whole_text[i], strlen(ritti_whole_text[i]));
  ritti_source_ints(out, "next_of", p->next, (size_t)p->m);
  add_pattern(out, "df_start", "df_col", &p->df);
  if (p->k) add_function(out, "f_df", NULL);
  if (p->k) add_short(out, "f");
  if (formula) add_short(out, "formula");
  else {
    add_function(out, "system", &p->A);
    RITT_TRY(ritti_whole_write_solve(p, false, out));
  }
  ritti_text_add(
      out, "static const ritti_whole_problem whole_problem = {.m = %d, .k = %d, .tops = %d,\n",
      p->m, p->k, p->tops);
  ritti_text_add(out, "  .next = next_of, .df = {%d, %d, df_start, df_col}, %s,\n", p->k, p->m,
                 formula ? ".formula = whole_formula"
                         : ".symmetric = 1, .system = whole_system, .solve = whole_solve");
  if (p->k)
    ritti_text_add(out, "  .f_df = whole_f_df, .f = whole_f, .single = %d,\n",
                   ritti_pattern_is_sorted(&p->df));
  ritti_text_add(out, "  .positions = %d, .constraints = %d};\n", p->positions, p->constraints);
  ritti_source_method(out, "method", method);
  int k = p->k, m = p->m, s = method->stages + 1;
  ritti_text_add(
      out,
      "int ritt_whole(ritti_step_job *W) {\n"
      "  double f[%d], df[%zu], mu[%d], B[%d], dB[%d], A[%zu], b[%d], top[%d], Vs[%d], *V[%d];\n"
      "  double from[%d], per[%d], z[%d], point[%d], z_new[%d];\n  ritti_sizes sizes[2];\n",
      k + 1, df + 1, k + 1, k * m + 1, k * m + 1, A + 1, p->tops, p->tops, s * m, s, m, m, m, m, m);
  ritti_text_add(
      out,
      "  ritti_whole_room R = {f, df, mu, B, dB, A, b, from, per, z, point, z_new, top, V, sizes};\n"
      "  RITTI_UNROLLED\n  for (int i = 0; i < %d; i++) V[i] = Vs + %d * i;\n"
      "  return ritti_whole_take(W, &whole_problem, &method, &R);\n}\n",
      s, m);
  ritti_text_add(out, "unsigned long ritt_whole_key(void) { return method.key; }\n");
  return out->status;
}
