/* Problem -> C for native code: whole steps of several runs at once, one in each lane of vectors
 * (geometry/lanes.h).
 *
 * In: a Problem made by problem.c of which a whole step is compiled (whole.c), small enough. Out: a
 * source of its own, for a library of its own. Problems of one source differ in the numbers of
 * their rows alone, parameters and invariants, so that the runs of a sweep share it. Vectors are as
 * wide as those of the processor that writes it; bits do not depend on that.
 */
#include "eval/eval_impl.h"

enum { MOST_OPERATIONS = 300 };

/* In a file of its own for each kind of processor, since the source says which. */
static const char *processor(int *width) {
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

/* What vectors are, and what whole.h takes from other headers. */
static const char before[] =
    "typedef double lanes __attribute__((vector_size(8 * RITTI_WIDTH)));\n"
    "typedef __INT64_TYPE__ which __attribute__((vector_size(8 * RITTI_WIDTH)));\n"
    "typedef double ritti_single;\n"
    "typedef _Bool bool;\ntypedef unsigned long size_t;\n"
    "enum { false, true };\n"
    "typedef struct { int rows, cols; const int *start, *col; } ritti_pattern;\n"
    "#define ritt_real lanes\n"
    "#define RITTI_ZERO ((lanes){0})\n"
    "#define RITTI_PICK(condition, yes, no) pick(condition, yes, no)\n"
    "#define RITTI_PUT_UNLESS(condition, where, value) where = pick(condition, where, value)\n"
    "#define RITTI_ANY(mask) any(mask)\n"
    "#define NULL ((void *)0)\n#define INFINITY __builtin_inf()\n#define RITTI_EPS 0x1p-52\n"
    "#define RITTI_MATH(name) lanes_##name\n"
    "#define inline __inline__ __attribute__((always_inline))\n"
    "static inline lanes pick(which on, lanes yes, lanes no) {\n"
    "  return (lanes)((on & (which)yes) | (~on & (which)no));\n}\n"
    "static inline int any(which on) {\n"
    "#if RITTI_WIDTH == 8 && defined(__AVX512DQ__) && !defined(__clang__)\n"
    "  return __builtin_ia32_cvtq2mask512((long long __attribute__((vector_size(64))))on) != 0;\n"
    "#elif RITTI_WIDTH == 4 && defined(__AVX2__)\n  return __builtin_ia32_movmskpd256((lanes)on) != 0;\n"
    "#else\n  long some = 0;\n"
    "  for (int l = 0; l < RITTI_WIDTH; l++) some |= on[l];\n  return some != 0;\n#endif\n}\n"
    "static inline lanes lanes_fabs(lanes a) { return (lanes)((which)a & 0x7fffffffffffffff); }\n"
    "static inline lanes lanes_sqrt(lanes a) {\n"
    "  for (int l = 0; l < RITTI_WIDTH; l++) a[l] = __builtin_sqrt(a[l]);\n  return a;\n}\n";

static const ritti_tape *top_of(const ritti_problem *p) {
  const ritti_evaluator *e = p->data;
  return p->kind == RITT_EXPLICIT ? &e->formula : &e->system;
}

bool ritti_lanes_fits(const ritti_problem *p, const ritti_step_method *method) {
  const ritti_evaluator *e = p->data;
  bool few = method->sequential && p->constraints ? p->constraints <= RITTI_SMALL_ROWS
                                                  : p->k <= RITTI_SMALL_ROWS;
  /* the solver around steps of mechanics, which looks for crossings, outweighs what is gained on
   * steps that are short */
  bool pays = p->kind == RITT_EXPLICIT || method->project_stages;
  return ritti_whole_fits(p) && few && pays &&
         top_of(p)->count + e->f_df.count + e->f.count <= MOST_OPERATIONS;
}

/* Which slots before the temporaries do the tapes read? Those of coordinates are the point. */
static ritt_status list_reads(const ritti_problem *p, ritti_arena *arena, int **out, int *count) {
  const ritti_evaluator *e = p->data;
  const ritti_row_parts part = ritti_layout_parts(e->layout);
  const ritti_tape *tape[] = {&e->f, &e->f_df, top_of(p)};
  bool *read;
  RITTI_NEW(read, arena, part.temporary + 1);
  RITTI_NEW(*out, arena, part.temporary + 1);
  for (int t = 0; t < 3; t++) {
    for (size_t i = 0; i < tape[t]->count; i++) {
      const ritti_instruction *c = &tape[t]->code[i];
      bool two = c->op != RITTI_TAPE_SINCOS && ritti_machine_arguments[c->op] == 2;
      if (c->a < part.temporary) read[c->a] = true;
      if (two && c->b < part.temporary) read[c->b] = true;
    }
    for (size_t i = 0; i < tape[t]->results; i++)
      if (tape[t]->result[i] < part.temporary) read[tape[t]->result[i]] = true;
  }
  *count = 0;
  for (uint32_t i = (uint32_t)p->m; i < part.temporary; i++)
    if (read[i]) (*out)[(*count)++] = (int)i;
  return RITT_OK;
}

static ritt_status list_factors(const ritti_problem *p, ritti_arena *arena, int **out, int *count) {
  bool *room;
  RITTI_NEW(room, arena, p->tops * p->tops + 1);
  RITTI_NEW(*out, arena, p->tops * p->tops + 1);
  *count = p->kind == RITT_EXPLICIT ? 0 : ritti_whole_filled(p, room, *out);
  return RITT_OK;
}

static void add_sizes(const ritti_problem *p, const ritti_step_method *method, int reads,
                      int filled, ritti_text *out) {
  const ritti_evaluator *e = p->data;
  bool symmetric = p->kind != RITT_EXPLICIT;
  bool sequential = method->sequential && p->constraints && p->constraints <= RITTI_SMALL_ROWS;
  const struct {
    const char *name;
    size_t value;
  } size[] = {{"M", (size_t)p->m},
              {"K", (size_t)p->k},
              {"DF", ritti_entries(&p->df)},
              {"TOPS", (size_t)p->tops},
              {"FACTORS", symmetric ? (size_t)(p->tops * p->tops) : 0},
              {"FILLED", (size_t)filled},
              {"POSITIONS", (size_t)p->positions},
              {"CONSTRAINTS", (size_t)p->constraints},
              {"STAGES", (size_t)method->stages},
              {"READS", (size_t)reads},
              {"ROW", ritti_layout_size(e->layout) + 1},
              {"SINGLE", ritti_pattern_is_sorted(&p->df)},
              {"SEQUENTIAL", sequential}};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++)
    ritti_text_add(out, "#define RITTI_LANES_%s %zu\n", size[i].name, size[i].value);
}

