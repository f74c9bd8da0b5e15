/* Ritt: ordinary differential systems as they are written.
 *
 * A model is read from text and completed: its hidden constraints are found. Its solution is then
 * followed on the manifold that all equations define. Or the caller's own functions define the
 * manifold and the direction on it (ritt_problem). A ritt_solver is a point that moves on such a
 * manifold. docs/c_api.md has examples.
 *
 * Nothing here prints, exits or keeps global state. Every function that can fail returns a status.
 * It also writes a message into the caller's ritt_error, which may be NULL: what happened, at which
 * place in the model, and what to do. A ritt_problem does not change, so any number of threads may
 * use it at once; every other object may be used by one thread at a time.
 */
#ifndef RITT_H
#define RITT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RITT_VERSION_MAJOR 0
#define RITT_VERSION_MINOR 1
#define RITT_VERSION_PATCH 0
#define RITT_VERSION       "0.1.0"

#if defined(__GNUC__)
#define RITT_API __attribute__((visibility("default")))
#define RITT_USE __attribute__((warn_unused_result))
#else
#define RITT_API
#define RITT_USE
#endif

/* X(name, exit code of the program, meaning) */
#define RITT_STATUSES(X)                                                                           \
  X(OK, 0, "done")                                                                                 \
  X(RETRY, 1, "a function has no value at this point; a shorter step may help")                    \
  X(STOPPED, 1, "the numerics stopped before the end")                                             \
  X(WRONG_MODEL, 2, "the model is wrong")                                                          \
  X(WRONG_CALL, 2, "the call is wrong")                                                            \
  X(IMPOSSIBLE, 2, "no answer exists")                                                             \
  X(UNDECIDED, 2, "could not decide")                                                              \
  X(NO_MEMORY, 3, "out of memory")                                                                 \
  X(SYSTEM, 3, "the system failed")

typedef enum ritt_status {
#define X(name, code, text) RITT_##name,
  RITT_STATUSES(X)
#undef X
} ritt_status;

/* How the manifold and the direction on it are obtained, from the most general kind to the most
 * special. X(name, word) */
#define RITT_KINDS(X)                                                                              \
  X(GENERAL, "general")                                                                            \
  X(GRAPH, "graph") X(HOLONOMIC, "holonomic") X(EXPLICIT, "explicit") X(IMPLICIT, "implicit")
typedef enum ritt_kind {
#define X(name, word) RITT_##name,
  RITT_KINDS(X)
#undef X
} ritt_kind;
RITT_API const char *ritt_kind_text(ritt_kind kind);

/* The meaning of a status in words, and the exit code of the program for it. */
RITT_API const char *ritt_status_text(ritt_status status);
RITT_API int ritt_status_exit_code(ritt_status status);
RITT_API const char *ritt_version(void);

/* ---- memory ---- */

/* The functions that give memory to an object. A NULL pointer to an allocator means malloc. Memory
 * is requested while objects are made, in a few large blocks. A solver requests none while it runs,
 * except if its model is completed again. Threads that make objects with the same allocator may
 * call it at the same time.
 *
 * A problem of functions and its solvers take all of their memory from the allocator. A solver of a
 * model does so too, except for the completion of the model. Libraries that Ritt uses (GMP and MPFR
 * for models, KLU for large sparse systems) allocate on their own. Messages and models come from
 * malloc. */
typedef struct ritt_allocator {
  void *(*allocate)(void *user_data, size_t size); /* aligned for any type; NULL: no memory left */
  void (*release)(void *user_data, void *memory);
  void *user_data;
} ritt_allocator;

/* Reading a model, its completion and the search for a start point may take long. While a function is
 * set, such calls of this thread ask it about twenty times a second. If it does not return 0, the
 * call ends with RITT_NO_MEMORY as soon as possible; its objects remain usable. NULL: no
 * such function. Runs have a watch of their own (ritt_options). */
typedef int (*ritt_ask)(void *user);
RITT_API void ritt_ask_while_busy(ritt_ask ask, void *user);

/* ---- errors: a list, since a model may hold several mistakes ---- */

typedef struct ritt_error ritt_error;

typedef struct ritt_message {
  ritt_status status;
  const char *text;   /* one sentence */
  const char *hint;   /* what to do, or NULL */
  const char *file;   /* name of the text, or NULL */
  int line, column;   /* counted from 1; 0: no place. The column counts characters, not bytes. */
  const char *source; /* the line itself, or NULL */
} ritt_message;

RITT_API ritt_error *ritt_error_new(void);
RITT_API void ritt_error_free(ritt_error *error);
RITT_API void ritt_error_clear(ritt_error *error);
RITT_API size_t ritt_error_count(const ritt_error *error);
RITT_API const ritt_message *ritt_error_get(const ritt_error *error, size_t i);

/* ---- models ---- */

typedef struct ritt_model ritt_model;

/* Reads a model from a file, or from text (name is used in messages). Free it with ritt_model_free.
 */
RITT_API ritt_status ritt_model_read_file(const char *path, ritt_error *error,
                                          ritt_model **out) RITT_USE;
/* Reads a model that may also name files (`include`, tables) in these folders, not only in its
 * own. */
RITT_API ritt_status ritt_model_read_folders(const char *path, const char *const *folders,
                                             size_t count, ritt_error *error,
                                             ritt_model **out) RITT_USE;
RITT_API ritt_status ritt_model_read_text(const char *text, size_t length, const char *name,
                                          ritt_error *error, ritt_model **out) RITT_USE;
/* Reads text as if it were the content of the file `path`, as an editor does whose text is not saved
 * yet. The model may name files beside this path and in the folders. */
RITT_API ritt_status ritt_model_read_as(const char *path, const char *text, size_t length,
                                        const char *const *folders, size_t count, ritt_error *error,
                                        ritt_model **out) RITT_USE;
RITT_API void ritt_model_free(ritt_model *model);
/* Gives a parameter another value, written as in the language ("9.81", "1/3"). The value is exact,
 * as if it were written in the file. */
RITT_API ritt_status ritt_model_set(ritt_model *model, const char *name, const char *value,
                                    ritt_error *error) RITT_USE;
/* Gives several parameters other values at once, for values that are valid only together. */
RITT_API ritt_status ritt_model_set_all(ritt_model *model, const char *const *names,
                                        const char *const *values, size_t count,
                                        ritt_error *error) RITT_USE;
RITT_API const char *ritt_model_name(const ritt_model *model);
RITT_API const char *
ritt_model_title(const ritt_model *model); /* its title, or its name if it has none */
RITT_API const char *ritt_model_text(const ritt_model *model); /* as it was read, up to a NUL */
/* The i-th file that the text names (`include`, tables), from 0: its name relative to that of the
 * model, and its text as it was read (NULL: larger than 1 MiB, and not kept); 0: past the last. */
RITT_API int ritt_model_file(const ritt_model *model, size_t i, const char **name,
                             const char **text);
