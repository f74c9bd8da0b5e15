#!/bin/sh
# `ritt export fmu`: FMUs of both versions of the standard, used by a small importer (test/fmi/importer.c). Co-simulation
# gives the bits of `ritt run`, model exchange agrees with it, constraints stay at rounding, wrong calls are refused.
# RITT_FMI_SCHEMAS names a folder with the schemas of the standard (fmi2ModelDescription.xsd, fmi3ModelDescription.xsd):
# then all descriptions are checked against them. The models of models/ are tested by tools/check_fmi (t_fmi_models.sh).
. "$2/test/cli/common.sh"
case $(uname -sm) in
'Linux x86_64') ;;
*)
  echo 'the importer knows the folders of Linux on x86_64 only'
  finish
  ;;
esac
compiler=${CC:-cc}
ok "the importer compiles" $compiler -std=c11 -O1 -g -Wall -Wextra "$source/test/fmi/importer.c" -o importer -ldl -lm -lpthread
# tcc compiles fifty times faster
[ -n "${CC:-}" ] || ! command -v tcc >/dev/null 2>&1 || CC=tcc
CC=${CC:-cc}
CFLAGS=-O0
export CC CFLAGS

# unit VERSION FILE OPTION...: the FMU in the folder fmu, its description checked
unit() {
  version=$1 model=$2
  shift 2
  rm -rf fmu
  call 0 export fmu "$model" --fmi "$version" -o it.fmu "$@"
  same out
  ok "the archive of $model" ./importer extract it.fmu fmu
  ok "$model: no library" [ -n "$(find fmu/binaries -name '*.so')" ]
  ok "$model: no source" [ -n "$(find fmu/sources -name '*.c')" ]
  ok "$model: no page" [ -s fmu/documentation/index.html ]
  ok "$model: no picture" [ "$(find fmu -name '*.png' | wc -l)" = 1 ]
  if command -v xmllint >/dev/null 2>&1; then
    ok "$model: the description is not XML" xmllint --noout fmu/modelDescription.xml
    schema=${RITT_FMI_SCHEMAS:-/nonexistent}/fmi${version}ModelDescription.xsd
    if [ -r "$schema" ]; then
      ok "$model: $(head -3 xml.err 2>/dev/null)" sh -c "xmllint --noout --schema '$schema' fmu/modelDescription.xml 2>xml.err"
    fi
  fi
  # every variable has a name and a value reference of its own; states and derivatives come in pairs
  ok "$model: structure" awk -v version="$version" '
    /<(Float64|ScalarVariable) / {
      n++
      if (!match($0, / name="[^"]*"/) || seen[substr($0, RSTART, RLENGTH)]++) bad = 1
      if (!match($0, / valueReference="[0-9]+"/) || seen[substr($0, RSTART, RLENGTH)]++) bad = 1
    }
    / derivative="/ { d++ }
    version == 2 && /<Derivatives>/, /<\/Derivatives>/ { u += /<Unknown / }
    version == 3 && /<ContinuousStateDerivative / { u++ }
    END { exit bad || n < 2 || d != u }' fmu/modelDescription.xml
}
# names NAME: the variables on which it depends
names() {
  awk -v name="$1" -v two="$((version == 2))" '
    BEGIN { k = 0 }
    /<(Float64|ScalarVariable) / {
      match($0, / name="[^"]*"/); n[k] = substr($0, RSTART + 7, RLENGTH - 8); number[n[k]] = k; k++
    }
    /<(Unknown|Output|ContinuousStateDerivative) / && !done[name] {
      match($0, /(index|valueReference)="[0-9]*"/); v = substr($0, RSTART, RLENGTH); gsub(/[^0-9]/, "", v)
      if (n[v - two] != name) next
      done[name] = 1
      if (!match($0, /dependencies="[^"]*"/)) { print "all"; next }
      count = split(substr($0, RSTART + 14, RLENGTH - 15), d, " ")
      for (i = 1; i <= count; i++) printf "%s ", n[d[i] - two]
      print ""
    }' fmu/modelDescription.xml
}
# rows FILE OPTION...: the rows of `ritt run`
rows() {
  call 0 run "$@" --quiet -o rows.csv
}
try() {
  ok "$*: $(tail -3 try.err 2>/dev/null)" sh -c "$* >try.out 2>try.err"
}

models=$source/models
# a pendulum whose constraints are outputs, at rounding over 10 000 s
cat >residuals.ritt <<'END'
model residuals
parameter g = 1, L = 1
variable x, y, lambda
equation
  x'' = -lambda*x
  y'' = -lambda*y - g
  x^2 + y^2 = L^2
start t = 0
  x = 1, x' = 0, y ~ 0
solve t = 0 .. 20
  tolerance 1e-6
output x, y, residual1 = x^2 + y^2 - L^2, residual2 = x*x' + y*y'
END
for version in 3 2; do
  unit $version residuals.ritt
  rows residuals.ritt --points 101
  try ./importer cs fmu rows.csv
  try ./importer states fmu rows.csv
  try ./importer calls fmu
  try ./importer modes fmu
  try ./importer many fmu
  try ./importer partial fmu 3
  try ./importer long fmu 10000
  ok "residuals $(cat try.out)" awk '{ exit !($1 < 1e-14) }' try.out
  rows residuals.ritt --points 101 --tol 1e-11
  try ./importer me fmu rows.csv 1e-6
  ok "states are projected: $(cat try.out)" grep -qv ' 0 projections' try.out
  # every step is a row
  rows residuals.ritt
  try ./importer cs fmu rows.csv
  # instances in threads; nothing is read before it is written, nothing is lost
  rows residuals.ritt --points 21
  try ./importer threads fmu rows.csv
  if command -v valgrind >/dev/null 2>&1; then
    rows residuals.ritt --points 6
    for what in 'states fmu rows.csv' 'modes fmu' 'calls fmu' 'many fmu' 'threads fmu rows.csv' 'partial fmu 1'; do
      try valgrind -q --error-exitcode=9 --leak-check=full ./importer $what
    done
  fi
done
unit 3 residuals.ritt
try ./importer early fmu
# a longer rod: the start is found again; g does not move the manifold, L does
rows residuals.ritt --points 51 --set g=2
try ./importer set fmu g=2 rows.csv
# a start that does not exist is refused with a message: the rod is shorter than x
ok "L = 0.5 is refused" sh -c '! ./importer set fmu L=0.5 rows.csv >try.out 2>try.err'
has try.err 'there is no start with these parameters and start values'
ok "g is tunable" grep -q 'name="g".*variability="tunable"' fmu/modelDescription.xml
ok "L is fixed" grep -q 'name="L".*variability="fixed"' fmu/modelDescription.xml
# the source is C without warnings
ok "the source compiles without warnings" $compiler -std=c11 -Wall -Wextra -Werror -fsyntax-only fmu/sources/residuals.c
# one interface only
unit 3 residuals.ritt --kind cs
ok "no model exchange" sh -c '! grep -q "<ModelExchange" fmu/modelDescription.xml'
unit 2 residuals.ritt --kind me
ok "no co-simulation" sh -c '! grep -q "<CoSimulation" fmu/modelDescription.xml'

# start values that follow from a parameter
cat >swing.ritt <<'END'
model swing
parameter L = 2, g = 9.81
variable x, y, lambda
equation
  x'' = -lambda*x
  y'' = -lambda*y - g
  x^2 + y^2 = L^2
start t = 0
  x = L, x' = 0, y = 0
solve t = 0 .. 3
output x, y
END
unit 3 swing.ritt
rows swing.ritt --points 11 --set L=3
try ./importer set fmu L=3 rows.csv

# an event that ends the run
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
for version in 3 2; do
  unit $version landing.ritt
  rows landing.ritt --step 0.25
  try ./importer cs fmu rows.csv
  try ./importer me fmu rows.csv 1e-6
done

# kinds and features: explicit, holonomic, graph, general, implicit, arc length, jumps, sliding, an implicit method, a
# table, more than 64 rows
both() {
  model=$1 tolerance=$2
  shift 2
  unit 3 "$model"
  rows "$model" "$@"
  try ./importer cs fmu rows.csv
  rows "$model" --tol 1e-10 "$@"
  try ./importer me fmu rows.csv "$tolerance"
}
both "$models/classics/bouncing_ball.ritt" 1e-5 --points 21 --to 3
# at rest on the ground y and v are projected, and nothing depends on the time
ok "dependencies" [ "$(grep -c '<ContinuousStateDerivative .*dependencies=' fmu/modelDescription.xml)" = 2 ]
try ./importer depend fmu
# the importer sees the end of sticking where its indicator is 0 exactly
both "$models/classics/stick_slip.ritt" 1e-5 --points 81
both "$models/papers/fourbar.ritt" 1e-5 --points 21
try ./importer partial fmu 0.5
both "$models/papers/sphere.ritt" 1e-5 --points 21
both "$models/classics/chaplygin_sleigh.ritt" 1e-5 --points 21
try ./importer partial fmu 1
both "$models/classics/robertson.ritt" 1e-5 --points 11
cat >diode.ritt <<'END'
model diode
parameter Is = 1e-12, Vt = 0.025, R = 1000, C = 1e-6
variable v, i
equation
  C*v' = i - v/R
  i = Is*(exp((sin(300*t) - v)/Vt) - 1)
start v = 0
solve t = 0 .. 0.05
output v, i
END
both diode.ritt 1e-4 --points 21
try ./importer partial fmu 1e-4
cat >wide.ritt <<'END'
model wide
parameter n = 80
variable x[1..n]
equation
  for i in 1..n-1: x[i]' + x[i+1]'/3 = -x[i]
  x[n]' + x[1]'/3 = -x[n]
start
  for i in 1..n: x[i] = i/n
solve t = 0 .. 1
output x[1], x[40], x[80]
END
unit 3 wide.ritt
rows wide.ritt --points 11 --tol 1e-10
try ./importer me fmu rows.csv 1e-6

# refused
refuses "'ritt export' writes fmu, not 'zip'" 'write: ritt export fmu FILE' -- export zip residuals.ritt
refuses "--plot is not an option of 'ritt export'" -- export fmu residuals.ritt --plot a.svg

# inputs: held, extrapolated by their derivatives, and in model exchange
cat >inputs.ritt <<'END'
model inputs
input u
variable x
equation x' = u - x
start x = 0
solve t = 0 .. 4
  tolerance 1e-9
output x
END
for version in 3 2; do
  unit $version inputs.ritt
  ok "FMI $version: an input" grep -q 'name="u".*causality="input"' fmu/modelDescription.xml
  ok "FMI $version: x' depends on u" [ "$(names 'der(x)')" = all ]
  ok "FMI $version: x does not" [ "$(names x)" = "x " ]
  try ./importer inputs fmu
  try ./importer partial fmu 1
done
# derivatives by inputs where the constraints contain them, so that u' and u'' matter, and an event indicator
cat >guided.ritt <<'END'
model guided "A pendulum whose pivot another program moves"
parameter L = 1, g = 9.81, c = 0.1
input u, w
variable x, y, lambda
equation
  x'' = -lambda*(x - u) - c*x' + w
  y'' = -lambda*y - g
  (x - u)^2 + y^2 = L^2
event side: x - u = 0.2 rising -> record
start t = 0
  x = 0.5, x' ~ 0, y ~ -0.8
solve t = 0 .. 4
output x, y, lambda, force = lambda*(x - u), lead = x - u - w
END
for version in 3 2; do
  unit $version guided.ritt
  ok "FMI $version: derivatives are offered" grep -q 'providesDirectionalDerivative' fmu/modelDescription.xml
  try ./importer partial fmu 0.3
done
# the same for an implicit system and for formulas
cat >implicit.ritt <<'END'
model implicit
input u
variable x, w
equation
  x' = w - x
  w + exp(w) = x + u
start x = 0.2
solve t = 0 .. 4
output x, w, s = w*u
END
unit 3 implicit.ritt
try ./importer partial fmu 0.7

# dependencies of every kind: mechanisms side by side that a force connects one way, formulas, an implicit equation, friction
cat >apart.ritt <<'END'
model apart
parameter g = 9.81
input u
variable x, y, l, p, q, m, w, v, s, z
equation
  x'' = -l*x
  y'' = -l*y - g
  x^2 + y^2 = 1
  p'' = -m*p + x + w
  q'' = -m*q - g
  p^2 + q^2 = 4
  w + exp(w) = u + x
  v' = -v + sin(t)
  s' = -sign(s - 0.1) - s
  z' = s
event far: p = 5 rising -> stop
start t = 0
  x = 0.6, x' = 0, y ~ -0.8, p = 1.2, p' = 0, q ~ -1.6, v = 1, s = 1, z = 0, w ~ 0
solve t = 0 .. 1
output x, y, w, p, v, l, m, e = x'^2, f = v + t, h = z + u
END
for version in 3 2; do
  unit $version apart.ritt
  try ./importer depend fmu
  # two derivatives of each coordinate, of x, y, p, q, v, s and z
  ok "lists: $(cat try.out)" grep -q "^2[0-9] lists" try.out
  ok "x: $(names x)" [ "$(names x | tr ' ' '\n' | sort | tr '\n' ' ')" = " x x' y y' " ]
  ok "der(v): $(names 'der(v)')" [ "$(names 'der(v)')" = "time v " ]
  ok "f: $(names f)" [ "$(names f)" = "time v " ]
  ok "m: $(names m)" sh -c "case '$(names m | tr -d "'")' in *v*|*s*|*z*) false ;; *time*u*x*y*p*q*) ;; *) false ;; esac"
