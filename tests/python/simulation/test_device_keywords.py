"""Keywords that choose devices: the same table for simulations and ensembles."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import trellis as tr
from trellis import _core
from trellis.signatures import shown_parameters
from trellis.simulation.device_keywords import DeviceKeywords

CALLS = [tr.Simulation, tr.Simulation.resume, tr.Ensemble]


def test_type_checkers_know_the_keywords_of_the_table() -> None:
    types = {each.name: each.type.replace("collections.abc.", "") for each in _core.parameters(_core.DeviceOptions)}
    assert {name: given.__forward_arg__ for name, given in DeviceKeywords.__annotations__.items()} == types


@pytest.mark.parametrize("call", CALLS)
def test_a_signature_shows_the_keywords(call: Callable[..., object]) -> None:
    shown = list(inspect.signature(call).parameters.values())
    keywords = shown_parameters(_core.DeviceOptions)
    assert shown[-len(keywords) :] == keywords
    assert all(each.kind is not inspect.Parameter.VAR_KEYWORD for each in shown)


@pytest.mark.parametrize("kind", [tr.Simulation, tr.Ensemble])
def test_help_describes_the_keywords(kind: type) -> None:
    text = inspect.getdoc(kind) or ""
    table, assured = inspect.getdoc(_core.DeviceOptions) or "", "\n\nRaises\n"
    described = table.partition("----------\n")[2].partition(assured)[0]
    assert described.startswith("device : ")
    assert described + assured in text
    assert "**devices" not in text


@pytest.mark.parametrize(
    ("call", "given"),
    [(tr.Simulation, ([], [tr.Gravity()])), (tr.Simulation.resume, (None, [])), (tr.Ensemble, ([], None))],
)
def test_an_unknown_keyword_is_refused(call: Any, given: tuple[Any, ...]) -> None:
    needed = {"timestep": 0.01} if call is tr.Ensemble else {}
    with pytest.raises(TypeError, match=r"\w has no argument 'devise': did you mean 'device'\?$"):
        call(*given, devise="cpu", **needed)
