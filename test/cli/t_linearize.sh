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
refuses 'the input number 1 stands in a constraint, so that its derivatives act on the states too' \
  "let the input act by a filter, such as tau*v' = u - v" -- linearize pendulum.ritt --input L
refuses "'z' is not a coordinate of the completed system" "the coordinates are x, y, x', y'" -- steady pendulum.ritt --moving z

finish
