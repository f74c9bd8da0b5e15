# Pages of the documentation tell the truth: their models, saved under their names, give the outputs and messages that they show; and none
# is forgotten.
# $1 = the program, $2 = the source folder.
#
# A block that begins with "model NAME" is NAME.ritt; one under <!-- add to A.ritt as B.ritt --> is A.ritt with it as B.ritt; one that
# begins with "$ ritt" is a call and what it prints, on stdout or on stderr, but for the time that it took.
. "$2/test/cli/common.sh"

unpack() {
  awk '
    function finish() { if (file) close(file); file = held = "" }
    /^<!-- add to / { finish(); system("cp " $4 " " $6); added = $6; next }
    /^    / && added { file = added; added = ""; append = 1 }
    /^    model / { finish(); file = $2 ".ritt"; append = 0 }
    /^    \$ ritt / { finish(); sub(/^    \$ ritt /, ""); n++; print > (n ".command"); close(n ".command"); file = n ".shown"; printf "" > file; append = 0; next }
    !/^    / && !/^$/ { finish() }
    file { sub(/^    /, ""); if ($0 == "") held = held "\n"; else { if (append) printf "%s%s\n", held, $0 >> file; else printf "%s%s\n", held, $0 > file; held = "" } }
  ' "$1"
}
timeless() { sed '/^  time /d' "$1"; }

# page NAME COUNT: docs/NAME.md, which shows at least COUNT outputs
page() {
  name=$1
  mkdir -p "$name" && cd "$name" || exit 1
  unpack "$source/docs/$name.md"
  n=1
  while [ -f "$n.command" ]; do
    # shellcheck disable=SC2046
    "$ritt" $(cat "$n.command") >out 2>err </dev/null
    timeless "$n.shown" >shown
    for file in out err; do timeless $file >$file.timeless; done
    if cmp -s out.timeless shown || cmp -s err.timeless shown; then pass; else
      fail "docs/$name.md shows another output of ritt $(cat "$n.command")"
      diff shown out
      cat err
    fi
    n=$((n + 1))
  done
  ok "docs/$name.md has outputs" [ "$n" -gt "$2" ]
  # every model of the page that is not refused runs
  for model in *.ritt; do
    if "$ritt" check "$model" >/dev/null 2>&1; then call 0 run "$model" --quiet; else
      ok "docs/$name.md: $model is refused, and it is not shown" grep -q "$model" ./*.command
    fi
  done
  cd "$top" || exit 1
}
top=$PWD

page mechanics 5
page tutorial 4
page invariants 1
page linearize 4
page view 1
page sensitivity 2

# Every page is in the navigation of the site and in the list of the README; every picture is shown by a page, and made by a script.
# Those of the papers: t_papers.sh.
for file in "$source"/docs/*.md; do
  name=${file##*/}
  ok "mkdocs.yml has no docs/$name" grep -q ": $name\$" "$source/mkdocs.yml"
  ok "README.md has no docs/$name" sh -c '[ "$1" = index.md ] || grep -q "(docs/$1)" "$2"' sh "$name" "$source/README.md"
done
for file in "$source"/docs/pictures/*.svg "$source"/docs/pictures/gallery/*.png; do
  name=${file#"$source"/docs/} base=$(basename "${file%.*}")
  ok "docs/$name is on no page" grep -q "($name)" "$source"/docs/*.md
  case $name in
  */gallery/*) ok "tools/gallery does not draw $base" grep -Eq "(^|[ '])$base([ ']|\$)" "$source/tools/gallery" ;;
  *) ok "tools/pictures does not draw $base" grep -q "/$base.svg" "$source/tools/pictures" ;;
  esac
done

finish
