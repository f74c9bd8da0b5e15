/* A page of panels: what each panel shows and where it stands. Private to src/output. */
#ifndef RITTI_PAGE_H
#define RITTI_PAGE_H

#include "output_impl.h"

typedef struct ritti_axis {
  ritti_range range; /* the range as drawn, with margins */
  double step;       /* the distance of its marks */
  int digits;        /* the significant digits of the numbers at the marks */
  bool logarithmic;
  const char *label; /* NULL: the names of the columns */
} ritti_axis;

typedef struct ritti_panel {
  const ritti_plot_curve **curve;
  const ritti_points **points;
  size_t *number; /* the index of each curve among all curves of the plot */
  size_t curves;
  int dimensions;
  bool graph; /* x of each curve never turns back */
  bool equal; /* the axes have the same scale */
  enum { RITTI_NO_KEY, RITTI_KEY_ABOVE, RITTI_KEY_RIGHT } key;
  ritti_axis axis[3];
  /* the field between the axes, in pixels from the lower left corner of the page */
  double left, right, bottom, top;
} ritti_panel;

typedef struct ritti_page {
  const char *title;
  ritti_panel *panel;
  int panels, columns, rows;
  int width, height; /* in pixels */
} ritti_page;

/* Lays out the curves of a plot; everything lives in the arena. */
ritt_status ritti_page_make(const ritti_plot *plot, const ritti_points *points, ritti_arena *arena,
                            ritti_page *out) RITT_USE;

#endif
