/* `ritt serve FILE`: the page of a model on this machine. The page asks for the data of a run, with the
 * values that its sliders have, and asks again when the file has changed.
 *
 * The server listens on the loopback interface only, and answers only requests whose path begins with a
 * token; each call of the program has a new one. It takes one request at a time. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include "cli.h"
#include "view/view.h"

enum {
  REQUEST = 16384, /* the largest request, in bytes */
  PATIENCE = 5,    /* seconds in which it must come */
  LONGEST = 20     /* seconds of a run; what it has by then is shown */
};

typedef struct server {
  const cli_options *options;
  char token[33];
  int listener;
} server;

/* ---- a run ---- */

typedef struct limit {
  double began;
  bool late;
} limit;

static ritt_status take_step(void *user, ritti_view *view, const ritt_progress *now) {
  limit *l = user;
  (void)view, (void)now;
  l->late = ritti_clock() - l->began > LONGEST;
  return l->late ? RITT_STOPPED : RITT_OK;
}

/* Runs the model; its points become the view. */
static ritt_status run_model(ritt_model *model, const cli_options *options, ritti_text *out,
                             ritt_error *error) {
  limit l = {.began = ritti_clock()};
  ritti_page_run run = {.options = options->run, .step = take_step, .user = &l};
  ritt_status status = ritti_page_run_model(model, &run, out, error);
  if (l.late)
    status = ritti_fail(error, RITT_STOPPED, NULL, "'ritt run' has no such limit",
                        "the run was stopped after %d seconds", LONGEST);
  return status;
}

/* ---- the answer with the data ---- */

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes %41 and + in place. */
static void decode(char *text) {
  char *to = text;
  for (char *c = text; *c; c++) {
    if (*c == '%' && digit_of(c[1]) >= 0 && digit_of(c[2]) >= 0) {
      *to++ = (char)(16 * digit_of(c[1]) + digit_of(c[2]));
      c += 2;
    } else *to++ = *c == '+' ? ' ' : *c;
  }
  *to = '\0';
}

/* Sets the parameters of "a=1&b=2". */
static ritt_status set_values(ritt_model *model, char *query, ritt_error *error) {
  while (query && *query) {
    char *next = strchr(query, '&');
    if (next) *next++ = '\0';
    char *value = strchr(query, '=');
    if (value) {
      *value++ = '\0';
      decode(query);
      decode(value);
      RITT_TRY(ritt_model_set(model, query, value, error));
    }
    query = next;
  }
  return RITT_OK;
}

/* Reads the model, sets values, runs it, and adds its view and its description. */
static ritt_status add_run(const server *s, char *query, ritti_text *out, ritt_error *error) {
  ritt_model *model = NULL;
  char *about = NULL;
  ritt_status status = cli_read_model(s->options, error, &model);
  if (status == RITT_OK && ritt_model_describe(model, error, &about) == RITT_OK)
    ritti_text_add(out, "\"about\":%s,\n", about);
  ritt_free(about);
  if (status == RITT_OK) status = set_values(model, query, error);
  if (status == RITT_OK) status = run_model(model, s->options, out, error);
  ritt_model_free(model);
  return status;
}

static ritt_status add_data(const server *s, char *query, ritti_text *out) {
  ritt_error *error = ritt_error_new();
  if (!error) return RITT_NO_MEMORY;
  ritti_text_add(out, "{");
  ritt_status status = add_run(s, query, out, error);
  ritti_page_add_messages(error, out);
  ritti_text_add(out, ",\"status\":%d}\n", (int)status);
  ritt_error_free(error);
  return out->status;
}

/* ---- requests ---- */

/* Sends all bytes; a client that has gone is no failure. */
static void send_all(int client, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = send(client, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    bytes += sent;
    count -= (size_t)sent;
  }
}

static void answer(int client, const char *status, const char *type, const ritti_text *body) {
  char head[300];
  int length = snprintf(head, sizeof head,
                        "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\n"
                        "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
                        "Connection: close\r\n\r\n",
                        status, type, body->count);
  send_all(client, head, (size_t)length);
  if (body->count) send_all(client, body->at, body->count);
}

/* Reads the head of a request. false: it is too long, too slow or broken off. */
static bool read_request(int client, char *request) {
  size_t count = 0;
  struct timeval patience = {.tv_sec = PATIENCE};
  setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  while (count < REQUEST - 1) {
    ssize_t n = recv(client, request + count, REQUEST - 1 - count, 0);
    if (n <= 0) return false;
    count += (size_t)n;
    request[count] = '\0';
    if (strstr(request, "\r\n\r\n")) return true;
  }
  return false;
}

