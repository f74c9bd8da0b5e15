#!/bin/sh
# ritt plot: pictures of results of all formats, and what is refused. What gnuplot is told is seen in the script that is kept.
. "$2/test/cli/common.sh"
call 0 run "$pendulum" --to 5 --quiet -o a.csv -o a.npz -o a.h5 -o a.jsonl

refuses 'the name of the result file is missing' "ritt plot RESULT, or '-' for stdin" -- plot -o a.svg
refuses 'the name of the new file is missing' 'ritt plot RESULT -o OUT.svg' -- plot a.csv
refuses "no plot can be written as 'a.gif'" 'let the name end in .svg, .png or .pdf' -- plot a.csv -o a.gif
refuses "'a.csv' has no column 'lamda'" "did you mean 'lambda'?" -- plot a.csv --y lamda -o a.svg
refuses "'a.h5' has no column 'velocity'" 'its columns are: t, x, y, lambda, E' -- plot a.h5 --x velocity -o a.svg
refuses "a curve in space needs two names after --y, not 'x'" '--3d --x x --y y,z draws (x, y, z)' -- plot a.csv --3d --y x -o a.svg
refuses "--style needs lines or points, not 'dots'" -- plot a.csv --style dots -o a.svg
refuses "--points is not an option of 'ritt plot'" -- plot a.csv --points 3 -o a.svg
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
  ok 'the script draws it anew' cmp -s c.svg first.svg

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
fi

finish
