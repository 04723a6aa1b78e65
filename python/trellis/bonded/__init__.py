"""Forces over given pairs, triples and quadruples of particles: bonds, angles, dihedrals."""

from trellis.bonded.bonded_force import BondedForce
from trellis.bonded.potentials import angle_potential, bond_potential, dihedral_potential
from trellis.bonded.ready_made import FENE, CosineAngles, CosineDihedrals, HarmonicBonds

__all__ = [
    "FENE",
    "BondedForce",
    "CosineAngles",
    "CosineDihedrals",
    "HarmonicBonds",
    "angle_potential",
    "bond_potential",
    "dihedral_potential",
]
