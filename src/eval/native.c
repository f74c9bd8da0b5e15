/* Problem -> C for native code: the tapes as functions, to be compiled in the background and
 * loaded.
 *
 * In: a Problem made by problem.c. Out: a source that needs no header and holds nothing of the
 * model but numbers; then, once it is compiled, its functions put in the place of the interpreter.
 * Each operation is the one of the interpreter (machine.def), in its order: the bits are the same.
 * Tapes are cut into functions of about a hundred operations, since compilers take long over longer
 * ones; values go from one to the next through the row. Kernels are loops over the tables of the
 * interpreter, so that the source does not grow with a family. Tapes that look something up in a
 * table stay with the interpreter.
 */
#include "base/state.h"
#include "eval/eval_impl.h"
#include "linalg/sparse.h"

enum { PIECE = 100, LONGEST = 50000 }; /* operations of a function; of a tape that is compiled */

#define SPELLED(...) #__VA_ARGS__
#define TEXT(...)    SPELLED(__VA_ARGS__)
#define RITTI_TABLES none
static const char *const operation[RITTI_M_COUNT] = {
#define RITTI_MACHINE(id, text, arguments, value) TEXT(value),
#include "expr/machine.def"
#undef RITTI_MACHINE
};
#undef RITTI_TABLES

/* What stands before everything else: the mathematical library, and what a processor has an
 * instruction for. */
static const char prologue[] =
#define RITTI_FUNCTION(id, name, at, is, p, r) "double " #name "(double);\n"
#define RITTI_FUNCTION2(id, name, pu, pv, r)   "double " #name "(double, double);\n"
#define RITTI_SWITCH(id, text, language, value, slope)
#include "base/functions.def"
    "double pow(double, double), floor(double), ceil(double), round(double);\n"
    "#define sqrt __builtin_sqrt\n"
    "#define fabs __builtin_fabs\n"
#ifdef __GLIBC__ /* both at once, with the bits of each */
    "void sincos(double, double *, double *);\n"
    "#define SINCOS(a, s, c) sincos(a, &s, &c)\n";
#else
    "#define SINCOS(a, s, c) (s = sin(a), c = cos(a))\n";
#endif

/* The tapes that runs evaluate again and again. */
enum { TAPES = 9, SECOND = 8, WHOLE = 3 }; /* WHOLE: the last one that whole steps evaluate */
typedef struct entry {
  const char *name;
  const ritti_tape *tape;
  size_t first; /* results of the first group */
} entry;

static void list_tapes(const ritti_evaluator *e, entry at[TAPES]) {
  const ritti_tape *system = &e->system;
  size_t rows = (size_t)e->reduced->top_rows,
         A = system->results > rows ? system->results - rows : 0;
  const entry all[TAPES] = {{"ritt_f", &e->f, e->f.results},
                            {"ritt_f_df", &e->f_df, (size_t)e->reduced->k},
                            {"ritt_formula", &e->formula, e->formula.results},
                            {"ritt_system", system, A},
                            {"ritt_system_dz", &e->system_dz, e->system_dz.results},
                            {"ritt_output", &e->output, e->output.results},
                            {"ritt_monitor", &e->monitor, e->monitor.results},
                            {"ritt_monitor_df", &e->monitor_df, e->monitor_df.results},
                            {"ritt_d2f", &e->d2f, e->d2f.results}};
  memcpy(at, all, sizeof all);
}

static bool looks_up(const ritti_instruction *code, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (code[i].op == RITTI_M_TABLE) return true;
  return false;
}

static bool is_worth_it(const ritti_tape *t) {
  return t->results && t->count <= LONGEST && !looks_up(t->code, t->count);
}

/* ---- values ---- */

