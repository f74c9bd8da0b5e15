#!/bin/sh
# --checkpoint and `ritt resume`: what Ctrl-C says, what a run that is done says again, and everything that is refused,
# with the exact words; nothing is touched then.
. "$2/test/cli/common.sh"
classics=$source/models/classics

# ---- a run that is done
call 0 run "$pendulum" --to 5 -o a.csv -o a.h5
cp a.csv whole.csv && cp a.h5 whole.h5 && cp err summary
call 0 run "$pendulum" --to 5 -o a.csv -o a.h5 --checkpoint ck --checkpoint-every 0
ok 'checkpoints change nothing' sh -c 'cmp -s a.csv whole.csv && cmp -s a.h5 whole.h5'
ok 'no log is left' [ ! -e a.h5.log ]
call 0 resume ck
grep -v '^  time' err >again
grep -v '^  time' summary >expected_summary
ok 'the same summary' cmp -s again expected_summary
ok 'and the same files' sh -c 'cmp -s a.csv whole.csv && cmp -s a.h5 whole.h5'
call 0 resume ck --json
has out "\"last_row\": null"
json out
same err

# ---- one that stops early stops again with the same words
cat >fold.ritt <<'MODEL'
model fold
variable y
equation y*y' = -1
start y = 1
solve t = 0 .. 2
MODEL
call 1 run fold.ritt -o f.csv --checkpoint fck
sed -e '/^  time/d' err >first
call 1 resume fck
sed -e '/^  time/d' err >second
ok 'the same reason' cmp -s first second
has second 'fold'
call 1 run fold.ritt --precision quad -o f.csv --checkpoint fck
sed -e '/^  time/d' err >first
call 1 resume fck
sed -e '/^  time/d' err >second
ok 'the same reason in quadruple precision' cmp -s first second

# ---- Ctrl-C: every finished row is written, and the message says how to continue
call 0 run "$classics/lorenz.ritt" --to 8000 --every 20 -o whole.csv -o whole.h5
"$ritt" run "$classics/lorenz.ritt" --to 8000 --every 20 -o l.csv -o l.h5 --checkpoint 'my ck' --checkpoint-every 0.05 >out 2>err </dev/null &
pid=$!
while ! [ -s l.h5.log ]; do sleep 0.01; done
kill -TERM $pid # as Ctrl-C, which runs in the background do not see
wait $pid
ok 'exit 1' [ $? = 1 ]
has err 'ritt: error: the run was interrupted'
has err "  hint: continue with: ritt resume 'my ck'"
call 0 convert l.h5 -o l2.csv
ok 'the HDF5 file is whole' cmp -s l.csv l2.csv
call 0 resume 'my ck'
ok 'the rest' sh -c 'cmp -s l.csv whole.csv && cmp -s l.h5 whole.h5'

# ---- a call that makes no sense
refuses "with --checkpoint rows cannot go to stdout: after a kill they could not be taken back" "give the table a file" \
  -- run "$pendulum" -o - --checkpoint ck
refuses "--checkpoint-every says when, but not where" "give the file, too: --checkpoint CK" \
  -- run "$pendulum" --checkpoint-every 5
refuses "--checkpoint-every needs 0 or more seconds" -- run "$pendulum" --checkpoint ck --checkpoint-every -5
refuses "'a.csv' would be both a table and the checkpoint" "give one of them another name" \
  -- run "$pendulum" -o a.csv --checkpoint a.csv
refuses "'a.csv' would be both a table and what the run reads" "give one of them another name" \
  -- run "$pendulum" -o a.csv --start a.csv:3 --checkpoint ck
refuses "the name of the checkpoint file is missing" "ritt resume CK" -- resume
refuses "cannot open 'nothing': No such file or directory" "check the name and the folder" -- resume nothing
call 2 run "$pendulum" -o /dev/null --format csv --checkpoint ck2
has err "ritt: error: '/dev/null' is not a file: what went there cannot be taken back after a kill"

