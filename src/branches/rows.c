/* The rows of a component: as many of its generators as its codimension, independent at all points
 * that a motion may reach. A component has more generators than its codimension. Any subset of that
 * size that is independent at a point defines the component there, but at other points it may lose
 * rank and admit other components. So subsets are tried, the simplest generators first. If a subset
 * has full rank at some points of the component, Singular is asked whether its minors vanish
 * anywhere on the component, including complex points. If not, the subset is good for every motion,
 * and the component is smooth. Angles may need more generators (b = -a needs both sin b = -sin a
 * and cos b = cos a). Then the sums over all generators g_i dg_i/dx, which belong to the ideal and
 * whose derivatives are the rows of J^T J on the component, are candidates, too. If no subset is
 * good, the one farthest from dependence at the start is used. */
#include <stdlib.h>
#include "branches/algebra_impl.h"
#include "linalg/linalg.h"

enum { POINTS = 6, MOST_SUBSETS = 4000, MOST_QUESTIONS = 12, MOST_MINORS = 4000 };

/* The search for the rows of a component. */
typedef struct search {
  ritti_branches *B;
  const ritti_ring *ring;
  ritti_singular_process *session;
  ritti_component *c;
  /* generators that are not identities of sines and cosines, then a sum for each variable */
  ritti_expr *candidate;
  const char **text;          /* the candidates as texts for Singular */
  int *generator;             /* for each of the first candidates the number of its generator */
  int generators, candidates; /* the number of these, and of all candidates */
  int codimension;            /* in the variables */
  double *J[POINTS];          /* scaled derivatives of the candidates at points */
  int points, questions;      /* the number of points found and of questions asked */
  int *subset, *best;         /* the current subset, and the best one at the start */
  double least_seen;          /* the smallest singular value of the best one */
  double *small, *sigma, *scratch; /* memory for singular values */
} search;

/* The number of subsets of k out of n. */
static double count_subsets(int n, int k) {
  double b = 1;
  for (int i = 0; i < k; i++) b = b * (n - i) / (i + 1);
  return b;
}

/* The leading coefficient of a generator, a whole number; 0 if it has more than four digits. */
static long leading_coefficient(const char *text) {
  const char *digits = text + (*text == '-');
  size_t count = strspn(digits, "0123456789");
  if (count == 0) return 1;
  return count > 4 ? 0 : strtol(digits, NULL, 10);
}

/* ---- points ---- */

/* Keeps the derivatives of all candidates at a point. */
static ritt_status add_point(search *S, const ritti_numeric *N, const double *point) {
  const ritti_branches *B = S->B;
  int n = B->variables, m = S->c->generators;
  double *J, *size, *own;
  RITTI_NEW(J, B->arena, m * n + 1);
  RITTI_NEW(size, B->arena, m + 1);
  RITTI_NEW(own, B->arena, S->candidates * n + 1);
  if (!ritti_numeric_at(N, point, NULL, size, J)) return RITT_OK;

  /* the generators, divided by the sizes of their terms */
  for (int i = 0; i < S->generators; i++)
    for (int j = 0; j < n; j++) own[i * n + j] = J[S->generator[i] * n + j] / size[S->generator[i]];

  /* the sums */
  for (int x = 0; x < n; x++) {
    double *row = own + (S->generators + x) * n, norm = 0;
    for (int i = 0; i < S->generators; i++) {
      double scale = fmax((double)leading_coefficient(S->text[i]), 1);
      for (int j = 0; j < n; j++)
        row[j] += J[S->generator[i] * n + x] / scale * J[S->generator[i] * n + j] / scale;
    }
    for (int j = 0; j < n; j++) norm = fmax(norm, fabs(row[j]));
    for (int j = 0; j < n && norm > 0; j++) row[j] /= norm;
  }
  S->J[S->points++] = own;
  return RITT_OK;
}

/* Finds points of the component: the closest one to the start first, then some others. */
static ritt_status find_points(search *S, const ritti_numeric *N) {
  const ritti_branches *B = S->B;
  double *from, *point, *freedom;
  bool reached;
  RITTI_NEW_ARRAYS(B->arena, B->variables + 1, from, point, freedom);

  /* the closest point */
  if (S->c->reached) RITT_TRY(add_point(S, N, S->c->nearest));

  /* points near shifted guesses */
  for (int k = 1; k < POINTS; k++) {
    for (int i = 0; i < B->variables; i++) {
      freedom[i] = 1;
      from[i] =
          (S->c->reached ? S->c->nearest[i] : 0) + 2 * fmod(0.7548776662 * (i + 1) * k, 1) - 1;
    }
    memcpy(point, from, (size_t)B->variables * sizeof *point);
    RITT_TRY(ritti_nearest_point(B, N, S->c->generators, from, freedom, point, &reached));
    if (reached && S->points < POINTS) RITT_TRY(add_point(S, N, point));
  }
  return RITT_OK;
}

