"""Interactions a particle and step of our TreePM in the set-up of SUSHI , beside its equation (4).

    python bench/goals/interactions.py [--cells 64] [--per-mesh-cell 8 64] [--redshift 10 49] [--groups 1000] > table.md

The paper measured near z = 10, with groups of up to 1,000 particles that share a list, on meshes with an eighth (256^3)
or a 64th (512^3) as many cells as particles. Particles are as far apart as in a box of 30 Mpc with 256^3, whatever
their number; at z = 10 they are displaced to second order. GreeM's values are set: a cutoff of 3 cells, leaves of up to
10. An interaction is that of an i-particle with a j-particle or a superparticle; cell-cell interactions are not
counted, since within such a cutoff there are almost none.
"""

from __future__ import annotations

import argparse

import trellis as tr
from trellis.model.sites.equations import Run, n_int

SPACE = tr.Cosmology(omega_m=0.3, omega_b=0.045, h=0.7, n_s=1.0, sigma_8=0.9)
SPACING = 30e3 * SPACE.h / 256  # kpc/h
SOFTENING = 5 * SPACE.h  # kpc/h, of the paper's 256^3
THETAS = (0.3, 0.5)


def counted(cells: int, mesh: int, theta: float, redshift: float, groups: int) -> float:
    """Return the interactions a particle of one force; cells and mesh: particles and mesh nodes along a side."""
    matter = tr.ic.cosmology(SPACE, cells**3, seed=1, box=cells * SPACING, redshift=redshift)
    force = tr.Gravity(G=tr.units.GADGET.G, softening=SOFTENING, method="treepm", theta=theta, order=2,
                       group_size=groups, leaf_size=10, mesh_cells=mesh, mesh_cutoff=3)  # fmt: skip
    simulation = tr.Simulation(matter, [force], 1e-9)
    simulation.energies()
    return simulation.interactions / cells**3


def main() -> None:
    """Print the table line by line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, nargs="+", default=[64], help="particles along a side")
    parser.add_argument("--per-mesh-cell", type=int, nargs="+", default=[8, 64], help="particles for each cell")
    parser.add_argument("--redshift", type=float, nargs="+", default=[10.0, 49.0])
    parser.add_argument("--groups", type=int, default=1000, help="most particles that share a list")
    given = parser.parse_args()
    print("| particles | mesh | z | theta | ours | equation (4) | ours over it |\n|---|---|---|---|---|---|---|")
    for cells in given.cells:
        for redshift in given.redshift:
            for share in given.per_mesh_cell:
                mesh = round(cells / share ** (1 / 3))
                for theta in THETAS:
                    ours = counted(cells, mesh, theta, redshift, given.groups)
                    theirs = n_int(Run(cells**3, mesh**3, theta, 1)) / cells**3
                    print(f"| {cells}^3 | {mesh}^3 | {redshift:g} | {theta} | {ours:,.0f} | {theirs:,.0f} "
                          f"| {ours / theirs:.2f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
