/* The projected Runge-Kutta step: p_i = Pi(p + h sum a_ij V(p_j)), p_new = Pi(p + h sum b_j
 * V(p_j)). */
#ifndef RITTI_STEP_H
#define RITTI_STEP_H

#include "geometry/geometry.h"
#include "step/method.h"

typedef struct ritti_stepper ritti_stepper;

/* How the methods of one family take their steps. */
typedef struct ritti_stepping {
  int (*vectors)(
      const ritti_tableau *tableau); /* entries of V, and which of them is V at the new point */
  int (*last)(const ritti_tableau *tableau);
  ritt_status (*init)(ritti_stepper *step,
                      ritti_arena *arena); /* makes step->own; NULL: nothing to make */
  /* Room for steps on another problem than now, or over arc length, where that is not had when it
   * is needed; or NULL. */
  ritt_status (*prepare)(ritti_stepper *step, const ritti_problem *problem, bool arc);
  ritt_status (*ready)(
      ritti_stepper *step); /* all is set but the point: room for the steps; or NULL */
  void (*forget)(
      ritti_stepper *step); /* the point is elsewhere: nothing known of steps before; or NULL */
  /* Readies `error` for a step of length h from z before it is taken; NULL: it cannot. */
  ritt_status (*foresee)(ritti_stepper *step);
  /* Sets `end`, and z_new, its projection. z, V[0], h are set. */
  ritt_status (*take)(ritti_stepper *step, ritt_real x_new);
  /* The estimate `which` (0, 1, ...) of the error of the step just taken; false: there is no such
   * one. */
  bool (*error)(const ritti_stepper *step, int which, ritt_real *err);
  /* Another one from V at the end of the step just taken; NULL: V has been looked at within it. */
  void (*defect)(const ritti_stepper *step, ritt_real *err);
  /* The interpolant at the fraction theta, not projected; x is set by the caller. */
  ritt_status (*interpolate)(ritti_stepper *step, ritt_real theta, ritt_real *z);
  /* Puts those top jets at the fraction theta that the step knows better than its equations; theta
   * < 0: at the point z, before the first step from there. NULL: none. */
  void (*tops)(ritti_stepper *step, ritt_real theta, ritt_real *top);
  /* Implicit kind: all tops at the fraction theta, if the step found them together with its stages.
   * z: the point there, which moves to where the tops belong; or NULL. false, NULL: the tops are found
   * from z. */
  bool (*joint_tops)(ritti_stepper *step, ritt_real theta, ritt_real *z, ritt_real *top);
  /* The integral of a function of V over the step, given its values at the vectors V. */
  ritt_real (*length)(const ritti_stepper *step, const ritt_real *weights);
  /* Right after a step: h times the largest eigenvalue of dV; size measures coordinates. 0: not
   * known. NULL: it never is. *border: how large it may be for the method to be stable; 0: it may
   * have any size. */
  ritt_real (*stiffness)(const ritti_stepper *step, const ritt_real *size, ritt_real *border);
  /* What `own` carries from step to step (warm starts, a Jacobian and its factors), item by item,
   * for a run that is saved and goes on later: src/drive/state.c. The problem is the one on which
   * it goes on. NULL: nothing. */
  void (*state)(ritti_stepper *step, const ritti_problem *problem, ritti_state *state);
} ritti_stepping;
/* An explicit method as native code gets it. false: it is none. */
bool ritti_tableau_step_method(const ritti_tableau *t, bool project_stages, bool sequential,
                               bool weighted, ritti_step_method *out);
/* Bit s is set for each number s of stages that an implicit method finds together, or, of a Rosenbrock
 * method, for s - RITTI_MOST_STAGES. */
unsigned ritti_tableau_stage_sizes(const ritti_tableau *t);
const ritti_stepping *ritti_explicit_stepping(void);
/* An explicit method damps h lambda down to minus this; 0: unknown */
ritt_real ritti_explicit_stability(const ritti_stepper *step); /* explicit.c */
/* Native code for whole steps of the stepper as it stands, told all that stays the same from step
 * to step; NULL: there is none, or something asks for another way. */
ritti_step_function *ritti_stepper_step_function(ritti_stepper *step);
/* The job of a step of length step->h for that code; and what it did of the step, RITTI_STEP_..., to
 * be taken over from the job. */
ritti_step_job *ritti_stepper_fill_job(ritti_stepper *step, ritt_real x_new);
int ritti_stepper_collect_job(ritti_stepper *step, int done);
const ritti_stepping *ritti_implicit_stepping(void);   /* implicit.c */
const ritti_stepping *ritti_rosenbrock_stepping(void); /* rosenbrock.c */
const ritti_stepping *ritti_doubling_stepping(void);   /* doubling.c */
const ritti_stepping *ritti_taylor_stepping(void);     /* taylor.c */
const ritti_stepping *ritti_covariant_stepping(void);  /* covariant.c */

const ritti_stepping *ritti_strong_stepping(void); /* strong.c */

