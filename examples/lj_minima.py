"""Which minima clusters of 13 Lennard-Jones atoms find, that go straight downhill from random places."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import trellis as tr

mpl.use("Agg")
CLUSTERS = 2000

starts = [tr.ic.cluster(13, seed=seed) for seed in range(CLUSTERS)]
minima = tr.quenched(starts, tr.LennardJones(cutoff=20.0))

levels, found = np.unique(minima.energy.round(5), return_counts=True)
print("different energies", len(levels))
print("lowest", minima.energy.min())
print("share of the lowest", found[0] / CLUSTERS)
tr.io.write_snapshot("lj_minimum.hdf5", minima.particles[int(minima.energy.argmin())])

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.vlines(levels, 0.5, found, color="#0072B2", linewidth=1)
ax.annotate("icosahedron", (levels[0], found[0]), (8, -4), textcoords="offset points")
ax.set(xlabel="energy of the minimum", ylabel=f"quenches of {CLUSTERS}", yscale="log", ylim=(0.5, None))
figure.savefig("lj_minima.png")
