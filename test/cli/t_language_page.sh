# docs/language.md tells the truth: every example on it runs, and what it shows as refused is refused with that message.
# $1 = the program, $2 = the source folder.
#
# A block of code is a model or a piece of one if it begins with the keyword of a section; a comment <!-- rest ... --> above
# it holds the rest of the model, <!-- file NAME ... --> a file beside it. A block under <!-- refused ... --> is what the
# model in the comment is reported, its name that of the file in the block. The others: the grammar, and signs that end a line.
. "$2/test/cli/common.sh"
page=$source/docs/language.md
header=$source/src/lang/lang_impl.h

sed -n '/define RITTI_SECTIONS/,/typedef enum ritti_section/s/.*X([A-Z0-9]*, "\([a-z0-9]*\)", \([A-Z]*\).*/\1 \2/p' "$header" >sections
sed 's/ .*//' sections >keywords
ok "the keywords are found" [ "$(wc -l <keywords)" -gt 20 ]

# blocks -> N.ritt, files; N.refused -> the model, N.shown -> the message; what is neither -> others
awk '
  FNR == NR { keyword[$1]; next }
  /^<!-- rest$/ { hidden = "rest"; rest = ""; next }
  /^<!-- refused$/ { hidden = "refused"; refused = ""; next }
  /^<!-- file / { hidden = "file"; name = $3; next }
  hidden && /^-->$/ { if (hidden == "file") close(name); hidden = ""; next }
  hidden == "rest" { rest = rest $0 "\n"; next }
  hidden == "refused" { refused = refused $0 "\n"; next }
  hidden == "file" { folder = name; if (sub(/\/[^\/]*$/, "", folder)) system("mkdir -p " folder); print > name; next }
  /^    / { block = block held substr($0, 5) "\n"; held = ""; next }
  /^$/ && block { held = held "\n"; next }
  block { finish() }
  END { if (block) finish() }
  function finish(  first, file) {
    first = block; sub(/[ \n].*/, "", first)
    n++
    if (refused) {
      file = block; sub(/:.*/, "", file)
      printf "%s", refused > (n ".refused"); print file > (n ".name"); printf "%s", block > (n ".shown"); 
    } else if (first in keyword) {
      file = n ".ritt"
      if (first == "model") printf "%s%s", block, rest > file
      else printf "%s%s", rest, block > file
      printf "%s", block > (n ".block")
      close(file)
    } else print first >> "others"
    block = held = rest = refused = ""
  }
' keywords "$page"

for model in [0-9]*.ritt; do
  if grep -q '^branch' "$model" && ! command -v Singular >/dev/null 2>&1; then
    echo 'skipped: Singular is not installed, so that the example of branch was not run'
    continue
  fi
  call 0 run "$model" --quiet
done
for model in *.refused; do
  name=$(cat "${model%.refused}.name")
  cp "$model" "$name"
  call 2 check "$name"
  if cmp -s err "${model%.refused}.shown"; then pass; else
    fail "docs/language.md shows another message"
    diff "${model%.refused}.shown" err
  fi
done

# every statement has its example, shown and not hidden
while read -r keyword _; do
  ok "there is no example of $keyword" grep -Eq "^ *$keyword( |\$)" ./*.block
done <sections
# nothing else is on the page: signs that end a line, and the grammar
printf ',\nfile\n' >expected
ok "a block of the page is neither run nor known: $(tr '\n' ' ' <others)" cmp -s others expected

# every setting in the table is one
printf '0\n1/2 | 1/2\nb | 0 1\n' >my.tableau
sed -n '/^| setting/,/^$/s/^| \(`[^|]*\) |.*/\1/p' "$page" | tr '`' '\n' | grep -E '^[a-z]+ ' >settings
ok "the settings are found" [ "$(wc -l <settings)" -gt 15 ]
while read -r setting; do
  case $setting in
  limit* | follow* | newton*)
    printf "model strong\nvariable x, y\nlagrangian (x'^2 + y'^2)/2 - x\nstiff (x - y)^2/2, eps = 0.01\n" ;;
  *) printf "model implicit\nvariable x\nequation x'^3 + x' = t + x\nstart x = 1\n" ;;
  esac >setting.ritt
  printf "solve t = 0 .. 0.1\n  %s\n" "$setting" >>setting.ritt
  call 0 run setting.ritt --quiet
done <settings

finish
