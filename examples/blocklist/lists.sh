#!/usr/bin/env bash
# A night and a day of three lists: built from what others publish, extended by hand, and asked which of them has a host.
# WOODBIRD names the command; without it the one of this project is used.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
export LC_ALL=C.UTF-8
woodbird() { "${WOODBIRD:-$here/../../woodbird}" "$@"; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# What others publish, each in its own form: hosts in any case, and hosts with a count.
awk 'BEGIN { for (i = 1; i <= 200000; i++) print "Mail" i ".Spam.example" }' >spam.txt
awk 'BEGIN { for (i = 1; i <= 50000; i++) print "cdn" i ".bad.example:" i % 90 + 1 }' >malware.txt

# Every night. A list appears when it is whole; who has the old one open goes on with it.
nightly() {
  woodbird build -q -f --family frozen -p 0.01% --lower --seed 7 "${@:2}" -o "$1"
  printf 'night   %s: %d bytes\n' "$1" "$(wc -c <"$1")"
}
nightly spam.wbird spam.txt
nightly malware.wbird --delimiter : malware.txt
woodbird verify spam.wbird --contains spam.txt >/dev/null

# By day. A list that takes hosts one by one, and gives them back.
woodbird build -q --family growing -p 0.01% --lower --seed 7 -o today.wbird </dev/null
woodbird add -q today.wbird login.phish.example CDN7.bad.example wrong.example
woodbird remove -q today.wbird wrong.example
printf 'day     today.wbird: %d bytes\n' "$(wc -c <today.wbird)"

# At any time: which list has it?
printf '%s\n' www.good.example mail17.spam.example cdn7.bad.example login.phish.example wrong.example >asked.txt
woodbird check -q --both --in spam.wbird --in malware.wbird --in today.wbird --from asked.txt | sed 's/^/asked   /'
