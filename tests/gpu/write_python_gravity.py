"""Write python_gravity.hpp: the kernels of gravity as an interaction in Python, for checks on machines without Python.

python tests/gpu/write_python_gravity.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import trellis as tr

HEADER = Path(__file__).with_name("python_gravity.hpp")
TEXTS = {"softened_in_single": 1e-2, "in_double": 0.0}  # by the softening squared for which they are


@tr.interaction
def gravity(i: Any, j: Any, out: Any, *, epsilon2: float = 0.0) -> None:
    """Add the softened gravity of j."""
    d = j.position - i.position
    r = tr.sqrt(tr.dot(d, d) + epsilon2)
    out.acceleration += j.mass / r**3 * d
    out.potential -= j.mass / r


def header() -> str:
    """Return the text of the header."""
    lines = [
        "// Kernels of gravity as an interaction in Python, which tests/gpu/write_python_gravity.py writes: the",
        "// constant behind PairsCall is epsilon^2, results are acceleration and potential. Softened: it is not 0.",
        "#pragma once",
        "",
        "namespace python_gravity {",
    ]
    for name, epsilon2 in TEXTS.items():
        _, arguments = gravity._program(False, {"epsilon2": epsilon2})
        text = str(arguments[f"{name.rsplit('_', 1)[-1]}_text"])
        lines += ["", f'inline constexpr const char* {name} = R"(', text.rstrip(), ')";']
    return "\n".join([*lines, "", "}  // namespace python_gravity", ""])


if __name__ == "__main__":
    HEADER.write_text(header())
