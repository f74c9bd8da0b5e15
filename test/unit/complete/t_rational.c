/* Elimination over the rationals, two ways: the coefficients of every row that comes out lie in the
 * row space of the derivative array (test/linear_system.h, modulo another prime), and with its
 * forcing the row vanishes along a known solution. There are as many rows as the array has pivots,
 * and they are independent. */
#include "linear_model.h"

enum { MOST = 5 };

/* A random system through the solution x*: combinations of the ten functions with whole numbers. */
typedef struct solved_system {
  linear_system S;
  long solution[LINEAR_MOST][LINEAR_BASIS];
  char text[8 * LINEAR_TEXT];
} solved_system;

static void differentiate(const long *f, long *out) {
  const long d[LINEAR_BASIS] = {f[1], 2 * f[2],  3 * f[3], 0,    -f[5],
                                f[4], -2 * f[7], 2 * f[6], f[8], -f[9]};
  memcpy(out, d, sizeof d);
}

/* dense: every unknown in every equation, numbers up to 99 */
static void make_solved(solved_system *M, bool dense) {
  linear_system *S = &M->S;
  memset(M, 0, sizeof *M);
  S->unknowns = 2 + pick(4);
  S->equations = S->unknowns + (pick(4) == 0);
  for (int j = 0; j < S->unknowns; j++) {
    snprintf(S->name[j], LINEAR_NAME, "v%d", j + 1);
    for (int k = 0; k < 2; k++) M->solution[j][pick(LINEAR_BASIS)] = pick(7) - 3;
  }
  for (int i = 0; i < S->equations; i++) {
    long forcing[LINEAR_BASIS] = {0};
    int terms = dense ? 2 * S->unknowns : 2 + pick(3);
    for (int t = 0; t < terms; t++) {
      int j = dense ? t % S->unknowns : pick(S->unknowns),
          order = dense ? t >= S->unknowns : pick(3);
      long a = dense ? pick(199) - 99 : pick(7) - 3, f[LINEAR_BASIS];
      /* the second equation has the derivatives of the first one, so that there are conditions */
      if (dense && i % 2 && order == 1) a = i == 1 ? 0 : 3 * (j + 1);
      memcpy(f, M->solution[j], sizeof f);
      for (int k = 0; k < order; k++) differentiate(f, f);
      for (int b = 0; b < LINEAR_BASIS; b++) forcing[b] += a * f[b];
      linear_add(S, i, j, order, (linear_number){a, 1, 0});
    }
    for (int b = 0; b < LINEAR_BASIS; b++)
      linear_force(S, i, b, (linear_number){-forcing[b], 1, 0});
    if (!*S->equation[i]) strcpy(S->equation[i], "0");
  }
  linear_write(M->text, sizeof M->text, "model solved\nvariable ");
  for (int j = 0; j < S->unknowns; j++)
    linear_write(M->text, sizeof M->text, "%sv%d", j ? ", " : "", j + 1);
  linear_write(M->text, sizeof M->text, "\nequation\n");
  for (int i = 0; i < S->equations; i++)
    linear_write(M->text, sizeof M->text, "  %s = 0\n", S->equation[i]);
}

/* ---- values along the solution ---- */

typedef struct place {
  const solved_system *M;
  double t;
} place;

static double jet_value(const void *context, int variable, int order) {
  const place *p = context;
  const double t = p->t;
  const double function[LINEAR_BASIS] = {1,      t,          t * t,      t * t * t, sin(t),
                                         cos(t), sin(2 * t), cos(2 * t), exp(t),    exp(-t)};
  long f[LINEAR_BASIS];
  double sum = 0;
  memcpy(f, p->M->solution[variable], sizeof f);
  for (int k = 0; k < order; k++) differentiate(f, f);
  for (int b = 0; b < LINEAR_BASIS; b++) sum += (double)f[b] * function[b];
  return sum;
}

static residue rational_residue(mpq_srcptr a) {
  residue n = (residue)mpz_fdiv_ui(mpq_numref(a), MOD_PRIME);
  return mod_multiply(n, mod_inverse((residue)mpz_fdiv_ui(mpq_denref(a), MOD_PRIME)));
}

/* One row: it vanishes along the solution, and the array implies its coefficients, which are put
 * into `out`. size: the largest of its terms. */
