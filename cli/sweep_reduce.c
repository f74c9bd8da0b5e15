/* Statistics and histograms over the runs of a sweep. They are made from the finished table of final
 * values, so that they depend on nothing else. */
#include <errno.h>
#include <stdlib.h>
#include "sweep.h"

enum { BINS = 20 };

static int compare_numbers(const void *a, const void *b) {
  double first = *(const double *)a, second = *(const double *)b;
  return (first > second) - (first < second);
}

/* The p-quantile of sorted values, linear between them. */
static double find_quantile(const double *sorted, size_t count, double p) {
  double at = p * (double)(count - 1);
  size_t below = (size_t)at;
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* A line with the statistics of sorted values. */
static void add_statistics(ritti_text *out, const double *sorted, size_t count) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) sum += sorted[i];
  double mean = sum / (double)count;
  for (size_t i = 0; i < count; i++) squares += (sorted[i] - mean) * (sorted[i] - mean);
  double deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
  ritti_text_add(out, "%zu,%.17g,%.17g", count, mean, deviation);
  for (int i = 0; i <= 4; i++) ritti_text_add(out, ",%.17g", find_quantile(sorted, count, i / 4.0));
  ritti_text_add(out, "\n");
}

/* Lines with the number of sorted values in each of BINS equal parts of their range. */
static void add_histogram(ritti_text *out, const char *name, const double *sorted, size_t count) {
  double low = sorted[0], width = (sorted[count - 1] - low) / BINS;
  size_t from = 0;
  if (!(width > 0)) {
    ritti_text_add(out, "\"%s\",%.17g,%.17g,%zu\n", name, low, low, count);
    return;
  }
  for (int bin = 0; bin < BINS; bin++) {
    double end = bin == BINS - 1 ? sorted[count - 1] : low + (bin + 1) * width;
    size_t to = from;
    while (to < count && (sorted[to] < end || bin == BINS - 1)) to++;
    ritti_text_add(out, "\"%s\",%.17g,%.17g,%zu\n", name, low + bin * width, end, to - from);
    from = to;
  }
}

static ritt_status write_text(const char *path, const ritti_text *text, ritt_error *error) {
  if (!path) return RITT_OK;
  if (text->status != RITT_OK) return ritti_no_memory(error);
  return ritti_file_replace(path, text->at, text->count, error);
}

ritt_status cli_sweep_reduce(const char *final, size_t first, const char *statistics,
                             const char *histogram, ritt_error *error) {
  ritti_result table = {0};
  ritti_text lines = {0}, bins = {0};
  ritt_status status = ritti_result_read(final, error, &table);
  double *sorted = status == RITT_OK ? ritti_malloc((table.rows + 1) * sizeof *sorted) : NULL;
  if (status == RITT_OK && !sorted) status = ritti_no_memory(error);

  /* the finite values of each column, sorted */
  ritti_text_add(&lines, "column,count,mean,deviation,least,quartile1,median,quartile3,largest\n");
  ritti_text_add(&bins, "column,low,high,count\n");
  for (size_t i = first; status == RITT_OK && i < table.about->columns; i++) {
    size_t count = 0;
    for (size_t k = 0; k < table.rows; k++)
      if (isfinite(table.column[i][k])) sorted[count++] = table.column[i][k];
    const char *name = table.about->name[i];
    ritti_text_add(&lines, "\"%s\",", name);
    if (!count) {
      ritti_text_add(&lines, "0,nan,nan,nan,nan,nan,nan,nan\n");
      continue;
    }
    qsort(sorted, count, sizeof *sorted, compare_numbers);
    add_statistics(&lines, sorted, count);
    add_histogram(&bins, name, sorted, count);
  }

  /* write the files */
  if (status == RITT_OK) status = write_text(statistics, &lines, error);
  if (status == RITT_OK) status = write_text(histogram, &bins, error);
  ritti_free(sorted);
  ritti_result_free(&table);
  ritti_text_free(&lines);
  ritti_text_free(&bins);
  return status;
}
