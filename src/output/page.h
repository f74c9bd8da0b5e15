/* A page of panels: what each shows and where it stands. Private to src/output. */
#ifndef RITTI_PAGE_H
#define RITTI_PAGE_H

#include "output_impl.h"

typedef struct ritti_axis {
  ritti_range range; /* as drawn, with air */
  double step;       /* between its marks */
  int digits;        /* of the numbers at them */
} ritti_axis;

typedef struct ritti_panel {
  const ritti_plot_curve **curve;
  const ritti_points **points;
  size_t *number; /* of each curve among all */
  size_t curves;
  int dimensions;
  bool graph, equal; /* graphs only; axes of one scale */
  enum { RITTI_NO_KEY, RITTI_KEY_ABOVE, RITTI_KEY_RIGHT } key;
  ritti_axis axis[3];
  double left, right, bottom,
      top; /* of the field that the axes enclose, in pixels from the lower left corner */
} ritti_panel;

typedef struct ritti_page {
  const char *title;
  ritti_panel *panel;
  int panels, columns, rows;
  int width, height; /* in pixels */
} ritti_page;

ritt_status ritti_page_make(const ritti_plot *plot, const ritti_points *points, ritti_arena *arena,
                            ritti_page *out) RITT_USE;

#endif
