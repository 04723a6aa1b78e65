"""A Plummer sphere from Python: make it, run it, look at it."""

import numpy as np

import trellis as tr

stars = tr.ic.plummer(20_000, seed=1)
sim = tr.Simulation(stars, forces=[tr.Gravity(softening=1 / 64, accuracy=1e-3)], timestep=1 / 128)

half_mass_radii = []


def watch(sim: tr.Simulation) -> None:
    """Note the radius that holds half of the particles."""
    radius = np.linalg.norm(sim.particles.position, axis=1)
    half_mass_radii.append(float(np.median(radius)))


sim.run(until=1.0, progress=True, callbacks=[(16, watch)])

print(sim)
print("energy error", sim.energies().error)
print("virial ratio", sim.energies().virial_ratio)
print("half-mass radius", half_mass_radii[0], "to", half_mass_radii[-1])
print("force error", sim.force_error(500))

tr.io.write_snapshot("plummer.hdf5", sim.particles, time=sim.time)
tr.plot.density(sim).figure.savefig("plummer.png")
