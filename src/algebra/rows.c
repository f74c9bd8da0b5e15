/* The rows of a component: as many of its generators as its codimension, independent where a motion may come.
 *
 * A component has more generators than its codimension; any so many that are independent at a point define it
 * there, but elsewhere they may lose rank and let other components in. So subsets are tried, the simplest
 * generators first: those of full rank at some points of the component are shown to Singular, which says whether
 * their minors vanish anywhere on it, at complex points included. If not they will do for every motion, and the
 * component is smooth. Where no subset is found those that are farthest from dependent at the start are taken.
 */
#include "algebra/algebra_impl.h"
#include "linalg/linalg.h"

enum { POINTS = 6, MOST_SUBSETS = 4000, MOST_QUESTIONS = 12, MOST_MINORS = 4000 };

typedef struct search {
  ritti_branches *B;
  const ritti_ring *ring;
  ritti_session *session;
  ritti_component *c;
  int *candidate, candidates; /* generators that are no identities of sines and cosines */
  int codimension;            /* in the variables */
  double *J[POINTS];          /* derivatives of the candidates at points of the component, rows scaled */
  int points, questions;
  int *subset, *best;
  double *least_seen;
  double *small, *sigma, *scratch;
} search;

static double binomial(int n, int k) {
  double b = 1;
  for (int i = 0; i < k; i++) b = b * (n - i) / (i + 1);
  return b;
}

/* ---- points -------------------------------------------------------------------------------------------- */

static ritt_status add_point(search *S, const ritti_numeric *N, const double *point) {
  const ritti_branches *B = S->B;
  int n = B->variables, m = S->c->generators;
  double *J, *size, *own;
  RITTI_NEW(J, B->arena, m * n + 1);
  RITTI_NEW(size, B->arena, m + 1);
  RITTI_NEW(own, B->arena, S->candidates * n + 1);
  if (!ritti_numeric_at(N, point, NULL, size, J)) return RITT_OK;
  for (int i = 0; i < S->candidates; i++)
    for (int j = 0; j < n; j++) own[i * n + j] = J[S->candidate[i] * n + j] / size[S->candidate[i]];
  S->J[S->points++] = own;
  return RITT_OK;
}

/* The nearest point first, then some others. */
static ritt_status find_points(search *S, const ritti_numeric *N) {
  const ritti_branches *B = S->B;
  double *from, *point, *freedom;
  bool reached;
  RITTI_NEW(from, B->arena, B->variables + 1);
  RITTI_NEW(point, B->arena, B->variables + 1);
  RITTI_NEW(freedom, B->arena, B->variables + 1);
  if (S->c->reached) RITT_TRY(add_point(S, N, S->c->nearest));
  for (int k = 1; k < POINTS; k++) {
    for (int i = 0; i < B->variables; i++) {
      freedom[i] = 1;
      from[i] = (S->c->reached ? S->c->nearest[i] : 0) + 2 * fmod(0.7548776662 * (i + 1) * k, 1) - 1;
    }
    memcpy(point, from, (size_t)B->variables * sizeof *point);
    RITT_TRY(ritti_nearest_point(B, N, S->c->generators, from, freedom, point, &reached));
    if (reached && S->points < POINTS) RITT_TRY(add_point(S, N, point));
  }
  return RITT_OK;
}

/* The least singular value of the subset at a point. */
static double least_value(search *S, int point) {
  int n = S->B->variables, k = S->codimension;
  for (int i = 0; i < k; i++)
    memcpy(S->small + i * n, S->J[point] + S->subset[i] * n, (size_t)n * sizeof *S->small);
  if (k > n || !ritti_singular_values(k, n, S->small, S->sigma, NULL, S->scratch)) return 0;
  return S->sigma[k - 1];
}

/* ---- questions ----------------------------------------------------------------------------------------- */

/* Dimension of the part of the component where the rows lose rank; *answer OPEN: no answer. */
static ritt_status ask_dimension(search *S, const int *row, int rows, ritti_answer *empty) {
  const ritti_ring *ring = S->ring;
  ritti_text question = {0}, answer = {0};
  int rank = S->codimension + S->B->angles;
  *empty = RITTI_OPEN;
  S->questions++;
  int name = S->B->asked++;
  ritti_text_add(&question, "ideal p(%d)=", name);
  for (int i = 0; i < S->c->generators; i++) ritti_text_add(&question, "%s%s", i ? "," : "", S->c->text[i]);
  ritti_text_add(&question, ";ideal q(%d)=", name);
  for (int i = 0; i < rows; i++)
    ritti_text_add(&question, "%s%s", i ? "," : "", S->c->text[row ? S->candidate[row[i]] : i]);
  for (int j = 0; j < ring->variables; j++)
    if (ring->divisor[j] && ring->letter[j] >= 0)
      ritti_text_add(&question, ",v(%d)^2+v(%d)^2-1", ring->letter[j] + 1, ring->letter[j] + 2);
  ritti_text_add(&question, ";\nprint(dim(std(p(%d)+minor(jacob(q(%d)),%d))));\n", name, name, rank);
  ritt_status status = question.status;
  double seconds = ritti_session_seconds(S->session) / 4;
  ritt_error *own = ritt_error_new(); /* a missing answer is an answer: could not decide */
  if (!own) status = RITT_NO_MEMORY;
  if (status == RITT_OK)
    status = ritti_session_ask(S->session, question.at, question.count, seconds, own, &answer);
  if (status == RITT_OK && !strcmp(answer.at, "-1\n")) *empty = RITTI_YES;
  else if (status == RITT_OK && strspn(answer.at, "0123456789") > 0) *empty = RITTI_NO;
  if (status == RITT_SYSTEM) S->B->mute = true;
  ritt_error_free(own);
  ritti_text_free(&question);
  ritti_text_free(&answer);
  return status == RITT_SYSTEM ? RITT_OK : status;
}

