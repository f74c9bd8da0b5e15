/* Gram matrices A diag(d) A^T that are narrow bands: formed and factored row by row, from both ends
 * to the middle.
 *
 * In: a pattern, an order of its rows in which those that share a column are at most `width` apart.
 * Out: L D L^T of the matrix, and solutions with it. The first rows in their order and the last
 * rows in the opposite one are eliminated side by side, two chains of operations that do not wait
 * for each other; what both leave of the `width` rows between them is factored at the end as a
 * dense matrix (twisted factorisations: Meurant, A review on the inverse of symmetric tridiagonal
 * and block tridiagonal matrices, SIAM J. Matrix Anal. Appl. 13, 1992). Rows whose products lie
 * alike share one list of them, so that a family of rows of any length has a few short lists. Each
 * half stands behind `width` rows of zeros, which makes its first rows like all others.
 */
#include "linalg/sparse_impl.h"

enum {
  KNOWN = 16, /* lists that a row is compared with */
  FOUR = 4    /* rows formed at a time where they are alike */
};

typedef ritti_product product;
typedef ritti_row_shape shape;

struct ritti_narrow {
  ritti_pattern pattern;
  const unsigned char *keep; /* columns that count; NULL: all */
  int n, width;
  ritt_real noise;
  /* the two halves, the rows in the middle at the end of both */
  struct half {
    int rows;   /* without those in the middle */
    int *row;   /* which row of A */
    int *base;  /* its first entry; `width` more before the first */
    int *shape; /* its products */
    /* p: it, the rows p, 2 p and 3 p places behind it and the p - 1 rows behind each of them have
     * the same products as far apart in memory; 0: they have not */
    unsigned char *alike;
    ritti_form_run *run; /* long stretches of such rows, ascending; native code may form them */
    int runs;
    ritt_real *value, *y;
  } half[2];
  ritti_form_pair *pair; /* ascending */
  int pairs;
  shape *shapes;
  int count;           /* of them */
  ritt_real *middle;   /* width x width, then D^-1 */
  int *used, useds;    /* columns that occur */
  ritt_real *weighted; /* entries times d */
};

/* ---- set up ---- */

/* The products of row i with row j: in `at` the entries of row i, + 1, by column. */
static int list_products(const ritti_narrow *N, const int *at, int j, product *out) {
  const int *start = N->pattern.start, *col = N->pattern.col;
  int count = 0;
  for (int e = start[j]; e < start[j + 1]; e++)
    if (at[col[e]]) out[count++] = (product){(uint16_t)(at[col[e]] - 1), (uint16_t)(e - start[j])};
  return count;
}

/* Its entries by column; false: one is listed twice. */
static bool mark_columns(const ritti_narrow *N, int i, int *at) {
  const int *start = N->pattern.start, *col = N->pattern.col;
  bool once = true;
  for (int e = start[i]; e < start[i + 1]; e++) {
    if (N->keep && !N->keep[col[e]]) continue;
    once = once && !at[col[e]];
    at[col[e]] = e - start[i] + 1;
  }
  return once;
}

/* The number of a list like this one, among the last ones; or a new one. */
static ritt_status find_shape(ritti_narrow *N, const shape *new, ritti_arena *arena, int *found) {
  int w = N->width;
  /* an equal list among the last KNOWN ones */
  for (int i = N->count - 1; i >= 0 && i >= N->count - KNOWN; i--) {
    const shape *old = &N->shapes[i];
    if (memcmp(old->end, new->end, (size_t)(w + 1) * sizeof *old->end)) continue;
    if (memcmp(old->of, new->of, (size_t) new->end[w] * sizeof *old->of)) continue;
    *found = i;
    return RITT_OK;
  }
  /* a new one */
  product *of;
  shape kept = *new;
  RITTI_NEW(of, arena, new->end[w] + 1);
  memcpy(of, new->of, (size_t) new->end[w] * sizeof *of);
  kept.of = of;
  *found = N->count;
  N->shapes[N->count++] = kept;
  return RITT_OK;
}

/* One half: its rows, their first entries, and lists of their products. The block in the middle
 * belongs to the first. */
