/* The program: settings of the process as a whole. Everything else is in commands.c. */
#define _GNU_SOURCE /* pthread_setattr_default_np */
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#include "cli.h"

/* Makes sure that the descriptors 0, 1 and 2 are open, so that none of our files gets such a
 * number. A standard file that was closed stays unusable. */
static void hold_standard_files(void) {
  for (int file = 0; file <= 2; file++)
    if (fcntl(file, F_GETFD) < 0 && open("/dev/null", file == 0 ? O_WRONLY : O_RDONLY) < 0)
      _exit(3);
}

/* OpenBLAS with several threads rounds differently, so that results would depend on the machine.
 * Other libraries do not have this function. */
extern void openblas_set_num_threads(int count) __attribute__((weak));

/* Large models allocate and free arrays of many megabytes again and again. Memory that stays with
 * the process need not be cleared by the system each time, which halves the time spent there. */
static void keep_freed_memory(void) {
#ifdef __GLIBC__
  enum { GIBIBYTE = 1 << 30 };
  mallopt(M_MMAP_THRESHOLD, GIBIBYTE);
  mallopt(M_TRIM_THRESHOLD, GIBIBYTE);
#endif
}

/* ---- small stacks ---- */

enum { STACK = 64 << 20 }; /* bytes: enough for the deepest expressions */

typedef struct call {
  int count, code;
  char **arguments;
} call;

static void *run_call(void *user) {
  call *c = user;
  c->code = cli_call(c->count, c->arguments);
  return NULL;
}

/* If the stack of the process is limited (ulimit -s), the program runs in a thread that has a larger
 * one, and so do the threads that it starts. */
static int run_with_stack(int count, char **arguments) {
  struct rlimit limit;
  pthread_attr_t attributes;
  pthread_t thread;
  call c = {.count = count, .arguments = arguments};
  bool small = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < 8 << 20;
  if (!small || pthread_attr_init(&attributes) != 0) return cli_call(count, arguments);
  bool ready = pthread_attr_setstacksize(&attributes, STACK) == 0;
#ifdef __GLIBC__
  ready = ready && pthread_setattr_default_np(&attributes) == 0;
#endif
  ready = ready && pthread_create(&thread, &attributes, run_call, &c) == 0;
  pthread_attr_destroy(&attributes);
  if (!ready) return cli_call(count, arguments);
  pthread_join(thread, NULL);
  return c.code;
}

int main(int count, char **arguments) {
  hold_standard_files();
  keep_freed_memory();
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  /* writing to a closed pipe or beyond the allowed file size is an ordinary failed write with a
   * message */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  cli_take_interrupts();
  return run_with_stack(count, arguments);
}
