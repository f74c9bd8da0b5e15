/* Tapes as C: the one writer of them, for native code, for batches and for `ritt emit`.
 *
 * In: a tape, the type of a real. Out: functions. Each operation is the one of the interpreter, from
 * the same table (machine.def) and in the same order, so that the bits are the same if the
 * compiler does not contract products and sums. Tapes are cut into functions of about a hundred
 * operations, since compilers take long over longer ones; values go from one to the next through the
 * row. Kernels are loops over the tables of the interpreter, so that the source does not grow with a
 * family.
 */
#include "codegen/codegen_impl.h"

enum { PIECE = 100, LONGEST = 50000 }; /* operations of a function; of a tape that is compiled */

/* what each operation computes of a and b, as text */
#define SPELLED(...) #__VA_ARGS__
#define TEXT(...)    SPELLED(__VA_ARGS__)
#define RITTI_TABLES model_tables
#undef RITTI_ELEMENTARY
#define RITTI_ELEMENTARY(f) ritti_inline_##f /* base/elementary.h stands before the tapes */
static const char *const operation[RITTI_M_COUNT] = {
#define RITTI_MACHINE(id, text, arguments, value) TEXT(value),
#include "expr/machine.def"
#undef RITTI_MACHINE
};
#undef RITTI_TABLES

static bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Is the operation a function of base/elementary.h? */
static bool is_elementary(uint32_t op) { return !strncmp(operation[op], "ritti_inline_", 13); }

bool ritti_calls_functions(const ritti_instruction *code, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (code[i].op == RITTI_TAPE_SINCOS || is_elementary(code[i].op)) return true;
  return false;
}

void ritti_write_math(ritti_text *out, bool vector) {
  const char *word = vector ? "vector" : "__builtin";
  ritti_text_add(out, "#define sqrt %s_sqrt\n#define fabs %s_fabs\n", word, word);
  ritti_text_add(out, "double floor(double), ceil(double), round(double);\n"
                      "#define SINCOS(a, s, c) ritti_inline_sincos(a, &s, &c)\n");
}

/* ---- tables ---- */

void ritti_write_ints(ritti_text *out, const char *name, const int *at, size_t count) {
  ritti_text_add(out, "static const int %s[] = {", name);
  for (size_t i = 0; i < count; i++) ritti_text_add(out, "%s%d,", i % 16 ? " " : "\n  ", at[i]);
  ritti_text_add(out, "%s};\n", count ? "\n" : "0");
}

void ritti_write_unsigned(ritti_text *out, const char *name, const uint32_t *at, size_t count) {
  ritti_text_add(out, "static const unsigned %s[] = {", name);
  for (size_t i = 0; i < count; i++) ritti_text_add(out, "%s%u,", i % 16 ? " " : "\n  ", at[i]);
  ritti_text_add(out, "%s};\n", count ? "\n" : "0");
}

void ritti_write_reals(ritti_text *out, const char *name, const ritt_real *at, size_t count) {
  ritti_text_add(out, "static const double %s[] = {", name);
  if (!at) count = 0;
  for (size_t i = 0; i < count; i++)
    ritti_text_add(out, "%s%a,", i % 4 ? " " : "\n  ", (double)at[i]);
  ritti_text_add(out, "%s};\n", count ? "\n" : "0");
}

/* ---- which tapes ---- */

void ritti_list_tapes(const ritti_evaluator *e, ritti_tape_entry at[RITTI_TAPES]) {
  const ritti_tape *system = &e->system;
  /* A and b; of the implicit kind A alone */
  size_t rows = e->reduced->kind == RITT_IMPLICIT ? 0 : (size_t)e->reduced->top_rows,
         A = system->results > rows ? system->results - rows : 0;
  const ritti_tape_entry all[RITTI_TAPES] = {
      {"ritt_f", &e->f, e->f.results},
      {"ritt_f_df", &e->f_df, (size_t)e->reduced->k},
      {"ritt_formula", &e->formula, e->formula.results},
      {"ritt_system", system, A},
      {"ritt_system_dz", &e->system_dz, e->system_dz.results},
      {"ritt_output", &e->output, e->output.results},
      {"ritt_monitor", &e->monitor, e->monitor.results},
      {"ritt_monitor_df", &e->monitor_df, e->monitor_df.results},
      {"ritt_system_d", &e->system_d, e->system_d.results},
      {"ritt_system_along", &e->system_along, e->system_along.results},
      {"ritt_f_d", &e->f_d, e->f_d.results},
      {"ritt_d2f", &e->d2f, e->d2f.results}};
  memcpy(at, all, sizeof all);
}

