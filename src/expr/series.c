/* Power series in doubles. */
#include "expr_impl.h"
#include "expr/series.h"

#define real      double
#define FN(f)     f
#define NUMBER(q) ritti_rational_double(q)
#define NAME(x)   ritti_series_##x

#include "series_body.h"
