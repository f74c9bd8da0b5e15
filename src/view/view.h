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

/* A page with a model in it, and the engine that answers its questions: the program behind `ritt
 * serve`, or the library inside a browser. */
typedef struct ritti_page {
  ritt_options options; /* of runs */
  /* Called ten times a second during a run, with the part of the run that is done. Return RITT_OK to
   * continue. */
  ritt_status (*progress)(void *user, double part, const ritt_progress *now);
  /* Called with the view up to now, at longer and longer intervals. */
  void (*show)(void *user, const char *view);
  void *user;
  ritti_text answer; /* to the last question, as JSON */
  ritti_text table;  /* the rows of the last run, as CSV */
} ritti_page;

/* Answers the question "check", "run" or "emit" (the solver in C) about the model. If it could not be
 * read, status says so and model is NULL. The messages become a part of the answer. */
void ritti_page_answer(ritti_page *page, const char *what, ritt_model *model, ritt_status status,
                       ritt_error *error);
/* Answers with the libraries of components: {"planar": text}. */
void ritti_page_answer_libraries(ritti_page *page);
/* Sets the parameters in the lines NAME=VALUE, which are taken apart. */
ritt_status ritti_page_set_values(ritt_model *model, char *values, ritt_error *error) RITT_USE;
/* The answer as text; never NULL. */
const char *ritti_page_get_answer(const ritti_page *page);
void ritti_page_free(ritti_page *page);

/* Writes the page that `ritt serve` sends. It asks its server for everything else. */
void ritti_page_write(ritti_text *out);

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
