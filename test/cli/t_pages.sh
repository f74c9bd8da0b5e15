# Pages of the documentation tell the truth: their models, saved under their names, give the outputs and messages that they show; and none
# is forgotten.
# $1 = the program, $2 = the source folder.
#
# A block is indented by four columns, or fenced. Every block is one of these, so that none is forgotten:
#   model NAME ...                        the file NAME.ritt
#   $ COMMAND                             and what it prints, on stdout, stderr or both, except for the time that it took; a line "..."
#                                         stands for lines that are left out
#   ritt ..., cc ..., ./...; ```sh        commands, each of which succeeds; ```output: what the last of them print
#   <!-- add to A.ritt as B.ritt -->      a block below this is the end of B.ritt, which begins with A.ritt
#   <!-- rest ... -->                     a block below this is a piece of a model, whose rest the comment has
#   <!-- file NAME -->, ```c              the file NAME, or main.c
#   <!-- example NAME -->                 lines of examples/c: t_examples.sh
#   ```python                             python/tests/test_page.py
#   <!-- not run: WHY -->, ```math        not a command: a formula, a list, a form of commands, an installation
#
# RITT_PAGES='cli tutorial' limits the test to these pages.
. "$2/test/cli/common.sh"

# fenced blocks as indented ones
indent() {
  awk '
    /^```/ && on { on = 0; print ""; next }
    /^```/ {
      on = 1
      if ($0 ~ /^```(python|math|text)/) print "<!-- not run: " substr($0, 4) " -->"
      if ($0 == "```sh") print "<!-- commands -->"
      if ($0 == "```c") print "<!-- file main.c -->"
      if ($0 == "```output") print "<!-- output -->"
      next
    }
    { print on && $0 != "" ? "    " $0 : $0 }
  ' "$1"
}
unpack() {
  indent "$1" | awk '
    function finish() { if (file) close(file); file = held = ""; skip = append = 0 }
    function start_command() { finish(); n++; file = n ".command"; printf "" > file }
    /^<!-- add to / { finish(); system("cp " $4 " " $6); mark = "add"; name = $6; next }
    /^<!-- rest$/ { finish(); hidden = 1; rest = ""; next }
    hidden && /^-->$/ { hidden = 0; mark = "rest"; next }
    hidden { rest = rest $0 "\n"; next }
    /^<!-- (not run|example|commands|file|output) ?/ { finish(); mark = $2; name = $3; next }
    !/^    / && !/^$/ { finish(); mark = "" }
    /^    / && !skip {
      if (mark == "not" || mark == "example") { finish(); skip = 1 }
      else if (mark == "add") { finish(); file = name; append = 1 }
      else if (mark == "file") { finish(); file = name }
      else if (mark == "rest") { finish(); file = "piece" ++pieces ".ritt"; printf "%s", rest > file }
      else if (mark == "output") { finish(); file = n ".shown" }
      else if (/^    model [A-Za-z]/) { finish(); file = $2 ".ritt" }
      else if (/^    \$ /) { start_command(); sub(/^    \$ /, ""); print > file; finish(); file = n ".shown"; printf "" > file; mark = ""; next }
      else if (!file && (mark == "commands" || /^    (ritt|cc|[.]\/[a-z]+) /)) { start_command(); mark = "" }
      else if (!file) { print > "unmarked"; skip = 1 }
      mark = ""
    }
    file && !skip { sub(/^    /, ""); if ($0 == "") held = held "\n"; else { if (append) printf "%s%s\n", held, $0 >> file; else printf "%s%s\n", held, $0 > file; held = "" } }
  '
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
  ok "$name: blocks that are neither run nor marked, first lines: $(cat unmarked 2>/dev/null)" [ ! -f unmarked ]
  n=1
  while [ -f "$n.command" ]; do
    for model in $(grep -Eo '[^ /]+[.]ritt' "$n.command"); do
      [ -f "$model" ] || grep -q "ritt new ${model%.ritt}" "$n.command" || find "$source/models" -name "$model" -exec cp {} . \;
    done
    {
      printf 'ritt() { "%s" "$@"; }\n' "$ritt"
      echo 'cc() { command cc "$@" -O0; }' # optimised emitted code takes long to compile: t_emit.sh
      cat "$n.command"
    } >command.sh
    if [ ! -f "$n.shown" ]; then
      mkdir -p fresh # `ritt new` writes no file that is there already
      if grep -q 'ritt new' command.sh; then (cd fresh && sh -e ../command.sh) else timeout 300 sh -e command.sh; fi >out 2>err </dev/null
      got=$?
      ok "$name: exit $got: $(cat "$n.command" err)" [ "$got" = 0 ]
      n=$((n + 1))
      continue
    fi
    sh command.sh >out 2>err </dev/null
    # both streams in their order need a second run
    if shows out || shows err || { sh command.sh >both 2>&1 </dev/null && false; } || shows both; then pass; else
      fail "$name shows another output of $(cat "$n.command")"
      diff "$n.shown" both
    fi
    n=$((n + 1))
  done
  # every model of the page that is not refused runs
  for model in *.ritt; do
    [ -f "$model" ] || continue
    if "$ritt" check "$model" >/dev/null 2>&1; then
      "$ritt" run "$model" --quiet >out 2>err </dev/null
      got=$?
      ok "$name: $model stops, and this is not shown: $(head -1 err)" sh -c '[ "$1" = 0 ] || grep -q "run $2" ./*.command' sh "$got" "$model"
    else
      ok "$name: $model is refused, and this is not shown" grep -q "$model" ./*.command
    fi
  done
  shown=$((shown + n - 1))
  cd "$top" || exit 1
}
top=$PWD
export CFLAGS=-O0

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