RITT_API const char *
ritt_model_independent(const ritt_model *model); /* the independent variable's name */
/* What a name stands for: a parameter ("g", "m[2]"), something that can have a start value (a
 * variable or a derivative: "x", "p[3]'"), a whole array of either ("m"), or the independent
 * variable. */
typedef enum ritt_meaning {
  RITT_NOTHING,
  RITT_PARAMETER,
  RITT_VARIABLE,
  RITT_WHOLE_ARRAY,
  RITT_INDEPENDENT
} ritt_meaning;
RITT_API ritt_meaning ritt_model_meaning(const ritt_model *model, const char *name);
/* The parameter or variable whose name is most like this one; NULL: no name is similar. */
RITT_API const char *ritt_model_nearest(const ritt_model *model, const char *name);

/* The text of a model in standard layout: only blanks change, tokens and comments stay. Free *out
 * with ritt_free. */
RITT_API ritt_status ritt_format(const char *text, size_t length, const char *name,
                                 ritt_error *error, char **out) RITT_USE;
RITT_API void ritt_free(char *text);

/* ---- start values: they replace those of the model's start section ---- */

/* Gives a variable or a derivative ("x", "x'", "der(x, 4)") a start value. If fixed is not 0 the
 * value is kept, as with '='; else it is a guess, as with '~'. If it is set several times the last
 * value is used. */
RITT_API ritt_status ritt_model_start_value(ritt_model *model, const char *name, double value,
                                            int fixed, ritt_error *error) RITT_USE;
/* Starts at this value of the independent variable. */
RITT_API ritt_status ritt_model_start_at(ritt_model *model, double x, ritt_error *error) RITT_USE;
/* Adds the derivatives of the solution by these parameters and start values to the model, and takes
 * away those asked for before: for each output x and each name g there is a further column d(x)/d(g).
 * A start value is named as in ritt_model_start_value, and must be fixed. docs/derivatives. */
RITT_API ritt_status ritt_model_sensitivity(ritt_model *model, const char *const *names,
                                            size_t count, ritt_error *error) RITT_USE;
/* Makes the start values of the model's text guesses that give way to all other values. Call this
 * first to continue a run from another point. */
RITT_API ritt_status ritt_model_start_relax(ritt_model *model, ritt_error *error) RITT_USE;
/* The start point that is used, as a start section with 17 digits; lives as long as the model, or
 * until the model is changed. */
RITT_API ritt_status ritt_model_start_text(ritt_model *model, ritt_error *error,
                                           const char **out) RITT_USE;

/* The kind to which the model is completed: "general", "graph", "holonomic", "explicit", or "auto"
 * for the most special one that fits. This is the setting `kind` under solve. If the kind does not
 * fit, the completion reports an error. */
RITT_API ritt_status ritt_model_kind(ritt_model *model, const char *kind,
                                     ritt_error *error) RITT_USE;

/* ---- branches: the components of position constraints that split ---- */

/* Puts the model on a branch, as the section `branch` does: "2", "through y2 = 0.3, y4 = -0.8",
 * "through start"; NULL: as the text says. */
RITT_API ritt_status ritt_model_branch(ritt_model *model, const char *branch,
                                       ritt_error *error) RITT_USE;
/* The program that finds branches (NULL: Singular, searched in PATH), and the seconds that one call
 * of it may take (0: 20 seconds). Models that name no branch do not need it. */
RITT_API ritt_status ritt_model_singular(ritt_model *model, const char *program, double seconds,
                                         ritt_error *error) RITT_USE;
typedef enum ritt_form { RITT_TEXT, RITT_JSON, RITT_LATEX, RITT_WORDS } ritt_form;
/* The list of branches in words or as JSON (RITT_TEXT, RITT_JSON); valid until the next call or
 * until the model is freed. */
RITT_API ritt_status ritt_model_branches(ritt_model *model, ritt_form form, ritt_error *error,
                                         const char **out) RITT_USE;
/* Overrides `follow` and `limit` of a model with a strong potential: "motion", "vibrations", or the
 * limit system, either by "projected" methods or as "index3". */
RITT_API ritt_status ritt_model_follow(ritt_model *model, const char *what,
                                       ritt_error *error) RITT_USE;

/* ---- what kind of system is it ---- */

#define RITT_UNKNOWN (-1) /* a count that was not computed */

/* A start value that was moved onto the manifold. */
typedef struct ritt_moved {
  const char *name; /* x, x', ... */
  double typed, used;
} ritt_moved;

typedef struct ritt_check {
  const char *model;
  int unknowns, equations;
  const char *verdict; /* determined, underdetermined, inconsistent, singular, undecided */
  const char *reason;  /* in words if the verdict is not "determined"; else NULL */
  const char *kind;    /* general, graph, holonomic, explicit; NULL unless determined */
  int degrees_of_freedom, index, hidden_constraints; /* or RITT_UNKNOWN */
  size_t dependent_count, undetermined_count, non_unique_count, moved_count;
  const char *const *dependent_equations;    /* "equation 3 (line 7)" */
  const char *const *undetermined_variables; /* names */
  const char *const *non_unique;             /* names */
  const ritt_moved *moved;
  size_t singular_count;
  /* if the model is one equation of first order: the singular points found near the start, nearest
   * first, in words; there may be more */
  const char *const *singular_points;
  size_t variable_count;
  const char *const *variables; /* the unknowns as declared, an array as one: "x", "p[1..100]" */
  size_t note_count;
  const char *const *notes; /* further remarks for the user, one sentence each */
  int invariants;           /* that the model states */
  const char *text; /* all of it in words, as 'ritt check' prints it: lines, each with its end */
  /* the parts of a model made of components, one per line, indented, with the numbers of their own
   * unknowns and equations; "" without parts */
  const char *tree;
} ritt_check;

/* Completes the model and finds a start point. If the verdict is not "determined" the status is not
 * RITT_OK, but the report is filled too. The report is valid until the model is changed or freed.
 */
RITT_API ritt_status ritt_model_check(ritt_model *model, ritt_error *error,
                                      const ritt_check **out) RITT_USE;

/* The completed system: the reduced problem that is integrated, or the classical involutive form in
 * the jet space of the highest order; as text, JSON or LaTeX. RITT_WORDS tells how the reduced
 * problem was found. Lives as long as the model, or until it is changed. */
typedef enum ritt_system { RITT_REDUCED, RITT_INVOLUTIVE } ritt_system;
RITT_API ritt_status ritt_model_complete(ritt_model *model, ritt_system system, ritt_form form,
                                         ritt_error *error, const char **out) RITT_USE;

/* ---- runs ---- */

/* The largest count that an option may have: of rows, of steps, of places. */
#define RITT_MOST_COUNT 1000000000L

/* A point of an event or section: the values of the columns there, and after its jump (NULL: it has
 * none). */
typedef struct ritt_event {
  const char *name;
  int jump, stop, record; /* what it does */
  const double *before, *after;
  size_t count;
} ritt_event;
/* Receives every point of an event. Return RITT_OK to continue. */
typedef ritt_status (*ritt_event_row)(void *user, const ritt_event *event);

