/* Decisions with many digits: what is selected, what is dependent, what contradicts, and that none of it
 * depends on the units of equations and unknowns. */
#include <stdlib.h>
#include "check.h"
#include "complete/decide.h"

typedef struct answer {
  ritti_selection_verdict verdict;
  int free_values, opens, deads, index, rows;
  bool proved;
} answer;

static answer decide_text(const char *text) {
  ritt_error *error = ritt_error_new();
  ritti_arena *arena = ritti_arena_new();
  ritti_model *model = NULL;
  ritt_check check = {0};
  answer a = {.verdict = RITTI_UNDECIDABLE, .index = -2};
  bool read = ritti_model_read(text, strlen(text), "m", NULL, 0, error, &model) == RITT_OK;
  CHECK(read);
  if (!read) return a;
  ritti_completion C = {
      .model = model, .dag = model->dag, .arena = arena, .error = error, .check = &check};
  CHECK(ritti_check_begin(model, arena, &check) == RITT_OK);
  CHECK(ritti_find_structure(&C) == RITT_OK);
  int *top = calloc((size_t)C.n + 1, sizeof *top);
  ritti_decision d;
  ritti_find_orders(&C, top);
  CHECK(ritti_decide_at_points(&C, top, &d) == RITT_OK);
  const ritti_selection *s = &d.selection;
  if (s->verdict == RITTI_SELECTED)
    CHECK(ritti_select_index(d.backend, model->equations, C.n, top, s, 14, arena, &a.index) ==
          RITT_OK);
  a.verdict = s->verdict;
  a.free_values = s->free_values;
  a.opens = s->opens;
  a.deads = s->deads;
  a.rows = s->rows;
  a.proved = d.proved;
  ritti_decision_clear(&d);
  ritti_completion_clear(&C);
  ritti_model_free(model);
  ritti_arena_free(arena);
  ritt_error_free(error);
  free(top);
  return a;
}

static void check_selected(const char *text, int free_values, int index, int rows) {
  answer a = decide_text(text);
  CHECK(a.verdict == RITTI_SELECTED && a.opens == 0);
  CHECK(a.free_values == free_values && a.index == index);
  CHECK(rows < 0 || a.rows == rows);
}

int main(void) {
  /* five rows: the rod and its two derivatives */
  check_selected("model m\nvariable x, y, l\nequation\n  x'' = l*x\n  y'' = l*y - 9.81\n"
                 "  x^2 + y^2 = 1\nstart t = 0\n  x ~ 0.6, y ~ -0.8\n",
                 2, 3, 5);
  /* a coefficient that vanishes on the set: u' + u = 0 is left */
  check_selected("model m\nvariable y, u\nequation\n  y*u'' + u' + u = 0\n  y = 0\n", 1, 1, -1);

  /* the last support follows from the other two: one direction of forces is open */
  answer beam =
      decide_text("model m\nvariable z, a, l1, l2, l3\nequation\n  z'' = -9.81 + l1 + l2 + l3\n"
                  "  a'' = l1 - l2\n  z + a = 0\n  z - a = 0\n  z = 0\n");
  CHECK(beam.verdict == RITTI_SELECTED && beam.free_values == 0);
  CHECK(beam.opens == 1 && beam.deads == 1);

  /* a linear contradiction is proved */
  answer none =
      decide_text("model m\nvariable x, y\nequation\n  x' = y + t\n  x + y = 1\n  x' + x = 1\n");
  CHECK(none.verdict == RITTI_CONTRADICTION && none.proved);

  /* the same pendulum in units 1e9 and 1e-12 apart, and its rows multiplied */
  check_selected("model m\nvariable x, y, l\nequation\n  1e12*x'' = 1e12*l*x\n"
                 "  1e-12*y'' = 1e-12*(l*y - 9.81e9)\n  x^2 + y^2 = 1e18\n"
                 "start t = 0\n  x ~ 0.6e9, y ~ -0.8e9\n",
                 2, 3, 5);
  check_selected("model m\nvariable x, y, l\nequation\n  x'' = l*x\n  y'' = l*y - 9.81e-9\n"
                 "  x^2 + y^2 = 1e-18\nstart t = 0\n  x ~ 0.6e-9, y ~ -0.8e-9\n",
                 2, 3, 5);
  return CHECKS_DONE();
}
