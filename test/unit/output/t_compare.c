/* Comparisons: the same rows, other rows with interpolation of its order, jumps, missing values,
 * and what cannot be compared. */
#include <stdlib.h>
#include <unistd.h>
#include "output/output.h"
#include "check.h"

static char folder[] = "/tmp/ritt-t_compare-XXXXXX", path[2][64];
static ritt_error *error;
static ritti_result result[2];
static ritti_comparison found;

/* One of the two results: its rows as they stand. */
static void set(int which, const char *const *names, size_t columns, const double *rows,
                size_t count) {
  ritti_about about = {.columns = columns, .name = names};
  ritti_writer *writer;
  ritti_result_free(&result[which]);
  CHECK(ritti_writer_open(path[which], RITTI_CSV, &about, error, &writer) == RITT_OK);
  for (size_t i = 0; i < count; i++)
    if (ritti_writer_row(writer, rows + i * columns) != RITT_OK) CHECK(!"row");
  CHECK(ritti_writer_close(writer, error) == RITT_OK);
  CHECK(ritti_result_read(path[which], error, &result[which]) == RITT_OK);
}

static ritt_status compare(void) {
  RITTI_ARRAY_FREE(found.column);
  ritt_error_clear(error);
  return ritti_compare(&result[0], &result[1], &found, error);
}
static const char *complaint(void) {
  CHECK(compare() == RITT_WRONG_CALL);
  return ritt_error_count(error) ? ritt_error_get(error, 0)->text : "";
}

static const char *const names[] = {"t", "x", "x'"};

static void check_same_rows(void) {
  double a[3][3] = {{0, 1, 5}, {1, -4, NAN}, {2, 3, 5}},
         b[3][3] = {{0, 1, 5}, {1, -4.5, NAN}, {2, 3.25, 5}};
  set(0, names, 3, a[0], 3), set(1, names, 3, b[0], 3);
  CHECK(compare() == RITT_OK && found.interpolated == 0 && found.points == 3 &&
        found.column.count == 2);
  CHECK(found.column.at[0].absolute == 0.5 && found.column.at[0].where == 1);
  CHECK_NEAR(found.column.at[0].relative, 0.5 / 4.5, 1e-15);
  CHECK(found.column.at[1].absolute == 0 && found.column.at[1].relative == 0 &&
        isnan(found.column.at[1].where));
  b[1][2] = 7; /* a value where the other has none */
  set(1, names, 3, b[0], 3);
  CHECK(compare() == RITT_OK && found.column.at[1].absolute == INFINITY &&
        found.column.at[1].where == 1);
}

/* sin t at steps of 1/n, and at other places; the largest difference is the error of interpolation
 */
static ritti_difference sine_error(int n, bool derivative, double sense) {
  static double fine[4000][4], coarse[50][4];
  size_t columns = derivative ? 3 : 2;
  for (int i = 0; i <= 6 * n; i++) {
    double t = sense * i / n, row[3] = {t, sin(t), cos(t)};
    memcpy((double *)fine + (size_t)i * columns, row, columns * sizeof(double));
  }
  for (int i = 0; i < 20; i++) { /* away from the ends */
    double t = sense * (1.511 + 0.1517 * i), row[2] = {t, sin(t)};
    memcpy((double *)coarse + (size_t)i * 2, row, sizeof row);
  }
  set(0, names, columns, fine[0], (size_t)(6 * n + 1)), set(1, names, 2, coarse[0], 20);
  CHECK(compare() == RITT_OK && found.interpolated == 1 && found.points == 20 &&
        found.column.count == 1);
  return found.column.count ? found.column.at[0] : (ritti_difference){0};
}

static void check_orders(void) {
  for (int sense = -1; sense <= 1; sense += 2) {
    ritti_difference a = sine_error(8, false, sense), b = sine_error(16, false, sense);
    CHECK(a.absolute < 1e-5 && a.absolute <= a.estimate && b.absolute <= b.estimate);
    CHECK_NEAR(log2(a.absolute / b.absolute), 6, 0.8); /* through six points */
    a = sine_error(4, true, sense), b = sine_error(8, true, sense);
    CHECK(a.absolute < 1e-7 && a.absolute <= a.estimate && b.absolute <= b.estimate);
    CHECK_NEAR(log2(a.absolute / b.absolute), 8, 0.8); /* and with derivatives through four */
  }
}

