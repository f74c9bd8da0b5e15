/* Fused instructions and kernels give the bits of one operation after the other, on the functions
 * of the models (without those of the gallery, which take long to complete), at points near the
 * start, far away, and with zeros, denormal, infinite numbers and NaN among their coordinates. */
#include <glob.h>
#include <stdlib.h>
#include "check.h"
#include "tape/eval_impl.h"
#include "api/pipeline.h"

enum { OPERATIONS = 128 };
static long seen[OPERATIONS], compared, kernels_seen;

static double apply(const ritti_dag *dag, uint32_t op, double a, double b) {
  return op == RITTI_M_TABLE ? ritti_table_value(ritti_dag_tables(dag), b, a)
                             : ritti_machine_value(op, a, b);
}

/* One operation after the other. */
static void run_kernel(const ritti_dag *dag, const ritti_kernel *k, double *row) {
  double *reg = malloc((k->leaves + k->steps + 1) * sizeof *reg);
  CHECK(reg);
  for (size_t n = 0; reg && n < k->count; n++) {
    for (size_t i = 0; i < k->leaves; i++) reg[i] = row[k->slot[n * k->leaves + i]];
    for (size_t i = 0; i < k->steps; i++) {
      const ritti_instruction *c = &k->code[i];
      reg[c->out] = c->op == RITTI_M_CONSTANT ? k->constant[i]
                    : c->op == RITTI_M_LEAF   ? reg[c->a]
                                              : apply(dag, c->op, reg[c->a], reg[c->b]);
    }
    row[k->result[n]] = reg[k->out];
  }
  free(reg);
}

static void run_plain(const ritti_tape *t, double *row) {
  for (size_t i = 0; t->kernels && i < t->kernels->count; i++)
    run_kernel(t->dag, &t->kernels->at[i], row);
  for (size_t i = 0; i < t->count; i++) {
    const ritti_instruction *c = &t->code[i];
    double a = row[c->a], b = row[c->b];
    if (c->op == RITTI_TAPE_SINCOS)
      row[c->out] = ritti_machine_value(RITTI_M_SIN, a, a),
      row[c->b] = ritti_machine_value(RITTI_M_COS, a, a);
    else row[c->out] = apply(t->dag, c->op, a, b);
  }
}

static bool same(double a, double b) { return !memcmp(&a, &b, sizeof a) || (isnan(a) && isnan(b)); }

/* near: from the start; else anything */
static double coordinate(double start, int trial) {
  static const double odd[] = {0,         -0.0, 0x1p-1074, -0x1.8p-1050, INFINITY,
                               -INFINITY, NAN,  1e200,     -1e-200};
  double u = check_random();
  if (trial == 0) return start;
  if (trial < 4) return start + 0.1 * u;
  if (trial < 8 || check_random() > -0.8) return ldexp(u, (int)(40 * check_random()));
  return odd[(int)(4.5 * (1 + u))];
}

static void compare(const char *name, const ritti_evaluator *e, const ritti_tape *t) {
  if (!t->native) return; /* a tape that this problem does not have */
  const ritti_reduced *r = e->reduced;
  size_t n = ritti_layout_size(e->layout), before = (size_t)r->m + (size_t)r->tops + (size_t)r->k;
  double *start = malloc((n + 1) * sizeof *start), *a = malloc((n + 1) * sizeof *a),
         *b = malloc((n + 1) * sizeof *b);
  CHECK(start && a && b && t->length <= t->count);
  for (size_t i = 0; i < t->length; i++) seen[t->fused[i].op]++;
  kernels_seen += t->kernels ? (long)t->kernels->count : 0;
  ritti_layout_init(e->layout, start);
  for (int trial = 0; trial < 30; trial++) {
    memcpy(a, start, n * sizeof *a);
    for (size_t i = 0; i < before; i++) a[i] = coordinate(i < (size_t)r->m ? r->z[i] : 0.5, trial);
    memcpy(b, a, n * sizeof *b);
    run_plain(t, a);
    ritti_tape_execute(t, b);
    size_t different = 0;
    for (size_t i = 0; i < t->results; i++) {
      different += !same(a[t->result[i]], b[t->result[i]]);
      compared += isfinite(a[t->result[i]]);
    }
    if (different)
      printf("%s: %zu of %zu differ in trial %d\n", name, different, t->results, trial);
    CHECK(different == 0);
  }
  free(start), free(a), free(b);
}

static void compare_all(const char *path, const ritti_evaluator *e) {
  const ritti_tape *tapes[] = {&e->f,       &e->f_df,      &e->d2f,     &e->system,
                               &e->formula, &e->system_dz, &e->monitor, &e->monitor_df};
  for (size_t i = 0; i < sizeof tapes / sizeof *tapes; i++) compare(path, e, tapes[i]);
}

static bool look(const char *path, const char *n) {
  ritt_model *M;
  ritti_reduced *reduced;
  ritti_problem *problem;
  ritt_check check = {0};
  ritti_arena *arena = ritti_arena_new();
  bool made = false;
  if (ritt_model_read_file(path, NULL, &M) == RITT_OK) {
    made = (!n || ritt_model_set(M, "n", n, NULL) == RITT_OK) &&
           ritti_complete(M->model, arena, NULL, &check, &reduced) == RITT_OK &&
           ritti_problem_make_for(RITTI_WANTS_SYSTEM_DZ | RITTI_WANTS_SECOND, reduced, NULL, 0,
                                  arena, NULL, &problem) == RITT_OK;
    if (made) compare_all(path, problem->data);
    ritt_model_free(M);
  }
  ritti_arena_free(arena);
  return made;
}

int main(void) {
  static const char *const folders[] = {"branches", "classics", "ivp",
                                        "papers",   "stiff",    "classics/*"};
  int models = 0;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    char pattern[1000];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/models/%s/*.ritt", RITT_SOURCE_DIR, folders[i]);
    CHECK(glob(pattern, 0, NULL, &found) == 0);
    for (size_t k = 0; k < found.gl_pathc && (!CHECK_SLOW || k < 8); k++)
      models += look(found.gl_pathv[k], NULL);
    globfree(&found);
  }
  CHECK(models > (CHECK_SLOW ? 20 : 80));
  CHECK(look(RITT_SOURCE_DIR "/models/papers/mech.ritt",
             "70")); /* kernels, and batches that are not full */
  CHECK(kernels_seen > 10 && compared > 100000);
#define RITTI_FUSED(id, inner, outer, side, value) CHECK(CHECK_SLOW || seen[RITTI_FUSED_##id] > 0);
#include "tape/fused.def"
#undef RITTI_FUSED
  printf("%d models, %ld finite numbers compared\n", models, compared);
  return CHECKS_DONE();
}
