"""Check that each CUDA source whose text asks for `--fmad=false` is compiled with it.

Such a source gives the bits of the processor's kernels, which have no fused multiply-add; the flag itself is set by
folder in src/trellis/CMakeLists.txt, where a file that is moved would lose it silently.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

FLAG = "--fmad=false"


def breaches(commands: list[dict[str, str]]) -> list[str]:
    """Return a line for each CUDA source that asks for the flag and lacks it, or if none asks for it."""
    sources = {Path(entry["file"]): entry["command"] for entry in commands if entry["file"].endswith(".cu")}
    asking = [path for path in sources if FLAG in path.read_text()]
    if not asking:
        return [f"no CUDA source asks for {FLAG}"]
    return [f"{path}: compiled without {FLAG}, for which it asks" for path in asking if FLAG not in sources[path]]


def main() -> int:
    """Check the compile_commands.json named on the command line."""
    found = breaches(json.loads(Path(sys.argv[1]).read_text()))
    print("\n".join(found) or f"every CUDA source that asks for {FLAG} is compiled with it")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
