/* `ritt methods`: prints the table of methods. */
#include <stdio.h>
#include "cli.h"

/* The number of methods from the i-th on that differ only in their order, NAME:k. A long series
 * gets one line in the table. */
static size_t count_alike(size_t i) {
  enum { MANY = 8 };
  ritt_method m, other;
  if (!ritt_method_get(i, &m) || !strchr(m.name, ':')) return 1;
  size_t stem = strcspn(m.name, ":") + 1, count = 1;
  while (ritt_method_get(i + count, &other) && !strncmp(other.name, m.name, stem)) count++;
  return count < MANY ? 1 : count;
}

int cli_methods(const cli_options *options, ritt_error *error) {
  (void)options, (void)error;
  ritti_text out = {0};
  ritt_method m;
  ritti_text_add(&out, "%-15s %5s %8s %6s  %-8s  %s\n", "method", "order", "embedded", "stages",
                 "kind", "source");
  for (size_t i = 0, count; ritt_method_get(i, &m); i += count) {
    char name[32], order[16], embedded[16] = "-"; /* "-": step doubling estimates the error */
    count = count_alike(i);

    /* a method of its own */
    snprintf(name, sizeof name, "%s", m.name);
    snprintf(order, sizeof order, "%d", m.order);
    if (m.embedded_order > 0) snprintf(embedded, sizeof embedded, "%d", m.embedded_order);

    /* a series of methods */
    if (count > 1) {
      ritt_method last = m;
      ritt_method_get(i + count - 1, &last);
      snprintf(name, sizeof name, "%.*s:k", (int)strcspn(m.name, ":"), m.name);
      snprintf(order, sizeof order, "%d..%d", m.order, last.order);
      snprintf(embedded, sizeof embedded, "%d..%d", m.embedded_order, last.embedded_order);
    }
    ritti_text_add(&out, "%-15s %5s %8s %6d  %-8s  %s\n", name, order, embedded, m.stages,
                   m.implicit ? "implicit" : "explicit", m.source);
  }
  ritti_text_add(&out,
                 "%-15s the default: dopri54, dop853 or vern98 by the tolerance; "
                 "radau5 or rodas5p while the system is stiff\n",
                 "auto");
  return cli_print(&out);
}
