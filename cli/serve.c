/* `ritt serve FILE`: the page of web/ on this machine, with this program as its engine. The page asks
 * questions about the model, with the text of its editor and the values of its sliders, and follows
 * the file when it changes. The server writes no file.
 *
 * The server listens on the loopback interface only, and answers only requests whose path begins with a
 * token; each call of the program has a new one. It takes one request at a time. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include "cli.h"
#include "view/view.h"

enum {
  HEAD = 16384,         /* the longest head of a request, in bytes */
  MOST_BODY = 16 << 20, /* the longest model */
  PATIENCE = 2          /* seconds in which a request must come and an answer must be taken */
};

typedef struct server {
  const cli_options *options;
  char token[33];
  int listener;
  int client;
  ritti_page page;
} server;

typedef struct request {
  char head[HEAD];
  bool post;
  const char *path; /* in the head */
  ritti_text body;
} request;

/* ---- requests ---- */

/* Sends all bytes. The client may be gone, which is not a failure of the server. */
static void send_all(int client, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = send(client, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    bytes += sent;
    count -= (size_t)sent;
  }
}

static void send_head(int client, const char *status, const char *type) {
  char head[300];
  int length =
      snprintf(head, sizeof head,
               "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nCache-Control: no-store\r\n"
               "Referrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
               status, type);
  send_all(client, head, (size_t)length);
}

static void send_text(int client, const char *type, const ritti_text *body) {
  send_head(client, "200 OK", type);
  if (body->count) send_all(client, body->at, body->count);
}

/* Sends a line: its kind and JSON, in which a line break is only a space. */
static void send_line(int client, char kind, const char *json) {
  send_all(client, &kind, 1);
  while (*json) {
    size_t length = strcspn(json, "\n");
    send_all(client, json, length);
    json += length;
    if (*json) json++;
  }
  send_all(client, "\n", 1);
}

/* Reads the rest of the body, of which some bytes came with the head. */
static bool read_body(int client, request *r, const char *first, size_t count) {
  double begun = ritti_clock();
  const char *field = r->head;
  while (*field && strncasecmp(field, "content-length:", 15) != 0) {
    field = strchr(field, '\n');
    if (!field) return true; /* no body */
    field++;
  }
  if (!*field) return true;
  long length = strtol(field + 15, NULL, 10);
  if (length < 0 || length > MOST_BODY || (size_t)length < count) return false;
  ritti_text_add_bytes(&r->body, first, count);
  while (r->body.count < (size_t)length) {
    char bytes[HEAD];
    size_t left = (size_t)length - r->body.count;
    ssize_t n = recv(client, bytes, left < sizeof bytes ? left : sizeof bytes, 0);
    if (n <= 0 || ritti_clock() - begun > PATIENCE) return false;
    ritti_text_add_bytes(&r->body, bytes, (size_t)n);
    if (r->body.status != RITT_OK) return false;
  }
  return true;
}