static ritt_status list_half(ritti_narrow *N, int which, int *at, product *room, ritti_arena *arena,
                             bool *once) {
  struct half *H = &N->half[which];
  int w = N->width;
  for (int s = 0; s < H->rows + w; s++) {
    shape new = {.of = room};
    int count = 0, i = H->row[s];
    H->base[s] = N->pattern.start[i];
    *once = *once && mark_columns(N, i, at);
    /* products with the rows at most w above, the farthest first */
    for (int o = w; o >= 0; o--) {
      bool inner = which == 1 && s - o >= H->rows;
      if (s >= o && !inner && *once) count += list_products(N, at, H->row[s - o], room + count);
      new.end[w - o] = count;
    }

    for (int e = N->pattern.start[i]; e < N->pattern.start[i + 1]; e++) at[N->pattern.col[e]] = 0;

    if (*once) RITT_TRY(find_shape(N, &new, arena, &H->shape[s]));
  }
  return RITT_OK;
}

/* Do the rows s, s + p, s + 2p, s + 3p have the same products, at equal distances? */
static bool are_alike(const ritti_narrow *N, const struct half *H, int s, int p) {
  if (s + 3 * p >= H->rows) return false;
  for (int j = 1; j < FOUR; j++) {
    if (H->shape[s + j * p] != H->shape[s]) return false;
    for (int o = 0; o <= N->width && o <= s; o++) {
      const int *base = &H->base[s - o];
      if (base[j * p] - base[0] != j * (base[p] - base[0])) return false;
    }
  }
  return s >= N->width;
}

/* Finds rows from which the pattern repeats with a period, so that several are formed at once. */
static void find_alike(const ritti_narrow *N, struct half *H) {
  for (int s = 0; s < H->rows; s++)
    for (int p = 1; p <= RITTI_FORM_PERIOD && !H->alike[s]; p++) {
      bool all = true;
      for (int k = 0; k < p; k++) all = all && are_alike(N, H, s + k, p);
      if (all) H->alike[s] = (unsigned char)p;
    }
}

/* The distance of the entries of two rows that are a period apart. */
static int step_of(const struct half *H, int s, int period) {
  return H->base[s + period] - H->base[s];
}

/* How many rows from s on are alike with the period of s, those before it in step with them. */
static int length_of_run(const ritti_narrow *N, const struct half *H, int s) {
  int p = H->alike[s], t = s;
  for (int o = 1; o <= N->width; o++) {
    int like = s - o;
    while (like < s) like += p;
    if (step_of(H, s - o, p) != step_of(H, like, p)) return 0;
  }
  while (t + p < H->rows && H->shape[t + p] == H->shape[t] &&
         step_of(H, t, p) == step_of(H, s + (t - s) % p, p))
    t++;
  return (t + p - s) / p * p;
}

static uint64_t mix(uint64_t key, uint64_t word) { return (key ^ word) * 0x100000001b3u; }

/* Lists the long runs of rows that repeat; native code is made for these. */
static ritt_status list_runs(ritti_narrow *N, struct half *H, ritti_arena *arena) {
  enum { SHORTEST = 12 };
  RITTI_NEW(H->run, arena, H->rows / SHORTEST + 1);
  for (int s = N->width; s < H->rows;) {
    int rows = H->alike[s] ? length_of_run(N, H, s) : 0;
    if (rows < SHORTEST) {
      s++;
      continue;
    }
    ritti_form_run *run = &H->run[H->runs++];
    *run = (ritti_form_run){.first = s, .rows = rows, .period = H->alike[s]};
    for (int k = 0; k < run->period; k++) {
      run->step[k] = step_of(H, s + k, run->period);
      run->shape[k] = &N->shapes[H->shape[s + k]];
    }

    /* What its code depends on. */
    uint64_t key = mix(mix(0xcbf29ce484222325u, (uint64_t)N->width), (uint64_t)run->period);
    for (int k = 0; k < run->period; k++) {
      const shape *g = run->shape[k];
      key = mix(key, (uint64_t)(int64_t)run->step[k]);
      for (int o = 0; o <= N->width; o++) key = mix(key, (uint64_t)g->end[o]);
      for (int i = 0; i < g->end[N->width]; i++)
        key = mix(key, (uint64_t)g->of[i].one << 16 | (uint64_t)g->of[i].two);
    }
    run->key = key;

    s += rows;
  }
  return RITT_OK;
}

/* What runs of both halves have side by side. */
static ritti_form_pair pair_of(const ritti_form_run *one, const ritti_form_run *two, int most) {
  int first = one->first > two->first ? one->first : two->first, period = one->period;
  int end = one->first + one->rows < two->first + two->rows ? one->first + one->rows
                                                            : two->first + two->rows;
  ritti_form_pair none = {0};
  if (two->period != period) return none;
  first += (period - (first - one->first) % period) % period;
  if (end > most) end = most;
  if ((first - two->first) % period || end - first < period) return none;
  return (ritti_form_pair){
      first, (end - first) / period, {one, two}, mix(one->key, two->key), NULL};
}

