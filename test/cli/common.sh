# Shared by the tests of the program: `. "$2/test/cli/common.sh"` with $1 = the program and $2 = the source folder.
# Every test works in a folder of its own that is emptied first.
ritt=$1
source=$2
pendulum=$source/models/classics/pendulum/pendulum.ritt
# the sanitizers' programs are several times slower, and take as much address space as there is
if grep -aq __asan_init "$ritt"; then sanitized=yes; else sanitized=; fi
passed=0
failed=0
rm -rf work && mkdir work && cd work || exit 1

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); printf 'failed: %s\n' "$1"; }

# ok TEXT COMMAND...: the command succeeds
ok() {
  text=$1
  shift
  if "$@"; then pass; else fail "$text"; fi
}

# call CODE ARGUMENT...: runs the program; its outputs are the files out and err, its exit code must be CODE
call() {
  code=$1
  shift
  called="$*"
  "$ritt" "$@" >out 2>err </dev/null
  got=$?
  if [ "$got" = "$code" ]; then pass; else fail "ritt $*: exit $got, expected $code: $(head -3 err)"; fi
}

# same FILE LINE...: the file is exactly these lines
same() {
  file=$1
  shift
  if [ $# -gt 0 ]; then printf '%s\n' "$@"; fi >expected
  if cmp -s "$file" expected; then pass; else
    fail "$file differs after ritt $called"
    diff expected "$file"
  fi
}

# has FILE TEXT: a line of the file contains the text
has() { ok "$1 has no '$2': $(head -3 "$1")" grep -qF -e "$2" "$1"; }

# refuses TEXT [HINT] -- ARGUMENT...: exit 2, exactly this message, nothing on stdout
refuses() {
  message="ritt: error: $1"
  shift
  if [ "$1" != -- ]; then
    message="$message
  hint: $1"
    shift
  fi
  shift
  call 2 "$@"
  same err "$message"
  same out
}

# json FILE: one JSON object
json() {
  if command -v python3 >/dev/null 2>&1; then
    ok "$1 is not JSON" python3 -c 'import json, sys; assert isinstance(json.load(open(sys.argv[1])), dict)' "$1"
  else
    ok "$1 is not JSON" sh -c 'head -1 "$1" | grep -qx "{" && tail -1 "$1" | grep -qx "}"' - "$1"
  fi
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
  exit
}
