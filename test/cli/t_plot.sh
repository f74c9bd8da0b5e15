#!/bin/sh
# ritt plot: pictures of results of all formats, and what is refused. The script that is kept shows the commands for gnuplot.
. "$2/test/cli/common.sh"
call 0 run "$pendulum" --to 5 --quiet -o a.csv -o a.npz -o a.h5 -o a.jsonl

refuses 'the name of the result file is missing' "ritt plot RESULT, or '-' for stdin" -- plot -o a.svg
refuses 'the name of the new file is missing' 'ritt plot RESULT -o OUT.svg' -- plot a.csv
refuses "a plot cannot be written as 'a.gif'" 'use a name that ends in .svg, .png or .pdf' -- plot a.csv -o a.gif
refuses "'a.csv' has no column 'lamda'" "did you mean 'lambda'?" -- plot a.csv --y lamda -o a.svg
refuses "'a.h5' has no column 'velocity'" 'its columns are: t, x, y, lambda, E' -- plot a.h5 --x velocity -o a.svg
refuses "a curve in space needs two names after --y, not 'x'" '--3d --x x --y y,z draws (x, y, z)' -- plot a.csv --3d --y x -o a.svg
refuses "--style needs lines or points, not 'dots'" -- plot a.csv --style dots -o a.svg
refuses "--points is not an option of 'ritt plot'" -- plot a.csv --points 3 -o a.svg
refuses "--yrange needs LOW:HIGH with LOW < HIGH, not '2:1'" 'write it like --yrange 0:2.5' -- plot a.csv --y x --yrange 2:1 -o a.svg
refuses "--xrange needs LOW:HIGH with LOW < HIGH, not '1'" 'write it like --yrange 0:2.5' -- plot a.csv --y x --xrange 1 -o a.svg
refuses "a logarithmic axis cannot begin at 0:1" 'begin above 0, or leave out --log' -- plot a.csv --y x --yrange 0:1 --log y -o a.svg
refuses "--log needs x or y or xy, not 'z'" -- plot a.csv --log z -o a.svg

