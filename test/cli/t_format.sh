#!/bin/sh
# ritt format: only blanks change, comments stay, a second time changes nothing.
# $1 = the program, $2 = the sources.
program=$(realpath "$1")
sources=$(realpath "$2")
fail=0
wrong() { echo "failed: $*"; fail=1; }
squeeze() { sed '1s/^\xef\xbb\xbf//' "$1" | tr -d ' \t\r\n'; }

# same FILE NAME: laid out, the file has the same text except for blanks, the same meaning, and stays as it is
same() {
  "$program" format - < "$1" > once.ritt 2> said || return 0
  laid=$((laid + 1))
  "$program" format - < once.ritt > twice.ritt
  cmp -s once.ritt twice.ritt || wrong "laid out twice, not as once: $2"
  [ "$(squeeze "$1")" = "$(squeeze once.ritt)" ] || wrong "other text: $2"
}
laid=0
for folder in models test/corpus test/refuse/cases test/golden; do
  find "$sources/$folder" -name '*.ritt' | sort > files
  # the sanitizers' programs are several times slower
  if grep -aq __asan_init "$program"; then awk 'NR % 4 == 1' files > some && mv some files; fi
  while read -r model; do same "$model" "$model"; done < files
done
[ "$laid" -gt 75 ] || wrong "only $laid files were laid out"

# layouts that people write: comments everywhere, lines that go on, tabs, CR LF, a byte order mark, no last line end
nasty() {
  printf %b "$1" > nasty.ritt
  laid=0
  same nasty.ritt "$1"
  [ "$laid" = 1 ] || wrong "refused: $1"
  "$program" check nasty.ritt > before 2>&1 || wrong "no model: $1: $(head -3 before)"
  mv once.ritt nasty.ritt
  "$program" check nasty.ritt > after 2>&1
  cmp -s before after || wrong "another meaning: $1"
}
nasty '# d\0303\0251but \0303\0274n\0303\0257code \0342\0210\0202x/\0342\0210\0202t \0342\0206\0222 \0342\0210\0236\r\nmodel   m   "Titre \0302\0253\0303\0251\0302\0273"\r\n\r\n\r\nvariable\tx\t,\ty\r\nequation\r\n\tx'\'' =   y   # \0317\0210\r\n\ty'\''=-x\r\nstart x=1,y=0'
nasty 'model m # a\n# b\nvariable x # c\n # d\nequation # e\n # f\n x'\'' = # g\n  # h\n\n  -x + # i\n   # j\n  1 # k\n# l\nstart # m\n # n\n x = 1 # o\n# p'
nasty 'model m\nparameter n=3\nvariable x[1..n],A[1..n,1..n]\nequation\n for i in 1..n: # outer\n  # c1\n  x[i]'\''=0\n  for j in 1..n: # inner\n     # c2\n     A[i,j]'\''=if i=j # cond\n       # c3\n       then 1 # t\n       else # e\n         0\n  # c4\n # c5\nstart x=1\n for i in 1..n:\n    for j in 1..n: A[i,j]=0\n'
nasty 'model m\nvariable x\nequation x'\''=(1+\n\n# inside bracket\n\n 2)*[1,2][1]-(\n3\n)\nstart x=1'
nasty '\0357\0273\0277model m\nvariable x\nequation x'\''=-x^2^-1*-x*0-- -x\nstart x=-1\nsolve t=0..1\n method   dopri54\n rows    step  .1'
nasty 'model m\nvariable x , y,\n  z\nlet a=x+\n y, b = x*y\nequation\n x'\''=a\n y'\''=b\n z'\''=x'\'''\''\nstart x=1,\n y=2, # comma\n z=3\noutput x,y, z\n'
nasty 'model m\nvariable x\nequation x'\''=x\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nstart x=1                                                                                                                                                                                                        # far\n\n\n\n# end\n\n\n'
nasty 'model m\nparameter f=1.,g=.5,h=1.e3,k[1 .. 2]=[1.,2.]\nvariable x\nequation x'\'' = sum(i in 1. ..2,k[i])*x*0+f\nstart x=1\nevent   e :x=2   rising->x:= 1 ,record\nsection s:x=1\nplot   t:x,x'\''\nplot(x,x'\'')\nplot3( x,x'\'',t )\nunit x"m #not a comment",t "s"\ndoc"a # b"  # c\n x "\0303\0251"'
nasty 'model m\nvariable q,p\nhamiltonian p^2/2+\n# pot\n q^2/2\ncanonical(q,p)\ninvariant projected\tenergy\nstart q=1,p=0\nsolve arc=0..1\n\ttolerance\t1e-3'
nasty 'model m\nvariable x,y\nlagrangian(x'\''^2+y'\''^2)/2-y\nconstraint rod:x^2+y^2=1\nforce x:-x'\''\n  y :\n   -y'\''\ndissipation x'\''^2\nstart x=1,y=0\n\t\t# tab comment\n   \t \nfunction f(a,b)=a*\n  b\nfunction g(a)=\n a\n'
nasty 'model m\nvariable x\nequation\n      a: x'\'' = 1 # deep\nstart\n\n\n\n   x =\n   1'
nasty 'model m\r\nvariable x\r\nequation x'\'' = if x > 0 and\r\n  x < 1 or not\r\n  x > 2 then 1 else\r\n 2\r\n# last\r'

