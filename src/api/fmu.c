/* `ritt export fmu`: a model as a functional mock-up unit of FMI 2.0 or 3.0.
 *
 * In: a model and run settings. Out: the files of the archive: modelDescription.xml; sources with one C
 * file, which holds the numeric tower, the Problem and the functions of FMI (codegen/fmu_entries.h);
 * the library that the local compiler makes of it; a page of documentation. The archive itself is
 * written by the caller. Value references are numbers of the one table of variables.
 */
#include "emit.h"
#include "jit/native.h"

typedef enum sort { TIME, PARAMETER, COORDINATE, DERIVATIVE, OUTPUT, INDICATOR, INPUT } sort;
static const char *const kind_name[] = {"FMU_TIME",       "FMU_PARAMETER", "FMU_COORDINATE",
                                        "FMU_DERIVATIVE", "FMU_OUTPUT",    "FMU_INDICATOR",
                                        "FMU_INPUT"};

typedef struct variable {
  sort kind;
  int index; /* parameter (also of an input), coordinate, output, monitor */
  const char *name, *unit, *about;
  bool output;  /* causality */
  bool tunable; /* of a parameter; else it is fixed */
  bool exact;   /* of a coordinate: the model gives its start value */
  double start;
  int derivative_of; /* number of the variable */
} variable;

/* Expressions whose derivatives are outputs of the Problem: columns of the table, rows of f and of the
 * system for the tops, event indicators. */
typedef enum row_kind { OUTPUT_ROW, MANIFOLD_ROW, SYSTEM_ROW, INDICATOR_ROW } row_kind;
static const char *const row_name[] = {"FMU_OUTPUT_ROW", "FMU_MANIFOLD_ROW", "FMU_SYSTEM_ROW",
                                       "FMU_INDICATOR_ROW"};

/* A derivative by a coordinate, by a top (behind the coordinates), or by an input or a derivative of it
 * (behind the tops). */
typedef struct slope {
  row_kind kind;
  int row, column;
  ritti_expr derivative;
} slope;

typedef struct maker {
  ritti_emission E;
  int version;
  bool exchange, simulation;
  ritti_arena *arena;
  const ritti_expr *output; /* of the Problem: columns of the table, then start values */
  size_t outputs;
  int *start_of; /* of each coordinate: the output that computes its start value, -1: none */
  bool *timed;   /* of each event and surface: it depends on the time alone */
  ritti_dependencies *depends; /* NULL: everything depends on everything */
  bool *known;                 /* room for one list of them */
  bool slopes;                 /* partial derivatives by the states are there */
  /* entries of the derivatives of the first outputs by coordinates and tops: outputs themselves */
  RITTI_ARRAY(slope) slope;
  size_t slope_at; /* number of the first one */
  RITTI_ARRAY(variable) variable;
  char token[64];
  RITTI_ARRAY(ritt_file) files;
} maker;

/* ---- variables ---- */

static bool is_taken(const maker *m, const char *name) {
  for (size_t i = 0; i < m->variable.count; i++)
    if (!strcmp(m->variable.at[i].name, name)) return true;
  return false;
}

/* The text that the model has for a name; NULL: none. */
static const char *find_doc(const ritti_model *model, const char *name) {
  for (int i = 0; i < model->docs; i++)
    if (model->doc[i].name && !strcmp(model->doc[i].name, name)) return model->doc[i].text;
  return NULL;
}

static ritt_status add_variable(maker *m, variable v) {
  const char *doc = find_doc(m->E.M->model, v.name);
  if (doc) v.about = doc;
  for (int i = 2; is_taken(m, v.name); i++) {
    v.name = ritti_arena_format(m->arena, "%s (%d)", v.name, i);
    if (!v.name) return RITT_NO_MEMORY;
  }
  return RITTI_PUSH(m->variable, v);
}

/* Marks the parameters that occur in an expression. */
static ritt_status mark_parameters(const ritti_model *model, ritti_expr e, bool *found) {
  ritti_nodes leaves;
  RITT_TRY(ritti_leaves(model->dag, e, RITTI_PARAMETER, &leaves));
  for (size_t i = 0; i < leaves.count; i++) found[ritti_index_of(model->dag, leaves.at[i])] = true;
  ritti_free(leaves.at);
  return RITT_OK;
}

/* Parameters in the equations of the manifold or in the matrix of the highest derivatives: on their
 * values the completion depends. */
static ritt_status find_fixed(const maker *m, bool *fixed) {
  const ritti_reduced *r = m->E.M->reduced;
  for (int i = 0; i < r->k; i++) RITT_TRY(mark_parameters(r->model, r->f[i], fixed));
  if (r->kind == RITT_EXPLICIT) return RITT_OK;
  size_t entries = r->A.pattern.start ? (size_t)r->A.pattern.start[r->A.pattern.rows] : 0;
  for (size_t i = 0; i < entries; i++) RITT_TRY(mark_parameters(r->model, r->A.entry[i], fixed));
  return RITT_OK;
}

static ritt_status add_parameters(maker *m) {
  const ritti_model *model = m->E.M->model;
  bool *fixed;
  RITTI_NEW(fixed, m->arena, model->parameters + 1);
  RITT_TRY(find_fixed(m, fixed));
  int count = model->inputs ? model->input_time : model->parameters;
  for (int i = 0; i < count; i++) {
    const ritti_parameter_def *p = &model->parameter[i];
    const char *unit = ritti_unit_of(model, m->arena, ritti_parameter(model->dag, i));
    RITT_TRY(add_variable(m, (variable){.kind = PARAMETER,
                                        .index = i,
                                        .name = p->name,
                                        .unit = unit,
                                        .tunable = !fixed[i],
                                        .start = p->number,
                                        .about = fixed[i] ? "a parameter of the constraints or of "
                                                            "the mass matrix"
                                                          : "a parameter"}));
  }
  return RITT_OK;
}

