#!/usr/bin/env bash
# Launches nvcc, and keeps what its assembler says of registers and spills (-Xptxas=-v) beside the object, in
# OBJECT.registers, for tools/check_registers.py.
set -uo pipefail
object=/dev/null
for ((k = 1; k < $#; ++k)); do
    next=$((k + 1))
    [ "${!k}" = -o ] && object=${!next}
done
said=$("$@" 2>&1)
code=$?
of_registers='^(ptxas info|    [0-9]+ bytes stack frame)'
[ "$object" = /dev/null ] || grep -E "$of_registers" <<<"$said" >"$object.registers"
grep -vE "$of_registers" <<<"$said" | grep . >&2
exit "$code"
