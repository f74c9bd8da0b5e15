/* Limits of time and memory: --max-time, --max-memory. Time is wall-clock time from the start of
 * the command. A run that exceeds it ends at its next step like an interrupted one, with complete
 * files; before the first step there is nothing to keep, and the program ends at once. Beyond the
 * memory limit allocations fail. Ritt survives failed allocations; GMP does not, so its allocation
 * functions end the program with a message. */
#include <gmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#include "cli.h"

static atomic_int over;    /* the time is up */
static atomic_int running; /* a run has begun: it ends at its next step */

/* Ends the program with a message; safe in signal handlers. */
static _Noreturn void end_now(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(3);
  _exit(3);
}

/* The handler of the timer's signal. */
static void time_is_up(int signal_number) {
  (void)signal_number;
  over = 1;
  if (running) return;
  ritti_output_end_children();
  end_now("ritt: error: the time is up (--max-time), and the run has not begun\n"
          "  hint: allow more time, or see what 'ritt check' says of the model\n");
}

bool cli_time_is_up(void) { return over; }
void cli_limits_run(bool begins) { running = begins; }

/* Allocation functions for GMP. */
static const char no_memory[] =
    "ritt: error: out of memory\n  hint: allow more with --max-memory, or make the model smaller\n";
static void *gmp_new(size_t size) {
  void *p = malloc(size);
  if (!p) end_now(no_memory);
  return p;
}
static void *gmp_resize(void *old, size_t before, size_t size) {
  (void)before;
  void *p = realloc(old, size);
  if (!p) end_now(no_memory);
  return p;
}
static void gmp_drop(void *p, size_t size) {
  (void)size;
  free(p);
}

/* OpenBLAS allocates its working memory in its first call, and hangs if it does not get any. So
 * this call is made before memory is limited. */
extern void dgetrf_(const int *rows, const int *columns, double *a, const int *lda, int *pivots,
                    int *info);
static void warm_up(void) {
  enum { N = 256 };
  const int n = N;
  int info, pivots[N];
  double *a = calloc(N * N, sizeof *a);
  for (int i = 0; a && i < N; i++) a[i * N + i] = 1;
  if (a) dgetrf_(&n, &n, a, &n, pivots, &info);
  free(a);
}

/* Without memory the threads of OpenBLAS do not end, and the program waits for them at its end:
 * lift the limit before. */
void cli_limits_lift(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(3);
}

ritt_status cli_limits_set(const cli_options *options, ritt_error *error) {
  mp_set_memory_functions(gmp_new, gmp_resize, gmp_drop);

  /* limit the address space */
  if (options->max_memory > 0) {
    warm_up();
    struct rlimit limit = {.rlim_cur = (rlim_t)options->max_memory << 20,
                           .rlim_max = RLIM_INFINITY};
    struct rlimit old;
    if (getrlimit(RLIMIT_AS, &old) == 0) limit.rlim_max = old.rlim_max;
    if (options->max_memory > (1L << 40) || setrlimit(RLIMIT_AS, &limit) != 0)
      return ritti_fail(error, RITT_SYSTEM, NULL, "leave --max-memory out",
                        "memory cannot be limited to %ld MiB here", options->max_memory);
  }

  /* set a timer */
  if (options->max_time > 0) {
    double seconds = options->max_time < 1e8 ? options->max_time : 1e8;
    struct sigaction action = {.sa_handler = time_is_up};
    struct itimerval timer = {
        .it_value = {(time_t)seconds, (suseconds_t)(1e6 * (seconds - (double)(time_t)seconds))}};
    if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) timer.it_value.tv_usec = 1;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGALRM, &action, NULL) != 0 || setitimer(ITIMER_REAL, &timer, NULL) != 0)
      return ritti_fail(error, RITT_SYSTEM, NULL, "leave --max-time out",
                        "time cannot be limited here");
  }
  return RITT_OK;
}
