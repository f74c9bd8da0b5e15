#!/bin/sh
# ritt check and ritt complete: the verdict in words and as JSON, the completed system, and their exit codes.
. "$2/test/cli/common.sh"

# ---- the pendulum
call 0 check "$pendulum"
same err
same out 'pendulum: determined' '  unknowns: 3 (x, y, lambda), equations: 3' '  kind: holonomic' '  free initial values: 2' \
  '  index: 3, hidden constraints: 2'
call 0 check "$pendulum" --json
same err
json out
same out '{' '  "model": "pendulum",' '  "unknowns": 3,' '  "variables": ["x", "y", "lambda"],' '  "equations": 3,' '  "invariants": 0,' '  "verdict": "determined",' \
  '  "reason": null,' '  "kind": "holonomic",' '  "degrees_of_freedom": 2,' '  "index": 3,' \
  '  "hidden_constraints": 2,' '  "dependent_equations": [],' '  "undetermined_variables": [],' '  "non_unique": [],' \
  '  "moved": [],' '  "singular_points": [],' '  "notes": []' '}'
"$ritt" check - --json <"$pendulum" >again
ok 'from stdin' cmp -s out again

# ---- a start value that moves is reported with both values
sed "s/x' ~ 0, y' ~ 0/x' ~ 0.5, y' ~ 0/" "$pendulum" >moved.ritt
call 0 check moved.ritt
ok 'the table of moved values' grep -Eq "^    x' +0\.5 +[-0-9.e]+ +-5\.00e-01$" out
call 0 check moved.ritt --json
json out
has out "\"moved\": [{\"name\": \"x'\", \"typed\": 0.5, \"used\": "
call 0 run moved.ritt --to 1
has err "  moved     x' from 0.5 to "

# ---- --set decides with the new value
call 2 check "$pendulum" --set L=2
has err 'error: '
call 2 check "$pendulum" --set M=2
has err "'M'"

# ---- not determined: exit 2
printf 'model m\nvariable x\nequation x'\'' = z\nstart x = 1\nsolve t = 0 .. 1\n' >wrong.ritt
call 2 check wrong.ritt
same out
has err 'wrong.ritt:3:15: error: '
call 2 check wrong.ritt --json
json out
has out '"verdict": null'
call 2 check no_such_file.ritt

# two unknowns, one equation
printf 'model m\nvariable x, z\nequation x'\'' = z\nstart x = 1\nsolve t = 0 .. 1\n' >free.ritt
call 2 check free.ritt --json
json out
has out '"verdict": "underdetermined"'

# three equations for two unknowns: v1' = 0 and v0 + v1 = 0 follow, then v0' = 0, and the derivative of v0 + v1 = 0 is no new
# condition; x^2 + v^2 is conserved, so that its derivative follows from the equations of motion alone
cat >surplus.ritt <<'END'
model m
variable v0, v1
equation
  v1' - v0 - v1 = 0
  v0' + 3*v1' + v0 + v1 = 0
  v0' + 2*v1' + v0 + v1 = 0
start t = 0
END
call 0 check surplus.ritt
has out '  free initial values: 1'
has out 'note: the first derivative of equation 3 (line 6) says nothing new: it follows from equation 1 (line 4), equation 2'
printf "model m\nvariable x, v\nequation\n  x' = v\n  v' = -x\n  x^2 + v^2 = 1\nstart t = 0\n  x = 1\n" >conserved.ritt
call 0 check conserved.ritt
has out 'first derivative of equation 3 (line 6) says nothing new: it follows from equation 1 (line 4) and equation 2 (line 5)'

# ---- the completed system
call 0 complete "$pendulum"
same err
for word in "x''" "y''" lambda; do has out "$word"; done
cp out text
call 0 complete "$pendulum" --as text
ok 'text is the default' cmp -s out text
call 0 complete "$pendulum" --as=json
same err
json out
call 2 complete wrong.ritt
same out
has err 'wrong.ritt:3:15: error: '

finish
