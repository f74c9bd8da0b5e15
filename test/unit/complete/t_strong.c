/* Strong potentials: equations taken apart, ranks and eigenvalues that are known in closed form,
 * limits. */
#include "check.h"
#include "complete/strong.h"

typedef struct taken {
  ritti_model *model;
  ritti_arena *arena;
  ritti_strong_system *S;
  ritt_error *error;
  ritt_status status;
} taken;

static taken take(const char *text) {
  taken T = {.arena = ritti_arena_new(), .error = ritt_error_new()};
  T.status = ritti_model_read(text, strlen(text), "m", NULL, 0, T.error, &T.model);
  if (T.status == RITT_OK) T.status = ritti_strong_parts(T.model, T.arena, T.error, &T.S);
  if (T.status == RITT_OK && !T.S->unlike) T.status = ritti_strong_check(T.S, T.error);
  for (size_t i = 0; i < ritt_error_count(T.error); i++) puts(ritt_error_get(T.error, i)->text);
  return T;
}

static void drop(taken *T) {
  ritti_model_free(T->model);
  ritti_arena_free(T->arena);
  ritt_error_free(T->error);
}

/* a point of the jets */
static double jet(const void *context, int variable, int order) {
  (void)context;
  return 0.7 + 0.3 * variable - 0.2 * order;
}

static double value(const taken *T, ritti_expr e) {
  double eps = NAN, out = NAN; /* nothing below depends on it */
  ritti_values values = {.jet = jet, .parameter = &eps};
  return ritti_dag_evaluate(T->model->dag, e, &values, &out) == RITT_OK ? out : NAN;
}

/* The pendulum with its rows exchanged and signs turned; forces and the strong force mixed in one
 * fraction. */
static void check_rows(void) {
  taken T = take(
      "model m\nvariable x, y\nlet r = sqrt(x^2 + y^2)\nequation\n"
      "  0 = ((1 - r)*y/r - eps^2*(1 + y'))/eps^2 - y''\n  -x'' = (x*(r - 1) + x'*eps^2*r)/(eps^2*r)\n"
      "stiff (r - 1)^2/2, eps = 0.001\nstart x = 0.6, y = 0.8\n");
  CHECK(T.status == RITT_OK && !T.S->unlike);
  if (T.status == RITT_OK) {
    double x = jet(NULL, 0, 0), y = jet(NULL, 1, 0), r = hypot(x, y);
    CHECK(T.S->row[0] == 1 && T.S->row[1] == 0);
    CHECK_NEAR(value(&T, T.S->force[0]), -jet(NULL, 0, 1), 1e-14);
    CHECK_NEAR(value(&T, T.S->force[1]), -1 - jet(NULL, 1, 1), 1e-14);
    CHECK_NEAR(value(&T, T.S->gradient[1]), (r - 1) * y / r, 1e-14);
    CHECK(ritti_entries(&T.S->M.pattern) == 2 && ritti_entries(&T.S->H.pattern) == 4);
    CHECK_NEAR(value(&T, T.S->M.entry[0]), 1, 1e-14);
    CHECK_NEAR(value(&T, T.S->M.entry[1]), 1, 1e-14);
    CHECK_NEAR(value(&T, T.S->H.entry[1]), x * y / (r * r * r), 1e-14);
    CHECK(T.S->m == 1 &&
          T.S->column[0] == 1); /* at (0.6, 0.8) the second column is the longer one */
    CHECK_NEAR(T.S->least, 1, 1e-12);
  }
  drop(&T);
}

/* M = [2 1; 1 3], U = (x - y)^2/2: the eigenvalue is (1, -1) M^-1 (1, -1)^T = 7/5 */
static void check_alpha(void) {
  taken T = take(
      "model m\nvariable x, y\nlagrangian x'^2 + x'*y' + 3*y'^2/2 - x\nstiff (x - y)^2/2, eps = 0.1\n"
      "start x = 2, y = 1\n");
  CHECK(T.status == RITT_OK && T.S->m == 1);
  CHECK_NEAR(T.S->least, 1.4, 1e-12);
  CHECK_NEAR(T.S->largest, 1.4, 1e-12);
  CHECK_NEAR((double)T.S->u[0], (double)T.S->u[1], 1e-15); /* the start values are not on the set */
  drop(&T);
  /* two springs in a row, of constants 1 and 1/10: the roots of s^2 - 1.2 s + 0.1 */
  T = take(
      "model m\nvariable x, y\nlagrangian (x'^2 + y'^2)/2\nstiff x^2/2 + (y - x)^2/20, eps = 0.1\n"
      "start x = 0, y = 0\n");
  CHECK(T.status == RITT_OK && T.S->m == 2);
  CHECK_NEAR(T.S->least, 0.6 - sqrt(0.26), 1e-12);
  CHECK_NEAR(T.S->largest, 0.6 + sqrt(0.26), 1e-12);
  drop(&T);
}

