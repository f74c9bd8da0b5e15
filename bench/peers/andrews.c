/* Andrews' squeezing mechanism (Hairer and Wanner II, VII.7; models/ivp/andrews.ritt has the same
 * equations): seven angles, three loops. Jacobians are left to differences: a user would not write
 * them. */
#include <math.h>
#include "problem.h"

enum { BE, TH, GA, PH, DE, OM, EP, N, M = 6 };

static void terms(double t, const double *q, const double *v, mechanics_terms *out) {
  (void)t;
  static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050,
                      m6 = 0.00706, m7 = 0.05498;
  static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                      I6 = 5.667e-7, I7 = 1.912e-5;
  static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014,
                      yc = 0.072;
  static const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, zf = 0.02, fa = 0.01421;
  static const double rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018,
                      sd = 0.02;
  static const double ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zt = 0.04;
  static const double c0 = 4530, l0 = 0.07785, drive = 0.033;
  double sin_be = sin(q[BE]), cos_be = cos(q[BE]), sin_th = sin(q[TH]), cos_th = cos(q[TH]);
  double sin_bt = sin(q[BE] + q[TH]), cos_bt = cos(q[BE] + q[TH]), sin_ga = sin(q[GA]),
         cos_ga = cos(q[GA]);
  double sin_ph = sin(q[PH]), cos_ph = cos(q[PH]), sin_de = sin(q[DE]), cos_de = cos(q[DE]);
  double sin_pd = sin(q[PH] + q[DE]), cos_pd = cos(q[PH] + q[DE]);
  double sin_om = sin(q[OM]), cos_om = cos(q[OM]), sin_ep = sin(q[EP]), cos_ep = cos(q[EP]);
  double sin_oe = sin(q[OM] + q[EP]), cos_oe = cos(q[OM] + q[EP]);

  /* masses */
  double *E = out->mass;
  for (int i = 0; i < N * N; i++) E[i] = 0;
  E[BE * N + BE] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos_th + da * da) + I1 + I2;
  E[TH * N + BE] = E[BE * N + TH] = m2 * (da * da - da * rr * cos_th) + I2;
  E[TH * N + TH] = m2 * da * da + I2;
  E[GA * N + GA] = m3 * (sa * sa + sb * sb) + I3;
  E[PH * N + PH] = m4 * (e - ea) * (e - ea) + I4;
  E[DE * N + PH] = E[PH * N + DE] = m4 * ((e - ea) * (e - ea) + zt * (e - ea) * sin_ph) + I4;
  E[DE * N + DE] = m4 * (zt * zt + 2 * zt * (e - ea) * sin_ph + (e - ea) * (e - ea)) +
                   m5 * (ta * ta + tb * tb) + I4 + I5;
  E[OM * N + OM] = m6 * (zf - fa) * (zf - fa) + I6;
  E[EP * N + OM] = E[OM * N + EP] = m6 * ((zf - fa) * (zf - fa) - u * (zf - fa) * sin_om) + I6;
  E[EP * N + EP] = m6 * ((zf - fa) * (zf - fa) - 2 * u * (zf - fa) * sin_om + u * u) +
                   m7 * (ua * ua + ub * ub) + I6 + I7;

  /* forces: the drive, the spring, what turns with the angles */
  double xd = sd * cos_ga + sc * sin_ga + xb, yd = sd * sin_ga - sc * cos_ga + yb;
  double length = sqrt((xd - xc) * (xd - xc) + (yd - yc) * (yd - yc)),
         force = -c0 * (length - l0) / length;
  double fx = force * (xd - xc), fy = force * (yd - yc), *f = out->force;
  f[BE] = drive - m2 * da * rr * v[TH] * (v[TH] + 2 * v[BE]) * sin_th;
  f[TH] = m2 * da * rr * v[BE] * v[BE] * sin_th;
  f[GA] = fx * (sc * cos_ga - sd * sin_ga) + fy * (sd * cos_ga + sc * sin_ga);
  f[PH] = m4 * zt * (e - ea) * v[DE] * v[DE] * cos_ph;
  f[DE] = -m4 * zt * (e - ea) * v[PH] * (v[PH] + 2 * v[DE]) * cos_ph;
  f[OM] = -m6 * u * (zf - fa) * v[EP] * v[EP] * cos_om;
  f[EP] = m6 * u * (zf - fa) * v[OM] * (v[OM] + 2 * v[EP]) * cos_om;

  /* the loops */
  double x = rr * cos_be - d * cos_bt, y = rr * sin_be - d * sin_bt, *g = out->g, *G = out->G;
  g[0] = x - ss * sin_ga - xb;
  g[1] = y + ss * cos_ga - yb;
  g[2] = x - e * sin_pd - zt * cos_de - xa;
  g[3] = y + e * cos_pd - zt * sin_de - ya;
  g[4] = x - zf * cos_oe - u * sin_ep - xa;
  g[5] = y - zf * sin_oe + u * cos_ep - ya;
  for (int i = 0; i < M * N; i++) G[i] = 0;
  for (int i = 0; i < M; i += 2) {
    G[i * N + BE] = -rr * sin_be + d * sin_bt, G[i * N + TH] = d * sin_bt;
    G[(i + 1) * N + BE] = rr * cos_be - d * cos_bt, G[(i + 1) * N + TH] = -d * cos_bt;
  }
  G[0 * N + GA] = -ss * cos_ga, G[1 * N + GA] = -ss * sin_ga;
  G[2 * N + PH] = -e * cos_pd, G[2 * N + DE] = -e * cos_pd + zt * sin_de;
  G[3 * N + PH] = -e * sin_pd, G[3 * N + DE] = -e * sin_pd - zt * cos_de;
  G[4 * N + OM] = zf * sin_oe, G[4 * N + EP] = zf * sin_oe - u * cos_ep;
  G[5 * N + OM] = -zf * cos_oe, G[5 * N + EP] = -zf * cos_oe - u * sin_ep;
  for (int i = 0; i < M; i++) out->by_time[i] = 0;

  /* G v' from the second derivatives of g */
  double be2 = v[BE] * v[BE], bt2 = (v[BE] + v[TH]) * (v[BE] + v[TH]),
         pd2 = (v[PH] + v[DE]) * (v[PH] + v[DE]);
  double oe2 = (v[OM] + v[EP]) * (v[OM] + v[EP]), ga2 = v[GA] * v[GA], de2 = v[DE] * v[DE],
         ep2 = v[EP] * v[EP];
  double xx = rr * cos_be * be2 - d * cos_bt * bt2, yy = rr * sin_be * be2 - d * sin_bt * bt2;
  out->second[0] = xx - ss * sin_ga * ga2;
  out->second[1] = yy + ss * cos_ga * ga2;
  out->second[2] = xx - e * sin_pd * pd2 - zt * cos_de * de2;
  out->second[3] = yy + e * cos_pd * pd2 - zt * sin_de * de2;
  out->second[4] = xx - zf * cos_oe * oe2 - u * sin_ep * ep2;
  out->second[5] = yy - zf * sin_oe * oe2 + u * cos_ep * ep2;
}

