/* Problem -> C for native code: one assembler of units { prologue, tapes, kernel text, constants of
 * the problem, method }.
 *
 * In: a Problem made by eval. Out: a source that needs no header and holds nothing of the model except
 * numbers, to be compiled in the background and loaded. It has the tapes, and for a small
 * problem the step kernel (geometry/step_kernel.h) with the sizes, patterns and method as constants:
 * for one run behind the tapes, for a batch of runs as a source of its own. Problems of one batch
 * differ in the numbers of their rows alone, so that the runs of a sweep share it. The text of
 * the kernel is that of the library, so that the bits are the same.
 */
#include "codegen/codegen_impl.h"
#include "codegen/gram.h"
#include "geometry/crossing.h"
#include "geometry/leg.h"

enum {
  MOST_COORDINATES = RITTI_KERNEL_COORDINATES,
  MOST_TOPS = 20,
  MOST_STAGE_COORDINATES = 24,
  MOST_UNROLLED_COORDINATES = 8,
  MOST_OPERATIONS = 1000,
  MOST_BATCH_OPERATIONS = 300,
  MOST_UNROLLED = 800,
  MOST_TANGENTS = 8,
  MOST_TANGENT_OPERATIONS = 4000
};

/* What the texts take from headers that are not part of them. */
static const char common[] = "typedef _Bool bool;\ntypedef unsigned long size_t;\n"
                             "enum { false, true, RITTI_SMALL = 64, RITTI_MOST_STAGES = 8 };\n"
                             "#define NULL ((void *)0)\n"
                             "#define INFINITY __builtin_inf()\n"
                             "#define RITTI_EPS 0x1p-52\n";

/* Functions of the kernel are compiled for their constant arguments. */
static const char kernel_words[] =
    "typedef struct { int rows, cols; const int *start, *col; } ritti_pattern;\n"
    "#define inline __inline__ __attribute__((always_inline))\n"
    "#define RITTI_INLINE inline\n";

static const char one_run[] =
    "typedef double ritt_real;\n#define RITTI_MATH(name) __builtin_##name\n";

/* The words of base/width.h for vectors; RITTI_WIDTH is defined. */
static const char batch[] =
    "#define RITTI_WIDTH_H\n"
    "typedef double ritti_single;\n"
    "typedef double ritt_real __attribute__((vector_size(8 * RITTI_WIDTH)));\n"
    "typedef __INT64_TYPE__ ritti_mask __attribute__((vector_size(8 * RITTI_WIDTH)));\n"
    "typedef ritti_mask ritti_count;\n"
    "#define RITTI_ZERO ((ritt_real){0})\n"
    "#define RITTI_ALONE 0\n"
    "#define RITTI_NO_LANE ((ritti_mask){0})\n"
    "#define RITTI_ALL_LANES (~RITTI_NO_LANE)\n"
    "#define RITTI_ANY(mask) is_any(mask)\n"
    "#define RITTI_NONE(mask) (!is_any(mask))\n"
    "#define RITTI_NOT(mask) (~(mask))\n"
    "#define RITTI_AND(a, b) ((a) & (b))\n"
    "#define RITTI_OR(a, b) ((a) | (b))\n"
    "#define RITTI_SELECT(condition, yes, no) "
    "((__typeof__(yes))(((condition) & (ritti_mask)(yes)) | (~(condition) & (ritti_mask)(no))))\n"
    "#define RITTI_STORE_UNLESS(condition, place, value) "
    "((place) = RITTI_SELECT(condition, place, value))\n"
    "#define RITTI_IF_ON(on, value, old) RITTI_SELECT(on, value, old)\n"
    "#define RITTI_COUNT_ONE(counter, on) ((counter) -= (on))\n"
    "#define RITTI_LANE(number, l) ((number)[l])\n"
    "#define RITTI_MATH(name) vector_##name\n"
    "typedef ritti_mask ritti_bits;\n"
    "#define RITTI_TO_BITS(number) ((ritti_bits)(number))\n"
    "#define RITTI_TO_REAL(bits) ((ritt_real)(bits))\n"
    "#define RITTI_ONE_TO_BITS(number) "
    "(((union { double number; __INT64_TYPE__ bits; }){number}).bits)\n"
    "static inline int is_any(ritti_mask on) {\n"
    "#if RITTI_WIDTH == 8 && defined(__AVX512DQ__) && !defined(__clang__)\n"
    "  return __builtin_ia32_cvtq2mask512((long long __attribute__((vector_size(64))))on) != 0;\n"
    "#elif RITTI_WIDTH == 4 && defined(__AVX2__)\n"
    "  return __builtin_ia32_movmskpd256((ritt_real)on) != 0;\n"
    "#else\n  long some = 0;\n"
    "  for (int l = 0; l < RITTI_WIDTH; l++) some |= on[l];\n  return some != 0;\n#endif\n}\n"
    "static inline ritt_real vector_fabs(ritt_real a) {\n"
    "  return (ritt_real)((ritti_mask)a & 0x7fffffffffffffff);\n}\n"
    "static inline ritt_real vector_sqrt(ritt_real a) {\n"
    "  for (int l = 0; l < RITTI_WIDTH; l++) a[l] = __builtin_sqrt(a[l]);\n  return a;\n}\n";

