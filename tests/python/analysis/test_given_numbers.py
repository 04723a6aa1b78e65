"""Functions of numbers that are given something else, such as the history that has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import is_refused

import trellis as tr

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "energies": lambda given: tr.analysis.heat_capacity(given, [0.2, 0.3], degrees_of_freedom=3),
    "temperatures": lambda given: tr.analysis.ratio_test([[0.0, 1.0]], given),
    "reduced": tr.analysis.mbar_of_states,
    "series": tr.analysis.thinned,
    "positions": lambda given: tr.analysis.mean_squared_displacement(given, interval=1.0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_no_array_is_said_in_one_sentence(name: str) -> None:
    stars = tr.ic.plummer(2)
    is_refused(
        lambda: FUNCTIONS[name](stars),
        f"{name} is given a ParticleSet, but must be numbers, such as one of its columns",
    )
    is_refused(lambda: FUNCTIONS[name](None), f"{name} is given None, but must be numbers")
