#!/bin/sh
# `ritt new` writes models that run as they are; `ritt explain` tells how hidden constraints were found.
. "$2/test/cli/common.sh"

# every kind is written under the name that was asked for, is in canonical layout, and runs
for kind in ode dae mechanics circuit parts; do
  call 0 new "my_$kind" --kind $kind
  same out "wrote my_$kind.ritt; next: ritt run my_$kind.ritt --plot my_$kind.svg"
  same err
  ok "my_$kind.ritt has its name" grep -q "^model my_$kind \"" "my_$kind.ritt"
  call 0 format --check "my_$kind.ritt"
  call 0 run "my_$kind.ritt" --quiet
done
ok 'each kind has a model of its own' [ "$(ls "$source"/models/new/*.ritt | wc -l)" = 5 ]

# the default kind; the ending may be typed; a folder may stand before the name
call 0 new first
call 0 check first.ritt
has out 'index: 3'
mkdir folder
call 0 new folder/second.ritt
ok 'the name has neither folder nor ending' grep -q '^model second ' folder/second.ritt

# nothing is overwritten, and names are names
refuses 'the name of the new model is missing' 'ritt new NAME' -- new
refuses "'first.ritt' exists already" 'choose another name' -- new first
refuses "'two words' is not the name of a model" "use letters, digits and '_': ritt new engine" -- new 'two words'
refuses "'3d' is not the name of a model" "use letters, digits and '_': ritt new engine" -- new 3d

# the pendulum: the rod is differentiated twice; the first derivative is the hidden constraint
cat >pendulum.ritt <<'END'
model pendulum
variable x, y, lambda
equation
  x'' + lambda*x = 0
  y'' + lambda*y + 1 = 0
  x^2 + y^2 = 1
start t = 0
  x = 1
  y ~ 0
solve t = 0 .. 1
END
call 0 explain pendulum.ritt
same err
has out 'Differentiated twice: equation 3 (line 6)'
has out "  since it contains none of x'', y'' and lambda"
has out "  once: 2*x*x' + 2*y*y' = 0, a hidden constraint"
has out "  twice: 2*x'^2 + 2*y'^2 + 2*x''*x + 2*y''*y = 0"
has out "Of its 4 initial values 2 may be chosen; the others follow from the equations."

# an ODE: nothing is differentiated and everything is free
call 0 explain my_ode.ritt
has out 'No equation had to be differentiated.'
has out 'The state is rabbits and foxes. Both of its initial values are free.'

# an unknown that one equation gives; equations that only together leave no highest derivative: x' + y' + x = 0 and x' + y' + y = 1
# give x - y + 1 = 0
cat >both.ritt <<'END'
model both
variable x, y, z
equation
  x' + y' + x = 0
  x' + y' + y = 1
  z = x*y
start t = 0
  x = 1
solve t = 0 .. 1
END
call 0 explain both.ritt
has out 'z = x*y, by equation 3 (line 6)'
has out 'Of its 2 initial values 1 may be chosen; the other follows from the equations.'

# a constraint that the other equations keep: the derivative of x^2 + y^2 = 1 follows from x' = y, y' = -x
cat >kept.ritt <<'END'
model kept
variable x, y
equation
  x' = y
  y' = -x
  x^2 + y^2 = 1
start x = 0.6, y ~ 1
solve t = 0 .. 1
END
call 0 explain kept.ritt
has out 'Constraints whose derivatives follow from the other equations:'
has out 'x^2 + y^2 - 1 = 0, equation 3 (line 6)'
has out 'No equation had to be differentiated.'
call 0 run kept.ritt
has err '  residual  '

# a prescribed motion leaves nothing to choose
cat >driven.ritt <<'END'
model driven
variable x, F
equation
  x'' = F
  x + x^3 = sin(t)
solve t = 0 .. 1
END
call 0 explain driven.ritt
has out "Its initial values follow from the equations; none may be chosen."

# a run without constraints has neither Newton iterations nor a residual to report
call 0 run my_ode.ritt
has err ' evaluations'
ok 'no residual' sh -c '! grep -q -e residual -e "Newton iterations" err'

# members of a family are explained once
cat >points.ritt <<'END'
model points
variable x[1..4], y[1..4], s[1..4]
equation for i in 1..4:
  x[i]'' = -s[i]*x[i]
  y[i]'' = -s[i]*y[i] - 1
  x[i]^2 + y[i]^2 = i
start for i in 1..4:
  x[i] = 0, y[i] ~ -sqrt(i), x[i]' = 1
solve t = 0 .. 1
END
call 0 explain points.ritt
ok 'one paragraph' [ "$(grep -c '^Differentiated' out)" = 1 ]
has out '  likewise: equation 6 (line 6, i = 2); equation 9 (line 6, i = 3); and 1 more'

# a system that is not determined is refused as `check` refuses it
printf 'model open\nvariable x, y\nequation\n  x'"'"' + y = 1\nstart t = 0\n  x = 1\nsolve t = 0 .. 1\n' >open.ritt
call 2 explain open.ritt
same out

finish