# ---- a run that was killed: it has rows and no end
cat >decay.ritt <<'MODEL'
model decay
include "part.ritt"
function V = table "v.csv" column 1 -> 2
variable x
equation x' = -k*x*V(t)
start x = 1
solve t = 0 .. 1000
event half: x = 0.5 falling -> record
output x
MODEL
printf 'parameter k = 0.01\n' >part.ritt
printf 't,v\n0,1\n300,1.2\n600,0.9\n1000,1\n' >v.csv
printf '1 2 3.5 999\n' >at.txt
"$ritt" run decay.ritt -o d.csv -o d.npz >/dev/null 2>err || fail "decay: $(cat err)"
mv d.csv d0.csv && mv d.npz d0.npz && rm -f d.half.csv d.half.npz
"$ritt" run decay.ritt -o d.csv -o d.npz --constant-step 0.01 --every 20 --checkpoint dck --checkpoint-every 0.05 >/dev/null 2>err </dev/null &
pid=$!
while ! [ -s d.csv ]; do sleep 0.01; done
cp dck first
while cmp -s dck first; do sleep 0.01; done
kill -KILL $pid
wait $pid 2>/dev/null
keep() { rm -rf kept && mkdir kept && cp d.csv d.npz.log dck kept/; }
untouched() { ok "$1: files are as they were" sh -c 'cmp -s d.csv kept/d.csv && cmp -s d.npz.log kept/d.npz.log && cmp -s dck kept/dck'; }
keep

printf 'parameter k = 0.02\n' >part.ritt
refuses "the state is that of another run: a file that the model names has changed" "continue with the model and options of the saved run" -- resume dck
untouched 'another include'
printf 'parameter k = 0.01\n' >part.ritt
printf 't,v\n0,1\n300,1.2\n600,0.8\n1000,1\n' >v.csv
refuses "the state is that of another run: a file that the model names has changed" "continue with the model and options of the saved run" -- resume dck
untouched 'another table'
printf 't,v\n0,1\n300,1.2\n600,0.9\n1000,1\n' >v.csv
cp decay.ritt decay.kept && printf '# more\n' >>decay.ritt
refuses "'decay.ritt' has changed since the run was started" "put it back as it was, or run the model again" -- resume dck
untouched 'another model'
rm decay.ritt
refuses "cannot open 'decay.ritt': No such file or directory" "check the name and the folder" -- resume dck
cp decay.kept decay.ritt

# tables that were changed, cut, or are gone
printf 'x' | dd of=d.csv bs=1 seek=3 conv=notrunc 2>/dev/null
refuses "'d.csv' has changed since the checkpoint was written" "put it back where the run left it, unchanged" -- resume dck
head -c 3 kept/d.csv >d.csv
refuses "'d.csv' is shorter than it was when the checkpoint was written" "put it back where the run left it, unchanged" -- resume dck
rm d.csv
refuses "'d.csv', which the run was writing, is missing" \
  "put it back where it was; names are relative to the folder where the run was started" -- resume dck
cp kept/d.csv d.csv
mkdir elsewhere && cd elsewhere || exit 1
call 2 resume ../dck
has err "ritt: error: cannot open 'decay.ritt': No such file or directory"
has err "ritt: error: the run was started in '"
cd ..

# the file itself
cannot="cannot resume from 'bad':"
cp "$pendulum" bad
refuses "$cannot it is not a checkpoint" "ritt run FILE --checkpoint CK writes one" -- resume bad
: >bad
refuses "$cannot it is not a checkpoint" "ritt run FILE --checkpoint CK writes one" -- resume bad
head -c 20 dck >bad
refuses "$cannot the file was cut short" -- resume bad
head -c 1000 dck >bad
refuses "$cannot the file was cut short" -- resume bad
{ cat dck && echo; } >bad
refuses "$cannot there are extra bytes after its end" -- resume bad
cp dck bad && printf '9.9.9' | dd of=bad bs=1 seek=8 conv=notrunc 2>/dev/null
refuses "$cannot it was written by version 9.9.9 of Ritt, and this is $("$ritt" --version | sed 's/ritt //')" \
  "resume it with that version, or run the model again" -- resume bad
cp dck bad && printf '\001' | dd of=bad bs=1 seek=32 conv=notrunc 2>/dev/null
refuses "$cannot it was written on a machine with another byte order" "resume it where it was written" -- resume bad
size=$(wc -c <dck)
for at in 56 57 100 200 $((size / 3)) $((size / 2)) $((size - 2)) $((size - 1)); do
  cp dck bad && printf '\377' | dd of=bad bs=1 seek=$at conv=notrunc 2>/dev/null
  cmp -s dck bad || refuses "$cannot the file is damaged: its checksum is wrong" -- resume bad
done
untouched 'damaged checkpoints'

# and after all of that it goes on
call 0 resume dck --quiet
call 0 run decay.ritt -o e.csv -o e.npz --constant-step 0.01 --every 20 --quiet
ok 'the same rows' cmp -s d.csv e.csv
ok 'the same NPZ' cmp -s d.npz e.npz
ok 'the same points' sh -c 'cmp -s d.half.csv e.half.csv && cmp -s d.half.npz e.half.npz'
finish
