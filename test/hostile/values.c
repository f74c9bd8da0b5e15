/* For t_places.c: what the tapes of a problem give, where one of their numbers is to be none. */
#include <math.h>
#include "eval/eval_impl.h"

bool is_no_number(void);
void __real_ritti_tape_execute(const ritti_tape *tape, ritt_real *row);
void __real_ritti_tape_execute_to(const ritti_tape *tape, ritt_real *row, size_t count, ritt_real *one,
                                  ritt_real *two);
void __wrap_ritti_tape_execute(const ritti_tape *tape, ritt_real *row);
void __wrap_ritti_tape_execute_to(const ritti_tape *tape, ritt_real *row, size_t count, ritt_real *one,
                                  ritt_real *two);

void __wrap_ritti_tape_execute(const ritti_tape *tape, ritt_real *row) {
  __real_ritti_tape_execute(tape, row);
  if (tape->count && is_no_number()) row[tape->code[tape->count - 1].out] = NAN;
}
void __wrap_ritti_tape_execute_to(const ritti_tape *tape, ritt_real *row, size_t count, ritt_real *one,
                                  ritt_real *two) {
  __real_ritti_tape_execute_to(tape, row, count, one, two);
  if (count && is_no_number()) one[0] = NAN;
}
