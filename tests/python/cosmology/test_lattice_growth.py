from __future__ import annotations

import numpy as np
import pytest

import trellis as tr
from trellis.cosmology.displacements import first_order
from trellis.cosmology.lattice_growth import lattice_growth
from trellis.cosmology.shared_mesh import SharedMesh

SPACE = tr.Cosmology(omega_m=0.31, omega_b=0.049, h=0.677, n_s=0.967, sigma_8=0.81)


@pytest.mark.parametrize("wave", [(1, 0, 0), (3, 1, 0), (2, 3, 1), (-3, 2, 3)])
def test_forces_on_a_displaced_lattice_are_along_its_displacements(wave: tuple[int, int, int]) -> None:
    """Of one wave, they are 4 pi G rho e times the displacements, where p = (sqrt(1 + 24 e) - 1) / 4."""
    cells = 8
    mesh = SharedMesh(cells)
    growth = lattice_growth(mesh)
    contrast = np.zeros((cells, cells, cells // 2 + 1), dtype=complex)
    contrast[wave] = 1.0
    moved = np.stack([mesh.field(each) for each in first_order(mesh, contrast, 1.0, growth.slopes)], axis=-1)
    moved = moved.reshape(-1, 3)
    moved *= 2e-5 / np.abs(moved).max()
    points = np.stack(np.unravel_index(np.arange(cells**3), (cells,) * 3), axis=1) / cells
    particles = tr.ParticleSet.from_columns(position=(points + moved) % 1, mass=1 / cells**3)
    particles.box = [[0, 0, 0], [1, 1, 1]]
    tr.Simulation(particles, [tr.Gravity(softening=1e-5, accuracy=1e-5)], 1e-9).energies()
    pull = particles.acceleration[np.argsort(particles.id)]
    share = ((4 * growth.exponent[wave] + 1) ** 2 - 1) / 24
    assert pull == pytest.approx(4 * np.pi * share * moved, abs=3e-3 * np.abs(pull).max())
    assert share < 0.995 or wave == (1, 0, 0)


def test_long_waves_grow_as_matter_does() -> None:
    mesh = SharedMesh(16)
    growth = lattice_growth(mesh)
    assert growth.exponent[0, 0, 1] == pytest.approx(1, abs=3e-3)
    assert growth.exponent[7, 7, 7] < 0.6
    for slope, number in zip(growth.slopes, mesh.wave_numbers, strict=True):
        assert slope[1, 2, 1] == pytest.approx(np.broadcast_to(number, slope.shape)[1, 2, 1], rel=0.05)


def test_short_waves_begin_as_much_higher_as_they_grow_slower() -> None:
    cells, redshift, until = 16, 49.0, 4.0
    waves = []
    for lattice_until in (None, until):
        made = tr.ic.cosmology(
            SPACE, cells**3, redshift=redshift, displacements="zeldovich", lattice_until=lattice_until
        )
        away = made.position - np.stack(np.unravel_index(made.id.astype(int), (cells,) * 3), axis=1) * (1e5 / cells)
        fields = (away - 1e5 * np.rint(away / 1e5)), made.velocity
        waves.append([np.fft.rfftn(each.reshape(cells, cells, cells, 3), axes=(0, 1, 2)) for each in fields])
    growth = lattice_growth(SharedMesh(cells))
    later = SPACE.D1(1 / (1 + until)) / SPACE.D1(1 / (1 + redshift))
    for number in [(1, 2, 3), (-5, 4, 2), (7, 7, 7)]:
        wave, exponent = np.array(number), growth.exponent[number]
        (place, speed), (raised, slower) = ([each[number] @ wave for each in pair] for pair in waves)
        assert raised / place == pytest.approx(later ** (1 - exponent))
        assert slower / speed == pytest.approx(exponent * later ** (1 - exponent))


def test_a_time_before_the_start_is_refused() -> None:
    with pytest.raises(ValueError, match=r"lattice_until = 60\.0, but must have at most redshift = 49\.0"):
        tr.ic.cosmology(SPACE, 8**3, lattice_until=60.0)
