#!/bin/sh
# Sweeps: final values by law, the same bytes for any number of threads, failures that are listed and not fatal, files whole
# after an interrupt, wrong calls.
. "$2/test/cli/common.sh"
p=$pendulum

# x(t) = a cos(w t) + b/w sin(w t)
cat >oscillator.ritt <<'MODEL'
model oscillator
parameter w = 1, m[1..2] = [1, 1]
variable x
equation
  m[1]*x'' + m[2]*w^2*x = 0
start t = 0
  x = 1, x' = 0
solve t = 0 .. 3
  tolerance 1e-11
output x, x'
MODEL

# close COLUMN EXPRESSION FILE: the column is what the expression of awk gives in every row, to 1e-8
close() {
  ok "$1 is not $2 in $3" awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { e = '"$2"'; d = $at[name] - e; if (!(d < 1e-8 && d > -1e-8)) { print name, $at[name], e; bad = 1 } }
    END { exit bad || NR < 2 }' "$3"
}

# ---- a grid: the product, the last fastest; on stdout where no file is named
call 0 sweep oscillator.ritt --vary w=1:4:7 --vary "x'=[0, 2]" --threads 2
has err 'oscillator: 14 runs, 14 done'
has err 'wrote     stdout'
ok 'names' [ "$(head -1 out)" = "run,w,start x',status,steps,t,x,x'" ]
ok '14 runs' [ "$(wc -l <out)" = 15 ]
close w '1 + int((NR - 2) / 2) / 2' out
close "start x'" '2 * (NR % 2)' out
close x 'cos(3 * $2) + $3 / $2 * sin(3 * $2)' out
close "x'" '$3 * cos(3 * $2) - $2 * sin(3 * $2)' out
close status 0 out
close run 'NR - 1' out
# single elements of arrays
call 0 sweep oscillator.ritt --vary 'm[2]=1:4:4' --vary 'm[1] = [0.5,1]' --quiet
close x 'cos(3 * sqrt($2 / $3))' out

# ---- every run is the run that --set and the start value make, bit for bit; rows in HDF5 and in a folder are the same
call 1 sweep "$p" --vary g=1:2:3 --vary 'L=[1,1.5]' --to 2 -o all.h5
has err 'pendulum: 6 runs, 3 done, 3 failed'
has err 'run 2 (g = 1, L = 1.5): x = 1 and y = 0'
call 0 run "$p" --set g=1.5 --set L=1 --to 2 --quiet -o one.csv
call 0 convert all.h5:3 -o three.csv
ok 'run 3' cmp -s one.csv three.csv
call 1 sweep "$p" --vary g=1:2:3 --vary 'L=[1,1.5]' --to 2 -o folder/ --quiet
ok 'a file of the folder' cmp -s one.csv folder/run_3.csv
ok 'the tables are the same' cmp -s all.final.csv folder/final.csv
call 0 compare all.h5:5 folder/run_5.csv --tol 1e-300
call 1 sweep "$p" --vary g=1:2:3 --vary 'L=[1,1.5]' --to 2 -o npz --format npz --quiet
call 0 convert npz/run_3.npz -o three.csv
ok 'in NPZ' cmp -s one.csv three.csv
call 0 plot all.h5:3 --y x -o x.svg
call 0 run "$p" --to 3 --start all.h5:3:2 --quiet -o on.csv # run 3, row 2
ok 'starts from a row of a run' [ "$(sed -n 3p three.csv | cut -d, -f1)" = "$(sed -n 2p on.csv | cut -d, -f1)" ]

# ---- failures: in the list with their values and the reason, in the table with their status, and the rest is whole
ok 'three failures' [ "$(wc -l <all.failed.csv)" = 4 ]
same all.failed.csv 'run,g,L,reason' \
  '2,1,1.5,"x = 1 and y = 0 are both fixed, but x^2 + y^2 = L^2 (line 11) leaves -1.25"' \
  '4,1.5,1.5,"x = 1 and y = 0 are both fixed, but x^2 + y^2 = L^2 (line 11) leaves -1.25"' \
  '6,2,1.5,"x = 1 and y = 0 are both fixed, but x^2 + y^2 = L^2 (line 11) leaves -1.25"'
