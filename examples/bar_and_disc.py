"""A disc of test particles in the field of a galaxy whose bar stirs it: rings and spirals at the resonances."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import trellis as tr

mpl.use("Agg")
pattern_speed = 0.6
halo = tr.external.LogarithmicHalo(speed=1.0, core_radius=1.0, flattening=0.9)
disc = tr.external.MiyamotoNagai(mass=0.4, scale_length=0.8, scale_height=0.15)
bar = tr.external.RotatingBar(mass=0.4, half_length=1.2, width=0.2, thickness=0.15, pattern_speed=pattern_speed)
bulge = tr.external.Plummer(mass=0.4, scale_radius=0.6)  # stands for the bar where orbits begin as circles

random = np.random.default_rng(1)
stars = tr.ParticleSet(20_000)  # without mass
radius, angle = np.sqrt(random.uniform(0.3**2, 4.0**2, len(stars))), random.uniform(0, 2 * np.pi, len(stars))
outward = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=1)
stars.position = radius[:, None] * outward
tr.Simulation(stars, [halo, disc, bulge], timestep=0.01, keep_order=True).energies()  # accelerations, too
speed = np.sqrt(radius * -np.sum(stars.acceleration * outward, axis=1))
stars.velocity = speed[:, None] * np.stack([-outward[:, 1], outward[:, 0], outward[:, 2]], axis=1)


def jacobi(now: tr.ParticleSet) -> np.ndarray:
    """Return E - Omega L_z of each particle, which the bar conserves."""
    spin = now.position[:, 0] * now.velocity[:, 1] - now.position[:, 1] * now.velocity[:, 0]
    return 0.5 * np.sum(now.velocity**2, axis=1) + now.external_potential - pattern_speed * spin


sim = tr.Simulation(stars, [halo, disc, bar], timestep=0.02, keep_order=True)
sim.energies()
before = jacobi(stars)
sim.run(until=20.0, progress=True)
change = np.abs(jacobi(stars) - before)
print("Jacobi's integral changed by", np.median(change), "at most", change.max())
print("spread in radius", np.std(np.linalg.norm(stars.position[:, :2], axis=1) - radius))

figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
ax.hist2d(stars.position[:, 0], stars.position[:, 1], bins=120, range=[[-5, 5], [-5, 5]], cmap="magma")
ax.set(xlabel="x", ylabel="y", aspect="equal", title=f"t = {sim.time:g}")
figure.savefig("bar_and_disc.png")
