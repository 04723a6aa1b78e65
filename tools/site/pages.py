"""The pages of the site: a hook of MkDocs that reads them where they stand in the repository.

README.md, ARCHITECTURE.md, docs/ and the measurements keep their paths, so that links between them are the same in the
repository and on the site. The pages of reference.py come beside them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "tools")]

from reference import MODULES, module_page, package_page, room_page  # noqa: E402

from check_layers import ROOMS  # noqa: E402

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

KEPT = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "LICENSE", "docs/**/*", "bench/NOTES.md", "bench/results/*.md")


def path_of_room(room: str) -> str:
    """Return the path of a room's page."""
    return f"src/trellis/{room}/README.md".replace("//", "/")


def written() -> Iterator[tuple[str, str]]:
    """Yield path and text of the pages that the repository does not hold as such."""
    yield "python/trellis.md", package_page()
    for module in MODULES:
        yield f"python/{module}.md", module_page(module)
    for room in ["", *ROOMS]:
        yield path_of_room(room), room_page(room)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the sections of the navigation that mkdocs.yml leaves empty."""
    rooms = [{room or "to include": path_of_room(room)} for room in ["", *ROOMS]]
    measured = [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("bench/results/*.md"))]
    sections = {
        "Python": [{module: f"python/{module}.md"} for module in ["trellis", *MODULES]],
        "C++": rooms,
        "Measured": [{"Notes": "bench/NOTES.md"}, *measured],
    }
    config.nav = [{title: content or sections[title] for title, content in entry.items()} for entry in config.nav or []]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace the files of docs/ by those of the site, under their paths in the repository."""
    kept = [path for pattern in KEPT for path in sorted(ROOT.glob(pattern)) if path.is_file()]
    pages = [File.generated(config, str(path.relative_to(ROOT)), abs_src_path=str(path)) for path in kept]
    pages += [File.generated(config, path, content=text) for path, text in written()]
    pages += [File.generated(config, "site.css", abs_src_path=str(Path(__file__).with_name("site.css")))]
    return Files([*(file for file in files if not file.src_uri.endswith((".md", ".png", ".gif"))), *pages])


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Leave out the list of a section's pages where there is only one."""
    if page.parent is None:
        page.meta["hide"] = ["navigation"]
    return markdown