/* How far a run has come. */
typedef struct ritt_progress {
  double from, x, end; /* values of the run's variable: at the start, now, at the end */
  double step;         /* the size of the next step */
  long accepted, rejected, rows;
  int savable; /* not 0: ritt_solver_save may be called now */
} ritt_progress;
/* Called after every step. Return RITT_OK to continue; any other status ends the run with it. */
typedef ritt_status (*ritt_watch)(void *user, const ritt_progress *progress);

/* Receives every row: `count` values, in the columns of ritt_model_columns. Return RITT_OK to
 * continue. */
typedef ritt_status (*ritt_row)(void *user, const double *values, size_t count);

/* Overrides of the model's solve section. Start from ritt_options_default(), which overrides
 * nothing. */
typedef struct ritt_options {
  /* a name, or the file of a tableau (with a '.' or '/'); NULL: the model's, else auto */
  const char *method;
  double tolerance; /* 0: the model's, else 1e-8 */
  double to;        /* NaN: the model's end */
  /* rows equally spaced over the run, both ends included; 0: the model's, else every step */
  long points;
  double row_step;     /* distance of rows; 0: unused */
  const char *project; /* "stages", "end"; NULL: the model's, else by kind */
  /* "gauss", "newton", "chord", "inexact", "blocks", "sequential"; NULL: the model's, else by kind
   */
  const char *projection;
  const char *predictor; /* "on", "off"; NULL: the model's, else on for "chord" */
  /* "general", "graph", "holonomic", "explicit": the kind to which the model is completed for this
   * run; NULL or "auto": the kind that ritt_model_check reports */
  const char *kind;
  /* "auto", "svd", "qr", "submatrix", "cg", "lu", "kkt", "kkt_schur", "kkt_cg"; NULL: the model's,
   * else auto */
  const char *direction;
  /* "auto", "dense", "band", "sparse": linear systems; NULL: the model's, else auto */
  const char *linear;
  /* at singular points "stop", or go "through"; NULL: the model's, else stop */
  const char *singular;
  const char *precision; /* "double", "quad"; NULL: the model's, else double */
  const char *metric;    /* "weighted", "euclidean"; NULL: the model's, else euclidean */
  double constant_step;  /* 0: the model's, else adaptive */
  long max_steps;        /* 0: no limit */
  ritt_event_row event;  /* NULL: unused */
  void *event_user;
  const ritt_allocator *allocator; /* for the memory of the solver; NULL: that of its problem */
  /* the absolute tolerance; 0: the model's, else the relative one times the size that each variable
   * takes, at most 1 */
  double absolute;
  const char *over; /* the run's variable: "x", "arc"; NULL: the model's, else x */
  long every;       /* a row at every n-th step and at the end; 0: unused */
  /* rows at these values, in any order, and nowhere else; they must lie in the run and stay valid
   * during it */
  const double *at; /* NULL: unused */
  size_t at_count;
  /* receives additional points for smooth pictures: every step, and points between steps, at least
   * fine_points in total */
  ritt_row fine; /* NULL: unused */
  void *fine_user;
  long fine_points;
  ritt_watch watch; /* NULL: unused */
  void *watch_user;
  double first_step; /* 0: the model's, else chosen */
  double max_step;   /* the largest step in the run's variable; 0: the model's, else unlimited */
  /* "embedded", "papers", "doubling", "pi", "pid", "predictive"; NULL: the model's, else predictive
   * for implicit methods and embedded for others */
  const char *control;
  double fac, facmin, facmax; /* of the control; 0: the model's, else the usual ones */
  const char *norm;           /* "plain", "scaled"; NULL: the model's, else plain */
  /* derivatives of the solution: "steps" (they follow the steps of the solution), "controlled" (their
   * errors count, too); NULL: the model's, else steps */
  const char *tangents;
  /* functions of models compiled by the system's C compiler, with the same results: "never", "auto"
   * (in the background, if a run is long enough), "always" (before the first step); NULL: the value
   * of $RITT_NATIVE, else auto */
  const char *native;
} ritt_options;
RITT_API ritt_options ritt_options_default(void);
/* Sets an option. Its name and its value are written as in the language or on the command line
 * ("tolerance" or "tol"). The error for an unknown word lists the choices. The text of a value is
 * copied, except the name of a file. */
RITT_API ritt_status ritt_options_set(ritt_options *options, const char *name, const char *value,
                                      ritt_error *error) RITT_USE;
/* The i-th option, from 0: its name, what its value is, and a line of help; 0: past the last. */
typedef struct ritt_option {
  const char *name, *value, *text;
} ritt_option;
RITT_API int ritt_option_get(size_t i, ritt_option *out);

/* A place where the equations cannot be solved for the highest derivatives. */
typedef struct ritt_special {
  /* "fold", "impasse point", "singular point", "folded saddle", "folded node", "folded focus", ... */
  const char *kind;
  int passed;      /* 0: the run stopped there */
  double x, arc;   /* the independent variable there, and the length of the curve from the start */
  char point[256]; /* its coordinates in words, the first of them */
  /* singular points: singular values of the matrix of the direction, all, or the largest and the
   * smallest ones; the last is the one that becomes 0 there */
  int sigmas; /* how many of them are in sigma */
  double sigma[4];
  double eigenvalue[2][2]; /* real and imaginary parts, if the kind depends on them; else NaN */
} ritt_special;
enum { RITT_MOST_SPECIAL = 16 };

/* What a run did, listed once: X(type, name, source, in files, what it is).
 *
 * Types: TEXT (const char *, NULL: none), FLAG (int, 0 or 1), COUNT (long, RITT_UNKNOWN: not
 * computed), REAL (double, NaN: none). Source: KEPT is the sum or the latest value over the solvers
 * of a run (a recompletion makes another solver) and is part of a saved state; SET is computed on
 * request. In files: 1 if the description of a table contains it. */
