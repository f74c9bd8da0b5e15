/* The file format of a checkpoint. A header (magic bytes, version, byte order, length, checksum)
 * comes first. Numbers of eight bytes follow, and texts: the length, the bytes, and a NUL. */
#include <errno.h>
#include <stdio.h>
#include "base/state.h"
#include "output/checkpoint.h"
#include "output_impl.h"

/* The header of the file. */
typedef struct head {
  char magic[8];
  char version[24];
  uint64_t order;  /* the constant ORDER as the writing machine stores it */
  uint64_t length; /* bytes after the header */
  uint64_t sum;    /* checksum of these bytes */
} head;

static const char magic[8] = "RITTCKPT";
#define ORDER UINT64_C(0x0102030405060708)
enum { LARGEST = 1 << 30 }; /* bytes; a larger file is not a checkpoint */

/* ---- writing ---- */

/* Adds a number of eight bytes. */
static void put_number(ritti_text *out, uint64_t number) {
  ritti_text_add_bytes(out, (const char *)&number, sizeof number);
}

/* Adds the length, the bytes and a NUL. */
static void put_bytes(ritti_text *out, const void *bytes, size_t size) {
  put_number(out, size);
  ritti_text_add_bytes(out, bytes ? bytes : "", size);
  ritti_text_add_bytes(out, "", 1);
}

/* Adds a text. NULL is stored as a length that no text can have. */
static void put_text(ritti_text *out, const char *text) {
  if (text) put_bytes(out, text, strlen(text));
  else put_number(out, UINT64_MAX);
}

/* Adds a position in a file. */
static void put_mark(ritti_text *out, const ritti_mark *mark) {
  put_number(out, mark->size);
  put_number(out, mark->sum);
}

/* Adds everything that follows the header. ritti_checkpoint_decode reads the same order. */
static void encode_checkpoint(const ritti_checkpoint *c, ritti_text *out) {
  /* how the program was called */
  put_text(out, c->folder);
  put_number(out, c->arguments);
  for (size_t i = 0; i < c->arguments; i++) put_text(out, c->argument[i]);

  /* the model and the other input files */
  put_text(out, c->model);
  put_number(out, c->inputs);
  for (size_t i = 0; i < c->inputs; i++) {
    put_text(out, c->input[i].path);
    put_mark(out, &c->input[i].mark);
  }

  /* the solver and the progress of the output files */
  put_bytes(out, c->state, c->state_size);
  put_number(out, (uint64_t)c->rows);
  put_number(out, c->tables);
  put_number(out, c->pictures);
  put_number(out, c->marks);
  for (size_t i = 0; i < c->marks; i++) put_mark(out, &c->mark[i]);

  /* the events so far */
  put_number(out, c->events);
  for (size_t i = 0; i < c->events; i++) {
    put_text(out, c->event[i].name);
    put_number(out, (uint64_t)c->event[i].points);
    put_number(out, c->event[i].recorded);
  }

  /* how the run ended, if it has ended */
  put_number(out, c->done);
  put_number(out, c->status);
  put_number(out, c->messages);
  for (size_t i = 0; i < c->messages; i++) {
    put_number(out, c->message[i].status);
    put_text(out, c->message[i].text);
    put_text(out, c->message[i].hint);
  }
}

ritt_status ritti_checkpoint_write(const char *path, const ritti_checkpoint *c, ritt_error *error) {
  /* leave room for the header and encode the rest */
  ritti_text out = {0};
  head h = {.version = RITT_VERSION, .order = ORDER};
  memcpy(h.magic, magic, sizeof magic);
  ritti_text_add_bytes(&out, (const char *)&h, sizeof h);
  encode_checkpoint(c, &out);
  ritt_status status = out.status == RITT_OK ? RITT_OK : ritti_no_memory(error);

  /* now length and checksum are known: complete the header and write the file */
  if (status == RITT_OK) {
    h.length = out.count - sizeof h;
    h.sum = ritti_checksum(RITTI_CHECKSUM, out.at + sizeof h, out.count - sizeof h);
    memcpy(out.at, &h, sizeof h);
    status = ritti_file_replace(path, out.at, out.count, error);
  }
  ritti_text_free(&out);
  return status;
}

/* ---- reading ---- */

/* Reads from `at` to `end`. After the first mistake `wrong` is set and every function returns
 * zeros. */
typedef struct decoder {
  const char *at, *end;
  ritti_arena *arena;
  bool wrong, no_memory;
} decoder;

/* Reads a number of eight bytes. */
static uint64_t get_number(decoder *d) {
  uint64_t number = 0;
  if (d->wrong || (size_t)(d->end - d->at) < sizeof number) {
    d->wrong = true;
    return 0;
  }
  memcpy(&number, d->at, sizeof number);
  d->at += sizeof number;
  return number;
}

