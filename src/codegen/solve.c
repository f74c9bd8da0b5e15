/* Problem -> C for native code: the highest derivatives of mechanics as straight lines.
 *
 * In: the pattern of the symmetric A = [E G^T; G 0]. Out: the function step_solve: the operations of
 * ritti_small_ldlt (linalg/small.h) one by one, without the operations on zeros of the pattern, which
 * change no bit. The fill is known beforehand, since pivots are taken in their order. The function
 * returns in which lanes all pivots are sound; for one run it stops at the first that is not.
 */
#include "codegen/codegen_impl.h"

typedef struct writer {
  ritti_text *out;
  int n;
  bool *filled; /* n x n: entries of L */
} writer;

static bool is_filled(const writer *w, int i, int j) { return w->filled[i * w->n + j]; }

static void find_filled(const writer *w, const ritti_pattern *A) {
  memset(w->filled, 0, (size_t)w->n * (size_t)w->n);
  for (int i = 0; i < w->n; i++) {
    for (int e = A->start[i]; e < A->start[i + 1]; e++)
      if (A->col[e] <= i) w->filled[i * w->n + A->col[e]] = true;
    for (int j = 0; j < i; j++)
      for (int l = 0; l < j; l++)
        if (is_filled(w, i, l) && is_filled(w, j, l)) w->filled[i * w->n + j] = true;
  }
}

int ritti_list_factors(const ritti_problem *p, bool *room, int *at) {
  writer w = {.n = p->tops, .filled = room};
  int count = 0;
  find_filled(&w, &p->A);
  for (int i = 0; i < w.n; i++)
    for (int j = 0; j <= i; j++)
      if (j == i || is_filled(&w, i, j)) at[count++] = i * w.n + j;
  return count;
}

/* Is the product of entry l of row i with entry l of row j (j < 0: of x) not always 0? */
static bool is_product(const writer *w, int i, int j, int l) {
  return is_filled(w, i, l) && (j < 0 || is_filled(w, j, l));
}

static void add_pair(ritti_text *out, const bool *some, int one, int two) {
  if (some[one] && some[two]) ritti_text_add(out, "(s%d + s%d)", one, two);
  else ritti_text_add(out, "s%d", some[one] ? one : two);
}

/* `name` -= the inner product of the first `count` places, in the partial sums of ritti_small_dot. */
static void subtract_dot(const writer *w, const char *name, int i, int j, int count) {
  bool some[4] = {false};
  int fours = count / 4 * 4;
  ritti_text_add(w->out, "  {\n");
  for (int l = 0; l < count; l++) {
    int part = l < fours ? l % 4 : 0;
    if (!is_product(w, i, j, l)) continue;
    ritti_text_add(w->out, "    %s s%d %s l%d_%d * ", some[part] ? "" : "ritt_real", part,
                   some[part] ? "+=" : "=", i, l);
    if (j < 0) ritti_text_add(w->out, "x%d;\n", l);
    else ritti_text_add(w->out, "l%d_%d;\n", j, l);
    some[part] = true;
  }
  bool left = some[0] || some[2], right = some[1] || some[3];
  if (left || right) ritti_text_add(w->out, "    %s%d", name, i);
  if ((left || right) && j >= 0) ritti_text_add(w->out, "_%d", j);
  if (left || right) ritti_text_add(w->out, " -= ");
  if (left) add_pair(w->out, some, 0, 2);
  if (left && right) ritti_text_add(w->out, " + ");
  if (right) add_pair(w->out, some, 1, 3);
  ritti_text_add(w->out, left || right ? ";\n  }\n" : "  }\n");
}

/* Entry (i, j) of A, entries listed twice added up. */
static void add_entry(const writer *w, const ritti_pattern *A, int i, int j) {
  bool first = true;
  for (int e = A->start[i]; e < A->start[i + 1]; e++)
    if (A->col[e] == j) {
      ritti_text_add(w->out, first ? "A[%d]" : " + A[%d]", e);
      first = false;
    }
  ritti_text_add(w->out, first ? "RITTI_ZERO;\n" : ";\n");
}

