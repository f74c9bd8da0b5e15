#!/bin/sh
# Strong potentials as a user meets them: messages, methods that do not fit, limits, runs that go on.
. "$2/test/cli/common.sh"

models=$source/models/stiff
sed '/^  tolerance/d' "$models/spring_pendulum.ritt" >p.ritt
below() { # below LINE FILE: p.ritt with another line below solve
  sed "s/^solve .*/&\\n  $1/" p.ritt >"$2"
}

# ---- messages
call 0 check p.ritt
has out 'grad U = 0 has codimension 1 in 2 coordinates, U is convex across it with alpha = 1'
has out 'vibrations have a frequency of 1e+03'
has out 'smooth start of order 2: positions are up to 5.30e-07'
call 0 run p.ritt --to 1
has err 'radau5'
below 'method dopri54' e.ritt
call 0 check e.ritt
has out 'the method dopri54 is explicit: its steps follow the vibrations'
below 'follow vibrations' v.ritt
call 0 run v.ritt --to 0.01
has err 'method    dopri54'

# ---- methods that do not damp vibrations
call 2 run p.ritt --method gauss4
has err 'the method gauss4 does not fit a strong potential: '
has err "hint: use radau5, or write 'follow vibrations' below solve"
call 2 run p.ritt --method lobatto3a
has err 'the method lobatto3a does not fit a strong potential: '
for method in implicit_euler radau3 radau5 radau9; do call 0 run p.ritt --method $method --to 0.5 --tol 1e-4 --quiet; done
for newton in stiff j0 j1 j2; do
  below "newton $newton" n.ritt
  call 0 run n.ritt --to 0.1 --set eps=0.05 --quiet
done

# ---- the limit
below limit l.ritt
call 0 complete l.ritt
has out 'lambda[1]'
call 0 check l.ritt --save-start start.ritt
has out 'index: 3, hidden constraints: 2'
has start.ritt '  lambda[1] ~ 0.63030230'
call 0 run l.ritt --to 1 --points 2 -o l.csv --tol 1e-10 --quiet
ok 'the multiplier is not a column that the model asks for' sh -c 'head -1 l.csv | grep -qx t,x,y,stretch'
below 'limit index3' i.ritt
call 0 run i.ritt --to 1 --points 2 -o i.csv --tol 1e-10 --quiet
near() { # near FILE FILE EPS: the last rows agree to that
  tail -n 1 "$1" | tr , '\n' >a
  tail -n 1 "$2" | tr , '\n' >b
  paste a b | awk -v e="$3" '{ d = $1 - $2; if (d < 0) d = -d; if (!(d < e)) bad = 1 } END { exit bad }'
}
ok 'both ways to the limit' near l.csv i.csv 1e-9
call 2 run i.ritt --method dopri54
has err "the method dopri54 is explicit, and 'limit index3' needs an implicit one"
sed 's/^solve .*/solve arc = 0 .. 1/' p.ritt >a.ritt
call 2 run a.ritt
has err 'smooth motion is followed over the independent variable, not over arc length'
call 2 emit c p.ritt -o p.c
has err "'ritt emit' cannot write steps that pass over the vibrations of a strong potential"

# ---- on from a row: its values are those of the motion, not of the limit
sed "s/^output.*/output x, y, x', y'/" p.ritt >s.ritt
call 0 run s.ritt --to 2 --points 3 --tol 1e-10 -o whole.csv --quiet
call 0 run s.ritt --start whole.csv:2 --to 2 --points 2 --tol 1e-10 -o second.csv --quiet
ok 'on from row 2' near whole.csv second.csv 1e-6

# ---- from the command line, against what the model says
call 0 run v.ritt --follow motion --to 0.1
has err radau5
call 0 run p.ritt --follow vibrations --to 0.01
has err 'method    dopri54'
call 0 run v.ritt --follow projected --to 1 --points 2 --tol 1e-10 -o f.csv --quiet
ok 'the limit' near l.csv f.csv 1e-9
call 0 check l.ritt --follow index3
has out 'in its index-3 form'
refuses "the model has no strong potential, of which 'motion' could be followed" \
  "write 'stiff U, eps = 1e-4' in the model" -- check "$pendulum" --follow motion
cat >k.ritt <<'K'
model spring
variable x, y
lagrangian (x'^2 + y'^2)/2 - y
stiff (sqrt(x^2 + y^2) - 1)^2/2, eps = 0.1
invariant energy
start smooth t = 0
  x = 1, y = 0, x' = 0, y' = 0
solve t = 0 .. 1
K
call 2 run k.ritt
has err 'steps over the vibrations of a strong potential do not keep invariants'
call 0 run k.ritt --follow vibrations --quiet

# ---- every model is determined
for model in "$models"/*.ritt; do
  call 0 check "$model"
  has out 'U is convex across it'
done

# Rosenbrock methods: a summary without iterations; what they refuse
call 0 run "$source/models/ivp/hires.ritt" --method rodas4 --tol 1e-6
ok 'no iterations in the summary' grep -q '^  stages    [0-9]* Jacobians, [0-9]* factorisations$' err
call 2 run "$pendulum" --method rodas4 --project stages
has err 'error: the method rodas4 does not project its stages'
has err "hint: use radau5, or 'project end'"
call 2 run "$pendulum" --method rodas5p --precision quad
has err "its coefficients have 16 digits, and 'precision quad' needs more"
has err 'hint: use radau'

finish
