/* Problem -> C for `ritt emit`: the tapes as functions of a ritti_problem, with the patterns and names
 * beside them.
 *
 * In: a Problem made by eval. Out: text that stands behind the sources of the numeric tower: static
 * functions and tables named model_..., and the ritti_problem model_problem made of them. Tapes are
 * those of native code (tapes.c). Constants are written as hexadecimal reals. Names are generated;
 * names of the model stand in string literals only.
 */
#include "codegen/codegen_impl.h"

typedef struct writer {
  const ritti_problem *problem;
  const ritti_evaluator *e;
  ritti_row_parts part;
  ritti_tape_writer tapes;
  ritti_text *out;
} writer;

/* ---- tables ---- */

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
  ritti_write_ints(out, start, p->start, (size_t)p->rows + 1);
  ritti_write_ints(out, col, p->col, (size_t)p->start[p->rows]);
}

/* ---- functions ---- */

/* The kernels of a tape write to the row; NAME_kernels runs all of them. */
static void add_kernels(writer *w, const char *name, const ritti_kernels *kernels) {
  char table[64];
  for (size_t i = 0; i < kernels->count; i++) {
    const ritti_kernel *k = &kernels->at[i];
    ritti_write_kernel(&w->tapes, name, i, k);
    ritti_format(table, sizeof table, "%s_slot_%zu", name, i);
    ritti_write_unsigned(w->out, table, k->slot, k->count * k->leaves);
    ritti_format(table, sizeof table, "%s_result_%zu", name, i);
    ritti_write_unsigned(w->out, table, k->result, k->count);
  }
  ritti_text_add(w->out, "static void %s_kernels(ritt_real *r) {\n", name);
  for (size_t i = 0; i < kernels->count; i++)
    ritti_text_add(w->out, "  %s_kernel_%zu(r, %s_slot_%zu, r, 0, %s_result_%zu, %zu);\n", name, i,
                   name, i, name, i, kernels->at[i].count);
  ritti_text_add(w->out, "}\n");
}

/* A function of the Problem: its arguments after z; the argument `put` that goes into the row; the
 * arguments that get results, the first of them `first` results. */
typedef struct shape {
  const char *name, *arguments;
  const char *put;
  int put_at, puts;
  const char *out[2];
  size_t first;
} shape;

static void add_put(const writer *w, int at, const char *from, int count) {
  if (count > 0) ritti_text_add(w->out, "  memcpy(r + %d, %s, %d * sizeof *r);\n", at, from, count);
  else ritti_text_add(w->out, "  (void)%s;\n", from);
}

static ritt_status add_function(writer *w, const shape *s, const ritti_tape *tape) {
  ritti_text *out = w->out;
  char name[64], table[64];
  size_t first = s->out[1] ? s->first : tape->results, second = tape->results - first;
  const char *one = s->out[0], *two = s->out[1];
  ritti_format(name, sizeof name, "%s_tape", s->name);
  ritti_format(table, sizeof table, "%s_result", s->name);
  if (tape->kernels) {
    add_kernels(w, s->name, tape->kernels);
    ritti_write_unsigned(out, table, tape->result, tape->results);
  }
  RITT_TRY(ritti_write_tape(&w->tapes, &(ritti_tape_entry){name, tape, first}));

  ritti_text_add(
      out, "static ritt_status %s(const void *data, ritt_real *r, const ritt_real *z, %s) {\n",
      s->name, s->arguments);
  ritti_text_add(out, "  (void)data, (void)r, (void)z;\n");
  if (s->put) add_put(w, s->put_at, s->put, s->puts);
  if (tape->kernels) {
    add_put(w, 0, "z", w->problem->m);
    ritti_text_add(out, "  %s_kernels(r);\n  %s(r);\n", s->name, name);
    ritti_text_add(out, "  model_collect(r, %s, %zu, %s);\n", table, first, one);
    if (two)
      ritti_text_add(out, "  model_collect(r, %s + %zu, %zu, %s);\n", table, first, second, two);
  } else ritti_text_add(out, "  %s(z, r, %s, %s);\n", name, one, two ? two : "NULL");
  ritti_text_add(out, "  return model_are_finite(%zu, %s)", first, one);
  if (two) ritti_text_add(out, " && model_are_finite(%zu, %s)", second, two);
  ritti_text_add(out, " ? RITT_OK : RITT_RETRY;\n}\n\n");
  return out->status;
}