typedef struct writer {
  ritti_text *out;
  uint32_t m, constant, temporary; /* coordinates are below m; constants; temporaries */
  ritt_real *row;                  /* with its constants */
  bool direct;                     /* coordinates are taken from z, not from the row */
  bool lanes;                      /* reals are vectors, a lane for each of several runs, */
  bool one;                        /* and this operation is done lane by lane: l */
  uint32_t *local; /* of each slot: the operation of this function that computed it, + 1; 0: none */
  const uint32_t
      *last;   /* of each slot of results: the last operation that computes it, + 1; 0: none */
  bool *later; /* slots that functions after this one read */
} writer;

static bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *real(const writer *w) { return w->lanes ? "lanes" : "double"; }

/* Constants of calls stay in the row, so that no compiler evaluates them by a library of its own.
 */
static void add_slot(const writer *w, uint32_t slot, bool call) {
  if (w->local && w->local[slot]) ritti_text_add(w->out, "v%u", w->local[slot] - 1);
  else if (slot < w->m && w->direct) ritti_text_add(w->out, "z[%u]", slot);
  else if (!call && slot >= w->constant && slot < w->temporary) {
    ritti_text_add(w->out, "(%a)", (double)w->row[slot]);
    return;
  } else ritti_text_add(w->out, "r[%u]", slot);
  if (w->one) ritti_text_add(w->out, "[l]");
}

/* The text of the operation, with slots or (where there is no row) registers for a and b. */
static void add_value(const writer *w, uint32_t op, uint32_t a, uint32_t b) {
  const char *text = operation[op];
  bool call = strchr(text, '(') != NULL;
  for (const char *c = text; *c;) {
    size_t length = 0;
    while (in_word(c[length])) length++;
    bool operand = length == 1 && (*c == 'a' || *c == 'b');
    if (operand && !w->row) ritti_text_add(w->out, "v%u", *c == 'a' ? a : b);
    else if (operand) add_slot(w, *c == 'a' ? a : b, call);
    else ritti_text_add_bytes(w->out, c, length ? length : 1);
    c += length ? length : 1;
  }
}

/* ---- straight tapes ---- */

static void add_result(const writer *w, const entry *t, size_t i, uint32_t slot) {
  if (i < t->first) ritti_text_add(w->out, "  f[%zu] = ", i);
  else ritti_text_add(w->out, "  g[%zu] = ", i - t->first);
  add_slot(w, slot, true);
  ritti_text_add(w->out, ";\n");
}

static bool is_arithmetic(uint32_t op) {
  return op == RITTI_M_ADD || op == RITTI_M_SUBTRACT || op == RITTI_M_MULTIPLY ||
         op == RITTI_M_DIVIDE || op == RITTI_M_NEGATE;
}

/* What vectors have no operation for: the same function of each lane, so that each has the bits of
 * a run alone. */
static void add_by_lanes(const writer *w, const ritti_instruction *c, uint32_t name) {
  bool two = c->op == RITTI_TAPE_SINCOS;
  ritti_text_add(w->out, "  lanes v%u", name);
  if (two) ritti_text_add(w->out, ", v%u", name + 1);
  ritti_text_add(w->out, ";\n  for (int l = 0; l < RITTI_WIDTH; l++) {\n");
  if (two) {
    ritti_text_add(w->out, "    double s, c;\n    SINCOS(");
    add_slot(w, c->a, true);
    ritti_text_add(w->out, ", s, c);\n    v%u[l] = s, v%u[l] = c;\n  }\n", name, name + 1);
    return;
  }
  ritti_text_add(w->out, "    v%u[l] = ", name);
  add_value(w, c->op, c->a, c->b);
  ritti_text_add(w->out, ";\n  }\n");
}

/* Operation i; what it computes becomes local. Sines and cosines of one argument are two of them,
 * 2i and 2i + 1. */
static void add_operation(writer *w, const ritti_instruction *c, size_t i) {
  uint32_t name = (uint32_t)(2 * i);
  w->one = w->lanes && !is_arithmetic(c->op);
  if (w->one) add_by_lanes(w, c, name);
  else if (c->op == RITTI_TAPE_SINCOS) {
    ritti_text_add(w->out, "  double v%u, v%u;\n  SINCOS(", name, name + 1);
    add_slot(w, c->a, true);
    ritti_text_add(w->out, ", v%u, v%u);\n", name, name + 1);
  } else {
    ritti_text_add(w->out, "  const %s v%u = ", real(w), name);
    add_value(w, c->op, c->a, c->b);
    ritti_text_add(w->out, ";\n");
  }
  w->one = false;
  if (c->op == RITTI_TAPE_SINCOS) w->local[c->b] = name + 2;
  w->local[c->out] = name + 1;
}

