/* The prime components of the position constraints: Singular computes them, and the answer is read
 * strictly, checked at points, and sorted. The procedure minAssChar (characteristic sets) comes
 * first; if it gives no answer, minAssGTZ follows. For each component the answer contains the
 * reduced Groebner basis for the order dp, which is unique, its dimension and its degree. The
 * checks cover what a wrong answer would break: points of components satisfy the constraints,
 * points of the constraints lie on some component, and no component has more independent generators
 * than its codimension. The components are those over the rational numbers; they may have no real
 * points. */
#include <stdlib.h>
#include "branches/algebra_impl.h"

enum { MOST_COMPONENTS = 1000, MOST_GENERATORS = 400, POINTS = 12 };

/* ---- reading the answer ---- */

/* A generator while it is read. */
typedef struct one {
  ritti_expr expr;
  const char *text;
  int degree, terms;
} one;

/* The simplest generator comes first. */
static int compare_generators(const void *a, const void *b) {
  const one *l = a, *r = b;
  if (l->degree != r->degree) return l->degree < r->degree ? -1 : 1;
  if (l->terms != r->terms) return l->terms < r->terms ? -1 : 1;
  return strcmp(l->text, r->text);
}

/* Cuts the next line off the answer; NULL if there is none. */
static char *next_line(char **at) {
  char *line = *at, *end = line ? strchr(line, '\n') : NULL;
  if (!end) return NULL;
  *end = '\0';
  *at = end + 1;
  return line;
}

/* Reads a line with a whole number between `low` and `high`. */
static bool read_count(char **at, long low, long high, long *out) {
  char *line = next_line(at), *end;
  if (!line || !*line) return false;
  *out = strtol(line, &end, 10);
  return !*end && *out >= low && *out <= high;
}

/* Reads "p,q,...", the generators, and sorts them. *fine: the line has this form. */
static ritt_status read_generators(ritti_branches *B, char *line, ritti_component *c, bool *fine) {
  one *list;
  RITTI_NEW(list, B->arena, MOST_GENERATORS);
  const char *at = line;
  *fine = line != NULL;

  /* read the polynomials */
  while (*fine) {
    one *g = &list[c->generators];
    const char *begin = at;
    g->expr =
        ritti_polynomial_read(B->model->dag, B->letter, B->letters, &at, &g->degree, &g->terms);
    RITT_TRY(ritti_dag_status(B->model->dag));
    *fine = g->expr != RITTI_NIL && g->degree > 0 && (*at == ',' || !*at);
    g->text = ritti_arena_text(B->arena, begin, (size_t)(at - begin));
    if (!g->text) return RITT_NO_MEMORY;
    c->generators++;
    if (!*at || c->generators == MOST_GENERATORS) break;
    at++;
  }
  *fine = *fine && !*at;
  if (!*fine) return RITT_OK;

  /* sort them and keep them */
  qsort(list, (size_t)c->generators, sizeof *list, compare_generators);
  RITTI_NEW_ARRAYS(B->arena, c->generators, c->generator, c->text);
  for (int i = 0; i < c->generators; i++) {
    c->generator[i] = list[i].expr;
    c->text[i] = list[i].text;
  }
  return RITT_OK;
}

/* Reads the number of components, then the dimension, the degree and the generators of each. */
static ritt_status read_components(ritti_branches *B, char *answer, bool *fine) {
  long count, dimension = 0, degree = 0;

  /* the number of components */
  *fine = read_count(&answer, 1, MOST_COMPONENTS, &count);
  if (!*fine) return RITT_OK;
  RITTI_NEW(B->component, B->arena, count);

  /* the components */
  for (B->components = 0; *fine && B->components < count; B->components++) {
    ritti_component *c = &B->component[B->components];
    *fine = read_count(&answer, -1, B->letters - 1, &dimension) &&
            read_count(&answer, 0, 1000000, &degree);
    c->dimension = (int)dimension;
    c->degree = (int)degree;
    c->smooth = c->independent = RITTI_OPEN;
    if (*fine && dimension < 0) *fine = next_line(&answer) != NULL; /* the unit ideal: no points */
    else if (*fine) RITT_TRY(read_generators(B, next_line(&answer), c, fine));
  }
  *fine = *fine && !*answer;
  return RITT_OK;
}

