"""Check the layout of the sources: include order of the folders, and the length of files.

A folder of src/trellis may include only headers of its own and of the folders before it in `LAYERS`. The program
prints one line for each breach.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

# The order of the data flow, as ARCHITECTURE.md draws it.
LAYERS = ["base", "particles", "ranks", "tree", "lists", "devices", "forces", "mesh", "integrate", "sites", "run"]
LONGEST_FILE = 400
SOURCES = {".cpp", ".hpp", ".cu", ".cuh", ".py"}
FOLDERS = ["src", "python", "tests", "bench", "examples", "tools"]
INCLUDE = re.compile(r'\s*#\s*include\s*["<]trellis/([^">]+)[">]')


def layer_breaches(root: Path) -> Iterator[str]:
    """Yield a line for each include that points from a folder to a later one, or from an unlisted folder."""
    library = root / "src/trellis"
    for path in sorted(library.glob("*/**/*")):
        if path.suffix not in SOURCES:
            continue
        folder = path.relative_to(library).parts[0]
        if folder not in LAYERS:
            yield f"{path.relative_to(root)}: folder {folder} is not one of {', '.join(LAYERS)}"
            continue
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            match = INCLUDE.match(line)
            target = match[1].split("/")[0] if match else folder
            if target not in LAYERS[: LAYERS.index(folder) + 1]:
                yield f"{path.relative_to(root)}:{number}: {folder} may not include {target}"


def long_files(root: Path) -> Iterator[str]:
    """Yield a line for each source file that is longer than the house allows."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SOURCES and (length := len(path.read_text().splitlines())) > LONGEST_FILE:
                yield f"{path.relative_to(root)}: {length} lines; at most {LONGEST_FILE}"


def main() -> int:
    """Check the repository that holds this file, or the one named on the command line."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    breaches = [*layer_breaches(root), *long_files(root)]
    print("\n".join(breaches) or "layers and file lengths: as they should be")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
