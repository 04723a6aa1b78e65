"""Name the rooms of src/trellis whose code has changed since the last whole check: `changed_rooms.py [--record]`.

A room has changed if its sources or its tests have, comments and layout aside, or a header that they include, directly
or not. All rooms have if the way in which they are built has. `--record` notes the present state in
tools/whole_check.sha256; `make whole` does so when it has passed. The names are separated by semicolons, as CMake's
lists are.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from functools import cache
from pathlib import Path

from check_layers import LIBRARY_SOURCES, ROOMS

ROOT = Path(__file__).parent.parent
RECORD = ROOT / "tools/whole_check.sha256"
BUILD = ["CMakeLists.txt", "CMakePresets.json", ".clang-tidy", "src/trellis/CMakeLists.txt", "tests/CMakeLists.txt"]
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]((?:trellis|unit)/[^">]+)[">]', re.MULTILINE)
# Strings and characters are matched first, so that what looks like a comment in one is kept.
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(?P<comment>//[^\n]*|/\*.*?\*/)', re.DOTALL)


def code_of(text: str) -> str:
    """Return a source's text without comments and white space."""
    return "".join(COMMENT.sub(lambda found: "" if found["comment"] else found[0], text).split())


@cache
def text_of(path: Path) -> str:
    """Return the text of a file."""
    return path.read_text()


@cache
def digest_of(path: Path) -> str:
    """Return the hash of a source's code."""
    return hashlib.sha256(code_of(text_of(path)).encode()).hexdigest()


@cache
def included_by(path: Path) -> frozenset[Path]:
    """Return the headers of the library and its tests that a source includes itself."""
    found = INCLUDE.findall(text_of(path))
    below = [ROOT / ("src" if name.startswith("trellis/") else "tests") / name for name in found]
    return frozenset(header for header in below if header.exists())


def with_headers(sources: set[Path]) -> set[Path]:
    """Return sources and all headers that they include, directly or not."""
    reached = set(sources)
    left = list(sources)
    while left:
        new = included_by(left.pop()) - reached
        reached |= new
        left += new
    return reached


def hash_of_build() -> str:
    """Return the hash of the files that say how sources are compiled."""
    files = [*(ROOT / name for name in BUILD), *sorted((ROOT / "cmake").glob("*.cmake"))]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()


def hash_of_room(room: str) -> str:
    """Return the hash of a room's sources and tests with the headers that they include."""
    folders = [ROOT / "src/trellis" / room, ROOT / "tests/unit" / room]
    sources = {path for folder in folders for path in folder.glob("*") if path.suffix in LIBRARY_SOURCES}
    lines = sorted(f"{path.relative_to(ROOT)} {digest_of(path)}" for path in with_headers(sources))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def changed(recorded: dict[str, str], now: dict[str, str]) -> list[str]:
    """Return the rooms whose hash is not the recorded one; `build` stands for all of them."""
    if recorded.get("build") != now["build"]:
        return ROOMS
    return [room for room in ROOMS if recorded.get(room) != now[room]]


def main() -> None:
    """Print the rooms that have changed, or record the present state."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true", help="note that the present state has passed a whole check")
    now = {"build": hash_of_build(), **{room: hash_of_room(room) for room in ROOMS}}
    if parser.parse_args().record:
        RECORD.write_text("".join(f"{digest}  {name}\n" for name, digest in now.items()))
        return
    lines = RECORD.read_text().splitlines() if RECORD.exists() else []
    recorded = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    print(";".join(changed(recorded, now)))


if __name__ == "__main__":
    main()