close status '2 * (NR % 2)' all.final.csv
ok 'no values' grep -q '^2,1,1.5,2,nan,nan,nan,nan,nan,nan$' all.final.csv
# a guess gives way where a kept value clashes: y = sqrt(L^2 - 1)
call 0 sweep "$p" --vary 'L=[1.5,2]' --vary 'y~uniform(0.5, 1)' --runs 4 --quiet --to 1 -o guess.h5
call 0 convert guess.h5:2 -o guess.csv
ok 'moved' awk -F, 'NR == 2 { d = $3 - sqrt(3); exit !(d < 1e-12 && d > -1e-12) }' guess.csv
refuses "cannot read 'all.h5:2': it contains no run 2" -- convert all.h5:2 -o no.csv
refuses "cannot read 'all.h5': it contains 3 runs; one must be named" "name one, such as 'all.h5:1'" -- convert all.h5 -o no.csv
refuses "cannot read 'one.csv:1': only HDF5 files hold several runs or points of events" 'leave out what follows the colon' -- convert one.csv:1 -o no.csv
# x' = x^2 leaves to infinity at t = 1/x(0): rows up to there, status 1
cat >blow.ritt <<'MODEL'
model blow
variable x
equation x' = x^2
start t = 0
  x = 1
solve t = 0 .. 2
MODEL
call 1 sweep blow.ritt --vary 'x=[0.25, 1, 0.125, 2]' -o blow.h5 --json
json out
has out '"failed": 2'
ok 'statuses' [ "$(cut -d, -f3 blow.final.csv | tr '\n' ' ')" = 'status 0 1 0 1 ' ]
ok 'how far they came' awk -F, 'NR == 3 || NR == 5 { d = $5 - 1 / $2; if (d > 1e-3 || d < -1e-3) exit 1 }' blow.final.csv
call 0 convert blow.h5:4 -o four.csv
ok 'its rows' [ "$(wc -l <four.csv)" -gt 10 ]
# a first run that cannot start does not hide the columns
call 1 sweep "$p" --vary 'L=[2, 1]' --to 1 --quiet
ok 'the first is without values' [ "$(sed -n 2p out)" = '1,2,2,nan,nan,nan,nan,nan,nan' ]
ok 'the second has them' grep -q '^2,1,0,[0-9]*,1,' out
call 1 sweep "$p" --vary 'L=[2, 3]' --to 1 --quiet
same out 'run,L,status,steps' '1,2,2,nan' '2,3,2,nan'

# ---- draws: by the law, reproducible, the same for any number of threads
call 0 sweep oscillator.ritt --vary 'x=normal(2, 0.5)' --vary 'w=uniform(1, 3)' --runs 400 --quiet --threads 1 -o one.h5
close x '$2 * cos(3 * $3)' one.final.csv
# mean and variance within 5 standard errors: 0.5/20, 0.25 sqrt(2/400), (2/sqrt(12))/20
ok 'moments' awk -F, 'NR > 1 { n++; s += $2; q += ($2 - 2) ^ 2; u += $3 } END { s /= n; q /= n; u /= n
  exit !(n == 400 && (s - 2) ^ 2 < 0.125 ^ 2 && (q - 0.25) ^ 2 < 0.0884 ^ 2 && (u - 2) ^ 2 < 0.145 ^ 2) }' one.final.csv
for n in 2 4 7; do
  call 0 sweep oscillator.ritt --vary 'x=normal(2, 0.5)' --vary 'w=uniform(1, 3)' --runs 400 --quiet --threads $n -o many.h5
  ok "the same bytes for $n threads" cmp -s one.h5 many.h5
  ok "the same table for $n threads" cmp -s one.final.csv many.final.csv
done
call 0 sweep oscillator.ritt --vary 'x=normal(2, 0.5)' --vary 'w=uniform(1, 3)' --runs 100 --quiet
head -101 one.final.csv >expected
ok 'fewer runs are the first ones' cmp -s out expected
call 0 sweep oscillator.ritt --vary 'x=normal(2, 0.5)' --vary 'w=uniform(1, 3)' --runs 100 --seed 1 --quiet
ok 'another seed, other values' sh -c '! cut -d, -f2 out | tail -n +2 | grep -qxFf - expected2' - "$(cut -d, -f2 expected | tail -n +2 >expected2)"
call 0 sweep oscillator.ritt --vary w=1:2:2 --vary 'x=normal(0, 1)' --runs 6 --quiet
ok 'the grid in turn' [ "$(cut -d, -f2 out | tr '\n' ' ')" = 'w 1 2 1 2 1 2 ' ]
"$ritt" sweep - --vary w=1:2:2 --quiet --threads 2 <oscillator.ritt >out
close x 'cos(3 * $2)' out

