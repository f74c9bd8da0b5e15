# The texts of the tree are plain English: words and phrases of test/style.txt do not occur in documentation, messages, comments, models
# and tests.
# $1 = the program, $2 = the source folder.
. "$2/test/cli/common.sh"

grep -v '^#' "$source/test/style.txt" | cut -d'|' -f1 | sed 's/ *$//' >phrases
cd "$source" || exit 1
LC_ALL=C grep -rniIwFf "$OLDPWD/phrases" README.md CONTRIBUTING.md CHANGELOG.md docs library models src include cli python examples tools \
  bench test do --exclude=style.txt --exclude='*.csv' --exclude='*.svg' --exclude='*.json' >"$OLDPWD/found"
cd "$OLDPWD" || exit 1
ok "phrases that are not plain English; test/style.txt has better words:
$(cut -c1-160 found | head -20)" [ ! -s found ]
ok 'the list has phrases' [ "$(wc -l <phrases)" -ge 20 ]

# the search finds a phrase: a file with each of them
while read -r phrase; do printf 'x %s x\n' "$phrase"; done <phrases >sample
ok 'every phrase is found' [ "$(grep -ciwFf phrases sample)" = "$(wc -l <phrases)" ]

finish
