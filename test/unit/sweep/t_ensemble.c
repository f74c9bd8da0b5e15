/* What varies in a sweep: the values of each run, and wrong texts with their messages. */
#include "check.h"
#include "sweep/ensemble.h"

typedef struct reading {
  ritti_arena *arena;
  ritt_error *error;
  ritti_ensemble e;
  ritt_status status;
} reading;

static reading read(const char *a, const char *b, long runs) {
  const char *text[2] = {a, b};
  reading r = {.arena = ritti_arena_new(), .error = ritt_error_new()};
  ritti_ensemble_source source = {
      .text = text, .count = b ? 2 : 1, .origin = "--vary", .runs = runs, .seed = 5};
  r.status = ritti_ensemble_read(&source, r.arena, r.error, &r.e);
  return r;
}

static void end(reading r) { ritti_arena_free(r.arena), ritt_error_free(r.error); }

static void test_values(void) {
  reading r = read(" a = 1 : 10 :100", NULL, 0);
  CHECK(r.status == RITT_OK && r.e.runs == 100 && !r.e.random);
  CHECK_TEXT(r.e.vary[0].name, "a");
  CHECK(ritti_ensemble_value(&r.e, 1, 0) == 1 && ritti_ensemble_value(&r.e, 100, 0) == 10);
  for (int i = 0; i < 100; i++)
    CHECK_NEAR(ritti_ensemble_value(&r.e, i + 1, 0), 1 + i / 11.0, 1e-15 * 10);
  end(r);
  /* the last varies fastest, all pairs are there */
  r = read("a=[3,-1e-2, 0.5]", "x'~0:1:2", 0);
  CHECK(r.status == RITT_OK && r.e.runs == 6 && !r.e.vary[0].guess && r.e.vary[1].guess);
  CHECK_TEXT(r.e.vary[1].name, "x'");
  static const double a[6] = {3, 3, -1e-2, -1e-2, 0.5, 0.5}, x[6] = {0, 1, 0, 1, 0, 1};
  for (int i = 0; r.status == RITT_OK && i < 6; i++)
    CHECK(ritti_ensemble_value(&r.e, i + 1, 0) == a[i] &&
          ritti_ensemble_value(&r.e, i + 1, 1) == x[i]);
  end(r);
  /* draws go through the whole grid before any point of it comes again; more runs leave the first
   * as they are */
  r = read("a=[1,2,3]", "m[2]=normal(-2,0.5)", 9);
  reading more = read("a=[1,2,3]", "m[2]=normal(-2,0.5)", 30);
  CHECK(r.status == RITT_OK && more.status == RITT_OK && r.e.random);
  for (int run = 1; run <= 9; run++) {
    CHECK(ritti_ensemble_value(&r.e, run, 0) == 1 + (run - 1) % 3);
    double value = ritti_ensemble_value(&r.e, run, 1);
    CHECK(value == ritti_ensemble_value(&more.e, run, 1) && fabs(value + 2) < 4);
    CHECK(value == -2 + 0.5 * ritti_normal_quantile(ritti_random(5, (uint64_t)run, 1)));
  }
  end(r), end(more);
  r = read("a=uniform(-1,3)", NULL, 1000);
  for (int run = 1; run <= 1000; run++) {
    double value = ritti_ensemble_value(&r.e, run, 0);
    CHECK(value > -1 && value < 3);
  }
  end(r);
}

static void refused(const char *a, const char *b, long runs, const char *text, const char *hint) {
  reading r = read(a, b, runs);
  CHECK(r.status == RITT_WRONG_CALL && ritt_error_count(r.error) == 1);
  if (ritt_error_count(r.error)) CHECK_TEXT(ritt_error_get(r.error, 0)->text, text);
  if (ritt_error_count(r.error)) CHECK_TEXT(ritt_error_get(r.error, 0)->hint, hint);
  end(r);
}

static void test_wrong(void) {
  const char *forms =
      "write NAME=1:10:100, NAME=[1, 2, 5], NAME=normal(0, 0.1) or NAME=uniform(0, 1)";
  static const char *const nameless[] = {"g", "g=", "=1:2:3", "", " = ", "g= "};
  for (size_t i = 0; i < sizeof nameless / sizeof *nameless; i++) {
    char text[80];
    snprintf(text, sizeof text, "--vary needs NAME=VALUES, not '%s'", nameless[i]);
    refused(nameless[i], NULL, 0, text, forms);
  }
  static const char *const none[] = {
      "3",       "1:2",          "1:2:3:4",     "1::3",          "a:b:3",
      "[]",      "[1,]",         "[1,2",        "[1 2]",         "[1,2]3",
      "[inf]",   "normal(0,1",   "normal(0)",   "normal(0,1,2)", "normal(0,1)x",
      "nan:1:3", "uniform(0,a)", "gauss(0, 1)", "0x10:0x20:3",   "1e999:2:3"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    char spec[80], text[80];
    snprintf(spec, sizeof spec, "g=%s", none[i]);
    snprintf(text, sizeof text, "--vary g: '%s' does not describe values", none[i]);
    refused(spec, NULL, 0, text, forms);
  }
  refused("g=norml(0,1)", NULL, 0, "--vary g: 'norml(0,1)' does not describe values",
          "did you mean 'normal'?");
  refused("g=1:2:1", NULL, 0, "--vary g: a range cannot have 1 points",
          "a range contains both of its ends: give at least 2 points");
  refused("g=1:2:2.5", NULL, 0, "--vary g: a range cannot have 2.5 points",
          "a range contains both of its ends: give at least 2 points");
  refused("g=1:1:3", NULL, 0, "--vary g: the ends of the range are the same",
          "set a fixed value with --set");
  refused("g=normal(1,0)", NULL, 5, "--vary g: the standard deviation must be positive",
          "write normal(mean, deviation)");
  refused("g=uniform(1,1)", NULL, 5, "--vary g: the lower end must lie below the upper one",
          "write uniform(low, high)");
  refused("g=1:2:3", "g=[1]", 0, "--vary g is given twice", "give all its values at once");
  refused("g=1:2:100000", "h=1:2:100000", 0, "a grid of 1e+10 points is more than 1000000000 runs",
          "vary fewer names, or use coarser ranges");
  refused("g=normal(0,1)", NULL, 0,
          "if values are drawn at random, --runs gives the number of runs", "give --runs 1000");
  refused("g=1:2:3", NULL, 6,
          "--runs 6 would repeat or leave out runs: nothing is random and the grid has 3 points",
          "leave --runs out, or draw a value: NAME=normal(0, 0.1)");
  refused("g=1:2:3", "x=normal(0,1)", 10,
          "10 runs cannot be spread evenly over the 3 points of the grid", "use 9 or 12");
  refused("g=1:2:3", "x=normal(0,1)", 2,
          "2 runs cannot be spread evenly over the 3 points of the grid",
          "use 3, or a multiple of it");
}

int main(void) {
  test_values();
  test_wrong();
  return CHECKS_DONE();
}
