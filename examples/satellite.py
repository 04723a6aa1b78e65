"""A satellite of stars that attract each other, in the halo of a galaxy, which draws it out into two streams."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import trellis as tr

mpl.use("Agg")
stars = tr.ic.plummer(2000, seed=1)  # mass 1, radius 1 or so
stars.position += [25.0, 0.0, 0.0]
stars.velocity += [0.0, 2.5, 1.0]
halo = tr.external.LogarithmicHalo(speed=4.0, core_radius=2.0, flattening=0.9)
sim = tr.Simulation(stars, [tr.Gravity(softening=0.1, accuracy=1e-3), halo], timestep=1 / 32)

path = []


def heart(now: tr.Simulation) -> np.ndarray:
    """Return where the stars are bound most."""
    return now.particles.position[now.particles.potential.argmin()].copy()


sim.run(until=50.0, progress=True, callbacks=[(16, lambda now: path.append(heart(now)))])

distance = np.linalg.norm(stars.position - heart(sim), axis=1)
print("energy error", sim.energies().error)
print("stars beyond 5", np.mean(distance > 5.0))

figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
ax.plot(*np.transpose(path)[:2], color="grey", lw=0.5)
ax.plot(stars.position[:, 0], stars.position[:, 1], ",k")
ax.set(xlabel="x", ylabel="y", aspect="equal", title=f"t = {sim.time:g}")
figure.savefig("satellite.png")
