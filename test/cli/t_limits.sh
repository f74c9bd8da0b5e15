# Limits of time and memory, and models that are made to use them up: refused in words within the limits, or solved where they are
# legal. $1 = the program, $2 = the source folder.
. "$2/test/cli/common.sh"
if [ "$sanitized" ]; then limited=; else limited=yes; fi

# the time is up: whole lines, a summary, exit code 3
call 3 run "$source/models/classics/lorenz.ritt" --to 1e9 --max-time 0.3 -o rows.csv
has err 'ritt: error: the time is up (--max-time)'
has err '  stopped   at t = '
ok 'rows are whole' awk -F, 'NR > 1 && NF != 4 { exit 1 } END { exit NR < 3 }' rows.csv
ok 'the last line ends' [ -z "$(tail -c 1 rows.csv)" ]

# before the run: nothing is written
{
  echo 'model large'
  echo 'parameter n = 2000'
  echo 'variable x[1..n]'
  echo "equation for i in 1..n: x[i]' = sum(j in 1..n, sin(x[i] - x[j]))"
  echo 'start for i in 1..n: x[i] = i'
  echo 'solve t = 0 .. 1'
} >large.ritt
call 3 run large.ritt --max-time 0.2 -o large.csv
same err 'ritt: error: the time is up (--max-time), and the run has not begun' \
  "  hint: allow more time, or see what 'ritt check' says of the model"
ok 'no table' [ ! -e large.csv ]

if [ "$limited" ]; then
  for most in 1 100 300; do
    call 3 run large.ritt --max-memory $most
    has err 'ritt: error: out of memory'
  done
  call 0 run "$pendulum" --max-memory 1000 --quiet
fi
refuses "--max-time needs a positive number, not '0'" -- run "$pendulum" --max-time 0

# hostile CODE TEXT: what is in hostile.ritt, within two seconds of the processor's time and, beside what the libraries take, 300 MB
printf '#!/bin/sh\nulimit -t %s\nexec "%s" "$@"\n' "$([ "$sanitized" ] && echo 30 || echo 2)" "$ritt" >seconds
chmod +x seconds
ritt=$PWD/seconds
hostile() {
  call "$1" run hostile.ritt ${limited:+--max-memory 700}
  if [ "$1" != 0 ]; then has err "$2"; fi
}
repeat() { awk -v n="$1" -v s="$2" 'BEGIN { while (n-- > 0) printf "%s", s }'; }
ode() {
  printf "model h\nvariable x\nequation x' = "
  cat
  printf '\nstart x = 1\nsolve t = 0 .. 1\n'
}
{ repeat 200000 '('; printf x; repeat 200000 ')'; } | ode >hostile.ritt
hostile 2 'nested more than 1000 deep'
{ repeat 50000 'sin('; printf x; repeat 50000 ')'; } | ode >hostile.ritt
hostile 2 'nested more than 1000 deep'
repeat 200000 '-' | ode >hostile.ritt
hostile 2 'error:'
{ repeat 50000 'x^'; printf 2; } | ode >hostile.ritt
hostile 2 'nested more than 1000 deep'
{ repeat 30000 'x/1e6 + '; printf 1; } | ode >hostile.ritt
hostile 0
repeat 5000000 9 | ode >hostile.ritt
hostile 2 'has more than 1000 digits'
echo '9^9^9^9^9' | ode >hostile.ritt
hostile 2 'the power is too large'
echo '1e999999999999' | ode >hostile.ritt
hostile 2 'is too large'
printf "model h\nvariable x[1..1000000000000]\nequation for i in 1..1000000000000: x[i]' = 1\n" >hostile.ritt
hostile 2 'more than the 1500000 that are possible'
printf "model h\nvariable x\nequation x' = sum(i in 1..1000000000000, i)\nstart x = 1\nsolve t = 0 .. 1\n" >hostile.ritt
hostile 2 'error:'
printf 'model h\ninclude "hostile.ritt"\n' >hostile.ritt
hostile 2 'error:'
# files that are too large, or none
call 2 run /dev/zero
same err "ritt: error: the file '/dev/zero' is larger than 64 MiB"
call 3 run .
has err "ritt: error: cannot read '.': Is a directory"
mkfifo fifo && printf "model h\nvariable x\nequation x' = 1\nstart x = 0\nsolve t = 0 .. 1\n" >hostile.ritt && cat hostile.ritt >fifo &
sleep 0.05
call 0 run fifo
wait
for depth in 1 2 3 4 5 6 7 8; do printf 'include "i%d.ritt"\n' $((depth % 8 + 1)) >i$depth.ritt; done
printf 'model h\ninclude "i1.ritt"\n' >hostile.ritt
hostile 2 'the files include each other: '
awk 'BEGIN { printf "model h\nvariable x\nfunction f0(a) = a + 1\n"; for (i = 0; i < 40; i++) printf "function f%d(a) = f%d(f%d(a))\n", i + 1, i, i
  printf "equation x'"'"' = f40(x)\nstart x = 0\nsolve t = 0 .. 1\n" }' >hostile.ritt