bool ritti_looks_up_tables(const ritti_instruction *code, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (code[i].op == RITTI_M_TABLE) return true;
  return false;
}

bool ritti_tape_is_worth_it(const ritti_tape *t) {
  return t->results && t->count <= LONGEST && !ritti_looks_up_tables(t->code, t->count);
}

ritt_status ritti_tape_writer_open(const ritti_evaluator *e, ritti_text *out,
                                   ritti_tape_writer *w) {
  const ritti_row_parts part = ritti_layout_parts(e->layout);
  ritt_real *row = ritti_malloc((ritti_layout_size(e->layout) + 1) * sizeof *row);
  if (!row) return RITT_NO_MEMORY;
  ritti_layout_init(e->layout, row);
  *w = (ritti_tape_writer){.out = out,
                           .real = "double",
                           .linkage = "",
                           .m = (uint32_t)e->reduced->m,
                           .constant = part.constant,
                           .temporary = part.temporary,
                           .slots = (uint32_t)ritti_layout_size(e->layout),
                           .row = row};
  return RITT_OK;
}

void ritti_tape_writer_close(ritti_tape_writer *w) { ritti_free(w->row); }

/* ---- values ---- */

/* A slot. Constants of calls stay in the row, so that no compiler evaluates them with a library of
 * its own. */
static void add_slot(const ritti_tape_writer *w, uint32_t slot, bool call) {
  if (w->local[slot]) ritti_text_add(w->out, "v%u", w->local[slot] - 1);
  else if (slot < w->m && w->direct) ritti_text_add(w->out, "z[%u]", slot);
  else if (!call && slot >= w->constant && slot < w->temporary) {
    ritti_text_add(w->out, "(%a)", (double)w->row[slot]);
    return;
  } else ritti_text_add(w->out, "r[%u]", slot);
  if (w->by_lane) ritti_text_add(w->out, "[l]");
}

/* The text of the operation with its operands for the words a and b. */
static void add_value(const ritti_tape_writer *w, uint32_t op, uint32_t a, uint32_t b) {
  const char *text = operation[op];
  bool call = strchr(text, '(') != NULL;
  for (const char *c = text; *c;) {
    size_t length = 0;
    while (in_word(c[length])) length++;
    bool operand = length == 1 && (*c == 'a' || *c == 'b');
    if (operand && w->registers) ritti_text_add(w->out, "v%u", *c == 'a' ? a : b);
    else if (operand) add_slot(w, *c == 'a' ? a : b, call);
    else ritti_text_add_bytes(w->out, c, length ? length : 1);
    c += length ? length : 1;
  }
}

/* ---- straight tapes ---- */

static void add_result(const ritti_tape_writer *w, const ritti_tape_entry *t, size_t i,
                       uint32_t slot) {
  if (i < t->first) ritti_text_add(w->out, "  f[%zu] = ", i);
  else ritti_text_add(w->out, "  g[%zu] = ", i - t->first);
  const bool fixed = !w->local[slot] && slot >= w->constant && slot < w->temporary;
  const bool known = fixed && w->row[slot] != 0; /* and not -0 */
  if (known && w->vector) ritti_text_add(w->out, "RITTI_ZERO + ");
  add_slot(w, slot, !known); /* the compiler may use that it is 1, for example */
  ritti_text_add(w->out, ";\n");
}

static bool is_arithmetic(uint32_t op) {
  return op == RITTI_M_ADD || op == RITTI_M_SUBTRACT || op == RITTI_M_MULTIPLY ||
         op == RITTI_M_DIVIDE || op == RITTI_M_NEGATE;
}

/* Are there vectors for the operation? */
static bool has_vectors(uint32_t op) {
  return is_arithmetic(op) || op == RITTI_M_SQRT || op == RITTI_M_ABS || op == RITTI_TAPE_SINCOS ||
         is_elementary(op);
}

/* Operation i; its value becomes local. A sine with the cosine of the same argument has two values,
 * 2i and 2i + 1. Operations that vectors do not have are done lane by lane. */
static void add_operation(ritti_tape_writer *w, const ritti_instruction *c, size_t i) {
  ritti_text *out = w->out;
  uint32_t name = (uint32_t)(2 * i);
  bool two = c->op == RITTI_TAPE_SINCOS;
  w->by_lane = w->vector && !has_vectors(c->op);
  const char *lane = w->by_lane ? "[l]" : "";

  if (two || w->by_lane) {
    ritti_text_add(out, "  %s v%u", w->real, name);
    if (two) ritti_text_add(out, ", v%u", name + 1);
    ritti_text_add(out, ";\n");
  }
  if (w->by_lane) ritti_text_add(out, "  for (int l = 0; l < RITTI_WIDTH; l++) {\n");
  if (two) {
    ritti_text_add(out, "  SINCOS(");
    add_slot(w, c->a, true);
    ritti_text_add(out, ", v%u, v%u);\n", name, name + 1);
  } else {
    if (w->by_lane) ritti_text_add(out, "  v%u%s = ", name, lane);
    else ritti_text_add(out, "  const %s v%u = ", w->real, name);
    add_value(w, c->op, c->a, c->b);
    ritti_text_add(out, ";\n");
  }
  if (w->by_lane) ritti_text_add(out, "  }\n");
  w->by_lane = false;
  if (two) w->local[c->b] = name + 2;
  w->local[c->out] = name + 1;
}

