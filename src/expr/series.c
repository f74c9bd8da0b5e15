/* Power series in doubles. */
#include <assert.h>
#include "expr_impl.h"
#include "expr/series.h"

#define real        double
#define FN(f)       f
#define RATIONAL(q) ritti_rational_double(q)
#define NAME(x)     ritti_series_##x

#include "series_plain.h"
