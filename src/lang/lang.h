/* The model language: text -> tokens -> syntax -> Model.
 *
 * A Model is the resolved content of the file: every name is bound, every expression is a node of
 * the model's DAG, and the parameters have exact values. What the equations imply is found later,
 * by the completion.
 */
#ifndef RITTI_LANG_H
#define RITTI_LANG_H

#include "expr/expr.h"

/* A parameter, or one element of a parameter that is an array. */
typedef struct ritti_parameter_def {
  const char *name;
  ritti_expr value; /* exact; free of jets, other parameters are substituted */
  double number;    /* the value as a double, finite */
  /* the value decided something while the text was read: another parameter, a size, a condition, a
   * setting. Another value needs another reading. */
  bool read;
  ritti_place place;
} ritti_parameter_def;

/* An input of the model whose value the caller may set during a run. Between two calls it is the
 * polynomial u + u' s + u'' s^2/2 with s = x - x0; u, u' and u'' are parameters, and so is x0, the
 * value of the independent variable at the last call, which all inputs share. */
typedef struct ritti_input_def {
  const char *name;
  ritti_expr expr; /* the polynomial */
  int parameter;   /* number of u; those of u' and u'' follow */
} ritti_input_def;
enum { RITTI_INPUT_VALUES = 3 };

/* A variable, or one element of a variable that is an array. */
typedef struct ritti_variable_def {
  const char *name;
  const char *unit; /* NULL: none */
  double scale;     /* typical size as declared by `scale`; 0: not declared */
  /* tolerances that the solve section gives for this variable alone; 0: not given */
  double tolerance, absolute;
  bool uncontrolled; /* `tolerance x = none`: errors of the variable do not count */
  const char *owner; /* of a multiplier: the owner of its constraint; else NULL */
  bool potential;    /* a value of connected ports that is not a flow and that no part gives */
  /* a potential of a port that is connected to nothing: 2 if the port also has flows, which are zero then */
  int unconnected;
  bool combination; /* of others, made by the completion: it has no name in the file */
  ritti_place place;
} ritti_variable_def;

/* A name declared in the section `variable` or `parameter`: one number, or an array of numbers. */
typedef struct ritti_name_def {
  const char *name, *shown; /* "p", "p[1..100]" */
  int first, count;         /* range of its elements in model->variable or model->parameter */
} ritti_name_def;

/* An equation of the model: one member of a family, one element of an array, or a single
 * equation. */
typedef struct ritti_equation_def {
  const char *label;  /* "rod", or "rod[3]" for a member of a family; NULL: no label */
  const char *member; /* "i = 3" for a member of a family, "element 2" of an array; else NULL */
  /* name for messages if the equation does not come from the section `equation`: "constraint 2",
   * "equation of motion of x"; else NULL */
  const char *subject;
  /* the section from which the equation was derived; NULL: it is written in the file */
  const char *source;
  /* the part, connection or node to which it belongs: "s[2].Q", "connection of a.p and b.p"; NULL: the
   * model itself */
  const char *owner;
  ritti_expr left, right, residual; /* residual = left - right */
  ritti_place place;
} ritti_equation_def;

/* A quantity that the user declares as conserved. */
typedef struct ritti_invariant_def {
  const char *name; /* NULL: none */
  ritti_expr expr;
  ritti_expr value; /* RITTI_NIL: the value at the start */
  bool projected;   /* the solver enforces it by projection */
  ritti_place place;
} ritti_invariant_def;

/* A quantity that the mechanics of a model may keep, or the reason why the motions do not keep
 * it. */
typedef struct ritti_conserved_def {
  const char *name; /* as the language writes it: "energy", "momentum(x)" */
  ritti_expr expr;
  const char *reason; /* why the quantity changes; NULL: it is kept */
  /* a name in `name` that the model uses for something else, so that the user cannot write this
   * quantity; NULL: none */
  const char *taken;
} ritti_conserved_def;