/* ---- what fits ---- */

static const ritti_tape *find_top_tape(const ritti_problem *p) {
  const ritti_evaluator *e = p->data;
  return p->kind == RITT_EXPLICIT ? &e->formula : &e->system;
}

static bool is_straight(const ritti_tape *t) {
  return !t->kernels && t->results && !ritti_looks_up_tables(t->code, t->count);
}

bool ritti_unit_fits(const ritti_problem *p) {
  const ritti_evaluator *e = p->data;
  const ritti_tape *top = find_top_tape(p);
  if (p->kind != RITT_EXPLICIT && (!p->symmetric || p->A.rows != p->tops || p->tops > MOST_TOPS))
    return false;
  if (p->m > MOST_COORDINATES || p->tops == 0) return false;
  if (!is_straight(top) || (p->k && !(is_straight(&e->f_df) && is_straight(&e->f)))) return false;
  return top->count + e->f_df.count <= MOST_OPERATIONS;
}

bool ritti_stages_fit(const ritti_problem *p) {
  return p->kind == RITT_EXPLICIT && p->m <= MOST_STAGE_COORDINATES && ritti_unit_fits(p);
}

bool ritti_batch_fits(const ritti_problem *p, const ritti_step_method *method) {
  const ritti_evaluator *e = p->data;
  return ritti_unit_fits(p) && ritti_are_small_rows(method->sequential, p->constraints, p->k) &&
         find_top_tape(p)->count + e->f_df.count + e->f.count <= MOST_BATCH_OPERATIONS;
}

/* Is the step short enough for its loops over stages to be unrolled? */
static bool is_short(const ritti_problem *p, const ritti_step_method *t) {
  const ritti_evaluator *e = p->data;
  size_t solve = p->kind == RITT_EXPLICIT ? 0 : (size_t)(p->tops * p->tops),
         project = (size_t)(p->k * p->m * (p->k + 4));
  size_t stage = find_top_tape(p)->count + e->f_df.count + e->f.count + solve + project;
  return (size_t)t->stages * stage <= MOST_UNROLLED;
}

/* ---- parts of a unit ---- */

static void add_lines(ritti_text *out, const char *const *line) {
  for (size_t i = 0; line[i]; i++) ritti_text_add_bytes(out, line[i], strlen(line[i]));
}

/* The elementary functions, if tapes call them. */
static void add_elementary(ritti_text *out, const ritti_tape_entry *at, int count) {
  bool called = false;
  for (int i = 0; i < count && !called; i++) {
    const ritti_tape *tape = at[i].tape;
    called = tape->kernels || tape->loops || ritti_calls_functions(tape->code, tape->count);
  }
  if (called) add_lines(out, ritti_elementary_text);
}

/* The functions of the step's problem, over the tapes. */
static ritt_status add_functions(const ritti_problem *p, ritti_text *out) {
  if (p->k)
    ritti_text_add(out,
                   "static inline int step_f(const void *data, ritt_real *work, const ritt_real "
                   "*z, ritt_real *f) {\n  ritt_f(z, work, f, NULL);\n  return 0;\n}\n"
                   "static inline int step_f_df(const void *data, ritt_real *work, const "
                   "ritt_real *z, ritt_real *f, ritt_real *df) {\n"
                   "  ritt_f_df(z, work, f, df);\n  return 0;\n}\n");
  if (p->kind != RITT_EXPLICIT) RITT_TRY(ritti_write_solve(p, out));
  ritti_text_add(out, "static inline ritti_mask step_top(const void *data, ritt_real *work, const "
                      "ritt_real *z, ritt_real *factors, ritt_real *top) {\n");
  if (p->kind == RITT_EXPLICIT) {
    ritti_text_add(out, "  ritt_formula(z, work, top, NULL);\n  return RITTI_ALL_LANES;\n}\n");
    return out->status;
  }

  /* Values that are not finite spoil the solution, except those above the diagonal, which it does
   * not read: the library refuses such points, so they are checked here. */
  ritti_text_add(out,
                 "  ritt_real A[%zu], b[%d];\n  ritt_system(z, work, A, b);\n"
                 "  const ritti_mask finite = (RITTI_ZERO",
                 ritti_entries(&p->A) + 1, p->tops);
  for (int i = 0; i < p->A.rows; i++)
    for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++)
      if (p->A.col[e] > i) ritti_text_add(out, " + 0 * A[%d]", e);
  ritti_text_add(out, ") == 0;\n  if (RITTI_ALONE && !RITTI_ANY(finite)) return finite;\n"
                      "  return RITTI_AND(finite, step_solve(A, b, factors, top));\n}\n");
  return out->status;
}