/* Sets up both halves: the rows, their products, the runs that repeat, and pairs of runs that
   both halves go through at once. *once is false if a row lists a column twice or is too long. */
static ritt_status make_halves(ritti_narrow *N, const int *order, ritti_arena *arena,
                               ritti_arena *scratch, bool *once) {
  const ritti_pattern *p = &N->pattern;
  int *at, w = N->width, longest = 0;
  product *room;
  for (int i = 0; i < p->rows; i++)
    longest = p->start[i + 1] - p->start[i] > longest ? p->start[i + 1] - p->start[i] : longest;
  *once = longest < UINT16_MAX;
  if (!*once) return RITT_OK;
  RITTI_NEW(at, scratch, p->cols + 1);
  RITTI_NEW(room, scratch, (size_t)(w + 1) * (size_t)longest + 1);
  RITTI_NEW(N->shapes, scratch, N->n + w);
  /* each half: its rows in the order of elimination, and their products */
  for (int which = 0; which < 2; which++) {
    struct half *H = &N->half[which];
    int all = H->rows + w;
    RITTI_NEW_ARRAYS(arena, all, H->row, H->shape, H->alike);
    RITTI_NEW_ARRAYS(arena, all + w, H->base, H->y);
    H->base += w, H->y += w;
    for (int s = 0; s < all; s++) H->row[s] = order[which ? N->n - 1 - s : s];

    RITT_TRY(list_half(N, which, at, room, arena, once));
    if (*once) find_alike(N, &N->half[which]);
  }
  if (!*once) return RITT_OK;
  /* keep the shapes beyond scratch */
  shape *kept;
  RITTI_NEW(kept, arena, N->count);
  memcpy(kept, N->shapes, (size_t)N->count * sizeof *kept);
  N->shapes = kept;
  for (int which = 0; which < 2; which++) RITT_TRY(list_runs(N, &N->half[which], arena));

  /* pairs of runs, one of each half, over the same rows */
  enum { SHORTEST = 8 }; /* rows */
  const struct half *H = N->half;
  RITTI_NEW(N->pair, arena, H[0].runs + H[1].runs);
  for (int i = 0, j = 0; i < H[0].runs && j < H[1].runs;) {
    const ritti_form_run *one = &H[0].run[i], *two = &H[1].run[j];
    ritti_form_pair new = pair_of(one, two, H[1].rows);
    if (new.turns * one->period >= SHORTEST) N->pair[N->pairs++] = new;
    if (one->first + one->rows < two->first + two->rows) i++;
    else j++;
  }

  /* Every column that occurs, once. */
  RITTI_NEW(N->used, arena, p->cols + 1);
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      if (at[p->col[e]] || (N->keep && !N->keep[p->col[e]])) continue;
      at[p->col[e]] = 1;
      N->used[N->useds++] = p->col[e];
    }
  RITTI_NEW(N->weighted, arena, ritti_entries(p) - (size_t)p->start[0] + 1);
  return RITT_OK;
}

/* Makes a twisted band factorisation, which eliminates from both ends towards the middle; *out
   is NULL if the band is too wide or too short for it. */
ritt_status ritti_narrow_new(const ritti_pattern *p, const unsigned char *keep, const int *order,
                             int width, ritt_real noise, ritti_arena *arena, ritti_arena *scratch,
                             ritti_narrow **out) {
  ritti_narrow *N;
  int n = p->rows;
  bool once;
  *out = NULL;
  if (width == 0) width = 1; /* a diagonal */
  if (width > RITTI_NARROW || n < 4 * width) return RITT_OK;
  RITTI_NEW(N, arena, 1);
  *N = (ritti_narrow){.pattern = *p, .keep = keep, .n = n, .width = width, .noise = noise};
  N->half[0].rows = (n - width + 1) / 2, N->half[1].rows = n - width - N->half[0].rows;
  RITT_TRY(make_halves(N, order, arena, scratch, &once));
  if (once) *out = N;
  return RITT_OK;
}

/* The number of reals that ritti_narrow_place needs. */
size_t ritti_narrow_values(const ritti_narrow *N) {
  return (size_t)(N->n + 3 * N->width) * (size_t)(N->width + 1) +
         (size_t)N->width * (size_t)(N->width + 1);
}