/* The smallest singular value of the subset at a point. */
static double least_value(search *S, int point) {
  int n = S->B->variables, k = S->codimension;
  for (int i = 0; i < k; i++)
    memcpy(S->small + i * n, S->J[point] + S->subset[i] * n, (size_t)n * sizeof *S->small);
  if (k > n || !ritti_singular_values(k, n, S->small, S->sigma, NULL, S->scratch)) return 0;
  return S->sigma[k - 1];
}

/* ---- questions ---- */

/* Asks whether the rows lose rank nowhere on the component; *empty is OPEN if there is no answer.
 */
static ritt_status ask_dimension(search *S, const int *row, int rows, ritti_answer *empty) {
  const ritti_ring *ring = S->ring;
  ritti_text question = {0}, answer = {0};
  int rank = S->codimension + S->B->angles;
  *empty = RITTI_OPEN;
  S->questions++;
  int name = S->B->asked++;

  /* the ideals of the component and of the rows, with the circles */
  ritti_text_add(&question, "ideal p(%d)=", name);
  for (int i = 0; i < S->c->generators; i++)
    ritti_text_add(&question, "%s%s", i ? "," : "", S->c->text[i]);
  ritti_text_add(&question, ";ideal q(%d)=", name);
  for (int i = 0; i < rows; i++)
    ritti_text_add(&question, "%s%s", i ? "," : "", row ? S->text[row[i]] : S->c->text[i]);
  for (int j = 0; j < ring->variables; j++)
    if (ring->divisor[j] && ring->letter[j] >= 0)
      ritti_text_add(&question, ",v(%d)^2+v(%d)^2-1", ring->letter[j] + 1, ring->letter[j] + 2);
  ritti_text_add(&question, ";\nprint(dim(std(p(%d)+minor(jacob(q(%d)),%d))));\n", name, name,
                 rank);

  /* ask for the dimension of the part where the rank is lower */
  ritt_status status = question.status;
  double seconds = ritti_singular_seconds(S->session) / 4;
  ritt_error *own = ritt_error_new(); /* a missing answer is not an error */
  if (!own) status = RITT_NO_MEMORY;
  if (status == RITT_OK)
    status = ritti_singular_ask(S->session, question.at, question.count, seconds, own, &answer);
  if (status == RITT_OK && !strcmp(answer.at, "-1\n")) *empty = RITTI_YES;
  else if (status == RITT_OK && strspn(answer.at, "0123456789") > 0) *empty = RITTI_NO;
  if (status == RITT_SYSTEM) S->B->mute = true;
  ritt_error_free(own);
  ritti_text_free(&question);
  ritti_text_free(&answer);
  return status == RITT_SYSTEM ? RITT_OK : status;
}

/* ---- subsets ---- */

/* The next subset, the simplest first; false after the last one. */
static bool next_subset(int *subset, int k, int n) {
  int i = k - 1;
  while (i >= 0 && subset[i] == n - k + i) i--;
  if (i < 0) return false;
  subset[i]++;
  for (int j = i + 1; j < k; j++) subset[j] = subset[j - 1] + 1;
  return true;
}

/* Tries the subset; *done: its rows are independent on the whole component. */
static ritt_status try_subset(search *S, bool *done) {
  /* its rank at the points */
  bool full = true;
  double here = S->points ? least_value(S, 0) : 0;
  for (int p = 0; p < S->points && full; p++) full = least_value(S, p) > 1e-7;

  /* remember the best one at the start */
  if (S->points && here > S->least_seen) {
    S->least_seen = here;
    memcpy(S->best, S->subset, (size_t)S->codimension * sizeof *S->best);
  }

  /* is it good everywhere? */
  ritti_answer empty = RITTI_OPEN;
  if (full && !S->B->mute && S->questions < MOST_QUESTIONS &&
      count_subsets(S->B->letters, S->codimension + S->B->angles) <= MOST_MINORS)
    RITT_TRY(ask_dimension(S, S->subset, S->codimension, &empty));
  *done = empty == RITTI_YES;
  return RITT_OK;
}

/* Tries subsets of the first candidates that contain at least one from number `least` on. */
static ritt_status try_subsets(search *S, int candidates, int least, bool *done) {
  int k = S->codimension;
  for (int i = 0; i < k; i++) S->subset[i] = i;
  for (int tries = 0; tries < MOST_SUBSETS && !*done; tries++) {
    if (S->subset[k - 1] >= least) RITT_TRY(try_subset(S, done));
    if (!*done && !next_subset(S->subset, k, candidates)) break;
  }
  return RITT_OK;
}

