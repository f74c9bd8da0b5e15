/* Block triangular form of random patterns: every row holds columns of its own and of earlier blocks
 * only, and the blocks are the strongly connected components found by reachability. */
#include <stdlib.h>
#include "check.h"
#include "complete/complete.h"

enum { MOST = 7, TRIALS = 4000 };

static bool entry[MOST][MOST];

static ritti_pattern fill(int n, double density, int *start, int *col) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    start[i] = count;
    for (int j = 0; j < n; j++) {
      entry[i][j] = (check_random() + 1) / 2 < density;
      if (entry[i][j]) col[count++] = j;
    }
  }
  start[n] = count;
  return (ritti_pattern){n, n, start, col};
}

/* Is there a way to give each row from `row` on a column of its own? */
static bool has_transversal(int n, int row, unsigned used) {
  if (row == n) return true;
  for (int j = 0; j < n; j++)
    if (entry[row][j] && !(used >> j & 1) && has_transversal(n, row + 1, used | 1u << j))
      return true;
  return false;
}

/* reach[i][k]: row i needs row k, by the pairs of rows and columns. */
static void find_reachable(int n, const int *column_of, bool reach[MOST][MOST]) {
  int row_of[MOST];
  for (int i = 0; i < n; i++) row_of[column_of[i]] = i;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) reach[i][k] = i == k;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (entry[i][j]) reach[i][row_of[j]] = true;
  for (int m = 0; m < n; m++)
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++) reach[i][k] = reach[i][k] || (reach[i][m] && reach[m][k]);
}

static void check_blocks(int n, const ritti_blocks *b) {
  int block_of[MOST], block_of_column[MOST], column_of[MOST], seen = 0;
  bool reach[MOST][MOST];
  CHECK(b->start[0] == 0 && b->start[b->count] == n);
  for (int k = 0; k < b->count; k++)
    for (int i = b->start[k]; i < b->start[k + 1]; i++) {
      block_of[b->row[i]] = block_of_column[b->column[i]] = k;
      column_of[b->row[i]] = b->column[i];
      seen |= 1 << b->row[i] | 1 << (b->column[i] + MOST);
      CHECK(entry[b->row[i]][b->column[i]]);
    }
  CHECK(seen == ((1 << n) - 1) * (1 + (1 << MOST)));
  find_reachable(n, column_of, reach);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      if (entry[i][k]) CHECK(block_of_column[k] <= block_of[i]);
      CHECK((block_of[i] == block_of[k]) == (reach[i][k] && reach[k][i]));
    }
}

int main(void) {
  int start[MOST + 1], col[MOST * MOST], with = 0, without = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    int n = 1 + trial % MOST;
    ritti_pattern pattern = fill(n, 0.15 + 0.5 * (trial % 11) / 10, start, col);
    ritti_arena *arena = ritti_arena_new();
    ritti_blocks blocks;
    CHECK(ritti_find_blocks(&pattern, arena, &blocks) == RITT_OK);
    bool square = has_transversal(n, 0, 0);
    CHECK((blocks.count > 0) == square);
    if (blocks.count > 0) check_blocks(n, &blocks);
    with += square;
    without += !square;
    ritti_arena_free(arena);
  }
  CHECK(with > TRIALS / 10 && without > TRIALS / 10);
  return CHECKS_DONE();
}
