/* Pipes, posix_spawn and poll. The stdin of the child is a socket, because send() can be told to
 * raise no signal. */
#define _GNU_SOURCE /* pipe2 */
#include "process/child.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"

extern char **environ;

enum { CHUNK = 1 << 14 }; /* bytes read at a time */

static void close_end(int *end) {
  if (*end >= 0) close(*end);
  *end = -1;
}

/* ---- children that run ---- */

/* The only global state of the library: a program that ends in the handler of a signal must not leave
 * children behind. A process group is stored as a negative number. */
static atomic_int children[64];
enum { MOST_CHILDREN = sizeof children / sizeof *children };

static void add_child(pid_t pid) {
  for (int i = 0; i < MOST_CHILDREN; i++) {
    int none = 0;
    if (atomic_compare_exchange_strong(&children[i], &none, (int)pid)) return;
  }
}

static void remove_child(pid_t pid) {
  for (int i = 0; i < MOST_CHILDREN; i++) {
    int old = (int)pid;
    if (atomic_compare_exchange_strong(&children[i], &old, 0)) return;
  }
}

void ritti_children_end(void) {
  for (int i = 0; i < MOST_CHILDREN; i++) {
    int pid = atomic_exchange(&children[i], 0);
    if (pid) kill(pid, pid < 0 ? SIGTERM : SIGKILL);
  }
}

/* ---- start ---- */

static int make_pipe(int ends[2]) {
#ifdef __linux__
  return pipe2(ends, O_CLOEXEC) != 0 ? errno : 0;
#else
  if (pipe(ends) != 0) return errno;
  return fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0 || fcntl(ends[1], F_SETFD, FD_CLOEXEC) != 0
             ? errno
             : 0;
#endif
}

/* The child reads ends[0]; we write ends[1], which never blocks. */
static int make_stdin(int ends[2]) {
#ifdef SOCK_CLOEXEC
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
#else
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return errno;
  if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0 || fcntl(ends[1], F_SETFD, FD_CLOEXEC) != 0)
    return errno;
#endif
  return fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0 ? errno : 0;
}

/* The child gets the default handling of signals; a detached child also gets its own group. */
static int set_attributes(posix_spawnattr_t *attributes, bool detached) {
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGCHLD);
  int flags =
      POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (detached ? POSIX_SPAWN_SETPGROUP : 0);
  int reason = posix_spawnattr_setsigmask(attributes, &none);
  if (!reason) reason = posix_spawnattr_setsigdefault(attributes, &usual);
  if (!reason && detached) reason = posix_spawnattr_setpgroup(attributes, 0);
  return reason ? reason : posix_spawnattr_setflags(attributes, (short)flags);
}

