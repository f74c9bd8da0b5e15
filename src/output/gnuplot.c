/* gnuplot as a child process: started by its name with an argument vector, no shell between. The script goes
 * into its stdin, the picture comes out of its stdout, its complaints out of its stderr, all three at once,
 * so that no pipe can fill up and block. Nothing is written to disk here. The program ignores SIGPIPE; the
 * child gets it back. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include "output_impl.h"

extern char **environ;

enum { PATIENCE = 60 * 1000, CHUNK = 1 << 14 }; /* milliseconds without any progress; bytes read at a time */

typedef struct child {
  pid_t pid;
  int in, out, err; /* our ends of its stdin, stdout and stderr; -1: closed */
} child;

static void close_end(int *end) {
  if (*end >= 0) close(*end);
  *end = -1;
}

/* pipes[k] = {read end, write end} of the child's descriptor k, none of them inherited as such */
static int make_pipes(int pipes[3][2]) {
  for (int k = 0; k < 3; k++) {
    if (pipe(pipes[k]) != 0) return errno;
    for (int end = 0; end < 2; end++)
      if (fcntl(pipes[k][end], F_SETFD, FD_CLOEXEC) != 0) return errno;
  }
  return fcntl(pipes[0][1], F_SETFL, O_NONBLOCK) != 0 ? errno : 0; /* we never wait for its stdin alone */
}

static int spawn(int pipes[3][2], pid_t *pid) {
  char *arguments[] = {"gnuplot", "--default-settings", NULL}; /* whatever stands in ~/.gnuplot */
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int reason = posix_spawn_file_actions_init(&actions);
  if (reason) return reason;
  reason = posix_spawnattr_init(&attributes);
  if (!reason) {
    sigset_t pipe_signal;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    reason = posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
    if (!reason) reason = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    for (int k = 0; k < 3 && !reason; k++)
      reason = posix_spawn_file_actions_adddup2(&actions, pipes[k][k > 0], k);
    if (!reason) reason = posix_spawnp(pid, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return reason;
}

/* 0, or the errno that tells why it could not be started */
static int start(child *c) {
  int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  int reason = make_pipes(pipes);
  if (!reason) reason = spawn(pipes, &c->pid);
  // the child's ends are the child's now; ours too are useless if there is none
  for (int k = 0; k < 3; k++) close_end(&pipes[k][k > 0]);
  for (int k = 0; k < 3 && reason; k++) close_end(&pipes[k][k == 0]);
  c->in = pipes[0][1], c->out = pipes[1][0], c->err = pipes[2][0];
  return reason;
}

/* Writes what its stdin takes; closes it at the end of the script, or when the child no longer reads. */
static void feed(child *c, const ritti_text *script, size_t *fed) {
  ssize_t n = write(c->in, script->at + *fed, script->count - *fed);
  if (n > 0) *fed += (size_t)n;
  bool again = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  if (*fed == script->count || (n < 0 && !again)) close_end(&c->in);
}

static void drain(int *end, ritti_text *into) {
  char bytes[CHUNK];
  ssize_t n = read(*end, bytes, sizeof bytes);
  if (n > 0) ritti_text_add_bytes(into, bytes, (size_t)n);
  else if (n == 0 || errno != EINTR) close_end(end);
}

/* Talks until the child has closed both its outputs. False: it made no progress for too long. */
static bool talk(child *c, const ritti_text *script, ritti_text *picture, ritti_text *complaint) {
  size_t fed = 0;
  while (c->out >= 0 || c->err >= 0) {
    struct pollfd ends[3] = {{c->in, POLLOUT, 0}, {c->out, POLLIN, 0}, {c->err, POLLIN, 0}};
    int ready = poll(ends, 3, PATIENCE);
    if (ready == 0) return false;
    if (ready < 0) continue; /* interrupted */
    if (ends[0].revents) feed(c, script, &fed);
    if (ends[1].revents) drain(&c->out, picture);
    if (ends[2].revents) drain(&c->err, complaint);
  }
  return true;
}

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
    return ritti_fail(error, RITT_SYSTEM, NULL, "install the package gnuplot-nox (or gnuplot) and run again",
                      "gnuplot is not installed, so no plot was drawn");
  return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "gnuplot could not be started, so no plot was drawn: %s",
                    strerror(reason));
}

static ritt_status judge(int ended, bool patient, ritti_text *complaint, ritt_error *error) {
  const char *words = last_line(complaint);
  if (!patient)
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "gnuplot did nothing for %d seconds and was ended: %s",
                      PATIENCE / 1000, words);
  if (WIFSIGNALED(ended))
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "gnuplot was killed by signal %d: %s", WTERMSIG(ended),
                      words);
  if (WIFEXITED(ended) && WEXITSTATUS(ended) != 0)
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "gnuplot failed with exit code %d: %s",
                      WEXITSTATUS(ended), words);
  return RITT_OK;
}

ritt_status ritti_gnuplot(const ritti_text *script, ritti_text *picture, ritt_error *error) {
  child c = {.in = -1, .out = -1, .err = -1};
  int reason = start(&c), ended = 0;
  if (reason) return not_started(error, reason);
  ritti_text complaint = {0};
  bool patient = talk(&c, script, picture, &complaint);
  if (!patient) kill(c.pid, SIGKILL);
  close_end(&c.in), close_end(&c.out), close_end(&c.err);
  while (waitpid(c.pid, &ended, 0) < 0 && errno == EINTR) {}
  ritt_status status = judge(ended, patient, &complaint, error);
  if (status == RITT_OK && picture->status != RITT_OK) status = ritti_no_memory(error);
  ritti_text_free(&complaint);
  return status;
}