/* Each input is three variables: its value and two derivatives. */
static ritt_status add_inputs(maker *m) {
  static const char *const about[] = {"an input", "the derivative of an input",
                                      "the second derivative of an input"};
  const ritti_model *model = m->E.M->model;
  for (int i = 0; i < model->inputs; i++)
    for (int k = 0; k < RITTI_INPUT_VALUES; k++) {
      const ritti_input_def *input = &model->input[i];
      const ritti_parameter_def *p = &model->parameter[input->parameter + k];
      variable v = {.kind = INPUT, .index = input->parameter + k, .name = p->name};
      if (k == 0) v.unit = ritti_unit_of(model, m->arena, input->expr);
      v.start = p->number;
      v.about = about[k];
      RITT_TRY(add_variable(m, v));
    }
  return RITT_OK;
}

/* The column of the table that shows a coordinate as it is; -1: none. */
static int find_column(const maker *m, int coordinate) {
  for (size_t i = 0; i < m->E.outputs; i++)
    if (m->output[i] == m->E.M->reduced->coordinate[coordinate]) return (int)i;
  return -1;
}

/* The start value of a coordinate that the model gives with '='; NULL: none. */
static const ritti_start_def *find_start(const ritti_reduced *r, int coordinate) {
  const ritti_model *model = r->model;
  ritti_expr jet = r->coordinate[coordinate];
  if (ritti_op_of(model->dag, jet) != RITTI_JET) return NULL;
  for (int i = 0; i < model->starts; i++) {
    const ritti_start_def *s = &model->start[i];
    if (s->fixed && s->variable == ritti_index_of(model->dag, jet) &&
        s->order == ritti_order_of(model->dag, jet))
      return s;
  }
  return NULL;
}

/* The states are the coordinates; in a run over x, x is the time. */
static int first_state(const maker *m) { return m->E.settings.solve.by_arc ? 0 : 1; }

static ritt_status add_coordinates(maker *m) {
  const ritt_model *M = m->E.M;
  const ritti_reduced *r = M->reduced;
  size_t before = m->E.columns - m->E.outputs;
  for (int i = first_state(m); i < r->m; i++) {
    int column = find_column(m, i);
    variable v = {.kind = COORDINATE,
                  .index = i,
                  .name = m->E.problem->name.coordinate(m->E.problem->data, i),
                  .unit = ritti_unit_of(M->model, m->arena, r->coordinate[i]),
                  .output = column >= 0,
                  .exact = find_start(r, i) != NULL,
                  .start = r->z[i],
                  .about = "a coordinate of the manifold"};
    if (column >= 0) v.name = M->column[before + (size_t)column];
    RITT_TRY(add_variable(m, v));
  }
  return RITT_OK;
}

/* Columns of the table that are not coordinates. */
static ritt_status add_outputs(maker *m) {
  const ritt_model *M = m->E.M;
  const ritti_reduced *r = M->reduced;
  size_t before = m->E.columns - m->E.outputs;
  for (size_t i = 0; i < m->E.outputs; i++) {
    bool coordinate = false;
    for (int j = first_state(m); j < r->m; j++) coordinate |= find_column(m, j) == (int)i;
    if (coordinate) continue;
    RITT_TRY(add_variable(m, (variable){.kind = OUTPUT,
                                        .index = (int)i,
                                        .name = M->column[before + i],
                                        .unit = M->unit ? M->unit[before + i] : NULL,
                                        .output = true,
                                        .about = "a column of the table"}));
  }
  return RITT_OK;
}

static ritt_status add_derivatives(maker *m) {
  const ritti_reduced *r = m->E.M->reduced;
  size_t count = m->variable.count;
  for (size_t i = 0; i < count; i++) {
    const variable *v = &m->variable.at[i];
    if (v->kind != COORDINATE) continue;
    const char *unit = NULL; /* of the rate; in a run over arc length it is another one */
    int next = r->next[v->index];
    if (first_state(m) == 1)
      unit = ritti_unit_of(r->model, m->arena, next >= 0 ? r->coordinate[next] : r->top[-1 - next]);
    const char *name = ritti_arena_format(m->arena, "der(%s)", v->name);
    if (!name) return RITT_NO_MEMORY;
    RITT_TRY(add_variable(m, (variable){.kind = DERIVATIVE,
                                        .index = v->index,
                                        .name = name,
                                        .unit = unit,
                                        .derivative_of = (int)i,
                                        .about = "the derivative of a state"}));
  }
  return RITT_OK;
}

static ritt_status list_variables(maker *m) {
  const ritt_model *M = m->E.M;
  const ritti_problem *p = m->E.problem;
  bool arc = m->E.settings.solve.by_arc;
  RITT_TRY(add_variable(m, (variable){.kind = TIME,
                                      .name = "time",
                                      .unit = arc ? NULL : M->model->independent_unit,
                                      .about = arc ? "the arc length of the solution"
                                                   : "the independent variable of the model"}));
  /* importers find inputs by their names; columns come next, with the names of the table */
  RITT_TRY(add_inputs(m));
  RITT_TRY(add_outputs(m));
  RITT_TRY(add_coordinates(m));
  RITT_TRY(add_parameters(m));
  RITT_TRY(add_derivatives(m));
  for (int i = 0; i < p->monitors; i++) {
    const char *name =
        ritti_arena_format(m->arena, "indicator %d: %s", i + 1, p->name.monitor(p->data, i));
    if (!name) return RITT_NO_MEMORY;
    RITT_TRY(add_variable(
        m, (variable){.kind = INDICATOR, .index = i, .name = name, .about = "an event indicator"}));
  }
  return RITT_OK;
}

