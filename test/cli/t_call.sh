#!/bin/sh
# Wrong calls: one clear message each, exit 2.
. "$2/test/cli/common.sh"
m=$pendulum

refuses 'a command is missing' "'ritt --help' lists the commands" --
refuses "unknown command 'rum'" "did you mean 'run'?" -- rum "$m"
refuses "unknown command 'solve'" "write 'ritt run FILE'" -- solve "$m"
refuses "unknown command ''" "'ritt --help' lists the commands" -- ''
refuses "unknown option '--hepl'" "did you mean '--help'?" -- --hepl

# files
refuses 'the name of the model file is missing' "ritt run FILE, or '-' for stdin" -- run
refuses 'the name of the model file is missing' "ritt check FILE, or '-' for stdin" -- check --json
refuses 'the name of the model file is missing' "ritt complete FILE, or '-' for stdin" -- complete --as json
refuses "one model at a time: 'a.ritt' or 'b.ritt'?" 'run them one after another' -- run a.ritt b.ritt
refuses 'the name of the result file is missing' "ritt convert RESULT, or '-' for stdin" -- convert -o a.csv
refuses 'the name of the new file is missing' 'ritt convert RESULT -o OUT.csv' -- convert a.csv
refuses "one result at a time: 'a.csv' or 'b.csv'?" 'run them one after another' -- convert a.csv b.csv
refuses "'a.csv' cannot be written while it is read" 'give the new file another name' -- convert a.csv -o a.csv
refuses "cannot open 'a.csv': No such file or directory" 'check the name and the folder' -- convert a.csv -o b.csv
refuses "'ritt methods' takes no file, but got 'a.ritt'" -- methods a.ritt

# options
refuses "unknown option '--tool'" "did you mean '--tol'?" -- run "$m" --tool 1e-8
refuses "unknown option '--tool'" "did you mean '--tol'?" -- run "$m" --tool=1e-8
refuses "unknown option '--poinst'" "did you mean '--points'?" -- run "$m" --poinst 3
# habits of other programs
refuses "unknown option '--tolerance'" 'write --tol T' -- run "$m" --tolerance 1e-6
refuses "unknown option '--rows'" 'write --points N, or --every' -- run "$m" --rows 10
refuses "unknown option '-n'" 'write --points N' -- run "$m" -n 10
refuses "unknown option '--output'" 'write -o OUT.csv' -- run "$m" --output a.csv
refuses "unknown option '--dt'" 'write --step DX, or --max-step' -- run "$m" --dt 0.1
refuses "unknown option '--jobs'" "'ritt run --help' lists the options" -- run "$m" --jobs 4
refuses "unknown option '--jobs'" 'write --threads N' -- sweep "$m" --jobs 4
refuses "unknown command 'rum'" "did you mean 'run'?" -- help rum
refuses "there is no library and no component 'elektric'" "did you mean 'electric'?" -- library elektric
refuses "unknown command 'simulate'" "write 'ritt run FILE'" -- simulate "$m"
refuses "unknown command 'a.ritt'" "write 'ritt run a.ritt'" -- a.ritt
refuses "there is no method 'ode15s'" 'use radau or auto' -- run "$m" --method ode15s
refuses "unknown option '-x'" "'ritt run --help' lists the options" -- run "$m" -x
refuses "unknown option '--frobnicate'" "'ritt check --help' lists the options" -- check "$m" --frobnicate
refuses "--tol is not an option of 'ritt check'" -- check "$m" --tol 1e-8
refuses "--json is not an option of 'ritt complete'" -- complete "$m" --json
call 0 help run
ok 'help of a command' grep -q '^usage: ritt run FILE' out
call 0 library electric
ok 'one library' sh -c 'grep -q "^    opamp " out && ! grep -q "^planar" out'
call 0 library revolute
ok 'the component in every library that has it' [ "$(grep -c '^component revolute' out)" = "$(grep -l '^component revolute' "$source"/library/*.ritt | wc -l)" ]
ok 'and no other' [ "$(grep -c '^component' out)" = "$(grep -c '^component revolute' out)" ]
refuses '--quiet takes no value' -- run "$m" --quiet=yes