/* A start value, or a guess of one. */
typedef struct ritti_start_def {
  int variable, order;
  bool fixed; /* true: '=', false: '~' */
  /* a guess that was made for another point; every other start value has priority */
  bool stale;
  ritti_expr expr; /* contains parameters and numbers only */
  double number;   /* value of expr, finite */
  /* half a unit in the last typed digit, if the value is a typed number (with or without a sign) of
   * 5 or more significant digits; else 0 */
  double half_unit;
  const char *text; /* as typed: "x' = 0.5" */
  ritti_place place;
} ritti_start_def;

/* `branch`: chooses one component of the position constraints. */
typedef struct ritti_branch_def {
  bool asked; /* the model has a section `branch` */
  int number; /* number of the branch, from 1; 0: the branch nearest to a point */
  /* the undifferentiated variables of that point; none: the start point */
  ritti_start_def *value;
  int values;
  ritti_place place;
} ritti_branch_def;

/* An assignment that an event carries out. */
typedef struct ritti_jump_def {
  int variable, order;
  ritti_expr value;
  bool optional; /* left out if the completed system determines what it assigns */
  ritti_place place;
} ritti_jump_def;

/* `event` and `section`: something happens when a function passes through zero. */
typedef struct ritti_event_def {
  const char *name;
  ritti_expr function;
  int sense; /* 1: rising, -1: falling, 0: both */
  bool stop, record;
  bool hidden; /* made for tangents: it is not reported */
  ritti_jump_def *jump;
  int jumps;
  ritti_place place;
} ritti_event_def;

/* A column of the output or of a plot. */
typedef struct ritti_output_def {
  const char *name; /* the given name, or the expression as typed without blanks */
  ritti_expr expr;
  ritti_place place;
  const char *unit; /* NULL: none */
} ritti_output_def;

/* The unit of an expression that is not a variable. */
typedef struct ritti_unit_def {
  ritti_expr expr;
  const char *unit;
} ritti_unit_def;

/* The argument of a `smooth(...)`: its kinks are not looked for. */
typedef struct ritti_smooth {
  ritti_expr expr;
  const struct ritti_smooth *before; /* NULL: this is the first one */
} ritti_smooth;

/* A text about a name; name NULL: about the model. */
typedef struct ritti_doc_def {
  const char *name, *text;
} ritti_doc_def;

/* A curve (x, y), t: y, or (x, y, z). The members are indices into model->plot_column. */
typedef struct ritti_curve_def {
  int x, y, z; /* z = -1: a curve in the plane */
  int event;   /* draw the points of this event or section; -1: draw the solution */
} ritti_curve_def;

/* The curves that share one pair of axes. */
typedef struct ritti_panel_def {
  ritti_curve_def *curve;
  int curves;
  ritt_axis axis[2]; /* x and y */
} ritti_panel_def;

/* A place of a shape, or a word that says how it looks. The numbers are columns after those of the
 * plots, counted from 0. */
typedef struct ritti_look_def {
  const char *word; /* "at" for a place, "radius", "colour", ... */
  const char *text; /* of a colour or a label; NULL: it has numbers */
  int *column;
  int columns;
} ritti_look_def;

/* A shape of the scene. */
typedef struct ritti_figure_def {
  const char *word; /* "bar" */
  ritti_look_def *look;
  int looks;
} ritti_figure_def;

/* Largest order of the expansion of `start smooth`. */
enum { RITTI_SMOOTH_MOST = 5 };

/* Where the run ends: not stated, at a value of x, or at an arc length. */
typedef enum { RITTI_RUN_NONE, RITTI_RUN_X, RITTI_RUN_ARC } ritti_run_kind;

/* A line below `solve`, parsed into its words only: `method dopri54` and `steps constant h = 0.1`
 * give a name, a word and a number. */
