"""The pages of reference: one for each package and public module of Python, and one for each room of src/trellis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from headers import public_part

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "src/trellis"

# The public modules beside the package itself, and where they stand.
MODULES = {
    name: name.replace("trellis.external", "trellis.forces.external")
    for name in (
        *("trellis.ic", "trellis.io", "trellis.plot", "trellis.analysis", "trellis.cosmology", "trellis.exact"),
        *("trellis.units", "trellis.external", "trellis.config", "trellis.model", "trellis.grape", "trellis.ase"),
    )
}
# The names of the package itself, in the order in which a user needs them.
NAMES = {
    "Simulations": ["Simulation", "IndividualSteps", "StepLimit", "accelerations", "Cosmology", "Energies"],
    "Particles": ["ParticleSet", "Selection", "neighbours", "Neighbours", "nearest", "Nearest"],
    "Forces": ["Force", "Gravity", "Coulomb", "Sph", "LennardJones", "External", "PythonForce"],
    "Bonded forces": [
        "bond_potential",
        "angle_potential",
        "dihedral_potential",
        "HarmonicBonds",
        "FENE",
        "CosineAngles",
        "CosineDihedrals",
        "BondedForce",
    ],
    "Interactions": [
        "interaction",
        "Interaction",
        "pair_potential",
        "table",
        "where",
        "dot",
        "cross",
        "sqrt",
        "rsqrt",
        "exp",
        "log",
        "sin",
        "cos",
        "tanh",
        "erf",
        "erfc",
        "minimum",
        "maximum",
    ],
    "Thermostats and pressure": ["Thermostat", "Langevin", "Andersen", "Csvr", "NoseHoover", "Barostat"],
    "Ensembles": ["Ensemble", "EnsembleEnergies", "quenched", "Minima"],
    "Replica exchange": [
        "ReplicaExchange",
        "ExchangeHistory",
        "geometric_temperatures",
        "even_temperatures",
        "tuned_temperatures",
    ],
    "Ranks and machine": ["rank", "ranks", "info", "set_threads"],
    "Errors": ["InputError", "RunError"],
}


def package_page() -> str:
    """Return the page of the names in the package itself, for mkdocstrings to fill in."""
    sections = (
        f"## {title}\n\n" + "".join(f"::: trellis.{name}\n    options:\n      heading_level: 3\n" for name in names)
        for title, names in NAMES.items()
    )
    return "# trellis\n\n" + "\n".join(sections)


def page_of_module(module: str) -> str:
    """Return the path of the page of a public module: that of the package that holds it, or its own."""
    path = MODULES[module].replace(".", "/")
    package = path if (ROOT / "python" / path).is_dir() else path.rpartition("/")[0]
    return f"python/{path}.md" if package == "trellis" else f"python/{package}/README.md"


def of_the_same_name(path: str) -> Iterator[str]:
    """Yield the public names of a package that are files in it as well: mkdocstrings would show the files instead."""
    folder = ROOT / "python" / path.replace(".", "/")
    if folder.is_dir():
        names = re.findall(r"^from \S+\.(\w+) import .*\b\1\b", (folder / "__init__.py").read_text(), re.MULTILINE)
        yield from (name for name in names if (folder / f"{name}.py").exists())


def module_section(module: str) -> str:
    """Return the part of a page that describes a public module, for mkdocstrings to fill in."""
    path = MODULES[module]
    without_heading = "{ show_root_heading: false, show_root_toc_entry: false, heading_level: 2 }"
    section = f"\n## {module}\n\n::: {path}\n    options: {without_heading}\n"
    for name in of_the_same_name(path):
        section += f"\n::: {path}.{name}.{name}\n    options: {{ heading: {name}, heading_level: 3 }}\n"
    return section


def python_pages() -> dict[str, str]:
    """Return path and text of each Python page: README.md of a package, and the names of its public modules."""
    readmes = sorted((ROOT / "python/trellis").rglob("README.md"))
    pages = {path.relative_to(ROOT).as_posix(): path.read_text() for path in readmes}
    for module in MODULES:
        page = page_of_module(module)
        pages[page] = pages.get(page, f"# {module.rpartition('.')[2]}\n") + module_section(module)
    return {"python/trellis/README.md": package_page(), **pages}


def room_page(room: str) -> str:
    """Return the page of a room: its README.md, and the public part of each of its headers. '': src/trellis itself."""
    folder = LIBRARY / room
    parts = [(folder / "README.md").read_text() if room else "# The headers to include\n"]
    for header in sorted(path for path in folder.iterdir() if path.suffix in {".hpp", ".cuh"}):
        summary, declarations = public_part(header.read_text())
        parts.append(f"## {header.name}\n\n{summary}\n\n```cpp\n{declarations}\n```\n")
    return "\n".join(parts)