static void check_row(read_system *R, const solved_system *M, linear_array *A, ritti_expr row,
                      bool tops, residue *out) {
  const linear_system *S = &M->S;
  ritti_dag *dag = R->model->dag;
  ritti_gradient g;
  place p = {M, 0.37};
  ritti_values values = {.independent = p.t, .jet = jet_value, .context = &p};
  double value, size = 1;
  int columns = A->width - LINEAR_BASIS;
  CHECK(ritti_dag_evaluate(dag, row, &values, &value) == RITT_OK);
  CHECK(ritti_dag_gradient_of(dag, row, 1u << RITTI_JET, &g) == RITT_OK);

  residue *last = A->row + (size_t)A->rows * (size_t)A->width;
  memset(last, 0, (size_t)A->width * sizeof *last);
  for (size_t e = 0; e < g.count; e++) {
    int v = ritti_index_of(dag, g.leaf[e]), order = ritti_order_of(dag, g.leaf[e]);
    CHECK(ritti_op_of(dag, g.derivative[e]) == RITTI_NUMBER);
    CHECK(order <= S->order[v] && (tops || order < S->order[v]));
    last[v * A->orders + order] = rational_residue(ritti_rational_of(dag, g.derivative[e]));
    double factor = mpq_get_d(ritti_rational_of(dag, g.derivative[e]));
    size = fmax(size, fabs(factor * jet_value(&p, v, order)));
  }
  memcpy(out, last, (size_t)columns * sizeof *out);
  ritti_gradient_clear(&g);
  CHECK_NEAR(value, 0, 1e-11 * size);
  int rows = A->rows;
  CHECK(linear_reduce_row(A, S->order) == 3);
  A->rows = rows;
}

static void check_solved(const solved_system *M) {
  const linear_system *S = &M->S;
  read_system R;
  ritti_linear_rows rows;
  ritti_selection selection = {0};
  bool done = false;
  read_text(&R, M->text);
  CHECK(R.read);
  linear_array A = linear_make_array(S, MOST, S->order);
  CHECK(!A.contradiction);

  /* every row with a pivot is selected */
  ritti_echelon_row *echelon = eliminate_all(&R, MOST, S->order, NULL);
  ritti_row_id *row = linear_memory((size_t)(S->equations * (MOST + 1)), sizeof *row);
  for (int r = 0; r < S->equations * (MOST + 1); r++)
    if (echelon[r].class != RITTI_NO_PIVOT)
      row[selection.rows++] = (ritti_row_id){r % S->equations, r / S->equations};
  selection.row = row;
  CHECK(ritti_linear_eliminate(&R.linear, &R.backend, &selection, S->order, R.arena, &rows,
                               &done) == RITT_OK);
  CHECK(done);
  if (done) {
    int count[4] = {0}, columns = A.width - LINEAR_BASIS, all = rows.rows + rows.top_rows;
    for (int k = 0; k < A.rows; k++) count[linear_class(&A, S->order, A.pivot[k])]++;
    CHECK(rows.rows == count[2] && rows.top_rows == count[1]);
    residue *matrix = linear_memory((size_t)(all * columns), sizeof *matrix);
    for (int i = 0; i < all; i++) {
      bool top = i >= rows.rows;
      const ritti_origin *origin = top ? &rows.top_origin[i - rows.rows] : &rows.origin[i];
      check_row(&R, M, &A, top ? rows.top_row[i - rows.rows] : rows.row[i], top,
                matrix + i * columns);
      CHECK(origin->equation >= 0 || origin->sources > 1);
    }
    CHECK(mod_rank(all, columns, matrix) == all);
    free(matrix);
  }
  linear_free_array(&A);
  free(row);
  clear_system(&R);
}

/* ---- numbers ---- */

/* The conditions of a system that was mixed by numbers up to 99 are those of the plain one: index 3,
 * u = t^3, u' = v, v' = w, written as P (E x' + A x - f) = 0 with x = (u, v, w). */
