#!/bin/sh
# Native code: the same bytes as the interpreter's for every model, and a cache that trusts nothing but its own files.
. "$2/test/cli/common.sh"
unset CC
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
models=$source/models

if ! command -v cc >/dev/null && ! command -v gcc >/dev/null && ! command -v clang >/dev/null; then
  echo 'skipped: there is no C compiler'
  call 0 run "$pendulum" --to 1 --native always
  has err 'native    code was not compiled, so the interpreter ran: no C compiler is on the path'
  finish
fi

# ---- the same bytes
# both FILE [OPTION]...: rows, exit code and what stopped the run
both() {
  file=$1
  shift
  "$ritt" run "$file" "$@" --quiet --native never -o never.csv >/dev/null 2>never.err
  code=$?
  "$ritt" run "$file" "$@" --quiet --native always -o always.csv >/dev/null 2>always.err
  ok "$(basename "$file") $*: the same exit code" [ $? = $code ]
  ok "$(basename "$file") $*: the same rows" cmp -s never.csv always.csv
  ok "$(basename "$file") $*: the same words" cmp -s never.err always.err
}
# a fifth of the models, since compilers take their time; tools/determinism compares all
number=0
for file in "$models"/*/*.ritt "$pendulum"; do
  number=$((number + 1))
  case $sanitized$((number % 5))$file in yes?*/papers/mech6.ritt | yes1*/classics/* | 1*) both "$file" --max-steps 40 ;; esac
done
# stages of implicit methods, with steps of all orders, and of Rosenbrock methods
for method in radau5 radau gauss4 rodas4 rodas5p; do
  both "$models/classics/robertson.ritt" --method $method --max-steps 60
  both "$models/ivp/hires.ritt" --method $method --tol 1e-9 --points 20 --max-steps 60
done
for method in radau5 dop853 taylor:8 taylor3; do both "$pendulum" --method $method --max-steps 20; done
both "$pendulum" --projection newton --project stages --max-steps 20
# whole steps: all rows at once, positions and then velocities, stages alone; with rejected steps and rows within steps
both "$models/papers/henon_heiles.ritt" --method dopri54 --project stages --max-steps 200
both "$models/ivp/pendulum.ritt" --method dopri54 --project stages --points 37 --max-steps 200
both "$models/ivp/pendulum.ritt" --projection gauss --project stages --max-steps 50
both "$models/ivp/andrews.ritt" --method dopri54 --project end --max-steps 50
both "$models/papers/mech.ritt" --set n=20 --max-steps 5 # functions in several pieces
both "$models/papers/mech.ritt" --set n=150 --max-steps 2 # loops
both "$models/papers/mech.ritt" --set n=150 --projection sequential --project stages --max-steps 2 # parts of them
both "$models/papers/mech.ritt" --set n=151 --metric weighted --projection gauss --project stages --max-steps 2 # with weights
# derivatives of the solution: one and several, rows in two groups and at once, formulas, many rows, rows within steps
both "$models/ivp/pendulum.ritt" --method dopri54 --sensitivity g --points 37 --max-steps 200
both "$models/ivp/pendulum.ritt" --projection gauss --sensitivity "g,y'" --max-steps 50
both "$models/ivp/andrews.ritt" --sensitivity c0 --max-steps 50
both "$models/papers/henon_heiles.ritt" --sensitivity y1 --max-steps 100
both "$models/papers/mech.ritt" --set n=20 --sensitivity c --max-steps 5
# they are computed by native code: a compiler that gets the text of the tangents with an error changes them and nothing else
cat >wrong_cc <<'END'
#!/bin/sh
for last; do case $last in *.c) sed -i 's/moved\[0\] = 0;/moved[1] = 0;/' "$last" ;; esac; done
exec cc "$@"
END
chmod +x wrong_cc
if command -v cc >/dev/null; then
  for by in g "g,y'"; do
    for native in never always; do
      XDG_CACHE_HOME=$PWD/cache_wrong CC=$PWD/wrong_cc "$ritt" run "$models/ivp/pendulum.ritt" --method dopri54 --sensitivity "$by" \
        --max-steps 50 --quiet --native $native -o wrong_$native.csv >/dev/null 2>&1
      cut -d, -f1-6 wrong_$native.csv >point_$native.csv
    done
    ok "native code has the tangents by $by" [ -s wrong_always.csv ]
    ok "native code takes the tangents by $by" sh -c "! cmp -s wrong_never.csv wrong_always.csv"
    ok "the solution is the same by $by" cmp -s point_never.csv point_always.csv
  done
fi
ok 'nothing is left behind' [ -z "$(ls cache/ritt | grep making)" ]
ok 'the folder is private' [ "$(ls -ld cache/ritt | cut -c1-10)" = drwx------ ]

# whenever the compiler is done: at once, on the way, after the run
printf '#!/bin/sh\nsleep $late\nexec cc "$@"\n' >late_cc && chmod +x late_cc
if command -v cc >/dev/null; then
  for late in 0 0.2 0.6; do
    export late
    XDG_CACHE_HOME=$PWD/cache_$late CC=$PWD/late_cc "$ritt" run "$models/papers/discharge_pressure.ritt" --tol 1e-13 \
      --max-step 2e-4 --quiet -o late_$late.csv >/dev/null 2>&1
    ok "the same rows with a compiler that takes $late s longer" cmp -s late_0.csv late_$late.csv
  done
fi

# counts, too: of a method whose steps are taken in halves
for native in never always; do
  "$ritt" run "$pendulum" --method rk4 --to 1 --native $native -o table.csv 2>&1 | grep -E '^  (method|work)' >work.$native
done
ok 'the same work' cmp -s work.never work.always

# what was chosen shows nowhere else
call 0 run "$pendulum" --to 1 --native auto --json
cp out auto
call 0 run "$pendulum" --to 1 --native never --json
grep -v '"seconds"' auto >a
grep -v '"seconds"' out >b
ok 'the same report' cmp -s a b
refuses "--native needs never or auto or always, not 'maybe'" -- run "$pendulum" --native maybe

# a checkpoint may be made with one and go on with the other
call 0 run "$pendulum" --to 3 --native never --quiet -o whole.csv
RITT_NATIVE=always "$ritt" run "$pendulum" --to 3 --max-steps 50 --quiet -o part.csv --checkpoint ck >/dev/null 2>&1
ok 'rows before the stop' sh -c 'head -n "$(wc -l <part.csv)" whole.csv | cmp -s - part.csv'

# ---- the cache: a compiler that counts its calls
cat >counts <<EOF
#!/bin/sh
echo >>"$PWD/calls"
exec cc "\$@"
EOF
chmod +x counts
if ! command -v cc >/dev/null; then
  echo 'skipped: the cache is tested with cc'
  finish
fi
CC=$PWD/counts
export CC
calls() { wc -l <calls | tr -d ' '; }
run() {
  rm -f table.csv
  call 0 run "$pendulum" --to 1 --native always -o table.csv "$@"
  ok 'the same table' cmp -s table.csv expected.csv
}
native() { ok "$1" sh -c '! grep -q "code was not made" err'; }
RITT_NATIVE=never "$ritt" run "$pendulum" --to 1 --quiet -o expected.csv
rm -rf cache
run
native 'compiled'
ok 'once' [ "$(calls)" = 1 ]
run
ok 'and never again' [ "$(calls)" = 1 ]
made=$(ls cache/ritt/*.so)
again() { # WHAT: the file is not trusted, but made again
  run
  native "$1"
  expected_calls=$((expected_calls + 1))
  ok "$1: $(calls) calls" [ "$(calls)" = $expected_calls ]
}
expected_calls=1
printf x >>"$made"
again 'a byte too many'
head -c 2000 "$made" >short && cp short "$made"
again 'cut'
: >"$made"
again 'empty'
printf 'R' | dd of="$made" bs=1 seek=900 conv=notrunc 2>/dev/null
again 'changed'
chmod g+w "$made"
again 'others can write it'
mv "$made" elsewhere.so && ln -s "$PWD/elsewhere.so" "$made"
again 'a link'
rm -f "$made" && mkdir "$made"
run
has err 'native    code was not compiled, so the interpreter ran: its cache folder cannot be written'
rmdir "$made"
expected_calls=$((expected_calls + 1))
again 'missing'
if [ "$(id -u)" = 0 ]; then
  chown 12345 "$made"
  again "another user's"
else
  echo 'skipped: files of another user (only root can make them)'
fi
chmod 770 cache/ritt
run
has err "its cache folder is not the user's own, or others can write it"
chmod 700 cache/ritt
mv cache/ritt real && ln -s "$PWD/real" cache/ritt
run
has err "its cache folder is not the user's own, or others can write it"
rm cache/ritt

# no folder at all, in two ways; no message unless it was asked for
XDG_CACHE_HOME=/dev/null/none run
has err 'its cache folder cannot be made'
(unset XDG_CACHE_HOME HOME && "$ritt" run "$pendulum" --to 1 --native always >out 2>err)
has err 'there is no home folder for its cache'

# a home that is read-only, a folder of another user's
if unshare -rm sh -c 'mkdir -p home && mount -t tmpfs -o ro none home' 2>/dev/null; then
  (unset XDG_CACHE_HOME && HOME=$PWD/home unshare -rm sh -c 'mount -t tmpfs -o ro none home && exec "$@"' - "$ritt" run "$pendulum" \
    --to 1 --native always -o table.csv >out 2>err)
  ok "a read-only home: exit $?: $(cat err)" cmp -s table.csv expected.csv
  has err 'the interpreter ran: its cache folder cannot be made'
fi
if [ "$(id -u)" = 0 ]; then
  rm -rf cache && mkdir -p cache/ritt && chmod 700 cache/ritt && chown 12345 cache/ritt
  run
  has err "its cache folder is not the user's own, or others can write it"
  rm -rf cache
fi

# the compiler gets numbers and names of our own, no word of the model; no shell is between
cat >shows <<EOF
#!/bin/sh
for word; do case \$word in *.c) cat "\$word" >>"$PWD/sources" ;; esac; echo "\$word" >>"$PWD/words"; done
exec cc "\$@"
EOF
chmod +x shows
cat >'$(touch broken);zebra.ritt' <<'MODEL'
model okapi "`touch broken`; $(touch broken)"
parameter int = 2, gnu = 3
variable getpid, goto, zebra
equation
  getpid' = -int*goto
  goto' = getpid
  zebra = gnu*getpid + goto
start getpid = 1, goto = 0
solve t = 0 .. 1
output getpid, goto, zebra, giraffe = zebra^2
MODEL
CC=$PWD/shows call 0 run '$(touch broken);zebra.ritt' --native always --quiet -o table.csv
ok 'the compiler was asked' [ -s sources ]
ok 'for a whole step, too' grep -q 'int ritt_step(' sources
for word in okapi gnu getpid goto zebra giraffe touch broken; do
  ok "'$word' is in the source" sh -c '! grep -qw "$1" sources' - $word
  ok "'$word' is among the arguments" sh -c '! grep -q "$1" words' - $word
done
ok 'nothing was executed' [ ! -e broken ]
ok 'system = cos(sqrt(2) t)' awk -F, 'END { d = $2 - cos(sqrt(2)); exit !(d < 1e-7 && d > -1e-7) }' table.csv

# compilers that are no compilers, fail, or make nonsense
rm -rf cache
(PATH=/nowhere && unset CC && "$ritt" run "$pendulum" --to 1 --native always -o table.csv >out 2>err)
ok "no path: exit $?" cmp -s table.csv expected.csv
has err 'the interpreter ran: no C compiler is on the path'
for compiler in 'cc -O3' './counts' "$PWD/none" 'cc;true'; do
  CC=$compiler run
  has err 'native    code was not compiled, so the interpreter ran: no C compiler is on the path'
done
printf '#!/bin/sh\nexit 1\n' >fails && chmod +x fails
CC=$PWD/fails run
has err 'the interpreter ran: the compiler failed'
printf '#!/bin/sh\nexit 0\n' >idle && chmod +x idle
CC=$PWD/idle run
has err 'the interpreter ran: its cache folder cannot be written'
cat >nonsense <<'EOF'
#!/bin/sh
while [ $# -gt 0 ]; do if [ "$1" = -o ]; then echo nonsense >"$2"; fi; shift; done
EOF
chmod +x nonsense
CC=$PWD/nonsense run
has err 'the interpreter ran: what the compiler made cannot be loaded'
ok 'nothing is left behind' [ -z "$(ls cache/ritt | grep making)" ]

# ---- a compiler that hangs does not outlive the run that started it
printf '#!/bin/sh\necho $$ >"%s/pid"\nexec sleep 1000\n' "$PWD" >hangs && chmod +x hangs
CC=$PWD/hangs call 0 run "$models/papers/henon_heiles.ritt" --to 60000 --native auto --points 2 --quiet
same err
if [ -f pid ]; then
  ok 'the compiler has ended' sh -c '! kill -0 "$(cat pid)" 2>/dev/null'
  ok 'nothing is left behind' [ -z "$(ls cache/ritt | grep making)" ]
else
  echo 'skipped: the run was too short to start a compiler'
fi

# ---- runs at the same time
rm -rf cache calls
for i in 1 2 3 4 5 6; do "$ritt" run "$pendulum" --to 1 --native always --quiet -o "table$i.csv" & done
wait
for i in 1 2 3 4 5 6; do ok "run $i of six at once" cmp -s "table$i.csv" expected.csv; done
ok 'one file' [ "$(ls cache/ritt)" = "$(basename "$made")" ]
finish