/* Which slots the functions before piece `first` must leave in the row: looked at from the end. */
static void look_back(const ritti_tape *t, size_t first, size_t end, bool *later) {
  for (size_t i = end; i-- > first;) {
    const ritti_instruction *c = &t->code[i];
    later[c->out] = false;
    if (c->op == RITTI_TAPE_SINCOS) later[c->b] = false;
    later[c->a] = true;
    if (c->op != RITTI_TAPE_SINCOS && ritti_machine_arguments[c->op] == 2) later[c->b] = true;
  }
}

static void add_piece(writer *w, const entry *t, size_t number, uint32_t slots,
                      const uint32_t *results_of, const uint32_t *next_result) {
  size_t first = number * PIECE,
         end = first + PIECE < t->tape->count ? first + PIECE : t->tape->count;
  ritti_text *out = w->out;
  if (w->direct)
    ritti_text_add(
        out,
        "static void %s_%zu(const %s *restrict z, %s *restrict r, %s *restrict f, %s *restrict g) {\n",
        t->name, number, real(w), real(w), real(w), real(w));
  else ritti_text_add(out, "static void %s_%zu(double *restrict r) {\n", t->name, number);
  memset(w->local, 0, slots * sizeof *w->local);
  /* what needs no operation */
  for (size_t i = 0; w->direct && number == 0 && i < t->tape->results; i++)
    if (!w->last[t->tape->result[i]]) add_result(w, t, i, t->tape->result[i]);
  for (size_t i = first; i < end; i++) {
    const ritti_instruction *c = &t->tape->code[i];
    add_operation(w, c, i);
    for (int half = 0; half < 1 + (c->op == RITTI_TAPE_SINCOS); half++) {
      uint32_t slot = half ? c->b : c->out;
      if (w->last[slot] == i + 1)
        for (uint32_t k = results_of[slot]; w->direct && k; k = next_result[k - 1])
          add_result(w, t, k - 1, slot);
    }
  }
  /* what is read later */
  for (uint32_t slot = w->temporary; slot < slots; slot++)
    if (w->local[slot] && w->later[slot]) {
      ritti_text_add(out, "  r[%u] = ", slot);
      add_slot(w, slot, true);
      ritti_text_add(out, ";\n");
    }
  ritti_text_add(out, "}\n");
}

