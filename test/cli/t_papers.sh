# The papers made again: the quick tables have the counts that docs/papers.md says are exact, two figures are drawn, and the page and its
# pictures belong together. $1 = the program, $2 = the source folder.
. "$2/test/cli/common.sh"
export PYTHONDONTWRITEBYTECODE=1

if command -v python3 >/dev/null 2>&1; then
  python3 "$source/tools/papers" "$ritt" >out 2>err
  ok "counts are other than the page says: $(grep 'not as' out) $(head -3 err)" [ $? = 0 ]
  # printed in the paper on enhanced linear algebra, Tables 1, 7, 9, 11, 12 and 13
  has out 'Table 1: 18049 18049 exact'
  has out '18019 18019 exact'
  has out 'Table 7: 3875 3875 exact'
  has out '3825 3825 exact, 55 55 exact'
  has out 'Table 9: 2860 2860 exact'
  has out 'Table 11: 53 53 exact'
  has out 'Table 12: 35 35 exact'
  has out 'Table 13: 22 22 exact'
  python3 "$source/tools/papers" >out 2>err
  ok 'no argument: how it is called' [ $? = 1 -a -s err ]
  if command -v gnuplot >/dev/null 2>&1; then
    python3 "$source/tools/papers" "$ritt" --figures drawn bit6.9 ima2.4 >out 2>err
    ok "figures: $(head -3 err)" [ $? = 0 ]
    ok 'two pictures' [ "$(ls drawn)" = "bit6_9.svg
ima2_4.svg" ]
    ok 'of curves' grep -q '<path' drawn/ima2_4.svg
  fi
else
  echo 'python3: not here'
fi

# 10 + 15 + 11 figures and 3 + 15 tables, all of them, each picture once and none too large
page=$source/docs/papers.md
sed -n 's/^!\[Figure [0-9.]*\](pictures\/papers\/\(.*\))$/\1/p' "$page" | sort >named
(cd "$source/docs/pictures/papers" && ls) | sort >there
ok 'the pictures named and those there differ' cmp named there
ok 'figures' [ "$(wc -l <named)" = 36 ]
ok 'tables' [ "$(grep -c '^| Table ' "$source/docs/papers_tables.md")" = 18 ]
for model in "$source"/models/papers/*.ritt; do
  ok "the page does not name ${model##*/}" grep -q "(../models/papers/${model##*/})" "$page"
done
ok 'large pictures' [ -z "$(find "$source/docs/pictures/papers" -size +60k)" ]
finish
