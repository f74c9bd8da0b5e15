/* The rows of RITT_STATISTICS as data. */
#include <stddef.h>
#include "ritt.h"

int ritt_statistic_get(size_t i, ritt_statistic *out) {
  enum { SET, KEPT };
  static const ritt_statistic all[] = {
#define ROW(type, name, source, in_files, text)                                                    \
  {#name, text, RITT_STATISTIC_##type, source, in_files, offsetof(ritt_statistics, name)},
      RITT_STATISTICS(ROW)
#undef ROW
  };
  if (i >= sizeof all / sizeof *all) return 0;
  *out = all[i];
  return 1;
}
