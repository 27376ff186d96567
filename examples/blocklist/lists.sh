#!/usr/bin/env bash
# A list from its making to the edge, with the command alone: built at night, signed, shipped, brought up to date by a delta, and asked.
# WOODBIRD names the command; without it the one of this project is used.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
export LC_ALL=C.UTF-8
woodbird() { "${WOODBIRD:-$here/../../woodbird}" "$@"; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir edge

# Runs a verb that writes a file, and says what it took: step FILE VERB ARGUMENTS...
step() {
  local file=$1 begun=$EPOCHREALTIME
  shift
  woodbird "$@" -q
  awk -v verb="$1" -v file="$file" -v bytes="$(wc -c <"$file")" -v begun="$begun" -v ended="$EPOCHREALTIME" \
    'BEGIN { printf "%-6s %-14s %7d bytes %5.2f s\n", verb, file, bytes, ended - begun }'
}
say() { printf '%-21s %s\n' "$1" "$2"; }

# What others publish, each in its own form: hosts in any case, and hosts with a count. And hosts of our own that must always pass.
awk 'BEGIN { for (i = 1; i <= 200000; i++) print "Mail" i ".Spam.example" }' >spam.txt
awk 'BEGIN { for (i = 1; i <= 50000; i++) print "cdn" i ".bad.example:" i % 90 + 1 }' >malware.txt
awk 'BEGIN { for (i = 1; i <= 20000; i++) print "www" i ".customer.example" }' >allow.txt
cat spam.txt malware.txt >monday.txt
form=(--lower --delimiter : --seed 7) # The part before the colon is the key; a line without one is all key.

echo "-- Monday night, where lists are made"
step blocked.wbird build --family ribbon -p 0.1% "${form[@]}" monday.txt -o blocked.wbird
step lists.wbird build --family map -p 0.1% --combine or "${form[@]}" spam.txt malware.txt -o lists.wbird
step allow.wbird build --family exact --against monday.txt "${form[@]}" allow.txt -o allow.wbird
woodbird sign -q --new-key key.pem
for file in blocked.wbird lists.wbird allow.wbird; do
  step "$file" sign -k key.pem "$file"
  cp "$file" edge
done
cp key.pem.pub edge

echo "-- Tuesday night: 100 hosts are gone, 150 are new"
(sed 1,100d monday.txt; awk 'BEGIN { for (i = 1; i <= 150; i++) print "login" i ".phish.example" }') >tuesday.txt
step today.wdelta delta --delimiter : blocked.wbird tuesday.txt monday.txt -o today.wdelta
step today.wdelta sign -k key.pem today.wdelta
step allow.wbird build -f --family exact --against tuesday.txt "${form[@]}" allow.txt -o allow.wbird
step allow.wbird sign -k key.pem allow.wbird
cp today.wdelta allow.wbird edge

echo "-- At the edge"
mv tuesday.txt allow.txt edge
cd edge
printf 'x' | dd of=today.wdelta bs=1 seek=300 conv=notrunc status=none
woodbird patch -q -k key.pem.pub blocked.wbird today.wdelta 2>/dev/null || say "altered on its way" "refused, exit code $?"
cp ../today.wdelta .
step blocked.wbird patch -k key.pem.pub blocked.wbird today.wdelta
woodbird verify -k key.pem.pub blocked.wbird --contains tuesday.txt --delimiter : >/dev/null
say "hosts of our own" "$(woodbird check -q -c blocked.wbird --from allow.txt) of 20000 would be blocked by mistake"
say "with allow.wbird" "$(woodbird check -q -v allow.wbird --from allow.txt | woodbird check -q -c blocked.wbird) of 20000"
say "hosts of the list" "$(woodbird check -q -c --delimiter : allow.wbird --from tuesday.txt) of 250050 pass because of allow.wbird"

# Blocked is what allow.wbird does not have, and blocked.wbird may have.
printf '%s\n' www.good.example MAIL17.spam.example mail101.spam.example www7.customer.example login7.phish.example >asked.txt
woodbird check -q -v allow.wbird --from asked.txt | woodbird check -q blocked.wbird | sed 's/^/blocked               /'
say "which list (bits)" "$(woodbird check lists.wbird mail101.spam.example), $(woodbird check lists.wbird cdn7.bad.example)"
