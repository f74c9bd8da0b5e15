#!/bin/sh
# Memory does not grow with the number of rows, nor with that of the runs of a sweep: ten times as many need the same, while
# the numbers of the rows alone would be 36 MB. RITT_ROWS=10000000 (./do check-all) makes more of them.
. "$2/test/cli/common.sh"
command -v python3 >/dev/null 2>&1 || finish
rows=${RITT_ROWS:-1000000}
cat >orbit.ritt <<'MODEL'
model orbit
parameter w = 1
variable x, y
equation
  x' = -w*y
  y' = w*x
start x = 1, y = 0
solve t = 0 .. 100
output x, y, r2 = x^2 + y^2
MODEL
# memory ARGUMENT...: the most that the program needed, in KiB; the address sanitizer keeps what was freed
cat >memory.py <<'CODE'
import os, resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL, env=dict(os.environ, ASAN_OPTIONS='quarantine_size_mb=1'))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
CODE
memory() { python3 memory.py "$ritt" "$@" || echo 999999999; }

few=$(memory run orbit.ritt --points $((rows / 10)) --quiet -o few.h5 -o few.npz)
many=$(memory run orbit.ritt --points "$rows" --quiet -o many.h5 -o many.npz)
ok "memory of a run: $few KiB, $many KiB" [ "$many" -lt $((few + 8192)) ]
call 0 convert many.npz -o last.csv
ok 'all rows are there' [ "$(wc -l <last.csv)" = $((rows + 1)) ]
ok 'on the circle' awk -F, 'NR > 1 && ($4 - 1)^2 > 1e-12 { bad = 1 } END { exit bad || $1 != 100 }' last.csv
few=$(memory convert few.h5 -o other.npz)
many=$(memory convert many.h5 -o other.npz)
ok "memory of a conversion: $few KiB, $many KiB" [ "$many" -lt $((few + 8192)) ]
few=$(memory plot few.h5 --x x --y y -o few.svg)
many=$(memory plot many.h5 --x x --y y -o many.svg)
ok "memory of a plot: $few KiB, $many KiB" [ "$many" -lt $((few + 16384)) ]
rm -f few.* many.* other.* last.csv

# the runs of a sweep: those that wait for their turn are at most 1024
few=$(memory sweep orbit.ritt --to 1 --points 2 --quiet --threads 2 --vary w=1:2:2000 --final few.csv)
many=$(memory sweep orbit.ritt --to 1 --points 2 --quiet --threads 2 --vary w=1:2:8000 --final many.csv)
ok "memory of a sweep: $few KiB, $many KiB" [ "$many" -lt $((few + 8192)) ]
finish
