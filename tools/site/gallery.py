"""Turn the pages with pictures into grids: the examples of docs/gallery.md, and some of them on the front page."""

from __future__ import annotations

import re
from pathlib import Path

GALLERY = Path(__file__).parents[2] / "docs/gallery.md"
# Examples on the front page, by their headings in the gallery.
ON_FRONT_PAGE = [
    "Cosmology",
    "Two galaxies",
    "Kelvin-Helmholtz",
    "A bar stirs a disc",
    "A cluster melts",
    "In a browser",
]

EXAMPLE = re.compile(r"### (?P<title>.+)\n\n!\[(?P<alt>.*)\]\((?P<picture>.+)\)\n(?P<text>(?:(?!##).*\n?)*)")


def as_grid(page: str) -> str:
    """Return the gallery with each of its examples as a card, and those of a section side by side."""
    cards = EXAMPLE.sub(lambda example: f'<div class="card" markdown>\n\n{example[0].rstrip()}\n\n</div>\n\n', page)
    return re.sub(
        r"(?:<div class=\"card\".*?</div>\n+)+",
        r'<div class="cards" markdown>\n\n\g<0></div>\n\n',
        cards,
        flags=re.DOTALL,
    )


def with_strip(page: str) -> str:
    """Return README.md with a strip of pictures after its first one."""
    examples = {example["title"]: example for example in EXAMPLE.finditer(GALLERY.read_text())}
    strip = ""
    for title in ON_FRONT_PAGE:
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        picture = f"![{examples[title]['alt']}](docs/{examples[title]['picture']})"
        strip += f"[{picture} {title}](docs/gallery.md#{anchor})\n"
    lead = re.compile(r"^(!\[.*\))$", re.MULTILINE)
    return lead.sub(rf'\1{{ .lead }}\n\n<div class="strip" markdown>\n{strip}</div>', page, count=1)
