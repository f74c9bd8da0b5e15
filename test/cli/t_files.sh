#!/bin/sh
# Tables of all formats: several at once, equal numbers in all, equal bytes for equal runs, streams, conversions, starts
# from any of them, and disks that are full.
. "$2/test/cli/common.sh"
python=
for p in python3 /usr/bin/python3; do $p -c 'import numpy' 2>/dev/null && python=$p; done

call 0 run "$pendulum" --to 2 --set g=2 --set g=3 --tol 1e-9 -o a.csv -o a.npz -o a.h5 -o a.jsonl
rows=$(($(wc -l <a.csv) - 1))
has err "  wrote     a.csv, a.npz, a.h5, a.jsonl ($rows rows)"
ok 'as many lines of JSON as rows' [ "$(wc -l <a.jsonl)" = "$rows" ]
ok 'no log is left' [ "$(ls)" = "$(printf 'a.csv\na.h5\na.jsonl\na.npz\nerr\nout')" ]

# ---- one table: from each to each
for from in npz h5 jsonl csv; do
  for to in csv jsonl; do
    call 0 convert a.$from -o b.$to
    ok "$from to $to" cmp -s a.$to b.$to
    rm -f b.$to
  done
  for to in npz h5; do
    call 0 convert a.$from -o b.$to
    call 0 convert b.$to -o b.csv
    ok "$from to $to and back" cmp -s a.csv b.csv
    rm -f b.$to b.csv
  done
done
call 0 convert a.npz -o b.h5
call 0 convert b.h5 -o b.npz
ok 'what is known of the run goes along' sh -c 'grep -aq "\"tol\": 1e-09" b.npz && grep -aq "\"set g\": \"3\"" b.npz'
ok 'the model too' sh -c 'grep -aq "x\^2 + y\^2 = L\^2" b.npz && grep -aq "\"method\": \"dopri54\"" b.npz'
call 0 convert a.h5 -o -
ok 'to stdout' cmp -s out a.csv
"$ritt" convert - -o c.jsonl <a.csv
ok 'from stdin' cmp -s c.jsonl a.jsonl
call 0 run "$pendulum" --to 2 --set g=3 --tol 1e-9 --quiet -o - --format jsonl
ok 'JSON lines to stdout' cmp -s out a.jsonl
call 0 run "$pendulum" --to 2 --set g=3 --tol 1e-9 --quiet -o table --format npz
ok 'a name without an ending' cmp -s table a.npz
"$ritt" convert - -o c.csv <a.h5 2>err
ok 'HDF5 through a pipe: exit 2' [ $? = 2 ]
has err "ritt: error: cannot read 'stdin': HDF5 cannot be read from a pipe"

# ---- equal runs give equal bytes
call 0 run "$pendulum" --to 2 --set g=3 --tol 1e-9 --quiet -o again.npz -o again.h5
ok 'the same NPZ' cmp -s a.npz again.npz
ok 'the same HDF5' cmp -s a.h5 again.h5

# ---- numpy reads it
if [ -n "$python" ]; then
  ok 'numpy reads the same numbers' $python - <<'CODE'
import csv, json, zipfile, numpy
rows = list(csv.reader(open('a.csv')))
table = numpy.array([[float(c) for c in r] for r in rows[1:]])
data = numpy.load('a.npz')
assert zipfile.ZipFile('a.npz').testzip() is None
assert data.files == rows[0] + ['ritt.json']
for i, name in enumerate(rows[0]):
    assert data[name].dtype == numpy.float64 and (data[name] == table[:, i]).all()
about = json.loads(data['ritt.json'])
assert about['columns'] == rows[0] and about['settings'] == {'tol': 1e-9, 'to': 2.0, 'set g': '3'}
assert about['statistics']['rows'] == len(table) and 'seconds' not in about['statistics']
for line, row in zip(open('a.jsonl'), table):
    assert list(json.loads(line).values()) == list(row)
numpy.savez('numpy.npz', t=table[:, 0], x=table[:, 1])
numpy.savez_compressed('packed.npz', t=table[:, 0])
numpy.savez('big.npz', t=table[:, 0].astype('>f8'), x=table[:, 1].astype('>f8'))
CODE
  call 0 convert numpy.npz -o numpy.csv
  cut -d, -f1,2 a.csv >expected
  ok 'what numpy saves is read' cmp -s numpy.csv expected
  call 0 convert big.npz -o big.csv
  ok 'with the other order of bytes, too' cmp -s big.csv expected
  refuses "cannot read 'packed.npz': the array 't.npy' is compressed" 'save it with numpy.savez, not savez_compressed' -- \
    convert packed.npz -o packed.csv