/* The arrays of a method, with their lengths */
enum { ROWS = 5 };
static const char *const row_name[ROWS] = {"a", "b", "c", "e", "e3"};
static void list_rows(const ritti_step_method *method, const ritti_single *row[ROWS],
                      size_t length[ROWS]) {
  const size_t s = (size_t)method->stages, estimates = s + (size_t)method->fsal;
  row[0] = method->a, row[1] = method->b, row[2] = method->c, row[3] = method->e;
  row[4] = method->e3;
  length[0] = s * (s - 1) / 2, length[1] = length[2] = s;
  length[3] = method->e ? estimates : 0, length[4] = method->e3 ? estimates : 0;
}

static void add_method(const ritti_step_method *method, ritti_text *out) {
  const ritti_single *row[ROWS];
  size_t length[ROWS];
  char name[32];
  list_rows(method, row, length);
  for (int i = 0; i < ROWS; i++) {
    ritti_format(name, sizeof name, "method_%s", row_name[i]);
    ritti_write_reals(out, name, row[i], length[i]);
  }
}

/* The same for a GPU, before the kernel text: all arrays in one, which decides what is 0, and again in
 * the memory for constants, from which operations take them without an instruction more. */
static void add_cuda_method(const ritti_step_method *method, ritti_text *out) {
  static const char *const places[] = {"static const", "__constant__"};
  const ritti_single *row[ROWS];
  size_t length[ROWS], first = 0;
  list_rows(method, row, length);
  for (int k = 0; k < 2; k++) {
    ritti_text_add(out, "%s double method_%s[] = {", places[k], k ? "weights" : "all");
    for (int i = 0; i < ROWS; i++)
      for (size_t j = 0; j < length[i]; j++) ritti_text_add(out, "%a, ", row[i][j]);
    ritti_text_add(out, "0};\n");
  }
  for (int i = 0; i < ROWS; first += length[i++])
    ritti_text_add(out, "#define method_%s (method_all + %zu)\n#define RITTI_HAS_%s %d\n",
                   row_name[i], first, row_name[i], length[i] > 0);
  ritti_text_add(out, "#define RITTI_WEIGHT(w, j) method_weights[(w) - method_all + (j)]\n"
                      "#define RITTI_METHOD_HAS(method, row) RITTI_HAS_##row\n");
}

/* The constant step_problem, behind the kernel text. */
static ritt_status add_problem(const ritti_problem *p, ritti_text *out) {
  ritti_write_ints(out, "next_of", p->next, (size_t)p->m);
  ritti_write_ints(out, "df_start", p->df.start, p->k ? (size_t)p->k + 1 : 0);
  ritti_write_ints(out, "df_col", p->df.col, ritti_entries(&p->df));
  RITT_TRY(add_functions(p, out));
  ritti_text_add(out,
                 "static const ritti_step_problem step_problem = {.m = %d, .k = %d, .tops = %d, "
                 ".positions = %d, .constraints = %d, .next = next_of, .df = {%d, %d, df_start, "
                 "df_col}, .no_duplicates = %d%s, .find_top = step_top};\n",
                 p->m, p->k, p->tops, p->positions, p->constraints, p->k, p->m,
                 ritti_pattern_is_sorted(&p->df), p->k ? ", .f_df = step_f_df, .f = step_f" : "");
  ritti_text_add(out, "#define RITTI_M %d\n#define RITTI_TOPS %d\n", p->m, p->tops);
  return out->status;
}

/* The constants step_problem and step_method, behind the kernel text and the arrays of the method. */
static ritt_status add_constants(const ritti_problem *p, const ritti_step_method *method,
                                 ritti_text *out) {
  RITT_TRY(add_problem(p, out));
  ritti_text_add(
      out,
      "static const ritti_step_method step_method = {%luUL, %d, %d, %d, %d, %d, method_a, "
      "method_b, method_c, %s, %s};\n",
      method->key, method->project_stages, method->sequential, method->weighted, method->stages,
      method->fsal, method->e ? "method_e" : "NULL", method->e3 ? "method_e3" : "NULL");

  ritti_text_add(out, "#define RITTI_K %d\n#define RITTI_DF %zu\n#define RITTI_STAGES %d\n", p->k,
                 ritti_entries(&p->df), method->stages);

  return out->status;
}