/* ---- the Problem ---- */

/* The column of a leaf in a slope; -1: it has none. */
static int find_slope_column(const maker *m, ritti_expr leaf) {
  const ritti_reduced *r = m->E.M->reduced;
  const ritti_model *model = m->E.M->model;
  for (int i = 0; i < r->m; i++)
    if (r->coordinate[i] == leaf) return i;
  for (int i = 0; i < r->tops; i++)
    if (r->top[i] == leaf) return r->m + i;
  if (!model->inputs || ritti_op_of(model->dag, leaf) != RITTI_PARAMETER) return -1;
  int input = ritti_index_of(model->dag, leaf) - model->input_time - 1;
  return input >= 0 ? r->m + r->tops + input : -1;
}

/* Lists the derivatives of an expression by leaves of these kinds. */
static ritt_status add_slopes(maker *m, row_kind kind, int row, ritti_expr e, unsigned leaves) {
  ritti_gradient g;
  ritt_status status = ritti_dag_gradient_of(m->E.M->model->dag, e, leaves, &g);
  for (size_t k = 0; status == RITT_OK && k < g.count; k++) {
    int column = find_slope_column(m, g.leaf[k]);
    if (column >= 0) status = RITTI_PUSH(m->slope, (slope){kind, row, column, g.derivative[k]});
  }
  ritti_gradient_clear(&g);
  return status;
}

/* Columns of the table by coordinates, tops and inputs; equations and event indicators by inputs, since
 * the Problem has their other derivatives. */
static ritt_status list_slopes(maker *m) {
  enum { JETS = 1u << RITTI_JET, INPUTS = 1u << RITTI_PARAMETER };
  const ritti_reduced *r = m->E.M->reduced;
  const ritti_model *model = r->model;
  unsigned inputs = model->inputs ? INPUTS : 0;
  for (size_t i = 0; i < m->E.outputs; i++)
    RITT_TRY(add_slopes(m, OUTPUT_ROW, (int)i, m->E.M->output[i], JETS | inputs));
  if (!inputs) return ritti_dag_status(model->dag);

  ritti_expr *terms;
  int rows = r->kind == RITT_EXPLICIT ? r->tops : r->top_rows;
  RITTI_NEW(terms, m->arena, r->tops + 1);
  for (int i = 0; i < r->k; i++) RITT_TRY(add_slopes(m, MANIFOLD_ROW, i, r->f[i], inputs));
  for (int i = 0; i < rows; i++)
    RITT_TRY(add_slopes(m, SYSTEM_ROW, i, ritti_system_row(r, i, terms), inputs));
  for (int i = 0; i < model->events; i++)
    RITT_TRY(add_slopes(m, INDICATOR_ROW, i, model->event[i].function, inputs));
  for (int i = 0; i < r->kinks; i++)
    RITT_TRY(add_slopes(m, INDICATOR_ROW, model->events + i, r->kink[i].function, inputs));
  return ritti_dag_status(model->dag);
}

/* Partial derivatives are offered in model exchange over x, if the tops solve a system of their own. */
static bool offers_slopes(const maker *m) {
  return m->exchange && !m->E.settings.solve.by_arc && m->E.M->reduced->kind != RITT_GENERAL;
}

/* The columns of the table, then the start values that depend on parameters, then slopes. */
static ritt_status make_problem(maker *m, ritt_error *error) {
  ritt_model *M = m->E.M;
  const ritti_reduced *r = M->reduced;
  ritti_expr *output;
  m->slopes = offers_slopes(m);
  if (m->slopes) RITT_TRY(list_slopes(m));
  RITTI_NEW(output, m->arena, m->E.outputs + (size_t)r->m + m->slope.count + 1);
  RITTI_NEW(m->start_of, m->arena, r->m);
  if (m->E.outputs) memcpy(output, M->output, m->E.outputs * sizeof *output);
  m->outputs = m->E.outputs;
  for (int i = 0; i < r->m; i++) {
    const ritti_start_def *s = find_start(r, i);
    ritti_nodes leaves = {0};
    m->start_of[i] = -1;
    if (!s || !s->expr) continue;
    RITT_TRY(ritti_leaves(M->model->dag, s->expr, RITTI_PARAMETER, &leaves));
    if (leaves.count) {
      m->start_of[i] = (int)m->outputs;
      output[m->outputs++] = s->expr;
    }
    ritti_free(leaves.at);
  }
  m->slope_at = m->outputs;
  for (size_t i = 0; i < m->slope.count; i++) output[m->outputs++] = m->slope.at[i].derivative;
  m->output = output;
  unsigned wants = ritti_method_wants(m->E.settings.solve.tableau);
  if (m->slopes) wants |= RITTI_WANTS_SYSTEM_DZ;
  if (m->E.settings.solve.automatic) wants |= ritti_method_wants(m->E.stiff.solve.tableau);
  return ritti_problem_make_for(wants, r, output, m->outputs, m->arena, error, &m->E.problem);
}

/* ---- times of events ---- */

/* Does an expression depend on the independent variable alone? Then neither jets nor inputs are in it. */
static ritt_status find_timed(const ritti_model *model, ritti_expr e, bool *out) {
  ritti_nodes jets = {0}, parameters = {0};
  RITT_TRY(ritti_leaves(model->dag, e, RITTI_JET, &jets));
  ritt_status status = ritti_leaves(model->dag, e, RITTI_PARAMETER, &parameters);
  *out = status == RITT_OK && jets.count == 0;
  for (size_t i = 0; model->inputs && i < parameters.count; i++)
    if (ritti_index_of(model->dag, parameters.at[i]) >= model->input_time) *out = false;
  ritti_free(jets.at);
  ritti_free(parameters.at);
  return status;
}

