/* The backend modulo primes against the derivative array of test/linear_system.h, which eliminates
 * all columns at once, densely and modulo another prime: the same pivots in each class, the same
 * open tops, the same contradictions. Then systems whose answers are known. */
#include <stdlib.h>
#include "check.h"
#include "complete/residue.h"
#include "linear_model.h"

/* ---- random systems, two ways ---- */

/* Sparse rows with few unknowns, so that rows depend on each other; some rows are a sum of others,
 * with the same forcing or another one. */
static void make_random(linear_system *S, char *text, size_t room) {
  memset(S, 0, sizeof *S);
  S->unknowns = 1 + pick(6);
  S->equations = S->unknowns + pick(3) - 1 + (S->unknowns == 1);
  for (int j = 0; j < S->unknowns; j++) snprintf(S->name[j], LINEAR_NAME, "v%d", j + 1);
  for (int i = 0; i < S->equations; i++) {
    for (int terms = 1 + pick(3); terms > 0; terms--)
      linear_add(S, i, pick(S->unknowns), pick(3), pick_number());
    for (int terms = pick(3); terms > 0; terms--)
      linear_force(S, i, pick(LINEAR_BASIS), pick_number());
    if (i < 2 || pick(4)) continue;
    int a = pick(i), b = pick(i);
    memset(S->entry[i], 0, sizeof S->entry[i]);
    memset(S->forcing[i], 0, sizeof S->forcing[i]);
    static char sum[2 * LINEAR_TEXT + 20];
    snprintf(sum, sizeof sum, "3*(%s) + 2*(%s)", S->equation[a], S->equation[b]);
    CHECK(strlen(sum) < LINEAR_TEXT);
    memcpy(S->equation[i], sum, LINEAR_TEXT);
    for (int j = 0; j < S->unknowns; j++)
      for (int k = 0; k < LINEAR_ORDERS; k++)
        S->entry[i][j][k] =
            mod_add(mod_multiply(3, S->entry[a][j][k]), mod_multiply(2, S->entry[b][j][k]));
    for (int f = 0; f < LINEAR_BASIS; f++)
      S->forcing[i][f] =
          mod_add(mod_multiply(3, S->forcing[a][f]), mod_multiply(2, S->forcing[b][f]));
    if (!pick(4)) linear_force(S, i, pick(LINEAR_BASIS), pick_number());
  }
  *text = 0;
  linear_write(text, room, "model random\nvariable ");
  for (int j = 0; j < S->unknowns; j++) linear_write(text, room, "%sv%d", j ? ", " : "", j + 1);
  linear_write(text, room, "\nequation\n");
  for (int i = 0; i < S->equations; i++) linear_write(text, room, "  %s = 0\n", S->equation[i]);
}

static void check_random_system(void) {
  static linear_system S;
  static char text[8 * LINEAR_TEXT];
  enum { MOST = 4 };
  read_system R;
  make_random(&S, text, sizeof text);
  linear_find_truth(&S, MOST);
  read_text(&R, text);
  CHECK(R.read);
  if (R.read) {
    bool open[LINEAR_MOST] = {false}, contradiction = false;
    int pivots[4] = {0}, expected[4] = {0};
    for (int j = 0; j < S.unknowns; j++) CHECK(R.linear.top[j] == S.order[j]);
    linear_array A = linear_make_array(&S, MOST, S.order);
    ritti_echelon_row *row = eliminate_all(&R, MOST, S.order, open);
    for (int k = 0; k < A.rows; k++) expected[linear_class(&A, S.order, A.pivot[k])]++;
    for (int r = 0; r < S.equations * (MOST + 1); r++) {
      pivots[row[r].class]++;
      contradiction = contradiction || (row[r].class == RITTI_NO_PIVOT && row[r].value);
      if (row[r].class == RITTI_LOWER || row[r].class == RITTI_NO_PIVOT)
        CHECK(row[r].supports > 0 && row[r].support[row[r].supports - 1] == r);
    }
    for (int class = 0; class < 3; class ++) CHECK(pivots[class] == expected[class]);
    CHECK(contradiction == A.contradiction);
    for (int j = 0; j < S.unknowns; j++) CHECK(open[j] == S.open[j]);
    linear_free_array(&A);
  }
  clear_system(&R);
}

