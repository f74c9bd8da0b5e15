/* Fuzz target: bytes decide a small system, which is written as a model, read and completed. Whatever it
 * is, the completion ends with one of the five verdicts, and says why where it is not "determined". */
#include <stdio.h>
#include "choices.h"
#include "complete/complete.h"

/* ---- a system ---------------------------------------------------------------------------------------- */

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
  ritti_text_add(out, "model fuzz\nparameter a = %d/2\nvariable x, y%s%s\nequation\n", choose(c, 7) - 3,
                 unknowns > 2 ? ", z" : "", unknowns > 3 ? ", w" : "");
  for (int i = 0; i < equations; i++) {
    ritti_text_add(out, "  ");
    add_side(c, unknowns, out);
    ritti_text_add(out, " = ");
    add_side(c, unknowns, out);
    ritti_text_add(out, "\n");
  }
  add_start(c, unknowns, out);
}

/* ---- what must hold ---------------------------------------------------------------------------------- */

static void look_at(ritt_status status, const ritt_check *check, const ritti_reduced *R,
                    const ritt_error *error) {
  static const char *const verdicts[] = {"determined", "underdetermined", "inconsistent", "singular",
                                         "undecided"};
  bool known = false;
  for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
    known = known || !strcmp(check->verdict, verdicts[i]);
  must(known);
  must((status == RITT_OK) == !strcmp(check->verdict, "determined") && (status == RITT_OK) == (R != NULL));
  must((status == RITT_OK) == (ritt_error_count(error) == 0));
  must(status == RITT_OK || (check->reason && *check->reason));
  if (!R) return;
  must(R->m > 0 && R->k >= 0 && R->k < R->m && R->top_rows <= R->tops && check->degrees_of_freedom >= 0);
  for (int i = 0; i < R->m; i++) must(isfinite(R->z[i]));
  for (int i = 0; i < R->tops; i++) must(isfinite(R->top_value[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  choices c = {data, size};
  ritti_text text = {0}, printed = {0};
  ritt_error *error = ritt_error_new();
  ritti_arena *arena = ritti_arena_new();
  ritti_model *model = NULL;
  ritti_reduced *reduced = NULL;
  ritt_check check;
  write_system(&c, &text);
  must(error && arena && text.status == RITT_OK);
  if (getenv("RITT_FUZZ_SHOW")) fprintf(stderr, "%s", text.at);
  ritt_status status = ritti_model_read(text.at, strlen(text.at), "fuzz.ritt", NULL, 0, error, &model);
  if (status == RITT_OK) {
    status = ritti_complete(model, arena, error, &check, &reduced);
    look_at(status, &check, reduced, error);
    if (reduced) must(ritti_reduced_print(reduced, RITT_TEXT, &printed) == RITT_OK && printed.at);
  }
  ritti_model_free(model);
  ritti_arena_free(arena);
  ritt_error_free(error);
  ritti_text_free(&text);
  ritti_text_free(&printed);
  return 0;
}
