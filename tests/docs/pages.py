"""The blocks of code in README.md, ARCHITECTURE.md, CONTRIBUTING.md, the package's page and docs/.

An HTML comment just before a block says what its test needs to know:

    <!-- file: name -->            the block is that file, which later blocks of the page may use
    <!-- tested with: a -> b -->   in the test, a stands for b (a smaller particle number, say); "; " divides several
    <!-- not tested: why -->
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
WRITTEN_BY_PROGRAM = ("parameters.md",)
PAGES = [
    ROOT / "README.md",
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "recipe/package.md",
    *sorted(page for page in (ROOT / "docs").glob("*.md") if page.name not in WRITTEN_BY_PROGRAM),
]

NOTE = re.compile(r"<!-- (file|tested with|not tested): (.+?) -->")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page; its code begins at a line."""

    page: Path
    line: int
    language: str
    code: str
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def tested(self) -> bool:
        return self.language != "text" and "not tested" not in self.notes

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def code_to_test(self) -> str:
        code = self.code
        for change in self.notes.get("tested with", "").split("; "):
            printed, arrow, instead = change.partition(" -> ")
            if arrow:
                assert printed in code, f"{self.place}: there is no '{printed}' to replace"
                code = code.replace(printed, instead)
        return code


def blocks(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page in their order."""
    lines = iter(enumerate(page.read_text().splitlines(), start=1))
    notes: dict[str, str] = {}
    for number, line in lines:
        if not line.startswith("```"):
            found = dict(NOTE.findall(line))
            notes = {**notes, **found} if found or not line.strip() else {}
            continue
        code: list[str] = []
        for _, inner in lines:
            if inner.startswith("```"):
                break
            code.append(inner)
        yield Block(page, number + 1, line[3:].strip(), "\n".join(code) + "\n", notes)
        notes = {}


ALL = [block for page in PAGES for block in blocks(page)]
