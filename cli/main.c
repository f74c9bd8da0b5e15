/* The program: what holds for the process as a whole; the rest is in commands.c. */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include "cli.h"

/* Makes sure that 0, 1 and 2 are open, so that no file of ours gets such a number; what was closed
 * stays unusable. */
static void hold_standard_files(void) {
  for (int file = 0; file <= 2; file++)
    if (fcntl(file, F_GETFD) < 0 && open("/dev/null", file == 0 ? O_WRONLY : O_RDONLY) < 0)
      _exit(3);
}

/* OpenBLAS on several threads rounds differently, so that results would depend on the machine.
 * Other libraries have no such function. */
extern void openblas_set_num_threads(int count) __attribute__((weak));

int main(int count, char **arguments) {
  hold_standard_files();
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  /* a reader that has gone, and a file that may not grow, are failed writes, with their messages */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  cli_take_interrupts();
  return cli_call(count, arguments);
}
