"""Check the layout of the sources: order and size of rooms and packages, their READMEs, and the length of files.

A room is a folder of src/trellis with sources in it. It may include only its own headers and those of the rooms before
it in `ROOMS`, and has a README.md. So may a package of python/trellis import only itself and those before it in
`PACKAGES`, also for annotations, and never through `trellis` itself; no modules import each other in a circle. The
program prints one line for each breach.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

# In the order of the data flow, as ARCHITECTURE.md draws it; a room of kernels stands before the room that calls them.
ROOMS = [
    "base/forks",
    "base",
    "packing",
    "transport/keys",
    "transport/streams",
    "transport/addresses",
    "transport/connections",
    "transport/sessions",
    "transport/links",
    "transport/links/wide_area",
    "devices",
    "devices/gpu",
    "devices/cuda",
    "devices/hip",
    "devices/opencl",
    "devices/emulated",
    "devices/isolated",
    "devices/remote",
    "devices/remote/client",
    "devices/server",
    "devices/redundant",
    "particles",
    "ranks/comm",
    "ranks/sites",
    "ranks/domain",
    "tree",
    "lists/walk",
    "lists/essential",
    "lists/neighbours/search",
    "lists/neighbours",
    "lists/neighbours/tables",
    "lists/neighbours/device",
    "lists/tuples",
    "mesh/lines",
    "mesh",
    "forces",
    "forces/user_checks",
    "forces/decorators",
    "forces/tree/expansions",
    "forces/tree/kernels",
    "forces/tree",
    "forces/tree/periodic",
    "forces/tree/host",
    "forces/tree/device/batches",
    "forces/tree/device",
    "forces/short_range/kernels",
    "forces/short_range/device",
    "forces/short_range",
    "forces/run_time/loops",
    "forces/run_time/graphs",
    "forces/run_time/tuples",
    "forces/run_time/far_field",
    "forces/run_time",
    "forces/external",
    "forces/bonded",
    "forces/gravity/periodic",
    "forces/gravity",
    "forces/gravity/encounters",
    "forces/tree_mesh/kernels",
    "forces/tree_mesh",
    "forces/molecules",
    "forces/sph/kernels",
    "forces/sph",
    "integrate",
    "integrate/rungs",
    "integrate/thermostats",
    "integrate/barostats",
    "integrate/comoving",
    "resident/kernels",
    "resident",
    "ensembles/kernels",
    "ensembles/gpu",
    "ensembles/staged",
    "ensembles/topology",
    "ensembles",
    "ensembles/exchange",
    "grape/kernels",
    "grape",
    "grape/calls",
    "serve",
    "run/measures",
    "run",
    "c",
]
# In the order in which they may import: modules at the top of python/trellis, and packages with all below them.
PACKAGES = [
    "_core",
    "errors",
    "notes",
    "interrupts",
    "arguments",
    "units",
    "paths",
    "signatures",
    "grape",
    "forces",
    "interactions",
    "bonded",
    "parallel",
    "particles",
    "io",
    "config",
    "simulation",
    "ase",
    "output",
    "ensembles",
    "analysis",
    "exact",
    "cosmology",
    "ic",
    "device_check",
    "plot",
    "run",
    "model",
    "cli",
]
FACADE = ["__init__.py", "__main__.py"]  # files of python/trellis that may import any package
LONGEST_FILE = 400
LONGEST_README = 12
LARGEST_ROOM = 22
LARGEST_PACKAGE = 23
LIBRARY_SOURCES = {".cpp", ".hpp", ".cu", ".cuh"}
SOURCES = {*LIBRARY_SOURCES, ".py"}
FOLDERS = ["src", "python", "tests", "bench", "examples", "tools"]
INCLUDE = re.compile(r'\s*#\s*include\s*["<]trellis/([^">]+)[">]')


def room_of(path: str) -> str:
    """Return the room of a path below src/trellis: the longest in `ROOMS` that it lies in, else its folder."""
    folder = Path(path).parent.as_posix()
    return max((room for room in ROOMS if f"{folder}/".startswith(f"{room}/")), key=len, default=folder)


def layer_breaches(root: Path) -> Iterator[str]:
    """Yield a line for each include that points from a room to a later one, and for each folder that is no room."""
    library = root / "src/trellis"
    for path in sorted(library.glob("*/**/*")):
        if path.suffix not in LIBRARY_SOURCES:
            continue
        folder = path.parent.relative_to(library).as_posix()
        if folder not in ROOMS:
            yield f"{path.relative_to(root)}: folder {folder} is not one of {', '.join(ROOMS)}"
            continue
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            match = INCLUDE.match(line)
            target = room_of(match[1]) if match else folder
            if target not in ROOMS[: ROOMS.index(folder) + 1]:
                yield f"{path.relative_to(root)}:{number}: {folder} may not include {target}"


def room_breaches(root: Path) -> Iterator[str]:
    """Yield a line for each room that is not there, is too large, or lacks a README.md of a few lines."""
    for room in ROOMS:
        folder = root / "src/trellis" / room
        size = sum(path.suffix in LIBRARY_SOURCES for path in folder.glob("*"))
        if not 0 < size <= LARGEST_ROOM:
            yield f"src/trellis/{room}: {size} sources; a room has 1 to {LARGEST_ROOM}"
        yield from readme_breaches(folder / "README.md", Path("src/trellis", room), "room")


def imports_of(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, module and name of each import in a Python file, at run time or for annotations alone."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name, "") for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from ((node.lineno, module, each.name) for each in node.names)


def import_breaches(root: Path) -> Iterator[str]:
    """Yield a line for each import that points from a package to a later one, or is made through `trellis` itself."""
    library = root / "python/trellis"
    for path in sorted(library.rglob("*.py")):
        inside = path.relative_to(library)
        if inside.as_posix() in FACADE:
            continue
        place, package = path.relative_to(root), inside.with_suffix("").parts[0]
        if package not in PACKAGES:
            yield f"{place}: {package} is not one of {', '.join(PACKAGES)}"
            continue
        for number, module, name in imports_of(path):
            top, *names = module.split(".")
            if module == "trellis" and name != "_core":
                yield f"{place}:{number}: imports from trellis itself; allowed is the module that has the name"
            elif top == "":
                yield f"{place}:{number}: imports {module}; allowed are full names, from trellis on"
            elif names and top == "trellis" and names[0] not in PACKAGES[: PACKAGES.index(package) + 1]:
                yield f"{place}:{number}: {package} may not import {names[0]}"


def circles(root: Path) -> Iterator[str]:
    """Yield a line if modules of python/trellis import each other in a circle, at run time or for annotations."""
    library = root / "python/trellis"
    files = {path: path.relative_to(library.parent).with_suffix("") for path in library.rglob("*.py")}
    modules = {".".join(name.parts).removesuffix(".__init__"): path for path, name in files.items()}
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        targets = {f"{other}.{name}" if f"{other}.{name}" in modules else other for _, other, name in imports_of(path)}
        graph[module] = targets & set(modules) - {"trellis", module}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield f"modules import each other in a circle: {' -> '.join(reversed(error.args[1]))}"


def package_breaches(root: Path) -> Iterator[str]:
    """Yield a line for each package of python/trellis that is too large, or lacks a README.md of a few lines."""
    library = root / "python/trellis"
    for folder in sorted({path.parent for path in library.rglob("*.py")} - {library}):
        place = folder.relative_to(root)
        if not (folder / "__init__.py").exists():
            yield f"{place}: no __init__.py; every folder with modules is a package"
        size = sum(path.name != "__init__.py" for path in folder.glob("*.py"))
        if size > LARGEST_PACKAGE:
            yield f"{place}: {size} modules; a package has at most {LARGEST_PACKAGE}"
        yield from readme_breaches(folder / "README.md", place, "package")


def readme_breaches(readme: Path, place: Path, kind: str) -> Iterator[str]:
    """Yield a line if a README.md is not there, or too long."""
    lines = len(readme.read_text().splitlines()) if readme.exists() else 0
    if not 0 < lines <= LONGEST_README:
        yield f"{place}/README.md: {lines} lines; every {kind} has one, of at most {LONGEST_README}"


def long_files(root: Path) -> Iterator[str]:
    """Yield a line for each source file that is longer than the house allows."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SOURCES and (length := len(path.read_text().splitlines())) > LONGEST_FILE:
                yield f"{path.relative_to(root)}: {length} lines; at most {LONGEST_FILE}"


def main() -> int:
    """Check the repository that holds this file, or the one named on the command line."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    breaches = [*layer_breaches(root), *room_breaches(root), *import_breaches(root), *package_breaches(root)]
    breaches += [*circles(root), *long_files(root)]
    print("\n".join(breaches) or "rooms, packages, their order, and file lengths: as they should be")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