/* Divides `values` among the halves and the block in the middle. */
void ritti_narrow_place(ritti_narrow *N, ritt_real *values) {
  size_t w = (size_t)N->width, line = w + 1;
  N->half[0].value = values + w * line;
  N->half[1].value = values + (w + (size_t)N->half[0].rows + w + w) * line;
  N->middle = values + ((size_t)N->n + 3 * w) * line;
}

/* Sets the ratio of a pivot to its row below which it counts as rounding. */
void ritti_narrow_noise(ritti_narrow *N, ritt_real noise) {
  N->noise = noise * (ritt_real)(N->width + 1);
}

/* ---- one row ---- */

/* Row s of the half: r[w - o] is its product with row s - o. */
static inline void form_row(const ritti_narrow *N, const struct half *H, int s, const int w,
                            const ritt_real *a, const ritt_real *b, ritt_real *r) {
  const shape *g = &N->shapes[H->shape[s]];
  const ritt_real *own = a + H->base[s];
  const product *p = g->of;
  for (int o = w; o >= 0; o--) {
    const ritt_real *other = b + H->base[s - o];
    const product *end = g->of + g->end[w - o];
    ritt_real sum = 0;
    for (; p < end; p++) sum += own[p->one] * other[p->two];
    r[w - o] = sum;
  }
}

/* `count` products of four rows whose entries are `own` and `other` apart; most lists are short,
 * and have loops without an end to look for */
static inline void four_sums(const int count, const product *p, const ritt_real *a, ptrdiff_t own,
                             const ritt_real *b, ptrdiff_t other, ritt_real *out, ptrdiff_t line) {
  ritt_real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int i = 0; i < count; i++) {
    const ritt_real *x = a + p[i].one, *y = b + p[i].two;
    s0 += x[0] * y[0], s1 += x[own] * y[other];
    s2 += x[2 * own] * y[2 * other], s3 += x[3 * own] * y[3 * other];
  }
  out[0] = s0, out[line] = s1, out[2 * line] = s2, out[3 * line] = s3;
}

/* The same for four rows that are alike, `period` places apart: the entries are looked up once. */
static inline void form_four(const ritti_narrow *N, const struct half *H, int s, int period,
                             const int w, const ritt_real *a, const ritt_real *b, ritt_real *r) {
  const shape *g = &N->shapes[H->shape[s]];
  const int *base = H->base + s;
  const ptrdiff_t own = base[period] - base[0], line = (ptrdiff_t)period * (w + 1);
  int begin = 0;
  for (int o = w; o >= 0; o--) {
    const ptrdiff_t other = base[period - o] - base[-o];
    const ritt_real *x = a + base[0], *y = b + base[-o];
    const product *p = g->of + begin;
    ritt_real *out = r + (w - o);
    int count = g->end[w - o] - begin;
    begin = g->end[w - o];
    switch (count) {
    case 1: four_sums(1, p, x, own, y, other, out, line); break;
    case 2: four_sums(2, p, x, own, y, other, out, line); break;
    case 3: four_sums(3, p, x, own, y, other, out, line); break;
    case 4: four_sums(4, p, x, own, y, other, out, line); break;
    case 6: four_sums(6, p, x, own, y, other, out, line); break;
    case 8: four_sums(8, p, x, own, y, other, out, line); break;
    default: four_sums(count, p, x, own, y, other, out, line);
    }
  }
}

/* Forms the row s and perhaps some more, up to about `end`; returns how many. *at: a run not behind
 * s. */
static inline int form_rows(const ritti_narrow *N, const struct half *H, int s, int end, int *at,
                            const int w, const ritt_real *a, const ritt_real *b) {
  int period = H->alike[s];
  ritt_real *r = H->value + (ptrdiff_t)s * (w + 1);
  /* native code, if the row begins a period of a run that has some */
  while (*at < H->runs && s >= H->run[*at].first + H->run[*at].rows) ++*at;
  const ritti_form_run *run = *at < H->runs ? &H->run[*at] : NULL;
  if (run && run->native && s >= run->first && (s - run->first) % run->period == 0) {
    int turns = (end - s + run->period - 1) / run->period,
        left = (run->first + run->rows - s) / run->period;
    if (turns > left) turns = left;
    run->native(a, b, H->base + s, r, turns);
    return turns * run->period;
  }
  /* a row without others like it */
  if (!period) {
    form_row(N, H, s, w, a, b, r);
    return 1;
  }
  /* four rows at once, for each place of the period */
  for (int k = 0; k < period; k++) form_four(N, H, s + k, period, w, a, b, r + k * (w + 1));
  return FOUR * period;
}