done

# an event happens because an input jumps over its zero
cat >valve.ritt <<'END'
model valve
input u
variable x, n
equation
  x' = 1
  n' = 0
event open: u - x = 0 falling -> n := n + 1
event shut: u - x = 0 rising -> n := n + 10
start x = 0, n = 0
solve t = 0 .. 8
output x, n
END
for version in 3 2; do
  unit $version valve.ritt
  try ./importer jumps fmu
done

# events that depend on the time alone are announced: jumps, switches, knots of a table, zeros of a sine
printf 't,push\n0,0\n2.5,1\n4,0\n9,0\n' >push.csv
cat >times.ritt <<'END'
model times
parameter a = 0.7
variable x, n
function push = table "push.csv" column 1 -> 2 degree 1
equation
  x' = (if t < 2 then 1 else -1) + push(t) - abs(t - 3*a)
  n' = 0
event kick: t = 1 rising -> n := n + 1
event beat: sin(pi*t/3.5) = 0 -> n := n + 10
event back: t = 1.5 rising -> x := -x
event low: x = -5 falling -> record
start x = 0, n = 0
solve t = 0 .. 6
  tolerance 1e-9
output x, n
END
for version in 3 2; do
  unit $version times.ritt
  try ./importer times fmu 1 1.5 2 2.1 2.5 3.5 4
  rows times.ritt --points 25 --tol 1e-11
  try ./importer me fmu rows.csv 1e-8
