#!/bin/sh
# Methods from files: orders that are found, the same steps as the method of the table, and what is refused.
. "$2/test/cli/common.sh"

cat >bs.tableau <<'END'
# Bogacki and Shampine 1989
0
1/2 | 1/2
3/4 | 0    3/4
1   | 2/9  1/3  4/9
----+---------------------
b   | 2/9  1/3  4/9  0
b^  | 7/24 1/4  1/3  1/8
END
printf '0\n1/3|1/3\n2/3|-1/3, 1\n1|1 -1 1\nb|0.125 .375 3/8 1/8' >three_eighths.tableau
printf '0\n1/2 | 1/2\nb | 0 1 # the midpoint\n' >midpoint.tableau
cat >fehlberg.tableau <<'END'
0
1/4 | 1/4
3/8 | 3/32 9/32
12/13 | 1932/2197 -7200/2197 7296/2197
1 | 439/216 -8 3680/513 -845/4104
1/2 | -8/27 2 -3544/2565 1859/4104 -11/40
b | 25/216 0 1408/2565 2197/4104 -1/5 0
b^ | 16/135 0 6656/12825 28561/56430 -9/50 2/55
END

# ---- orders
while read -r file order; do
  call 0 run "$pendulum" --method "$file" --to 1
  has err "method    $file of order $order, "
done <<'END'
bs.tableau 3(2)
three_eighths.tableau 4
midpoint.tableau 2
fehlberg.tableau 4(5)
END

# ---- the same bits as the method of the table
call 0 run "$pendulum" --method fehlberg.tableau --to 3 --constant-step 0.01 --quiet -o a.csv
call 0 run "$pendulum" --method rkf45 --to 3 --constant-step 0.01 --quiet -o b.csv
grep -v '^#' a.csv >a.rows
grep -v '^#' b.csv >b.rows
ok 'another rkf45' cmp -s a.rows b.rows

# ---- in quadruple precision, decimals with their digits
call 0 run "$pendulum" --method three_eighths.tableau --to 1 --precision quad
has err 'method    three_eighths.tableau of order 4 in quadruple precision'
call 0 run "$pendulum" --method fehlberg.tableau --to 1 --constant-step 0.01 --precision quad --quiet -o a.csv
call 0 run "$pendulum" --method rkf45 --to 1 --constant-step 0.01 --precision quad --quiet -o b.csv
grep -v '^#' a.csv >a.rows
grep -v '^#' b.csv >b.rows
ok 'another rkf45 in quadruple precision' cmp -s a.rows b.rows

# ---- named by a model, from its folder
mkdir -p there
cp bs.tableau there
printf "model m\nvariable x\nequation x'' = -x\nstart x = 1, x' = 0\nsolve t = 0 .. 1\n  method \"bs.tableau\"\noutput x\n" >there/m.ritt
call 0 run there/m.ritt
has err 'method    bs.tableau of order 3(2)'
call 0 run there/m.ritt --method dopri54
has err 'method    dopri54, '
rm there/bs.tableau
call 2 run there/m.ritt
has err "there/m.ritt:6:10: error: "

# ---- refused
wrong() {
  printf '%b' "$1" >wrong.tableau
  call 2 run "$pendulum" --method wrong.tableau
  has err "wrong.tableau:$2"
}
wrong '0\n1/2 | 0.4\nb | 0 1\n' '2:1: error: c is 0.5, but its row adds up to 0.4'
wrong '0 | 1/2\nb | 1\n' '1:5: error: a stage may depend on those before it only'
wrong '0\n1 | x\nb | 1\n' '2:5: error: this is not a number'
wrong '0\n1 | 1/0\nb | 1\n' '2:8: error: this is not a denominator'
wrong '0\n1 | 1\n2/3 | 2/3\nb | 1 0 0\n' '3:1: error: stage 3 has 1 numbers in its row instead of 2'
wrong '0\n1 | 1\nb | 1/2\n' '3:1: error: there are 1 weights for 2 stages'
wrong '0\n1 | 1\nb | 1/2 1/2 1/2\n' '3:13: error: there are more weights than stages'
wrong '0\n1 | 1\nb | 0.5 0.4999\n' '3:1: error: the weights b add up to 0.9999 instead of 1'
wrong '0\n1 | 1\nb | 1/2 1/2\nb^ | 1 1\n' '4:1: error: the weights b^ add up to 2 instead of 1'
wrong '0\n1 | 1\nb | 1/2 1/2\nb^ | 1/2 1/2\n' '4:1: error: the weights b and b^ are the same'
wrong '0\n1 | 1\n' '2:1: error: the weights b are missing'
wrong '' '1:1: error: the weights b are missing'
refuses "cannot open 'none.tableau': No such file or directory" 'check the name and the folder' -- \
  run "$pendulum" --method none.tableau
finish
