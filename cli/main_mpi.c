/* The program ritt-mpi: `sweep` and `resume` on many processes. Process 0 hands out blocks of runs as the others become
 * free and writes the files at the end; see sweep.c. If a process is lost, MPI ends all of them; the
 * journals have every run that was over, and any number of processes can resume the sweep. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sweep.h"

enum { ASK = 1, ANSWER = 2 };

static int agree_on(int code) {
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return code;
}

static void send_request(long done, long leaves) {
  long request[2] = {done, leaves};
  MPI_Send(request, 2, MPI_LONG, 0, ASK, MPI_COMM_WORLD);
}

static void ask_for_runs(long done, long *first, long *count) {
  long block[2];
  send_request(done, 0);
  MPI_Recv(block, 2, MPI_LONG, 0, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  *first = block[0];
  *count = block[1];
}

static void leave_team(long done) { send_request(done, 1); }

static int listen_for_request(long *done, bool *leaves) {
  int there = 0;
  long request[2];
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &there, &status);
  if (!there) return -1;
  MPI_Recv(request, 2, MPI_LONG, status.MPI_SOURCE, ASK, MPI_COMM_WORLD, &status);
  *done = request[0];
  *leaves = request[1] != 0;
  return status.MPI_SOURCE;
}

static void answer_request(int rank, long first, long count) {
  long block[2] = {first, count};
  MPI_Send(block, 2, MPI_LONG, rank, ANSWER, MPI_COMM_WORLD);
}

static void end_all(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

/* Only sweeps are shared. */
static bool is_shared(const char *word) {
  return !strcmp(word, "sweep") || !strcmp(word, "resume");
}

int main(int count, char **arguments) {
  int rank, ranks, level;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  signal(SIGPIPE, SIG_IGN);
  cli_take_interrupts();

  /* wrong calls are refused once */
  if (count < 2 || !is_shared(arguments[1])) {
    if (rank == 0)
      fprintf(stderr, "usage: mpirun -n N ritt-mpi sweep FILE --checkpoint CK [OPTION]...\n"
                      "       mpirun -n N ritt-mpi resume CK\n"
                      "The options are those of 'ritt sweep'.\n");
    MPI_Finalize();
    return 2;
  }
  if (level < MPI_THREAD_SERIALIZED && ranks > 1) {
    if (rank == 0) fprintf(stderr, "ritt-mpi: error: this MPI does not work with threads\n");
    MPI_Finalize();
    return 3;
  }

  const cli_team team = {.rank = rank,
                         .ranks = ranks,
                         .agree = agree_on,
                         .ask = ask_for_runs,
                         .leave = leave_team,
                         .listen = listen_for_request,
                         .answer = answer_request,
                         .abort = end_all};
  if (ranks > 1) cli_sweep_team = &team;
  int code = cli_call(count, arguments);
  MPI_Finalize();
  return code;
}
