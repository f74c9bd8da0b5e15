/* Pictures that move: the scene and the plots of a run, as one page with everything in it, as an
 * animated SVG or GIF, or as data for a page. */
#ifndef RITTI_VIEW_H
#define RITTI_VIEW_H

#include "base/base.h"

typedef struct ritti_view ritti_view;

/* Prepares the view of a model. From then on the rows of the model contain its scene; call this
 * before anything else is computed. */
ritt_status ritti_view_new(ritt_model *model, ritt_error *error, ritti_view **out) RITT_USE;
void ritti_view_free(ritti_view *view);
/* The number of points for which `fine_points` of ritt_options should ask. */
long ritti_view_fine_points(const ritti_view *view);
/* Has the model a scene? */
bool ritti_view_has_scene(const ritti_view *view);

/* Adds a point of the solution. Points are thinned out if there are very many. */
ritt_status ritti_view_add(ritti_view *view, const double *values) RITT_USE;
/* Adds a point of an event or section, for the plots that show it. */
ritt_status ritti_view_add_event(ritti_view *view, const char *event,
                                 const double *values) RITT_USE;

/* Writes all points, shapes and curves as one JSON object. `summary` is a text about the run, or
 * NULL. */
ritt_status ritti_view_write_data(ritti_view *view, const char *summary, ritti_text *out) RITT_USE;
/* Writes a page that shows the run. It needs no other file. */
ritt_status ritti_view_write_page(ritti_view *view, const char *summary, ritti_text *out) RITT_USE;

/* A run for a page. The functions are called with `user`. */
typedef struct ritti_page_run {
  ritt_options options;
  ritt_row row; /* every row; NULL: rows are not needed */
  /* after every step; the view has the points up to now. Return RITT_OK to continue. */
  ritt_status (*step)(void *user, ritti_view *view, const ritt_progress *now);
  void *user;
} ritti_page_run;
/* Runs the model and adds `"view":{...},`, as far as the run came. */
ritt_status ritti_page_run_model(ritt_model *model, const ritti_page_run *run, ritti_text *out,
                                 ritt_error *error) RITT_USE;
/* Adds `"messages":[...]`. */
void ritti_page_add_messages(const ritt_error *error, ritti_text *out);

/* Writes the page of `ritt serve`, which asks its server for the data. */
void ritti_view_write_server_page(ritti_text *out);

/* The formats of animations. */
typedef enum ritti_animation {
  RITTI_NO_ANIMATION,
  RITTI_SVG,
  RITTI_GIF,
  RITTI_MP4
} ritti_animation;
/* The format by the ending of a path: .svg, .gif, .mp4. */
ritti_animation ritti_animation_of_path(const char *path);
/* Writes the scene as an animation; MP4 needs the program ffmpeg. A model without a scene is refused
 * with a message. */
ritt_status ritti_view_animate(ritti_view *view, ritti_animation format, ritti_text *out,
                               ritt_error *error) RITT_USE;

#endif