static ritt_status list_timed(maker *m) {
  const ritti_reduced *r = m->E.M->reduced;
  const ritti_model *model = r->model;
  RITTI_NEW(m->timed, m->arena, m->E.problem->monitors + 1);
  if (m->E.settings.solve.by_arc) return RITT_OK;
  for (int i = 0; i < model->events; i++)
    RITT_TRY(find_timed(model, model->event[i].function, &m->timed[i]));
  for (int i = 0; i < r->kinks - r->validities; i++)
    if (r->kink[i].cone == 0)
      RITT_TRY(find_timed(model, r->kink[i].function, &m->timed[model->events + i]));
  return RITT_OK;
}

/* ---- the source ---- */

/* The names of an enumeration. */
static void add_names(ritti_text *out, const char *const *name, size_t count) {
  for (size_t i = 0; i < count; i++) ritti_text_add(out, "%s %s", i ? "," : "", name[i]);
  ritti_text_add(out, " ");
}

static void add_tables(maker *m) {
  const ritti_problem *p = m->E.problem;
  ritti_text *out = &m->E.out;
  const ritti_reduced *r = m->E.M->reduced;
  ritti_text_add(
      out,
      "enum {\n  model_coordinates = %d, model_parameters = %d, model_outputs = %zu,\n"
      "  model_monitors = %d, model_by_arc = %d, model_variables = %zu,\n"
      "  model_has_exchange = %d, model_has_simulation = %d,\n"
      "  model_tops = %d, model_has_slopes = %d, model_slopes = %zu, model_slope_at = %zu,\n"
      "  model_inputs = %d, model_input_time = %d, model_rows = %d\n};\n",
      p->m, m->E.M->model->parameters, m->outputs, p->monitors, m->E.settings.solve.by_arc,
      m->variable.count, m->exchange, m->simulation, p->tops, m->slopes, m->slope.count,
      m->slope_at, m->E.M->model->inputs, m->E.M->model->inputs ? m->E.M->model->input_time : 0,
      p->k + p->dr.rows);
  ritti_text_add(out,
                 "static const double model_tolerance = %a, model_end = ", m->E.settings.tolerance);
  if (isnan(m->E.settings.end)) ritti_text_add(out, "-INFINITY;\n");
  else ritti_text_add(out, "%a;\n", m->E.settings.end);
  ritti_text_add(out, "static const char model_token[] = \"%s\";\n", m->token);

  ritti_text_add(out, "static const bool model_kept[] = {");
  for (int i = 0; i < r->m; i++) ritti_text_add(out, "%s%d", i ? ", " : "", !!find_start(r, i));
  ritti_text_add(out, "};\n/* the outputs that compute start values */\n"
                      "static const int model_start_of[] = {");
  for (int i = 0; i < r->m; i++) ritti_text_add(out, "%s%d", i ? ", " : "", m->start_of[i]);
  ritti_text_add(out,
                 "};\n/* outputs with derivatives: of which row, by which coordinate, top or input "
                 "*/\ntypedef enum fmu_row {");
  add_names(out, row_name, sizeof row_name / sizeof *row_name);
  ritti_text_add(out, "} fmu_row;\nstatic const struct {\n  fmu_row kind;\n  int row, column;\n"
                      "} model_slope[] = {\n");
  for (size_t i = 0; i < m->slope.count; i++) {
    const slope *s = &m->slope.at[i];
    ritti_text_add(out, "  {%s, %d, %d},\n", row_name[s->kind], s->row, s->column);
  }
  ritti_text_add(out, m->slope.count ? "};\n\n" : "  {FMU_OUTPUT_ROW, 0, 0}\n};\n\n");

  ritti_text_add(out, "/* monitors that depend on the time alone */\n"
                      "static const bool model_timed[] = {");
  for (int i = 0; i < p->monitors; i++) ritti_text_add(out, "%d, ", m->timed[i]);
  ritti_text_add(out, "0};\n");
  ritti_text_add(out, "typedef enum fmu_kind {");
  add_names(out, kind_name, sizeof kind_name / sizeof *kind_name);
  ritti_text_add(out, "} fmu_kind;\ntypedef struct fmu_variable {\n  fmu_kind kind;\n  int index;\n"
                      "  bool tunable;\n} fmu_variable;\n"
                      "static const fmu_variable model_variable[] = {\n");
  for (size_t i = 0; i < m->variable.count; i++) {
    const variable *v = &m->variable.at[i];
    ritti_text_add(out, "  {%s, %d, %d},\n", kind_name[v->kind], v->index, v->tunable);
  }
  ritti_text_add(out, "};\n\n");
}

static ritt_status write_source(maker *m, ritt_error *error) {
  ritti_text *out = &m->E.out;
  ritti_text_add(
      out,
      "/* The model %s as an FMU, written by ritt %s.\n *\n"
      " * Compile it to a shared library: cc -O2 -ffp-contract=off -fPIC -shared\n"
      " * -fvisibility=hidden %s.c -lm -o %s.so. It needs nothing but the C library.\n */\n"
      "#include <stdlib.h>\n",
      m->E.name, RITT_VERSION, m->E.name, m->E.name);
  RITT_TRY(ritti_emission_write(&m->E, ritti_unit_amalgamation, m->arena, error));

  uint64_t one = ritti_checksum(RITTI_CHECKSUM, out->at, out->count);
  uint64_t two = ritti_checksum(one, m->E.name, strlen(m->E.name));
  ritti_format(m->token, sizeof m->token, "{%08lx-%04lx-%04lx-%04lx-%08lx%04lx}",
               (unsigned long)(one >> 32), (unsigned long)(one >> 16 & 0xffff),
               (unsigned long)(one & 0xffff), (unsigned long)(two >> 48),
               (unsigned long)(two >> 16 & 0xffffffff), (unsigned long)(two & 0xffff));
  add_tables(m);
  for (size_t i = 0; ritti_fmu_text[i]; i++)
    ritti_text_add_bytes(out, ritti_fmu_text[i], strlen(ritti_fmu_text[i]));
  return out->status;
}

