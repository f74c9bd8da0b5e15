#!/bin/sh
# Where rows stand: --every, --at; progress on a terminal and not elsewhere; runs that are ended from outside.
. "$2/test/cli/common.sh"
p=$pendulum

# ---- every Nth step: those rows of all, and the end
call 0 run "$p" --to 2 --quiet -o all.csv
for n in 1 2 7 1000; do
  call 0 run "$p" --to 2 --quiet --every $n -o every.csv
  awk -v n=$n 'NR == 1 || (NR - 2) % n == 0 { print; last = NR } { line = $0 } END { if (last != NR) print line }' all.csv >expected
  ok "every $n" cmp -s every.csv expected
done

# ---- at listed values: in the order of the run, each once, and nowhere else
printf '# where\n1.5, 0.5\n\n0.25 1.5 # again\n2' >at
call 0 run "$p" --to 2 --quiet --at at -o at.csv
ok 'the values' [ "$(cut -d, -f1 at.csv | tr '\n' ' ')" = 't 0.25 0.5 1.5 2 ' ]
call 0 run "$p" --to 2 --quiet --step 0.25 -o step.csv
grep -e '^t,' -e '^0.25,' -e '^0.5,' -e '^1.5,' -e '^2,' step.csv >expected
ok 'the rows of a grid at the same places' cmp -s at.csv expected
call 0 run "$p" --to 2 --quiet --at all.csv -o again.csv
ok 'the first column of a table' cmp -s again.csv all.csv
call 0 convert all.csv -o all.npz
call 0 run "$p" --to 2 --quiet --at all.npz -o again.csv
ok 'of any format' cmp -s again.csv all.csv
sed 's/^solve.*/solve t = 0 .. -2/' "$p" >back.ritt
printf '%s\n' -2 -0.5 -1 0 >at
call 0 run back.ritt --quiet --at at -o back.csv
ok 'backwards' [ "$(cut -d, -f1 back.csv | tr '\n' ' ')" = 't 0 -0.5 -1 -2 ' ]
call 2 run "$p" --to 2 --at at
has err 'ritt: error: a row is requested at -2, but the run goes from 0 to 2'
printf '1 2\n3 x\n' >at
refuses "line 2 of 'at': 'x' is not a number" 'write numbers, separated by spaces, commas or lines' -- run "$p" --at at
printf '# nothing\n' >at
refuses "'at' contains no numbers" -- run "$p" --at at
refuses "cannot open 'nowhere': No such file or directory" 'check the name and the folder' -- run "$p" --at nowhere
refuses '--points and --every exclude each other' 'give one of them' -- run "$p" --points 3 --every 2
refuses '--step and --at exclude each other' 'give one of them' -- run "$p" --step 3 --at at
refuses "--every needs a whole number of at least 1, not '0'" -- run "$p" --every 0

# ---- ended by a signal: all files are whole, exit 1
"$ritt" run "$p" --to 1e9 --every 10 -o ended.csv -o ended.h5 2>err &
process=$!
while [ ! -s ended.csv ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
kill -TERM $process
wait $process
ok 'exit 1' [ $? = 1 ]
has err 'ritt: error: the run was interrupted'
has err ' of 1e+09'
call 0 convert ended.h5 -o other.csv
ok 'both files have the same rows' cmp -s ended.csv other.csv

# ---- progress: on a terminal, for runs of more than a second; gone at the end; not with --quiet, not in a pipe
python=
for c in python3 /usr/bin/python3; do $c -c 'import pty; pty.openpty()' 2>/dev/null && python=$c && break; done
if [ -n "$python" ]; then
  cat >terminal.py <<'CODE'
# runs the command with stderr on a terminal, interrupts it once, when it shows progress or after some seconds (or lets it
# end), prints what stood there
import os, pty, signal, subprocess, sys, time
seconds = float(sys.argv[1])
master, slave = pty.openpty()
child = subprocess.Popen(sys.argv[2:], stderr=slave, stdout=subprocess.DEVNULL,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
os.close(slave)
os.set_blocking(master, False)
text, began, sent = b'', time.monotonic(), False
while child.poll() is None:
    try: text += os.read(master, 65536)
    except (BlockingIOError, OSError): time.sleep(0.02)
    # once: the second one ends the program at once
    if not sent and (b' left' in text or time.monotonic() > began + seconds):
        child.send_signal(signal.SIGINT)
        sent = True
try:
    while True:
        more = os.read(master, 65536)
        if not more: break
        text += more
except OSError: pass
sys.stdout.write(text.decode())
sys.exit(child.returncode)
CODE
  $python terminal.py 500 "$ritt" run "$p" --to 1e9 >shown
  ok 'interrupted: exit 1' [ $? = 1 ]
  ok 'x, percent, step, steps, time left' grep -Eq 't = [0-9.e+]+ of 1e\+09 \([0-9.]+ %\), step [0-9.e-]+, [0-9]+ steps, [0-9:]*(days| s)? ?left' shown
  ok 'the line is taken away' sh -c 'tr "\r" "\n" <shown | tail -n +2 | grep -q "$(printf "\033\\[K")"'
  ok 'the summary follows' grep -q 'stopped   at t = ' shown
  $python terminal.py 2 "$ritt" run "$p" --to 1e9 --quiet >shown
  ok 'not with --quiet' sh -c '! grep -q left shown'
  # a run that took less than a second by its own clock; on a busy machine another try may be needed
  for try in 1 2 3 4 5; do
    $python terminal.py 500 "$ritt" run "$p" --to 1 >shown
    grep -q left shown || break
  done
  ok 'not for short runs' sh -c '! grep -q left shown && grep -q "steps accepted" shown'
fi

finish
