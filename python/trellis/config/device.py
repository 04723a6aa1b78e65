"""The parameter `device` of a file: the name of a device, or a list of names."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import PlainValidator


def _device(given: object) -> object:
    """Return what `Simulation` and forces take; a ValueError has the rest of a sentence."""
    names = given if isinstance(given, list) else [given]
    if not all(isinstance(name, str) for name in names):
        raise ValueError(f"is {given!r}, but must be text in quotes, or a list of such texts")
    if not names or "" in names:
        raise ValueError(f"is {given!r}, but must be text of at least one letter, or a list of such texts")
    return given


Device = Annotated[str | list[str], PlainValidator(_device)]
ALLOWED = 'text, or a list of texts (`["cuda:0", "cuda:1"]`)'
DEVICE: dict[str, Any] = {"type": Device, "allowed": ALLOWED}
