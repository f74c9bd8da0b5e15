#!/bin/sh
# Wrong models: every NAME.ritt of cases/ is refused with exactly the messages of NAME.expected and exit code 2.
# A file NAME.args holds further arguments, one per line.
# $1 = the program, $2 = the root of the sources.
program=$(realpath "$1")
cases=$(realpath "$2")/test/refuse/cases
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
cd "$cases" || exit 1
passed=0
failed=0

for model in *.ritt; do
  name=${model%.ritt}
  set --
  if [ -f "$name.args" ]; then
    while IFS= read -r argument; do set -- "$@" "$argument"; done < "$name.args"
  fi
  "$program" check "$model" "$@" > "$out/stdout" 2> "$out/stderr"
  code=$?
  if [ "$code" -eq 2 ] && cmp -s "$name.expected" "$out/stderr"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $name (exit code $code)"
    diff -u "$name.expected" "$out/stderr"
  fi
done

# an expectation without its model tests nothing
for expected in *.expected; do
  if [ ! -f "${expected%.expected}.ritt" ]; then
    failed=$((failed + 1))
    echo "failed: there is no ${expected%.expected}.ritt"
  fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
