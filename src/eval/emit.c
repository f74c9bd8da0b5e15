/* Problem -> C: the tapes as straight lines of C, with the patterns and names beside them.
 *
 * In: a Problem made by problem.c. Out: text that stands behind the sources of the numeric tower:
 * static functions and tables named model_..., and the ritti_problem model_problem made of them.
 * Each operation is the one of the interpreter, from the same table (machine.def), in the same
 * order, so that the bits are the same where the compiler does not contract products and sums.
 * Constants are written as hexadecimal reals. Names are generated; what the model calls things
 * stands in string literals only.
 */
#include "eval/eval_impl.h"

enum { PIECE = 100 }; /* operations of one function: compilers take long over longer ones */

/* what each operation computes of a and b, as text */
#define SPELLED(...) #__VA_ARGS__
#define TEXT(...)    SPELLED(__VA_ARGS__)
#define RITTI_TABLES model_tables
static const char *const operation[RITTI_M_COUNT] = {
#define RITTI_MACHINE(id, text, arguments, value) TEXT(value),
#include "expr/machine.def"
#undef RITTI_MACHINE
};
#undef RITTI_TABLES

typedef struct writer {
  const ritti_problem *problem;
  const ritti_evaluator *e;
  ritti_row_parts part;
  const ritt_real *row; /* as ritti_layout_init fills it */
  ritti_text *out;
  bool in_kernel;
} writer;

/* ---- tables ---- */

static void add_integers(ritti_text *out, const char *name, const int *at, size_t count) {
  ritti_text_add(out, "static const int %s[] = {", name);
  for (size_t i = 0; i < count; i++) ritti_text_add(out, "%s%d,", i % 16 ? " " : "\n  ", at[i]);
  ritti_text_add(out, "%s};\n", count ? "\n" : "0");
}

static void add_reals(ritti_text *out, const char *name, const ritt_real *at, size_t count) {
  ritti_text_add(out, "static const ritt_real %s[] = {", name);
  for (size_t i = 0; i < count; i++)
    ritti_text_add(out, "%s%a,", i % 4 ? " " : "\n  ", (double)at[i]);
  ritti_text_add(out, "%s};\n", count ? "\n" : "0");
}

static void add_names(ritti_text *out, const char *name,
                      const char *(*get)(const void *data, int i), const void *data, int count) {
  ritti_text_add(
      out,
      "static const char *%s(const void *data, int i) {\n  static const char *const name[] = {",
      name);
  for (int i = 0; i < count; i++) {
    ritti_text_add(out, "\n    ");
    ritti_text_add_c(out, get(data, i));
    ritti_text_add(out, ",");
  }
  ritti_text_add(out, "%s};\n  (void)data;\n  return name[i];\n}\n", count ? "\n  " : "0");
}

static void add_pattern(ritti_text *out, const char *name, const ritti_pattern *p) {
  char start[64], col[64];
  ritti_format(start, sizeof start, "%s_start", name);
  ritti_format(col, sizeof col, "%s_col", name);
  add_integers(out, start, p->start, (size_t)p->rows + 1);
  add_integers(out, col, p->col, (size_t)p->start[p->rows]);
}

/* ---- tapes ---- */

static bool is_constant(const writer *w, uint32_t slot) {
  return slot >= w->part.constant && slot < w->part.temporary;
}

/* A slot, or the constant in it; within calls always the slot, so that compilers evaluate nothing
 * with a library of their own. */
static void add_operand(const writer *w, uint32_t slot, bool call) {
  if (call || !is_constant(w, slot)) ritti_text_add(w->out, "r[%u]", slot);
  else ritti_text_add(w->out, w->row[slot] < 0 ? "(%a)" : "%a", (double)w->row[slot]);
}

static bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The text of the operation with its operands for the words a and b: slots, or registers of a
 * kernel. */
static void add_value(const writer *w, const char *text, uint32_t a, uint32_t b) {
  bool call = strchr(text, '(') != NULL;
  for (const char *c = text; *c;) {
    size_t length = 0;
    while (in_word(c[length])) length++;
    bool operand = length == 1 && (*c == 'a' || *c == 'b');
    if (operand && w->in_kernel) ritti_text_add(w->out, "v[%u]", *c == 'a' ? a : b);
    else if (operand) add_operand(w, *c == 'a' ? a : b, call);
    else ritti_text_add_bytes(w->out, c, length ? length : 1);
    c += length ? length : 1;
  }
}

