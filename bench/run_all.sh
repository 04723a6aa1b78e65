#!/usr/bin/env bash
# Builds the benchmarks and runs each in full, or with few settings (--quick). Markdown on standard output:
#   bench/run_all.sh > bench/results/gravity-MACHINE-COMMIT.md
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/bench
cmake -S . -B "$build" -G Ninja -DTRELLIS_BENCH=ON >&2
cmake --build "$build" >&2
export OMP_WAIT_POLICY=passive
if [ "${1:-}" = --quick ]; then
    "$build/bench/bench_kernel"
    "$build/bench/bench_phases" --particles 1048576 --theta 0.5 --group 64,256
    "$build/bench/bench_accuracy" --fmm-order 4,5 --tree-order 1 --theta 0.5 --check 1000
    "$build/bench/bench_softenings" --particles 32768 --large 0.03,0.3
    "$build/bench/bench_scaling_n" --log2 14,16,18,20,22
    "$build/bench/bench_reuse" --particles 131072 --reuse 1,8
    "$build/bench/bench_methods"
    "$build/bench/bench_checksums"
    "$build/bench/bench_blocks"
    "$build/bench/bench_precision" --log2 14,16
    "$build/bench/bench_short_range" --cells 20 --skin 0.2
    "$build/bench/bench_kinds" --kinds 27 --rounds 5
    "$build/bench/bench_gas" --skin 0.05
    "$build/bench/bench_short_range_devices" --cells 20 --side 32
    "$build/bench/bench_small_systems" --rounds 5 --milliseconds 50
else
    "$build/bench/bench_kernel"
    "$build/bench/bench_phases"
    "$build/bench/bench_accuracy"
    "$build/bench/bench_softenings"
    "$build/bench/bench_scaling_n"
    "$build/bench/bench_reuse"
    "$build/bench/bench_methods" --group 64,128,256
    "$build/bench/bench_blocks"
    "$build/bench/bench_precision" --log2 12,14,16,18,20
    "$build/bench/bench_short_range"
    "$build/bench/bench_kinds"
    "$build/bench/bench_gas"
    "$build/bench/bench_short_range_devices"
    "$build/bench/bench_small_systems"
fi
