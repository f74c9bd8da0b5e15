/* The pipeline's own data: a model on its way from text to trajectory. Private to the files in
 * src/. */
#ifndef RITTI_PIPELINE_H
#define RITTI_PIPELINE_H

#include "branches/algebra.h"
#include "complete/complete.h"
#include "codegen/codegen.h"
#include "functions/functions.h"
#include "lang/lang.h"
#include "base/state.h"
#include "drive/driver.h"

/* A start value set by the caller. */
typedef struct ritti_start_set {
  char *name, *text; /* "x'", "x' = 0.5" */
  double value;
  bool fixed;
} ritti_start_set;

struct ritt_model {
  char *text, *name;           /* the text is kept: another parameter value reads it again */
  char *path;                  /* of its file, absolute; NULL: it was given as text */
  RITTI_ARRAY(char *) folders; /* absolute, in which the files that it names may lie too */
  size_t length;
  uint64_t files; /* sum of the files that it names, as they were read */
  RITTI_ARRAY(ritti_loaded)
  named; /* the files that it names; name: relative; text NULL: too large to keep */
  RITTI_ARRAY(ritti_override) set;
  RITTI_ARRAY(ritti_start_set) starts; /* in the order in which they were set: the last counts */
  bool start_relaxed, start_moved;     /* the text's '=' are guesses; the start is at start_x */
  double start_x;
  size_t start_room; /* of model->start, if it was allocated here */
  const char *kind;  /* asked for by the caller, a word of RITT_KINDS or "auto"; NULL: the text's */
  bool never_implicit; /* what the caller wants does not go with the implicit kind */
  /* of a strong potential, likewise: a word of ritt_model_follow; NULL: the text's */
  const char *follow;
  ritti_model *model;
  unsigned long version; /* changes with the completed system */
  int running;           /* solvers that are inside a step or a run: the model must not change */
  RITTI_ARRAY(char *) tangents; /* names of parameters and start values of ritt_model_sensitivity */
  ritti_model *plain;           /* the model before tangents were added to it; NULL: none were */
  bool bare;                    /* the section `sensitivity` does not count now */
  bool unknowns;                /* tangents are unknowns of the model, not taken along with steps */
  size_t slopes;                /* number of outputs with derivatives, if steps take them along */
  char *branch;                 /* asked for by the caller; NULL: the text's */
  char *singular;               /* path of the Singular program; NULL: found on PATH */
  double singular_seconds;
  ritti_written written;   /* the model before it was put on a branch */
  const char *branch_note; /* names the branch */
  char *branch_list;

  /* what completion made of it; NULL until asked for, dropped when a parameter changes */
  ritti_arena *arena;
  ritt_check check;
  ritti_reduced *reduced;
  ritti_problem *problem;
  ritt_problem shared;      /* the same as a public object */
  const ritti_expr *output; /* what the columns after x show */
  const ritti_expr *shown;  /* the same as it is written, if events change the form; else NULL */
  size_t outputs;
  char *printed[2][4]; /* by ritt_system, ritt_form */
  char *start_text;
  char *emitted;
  ritti_arena *fmu; /* files of the last export; NULL: none */

  /* columns: [arc,] x, outputs | plot columns | scene columns, if they are requested */
  const char **column;
  const char **unit;             /* of each; NULL: none has one */
  size_t columns, table_columns; /* all; those of the table */
  ritt_curve *curve;
  size_t curves;
  bool scene; /* the rows contain the columns of the scene */
  ritt_figure *figure;
  size_t figures;
  ritt_batch *batch; /* of its runs; NULL: none */

  /* Models of a batch keep what completion made if only numbers change. */
  bool renumbered; /* numbers have changed since: the start point is to be found again */
  bool unread;     /* and the text was not read again for them */
  bool unreported; /* the report is that of other numbers */
  long readings;   /* left out since the text was read */
};

/* What a run stands on: a system as it was completed, and its problem. */
typedef struct ritti_prepared {
  ritti_model *model; /* whose settings the run has; for a problem of functions: one without text */
  ritti_reduced *reduced; /* NULL: the problem is made of functions */
  ritti_problem *problem;
  const ritti_expr *output; /* what the columns after x show */
  const ritti_expr *shown;  /* the same as it is written, if events change the form; else NULL */
  size_t outputs;
} ritti_prepared;
static inline ritti_prepared ritti_prepared_of(const ritt_model *M) {
  return (ritti_prepared){M->model, M->reduced, M->problem, M->output, M->shown, M->outputs};
}

/* report.c: the words of a check, into check.text */
ritt_status ritti_report(ritt_model *model) RITT_USE;

/* sensitivity.c: the names that the caller gives, else those of the section `sensitivity` */
size_t ritti_tangents_count(const ritt_model *model);
/* Adds the derivatives that are asked for to the model; takes them out */
ritt_status ritti_tangents_put_in(ritt_model *model, ritt_error *error) RITT_USE;
void ritti_tangents_take_out(ritt_model *model);
/* Makes derivatives unknowns of the model, for callers that need the whole system. */
void ritti_tangents_make_unknowns(ritt_model *model);
/* Number of the parameter with this name; -1: there is none. */
int ritti_find_parameter(const ritti_model *model, const char *name);
/* The derivatives of all parameters by number p; others may be defined by it. */
ritt_status ritti_find_rates(ritt_model *model, int p, ritti_arena *arena, ritt_error *error,
                             double *rate) RITT_USE;
