#!/bin/sh
# Events as a user sees them: files of points, the summary, exit codes. $1 = the program, $2 = the sources.
program=$(realpath "$1")
models=$(realpath "$2")/models
fail=0
check() { # check WHAT CONDITION...
  what=$1
  shift
  "$@" || { echo "failed: $what"; fail=1; }
}

# the bounces go to a file of their own: two rows each, t_0 = sqrt(2/g) = 0.451523640985731, e = 0.9
"$program" run "$models/classics/bouncing_ball.ritt" -o ball.csv 2> said || { echo "failed: ball"; fail=1; }
check "the file of the bounces" [ -f ball.bounce.csv ]
awk -F, 'NR == 2 { t = $1; v = $3 } NR == 3 { exit !($1 == t && (t - 0.451523640985731)^2 < 1e-24 && ($3 + 0.9*v)^2 < 1e-24) }' \
  ball.bounce.csv
check "the first bounce" [ $? = 0 ]
check "the summary names the event" grep -q 'events    bounce [0-9]* times (ball.bounce.csv)' said

# the same points for tables of all formats: beside them, or in the HDF5 file
"$program" run "$models/classics/bouncing_ball.ritt" -o all.csv -o all.npz -o all.jsonl -o all.h5 2> said || { echo "failed: all"; fail=1; }
check "the summary names all places" grep -q '(all.bounce.csv, all.bounce.npz, all.bounce.jsonl, all.h5:bounce)' said
for points in all.bounce.csv all.bounce.npz all.bounce.jsonl all.h5:bounce all.h5:1:bounce; do
  "$program" convert $points -o again.csv
  check "the points in $points" cmp -s again.csv ball.bounce.csv
done
"$program" convert all.h5 -o again.csv
check "the rows in the HDF5 file" cmp -s again.csv ball.csv
check "no logs are left" [ "$(echo all.*)" = 'all.bounce.csv all.bounce.jsonl all.bounce.npz all.csv all.h5 all.jsonl all.npz' ]
"$program" convert all.h5:ground -o again.csv 2> said
check "no such event" [ $? = 2 ]
check "and said" grep -qx "ritt: error: cannot read 'all.h5:ground': it contains no points of an event 'ground'" said
"$program" sweep "$models/classics/bouncing_ball.ritt" --vary 'e=[0.9, 0.95]' --quiet -o sweep.h5
"$program" convert sweep.h5:1:bounce -o again.csv
check "the points of a run of a sweep" cmp -s again.csv ball.bounce.csv
rm -rf folder
"$program" sweep "$models/classics/bouncing_ball.ritt" --vary 'e=[0.9, 0.95]' --quiet -o folder/
check "the same in a folder" cmp -s folder/run_1.bounce.csv ball.bounce.csv

# stop: exit code 0, and said
cat > stop.ritt <<'MODEL'
model stop
variable y
equation y'' = -2
start t = 0
  y = 4, y' = 0
solve t = 0 .. 10
event ground: y = 0 falling -> stop
MODEL
"$program" run stop.ritt -o - > rows 2> said
check "stop is no failure" [ $? = 0 ]
check "what ended the run" grep -q 'ended     by event ground at t = 2$' said
check "the last row is the event" awk -F, 'END { exit !(($1 - 2)^2 < 1e-28 && $2^2 < 1e-24) }' rows
check "no file of points for stdout" [ ! -f -.ground.csv ]
"$program" run stop.ritt --points 5 --quiet -o points.csv
check "rows that are requested elsewhere, and the end" awk -F, 'NR == 2 && $1 != 0 { exit 1 }
  END { exit !(NR == 3 && ($1 - 2)^2 < 1e-28 && $2^2 < 1e-24) }' points.csv
"$program" run stop.ritt --json > said.json 2> /dev/null
check "JSON" grep -q '"ended_by": "ground"' said.json

# accumulation: the ball lies still from the limit sqrt(2/g) (1 + e)/(1 - e) = 8.57894917873 on
"$program" run "$models/classics/bouncing_ball.ritt" --to 9 -o zeno.csv 2> said
check "a ball comes to rest" [ $? = 0 ]
check "the limit is reported" grep -q 'rests     at the zero of event bounce from t = 8.57894917[0-9]* on$' said
check "it lies still" awk -F, 'END { exit !($1 == 9 && $2^2 < 1e-20) }' zeno.csv
check "rows are kept" [ "$(wc -l < zeno.csv)" -gt 300 ]

# sliding is reported
"$program" run "$models/classics/stick_slip.ritt" -o slip.csv 2> said || { echo "failed: slip"; fail=1; }
check "sliding is reported" grep -q 'began to slide [1-9]' said
# the points of an event do not go into another table
"$program" run "$models/classics/bouncing_ball.ritt" -o a.csv -o a.bounce.csv > /dev/null 2> said
check "one name for two files" [ $? = 2 ]
check "the name is reported" grep -q "'a.bounce.csv' would be both a table and the points of the event 'bounce'" said
exit $fail
