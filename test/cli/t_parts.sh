#!/bin/sh
# What `ritt check` says of models made of parts: parts and connections, not rows of equations.
. "$2/test/cli/common.sh"
parts=$source/models/parts

# ---- a door on two hinges: one of them is too many
call 0 check "$parts/door.ritt"
same err
same out 'door: determined' '  parts: 7 (1 body, 2 arm, 2 ground, 2 revolute), unknowns: 18, equations: 18' '  kind: graph' \
  '  free initial values: 2' '  index: 3, hidden constraints: 7' '  too many: H2: all 5 conditions follow from H1' \
  '  reactions that are not unique (the least are used): H1, H2' \
  "  note: energy is conserved; 'invariant energy' keeps it"
call 0 check "$parts/door.ritt" --json
json out
has out '"dependent_equations": ["H2: all 5 conditions follow from H1"]'

# ---- five rockers carry one plate: 10 joints with 2 conditions each, three conditions too many
call 0 check "$parts/redundant.ritt"
ok 'three joints with one condition too many' [ "$(grep -c '1 of 2 conditions follows from ' out)" = 3 ]
has out '  reactions that are not unique (the least are used): A[1..5], B[1..5]'

# ---- Bricard's mechanism: one condition of the six hinges is too many
call 0 check "$parts/bricard.ritt"
ok 'one hinge of six' grep -Eq '^  too many: h[1-6]: 1 of 5 conditions follows from (h[1-6], ){4}h[1-6]$' out
has out '  free initial values: 2'

# ---- a port that was forgotten: its current is zero, and the report names it; an input of a block leaves it undetermined
cat >forgotten.ritt <<'EOF'
model forgotten
include <electric>
part S: voltage_source(U = 1), R: resistor(R = 1), C: capacitor(C = 1), z: ground
connect
  S.p, R.p
  R.n, C.p
  C.n, z.p
start C.v = 0
solve t = 0 .. 1
output C.v
EOF
call 0 check forgotten.ritt
has out '  not connected: S.n'
cat >open_input.ritt <<'EOF'
model open_input
include <signal>
part i: integrator, g: gain(k = 2)
connect i.y, g.u
solve t = 0 .. 1
output g.y.s
EOF
call 2 check open_input.ritt
has err 'open_input.ritt:3:6: error: the equations leave i.x and i.u.s undetermined; nothing is connected to i.u'
has err '  hint: connect the port i.u'

# ---- cranks and their coupling rod in one line: a singular position
cat >cranks.ritt <<'EOF'
model cranks
include <planar>
part
  c[k in 1..3]: bar(L = 1, m = 1), g0[k in 1..3]: ground(X = 2*k), rod: body(m = 3, J = 2)
  e[k in 1..3]: arm(dx = 2*k - 4), A[k in 1..3]: revolute, B[k in 1..3]: revolute
connect
  for k in 1..3: g0[k].f, A[k].a
  for k in 1..3: A[k].b, c[k].a
  for k in 1..3: c[k].b, B[k].a
  for k in 1..3: B[k].b, e[k].b
  for k in 1..3: e[k].a, rod.c
start c[1].phi = 0, c[1].phi' = 1
  for k in 2..3: c[k].phi ~ 0
  for k in 1..3: c[k].x ~ 2*k + 0.5, c[k].y ~ 0
  rod.x ~ 5, rod.y ~ 0, rod.phi ~ 0
solve t = 0 .. 5
output c[1].phi
EOF
call 2 check cranks.ritt
has out 'cranks: singular'

# ---- a circuit without a ground: its potentials are fixed, the voltages are what they are
cat >floating.ritt <<'EOF'
model floating
include <electric>
part C: capacitor(C = 1e-3), R: resistor(R = 100)
connect
  C.p, R.p
  C.n, R.n
start C.v = 5
solve t = 0 .. 1
output C.v
EOF
call 0 check floating.ritt
has out '  too many: node (C.n, R.n): the sum of its flows follows from node (C.p, R.p)'
has out '  fixed (nothing depends on them, the least values are used): C.p.v, C.n.v'

# the same for a circuit without anything that moves; if something needs a potential, this is refused (parts_floating_needed)
cat >resistors.ritt <<'EOF'
model resistors
include <electric>
part U: voltage_source(U = 12), R: resistor(R = 3)
connect
  U.p, R.p
  R.n, U.n