done

# values that were set since the last step are part of the state
cat >held.ritt <<'END'
model held
parameter k = 1
input u = 0
variable x, n
equation
  x' = k + u
  n' = 0
start t = 0
  x = 0, n = 0
event trip: u = 0.5 rising -> n := n + 1
solve t = 0 .. 10
output x, n
END
for version in 3 2; do
  unit $version held.ritt
  try ./importer held fmu
  if command -v valgrind >/dev/null 2>&1; then
    try valgrind -q --error-exitcode=9 --leak-check=full ./importer held fmu
  fi
done

# units and texts of the model
cat >units.ritt <<'END'
model units "A falling body"
parameter g = 9.81, p = 1, q = 2, r = 3, c = 0.1
variable y
unit t "s"
unit p "kN*m/rad"
unit q "(V/m)/s^2"
unit r "apples/s"
unit c "mm^2"
unit y "m"
unit g "m/s^2"
doc g "the acceleration of gravity"
equation y'' = -g + 0*(p + q + r + c)
start t = 0
  y = 2, y' = 0
solve t = 0 .. 1
output y, y'
END
for version in 3 2; do
  unit $version units.ritt
  ok "FMI $version: g" grep -q 'name="g".*the acceleration of gravity.*unit="m/s^2"' fmu/modelDescription.xml
  ok "FMI $version: der(y')" grep -q "name=\"der(y')\".*unit=\"m/s^2\"" fmu/modelDescription.xml
  has fmu/modelDescription.xml '<Unit name="m/s^2"><BaseUnit m="1" s="-2"/></Unit>'
  has fmu/modelDescription.xml '<Unit name="kN*m/rad"><BaseUnit kg="1" m="2" s="-2" rad="-1" factor="1000"/></Unit>'
  has fmu/modelDescription.xml '<Unit name="(V/m)/s^2"><BaseUnit kg="1" m="1" s="-5" A="-1"/></Unit>'
  has fmu/modelDescription.xml '<Unit name="mm^2"><BaseUnit m="2" factor="1e-06"/></Unit>'
  has fmu/modelDescription.xml '<Unit name="apples/s"/>'