/* ---- modelDescription.xml ---- */

/* A text as the value of an attribute or as text of a page. */
static void add_xml(ritti_text *out, const char *text) {
  for (const char *c = text; *c; c++) {
    if (*c == '<') ritti_text_add(out, "&lt;");
    else if (*c == '>') ritti_text_add(out, "&gt;");
    else if (*c == '&') ritti_text_add(out, "&amp;");
    else if (*c == '"') ritti_text_add(out, "&quot;");
    else if ((unsigned char)*c < 0x20) ritti_text_add(out, " ");
    else ritti_text_add_bytes(out, c, 1);
  }
}

static void add_attribute(ritti_text *out, const char *name, const char *value) {
  ritti_text_add(out, " %s=\"", name);
  add_xml(out, value);
  ritti_text_add(out, "\"");
}

static void add_number(ritti_text *out, const char *name, double value) {
  char buffer[32];
  ritti_text_add(out, " %s=\"%s\"", name, ritti_shortest(value, buffer));
}

static void add_interfaces(const maker *m, ritti_text *out) {
  bool two = m->version == 2;
  const char *state = two ? "FMUstate" : "FMUState";
  for (int i = 0; i < 2; i++) {
    bool exchange = i == 0;
    if (exchange ? !m->exchange : !m->simulation) continue;
    ritti_text_add(out,
                   "  <%s modelIdentifier=\"%s\" canGetAndSet%s=\"true\" canSerialize%s=\"true\"",
                   exchange ? "ModelExchange" : "CoSimulation", m->E.name, state, state);
    if (two) ritti_text_add(out, " canNotUseMemoryManagementFunctions=\"true\"");
    if (exchange && m->slopes)
      ritti_text_add(out, two ? "\n    providesDirectionalDerivative=\"true\""
                              : "\n    providesDirectionalDerivatives=\"true\" "
                                "providesAdjointDerivatives=\"true\"");
    if (!exchange) ritti_text_add(out, "\n    canHandleVariableCommunicationStepSize=\"true\"");
    if (!exchange && two && m->E.M->model->inputs)
      ritti_text_add(out, " canInterpolateInputs=\"true\"");
    if (!exchange && !two)
      ritti_text_add(out, " hasEventMode=\"true\" providesIntermediateUpdate=\"true\"\n"
                          "    mightReturnEarlyFromDoStep=\"true\" "
                          "canReturnEarlyAfterIntermediateUpdate=\"true\"");
    if (two)
      ritti_text_add(out, ">\n    <SourceFiles><File name=\"%s.c\"/></SourceFiles>\n  </%s>\n",
                     m->E.name, exchange ? "ModelExchange" : "CoSimulation");
    else ritti_text_add(out, "/>\n");
  }
}

/* Importers convert units by their base units. */
static void add_base_unit(ritti_text *out, const char *unit) {
  static const char *const name[RITTI_BASE_UNITS] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
  ritti_base_unit base;
  if (!ritti_base_unit_of(unit, &base)) {
    ritti_text_add(out, "/>\n");
    return;
  }
  ritti_text_add(out, "><BaseUnit");
  for (int i = 0; i < RITTI_BASE_UNITS; i++)
    if (base.power[i]) ritti_text_add(out, " %s=\"%d\"", name[i], base.power[i]);
  if (base.factor != 1) add_number(out, "factor", base.factor);
  ritti_text_add(out, "/></Unit>\n");
}

static void add_units(const maker *m, ritti_text *out) {
  bool any = false;
  for (size_t i = 0; i < m->variable.count; i++) {
    const char *unit = m->variable.at[i].unit;
    bool known = !unit || !*unit;
    for (size_t j = 0; j < i && !known; j++)
      known = m->variable.at[j].unit && !strcmp(m->variable.at[j].unit, unit);
    if (known) continue;
    ritti_text_add(out, any ? "    <Unit" : "  <UnitDefinitions>\n    <Unit");
    add_attribute(out, "name", unit);
    add_base_unit(out, unit);
    any = true;
  }
  if (any) ritti_text_add(out, "  </UnitDefinitions>\n");
}

/* Causality, variability and the kind of the start value. */
static void add_nature(const variable *v, ritti_text *out) {
  const char *causality = v->output ? "output" : "local", *initial = "calculated";
  const char *variability = "continuous";
  if (v->kind == TIME) causality = "independent";
  if (v->kind == PARAMETER) {
    causality = "parameter";
    variability = v->tunable ? "tunable" : "fixed";
    initial = "exact";
  }
  if (v->kind == INPUT) causality = "input";
  if (v->kind == COORDINATE) initial = v->exact ? "exact" : "approx";
  ritti_text_add(out, " causality=\"%s\" variability=\"%s\"", causality, variability);
  if (v->kind != TIME && v->kind != INPUT) ritti_text_add(out, " initial=\"%s\"", initial);
}

