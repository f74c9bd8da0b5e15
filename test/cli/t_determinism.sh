#!/bin/sh
# The same bits for a run repeated, with any number of OpenBLAS's threads, and for a sweep on any number of threads: some models.
# `./do check-all` does the same for all of them, and with compiled functions.
. "$2/test/cli/common.sh"
"$source/tools/determinism" "$ritt" few >differences
ok "$(cat differences)" [ $? = 0 ]
ok 'something was compared' grep -Eq '^determinism: 7 models and settings, 1 sweeps, 24 runs, 0 different$' differences
finish
