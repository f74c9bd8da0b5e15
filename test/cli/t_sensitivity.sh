# `--sensitivity`: its columns, with every command that has it, and what it refuses. The numbers are tested in
# law/t_sensitivity.c. $1 = the program, $2 = the source folder.
. "$2/test/cli/common.sh"

# x' = -a x, a = 2 b: x = exp(-a t), dx/db = -2 t exp(-a t), dx/dx0 = exp(-a t)
printf 'model m\nparameter b = 1/2, a = 2*b\nvariable x\nequation x%s = -a*x\nstart t = 0\n  x = 1\nsolve t = 0 .. 1\n' "'" >m.ritt
call 0 run m.ritt --sensitivity 'b, x' --tol 1e-12 --points 2 -o - --quiet
ok 'columns' [ "$(head -1 out)" = 't,x,d(x)/d(b),d(x)/d(x)' ]
ok "values: $(tail -1 out)" awk -F, 'END { e = exp(-1); if (($2-e)^2 > 1e-22 || ($3+2*e)^2 > 1e-20 || ($4-e)^2 > 1e-22) exit 1 }' out
call 0 check m.ritt --sensitivity b
has out 'unknowns: 1'
call 0 complete m.ritt --sensitivity b
has out 'd(x)/d(b)'
call 0 run m.ritt --sensitivity a --sensitivity x --points 2 -o m.npz --quiet
call 0 convert m.npz -o -
ok 'two options' [ "$(head -1 out)" = 't,x,d(x)/d(a),d(x)/d(x)' ]

# d = 0 takes x' out of the equation: the derivatives by the other parameters of the equation stay, and that by d is
# computed too. x = F/k + A exp(-d t/2) (cos(w t) + d/(2 w) sin(w t)), A = 1 - F/k, w = sqrt(k - d^2/4)
cat >damped.ritt <<'END'
model damped
parameter k = 4, d = 0, u = 1/4, F = 2*u
variable x
equation x'' + d*x' + k*x = F
start t = 0
  x = 1, x' = 0
solve t = 0 .. 1
  tolerance 1e-12
output x
END
for by in 'F, k' 'u' 'd, k'; do
  call 0 run damped.ritt --sensitivity "$by" --points 2 -o - --quiet
  ok "d = 0, by $by: $(tail -1 out)" python3 -c '
import csv, math
r = list(csv.reader(open("out"))); r = dict(zip(r[0], map(float, r[-1])))
c, s, A = math.cos(2), math.sin(2), 7/8
true = {"F": (1 - c)/4, "u": (1 - c)/2, "k": -(1 - c)/32 - A*s/4, "d": A*(s/4 - c/2)}
found = {p: r[f"d(x)/d({p})"] for p in true if f"d(x)/d({p})" in r}
assert found and all(abs(found[p] - true[p]) < 1e-11 for p in found)'
done

# pulses of length D that begin at 0, 1, 2, ...: each end of a pulse at k + D adds exp(-a (t - k - D)) to dx/dD, whatever the steps
cat >pulses.ritt <<'END'
model pulses
parameter a = 0.3, D = 0.5
variable x
equation x' = -a*x + (if mod(t, 1) < D then 1 else 0)
start t = 0
  x = 0
solve t = 0 .. 20.75
END
for tol in 1e-9 1e-10 1e-11 1e-12; do
  for end in 1.7 2.7 7.2 20.75; do
    call 0 run pulses.ritt --sensitivity D --tol $tol --to $end --points 2 -o - --quiet
    ok "pulses to $end with $tol: $(tail -1 out)" awk -F, -v tol=$tol 'END {
      for (k = 0; k + 0.5 < $1; k++) sum += exp(-0.3*($1 - k - 0.5))
      if (($3 - sum)^2 > (100*tol)^2) exit 1 }' out
  done
done

# a stiff system: derivatives along explicit steps are refused; 'tangents controlled' takes an implicit method.
# v' = -1000000 (v - b u), u' = -u: v follows b u, and dv/db = u + small terms
cat >fast.ritt <<'END'
model fast
parameter b = 2
variable u, v
equation
  u' = -u
  v' = -1000000*(v - b*u)
start t = 0
  u = 1, v = 2
