/* The words in which the kernels are written, for one run at a time.
 *
 * The elementary functions (base/elementary.h), the small dense kernels (linalg/small.h) and the step
 * kernel (geometry/step_kernel.h) are one text for any number of runs. The library, quadruple precision, emitted C and native code for one run
 * read this header. Native batches define the same words for vectors with one lane for each of
 * RITTI_WIDTH runs (codegen/unit.c) and leave this header out. A lane that is off keeps its values
 * while others go on; at width 1 the code of a lane that is off does not run at all, so conditions
 * are short-circuit.
 */
#ifndef RITTI_WIDTH_H
#define RITTI_WIDTH_H

#include "base/base.h"

#define RITTI_WIDTH 1

typedef ritt_real ritti_single; /* a number of one run or of the method: never a vector */
typedef bool ritti_mask;        /* the lanes that are meant */
#ifndef RITTI_GPU
#define RITTI_COUNT long
#else
#define RITTI_COUNT int
#endif
typedef RITTI_COUNT ritti_count; /* a number of events in each lane */

#define RITTI_ZERO                       0
#define RITTI_NO_LANE                    false
#define RITTI_ALL_LANES                  true
#define RITTI_ANY(mask)                  (mask)
#define RITTI_NOT(mask)                  (!(mask))
#define RITTI_SELECT(condition, yes, no) ((condition) ? (yes) : (no))
/* place = value in lanes for which the condition does not hold */
#define RITTI_STORE_UNLESS(condition, place, value)                                                \
  ((condition) ? (void)0 : (void)((place) = (value)))
#ifndef RITTI_GPU
#define RITTI_ALONE     1 /* a run that fails leaves at once */
#define RITTI_AND(a, b) ((a) && (b))
#define RITTI_OR(a, b)  ((a) || (b))
/* The value in lanes that are on, `old` in the others */
#define RITTI_IF_ON(on, value, old) (value)
/* No lane is on: the code that follows may be left out. */
#define RITTI_NONE(on) (!RITTI_ANY(on))
#else
/* The threads of a GPU go side by side: few branches, as in the lanes of a batch. */
#define RITTI_ALONE                 0
#define RITTI_AND(a, b)             ((bool)((a) & (b)))
#define RITTI_OR(a, b)              ((bool)((a) | (b)))
#define RITTI_IF_ON(on, value, old) ((on) ? (value) : (old))
#define RITTI_NONE(on)              false
#endif
/* Counts one more in the lanes that are on. */
#define RITTI_COUNT_ONE(counter, on) ((counter) += (on))
/* The number of lane l */
#define RITTI_LANE(number, l) (number)

#ifndef RITT_QUAD
/* The bits of a double, and back */
typedef long long ritti_bits;
static inline ritti_bits ritti_to_bits(ritti_single number) {
  union {
    ritti_single number;
    ritti_bits bits;
  } both;
  both.number = number;
  return both.bits;
}
static inline ritti_single ritti_to_number(ritti_bits bits) {
  union {
    ritti_single number;
    ritti_bits bits;
  } both;
  both.bits = bits;
  return both.number;
}
#define RITTI_TO_BITS(number)     ritti_to_bits(number)
#define RITTI_TO_REAL(bits)       ritti_to_number(bits)
#define RITTI_ONE_TO_BITS(number) ritti_to_bits(number)
#endif

#endif
