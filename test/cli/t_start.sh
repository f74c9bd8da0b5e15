#!/bin/sh
# --start and --save-start: a run goes on from a row of its table; the start point is kept as a section that can be
# used; free values and what moved are reported.
. "$2/test/cli/common.sh"

sed "s/^output.*/output x, y, x', y', lambda, E = (x'^2 + y'^2)\/2 + g*y/" "$pendulum" >p.ritt

# ---- on from the end, and from a row in the middle
call 0 run p.ritt --to 4 --points 5 --tol 1e-11 -o whole.csv --quiet
call 0 run p.ritt --to 2 --points 3 --tol 1e-11 -o first.csv --quiet
call 0 run p.ritt --start first.csv --to 4 --points 3 --tol 1e-11 -o second.csv --quiet
call 0 run p.ritt --start whole.csv:3 --to 4 --points 3 --tol 1e-11 -o third.csv --quiet
near() { # near FILE FILE: the last rows agree to 8 digits
  tail -n 1 "$1" | tr , '\n' >a
  tail -n 1 "$2" | tr , '\n' >b
  paste a b | awk '{ d = $1 - $2; if (d < 0) d = -d; if (!(d < 1e-8)) bad = 1 } END { exit bad }'
}
ok 'on from the last row' near whole.csv second.csv
ok 'on from row 3' near whole.csv third.csv
ok 'the first row is the row' sh -c 'sed -n 2p third.csv | grep -q "^2,"'

# ---- the section: used again it gives the same point, and nothing moves
call 0 check p.ritt --start whole.csv:4 --save-start section.ritt
ok 'the section names the place' sh -c 'head -1 section.ritt | grep -qx "start t = 3"'
ok 'it holds four kept values and a guess' sh -c '[ "$(grep -c " = " section.ritt)" = 5 ] && grep -q "^  lambda ~ " section.ritt'
call 0 check p.ritt --start section.ritt --save-start again.ritt
ok 'the same section' cmp -s section.ritt again.ritt
ok 'nothing moved' sh -c '! grep -q moved out'
sed '/^start/,/^ *x. ~/d' p.ritt >bare.ritt
{ sed '/^solve/,$d' bare.ritt; cat section.ritt; } >pasted.ritt
call 0 check pasted.ritt --save-start pasted.start
ok 'pasted, it is the same' cmp -s section.ritt pasted.start
call 0 run p.ritt --to 0.1 --save-start first.ritt --quiet
ok 'a run keeps its start' sh -c 'head -1 first.ritt | grep -qx "start t = 0" && grep -qx "  x = 1" first.ritt'

# ---- what the table lacks stays as the model has it, as a guess
printf 't,y,other\n5,-0.8,1\n' >small.csv
call 0 check p.ritt --start small.csv --save-start small.ritt
has small.ritt 'start t = 5'
has small.ritt '  y = -0.80000000000000004'
ok 'x follows' sh -c 'grep -q "^  x = 0\.[56]" small.ritt'

# ---- wrong calls
refuses "cannot open 'none.csv': No such file or directory" 'check the name and the folder' -- run p.ritt --start none.csv
refuses "'whole.csv' has 5 rows, no row 6" 'rows are counted from 1; the line of names is not counted' -- run p.ritt --start whole.csv:6
refuses "--start needs a row of at least 1, not '0'" -- run p.ritt --start whole.csv:0
printf 't,x\n' >none.csv
refuses "'none.csv' has no rows" -- run p.ritt --start none.csv
printf 'a,b\n1,2\n' >alien.csv
refuses "no column of 'alien.csv' is a variable of the model" \
  "let the model's 'output' list its variables: output x, x', y" -- run p.ritt --start alien.csv
printf 'start t = 0\n  x = 1, y + 1\n' >broken.ritt
refuses "line 2 of 'broken.ritt' is not a start value" "write x = 1 or x' ~ 0.5, with numbers only" -- run p.ritt --start broken.ritt
printf 'start t = 0\n  x = 1, z = 1\n' >broken.ritt
refuses "'z' is neither a variable nor a derivative of one" "start values belong to x, x', x'' and so on" -- \
  run p.ritt --start broken.ritt
call 3 check p.ritt --save-start no/such/folder.ritt
has err "cannot write 'no/such/folder.ritt': no such file or directory"

# ---- free values that were chosen are reported, in words and as JSON
sed '/^start/,/^ *x. ~/d' p.ritt >free.ritt
printf 'start t = 0\n  x = 0.6, y = 0.8\n' >>free.ritt
call 0 check free.ritt
ok 'the note' grep -Eq "^  note: free initial values chosen: [xy]' = 0$" out
call 0 check free.ritt --json
json out
ok 'the notes' grep -Eq "\"notes\": \[\"free initial values chosen: [xy]' = 0\"\]" out
call 0 run free.ritt --to 0.1
ok 'the note of a run' grep -Eq "^  note      free initial values chosen: [xy]' = 0$" err

# ---- an equation that depends on the others holds at the start, too: x^2 + y^2 = 1 and x = sin(a) leave two values of y, and the
# guesses are nearer to the one that y = -cos(a) excludes
cat >branch.ritt <<'END'
model m
variable x, y, a
equation
  x^2 + y^2 = 1
  x = sin(a)
  y = -cos(a)
  a' = 1
start t = 0
  a = 0.3
  x ~ -0.3
  y ~ 1
solve t = 0 .. 0.1
output p = x - sin(a), q = y + cos(a)
END
call 0 run branch.ritt --points 2 -o branch.csv --quiet
ok 'the dependent equation holds' awk -F, 'NR > 1 && ($2*$2 > 1e-20 || $3*$3 > 1e-20) { bad = 1 } END { exit bad || NR < 3 }' branch.csv
sed 's/x ~ -0.3/x = -0.3/' branch.ritt >clash.ritt
call 2 check clash.ritt
has err 'are both fixed, but x = sin(a) (line 5) leaves'

finish