typedef struct ritti_setting_def {
  /* "method", "tolerance", "metric", "project", "projection", "steps", "rows", ... */
  const char *name;
  const char *word; /* the word after the name: "dopri54", "weighted", "constant"; or NULL */
  double number;    /* the number of the setting (tolerance, h, rows); NaN: it has no number */
  /* of `method`: the text of the file that the word names; NULL: the word names a method */
  const char *text;
  ritti_place place;
} ritti_setting_def;

/* A part of a model made of components. */
typedef struct ritti_part_def {
  const char *path, *component; /* "s[2].Q", "transistor" */
  int depth;                    /* number of parts that contain it */
  int unknowns, equations;      /* its own, without those of its parts */
  int needed;                   /* equations that its own unknowns and flows need; -1: not known */
  ritti_place place;            /* where it is declared */
} ritti_part_def;

/* The resolved model. Arrays have as many elements as the int with the plural name says. */
/* By what a solution is differentiated: a parameter, or a start value. */
typedef struct ritti_tangent_by {
  const char *name;
  /* the derivatives of all parameters by it: parameters may be defined by others */
  double *rate;
  int variable, order; /* a start value; variable -1: a parameter */
} ritti_tangent_by;

typedef struct ritti_model {
  ritti_arena *arena;
  ritti_dag *dag;
  const char *file, *name, *title;            /* title may be NULL */
  const char *independent, *independent_unit; /* unit NULL: none */
  ritti_names names;                          /* for printing */
  const ritti_smooth *harmless;               /* the last `smooth(...)`; NULL: there is none */
  ritti_parameter_def *parameter;
  ritti_input_def *input;
  ritti_variable_def *variable;
  ritti_name_def *variable_name, *parameter_name;
  ritti_equation_def *equation;
  ritti_invariant_def *invariant;
  ritti_conserved_def *conserved;
  ritti_start_def *start;
  ritti_event_def *event;        /* events and sections, in the order of the file */
  ritti_output_def *output;      /* the `output` list; empty: the program chooses */
  ritti_output_def *plot_column; /* the columns that the plots use */
  ritti_panel_def *panel;
  ritti_setting_def *setting;
  ritti_unit_def *unit; /* units of expressions that are not variables, sorted by expression */
  ritti_doc_def *doc;
  ritti_part_def *part;     /* each after the part that contains it */
  ritti_figure_def *figure; /* the shapes of the scene */
  const char **sweep;       /* the lines of the section `sweep` */
  const char **sensitivity; /* the names in the section `sensitivity` */
  /* plot_column holds the columns of the scene after those of the plots, which plot_columns counts;
   * if the scene is shown, it counts both */
  int figures, scene_columns;
  bool scene_shown;
  int variable_names, parameter_names, units, docs, parts, sweeps, sensitivities;
  int inputs, input_time; /* the number of the parameter x0 of the inputs; -1: there is none */
  int parameters, variables, equations, invariants, conserveds, starts, events, outputs,
      plot_columns, panels, settings;
  /* `stiff U, eps`: the strong potential is U/eps^2. It is part of the lagrangian that gives the
   * equations, or its force is part of the equations. */
  ritti_expr strong_potential; /* U; RITTI_NIL: none */
  int strong_parameter;        /* eps */
  ritti_place strong_place;
  /* `start smooth`: order of its expansion; 0: the start values are those of the model */
  int smooth;
  bool steady; /* `start steady`: at the start all derivatives are 0 */
  /* solve the limit eps -> 0, by "projected" methods or as "index3"; NULL: solve the model */
  const char *limit;
  bool vibrations; /* `follow vibrations`: solve the equations as they are written */
  bool motion;     /* `follow motion` is written */
  ritti_branch_def branch;
  double start_x; /* value of the independent variable at the start */
  ritti_place start_place, solve_place;
  ritti_run_kind run;
  double run_end; /* x or arc length */
  /* form of manifold and direction, a word of RITT_KINDS; NULL: the program chooses */
  const char *kind;
  bool rest;           /* unknowns were taken out, so that equations have other numbers */
  bool never_implicit; /* the run needs something that the implicit kind does not have */
  /* the start is a point of a run whose rows have become poor: only other rows are looked for */
  bool choose_rows;
  /* the equations hold the numbers of some unknowns that only events change (complete/constants.c);
   * `written`: the model before, NULL: none does. valued: this is needed. */
  int *constant, constants;
  const struct ritti_model *written;
  bool valued;
  /* the completion will be repeated with other numbers; it sets this to false if the value of a
   * parameter decides about the form of the equations */
  bool keep;
  bool tangents; /* some unknowns are derivatives of the others (src/derive/tangent.c) */
  /* variable v < tangent_first has the derivatives tangent_first + q*tangent_block + v, by quantities
   * q = 0 .. tangent_count - 1 */
  int tangent_first, tangent_block, tangent_count;
  /* by what the problem has derivatives (tape/by.c); 0: by nothing */
  const ritti_tangent_by *by;
  int by_count;
  /* each parameter: the completion has put its value into an equation (m*x'' with m = 0), so that
   * derivatives by it are lost; NULL: not recorded */
  bool *put_in;
} ritti_model;

