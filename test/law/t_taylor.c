/* Taylor methods by law: the error of one step of order k falls like h^(k+1), at several points of
 * curved manifolds, over x and over arc length; the correction of Proposition 3.5 is needed; the
 * papers' vectors w1, w2, w3 are what covariant derivatives and the second fundamental tensor must
 * be, by the series of the solution. The measure is an explicit method of order 12 in short steps.
 */
#include "papers.h"
#include "geometry/curve.h"
#include "geometry/tensor.h"

enum { MOST = 32, POINTS = 5, SIZES = 64 };

typedef struct way {
  ritti_manifold M;
  ritti_direction D;
  ritti_stepper S;
  ritt_real arc[MOST];
} way;

/* A stepper of its own: over x, or over arc length as in the papers, all coordinates alike. */
static way *prepare(const papers_model *p, const ritti_tableau *tableau, bool by_arc,
                    ritti_arena *arena) {
  const ritti_problem *P = p->problem;
  way *w = ritti_arena_alloc(arena, 1, sizeof *w);
  ritt_real *work = ritti_arena_alloc(arena, P->work_size + 1, sizeof *work);
  P->work_init(P->data, work);
  bool made = ritti_manifold_init(&w->M, P, work, arena) == RITT_OK &&
              ritti_direction_init(&w->D, P, work, arena) == RITT_OK;
  for (int i = 0; i < P->m; i++) w->arc[i] = 1;
  if (by_arc) w->D.arc = w->arc;
  else w->M.inverse_weights[0] = 0;
  made = made && ritti_stepper_init(&w->S, tableau, &w->M, &w->D, arena) == RITT_OK;
  CHECK(made);
  w->S.project_stages = true;
  w->S.keep_x = !by_arc;
  return w;
}

/* z after `steps` of h/steps, along V */
static bool go(way *w, const ritt_real *z, ritt_real h, int steps, ritt_real *out) {
  ritt_status status = ritti_stepper_place(&w->S, z);
  for (int i = 0; i < steps && status == RITT_OK; i++) {
    ritt_real x = z[0] + h * (ritt_real)(i + 1) / (ritt_real)steps;
    status = ritti_stepper_take(&w->S, h / (ritt_real)steps, x);
    if (status == RITT_OK) ritti_stepper_accept(&w->S);
  }
  memcpy(out, w->S.z, (size_t)w->S.m * sizeof *out);
  return status == RITT_OK;
}

typedef struct setting {
  const char *name, *kind;
  double part; /* of the run, in which the points lie */
  bool by_arc;
} setting;
/* explicit with an invariant, with two; general; holonomic with its energy; graph */
static const setting settings[] = {
    {"rigid_body", "auto", 1e-3, false},    {"rigid_body", "auto", 1e-3, true},
    {"kepler", "auto", 0.05, false},        {"kepler", "auto", 0.05, true},
    {"kepler", "general", 0.05, false},     {"sphere", "auto", 0.9, true},
    {"pendulum_energy", "auto", 0.8, true}, {"pendulum_energy", "auto", 0.8, false},
    {"fourbar", "auto", 0.1, false},
};

/* Moves the points of the solution about, to others of M: those of solutions may have a symmetry.
 */
static void scatter(const papers_model *p, int points, ritt_real *z) {
  ritti_arena *arena = ritti_arena_new();
  way *w = prepare(p, ritti_method_find("euler"), false, arena);
  int m = p->problem->m;
  for (int i = 0; i < points; i++) {
    for (int j = 1; j < m; j++) z[i * m + j] += (ritt_real)check_random() / 10;
    CHECK(ritti_manifold_project(&w->M, z + i * m, z + i * m) == RITT_OK);
  }
  ritti_arena_free(arena);
}

typedef struct line {
  ritt_real h[SIZES], e[SIZES];
  int count;
} line;

/* The largest error of one step from any of the points, for steps from h on, 2^(1/4) shorter each.
 */