/* A tape as functions NAME_0, ... and NAME that calls them. */
static ritt_status add_tape(writer *w, const entry *t, const ritti_layout *layout) {
  const ritti_tape *tape = t->tape;
  uint32_t slots = (uint32_t)ritti_layout_size(layout);
  size_t pieces = tape->count ? (tape->count + PIECE - 1) / PIECE : 1, n = slots + 1;
  uint32_t *room = ritti_malloc((3 * n + tape->results + 1) * sizeof *room);
  bool *later = ritti_malloc(n * (pieces + 1));
  if (!room || !later) {
    ritti_free(room);
    ritti_free(later);
    return RITT_NO_MEMORY;
  }
  uint32_t *last = room + n, *results_of = last + n, *next_result = results_of + n;
  memset(room, 0, (3 * n + tape->results + 1) * sizeof *room);
  memset(later, 0, n * (pieces + 1));
  w->local = room, w->last = last;
  w->direct = !tape->kernels;
  for (size_t i = 0; i < tape->count; i++) {
    last[tape->code[i].out] = (uint32_t)i + 1;
    if (tape->code[i].op == RITTI_TAPE_SINCOS) last[tape->code[i].b] = (uint32_t)i + 1;
  }
  for (size_t i = tape->results; i-- > 0;) {
    uint32_t slot = tape->result[i];
    next_result[i] = results_of[slot], results_of[slot] = (uint32_t)i + 1;
  }
  /* results are read at the end, where they are not handed out at once */
  bool *after = later + (pieces - 1) * n;
  for (size_t i = 0; !w->direct && i < tape->results; i++) after[tape->result[i]] = true;
  for (size_t p = pieces - 1; p > 0; p--) {
    bool *before = later + (p - 1) * n;
    memcpy(before, later + p * n, n);
    look_back(tape, p * PIECE, (p + 1) * PIECE < tape->count ? (p + 1) * PIECE : tape->count,
              before);
  }
  for (size_t p = 0; p < pieces; p++) {
    w->later = later + p * n;
    add_piece(w, t, p, slots, results_of, next_result);
  }
  if (w->direct)
    ritti_text_add(w->out, "%svoid %s(const %s *z, %s *r, %s *f, %s *g) {\n",
                   w->lanes ? "static " : "", t->name, real(w), real(w), real(w), real(w));
  else ritti_text_add(w->out, "void %s(double *r) {\n", t->name);
  for (size_t p = 0; p < pieces; p++)
    ritti_text_add(w->out, w->direct ? "  %s_%zu(z, r, f, g);\n" : "  %s_%zu(r);\n", t->name, p);
  ritti_text_add(w->out, "}\n");
  w->local = NULL;
  ritti_free(room);
  ritti_free(later);
  return w->out->status;
}

/* ---- kernels ---- */

static void add_kernel(writer *w, const char *name, size_t number, const ritti_kernel *k) {
  ritti_text *out = w->out;
  ritt_real *row = w->row;
  w->row = NULL; /* registers */
  ritti_text_add(
      out,
      "void %s_kernel_%zu(const double *restrict r, const unsigned *restrict slot, double *restrict out, "
      "unsigned long shift, const unsigned *restrict result, unsigned long count) {\n  for (; count; "
      "count--, slot += %zu, result++) {\n",
      name, number, k->leaves);
  for (size_t i = 0; i < k->leaves; i++)
    ritti_text_add(out, "  const double v%zu = r[slot[%zu]];\n", i, i);
  for (size_t i = 0; i < k->steps; i++) {
    const ritti_instruction *c = &k->code[i];
    ritti_text_add(out, "  const double v%u = ", c->out);
    if (c->op == RITTI_M_CONSTANT) ritti_text_add(out, "(%a)", (double)k->constant[i]);
    else add_value(w, c->op, c->a, c->b);
    ritti_text_add(out, ";\n");
  }
  ritti_text_add(out, "  out[*result - shift] = v%u;\n  }\n}\n", k->out);
  w->row = row;
}

/* ---- loops ---- */

static void add_place(writer *w, const ritti_loop *loop, ritti_strand_place at) {
  ptrdiff_t offset;
  size_t number = ritti_loop_place(loop, at, &offset);
  ritti_text_add(w->out, "p%zu[%ld * i + %ld]", number, (long)at.step, (long)offset);
}

/* One strand: its registers are numbered from `first` on. */
static void add_strand(writer *w, const ritti_loops *loops, const ritti_loop *loop,
                       const ritti_strand *s, uint32_t first) {
  const ritti_kernel *k = s->kernel;
  ritti_text *out = w->out;
  for (size_t i = 0; i < k->leaves; i++) {
    ritti_text_add(out, "  const double v%zu = ", first + i);
    add_place(w, loop, ritti_strand_leaf(loops, s, i));
    ritti_text_add(out, ";\n");
  }
  for (size_t i = 0; i < k->steps; i++) {
    const ritti_instruction *c = &k->code[i];
    ritti_text_add(out, "  const double v%u = ", first + c->out);
    if (c->op == RITTI_M_CONSTANT) ritti_text_add(out, "(%a)", (double)k->constant[i]);
    else add_value(w, c->op, first + c->a, first + c->b);
    ritti_text_add(out, ";\n");
  }
  ritti_text_add(out, "  ");
  add_place(w, loop, ritti_strand_result(loops, s));
  ritti_text_add(out, " = v%u;\n", first + k->out);
}