/* The rows of L and 1/D from those before; false: the pivot is what cancellation leaves, or not
 * finite. */
static RITTI_INLINE bool factor_row(const int w, ritt_real noise, ritt_real *r) {
  ritt_real u[RITTI_NARROW + 1], pivot = r[w], least = noise * r[w];
  for (int o = w; o >= 1; o--) {
    const ritt_real *before = r - o * (w + 1);
    u[o] = r[w - o];
    for (int p = w; p > o; p--) u[o] -= u[p] * before[w - (p - o)];
  }
  /* the squares do not wait for the last pivot */
  for (int o = w; o >= 1; o--) {
    ritt_real inverse = r[w - o * (w + 1)];
    pivot -= u[o] * u[o] * inverse;
    r[w - o] = u[o] * inverse;
  }
  r[w] = 1 / pivot;
  return pivot > least && pivot < INFINITY;
}

/* ---- the middle ---- */

/* Row t of the middle: L for the columns of its half; what they leave is added to the block. */
static RITTI_INLINE void add_to_middle(ritti_narrow *N, const int w, int which, int t) {
  struct half *H = &N->half[which];
  ritt_real *r = H->value + (ptrdiff_t)(H->rows + t) * (w + 1), u[RITTI_NARROW + 1];
  /* L for the columns before the middle, not yet divided by the pivots */
  for (int o = w; o > t; o--) {
    u[o] = r[w - o];
    for (int p = w; p > o; p--) u[o] -= u[p] * (r - o * (w + 1))[w - (p - o)];
  }
  /* what these columns subtract from the block */
  for (int o = t; o >= 0; o--) {
    ritt_real sum = r[w - o];
    for (int p = t + 1; p <= w; p++) {
      ritt_real l = o ? (r - o * (w + 1))[w - (p - o)] : u[p] * r[w - p * (w + 1)];
      sum -= u[p] * l;
    }
    int i = which ? w - 1 - (t - o) : t, j = which ? w - 1 - t : t - o;
    N->middle[i * w + j] += sum;
  }
  /* divide by the pivots */
  for (int o = w; o > t; o--) r[w - o] = u[o] * r[w - o * (w + 1)];
}

/* ---- both ends ---- */

/* y_s -= sum L y before it */
static RITTI_INLINE ritt_real forward_row(const int w, const ritt_real *r, ritt_real right,
                                          const ritt_real *y) {
  ritt_real sum = right;
  for (int o = w; o >= 1; o--) sum -= r[w - o] * y[-o];
  return sum;
}
/* y_s = y_s / D - sum L^T y behind it; last[o - 1] = y_s+o, which goes on */
static RITTI_INLINE ritt_real backward_row(const int w, const ritt_real *r, ritt_real y,
                                           ritt_real *last) {
  ritt_real sum = y * r[w];
  for (int o = w; o >= 1; o--) sum -= r[o * (w + 1) + w - o] * last[o - 1];
  for (int o = w - 1; o >= 1; o--) last[o] = last[o - 1];
  return last[0] = sum;
}

/* What a row takes from those before it, in registers where the band is narrow: with o, p places
 * before, 1/D of the row o, L of row o at the place of row p, y of row o. */
enum { CARRIED = 2 }; /* the largest width for which that is so */
typedef struct carried {
  ritt_real inverse[CARRIED + 1], l[CARRIED + 1][CARRIED + 1], y[CARRIED + 1];
} carried;

/* factor_row and forward_row with what is carried, `right` of which is used where `solving` */
static RITTI_INLINE bool carry_row(const int w, ritt_real noise, const bool solving,
                                   ritt_real right, carried *C, ritt_real *restrict r,
                                   ritt_real *restrict y) {
  ritt_real u[CARRIED + 1], l[CARRIED + 1], pivot = r[w], least = noise * r[w], sum = right;
  /* the row of L D */
  for (int o = w; o >= 1; o--) {
    u[o] = r[w - o];
    for (int p = w; p > o; p--) u[o] -= u[p] * C->l[o][p];
  }
  /* the pivot, and the row of L */
  for (int o = w; o >= 1; o--) {
    pivot -= u[o] * u[o] * C->inverse[o];
    r[w - o] = l[o] = u[o] * C->inverse[o];
    if (solving) sum -= l[o] * C->y[o];
  }
  /* move on what the next row needs */
  for (int o = w; o >= 2; o--) {
    C->inverse[o] = C->inverse[o - 1], C->y[o] = C->y[o - 1];
    for (int p = w; p > o; p--) C->l[o][p] = C->l[o - 1][p - 1];
  }
  for (int p = w; p >= 2; p--) C->l[1][p] = l[p - 1];
  r[w] = C->inverse[1] = 1 / pivot;
  if (solving) *y = C->y[1] = sum;
  return (pivot > least) & (pivot < INFINITY);
}

