#!/bin/sh
# `ritt emit c`: the emitted file compiles without warnings and gives every row with the same bits as `ritt run`; other
# values of parameters; what cannot be emitted. t_pages.sh runs the example of docs/emit.md.
. "$2/test/cli/common.sh"
strict='-Wall -Wextra -Wpedantic -Werror'
compilers=
for c in gcc clang; do if command -v $c >/dev/null 2>&1; then compilers="$compilers $c"; fi; done
[ -n "$compilers" ] || compilers=cc

# build COMPILER NAME FLAG...: NAME.c with the driver as ./rows
build() {
  compiler=$1 name=$2
  shift 2
  ok "$compiler $* $name.c: $(head -3 log 2>/dev/null)" $compiler $strict "$@" -I. -DMODEL="$name" -DSOURCE="$name.c" \
    "$source/test/emit/rows.c" -lm -o rows
}
# alike NAME: ./rows writes the table of `ritt run`
alike() {
  ./rows >rows.csv 2>rows.err
  got=$?
  ok "$1: exit $got, ritt run $code" [ "$got" = "$code" ]
  ok "$1: a row differs: $(cmp rows.csv run.csv 2>&1)" cmp -s rows.csv run.csv
}
# compare FILE NAME CODE OPTION...: the same rows from the program and from the emitted file, with `builds`: compilers
# and their flags, separated by commas
compare() {
  file=$1 name=$2 wanted=$3
  shift 3
  call "$wanted" run "$file" --quiet -o run.csv "$@"
  cp err run.err
  call 0 emit c "$file" -o "$name.c" "$@"
  same out
  same err
  code=$wanted
  old_ifs=$IFS
  IFS=,
  for b in $builds; do
    IFS=' '
    build ${b%% *} "$name" ${b#* }
    alike "$b: $name $*"
  done
  IFS=$old_ifs
}

models=$source/models
# Optimising takes compilers long: RITT_EMIT_ALL=1 does it for every model (./do check-all), else for some. gcc may fuse
# products and sums where the machine can and it is not told otherwise.
case $compilers in
*gcc*clang*) quick="gcc -O0,clang -O0" fast="gcc -O0" good="gcc -O2 -march=native" best="clang -O2" ;;
*) c=${compilers# } && quick="$c -O0" fast="$c -O0" good="$c -O2" best="$c -O2" ;;
esac
if [ -n "${RITT_EMIT_ALL:-}" ]; then good="$good,${c:-gcc} -O2,$best" && quick=$good best=$good; fi
builds=$good
compare "$models/papers/fourbar.ritt" fourbar 0
builds=$best
compare "$models/papers/rigid_body_general.ritt" rigid_body_general 0
builds=$quick
compare "$pendulum" pendulum 0
compare "$models/parts/ring.ritt" ring 0 # from parts
compare "$models/papers/henon_heiles.ritt" henon_heiles 0 --to 20
compare "$models/classics/lorenz.ritt" lorenz 0 --to 10                               # explicit
compare "$models/papers/sphere.ritt" sphere 0                                         # over arc length
compare "$source/test/corpus/double_parallelogram.ritt" double_parallelogram 0 --to 1 # redundant constraints
builds=$fast
compare "$source/test/corpus/osc_redundant.ritt" osc_redundant 0 --to 1
compare "$models/papers/pendulum_energy.ritt" pendulum_energy 0 # an invariant that takes its value from the start
compare "$models/classics/bouncing_ball.ritt" bouncing_ball 0 # jumps
cat >functions.ritt <<'END'
model functions
variable x, y, z
equation
  x' = erf(t)*cbrt(y - 2) + erfc(x)*log2(2 + t)
  y' = floor(2*t) - ceil(x) + round(t)/2 - log10(1 + y^2)
  z' = hypot(x, y) - atan2(y, 1 + z^2)
start x = 0.1, y = 0.3, z = 0
solve t = 0 .. 2
END
compare functions.ritt functions 0 # every function that is not in the models
compare "$models/classics/stick_slip.ritt" stick_slip 0       # slides on a switching surface
compare "$models/ivp/chemical_akzo.ritt" chemical_akzo 0 --tol 1e-6    # an implicit method
# the implicit kind, with stages of states and other unknowns together
compare "$models/users/circuits/voltage_multiplier_12.ritt" voltage_multiplier_12 0 --to 3e-4
compare "$pendulum" pendulum 0 --points 41 --tol 1e-6 --method dop853 --to 10
compare "$pendulum" pendulum 0 --step 0.3 --project stages --metric weighted --to 5 --projection newton
compare "$pendulum" pendulum 0 --constant-step 0.01 --method rk4 --to 3 --direction svd --projection chord --predictor on

# many equations of one shape: kernels
cat >many.ritt <<'END'
model many
parameter n = 300
variable x[1..n], y[1..n]
equation
  for i in 1..n: x[i]' = sin(y[i]) - 2*x[i]
  for i in 1..n: y[i]' = x[i]*y[i]/7
start
  for i in 1..n: x[i] = i/n
  for i in 1..n: y[i] = 1
solve t = 0 .. 1
END
compare many.ritt many 0
ok 'kernels' grep -q model_formula_kernel_0 many.c

# every operation is that of the interpreter; the title cannot end its comment
cat >words.ritt <<'END'
model words "ends here: */ and \ ??/ not"
parameter a = 0.3, b = 7
variable x, y, z
equation
  x' = sin(y)*cos(y) - tan(z/9) + exp(-x^2) - log(2 + x^2)
  y' = atan2(x, 2 + y^2) + sinh(a*x)/cosh(x) - tanh(y)^3 + x^b/(1 + x^8) - (x^2 + 1)^(-1.7)
  z' = asin(a*sin(x)) - acos(a*cos(x)) + atan(x) + sqrt(1 + y^2) + (2 + x^2)^1.5 - max(x, y - 90) + min(x, z + 90)
start t = 0
  x = 0.5, y = 1, z = 0
solve t = 0 .. 3
output x, y, z, abs(x), s = sign(z + 1/3)
END
compare words.ritt words 0

# 500 coordinates and more: what occurs often is a loop
cat >lattice.ritt <<'END'
model lattice
parameter n = 300
variable u[1..n], w[1..n]
equation
  for i in 1..n: u[i]' = w[i]
  w[1]' = u[2] - 2*u[1] - sin(u[1])^3
  for i in 2..n-1: w[i]' = u[i+1] - 2*u[i] + u[i-1] - (1 + u[i]^2)^1.7*cos(u[i+1] - u[i-1])
  w[n]' = u[n-1] - 2*u[n]
start t = 0
  for i in 1..n: u[i] = i/n, w[i] = 0
solve t = 0 .. 1
output u[1], u[150], w[299]
END
compare lattice.ritt lattice 0
ok "lattice: a kernel" grep -q _kernel_ lattice.c

# a function from a table
awk 'BEGIN { for (i = 0; i <= 20; i++) printf "%.17g;%.17g\n", i*i/40, (i*7919 % 13) - 6 }' >knots.csv
cat >driven.ritt <<'END'
model driven
variable x, y
function V = table "knots.csv" column 1 -> 2
equation
  x' = V(t)
  y' = sin(V(t)*x)
start x = 0, y = 0
solve t = 0 .. 10
END
compare driven.ritt driven 0

# a run that stops, with the same rows and the same reason
cat >blow.ritt <<'END'
model blow
variable y
equation y' = y^2
start t = 0
  y = 1
solve t = 0 .. 2
END
compare blow.ritt blow 1
ok "blow: the reason" grep -qF "$(sed -n 's/^ritt: error: //p' run.err | head -1)" rows.err
# an event that ends the run: that is no failure, and is reported
cat >landing.ritt <<'END'
model landing
variable y
equation y'' = -1
start t = 0
  y = 2, y' = 0
event ground: y = 0 falling -> stop
solve t = 0 .. 5
output y, y'
END
compare landing.ritt landing 0
ok "landing: the event" grep -qx "the event 'ground' has ended the run" rows.err
ok "landing: at t = 2, y' = -2" awk -F, 'END { exit !($1 - 2 < 1e-9 && 2 - $1 < 1e-9 && $3 + 2 < 1e-9 && -2 - $3 < 1e-9) }' rows.csv
cat >fold.ritt <<'END'
model fold
variable x
equation x^2 + t = 1
start t = 0
  x ~ 1
solve t = 0 .. 2
END
compare fold.ritt fold 1 --kind general
ok "fold: the reason" grep -qF "$(sed -n 's/^ritt: error: //p' run.err | head -1)" rows.err

# other values of parameters: those of --set; the start of these models does not depend on them
call 0 emit c "$pendulum" --points 11 -o pendulum.c
build ${compilers##* } pendulum -O0
call 0 run "$pendulum" --points 11 --quiet --set g=2 -o run.csv
./rows 2 >rows.csv
ok "pendulum with g = 2" cmp -s rows.csv run.csv
# a start that the other value moves: the rod is longer, the point stays on it (x^2 + y^2 = 4 in every row)
./rows 1 2 >rows.csv
ok "pendulum with L = 2" awk -F, 'NR > 1 { d = $2*$2 + $3*$3 - 4; if (d > 1e-12 || d < -1e-12) bad = 1; n++ }
                                  END { exit bad || n != 11 }' rows.csv
# in two runs: the start comes once, the rows between stand where each run puts them
./rows --twice >rows.csv
ok "two runs" awk -F, 'NR > 1 && $1 <= last { bad = 1 } { last = $1 } NR == 1 { last = -1 }
                       END { exit bad || NR != 22 || last != 50 }' rows.csv

# compiled by itself, it shows its own names and asks for mathematics and strings alone
ok "alone" ${compilers##* } -O0 -c pendulum.c -o alone.o
nm -g --defined-only alone.o | awk '{ print $3 }' | sort >names
same names pendulum_column_name pendulum_coordinate_name pendulum_end pendulum_message pendulum_parameter_name \
  pendulum_parameter_value pendulum_run pendulum_start pendulum_start_point
outside=$(nm -u alone.o | awk '{ print $2 }' |
  grep -vxE '(__)?(mem|str)[a-z]+(_chk)?|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|fm(ax|in)|frexp|ldexp|ilogb|nextafter|pow|sqrt|exp|log|cbrt|floor|ceil|scalbn|copysign|hypot|sin|cos|sincos|tan|atan2|fmod|trunc|round|log2|log1p|expm1|bcmp' | tr '\n' ' ')
ok "it asks for $outside" [ -z "$outside" ]
# the interface is C++, too
if command -v clang >/dev/null 2>&1; then
  ok "interface as C++" clang -x c++ $strict -Dpendulum_INTERFACE_ONLY -fsyntax-only pendulum.c
fi
# arithmetic with other bits is refused
ok "no fast math" sh -c "! ${compilers##* } -ffast-math -c pendulum.c -o fast.o 2>/dev/null"

# to stdout
call 0 emit c "$pendulum" --points 11
ok "stdout and -o" cmp -s out pendulum.c

# refused
refuses "'ritt emit' writes c, not 'fortran'" 'write: ritt emit c FILE' -- emit fortran "$pendulum"
refuses 'the name of the model file is missing' "ritt emit c FILE, or '-' for stdin" -- emit c
refuses "--plot is not an option of 'ritt emit'" -- emit c "$pendulum" --plot a.svg
{
  echo "model wide"
  i=1
  while [ $i -le 65 ]; do
    echo "variable x$i" && i=$((i + 1))
  done
  echo equation
  i=1
  while [ $i -le 65 ]; do
    echo "  x$i' + x$((i % 65 + 1))'/3 = -x$i" && i=$((i + 1))
  done
  echo "solve t = 0 .. 1"
} >wide.ritt
refuses "the model leads to matrices with 65 rows; 'ritt emit' supports up to 64" \
  'link libritt instead: it has the algebra for large systems' -- emit c wide.ritt

# NAME_MAIN makes a program that prints the rows of 'ritt run', and the message of one that stops early
call 0 emit c "$pendulum" -o pendulum.c
call 0 run "$pendulum" --quiet -o run.csv
ok 'pendulum_MAIN: compiles' ${compilers##* } $strict -Dpendulum_MAIN pendulum.c -lm -o main
./main >main.csv
ok 'pendulum_MAIN: rows' cmp -s main.csv run.csv
finish
