"""Write python_gravity.hpp: the graphs of gravity as an interaction in Python, for checks on machines without Python.

python tests/gpu/write_python_gravity.py
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import trellis as tr

INDENT = 4 * " "
HEADER = Path(__file__).with_name("python_gravity.hpp")
GRAPHS = {"softened": 1e-2, "not_softened": 0.0}  # by the softening squared for which they are


@tr.interaction
def gravity(i: Any, j: Any, out: Any, *, epsilon2: float = 0.0) -> None:
    """Add the softened gravity of j."""
    d = j.position - i.position
    r = tr.sqrt(tr.dot(d, d) + epsilon2)
    out.acceleration += j.mass / r**3 * d
    out.potential -= j.mass / r


def derivatives() -> bytes:
    """Return the graph of the radial derivatives of its potential."""
    potential = tr.pair_potential("-1 / sqrt(r**2 + epsilon2)", source="mass", epsilon2=GRAPHS["softened"])
    _, arguments = potential.interaction._program(False, {"epsilon2": GRAPHS["softened"]})
    return bytes(arguments["far_graph"])


def header() -> str:
    """Return the text of the header."""
    lines = [
        "// Graphs of gravity as an interaction in Python, which tests/gpu/write_python_gravity.py writes: the",
        "// constant behind PairsCall is epsilon^2, results are acceleration and potential. Softened: it is not 0.",
        "// derivatives: the far graph of its potential, softened.",
        "#pragma once",
        "",
        "namespace python_gravity {",
        "// clang-format off",
    ]
    graphs = {name: gravity._program(False, {"epsilon2": epsilon2})[1]["graph"] for name, epsilon2 in GRAPHS.items()}
    for name, graph in {**graphs, "derivatives": derivatives()}.items():
        numbers = textwrap.fill(", ".join(map(str, graph)), 118, initial_indent=INDENT, subsequent_indent=INDENT)
        lines += ["", f"inline constexpr unsigned char {name}[] = {{", f"{numbers}}};"]
    return "\n".join([*lines, "", "// clang-format on", "}  // namespace python_gravity", ""])


if __name__ == "__main__":
    HEADER.write_text(header())