/* X(id, word): Newton's method for the stages of problems with a strong potential. STIFF:
 * (8.5)-(8.8) of the paper on them, for all steps; the others, whose steps eps limits, for
 * comparison: (8.1), (8.2), (8.3). */
#define RITTI_STRONG_NEWTONS(X) X(STIFF, "stiff") X(J0, "j0") X(J1, "j1") X(J2, "j2")
typedef enum ritti_strong_newton {
#define X(id, word) RITTI_NEWTON_##id,
  RITTI_STRONG_NEWTONS(X)
#undef X
} ritti_strong_newton;

/* What was seen of vibrations after the start, or after a point was put elsewhere, where it is not
 * smooth to the tolerance: speeds across the manifold that the smooth motion does not have. */
typedef struct ritti_vibration {
  ritt_real first, last; /* at the start (0: it is smooth), and at the last step looked at */
  ritt_real factor;      /* by which a step damped them, on the average; 0: not known */
  long steps;            /* until they were below the tolerance, or fell no more */
  bool going;            /* they are still looked at */
} ritti_vibration;

/* What stages that are found by iteration have cost. */
typedef struct ritti_stage_counts {
  long jacobians,
      factorisations; /* derivatives taken; matrices factored, all blocks of a method as one */
  long iterations, failures; /* of Newton's method; steps that it did not converge in */
} ritti_stage_counts;

/* The absolute tolerance of a coordinate whose errors do not count. */
#define RITTI_UNCONTROLLED ((ritt_real)1e100)

struct ritti_stepper {
  const ritti_tableau *tableau; /* in use: the one chosen, or */
  const ritti_tableau *chosen,
      *stand_in; /* while the run slides, one that needs no series; NULL: the same */
  const ritti_stepping *by;
  ritti_manifold *manifold;
  ritti_direction *direction;
  ritti_algebra algebra; /* of the systems of implicit stages */
  /* m: tolerances, absolute ones RITTI_UNCONTROLLED if errors of the coordinate do not count; NULL:
   * stages are found to round-off */
  const ritt_real *relative, *absolute;
  ritti_stage_counts counts;
  ritti_strong_newton newton; /* of a strong potential: how the stages are found; */
  int outer; /* (8.7) is taken so often, each time from stages found; -1: with every iteration */
  ritti_vibration vibration, strongest; /* after the last start; of those before */
  /* shorter steps would follow vibrations that are to be damped; 0: there are none */
  ritt_real least;
  ritt_real caution; /* a factor for the next step: stages were hard to find; 0: nothing to say */
  /* the next step may be longer by this factor at most, or stages are not found; 0: any */
  ritt_real growth;
  bool holds;          /* a next step of the same length is cheaper */
  bool wants_radius;   /* implicit methods find out how large the eigenvalues of dV are */
  ritt_real shorten;   /* after RITT_RETRY: by how much the step should be shorter; 0: not known */
  bool weighted;       /* the spreads of the manifold are not 1 */
  bool project_stages; /* all stages; else the end only */
  /* how near to M stages, to their nearest points ends must be, over the size; 0: to round-off */
  ritt_real loose;
  bool keep_x; /* a run over x: x is exactly where the step says, the projection keeps it */
  int m;
  ritt_real h;
  ritt_real *z, *z_new;     /* both ends of the last step */
  ritt_real *end;           /* the unprojected end */
  ritt_real *top, *top_new; /* top jets at both ends */
  ritt_real *
      *V;   /* at the start, then what the family needs; explicit: stages, V at the new point, */
  int last; /* the extra stages of the dense output. V[last]: at the new point */
  ritt_real *a;  /* scratch; `stiffness` of explicit methods finds the last stage here */
  bool directed; /* V at the new point is asked for */
  bool complete; /* native code took the last step whole: V at the new point and norms are there */
  int kept;      /* points of the last step that native code kept in job.kept */
  ritti_step_job job;          /* the step of native code */
  ritti_step_function *kernel; /* native code that takes whole steps with their errors, or NULL, */
  const ritti_manifold *kernel_manifold; /* on this manifold */
  const ritt_real *metric;               /* m: of its length; NULL: not asked for */
  bool predicted;                        /* the predictor of the last step is there */
  bool rough;       /* inner points need not be as accurate as the ends of steps */
  bool dense_ready; /* the extra stages of the last step are there */
  void *own;        /* the family's */
  /* stages + 1: the points of the last step at which V was found by the library, the last one at its
   * end; NULL: they are not kept. Explicit methods only. */
  ritti_direction_store *record;
};

ritt_status ritti_stepper_init(ritti_stepper *step, const ritti_tableau *tableau,
                               ritti_manifold *manifold, ritti_direction *direction,
                               ritti_arena *arena) RITT_USE;
/* The same with other functions than those of the method's family. */
ritt_status ritti_stepper_init_with(ritti_stepper *step, const ritti_tableau *tableau,
                                    const ritti_stepping *by, ritti_manifold *manifold,
                                    ritti_direction *direction, ritti_arena *arena) RITT_USE;
