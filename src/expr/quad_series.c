/* Power series in quadruple precision. */
#include "expr_impl.h"
#include "expr/quad.h"
#include "expr/series.h"

#define real      ritti_quad
#define FN(f)     f##q
#define NUMBER(q) ritti_quad_of(q)
#define NAME(x)   ritti_quad_series_##x

#include "series_body.h"
