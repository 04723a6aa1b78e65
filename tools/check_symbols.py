"""Check that each kernel object, <isa>.o, offers the linker no symbol outside namespace trellis::<isa>.

A kernel object is compiled for one instruction set. If it offered, say, a copy of an inline function of the standard
library, the linker could use that copy everywhere, and the program would crash on a machine without those instructions.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def foreign_symbols(path: Path) -> list[str]:
    """Return the global symbols that the object defines outside its own namespace."""
    isa = path.stem
    listing = subprocess.run(
        ["nm", "--defined-only", "--extern-only", "--format=posix", path],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    names = [line.split()[0] for line in listing.splitlines()]
    if not names:
        return ["(no symbol at all: nothing could call this kernel)"]
    return [name for name in names if not name.startswith(f"_ZN7trellis{len(isa)}{isa}")]


def main() -> int:
    """Check every object in the folder named on the command line."""
    objects = sorted(Path(sys.argv[1]).glob("*.o"))
    if not objects:
        print(f"{sys.argv[1]}: no kernel objects")
        return 1
    failures = [f"{path.name}: {name}" for path in objects for name in foreign_symbols(path)]
    print("\n".join(failures) or f"{len(objects)} kernel objects, each with its own symbols only")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
