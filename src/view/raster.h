/* A picture of pixels, on white. */
#ifndef RITTI_RASTER_H
#define RITTI_RASTER_H

#include "view_impl.h"

typedef struct ritti_raster {
  int width, height;
  ritti_colour *pixel;
  uint8_t *mask;
  RITTI_ARRAY(double) crossing;
} ritti_raster;

ritt_status ritti_raster_init(ritti_raster *raster, int width, int height) RITT_USE;
void ritti_raster_free(ritti_raster *raster);
/* Draws all marks on white; in space the far ones first. */
ritt_status ritti_raster_draw(ritti_raster *raster, ritti_drawing *drawing, bool space) RITT_USE;
/* Writes words with their base line at (x, y). */
void ritti_raster_words(ritti_raster *raster, double x, double y, double size, const char *text,
                        ritti_colour colour);

#endif
