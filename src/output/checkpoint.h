/* Checkpoints: everything needed to continue a run of the program after it was killed. */
#ifndef RITTI_CHECKPOINT_H
#define RITTI_CHECKPOINT_H

#include "output/output.h"

/* An input file of the run. It must be unchanged when the run continues. */
typedef struct ritti_checkpoint_input {
  const char *path;
  ritti_mark mark;
} ritti_checkpoint_input;

/* An event that has happened at least once. */
typedef struct ritti_checkpoint_event {
  const char *name;
  long points;
  bool recorded; /* its points are in files */
} ritti_checkpoint_event;

/* A message of the run that has ended. */
typedef struct ritti_checkpoint_message {
  ritt_status status;
  const char *text, *hint; /* hint NULL: there is no hint */
} ritti_checkpoint_message;

typedef struct ritti_checkpoint {
  const char *folder;          /* the working directory of the run */
  const char *const *argument; /* the arguments after `ritt run` */
  size_t arguments;
  const char *model; /* the model's text if it came from stdin; NULL: the model is a file */
  const ritti_checkpoint_input *input;
  size_t inputs;
  const void *state; /* the solver's state (ritt_solver_save) */
  size_t state_size;
  long rows;             /* rows handed to the output so far */
  bool tables, pictures; /* whether the tables and the logs of the pictures are open */
  /* position in each open file: tables, points of events, logs of the pictures */
  const ritti_mark *mark;
  size_t marks;
  const ritti_checkpoint_event *event;
  size_t events;
  /* true: the run has ended, its files are complete; `status` and the messages say how it ended */
  bool done;
  ritt_status status;
  const ritti_checkpoint_message *message;
  size_t messages;
} ritti_checkpoint;

/* Writes a checkpoint. The file has a temporary name until it is complete and on the disk. */
ritt_status ritti_checkpoint_write(const char *path, const ritti_checkpoint *checkpoint,
                                   ritt_error *error) RITT_USE;
/* Reads a checkpoint into the arena. A file that is not a checkpoint, comes from another version or
 * machine, is cut short or damaged is refused with one message. */
ritt_status ritti_checkpoint_read(const char *path, ritti_arena *arena, ritt_error *error,
                                  ritti_checkpoint *out) RITT_USE;
/* Decodes the bytes after the header; RITT_WRONG_CALL if they are damaged. The bytes must live as
 * long as *out. */
ritt_status ritti_checkpoint_decode(const char *bytes, size_t size, ritti_arena *arena,
                                    ritti_checkpoint *out) RITT_USE;
/* Computes size and checksum of a file in its present state. */
ritt_status ritti_file_mark(const char *path, ritti_mark *out, ritt_error *error) RITT_USE;

#endif
