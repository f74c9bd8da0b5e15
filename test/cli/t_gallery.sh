#!/bin/sh
# Every model of models/gallery against mathematics: closed forms, what is conserved, other methods; and the
# messages of those that are refused. docs/gallery.md tells their stories.
. "$2/test/cli/common.sh"
gallery=$source/models/gallery

# rows NAME [OPTION...]: the table of a gallery model, NAME.csv
rows() {
  name=$1
  shift
  call 0 run "$gallery/$name.ritt" --quiet -o "$name.csv" "$@"
}

# law NAME TOLERANCE EXPR: EXPR, in awk with c("x") for a column, is 0 in every row of NAME.csv, up to the tolerance
law() {
  if awk -F, "
    function c(name) { if (!(name in at)) { print \"no column \" name; wrong = 1; exit }; return \$at[name] + 0 }
    function abs(u) { return u < 0 ? -u : u }
    BEGIN { pi = atan2(0, -1) }
    NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next }
    { u = abs($3); rows++; if (!(u <= most)) most = u }
    END { if (rows < 2 || wrong || !(most <= $2)) { print \"largest: \" most; exit 1 } }" "$1.csv" >said; then pass; else
    fail "$1: |$3| is not below $2 ($(cat said))"
  fi
}

# ends NAME TOLERANCE EXPR: the same of the last row alone
ends() {
  { head -1 "$1.csv" && tail -1 "$1.csv" && tail -1 "$1.csv"; } >end.csv
  law end "$2" "$3"
}

# index NAME N: the index that is found
index() {
  call 0 check "$gallery/$1.ritt" --json
  has out "\"index\": $2,"
}

# ---- the pendulum on a sliding pivot: three levels of the constraint, one motion; E + losses = M g at the start
for level in '' _position _acceleration; do
  rows sliding_pivot$level --points 401
  law sliding_pivot$level 1e-9 'c("off")'
  law sliding_pivot$level 1e-8 'c("balance") - 10'
done
law sliding_pivot_position 1e-14 'c("off")'
law sliding_pivot 1e-13 '2*c("x")*c("u") - c("v")'
index sliding_pivot 2
index sliding_pivot_position 3
index sliding_pivot_acceleration 1
paste -d, sliding_pivot.csv sliding_pivot_position.csv sliding_pivot_acceleration.csv | awk -F, '
  NR > 1 { for (i = 1; i <= 7; i++) for (k = 1; k <= 2; k++) { d = $i - $(i + 12 * k); if (d < 0) d = -d; if (d > most) most = d } }
  END { exit !(NR == 402 && most < 1e-7) }'
ok 'sliding_pivot: the levels of the constraint give different motions' [ $? = 0 ]

# ---- pendulums let go level: K(1/2) is a quarter of the period times sqrt(g/l), then they hang; E = 0
quarter=1.8540746773013719
rows pendulum_velocity --to $quarter
ends pendulum_velocity 1e-10 'abs(c("x")) + abs(c("y") + 1)'
rows pendulum_velocity
law pendulum_velocity 1e-10 'abs(c("E")) + abs(c("length") - 1)'
law pendulum_velocity 1e-14 'c("x")*c("u") + c("y")*c("v")'
rows pendulum_long --to "$(awk "BEGIN { printf \"%.17g\", 401*$quarter/sqrt(9.81) }")"
ends pendulum_long 1e-8 'abs(c("x")) + abs(c("y") + 1)'
law pendulum_long 2e-15 'c("error")'
law pendulum_long 1e-9 'c("E")/9.81'
rows pendulum_drift --to "$(awk "BEGIN { printf \"%.17g\", 101*$quarter/sqrt(9.80665/1.1) }")"
ends pendulum_drift 1e-5 'abs(c("x")) + abs(c("y") + 1.1)'
rows pendulum_drift --points 5001 # most of them between the steps
law pendulum_drift 2e-15 'c("drl")'
law pendulum_drift 1e-14 'c("drv")'

# ---- the closed chain
for n in 4 10; do
  rows closed_chain --set n=$n
  law closed_chain 1e-8 "c(\"energy\") - (e == \"\" ? e = c(\"energy\") : e)"
  law closed_chain 1e-12 'c("longest")'
done
rows closed_chain --set n=50 --to 0.2
law closed_chain 1e-8 "c(\"energy\") - (e == \"\" ? e = c(\"energy\") : e)"
law closed_chain 1e-12 'c("longest")'

# ---- equations too many
rows repeated_equation
law repeated_equation 1e-12 'c("x") - 2 - 9.8*c("t")'
call 0 check "$gallery/repeated_equation.ritt"
has out '  dependent equations: equation 2 (line 9)'
rows all_nodes
law all_nodes 1e-10 'c("vC") - 5*(1 - exp(-2*c("t")))'
law all_nodes 1e-10 'c("iV") + 2.5*exp(-2*c("t"))'
call 0 run "$gallery/all_nodes.ritt"
has err '  dependent equation ground (line 14)'
rows conservation_law_mended --points 101
law conservation_law_mended 1e-13 'abs(c("E") + c("C") - 1) + abs(c("S") + c("C") + c("P") - 2)'
mv conservation_law_mended.csv first.csv
rows conservation_law_mended --points 101 --method gauss6 --tol 1e-13
paste -d, first.csv conservation_law_mended.csv >both.csv
awk -F, 'NR > 1 { for (i = 1; i <= 5; i++) { d = $i - $(i + NF/2); if (d < 0) d = -d; if (d > most) most = d } } END { exit !(most < 1e-9) }' both.csv
ok 'conservation_law_mended: another solution by another method' [ $? = 0 ]

# ---- refused
call 2 run "$gallery/conservation_law.ritt"
has err 'a condition from equations 1, 2 and 5 (lines 10, 11, 14)'
call 2 run "$gallery/wrong_start.ritt"
has err 'y = 1 and x = 3 are both fixed, but 0 = 3*x - y (line 8) leaves -8'
call 2 run "$gallery/undetermined.ritt"
has err 'the equations leave x and y undetermined'
call 2 check "$gallery/undetermined.ritt" --json
has out '"undetermined_variables": ["x", "y"]'
# at rest each pair pushes with 1/2 along the radius: lambda = -(n - 1)/4
call 2 run "$gallery/over_prescribed.ritt" --set n=4
has err 'lambda[1] = 0, lambda[2] = 0, lambda[3] = 0 and lambda[4] = 0 are all fixed, but the equations contradict them'
ok 'over_prescribed: the values that would do' grep -Eq 'the nearest solution found has lambda\[[1-4]\] = -0\.75$' err

# ---- a singular point with several solutions
call 1 run "$gallery/branches.ritt"
has err 'the run stopped at t = 1.5707963'
has err 'a singular point'
rows branches --singular through
law branches 1e-8 'abs(c("y") - sin(c("t"))) + abs(c("z") - cos(c("t")))'

# ---- a constraint instead of a projection; rows between the steps
rows constraint_function --points 2001
law constraint_function 5e-16 'c("radius")'
law constraint_function 1e-6 'abs(c("x") - cos(c("t"))) + abs(c("y") - sin(c("t")))'
rows dense_output
law dense_output 1e-16 'c("off")'
law dense_output 1e-6 'c("y0") - exp(-c("t"))'

# ---- chaos: 1e-3 apart, then anything; each keeps its energy
rows chaos
for k in 1 2 3; do law chaos 1e-9 "c(\"E$k\") - 9.81*0.625*sin(70*pi/180 + ($k - 1)*1e-3)"; done
ends chaos 0 'c("apart") < 0.3'

# ---- Jansen's leg: every joint from two circles
cat >leg.awk <<'END'
function meet(ax, ay, ra, bx, by, rb, side,   d, u, h) {
  d = sqrt((bx - ax)^2 + (by - ay)^2); u = (d^2 + ra^2 - rb^2)/(2*d); h = side*sqrt(ra^2 - u^2)
  mx = ax + (u*(bx - ax) - h*(by - ay))/d; my = ay + (u*(by - ay) + h*(bx - ax))/d
}
function look(x, y) { e = sqrt((x - mx)^2 + (y - my)^2); if (!(e <= most)) most = e }
NR > 1 {
  ax = 15*cos($1); ay = 15*sin($1); bx = -38; by = -7.8
  meet(ax, ay, 50, bx, by, 41.5, -1); look($4, $5); cx = mx; cy = my
  meet(cx, cy, 55.8, bx, by, 40.1, -1); look($6, $7); dx = mx; dy = my
  meet(ax, ay, 61.9, bx, by, 39.3, 1); look($8, $9); ex = mx; ey = my
  meet(dx, dy, 39.4, ex, ey, 36.7, -1); look($10, $11); fx = mx; fy = my
  meet(fx, fy, 65.7, ex, ey, 49, -1); look($12, $13)
}
END { print most; exit !(NR == 242 && most < 1e-9) }
END
rows strandbeest
awk -F, -f leg.awk strandbeest.csv >said
ok "strandbeest: joints where the circles meet ($(cat said))" [ $? = 0 ]

# ---- Peaucellier's line, and the inversion
rows peaucellier
law peaucellier 1e-12 'c("line")'
law peaucellier 1e-12 'sqrt((c("Bx")^2 + c("By")^2)*(c("Px")^2 + c("Py")^2)) - 6.44'

# ---- the trebuchet: energy is that of the start, to 1e-9 of it; at release it flies at 45 degrees; its range
rows trebuchet
law trebuchet 2e-6 'c("energy") - 9.81*(10*(-5*sin(pi/4)) + 1000*(1.25*sin(pi/4) - 1) - 50*1.875*sin(pi/4))'
law trebuchet 1e-12 '(c("x") - c("tx"))^2 + (c("y") - c("ty"))^2 - 16'
ends trebuchet 1e-9 "c(\"x'\") - c(\"y'\")"
ends trebuchet 1e-9 "-(c(\"y\") + 5*sin(pi/4)) - (c(\"range\") - c(\"x\")) + 9.81/2*((c(\"range\") - c(\"x\"))/c(\"x'\"))^2"

# ---- the falling chain: energy of the start, -g/25^2 (12*13/2*2) ; faster than a stone
rows falling_chain
law falling_chain 1e-8 'c("energy") + 9.81/625*156'
ends falling_chain 0 'c("tip") > c("stone") - 0.15'

# ---- the top: energy, both momenta; Z runs between cos(tilt) and the smaller root of 8 (1 - u^2) = 81 (1/2 - u)
rows gyroscope --points 3001
law gyroscope 1e-8 'abs(c("energy") - 83) + abs(c("L3") - 9) + abs(c("Lz") - 4.5)'
law gyroscope 1e-14 'c("norm")'
awk -F, '
  NR == 2 { low = high = $4 }
  NR > 1 { if ($4 < low) low = $4; if ($4 > high) high = $4 }
  END { low -= (81 - sqrt(5521))/16; exit !(low < 1e-6 && low > -1e-10 && high < 0.5 + 1e-10) }' gyroscope.csv
ok 'gyroscope: how far it nods' [ $? = 0 ]
# its mass matrix is singular: no algebra may take rounding errors for a pivot
for linear in dense band sparse; do
  rows gyroscope --to 2 --max-steps 200 --linear $linear
  law gyroscope 1e-8 'c("energy") - 83'
done

# ---- the coin: turn = 2, k = g sin(slope)/(3/2)
rows coin
law coin 1e-10 'c("x") - 9.81*sin(pi/9)/12*sin(2*c("t"))^2'
law coin 1e-10 'c("y") - 9.81*sin(pi/9)/3*(c("t")/2 - sin(4*c("t"))/8)'

# ---- on surfaces
rows torus
law torus 1e-8 'abs(c("energy") - 2.125) + abs(c("p") - 2.4)'
law torus 1e-13 'c("off")'
rows geodesic
law geodesic 1e-9 'abs(c("energy") - 0.5) + abs(c("J") - (0.09 + 0.64/1.44)/9)'
law geodesic 1e-14 'c("off")'
rows clairaut
law clairaut 1e-9 'abs(c("energy") - 0.5) + abs(c("clairaut") - 1.5*0.3333)'
law clairaut 1e-14 'c("off")'

# ---- the cycloid
rows brachistochrone
law brachistochrone 1e-10 'abs(c("x") - c("cx")) + abs(c("y") - c("cy")) + abs(c("H"))'
ends brachistochrone 1e-10 'abs(c("x") - 2*pi) + abs(c("y"))'

# ---- the robot: on its path; what the motors do is what the arm gains
rows robot_arm
index robot_arm 5
law robot_arm 1e-14 'c("off")'
law robot_arm 1e-12 'abs(c("x2") - 0.9 - 0.5*sin(c("t"))) + abs(c("y2") - 0.6 - 0.4*sin(2*c("t")))'
law robot_arm 1e-8 'c("balance") - (e == "" ? e = c("balance") : e)'

# ---- the circuit: R C2 = 1, w = 3
rows circuit
index circuit 2
law circuit 1e-10 'c("e2") - (sin(3*c("t")) - 3*cos(3*c("t")) + 3*exp(-c("t")))/10'
law circuit 1e-10 'c("iV") + 0.3*cos(3*c("t")) + (c("e1") - c("e2"))/2'
law circuit 1e-10 'c("e3") + 0.6*sin(2*c("t"))'

# ---- the page; t_pages.sh compares its outputs

# every model has its story, and its picture where it shows one
for file in "$gallery"/*.ritt; do
  name=$(basename "$file" .ritt)
  ok "docs/gallery.md does not tell of $name" grep -q "$name" "$source/docs/gallery.md"
done
for picture in $(sed -n 's/.*](\(pictures\/[^)]*\)).*/\1/p' "$source/docs/gallery.md"); do
  ok "docs/$picture is missing" [ -s "$source/docs/$picture" ]
done

finish
