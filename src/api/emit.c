/* `ritt emit`: the solver of one model as one C file.
 *
 * In: a model and run settings. Out: text: an interface of three functions, the sources of the
 * numeric tower that they reach (tools/amalgamate.c), the model's Problem (codegen/emit.c), its
 * settings and its start point. The computation is that of the library, so that the rows have the
 * same bits. The model has been completed: if a run has to complete it again, the emitted solver
 * stops. Texts of the model stand in comments and string literals only, escaped; all
 * names are the model's name with an ending.
 */
#include "emit.h"
#include "drive/standalone.h"

typedef ritti_emission emission;

/* How the members of RITTI_SOLVE_OPTIONS are written. */
#define WHOLE_FORMAT "%d"
#define WHOLE_TYPE   int
#define REAL_FORMAT  "%a"
#define REAL_TYPE    double
#define COUNT_FORMAT "%ld"
#define COUNT_TYPE   long

/* ---- what is emitted ---- */

static ritt_status check_size(const ritti_problem *p, ritt_error *error) {
  int tops = p->kind == RITT_EXPLICIT ? 0 : p->tops, n = tops > p->k ? tops : p->k;
  if (n <= RITTI_SMALL) return RITT_OK;
  return ritti_fail(
      error, RITT_WRONG_MODEL, NULL, "link libritt instead: it has the algebra for large systems",
      "the model leads to matrices with %d rows; 'ritt emit' supports up to %d", n, RITTI_SMALL);
}

static const char *command_of(const emission *E) {
  return E->heap ? "ritt export fmu" : "ritt emit";
}

static ritt_status check_method(const emission *E, ritt_error *error) {
  const ritti_tableau *t = E->settings.solve.tableau;
  if (t->family != RITTI_TAYLOR && t->family != RITTI_COVARIANT) return RITT_OK;
  return ritti_fail(error, RITT_WRONG_CALL, NULL, "give --method dop853",
                    "'%s' cannot write power series, which the method %s needs", command_of(E),
                    t->name);
}

/* A member that is not written must not be set: it would be lost silently. */
static ritt_status check_options(const emission *E, const ritti_solve_options *options,
                                 ritt_error *error) {
  static const ritti_solve_options none;
  ritti_solve_options left;
  memcpy(&left, options, sizeof left);
  left.tableau = NULL;
  left.automatic = false; /* it is written by itself */
  left.relative = left.absolute = left.scale = left.top_relative = left.top_absolute = NULL;
#define X(form, type, member, what) memset(&left.member, 0, sizeof left.member);
  RITTI_SOLVE_OPTIONS(X)
#undef X
  if (!memcmp(&left, &none, sizeof left)) return RITT_OK;
  return ritti_fail(error, RITT_WRONG_CALL, NULL, "leave it at its default",
                    "'%s' cannot write one of the options", command_of(E));
}

/* The memory of a state: what setting one up takes here, in a block of the same kind. Pointers have at
 * most 8 bytes elsewhere. */
static ritt_status measure_memory(emission *E) {
  ritti_standalone alone = {.problem = E->problem,
                            .method = E->settings.solve.tableau->name,
                            .options = E->settings.solve,
                            .start = E->M->reduced->z};
  ritt_status status = RITT_NO_MEMORY;
  for (size_t size = (size_t)1 << 20; status == RITT_NO_MEMORY && size <= (size_t)1 << 30;
       size *= 4) {
    void *block = ritti_malloc(size);
    ritti_arena *arena = ritti_arena_in(block, size);
    ritti_standalone_state *moving;
    if (!arena) return RITT_NO_MEMORY;
    size_t more = 0;
    status = ritti_standalone_new(&alone, arena, &moving);
    E->memory = ritti_arena_used(arena) + sizeof(max_align_t);
    if (status == RITT_OK) status = ritti_standalone_room(moving, arena, &more);
    E->memory += more;
    ritti_arena_free(arena); /* memory that libraries have taken beside it */
    ritti_free(block);
  }
  if (sizeof(void *) < 8) E->memory *= 2; /* a browser has pointers and sizes of 4 bytes */
  return status;
}

/* The settings of the method for stiff runs. An emitted solver has one method; an FMU changes it. */
static ritt_status prepare_stiff(emission *E, const ritt_options *options, ritti_arena *arena,
                                 ritt_error *error) {
  ritt_options stiff = {0};
  if (!E->heap || !E->settings.solve.automatic) {
    E->settings.solve.automatic = false;
    return RITT_OK;
  }
  if (options) stiff = *options;
  stiff.method = RITTI_STIFF_METHOD;
  const ritti_prepared prepared = ritti_prepared_of(E->M);
  RITT_TRY(ritti_settings_make(&prepared, &stiff, arena, error, &E->stiff));
  return check_options(E, &E->stiff.solve, error);
}