/* ---- subsets ------------------------------------------------------------------------------------------- */

/* The next subset in the order of the simplest first; false: it was the last. */
static bool next_subset(int *subset, int k, int n) {
  int i = k - 1;
  while (i >= 0 && subset[i] == n - k + i) i--;
  if (i < 0) return false;
  subset[i]++;
  for (int j = i + 1; j < k; j++) subset[j] = subset[j - 1] + 1;
  return true;
}

/* Looks at the subset; *done: it is good everywhere. */
static ritt_status try_subset(search *S, bool *done) {
  bool full = true;
  double here = S->points ? least_value(S, 0) : 0;
  for (int p = 0; p < S->points && full; p++) full = least_value(S, p) > 1e-7;
  if (S->points && here > *S->least_seen) {
    *S->least_seen = here;
    memcpy(S->best, S->subset, (size_t)S->codimension * sizeof *S->best);
  }
  ritti_answer empty = RITTI_OPEN;
  if (full && !S->B->mute && S->questions < MOST_QUESTIONS &&
      binomial(S->B->letters, S->codimension + S->B->angles) <= MOST_MINORS)
    RITT_TRY(ask_dimension(S, S->subset, S->codimension, &empty));
  *done = empty == RITTI_YES;
  return RITT_OK;
}

static ritt_status search_subsets(search *S) {
  int k = S->codimension;
  bool done = false;
  for (int i = 0; i < k; i++) S->subset[i] = S->best[i] = i;
  for (int tries = 0; tries < MOST_SUBSETS; tries++) {
    RITT_TRY(try_subset(S, &done));
    if (done || !next_subset(S->subset, k, S->candidates)) break;
  }
  S->c->independent = done ? RITTI_YES : S->B->mute || S->questions == 0 ? RITTI_OPEN : RITTI_NO;
  S->c->smooth = done ? RITTI_YES : RITTI_OPEN;
  S->c->rows = k;
  RITTI_NEW(S->c->row, S->B->arena, k + 1);
  for (int i = 0; i < k; i++) S->c->row[i] = S->c->generator[S->candidate[done ? S->subset[i] : S->best[i]]];
  double minors =
      binomial(S->B->letters, k + S->B->angles) * binomial(S->c->generators + S->B->angles, k + S->B->angles);
  if (!done && !S->B->mute && minors <= MOST_MINORS)
    RITT_TRY(ask_dimension(S, NULL, S->c->generators, &S->c->smooth));
  return RITT_OK;
}

static ritt_status run(search *S, const ritti_numeric *N) {
  const ritti_branches *B = S->B;
  double least = 0;
  int n = B->variables, k = S->codimension;
  S->least_seen = &least;
  RITT_TRY(find_points(S, N));
  RITTI_NEW(S->subset, B->arena, k + 1);
  RITTI_NEW(S->best, B->arena, k + 1);
  RITTI_NEW(S->small, B->arena, k * n + 1);
  RITTI_NEW(S->sigma, B->arena, n + k + 1);
  RITTI_NEW(S->scratch, B->arena, ritti_singular_values_scratch(k, n) + 1);
  return search_subsets(S);
}

ritt_status ritti_component_rows(ritti_branches *B, const ritti_ring *ring, ritti_session *session,
                                 ritti_component *c) {
  search S = {.B = B, .ring = ring, .session = session, .c = c};
  ritti_numeric *N = NULL;
  RITTI_NEW(S.candidate, B->arena, c->generators);
  for (int i = 0; i < c->generators; i++) {
    ritti_answer zero;
    RITT_TRY(ritti_exact_zero(B->model, c->generator[i], &zero));
    if (zero != RITTI_YES) S.candidate[S.candidates++] = i;
  }
  S.codimension = B->letters - B->angles - c->dimension;
  if (S.codimension < 1 || S.candidates < S.codimension) return RITT_OK; /* rows 0: not to be used */
  ritt_status status = ritti_numeric_make(B, c->generator, c->generators, &N);
  if (status == RITT_OK) status = run(&S, N);
  ritti_numeric_free(N);
  return status;
}
