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

/* How a talk ended. */
typedef enum ritti_heard {
  RITTI_HEARD,  /* the line that was waited for has come, or, without one, both outputs were closed
                 */
  RITTI_SILENT, /* both outputs were closed before that line came */
  RITTI_LATE,   /* the time was over */
  RITTI_FLOOD   /* it said more than it may */
} ritti_heard;

typedef struct ritti_talk {
  const char *say; /* what its stdin gets; NULL: nothing */
  size_t length;
  bool last;         /* its stdin is closed after that */
  const char *until; /* the line of its stdout that ends the talk; NULL: the end of both outputs */
  int patience;      /* milliseconds without any progress; 0: no limit */
  double seconds;    /* for the whole talk; 0: no limit */
  size_t most;       /* bytes of both outputs; 0: no limit */
  ritti_text out, err; /* what it said in this talk; the caller's to free */
} ritti_talk;

/* 0, or the errno that tells why it could not be started (ENOENT: there is no such program). */
int ritti_child_start(ritti_child *child, const char *const *arguments);
/* The same for one that reads nothing and whose words nobody hears; it has a group of its own. */
int ritti_child_start_alone(pid_t *pid, const char *const *arguments);
/* Has it ended? If so *ended is how, as waitpid says; by_force: it is made to, with all of its
 * group. */
bool ritti_child_alone_ended(pid_t pid, bool by_force, int *ended);
ritti_heard ritti_child_talk(ritti_child *child, ritti_talk *talk);
/* Closes the pipes, ends it if it must not go on by itself, and waits for it. How it ended, as
 * waitpid says. */
int ritti_child_end(ritti_child *child, bool kill);
/* Ends all children that live, without waiting for them. May be called in the handler of a signal
 * that ends the program. */
void ritti_children_end(void);

#endif
