#!/bin/sh
# ritt compare: the same run in other formats, runs of other tolerances and rows, tolerances for the differences, wrong
# calls.
. "$2/test/cli/common.sh"
sed "s/^output.*/output x, y, x', y', lambda/" "$pendulum" >p.ritt
call 0 run p.ritt --to 5 --tol 1e-10 --points 200 --quiet -o a.csv -o a.h5 -o a.npz
call 0 run p.ritt --to 4 --tol 1e-5 --quiet -o b.jsonl

call 0 compare a.csv a.h5 --tol 1e-300
has out 'a.csv: 200 rows, t = 0 .. 5'
has out 'compared at 200 points'
ok 'no difference' grep -Eq '^x +0 +0 +-$' out
ok 'nothing interpolated' sh -c '! grep -q interpol out'
same err

rows=$(wc -l <b.jsonl)
call 0 compare a.npz b.jsonl
has out "b.jsonl: $rows rows, t = 0 .. 4"
has out "compared at $rows points, a.npz interpolated"
ok 'a line for each column' [ "$(grep -cE "^(x|y|x'|y'|lambda) " out)" = 5 ]
call 0 compare a.npz b.jsonl --tol 1e-2
call 1 compare a.npz b.jsonl --tol 1e-9
has out 'too large'
call 0 compare a.npz b.jsonl --tol 1e-9 --abs 1
call 1 compare b.jsonl a.npz --tol 1e-9 --quiet
same out
call 1 compare b.jsonl a.npz --tol 1e-9 --json
json out
has out '"verdict": "different"'
has out '"interpolated": "B"'
call 0 compare a.csv a.h5 --json
json out
ok 'no verdict without a tolerance' sh -c '! grep -q verdict out'
# a difference that was put in is found, and where
awk -F, -v OFS=, 'NR == 50 { $3 += 0.125 } { print }' a.csv >c.csv
call 0 compare a.h5 c.csv
ok 'the difference' grep -Eq '^y +0\.125 +0\.1[0-9]+ +1\.2' out

call 0 run "$pendulum" --to 1 --quiet -o d.csv
call 0 compare a.csv d.csv
has out "only in a.csv: x', y'"
has out 'only in d.csv: E'

refuses 'the second result is missing' 'ritt compare A B' -- compare a.csv
refuses "two results are compared, but 'c' is a third" 'ritt compare A B' -- compare a b c
refuses "cannot open 'no.csv': No such file or directory" 'check the name and the folder' -- compare a.csv no.csv
refuses "--tol needs a positive number, not '0'" -- compare a b --tol 0
printf 's,x\n0,1\n' >s.csv
refuses "'a.csv' begins with 't', 's.csv' with 's'" 'the first column of both must be the same variable' -- compare a.csv s.csv

finish
