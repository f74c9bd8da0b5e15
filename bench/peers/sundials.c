/* SUNDIALS on a peer_problem: IDA, CVODE and ARKODE with dense matrices, relative and absolute
 * tolerance alike, and no output before the end. Times are those of the integration; residuals are
 * looked at after every step in runs whose time does not count. */
#include "solvers.h"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#if SUNDIALS_VERSION_MAJOR >= 7
#define WORLD SUN_COMM_NULL
#else
#define WORLD NULL
#endif
#define AT(v) N_VGetArrayPointer(v)

const char *sundials_version(void) { return SUNDIALS_VERSION; }

/* What a run holds; everything is freed by run_end. */
typedef struct sundials_run {
  const peer_problem *p;
  SUNContext context;
  N_Vector y, derivative, id, absolute;
  SUNMatrix matrix;
  SUNLinearSolver linear;
  void *memory;
  bool good;
} sundials_run;

static sundials_run run_new(const peer_problem *p, int n) {
  sundials_run r = {.p = p};
  r.good = SUNContext_Create(WORLD, &r.context) == 0;
  r.y = N_VNew_Serial(n, r.context), r.derivative = N_VNew_Serial(n, r.context),
  r.id = N_VNew_Serial(n, r.context);
  r.absolute = N_VNew_Serial(n, r.context);
  r.matrix = SUNDenseMatrix(n, n, r.context);
  r.linear = SUNLinSol_Dense(r.y, r.matrix, r.context);
  return r;
}
static void run_end(sundials_run *r) {
  SUNLinSolFree(r->linear), SUNMatDestroy(r->matrix);
  N_VDestroy(r->y), N_VDestroy(r->derivative), N_VDestroy(r->id), N_VDestroy(r->absolute);
  SUNContext_Free(&r->context);
}
static void must(sundials_run *r, int status) { r->good = r->good && status >= 0; }

/* ---- the functions ---- */

static int rhs(sunrealtype t, N_Vector y, N_Vector out, void *user) {
  const sundials_run *r = user;
  r->p->rhs(t, AT(y), AT(out));
  return 0;
}
static int jacobian(sunrealtype t, N_Vector y, N_Vector f, SUNMatrix J, void *user, N_Vector a,
                    N_Vector b, N_Vector c) {
  const sundials_run *r = user;
  (void)f, (void)a, (void)b, (void)c;
  r->p->jacobian(t, AT(y), SUNDenseMatrix_Data(J));
  return 0;
}
static int residual(sunrealtype t, N_Vector w, N_Vector derivative, N_Vector out, void *user) {
  const sundials_run *r = user;
  r->p->residual(t, AT(w), AT(derivative), AT(out));
  return 0;
}
static int dae_jacobian(sunrealtype t, sunrealtype c, N_Vector w, N_Vector derivative, N_Vector f,
                        SUNMatrix J, void *user, N_Vector x, N_Vector y, N_Vector z) {
  const sundials_run *r = user;
  (void)f, (void)x, (void)y, (void)z;
  r->p->dae_jacobian(t, c, AT(w), AT(derivative), SUNDenseMatrix_Data(J));
  return 0;
}
static int project(sunrealtype t, N_Vector y, N_Vector move, sunrealtype stop, N_Vector error,
                   void *user) {
  const sundials_run *r = user;
  double z[PEER_MOST];
  (void)stop, (void)error;
  memcpy(z, AT(y), (size_t)r->p->n * sizeof *z);
  r->p->project(t, z);
  for (int i = 0; i < r->p->n; i++) AT(move)[i] = z[i] - AT(y)[i];
  return 0;
}

/* Absolute tolerances. */
static double absolute(const peer_problem *p, double tolerance) {
  return tolerance * (p->absolute > 0 ? p->absolute : 1);
}

/* ---- runs: watched ones go step by step ---- */

typedef int advance(sundials_run *r, double end, sunrealtype *t, bool one);

static bench_result go(sundials_run *r, double tolerance, advance *step, const char *setting) {
  bench_result out = {.tolerance = tolerance, .error = 1, .seconds = INFINITY};
  const peer_problem *p = r->p;
  sunrealtype t = 0;
  int status = r->good ? 0 : -1;
  snprintf(out.setting, sizeof out.setting, "%s", setting);
  double began = bench_now();
  if (!peer_watching && status == 0) status = step(r, p->end, &t, false);
  while (peer_watching && status >= 0 && t < p->end) {
    status = step(r, p->end, &t, true);
    if (status >= 0) peer_watch(p, t, AT(r->y), &out);
  }
  out.seconds = bench_now() - began;
  out.done = status >= 0 && t >= p->end;
  if (out.done) out.error = bench_error(AT(r->y), p->exact, p->compared, p->relative);
  return out;
}

enum { MOST_STEPS = 5000000 };

