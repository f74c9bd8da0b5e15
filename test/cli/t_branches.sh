#!/bin/sh
# Branches: the list, the choice, runs on them; and a Singular that is absent, dies, talks rubbish, floods, sleeps or lies.
# $1 = the program, $2 = the source folder.
#
# Numbers of components, dimensions, degrees and smoothness are those that a computer algebra system gives for these
# linkages (the parallelogram: section 6.4 of the higher order paper); the point at x = 10 was computed in quadruple
# precision from the crank angle on that component alone.
. "$2/test/cli/common.sh"
models=$source/models/branches

four_bar() { # a b c d
  cat <<END
model four_bar
parameter a = $1, b = $2, c = $3, d = $4
variable x1, y1, x2, y2
lagrangian (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 - y1 - y2
constraint
  x1^2 + y1^2 = a^2
  (x2 - x1)^2 + (y2 - y1)^2 = b^2
  (d - x2)^2 + y2^2 = c^2
END
}
# near FILE VALUE...: the last row of the table agrees with these values to 1e-6
near() {
  file=$1
  shift
  if tail -1 "$file" | tr , '\n' | sed 1d | paste -d' ' - expected_values | awk '
    { d = $1 - $2; if (!(d < 1e-6 && d > -1e-6)) bad = 1; n++ } END { exit bad || n == 0 }'; then pass; else
    fail "the end of $file after ritt $called"
  fi
}

# ---- programs that are no Singular --------------------------------------------------------------------------
fake() { # NAME, script on stdin
  { echo '#!/bin/sh'; cat; } >"$1"
  chmod +x "$1"
}
model=$models/parallelogram.ritt

call 3 run "$model" --singular-program ./absent
has err "error: the program ./absent, which splits constraints into branches, is not installed"
echo 'exit 7' | fake dies
call 3 run "$model" --singular-program ./dies
has err 'error: ./dies ended with exit code 7 before it answered'
echo 'kill -9 $$' | fake killed
call 3 run "$model" --singular-program ./killed
has err 'error: ./killed was killed by signal 9 before it answered'
echo 'echo good day; echo "@@END"; cat >/dev/null' | fake rubbish
call 3 run "$model" --singular-program ./rubbish
has err 'error: the answer of ./rubbish to minAssGTZ does not read as a list of components'
echo 'echo "@@END"; cat >/dev/null' | fake empty
call 3 run "$model" --singular-program ./empty
has err 'error: the answer of ./empty to minAssGTZ does not read as a list of components'
echo 'echo "   ? out of cheese"; echo "@@END"; cat >/dev/null' | fake complains
call 3 run "$model" --singular-program ./complains
has err 'error: ./complains complains: out of cheese'
echo 'exec yes "v(1)-v(2)"' | fake floods
call 3 run "$model" --singular-program ./floods
has err 'error: ./floods answered with more than 16 MiB and was ended'
echo 'echo $$ >>pids; exec sleep 1000' | fake sleeps
call 3 run "$model" --singular-program ./sleeps --singular-limit 0.2
has err 'error: ./sleeps had no answer after 0.2 seconds and was ended'
ok 'it was asked twice' [ "$(wc -l <pids)" = 2 ]
for pid in $(cat pids); do ok "process $pid is gone" sh -c "! kill -0 $pid 2>/dev/null"; done
echo 'exec 0<&-; exec sleep 1000' | fake deaf
call 3 run "$model" --singular-program ./deaf --singular-limit 0.2
has err 'error: ./deaf had no answer after 0.2 seconds and was ended'
: >not_a_program
call 3 run "$model" --singular-program ./not_a_program
has err 'error: ./not_a_program, which splits constraints into branches, could not be started'
# well-formed and wrong: a component that the constraints do not have, one too few, one of another dimension
lie() { # NAME LINE...
  name=$1
  shift
  { printf 'cat <<END\n'; printf '%s\n' "$@"; printf '@@END\nEND\ncat >/dev/null\n'; } | fake "$name"
}
lie wrong 1 1 2 'v(2)+v(4),v(1)-v(3)+2,v(3)^2+v(4)^2-4*v(3)+3'
call 3 run "$model" --singular-program ./wrong
has err 'fails a check: component 1 has points that do not satisfy the constraints'
lie short 1 1 2 'v(2)-v(4),v(1)-v(3)+2,v(3)^2+v(4)^2-4*v(3)+3'
call 3 run "$model" --singular-program ./short
has err 'fails a check: its components leave out points that satisfy the constraints'
lie dimension 2 2 2 'v(2)-v(4),v(1)-v(3)+2,v(3)^2+v(4)^2-4*v(3)+3' 1 4 \
  '4*v(2)*v(4)+3*v(1)-3*v(3)+6,v(3)^2+v(4)^2-4*v(3)+3,4*v(2)*v(3)-3*v(2)+3*v(4)'
call 3 run "$model" --singular-program ./dimension
has err 'does not have the dimension that it states'
for text in 'v(9)-1' 'v(1)-' 'v(1)-1,' 'v(1)^0' 'v(1)/2' '1' 'v(1)-1/0' 'v(1) - 1' 'x'; do
  lie wrong 1 1 2 "$text"
  call 3 run "$model" --singular-program ./wrong
  has err 'does not read as a list of components'
done
# true, but mute afterwards: ranks are not known, and the message says so
lie mute 2 1 4 'v(3)^2+v(4)^2-4*v(3)+3,4*v(2)*v(3)-3*v(2)+3*v(4),4*v(2)*v(4)+3*v(1)-3*v(3)+6' 1 2 \
  'v(2)-v(4),v(1)-v(3)+2,v(3)^2+v(4)^2-4*v(3)+3'
call 0 complete "$model" --branches --singular-program ./mute --singular-limit 2
has out 'branch 2: dimension 1, degree 4, whether it is smooth was not decided, through the start point'

# a model that asks for no branch works without any of it, whatever is there
sed '/^branch/d' "$model" >plain.ritt
call 0 run plain.ritt --singular-program ./absent
call 2 check plain.ritt --branch 0
has err "error: '0' does not choose a branch"
call 2 check plain.ritt --branch 'through z = 1'
has err "error: there is no variable 'z'"
call 2 check plain.ritt --branch 'through y4'
has err "error: 'through y4' does not choose a branch"
call 2 complete plain.ritt --branches --as latex

# the Bricard linkage with all of its 24 constraints, of which each of some follows from the others: one of them is left
# out, and it moves as usual (its height at rest is 3, g = 9.81)
if [ -z "$sanitized" ]; then
  sed 's/^constraint p2z = 0/&\nconstraint u2z = 0/' "$models/bricard.ritt" >full.ritt
  call 0 run full.ritt -o b.csv
  has err 'graph, free initial values: 2'
  has err '  dependent constraint '
  ok 'the whole Bricard linkage' awk -F, 'NR > 1 { u = $12; e = $13 - 3*9.81; low = $9
    if (!(u*u < 1e-20 && e*e < 1e-14)) bad = 1 } END { exit bad || NR < 50 || !(low < -0.9) }' b.csv
