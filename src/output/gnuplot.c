/* gnuplot as a child process: the script goes into its stdin, the picture comes out of its stdout,
 * its complaints out of its stderr. Nothing is written to disk here. */
#include <ctype.h>
#include <errno.h>
#include <sys/wait.h>
#include "child/child.h"
#include "output_impl.h"

enum { PATIENCE = 60 * 1000 }; /* milliseconds without any progress */

/* Its last words: the last line of stderr that says something, cut out of the text in place. */
static const char *last_line(ritti_text *complaint) {
  char *end = complaint->at ? complaint->at + complaint->count : NULL, *begin;
  while (end && end > complaint->at && isspace((unsigned char)end[-1])) end--;
  if (!end || end == complaint->at) return "it gave no reason";
  *end = '\0';
  for (begin = end; begin > complaint->at && begin[-1] != '\n';) begin--;
  while (isspace((unsigned char)*begin)) begin++;
  return begin;
}

static ritt_status not_started(ritt_error *error, int reason) {
  if (reason == ENOENT)
    return ritti_fail(error, RITT_SYSTEM, NULL,
                      "install the package gnuplot-nox (or gnuplot) and run again",
                      "gnuplot is not installed, so no plot was drawn");
  return ritti_fail(error, RITT_SYSTEM, NULL, NULL,
                    "gnuplot could not be started, so no plot was drawn: %s", strerror(reason));
}

static ritt_status judge_ending(int ended, bool patient, ritti_text *complaint, ritt_error *error) {
  const char *words = last_line(complaint);
  if (!patient)
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL,
                      "gnuplot did nothing for %d seconds and was ended: %s", PATIENCE / 1000,
                      words);
  if (WIFSIGNALED(ended))
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "gnuplot was killed by signal %d: %s",
                      WTERMSIG(ended), words);
  if (WIFEXITED(ended) && WEXITSTATUS(ended) != 0)
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "gnuplot failed with exit code %d: %s",
                      WEXITSTATUS(ended), words);
  return RITT_OK;
}

ritt_status ritti_gnuplot(const ritti_text *script, ritti_text *picture, ritt_error *error) {
  static const char *const arguments[] = {"gnuplot", "--default-settings",
                                          NULL}; /* not those of ~/.gnuplot */
  ritti_child child;
  int reason = ritti_child_start(&child, arguments);
  if (reason) return not_started(error, reason);
  ritti_talk talk = {.say = script->at,
                     .length = script->count,
                     .last = true,
                     .patience = PATIENCE,
                     .out = *picture};
  bool patient = ritti_child_talk(&child, &talk) != RITTI_TALK_LATE;
  int ended = ritti_child_end(&child, !patient);
  *picture = talk.out;
  ritt_status status = judge_ending(ended, patient, &talk.err, error);
  if (status == RITT_OK && picture->status != RITT_OK) status = ritti_no_memory(error);
  ritti_text_free(&talk.err);
  return status;
}

void ritti_output_end_children(void) { ritti_children_end(); }
