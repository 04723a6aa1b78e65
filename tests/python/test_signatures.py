"""What ``help()`` and ``inspect`` show of forces and thermostats."""

from __future__ import annotations

import inspect
import re

import pytest

import trellis as tr
from trellis.config.parameters import Parameters
from trellis.config.sections import (
    THERMOSTATS,
    GravityParameters,
    LennardJonesParameters,
    SphParameters,
)

SECTIONS: dict[type, type[Parameters]] = {
    tr.Gravity: GravityParameters,
    tr.LennardJones: LennardJonesParameters,
    tr.Sph: SphParameters,
    tr.Langevin: THERMOSTATS["langevin"],
    tr.NoseHoover: THERMOSTATS["nose-hoover"],
}


def described(kind: type) -> list[str]:
    """Parameters that the docstring has, each with a type and at least a line."""
    text = inspect.getdoc(kind)
    assert text is not None
    section = text.partition("Parameters\n----------\n")[2].partition("\n\nRaises")[0]
    names = re.findall(r"^(\w[\w, ]*) : .+\n    \S", section, re.MULTILINE)
    return [name for group in names for name in group.split(", ")]


@pytest.mark.parametrize("kind", SECTIONS, ids=lambda kind: kind.__name__)
def test_signature_docstring_and_section_have_the_same_parameters(kind: type) -> None:
    shown = list(inspect.signature(kind).parameters)
    assert described(kind) == shown
    of_kind = {"method"} if issubclass(kind, tr.Thermostat) else set()
    assert set(SECTIONS[kind].model_fields) - of_kind == set(shown)


def test_signatures_have_types_and_defaults() -> None:
    shown = inspect.signature(tr.Gravity).parameters
    assert (shown["G"].default, shown["G"].annotation) == (1.0, float)
    assert (shown["theta"].default, shown["theta"].annotation) == (None, float | None)
    assert inspect.signature(tr.Langevin).parameters["temperature"].default is inspect.Parameter.empty