/* Reads a bool, stored as 0 or 1. */
static bool get_truth(decoder *d) {
  uint64_t number = get_number(d);
  if (number > 1) d->wrong = true;
  return number == 1;
}

/* Reads a count that fits into a long. */
static long get_count(decoder *d) {
  uint64_t number = get_number(d);
  if (number > INT64_MAX) d->wrong = true;
  return d->wrong ? 0 : (long)number;
}

/* Reads a status. */
static ritt_status get_status(decoder *d) {
  uint64_t number = get_number(d);
  if (number > RITT_SYSTEM) d->wrong = true;
  return d->wrong ? RITT_OK : (ritt_status)number;
}

/* Reads a length, that number of bytes and their NUL. The result points into the file's bytes. */
static const char *get_bytes(decoder *d, size_t *size) {
  uint64_t length = get_number(d);
  *size = 0;
  if (d->wrong || length >= (uint64_t)(d->end - d->at) || d->at[length] != '\0') {
    d->wrong = true;
    return "";
  }
  const char *bytes = d->at;
  d->at += length + 1;
  *size = (size_t)length;
  return bytes;
}

/* Reads a text. If it is not `wanted`, it may be NULL. */
static const char *get_text(decoder *d, bool wanted) {
  uint64_t length = UINT64_MAX;
  size_t size;
  if (!d->wrong && (size_t)(d->end - d->at) >= sizeof length) memcpy(&length, d->at, sizeof length);
  if (length == UINT64_MAX && !wanted) {
    get_number(d);
    return NULL;
  }

  /* a text must not contain a NUL */
  const char *text = get_bytes(d, &size);
  if (strlen(text) != size) d->wrong = true;
  return d->wrong ? "" : text;
}

/* Reads a position in a file. */
static ritti_mark get_mark(decoder *d) {
  ritti_mark mark;
  mark.size = get_number(d);
  mark.sum = get_number(d);
  return mark;
}

/* Reads a count and allocates a list of that many elements of `size` bytes. Each element takes at
 * least eight bytes in the file, so a wrong count cannot exhaust the memory. */
static void *get_list(decoder *d, size_t *count, size_t size) {
  uint64_t number = get_number(d);
  *count = 0;

  /* refuse a count that the rest of the file cannot hold */
  if (d->wrong || number > (uint64_t)(d->end - d->at) / 8) {
    d->wrong = true;
    return NULL;
  }

  /* allocate one more element, so that an empty list is not NULL */
  void *list = ritti_arena_alloc(d->arena, (size_t)number + 1, size);
  if (!list) {
    d->wrong = true;
    d->no_memory = true;
    return NULL;
  }
  *count = (size_t)number;
  return list;
}

ritt_status ritti_checkpoint_decode(const char *bytes, size_t size, ritti_arena *arena,
                                    ritti_checkpoint *c) {
  decoder d = {.at = bytes, .end = bytes + size, .arena = arena};
  *c = (ritti_checkpoint){0};

  /* how the program was called */
  c->folder = get_text(&d, true);
  const char **argument = get_list(&d, &c->arguments, sizeof *argument);
  for (size_t i = 0; i < c->arguments; i++) argument[i] = get_text(&d, true);
  c->argument = argument;

  /* the model and the other input files */
  c->model = get_text(&d, false);
  ritti_checkpoint_input *input = get_list(&d, &c->inputs, sizeof *input);
  for (size_t i = 0; i < c->inputs; i++) {
    input[i].path = get_text(&d, true);
    input[i].mark = get_mark(&d);
  }
  c->input = input;

  /* the solver and the progress of the output files */
  c->state = get_bytes(&d, &c->state_size);
  c->rows = get_count(&d);
  c->tables = get_truth(&d);
  c->pictures = get_truth(&d);
  ritti_mark *mark = get_list(&d, &c->marks, sizeof *mark);
  for (size_t i = 0; i < c->marks; i++) mark[i] = get_mark(&d);
  c->mark = mark;

  /* the events so far */
  ritti_checkpoint_event *event = get_list(&d, &c->events, sizeof *event);
  for (size_t i = 0; i < c->events; i++) {
    event[i].name = get_text(&d, true);
    event[i].points = get_count(&d);
    event[i].recorded = get_truth(&d);
  }
  c->event = event;

  /* how the run ended, if it has ended */
  c->done = get_truth(&d);
  c->status = get_status(&d);
  ritti_checkpoint_message *message = get_list(&d, &c->messages, sizeof *message);
  for (size_t i = 0; i < c->messages; i++) {
    message[i].status = get_status(&d);
    message[i].text = get_text(&d, true);
    message[i].hint = get_text(&d, false);
  }
  c->message = message;

  /* nothing may follow */
  if (d.no_memory) return RITT_NO_MEMORY;
  return !d.wrong && d.at == d.end ? RITT_OK : RITT_WRONG_CALL;
}

