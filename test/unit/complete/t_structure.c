/* The transversal of greatest weight against all permutations; offsets against their definition;
 * both on random signatures with gaps. */
#include <stdlib.h>
#include "check.h"
#include "complete/complete_impl.h"

enum { MOST = 7, ABSENT = -1 };

static int sigma[MOST][MOST];

static void fill(int n, double density) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sigma[i][j] =
          (check_random() + 1) / 2 < density ? (int)((check_random() + 1) * 2.499) : ABSENT;
}

static ritti_signature sparse(int n, int *start, int *var, int *order) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    start[i] = count;
    for (int j = 0; j < n; j++)
      if (sigma[i][j] != ABSENT) var[count] = j, order[count++] = sigma[i][j];
  }
  start[n] = count;
  return (ritti_signature){n, start, var, order};
}

/* greatest weight by trying all permutations; -1: none */
static int brute(int n, int row, unsigned used) {
  if (row == n) return 0;
  int best = -1;
  for (int j = 0; j < n; j++) {
    if ((used >> j & 1) || sigma[row][j] == ABSENT) continue;
    int rest = brute(n, row + 1, used | 1u << j);
    if (rest >= 0 && rest + sigma[row][j] > best) best = rest + sigma[row][j];
  }
  return best;
}

static void check_offsets(int n, const ritti_signature *s, const int *equation_of,
                          const int *variable_of) {
  int c_least[MOST] = {0}, d_least[MOST] = {0}, c[MOST], d[MOST], least = 99;
  CHECK(ritti_offsets(s, variable_of, equation_of, c_least, d_least, c, d) == RITT_OK);
  bool valid = true, tight = true;
  for (int i = 0; i < n; i++) {
    if (c[i] < least) least = c[i];
    for (int j = 0; j < n; j++)
      if (sigma[i][j] != ABSENT && d[j] - c[i] < sigma[i][j]) valid = false;
    if (d[variable_of[i]] - c[i] != sigma[i][variable_of[i]]) tight = false;
  }
  CHECK(valid);
  CHECK(tight);
  CHECK(least == 0); /* canonical offsets start at 0 */

  /* raising one equation keeps them valid and tight, and lowers none */
  int raised[MOST], raised_d[MOST];
  c_least[0] = c[0] + 1;
  CHECK(ritti_offsets(s, variable_of, equation_of, c_least, d_least, raised, raised_d) == RITT_OK);
  for (int i = 0; i < n; i++)
    CHECK(raised[i] >= c[i] && raised_d[variable_of[i]] - raised[i] == sigma[i][variable_of[i]]);
  CHECK(raised[0] == c[0] + 1);
}

int main(void) {
  int start[MOST + 1], var[MOST * MOST], order[MOST * MOST], equation_of[MOST], variable_of[MOST],
      singular = 0;
  for (int test = 0; test < 4000; test++) {
    int n = 1 + test % MOST, weight = 0;
    bool perfect, consistent = true;
    fill(n, 0.25 + 0.6 * ((test / MOST) % 5) / 5);
    ritti_signature s = sparse(n, start, var, order);
    ritti_arena *arena = ritti_arena_new();
    CHECK(ritti_assign(&s, arena, equation_of, variable_of, &perfect) == RITT_OK);
    int best = brute(n, 0, 0);
    CHECK(perfect == (best >= 0));
    singular += !perfect;
    for (int i = 0; i < n; i++) {
      if (variable_of[i] < 0) continue;
      if (equation_of[variable_of[i]] != i || sigma[i][variable_of[i]] == ABSENT)
        consistent = false;
      else weight += sigma[i][variable_of[i]];
    }
    CHECK(consistent);
    if (perfect) {
      CHECK(weight == best);
      check_offsets(n, &s, equation_of, variable_of);
    }
    ritti_arena_free(arena);
  }
  CHECK(singular > 100 && singular < 3900); /* both kinds were met */
  return CHECKS_DONE();
}
