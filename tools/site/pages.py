"""The pages of the site: a hook of MkDocs that reads them where they stand in the repository.

README.md, ARCHITECTURE.md, docs/ and the measurements keep their paths, so that links between them are the same in the
repository and on the site. The pages of reference.py are added, and gallery.py arranges the pictures.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "tools")]

from gallery import as_grid, with_strip  # noqa: E402
from reference import MODULES, page_of_module, python_pages, room_page  # noqa: E402

from check_layers import ROOMS  # noqa: E402

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

KEPT = ["*.md", "LICENSE", "CITATION.cff", "docs/**/*", "bench/README.md", "bench/*/*.md"]
DRAWN_BY_HOOK = {"README.md": with_strip, "docs/gallery.md": as_grid}


def path_of_room(room: str) -> str:
    """Return the path of a room's page."""
    return f"src/trellis/{room}/README.md".replace("//", "/")


def written() -> Iterator[tuple[str, str]]:
    """Yield path and text of the pages that the repository does not hold as such."""
    yield from python_pages().items()
    for room in ["", *ROOMS]:
        yield path_of_room(room), room_page(room)


def rooms_by_folder() -> list[dict[str, object]]:
    """Return the navigation of the rooms: a section for each folder that has several of them."""
    sections: list[dict[str, object]] = [{"Headers to include": path_of_room("")}]
    for folder, group in groupby(ROOMS, key=lambda room: room.partition("/")[0]):
        rooms = [{room: path_of_room(room)} for room in group]
        sections.append({folder: rooms} if len(rooms) > 1 else {folder: path_of_room(folder)})
    return sections


def python_packages() -> list[dict[str, object]]:
    """Return the navigation of the Python pages: what users import first, then the other packages."""
    public = {page_of_module(module): module for module in MODULES}
    inside = [page for page in python_pages() if page not in public and page != "python/trellis/README.md"]
    imported: list[dict[str, object]] = [{module: page} for page, module in public.items()]
    return [
        {"trellis": "python/trellis/README.md"},
        *imported,
        {"Inside": [{page.removeprefix("python/trellis/").removesuffix("/README.md"): page} for page in inside]},
    ]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the sections of the navigation that mkdocs.yml leaves empty."""
    notes = [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("bench/notes/*.md"))]
    measured = [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("bench/results/*.md"))]
    sections = {
        "Python": python_packages(),
        "C++": rooms_by_folder(),
        "Measured": [{"Benchmarks": "bench/README.md"}, {"Notes": notes}, {"Tables": measured}],
    }
    config.nav = [{title: content or sections[title] for title, content in entry.items()} for entry in config.nav or []]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace the files of docs/ by those of the site, under their paths in the repository."""
    kept = [path for pattern in KEPT for path in sorted(ROOT.glob(pattern)) if path.is_file()]
    pages = [File.generated(config, str(path.relative_to(ROOT)), abs_src_path=str(path)) for path in kept]
    pages += [File.generated(config, path, content=text) for path, text in written()]
    own = ["site.css", "iframe-worker.js"]
    pages += [File.generated(config, name, abs_src_path=str(Path(__file__).with_name(name))) for name in own]
    pictures = (".md", ".png", ".gif", ".webp")
    return Files([*(file for file in files if not file.src_uri.endswith(pictures)), *pages])


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Arrange the pages of pictures, have a search find what users read first, and hide lists of one page."""
    if page.parent is None:
        page.meta["hide"] = ["navigation", "toc"]
    page.meta["search"] = {"boost": 3 if page.file.src_uri.startswith(("README", "docs/", "python/")) else 1}
    arrange = DRAWN_BY_HOOK.get(page.file.src_uri)
    return arrange(markdown) if arrange else markdown
