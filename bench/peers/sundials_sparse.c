/* CVODE and IDA with KLU on a sparse_problem, with its Jacobian by rows. */
#include "sparse.h"

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#if SUNDIALS_VERSION_MAJOR >= 7
#define WORLD SUN_COMM_NULL
#else
#define WORLD NULL
#endif
#define AT(v) N_VGetArrayPointer(v)
enum { MOST_STEPS = 5000000 };

typedef struct sparse_run {
  const sparse_problem *p;
  SUNContext context;
  N_Vector y, derivative;
  SUNMatrix matrix;
  SUNLinearSolver linear;
  void *memory;
  bool good;
} sparse_run;

static sparse_run begin_run(const sparse_problem *p) {
  sparse_run r = {.p = p};
  int n = p->unknowns;
  r.good = SUNContext_Create(WORLD, &r.context) == 0;
  r.y = N_VNew_Serial(n, r.context), r.derivative = N_VNew_Serial(n, r.context);
  r.matrix = SUNSparseMatrix(n, n, (sunindextype)SPARSE_MOST_IN_ROW * n, CSR_MAT, r.context);
  r.linear = SUNLinSol_KLU(r.y, r.matrix, r.context);
  p->start(p->size, AT(r.y));
  p->rhs(p->size, 0, AT(r.y), AT(r.derivative));
  return r;
}

static void end_run(sparse_run *r) {
  SUNLinSolFree(r->linear), SUNMatDestroy(r->matrix);
  N_VDestroy(r->y), N_VDestroy(r->derivative);
  SUNContext_Free(&r->context);
}

static void must(sparse_run *r, int status) { r->good = r->good && status >= 0; }

/* sign * df/dy, and c on the diagonal */
static void fill_matrix(const sparse_run *r, double t, const double *y, double sign, double c,
                        SUNMatrix J) {
  sunindextype *start = SUNSparseMatrix_IndexPointers(J), *to = SUNSparseMatrix_IndexValues(J);
  double *a = SUNSparseMatrix_Data(J), value[SPARSE_MOST_IN_ROW];
  int col[SPARSE_MOST_IN_ROW];
  sunindextype at = 0;
  for (int i = 0; i < r->p->unknowns; i++) {
    start[i] = at;
    int count = r->p->row(r->p->size, i, t, y, col, value);
    for (int e = 0; e < count; e++, at++)
      to[at] = col[e], a[at] = sign * value[e] + (col[e] == i ? c : 0);
  }
  start[r->p->unknowns] = at;
}

static int rhs(sunrealtype t, N_Vector y, N_Vector out, void *user) {
  const sparse_run *r = user;
  r->p->rhs(r->p->size, t, AT(y), AT(out));
  return 0;
}
static int jacobian(sunrealtype t, N_Vector y, N_Vector f, SUNMatrix J, void *user, N_Vector a,
                    N_Vector b, N_Vector c) {
  (void)f, (void)a, (void)b, (void)c;
  fill_matrix(user, t, AT(y), 1, 0, J);
  return 0;
}
static int residual(sunrealtype t, N_Vector y, N_Vector derivative, N_Vector out, void *user) {
  const sparse_run *r = user;
  r->p->rhs(r->p->size, t, AT(y), AT(out));
  for (int i = 0; i < r->p->unknowns; i++) AT(out)[i] = AT(derivative)[i] - AT(out)[i];
  return 0;
}
static int dae_jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector derivative, N_Vector f,
                        SUNMatrix J, void *user, N_Vector x, N_Vector z, N_Vector w) {
  (void)derivative, (void)f, (void)x, (void)z, (void)w;
  fill_matrix(user, t, AT(y), -1, c, J);
  return 0;
}

static void keep_end(const sparse_run *r, double t, double began, double *y, bench_result *out) {
  out->seconds = bench_now() - began;
  out->done = r->good && t >= r->p->end;
  if (y) memcpy(y, AT(r->y), (size_t)r->p->unknowns * sizeof *y);
}

bench_result sparse_cvode(const sparse_problem *p, double tolerance, double *y) {
  bench_result out = {.tolerance = tolerance, .error = 1, .seconds = INFINITY};
  sparse_run r = begin_run(p);
  sunrealtype t = 0;
  r.memory = CVodeCreate(CV_BDF, r.context);
  must(&r, CVodeInit(r.memory, rhs, 0, r.y));
  must(&r, CVodeSStolerances(r.memory, tolerance, tolerance));
  must(&r, CVodeSetUserData(r.memory, &r));
  must(&r, CVodeSetLinearSolver(r.memory, r.linear, r.matrix));
  must(&r, CVodeSetJacFn(r.memory, jacobian));
  must(&r, CVodeSetMaxNumSteps(r.memory, MOST_STEPS));
  must(&r, CVodeSetStopTime(r.memory, p->end));
  double began = bench_now();
  if (r.good) must(&r, CVode(r.memory, p->end, r.y, &t, CV_NORMAL));
  keep_end(&r, t, began, y, &out);
  CVodeGetNumSteps(r.memory, &out.steps), CVodeGetNumRhsEvals(r.memory, &out.evaluations);
  CVodeGetNumJacEvals(r.memory, &out.jacobians);
  CVodeGetNumLinSolvSetups(r.memory, &out.factorisations);
  CVodeFree(&r.memory), end_run(&r);
  return out;
}

bench_result sparse_ida(const sparse_problem *p, double tolerance, double *y) {
  bench_result out = {.tolerance = tolerance, .error = 1, .seconds = INFINITY};
  sparse_run r = begin_run(p);
  sunrealtype t = 0;
  r.memory = IDACreate(r.context);
  must(&r, IDAInit(r.memory, residual, 0, r.y, r.derivative));
  must(&r, IDASStolerances(r.memory, tolerance, tolerance));
  must(&r, IDASetUserData(r.memory, &r));
  must(&r, IDASetLinearSolver(r.memory, r.linear, r.matrix));
  must(&r, IDASetJacFn(r.memory, dae_jacobian));
  must(&r, IDASetMaxNumSteps(r.memory, MOST_STEPS));
  must(&r, IDASetStopTime(r.memory, p->end));
  double began = bench_now();
  if (r.good) must(&r, IDASolve(r.memory, p->end, &t, r.y, r.derivative, IDA_NORMAL));
  keep_end(&r, t, began, y, &out);
  IDAGetNumSteps(r.memory, &out.steps), IDAGetNumResEvals(r.memory, &out.evaluations);
  IDAGetNumJacEvals(r.memory, &out.jacobians);
  IDAGetNumLinSolvSetups(r.memory, &out.factorisations);
  IDAFree(&r.memory), end_run(&r);
  return out;
}
