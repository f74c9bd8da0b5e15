/* CG and SYMMLQ for symmetric systems A x = b given by products.
 *
 * CG after Hestenes and Stiefel (1952). SYMMLQ after Paige and Saunders, Solution of sparse
 * indefinite systems of linear equations (SIAM J. Numer. Anal. 12, 1975), sections 4 and 5: Lanczos
 * vectors v_k with A V_k = V_k T_k + beta_k+1 v_k+1 e_k^T, T_k = L_k Q_k with Q_k a product of
 * reflections, L_k z = beta_1 e_1, x = V_k Q_k^T z. Two points lie on the way: x^L, whose error is
 * least, and x^C, that of CG where it exists.
 */
#include "linalg/krylov.h"

/* y += factor * x */
static void add_multiple(int n, ritt_real factor, const ritt_real *x, ritt_real *y) {
  for (int i = 0; i < n; i++) y[i] += factor * x[i];
}

/* True if all entries of x are 0. */
static bool is_zero(int n, const ritt_real *x) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return false;
  return true;
}

/* r = b - A x; a zero x costs no product */
static void first_residual(ritti_krylov *K, const ritt_real *b, const ritt_real *x, ritt_real *r) {
  int n = K->n;
  K->products = 0;
  if (is_zero(n, x)) {
    memcpy(r, b, (size_t)n * sizeof *r);
    return;
  }
  K->times(K->context, x, r);
  K->products++;
  for (int i = 0; i < n; i++) r[i] = b[i] - r[i];
}

/* Sets the relative residual; true: small enough. */
static bool is_reached(ritti_krylov *K, ritt_real residual, ritt_real size) {
  K->residual = residual == 0 ? 0 : residual / size;
  return K->residual <= K->tolerance;
}

/* Conjugate gradients for a positive definite matrix; x is the start and the result. false if
   the matrix is not positive definite or the products are used up. */
bool ritti_cg(ritti_krylov *K, const ritt_real *b, ritt_real *x) {
  int n = K->n;
  ritt_real *r = K->scratch, *p = r + n, *Ap = p + n, size = ritti_norm(n, b);
  first_residual(K, b, x, r);
  ritt_real rr = ritti_dot(n, r, r);
  memcpy(p, r, (size_t)n * sizeof *p);
  while (!is_reached(K, RITTI_MATH(sqrt)(rr), size)) {
    if (K->products >= K->most || !isfinite(rr)) return false;
    K->times(K->context, p, Ap);
    K->products++;
    /* go to the minimum along p */
    ritt_real curvature = ritti_dot(n, p, Ap);
    if (!(curvature > 0)) return false;
    add_multiple(n, rr / curvature, p, x);
    add_multiple(n, -rr / curvature, Ap, r);
    ritt_real before = rr;
    rr = ritti_dot(n, r, r);
    /* the next direction, conjugate to the others */
    for (int i = 0; i < n; i++) p[i] = r[i] + rr / before * p[i];
  }
  return true;
}

/* u = A v - beta v_old - alpha v; returns alpha */
static ritt_real lanczos_step(ritti_krylov *K, ritt_real beta, const ritt_real *v_old,
                              const ritt_real *v, ritt_real *u) {
  K->times(K->context, v, u);
  K->products++;
  add_multiple(K->n, -beta, v_old, u);
  ritt_real alpha = ritti_dot(K->n, v, u);
  add_multiple(K->n, -alpha, v, u);
  return alpha;
}

/* SYMMLQ (Paige and Saunders) for a symmetric, perhaps indefinite matrix; x is the start and the
   result. false if the matrix is singular or the products are used up. */
bool ritti_symmlq(ritti_krylov *K, const ritt_real *b, ritt_real *x) {
  int n = K->n;
  ritt_real *v = K->scratch, *v_old = v + n, *w = v_old + n, *u = w + n, size = ritti_norm(n, b);
  first_residual(K, b, x, v);
  ritt_real beta = ritti_norm(n, v);
  if (is_reached(K, beta, size)) return true;
  for (int i = 0; i < n; i++) {
    v[i] /= beta;
    w[i] = v[i];
    v_old[i] = 0;
  }
  /* c, s: reflection k-1, c_old, s_old the one before; zeta, zeta_old: entries of z; right: of the
   * right side; most: the largest entries of T */
  ritt_real c = -1, s = 0, c_old = -1, s_old = 0, zeta = 0, zeta_old = 0, right = beta, most = 0;
  beta = 0;
  while (K->products < K->most) {
    ritt_real alpha = lanczos_step(K, beta, v_old, v, u), next = ritti_norm(n, u);
    if (!isfinite(alpha) || !isfinite(next)) return false;
    most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(alpha) + beta + next);
    ritt_real noise = 4 * RITTI_EPS * most;
    // row k of L: epsilon, delta, and the diagonal before its reflection
    ritt_real epsilon = s_old * beta, half = -c_old * beta;
    ritt_real delta = c * half + s * alpha, diagonal = s * half - c * alpha;
    right -= delta * zeta + epsilon * zeta_old;
    // the point x^L of the last step, then that of CG
    if (zeta != 0 && is_reached(K, RITTI_MATH(hypot)(right, s * next * zeta), size)) return true;
    if (RITTI_MATH(fabs)(diagonal) > noise) {
      ritt_real zeta_c = right / diagonal;
      if (is_reached(K, next * RITTI_MATH(fabs)(s * zeta - c * zeta_c), size)) {
        add_multiple(n, zeta_c, w, x);
        return true;
      }
    }
    if (!(next > noise)) return false; // the space is exhausted, the matrix singular
    ritt_real gamma = RITTI_MATH(hypot)(diagonal, next);
    c_old = c, s_old = s, c = diagonal / gamma, s = next / gamma;
    zeta_old = zeta, zeta = right / gamma, right = 0;
    /* move along w, and turn w */
    for (int i = 0; i < n; i++) {
      ritt_real v_new = u[i] / next, w_old = w[i];
      x[i] += zeta * (c * w_old + s * v_new);
      w[i] = s * w_old - c * v_new;
      u[i] = v_new;
    }
    ritt_real *free_one = v_old;
    v_old = v, v = u, u = free_one, beta = next;
  }
  return false;
}
