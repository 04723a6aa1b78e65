"""Trellis and ASE, the Atomic Simulation Environment: sets of particles as atoms, and forces as calculators, both ways.

Units are those of ASE in both: angstrom, electronvolt, the atomic mass unit, and the time that follows of them
(``ase.units.fs`` femtoseconds in it). It needs ASE: ``pip install 'trellis-particles[ase]'``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.arguments import shown
from trellis.forces import PythonForce
from trellis.particles import ParticleSet
from trellis.particles.known_fields import fixed_rows
from trellis.simulation import Simulation
from trellis.simulation.engine import force_list

NUMBER = "atomic_number"


def _ase() -> Any:
    try:
        import ase.calculators.calculator
        import ase.constraints
    except ImportError:
        raise _core.RunError("atoms of ASE need the package ase: pip install 'trellis-particles[ase]'") from None
    return ase


def particles_of(atoms: Any) -> ParticleSet:
    """Return atoms of ASE as particles; ids are the indices of the atoms.

    Masses, velocities and, where there are any, charges are taken over; the field ``atomic_number`` has the elements.
    Atoms of the constraint ``FixAtoms`` are `fixed`, at rest.

    Parameters
    ----------
    atoms : ase.Atoms
        Atoms in open space, or in a rectangular cell, periodic along any axes.

    Raises
    ------
    ValueError
        For a cell along whose periodic axes the vectors are not those of a rectangular box, and for other constraints.
    """
    particles = _free_particles_of(_checked_atoms(atoms))
    if atoms.constraints:
        fixed = _fixed_atoms(atoms)
        particles.fixed = fixed
        particles.velocity[fixed] = 0
    return particles


def _checked_atoms(atoms: Any) -> Any:
    if not isinstance(atoms, _ase().Atoms):
        raise _core.InputError(f"atoms is {shown(atoms)}, but must be atoms of ASE (ase.Atoms)")
    return atoms


def _free_particles_of(atoms: Any) -> ParticleSet:
    lengths = np.asarray(atoms.cell.lengths())
    if atoms.pbc.any() and not np.allclose(np.asarray(atoms.cell)[atoms.pbc], np.diag(lengths)[atoms.pbc]):
        raise _core.InputError(
            f"the cell of the atoms is {np.asarray(atoms.cell).tolist()}: allowed is a rectangular one, along x, y, z"
        )
    particles = ParticleSet.from_columns(
        position=atoms.get_positions(), mass=atoms.get_masses(), velocity=atoms.get_velocities()
    )
    particles.add_field(NUMBER, values=atoms.get_atomic_numbers().astype(float))
    if atoms.has("initial_charges"):
        particles.add_field("charge", values=atoms.get_initial_charges())
    if atoms.pbc.any():
        low, high = np.where(atoms.pbc, 0.0, -np.inf), np.where(atoms.pbc, lengths, np.inf)
        particles.box = np.stack([low, high])
    return particles


def _fixed_atoms(atoms: Any) -> NDArray[np.bool_]:
    fixed = np.zeros(len(atoms), dtype=bool)
    for constraint in atoms.constraints:
        if (kind := type(constraint).__name__) != "FixAtoms":
            raise _core.InputError(f"the atoms have the constraint {kind}: allowed is FixAtoms alone")
        fixed[constraint.get_indices()] = True
    return fixed


def atoms_of(particles: ParticleSet) -> Any:
    """Return particles as atoms of ASE (`ase.Atoms`), in the order of their ids.

    The elements are those of the field ``atomic_number``; without it they are X, with the particles' masses. The field
    ``charge`` becomes their initial charges, and particles that are fixed at rest have the constraint ``FixAtoms``. The
    low corner of a periodic box becomes the origin.
    """
    ase = _ase()
    order = np.argsort(particles.id)
    low, high = particles.region
    periodic = np.isfinite(low)
    has_numbers = NUMBER in particles.field_names
    atoms = ase.Atoms(
        numbers=particles.column(NUMBER)[order].astype(int) if has_numbers else np.zeros(len(order), dtype=int),
        positions=particles.position[order] - np.where(periodic, low, 0.0),
        masses=particles.mass[order],
        velocities=particles.velocity[order],
        cell=np.where(periodic, high - low, 0.0),
        pbc=periodic,
        charges=particles.column("charge")[order] if "charge" in particles.field_names else None,
    )
    at_rest = fixed_rows(particles)[order] & ~atoms.get_velocities().any(axis=1)
    if at_rest.any():
        atoms.set_constraint(ase.constraints.FixAtoms(mask=at_rest))
    return atoms


def force_of(calculator: Any, atoms: Any) -> PythonForce:
    """Return the force of a calculator of ASE on the particles of `particles_of(atoms)`.

    Parameters
    ----------
    calculator : ase.calculators.calculator.Calculator
        Computes energy and forces.
    atoms : ase.Atoms
        The atoms, of which it is given a copy, without constraints, at the positions of each step.
    """
    template = _checked_atoms(atoms).copy()
    template.set_constraint()
    template.calc = calculator

    def calculated(
        position: NDArray[np.float64], ids: NDArray[np.uint64], box: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]:
        rows = ids.astype(np.int64)
        if len(rows) != len(template) or (len(rows) and rows.max() >= len(template)):
            raise _core.InputError(
                f"a calculator is given {len(rows)} particles: allowed are those of its {len(template)} atoms"
            )
        positions = np.empty_like(position)
        positions[rows] = position
        low, high = box
        if (np.isfinite(low) != template.pbc).any():
            raise _core.InputError(
                f"the box is periodic along {_axes(np.isfinite(low))}, but the atoms of the calculator along"
                f" {_axes(template.pbc)}: allowed is the same for both"
            )
        if template.pbc.any():
            template.set_cell(np.where(template.pbc, high - low, template.cell.lengths()))
        template.set_positions(positions)
        return float(template.get_potential_energy()), template.get_forces()[rows]

    return PythonForce(calculated, needs=["position", "id", "box"], gives=["energy", "force"])


def _axes(periodic: NDArray[np.bool_]) -> str:
    return ", ".join(axis for axis, there in zip("xyz", periodic, strict=True) if there) or "no axis"


def calculator_of(forces: Sequence[_core.Force]) -> Any:
    """Return a calculator of ASE that computes energy, forces and stress by forces of Trellis.

    The stress is known for the forces and boxes of `Simulation.pressure_tensor`; asked for elsewhere, it is a
    ValueError.

    Parameters
    ----------
    forces : sequence of Force
        As `trellis.Simulation` takes them, such as ``[tr.LennardJones(epsilon=0.01, sigma=3.4, cutoff=8.5)]``.

    Returns
    -------
    ase.calculators.calculator.Calculator
        For ``atoms.calc = ...``; atoms as `particles_of` allows them.
    """
    given = force_list(forces)
    base: Any = _ase().calculators.calculator.Calculator

    class TrellisCalculator(base):  # type: ignore[misc]
        """Energy, forces and stress by forces of Trellis."""

        implemented_properties = ("energy", "free_energy", "forces", "stress")

        def calculate(self, atoms: Any = None, properties: Any = ("energy",), system_changes: Any = ()) -> None:
            super().calculate(atoms, properties, system_changes)
            sim = Simulation(_free_particles_of(self.atoms), given, timestep=1.0)
            energies = sim.energies()
            energy = energies.potential + energies.external
            order = np.argsort(sim.particles.id)
            pull = sim.particles.mass[:, None] * sim.particles.acceleration
            self.results = {"energy": energy, "free_energy": energy, "forces": pull[order]}
            if "stress" in properties:
                sim.particles.velocity = 0
                self.results["stress"] = -sim.pressure_tensor()[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]

    return TrellisCalculator()