/* Going back over operations first .. end-1: the slots that functions before them must leave in the
 * row. */
static void find_slots_read(const ritti_tape *t, size_t first, size_t end, bool *later) {
  for (size_t i = end; i-- > first;) {
    const ritti_instruction *c = &t->code[i];
    later[c->out] = false;
    if (c->op == RITTI_TAPE_SINCOS) later[c->b] = false;
    later[c->a] = true;
    if (c->op != RITTI_TAPE_SINCOS && ritti_machine_arguments[c->op] == 2) later[c->b] = true;
  }
}

static void add_piece(ritti_tape_writer *w, const ritti_tape_entry *t, size_t number,
                      const uint32_t *results_of, const uint32_t *next_result) {
  size_t first = number * PIECE,
         end = first + PIECE < t->tape->count ? first + PIECE : t->tape->count;
  ritti_text *out = w->out;
  ritti_text_add(out, "static void %s_%zu(", t->name, number);
  if (w->direct)
    ritti_text_add(out,
                   "const %s *restrict z, %s *restrict r, %s *restrict f, %s *restrict g) {\n"
                   "  (void)z, (void)r, (void)f, (void)g;\n",
                   w->real, w->real, w->real, w->real);
  else ritti_text_add(out, "%s *restrict r) {\n  (void)r;\n", w->real);
  memset(w->local, 0, w->slots * sizeof *w->local);

  /* results that need no operation, then operations with their results */
  for (size_t i = 0; w->direct && number == 0 && i < t->tape->results; i++)
    if (!w->last[t->tape->result[i]]) add_result(w, t, i, t->tape->result[i]);
  for (size_t i = first; i < end; i++) {
    const ritti_instruction *c = &t->tape->code[i];
    add_operation(w, c, i);
    for (int half = 0; half < 1 + (c->op == RITTI_TAPE_SINCOS); half++) {
      uint32_t slot = half ? c->b : c->out;
      if (w->last[slot] != i + 1 || !w->direct) continue;
      for (uint32_t k = results_of[slot]; k; k = next_result[k - 1]) add_result(w, t, k - 1, slot);
    }
  }

  /* values that later pieces read */
  for (uint32_t slot = w->temporary; slot < w->slots; slot++)
    if (w->local[slot] && w->later[slot]) {
      ritti_text_add(out, "  r[%u] = ", slot);
      add_slot(w, slot, true);
      ritti_text_add(out, ";\n");
    }
  ritti_text_add(out, "}\n");
}

ritt_status ritti_write_tape(ritti_tape_writer *w, const ritti_tape_entry *t) {
  const ritti_tape *tape = t->tape;
  size_t pieces = tape->count ? (tape->count + PIECE - 1) / PIECE : 1, n = w->slots + 1;
  size_t numbers = 3 * n + tape->results + 1;
  uint32_t *room = ritti_malloc(numbers * sizeof *room);
  bool *later = ritti_malloc(n * (pieces + 1));
  if (!room || !later) {
    ritti_free(room);
    ritti_free(later);
    return RITT_NO_MEMORY;
  }
  uint32_t *last = room + n, *results_of = last + n, *next_result = results_of + n;
  memset(room, 0, numbers * sizeof *room);
  memset(later, 0, n * (pieces + 1));
  w->local = room, w->last = last;
  w->direct = !tape->kernels;

  /* where each slot is computed last, and its results */
  for (size_t i = 0; i < tape->count; i++) {
    last[tape->code[i].out] = (uint32_t)i + 1;
    if (tape->code[i].op == RITTI_TAPE_SINCOS) last[tape->code[i].b] = (uint32_t)i + 1;
  }
  for (size_t i = tape->results; i-- > 0;) {
    uint32_t slot = tape->result[i];
    next_result[i] = results_of[slot];
    results_of[slot] = (uint32_t)i + 1;
  }

  /* what each piece leaves in the row; results that are not written at once are read at the end */
  bool *after = later + (pieces - 1) * n;
  for (size_t i = 0; !w->direct && i < tape->results; i++) after[tape->result[i]] = true;
  for (size_t i = 0; i < tape->shared; i++) after[tape->result[tape->results + i]] = true;
  for (size_t p = pieces - 1; p > 0; p--) {
    bool *before = later + (p - 1) * n;
    size_t end = (p + 1) * PIECE < tape->count ? (p + 1) * PIECE : tape->count;
    memcpy(before, later + p * n, n);
    find_slots_read(tape, p * PIECE, end, before);
  }

  for (size_t p = 0; p < pieces; p++) {
    w->later = later + p * n;
    add_piece(w, t, p, results_of, next_result);
  }
  const char *r = w->real;
  ritti_text_add(w->out, "%svoid %s(", w->linkage, t->name);
  if (w->direct) ritti_text_add(w->out, "const %s *z, %s *r, %s *f, %s *g) {\n", r, r, r, r);
  else ritti_text_add(w->out, "%s *r) {\n", r);
  for (size_t p = 0; p < pieces; p++)
    ritti_text_add(w->out, w->direct ? "  %s_%zu(z, r, f, g);\n" : "  %s_%zu(r);\n", t->name, p);
  ritti_text_add(w->out, "}\n");
  w->local = NULL;
  ritti_free(room);
  ritti_free(later);
  return w->out->status;
}