static void add_instruction(const writer *w, const ritti_instruction *c) {
  if (c->op == RITTI_TAPE_SINCOS) {
    ritti_text_add(w->out, "  r[%u] = ", c->out);
    add_value(w, operation[RITTI_M_SIN], c->a, 0);
    ritti_text_add(w->out, ";\n  r[%u] = ", c->b);
    add_value(w, operation[RITTI_M_COS], c->a, 0);
  } else {
    ritti_text_add(w->out, "  r[%u] = ", c->out);
    add_value(w, operation[c->op], c->a, c->b);
  }
  ritti_text_add(w->out, ";\n");
}

/* One kernel: its steps in registers v, for one instance after the other. */
static void add_kernel(const writer *w, const char *name, size_t number, const ritti_kernel *k) {
  writer inside = *w;
  ritti_text *out = w->out;
  inside.in_kernel = true;
  ritti_text_add(out, "static void %s_kernel_%zu(ritt_real *r) {\n  static const int slot[] = {",
                 name, number);
  for (size_t i = 0; i < k->count * k->leaves; i++)
    ritti_text_add(out, "%s%u,", i % 16 ? " " : "\n    ", k->slot[i]);
  ritti_text_add(out, "0};\n  static const int result[] = {");
  for (size_t i = 0; i < k->count; i++)
    ritti_text_add(out, "%s%u,", i % 16 ? " " : "\n    ", k->result[i]);
  ritti_text_add(out, "0};\n  ritt_real v[%zu];\n  for (int i = 0; i < %zu; i++) {\n",
                 k->leaves + k->steps + 1, k->count);
  for (size_t i = 0; i < k->leaves; i++)
    ritti_text_add(out, "    v[%zu] = r[slot[i * %zu + %zu]];\n", i, k->leaves, i);
  for (size_t i = 0; i < k->steps; i++) {
    const ritti_instruction *c = &k->code[i];
    ritti_text_add(out, "    v[%u] = ", c->out);
    if (c->op == RITTI_M_CONSTANT) ritti_text_add(out, "%a", (double)k->constant[i]);
    else add_value(&inside, operation[c->op], c->a, c->b);
    ritti_text_add(out, ";\n");
  }
  ritti_text_add(out, "    r[result[i]] = v[%u];\n  }\n}\n", k->out);
}

/* the tape as functions NAME_kernel_0, ..., NAME_0, NAME_1, ... */
static void add_pieces(const writer *w, const char *name, const ritti_tape *tape) {
  for (size_t i = 0; tape->kernels && i < tape->kernels->count; i++)
    add_kernel(w, name, i, &tape->kernels->at[i]);
  for (size_t i = 0; i < tape->count; i++) {
    if (i % PIECE == 0)
      ritti_text_add(w->out, "static void %s_%zu(ritt_real *r) {\n", name, i / PIECE);
    add_instruction(w, &tape->code[i]);
    if (i % PIECE == PIECE - 1 || i + 1 == tape->count) ritti_text_add(w->out, "}\n");
  }
}

static void add_calls(const writer *w, const char *name, const ritti_tape *tape) {
  for (size_t i = 0; tape->kernels && i < tape->kernels->count; i++)
    ritti_text_add(w->out, "  %s_kernel_%zu(r);\n", name, i);
  for (size_t i = 0; i < tape->count; i += PIECE)
    ritti_text_add(w->out, "  %s_%zu(r);\n", name, i / PIECE);
}

/* A function of the Problem: its arguments after z, what of them goes into the row, and where its
 * results go.
 */
typedef struct shape {
  const char *name, *arguments;
  const char *put; /* an argument that goes into the row, and */
  int put_at, puts;
  const char *out[2]; /* the arguments that get results, the first */
  size_t first;       /* so many of them */
} shape;

static void add_put(const writer *w, int at, const char *from, int count) {
  if (count > 0) ritti_text_add(w->out, "  memcpy(r + %d, %s, %d * sizeof *r);\n", at, from, count);
  else ritti_text_add(w->out, "  (void)%s;\n", from);
}

