/* The points of events and sections. With -o OUT.csv the points of the event NAME go to
 * OUT.NAME.csv, one row each, or two at a jump (before and after); likewise for NPZ and JSON lines.
 * HDF5 files contain the points themselves; during the run they are in the log OUT.h5.NAME.log. */
#include <unistd.h>
#include "cli.h"

/* The files of one event. */
typedef struct cli_point_file {
  const char *name;      /* the name of the event */
  ritti_writer **writer; /* one for each place; NULL: points are only counted */
  const char *shown;     /* the names of the files for the summary */
  long points;
} point_file;

/* ---- places ---- */

ritt_status cli_points_to(cli_points *points, const char *path, ritti_file_format format,
                          ritt_error *error) {
  cli_point_place place = {path, format};
  return RITTI_PUSH(points->place, place) == RITT_OK ? RITT_OK : ritti_no_memory(error);
}

ritt_status cli_points_init(cli_points *points, cli_tables *tables, ritt_error *error) {
  const cli_words *paths = &tables->options->tables;
  *points = (cli_points){.arena = tables->arena, .about = &tables->about};
  for (size_t i = 0; i < paths->count; i++) {
    ritti_file_format format;
    RITT_TRY(cli_table_format(tables->options, paths->at[i], error, &format));
    if (strcmp(paths->at[i], "-")) RITT_TRY(cli_points_to(points, paths->at[i], format, error));
  }
  return RITT_OK;
}

/* The path of the points: OUT.h5.NAME.log, or OUT.NAME.csv; NULL if there is no memory. */
static const char *path_of(const cli_points *points, const cli_point_place *place,
                           const char *name) {
  static const char *const endings[] = {
#define X(id, word, ending, other) ending,
      RITTI_FORMATS(X)
#undef X
  };
  const char *slash = strrchr(place->path, '/'), *dot = strrchr(place->path, '.');
  if (place->format == RITTI_HDF5)
    return ritti_arena_format(points->arena, "%s.%s.log", place->path, name);
  if (!dot || (slash && dot < slash)) dot = place->path + strlen(place->path);
  return ritti_arena_format(points->arena, "%.*s.%s%s", (int)(dot - place->path), place->path, name,
                            endings[place->format]);
}

/* ---- points ---- */

/* Sets the text that says where the points are, and allocates the writers. */
static ritt_status name_files(cli_points *points, point_file *file) {
  RITTI_NEW(file->writer, points->arena, points->place.count + 1);
  for (size_t i = 0; i < points->place.count; i++) {
    const cli_point_place *place = &points->place.at[i];
    const char *path = path_of(points, place, file->name), *sep = file->shown ? ", " : "";
    const char *before = file->shown ? file->shown : "";

    /* HDF5 files contain the points, other formats have a file for them */
    if (!path) return RITT_NO_MEMORY;
    file->shown =
        place->format == RITTI_HDF5
            ? ritti_arena_format(points->arena, "%s%s%s:%s", before, sep, place->path, file->name)
            : ritti_arena_format(points->arena, "%s%s%s", before, sep, path);
    if (!file->shown) return RITT_NO_MEMORY;
  }
  return RITT_OK;
}

/* Refuses a path that is also the name of a table. */
static ritt_status check_name(const cli_points *points, const char *path, const char *name,
                              ritt_error *error) {
  for (size_t i = 0; i < points->place.count; i++)
    if (!strcmp(points->place.at[i].path, path))
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "give the table another name",
                        "'%s' would be both a table and the points of the event '%s'", path, name);
  return RITT_OK;
}

/* Opens the files of an event, one for each place. */
static ritt_status open_files(cli_points *points, point_file *file, const ritti_mark **from,
                              ritt_error *error) {
  if (name_files(points, file) != RITT_OK) return ritti_no_memory(error);
  for (size_t i = 0; i < points->place.count; i++) {
    const cli_point_place *place = &points->place.at[i];
    const char *path = path_of(points, place, file->name);
    if (!path) return ritti_no_memory(error);
    RITT_TRY(check_name(points, path, file->name, error));
    RITT_TRY(cli_open_writer(points->kept, from, path,
                             place->format == RITTI_HDF5 ? RITTI_LOG : place->format, points->about,
                             error, &file->writer[i]));
  }
  return RITT_OK;
}

/* Opens all files of an event. If one of them fails, the event is removed again; files written
 * before stay complete. */
static ritt_status open_all(cli_points *points, point_file *file, const ritti_mark **from,
                            ritt_error *error) {
  ritt_status status = open_files(points, file, from, error);
  if (status == RITT_OK) return RITT_OK;
  for (size_t i = 0; file->writer && i < points->place.count; i++)
    ritti_writer_abandon(file->writer[i]);
  points->count--;
  return status;
}

/* Adds an event; NULL if there is no memory. */
static point_file *add_file(cli_points *points, const char *name) {
  point_file *more = name ? ritti_realloc(points->file, (points->count + 1) * sizeof *more) : NULL;
  if (!more) return NULL;
  points->file = more;
  more[points->count] = (point_file){.name = name};
  return &more[points->count++];
}

/* Finds an event by its name; NULL if it has not happened yet. */
static point_file *find_file(const cli_points *points, const char *name) {
  for (size_t i = 0; i < points->count; i++)
    if (!strcmp(points->file[i].name, name)) return &points->file[i];
  return NULL;
}