# axes in the model
decay() { printf 'model decay\nparameter k = 1\nvariable u, log\nequation\n  u'\'' = -k*u\n  log'\'' = -2*log\nstart u = 1, log = 1\nsolve t = 0 .. 5\n'; cat; }
mistake() { # TEXT MESSAGE HINT: the plot's lines are refused
  printf "$1" | decay >bad.ritt
  call 2 check bad.ritt
  has err "error: $2"
  [ -z "${3:-}" ] || has err "hint: $3"
}
mistake 'plot t: u\n  log z\n' "'log' names an axis: x, y or xy" 'write log x, log y or log xy'
mistake 'plot t: u\n  yrange 1\n' "'..' and the upper end are missing here" 'write yrange 0 .. 10'
mistake 'plot t: u\n  yrange 2 .. k\n' 'the axis ends before it begins' 'write the smaller number first'
mistake 'plot t: u\n  yrange 0 .. 1\n  log xy\n' 'a logarithmic axis begins above 0' "begin above 0, or leave out 'log'"
mistake 'plot t: u\n  yrange 0 .. u\n' 'the end of an axis'
mistake 'plot t: u\n  ylabel u\n' "the text of 'ylabel' stands in quotes" 'write ylabel "energy (J)"'
mistake 'plot t: u\n  log y\n  log xy\n' "'log' stands twice" 'remove one of them'
mistake 'plot\n  log y\n  t: u\n' "'log' stands before the curves of the plot"
mistake 'plot3 (t, u, u)\n  log y\n' "a curve in space has no 'log'"
decay >axes.ritt <<'END'
plot t: u, log
  log y
  yrange 1e-9 .. 2*k
  ylabel "amount <mol>"
plot log: u
  xlabel "log"
END
call 0 format axes.ritt --check
call 0 run axes.ritt --quiet --view axes.html
has axes.html '"axis":[{"log":0},{"log":1,"low":1e-09,"high":2,"label":"amount \u003cmol>"}]'
has axes.html '"name":["log","u"],"unit":["",""],"axis":[{"log":0,"label":"log"},{"log":0}]'

PATH=/nowhere "$ritt" plot a.csv -o a.svg 2>err
ok 'no gnuplot: exit 3' [ $? = 3 ]
has err 'ritt: error: gnuplot is not installed, so no plot was drawn'
ok 'no picture' [ ! -e a.svg ]

if command -v gnuplot >/dev/null 2>&1; then
  # the same curves from every format; titles where the format has them
  for ending in csv npz h5 jsonl; do
    call 0 plot a.$ending --x t --y x,y --y lambda --title same -o $ending.svg --keep-script
    sed "s/$ending.svg/a.svg/" $ending.gp >$ending.script
    ok "$ending: the same script" cmp -s $ending.script csv.script
    ok "$ending: a picture" grep -q '<svg' $ending.svg
  done
  call 0 plot a.h5 -o b.svg -o b.png -o b.pdf --keep-script
  ok 'three pictures' [ -s b.svg -a -s b.png -a -s b.pdf ]
  has b.gp "set label 1 'A point mass on a massless rod, as an index-3 DAE' noenhanced"
  has b.gp "title 'lambda'"
  call 0 plot a.npz --3d --x t --y x,y -o c.svg --keep-script
  has c.gp 'splot $D0 using 1:2:(floor_z)'
  has c.gp "set zlabel 'y' noenhanced"
  call 0 plot a.npz --x x --y y --style points -o c.svg --keep-script
  has c.gp 'with points'
  # a phase curve has a ring at its start and a disc at its end, a graph has neither
  call 0 plot a.csv --x x --y y -o c.svg --keep-script
  ok 'the start' sh -c 'grep -A1 "^.A0 <<" c.gp | grep -qx "1 0"'
  ok 'the end' sh -c 'tail -n 1 a.csv | { IFS=, read -r t x y rest; grep -A1 "^.B0 <<" c.gp | tail -n 1 | awk -v x="$x" -v y="$y" "{ exit !((\$1 - x)^2 + (\$2 - y)^2 < 1e-14) }"; }'
  ok 'both are drawn' grep -q 'using 1:2 with points pointtype 6 .*using 1:2 with points pointtype 7' c.gp
  call 0 plot a.csv --y x -o c.svg --keep-script
  ok 'no ends on a graph' sh -c '! grep -q "^.A0 <<" c.gp'

  # ranges, logarithms and labels
  call 0 plot a.csv --y lambda --xrange 1:2.5 --yrange 0.01:3 --log y --xlabel "time, s" --ylabel "the force" -o c.svg --keep-script
  has c.gp 'set xrange [1:2.5]'
  has c.gp 'set logscale y'
  has c.gp "set xlabel 'time, s' noenhanced"
  has c.gp "set ylabel 'the force' noenhanced rotate by 90"
  ok 'only y is logarithmic' sh -c '! grep -q "set logscale x" c.gp'
  # without a range the positive values are shown
  printf 't,x\n0,0\n1,0.001\n2,0.1\n3,10\n' >log.csv
  call 0 plot log.csv --log y -o c.svg --keep-script
  tr '[]:' '   ' <c.gp >numbers
  ok 'the range of a logarithmic axis' awk '/set yrange/ { fits = $3 > 0.0005 && $3 < 0.001 && $4 > 10 && $4 < 20 } END { exit !fits }' numbers
  # a curve over many powers of ten keeps its shape: 10000 rows from 1e-6 to 1e6, of which x has its step near 1e-3
  awk 'BEGIN { print "t,x"; for (i = 0; i <= 10000; i++) { t = exp((i/10000*12 - 6)*log(10)); print t "," t/(t + 0.001) } }' >wide.csv
  call 0 plot wide.csv --log x -o c.svg --keep-script
  ok 'points near the step' [ "$(awk '/EOD/ { data = !data } data && $1 > 1e-4 && $1 < 1e-2' c.gp | wc -l)" -gt 200 ]
  # a flat panel has three marks
  printf 'x,y\n0,0\n10,1\n0,2\n5,2.9\n' >flat.csv
  call 0 plot flat.csv --x x --y y -o c.svg --keep-script
  tr '[]:' '   ' <c.gp >numbers
  ok 'three marks' awk '/set yrange/ { low = $3; high = $4 } /set ytics [0-9]/ { step = $3 } END { for (k = -100; k < 100; k++) if (k*step >= low && k*step <= high) n++; exit !(n >= 3) }' numbers
  "$ritt" run "$pendulum" --to 5 --quiet -o - | "$ritt" plot - --y x -o piped.svg
  ok 'from a pipe' grep -q '<svg' piped.svg
  # what is written below the axis is inside of the picture
  for picture in csv b c; do
    ok "$picture.svg: words below its edge" awk '
      /viewBox/ { split($0, part, /[" ]+/); for (i in part) if (part[i] == "viewBox=") height = part[i + 4] }
      match($0, /translate\([-0-9.]+,[-0-9.]+/) { split(substr($0, RSTART, RLENGTH), at, ","); if (at[2] > lowest) lowest = at[2] }
      END { exit !(height > 0 && lowest > height/2 && lowest < height - 3) }' $picture.svg
  done
  # the script draws the same picture
  mv c.svg first.svg
  gnuplot --default-settings c.gp
  ok 'the script draws it again' cmp -s c.svg first.svg

  # equal axes in space: a box that is higher than wide is drawn smaller, so that it is there as a whole
  for height in 2 5; do
    printf 'model helix\nvariable x, y\nequation\n  x'\''= -y\n  y'\''= x\nstart x = 1, y = 0\nsolve t = 0 .. 7\nplot3 (x, y, %s*t/7)\n' $height >helix.ritt
    call 0 run helix.ritt --quiet --plot helix$height.svg --keep-script
    has helix$height.gp 'set view equal xyz'
  done
  has helix2.gp 'set view 62, 35, 1.3'
  has helix5.gp 'set view 62, 35, 0.'

  # curves in space, and the points of a section: Figure 6.2 of the paper has 343
  call 0 run "$source/models/papers/henon_heiles_section.ritt" --plot section.svg --keep-script
  has err '  events    cut 343 times'
  points() { sed -n "/^.D$1 << EOD/,/^EOD/p" section.gp | grep -cE '^[-0-9.e]+ [-0-9.e]+( [-0-9.e]+)?$'; }
  ok 'all points are drawn that can be told apart' [ "$(points 0)" -gt 330 -a "$(points 0)" -le 343 ]
  ok 'as points' grep -q '^plot $D0 using 1:2 with points' section.gp
  ok 'the curve in space' sh -c 'grep -q "^splot .D1 using" section.gp'
  ok 'no log is left' [ ! -e section.svg.log -a ! -e section.svg.cut.log ]

  # a run's plot is of the solution, however few its rows are
  call 0 run "$pendulum" --to 5 --quiet --points 2 --plot few.svg --keep-script
  call 0 run "$pendulum" --to 5 --quiet --points 500 --plot many.svg --keep-script
  ok 'more points than rows' [ "$(grep -c '^[-0-9.e]* [-0-9.e]*$' few.gp)" -gt 200 ]
  ok 'and of nothing else' [ ! -e few.svg.log ]
  call 0 run "$pendulum" --to 5 --quiet --plot few.svg
  cp few.svg once.svg
  call 0 run "$pendulum" --to 5 --quiet --plot few.svg
  ok 'the same picture again' cmp -s few.svg once.svg
  # its axes are those of the model, unless an option says otherwise
  call 0 run axes.ritt --quiet --plot axes.svg --keep-script
  ok 'one logarithmic axis' [ "$(grep -c 'set logscale' axes.gp)" = 1 ]
  has axes.gp 'set yrange [1.0000000000000001e-09:2]'
  has axes.gp "set ylabel 'amount <mol>' noenhanced"
  has axes.gp "set xlabel 'log' noenhanced"
  call 0 run axes.ritt --quiet --plot axes.svg --keep-script --log x --xrange 1e-3:1 --yrange 0:4
  ok 'both panels' [ "$(grep -c 'set logscale x' axes.gp)" = 2 ]
  ok 'and no other' [ "$(grep -c 'set logscale y' axes.gp)" = 0 ]
  has axes.gp 'set yrange [0:4]'
  # they are chosen as those of ritt plot
  call 0 run "$2/models/classics/robertson.ritt" --quiet --plot axes.svg --keep-script --log x --xrange 1e-6:1e10 --ylabel part
  has axes.gp 'set logscale x'
  has axes.gp 'set xrange [9.9999999999999995e-07:10000000000]'
  has axes.gp "set ylabel 'part'"
fi

finish