static void add_function(const writer *w, const shape *s, const ritti_tape *tape) {
  ritti_text *out = w->out;
  add_pieces(w, s->name, tape);
  ritti_text_add(
      out, "static ritt_status %s(const void *data, ritt_real *r, const ritt_real *z, %s) {\n",
      s->name, s->arguments);
  ritti_text_add(out, "  static const int result[] = {");
  for (size_t i = 0; i < tape->results; i++)
    ritti_text_add(out, "%s%u,", i % 16 ? " " : "\n    ", tape->result[i]);
  ritti_text_add(out, "%s};\n  (void)data;\n", tape->results ? "\n  " : "0");
  add_put(w, 0, "z", w->problem->m);
  if (s->put) add_put(w, s->put_at, s->put, s->puts);
  add_calls(w, s->name, tape);
  size_t first = s->out[1] ? s->first : tape->results;
  ritti_text_add(out, "  bool finite = model_collect(r, result, %zu, %s);\n", first, s->out[0]);
  if (s->out[1])
    ritti_text_add(out, "  finite &= model_collect(r, result + %zu, %zu, %s);\n", first,
                   tape->results - first, s->out[1]);
  ritti_text_add(out, "  return finite ? RITT_OK : RITT_RETRY;\n}\n\n");
}

static void add_functions(const writer *w) {
  const ritti_problem *p = w->problem;
  const ritti_evaluator *e = w->e;
  ritti_text_add(
      w->out,
      "/* results `result` of the row; false: one is not finite */\n"
      "static bool model_collect(const ritt_real *r, const int *result, int count, ritt_real *out) {\n"
      "  bool finite = true;\n"
      "  for (int i = 0; i < count; i++) {\n"
      "    out[i] = r[result[i]];\n"
      "    finite &= fabs(out[i]) <= DBL_MAX;\n"
      "  }\n"
      "  return finite;\n"
      "}\n\n");
  add_function(w, &(shape){.name = "model_f", .arguments = "ritt_real *f", .out = {"f"}}, &e->f);
  add_function(w,
               &(shape){.name = "model_f_df",
                        .arguments = "ritt_real *f, ritt_real *df",
                        .out = {"f", "df"},
                        .first = (size_t)p->k},
               &e->f_df);
  add_function(w,
               &(shape){.name = "model_d2f_mu",
                        .arguments = "const ritt_real *mu, ritt_real *h",
                        .put = "mu",
                        .put_at = p->m + p->tops,
                        .puts = p->k,
                        .out = {"h"}},
               &e->d2f);
  if (p->formula)
    add_function(w,
                 &(shape){.name = "model_formula", .arguments = "ritt_real *top", .out = {"top"}},
                 &e->formula);
  else
    add_function(w,
                 &(shape){.name = "model_system",
                          .arguments = "ritt_real *A, ritt_real *b",
                          .out = {"A", "b"},
                          .first = e->system.results - (size_t)e->reduced->top_rows},
                 &e->system);
  if (p->system_dz)
    add_function(w,
                 &(shape){.name = "model_system_dz",
                          .arguments = "const ritt_real *top, ritt_real *dr",
                          .put = "top",
                          .put_at = p->m,
                          .puts = p->tops,
                          .out = {"dr"}},
                 &e->system_dz);
  shape seen = {.name = "model_output",
                .arguments = "const ritt_real *top, ritt_real *out",
                .put = "top",
                .put_at = p->m,
                .puts = p->tops,
                .out = {"out"}};
  add_function(w, &seen, &e->output);
  seen.name = "model_monitor";
  add_function(w, &seen, &e->monitor);
  seen.name = "model_monitor_df";
  add_function(w, &seen, &e->monitor_df);
}

/* What each event does, and the values that jumps assign: as one function of the event. */
static void add_events(const writer *w) {
  const ritti_problem *p = w->problem;
  ritti_text *out = w->out;
  char name[64];
  for (int i = 0; i < p->events; i++) {
    ritti_format(name, sizeof name, "model_jump_%d", i);
    add_pieces(w, name, &w->e->jump[i]);
    if (!p->event[i].kept) continue;
    ritti_text_add(out, "static const bool model_kept_%d[] = {", i);
    for (int j = 0; j < p->m; j++) ritti_text_add(out, "%s%d", j ? ", " : "", p->event[i].kept[j]);
    ritti_text_add(out, "};\n");
  }
  ritti_text_add(out, "static const ritti_event model_event[] = {\n");
  for (int i = 0; i < p->events; i++) {
    const ritti_event *event = &p->event[i];
    ritti_text_add(out, "  {");
    ritti_text_add_c(out, event->name);
    ritti_text_add(out, ", %d, %d, %d, ", event->sense, event->stop, event->record);
    ritti_text_add(out, event->kept ? "model_kept_%d},\n" : "0},\n", i);
  }
  ritti_text_add(out, "  {0, 0, 0, 0, 0},\n};\n");
  ritti_text_add(
      out,
      "static ritt_status model_jump(const void *data, ritt_real *r, int event, const ritt_real *z,\n"
      "                              const ritt_real *top, ritt_real *z_new) {\n"
      "  (void)data, (void)event;\n  bool finite = true;\n");
  add_put(w, 0, "z", p->m);
  add_put(w, p->m, "top", p->tops);
  ritti_text_add(out, "  memcpy(z_new, z, %d * sizeof *z);\n", p->m);
  for (int i = 0; i < p->events; i++) {
    const ritti_tape *tape = &w->e->jump[i];
    if (!tape->results) continue;
    ritti_text_add(out, "  if (event == %d) {\n", i);
    ritti_format(name, sizeof name, "model_jump_%d", i);
    add_calls(w, name, tape);
    for (size_t k = 0; k < tape->results; k++)
      ritti_text_add(out, "    z_new[%d] = r[%u];\n    finite &= fabs(r[%u]) <= DBL_MAX;\n",
                     w->e->target[i][k], tape->result[k], tape->result[k]);
    ritti_text_add(out, "  }\n");
  }
  ritti_text_add(out, "  return finite ? RITT_OK : RITT_RETRY;\n}\n\n");
}

