/* Output: tables as CSV, plots through gnuplot as a child process. */
#ifndef RITTI_OUTPUT_H
#define RITTI_OUTPUT_H

#include <stdio.h>
#include "base/base.h"

/* CSV: header line, then rows with 17 significant digits. Names with commas or quotes are quoted. */
typedef struct ritti_csv ritti_csv;
ritt_status ritti_csv_open(const char *path, const char *const *names, size_t count, ritt_error *error,
                           ritti_csv **out) RITT_USE; /* path "-": stdout */
ritt_status ritti_csv_row(ritti_csv *csv, const double *values) RITT_USE;
/* Flushes and closes; says when the disk was full. The file is complete lines whatever happened. */
ritt_status ritti_csv_close(ritti_csv *csv, ritt_error *error) RITT_USE;

/* A plot: panels of curves over stored columns. */
typedef struct ritti_plot_curve {
  int panel;
  const double *x, *y;
  size_t count;
  const char *x_name, *y_name;
} ritti_plot_curve;
/* Can a plot be written under this name? By its ending: .svg, .png, .pdf. */
bool ritti_plot_known(const char *path);
/* Format by the ending of path. A plot that was there stays when gnuplot fails. Without gnuplot:
 * RITT_SYSTEM with a message that says what to install. */
ritt_status ritti_plot_write(const char *path, const char *title, const ritti_plot_curve *curve,
                             size_t curves, ritt_error *error) RITT_USE;

#endif