fi

# ---- a run goes on from any of them
sed "s/^output.*/output x, y, x', y', lambda/" "$pendulum" >p.ritt
call 0 run p.ritt --to 1 --points 3 -o s.csv -o s.npz -o s.h5 -o s.jsonl --quiet
for ending in npz h5 jsonl csv; do
  call 0 check p.ritt --start s.$ending:2 --save-start $ending.start
  ok "start from $ending" cmp -s $ending.start npz.start
  call 0 check p.ritt --start s.$ending --save-start last.start
  has last.start 'start t = 1'
done
refuses "'s.npz' has 3 rows, no row 4" 'rows are counted from 1; the line of names is not counted' -- run p.ritt --start s.npz:4

# ---- files that are no results
head -c 700 a.npz >cut.npz
refuses "cannot read 'cut.npz': the archive is broken or cut off" -- convert cut.npz -o cut.csv
head -c 5000 a.h5 >cut.h5
refuses "cannot read 'cut.h5': the HDF5 file is broken or cut off" -- convert cut.h5 -o cut.csv
printf 't,x\n0,1\n1\n' >ragged.csv
refuses "cannot read 'ragged.csv': line 3 has 1 value, but there are 2 columns" 'each row must have a value for each column' -- \
  convert ragged.csv -o cut.csv
ok 'a file that cannot be read makes none' [ ! -e cut.csv ]

# ---- no room: the old file stays, the rows are kept, and what was written before is whole
call 0 run "$pendulum" --to 2 --quiet --points 200 -o small.npz
cp small.npz old.npz
(
  ulimit -f 17 # blocks of 512 or of 1024 bytes, by shell: the log of 200 rows fits, the file is larger
  trap '' XFSZ
  "$ritt" run "$pendulum" --to 2 --points 200 -o small.npz -o small.csv 2>err
)
code=$?
if [ $code = 3 ]; then
  pass
  ok 'the old file stays' cmp -s small.npz old.npz
  has err 'file too large'
fi
if [ -w /dev/full ]; then
  call 3 run "$pendulum" --to 2 -o full.csv -o /dev/full --format csv
  has err "ritt: error: cannot write '/dev/full': no space left on device"
  ok 'the other table is whole' [ "$(tail -c 1 full.csv | wc -l)" = 1 ]
fi

# ---- killed at once: what was written is there, row for row
"$ritt" run "$pendulum" --to 1e9 -o killed.h5 2>err &
process=$!
while [ "$(cat killed.h5.log 2>/dev/null | wc -c)" -lt 100000 ] && kill -0 $process 2>/dev/null; do :; done
kill -KILL $process
wait $process 2>/dev/null
ok 'no file yet' [ ! -e killed.h5 ]
call 0 convert killed.h5.log -o killed.csv
call 1 run "$pendulum" --to 1e9 --max-steps $(($(wc -l <killed.csv) - 2)) --quiet -o unkilled.csv
ok 'the rows of the log' cmp -s killed.csv unkilled.csv
call 1 run "$pendulum" --to 1e9 --max-steps 100 --quiet -o killed.h5
ok 'the log goes with the next run' [ ! -e killed.h5.log ]

# ---- one writer: a second process is refused, with the number of the first; two names of one file
mkdir -p sub
for names in 'one.npz ./one.npz' 'one.csv sub/../one.csv'; do
  # shellcheck disable=SC2086
  set -- $names
  call 2 run "$pendulum" --to 1 -o "$1" -o "$2"
  has err 'are the same file'
done
call 2 run "$pendulum" --to 1 --save-start one.csv -o one.csv
has err 'are the same file'
# links to a file that does not exist yet
mkdir -p linked && ln -sf ../target.csv linked/link.csv && ln -sf linked/link.csv link.csv
rm -f target.csv
call 2 run "$pendulum" --to 1 -o target.csv -o link.csv
has err 'are the same file'
"$ritt" run "$pendulum" --to 1e9 --quiet -o busy.csv --checkpoint busy.ck 2>first.err &
process=$!
while [ ! -s busy.ck ] && kill -0 $process 2>/dev/null; do :; done
for words in "-o busy.csv" "-o ./busy.csv" "--checkpoint busy.ck"; do
  # shellcheck disable=SC2086
  call 3 run "$pendulum" --to 1 $words
  has err "is being written by another run, process $process"
done
call 3 resume busy.ck
has err "process $process"
kill -KILL $process
wait $process 2>/dev/null
call 0 run "$pendulum" --to 1 --quiet -o busy.csv

finish