/* Finds points of the component and searches for its rows. */
static ritt_status search_rows(search *S, const ritti_numeric *N) {
  const ritti_branches *B = S->B;
  int n = B->variables, k = S->codimension;
  S->least_seen = 0;
  RITT_TRY(find_points(S, N));
  RITTI_NEW_ARRAYS(B->arena, k + 1, S->subset, S->best);
  RITTI_NEW(S->small, B->arena, k * n + 1);
  RITTI_NEW(S->sigma, B->arena, n + k + 1);
  RITTI_NEW(S->scratch, B->arena, ritti_singular_values_scratch(k, n) + 1);

  /* Searches among the generators, then among all candidates. */
  bool done = false;
  for (int i = 0; i < k; i++) S->best[i] = i;
  if (k <= S->generators) RITT_TRY(try_subsets(S, S->generators, 0, &done));
  S->questions = 0;
  if (!done) RITT_TRY(try_subsets(S, S->candidates, S->generators, &done));

  /* record the answer */
  S->c->smooth = done ? RITTI_YES : RITTI_OPEN;
  S->c->independent = RITTI_NO;
  if (S->B->mute || S->questions == 0) S->c->independent = RITTI_OPEN;
  if (done) S->c->independent = RITTI_YES;
  S->c->rows = k;
  RITTI_NEW(S->c->row, S->B->arena, k + 1);
  for (int i = 0; i < k; i++) S->c->row[i] = S->candidate[done ? S->subset[i] : S->best[i]];

  /* without a good subset, ask about the component itself */
  double minors = count_subsets(S->B->letters, k + S->B->angles) *
                  count_subsets(S->c->generators + S->B->angles, k + S->B->angles);
  if (!done && !S->B->mute && minors <= MOST_MINORS)
    RITT_TRY(ask_dimension(S, NULL, S->c->generators, &S->c->smooth));
  return RITT_OK;
}

/* ---- candidates ---- */

/* Adds the sum of g dg/dx over all generators as a candidate. Each generator is divided by its
 * leading coefficient, so that s ds and c dc get the same factor. */
static ritt_status add_sum(search *S, int x) {
  const ritti_branches *B = S->B;
  ritti_dag *dag = B->model->dag;
  ritti_expr sum = ritti_number(dag, 0, 1), leaf = ritti_jet(dag, B->variable[x], 0);
  ritti_text text = {0};

  /* the sum as an expression and as a text for Singular */
  for (int i = 0; i < S->generators; i++) {
    ritti_expr g = S->candidate[i];
    long scale = leading_coefficient(S->text[i]) ? leading_coefficient(S->text[i]) : 1;
    ritti_expr own = ritti_multiply(dag, g, ritti_dag_partial(dag, g, leaf));
    sum = ritti_add(dag, sum, ritti_divide(dag, own, ritti_number(dag, scale * scale, 1)));
    ritti_text_add(&text, "%s1/%ld*(%s)*", i ? "+" : "", scale * scale, S->text[i]);

    /* Adds the derivative of a generator by a variable for Singular; constant factors do not
     * matter. */
    int variable = B->variable[x];
    const char *of = S->text[i];
    int letter = S->ring->letter[variable] + 1;
    if (S->ring->divisor[variable])
      ritti_text_add(&text, "(v(%d)*diff(%s,v(%d))-v(%d)*diff(%s,v(%d)))", letter + 1, of, letter,
                     letter, of, letter + 1);
    else ritti_text_add(&text, "diff(%s,v(%d))", of, letter);
  }

  /* keep both */
  S->candidate[S->candidates] = sum;
  S->text[S->candidates] =
      text.status == RITT_OK ? ritti_arena_text(B->arena, text.at, text.count) : NULL;
  ritti_text_free(&text);
  return S->text[S->candidates++] ? ritti_dag_status(dag) : RITT_NO_MEMORY;
}

/* Lists the candidates. */
static ritt_status find_candidates(search *S) {
  const ritti_component *c = S->c;
  int most = c->generators + S->B->variables;
  RITTI_NEW_ARRAYS(S->B->arena, most, S->candidate, S->text, S->generator);

  /* generators that vanish identically in the variables say nothing */
  for (int i = 0; i < c->generators; i++) {
    ritti_answer zero;
    RITT_TRY(ritti_exact_zero(S->B->model, c->generator[i], &zero));
    if (zero == RITTI_YES) continue;
    S->candidate[S->generators] = c->generator[i];
    S->text[S->generators] = c->text[i];
    S->generator[S->generators++] = i;
  }
  S->candidates = S->generators;
  for (int x = 0; x < S->B->variables; x++) RITT_TRY(add_sum(S, x));
  return RITT_OK;
}

ritt_status ritti_component_rows(ritti_branches *B, const ritti_ring *ring,
                                 ritti_singular_process *session, ritti_component *c) {
  search S = {.B = B, .ring = ring, .session = session, .c = c};
  ritti_numeric *N = NULL;
  RITT_TRY(find_candidates(&S));
  S.codimension = B->letters - B->angles - c->dimension;
  if (S.codimension < 1 || S.codimension > B->variables) return RITT_OK; /* without rows */
  ritt_status status = ritti_numeric_make(B, c->generator, c->generators, &N);
  if (status == RITT_OK) status = search_rows(&S, N);
  ritti_numeric_free(N);
  return status;
}