# ---- columns that depend on a parameter, names that clash
cat >chain.ritt <<'MODEL'
model chain
parameter n = 2
variable status[1..n]
equation
  for i in 1..n: status[i]' = -i*status[i]
start t = 0
  for i in 1..n: status[i] = 1
solve t = 0 .. 1
MODEL
call 0 sweep chain.ritt --vary n=[2,3,1] --quiet -o chain.h5
ok 'the columns of the first' [ "$(head -1 chain.final.csv)" = 'run,n,status,steps,t,status[1],status[2]' ]
close 'status[1]' 'exp(-1)' chain.final.csv
ok 'nothing where there is nothing' sh -c 'tail -1 chain.final.csv | grep -q ",nan$"'
call 0 convert chain.h5:2 -o chain.csv
ok 'each run has its own' [ "$(head -1 chain.csv)" = 't,status[1],status[2],status[3]' ]
sed 's/status\[1..n\]/status/; s/for i in 1..n: //; s/status\[i\]/status/g; s/-i\*/-n*/' chain.ritt >clash.ritt
call 0 sweep clash.ritt --vary n=[2,3] --quiet
ok 'a name that is taken' [ "$(head -1 out)" = 'run,n,status,steps,t,final status' ]

# ---- interrupted: what is finished is in the files, exit 1
sed 's/0 .. 3/0 .. 1e9/' oscillator.ritt >long.ritt
echo 'event early: t - 1 + 1e9*(w - 1) = 0 -> stop' >>long.ritt # run 1 ends at t = 1, the others do not end
"$ritt" sweep long.ritt --vary w=1:2:3 --every 100 --threads 2 -o cut.h5 2>err </dev/null &
process=$!
while [ ! -e cut.h5.part ] || [ ! -e cut.h5.run_3.log ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
kill -TERM $process
wait $process
ok 'exit 1' [ $? = 1 ]
has err 'ritt: error: the sweep was interrupted: 2 of 3 runs are missing'
call 0 convert cut.h5 -o cut.csv
call 0 run long.ritt --every 100 --quiet -o one.csv
ok 'what was finished is whole' cmp -s cut.csv one.csv
ok 'one line in the table' [ "$(wc -l <cut.final.csv)" = 2 ]
ok 'nothing else is left' [ "$(echo cut.*)" = 'cut.csv cut.failed.csv cut.final.csv cut.h5' ]

# ---- wrong calls
o=oscillator.ritt
refuses 'a sweep needs something that varies' "give --vary g=1:10:100, --vary 'x=normal(0, 0.1)'" -- sweep $o
refuses "--vary needs NAME=VALUES, not 'w'" 'write NAME=1:10:100, NAME=[1, 2, 5], NAME=normal(0, 0.1) or NAME=uniform(0, 1)' -- sweep $o --vary w
refuses "--vary ww: the model has neither a parameter nor a variable of this name" 'parameters and start values can vary' -- sweep $o --vary ww=1:2:3
refuses "--vary t: 't' is the independent variable" 'parameters and start values can vary' -- sweep $o --vary t=1:2:3
refuses "--vary m: 'm' is an array" 'vary its elements one by one, with their indices' -- sweep $o --vary m=1:2:3
refuses "--vary w~: the parameter 'w' has no guesses" 'write w=VALUES' -- sweep $o --vary w~1:2:3
refuses "--set w=2 and --vary w exclude each other" 'leave one of them out' -- sweep $o --vary w=1:2:3 --set w=2
refuses "a sweep writes its rows to an HDF5 file or a folder, not to 'a.csv'" 'use a name that ends in .h5, or in / for a folder; --final has the final values' -- sweep $o --vary w=1:2:3 -o a.csv
refuses "a sweep writes one file or folder: 'a.h5' or 'b.h5'?" 'ritt convert writes a run in another format' -- sweep $o --vary w=1:2:3 -o a.h5 -o b.h5
refuses "the folder 'folder' is not empty" 'remove it, or give another name' -- sweep $o --vary w=1:2:3 -o folder
refuses "--format sets the format of the files in a folder" 'give -o DIR/' -- sweep $o --vary w=1:2:3 -o a.h5 --format csv
refuses "the table of final values is CSV, not 'a.npz'" 'use a name that ends in .csv' -- sweep $o --vary w=1:2:3 --final a.npz
refuses "the table of final values and --json would both write to stdout" 'give --final FILE.csv' -- sweep $o --vary w=1:2:3 --json
refuses "--threads needs a whole number of at least 1, not '0'" -- sweep $o --vary w=1:2:3 --threads 0
call 2 sweep $o --vary w=1:2:3 --method dopri
ok 'once, not for every run' [ "$(grep -c "^ritt: error: there is no method 'dopri'" err)" = 1 ]
same out
echo 5 >at
refuses 'a row is requested at 5, but the run goes from 0 to 3' -- sweep $o --vary w=1:2:3 --at at -o no.h5
ok 'no files of a wrong call' [ ! -e no.h5 ]
refuses "--runs is not an option of 'ritt run'" -- run $o --runs 3
call 3 sweep $o --vary w=1:2:3 -o nowhere/a.h5
has err "ritt: error: cannot write 'nowhere/a.h5"

# ---- the section `sweep`: the same runs as the options, which replace it
cat >section.ritt <<'MODEL'
model section
parameter w = 1
variable x
equation x'' + w^2*x = 0
start t = 0
  x = 1, x' = 0
solve t = 0 .. 7
  tolerance 1e-11
  rows 701
event zero: x = 0 -> record
output x
sweep
  w = 1:2:3
  x' ~ uniform(0, 1e-12)
  runs 6
  seed 7
  keep extrema, events, statistics, histogram
MODEL
call 0 sweep section.ritt --final section.csv
has err 'section: 6 runs, 6 done'
has err "x' ~ uniform(0, 1e-12)"
has err 'wrote     section.csv, section.failed.csv, section.statistics.csv, section.histogram.csv'
call 0 sweep section.ritt --vary w=1:2:3 --vary "x'~uniform(0, 1e-12)" --runs 6 --seed 7 --final options.csv --threads 1
ok 'options and section are the same' cmp -s section.csv options.csv
ok 'and the statistics' cmp -s section.statistics.csv options.statistics.csv
ok 'names' [ "$(head -1 section.csv)" = "run,w,start x',status,steps,t,x,min x,max x,count zero,last zero" ]
close x 'cos(7 * $2)' section.csv
close 'max x' 1 section.csv
ok 'the least values lie near -1' awk -F, 'NR > 1 && ($8 < -1.000001 || $8 > -0.999) { bad = 1 } END { exit bad }' section.csv
close 'count zero' 'int(7 * $2 / 3.14159265358979312 + 0.5)' section.csv
close 'last zero' '($10 - 0.5) * 3.14159265358979312 / $2' section.csv
ok 'statistics of the counts 2 3 4 2 3 4' grep -qx '"count zero",6,3,0.89442719099991586,2,2.25,3,3.75,4' section.statistics.csv
ok 'every value is in the histogram' [ "$(awk -F, '$1 == "\"x\"" { n += $4 } END { print n }' section.histogram.csv)" = 6 ]

# a table of runs, alone and with a range
printf 'w,start x\n1,2\n3,0.5\n2,1\n' >runs.csv
call 0 sweep section.ritt --table runs.csv --keep final --quiet
ok '3 runs' [ "$(wc -l <out)" = 4 ]
close x '$3 * cos(7 * $2)' out
call 0 sweep section.ritt --table runs.csv --vary "x'=[0, 1]" --keep final --quiet
ok '6 runs' [ "$(wc -l <out)" = 7 ]
close x '$3 * cos(7 * $2) + $4 / $2 * sin(7 * $2)' out
close "start x'" 'NR % 2' out
sed 's/^  w = 1:2:3/  table "runs.csv"/; /uniform/d; /runs 6/d; /keep/d' section.ritt >tabled.ritt
call 0 sweep tabled.ritt --quiet
close x '$3 * cos(7 * $2)' out

# refused
refuses "a sweep cannot keep 'extremes'" "did you mean 'extrema'?" -- sweep section.ritt --keep extremes
refuses 'statistics and histograms need the final values in a file' 'give --final FILE.csv' -- sweep section.ritt
sed 's/^  w = 1:2:3/  w = abc/' section.ritt >wrong.ritt
refuses "sweep w: 'abc' does not describe values" 'write NAME=1:10:100, NAME=[1, 2, 5], NAME=normal(0, 0.1) or NAME=uniform(0, 1)' \
  -- sweep wrong.ritt --final w.csv
sed 's/^  w = 1:2:3/  w = 1:2/' section.ritt >wrong.ritt
call 2 check wrong.ritt
has err 'wrong.ritt:13:9: error: a range has two ends and a number of points'
printf 'w\n1\nnan\n' >gap.csv
refuses 'table w: row 2 has no value' 'each run needs a number' -- sweep section.ritt --table gap.csv --final w.csv

finish