fi

if ! command -v Singular >/dev/null 2>&1; then
  echo 'skipped: Singular is not installed, so that no branches were found'
  finish
  exit
fi

# ---- the lists -----------------------------------------------------------------------------------------------
# heads FILE LINE...: the lines of the branches, up to where they lie
heads() {
  sed -n 's/^branch [0-9]*: \(dimension [0-9]*, degree [0-9]*, [a-z]*\).*/\1/p' out >heads.txt
  same heads.txt "$@"
}
two='dimension 1, degree 2, smooth'
four='dimension 1, degree 4, smooth'
call 0 complete "$model" --branches
heads "$two" "$four"
has out '  y2 - y4 = 0'
has out '  y1 - y3 + 2 = 0'
has out 'branch 2: dimension 1, degree 4, smooth, through the start point'
four_bar 1 1 2 2 >m.ritt
call 0 complete m.ritt --branches
heads "$two" "$four"
four_bar 1 2 2 1 >m.ritt
call 0 complete m.ritt --branches
heads "$two" "$four"
four_bar 1 1 1 1 >m.ritt
call 0 complete m.ritt --branches
heads "$two" "$two" "$two"
four_bar 1 2 3/2 2 >m.ritt
call 0 complete m.ritt --branches
heads 'dimension 1, degree 6, smooth'
four_bar 1 3 2 2 >m.ritt # a node
call 0 complete m.ritt --branches
heads 'dimension 1, degree 6, with'
call 0 complete "$models/two_rhombi.ritt" --branches
heads "$two" "$two" "$two" "$two" "$two" "$two"
call 0 complete "$models/folding_slider_crank.ritt" --branches
heads "$two" "$two"

