#!/bin/sh
# Steps of several runs of a sweep at once: the bytes of all files are those of runs alone by the interpreter, whatever the threads, the
# number of runs, and what happens to others: runs that cannot start, stop early, end in an event, are longer or of another form.
. "$2/test/cli/common.sh"
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME

# compare NAME MODEL OPTIONS: against the interpreter alone; used=1: steps in lanes are expected
compare() {
  name=$1 model=$2
  shift 2
  RITT_NATIVE=never "$ritt" sweep $model "$@" --lanes never --threads 1 -o expected.h5 --quiet 2>err </dev/null
  code=$?
  for n in 1 2 3; do
    RITT_NATIVE=always call $code sweep $model "$@" --threads $n -o got.h5
    cp err err.$n
    ok "$name: rows, $n threads" cmp -s expected.h5 got.h5
    ok "$name: table, $n threads" cmp -s expected.final.csv got.final.csv
    ok "$name: failures, $n threads" [ "$(cat expected.failed.csv 2>&1)" = "$(cat got.failed.csv 2>&1)" -o ! -e expected.failed.csv ]
    rm -f got.*
  done
  RITT_NATIVE=always call $code sweep $model "$@" --lanes never --threads 2 -o got.h5
  ok "$name: no lanes" sh -c '! grep -q "^  lanes" err'
  ok "$name: rows without lanes" cmp -s expected.h5 got.h5
  if grep -q 'no C compiler' err.1; then echo "skipped: no compiler"
  elif [ $used = 1 ]; then
    ok "$name: steps in lanes" grep -q '^  lanes     [1-9][0-9]* % of' err.1
  fi
  rm -f got.* expected.*
}

cat >stars.ritt <<'MODEL'
model stars
parameter a = 1
variable x, y
equation
  x'' = -x - 2*a*x*y
  y'' = -y - a*x^2 + y^2
invariant (x'^2 + y'^2)/2 + (x^2 + y^2)/2 + a*x^2*y - y^3/3
start t = 0
  x = 0.1, y = 0
  x' = 0.3, y' = 0.4
solve t = 0 .. 20
  method dopri54
  tolerance 1e-8
  project stages
MODEL
used=1
for runs in 1 7 8 9 23; do
  [ $runs = 1 ] && used=0 || used=1
  compare "$runs stars" stars.ritt --vary 'x=uniform(0, 0.2)' --vary 'a=uniform(0.9, 1.1)' --runs $runs --points 40
done
used=1
# rows are few, then many; both directions; another method
compare 'to the left' stars.ritt --vary 'x=uniform(0, 0.2)' --runs 10 --to -15 --points 2
compare 'dop853' stars.ritt --vary 'x=uniform(0, 0.2)' --runs 12 --points 7 --method dop853 --project end
# some runs cannot start: both coordinates of the pendulum are kept
compare 'pendulums' "$pendulum" --vary g=1:3:8 --vary 'L=[1, 1.5, 1]' --to 10 --points 30 --project stages
compare 'pendulums, positions first' "$pendulum" --vary g=1:3:20 --to 10 --points 30 --project stages --projection sequential
# x' = a x^2 + ... leaves to infinity at about t = 1/(a x): runs stop early, each elsewhere, and others go on
cat >blow.ritt <<'MODEL'
model blow
parameter a = 1
variable x
equation x' = a*x^2 - x*sin(t)/8
start t = 0
  x = 0.1
solve t = 0 .. 5
  tolerance 1e-8
MODEL
compare 'runs that stop' blow.ritt --vary 'a=[1, 2, 4, 0.5, 8, 0.1, 16, 3, 1.5, 20, 0.2]' --points 100
# the frequency sets the length: very different numbers of steps
cat >fast.ritt <<'MODEL'
model fast
parameter w = 1
variable x, y
equation
  x' = w*y
  y' = -w*x
start t = 0
  x = 1, y = 0
solve t = 0 .. 10
MODEL
compare 'lengths' fast.ritt --vary 'w=[1, 100, 3, 0.1, 30, 1, 2, 3, 4, 5, 6, 50, 0.5]' --points 11
# events: those runs take their steps alone
cat >ball.ritt <<'MODEL'
model ball
parameter e = 0.8
variable h
equation h'' = -1
start t = 0
  h = 1, h' = 0
event bounce: h = 0 falling -> h' := -e*h', record
event late: t - 4*e = 0 -> stop
solve t = 0 .. 5
MODEL
used=0
compare 'events' ball.ritt --vary e=0.5:0.9:10 --points 20
# the form of the system depends on the parameter: runs of several problems side by side
cat >form.ritt <<'MODEL'
model form
parameter n = 1
variable u[1..n]
equation
  for i in 1..n: u[i]' = -i*u[i]^2
start t = 0
  for i in 1..n: u[i] = 1
solve t = 0 .. 3
MODEL
used=1
compare 'forms' form.ritt --vary 'n=[1, 2, 1, 2, 1, 3, 2, 1, 1, 2, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1]' --points 20
# code that comes while runs go on
used=0
"$ritt" sweep stars.ritt --vary 'x=uniform(0, 0.2)' --runs 12 --to 4000 --points 3 --native never --final expected.csv --quiet
XDG_CACHE_HOME=$PWD/other "$ritt" sweep stars.ritt --vary 'x=uniform(0, 0.2)' --runs 12 --to 4000 --points 3 --threads 2 --final got.csv --quiet
ok 'in the background' cmp -s expected.csv got.csv

finish