/* Implicit kind: one function for each stage, and one that calls them; A. */
static ritt_status add_stages(writer *w, shape at_top) {
  const ritti_problem *p = w->problem;
  ritti_text *out = w->out;
  char name[64];
  at_top.name = name;
  for (int i = 0; i < p->top_stages; i++) {
    ritti_format(name, sizeof name, "model_top_stage_%d", i);
    RITT_TRY(add_function(w, &at_top, &w->e->top_stage[i]));
  }
  ritti_text_add(out,
                 "/* values that are not finite are left to the caller */\n"
                 "static ritt_status model_top_stage(const void *data, ritt_real *r, int stage,\n"
                 "    const ritt_real *z, const ritt_real *top, ritt_real *out) {\n");
  for (int i = 0; i < p->top_stages; i++)
    ritti_text_add(out, "  if (stage == %d) (void)model_top_stage_%d(data, r, z, top, out);\n", i,
                   i);
  ritti_text_add(out, "  return RITT_OK;\n}\n\n");
  at_top.name = "model_system_at";
  return add_function(w, &at_top, &w->e->system);
}

static void add_bools(ritti_text *out, const char *name, const bool *at, int count) {
  ritti_text_add(out, "static const bool %s[] = {", name);
  for (int i = 0; i < count; i++) ritti_text_add(out, "%s%d", i ? ", " : "", at[i]);
  ritti_text_add(out, "%s};\n", count ? "" : "0");
}

/* Implicit kind: the tables of the stages. */
static void add_stage_tables(const writer *w) {
  const ritti_problem *p = w->problem;
  ritti_text *out = w->out;
  char name[64];
  for (int i = 0; i < p->top_stages; i++) {
    const ritti_top_stage *s = &p->top_stage[i];
    ritti_format(name, sizeof name, "model_stage_%d_top", i);
    ritti_write_ints(out, name, s->top, (size_t)s->count);
    ritti_format(name, sizeof name, "model_stage_%d_row", i);
    ritti_write_ints(out, name, s->row, (size_t)s->count);
    if (s->formula) continue;
    ritti_format(name, sizeof name, "model_stage_%d_block", i);
    ritti_write_ints(out, name, s->block, (size_t)s->blocks + 1);
    ritti_format(name, sizeof name, "model_stage_%d_linear", i);
    add_bools(out, name, s->linear, s->blocks);
    ritti_format(name, sizeof name, "model_stage_%d_dT", i);
    add_pattern(out, name, &s->dT);
    ritti_format(name, sizeof name, "model_stage_%d_exponent", i);
    ritti_write_ints(out, name, s->exponent, (size_t)s->blocks + 1);
  }
  ritti_text_add(out, "static const ritti_top_stage model_stage[] = {\n");
  for (int i = 0; i < p->top_stages; i++) {
    const ritti_top_stage *s = &p->top_stage[i];
    ritti_text_add(
        out, "  {.formula = %d, .count = %d, .top = model_stage_%d_top, .row = model_stage_%d_row",
        s->formula, s->count, i, i);
    if (!s->formula)
      ritti_text_add(out,
                     ", .blocks = %d,\n   .block = model_stage_%d_block, .linear = "
                     "model_stage_%d_linear,\n   .dT = {%d, %d, model_stage_%d_dT_start, "
                     "model_stage_%d_dT_col},\n   .exponents = %d, .exponent = "
                     "model_stage_%d_exponent",
                     s->blocks, i, i, s->dT.rows, s->dT.cols, i, i, s->exponents, i);
    ritti_text_add(out, "},\n");
  }
  ritti_text_add(out, "  {0},\n};\n");
  ritti_text_add(out, "static const double model_top_start[] = {");
  for (int i = 0; i < p->tops; i++) ritti_text_add(out, "%s%a", i ? ", " : "", p->top_start[i]);
  ritti_text_add(out, "};\n\n");
}

