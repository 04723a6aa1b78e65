"""Brackets of a particle set: ids, or rows by a slice or a mask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trellis as tr


def shuffled() -> tr.ParticleSet:
    """Five particles whose ids are not their rows."""
    particles = tr.ParticleSet(5)
    particles.id = [3, 1, 4, 0, 2]
    particles.mass = [0.0, 1.0, 2.0, 3.0, 4.0]
    particles.position[:, 0] = particles.mass
    return particles


@pytest.mark.parametrize(
    "rows", [slice(1, 3), slice(None, None, 2), slice(-2, None), slice(None, None, -1), slice(4, 9), slice(3, 3)]
)
def test_a_slice_picks_rows(rows: slice) -> None:
    particles = shuffled()
    assert particles[rows].mass.tolist() == particles.mass[rows].tolist()
    assert particles[rows].position.shape == (len(particles[rows]), 3)
    particles[rows].velocity = [0.0, 7.0, 0.0]
    moved = np.zeros(5)
    moved[rows] = 7.0
    assert particles.velocity[:, 1].tolist() == moved.tolist()


@pytest.mark.parametrize("kind", [np.asarray, list])
def test_a_mask_picks_rows(kind: Any) -> None:
    particles = shuffled()
    heavy = particles[kind(particles.mass > 2.5)]
    assert heavy.rows.tolist() == [3, 4]
    assert heavy.id.tolist() == [0, 2]
    heavy.mass = 9.0
    assert particles.mass.tolist() == [0.0, 1.0, 2.0, 9.0, 9.0]
    assert len(particles[particles.mass < 0]) == 0


def test_whole_numbers_pick_ids() -> None:
    particles = shuffled()
    assert particles[3].mass == 0.0
    assert particles[[3, 1]].mass.tolist() == [0.0, 1.0]
    assert particles[np.array([1, 0])].mass.tolist() == [1.0, 3.0]
    assert particles[np.uint64(4)].rows == 2
    assert particles.id[particles.mass.argmax()] == 2
    assert len(particles[[]]) == 0


def test_a_mask_of_another_length_is_refused() -> None:
    sentence = r"^the mask has the shape \(3,\), but must have one value for each particle: the shape \(5,\)$"
    with pytest.raises(ValueError, match=sentence):
        shuffled()[[True, False, True]]
    with pytest.raises(ValueError, match=r"the mask has the shape \(\),"):
        shuffled()[True]
    with pytest.raises(ValueError, match=r"the mask has the shape \(5, 3\),"):
        shuffled()[shuffled().position > 0]


def test_what_is_neither_ids_nor_rows_is_refused() -> None:
    particles = shuffled()
    with pytest.raises(ValueError, match=r"^id is an array of float64 of shape \(5,\), but must be a whole number"):
        particles[particles.mass]
    with pytest.raises(ValueError, match=r"^id is Ellipsis, but must be a whole number"):
        particles[...]  # type: ignore[index]
    with pytest.raises(ValueError, match=r"^id is an array of bool of shape \(5,\)"):
        particles.by_id(particles.mass > 1)  # a mask is not ids
    with pytest.raises(ValueError, match=r"^'mass' stands in brackets, but columns are attributes, such as particles."):
        particles["mass"]


def test_a_selection_is_no_set_of_its_own(tmp_path: Path) -> None:
    heavy: Any = shuffled()[1:4]
    sentence = r"^the particles are a selection of 3, but must be a set of their own: give its copy\(\)$"
    with pytest.raises(ValueError, match=sentence):
        tr.Simulation(heavy, [tr.Gravity(softening=0.1)], 0.1)
    with pytest.raises(ValueError, match=sentence):
        tr.io.write_snapshot(tmp_path / "a.hdf5", heavy)
    with pytest.raises(ValueError, match=sentence):
        tr.plot.density(heavy)
    tr.io.write_snapshot(tmp_path / "a.hdf5", heavy.copy())


def test_a_selection_is_not_changed_in_place_unseen() -> None:
    with pytest.raises(ValueError, match="read-only"):
        shuffled()[1:3].mass += 1.0


def test_a_copy_of_a_selection_is_a_set_of_its_own() -> None:
    particles = shuffled()
    particles.add_field("charge", 1, "e", "electric charge")
    particles.charge = particles.mass
    particles.box = [[0, 0, 0], [9, 9, 9]]
    heavy = particles[particles.mass > 2.5].copy()
    assert (type(heavy), heavy.id.tolist(), heavy.charge.tolist()) == (tr.ParticleSet, [0, 2], [3.0, 4.0])
    assert heavy.field_info("charge") == ("e", "electric charge")
    assert np.array_equal(heavy.box, particles.box)
    heavy.mass = 0.0
    assert particles.mass.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert particles[4].copy().id.tolist() == [4]


@pytest.mark.parametrize("name", ["box", "region", "size", "field_names", "wrapped_position", "unwrapped_position"])
def test_what_a_selection_has_none_of_is_said(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"^a selection has columns, but no '{name}': give its copy\(\)"):
        getattr(shuffled()[:2], name)
    assert hasattr(shuffled()[:2].copy(), name)


def test_completion_offers_the_columns_of_a_selection() -> None:
    assert {"position", "mass", "copy", "quantity"} <= set(dir(shuffled()[:2]))