static void check_small_numbers(void) {
  static const char text[] = "model mixed\nvariable u, v, w\nequation\n"
                             "  97*(u - t^3) + 89*(u' - v) - 83*(v' - w) = 0\n"
                             "  -79*(u - t^3) + 73*(u' - v) + 71*(v' - w) = 0\n"
                             "  67*(u - t^3) - 61*(u' - v) + 59*(v' - w) = 0\n";
  read_system R;
  ritti_linear_rows rows;
  ritti_selection selection = {0};
  int top[3] = {1, 1, 1};
  bool done = false;
  read_text(&R, text);
  CHECK(R.read);
  ritti_echelon_row *echelon = eliminate_all(&R, 3, top, NULL);
  ritti_row_id row[12];
  for (int r = 0; r < 12; r++)
    if (echelon[r].class != RITTI_NO_PIVOT) row[selection.rows++] = (ritti_row_id){r % 3, r / 3};
  selection.row = row;
  CHECK(ritti_linear_eliminate(&R.linear, &R.backend, &selection, top, R.arena, &rows, &done) ==
        RITT_OK);
  CHECK(done && rows.reduced);
  if (done) {
    /* c t^k is the derivative of order 0 .. 3 of t^3 */
    static const long factor[] = {1, 3, 6, 6};
    ritti_dag *dag = R.model->dag;
    ritti_expr x = ritti_independent(dag);
    CHECK(rows.rows == 3 && rows.top_rows == 3);
    for (int k = 0; k < 6; k++) {
      int v = k % 3, order = k / 3, derivative = v + order, found = 0;
      ritti_expr power = ritti_power(dag, x, ritti_number(dag, 3 - derivative, 1));
      ritti_expr value = ritti_multiply(dag, ritti_number(dag, factor[derivative], 1), power);
      ritti_expr expected = ritti_subtract(dag, ritti_jet(dag, v, order), value);
      for (int i = 0; i < 3; i++) found += (order ? rows.top_row[i] : rows.row[i]) == expected;
      CHECK(found == 1);
    }
  }
  clear_system(&R);
}

/* A linear part beside a nonlinear one keeps the model's numbers of equations and variables. */
static void check_part(void) {
  static const char text[] = "model parts\nvariable a, x, b, y\nequation\n"
                             "  a' = a^2\n  2*x' + y = sin(t)\n  b*b = a\n  x = 3*t\n";
  read_system R;
  ritti_linear_rows rows;
  ritti_selection selection = {0};
  int top[2] = {1, 0};
  bool done = false;
  read_linear(&R, text, true);
  CHECK(R.read && R.linear.equations == 2 && R.linear.variables == 2);
  ritti_row_id row[] = {{0, 0}, {1, 0}, {1, 1}}; /* 2 x' + y = sin(t), x = 3 t, x' = 3 */
  selection.row = row;
  selection.rows = 3;
  CHECK(ritti_linear_eliminate(&R.linear, &R.backend, &selection, top, R.arena, &rows, &done) ==
        RITT_OK);
  CHECK(done && rows.rows == 1 && rows.top_rows == 2);
  if (done) {
    ritti_dag *dag = R.model->dag;
    ritti_expr t = ritti_independent(dag), y = ritti_jet(dag, 3, 0);
    ritti_expr three_t = ritti_multiply(dag, ritti_number(dag, 3, 1), t);
    ritti_expr minus_sine = ritti_negate(dag, ritti_apply(dag, RITTI_SIN, &t, 1));
    ritti_expr sum[] = {y, ritti_number(dag, 6, 1), minus_sine};
    ritti_expr velocity = ritti_subtract(dag, ritti_jet(dag, 1, 1), ritti_number(dag, 3, 1));
    ritti_expr force = ritti_sum(dag, sum, 3);
    CHECK(rows.row[0] == ritti_subtract(dag, ritti_jet(dag, 1, 0), three_t));
    CHECK(rows.origin[0].equation == 3 && rows.origin[0].order == 0);
    CHECK((rows.top_row[0] == velocity && rows.top_row[1] == force) ||
          (rows.top_row[1] == velocity && rows.top_row[0] == force));
  }
  clear_system(&R);
}

int main(void) {
  static solved_system M;
  for (int i = 0; i < (CHECK_SLOW ? 60 : 400); i++) {
    make_solved(&M, i % 2);
    linear_find_truth(&M.S, MOST);
    check_solved(&M);
  }
  check_small_numbers();
  check_part();
  return CHECKS_DONE();
}