/* ---- forcing ---- */

/* One unknown, given twice: does the difference of the forcings vanish? */
static ritti_zero difference(const char *left, const char *right) {
  char text[512];
  read_system R;
  ritti_zero zero = RITTI_ZERO_UNKNOWN;
  snprintf(text, sizeof text,
           "model two\nparameter w = 7/3, k = sqrt(2)\nvariable x\nequation\n  x = %s\n  x = %s\n",
           left, right);
  read_text(&R, text);
  CHECK(R.read);
  if (R.read) {
    int top[1] = {0};
    ritti_echelon_row *row = eliminate_all(&R, 0, top, NULL);
    CHECK(row[0].class == RITTI_TOP && row[1].class == RITTI_NO_PIVOT && row[1].supports == 2);
    zero = row[1].value;
  }
  clear_system(&R);
  return zero;
}

static void check_forcing(void) {
  static const struct {
    const char *left, *right;
    ritti_zero zero;
  } cases[] = {
      {"t^2 + 2*t + 1", "(t + 1)^2", RITTI_IS_ZERO},
      {"t^2 + 2*t + 1", "(t + 1)^2 + 1e-30", RITTI_NOT_ZERO},
      {"sin(t)^2 + cos(t)^2", "1", RITTI_IS_ZERO},
      {"sin(2*t)", "2*sin(t)*cos(t)", RITTI_IS_ZERO},
      {"sin(2*t)", "2*sin(t)*cos(t) + 1e-40*t", RITTI_NOT_ZERO},
      {"cos(w*t)", "cos(7*t/6)^2 - sin(7*t/6)^2", RITTI_IS_ZERO},
      {"sin(t + 2)", "sin(t)*cos(2) + cos(t)*sin(2)", RITTI_IS_ZERO},
      {"exp(2*t + 1/3)", "exp(t)^2*exp(1/3)", RITTI_IS_ZERO},
      {"exp(t)*exp(-t)", "1", RITTI_IS_ZERO},
      {"tanh(t)", "(exp(2*t) - 1)/(exp(2*t) + 1)", RITTI_IS_ZERO},
      {"tan(t/2)", "sin(t)/(1 + cos(t))", RITTI_IS_ZERO},
      {"cosh(t)^2 - sinh(t)^2", "1", RITTI_IS_ZERO},
      {"sin(pi*t)^2", "1 - cos(pi*t)^2", RITTI_IS_ZERO},
      {"sin(pi*t)", "sin(3.14159265358979*t)", RITTI_NOT_ZERO},
      {"exp(t)", "exp(1.0000000001*t)", RITTI_NOT_ZERO},
      {"1/(1 + t^2)", "(1 + t^2)^(-1)", RITTI_IS_ZERO},
      {"pi", "355/113", RITTI_NOT_ZERO},
      /* the product of two of the primes */
      {"t*4611686018427386309*4611686018427385229", "0", RITTI_NOT_ZERO},
      /* functions that are not known: a difference may vanish after all */
      {"sqrt(1 + t^2)", "sqrt(1 + t^2)", RITTI_IS_ZERO},
      {"2*sqrt(1 + t^2)", "sqrt(4 + 4*t^2)", RITTI_ZERO_UNKNOWN},
      {"sin(t + pi/2)", "cos(t)", RITTI_ZERO_UNKNOWN},
      {"k^2", "2", RITTI_IS_ZERO},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ritti_zero zero = difference(cases[i].left, cases[i].right);
    if (zero != cases[i].zero) printf("%s and %s: %d\n", cases[i].left, cases[i].right, (int)zero);
    CHECK(zero == cases[i].zero);
  }
}