/* Are steps taken with the strong potential apart (strong.c)? The problem has one, and the method
 * is implicit. */
bool ritti_stepper_is_strong(const ritti_stepper *step);
/* The strongest vibrations that a start, or a jump, has made. */
const ritti_vibration *ritti_stepper_vibration(const ritti_stepper *step);
/* Once its members are set: room for the steps. */
ritt_status ritti_stepper_ready(ritti_stepper *step) RITT_USE;
/* Room for steps on another problem, or over arc length: for solvers whose memory is given once. */
ritt_status ritti_stepper_prepare(ritti_stepper *step, const ritti_problem *problem,
                                  bool arc) RITT_USE;
/* Puts the point at z (on M) and finds V there. */
ritt_status ritti_stepper_place(ritti_stepper *step, const ritt_real *z) RITT_USE;
/* The same, with V not against the V that it had: a run over arc length goes on in its sense. */
ritt_status ritti_stepper_move(ritti_stepper *step, const ritt_real *z) RITT_USE;
/* The run begins to slide on a switching surface, or leaves it: the manifold and the direction are
 * others. */
void ritti_stepper_slide(ritti_stepper *step, bool on);
/* The estimate of the error of a step of length h that is not taken yet; false: not known. */
bool ritti_stepper_foresee(ritti_stepper *step, ritt_real h, ritt_real *err);
/* A step of length h from z; x_new is where it ends in a run over x. On RITT_OK z_new, top_new and
 * V at z_new are set; z stays until ritti_stepper_accept. */
ritt_status ritti_stepper_take(ritti_stepper *step, ritt_real h, ritt_real x_new) RITT_USE;
/* The same step as a job for code that takes the steps of several runs at once, with the error; NULL:
 * there is none. */
ritti_step_job *ritti_stepper_job(ritti_stepper *step, ritt_real h, ritt_real x_new);
/* The job was run: the step is taken. */
void ritti_stepper_take_answer(ritti_stepper *step);
/* After it: an estimate of its error from V at its end, for methods that do not look at V within a
 * step; false: others. */
bool ritti_stepper_defect(const ritti_stepper *step, ritt_real *err);
/* Takes the same step without computing V and the top jets at z_new. */
ritt_status ritti_stepper_take_end(ritti_stepper *step, ritt_real h, ritt_real x_new) RITT_USE;
/* Before it: what was known of the step before is not known of this one. */
void ritti_stepper_begin(ritti_stepper *step, ritt_real h);
void ritti_stepper_accept(ritti_stepper *step);
/* The estimate `which` of the error of the step just taken; false: the method has no such one. */
bool ritti_stepper_error(const ritti_stepper *step, int which, ritt_real *err);
/* The interpolant at the fraction theta of the step just taken, not projected: near M, within the
 * tolerance. */
ritt_status ritti_stepper_interpolate(ritti_stepper *step, ritt_real theta, ritt_real x,
                                      ritt_real *z) RITT_USE;
/* The length of the step just taken, before it is accepted; sum w_i dz_i^2 is the metric. */
ritt_real ritti_stepper_length(const ritti_stepper *step, const ritt_real *weights);
/* The same up to the fraction theta; z, top: room. */
ritt_status ritti_stepper_length_to(ritti_stepper *step, ritt_real theta, const ritt_real *weights,
                                    ritt_real *z, ritt_real *top, ritt_real *length) RITT_USE;
/* The point of M at the fraction theta of the step just taken (before it is accepted); x is where
 * it falls in a run over x. top gets the top jets there. */
ritt_status ritti_stepper_dense(ritti_stepper *step, ritt_real theta, ritt_real x, ritt_real *z,
                                ritt_real *top) RITT_USE;
/* Implicit kind: the tops at the fraction theta of the step just taken, if it found them together with
 * its stages; false: it did not. z: the point there, which moves to where the tops belong; or NULL. */
bool ritti_stepper_joint_tops(ritti_stepper *step, ritt_real theta, ritt_real *z, ritt_real *top);
/* What later steps, on this problem, and dense output in the last one depend on. */
void ritti_stepper_state(ritti_stepper *step, const ritti_problem *problem, ritti_state *state);

/* For the families: q = the projection of a, begun at the predictor where that is asked for.
 * `bend`: how far a falls short of the second-order term of the solution, in units of h^2. */
ritt_status ritti_stepper_project(ritti_stepper *step, ritt_real bend, const ritt_real *a,
                                  ritt_real *q) RITT_USE;
/* The search for the tops at the fraction theta begins between those at both ends; top: room. */
void ritti_stepper_begin_tops(ritti_stepper *step, ritt_real theta, ritt_real *top);
/* The cubic of Hermite through both ends. */
void ritti_stepper_hermite(const ritti_stepper *step, ritt_real theta, ritt_real *z);
/* |V| in the metric */
ritt_real ritti_speed(int m, const ritt_real *V, const ritt_real *weights);

#endif
