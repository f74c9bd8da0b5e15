/* Whole steps of several runs at once, in the lanes of vectors: every lane has the bits of the step
 * taken alone by native code, whatever happens in the others, and is given back where the step
 * alone is given back. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "check.h"
#include "codegen/codegen_impl.h"
#include "jit/native.h"
#include "api/pipeline.h"

enum { MOST = 11, TRIALS = 400, ROOM = 4096 };

static ritti_native *compile(ritti_text *source) {
  const struct timespec pause = {0, 1000000};
  ritti_native *code = ritti_native_begin(source->at, source->count, true, true);
  while (code && ritti_native_poll(code) == RITTI_NATIVE_WORKING) nanosleep(&pause, NULL);
  if (code && ritti_native_poll(code) != RITTI_NATIVE_READY) {
    printf("%s\n", ritti_native_reason(code));
    ritti_native_free(code);
    return NULL;
  }
  return code;
}

/* What comes of a step. */
typedef struct end {
  double V[32 * 64], point[64], end[64], z_new[64], top[64], factors[64 * 64], *stage[33];
  ritti_step_job W;
} end;

/* One run: the arguments of its step, and the results alone and in a batch. */
typedef struct run {
  double z[64], V[64], spread[64], size[64], relative[64], absolute[64], metric[64], work[ROOM], h;
  end alone, among;
} run;

static run *runs[MOST];

static double unit(void) { return (1 + check_random()) / 2; } /* in [0, 1) */
static double around(double centre, double spread) { return centre + spread * check_random(); }

/* Near the start, with other parameters; some of them far away, or with values that are not numbers.
 */
static void draw(run *a, const ritti_problem *p, const double *start, const ritti_row_parts part,
                 int trial) {
  int m = p->m;
  p->work_init(p->data, a->work);
  for (uint32_t i = part.parameter; i < part.constant; i++) a->work[i] *= around(1, 0.01);
  double loose = unit() < 0.2
                     ? 10
                     : 1e-8; /* tolerances above the size of the point: everything to round-off */
  for (int i = 0; i < m; i++) {
    a->z[i] = start[i] + (i ? around(0, trial % 3 ? 1e-3 : 0.2) : 0);
    a->V[i] = i ? around(0, 1) : 1;
    a->spread[i] = i ? around(1, 0.5) : 0, a->size[i] = around(1, 0.5);
    a->relative[i] = loose, a->absolute[i] = around(loose, loose / 10),
    a->metric[i] = around(1, 0.1);
  }
  if (trial % 7 == 3 && unit() < 0.3) a->z[1 + (int)(unit() * (m - 1))] = NAN;
  if (trial % 7 == 4 && unit() < 0.3) a->V[1 + (int)(unit() * (m - 1))] = INFINITY;
  if (trial % 7 == 5 && unit() < 0.3)
    for (int i = 1; i < m; i++) a->z[i] *= 1e3;
  a->h = around(0.05, 0.05);
}

static ritti_step_job *tell(run *a, end *e, const ritti_step_method *method, int m) {
  for (int i = 0; i <= method->stages; i++) e->stage[i] = e->V + i * m;
  memcpy(e->V, a->V, (size_t)m * sizeof *a->V);
  e->W = (ritti_step_job){.key = method->key,
                          .directed = 1,
                          .h = a->h,
                          .x_new = a->z[0] + a->h,
                          .z = a->z,
                          .spread = a->spread,
                          .size = a->size,
                          .relative = a->relative,
                          .absolute = a->absolute,
                          .metric = a->metric,
                          .V = e->stage,
                          .point = e->point,
                          .end = e->end,
                          .z_new = e->z_new,
                          .top = e->top,
                          .factors = e->factors,
                          .work = a->work};
  return &e->W;
}

static bool same(const double *a, const double *b, int count) {
  return !memcmp(a, b, (size_t)count * sizeof *a);
}

static bool is_same(const end *a, const end *b, const ritti_problem *p,
                    const ritti_step_method *method) {
  const ritti_step_job *A = &a->W, *B = &b->W;
  bool counts = A->iterations == B->iterations && A->idle == B->idle &&
                A->factorisations == B->factorisations && A->most == B->most;
  for (int i = 0; p->symmetric && i < p->tops; i++)
    for (int j = 0; j <= i; j++)
      counts = counts && same(a->factors + i * p->tops + j, b->factors + i * p->tops + j, 1);
  return counts && !memcmp(&A->norms, &B->norms, sizeof A->norms) && A->loose == B->loose &&
         same(a->z_new, b->z_new, p->m) && same(a->end, b->end, p->m) &&
         same(a->point, b->point, p->m) && same(a->V, b->V, p->m * (method->stages + 1)) &&
         same(a->top, b->top, p->tops);
}

