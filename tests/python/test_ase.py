"""Atoms of ASE as particles and back, its calculators as forces, and forces as its calculators."""

from __future__ import annotations

import numpy as np
import pytest

import trellis as tr

ase = pytest.importorskip("ase", reason="ASE is not installed")


def argon(repeat: int = 5):  # type: ignore[no-untyped-def]  # ase has no types
    """Return a crystal of argon with some disorder."""
    from ase.build import bulk

    atoms = bulk("Ar", "fcc", a=5.3, cubic=True).repeat(repeat)
    atoms.rattle(0.15, seed=1)
    random = np.random.default_rng(2)
    atoms.set_velocities(random.normal(scale=0.01, size=(len(atoms), 3)))
    return atoms


def lennard_jones() -> tr.LennardJones:
    return tr.LennardJones(epsilon=0.0104, sigma=3.4, cutoff=8.5, truncation="energy-shifted", precision="double")


def calculator():  # type: ignore[no-untyped-def]
    from ase.calculators.lj import LennardJones

    return LennardJones(epsilon=0.0104, sigma=3.4, rc=8.5, smooth=False)


def test_atoms_become_particles_and_atoms_again() -> None:
    atoms = argon()
    back = tr.ase.atoms_of(tr.ase.particles_of(atoms))
    assert back == atoms
    assert np.allclose(back.get_velocities(), atoms.get_velocities(), rtol=1e-14)
    assert np.array_equal(back.get_masses(), atoms.get_masses())


def test_charges_and_fixed_atoms_become_particles_and_atoms_again() -> None:
    """Atoms that ASE held fixed moved, and charges were lost on the way back."""
    from ase.constraints import FixAtoms, FixBondLength

    atoms = argon(3)
    atoms.set_initial_charges(np.linspace(-1, 1, len(atoms)))
    atoms.set_constraint(FixAtoms(indices=[3, 5]))
    atoms.set_velocities(atoms.get_velocities())
    particles = tr.ase.particles_of(atoms)
    assert np.flatnonzero(particles.fixed).tolist() == [3, 5]
    tr.Simulation(particles, [lennard_jones()], timestep=0.1).run(steps=5)
    assert np.flatnonzero(~particles.velocity.any(axis=1)).tolist() == [3, 5]
    back = tr.ase.atoms_of(particles)
    assert np.array_equal(back.get_initial_charges(), atoms.get_initial_charges())
    assert back.constraints[0].get_indices().tolist() == [3, 5]
    atoms.set_constraint(FixBondLength(0, 1))
    with pytest.raises(ValueError, match=r"^the atoms have the constraint FixBondLength.*: allowed is FixAtoms alone$"):
        tr.ase.particles_of(atoms)


def test_constraints_of_atoms_change_no_force() -> None:
    """A calculator as a force had none on atoms that are fixed; forces as a calculator are those of free atoms."""
    from ase.constraints import FixAtoms

    atoms = argon(4)
    free = tr.Simulation(tr.ase.particles_of(atoms), [tr.ase.force_of(calculator(), atoms)], timestep=1.0)
    free.energies()
    atoms.set_constraint(FixAtoms(indices=[0, 1]))
    held = tr.Simulation(tr.ase.particles_of(atoms), [tr.ase.force_of(calculator(), atoms)], timestep=1.0)
    held.energies()
    assert np.array_equal(held.particles.acceleration, free.particles.acceleration)
    atoms.calc = tr.ase.calculator_of([lennard_jones()])
    pull = free.particles.mass[:, None] * free.particles.acceleration
    assert np.allclose(atoms.get_forces(apply_constraint=False), pull, rtol=0, atol=1e-8 * np.abs(pull).max())


def test_a_cell_that_is_not_rectangular_is_refused() -> None:
    from ase.build import bulk

    with pytest.raises(ValueError, match="allowed is a rectangular one, along x, y, z"):
        tr.ase.particles_of(bulk("Ar", "fcc", a=5.3))


def test_a_force_is_a_calculator_with_the_energies_and_forces_of_that_of_ase() -> None:
    atoms = argon()
    atoms.calc = calculator()
    energy, forces = atoms.get_potential_energy(), atoms.get_forces()
    atoms.calc = tr.ase.calculator_of([lennard_jones()])
    assert atoms.get_potential_energy() == pytest.approx(energy, rel=1e-10)
    assert np.abs(atoms.get_forces() - forces).max() < 1e-10 * np.abs(forces).max()


def test_the_stress_is_that_of_ase() -> None:
    """Cells could not be relaxed, nor pressures held: forces of Trellis gave no stress."""
    atoms = argon(3)
    atoms.set_cell(atoms.cell * [[1.02], [1.0], [0.99]], scale_atoms=True)
    atoms.calc = calculator()
    stress = atoms.get_stress()
    atoms.calc = tr.ase.calculator_of([lennard_jones()])
    assert np.abs(atoms.get_stress() - stress).max() < 1e-8 * np.abs(stress).max()
    atoms.set_pbc([True, True, False])
    with pytest.raises(ValueError, match=r"^a pressure tensor is asked for, but the box is not periodic"):
        atoms.get_stress()


