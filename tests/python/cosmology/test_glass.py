"""The glass that matter of expanding space may begin from."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import trellis as tr
from trellis.cosmology.shared_mesh import SharedMesh
from trellis.cosmology.undisplaced import TILE, Glass, glass_tile

MAKE = runpy.run_path(str(Path(__file__).parents[3] / "tools" / "make_glass.py"))
SPACE = tr.Cosmology(omega_m=0.31, omega_b=0.049, h=0.677, n_s=0.967, sigma_8=0.81)


def power(positions: np.ndarray, highest: int) -> tuple[np.ndarray, np.ndarray]:
    """Return whole numbers of waves in the tile, and their power over shot noise, by summing over the particles."""
    axis = np.arange(-highest, highest + 1)
    turns = [np.exp(-2j * np.pi * np.outer(positions[:, k], axis)) for k in range(3)]
    sums = np.einsum("ni,nj,nk->ijk", *turns, optimize=True)
    number = np.sqrt(axis[:, None, None] ** 2 + axis[:, None] ** 2 + axis**2)
    return number.ravel()[number.ravel() > 0], (np.abs(sums.ravel()) ** 2 / len(positions))[number.ravel() > 0]


def test_the_tile_is_even_at_long_waves_and_disordered_at_short_ones() -> None:
    """Below Nyquist's number 8 the power falls as k^4; beyond it is shot noise, without the peaks of a lattice."""
    number, found = power(glass_tile(), 18)
    mean = np.array([found[np.abs(number - n) < 0.5].mean() for n in range(1, 19)])
    of_fourth_power = mean[:8] / (np.arange(1, 9) / 8) ** 4
    assert of_fourth_power.min() > 5e-4
    assert of_fourth_power.max() < 2e-3
    assert mean[15:].min() > 0.5
    assert found.max() < 40


def test_no_particle_of_the_tile_feels_a_net_force() -> None:
    forces = np.linalg.norm(MAKE["net_force"](glass_tile()), axis=1) * TILE
    assert np.sqrt((forces**2).mean()) < 3e-3  # of what would move it a mean distance


def test_the_tool_makes_a_glass() -> None:
    cells = 6
    number, found = power(MAKE["glass"](cells, seed=5, steps=60), 2)
    assert found[number <= 2].mean() < 1e-3
    assert found.shape == number.shape


def test_copies_of_the_tile_fill_the_cube_by_planes() -> None:
    positions = Glass(SharedMesh(2 * TILE)).positions
    assert positions.shape == ((2 * TILE) ** 3, 3)
    assert (np.diff(np.floor(positions[:, 0])) >= 0).all()
    inside = np.sort((positions % TILE).round(9), axis=0)
    assert np.array_equal(inside, np.sort(np.repeat(glass_tile() * TILE, 8, axis=0).round(9), axis=0))
    assert len(np.unique(positions.round(6), axis=0)) == len(positions)


@pytest.mark.parametrize(("wave", "error"), [((1, 2, 0), 5e-5), ((4, 0, 0), 7e-4), ((0, 8, 0), 1.5e-2)])
def test_values_between_the_points_are_those_of_the_wave(wave: tuple[int, int, int], error: float) -> None:
    mesh = SharedMesh(2 * TILE)
    phase = 2 * np.pi / mesh.cells * np.tensordot(np.array(wave), np.indices((mesh.cells,) * 3), axes=1)
    glass = Glass(mesh)
    found = glass.values(mesh.waves(np.cos(phase)))
    assert found == pytest.approx(np.cos(2 * np.pi / mesh.cells * glass.positions @ wave), abs=error)


@pytest.mark.parametrize("displacements", ["zeldovich", "second-order"])
def test_matter_from_a_glass_has_the_linear_power_and_the_velocities_of_a_lattice(displacements: str) -> None:
    side = 200_000.0
    glass, lattice = (
        tr.ic.cosmology(SPACE, 32**3, box=side, fixed=True, places=positions, displacements=displacements)
        for positions in ("glass", "lattice")
    )
    of_glass, of_lattice = (
        tr.analysis.power_spectrum(each, 64, order=4, subtract_shot_noise=False) for each in (glass, lattice)
    )
    assert of_glass.power[:4] == pytest.approx(of_lattice.power[:4], rel=0.01)
    assert (glass.velocity**2).mean() == pytest.approx((lattice.velocity**2).mean(), rel=0.03)
    assert glass.mass.sum() == pytest.approx(lattice.mass.sum())
    assert glass.id.tolist() == list(range(32**3))


def test_the_number_of_particles_is_that_of_tiles() -> None:
    assert len(tr.ic.cosmology(SPACE, 30**3, places="glass")) == 32**3
    assert len(tr.ic.cosmology(SPACE, 1, places="glass")) == 16**3


def test_a_glass_is_no_lattice() -> None:
    with pytest.raises(ValueError, match=r"has lattice_until = 3\.0, but its places are a glass"):
        tr.ic.cosmology(SPACE, 16**3, lattice_until=3.0, places="glass")
