#!/bin/sh
# What fails outside: disks that are full at any byte, files that may not grow, readers that go, places where nothing can be
# written, a gnuplot that is absent, dies, lies or talks rubbish. Rows up to there are whole lines, exit code and message say what
# happened, and nothing else is left. (Singular: t_branches.sh; compilers: t_native.sh; signals: t_signals.sh, t_kill.sh.)
. "$2/test/cli/common.sh"
call 0 run "$pendulum" --to 4 --quiet -o whole.csv -o whole.jsonl -o whole.npz -o whole.h5
mkdir here && cd here || exit 1

# rows FILE: whole lines, and the first of those of the whole run
rows() {
  ok "$1: the last line is whole" [ ! -s "$1" -o -z "$(tail -c 1 "$1")" ]
  ok "$1: other rows" sh -c 'head -n "$(wc -l <"$1")" "../whole.$2" | cmp -s - "$1"' - "$1" "$2"
}
# only NAME...: no other files
only() { ok "other files are left: $(ls)" [ "$(ls | tr '\n' ' ')" = "$*${1:+ }" ]; }

# ---- no room: a limit on the size of files, which asks for no rights
# limited BLOCKS ARGUMENT...: exit 3, and what it says is in ../err
limited() {
  blocks=$1
  shift
  rm -rf ./*
  (ulimit -f "$blocks" && exec "$ritt" "$@" >../out 2>../err </dev/null)
  ok "ritt $*, $blocks blocks: exit 3: $(head -2 ../err)" [ $? = 3 ]
}
for blocks in 1 2 5; do
  limited $blocks run "$pendulum" --to 4 -o a.csv
  has ../err "ritt: error: cannot write 'a.csv': file too large"
  rows a.csv csv
  limited $blocks run "$pendulum" --to 4 -o a.jsonl
  rows a.jsonl jsonl
done
# the log is the rows there are, after the text of the model
limited 6 run "$pendulum" --to 4 -o a.npz
has ../err "ritt: error: cannot write 'a.npz.log': file too large"
only a.npz.log
"$ritt" convert a.npz.log -o a.csv 2>../err
rows a.csv csv
# an old file stays as it is until the new one is whole
for ending in npz h5; do
  rm -rf ./*
  cp ../whole.csv a.$ending
  (ulimit -f 2 && exec "$ritt" convert ../whole.csv -o a.$ending 2>../err)
  ok "convert to $ending: exit 3" [ $? = 3 ]
  ok "the old $ending" cmp -s a.$ending ../whole.csv
done
limited 1 run "$pendulum" --to 4 -o a.csv --checkpoint ck --checkpoint-every 0
has ../err "ritt: error: cannot write 'ck': file too large"
only
limited 1 sweep "$pendulum" --vary g=1:2:40 --to 4 -o a.h5
has ../err 'file too large'
rm -rf ./*

# ---- a file system of 64 kB, where one may be made
if unshare -rm true 2>/dev/null; then
  mkdir disk
  cat >small.sh <<'CODE'
mount -t tmpfs -o size=64k none disk 2>/dev/null || exit 77
"$1" run "$2" --to 200 -o disk/a.csv -o disk/a.h5 2>err
code=$?
cp disk/a.csv . && ls disk >list
exit $code
CODE
  unshare -rm sh small.sh "$ritt" "$pendulum"
  code=$?
  if [ $code != 77 ]; then
    ok "a full disk: exit $code" [ $code = 3 ]
    ok "what it says: $(cat err)" grep -q "^ritt: error: cannot write 'disk/a\..*': no space left on device$" err
    ok 'whole lines' [ -z "$(tail -c 1 a.csv)" ]
    awk -F, 'NF != 5 { exit 1 }' a.csv && pass || fail 'rows of five columns'
    ok "other files: $(cat list)" [ -z "$(grep -v -e '^a.csv$' -e '^a.h5.log$' list)" ]
  fi
  rm -rf ./*
fi
if [ -w /dev/full ]; then
  for format in csv jsonl; do
    "$ritt" convert ../whole.h5 -o - --format $format >/dev/full 2>../err
    ok "convert to a full stdout: exit 3" [ $? = 3 ]
    has ../err 'ritt: error: cannot write to stdout: no space left on device'
  done
  "$ritt" sweep "$pendulum" --vary g=1:2:3 --to 1 >/dev/full 2>../err
  ok 'a table of a sweep on a full stdout: exit 3' [ $? = 3 ]
  "$ritt" check "$pendulum" --json >/dev/full 2>../err
  ok 'a report on a full stdout: exit 3' [ $? = 3 ]
  "$ritt" emit c "$pendulum" -o /dev/full 2>../err
  ok 'a solver on a full disk: exit 3' [ $? = 3 ]
fi

# ---- readers that go
for call in "run $pendulum --to 4 --points 20000 -o -" "run $pendulum --to 4 --points 20000 -o - --format jsonl" \
  "complete $source/models/ivp/andrews.ritt" "sweep $pendulum --vary g=1:2:3000 --to 0.01"; do
  # shellcheck disable=SC2086
  { "$ritt" $call 2>../err; echo $? >../code; } | head -c 1 >/dev/null
  # what fits into the pipe is written before the reader looks
  ok "ritt $call | head: exit $(cat ../code): $(head -1 ../err)" grep -qx -e 3 -e 0 ../code
  if [ "$(cat ../code)" = 3 ]; then has ../err 'ritt: error: cannot write to stdout: broken pipe'; fi
done
only

# ---- places where nothing can be written
mkdir folder
for call in "run $pendulum --to 1 -o folder --format csv" "run $pendulum --to 1 -o folder --format npz" "convert ../whole.csv -o folder --format h5" \
  "run $pendulum --to 1 -o none/a.csv" "run $pendulum --to 1 -o a.csv --checkpoint none/ck" "run $pendulum --to 1 --save-start none/s" \
  "sweep $pendulum --vary g=1:2:3 --to 1 -o none/a.h5" "emit c $pendulum -o none/a.c"; do
  # shellcheck disable=SC2086
  "$ritt" $call >../out 2>../err
  ok "ritt $call: exit $?: $(cat ../err)" grep -q "^ritt: error: cannot write '\(folder\|none/.*\)': " ../err
done
only folder
rmdir folder
if [ "$(id -u)" != 0 ]; then
  echo old >kept.csv && chmod 400 kept.csv
  "$ritt" convert ../whole.csv -o kept.npz 2>../err && chmod 400 kept.npz
  "$ritt" convert ../whole.csv -o kept.csv 2>../err
  ok 'a file that may not be written: exit 3' [ $? = 3 ]
  ok 'stays as it is' [ "$(cat kept.csv)" = old ]
  rm -f kept.*
fi

# ---- programs that are no gnuplot
mkdir ../fakes
# fake TEXT ARGUMENT...: gnuplot is this script
fake() {
  printf '#!/bin/sh\n%s\n' "$1" >../fakes/gnuplot
  chmod +x ../fakes/gnuplot
  shift
  PATH=$PWD/../fakes:$PATH "$ritt" "$@" >../out 2>../err
  got=$?
}
# refused WORDS: exit 3, no picture, the table whole
refused() {
  ok "gnuplot: exit $got: $(cat ../err)" [ $got = 3 ]
  has ../err "$1"
  ok 'the table is whole' cmp -s a.csv ../whole.csv
  only a.csv
  rm -f a.*
}
run="run $pendulum --to 4 -o a.csv --plot a.svg"
# shellcheck disable=SC2086
{
  fake 'exit 1' $run && refused 'gnuplot failed with exit code 1'
  fake 'cat >/dev/null; echo "line 3: undefined function" >&2; exit 2' $run && refused 'gnuplot failed with exit code 2: line 3: undefined function'
  fake 'kill -9 $$' $run && refused 'gnuplot was killed by signal 9'
  fake 'exec <&-; sleep 0.1; exit 0' $run && refused 'gnuplot'
  fake 'cat >/dev/null' $run && refused 'gnuplot'
  fake 'cat >/dev/null; echo good day' $run && refused 'gnuplot'
  fake 'cat >/dev/null; echo "<svg>"; kill -15 $$' $run && refused 'gnuplot was killed by signal 15'
  for ending in png pdf; do fake 'cat >/dev/null; echo "<svg></svg>"' run "$pendulum" --to 4 -o a.csv --plot a.$ending && refused 'gnuplot'; done
}
cd ..
finish
