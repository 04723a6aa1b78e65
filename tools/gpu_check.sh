#!/usr/bin/env bash
# On a machine with a GPU, a C++ compiler, CMake and what compiles the kernels (for cuda:N nvcc, for opencl:N clang 15
# and llvm-spirv, for hip:N clang 15, lld and AMD's device library), and nothing else: builds for that GPU into
# build-gpu, checks the device against the direct sum, for CUDA once more under compute-sanitizer where there is one,
# and prints the benchmark as Markdown. Exits with 1 when a check fails.
#   tools/gpu_check.sh [DEVICE]
set -euo pipefail
cd "$(dirname "$0")/.."
device=${1:-cuda:0}
build=build-gpu

# The output of compilers goes to a log, which is shown when something fails.
mkdir -p "$build"
case $device in
cuda:*)
    kind=(-DTRELLIS_CUDA=ON -DTRELLIS_HIP=OFF -DCMAKE_CUDA_ARCHITECTURES=native)
    kernel_bench=bench_gpu_kernel
    ;;
hip:*)
    kind=(-DTRELLIS_CUDA=OFF -DTRELLIS_HIP=ON -DTRELLIS_OPENCL=OFF)
    kernel_bench=
    ;;
*)
    kind=(-DTRELLIS_CUDA=OFF -DTRELLIS_HIP=OFF -DTRELLIS_OPENCL=ON)
    kernel_bench=
    ;;
esac
build_it() {
    # shellcheck disable=SC2086 # none or one
    cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release "${kind[@]}" \
        -DTRELLIS_MPI=OFF -DTRELLIS_BENCH=ON -DTRELLIS_NATIVE=ON &&
        cmake --build "$build" --parallel "$(nproc)" --target trellis_device_check $kernel_bench bench_methods \
            bench_short_range_devices bench_small_systems
}
echo "# GPU check"
echo
if ! build_it >"$build/gpu_check.log" 2>&1; then
    tail -n 60 "$build/gpu_check.log" >&2
    echo "gpu_check: the build failed (see above; all of it is in $build/gpu_check.log)" >&2
    exit 1
fi

check="$build/tests/gpu/trellis_device_check"
failed=0
show() {
    printf '\n## %s\n\n```text\n' "$1"
    shift
    "$@" 2>&1 || { echo "FAILED: exit code $?"; failed=1; }
    printf '```\n'
}
show "$device" "$check" "$device"
show "The same checks on the processor" "$check" cpu --small
if [ -n "$kernel_bench" ] && command -v compute-sanitizer >/dev/null; then
    # The failure that the checks provoke on purpose, too little memory, is not CUDA's. racecheck makes kernels some
    # thousand times slower: it may not come to the last checks.
    under() { timeout "$2" compute-sanitizer --tool "$1" --error-exitcode 1 "$check" "$device" --smallest; }
    some_under() { under "$@" || { [ $? -eq 124 ] && echo "ended after $2 s; faults found until then stand above"; }; }
    show "compute-sanitizer, memcheck" under memcheck 120
    show "compute-sanitizer, racecheck" some_under racecheck 60
else
    printf '\nThere is no compute-sanitizer on this machine: not run.\n'
fi

measure() {
    echo
    "$build/bench/$1" --device "${@:2}" || failed=1
}
[ -z "$kernel_bench" ] || measure "$kernel_bench" "$device"
measure bench_methods "$device" --particles 4194304 --theta 0.5 --check 100
measure bench_methods "$device" --particles 4194304 --theta 0.25,0.75,1.0 --methods "G2,G3 reusing,G4,G4 reusing" \
    --check 100
measure bench_methods "$device" --particles 4194304 --group 64,256 \
    --methods "C1 fmm,C1 fmm reusing,G2 fmm,G3 fmm reusing" --check 100
measure bench_short_range_devices "host,$device"
# The goal is 2,000 million atom-steps a second with 256 atoms.
measure bench_small_systems "$device" --all-atoms 1048576
exit "$failed"