static const mechanics self = {N, M, terms};
static const double start[2 * N] = {
    -0.0617138900142764496358948458001, 0,
    0.455279819163070380255912382449,   0.222668390165885884674473185609,
    0.487364979543842550225598953530,   -0.222668390165885884674473185609,
    1.23054744454982119249735015568};
/* recomputed in quadruple precision; the published ones are off by 1.4e-9 */
static const double exact[N] = {15.810771195153707,  -15.756371058411839, 0.0408222401196458,
                                -0.5347301163420796, 0.524409965879954,   0.5347301163420796,
                                1.048080741041938};

static void rhs(double t, const double *y, double *out) {
  mechanics_rhs(&self, t, y, out, (double *)0);
}
static void residual(double t, const double *w, const double *derivative, double *out) {
  mechanics_residual(&self, t, w, derivative, out);
}
static void dae_start(double *w, double *derivative) {
  mechanics_dae_start(&self, start, w, derivative);
}
static void project(double t, double *y) { mechanics_project(&self, t, y); }
static void constraints(double t, const double *y, double *out) {
  mechanics_terms T;
  terms(t, y, y + N, &T);
  for (int i = 0; i < M; i++) out[i] = T.g[i];
}

const peer_problem peer_andrews = {.name = "Andrews",
                                   .model = "models/ivp/andrews.ritt",
                                   .end = 0.03,
                                   .compared = N,
                                   .exact = exact,
                                   .n = 2 * N,
                                   .start = start,
                                   .rhs = rhs,
                                   .rows = M,
                                   .constraints = constraints,
                                   .project = project,
                                   .dae = 2 * N + 2 * M,
                                   .differential = 2 * N,
                                   .dae_start = dae_start,
                                   .residual = residual};
