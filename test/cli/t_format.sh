#!/bin/sh
# ritt format: only blanks change, comments stay, a second time changes nothing.
# $1 = the program, $2 = the sources.
program=$(realpath "$1")
sources=$(realpath "$2")
fail=0
wrong() { echo "failed: $*"; fail=1; }
squeeze() { tr -d ' \t\n' < "$1"; }

find "$sources/models" -name '*.ritt' | while read -r model; do
  "$program" format - < "$model" > once.ritt || echo "$model is refused" >> wrong
  "$program" format - < once.ritt > twice.ritt
  cmp -s once.ritt twice.ritt || echo "$model is laid out twice" >> wrong
  [ "$(squeeze "$model")" = "$(squeeze once.ritt)" ] || echo "$model has other text" >> wrong
done
[ ! -s wrong ] || { cat wrong; fail=1; }

cat > ugly.ritt <<'MODEL'


# first
model   ugly   "A   title"
parameter a=1,b   =  -2     # two of them
variable x[1..3],y


equation
    for i in 1..3:
          x[ i ] ' = - a*x[i]+b
       # between
    y' = sum( i in 1..3 , x [i] ) /
       ( a+1 )
start  t=0
 for i in 1..3: x[i]=1
 y~0
solve t=0..1
MODEL
cat > pretty.ritt <<'MODEL'
# first
model ugly "A   title"
parameter a = 1, b = -2     # two of them
variable x[1..3], y

equation
  for i in 1..3:
    x[i]' = -a*x[i]+b
    # between
  y' = sum(i in 1..3, x[i])/
    (a+1)
start t = 0
  for i in 1..3: x[i] = 1
  y ~ 0
solve t = 0 .. 1
MODEL
"$program" check ugly.ritt > before || wrong "the model is refused"
"$program" format --check ugly.ritt 2> said && wrong "--check sees nothing"
cmp -s ugly.ritt pretty.ritt && wrong "--check has changed the file"
"$program" format ugly.ritt || wrong "format fails"
diff -u pretty.ritt ugly.ritt || wrong "another layout"
"$program" format --check ugly.ritt || wrong "--check of what is laid out"
"$program" check ugly.ritt > after
cmp -s before after || wrong "the model has another meaning"
printf 'model a\nparameter b[1. .. 2] = 1\n' | "$program" format - > range.ritt
grep -q 'b\[1\. \.\.' range.ritt || wrong "a number that ends in a point runs into a range"
printf 'model a\nvariable x\nequation x = "b\n' > bad.ritt
cp bad.ritt kept.ritt
"$program" format bad.ritt 2> said && wrong "a string without its end is laid out"
cmp -s bad.ritt kept.ritt || wrong "a refused file was changed"
exit $fail
