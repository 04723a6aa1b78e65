"""Lines by which ``trellis run`` and ``trellis check`` say what a run does, whatever its kind."""

from __future__ import annotations

from typing import Any

from trellis import _core
from trellis.config import RunFile
from trellis.interactions import name_of
from trellis.output.folder import OutputFolder
from trellis.simulation.summary import chosen_device

MANY = 8
"""Pairs that a line names; of more, it has the number."""


def device_line(file: RunFile) -> str | None:
    """Return which devices compute the forces of a run; None if it is the host, without a choice."""
    return chosen_device(_core.DeviceOptions(**file.run.devices()), file.run.resident)


def force_line(force: Any) -> str:
    """Return the kind of a force, and the settings that it has."""
    chosen = (f"{name} = {_shown(value)}" for name, value in force.settings.items() if value is not None)
    return f"{name_of(force)}: {', '.join(chosen)}"


def folder_line(folder: OutputFolder, begun: str | None) -> str:
    """Return what is in the output folder. begun: the step or exchange after which the run goes on, if it does."""
    if begun is not None:
        state = f"holds this run, which goes on after {begun}"
    elif folder.written():
        state = "holds a run, which goes on with --resume or is replaced with --overwrite"
    else:
        state = "is free"
    return f"'{folder.path}' {state}"


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{len(value)} pairs" if isinstance(value, list) and len(value) > MANY else str(value)
