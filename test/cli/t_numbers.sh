#!/bin/sh
# Bad numbers as a user meets them: the whole message, its hint, the exit code, and rows that are numbers. All cases: test/hostile/t_numbers.c.
. "$2/test/cli/common.sh"

# ode RATE START END: x' = RATE in m.ritt
ode() { printf "model m\nvariable x\nequation x' = %s\nstart x = %s\nsolve t = 0 .. %s\n" "$1" "$2" "$3" >m.ritt; }
# stops PATTERN HINT [OPTION]...: exit 1, these two lines first, rows of numbers
stops() {
  pattern=$1 hint=$2
  shift 2
  call 1 run m.ritt -o rows.csv "$@"
  ok "ritt $called: $(head -1 err)" sh -c 'head -1 err | grep -Eqx "ritt: error: $1"' - "$pattern"
  ok "the hint: $(sed -n 2p err)" [ "$(sed -n 2p err)" = "  hint: $hint" ]
  ok 'rows of numbers' awk -F, 'NR > 1 && (NF != 2 || $2 !~ /^-?[0-9.]+(e[+-]?[0-9]+)?$/) { exit 1 } END { exit NR < 2 }' rows.csv
}
outside='the solution leaves the region where the equations are defined; check the start values and the signs'
singular='the solution may have a singularity here; if not, try a larger tolerance'

ode '-1 - sqrt(x)' 1 3
# t = 2 - 2 log 2
stops 'the run stopped at t = 0\.6137056[34][0-9]*: sqrt\(x\) \(line 3\) has no value near t = 0\.6137056[34][0-9]*, x = [-0-9.e]+' "$outside"
ode 'x^2' 1 2
stops 'the run stopped at t = 1\.0000000[0-9]*: the tolerance asks for steps below [0-9.]*e-15 near t = 1\.0000000[0-9]*, x = [0-9.]*e\+13' "$singular"
ode 'x^2' -1 -2
stops 'the run stopped at t = -1\.0000000[0-9]*: the tolerance asks for steps below .*' "$singular"
ode 'exp(exp(exp(t)))' 0 9
stops 'the run stopped at t = 1\.88[0-9]*: exp\(exp\(exp\(t\)\)\) \(line 3\) has no value near .*' "$outside"
ode 'x' 1 1e308
stops 'the run stopped at t = 0: the first step, [0-9.]+e-[0-9]+, is too small for a run of length 1\.0e\+308' 'end the run earlier, or look for numbers of the model that are far too large'
ode 'x' 1 1
call 1 run m.ritt --constant-step 1e-320
has err 'ritt: error: the run stopped at t = 0: t is hardly changed by a step of 1.0e-320'
has err '  hint: use longer steps'

# refused: the place, the line, what to write instead
call 2 run m.ritt --tol 1e-20
same err 'ritt: error: the tolerance 1e-20 is finer than the numbers, which are rounded to 2.2e-16' "  hint: use 1e-15 or more, or 'precision quad'"
for value in 0 -1 nan inf 1e400 x; do refuses "--tol needs a positive number, not '$value'" -- run m.ritt --tol "$value"; done
for value in nan inf 1e400; do refuses "--to needs a number, not '$value'" -- run m.ritt --to "$value"; done
ode 'exp(1000*x)' 1 2
call 2 run m.ritt
same err 'm.ritt:3:10: error: exp(1000*x) has no value at the start point' "  equation x' = exp(1000*x)" '           ^' \
  '  hint: give start values where the equations have a value'
ode '1e400' 1 2
call 2 run m.ritt
has err "m.ritt:3:15: error: the number '1e400' is too large"
# a start from a table
for row in 0,nan,0 0,inf,0 nan,1,0; do
  printf 't,x,y\n%s\n' $row >start.csv
  case $row in nan*) name=t value=nan ;; *) name=x value=${row#0,} && value=${value%,0} ;; esac
  refuses "the start needs a number for '$name', not $value" 'use a row in which it has a value' -- run "$pendulum" --start start.csv
done
ode 'x' 1e300 1
call 0 run m.ritt --points 2 --tol 1e-12 --quiet -o rows.csv
ok 'e times 1e300' awk -F, 'END { d = $2 / 1e300 - exp(1); exit !(d < 1e-10 && d > -1e-10) }' rows.csv
finish
