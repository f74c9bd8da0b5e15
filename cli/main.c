/* The program: settings of the process as a whole. Everything else is in commands.c. */
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
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

int main(int count, char **arguments) {
  hold_standard_files();
  keep_freed_memory();
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  /* writing to a closed pipe or beyond the allowed file size is an ordinary failed write with a
   * message */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  cli_take_interrupts();
  return cli_call(count, arguments);
}
