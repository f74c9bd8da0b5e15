/* `ritt methods`: the table of methods. */
#include <stdio.h>
#include "cli.h"

int cli_methods(const cli_options *options, ritt_error *error) {
  (void)options, (void)error;
  ritti_text out = {0};
  ritt_method m;
  ritti_text_add(&out, "%-15s %5s %8s %6s  %-8s  %s\n", "method", "order", "embedded", "stages", "kind",
                 "source");
  for (size_t i = 0; ritt_method_get(i, &m); i++) {
    char embedded[16] = "-"; /* no error estimate but step doubling */
    if (m.embedded_order > 0) snprintf(embedded, sizeof embedded, "%d", m.embedded_order);
    ritti_text_add(&out, "%-15s %5d %8s %6d  %-8s  %s\n", m.name, m.order, embedded, m.stages,
                   m.implicit ? "implicit" : "explicit", m.source);
  }
  return cli_print(&out);
}
