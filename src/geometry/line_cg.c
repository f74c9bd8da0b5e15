/* The null vector by conjugate gradients on the unit sphere (Algorithm 5.2 of the enhanced linear
 * algebra paper, after Smith): the minimum of |D u|^2 / 2 over |u| = 1.
 *
 * From the null vector of the point before. Gradients along great circles, Y(u) = |D u|^2 u - D^T D
 * u; the search direction starts again every 1 + tops steps, and h = H/|H| is formed after that,
 * not before as printed. Columns are scaled to length 1, which is a change of the metric on the
 * sphere, not of the line. Where the iteration does not come down to rounding QR takes over.
 */
#include "geometry/direction_impl.h"

typedef struct own {
  bool warm;
  ritt_real *last, *u, *h, *H, *G, *turned; /* 1 + tops: null vector of the last point, iterates */
  ritt_real *scale;                         /* of the columns */
  ritt_real *D, *Du, *Dh;                   /* rows x (1 + tops), rows, rows */
} own;

ritt_status ritti_line_cg_init(ritti_direction *D, ritti_arena *arena) {
  size_t rows = (size_t)D->rows, cols = (size_t)D->problem->tops + 1;
  own *O;
  RITTI_NEW(O, arena, 1);
  ritt_real **vectors[] = {&O->last, &O->u, &O->h, &O->H, &O->G, &O->turned, &O->scale};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) RITTI_NEW(*vectors[i], arena, cols);
  RITTI_NEW(O->D, arena, rows * cols + 1);
  RITTI_NEW_ARRAYS(arena, rows + 1, O->Du, O->Dh);
  D->own = O;
  return RITT_OK;
}

static void multiply_matrix(int rows, int cols, const ritt_real *a, const ritt_real *x,
                            ritt_real *y) {
  for (int i = 0; i < rows; i++) y[i] = ritti_dot(cols, a + (size_t)i * (size_t)cols, x);
}

/* Y = |D u|^2 u - D^T (D u) */
static void find_gradient(int rows, int cols, const own *O, const ritt_real *u, ritt_real *Y) {
  ritt_real square = ritti_dot(rows, O->Du, O->Du);
  for (int j = 0; j < cols; j++) Y[j] = square * u[j];
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) Y[j] -= O->D[(size_t)i * (size_t)cols + (size_t)j] * O->Du[i];
}

static void make_unit(int n, ritt_real *x) {
  ritt_real length = ritti_norm(n, x);
  for (int i = 0; length > 0 && i < n; i++) x[i] /= length;
}

static bool minimise_quotient(int rows, int cols, own *O, ritt_real size) {
  int most = 20 * cols + 60;
  ritt_real round_off = RITTI_EPS * size;
  multiply_matrix(rows, cols, O->D, O->u, O->Du);
  find_gradient(rows, cols, O, O->u, O->G);
  memcpy(O->H, O->G, (size_t)cols * sizeof *O->H);
  for (int i = 0; i < most; i++) {
    ritt_real Du = ritti_norm(rows, O->Du), G = ritti_norm(cols, O->G);
    if (Du <= 2 * round_off || G <= round_off * Du) return true;
    memcpy(O->h, O->H, (size_t)cols * sizeof *O->h);
    make_unit(cols, O->h);
    ritt_real below = ritti_dot(cols, O->H, O->G);

    /* The step along the great circle through u and h to the least |D u|: new u and Du; H and G
     * are moved along, the latter to `turned`. */
    multiply_matrix(rows, cols, O->D, O->h, O->Dh);
    ritt_real a = 2 * ritti_dot(rows, O->Du, O->Dh), c, s;
    ritt_real b = ritti_dot(rows, O->Du, O->Du) - ritti_dot(rows, O->Dh, O->Dh);
    ritt_real r = RITTI_MATH(sqrt)(a * a + b * b);
    if (!(r > 0)) c = 1, s = 0;
    else if (b >= 0) s = RITTI_MATH(sqrt)((1 + b / r) / 2), c = -a / (2 * r * s);
    else c = RITTI_MATH(sqrt)((1 - b / r) / 2), s = -a / (2 * r * c);
    ritt_real length = ritti_norm(cols, O->H), along = ritti_dot(cols, O->h, O->G);
    for (int j = 0; j < cols; j++) {
      ritt_real u = O->u[j], h = O->h[j];
      O->u[j] = c * u + s * h;
      O->H[j] = length * (c * h - s * u);
      O->turned[j] = O->G[j] - along * (s * u + (1 - c) * h);
    }
    make_unit(cols, O->u);
    multiply_matrix(rows, cols, O->D, O->u, O->Du);

    find_gradient(rows, cols, O, O->u, O->G);
    bool restart = i % cols == cols - 1 || !(below > 0);
    ritt_real gamma = (ritti_dot(cols, O->G, O->G) - ritti_dot(cols, O->G, O->turned)) / below;
    for (int j = 0; j < cols; j++) O->H[j] = O->G[j] + (restart ? 0 : gamma * O->H[j]);
  }
  return false;
}

bool ritti_line_cg(ritti_direction *D) {
  int rows = D->rows, cols = D->problem->tops + 1;
  own *O = D->own;

  /* The columns of the matrix scaled to length 1, u = the last null vector in the new scale.
   * Returns |D|. */
  ritt_real square = 0;
  for (int j = 0; j < cols; j++) {
    ritt_real sum = 0;
    for (int i = 0; i < rows; i++) {
      ritt_real d = D->matrix[(size_t)i * (size_t)cols + (size_t)j];
      sum += d * d;
    }
    O->scale[j] = sum > 0 ? 1 / RITTI_MATH(sqrt)(sum) : 1;
    square += sum > 0;
    for (int i = 0; i < rows; i++) {
      size_t at = (size_t)i * (size_t)cols + (size_t)j;
      O->D[at] = D->matrix[at] * O->scale[j];
    }
    O->u[j] = O->warm ? O->last[j] / O->scale[j] : 1 / (ritt_real)(j + 1);
  }
  make_unit(cols, O->u);
  ritt_real size = RITTI_MATH(sqrt)(square);

  bool found = size > 0 && minimise_quotient(rows, cols, O, size);
  D->sigma[0] = D->sigma[1] = D->sigma[2] = NAN;
  if (found) {
    for (int j = 0; j < cols; j++) D->null_vector[j] = O->u[j] * O->scale[j];
    make_unit(cols, D->null_vector);
  } else {
    D->fallbacks++;
    if (!ritti_line_qr(D)) return false;
  }
  memcpy(O->last, D->null_vector, (size_t)cols * sizeof *O->last);
  O->warm = true;
  return true;
}

void ritti_line_cg_state(ritti_direction *D, ritti_state *state) {
  own *O = D->own;
  ritti_state_bool(state, "cg.warm", &O->warm);
  ritti_state_reals(state, "cg.last", O->last, (size_t)D->problem->tops + 1);
}