solve t = 0 .. 1
output R.i
EOF
call 0 check resistors.ritt
has out '  fixed (nothing depends on them, the least values are used): U.p.v, U.n.v'
call 0 run resistors.ritt --points 2 --quiet -o resistors.csv
ok 'four amperes' awk -F, 'NR > 1 && ($2 < 4 - 1e-12 || $2 > 4 + 1e-12) { exit 1 }' resistors.csv

# ---- a suspension with a hinge too many in each wishbone, and a platform with six freedoms
if [ ! "$sanitized" ]; then
  call 0 check "$parts/wishbone.ritt"
  has out '  free initial values: 2'
  has out '  too many: hinge[2]: all 5 conditions follow from hinge[1]'
  has out '            hinge[4]: all 5 conditions follow from hinge[3]'
  call 0 check "$parts/stewart.ritt"
  has out '  free initial values: 12'
fi

# ---- models of users, written with parts, have the answers of the flat ones
compare() {
  grep "^${2#*/}," "$source/models/users/${2%/*}/answers.csv" >answers
  ok "answers of $2" test -s answers
  while IFS=, read -r _ column at value digits _; do
    call 0 run "$parts/$1.ritt" --to "$at" --points 2 --quiet -o rows.csv
    ok "$1: $column at $at" awk -F, -v name="$column" -v value="$value" -v digits="$digits" 'NR == 1 {
      for (i = 1; i <= NF; i++) { split($i, w, " "); if (w[1] == name) c = i } }
      END { d = $c - value; if (d < 0) d = -d; exit !(c && d <= 10^-digits * (value < 0 ? -value : value)) }' rows.csv
  done <answers
}
compare sallen_key circuits/sallen_key
compare capacitor_loop circuits/capacitor_loop
compare half_wave_rectifier circuits/half_wave_rectifier
compare slipping_clutch vehicles/clutch
compare motor_control vehicles/dc_motor_pi

# ---- sweeps, checkpoints, native code and emitted C know parts
call 0 sweep "$parts/drive.ritt" --vary load.J=1:3:3 --vary 'box.ratio=[5, 10]' --threads 2
ok 'names of parts in the table' [ "$(head -1 out)" = "run,load.J,box.ratio,status,steps,t,shaft.phi,load.phi,load.phi'" ]
ok 'six runs' [ "$(wc -l <out)" = 7 ]
cp out sweep.csv
call 0 run "$parts/drive.ritt" --set load.J=3 --set box.ratio=5 --quiet -o one.csv
ok 'a row of the sweep is a run' [ "$(sed -n 6p sweep.csv | cut -d, -f7-)" = "$(tail -1 one.csv | cut -d, -f2-)" ]

call 0 run "$parts/amplifier.ritt" --set n=3 --to 0.02 --quiet -o whole.csv
call 0 run "$parts/amplifier.ritt" --set n=3 --to 0.02 --quiet -o a.csv --checkpoint ck --checkpoint-every 0
call 0 resume ck --quiet
ok 'a checkpoint of parts' cmp -s a.csv whole.csv

if command -v "${CC:-cc}" >/dev/null 2>&1; then
  call 0 run "$parts/amplifier.ritt" --set n=10 --to 0.01 --quiet --native never -o never.csv
  call 0 run "$parts/amplifier.ritt" --set n=10 --to 0.01 --quiet --native always -o always.csv
  ok 'native code of an array of parts gives the same rows' cmp -s never.csv always.csv
  call 0 emit c "$parts/drive.ritt" --points 3 -o drive.c
  ok 'emitted C of parts compiles' "${CC:-cc}" -std=c11 -O0 -ffp-contract=off -c drive.c -o drive.o
fi

# ---- an array of parts becomes one loop: 400 parts take as much code as 200, only tables grow
cat >chain.ritt <<'END'
model chain
include <rotational>
parameter n = 200
part f: fixed, m[k in 1..n]: inertia(J = 1 + 0.1*k), s[k in 1..n]: spring(k = 100 + k, d = 0.1)
connect
  f.a, s[1].a
  for k in 1..n: s[k].b, m[k].a
  for k in 1..n-1: m[k].b, s[k+1].a
start for k in 1..n: m[k].phi = 0, m[k].phi' = 0.01*k
solve t = 0 .. 10
output m[n].phi
END
call 0 emit c chain.ritt -o short.c
call 0 emit c chain.ritt --set n=400 -o long.c
ok 'the code of parts does not grow with their number' [ "$(grep -c 'const double v' short.c)" = "$(grep -c 'const double v' long.c)" ]
ok 'the parts are in a loop' grep -q 'kernel_0(.*398);' long.c

finish
