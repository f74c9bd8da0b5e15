/* The journal of a sweep with --checkpoint CK: a record for each run that is over, so that a sweep can continue
 * after a kill, with any number of threads or processes. CK itself contains the call; the process
 * number R appends its records to CK.R. A record that was cut short by a kill is ignored, and its run
 * is made again. The tables are made from the records in the order of the runs, and have the same
 * bytes however the runs were shared. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/state.h"
#include "sweep.h"

enum { MARK = 0x72737731, NO_TEXT = -1, MOST_BYTES = 1 << 30 };

/* The bytes before each record. */
typedef struct record_head {
  uint32_t mark, length;
  uint64_t sum;
} record_head;

/* ---- encoding ---- */

static void put_number(ritti_text *out, int64_t number) {
  ritti_text_add_bytes(out, (const char *)&number, sizeof number);
}

static void put_real(ritti_text *out, double number) {
  ritti_text_add_bytes(out, (const char *)&number, sizeof number);
}

static void put_text(ritti_text *out, const char *text) {
  put_number(out, text ? (int64_t)strlen(text) : NO_TEXT);
  if (text) ritti_text_add_bytes(out, text, strlen(text));
}

static void encode_outcome(long run, const sweep_outcome *o, ritti_text *out) {
  put_number(out, run);
  put_number(out, o->status);
  put_number(out, o->rows);
  put_number(out, o->steps);
  put_number(out, o->tried);
  put_number(out, o->together);
  put_text(out, o->reason);

  /* the last point */
  put_number(out, (int64_t)o->columns);
  for (size_t i = 0; i < o->columns; i++) {
    put_text(out, o->name[i]);
    put_real(out, o->last[i]);
  }

  /* what an HDF5 file needs of the run */
  put_text(out, o->base);
  put_number(out, (int64_t)o->parts);
  for (size_t i = 0; i < o->parts; i++) put_text(out, o->part[i]);
  put_number(out, o->base ? (int64_t)o->statistics.count : 0);
  for (size_t i = 0; o->base && i < o->statistics.count; i++) {
    const ritti_fact *fact = &o->statistics.at[i];
    put_text(out, fact->key);
    put_number(out, fact->kind);
    put_text(out, fact->text);
    put_real(out, fact->number);
  }
}

/* ---- decoding ---- */

/* Reads from `at` to `end`; `wrong` is set by the first mistake. */
typedef struct decoder {
  const char *at, *end;
  ritti_arena *arena;
  bool wrong;
} decoder;

static void get_bytes(decoder *d, void *out, size_t count) {
  memset(out, 0, count);
  if (d->wrong || (size_t)(d->end - d->at) < count) {
    d->wrong = true;
    return;
  }
  memcpy(out, d->at, count);
  d->at += count;
}

static int64_t get_number(decoder *d) {
  int64_t number;
  get_bytes(d, &number, sizeof number);
  return number;
}

static double get_real(decoder *d) {
  double number;
  get_bytes(d, &number, sizeof number);
  return number;
}

/* A number of things that follow, each of at least eight bytes. */
static size_t get_count(decoder *d) {
  int64_t count = get_number(d);
  if (count < 0 || count > (d->end - d->at) / 8) d->wrong = true;
  return d->wrong ? 0 : (size_t)count;
}

static const char *get_text(decoder *d) {
  int64_t length = get_number(d);
  if (d->wrong || length == NO_TEXT) return NULL;
  if (length < 0 || length > d->end - d->at) {
    d->wrong = true;
    return NULL;
  }
  const char *text = ritti_arena_text(d->arena, d->at, (size_t)length);
  d->at += length;
  d->wrong |= !text;
  return text;
}

static void *get_room(decoder *d, size_t count, size_t size) {
  void *room = ritti_arena_alloc(d->arena, count + 1, size);
  d->wrong |= !room;
  return room;
}

