/* gnuplot as a child process: it reads the script from its stdin and writes the picture to its
 * stdout and error messages to its stderr. Nothing is written to disk here. */
#include <ctype.h>
#include <errno.h>
#include <sys/wait.h>
#include "process/child.h"
#include "output_impl.h"

enum { PATIENCE = 60 * 1000 }; /* milliseconds without any progress */

/* The last line of stderr that is not blank, cut out of the text in place. */
static const char *last_line(ritti_text *complaint) {
  char *end = complaint->at ? complaint->at + complaint->count : NULL, *begin;

  /* cut off white space at the end */
  while (end && end > complaint->at && isspace((unsigned char)end[-1])) end--;
  if (!end || end == complaint->at) return "it gave no reason";
  *end = '\0';

  /* find the beginning of the last line */
  for (begin = end; begin > complaint->at && begin[-1] != '\n';) begin--;
  while (isspace((unsigned char)*begin)) begin++;
  return begin;
}

/* Explains why gnuplot did not start. */
static ritt_status not_started(ritt_error *error, int reason) {
  if (reason == ENOENT)
    return ritti_fail(error, RITT_SYSTEM, NULL,
                      "install the package gnuplot-nox (or gnuplot) and run again",
                      "gnuplot is not installed, so no plot was drawn");
  return ritti_fail(error, RITT_SYSTEM, NULL, NULL,
                    "gnuplot could not be started, so no plot was drawn: %s", strerror(reason));
}

/* Turns the way gnuplot ended into a status and a message. */
static ritt_status judge_ending(int ended, bool patient, ritti_text *complaint, ritt_error *error) {
  const char *words = last_line(complaint);
  if (!patient)
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL,
                      "gnuplot did nothing for %d seconds and was stopped: %s", PATIENCE / 1000,
                      words);
  if (WIFSIGNALED(ended))
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "gnuplot was killed by signal %d: %s",
                      WTERMSIG(ended), words);
  /* posix_spawn may say in this way only that there is no such program */
  if (WIFEXITED(ended) && WEXITSTATUS(ended) == 127) return not_started(error, ENOENT);
  if (WIFEXITED(ended) && WEXITSTATUS(ended) != 0)
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "gnuplot failed with exit code %d: %s",
                      WEXITSTATUS(ended), words);
  return RITT_OK;
}

ritt_status ritti_gnuplot(const ritti_text *script, ritti_text *picture, ritt_error *error) {
  /* the default settings, not those of ~/.gnuplot */
  static const char *const arguments[] = {"gnuplot", "--default-settings", NULL};
  ritti_child child;
  int reason = ritti_child_start(&child, arguments);
  if (reason) return not_started(error, reason);

  /* send the script and receive the picture */
  ritti_talk talk = {.say = script->at,
                     .length = script->count,
                     .last = true,
                     .patience = PATIENCE,
                     .out = *picture};
  bool patient = ritti_child_talk(&child, &talk) != RITTI_TALK_LATE;
  int ended = ritti_child_end(&child, !patient);
  *picture = talk.out;

  /* report errors */
  ritt_status status = judge_ending(ended, patient, &talk.err, error);
  if (status == RITT_OK && picture->status != RITT_OK) status = ritti_no_memory(error);
  ritti_text_free(&talk.err);
  return status;
}

void ritti_output_end_children(void) { ritti_children_end(); }
