# The examples in C do what they say: where a model stands beside one, its table is that of `ritt run`, to the last
# bit where no function of the C library is called; and valgrind, where it is there, finds nothing to complain about. $1 = the program, $2 = the source folder.
. "$2/test/cli/common.sh"
examples=$(dirname "$ritt")/examples/c
given=$source/examples/c

# example NAME ARGUMENT...: runs it; its output is NAME.out
example() {
  name=$1
  shift
  "$examples/$name" "$@" >"$name.out" 2>err </dev/null
  got=$?
  if [ "$got" = 0 ]; then pass; else fail "example $name: exit $got: $(head -3 err)"; fi
  same err
}

for name in graph pendulum implicit; do
  example $name
  call 0 run "$given/$name.ritt" -o - --quiet
  ok "$name and $name.ritt differ" cmp out $name.out
done
# the logarithm of the C library may differ from that of Ritt in its last digit
near() {
  awk -F, 'NR == FNR { for (i = 1; i <= NF; i++) a[FNR, i] = $i; n = FNR; next }
    { for (i = 1; i <= NF; i++) {
        d = a[FNR, i] - $i
        if (FNR == 1 ? a[1, i] != $i : d > 1e-10 || d < -1e-10) bad = 1 } }
    END { exit bad || FNR != n }' "$1" "$2"
}
example explicit
call 0 run "$given/explicit.ritt" -o - --quiet
ok 'explicit and explicit.ritt differ' near out explicit.out
call 0 run "$given/model.ritt" --set L=2 -o - --quiet
example model
ok 'model and model.ritt differ' cmp out model.out
example dense "$given/model.ritt"
ok 'dense output and rows differ' cmp out dense.out

# the pendulum of every thread is where its model is when it is solved alone
example threads
ok 'threads: 8 rows' [ "$(wc -l <threads.out)" = 9 ]
cat >p.ritt <<'END'
model p
variable x, y, lambda
equation
  x'' + lambda*x = 0
  y'' + lambda*y + 1 = 0
  x^2 + y^2 = 1
start x = 1, y = 0, x' ~ 0, y' ~ 0
solve t = 0 .. 10
output x, y
END
call 0 run p.ritt -o - --quiet
ok 'threads: another pendulum than that of the program' [ "$(tail -1 out | cut -d, -f2-)" = "$(sed -n 2p threads.out | cut -d, -f2-)" ]

# sanitizers and valgrind do not go together
if command -v valgrind >/dev/null 2>&1 && ! ldd "$examples/model" | grep -q san; then
  for name in model explicit graph pendulum implicit dense threads; do
    valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all \
      "$examples/$name" "$given/model.ritt" >out 2>err </dev/null
    got=$?
    ok "valgrind $name: exit $got: $(head -5 err)" [ "$got" = 0 ]
    ok "valgrind $name: another table" cmp out $name.out
  done
else
  echo 'valgrind: not here, or not with sanitizers'
fi

# the pages on C show lines of these examples, as they are: blocks behind <!-- example NAME -->
awk -v folder="$given/" '
  function check(   i, j, found) {
    if (!lines) return
    for (i = 1; !found && i + lines - 1 <= all; i++) {
      for (j = 1; j <= lines && text[i + j - 1] == block[j]; j++);
      found = j > lines
    }
    if (!found) { printf "%s does not hold the block that begins with: %s\n", file, block[1]; bad = 1 }
    blocks++; lines = blanks = 0; file = ""
  }
  /^<!-- example / {
    file = folder $3; all = 0
    while ((getline line < file) > 0) { sub(/^ +/, "", line); text[++all] = line }
    close(file); next
  }
  file && /^    / { for (; blanks; blanks--) block[++lines] = ""; sub(/^ +/, ""); block[++lines] = $0; next }
  file && /^$/ { if (lines) blanks++; next }
  { check() }
  END { check(); exit bad || blocks < 12 }
' "$source/docs/tutorial_c.md" "$source/docs/c_api.md"
ok 'docs/c_api.md or docs/tutorial_c.md shows other lines than the examples' [ $? = 0 ]
# and names every function of the header
for function in $(sed -n 's/.*RITT_API.*[ *]\(ritt_[a-z_]*\)(.*/\1/p' "$source/include/ritt.h"); do
  ok "docs/c_api.md does not name $function" grep -q "$function" "$source/docs/c_api.md"
done
finish