/* Decodes a record into the outcome; false: it is damaged, or there is no memory. */
static bool decode_outcome(decoder *d, sweep_outcome *o) {
  o->status = (ritt_status)get_number(d);
  o->rows = get_number(d) != 0;
  o->steps = (long)get_number(d);
  o->tried = (long)get_number(d);
  o->together = (long)get_number(d);
  o->reason = get_text(d);

  /* the last point */
  o->columns = get_count(d);
  const char **name = get_room(d, o->columns, sizeof *name);
  double *last = get_room(d, o->columns, sizeof *last);
  for (size_t i = 0; !d->wrong && i < o->columns; i++) {
    name[i] = get_text(d);
    last[i] = get_real(d);
    d->wrong |= !name[i];
  }
  o->name = name;
  o->last = last;

  /* what an HDF5 file needs of the run */
  o->base = get_text(d);
  o->parts = get_count(d);
  const char **part = get_room(d, o->parts, sizeof *part);
  for (size_t i = 0; !d->wrong && i < o->parts; i++) {
    part[i] = get_text(d);
    d->wrong |= !part[i];
  }
  o->part = part;
  size_t facts = get_count(d);
  ritti_fact *fact = get_room(d, facts, sizeof *fact);
  for (size_t i = 0; !d->wrong && i < facts; i++) {
    fact[i].key = get_text(d);
    int64_t kind = get_number(d);
    fact[i].kind = kind == RITTI_FACT_TEXT ? RITTI_FACT_TEXT : RITTI_FACT_REAL;
    if (kind == RITTI_FACT_COUNT) fact[i].kind = RITTI_FACT_COUNT;
    fact[i].text = get_text(d);
    fact[i].number = get_real(d);
    d->wrong |= !fact[i].key;
  }
  o->statistics = (ritti_facts){fact, facts};
  return !d->wrong;
}

/* ---- files ---- */

static ritt_status report_file(const char *word, const char *path, ritt_error *error) {
  return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot %s '%s': %s", word, path,
                    strerror(errno));
}