solve t = 0 .. 1
END
call 1 run fast.ritt --sensitivity b -o fast.csv --quiet
has err ': the system is stiff from there on, and explicit steps make them wrong'
has err "write 'tangents controlled', which makes them unknowns of the system"
call 0 run fast.ritt --sensitivity b --tangents controlled --points 2 -o - --quiet
ok "stiff: $(tail -1 out)" awk -F, 'END { if (($5 - exp(-1))^2 > 1e-10) exit 1 }' out

# hidden events are not reported
cat >spring.ritt <<'END'
model spring
parameter k = 4
variable x, v
equation
  x' = v
  v' = -k*x - 0.1*v*abs(v)
start t = 0
  x = 1, v = 0
solve t = 0 .. 3
END
call 0 run spring.ritt --sensitivity k -o s.csv
ok 'an event was reported' sh -c '! grep -q "^  events" err && [ "$(ls s* | wc -l)" = 2 ]'

# the section, and options over it
sed 's/^solve.*/&\nsensitivity b, x/' m.ritt >section.ritt
call 0 run section.ritt --tol 1e-12 --points 2 -o - --quiet
ok 'the section' [ "$(head -1 out)" = 't,x,d(x)/d(b),d(x)/d(x)' ]
ok "values: $(tail -1 out)" awk -F, 'END { e = exp(-1); if (($3+2*e)^2 > 1e-20 || ($4-e)^2 > 1e-22) exit 1 }' out
call 0 run section.ritt --sensitivity a --points 2 -o - --quiet
ok 'the option replaces the section' [ "$(head -1 out)" = 't,x,d(x)/d(a)' ]
call 0 run section.ritt --tangents controlled --method radau5 --points 2 -o - --quiet
ok 'the section with an implicit method' [ "$(head -1 out)" = 't,x,d(x)/d(b),d(x)/d(x)' ]
call 0 emit c section.ritt -o section.c
ok 'other commands ignore the section' sh -c '! grep -q "d(x)" section.c'
call 0 format section.ritt --check
printf 'model m\nparameter k[1..2] = 3\nvariable x\nequation x%s = -k[1]*x - k[2]\nstart t = 0\n  x = 1\nsolve t = 0 .. 1\nsensitivity k\n' "'" >array.ritt
call 0 run array.ritt --points 2 -o - --quiet
ok 'an array' [ "$(head -1 out)" = 't,x,d(x)/d(k[1]),d(x)/d(k[2])' ]
# gradients: x = exp(-a t), a = 2 b
call 0 gradient m.ritt --by 'b, x' --tol 1e-12 --json
ok "gradient: $(cat out)" python3 -c '
import json, math
r = json.load(open("out")); e = math.exp(-1)
assert r["of"] == ["x"] and r["by"] == ["b", "x"] and abs(r["values"][0] - e) < 1e-11
assert abs(r["gradients"][0][0] + 2*e) < 1e-10 and abs(r["gradients"][0][1] - e) < 1e-11'
printf 't,x\n0.5,0.7\n1,0.3\n1,\n' >data.csv
call 0 gradient m.ritt --by a --tol 1e-12 --data data.csv --json
ok "distance: $(cat out)" python3 -c '
import json, math
r = json.load(open("out")); a, b = math.exp(-0.5), math.exp(-1)
assert abs(r["values"][0] - ((a - 0.7)**2 + (b - 0.3)**2)/2) < 1e-11
assert abs(r["gradients"][0][0] - ((a - 0.7)*-0.5*a + (b - 0.3)*-b)) < 1e-10'
call 0 gradient m.ritt --by a
has out 'x = 0.36787'
has out '  d/d(a) = -0.36787'
refuses "the model has no column 'y'" 'the columns of the model are x' -- gradient m.ritt --by a --of y
refuses "'ritt gradient' needs names of parameters or start values" 'write --by g,L' -- gradient m.ritt
refuses 'the adjoint gradient is not available for this run: the model has events with jumps, or switches' 'use sensitivities, or an explicit method such as dop853' -- gradient spring.ritt --by k
refuses 'the adjoint gradient is not available for this run: its method or its system does not support it' 'use sensitivities, or an explicit method such as dop853' -- gradient m.ritt --by a --method radau5

refuses "derivatives by 'b' are requested twice" 'name it once' -- run m.ritt --sensitivity b,b
refuses "'q' is neither a parameter nor a variable" 'name a parameter, or a variable with a start value' -- run m.ritt --sensitivity q
refuses "the start does not fix x'"': there is no derivative by its start value' "give it a start value with '='" -- run m.ritt --sensitivity "x'"

finish