/* ---- tangents ---- */

/* Are the tangents of a step taken by native code, too? */
static bool tangents_fit(const ritti_problem *p, const ritti_step_method *method) {
  const ritti_evaluator *e = p->data;
  const ritti_tape *tape = p->by == 1 ? &e->system_along : &e->system_d;
  return p->by > 0 && p->by <= MOST_TANGENTS && !method->project_stages && is_straight(tape) &&
         (!p->k || is_straight(&e->f_d)) && tape->count <= MOST_TANGENT_OPERATIONS &&
         ritti_are_small_rows(method->sequential, p->constraints, p->k);
}

/* What the step keeps of its points beside them. */
static void add_shared(const ritti_problem *p, ritti_text *out) {
  const ritti_tape *top = find_top_tape(p);
  ritti_text_add(out, "#define RITTI_BY %d\n#define RITTI_SHARED %d\n", p->by, p->shared);
  ritti_write_unsigned(out, "shared_slot", top->result + top->results, top->shared);
}

static void add_pattern(ritti_text *out, const char *name, const ritti_pattern *p) {
  char word[32];
  ritti_format(word, sizeof word, "%s_start", name);
  ritti_write_ints(out, word, p->start, p->start ? (size_t)p->rows + 1 : 0);
  ritti_format(word, sizeof word, "%s_col", name);
  ritti_write_ints(out, word, p->col, ritti_entries(p));
}

/* The constant tangent_problem with its functions, behind the constants of the step. */
static ritt_status add_tangents(const ritti_problem *p, ritti_text *out) {
  static const char *const name[] = {"dr_z", "dr_p", "df_z", "df_p"};
  const ritti_pattern *pattern[] = {&p->dr_z, &p->dr_p, &p->df_z, &p->df_p};
  const char *put_tops = "  ritti_copy_reals(RITTI_TOPS, top, work + RITTI_M);\n";
  for (int i = 0; i < 4; i++) add_pattern(out, name[i], pattern[i]);
  if (p->by == 1)
    ritti_text_add(out,
                   "static inline void tangent_along(ritt_real *work, const ritt_real *z, const "
                   "ritt_real *top, const ritt_real *shared, const ritt_real *s, ritt_real *out) "
                   "{\n%s"
                   "  ritti_copy_reals(RITTI_M, s, work + RITTI_M + RITTI_TOPS);\n"
                   "  ritti_copy_reals(RITTI_SHARED, shared, work + 2 * RITTI_M + RITTI_TOPS);\n"
                   "  ritt_system_along(z, work, out, NULL);\n}\n",
                   put_tops);
  else
    ritti_text_add(out,
                   "static inline void tangent_system(ritt_real *work, const ritt_real *z, const "
                   "ritt_real *top, ritt_real *out) {\n%s"
                   "  ritt_system_d(z, work, out, NULL);\n}\n",
                   put_tops);
  if (p->k)
    ritti_text_add(out, "static inline void tangent_rows(ritt_real *work, const ritt_real *z, "
                        "ritt_real *out) {\n  ritt_f_d(z, work, out, NULL);\n}\n");
  if (p->kind != RITT_EXPLICIT) RITT_TRY(ritti_write_solve_again(p, out));
  ritti_text_add(out,
                 "static const ritti_tangent_problem tangent_problem = {.count = %d, "
                 ".shared = %d",
                 p->by, p->shared);
  for (int i = 0; i < 4; i++)
    ritti_text_add(out, ", .%s = {%d, %d, %s_start, %s_col}", name[i], pattern[i]->rows,
                   pattern[i]->cols, name[i], name[i]);
  ritti_text_add(out, "%s%s%s};\n",
                 p->by == 1 ? ", .along = tangent_along" : ", .system_d = tangent_system",
                 p->k ? ", .f_d = tangent_rows" : "",
                 p->kind != RITT_EXPLICIT ? ", .solve = step_solve_again" : "");
  ritti_text_add(
      out,
      "int ritt_tangents(ritti_tangent_job *J) {\n"
      "  ritt_real moved[%d], top[%d], dr[%zu], df[%zu], B[%d], dB[%d];\n"
      "  return ritti_take_tangents(&step_problem, &step_method, &tangent_problem, J, "
      "moved, top, dr, df, B, dB);\n}\n",
      p->by * p->m, p->by * p->tops, ritti_entries(&p->dr_z) + ritti_entries(&p->dr_p) + 1,
      ritti_entries(&p->df_z) + ritti_entries(&p->df_p) + 1, p->k * p->m + 1, p->k * p->m + 1);
  return out->status;
}

