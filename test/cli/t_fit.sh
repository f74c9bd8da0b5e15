# `ritt fit` and `ritt orbit`: what they print and write, and what they refuse. The numbers are tested in law/t_fit.c and law/t_orbit.c.
# $1 = the program, $2 = the source folder.
. "$2/test/cli/common.sh"

# x' = -k x + u has x = u/k + (x0 - u/k) exp(-k t): data with k = 2, u = 1, x0 = 3, and a gap
printf 'model m\nparameter k = 1, u = 1\nvariable x\nequation x%s = -k*x + u\nstart t = 0\n  x = 1\nsolve t = 0 .. 2\n' "'" >m.ritt
awk 'BEGIN { print "x,t"; for (i = 0; i <= 20; i++) { t = i/10; printf (i == 7 ? ",%g\n" : "%.17g,%g\n"), (i == 7 ? t : 0.5 + 2.5*exp(-2*t)), t } }' >d.csv
call 0 fit m.ritt --data d.csv --vary 'k, x' --tol 1e-11 --json
value() { sed -n "s/.*\"$1\": \\[\\([^]]*\\)\\].*/\\1/p" out; }
ok "k and x: $(value values)" sh -c 'echo "$1" | awk -F", " "{ if ((\$1-2)^2 > 1e-16 || (\$2-3)^2 > 1e-16) exit 1 }"' sh "$(value values)"
has out '"data": 20'
call 0 fit m.ritt --data d.csv --vary k=3,x=2 --bounds k=0:1.5 -o f.csv
has out 'm fitted to 20 values'
has out 'at its bound'
ok 'the table' [ "$(head -1 f.csv)" = 't,x,x_fit' ]
ok 'rows of the table' [ "$(wc -l <f.csv)" = 22 ]
call 0 fit m.ritt --data d.csv --vary k --bounds k=0.5:5 --starts 4 --weight x=10 --loss huber --scale 0.1 --quiet
same out

if command -v gnuplot >/dev/null; then
  call 0 fit m.ritt --data d.csv --vary k,x --plot f.svg --quiet
  ok 'the plot' grep -q '<svg' f.svg
  ok 'no log is left' [ ! -e f.svg.log ]
fi

refuses "'ritt fit' needs data" 'write --data measured.csv' -- fit m.ritt --vary k
refuses "'ritt fit' needs names of what varies" 'write --vary g,c' -- fit m.ritt --data d.csv
refuses "'q' is neither a parameter nor a variable" 'name a parameter, or a variable with a start value' -- fit m.ritt --data d.csv --vary q
refuses "--bounds u=0:1: this does not vary" 'name it in --vary' -- fit m.ritt --data d.csv --vary k --bounds u=0:1
refuses "--bounds needs NAME=LOW:HIGH, not 'k=0'" 'write --bounds c=0:1, c=0: or c=:1' -- fit m.ritt --data d.csv --vary k --bounds k=0
refuses "--vary needs a number after '=', not 'k=fast'" 'write --vary g=9,c' -- fit m.ritt --data d.csv --vary k=fast
refuses 'several starts are drawn between bounds, but k has none' 'add two bounds for it' -- fit m.ritt --data d.csv --vary k --starts 3
printf 't,q\n1,2\n' >q.csv
refuses "the model has no column 'q'" 'the columns of the model are t, x' -- fit m.ritt --data q.csv --vary k
printf 's,x\n1,2\n' >s.csv
refuses "the data have no column 't'" 'add it: it says where the data were measured' -- fit m.ritt --data s.csv --vary k

# x'' = -x + u(t) - x': the orbit of the driven oscillator x = sin t, from a start nearby
cat >o.ritt <<'END'
model o
variable x, v
equation
  x' = v
  v' = -x - v + cos(t)
start t = 0
  x = 0.2, v = 0.5
solve t = 0 .. 1
END
call 0 orbit o.ritt --period 6.283185307179586 --fixed-period --save-start s.ritt
has out 'o has a periodic orbit of period 6.28318530718; stability: stable'
has out 'multipliers'
call 0 run o.ritt --start s.ritt --to 1 -o r.csv --quiet
ok "the saved start: $(sed -n 2p r.csv)" awk -F, 'NR == 2 { if ($2^2 > 1e-16 || ($3-1)^2 > 1e-16) exit 1 }' r.csv
call 0 orbit o.ritt --period 6.283185307179586 --fixed-period --segments 2 --json
has out '"stable": 1'
# van der Pol's equation has no orbit of period 6.6 (6.66328 is the only one), and one for mu = 10 (its period is published: 19.07837)
cat >vdp.ritt <<'END'
model vdp
parameter mu = 1
variable x, v
equation
  x' = v
  v' = mu*(1 - x^2)*v - x
start t = 0
  x = 2, v = 0
solve t = 0 .. 7
END
call 2 orbit vdp.ritt --period 6.6 --fixed-period
has err 'ritt: error: '
call 0 orbit vdp.ritt --period 19 --set mu=10
has out 'a periodic orbit of period 19.07836'
# mu = -1 is mu = 1 with time reversed: the multiplier 0.00085969506 becomes 1163.203
call 0 orbit vdp.ritt --period 6.6 --set mu=-1
has out 'a periodic orbit of period 6.66328685'
has out '  1163.203'
# one value, one unknown: x = exp(-k t) at t = 1, but nothing is known about errors
printf 't,x\n1,0.5\n' >one.csv
printf 'model one\nparameter k = 1\nvariable x\nequation x%s = -k*x\nstart t = 0\n  x = 1\nsolve t = 0 .. 1\n' "'" >one.ritt
call 0 fit one.ritt --data one.csv --vary k --tol 1e-11
has out 'one fitted to 1 value;'
has out '0.6931471806       not known'
has out 'no intervals: they need more values than unknowns'
refuses "'ritt orbit' needs a guess of the period" 'write --period 6.5' -- orbit o.ritt

finish
