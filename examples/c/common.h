/* What the examples share: rows and errors as text. */
#ifndef RITT_EXAMPLE_H
#define RITT_EXAMPLE_H

#include <ritt.h>
#include <stdio.h>

/* A row of a table, with all digits. */
static inline ritt_status print_row(void *user, const double *values, size_t count) {
  (void)user;
  for (size_t i = 0; i < count; i++) printf("%s%.17g", i ? "," : "", values[i]);
  return printf("\n") < 0 ? RITT_SYSTEM : RITT_OK;
}

/* The names of its columns. */
static inline void print_columns(const ritt_solver *solver) {
  const char *const *names;
  size_t count;
  ritt_solver_columns(solver, &names, &count);
  for (size_t i = 0; i < count; i++)
    printf("%s%s%s", i ? "," : "", names[i], i + 1 < count ? "" : "\n");
}

/* Says what went wrong, if anything; the exit code of the example. */
static inline int finish(ritt_status status, ritt_error *error) {
  for (size_t i = 0; i < ritt_error_count(error); i++) {
    const ritt_message *m = ritt_error_get(error, i);
    if (m->line) fprintf(stderr, "%s:%d:%d: ", m->file, m->line, m->column);
    fprintf(stderr, "%s\n", m->text);
    if (m->hint) fprintf(stderr, "  hint: %s\n", m->hint);
  }
  ritt_error_free(error);
  return ritt_status_exit_code(status);
}

#endif