/* Adds an event of a checkpoint; NULL if there is no memory. */
static point_file *add_again(cli_points *points, const ritti_checkpoint_event *event) {
  point_file *file =
      add_file(points, ritti_arena_text(points->arena, event->name, strlen(event->name)));
  if (file) file->points = event->points;
  return file;
}

ritt_status cli_points_resume(cli_points *points, const ritti_checkpoint_event *event,
                              const ritti_mark **from, ritt_error *error) {
  point_file *file = add_again(points, event);
  if (!file) return ritti_no_memory(error);
  return event->recorded ? open_all(points, file, from, error) : RITT_OK;
}

ritt_status cli_points_remember(cli_points *points, const ritti_checkpoint_event *event) {
  point_file *file = add_again(points, event);
  if (!file) return RITT_NO_MEMORY;
  return event->recorded ? name_files(points, file) : RITT_OK;
}

ritt_status cli_points_list(const cli_points *points, cli_happened *events) {
  for (size_t k = 0; k < points->count; k++) {
    const point_file *f = &points->file[k];
    ritti_checkpoint_event event = {
        .name = f->name, .points = f->points, .recorded = f->writer != NULL};
    RITT_TRY(RITTI_PUSH(*events, event));
  }
  return RITT_OK;
}

ritt_status cli_points_mark(const cli_points *points, cli_happened *events, cli_marks *marks,
                            ritt_error *error) {
  if (cli_points_list(points, events) != RITT_OK) return ritti_no_memory(error);
  for (size_t k = 0; k < points->count; k++)
    for (size_t i = 0; points->file[k].writer && i < points->place.count; i++)
      RITT_TRY(cli_take_mark(marks, points->file[k].writer[i], error));
  return RITT_OK;
}

ritt_status cli_points_take(cli_points *points, const ritt_event *event, ritt_error *error) {
  point_file *file = find_file(points, event->name);
  const ritti_mark *none = NULL;

  /* the first point opens the files */
  if (!file) {
    file = add_file(points, event->name);
    if (!file) return ritti_no_memory(error);
    if (event->record) RITT_TRY(open_all(points, file, &none, error));
  }

  /* write the row, at a jump two rows */
  file->points++;
  for (size_t i = 0; i < points->place.count && file->writer; i++) {
    if (!file->writer[i]) continue;
    RITT_TRY(ritti_writer_row(file->writer[i], event->before));
    if (event->after) RITT_TRY(ritti_writer_row(file->writer[i], event->after));
  }
  return RITT_OK;
}

/* ---- the end ---- */

/* Lists the events with files, for the HDF5 files. */
static ritt_status list_parts(cli_points *points) {
  const char **part;
  size_t count = 0;
  RITTI_NEW(part, points->arena, points->count + 1);
  for (size_t k = 0; k < points->count; k++)
    if (points->file[k].writer) part[count++] = points->file[k].name;
  points->about->part = part;
  points->about->parts = count;
  return RITT_OK;
}

ritt_status cli_points_close(cli_points *points, ritt_error *error) {
  ritt_status status = points->count ? list_parts(points) : RITT_OK;
  if (status != RITT_OK) ritti_no_memory(error);

  /* close all files, even if one of them fails */
  for (size_t k = 0; k < points->count; k++)
    for (size_t i = 0; i < points->place.count && points->file[k].writer; i++) {
      ritt_status closed = ritti_writer_close(points->file[k].writer[i], error);
      if (closed != RITT_OK) status = closed;
      points->file[k].writer[i] = NULL;
    }
  return status;
}

/* Removes the files of points, or only the logs: those of points in HDF5 files, and those from
 * which files were made. */
static void drop_files(const cli_points *points, bool logs) {
  for (size_t k = 0; k < points->count; k++)
    for (size_t i = 0; i < points->place.count && points->file[k].writer; i++) {
      const cli_point_place *place = &points->place.at[i];
      const char *path = !logs || place->format == RITTI_HDF5
                             ? path_of(points, place, points->file[k].name)
                             : NULL;
      if (path) unlink(path);
      if (logs && points->kept && place->format != RITTI_HDF5 &&
          (path = path_of(points, place, points->file[k].name)))
        ritti_writer_drop_log(path, place->format);
    }
}

void cli_points_drop_logs(const cli_points *points) { drop_files(points, true); }
void cli_points_drop(const cli_points *points) { drop_files(points, false); }

/* Adds "bounce 12 times, ground once". */
void cli_points_add(const cli_points *points, ritti_text *out) {
  for (size_t i = 0; i < points->count; i++) {
    const point_file *f = &points->file[i];
    ritti_text_add(out, "%s%s ", i ? ", " : "", f->name);
    if (f->points == 1) ritti_text_add(out, "once");
    else ritti_text_add(out, "%ld times", f->points);
    if (f->shown) ritti_text_add(out, " (%s)", f->shown);
  }
}

void cli_points_json(const cli_points *points, ritti_text *out) {
  cli_json_key(out, "event_counts");
  ritti_text_add(out, "{");
  for (size_t i = 0; i < points->count; i++) {
    ritti_text_add(out, "%s", i ? ", " : "");
    ritti_text_add_json(out, points->file[i].name);
    ritti_text_add(out, ": %ld", points->file[i].points);
  }
  ritti_text_add(out, "}");
}

void cli_points_free(cli_points *points) {
  for (size_t k = 0; k < points->count; k++)
    for (size_t i = 0; i < points->place.count && points->file[k].writer; i++)
      ritti_writer_abandon(points->file[k].writer[i]);
  RITTI_ARRAY_FREE(points->place);
  ritti_free(points->file);
}