static void add_loop(writer *w, const char *name, size_t number, const ritti_loops *loops) {
  static const char *const array[] = {"const double *p%zu = z", "const double *p%zu = r",
                                      "double *p%zu = f", "double *p%zu = g"};
  const ritti_loop *loop = &loops->at[number];
  ritti_text *out = w->out;
  ritt_real *row = w->row;
  uint32_t first = 0;
  w->row = NULL; /* registers */
  ritti_text_add(
      out,
      "void %s_loop_%zu(const double *restrict z, const double *restrict r, double *restrict f, "
      "double *restrict g, const "
      "__PTRDIFF_TYPE__ *restrict b, "
      "__SIZE_TYPE__ n) {\n",
      name, number);
  for (size_t i = 0; i < loop->places; i++) {
    ritti_text_add(out, "  ");
    ritti_text_add(out, array[loop->place[i].array], i);
    ritti_text_add(out, " + b[%zu];\n", i);
  }
  ritti_text_add(out, "  for (__PTRDIFF_TYPE__ i = 0; i < (__PTRDIFF_TYPE__)n; i++) {\n");
  for (size_t i = 0; i < loop->strands; i++) {
    add_strand(w, loops, loop, &loop->strand[i], first);
    first += (uint32_t)(loop->strand[i].kernel->leaves + loop->strand[i].kernel->steps);
  }
  ritti_text_add(out, "  }\n}\n");
  w->row = row;
}

/* ---- Gram matrices ---- */

/* The matrices of src/geometry: all rows of df, positions and velocities apart, the system of the
 * tops. */
static ritt_status add_forms(ritti_text *out, const ritti_problem *p, ritti_arena *arena) {
  ritti_form_keys keys = {0};
  ritti_linear L;
  int l = p->constraints;
  unsigned char *moves;
  RITT_TRY(ritti_linear_init(&L, RITTI_GRAM, &p->df, 0, RITTI_ALGEBRA_AUTO, arena));
  ritti_linear_write_forms(&L, &keys, out);
  if (p->kind != RITT_HOLONOMIC) return RITT_OK;
  ritti_pattern rows = {.rows = l, .cols = p->m, .start = p->df.start, .col = p->df.col};
  RITT_TRY(ritti_linear_init(&L, RITTI_GRAM, &rows, 0, RITTI_ALGEBRA_AUTO, arena));
  ritti_linear_write_forms(&L, &keys, out);
  RITTI_NEW(moves, arena, p->m);
  for (int j = p->positions + 1; j < p->m; j++) moves[j] = 1;
  rows.start += l;
  RITT_TRY(ritti_linear_init_gram(&L, &rows, moves, RITTI_ALGEBRA_AUTO, arena));
  ritti_linear_write_forms(&L, &keys, out);
  if (!p->symmetric) return RITT_OK;
  RITT_TRY(ritti_linear_init(&L, RITTI_SYMMETRIC, &p->A, p->positions, RITTI_ALGEBRA_AUTO, arena));
  ritti_linear_write_forms(&L, &keys, out);
  return RITT_OK;
}

static ritt_status write_forms(ritti_text *out, const ritti_problem *problem) {
  ritti_arena *arena = ritti_arena_new();
  if (!arena) return RITT_NO_MEMORY;
  ritt_status status = add_forms(out, problem, arena);
  ritti_arena_free(arena);
  return status;
}

/* ---- the source, and its functions ---- */

/* A writer of the problem's tapes, with a row of its numbers to be freed. */
static ritt_status open_writer(const ritti_evaluator *e, ritti_text *out, bool lanes, writer *w) {
  const ritti_row_parts part = ritti_layout_parts(e->layout);
  ritt_real *row = ritti_malloc((ritti_layout_size(e->layout) + 1) * sizeof *row);
  if (!row) return RITT_NO_MEMORY;
  ritti_layout_init(e->layout, row);
  *w = (writer){.out = out,
                .m = (uint32_t)e->reduced->m,
                .constant = part.constant,
                .temporary = part.temporary,
                .row = row,
                .lanes = lanes};
  return RITT_OK;
}