#define RITT_STATISTICS(X)                                                                         \
  X(TEXT, kind, SET, 1, "explicit, graph, holonomic, ...")                                         \
  X(TEXT, method, SET, 1, "the method; the implicit one if a run with method auto changed to it")  \
  X(TEXT, precision, SET, 1, "double or quad")                                                     \
  X(REAL, tolerance, SET, 0, "relative tolerance of variables that have none of their own")        \
  X(COUNT, free_initial_values, SET, 0, "degrees of freedom of the start point")                   \
  X(COUNT, hidden_constraints, SET, 0, "constraints that follow from the equations")               \
  X(COUNT, accepted, KEPT, 1, "steps accepted")                                                    \
  X(COUNT, rejected, KEPT, 1, "steps rejected")                                                    \
  X(COUNT, evaluations, KEPT, 1, "evaluations of the direction")                                   \
  X(COUNT, projections, KEPT, 1, "projections onto the manifold")                                  \
  X(COUNT, newton_iterations, KEPT, 1, "iterations of the projections")                            \
  X(COUNT, failed_projections, KEPT, 0,                                                            \
    "projections that found no point: the step was repeated, shorter")                             \
  X(COUNT, factorisations, KEPT, 0, "factorisations of the projections")                           \
  X(COUNT, matrix_products, KEPT, 0, "products with a matrix in projections by iterative methods") \
  X(COUNT, second_derivatives, KEPT, 0, "evaluations of all second derivatives together")          \
  X(COUNT, stage_jacobians, KEPT, 0, "Jacobians of the stages of implicit methods")                \
  X(COUNT, stage_factorisations, KEPT, 0, "factorisations of the stages of implicit methods")      \
  X(COUNT, stage_iterations, KEPT, 0, "iterations for the stages of implicit methods")             \
  X(COUNT, failed_stages, KEPT, 0, "stages that were not found: the step was repeated, shorter")   \
  X(REAL, vibration, KEPT, 0,                                                                      \
    "stiff potentials: speed across the manifold beyond the tolerance; 0: smooth")                 \
  X(COUNT, vibration_steps, KEPT, 0,                                                               \
    "steps in which the largest vibration was damped; 0: not yet")                                 \
  X(TEXT, automatic, SET, 0, "method auto: the method at the start")                               \
  X(REAL, turned, SET, 0, "method auto: where an implicit method took over last")                  \
  X(REAL, returned, SET, 0, "method auto: where an explicit method took over last")                \
  X(COUNT, method_changes, SET, 0, "method auto: changes of the method")                           \
  X(COUNT, stability_limited, KEPT, 0, "steps of explicit methods that stability limited")         \
  X(FLAG, stiff, SET, 0, "stability limits so often that an implicit method should be tried")      \
  X(COUNT, rows, KEPT, 1, "rows of the table")                                                     \
  X(COUNT, recompletions, KEPT, 1,                                                                 \
    "times a pivot of the completion vanished: the system was completed again")                    \
  X(COUNT, impasse_points, KEPT, 1,                                                                \
    "impasse points passed in a run over x: dx/ds = 0, and x continues")                           \
  X(REAL, largest_residual, KEPT, 1, "of the constraints, over all accepted steps and all rows")   \
  X(REAL, x, KEPT, 1, "how far the run came; arc length in runs over arc length")                  \
  X(REAL, end, SET, 1, "how far the run should come; arc length in runs over arc length")          \
  X(REAL, last_impasse, KEPT, 0, "x at the last impasse point")                                    \
  X(COUNT, singular_points, KEPT, 0, "singular points passed")                                     \
  X(COUNT, crossings, KEPT, 0, "crossings of branches of the position constraints passed")         \
  X(REAL, arc, KEPT, 0, "length of the curve in the metric of arc length")                         \
  X(COUNT, events, KEPT, 0, "points of events and sections")                                       \
  X(COUNT, switches, KEPT, 0,                                                                      \
    "times the run met a switching surface of abs, sign, min, max, floor, if")                     \
  X(COUNT, slidings, KEPT, 0, "times the run began to slide on a switching surface")               \
  X(COUNT, rests, KEPT, 0, "times the run came to rest at the zero of an event")                   \
  X(TEXT, rest_event, KEPT, 0, "the last of these events")                                         \
  X(REAL, rest_at, KEPT, 0, "where that was; the limit of its times if they accumulate there")     \
  X(TEXT, jump_moved, KEPT, 0,                                                                     \
    "the value, not assigned by a jump, that the constraints moved most after it")                 \
  X(REAL, jump_move, KEPT, 0, "how far the constraints moved the value jump_moved")                \
  X(REAL, jump_at, KEPT, 0, "the place of that jump")                                              \
  X(COUNT, below, SET, 0, "variables that are not 0 but stay below their absolute tolerance")      \
  X(TEXT, below_name, SET, 0, "the first of these variables")                                      \
  X(REAL, below_size, SET, 0, "its largest value")                                                 \
  X(REAL, below_absolute, SET, 0, "its absolute tolerance")                                        \
  X(TEXT, algebraic_name, SET, 0,                                                                  \
    "implicit kind: the unknown without derivatives whose error is largest, relative to its size") \
  X(REAL, algebraic_error, SET, 0, "estimate of its largest error in a step")                      \
  X(REAL, algebraic_size, SET, 0, "its largest value")                                             \
  X(COUNT, no_value, KEPT, 0, "rows in which a column has no value (NaN or infinite)")             \
  X(TEXT, no_value_name, KEPT, 0, "the first column without a value")                              \
  X(REAL, no_value_at, KEPT, 0, "the place of the first row without a value")                      \
  X(TEXT, ended_by, KEPT, 0, "the event that ended the run")                                       \
  X(REAL, seconds, SET, 0, "CPU time of the run without the completion")                           \
  X(FLAG, native, SET, 0, "this solver has given native code to its problem")                      \
  X(TEXT, native_reason, SET, 0, "option native always: why there is no native code")

#define RITT_TEXT_MEMBER(name)  const char *name;
#define RITT_FLAG_MEMBER(name)  int name;
#define RITT_COUNT_MEMBER(name) long name;
#define RITT_REAL_MEMBER(name)  double name;
typedef struct ritt_statistics {
#define RITT_MEMBER(type, name, source, in_files, text) RITT_##type##_MEMBER(name)
  RITT_STATISTICS(RITT_MEMBER)
#undef RITT_MEMBER
  int specials; /* folds, impasse points, singular points and crossings: the first ones */
  ritt_special special[RITT_MOST_SPECIAL];
} ritt_statistics;

/* The i-th row of RITT_STATISTICS, from 0, for programs that show all of them; 0: past the last. */
typedef enum {
  RITT_STATISTIC_TEXT,
  RITT_STATISTIC_FLAG,
  RITT_STATISTIC_COUNT,
  RITT_STATISTIC_REAL
} ritt_statistic_type;
typedef struct ritt_statistic {
  const char *name, *text;
  ritt_statistic_type type;
  int kept, in_files;
  size_t offset; /* in ritt_statistics */
} ritt_statistic;
RITT_API int ritt_statistic_get(size_t i, ritt_statistic *out);

/* The columns of a run, in order: [arc,] the independent variable, then the output list. */
RITT_API ritt_status ritt_model_columns(ritt_model *model, ritt_error *error,
                                        const char *const **names, size_t *count) RITT_USE;

/* The units of all columns: first those of ritt_model_columns, then those of plots. "": the column
 * has no unit; NULL instead of the array: no column has one. */
RITT_API ritt_status ritt_model_units(ritt_model *model, ritt_error *error,
                                      const char *const **units, size_t *count) RITT_USE;
/* The text of the section `doc` for a name, or for the model (name NULL); NULL: there is none. */
RITT_API const char *ritt_model_doc(const ritt_model *model, const char *name);

/* The model as JSON: its names with units, values and texts, its equations as text and as LaTeX, its
 * invariants and events. Nothing is completed for it. Free *out with ritt_free. */
RITT_API ritt_status ritt_model_describe(const ritt_model *model, ritt_error *error,
                                         char **out) RITT_USE;

