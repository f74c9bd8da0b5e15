/* The count of random systems: by kind, index and size, what was right, undecided and wrong. */
#ifndef RITT_TEST_TALLY_H
#define RITT_TEST_TALLY_H

#include "check.h"
#include "ritt.h"

#include <stdbool.h>

typedef enum { TALLY_RIGHT, TALLY_UNDECIDED, TALLY_WRONG } tally_verdict;
/* the run: not asked for; ended at the solution; stopped, with a reason; ended elsewhere */
typedef enum { TALLY_NOT_RUN, TALLY_SAME, TALLY_STOPPED, TALLY_OTHER } tally_run;

typedef struct tally_line {
  char name[64];
  int tried, verdict[3], run[4];
  double worst; /* error of a run */
} tally_line;

enum { TALLY_LINES = 64 };
static tally_line tally_at[TALLY_LINES];
static int tally_lines;

static inline tally_verdict tally_look(const ritt_check *c, const char *expected) {
  if (!strcmp(c->verdict, expected)) return TALLY_RIGHT;
  return strcmp(c->verdict, "undecided") ? TALLY_WRONG : TALLY_UNDECIDED;
}

static inline tally_line *tally_line_of(const char *name) {
  for (int i = 0; i < tally_lines; i++)
    if (!strcmp(tally_at[i].name, name)) return &tally_at[i];
  tally_line *l = &tally_at[tally_lines < TALLY_LINES - 1 ? tally_lines++ : TALLY_LINES - 1];
  snprintf(l->name, sizeof l->name, "%s", name);
  return l;
}

static inline void tally_count(const char *name, tally_verdict v, tally_run r, double error) {
  tally_line *l = tally_line_of(name);
  l->tried++, l->verdict[v]++, l->run[r]++;
  if (!(error <= l->worst)) l->worst = error;
}

/* index < 0: not known */
static inline void tally_add(const char *kind, int index, int unknowns, tally_verdict v,
                             tally_run r, double error) {
  char name[64];
  tally_count("all", v, r, error);
  tally_count(kind, v, r, error);
  if (index >= 0)
    snprintf(name, sizeof name, index < 5 ? "index %d" : "index 5 and more", index),
        tally_count(name, v, r, error);
  snprintf(name, sizeof name, "%s unknowns",
           unknowns <= 2   ? "1 or 2"
           : unknowns <= 4 ? "3 or 4"
           : unknowns <= 8 ? "5 to 8"
                           : "9 and more");
  tally_count(name, v, r, error);
}

static inline int tally_by_name(const void *a, const void *b) {
  return strcmp(((const tally_line *)a)->name, ((const tally_line *)b)->name);
}

/* The table, and what must hold: nothing wrong, at most 2 % undecided. Runs that stop say why,
 * and are no wrong answers, but they are rare. */
static inline int tally_done(int all) {
  printf(
      "\n| systems | tried | decided | undecided | wrong verdicts | runs compared | stopped | wrong runs "
      "| worst error |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  if (tally_lines > 1)
    qsort(tally_at + 1, (size_t)tally_lines - 1, sizeof *tally_at, tally_by_name);
  for (int i = 0; i < tally_lines; i++) {
    const tally_line *l = &tally_at[i];
    printf("| %s | %d | %d | %d | %d | %d | %d | %d | %.1e |\n", l->name, l->tried,
           l->verdict[TALLY_RIGHT], l->verdict[TALLY_UNDECIDED], l->verdict[TALLY_WRONG],
           l->run[TALLY_SAME] + l->run[TALLY_OTHER], l->run[TALLY_STOPPED], l->run[TALLY_OTHER],
           l->worst);
  }
  printf("\n");
  const tally_line *l = &tally_at[0];
  CHECK(l->tried == all);
  CHECK(l->verdict[TALLY_WRONG] == 0);
  CHECK(l->run[TALLY_OTHER] == 0);
  CHECK(l->verdict[TALLY_UNDECIDED] * 50 <= l->tried);
  CHECK(l->run[TALLY_STOPPED] * 1000 <= l->tried);
  return CHECKS_DONE();
}

#endif