ritt_status ritti_problem_write_native(const ritti_problem *problem, bool second,
                                       const ritti_step_method *method, ritti_text *out,
                                       bool *whole, bool *hard) {
  const ritti_evaluator *e = problem->data;
  entry at[TAPES];
  writer w;
  RITT_TRY(open_writer(e, out, false, &w));
  ritt_status status = RITT_OK;
  *hard = false;
  list_tapes(e, at);
  ritti_text_add(out, "typedef double ritt_real;\n%s", prologue);
  for (int i = 0; i < (second ? TAPES : SECOND) && status == RITT_OK; i++) {
    const ritti_kernels *kernels = at[i].tape->kernels;
    if (is_worth_it(at[i].tape)) status = add_tape(&w, &at[i], e->layout);
    for (size_t k = 0; kernels && k < kernels->count && status == RITT_OK; k++)
      if (!looks_up(kernels->at[k].code, kernels->at[k].steps))
        add_kernel(&w, at[i].name, k, &kernels->at[k]);
    const ritti_loops *loops = at[i].tape->loops;
    for (size_t k = 0; loops && k < loops->count; k++) add_loop(&w, at[i].name, k, loops);
    *hard = *hard || (loops && loops->count);
  }
  if (*hard && problem->k && status == RITT_OK) status = write_forms(out, problem);
  *whole = method && ritti_whole_fits(problem);
  *hard = *hard || *whole;
  if (*whole && status == RITT_OK) status = ritti_whole_write(problem, method, out);
  ritti_free(w.row);
  return status == RITT_OK ? out->status : status;
}

/* The tapes of a whole step, behind lanes, RITTI_WIDTH: functions of vectors that nobody else sees.
 */
ritt_status ritti_lanes_write_tapes(const ritti_problem *problem, ritti_text *out) {
  const ritti_evaluator *e = problem->data;
  entry at[TAPES];
  writer w;
  RITT_TRY(open_writer(e, out, true, &w));
  ritt_status status = RITT_OK;
  list_tapes(e, at);
  ritti_text_add(out, "%s", prologue);
  for (int i = 0; i <= WHOLE && status == RITT_OK; i++)
    if (at[i].tape->results) status = add_tape(&w, &at[i], e->layout);
  ritti_free(w.row);
  return status == RITT_OK ? out->status : status;
}

typedef struct summing {
  uint64_t one, two;
} summing;

static void add_up(summing *s, const void *at, size_t size) {
  s->one = ritti_checksum(s->one, &size, sizeof size),
  s->two = ritti_checksum(s->two, &size, sizeof size);
  if (!size) return;
  s->one = ritti_checksum(s->one, at, size), s->two = ritti_checksum(s->two, at, size);
}

static void add_up_pattern(summing *s, const ritti_pattern *p) {
  add_up(s, p->start, p->start && p->rows ? (size_t)(p->rows + 1) * sizeof *p->start : 0);
  add_up(s, p->col, ritti_entries(p) * sizeof *p->col);
}

