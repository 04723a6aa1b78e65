"""Columns as arrays of other libraries without a copy, and sets made of arrays of any library, layout and type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import trellis as tr

POSITIONS = np.arange(30.0).reshape(10, 3)


class ByInterface:
    """An array as libraries have it that know NumPy's protocol alone."""

    def __init__(self, values: NDArray[Any]) -> None:
        self.values, self.__array_interface__ = values, values.__array_interface__


class ByDlpack:
    """An array as libraries have it that know DLPack alone."""

    def __init__(self, values: NDArray[Any]) -> None:
        self.values = values

    def __dlpack__(self, **how: Any) -> Any:
        return self.values.__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.values.__dlpack_device__()


class OnDevice(ByDlpack):
    """An array in the memory of a device, as libraries refuse to export it."""

    def __dlpack__(self, **how: Any) -> Any:
        raise BufferError("the array is on device cuda:0")


LAYOUTS: dict[str, Any] = {
    "float32": POSITIONS.astype(np.float32),
    "int16": POSITIONS.astype(np.int16),
    "big-endian": POSITIONS.astype(">f8"),
    "by columns": np.asfortranarray(POSITIONS),
    "every second": np.repeat(POSITIONS, 2, axis=0)[::2],
    "backwards": POSITIONS[::-1].copy()[::-1],
    "fields of records": np.array(list(map(tuple, POSITIONS)), dtype="f8,f8,f8").view("f8").reshape(10, 3),
    "a list": POSITIONS.tolist(),
    "by interface": ByInterface(POSITIONS),
    "by DLPack": ByDlpack(POSITIONS),
    "by DLPack, every second": ByDlpack(np.repeat(POSITIONS, 2, axis=0)[::2]),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_sets_are_made_of_arrays_of_any_layout(name: str) -> None:
    made = tr.ParticleSet.from_columns(position=LAYOUTS[name], mass=np.float32(2))
    assert np.array_equal(made.position, POSITIONS)
    made.velocity = LAYOUTS[name]
    assert np.array_equal(made.velocity, POSITIONS)


def test_an_array_that_cannot_be_read_is_named() -> None:
    with pytest.raises(
        ValueError, match=r"^position is given a OnDevice, which is no array: the array is on device cuda:0$"
    ):
        tr.ParticleSet.from_columns(position=OnDevice(POSITIONS), mass=1)


def test_columns_are_read_by_other_libraries_without_a_copy() -> None:
    made = tr.ParticleSet.from_columns(position=POSITIONS, mass=1)
    views = [
        np.from_dlpack(made.position),
        np.asarray(ByInterface(made.position)),
        np.asarray(memoryview(made.position)),
    ]
    made.position[3, 1] = -7
    for view in views:
        assert np.shares_memory(view, made.position)
        assert view[3, 1] == -7


def test_views_of_rows_that_were_replaced_are_of_memory_that_stays() -> None:
    made = tr.ParticleSet.from_columns(position=POSITIONS, mass=1)
    before = np.from_dlpack(made.position)
    made.replace_rows([1, 0], 1000)
    assert np.array_equal(before, POSITIONS)
    assert not np.shares_memory(before, made.position)


def test_a_view_of_rows_that_were_replaced_cannot_be_written_to() -> None:
    made = tr.ParticleSet.from_columns(position=POSITIONS, mass=1)
    before, by_name, others = made.position, made.column("mass"), [made.velocity for _ in range(200)]
    made.replace_rows([1, 0], 1)
    for view in (before, by_name, *others):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 5
    assert np.array_equal(before, POSITIONS)  # the former rows
    now = made.position
    now[0] = 5
    assert np.array_equal(made.position[0], [5, 5, 5])
    made.replace_rows([0])
    with pytest.raises(ValueError, match="read-only"):
        now[0] = 6


def test_views_end_where_particles_come_and_go_but_not_where_rows_are_sorted() -> None:
    stars = tr.ic.plummer(2000, seed=1)
    sim = tr.Simulation(stars, [tr.Gravity(softening=0.1)], timestep=0.01, keep_order=False)
    view, order = stars.velocity, np.array(stars.id)
    sim.run(steps=12)
    assert not np.array_equal(stars.id, order)
    assert view.flags.writeable
    assert np.shares_memory(view, stars.velocity)
    sim.remove([3])
    assert not view.flags.writeable
    view = stars.velocity
    newcomer = tr.ParticleSet.from_columns(position=[[9.0, 0, 0]], mass=[1e-3])
    newcomer.id[:] = 5000
    sim.add(newcomer)
    assert not view.flags.writeable
    assert stars.velocity.flags.writeable