/* Sorts by falling dimension, by degree, by text. */
static int compare_components(const void *a, const void *b) {
  const ritti_component *l = a, *r = b;
  if (l->dimension != r->dimension) return l->dimension > r->dimension ? -1 : 1;
  if (l->degree != r->degree) return l->degree < r->degree ? -1 : 1;
  for (int i = 0; i < l->generators && i < r->generators; i++) {
    int order = strcmp(l->text[i], r->text[i]);
    if (order) return order;
  }
  return (l->generators > r->generators) - (l->generators < r->generators);
}

/* ---- checking the answer ---- */

/* A point more or less near the start values; number 0 gives the start values themselves. */
static void shifted_point(const ritti_branches *B, int number, double *point) {
  const ritti_model *model = B->model;
  for (int i = 0; i < B->variables; i++) {
    point[i] = 0;
    for (int k = 0; k < model->starts; k++)
      if (model->start[k].variable == B->variable[i] && model->start[k].order == 0)
        point[i] = model->start[k].number;
    double turn = fmod(0.6180339887498949 * (i + 1) * number + 0.41421356 * number, 1) * 2 - 1;
    if (number) point[i] += turn * (0.3 + 0.2 * number);
  }
}

/* Do the rows vanish at the point, relative to the sizes of their terms? */
static bool rows_vanish(const ritti_branches *B, const ritti_numeric *N, int count,
                        const double *point, double tolerance) {
  double value[2 * MOST_GENERATORS], size[2 * MOST_GENERATORS];
  if (count > 2 * MOST_GENERATORS || !ritti_numeric_at(N, point, value, size, NULL)) return false;
  (void)B;
  for (int i = 0; i < count; i++)
    if (!(fabs(value[i]) <= tolerance * size[i])) return false;
  return true;
}

/* Checks a component at some of its points; *wrong says what is wrong and is NULL if nothing is. */
static ritt_status check_component(const ritti_branches *B, const ritti_numeric *constraints,
                                   const ritti_component *c, const char **wrong) {
  double *from, *freedom, *point;
  ritti_numeric *N = NULL;
  bool reached;
  RITTI_NEW_ARRAYS(B->arena, B->variables + 1, from, point, freedom);

  /* find points of the component */
  for (int i = 0; i < B->variables; i++) freedom[i] = 1;
  ritt_status status = ritti_numeric_make(B, c->generator, c->generators, &N);
  for (int k = 1; k <= POINTS / 2 && status == RITT_OK && !*wrong; k++) {
    int rank;
    shifted_point(B, k, from);
    memcpy(point, from, (size_t)B->variables * sizeof *point);
    status = ritti_nearest_point(B, N, c->generators, from, freedom, point, &reached);
    if (status != RITT_OK || !reached) continue;

    /* they must satisfy the constraints, with the right rank */
    if (!rows_vanish(B, constraints, B->equations, point, 1e-8))
      *wrong = "has points that do not satisfy the constraints";
    status = ritti_numeric_rank_at(B, N, c->generators, point, 1e-7, &rank);
    if (rank > B->letters - B->angles - c->dimension)
      *wrong = "does not have the dimension that it states";
  }
  ritti_numeric_free(N);
  return status;
}

/* Does some component contain the point? */
static ritt_status find_covering(const ritti_branches *B, ritti_numeric *const *N,
                                 const double *point, bool *yes) {
  *yes = false;
  for (int i = 0; i < B->components && !*yes; i++)
    *yes = N[i] && rows_vanish(B, N[i], B->component[i].generators, point, 1e-5);
  return RITT_OK;
}

/* Checks that points of the constraints lie on components. */
static ritt_status check_cover(const ritti_branches *B, const ritti_numeric *constraints,
                               ritti_numeric *const *N, const char **wrong) {
  double *from, *freedom, *point;
  bool reached, yes;
  RITTI_NEW_ARRAYS(B->arena, B->variables + 1, from, point, freedom);
  for (int i = 0; i < B->variables; i++) freedom[i] = 1;

  /* look for points of the constraints near shifted guesses */
  for (int k = 1; k <= POINTS && !*wrong; k++) {
    shifted_point(B, k, from);
    memcpy(point, from, (size_t)B->variables * sizeof *point);
    RITT_TRY(ritti_nearest_point(B, constraints, B->equations, from, freedom, point, &reached));
    if (!reached) continue;
    RITT_TRY(find_covering(B, N, point, &yes));
    if (!yes) *wrong = "leave out points that satisfy the constraints";
  }
  return RITT_OK;
}