static line measure(const papers_model *p, const ritti_tableau *tableau, const setting *s,
                    const ritt_real *z, int points) {
  ritti_arena *arena = ritti_arena_new();
  way *one = prepare(p, tableau, s->by_arc, arena),
      *other = prepare(p, ritti_method_find("feagin12"), s->by_arc, arena);
  line l = {0};
  const ritt_real round_off = 4000 * RITTI_EPS,
                  short_by = RITTI_D(0.84089641525371454303112547623321490);
  int m = p->problem->m;
  for (ritt_real h = 8; l.count < SIZES && h > (ritt_real)1e-8; h *= short_by) {
    ritt_real worst = 0, a[MOST], b[MOST];
    bool good = true;
    for (int i = 0; i < points && good; i++) {
      good = go(one, z + i * m, h, 1, a) && go(other, z + i * m, h, 16, b);
      for (int j = 0; j < m && good; j++)
        worst =
            RITTI_MATH(fmax)(worst, RITTI_MATH(fabs)(a[j] - b[j]) / (1 + RITTI_MATH(fabs)(b[j])));
    }
    if (!good || !(worst < (ritt_real)1e-4)) continue;
    if (worst < round_off) break;
    l.h[l.count] = h, l.e[l.count++] = worst;
  }
  ritti_arena_free(arena);
  return l;
}

/* Least squares slope of log e over log h, of the shortest steps. */
static double slope(const line *l, int most) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = l->count > most ? l->count - most : 0; i < l->count; i++) {
    double x = log((double)l->h[i]), y = log((double)l->e[i]);
    n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void check_slope(const papers_model *p, const ritti_tableau *t, const char *what,
                        const setting *s, const ritt_real *z, int points, int order,
                        double margin) {
  line l = measure(p, t, s, z, points);
  double found = l.count >= 4 ? slope(&l, 6) : NAN;
  bool good = fabs(found - (order + 1)) <= margin;
  if (good) checks_passed++;
  else {
    checks_failed++;
    printf("failed: %s (%s) %s, %s: slope %.3f of %d steps, expected %d; errors", s->name, s->kind,
           s->by_arc ? "over arc length" : "over x", what, found, l.count, order + 1);
    for (int i = 0; i < l.count; i++) printf(" %.2g", (double)l.e[i]);
    printf("\n");
  }
}

static void check_orders(const papers_model *p, const setting *s, const ritt_real *z, int points) {
  static const struct {
    const char *name;
    double margin; /* doubles leave high orders little room; t_slopes.c has more digits, orders up
                      to 14 */
  } methods[] = {{"taylor1", 0.1},  {"taylor2", 0.1},  {"taylor3", 0.15}, {"taylor3n", 0.15},
                 {"taylor:2", 0.1}, {"taylor:3", 0.1}, {"taylor:5", 0.3}, {"taylor:8", 0.7}};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    const ritti_tableau *t = ritti_method_find(methods[i].name);
    check_slope(p, t, t->name, s, z, points, t->order, methods[i].margin);
  }
  /* Proposition 3.5 without X, and 3.9 without S: order 2 */
  ritti_tableau t = *ritti_method_find("taylor3");
  t.correction = 0;
  check_slope(p, &t, "taylor3 without X", s, z, points, 2, 0.15);
  t = *ritti_method_find("taylor3n");
  t.normal = 0;
  check_slope(p, &t, "taylor3n without S", s, z, points, 2, 0.15);
}

/* ---- the tensor ---- */

static ritt_real inner(const way *w, const ritt_real *a, const ritt_real *b) {
  ritt_real sum = 0;
  for (int i = 0; i < w->S.m; i++)
    if (w->M.inverse_weights[i] > 0) sum += a[i] * b[i] / w->M.inverse_weights[i];
  return sum;
}

/* S(v, v) */
static void normal_part(const ritti_tensor *T, const ritt_real *z, const ritt_real *v,
                        ritt_real *S) {
  ritti_tensor t = *T;
  CHECK(ritti_tensor_at(&t, z, v) == RITT_OK);
  ritti_tensor_normal(&t, S);
}