bool ritti_problem_sum(const ritti_problem *p, const ritti_step_method *method, uint64_t sum[2]) {
  const ritti_evaluator *e = p->data;
  const ritti_row_parts part = ritti_layout_parts(e->layout);
  const int number[] = {p->kind, p->m, p->k, p->tops, p->positions, p->constraints, p->symmetric};
  summing s = {RITTI_CHECKSUM, ~RITTI_CHECKSUM};
  entry at[TAPES];
  if (!ritti_whole_fits(p)) return false;
  list_tapes(e, at);
  for (int i = 0; i < TAPES; i++)
    if (at[i].tape->kernels) return false;
  ritt_real *row = ritti_malloc((ritti_layout_size(e->layout) + 1) * sizeof *row);
  if (!row) return false;
  ritti_layout_init(e->layout, row);
  for (int i = 0; i < TAPES; i++) {
    add_up(&s, at[i].tape->code, at[i].tape->count * sizeof *at[i].tape->code);
    add_up(&s, at[i].tape->result, at[i].tape->results * sizeof *at[i].tape->result);
    add_up(&s, &at[i].first, sizeof at[i].first);
  }
  add_up(&s, number, sizeof number);
  add_up(&s, &part, sizeof part);
  add_up(&s, row + part.constant, (part.temporary - part.constant) * sizeof *row);
  add_up(&s, p->next, (size_t)p->m * sizeof *p->next);
  add_up(&s, p->s, p->symmetric ? (size_t)p->constraints * sizeof *p->s : 0);
  add_up_pattern(&s, &p->df), add_up_pattern(&s, &p->A);
  if (method) add_up(&s, &method->key, sizeof method->key);
  ritti_free(row);
  sum[0] = s.one, sum[1] = s.two;
  return true;
}

/* Once there is code for all of them. */
static void take_loops(ritti_loops *loops, const char *tape,
                       ritti_any_function (*get)(const void *from, const char *name),
                       const void *from) {
  char name[64];
  bool all = loops->count > 0;
  for (size_t i = 0; i < loops->count && all; i++) {
    ritti_format(name, sizeof name, "%s_loop_%zu", tape, i);
    ritti_any_function found = get(from, name);
    loops->at[i].native = (ritti_native_loop *)found;
    all = found != NULL;
  }
  if (all) atomic_store_explicit(&loops->ready, true, memory_order_release);
}

bool ritti_problem_wants_native(const ritti_problem *problem, const ritti_step_method *method) {
  const ritti_evaluator *e = problem->data;
  int count = atomic_load(&e->native.count);
  if (count == 0) return true;
  return count < RITTI_MOST_NATIVE && method && ritti_whole_fits(problem) &&
         !problem->whole(problem->data, method->key);
}

void ritti_problem_take_native(const ritti_problem *problem,
                               ritti_any_function (*get)(const void *from, const char *name),
                               const void *from) {
  entry at[TAPES];
  char name[64];
  list_tapes(problem->data, at);
  ritti_evaluator *e =
      (ritti_evaluator *)problem->data; /* the one thing of a Problem that changes */
  ritti_any_function step = get(from, "ritt_whole"), key = get(from, "ritt_whole_key");
  int free = 0;
  while (free < RITTI_MOST_NATIVE && atomic_load(&e->whole[free].step)) free++;
  if (step && key && free < RITTI_MOST_NATIVE) {
    e->whole[free].key = ((unsigned long (*)(void))key)();
    atomic_store_explicit(&e->whole[free].step, (ritti_step_function *)step, memory_order_release);
  }
  for (int i = 0; i < TAPES; i++) {
    ritti_tape *tape = (ritti_tape *)at[i].tape; /* the one thing of a Problem that changes */
    const ritti_kernels *kernels = tape->kernels;
    ritti_any_function found = get(from, at[i].name);
    if (found && kernels)
      atomic_store_explicit(&tape->native_code, (ritti_native_code *)found, memory_order_release);
    else if (found)
      atomic_store_explicit(&tape->native, (ritti_native_tape *)found, memory_order_release);
    for (size_t k = 0; kernels && k < kernels->count; k++) {
      ritti_format(name, sizeof name, "%s_kernel_%zu", at[i].name, k);
      if ((found = get(from, name)))
        atomic_store_explicit(&kernels->at[k].native, (ritti_native_kernel *)found,
                              memory_order_release);
    }
    if (tape->loops && !atomic_load(&tape->loops->ready))
      take_loops(tape->loops, at[i].name, get, from);
  }
  if (atomic_load(&e->has_forms)) return; /* others look there already */
  e->get = get, e->from = from;
  atomic_store_explicit(&e->has_forms, true, memory_order_release);
}
