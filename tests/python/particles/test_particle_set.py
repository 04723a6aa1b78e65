from __future__ import annotations

import gc

import numpy as np
import pytest

import trellis as tr


def test_columns_are_views_of_one_memory() -> None:
    particles = tr.ParticleSet(5)
    position = particles.position
    assert position.shape == (5, 3)
    assert position.dtype == np.float64
    assert not position.flags.owndata
    position[2] = [1.0, 2.0, 3.0]
    assert particles.position[2].tolist() == [1.0, 2.0, 3.0]
    assert np.shares_memory(position, particles.column("position"))


def test_a_step_writes_into_the_views() -> None:
    particles = tr.ic.plummer(50, seed=1)
    position, before = particles.position, particles.position.copy()
    tr.Simulation(particles, [tr.Gravity(softening=0.1)], timestep=0.01).step()
    assert not np.array_equal(position, before)
    assert np.shares_memory(position, particles.position)


def test_a_view_outlives_its_particles() -> None:
    mass = tr.ParticleSet.from_columns(position=np.zeros((1000, 3)), mass=7.0).mass
    gc.collect()
    assert mass.sum() == 7000.0


def test_a_view_outlives_the_replacement_of_rows() -> None:
    particles = tr.ParticleSet.from_columns(position=np.arange(3000.0).reshape(1000, 3), mass=7.0)
    position, mass = particles.position, particles.mass
    for _ in range(20):
        particles.replace_rows(np.array([999, 0]), 3)
        particles.replace_rows(np.arange(2), 998)
        particles.position[2:] = -1.0
    assert position[999].tolist() == [2997.0, 2998.0, 2999.0]
    assert mass.sum() == 7000.0
    assert not np.shares_memory(position, particles.position)
    assert particles.position.shape == (1000, 3)
    del particles
    gc.collect()
    assert position.sum() == np.arange(3000.0).sum()


def test_replaced_rows_are_those_kept_then_zeros() -> None:
    particles = tr.ParticleSet(4)
    particles.mass = [1.0, 2.0, 3.0, 4.0]
    particles.replace_rows(np.array([2, 0]), added=1)
    assert len(particles) == 3
    assert particles.mass.tolist() == [3.0, 1.0, 0.0]
    assert particles.id.tolist() == [2, 0, 0]
    particles.replace_rows(np.flatnonzero(particles.mass > 2.0))
    assert particles.mass.tolist() == [3.0]


def test_rows_that_cannot_be_kept() -> None:
    particles = tr.ParticleSet(2)
    for row in (-1, 2, 2**32):
        with pytest.raises(ValueError, match="cannot be kept: the particles have 2 rows"):
            particles.replace_rows(np.array([0, row]))
    with pytest.raises(ValueError, match=r"kept is an array of shape .* but must be numbers of rows"):
        particles.replace_rows(particles.mass > 0.0)
    assert len(particles) == 2


def test_ids_count_from_zero() -> None:
    particles = tr.ParticleSet(4)
    assert particles.id.tolist() == [0, 1, 2, 3]
    assert len(particles) == 4
    assert particles.id.dtype == np.uint64


def test_assignment_fills_the_column() -> None:
    particles = tr.ParticleSet(3)
    mass = particles.mass
    particles.mass = 0.5
    particles.velocity += [1.0, 0.0, 0.0]
    assert mass.tolist() == [0.5, 0.5, 0.5]
    assert particles.velocity[:, 0].tolist() == [1.0, 1.0, 1.0]


def test_a_field_of_ones_own() -> None:
    particles = tr.ParticleSet(2)
    particles.add_field("charge", 1, "e", "electric charge")
    particles.charge = [1.0, -1.0]
    assert particles.charge.tolist() == [1.0, -1.0]
    assert particles.field_info("charge") == ("e", "electric charge")
    assert "charge" in dir(particles)


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    particles = tr.ParticleSet(2)
    with pytest.raises(AttributeError, match=r"no field 'masses'.*position, velocity, mass"):
        particles.masses  # noqa: B018
    with pytest.raises(AttributeError, match="no field 'masses'"):
        particles.masses = 1.0
    with pytest.raises(ValueError, match="no field 'masses'"):
        particles.column("masses")


def test_particles_are_found_by_their_ids() -> None:
    particles = tr.ParticleSet(5)
    particles.id = [10, 7, 2**62 + 1, 0, 3]
    particles.mass = [0.1, 0.2, 0.3, 0.4, 0.5]
    some = particles.by_id([3, 10, 2**62 + 1])
    assert (len(some), some.rows.tolist()) == (3, [4, 0, 2])
    assert some.mass.tolist() == [0.5, 0.1, 0.3]
    some.velocity = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert particles.velocity[[4, 0, 2]].tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    particles[7].position = [1, 2, 3]
    assert particles[7].position.tolist() == particles.position[1].tolist() == [1, 2, 3]
    assert (particles[7].mass, particles[7].rows, len(particles[7])) == (0.2, 1, 1)
    assert particles.by_id(particles.id).mass.tolist() == particles.mass.tolist()
    assert particles.by_id([]).position.shape == (0, 3)
    with pytest.raises(ValueError, match=r"there is no particle of id 4611686018427387904$"):
        particles.by_id([2**62])  # one less than one that is there