/* ---- the Problem ---- */

/* the tables that the model takes functions from */
static void add_tables(const writer *w) {
  const ritti_dag *dag = w->e->reduced->model->dag;
  size_t count = ritti_dag_table_count(dag);
  char name[64];
  for (size_t i = 0; i < count; i++) {
    const ritti_table *t = ritti_dag_tables(dag)[i];
    ritti_format(name, sizeof name, "model_knot_%zu", i);
    add_reals(w->out, name, t->knot, t->pieces + 1);
    ritti_format(name, sizeof name, "model_coefficient_%zu", i);
    add_reals(w->out, name, t->coefficient, t->pieces * ((size_t)t->degree + 1));
    ritti_text_add(w->out,
                   "static const ritti_table model_table_%zu = {.degree = %d, .pieces = %zu, ", i,
                   t->degree, t->pieces);
    ritti_text_add(w->out, ".knot = model_knot_%zu, .coefficient = model_coefficient_%zu};\n", i,
                   i);
  }
  if (count) ritti_text_add(w->out, "static const ritti_table *const model_tables[] = {");
  for (size_t i = 0; i < count; i++) ritti_text_add(w->out, "&model_table_%zu, ", i);
  if (count) ritti_text_add(w->out, "0};\n");
}

/* parameters, levels and constants stand together in the row */
static void add_work_init(const writer *w) {
  size_t count = w->part.temporary - w->part.parameter;
  add_reals(w->out, "model_values", w->row + w->part.parameter, count);
  ritti_text_add(w->out, "static void model_work_init(const void *data, ritt_real *r) {\n"
                         "  (void)data, (void)ritti_table_value; /* there may be no tables */\n");
  ritti_text_add(w->out, "  for (int i = 0; i < %u; i++) r[i] = 0;\n", w->part.end);
  ritti_text_add(w->out, "  memcpy(r + %u, model_values, %zu * sizeof *r);\n}\n\n",
                 w->part.parameter, count);
}

/* members of ritti_problem that are whole numbers, and the others */
#define NUMBERS(X)                                                                                 \
  X(kind)                                                                                          \
  X(m)                                                                                             \
  X(k)                                                                                             \
  X(tops)                                                                                          \
  X(outputs)                                                                                       \
  X(forced)                                                                                        \
  X(own_line)                                                                                      \
  X(events)                                                                                        \
  X(surfaces)                                                                                      \
  X(validities)                                                                                    \
  X(monitors)                                                                                      \
  X(side_at)                                                                                       \
  X(level_at)                                                                                      \
  X(positions)                                                                                     \
  X(constraints)                                                                                   \
  X(symmetric)
#define OTHERS(X)                                                                                  \
  X(event)                                                                                         \
  X(level_of)                                                                                      \
  X(next)                                                                                          \
  X(s)                                                                                             \
  X(df)                                                                                            \
  X(A)                                                                                             \
  X(dr)                                                                                            \
  X(d2f)                                                                                           \
  X(dmonitor)                                                                                      \
  X(series)                                                                                        \
  X(whole)                                                                                         \
  X(work_size)                                                                                     \
  X(work_init)                                                                                     \
  X(f)                                                                                             \
  X(f_df)                                                                                          \
  X(f_part)                                                                                        \
  X(f_df_part)                                                                                     \
  X(system_lower)                                                                                  \
  X(constant_mass)                                                                                 \
  X(form)                                                                                          \
  X(has_forms)                                                                                     \
  X(d2f_mu)                                                                                        \
  X(formula)                                                                                       \
  X(system)                                                                                        \
  X(system_dz)                                                                                     \
  X(output)                                                                                        \
  X(monitor)                                                                                       \
  X(monitor_df)                                                                                    \
  X(jump)                                                                                          \
  X(coordinate_name)                                                                               \
  X(row_name)                                                                                      \
  X(monitor_name)                                                                                  \
  X(culprit)                                                                                       \
  X(data)