/* Reads a request. false: it is too long, too slow, broken off or not HTTP. */
static bool read_request(int client, request *r) {
  size_t count = 0;
  char *end = NULL;
  double begun = ritti_clock();
  struct timeval patience = {.tv_sec = PATIENCE};
  setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  while (!end && count < HEAD - 1) {
    ssize_t n = recv(client, r->head + count, HEAD - 1 - count, 0);
    if (n <= 0 || ritti_clock() - begun > PATIENCE) return false;
    count += (size_t)n;
    r->head[count] = '\0';
    end = strstr(r->head, "\r\n\r\n");
  }
  if (!end) return false;
  *end = '\0';
  end += 4;
  if (!read_body(client, r, end, count - (size_t)(end - r->head))) return false;

  /* METHOD PATH HTTP/1.1 */
  char *path = strchr(r->head, ' ');
  char *after = path ? strchr(path + 1, ' ') : NULL;
  if (!after) return false;
  *after = '\0';
  r->path = path + 1;
  r->post = !strncmp(r->head, "POST ", 5);
  return r->post || !strncmp(r->head, "GET ", 4);
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

/* The name and the text of the file. */
static void add_file(const server *s, ritti_text *out) {
  ritti_text text = {0};
  const char *name = strrchr(s->options->file, '/');
  FILE *file = fopen(s->options->file, "rb");
  char bytes[HEAD];
  for (size_t n; file && (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
    ritti_text_add_bytes(&text, bytes, n);
  if (file) fclose(file);
  ritti_text_add(out, "{\"name\":");
  ritti_text_add_json(out, name ? name + 1 : s->options->file);
  ritti_text_add(out, ",\"text\":");
  ritti_text_add_json(out, text.at ? text.at : "");
  ritti_text_add(out, "}\n");
  ritti_text_free(&text);
}

/* ---- questions about the model ---- */

/* Sends the progress of a run; ends the run if the page has gone. */
static ritt_status report_progress(void *user, double part, const ritt_progress *now) {
  const server *s = user;
  char line[200], byte;
  if (recv(s->client, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) return RITT_STOPPED;
  snprintf(line, sizeof line, "{\"part\":%.6g,\"x\":%.17g,\"steps\":%ld}", part, now->x,
           now->accepted);
  send_line(s->client, 'P', line);
  return RITT_OK;
}

static void show_view(void *user, const char *view) {
  const server *s = user;
  send_line(s->client, 'V', view);
}

/* The body has the values of the sliders, a zero byte, and the text of the editor. */
static void answer_question(server *s, const char *what, request *r) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  char none[] = "", *values = r->body.at ? r->body.at : none;
  size_t length = strlen(values) + 1;
  const char *text = length <= r->body.count ? values + length : "";
  size_t count = length <= r->body.count ? r->body.count - length : 0;

  send_head(s->client, "200 OK", "text/plain");
  s->page.options = s->options->run;
  ritt_status status = cli_read_model_as(s->options, text, count, error, &model);
  if (status == RITT_OK) status = ritti_page_set_values(model, values, error);
  ritti_page_answer(&s->page, what, status == RITT_OK ? model : NULL, status, error);
  send_line(s->client, 'A', ritti_page_get_answer(&s->page));
  ritt_model_free(model);
  ritt_error_free(error);
}

static void serve_request(server *s, request *r) {
  if (!has_token(s, r->path)) {
    send_head(s->client, "404 Not Found", "text/plain");
    return;
  }
  const char *what = r->path + 34;
  ritti_text body = {0};
  bool question = !strcmp(what, "check") || !strcmp(what, "run") || !strcmp(what, "emit");
  if (r->post && question) answer_question(s, what, r);
  else if (r->post && !strcmp(what, "table")) send_text(s->client, "text/csv", &s->page.table);
  else if (r->post) send_head(s->client, "405 Method Not Allowed", "text/plain");
  else if (!*what) {
    ritti_page_write(&body);
    send_text(s->client, "text/html", &body);
  } else if (!strcmp(what, "version")) {
    add_version(s, &body);
    send_text(s->client, "text/plain", &body);
  } else if (!strcmp(what, "file")) {
    add_file(s, &body);
    send_text(s->client, "application/json", &body);
  } else if (!strcmp(what, "libraries")) {
    ritti_page_answer_libraries(&s->page);
    send_text(s->client, "application/json", &s->page.answer);
  } else send_head(s->client, "404 Not Found", "text/plain");
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
    return ritti_fail(error, RITT_SYSTEM, NULL,
                      "choose another port with --port, or leave the option out",
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
    static request r;
    s->client = accept(s->listener, NULL, NULL);
    if (s->client < 0 && errno != EINTR && errno != ECONNABORTED)
      return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot take requests: %s",
                        strerror(errno));
    if (s->client < 0) continue;
    if (read_request(s->client, &r)) serve_request(s, &r);
    ritti_text_free(&r.body);
    close(s->client);
  }
}

int cli_serve(const cli_options *options, ritt_error *error) {
  server s = {.options = options, .listener = -1};
  s.page = (ritti_page){.progress = report_progress, .show = show_view, .user = &s};
  ritt_status status = serve(&s, error);
  ritti_page_free(&s.page);
  cli_print_messages(error, status);
  if (s.listener >= 0) close(s.listener);
  return ritt_status_exit_code(status);
}
