#!/bin/sh
# Runs that are killed at random moments (kill -9, now and then Ctrl-C) and resumed until they are done: all files have
# the same bytes as those of a run that nobody disturbed, and the summary is the same apart from times. RITT_KILLS: how
# many kills must hit (50).
. "$2/test/cli/common.sh"
# a signal that comes while the search for leaks stops the threads can make it wait forever
if [ "$sanitized" ]; then export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"; fi
kills=${RITT_KILLS:-50}
cases=14
seed=20260101
command -v timeout >/dev/null 2>&1 || { echo 'no timeout: not tested'; exit 0; }
plot=
command -v gnuplot >/dev/null 2>&1 && plot='--plot a.svg'

# random N: the next number below N in $random
random() {
  seed=$(((seed * 1103515245 + 12345) & 2147483647))
  random=$((seed / 65536 % $1))
}

milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# what must be equal: every file but the checkpoint, and the summary without times
settle() { sed -e '/^  time  /d' "$1" >summary; }

same_files() {
  for file in ../whole/*; do
    name=${file##*/}
    if cmp -s "$file" "$name"; then pass; else fail "$what: $name differs after kills"; fi
  done
  ok "$what: other files are left: $(ls)" [ "$(ls | grep -v '^ck$' | grep -v '^err$')" = "$(ls ../whole)" ]
}

# attempt DELAY SIGNAL ARGUMENT...: runs the program, which gets the signal after this many ms; its exit code in $got
attempt() {
  delay=$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000))) signal=$2
  shift 2
  timeout -s "$signal" --preserve-status "$delay" "$ritt" "$@" <"$input" >/dev/null 2>err
  got=$?
}

# disturb CODE ARGUMENT...: the call of `ritt run` ends with CODE, with the same files however often it is killed
disturb() {
  code=$1 what="ritt run $2 $3 $4 $5 $6"
  shift
  rm -rf whole killed && mkdir whole killed && cd whole || exit 1
  "$ritt" run "$@" <"$input" >/dev/null 2>err
  ok "$what: the whole run: $(cat err)" [ $? = "$code" ]
  settle err && rm err
  cd ../killed || exit 1
  # how long it takes with checkpoints, which change nothing
  began=$(milliseconds)
  "$ritt" run "$@" --checkpoint ck --checkpoint-every $every <"$input" >/dev/null 2>err
  settle err
  duration=$(($(milliseconds) - began + 1))
  same_files
  hit=0 rounds=0
  while [ $hit -lt $quota ] && [ $rounds -lt 60 ]; do
    rounds=$((rounds + 1))
    rm -f ./*
    tries=0
    while :; do
      tries=$((tries + 1)) signal=KILL
      random 5
      [ $random = 0 ] && signal=INT
      random $((duration * (tries + 4) / 4))
      # before its first checkpoint a run must be started again
      if [ -e ck ]; then attempt $((random + 1)) $signal resume ck
      else attempt $((random + 1)) $signal run "$@" --checkpoint ck --checkpoint-every $every; fi
      case $got in
      137) hit=$((hit + 1)) ;;
      130) ;; # before it listens
      *) grep -q 'continue with: ritt resume ck' err || break ;; # interrupted, or its gnuplot was
      esac
      [ $tries -lt 200 ] || break
    done
    ok "$what: exit $got after $tries attempts: $(cat err)" [ "$got" = "$code" ]
    settle err
    same_files
  done
  ok "$what: hit $hit times" [ $hit -ge $quota ]
  total=$((total + hit))
  cd ..
}

quota=$(((kills + cases - 1) / cases))
total=0
input=/dev/null
every=0.01
classics=$source/models/classics papers=$source/models/papers

disturb 0 "$classics/van_der_pol.ritt" -o a.csv -o a.h5 -o a.npz -o a.jsonl
disturb 0 "$pendulum" --to 20 --points 500 -o a.h5 -o a.csv $plot
disturb 0 "$classics/bouncing_ball.ritt" -o a.csv -o a.h5 -o a.npz -o a.jsonl $plot
disturb 0 "$papers/henon_heiles_section.ritt" --to 60 -o a.npz -o a.h5
disturb 0 "$classics/stick_slip.ritt" -o a.jsonl -o a.h5 --step 0.05
disturb 0 "$papers/asymptotic_curves.ritt" -o a.csv -o a.npz
disturb 0 "$classics/kepler.ritt" --to 10 --constant-step 0.05 --every 3 -o a.csv -o a.h5
disturb 0 "$classics/robertson.ritt" --method radau5 --to 100 -o a.csv -o a.npz
disturb 0 "$classics/bouncing_ball.ritt" --precision quad -o a.csv -o a.h5
disturb 0 "$classics/bouncing_ball.ritt" --method taylor:12 --points 300 -o a.jsonl -o a.h5
disturb 0 "$classics/double_pendulum.ritt" --to 4 --control pi --method dop853 --step 0.1 -o a.csv $plot

# a fold stops the run; rows at values; the model comes from stdin
cat >fold.ritt <<'MODEL'
model fold
variable y
equation y*y' = -1
start y = 1
solve t = 0 .. 2
MODEL
every=0 # kills while checkpoints are written
disturb 1 ../fold.ritt -o a.csv -o a.h5 --tol 1e-10
every=0.01
seq 0.005 0.005 9.5 >at
disturb 0 "$classics/slider_crank.ritt" --at ../at --to 9.5 -o a.csv -o a.h5
cat >again.ritt <<'MODEL'
model again
variable p, q, b
let P = 2*cos(2*b - 0.6), Q = -sin(b - 0.3)
equation
  b' = 1
  cos(b)*p' + sin(b)*q' = cos(b)*P + sin(b)*Q
  cos(b)*q' - sin(b)*p' = cos(b)*Q - sin(b)*P
  cos(b)*(p' - P) - sin(b)*(q' - Q) + p - sin(2*b - 0.6) = 0
start b = 0.3, p ~ 0.1, q = 1
solve t = 0 .. 10
invariant b - t
MODEL
input=$PWD/again.ritt
disturb 0 - -o a.csv -o a.jsonl --tol 1e-10

echo "$total kills"
ok "$kills kills" [ $total -ge "$kills" ]
finish