static void add_variables(const maker *m, ritti_text *out) {
  bool two = m->version == 2;
  ritti_text_add(out, "  <ModelVariables>\n");
  for (size_t i = 0; i < m->variable.count; i++) {
    const variable *v = &m->variable.at[i];
    bool start = v->kind == PARAMETER || v->kind == COORDINATE || v->kind == INPUT;
    ritti_text_add(out, two ? "    <ScalarVariable" : "    <Float64");
    add_attribute(out, "name", v->name);
    ritti_text_add(out, " valueReference=\"%zu\"", i);
    add_attribute(out, "description", v->about);
    add_nature(v, out);
    if (two) ritti_text_add(out, "><Real");
    if (start) add_number(out, "start", v->start);
    if (v->unit && *v->unit) add_attribute(out, "unit", v->unit);
    if (v->kind == DERIVATIVE)
      ritti_text_add(out, " derivative=\"%d\"", v->derivative_of + (two ? 1 : 0));
    if (v->kind == COORDINATE) ritti_text_add(out, " reinit=\"true\"");
    ritti_text_add(out, two ? "/></ScalarVariable>\n" : "/>\n");
  }
  ritti_text_add(out, "  </ModelVariables>\n");
}

/* The expression of a variable in coordinates and tops; NIL: it is not known. */
static ritti_expr find_expression(const maker *m, const variable *v) {
  const ritti_reduced *r = m->E.M->reduced;
  if (v->kind == OUTPUT) return m->output[v->index];
  if (v->kind == COORDINATE) return r->coordinate[v->index];
  if (v->kind == INDICATOR && v->index < r->model->events)
    return r->model->event[v->index].function;
  if (v->kind != DERIVATIVE) return RITTI_NIL;
  int next = r->next[v->index];
  return next >= 0 ? r->coordinate[next] : r->top[-1 - next];
}

/* The time, states and inputs on which an unknown depends. No list means all of them. */
static ritt_status add_dependencies(const maker *m, ritti_text *out, const variable *v) {
  enum { MOST_LISTED = 400 };
  const ritti_reduced *r = m->E.M->reduced;
  ritti_expr e = find_expression(m, v);
  int count = 0, all = r->m + r->model->inputs * RITTI_INPUT_VALUES;
  if (!m->depends || e == RITTI_NIL) return RITT_OK;
  RITT_TRY(ritti_dependencies_of(m->depends, e, m->known));
  for (int i = 0; i < all; i++) count += m->known[i];
  if (count == all || count > MOST_LISTED) return RITT_OK;
  const char *between = "";
  ritti_text_add(out, " dependencies=\"");
  for (size_t i = 0; i < m->variable.count; i++) {
    const variable *known = &m->variable.at[i];
    int number = -1;
    if (known->kind == TIME) number = 0;
    if (known->kind == COORDINATE) number = known->index;
    if (known->kind == INPUT) number = r->m + known->index - r->model->input_time - 1;
    if (number < 0 || !m->known[number]) continue;
    ritti_text_add(out, "%s%zu", between, i + (m->version == 2 ? 1 : 0));
    between = " ";
  }
  ritti_text_add(out, "\"");
  return RITT_OK;
}

/* Where the direction is a null vector, and in runs over arc length, everything depends on everything. */
static ritt_status find_dependencies(maker *m) {
  enum { MOST = 5000 };
  const ritti_reduced *r = m->E.M->reduced;
  if (r->kind == RITT_GENERAL || m->E.settings.solve.by_arc || r->m > MOST) return RITT_OK;
  RITTI_NEW(m->known, m->arena, r->m + r->model->inputs * RITTI_INPUT_VALUES);
  return ritti_dependencies_make(r, m->arena, &m->depends);
}

/* The unknowns of one list; `depend`: with the states on which they depend. */
static ritt_status add_unknowns(const maker *m, ritti_text *out, const char *word, bool depend,
                                bool (*holds)(const variable *v)) {
  bool two = m->version == 2;
  bool any = false;
  for (size_t i = 0; i < m->variable.count; i++) {
    if (!holds(&m->variable.at[i])) continue;
    if (two && !any) ritti_text_add(out, "    <%s>\n", word);
    any = true;
    if (two) ritti_text_add(out, "      <Unknown index=\"%zu\"", i + 1);
    else ritti_text_add(out, "    <%s valueReference=\"%zu\"", word, i);
    if (depend) RITT_TRY(add_dependencies(m, out, &m->variable.at[i]));
    ritti_text_add(out, "/>\n");
  }
  if (two && any) ritti_text_add(out, "    </%s>\n", word);
  return RITT_OK;
}

static bool is_output(const variable *v) { return v->output; }
static bool is_derivative(const variable *v) { return v->kind == DERIVATIVE; }
static bool is_indicator(const variable *v) { return v->kind == INDICATOR; }
static bool is_initial(const variable *v) {
  return v->kind == OUTPUT || v->kind == DERIVATIVE || (v->kind == COORDINATE && !v->exact);
}

static ritt_status add_structure(const maker *m, ritti_text *out) {
  bool two = m->version == 2;
  ritti_text_add(out, "  <ModelStructure>\n");
  RITT_TRY(add_unknowns(m, out, two ? "Outputs" : "Output", true, is_output));
  RITT_TRY(
      add_unknowns(m, out, two ? "Derivatives" : "ContinuousStateDerivative", true, is_derivative));
  RITT_TRY(add_unknowns(m, out, two ? "InitialUnknowns" : "InitialUnknown", false, is_initial));
  if (!two) RITT_TRY(add_unknowns(m, out, "EventIndicator", true, is_indicator));
  ritti_text_add(out, "  </ModelStructure>\n");
  return RITT_OK;
}

