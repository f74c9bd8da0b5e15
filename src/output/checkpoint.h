/* Checkpoints: what it takes to go on with a run of the program that was killed. */
#ifndef RITTI_CHECKPOINT_H
#define RITTI_CHECKPOINT_H

#include "output/output.h"

/* A file that the run reads: it must be the same when the run goes on. */
typedef struct ritti_checkpoint_input {
  const char *path;
  ritti_mark mark;
} ritti_checkpoint_input;

/* An event that has happened. */
typedef struct ritti_checkpoint_event {
  const char *name;
  long points;
  bool recorded; /* its points are in files */
} ritti_checkpoint_event;

typedef struct ritti_checkpoint_message {
  ritt_status status;
  const char *text, *hint; /* hint NULL: none */
} ritti_checkpoint_message;

typedef struct ritti_checkpoint {
  const char *folder;          /* in which the run was started */
  const char *const *argument; /* of the call, behind `ritt run` */
  size_t arguments;
  const char *model; /* its text where it came from stdin; NULL: it is a file */
  const ritti_checkpoint_input *input;
  size_t inputs;
  const void *state; /* of the solver (ritt_solver_save) */
  size_t state_size;
  long rows;             /* that were given */
  bool tables, pictures; /* they are open */
  const ritti_mark
      *mark; /* of all files that are open: tables, points of events, logs of the picture */
  size_t marks;
  const ritti_checkpoint_event *event;
  size_t events;
  bool done; /* the run has ended and its files are made; this is how it ended: */
  ritt_status status;
  const ritti_checkpoint_message *message;
  size_t messages;
} ritti_checkpoint;

/* Writes one, under another name until it is whole and on the disk. */
ritt_status ritti_checkpoint_write(const char *path, const ritti_checkpoint *checkpoint,
                                   ritt_error *error) RITT_USE;
/* Reads one; everything lives in the arena. What is no checkpoint, of another version or machine,
 * cut short or damaged is refused, in one sentence. */
ritt_status ritti_checkpoint_read(const char *path, ritti_arena *arena, ritt_error *error,
                                  ritti_checkpoint *out) RITT_USE;
/* What stands behind the head; RITT_WRONG_CALL: it is none. The bytes must live as long as *out. */
ritt_status ritti_checkpoint_decode(const char *bytes, size_t size, ritti_arena *arena,
                                    ritti_checkpoint *out) RITT_USE;
/* Size and sum of a file as it is now. */
ritt_status ritti_file_mark(const char *path, ritti_mark *out, ritt_error *error) RITT_USE;

#endif