# linkages by their angles: the same numbers of components
angles() { # b c
  cat <<END
model angles
variable p, q, r
lagrangian (p'^2 + q'^2 + r'^2)/2 - sin(p) - sin(r)
constraint
  cos(p) + $1*cos(q) = 2 + $2*cos(r)
  sin(p) + $1*sin(q) = $2*sin(r)
END
}
angles 2 1 >m.ritt
call 0 complete m.ritt --branches
ok 'two branches by angles' [ "$(grep -c '^branch .* dimension 1.* smooth' out)" = 2 ]
angles 2 3/2 >m.ritt
call 0 complete m.ritt --branches
ok 'one branch by angles' [ "$(grep -c '^branch .* dimension 1.* smooth' out)" = 1 ]

# exactly the primes of the paper: each ideal holds the other's generators
call 0 complete "$model" --branches --as json
sed -n 's/.*"branch": '1',.*"generators": \[\([^]]*\)\].*/\1/p' out | tr -d '"' >first
sed -n 's/.*"branch": '2',.*"generators": \[\([^]]*\)\].*/\1/p' out | tr -d '"' >second
cat >question <<END
short=0;ring r=0,(y1,y2,y3,y4),dp;
ideal a=$(cat first);ideal b=$(cat second);
ideal g=y3^2+y4^2-4*y3+3,y2-y4,y1-y3+2;
ideal h=y3^2+y4^2-4*y3+3,4*y2*y3-3*y2+3*y4,4*y2*y4+3*y1-3*y3+6;
print(size(reduce(a,std(g))));print(size(reduce(g,std(a))));print(size(reduce(b,std(h))));print(size(reduce(h,std(b))));
END
Singular -q -t --no-rc --no-warn <question >answer
same answer 0 0 0 0

# ---- runs ------------------------------------------------------------------------------------------------------
# through the flat position six times: reference values at x = 10
printf '%s\n' 0.9150992400562370972320036 0.4032286954675936132280571 2.429602041197087588878187 \
  -0.9030183199688120713234853 0.4508858950734030760135238 -1.02325391166737381918995 2.261293374907337447075195 \
  1.075787974754703548842332 >expected_values
call 0 run "$model" --tol 1e-10 -o a.csv
near a.csv
call 0 run "$model" --tol 1e-10 --branch 2 -o a.csv
near a.csv
call 0 run "$model" --tol 1e-10 --branch 'through y2 = 0.4, y4 = -0.8' -o a.csv
near a.csv
# the same with equations written by hand, the multipliers scaled and divided by masses
cat >hand.ritt <<'END'
model hand
independent x
parameter a = 1, b = 2, c = 1, d = 2, T = 0.8, m1 = 0.2, m2 = 0.1, gamma = 9.81
variable y1, y2, y3, y4, l1, l2, l3
equation
  y1'' = -y2*T/a^2/m1 - (y1*l1 - (y3 - y1)*l2)/m1
  y2'' = y1*T/a^2/m1 - gamma - (y2*l1 - (y4 - y2)*l2)/m1
  m2*y3'' + (y3 - y1)*l2 - (d - y3)*l3 = 0
  m2*y4'' + m2*gamma + (y4 - y2)*l2 + y4*l3 = 0
  y1^2 + y2^2 = a^2
  (y3 - y1)^2 + (y4 - y2)^2 = b^2
  (d - y3)^2 + y4^2 = c^2
branch through start
start x = 0
  y1 = 1/2, y2 = sqrt(3)/2, y3 = 3/2, y4 = -sqrt(3)/2
  y1' ~ 0, y2' ~ 0, y3' ~ 0, y4' ~ 0, l1 ~ 1
solve x = 0 .. 10
  tolerance 1e-10
output y1, y2, y3, y4, y1', y2', y3', y4'
END
call 0 run hand.ritt -o a.csv
near a.csv
sed "s/^output.*/output l1/" hand.ritt >uses.ritt
call 2 run uses.ritt
has err "the column 'l1' contains multipliers of constraints that the branch replaces"
# a force that is not a force of constraint
sed "s/+ y4\*l3 = 0/+ y4*l3*y2 = 0/" hand.ritt >other.ritt
call 2 run other.ritt
has err 'only 2 of the 3 position constraints have a multiplier'

# the flat position itself belongs to both
sed 's/y1 = 1\/2.*/y1 = 1, y2 = 0, y3 = 3, y4 = 0/' plain.ritt >flat.ritt
call 2 run flat.ritt
has err 'error: 2 branches pass through the start point, or near it: branch 1 (y2 - y4 = 0'
call 2 run flat.ritt --branch 'through start'
call 2 run flat.ritt --branch 3
has err 'error: there is no branch 3: the position constraints have 2 branches'
call 0 run flat.ritt --branch 1
call 0 run flat.ritt --branch 2
# only one of three branches passes: it is taken without being asked for
sed 's/^branch.*//' "$models/rhombus.ritt" >m.ritt
call 2 run m.ritt
has err 'error: 2 branches pass through the start point'

# forces of constraint are what mass times acceleration leaves, also on the way through a crossing
sed 's/^output.*/output left = m2*(y4'"''"' + gamma) - reaction(y4)/; /^plot/d' "$model" >force.ritt
call 0 run force.ritt -o f.csv
ok 'the force of constraint' awk -F, 'NR > 1 && !($2 < 1e-10 && $2 > -1e-10) { bad = 1 } END { exit bad || NR < 100 }' f.csv

# the crank and the rod mirror each other: b = -a and x = 2 cos a
call 0 run "$models/folding_slider_crank.ritt" -o s.csv
ok 'the rod mirrors the crank' awk -F, 'NR > 1 { d = $2 + $3; e = $4 - 2*cos($2)
  if (!(d*d < 1e-18 && e*e < 1e-18)) bad = 1 } END { exit bad || NR < 100 }' s.csv

