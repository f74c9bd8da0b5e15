#!/bin/sh
# Signals at random moments: whole rows, the right words, no files, processes or checkpoints that cannot be read left behind.
# RITT_SIGNALS: how many; `./do check-all` sends 200.
. "$2/test/cli/common.sh"
command -v python3 >/dev/null 2>&1 || finish
few=14
[ -z "$sanitized" ] || few=6
"$source/tools/kills" "$ritt" "${RITT_SIGNALS:-$few}" >kills 2>&1
ok "$(tail -5 kills)" [ $? = 0 ]
tail -1 kills
finish