static void add_problem(const writer *w) {
  const ritti_problem *p = w->problem;
  ritti_text *out = w->out;
  ritti_text_add(out, "static const ritti_problem model_problem = {\n");
#define X(member) ritti_text_add(out, "  ." #member " = %d,\n", (int)p->member);
  NUMBERS(X)
#undef X
  ritti_text_add(
      out,
      "  .next = model_next, .s = model_s, .level_of = model_level_of, .event = model_event,\n");
  ritti_text_add(out, "  .df = {%d, %d, model_df_start, model_df_col},\n", p->df.rows, p->df.cols);
  ritti_text_add(out, "  .A = {%d, %d, model_A_start, model_A_col},\n", p->A.rows, p->A.cols);
  ritti_text_add(out, "  .d2f = {%d, %d, model_d2f_start, model_d2f_col},\n", p->d2f.rows,
                 p->d2f.cols);
  ritti_text_add(out, "  .dmonitor = {%d, %d, model_dmonitor_start, model_dmonitor_col},\n",
                 p->dmonitor.rows, p->dmonitor.cols);
  ritti_text_add(out, "  .work_size = %u, .work_init = model_work_init,\n", w->part.end);
  ritti_text_add(out, "  .f = model_f, .f_df = model_f_df, .d2f_mu = model_d2f_mu,\n");
  ritti_text_add(out, p->formula ? "  .formula = model_formula,\n" : "  .system = model_system,\n");
  if (p->system_dz)
    ritti_text_add(
        out, "  .dr = {%d, %d, model_dr_start, model_dr_col}, .system_dz = model_system_dz,\n",
        p->dr.rows, p->dr.cols);
  ritti_text_add(
      out, "  .output = model_output, .monitor = model_monitor, .monitor_df = model_monitor_df, "
           ".jump = model_jump,\n");
  ritti_text_add(out, "  .coordinate_name = model_coordinate_name, .row_name = model_row_name,\n");
  ritti_text_add(out, "  .monitor_name = model_monitor_name,\n};\n\n");
}

/* Is every member of the Problem one that is written above? (`culprit` is left out: it needs the
 * model.) */
static bool is_known(const ritti_problem *problem) {
  static const ritti_problem none;
  ritti_problem left;
  memcpy(&left, problem, sizeof left);
#define X(member) memset(&left.member, 0, sizeof left.member);
  NUMBERS(X)
  OTHERS(X)
#undef X
  return !memcmp(&left, &none, sizeof left);
}

static void write_problem(const writer *w) {
  const ritti_problem *p = w->problem;
  add_integers(w->out, "model_level_of", p->level_of, (size_t)p->k);
  add_integers(w->out, "model_next", p->next, (size_t)p->m);
  add_pattern(w->out, "model_df", &p->df);
  add_pattern(w->out, "model_A", &p->A);
  if (p->system_dz) add_pattern(w->out, "model_dr", &p->dr);
  add_pattern(w->out, "model_d2f", &p->d2f);
  add_pattern(w->out, "model_dmonitor", &p->dmonitor);
  add_reals(w->out, "model_s", p->s, p->symmetric ? (size_t)p->constraints : 0);
  add_work_init(w);
  add_tables(w);
  add_functions(w);
  add_events(w);
  add_names(w->out, "model_coordinate_name", p->coordinate_name, p->data, p->m);
  add_names(w->out, "model_row_name", p->row_name, p->data, p->k);
  add_names(w->out, "model_monitor_name", p->monitor_name, p->data, p->monitors);
  add_problem(w);
}

ritt_status ritti_problem_emit(const ritti_problem *problem, ritti_text *out) {
  const ritti_evaluator *e = problem->data;
  if (!is_known(problem)) return RITT_WRONG_MODEL;
  ritt_real *row = ritti_malloc((ritti_layout_size(e->layout) + 1) * sizeof *row);
  if (!row) return RITT_NO_MEMORY;
  ritti_layout_init(e->layout, row);
  write_problem(&(writer){problem, e, ritti_layout_parts(e->layout), row, out, false});
  ritti_free(row);
  return out->status;
}
