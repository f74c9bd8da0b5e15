#!/bin/sh
# ritt run as a user runs it: tables, plots, summary, JSON, early stops, and disks and pipes that fail.
. "$2/test/cli/common.sh"

# first_of FILE, last_of FILE: the first column of the first, the last row
first_of() { sed -n '2s/,.*//p' "$1"; }
last_of() { sed -n '$s/,.*//p' "$1"; }
# whole FILE: every line has as many commas as the first, and the last one ends
whole() { awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || NR < 2 }' "$1" && [ -z "$(tail -c 1 "$1")" ]; }

# ---- tables
call 0 run "$pendulum" --to 2 -o a.csv
same out
ok 'names' [ "$(head -1 a.csv)" = t,x,y,lambda,E ]
ok 'first row is the start' [ "$(sed -n 2p a.csv)" = 0,1,0,0,0 ]
ok 'last row is the end' [ "$(last_of a.csv)" = 2 ]
ok 'whole lines' whole a.csv
for word in 'pendulum: holonomic, free initial values: 2, hidden constraints: 2' '  method    dopri54, ' \
  ' steps accepted, ' ' evaluations, ' ' Newton iterations' '  residual  ' '  time      ' \
  "  wrote     a.csv ($(($(wc -l <a.csv) - 1)) rows)"; do has err "$word"; done

call 0 run "$pendulum" --to=2 --points 11 -o b.csv
ok '11 rows' [ "$(wc -l <b.csv)" = 12 ]
ok 'the same start' [ "$(first_of b.csv)" = 0 ]
ok 'the same end' [ "$(last_of b.csv)" = 2 ]
ok 'the end is the same point' [ "$(tail -1 a.csv)" = "$(tail -1 b.csv)" ]
call 0 run "$pendulum" --to 2 --step 0.25 -o c.csv
ok '9 rows' [ "$(wc -l <c.csv)" = 10 ]
ok 'rows a quarter apart' [ "$(cut -d, -f1 c.csv | tr '\n' ' ')" = 't 0 0.25 0.5 0.75 1 1.25 1.5 1.75 2 ' ]
call 0 run "$pendulum" --to 2 --step 0.6 -o d.csv
ok 'the end is a row' [ "$(last_of d.csv)" = 2 ]

# stdout, stdin, quiet; the summary is not in the table
call 0 run "$pendulum" --to 2 --quiet -o -
same err
ok '-o - gives the same table' cmp -s out a.csv
"$ritt" run - --to 2 --quiet -o e.csv <"$pendulum"
ok 'the model from stdin' cmp -s e.csv a.csv
call 0 run "$pendulum" --to 2 --quiet
same out
same err

# ---- options reach the run
call 0 run "$pendulum" --to 1 --method rk4 --constant-step 0.1 --points 2 -o -
has err '  method    rk4, 10 steps accepted, 0 rejected'
for option in '--project stages' '--project end' '--projection gauss' '--projection sequential' '--metric weighted' \
  '--metric euclidean' '--method dop853' '--tol 1e-11'; do call 0 run "$pendulum" --to 1 --quiet $option; done
call 0 run "$pendulum" --to 2 --quiet --set g=2 --set L=1/1 -o g.csv
ok '--set changes the result' sh -c '! cmp -s a.csv g.csv'
call 2 run "$pendulum" --set gg=2 -o never.csv
has err "'gg'"
call 2 run "$pendulum" --method dopri45 -o never.csv
has err "ritt: error: there is no method 'dopri45'"
ok 'no table for a wrong call' [ ! -e never.csv ]

# a wrong model leaves an old table alone
cp a.csv old.csv
printf 'model m\nvariable x\nequation x'\'' = z\nstart x = 1\nsolve t = 0 .. 1\n' >wrong.ritt
call 2 run wrong.ritt -o old.csv
has err 'wrong.ritt:3:15: error: '
has err '  equation x'\'' = z'
has err '                ^'
ok 'the old table is left' cmp -s a.csv old.csv
call 2 run no_such_file.ritt
has err "no_such_file.ritt"

# ---- early stops: exit 1, the rows so far, how far it came
call 1 run "$pendulum" --max-steps 5 -o stopped.csv
has err 'ritt: error: '
has err '  stopped   at t = '
has err ' of 50'
has err '  wrote     stopped.csv (6 rows)'
ok '6 rows' [ "$(wc -l <stopped.csv)" = 7 ]
printf 'model m\nvariable x\nequation x'\'' = x^2\nstart x = 1\nsolve t = 0 .. 2\n' >pole.ritt
call 1 run pole.ritt -o pole.csv
has err '  stopped   at t = 1 of 2'
ok 'whole lines up to the pole' whole pole.csv
call 1 run pole.ritt --json
has out '"status": "stopped"'
json out

