/* From the text to a system that is ready to step, for families of any size: CPU time of reading,
 * of completing and of making evaluators (the least of several tries), the memory of the process,
 * and the exponent by which each grows from n = 1000 on, which is 1 where everything is linear.
 * Arguments: the largest n (100 000), tries (3).
 *
 * Every size runs in a process of its own, so that its memory is its own too. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "api/pipeline.h"

static const struct {
  const char *name, *text; /* text NULL: models/papers/mech.ritt */
} families[] = {
    {"chain of rods (lagrangian, constraint)", NULL},
    {"heat equation by lines",
     "model heat\n"
     "parameter n = 6\n"
     "variable u[1..n]\n"
     "equation\n"
     "  for i in 1..n: u[i]' = n^2*((if i > 1 then u[i-1] else 0) - 2*u[i] + (if i < n then u[i+1] else 0))\n"
     "start t = 0\n"
     "  for i in 1..n: u[i] = sin(pi*i/(n+1))\n"
     "solve t = 0 .. 1\n"
     "output u[1]\n"},
    {"Fermi-Pasta-Ulam chain (hamiltonian)",
     "model fpu\n"
     "parameter n = 6, a = 1/4\n"
     "variable q[1..n], p[1..n]\n"
     "canonical q, p\n"
     "hamiltonian sum(i in 1..n, p[i]^2/2) + sum(i in 1..n-1, (q[i+1] - q[i])^2/2 + a*(q[i+1] - q[i])^3/3)\n"
     "start t = 0\n"
     "  for i in 1..n: q[i] = sin(pi*i/(n+1))\n"
     "  for i in 1..n: p[i] = 0\n"
     "solve t = 0 .. 1\n"
     "output q[1]\n"},
};

enum { READ, COMPLETE, READY, MEMORY, FIELDS };

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The three times of one system. */
static ritt_status make(int family, const char *n, double *spent) {
  ritt_model *M;
  ritti_reduced *reduced;
  ritti_problem *problem;
  ritt_check check = {0};
  ritti_arena *arena = ritti_arena_new();
  const char *text = families[family].text;
  double start = seconds();
  if (text) RITT_TRY(ritt_model_read_text(text, strlen(text), "family", NULL, &M));
  else RITT_TRY(ritt_model_read_file(RITT_SOURCE_DIR "/models/papers/mech.ritt", NULL, &M));
  RITT_TRY(ritt_model_set(M, "n", n, NULL));
  spent[READ] = seconds() - start;
  RITT_TRY(ritti_complete(M->model, arena, NULL, &check, &reduced));
  spent[COMPLETE] = seconds() - start - spent[READ];
  RITT_TRY(ritti_problem_make(reduced, &M->model->output[0].expr, 1, arena, NULL, &problem));
  spent[READY] = seconds() - start - spent[READ] - spent[COMPLETE];
  return RITT_OK;
}

/* The same in a process of its own, with its memory in MB; false: it failed. */
static bool try_once(int family, const char *n, double *spent) {
  int ends[2], state;
  const size_t bytes = FIELDS * sizeof *spent;
  if (pipe(ends)) return false;
  pid_t child = fork();
  if (child == 0) {
    struct rusage usage;
    bool good = make(family, n, spent) == RITT_OK && getrusage(RUSAGE_SELF, &usage) == 0;
    spent[MEMORY] = good ? (double)usage.ru_maxrss / 1024 : 0;
    _exit(!good || write(ends[1], spent, bytes) < 0);
  }
  close(ends[1]);
  bool good = child > 0 && read(ends[0], spent, bytes) == (ssize_t)bytes;
  close(ends[0]);
  return child > 0 && waitpid(child, &state, 0) == child && good;
}

/* The slope of log(value) over log(n), by least squares. */
static double slope(int count, const double *n, double (*value)[FIELDS], int field) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < count; i++) {
    double a = log(n[i]), b = log(value[i][field]);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

static void measure(int family, double most, int tries) {
  static const char *const size[] = {"6", "24", "50", "1000", "10000", "100000"};
  double large[6], value[6][FIELDS];
  int count = 0;
  printf("%s\n%10s %10s %10s %10s %10s %14s %10s\n", families[family].name, "n", "read s",
         "complete s", "ready s", "all s", "us per member", "MB");
  for (size_t i = 0; i < sizeof size / sizeof *size && atof(size[i]) <= most; i++) {
    double best[FIELDS] = {INFINITY, INFINITY, INFINITY, INFINITY}, spent[FIELDS];
    for (int k = 0; k < tries; k++) {
      if (!try_once(family, size[i], spent)) {
        printf("%10s failed\n", size[i]);
        return;
      }
      for (int f = 0; f < FIELDS; f++) best[f] = fmin(best[f], spent[f]);
    }
    double all = best[READ] + best[COMPLETE] + best[READY];
    printf("%10s %10.4f %10.4f %10.4f %10.4f %14.1f %10.0f\n", size[i], best[READ], best[COMPLETE],
           best[READY], all, 1e6 * all / atof(size[i]), best[MEMORY]);
    fflush(stdout);
    if (atof(size[i]) < 1000) continue;
    large[count] = atof(size[i]);
    memcpy(value[count++], best, sizeof best);
  }
  if (count > 1)
    printf("%10s %10.2f %10.2f %10.2f %10s %14s %10.2f\n\n", "exponent",
           slope(count, large, value, READ), slope(count, large, value, COMPLETE),
           slope(count, large, value, READY), "", "", slope(count, large, value, MEMORY));
}

int main(int count, char **word) {
  double most = count > 1 ? atof(word[1]) : 1e5;
  int tries = count > 2 ? atoi(word[2]) : 3;
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) measure((int)i, most, tries);
  return 0;
}
