"""Check that no line of a source, script or settings file has more than 120 columns.

Pages are left to tests/docs/test_columns.py. In JSON, where a string cannot be broken, descriptions alone are checked.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

COLUMNS = 120
FOLDERS = [".ci", ".github", "bench", "cmake", "docs", "examples", "python", "recipe", "src", "tests", "tools"]
NAMES = {".clang-format", ".clang-tidy", ".gitignore", "CMakeLists.txt", "Makefile", "run"}
SUFFIXES = {
    *(".cpp", ".hpp", ".cu", ".cuh", ".in", ".cmake"),
    *(".py", ".sh"),
    *(".json", ".toml", ".yml", ".yaml", ".css"),
}
DESCRIPTION = re.compile(r'\s*"(description|displayName)":')


def text_files(root: Path) -> Iterator[Path]:
    """Yield the files to check: those of the repository's own folders, and those that lie in none."""
    paths = [*root.glob("*"), *(path for folder in FOLDERS for path in (root / folder).rglob("*"))]
    yield from sorted(path for path in paths if path.is_file() and (path.suffix in SUFFIXES or path.name in NAMES))


def long_lines(root: Path) -> Iterator[str]:
    """Yield a line for each line that is too long."""
    for path in text_files(root):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if len(line) > COLUMNS and (path.suffix != ".json" or DESCRIPTION.match(line)):
                yield f"{path.relative_to(root)}:{number}: {len(line)} columns; at most {COLUMNS}"


def main() -> int:
    """Check the repository that holds this file, or the one named on the command line."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    breaches = list(long_lines(root))
    print("\n".join(breaches) or f"no line has more than {COLUMNS} columns")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
