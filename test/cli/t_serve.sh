#!/bin/sh
# ritt serve: the page, its data and its token; the file is read again when it changes.
. "$2/test/cli/common.sh"
cat >live.ritt <<'END'
model live "A dot on a line"
parameter v = 2
variable x
equation x' = v
start x = 0
solve t = 0 .. 1
output x
scene point (x, 0)
END
refuses 'a model from stdin cannot be watched' 'give the name of a file' -- serve -
refuses "--port needs a number up to 65535" -- serve live.ritt --port 70000
"$ritt" serve nowhere.ritt >out 2>err
ok 'no file' [ $? != 0 ]
has err "'nowhere.ritt'"

if ! command -v curl >/dev/null 2>&1; then
  echo 'skipped: curl is not installed, so that no page was asked for'
  finish
  exit
fi
"$ritt" serve live.ritt --quiet >url 2>err &
server=$!
trap 'kill $server 2>/dev/null' EXIT
tries=0
while [ ! -s url ] && [ $tries -lt 100 ]; do
  sleep 0.1
  tries=$((tries + 1))
done
url=$(cat url)
ok 'an address of this machine with a token' sh -c 'echo "$1" | grep -Eq "^http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/\$"' sh "$url"
port=$(echo "$url" | cut -d : -f 3 | cut -d / -f 1)
code() { curl -s -m 20 -o body -w '%{http_code}' "$@"; }

# the page
ok 'the page' [ "$(code "$url")" = 200 ]
has body "default-src 'none'"
ok 'it needs no other file' sh -c '! grep -Eq "<script[^>]* src|stylesheet|@import" body'
ok 'and every part of it is there' sh -c '! grep -q "{{" body'
# only with the token
ok 'no token' [ "$(code "http://127.0.0.1:$port/")" = 404 ]
ok 'a wrong token' [ "$(code "http://127.0.0.1:$port/00000000000000000000000000000000/")" = 404 ]
ok 'nothing was told' [ ! -s body ]
ok 'another page' [ "$(code "${url}etc/passwd")" = 404 ]
ok 'nothing to write' [ "$(code -X POST -d a=b "$url")" = 405 ]
ok 'a body that is longer than a model' [ "$(code -X POST -H 'Content-Length: 99999999' -d a "${url}run")" = 000 ]
ok 'nonsense' sh -c 'printf "\001\002\r\n\r\n" | curl -s -m 5 telnet://127.0.0.1:'"$port"' >/dev/null; [ $? != 7 ]'
if [ -r /proc/net/tcp ]; then
  hex=$(printf '%04X' "$port")
  ok 'it listens on the loopback interface' grep -q "0100007F:$hex" /proc/net/tcp
  ok 'and on no other' sh -c '! grep -q "00000000:$1 00000000:0000 0A" /proc/net/tcp' sh "$hex"
fi

# ask WHAT VALUES FILE: a question about the text of a file, with values of parameters; the answer is in body
ask() {
  { printf '%s\0' "$2"; cat "$3"; } >question
  ok "question $1 $2" [ "$(code --data-binary @question "$url$1")" = 200 ]
}
ok 'the file' [ "$(code "${url}file")" = 200 ]
has body '"name":"live.ritt"'
has body 'A dot on a line'
ok 'the libraries' [ "$(code "${url}libraries")" = 200 ]
has body '"planar":'

# x(1) = v
ask check '' live.ritt
has body '"verdict":"determined"'
has body '"values": [2]'
ask run '' live.ritt
has body '"figures":[{"word":"point"'
has body '"last":[1,2]'
has body '"messages":[],"status":0'
ok 'the table of the run' [ "$(code -X POST "${url}table")" = 200 ]
ok 'and its last row' [ "$(tail -n 1 body)" = 1,2 ]
ask run 'v=4' live.ritt
has body '"last":[1,4]'
ask run 'nothing=1' live.ritt
has body 'nothing'
ok 'a wrong name is reported' sh -c '! grep -q "\"messages\":\[\]" body'
ask emit '' live.ritt
has body '"c":"'

# the text of the page may differ from the file; files beside it are found
echo 'parameter v = 8' >values.inc
sed 's/^parameter v = 2/include "values.inc"/' live.ritt >tried
ask run '' tried
has body '"last":[1,8]'
sed "s/x' = v/x' = w/" live.ritt >tried
ask run '' tried
has body "\"line\":4,\"column\":15,\"text\":\"'w' is not defined\""

# the file changes
code "${url}version" >/dev/null
cp body before
sleep 0.05
mv tried live.ritt
code "${url}version" >/dev/null
ok 'another version' sh -c '! cmp -s body before'
ok 'the server lives' kill -0 $server

# a page that goes away ends its run: the next question is answered at once
cat >long <<'END'
model long
variable x, y
equation x' = y
  y' = -x
start x = 0, y = 1
solve t = 0 .. 1e9
output x
END
{ printf '\0'; cat long; } >question
curl -s -m 1 --data-binary @question "${url}run" >body
has body 'P{"part":'
ok 'the server takes the next question' [ "$(code "${url}version")" = 200 ]
kill $server
wait $server 2>/dev/null
finish