@pytest.mark.parametrize("count", [1, 2, 20])
@pytest.mark.parametrize("largest", [50, 2**63])
def test_a_few_ids_and_many_are_found(count: int, largest: int) -> None:
    random = np.random.default_rng(count)
    particles = tr.ParticleSet(40)
    for ids in (np.arange(40), random.permutation(40), random.choice(largest, 40, replace=largest > 50)):
        particles.id = ids
        rows = random.choice(40, count, replace=False)
        assert particles.by_id(ids[rows]).rows.tolist() == rows.tolist()
        assert particles[ids[rows[0]]].rows == rows[0]
        missing = next(k for k in range(41) if k not in ids)
        with pytest.raises(ValueError, match=f"there is no particle of id {missing}$"):
            particles.by_id([*ids[rows], missing])


def test_ids_are_not_sorted_to_find_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a loop over a few ids takes the time of some scans."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("all ids are sorted")

    particles = tr.ParticleSet(100)
    particles.id = 100 + np.arange(100)[::-1]
    monkeypatch.setattr(np, "argsort", refuse)
    assert particles[103].rows == 96
    particles.id = np.arange(100)
    assert particles.by_id(range(50)).rows.tolist() == list(range(50))


def test_particles_that_are_not_there() -> None:
    particles = tr.ParticleSet(5)
    with pytest.raises(ValueError, match=r"there is no particle of id 5$"):
        particles.by_id([0, 5])
    with pytest.raises(ValueError, match=r"there is no particle of id -1$"):
        particles[-1]
    with pytest.raises(ValueError, match=r"there is no particle of id 0$"):
        tr.ParticleSet(0)[0]
    with pytest.raises(ValueError, match=r"id is 0.5, but must be a whole number, or a sequence of them"):
        particles[0.5]  # type: ignore[index]
    with pytest.raises(TypeError, match="particles are columns: loop over one of them"):
        list(particles)
    with pytest.raises(AttributeError, match="colour"):
        _ = particles[0].colour
    with pytest.raises(ValueError, match="read-only"):
        particles.by_id([0, 1]).mass[0] = 1.0
    with pytest.raises(ValueError, match=r"values of shape \(3,\) do not fit column 'mass' of shape \(2,\)"):
        particles.by_id([0, 1]).mass = [1, 2, 3]


def test_shapes_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match=r"\(4,\) do not fit column 'mass' of shape \(2,\)"):
        tr.ParticleSet(2).mass = np.ones(4)
    with pytest.raises(ValueError, match=r"position has the shape \(3,\), but must have the shape \(N, 3\)"):
        tr.ParticleSet.from_columns(position=[1.0, 2.0, 3.0], mass=1.0)


def test_space_is_open_unless_a_box_is_set() -> None:
    particles = tr.ParticleSet(3)
    assert particles.box.tolist() == [[-np.inf] * 3, [np.inf] * 3]
    assert np.shares_memory(particles.wrapped_position(), particles.position)
    particles.box = [[0, -np.inf, -1], [1, np.inf, 1]]
    assert particles.box.tolist() == [[0, -np.inf, -1], [1, np.inf, 1]]
    assert particles.box.dtype == np.float64
    particles.position[1] = [1.25, 2.0, -1.5]
    assert particles.wrapped_position().tolist() == [[0, 0, 0], [0.25, 2.0, 0.5], [0, 0, 0]]
    assert particles.position[1].tolist() == [1.25, 2.0, -1.5]
    made = tr.ParticleSet.from_columns(position=np.zeros((2, 3)), mass=1.0, box=particles.box)
    assert np.array_equal(made.box, particles.box)


def test_a_box_from_its_sides_begins_at_zero() -> None:
    particles = tr.ParticleSet.from_columns(position=np.zeros((2, 3)), mass=1.0, box=5.0)
    assert particles.box.tolist() == [[0, 0, 0], [5, 5, 5]]
    particles.box = [5, 5, 8]
    assert particles.box.tolist() == [[0, 0, 0], [5, 5, 8]]
    particles.box = [5, np.inf, 8]
    assert particles.box.tolist() == [[0, -np.inf, 0], [5, np.inf, 8]]


