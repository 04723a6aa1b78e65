"""The heat capacity of a cluster of 55 Lennard-Jones atoms, by two walks that begin at opposite ends.

One walk begins with all systems at the icosahedron, the other with all molten; where they agree, both have reached
equilibrium. They take turns, block by block; each block is written to a file, and a later call continues.

    OMP_NUM_THREADS=1 python bench/clusters/heat_capacity.py FOLDER --seconds 2400
    python bench/clusters/heat_capacity.py FOLDER --seconds 0        # the table alone
"""

from __future__ import annotations

import argparse
import pickle
import time
from pathlib import Path

import numpy as np

import trellis as tr

ATOMS, MINIMUM = 55, -279.248470  # Wales & Doye (1997)
INTERACTION = tr.LennardJones(cutoff=20.0)
TEMPERATURES = np.array([0.25, 0.27, 0.28, 0.286, 0.29, 0.294, 0.298, 0.302, 0.308, 0.316, 0.328, 0.345])
SETTINGS = {"timestep": 0.005, "container": (3.5, 100.0)}
BLOCK = 5_000  # exchanges, of 100 steps
LEFT_OUT = 0.1  # share of each walk before equilibrium
EVERY = 10  # exchanges from sample to sample of the table


def icosahedron() -> tr.ParticleSet:
    """Return the lowest minimum among quenches from random positions."""
    for seed in range(0, 20_000, 200):
        found = tr.quenched([tr.ic.cluster(ATOMS, seed=seed + k) for k in range(200)], INTERACTION)
        best = int(np.argmin(found.energy))
        if found.energy[best] < MINIMUM + 1e-3:
            return found.particles[best]
    raise SystemExit("no quench has found the icosahedron")


def new_walk(start: tr.ParticleSet, seed: int) -> tr.ReplicaExchange:
    """Return a walk whose systems all begin at `start`."""
    bath = tr.Langevin(temperature=0.3, relaxation_time=1.0, seed=seed)
    systems = [start] * len(TEMPERATURES)
    ensemble = tr.Ensemble(systems, INTERACTION, thermostat=bath, temperature=TEMPERATURES, **SETTINGS)
    return tr.ReplicaExchange(ensemble, TEMPERATURES, exchange_every=100, seed=seed)


def molten(start: tr.ParticleSet) -> tr.ParticleSet:
    """Return the cluster after 1,000 units of time far above the melting temperature."""
    bath = tr.Langevin(temperature=0.5, relaxation_time=1.0, seed=99)
    liquid = tr.Ensemble([start], INTERACTION, thermostat=bath, **SETTINGS)
    liquid.advance(200_000)
    return liquid.particles(0)


def walks(folder: Path) -> dict[str, tr.ReplicaExchange]:
    """Return both walks, as their last blocks left them."""
    solid = icosahedron()
    made = {"solid": new_walk(solid, 1), "molten": new_walk(molten(solid), 2)}
    for name, walk in made.items():
        if (saved := folder / f"{name}.state").exists():
            walk.restore(pickle.loads(saved.read_bytes()))
    return made


def take_block(folder: Path, name: str, walk: tr.ReplicaExchange) -> None:
    """Continue a walk by a block, and write its history, then its state."""
    number = walk.exchanges // BLOCK
    history = walk.run(BLOCK)
    history.write(folder / f"{name}_{number:04}.hdf5")
    new = folder / f"{name}.state.new"
    new.write_bytes(pickle.dumps(walk.state()))
    new.replace(folder / f"{name}.state")


def history_of(folder: Path, name: str) -> tr.ExchangeHistory:
    """Return the history of all blocks of a walk."""
    return tr.ExchangeHistory.read(sorted(folder.glob(f"{name}_*.hdf5")))


def row(what: str, energies: np.ndarray) -> str:
    """Return a row of the table."""
    own = tr.analysis.heat_capacity(energies, TEMPERATURES, 3 * ATOMS).peak()
    near = np.linspace(0.285, 0.305, 81)
    curve = tr.analysis.heat_capacity_curve(energies, TEMPERATURES, 3 * ATOMS, at=near).peak()
    return (
        f"| {what} | {curve.temperature:.4f} ± {curve.temperature_error:.4f} |"
        f" {curve.height / ATOMS:.2f} ± {curve.height_error / ATOMS:.2f} |"
        f" {own.height / ATOMS:.2f} ± {own.height_error / ATOMS:.2f} |"
    )


def report(folder: Path) -> None:
    """Print peaks by MBAR of all states and by the parabola through three, and measures of equilibrium."""
    histories = {name: history_of(folder, name) for name in ("solid", "molten")}
    exchanges = min(each.exchanges for each in histories.values())
    print(f"{exchanges} exchanges of {len(TEMPERATURES)} states in each walk\n")
    print("| walk | k T of the peak | height, N k, by MBAR | by the nearest states |\n|---|---|---|---|")
    kept = {}
    for name, history in histories.items():
        kept[name] = history.after(int(LEFT_OUT * history.exchanges)).energies()[::EVERY]
        print(row(name, kept[name]))
        half = len(kept[name]) // 2
        print(row(f"{name}, first half", kept[name][:half]))
        print(row(f"{name}, second half", kept[name][half:]))
    print(row("both", np.concatenate(list(kept.values()))))
    for name, history in histories.items():
        # energy of all states: it follows the number of solid systems, which changes slowly
        total = kept[name].sum(axis=1)
        tau = EVERY * tr.analysis.autocorrelation_time(total)
        print(f"\n{name}: the energy of all states has an autocorrelation time of {tau:.0f} exchanges:")
        print(f"{tr.analysis.effective_samples(total):.0f} independent samples")
        print(tr.analysis.round_trips(history))
        print(tr.analysis.acceptance(history))


def main() -> None:
    """Continue for the given seconds, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=0)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    if given.seconds > 0:
        both = walks(given.folder)
        while time.perf_counter() - began < given.seconds:
            for name, walk in both.items():
                take_block(given.folder, name, walk)
            print(f"{time.perf_counter() - began:.0f} s, {both['solid'].exchanges} exchanges", flush=True)
    report(given.folder)


if __name__ == "__main__":
    main()
