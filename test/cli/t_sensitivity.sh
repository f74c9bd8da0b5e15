# `--sensitivity`: its columns, with every command that has it, and what it refuses. The numbers are tested in
# law/t_sensitivity.c. $1 = the program, $2 = the source folder.
. "$2/test/cli/common.sh"

# x' = -a x, a = 2 b: x = exp(-a t), dx/db = -2 t exp(-a t), dx/dx0 = exp(-a t)
printf 'model m\nparameter b = 1/2, a = 2*b\nvariable x\nequation x%s = -a*x\nstart t = 0\n  x = 1\nsolve t = 0 .. 1\n' "'" >m.ritt
call 0 run m.ritt --sensitivity 'b, x' --tol 1e-12 --points 2 -o - --quiet
ok 'columns' [ "$(head -1 out)" = 't,x,d(x)/d(b),d(x)/d(x)' ]
ok "values: $(tail -1 out)" awk -F, 'END { e = exp(-1); if (($2-e)^2 > 1e-22 || ($3+2*e)^2 > 1e-20 || ($4-e)^2 > 1e-22) exit 1 }' out
call 0 check m.ritt --sensitivity b
has out 'unknowns: 2'
call 0 complete m.ritt --sensitivity b
has out 'd(x)/d(b)'
call 0 run m.ritt --sensitivity a --sensitivity x --points 2 -o m.npz --quiet
call 0 convert m.npz -o -
ok 'two options' [ "$(head -1 out)" = 't,x,d(x)/d(a),d(x)/d(x)' ]

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

refuses "derivatives by 'b' are asked for twice" 'name it once' -- run m.ritt --sensitivity b,b
refuses "'q' is neither a parameter nor a variable" 'name a parameter, or a variable with a start value' -- run m.ritt --sensitivity q
refuses "the start does not fix x'"': there is no derivative by its start value' "give it a start value with '='" -- run m.ritt --sensitivity "x'"

finish
