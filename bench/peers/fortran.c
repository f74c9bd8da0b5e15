/* Codes in Fortran on a peer_problem, loaded from the shared library that RITT_PEERS names (gfortran
 * -O2 -fPIC -shared radau5.f ...): RADAU5, RADAU and RODAS of Hairer and Wanner, for which systems
 * whose matrix of the derivatives is singular are given as M y' = f with a constant M; PSIDE of de
 * Swart, Lioen and van der Veen; MEBDFI of Abdulla and Cash, with the arguments that it has in the
 * package deTestSet of R. All but PSIDE can have Jacobians by hand or by differences. */
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

typedef void pside_residual(int *n, double *t, double *y, double *derivative, double *out,
                            int *error, double *real, int *integer);
typedef void pside_code(int *n, double *y, double *derivative, pside_residual *residual,
                        int *by_differences, int *nlj, int *nuj, no_code *jacobian,
                        int *mass_by_differences, int *nlm, int *num, no_code *mass, double *t,
                        double *end, double *relative, double *absolute, int *index, int *lwork,
                        double *work, int *liwork, int *iwork, double *real, int *integer,
                        int *done);
typedef void mebdfi_residual(double *t, double *y, double *derivative, double *c, double *out,
                             int *error, double *real, int *integer);
typedef void mebdfi_jacobian(double *t, double *y, double *derivative, double *out, double *c,
                             double *real, int *integer);
typedef void mebdfi_code(int *n, double *t, double *h, double *y, double *derivative, double *out,
                         double *end, int *mf, int *done, int *lwork, double *work, int *liwork,
                         int *iwork, int *band, int *most, int *itol, double *relative,
                         double *absolute, double *real, int *integer, mebdfi_jacobian *jacobian,
                         mebdfi_residual *residual, int *error);

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

static void call_residual(int *n, double *t, double *y, double *derivative, double *out, int *error,
                          double *real, int *integer) {
  (void)n, (void)error, (void)real, (void)integer;
  current->residual(*t, y, derivative, out);
}
static void call_mebdfi_residual(double *t, double *y, double *derivative, double *c, double *out,
                                 int *error, double *real, int *integer) {
  (void)c, (void)error, (void)real, (void)integer;
  current->residual(*t, y, derivative, out);
}
static void call_mebdfi_jacobian(double *t, double *y, double *derivative, double *out, double *c,
                                 double *real, int *integer) {
  (void)real, (void)integer;
  current->dae_jacobian(*t, *c, y, derivative, out);
}

/* ---- runs ---- */

static bench_result run_code(const peer_problem *p, double tolerance, const char *name,
                             bool by_hand) {
  enum { MOST = 64, STAGES = 7, WORK = MOST * ((STAGES + 2) * MOST + 3 * STAGES + 20) + 20 };
  static double work[WORK];
  int n = p->rhs ? p->n : p->dae, iwork[20 + 9 * MOST] = {0}, no = 0;
  int lwork = WORK, liwork = sizeof iwork / sizeof *iwork, full = n, done = 0, integer = 0;
  int has_jacobian = by_hand && (!p->rhs || p->jacobian), singular = p->rhs == NULL;
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

/* PSIDE and MEBDFI take F(t, y, y') = 0. */
static bench_result run_residual_code(const peer_problem *p, double tolerance, const char *name,
                                      bool by_hand) {
  enum { MOST = 64, WORK = 6 * MOST * MOST + 40 * MOST + 20 };
  static double work[WORK];
  int n = p->dae, iwork[20 + 4 * MOST] = {0}, lwork = WORK, liwork = sizeof iwork / sizeof *iwork;
  int full = n, yes = 1, index = 1, integer = 0, error = 0, done = 0, band[4] = {n, n, n, n};
  int scalars = 2, order = 7, mf = by_hand ? 21 : 22;
  double y[PEER_MOST], derivative[PEER_MOST], t = 0, end = p->end, h = 1e-6 * p->end, real = 0;
  double absolute = tolerance * (p->absolute > 0 ? p->absolute : 1);
  bench_result out = {.tolerance = tolerance, .error = 1, .seconds = INFINITY};
  union {
    void *found;
    pside_code *pside;
    mebdfi_code *mebdfi;
  } code = {find_code(name)};
  snprintf(out.setting, sizeof out.setting, "%s", name);
  if (!code.found || n == 0 || n > MOST || (by_hand && !p->dae_jacobian)) return out;
  memset(work, 0, 20 * sizeof *work);
  p->dae_start(y, derivative);
  current = p;

  double began = bench_now();
  if (!strcmp(name, "pside_")) {
    code.pside(&n, y, derivative, call_residual, &yes, &full, &full, do_nothing, &yes, &full, &full,
               do_nothing, &t, &end, &tolerance, &absolute, &index, &lwork, work, &liwork, iwork,
               &real, &integer, &done);
    out.done = done == 1;
    out.steps = iwork[14], out.evaluations = iwork[10];
    out.jacobians = iwork[11], out.factorisations = iwork[12];
  } else {
    iwork[0] = n, iwork[13] = 1000000, done = 1;
    for (int call = 0; call < 2 && (call == 0 || done == 1); call++) {
      if (call) done = 0;
      code.mebdfi(&n, &t, &h, y, derivative, &end, &end, &mf, &done, &lwork, work, &liwork, iwork,
                  band, &order, &scalars, &tolerance, &absolute, &real, &integer,
                  call_mebdfi_jacobian, call_mebdfi_residual, &error);
    }
    out.done = done == 0;
    out.steps = iwork[4] + iwork[5], out.evaluations = iwork[6];
    out.jacobians = iwork[7], out.factorisations = iwork[8];
  }
  out.seconds = bench_now() - began;
  if (out.done) out.error = bench_error(y, p->exact, p->compared, p->relative);
  return out;
}

#define CODE(word, symbol, run, by_hand)                                                           \
  bench_result word(const peer_problem *p, double tolerance) {                                     \
    return run(p, tolerance, symbol, by_hand);                                                     \
  }
CODE(fortran_radau5, "radau5_", run_code, true)
CODE(fortran_radau, "radau_", run_code, true)
CODE(fortran_rodas, "rodas_", run_code, true)
CODE(fortran_mebdfi, "mebdfi_", run_residual_code, true)
CODE(fortran_radau5_numeric, "radau5_", run_code, false)
CODE(fortran_radau_numeric, "radau_", run_code, false)
CODE(fortran_rodas_numeric, "rodas_", run_code, false)
CODE(fortran_mebdfi_numeric, "mebdfi_", run_residual_code, false)
CODE(fortran_pside_numeric, "pside_", run_residual_code, false)