/* `--set name=value`: the value is an expression of numbers in the grammar of the language. */
typedef struct ritti_override {
  const char *name, *value;
} ritti_override;

/* A file that a model names: its text, its name for messages, and an id that does not depend on the
 * path by which the file was reached. All three are allocated by ritti_malloc. */
typedef struct ritti_loaded {
  char *text, *name, *id;
  size_t length;
} ritti_loaded;

/* Loads the files that a model names (`include`, tables). `from` is the id of the text that names
 * the file. On failure `load` returns the status and writes a sentence to `why` and a hint, or "",
 * to `hint`. */
typedef struct ritti_files {
  void *context;
  const char *id; /* of the model's own text; NULL: it does not come from a file */
  ritt_status (*load)(void *context, const char *from, const char *from_name, const char *path,
                      char why[512], char hint[512], ritti_loaded *out);
} ritti_files;

/* A library of components that comes with Ritt: `include <NAME>`. */
typedef struct ritti_library {
  const char *name;
  const char *const *line; /* its lines with their ends; the last one is NULL */
} ritti_library;
extern const ritti_library ritti_libraries[]; /* the last one has no name */

/* Reads a model. All mistakes go to `error`; the status is that of the first mistake. `file` is the
 * name for messages. If `files` is NULL the text cannot name other files. */
ritt_status ritti_model_read_with(const char *text, size_t length, const char *file,
                                  const ritti_files *files, const ritti_override *override,
                                  size_t overrides, ritt_error *error, ritti_model **out) RITT_USE;
/* Reads a model that cannot name other files. */
ritt_status ritti_model_read(const char *text, size_t length, const char *file,
                             const ritti_override *override, size_t overrides, ritt_error *error,
                             ritti_model **out) RITT_USE;
void ritti_model_free(ritti_model *model);
/* Gives parameter p another value, as if the text had been read with it. *done = false: the text
 * must be read again, because the value decided something or is not a plain decimal number. Start
 * values that depend on the parameter change with it. */
ritt_status ritti_model_renumber(ritti_model *model, int p, const char *value, bool *done) RITT_USE;

/* The unit of a column that shows an expression; NULL: the unit is unknown, or no memory. */
const char *ritti_unit_of(const ritti_model *model, ritti_arena *arena, ritti_expr expr);

/* "line 7", or "line 7 of parts.ritt" if the place is not in the model's own file. In the arena; ""
 * if there is no memory. */
const char *ritti_line_text(ritti_arena *arena, const ritti_model *model, const ritti_place *place);

/* Writes the text in canonical layout: the blanks change, tokens and comments stay. A text that is
 * not in the language is refused. */
ritt_status ritti_model_format(const char *text, size_t length, const char *file, ritt_error *error,
                               ritti_text *out) RITT_USE;

#endif
