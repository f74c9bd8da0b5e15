/* Power series in quadruple precision. */
#include <assert.h>
#include "expr_impl.h"
#include "expr/quad.h"
#include "expr/series.h"

#undef RITTI_MATH
#define RITTI_MATH(f) f##q
#define real          ritti_quad
#define FN(f)         f##q
#define RATIONAL(q)   ritti_quad_of(q)
#define NAME(x)       ritti_quad_series_##x

#include "series_plain.h"
