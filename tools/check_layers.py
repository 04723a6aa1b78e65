"""Check the layout of the sources: include order and size of the rooms, their READMEs, and the length of files.

A room is a folder of src/trellis with sources in it. It may include only its own headers and those of the rooms before
it in `ROOMS`, and has a README.md. The program prints one line for each breach.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

# In the order of the data flow, as ARCHITECTURE.md draws it; a room of kernels stands before the room that calls them.
ROOMS = [
    "base",
    "packing",
    "transport/keys",
    "transport/streams",
    "transport/connections",
    "transport",
    "transport/links",
    "devices",
    "devices/rehearsal",
    "devices/remote",
    "devices/lending",
    "devices/redundant",
    "particles",
    "ranks/comm",
    "ranks/sites",
    "ranks/domain",
    "tree",
    "lists/walk",
    "lists/essential",
    "lists/neighbours",
    "lists/neighbours/device",
    "mesh/lines",
    "mesh",
    "forces",
    "forces/tree/kernels",
    "forces/tree",
    "forces/tree/host",
    "forces/tree/device",
    "forces/short_range/kernels",
    "forces/short_range/device",
    "forces/short_range",
    "forces/external",
    "forces/gravity/periodic",
    "forces/gravity",
    "forces/particle_mesh",
    "forces/molecules",
    "forces/sph/kernels",
    "forces/sph",
    "integrate",
    "integrate/comoving",
    "resident/kernels",
    "resident",
    "ensembles/kernels",
    "ensembles/gpu",
    "ensembles",
    "ensembles/exchange",
    "grape",
    "serve",
    "run",
]
LONGEST_FILE = 400
LONGEST_README = 12
LARGEST_ROOM = 22
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
        readme = folder / "README.md"
        lines = len(readme.read_text().splitlines()) if readme.exists() else 0
        if not 0 < lines <= LONGEST_README:
            yield f"src/trellis/{room}/README.md: {lines} lines; every room has one, of at most {LONGEST_README}"


def long_files(root: Path) -> Iterator[str]:
    """Yield a line for each source file that is longer than the house allows."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SOURCES and (length := len(path.read_text().splitlines())) > LONGEST_FILE:
                yield f"{path.relative_to(root)}: {length} lines; at most {LONGEST_FILE}"


def main() -> int:
    """Check the repository that holds this file, or the one named on the command line."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    breaches = [*layer_breaches(root), *room_breaches(root), *long_files(root)]
    print("\n".join(breaches) or "rooms, their order, and file lengths: as they should be")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
