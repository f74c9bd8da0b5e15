#!/bin/sh
# What libritt_num asks of the system: memory (in one file), strings and mathematics; no stdio, no GMP, BLAS or KLU. It
# shows names of ritt.h alone. $3 = the static library, $4 = the shared one; sanitizers and coverage add names of their
# own, so nothing is looked at there.
. "$2/test/cli/common.sh"
static=$3
shared=$4

if nm "$static" | grep -q '__asan_\|__tsan_\|__ubsan_\|__gcov_\|__sanitizer'; then
  echo "instrumented"
  finish
fi

strings='(mem|str)(cpy|move|set|cmp|len|ncmp|chr|rchr|spn|cspn|cat|str)'
mathematics='fabs|fmax|fmin|frexp|ldexp|scalbn|ilogb|nextafter|copysign|pow|sqrt|cbrt|hypot|exp|expm1|log|log1p|log2|log10|erf|erfc|sin|cos|sincos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|floor|ceil|round|lround|trunc|fmod'
allowed="malloc|realloc|free|(__)?$strings(_chk)?|$mathematics|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_"
asks() { nm -u "$1" 2>/dev/null | sed -n 's/^ *U \([^@]*\).*/\1/p' | sort -u | grep -vE '^ritti?_' | grep -vxE "$allowed"; }
for library in "$static" "$shared"; do
  outside=$(asks "$library" | tr '\n' ' ')
  ok "$library asks for $outside" [ -z "$outside" ]
done
where=$(nm -A -u "$static" 2>/dev/null | sed -n 's/^[^:]*:\([^:]*\): *U \(malloc\|calloc\|realloc\|free\)$/\1/p' | sort -u | tr '\n' ' ')
ok "memory is asked for in $where" [ "$where" = "memory.c.o " ]
strangers=$(nm -D --defined-only "$shared" | awk '$3 !~ /^ritt_/ { print $3 }')
ok "libritt_num.so shows $strangers" [ -z "$strangers" ]
nm -D --defined-only "$shared" >names
for name in ritt_error_new ritt_error_get ritt_status_text ritt_version; do has names " $name"; done
finish