/* ---- the native source of a problem ---- */

/* All tapes with their kernels and loops; *hard: there are loops. */
static ritt_status add_tapes(ritti_tape_writer *w, const ritti_tape_entry *at, int count,
                             bool *hard) {
  for (int i = 0; i < count; i++) {
    const ritti_kernels *kernels = at[i].tape->kernels;
    const ritti_loops *loops = at[i].tape->loops;
    if (ritti_tape_is_worth_it(at[i].tape)) RITT_TRY(ritti_write_tape(w, &at[i]));
    for (size_t k = 0; kernels && k < kernels->count; k++)
      if (!ritti_looks_up_tables(kernels->at[k].code, kernels->at[k].steps))
        ritti_write_kernel(w, at[i].name, k, &kernels->at[k]);
    for (size_t k = 0; loops && k < loops->count; k++) ritti_write_loop(w, at[i].name, k, loops);
    *hard = *hard || (loops && loops->count);
  }
  return w->out->status;
}

/* The stages of implicit methods. The loops over the stages of small problems are unrolled. */
static ritt_status add_stages(const ritti_problem *p, unsigned stages, ritti_text *out) {
  ritti_text_add(out, "%s", kernel_words);
  if (p->m <= MOST_UNROLLED_COORDINATES)
    ritti_text_add(out, "#define RITTI_UNROLLED _Pragma(\"GCC unroll 32\")\n");
  add_lines(out, ritti_kernel_text);
  RITT_TRY(add_problem(p, out));
  ritti_text_add(out, "typedef struct ritti_stage_job ritti_stage_job;\n");
  add_lines(out, ritti_stage_text);
  for (int s = 1; s <= 2 * RITTI_MOST_STAGES; s++)
    if (stages >> s & 1)
      ritti_text_add(out, "RITTI_%s_ENTRY(%d)\n", s > RITTI_MOST_STAGES ? "LINEAR" : "STAGE", s);
  return out->status;
}

ritt_status ritti_problem_write_native(const ritti_problem *problem, const ritti_native_aim *aim,
                                       ritti_text *out, bool *whole, bool *hard) {
  const ritti_evaluator *e = problem->data;
  const ritti_step_method *method = aim->method;
  const bool stages = !method && aim->stages && ritti_stages_fit(problem);
  ritti_tape_entry at[RITTI_TAPES];
  ritti_tape_writer w;
  ritti_list_tapes(e, at);
  *hard = false;
  *whole = method && ritti_unit_fits(problem);

  /* GCC's vectors of two reals within straight code of one run cost more than they save */
  if (*whole && is_short(problem, method))
    ritti_text_add(out,
                   "#ifndef __clang__\n#pragma GCC optimize(\"no-tree-slp-vectorize\")\n#endif\n");
  const int tapes = aim->second ? RITTI_TAPES : RITTI_SECOND_TAPE;
  ritti_text_add(out, "%s%s", common, one_run);
  add_lines(out, ritti_width_text);
  add_elementary(out, at, tapes);
  ritti_write_math(out, false);
  RITT_TRY(ritti_tape_writer_open(e, out, &w));
  ritt_status status = add_tapes(&w, at, tapes, hard);
  ritti_tape_writer_close(&w);
  RITT_TRY(status);
  if (*hard && problem->k) RITT_TRY(ritti_write_gram_kernels(problem, out));
  if (*whole) {
    const bool tangents = tangents_fit(problem, method);
    ritti_text_add(out, "%s", kernel_words);
    if (tangents) add_shared(problem, out);
    if (is_short(problem, method))
      ritti_text_add(
          out, "#define RITTI_UNROLLED _Pragma(\"GCC unroll 32\")\n#define RITTI_PEEL_FIRST 1\n");
    add_lines(out, ritti_kernel_text);
    add_method(method, out);
    RITT_TRY(add_constants(problem, method, out));
    add_lines(out, ritti_entry_text);
    if (tangents) {
      add_lines(out, ritti_tangent_text);
      RITT_TRY(add_tangents(problem, out));
    }
    RITT_TRY(out->status);
  }
  if (stages) RITT_TRY(add_stages(problem, aim->stages, out));
  *hard = *hard || *whole || stages;
  return out->status;
}

/* ---- the source of a batch ---- */

/* The width of vectors, and the name of the instruction set. The cache has a file for each kind of
 * processor, since the source names it. */
