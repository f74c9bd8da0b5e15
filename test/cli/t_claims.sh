# ritt run --verify against 118 problems with known answers (test/hostile/claims.txt).
# $1 = the program, $2 = the source folder, RITT_CLAIMS = a file for the table of docs/reliability_claims.md.
#
# No claim is more than half a digit above the true number of digits at the end of the run, relative to the largest value of the
# column. A run may make no claim; three quarters of them must.
. "$2/test/cli/common.sh"
table=${RITT_CLAIMS:-table.md}

# true_digits COLUMN VALUE: the true digits of the column in the last row of rows.csv
true_digits() {
  awk -F, -v name="$1" -v value="$2" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
    NR > 1 { v = $c < 0 ? -$c : $c + 0; if (v > size) size = v; last = $c }
    END {
      if (value < 0 && -value > size) size = -value
      if (value > 0 && value > size) size = value
      e = last - value; e = (e < 0 ? -e : e) / size
      digits = (e < 1e-15) ? 15 : -log(e) / log(10)
      printf "%.1f\n", (digits > 0 ? digits : 0)
    }' rows.csv
}

printf '| problem | start | end | answer | claimed | true |\n|---|---|---|---|---:|---:|\n' >table
count=0
claims=0
while IFS='|' read -r class model start end column answer value; do
  case $class in '#'*) continue ;; esac
  column=$(printf %s "$column" | tr -d ' ')
  value=$(printf %s "$value" | tr -d ' ')
  {
    echo "model p"
    printf '%s\n' "$model" | tr ';' '\n' | sed 's/^ *//'
    printf 'start t = 0\n %s\nsolve t = 0 .. %s\n' "$start" "$end"
  } >p.ritt
  count=$((count + 1))
  call 0 run p.ritt --verify --json -o rows.csv
  said=$(sed -n 's/^  "verified_digits_end": \([0-9.e+-]*\),*$/\1/p' out)
  if grep -F '"verified_without_digits"' out | grep -qF "\"$column\""; then said=; fi
  true=$(true_digits "$column" "$value")
  case $class in # the default tolerances follow the sizes of variables: all sizes get the same digits
    oscillator* | reaction*) ok "$model, $start: $true digits" awk -v a="$true" 'BEGIN { exit !(a >= 6.5) }' ;;
  esac
  if [ -n "$said" ]; then
    claims=$((claims + 1))
    said=$(printf %.1f "$said")
    ok "$model, $start: $said digits claimed, $true true" awk -v a="$said" -v b="$true" 'BEGIN { exit !(a <= b + 0.5) }'
  fi
  equations=$(printf %s "$model" | sed 's/^ *//; s/variable [^;]*; //; s/equation //g; s/ *$//')
  printf '| `%s` |%s|%s|%s| %s | %s |\n' "$equations" "$start" "$end" "$answer" "${said:-none}" "$true" >>table
done <"$source/test/hostile/claims.txt"
ok "at least 100 problems: $count" test "$count" -ge 100
ok "claims are made for most problems: $claims of $count" test "$claims" -ge $((count * 3 / 4))
cp table "$table"

finish