/* Row i of L, pivot i, and its rounding errors. */
static void add_row(const writer *w, const ritti_pattern *A, int positive, int i) {
  ritti_text *out = w->out;
  for (int j = 0; j <= i; j++) {
    if (j < i && !is_filled(w, i, j)) continue;
    ritti_text_add(out, "  ritt_real l%d_%d = ", i, j);
    add_entry(w, A, i, j);
    if (j < i) subtract_dot(w, "l", i, j, j);
  }
  ritti_text_add(
      out,
      "  ritt_real d%d, sum%d = RITTI_ZERO, sizes%d = RITTI_MATH(fabs)(l%d_%d), carried%d "
      "= RITTI_ZERO;\n",
      i, i, i, i, i, i);
  for (int j = 0; j < i; j++)
    if (is_filled(w, i, j))
      ritti_text_add(
          out,
          "  {\n    ritt_real product = l%d_%d;\n    l%d_%d = RITTI_QUOTIENT(l%d_%d, l%d_%d), product *= l%d_%d;\n"
          "    sum%d += product, sizes%d += RITTI_MATH(fabs)(product), carried%d += l%d_%d * l%d_%d * "
          "d%d;\n  }\n",
          i, j, i, j, i, j, j, j, i, j, i, i, i, i, j, i, j, j);
  ritti_text_add(out,
                 "  l%d_%d -= sum%d, d%d = %d * RITTI_EPS * sizes%d + carried%d;\n"
                 "  sound = RITTI_AND(sound, ritti_pivot_is_sound(%d, %d, l%d_%d, sizes%d, "
                 "carried%d));\n  if (RITTI_ALONE && !RITTI_ANY(sound)) return sound;\n",
                 i, i, i, i, w->n, i, i, w->n, i < positive, i, i, i, i);
}

/* x from L D L^T x = -b */
static void add_substitutions(const writer *w) {
  ritti_text *out = w->out;
  for (int i = 0; i < w->n; i++) {
    ritti_text_add(out, "  ritt_real x%d = -b[%d];\n", i, i);
    subtract_dot(w, "x", i, -1, i);
  }
  for (int i = 0; i < w->n; i++)
    ritti_text_add(out, "  x%d = RITTI_QUOTIENT(x%d, l%d_%d);\n", i, i, i, i);
  for (int i = w->n - 1; i > 0; i--)
    for (int j = 0; j < i; j++)
      if (is_filled(w, i, j)) ritti_text_add(out, "  x%d -= x%d * l%d_%d;\n", j, i, i, j);
}

ritt_status ritti_write_solve_again(const ritti_problem *p, ritti_text *out) {
  writer w = {.out = out, .n = p->tops};
  w.filled = ritti_malloc((size_t)w.n * (size_t)w.n);
  if (!w.filled) return RITT_NO_MEMORY;
  find_filled(&w, &p->A);
  ritti_text_add(out,
                 "static inline void step_solve_again(const ritt_real *dense, ritt_real *b) {\n");
  for (int i = 0; i < w.n; i++)
    for (int j = 0; j <= i; j++)
      if (j == i || is_filled(&w, i, j))
        ritti_text_add(out, "  const ritt_real l%d_%d = dense[%d];\n", i, j, i * w.n + j);
  add_substitutions(&w);
  for (int i = 0; i < w.n; i++) {
    ritti_text_add(out, "  b[%d] = x%d", i, i);
    if (i >= p->positions) ritti_text_add(out, " / %a", (double)p->s[i - p->positions]);
    ritti_text_add(out, ";\n");
  }
  ritti_text_add(out, "}\n");
  ritti_free(w.filled);
  return out->status;
}

ritt_status ritti_write_solve(const ritti_problem *p, ritti_text *out) {
  writer w = {.out = out, .n = p->tops};
  w.filled = ritti_malloc((size_t)w.n * (size_t)w.n);
  if (!w.filled) return RITT_NO_MEMORY;
  find_filled(&w, &p->A);
  ritti_text_add(out,
                 "static inline ritti_mask step_solve(const ritt_real *A, const ritt_real *b, "
                 "ritt_real *dense, ritt_real *top) {\n  ritti_mask sound = RITTI_ALL_LANES;\n");
  for (int i = 0; i < w.n; i++) add_row(&w, &p->A, p->positions, i);
  add_substitutions(&w);
  for (int i = 0; i < w.n; i++) {
    ritti_text_add(out, "  top[%d] = x%d", i, i);
    if (i >= p->positions) ritti_text_add(out, " / %a", (double)p->s[i - p->positions]);
    ritti_text_add(out, ";\n");
    for (int j = 0; j <= i; j++)
      if (j == i || is_filled(&w, i, j))
        ritti_text_add(out, "  dense[%d] = l%d_%d;\n", i * w.n + j, i, j);
  }
  ritti_text_add(out, "  return sound;\n}\n");
  ritti_free(w.filled);
  return out->status;
}