static const char *find_processor(int *width) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    *width = 8;
    return "avx512f,avx512dq";
  }
  if (__builtin_cpu_supports("avx2")) {
    *width = 4;
    return "avx2";
  }
#endif
  *width = 2;
  return NULL;
}

/* The slots between coordinates and temporaries that the tapes read. */
ritt_status ritti_list_leg_reads(const ritti_problem *p, ritti_arena *arena, int **out,
                                 int *count) {
  const ritti_evaluator *e = p->data;
  const uint32_t temporary = ritti_layout_parts(e->layout).temporary;
  const ritti_tape *tape[] = {&e->f, &e->f_df, find_top_tape(p)};
  bool *read;
  RITTI_NEW_ARRAYS(arena, temporary + 1, read, *out);
  for (int t = 0; t < 3; t++) {
    for (size_t i = 0; i < tape[t]->count; i++) {
      const ritti_instruction *c = &tape[t]->code[i];
      bool two = c->op != RITTI_TAPE_SINCOS && ritti_machine_arguments[c->op] == 2;
      if (c->a < temporary) read[c->a] = true;
      if (two && c->b < temporary) read[c->b] = true;
    }
    for (size_t i = 0; i < tape[t]->results; i++)
      if (tape[t]->result[i] < temporary) read[tape[t]->result[i]] = true;
  }
  *count = 0;
  for (uint32_t i = (uint32_t)p->m; i < temporary; i++)
    if (read[i]) (*out)[(*count)++] = (int)i;
  return RITT_OK;
}

/* The legs, behind the kernel and its constants. */
static void add_legs(const ritti_problem *p, bool lengths, ritti_text *out) {
  ritti_text_add(
      out,
      "#define RITTI_LEG_LENGTHS %d\n#define RITTI_FORCED %d\n#define RITTI_MECHANICS %d\n#define RITTI_WATCHED %d\n"
      "#define RITTI_POSITIONS %d\n#define RITTI_CONSTRAINTS %d\n",
      lengths, p->forced, p->kind != RITT_EXPLICIT, ritti_has_crossings(p), p->positions,
      p->constraints);
  add_lines(out, ritti_leg_text);
}

static ritt_status add_batch(const ritti_problem *p, const ritti_step_method *method,
                             ritti_arena *arena, ritti_text *out) {
  const ritti_evaluator *e = p->data;
  int width, reads, factors = 0, *read, *factor;
  bool *room;
  const char *target = find_processor(&width);
  RITT_TRY(ritti_list_leg_reads(p, arena, &read, &reads));
  RITTI_NEW_ARRAYS(arena, p->tops * p->tops + 1, room, factor);
  if (p->kind != RITT_EXPLICIT) factors = ritti_list_factors(p, room, factor);

  if (target)
    ritti_text_add(
        out,
        "#ifdef __clang__\n#pragma clang attribute push(__attribute__((target(\"%s\"))), "
        "apply_to = function)\n#else\n#pragma GCC target(\"%s\")\n#endif\n",
        target, target);
  ritti_tape_entry at[RITTI_TAPES];
  ritti_list_tapes(p->data, at);
  ritti_text_add(out, "%s#define RITTI_WIDTH %d\n%s", common, width, batch);
  add_elementary(out, at, RITTI_KERNEL_TAPES);
  ritti_write_math(out, true);

  /* The tapes of a step over vectors, seen by this source alone. */
  ritti_tape_writer w;
  ritt_status status = RITT_OK;
  RITT_TRY(ritti_tape_writer_open(p->data, out, &w));
  w.vector = true, w.real = "ritt_real", w.linkage = "static ";
  for (int i = 0; i < RITTI_KERNEL_TAPES && status == RITT_OK; i++)
    if (at[i].tape->results) status = ritti_write_tape(&w, &at[i]);
  ritti_tape_writer_close(&w);
  RITT_TRY(status);

  ritti_text_add(out, "%s", kernel_words);
  add_lines(out, ritti_kernel_text);
  add_method(method, out);
  RITT_TRY(add_constants(p, method, out));
  ritti_write_ints(out, "step_reads", read, (size_t)reads);
  ritti_write_ints(out, "step_factors", factor, (size_t)factors);
  ritti_text_add(out, "#define RITTI_READS %d\n#define RITTI_FACTORS %d\n#define RITTI_ROW %zu\n",
                 reads, factors, ritti_layout_size(e->layout) + 1);
  add_lines(out, ritti_entry_text);
  add_legs(p, true, out);
  if (target) ritti_text_add(out, "#ifdef __clang__\n#pragma clang attribute pop\n#endif\n");
  return out->status;
}

