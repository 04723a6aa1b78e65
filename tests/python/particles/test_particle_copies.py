"""Particle sets from others: copies, pickles, and two as one."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import trellis as tr


def stars(first_id: int = 0) -> tr.ParticleSet:
    """Some stars that have moved, with a field of their own in a box, and ids that are exact integers alone."""
    made = tr.ic.plummer(20, seed=1)
    made.id += np.uint64(first_id)
    made.add_field("spin", 3, "length^2 / time", "angular momentum of a unit of mass")
    made.spin = np.arange(60.0).reshape(20, 3)
    tr.Simulation(made, [tr.Gravity(softening=0.1, lists="reuse")], timestep=0.01).run(steps=2)
    made.box = [[-9, -9, -np.inf], [9, 9, np.inf]]
    return made


def same(first: tr.ParticleSet, second: tr.ParticleSet) -> bool:
    return (
        first.field_names == second.field_names
        and np.array_equal(first.box, second.box)
        and all(first.column(name).tobytes() == second.column(name).tobytes() for name in first.field_names)
        and all(first.field_info(name) == second.field_info(name) for name in first.field_names)
    )


COPIES: dict[str, Callable[[tr.ParticleSet], tr.ParticleSet]] = {
    "copy": lambda particles: particles.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda particles: pickle.loads(pickle.dumps(particles)),
}


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_has_every_bit_and_memory_of_its_own(how: str) -> None:
    particles = stars(2**63)
    assert "_list_position_0" in particles.field_names
    copied = COPIES[how](particles)
    assert same(copied, particles)
    assert not any(np.shares_memory(copied.column(name), particles.column(name)) for name in particles.field_names)
    empty = COPIES[how](tr.ParticleSet(0))
    assert len(empty) == 0


def test_a_selection_is_pickled_with_its_particles() -> None:
    again = pickle.loads(pickle.dumps(stars()[3:5]))
    assert again.spin.tolist() == stars().spin[3:5].tolist()


def heaviest(particles: tr.ParticleSet) -> tr.ParticleSet:
    particles.mass *= 2
    return particles


def test_particles_go_to_another_process_and_come_back() -> None:
    particles = stars()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        back = pool.apply(heaviest, (particles,))
    assert np.array_equal(back.mass, 2 * particles.mass)
    assert np.array_equal(back.spin, particles.spin)


def test_two_sets_are_one() -> None:
    first, second = stars(), stars(100)
    both = first + second
    assert len(both) == 40
    assert both.field_names == first.public_fields  # without what the forces kept of their lists
    for name in both.field_names:
        assert np.array_equal(both.column(name), np.concatenate([first.column(name), second.column(name)]))
    assert np.array_equal(both.box, first.box)
    assert both.field_info("spin") == first.field_info("spin")
    assert (len(first), len(second)) == (20, 20)
    assert len(first + first[:0].copy()) == 20


def test_sets_that_are_not_one() -> None:
    first, second = tr.ParticleSet(3), tr.ParticleSet(2)
    taken = r"^id 0 is there twice: .* those above 2 are free \(such as more.id \+= 3\)$"
    with pytest.raises(ValueError, match=taken):
        first + second
    second.id += 3
    assert (first + second).id.tolist() == [0, 1, 2, 3, 4]
    first.add_field("colour", 1, "e")
    first.add_field("spin", 3)
    lacking = (
        r"^fields 'colour', 'spin' of the first particle set are not in the second: particles that are joined have the"
        r" same fields"
    )
    with pytest.raises(ValueError, match=lacking):
        first + second
    with pytest.raises(ValueError, match=r"^fields 'colour', 'spin' of the second are not in the first particle set"):
        second + first
    second.add_field("spin", 1)
    with pytest.raises(ValueError, match=r"^field 'colour' of the first particle set is not in the second"):
        first + second
    second.add_field("colour", 1, "C")
    with pytest.raises(ValueError, match="field 'colour' has the unit 'e' in the first particle set, but 'C' in the"):
        first + second
    with pytest.raises(TypeError, match="unsupported operand"):
        first + 1  # type: ignore[operator]


def test_components_and_boxes_that_differ() -> None:
    first, second = tr.ParticleSet(3), tr.ParticleSet(0)
    first.add_field("spin", 3)
    second.add_field("spin", 1)
    with pytest.raises(ValueError, match="field 'spin' has 3 components in the first particle set, but 1 in the secon"):
        first + second
    second = tr.ParticleSet(0)
    second.add_field("spin", 3)
    second.box = [[0, 0, 0], [1, 1, 1]]
    sentence = r"^one box is \[\[0.0, 0.0, 0.0\], \[1.0, 1.0, 1.0\]\], but the other \[\[-inf"
    with pytest.raises(ValueError, match=sentence):
        first + second