/* Is this the path of the server? Takes the same time for every wrong token. */
static bool has_token(const server *s, const char *path) {
  if (strlen(path) < 34 || path[0] != '/' || path[33] != '/') return false;
  int difference = 0;
  for (int i = 0; i < 32; i++) difference |= path[1 + i] ^ s->token[i];
  return difference == 0;
}

static void add_version(const server *s, ritti_text *out) {
  struct stat file;
  if (stat(s->options->file, &file) != 0) ritti_text_add(out, "none");
  else
    ritti_text_add(out, "%lld.%09ld.%lld", (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec,
                   (long long)file.st_size);
}

static void serve_request(const server *s, int client) {
  static char request[REQUEST];
  ritti_text body = {0};
  if (!read_request(client, request)) return;
  char *path = strchr(request, ' ');
  char *end = path ? strchr(path + 1, ' ') : NULL;
  if (!end || strncmp(request, "GET ", 4) != 0) {
    answer(client, "405 Method Not Allowed", "text/plain", &body);
    return;
  }
  path++;
  *end = '\0';
  if (!has_token(s, path)) {
    answer(client, "404 Not Found", "text/plain", &body);
    return;
  }

  /* the page, its data, or the version of the file */
  char *what = path + 34;
  if (!*what) {
    ritti_view_write_server_page(&body);
    answer(client, "200 OK", "text/html", &body);
  } else if (!strcmp(what, "version")) {
    add_version(s, &body);
    answer(client, "200 OK", "text/plain", &body);
  } else if (!strncmp(what, "data", 4) && (!what[4] || what[4] == '?')) {
    bool whole = add_data(s, what[4] ? what + 5 : NULL, &body) == RITT_OK;
    if (!whole) body.count = 0;
    answer(client, whole ? "200 OK" : "500 Internal Server Error", "application/json", &body);
  } else answer(client, "404 Not Found", "text/plain", &body);
  ritti_text_free(&body);
}

/* ---- the server ---- */

static ritt_status make_token(server *s, ritt_error *error) {
  unsigned char bytes[16];
  FILE *source = fopen("/dev/urandom", "rb");
  size_t count = source ? fread(bytes, 1, sizeof bytes, source) : 0;
  if (source) fclose(source);
  if (count != sizeof bytes)
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot read random numbers: %s",
                      strerror(errno));
  for (int i = 0; i < 16; i++) snprintf(s->token + 2 * i, 3, "%02x", bytes[i]);
  return RITT_OK;
}

static ritt_status open_listener(server *s, int *port, ritt_error *error) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
  socklen_t size = sizeof address;
  int yes = 1;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  s->listener = socket(AF_INET, SOCK_STREAM, 0);
  bool open = s->listener >= 0;
  if (open) setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  open = open && bind(s->listener, (struct sockaddr *)&address, size) == 0 &&
         listen(s->listener, 16) == 0 &&
         getsockname(s->listener, (struct sockaddr *)&address, &size) == 0;
  if (!open)
    return ritti_fail(error, RITT_SYSTEM, NULL, "choose another one with --port, or none",
                      "cannot listen on port %d: %s", *port, strerror(errno));
  *port = ntohs(address.sin_port);
  return RITT_OK;
}

static ritt_status serve(server *s, ritt_error *error) {
  int port = (int)s->options->port;
  ritt_model *model = NULL;
  if (!strcmp(s->options->file, "-"))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "give the name of a file",
                      "a model from stdin cannot be watched");
  if (s->options->port > 65535)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "--port needs a number up to 65535");

  /* a file that cannot be read is refused now; mistakes in the model are shown by the page */
  ritt_error *first = ritt_error_new();
  ritt_status status = cli_read_model(s->options, first, &model);
  ritt_model_free(model);
  bool lost = status != RITT_OK && access(s->options->file, R_OK) != 0;
  if (lost) ritti_error_move(error, first);
  ritt_error_free(first);
  if (lost) return status;

  RITT_TRY(make_token(s, error));
  RITT_TRY(open_listener(s, &port, error));
  printf("http://127.0.0.1:%d/%s/\n", port, s->token);
  fflush(stdout);
  if (!s->options->quiet)
    fprintf(stderr, "open this address in a browser; Ctrl-C ends the server\n");
  for (;;) {
    int client = accept(s->listener, NULL, NULL);
    if (client < 0) continue;
    serve_request(s, client);
    close(client);
  }
}

int cli_serve(const cli_options *options, ritt_error *error) {
  server s = {.options = options, .listener = -1};
  ritt_status status = serve(&s, error);
  cli_print_messages(error, status);
  if (s.listener >= 0) close(s.listener);
  return ritt_status_exit_code(status);
}