static ritt_status write_description(const maker *m, ritti_text *out) {
  bool two = m->version == 2, arc = m->E.settings.solve.by_arc;
  const ritti_model *model = m->E.M->model;
  double start = arc ? 0 : m->E.M->reduced->z[0], end = m->E.settings.end;
  ritti_text_add(out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription "
                 "fmiVersion=\"%s\"",
                 two ? "2.0" : "3.0");
  add_attribute(out, "modelName", m->E.name);
  add_attribute(out, two ? "guid" : "instantiationToken", m->token);
  if (model->title) add_attribute(out, "description", model->title);
  ritti_text_add(out, " generationTool=\"ritt %s\"", RITT_VERSION);
  if (two) ritti_text_add(out, " numberOfEventIndicators=\"%d\"", m->E.problem->monitors);
  ritti_text_add(out, ">\n");
  add_interfaces(m, out);
  add_units(m, out);
  ritti_text_add(out, "  <LogCategories>\n");
  static const char *const category[] = {"logAll", "logStatusWarning", "logStatusDiscard",
                                         "logStatusError", "logStatusFatal"};
  for (size_t i = 0; i < sizeof category / sizeof *category; i++)
    ritti_text_add(out, "    <Category name=\"%s\"/>\n", category[i]);
  ritti_text_add(out, "  </LogCategories>\n  <DefaultExperiment");
  add_number(out, "startTime", start);
  if (end > start) add_number(out, "stopTime", end);
  add_number(out, "tolerance", m->E.settings.tolerance);
  ritti_text_add(out, "/>\n");
  add_variables(m, out);
  RITT_TRY(add_structure(m, out));
  ritti_text_add(out, "</fmiModelDescription>\n");
  return RITT_OK;
}

static void write_build(const maker *m, ritti_text *out) {
  ritti_text_add(
      out,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
      "  <BuildConfiguration modelIdentifier=\"%s\">\n"
      "    <SourceFileSet language=\"C11\" compilerOptions=\"-ffp-contract=off\">\n"
      "      <SourceFile name=\"%s.c\"/>\n    </SourceFileSet>\n"
      "    <Library name=\"m\"/>\n  </BuildConfiguration>\n</fmiBuildDescription>\n",
      m->E.name, m->E.name);
}

/* ---- the page ---- */

static void write_page(const maker *m, ritti_text *out) {
  const ritti_model *model = m->E.M->model;
  ritti_text_add(out, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>");
  add_xml(out, m->E.name);
  ritti_text_add(out, "</title></head><body>\n<img src=\"../%s\" alt=\"\">\n<h1>",
                 m->version == 2 ? "model.png" : "terminalsAndIcons/icon.png");
  add_xml(out, m->E.name);
  ritti_text_add(out, "</h1>\n");
  if (model->title) {
    ritti_text_add(out, "<p>");
    add_xml(out, model->title);
    ritti_text_add(out, "</p>\n");
  }
  for (int i = 0; i < model->docs; i++) {
    if (model->doc[i].name) continue;
    ritti_text_add(out, "<p>");
    add_xml(out, model->doc[i].text);
    ritti_text_add(out, "</p>\n");
  }
  ritti_text_add(
      out,
      "<p>An FMU written by ritt %s. Its states are the coordinates of the manifold of all "
      "constraints, hidden ones included (%d coordinates, %d constraints). Derivatives and outputs "
      "are taken at the nearest point of the manifold. In model exchange the states are projected "
      "in event mode if they are farther from it than a tenth of the tolerance.</p>\n",
      RITT_VERSION, m->E.problem->m - 1, m->E.problem->k);
  ritti_text_add(out,
                 "<table><tr><th>reference</th><th>name</th><th>what</th><th>unit</th></tr>\n");
  for (size_t i = 0; i < m->variable.count; i++) {
    const variable *v = &m->variable.at[i];
    ritti_text_add(out, "<tr><td>%zu</td><td>", i);
    add_xml(out, v->name);
    ritti_text_add(out, "</td><td>");
    add_xml(out, v->about);
    ritti_text_add(out, "</td><td>");
    add_xml(out, v->unit ? v->unit : "");
    ritti_text_add(out, "</td></tr>\n");
  }
  ritti_text_add(out, "</table>\n<h2>The model</h2>\n<pre>");
  for (const char *line = m->E.M->text; *line;) {
    size_t length = strcspn(line, "\n");
    char *copy = ritti_arena_text(m->arena, line, length);
    add_xml(out, copy ? copy : "");
    ritti_text_add(out, "\n");
    line += length + (line[length] == '\n');
  }
  ritti_text_add(out, "</pre>\n</body></html>\n");
}

/* ---- the files ---- */

/* Takes a text over as a file; the text is empty afterwards. */
static ritt_status add_file(maker *m, const char *name, ritti_text *text) {
  char *bytes = ritti_arena_text(m->arena, text->at ? text->at : "", text->count);
  ritt_status status = text->status;
  size_t size = text->count;
  ritti_text_free(text);
  *text = (ritti_text){0};
  RITT_TRY(status);
  if (!bytes || !name) return RITT_NO_MEMORY;
  return RITTI_PUSH(m->files, (ritt_file){name, bytes, size});
}

/* The little-endian number of 16 bits at a place of a library; 0 if the library ends before it. */
static unsigned read_number(const ritti_text *library, size_t at) {
  const unsigned char *bytes = (const unsigned char *)library->at;
  return at + 2 <= library->count ? bytes[at] | (unsigned)bytes[at + 1] << 8 : 0;
}

/* A system and a processor, and how a library for them begins: the number at `processor_at` bytes
 * behind the header. The header is at the place `header_at` gives, or at the beginning if that is 0. */
typedef struct {
  unsigned first, header_at, processor_at, processor;
  const char *folder2, *folder3, *ending; /* folder2, FMI 2.0: NULL if the standard has no name */
} platform;
static const platform platforms[] = {
    /* ELF: e_machine */
    {0x457f, 0, 18, 62, "linux64", "x86_64-linux", ".so"},
    {0x457f, 0, 18, 183, NULL, "aarch64-linux", ".so"},
    {0x457f, 0, 18, 3, "linux32", "x86-linux", ".so"},
    /* PE: Machine, 4 bytes behind the place that the number at 0x3c gives */
    {0x5a4d, 0x3c, 4, 0x8664, "win64", "x86_64-windows", ".dll"},
    {0x5a4d, 0x3c, 4, 0xaa64, NULL, "aarch64-windows", ".dll"},
    {0x5a4d, 0x3c, 4, 0x14c, "win32", "x86-windows", ".dll"},
    /* Mach-O of 64 bits: the lower half of cputype */
    {0xfacf, 0, 4, 7, "darwin64", "x86_64-darwin", ".dylib"},
    {0xfacf, 0, 4, 12, NULL, "aarch64-darwin", ".dylib"},
};

/* For which machine was this library made? A cross compiler makes it for another one. NULL: FMI has
 * no name for it. */
static const platform *find_platform(int version, const ritti_text *library) {
  for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++) {
    const platform *p = &platforms[i];
    if (read_number(library, 0) != p->first) continue;
    unsigned system = read_number(library, 6) >> 8; /* of ELF; 0 and 3 are those of Linux */
    if (p->first == 0x457f && system != 0 && system != 3) continue;
    size_t header = p->header_at ? read_number(library, p->header_at) : 0;
    if (read_number(library, header + p->processor_at) == p->processor)
      return version == 3 || p->folder2 ? p : NULL;
  }
  return NULL;
}

