from __future__ import annotations

import numpy as np
import pytest

import trellis as tr
from trellis.analysis.mesh_assignment import noise_on_mesh

SIDE = 100.0


def box_of(position: np.ndarray, mass: np.ndarray | float = 1.0) -> tr.ParticleSet:
    made = tr.ParticleSet.from_columns(position=position, mass=mass)
    made.box = [[0, 0, 0], [SIDE] * 3]
    return made


def lattice(side: int) -> np.ndarray:
    return (np.indices((side,) * 3).reshape(3, -1).T + 0.3) * (SIDE / side)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_a_wave_of_mass_has_half_the_square_of_its_amplitude(order: int) -> None:
    """Two opposite waves of half the amplitude each, and none in other shells, nearly up to Nyquist's wave."""
    wave = np.array([3, 1, -4])
    positions = lattice(48)  # three to a cell: the mesh cannot take the lattice's own waves for longer ones
    amplitude = 0.01
    mass = 1 + amplitude * np.cos(2 * np.pi / SIDE * positions @ wave)
    found = tr.analysis.power_spectrum(box_of(positions, mass), 16, order=order, subtract_shot_noise=False)
    shell = round(np.sqrt(wave @ wave)) - 1
    assert found.k[shell] == pytest.approx(2 * np.pi / SIDE * np.sqrt(wave @ wave), rel=0.03)
    expected = SIDE**3 * amplitude**2 / 4 * 2 / found.modes[shell]
    assert found.power[shell] == pytest.approx(expected, rel=1e-2 if order == 2 else 1e-3)
    assert (np.delete(found.power, shell) < 1e-9 * expected).all()
    assert len(found.k) == 8
    assert found.modes[0] == 18  # 6 along the axes, 12 along the diagonals of faces


@pytest.mark.parametrize("order", [2, 3, 4])
def test_particles_at_random_have_no_power_but_shot_noise(order: int) -> None:
    random = np.random.default_rng(4)
    count = 20_000
    particles = box_of(SIDE * random.random((count, 3)))
    found = tr.analysis.power_spectrum(particles, 32, order=order)
    assert found.shot_noise == pytest.approx(SIDE**3 / count)
    deviations = found.power / found.error
    assert np.abs(deviations).max() < 4
    assert np.mean(deviations**2) == pytest.approx(1, abs=0.9)
    everything = tr.analysis.power_spectrum(particles, 32, order=order, subtract_shot_noise=False)
    assert np.average(everything.power, weights=found.modes) == pytest.approx(found.shot_noise, rel=0.05)


def test_shot_noise_that_the_mesh_folds_back() -> None:
    """By hand for the wave (2, 2, 1) of a mesh of 6: images whose numbers add up to an even one."""
    image = np.indices((41,) * 3).reshape(3, -1).T - 20
    image = image[image.sum(axis=1) % 2 == 0]
    wave = np.array([2, 2, 1]) / 6
    by_hand = (np.sinc(wave + image).prod(axis=1) ** 4).sum() / np.sinc(wave).prod() ** 4
    assert by_hand > 1.003
    assert noise_on_mesh(6, 2)[2, 2, 1] == pytest.approx(by_hand, rel=1e-5)


def test_a_particle_at_all_places_in_turn_has_shot_noise_alone() -> None:
    cells = 6
    positions = np.indices((6, 6, 6)).reshape(3, -1).T / 6 * SIDE / cells
    found = [tr.analysis.power_spectrum(box_of(place[None]), cells, order=3) for place in positions]
    assert np.mean([each.power for each in found], axis=0) == pytest.approx(np.zeros(3), abs=1e-3 * SIDE**3)


def test_shot_noise_of_unequal_masses() -> None:
    random = np.random.default_rng(5)
    mass = random.exponential(size=20_000)
    found = tr.analysis.power_spectrum(box_of(SIDE * random.random((len(mass), 3)), mass), 16)
    assert found.shot_noise == pytest.approx(SIDE**3 * (mass**2).sum() / mass.sum() ** 2)
    assert np.average(found.power, weights=found.modes) == pytest.approx(0, abs=0.05 * found.shot_noise)


