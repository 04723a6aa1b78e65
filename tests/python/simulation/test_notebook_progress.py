"""The progress of a run in a notebook, whose front end may have no widgets."""

from __future__ import annotations

import builtins
import sys
from types import ModuleType
from typing import Any

import pytest

import trellis as tr


class ZMQInteractiveShell:
    """What `get_ipython` returns in a notebook, by name."""


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a notebook without ipywidgets shows."""
    everything: list[Any] = []
    package, display = ModuleType("IPython"), ModuleType("IPython.display")
    display.display = everything.append  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.setattr(builtins, "get_ipython", ZMQInteractiveShell, raising=False)
    return everything


def test_a_notebook_without_widgets_has_lines(shown: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trellis.simulation.progress.live_line.LINES", 0.0)
    sim = tr.Simulation(tr.ic.plummer(100, seed=1), [tr.Gravity(softening=0.1)], timestep=0.01)
    sim.run(steps=3, progress=True)
    lines = [each._repr_mimebundle_([], [])["text/plain"] for each in shown]
    assert [line.split(",")[0] for line in lines] == ["step 1 of 3", "step 2 of 3", "step 3 of 3"]
    assert all(line.count("\n") == 1 and "dE/E = " in line for line in lines)
