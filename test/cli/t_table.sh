#!/bin/sh
# Tables: the knots are ends of steps, so that piecewise polynomials are integrated exactly; columns and separators;
# outside the range the run stops.
. "$2/test/cli/common.sh"

# ---- x' = V(t) with V linear between the points is the trapezoidal sum, to rounding and at any tolerance
awk 'BEGIN { s = 0; for (i = 0; i <= 20; i++) { t = i*i/40; v = (i*7919 % 13) - 6; if (i) s += (t - a)*(v + b)/2;
  printf "%.17g;%.17g\n", t, v > "v.csv"; a = t; b = v } printf "%.17g\n", s > "sum" }'
cat >linear.ritt <<'END'
model linear
variable x, y
function V = table "v.csv" column 1 -> 2 degree 1
equation
  x' = V(t)
  y' = V(t)'
start x = 0, y = 0
solve t = 0 .. 10
  tolerance 1e-3
  rows 2
output x, y
END
call 0 run linear.ritt -o linear.csv --quiet
ok 'the trapezoidal sum' awk -F, 'FNR == NR { s = $1; next } /^10,/ { d = $2 - s; f = 1; exit }
  END { exit !(f && d < 1e-12 && d > -1e-12) }' sum linear.csv
# V(10) - V(0) = ((20*7919 mod 13) - 6) - (0 - 6)
ok 'the derivative of the table' awk -F, '/^10,/ { d = $3 - (20*7919 % 13); f = 1 } END { exit !(f && d < 1e-12 && d > -1e-12) }' \
  linear.csv

# ---- names of columns, comments, tabs and blanks, carriage returns
printf '# measured\r\ntime\tforce  other\r\n0\t1  5\r\n1\t2  6\r\n\r\n2\t3  7\r\n3\t4  8\r\n' >odd.txt
sed 's/"v.csv" column 1 -> 2 degree 1/"odd.txt" column 1 -> 3/; s/0 .. 10/0 .. 3/' linear.ritt >odd.ritt
call 0 run odd.ritt -o odd.csv --quiet
ok 'the third column' awk -F, '/^3,/ { d = $2 - 19.5; f = 1 } END { exit !(f && d < 1e-12 && d > -1e-12) }' odd.csv

# ---- a table of a variable: x'' = -F(x) with F(x) = x is the oscillator
awk 'BEGIN { for (i = -8; i <= 8; i++) print i/4, i/4 }' >force.txt
cat >force.ritt <<'END'
model force
variable x
function F = table "force.txt" column 1 -> 2
equation x'' = -F(x)
start x = 1, x' = 0
solve t = 0 .. 3
  tolerance 1e-11
  rows 2
output x
END
call 0 run force.ritt -o force.csv --quiet
ok 'the oscillator' awk -F, '/^3,/ { d = $2 - cos(3); f = 1 } END { exit !(f && d < 1e-9 && d > -1e-9) }' force.csv

# ---- jumps of mod are found as well: the integral of mod(t, 2) over 0 .. 7 is 3*2 + 1/2
cat >mod.ritt <<'END'
model mod
variable x
equation x' = mod(t, 2)
start x = 0
solve t = 0 .. 7
  tolerance 1e-3
  rows 2
output x
END
call 0 run mod.ritt -o mod.csv --quiet
ok 'the saw tooth' awk -F, '/^7,/ { d = $2 - 6.5; f = 1 } END { exit !(f && d < 1e-12 && d > -1e-12) }' mod.csv

# ---- beyond the end
call 1 run linear.ritt --to 11 -o linear.csv --quiet
has err 'the run stopped at t = 10: V(t), a table from 0 to 10 (line 5) has no value'
# semicolons between cells: commas are decimal commas; line ends of Windows and a byte order mark
printf '\357\273\277t;v\r\n0;1,5\r\n1;2,5\r\n' >comma.csv
printf "model comma\nvariable x\nfunction V = table \"comma.csv\" column 1 -> 2 degree 1\nequation x' = V(t)\nstart x = 0\nsolve t = 0 .. 1\n" >comma.ritt
call 0 run comma.ritt --quiet -o comma.out.csv
ok "x(1) = $(tail -1 comma.out.csv)" awk -F, 'END { e = $2 - 2; exit !(e < 1e-9 && e > -1e-9) }' comma.out.csv
: >comma.csv
call 2 run comma.ritt
has err "a spline of degree 1 needs 2 rows; 'comma.csv' has 0"

finish
