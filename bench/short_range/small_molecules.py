"""Small systems with bonds and excluded pairs on one core: millions of atom-steps a second, by processor time.

Chains of seven atoms in open space (docs/ensembles.md), and liquids of which each atom is excluded from one other. With
names of devices as arguments: milliseconds a step of chains there.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import trellis as tr

CHAIN = np.arange(7)
PAIRS, TRIPLES, QUADRUPLES = (np.stack([CHAIN[k : 8 - n + k] for k in range(n)], axis=1) for n in (2, 3, 4))
NEAR = [(a, b, 0.5 * (b == a + 3)) for a in range(7) for b in range(a + 1, min(a + 4, 7))]
BATH = tr.Langevin(temperature=1.0, relaxation_time=1.0, seed=1)


def chain(seed: int) -> tr.ParticleSet:
    position = np.stack([0.83 * CHAIN, 0.28 * (-1.0) ** CHAIN, 0 * CHAIN], axis=1)
    position += np.random.default_rng(seed).normal(scale=0.02, size=(7, 3))
    return tr.ParticleSet.from_columns(position=position, mass=[15, 14, 14, 14, 14, 14, 15])


def rate(systems: list[tr.ParticleSet], forces: list[tr.Force], timestep: float, steps: int) -> float:
    """Return the median of five calls, in millions of atom-steps a second."""
    ensemble = tr.Ensemble(systems, [forces], timestep=timestep, thermostat=BATH)
    ensemble.advance(steps // 10)
    seconds = []
    for _ in range(5):
        start = time.process_time()
        ensemble.advance(steps)
        seconds.append(time.process_time() - start)
    return sum(map(len, systems)) * steps / float(np.median(seconds)) / 1e6


def forces_of_chains() -> dict[str, tr.Force]:
    return {
        "excluded pairs": tr.LennardJones(
            epsilon=0.4, sigma=2.55, cutoff=30.0, truncation="energy-shifted", exclude=NEAR
        ),
        "bonds": tr.HarmonicBonds(PAIRS, k=1000, length=1.0),
        "angles": tr.angle_potential("k * (theta - t0)**2 / 2", triples=TRIPLES, k=125.0, t0=1.99),
        "dihedrals": tr.CosineDihedrals(QUADRUPLES, k=2.5, n=3),
    }


def chains() -> None:
    forces = forces_of_chains()
    systems = [chain(seed) for seed in range(64)]
    print("| chains of 7 atoms, Langevin, and also | M atom-steps/s |\n|---|---|")
    print(f"| no forces | {rate(systems, [], 0.01, 20_000):.2f} |")
    for count, name in enumerate(forces, 1):
        print(f"| {name} | {rate(systems, list(forces.values())[:count], 0.01, 20_000):.2f} |", flush=True)


def liquids() -> None:
    print("\n| atoms of a liquid | all pairs | without excluded ones |\n|---|---|---|")
    for atoms in (108, 256, 500, 2048):
        systems = [tr.ic.lennard_jones(atoms, density=0.8, temperature=1.0, seed=seed) for seed in range(2048 // atoms)]
        given = {"cutoff": 2.0 if atoms == 108 else 2.5, "truncation": "energy-shifted"}
        forces = tr.LennardJones(**given), tr.LennardJones(**given, exclude=np.arange(atoms).reshape(-1, 2))
        rates = [rate(systems, [force], 0.002, 200) for force in forces]
        print(f"| {atoms} | {rates[0]:.2f} | {rates[1]:.2f} |", flush=True)


def on_devices(devices: list[str]) -> None:
    """Measure chains whose atoms are Lennard-Jones atoms in Python, and those with all forces: the fastest of five."""
    atoms = tr.pair_potential("1.6 * ((2.55 / r)**12 - (2.55 / r)**6)", cutoff=30.0, truncation="energy-shifted")
    print("| device | chains | atoms alone, ms a step | with a topology |\n|---|---|---|---|")
    for device in devices:
        for count in (64, 1024):
            found = []
            for forces in ([atoms], list(forces_of_chains().values())):
                starts = [chain(seed) for seed in range(count)]
                ensemble = tr.Ensemble(starts, [forces], timestep=0.001, thermostat=BATH, device=device)
                ensemble.advance(20)
                seconds = []
                for _ in range(5):
                    start = time.perf_counter()
                    ensemble.advance(200)
                    seconds.append(time.perf_counter() - start)
                found.append(min(seconds) / 200 * 1e3)
            print(f"| {device.rpartition('/')[2]} | {count} | {found[0]:.3f} | {found[1]:.3f} |", flush=True)


if __name__ == "__main__":
    if devices := sys.argv[1:]:
        on_devices(devices)
    else:
        tr.set_threads(1)
        chains()
        liquids()
