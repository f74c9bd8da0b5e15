/* What `ritt run` takes from its start to its end on the pendulum: CPU time of the process, and the
 * time on the clock, the least of several. Argument: the program. */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "measure.h"

static double clock_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CPU seconds of all children so far */
static double children(void) {
  struct rusage u;
  getrusage(RUSAGE_CHILDREN, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static bool once(const char *program, const char *const *words) {
  int state;
  pid_t child = fork();
  if (child == 0) {
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 1), dup2(null, 2);
    execv(program, (char *const *)words);
    _exit(127);
  }
  return child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state) &&
         WEXITSTATUS(state) == 0;
}

int main(int count, char **word) {
  if (count < 2) return 2;
  const char *model = RITT_SOURCE_DIR "/models/classics/pendulum/pendulum.ritt";
  const struct {
    const char *name, *words[8];
  } cases[] = {{"ritt run pendulum.ritt --to 0.001", {word[1], "run", model, "--to", "0.001"}},
               {"ritt run pendulum.ritt", {word[1], "run", model}},
               {"ritt check pendulum.ritt", {word[1], "check", model}}};
  FILE *csv = bench_csv("startup", "command,CPU ms,ms");
  printf("Start-up\n%-40s %10s %10s\n", "command", "CPU ms", "clock ms");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double cpu = INFINITY, wall = INFINITY;
    for (int k = 0; k < (bench_quick() ? 5 : 20); k++) {
      double before = children(), began = clock_now();
      if (!once(word[1], cases[i].words)) return 1;
      cpu = fmin(cpu, children() - before), wall = fmin(wall, clock_now() - began);
    }
    printf("%-40s %10.2f %10.2f\n", cases[i].name, 1e3 * cpu, 1e3 * wall);
    BENCH_CSV(csv, "%s,%.3g,%.3g\n", cases[i].name, 1e3 * cpu, 1e3 * wall);
    if (i == 1)
      bench_target("start to end of `ritt run` on the pendulum, CPU ms", 1e3 * cpu, false, 20);
  }
  bench_end(csv);
  return 0;
}
