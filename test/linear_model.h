/* Models read as linear systems with constant coefficients, with their backend modulo primes. */
#ifndef RITT_TEST_LINEAR_MODEL_H
#define RITT_TEST_LINEAR_MODEL_H

#include <stdlib.h>
#include "check.h"
#include "complete/linear.h"
#include "linear_system.h"

/* ---- a model, read as a linear system ---- */

typedef struct read_system {
  ritti_model *model;
  ritti_arena *arena;
  ritt_error *error;
  ritti_linear linear;
  ritti_backend backend;
  bool read; /* every equation is linear with constant coefficients, and there is a backend */
} read_system;

/* Reads the equations that are linear with constant coefficients, if `part`, or all of them. The
 * variables of a part are those that occur in its equations. */
static inline void read_linear(read_system *R, const char *text, bool part) {
  ritti_completion C = {0};
  *R = (read_system){.arena = ritti_arena_new(), .error = ritt_error_new()};
  CHECK(ritti_model_read(text, strlen(text), "test", NULL, 0, R->error, &R->model) == RITT_OK);
  if (!R->model) {
    printf("%s%s\n", text, ritt_error_get(R->error, 0)->text);
    return;
  }
  int equations = R->model->equations, variables = R->model->variables, count = 0, columns = 0;
  bool *linear = linear_memory((size_t)equations, sizeof *linear);
  int *equation = linear_memory((size_t)equations, sizeof *equation);
  int *part_of = linear_memory((size_t)variables, sizeof *part_of);
  C.model = R->model;
  C.dag = R->model->dag;
  C.arena = R->arena;
  C.residual = linear_memory((size_t)equations, sizeof *C.residual);
  for (int i = 0; i < equations; i++) C.residual[i] = R->model->equation[i].residual;

  CHECK(ritti_linear_mark(&C, linear) == RITT_OK);
  R->read = true;
  for (int j = 0; j < variables; j++) part_of[j] = part ? -1 : columns++;
  for (int i = 0; i < equations; i++) {
    ritti_nodes jets;
    R->read = R->read && (linear[i] || part);
    if (!linear[i]) continue;
    equation[count++] = i;
    CHECK(ritti_leaves(C.dag, C.residual[i], RITTI_JET, &jets) == RITT_OK);
    for (size_t k = 0; k < jets.count; k++) {
      int *of = &part_of[ritti_index_of(C.dag, jets.at[k])];
      if (*of < 0) *of = columns++;
    }
    ritti_free(jets.at);
  }
  if (R->read) {
    CHECK(ritti_linear_read(&C, equation, count, part_of, columns, &R->linear) == RITT_OK);
    R->read = ritti_modular_backend(&R->linear, R->arena, &R->backend) == RITT_OK;
  }
  free(linear);
  free(equation);
  free(part_of);
  free(C.residual);
}

static inline void read_text(read_system *R, const char *text) { read_linear(R, text, false); }

static inline void clear_system(read_system *R) {
  ritti_model_free(R->model);
  ritti_arena_free(R->arena);
  ritt_error_free(R->error);
}

/* All equations differentiated 0 .. most times, by order. */
static inline ritti_echelon_row *eliminate_all(read_system *R, int most, const int *top,
                                               bool *open) {
  int equations = R->linear.equations, count = 0;
  ritti_row_id *rows = linear_memory((size_t)(equations * (most + 1)), sizeof *rows);
  ritti_echelon_row *out =
      ritti_arena_alloc(R->arena, (size_t)(equations * (most + 1)) + 1, sizeof *out);
  for (int r = 0; r <= most; r++)
    for (int i = 0; i < equations; i++) rows[count++] = (ritti_row_id){i, r};
  CHECK(R->backend.echelon(R->backend.data, rows, count, top, open, R->arena, out) == RITT_OK);
  free(rows);
  return out;
}

static inline int pick(int count) {
  int i = (int)((check_random() + 1) / 2 * count);
  return i < count ? i : count - 1;
}

static inline linear_number pick_number(void) {
  long value = 1 + pick(9);
  return (linear_number){pick(2) ? value : -value, 1 + pick(3), pick(4) ? 0 : pick(25) - 12};
}

#endif