static ritt_status add_functions(writer *w) {
  const ritti_problem *p = w->problem;
  const ritti_evaluator *e = w->e;
  const shape system = {"model_system",
                        "ritt_real *A, ritt_real *b",
                        NULL,
                        0,
                        0,
                        {"A", "b"},
                        e->system.results - (size_t)e->reduced->top_rows};
  ritti_text_add(
      w->out,
      "static inline bool model_are_finite(int count, const ritt_real *at) {\n  ritt_real sum = 0;\n"
      "  for (int i = 0; i < count; i++) sum += 0 * at[i];\n  return sum == 0;\n}\n"
      "static inline void model_collect(const ritt_real *r, const unsigned *result, int count, "
      "ritt_real *out) {\n  for (int i = 0; i < count; i++) out[i] = r[result[i]];\n}\n\n");

  RITT_TRY(add_function(w, &(shape){"model_f", "ritt_real *f", .out = {"f"}}, &e->f));
  RITT_TRY(add_function(w,
                        &(shape){"model_f_df", "ritt_real *f, ritt_real *df", .out = {"f", "df"},
                                 .first = (size_t)p->k},
                        &e->f_df));
  RITT_TRY(add_function(w,
                        &(shape){"model_d2f_mu",
                                 "const ritt_real *mu, ritt_real *h",
                                 "mu",
                                 p->m + p->tops,
                                 p->k,
                                 {"h"},
                                 0},
                        &e->d2f));
  if (p->call.formula)
    RITT_TRY(
        add_function(w, &(shape){"model_formula", "ritt_real *top", .out = {"top"}}, &e->formula));
  else if (p->call.system) RITT_TRY(add_function(w, &system, &e->system));

  /* functions of the point and its highest derivatives */
  shape at_top = {
      "model_system_dz", "const ritt_real *top, ritt_real *out", "top", p->m, p->tops, {"out"}, 0};
  if (p->call.top_stage) RITT_TRY(add_stages(w, at_top));
  if (p->call.system_dz) RITT_TRY(add_function(w, &at_top, &e->system_dz));
  at_top.name = "model_output";
  RITT_TRY(add_function(w, &at_top, &e->output));
  at_top.name = "model_monitor";
  RITT_TRY(add_function(w, &at_top, &e->monitor));
  at_top.name = "model_monitor_df";
  RITT_TRY(add_function(w, &at_top, &e->monitor_df));
  at_top.name = "model_impulses";
  return p->call.impulses ? add_function(w, &at_top, &e->impulses) : RITT_OK;
}

/* What each event does, and the values that jumps assign, as one function of the event. */
static ritt_status add_events(writer *w) {
  const ritti_problem *p = w->problem;
  ritti_text *out = w->out;
  size_t most = 1;
  for (int i = 0; i < p->events; i++) {
    const ritti_tape *tape = &w->e->jump[i];
    char name[64];
    if (tape->results > most) most = tape->results;
    ritti_format(name, sizeof name, "model_jump_%d", i);
    if (tape->results)
      RITT_TRY(ritti_write_tape(&w->tapes, &(ritti_tape_entry){name, tape, tape->results}));
    if (!p->event[i].kept) continue;
    ritti_format(name, sizeof name, "model_kept_%d", i);
    add_bools(out, name, p->event[i].kept, p->m);
    ritti_format(name, sizeof name, "model_assigned_%d", i);
    add_bools(out, name, p->event[i].assigned, p->m);
  }

  ritti_text_add(out, "static const ritti_event model_event[] = {\n");
  for (int i = 0; i < p->events; i++) {
    const ritti_event *event = &p->event[i];
    ritti_text_add(out, "  {");
    ritti_text_add_c(out, event->name);
    ritti_text_add(out, ", %d, %d, %d, ", event->sense, event->stop, event->record);
    ritti_text_add(out, event->kept ? "model_kept_%d, model_assigned_%d" : "0, 0", i, i);
    ritti_text_add(out, ", %d, %d},\n", event->hidden, event->surface);
  }
  ritti_text_add(out, "  {0},\n};\n");

  ritti_text_add(
      out,
      "static ritt_status model_jump(const void *data, ritt_real *r, int event, const ritt_real *z,\n"
      "                              const ritt_real *top, ritt_real *z_new) {\n"
      "  (void)data, (void)event, (void)r;\n  bool finite = true;\n  ritt_real value[%zu];\n"
      "  (void)value;\n",
      most);
  add_put(w, p->m, "top", p->tops);
  ritti_text_add(out, "  memcpy(z_new, z, %d * sizeof *z);\n", p->m);
  for (int i = 0; i < p->events; i++) {
    const ritti_tape *tape = &w->e->jump[i];
    if (!tape->results) continue;
    ritti_text_add(out,
                   "  if (event == %d) {\n    model_jump_%d(z, r, value, NULL);\n"
                   "    finite = model_are_finite(%zu, value);\n",
                   i, i, tape->results);
    for (size_t k = 0; k < tape->results; k++)
      ritti_text_add(out, "    z_new[%d] = value[%zu];\n", w->e->target[i][k], k);
    ritti_text_add(out, "  }\n");
  }
  ritti_text_add(out, "  return finite ? RITT_OK : RITT_RETRY;\n}\n\n");
  return out->status;
}

/* ---- the Problem ---- */