ritt_status ritti_emission_prepare(emission *E, const ritt_options *options, ritti_arena *arena,
                                   ritt_error *error) {
  ritt_model *M = E->M;
  bool quad;
  ritti_tangents_make_unknowns(M);
  RITT_TRY(ritti_pipeline_prepare(M, error));
  RITT_TRY(ritti_precision(M->model, options, error, &quad));
  if (quad)
    return ritti_fail(error, RITT_WRONG_MODEL, NULL, "give --precision double",
                      "'%s' writes solvers that compute in doubles", command_of(E));
  if (!E->heap) RITT_TRY(check_size(M->problem, error));
  const ritti_prepared prepared = ritti_prepared_of(M);
  RITT_TRY(ritti_settings_make(&prepared, options, arena, error, &E->settings));
  RITT_TRY(check_method(E, error));
  RITT_TRY(check_options(E, &E->settings.solve, error));
  RITT_TRY(prepare_stiff(E, options, arena, error));
  if (ritti_method_find(E->settings.solve.tableau->name) != E->settings.solve.tableau)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "use a method that 'ritt methods' lists",
                      "'%s' cannot write a method from a file", command_of(E));
  if (M->reduced->strong)
    return ritti_fail(error, RITT_WRONG_MODEL, &M->model->strong_place,
                      "write 'follow vibrations' or 'limit' below solve",
                      "'%s' cannot write steps that pass over the vibrations of a strong potential",
                      command_of(E));
  E->name = M->model->name;
  E->columns = M->table_columns;
  E->outputs = E->columns - (E->settings.solve.by_arc ? 2 : 1);
  return RITT_OK;
}

/* Makes the Problem that is written. */
static ritt_status make_problem(emission *E, ritti_arena *arena, ritt_error *error) {
  ritt_model *M = E->M;
  unsigned wants = ritti_method_wants(E->settings.solve.tableau);
  RITT_TRY(
      ritti_problem_make_for(wants, M->reduced, M->output, E->outputs, arena, error, &E->problem));
  return measure_memory(E);
}

/* ---- the interface ---- */

