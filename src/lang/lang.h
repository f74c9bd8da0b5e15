/* The model language: text -> tokens -> syntax -> Model.
 *
 * A Model is what the file says, resolved: every name bound, every expression a node of the model's
 * DAG, parameters with exact values. It knows nothing yet of what the equations imply.
 */
#ifndef RITTI_LANG_H
#define RITTI_LANG_H

#include "expr/expr.h"

typedef struct ritti_parameter_def {
  const char *name;
  ritti_expr value; /* free of jets and of other parameters (they are substituted): exact */
  double number;    /* the same as a double, finite */
  ritti_place place;
} ritti_parameter_def;

typedef struct ritti_variable_def {
  const char *name;
  const char *unit;           /* NULL: none */
  double scale;               /* typical size as declared by `scale`, 0: not declared */
  double tolerance, absolute; /* of the solve section for this variable alone, 0: none */
  ritti_place place;
} ritti_variable_def;

/* A name of the section `variable` or `parameter`: one number, or an array of them. */
typedef struct ritti_name_def {
  const char *name, *shown; /* "p", "p[1..100]" */
  int first, count;         /* in model->variable or model->parameter */
} ritti_name_def;

typedef struct ritti_equation_def {
  const char *label;   /* "rod", of a family "rod[3]"; or NULL */
  const char *member;  /* of a family or of an array: "i = 3", "element 2"; else NULL */
  const char *subject; /* what it is where it is none of the section `equation`: "constraint 2",
                          "equation of motion of x"; else NULL */
  const char *source;  /* the section that it was derived from; NULL: it stands in the file */
  ritti_expr left, right, residual; /* residual = left - right */
  ritti_place place;
} ritti_equation_def;

typedef struct ritti_invariant_def {
  const char *name; /* or NULL */
  ritti_expr expr;
  ritti_expr value; /* RITTI_NIL: its value at the start */
  bool projected;
  ritti_place place;
} ritti_invariant_def;

/* What the mechanics of a model gives: a quantity that its motions keep, or the reason why they do
 * not. */
typedef struct ritti_conserved_def {
  const char *name; /* as the language writes it: "energy", "momentum(x)" */
  ritti_expr expr;
  const char *reason; /* NULL: it is kept */
  const char *taken; /* a name that the model uses for something else, so that it cannot be written;
                        or NULL */
} ritti_conserved_def;

typedef struct ritti_start_def {
  int variable, order;
  bool fixed;       /* '=' ; else '~' */
  bool stale;       /* a guess that belongs to another place: it gives way to all others */
  ritti_expr expr;  /* in parameters and numbers only */
  double number;    /* its value, finite */
  double half_unit; /* half a unit in the last typed digit, where the value is a typed number of 5
                       or more significant digits (a sign may stand before it); else 0 */
  const char *text; /* as typed: "x' = 0.5" */
  ritti_place place;
} ritti_start_def;

/* `branch`: which component of the position constraints is meant. */
typedef struct ritti_branch_def {
  bool asked;
  int number;             /* from 1; 0: the one nearest to a point */
  ritti_start_def *value; /* of that point, undifferentiated; none: the start point */
  int values;
  ritti_place place;
} ritti_branch_def;

/* `event` and `section`: where the function vanishes something happens. */
typedef struct ritti_jump_def {
  int variable, order;
  ritti_expr value;
  ritti_place place;
} ritti_jump_def;
typedef struct ritti_event_def {
  const char *name;
  ritti_expr function;
  int sense; /* 1 rising, -1 falling, 0 either */
  bool stop, record;
  ritti_jump_def *jump;
  int jumps;
  ritti_place place;
} ritti_event_def;

typedef struct ritti_output_def {
  const char *name; /* column name: the given one, or the expression as typed without spaces */
  ritti_expr expr;
  ritti_place place;
  const char *unit; /* NULL: none */
} ritti_output_def;

/* A unit of an expression, and a text about a name (NULL: about the model). */
typedef struct ritti_unit_def {
  ritti_expr expr;
  const char *unit;
} ritti_unit_def;
typedef struct ritti_doc_def {
  const char *name, *text;
} ritti_doc_def;

/* One curve: (x, y), t: y, or (x, y, z). Indices into model->plot_column. */
typedef struct ritti_curve_def {
  int x, y, z; /* z -1: a curve in the plane */
  int event;   /* the points of this event or section are drawn; -1: the solution */
} ritti_curve_def;
typedef struct ritti_panel_def {
  ritti_curve_def *curve;
  int curves;
} ritti_panel_def;

enum { RITTI_SMOOTH_MOST = 5 };
typedef enum { RITTI_RUN_NONE, RITTI_RUN_X, RITTI_RUN_ARC } ritti_run_kind;