/* How an axis of a plot is drawn. */
typedef struct ritt_axis {
  int logarithmic; /* not 0: powers of ten have equal distances */
  int ranged;      /* not 0: from low to high, not where the curves lie */
  double low, high;
  const char *label; /* NULL: the names of the curves */
} ritt_axis;
/* Curves of the model's `plot` sections. Their values are in the rows too: columns for plots come
 * after the columns of the table, which ritt_model_columns counts. */
typedef struct ritt_curve {
  int panel;
  size_t x, y, z;                       /* column numbers */
  const char *x_name, *y_name, *z_name; /* z_name NULL: a curve in the plane */
  const char *event; /* the points of this event or section are drawn; NULL: the solution */
  ritt_axis axis[2]; /* x and y of its panel, in the plane */
} ritt_curve;
RITT_API ritt_status ritt_model_curves(ritt_model *model, ritt_error *error,
                                       const ritt_curve **curves, size_t *count) RITT_USE;

/* Shapes of the model's `scene` sections. Once they have been asked for, the rows contain their
 * numbers, too: columns after those of the plots. Ask before anything is computed, since the model is
 * completed again otherwise. */
typedef struct ritt_look {
  const char *word;     /* "at" for a place; "radius", "along", "size", "turned", "length", "width",
                       "colour", "text" */
  const char *text;     /* of a colour or a label; NULL: it has numbers */
  const size_t *column; /* the numbers of their columns */
  size_t columns;
} ritt_look;
typedef struct ritt_figure {
  const char *word; /* "point", "bar", "polygon", "circle", "spring", "trace", "arrow", "sphere",
                       "box", "label" */
  const ritt_look *look;
  size_t looks;
} ritt_figure;
RITT_API ritt_status ritt_model_scene(ritt_model *model, ritt_error *error,
                                      const ritt_figure **figures, size_t *count) RITT_USE;

/* The name of the i-th event or section, in the order of the text; NULL after the last one. */
RITT_API const char *ritt_model_event_name(const ritt_model *model, size_t i);
/* The lines of the section `sweep`, in order: "g = 1:10:100", "runs 100" (docs/sweep.md). */
RITT_API void ritt_model_sweep(const ritt_model *model, const char *const **lines, size_t *count);

/* Completes the model, finds its start point and runs. RITT_STOPPED: the rows up to the stop were
 * given; the reason is in the error. */
RITT_API ritt_status ritt_model_run(ritt_model *model, const ritt_options *options, ritt_row row,
                                    void *user, ritt_statistics *statistics,
                                    ritt_error *error) RITT_USE;

/* ---- problems: a manifold and a direction on it, as the caller's functions ---- */

/* Unknown functions y_1 .. y_n of x. Each has an order. Its derivatives below this order are
 * coordinates of the space in which the solver moves; its derivative of this order is its top.
 * Coordinates are sorted by derivatives:
 *
 *     z   = (x, all y with order > 0, all y' with order > 1, all y'' with order > 2, ...)
 *     top = (the derivative order_1 of y_1, ..., order_n of y_n)
 *
 * The manifold is f(z) = 0. It has `rows` equations, possibly 0, and df has full rank on it. The
 * tops are found in one of four ways:
 *
 *     RITT_EXPLICIT    by formula: top = F(z)
 *     RITT_GRAPH       A(z) top + b(z) = 0; an unknown of order 0 (a multiplier) has a top and no
 *                      coordinate
 *     RITT_HOLONOMIC   mass(z) y'' + dg^T lambda = force(z), g(x, y) = 0: z = (x, y, y'),
 *                      top = (y'', lambda); the manifold is g, its derivative, and f for further
 *                      invariants
 *     RITT_GENERAL     from f alone: f contains all coordinates and is complete (involutive), and
 *                      the direction is the null vector of df that has the form (1, y', ..., top);
 *                      there may be more rows than unknowns
 *
 * In the first three f must be invariant: its derivative along the direction must be 0 on the
 * manifold. A solver checks this at its start.
 *
 * The functions return RITT_OK, or RITT_RETRY if they have no value at z but may have one nearer to
 * the last point; a shorter step is then tried. Any other status ends the run with that status. A
 * value that is not finite counts as RITT_RETRY. Threads that share a problem may call its
 * functions at the same time. */
typedef struct ritt_problem ritt_problem;

typedef ritt_status (*ritt_function)(void *user_data, const double *z, double *out);
typedef ritt_status (*ritt_second_function)(void *user_data, const double *z, const double *mu,
                                            double *out);
typedef ritt_status (*ritt_system_function)(void *user_data, const double *z, double *A, double *b);
typedef ritt_status (*ritt_output_function)(void *user_data, const double *z, const double *top,
                                            double *out);

/* Compressed rows: the entries of row i are in columns column[start[i]] .. column[start[i+1]-1],
 * ascending. start NULL: the matrix is dense, row by row. */
typedef struct ritt_sparsity {
  const int *start, *column;
} ritt_sparsity;

/* Fill with zeros, then set what is needed. Everything is copied except the target of user_data. */
typedef struct ritt_definition {
  ritt_kind kind;
  int unknowns;      /* n; in the holonomic kind the positions */
  const int *orders; /* n; NULL: all 1 (holonomic: 2, general: 2) */
  int rows;          /* of f */
  int constraints;   /* holonomic: rows of g */
  int outputs;
  /* not 0: f may contain rows that are not invariant; this changes the system; the order is 1 */
  int forced;
  void *user_data;                 /* handed to every function */
  const ritt_allocator *allocator; /* NULL: malloc */

  ritt_function f, df;      /* rows; rows x m. df NULL: by differences of f */
  ritt_second_function d2f; /* sum mu_i d2f_i: lower triangle, m x m. NULL: by differences of df */
  ritt_function formula;    /* explicit: n */
  ritt_system_function system; /* graph: n x n and n */
  ritt_function mass, force;   /* holonomic: n x n, n */
  ritt_function g,
      dg; /* constraints; constraints x (1 + n), by x and y. dg NULL: by differences of g */
  /* the derivative of dg along (1, y'): constraints x (1 + n). NULL: by differences */
  ritt_function d2g;
  ritt_output_function output;

  ritt_sparsity df_sparsity, d2f_sparsity, A_sparsity, mass_sparsity,
      dg_sparsity; /* dg: that of d2g too */

  const double *sizes; /* typical sizes of the coordinates, m, for differences; NULL or 0: 1 */

  /* names for messages and columns; each may be NULL, and so may its entries */
  const char *independent;
  const char *const *names;        /* unknowns; holonomic: positions, then multipliers */
  const char *const *output_names; /* outputs */
} ritt_definition;

RITT_API ritt_status ritt_problem_new(const ritt_definition *definition, ritt_error *error,
                                      ritt_problem **out) RITT_USE;
RITT_API void ritt_problem_free(ritt_problem *problem);

/* The problem that a model was completed to. It belongs to the model and is valid until the model
 * is changed or freed. */