/* Text of the model within a comment: printable, and not the end of it. */
static void add_safe(ritti_text *out, const char *text) {
  for (const char *c = text; *c; c++) {
    bool plain = (unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f && *c != '\\';
    if ((*c == '/' && c > text && c[-1] == '*') || (*c == '*' && c > text && c[-1] == '/'))
      ritti_text_add(out, " ");
    if (*c == '?') plain = !(c[1] == '?');
    ritti_text_add_bytes(out, plain ? c : ".", 1);
  }
}

static void add_list(ritti_text *out, const char *head, const char *const *item, size_t count) {
  ritti_text_add(out, " * %s:", head);
  size_t width = strlen(head) + 4;
  for (size_t i = 0; i < count; i++) {
    size_t length = strlen(item[i]) + 2;
    if (width + length > 110) ritti_text_add(out, "\n *  "), width = 4;
    width += length;
    ritti_text_add(out, " ");
    add_safe(out, item[i]);
    ritti_text_add(out, i + 1 < count ? "," : "");
  }
  ritti_text_add(out, count ? "\n" : " none\n");
}

static const char *find_coordinate(const emission *E, int i) {
  return E->problem->name.coordinate(E->problem->data, i);
}

static ritt_status add_head(emission *E, ritti_arena *arena) {
  const ritti_model *model = E->M->model;
  ritti_text *out = &E->out;
  const char *n = E->name, **names;
  RITTI_NEW(names, arena, (size_t)model->parameters + (size_t)E->problem->m + 1);
  ritti_text_add(out, "/* The solver of the model %s", n);
  if (model->title)
    ritti_text_add(out, ", \""), add_safe(out, model->title), ritti_text_add(out, "\"");
  ritti_text_add(
      out,
      ", written by ritt %s.\n *\n"
      " * This file needs only the C library. It is a program that prints the rows of the model's run,\n"
      " *\n"
      " *   cc -O2 -D%s_MAIN %s.c -lm -o %s && ./%s\n"
      " *\n"
      " * or a part of yours: define %s_INTERFACE_ONLY and include it for the declarations below, and compile\n"
      " * it once as it is. It was made for the values of the parameters that stand in it. Others may be\n"
      " * given to %s_start, but what was decided for these values is not decided again.\n *\n",
      RITT_VERSION, n, n, n, n, n, n);
  add_list(out, "columns of a row", (const char *const *)E->M->column, E->columns);
  for (int i = 0; i < model->parameters; i++) names[i] = model->parameter[i].name;
  add_list(out, "parameters", names, (size_t)model->parameters);
  for (int i = 0; i < E->problem->m; i++) names[i] = find_coordinate(E, i);
  add_list(out, "coordinates of a point", names, (size_t)E->problem->m);
  ritti_text_add(out, " */\n");
  return RITT_OK;
}

static void add_interface(emission *E) {
  ritti_text *out = &E->out;
  const char *n = E->name;
  size_t reals = E->memory / sizeof(double) + 1;
  ritti_text_add(out, "#ifndef %s_EMITTED\n#define %s_EMITTED\n\n", n, n);
  ritti_text_add(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  ritti_text_add(out, "enum { %s_columns = %zu, %s_parameters = %d, %s_coordinates = %d };\n\n", n,
                 E->columns, n, E->M->model->parameters, n, E->problem->m);
  ritti_text_add(
      out,
      "/* One moving point. All its memory is in it (%zu bytes); it must not be moved or copied "
      "once started. */\n"
      "typedef struct %s_state {\n"
      "  double row[%s_columns]; /* the last row */\n"
      "  void *inside;\n"
      "  double memory[%zu];\n"
      "} %s_state;\n\n",
      reals * sizeof(double), n, n, reals, n);
  ritti_text_add(out, "extern const char *const %s_column_name[];\n", n);
  ritti_text_add(out, "extern const char *const %s_parameter_name[];\n", n);
  ritti_text_add(out, "extern const double %s_parameter_value[]; /* the model's */\n", n);
  ritti_text_add(out, "extern const char *const %s_coordinate_name[];\n", n);
  ritti_text_add(out, "extern const double %s_start_point[];     /* of the model */\n", n);
  ritti_text_add(out, "extern const double %s_end;               /* of the model's run */\n\n", n);
  ritti_text_add(
      out,
      "/* Places the state. parameters NULL: the model's values. point NULL: the model's start; else it is "
      "moved onto\n"
      " * the manifold, its first coordinate kept, as the start is where parameters are given. */\n"
      "int %s_start(%s_state *state, const double *parameters, const double *point);\n\n"
      "/* Runs to `to` and gives rows where the model asks for them, the last at the end; a first run gives "
      "the start,\n"
      " * too. `row` may be NULL; another return than 0 stops the run. */\n"
      "int %s_run(%s_state *state, double to, int (*row)(void *user, const double *row), void *user);\n\n"
      "/* Both return 0: done, 1: stopped early, 2: cannot be done. What happened in the last call, in "
      "words: */\n"
      "const char *%s_message(const %s_state *state);\n\n",
      n, n, n, n, n, n);
  ritti_text_add(out, "#ifdef __cplusplus\n}\n#endif\n#endif\n\n");
}

/* ---- the inside ---- */

static void add_real_array(ritti_text *out, const char *before, const char *name,
                           const ritt_real *at, int count) {
  ritti_text_add(out, "%s%s[] = {", before, name);
  for (int i = 0; i < count; i++) ritti_text_add(out, "%s%a,", i % 4 ? " " : "\n  ", (double)at[i]);
  ritti_text_add(out, "%s};\n", count ? "\n" : "0");
}

static void add_strings(ritti_text *out, const char *model, const char *what, const char *const *at,
                        size_t count) {
  ritti_text_add(out, "const char *const %s_%s[] = {", model, what);
  for (size_t i = 0; i < count; i++)
    ritti_text_add(out, i ? ", " : ""), ritti_text_add_c(out, at[i]);
  ritti_text_add(out, "%s};\n", count ? "" : "0");
}

static void add_options(ritti_text *out, const ritti_solve_options *o) {
#define X(form, type, member, what)                                                                \
  ritti_text_add(out, "    ." #member " = " form##_FORMAT ",\n", (form##_TYPE)o->member);
  RITTI_SOLVE_OPTIONS(X)
#undef X
}

static void add_settings(emission *E, const char *start) {
  const ritti_solve_options *o = &E->settings.solve;
  const ritti_rows *rows = &E->settings.rows;
  ritti_text *out = &E->out;
  int m = E->problem->m;
  add_real_array(out, "static const ritt_real ", "model_relative", o->relative, m);
  add_real_array(out, "static const ritt_real ", "model_absolute", o->absolute, m);
  add_real_array(out, "static const ritt_real ", "model_scale", o->scale, m);
  if (o->automatic) {
    ritti_text_add(out, "static const ritti_solve_options model_stiff = {\n");
    add_options(out, &E->stiff.solve);
    ritti_text_add(out, "};\n");
  }
  bool tops = o->top_relative != NULL;
  if (tops) {
    int count = E->problem->tops;
    add_real_array(out, "static const ritt_real ", "model_top_relative", o->top_relative, count);
    add_real_array(out, "static const ritt_real ", "model_top_absolute", o->top_absolute, count);
  }
  if (rows->at)
    add_real_array(out, "static const ritt_real ", "model_at", rows->at, (int)rows->count);
  ritti_text_add(
      out,
      "static const ritti_standalone model_alone = {\n  .problem = &model_problem,\n  .method = \"%s\",\n",
      o->tableau->name);
  ritti_text_add(out, "  .options = {\n");
  add_options(out, o);
  if (o->automatic) ritti_text_add(out, "    .automatic = 1,\n");
  ritti_text_add(
      out, "    .relative = model_relative, .absolute = model_absolute, .scale = model_scale%s},\n",
      tops ? ",\n    .top_relative = model_top_relative, .top_absolute = model_top_absolute" : "");
  ritti_text_add(
      out, "  .rows = {.points = %ld, .step = %a, .at = %s, .count = %ld, .every = %ld},\n",
      rows->points, (double)rows->step, rows->at ? "model_at" : "0", rows->count, rows->every);
  ritti_text_add(out, "  .start = %s,\n", start);
  ritti_text_add(out, "  .parameters = %d, .parameter_at = %d,\n", E->M->model->parameters,
                 E->problem->m + E->problem->tops + E->problem->k);
  if (o->automatic)
    ritti_text_add(out, "  .stiff_method = \"%s\", .stiff = &model_stiff,\n",
                   E->stiff.solve.tableau->name);
  ritti_text_add(out, "};\n\n");
}

static void add_check(ritti_text *out) {
  ritti_text_add(out, "/* Does the compiler fuse products and sums, which changes bits? */\n"
                      "static bool model_is_fused(void) {\n"
                      "  volatile double near = 0x1p-30;\n"
                      "  double a = 1 + near, b = 1 - near;\n"
                      "  return a * b - 1 != 0;\n"
                      "}\n\n");
}

static void add_functions(emission *E) {
  const char *n = E->name;
  ritti_text_add(
      &E->out,
      "static int model_code(ritt_status status) {\n"
      "  return status == RITT_OK ? 0 : status == RITT_STOPPED || status == RITT_RETRY ? 1 : 2;\n"
      "}\n\n");
  ritti_text_add(
      &E->out,
      "int %s_start(%s_state *state, const double *parameters, const double *point) {\n"
      "  ritti_standalone_state *moving = NULL;\n"
      "  ritt_status status = RITT_WRONG_CALL;\n"
      "  if (!model_is_fused())\n"
      "    status = ritti_standalone_start(&model_alone, state->memory, sizeof state->memory, "
      "parameters, point, &moving);\n"
      "  state->inside = moving;\n"
      "  return model_code(status);\n"
      "}\n\n",
      n, n);
  ritti_text_add(
      &E->out,
      "int %s_run(%s_state *state, double to, int (*row)(void *user, const double *row), void *user) {\n"
      "  if (!state->inside) return 2;\n"
      "  return model_code(ritti_standalone_run((ritti_standalone_state *)state->inside, to, state->row, row, user));\n"
      "}\n\n",
      n, n);
  ritti_text_add(
      &E->out,
      "const char *%s_message(const %s_state *state) {\n"
      "  if (model_is_fused()) return \"compile this file with -ffp-contract=off\";\n"
      "  return state->inside ? ritti_standalone_message((const ritti_standalone_state *)state->inside) : \"not started\";\n"
      "}\n",
      n, n);
}

ritt_status ritti_emission_write(emission *E, const char *const *tower, ritti_arena *arena,
                                 ritt_error *error) {
  ritti_text *out = &E->out;
  ritti_text_add(out, "#include <float.h>\n"
                      "#if defined(__FAST_MATH__) || FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2\n"
                      "#error \"this file needs plain double arithmetic: no -ffast-math, no x87\"\n"
                      "#endif\n"
                      "#if defined(__clang__)\n"
                      "#pragma STDC FP_CONTRACT OFF\n"
                      "#pragma clang diagnostic ignored \"-Wunused-function\"\n"
                      "#elif defined(__GNUC__)\n"
                      "#pragma GCC optimize(\"-ffp-contract=off\")\n"
                      "#endif\n\n");
  for (size_t i = 0; tower[i]; i++) ritti_text_add_bytes(out, tower[i], strlen(tower[i]));

  ritti_text_add(&E->out, "\n/* ---- the model ---- */\n\n");
  ritt_status status = ritti_problem_emit(E->problem, &E->out);
  if (status == RITT_WRONG_MODEL)
    return ritti_fail(error, status, NULL, "use libritt instead",
                      "'%s' cannot write all that the model asks for", command_of(E));
  RITT_TRY(status);

  if (E->heap) {
    ritti_text_add(out, "static ");
    add_real_array(out, "const double ", "model_start", E->M->reduced->z, E->problem->m);
    add_settings(E, "model_start");
    add_check(out);
    return out->status;
  }

  const ritti_model *model = E->M->model;
  const char *n = E->name, **names;
  ritt_real *values;
  int m = E->problem->m, parameters = model->parameters;
  char name[128];
  RITTI_NEW(names, arena, parameters + m + 1);
  RITTI_NEW(values, arena, parameters + 1);
  add_strings(out, n, "column_name", E->M->column, E->columns);
  for (int i = 0; i < parameters; i++)
    names[i] = model->parameter[i].name, values[i] = model->parameter[i].number;
  add_strings(out, n, "parameter_name", names, (size_t)parameters);
  ritti_format(name, sizeof name, "%s_parameter_value", n);
  add_real_array(out, "const double ", name, values, parameters);
  for (int i = 0; i < m; i++) names[i] = find_coordinate(E, i);
  add_strings(out, n, "coordinate_name", names, (size_t)m);
  ritti_format(name, sizeof name, "%s_start_point", n);
  add_real_array(out, "const double ", name, E->M->reduced->z, m);
  if (isnan(E->settings.end)) ritti_text_add(out, "const double %s_end = NAN;\n\n", n);
  else ritti_text_add(out, "const double %s_end = %a;\n\n", n, E->settings.end);

  add_settings(E, name);
  add_check(out);
  add_functions(E);
  return out->status;
}

/* A program that prints the rows as CSV, if NAME_MAIN is defined. */
static void add_program(ritti_text *out, const char *n) {
  ritti_text_add(
      out,
      "\n#ifdef %s_MAIN\n"
      "#include <stdio.h>\n\n"
      "static int %s_print(void *user, const double *row) {\n"
      "  (void)user;\n"
      "  for (int i = 0; i < %s_columns; i++) printf(\"%%s%%.17g\", i ? \",\" : \"\", row[i]);\n"
      "  return putchar('\\n') == EOF;\n"
      "}\n\n",
      n, n, n);
  ritti_text_add(out,
                 "int main(void) {\n"
                 "  static %s_state state;\n"
                 "  for (int i = 0; i < %s_columns; i++)\n"
                 "    printf(\"%%s%%s\", i ? \",\" : \"\", %s_column_name[i]);\n"
                 "  putchar('\\n');\n"
                 "  int code = %s_start(&state, NULL, NULL);\n"
                 "  if (!code) code = %s_run(&state, %s_end, %s_print, NULL);\n"
                 "  if (code) fprintf(stderr, \"%%s\\n\", %s_message(&state));\n"
                 "  return code;\n"
                 "}\n"
                 "#endif\n",
                 n, n, n, n, n, n, n, n);
}

static ritt_status write_all(emission *E, ritti_arena *arena, ritt_error *error) {
  RITT_TRY(add_head(E, arena));
  add_interface(E);
  ritti_text_add(&E->out, "#ifndef %s_INTERFACE_ONLY\n\n", E->name);
  RITT_TRY(ritti_emission_write(E, ritti_amalgamation, arena, error));
  add_program(&E->out, E->name);
  ritti_text_add(&E->out, "\n#endif\n");
  return E->out.status;
}

ritt_status ritt_model_emit_c(ritt_model *M, const ritt_options *options, ritt_error *error,
                              const char **out) {
  emission E = {.M = M};
  ritti_arena *arena = ritti_arena_new();
  *out = NULL;
  if (!arena) return ritti_no_memory(error);
  ritt_status status = ritti_emission_prepare(&E, options, arena, error);
  if (status == RITT_OK) status = make_problem(&E, arena, error);
  if (status == RITT_OK) status = write_all(&E, arena, error);
  ritti_arena_free(arena);
  if (status == RITT_OK) {
    ritti_free(M->emitted);
    *out = M->emitted = E.out.at;
    return RITT_OK;
  }
  ritti_text_free(&E.out);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}
