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
ok 'it needs no other file' sh -c '! grep -Eq "https?:|src=|@import" body'
# only with the token, and only to be read
ok 'no token' [ "$(code "http://127.0.0.1:$port/")" = 404 ]
ok 'a wrong token' [ "$(code "http://127.0.0.1:$port/00000000000000000000000000000000/")" = 404 ]
ok 'nothing was told' [ ! -s body ]
ok 'another page' [ "$(code "${url}etc/passwd")" = 404 ]
ok 'nothing to write' [ "$(code -X POST -d a=b "$url")" = 405 ]
ok 'nonsense' sh -c 'printf "\001\002\r\n\r\n" | curl -s -m 5 telnet://127.0.0.1:'"$port"' >/dev/null; [ $? != 7 ]'
if [ -r /proc/net/tcp ]; then
  hex=$(printf '%04X' "$port")
  ok 'it listens on the loopback interface' grep -q "0100007F:$hex" /proc/net/tcp
  ok 'and on no other' sh -c '! grep -q "00000000:$1 00000000:0000 0A" /proc/net/tcp' sh "$hex"
fi

# the data; other values of parameters
ok 'data' [ "$(code "${url}data")" = 200 ]
has body '"figures":[{"word":"point"'
has body '"values": [2]'
has body '"messages":[],"status":0'
cp body first
ok 'data with another value' [ "$(code "${url}data?v=3")" = 200 ]
ok 'it is another run' sh -c '! cmp -s body first'
ok 'a value in code' [ "$(code "${url}data?v=%33")" = 200 ]
code "${url}data?nothing=1" >/dev/null
has body "nothing"
ok 'a wrong name is reported' sh -c '! grep -q "\"messages\":\[\]" body'

# the file changes: a mistake has its place and its hint
code "${url}version" >/dev/null
cp body before
sleep 0.05
sed "s/x' = v/x' = w/" live.ritt >other && mv other live.ritt
code "${url}version" >/dev/null
ok 'another version' sh -c '! cmp -s body before'
code "${url}data" >/dev/null
has body "\"line\":4,\"column\":15,\"text\":\"'w' is not defined\""
sed "s/x' = w/x' = -v/" live.ritt >other && mv other live.ritt
code "${url}data" >/dev/null
has body '"messages":[],"status":0'
ok 'the server lives' kill -0 $server
kill $server
wait $server 2>/dev/null
finish
