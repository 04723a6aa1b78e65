"""The types of trellis._core, written by hand for mypy and editors, name what the module really has."""

from __future__ import annotations

import ast
from pathlib import Path

import trellis
from trellis import _core

STUB = Path(trellis.__file__).with_name("_core.pyi")


def names_in(body: list[ast.stmt]) -> set[str]:
    """Public functions and classes of a module, methods and properties of a class."""
    names = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return {name for name in names if not name.startswith("_")}


def public(thing: object) -> set[str]:
    return {name for name in vars(thing) if not name.startswith("_")}


def test_stub_names_what_the_module_has() -> None:
    body = ast.parse(STUB.read_text()).body
    assert names_in(body) == public(_core)
    for node in body:
        if isinstance(node, ast.ClassDef):
            assert names_in(node.body) == public(getattr(_core, node.name)), node.name
