/* The rows of an emitted solver as a table like that of `ritt run`, with 17 digits. Compiled with
 * -DMODEL=name -DSOURCE=name.c. rows [VALUE...]: with these values of the parameters; rows --twice:
 * in two runs, to the middle and on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define SPELLED(x) #x
#define STRING(x)  SPELLED(x)
#include STRING(SOURCE)
#define JOINED(a, b) a##_##b
#define JOIN(a, b)   JOINED(a, b)
#define OF(what)     JOIN(MODEL, what)

static int print_row(void *user, const double *row) {
  ++*(int *)user;
  for (int i = 0; i < OF(columns); i++) printf("%s%.17g", i ? "," : "", row[i]);
  putchar('\n');
  return 0;
}

int main(int count, char **arguments) {
  static OF(state) state;
  double parameter[OF(parameters) + 1];
  int twice = count > 1 && !strcmp(arguments[1], "--twice"), given = count > 1 && !twice, rows = 0;
  for (int i = 0; i < OF(parameters); i++)
    parameter[i] = given && i + 1 < count ? atof(arguments[i + 1]) : OF(parameter_value)[i];
  for (int i = 0; i < OF(columns); i++) printf("%s%s", i ? "," : "", OF(column_name)[i]);
  putchar('\n');
  double from = OF(start_point)[0];
  int code = OF(start)(&state, given ? parameter : NULL, NULL);
  if (!code && twice) code = OF(run)(&state, from + (OF(end) - from) / 2, print_row, &rows);
  if (!code) code = OF(run)(&state, OF(end), print_row, &rows);
  if (*OF(message)(&state)) fprintf(stderr, "%s\n", OF(message)(&state));
  return code;
}
