/* The involutive forms that the papers print have the same zero sets as ours: each vanishes on the
 * other, and the dimensions are equal. Points are random, near the start. Ours are the reduced
 * system with all jets that the printed form has, and the classical form as the program prints it.
 */
#include "jets.h"

typedef struct printed {
  const char *name;
  int q;            /* the printed form lives in J_q */
  double x;         /* points have about this x */
  const char *head; /* parameters and variables, for both */
  const char *equations, *start, *form;
} printed;

/* clang-format off */
static const printed cases[] = {
  {"pendulum, (4.2) of the jet paper", 2, 0,
   "variable x, y, l\n",
   "  x'' + l*x = 0\n  y'' + l*y + 1 = 0\n  x^2 + y^2 = 1\n",
   "  x ~ 0.6, y ~ -0.8, x' ~ 0.4, y' ~ 0.3\n",
   "  x'' + x*l = 0\n  y'' + y*l + 1 = 0\n  l'' + 3*y'' = 0\n  x*x' + y*y' = 0\n  x'^2 + y'^2 - y - l = 0\n"
   "  3*y' + l' = 0\n  x^2 + y^2 - 1 = 0\n"},
  /* y_5^5 in the last equation as printed means y^5 */
  {"discharge pressure, (7.3) of the jet paper", 1, 9.8,
   "parameter c1 = 99.1, c2 = 0.001, c3 = 0.075, c4 = 3.35, c5 = 2458.18, c6 = 1/1.44\n"
   "variable y1, y2, y3, y4, y5\n"
   "let f = 5*tanh(t - 10) + 15, g1 = c2*f + c3, g2 = c3*f + c4, g3 = f^2 + 20*f*f'\n"
   "let g4 = f^2 + 60*f*f' + 400*f'^2 + 400*f*f''\n",
   "  20*y1' + y1 - y2 = 0\n  75*y2' + 5*y3' + y3 - c1 = 0\n  20*y4' + y5 - f = 0\n"
   "  c2*y4*y5^2 - c3*y4*y5 + c4*y4 - y3 = 0\n  y1^2*y4^2 - c5*y1^2 + c6*f^2 = 0\n",
   "  y1 ~ 0.36, y2 ~ 0.4, y3 ~ 99, y4 ~ 36.7, y5 ~ 10\n",
   "  20*y1' + y1 - y2 = 0\n  75*y2' + 5*y3' + y3 - c1 = 0\n  20*y4' + y5 - f = 0\n"
   "  c2*y4*y5^2 - c3*y4*y5 + c4*y4 - y3 = 0\n  y1^2*y4^2 - c5*y1^2 + c6*f^2 = 0\n"
   "  (40*c2*y4*y5 - 20*c3*y4)*y5' - 20*y3' - c2*y5^3 + g1*y5^2 - g2*y5 + c4*f = 0\n"
   "  y1*y2*y4^2 - y1^2*y4*y5 + f*y1^2*y4 - c5*y1*y2 + c6*g3 = 0\n"
   "  20*y1*(y4^2 - c5)*y2' - 20*y1^2*y4*y5' + y2^2*y4^2 + y1^2*y4*y5 - 4*y1*y2*y4*y5 + y1^2*y5^2 - f*y1^2*y4"
   " - 2*f*y1^2*y5 + 4*f*y1*y2*y4 + 20*f'*y1^2*y4 + f^2*y1^2 - c5*y2^2 + c6*g4 = 0\n"},
  {"stiff pendulum, (6.3) of the higher order paper", 2, 0,
   "parameter e = 1/10\nvariable x, y, l\n",
   "  x'' + x*l = 0\n  y'' + y*l + 1 = 0\n  (x^2 + y^2)*(e^2*l - 1)^2 = 1\n",
   "  x ~ 0.85, y ~ 0.1, x' ~ 0.2, y' ~ -0.1, l ~ -17\n",
   "  x'' + x*l = 0\n  y'' + y*l + 1 = 0\n  (x^2 + y^2)*(e^2*l - 1)^2 - 1 = 0\n"
   "  e^2*l' + (x*x' + y*y')*(e^2*l - 1)^3 = 0\n"
   "  (e^2*l - 1)*e^2*l'' - 3*e^4*l'^2 + (x'^2 + y'^2 - y)*(e^2*l - 1)^4 - l*(e^2*l - 1)^2 = 0\n"},
};
/* clang-format on */

/* Our model, with outputs that ask for all jets up to q. */
static completed *complete_ours(const printed *p) {
  char text[4096], outputs[512] = "";
  completed *c;
  for (int pass = 0;; pass++) {
    snprintf(text, sizeof text, "model ours\n%sequation\n%sstart t = %g\n%s%s", p->head,
             p->equations, p->x, p->start, outputs);
    c = completed_text(text, p->name);
    if (pass == 1 || !c->model) return c;
    strcpy(outputs, "output ");
    for (int j = 0; j < c->model->variables; j++)
      snprintf(outputs + strlen(outputs), sizeof outputs - strlen(outputs), "%sder(%s, %d)",
               j ? ", " : "", c->model->variable[j].name, p->q);
    strcat(outputs, "\n");
    completed_free(c);
  }
}

/* A random point near z, all of it free. */
static void shake(jets *z) {
  z->x += 0.1 * check_random();
  for (int j = 0; j < JETS_VARIABLES; j++)
    for (int k = 0; k < JETS_ORDERS; k++) {
      z->known[j][k] = false;
      if (z->value[j][k] != 0) z->value[j][k] *= 1 + 0.02 * check_random();
    }
}