ritt_status ritti_batch_write(const ritti_problem *problem, const ritti_step_method *method,
                              ritti_text *out) {
  ritti_arena *arena = ritti_arena_new();
  if (!arena) return RITT_NO_MEMORY;
  ritt_status status = add_batch(problem, method, arena, out);
  ritti_arena_free(arena);
  return status;
}

/* ---- legs on a GPU ---- */

/* What the texts take from headers that are not part of them, in the C++ of CUDA. NVRTC reads it with
 * --device-as-default-execution-space, and without contraction unless an option asks for it. */
static const char cuda[] =
    "#ifdef __clang__\n#define __global__ __attribute__((global))\n"
    "#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))\n"
    "#define __shared__ __attribute__((shared))\n#define __constant__ __attribute__((constant))\n"
    "#define cuda_sqrt(x) __nvvm_sqrt_rn_d(x)\n#define cuda_fabs(x) __builtin_fabs(x)\n"
    "#define THREAD(word) ((long)__nvvm_read_ptx_sreg_##word##_x())\n"
    "#pragma clang force_cuda_host_device begin\n"
    "#else\n#define cuda_sqrt(x) __dsqrt_rn(x)\n#define cuda_fabs(x) fabs(x)\n"
    "#define THREAD(word) RITTI_##word\n"
    "#define RITTI_ctaid ((long)blockIdx.x)\n#define RITTI_ntid ((long)blockDim.x)\n"
    "#define RITTI_tid ((long)threadIdx.x)\n#endif\n"
    "typedef unsigned long size_t;\n#define restrict __restrict__\n"
    "enum { RITTI_SMALL = 64 };\n#define INFINITY (1e300 * 1e300)\n"
    "#define NULL 0\n#define RITTI_EPS 0x1p-52\ntypedef double ritt_real;\n#define RITTI_GPU\n"
    "#if defined(RITTI_EMULATED) || defined(__clang__)\n#define RITTI_FORGET(pointer)\n"
    "#else\n#define RITTI_FORGET(pointer) asm volatile(\"\" : \"+l\"(pointer))\n#endif\n"
    "#define RITTI_MATH(name) cuda_##name\n";
static const char cuda_words[] =
    /* fast: reciprocals without their last digits, steps decided in single precision */
    "#ifdef RITTI_FAST\n"
    "#ifdef RITTI_EMULATED\n"
    "static inline double cuda_about_one_over(double x) { return 1 / x; }\n"
    "static inline float cuda_log2(float x) { return __builtin_log2f(x); }\n"
    "static inline float cuda_exp2(float x) { return __builtin_exp2f(x); }\n"
    "#else\n"
    "static inline double cuda_about_one_over(double x) {\n  double y;\n"
    "  asm(\"rcp.approx.ftz.f64 %0, %1;\" : \"=d\"(y) : \"d\"(x));\n  return y;\n}\n"
    "static inline float cuda_log2(float x) {\n  float y;\n"
    "  asm(\"lg2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n  return y;\n}\n"
    "static inline float cuda_exp2(float x) {\n  float y;\n"
    "  asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n  return y;\n}\n#endif\n"
    "static inline double cuda_one_over(double x) {\n"
    "  double y = cuda_about_one_over(x);\n"
    "  y = y * (2 - x * y);\n  return y * (2 - x * y);\n}\n"
    /* log2 by the exponent and the first digits; x > 0 */
    "static inline float cuda_log2_double(double x) {\n"
    "  const int high = (int)(RITTI_TO_BITS(x) >> 32);\n"
    "  union { int bits; float number; } part;\n"
    "  part.bits = ((high & 0xfffff) << 3) | 0x3f800000;\n"
    "  return (float)((high >> 20) - 1023) + cuda_log2(part.number);\n}\n"
    "static inline float cuda_power(double x, float y) {\n"
    "  return cuda_exp2(cuda_log2_double(x) * y);\n}\n"
    "static inline float cuda_between(float x, float least, float most) {\n"
    "  const float bounded = x > least ? x : least;\n"
    "  return bounded < most ? bounded : most;\n}\n"
    "#define RITTI_RECIPROCAL(x) cuda_one_over(x)\n"
    "#define RITTI_QUOTIENT(a, b) ((b) == 1 ? (a) : (a) * cuda_one_over(b))\n"
    "#define RITTI_ABOUT_ONE_OVER(x) cuda_about_one_over(x)\n"
    "#define RITTI_NORM_LOG2(x) cuda_log2_double(x)\n#endif\n"
    "typedef struct { int rows, cols; const int *start, *col; } ritti_pattern;\n"
    "#define RITTI_INLINE inline\n"
    "#define RITTI_UNROLLED _Pragma(\"unroll\")\n";
