/* Random systems through a known solution (test/through.h): verdict, degrees of freedom, index and
 * hidden constraints are those of the derivative array in exact arithmetic, and a short run from
 * the solution's start is the solution.
 *
 * t_through [FIRST [LAST [OVER]]]: some of the systems only; one alone is printed. OVER: with so
 * many more independent equations than unknowns. */
#include "run.h"
#include "tally.h"
#include "through.h"

static const double END = 0.002; /* short: singular points may lie further on */
enum { SYSTEMS = CHECK_SLOW ? 100 : 300 };

static int pick(void *context, int count) {
  (void)context;
  int i = (int)((check_random() + 1) / 2 * count);
  return i < count ? i : count - 1;
}

/* The run's end, against the solution; tolerance: what is asked for. */
static tally_run compare(const through *S, run *r, double tolerance, double *error, char *why,
                         size_t room) {
  ritt_options options = run_options(NULL, tolerance, END);
  options.max_steps = 20000;
  run_try(r, &options);
  *error = 0;
  if (r->status != RITT_OK || r->rows < 2) {
    snprintf(why, room, "%s",
             ritt_error_count(r->error) ? ritt_error_get(r->error, 0)->text
                                        : ritt_status_text(r->status));
    return TALLY_STOPPED;
  }
  const double *last = r->row + (r->rows - 1) * r->width + 1;
  for (int j = 0; j < S->n; j++) {
    double value = through_solution(S, j, END), e = fabs(last[j] - value) / fmax(1, fabs(value));
    if (e <= *error) continue;
    *error = e;
    snprintf(why, room, "column %d ends at %.12g, expected %.12g", j + 2, last[j], value);
  }
  return *error <= 1e-6 ? TALLY_SAME : TALLY_OTHER;
}

/* By how much a small change of the start grows along the solution: two runs in quadruple
 * precision, of which the first must end on the solution. The second starts with all values that
 * are kept a little larger. 0: not known. */
static double growth(const through *S) {
  const double small = 1e-22;
  static char text[sizeof S->text + 4096];
  double end[2][THROUGH_VARIABLES], largest = 0;
  for (int moved = 0; moved < 2; moved++) {
    const char *from = strstr(S->text, "\nstart t = 0\n"), *to = strstr(S->text, "\nsolve t = ");
    char *at = text;
    for (const char *c = S->text; *c; c++) {
      *at++ = *c;
      if (moved && c > from + 12 && c < to && *c == '=') at += sprintf(at, " %.0e +", small);
    }
    *at = 0;
    run *r = run_text(text);
    ritt_options options = run_options("vern98", 1e-24, END);
    options.precision = "quad";
    options.max_steps = 20000;
    run_try(r, &options);
    bool ended = r->status == RITT_OK && r->rows > 1;
    for (int j = 0; j < S->n && ended; j++)
      end[moved][j] = r->row[(r->rows - 1) * r->width + 1 + (size_t)j];
    run_free(r);
    if (!ended) return 0;
  }
  for (int j = 0; j < S->n; j++) {
    if (!(fabs(end[0][j] - through_solution(S, j, END)) < 1e-8)) return 0;
    largest = fmax(largest, fabs(end[1][j] - end[0][j]) / small);
  }
  return largest;
}

static void check_one(const through *S, int number, bool show) {
  static const char *const expected[] = {"determined", "determined", "underdetermined"};
  const ritt_check *c = NULL;
  char why[512] = "";
  run *r = run_text(S->text);
  if (show) printf("%s\n", S->text), fflush(stdout);
  if (!r->model) {
    run_complain(r, "a system is not read");
    run_free(r);
    return;
  }
  r->status = ritt_model_check(r->model, r->error, &c);
  tally_verdict v = tally_look(c, expected[S->truth]);
  /* values of variables that nothing moves may be chosen, or be a reason to refuse */
  if (S->truth == THROUGH_PART && !strcmp(c->verdict, "underdetermined")) v = TALLY_RIGHT;
  /* at a special point this is reported, or what is true beside it */
  if (S->special && v == TALLY_WRONG && !strcmp(c->verdict, "singular")) v = TALLY_RIGHT;
  bool counts = v == TALLY_RIGHT && S->truth == THROUGH_FULL && !S->special;
  if (counts &&
      (c->degrees_of_freedom != S->dof || (c->index != RITT_UNKNOWN && c->index != S->index) ||
       (c->hidden_constraints != RITT_UNKNOWN && c->hidden_constraints != S->hidden_constraints))) {
    v = TALLY_WRONG;
    printf("system %d: free values %d, index %d, hidden %d, expected %d, %d, %d\n", number,
           c->degrees_of_freedom, c->index, c->hidden_constraints, S->dof, S->index,
           S->hidden_constraints);
  }
  if (v == TALLY_WRONG || v == TALLY_UNDECIDED)
    printf("system %d: %s (%s), expected %s\n", number, c->verdict, c->reason ? c->reason : "",
           expected[S->truth]);
  double error = 0;
  tally_run ran = TALLY_NOT_RUN;
  if (v == TALLY_RIGHT && !strcmp(c->verdict, "determined") && S->truth == THROUGH_FULL)
    ran = compare(S, r, 1e-9, &error, why, sizeof why);
  /* where the solution is unstable, errors grow: they must fall with the tolerance, or be what
   * rounding grows to */
  if (ran == TALLY_OTHER) {
    double less;
    ran = compare(S, r, 1e-12, &less, why, sizeof why) == TALLY_SAME || less < 0.05 * error
              ? TALLY_SAME
              : TALLY_OTHER;
    error = less;
    double by = ran == TALLY_OTHER ? growth(S) : 0;
    if (by > 0) printf("system %d: changes of the start grow by %.1e\n", number, by);
    if (error <= by * 1e-12) ran = TALLY_SAME, error = 0;
  }
  if (ran >= TALLY_STOPPED) printf("system %d: run: %s\n", number, why);
  tally_add(S->special                 ? "singular at t = 0 alone"
            : S->truth == THROUGH_FREE ? "underdetermined"
            : S->k > S->n              ? "more equations than unknowns"
                                       : "as many equations as unknowns",
            S->truth == THROUGH_FULL ? S->index : -1, S->n, v, ran, error);
  run_free(r);
}

int main(int count, char **word) {
  static through S;
  int first = count > 1 ? atoi(word[1]) : 1, last = count > 2   ? atoi(word[2])
                                                    : count > 1 ? first
                                                                : SYSTEMS;
  int over = count > 3 ? atoi(word[3]) : 0;
  for (int number = 1; number <= last; number++) {
    through_source source = {.pick = pick, .seed = (uint64_t)number, .variables = 3, .over = over};
    make_through(&S, &source, END);
    if (number >= first) check_one(&S, number, first == last);
  }
  return tally_done(last - first + 1);
}