RITT_API ritt_status ritt_model_problem(ritt_model *model, ritt_error *error,
                                        const ritt_problem **out) RITT_USE;
/* The start point of the model: as many values as the problem has coordinates. It belongs to the
 * model too. */
RITT_API ritt_status ritt_model_start_point(ritt_model *model, ritt_error *error,
                                            const double **z) RITT_USE;

/* What a problem consists of; lives as long as the problem. */
typedef struct ritt_shape {
  ritt_kind kind;
  size_t coordinates, tops; /* lengths of z and top */
  size_t rows;              /* of f; holonomic: of g, its derivative, and f */
  /* of a row: x and the outputs, by default x, all unknowns and the derivatives in z */
  size_t columns;
  const char *const *coordinate_names, *const *column_names;
} ritt_shape;
RITT_API const ritt_shape *ritt_problem_shape(const ritt_problem *problem);

/* Moves z onto the manifold, as little as possible; x stays, and so does every coordinate i with
 * nonzero fixed[i] (fixed NULL: none). RITT_IMPOSSIBLE: no point was found near z. */
RITT_API ritt_status ritt_problem_project(const ritt_problem *problem, const int *fixed, double *z,
                                          ritt_error *error) RITT_USE;

/* Compares the derivatives that were given with differences at z. An entry that is off by more than
 * `tolerance` (0: 1e-6), relative to the largest of its row, is named in the error, with both
 * values, and the status is RITT_WRONG_CALL. */
RITT_API ritt_status ritt_problem_check_derivatives(const ritt_problem *problem, const double *z,
                                                    double tolerance, ritt_error *error) RITT_USE;

/* ---- solvers: one moving point ---- */

typedef struct ritt_solver ritt_solver;

/* A solver at the start point of the model; the model must outlive it and not be changed meanwhile.
 */
RITT_API ritt_status ritt_solver_from_model(ritt_model *model, const ritt_options *options,
                                            ritt_error *error, ritt_solver **out) RITT_USE;
/* A solver at z, another point of the manifold (coordinates as in ritt_model_start_point). The
 * run's variable begins at s. Use this to continue from a stored point. Invariants that take their
 * values from the start point take them from z. */
RITT_API ritt_status ritt_solver_from_model_at(ritt_model *model, double s, const double *z,
                                               const ritt_options *options, ritt_error *error,
                                               ritt_solver **out) RITT_USE;
/* A solver at z, a point of the manifold (see ritt_problem_project); the problem must outlive it.
 */
RITT_API ritt_status ritt_solver_from_problem(const ritt_problem *problem, const double *z,
                                              const ritt_options *options, ritt_error *error,
                                              ritt_solver **out) RITT_USE;
RITT_API void ritt_solver_free(ritt_solver *solver);

/* Takes one accepted step towards `end` (a value of x, or of the arc length), not beyond it;
 * backward if `end` lies behind. RITT_STOPPED: the run cannot continue; the reason is in the error,
 * and the point is the last one reached. The steps through an impasse point count as one. */
RITT_API ritt_status ritt_solver_step(ritt_solver *solver, double end, ritt_error *error) RITT_USE;
/* Steps exactly to `end`, or until an event ends the run (ended_by in the statistics). After
 * such an event no step is possible. */
RITT_API ritt_status ritt_solver_run_to(ritt_solver *solver, double end,
                                        ritt_error *error) RITT_USE;
/* Runs to the end that the options or the model give, with their rows. ritt_model_run is built on
 * this. */
RITT_API ritt_status ritt_solver_run(ritt_solver *solver, ritt_row row, void *user,
                                     ritt_error *error) RITT_USE;

/* ---- inputs: values that the caller gives during a run ---- */

/* Sets an input of the model (`input u`, or `input u = 2` with a constant) at the current point:
 * values[0] is u, values[1] and values[2] are u' and u'', if they are given (count 1 to 3). From here
 * on, until the next call, the input is u + u' s + u'' s^2/2, with s measured from this point. A jump
 * of an input acts like an event: algebraic unknowns are solved for again, and the next step is a
 * first one. If equations must be differentiated that contain the input, its derivatives must be
 * given; the message names the equation. Call this between steps or runs. */
RITT_API ritt_status ritt_solver_input(ritt_solver *solver, const char *name, const double *values,
                                       size_t count, ritt_error *error) RITT_USE;
/* The i-th input that can be set, from 0; NULL: past the last. *derivatives (may be NULL): how many
 * derivatives must be given; RITT_UNKNOWN before ritt_model_check. */
RITT_API const char *ritt_model_input(const ritt_model *model, size_t i, int *derivatives);

/* ---- batches: many runs of one model with different values ----
 *
 * The solvers of a batch share native code. It is compiled once, if the runs that are left are long
 * enough to save time with it. Solvers of one thread can also take their steps together, in the
 * vector registers of the processor. A model of a batch is completed once: if only values of
 * parameters and start values change, the next solver needs a new start point and nothing else,
 * unless a value may change the form of the equations. Every run gets the same bits as it would
 * alone:
 *
 *   for (;;) {
 *     for each solver that has not finished: ritt_batch_run(solver, row, user, &finished, error);
 *     ritt_batch_step(solvers, count);
 *   }
 */
typedef struct ritt_batch ritt_batch;
enum { RITT_BATCH_SIZE = 8 }; /* steps that are taken at once on a processor, at most */
/* runs: how many there will be, on all threads. together 0: only share code. Returns NULL if there
 * is no memory. */
RITT_API ritt_batch *ritt_batch_new(long runs, int together);
/* Free the models of the batch and their solvers first. */
RITT_API void ritt_batch_free(ritt_batch *batch);
/* Steps of the batch are taken on a GPU if they are ordinary: explicit methods without events. The
 * processor takes the others. device: "cpu", "cuda" or "cuda:N". fast 0: every run gets the same bits
 * as it would alone; else products and sums may be contracted, and results differ within the tolerance.
 * Call this before the first solver is made. RITT_SYSTEM: there is no such GPU. */
RITT_API ritt_status ritt_batch_use_device(ritt_batch *batch, const char *device, int fast,
                                           ritt_error *error) RITT_USE;
/* The name of the GPU; NULL: the batch has none. */
RITT_API const char *ritt_batch_device(const ritt_batch *batch);
/* Numbers in the memory of a GPU, for libraries that go on with them there. device: "cuda" or
 * "cuda:N". *at is their address on the device, *number the number of the device. They are copied
 * when this returns, and stay until the array is freed. */
typedef struct ritt_device_array ritt_device_array;
RITT_API ritt_status ritt_device_array_new(const char *device, const double *numbers, size_t count,
                                           void **at, int *number, ritt_error *error,
                                           ritt_device_array **out) RITT_USE;
RITT_API void ritt_device_array_free(ritt_device_array *array);
/* How many solvers a thread should have under way: RITT_BATCH_SIZE, or many for a GPU. */
RITT_API int ritt_batch_size(const ritt_batch *batch);
/* Solvers that are made of the model from now on belong to the batch. Free them before the values of
 * the model change, and before ritt_model_check. */