static void small(const char *what, const setting *s, ritt_real off, ritt_real size) {
  if (!(off <= (ritt_real)1e-11 * (1 + size)))
    printf("%s: %s is off by %g of %g\n", s->name, what, (double)off, (double)size);
  CHECK(off <= (ritt_real)1e-11 * (1 + size));
}

/* c'' = nabla_V V + S(V, V), its parts tangent and normal, c'' by the series of the solution and S
 * by f alone; <X, y> = <S(V, V), S(V, y)> for tangent y (Lemma 3.6), S(V, y) by polarisation. In a
 * metric with weights, too. */
static void check_tensor(const papers_model *p, const setting *s, const ritt_real *z,
                         bool weighted) {
  ritti_arena *arena = ritti_arena_new();
  way *w = prepare(p, ritti_method_find("taylor3"), s->by_arc, arena);
  ritti_curve C;
  ritti_tensor T;
  int m = p->problem->m;
  bool fresh;
  ritt_real V[MOST], y[MOST], sum[MOST], S[MOST], Sy[MOST], Ssum[MOST], c2[MOST], rest[MOST],
      X[MOST];
  for (int i = 0; i < m && weighted; i++) w->M.inverse_weights[i] *= (ritt_real)(1 + i % 3);
  CHECK(ritti_curve_init(&C, p->problem, &w->D, 3, arena) == RITT_OK);
  CHECK(ritti_tensor_init(&T, &w->M, arena) == RITT_OK);
  CHECK(ritti_direction_at(&w->D, z, V) == RITT_OK);
  CHECK(ritti_curve_expand(&C, z, V, 1, &fresh) == RITT_OK && fresh);
  ritt_real off = 0, size = 0;
  for (int i = 0; i < m; i++) {
    off = RITTI_MATH(fmax)(off, RITTI_MATH(fabs)(ritti_curve_coefficient(&C, i, 1) - V[i]));
    size = RITTI_MATH(fmax)(size, RITTI_MATH(fabs)(V[i]));
  }
  small("V", s, off, size);

  for (int i = 0; i < m; i++) y[i] = (ritt_real)check_random();
  if (!s->by_arc) y[0] = 0;
  CHECK(ritti_tensor_at(&T, z, V) == RITT_OK);
  ritti_tensor_tangential(&T, y);
  ritti_tensor_normal(&T, S);
  CHECK(ritti_tensor_correction(&T, z, V, X) == RITT_OK);
  off = size = 0;
  for (int i = 0; i < m; i++) c2[i] = 2 * ritti_curve_coefficient(&C, i, 2), rest[i] = c2[i] - S[i];
  memcpy(sum, rest, sizeof sum);
  ritti_tensor_tangential(&T, rest);
  for (int i = 0; i < m; i++) {
    off = RITTI_MATH(fmax)(off, RITTI_MATH(fabs)(rest[i] - sum[i]));
    size = RITTI_MATH(fmax)(size, RITTI_MATH(fabs)(c2[i]));
  }
  small("the normal part of c''", s, off, size);

  for (int i = 0; i < m; i++) sum[i] = V[i] + y[i];
  normal_part(&T, z, y, Sy);
  normal_part(&T, z, sum, Ssum);
  for (int i = 0; i < m; i++) sum[i] = (Ssum[i] - S[i] - Sy[i]) / 2;
  ritt_real left = inner(w, X, y), right = inner(w, S, sum);
  small("X", s, RITTI_MATH(fabs)(left - right), inner(w, S, S) + inner(w, sum, sum));
  ritti_arena_free(arena);
}

int main(void) {
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    const setting *s = &settings[i];
    papers_model p = papers_open_as(s->name, s->kind);
    ritt_real z[POINTS * MOST];
    if (p.problem && p.problem->m <= MOST) {
      int points = papers_along(&p, s->part, POINTS, z);
      CHECK(points == POINTS);
      scatter(&p, points, z);
      for (int k = 0; k < 2 * points; k++) check_tensor(&p, s, z + k / 2 * p.problem->m, k % 2);
      check_orders(&p, s, z, points);
    }
    papers_close(&p);
  }
  return CHECKS_DONE();
}
