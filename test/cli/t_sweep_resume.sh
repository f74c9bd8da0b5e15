#!/bin/sh
# Sweeps that continue after a kill, and sweeps on several processes of MPI: the files have the bytes of a sweep that nothing
# disturbed, for any number of threads and processes, and nothing that was over is made again.
. "$2/test/cli/common.sh"
mpi=$(dirname "$ritt")/ritt-mpi

# 12 of the 60 runs have no start point: x = 1 is not on the circle of radius L
cat >driven.ritt <<'MODEL'
model driven
parameter w = 1, L = 1
variable x, y, lambda
equation
  x'' + lambda*x = 0
  y'' + lambda*y + 1 + sin(w*t) = 0
  x^2 + y^2 = L^2
start t = 0
  x = 1, y = 0, x' ~ 0, y' ~ 0
solve t = 0 .. 60
event low: x = 0 -> record
output x, y
MODEL
vary="--vary w=0.5:2:12 --vary L=[1,1,1,1,2]"

# the undisturbed sweep
call 1 sweep driven.ritt $vary -o whole.h5 --threads 2
call 1 sweep driven.ritt $vary -o whole/ --threads 1 --quiet
ok '12 runs fail' [ "$(wc -l <whole.failed.csv)" = 13 ]

# same_files NAME: the files of a sweep are those of the undisturbed one, and nothing else is left
same_files() {
  ok "$1: tables" cmp -s whole.final.csv "$1.final.csv"
  ok "$1: failures" cmp -s whole.failed.csv "$1.failed.csv"
  call 0 compare whole.h5:7 "$1.h5:7" --tol 1e-300
  call 0 convert whole.h5:56 -o a.csv
  call 0 convert "$1.h5:56" -o b.csv
  ok "$1: rows" cmp -s a.csv b.csv
  ok "$1: no other files" [ -z "$(ls "$1".h5.*log "$1".ck* 2>/dev/null)" ]
}

# ---- --checkpoint changes nothing
call 1 sweep driven.ritt $vary -o a.h5 --checkpoint a.ck --threads 2
same_files a

# wait_for FILE BYTES: waits until the file has more than these bytes
wait_for() { while [ "$(cat "$1" 2>/dev/null | wc -c)" -le "$2" ]; do sleep 0.01; done; }

# ---- killed, and resumed with another number of threads; records that were cut short do not count
"$ritt" sweep driven.ritt $vary -o b.h5 --checkpoint b.ck --threads 1 >out 2>err </dev/null &
pid=$!
wait_for b.ck.0 3000
kill -KILL $pid
wait $pid 2>/dev/null
records=$(wc -c <b.ck.0)
head -c $((records - 7)) b.ck.0 >cut && mv cut b.ck.0
call 1 resume b.ck
has err 'driven: 60 runs, 48 done, 12 failed'
ok 'some runs were there' grep -Eq 'resumed   [1-9][0-9]* runs were already done' err
same_files b

# in a folder
"$ritt" sweep driven.ritt $vary -o c/ --checkpoint c.ck --threads 2 >out 2>err </dev/null &
pid=$!
wait_for c.ck.0 3000
kill -KILL $pid
wait $pid 2>/dev/null
call 1 resume c.ck
ok 'the folders are the same' diff -r whole c
ok 'no journal' [ -z "$(ls c.ck* 2>/dev/null)" ]

# interrupted twice: what is there is in the files each time
"$ritt" sweep driven.ritt $vary --final d.csv --checkpoint d.ck --threads 1 >out 2>err </dev/null &
pid=$!
wait_for d.ck.0 1000
kill -TERM $pid
wait $pid
ok 'exit 1' [ $? = 1 ]
has err 'hint: continue with: ritt resume d.ck'
ok 'the first run is there' [ "$(sed -n 2p d.csv)" = "$(sed -n 2p whole.final.csv)" ]
call 1 resume d.ck --max-time 0.05
call 1 resume d.ck
ok 'final values' cmp -s d.csv whole.final.csv

# ---- refused
refuses 'a sweep that can be resumed writes its final values to a file' 'give --final FILE.csv' \
  -- sweep driven.ritt $vary --checkpoint e.ck
"$ritt" sweep driven.ritt $vary --final e.csv --checkpoint e.ck --threads 1 >out 2>err </dev/null &
pid=$!
wait_for e.ck.0 100
kill -KILL $pid
wait $pid 2>/dev/null
cp driven.ritt kept.ritt
echo '# changed' >>driven.ritt
refuses "'driven.ritt' has changed since the run was started" 'put it back as it was, or run the model again' -- resume e.ck
cp kept.ritt driven.ritt
call 1 resume e.ck --quiet
ok 'after all' cmp -s e.csv whole.final.csv

# ---- MPI
if [ -z "$sanitized" ] && [ -x "$mpi" ] && command -v mpirun >/dev/null; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_plm=isolated
  team() {
    ranks=$1
    shift
    mpirun -n "$ranks" "$mpi" "$@" >out 2>err </dev/null
  }
  team 4 sweep driven.ritt $vary -o m.h5 --checkpoint m.ck
  ok 'exit 1: runs failed' [ $? = 1 ]
  has err 'driven: 60 runs, 48 done, 12 failed'
  has err 'on 4 processes'
  same_files m
  team 3 sweep driven.ritt $vary -o n/ --checkpoint n.ck
  ok 'the folders are the same' diff -r whole n

  # a rank is killed: the job ends, and other numbers of ranks go on
  mpirun -n 3 "$mpi" sweep driven.ritt $vary -o k.h5 --checkpoint k.ck >out 2>err </dev/null &
  pid=$!
  wait_for k.ck.1 1500
  rank=$pid # the last one below mpirun
  while below=$(pgrep -P "$rank" | tail -n 1) && [ -n "$below" ]; do rank=$below; done
  ok 'a rank is killed' kill -KILL "$rank"
  wait $pid 2>/dev/null
  ok 'the job has ended' [ $? != 0 ]
  team 2 resume k.ck
  ok 'some runs were there' grep -Eq 'resumed   [1-9][0-9]* runs were already done' err
  same_files k

  # wrong calls are refused once
  team 3 sweep driven.ritt $vary --checkpoint w.ck
  ok 'one message' [ "$(grep -c 'a sweep that can be resumed writes' err)" = 1 ]
  team 3 run driven.ritt
  ok 'the usage once' [ "$(grep -c 'usage:' err)" = 1 ]
fi
finish