def test_a_sampled_gaussian_field_has_its_power() -> None:
    """A field of known P(k), sampled by the masses of particles at random, whose noise is subtracted."""
    random = np.random.default_rng(6)
    cells = 32
    white = np.fft.rfftn(random.standard_normal((cells,) * 3))
    numbers = np.fft.fftfreq(cells, 1 / cells)
    k = np.sqrt(numbers[:, None, None] ** 2 + numbers[:, None] ** 2 + numbers[: cells // 2 + 1] ** 2)
    amplitude = 0.02
    contrast = np.fft.irfftn(white * np.where((k > 0) & (k < 6), amplitude, 0.0), s=(cells,) * 3, axes=(0, 1, 2))
    known = amplitude**2 * SIDE**3 / cells**3
    # at the points of a mesh that is twice as fine, by its waves
    fine = np.zeros((2 * cells, 2 * cells, cells + 1), dtype=complex)
    waves = np.fft.fftshift(np.fft.rfftn(contrast), axes=(0, 1))
    middle = slice(cells // 2, cells // 2 + cells)
    fine[middle, middle, : cells // 2 + 1] = 8 * waves
    contrast = np.fft.irfftn(np.fft.ifftshift(fine, axes=(0, 1)), s=(2 * cells,) * 3, axes=(0, 1, 2))
    positions = SIDE * np.indices(contrast.shape).reshape(3, -1).T / (2 * cells)
    found = tr.analysis.power_spectrum(box_of(positions, 1 + contrast.ravel()), cells, subtract_shot_noise=False)
    ratio = found.power[:5] / known
    assert ratio == pytest.approx(np.ones(5), abs=3.5 * np.sqrt(2 / found.modes[:5]).max())
    assert np.average(ratio, weights=found.modes[:5]) == pytest.approx(1, abs=4 * np.sqrt(2 / found.modes[:5].sum()))
    assert (found.power[7:] < 1e-6 * known).all()


def test_one_type_alone() -> None:
    positions = lattice(16)
    mass = 1 + 0.1 * np.cos(2 * np.pi / SIDE * 3 * positions[:, 0])
    alone = box_of(positions, mass)
    both = box_of(np.concatenate((positions, positions[::2])), np.concatenate((mass, mass[::2])))
    both.add_field("type")
    both.column("type")[:] = np.repeat([1, 4], [len(positions), len(positions[::2])])
    first = tr.analysis.power_spectrum(both, 16, type=1).power
    assert np.array_equal(first, tr.analysis.power_spectrum(alone, 16).power)
    with pytest.raises(ValueError, match="there is no column 'type'"):
        tr.analysis.power_spectrum(alone, 16, type=1)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"order": 1}, "order is 1, but must be one of 2, 3, 4"),
        ({"cells": 3}, "cells is 3, but must be at least 4"),
        ({"cells": 64.5}, r"cells is 64.5, but must be a whole number"),
    ],
)
def test_refuses(wrong: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tr.analysis.power_spectrum(box_of(lattice(4)), **wrong)
    if "cells" in wrong:
        with pytest.raises(ValueError, match=sentence):
            tr.analysis.projected_density(box_of(lattice(4)), **wrong)
    with pytest.raises(ValueError, match="not periodic along all axes"):
        tr.analysis.power_spectrum(tr.ic.plummer(10))


def test_projected_density_has_the_mass_of_its_slice() -> None:
    positions = np.array([[10.0, 20.0, 50.0], [10.0, 20.0, 1.0], [99.9, 50.0, 55.0]])
    particles = box_of(positions, np.array([1.0, 2.0, 4.0]))
    whole = tr.analysis.projected_density(particles, 50)
    assert whole.sum() * (SIDE / 50) ** 2 == pytest.approx(7)
    assert np.unravel_index(whole.argmax(), whole.shape) == (25, 0)
    sliced = tr.analysis.projected_density(particles, 50, depth=0.2)
    assert sliced.sum() * (SIDE / 50) ** 2 == pytest.approx(5)
    turned = tr.analysis.projected_density(particles, 50, plane="zy")
    assert np.unravel_index(turned.argmax(), turned.shape)[0] == 25
