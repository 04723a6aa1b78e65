#!/usr/bin/env bash
# LAMMPS's in.lj by GROMACS and the same melt here, one core each, in turn: atom-steps a second of processor time, and
# their ratio.
#   bench/short_range/gromacs.sh GMX [ROUNDS]
# GMX: the program gmx, in single precision, built for the SIMD instructions of this machine (-DGMX_SIMD=AVX_512; that
# of Debian is for SSE4.1). The benchmarks are built: bench/run_all.sh does that; or
# TRELLIS_BENCH names their folder.
set -euo pipefail
gmx=$1 rounds=${2:-5}
here=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# Epsilon is 1 kJ/mol, sigma 1 nm and a mass 1 u, so that the unit of time is 1 ps; kT = 1.44 is 173.2 K.
python3 - <<'PYTHON'
cells, edge = 20, (4 / 0.8442) ** (1 / 3)
corners = [(0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0)]
places = [
    [edge * (cell + at) for cell, at in zip((i, j, k), corner)]
    for i in range(cells)
    for j in range(cells)
    for k in range(cells)
    for corner in corners
]
with open("melt.gro", "w") as file:
    print("melt", len(places), sep="\n", file=file)
    for number, place in enumerate(places, 1):
        at = "".join(f"{x:10.5f}" for x in place)
        print(f"{number % 100000:5d}LJ      A{number % 100000:5d}{at}", file=file)
    print(*[f"{cells * edge:.5f}"] * 3, file=file)
with open("melt.top", "w") as file:
    print("[ defaults ]\n1 2 no 1 1\n[ atomtypes ]\nA 1 1.0 0.0 A 1.0 1.0", file=file)
    print("[ moleculetype ]\nLJ 0\n[ atoms ]\n1 A 1 LJ A 1 0.0 1.0", file=file)
    print(f"[ system ]\nmelt\n[ molecules ]\nLJ {len(places)}", file=file)
PYTHON
for steps in 50 550; do
    cat >"$steps.mdp" <<MDP
integrator = md
dt = 0.005
nsteps = $steps
nstlist = 20
cutoff-scheme = Verlet
coulombtype = Cut-off
rcoulomb = 2.5
rvdw = 2.5
vdw-modifier = None
gen-vel = yes
gen-temp = 173.2
gen-seed = 87287
nstenergy = 0
nstcalcenergy = 100
nstlog = 0
MDP
    "$gmx" -quiet grompp -f "$steps.mdp" -c melt.gro -p melt.top -o "$steps.tpr" -maxwarn 5 >grompp.log 2>&1
done
# The processor seconds of a run of $1 steps.
seconds_of() {
    local TIMEFORMAT='%U %S'
    { time "$gmx" -quiet mdrun -s "$1.tpr" -deffnm run -ntmpi 1 -ntomp 1 -pin off -notunepme >mdrun.log 2>&1; } 2>&1 |
        awk '{ print $1 + $2 }'
}
echo "| round | GROMACS, M atom-steps/s | Trellis | ratio |"
echo "|---:|---:|---:|---:|"
for round in $(seq "$rounds"); do
    begun=$(seconds_of 50) ended=$(seconds_of 550)
    theirs=$(awk -v a="$begun" -v b="$ended" 'BEGIN { print 32000 * 500 / (b - a) / 1e6 }')
    ours=$("${TRELLIS_BENCH:-$here/build/bench/bench}/bench_short_range" --cells 20 --skin 0.3 --reuse 64 \
        --steps 500 | awk -F'|' '/^\| 32000/ { print $5 + 0 }')
    awk -v round="$round" -v a="$theirs" -v b="$ours" \
        'BEGIN { printf "| %d | %.2f | %.2f | %.2f |\n", round, a, b, b / a }'
done
