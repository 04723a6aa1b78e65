#!/usr/bin/env bash
# The cost of several ranks: counted for any number of them, timed on the cores of this machine. Needs mpirun, and a
# machine that is otherwise idle.
# Markdown on standard output:
#   bench/ranks/ranks.sh > bench/results/ranks-MACHINE-COMMIT.md
# One rank with all threads and as many ranks of one thread take turns, REPEATS times.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=build/bench repeats=${REPEATS:-3} cores=${CORES:-2}
cmake -S . -B "$build" -G Ninja -DTRELLIS_BENCH=ON -DTRELLIS_MPI=ON >&2
cmake --build "$build" --target bench_many_ranks bench_ranks bench_rank_steps >&2
export OMP_WAIT_POLICY=passive

steps() { # ranks, threads, particles
    OMP_NUM_THREADS=$2 mpirun --bind-to none -n "$1" "$build/bench/bench_rank_steps" --particles "$3"
    echo
}

"$build/bench/bench_ranks"
echo
"$build/bench/bench_ranks" --ranks 1 --particles 512000 --balance ""  # whose error is to be compared
echo
"$build/bench/bench_many_ranks"
echo
for ((k = 0; k < repeats; ++k)); do
    steps 1 "$cores" 1048576         # against the next: ranks instead of threads
    steps "$cores" 1 1048576         # against the next: strong scaling
    steps 1 1 1048576,524288         # the second against the one before: weak scaling
done
