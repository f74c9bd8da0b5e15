/* Progress and interrupts. The library knows neither signals nor terminals: it calls the program
 * after every step. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "cli.h"

/* ---- interrupts ---- */

static atomic_int interrupted; /* a signal has arrived */
static atomic_int caught;      /* a run checks `interrupted` */

/* The signal handler. Before a run, and at the second signal, the program and its children end at
 * once. */
static void handle_interrupt(int number) {
  if (caught && !interrupted) {
    interrupted = 1;
    return;
  }
  if (ritti_file_signal_waits(number)) return;
  ritti_output_end_children();
  signal(number, SIG_DFL);
  raise(number);
}

/* Signals that are ignored, for example in a background job, stay ignored. */
void cli_take_interrupts(void) {
  static const int signals[] = {SIGINT, SIGTERM};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction old, action = {.sa_handler = handle_interrupt};
    sigemptyset(&action.sa_mask);
    if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(signals[i], &action, NULL);
  }
}

void cli_catch_interrupts(void) {
  interrupted = 0; /* a signal before the run does not end it */
  caught = 1;
  cli_take_interrupts();
}

bool cli_was_interrupted(void) { return interrupted || cli_time_is_up(); }

/* ---- progress ---- */

void cli_progress_begin(cli_progress *p, const char *variable, bool quiet) {
  *p = (cli_progress){
      .variable = variable, .shown = !quiet && isatty(STDERR_FILENO), .began = ritti_clock()};
}

/* Writes a time as "45 s", "12:03" or "5:00:12". */
static void write_time(char text[32], double seconds) {
  if (!(seconds < 360000)) snprintf(text, 32, "days");
  else if (seconds < 100) snprintf(text, 32, "%.0f s", seconds);
  else if (seconds < 3600) snprintf(text, 32, "%d:%02d", (int)seconds / 60, (int)seconds % 60);
  else
    snprintf(text, 32, "%d:%02d:%02d", (int)seconds / 3600, (int)seconds / 60 % 60,
             (int)seconds % 60);
}

/* Measures the speed of the run's variable: at first over the whole run, then with more weight on
 * recent steps. */
static void measure_rate(cli_progress *p, const ritt_progress *s, double time) {
  double recent = (s->x - p->rate_x) / (time - p->last);
  p->rate = p->last == p->began ? recent : 0.8 * p->rate + 0.2 * recent;
  p->rate_x = s->x;
}

/* Is it time to print the line again? */
static bool is_due(cli_progress *p, double time, double from) {
  enum { FIRST = 1 }; /* seconds */
  const double pause = 0.2;
  if (p->last == 0) {
    p->last = p->began;
    p->rate_x = from;
  }
  return time - p->began >= FIRST && time - p->last >= pause;
}

void cli_progress_runs(cli_progress *p, long done, long runs, long failed) {
  double time = ritti_clock();
  if (!p->shown || !is_due(p, time, 0)) return;
  p->last = time;

  /* estimate the remaining time from the finished runs */
  char left[32] = "";
  write_time(left, (time - p->began) / (double)done * (double)(runs - done));
  fprintf(stderr, "\r%ld of %ld runs (%.1f %%), ", done, runs, 100.0 * (double)done / (double)runs);
  if (failed) fprintf(stderr, "%ld failed, ", failed);
  double rate = (double)done / (time - p->began);
  fprintf(stderr, rate < 100 ? "%.3g runs/s, %s left\033[K" : "%.0f runs/s, %s left\033[K", rate,
          left);
  fflush(stderr);
  p->there = true;
}

void cli_progress_step(cli_progress *p, const ritt_progress *s) {
  if (!p->shown) return;
  double time = ritti_clock();
  if (!is_due(p, time, s->x)) return;
  measure_rate(p, s, time);
  p->last = time;

  /* estimate the remaining time from the speed */
  char left[32] = "";
  write_time(left, (s->end - s->x) / p->rate);
  double part = (s->x - s->from) / (s->end - s->from);
  fprintf(stderr, "\r%.8s = %.6g of %.6g (%.1f %%), step %.1e, %ld steps, %s left\033[K",
          p->variable, s->x, s->end, 100 * part, fabs(s->step), s->accepted, left);
  fflush(stderr);
  p->there = true;
}

void cli_progress_end(cli_progress *p) {
  if (p->there) fputs("\r\033[K", stderr);
  p->there = false;
}