/* Checks all components. */
static ritt_status check_with(const ritti_branches *B, const ritti_numeric *constraints,
                              ritti_numeric **N, ritt_error *error) {
  const char *wrong = NULL;

  /* each component */
  for (int i = 0; i < B->components; i++) {
    RITT_TRY(ritti_numeric_make(B, B->component[i].generator, B->component[i].generators, &N[i]));
    RITT_TRY(check_component(B, constraints, &B->component[i], &wrong));
    if (wrong)
      return ritti_fail(error, RITT_SYSTEM, NULL, NULL,
                        "the answer of %s fails a check: component %d %s", B->program, i + 1,
                        wrong);
  }

  /* all of them together */
  RITT_TRY(check_cover(B, constraints, N, &wrong));
  if (wrong)
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL,
                      "the answer of %s fails a check: its components %s", B->program, wrong);
  return RITT_OK;
}

/* Checks the answer of Singular. */
static ritt_status check_components(const ritti_branches *B, ritt_error *error) {
  ritti_numeric *constraints = NULL, **N;
  ritti_expr *g;
  RITTI_NEW(g, B->arena, B->equations);
  RITTI_NEW(N, B->arena, B->components);
  for (int i = 0; i < B->equations; i++) g[i] = B->model->equation[B->equation[i]].residual;
  ritt_status status = ritti_numeric_make(B, g, B->equations, &constraints);
  if (status == RITT_OK) status = check_with(B, constraints, N, error);
  for (int i = 0; i < B->components; i++) ritti_numeric_free(N[i]);
  ritti_numeric_free(constraints);
  return status;
}

/* ---- the decomposition ---- */

/* Decomposes by one procedure: asks, reads, sorts, checks. */
static ritt_status decompose_constraints(ritti_branches *B, const ritti_ring *ring,
                                         ritti_singular_process *session, const char *how,
                                         ritt_error *error) {
  /* Asks Singular for the components by the procedure `how`. */
  ritti_text question = {0}, answer = {0};
  bool fine = false;

  /* write the question */
  ritti_text_add(&question, "LIB \"primdec.lib\";option(redSB);short=0;\nring r=0,(v(1..%d)),dp;\n",
                 B->letters);
  ritt_status status = ritti_positions_write(B, ring, &question);
  ritti_text_add(
      &question,
      "list L=%s(g);int i;int j;ideal P;\nprint(size(L));\n"
      "for(i=1;i<=size(L);i++){P=simplify(std(L[i]),1);print(dim(std(P)));print(mult(std(P)));"
      "for(j=1;j<=ncols(P);j++){P[j]=cleardenom(P[j]);}print(string(P));}\n",
      how);
  if (status == RITT_OK && question.status != RITT_OK) status = RITT_NO_MEMORY;

  /* ask it and read the answer */
  if (status == RITT_OK)
    status = ritti_singular_ask(session, question.at, question.count,
                                ritti_singular_seconds(session), error, &answer);
  if (status == RITT_OK) status = read_components(B, answer.at, &fine);
  if (status == RITT_OK && !fine)
    status =
        ritti_fail(error, RITT_SYSTEM, NULL, NULL,
                   "the answer of %s to %s does not read as a list of components", B->program, how);
  ritti_text_free(&question);
  ritti_text_free(&answer);
  B->by = how;
  RITT_TRY(status);

  /* a single component without points means that the constraints contradict each other */
  if (B->component[0].dimension < 0)
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL, "correct the constraints or their parameters",
                      "the position constraints contradict each other: no point satisfies them");
  for (int i = 0; i < B->components; i++)
    if (B->component[i].dimension < 0)
      return ritti_fail(error, RITT_SYSTEM, NULL, NULL,
                        "the answer of %s to %s does not read as a list of components", B->program,
                        how);
  qsort(B->component, (size_t)B->components, sizeof *B->component, compare_components);
  return check_components(B, error);
}

/* Decomposes by the first procedure that gives an answer. The messages are those of the last
 * attempt. */
static ritt_status decompose_somehow(ritti_branches *B, const ritti_ring *ring,
                                     const ritti_singular_call *call,
                                     ritti_singular_process **session, ritt_error *error) {
  static const char *const how[] = {"minAssChar", "minAssGTZ"};
  ritt_status status = RITT_SYSTEM;
  for (int k = 0; k < 2 && status == RITT_SYSTEM; k++) {
    ritt_error *own = ritt_error_new();
    if (!own) return RITT_NO_MEMORY;
    status = ritti_singular_open(call, B->arena, own, session);
    bool started = status == RITT_OK;
    if (started) status = decompose_constraints(B, ring, *session, how[k], own);

    /* only a missing answer leads to the next procedure */
    if (status != RITT_SYSTEM || !started || k == 1) {
      ritti_error_move(error, own);
      k = 2;
    } else ritti_singular_close(*session);
    ritt_error_free(own);
  }
  return status;
}