def test_a_calculator_is_a_force_that_moves_particles_as_that_of_trellis_does() -> None:
    atoms = argon(4)  # sides of 21.2 Angstrom
    ours, theirs = (
        tr.Simulation(tr.ase.particles_of(atoms), [force], timestep=0.2)
        for force in (lennard_jones(), tr.ase.force_of(calculator(), atoms))
    )
    for sim in (ours, theirs):
        sim.run(steps=10)
    a, b = (tr.ase.atoms_of(sim.particles).get_velocities() for sim in (ours, theirs))
    assert np.abs(a - b).max() < 1e-9 * np.abs(a).max()
    assert ours.energies().total == pytest.approx(theirs.energies().total, rel=1e-9)


def test_a_calculator_of_other_atoms_is_refused() -> None:
    force = tr.ase.force_of(calculator(), argon(1))
    with pytest.raises(ValueError, match="a calculator is given 256 particles: allowed are those of its 4 atoms"):
        tr.Simulation(tr.ase.particles_of(argon(4)), [force], timestep=0.1).run(steps=1)


def test_atoms_that_are_fixed_while_they_have_momenta_stay_where_they_are() -> None:
    """ASE lets no atom of FixAtoms move; as fixed particles they went on with the velocities that they had."""
    from ase.constraints import FixAtoms

    atoms = argon(4)
    atoms.set_constraint(FixAtoms(indices=[0, 5]))
    particles = tr.ase.particles_of(atoms)
    tr.Simulation(particles, [lennard_jones()], timestep=0.5).run(steps=4)
    back = tr.ase.atoms_of(particles)
    moved = back.positions - atoms.positions
    moved -= np.round(moved / atoms.cell.lengths()) * atoms.cell.lengths()
    assert np.flatnonzero(np.abs(moved).max(axis=1) < 1e-12).tolist() == [0, 5]
    assert back.constraints[0].get_indices().tolist() == [0, 5]


def test_a_calculator_gives_the_energy_that_forces_belong_to() -> None:
    """Optimizers that ask for the energy that is consistent with the forces found none."""
    atoms = argon(4)
    atoms.calc = tr.ase.calculator_of([lennard_jones()])
    assert atoms.get_potential_energy(force_consistent=True) == atoms.get_potential_energy()


def test_a_calculator_keeps_the_forces_that_it_was_made_with() -> None:
    """A list that was emptied, and a generator, left a calculator without forces: it gave zeros."""
    atoms = argon(4)
    forces = [lennard_jones()]
    atoms.calc = tr.ase.calculator_of(forces)
    forces.clear()
    energy = atoms.get_potential_energy()
    assert energy < -1
    atoms.calc = tr.ase.calculator_of(force for force in [lennard_jones()])  # type: ignore[arg-type]
    assert atoms.get_potential_energy() == energy
    atoms.rattle(0.01)
    assert atoms.get_potential_energy() != 0


def test_a_calculator_of_atoms_that_are_periodic_along_other_axes_is_refused() -> None:
    """A calculator computed open atoms, or failed on infinities, where the particles were in another space."""
    atoms = argon(4)
    open_atoms = atoms.copy()
    open_atoms.pbc = False
    sentence = "^the box is periodic along {}, but the atoms of the calculator along {}: allowed is the same for both$"
    force = tr.ase.force_of(calculator(), open_atoms)
    with pytest.raises(ValueError, match=sentence.format("x, y, z", "no axis")):
        tr.Simulation(tr.ase.particles_of(atoms), [force], timestep=0.1).run(steps=1)
    force = tr.ase.force_of(calculator(), atoms)
    with pytest.raises(ValueError, match=sentence.format("no axis", "x, y, z")):
        tr.Simulation(tr.ase.particles_of(open_atoms), [force], timestep=0.1).run(steps=1)


def test_what_are_no_atoms_and_no_forces_is_refused_at_once() -> None:
    """A wrong argument was an AttributeError, or an error of the first calculation."""
    with pytest.raises(ValueError, match=r"^atoms is 3, but must be atoms of ASE \(ase.Atoms\)$"):
        tr.ase.particles_of(3)
    with pytest.raises(ValueError, match=r"^atoms is .*, but must be atoms of ASE \(ase.Atoms\)$"):
        tr.ase.force_of(calculator(), tr.ase.particles_of(argon(1)))
    with pytest.raises(ValueError, match=r"^forces is LennardJones.*, but must be a list of forces"):
        tr.ase.calculator_of(lennard_jones())  # type: ignore[arg-type]
