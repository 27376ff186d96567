#!/usr/bin/env bash
# Recipes for the woodbird command. Each is compared with what sort, comm or awk say about the same lines.
# WOODBIRD names the command; without it the one of this project is used.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
export LC_ALL=C.UTF-8
woodbird() { "${WOODBIRD:-$here/../../woodbird}" "$@"; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# recipe TITLE COMMAND OTHER: runs both, and ends the script where they differ.
recipe() {
  local title=$1 command=$2 other=$3
  printf '%s\n    %s\n' "$title" "$command"
  eval "$command" >ours 2>said || { cat said >&2; exit 1; }
  eval "$other" >theirs 2>/dev/null
  if cmp -s ours theirs; then
    printf '    %s lines, the same as: %s\n\n' "$(wc -l <ours | tr -d ' ')" "$other"
  else
    printf '    DIFFERS from: %s\n' "$other" >&2
    diff ours theirs | head -5 >&2
    exit 1
  fi
}

# 200,000 addresses today, of which 150,000 were known; in no order, and some twice.
address() { awk -v from="$1" -v to="$2" 'BEGIN { for (i = from; i < to; i++) print "user" (i * 7919) % 1000003 "@example.org" }'; }
{ address 50000 250000; address 60000 61000; } >today.txt
address 0 200000 >known.txt
{ echo id,email,city; awk '{ print NR ",\"" $0 "\",\"Bonn, Rhein\"" }' today.txt; } >today.csv
{ echo id,email; awk '{ print NR "," $0 }' known.txt; } >known.csv
gzip -k known.txt

fresh="awk 'NR == FNR { known[\$0]; next } !(\$0 in known)' known.txt today.txt"

recipe 'What is new today? Exact, in the order of today.txt, nothing is sorted.' \
  'woodbird diff today.txt known.txt' \
  "$fresh"

recipe 'The same as sets, for comparison with comm.' \
  'woodbird diff today.txt known.txt | sort -u' \
  'comm -23 <(sort -u today.txt) <(sort -u known.txt)'

recipe 'What do both have?' \
  'woodbird common today.txt known.txt | sort -u' \
  'comm -12 <(sort -u today.txt) <(sort -u known.txt)'

recipe 'From compressed files, and from a pipe.' \
  'cat today.txt | woodbird diff - known.txt.gz | sort -u' \
  'comm -23 <(sort -u today.txt) <(sort -u known.txt)'

recipe 'By one column of a table: whole records, compared by their email.' \
  "woodbird diff --csv --field email today.csv known.csv | cut -d'\"' -f2" \
  "$fresh"

recipe 'Each line once, without sorting (uniq for a stream).' \
  'woodbird new --state once.wbird -n 1M today.txt' \
  "awk '!seen[\$0]++' today.txt"

woodbird new -q --state days.wbird -n 1M known.txt >/dev/null
recipe 'Day after day: what did no earlier run pass? The state survives kill -9.' \
  'woodbird new --state days.wbird today.txt | sort' \
  'comm -23 <(sort -u today.txt) <(sort -u known.txt)'

woodbird build -q -p 1e-12 --seed 1 known.txt
recipe 'Against a filter file that somebody shipped: lines that are certainly not in it.' \
  'woodbird check --not-here known.wbird --from today.txt' \
  "$fresh"

recipe 'File names, safe with spaces and line ends.' \
  "touch 'a b' c; woodbird diff -0 <(find . -name '[a-c]*' -print0) <(printf './c\\0') | tr '\\0' '\\n'" \
  "echo './a b'"

recipe 'Is that filter whole, and every line of the list in it? How often is it wrong?' \
  "woodbird verify known.wbird --contains known.txt --probes 1M --json | grep -oE '\"(whole|missing|wrongMaybe)\":[^,]*'" \
  "printf '%s\\n' '\"whole\":true' '\"missing\":0' '\"wrongMaybe\":0'"

echo 'all recipes agree'