hostile 2 'have more than 1500000 members together'
awk 'BEGIN { printf "model h\nvariable x\nlet a0 = x\n"; for (i = 0; i < 60; i++) printf "let a%d = a%d*a%d\n", i + 1, i, i
  printf "equation x'"'"' = a60\nstart x = 1\nsolve t = 0 .. 1e-20\n" }' >hostile.ritt
hostile 0 # x^(2^60), each let once
{ repeat 100000 "'"; } | { printf 'model h\nvariable x\nequation x'; cat; printf ' = 1\n'; } >hostile.ritt
hostile 2 'there are more than 20 derivatives here'
{ printf 'model h\nvariable '; repeat 1000000 x; echo; } >hostile.ritt
hostile 2 'the name is longer than 200 characters'
repeat 50000 'x +* ' | ode >hostile.ritt
hostile 2 'error:'
ok 'not a message for each mistake' [ "$(wc -l <err)" -lt 200 ]
# names that are words elsewhere
{
  printf 'model int\nvariable int, double, system, x_rm, while, EOF, NULL\nequation\n'
  printf "  int' = double\n  double' = -int\n  system' = while\n  x_rm = 1\n  while = 2\n  EOF = 3\n  NULL = EOF\n"
  printf 'start int = 1, double = 0, system = 0\nsolve t = 0 .. 1\noutput int, double, system, while, EOF, NULL\n'
} >hostile.ritt
hostile 0
printf 'model h "$(touch broken); `touch broken`"\nvariable x\nequation x'"'"' = 1\nstart x = 0\nsolve t = 0 .. 1\nplot t: x\n' >hostile.ritt
call 0 run hostile.ritt --plot 'a;touch broken.svg' -o '$(touch broken).csv'
ok 'nothing was executed' [ ! -e broken -a ! -e broken.csv ]

# counts have one limit
call 2 run "$pendulum" --points 1000000000000
has err 'it may be at most 1000000000'
# a step with very many rows: --max-time and signals end the run between rows
printf "model h\nvariable x\nequation x' = 0\nstart x = 1\nsolve t = 0 .. 1\n" >hostile.ritt
call 3 run hostile.ritt --points 1000000000 --max-time 1
has err 'ritt: error: the time is up (--max-time)'
# sums nested nine deep, an array of six million
printf "model h\nvariable x\nequation x' = " >hostile.ritt
for i in a b c d e f g h i; do printf 'sum(%s in 1..60, ' $i; done >>hostile.ritt
printf 'x/(a + b + i))))))))))\nstart x = 1\nsolve t = 0 .. 1\n' >>hostile.ritt
hostile 2 'have more than 1500000 members together'
printf "model h\nvariable x[1..6000000]\nequation for i in 1..6000000: x[i]' = -x[i]\nstart for i in 1..6000000: x[i] = 1\nsolve t = 0 .. 1\n" >hostile.ritt
hostile 2 'more than the 1500000 that are possible'
# long chains of derivatives; one that is longer than any that can be meant
chain() {
  awk -v n="$1" 'BEGIN { printf "model h\nvariable x[0..%d]\nequation\n  x[0] = sin(t)*exp(cos(t))\n", n
    printf "  for k in 0..%d: x[k]'"'"' = x[k + 1]\nsolve t = 0 .. 1\n", n - 1 }' >hostile.ritt
}
chain 30
hostile 0
# the 30th derivative of sin(t)*exp(cos(t)) at 1, from its series with 60 digits
call 0 run hostile.ritt --quiet --points 2 -o chain.csv
ok 'the 30th derivative' awk -F, 'END { exit !($32/4.2564222155931862e21 - 1 < 1e-11 && $32/4.2564222155931862e21 - 1 > -1e-11) }' chain.csv
chain 400
hostile 2 'would have to be differentiated more than 60 times'
# chains of algebraic equations, whose members tend to the fixed point: 2, and 1
for right in 'x[i] = 0.5*x[i - 1] + 1 2' 'x[i]^3 + x[i] = x[i - 1] + 1 1'; do
  printf "model h\nvariable x[0..2000]\nequation\n  x[0]' = -x[0]\n  for i in 1..2000: %s\nstart x[0] = 1\nsolve t = 0 .. 1\n" "${right% *}" >hostile.ritt
  hostile 0
  call 0 run hostile.ritt --quiet --points 2 -o chain.csv
  ok "the members of ${right% *}" awk -F, -v limit="${right##* }" 'NR > 1 { for (i = 102; i <= 2002; i++) if (!(($i - limit)^2 < 1e-26)) bad = 1 }
    END { exit bad || NR != 3 }' chain.csv
done
# factors of the control near 1: rejected steps become shorter all the same
printf "model h\nvariable x, y\nequation\n  x' = y\n  y' = 100*(1 - x^2)*y - x\nstart x = 2, y = 0\nsolve t = 0 .. 5\n" >hostile.ritt
call 0 run hostile.ritt --fac 0.9999999 --facmin 0.9999999 --max-time 60
# small stacks
if [ -z "$sanitized" ]; then
  { repeat 900 'sin('; printf x; repeat 900 ')'; } | ode >hostile.ritt
  for model in "$pendulum" hostile.ritt; do
    (ulimit -s 64 && exec "$ritt" run "$model" --to 0.1 --quiet -o small.csv) >out 2>err
    ok "a stack of 64 KiB: $model" [ $? = 0 ]
  done
fi

finish