/* Adds the compiled library. If FMI has no name for its machine the FMU has its source alone. */
static ritt_status add_binary(maker *m, const ritti_text *source, ritt_error *error) {
  const char *reason = NULL;
  ritti_text made = {0};
  ritt_status status = ritti_compile_library(source->at, source->count, &made, &reason);
  if (status == RITT_NO_MEMORY) return status;
  if (status != RITT_OK) {
    ritti_text_free(&made);
    return ritti_fail(error, RITT_SYSTEM, NULL,
                      "install a C compiler, or name it in the environment variable CC",
                      "the FMU cannot be compiled: %s", reason);
  }
  const platform *p = find_platform(m->version, &made);
  if (!p) {
    ritti_text_free(&made);
    return RITT_OK;
  }
  const char *folder = m->version == 2 ? p->folder2 : p->folder3;
  const char *name = ritti_arena_format(m->arena, "binaries/%s/%s%s", folder, m->E.name, p->ending);
  return add_file(m, name, &made);
}

/* Time goes forwards in FMI. */
static ritt_status check_direction(const maker *m, ritt_error *error) {
  bool arc = m->E.settings.solve.by_arc;
  double start = arc ? 0 : m->E.M->reduced->z[0], end = m->E.settings.end;
  if (!(end < start)) return RITT_OK;
  return ritti_fail(error, RITT_WRONG_MODEL, NULL,
                    "write the model in the variable that goes the other way, or give --to",
                    "the run goes backwards, from %s = %.12g to %.12g; the time of an FMU does not",
                    arc ? "arc" : m->E.M->model->independent, start, end);
}

static ritt_status make_files(maker *m, const ritt_options *options, ritt_error *error) {
  ritti_text text = {0};
  RITT_TRY(ritti_emission_prepare(&m->E, options, m->arena, error));
  RITT_TRY(check_direction(m, error));
  RITT_TRY(make_problem(m, error));
  RITT_TRY(list_variables(m));
  RITT_TRY(list_timed(m));
  RITT_TRY(write_source(m, error));

  RITT_TRY(find_dependencies(m));
  ritt_status status = write_description(m, &text);
  if (status != RITT_OK) ritti_text_free(&text);
  RITT_TRY(status);
  RITT_TRY(add_file(m, "modelDescription.xml", &text));
  write_page(m, &text);
  RITT_TRY(add_file(m, "documentation/index.html", &text));
  ritti_picture_write(&text);
  RITT_TRY(add_file(m, m->version == 2 ? "model.png" : "terminalsAndIcons/icon.png", &text));
  if (m->version == 3) {
    write_build(m, &text);
    RITT_TRY(add_file(m, "sources/buildDescription.xml", &text));
  }
  RITT_TRY(add_binary(m, &m->E.out, error));
  return add_file(m, ritti_arena_format(m->arena, "sources/%s.c", m->E.name), &m->E.out);
}

ritt_status ritt_model_export_fmu(ritt_model *M, const ritt_options *options, int version,
                                  const char *kind, ritt_error *error, const ritt_file **files,
                                  size_t *count) {
  maker m = {.E = {.M = M, .heap = true}, .version = version};
  *files = NULL;
  *count = 0;
  RITT_TRY(ritti_model_require_idle(M, error));
  if (version != 2 && version != 3)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "give 2 or 3",
                      "there is no FMI %d.0 for 'ritt export fmu'", version);
  m.exchange = !kind || strcmp(kind, "cs") != 0;
  m.simulation = !kind || strcmp(kind, "me") != 0;
  if (kind && strcmp(kind, "cs") && strcmp(kind, "me") && strcmp(kind, "both"))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "give cs, me or both",
                      "'%s' is not a kind of FMU", kind);
  m.arena = ritti_arena_new();
  if (!m.arena) return ritti_no_memory(error);

  ritt_status status = make_files(&m, options, error);
  ritt_file *made = NULL;
  if (status == RITT_OK) made = ritti_arena_alloc(m.arena, m.files.count, sizeof *made);
  if (status == RITT_OK && !made) status = RITT_NO_MEMORY;
  if (status == RITT_OK) {
    memcpy(made, m.files.at, m.files.count * sizeof *made);
    ritti_arena_free(M->fmu);
    M->fmu = m.arena;
    *files = made;
    *count = m.files.count;
  } else ritti_arena_free(m.arena);
  RITTI_ARRAY_FREE(m.variable);
  RITTI_ARRAY_FREE(m.slope);
  RITTI_ARRAY_FREE(m.files);
  ritti_text_free(&m.E.out);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}