static void must(bool holds, const printed *p, const char *what, double value) {
  if (holds) checks_passed++;
  else checks_failed++, printf("failed: %s: %s: %g\n", p->name, what, value);
}

/* How many jets occur in the rows. */
static int count_jets(const jets_rows *S) {
  bool seen[JETS_VARIABLES][JETS_ORDERS] = {{false}};
  int count = 0;
  for (int e = 0; e < S->entries; e++) {
    count += !seen[S->variable[e]][S->order[e]];
    seen[S->variable[e]][S->order[e]] = true;
  }
  return count;
}

/* The equations of a model that was only read, as rows. */
static jets_rows *rows_as_read(const completed *c) {
  ritti_expr *row = jets_memory((size_t)c->model->equations, sizeof *row);
  for (int i = 0; i < c->model->equations; i++) row[i] = c->model->equation[i].residual;
  jets_rows *S = jets_rows_new(c, row, c->model->equations);
  free(row);
  return S;
}

/* What the program prints as the involutive form, read again: its comments say where the equations
 * come from. */
static completed *classical_form(const printed *p) {
  char text[8192];
  const char *form = NULL, *equations = NULL;
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  snprintf(text, sizeof text, "model ours\n%sequation\n%sstart t = %g\n%s", p->head, p->equations,
           p->x, p->start);
  ritt_status status = ritt_model_read_text(text, strlen(text), p->name, error, &model);
  if (status == RITT_OK)
    status = ritt_model_complete(model, RITT_INVOLUTIVE, RITT_TEXT, error, &form);
  if (status == RITT_OK) equations = strstr(form, "\nequations\n");
  must(equations != NULL, p, "the classical form", (double)status);
  snprintf(text, sizeof text, "model form\n%sequation\n%s", p->head,
           equations ? equations + strlen("\nequations\n") : "");
  ritt_model_free(model);
  ritt_error_free(error);
  return completed_text(text, p->name);
}

/* Two systems in the same jets: each vanishes at points of the other, and their ranks are equal. */
static void compare_classical(const printed *p, const jets *start, const completed *theirs) {
  completed *form = classical_form(p);
  if (!form->model) return;
  jets_rows *P[2] = {rows_as_read(theirs), rows_as_read(form)};
  must(count_jets(P[0]) == count_jets(P[1]), p, "the jets of the classical form", count_jets(P[1]));
  for (int number = 0; number < 20; number++) {
    jets z = *start;
    shake(&z);
    jets_onto(P[number % 2], &z);
    double misfit = jets_rows_misfit(P[number % 2], &z, 1e-13, 1e-14);
    must(misfit <= 1, p, "a point of one is off it by", misfit);
    misfit = jets_rows_misfit(P[1 - number % 2], &z, 1e-11, 1e-12);
    must(misfit <= 1, p,
         number % 2 ? "theirs at a point of the classical form"
                    : "the classical form at a point of theirs",
         misfit);
    int rank = jets_rows_rank(P[0], &z, NULL, NULL), other = jets_rows_rank(P[1], &z, NULL, NULL);
    must(rank > 0 && rank == other && other == form->model->equations, p,
         "the rank of the classical form", other);
  }
  jets_rows_free(P[0]);
  jets_rows_free(P[1]);
  completed_free(form);
}

static void compare(const printed *p) {
  char text[4096];
  jets start, z;
  snprintf(text, sizeof text, "model theirs\n%sequation\n%s", p->head, p->form);
  completed *ours = complete_ours(p), *theirs = completed_text(text, p->name);
  must(ours->reduced != NULL, p, "the verdict", 0);
  if (!ours->reduced || !theirs->model) return;
  int n = theirs->model->variables;
  jets_rows *P = rows_as_read(theirs), *Q = jets_rows_all(ours);
  jets_start(ours, &start);
  for (int number = 0; number < 20; number++) {
    /* theirs vanishes at a point of ours, and is as large: both leave the degrees of freedom */
    z = start;
    shake(&z);
    jets_onto(Q, &z);
    double misfit = jets_rows_misfit(Q, &z, 1e-13, 1e-14);
    must(misfit <= 1, p, "a point of ours is off ours by", misfit);
    misfit = jets_rows_misfit(P, &z, 1e-11, 1e-12);
    must(misfit <= 1, p, "theirs at a point of ours", misfit);
    int rank = jets_rows_rank(P, &z, NULL, NULL), dof = ours->check.degrees_of_freedom;
    must(count_jets(P) == n * (p->q + 1), p, "the jets of theirs", count_jets(P));
    must(n * (p->q + 1) - rank == dof, p, "the dimension of theirs", n * (p->q + 1) - rank);
    rank = jets_rows_rank(Q, &z, NULL, NULL);
    must(count_jets(Q) - rank == dof, p, "the dimension of ours", count_jets(Q) - rank);
    /* ours vanishes at a point of theirs: its jets up to q are kept, those above follow */
    z = start;
    shake(&z);
    jets_onto(P, &z);
    misfit = jets_rows_misfit(P, &z, 1e-13, 1e-14);
    must(misfit <= 1, p, "a point of theirs is off theirs by", misfit);
    for (int j = 0; j < n; j++)
      for (int k = 0; k <= p->q; k++) z.known[j][k] = true;
    jets_onto(Q, &z);
    misfit = jets_rows_misfit(Q, &z, 1e-11, 1e-12);
    must(misfit <= 1, p, "ours at a point of theirs", misfit);
  }
  jets_rows_free(P);
  jets_rows_free(Q);
  compare_classical(p, &start, theirs);
  completed_free(ours);
  completed_free(theirs);
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) compare(&cases[i]);
  return CHECKS_DONE();
}
