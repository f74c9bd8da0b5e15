# `ritt linearize` and `ritt steady`: what they print, as text and as JSON, and what they refuse. The numbers are those of
# law/t_linearize.c. $1 = the program, $2 = the source folder.
. "$2/test/cli/common.sh"

cat >pendulum.ritt <<'END'
model pendulum
parameter g = 9, L = 1, u = 0
variable x, y, lambda
equation
  x'' + lambda*x = u
  y'' + lambda*y + g = 0
  x^2 + y^2 = L^2
start t = 0
  x = 0.1, y ~ -1, x' = 0
solve t = 0 .. 1
END

# it swings with sqrt(g/L) = 3
call 0 steady pendulum.ritt
same err
has out 'pendulum has an equilibrium; stability: not decided by the linearisation'
has out '  y            -1'
has out '+-3 '
call 0 linearize pendulum.ritt --steady --input u --json
json out
has out '"states": ["x", "x'"'"'"]'
has out '"inputs": ["u"]'
call 0 linearize pendulum.ritt --at 0.5
has out 'pendulum at t = 0.5: 2 states: x, x'"'"
has out 'not an equilibrium'
call 0 steady pendulum.ritt --json
json out
has out '"stability": "not decided by the linearisation"'

# files: the matrices of x'' = -9 x + u
call 0 linearize pendulum.ritt --steady --input u -o a.json -o a.npz -o a.mat
json a.json
has a.json '"states": ["x", "x'"'"'"]'
ok 'a MAT file' sh -c 'head -c 10 a.mat | grep -q "MATLAB 5.0" && [ $(($(wc -c <a.mat) % 8)) = 0 ]'
if python3 -c 'import numpy, scipy.io' 2>/dev/null; then
  ok 'the matrices' python3 -c '
import numpy, scipy.io
z, m = numpy.load("a.npz"), scipy.io.loadmat("a.mat")
assert abs(z["A"] - [[0, 1], [-9, 0]]).max() < 1e-12 and abs(z["B"].ravel() - [0, 1]).max() < 1e-12
assert list(z["states"]) == ["x", "x" + chr(39)] and (m["A"] == z["A"]).all() and (m["C"] == z["C"]).all()
assert [text.strip() for text in m["states"]] == list(z["states"]) and m["D"].shape == (len(m["outputs"]), 1)'
fi
if command -v gnuplot >/dev/null; then
  call 0 linearize pendulum.ritt --steady --input u --bode b.svg
  ok 'the Bode plot' grep -q 'frequency' b.svg
  ok 'no log is left' [ ! -e b.svg.log ]
fi
refuses "'a.txt' does not end like a format of matrices" 'use a name that ends in .json, .npz or .mat' -- linearize pendulum.ritt -o a.txt
refuses 'a frequency response needs an input' 'name a parameter with --input' -- linearize pendulum.ritt --bode b.svg

# an input that other parameters are defined by: x'' + d x' + 4 x = F, F = 2 u; d = 0 takes x' out of the equation
cat >damped.ritt <<'END'
model damped
parameter d = 0, u = 1/4, F = 2*u
variable x
equation x'' + d*x' + 4*x = F
start t = 0
  x = 1, x' = 0
solve t = 0 .. 1
output x, force = F
END
call 0 linearize damped.ritt --input u,F --json
ok "B and D by u and F: $(cat out)" python3 -c '
import json
r = json.load(open("out"))
assert r["A"] == [[0, 1], [-4, 0]] and r["B"] == [[0, 0], [2, 1]] and r["D"] == [[0, 0], [2, 1]]'
refuses "derivatives by the input 'd' are not known: with the value 0 of d an unknown disappears from an equation" \
  'give it a value at which none disappears' -- linearize damped.ritt --input d

# far away the velocities of x'' = -1/x^2 tend to 0, but there is no equilibrium
printf 'model far\nvariable x\nequation x%s = -1/x^2\nstart t = 0\n  x = 1, x%s = 0\nsolve t = 0 .. 1\n' "''" "'" >far.ritt
call 2 steady far.ritt
has err 'no equilibrium was found'

# stable and unstable
printf 'model m\nparameter a = 1\nvariable x\nequation x%s = -a*x\nstart t = 0\n  x = 1\nsolve t = 0 .. 1\n' "'" >m.ritt
call 0 steady m.ritt
has out 'stability: stable'
call 0 steady m.ritt --set a=-1
has out 'stability: unstable'

# refused
refuses '--at and --steady name two different points' 'leave one of them out' -- linearize pendulum.ritt --at 1 --steady
refuses '--moving and --hold belong to equilibria' 'add --steady' -- linearize pendulum.ritt --moving x
refuses "--at needs a number, not 'soon'" -- linearize pendulum.ritt --at soon
refuses "the model has no parameter 'w'" 'an input is a parameter of the model' -- linearize pendulum.ritt --input w
refuses "the parameter 'L' stands in a constraint, so that its derivatives act on the states too" \
  "let the input act by a filter, such as tau*v' = u - v" -- linearize pendulum.ritt --input L
refuses "'z' is not a coordinate of the completed system" "the coordinates are x, y, x', y'" -- steady pendulum.ritt --moving z

finish