/* Reads `count` bytes at a place of a file; false: they are not all there. */
static bool read_at(int file, void *out, size_t count, off_t at) {
  char *to = out;
  while (count > 0) {
    ssize_t n = pread(file, to, count, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    at += n;
    count -= (size_t)n;
  }
  return true;
}

/* Reads the record at a place into `bytes`, which grows; false: there is no whole record. */
static bool read_record(int file, off_t at, ritti_text *bytes) {
  record_head head;
  if (!read_at(file, &head, sizeof head, at) || head.mark != MARK || head.length > MOST_BYTES)
    return false;
  bytes->count = 0;
  char chunk[4096];
  for (size_t done = 0; done < head.length;) {
    size_t part = head.length - done < sizeof chunk ? head.length - done : sizeof chunk;
    if (!read_at(file, chunk, part, at + (off_t)(sizeof head + done))) return false;
    ritti_text_add_bytes(bytes, chunk, part);
    done += part;
  }
  return bytes->status == RITT_OK &&
         ritti_checksum(RITTI_CHECKSUM, bytes->at, bytes->count) == head.sum;
}

/* Does the log of an HDF5 run still exist? */
static bool has_logs(const char *bytes, size_t count) {
  ritti_arena *arena = ritti_arena_new();
  sweep_outcome o = {0};
  decoder d = {bytes + sizeof(int64_t), bytes + count, arena, !arena};
  bool fine = decode_outcome(&d, &o);
  const char *log = fine && o.base ? ritti_arena_format(arena, "%s.log", o.base) : NULL;
  if (fine && o.base) fine = log && access(log, R_OK) == 0;
  ritti_arena_free(arena);
  return fine;
}

/* Adds the records of a file to the index. Returns the length of all whole records. */
static ritt_status index_file(sweep_journal *j, size_t number, off_t *length) {
  ritti_text bytes = {0};
  ritt_status status = RITT_OK;
  off_t at = 0;
  while (status == RITT_OK && read_record(j->file.at[number], at, &bytes)) {
    int64_t run = 0;
    if (bytes.count < sizeof run) break;
    memcpy(&run, bytes.at, sizeof run);
    sweep_record record = {.run = (long)run, .file = number, .at = at};
    if (has_logs(bytes.at, bytes.count)) status = RITTI_PUSH(j->record, record);
    at += (off_t)(sizeof(record_head) + bytes.count);
  }
  *length = at;
  if (bytes.status != RITT_OK) status = RITT_NO_MEMORY;
  ritti_text_free(&bytes);
  return status;
}

static int compare_records(const void *a, const void *b) {
  long first = ((const sweep_record *)a)->run, second = ((const sweep_record *)b)->run;
  return (first > second) - (first < second);
}

/* Is this the name of a file of the journal, NAME.NUMBER? */
static bool is_part(const char *entry, const char *name) {
  size_t length = strlen(name);
  if (strncmp(entry, name, length) != 0 || entry[length] != '.' || !entry[length + 1]) return false;
  return !entry[length + 1 + strspn(entry + length + 1, "0123456789")];
}

/* Calls `use` for each file of the journal. */
static ritt_status each_file(sweep_journal *j, ritt_error *error,
                             ritt_status (*use)(sweep_journal *, const char *, ritt_error *)) {
  const char *slash = strrchr(j->path, '/'), *name = slash ? slash + 1 : j->path;
  const char *folder =
      slash ? ritti_arena_text(j->arena, j->path, (size_t)(slash - j->path) + 1) : "./";
  if (!folder) return ritti_no_memory(error);
  DIR *open = opendir(folder);
  if (!open) return report_file("read", folder, error);
  ritt_status status = RITT_OK;
  const struct dirent *entry;
  while (status == RITT_OK && (entry = readdir(open))) {
    if (!is_part(entry->d_name, name)) continue;
    const char *path = ritti_arena_format(j->arena, "%s%s", slash ? folder : "", entry->d_name);
    status = path ? use(j, path, error) : ritti_no_memory(error);
  }
  closedir(open);
  return status;
}

static ritt_status remove_file(sweep_journal *j, const char *path, ritt_error *error) {
  (void)j;
  return unlink(path) == 0 || errno == ENOENT ? RITT_OK : report_file("remove", path, error);
}

static ritt_status read_file(sweep_journal *j, const char *path, ritt_error *error) {
  off_t length;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return report_file("read", path, error);
  if (RITTI_PUSH(j->file, file) != RITT_OK) {
    close(file);
    return ritti_no_memory(error);
  }
  ritt_status status = index_file(j, j->file.count - 1, &length);
  return status == RITT_OK ? RITT_OK : ritti_no_memory(error);
}

/* ---- the journal ---- */

ritt_status cli_journal_init(sweep_journal *j, const char *path, ritt_error *error) {
  *j = (sweep_journal){.path = path, .own = -1, .arena = ritti_arena_new()};
  return j->arena ? RITT_OK : ritti_no_memory(error);
}

ritt_status cli_journal_clear(sweep_journal *j, ritt_error *error) {
  return each_file(j, error, remove_file);
}

ritt_status cli_journal_read(sweep_journal *j, ritt_error *error) {
  for (size_t i = 0; i < j->file.count; i++) close(j->file.at[i]);
  j->file.count = 0;
  j->record.count = 0;
  RITT_TRY(each_file(j, error, read_file));
  if (j->record.count) qsort(j->record.at, j->record.count, sizeof *j->record.at, compare_records);
  return RITT_OK;
}

/* The record of a run; NULL: there is none. */
static const sweep_record *find_record(const sweep_journal *j, long run) {
  sweep_record key = {.run = run};
  if (!j->record.count) return NULL;
  return bsearch(&key, j->record.at, j->record.count, sizeof key, compare_records);
}

bool cli_journal_has(const sweep_journal *j, long run) { return find_record(j, run) != NULL; }

ritt_status cli_journal_get(const sweep_journal *j, long run, sweep_outcome *out,
                            ritt_error *error) {
  const sweep_record *record = find_record(j, run);
  ritti_text bytes = {0};
  *out = (sweep_outcome){.arena = ritti_arena_new(), .there = true, .kept = true};
  if (!out->arena) return ritti_no_memory(error);
  bool fine = record && read_record(j->file.at[record->file], record->at, &bytes);
  decoder d = {.arena = out->arena};
  if (fine) {
    d.at = bytes.at + sizeof(int64_t);
    d.end = bytes.at + bytes.count;
    fine = decode_outcome(&d, out);
  }
  ritti_text_free(&bytes);
  if (fine) return RITT_OK;
  return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot read run %ld in the journal of '%s'",
                    run, j->path);
}

