#!/bin/sh
# Sweeps on a GPU, which is emulated (test/device/emulated_gpu.c): the bytes are those of the interpreter. Messages without a GPU.
. "$2/test/cli/common.sh"
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
cc -O1 -fPIC -shared -o libcuda.so.1 "$source/test/device/emulated_gpu.c" -ldl && cp libcuda.so.1 libnvrtc.so.13
echo 'int one;' | c++ -x c++ -std=c++20 -c -o /dev/null - 2>/dev/null || { echo 'skipped: no C++ compiler'; finish; }

# on: the program with the emulated GPU
on() { LD_LIBRARY_PATH=$PWD "$@"; }

# compare NAME ARGUMENTS: the GPU takes most steps, and the bytes are those of the interpreter alone
compare() {
  name=$1
  shift
  RITT_NATIVE=never "$ritt" sweep "$@" --lanes never --threads 1 -o expected.h5 --quiet 2>err
  on "$ritt" sweep "$@" --device cuda --threads 2 -o got.h5 2>err
  ok "$name: rows" cmp -s expected.h5 got.h5
  ok "$name: table" cmp -s expected.final.csv got.final.csv
  share=$(sed -n 's/^  device *\([0-9]*\) % of .* on emulated GPU 0$/\1/p' err)
  ok "$name: $share % of the steps on the device" [ "${share:-0}" -gt "$least" ]
  rm -f got.* expected.*
}

cat >stars.ritt <<'MODEL'
model stars
parameter a = 1
variable x, y
equation
  x'' = -x - 2*a*x*y
  y'' = -y - a*x^2 + y^2
start t = 0
  x = 0.1, y = 0
  x' = 0.3, y' = 0.4
solve t = 0 .. 20
  method dopri54
MODEL
cat >spring.ritt <<'MODEL'
model spring "a rod on a slider, with a spring"
parameter k = 3, L = 1
variable x, y, u, f
equation
  x'' = f*(x - u)
  y'' = f*y - 1
  2*u'' = -f*(x - u) - k*u
  (x - u)^2 + y^2 = L^2
start t = 0
  u = 0.2, x = 0.8, y ~ -0.8
  u' = 0.1, x' ~ 0, y' ~ 0
solve t = 0 .. 8
  method dopri54
  tolerance 1e-8
MODEL
least=80
compare stars stars.ritt --vary a=0.9:1.1:70 --points 3
compare 'pendulums, ends' "$pendulum" --vary g=1:2:20 --to 10 --points 2 --project end
compare 'pendulums, stages' "$pendulum" --vary g=1:2:20 --to 10 --points 2 --project stages
compare 'pendulums, positions first' "$pendulum" --vary g=1:2:20 --to 10 --points 2 --projection sequential
compare 'a four-bar linkage' "$source/models/papers/fourbar.ritt" --vary T=0.7:0.9:12 --points 2
compare 'a rod on a slider' spring.ritt --vary k=2:4:12 --points 2
compare 'a rod on a slider, to the left' spring.ritt --vary k=2:4:12 --points 2 --to -4

# another problem in some runs: the processor and the GPU share the work
cat >ball.ritt <<'MODEL'
model ball
parameter e = 0.8
variable h
equation h'' = -1
start t = 0
  h = 1, h' = 0
event bounce: h = 0 falling -> h' := -e*h'
solve t = 0 .. 5
MODEL
least=-1
compare 'events' ball.ritt --vary e=0.5:0.9:10 --points 20

# fast: other bits, within the tolerance
on "$ritt" sweep stars.ritt --vary a=0.9:1.1:9 --final strict.csv --device cuda --quiet 2>err
on "$ritt" sweep stars.ritt --vary a=0.9:1.1:9 --final fast.csv --device cuda:0 --arithmetic fast --quiet 2>err
ok 'fast is near' awk -F, 'FNR == NR { for (i = 2; i <= NF; i++) at[FNR, i] = $i; next }
  FNR > 4 { for (i = 2; i <= NF; i++) { d = $i - at[FNR, i]; if (d > 1e-6 || d < -1e-6) bad = 1 } rows++ }
  END { exit bad || rows < 5 }' strict.csv fast.csv

# refusals
expect() { # expect TEXT ARGUMENTS
  text=$1
  shift
  on "$ritt" sweep stars.ritt --vary a=0.9:1.1:3 "$@" >out 2>err
  ok "$text" [ "$(head -1 err)" = "ritt: error: $text" ]
}
expect "there is no GPU 3: the last one is 0" --device cuda:3
expect "'gpu' is not a device" --device gpu
expect "--arithmetic is for a GPU only" --arithmetic fast
RITT_TEST_GPU=none
export RITT_TEST_GPU
expect "there is no GPU here that CUDA can use" --device cuda

finish