static int ida_advance(sundials_run *r, double end, sunrealtype *t, bool one) {
  return IDASolve(r->memory, end, t, r->y, r->derivative, one ? IDA_ONE_STEP : IDA_NORMAL);
}
static bench_result ida(const peer_problem *p, double tolerance, double multipliers,
                        const char *setting) {
  sundials_run r = run_new(p, p->dae);
  p->dae_start(AT(r.y), AT(r.derivative));
  for (int i = 0; i < p->dae; i++) AT(r.id)[i] = i < p->differential;
  r.memory = IDACreate(r.context);
  must(&r, IDAInit(r.memory, residual, 0, r.y, r.derivative));
  for (int i = 0; i < p->dae; i++)
    AT(r.absolute)[i] = i < p->differential ? absolute(p, tolerance) : multipliers;
  must(&r, IDASVtolerances(r.memory, tolerance, r.absolute));
  must(&r, IDASetUserData(r.memory, &r));
  must(&r, IDASetId(r.memory, r.id));
  must(&r, IDASetSuppressAlg(r.memory, 1));
  must(&r, IDASetLinearSolver(r.memory, r.linear, r.matrix));
  if (p->dae_jacobian) must(&r, IDASetJacFn(r.memory, dae_jacobian));
  must(&r, IDASetMaxNumSteps(r.memory, MOST_STEPS));
  must(&r, IDASetStopTime(r.memory, p->end));
  bench_result out = go(&r, tolerance, ida_advance, setting);
  IDAGetNumSteps(r.memory, &out.steps), IDAGetNumResEvals(r.memory, &out.evaluations);
  IDAGetNumJacEvals(r.memory, &out.jacobians);
  IDAGetNumLinSolvSetups(r.memory, &out.factorisations);
  long by_differences = 0;
  IDAGetNumLinResEvals(r.memory, &by_differences), out.evaluations += by_differences;
  IDAFree(&r.memory), run_end(&r);
  return out;
}

bench_result sundials_ida(const peer_problem *p, double tolerance) {
  return ida(p, tolerance, absolute(p, tolerance), "IDA index 2");
}
bench_result sundials_ida_loose(const peer_problem *p, double tolerance) {
  return ida(p, tolerance, 1e3, "IDA index 2 loose");
}

static int cvode_advance(sundials_run *r, double end, sunrealtype *t, bool one) {
  return CVode(r->memory, end, r->y, t, one ? CV_ONE_STEP : CV_NORMAL);
}
static bench_result cvode(const peer_problem *p, double tolerance, int method, bool projected,
                          const char *setting) {
  sundials_run r = run_new(p, p->n);
  memcpy(AT(r.y), p->start, (size_t)p->n * sizeof(double));
  r.memory = CVodeCreate(method, r.context);
  must(&r, CVodeInit(r.memory, rhs, 0, r.y));
  must(&r, CVodeSStolerances(r.memory, tolerance, absolute(p, tolerance)));
  must(&r, CVodeSetUserData(r.memory, &r));
  must(&r, CVodeSetLinearSolver(r.memory, r.linear, r.matrix));
  if (p->jacobian) must(&r, CVodeSetJacFn(r.memory, jacobian));
  if (projected)
    must(&r, CVodeSetProjFn(r.memory, project)), must(&r, CVodeSetProjErrEst(r.memory, 0));
  must(&r, CVodeSetMaxNumSteps(r.memory, MOST_STEPS));
  must(&r, CVodeSetStopTime(r.memory, p->end));
  bench_result out = go(&r, tolerance, cvode_advance, setting);
  CVodeGetNumSteps(r.memory, &out.steps), CVodeGetNumRhsEvals(r.memory, &out.evaluations);
  CVodeGetNumJacEvals(r.memory, &out.jacobians);
  CVodeGetNumLinSolvSetups(r.memory, &out.factorisations);
  CVodeFree(&r.memory), run_end(&r);
  return out;
}
bench_result sundials_cvode_projected(const peer_problem *p, double tolerance) {
  return cvode(p, tolerance, CV_BDF, true, "CVODE BDF projected");
}
bench_result sundials_cvode_bdf(const peer_problem *p, double tolerance) {
  return cvode(p, tolerance, CV_BDF, false, "CVODE BDF");
}
bench_result sundials_cvode_adams(const peer_problem *p, double tolerance) {
  return cvode(p, tolerance, CV_ADAMS, false, "CVODE Adams");
}

static int arkode_advance(sundials_run *r, double end, sunrealtype *t, bool one) {
  return ERKStepEvolve(r->memory, end, r->y, t, one ? ARK_ONE_STEP : ARK_NORMAL);
}
static bench_result arkode(const peer_problem *p, double tolerance, ARKODE_ERKTableID table,
                           const char *setting) {
  sundials_run r = run_new(p, p->n);
  memcpy(AT(r.y), p->start, (size_t)p->n * sizeof(double));
  r.memory = ERKStepCreate(rhs, 0, r.y, r.context);
  must(&r, ERKStepSetTableNum(r.memory, table));
  must(&r, ERKStepSStolerances(r.memory, tolerance, absolute(p, tolerance)));
  must(&r, ERKStepSetUserData(r.memory, &r));
  must(&r, ERKStepSetMaxNumSteps(r.memory, MOST_STEPS));
  must(&r, ERKStepSetStopTime(r.memory, p->end));
  bench_result out = go(&r, tolerance, arkode_advance, setting);
  long steps = 0;
  ERKStepGetNumSteps(r.memory, &steps), ERKStepGetNumRhsEvals(r.memory, &out.evaluations);
  out.steps = steps;
  ERKStepFree(&r.memory), run_end(&r);
  return out;
}
bench_result sundials_arkode_5(const peer_problem *p, double tolerance) {
  return arkode(p, tolerance, ARKODE_DORMAND_PRINCE_7_4_5, "ARKODE order 5");
}
bench_result sundials_arkode_8(const peer_problem *p, double tolerance) {
  return arkode(p, tolerance, ARKODE_FEHLBERG_13_7_8, "ARKODE order 8");
}
