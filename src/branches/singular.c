/* A session with Singular: asks questions in its language, each with a final command that prints a
 * known last line, and reads its polynomials strictly. The answers are not trusted: anything that
 * does not read as an answer, comes too late or is too long is an error, after which the child is
 * ended by its id. Variables have the generated names v(1), v(2), ..., so that names of a model
 * never reach Singular. */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "branches/algebra_impl.h"
#include "process/child.h"

#define LAST_LINE "@@END"
#define WITHOUT   "without it no branches are listed or chosen; everything else works"
enum { LONGEST = 1 << 24 };                        /* bytes of an answer */
enum { MOST_TERMS = 100000, MOST_DEGREE = 10000 }; /* limits of a polynomial */

struct ritti_singular_process {
  ritti_child child;
  bool open;
  const char *program;
  double seconds;
};

ritt_status ritti_singular_open(const ritti_singular_call *call, ritti_arena *arena,
                                ritt_error *error, ritti_singular_process **out) {
  ritti_singular_process *session;
  RITTI_NEW(session, arena, 1);
  session->program = call->program ? call->program : "Singular";
  session->seconds = call->seconds > 0 ? call->seconds : 20;
  const char *const arguments[] = {session->program, "-q", "-t", "--no-rc", "--no-warn", NULL};
  int reason = ritti_child_start(&session->child, arguments);
  *out = session;

  /* explain why it did not start */
  if (reason == ENOENT)
    return ritti_fail(error, RITT_SYSTEM, NULL, "install the package singular-ui; " WITHOUT,
                      "the program %s, which splits constraints into branches, is not installed",
                      session->program);
  if (reason)
    return ritti_fail(error, RITT_SYSTEM, NULL, "see that it can be run; " WITHOUT,
                      "%s, which splits constraints into branches, could not be started: %s",
                      session->program, strerror(reason));
  session->open = true;
  return RITT_OK;
}

double ritti_singular_seconds(const ritti_singular_process *session) { return session->seconds; }

/* Ends the session and returns how the child ended. */
static int end_session(ritti_singular_process *session, bool kill) {
  session->open = false;
  return ritti_child_end(&session->child, kill);
}

void ritti_singular_close(ritti_singular_process *session) {
  if (session && session->open) end_session(session, true);
}

/* Ends the session and explains why there was no answer. */
static ritt_status no_answer(ritti_singular_process *session, ritti_talk_end heard, double seconds,
                             ritt_error *error) {
  const char *program = session->program;
  int ended = end_session(session, heard != RITTI_TALK_CLOSED);

  /* by the way it ended */
  if (heard == RITTI_TALK_LATE)
    return ritti_fail(error, RITT_SYSTEM, NULL, "give it more time: --singular-limit SECONDS",
                      "%s had no answer after %g seconds and was ended", program, seconds);
  if (heard == RITTI_TALK_FLOOD)
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL,
                      "%s answered with more than %d MiB and was ended", program, LONGEST >> 20);
  if (WIFSIGNALED(ended))
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL,
                      "%s was killed by signal %d before it answered", program, WTERMSIG(ended));
  return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "%s ended with exit code %d before it answered",
                    program, WIFEXITED(ended) ? WEXITSTATUS(ended) : -1);
}

/* Finds an error message in the answer; they begin with spaces and a question mark. */
static const char *find_complaint(const char *answer) {
  for (const char *at = answer; at; at = strchr(at, '\n')) {
    at += *at == '\n';
    const char *mark = at + strspn(at, " ");
    if (*mark == '?') return mark + 1 + strspn(mark + 1, " ");
  }
  return NULL;
}

ritt_status ritti_singular_ask(ritti_singular_process *session, const char *question, size_t length,
                               double seconds, ritt_error *error, ritti_text *answer) {
  ritti_text words = {0};

  /* add the command that prints the last line */
  ritti_text_add_bytes(&words, question, length);
  ritti_text_add(&words, "print(\"%s\");\n", LAST_LINE);
  if (words.status != RITT_OK) {
    ritti_text_free(&words);
    return RITT_NO_MEMORY;
  }

  /* ask */
  ritti_talk talk = {.say = words.at,
                     .length = words.count,
                     .until = LAST_LINE,
                     .seconds = seconds,
                     .most = LONGEST};
  ritti_talk_end heard = ritti_child_talk(&session->child, &talk);
  ritti_text_free(&words);
  ritti_text_free(&talk.err);
  *answer = talk.out;
  if (heard != RITTI_TALK_DONE) return no_answer(session, heard, seconds, error);
  if (answer->status != RITT_OK || !answer->at) return RITT_NO_MEMORY;
  /* cut the last line off; a NUL could hide text after it */
  char *last = strstr(answer->at, LAST_LINE "\n");
  if (!last || strlen(answer->at) != answer->count)
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "the answer of %s is not text",
                      session->program);
  *last = '\0';

  /* has Singular reported an error? */
  const char *wrong = find_complaint(answer->at);
  if (wrong)
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "%s complains: %.*s", session->program,
                      (int)(strcspn(wrong, "\n") < 120 ? strcspn(wrong, "\n") : 120), wrong);
  return RITT_OK;
}