/* Rows s .. end-1 of both halves, which are formed. */
static RITTI_INLINE bool eliminate_rows(ritti_narrow *N, const int w, int s, int end,
                                        const ritt_real *x, carried *C) {
  struct half *H = N->half;
  ritt_real *top = H[0].value + (ptrdiff_t)s * (w + 1),
            *bottom = H[1].value + (ptrdiff_t)s * (w + 1);
  ritt_real *y = H[0].y, *z = H[1].y, noise = N->noise;
  const int *row = H[0].row, *other = H[1].row;
  bool good = true;
  /* narrow bands: what the next row needs stays in registers */
  if (w <= CARRIED) {
    const int few = w < CARRIED ? w : CARRIED; /* w, as compilers see it, too */
    carried A = C[0], B = C[1];
    for (; s < end; s++, top += w + 1, bottom += w + 1) {
      good &= carry_row(few, noise, x != NULL, x ? x[row[s]] : 0, &A, top, y + s);
      good &= carry_row(few, noise, x != NULL, x ? x[other[s]] : 0, &B, bottom, z + s);
    }
    C[0] = A, C[1] = B;
    return good;
  }
  for (; s < end; s++, top += w + 1, bottom += w + 1) {
    good &= factor_row(w, noise, top), good &= factor_row(w, noise, bottom);
    if (!x) continue;
    y[s] = forward_row(w, top, x[row[s]], y + s), z[s] = forward_row(w, bottom, x[other[s]], z + s);
  }
  return good;
}

/* What is carried on behind row s of a half. */
static RITTI_INLINE void carry_on(const struct half *H, const int w, int s, carried *C) {
  for (int o = 1; o <= w; o++) {
    const ritt_real *r = H->value + (ptrdiff_t)(s - o) * (w + 1);
    C->inverse[o] = r[w], C->y[o] = H->y[s - o];
    for (int p = o + 1; p <= w; p++) C->l[o][p] = r[w - (p - o)];
  }
}

/* A pair of runs by native code. */
static RITTI_INLINE bool sweep_pair(ritti_narrow *N, const int w, const ritti_form_pair *pair,
                                    const ritt_real *a, const ritt_real *b, const ritt_real *x,
                                    carried *C) {
  const int s = pair->first, end = s + pair->turns * pair->run[0]->period;
  struct half *A = &N->half[0], *B = &N->half[1];
  bool good = pair->native(a, b, N->noise, x, A->base + s, A->row + s,
                           A->value + (ptrdiff_t)s * (w + 1), A->y + s, B->base + s, B->row + s,
                           B->value + (ptrdiff_t)s * (w + 1), B->y + s, pair->turns) != 0;
  if (w <= CARRIED)
    carry_on(A, w < CARRIED ? w : CARRIED, end, &C[0]),
        carry_on(B, w < CARRIED ? w : CARRIED, end, &C[1]);
  return good;
}

/* The rows of both halves up to the middle, each where `x` is given with its place of the right
 * side. */