static int spawn_with(const int *ends, const char *const *arguments, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int reason = posix_spawn_file_actions_init(&actions);
  if (reason) return reason;
  reason = posix_spawnattr_init(&attributes);
  if (!reason) {
    reason = set_attributes(&attributes, !ends);
    for (int k = 0; k < 3 && !reason; k++)
      reason = ends ? posix_spawn_file_actions_adddup2(&actions, ends[k], k)
                    : posix_spawn_file_actions_addopen(&actions, k, "/dev/null",
                                                       k ? O_WRONLY : O_RDONLY, 0);
    if (!reason)
      reason =
          posix_spawnp(pid, arguments[0], &actions, &attributes, (char *const *)arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return reason;
}

/* Signals are blocked until the child is in the list. */
static int spawn_child(const int *ends, const char *const *arguments, pid_t *pid) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int reason = spawn_with(ends, arguments, pid);
  if (!reason) add_child(ends ? *pid : -*pid);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return reason;
}

int ritti_child_start(ritti_child *child, const char *const *arguments) {
  int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  int reason = make_stdin(pipes[0]);
  for (int k = 1; k < 3 && !reason; k++) reason = make_pipe(pipes[k]);
  if (!reason) {
    const int ends[3] = {pipes[0][0], pipes[1][1], pipes[2][1]};
    reason = spawn_child(ends, arguments, &child->pid);
  }
  /* the child has its own copies of its ends; without a child ours are useless, too */
  for (int k = 0; k < 3; k++) close_end(&pipes[k][k > 0]);
  for (int k = 0; k < 3 && reason; k++) close_end(&pipes[k][k == 0]);
  child->in = pipes[0][1], child->out = pipes[1][0], child->err = pipes[2][0];
  return reason;
}

int ritti_child_start_detached(pid_t *pid, const char *const *arguments) {
  return spawn_child(NULL, arguments, pid);
}

/* ---- talk ---- */

/* Writes as much as the child's stdin takes; closes it if the child no longer reads. */
static void feed_stdin(ritti_child *c, const ritti_talk *talk, size_t *fed) {
  ssize_t n = send(c->in, talk->say + *fed, talk->length - *fed, MSG_NOSIGNAL);
  if (n > 0) *fed += (size_t)n;
  bool again = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  if (n < 0 && !again) close_end(&c->in);
}

static void drain_output(int *end, ritti_text *into) {
  char bytes[CHUNK];
  ssize_t n = read(*end, bytes, sizeof bytes);
  if (n > 0) ritti_text_add_bytes(into, bytes, (size_t)n);
  else if (n == 0 || errno != EINTR) close_end(end);
}

/* Does the text contain the complete line from *looked on? */
static bool has_line(const ritti_text *text, const char *line, size_t *looked) {
  size_t length = strlen(line);
  while (*looked < text->count) {
    const char *begin = text->at + *looked, *end = memchr(begin, '\n', text->count - *looked);
    if (!end) return false;
    if ((size_t)(end - begin) == length && !memcmp(begin, line, length)) return true;
    *looked = (size_t)(end - text->at) + 1;
  }
  return false;
}

/* Milliseconds to wait for progress; -1: no limit, 0: the time limit is reached. */
static int find_wait(const ritti_talk *talk, double begun) {
  double left = talk->seconds > 0 ? talk->seconds - (ritti_clock() - begun) : -1;
  if (talk->seconds > 0 && !(left > 0)) return 0;
  int patience = talk->patience > 0 ? talk->patience : -1;
  if (talk->seconds <= 0) return patience;
  int deadline = left < 1e6 ? (int)(1000 * left) + 1 : 1000000000;
  return patience > 0 && patience < deadline ? patience : deadline;
}

ritti_talk_end ritti_child_talk(ritti_child *c, ritti_talk *talk) {
  double begun = ritti_clock();
  size_t fed = 0, looked = 0;
  while (c->out >= 0 || c->err >= 0) {
    bool feeding = c->in >= 0 && fed < talk->length;
    if (!feeding && talk->last) close_end(&c->in);
    struct pollfd ends[3] = {
        {feeding ? c->in : -1, POLLOUT, 0}, {c->out, POLLIN, 0}, {c->err, POLLIN, 0}};
    int wait = find_wait(talk, begun);
    if (wait == 0) return RITTI_TALK_LATE;
    int ready = poll(ends, 3, wait);
    if (ready == 0 && (talk->patience > 0 || find_wait(talk, begun) == 0)) return RITTI_TALK_LATE;
    if (ready <= 0) continue; /* interrupted */
    if (ends[0].revents) feed_stdin(c, talk, &fed);
    if (ends[1].revents) drain_output(&c->out, &talk->out);
    if (ends[2].revents) drain_output(&c->err, &talk->err);
    if (talk->until && has_line(&talk->out, talk->until, &looked)) return RITTI_TALK_DONE;
    if (talk->most && talk->out.count + talk->err.count > talk->most) return RITTI_TALK_FLOOD;
  }
  return talk->until ? RITTI_TALK_CLOSED : RITTI_TALK_DONE;
}

int ritti_child_end(ritti_child *c, bool by_force) {
  int ended = 0;
  remove_child(c->pid);
  if (by_force) kill(c->pid, SIGKILL);
  close_end(&c->in), close_end(&c->out), close_end(&c->err);
  while (waitpid(c->pid, &ended, 0) < 0 && errno == EINTR) {}
  return ended;
}

bool ritti_child_poll_detached(pid_t pid, bool by_force, int *ended) {
  const struct timespec pause = {0, 2000000};
  pid_t found = waitpid(pid, ended, WNOHANG);
  if (by_force && found == 0) {
    /* a compiler that is asked to end takes its files with it */
    kill(-pid, SIGTERM);
    kill(pid, SIGTERM); /* in case the group does not exist yet */
    for (int i = 0; i < 250 && (found = waitpid(pid, ended, WNOHANG)) == 0; i++)
      nanosleep(&pause, NULL);
    kill(-pid, SIGKILL);
    if (found == 0) {
      kill(pid, SIGKILL);
      while ((found = waitpid(pid, ended, 0)) < 0 && errno == EINTR) {}
    }
  }
  bool gone = found == pid || (found < 0 && errno != EINTR);
  /* other code has waited for the child: its result shows whether it succeeded */
  if (gone && found < 0) *ended = 0;
  if (gone) remove_child(-pid);
  return gone;
}