/* A setting under solve, unparsed beyond its words: `method dopri54`, `steps constant h = 0.1` give
 * name and value. */
typedef struct ritti_setting_def {
  const char
      *name; /* "method", "tolerance", "metric", "project", "projection", "steps", "rows", ... */
  const char *word; /* the word after it: "dopri54", "weighted", "constant", "step"; or NULL */
  double number;    /* the number, where one belongs to it (tolerance, h, rows); else NaN */
  const char *text; /* method: the text of the file that the word names; NULL: it names a method */
  ritti_place place;
} ritti_setting_def;

typedef struct ritti_model {
  ritti_arena *arena;
  ritti_dag *dag;
  const char *file, *name, *title;            /* title may be NULL */
  const char *independent, *independent_unit; /* unit NULL: none */
  ritti_names names;                          /* for printing */
  ritti_parameter_def *parameter;
  ritti_variable_def *variable;
  ritti_name_def *variable_name, *parameter_name;
  ritti_equation_def *equation;
  ritti_invariant_def *invariant;
  ritti_conserved_def *conserved;
  ritti_start_def *start;
  ritti_event_def *event;        /* events and sections, in the order of the file */
  ritti_output_def *output;      /* the `output` list; none: the program chooses */
  ritti_output_def *plot_column; /* what the plots show */
  ritti_panel_def *panel;
  ritti_setting_def *setting;
  ritti_unit_def *unit; /* of what is no variable */
  ritti_doc_def *doc;
  int variable_names, parameter_names, units, docs;
  int parameters, variables, equations, invariants, conserveds, starts, events, outputs,
      plot_columns, panels, settings;
  /* `stiff U, eps`: the strong potential is U/eps^2; it is part of the lagrangian that the
   * equations come from, or its force stands in the equations */
  ritti_expr strong_potential; /* U; RITTI_NIL: none */
  int strong_parameter;        /* eps */
  ritti_place strong_place;
  int smooth; /* `start smooth`: the order of its expansion; 0: the start values are those of the
                 model */
  const char *limit; /* the limit of eps -> 0 is solved, by "projected" methods or as "index3";
                        NULL: the model */
  bool vibrations,
      motion; /* `follow vibrations`: the equations as they stand; `follow motion` is written */
  ritti_branch_def branch;
  double start_x; /* value of the independent variable at the start */
  ritti_place start_place, solve_place;
  ritti_run_kind run;
  double run_end; /* x or arc length */
  const char *
      kind; /* how manifold and direction are to be had: a word of RITT_KINDS; NULL: as fits best */
} ritti_model;

/* `--set name=value`: value is an expression of numbers, parsed by the same grammar. */
typedef struct ritti_override {
  const char *name, *value;
} ritti_override;

/* A file that a model names: its text, the name for messages, and one that is the same however it
 * was reached. All of ritti_malloc. */
typedef struct ritti_loaded {
  char *text, *name, *id;
  size_t length;
} ritti_loaded;

/* Where the files that a model names (`include`, tables) come from. `from` is the id of the text
 * that names it. On failure the status, and a sentence and a hint (or "") in `why` and `hint`. */
typedef struct ritti_files {
  void *context;
  const char *id; /* of the model's own text; NULL: it is no file */
  ritt_status (*load)(void *context, const char *from, const char *from_name, const char *path,
                      char why[512], char hint[512], ritti_loaded *out);
} ritti_files;

/* Reads a model. All mistakes found go to `error`; the status is that of the first. `file` is the
 * name for messages. Without `files` the text cannot name any. */
ritt_status ritti_model_read_with(const char *text, size_t length, const char *file,
                                  const ritti_files *files, const ritti_override *override,
                                  size_t overrides, ritt_error *error, ritti_model **out) RITT_USE;
ritt_status ritti_model_read(const char *text, size_t length, const char *file,
                             const ritti_override *override, size_t overrides, ritt_error *error,
                             ritti_model **out) RITT_USE;
void ritti_model_free(ritti_model *model);

/* The unit of a column that shows an expression; NULL: none is known, or no memory. */
const char *ritti_unit_of(const ritti_model *model, ritti_arena *arena, ritti_expr expr);

/* "line 7", or "line 7 of parts.ritt" where that is not the model's own file. In the arena; ""
 * without memory. */
const char *ritti_line_text(ritti_arena *arena, const ritti_model *model, const ritti_place *place);

/* The text in canonical layout: other blanks, the same tokens and comments. What is no text of the
 * language is refused. */
ritt_status ritti_model_format(const char *text, size_t length, const char *file, ritt_error *error,
                               ritti_text *out) RITT_USE;

#endif