done

# event mode of co-simulation: early return at events, values before and behind them
cat >bounces.ritt <<'END'
model bounces
variable y
equation y'' = -2
start t = 0
  y = 2, y' = 0
event ground: y = 0 falling -> y' := -y'/2
solve t = 0 .. 4
  tolerance 1e-9
output y, y'
END
unit 3 bounces.ritt
try ./importer events fmu

# rows at jumps and while sliding; unknowns that are solved for, whose method changes on the way
both "$models/users/vehicles/clutch.ritt" 1e-5 --points 21
both "$models/users/circuits/boost_converter.ritt" 1e-4 --points 21
unit 3 "$models/users/circuits/voltage_multiplier_12.ritt"
rows "$models/users/circuits/voltage_multiplier_12.ritt" --points 21
try ./importer cs fmu rows.csv
# a singular point stops model exchange with a message, co-simulation passes it
unit 3 "$models/papers/asymptotic_saddle.ritt"
rows "$models/papers/asymptotic_saddle.ritt" --points 21
try ./importer cs fmu rows.csv
./importer me fmu rows.csv 1e-5 >try.out 2>try.err
has try.err 'there is a singular point near x = 0.99'

# time goes forwards in FMI
cat >backwards.ritt <<'END'
model backwards
variable x
equation x' = -x
start t = 1
  x = 1
