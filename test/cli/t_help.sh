#!/bin/sh
# Help texts, the version and the list of methods: on stdout, exit 0, nothing on stderr.
. "$2/test/cli/common.sh"

for arguments in --help -h --version methods 'run --help' 'sweep --help' 'check --help' 'complete --help' 'emit --help' 'export --help' 'methods --help' 'convert --help' 'plot --help' 'compare --help' --man 'run -h' \
  'run nothing.ritt --help'; do
  call 0 $arguments
  same err
done

call 0 --version
same out "ritt $(sed -n 's/^#define RITT_VERSION  *"\(.*\)"/\1/p' "$source/include/ritt.h")"

call 0 --help
for word in run sweep check complete emit export methods convert plot compare --man --help --version; do has out "$word"; done
ok 'the list of commands and the prompt fit on a screen' [ "$(wc -l <out)" -le 23 ]

# every option of a command stands in its help, and only there
call 0 run --help
has out 'usage: ritt run FILE'
for word in --set --method --tol --to --points --step --project --projection --metric --constant-step --max-steps \
  '-o OUT.csv' --format --plot --quiet --json --help; do has out "  $word"; done
call 0 check --help
has out 'usage: ritt check FILE'
for word in --set --json --help; do has out "  $word"; done
ok 'check has no --tol' sh -c '! grep -q -e --tol out'
call 0 complete --help
for word in --set '--as text|latex|json' --help; do has out "  $word"; done

call 0 sweep --help
for word in --vary --runs --seed --threads --final --tol --at '-o OUT.h5'; do has out "  $word"; done
ok 'options have names' sh -c '! grep -q "^  -- " out'
call 0 emit --help
ok 'options have names' sh -c '! grep -q "^  -- " out'

# the ten options that people use come first
call 0 run --help
sed -n '/^Most used:/,/^$/s/^  \(-[^ ]*\) .*/\1/p' out >names
ok "most used: $(tr '\n' ' ' <names)" [ "$(wc -l <names)" = 11 ]
ok 'the groups' [ "$(grep -c -x -e 'Most used:' -e 'Advanced:' -e 'Methods of the papers:' out)" = 3 ]

# no line is longer than a terminal is wide
commands=$("$ritt" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
ok "commands: $commands" [ "$(echo $commands | wc -w)" -ge 20 ]
for arguments in --help $commands; do
  case $arguments in --*) ;; *) arguments="help $arguments" ;; esac
  call 0 $arguments
  ok "long line in ritt $arguments" awk 'length > 80 { bad = 1 } END { exit bad }' out
done
call 0 methods
ok "long line in ritt methods" awk 'length > 120 { bad = 1 } END { exit bad }' out

# The manual page: every command and every option of its help stands in it, in the section of the command or among the shared options,
# and none of the shared options twice. It is well-formed.
call 0 --man
same err
sed 's/\\-/-/g; s/\\f[IRB]//g' out >page
sed -n '/^.SH OPTIONS OF ALL/,/^.SH EXIT/p' page >shared
has page '.SH EXIT STATUS'
for command in $commands; do
  call 0 $command --help
  ok "the page has no ritt $command" grep -q "^.SS ritt $command" page
  sed -n "/^.SS ritt $command/,/^.S[SH] /p" page >part
  sed -n 's/^  \(-[^ ]*\).*/\1/p' out >names
  ok "ritt $command has options" [ -s names ]
  while read -r name; do ok "the page of ritt $command has no $name" grep -q -x -e ".B $name" -e ".B $name .*" part shared; done <names
done
sed -n 's/^.B \(-[^ ]*\).*/\1/p' shared | sort | uniq -d >twice
same twice
if command -v groff >/dev/null 2>&1; then
  call 0 --man
  groff -man -Tascii -ww -z out >warnings 2>&1
  ok "groff complains: $(head -3 warnings)" [ ! -s warnings ]
fi

call 0 methods
for word in euler rk4 dopri54 dop853; do ok "no method $word" grep -q "^$word " out; done
ok 'dopri54: order 5, embedded 4, 6 stages of its own' grep -Eq '^dopri54 +5 +4 +6 +explicit' out
ok 'rk4: order 4, no error estimate, 4 stages' grep -Eq '^rk4 +4 +- +4 +explicit' out

finish