static inline bool factor_rows(ritti_narrow *N, const int w, const ritt_real *a, const ritt_real *b,
                               const ritt_real *x) {
  enum { BLOCK = 32 };
  struct half *H = N->half;
  const ritti_form_pair *pair = N->pair, *last = pair + (x ? N->pairs : 0);
  carried C[2];
  memset(C, 0, sizeof C);
  bool good = true;
  int s = 0, formed[2] = {0}, at[2] = {0};
  /* form and eliminate a block at a time, which then is still in the cache */
  for (int end = 0; s < H[1].rows; s = end) {
    while (pair < last && (!pair->native || pair->first < s)) pair++;
    if (pair < last && pair->first == s) {
      good &= sweep_pair(N, w, pair, a, b, x, C);
      formed[0] = formed[1] = end = s + pair->turns * pair->run[0]->period;
      continue;
    }
    end = s + BLOCK < H[1].rows ? s + BLOCK : H[1].rows;
    if (pair < last && pair->first < end) end = pair->first;
    for (int half = 0; half < 2; half++)
      while (formed[half] < end)
        formed[half] += form_rows(N, &H[half], formed[half], end, &at[half], w, a, b);
    good &= x ? eliminate_rows(N, w, s, end, x, C) : eliminate_rows(N, w, s, end, NULL, C);
  }
  /* the first half may have one more row */
  if (s < H[0].rows) {
    ritt_real *top = H[0].value + (ptrdiff_t)s * (w + 1);
    if (formed[0] <= s) form_rows(N, &H[0], s, s + 1, &at[0], w, a, b);
    good &= factor_row(w, N->noise, top);
    if (x) H[0].y[s] = forward_row(w, top, x[H[0].row[s]], H[0].y + s);
  }
  return good;
}

/* Factors both halves, then the block in the middle. With x it also solves forward. */
static inline bool factor_with(ritti_narrow *N, const int w, const ritt_real *a, const ritt_real *b,
                               const ritt_real *x) {
  struct half *H = N->half;
  if (!(x ? factor_rows(N, w, a, b, x) : factor_rows(N, w, a, b, NULL))) return false;
  /* the rows of the middle, of each half */
  for (int which = 0; which < 2; which++)
    for (int t = 0; t < w; t++)
      form_row(N, &H[which], H[which].rows + t, w, a, b,
               H[which].value + (ptrdiff_t)(H[which].rows + t) * (w + 1));

  /* the block: what both halves leave of it */
  ritt_real *M = N->middle, *inverse = M + w * w, least[RITTI_NARROW], u[RITTI_NARROW];
  memset(M, 0, (size_t)(w * w) * sizeof *M);
  for (int t = 0; t < w; t++)
    least[t] = N->noise * N->half[0].value[(ptrdiff_t)(N->half[0].rows + t) * (w + 1) + w];
  for (int which = 0; which < 2; which++)
    for (int t = 0; t < w; t++) add_to_middle(N, w, which, t);
  /* its L D L^T */
  for (int i = 0; i < w; i++) {
    ritt_real pivot = M[i * w + i];
    for (int j = 0; j < i; j++) {
      u[j] = M[i * w + j];
      for (int k = 0; k < j; k++) u[j] -= u[k] * M[j * w + k];
      M[i * w + j] = u[j] * inverse[j];
      pivot -= u[j] * M[i * w + j];
    }
    inverse[i] = 1 / pivot;
    if (!(pivot > least[i] && pivot < INFINITY)) return false;
  }
  return true;
}

/* Solves forward in both halves at once; the two chains do not depend on each other. */
static RITTI_INLINE void solve_forward(const ritti_narrow *N, const int w, const ritt_real *x) {
  const struct half *H = N->half;
  const ritt_real *top = H[0].value, *bottom = H[1].value;
  ritt_real *y = H[0].y, *z = H[1].y;
  int s = 0, n = H[0].rows, m = H[1].rows;
  for (; s < m; s++, top += w + 1, bottom += w + 1)
    y[s] = forward_row(w, top, x[H[0].row[s]], y + s),
    z[s] = forward_row(w, bottom, x[H[1].row[s]], z + s);
  if (s < n) y[s] = forward_row(w, top, x[H[0].row[s]], y + s);
}

/* From what `solve_forward` left in y to the solution. */
static RITTI_INLINE void solve_backward(const ritti_narrow *N, const int w, ritt_real *x) {
  const struct half *H = N->half;
  const ritt_real *top, *bottom;
  ritt_real *y = H[0].y, *z = H[1].y, middle[RITTI_NARROW], above[RITTI_NARROW],
            below[RITTI_NARROW];
  int s, n = H[0].rows, m = H[1].rows;
  /* the middle, which the second half has in the opposite order */
  for (int t = 0; t < w; t++) {
    const ritt_real *r = H[0].value + (ptrdiff_t)(n + t) * (w + 1),
                    *q = H[1].value + (ptrdiff_t)(m + w - 1 - t) * (w + 1);
    middle[t] = x[H[0].row[n + t]];
    for (int o = t + 1; o <= w; o++) middle[t] -= r[w - o] * y[n + t - o];
    for (int o = w - t; o <= w; o++) middle[t] -= q[w - o] * z[m + w - 1 - t - o];
  }

  /* solve with the block */
  const ritt_real *M = N->middle, *inverse = M + w * w;
  for (int i = 0; i < w; i++)
    for (int j = 0; j < i; j++) middle[i] -= M[i * w + j] * middle[j];
  for (int i = w - 1; i >= 0; i--) {
    middle[i] *= inverse[i];
    for (int j = i + 1; j < w; j++) middle[i] -= M[j * w + i] * middle[j];
  }

  /* both halves, outwards from the middle */
  for (int t = 0; t < w; t++) x[H[0].row[n + t]] = above[t] = below[w - 1 - t] = middle[t];
  if (n > m) x[H[0].row[m]] = backward_row(w, H[0].value + (ptrdiff_t)m * (w + 1), y[m], above);
  top = H[0].value + (ptrdiff_t)m * (w + 1), bottom = H[1].value + (ptrdiff_t)m * (w + 1);
  for (s = m - 1; s >= 0; s--) {
    top -= w + 1, bottom -= w + 1;
    x[H[0].row[s]] = backward_row(w, top, y[s], above);
    x[H[1].row[s]] = backward_row(w, bottom, z[s], below);
  }
}