# a run that is ended from outside keeps its rows
"$ritt" run "$pendulum" --to 1e9 -o ended.csv 2>err &
process=$!
while [ ! -e ended.csv ] && kill -0 $process 2>/dev/null; do :; done
kill -TERM $process
wait $process
ok 'ended: exit 1' [ $? = 1 ]
has err 'ritt: error: the run was interrupted'
has err "  hint: run it with --checkpoint CK, and 'ritt resume CK' goes on"
has err ' of 1e+09'
ok 'whole lines up to there' whole ended.csv

# ---- JSON
call 0 run "$pendulum" --to 2 --json -o j.csv
has out '"last_row": {"t": 2, "x": '
same err
json out
for key in model status reason hint verdict moved dependent_equations non_unique notes event_counts kind method free_initial_values hidden_constraints accepted rejected \
  evaluations projections newton_iterations rows largest_residual x end seconds; do has out "\"$key\": "; done
for pair in '"model": "pendulum"' '"status": "ok"' '"reason": null' '"verdict": "determined"' '"kind": "holonomic"' \
  '"free_initial_values": 2' '"hidden_constraints": 2' "\"rows\": $(($(wc -l <j.csv) - 1))" '"x": 2' '"end": 2'; do
  has out "$pair"
done
call 2 run wrong.ritt --json
json out
has out '"status": "wrong_model"'
has out '"verdict": null'

# ---- disks and pipes that fail
if [ -w /dev/full ]; then
  call 3 run "$pendulum" --to 2 -o /dev/full
  has err "ritt: error: cannot write '/dev/full': no space left on device"
  "$ritt" run "$pendulum" --to 2 -o - >/dev/full 2>err
  ok 'stdout is full: exit 3' [ $? = 3 ]
  has err 'ritt: error: cannot write to stdout: no space left on device'
  "$ritt" methods >/dev/full 2>err
  ok 'methods, stdout is full: exit 3' [ $? = 3 ]
  has err 'ritt: error: cannot write to stdout: '
fi
"$ritt" run "$pendulum" --to 2 -o - 2>err >&-
ok 'stdout is closed: exit 3' [ $? = 3 ]
has err 'ritt: error: cannot write to stdout: '
call 3 run "$pendulum" --to 2 -o no/such/folder/a.csv
has err "ritt: error: cannot write 'no/such/folder/a.csv': no such file or directory"
# much more than a pipe holds, and a reader that takes one line
{ "$ritt" run "$pendulum" --to 2 --points 50000 -o - 2>err; echo $? >code; } | head -1 >first
ok 'the reader got its line' [ "$(cat first)" = t,x,y,lambda,E ]
ok 'closed pipe: exit 3' [ "$(cat code)" = 3 ]
has err 'ritt: error: cannot write to stdout: broken pipe'

# ---- plots
PATH=/nowhere "$ritt" run "$pendulum" --to 2 -o p.csv --plot p.svg 2>err
ok 'no gnuplot: exit 3' [ $? = 3 ]
has err 'ritt: error: gnuplot is not installed, so no plot was drawn'
ok 'the table is there all the same' cmp -s p.csv a.csv
has err '  wrote     p.csv '
if command -v gnuplot >/dev/null 2>&1; then
  for ending in svg png pdf; do
    call 0 run "$pendulum" --to 2 --plot p.$ending
    has err "  wrote     p.$ending"
    ok "p.$ending is there" [ -s p.$ending ]
  done
  ok 'svg' grep -q '<svg' p.svg
  call 1 run pole.ritt -o pole.csv --plot pole.svg
  ok 'a plot of the rows there are' grep -q '<svg' pole.svg
fi

# a run that writes no file shows its last row: x = 2*exp(-t) at t = 1
cat >decay.ritt <<'END'
model decay
variable x
equation x' = -x
start t = 0
  x = 2
solve t = 0 .. 1
END
call 0 run decay.ritt --tol 1e-10
has err '  end       t = 1, x = 0.73575888'
has err '  wrote     nothing; -o decay.csv writes the rows, --plot decay.svg draws them'
call 0 run decay.ritt -o decay.csv
ok 'no last row beside a table' sh -c '! grep -q "^  end " err'

finish