def test_boxes_that_are_refused() -> None:
    particles = tr.ParticleSet(3)
    with pytest.raises(ValueError, match=r"box has the shape \(2,\), but must be a side, three sides, or low and high"):
        particles.box = [1, 1]
    for sides in (0, [1, -1, 1], [1, np.nan, 1]):
        with pytest.raises(ValueError, match=r"^box has the side (0|-1|nan), but sides are above 0$"):
            particles.box = sides
    with pytest.raises(ValueError, match="box is given 'cube', but must be numbers"):
        particles.box = "cube"
    with pytest.raises(ValueError, match="along y the region goes from 0 to inf: allowed are two infinite faces, or"):
        particles.box = [[0, 0, 0], [1, np.inf, 1]]
    with pytest.raises(ValueError, match="read-only"):
        particles.box[0, 0] = 1.0
    assert np.isinf(particles.box).all()


@pytest.mark.parametrize(
    ("name", "value", "given"),
    [
        ("mass", None, "None, but must be numbers"),
        ("mass", 1j, "1j, but must be numbers"),
        ("mass", "3", "'3', but must be numbers"),
        ("mass", [1, None, 3], "values of the type object, but must be numbers"),
        ("position", [[1, 2, 3], [4, 5]], "lists of unequal length, but must be numbers"),
        ("mass", [True, False, True], "truth values, but must be numbers"),
        ("mass", np.array([1, 0, 1], dtype=bool), "truth values, but must be numbers"),
        ("mass", [True, 2.0, 3.0], "truth values, but must be numbers"),
        ("mass", np.array([1j, 2, 3]), "values of the type complex128, but must be numbers"),
        ("mass", np.array(["1", "2", "3"]), "values of the type <U1, but must be numbers"),
        (
            "mass",
            np.array([1, 2, 3], dtype="timedelta64[s]"),
            r"values of the type timedelta64\[s\], but must be numbers",
        ),
        (
            "mass",
            np.ma.masked_array([1.0, 2.0, 3.0], [False, True, True]),
            "an array with 2 masked values, but must be numbers: fill them, or leave these particles out",
        ),
        (
            "position",
            [np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])] * 3,
            "an array with 3 masked values, but must be numbers: fill them, or leave these particles out",
        ),
        ("id", [True, False, 2], "truth values, but must be numbers"),
        (
            "id",
            [0.0, 1.0, 2.0**53],
            r"9007199254740992 as float64, which holds each whole number only below 2\^53: give integers, such as an"
            " array of uint64",
        ),
        (
            "id",
            np.array([0, 1, 2**24], dtype=np.float32),
            r"16777216 as float32, which holds each whole number only below 2\^24: give integers, such as an array of"
            " uint64",
        ),
        ("id", [0, -1, 2], "-1, but must be whole numbers from 0 on"),
        ("id", [0.5, 1, 2], "0.5, but must be whole numbers from 0 on"),
        ("id", [0, 1, np.nan], "nan, but must be whole numbers from 0 on"),
    ],
)
def test_what_a_column_cannot_hold_is_refused(name: str, value: object, given: str) -> None:
    particles = tr.ParticleSet(3)
    before = particles.column(name).copy()
    with pytest.raises(ValueError, match=f"^column '{name}' is given {given}$"):
        setattr(particles, name, value)
    with pytest.raises(ValueError, match=f"^column '{name}' is given {given}$"):
        setattr(particles[:], name, value)
    assert np.array_equal(particles.column(name), before)


def test_ids_are_whole_numbers_of_any_type() -> None:
    particles = tr.ParticleSet(3)
    for ids in ([2, 1, 2**64 - 1], [2, 1, 0], np.array([5.0, 1e15, 2.0]), np.array([2**64 - 1, 0, 1], dtype=np.uint64)):
        particles.id = ids
        assert particles.id.tolist() == [int(each) for each in ids]


def test_no_id_is_there_twice() -> None:
    position = np.zeros((4, 3))
    with pytest.raises(ValueError, match=r"^id 7 is there twice, but each particle has an id of its own$"):
        tr.ParticleSet.from_columns(position=position, mass=1.0, id=[3, 7, 7, 9])
    particles = tr.ParticleSet(4)
    with pytest.raises(ValueError, match="id 5 is there twice"):
        particles.id = 5
    with pytest.raises(ValueError, match="id 3 is there twice"):
        particles[0].id = 3
    with pytest.raises(ValueError, match="id 8 is there twice"):
        particles[:2].id = 8
    assert particles.id.tolist() == [0, 1, 2, 3]
    particles[[0, 1]].id = [1, 0]
    assert particles.id.tolist() == [1, 0, 2, 3]


@pytest.mark.parametrize("name", ["copy", "size", "box", "quantity", "rows", "by_id", "_kept"])
def test_a_field_has_a_name_that_is_reached(name: str) -> None:
    with pytest.raises(ValueError, match=f"a field has the name '{name}', (which is that of a method|but those that)"):
        tr.ParticleSet(3).add_field(name)


@pytest.mark.parametrize("name", ["", "a/b", "a\0b"])
def test_a_field_has_a_name_that_files_keep(name: str) -> None:
    with pytest.raises(ValueError, match="a field has the name"):
        tr.ParticleSet(3).add_field(name)
