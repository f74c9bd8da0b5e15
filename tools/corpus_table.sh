#!/bin/sh
# corpus_table.sh PROGRAM: what the program makes of the systems in test/corpus, as the table of docs/completion_systems.md.
# Sizes: unknowns and equations; coordinates, equations of the manifold and highest derivatives of the reduced problem.
# Time: CPU time of `ritt check` from start to end, the least of three means.
set -eu
program=$1
cd "$(dirname "$0")/../test/corpus"

# value KEY: of the JSON on stdin, a number or a word; - for null
value() { sed -n 's/^ *"'"$1"'": "\{0,1\}\([^",]*\)"\{0,1\},\{0,1\}$/\1/p' | sed 's/^null$/-/'; }

# `times` counts in hundredths of a second: ten runs together; its second line is what the children used
milliseconds() {
  for i in 1 2 3; do
    (
      for k in 1 2 3 4 5 6 7 8 9 10; do "$program" check --json "$1" >/dev/null 2>&1 || :; done
      times
    ) | awk 'NR == 2 {
      for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += 60 * part[1] + part[2] }
      printf "%.0f\n", 100 * sum }'
  done | sort -n | head -n 1
}

sizes() {
  "$program" complete --as json "$1" 2>/dev/null | awk '
    /^ "coordinates"/ { coordinates = gsub(/", "/, "") + 1 }
    /^ "top"/ { tops = gsub(/", "/, "") + 1 }
    /^ "manifold"/ { into = 1 } /^ "top"/ { into = 0 }
    into && /"equation":/ { rows++ }
    END { if (coordinates) printf "%d / %d / %d\n", coordinates, rows, tops; else print "-" }'
}

echo '| system | verdict | kind | unknowns, equations | freedom | index | hidden | coordinates / manifold / tops | ms |'
echo '|---|---|---|---|---|---|---|---|---|'
sed -n 's/^\([a-zA-Z0-9_][a-zA-Z0-9_]*\) .*/\1/p' expected.txt | while read -r name; do
  report=$("$program" check --json "$name.ritt" 2>/dev/null || :)
  get() { printf '%s\n' "$report" | value "$1"; }
  echo "| $name | $(get verdict) | $(get kind) | $(get unknowns), $(get equations) | $(get degrees_of_freedom) |" \
    "$(get index) | $(get hidden_constraints) | $(sizes "$name.ritt") | $(milliseconds "$name.ritt") |"
done
