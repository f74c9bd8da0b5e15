# The texts of the tree are plain English: words and phrases of test/style.txt do not occur in documentation, messages, comments, models
# and tests.
# $1 = the program, $2 = the source folder.
. "$2/test/cli/common.sh"

grep -v '^#' "$source/test/style.txt" | cut -d'|' -f1 | sed 's/ *$//' >phrases

# The texts, each file on one line without the marks of comments and strings, so that phrases are found across the ends of lines.
cd "$source" || exit 1
LC_ALL=C grep -rIl '' README.md CONTRIBUTING.md CHANGELOG.md docs library models src include cli python examples tools bench test do \
  --exclude=style.txt --exclude='*.csv' --exclude='*.svg' --exclude='*.json' |
  tr '\n' '\0' | LC_ALL=C xargs -0 awk '
    FNR == 1 { printf "\n%s: ", FILENAME }
    { sub(/^[ \t]*[*#]*[ \t]*"?/, ""); sub(/"?[ \t]*$/, ""); printf "%s ", $0 }
  ' | tr -s ' ' >"$OLDPWD/texts"
cd "$OLDPWD" || exit 1
sed 's/.*/(^|[^[:alnum:]_])&([^[:alnum:]_]|$)/' phrases >patterns
LC_ALL=C grep -iwFf phrases texts | LC_ALL=C grep -iEof patterns | sort | uniq -c >found
ok "phrases that are not plain English; test/style.txt has better words:
$(head -20 found) in $(LC_ALL=C grep -iwFf phrases texts | cut -d: -f1 | head -20 | tr '\n' ' ')" [ ! -s found ]
ok 'the list has phrases' [ "$(wc -l <phrases)" -ge 20 ]

# the search finds a phrase: a file with each of them
while read -r phrase; do printf 'x %s x\n' "$phrase"; done <phrases >sample
ok 'every phrase is found' [ "$(grep -ciwFf phrases sample)" = "$(wc -l <phrases)" ]

finish