ritt_status cli_journal_open(sweep_journal *j, int process, ritt_error *error) {
  off_t length = 0;
  j->name = ritti_arena_format(j->arena, "%s.%d", j->path, process);
  if (!j->name) return ritti_no_memory(error);
  j->own = open(j->name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (j->own < 0) return report_file("write", j->name, error);

  /* continue after the last whole record */
  sweep_journal whole = {.arena = j->arena, .own = -1};
  ritt_status status = RITTI_PUSH(whole.file, j->own);
  if (status == RITT_OK) status = index_file(&whole, 0, &length);
  RITTI_ARRAY_FREE(whole.file);
  RITTI_ARRAY_FREE(whole.record);
  if (status != RITT_OK) return ritti_no_memory(error);
  if (ftruncate(j->own, length) != 0 || lseek(j->own, length, SEEK_SET) < 0)
    return report_file("write", j->name, error);
  return RITT_OK;
}

ritt_status cli_journal_add(sweep_journal *j, long run, const sweep_outcome *out,
                            ritt_error *error) {
  ritti_text bytes = {0};
  record_head head = {.mark = MARK};
  ritti_text_add_bytes(&bytes, (const char *)&head, sizeof head);
  encode_outcome(run, out, &bytes);
  if (bytes.status != RITT_OK) {
    ritti_text_free(&bytes);
    return ritti_no_memory(error);
  }
  head.length = (uint32_t)(bytes.count - sizeof head);
  head.sum = ritti_checksum(RITTI_CHECKSUM, bytes.at + sizeof head, head.length);
  memcpy(bytes.at, &head, sizeof head);

  /* one record, whole unless the disk is full or the process is killed */
  ritt_status status = RITT_OK;
  for (size_t done = 0; status == RITT_OK && done < bytes.count;) {
    ssize_t n = write(j->own, bytes.at + done, bytes.count - done);
    if (n > 0) done += (size_t)n;
    else if (errno != EINTR) status = report_file("write", j->name, error);
  }
  ritti_text_free(&bytes);
  return status;
}

ritt_status cli_journal_remove(sweep_journal *j, ritt_error *error) {
  RITT_TRY(cli_journal_read(j, error));
  for (size_t i = 0; i < j->record.count; i++) {
    sweep_outcome out;
    ritt_status status = cli_journal_get(j, j->record.at[i].run, &out, error);
    out.kept = false;
    cli_sweep_drop(&out);
    RITT_TRY(status);
  }
  RITT_TRY(cli_journal_clear(j, error));
  return remove_file(j, j->path, error);
}

void cli_journal_free(sweep_journal *j) {
  for (size_t i = 0; i < j->file.count; i++) close(j->file.at[i]);
  if (j->own >= 0) close(j->own);
  RITTI_ARRAY_FREE(j->file);
  RITTI_ARRAY_FREE(j->record);
  ritti_arena_free(j->arena);
  *j = (sweep_journal){.own = -1};
}