/* The limit, completed: free values, and the multipliers that it has. */
static void check_limit(const char *text, int codimension, int freedom, const char *shown) {
  taken T = take(text);
  ritti_model *limit;
  ritti_reduced *reduced;
  ritt_check check;
  CHECK(T.status == RITT_OK && T.S->m == codimension);
  if (T.status == RITT_OK && ritti_strong_limit(T.S, &limit) == RITT_OK) {
    CHECK(limit->equations == T.S->n + codimension);
    CHECK_TEXT(limit->variable_name[limit->variable_names - 1].shown, shown);
    CHECK(ritti_complete(limit, T.arena, T.error, &check, &reduced) == RITT_OK);
    CHECK(check.degrees_of_freedom == freedom && check.index == 3);
  } else CHECK(false);
  drop(&T);
}

static void check_limits(void) {
  /* a square with both diagonals: six members, of which five suffice, so that rows of the Hessian
   * are taken */
  check_limit(
      "model m\nvariable x[1..4], y[1..4]\n"
      "let s = sqrt(2), a[i in 1..4] = if i = 4 then x[1] else x[i+1], b[i in 1..4] = if i = 4 then "
      "y[1] else y[i+1]\n"
      "lagrangian sum(i in 1..4, (x[i]'^2 + y[i]'^2)/2 - y[i])\n"
      "stiff sum(i in 1..4, (sqrt((x[i] - a[i])^2 + (y[i] - b[i])^2) - 1)^2)/2 +\n"
      "  (sqrt((x[1] - x[3])^2 + (y[1] - y[3])^2) - s)^2/2 + (sqrt((x[2] - x[4])^2 + (y[2] - "
      "y[4])^2) - s)^2/2,\n"
      "  eps = 0.01\n"
      "start x[1] ~ 0, y[1] ~ 0, x[2] ~ 1, y[2] ~ 0, x[3] ~ 1, y[3] ~ 1, x[4] ~ 0, y[4] ~ 1\n"
      "  for i in 1..4: x[i]' ~ 0.1*i, y[i]' ~ 0\n",
      5, 6, "lambda[1..5]");
  /* no sum of squares at all, and a name that is taken */
  check_limit(
      "model m\nparameter lambda = 2\nvariable x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2 - z\n"
      "stiff cosh(lambda*(x - y^2)) + exp(x^2 + y^2 + z^2 - 1) - (x^2 + y^2 + z^2), eps = 0.01\n"
      "start x ~ 0, y ~ 0, z ~ 1, x' ~ 0, y' ~ 0.3, z' ~ 0\n",
      2, 2, "limit_lambda[1..2]");
}

/* Other forms are no mistakes. */
static void check_unlike(void) {
  static const char *const text[] = {
      ("model m\nvariable x, y, z\nlagrangian (x'^2 + y'^2)/2\nconstraint x = y\n"
       "stiff x^2, eps = 0.1\nequation z' = x\n"),
      "model m\nvariable x, y\nequation\n x'' = -x/eps^2\n y' = x\nstiff x^2/2, eps = 0.1\n",
      "model m\nvariable x\nlagrangian x'^2/2\nstiff (x - sin(t))^2/2, eps = 0.1\n",
      "model m\nvariable x\nlagrangian x'^4/12\nstiff x^2/2, eps = 0.1\nstart x' = 1\n"};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    taken T = take(text[i]);
    CHECK(T.status == RITT_OK && T.S->unlike && T.S->why && *T.S->why);
    drop(&T);
  }
}

int main(void) {
  check_rows();
  check_alpha();
  check_limits();
  check_unlike();
  return CHECKS_DONE();
}