static const char cuda_entry[] =
    "#ifdef __clang__\n#pragma clang force_cuda_host_device end\n#endif\n"
    "extern \"C\" __global__ void __launch_bounds__(RITTI_THREADS, RITTI_BLOCKS) ritt_legs(double *records, "
    "long stride, long count, long most) {\n"
    "  const long run = THREAD(ctaid) * THREAD(ntid) + THREAD(tid);\n"
    "#if RITTI_STORE_STEP == 1\n  double store[RITTI_STORED_NUMBERS];\n"
    "#else\n  __shared__ volatile double stores[RITTI_STORED_NUMBERS * RITTI_THREADS];\n"
    "  volatile double *store = stores + THREAD(tid);\n#endif\n"
    "  if (run < count) ritti_run_leg(store, records + run, stride, most);\n}\n";

/* Do the numbers that a thread keeps beside its registers fit into the memory of a multiprocessor, for
 * some blocks at a time? */
static bool store_fits(const ritti_problem *p) {
  enum { HEAD = 40, MOST = 80 };
  return HEAD + 4 * p->m + p->tops + 2 * p->constraints + p->positions <= MOST;
}

/* Blocks that a multiprocessor should take at a time: more of them have fewer registers each, which
 * pays if the vectors of the stages fit. Fast arithmetic needs fewer registers. */
static int count_blocks(const ritti_problem *p, const ritti_step_method *method, bool fast) {
  const int vectors = (p->m - 1) * (method->stages + 2);
  if (vectors > 40) return 4;
  return p->k ? 6 : fast ? 9 : 8;
}

static ritt_status add_cuda(const ritti_problem *p, const ritti_step_method *method,
                            const double *record, ritti_arena *arena, ritti_text *out) {
  const ritti_evaluator *e = p->data;
  int reads, *read;
  ritti_tape_entry at[RITTI_TAPES];
  ritti_tape_writer w;
  ritt_status status = RITT_OK;
  RITT_TRY(ritti_list_leg_reads(p, arena, &read, &reads));
  ritti_list_tapes(e, at);
  ritti_text_add(out, "%s", cuda);
  add_lines(out, ritti_width_text);
  add_elementary(out, at, RITTI_KERNEL_TAPES);
  ritti_text_add(out, "#define SINCOS(a, s, c) ritti_inline_sincos(a, &s, &c)\n"
                      "#define sqrt(x) cuda_sqrt(x)\n");

  /* the tapes, the kernel and the legs */
  RITT_TRY(ritti_tape_writer_open(e, out, &w));
  w.linkage = "static ";
  for (int i = 0; i < RITTI_KERNEL_TAPES && status == RITT_OK; i++)
    if (at[i].tape->results) status = ritti_write_tape(&w, &at[i]);
  ritti_tape_writer_close(&w);
  RITT_TRY(status);
  ritti_text_add(out, "%s", cuda_words);
  add_cuda_method(method, out);
  add_lines(out, ritti_kernel_text);
  RITT_TRY(add_constants(p, method, out));
  ritti_write_ints(out, "step_reads", read, (size_t)reads);
  ritti_text_add(out, "static const double leg_settings[] = {");
  for (size_t i = 0; i < RITTI_LEG_HEAD + RITTI_LEG_VECTORS * (size_t)p->m; i++)
    ritti_text_add(out, fabs(record[i]) < INFINITY ? "%a, " : "0, ", record[i]);
  ritti_text_add(out, "};\n");
  ritti_text_add(out,
                 "#define RITTI_READS %d\n#define RITTI_ROW %zu\n#define RITTI_HAS_ROWS %d\n"
                 "#define RITTI_THREADS %d\n#define RITTI_STORE_STEP %d\n"
                 "#ifdef RITTI_FAST\n#define RITTI_BLOCKS %d\n"
                 "#else\n#define RITTI_BLOCKS %d\n#endif\n",
                 reads, ritti_layout_size(e->layout) + 1, p->k > 0, RITTI_CUDA_THREADS,
                 store_fits(p) ? RITTI_CUDA_THREADS : 1, count_blocks(p, method, true),
                 count_blocks(p, method, false));
  add_legs(p, false, out);
  ritti_text_add(out, "%s", cuda_entry);
  return out->status;
}

ritt_status ritti_cuda_write(const ritti_problem *problem, const ritti_step_method *method,
                             const double *record, ritti_text *out) {
  ritti_arena *arena = ritti_arena_new();
  if (!arena) return RITT_NO_MEMORY;
  ritt_status status = add_cuda(problem, method, record, arena, out);
  ritti_arena_free(arena);
  return status;
}
