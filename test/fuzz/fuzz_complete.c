/* Fuzz target: bytes decide a small system, which is written as a model, read and completed.
 * Whatever it is, the completion ends with one of the five verdicts, and says why where it is not
 * "determined".
 *
 * Every other system has a known solution (test/through.h): there verdict, degrees of freedom,
 * index and hidden constraints are those of the derivative array in exact arithmetic, unless the
 * completion says that it cannot decide. */
#include <stdio.h>
#include "choices.h"
#include "complete/complete.h"
#include "through.h"

/* ---- a system ---- */

static void add_jet(choices *c, int unknowns, ritti_text *out) {
  static const char *const prime[] = {"", "'", "''", "", "'"};
  int variable = choose(c, unknowns);
  ritti_text_add(out, "%c%s", "xyzw"[variable], prime[choose(c, 5)]);
}

static void add_factor(choices *c, int unknowns, ritti_text *out) {
  static const char *const function[] = {"sin", "cos", "exp", "sqrt", "log", "abs"};
  int kind = choose(c, 12);
  if (kind == 0) ritti_text_add(out, "t");
  else if (kind == 1) ritti_text_add(out, "a");
  else if (kind == 2) {
    ritti_text_add(out, "%s(", function[choose(c, 6)]);
    add_jet(c, unknowns, out);
    ritti_text_add(out, ")");
  } else {
    add_jet(c, unknowns, out);
    if (kind == 3) ritti_text_add(out, "^2");
    if (kind == 4) ritti_text_add(out, "^(-1)");
  }
}

static void add_side(choices *c, int unknowns, ritti_text *out) {
  int terms = 1 + choose(c, 3);
  for (int i = 0; i < terms; i++) {
    int coefficient = choose(c, 9) - 4, factors = choose(c, 3);
    ritti_text_add(out, "%s%d", i ? " + " : "", coefficient);
    for (int k = 0; k < factors; k++) {
      ritti_text_add(out, "*");
      add_factor(c, unknowns, out);
    }
  }
}

static void add_start(choices *c, int unknowns, ritti_text *out) {
  ritti_text_add(out, "start t = %d\n", choose(c, 3));
  for (int j = 0; j < unknowns; j++) {
    int orders = choose(c, 3);
    for (int k = 0; k < orders; k++)
      ritti_text_add(out, "  %c%s %c %d/4\n", "xyzw"[j], k ? "'" : "", "~~~="[choose(c, 4)],
                     choose(c, 17) - 8);
  }
}

static void write_system(choices *c, ritti_text *out) {
  int unknowns = 2 + choose(c, 3), equations = unknowns - 1 + choose(c, 4);
  ritti_text_add(out, "model fuzz\nparameter a = %d/2\nvariable x, y%s%s\nequation\n",
                 choose(c, 7) - 3, unknowns > 2 ? ", z" : "", unknowns > 3 ? ", w" : "");
  for (int i = 0; i < equations; i++) {
    ritti_text_add(out, "  ");
    add_side(c, unknowns, out);
    ritti_text_add(out, " = ");
    add_side(c, unknowns, out);
    ritti_text_add(out, "\n");
  }
  add_start(c, unknowns, out);
}

/* ---- what must hold ---- */

static void look_at(ritt_status status, const ritt_check *check, const ritti_reduced *R,
                    const ritt_error *error) {
  static const char *const verdicts[] = {"determined", "underdetermined", "inconsistent",
                                         "singular", "undecided"};
  bool known = false;
  for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
    known = known || !strcmp(check->verdict, verdicts[i]);
  must(known);
  must((status == RITT_OK) == !strcmp(check->verdict, "determined") &&
       (status == RITT_OK) == (R != NULL));
  must((status == RITT_OK) == (ritt_error_count(error) == 0));
  must(status == RITT_OK || (check->reason && *check->reason));
  if (!R) return;
  must(R->m > 0 && R->k >= 0 && R->k < R->m && R->top_rows <= R->tops &&
       check->degrees_of_freedom >= 0);
  for (int i = 0; i < R->m; i++) must(isfinite(R->z[i]));
  for (int i = 0; i < R->tops; i++) must(isfinite(R->top_value[i]));
}

static int pick(void *context, int count) { return choose(context, count); }

/* What is not chosen depends on all bytes. */
static uint64_t sum_of(const uint8_t *data, size_t size) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < size; i++) sum = (sum ^ data[i]) * 1099511628211u;
  return sum;
}

static void compare(const through *S, const ritt_check *c) {
  bool determined = !strcmp(c->verdict, "determined"),
       open = !strcmp(c->verdict, "underdetermined");
  if (!strcmp(c->verdict, "undecided")) return;
  if (S->special && !strcmp(c->verdict, "singular")) return;
  must(S->truth == THROUGH_PART   ? determined || open
       : S->truth == THROUGH_FULL ? determined
                                  : open);
  if (S->truth != THROUGH_FULL || S->special) return;
  must(c->degrees_of_freedom == S->dof);
  must(c->index == RITT_UNKNOWN || c->index == S->index);
  must(c->hidden_constraints == RITT_UNKNOWN || c->hidden_constraints == S->hidden_constraints);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static through S;
  choices c = {data, size};
  ritti_text text = {0}, printed = {0};
  ritt_error *error = ritt_error_new();
  ritti_arena *arena = ritti_arena_new();
  ritti_model *model = NULL;
  ritti_reduced *reduced = NULL;
  ritt_check check;
  bool known = choose(&c, 2);
  through_source source = {.pick = pick, .context = &c, .seed = sum_of(data, size), .variables = 2};
  if (known) make_through(&S, &source, 0.01), ritti_text_add(&text, "%s", S.text);
  else write_system(&c, &text);
  must(error && arena && text.status == RITT_OK);
  if (getenv("RITT_FUZZ_SHOW")) fprintf(stderr, "%s", text.at);
  ritt_status status =
      ritti_model_read(text.at, strlen(text.at), "fuzz.ritt", NULL, 0, error, &model);
  must(!known || status == RITT_OK);
  if (status == RITT_OK) {
    status = ritti_complete(model, arena, error, &check, &reduced);
    if (getenv("RITT_FUZZ_SHOW"))
      fprintf(stderr, "%s: %s\n", check.verdict, check.reason ? check.reason : "");
    look_at(status, &check, reduced, error);
    if (known) compare(&S, &check);
    if (reduced) must(ritti_reduced_print(reduced, RITT_TEXT, &printed) == RITT_OK && printed.at);
  }
  ritti_model_free(model);
  ritti_arena_free(arena);
  ritt_error_free(error);
  ritti_text_free(&text);
  ritti_text_free(&printed);
  return 0;
}
