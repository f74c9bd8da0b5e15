# ritt run --verify: what it claims against references (those of t_truth.c, t_stiff.c and t_ivp.c, where their sources are named).
# $1 = the program, $2 = the source folder.
#
# The digits that it says are at most one more than the true ones, at the end of the run, and half of the claims are
# within one digit.
. "$2/test/cli/common.sh"

# digits REFERENCE...: true digits of the last row of rows.csv, its columns in units of their largest value; the columns without
# a reference ('-') do not count
digits() {
  awk -F, -v list="$*" '
    BEGIN { n = split(list, reference, " ") }
    NR > 1 { for (i = 2; i <= NF; i++) { v = $i < 0 ? -$i : $i + 0; if (v > size[i]) size[i] = v; last[i] = $i } }
    END {
      worst = 1e-17
      for (i = 1; i <= n; i++) if (reference[i] != "-") {
        e = last[i + 1] - reference[i]; e = (e < 0 ? -e : e) / size[i + 1]
        if (!(e <= worst)) worst = e
      }
      printf "%.3f\n", -log(worst) / log(10)
    }' rows.csv
}

# claim MODEL TO METHOD TOLERANCE REFERENCE...
: >claims
claim() {
  what="$1 to $2 by $3 with $4"
  call 0 run "$source/models/$1.ritt" --to "$2" --method "$3" --tol "$4" --verify --json -o rows.csv
  said=$(sed -n 's/^  "verified_digits_end": \([0-9.e+-]*\),*$/\1/p' out)
  shift 4
  true=$(digits "$@")
  ok "$what: $said digits claimed, $true true" awk -v a="${said:-99}" -v b="$true" 'BEGIN { exit !(a <= b + 1) }'
  awk -v a="${said:-99}" -v b="$true" 'BEGIN { d = a - b; print d < 0 ? -d : d }' >>claims
}

for run in 'dopri54 1e-5' 'dopri54 1e-8' 'dop853 1e-9' 'rk4 1e-6' 'taylor:12 1e-9'; do
  # shellcheck disable=SC2086
  {
    claim classics/pendulum/pendulum 10 $run -0.811586446191303834 -0.584232351345395701 - -
    claim papers/henon_heiles 110 $run 0.0650144328072613162 0.246590712315162329 - -
    claim papers/kepler 10 $run -1.38222335041362129 -0.383467612657720553 0.309053231192036523 -0.540063293697978334
    claim papers/magnetic_particle 20 $run -1.15974040149213218 -0.657836117342663698 -0.879681638865811855
    claim papers/rigid_body 10 $run -0.821119488120399497 0.537655467650222106 0.191544731941951566
    claim papers/mhd 1.7 $run 4.58004133617277162 6.40679940880505730 89.5123984898338009
    claim papers/stiff_pendulum 20 $run -0.542146508796448493 -0.875318151655516044
    claim papers/fourbar 10 $run -0.0916073759622915591 -0.995795204180710727 0.744623195242314556 0.820992739356679159
    claim papers/fourbar_folding 10 $run 0.915099240056237097 0.403228695467593613 2.42960204119708759 -0.903018319968812071
    claim papers/discharge_pressure 40 $run 0.674781468051226896 0.746116442607109968 99.0810190729947440
    claim ivp/car_axis 3 $run 0.0493455784275240921 0.496989460230008107 1.04174252488542612 0.373911027265365819 \
      -0.0770583684035920843 0.00744686659206841648 0.0175568157535417366 0.770341043779601062 -0.00473688659085332652 -0.00110468033125956584
    claim ivp/andrews 0.03 $run 15.8107711951537071 -15.7563710584118395 0.0408222401196458049
  }
done
for run in 'radau5 1e-5' 'radau5 1e-8' 'radau9 1e-7' 'radau3 1e-5'; do
  # shellcheck disable=SC2086
  {
    claim ivp/hires 321.8122 $run 0.0007371312573325668 0.0001442485726316185 5.888729740967575e-05 0.001175651343283149 \
      0.002386356198831331 0.006238968252742796 0.002849998395185769 0.002850001604814231
    claim ivp/van_der_pol_stiff 2 $run 1.706167732170483 -0.8928097010247975
    claim ivp/oregonator 360 $run 1.000814870318523 1228.178521549917 132.0554942846706
    claim ivp/chemical_akzo 180 $run 0.1150794920661702 0.001203831471567715 0.1611562887407974 0.0003656156421249283
    claim classics/pendulum/pendulum 10 $run -0.811586446191303834 -0.584232351345395701 - -
  }
done

median=$(sort -g claims | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')
ok "half of the claims are off by more than a digit: $median" awk -v m="$median" 'BEGIN { exit !(m <= 1) }'

# in words; a second run that cannot finish is reported
call 0 run "$pendulum" --verify
ok "the summary: $(grep verified err)" grep -Eq '^  verified  [0-9.]+ digits at the end, [0-9.]+ over the run \(least in [a-zA-Z]+\), against dop853 with tolerance 1e-09$' err
call 0 run "$pendulum" --quiet --verify
same err

# a variable below its absolute tolerance has no digits, and the summary says what to do
printf "model low\nvariable x\nequation x' = -x\nstart x = 1e-12\nsolve t = 0 .. 5\n  absolute 1e-8\n" >low.ritt
call 0 run low.ritt --verify
has err 'verified  no digits: x'
has err 'below     x: at most'
has err 'less than the absolute tolerance 1.0e-08'
has err "'absolute x = 1e-20' below solve"
call 0 run low.ritt --verify --json
has out '"verified_digits": null'
has out '"verified_without_digits": ["x"]'
# without the setting its digits are kept
grep -v absolute low.ritt >kept.ritt
call 0 run kept.ritt --verify -o kept.csv
ok 'no word about it' sh -c '! grep -q below err'
ok "x(5) = $(tail -1 kept.csv)" awk -F, 'END { e = $2/1e-12/exp(-5) - 1; exit !(e < 1e-6 && e > -1e-6) }' kept.csv

# a pulse that lasts a ten-thousandth of the run: the second run sees it; with max_step the first one does
printf "model pulse\nvariable x\nequation x' = 1e3*exp(-(1e3*(t - 5))^2)\nstart x = 0\nsolve t = 0 .. 10\n" >pulse.ritt
call 0 run pulse.ritt --verify
has err 'verified  0.0 digits'
call 0 check pulse.ritt
has out 'is large only near t = 5'
has out 'max_step'
sed 's/1e3/2/g' pulse.ritt >broad.ritt
call 0 check broad.ritt
ok 'no note about a broad pulse' sh -c '! grep -q max_step out'
call 0 run pulse.ritt --max-step 0.005 -o pulse.csv
ok "x(10) = $(tail -1 pulse.csv)" awk -F, 'END { e = $2 - sqrt(3.141592653589793); exit !(e < 1e-6 && e > -1e-6) }' pulse.csv

# a row without a value is not a success; the rows are there
printf "model gap\nvariable x\nequation x' = -1\nstart x = 1\nsolve t = 0 .. 2\noutput x, y = log(x - 1/4)\n" >gap.ritt
call 1 run gap.ritt --points 5 --quiet -o gap.csv
has err 'the column y has no value at t = 1; 3 rows have such a gap'
ok 'all rows' [ "$(wc -l <gap.csv)" = 6 ]

finish