# redundant constraints, a platform on three parallel legs: four equations of which the component has three; energy is kept
cat >legs.ritt <<'END'
model legs
variable x1, y1, x3, y3
lagrangian (x1'^2 + y1'^2 + x3'^2 + y3'^2)/2 - y1 - y3
constraint
  x1^2 + y1^2 = 1
  (x3 - 2)^2 + y3^2 = 1
  (x3 - x1)^2 + (y3 - y1)^2 = 4
  ((x1 + x3)/2 - 1)^2 + ((y1 + y3)/2)^2 = 1
branch through start
start x1 = 0.6, y1 = 0.8, x3 ~ 2.6, y3 ~ 0.8, x1' = 0
solve t = 0 .. 10
  tolerance 1e-11
output E = (x1'^2 + y1'^2 + x3'^2 + y3'^2)/2 + y1 + y3
END
echo 1.6 >expected_values
call 0 run legs.ritt -o e.csv
near e.csv
# as it is written it stops where it is flat, and says what helps
sed '/^branch/d' legs.ritt >flat_legs.ritt
call 1 run flat_legs.ritt -o e.csv
has err "'branch through start' passes it"

for m in "$models"/*.ritt; do
  call 0 run "$m"
  ok "$m: its rows are independent everywhere" sh -c '! grep -q "lose rank" err'
done
finish
