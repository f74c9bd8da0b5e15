#!/bin/sh
# ritt run --view and --animate: pages and animations of the models that have a scene, and what is refused.
. "$2/test/cli/common.sh"
call 0 run "$pendulum" --to 5 --quiet -o a.csv --view a.html --animate a.gif
call 0 run "$pendulum" --to 5 --quiet -o b.csv
ok 'the rows are those without a view' cmp -s a.csv b.csv
ok 'a page' grep -q '<!DOCTYPE html>' a.html
ok 'it needs no other file' sh -c '! grep -Eq "https?:|src=|@import" a.html'
ok 'the summary is in it' grep -q 'hidden constraints: 2' a.html
ok 'a GIF' sh -c 'head -c 6 a.gif | grep -q GIF89a'
cp a.html first.html
cp a.gif first.gif
call 0 run "$pendulum" --to 5 --quiet --view a.html --animate a.gif
ok 'equal runs give equal pages' cmp -s a.html first.html
ok 'equal runs give equal animations' cmp -s a.gif first.gif
call 0 run "$pendulum" --to 5 --animate a.svg
has err 'wrote     a.svg'
ok 'an SVG that moves' grep -q '<animate attributeName="cx"' a.svg

# every model with a scene, also those whose shapes come from a library
for model in $(grep -l '^scene' "$source"/models/*/*.ritt) "$source/models/parts/andrews.ritt"; do
  name=$(basename "$model" .ritt)
  call 0 run "$model" --quiet --view "$name.html"
  ok "$name has shapes" grep -q '"figures":\[{' "$name.html"
done
ok 'several models' [ "$(ls ./*.html | wc -l)" -gt 7 ]

cat >plain.ritt <<'END'
model plain
variable x
equation x' = -x
start x = 1
solve t = 0 .. 1
END
call 0 run plain.ritt --quiet --view plain.html
ok 'a model without a scene has its plots' grep -q '"name":\["t","x"\]' plain.html
refuses "the model 'plain' has no scene, so there is nothing to animate" "add a section 'scene', for example with the line 'point (x, y)'" -- run plain.ritt --animate p.gif
refuses "an animation cannot be written as 'p.png'" 'use a name that ends in .svg, .gif or .mp4' -- run plain.ritt --animate p.png
refuses "a page cannot be written as 'p.svg'" 'use a name that ends in .html' -- run plain.ritt --view p.svg
refuses '--checkpoint does not go with --view, which needs all points of the run' "leave out one of them; 'ritt plot' draws the rows of a run afterwards" -- run plain.ritt --view p.html --checkpoint ck

PATH=/nowhere "$ritt" run "$pendulum" --to 1 --quiet --animate p.mp4 2>err
ok 'no ffmpeg: exit 3' [ $? = 3 ]
has err 'a film needs the program ffmpeg'
ok 'no film' [ ! -e p.mp4 ]

# a film, by ffmpeg if it is there; else by a script in its place, which shows how it is called
if ! command -v ffmpeg >/dev/null 2>&1; then
  mkdir stand_in
  printf '#!/bin/sh\nfor file; do :; done\n{ printf "....ftyp"; cat "$4"; } >"$file"\n' >stand_in/ffmpeg
  chmod +x stand_in/ffmpeg
  PATH=$PWD/stand_in:$PATH
  echo 'ffmpeg is not installed: a script stands for it'
fi
call 0 run "$pendulum" --to 2 --quiet --animate film.mp4
ok 'a film' sh -c 'head -c 8 film.mp4 | tail -c 4 | grep -q ftyp'
ok 'with its pictures' [ "$(wc -c <film.mp4)" -gt 5000 ]

# a run that ends early has a page up to there
cat >early.ritt <<'END'
model early
variable x
equation x' = x^2
start x = 1
solve t = 0 .. 2
scene point (x, 0)
END
call 1 run early.ritt --quiet --view early.html
ok 'the page of a run that stopped' grep -q '"figures":\[{' early.html
finish
