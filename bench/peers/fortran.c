/* Codes in Fortran on a peer_problem: RADAU5, RADAU and RODAS of Hairer and Wanner, loaded from the
 * shared library that RITT_PEERS names (gfortran -O2 -fPIC -shared radau5.f ...). Systems whose
 * matrix of the derivatives is singular are given as M y' = f with a constant M. */
#include "solvers.h"

#include <dlfcn.h>

typedef void rhs_code(int *n, double *t, double *y, double *out, double *real, int *integer);
typedef void jacobian_code(int *n, double *t, double *y, double *out, int *rows, double *real,
                           int *integer);
typedef void mass_code(int *n, double *out, int *rows, double *real, int *integer);
typedef void no_code(void);
typedef void radau_code(int *n, rhs_code *rhs, double *t, double *y, double *end, double *h,
                        double *relative, double *absolute, int *itol, jacobian_code *jacobian,
                        int *ijac, int *mljac, int *mujac, mass_code *mass, int *imas, int *mlmas,
                        int *mumas, no_code *output, int *iout, double *work, int *lwork,
                        int *iwork, int *liwork, double *real, int *integer, int *done);
typedef void rodas_code(int *n, rhs_code *rhs, int *ifcn, double *t, double *y, double *end,
                        double *h, double *relative, double *absolute, int *itol,
                        jacobian_code *jacobian, int *ijac, int *mljac, int *mujac,
                        no_code *by_time, int *idfx, mass_code *mass, int *imas, int *mlmas,
                        int *mumas, no_code *output, int *iout, double *work, int *lwork,
                        int *iwork, int *liwork, double *real, int *integer, int *done);

static void *find_code(const char *name) {
  static void *library;
  const char *path = getenv("RITT_PEERS");
  if (!library && path) library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, name) : NULL;
}

/* ---- the functions: of the problem at hand ---- */

static const peer_problem *current;

static void call_rhs(int *n, double *t, double *y, double *out, double *real, int *integer) {
  static const double zero[PEER_MOST];
  (void)real, (void)integer;
  if (current->rhs) {
    current->rhs(*t, y, out);
    return;
  }
  current->residual(*t, y, zero, out);
  for (int i = 0; i < *n; i++) out[i] = -out[i];
}

static void call_jacobian(int *n, double *t, double *y, double *out, int *rows, double *real,
                          int *integer) {
  static const double zero[PEER_MOST];
  (void)rows, (void)real, (void)integer;
  if (current->rhs) {
    current->jacobian(*t, y, out);
    return;
  }
  current->dae_jacobian(*t, 0, y, zero, out);
  for (int i = 0; i < *n * *n; i++) out[i] = -out[i];
}

static void call_mass(int *n, double *out, int *rows, double *real, int *integer) {
  static double without[64 * 64];
  double y[PEER_MOST], derivative[PEER_MOST];
  (void)rows, (void)real, (void)integer;
  current->dae_start(y, derivative);
  current->dae_jacobian(0, 1, y, derivative, out);
  current->dae_jacobian(0, 0, y, derivative, without);
  for (int i = 0; i < *n * *n; i++) out[i] -= without[i];
}

static void do_nothing(void) {}

/* ---- runs ---- */

static bench_result run_code(const peer_problem *p, double tolerance, const char *name) {
  enum { MOST = 64, STAGES = 7, WORK = MOST * ((STAGES + 2) * MOST + 3 * STAGES + 20) + 20 };
  static double work[WORK];
  int n = p->rhs ? p->n : p->dae, iwork[20 + 9 * MOST] = {0}, no = 0;
  int lwork = WORK, liwork = sizeof iwork / sizeof *iwork, full = n, done = 0, integer = 0;
  int has_jacobian = p->rhs ? p->jacobian != NULL : 1, singular = p->rhs == NULL;
  double y[PEER_MOST], derivative[PEER_MOST], t = 0, end = p->end, h = 1e-6 * p->end, real = 0;
  double absolute = tolerance * (p->absolute > 0 ? p->absolute : 1);
  bench_result out = {.tolerance = tolerance, .error = 1, .seconds = INFINITY};
  union {
    void *found;
    radau_code *radau;
    rodas_code *rodas;
  } code = {find_code(name)};
  snprintf(out.setting, sizeof out.setting, "%s", name);
  if (!code.found || n > MOST || (!p->rhs && !p->dae_jacobian)) return out;
  memset(work, 0, 20 * sizeof *work);
  iwork[1] = 1000000;
  if (p->rhs) memcpy(y, p->start, (size_t)n * sizeof *y);
  else p->dae_start(y, derivative);
  current = p;

  double began = bench_now();
  if (!strcmp(name, "rodas_")) {
    int autonomous = 1;
    iwork[1] = 0;
    iwork[0] = 1000000;
    code.rodas(&n, call_rhs, &autonomous, &t, y, &end, &h, &tolerance, &absolute, &no,
               call_jacobian, &has_jacobian, &full, &full, do_nothing, &no, call_mass, &singular,
               &full, &full, do_nothing, &no, work, &lwork, iwork, &liwork, &real, &integer, &done);
  } else
    code.radau(&n, call_rhs, &t, y, &end, &h, &tolerance, &absolute, &no, call_jacobian,
               &has_jacobian, &full, &full, call_mass, &singular, &full, &full, do_nothing, &no,
               work, &lwork, iwork, &liwork, &real, &integer, &done);
  out.seconds = bench_now() - began;
  out.done = done > 0;
  out.steps = iwork[16] + iwork[17];
  out.evaluations = iwork[13];
  out.jacobians = iwork[14];
  out.factorisations = iwork[18];
  if (out.done) out.error = bench_error(y, p->exact, p->compared, p->relative);
  return out;
}

bench_result fortran_radau5(const peer_problem *p, double tolerance) {
  return run_code(p, tolerance, "radau5_");
}
bench_result fortran_radau(const peer_problem *p, double tolerance) {
  return run_code(p, tolerance, "radau_");
}
bench_result fortran_rodas(const peer_problem *p, double tolerance) {
  return run_code(p, tolerance, "rodas_");
}
