#!/bin/sh
# models/users: models as users of five fields write them, against answers of independent programs (answers.csv in
# each folder). A model named in KNOWN_FAILURES must still fail, every other one must give its answers.
# RITT_USERS=NAME runs only those whose path contains NAME, and shows how the known failures fail; RITT_USERS=/ does so for all.
. "$2/test/cli/common.sh"
users=$source/models/users
limit=20 # seconds for a model
short=5  # seconds for a model that is known to fail
if [ "$sanitized" ]; then limit=200; fi

# run_limited SECONDS ARGUMENT...: ritt run; a failure leaves its reason
run_limited() {
  seconds=$1
  shift
  timeout "$seconds" "$ritt" run "$@" --quiet >out 2>err </dev/null
  code=$?
  case $code in
  0) return 0 ;;
  124) echo "takes more than $seconds s" >reason ;;
  *) { echo "exit $code:" && cat err; } | tr '\n' ' ' | cut -c 1-300 >reason ;;
  esac
  return 1
}

# judge NAME SECONDS: runs the model and compares; the reason of a failure goes to the file `reason`
judge() {
  model=$users/$1.ritt
  seconds=$2
  awk -F, -v name="${1##*/}" 'NR > 1 && $1 == name' "$users/${1%/*}/answers.csv" >wanted
  if ! [ -s wanted ]; then
    echo 'no answers' >reason
    return 1
  fi
  # rows at the times of the answers, and a last row where the run ends
  awk -F, '$3 != "end" { print $3 }' wanted | sort -gu >times.txt
  rm -f rows.csv end.csv
  run_limited "$seconds" "$model" --at times.txt -o rows.csv || return 1
  if grep -q ',end,' wanted; then
    run_limited "$seconds" "$model" --points 2 -o end.csv || return 1
    tail -1 end.csv >>rows.csv
  fi
  awk -F, '
    function abs(u) { return u < 0 ? -u : u }
    NR == FNR { n++; column[n] = $2; t[n] = $3; value[n] = $4; digits[n] = $5; next }
    FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { rows++; for (i = 1; i <= NF; i++) cell[rows, i] = $i }
    END {
      for (k = 1; k <= n; k++) {
        if (!(column[k] in at)) { print "no column " column[k]; exit 1 }
        row = 0
        if (t[k] == "end") row = rows
        else for (i = 1; i <= rows; i++) if (abs(cell[i, 1] - t[k]) <= 1e-9 * abs(t[k])) row = i
        if (!row) { print "no row at " t[k]; exit 1 }
        got = cell[row, at[column[k]]] + 0
        size = value[k] == 0 ? 1 : abs(value[k])
        if (!(abs(got - value[k]) <= 10^-digits[k] * size)) {
          print column[k] " at " t[k] " is " cell[row, at[column[k]]] " and should be " value[k]
          exit 1
        }
      }
    }' wanted rows.csv >reason
}

find "$users" -name '*.ritt' | sed "s,^$users/,,; s,\.ritt\$,," | sort >all
ok 'there are models' [ "$(wc -l <all)" -ge 60 ]
if [ "${RITT_USERS:-}" ]; then grep -F -e "$RITT_USERS" all >names; else cp all names; fi
if [ "$sanitized" ]; then awk 'NR % 4 == 0' names >some && mv some names; fi

# every line of the list names a model, says what happens and what should
grep -v '^#' "$users/KNOWN_FAILURES" | grep . >listed
while read -r line; do
  ok "KNOWN_FAILURES: $line" sh -c 'echo "$1" | grep -q "^[a-z]*/[a-z0-9_]*: .*; " && grep -qx "${1%%:*}" all' - "$line"
done <listed

while read -r name; do
  if grep -q "^$name:" listed; then
    if judge "$name" $short; then
      fail "$name gives its answers: take it out of KNOWN_FAILURES"
    else
      pass
      if [ "${RITT_USERS:-}" ]; then echo "known failure: $name: $(cat reason)"; fi
    fi
  elif judge "$name" $limit; then pass; else
    fail "$name: $(cat reason)"
  fi
done <names

# every model has its line in the table of README.md
while read -r name; do
  ok "models/users/README.md does not name $name" grep -q "${name##*/}" "$users/README.md"
done <all

finish