solve t = 1 .. 0
END
refuses 'the run goes backwards, from t = 1 to 0; the time of an FMU does not' \
  'write the model in the variable that goes the other way, or give --to' -- export fmu backwards.ritt

# a path that cannot be written is found before anything is compiled
CC=/nonexistent/cc call 3 export fmu residuals.ritt -o nowhere/a.fmu
has err "cannot write 'nowhere/a.fmu'"

# the library of a cross compiler lies in the folder of the machine for which it was made; these compilers write its first bytes
zeros() { head -c "$1" /dev/zero; }
library_at() {
  bytes=$PWD/bytes
  printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncp "%s" "$2"\n' "$bytes" >cross
  chmod +x cross
  rm -rf fmu
  CC=$PWD/cross call 0 export fmu backwards.ritt --to 2 --fmi "$1" -o it.fmu
  ok "the archive of a cross compiler" ./importer extract it.fmu fmu
  (cd fmu && find binaries -type f 2>/dev/null) >found
  ok "FMI $1: $(cat found), not $2" [ "$(cat found)" = "$2" ]
}
{ printf '\177ELF'; zeros 14; printf '\076\000'; } >bytes
library_at 2 binaries/linux64/backwards.so
library_at 3 binaries/x86_64-linux/backwards.so
{ printf '\177ELF'; zeros 14; printf '\267\000'; } >bytes
library_at 2 ''
library_at 3 binaries/aarch64-linux/backwards.so
{ printf MZ; zeros 58; printf '\200\000'; zeros 66; printf 'PE\000\000\144\206'; } >bytes
library_at 2 binaries/win64/backwards.dll
library_at 3 binaries/x86_64-windows/backwards.dll
{ printf '\317\372\355\376\014\000\000\001'; } >bytes
library_at 2 ''
library_at 3 binaries/aarch64-darwin/backwards.dylib

finish