/* parameters, levels and constants stand together in the row */
static void add_work_init(const writer *w) {
  size_t count = w->part.temporary - w->part.parameter;
  ritti_write_reals(w->out, "model_values", w->tapes.row + w->part.parameter, count);
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
  X(invariant)                                                                                     \
  X(role)                                                                                          \
  X(form)                                                                                          \
  X(impulses)                                                                                      \
  X(velocity)                                                                                      \
  X(impulse_top)                                                                                   \
  X(cone)                                                                                          \
  X(straight)                                                                                      \
  X(next)                                                                                          \
  X(s)                                                                                             \
  X(chosen)                                                                                        \
  X(df)                                                                                            \
  X(A)                                                                                             \
  X(dr)                                                                                            \
  X(d2f)                                                                                           \
  X(dmonitor)                                                                                      \
  X(call.series)                                                                                   \
  X(code.step)                                                                                     \
  X(code.tangents)                                                                                 \
  X(code.stages)                                                                                   \
  X(work_size)                                                                                     \
  X(work_init)                                                                                     \
  X(call.f)                                                                                        \
  X(call.f_df)                                                                                     \
  X(top_stage)                                                                                     \
  X(top_stages)                                                                                    \
  X(top_start)                                                                                     \
  X(call.top_stage)                                                                                \
  X(call.system_at)                                                                                \
  X(call.f_part)                                                                                   \
  X(call.f_df_part)                                                                                \
  X(call.system_lower)                                                                             \
  X(constant_mass)                                                                                 \
  X(code.form)                                                                                     \
  X(code.has_forms)                                                                                \
  X(call.d2f_mu)                                                                                   \
  X(call.formula)                                                                                  \
  X(call.system)                                                                                   \
  X(call.system_dz)                                                                                \
  X(call.output)                                                                                   \
  X(call.monitor)                                                                                  \
  X(call.monitor_df)                                                                               \
  X(call.impulses)                                                                                 \
  X(call.jump)                                                                                     \
  X(name.coordinate)                                                                               \
  X(name.row)                                                                                      \
  X(name.monitor)                                                                                  \
  X(name.condition)                                                                                \
  X(name.culprit)                                                                                  \
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
  if (p->invariant) ritti_text_add(out, "  .invariant = model_invariant,\n");
  if (p->role) ritti_text_add(out, "  .role = model_role,\n");
  if (p->call.impulses)
    ritti_text_add(out,
                   "  .impulses = {%d, %d, model_impulses_start, model_impulses_col},\n"
                   "  .velocity = model_velocity, .impulse_top = model_impulse_top,\n"
                   "  .call.impulses = model_impulses,\n",
                   p->impulses.rows, p->impulses.cols);
  if (p->form) ritti_text_add(out, "  .form = model_form,\n");
  if (p->cone) ritti_text_add(out, "  .cone = model_cone,\n");
  if (p->straight) ritti_text_add(out, "  .straight = model_straight,\n");
  ritti_text_add(out, "  .df = {%d, %d, model_df_start, model_df_col},\n", p->df.rows, p->df.cols);
  ritti_text_add(out, "  .A = {%d, %d, model_A_start, model_A_col},\n", p->A.rows, p->A.cols);
  ritti_text_add(out, "  .d2f = {%d, %d, model_d2f_start, model_d2f_col},\n", p->d2f.rows,
                 p->d2f.cols);
  ritti_text_add(out, "  .dmonitor = {%d, %d, model_dmonitor_start, model_dmonitor_col},\n",
                 p->dmonitor.rows, p->dmonitor.cols);
  ritti_text_add(out, "  .work_size = %u, .work_init = model_work_init,\n", w->part.end);
  ritti_text_add(out,
                 "  .call.f = model_f, .call.f_df = model_f_df, .call.d2f_mu = model_d2f_mu,\n");
  if (p->call.formula) ritti_text_add(out, "  .call.formula = model_formula,\n");
  if (p->call.system) ritti_text_add(out, "  .call.system = model_system,\n");
  if (p->call.top_stage)
    ritti_text_add(out,
                   "  .top_stage = model_stage, .top_stages = %d, .top_start = model_top_start,\n"
                   "  .call.top_stage = model_top_stage, .call.system_at = model_system_at,\n",
                   p->top_stages);
  if (p->call.system_dz)
    ritti_text_add(
        out, "  .dr = {%d, %d, model_dr_start, model_dr_col}, .call.system_dz = model_system_dz,\n",
        p->dr.rows, p->dr.cols);
  ritti_text_add(
      out,
      "  .call.output = model_output, .call.monitor = model_monitor, .call.monitor_df = model_monitor_df, "
      ".call.jump = model_jump,\n");
  ritti_text_add(out, "  .name.coordinate = model_coordinate_name, .name.row = model_row_name,\n");
  ritti_text_add(out, "  .name.monitor = model_monitor_name,\n};\n\n");
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

static ritt_status write_problem(writer *w) {
  const ritti_problem *p = w->problem;
  ritti_write_ints(w->out, "model_level_of", p->level_of, (size_t)p->k);
  if (p->invariant) ritti_write_ints(w->out, "model_invariant", p->invariant, (size_t)p->k);
  if (p->role) ritti_write_ints(w->out, "model_role", p->role, (size_t)p->m);
  if (p->call.impulses) {
    add_pattern(w->out, "model_impulses", &p->impulses);
    ritti_write_ints(w->out, "model_velocity", p->velocity, (size_t)p->impulses.cols);
    ritti_write_ints(w->out, "model_impulse_top", p->impulse_top, (size_t)p->impulses.cols);
  }
  if (p->form) ritti_write_ints(w->out, "model_form", p->form, (size_t)p->m);
  if (p->cone) ritti_write_ints(w->out, "model_cone", p->cone, (size_t)p->surfaces);
  if (p->straight) {
    ritti_text_add(w->out, "static const bool model_straight[] = {");
    for (int i = 0; i < p->monitors; i++)
      ritti_text_add(w->out, "%s%s", i ? ", " : "", p->straight[i] ? "true" : "false");
    ritti_text_add(w->out, "};\n");
  }
  ritti_write_ints(w->out, "model_next", p->next, (size_t)p->m);
  add_pattern(w->out, "model_df", &p->df);
  add_pattern(w->out, "model_A", &p->A);
  if (p->call.system_dz) add_pattern(w->out, "model_dr", &p->dr);
  add_pattern(w->out, "model_d2f", &p->d2f);
  add_pattern(w->out, "model_dmonitor", &p->dmonitor);
  ritti_write_reals(w->out, "model_s", p->s, p->symmetric ? (size_t)p->constraints : 0);
  add_work_init(w);

  /* the tables that the model takes functions from */
  const ritti_dag *dag = w->e->reduced->model->dag;
  size_t count = ritti_dag_table_count(dag);
  char name[64];
  for (size_t i = 0; i < count; i++) {
    const ritti_table *t = ritti_dag_tables(dag)[i];
    ritti_format(name, sizeof name, "model_knot_%zu", i);
    ritti_write_reals(w->out, name, t->knot, t->pieces + 1);
    ritti_format(name, sizeof name, "model_base_%zu", i);
    ritti_write_reals(w->out, name, t->base, t->pieces);
    ritti_format(name, sizeof name, "model_coefficient_%zu", i);
    ritti_write_reals(w->out, name, t->coefficient, t->pieces * ((size_t)t->degree + 1));
    ritti_text_add(w->out,
                   "static const ritti_table model_table_%zu = {.degree = %d, .pieces = %zu, ", i,
                   t->degree, t->pieces);
    ritti_text_add(w->out, ".period = %.17g, .knot = model_knot_%zu, .base = model_base_%zu, ",
                   t->period, i, i);
    ritti_text_add(w->out, ".coefficient = model_coefficient_%zu};\n", i);
  }
  if (count) ritti_text_add(w->out, "static const ritti_table *const model_tables[] = {");
  for (size_t i = 0; i < count; i++) ritti_text_add(w->out, "&model_table_%zu, ", i);
  if (count) ritti_text_add(w->out, "0};\n");

  ritti_text_add(w->out, "#define SINCOS(a, s, c) ritti_inline_sincos(a, &s, &c)\n");
  RITT_TRY(add_functions(w));
  RITT_TRY(add_events(w));
  if (p->call.top_stage) add_stage_tables(w);
  add_names(w->out, "model_coordinate_name", p->name.coordinate, p->data, p->m);
  add_names(w->out, "model_row_name", p->name.row, p->data, p->k);
  add_names(w->out, "model_monitor_name", p->name.monitor, p->data, p->monitors);
  add_problem(w);
  return w->out->status;
}

ritt_status ritti_problem_emit(const ritti_problem *problem, ritti_text *out) {
  const ritti_evaluator *e = problem->data;
  writer w = {.problem = problem, .e = e, .part = ritti_layout_parts(e->layout), .out = out};
  if (!is_known(problem)) return RITT_WRONG_MODEL;
  RITT_TRY(ritti_tape_writer_open(e, out, &w.tapes));
  w.tapes.linkage = "static ";
  w.tapes.in_place = true;
  ritt_status status = write_problem(&w);
  ritti_tape_writer_close(&w.tapes);
  return status;
}
