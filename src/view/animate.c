/* Animations: the format by the name of the file; films by the program ffmpeg, from the GIF. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "process/child.h"
#include "view_impl.h"

ritti_animation ritti_animation_of_path(const char *path) {
  static const char *const ending[] = {
      [RITTI_SVG] = ".svg", [RITTI_GIF] = ".gif", [RITTI_MP4] = ".mp4"};
  size_t length = strlen(path);
  for (int i = RITTI_SVG; i <= RITTI_MP4; i++)
    if (length > 4 && path[length - 5] != '/' && !strcmp(path + length - 4, ending[i]))
      return (ritti_animation)i;
  return RITTI_NO_ANIMATION;
}

/* Reads a whole file into the text. */
static bool read_file(const char *path, ritti_text *out) {
  FILE *f = fopen(path, "rb");
  char buffer[4096];
  if (!f) return false;
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
    ritti_text_add_bytes(out, buffer, n);
  bool whole = !ferror(f);
  fclose(f);
  return whole && out->count > 0;
}

static bool write_file(const char *path, const ritti_text *text) {
  FILE *f = fopen(path, "wb");
  if (!f) return false;
  bool whole = fwrite(text->at, 1, text->count, f) == text->count;
  return fclose(f) == 0 && whole;
}

/* Turns a GIF into a film. Both are files in a folder of their own: ffmpeg must be able to go back in
 * a GIF, so it cannot read one from a pipe. */
static ritt_status make_film(const ritti_text *gif, ritti_text *out, ritt_error *error) {
  char folder[] = "/tmp/ritt-XXXXXX", from[64], to[64];
  if (!mkdtemp(folder))
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot make a folder in /tmp: %s",
                      strerror(errno));
  snprintf(from, sizeof from, "%s/film.gif", folder);
  snprintf(to, sizeof to, "%s/film.mp4", folder);
  const char *arguments[] = {"ffmpeg",   "-v",      "error",     "-i",         from, "-an",
                             "-pix_fmt", "yuv420p", "-movflags", "+faststart", to,   NULL};
  ritti_child child;
  ritti_talk talk = {.last = true, .seconds = 300};
  bool done = write_file(from, gif);
  int failed = done ? ritti_child_start(&child, arguments) : errno;
  if (!failed) {
    ritti_talk_end end = ritti_child_talk(&child, &talk);
    int code = ritti_child_end(&child, end != RITTI_TALK_DONE);
    done = end == RITTI_TALK_DONE && code == 0 && read_file(to, out);
  }
  unlink(from);
  unlink(to);
  rmdir(folder);
  ritt_status status = RITT_OK;
  if (failed)
    status = ritti_fail(error, RITT_SYSTEM, NULL, "install ffmpeg, or write a .gif or .svg",
                        "a film needs the program ffmpeg: %s", strerror(failed));
  else if (!done)
    status = ritti_fail(error, RITT_SYSTEM, NULL, "write a .gif or .svg", "ffmpeg failed: %.300s",
                        talk.err.at ? talk.err.at : "no message");
  ritti_text_free(&talk.out);
  ritti_text_free(&talk.err);
  return status;
}

ritt_status ritti_view_animate(ritti_view *v, ritti_animation format, ritti_text *out,
                               ritt_error *error) {
  if (ritti_view_finish(v) != RITT_OK) return ritti_no_memory(error);
  if (!v->figures)
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "add a section 'scene', for example with the line 'point (x, y)'",
                      "the model '%s' has no scene, so there is nothing to animate", v->name);
  if (ritti_view_rows(v) < 2)
    return ritti_fail(error, RITT_STOPPED, NULL, NULL,
                      "the run has fewer than two points, so there is nothing to animate");
  ritt_status status = RITT_OK;
  if (format == RITTI_SVG) status = ritti_view_write_svg(v, out);
  if (format == RITTI_GIF) status = ritti_view_write_gif(v, out);
  if (format == RITTI_MP4) {
    ritti_text gif = {0};
    status = ritti_view_write_gif(v, &gif);
    if (status == RITT_OK) status = make_film(&gif, out, error);
    ritti_text_free(&gif);
  }
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}