/* Derivatives of the forcing: the second row is the derivative of the first, plus something. */
static void check_derivatives(void) {
  static const char *const pairs[][2] = {{"sin(3*t)*t^2", "3*cos(3*t)*t^2 + 2*t*sin(3*t)"},
                                         {"exp(t^2)", "2*t*exp(t^2)"},
                                         {"tan(t)", "1 + tan(t)^2"},
                                         {"1/(2 + t)", "-1/(2 + t)^2"},
                                         {"tanh(2*t)", "2 - 2*tanh(2*t)^2"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    for (int wrong = 0; wrong < 2; wrong++) {
      char text[512];
      read_system R;
      snprintf(text, sizeof text, "model two\nvariable x\nequation\n  x = %s\n  x' = %s + %d*t\n",
               pairs[i][0], pairs[i][1], wrong);
      read_text(&R, text);
      CHECK(R.read);
      if (R.read) {
        int top[1] = {1}, none = 0, nonzero = 0;
        ritti_echelon_row *row = eliminate_all(&R, 3, top, NULL);
        for (int r = 0; r < 8; r++) {
          if (row[r].class != RITTI_NO_PIVOT) continue;
          none++;
          nonzero += row[r].value == RITTI_NOT_ZERO;
        }
        /* (1, r + 1) depends on (2, r), r = 0, 1, 2; of t only two derivatives are not 0 */
        CHECK(none == 3 && nonzero == (wrong ? 2 : 0));
      }
      clear_system(&R);
    }
}

/* ---- primes that divide numbers of the model ---- */

/* The first primes divide a coefficient, its denominator, or both: others decide. With a product of
 * all primes nothing can be decided, and nothing is. */
static void check_unlucky_primes(void) {
  static const char *const numbers[] = {"4611686018427386309", "1/4611686018427386309",
                                        "4611686018427386309*4611686018427385229",
                                        "4611686018427386309/4611686018427385229"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    char text[256];
    read_system R;
    int top[1] = {1};
    snprintf(text, sizeof text, "model m\nvariable x\nequation\n  %s*x' = 1\n  x' = x\n",
             numbers[i]);
    read_text(&R, text);
    CHECK(R.read);
    if (R.read) {
      ritti_echelon_row *row = eliminate_all(&R, 0, top, NULL);
      CHECK(row[0].class == RITTI_TOP && row[1].class == RITTI_LOWER && row[1].supports == 2);
    }
    clear_system(&R);
  }

  ritti_text text = {0};
  read_system R;
  ritti_text_add(&text, "model m\nvariable x\nequation\n  x' = 1");
  for (int i = 0; i < RITTI_PRIMES; i++)
    ritti_text_add(&text, "*(4611686018427387904/%llu)",
                   (1ull << 62) - (unsigned long long)ritti_prime_below[i]);
  ritti_text_add(&text, "*x\n");
  read_text(&R, text.at);
  CHECK(R.model && !R.read);
  clear_system(&R);
  ritti_text_free(&text);
}

/* ---- what is linear with constant coefficients ---- */

static void check_reading(void) {
  static const struct {
    const char *equation;
    bool read;
  } cases[] = {{"a*x' + pi*y = 0", true},       {"x' = x*y", false},
               {"x' + t*y = 0", false},         {"k*x' + y = 0", false},
               {"x'/(1 + a^2) = sin(t)", true}, {"(x + y)^2 = 1", false},
               {"z*x^2 + y = 0", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256];
    read_system R;
    snprintf(text, sizeof text,
             "model m\nparameter a = 3/7, k = sqrt(2), z = 0\nvariable x, y\nequation\n  %s\n",
             cases[i].equation);
    read_text(&R, text);
    if (R.read != cases[i].read) printf("%s\n", cases[i].equation);
    CHECK(R.read == cases[i].read);
    clear_system(&R);
  }
}

int main(void) {
  for (int i = 0; i < (CHECK_SLOW ? 100 : 1000); i++) check_random_system();
  check_forcing();
  check_derivatives();
  check_reading();
  check_unlucky_primes();
  return CHECKS_DONE();
}