cat > ugly.ritt <<'MODEL'


# first
model   ugly   "A   title"
parameter a=1,b   =  -2     # two of them
variable x[1..3],y


equation
    for i in 1..3:
          x[ i ] ' = - a*x[i]+b
       # between
    y' = sum( i in 1..3 , x [i] ) /
       ( a+1 )
start  t=0
 for i in 1..3: x[i]=1
 y~0
solve t=0..1
MODEL
cat > pretty.ritt <<'MODEL'
# first
model ugly "A   title"
parameter a = 1, b = -2     # two of them
variable x[1..3], y

equation
  for i in 1..3:
    x[i]' = -a*x[i]+b
    # between
  y' = sum(i in 1..3, x[i])/
    (a+1)
start t = 0
  for i in 1..3: x[i] = 1
  y ~ 0
solve t = 0 .. 1
MODEL
"$program" check ugly.ritt > before || wrong "the model is refused"
"$program" format --check ugly.ritt 2> said && wrong "--check sees nothing"
cmp -s ugly.ritt pretty.ritt && wrong "--check has changed the file"
"$program" format ugly.ritt || wrong "format fails"
diff -u pretty.ritt ugly.ritt || wrong "another layout"
"$program" format --check ugly.ritt || wrong "--check of what is laid out"
"$program" check ugly.ritt > after
cmp -s before after || wrong "the model has another meaning"
# a link stays one, and its file is laid out; its permissions stay, too
mkdir -p linked
printf 'model   a\n' > linked/file.ritt
chmod 600 linked/file.ritt
ln -sf linked/file.ritt link.ritt
"$program" format link.ritt || wrong "format fails at a link"
[ -L link.ritt ] || wrong "the link is no link any more"
[ "$(cat linked/file.ritt)" = 'model a' ] || wrong "the file behind a link is as it was"
case $(ls -l linked/file.ritt) in -rw-------*) ;; *) wrong "others may read the file now" ;; esac
printf 'model a\nparameter b[1. .. 2] = 1\n' | "$program" format - > range.ritt
grep -q 'b\[1\. \.\.' range.ritt || wrong "a number that ends in a point runs into a range"
# a sign at the beginning of a statement belongs to its term, one in the middle of an expression joins
printf 'model a\nvariable x, y\nequation\n  x'\'' = 1\n  - y'\'' = (x\n    - y)\n' | "$program" format - > sign.ritt
grep -q "^  -y' = (x" sign.ritt || wrong "a sign at the beginning of a line is set apart"
grep -q "^    - y)" sign.ritt || wrong "a sign that joins is not set apart"
printf 'model a\nvariable x\nequation x = "b\n' > bad.ritt
cp bad.ritt kept.ritt
"$program" format bad.ritt 2> said && wrong "a string without its end is laid out"
cmp -s bad.ritt kept.ritt || wrong "a refused file was changed"
exit $fail
