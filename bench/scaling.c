/* What a step costs in systems of growing size: CPU time and memory, the least of several blocks of
 * steps, and the exponents by which they grow. Chains and rows of pendula must be linear; charges
 * of which each acts on all others are quadratic.
 *
 * Every size runs in a process of its own, so that its memory is its own too. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "measure.h"

enum { SIZES = 10 };

typedef struct family {
  const char *name, *model, *method;
  double step;     /* constant steps of this size over n; 0: adaptive ones */
  int n[SIZES];    /* up to a 0 */
  int fit;         /* the exponent is that of sizes from here on */
  double target;   /* of the time of a step; 0: none */
  int most_native; /* sizes beyond are not compiled */
} family;

static const family families[] = {
    /* its velocities grow like n, so steps are 1/n */
    {"chain of rods (mechN)",
     "models/papers/mech.ritt",
     "dopri54",
     0.01,
     {6, 50, 200, 1000, 3000, 10000, 30000, 100000},
     1000,
     1.05,
     100000},
    {"coupled pendula",
     "bench/models/pendula.ritt",
     "dopri54",
     0,
     {6, 50, 200, 1000, 3000, 10000, 30000, 100000},
     1000,
     0,
     100000},
    {"Fekete's points",
     "bench/models/fekete.ritt",
     "dop853",
     0,
     {20, 50, 100, 200, 500},
     50,
     0,
     100},
};

typedef struct cost {
  double ready, step, megabytes; /* seconds until a solver is there, of a step */
} cost;

static double megabytes(void) {
  struct rusage u;
  return getrusage(RUSAGE_SELF, &u) == 0 ? (double)u.ru_maxrss / 1024 : 0;
}

/* The least time of a step over blocks of them that together take about a second. */
static bool time_steps(ritt_solver *S, double end, double *least) {
  double spent = 0;
  int block = 1;
  *least = INFINITY;
  for (int i = 0; i < 4 || (i < 30 && spent < (bench_quick() ? 0.2 : 1)); i++) {
    double began = bench_now();
    for (int k = 0; k < block; k++)
      if (ritt_solver_step(S, end, NULL) != RITT_OK) return false;
    double took = bench_now() - began;
    if (i > 1) *least = fmin(*least, took / block); /* the first ones find the size of the step */
    spent += took;
    if (took < 0.005 && block < 4096) block *= 2;
  }
  return true;
}

static bool measure(const family *f, int n, const char *native, cost *out) {
  bench_model m = bench_open(f->model);
  ritt_options o = ritt_options_default();
  ritt_solver *S;
  char size[16];
  double began = bench_now();
  snprintf(size, sizeof size, "%d", n);
  o.method = f->method, o.constant_step = f->step / n, o.tolerance = f->step > 0 ? 0 : 1e-6;
  if (bench_native() && !bench_option(&o, "native", native)) return false;
  if (ritt_model_set(m.model, "n", size, m.error) != RITT_OK ||
      ritt_solver_from_model(m.model, &o, m.error, &S) != RITT_OK) {
    bench_complain(&m, f->name);
    return false;
  }
  out->ready = bench_now() - began;
  bool good = time_steps(S, 1e6, &out->step);
  out->megabytes = megabytes();
  return good;
}

/* The same in a process of its own, which may take `limit` seconds. */
static bool measure_apart(const family *f, int n, const char *native, unsigned limit, cost *out) {
  int ends[2], state;
  if (pipe(ends)) return false;
  pid_t child = fork();
  if (child == 0) {
    alarm(limit);
    bool good = measure(f, n, native, out);
    _exit(!good || write(ends[1], out, sizeof *out) < 0);
  }
  close(ends[1]);
  bool good = child > 0 && read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
  close(ends[0]);
  return child > 0 && waitpid(child, &state, 0) == child && good;
}

/* The slope of log(y) over log(x), by least squares. */
static double slope(int count, const double *x, const double *y) {
  double a = 0, b = 0, aa = 0, ab = 0;
  for (int i = 0; i < count; i++) {
    double u = log(x[i]), v = log(y[i]);
    a += u, b += v, aa += u * u, ab += u * v;
  }
  return count > 1 ? (count * ab - a * b) / (count * aa - a * a) : NAN;
}

static void run_family(const family *f, const char *native, FILE *csv) {
  const char *program = strcmp(native, "never") == 0 ? "interpreter" : "native";
  double n[SIZES], step[SIZES], memory[SIZES];
  int count = 0;
  printf("\n%s, %s, %s\n%10s %10s %12s %14s %10s\n", f->name, f->method, program, "n", "ready s",
         "us a step", "ns a body", "MB");
  for (int i = 0; i < SIZES && f->n[i]; i++) {
    cost c;
    if (strcmp(native, "never") != 0 && f->n[i] > f->most_native) break;
    if (bench_quick() && f->n[i] > 10000) break;
    if (!measure_apart(f, f->n[i], native, 300, &c)) {
      printf("%10d failed\n", f->n[i]);
      break;
    }
    printf("%10d %10.3f %12.2f %14.1f %10.1f\n", f->n[i], c.ready, 1e6 * c.step,
           1e9 * c.step / f->n[i], c.megabytes);
    fflush(stdout);
    BENCH_CSV(csv, "%s,%s,%d,%.4g,%.6g,%.4g\n", f->name, program, f->n[i], c.ready, 1e6 * c.step,
              c.megabytes);
    if (f->n[i] < f->fit) continue;
    n[count] = f->n[i], step[count] = c.step, memory[count++] = c.megabytes;
  }
  printf("%10s %10s %12.3f %14s %10.3f\n", "exponent", "", slope(count, n, step), "",
         slope(count, n, memory));
  char what[128];
  snprintf(what, sizeof what, "%s, %s: exponent of the time of a step, %d to %.0f bodies", f->name,
           program, f->fit, count ? n[count - 1] : 0);
  if (f->target > 0) bench_target(what, slope(count, n, step), false, f->target);
}

int main(void) {
  FILE *csv = bench_csv("scaling", "family,program,n,ready s,us a step,MB");
  printf("What a step costs in systems of growing size\n");
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    run_family(&families[i], "never", csv);
    if (bench_native()) run_family(&families[i], "always", csv);
  }
  bench_end(csv);
  return 0;
}