/* Refuses to resume from a file. */
static ritt_status refuse_file(const char *path, const char *why, const char *hint,
                               ritt_error *error) {
  return ritti_fail(error, RITT_WRONG_CALL, NULL, hint, "cannot resume from '%s': %s", path, why);
}

/* Copies the header from the file's bytes and refuses the file if it does not fit this program. */
static ritt_status check_head(const char *path, const ritti_text *all, head *h, ritt_error *error) {
  char why[200], version[sizeof h->version] = RITT_VERSION;

  /* is this a checkpoint, written on a similar machine? */
  if (all->count < sizeof magic || memcmp(all->at, magic, sizeof magic))
    return refuse_file(path, "it is not a checkpoint", "ritt run FILE --checkpoint CK writes one",
                       error);
  if (all->count < sizeof *h) return refuse_file(path, "the file was cut short", NULL, error);
  memcpy(h, all->at, sizeof *h);
  if (h->order != ORDER)
    return refuse_file(path, "it was written on a machine with another byte order",
                       "resume it where it was written", error);

  /* was it written by this version? The version goes into a message: replace control characters */
  if (memcmp(h->version, version, sizeof version)) {
    h->version[sizeof h->version - 1] = '\0';
    for (char *c = h->version; *c; c++)
      if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
    snprintf(why, sizeof why, "it was written by version %s of Ritt, and this is %s", h->version,
             RITT_VERSION);
    return refuse_file(path, why, "resume it with that version, or run the model again", error);
  }

  /* is the file complete and undamaged? */
  if (h->length > all->count - sizeof *h)
    return refuse_file(path, "the file was cut short", NULL, error);
  if (h->length < all->count - sizeof *h)
    return refuse_file(path, "there are extra bytes after its end", NULL, error);
  if (h->sum != ritti_checksum(RITTI_CHECKSUM, all->at + sizeof *h, all->count - sizeof *h))
    return refuse_file(path, "the file is damaged: its checksum is wrong", NULL, error);
  return RITT_OK;
}

/* Reads the whole file into a text. */
static ritt_status read_all(const char *path, ritti_text *all, ritt_error *error) {
  char bytes[1 << 14];
  size_t n = 0;
  FILE *file = fopen(path, "rb");
  if (!file)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "check the name and the folder",
                      "cannot open '%s': %s", path, strerror(errno));

  /* read at most LARGEST bytes */
  while (all->count < LARGEST && (n = fread(bytes, 1, sizeof bytes, file)) > 0)
    ritti_text_add_bytes(all, bytes, n);
  int reason = ferror(file) ? errno : 0;
  fclose(file);

  /* report read errors, oversized files and lack of memory */
  if (reason) return refuse_file(path, strerror(reason), NULL, error);
  if (all->count >= LARGEST)
    return refuse_file(path, "it is too large for a checkpoint", NULL, error);
  return all->status == RITT_OK ? RITT_OK : ritti_no_memory(error);
}

ritt_status ritti_checkpoint_read(const char *path, ritti_arena *arena, ritt_error *error,
                                  ritti_checkpoint *out) {
  ritti_text all = {0};
  head h;
  ritt_status status = read_all(path, &all, error);
  if (status == RITT_OK) status = check_head(path, &all, &h, error);

  /* decode a copy that lives in the arena */
  char *bytes =
      status == RITT_OK ? ritti_arena_text(arena, all.at + sizeof h, all.count - sizeof h) : NULL;
  if (status == RITT_OK && !bytes) status = ritti_no_memory(error);
  if (status == RITT_OK) {
    status = ritti_checkpoint_decode(bytes, all.count - sizeof h, arena, out);
    if (status == RITT_NO_MEMORY) status = ritti_no_memory(error);
    else if (status != RITT_OK) status = refuse_file(path, "the file is damaged", NULL, error);
  }
  ritti_text_free(&all);
  return status;
}

ritt_status ritti_file_mark(const char *path, ritti_mark *out, ritt_error *error) {
  char bytes[1 << 14];
  size_t n;
  FILE *file = fopen(path, "rb");
  *out = (ritti_mark){0, RITTI_CHECKSUM};
  if (!file)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "check the name and the folder",
                      "cannot open '%s': %s", path, strerror(errno));

  /* read the whole file */
  while ((n = fread(bytes, 1, sizeof bytes, file)) > 0) {
    out->size += n;
    out->sum = ritti_checksum(out->sum, bytes, n);
  }
  int reason = ferror(file) ? errno : 0;
  fclose(file);

  /* report a failed read */
  if (reason)
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot read '%s': %s", path,
                      strerror(reason));
  return RITT_OK;
}
