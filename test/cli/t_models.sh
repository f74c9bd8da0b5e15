#!/bin/sh
# Every model file of the repository is what it says: `ritt check` finds it determined and it runs, for a
# few steps at least. A model that is there to be refused, or to be stopped, says so in its comment: "exit
# code 2", "exit code 1".
. "$2/test/cli/common.sh"

# how many steps a run may take here, and the message if they do not suffice
steps=20
limit='the limit of 20 steps is reached'

# models/users has a test of its own
find "$source/models" "$source/examples" -name '*.ritt' | grep -v /models/users/ | sort >files
ok 'there are models' [ "$(wc -l <files)" -gt 60 ]
if [ "$sanitized" ]; then awk 'NR % 4 == 0' files >some && mv some files; fi
while read -r file; do
  expected=$(sed -n 's/^# *//p' "$file" | tr '\n' ' ' | sed -n 's/.*exit code \([0-9]\).*/\1/p')
  name=${file#"$source"/}
  if grep -q '^branch' "$file" && ! command -v Singular >/dev/null 2>&1; then
    echo "skipped: $name, which needs Singular"
    continue
  fi
  set --
  case $name in
  models/gallery/over_prescribed.ritt) set -- --set n=4 ;; # the search for what is to blame is longer for 20 charges
  esac
  if [ "${expected:-0}" = 2 ]; then
    call 2 check "$file" "$@"
    ok "$name: a message with its place" grep -q "^$file:[0-9]*:[0-9]*: error: " err
    call 2 run "$file" --quiet "$@"
    continue
  fi
  call 0 check "$file"
  has out ': determined'
  if [ "${expected:-0}" = 1 ]; then
    call 1 run "$file"
    has err 'ritt: error: the run stopped at '
    continue
  fi
  "$ritt" run "$file" --max-steps $steps -o rows.csv >out 2>err </dev/null
  got=$?
  if [ $got = 1 ] && grep -q "$limit" err; then got=0; fi
  ok "$name: exit $got: $(head -2 err)" [ $got = 0 ]
  ok "$name: rows" [ "$(wc -l <rows.csv)" -ge 2 ]
  ok "$name: no number is missing" sh -c '! grep -qi nan rows.csv'
done <files

finish
