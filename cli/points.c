/* The points of events and sections: with -o OUT.csv those of NAME go to OUT.NAME.csv, a row each, two at
 * a jump (before and after). */
#include "cli.h"

typedef struct cli_point_file {
  const char *name; /* of the event */
  char *path;       /* NULL: its points are only counted */
  ritti_writer *writer;
  long points;
} point_file;

/* OUT.NAME.csv for the first table that is a file. NULL: there is none, or no memory. */
static char *path_of(const cli_points *points, const char *name) {
  const cli_words *tables = &points->tables->options->tables;
  for (size_t i = 0; i < tables->count; i++) {
    const char *table = tables->at[i], *slash = strrchr(table, '/'), *dot = strrchr(table, '.');
    if (!strcmp(table, "-")) continue;
    if (!dot || (slash && dot < slash)) dot = table + strlen(table);
    return ritti_arena_format(points->tables->arena, "%.*s.%s.csv", (int)(dot - table), table, name);
  }
  return NULL;
}

static ritt_status find(cli_points *points, const ritt_event *event, ritt_error *error, point_file **out) {
  for (size_t i = 0; i < points->count; i++)
    if (!strcmp(points->file[i].name, event->name)) return *out = &points->file[i], RITT_OK;
  point_file *more = ritti_realloc(points->file, (points->count + 1) * sizeof *more);
  if (!more) return ritti_no_memory(error);
  points->file = more;
  *out = &more[points->count];
  **out = (point_file){.name = event->name};
  points->count++;
  if (event->record) (*out)->path = path_of(points, event->name);
  return (*out)->path
             ? ritti_writer_open((*out)->path, RITTI_CSV, &points->tables->about, error, &(*out)->writer)
             : RITT_OK;
}

ritt_status cli_points_take(cli_points *points, const ritt_event *event, ritt_error *error) {
  point_file *file = NULL;
  RITT_TRY(find(points, event, error, &file));
  file->points++;
  if (!file->writer) return RITT_OK;
  RITT_TRY(ritti_writer_row(file->writer, event->before));
  return event->after ? ritti_writer_row(file->writer, event->after) : RITT_OK;
}

ritt_status cli_points_close(cli_points *points, ritt_error *error) {
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < points->count; i++) {
    ritt_status closed = points->file[i].writer ? ritti_writer_close(points->file[i].writer, error) : RITT_OK;
    if (closed != RITT_OK) status = closed;
    points->file[i].writer = NULL;
  }
  return status;
}

/* "bounce 12 times, ground once" */
void cli_points_add(const cli_points *points, ritti_text *out) {
  for (size_t i = 0; i < points->count; i++) {
    const point_file *f = &points->file[i];
    ritti_text_add(out, "%s%s ", i ? ", " : "", f->name);
    if (f->points == 1) ritti_text_add(out, "once");
    else ritti_text_add(out, "%ld times", f->points);
    if (f->path) ritti_text_add(out, " (%s)", f->path);
  }
}

void cli_points_free(cli_points *points) { ritti_free(points->file); }