/* ---- polynomials ---- */

/* Reads decimal digits; false if there are none or too many. */
static bool read_digits(const char **at, size_t most, const char **begin, size_t *length) {
  *begin = *at;
  while (isdigit((unsigned char)**at)) ++*at;
  *length = (size_t)(*at - *begin);
  return *length > 0 && *length <= most;
}

/* Reads a whole number of at most six digits. */
static bool read_small(const char **at, long *out) {
  const char *begin;
  size_t length;
  if (!read_digits(at, 6, &begin, &length)) return false;
  *out = strtol(begin, NULL, 10);
  return true;
}

/* number = digits [ "/" digits ] */
static ritti_expr read_number(ritti_dag *dag, const char **at) {
  const char *begin, *all = *at;
  size_t length;
  char *digits;
  if (!read_digits(at, 4000, &begin, &length)) return RITTI_NIL;
  if (**at == '/') {
    ++*at;
    if (!read_digits(at, 4000, &begin, &length)) return RITTI_NIL;
  }

  /* convert the digits */
  length = (size_t)(*at - all);
  digits = ritti_malloc(length + 1);
  if (!digits) return RITTI_NIL;
  memcpy(digits, all, length);
  digits[length] = '\0';
  mpq_t value;
  mpq_init(value);
  bool fine = mpq_set_str(value, digits, 10) == 0 && mpz_sgn(mpq_denref(value)) > 0;
  if (fine) mpq_canonicalize(value);
  ritti_expr e = fine ? ritti_rational(dag, value) : RITTI_NIL;
  mpq_clear(value);
  ritti_free(digits);
  return e;
}

/* power = "v(" digits ")" [ "^" digits ] */
static ritti_expr read_power(ritti_dag *dag, const ritti_expr *letter, int letters, const char **at,
                             long *degree) {
  long which, exponent = 1;

  /* the letter */
  if (strncmp(*at, "v(", 2)) return RITTI_NIL;
  *at += 2;
  if (!read_small(at, &which) || which < 1 || which > letters || **at != ')') return RITTI_NIL;
  ++*at;

  /* the exponent */
  if (**at == '^') {
    ++*at;
    if (!read_small(at, &exponent) || exponent < 2 || exponent > MOST_DEGREE) return RITTI_NIL;
  }
  *degree += exponent;
  ritti_expr base = letter[which - 1];
  return exponent == 1 ? base : ritti_power(dag, base, ritti_number(dag, exponent, 1));
}

/* term = ( number | power ) { "*" power } */
static ritti_expr read_term(ritti_dag *dag, const ritti_expr *letter, int letters, const char **at,
                            int *degree) {
  long own = 0;
  ritti_expr term = isdigit((unsigned char)**at) ? read_number(dag, at)
                                                 : read_power(dag, letter, letters, at, &own);
  while (term != RITTI_NIL && **at == '*') {
    ++*at;
    ritti_expr power = read_power(dag, letter, letters, at, &own);
    term = power == RITTI_NIL ? RITTI_NIL : ritti_multiply(dag, term, power);
  }
  if (own > *degree) *degree = own < MOST_DEGREE ? (int)own : MOST_DEGREE;
  return term;
}

/* polynomial = [ "-" ] term { ( "+" | "-" ) term } */
ritti_expr ritti_polynomial_read(ritti_dag *dag, const ritti_expr *letter, int letters,
                                 const char **at, int *degree, int *terms) {
  RITTI_ARRAY(ritti_expr) list = {0};
  bool minus = **at == '-', fine = true;
  *degree = *terms = 0;
  *at += minus;

  /* read the terms */
  while (fine) {
    ritti_expr term = read_term(dag, letter, letters, at, degree);
    if (minus && term != RITTI_NIL) term = ritti_negate(dag, term);
    fine = term != RITTI_NIL && list.count < MOST_TERMS && RITTI_PUSH(list, term) == RITT_OK;
    if (**at != '+' && **at != '-') break;
    minus = **at == '-';
    ++*at;
  }

  /* add them up */
  *terms = (int)list.count;
  ritti_expr sum = fine ? ritti_sum(dag, list.at, list.count) : RITTI_NIL;
  RITTI_ARRAY_FREE(list);
  return sum;
}
