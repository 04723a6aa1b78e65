"""Check that each header of the library compiles alone: `check_headers.py COMMAND...`, a compiler with its flags.

A header that is the first include of a source needs no check here: clang-tidy reads that source without precompiled
headers, and fails where the header lacks something. The others are compiled in the folder headers_alone, whose sources
have the same names in each clone: a compiler cache finds them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path("headers_alone")
SOURCES = Path(__file__).parent.parent / "src"
# Not read by clang-tidy: see `not_here` in the Makefile.
UNREAD = {"no_mpi.cpp", "no_network.cpp", "no_fft_lines.cpp", "pocketfft_lines.cpp"}


def first_include(source: Path) -> str | None:
    """Return what a source includes first, as it is written there."""
    found = re.search(r'^#include ["<]([^">]+)', source.read_text(), re.MULTILINE)
    return found[1] if found else None


def compiles(command: list[str], header: str) -> bool:
    """Compile a source that includes the header alone; the compiler says what is wrong."""
    source = FOLDER / header.replace("/", "_").replace(".hpp", ".cpp")
    source.write_text(f'#include "{header}"\n')
    options = [f"-I{SOURCES}", "-c", str(source), "-o", str(source.with_suffix(".o"))]
    return subprocess.run([*command, *options], check=False).returncode == 0


def main() -> int:
    """Check those headers that clang-tidy does not."""
    library = SOURCES / "trellis"
    read = {first_include(source) for source in library.rglob("*.cpp") if source.name not in UNREAD}
    headers = [str(header.relative_to(SOURCES)) for header in sorted(library.rglob("*.hpp"))]
    to_compile = [header for header in headers if header not in read]
    FOLDER.mkdir(exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        compiled = list(pool.map(lambda header: compiles(sys.argv[1:], header), to_compile))
    for header, fine in zip(to_compile, compiled, strict=True):
        if not fine:
            print(f"src/{header} does not compile alone")
    print(f"{len(headers) - len(to_compile)} headers are left to clang-tidy, {sum(compiled)} compile alone")
    return 0 if all(compiled) else 1


if __name__ == "__main__":
    sys.exit(main())
