"""A melt of bead-spring polymers (Kremer & Grest 1990), beside what LAMMPS has for its benchmark of such a melt."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import trellis as tr

mpl.use("Agg")
CHAINS, BEADS, STEPS = 40, 100, 10_000
DENSITY = 0.8442  # and what follows: of LAMMPS's bench/POTENTIALS/log.16Mar18.fene.1, the mean of its two lines
LAMMPS = {"temperature": 0.9716, "pressure": 4.6635, "potential energy of a bead": 20.9416}

# Chains that turn as those of a melt do, at random places, without regard to each other (Auhl et al. 2003).
random = np.random.default_rng(3)
steps = random.normal(size=(CHAINS, BEADS, 3))
for k in range(1, BEADS):
    steps[:, k - 1] *= 0.97 / np.linalg.norm(steps[:, k - 1], axis=1, keepdims=True)
    steps[:, k] = 0.28 * steps[:, k - 1] + 0.93 * steps[:, k]
count, side = CHAINS * BEADS, (CHAINS * BEADS / DENSITY) ** (1 / 3)
steps[:, -1] = random.uniform(0, side, (CHAINS, 3))
positions = np.roll(steps, 1, axis=1).cumsum(axis=1).reshape(-1, 3)
melt = tr.ParticleSet.from_columns(position=positions % side, mass=np.ones(count), box=[side] * 3)
bonds = np.arange(count - 1)[:, None] + [0, 1]
bonds = bonds[bonds[:, 1] % BEADS != 0]


def move(*forces: tr.Force, timestep: float, steps: int, relaxation_time: float) -> tr.Simulation:
    """Move the melt at its temperature."""
    bath = tr.Langevin(temperature=LAMMPS["temperature"], relaxation_time=relaxation_time, seed=1)
    sim = tr.Simulation(melt, list(forces), timestep=timestep, thermostat=bath)
    sim.run(steps=steps)
    return sim


# Beads that overlap are pushed apart by a soft potential that grows.
for height in (1, 4, 10, 20, 40, 70, 100):
    push = tr.pair_potential("height * (1 + cos(k * r))", cutoff=2 ** (1 / 6), height=height, k=np.pi / 2 ** (1 / 6))
    springs = tr.HarmonicBonds(bonds, k=500, length=0.97)
    move(push, springs, timestep=0.002, steps=500, relaxation_time=0.2)
beads = tr.LennardJones(cutoff=2 ** (1 / 6), truncation="energy-shifted")
fene = tr.FENE(bonds, k=30, length=1.5)
move(beads, fene, timestep=0.001, steps=2000, relaxation_time=0.2)
sim = move(beads, fene, timestep=0.012, steps=STEPS // 2, relaxation_time=2.0)

seen: list[tuple[float, float, float]] = []
squares: list[np.ndarray] = []


def look(now: tr.Simulation) -> None:
    """Note temperature, pressure and energy, and the squared distances along the chains."""
    seen.append((now.temperature(), now.pressure(), now.energies().potential / count))
    place = np.empty((count, 3))
    place[now.particles.id] = now.particles.position
    step = np.diff(place.reshape(CHAINS, BEADS, 3), axis=1)
    chain = np.cumsum(step - side * np.round(step / side), axis=1)
    squares.append(np.array([((chain[:, n:] - chain[:, :-n]) ** 2).sum(axis=2).mean() for n in range(1, BEADS - 1)]))


sim.run(steps=STEPS, callbacks=[(20, look)])
for (name, theirs), ours in zip(LAMMPS.items(), np.mean(seen, axis=0), strict=True):
    print(f"{name}: {ours:.4f}, LAMMPS {theirs}")
distances = np.mean(squares, axis=0)
print(f"length of a bond: {distances[0] ** 0.5:.4f}")

n = np.arange(1, BEADS - 1)
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.semilogx(n, distances / n, color="#0072B2")
ax.set(xlabel="bonds n between two beads", ylabel="mean squared distance / n")
figure.savefig("polymer_melt.png")
