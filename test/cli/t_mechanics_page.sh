# docs/mechanics.md tells the truth: its models, saved under their names, give the outputs that it shows.
# $1 = the program, $2 = the source folder.
. "$2/test/cli/common.sh"

# model blocks -> NAME.ritt; blocks "$ ritt ..." -> N.command and N.shown
awk '
  function finish() { if (file) close(file); file = held = "" }
  /^    model / { finish(); file = $2 ".ritt"; }
  /^    \$ ritt / { finish(); sub(/^    \$ ritt /, ""); n++; print > (n ".command"); close(n ".command"); file = n ".shown"; printf "" > file; next }
  !/^    / && !/^$/ { finish() }
  file { sub(/^    /, ""); blank = $0 == ""; if (blank) held = held "\n"; else { printf "%s%s\n", held, $0 > file; held = "" } }
' "$source/docs/mechanics.md"

n=1
while [ -f "$n.command" ]; do
  # shellcheck disable=SC2046
  call 0 $(cat "$n.command")
  if cmp -s out "$n.shown"; then pass; else
    fail "docs/mechanics.md shows another output of ritt $called"
    diff "$n.shown" out
  fi
  n=$((n + 1))
done
ok "docs/mechanics.md has outputs" [ "$n" -gt 5 ]
# every model of the page runs
for model in *.ritt; do call 0 run "$model" --quiet; done

finish