RITT_API void ritt_batch_add(ritt_batch *batch, ritt_model *model);
/* Like ritt_solver_run, but may return before the end with *finished 0: the solver then waits for a
 * step that can be taken with those of others. Call ritt_batch_step, then this again. */
RITT_API ritt_status ritt_batch_run(ritt_solver *solver, ritt_row row, void *user, int *finished,
                                    ritt_error *error) RITT_USE;
/* Takes the steps that these solvers wait for, again and again until one of them has something else
 * to do. NULL entries are skipped. Other threads may do the same with other solvers. */
RITT_API void ritt_batch_step(ritt_solver *const *solvers, int count);
/* Takes the solver out of the batch: it no longer waits for others. */
RITT_API void ritt_batch_leave(ritt_solver *solver);
/* How many of its steps were taken together with those of others. */
RITT_API long ritt_batch_steps(const ritt_solver *solver);

/* The state of a solver as bytes: everything that its next steps depend on. It can be loaded by a
 * solver that was made in the same way (same model or problem and options, same version of Ritt,
 * same kind of machine). This solver continues with the same bits as the saved one, by steps or
 * with ritt_solver_run, which continues the interrupted run with its rows. Saving changes nothing.
 *
 * Save between calls, or in the watch of a run if its progress says savable. *size is the number of
 * bytes needed; with buffer NULL only *size is set. RITT_WRONG_CALL: the buffer is too small, or
 * the solver is inside a step. If loading fails with RITT_WRONG_CALL, the message says what is
 * wrong with the bytes or what differs, and the solver is unchanged. Dense output in the last step
 * is restored too, but may differ in its last bits. */
RITT_API ritt_status ritt_solver_save(ritt_solver *solver, void *buffer, size_t room, size_t *size,
                                      ritt_error *error) RITT_USE;
RITT_API ritt_status ritt_solver_load(ritt_solver *solver, const void *state, size_t size,
                                      ritt_error *error) RITT_USE;

/* A point of the solution. */
typedef struct ritt_point {
  double s;                 /* the run's variable: x, or the arc length */
  const double *z;          /* coordinates */
  const double *derivative; /* of the coordinates by the run's variable */
  const double *top;        /* the tops there */
} ritt_point;
/* The current point of the solver. The arrays belong to the solver and are valid until it moves. */
RITT_API ritt_status ritt_solver_point(ritt_solver *solver, ritt_point *out,
                                       ritt_error *error) RITT_USE;
/* The beginning of the last step: dense output reaches from there to the current point. */
RITT_API double ritt_solver_before(const ritt_solver *solver);
/* The point at s in the last step, on the manifold; its arrays are valid until the next call. */
RITT_API ritt_status ritt_solver_dense(ritt_solver *solver, double s, ritt_point *out,
                                       ritt_error *error) RITT_USE;
/* The names of a row's columns ([arc,] x and the outputs); and the row at s in the last step. */
RITT_API void ritt_solver_columns(const ritt_solver *solver, const char *const **names,
                                  size_t *count);
RITT_API ritt_status ritt_solver_values(ritt_solver *solver, double s, double *values,
                                        ritt_error *error) RITT_USE;
/* For each column, the exact value minus the double that was given, in the last row or the last
 * values. With `precision quad` value + remainder has about 32 digits. In double precision the
 * remainders are 0. */
RITT_API void ritt_solver_remainders(const ritt_solver *solver, double *remainders);
/* The value of a column or a coordinate at the current point, by its name. */
RITT_API ritt_status ritt_solver_value(ritt_solver *solver, const char *name, double *out,
                                       ritt_error *error) RITT_USE;
/* The largest value that a coordinate has had at the start and at the ends of steps, and its absolute
 * tolerance. A coordinate whose values stay below its absolute tolerance has no digits that count.
 * RITT_WRONG_CALL: no coordinate has this name. */
RITT_API ritt_status ritt_solver_size(ritt_solver *solver, const char *name, double *largest,
                                      double *absolute, ritt_error *error) RITT_USE;
RITT_API void ritt_solver_statistics(const ritt_solver *solver, ritt_statistics *out);

/* ---- linearisation and equilibria ---- */

/* The system near a point of its manifold, for small changes: x' = A x + B u, y = C x + D u. The
 * states x are coordinates that parametrise the manifold there, one for each free initial value; u
 * are changes of parameters, y those of the columns after the independent variable. Matrices are
 * stored row by row. */
typedef struct ritt_linearization {
  size_t states, inputs, outputs;
  const char *const *state_names, *const *input_names, *const *output_names;
  const double *A, *B, *C, *D;
  /* eigenvalues of A, the largest real part first; complex ones stand side by side */
  const double *eigenvalue_real, *eigenvalue_imaginary;
  /* states x states: column j is the mode of eigenvalue j, of length 1 */
  const double *mode_real, *mode_imaginary;
  double x;                /* the independent variable at the point */
  double largest_velocity; /* the largest derivative of a state at the point; 0: an equilibrium */
} ritt_linearization;
/* Linearises the model at a point: its z and top, the others are not read; NULL: the start point.
 * inputs: names of parameters. RITT_IMPOSSIBLE: the point has no tangent space, or an input stands in
 * a constraint. Free *out with ritt_linearization_free. */
RITT_API ritt_status ritt_model_linearize(ritt_model *model, const ritt_point *at,
                                          const char *const *inputs, size_t input_count,
                                          ritt_error *error, ritt_linearization **out) RITT_USE;
RITT_API void ritt_linearization_free(ritt_linearization *linearization);

/* A point of the manifold at which nothing moves, except variables that may. */
typedef struct ritt_steady {
  ritt_point point; /* its derivative: only variables that may move have one */
  size_t columns;
  const char *const *column_names; /* of a row: x and the outputs */
  const double *values;            /* the row at the point */
} ritt_steady;
/* Finds an equilibrium near the start point, or near where the solution goes. moving: names of
 * variables that may grow steadily, as in a relative equilibrium. hold: names of variables or
 * derivatives that keep their start values. RITT_IMPOSSIBLE: none was found. Free *out with
 * ritt_steady_free. */
RITT_API ritt_status ritt_model_steady(ritt_model *model, const char *const *moving,
                                       size_t moving_count, const char *const *hold,
                                       size_t hold_count, ritt_error *error,
                                       ritt_steady **out) RITT_USE;
RITT_API void ritt_steady_free(ritt_steady *steady);

/* ---- gradients ---- */

/* A run whose outputs can be differentiated by any number of quantities at once, by the adjoint of its
 * steps. rows x columns values; the columns are those of the model after the independent variable. */
typedef struct ritt_adjoint {
  size_t rows, columns, quantities;
  const double *places; /* rows: of the independent variable */
  const char *const *column_names;
  const double *values; /* rows x columns */
  long steps;
} ritt_adjoint;
/* Runs the model to the places, in the order of the run; NULL: to the end of the run only. names: of
 * parameters and start values. RITT_IMPOSSIBLE: the run has no adjoint, because of events with jumps,
 * of switches, or of its method. Free *out with ritt_adjoint_free. */
