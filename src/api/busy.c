/* Calls before a run that are to end early: ritt_ask_while_busy.
 *
 * Everything that takes long before a run allocates memory all the time. So the question whether to go
 * on is asked when memory is allocated. If the answer is no, the allocations of this thread fail,
 * and the call returns in the same way as if there were no memory.
 */
#include "base/base.h"
#include "base/clock.h"

static _Thread_local struct {
  ritt_ask ask; /* NULL: never called */
  void *user;
  unsigned count; /* allocations since the function was set */
  double asked;   /* when it was asked last */
  bool stop;      /* it asked for an end */
} busy;

static bool must_stop(void) {
  enum { SELDOM = 16 };             /* allocations between two looks at the clock */
  static const double every = 0.05; /* seconds */
  if (!busy.ask || busy.stop) return busy.stop;
  if (++busy.count % SELDOM) return false;

  double now = ritti_clock();
  if (now - busy.asked < every) return false;
  busy.asked = now;
  busy.stop = busy.ask(busy.user) != 0;
  return busy.stop;
}

void ritt_ask_while_busy(ritt_ask ask, void *user) {
  busy.ask = ask;
  busy.user = user;
  busy.count = 0;
  busy.asked = ritti_clock();
  busy.stop = false;
  if (ask) ritti_memory_stops(must_stop);
}