static void check_steps(const ritti_problem *p, const double *start, const ritti_row_parts part,
                        const ritti_step_method *method, const ritti_native *whole,
                        const ritti_native *lanes) {
  int (*alone)(ritti_step_job *) = (int (*)(ritti_step_job *))ritti_native_get(whole, "ritt_step");
  ritti_batch_step *together = (ritti_batch_step *)ritti_native_get(lanes, "ritt_batch_steps");
  long equal = 0, given_back = 0, different = 0, only_lanes = 0, alive_only = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    ritti_step_job *step[MOST];
    int count = 1 + trial % MOST, done[MOST], one[MOST];
    for (int i = 0; i < count; i++) {
      draw(runs[i], p, start, part, trial);
      one[i] = alone(tell(runs[i], &runs[i]->alone, method, p->m)) == RITTI_STEP_WHOLE;
      step[i] = tell(runs[i], &runs[i]->among, method, p->m);
      done[i] = -1;
    }
    together(count, step, done);
    for (int i = 0; i < count; i++) {
      equal += one[i] && done[i], given_back += !one[i] && !done[i];
      different += one[i] && done[i] && !is_same(&runs[i]->alone, &runs[i]->among, p, method);
      only_lanes += one[i] && !done[i] && runs[i]->alone.W.most < RITTI_NEAR_ORTHOGONAL;
      alive_only += done[i] && !one[i];
    }
  }
  printf("%ld steps in lanes, %ld given back\n", equal, given_back);
  CHECK(equal > TRIALS && given_back > 0);
  CHECK(different == 0);
  CHECK(only_lanes == 0);
  CHECK(alive_only == 0);
}

static void check_model(const char *text, const char *name, bool stages, bool sequential,
                        bool weighted) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  const double *z;
  ritti_step_method method;
  ritti_text one = {0}, many = {0};
  bool whole, hard;
  CHECK(ritt_model_read_text(text, strlen(text), "test", error, &model) == RITT_OK);
  CHECK(ritt_model_start_point(model, error, &z) == RITT_OK);
  const ritti_problem *p = model->problem;
  CHECK(ritti_tableau_step_method(ritti_method_find(name), stages, sequential, weighted, &method));
  CHECK(ritti_batch_fits(p, &method));
  CHECK(ritti_problem_write_native(p, &(ritti_native_aim){.method = &method}, &one, &whole,
                                   &hard) == RITT_OK &&
        whole);
  CHECK(ritti_batch_write(p, &method, &many) == RITT_OK);
  if (getenv("RITT_SHOW")) printf("%s\n//////\n%s\n//////\n", many.at, one.at);
  ritti_native *alone = compile(&one), *lanes = compile(&many);
  CHECK(alone && lanes);
  if (alone && lanes)
    check_steps(p, z, ritti_layout_parts(((const ritti_evaluator *)p->data)->layout), &method,
                alone, lanes);
  ritti_native_free(alone), ritti_native_free(lanes);
  ritti_text_free(&one), ritti_text_free(&many);
  ritt_model_free(model);
  ritt_error_free(error);
}

int main(void) {
  char folder[512] = "";
  CHECK(getcwd(folder, sizeof folder - 16) != NULL);
  strcat(folder, "/lanes_cache");
  setenv("XDG_CACHE_HOME", folder, 1);
  for (int i = 0; i < MOST; i++) runs[i] = calloc(1, sizeof **runs);
  static const char henon[] =
      "model h\nparameter a = 1, b = 2\nvariable x, y\nequation\n x'' = -a*x - b*x*y\n"
      " y'' = -y - x^2 + y^2\ninvariant (x'^2 + y'^2)/2 + (a*x^2 + y^2)/2 + x^2*y - y^3/3\n"
      "start x = 0.1, y = 0, x' = 0.3, y' = 0.4\n";
  static const char pendulum[] =
      "model p\nparameter g = 1, L = 1\nvariable x, y, lambda\nequation\n"
      " x'' + lambda*x = 0\n y'' + lambda*y + g = 0\n x^2 + y^2 = L^2\n"
      "start x = 1, y = 0, x' ~ 0, y' ~ 0\n";
  static const char angle[] =
      "model a\nparameter k = 1\nvariable u, v\nequation\n u' = v + min(u, v)/10\n"
      " v' = -k*sin(u)*cos(u) + exp(-u^2)/sqrt(3 + v) + abs(v)^1.5\nstart u = 1, v = 0.1\n";
  check_model(henon, "dopri54", true, false, false);
  check_model(henon, "dopri54", true, false, true);
  check_model(henon, "dop853", false, false, false);
  check_model(pendulum, "dopri54", true, false, true);
  check_model(pendulum, "dopri54", true, true, false);
  check_model(pendulum, "rkf45", true, true, true);
  check_model(angle, "dopri54", false, false, false);
  for (int i = 0; i < MOST; i++) free(runs[i]);
  return CHECKS_DONE();
}