/* A polynomial of degree 5 is interpolated exactly; where it lies does not matter. */
static void check_ends(void) {
  double fine[9][2], coarse[33][2];
  for (int i = 0; i < 9; i++) fine[i][0] = i, fine[i][1] = pow(i - 3, 5) - i;
  for (int i = 0; i < 33; i++)
    coarse[i][0] = 0.25 * i, coarse[i][1] = pow(0.25 * i - 3, 5) - 0.25 * i;
  set(0, names, 2, fine[0], 9), set(1, names, 2, coarse[0], 7);
  CHECK(compare() == RITT_OK && found.interpolated == 1 && found.points == 7);
  CHECK(found.column.at[0].absolute < 1e-11);
  set(1, names, 2, coarse[26], 7); /* the other end */
  CHECK(compare() == RITT_OK && found.points == 7 && found.column.at[0].absolute < 1e-10);
  // two rows: a straight line, whose error nobody knows
  double two[2][2] = {{0, 0}, {2, 4}}, one[1][2] = {{0.5, 1}};
  set(0, names, 2, two[0], 2), set(1, names, 2, one[0], 1);
  CHECK(compare() == RITT_OK && found.column.at[0].absolute == 0 &&
        isnan(found.column.at[0].estimate));
}

/* A ball that bounces: its velocity jumps, and no polynomial goes across. */
static void check_jumps(void) {
  const char *const plain[] = {"t", "v", "g"};
  double fine[42][3], coarse[11][3];
  int n = 0;
  for (int i = 0; i <= 40; i++) {
    double t = 0.05 * i, v = i <= 20 ? 1 - t : 3 - t;
    if (i == 20) fine[n][0] = t, fine[n][1] = 1 - t, fine[n++][2] = 7;
    fine[n][0] = t, fine[n][1] = i == 20 ? 3 - t : v, fine[n++][2] = 7;
  }
  for (int i = 0; i <= 10; i++) {
    double t = 0.2 * i + (i < 10 ? 0.013 : 0);
    coarse[i][0] = t, coarse[i][1] = t < 1 ? 1 - t : 3 - t, coarse[i][2] = 7;
  }
  coarse[5][0] = 1, coarse[5][1] = 0; /* just before the jump */
  set(0, plain, 3, fine[0], 42), set(1, plain, 3, coarse[0], 11);
  CHECK(compare() == RITT_OK && found.interpolated == 1 && found.points == 11);
  CHECK(found.column.at[0].absolute < 1e-12);
  coarse[5][1] = 2; /* just behind it */
  set(1, plain, 3, coarse[0], 11);
  CHECK(compare() == RITT_OK && found.column.at[0].absolute < 1e-12);
}

static void check_refusals(void) {
  const char *const other[] = {"s", "x"}, *const strange[] = {"t", "z"};
  double rows[4][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}}, turns[3][2] = {{0, 1}, {2, 2}, {1, 3}};
  double far[2][2] = {{10, 1}, {11, 2}}, back[2][2] = {{2, 1}, {1, 2}};
  char expected[256];
  set(0, names, 2, rows[0], 4), set(1, other, 2, rows[0], 4);
  snprintf(expected, sizeof expected, "'%s' begins with 't', '%s' with 's'", path[0], path[1]);
  CHECK_TEXT(complaint(), expected);
  set(1, strange, 2, rows[0], 4);
  snprintf(expected, sizeof expected, "'%s' and '%s' have no column in common except 't'", path[0],
           path[1]);
  CHECK_TEXT(complaint(), expected);
  set(1, names, 2, turns[0], 3);
  snprintf(expected, sizeof expected, "'%s' turns back in its first column 't'", path[1]);
  CHECK_TEXT(complaint(), expected);
  set(1, names, 2, far[0], 2);
  snprintf(expected, sizeof expected, "'%s' and '%s' have no values of 't' in common", path[0],
           path[1]);
  CHECK_TEXT(complaint(), expected);
  set(1, names, 2, back[0], 2);
  CHECK_TEXT(complaint(), "the results go in opposite directions");
  set(1, names, 2, rows[0], 0);
  snprintf(expected, sizeof expected, "'%s' has no rows", path[1]);
  CHECK_TEXT(complaint(), expected);
}

int main(void) {
  if (!mkdtemp(folder)) return 1;
  for (int i = 0; i < 2; i++) snprintf(path[i], sizeof path[i], "%s/%c.csv", folder, 'a' + i);
  error = ritt_error_new();
  check_same_rows();
  check_orders();
  check_ends();
  check_jumps();
  check_refusals();
  RITTI_ARRAY_FREE(found.column);
  for (int i = 0; i < 2; i++) ritti_result_free(&result[i]), unlink(path[i]);
  ritt_error_free(error);
  CHECK(rmdir(folder) == 0);
  return CHECKS_DONE();
}