static ritt_status add_functions(const ritti_problem *p, ritti_text *out) {
  bool formula = p->kind == RITT_EXPLICIT;
  ritti_text_add(out, "static void lanes_f(const lanes *r, const lanes *z, lanes *f) {%s}\n",
                 p->k ? " ritt_f(z, (lanes *)r, f, NULL); " : "");
  ritti_text_add(
      out, "static void lanes_f_df(const lanes *r, const lanes *z, lanes *f, lanes *df) {%s}\n",
      p->k ? " ritt_f_df(z, (lanes *)r, f, df); " : "");
  if (!formula) RITT_TRY(ritti_whole_write_solve(p, true, out));
  ritti_text_add(
      out,
      "static which lanes_top(const lanes *r, const lanes *z, lanes *factors, lanes *top) {\n");
  if (formula)
    ritti_text_add(out, "  ritt_formula(z, (lanes *)r, top, NULL);\n  return ~(which){0};\n}\n");
  else
    ritti_text_add(out,
                   "  lanes A[%zu], b[%d];\n  ritt_system(z, (lanes *)r, A, b);\n"
                   "  return whole_solve(A, b, factors, top) & ritti_lanes_finite(%zu, A);\n}\n",
                   ritti_entries(&p->A) + 1, p->tops, ritti_entries(&p->A));
  return out->status;
}

static ritt_status write(const ritti_problem *p, const ritti_step_method *method,
                         ritti_arena *arena, ritti_text *out) {
  int width, reads, *read, filled, *factor;
  const char *target = processor(&width);
  RITT_TRY(list_reads(p, arena, &read, &reads));
  RITT_TRY(list_factors(p, arena, &factor, &filled));
  if (target)
    ritti_text_add(
        out,
        "#ifdef __clang__\n#pragma clang attribute push(__attribute__((target(\"%s\"))), apply_to = "
        "function)\n#else\n#pragma GCC target(\"%s\")\n#endif\n",
        target, target);
  ritti_text_add(out, "#define RITTI_WIDTH %d\n%s", width, before);
  RITT_TRY(ritti_lanes_write_tapes(p, out));
  add_sizes(p, method, reads, filled, out);
  for (size_t i = 0; ritti_lanes_text[i]; i++)
    ritti_text_add_bytes(out, ritti_lanes_text[i], strlen(ritti_lanes_text[i]));
  ritti_source_ints(out, "ritti_lanes_next", p->next, (size_t)p->m);
  ritti_source_ints(out, "ritti_lanes_reads", read, (size_t)reads);
  ritti_source_ints(out, "ritti_lanes_filled", factor, (size_t)filled);
  ritti_source_ints(out, "df_start", p->df.start, p->k ? (size_t)p->k + 1 : 0);
  ritti_source_ints(out, "df_col", p->df.col, ritti_entries(&p->df));
  ritti_text_add(out,
                 "static const ritti_pattern ritti_lanes_pattern = {%d, %d, df_start, df_col};\n",
                 p->k, p->m);
  ritti_source_method(out, "ritti_lanes_method", method);
  RITT_TRY(add_functions(p, out));
  ritti_text_add(out, "void ritt_lanes(int count, ritti_step_job *const *W, int *done) {\n"
                      "  ritti_lanes_all(count, W, done);\n}\n");
  if (target) ritti_text_add(out, "#ifdef __clang__\n#pragma clang attribute pop\n#endif\n");
  return out->status;
}

ritt_status ritti_lanes_write(const ritti_problem *problem, const ritti_step_method *method,
                              ritti_text *out) {
  ritti_arena *arena = ritti_arena_new();
  if (!arena) return RITT_NO_MEMORY;
  ritt_status status = write(problem, method, arena, out);
  ritti_arena_free(arena);
  return status;
}
