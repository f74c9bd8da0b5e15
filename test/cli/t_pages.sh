# Pages of the documentation tell the truth: their models, saved under their names, give the outputs and messages that they show; and none
# is forgotten.
# $1 = the program, $2 = the source folder.
#
# A block that begins with "model NAME" is NAME.ritt; one under <!-- add to A.ritt as B.ritt --> is A.ritt with it as B.ritt; one that
# begins with "$ " is a command and what it prints, on stdout, stderr or both, except for the time that it took. A line "..." stands for
# lines that are left out.
#
# RITT_PAGES='cli tutorial' limits the test to these pages.
. "$2/test/cli/common.sh"

unpack() {
  awk '
    function finish() { if (file) close(file); file = held = "" }
    /^<!-- add to / { finish(); system("cp " $4 " " $6); added = $6; next }
    /^    / && added { file = added; added = ""; append = 1 }
    /^    model [A-Za-z]/ { finish(); file = $2 ".ritt"; append = 0 }
    /^    \$ / { finish(); sub(/^    \$ /, ""); n++; print > (n ".command"); close(n ".command"); file = n ".shown"; printf "" > file; append = 0; next }
    !/^    / && !/^$/ { finish() }
    file { sub(/^    /, ""); if ($0 == "") held = held "\n"; else { if (append) printf "%s%s\n", held, $0 >> file; else printf "%s%s\n", held, $0 > file; held = "" } }
  ' "$1"
}
# without what depends on the machine: the time, and the steps that native code took
timeless() { sed '/^  time /d; /^  lanes /d; /^  legs /d' "$1"; }

# shows FILE: the file is what the page shows for command n
shows() {
  timeless "$1" >timeless
  timeless "$n.shown" | awk '
    NR == FNR { line[++count] = $0; next }
    $0 == "..." { skip = 1; next }
    { at++; while (skip && at <= count && line[at] != $0) at++; if (at > count || line[at] != $0) { bad = 1; exit }; skip = 0 }
    END { exit bad || (!skip && at != count) }
  ' timeless -
}

# page FILE: a page of docs/ or the README. The models of the tree are in models/, and those that a call names without a folder
# are found there by their names.
page() {
  name=${1##*/}
  mkdir -p "${name%.md}" && cd "${name%.md}" || exit 1
  ln -sfn "$source/models" models
  unpack "$1"
  n=1
  while [ -f "$n.command" ]; do
    for model in $(grep -Eo '[^ /]+[.]ritt' "$n.command"); do
      [ -f "$model" ] || find "$source/models" -name "$model" -exec cp {} . \;
    done
    {
      printf 'ritt() { "%s" "$@"; }\n' "$ritt"
      cat "$n.command"
    } >command.sh
    sh command.sh >out 2>err </dev/null
    sh command.sh >both 2>&1 </dev/null
    if shows out || shows err || shows both; then pass; else
      fail "$name shows another output of $(cat "$n.command")"
      diff "$n.shown" both
    fi
    n=$((n + 1))
  done
  # every model of the page that is not refused runs
  for model in *.ritt; do
    [ -f "$model" ] || continue
    if "$ritt" check "$model" >/dev/null 2>&1; then call 0 run "$model" --quiet; else
      ok "$name: $model is refused, and this is not shown" grep -q "$model" ./*.command
    fi
  done
  shown=$((shown + n - 1))
  cd "$top" || exit 1
}
top=$PWD

# The blocks of language.md are fragments (t_language_page.sh).
shown=0
for file in "$source"/README.md "$source"/docs/*.md; do
  base=$(basename "$file" .md)
  case " ${RITT_PAGES:-$base} " in *" $base "*) ;; *) continue ;; esac
  case $file in */language.md) ;; *) page "$file" ;; esac
done
[ -n "$RITT_PAGES" ] || ok "the pages show outputs" [ "$shown" -ge 40 ]

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