/* ---- kernels and loops ---- */

/* The steps of a kernel in local variables; their numbers begin at `first`. */
static void add_steps(ritti_tape_writer *w, const ritti_kernel *k, uint32_t first) {
  w->registers = true;
  for (size_t i = 0; i < k->steps; i++) {
    const ritti_instruction *c = &k->code[i];
    ritti_text_add(w->out, "  const double v%u = ", first + c->out);
    if (c->op == RITTI_M_CONSTANT) ritti_text_add(w->out, "(%a)", (double)k->constant[i]);
    else add_value(w, c->op, first + c->a, first + c->b);
    ritti_text_add(w->out, ";\n");
  }
  w->registers = false;
}

void ritti_write_kernel(ritti_tape_writer *w, const char *name, size_t number,
                        const ritti_kernel *k) {
  ritti_text *out = w->out;
  /* native kernels write to other arrays than the row */
  const char *apart = w->in_place ? "" : "restrict ";
  ritti_text_add(
      out,
      "%svoid %s_kernel_%zu(const double *%sr, const unsigned *restrict slot, double "
      "*%sout, unsigned long shift, const unsigned *restrict result, unsigned long count) "
      "{\n  for (; count; count--, slot += %zu, result++) {\n",
      w->linkage, name, number, apart, apart, k->leaves);
  for (size_t i = 0; i < k->leaves; i++)
    ritti_text_add(out, "  const double v%zu = r[slot[%zu]];\n", i, i);
  add_steps(w, k, 0);
  ritti_text_add(out, "  out[*result - shift] = v%u;\n  }\n}\n", k->out);
}

static void add_place(const ritti_tape_writer *w, const ritti_loop *loop, ritti_strand_place at) {
  ptrdiff_t offset;
  size_t number = ritti_loop_place(loop, at, &offset);
  ritti_text_add(w->out, "p%zu[%ld * i + %ld]", number, (long)at.step, (long)offset);
}

/* One strand: its local variables are numbered from `first` on. */
static void add_strand(ritti_tape_writer *w, const ritti_loops *loops, const ritti_loop *loop,
                       const ritti_strand *s, uint32_t first) {
  const ritti_kernel *k = s->kernel;
  for (size_t i = 0; i < k->leaves; i++) {
    ritti_text_add(w->out, "  const double v%zu = ", first + i);
    add_place(w, loop, ritti_strand_leaf(loops, s, i));
    ritti_text_add(w->out, ";\n");
  }
  add_steps(w, k, first);
  ritti_text_add(w->out, "  ");
  add_place(w, loop, ritti_strand_result(loops, s));
  ritti_text_add(w->out, " = v%u;\n", first + k->out);
}

void ritti_write_loop(ritti_tape_writer *w, const char *name, size_t number,
                      const ritti_loops *loops) {
  static const char *const array[] = {"const double *p%zu = z", "const double *p%zu = r",
                                      "double *p%zu = f", "double *p%zu = g"};
  const ritti_loop *loop = &loops->at[number];
  ritti_text *out = w->out;
  uint32_t first = 0;
  ritti_text_add(
      out,
      "void %s_loop_%zu(const double *restrict z, const double *restrict r, double *restrict f, "
      "double *restrict g, const __PTRDIFF_TYPE__ *restrict b, __SIZE_TYPE__ n) {\n",
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
}