ritt_status ritti_branches_find(ritti_model *model, const ritti_singular_call *call,
                                const ritti_branch_def *asked, ritti_arena *arena,
                                ritt_error *error, ritti_branches **out) {
  ritti_branches *B;
  ritti_ring ring;
  ritti_singular_process *session = NULL;
  RITTI_NEW(B, arena, 1);
  *out = B;
  *B = (ritti_branches){
      .model = model, .arena = arena, .program = call->program ? call->program : "Singular"};

  /* the constraints as polynomials */
  RITT_TRY(ritti_positions_find(B, asked->place.line ? &asked->place : NULL, error, &ring));

  /* Values that choose a branch must belong to variables in the constraints. */
  for (int k = 0; k < asked->values; k++) {
    bool there = false;
    for (int i = 0; i < B->variables; i++) there |= B->variable[i] == asked->value[k].variable;
    const ritti_place *place = asked->value[k].place.line ? &asked->value[k].place : NULL;
    if (!there)
      return ritti_fail(error, RITT_WRONG_MODEL, place,
                        "choose by values of variables that occur in the constraints",
                        "no position constraint contains '%s'",
                        B->model->variable[asked->value[k].variable].name);
  }

  /* the components, their closest points and their rows */
  ritt_status status = decompose_somehow(B, &ring, call, &session, error);
  if (status == RITT_OK) status = ritti_branches_locate(B, asked->value, asked->values);
  for (int i = 0; i < B->components && status == RITT_OK; i++)
    status = ritti_component_rows(B, &ring, session, &B->component[i]);
  ritti_singular_close(session);
  return status;
}

/* ---- should branches be looked for without being asked? ---- */

/* The largest rank of the constraints at some of their points, which is the generic one. */
static ritt_status generic_rank(const ritti_branches *B, const ritti_numeric *N, int *most) {
  double *from, *freedom, *point;
  bool reached;
  int rank;
  RITTI_NEW_ARRAYS(B->arena, B->variables + 1, from, point, freedom);
  for (int i = 0; i < B->variables; i++) freedom[i] = 1;

  /* look for points of the constraints near shifted guesses */
  for (int k = 1; k <= POINTS; k++) {
    shifted_point(B, k, from);
    memcpy(point, from, (size_t)B->variables * sizeof *point);
    RITT_TRY(ritti_nearest_point(B, N, B->equations, from, freedom, point, &reached));
    if (reached) RITT_TRY(ritti_numeric_rank_at(B, N, B->equations, point, 1e-4, &rank));
    if (reached && rank > *most) *most = rank;
  }
  return RITT_OK;
}

/* Is the rank at the start values lower than the generic one? */
static ritt_status rank_drops(const ritti_branches *B, const ritti_numeric *N, bool *yes) {
  double *start;
  int here, most = 0;
  RITTI_NEW(start, B->arena, B->variables + 1);
  shifted_point(B, 0, start);
  RITT_TRY(ritti_numeric_rank_at(B, N, B->equations, start, 1e-4, &here));
  RITT_TRY(generic_rank(B, N, &most));
  *yes = here >= 0 && here < most;
  return RITT_OK;
}

ritt_status ritti_positions_singular(ritti_model *model, ritti_arena *arena, bool *yes) {
  ritti_branches B = {.model = model, .arena = arena};
  ritti_ring ring;
  ritti_expr *g;
  ritti_numeric *N = NULL;
  *yes = false;

  /* only polynomial constraints have branches */
  ritt_status status = ritti_positions_find(&B, NULL, NULL, &ring);
  if (status == RITT_WRONG_MODEL) return RITT_OK;
  RITT_TRY(status);

  /* compare the ranks */
  RITTI_NEW(g, arena, B.equations);
  for (int i = 0; i < B.equations; i++) g[i] = model->equation[B.equation[i]].residual;
  status = ritti_numeric_make(&B, g, B.equations, &N);
  if (status == RITT_OK) status = rank_drops(&B, N, yes);
  ritti_numeric_free(N);
  return status;
}
