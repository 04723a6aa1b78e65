"""When the cores of star clusters collapse: the same Plummer sphere with other random stars, many times.

A softening of 0.01 takes the place of what stops a collapse, close binaries: it shows when cores collapse, not what
they do then. Sums over all pairs are in single precision, which at 64 stars costs less than the steps do; the errors
of the energies show whether these were short enough.
"""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import trellis as tr

mpl.use("Agg")
SPHERES, STARS, END, EVERY = 1000, 64, 120.0, 0.5
TIMESTEP = 1 / 512
COLLAPSED = 0.05  # the core radius, which is some 0.35 in the beginning

clusters = tr.Ensemble(
    [tr.ic.plummer(STARS, seed=seed) for seed in range(SPHERES)], tr.Gravity(softening=0.01), timestep=TIMESTEP
)


def core_radius(stars: tr.ParticleSet) -> float:
    """Return the core radius by densities from the sixth neighbour of each star (Casertano & Hut 1985)."""
    place = stars.position
    apart = np.linalg.norm(place[:, None] - place, axis=2)
    density = np.sort(apart, axis=1)[:, 6] ** -3.0
    centre = np.average(place, axis=0, weights=density)
    return float(np.sqrt(np.average(((place - centre) ** 2).sum(axis=1), weights=density**2)))


times = np.arange(EVERY, END + EVERY / 2, EVERY)
radii, totals = [], []
for _ in times:
    energies = clusters.advance(round(EVERY / TIMESTEP))
    totals.append(energies.potential + energies.kinetic)
    radii.append([core_radius(stars) for stars in clusters.all_particles()])

small = np.array(radii) < COLLAPSED
collapse = np.where(small.any(axis=0), times[small.argmax(axis=0)], np.inf)  # one time a sphere
lower, median, upper = np.quantile(collapse, [0.25, 0.5, 0.75], method="lower")
print("collapsed", np.isfinite(collapse).sum(), "of", SPHERES)
print(f"quartiles {lower:g} {median:g} {upper:g}")
print("energy error", np.median(np.abs(totals[-1] / totals[0] - 1)))

figure, (cores, ends) = plt.subplots(2, sharex=True, figsize=(6, 6), layout="constrained")
for outer, shade in ((0.05, "0.9"), (0.25, "0.75")):
    low, high = np.quantile(radii, [outer, 1 - outer], axis=1)
    cores.fill_between(times, low, high, color=shade, label=f"{100 * (1 - 2 * outer):.0f} % of the spheres")
cores.plot(times, np.median(radii, axis=1), color="#D55E00", label="median")
cores.axhline(COLLAPSED, color="black", linestyle=":", label="collapsed")
cores.set(ylabel="core radius", yscale="log")
cores.legend()
ends.hist(collapse[np.isfinite(collapse)], bins=np.arange(0, END + 5, 5), color="#0072B2")
ends.set(xlabel="time", ylabel=f"spheres of {SPHERES} that collapse")
figure.savefig("core_collapse.png")
