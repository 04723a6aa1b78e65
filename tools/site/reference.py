"""The pages of reference: a page for each public Python module, and one for each room of src/trellis."""

from __future__ import annotations

from pathlib import Path

from headers import public_part

LIBRARY = Path(__file__).parents[2] / "src/trellis"

MODULES = ["trellis.ic", "trellis.io", "trellis.plot", "trellis.analysis", "trellis.exact", "trellis.units"]
MODULES += ["trellis.config", "trellis.cosmology", "trellis.external", "trellis.grape", "trellis.model"]
# The names of the package itself, in the order in which a user needs them.
NAMES = [
    "Simulation",
    "Cosmology",
    "Energies",
    "ParticleSet",
    "Selection",
    "Gravity",
    "Coulomb",
    "Sph",
    "LennardJones",
    "External",
    "Langevin",
    "NoseHoover",
    "Barostat",
    "Ensemble",
    "EnsembleEnergies",
    "ExchangeHistory",
    "ReplicaExchange",
    "geometric_temperatures",
    "even_temperatures",
    "tuned_temperatures",
    "quenched",
    "Minima",
    "neighbours",
]
NAMES += ["Neighbours", "nearest", "Nearest", "rank", "ranks", "info", "set_threads", "Force", "Thermostat"]
NAMES += ["InputError", "RunError"]


def package_page() -> str:
    """Return the page of the names in the package itself, for mkdocstrings to fill in."""
    return "# trellis\n\n" + "".join(f"::: trellis.{name}\n" for name in NAMES)


def module_page(module: str) -> str:
    """Return the page of a public module, for mkdocstrings to fill in."""
    return f"# {module}\n\n::: {module}\n    options:\n      show_root_heading: false\n"


def room_page(room: str) -> str:
    """Return the page of a room: its README.md, and the public part of each of its headers. '': src/trellis itself."""
    folder = LIBRARY / room
    parts = [(folder / "README.md").read_text() if room else "# The headers to include\n"]
    for header in sorted(path for path in folder.iterdir() if path.suffix in {".hpp", ".cuh"}):
        summary, declarations = public_part(header.read_text())
        parts.append(f"## {header.name}\n\n{summary}\n\n```cpp\n{declarations}\n```\n")
    return "\n".join(parts)
