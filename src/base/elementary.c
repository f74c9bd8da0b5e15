/* The elementary functions of one number, for the interpreter and for constants. */
#include "base/elementary.h"

#ifndef RITT_QUAD
double ritti_real_exp(double a) { return ritti_inline_exp(a); }
double ritti_real_log(double a) { return ritti_inline_log(a); }
double ritti_real_log2(double a) { return ritti_inline_log2(a); }
double ritti_real_log10(double a) { return ritti_inline_log10(a); }
double ritti_real_sin(double a) { return ritti_inline_sin(a); }
double ritti_real_cos(double a) { return ritti_inline_cos(a); }
double ritti_real_tan(double a) { return ritti_inline_tan(a); }
double ritti_real_asin(double a) { return ritti_inline_asin(a); }
double ritti_real_acos(double a) { return ritti_inline_acos(a); }
double ritti_real_atan(double a) { return ritti_inline_atan(a); }
double ritti_real_sinh(double a) { return ritti_inline_sinh(a); }
double ritti_real_cosh(double a) { return ritti_inline_cosh(a); }
double ritti_real_tanh(double a) { return ritti_inline_tanh(a); }
double ritti_real_erf(double a) { return ritti_inline_erf(a); }
double ritti_real_erfc(double a) { return ritti_inline_erfc(a); }
double ritti_real_cbrt(double a) { return ritti_inline_cbrt(a); }
double ritti_real_pow(double a, double b) { return ritti_inline_pow(a, b); }
double ritti_real_atan2(double a, double b) { return ritti_inline_atan2(a, b); }
double ritti_real_hypot(double a, double b) { return ritti_inline_hypot(a, b); }
void ritti_real_sincos(double a, double *sine, double *cosine) {
  ritti_inline_sincos(a, sine, cosine);
}
#endif