/* Can the steps of a run with these options take the derivatives of a prepared model along? */
bool ritti_tangents_fit(const ritt_model *model, const ritt_options *options);
/* The system with its derivatives as unknowns, for one session; the columns are the same. */
ritt_status ritti_tangents_complete(const ritt_model *model, ritti_arena *arena, ritt_error *error,
                                    ritti_prepared *out) RITT_USE;

/* strong.c: completes the model; one with a strong potential as its settings ask: its smooth
 * motion, its limit or its equations as they stand */
ritt_status ritti_pipeline_complete(ritt_model *model, ritt_error *error) RITT_USE;

/* settings.c: the model's solve section with the caller's options over it */
typedef struct ritti_run_settings {
  ritti_solve_options solve;
  ritti_rows rows;
  double end;             /* NaN: nothing says how far to run */
  double tolerance;       /* of variables that have none of their own */
  bool controls_tangents; /* derivatives of the solution are controlled in error */
} ritti_run_settings;
/* The method to which `method auto` switches if a system is stiff: with loose tolerances
 * ritti_stiff_method (settings.c) may give another one. */
#define RITTI_STIFF_METHOD "radau5"
const char *ritti_stiff_method(const ritti_prepared *prepared, const ritt_options *options);
/* options.c: refuses numbers of the options that are negative, infinite or NaN. */
/* The words of an option or a setting of the language, in the order of src/options.def; the last is
 * followed by NULL. */
const char *const *ritti_option_words(const char *name);
ritt_status ritti_options_check(const ritt_options *options, ritt_error *error) RITT_USE;
ritt_status ritti_settings_make(const ritti_prepared *prepared, const ritt_options *options,
                                ritti_arena *arena, ritt_error *error,
                                ritti_run_settings *out) RITT_USE;

/* Is this the name of a file rather than of a method? */
bool ritti_names_file(const char *name);
/* tableau_file.c: a method from a text; `file` is its name in messages, and lives as long as the
 * arena */
ritt_status ritti_tableau_read(const char *text, const char *file, ritti_arena *arena,
                               ritt_error *error, ritti_tableau **out) RITT_USE;
ritt_status ritti_tableau_read_file(const char *path, ritti_arena *arena, ritt_error *error,
                                    ritti_tableau **out) RITT_USE;

/* The functions of a problem that only this method needs (RITTI_WANTS_...). */
unsigned ritti_method_wants(const ritti_tableau *method);
/* The functions that only the method of the model's text needs. */
unsigned ritti_model_wants(const ritti_model *model);
/* Does the run ask for something that the implicit kind does not have: arc length, a Taylor method, a
 * way to the direction, a way through singular points? options may be NULL. */
bool ritti_refuses_implicit(const ritti_model *model, const ritt_options *options);
/* settings.c: does the run compute in quadruple precision? */
ritt_status ritti_precision(const ritti_model *model, const ritt_options *options,
                            ritt_error *error, bool *quad) RITT_USE;

/* files.c: the files that a model names lie in the folder of the file that names them, or in one of
 * `folders` */
ritti_files ritti_model_files(ritt_model *model);
ritt_status ritti_file_read(const char *path, ritti_text *text, ritt_error *error) RITT_USE;
void ritti_forget_files(ritt_model *model);
/* The absolute path without links; NULL: there is none, errno says why */
char *ritti_real_path(const char *path);

/* model.c: drops what completion made */
void ritti_model_forget(ritt_model *model);
/* model.c: reads the text with the values that are set, and applies the caller's start values */
ritt_status ritti_model_reread(ritt_model *model, ritt_error *error) RITT_USE;
/* Can what completion made be kept if numbers change? */
static inline bool ritti_model_keeps(const ritt_model *M) {
  return M->problem && M->reduced->kept && M->reduced->model == M->model && !M->branch_note;
}
/* start_values.c: puts the caller's start values into a model just read */
ritt_status ritti_start_values_apply(ritt_model *model) RITT_USE;

/* settings.c: the word of a kind as it stands in the table, or "auto". NULL: there is no such kind,
 * and a message says so. */
const char *ritti_kind_word(const char *word, ritt_error *error);

/* branch.c: puts the model on the branch that is asked for, if one is */
ritt_status ritti_branch_prepare(ritt_model *model, ritt_error *error) RITT_USE;
/* After a failed completion of a model that asks for no branch: if the constraints lose rank at the
 * start, puts the model on the branch through the start, if there is only one. *switched: it did;
 * *ambiguous: there are several, and a message says so. */
ritt_status ritti_branch_rescue(ritt_model *model, ritt_error *error, bool *switched,
                                bool *ambiguous) RITT_USE;

/* singular_points.c: fills check.singular_points of a prepared model, once */
ritt_status ritti_list_singular_points(ritt_model *model) RITT_USE;

/* pipeline.c: complete, reduce, make evaluators, name the columns; once */
ritt_status ritti_pipeline_prepare(ritt_model *model, ritt_error *error) RITT_USE;

/* pulses.c: adds notes about short pulses in the equations to the report. */
ritt_status ritti_note_pulses(ritt_model *M) RITT_USE;

/* solver.c. RITT_WRONG_CALL: the object that a caller must give is NULL. */
ritt_status ritti_require(const void *object, const char *what, ritt_error *error) RITT_USE;
/* RITT_WRONG_CALL: the model is NULL, or a solver of it is inside a run. */
ritt_status ritti_model_require_idle(const ritt_model *M, ritt_error *error) RITT_USE;

#endif
