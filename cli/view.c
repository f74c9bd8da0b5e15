/* --view and --animate: the points of a run as a page or as an animation, written when the run has
 * ended. */
#include "run.h"

ritt_status cli_view_init(cli_job *j) {
  if (!j->options->view && !j->options->animate) return RITT_OK;
  RITT_TRY(ritti_view_new(j->model, j->error, &j->view));
  if (!j->options->animate || ritti_view_has_scene(j->view)) return RITT_OK;

  /* the message, before the run and not after it */
  ritti_text none = {0};
  ritt_status status =
      ritti_view_animate(j->view, ritti_animation_of_path(j->options->animate), &none, j->error);
  ritti_text_free(&none);
  return status;
}

/* Writes a file from its text, which is freed. */
static ritt_status write_text(const char *path, ritti_text *text, ritt_status status,
                              ritt_error *error) {
  if (status == RITT_OK) status = text->status;
  if (status == RITT_NO_MEMORY) status = ritti_no_memory(error);
  if (status == RITT_OK) status = ritti_file_replace(path, text->at, text->count, error);
  ritti_text_free(text);
  return status;
}

ritt_status cli_view_write(cli_job *j) {
  const cli_options *o = j->options;
  if (!j->view || j->rows == 0) return RITT_OK;
  if (o->view) {
    ritti_text page = {0}, summary = {0};
    cli_add_summary(j, &summary, false);
    ritt_status status = ritti_view_write_page(j->view, summary.at, &page);
    ritti_text_free(&summary);
    RITT_TRY(write_text(o->view, &page, status, j->error));
  }
  if (o->animate) {
    ritti_text film = {0};
    ritt_status status =
        ritti_view_animate(j->view, ritti_animation_of_path(o->animate), &film, j->error);
    RITT_TRY(write_text(o->animate, &film, status, j->error));
  }
  j->viewed = true;
  return RITT_OK;
}
