#!/bin/sh
# Some models of models/ as FMUs (tools/check_fmi). RITT_FMI_SEED selects others, RITT_FMI_ALL=1 tests all of them.
. "$2/test/cli/common.sh"
case $(uname -sm) in
'Linux x86_64') ;;
*)
  echo 'the importer knows the folders of Linux on x86_64 only'
  finish
  ;;
esac
command -v python3 >/dev/null 2>&1 || finish
sample="--sample 6 --seed ${RITT_FMI_SEED:-1}"
[ -z "${RITT_FMI_ALL:-}" ] || sample=
ok "models as FMUs: $(grep -h WRONG models.log 2>/dev/null)" sh -c "\"$source/tools/check_fmi\" \"$ritt\" $sample >models.log 2>&1"
[ "$failed" = 0 ] || cat models.log
tail -n 1 models.log
finish