RITT_API ritt_status ritt_model_adjoint(ritt_model *model, const char *const *names, size_t count,
                                        const double *places, size_t place_count,
                                        const ritt_options *run, ritt_error *error,
                                        ritt_adjoint **out) RITT_USE;
/* gradient[i]: the derivative of the sum of weights times values by quantity i. It is exact for the
 * steps that were taken. weights: rows x columns. The model must not have changed since. */
RITT_API ritt_status ritt_adjoint_gradient(ritt_adjoint *adjoint, const double *weights,
                                           double *gradient, ritt_error *error) RITT_USE;
RITT_API void ritt_adjoint_free(ritt_adjoint *adjoint);

/* ---- parameters from data ---- */

/* Measured values, rows x columns, row by row; NaN: a gap. One column is the independent variable, the
 * others are columns of the model. */
typedef struct ritt_fit_data {
  size_t rows, columns;
  const char *const *names;
  const double *values;
} ritt_fit_data;
/* What varies: a parameter, or a variable or derivative whose start value is unknown. */
typedef struct ritt_fit_unknown {
  const char *name;
  double begin;     /* where the search begins; NaN: at the value of the model */
  double low, high; /* bounds; NaN: none */
} ritt_fit_unknown;
/* Start from ritt_fit_options_default(). */
typedef struct ritt_fit_options {
  const double *weights; /* of the columns of the data; NULL: 1 */
  /* "linear": least squares; "soft", "huber", "cauchy": residuals beyond the scale count less */
  const char *loss;
  double scale;
  long starts; /* searches begin at the given values and at starts - 1 points between the bounds */
  long seed;   /* of these points */
  double confidence; /* of the intervals */
  long max_iterations;
} ritt_fit_options;
RITT_API ritt_fit_options ritt_fit_options_default(void);

typedef struct ritt_fit {
  size_t unknowns;
  const char *const *names;
  const double *values, *deviations; /* of the unknowns; infinite: the data do not determine it */
  const double *low, *high;          /* confidence intervals */
  const double *covariance;          /* unknowns x unknowns */
  const int *bounded;        /* not 0: the value is at a bound, and its deviation is given as 0 */
  const double *residuals;   /* as the data: weight times data minus model; NaN: a gap */
  const double *solution;    /* as the data: the values of the model there */
  size_t data;               /* values without gaps */
  double cost;               /* half the sum of the losses of the residuals */
  double residual_deviation; /* standard deviation of the residuals */
  long iterations;           /* from the best start */
  int converged;             /* 0: max_iterations were not enough */
} ritt_fit;
/* Finds the values for which the solution is nearest to the data. The intervals are those of normal
 * errors that are equal and independent after weighting. Afterwards the model has the values that were
 * found. RITT_IMPOSSIBLE: the model has no solution over the data where the search begins. Free *out
 * with ritt_fit_free. */
RITT_API ritt_status ritt_model_fit(ritt_model *model, const ritt_fit_data *data,
                                    const ritt_fit_unknown *unknown, size_t unknowns,
                                    const ritt_fit_options *how, const ritt_options *run,
                                    ritt_error *error, ritt_fit **out) RITT_USE;
RITT_API void ritt_fit_free(ritt_fit *fit);

/* ---- periodic orbits ---- */

/* Start from ritt_orbit_options_default(). */
typedef struct ritt_orbit_options {
  int fixed_period; /* not 0: the period is known, as in a system that is driven */
  long segments;    /* parts of the orbit that are followed one by one */
  long max_iterations;
  /* coordinates that give the start of the orbit, one for each free initial value; NULL: any */
  const char *const *states;
  size_t state_count;
  const char *const *hold; /* those of them that keep their start values */
  size_t hold_count;
} ritt_orbit_options;
RITT_API ritt_orbit_options ritt_orbit_options_default(void);

typedef struct ritt_orbit {
  size_t states;
  const char *const *state_names; /* coordinates that give the start; the others follow from them */
  const double *start;
  double period;
  /* states x states: derivatives of the start after one period by the start before */
  const double *monodromy;
  /* its eigenvalues, the largest first; if the period was unknown, one of them is 1 */
  const double *multiplier_real, *multiplier_imaginary;
  /* 1: all others lie inside the unit circle; -1: one lies outside; 0: one is too near to decide */
  int stable;
  double residual; /* largest misfit of the ends of the segments, relative to the values */
  long iterations;
} ritt_orbit;
/* Finds a periodic orbit near the solution from the start of the model; period: a guess. In a family of
 * orbits the nearest one is taken. The default tolerance of the runs is 1e-11. Afterwards the model
 * starts on the orbit. RITT_IMPOSSIBLE: none was found. Free *out with ritt_orbit_free. */
RITT_API ritt_status ritt_model_orbit(ritt_model *model, double period,
                                      const ritt_orbit_options *how, const ritt_options *run,
                                      ritt_error *error, ritt_orbit **out) RITT_USE;
RITT_API void ritt_orbit_free(ritt_orbit *orbit);

/* ---- a solver of its own ---- */

/* The solver of the model with these options as one C file that needs nothing but the C library
 * (docs/emit.md). The text is valid until the model is freed, changed or emitted again.
 * RITT_WRONG_MODEL: the model is too large for that. */
RITT_API ritt_status ritt_model_emit_c(ritt_model *model, const ritt_options *options,
                                       ritt_error *error, const char **out) RITT_USE;

/* ---- models as FMUs ---- */

/* A file of an archive. */
typedef struct ritt_file {
  const char *name, *bytes;
  size_t size;
} ritt_file;

/* The files of the model with these options as a functional mock-up unit of FMI 2.0 or 3.0
 * (docs/fmi.md): an archive of them, in zip format, is the FMU. version: 2 or 3; kind: "cs"
 * (co-simulation), "me" (model exchange), "both"; NULL: both. The local C compiler is needed. The
 * files are valid until the model is freed, changed or exported again. */
RITT_API ritt_status ritt_model_export_fmu(ritt_model *model, const ritt_options *options,
                                           int version, const char *kind, ritt_error *error,
                                           const ritt_file **files, size_t *count) RITT_USE;

/* ---- methods ---- */

typedef struct ritt_method {
  const char *name;
  int order, stages, embedded_order; /* embedded_order 0: no error estimate, constant steps only */
  int implicit;
  const char *source;
} ritt_method;
/* The i-th method, from 0; 0: past the last. */
RITT_API int ritt_method_get(size_t i, ritt_method *out);

/* ---- libraries of components ---- */

/* A library that a model takes by `include <NAME>`. */
typedef struct ritt_library {
  const char *name;
  const char *const *line; /* its lines with their ends; the last one is NULL */
} ritt_library;
/* The i-th library, from 0; 0: past the last. */
RITT_API int ritt_library_get(size_t i, ritt_library *out);

#ifdef __cplusplus
}
#endif
#endif
