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
has err "'comma.csv' has no row with numbers in columns 1 and 2"

# rows whose meaning is clear are read: x(2) = 4
for text in '0,1\n1,2\n2,3\n' 't,v\n0,1\n1,2\n1,2\n2,3\n' '"t","v"\n"0","1"\n"1","2"\n"2","3"\n' '0\t1\r\n1\t2\r\n2\t3' \
  '\n# a comment\n0, 1\n\n1, 2\n2, 3\n\n'; do
  printf "$text" >comma.csv
  call 0 run comma.ritt --to 2 --quiet -o comma.out.csv
  ok "$text: x(2) = $(tail -1 comma.out.csv)" awk -F, 'END { e = $2 - 4; exit !(e < 1e-9 && e > -1e-9) }' comma.out.csv
done

# others are refused with line and column
refuse_rows() {
  printf "$1" >comma.csv
  call 2 run comma.ritt --to 2
  has err "comma.ritt:3:20: error: $2"
}
refuse_rows 't,v\n0,1\n2,3\n1,2\n' "column 1 of 'comma.csv' does not increase in line 4"
refuse_rows 't,v\n2,1\n1,2\n0,3\n' "column 1 of 'comma.csv' does not increase in line 3"
refuse_rows 't,v\n0,1\n1,2\n1,5\n2,3\n' "column 1 of 'comma.csv' does not increase in line 4"
refuse_rows 't,v\n0,1\n1,nan\n2,3\n' "line 3 of 'comma.csv' has no number in column 2"
refuse_rows '0,1e999\n1,2\n2,3\n' "line 1 of 'comma.csv' has no number in column 2"
refuse_rows '0,5 1,5\n1,5 2,5\n' "line 1 of 'comma.csv' separates some columns by commas and others by blanks"
refuse_rows 't,v\n' "'comma.csv' has no row with numbers in columns 1 and 2"

# a periodic table: x'' = -sin(x) turning over, sin from 48 points; energy is kept up to the error of the spline
awk 'BEGIN { for (i = 0; i < 48; i++) printf "%.17g,%.17g\n", i*8*atan2(1, 1)/48, sin(i*8*atan2(1, 1)/48); printf "%.17g,0\n", 8*atan2(1, 1) }' >sine.csv
cat >turning.ritt <<'EOF'
model turning
function s = table "sine.csv" column 1 -> 2 degree 7 periodic
variable x, y
equation
  x'' = -s(x)
  y'' = -sin(y)
start x = 0.3, x' = 3, y = 0.3, y' = 3
solve t = 0 .. 20
  tolerance 1e-10
  rows 2
output x, y
EOF
call 0 run turning.ritt -o turning.csv --quiet
ok 'turning over' awk -F, 'NR == 3 { exit !($2 > 40 && ($2 - $3)^2 < 1e-13) }' turning.csv

# a table of a motion through mod: no value is missed at its jumps; the table ends where the motion begins again
cat >modulo.ritt <<'EOF'
model modulo
function s = table "sine.csv" column 1 -> 2 degree 7
variable x
equation x' = s(mod(t, 2*pi))
start x = 0
solve t = 0 .. 40
  tolerance 1e-9
  rows 2
output x
EOF
call 0 run modulo.ritt -o modulo.csv --quiet
ok 'a table through mod' awk -F, 'NR == 3 { exit !(($2 - 1 + cos(40))^2 < 1e-14) }' modulo.csv

# tangents beyond the ends: 64/3 up to t = 4, then 16 + 8 (t - 4)
printf '0 0\n1 1\n2 4\n3 9\n4 16\n' >square.txt
cat >tangent.ritt <<'EOF'
model tangent
function f = table "square.txt" column 1 -> 2 extrapolated
variable x
equation x' = f(t)
start x = 0
solve t = 0 .. 6
  rows 2
output x
EOF
call 0 run tangent.ritt -o tangent.csv --quiet
ok 'tangents' awk -F, 'NR == 3 { exit !(($2 - 208/3)^2 < 1e-14) }' tangent.csv

# outside a table: the message names table, argument and range
sed 's/ extrapolated//; s/f(t)/f(2*t + 1)/' tangent.ritt >outside.ritt
call 1 run outside.ritt --quiet
has err 'f(2*t + 1), a table from 0 to 4 (line 4) has no value'

# two arguments: a^3 - 2 a b + a b^2 is met exactly; its integral along a = 1 + t, b = 2 t to t = 2 is 28
awk 'BEGIN { for (b = 5; b >= 0; b--) for (a = 0; a < 5; a++) print a, b, a^3 - 2*a*b + a*b^2 }' >grid.txt
cat >grid.ritt <<'EOF'
model grid
function f = table "grid.txt" column 1, 2 -> 3
variable x
equation x' = f(1 + t, 2*t)
start x = 0
solve t = 0 .. 2
  rows 2
output x
EOF
call 0 run grid.ritt -o grid.csv --quiet
ok 'two arguments' awk -F, 'NR == 3 { exit !(($2 - 28)^2 < 1e-18) }' grid.csv
sed 's/f(1 + t, 2\*t)/f(t)/' grid.ritt >one.ritt
call 2 run one.ritt
has err "the function 'f' takes two arguments, not 1"
sed '7d' grid.txt >holes.txt
sed 's/grid.txt/holes.txt/' grid.ritt >holes.ritt
call 2 run holes.ritt
has err "'holes.txt' has 29 rows for 5 times 6 pairs of arguments"
sed 's/extrapolated/periodic/' tangent.ritt >open.ritt
call 2 run open.ritt
has err "the table 'square.txt' begins with 0 and ends with 16"
finish
