#!/usr/bin/env bash
# Runs stages, which are targets of the Makefile, until one fails, and says what each took: seconds, and processor
# seconds of all its processes.
#   tools/stages.sh STAGE...
set -euo pipefail
cd "$(dirname "$0")/.."
TIMEFORMAT='%0R %0U %0S'
taken=$(mktemp)
table=
total=0
failed=0
for stage in "$@"; do
    printf '\n== %s\n' "$stage"
    { time make "$stage" 2>&3 || failed=$?; } 3>&2 2>"$taken"
    read -r seconds user system <"$taken"
    table+=$(printf '%-12s %8d %10d' "$stage" "$seconds" $((user + system)))$'\n'
    total=$((total + seconds))
    [ "$failed" = 0 ] || break
done
rm "$taken"
printf '\n%-12s %8s %10s\n%s%-12s %8d\n' stage seconds processor "$table" all "$total"
exit "$failed"