# values
refuses '--tol needs a value: --tol T' -- run "$m" --tol
refuses '--tol needs a value: --tol T' -- run "$m" --tol --quiet
refuses '-o needs a value: -o OUT.csv' -- run "$m" -o
refuses "-o needs a value, not ''" -- run "$m" -o ''
refuses "--tol needs a positive number, not '-1e-8'" -- run "$m" --tol -1e-8
refuses "--tol needs a positive number, not '0'" -- run "$m" --tol=0
refuses "--tol needs a positive number, not 'small'" -- run "$m" --tol small
refuses "--tol needs a positive number, not ''" -- run "$m" --tol=
refuses "--tol needs a positive number, not '1e-8x'" -- run "$m" --tol 1e-8x
refuses "--tol needs a positive number, not 'nan'" -- run "$m" --tol nan
refuses "--tol needs a positive number, not '0x1p-20'" -- run "$m" --tol 0x1p-20
refuses "--to needs a number, not 'inf'" -- run "$m" --to inf
refuses "--to needs a number, not '1e999'" -- run "$m" --to 1e999
refuses "--step needs a positive number, not '-0.1'" -- run "$m" --step=-0.1
refuses "--constant-step needs a positive number, not '0'" -- run "$m" --constant-step 0
refuses "--points needs a whole number of at least 2, not '1'" -- run "$m" --points 1
refuses "--points needs a whole number of at least 2, not '-5'" -- run "$m" --points -5
refuses "--points needs a whole number of at least 2, not '2.5'" -- run "$m" --points 2.5
refuses "--points needs a whole number of at least 2, not '99999999999999999999'" -- \
  run "$m" --points 99999999999999999999
refuses "--max-steps needs a whole number of at least 1, not '0'" -- run "$m" --max-steps 0
refuses "--project needs stages or end, not 'middle'" -- run "$m" --project middle
refuses "--project needs stages or end, not 'stage'" -- run "$m" --project stage
refuses "--projection needs gauss or newton or chord or inexact or blocks or sequential, not 'nearest'" -- \
  run "$m" --projection nearest
refuses "--predictor needs on or off, not 'yes'" -- run "$m" --predictor yes
refuses "--metric needs weighted or euclidean, not ''" -- run "$m" --metric=
refuses "--as needs text or latex or json, not 'xml'" -- complete "$m" --as xml
refuses "--set needs NAME=VALUE, not 'g'" -- run "$m" --set g
refuses "--set needs NAME=VALUE, not '=3'" -- check "$m" --set =3
refuses "--set needs NAME=VALUE, not 'g='" -- complete "$m" --set g=

# what does not go together, and names of files
refuses 'projection blocks needs mechanics with position constraints' 'use projection newton' -- \
  run "$source/models/classics/kepler.ritt" --projection blocks
refuses 'the predictor does not work with projection sequential' 'use projection gauss, or predictor off' -- run "$m" --predictor on
refuses 'projection sequential is not orthogonal, and the method taylor3 needs one that is' \
  'use projection gauss, or a method taylor:k' -- run "$m" --method taylor3 --projection sequential
refuses "'ritt emit' cannot write power series, which the method taylor:20 needs" 'give --method dop853' -- \
  emit c "$m" --method taylor:20
refuses '--points and --step exclude each other' 'give one of them' -- run "$m" --points 10 --step 0.1
refuses '-o - and --json would both write to stdout' 'give the table a file' -- run "$m" -o - --json
refuses "cannot open 'none.ritt': No such file or directory" 'check the name and the folder' -- check none.ritt
refuses 'the tolerance 1e-40 is finer than the numbers, which are rounded to 2.2e-16' "use 1e-15 or more, or 'precision quad'" -- run "$m" --tol 1e-40
refuses 'the tolerance 10 is too large' 'use a tolerance between 1e-300 and 1' -- run "$m" --tol 10
refuses 'rows 1e-300 apart would be more than 1e+09 rows' 'ask for rows further apart' -- run "$m" --step 1e-300
endings='use a name that ends in .csv, .npz, .h5 or .jsonl, or give --format csv'
refuses "'.dat' is not the ending of a format of tables" "$endings" -- run "$m" -o a.dat
refuses "'.log' is not the ending of a format of tables" "$endings" -- run "$m" -o a.h5 -o dir.csv/a.log
refuses "the name 'a.csv' and --format npz say different things" 'give the file another ending, or leave out --format' -- \
  run "$m" -o a.csv --format npz
refuses "--format needs csv or npz or h5 or jsonl, not 'xls'" -- run "$m" -o a --format xls
refuses 'h5 cannot be written to stdout' 'give the table a file' -- run "$m" -o - --format h5
refuses '-o a.csv is given twice' -- run "$m" -o a.csv -o b.csv -o a.csv
refuses "a plot cannot be written as 'a.gif'" 'use a name that ends in .svg, .png or .pdf' -- run "$m" --plot a.gif
refuses "a plot cannot be written as 'svg'" 'use a name that ends in .svg, .png or .pdf' -- run "$m" --plot svg

# the model is never written over
cp "$m" mine.ritt
for lost in '--checkpoint mine.ritt' '-o mine.ritt --format csv' '--save-start ./mine.ritt'; do
  call 2 run mine.ritt --to 0.1 $lost
  has err "mine.ritt' is the model, which would be overwritten"
done
call 2 sweep mine.ritt --vary g=1:2:2 --final mine.ritt
call 2 emit c mine.ritt -o mine.ritt
ok 'the model is as it was' cmp -s "$m" mine.ritt

# a name that begins with a dash comes after --
call 2 run -- --help
has err "'--help'"

finish
