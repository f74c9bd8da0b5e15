/* The interpreter's instructions: how often one operation is followed by the only one that uses its
 * value, over the models named, and the time of f with df and of the system by fused instructions
 * (src/tape/fuse.c) and by one operation each.
 *
 * Arguments: models for the counts (default: those that are timed). */
#include "tape/eval_impl.h"
#include "measure.h"
#include "api/pipeline.h"

typedef struct opened {
  ritt_model *model;
  ritti_arena *arena;
  const ritti_evaluator *e;
  ritti_problem *problem;
} opened;

static bool open_model(const char *path, const char *n, opened *o) {
  ritti_reduced *reduced;
  ritt_check check = {0};
  o->arena = ritti_arena_new();
  if (ritt_model_read_file(path, NULL, &o->model) != RITT_OK) return false;
  if (n && ritt_model_set(o->model, "n", n, NULL) != RITT_OK) return false;
  if (ritti_complete(o->model->model, o->arena, NULL, &check, &reduced) != RITT_OK) return false;
  if (ritti_problem_make(reduced, NULL, 0, o->arena, NULL, &o->problem) != RITT_OK) return false;
  o->e = o->problem->data;
  return true;
}

/* ---- pairs ---- */

static long pairs[RITTI_M_COUNT][RITTI_M_COUNT][3], all; /* as first operand, as second, both */

static bool is_binary(uint32_t op) {
  return op < RITTI_M_COUNT && ritti_machine_arguments[op] == 2;
}

static void count_pairs(const ritti_tape *t, size_t slots) {
  int *from = malloc((slots + 1) * sizeof *from), *uses = calloc(t->count + 1, sizeof *uses);
  int(*operand)[2] = malloc((t->count + 1) * sizeof *operand);
  if (!from || !uses || !operand) exit(1);
  for (size_t i = 0; i < slots; i++) from[i] = -1;
  for (size_t i = 0; i < t->count; i++) {
    const ritti_instruction *c = &t->code[i];
    operand[i][0] = from[c->a], operand[i][1] = is_binary(c->op) ? from[c->b] : -1;
    for (int k = 0; k < 2; k++)
      if (operand[i][k] >= 0) uses[operand[i][k]]++;
    from[c->out] = (int)i;
    if (c->op == RITTI_TAPE_SINCOS) from[c->b] = (int)i;
  }
  for (size_t i = 0; i < t->results; i++)
    if (from[t->result[i]] >= 0) uses[from[t->result[i]]] = 2;
  for (size_t i = 0; i < t->count; i++) {
    uint32_t op = t->code[i].op, inner[2] = {RITTI_M_COUNT, RITTI_M_COUNT};
    all++;
    for (int k = 0; k < 2; k++)
      if (operand[i][k] >= 0 && uses[operand[i][k]] == 1) inner[k] = t->code[operand[i][k]].op;
    if (op >= RITTI_M_COUNT) continue;
    for (int k = 0; k < 2; k++)
      if (inner[k] < RITTI_M_COUNT) pairs[inner[k]][op][k]++;
    if (inner[0] < RITTI_M_COUNT && inner[0] == inner[1]) pairs[inner[0]][op][2]++;
  }
  free(from), free(uses), free(operand);
}

static void print_pairs(void) {
  printf("%ld operations; values that one operation uses alone, more than one in two hundred\n",
         all);
  for (int i = 0; i < RITTI_M_COUNT; i++)
    for (int j = 0; j < RITTI_M_COUNT; j++) {
      const long *p = pairs[i][j];
      if (200 * (p[0] + p[1]) > all)
        printf("  %-9s in %-9s %5.1f %% (first operand %ld, second %ld, both %ld)\n",
               ritti_machine_text[i], ritti_machine_text[j],
               100. * (double)(p[0] + p[1]) / (double)all, p[0], p[1], p[2]);
    }
}

/* ---- times ---- */

/* One operation each. */
static void run_plain(const ritti_tape *tape, double *row) {
  for (const ritti_instruction *c = tape->code, *end = c + tape->count; c != end; c++) {
    switch (c->op) {
#define RITTI_TABLES ritti_dag_tables(tape->dag)
#define RITTI_MACHINE(id, text, arguments, value)                                                  \
  case RITTI_M_##id: {                                                                             \
    const double a = row[c->a], b = row[c->b];                                                     \
    (void)b;                                                                                       \
    row[c->out] = value;                                                                           \
    break;                                                                                         \
  }
#include "expr/machine.def"
#undef RITTI_MACHINE
    case RITTI_TAPE_SINCOS: {
      const double a = row[c->a];
      row[c->out] = sin(a), row[c->b] = cos(a);
      break;
    }
    }
  }
}

static void time_tape(const char *name, const char *what, const opened *o, const ritti_tape *t) {
  double *row = malloc((ritti_layout_size(o->e->layout) + 1) * sizeof *row),
         best[2] = {INFINITY, INFINITY};
  if (!row || !t->count) return;
  ritti_layout_init(o->e->layout, row);
  for (int i = 0; i < o->e->reduced->m; i++) row[i] = o->e->reduced->z[i];
  long turns = 1 + 20000000 / (long)t->count / 20;
  for (int k = 0; k < 10; k++)
    for (int way = 0; way < 2; way++) {
      double began = bench_now();
      for (long i = 0; i < turns; i++)
        if (way) ritti_tape_execute(t, row);
        else run_plain(t, row);
      best[way] = fmin(best[way], (bench_now() - began) / (double)turns);
    }
  printf("%-14s %-7s %6zu %6zu %9.1f %9.1f %6.2f\n", name, what, t->count, t->length, 1e9 * best[0],
         1e9 * best[1], best[1] / best[0]);
  free(row);
}

int main(int count, char **word) {
  static const struct {
    const char *name, *path, *n;
  } timed[] = {{"Henon-Heiles", RITT_SOURCE_DIR "/models/papers/henon_heiles.ritt", NULL},
               {"pendulum", RITT_SOURCE_DIR "/models/ivp/pendulum.ritt", NULL},
               {"Andrews", RITT_SOURCE_DIR "/models/ivp/andrews.ritt", NULL},
               {"car axis", RITT_SOURCE_DIR "/models/ivp/car_axis.ritt", NULL},
               {"chain of 20", RITT_SOURCE_DIR "/models/papers/mech.ritt", "20"}};
  enum { TIMED = sizeof timed / sizeof *timed };
  opened o;
  printf("%-14s %-7s %6s %6s %9s %9s %6s\n", "", "", "oper.", "fused", "ns", "ns fused", "ratio");
  for (int i = 0; i < TIMED; i++) {
    if (!open_model(timed[i].path, timed[i].n, &o)) exit(1);
    time_tape(timed[i].name, "f, df", &o, &o.e->f_df);
    time_tape("", "system", &o, &o.e->system);
    time_tape("", "formula", &o, &o.e->formula);
  }
  for (int i = 1; i < (count > 1 ? count : TIMED + 1); i++) {
    if (!open_model(count > 1 ? word[i] : timed[i - 1].path, NULL, &o)) continue;
    const ritti_tape *tapes[] = {&o.e->f_df, &o.e->system, &o.e->formula};
    for (int k = 0; k < 3; k++) count_pairs(tapes[k], ritti_layout_size(o.e->layout));
  }
  print_pairs();
  return 0;
}
