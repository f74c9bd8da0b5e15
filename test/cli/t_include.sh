#!/bin/sh
# Models of several files: the same rows as one file, --set, folders that are allowed.
. "$2/test/cli/common.sh"

mkdir -p parts elsewhere inner
cat >parts/spring.ritt <<'END'
parameter k = 4
let v = x'
include "law.ritt"
END
printf '\357\273\277# what pulls\nfunction force(u) = -k*u*c\nparameter c = 1' >parts/law.ritt
cat >rest <<'END'
variable x
equation x'' = force(x)
start x = 1
solve t = 0 .. 1
  rows 3
output x, v
END
{
  printf 'model m\ninclude "parts/spring.ritt"\n  "parts/law.ritt"\n'
  cat rest
} >many.ritt
{
  printf "model m\nparameter k = 4\nlet v = x'\nfunction force(u) = -k*u*c\nparameter c = 1\n"
  cat rest
} >one.ritt

# ---- several files, of which one is included twice, give the rows of one
for set in k=4 k=9 c=2; do
  call 0 run many.ritt --set "$set" -o many.csv --quiet
  call 0 run one.ritt --set "$set" -o one.csv --quiet
  grep -v '^#' many.csv >many.rows
  grep -v '^#' one.csv >one.rows
  ok "the same rows with $set" cmp -s many.rows one.rows
done

# ---- constraints of several files have their multipliers in the order in which the text reads
head="model m
variable x, y, z
lagrangian (x'^2 + y'^2 + z'^2)/2 + x + 2*y + 3*z"
tail='start x = 1, y = 2, z = 3
output lambda, first'
echo 'constraint first: x = 1' >parts/first.ritt
echo "nonholonomic z' = 0" >parts/last.ritt
printf '%s\ninclude "parts/first.ritt"\nconstraint y = 2\ninclude "parts/last.ritt"\n%s\n' "$head" "$tail" >many.ritt
call 0 run many.ritt --to 1 --points 2 --quiet -o many.csv
has many.csv '0,-2,-3,-1'

# ---- results keep the texts of the files that the model names
mkdir -p models/parts
echo 'parameter k = 4' >models/parts/spring.ritt
printf '0 0\n1 1\n2 4\n3 9\n' >models/parts/f.txt
printf "model kept\ninclude \"parts/spring.ritt\"\nfunction V = table \"parts/f.txt\" column 1 -> 2\nvariable x\nequation x' = -k*V(x)\nstart x = 1\n" >models/kept.ritt
call 0 run models/kept.ritt --to 1 --quiet -o kept.h5 -o kept.npz
call 0 convert kept.h5 -o other.npz
if command -v python3 >/dev/null 2>&1; then
  for result in kept.npz other.npz; do
    ok "the files in $result" python3 - $result <<'CODE'
import json, sys, zipfile
files = json.loads(zipfile.ZipFile(sys.argv[1]).read('ritt.json'))['files']
assert files == {name: open('models/' + name).read() for name in ('parts/spring.ritt', 'parts/f.txt')}, files
CODE
  done
fi

# ---- folders
echo 'parameter d = 2' >elsewhere/d.ritt
printf "model m\ninclude \"../elsewhere/d.ritt\"\nvariable x\nequation x' = d\n" >inner/up.ritt
call 2 check inner/up.ritt
has err "'../elsewhere/d.ritt' lies outside the folder of this file"
call 0 check inner/up.ritt --allow-include elsewhere
refuses "cannot open the folder 'nowhere': No such file or directory" 'check the name' -- check inner/up.ritt \
  --allow-include nowhere
ln -s ../elsewhere/d.ritt inner/link.ritt
printf "model m\ninclude \"link.ritt\"\nvariable x\nequation x' = d\n" >inner/linked.ritt
call 2 check inner/linked.ritt
has err "'link.ritt' lies outside the folder of this file"
call 0 check inner/linked.ritt --allow-include .

# ---- a text that is not a file
"$ritt" check - <many.ritt >out 2>err
ok 'stdin has no folder' [ $? = 2 ]
has err 'a text that is not a file cannot name other files'
finish