/* Every width a loop of its own, in which it is a number. */
#define WIDTHS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
_Static_assert(RITTI_NARROW == 8, "a case for every width");

/* True if the weights of all columns in use are 1. */
bool ritti_narrow_is_plain(const ritti_narrow *N, const ritt_real *d) {
  for (int i = 0; i < N->useds; i++)
    if (d[N->used[i]] != 1) return false;
  return true;
}

/* x NULL: the factors alone. */
static bool factor_halves(ritti_narrow *N, const ritt_real *a, const ritt_real *d,
                          const ritt_real *x) {
  const ritti_pattern *p = &N->pattern;
  const ritt_real *b = a;
  /* entries with weights */
  if (d) {
    int first = p->start[0], end = p->start[p->rows];
    for (int e = first; e < end; e++) N->weighted[e - first] = a[e] * d[p->col[e]];
    b = N->weighted - first;
  }
  switch (N->width) {
#define CASE(w)                                                                                    \
  case w: return factor_with(N, w, a, b, x);
    WIDTHS(CASE)
#undef CASE
  }
  return false;
}

/* The second part of a solution: from solve_forward to x. */
static void finish_solution(const ritti_narrow *N, ritt_real *x) {
  switch (N->width) {
#define CASE(w)                                                                                    \
  case w: solve_backward(N, w, x); break;
    WIDTHS(CASE)
#undef CASE
  }
}

/* Factors A diag(d) A^T; false if it is not positive definite. */
bool ritti_narrow_factor(ritti_narrow *N, const ritt_real *a, const ritt_real *d) {
  return factor_halves(N, a, d, NULL);
}

/* Factors and solves; the forward solution runs along with the elimination. */
bool ritti_narrow_factor_solve(ritti_narrow *N, const ritt_real *a, const ritt_real *d,
                               ritt_real *x) {
  if (!factor_halves(N, a, d, x)) return false;
  finish_solution(N, x);
  return true;
}

/* Solves with the factors; x holds the right side on entry. */
void ritti_narrow_solve(ritti_narrow *N, ritt_real *x) {
  switch (N->width) {
#define CASE(w)                                                                                    \
  case w: solve_forward(N, w, x); break;
    WIDTHS(CASE)
#undef CASE
  }
  finish_solution(N, x);
}

/* ---- native code ---- */

int ritti_narrow_width(const ritti_narrow *N) { return N->width; }

/* The runs of one half, for which native code can be made. */
const ritti_form_run *ritti_narrow_runs(const ritti_narrow *N, int which, int *count) {
  *count = N->half[which].runs;
  return N->half[which].run;
}

/* The pairs of runs, for which native code can be made. */
const ritti_form_pair *ritti_narrow_pairs(const ritti_narrow *N, int *count) {
  *count = N->pairs;
  return N->pair;
}

/* Takes native code for runs and pairs from `find`; NULL where there is none. */
void ritti_narrow_take_forms(ritti_narrow *N, ritti_form *(*find)(const void *from, uint64_t key),
                             const void *from) {
  for (int which = 0; which < 2; which++)
    for (int i = 0; i < N->half[which].runs; i++)
      N->half[which].run[i].native = find(from, N->half[which].run[i].key);
  for (int i = 0; i < N->pairs; i++)
    N->pair[i].native = (ritti_sweep *)(void (*)(void))find(from, N->pair[i].key);
}
