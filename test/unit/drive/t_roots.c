/* Roots along a step against functions whose roots are known: none, one, several, pairs that are
 * near, touching zeros, zeros at the ends, a function that leaves its own zero. */
#include "check.h"
#include "drive/roots.h"

static ritt_real shift, wave;
static ritt_status sine(void *context, ritt_real theta, ritt_real *value) {
  (void)context;
  *value = sin(wave * theta) - shift;
  return RITT_OK;
}
static ritt_status parabola(void *context, ritt_real theta, ritt_real *value) {
  (void)context;
  *value = (theta - 0.3) * (theta - 0.3) + shift;
  return RITT_OK;
}
static ritt_status cubic(void *context, ritt_real theta, ritt_real *value) {
  (void)context;
  *value = (theta - 0.2) * (theta - 0.5) * (theta - 0.500001);
  return RITT_OK;
}
/* a pole at 0.3 + shift, a root at 0.8 */
static ritt_status hyperbola(void *context, ritt_real theta, ritt_real *value) {
  (void)context;
  *value = 1 / (theta - 0.3 - shift) - 2 / (1 - 2 * shift);
  return RITT_OK;
}
static ritt_status jump(void *context, ritt_real theta, ritt_real *value) {
  (void)context;
  *value = theta < shift ? 1 + theta : -1;
  return RITT_OK;
}
static ritt_status nowhere(void *context, ritt_real theta, ritt_real *value) {
  (void)context;
  *value = sqrt(theta - 0.5);
  return RITT_OK;
}

static int find(ritt_status (*at)(void *, ritt_real, ritt_real *), ritt_real level, int *side,
                ritti_root *root) {
  ritt_real cosine[2 * RITTI_COSINES];
  ritti_fill_cosines(cosine);
  ritti_function g = {.at = at, .resolve = true, .cosine = cosine};
  int count;
  CHECK(ritti_find_roots(&g, level, side, root, 16, &count) == RITT_OK);
  return count;
}

static void test_several(void) {
  ritti_root root[16];
  wave = 10, shift = 0.25;
  int side = -1, count = find(sine, 1e-10, &side, root);
  /* 10 theta = asin(1/4) + 2 pi k or pi - asin(1/4) + 2 pi k, below 10 */
  double a = asin(0.25),
         expected[4] = {a, RITTI_PI_NUMBER - a, a + 2 * RITTI_PI_NUMBER, 3 * RITTI_PI_NUMBER - a};
  CHECK(count == 4);
  for (int i = 0; i < 4 && i < count; i++) {
    CHECK_NEAR(root[i].theta, expected[i] / 10, 1e-14);
    CHECK(root[i].sense == (i % 2 ? -1 : 1));
  }
  CHECK(side == -1); /* sin 10 < 1/4 */
}

static void test_touching(void) {
  ritti_root root[16];
  int side = 1;
  shift = 0;
  CHECK(find(parabola, 1e-10, &side, root) == 1);
  CHECK(root[0].sense == 0);
  CHECK_NEAR(root[0].theta, 0.3, 1e-7);
  /* a little above zero and a little below: within the level the same, beyond it none and two */
  for (int sign = -1; sign <= 1; sign += 2) {
    shift = sign * 1e-12, side = 1;
    CHECK(find(parabola, 1e-10, &side, root) == 1 && root[0].sense == 0);
    shift = sign * 1e-8, side = 1;
    int count = find(parabola, 1e-10, &side, root);
    CHECK(count == (sign < 0 ? 2 : 0));
    if (count != 2) continue;
    CHECK_NEAR(root[0].theta, 0.3 - 1e-4, 1e-11);
    CHECK_NEAR(root[1].theta, 0.3 + 1e-4, 1e-11);
  }
}

static void test_near_pair(void) {
  ritti_root root[16];
  int side = -1, count = find(cubic, 1e-15, &side, root);
  CHECK(count == 3);
  CHECK_NEAR(root[0].theta, 0.2, 1e-13);
  CHECK_NEAR(root[1].theta, 0.5, 1e-9);
  CHECK_NEAR(root[2].theta, 0.500001, 1e-9);
  side = -1;
  count = find(cubic, 1e-10, &side, root); /* the pair cannot be told from a touching zero */
  CHECK(count == 2 && root[0].sense == 1 && root[1].sense == 0);
}

static void test_ends(void) {
  ritti_root root[16];
  wave = RITTI_PI_NUMBER, shift = 0;
  int side =
      0; /* sin(pi theta) leaves its zero at 0, reaches the next at 1: nothing settled beyond it */
  CHECK(find(sine, 1e-10, &side, root) == 0);
  CHECK(side == 1);
  side = -1; /* it comes from below: a root at 0 */
  CHECK(find(sine, 1e-10, &side, root) == 1);
  CHECK(root[0].theta == 0 && root[0].sense == 1);
  wave = -0.1,
  side = 1; /* the zero lies at the end of the last step: it is found at the start of this one */
  CHECK(find(sine, 1e-10, &side, root) == 1);
  CHECK(root[0].sense == -1 && root[0].theta < 1e-8);
}

/* Changes of side that are not roots, and more roots than one interpolant tells. */
static void test_pieces(void) {
  ritti_root root[16];
  for (int i = 0; i < 50; i++) {
    int side = -1;
    shift = 0.2 * sin(i); /* 1/(0.5 - shift) = 2/(1 - 2 shift) */
    int count = find(hyperbola, 1e-12, &side, root);
    CHECK(count == 2 && root[0].through && root[0].sense == 1 && !root[1].through &&
          root[1].sense == -1);
    CHECK_NEAR(root[0].theta, 0.3 + shift, 1e-14);
    CHECK_NEAR(root[1].theta, 0.8, 1e-13);
    side = 1, shift = 0.5 + 0.4 * sin(i);
    count = find(jump, 1e-12, &side, root);
    CHECK(count == 1 && root[0].through && root[0].sense == -1);
    CHECK_NEAR(root[0].theta, shift, 1e-15);
  }
  wave = 1000, shift = 0;
  int side = 0, count;
  ritt_real cosine[2 * RITTI_COSINES];
  ritti_fill_cosines(cosine);
  ritti_function g = {.at = sine, .resolve = true, .cosine = cosine};
  ritti_root many[400];
  CHECK(ritti_find_roots(&g, 1e-12, &side, many, 400, &count) == RITT_OK && count == 318);
  for (int i = 0; i < count; i++)
    CHECK_NEAR(many[i].theta, (i + 1) * RITTI_PI_NUMBER / 1000, 1e-14);
  wave = 1e6, side = 0; /* the first of them, as many as there is room for */
  CHECK(ritti_find_roots(&g, 1e-12, &side, many, 400, &count) == RITT_OK && count == 400);
  for (int i = 0; i < count; i++) CHECK_NEAR(many[i].theta, (i + 1) * RITTI_PI_NUMBER / 1e6, 1e-14);
}

int main(void) {
  test_several();
  test_pieces();
  test_touching();
  test_near_pair();
  test_ends();
  ritt_real cosine[2 * RITTI_COSINES];
  ritti_fill_cosines(cosine);
  ritti_function g = {.at = nowhere, .cosine = cosine};
  ritti_root root[4];
  int side = 1, count;
  CHECK(ritti_find_roots(&g, 0, &side, root, 4, &count) == RITT_RETRY);
  return CHECKS_DONE();
}
