/* Another program as a child process: started by its name with an argument vector, no shell
 * between; text goes into its stdin, its stdout and stderr come back, all three at once, so that no
 * pipe can fill up and block.
 *
 * A write to a child that has gone raises no SIGPIPE, whatever the program has done about that
 * signal. Our ends of the pipes are not inherited by other children. A child is ended by its own id
 * and always reaped.
 */
#ifndef RITTI_CHILD_H
#define RITTI_CHILD_H

#include <sys/types.h>
#include "base/base.h"

typedef struct ritti_child {
  pid_t pid;
  int in, out, err; /* our ends of its stdin, stdout and stderr; -1: closed */
} ritti_child;

/* How a talk ended */
typedef enum ritti_talk_end {
  RITTI_TALK_DONE,   /* the line `until` has come; without such a line: both outputs were closed */
  RITTI_TALK_CLOSED, /* both outputs were closed before the line came */
  RITTI_TALK_LATE,   /* the time limit was reached */
  RITTI_TALK_FLOOD   /* the child wrote more than `most` bytes */
} ritti_talk_end;

typedef struct ritti_talk {
  const char *say; /* text for the child's stdin; NULL: none */
  size_t length;
  bool last;         /* close the child's stdin after the text */
  const char *until; /* the line of its stdout that ends the talk; NULL: the end of both outputs */
  int patience;      /* limit in milliseconds for a time without any progress; 0: no limit */
  double seconds;    /* limit for the whole talk; 0: no limit */
  size_t most;       /* limit in bytes for both outputs; 0: no limit */
  ritti_text out, err; /* what the child wrote; the caller frees it */
} ritti_talk;

/* Starts a child. Returns 0, or the errno of the failure (ENOENT: there is no such program). */
int ritti_child_start(ritti_child *child, const char *const *arguments);
/* Starts a child that has no stdin, whose outputs are discarded, in a process group of its own.
 * Returns 0 or an errno. */
int ritti_child_start_detached(pid_t *pid, const char *const *arguments);
/* Has a detached child ended? Then *ended is its status as waitpid returns it. by_force: its group is
 * ended first. */
bool ritti_child_poll_detached(pid_t pid, bool by_force, int *ended);
ritti_talk_end ritti_child_talk(ritti_child *child, ritti_talk *talk);
/* Closes the pipes, kills the child if `kill` says so, and waits for it. Returns its status as waitpid
 * does. */
int ritti_child_end(ritti_child *child, bool kill);
/* Ends all children that run, without waiting for them. May be called in the handler of a signal that
 * ends the program. */
void ritti_children_end(void);

#endif
